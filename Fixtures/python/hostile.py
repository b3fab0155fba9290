# SPDX-License-Identifier: Apache-2.0
"""The answers of the server of pictures that no client should fall for."""

import gzip
import zlib

from connection import PICTURE, Connection


class Hostile(Connection):
    """A connection on which anything may come."""


    def do_redirect(self, rest):
        first, _, url = rest.partition("to/")
        if url:
            self.redirect(url, first.strip("/") or "302")
        elif rest.isdigit():
            self.redirect(f"/redirect/{int(rest) - 1}" if int(rest) > 1 else "/picture")
        elif rest == "none":
            self.answer(b"moved", "text/plain", "302 Moved")
        elif rest == "twice":
            self.redirect("/picture", "302", "Location: /status/404")
        elif rest == "relative":
            self.redirect("../picture")
        else:
            self.redirect("" if rest == "empty" else "/redirect/loop")

    def do_endless(self, kind):
        if kind == "chunks":
            self.answer(b"", "image/png", "200 OK", "Transfer-Encoding: chunked")
            self.forever(b"10000\r\n" + bytes(65536) + b"\r\n")
        else:
            self.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
            self.forever(bytes(65536))

    def do_slow(self, kind):
        if kind == "bytes":
            self.answer(b"", "image/png", "200 OK", "Content-Length: 1000000")
            self.forever(b"\x89", 0.05)
        elif kind == "head":
            self.send("HTTP/1.1 200 OK\r\nX-Slow: ")
            self.forever("a", 0.05)
        else:
            self.wait_for_end()

    def do_flood(self, kind):
        if kind == "continue":
            self.forever("HTTP/1.1 100 Continue\r\n\r\n" * 1000)
        self.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n")
        if kind == "trailers":
            self.send("Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
        if kind == "line":
            self.send("X-Flood: ")
            self.forever("a" * 4096)
        self.forever("X-Flood: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n" * 100)

    def do_length(self, kind):
        count = len(PICTURE)
        lines = {
            "long": [f"Content-Length: {count + 1000}"],
            "short": [f"Content-Length: {count - 10}"],
            "negative": ["Content-Length: -1"],
            "twice": [f"Content-Length: {count}", f"Content-Length: {count + 10}"],
            "list": [f"Content-Length: {count}, {count + 10}"],
            "junk": ["Content-Length: many"],
            "huge": ["Content-Length: 99999999999999999999999"],
            "over": ["Content-Length: 20971521"],
            "chunked": ["Content-Length: 10", "Transfer-Encoding: chunked"],
        }[kind]
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (count, PICTURE) if kind == "chunked" else PICTURE
        self.answer(body, "image/png", "200 OK", *lines)

    def do_encoding(self, kind):
        body = gzip.compress(bytes(100 << 20)) if kind == "gzip" else PICTURE
        self.answer(body, "image/png", "200 OK", f"Content-Encoding: {kind}")

    def do_compressed(self, kind):
        kind, _, count = kind.partition("/")
        picture = bytes(int(count)) if count else PICTURE
        plain = zlib.compressobj(wbits=-15)
        body = {
            "gzip": gzip.compress(picture),
            "x-gzip": gzip.compress(picture),
            "zlib": zlib.compress(picture),
            "plain": plain.compress(picture) + plain.flush(),
            "cut": gzip.compress(picture)[:-9],
            "broken": gzip.compress(picture)[:-8] + bytes(8),
            "more": gzip.compress(picture) + b"more",
            "none": b"",
        }[kind]
        coding = {"zlib": "deflate", "plain": "deflate", "x-gzip": "x-gzip"}.get(kind, "gzip")
        self.answer(body, "image/png", "200 OK", f"Content-Encoding: {coding}")

    def do_transfer(self, kind):
        body = gzip.compress(PICTURE) if "gzip" in kind else PICTURE
        self.answer(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), "image/png", "200 OK",
                    f"Transfer-Encoding: {kind}, chunked")

    def do_reset(self, kind):
        if kind == "body":
            self.answer(PICTURE[:20], "image/png", "200 OK", "Content-Length: 1000")
        elif kind == "head":
            self.send("HTTP/1.1 200 OK\r\nContent-Ty")
        self.reset()

    def do_cookie(self, _):
        self.redirect("/picture", "302", "Set-Cookie: visitor=1; Path=/")

    def do_old(self, _):
        self.send(PICTURE)

    def do_junk(self, _):
        self.send("SSH-2.0-OpenSSH_9.2p1\r\n\r\n")
