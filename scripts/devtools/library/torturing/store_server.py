# SPDX-License-Identifier: Apache-2.0
"""moto's object store under one lock, with signatures that are verified; and broken ones, which a client must refuse.

usage: python -m torturing.store_server KEY_ID [--ignore FIELD]… [--without-conditions]

The secret is the first line of stdin. Prints its address, and ends when stdin ends, so it does not outlive who started it. moto looks at
the condition of a PUT and then writes, and another thread may write between; one lock around both makes that one step, as real stores do.
"""

import argparse
import datetime
import io
import logging
import os
import sys
import threading
import urllib.parse

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from torturing.signature import canonical_request, digest, signature

SKEW = 900  # seconds that a client's clock may differ, as AWS has it
CONDITIONS = ("If-Match", "If-None-Match")


def variable(field):
    """The name of a field in the environment of WSGI."""
    name = field.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


class Verifier:
    """Says why a request is not signed as it should be."""

    def __init__(self, key_id, secret):
        self.key_id, self.secret = key_id, secret

    def refusal(self, request, body):
        """The code of the error; None for a request that is signed by the key."""
        try:
            return self.refusal_of_signed(request, body)
        except (KeyError, ValueError, IndexError):
            return "AccessDenied"

    def refusal_of_signed(self, request, body):
        def field(name):
            return request[variable(name)].encode("latin-1").decode("utf-8", "surrogateescape")

        parts = dict(part.strip().split("=", 1) for part in field("Authorization").split(" ", 1)[1].split(","))
        key_id, _, region = parts["Credential"].split("/")[:3]
        names = parts["SignedHeaders"].split(";")
        path, _, query = request["RAW_URI"].partition("?")
        pairs = [
            (urllib.parse.unquote_to_bytes(name), urllib.parse.unquote_to_bytes(value))
            for name, _, value in (pair.partition("=") for pair in query.split("&") if pair)
        ]
        time, body_digest = field("x-amz-date"), field("x-amz-content-sha256")
        text, signed = canonical_request(
            request["REQUEST_METHOD"], urllib.parse.unquote_to_bytes(path), pairs, [(name, field(name)) for name in names], body_digest)
        sent = datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        amazon = {name[5:].lower().replace("_", "-") for name in request if name.startswith("HTTP_X_AMZ_")}
        if key_id != self.key_id:
            return "InvalidAccessKeyId"
        if abs((datetime.datetime.now(datetime.timezone.utc) - sent).total_seconds()) > SKEW:
            return "RequestTimeTooSkewed"
        if "host" not in names or signed != parts["SignedHeaders"] or not amazon <= set(names):
            return "AccessDenied"
        if body_digest != digest(body):
            return "XAmzContentSHA256Mismatch"
        if signature(self.secret, text, time, region) != parts["Signature"]:
            return "SignatureDoesNotMatch"
        return None


class Server:
    """The store as a WSGI application."""

    def __init__(self, verifier, ignored, has_conditions):
        self.store = DomainDispatcherApplication(create_backend_app)
        self.verifier, self.ignored, self.has_conditions = verifier, ignored, has_conditions
        self.lock = threading.Lock()

    def __call__(self, request, start):
        # Before the lock: a slow sender holds up no one else.
        length = request.get("CONTENT_LENGTH")
        body = request["wsgi.input"].read(int(length)) if length else b""
        if length:
            request["wsgi.input"] = io.BytesIO(body)
        if refusal := self.verifier.refusal(request, body):
            return self.error(start, "403 Forbidden", refusal)
        if request["REQUEST_METHOD"] == "PUT":
            if not self.has_conditions and any(variable(field) in request for field in CONDITIONS):
                return self.error(start, "501 Not Implemented", "NotImplemented")
            for field in self.ignored:
                request.pop(variable(field), None)
        with self.lock:
            return [b"".join(self.store(request, start))]

    @staticmethod
    def error(start, status, code):
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code></Error>'.encode()
        start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]


class Handler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("key_id")
    parser.add_argument("--ignore", action="append", choices=CONDITIONS, default=[])
    parser.add_argument("--without-conditions", action="store_true")
    options = parser.parse_args()
    verifier = Verifier(options.key_id, sys.stdin.readline().strip())
    threading.Thread(target=end_with_stdin, daemon=True).start()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server(
        "127.0.0.1", 0, Server(verifier, options.ignore, not options.without_conditions), threaded=True, request_handler=Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
