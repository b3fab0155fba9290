# SPDX-License-Identifier: Apache-2.0
"""Prints what the harnesses can do and what campaigns call, as JSON, for a test that compares them: `inventory.py`

`can` has a word for each harness, sub-command and option: `sync`, `sync three`, `sync --no-guard`. `called` has those that a campaign calls,
`filters` has the filter of each campaign that runs tests, and `numbered` those whose cases are numbered by a `Campaign` of a test.
"""

import ast
import json
import pathlib
import re

import campaigns

TOOLS = pathlib.Path(__file__).resolve().parents[2]
# Which cases are tried, on which program.
COMMON = {"--seed", "--count", "--program"}


def parts(path):
    """The sub-commands and options of a program, as its source has them."""
    text = path.read_text()
    if text.startswith("#!/usr/bin/env bash"):
        names = re.search(r"^options (.*) -- ", text, re.M)[1]
        usage = re.findall(rf"^# +(?:usage: )?scripts/dev (?:torture )?{path.name} ([a-z|-]+)", text, re.M)
        return {f"--{word.partition('=')[0]}" for word in names.split()} - COMMON | {word for words in usage for word in words.split("|")}
    tree, found = ast.parse(text), set()
    tables = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
            name, choices = call.args[0].value, next((word.value for word in call.keywords if word.arg == "choices"), None)
            if name.startswith("-"):
                found.add(name)
            elif choices is not None:
                named = [choices, *(tables[node.id] for node in ast.walk(choices) if isinstance(node, ast.Name))]
                found |= {word.value for table in named for word in getattr(table, "keys", getattr(table, "elts", [])) if isinstance(word, ast.Constant)}
    return found - COMMON


def harnesses():
    paths = [path for path in (TOOLS / "torture").iterdir() if path.name != "campaigns"] + [TOOLS / "fuzz", TOOLS / "mutants"]
    return {path.name: parts(path) for path in paths}


def called(campaign):
    words = [word for word in campaign.program if word != "torture"]
    return {words[0]} | {f"{words[0]} {word}" for word in words[1:] if word not in COMMON and re.fullmatch("[a-z-]+", word)}


def inventory():
    found = harnesses()
    return {
        "can": sorted({*found} | {f"{name} {part}" for name, all in found.items() for part in all}),
        "called": sorted(set().union(*(called(one) for one in campaigns.CAMPAIGNS if one.program))),
        "leftOut": campaigns.LEFT_OUT,
        "filters": {one.name: one.tests for one in campaigns.CAMPAIGNS if one.tests},
        "numbered": [one.name for one in campaigns.CAMPAIGNS if one.tests and one.whole > 1],
    }


if __name__ == "__main__":
    print(json.dumps(inventory()))
