# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about breaks: while a page goes from one document to another, under a server that is stopped or killed, and with another
server at its port. Each edit of these cases adds an emoji of its document, so an edit that is lost, doubled, or in the wrong document is counted
in the files."""
import base64, collections, glob, hashlib, json, os, random, signal, socket, struct, subprocess, threading
import resizing
from document_cases import cell, make, opened
from studio import loaded, one, place, ready

DOCUMENTS = {"bees": "🐝", "ants": "🐜", "cats": "🐈"}
# What tells the points of a switch apart: the text of the message that is held back, and on which way.
POINTS = {"before the answer to the edit": ("holdsSent", '"edit"'), "before the open is sent": ("holdsSent", '"open"'),
          "before the answer to the open": ("holdsReceived", '"document":{'), "after the answer to the open": ("holdsReceived", '"document":{')}


def control(check, fault):
    """A negative control: the check must fail for this fault."""
    try:
        check()
    except AssertionError:
        return
    raise AssertionError(f"the control: {fault} is not found")


class Desk:
    """A page with three documents, and the number of emoji that each of them is to have."""

    def __init__(self, studio):
        self.studio = studio
        os.remove(studio.document)
        for name, emoji in DOCUMENTS.items():
            make(studio, name, emoji)
        self.wanted, self.made = dict.fromkeys(DOCUMENTS, 1), 0
        self.page = studio.page()
        self.page.evaluate("() => { window.sent = []; const { send } = WebSocket.prototype; "
                           "WebSocket.prototype.send = function (text) { sent.push(text); send.call(this, text) } }")
        self.page.evaluate(resizing.PROBE)
        opened(self.page, "bees")
        self.page.keyboard.press("Control+o")
        cell(self.page, "cats").wait_for()

    @property
    def name(self):
        return self.page.locator("#name").inner_text()

    def edit(self, counts=True):
        """Duplicates the emoji in the middle of the open document."""
        # Notes may cover the place, and have been read.
        self.page.evaluate("() => document.querySelectorAll('#notes .icon').forEach(button => button.click())")
        self.page.mouse.click(*place(self.page, {"x": 320, "y": 240}))
        self.page.keyboard.press("Control+d")
        self.made += counts
        if counts:
            self.wanted[self.name] += 1

    def go(self, name):
        cell(self.page, name).click()

    def load(self):
        """Waits until the page has all its modules: it asks for none while its server is away."""
        for module in ["dialogs", "history", "transfer", "library", "filing"]:
            loaded(self.page, module)

    def tried(self):
        """Waits until the page has tried in vain to connect, from now on."""
        self.page.wait_for_function("begun => { document.dispatchEvent(new Event('visibilitychange')); return line.ended > begun }", arg=self.page.evaluate("line.begun"))

    def hold(self, way, text):
        self.page.evaluate("([way, text]) => { line[way] = text }", [way, text])

    def held(self):
        self.page.wait_for_function("() => line.held.length > 0")

    def forget_held(self):
        """What was held back is lost with its connection."""
        self.page.evaluate("() => { line.holdsSent = line.holdsReceived = null; line.held = [] }")

    def away(self):
        self.page.wait_for_function("() => studio.status.net !== 'open'")

    def saved(self):
        self.page.wait_for_function("() => studio.status.net === 'open' && studio.status.pending === 0 && document.getElementById('status').dataset.state === 'saved'")

    def arrive(self):
        """Waits for the switches that were asked for: a document that is not there is asked for behind them, and the page stays at its own."""
        self.page.evaluate("() => whole.goTo('none.emojiart').catch(() => {})")
        self.saved()

    def stop(self):
        self.studio.server.kill()
        self.studio.server.wait()

    def come_back(self, port):
        """The server is there again, at its port, with another name, and its link is opened by the dialog: it knows no former session."""
        self.studio.server = subprocess.Popen(
            [f"{self.studio.programs}/emojiart", "serve", f"{self.studio.folder}/art", "--port", str(port)], env=self.studio.environment, stdout=subprocess.PIPE, text=True)
        link = self.studio.server.stdout.readline().strip()
        assert f":{port}/" in link, link
        self.page.keyboard.press("Control+/")
        self.page.get_by_role("combobox").fill("new link")
        self.page.keyboard.press("Enter")
        self.page.get_by_label("Link", exact=True).fill(link)
        self.page.keyboard.press("Enter")
        self.page.wait_for_function("origin => location.origin === origin", arg=link.split("/#")[0])
        ready(self.page)
        self.saved()

    def wake(self, kills, name):
        """A stopped server goes on and opens that document, or is killed, and started again after an edit."""
        if kills:
            self.stop()
            self.away()
            self.edit()
            self.studio.serve()
        else:
            self.studio.server.send_signal(signal.SIGCONT)
            opened(self.page, name)
        self.saved()
        self.check()

    def art(self, name):
        return [one["text"] for one in json.loads(self.studio.run("show", f"{self.studio.folder}/art/{name}.emojiart", "--json"))["emojis"]]

    def check(self):
        """Each document has its own emoji, as many as were made, and the page shows those of the open one."""
        found = {name: self.art(name) for name in DOCUMENTS}
        for name, emoji in DOCUMENTS.items():
            assert set(found[name]) == {emoji}, f"{name} has emoji of another document: {found}"
            assert len(found[name]) == self.wanted[name], f"{name} has {len(found[name])} emoji instead of {self.wanted[name]}"
        shown = self.page.evaluate("studio.shown()")
        assert shown == self.wanted[self.name], f"the page shows {shown} emoji of {self.name}: {self.wanted}"

    def end(self, title):
        print(f"{title}: {self.made} edits, none lost, doubled or in another document", flush=True)


def breaks_while_switching(studio):
    """The connection breaks, or the server is killed, at each point of the way from one document to another one."""
    desk = Desk(studio)
    page = desk.page
    rounds = 0
    for kills in [False, True]:
        for point, (way, text) in POINTS.items():
            desk.go("bees")
            opened(page, "bees")
            desk.saved()
            # The edit is still pending when the other document is clicked, so the switch waits for it first.
            desk.hold(way, text)
            desk.edit()
            desk.go("ants")
            desk.held()
            if point == "after the answer to the open":
                page.evaluate("() => line.release()")
                page.wait_for_function("() => document.getElementById('name').textContent === 'ants'")
            if kills:
                desk.stop()
            else:
                page.evaluate("() => line.cut()")
            desk.away()
            desk.forget_held()
            assert desk.name == ("ants" if point == "after the answer to the open" else "bees"), (point, desk.name)
            # What is done now is of the document that is shown.
            desk.edit()
            if kills:
                studio.serve()
            desk.saved()
            desk.check()
            desk.go("cats")
            opened(page, "cats")
            desk.edit()
            desk.saved()
            desk.check()
            rounds += 1
    # A page that forgets at a break what is pending must be found.
    desk.hold("holdsSent", '"edit"')
    desk.edit()
    desk.held()
    page.evaluate("""() => import('/store.js').then(({ Store }) => {
      const { disconnected } = Store.prototype;
      Store.prototype.disconnected = function () { for (const { tag } of [...this.pending]) this.answer(tag, { ok: {} }); disconnected.call(this) };
    })""")
    page.evaluate("() => { line.cut() }")
    desk.away()
    desk.forget_held()
    desk.saved()
    control(desk.check, "a page that forgets pending edits")
    desk.wanted[desk.name] -= 1
    desk.made -= 1
    desk.end(f"breaks while switching: {rounds} breaks, half of them kills, control found")


def overlapping_switches(studio):
    """A document is asked for while the page is still on its way to another one."""
    desk = Desk(studio)
    page = desk.page
    switches = 0
    for breaks in [False, True]:
        for start, ways in [("bees", ["ants", "cats"]), ("cats", ["ants", "bees"]), ("bees", ["ants", "bees"]), ("bees", ["ants", "cats", "bees", "ants"])]:
            desk.go(start)
            opened(page, start)
            desk.saved()
            # Nothing that the server sends comes, so the edit is pending, and all switches wait.
            desk.hold("holdsReceived", "{")
            desk.edit()
            for name in ways:
                desk.go(name)
            desk.held()
            if breaks:
                page.evaluate("() => line.cut()")
                desk.away()
                desk.forget_held()
                desk.saved()
                desk.arrive()
                assert desk.name in [start, *ways]
            else:
                page.evaluate("() => line.release()")
                desk.arrive()
                opened(page, ways[-1])
            desk.edit()
            desk.saved()
            desk.check()
            # The first answer is held back: an edit between two documents is of neither.
            desk.go(start)
            opened(page, start)
            desk.hold("holdsReceived", '"document":{')
            for name in ways[:2]:
                desk.go(name)
            desk.held()
            if ways[0] != start:
                desk.edit(counts=False)
            page.evaluate("() => line.release()")
            desk.arrive()
            opened(page, ways[1])
            desk.edit()
            desk.saved()
            desk.check()
            switches += len(ways) + 2
    desk.end(f"overlapping switches: {switches} switches")


def server_sleeps(studio):
    """The server is stopped and continued under edits and switches, and killed while it is stopped and a switch is under way."""
    desk = Desk(studio)
    page = desk.page
    for kills in [False, True]:
        desk.go("bees")
        opened(page, "bees")
        desk.saved()
        studio.server.send_signal(signal.SIGSTOP)
        for _ in range(3):
            desk.edit()
        page.wait_for_function("() => studio.status.pending === 3 && document.getElementById('status').dataset.state === 'saving'")
        desk.go("ants")
        desk.wake(kills, "ants")
        # The open is on its way: nothing can be edited until the answer has come.
        desk.go("cats")
        opened(page, "cats")
        desk.edit()
        desk.saved()
        studio.server.send_signal(signal.SIGSTOP)
        page.evaluate("() => { sent.length = 0 }")
        desk.go("ants")
        page.wait_for_function("() => sent.some(text => text.includes('\"open\":\"ants.emojiart\"'))")
        desk.edit(counts=False)
        desk.wake(kills, "ants")
    # A server that says nothing for long is told. Nothing waits: the page's timers of ten seconds end at once, and its clock may be set forward.
    page.evaluate("""() => {
      const { setTimeout: later } = window;
      window.looks = 0;
      window.setTimeout = (work, time, ...more) => later(() => { looks += time === 10_000; work() }, time === 10_000 ? 0 : time, ...more);
      const now = performance.now.bind(performance);
      window.forward = 0;
      performance.now = () => now() + forward;
    }""")
    studio.server.send_signal(signal.SIGSTOP)
    # The control: a server that spoke a moment ago is not told.
    desk.edit()
    page.wait_for_function("() => looks > 0")
    assert page.get_by_text("The server is away").count() == 0, "a server that spoke a moment ago is told to be away"
    studio.server.send_signal(signal.SIGCONT)
    desk.saved()
    studio.server.send_signal(signal.SIGSTOP)
    page.evaluate("() => { forward = 20_000 }")
    desk.edit()
    page.get_by_text("The server is away").wait_for()
    studio.server.send_signal(signal.SIGCONT)
    desk.saved()
    page.get_by_text("The server is away").wait_for(state="hidden")
    desk.check()
    desk.end("stopped servers: 5 stops, 2 of them killed")


class Stranger:
    """Another program at the port of the server. It records what it gets, and answers in its own way."""

    def __init__(self, port, kind):
        self.kind, self.heads, self.frames, self.came = kind, [], [], threading.Event()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", port))
        self.socket.listen()
        self.lines = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                line, _ = self.socket.accept()
            except OSError:
                return
            self.lines.append(line)
            threading.Thread(target=self.answer, args=[line], daemon=True).start()

    def answer(self, line):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                part = line.recv(65536)
                if not part:
                    return
                head += part
            self.heads.append(head.decode())
            key = next((each.split(":", 1)[1].strip() for each in head.decode().splitlines() if each.lower().startswith("sec-websocket-key:")), None)
            if self.kind == "plain" or not key:
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: 22\r\nConnection: close\r\n\r\nwindow.stranger = true")
                line.close()
                self.came.set()
                return
            proof = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            line.sendall(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {proof}\r\nSec-WebSocket-Protocol: emojiart-1\r\n\r\n".encode())
            # A silent one is left alone after a while, and tried again.
            if self.kind == "silent" and len(self.heads) > 1:
                self.came.set()
            texts = {"silent": [], "proof": [{"challenge": "00" * 16, "proof": "00" * 32}], "nonsense": ["no JSON"],
                     "welcome": [{"welcome": {"document": "ants.emojiart", "folder": "/", "limits": {"message": 99999}, "ticket": "00"}}]}[self.kind]
            while frame := self.frame(line):
                self.frames.append(frame)
                for text in texts:
                    data = (text if isinstance(text, str) else json.dumps(text)).encode()
                    line.sendall(bytes([0x81, *([len(data)] if len(data) < 126 else [126, *struct.pack(">H", len(data))])]) + data)
                if len(self.frames) > 1:
                    self.came.set()
        except OSError:
            pass

    def frame(self, line):
        """The text of the next frame; None at the end."""
        def read(count):
            data = b""
            while len(data) < count:
                part = line.recv(count - len(data))
                if not part:
                    raise OSError
                data += part
            return data
        first, size = read(2)
        size &= 127
        if size == 126:
            size = struct.unpack(">H", read(2))[0]
        mask = read(4)
        data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(read(size)))
        return data.decode() if first & 15 == 1 else None

    def close(self):
        # A thread that waits in accept() keeps the port.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for line in self.lines:
            line.close()

    def check(self):
        """It got handshakes and nothing else: no file of the page was asked for, no ticket was sent, and no message but hello."""
        for head in self.heads:
            assert head.startswith("GET /live HTTP/1.1\r\n") and "authorization" not in head.lower(), head
        for frame in self.frames:
            assert list(json.loads(frame)) == ["hello"], frame


def another_server_at_the_port(studio):
    """Another program has the port of the server that was killed. It gets handshakes only, its answers do nothing, and the page goes on by a link of its
    own server."""
    studio.keep_no_socket()
    desk = Desk(studio)
    page = desk.page
    port = int(page.evaluate("location.port"))
    handshakes = 0
    away = "state => document.getElementById('status').dataset.state === state"
    for kind, emoji in {"plain": "🦊", "proof": "🦄", "welcome": "🦉", "nonsense": "🦋", "silent": "🦎"}.items():
        desk.go("bees")
        opened(page, "bees")
        desk.saved()
        # What is loaded later is here before the server goes.
        desk.load()
        desk.stop()
        desk.away()
        stranger = Stranger(port, kind)
        try:
            page.wait_for_function(away, arg="reconnecting" if kind in ["plain", "silent"] else "refused")
            if kind not in ["plain", "silent"]:
                page.get_by_text("is not the server that this page knows").first.wait_for()
            # Edits, an emoji that has no picture yet, a larger picture, other documents, panels, and a copy: each would ask the server for something.
            desk.edit()
            page.wait_for_function("() => studio.status.pending === 1")
            page.keyboard.press("Shift+1")
            studio.browser.drop(page, [("text/plain", emoji)], *place(page, {"x": 320, "y": 360}))
            page.wait_for_function("() => studio.status.pending === 2")
            page.mouse.move(*[round(each) for each in place(page, {"x": 320, "y": 240})])
            page.keyboard.down("Control")
            for _ in range(4):
                page.mouse.wheel(0, -100)
            page.keyboard.up("Control")
            desk.go("ants")
            for key in ["Control+Shift+h", "Control+o", "Control+o", "Control+c", "Control+/"]:
                page.keyboard.press(key)
            page.get_by_role("combobox").wait_for()
            page.keyboard.press("Escape")
            page.get_by_role("combobox").wait_for(state="detached")
            page.keyboard.press("Control+Shift+h")
            page.locator("#history").wait_for(state="hidden")
            desk.edit()
            page.wait_for_function("() => studio.status.pending === 3")
            assert desk.name == "bees" and page.evaluate("window.stranger") is None
            # It has been tried again.
            studio.wait(lambda: stranger.came.is_set(), "another handshake")
            assert page.evaluate("document.getElementById('status').dataset.state") != "saved"
        finally:
            stranger.close()
        stranger.check()
        handshakes += len(stranger.heads)
        desk.come_back(port)
        assert desk.art("bees").count(emoji) == 1, desk.art("bees")
        # The second undo is that of the dropped emoji: the newest edit is another one.
        page.locator("#options").focus()
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")
        desk.wanted["bees"] -= 1
        desk.saved()
        desk.check()
    # The control: what is not a handshake is found.
    stranger.heads.append("POST /glyphs HTTP/1.1\r\nAuthorization: Bearer 00\r\n\r\n")
    control(stranger.check, "a request with a ticket")
    desk.end(f"strangers at the port: 5 kinds, {handshakes} requests, all of them handshakes, control found")


def scripts_of_another_server(studio):
    """A module that is asked for as the server ends comes from another program at the port. It does not run: the document has the sum of each."""
    studio.keep_no_socket()
    desk = Desk(studio)
    page = desk.page
    port = int(page.evaluate("location.port"))
    names = [os.path.basename(name) for name in glob.glob("Sources/CStudioPage/page/*.js")]
    sums = page.evaluate("() => JSON.parse(document.querySelector('script[type=importmap]').textContent).integrity")
    assert sorted(sums) == sorted(f"/{name}" for name in names), sums
    desk.load()
    desk.stop()
    desk.away()
    desk.edit()
    stranger = Stranger(port, "plain")
    result = "name => import(name).then(() => 'run', () => 'refused').then(end => [end, window.stranger ?? false])"
    try:
        assert page.evaluate(result, "/words.de.js") == ["refused", False]
        assert any(head.startswith("GET /words.de.js ") for head in stranger.heads), stranger.heads
        # The control: its script would run.
        assert page.evaluate(result, "/words.de.js?control") == ["run", True], "the control: a script of another server is not found"
    finally:
        stranger.close()
    studio.wait(lambda: studio.faults, "a word of the browser about the sum")
    assert len(studio.faults) == 1 and "/words.de.js" in studio.faults[0], studio.faults
    studio.faults.clear()
    desk.come_back(port)
    desk.check()
    desk.end(f"scripts of another server: {len(sums)} modules have sums, 1 refused, control found")


def other_folder_at_the_port(studio):
    """Another emojiart serve, for another folder with a document of the same name, has the port."""
    studio.keep_no_socket()
    desk = Desk(studio)
    page = desk.page
    port = int(page.evaluate("location.port"))
    other = f"{studio.folder}/other"
    os.makedirs(other)
    studio.run("new", f"{other}/bees.emojiart")
    studio.run("add", f"{other}/bees.emojiart", "🐘", "--at", "10,10")
    before = open(f"{other}/bees.emojiart", "rb").read()
    loaded(page, "dialogs")
    desk.stop()
    desk.away()
    page.evaluate("sent.length = 0")
    server = subprocess.Popen([f"{studio.programs}/emojiart", "serve", other, "--port", str(port)], env=studio.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert f":{port}/" in server.stdout.readline()
        desk.tried()
        desk.edit()
        desk.go("ants")
        desk.edit()
        page.wait_for_function("() => studio.status.pending === 2")
        desk.tried()
        # It is not at the address of the page.
        assert page.evaluate("sent") == []
    finally:
        server.terminate()
        server.wait()
    assert open(f"{other}/bees.emojiart", "rb").read() == before, "the other folder is as it was"
    desk.come_back(port)
    assert desk.name == "bees"
    desk.check()
    desk.end("another folder's server at the port is not at the page's address")


def sizes_change_in_gestures(studio):
    """Twenty random sizes of the page in the middle of gestures. scripts/dev torture has many more, and controls."""
    count = collections.Counter()
    resizing.case(studio, random.Random("resizes:short"), count, gestures=8, least=20)
    print(f"sizes in gestures: {resizing.tally(count)}; nothing lost or doubled", flush=True)


def cancelled_views_have_the_size_of_now(studio):
    """A pan that is cancelled after the page got another size gives the place back, in a view of the new size."""
    page, _ = one(studio)
    page.locator("#options").focus()
    for _ in range(6):
        page.keyboard.press("Control+=")
    page.wait_for_function("() => studio.camera.zoom > 2")
    stage = page.locator("#stage").bounding_box()
    page.mouse.move(stage["x"] + 200, stage["y"] + 200)
    page.mouse.down(button="middle")
    page.mouse.move(stage["x"] + 260, stage["y"] + 230)
    page.set_viewport_size({"width": 640, "height": 700})
    page.wait_for_function("() => innerWidth === 640")
    page.evaluate("studio.whenPainted()")
    page.keyboard.press("Escape")
    page.mouse.up(button="middle")
    # The middle of the document, which was in the middle of the view, is there again.
    page.wait_for_function("""() => { const { left, top, width, height } = document.getElementById('stage').getBoundingClientRect(); const c = studio.camera;
      return Math.abs(c.left + c.x + 320 * c.zoom - left - width / 2) < 2 }""")


BREAK_CASES = [sizes_change_in_gestures, cancelled_views_have_the_size_of_now, breaks_while_switching, overlapping_switches, server_sleeps, another_server_at_the_port, other_folder_at_the_port, scripts_of_another_server]
