#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the studio in real browsers, with the real server: browser.py PROGRAMS [--browser chromium|firefox] [NAME...]

PROGRAMS is the folder with emojiart and its helpers. Each case has a document of its own, does what a user does, by mouse, by keys or by
touch, and then reads the document with the command. A case waits for what it wants to see, never for a duration; what never comes is a
failure after five minutes, which no machine is too busy for. The cases run in Chromium, then in Firefox, or in one of them. Closes with the line `N passed, N failed`.
"""
import argparse, base64, http.client, http.server, json, os, random, re, shutil, socket, struct, subprocess, sys, tempfile, threading, time, traceback, zlib
from support.browsers import opened
from accessible_cases import ACCESSIBLE_CASES
from break_cases import BREAK_CASES
from document_cases import DOCUMENT_CASES, search
from hand_cases import HAND_CASES, HAND_CHROMIUM_ONLY, HAND_FIREFOX_ONLY
from journey_cases import JOURNEY_CASES
from outbox_cases import OUTBOX_CASES
from screen_cases import CHROMIUM_ONLY, SCREEN_CASES
from start_cases import START_CASES
from stored_scripts import stored_scripts

LIMIT = int(os.environ.get("STUDIO_LIMIT", "300"))
# The page of a folder instead of the one in the program, for developing.
ASSETS = ["--assets", os.environ["STUDIO_ASSETS"]] if "STUDIO_ASSETS" in os.environ else []
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "support/line.js"), encoding="utf-8") as file:
    LINE = file.read()


def listening():
    """Sockets at one port of 127.0.0.1 and ::1."""
    first = socket.create_server(("127.0.0.1", 0), backlog=64)
    return [first, socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6, backlog=64)]


def trade(link):
    """The status of a program's request that uses the code of a link up. Not every resolver knows that names below localhost are loopback's."""
    origin, code = link.split("/#c=")
    host = origin.removeprefix("http://")
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]))
    connection.request("POST", "/session", json.dumps({"code": code.split("&")[0]}), {
        "Host": host, "Content-Type": "application/json", "Origin": origin, "Sec-Fetch-Site": "same-origin"})
    return connection.getresponse().status


class Studio:
    """A folder with a server and a browser."""

    def __init__(self, programs, browser):
        self.programs, self.browser = programs, browser
        self.folder = tempfile.mkdtemp(prefix="emojiart-browser.")
        self.environment = os.environ | {
            "EMOJIART_STATE": f"{self.folder}/state", "EMOJIART_CONFIG": f"{self.folder}/config",
            "XDG_RUNTIME_DIR": f"{self.folder}/run", "XDG_CACHE_HOME": f"{self.folder}/cache", "LC_ALL": "C.UTF-8"}
        os.makedirs(f"{self.folder}/run")
        os.makedirs(f"{self.folder}/art")
        self.document = f"{self.folder}/art/bees.emojiart"
        self.run("new", self.document, "--canvas", "640x480")
        # The folder that the server is started with, if it is not started with the document.
        self.served = None
        self.server = None
        # Listening sockets that outlive servers, as systemd keeps them: a server that is started again has its address and its pages. None in
        # cases about a server without them.
        self.kept = listening()
        self.contexts, self.pages = [], []
        self.faults = []

    def run(self, *words):
        done = subprocess.run([f"{self.programs}/emojiart", *words], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    def serve(self, folder=None, *options):
        words = " ".join(f"{3 + place}<&{one.fileno()}" for place, one in enumerate(self.kept))
        handing = ["bash", "-c", f'export LISTEN_PID=$$ LISTEN_FDS={len(self.kept)}; exec "$@" {words}', "serve"] if self.kept else []
        self.server = subprocess.Popen(
            [*handing, f"{self.programs}/emojiart", "serve", folder or self.served or self.document, *options, *ASSETS], env=self.environment,
            stdout=subprocess.PIPE, text=True, pass_fds=[one.fileno() for one in self.kept])
        return self.server.stdout.readline().strip()

    def keep_no_socket(self):
        """The port of a server is free when it ends, and the next one has another name."""
        for one in self.kept:
            one.close()
        self.kept = []

    def blank(self, **options):
        context = self.browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(LIMIT * 1000)
        context.add_init_script(LINE)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        # What the policy of the page forbids is told there only; for Chromium also that a module has another sum.
        page.on("console", lambda line: any(each in line.text for each in ["Content Security Policy", "'integrity' attribute"]) and self.faults.append(line.text))
        self.pages.append(page)
        return page

    def page(self, link=None, **options):
        page = self.blank(**options)
        page.goto(link or (self.serve() if not self.server else self.run("serve", f"{self.folder}/art", "--link").strip()))
        ready(page)
        return page

    def shown(self, key="emojis"):
        """The document in the file, as the command shows it."""
        return json.loads(self.run("show", self.document, "--json")).get(key)

    def until(self, what, holds, key="emojis"):
        """Waits until the emoji in the file are so, or another part of the document, and returns them."""
        end = time.monotonic() + LIMIT
        while True:
            value = self.shown(key)
            if holds(value):
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}: {value}")

    def wait(self, holds, what):
        """Waits until something of the files is so."""
        end = time.monotonic() + LIMIT
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}")

    def states(self):
        """What the pages say of their state, for a case that has failed."""
        found = []
        for page in self.pages:
            try:
                found.append(page.evaluate("({ ...studio.status, shown: studio.shown(), says: document.getElementById('status').dataset.state })"))
            except Exception as error:
                found.append(f"no state: {error}")
        return found

    def close(self):
        for context in self.contexts:
            context.close()
        if self.server:
            self.server.terminate()
            self.server.wait()
        self.keep_no_socket()
        shutil.rmtree(self.folder, ignore_errors=True)


def ready(page):
    """Waits until the page takes gestures and keys."""
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")


def box(page, name, nth=0):
    """Where an emoji is in the window: the box of its option."""
    option = page.locator(f'#options [data-text="{name}"]').nth(nth)
    option.wait_for(state="attached")
    found = option.bounding_box()
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2, found["width"], found["height"]


def place(page, emoji):
    """Where an emoji of the file is in the window. The boxes of options follow a moment later."""
    return page.evaluate("([x, y]) => { const c = studio.camera; return [c.left + c.x + x * c.zoom, c.top + c.y + y * c.zoom] }", [emoji["x"], emoji["y"]])


def drag(page, start, end, keys=()):
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(*start)
    page.mouse.down()
    for part in range(1, 9):
        page.mouse.move(start[0] + (end[0] - start[0]) * part / 8, start[1] + (end[1] - start[1]) * part / 8)
    page.mouse.up()
    for key in keys:
        page.keyboard.up(key)


def loaded(page, module):
    """Waits until the page has loaded a module that it loads when there is time."""
    page.wait_for_function("name => performance.getEntriesByType('resource').some(e => e.name.endsWith(name) && e.responseEnd)", arg=f"/{module}.js")
    page.evaluate("name => import(name)", f"/{module}.js")


def near(value, wanted, room=1.5):
    return abs(value - wanted) <= room


def zoom(page):
    return page.evaluate("studio.camera.zoom")


def one(studio, *more):
    """A page with a bee in the middle."""
    studio.run("add", studio.document, "🐝", "--at", "320,240", *more)
    page = studio.page()
    return page, box(page, "🐝")


class Pictures:
    """A web server on loopback. It sends half of each picture, and the rest when it may."""

    def __init__(self, picture, held=False):
        self.asked, self.mayEnd = [], threading.Event()
        if not held:
            self.mayEnd.set()
        pictures = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words): pass

            def do_GET(self):
                pictures.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.send_header("Content-Length", str(len(picture)))
                self.end_headers()
                try:
                    self.wfile.write(picture[:len(picture) // 2])
                    pictures.mayEnd.wait(LIMIT)
                    self.wfile.write(picture[len(picture) // 2:])
                except OSError:
                    pass  # the transfer was cancelled

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.mayEnd.set()
        self.server.shutdown()


def png(side):
    """A picture that cannot be compressed much."""
    rows = b"".join(b"\0" + random.Random(row).randbytes(3 * side) for row in range(side))
    part = lambda name, body: struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


# MARK: the cases

def drags(studio):
    page, (x, y, *_) = one(studio)
    drag(page, (x, y), (x + 80, y + 40), ["Control"])
    z = zoom(page)
    studio.until("the drag", lambda e: near(e[0]["x"], 320 + 80 / z) and near(e[0]["y"], 240 + 40 / z))
    page.keyboard.press("Control+z")
    studio.until("the undo", lambda e: e[0]["x"] == 320 and e[0]["y"] == 240)
    page.keyboard.press("Control+Shift+z")
    studio.until("the redo", lambda e: near(e[0]["x"], 320 + 80 / z))
    assert studio.run("history", studio.document).count("\n") == 5, "a drag is one edit"


def snaps(studio):
    studio.run("add", studio.document, "🌸", "--at", "100,240")
    page, (x, y, *_) = one(studio)
    drag(page, (x, y), (x + 90, y + 5))
    # Dragged 5 pixels down, it stays in line with the flower.
    studio.until("the drag", lambda e: e[1]["x"] > 330 and near(e[1]["y"], 240, 0.001))


def escape_cancels(studio):
    page, (x, y, *_) = one(studio)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 60)
    page.mouse.move(x + 120, y + 60)
    page.keyboard.press("Escape")
    page.mouse.up()
    page.keyboard.press("Control+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    studio.until("only the arrow", lambda e: e[0]["x"] == 321 and e[0]["y"] == 240)


def arrows(studio):
    page, (x, y, *_) = one(studio)
    page.mouse.click(x, y)
    for key in ["ArrowLeft", "ArrowLeft", "Shift+ArrowDown"]:
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    studio.until("the arrows", lambda e: e[0]["x"] == 318 and e[0]["y"] == 250)


def deletes_and_duplicates(studio):
    page, (x, y, *_) = one(studio)
    page.mouse.click(x, y)
    page.keyboard.press("Control+d")
    studio.until("the copy", lambda e: len(e) == 2)
    page.keyboard.press("Delete")
    emojis = studio.until("the removal", lambda e: len(e) == 1)
    assert emojis[0]["x"] == 320
    drag(page, (x, y), (x + 100, y), ["Alt"])
    studio.until("the copy of a drag", lambda e: len(e) == 2 and any(i["x"] == 320 for i in e))


def marquee_and_all(studio):
    for place in ["100,100", "200,100", "500,400"]:
        studio.run("add", studio.document, "🐝", "--at", place)
    page = studio.page()
    x, y, w, h = box(page, "🐝", 0)
    x2, y2, *_ = box(page, "🐝", 1)
    drag(page, (x - w, y - h), (x2 + w, y2 + h))
    page.keyboard.press("Delete")
    emojis = studio.until("the removal of two", lambda e: len(e) == 1)
    assert emojis[0]["x"] == 500
    page.keyboard.press("Control+z")
    studio.until("the undo", lambda e: len(e) == 3)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    studio.until("the removal of all", lambda e: not e)


def resizes_and_turns(studio):
    page, (x, y, w, h) = one(studio)
    page.mouse.click(x, y)
    # The lower right corner of the box.
    drag(page, (x + w / 2, y + h / 2), (x + w / 2 + 60, y + h / 2 + 60), ["Control"])
    emojis = studio.until("the resize", lambda e: e[0]["size"] > 60)
    assert emojis[0]["x"] > 320, "the opposite corner stays"
    page.keyboard.press("Control+z")
    studio.until("the undo", lambda e: e[0]["size"] == 40)
    # The handle above turns; with Shift by 15 degrees.
    drag(page, (x, y - h / 2 - 28), (x + 200, y + 3), ["Shift"])
    studio.until("the turn", lambda e: e[0].get("rotation") == 90)


def adds_by_search(studio):
    page, _ = one(studio)
    search(page, "cherry blossom")
    page.get_by_role("button", name="cherry blossom").first.wait_for()
    page.keyboard.press("Enter")
    studio.until("the flower", lambda e: any(i["text"] == "🌸" for i in e))


def zooms(studio):
    page, (x, y, *_) = one(studio)
    before = zoom(page)
    # Firefox is told whole pixels of a wheel.
    pointer = round(x), round(y)
    page.mouse.move(*pointer)
    page.keyboard.down("Control")
    for _ in range(5):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("z => studio.camera.zoom > z * 1.1", arg=before)
    # What is under the pointer stays there; its box follows when the view rests.
    page.wait_for_function("""([x, y, pointerX, pointerY, before]) => {
      const [box, times] = [document.querySelector('[role=option]').getBoundingClientRect(), studio.camera.zoom / before]
      const isThere = (now, then, pointer) => Math.abs(now - pointer - (then - pointer) * times) < 1
      return isThere(box.x + box.width / 2, x, pointerX) && isThere(box.y + box.height / 2, y, pointerY)
    }""", arg=[x, y, *pointer, before])
    page.keyboard.press("Shift+1")
    page.wait_for_function("z => Math.abs(studio.camera.zoom - z) < 1e-9", arg=before)
    assert studio.shown()[0]["x"] == 320, "zooming edits nothing"


def wheel_by_lines(studio):
    """A wheel may count lines instead of pixels, as Firefox's does; its event is made by a script, since no driver has that unit."""
    page, (x, y, *_) = one(studio)
    turn = """([x, y, mode, distance]) => document.getElementById('stage').dispatchEvent(
        new WheelEvent('wheel', {deltaMode: mode, deltaY: distance, clientX: x, clientY: y, ctrlKey: true, bubbles: true, cancelable: true}))"""
    before = zoom(page)
    assert page.evaluate(turn, [x, y, 1, -2]) is False, "the browser does not zoom"
    page.wait_for_function("z => Math.abs(studio.camera.zoom / z - Math.exp(0.32)) < 0.001", arg=before)
    page.evaluate(turn, [x, y, 0, 32])
    page.wait_for_function("z => Math.abs(studio.camera.zoom / z - 1) < 0.001", arg=before)


def drags_from_the_picker(studio):
    page, (x, y, *_) = one(studio)
    search(page, "tulip")
    button = page.locator('#found [data-emoji="🌷"]').first
    found = button.bounding_box()
    drag(page, (found["x"] + found["width"] / 2, found["y"] + found["height"] / 2), (x + 80, y + 60))
    z = zoom(page)
    studio.until("the tulip where it was dropped", lambda e: len(e) == 2 and near(e[1]["x"], 320 + 80 / z) and near(e[1]["y"], 240 + 60 / z))


def touches(studio):
    studio.run("add", studio.document, "🐝", "--at", "320,240", "--size", "120")
    page = studio.page(has_touch=True)
    x, y, *_ = box(page, "🐝")
    fingers = studio.browser.fingers(page)
    before = zoom(page)
    # One finger edits.
    fingers.down((x, y))
    for part in range(1, 7):
        fingers.move((x + 15 * part, y))
    fingers.up()
    studio.until("the drag of a finger", lambda e: e[0]["x"] > 360)
    # Two fingers beside it move the view.
    a, b = (x - 250, y - 200), (x - 200, y - 200)
    fingers.down(a, b)
    for part in range(1, 9):
        fingers.move((a[0] - 8 * part, a[1]), (b[0] + 8 * part, b[1]))
    fingers.up()
    page.wait_for_function("z => studio.camera.zoom > z * 1.2", arg=before)
    # Two fingers on the selected emoji resize it.
    page.keyboard.press("Shift+1")
    page.wait_for_function("z => studio.camera.zoom == z", arg=before)
    x, y = place(page, studio.shown()[0])
    fingers.down((x, y))
    fingers.up()
    page.wait_for_function("() => studio.selected.length == 1")
    zoomed = zoom(page)
    fingers.down((x - 20, y), (x + 20, y))
    for part in range(1, 9):
        fingers.move((x - 20 - 5 * part, y), (x + 20 + 5 * part, y))
    fingers.up()
    studio.until("the larger emoji", lambda e: e[0]["size"] > 240)
    assert zoom(page) == zoomed


def two_pages_and_a_command(studio):
    page, (x, y, *_) = one(studio)
    other = studio.page()
    box(other, "🐝")
    drag(page, (x, y), (x + 80, y), ["Control"])
    moved = studio.until("the drag", lambda e: e[0]["x"] > 330)[0]
    studio.run("add", studio.document, "🌸", "--at", "100,100")
    for each in [page, other]:
        box(each, "🌸")
    other.wait_for_function("n => studio.shown() == n", arg=2)
    # The other page copies what this one has moved.
    ox, oy, *_ = box(other, "🐝")
    other.mouse.click(ox, oy)
    other.keyboard.press("Control+d")
    studio.until("both edits", lambda e: len(e) == 3 and any(near(i["x"], moved["x"] + 20, 0.001) for i in e))
    page.keyboard.press("Control+z")
    studio.until("undo of one's own edit", lambda e: len(e) == 3 and any(i["x"] == 320 for i in e))


def refused_background(studio):
    page, _ = one(studio)
    page.keyboard.press("Shift+B")
    page.get_by_label("Address").fill("http://127.0.0.1:1/x.png")
    page.keyboard.press("Enter")
    page.get_by_text("Image transfer failed").wait_for()
    page.get_by_role("button", name="Stop warning").click()
    page.get_by_text("Image transfer failed").wait_for(state="hidden")
    end = time.monotonic() + LIMIT
    while "stopped" not in studio.run("warnings", studio.document, "--show"):
        assert time.monotonic() < end, "the warning is not stopped"


def stamps_and_brushes(studio):
    page = studio.page()
    page.keyboard.press("s")
    page.get_by_role("searchbox").fill("bee")
    page.get_by_role("searchbox").press("Enter")
    page.locator("button[data-emoji='🐝'][aria-pressed=true]").wait_for()
    stage = page.locator("#stage").bounding_box()
    x, y = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    page.mouse.click(x - 100, y)
    page.mouse.click(x + 100, y)
    studio.until("two stamps", lambda e: len(e) == 2)
    page.keyboard.press("p")
    drag(page, (x - 150, y + 60), (x + 150, y + 60))
    count = len(studio.until("a stroke", lambda e: len(e) > 3))
    page.keyboard.press("Control+z")
    studio.until("the undo of the whole stroke", lambda e: len(e) == 2)
    assert count > 3


def words_are_typed_in_place(studio):
    page = studio.page()
    stage = page.locator("#stage").bounding_box()
    x, y = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    page.keyboard.press("t")
    page.mouse.click(x, y)
    page.locator("#words").fill("Picnic <b>today</b>")
    page.keyboard.press("Enter")
    studio.until("the caption", lambda e: [i["text"] for i in e] == ["Picnic <b>today</b>"])
    page.locator("#words").wait_for(state="detached")
    page.mouse.dblclick(x, y)
    page.locator("#words").fill("Picnic")
    page.keyboard.press("Enter")
    caption = studio.until("the new words", lambda e: [i["text"] for i in e] == ["Picnic"])[0]
    page.locator("#words").wait_for(state="detached")
    # Somebody removes it meanwhile: what is typed stays, and becomes another caption.
    page.mouse.dblclick(x, y)
    page.locator("#words").fill("Picnic at noon")
    studio.run("remove", studio.document, caption["id"])
    page.wait_for_function("() => studio.shown() == 0")
    page.keyboard.press("Enter")
    page.get_by_text("Not done").wait_for()
    page.locator("#words:not([readonly])").wait_for()
    assert page.locator("#words").input_value() == "Picnic at noon"
    page.keyboard.press("Enter")
    studio.until("another caption", lambda e: [i["text"] for i in e] == ["Picnic at noon"])


def actions_by_name(studio):
    """What has no gesture of its own is done by the palette of actions."""
    studio.run("add", studio.document, "🐝", "--at", "100,100")
    studio.run("add", studio.document, "🌸", "--at", "300,180")
    studio.run("add", studio.document, "🐝", "--at", "500,110")
    page = studio.page()

    def act(words):
        page.keyboard.press("Control+/")
        page.get_by_role("combobox").fill(words)
        page.keyboard.press("Enter")

    page.mouse.click(*box(page, "🐝")[:2])
    act("all of the same emoji")
    page.wait_for_function("() => studio.selected.length == 2")
    act("mirror")
    studio.until("both mirrored", lambda e: [i.get("mirrored", False) for i in e] == [True, False, True])
    act("select all")
    act("align top")
    studio.until("in line", lambda e: len({i["y"] for i in e}) == 1)
    act("tidy")
    flower = studio.until("a grid", lambda e: len({i["x"] for i in e}) == 2 and len({i["y"] for i in e}) == 2)[1]
    act("invert")
    page.wait_for_function("() => studio.selected.length == 0")
    page.mouse.click(*place(page, flower))
    act("bring to front")
    studio.until("the flower on top", lambda e: e[-1]["text"] == "🌸")
    page.keyboard.press("r")
    page.get_by_role("searchbox").fill("tulip")
    page.get_by_role("searchbox").press("Enter")
    studio.until("the other emoji", lambda e: e[-1]["text"] == "🌷")


def pastes(studio):
    page, (x, y, *_) = one(studio)
    other = studio.page()
    page.mouse.click(x, y)
    # A script's event has no data of its own in Firefox.
    send = """(type, data) => { const event = new ClipboardEvent(type, {bubbles: true, cancelable: true})
        Object.defineProperty(event, 'clipboardData', {value: data})
        document.dispatchEvent(event) }"""
    paste = f"([type, text]) => {{ const data = new DataTransfer(); data.setData(type, text); ({send})('paste', data) }}"
    copy = f"""() => {{ const data = new DataTransfer(); ({send})('copy', data)
        return [data.getData('text/plain'), data.getData('application/x-emojiart+json')] }}"""
    # The clipboard's part of the page comes with the first event of the user.
    for each in [page, other]:
        each.keyboard.press("Shift")
        loaded(each, "transfer")
    text, ours = page.evaluate(copy)
    assert text == "🐝", text
    other.evaluate(paste, ["application/x-emojiart+json", ours])
    studio.until("the copy beside it", lambda e: sorted(i["x"] for i in e) == [320, 340])
    other.evaluate(paste, ["text/plain", "🌷🌷\n👩‍🌾"])
    studio.until("each emoji by itself", lambda e: sorted(i["text"] for i in e) == sorted(["🐝", "🐝", "🌷", "🌷", "👩‍🌾"]))


def copies_by_name(studio):
    """Without keys of the clipboard: scripts of Chromium write it themselves, those of Firefox by an event."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page(permissions=["clipboard-read", "clipboard-write"])

    def act(words):
        page.keyboard.press("Control+/")
        page.get_by_role("combobox").fill(words)
        page.keyboard.press("Enter")

    page.mouse.click(*box(page, "🐝")[:2])
    act("copy")
    page.get_by_text("Copied").wait_for()
    act("paste")
    studio.until("the copy", lambda e: [i["text"] for i in e] == ["🐝", "🐝"])


def takes_back(studio):
    studio.run("add", studio.document, "🐝", "--at", "100,100")
    studio.run("add", studio.document, "🌸", "--at", "300,180")
    page = studio.page()
    page.keyboard.press("Control+Shift+h")
    page.get_by_text("add 🐝").wait_for()
    page.get_by_role("listitem").filter(has_text="add 🐝").get_by_role("button", name="Take back").click()
    studio.until("the older edit taken back", lambda e: [i["text"] for i in e] == ["🌸"])


def background_arrives(studio):
    page, (x, y, *_) = one(studio)
    pictures = Pictures(png(400), held=True)
    try:
        page.keyboard.press("Shift+B")
        page.get_by_label("Address").fill(f"{pictures.url}/a.png")
        page.get_by_label("It is on this machine").check()
        page.keyboard.press("Enter")
        page.get_by_text(re.compile(r"Fetching the picture: \d+ kB / \d+ kB")).wait_for()
        # Editing goes on meanwhile.
        drag(page, (x, y), (x + 80, y), ["Control"])
        studio.until("the drag", lambda e: e[0]["x"] > 330)
        pictures.mayEnd.set()
        page.get_by_text("Fetching the picture").wait_for(state="hidden")
        studio.until("the picture", lambda b: b and b["url"] == f"{pictures.url}/a.png", "background")
        pictures.mayEnd.clear()
        page.keyboard.press("Shift+B")
        page.get_by_label("Address").fill(f"{pictures.url}/b.png")
        page.get_by_label("It is on this machine").check()
        page.keyboard.press("Enter")
        page.get_by_text(re.compile(r"Fetching the picture: \d+ kB")).wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("Fetching the picture").wait_for(state="hidden")
        # A later edit is in the file, and the picture is still the first one.
        page.keyboard.press("ArrowDown")
        studio.until("the move by a key", lambda e: near(e[0]["y"], 241, 0.001))
        assert studio.shown("background")["url"] == f"{pictures.url}/a.png"
    finally:
        pictures.close()


def drops(studio):
    """Of the addresses in a drop that of the HTML's picture counts. It is not typed, so an own machine is refused."""
    page, (x, y, *_) = one(studio)

    def drop(items, place=(x, y)):
        studio.browser.drop(page, items, *place)

    page.evaluate("import('/transfer.js').then(() => undefined)")
    drop([("text/plain", "http://127.0.0.3/c.png"), ("text/uri-list", "http://127.0.0.2/b.png"),
          ("text/html", "<p><img alt='' src='http://127.0.0.1/a.png?x=1&amp;y=2' onerror='alert(1)'>")])
    page.get_by_text("Image transfer failed").wait_for()
    assert "127.0.0.1" in page.get_by_role("alertdialog").inner_text()
    page.get_by_role("button", name="Keep warning").click()
    drop([("text/plain", "🌷")], (x + 60, y + 40))
    z = zoom(page)
    studio.until("the tulip where it was dropped", lambda e: len(e) == 2 and near(e[1]["x"], 320 + 60 / z) and near(e[1]["y"], 240 + 40 / z))
    picture = base64.b64encode(png(20)).decode()
    drop([("text/plain", f"data:image/png;base64,{picture}")])
    studio.until("the picture", lambda b: b is not None, "background")


def exports(studio):
    page, _ = one(studio)
    for kind, start in [("png", b"\x89PNG"), ("svg", b"<"), ("pdf", b"%PDF"), ("jpeg", b"\xff\xd8")]:
        page.keyboard.press("Control+Shift+E")
        page.get_by_label("Format").select_option(kind)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        with open(download.value.path(), "rb") as file:
            assert file.read(8).startswith(start), kind
        page.get_by_role("dialog").wait_for(state="detached")


def moved_and_removed(studio):
    page, _ = one(studio)
    moved = f"{studio.folder}/art/picnic.emojiart"
    os.rename(studio.document, moved)
    page.get_by_text("The document is now called picnic.emojiart").wait_for()
    assert page.locator("#name").inner_text() == "picnic"
    # A new page is told the new name.
    other = studio.page()
    assert other.locator("#name").inner_text() == "picnic"
    away = f"{studio.folder}/away.emojiart"
    os.rename(moved, away)
    page.get_by_text("The document’s file was removed").wait_for()
    page.mouse.click(*box(page, "🐝")[:2])
    page.keyboard.press("Control+d")
    page.locator("#status").get_by_text("Not saved").wait_for()
    os.rename(away, moved)
    studio.document = moved
    studio.until("what was done meanwhile", lambda e: len(e) == 2)
    page.locator("#status").get_by_text("Saved").wait_for()


def reload_keeps_pending(studio):
    """An edit whose answer does not come outlives the page, and is made once."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    link = studio.serve()
    page = studio.blank()
    page.goto(link)
    ready(page)
    x, y, *_ = box(page, "🐝")
    page.evaluate("line.holdsSent = '\"edit\"'")
    drag(page, (x, y), (x + 80, y), ["Control"])
    page.wait_for_function("() => studio.status.pending == 1")
    assert studio.shown()[0]["x"] == 320
    page.on("dialog", lambda dialog: dialog.accept())
    # The next page holds nothing back.
    page.reload()
    ready(page)
    page.wait_for_function("() => studio.status.pending == 0 && studio.status.saved == 'saved'")
    assert studio.shown()[0]["x"] > 330
    page.keyboard.press("Control+z")
    page.wait_for_function("() => studio.status.pending == 0 && studio.status.saved == 'saved'")
    studio.until("the undo", lambda e: e[0]["x"] == 320)


def link_takes_over(studio):
    """The server was killed, and its port is taken: its page goes on at a new address."""
    studio.keep_no_socket()
    page, (x, y, *_) = one(studio)
    loaded(page, "dialogs")
    port = int(page.evaluate("location.port"))
    studio.server.kill()
    studio.server.wait()
    page.wait_for_function("() => studio.status.net == 'waiting' || studio.status.net == 'connecting'")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        drag(page, (x, y), (x + 80, y), ["Control"])
        page.wait_for_function("() => studio.status.pending == 1")
        link = studio.serve()
        assert f":{port}/" not in link
        page.keyboard.press("Control+/")
        page.get_by_role("combobox").fill("new link")
        page.keyboard.press("Enter")
        # A link that was used already brings the page there, and the edit waits for a new one.
        origin = link.split("/#")[0]
        assert trade(link) == 200
        page.get_by_label("Link", exact=True).fill(link)
        page.on("dialog", lambda dialog: dialog.accept())
        page.keyboard.press("Enter")
        page.wait_for_function("origin => location.origin === origin", arg=origin)
        page.get_by_role("button", name="Connect by a new link").click()
        page.get_by_label("Link", exact=True).fill(studio.run("serve", f"{studio.folder}/art", "--link").strip())
        page.keyboard.press("Enter")
        studio.until("the drag", lambda e: e[0]["x"] > 330)
        ready(page)
        page.wait_for_function("() => studio.status.pending == 0")
        page.keyboard.press("Control+z")
        studio.until("the undo by the same hand", lambda e: e[0]["x"] == 320)


def edits_while_reopening(studio):
    """What is done while the document is opened again comes after what was done without the server."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    link = studio.serve()
    page = studio.blank()
    page.goto(link)
    ready(page)
    x, y, *_ = box(page, "🐝")
    page.evaluate("""() => { line.holdsReceived = '"document":{'; line.cut() }""")
    page.wait_for_function("() => studio.status.net == 'waiting' || studio.status.net == 'connecting'")
    drag(page, (x, y), (x + 40, y), ["Control"])
    page.wait_for_function("() => studio.status.net == 'open'")
    drag(page, (x + 40, y), (x + 120, y), ["Control"])
    page.wait_for_function("() => studio.status.pending == 2")
    page.wait_for_function("() => line.held.length > 0")
    page.evaluate("line.release()")
    page.wait_for_function("() => studio.status.pending == 0 && studio.status.saved == 'saved'")
    z = zoom(page)
    assert near(studio.shown()[0]["x"], 320 + 120 / z), studio.shown()
    assert studio.run("history", studio.document).count("move 🐝") == 2


def document_renamed_while_away(studio):
    """Edits wait for a document that cannot be opened, and are sent when it is there again."""
    page, (x, y, *_) = one(studio)
    studio.server.kill()
    studio.server.wait()
    away = f"{studio.folder}/art/away.emojiart"
    os.rename(studio.document, away)
    studio.run("new", f"{studio.folder}/art/other.emojiart")
    studio.served = f"{studio.folder}/art"
    studio.serve()
    page.get_by_text("bees.emojiart cannot be opened").first.wait_for()
    drag(page, (x, y), (x + 80, y), ["Control"])
    page.wait_for_function("() => studio.status.pending == 1")
    os.rename(away, studio.document)
    page.wait_for_function("() => studio.status.pending == 0 && studio.status.saved == 'saved'")
    assert studio.shown()[0]["x"] > 330


def few_requests(studio):
    """The first picture needs no tools: they come after it, while the painter asks for the glyphs."""
    studio.run("add", studio.document, "🐝", "--at", "100,100")
    page, link = studio.blank(), studio.serve()
    asked = []
    page.on("request", lambda request: asked.append(request.url.split("/", 3)[3]))
    page.on("websocket", lambda socket: asked.append(socket.url))
    with page.expect_response("**/glyphs"):
        page.goto(link)
    page.evaluate("studio.ready")
    first = {*asked[:asked.index("panels.js")], "glyphs"}
    assert "store.js" in first and len(first) <= 15 + bool(ASSETS), first
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px", "the styles in the document are taken"
    assert len(asked) > 20, "the count sees later requests"
    twice = [name for name in {*asked} if asked.count(name) > 1 and name.endswith(".js")]
    assert not twice, twice
    assert not [name for name in asked if re.fullmatch(r"words\.\w+\.js", name)], "an English page has no other table"


def reconnects(studio):
    """A page whose server was killed is saved again when it is back, also without a new edit."""
    page, _ = one(studio)
    saved = "state => document.getElementById('status').dataset.state === state"
    page.wait_for_function(saved, arg="saved")
    studio.server.kill()
    studio.server.wait()
    page.wait_for_function(saved, arg="reconnecting")
    studio.serve()
    page.wait_for_function(saved, arg="saved")


def captions_do_not_scroll(studio):
    page, _ = one(studio)
    stage = page.locator("#stage").bounding_box()
    page.keyboard.press("t")
    page.mouse.click(stage["x"] + stage["width"] - 40, stage["y"] + stage["height"] - 90)
    page.keyboard.type("Happy birthday, dear Anna, and many more")
    for _ in range(6):
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("x")
    assert page.evaluate("[...document.querySelectorAll('html, body, #stage')].every(e => e.scrollLeft === 0 && e.scrollTop === 0)")
    page.keyboard.press("Enter")
    caption = studio.until("the caption", lambda e: len(e) == 2)[1]
    # An emptied caption is removed by its own page, which is no news.
    page.evaluate("studio.whenPainted()")
    page.mouse.dblclick(*place(page, caption))
    page.locator("#words").fill("")
    page.locator("#words").press("Enter")
    studio.until("no caption", lambda e: len(e) == 1)
    page.wait_for_function("() => studio.status.saved === 'saved'")
    assert "removed" not in page.locator("#notes").inner_text()


def middle_button_pastes_nothing(studio):
    """What is selected anywhere is pasted by the middle button on Linux."""
    page, (x, y, *_) = one(studio)
    page.locator("#find").fill("secret words")
    page.locator("#find").click(click_count=3)
    page.mouse.move(x + 90, y + 60)
    page.mouse.down(button="middle")
    page.mouse.move(x + 120, y + 90)
    page.mouse.up(button="middle")
    # A later edit arrives after what a paste would have made.
    page.mouse.click(x, y)
    page.keyboard.press("ArrowRight")
    emojis = studio.until("the move", lambda e: any(i["x"] == 321 for i in e))
    assert len(emojis) == 1, emojis


def escape_with_keys(studio):
    """Escape cancels a gesture whatever other keys are held."""
    page, (x, y, *_) = one(studio)
    for key in ["Control", "Shift", "Alt"]:
        page.mouse.move(x, y)
        page.keyboard.down(key)
        page.mouse.down()
        page.mouse.move(x + 30, y + 30)
        page.mouse.move(x + 60, y + 40)
        page.keyboard.press("Escape")
        page.mouse.up()
        page.keyboard.up(key)
    page.mouse.click(x, y)
    page.keyboard.press("ArrowDown")
    emojis = studio.until("the move", lambda e: any(i["y"] == 241 for i in e))
    assert [(i["x"], i["y"]) for i in emojis] == [(320, 241)], emojis


def tones(studio):
    """A skin tone gives emoji that exist: people in a family have none."""
    page, _ = one(studio)
    page.locator("#tones button").nth(5).click()
    for name, wanted in [("family", "👪"), ("people holding hands", "🧑🏿‍🤝‍🧑🏿"), ("thumbs up", "👍🏿"), ("woman farmer", "👩🏿‍🌾")]:
        search(page, name)
        page.locator(f'#found [data-emoji="{wanted}"]').first.wait_for()


def german(studio):
    """A browser that prefers German gets the page in German, by one more request, and another language is a choice in the menu."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    link = studio.serve()
    page = studio.blank(locale="de-CH")
    asked = []
    page.on("request", lambda request: asked.append(request.url.split("/", 3)[3]))
    page.goto(link)
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    assert asked.count("words.de.js") == 1, asked
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["de", "ltr"]
    page.get_by_role("button", name="Exportieren").wait_for()
    page.locator("#status").get_by_text("Gespeichert").wait_for()
    assert page.locator("#find").get_attribute("placeholder") == "Emoji suchen"
    assert page.get_by_role("heading", name="Tiergesichter").is_visible()
    page.get_by_role("option", name="Biene, 320 nach rechts, 240 nach unten, Größe 40").wait_for(state="attached")
    # The name of the edit is English in the document, and German in the history.
    page.mouse.click(*box(page, "🐝")[:2])
    page.keyboard.press("Control+d")
    studio.until("the copy", lambda e: len(e) == 2)
    page.keyboard.press("Control+Shift+h")
    page.get_by_text("🐝 duplizieren").wait_for()
    assert "duplicate 🐝" in studio.run("history", studio.document)
    page.locator('button[data-action="undo"][title^="Rückgängig: 🐝 duplizieren"]').wait_for()
    # Names of emoji are German, and English words find them, too.
    for word in ["Biene", "honeybee"]:
        page.locator("#find").fill("")
        search(page, word)
        page.locator('#found [data-emoji="🐝"][aria-label="Biene"]').first.wait_for()
    page.locator("#find").fill("loewe")
    page.get_by_role("button", name="Löwe").first.wait_for()
    page.locator("#find").press("Enter")
    studio.until("the lion", lambda e: any(i["text"] == "🦁" for i in e))
    # Without its table a page speaks English.
    other = studio.blank(locale="de-DE")
    other.route("**/words.de.js", lambda route: route.abort())
    other.goto(studio.run("serve", f"{studio.folder}/art", "--link").strip())
    other.get_by_role("button", name="Export").wait_for()
    other.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    assert other.evaluate("document.documentElement.lang") == "en"
    other.locator("#find").fill("bee")
    other.get_by_role("button", name="honeybee").first.wait_for()
    page.locator('button[data-action="menu"]').click()
    page.get_by_role("menuitem", name="Sprache (Language)").click()
    page.get_by_role("combobox", name="Sprache").select_option("en")
    asked.clear()
    with page.expect_navigation():
        page.get_by_role("button", name="Anwenden").click()
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    page.get_by_role("button", name="Export").wait_for()
    assert page.evaluate("document.documentElement.lang") == "en"
    assert "words.js" in asked and "words.de.js" not in asked, asked


CASES = [few_requests, german, reconnects, captions_do_not_scroll, middle_button_pastes_nothing, escape_with_keys, tones, edits_while_reopening, document_renamed_while_away, drags, snaps, escape_cancels, arrows, deletes_and_duplicates, marquee_and_all, resizes_and_turns, adds_by_search, drags_from_the_picker, zooms, wheel_by_lines, touches,
         two_pages_and_a_command, refused_background, stamps_and_brushes, words_are_typed_in_place, actions_by_name, pastes, copies_by_name, takes_back,
         background_arrives, drops, exports, moved_and_removed, reload_keeps_pending, link_takes_over, stored_scripts, *DOCUMENT_CASES, *ACCESSIBLE_CASES, *JOURNEY_CASES, *BREAK_CASES, *SCREEN_CASES, *HAND_CASES, *OUTBOX_CASES, *START_CASES]


# The cases that a browser cannot run, and why: a table of reasons by case, for each browser.
LEFT_OUT = {"chromium": HAND_FIREFOX_ONLY, "firefox": CHROMIUM_ONLY | HAND_CHROMIUM_ONLY}


def run(name, programs, cases):
    """Runs cases in a browser, and returns the names of those that passed, and of those that failed."""
    passed, failed, left_out = [], [], LEFT_OUT.get(name, {})
    with opened(name, LIMIT) as browser:
        print(f"== {name} {browser.version}", flush=True)
        for case in cases:
            if reason := left_out.get(case.__name__):
                print(f"left out: {case.__name__}: {reason}", flush=True)
                continue
            studio = Studio(programs, browser)
            try:
                case(studio)
                assert not studio.faults, studio.faults
                passed.append(case.__name__)
                print(f"passed: {case.__name__}", flush=True)
            except Exception:
                failed.append(case.__name__)
                print(f"failed: {case.__name__}\n{traceback.format_exc()}{studio.faults}{studio.states()}", flush=True)
            finally:
                studio.close()
    print(f"{name}: {len(passed)} of {len(cases)} cases passed, {len(failed)} failed, {len(cases) - len(passed) - len(failed)} left out", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--browser", choices=["chromium", "firefox"])
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    cases = [case for case in CASES if not given.names or case.__name__ in given.names]
    if unknown := set(given.names) - {case.__name__ for case in cases}:
        parser.error(f"no case is called {', '.join(sorted(unknown))}")
    results = [run(name, os.path.abspath(given.programs), cases) for name in ([given.browser] if given.browser else ["chromium", "firefox"])]
    failed = sum(len(each) for _, each in results)
    print(f"{sum(len(each) for each, _ in results)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
