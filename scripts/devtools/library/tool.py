# SPDX-License-Identifier: Apache-2.0
"""What all tools in Python share: their words, the project, and the programs that they try."""

import argparse
import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[3]
TOOLS = PROJECT / "scripts" / "devtools"


class Parser(argparse.ArgumentParser):
    """Reads the words of a tool, whose head is its help. A wrong word gets one line, and ends with 64."""

    def __init__(self, path=sys.argv[0]):
        name = pathlib.Path(path).resolve().relative_to(TOOLS).parts
        super().__init__(prog=" ".join(["scripts/dev", *(part for part in name if part not in ("all", "campaigns"))]), add_help=False, allow_abbrev=False)

    def error(self, message):
        refuse(f"{self.prog}: {message}; see `{self.prog} --help`")

    def cases(self, count, seed=1):
        """`--seed N --count M`: how many cases, rounds or edits, and the number of the first."""
        self.add_argument("--seed", type=positive, default=seed, metavar="N")
        self.add_argument("--count", type=positive, default=count, metavar="M")

    def program(self, default=".build/debug/emojiart"):
        """`--program PATH`: the emojiart that is tried, the debug build by default."""
        self.add_argument("--program", type=os.path.abspath, default=default and str(PROJECT / default), metavar="PATH")

    def parse_args(self, *words):
        given = super().parse_args(*words)
        if getattr(given, "program", None):
            program(given.program)
        return given


def positive(word):
    if not word.isascii() or not word.isdigit() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word} is not a number from 1 on")
    return int(word)


def refuse(message, status=64):
    print(message, file=sys.stderr)
    sys.exit(status)


def program(path):
    """The path, if a program called emojiart is there, beside whose folder its helper programs are."""
    if not os.access(path, os.X_OK) or os.path.basename(path) != "emojiart":
        hint = "; `swift build` makes it" if ".build" in path else ""
        refuse(f"{path} is not a program called emojiart{hint}", 66)
    return path


def common(commands, **more):
    """Runs commands of bash that scripts/common has."""
    return subprocess.run(["bash", "-c", f". '{PROJECT}/scripts/common'; {commands}"], text=True, **more)


def release():
    """The emojiart of the release, which is built if it is not there."""
    built = common('build_release >&2; echo "$emojiart"', stdout=subprocess.PIPE)
    if built.returncode:
        sys.exit(built.returncode)
    return built.stdout.strip()


def commit():
    """The commit of the project, and whether something in the folder is not in it."""

    def git(*words):
        found = subprocess.run(["git", "-C", PROJECT, *words], capture_output=True, text=True)
        return found.stdout.strip() if found.returncode == 0 else None

    head = git("rev-parse", "--short=12", "HEAD")
    return "no commit" if head is None else head + (" with changes" if git("status", "--porcelain") else "")
