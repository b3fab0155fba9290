# SPDX-License-Identifier: Apache-2.0
"""A connection to the server of pictures, and its honest answers."""

import base64
import os
import select
import socket
import struct
import threading
import urllib.parse

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
         ".avif": "image/avif", ".svg": "image/svg+xml", ".html": "text/html", ".txt": "text/plain"}
# What is told about the server itself: no kind of picture, and none that is refused as another one.
PLAIN = "application/octet-stream"
QUIET = ("/count", "/connections", "/log", "/heads", "/release/", "/held/")


class State:
    """What was asked until now."""

    def __init__(self):
        self.changed = threading.Condition()
        self.connections = 0
        self.heads = []
        self.released = set()
        self.held = set()

    def note(self, head):
        path = head.split(b" ")[1].decode("latin-1") if head.count(b" ") > 1 else ""
        with self.changed:
            if path.startswith(QUIET):
                self.connections -= 1
            else:
                self.heads.append(head.decode("latin-1"))

    def add(self, names, name):
        with self.changed:
            names.add(name)
            self.changed.notify_all()

    def wait(self, names, name):
        with self.changed:
            self.changed.wait_for(lambda: name in names)


class Connection:
    """One connection, and one request on it."""

    def __init__(self, connection, state, options):
        self.socket, self.state, self.options = connection, state, options

    def send(self, data):
        self.socket.sendall(data.encode("utf-8") if isinstance(data, str) else data)

    def head(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.socket.recv(4096)
            if not more or len(data) > 1 << 20:
                return b""
            data += more
        return data

    def answer(self, body, kind="image/png", status="200 OK", *lines):
        head = [f"HTTP/1.1 {status}", "Connection: close", *lines]
        if kind is not None:
            head.append(f"Content-Type: {kind}")
        if not any(line.lower().startswith(("content-length:", "transfer-encoding:")) for line in lines):
            head.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join(head) + "\r\n\r\n")
        self.send(body)

    def redirect(self, url, status="302", *lines):
        self.answer(b"moved", "text/plain", f"{status} Moved", f"Location: {url}", *lines)

    def forever(self, data, pause=0):
        """Until the other side goes: while it waits it hears of that, too."""
        while True:
            self.send(data)
            if pause and select.select([self.socket], [], [], pause)[0] and not self.socket.recv(1):
                return

    def wait_for_end(self):
        while self.socket.recv(4096):
            pass

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def serve(self):
        head = self.head()
        if not head:
            return
        self.state.note(head)
        target = head.split(b" ")[1].decode("latin-1") if head.count(b" ") > 1 else "/"
        route, _, rest = target.split("?")[0][1:].partition("/")
        method = getattr(self, "do_" + route.replace("-", "_"), None)
        if method:
            method(urllib.parse.unquote(rest))
        else:
            self.answer(b"there is nothing", "text/plain", "404 Not Found")

    def file(self, name):
        """The file's bytes and type; None when there is none."""
        path = os.path.join(self.options.folder or "", name)
        if not self.options.folder or os.path.basename(name) != name or not os.path.isfile(path):
            self.answer(b"there is no such file", "text/plain", "404 Not Found")
            return None
        with open(path, "rb") as file:
            return file.read(), KINDS.get(os.path.splitext(name)[1].lower(), "application/octet-stream")

    # Pictures.

    def do_picture(self, _):
        self.answer(PICTURE)

    def do_files(self, name):
        found = self.file(name)
        if found:
            self.answer(*found)

    def do_hold(self, name):
        self.state.add(self.state.held, name)
        self.state.wait(self.state.released, name)
        self.do_files(name)

    def do_held(self, name):
        self.state.wait(self.state.held, name)
        self.answer(b"held\n", PLAIN)

    def do_release(self, name):
        self.state.add(self.state.released, name)
        self.answer(b"released\n", PLAIN)

    def do_half(self, name):
        found = self.file(name)
        if not found:
            return
        body, kind = found
        half = len(body) // 2
        self.answer(body[:half], kind, "200 OK", f"Content-Length: {len(body)}")
        self.state.add(self.state.held, name)
        self.state.wait(self.state.released, name)
        self.send(body[half:])

    def do_size(self, count):
        self.answer(bytes(int(count)))

    def do_crumbs(self, count):
        self.answer(b"1\r\na\r\n" * int(count) + b"0\r\n\r\n", "image/png", "200 OK", "Transfer-Encoding: chunked")

    def do_status(self, status):
        self.answer(PICTURE, "image/png", f"{status} As Asked")

    def do_type(self, kind):
        self.answer(PICTURE, kind or None)

    def do_html(self, _):
        self.answer(b"<!doctype html><title>Log in</title>", "image/png")

    # What was asked.

    def do_count(self, _):
        self.answer(f"{len(self.state.heads)}\n".encode(), PLAIN)

    def do_connections(self, _):
        self.answer(f"{self.state.connections}\n".encode(), PLAIN)

    def do_log(self, _):
        lines = [head.split("\r\n")[0] for head in self.state.heads]
        self.answer("".join(line + "\n" for line in lines).encode("latin-1"), PLAIN)

    def do_heads(self, _):
        self.answer("".join(self.state.heads).encode("latin-1"), PLAIN)
