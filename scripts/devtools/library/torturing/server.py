# SPDX-License-Identifier: Apache-2.0
"""Attacks on the studio's server: who takes its port, what fills its memory, requests and paths that it must refuse."""

import http.client
import json
import os
import re
import secrets
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

from . import Missed, read, strangers, until
from .studio import GONE, LOOPBACK, WAIT, Studio, client

MIB = 1 << 20


def page_of(studio, link=None):
    """A page that has proved a new session."""
    host, session = client.trade(link or studio.link())
    page = client.Page(host, session, timeout=WAIT)
    page.greet("".join(secrets.choice("0123456789abcdefghjkmnpqrstvwxyz") for _ in range(12)), None)
    return page


def ask(page, request):
    """The answer to a request."""
    tag = secrets.token_hex(8)
    page.send(json.dumps(request | {"tag": tag}))
    while (answer := page.wait()).get("tag") != tag:
        pass
    return answer


def serving(folder, **how):
    studio = Studio(folder, **how)
    if not studio.serve():
        raise RuntimeError(f"no server: {studio.said()}")
    return studio


def memory(studio):
    """The resident memory of the server in MiB."""
    with open(f"/proc/{studio.server.pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) >> 10


def get(host, target, ticket=None, method="GET", body=None, kind=None):
    """Status and body of a request of our own page; status 0 if the server has closed the connection without an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port_of(host), timeout=WAIT)
    fields = {"Host": host, "Sec-Fetch-Site": "same-origin"} | ({"Authorization": f"Bearer {ticket}"} if ticket else {})
    if method == "POST":
        fields |= {"Origin": f"http://{host}", "Content-Type": kind or "application/json"}
    try:
        connection.request(method, target, body, fields)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (http.client.HTTPException, ConnectionError):
        return 0, b""
    finally:
        connection.close()


# MARK: The port

# What another user does who waits for the port at an address: listens there, gives every page what it wants, and frees it when told to.
TAKER = """
import socket, sys
port, address = int(sys.argv[1]), sys.argv[3]
while True:
    try:
        taken = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
        break
    except OSError:
        if sys.argv[2] == "once":
            sys.exit("taken")
print("has it", flush=True)
sys.stdin.readline()
"""


def attack_port(random, folder):
    """Another user takes the port of a server that has ended, and has read in the browser all that a page keeps: its session and its token. Then
    the user's server is back."""
    stranger, _ = strangers(random, folder)
    is_kept = random.random() < 0.3
    studio = serving(folder, keeps=is_kept)
    host, port = studio.host, studio.port
    loot = [client.trade(studio.link())[1] for _ in range(random.randint(1, 3))]
    pages = [client.Page(host, session, timeout=WAIT) for session in loot]
    for page in pages:
        page.greet("0123456789ab", None)
    if random.random() < 0.5:
        studio.server.send_signal(signal.SIGKILL)
        studio.killed()
    else:
        studio.end()
    taker = folder.start(
        program=[sys.executable, "-c", TAKER, str(port), "once" if is_kept else "waits", random.choice(LOOPBACK)], user=stranger,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    had = taker.stdout.readline()
    if is_kept:
        if had:
            return "H3: another user has the port of a kept socket"
        studio.serve()
        # The control: its pages go on, so what a page keeps is what proves a session.
        for session in loot:
            if "welcome" not in client.Page(host, session, timeout=WAIT).greet("0123456789ab", None):
                return "H3: a page of a kept socket does not go on"
        return None
    if not had:
        raise Missed("the port was not taken")
    is_back = random.random() < 0.5
    if is_back:
        taker.stdin.write(b"\n")
        taker.stdin.flush()
        taker.wait(WAIT)
    studio.serve(*random.choice([[], [], ["--port", str(port)]] if is_back else [[]]))
    for session in loot:
        for at in {host, studio.host} if is_back else {studio.host}:
            try:
                if "welcome" in client.Page(at, session, timeout=WAIT).greet("0123456789ab", None):
                    return f"H3: a session of before is good at {at}"
            except GONE:
                continue
    if studio.host == host:
        return "H3: what another user has left in a browser is of the origin of the server"
    if is_back:
        code = studio.link().split("#c=")[1].split("&")[0]
        if get(host, "/session", method="POST", body=json.dumps({"code": code}))[0] != 403:
            return "H3: the former address takes a launch code"
        if get(host, "/")[0] != 200:
            return "H3: a tab at the former address cannot be loaded"
    record = [name for name in os.listdir(folder.at("run", "emojiart")) if name.endswith(".json")]
    with open(folder.at("run", "emojiart", record[0])) as file:
        if json.load(file)["sessions"]:
            return "H3: sessions are kept on the disk without a socket"
    return None


# MARK: What waits


def flood_pings(page, random):
    """Pings whose answers are not read."""
    data = secrets.token_bytes(random.randint(0, 125))
    mask = secrets.token_bytes(4)
    frame = bytes([0x89, 0x80 | len(data)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data))
    return frame * 2000


def unread_requests(page, random):
    text = json.dumps({"find": {"limit": 500, "words": random.choice(["a", "face", "flag"])}, "tag": "x"}).encode()
    return (bytes([0x81, 0x80 | len(text)]) + bytes(4) + text) * 500


def attack_waiting(random, folder):
    """Pages that send and read nothing, bodies and messages of which the end does not come, and answers that nobody reads: the server's memory has
    a bound, and it answers another page."""
    studio = serving(folder)
    before, after = memory(studio), 0
    page = page_of(studio)
    sockets, wanted = [], 420
    kind = random.choice(["pings", "requests", "bodies", "messages", "answers"])
    end = time.monotonic() + 12
    try:
        if kind in ("pings", "requests"):
            for _ in range(random.randint(1, 4)):
                other = page_of(studio)
                other.socket.settimeout(2)
                sockets.append(other.socket)
                flood = (flood_pings if kind == "pings" else unread_requests)(other, random)
                while time.monotonic() < end:
                    try:
                        other.socket.sendall(flood)
                    except OSError:
                        break
        for _ in range(random.randint(15, 25) if kind in ("bodies", "messages", "answers") else 0):
            if kind == "messages":
                try:
                    other = page_of(studio).socket
                except GONE:
                    continue
                size = random.randint(7, 8) * MIB
                part = bytes([0x81, 0xFF]) + struct.pack(">Q", size) + bytes(4)
            else:
                other = socket.create_connection(("127.0.0.1", studio.port))
                host = f"Host: {studio.host}\r\nSec-Fetch-Site: same-origin\r\nAuthorization: Bearer {page.ticket}\r\n"
                size = random.randint(40, 63) * MIB if kind == "bodies" else 0
                part = (
                    f"POST /upload?name=a HTTP/1.1\r\n{host}Origin: http://{studio.host}\r\n"
                    f"Content-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n" if kind == "bodies" else
                    f"GET /render?document=bees.emojiart&format=png&scale=8 HTTP/1.1\r\n{host}\r\n").encode()
            other.settimeout(2)
            sockets.append(other)
            try:
                other.sendall(part)
                # One byte is missing.
                for number in range(size // MIB):
                    other.sendall(bytes(MIB - (number == 0)))
            except OSError:
                pass
            after = max(after, memory(studio))
        after = max(after, memory(studio))
        if get(studio.host, "/main.js")[0] not in (200, 503):
            return f"H15: the server answers nobody under {kind}"
    finally:
        for each in sockets:
            each.close()
    if after - before > wanted:
        return f"H15: {kind} take {after - before} MiB"
    until(lambda: get(studio.host, "/main.js")[0] == 200, what="an answer after all that")
    studio.end()
    return None


def attack_frames(random, folder):
    """Frames with reserved bits end the connection, whatever they are and say, and nothing of them is performed."""
    studio = serving(folder)
    name = f"made{random.randrange(10**6)}"
    page = page_of(studio)
    text = json.dumps({"documents": {"makeFolder": name}, "tag": "x"}).encode()
    bits = random.randint(1, 7) << 4
    opcode = random.choice([1, 1, 9, 10, 2])
    body = text if opcode in (1, 2) else text[:100]
    page.socket.sendall(bytes([0x80 | bits | opcode, 0x80 | len(body)]) + bytes(4) + body)
    try:
        while True:
            answer = page.wait()
            if answer.get("tag") == "x":
                return f"H11: a frame with the bits {bits:#x} is performed: {answer}"
    except GONE:
        pass
    if os.path.exists(folder.at("art", name)):
        return "H11: a frame with reserved bits has made a folder"
    studio.end()
    return None


# MARK: Paths


def attack_hidden(random, folder):
    """No request of a page reaches a hidden document, or one in a hidden folder."""
    studio = serving(folder)
    with open(studio.document, "rb") as file:
        data = file.read()
    place = random.choice([".hid/h.emojiart", ".h.emojiart", "a/.hid/b/h.emojiart", "a/.h.emojiart", ".emojiart"])
    os.makedirs(os.path.dirname(folder.at("art", place)), exist_ok=True)
    with open(folder.at("art", place), "wb") as file:
        file.write(data)
    page = page_of(studio)
    query = urllib.parse.urlencode({"document": place})
    for target in [f"/picture?{query}", f"/copy?{query}", f"/thumbnail?{query}&side=192", f"/render?{query}&format=png"]:
        status, _ = get(studio.host, target, page.ticket)
        if status in (0, 200):
            return f"U15: {target} answers {status}"
    requests = [{"open": place}] + [
        {"documents": each} for each in [{"duplicate": place}, {"repair": place}, {"delete": [place]}, {"rename": {"document": place, "to": "x"}},
                                         {"create": {"name": "x", "template": place}}]]
    for request in requests:
        answer = ask(page, request)
        if "error" not in answer and "failed" not in answer.get("documents", {}):
            return f"U15: {request} answers {answer}"
    if sorted(os.listdir(folder.at("art"))) != sorted({"bees.emojiart", place.split("/")[0]}):
        return f"U15: there are {os.listdir(folder.at('art'))}"
    studio.end()
    return None


SWAPS = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
folder, private, end = sys.argv[1], sys.argv[2], time.time() + float(sys.argv[3])
os.symlink(private, folder + "/alt")
one, other = (folder + "/posters").encode(), (folder + "/alt").encode()
count = 0
while time.time() < end:
    if libc.renameat2(-100, one, -100, other, 2):
        sys.exit("no exchange")
    count += 1
    if count % 3 == 0:
        time.sleep(0.0002)
if os.path.islink(folder + "/posters"):
    libc.renameat2(-100, one, -100, other, 2)
print(count)
"""


def attack_swaps(random, folder):
    """A neighbour who may write to the served folder exchanges a subfolder with a link to a private folder all the time, while a page works in
    it: nothing of the private folder is given, made, moved or changed."""
    stranger, _ = strangers(random, folder)
    studio = serving(folder)
    art, private = folder.at("art"), folder.at("private")
    os.mkdir(private, 0o700)
    for name, emoji in [("x", "🐘"), ("y", "🐘")]:
        folder.new("private", name, emoji=emoji)
    before = {name: read(os.path.join(private, name)) for name in os.listdir(private)}
    os.mkdir(folder.at("art", "posters"))
    folder.new("art", "posters", "x", emoji="🌸")
    folder.new("art", "posters", "y", emoji="🌸")
    subprocess.run(["chown", "-R", f"{stranger}:{stranger}", folder.at("art", "posters")], check=True)
    for each in [art, folder.at("art", "posters")]:
        os.chmod(each, 0o777)
    seconds = random.randint(6, 10)
    swapper = folder.start(
        program=[sys.executable, "-c", SWAPS, art, private, str(seconds)], user=stranger, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    page = page_of(studio)
    end, tries, broken, done = time.monotonic() + seconds - 1, 0, None, 0
    requests = [
        lambda: ask(page, {"open": "posters/x.emojiart"}), lambda: ask(page, {"close": True}),
        lambda: ask(page, {"documents": {"create": {"height": 9, "name": "posters/n", "width": 9}}}),
        lambda: ask(page, {"documents": {"makeFolder": f"posters/d{tries}"}}),
        lambda: ask(page, {"documents": {"duplicate": "posters/x.emojiart"}}),
        lambda: ask(page, {"documents": {"rename": {"document": "posters/y.emojiart", "to": "posters/z.emojiart"}}}),
        lambda: ask(page, {"documents": {"rename": {"document": "posters/z.emojiart", "to": "y.emojiart"}}}),
        lambda: ask(page, {"documents": {"rename": {"document": "y.emojiart", "to": "posters/y.emojiart"}}}),
        lambda: ask(page, {"documents": {"delete": ["posters/y.emojiart"]}}),
        lambda: ask(page, {"documents": {"putBack": ["posters/y.emojiart"]}}),
        lambda: get(studio.host, "/copy?document=posters/x.emojiart", page.ticket),
        lambda: get(studio.host, "/upload?name=u&folder=posters", page.ticket, "POST", b'{"emojis":[],"canvas":{"width":9,"height":9}}', "application/octet-stream"),
        lambda: ask(page, {"documents": {"list": "posters"}}),
    ]
    while time.monotonic() < end and not broken:
        tries += 1
        answer = random.choice(requests)()
        data = answer[1] if isinstance(answer, tuple) else json.dumps(answer, ensure_ascii=False).encode()
        done += isinstance(answer, dict) and "ok" in answer or isinstance(answer, tuple) and answer[0] == 200
        if "🐘".encode() in data:
            broken = f"F40: the private document was given: {data[:40]!r}"
    out, err = swapper.communicate(timeout=WAIT)
    if err or int(out or 0) < 100:
        raise Missed(f"the folder was not exchanged: {err.decode()[-100:]}")
    if broken:
        return broken
    if not done:
        raise Missed("no request came between two exchanges")
    if sorted(os.listdir(private)) != sorted(before):
        return f"F40: in the private folder there are {sorted(os.listdir(private))}"
    if changed := [name for name in before if read(os.path.join(private, name)) != before[name]]:
        return f"F40: in the private folder {changed} are changed"
    for path, _, names in os.walk(art):
        for name in names:
            if name.endswith(".emojiart") and not os.path.islink(os.path.join(path, name)) and read(os.path.join(path, name)) in before.values():
                return f"F40: {path}/{name} is a private document"
    return None
