# SPDX-License-Identifier: Apache-2.0
"""Attacks on what is merged by itself: what a neighbour plants beside a document, and what comes and goes while the guard works."""

import json
import os
import shutil
import subprocess
import sys
import time

from . import Missed, Skipped, Stream, read, shared_world, state_folder, strangers, until

COPIES = [
    "{stem}.sync-conflict-20261122-131350-GT4PTP5.emojiart",
    "{stem}.sync-conflict-20261122-131350.emojiart",
    "{stem} (conflicted copy 2026-11-22 131350).emojiart",
    "{stem} (Ada's conflicted copy 2026-11-22).emojiart",
]


def shared_folder(random, folder):
    """A sticky folder of all, with a document that its owner alone may write; the owner, another user, and the owner's state."""
    owner, neighbour, state, home = shared_world(random, folder, "home", 0o1777)
    document = folder.new("shared", "bees", emoji=["🐝", "🌸"], state=state, user=owner)
    os.chmod(document, random.choice([0o644, 0o600, 0o640]))
    return owner, neighbour, state, home, document


def forged(folder, document, neighbour, target):
    """A copy of the document with everything of it replaced, at a path, as the neighbour's own."""
    # A conflict copy is not edited where it lies.
    made = folder.at("forged.emojiart")
    shutil.copy(document, made)
    folder.must("remove", made, "--all")
    folder.must("add", made, "💀", "--at", "5,5")
    os.chown(made, neighbour, neighbour)
    os.chmod(made, 0o644)
    os.rename(made, target)


def leftover_name(random):
    """The name that a killed merge into bees.emojiart gives what it leaves: the mark of that name, and random characters."""
    return ".q0zhdw2r3xgy-" + "".join(random.choice("0123456789abcdefghjkmnpqrstvwxyz") for _ in range(12)) + ".merging"


def content(folder, document, **how):
    return sorted(emoji["text"] for emoji in folder.emoji(document, **how) or [])


def merging(random, folder, document, owner, state):
    """Has the owner's programs merge by themselves, or merge something else; what they said."""
    how = random.choice(["watch", "watch", "merge", "other"])
    if how == "watch":
        watch = folder.start("watch", os.path.dirname(document), "--merge", user=owner, state=state, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # What it merges at its start is merged before it says that it watches, or soon after an event.
        time.sleep(1.5)
        folder.must("add", document, "🐛", "--at", "7,7", user=owner, state=state)
        time.sleep(1.0)
        watch.terminate()
        out, err = watch.communicate()
        return how, watch.returncode, out + err
    if how == "other":
        other = folder.at("home", "other.emojiart")
        shutil.copy(document, other)
        os.chown(other, owner, owner)
        folder.must("add", other, "🐛", "--at", "7,7", user=owner, state=state)
        done = folder.run("merge", document, other, user=owner, state=state)
    else:
        done = folder.run("merge", document, user=owner, state=state)
    return how, done.returncode, done.stdout + done.stderr


def attack_planted_copies(random, folder):
    """A neighbour plants a conflict copy or a leftover, his own or as a link to a private copy. Neither document changes, nothing is removed."""
    owner, neighbour, state, home, document = shared_folder(random, folder)
    private = os.path.join(home, "mine.emojiart")
    shutil.copy(document, private)
    os.chown(private, owner, owner)
    os.chmod(private, 0o600)
    folder.must("caption", private, "PRIVATE", user=owner, state=state)
    kind, what = random.choice(["copy", "leftover"]), random.choice(["own", "link", "hard link", "pipe"])
    name = random.choice(COPIES).format(stem="bees") if kind == "copy" else leftover_name(random)
    planted = folder.at("shared", name)
    if what == "own":
        forged(folder, document, neighbour, planted)
    elif what == "link":
        os.symlink(private, planted)
        os.chown(planted, neighbour, neighbour, follow_symlinks=False)
    elif what == "hard link":
        # Where the kernel protects them, this is what a careless owner does.
        os.link(private, planted)
    else:
        os.mkfifo(planted)
        os.chown(planted, neighbour, neighbour)
    before, secret = content(folder, document), read(private)
    how, status, words = merging(random, folder, document, owner, state)
    after = [text for text in content(folder, document) if text != "🐛"]
    if after != before:
        return f"Y9: a planted {kind} ({what}) has changed the document by {how}: {before} to {after}"
    if read(private) != secret:
        return f"Y10: {how} has changed or removed the file to which a planted {kind} ({what}) led"
    if not os.path.lexists(planted):
        return f"Y10: {how} has removed a planted {kind} ({what})"
    if how == "other" and status != 0:
        return f"Y9: a planted {kind} ({what}) makes another merge end with {status}: {words.strip()[-120:]}"
    # A watcher reports regular files only, and a pipe is in no list.
    looked = how == "merge" and what != "pipe" or how == "watch" and what in ("own", "hard link")
    if kind == "copy" and looked and name not in words:
        return f"Y9: a planted copy ({what}) is not told by {how}: {words.strip()[-160:]}"
    if how == "watch" and kind == "copy" and words.count("not merged by itself") > 1:
        return f"Y9: a planted copy is told {words.count('not merged by itself')} times"
    return None


def attack_own_copies(random, folder):
    """The control: a conflict copy and a leftover of the owner's own are merged and taken away."""
    owner, _, state, home, document = shared_folder(random, folder)
    planted = folder.at("shared", random.choice(COPIES).format(stem="bees"))
    shutil.copy(document, planted)
    os.chown(planted, owner, owner)
    os.chmod(planted, os.stat(document).st_mode & 0o777)
    folder.must("add", document, "🐞", "--at", "3,3", user=owner, state=state)
    apart = os.path.join(home, "apart.emojiart")
    os.rename(planted, apart)
    folder.must("add", apart, "🌻", "--at", "9,9", user=owner, state=state)
    os.rename(apart, planted)
    done = folder.run("merge", document, user=owner, state=state)
    if done.returncode or "🌻" not in content(folder, document) or os.path.exists(planted):
        return f"Y2: one's own conflict copy is not merged: {done.stderr.strip()[-160:]}"
    return None


# Exchanges two names all the time, and ends with what was at the first one there again.
EXCHANGES = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
one, other, end, pause = sys.argv[1].encode(), sys.argv[2].encode(), time.time() + float(sys.argv[3]), float(sys.argv[4])
def node(path):
    try:
        return os.lstat(path).st_ino
    except FileNotFoundError:
        return None
count, there = 0, node(other)
while time.time() < end:
    if not libc.renameat2(-100, one, -100, other, 2):
        count += 1
    if pause:
        time.sleep(pause)
if node(one) == there:
    libc.renameat2(-100, one, -100, other, 2)
print(count)
"""


def open_folder(random, folder):
    """A folder without the sticky bit in which everybody may write: the owner, another user, the owner's state and home."""
    return shared_world(random, folder, "home", 0o777)


def exchanging(random, folder, neighbour, one, other, work):
    """Does work again and again while the neighbour exchanges two names; how often that was."""
    seconds = random.choice([2, 4])
    swapper = folder.start(
        program=[sys.executable, "-c", EXCHANGES, one, other, str(seconds), str(random.choice([0, 0.0002, 0.002]))],
        user=neighbour,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while swapper.poll() is None:
        work()
    out, err = swapper.communicate()
    if err or int(out or 0) < 20:
        raise Missed(f"nothing was exchanged: {err.decode()[-100:]}")


def attack_exchanged_rights(random, folder):
    """A neighbour exchanges a private document with a file that all may read, while it is merged or repaired. It stays private."""
    owner, neighbour, state, home = open_folder(random, folder)
    document = folder.new("shared", "bees", emoji=["🐝", "🌸"], state=state, user=owner)
    folder.must("caption", document, "PRIVATE", state=state, user=owner)
    os.chmod(document, 0o600)
    bait, other = folder.at("shared", ".bait"), os.path.join(home, "other.emojiart")
    with open(bait, "w") as file:
        file.write("x")
    os.chown(bait, neighbour, neighbour)
    os.chmod(bait, 0o666)
    repairs = random.random() < 0.4
    by = random.choice([owner, None])

    def work():
        if repairs:
            for path in (document, bait):
                data = bytearray(read(path)) if os.path.exists(path) else bytearray()
                at = data.find(b'{"size":40')
                if at >= 0:
                    data[at + 8] ^= 1
                    with open(path, "r+b") as file:
                        file.write(data)
            folder.run("check", document, "--repair", "--yes", user=by, state=state if by else None)
        else:
            for path in (document, bait):
                if os.path.exists(path) and read(path).startswith(b"SQLite"):
                    shutil.copy(path, other)
            os.chown(other, owner, owner)
            folder.run("add", other, "🐛", user=owner, state=state)
            folder.run("merge", document, other, user=by, state=state if by else None)

    exchanging(random, folder, neighbour, document, bait, work)
    for name in os.listdir(folder.at("shared")):
        path = folder.at("shared", name)
        status = os.lstat(path)
        if b"PRIVATE" in read(path) and (status.st_mode & 0o077 or status.st_uid == neighbour):
            return f"F41: {name} has the private document, mode {status.st_mode & 0o777:o}, owner {status.st_uid}"
    return None


def attack_exchanged_folder(random, folder):
    """A neighbour exchanges the folder of a document with a link to a private folder while the document is merged. Nothing there changes."""
    owner, neighbour, state, home = open_folder(random, folder)
    private = os.path.join(home, "private")
    os.mkdir(private, 0o700)
    os.chown(private, owner, owner)
    os.mkdir(folder.at("shared", "d"))
    os.chown(folder.at("shared", "d"), owner, owner)
    document = folder.new("shared", "d", "bees", state=state, user=owner)
    secret = os.path.join(private, "bees.emojiart")
    folder.must("new", secret, state=state, user=owner)
    folder.must("caption", secret, "PRIVATE", state=state, user=owner)
    before, other = read(secret), os.path.join(home, "other.emojiart")
    os.symlink(private, folder.at("shared", "l"))
    shutil.copy(document, other)
    os.chown(other, owner, owner)

    def work():
        folder.run("add", other, "🐛", user=owner, state=state)
        folder.run("merge", document, other, user=owner, state=state)

    exchanging(random, folder, neighbour, folder.at("shared", "d"), folder.at("shared", "l"), work)
    if os.listdir(private) != ["bees.emojiart"]:
        return f"F41: in the private folder there are {os.listdir(private)}"
    if read(secret) != before:
        return "F41: the private document with the same name is changed"
    return None


def attack_taken_over(random, folder):
    """A neighbour puts an older copy of his own in the place of a document that has become private, while a program of its owner has it open."""
    owner, neighbour, state, home = open_folder(random, folder)
    document = folder.new("shared", "bees", emoji=["🐝", "🌸"], state=state, user=owner)
    planted = folder.at("shared", ".planted")
    shutil.copy(document, planted)
    os.chown(planted, neighbour, neighbour)
    os.chmod(planted, random.choice([0o644, 0o666]))
    os.chmod(document, 0o600)
    how = random.choice(["watch", "edit"])
    if how == "watch":
        folder.must("caption", document, "PRIVATE", state=state, user=owner)
        said = folder.at("said")
        with open(said, "w") as out:
            program = folder.start(
                "watch", folder.at("shared"), "--merge", "--json", user=owner, state=state, stdout=out, stderr=out
            )
        until(lambda: '"ready"' in open(said).read(), what="watch to begin")
        os.rename(planted, document)
        time.sleep(random.choice([0.5, 3]))
        program.terminate()
        program.wait()
        words = open(said).read()
    else:
        # After two seconds the time of the last change proves that nothing has changed, and nobody looks at the file again.
        time.sleep(random.choice([0, 2.2]))
        stream = Stream(folder, document, user=owner, state=state)
        stream.must({"caption": {"text": "PRIVATE"}})
        if random.random() < 0.7:
            stream.must({"save": True})
        os.rename(planted, document)
        stream.ask({"add": {"text": "🐛"}})
        time.sleep(random.choice([0, 1]))
        stream.ask({"save": True})
        stream.process.stdin.close()
        words = stream.process.stdout.read().decode() + stream.process.stderr.read().decode()
        stream.process.wait()
    if b"PRIVATE" in read(document):
        return f"F42: {how} has put the private edits into another user's file"
    kept = [os.path.join(path, name) for path, _, names in os.walk(state) for name in names]
    if not any(b"PRIVATE" in read(path) for path in kept):
        return f"F42: what {how} had is kept nowhere: {words.strip()[-160:]}"
    return None


def attack_renamed_private(random, folder):
    """A neighbour gives the owner's private copy the name of a conflict copy. It is not merged into the public document, and stays."""
    owner, neighbour, state, home = open_folder(random, folder)
    document = folder.new("shared", "bees", emoji=["🐝", "🌸"], state=state, user=owner)
    os.chmod(document, random.choice([0o644, 0o664, 0o640]))
    private = folder.at("shared", "mine.emojiart")
    shutil.copy(document, private)
    os.chown(private, owner, owner)
    os.chmod(private, 0o600)
    folder.must("caption", private, "PRIVATE", state=state, user=owner)
    named = folder.at("shared", random.choice(COPIES).format(stem="bees"))
    os.rename(private, named)
    how, _, words = merging(random, folder, document, owner, state)
    if b"PRIVATE" in read(document) or not os.path.exists(named):
        return f"Y9: a private copy with the name of a conflict copy is merged by {how}"
    if how != "other" and os.path.basename(named) not in words:
        return f"Y9: a private copy that is not merged is not told by {how}: {words.strip()[-160:]}"
    return None


def attack_guard_gap(random, folder):
    """A file is replaced twice in a moment, with an answered edit between, while others are merged. The edit is there in the end."""
    count = random.choice([0, 0, 20, 100])
    place = folder.at("art")
    os.mkdir(place)
    document = folder.new("art", "zz")
    mine = folder.at("other-state")
    os.mkdir(mine, 0o700)
    base = folder.new("base", emoji=["🐝"] * 20)
    other = folder.at("base2.emojiart")
    shutil.copy(base, other)
    folder.must("add", other, "🍎", state=mine)
    for number in range(count):
        shutil.copy(base, os.path.join(place, f"d{number}.emojiart"))
        shutil.copy(other, folder.at(f"n{number}.emojiart"))
    # A file: nobody reads a pipe meanwhile, and watch would wait.
    said = folder.at("said")
    with open(said, "w") as out:
        folder.start("watch", place, "--merge", "--json", stdout=out, stderr=subprocess.DEVNULL)
    until(lambda: '"ready"' in open(said).read(), what="watch to begin")
    time.sleep(0.5)
    lost = []
    for number in range(count):
        os.rename(folder.at(f"n{number}.emojiart"), os.path.join(place, f"d{number}.emojiart"))
    for _ in range(random.choice([1, 3])):
        first, second = folder.at("t1.emojiart"), folder.at("t2.emojiart")
        shutil.copy(document, first)
        shutil.copy(document, second)
        folder.must("add", second, "🍎", state=mine)
        os.rename(first, document)
        answer = json.loads(folder.must("add", document, "🐜", "--json").stdout)
        time.sleep(random.choice([0, 0, 0.01, 0.05, 0.3]))
        os.rename(second, document)
        lost.append(answer["emojis"][0]["id"])

    def all_there():
        there = {emoji["id"] for emoji in folder.emoji(document) or []}
        return all(one in there for one in lost)

    try:
        until(all_there, seconds=20 + count // 10)
    except Missed:
        there = {emoji["id"] for emoji in folder.emoji(document) or []}
        missing = sum(one not in there for one in lost)
        if missing:
            return f"Y12: {missing} of {len(lost)} answered edits between two replacements are lost, with {count} other documents"
    return None


def attack_replaced_version(random, folder):
    """A stream keeps or removes a version, and a copy of the same revision without that replaces its file. The version comes into it."""
    document = folder.new("bees")
    removes = random.random() < 0.4
    if removes:
        folder.must("version", document, "draft")
    stream = Stream(folder, document, "--json")
    stream.must({"show": True})
    old = read(document)
    if random.random() < 0.5:
        stream.must({"add": {"text": "🌸"}})
        stream.must({"save": True})
        old = read(document)
    stream.must({"version": {"remove": "draft"}} if removes else {"version": "draft"})
    with open(folder.at("old"), "wb") as file:
        file.write(old)
    os.rename(folder.at("old"), document)
    if random.random() < 0.5:
        stream.must({"add": {"text": "🍎"}})
    stream.close()
    names = [version["name"] for version in json.loads(folder.must("version", document, "--json").stdout)]
    if names != ([] if removes else ["draft"]):
        return f"D22: after a replacement in the same revision the versions are {names}"
    return None


def attack_stignore(random, folder):
    """Something lies at `.stignore`, or the folder is another user's. No other file is written."""
    owner, neighbour = strangers(random, folder)
    state = state_folder(folder, "owner", owner)
    os.mkdir(folder.at("art"))
    foreign = random.random() < 0.3
    os.chown(folder.at("art"), neighbour if foreign else owner, -1)
    os.chmod(folder.at("art"), 0o1777)
    victim = os.path.join(state_folder(folder, "home", owner), "bashrc")
    with open(victim, "w") as file:
        file.write("export SECRET=1\n")
    os.chown(victim, owner, owner)
    what = random.choice(["link", "dangling", "new", "foreign", "pipe", "none"])
    place = folder.at("art", ".stignore")
    if what in ("link", "dangling", "new"):
        os.symlink(victim if what != "dangling" else victim + "2", place + (".new" if what == "new" else ""))
    elif what == "foreign":
        with open(place, "w") as file:
            file.write("// theirs\n")
        os.chown(place, neighbour, neighbour)
        os.chmod(place, 0o666)
    elif what == "pipe":
        os.mkfifo(place)
    done = folder.run("config", "sync", "syncthing", folder.at("art"), user=owner, state=state, timeout=30)
    if open(victim).read() != "export SECRET=1\n" or os.path.exists(victim + "2"):
        return f"Y13: `.stignore` as {what}: another file was written"
    refused = foreign or what in ("link", "dangling", "foreign", "pipe")
    if refused and done.returncode == 0:
        return f"Y13: `.stignore` as {what}{' in a folder of another user' if foreign else ''} is written, with status 0"
    if not refused and ("(?d)" not in open(place).read() or done.returncode):
        return f"Y13: `.stignore` is not written: {done.stderr.strip()[-120:]}"
    return None


def attack_download(random, folder):
    """A file with a conflict copy's name comes into a folder that `serve` serves, and that no program carries. Nothing changes by itself."""
    place = folder.at("Downloads")
    document = folder.new("Downloads", random.choice(["", "sub/"]) + "poster", emoji=["🐝"])
    folder.new("Downloads", "other")
    sent = folder.at("sent.emojiart")
    shutil.copy(document, sent)
    folder.must("caption", document, "my own words")
    folder.must("remove", sent, "--all")
    folder.must("caption", sent, "pay to ACCOUNT 666")
    carried = random.random() < 0.3
    if carried:
        os.mkdir(os.path.join(place, ".stfolder"))
    serve = folder.start("serve", place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if not serve.stdout.readline():
        raise Skipped("serve does not start")
    before = content(folder, document)
    copy = os.path.join(os.path.dirname(document), random.choice(COPIES).format(stem="poster"))
    shutil.copy(sent, copy)
    if carried:
        # The control: here it is merged.
        try:
            until(lambda: not os.path.exists(copy))
        except Missed:
            return "Y2: a conflict copy in a carried folder is not merged by itself"
        return None
    time.sleep(2)
    if content(folder, document) != before or not os.path.exists(copy):
        return f"Y11: a download has changed a document: {before} to {content(folder, document)}"
    return None
