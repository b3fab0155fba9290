# SPDX-License-Identifier: Apache-2.0
"""Attacks on the file of a document, and on the rollback journal beside it."""

import fcntl
import glob
import os
import json
import sqlite3
import struct
import subprocess
import time

from . import MAGIC, PENDING, Missed, added, died, ids, read, size_of, state_folder, strangers, until, write


def cut_short(random, folder, document, *words):
    """Kills an edit at one of its writes to the document, which leaves a rollback journal."""
    for number in (random.randrange(1, 8), 2, 1):
        inject = f"inject=pwrite64:signal=KILL:when={number}"
        folder.run(
            *words,
            inside=["strace", "-qq", "-f", "-o", "/dev/null", "-P", document, "-e", "trace=pwrite64", "-e", inject],
        )
        if os.path.exists(document + "-journal"):
            return
    raise Missed("no kill left a rollback journal")


snapshots = {}


def earlier_saves(random, folder):
    """The bytes of a document with free pages after each of seven saves, made once for each size."""
    count = random.choice([200, 600, 1200])
    if count not in snapshots:
        document = folder.new("history", emoji="")
        folder.feed(
            document, [{"add": {"text": "🐝", "x": k % 900, "y": 1}} for k in range(count)], "--autosave-changes", "400"
        )
        folder.feed(document, [{"add": {"texts": ["🐛"] * 400}}])
        names = sorted(ids(folder.emoji(document)))
        # These push the large entries out of the log: their pages are free then.
        folder.feed(document, [{"move": {"ref": names[k % len(names)], "to": [k % 900, 5]}} for k in range(1050)])
        saves = [read(document)]
        for k in range(6):
            folder.must("add", document, *["🌻"] * 12, "--at", f"{k},{k}")
            saves.append(read(document))
        snapshots[count] = saves
    return snapshots[count]


def free_list(data):
    """The first trunk page of the free list, and the pages that it names."""
    (trunk,) = struct.unpack(">I", data[32:36])
    if trunk == 0:
        return 0, []
    at = (trunk - 1) * 4096
    (count,) = struct.unpack(">I", data[at + 4 : at + 8])
    return trunk, list(struct.unpack(f">{count}I", data[at + 8 : at + 8 + 4 * count]))


def attack_free_list(random, folder):
    """A page of the free list is as it was some saves ago, or names a page in use; then `add`. Nothing answered is lost."""
    saves = earlier_saves(random, folder)
    good, old = saves[-1], random.choice(saves[:-1])
    trunk, free = free_list(good)
    data, how = bytearray(good), random.choice(["trunk", "trunk", "named", "named", "any"])
    pages = len(good) // 4096
    if how == "named" and free:
        page = random.choice([n for n in range(2, pages + 1) if n != trunk and n not in free])
        at = (trunk - 1) * 4096 + 8 + 4 * random.randrange(max(0, len(free) - 4), len(free))
        data[at : at + 4] = struct.pack(">I", page)
    else:
        stale = [
            n
            for n in range(2, min(pages, len(old) // 4096) + 1)
            if old[(n - 1) * 4096 : n * 4096] != good[(n - 1) * 4096 : n * 4096]
        ]
        page = trunk if how == "trunk" and trunk in stale else random.choice(stale)
        data[(page - 1) * 4096 : page * 4096] = old[(page - 1) * 4096 : page * 4096]
    write(folder.at("good.emojiart"), good)
    write(document := folder.at("bees.emojiart"), data)
    before = folder.emoji(folder.at("good.emojiart"))
    shown = folder.emoji(document)
    if shown is not None and shown != before:
        return f"F7: with page {page} of an earlier save `show` answers 0 and shows something else"
    checked = folder.run("check", document).returncode
    if how == "named" and checked == 0:
        return f"F8: `check` says ok of a free list that names page {page}, which is in use"
    there = ids(before)
    for turn in range(8):
        done = folder.run("add", document, *["🐞"] * random.choice([1, 12, 60]), "--at", f"{turn},{turn}", "--json")
        there |= added(done)
        after = folder.emoji(document)
        if after is None and shown is not None:
            return (
                f"F7: after {turn + 1} `add` (status {done.returncode}) `show` refuses it; `check` had said {checked}"
            )
        if after is not None and there - ids(after):
            return f"F7: {len(there - ids(after))} emoji are lost after {turn + 1} `add`; `check` had said {checked}"


def attack_order_index(random, folder):
    """Two entries of the index of the order are exchanged. What is added or put to the front is in front, or refused."""
    document = folder.new(
        "bees", emoji=random.sample(["🐝", "🌸", "🐛", "🐞", "🌻", "🐜", "🦋", "🐢", "🐙"], random.randrange(3, 10))
    )
    connection = sqlite3.connect(f"file:{document}?mode=ro", uri=True)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'emoji_z'").fetchone()
    connection.close()
    data, at = bytearray(read(document)), (root - 1) * 4096 + 8
    (count,) = struct.unpack(">H", data[at - 5 : at - 3])
    one, other = random.sample(range(count), 2)
    entries = [data[at + 2 * k : at + 2 * k + 2] for k in range(count)]
    entries[one], entries[other] = entries[other], entries[one]
    data[at : at + 2 * count] = b"".join(entries)
    write(document, data)
    before = folder.emoji(document)
    if before is None:
        return None
    front = random.random() < 0.5
    name = random.choice(before)["id"]
    done = folder.run("order", document, name, "--front") if front else folder.run("add", document, "🐢", "--json")
    if done.returncode:
        return None
    after = folder.emoji(document)
    top = name if front else added(done).pop()
    if after is None or after[-1]["id"] != top:
        return f"{'M11' if front else 'M11'}: `{done.args[0]}` answers 0, and the emoji is not in front of the others"


def attack_other_names(random, folder):
    """A save is killed, and its file edited by another name: hard link, bind mount, renamed and back. Answered edits stay."""
    there, here = folder.new("a/bees", emoji=["🐝", "🌸", "🐛"]), folder.at("b", "bees.emojiart")
    os.mkdir(folder.at("b"))
    way = random.choice(["hard link", "rename", "bind mount of the file", "bind mount of the folder and a rename"])
    if way == "hard link":
        os.link(there, here)
    elif way == "bind mount of the file":
        write(here, b"")
        folder.mount("--bind", there, here)
    elif "folder" in way:
        folder.mount("--bind", folder.at("a"), folder.at("b"))
        here = folder.at("b", "wasps.emojiart")
    cut_short(random, folder, there, "add", there, *["🐜"] * random.randrange(1, 40))
    if "rename" in way:
        os.rename(there, folder.at("a", "wasps.emojiart") if "folder" in way else here)
    answered = set()
    for _ in range(random.randrange(1, 4)):
        answered |= added(folder.run("add", here, "🌻", "--json"))
    if "rename" in way:
        os.rename(folder.at("a", "wasps.emojiart") if "folder" in way else here, there)
    folder.run("show", there)
    done = folder.run("add", there, "🐞")
    after = folder.emoji(there)
    if after is None:
        numbers = f"{len(answered)} answered, then `add` said {done.returncode}"
        return f"F14: by {way}: after a killed save no `show` reads the document ({numbers})"
    if answered - ids(after):
        return f"F25: by {way}: {len(answered - ids(after))} answered edits were rolled back"


def links(process):
    """What a process has open."""
    found = []
    for link in glob.glob(f"/proc/{process}/fd/*"):
        try:
            found.append(os.readlink(link))
        except OSError:
            pass
    return found


def attack_reserved(random, folder):
    """A stranger holds RESERVED, with an older save's journal or one that names another file, and lets go beside an edit."""
    document, precious = folder.new("shared/bees"), folder.at("thesis.txt")
    write(precious, b"four years of work\n")
    naming = random.random() < 0.5
    if naming:
        name = precious.encode()
        page = struct.pack(">I", PENDING // 4096 + 1)
        journal = (MAGIC + struct.pack(">IIIII", 0, 0x1234, os.stat(document).st_size // 4096, 512, 4096)).ljust(
            512, b"\0"
        )
        journal += page + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    else:
        good = read(document)
        cut_short(random, folder, document, "add", document, *["🐜"] * random.randrange(1, 40))
        journal = read(document + "-journal")
        os.remove(document + "-journal")
        write(document, good)
        for k in range(random.randrange(1, 5)):
            folder.must("add", document, "🌻")
    before = ids(folder.emoji(document))
    command = random.choice(
        [["add", document, "🌸"], ["move", document, "🐝", "--by", "1,1"], ["undo", document], ["edit", document]]
    )
    file = os.open(document, os.O_RDWR)
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, PENDING + 1)
    write(document + "-journal", journal)
    victim = folder.start(*command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    victim.stdin.write("add 🌸\n".encode())
    victim.stdin.close()
    until(
        lambda: victim.poll() is not None or any(link.startswith(document) for link in links(victim.pid)),
        what="a victim that opens the document",
    )
    time.sleep(random.random() * 2)
    os.close(file)
    try:
        status = victim.wait(30)
    except subprocess.TimeoutExpired:
        return f"F19: `{command[0]}` waits for ever beside a journal"
    if not os.path.exists(precious):
        return f"F24: `{command[0]}` (status {status}) deleted the file that a journal names"
    after = folder.emoji(document)
    if after is None or (before - ids(after) if command[0] != "undo" else False):
        return f"F23: `{command[0]}` (status {status}) had an old journal played back into a whole document"


def attack_journal_names(random, folder):
    """A file that is not a journal has a journal's name: a document, or a hard link to something precious. Its bytes stay."""
    document = folder.new("art")
    # Called `art`, so that another document may be called `art-journal`.
    os.rename(document, document := folder.at("art"))
    journal, precious = folder.at("art-journal"), folder.at("precious")
    kind = random.choice(["document", "link"])
    if kind == "document":
        os.rename(folder.new("other", emoji=["🌸"] * random.randrange(1, 30)), journal)
        os.link(journal, precious)
    else:
        write(
            precious,
            random.choice([b"\0", b"\0\0\0\x20ftypmp42", MAGIC, b"PK"])
            + random.randbytes(random.choice([1, 600, 9000])),
        )
        os.link(precious, journal)
    bytes_before = read(precious)
    if kind == "document" and random.random() < 0.5:
        os.remove(precious)
    command = random.choice(
        [
            ["add", "./art", "🐛"],
            ["move", "./art", "🐝", "--by", "1,1"],
            ["undo", "./art"],
            ["edit", "./art"],
            ["show", "./art"],
        ]
    )
    done = folder.run(*command, cwd=folder.path, input="add 🐛\n")
    if fatal := died(done):
        return f"F26: {fatal}"
    if (
        not os.path.exists(journal)
        or read(journal) != bytes_before
        or os.path.exists(precious)
        and read(precious) != bytes_before
    ):
        return f"F26: `{command[0]}` ({done.returncode}) moved or overwrote a {kind} that is called as a journal"


def attack_sticky(random, folder):
    """A stranger, who may not write the document, leaves a large journal in a sticky folder. The owner's disk does not fill."""
    owner, stranger = strangers(random, folder)
    state = state_folder(folder, "owner", owner)
    os.chmod(folder.at("tmp"), 0o1777)
    os.mkdir(folder.at("shared"))
    os.chmod(folder.at("shared"), 0o1777)
    document = folder.new("shared", "bees", state=state, user=owner)
    size = random.choice([1 << 20, 4 << 20, 8 << 20])
    write(
        document + "-journal",
        random.choice([b"x", MAGIC + b"\0\0\0\1", b"\0", b"SQLite format 3\0"]).ljust(16, b"\1") + b"x" * size,
    )
    os.chown(document + "-journal", stranger, stranger)
    os.chmod(document + "-journal", random.choice([0o644, 0o666, 0o600]))
    told = []
    for _ in range(3):
        done = folder.run(
            *random.choice([["add", document, "🐛"], ["move", document, "🐝", "--by", "1,1"], ["undo", document]]),
            user=owner,
            state=state,
        )
        told.append(done.stderr)
    copied = size_of(state) + size_of(folder.at("tmp"))
    if copied >= size:
        return f"F26: {copied >> 10} KiB of a stranger's journal of {size >> 10} KiB are in the owner's folders"
    if not all(str(stranger) in words for words in told):
        return f"F26: a stranger's journal is not named with its owner: {told[0].strip()[-120:]}"


def attack_set_aside(random, folder):
    """The same bytes lie as a journal again and again. They are kept once."""
    document = folder.new("bees")
    junk = random.choice([b"x", b"PK", MAGIC]) + random.randbytes(random.choice([5000, 200000]))
    turns = random.randrange(2, 6)
    for _ in range(turns):
        write(document + "-journal", junk)
        folder.run("add", document, "🐛")
        if os.path.exists(document + "-journal"):
            return None
    kept = sum(
        read(path) == junk for path in glob.glob(folder.at("state", "**"), recursive=True) if os.path.isfile(path)
    )
    if kept > 1:
        return f"F10: {kept} copies of the same {len(junk)} bytes are set aside after {turns} edits"


def attack_private_copies(random, folder):
    """Readers are killed while they have a private copy. The next program that makes one takes it away."""
    document = folder.new("bees", emoji=["🌸"] * random.choice([50, 400]))
    for _ in range(4):
        calls, number = random.choice(
            [
                ("unlink,unlinkat", 1),
                ("rmdir,unlinkat", 1),
                ("fcntl", random.randrange(5, 40)),
                ("pread64", random.randrange(10, 80)),
            ]
        )
        folder.run(
            "check",
            document,
            inside=[
                "strace",
                "-qq",
                "-f",
                "-o",
                "/dev/null",
                "-e",
                f"trace={calls}",
                "-e",
                f"inject={calls}:signal=KILL:when={number}",
            ],
        )
    if not os.listdir(folder.at("tmp")):
        raise Missed("no kill left a private copy")
    folder.must("check", document)
    if os.listdir(folder.at("tmp")):
        return f"F27: {len(os.listdir(folder.at('tmp')))} private copies of killed readers lie in TMPDIR for ever"


def attack_acl(random, folder):
    """A file with an access control list is written anew. It has the same list, and nobody has more rights."""
    target = random.choice(["check", "check", "render", "export"])
    path = folder.new("bees", emoji=["🐝", "🌸"])
    file = {"check": path, "render": folder.at("a.png"), "export": folder.at("a.json")}[target]
    words = {
        "check": ["check", path, "--repair", "--yes"],
        "render": ["render", path, "-o", file],
        "export": ["export", path, "--format", "json", "-o", file],
    }[target]
    if target == "check":
        data = bytearray(read(path))
        data[data.index(b'{"size":40') + 8] ^= 1
        write(path, data)
    else:
        folder.must(*words)
    os.chmod(file, random.choice([0o600, 0o640, 0o604, 0o660]))
    rights = ["-", "r", "rw", "w"]
    entries = [
        f"{kind}:{random.randrange(20000, 60000)}:{random.choice(rights)}"
        for kind in random.choices(["u", "g"], k=random.randrange(1, 4))
    ]
    entries += [f"m::{random.choice(rights)}"] if random.random() < 0.5 else []
    subprocess.run(["setfacl", "-m", ",".join(entries), file], check=True)
    rights_before = subprocess.run(["getfacl", "-cnpE", file], capture_output=True, text=True, check=True).stdout
    done = folder.run(*words)
    rights_after = subprocess.run(["getfacl", "-cnpE", file], capture_output=True, text=True, check=True).stdout
    if rights_after != rights_before:
        rights = f"{' '.join(rights_before.split())} to {' '.join(rights_after.split())}"
        return f"F21: `{target}` ({done.returncode}) changes {rights}"


def attack_log_reads(random, folder):
    """The oldest entry of the log is large. A save does not read it."""
    document, other = folder.new("bees", emoji=""), folder.new("few", emoji="")
    folder.must(
        "edit", document, "--json", input=json.dumps({"add": {"texts": ["🐛"] * random.choice([4000, 12000])}}) + "\n"
    )

    def reads(path):
        trace = folder.at("trace")
        folder.must("add", path, "🌸", inside=["strace", "-qq", "-f", "-o", trace, "-P", path, "-e", "trace=pread64"])
        return len(read(trace).splitlines())

    few, many = reads(other), reads(document)
    if many > 4 * few + 20:
        return f"F22: an `add` after a large edit reads {many} times, and {few} times in a small document"
