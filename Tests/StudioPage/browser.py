#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the studio in a real browser, with the real server: browser.py PROGRAMS [NAME...]

PROGRAMS is the folder with emojiart and its helpers. Each case has a document of its own, does what a user does, by mouse, by keys or by
touch, and then reads the document with the command. A case waits for what it wants to see, never for a duration; what never comes is a
failure after a minute. Closes with the line `N passed, N failed`.
"""
import json, os, shutil, subprocess, sys, tempfile, time, traceback
from playwright.sync_api import sync_playwright

LIMIT = int(os.environ.get("STUDIO_LIMIT", "60"))


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
        self.server = None
        self.contexts = []
        self.faults = []

    def run(self, *words):
        done = subprocess.run([f"{self.programs}/emojiart", *words], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    def serve(self):
        self.server = subprocess.Popen(
            [f"{self.programs}/emojiart", "serve", self.document], env=self.environment, stdout=subprocess.PIPE, text=True)
        return self.server.stdout.readline().strip()

    def page(self, link=None, **options):
        context = self.browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(LIMIT * 1000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(link or (self.serve() if not self.server else self.run("serve", f"{self.folder}/art", "--link").strip()))
        page.wait_for_function("window.studio && studio.ready.then(() => true)")
        return page

    def shown(self):
        """The document in the file, as the command shows it."""
        return json.loads(self.run("show", self.document, "--json"))["emojis"]

    def until(self, what, holds):
        """Waits until the document in the file is so, and returns its emoji."""
        end = time.monotonic() + LIMIT
        while True:
            emojis = self.shown()
            if holds(emojis):
                return emojis
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}: {emojis}")

    def close(self):
        for context in self.contexts:
            context.close()
        if self.server:
            self.server.terminate()
            self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def box(page, name, nth=0):
    """Where an emoji is in the window: the box of its option."""
    option = page.get_by_role("option", name=name).nth(nth)
    option.wait_for(state="attached")
    found = option.bounding_box()
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2, found["width"], found["height"]


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


def near(value, wanted, room=1.5):
    return abs(value - wanted) <= room


def zoom(page):
    return page.evaluate("studio.camera.zoom")


def one(studio, *more):
    """A page with a bee in the middle."""
    studio.run("add", studio.document, "🐝", "--at", "320,240", *more)
    page = studio.page()
    return page, box(page, "🐝")


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


def adds_by_search(studio):
    page, _ = one(studio)
    page.locator("#find").fill("cherry blossom")
    page.get_by_role("button", name="cherry blossom").first.wait_for()
    page.keyboard.press("Enter")
    studio.until("the flower", lambda e: any(i["text"] == "🌸" for i in e))


def zooms(studio):
    page, (x, y, *_) = one(studio)
    before = zoom(page)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    for _ in range(5):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("z => studio.camera.zoom > z * 1.1", arg=before)
    # What is under the pointer stays there; its box follows when the view rests.
    page.wait_for_function("""([x, y]) => {
      const box = document.querySelector('[role=option]').getBoundingClientRect()
      return Math.abs(box.x + box.width / 2 - x) < 3 && Math.abs(box.y + box.height / 2 - y) < 3
    }""", arg=[x, y])
    page.keyboard.press("Shift+1")
    page.wait_for_function("z => Math.abs(studio.camera.zoom - z) < 1e-9", arg=before)
    assert studio.shown()[0]["x"] == 320, "zooming edits nothing"


def touches(studio):
    studio.run("add", studio.document, "🐝", "--at", "320,240", "--size", "120")
    page = studio.page(has_touch=True)
    x, y, *_ = box(page, "🐝")
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py, "id": n} for n, (px, py) in enumerate(points)]})
    before = zoom(page)
    # One finger edits.
    touch("touchStart", (x, y))
    for part in range(1, 7):
        touch("touchMove", (x + 15 * part, y))
    touch("touchEnd")
    studio.until("the drag of a finger", lambda e: e[0]["x"] > 360)
    # Two fingers beside it move the view.
    a, b = (x - 250, y - 200), (x - 200, y - 200)
    touch("touchStart", a, b)
    for part in range(1, 9):
        touch("touchMove", (a[0] - 8 * part, a[1]), (b[0] + 8 * part, b[1]))
    touch("touchEnd")
    page.wait_for_function("z => studio.camera.zoom > z * 1.2", arg=before)


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


CASES = [drags, snaps, escape_cancels, arrows, deletes_and_duplicates, marquee_and_all, resizes_and_turns, adds_by_search, zooms, touches,
         two_pages_and_a_command, refused_background]


def main():
    programs, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed, failed = 0, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        for case in CASES:
            if names and case.__name__ not in names:
                continue
            studio = Studio(programs, browser)
            try:
                case(studio)
                assert not studio.faults, studio.faults
                passed += 1
                print(f"passed: {case.__name__}", flush=True)
            except Exception:
                failed.append(case.__name__)
                print(f"failed: {case.__name__}\n{traceback.format_exc()}{studio.faults}", flush=True)
            finally:
                studio.close()
        browser.close()
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
