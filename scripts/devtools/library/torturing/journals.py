# SPDX-License-Identifier: Apache-2.0
"""Attacks on the journals of edits, and on the state folder they lie in."""

import collections
import ctypes
import glob
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from . import Hung, Skipped, Stream, died, pipe_of_a_page, read, state_folder, strangers, until, waiting_bytes, write


def held(path):
    """Holds a document as a program does that was stopped in a save."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def killed_at_rest(random, folder):
    """Documents whose streams were killed at rest: a lock file of each is left."""
    documents = [folder.new(f"held{k}") for k in range(random.randrange(1, 4))]
    for document in documents:
        folder.killed(document, [{"add": {"text": "🌸"}}], at_rest=True)
    return documents


def lookers(folder, document, random):
    """A command that looks, and writes more than a pipe of a page takes: of the document's folder, or of another one."""
    many, few, one = folder.at("many"), folder.at("few"), folder.new("one", emoji=["🐜"] * 150)
    for path, count in ((many, 400), (few, 6)):
        os.mkdir(path)
        for k in range(count):
            os.link(one, os.path.join(path, f"{'n' * 200}{k}.emojiart"))
    return random.choice(
        [
            ["list", many],
            ["list", many],
            ["list", many],
            ["list", many, "--json"],
            ["gallery", folder.at("g"), "-o", "-"],
            ["gallery", few, "-o", "-"],
            ["show", one],
            ["show", one, "--json"],
            ["history", document],
            ["render", one, "-o", "-"],
            ["watch", folder.path, "--json"],
            ["watch", few, "--json"],
        ]
    )


def attack_lookers(random, folder):
    """A looker hangs in a pager, or is stopped, while others edit. They restore what was left first, or are refused."""
    document = folder.new("g", "bees")
    folder.feed(document, [{"resize": {"ref": "🐝", "to": 41 + k}} for k in range(120)])
    looker = lookers(folder, document, random)
    folder.killed(document, [{"move": {"ref": "🐝", "to": [500, 500]}}])
    reader, writer = pipe_of_a_page()
    process = folder.start(*looker, stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    stopped = random.random() < 0.3
    if stopped:
        time.sleep(random.random() * 0.05)
        process.send_signal(signal.SIGSTOP)
    else:
        # The first bytes have come, or the pipe is full.
        enough = random.choice([1, 4096]) if looker[0] in ("list", "show", "history") else 1
        until(lambda: process.poll() is not None or waiting_bytes(reader) >= enough, what="a looker's output")
    restored = folder.run("restore", document)
    left = folder.journals()
    moved = folder.run("move", document, "🐝", "--by", "10,0")
    process.send_signal(signal.SIGCONT)
    folder.end(process)
    os.close(reader)
    folder.run("restore")
    x = folder.emoji(document)[0]["x"]
    folders = "the" if document in looker or folder.at("g") in looker else "another"
    words = f"`{looker[0]}` of {folders} folder, {'stopped' if stopped else 'in a pager'}"
    if x != 500 + (10 if moved.returncode == 0 else 0):
        return f"K17: {words}: an answered move is lost, it is at {x} (restore {restored.returncode}, move {moved.returncode})"
    if restored.returncode == 0 and left:
        return f"K16: {words}: `restore` answers 0 and restores nothing"
    if not stopped and (restored.returncode or moved.returncode):
        return f"K16: {words} keeps others from restoring ({restored.returncode}, {moved.returncode})"


def document_id(document):
    connection = sqlite3.connect(f"file:{document}?mode=ro", uri=True)
    (found,) = connection.execute("SELECT id FROM art").fetchone()
    connection.close()
    return found


def attack_leftover_locks(random, folder):
    """Documents of streams that were killed at rest are held. Edits of other documents neither wait nor open them."""
    documents = killed_at_rest(random, folder)
    free = folder.new("free")
    holders = [held(document) for document in documents]
    trace = folder.at("trace")
    command = random.choice([["add", free, "🐛"], ["move", free, "🐝", "--by", "1,1"], ["restore", free]])
    done = folder.run(*command, inside=["strace", "-qq", "-f", "-o", trace, "-e", "trace=open,openat"])
    for holder in holders:
        holder.close()
    opened = sum(document.encode() in read(trace) for document in documents)
    own = document_id(free).encode()
    names = set(re.findall(rb'/journal/([0-9a-z]{12})', read(trace)))
    if done.returncode:
        return f"K16: `{command[0]}` of another document says {done.returncode} while {len(documents)} are held"
    if opened:
        return f"K16: `{command[0]}` of another document opened {opened} held ones and took {done.seconds:.1f} s"
    if command[0] != "restore" and names - {own}:
        return f"K16: `{command[0]}` of a document opened journals of {len(names - {own})} other documents"


def attack_dead_mount(random, folder):
    """A stream was killed at rest on a mount that does not answer any more. Local documents are edited all the same."""
    os.mkdir(folder.at("far"))
    server = folder.bindfs(folder.at("far"), folder.at("near"))
    folder.killed(folder.new("near", "bees"), [{"add": {"text": "🌸"}}], at_rest=random.random() < 0.7)
    free = folder.new("free")
    server.send_signal(signal.SIGSTOP)
    command = random.choice(
        [["add", free, "🐛"], ["move", free, "🐝", "--by", "1,1"], ["restore", free], ["edit", free]]
    )
    try:
        done = folder.run(*command, input="add 🐛\n", timeout=20)
    except Hung:
        return f"K16: `{command[0]}` of a local document waits for a mount that does not answer"
    finally:
        server.kill()
    if done.returncode:
        return f"K16: `{command[0]}` of a local document says {done.returncode} beside a dead mount"


def attack_rows_of_locks(random, folder):
    """A lock file is met while its document is held. Its row of `origin` goes later all the same."""
    documents = killed_at_rest(random, folder)
    free, command = folder.new("free"), random.choice(["add", "restore"])
    holders = [held(document) for document in documents]
    folder.run("restore") if command == "restore" else folder.run("add", free, "🐛")
    for holder in holders:
        holder.close()
    folder.run("restore")
    for document in documents:
        folder.must("add", document, "🐛")
        connection = sqlite3.connect(f"file:{document}?mode=ro", uri=True)
        (rows,) = connection.execute("SELECT count(*) FROM origin").fetchone()
        connection.close()
        locks = len(folder.journals(".lock"))
        if rows or locks:
            return f"K14: {rows} rows of `origin` and {locks} lock files stay after `{command}` met a held document"


def attack_other_paths(random, folder):
    """A stream is killed at one path of a file, and the next commands come by another one. They find its edits."""
    os.mkdir(folder.at("b"))
    first = folder.new("a", "bees")
    way = random.choice(["bind mount", "bind mount of the file", "hard link", "symbolic link"])
    second = folder.at("b", "bees.emojiart")
    if way == "bind mount":
        folder.mount("--bind", folder.at("a"), folder.at("b"))
    elif way == "bind mount of the file":
        write(second, b"")
        folder.mount("--bind", first, second)
    elif way == "hard link":
        os.link(first, second)
    else:
        os.symlink(first, second)
    if random.random() < 0.5:
        first, second = second, first
    folder.killed(first, [{"move": {"ref": "🐝", "to": [500, 500]}}] + [{"add": {"text": "🐛"}}] * random.randrange(3))
    step = random.choice(["show", "restore", "move", "stream"])
    if step == "show" and folder.emoji(second)[0]["x"] != 500:
        return f"K12: by {way} `show` hides what a killed program left"
    if step == "restore" and (folder.run("restore", second).returncode or folder.journals()):
        return f"K12: by {way} `restore DOC` finds nothing"
    if step == "stream":
        folder.feed(second, [{"move": {"ref": "🐝", "by": [10, 0]}}])
    else:
        folder.must("move", second, "🐝", "--by", "10,0")
    folder.run("restore")
    x = [one["x"] for one in folder.emoji(first) if one["text"] == "🐝"]
    if x != [510]:
        return f"K12: by {way} an answered move is left out: the emoji is at {x}"


def attack_unseen_lock(random, folder):
    """The state folder is seen by two mounts that do not share locks. A live journal stays, and no edit comes twice."""
    os.mkdir(folder.at("back"), 0o700)
    for name in ("one", "two"):
        folder.bindfs(folder.at("back"), folder.at(name))
    one, two = folder.at("one", "state"), folder.at("two", "state")
    document = folder.new("docs", "bees", emoji="🌸", state=one)
    stream = Stream(folder, document, "--autosave-delay", "600", "--autosave-changes", "1000000", state=one)
    answered, refused = set(), []

    def ask(count):
        for _ in range(count):
            answer = stream.ask({"add": {"text": "🐝", "x": len(answered), "y": 1}})
            answered.add(answer["ok"]["id"]) if answer and "ok" in answer else refused.append(answer)

    ask(random.randrange(1, 5))
    beside = random.choice(
        [["add", document, "🌸"], ["restore"], ["restore", document], ["move", document, "🌸", "--by", "1,1"]]
    )
    folder.run(*beside, state=two)
    ask(random.randrange(1, 5))
    killed = random.random() < 0.3
    if killed:
        stream.kill()
        folder.run("restore", state=one)
    else:
        stream.close()
    folder.run("add", document, "🌻", state=one)
    bees = [emoji["id"] for emoji in folder.emoji(document, state=one) if emoji["text"] == "🐝"]
    if refused:
        return f"K3: after `{beside[0]}` from another machine a stream's edits are refused: {str(refused[0])[:90]}"
    if len(bees) != len(answered):
        end = "killed" if killed else "ended"
        return f"K3: after `{beside[0]}` from another machine, {end}: {len(answered)} answered, {len(bees)} there"


def attack_namespaces(random, folder):
    """Two containers share a state folder and have copies of a document at the same path. No edit goes into the other's copy."""
    if os.geteuid() != 0:
        raise Skipped("mount namespaces need root")
    document = folder.new("one", "bees")
    os.mkdir(folder.at("two"))
    os.mkdir(folder.at("data"))
    shutil.copy(document, folder.at("two"))
    path = folder.at("data", "bees.emojiart")
    inside = {
        name: [
            "unshare",
            "-m",
            "sh",
            "-c",
            'mount --bind "$0" "$1" && shift && exec "$@"',
            folder.at(name),
            folder.at("data"),
        ]
        for name in ("one", "two")
    }
    count = random.randrange(1, 5)
    folder.run(
        "edit",
        path,
        "--json",
        "--autosave-delay",
        "60",
        "--simulate-kill-after",
        str(count),
        inside=inside["one"],
        input="".join('{"move":{"ref":"🐝","to":[%d,500]}}\n' % (500 + k) for k in range(count)),
    )
    beside = random.choice([["add", path, "🐛"], ["restore"], ["restore", path]])
    folder.run(*beside, inside=inside["two"])
    other = folder.emoji(folder.at("two", "bees.emojiart"), state=folder.at("elsewhere"))
    done = folder.run("add", path, "🌻", inside=inside["one"])
    mine = folder.emoji(path, inside=inside["one"])
    if other[0]["x"] != 100:
        return f"K13: `{beside[0]}` in another container has the killed edits of this one in its own copy"
    if done.returncode == 0 and mine[0]["x"] != 499 + count:
        return f"K13: after `{beside[0]}` in another container the answered edits are not restored: {mine[0]['x']}"


def attack_times(random, folder):
    """A file of the state folder has a time out of all bounds. Every command goes on with every document."""
    # Other file systems do not keep such times.
    folder.mount("-t", "tmpfs", "-o", "mode=0700", "torture", folder.state)
    document, other = folder.new("bees"), folder.new("other")
    folder.killed(document, [{"add": {"text": "🐛"}}])

    class Time(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_int64)]

    seconds = random.choice([1, -1]) * random.choice([2**60, 2**56, 2**53, 2**62, 2**63 - 1, 9223372036854776])
    for path in random.sample(
        glob.glob(folder.at("state", "journal", "**"), recursive=True), random.randrange(1, 3)
    ):
        ctypes.CDLL(None).utimensat(-100, path.encode(), (Time * 2)(Time(seconds, 0), Time(seconds, 0)), 0)
    for command in random.sample(
        [
            ["show", other],
            ["list", folder.path],
            ["add", other, "🐛"],
            ["history", other],
            ["restore", "--list"],
            ["restore"],
            ["check", other],
            ["show", document],
            ["add", document, "🐛"],
            ["undo", document],
            ["edit", document],
        ],
        5,
    ):
        done = folder.run(*command, input="add 🌸\n")
        if (fatal := died(done)) or done.returncode:
            return f"K15: {fatal or f'`{command[0]}` says {done.returncode}'} for a time of {seconds} s"


kept = {}


def attack_many_journals(random, folder):
    """Hundreds of journals of documents that are gone are kept. No folder is listed often, and each descriptor closed."""
    journals = folder.at("state", "journal")
    count = random.choice([60, 120])
    if count not in kept:
        original = folder.new("original")
        os.mkdir(folder.at("gone"))
        for k in range(count):
            document = folder.at("gone", f"d{k}.emojiart")
            if k % 2:
                # A copy has the same id at another path.
                shutil.copy(original, document)
            else:
                folder.must("new", document)
            folder.run(
                "edit",
                document,
                "--json",
                "--autosave-delay",
                "60",
                "--simulate-kill-after",
                "1",
                input='{"add":{"text":"🐝"}}\n',
            )
        kept[count] = {name: read(os.path.join(journals, name)) for name in folder.journals("*")}
        shutil.rmtree(folder.at("gone"))
    os.makedirs(journals, 0o700, exist_ok=True)
    for name, data in kept[count].items():
        os.makedirs(os.path.join(journals, os.path.dirname(name)), 0o700, exist_ok=True)
        write(os.path.join(journals, name), data)
        os.chmod(os.path.join(journals, name), 0o600)
    document, trace = folder.new("bees"), folder.at("trace")
    for command in (["show", document], ["add", document, "🐛"], ["restore", "--list"]):
        done = folder.run(*command, inside=["strace", "-qq", "-f", "-o", trace, "-e", "trace=open,openat"])
        opened = re.findall(rb'"([^"]*/journal(?:/[0-9a-z]{12})?)", [^)]*O_DIRECTORY', read(trace))
        listed = max(collections.Counter(opened).values(), default=0)
        if listed > 5:
            return f"K15: `{command[0]}` lists a folder {listed} times for {count} journals"
        few = folder.run(*command, limits={resource.RLIMIT_NOFILE: 48})
        if few.returncode != done.returncode:
            statuses = f"{few.returncode} in place of {done.returncode}"
            return f"K15: `{command[0]}` says {statuses} with 48 descriptors and {count} journals"


def attack_relative_state(random, folder):
    """The state folder is named by a relative path. Answered edits are found from another folder, or none are answered."""
    for name in ("here", "there/deeper"):
        os.makedirs(folder.at(name))
    document = folder.new("bees")
    variable, value = random.choice(["EMOJIART_STATE", "XDG_STATE_HOME"]), random.choice(
        ["state", "./state", "state/../state.d", "./"]
    )
    environment = folder.environment(**{variable: value})
    if variable != "EMOJIART_STATE":
        del environment["EMOJIART_STATE"]
    done = folder.run(
        "edit",
        document,
        "--json",
        "--autosave-delay",
        "60",
        "--simulate-kill-after",
        "1",
        environment=environment,
        cwd=folder.at("here"),
        input='{"move":{"ref":"🐝","to":[500,500]}}\n',
    )
    if '"ok"' not in done.stdout:
        return None
    folder.run("add", document, "🐛", environment=environment, cwd=folder.at("there", "deeper"))
    if folder.emoji(document, environment=environment, cwd=folder.at("there", "deeper"))[0]["x"] != 500:
        return f"K6: with {variable}={value} an answered edit is not found from another folder"


def attack_foreign_state(random, folder):
    """A stranger owns the state folder, or may write to it, and has put a journal there. Nothing of it is restored."""
    owner, stranger = strangers(random, folder)
    os.chmod(folder.at("tmp"), 0o1777)
    os.mkdir(folder.at("shared"))
    os.chmod(folder.at("shared"), 0o777)
    theirs = state_folder(folder, "theirs", stranger)
    document = folder.new("shared", "bees", state=state_folder(folder, "own", owner), user=owner)
    os.chmod(document, 0o666)
    folder.killed(
        document,
        [{"move": {"ref": "🐝", "to": [500, 500]}}],
        user=stranger,
        environment=folder.environment(theirs, EMOJIART_AUTHOR="Ada"),
    )
    foreign = random.random() < 0.5
    for path in (theirs, folder.at("theirs", "journal"), *glob.glob(folder.at("theirs", "journal", "**"), recursive=True)):
        os.chmod(path, 0o777 if os.path.isdir(path) else 0o666)
        if not foreign:
            os.chown(path, owner, owner)
    who = random.choice([owner, None])
    done = folder.run("add", document, "🐛", state=theirs, user=who)
    if "Ada" in folder.run("history", document, state=folder.at("new")).stdout:
        whose = "is theirs" if foreign else "all may write to"
        return f"K6: `add` ({done.returncode}) restores in Ada's name what a stranger put into a state folder that {whose}"


def attack_sudo(random, folder):
    """The journal of the same person under sudo may not be read. Each command that meets it names it."""
    owner, _ = strangers(random, folder)
    state = state_folder(folder, "owner", owner)
    os.chmod(folder.at("tmp"), 0o1777)
    os.mkdir(folder.at("docs"))
    os.chmod(folder.at("docs"), 0o777)
    document = folder.new("docs", "bees", state=state, user=owner)
    folder.killed(document, [{"move": {"ref": "🐝", "to": [500, 500]}}], state=state, user=owner)
    # As a stream under sudo leaves it.
    for path in glob.glob(folder.at("owner", "journal", random.choice(["*", "*/*"]))):
        os.chown(path, 0, 0)
    for command in random.sample([["show", document], ["add", document, "🐛"], ["restore", document], ["restore"]], 3):
        done = folder.run(*command, state=state, user=owner)
        if not done.stderr.strip():
            return f"K15: `{' '.join(command[:1])}` ({done.returncode}) says nothing of a journal that may not be read"


def attack_large_restore(random, folder):
    """More is restored than the history holds. One undo takes it back, or it was said that none will."""
    document, rows = folder.new("bees"), random.choice([10, 300])
    folder.killed(document, [{"add": {"texts": ["🐛"] * 400}}] * rows)
    # A debug build on a busy machine takes a minute for the 120,000.
    words = ("restore", document) if random.random() < 0.5 else ("add", document, "🌸")
    done = folder.run(*words, timeout=300)
    if done.args[0] == "add":
        folder.must("undo", document)
    else:
        folder.must("add", document, "🌸")
        folder.must("undo", document)
    folder.run("undo", document)
    left = len(folder.emoji(document))
    if left > 1 and "undo" not in done.stderr + done.stdout:
        return f"K7: no undo takes back {rows * 400} restored emoji, and nothing said so"
