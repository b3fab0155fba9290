# SPDX-License-Identifier: Apache-2.0
"""The document browser with many documents: its first pictures, scrolling, what the server and its helpers take, and pictures after saves."""
import asyncio, json, os, subprocess, time
from editors import VIEW, Scene, Server
from frames import EVENTS, LIMIT, Visit
from machine import Others, descendants, pss, rest, stat

# Milliseconds from the navigation until the first thumbnail is decoded, and until all that are seen are.
FIRST = """window.frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  window.seen = (async () => {
    const pictures = () => [...document.querySelectorAll('#documents .cell')].map(each => each.querySelector('img'));
    const isThere = picture => picture?.complete && picture.naturalWidth > 0;
    while (!pictures().some(isThere)) await frame();
    const first = performance.now();
    while (!pictures().every(isThere)) await frame();
    return { first, all: performance.now() };
  })();"""


def make(server, count):
    """So many documents of 20 emoji; the canvas of each has another colour, so each has a picture of its own."""
    server.make(Scene(20))
    art = json.loads(server.run("show", server.document, "--json"))
    given = f"{server.folder}/given"
    os.mkdir(given)
    for number in range(count - 1):
        with open(f"{given}/Document {number}.json", "w") as file:
            json.dump(art | {"canvas": art["canvas"] | {"fill": f"#{0x808080 + number:06x}"}}, file)
    server.run("import", given, "--into", f"{server.folder}/art")
    made = sum(name.endswith(".emojiart") for name in os.listdir(f"{server.folder}/art"))
    if made != count:
        raise RuntimeError(f"{made} documents were made instead of {count}")


class Workers:
    """The most drawing processes that ran at once, looked at every 2 ms."""

    def __init__(self, root):
        self.root, self.most, self.task = root, 0, None

    async def watch(self):
        while True:
            count = 0
            for process in descendants(self.root)[1:]:
                try:
                    with open(f"/proc/{process}/comm") as file:
                        count += file.read().strip() == "emojiart-worker"
                except OSError:
                    pass
            self.most = max(self.most, count)
            await asyncio.sleep(0.002)

    async def __aenter__(self):
        self.task = asyncio.ensure_future(self.watch())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()


async def browse(playwright, programs, count, runs, saves):
    """Opens the folder with a cold and with a warm cache, scrolls it, and saves documents that are seen."""
    server, results = Server(programs), {}
    try:
        make(server, count)
        begin = time.monotonic()
        server.process = subprocess.Popen([f"{programs}/emojiart", "serve", f"{server.folder}/art"], env=server.environment, stdout=subprocess.PIPE, text=True)
        link = server.link()
        results["link"] = [1000 * (time.monotonic() - begin)]
        results["idle"] = [pss(server.process.pid)]
        for run in range(runs):
            browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-background-networking"])
            context = await browser.new_context(viewport=VIEW, service_workers="block")
            context.set_default_timeout(LIMIT * 1000)
            await context.add_init_script(FIRST)
            page = await context.new_page()
            asked = []
            page.on("request", lambda request: "/thumbnail" in request.url and asked.append(request.url))
            opened = Visit(page, None, None, await context.new_cdp_session(page), await browser.new_browser_cdp_session())
            # People's browsers have started long before.
            await opened.rest()
            with Others():
                await page.goto(link if run == 0 else server.run("serve", f"{server.folder}/art", "--link").strip())
                seen = await asyncio.wait_for(page.evaluate("seen"), LIMIT)
            for name in ["first", "all"]:
                results.setdefault(f"{name} {'cold' if run == 0 else 'warm'}", []).append(seen[name])
            results.setdefault("asked", []).append(len(asked))
            async with Workers(server.process.pid) as workers:
                box = await page.locator(".scroller").bounding_box()
                x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
                steps = [{"kind": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": 120 * (1 if number < EVENTS * 3 // 4 else -1)} for number in range(EVENTS)]
                frames, busy = await opened.measure(steps)
                await asyncio.wait_for(page.evaluate("""async () => {
                  while (![...document.querySelectorAll('#documents .cell')].every(each => each.querySelector('img')?.complete)) await frame();
                }"""), LIMIT)
                times = await saved(page, server, saves)
                results.setdefault("workers", []).append(workers.most)
            for name, value in [("frames", frames), ("busy", busy), ("scrolled", len(asked))]:
                results.setdefault(name, []).append(value)
            results.setdefault("saves", []).extend(times)
            await rest(lambda: sum(10 * (int(fields[11]) + int(fields[12])) for process in descendants(server.process.pid) if (fields := stat(process))))
            results.setdefault("memory", []).append(pss(server.process.pid))
            results.setdefault("helpers", []).append(sum(map(pss, descendants(server.process.pid)[1:])))
            await browser.close()
    finally:
        server.close()
    return results


async def saved(page, server, count):
    """Milliseconds from the end of a command that edits a document that is seen until its new picture is decoded."""
    times = []
    for number in range(count):
        name = await page.evaluate("""() => {
          const view = document.querySelector('.scroller').getBoundingClientRect();
          const cell = [...document.querySelectorAll('#documents .cell')].find(each => { const box = each.getBoundingClientRect(); return box.top >= view.top && box.bottom <= view.bottom; });
          const before = cell.querySelector('img').src;
          window.changed = (async () => {
            const now = () => [...document.querySelectorAll('#documents .cell')].find(each => each.dataset.name === cell.dataset.name)?.querySelector('img');
            while (!now() || now().src === before || !now().complete) await frame();
            return performance.timeOrigin + performance.now();
          })();
          return cell.dataset.name;
        }""")
        server.run("add", f"{server.folder}/art/{name}", "🌸", "--at", f"{20 + 7 * number % 200},30")
        end = time.time() * 1000
        times.append(await asyncio.wait_for(page.evaluate("changed"), LIMIT) - end)
    return times
