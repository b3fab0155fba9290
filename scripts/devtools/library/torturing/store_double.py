# SPDX-License-Identifier: Apache-2.0
"""An object store in memory, with the standard library only. It checks the conditions of a write in one step, as a store must, and no
signatures. It can be told to lie."""

import collections
import hashlib
import http.server
import threading
import urllib.parse
from xml.sax.saxutils import escape

BUCKET = "bucket"


def etag(data):
    return f'"{hashlib.md5(data).hexdigest()}"'


def listing(objects, token=None):
    """The XML of a page: `objects` has names and entity tags, or names, tags and sizes; with a token, the listing goes on."""
    rows = "".join(
        f"<Contents><Key>{escape(urllib.parse.quote(key, safe='/'))}</Key><ETag>{escape(tag, {chr(34): '&quot;'})}</ETag>"
        + (f"<Size>{size[0]}</Size>" if size else "")
        + "</Contents>"
        for key, tag, *size in objects
    )
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return f"<ListBucketResult><IsTruncated>{'true' if token else 'false'}</IsTruncated>{more}{rows}</ListBucketResult>".encode()


class StoreDouble:
    """A bucket, at `endpoint` while the context lasts. `lie` gets the method, the key, the query and the fields of a request, and returns a
    status, fields and a body, or None for the honest answer."""

    def __init__(self, lie=lambda method, key, query, fields: None):
        self.lie, self.lock = lie, threading.Lock()
        self.objects, self.states, self.requests = {}, {}, collections.Counter()

    def __enter__(self):
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path, _, query = self.path.partition("?")
                key = urllib.parse.unquote(path).removeprefix(f"/{BUCKET}").removeprefix("/")
                fields = {name.lower(): value for name, value in self.headers.items()}
                query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
                store.requests["LIST" if "list-type" in query else self.command] += 1
                status, fields, data = store.lie(self.command, key, query, fields) or store.honest(
                    self.command, key, query, fields, body)
                self.send_response(status)
                for name, value in ({"content-length": str(len(data))} | fields).items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_HEAD = do_PUT = do_DELETE = answer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def put(self, key, data, state=None):
        self.objects[key] = data
        self.states[key] = state

    def honest(self, method, key, query, fields, body):
        with self.lock:
            if "list-type" in query:
                keys = sorted(name for name in self.objects if name.startswith(query.get("prefix", "")))
                return 200, {}, listing([(name, etag(self.objects[name]), len(self.objects[name])) for name in keys])
            there = self.objects.get(key)
            if method == "PUT":
                if fields.get("if-none-match") == "*" and there is not None:
                    return 412, {}, b""
                if "if-match" in fields and (there is None or etag(there) != fields["if-match"]):
                    return 412, {}, b""
                self.put(key, body, fields.get("x-amz-meta-emojiart-state"))
                return 200, {"etag": etag(body)}, b""
            if method == "DELETE":
                self.objects.pop(key, None)
                return 204, {}, b""
            if there is None:
                return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
            state = self.states[key]
            return 200, {"etag": etag(there)} | ({"x-amz-meta-emojiart-state": state} if state else {}), there


def sync_words(store, folder, *more, prefix="t/"):
    """The words of `emojiart sync` of a folder and a store."""
    return ["sync", folder, f"s3://{BUCKET}/{prefix}", "--endpoint", store.endpoint, *more]


# A key, which a double does not check.
KEY = {"AWS_ACCESS_KEY_ID": "TORTUREKEY", "AWS_SECRET_ACCESS_KEY": "torture-secret", "AWS_REGION": "us-east-1"}
