# SPDX-License-Identifier: Apache-2.0
"""How tests are chosen and run."""

import difflib
import os
import re
import subprocess
import sys

from tool import PROJECT, TOOLS


def known(word, names, parser, what):
    """The word, if it is one of the names."""
    if word not in names:
        near = difflib.get_close_matches(word, names, 1)
        parser.error(f"there is no {what} {word}" + (f"; did you mean {near[0]}?" if near else ""))
    return word


def case(name, parser):
    return known(name, os.listdir(PROJECT / "Fixtures" / "cli"), parser, "folder of Fixtures/cli called")


def page_case(name, parser):
    texts = [path.read_text() for path in (PROJECT / "Tests/StudioPage").glob("*.py")]
    return known(name, [name for text in texts for name in re.findall(r"^def (\w+)\(studio\):", text, re.M)], parser, "case of the page called")


def run(words, environment):
    """Runs words, shows what they print, and gives that with the status."""
    child = subprocess.Popen(words, cwd=PROJECT, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = []
    for line in child.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return child.wait(), "".join(lines)


def swift(filter, **environment):
    """Builds and runs the tests that fit; fails if there are none."""
    status, said = run(["swift", "test", "--filter", filter], environment)
    if not status and not sum(int(count) for count in re.findall(r"Test run with (\d+) tests? ", said)):
        print(f"no test fits {filter}", file=sys.stderr)
        status = 1
    return status, said


def page(*names, browser=None, **environment):
    """Builds, and runs cases of Tests/StudioPage."""
    return run([TOOLS / "library" / "test-page", *names, *(["--browser", browser] if browser else [])], environment)


def skips(said):
    """Counts what was not tried; 0 if EMOJIART_SKIPS allows that."""
    return subprocess.run([TOOLS / "library" / "skips"], cwd=PROJECT, input=said, text=True).returncode
