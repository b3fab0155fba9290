# SPDX-License-Identifier: Apache-2.0
"""A proxy before an object store that makes faults. Requests and answers are passed on as they are, so signatures stay right.

Which fault a request meets is drawn from a seeded generator in the order of arrival; clients that run at once arrive in any order.
"""

import collections
import http.client
import http.server
import random as randomness
import socket
import threading
import urllib.parse

PASSED = "passed"
BUSY = "503"  # with a time after which the client may try again; not passed on
CONFLICT = "409"  # for a PUT; not passed on
ANSWER_LOST = "answers lost"  # of a PUT or a DELETE that was passed on
UPLOAD_CUT = "uploads cut"  # in the middle, for the store, too
DOWNLOAD_CUT = "downloads cut"  # in the middle
HELD = "answers held"  # of a PUT that was passed on: until the client is killed
RATES = {BUSY: 0.04, CONFLICT: 0.03, ANSWER_LOST: 0.05, UPLOAD_CUT: 0.04, DOWNLOAD_CUT: 0.04}
FITTING = {
    BUSY: ("GET", "HEAD", "PUT", "DELETE"), CONFLICT: ("PUT",), ANSWER_LOST: ("PUT", "DELETE"), UPLOAD_CUT: ("PUT",), DOWNLOAD_CUT: ("GET",),
}
MOST_IN_A_ROW = 3  # for one object and method, so that a client that tries again some times comes through
TIMEOUT = 120


class Hold:
    """The answer of the next PUT to a path that fits, which the client never gets. `reached` is set when the store has done the PUT."""

    def __init__(self, fits):
        self.fits = fits
        self.reached, self.released = threading.Event(), threading.Event()


class FaultProxy:
    """Listens at `endpoint` while its block runs. `counts` has the number of requests by what was done with them.

    `spares` says for the path of an object that its requests meet no fault.
    """

    def __init__(self, upstream, seed, rates=RATES, spares=lambda path: False):
        self.upstream = urllib.parse.urlsplit(upstream)
        self.random, self.rates, self.spares = randomness.Random(f"faults:{seed}"), rates, spares
        self.is_on, self.lock, self.hold = True, threading.Lock(), None
        self.counts, self.in_a_row = collections.Counter(), collections.Counter()
        # A fault and the number of the request that meets it, counted down; then the method and the path of that request.
        self.planned = self.met = None
        # The method, the path and the status of each request, in the order of their ends.
        self.requests = []
        proxy = self

        class Handler(RequestHandler):
            def __init__(self, *words):
                self.proxy = proxy
                super().__init__(*words)

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.release()
        self.server.shutdown()
        self.server.server_close()

    @property
    def faults(self):
        """The number of faults by kind."""
        return {kind: count for kind, count in sorted(self.counts.items()) if kind != PASSED}

    def hold_next(self, fits):
        """Holds the answer of the next PUT that is passed on to a path that fits, until `release`."""
        with self.lock:
            self.hold = Hold(fits)
            return self.hold

    def plan(self, kind, number):
        """The request of that number from now on, the first is 1, meets this fault, if it fits its method."""
        with self.lock:
            self.planned = (kind, number)

    def release(self):
        """Drops the answer that is held, and holds none from now on."""
        with self.lock:
            hold, self.hold = self.hold, None
        if hold:
            hold.released.set()

    def choose(self, method, path):
        """The fault that a request meets, and what holds its answer."""
        with self.lock:
            # One draw a request, whatever it leads to.
            drawn, chosen = self.random.random(), PASSED
            for kind, rate in self.rates.items():
                if drawn < rate:
                    chosen = kind
                    break
                drawn -= rate
            is_fit = chosen != PASSED and method in FITTING[chosen] and self.in_a_row[method, path] < MOST_IN_A_ROW
            if not self.is_on or not is_fit or self.spares(path):
                chosen = PASSED
            if self.planned:
                kind, number = self.planned
                self.planned, self.met = ((kind, number - 1), None) if number > 1 else (None, (method, path))
                chosen = kind if number == 1 and method in FITTING[kind] else PASSED
            hold = None
            if chosen == PASSED and method == "PUT" and self.hold and not self.hold.reached.is_set() and self.hold.fits(path):
                hold, chosen = self.hold, HELD
            self.in_a_row[method, path] = 0 if chosen == PASSED else self.in_a_row[method, path] + 1
            self.counts[chosen] += 1
            return chosen, hold

    def note(self, method, path, status):
        with self.lock:
            self.requests.append((method, path, status))


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_):
        """A killed client is not an error."""


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT

    def log_message(self, *_):
        pass

    def handle_request(self):
        path = self.path.partition("?")[0]
        length = int(self.headers.get("content-length") or 0)
        kind, hold = self.proxy.choose(self.command, path)
        if kind == UPLOAD_CUT:
            self.send(self.rfile.read(length // 2)).close()
            return self.drop()
        body = self.rfile.read(length)
        if kind in (BUSY, CONFLICT):
            return self.refuse(kind)
        upstream = self.send(body)
        try:
            answer = upstream.getresponse()
            data = answer.read()
        finally:
            upstream.close()
        self.proxy.note(self.command, path, answer.status)
        if hold:
            hold.reached.set()
            hold.released.wait(TIMEOUT)
        if kind in (ANSWER_LOST, HELD):
            return self.drop()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "keep-alive", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        length = answer.getheader("content-length") or "0" if self.command == "HEAD" else str(len(data))
        if answer.status not in (204, 304):
            self.send_header("content-length", length)
        self.end_headers()
        if kind == DOWNLOAD_CUT:
            self.wfile.write(data[: len(data) // 2])
            return self.drop()
        self.wfile.write(data)

    do_GET = do_HEAD = do_PUT = do_DELETE = handle_request

    def send(self, body):
        """Begins a request to the store with these bytes of its body."""
        upstream = http.client.HTTPConnection(self.proxy.upstream.netloc, timeout=TIMEOUT)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                upstream.putheader(name, value.encode("latin-1"))
        upstream.endheaders(body or None)
        return upstream

    def refuse(self, status):
        code = "SlowDown" if status == BUSY else "ConditionalRequestConflict"
        body = f"<Error><Code>{code}</Code><Message>a fault of the test</Message></Error>".encode()
        self.proxy.note(self.command, self.path, int(status))
        self.send_response_only(int(status))
        if status == BUSY:
            self.send_header("retry-after", "1")
        self.send_header("content-type", "application/xml")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def drop(self):
        """Ends the connection without more bytes."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
