# SPDX-License-Identifier: Apache-2.0
"""The studio's server of one document, and pages that keep what the browser's page keeps (store.js), for `scripts/dev torture studio`."""

import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys

import studio_client as client

from . import Hung, read

GONE = (client.Gone, ConnectionError, http.client.HTTPException)  # what a page meets when its server has been killed
WAIT = 60  # seconds after which something that does not come counts as hung


class Broken(Exception):
    """A promise does not hold. The text begins with the rule."""


def loopback():
    """The addresses of this machine at which a server listens."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        print(f"at 127.0.0.1 only, the machine has no ::1: {error}", file=sys.stderr)
        return ["127.0.0.1"]
    return ["127.0.0.1", "::1"]


LOOPBACK = loopback()


def listening():
    """Sockets at one port of these addresses."""
    refused = []  # they stay taken meanwhile, so each port comes once
    try:
        while True:
            first = socket.create_server((LOOPBACK[0], 0), backlog=64)
            try:
                return [first] + [
                    socket.create_server((address, first.getsockname()[1]), family=socket.AF_INET6, backlog=64)
                    for address in LOOPBACK[1:]]
            except OSError:
                refused.append(first)
                if len(refused) == 64:
                    raise
    finally:
        for one in refused:
            one.close()


def handing(kept):
    """The words before a server that hand it listening sockets, as systemd does; the descriptors must be passed, too."""
    words = " ".join(f"{3 + place}<&{one.fileno()}" for place, one in enumerate(kept))
    return ["bash", "-c", f'export LISTEN_PID=$$ LISTEN_FDS={len(kept)}; exec "$@" {words}', "serve"]


class Studio:
    """A folder with one document, and its server. Its sockets outlive servers, if `keeps`, so that pages go on."""

    def __init__(self, folder, document=None, keeps=True):
        self.folder, self.host, self.port, self.server = folder, None, None, None
        self.kept = listening() if keeps else None
        self.document = document or folder.new("art", "bees")
        self.errors = open(folder.at("errors"), "ab")
        os.makedirs(folder.at("run"), 0o700, exist_ok=True)
        self.environment = folder.environment(XDG_RUNTIME_DIR=folder.at("run"))

    def serve(self, *options, begun=lambda server: None, **more):
        """Starts the server. False if it has ended before it printed its link."""
        self.server = self.folder.start(
            "serve", self.document, *options, environment=self.environment | more, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors,
            **({"inside": handing(self.kept), "pass_fds": tuple(one.fileno() for one in self.kept)} if self.kept else {}))
        begun(self.server)
        if not select.select([self.server.stdout], [], [], WAIT)[0]:
            raise Hung("the server prints no link")
        link = self.server.stdout.readline().decode().strip()
        if not link:
            return False
        host = re.match(r"http://([0-9a-f]{20}\.emojiart\.localhost:\d+)/#c=", link)[1]
        if self.kept and self.host not in (None, host):
            raise Broken(f"H3: a server that was started again is at {host} instead of {self.host}")
        self.host, self.port = host, client.port_of(host)
        return True

    def killed(self):
        """Waits for a server that was killed. One that has ended by itself is a fault."""
        status = self.server.wait(WAIT)
        self.folder.end(self.server)
        self.folder.children.remove(self.server)
        if status != -signal.SIGKILL:
            raise Broken(f"H6: the server ended by itself with {status}: {self.said()}")

    def end(self):
        """Ends the server by SIGTERM, and checks that nothing is left."""
        self.server.terminate()
        status = self.server.wait(WAIT)
        if status or self.folder.journals():
            raise Broken(f"H10: SIGTERM ends the server with {status}, and {self.folder.journals()}: {self.said()}")

    def link(self):
        """A link with a new code, as a second `emojiart serve` prints it."""
        done = self.folder.run("serve", self.document, "--link", environment=self.environment)
        if done.returncode:
            raise client.Gone("the server has closed the connection to its control socket")
        return done.stdout.strip()

    def shown(self):
        """The document in the file: its revision, its emoji by id, its canvas, and the ids from bottom to top."""
        return content(json.loads(self.folder.must("show", self.document, "--json").stdout))

    def said(self):
        return read(self.folder.at("errors")).decode(errors="replace").strip()[-300:]


def label(fields):
    """An emoji without the usual values, which documents leave out."""
    return {key: value for key, value in fields.items() if value is not None and value is not False and (key, value) != ("rotation", 0)}


def content(document):
    labels = {one["id"]: {key: value for key, value in label(one).items() if key != "z"} for one in document["emojis"]}
    return document["revision"], labels, document["canvas"], [one["id"] for one in document["emojis"]]


class Page:
    """A page: what is confirmed, and which requests are pending. It may be connected again and again."""

    def __init__(self, studio, name):
        self.studio, self.name, self.session, self.line = studio, name, None, None
        self.confirmed, self.canvas, self.saved = {}, {}, {}
        self.version, self.revision, self.count = -1, 0, 0
        self.pending, self.answers = {}, {}  # requests, and answers to others than edits, by their tags
        self.done, self.refused = set(), {}  # the tags of edits that the server has answered, or has told in an event
        self.held = None  # the events since a resync, until the document has come
        self.answered_version = 0
        self.repeated = self.changes = self.resyncs = self.bytes = 0
        self.bye = None
        self.misses = lambda change: False  # for controls: the changes whose effect the page forgets

    def connect(self, resends=True, **how):
        """Connects, opens the document, and sends again what is pending."""
        self.disconnect()
        try:
            if self.session is None:
                self.session = client.trade(self.studio.link())[1]
            self.line = client.Page(self.studio.host, self.session, timeout=WAIT, **how)
            welcome = self.line.greet(self.name, None)
        except client.Gone as gone:
            if "closed the connection" in str(gone):
                raise
            raise Broken(f"H3: {gone}") from None
        if "welcome" not in welcome:
            raise Broken(f"H3: a page that proves its session gets {welcome}")
        # Events that come with the answer wait for it.
        self.held = []
        tag = self.send({"open": os.path.basename(self.studio.document)})
        settle([self], lambda: self.held is None or tag in self.answers, "the document")
        if self.held is not None:
            raise Broken(f"H6: the document is not opened: {self.answers.pop(tag)}")
        for request in list(self.pending.values()) if resends else []:
            self.line.send(json.dumps(request))

    def disconnect(self):
        if self.line:
            self.line.socket.close()
        self.line, self.held = None, None

    def drain(self):
        """Receives what has come from a server that was killed."""
        while self.line:
            try:
                pump([self])
            except GONE:
                self.disconnect()

    def edit(self, body, tag=None):
        """Sends an edit, which is pending until it is answered."""
        self.count += 1
        tag = tag or f"edit-{self.count}"
        self.pending[tag] = body | {"since": self.saved["head"], "tag": tag}
        self.line.send(json.dumps(self.pending[tag]))

    def ask(self, body, others=()):
        """Sends another request, and gives what was answered. Other pages read meanwhile."""
        tag = self.send(body)
        settle([self, *others], lambda: tag in self.answers, f"an answer to {body}")
        answer = self.answers.pop(tag)
        if "ok" not in answer:
            raise Broken(f"H6: {body} is answered with {answer}")
        return answer["ok"]

    def send(self, body):
        self.count += 1
        self.line.send(json.dumps(body | {"tag": f"ask-{self.count}"}))
        return f"ask-{self.count}"

    @property
    def is_saved(self):
        """Whether the page would show `Saved`."""
        return not self.pending and self.version >= self.answered_version and self.held is None and self.saved["revision"] == self.revision

    @property
    def unsaved(self):
        """How many edits the page knows to be made and not saved, and its pending ones."""
        return self.revision - self.saved["revision"] + len(self.pending)

    # MARK: Messages

    def receive(self, text):
        message = json.loads(text)
        self.bytes += len(text)
        if "tag" in message and ("ok" in message or "error" in message):
            self.answered(message)
        elif "version" in message:
            self.answered_version = max(self.answered_version, message["version"])
        elif "bye" in message:
            self.bye = message["bye"]
        else:
            self.hold_or_apply(message)

    def hold_or_apply(self, message):
        """Events after a `resync` wait for the document, also if the `resync` itself has waited."""
        if self.held is None:
            self.apply(message)
        else:
            self.held.append(message)

    def answered(self, message):
        tag = message["tag"]
        if tag.startswith("ask-"):
            self.answers[tag] = message
            if "document" in message.get("ok", {}) and self.held is not None:
                self.load(self.answers.pop(tag)["ok"])
            return
        request = self.pending.pop(tag, {})
        if "ok" in message:
            self.done.add(tag)
            self.repeated += "repeated" in message["ok"]
        else:
            self.refused[tag] = message["error"] | {"since": request.get("since"), "saved": self.saved, "version": self.version}

    def load(self, answer):
        document, held = answer["document"], self.held or []
        self.version, self.revision, self.saved = answer["version"], document["revision"], answer["saved"]
        self.confirmed, self.canvas = {one["id"]: label(one) for one in document["emojis"]}, document["canvas"]
        self.answered_version, self.held = 0, None
        for message in held:
            self.hold_or_apply(message)

    def apply(self, message):
        if "resync" in message:
            self.held = []
            self.resyncs += 1
            self.send({"show": True})
        elif "changed" in message:
            self.change(message["changed"])
        elif "saved" in message and message["saved"]["revision"] >= self.saved["revision"]:
            self.saved = message["saved"]

    def change(self, change):
        if change["before"] > self.version:
            raise Broken(f"H8: a page at version {self.version} gets the change {change['before']} to {change['version']}")
        if change["before"] < self.version:
            return
        self.version, self.revision = change["version"], change["revision"]
        self.saved = change.get("saved", self.saved)
        self.changes += 1
        for edit in change["edits"]:
            for tag in edit.get("tags", []) if edit.get("session") == self.name else []:
                if self.pending.pop(tag, None):
                    self.done.add(tag)
        if self.misses(change):
            return
        effect = change["effect"]
        for name in effect.get("removed", []):
            self.confirmed.pop(name, None)
        for fields in effect.get("updated", []):
            # A new text has the kind and the box that come with it, or none.
            former = {"kind": None, "box": None} if "text" in fields else {}
            self.confirmed[fields["id"]] = label(self.confirmed[fields["id"]] | former | fields)
        self.confirmed |= {fields["id"]: label(fields) for fields in effect.get("added", [])}
        self.canvas = self.canvas | effect.get("canvas", {})
        if "fill" in effect:
            self.canvas = label(self.canvas | {"fill": effect["fill"]})

    @property
    def content(self):
        """What is confirmed, in the form of `Studio.shown`."""
        order = sorted(self.confirmed, key=lambda name: (self.confirmed[name]["z"], name))
        return content({"revision": self.revision, "canvas": self.canvas, "emojis": [self.confirmed[name] for name in order]})


def pump(pages, seconds=WAIT):
    """Receives what has come for these pages; waits if nothing has, but not longer than that."""
    has_come = False
    for page in pages:
        while page.line and (text := page.line.frame()) is not None:
            page.receive(text)
            has_come = True
    if has_come:
        return
    connected = [page for page in pages if page.line]
    ready = select.select([page.line.socket for page in connected], [], [], seconds)[0]
    if not ready and seconds:
        raise Hung(f"nothing came for {len(connected)} pages")
    for page in connected:
        if page.line.socket in ready:
            page.line.more()


def settle(pages, holds, what):
    """Receives until something holds."""
    try:
        while not holds():
            pump(pages)
    except Hung as hung:
        raise Hung(f"{what} did not come: {hung}") from None


def compare(pages, wait=True):
    """Saves, waits until each page has heard of it, and compares what they have with the file."""
    settle(pages, lambda: not any(page.pending for page in pages), "all answers")
    pages[0].ask({"save": True}, pages[1:])
    shown = pages[0].studio.shown()
    settle(pages, lambda: all(page.is_saved and page.revision == shown[0] for page in pages), f"revision {shown[0]}")
    for page in pages:
        if page.content != shown:
            raise Broken(f"H8: page {page.name} has {difference(page.content, shown)}")
    return shown


def difference(one, other):
    """Where two contents differ, in few words."""
    labels = [(one[1].get(name), other[1].get(name)) for name in one[1] | other[1] if one[1].get(name) != other[1].get(name)]
    return f"revision {one[0]}, the file {other[0]}; {len(labels)} emoji differ: {labels[:2]}; canvas {one[2]}, {other[2]}"
