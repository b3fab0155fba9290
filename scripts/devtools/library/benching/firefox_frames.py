# SPDX-License-Identifier: Apache-2.0
"""Frames of our page in Firefox during gestures, by WebDriver BiDi: the gestures, and the rate of their input, are those of frames.py."""
import math, os, sys, time
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../Tests/StudioPage/support"))
from editors import VIEW, Server
from firefox import Firefox
from frames import EVENTS, LIMIT, RATE
from machine import Others, descendants, main_thread, spread, table

# Counts the frames that Firefox asks the page for. It asks for none while its compositor is behind by two.
COUNT = """() => {
  window.counted = { frames: 0, longest: 0 };
  let last = performance.now();
  const next = (now) => {
    counted.frames += 1;
    counted.longest = Math.max(counted.longest, now - last);
    last = now;
    counted.handle = requestAnimationFrame(next);
  };
  counted.handle = requestAnimationFrame(next);
}"""


class Visit:
    """Our page with the scene painted, in a browser of its own."""

    def __init__(self, programs, scene):
        self.scene = scene
        self.server = Server(programs)
        self.browser = Firefox(LIMIT)
        self.server.make(scene)
        self.server.start()
        self.page = self.browser.new_context(viewport=VIEW).new_page()
        self.page.goto(self.server.link())
        self.page.wait_for_function("count => window.studio?.shown() === count", arg=len(scene.emoji))
        self.page.evaluate("studio.ready.then(() => studio.whenPainted(true))")

    def close(self):
        self.browser.close()
        self.server.close()

    def processes(self):
        """The processes of pages: one of them is ours, and the others do nothing."""
        found = []
        for process in descendants(self.page.bidi.process.pid):
            with open(f"/proc/{process}/cmdline") as file:
                if file.read().rstrip("\0 ").endswith(" tab"):
                    found.append(process)
        return found

    def measure(self, kind, steps):
        """Sends trusted input at a steady rate, whether or not the page keeps up. Gives frames a second, and milliseconds of the main thread for each."""
        bidi, sources = self.page.bidi, {
            "pointer": {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}, "wheel": {"type": "wheel", "id": "wheel"}}
        processes = self.processes()
        self.page.evaluate(COUNT)
        with Others():
            begin, spent, sent = time.monotonic(), main_thread(processes), []
            for number, step in enumerate(steps):
                sent.append(bidi.post("input.performActions", context=self.page.id, actions=[sources[kind] | {"actions": [step]}]))
                time.sleep(max(0, begin + (number + 1) / RATE - time.monotonic()))
            for each in sent:
                bidi.answer(each, "the input")
            spent, end = main_thread(processes) - spent, time.monotonic()
        frames, longest = self.page.evaluate("() => { cancelAnimationFrame(counted.handle); return [counted.frames, counted.longest] }")
        return frames / (end - begin), spent / max(1, frames), longest

    # MARK: Gestures

    def drag(self, all_of_them=False):
        """Drags the middle emoji, or all, twice around an ellipse."""
        page, middle = self.page, self.scene.middle
        x, y = page.evaluate("([x, y]) => { const c = studio.camera; return [c.left + c.x + x * c.zoom, c.top + c.y + y * c.zoom] }", [middle["x"], middle["y"]])
        if all_of_them:
            page.keyboard.press("Control+a")
        page.mouse.move(x, y)
        page.mouse.down()
        turns = [4 * math.pi * step / EVENTS for step in range(1, EVENTS + 1)]
        result = self.measure("pointer", [{"type": "pointerMove", "x": x + 160 * math.sin(turn), "y": y + 96 * (1 - math.cos(turn))} for turn in turns])
        # Nothing is changed, so the next gesture finds the same.
        page.keyboard.press("Escape")
        page.mouse.up()
        page.keyboard.press("Escape")
        return result

    def wheel(self, x=0, y=0):
        return {"type": "scroll", "x": VIEW["width"] // 2, "y": VIEW["height"] // 2, "deltaX": round(x), "deltaY": round(y)}

    def zoom(self):
        """Zooms in by 2.2 with the wheel and out again, twice. Wheels turn by whole pixels here."""
        turn = round(100 * math.log(2.2))
        steps = [turn * (number + 1) // 60 - turn * number // 60 for number in range(60)]
        self.page.keyboard.down("Control")
        result = self.measure("wheel", [self.wheel(y=steps[number % 60] * (-1 if number // 60 % 2 == 0 else 1)) for number in range(EVENTS)])
        self.page.keyboard.up("Control")
        return result

    def pan(self):
        """Zooms in by 1.5 first, since at fit the canvas does not move. Then pans to and fro with the wheel."""
        for way in [-1, 1]:
            self.page.keyboard.down("Control")
            self.page.mouse.move(VIEW["width"] / 2, VIEW["height"] / 2)
            self.page.mouse.wheel(0, way * round(100 * math.log(1.5)))
            self.page.keyboard.up("Control")
            self.page.evaluate("() => frame().then(frame)")
            if way < 0:
                result = self.measure("wheel", [self.wheel(3 * to, 4 * to) for to in (1 if (number + 30) // 60 % 2 else -1 for number in range(EVENTS))])
        return result


GESTURES = {"drag one": Visit.drag, "drag all": lambda visit: visit.drag(True), "pan": Visit.pan, "zoom": Visit.zoom}


def tell_frames(programs, scenes, runs, note):
    """Measures our page in Firefox, and prints a table."""
    rows, version = [], ""
    for scene in scenes:
        found = {name: [] for name in GESTURES}
        for run in range(runs):
            note(f"emojiart in Firefox, {len(scene.emoji)} emoji, {run + 1} of {runs}")
            visit = Visit(programs, scene)
            version = visit.browser.version
            try:
                visit.page.evaluate("() => { window.frame = () => new Promise((resolve) => requestAnimationFrame(resolve)) }")
                for name, gesture in GESTURES.items():
                    found[name].append(gesture(visit))
            finally:
                visit.close()
        rows.append([f"{len(scene.emoji):,} emoji"] + [", ".join([
            spread([each[0] for each in results]), spread([each[1] for each in results], 1) + " ms", spread([each[2] for each in results]) + " ms"])
            for results in found.values()])
    table([f"Firefox {version}", *GESTURES], rows)
    print("\nFrames that Firefox asks the page for a second; processor time of the page's main thread for each; the longest time between two. The median of the "
          "runs, least and most. Firefox asks for no frame while its compositor is behind.")
    Others.told()
