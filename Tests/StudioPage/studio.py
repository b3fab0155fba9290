# SPDX-License-Identifier: Apache-2.0
"""What the cases of browser.py have in hand: a folder with a server and pages in a browser, and what users do in a page. A case waits for what it wants
to see, never for a duration; what never comes is a failure after five minutes, which no machine is too busy for."""
import contextlib, http.client, http.server, json, os, random, shutil, socket, struct, subprocess, tempfile, threading, time, zlib

LIMIT = int(os.environ.get("STUDIO_LIMIT", "300"))
# Between two looks at files, in seconds.
PAUSE = 0.03
PROJECT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
PICTURES = f"{PROJECT}/docs/pictures"
FAILED = f"{PROJECT}/.build/page-tests/failed"
# The golden files that are written again: `screens`, `trees`, `pictures`. A case that writes them fails, so that no recording is taken for a test.
RECORDED = set(os.environ.get("EMOJIART_RECORD", "").split(","))
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


def recorded(what):
    raise AssertionError(f"recorded {what}: look at the difference, and run the case again")


class Studio:
    """A folder with a server and a browser. `is_whole` says that a case tries all that it can."""

    def __init__(self, programs, browser, is_whole=False):
        self.programs, self.browser, self.is_whole = programs, browser, is_whole
        self.folder = tempfile.mkdtemp(prefix="emojiart-browser.")
        self.environment = os.environ | {
            "EMOJIART_STATE": f"{self.folder}/state", "EMOJIART_CONFIG": f"{self.folder}/config",
            "XDG_RUNTIME_DIR": f"{self.folder}/run", "XDG_CACHE_HOME": f"{self.folder}/cache", "XDG_DATA_HOME": f"{self.folder}/data", "LC_ALL": "C.UTF-8"}
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
        value = None

        def is_so():
            nonlocal value
            value = self.shown(key)
            return holds(value)
        self.wait(is_so, what, lambda: value)
        return value

    def wait(self, holds, what, seen=lambda: ""):
        """Waits until something of the files, or of the pages, is so. Asking again and again would take the processor from what is awaited."""
        end = time.monotonic() + LIMIT
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}: {seen()}")
            time.sleep(PAUSE)

    def states(self, case):
        """What the pages say of their state, for a case that has failed. Their screenshots are left in .build/page-tests/failed."""
        found = []
        os.makedirs(FAILED, exist_ok=True)
        for number, page in enumerate(self.pages):
            try:
                found.append(page.evaluate("({ ...studio.status, shown: studio.shown(), says: document.getElementById('status').dataset.state })"))
            except Exception as error:
                found.append(f"no state: {error}")
                continue
            # A page that answers can be drawn.
            with contextlib.suppress(Exception):
                page.screenshot(path=f"{FAILED}/{case}-{self.browser.name}-{number}.png")
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


def act(page, words):
    """Does an action by its name. The next one finds a palette of its own."""
    page.keyboard.press("Control+/")
    page.get_by_role("combobox", name="Find an action").fill(words)
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Find an action").wait_for(state="detached")


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
