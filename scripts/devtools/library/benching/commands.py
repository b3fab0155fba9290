# SPDX-License-Identifier: Apache-2.0
"""Whole commands in a folder of their own, and how long they take."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class Bench:
    """The program, and a new folder with its state and its configuration."""

    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="emojiart-bench-"))
        self.environment = os.environ | {"EMOJIART_STATE": str(self.folder / "state"), "EMOJIART_CONFIG": str(self.folder / "config")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def art(self, *words, text=None):
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, input=text, text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"emojiart {' '.join(words)}: {done.returncode} {done.stderr[:500]}")
        return done.stdout

    def milliseconds(self, *words):
        begin = time.perf_counter()
        self.art(*words)
        return (time.perf_counter() - begin) * 1_000

    def shown(self, *words):
        return json.loads(self.art("show", *words, "--json"))

    def make(self, name, count):
        """Makes a document with so many bees; their ids."""
        emojis = [{"text": "🐝", "x": number % 1_000 - 500, "y": number // 1_000, "size": 20, "id": number + 1} for number in range(count)]
        (self.folder / f"{name}.json").write_text(json.dumps({"emojis": emojis, "uniqueEmojiId": count}))
        self.art("import", f"{name}.json")
        return [emoji["id"] for emoji in self.shown(name)["emojis"]]

    def edit(self, name, lines):
        self.art("edit", name, text="".join(f"{line}\n" for line in lines))

    def copy(self, name, to):
        shutil.copyfile(self.folder / f"{name}.emojiart", self.folder / f"{to}.emojiart")

    def remove(self, name):
        (self.folder / f"{name}.emojiart").unlink()
