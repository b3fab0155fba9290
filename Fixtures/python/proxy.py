# SPDX-License-Identifier: Apache-2.0
"""The server of pictures as a proxy."""

import select
import socket
import urllib.parse

from connection import Connection


class Proxy(Connection):
    """A plain HTTP proxy: requests with a whole URL, and CONNECT. `/log` and the like are its own."""

    def serve(self):
        head = self.head()
        if not head:
            return
        method, target, rest = head.split(b" ", 2)
        if target.startswith(b"/"):
            self.state.note(head)
            return getattr(self, "do_" + target[1:].decode("latin-1"), self.do_log)("")
        self.state.note(head)
        if self.options.log:
            with open(self.options.log, "a") as log:
                log.write(head.split(b"\r\n")[0].decode("latin-1") + "\n")
        if method == b"CONNECT":
            host, _, port = target.decode("latin-1").rpartition(":")
            ahead = self.connect(host.strip("[]"), int(port))
            self.send("HTTP/1.1 200 Connected\r\n\r\n")
        else:
            url = urllib.parse.urlsplit(target.decode("latin-1"))
            ahead = self.connect(url.hostname, url.port or 80)
            path = (url.path or "/") + ("?" + url.query if url.query else "")
            ahead.sendall(b"%b %b %b" % (method, path.encode("latin-1"), rest))
        self.relay(ahead)

    def connect(self, host, port):
        if self.options.to:
            host, port = "127.0.0.1", self.options.to
        return socket.create_connection((host, port))

    def relay(self, ahead):
        others = {self.socket: ahead, ahead: self.socket}
        while True:
            for ready in select.select(list(others), [], [])[0]:
                data = ready.recv(65536)
                if not data:
                    return ahead.close()
                others[ready].sendall(data)
