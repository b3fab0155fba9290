# SPDX-License-Identifier: Apache-2.0
"""How an editor opens, and what its frames are like during gestures."""
import asyncio, contextlib, json, math, time
from editors import VIEW
from machine import Others, Trace, main_thread, renderers, rest

# Input events a second, as a mouse of 125 Hz sends them, and how many a gesture has.
RATE, EVENTS = 120, 240
# What a page may take for its scene, and for a gesture, in seconds.
LIMIT = 180
# The frame in which the scene is found is painted when the page's next task begins.
PAINTED = """window.frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  window.painted = (async () => {
    await (PAINTED)(COUNT);
    const found = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    return { found, end: performance.now() };
  })();"""


class Visit:
    """A page with the scene painted, in a browser of its own."""

    def __init__(self, page, editor, scene, session, browser_session):
        self.page, self.editor, self.scene, self.session, self.browser_session = page, editor, scene, session, browser_session
        self.sockets, self.received = 0, []
        page.on("websocket", self.listen)

    def listen(self, socket):
        self.sockets += 1
        socket.on("framereceived", lambda data: self.received.append(len(data if isinstance(data, bytes) else data.encode())))

    # MARK: Opening

    async def opening(self):
        """Milliseconds from the navigation, kilobytes of bodies and heads, requests, and megabytes."""
        page = self.page
        painted = await page.evaluate("painted")
        result = {"painted": painted["end"], "sharp": await page.evaluate("window.sharp")}
        await page.wait_for_load_state("networkidle")
        await self.rest()
        entries = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(
          (each) => ({ start: performance.timeOrigin + each.startTime, size: each.transferSize / 1000, isGlyphs: each.name.endsWith('/glyphs') }))"""
        found = await page.evaluate(entries)
        end = found[0]["start"] + painted["found"]
        found += [each for worker in page.workers for each in await worker.evaluate(entries)]
        own = [each for each in found if not each["isGlyphs"]]
        result["fcp"] = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        result["program"] = sum(each["size"] for each in own)
        result["content"] = sum(each["size"] for each in found) - result["program"] + sum(self.received) / 1000
        # A WebSocket is a request, too.
        result["requests"] = sum(each["start"] < end for each in own) + self.sockets
        result["heap"] = await self.heap()
        return result

    async def heap(self):
        """The heap of JavaScript in megabytes, that of workers too, after two collections."""
        wanted = ["HeapProfiler.collectGarbage", "HeapProfiler.collectGarbage", "Runtime.getHeapUsage"]
        used = [[await self.session.send(method) for method in wanted][-1]["usedSize"]]
        for target in (await self.browser_session.send("Target.getTargets", {"filter": [{"type": "worker"}]}))["targetInfos"]:
            # A worker has no session here; its answers come as messages in messages.
            found = asyncio.get_running_loop().create_future()

            def take(event):
                message = json.loads(event["message"])
                if message.get("id") == len(wanted):
                    found.set_result(message["result"]["usedSize"])
            self.browser_session.on("Target.receivedMessageFromTarget", take)
            there = await self.browser_session.send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": False})
            for number, method in enumerate(wanted, 1):
                await self.browser_session.send("Target.sendMessageToTarget", {
                    "sessionId": there["sessionId"], "message": json.dumps({"id": number, "method": method})})
            used.append(await found)
            self.browser_session.remove_listener("Target.receivedMessageFromTarget", take)
            await self.browser_session.send("Target.detachFromTarget", {"sessionId": there["sessionId"]})
        return sum(used) / 1e6

    async def rest(self):
        processes = await renderers(self.browser_session)
        await rest(lambda: main_thread(processes))

    # MARK: Gestures

    async def mouse(self, kind, x, y, **more):
        await self.session.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | more)

    async def send(self, steps):
        """Sends trusted input at a steady rate, whether or not the page keeps up, and waits until it has been handled."""
        begin, sent = time.monotonic(), []
        for number, step in enumerate(steps):
            sent.append(asyncio.ensure_future(self.mouse(**step)))
            await asyncio.sleep(max(0, begin + (number + 1) / RATE - time.monotonic()))
        await asyncio.gather(*sent)

    async def measure(self, steps):
        """The frames that the display draws a second, and the milliseconds of the main thread for each."""
        await self.rest()
        processes = await renderers(self.browser_session)
        async with Trace(self.browser_session) as trace:
            with Others():
                begin, spent = time.monotonic(), main_thread(processes)
                await self.send(steps)
                spent, end = main_thread(processes) - spent, time.monotonic()
        drawn = sum(begin <= each <= end for each in trace.drawn)
        return drawn / (end - begin), spent / max(1, drawn)

    async def drag(self, all_of_them=False):
        """Drags the middle emoji, or all, twice around an ellipse."""
        x, y = await self.editor.place(self.page, self.scene)
        if all_of_them:
            await self.editor.select_all(self.page)
        await self.mouse("mouseMoved", x, y)
        await self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        turns = [4 * math.pi * step / EVENTS for step in range(1, EVENTS + 1)]
        result = await self.measure([{"kind": "mouseMoved", "x": x + 160 * math.sin(turn), "y": y + 96 * (1 - math.cos(turn)), "button": "left", "buttons": 1}
                                     for turn in turns])
        # Nothing is changed, so the next gesture finds the same.
        await self.page.keyboard.press("Escape")
        await self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        await self.page.keyboard.press("Escape")
        return result

    def wheel(self, x=0, y=0, ctrl=False):
        return {"kind": "mouseWheel", "x": VIEW["width"] / 2, "y": VIEW["height"] / 2, "deltaX": x, "deltaY": y, "modifiers": 2 if ctrl else 0}

    async def zoom(self):
        """Zooms in by 2.2 with the wheel and out again, twice."""
        step = self.editor.wheel(self.scene, 2.2) / 60
        return await self.measure([self.wheel(y=step * (1 if number // 60 % 2 else -1), ctrl=True) for number in range(EVENTS)])

    async def pan(self):
        """Zooms in by 1.5 first, since at fit our canvas does not move. Then pans to and fro with the wheel, within the canvas."""
        step = self.editor.wheel(self.scene, 1.5) / 25
        for way in [-1, 1]:
            for _ in range(25):
                await self.mouse(**self.wheel(y=way * step, ctrl=True))
                await self.page.evaluate("frame().then(frame)")
            if way < 0:
                result = await self.measure([self.wheel(3 * to, 4 * to) for to in (1 if (number + 30) // 60 % 2 else -1 for number in range(EVENTS))])
        return result

    async def gesture(self, name):
        return await {"drag one": self.drag, "drag all": lambda: self.drag(True), "pan": self.pan, "zoom": self.zoom}[name]()


@contextlib.asynccontextmanager
async def visit(playwright, editor, scene):
    """Opens an editor, and waits until the scene is painted."""
    browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-background-networking"])
    try:
        with editor.serve(scene) as (address, storage):
            origin = "/".join(address.split("/")[:3])
            kept = [{"origin": origin, "localStorage": [{"name": name, "value": value} for name, value in storage.items()]}]
            context = await browser.new_context(viewport=VIEW, service_workers="block", storage_state={"cookies": [], "origins": kept if storage else []})
            context.set_default_timeout(LIMIT * 1000)
            await editor.prepare(context)
            await context.add_init_script(PAINTED.replace("PAINTED", editor.painted).replace("COUNT", str(len(scene.emoji))))
            page = await context.new_page()
            opened = Visit(page, editor, scene, await context.new_cdp_session(page), await browser.new_browser_cdp_session())
            with Others():
                await page.goto(address)
                await asyncio.wait_for(page.evaluate("painted"), LIMIT)
            yield opened
    finally:
        await browser.close()
