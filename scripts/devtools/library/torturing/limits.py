# SPDX-License-Identifier: Apache-2.0
"""Attacks by limits of the system, and by names."""

import glob
import os
import resource
import select
import signal
import subprocess

from . import Skipped, died, state_folder, strangers, write

DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYOcDAAAgABaBpfV8AAAAAElFTkSuQmCC"
)


LIMITS = {
    resource.RLIMIT_NOFILE: "-n",
    resource.RLIMIT_FSIZE: "-f",
    resource.RLIMIT_NPROC: "-u",
    resource.RLIMIT_AS: "-v",
}


def limited_commands(folder, document):
    return [
        ["add", document, "🐛"],
        ["check", document],
        ["gallery", folder.path, "-o", folder.at("g.html")],
        ["export", document, "--format", "json"],
        ["export", document, "--format", "json", "-o", folder.at("e.json")],
        ["render", document, "-o", folder.at("p.png")],
        ["move", document, "🐝", "--by", "1,1"],
        ["background", document, DOT],
        ["new", folder.at("new")],
        ["edit", document],
        ["show", document],
        ["list", folder.path],
    ]


def limited(random, folder, rule, limits):
    """Runs a command under limits: 0 means done; otherwise there is a line, and nothing beside an unharmed document."""
    document = folder.new("bees")
    command = random.choice(limited_commands(folder, document))
    done = folder.run(*command, limits=limits, input="add 🐛\n")
    words = f"`{command[0]}` under {', '.join(f'{LIMITS[key]} {value}' for key, value in limits.items())}"
    if done.returncode == 127 and "shared libraries" in done.stderr:
        raise Skipped("a program with shared libraries does not begin under this limit")
    if fatal := died(done):
        return f"{rule}: {fatal}: {words}"
    if glob.glob(folder.at("*-journal")):
        return f"{rule}: {words} ({done.returncode}) leaves a journal beside the document"
    after = folder.emoji(document)
    if after is None:
        return f"{rule}: {words} ({done.returncode}) leaves a document that cannot be read"
    if (
        done.returncode == 0
        and command[0] in ("add", "edit")
        and len(after) != 2
        or command[0] == "new"
        and not done.returncode
        and not os.path.exists(folder.at("new.emojiart"))
    ):
        return f"{rule}: {words} answers 0 and does nothing"
    if done.returncode and not done.stderr.strip():
        return f"{rule}: {words} says nothing, with {done.returncode}"


def attack_descriptors(random, folder):
    """Few descriptors may be open. A command does its work, or says in one line that it did not."""
    return limited(random, folder, "G9", {resource.RLIMIT_NOFILE: random.choice([3, 4, 5, 6, 7, 8, 12, 20])})


def attack_file_size(random, folder):
    """Files may not grow. What is not done is told, and leaves nothing."""
    return limited(
        random,
        folder,
        "F18",
        {resource.RLIMIT_FSIZE: random.choice([0, 1, 512, 1000, 4096, 8192, 20000, 32768, 36864, 40000, 65536])},
    )


def attack_threads(random, folder):
    """No thread is to be had. Each command ends by itself, or by TERM."""
    if random.random() < 0.6:
        user, _ = strangers(random, folder)
        limits = {resource.RLIMIT_NPROC: random.randrange(1, 11)}
    else:
        user, limits = None, {resource.RLIMIT_AS: random.choice([32, 64, 96, 128, 192, 256]) << 20}
    os.mkdir(folder.at("docs"))
    os.chmod(folder.at("docs"), 0o777)
    os.chmod(folder.at("tmp"), 0o1777)
    how = {"state": state_folder(folder, "owner", user or 0), "user": user}
    document = folder.new("docs", "bees", **how)
    command = random.choice(
        [
            ["background", document, DOT],
            ["background", document, DOT],
            ["render", document, "-o", folder.at("docs", "p.png")],
            ["gallery", folder.at("docs"), "-o", folder.at("docs", "g.html")],
            ["edit", document],
        ]
    )
    child = folder.start(
        *command, limits=limits, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how
    )
    words = f"`{command[0]}` under {', '.join(f'{LIMITS[key]} {value}' for key, value in limits.items())}"
    try:
        child.wait(15)
    except subprocess.TimeoutExpired:
        sent = random.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        child.send_signal(sent)
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            return f"C10: {words} hangs, and {sent.name} does not end it"
        return f"A8: {words} hangs without a word until {sent.name}"


def attack_names(random, folder):
    """A document gets a name of 243 to 255 bytes. What was made can be opened."""
    size = random.randrange(243, 256)
    ending = ".emojiart"
    letter = random.choice(["a", "ü", "🐝"])
    stem = letter * ((size - len(ending)) // len(letter.encode()))
    name = stem + "b" * (size - len(ending) - len(stem.encode())) + random.choice([ending, ""])
    way = random.choice(["new", "new", "import", "into"])
    if way == "new":
        done = folder.run("new", "./" + name, cwd=folder.path)
    elif way == "import":
        write(folder.at("in.json"), folder.must("export", folder.new("bees"), "--format", "json").stdout.encode())
        done = folder.run("import", folder.at("in.json"), "--as", "./" + name, cwd=folder.path)
    else:
        document = folder.new("bees")
        folder.killed(document, [{"add": {"text": "🐛"}}])
        done = folder.run("restore", document, "--into", "./" + name, cwd=folder.path)
    if done.returncode:
        return died(done)
    for command in (["show", "./" + name], ["add", "./" + name, "🐛"]):
        if status := folder.run(*command, cwd=folder.path).returncode:
            return f"C5: `{way}` makes a document with a name of {size} bytes that `{command[0]}` refuses ({status})"


def attack_servers(random, folder):
    """What runs until it is ended begins under limits. It works, or says in one line that it does not, and a signal ends it."""
    kind = random.choice(["threads", "threads", "descriptors", "memory"])
    user = None
    if kind == "threads":
        user, _ = strangers(random, folder)
        limits = {resource.RLIMIT_NPROC: random.randrange(1, 26)}
    elif kind == "descriptors":
        limits = {resource.RLIMIT_NOFILE: random.choice([*range(4, 60)])}
    else:
        limits = {resource.RLIMIT_AS: random.randrange(60, 1600) << 20}
    os.mkdir(folder.at("docs"))
    os.chmod(folder.at("docs"), 0o777)
    os.chmod(folder.at("tmp"), 0o1777)
    how = {"state": state_folder(folder, "owner", user or 0), "user": user}
    run = state_folder(folder, "run", user or 0)
    folder.new("docs", "bees", **how)
    command = random.choice([["serve", folder.at("docs")], ["watch", folder.at("docs"), "--json", "--merge"]])
    environment = folder.environment(how["state"]) | {"XDG_RUNTIME_DIR": run}
    child = folder.start(
        *command, limits=limits, user=user, environment=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    words = f"`{command[0]}` under {', '.join(f'{LIMITS[key]} {value}' for key, value in limits.items())}"
    begun = bool(select.select([child.stdout], [], [], 20)[0]) and bool(child.stdout.peek(1))
    sent = random.choice([signal.SIGTERM, signal.SIGINT])
    if begun:
        child.send_signal(sent)
    try:
        _, said = child.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        if begun:
            return f"C10: {words} hangs, and {sent.name} does not end it"
        child.send_signal(sent)
        try:
            child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            return f"C10: {words} begins nothing, and {sent.name} does not end it"
        return f"G9: {words} begins nothing, and says nothing"
    if begun:
        return None
    if child.returncode == 127 and b"shared libraries" in said:
        raise Skipped("a program with shared libraries does not begin under this limit")
    if child.returncode not in (69, 74) or said.count(b"\n") != 1:
        return f"G9: {words} ends with {child.returncode}, and says {said[-200:]!r}"
