# SPDX-License-Identifier: Apache-2.0
"""What the harnesses share: a folder of their own, the program in it, and an end for all that they begin."""

import array
import fcntl
import glob
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

PENDING = 0x40000000  # SQLite's lock bytes: PENDING, RESERVED one after it, SHARED from two after it
MAGIC = bytes([0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7])  # of a rollback journal
FATAL = {signal.SIGILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGTRAP, signal.SIGXFSZ, signal.SIGFPE}

# A program that a shell starts in the background ignores SIGINT, and so do its children. Harnesses send SIGINT to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Skipped(Exception):
    """The machine does not allow what an attack needs; the text says what."""


class Missed(Exception):
    """The round did not bring about what the attack needs: it counts for nothing."""


class Hung(Exception):
    """The program did not end, or did not answer, within the timeout of the harness."""


def until(condition, seconds=30, what="an event"):
    """Waits for an event; one that never comes is not a result."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Missed(f"{what} did not come within {seconds} s")
        time.sleep(0.002)
    return value


def as_user(user):
    """The words before a command that run it as another user."""
    if os.geteuid() != 0:
        raise Skipped("other users need root")
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def pipe_of_a_page():
    """A pipe that takes 4096 bytes: a pager that nobody scrolls. Its end to read, and its end to write."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
    return reader, writer


def waiting_bytes(reader):
    count = array.array("i", [0])
    fcntl.ioctl(reader, termios.FIONREAD, count)
    return count[0]


def state_of(process):
    """The letter that /proc has for a process: R, S, D, T, Z; and X for one that is gone."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def locks_of(process, document):
    """The locks that a process has on a document, by /proc/locks."""
    inode = f":{os.stat(document).st_ino}"
    with open("/proc/locks") as file:
        lines = [line.split() for line in file if "->" not in line]
    return [f"{line[3]} {line[6]}-{line[7]}" for line in lines if line[4] == str(process) and line[5].endswith(inode)]


class Folder:
    """A new folder with a state folder in it. What is started, mounted and made in it ends with it, also on Ctrl-C."""

    living = set()

    def __init__(self, emojiart):
        self.emojiart = os.path.abspath(emojiart)
        self.path = tempfile.mkdtemp(prefix="emojiart-torture.")
        os.chmod(self.path, 0o755)
        self.state = self.at("state")
        self.children, self.mounts = [], []
        for name in ("state", "config", "tmp"):
            os.mkdir(self.at(name), 0o700)
        Folder.living.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A second Ctrl-C does not stop the cleaning.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        for child in list(self.children):
            self.end(child)
        for mount in reversed(self.mounts):
            if subprocess.run(["umount", "-l", mount], stderr=subprocess.DEVNULL).returncode:
                # Only root may do that; a mount of one's own by FUSE goes so.
                subprocess.run(["fusermount3", "-u", "-z", mount], stderr=subprocess.DEVNULL)
        with open("/proc/self/mounts") as file:
            left = [line.split()[1] for line in file if self.path in line.split()[1]]
        if left:
            print(f"torture: still mounted, and so not removed: {' '.join(left)}", file=sys.stderr)
        else:
            shutil.rmtree(self.path, ignore_errors=True)
        Folder.living.discard(self)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def kill(self):
        """Kills all that was started here; who waits for it goes on."""
        for child in list(self.children):
            if child.returncode is None:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def at(self, *names):
        return os.path.join(self.path, *names)

    def mount(self, *words):
        """Mounts at the last word."""
        if os.geteuid() != 0:
            raise Skipped("mounts need root")
        done = subprocess.run(["mount", *words], capture_output=True, text=True)
        if done.returncode:
            raise Skipped(f"mount {words[0]} is not allowed: {done.stderr.strip()[-60:]}")
        self.mounts.append(words[-1])

    def unmount(self, path):
        subprocess.run(["umount", "-l", path], check=True)
        self.mounts.remove(path)

    def bindfs(self, source, target):
        """The folder `source` through FUSE at `target`; the process that serves it."""
        if not shutil.which("bindfs") or not os.path.exists("/dev/fuse"):
            raise Skipped("bindfs or /dev/fuse is missing")
        os.mkdir(target)
        server = self.start(program=["bindfs", "-f", source, target])
        until(lambda: os.path.ismount(target) or server.poll() is not None, what="a mount by bindfs")
        if server.poll() is not None:
            raise Skipped("bindfs is not allowed to mount")
        self.mounts.append(target)
        return server

    # MARK: The program

    def environment(self, state=None, **more):
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        return {
            **kept,
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "HOME": self.path,
            "TMPDIR": self.at("tmp"),
            "EMOJIART_CONFIG": self.at("config"),
            "EMOJIART_STATE": state or self.state,
            **more,
        }

    def start(self, *words, inside=(), user=None, limits={}, program=None, state=None, environment=None, **how):
        """Starts emojiart with these words, or another program, in a process group of its own.

        A session of its own would not do: SIGTSTP stops nothing in a group that no parent can continue.
        """
        command = [*(as_user(user) if user else []), *inside, *(program or [self.emojiart, *words])]

        def prepare():
            for limit, value in limits.items():
                resource.setrlimit(limit, (value, value))

        child = subprocess.Popen(
            command,
            env=environment or self.environment(state),
            process_group=0,
            preexec_fn=prepare if limits else None,
            **how,
        )
        self.children.append(child)
        return child

    def run(self, *words, timeout=60, input=None, stdout=subprocess.PIPE, **how):
        """Runs emojiart to its end: status, stdout and stderr."""
        child = self.start(
            *words,
            stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            **how,
        )
        began = time.monotonic()
        try:
            out, err = child.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Hung(f"`{' '.join(words)[:60]}` did not end within {timeout} s") from None
        finally:
            self.end(child)
            self.children.remove(child)
        done = subprocess.CompletedProcess(words, child.returncode, out, err)
        done.seconds = time.monotonic() - began
        return done

    def end(self, child):
        """Kills a child with all that it has started, where it still runs."""
        if child.poll() is None:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        for file in (child.stdin, child.stdout, child.stderr):
            if file:
                try:
                    file.close()
                except OSError:
                    pass

    def must(self, *words, **how):
        """What a round is built on: a failure here is one of the round, and no result."""
        done = self.run(*words, **how)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)[:80]}: {done.returncode} {done.stderr.strip()[-200:]}")
        return done

    def new(self, *names, emoji="🐝", at="100,100", **how):
        """A new document with one emoji, or several; its path."""
        path = self.at(*names) + ".emojiart"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.must("new", path, **how)
        if emoji:
            self.must("add", path, *emoji, "--at", at, **how)
        return path

    def emoji(self, document, **how):
        """What `show --json` shows, or None where it refuses."""
        shown = self.run("show", document, "--json", **how)
        return json.loads(shown.stdout)["emojis"] if shown.returncode == 0 else None

    def feed(self, document, requests, *options):
        """Makes many edits by one stream, which ends well."""
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        return self.must("edit", document, "--json", *options, input=lines)

    def killed(self, document, requests, at_rest=False, **how):
        """A stream that answers these requests and is killed: before it saves, or at rest, when all is saved. Its answers."""
        stream = Stream(self, document, "--autosave-delay", "3600", "--autosave-changes", "1000000", **how)
        answers = [stream.must(request) for request in requests]
        if at_rest:
            stream.must({"save": True})
        stream.kill()
        return answers

    def journals(self, ending=".journal", state=None):
        """The files of journals, as `DOCUMENT/ORIGIN` with that ending."""
        found = glob.glob(f"*/*{ending}", root_dir=os.path.join(state or self.state, "journal"))
        return sorted(found)


class Stream:
    """A running `emojiart edit --json`."""

    def __init__(self, folder, document, *options, **how):
        self.folder, self.document, self.rest, self.news, self.acknowledged = folder, document, b"", [], []
        self.process = folder.start(
            "edit",
            document,
            "--json",
            *options,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **how,
        )

    def send(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def line(self, timeout=60):
        """The next line, or None at the end."""
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([out], [], [], timeout)[0]:
                raise Hung(f"a stream did not answer within {timeout} s")
            piece = os.read(out, 1 << 16)
            if not piece:
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def answer(self, timeout=60):
        """The next answer; what stands between answers is in `news`."""
        while (line := self.line(timeout)) is not None:
            if "ok" in line or "error" in line:
                return line
            self.news.append(line)
        return None

    def ask(self, request, timeout=60):
        """The answer, or None where the stream has ended."""
        try:
            self.send(request)
        except BrokenPipeError:
            return None
        return self.answer(timeout)

    def must(self, request):
        answer = self.ask(request)
        if answer is None or "ok" not in answer:
            said = self.process.stderr.read().decode()[-200:] if answer is None else answer
            raise RuntimeError(f"a stream answers {request} with {said}")
        return answer["ok"]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self, timeout=60):
        """Ends the input, reads to the end; the status."""
        self.process.stdin.close()
        while (line := self.line(timeout)) is not None:
            self.news.append(line)
        return self.process.wait(timeout)


def died(done):
    """What killed a command, where a signal that no command should meet did."""
    return f"`{done.args[0]}` died of {signal.Signals(-done.returncode).name}" if -done.returncode in FATAL else None


def ids(emoji):
    return {one["id"] for one in emoji or []}


def added(done):
    return {one["id"] for one in json.loads(done.stdout)["emojis"]} if done.returncode == 0 else set()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def size_of(folder):
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names)


def strangers(random, folder):
    """Two users without processes, for whom the program can be run."""
    one = random.randrange(20000, 60000)
    if folder.run("--version", user=one).returncode:
        raise Skipped("another user may not run the program where it lies")
    return one, one + 1


def state_folder(folder, name, owner, mode=0o700):
    path = folder.at(name)
    os.mkdir(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


def shared_world(random, folder, own, mode):
    """Two users, a folder `shared` with that mode, and the first user's state and a folder of that name that is only that user's."""
    owner, neighbour = strangers(random, folder)
    state, private = state_folder(folder, "owner", owner), state_folder(folder, own, owner)
    os.chmod(folder.at("tmp"), 0o1777)
    os.mkdir(folder.at("shared"))
    os.chmod(folder.at("shared"), mode)
    return owner, neighbour, state, private
