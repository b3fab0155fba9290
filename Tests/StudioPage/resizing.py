#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random sizes of the page in the middle of random gestures: resizing.py PROGRAMS [CASES [SEED]] [--browser chromium|firefox]

A case has a document, a page, and gestures by mouse, fingers and keys; in the middle of each, the page gets one to three random sizes. After each
gesture the file, the store of the page and what the page shows are compared with what the gesture was to do. `scripts/dev torture page-resizes` runs the
campaign; a short case is in break_cases.py. Controls come first: a page that is spoilt on purpose must be found.
"""
import argparse, collections, json, math, os, random as randomness, sys
from studio import LIMIT, Studio

GESTURES_A_CASE = 10
EMOJI = "🐝🌸🐛🌻🐞🦋🌷🐜"
CONTROLS = {
    "lost": ("a page that loses an edit during which its size changes", "Studio.prototype.perform = function () { this.refresh() }"),
    "doubled": ("a page that makes edits twice", """
      const { perform } = Studio.prototype;
      const again = ([kind, id, ...more]) => (kind === 'add' ? [kind, id.slice(1) + '0', ...more] : kind === 'move' ? [kind, id, more[0] + 7, more[1] + 7] : [kind, id, ...more]);
      Studio.prototype.perform = function (changes, name) { perform.call(this, changes, name); perform.call(this, changes.map(again), name) };"""),
    "selection": ("a page that forgets its selection at a new size", "addEventListener('resize', () => whole.select([], null))"),
}
# Runs in the page, and reads what the page holds.
PROBE = """() => Promise.all([import('/studio.js'), import('/selection.js')]).then(([{ Studio }, selection]) => {
  const camera = Object.getOwnPropertyDescriptor(Studio.prototype, 'camera');
  Object.defineProperty(Studio.prototype, 'camera', { configurable: true, get() { window.whole = this; return camera.get.call(this) } });
  studio.camera;
  Object.defineProperty(Studio.prototype, 'camera', camera);
  const stage = document.getElementById('stage');
  const isFree = (x, y) => {
    const found = document.elementFromPoint(x, y);
    return found !== null && found.closest('#stage') === stage && !(found instanceof HTMLTextAreaElement);
  };
  const client = ({ x, y }) => ({ x: whole.stageRect.left + whole.camera.x + x * whole.camera.zoom, y: whole.stageRect.top + whole.camera.y + y * whole.camera.zoom });
  const at = ({ x, y }) => whole.documentPoint({ clientX: x, clientY: y });
  const topAt = (x, y) => { const place = at({ x, y }); return whole.hits.topAt(place.x, place.y) };
  // What ends a gesture without the user.
  let taken = [];
  for (const kind of ['blur', 'pointercancel', 'lostpointercapture']) addEventListener(kind, (event) => { if (kind !== 'blur' || event.target === window) taken.push(kind) }, true);
  let last = [-1, -1];
  addEventListener('pointermove', ({ clientX, clientY }) => { last = [clientX, clientY] }, true);
  window.probe = {
    at,
    taken: () => taken,
    isSeen: ([x, y]) => Math.abs(last[0] - x) < 1 && Math.abs(last[1] - y) < 1,
    forgetTaken: () => { taken = [] },
    // A page that never comes to rest is a fault: what it has then is given back.
    rest: async ([width, height, limit]) => {
      for (const end = performance.now() + limit;;) {
        await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)) });
        const { left, top, width: across, height: down } = stage.getBoundingClientRect();
        const { stageRect, inset, viewport } = whole;
        const view = { width: Math.max(50, across - inset.left - inset.right), height: Math.max(50, down - inset.top - inset.bottom) };
        if (innerWidth === width && innerHeight === height && stageRect.left === left && stageRect.top === top && stageRect.width === across && stageRect.height === down
          && Math.abs(viewport.view.width - view.width) < 0.01 && Math.abs(viewport.view.height - view.height) < 0.01) return null;
        if (performance.now() > end) return JSON.stringify([innerWidth, innerHeight, left, top, across, down, stageRect, inset, viewport.view]);
      }
    },
    targets: () => whole.store.inOrder().flatMap((label) => {
      const { x, y } = client(label);
      const [left, top] = [Math.round(x), Math.round(y)];
      return isFree(left, top) && topAt(left, top) === label.id ? [{ id: label.id, x: left, y: top }] : [];
    }),
    spot: (parts) => {
      const { left, top, width, height } = stage.getBoundingClientRect();
      for (const [across, down, isEmpty] of parts) {
        const [x, y] = [Math.round(left + across * width), Math.round(top + down * height)];
        if (isFree(x, y) && (!isEmpty || topAt(x, y) === null)) return { x, y };
      }
      return null;
    },
    handles: () => {
      const frame = selection.frameOf(whole.selection);
      if (!frame) return null;
      const { corners, turn } = selection.handlesOf(frame, whole.viewport);
      const place = ({ x, y }) => {
        const [left, top] = [Math.round(whole.stageRect.left + whole.inset.left + x), Math.round(whole.stageRect.top + whole.inset.top + y)];
        return isFree(left, top) ? { x: left, y: top } : null;
      };
      return { corners: corners.map(place), turn: place(turn), center: frame.center, ends: frame.corners };
    },
    inRect: ([a, b]) => [...whole.hits.inRect({ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) })],
    palette: (part) => {
      const all = [...document.querySelectorAll('#found button')].filter((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        return width && document.elementFromPoint(left + width / 2, top + height / 2) === button;
      });
      if (!all.length) return null;
      const button = all[Math.floor(part * all.length)];
      const { left, top, width, height } = button.getBoundingClientRect();
      return { text: button.dataset.emoji, x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
    },
    begin: () => {
      whole.escape(); whole.escape();
      if (whole.tool !== 'select') whole.setTool('select');
      whole.setViewport(whole.viewport.fit());
    },
    select: (ids) => whole.select(ids),
    focus: () => [document.activeElement?.id ?? '', document.activeElement?.closest('.cell')?.dataset.name ?? ''],
    state: () => ({
      labels: whole.store.inOrder(), pending: whole.store.pending.length, selected: [...whole.selected].sort(), name: document.getElementById('name').textContent,
      open: whole.name, status: document.getElementById('status').dataset.state,
      hanging: Object.entries({
        lifted: whole.lifted !== null, gesture: whole.isGesturing(), unsettled: whole.unsettled !== null, grabbed: whole.isGrabbed, hand: whole.isHandHeld,
        words: document.getElementById('words') !== null, ghost: document.querySelector('.dragged') !== null, leaving: whole.isLeaving,
        dragged: document.getElementById('emoji').style.getPropertyValue('--dragged') !== '',
      }).flatMap(([name, isThere]) => (isThere ? [name] : [])),
      isView: whole.viewport.content.width === whole.store.canvas.width && whole.viewport.content.height === whole.store.canvas.height,
    }),
  };
})"""


class Broken(AssertionError):
    """A promise does not hold."""


class Unfit(Exception):
    """The page has no place for this gesture at its size."""


def expect(holds, *what):
    if not holds:
        raise Broken(*what)


def plain(label):
    """A label without the usual values, which documents leave out. Its order is that of the list."""
    return {key: value for key, value in label.items() if key != "z" and value is not None and value is not False and (key, value) != ("rotation", 0)}


class Table:
    """A page with two documents, whose size changes while something is done."""

    def __init__(self, studio, random, count):
        self.studio, self.random, self.count = studio, random, count
        self.other = "ants"
        studio.run("new", f"{studio.folder}/art/ants.emojiart", "--canvas", "640x480")
        for index in range(random.randint(5, 12)):
            place = f"{60 + 130 * (index % 4) + random.randrange(90)},{50 + 150 * (index // 4) + random.randrange(80)}"
            studio.run("add", studio.document, random.choice(EMOJI), "--at", place, "--size", str(random.randint(30, 90)))
        self.size = self.draw_size()
        self.has_touch = random.random() < 0.5
        page = studio.blank(viewport=self.viewport, has_touch=self.has_touch)
        page.goto(studio.serve())
        page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
        self.page = page
        self.fingers = studio.browser.fingers(page) if self.has_touch else None
        self.touches = False
        page.evaluate(PROBE)
        # What snaps is not where the pointer is.
        page.evaluate("() => whole.setSnapping(false)")
        if random.random() < 0.5:
            self.show_documents()
        self.rest()

    @property
    def viewport(self):
        return dict(zip(["width", "height"], self.size))

    def draw_size(self):
        """A size between 320 and 2560 pixels wide; half of them are higher than wide, and all layouts come."""
        random = self.random
        a, b = sorted([random.choice([random.randint(320, 599), random.randint(600, 999), random.randint(1000, 1600), random.randint(1600, 2560)]), random.randint(320, 1440)])
        return (a, b) if random.random() < 0.5 else (b, a)

    def probe(self, name, arg=None):
        return self.page.evaluate(f"(arg) => probe.{name}(arg)", arg)

    def rest(self):
        if found := self.probe("rest", [*self.size, 5000]):
            raise Broken(f"the page of {self.size} does not come to rest: {found}")

    def show_documents(self):
        self.page.evaluate("() => whole.focusCanvas()")
        self.page.keyboard.press("Control+o")
        self.page.wait_for_function("() => document.body.dataset.documents && document.body.dataset.documents !== 'none'")

    def hide_documents(self):
        if self.page.evaluate("document.body.dataset.documents === 'whole'"):
            self.page.keyboard.press("Control+o")
            self.page.wait_for_function("() => document.body.dataset.documents !== 'whole'")

    def resize(self):
        """Gives the page one to three other sizes, in the middle of a gesture."""
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.size = self.draw_size()
            self.page.set_viewport_size(self.viewport)
            self.count["resizes"] += 1
            # Some sizes come one after the other before the page has taken the first one.
            if self.random.random() < 0.7:
                self.rest()
        self.rest()

    def spot(self, isEmpty=False):
        random = self.random
        found = self.probe("spot", [[0.03 + 0.94 * random.random(), 0.03 + 0.94 * random.random(), isEmpty] for _ in range(200)])
        if found is None:
            raise Unfit("no free place")
        return found

    def at(self, place):
        return self.probe("at", place)

    def hover(self, place):
        """Moves the mouse to a place until the page has been told: after a new size Firefox brings no moves to it for a moment."""
        for nudge in range(100):
            self.page.mouse.move(place["x"] + nudge % 2, place["y"])
            self.page.mouse.move(place["x"], place["y"])
            if self.probe("isSeen", [place["x"], place["y"]]):
                return
        raise Unfit("the browser brings no moves to the page")

    def drag_finger(self, place):
        """The same with a finger that is down."""
        for nudge in range(100):
            self.fingers.move((place["x"] + nudge % 2, place["y"]))
            self.fingers.move((place["x"], place["y"]))
            if self.probe("isSeen", [place["x"], place["y"]]):
                return
        raise Unfit("the browser brings no moves of the finger to the page")

    def target(self):
        targets = self.probe("targets")
        if not targets:
            raise Unfit("no emoji in reach")
        return self.random.choice(targets)

    def file(self):
        document = json.loads(self.studio.run("show", self.studio.document, "--json"))
        return {one["id"]: plain(one) for one in document["emojis"]}, self.studio.run("history", self.studio.document).count("\n")

    def escapes(self):
        """Whether the gesture is cancelled. Then Escape has been pressed."""
        if self.random.random() < 0.25:
            self.page.keyboard.press("Escape")
            self.count["cancelled by Escape"] += 1
            return True
        return False

    def open_sheet(self):
        """Shows the emoji where they are in a sheet."""
        if self.page.evaluate("document.getElementById('emoji').dataset.sheet") == "closed":
            box = self.page.locator(".sheetButton").bounding_box()
            self.hover({"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + box["height"] / 2)})
            self.page.mouse.down()
            self.page.mouse.up()
        self.page.wait_for_function("() => document.getElementById('emoji').dataset.sheet !== 'closed' && !document.getElementById('emoji').getAnimations().length")

    # MARK: one gesture

    def gesture(self, kind):
        """Does a gesture, and compares all that there is with what it was to do."""
        page, random = self.page, self.random
        page.mouse.move(1, 1)
        self.hide_documents()
        self.probe("begin")
        self.rest()
        ids = self.probe("targets")
        some = [one["id"] for one in random.sample(ids, min(len(ids), random.choice([0, 1, 1, 2, 3])))]
        self.probe("select", some)
        before, edits = self.file()
        self.probe("forgetTaken")
        # Gives the wanted labels of the file, or a check of them; the wanted selection, None for any; and how many edits were made.
        wanted = getattr(self, f"do_{kind}")(before, sorted(some))
        page.wait_for_function("() => studio.status.pending === 0 && document.getElementById('status').dataset.state === 'saved' && !document.getElementById('words')")
        self.rest()
        after, now = self.file()
        state = self.probe("state")
        wanted(before, after, now - edits, state)
        shown = {label["id"]: plain(label) for label in state["labels"]}
        expect(list(shown.items()) == list(after.items()), "the page shows something else than the file has", shown, after)
        expect(not state["hanging"], "left hanging", state["hanging"])
        expect((state["name"], state["open"]) == ("bees", "bees.emojiart"), "another document is open", state["name"])
        expect(state["isView"], "the view has another size than the document")
        expect(not self.studio.faults, self.studio.faults)
        self.count["gestures"] += 1
        self.count[kind] += 1

    def same(self, selection=None):
        """Nothing was edited."""
        def check(before, after, edits, state):
            expect(edits == 0 and before == after, "something was edited", edits, before, after)
            if selection is not None:
                expect(state["selected"] == sorted(selection), "another selection", state["selected"], selection)
        return check

    def moved(self, ids, start, end, selection, may_cancel=False, former=None):
        """The labels have moved by the way of the pointer in the document; one edit."""
        def check(before, after, edits, state):
            if may_cancel and edits == 0 and before == after:
                self.count["cancelled by the browser"] += 1
                expect(former is None or state["selected"] == sorted(former), "another selection", state["selected"], former)
                return
            dx, dy = end["x"] - start["x"], end["y"] - start["y"]
            isMoved = abs(dx) > 0.02 or abs(dy) > 0.02
            expect(edits == isMoved or not isMoved and edits < 2, f"{edits} edits", dx, dy)
            for name, label in before.items():
                now = dict(after[name])
                if name in ids:
                    expect(abs(now["x"] - label["x"] - dx) < 0.05 and abs(now["y"] - label["y"] - dy) < 0.05, "moved elsewhere", label, now, dx, dy)
                    now |= {"x": label["x"], "y": label["y"]}
                expect(now == label, "something else was edited", label, now)
            expect(len(after) == len(before), "another number of emoji")
            expect(state["selected"] == sorted(selection), "another selection", state["selected"], selection)
        return check

    def way(self, act, target):
        """A pointer that is down goes on a way; the size of the page changes in the middle. Gives the last place."""
        parts = self.random.randint(1, 3)
        place = target
        for _ in range(parts):
            place = self.spot()
            act(place)
        self.resize()
        for _ in range(self.random.randint(1, 3)):
            place = self.spot()
            act(place)
        return place

    def drag(self, place):
        """Drags with the mouse from a place: where it began and ended in the document, or None if Escape ended it."""
        start = self.at(place)
        self.hover(place)
        self.page.mouse.down()
        place = self.way(lambda place: self.page.mouse.move(place["x"], place["y"]), place)
        ends = None if self.escapes() else (start, self.at(place))
        self.page.mouse.up()
        return ends

    def do_drag(self, before, some):
        target = self.target()
        ends = self.drag(target)
        if ends is None:
            return self.same(some)
        start, end = ends
        ids = some if target["id"] in some else [target["id"]]
        return self.moved(ids, start, end, ids)

    def do_touch(self, before, some):
        if not self.fingers:
            raise Unfit("no touch")
        target = self.target()
        start = self.at(target)
        self.fingers.down((target["x"], target["y"]))
        self.touches = True
        place = self.way(self.drag_finger, target)
        end = self.at(place)
        self.fingers.up()
        self.touches = False
        ids = some if target["id"] in some else [target["id"]]
        return self.moved(ids, start, end, ids, may_cancel=True, former=some)

    def do_pinch(self, before, some):
        if not self.fingers:
            raise Unfit("no touch")
        target = self.target()
        self.probe("select", [target["id"]])
        x, y = target["x"], target["y"]
        self.fingers.down((x - 6, y), (x + 6, y))
        self.touches = True
        self.fingers.move((x - 20, y - 4), (x + 20, y + 4))
        self.resize()
        middle = self.spot()
        reach = self.random.randint(10, 30)
        self.fingers.move((middle["x"] - reach, middle["y"]), (middle["x"] + reach, middle["y"]))
        self.fingers.up()
        self.touches = False

        def check(before, after, edits, state):
            expect(edits in [0, 1], f"{edits} edits of a pinch")
            self.count["cancelled by the browser"] += edits == 0
            changed = [name for name in before if before[name] != after.get(name)]
            expect(changed in [[], [target["id"]]] and len(after) == len(before), "something else was edited", changed)
            expect(bool(changed) == bool(edits), "an edit without a change", edits, changed)
            expect(state["selected"] == [target["id"]], "another selection", state["selected"])
        return check

    def do_resize(self, before, some):
        target = self.target()
        self.probe("select", some := sorted(some) or [target["id"]])
        handles = self.probe("handles")
        index = self.random.randrange(4)
        if handles is None or not handles["corners"][index]:
            raise Unfit("no handle in reach")
        ends = self.drag(handles["corners"][index])
        if ends is None:
            return self.same(some)
        start, end = ends
        corner, about = handles["ends"][index], handles["ends"][(index + 2) % 4]
        along = corner["x"] - about["x"], corner["y"] - about["y"]
        factor = ((along[0] + end["x"] - start["x"]) * along[0] + (along[1] + end["y"] - start["y"]) * along[1]) / (along[0] ** 2 + along[1] ** 2)

        def check(before, after, edits, state):
            expect(edits <= 1, f"{edits} edits of a resize")
            for name, label in before.items():
                if name not in some:
                    expect(after[name] == label, "something else was edited", label, after[name])
                # Sizes have bounds, at which all of them stop.
                elif 0.4 < factor < 4:
                    expect(edits == 1 and abs(after[name]["size"] / label["size"] - factor) < 0.02, "another size", label, after[name], factor)
            expect(len(after) == len(before) and state["selected"] == some, "another selection", state["selected"], some)
        return check

    def do_turn(self, before, some):
        page, target = self.page, self.target()
        self.probe("select", some := [target["id"]])
        handles = self.probe("handles")
        if handles is None or not handles["turn"]:
            raise Unfit("no handle in reach")
        place = handles["turn"]
        start = self.at(place)
        self.hover(place)
        page.mouse.down()
        place = self.way(lambda place: page.mouse.move(place["x"], place["y"]), place)
        if self.escapes():
            page.mouse.up()
            return self.same(some)
        end, center = self.at(place), handles["center"]
        page.mouse.up()
        turn = math.degrees(math.atan2(end["y"] - center["y"], end["x"] - center["x"]) - math.atan2(start["y"] - center["y"], start["x"] - center["x"]))

        def check(before, after, edits, state):
            was, now = before[target["id"]], after[target["id"]]
            off = (now.get("rotation", 0) - was.get("rotation", 0) - turn + 180) % 360 - 180
            expect(edits <= 1 and abs(off) < 0.2, "another turn", edits, was, now, turn)
            expect({**now, "rotation": 0, "x": 0, "y": 0} == {**was, "rotation": 0, "x": 0, "y": 0}, "more than a turn", was, now)
            expect({**before, target["id"]: 0} == {**after, target["id"]: 0}, "something else was edited")
            expect(state["selected"] == some, "another selection", state["selected"], some)
        return check

    def do_marquee(self, before, some):
        page = self.page
        self.probe("select", [])
        start = self.spot(isEmpty=True)
        corner = self.at(start)
        self.hover(start)
        page.mouse.down()
        place = self.way(lambda place: page.mouse.move(place["x"], place["y"]), start)
        if self.escapes():
            page.mouse.up()
            return self.same([])
        ids = self.probe("inRect", [corner, self.at(place)])
        page.mouse.up()
        return self.same(ids)

    def do_wheel(self, before, some):
        page, place = self.page, self.spot()
        self.hover(place)
        isZoom = self.random.random() < 0.6
        for turns in range(2):
            if isZoom:
                page.keyboard.down("Control")
            for _ in range(2):
                page.mouse.wheel(self.random.randint(-60, 60), self.random.randint(-90, 90))
            if isZoom:
                page.keyboard.up("Control")
            if turns == 0:
                self.resize()
                # Over a panel, Control and the wheel zoom the browser's own view.
                self.hover(self.spot())
        return self.same(some)

    def do_pan(self, before, some):
        page, place = self.page, self.spot()
        # A zoomed view can be moved.
        page.evaluate("() => whole.setViewport(whole.viewport.zoomBy(3))")
        self.hover(place)
        page.mouse.down(button="middle")
        self.way(lambda place: page.mouse.move(place["x"], place["y"]), place)
        self.escapes()
        page.mouse.up(button="middle")
        return self.same(some)

    def do_palette(self, before, some):
        page = self.page
        self.open_sheet()
        found = self.probe("palette", self.random.random())
        if not found:
            raise Unfit("no palette")
        self.hover(found)
        page.mouse.down()
        page.mouse.move(found["x"] + 9, found["y"] + 9)
        self.resize()
        place = self.spot()
        page.mouse.move(place["x"], place["y"])
        if self.escapes():
            page.mouse.up()
            return self.same()
        end = self.at(place)
        page.mouse.up()

        def check(before, after, edits, state):
            new = [label for name, label in after.items() if name not in before]
            expect(edits == 1 and len(new) == 1, f"{edits} edits, {len(new)} emoji from the palette", found, new)
            expect(new[0]["text"] == found["text"] and abs(new[0]["x"] - end["x"]) <= 0.51 and abs(new[0]["y"] - end["y"]) <= 0.51, "elsewhere", new, end)
            expect({name: after.get(name) for name in before} == before, "something else was edited")
        return check

    def do_grab(self, before, some):
        page, target = self.page, self.target()
        self.probe("select", some := sorted(some) or [target["id"]])
        page.evaluate("() => whole.focusCanvas()")
        page.keyboard.press("g")
        right, down = self.random.randint(1, 3), self.random.randint(1, 3)
        for _ in range(right):
            page.keyboard.press("ArrowRight")
        self.resize()
        for _ in range(down):
            page.keyboard.press("ArrowDown")
        if self.escapes():
            return self.same(some)
        page.keyboard.press("Enter")
        return self.moved(some, {"x": 0, "y": 0}, {"x": 10 * right, "y": 10 * down}, some)

    def do_words(self, before, some):
        page, place = self.page, self.spot(isEmpty=True)
        page.evaluate("() => whole.setTool('caption')")
        at = self.at(place)
        self.hover(place)
        page.mouse.down()
        page.mouse.up()
        page.locator("#words").wait_for()
        page.keyboard.type("half ")
        self.resize()
        text = "half"
        if self.probe("focus")[0] == "words":
            page.keyboard.type("done")
            text = "half done"
        else:
            self.count["words ended by a size"] += 1
        page.keyboard.press("Escape" if self.probe("focus")[0] == "words" and self.random.random() < 0.3 else "Enter") if text == "half done" else None
        page.locator("#words").wait_for(state="detached")

        def check(before, after, edits, state):
            new = [label for name, label in after.items() if name not in before]
            expect(edits == 1 and [label["text"] for label in new] == [text], f"{edits} edits", new)
            expect(abs(new[0]["x"] - at["x"]) <= 0.51 and abs(new[0]["y"] - at["y"]) <= 0.51, "elsewhere", new, at)
            expect({name: after.get(name) for name in before} == before, "something else was edited")
        return check

    def do_rename(self, before, some):
        page = self.page
        if page.evaluate("!document.body.dataset.documents || document.body.dataset.documents === 'none'"):
            self.show_documents()
        from document_cases import cell
        cell(page, self.other).focus()
        page.keyboard.press("F2")
        page.locator("#documents .name input").wait_for()
        name = f"half {self.count['gestures']}"
        page.keyboard.type(name)
        self.resize()
        isTyping = page.evaluate("document.activeElement.matches('#documents .name input')")
        if isTyping:
            page.keyboard.type(" done")
            name += " done"
            page.keyboard.press("Enter")
        else:
            self.count["renames ended by a size"] += 1
        folder = f"{self.studio.folder}/art"
        there = lambda: sorted(each for each in os.listdir(folder) if each.endswith(".emojiart"))
        if isTyping:
            self.studio.wait(lambda: f"{name}.emojiart" in there(), f"the name {name}: {there()}")
        else:
            # What was half typed is no name.
            page.evaluate("() => whole.net.request({ documents: { list: '' } })")
        found = there()
        expect(found == sorted(["bees.emojiart", f"{name if isTyping else self.other}.emojiart"]), "other documents", found)
        self.other = next(each for each in found if each != "bees.emojiart")[:-9]
        return self.same(some)

    def do_sheet(self, before, some):
        page = self.page
        self.open_sheet()
        grip = page.locator(".grip")
        if not grip.is_visible():
            raise Unfit("no sheet")
        box = grip.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.hover({"x": round(x), "y": round(y)})
        page.mouse.down()
        page.mouse.move(x, y + 20)
        page.mouse.move(x, y - 30)
        self.resize()
        page.mouse.move(x % self.size[0], max(1, min(self.size[1] - 2, y + 40)))
        page.mouse.up()
        return self.same()


KINDS = ["drag", "drag", "drag", "touch", "touch", "pinch", "resize", "resize", "turn", "marquee", "marquee", "wheel", "pan", "palette", "palette", "grab", "words", "words", "rename", "sheet"]


def case(studio, random, count, gestures=GESTURES_A_CASE, least=0, spoils=None):
    """So many gestures on one page, and as many more as there are too few sizes."""
    table = Table(studio, random, count)
    if spoils:
        table.page.evaluate(f"() => import('/studio.js').then(({{ Studio }}) => {{ {CONTROLS[spoils][1]} }})")
    done = 0
    while done < gestures or count["resizes"] < least:
        kind = random.choice(KINDS)
        try:
            table.gesture(kind)
        except Unfit:
            count["unfit"] += 1
            # What was begun is cancelled, and another size may have room for it.
            table.page.keyboard.press("Escape")
            table.page.mouse.up()
            table.page.mouse.up(button="middle")
            if table.touches:
                table.fingers.up()
                table.touches = False
            table.size = table.draw_size()
            table.page.set_viewport_size(table.viewport)
            table.rest()
            continue
        except Exception as error:
            raise Broken(f"{kind}, gesture {done + 1}, {table.size[0]}x{table.size[1]}, {table.probe('taken')}, {table.page.evaluate('[whole.net.state, whole.net.reason]')}: {error}") from error
        done += 1


def tally(count):
    return ", ".join(f"{count[key]} {key}" for key in sorted(count))


def attempt(programs, browser, seed, count, spoils=None):
    """Runs a case. The sentence that says what is broken, empty if nothing is."""
    studio = Studio(programs, browser)
    try:
        case(studio, randomness.Random(f"resizes:{seed}"), count, spoils=spoils)
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:1500]
    finally:
        studio.close()


def main():
    from support.browsers import opened
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("cases", nargs="?", type=int, default=1)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--browser", choices=["chromium", "firefox"])
    given = parser.parse_args()
    programs = os.path.abspath(given.programs)
    failed = False
    for name in [given.browser] if given.browser else ["chromium", "firefox"]:
        with opened(name, LIMIT) as browser:
            count, broken = collections.Counter(), 0
            for spoils, (what, _) in CONTROLS.items():
                # The same case must hold without the fault.
                finds = lambda seed: attempt(programs, browser, seed, collections.Counter(), spoils).startswith("Broken") and not attempt(programs, browser, seed, collections.Counter())
                found = next((seed for seed in range(1, 9) if finds(seed)), 0)
                failed |= not found
                print(f"H8 control in {name}, {what}: {f'found in case {found}' if found else 'NOT found'}", flush=True)
            for seed in range(given.seed, given.seed + given.cases):
                if sentence := attempt(programs, browser, seed, count):
                    broken += 1
                    print(f"  broken: {sentence} (seed {seed}, {name})", flush=True)
            print(f"H8 resizes during gestures in {name}: {given.cases} cases, {tally(count)}, {broken} broken", flush=True)
            failed |= broken > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
