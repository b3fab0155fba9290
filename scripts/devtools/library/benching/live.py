# SPDX-License-Identifier: Apache-2.0
"""What only our studio has: the way of an edit between the command, the file and the page, and its server."""
import asyncio, json, os, socket, subprocess, time
from editors import PITCH, Scene, Server, Studio
from frames import visit
from machine import Others, Trace, descendants, pss, rest, stat

# Looks at the place of an emoji in each frame, and marks the frame in which the page's picture has it there.
LOOK = """() => {
  const carpet = document.querySelector('canvas.carpet');
  const pen = new OffscreenCanvas(8, 8).getContext('2d', { willReadFrequently: true });
  const isThere = ([x, y]) => {
    const { camera } = studio, edges = carpet.getBoundingClientRect(), times = parseFloat(carpet.style.width) / edges.width;
    const [left, top] = [camera.left + camera.x + x * camera.zoom - edges.left, camera.top + camera.y + y * camera.zoom - edges.top];
    pen.drawImage(carpet, left * times - 4, top * times - 4, 8, 8, 0, 0, 8, 8);
    return pen.getImageData(0, 0, 8, 8).data.some((value, n) => n % 4 < 3 && value < 200);
  };
  window.look = async (place, name) => {
    while (!isThere(place)) await frame();
    performance.mark(name);
  };
}"""


# MARK: Edits

async def latencies(playwright, programs, edits, drags):
    """Milliseconds of a command's edit to the pixel, from its process's start and from its end, and of a page's edit to the file."""
    scene = Scene(1000)
    # A bee beside the others, in line with them, so that snapping leaves it where it is put.
    x, (low, high) = scene.width + 1.5 * PITCH, (12.5 * PITCH, 6.5 * PITCH)
    scene.width += 3 * PITCH
    scene.emoji.append({"text": "🐝", "x": x, "y": high})
    places = [(x, low), (x, high)]
    studio = Studio(programs)
    async with visit(playwright, studio, scene) as opened:
        with Others():
            pixels = await by_command(opened, studio.server, places, edits)
        await opened.rest()
        with Others():
            return *pixels, await by_page(opened, studio.server, places, drags)


async def by_command(opened, server, places, count):
    page, times = opened.page, []
    bee = max(json.loads(server.run("show", server.document, "--json"))["emojis"], key=lambda each: each["x"])["id"]
    await page.evaluate(LOOK)
    async with Trace(opened.browser_session) as trace:
        for number in range(count):
            place = places[number % 2]
            await page.evaluate("([place, name]) => { window.found = look(place, name) }", [place, f"edit {number}"])
            begin = time.monotonic()
            server.run("move", server.document, bee, "--to", "{},{}".format(*place))
            times.append((begin, time.monotonic()))
            await page.evaluate("found")
        # The last frame is drawn before the trace ends.
        await page.evaluate("frame().then(frame)")
    # The display draws the marked frame next; before an edit it draws nothing, because nothing moves.
    drawn = [next(each for each in trace.drawn if each > trace.marks[f"edit {number}"]) for number in range(count)]
    return [[1000 * (end - each[part]) for end, each in zip(drawn, times)] for part in (0, 1)]


async def by_page(opened, server, places, count):
    """From the release of the mouse until the file has changed and its rollback journal is gone: then the edit is durable."""
    times = []
    for number in range(count):
        camera = await opened.page.evaluate("studio.camera")
        start, end = ([camera["left"] + camera["x"] + place[0] * camera["zoom"], camera["top"] + camera["y"] + place[1] * camera["zoom"]]
                      for place in (places[(number + 1) % 2], places[number % 2]))
        held = {"button": "left", "clickCount": 1}
        await opened.mouse("mouseMoved", *start)
        await opened.mouse("mousePressed", *start, buttons=1, **held)
        for part in range(1, 9):
            await opened.mouse("mouseMoved", *(a + (b - a) * part / 8 for a, b in zip(start, end)), button="left", buttons=1)
        before = os.stat(server.document).st_mtime_ns
        begin = time.monotonic()
        released = asyncio.ensure_future(opened.mouse("mouseReleased", *end, **held))
        # No notice of the kernel tells that a transaction has ended, and a look through SQLite would hold the writer up.
        while os.stat(server.document).st_mtime_ns == before or os.path.exists(server.document + "-journal"):
            await asyncio.sleep(0.001)
        times.append(1000 * (time.monotonic() - begin))
        await released
    bee = max(json.loads(server.run("show", server.document, "--json"))["emojis"], key=lambda each: each["x"])
    assert abs(bee["y"] - places[(count - 1) % 2][1]) < 5, "the file does not hold the last drag"
    return times


# MARK: The server

def starts(programs, count):
    """Milliseconds from the start of `emojiart serve` until its link is printed, and until a connection succeeds."""
    linked, connected = [], []
    server = Server(programs)
    try:
        server.make(Scene(10))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for number in range(2 * count):
            begin = time.monotonic()
            server.start("--port", str(port))
            if number % 2:
                server.link()
            while not number % 2:
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.0002)
            (linked if number % 2 else connected).append(1000 * (time.monotonic() - begin))
            server.stop()
    finally:
        server.close()
    return linked, connected


async def memory(playwright, programs):
    """Megabytes of the server, and of its helpers, when all is at rest: before any page, with one page of 1,000 emoji, and when that has gone."""
    studio, found = Studio(programs), []
    idle = Server(programs)
    try:
        idle.make(Scene(1000))
        idle.start()
        idle.link()
        own, *helpers = descendants(idle.process.pid)
        found += [pss(own), sum(map(pss, helpers))]
    finally:
        idle.close()
    async with visit(playwright, studio, Scene(1000)) as opened:
        server = studio.server.process.pid
        for end in [opened.rest, opened.page.close]:
            await end()
            await rest(lambda: sum(10 * (int(fields[11]) + int(fields[12])) for process in descendants(server) if (fields := stat(process))))
            found += [pss(server), sum(map(pss, descendants(server)[1:]))]
    return found


def commands(programs, runs):
    """Milliseconds of `--version` and of `add` to a document of 1,000 emoji."""
    server = Server(programs)
    try:
        server.make(Scene(1000))
        subprocess.run(["hyperfine", "-N", "--warmup", "5", "--runs", str(runs), "--export-json", f"{server.folder}/times.json",
                        f"{programs}/emojiart --version", f"{programs}/emojiart add {server.document} 🐝"],
                       env=server.environment, check=True, capture_output=True)
        with open(f"{server.folder}/times.json") as file:
            return [[1000 * each for each in result["times"]] for result in json.load(file)["results"]]
    finally:
        server.close()
