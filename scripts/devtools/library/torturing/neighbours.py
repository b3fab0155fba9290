# SPDX-License-Identifier: Apache-2.0
"""Attacks by a neighbour on what the owner, or root, shows, sends, writes or deletes: links, pipes, files and folders that are planted."""

import glob
import os
import shutil
import subprocess
import threading

from . import read, shared_world, state_folder, strangers, write
from .store_double import KEY, StoreDouble, sync_words

SECRET = "SECRETOFTHEOWNER"
# Where root's own folders are.
HOME = os.path.expanduser("~root")


def planted_link(random, path, target, neighbour):
    """A link of the neighbour: straight, or over a second one."""
    if random.random() < 0.5:
        os.symlink(target, path + ".second")
        os.chown(path + ".second", neighbour, neighbour, follow_symlinks=False)
        target = path + ".second"
    os.symlink(target, path)
    os.chown(path, neighbour, neighbour, follow_symlinks=False)


def two(random, folder):
    """The owner and the neighbour, the owner's state, a private folder with a private document, and a folder that all may write to."""
    owner, neighbour, state, private = shared_world(random, folder, "private", random.choice([0o777, 0o1777]))
    secret = folder.new("private", "mine", state=state, user=owner)
    folder.must("caption", secret, SECRET, user=owner, state=state)
    return owner, neighbour, state, private, secret


def attack_planted_links(random, folder):
    """A neighbour links a name in a shared folder to a private document. It is in no gallery and no list, and is not sent."""
    owner, neighbour, state, private, secret = two(random, folder)
    own = folder.new("shared", "bees", state=state, user=owner)
    planted_link(random, folder.at("shared", "zz.emojiart"), secret, neighbour)
    environment = folder.environment(state, HOME=private, **KEY)
    how = random.choice(["gallery", "list", "sync", "sync with an object"])
    before = read(secret)
    with StoreDouble() as store:
        if how == "gallery":
            folder.run("gallery", folder.at("shared"), "-o", folder.at("tmp", "g.html"), user=owner, environment=environment)
            shown = read(folder.at("tmp", "g.html"))
            if SECRET.encode() in shown:
                return "F43: a gallery shows what a planted link leads to"
            if shown.count(b"<img ") != 1:
                return f"F43: a gallery beside a planted link shows {shown.count(b'<img ')} documents, and not the one that is there"
        elif how == "list":
            done = folder.run("list", folder.at("shared"), "--json", user=owner, environment=environment)
            if done.stdout.count('"emojiCount"') != 1:
                return f"F43: a list counts what a planted link leads to: {done.stdout[-160:]}"
        else:
            if how == "sync with an object":
                other = folder.at("tmp", "other.emojiart")
                shutil.copy(secret, other)
                folder.must("add", other, "💀", "--at", "5,5")
                store.put("t/zz.emojiart", read(other))
            folder.run(*sync_words(store, folder.at("shared")), user=owner, environment=environment)
            sent = [name for name, data in store.objects.items() if name != "t/zz.emojiart" and SECRET.encode() in data]
            if sent or how == "sync" and any(name.endswith("zz.emojiart") for name in store.objects):
                return "Y16: sync has sent what a planted link leads to"
            if not any(name.endswith("bees.emojiart") for name in store.objects):
                return "Y16: sync has not sent the document beside a planted link"
    if read(secret) != before:
        return f"Y16: {how} has changed what a planted link leads to"
    return None if os.path.exists(own) else "U5: the document beside a planted link is gone"


def attack_planted_outputs(random, folder):
    """A neighbour plants a link, a pipe or a file at an output path. No other file is written, and the neighbour gets nothing."""
    owner, neighbour, state, private, secret = two(random, folder)
    how = {"user": owner, "environment": folder.environment(state, HOME=private)}
    kind, what = random.choice(["png", "svg", "json", "html"]), random.choice(["link", "pipe", "file"])
    command = {
        "png": ["render", secret, "--format", "png"],
        "svg": ["render", secret, "--format", "svg"],
        "json": ["export", secret],
        "html": ["gallery", private],
    }[kind]
    target = os.path.join(private, f"photo.{kind}")
    folder.must(*command, "-o", target, **how)
    os.chmod(target, 0o600)
    planted, got = folder.at("shared", f"out.{kind}"), []
    if what == "link":
        folder.must("add", secret, "🌸", user=owner, state=state)
        planted_link(random, planted, target, neighbour)
    elif what == "pipe":
        os.mkfifo(planted)
        os.chmod(planted, 0o666)
        os.chown(planted, neighbour, neighbour)
        if random.random() < 0.5:
            # Somebody reads; a writer that is none opens it in the end.
            reader = threading.Thread(target=lambda: got.append(read(planted)), daemon=True)
            reader.start()
    else:
        shutil.copy(target, planted)
        os.chmod(planted, 0o666)
        os.chown(planted, neighbour, neighbour)
    before = read(target)
    # With a mask as private users have it.
    words = ["sh", "-c", 'umask 077; exec "$@"', "sh", folder.emojiart, *command, "-o", planted]
    done = folder.run(program=words, timeout=60, **how)
    if what == "pipe" and "reader" in locals():
        os.close(os.open(planted, os.O_RDWR | os.O_NONBLOCK))
        with open(planted, "wb"):
            pass
        reader.join(30)
        if any(got):
            return f"U17: what was written came to the pipe of a neighbour ({done.returncode})"
    if read(target) != before:
        return f"U17: a planted link has another {kind} file replaced ({done.returncode})"
    if what == "file":
        status = os.stat(planted)
        # In a folder with the sticky bit the file of another user is not replaced.
        if done.returncode == 0 and (status.st_uid != owner or status.st_mode & 0o077):
            return f"U17: a file in the place of a neighbour's has his rights, {status.st_mode & 0o777:o} of {status.st_uid}"
    elif done.returncode == 0:
        return f"U17: a planted {what} is written to"
    return None


def attack_home_of_another(random, folder):
    """Root has the home of another user in its environment, who links its folders anywhere. Root writes to none of them, and believes none."""
    _, neighbour = strangers(random, folder)
    home = state_folder(folder, "theirs", neighbour)
    sticky, rooted, state = folder.at("sticky"), folder.at("rooted"), folder.at("mine")
    for path, mode in [(sticky, 0o1777), (rooted, 0o755), (state, 0o700)]:
        os.mkdir(path)
        os.chmod(path, mode)
    name = random.choice(["share", "state", "cache", "config"])
    below = ".local" if name in ("share", "state") else "."
    link = os.path.join(home, below, name if below == ".local" else f".{name}")
    # All of it is bound to the home of root, where root's own folders are: then they are those of this round.
    target = random.choice(["sticky", "rooted", "rooted/none", "sticky/own"])
    if target.endswith("own"):
        state_folder(folder, target, neighbour)
    os.makedirs(os.path.dirname(link), exist_ok=True)
    os.chown(os.path.dirname(link), neighbour, neighbour)
    os.symlink(f"{HOME}/{target}", link)
    os.chown(link, neighbour, neighbour, follow_symlinks=False)
    if target == "sticky":
        for made in ["Trash", "Trash/files", "Trash/info", "emojiart"]:
            state_folder(folder, f"sticky/{made}", neighbour, 0o777)
        write(os.path.join(sticky, "emojiart", "config.json"), b'{"author":"EVIL"}')
        os.chown(os.path.join(sticky, "emojiart", "config.json"), neighbour, neighbour)
    environment = {
        key: value for key, value in folder.environment().items() if key not in ("EMOJIART_STATE", "EMOJIART_CONFIG")
    }
    environment |= {"HOME": f"{HOME}/theirs", "XDG_RUNTIME_DIR": f"{HOME}/theirs", "TMPDIR": f"{HOME}/tmp"}

    def reachable():
        return {path for at in (home, sticky, rooted) for path in glob.glob(at + "/**", recursive=True, include_hidden=True)}

    before, document = reachable(), f"{HOME}/mine/q.emojiart"
    inside = ["unshare", "-m", "--propagation", "private", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', folder.path, HOME]
    for words in [["new", document], ["add", document, "🐝"], ["history", document], ["delete", document]]:
        done = folder.run(*words, inside=inside, environment=environment)
        if done.returncode:
            raise RuntimeError(f"{words[0]}: {done.returncode} {done.stderr.strip()[-200:]}")
        if "EVIL" in done.stdout:
            return f"A16: root believes the settings of another user, by a link at {name}"
    theirs = sorted(reachable() - before)
    if theirs:
        return f"A16: root has made {os.path.relpath(theirs[0], folder.path)} by a link of another user at {name}"
    if not os.path.exists(folder.at(".local/share/Trash/files/q.emojiart")):
        return "A16: root's document is not in root's trash"
    return None
