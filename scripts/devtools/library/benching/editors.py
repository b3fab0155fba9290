# SPDX-License-Identifier: Apache-2.0
"""The scene, and the editors that show it: what differs between them, and nothing else."""
import contextlib, gzip, http.server, json, math, mimetypes, os, pathlib, shutil, subprocess, tempfile, threading

KINDS = """🐝 🌸 🐛 🦋 🌻 🌷 🌼 🐞 ☀️ 👩‍🌾 🎈 🏡 🌳 🌲 🍄 🐌 🐢 🦊 🐻 🐼 🐨 🐯 🦁 🐮 🐷 🐸 🐵 🐔 🐧 🐦 🦆 🦉 🐴 🦄 🐙 🦑 🦀 🐠 🐬 🐳
🍎 🍊 🍋 🍉 🍇 🍓 🚗 🚀 ⭐ ❤️""".split()
PITCH, SIZE = 48, 40
VIEW = {"width": 1280, "height": 800}


class Scene:
    """So many emoji of 50 kinds on a grid."""

    def __init__(self, count):
        self.columns = math.ceil(math.sqrt(count * 4 / 3))
        self.rows = math.ceil(count / self.columns)
        self.width, self.height = self.columns * PITCH, self.rows * PITCH
        self.emoji = [{"text": KINDS[i % len(KINDS)], "x": (i % self.columns + 0.5) * PITCH, "y": (i // self.columns + 0.5) * PITCH}
                      for i in range(count)]
        self.middle = self.emoji[self.rows // 2 * self.columns + self.columns // 2]
        # Where a peer's view is so that all is seen. In ours, the page sees to it.
        zoom = min(VIEW["width"] * 0.92 / self.width, VIEW["height"] * 0.86 / self.height)
        self.camera = {"zoom": zoom, "x": (VIEW["width"] - self.width * zoom) / 2, "y": (VIEW["height"] - self.height * zoom) / 2}


class Editor:
    """An editor. `painted` is a function of JavaScript whose promise is kept when the scene is painted."""
    name = painted = ""
    most = math.inf

    @contextlib.contextmanager
    def serve(self, scene):
        """Gives the address, and what the page's localStorage holds."""

    async def prepare(self, context):
        """Makes ready what the page must not wait for."""

    async def place(self, page, scene):
        """Where the middle emoji is in the window."""
        camera = scene.camera
        return [scene.middle[axis] * camera["zoom"] + camera[axis] for axis in "xy"]

    async def select_all(self, page):
        await page.keyboard.press("Control+a")

    def wheel(self, scene, times):
        """How far the wheel goes, with Ctrl, to zoom in from fit."""
        return 100 * math.log(times)


# MARK: Ours

class Server:
    """A folder, its server, and the command beside it. `programs` has the programs of the release."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="studio.")
        self.environment = os.environ | {"LC_ALL": "C.UTF-8"} | {
            name: f"{self.folder}/{folder}" for name, folder in
            [("EMOJIART_STATE", "state"), ("EMOJIART_CONFIG", "config"), ("XDG_RUNTIME_DIR", "run"), ("XDG_CACHE_HOME", "cache")]}
        for name in ["run", "art"]:
            os.mkdir(f"{self.folder}/{name}")
        self.document = f"{self.folder}/art/scene.emojiart"
        self.process = None

    def run(self, *words, text=None):
        return subprocess.run([f"{self.programs}/emojiart", *words], env=self.environment, input=text, check=True, capture_output=True, text=True).stdout

    def make(self, scene):
        self.run("new", self.document, "--canvas", f"{scene.width}x{scene.height}")
        self.run("edit", self.document, "--json", text="".join(json.dumps({"add": each | {"size": SIZE}}) + "\n" for each in scene.emoji))

    def start(self, *more):
        self.process = subprocess.Popen([f"{self.programs}/emojiart", "serve", self.document, *more],
                                        env=self.environment, stdout=subprocess.PIPE, text=True)

    def link(self):
        link = self.process.stdout.readline().strip()
        if not link:
            raise RuntimeError("the server has printed no link")
        return link

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.communicate()
        self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Studio(Editor):
    name = "emojiart"
    # The first picture may have the browser's own emoji; it is sharp when those of the program have come.
    painted = """async count => {
      while (window.studio?.shown() !== count) await frame();
      await studio.whenPainted(false);
      window.sharp = studio.whenPainted(true).then(() => performance.now());
    }"""

    def __init__(self, programs):
        self.programs, self.made = programs, {}

    @contextlib.contextmanager
    def serve(self, scene):
        self.server = Server(self.programs)
        try:
            count = len(scene.emoji)
            if count not in self.made:
                self.server.make(scene)
                self.made[count] = shutil.copy(self.server.document, f"{self.programs}/{count}.emojiart")
            shutil.copy(self.made[count], self.server.document)
            self.server.start()
            yield self.server.link(), {}
        finally:
            self.server.close()

    async def place(self, page, scene):
        return await page.evaluate("""([x, y]) => { const c = studio.camera; return [c.left + c.x + x * c.zoom, c.top + c.y + y * c.zoom] }""",
                                   [scene.middle["x"], scene.middle["y"]])


# MARK: Peers

class Site:
    """The files of a folder on loopback, compressed with gzip as a host on the web would do, before they are asked for."""

    def __init__(self, folder, **pages):
        files = {"/" + str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        files |= {"/" + path: page.encode() for path, page in pages.items()}
        texts = {path for path in files if path.endswith((".html", ".js", ".css", ".json", ".svg"))}
        files |= {path: gzip.compress(files[path]) for path in texts}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                path = "/index.html" if self.path == "/" else self.path
                body = files.get(path, b"")
                self.send_response(200 if body else 404)
                heads = {"Content-Type": mimetypes.guess_type(path)[0] or "application/octet-stream", "Content-Length": len(body), "Cache-Control": "no-store"}
                for name, value in (heads | ({"Content-Encoding": "gzip"} if path in texts else {})).items():
                    self.send_header(name, str(value))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Peer(Editor):
    """An editor of files. What it asks of other hosts is not answered: there is no network."""

    def __init__(self, folder):
        self.address = Site(folder, **{"index.html": self.page} if self.page else {}).address

    page = None

    @contextlib.contextmanager
    def serve(self, scene):
        yield self.address, {name: json.dumps(value) for name, value in self.storage(scene).items()}

    async def prepare(self, context):
        await context.route(lambda url: "://127.0.0.1" not in url, self.answer)

    async def answer(self, route):
        await route.abort()


class Tldraw(Peer):
    """tldraw 3.0.0, as its package on PyPI has it: newer ones need a licence. It refuses more than 4,000 shapes on a page."""
    name, most = "tldraw 3.0.0", 4000
    page = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/minimal.css">
      <style>body { margin: 0; overflow: hidden } #root { width: 100vw; height: 100vh }</style><div id="root"></div>
      <script type="module">
        import widget from '/minimal.js';
        const model = { get: (key) => ({ width: innerWidth, height: innerHeight })[key], set() {}, save_changes() {}, on() {}, off() {} };
        widget.render({ model, el: document.getElementById('root') });
      </script>"""
    # The editor is found in React's tree. Each shape is a copy of one that the editor has made.
    painted = """async count => {
      const found = () => {
        const element = document.querySelector('.tl-canvas');
        let fiber = element?.[Object.keys(element).find((key) => key.startsWith('__reactFiber'))];
        for (; fiber; fiber = fiber.return) {
          const value = [fiber.memoizedProps?.value, fiber.memoizedProps?.editor].find((each) => each?.getCurrentPageShapes);
          if (value) return value;
        }
      };
      while (!(window.editor = found())) await frame();
      const { emoji, camera } = JSON.parse(localStorage.getItem('scene'));
      editor.createShapes([{ id: 'shape:first', type: 'text', props: { size: 'm', scale: 40 / 24, text: 'x' } }]);
      const { ...first } = editor.store.get('shape:first');
      editor.deleteShapes(['shape:first']);
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      // Keys of fractional indexing: four digits, and a fraction.
      const index = (n) => `d${[62 ** 3, 62 ** 2, 62, 1].map((unit) => digits[Math.floor(n / unit) % 62]).join('')}V`;
      editor.store.put(emoji.map(({ text, x, y }, n) => (
        { ...first, id: `shape:e${n}`, index: index(n), x: x - 25, y: y - 27, props: { ...first.props, text } })));
      editor.setCamera({ x: camera.x / camera.zoom, y: camera.y / camera.zoom, z: camera.zoom });
      editor.setCurrentTool('select');
      editor.focus?.();
      while (document.querySelectorAll('.tl-shape').length < count) await frame();
    }"""

    def storage(self, scene):
        return {"scene": {"emoji": scene.emoji, "camera": scene.camera}}

    async def answer(self, route):
        """It shows nothing unless its CDN answers: so there are icons without a picture, and another font."""
        kind = route.request.url.rpartition(".")[2]
        answers = {"json": {"body": "{}"}, "svg": {"body": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"/>', "content_type": "image/svg+xml"},
                   "woff2": {"path": "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "headers": {"Access-Control-Allow-Origin": "*"}}}
        await (route.fulfill(**answers[kind]) if kind in answers else route.abort())

    async def select_all(self, page):
        await page.evaluate("editor.selectAll()")


class Excalidraw(Peer):
    """The app of Excalidraw. It reads its scene from localStorage, and is painted when the middle of its canvas has colours."""
    name = "Excalidraw"
    painted = """async count => {
      const isPainted = () => {
        const canvas = document.querySelector('canvas.static');
        if (!canvas?.width) return false;
        const { data } = canvas.getContext('2d').getImageData(canvas.width / 2 - 60, canvas.height / 2 - 60, 120, 120);
        return data.some((value, n) => n % 4 < 3 && value < 200 && data[n | 3] > 0);
      };
      while (!document.querySelector('canvas.interactive') || !isPainted()) await frame();
    }"""

    def storage(self, scene):
        text = {"type": "text", "width": 50, "height": 50, "strokeColor": "#1e1e1e", "fontSize": 40, "fontFamily": 2, "textAlign": "center",
                "verticalAlign": "top", "containerId": None, "lineHeight": 1.25, "groupIds": [], "seed": 1, "version": 2, "versionNonce": 1,
                "isDeleted": False, "locked": False}
        elements = [text | {"id": f"e{n}", "x": each["x"] - 25, "y": each["y"] - 25, "text": each["text"], "originalText": each["text"]}
                    for n, each in enumerate(scene.emoji)]
        zoom, x, y = (scene.camera[name] for name in ["zoom", "x", "y"])
        state = {"scrollX": x / zoom, "scrollY": y / zoom, "zoom": {"value": zoom}, "showWelcomeScreen": False}
        return {"excalidraw": elements, "excalidraw-state": state}

    def wheel(self, scene, times):
        # A step of 1 is a hundredth, whatever the zoom is. Of several steps in a frame it takes the last one.
        return 100 * scene.camera["zoom"] * (times - 1)
