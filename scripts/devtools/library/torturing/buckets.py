# SPDX-License-Identifier: Apache-2.0
"""Attacks on `sync` by a store that lies, by names, and by what changes no edit. The store is a double in memory."""

import os
import re
import shutil
import subprocess

from . import Hung, died, read
from .store_double import KEY, StoreDouble, listing, sync_words

ENDING = ".emojiart"


class Machine:
    """A folder of documents with a state folder, and one store for all machines."""

    def __init__(self, folder, store, name):
        self.folder, self.store, self.art = folder, store, folder.at(name)
        self.environment = folder.environment(folder.at(name + "-state"), **KEY)
        os.mkdir(self.art)
        os.mkdir(folder.at(name + "-state"), 0o700)

    def run(self, *words, **how):
        return self.folder.run(*words, environment=self.environment, cwd=self.art, **how)

    def must(self, *words):
        done = self.run(*words)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)[:80]}: {done.returncode} {done.stderr.strip()[-200:]}")
        return done

    def sync(self, *more, **how):
        return self.run(*sync_words(self.store, self.art, *more), **how)

    @property
    def files(self):
        return {name: read(os.path.join(self.art, name)) for name in sorted(os.listdir(self.art))}

    @property
    def versions(self):
        return set(re.findall(r'"name":"([^"]*)"', self.must("version", "bees", "--json").stdout))


def attack_endless_listing(random, folder):
    """A store lists without end, or what it does not have. `sync` ends by itself with one line, and has changed nothing."""
    kind, number = random.choice(["nothing", "probes", "others", "gone"]), 0
    size = random.choice([1_000, 2_000])

    def lie(method, key, query, fields):
        nonlocal number
        if "list-type" in query:
            number += 1
            names = {
                "nothing": [],
                "probes": [f"t/.emojiart-probe-1-{number}-{index}" for index in range(size)],
                "others": [f"t/{number}-{index}.txt" for index in range(size)],
                "gone": [f"t/{index}{ENDING}" for index in range(size)],
            }[kind]
            return 200, {}, listing([(name, '"x"') for name in names], None if kind == "gone" else f"t{number}")

    with StoreDouble(lie) as store:
        machine = Machine(folder, store, "one")
        machine.must("new", "bees")
        before = machine.files
        done = machine.sync(timeout=300)
        if fatal := died(done):
            return f"Y7: {fatal}: a listing of {kind}"
        if not done.returncode or done.stderr.count("\n") != 1:
            return f"Y7: a listing of {kind} ends with {done.returncode}, and says {done.stderr[-200:]!r}"
        if machine.files != before:
            return f"Y7: a listing of {kind} has changed the folder"
        if kind == "gone" and store.requests["GET"] > 200:
            return f"Y7: {store.requests['GET']} objects that are not there were asked for"


def attack_fields(random, folder):
    """A store sends large fields. `sync` says so, and not that the program is broken."""
    size = random.choice([8_193, 9_000, 20_000, 60_000])
    name = random.choice(["etag", "x-amz-meta-emojiart-state", "x-amz-bucket-region", "retry-after"])
    status = random.choice([200, 412, 503])

    def lie(method, key, query, fields):
        if method == "PUT":
            return status, {name: "a" * size}, b""

    with StoreDouble(lie) as store:
        machine = Machine(folder, store, "one")
        machine.must("new", "bees")
        done = machine.sync(timeout=120)
        if fatal := died(done):
            return f"Y7: {fatal}: {name} of {size} bytes"
        if not done.returncode or "install" in done.stderr or done.stderr.count("\n") != 1:
            return f"Y7: {name} of {size} bytes ends with {done.returncode}, and says {done.stderr[-200:]!r}"


def attack_versions_only(random, folder):
    """Machines name and remove versions, and edit nothing. In the end all have the same versions, and the same files."""
    with StoreDouble() as store:
        machines = [Machine(folder, store, name) for name in ("one", "two", "three")[: random.randint(2, 3)]]
        machines[0].must("new", "bees")
        machines[0].must("add", "bees", "🐝")
        for machine in machines:
            if status := machine.sync().returncode:
                return f"Y8: the first `sync` ends with {status}"
        expected, number, tried = set(), 0, 0
        for _ in range(random.randint(2, 8)):
            machine = random.choice(machines)
            there = machine.versions
            if there and random.random() < 0.4:
                name = random.choice(sorted(there))
                machine.must("version", "bees", "--remove", name)
                expected.discard(name)
            else:
                number += 1
                machine.must("version", "bees", f"draft {number}")
                expected.add(f"draft {number}")
            # The control: what was not sent, nobody else has.
            others = [other for other in machines if other is not machine]
            tried += any(other.versions != machine.versions for other in others)
            if random.random() < 0.6:
                done = machine.sync()
                if done.returncode or not done.stdout:
                    return f"Y8: a version alone is not sent: {done.returncode} {done.stderr.strip()[-150:]!r}"
            if random.random() < 0.1:
                # The record may be lost.
                shutil.rmtree(os.path.join(machine.environment["EMOJIART_STATE"], "buckets"), ignore_errors=True)
        if not tried:
            raise RuntimeError("no machine ever lacked a version: the check finds nothing")
        for _ in range(4):
            said = [machine.sync().stdout for machine in machines]
        if any(said):
            return f"Y8: machines do not come to rest: {said}"
        for machine in machines:
            if machine.versions != expected:
                return f"Y8: a machine has the versions {sorted(machine.versions)}, and {sorted(expected)} were named"
            if machine.files != machines[0].files or store.objects["t/bees.emojiart"] != machine.files["bees.emojiart"]:
                return "Y8: the files differ"


def attack_odd_names(random, folder):
    """Documents have odd names. Each is received by another machine, or told and not sent."""
    pieces = [".", "-", " ", "\n", "\t", "\x1b[31m", "\x7f", "\u202e", "\u0085", "ü", "u\u0308", "🐝", "%2e", "a", "b", "?", "#", "&", "'", '"', "\\"]
    with StoreDouble() as store:
        one, two = Machine(folder, store, "one"), Machine(folder, store, "two")
        one.must("new", "bees")
        data = one.files.pop("bees.emojiart")
        names = set()
        for _ in range(random.randint(1, 6)):
            stem = "".join(random.choice(pieces) for _ in range(random.randint(1, 4)))
            if random.random() < 0.2:
                stem = random.choice(["x.sync-conflict-20261122-131350-GT4PTP5", "bees.sync-conflict-20261122-131350-GT4PTP5"])
            if stem not in ("bees",):
                names.add(stem + ENDING)
        for name in sorted(names):
            with open(os.path.join(one.art, name), "wb") as file:
                file.write(data)
        sent, received = one.sync(), two.sync()
        if fatal := died(sent) or died(received):
            return f"Y8: {fatal}"
        for line in (sent.stdout + sent.stderr + received.stdout + received.stderr).split("\n"):
            if any(ord(letter) < 32 or letter in "\x7f\u0085\u202e" for letter in line):
                return f"C6: {line!r} is written to a terminal"
        for name in sorted(names):
            told = sent.stderr.count("\n")
            copy = name.startswith("bees.sync-conflict")
            if name not in two.files and not copy and not told:
                return f"Y8: {name!r} reached no other machine, and nothing is said"
        lacking = [name for name in names if name not in two.files and not name.startswith("bees.sync-conflict")]
        if len(lacking) != sent.stderr.count("\n") or bool(lacking) != bool(sent.returncode):
            return f"Y8: {lacking} were not carried, and `sync` ({sent.returncode}) says {sent.stderr[-300:]!r}"
        if [key for key in store.objects if key.removeprefix("t/") in lacking]:
            return f"Y8: what is told not to be carried was sent: {sorted(store.objects)}"


def attack_blocked_output(random, folder):
    """Whoever reads the lines of `sync --watch` has gone, or has no room. It ends."""
    with StoreDouble() as store:
        machine = Machine(folder, store, "one")
        machine.must("new", "bees")
        with open("/dev/full", "wb") as full:
            child = folder.start(
                *sync_words(store, machine.art, "--watch", *(["--json"] if random.random() < 0.5 else [])),
                environment=machine.environment, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
            try:
                _, said = child.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                raise Hung("`sync --watch` goes on although nobody gets its lines") from None
        if child.returncode != 74 or said.count(b"\n") != 1:
            return f"C2: `sync --watch` with a full stdout ends with {child.returncode}: {said[-150:]!r}"
        if "t/bees.emojiart" not in store.objects:
            return "Y8: the document was not sent"
