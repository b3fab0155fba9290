# SPDX-License-Identifier: Apache-2.0
"""What `emojiart sync` must refuse, ignore, report or survive: broken stores, wrong keys, bad objects, odd names, and one fault at each request."""

import collections
import dataclasses
import itertools
import pathlib
import urllib.parse

from tool import commit
from torturing import Hung
from torturing.faults import FITTING, FaultProxy
from torturing.store import Store, prepared_python

PROBE = ".emojiart-probe-"
ABOVE = "." * 2  # the folder above
SWEEP_PATIENCE = 30  # seconds for one `sync` that meets one fault
ENDING = ".emojiart"
UNUSABLE, NOT_PERMITTED, NOT_FOUND, BAD_DATA = 69, 77, 66, 65
ODD_NAMES = [
    "ümläut", "u\u0308ber", "🐝 bee", "👩‍👩‍👧 family", "a b", " space before", "a+b", "50%", "100%25", "%2e%2e", "it's",
    'say "hi"', "a&b=c", "<tag>", "semi;colon", "q?uery", "hash#", "back\\slash", "star*", "tilde~", "comma,(1)", "dots..", "-dash", "日本語", "x" * 200,
]  # fmt: skip
# What is made of a document's bytes. The last one overwrites what the first table holds, and not the table itself.
DAMAGES = {
    "bad1": lambda data: b"this is no document",
    "bad2": lambda data: b"",
    "bad3": lambda data: data[: len(data) // 2],
    "bad4": lambda data: data[:4096] + bytes(len(data) - 4096),
    "bad5": lambda data: data[:8108] + b"\xff" * 84 + data[8192:],
}
# Objects below the prefix whose names are not those of documents.
IGNORED_NAMES = [
    f"{ABOVE}/x.emojiart", f"{ABOVE}/{ABOVE}/x.emojiart", ".hidden.emojiart", ".emojiart", "a/b.emojiart", "/root.emojiart", "bell\x07.emojiart",
    "line\nbreak.emojiart",
    "escape\x1b[2J.emojiart", "turned\u202e.emojiart", "n" * 291 + ".emojiart", "ü" * 130 + ".emojiart", "folder.emojiart/", "text.txt",
    "UPPER.EMOJIART",
    "journal.emojiart-journal", "none",
]  # fmt: skip


class Machine:
    """A client without faults, whose requests are noted."""

    def __init__(self, folder, store, name, prefix):
        self.folder, self.store, self.prefix = folder, store, prefix
        self.root = pathlib.Path(folder.at(name))
        self.art = self.root / "above" / "art"
        self.art.mkdir(parents=True)
        (self.root / "state").mkdir(mode=0o700)
        self.proxy = FaultProxy(store.endpoint, name, rates={})

    def __enter__(self):
        self.proxy.__enter__()
        return self

    def __exit__(self, *words):
        self.proxy.__exit__(*words)

    def environment(self, **more):
        key = {"AWS_ACCESS_KEY_ID": self.store.key_id, "AWS_SECRET_ACCESS_KEY": self.store.secret, "AWS_REGION": self.store.region, **more}
        return self.folder.environment(str(self.root / "state"), **{name: value for name, value in key.items() if value is not None})

    def new(self, *names):
        """Documents with an emoji each; their bytes."""
        for name in names:
            self.folder.must("new", "./" + name, cwd=self.art, environment=self.environment())
            self.folder.must("add", "./" + name + ENDING, "🐝", cwd=self.art, environment=self.environment())
        return {name: (self.art / (name + ENDING)).read_bytes() for name in names}

    def sync(self, *more, bucket=None, timeout=60, **variables):
        location = f"s3://{bucket or self.store.bucket}/{self.prefix}"
        words = ["sync", str(self.art), location, "--endpoint", self.proxy.endpoint, *more]
        return self.folder.run(*words, environment=self.environment(**variables), timeout=timeout)

    @property
    def files(self):
        """All that is below the folder of this machine, but for its state."""
        return {str(path.relative_to(self.art)): path.read_bytes() for path in self.art.rglob("*") if path.is_file()}

    @property
    def strays(self):
        """What lies above the documents' folder."""
        above = [path for path in self.art.parent.parent.rglob("*") if path.is_file()]
        return [str(path) for path in above if self.art not in path.parents and self.root / "state" not in path.parents]

    @property
    def written(self):
        """The objects that a PUT or a DELETE was for."""
        return [path for method, path, _ in self.proxy.requests if method in ("PUT", "DELETE")]


@dataclasses.dataclass
class Inquiry:
    """One case: what was found wrong in it."""

    name: str
    broken: list[str]

    def check(self, holds, sentence):
        if not holds:
            self.broken.append(sentence)

    def ended(self, done, status, *words):
        """Looks at how a `sync` ended, and for words in what it said."""
        said = done.stderr.strip()
        self.check(done.returncode == status, f"it ends with {done.returncode}, not {status}: {said[-200:]}")
        for word in words:
            self.check(word in said, f"\"{word}\" is not in what it says")


class Refusals:
    """The cases, each with a prefix and machines of its own."""

    def __init__(self, store, folder):
        self.store, self.folder, self.cases = store, folder, []

    def begin(self, name):
        self.cases.append(Inquiry(name, []))
        return self.cases[-1], f"{len(self.cases)}/"

    def machine(self, prefix, number=1, store=None):
        return Machine(self.folder, store or self.store, f"{prefix.rstrip('/')}.{number}", prefix)

    # MARK: Stores

    def unchecked(self, python, ignored, has_conditions, *options):
        """A store that does not check conditions."""
        what = f"a store that ignores {' and '.join(ignored)}" if has_conditions else "a store without conditions"
        case, prefix = self.begin(" ".join([what, *options]))
        with Store.moto(python, ignored, has_conditions) as store, self.machine(prefix, store=store) as machine:
            data = machine.new("bees")["bees"]
            store.put(prefix + "other.emojiart", data)
            before = machine.files
            case.ended(machine.sync(*options), UNUSABLE, "cannot be used")
            others = [path for path in machine.written if PROBE not in path]
            case.check(machine.written, "it has not tried the store")
            case.check(not others, f"it has written {others}")
            case.check(store.objects() == {prefix + "other.emojiart": data}, f"the bucket has {store.keys()}")
            case.check(machine.files == before, f"the folder has {sorted(machine.files)}")

    def refused_key(self, what, status, word, bucket=None, **variables):
        case, prefix = self.begin(what)
        with self.machine(prefix) as machine:
            machine.new("bees")
            before = machine.files
            done = machine.sync(bucket=bucket, **variables)
            case.ended(done, status, word)
            secrets = [self.store.secret, variables.get("AWS_SECRET_ACCESS_KEY") or self.store.secret]
            case.check(not any(secret in done.stdout + done.stderr for secret in secrets), "it says the secret")
            case.check(not self.store.keys(prefix), f"the bucket has {self.store.keys(prefix)}")
            case.check(machine.files == before, f"the folder has {sorted(machine.files)}")

    # MARK: Objects

    def bad_objects(self):
        """Objects that are not documents, or damaged ones, or other documents; each without and with a document of its name in the folder."""
        case, prefix = self.begin("bad objects")
        with self.machine(prefix) as first, self.machine(prefix, 2) as second:
            good = first.new(*DAMAGES, "good1", "good2")
            # Without a document in the folder, those of another client are damaged.
            others = second.new(*DAMAGES, "good3")
            objects = {name: damage(good[name]) for name, damage in DAMAGES.items()}
            objects |= {f"only{name}": damage(others[name]) for name, damage in DAMAGES.items()}
            bad = list(objects)
            objects["good3"] = others["good3"]
            objects["good2"] = good["good2"]
            for name, data in objects.items():
                self.store.put(prefix + name + ENDING, data)
            before = first.files
            done = first.sync()
            case.ended(done, BAD_DATA, *[f"{name}{ENDING}: " for name in bad])
            for name in ("good1", "good2", "good3"):
                case.check(f"{name}{ENDING}: " not in done.stderr, f"{name} is reported, too")
            after, there = first.files, self.store.objects(prefix)
            case.check({name: after.get(name) for name in before} == before, "a document was changed")
            case.check(after.keys() - before.keys() == {"good3.emojiart"}, f"new in the folder: {sorted(after.keys() - before.keys())}")
            changed = [name for name, data in objects.items() if there.get(name + ENDING) != data]
            case.check(not changed, f"overwritten: {changed}")
            case.check(there.get("good1.emojiart") == good["good1"], "a good document was not sent")
            # Where the objects are good again, all goes on.
            for name in DAMAGES:
                self.store.put(prefix + name + ENDING, good[name])
                self.store.delete(prefix + "only" + name + ENDING)
            case.ended(first.sync(), 0)
            case.check({name: data for name, data in self.store.objects(prefix).items()} == first.files, "the folder and the bucket differ in the end")

    def other_document(self):
        """Two documents of one name that are not copies of each other."""
        case, prefix = self.begin("an object that is another document")
        with self.machine(prefix) as first, self.machine(prefix, 2) as second:
            first.new("bees", "good1")
            second.new("bees", "good2")
            case.ended(first.sync(), 0)
            before, objects = second.files, self.store.objects(prefix)
            case.ended(second.sync(), BAD_DATA, "bees.emojiart: ")
            case.check(second.files == {**before, "good1.emojiart": objects["good1.emojiart"]}, "the folder has changed otherwise")
            expected = {**objects, "good2.emojiart": before["good2.emojiart"]}
            case.check(self.store.objects(prefix) == expected, "the bucket has changed otherwise")

    # MARK: Names

    def odd_names(self):
        case, prefix = self.begin("odd names")
        with self.machine(prefix) as first, self.machine(prefix, 2) as second:
            first.new(*ODD_NAMES)
            case.ended(first.sync(), 0)
            case.check(set(self.store.keys(prefix)) == {prefix + name + ENDING for name in ODD_NAMES}, "the objects have other names")
            case.ended(second.sync(), 0)
            missing = sorted(first.files.items() ^ second.files.items())
            case.check(not missing, f"the folders differ: {[name for name, _ in missing]}")
            for name in ODD_NAMES:
                self.folder.must("add", "./" + name + ENDING, "🌸", cwd=second.art, environment=second.environment())
            case.ended(second.sync(), 0)
            case.ended(first.sync(), 0)
            objects = self.store.objects(prefix)
            case.check(first.files == second.files == objects, "the folders and the bucket differ after edits")
            case.check(all(len(self.folder.emoji(first.art / name)) == 2 for name in objects), "edits are missing")

    def ignored_names(self):
        case, prefix = self.begin("names that are ignored")
        with self.machine(prefix) as machine:
            data = machine.new("bees")["bees"]
            tried = []
            for name in IGNORED_NAMES:
                status, _, _ = self.store.request("PUT", prefix + name, body=data)
                tried += [name] if status == 200 else []
            before, objects = machine.files, self.store.objects()
            case.check(len(tried) >= len(IGNORED_NAMES) - 2, f"the store takes only {tried}")
            done = machine.sync()
            case.ended(done, 0)
            told = done.stderr.count("\n") == 1 and "left out" in done.stderr
            case.check(done.stdout == "bees.emojiart: sent\n" and told, f"it says {done.stdout!r} {done.stderr!r}")
            case.check(machine.files == before, f"new in the folder: {sorted(machine.files.keys() - before.keys())}")
            case.check(not machine.strays, f"written outside of the folder: {machine.strays}")
            objects[prefix + "bees.emojiart"] = data
            case.check(self.store.objects() == objects, "objects were changed")

    def many(self):
        """More objects than one page of a listing has."""
        case, prefix = self.begin("1,100 objects")
        with self.machine(prefix) as machine, self.machine(prefix, 2) as second:
            data = machine.new("bees")["bees"]
            for number in range(1_100):
                self.store.put(f"{prefix}{number:04}.txt", b"x")
            self.store.put(prefix + "zzz.emojiart", data)
            case.ended(second.sync(), 0)
            case.check(second.files == {"zzz.emojiart": data}, f"the folder has {sorted(second.files)}")


def sweep(options, store, folder):
    """One `sync` after the other meets one fault at its 1st, 2nd, nth request, of each kind, until it has no more requests. All must be done."""
    broken, tried = collections.Counter(), collections.Counter()
    with Machine(folder, store, "left", "template/") as left, Machine(folder, store, "right", "template/") as right:
        left.new("both")
        left.sync()
        right.sync()
        right.new("received")
        left.new("sent")
        for machine in (left, right):
            folder.must("add", "both", "🌸", cwd=machine.art, environment=machine.environment())
        documents, objects = left.files, right.files
    for kind in FITTING:
        for number in itertools.count(1):
            name = f"{kind} {number}".replace(" ", "-")
            with Machine(folder, store, name, f"{name}/") as machine:
                for document, data in documents.items():
                    (machine.art / document).write_bytes(data)
                for document, data in objects.items():
                    store.put(machine.prefix + document, data)
                machine.proxy.plan(kind, number)
                wrong, asked = one_of_sweep(machine, kind)
                if machine.proxy.planned:
                    break
                tried[kind] += machine.proxy.counts[kind]
                for sentence in wrong:
                    print(f"  broken: {kind} at request {number}, {asked}: {sentence}", flush=True)
                    broken[kind] += 1
    kinds = ", ".join(f"{kind} {count}" for kind, count in tried.items())
    print(f"Y6 sweep on {store.name}, {commit()}: {tried.total()} faults ({kinds}), {broken.total()} broken", flush=True)
    return 1 if broken else 0


def one_of_sweep(machine, kind):
    """What was wrong with one `sync`, and which request met the fault."""
    wrong = []
    try:
        done = machine.sync(timeout=SWEEP_PATIENCE)
        if done.returncode:
            wrong.append(f"it ends with {done.returncode}: {done.stderr.strip()[-200:]}")
    except Hung as error:
        wrong.append(str(error))
    there, prefix = machine.store.objects(machine.prefix), f"/{machine.store.bucket}/{machine.prefix}"
    probes = [name for name in there if PROBE in name]
    if probes:
        wrong.append("the object by which it tried the store is left")
    if not wrong:
        emoji = machine.folder.emoji(machine.art / "both.emojiart", environment=machine.environment()) or []
        if there != machine.files or len(there) != 3 or len(emoji) != 3:
            wrong.append(f"the folder has {sorted(machine.files)}, the bucket {sorted(there)}, the merged document {len(emoji)} emoji")
    met = machine.proxy.met
    return wrong, f"{met[0]} {urllib.parse.unquote(met[1]).removeprefix(prefix)}" if met else "none"


def refusals(options, store, folder):
    """Runs all cases, prints what is broken, and returns the status."""
    found = Refusals(store, folder)
    if store.name == "moto":
        python = prepared_python()
        for ignored, has_conditions in (["If-Match", "If-None-Match"], True), (["If-None-Match"], True), (["If-Match"], True), ([], False):
            found.unchecked(python, ignored, has_conditions)
        found.unchecked(python, ["If-Match", "If-None-Match"], True, "--watch")
    else:
        print(f"not tried on {store.name}: stores that do not check conditions, which are made of moto only")
    found.refused_key("a wrong secret", NOT_PERMITTED, "does not permit", AWS_SECRET_ACCESS_KEY="wrong-secret-0123456789")
    found.refused_key("a wrong key id", NOT_PERMITTED, "does not permit", AWS_ACCESS_KEY_ID="WRONGKEY")
    found.refused_key("no key", NOT_PERMITTED, "AWS_ACCESS_KEY_ID", AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
    found.refused_key("half a key", BAD_DATA, "set both", AWS_SECRET_ACCESS_KEY=None)
    found.refused_key("a missing bucket", NOT_FOUND, "no bucket", bucket="missing-bucket")
    for case in (found.bad_objects, found.other_document, found.odd_names, found.ignored_names, found.many):
        case()
    broken = 0
    for case in found.cases:
        for sentence in case.broken:
            print(f"  broken: {case.name}: {sentence}", flush=True)
            broken += 1
    print(f"Y6 refusals on {store.name}, {commit()}: {len(found.cases)} cases, {broken} broken", flush=True)
    return 1 if broken else 0
