# SPDX-License-Identifier: Apache-2.0
"""Firefox for the cases of browser.py: the part of Playwright's interface that they use, by WebDriver BiDi.

Names and meanings are Playwright's (https://playwright.dev/python/docs/api/class-page), so that a case reads the same for both browsers.
See docs/decisions/0050-firefox.md.
"""
import base64, contextlib, fnmatch, json, os, re, shutil, tempfile, time
from bidi import Bidi, BidiError


def script(name):
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


ELEMENTS, TREE = script("elements.js"), script("tree.js")
# Arguments and results are JSON, so that they need no other form of values.
CALL = """async (given) => {
  try {
    return JSON.stringify({ value: await (FUNCTION)(...JSON.parse(given)) });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}"""
# The values of WebDriver for keys that type nothing. https://w3c.github.io/webdriver/#keyboard-actions
KEYS = {"Alt": "\uE00A", "ArrowDown": "\uE015", "ArrowLeft": "\uE012", "ArrowRight": "\uE014", "ArrowUp": "\uE013", "Backspace": "\uE003",
        "Control": "\uE009", "Delete": "\uE017", "End": "\uE010", "Enter": "\uE007", "Escape": "\uE00C", "F10": "\uE03A", "F2": "\uE032",
        "F6": "\uE036", "Home": "\uE011", "Shift": "\uE008", "Space": " ", "Tab": "\uE004"}
# What Shift makes of keys of the American layout.
SHIFTED = dict(zip("`1234567890-=[]\\;',./", "~!@#$%^&*()_+{}|:\"<>?"))
# What BiDi answers for a page that is just being replaced by another one.
GONE = ["no such frame", "unknown error"]
# The windows around pages.
CHROME = {"moz:scope": "chrome"}
SETTING = "(text) => { for (const [name, value] of Object.entries(JSON.parse(text))) Services.prefs.setIntPref(name, value) }"


def chrome_call(bidi, window, function, argument=None):
    """Calls a function of JavaScript in a window of Firefox, around the pages."""
    answer = bidi.send("script.callFunction", target={"context": window}, awaitPromise=False, functionDeclaration=function,
                       arguments=[{"type": "string", "value": json.dumps(argument)}])
    if answer["type"] == "exception":
        raise AssertionError(answer["exceptionDetails"]["text"])
    return answer["result"].get("value")


class Firefox:
    """Processes of Firefox, one for each context that is open: a window takes the focus from the others of its process, and people who draw together
    have one each. A process is used again when its context is closed."""
    name = "firefox"

    def __init__(self, limit, preferences={}):
        self.limit, self.preferences = limit, preferences
        self.processes, self.idle = [], []
        # The first one says its version.
        self.idle.append(self.start())
        self.version = self.idle[0].version

    def start(self):
        self.processes.append(Bidi(limit=self.limit, preferences=self.preferences))
        return self.processes[-1]

    def take(self, color_scheme, has_touch):
        """A process with its colours and its pointer: preferences, since BiDi sets them for no page."""
        process = self.idle.pop() if self.idle else self.start()
        # 1 is a coarse pointer that does not hover, a finger; 6 a fine one that hovers, a mouse.
        pointer = 1 if has_touch else 6
        chrome_call(process, process.send("browsingContext.getTree", **CHROME)["contexts"][0]["context"], SETTING, {
            "layout.css.prefers-color-scheme.content-override": 0 if color_scheme == "dark" else 1,
            "ui.primaryPointerCapabilities": pointer, "ui.allPointerCapabilities": pointer})
        return process

    def release(self, process):
        self.idle.append(process)

    def new_context(self, **options):
        return Context(self, **options)

    def fingers(self, page):
        return Fingers(page)

    def drop(self, page, items, x, y):
        """Drops data of other programs, by events of a script: BiDi has no drags of other programs."""
        page.evaluate("""([items, x, y]) => {
          const data = new DataTransfer();
          for (const [type, text] of items) data.setData(type, text);
          for (const kind of ['dragenter', 'dragover', 'drop']) {
            document.elementFromPoint(x, y).dispatchEvent(
              new DragEvent(kind, { dataTransfer: data, clientX: x, clientY: y, bubbles: true, cancelable: true }));
          }
        }""", [items, x, y])

    def close(self):
        for process in self.processes:
            process.close()


class Context:
    """Pages that share storage, apart from those of other contexts."""

    def __init__(self, browser, viewport, bypass_csp=False, has_touch=False, is_mobile=False, device_scale_factor=1, color_scheme="light", locale=None,
                 permissions=None, accept_downloads=None):
        # Downloads and the clipboard work without being asked for. The page of a telephone is that of a small window: Firefox on a desk takes no
        # notice of `<meta name=viewport>`, which asks for the width of the window.
        self.browser, self.bidi, self.bypasses = browser, browser.take(color_scheme, has_touch), bypass_csp
        self.viewport, self.scale, self.is_open, self.pages = viewport, device_scale_factor, True, []
        self.id = self.bidi.send("browser.createUserContext")["userContext"]
        self.downloads = tempfile.mkdtemp(prefix="emojiart-downloads.")
        self.bidi.send("browser.setDownloadBehavior", userContexts=[self.id],
                       downloadBehavior={"type": "allowed", "destinationFolder": self.downloads})
        if locale:
            self.bidi.send("emulation.setLocaleOverride", userContexts=[self.id], locale=locale)

    def set_default_timeout(self, milliseconds):
        pass

    def add_init_script(self, script):
        self.bidi.send("script.addPreloadScript", functionDeclaration=f"() => {{{script}}}", userContexts=[self.id])

    def new_page(self):
        self.pages.append(Page(self))
        return self.pages[-1]

    def close(self):
        if not self.is_open:
            return
        self.is_open = False
        self.bidi.forget([page.id for page in self.pages])
        self.bidi.send("browser.removeUserContext", userContext=self.id)
        shutil.rmtree(self.downloads, ignore_errors=True)
        self.browser.release(self.bidi)


class Page:
    def __init__(self, context):
        self.context, self.browser, self.bidi = context, context.browser, context.bidi
        self.limit = self.browser.limit
        # A tab behind another one paints nothing, so each page but the first has a window, which costs more.
        self.id = self.bidi.send("browsingContext.create", type="window" if context.pages else "tab", userContext=context.id)["context"]
        self.set_viewport_size(context.viewport)
        self.keyboard, self.mouse = Keyboard(self), Mouse(self)
        self.dialogs = []
        self.listen("browsingContext.userPromptOpened", self.ask)
        if context.bypasses:
            self.bypass_csp()

    def listen(self, event, handler):
        """Calls the handler for events of this page."""
        self.bidi.on(event, self.id, handler)

    def on(self, name, handler):
        if name == "dialog":
            self.dialogs.append(handler)
        elif name == "pageerror":
            self.listen("log.entryAdded", lambda entry: is_fault(entry) and handler(entry["text"]))
        elif name == "console":
            self.listen("log.entryAdded", lambda entry: entry["type"] == "console" and handler(Line(entry)))
        elif name in ["request", "websocket"]:
            self.listen("network.beforeRequestSent", lambda found: is_of(found, name) and handler(Request(found)))
        else:
            raise NotImplementedError(name)

    def ask(self, prompt):
        dialog = Dialog(self, prompt)
        for handler in self.dialogs or [Dialog.dismiss]:
            handler(dialog)

    def bypass_csp(self):
        """Takes the policy out of the heads of answers."""
        self.bidi.send("network.addIntercept", phases=["responseStarted"], contexts=[self.id])

        def pass_on(found):
            if found["isBlocked"]:
                heads = [head for head in found["response"]["headers"] if head["name"].lower() != "content-security-policy"]
                self.bidi.send("network.continueResponse", request=found["request"]["request"], headers=heads)
        self.listen("network.responseStarted", pass_on)

    def route(self, pattern, handler):
        """Lets a handler decide on the requests whose address fits."""
        self.bidi.send("network.addIntercept", phases=["beforeRequestSent"], contexts=[self.id])

        def decide(found):
            if found["isBlocked"] and fnmatch.fnmatch(found["request"]["url"], pattern):
                handler(Route(self, found))
            elif found["isBlocked"]:
                self.bidi.send("network.continueRequest", request=found["request"]["request"])
        self.listen("network.beforeRequestSent", decide)

    # MARK: Pages

    def set_viewport_size(self, size):
        self.bidi.send("browsingContext.setViewport", context=self.id, viewport=size, devicePixelRatio=self.context.scale)

    def goto(self, url):
        self.bidi.send("browsingContext.navigate", context=self.id, url=url, wait="complete")

    def reload(self):
        self.bidi.send("browsingContext.reload", context=self.id, wait="complete")

    def close(self):
        """Ends the page as a crash does: it is not asked."""
        self.bidi.forget([self.id])
        self.context.pages.remove(self)
        self.bidi.send("browsingContext.close", context=self.id)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.bidi.send("browsingContext.captureScreenshot", context=self.id)["data"]))

    # MARK: Scripts

    def send_call(self, declaration, *arguments):
        """Calls a function of JavaScript, whose one argument is JSON, and returns the answer of BiDi."""
        return self.bidi.send(
            "script.callFunction", target={"context": self.id}, awaitPromise=True, functionDeclaration=declaration,
            arguments=[{"type": "string", "value": json.dumps(arguments)}])

    def call(self, function, *arguments):
        """What a function of JavaScript returns. It is called again if its page was replaced meanwhile."""
        end = time.monotonic() + self.limit
        while True:
            try:
                answer = self.send_call(CALL.replace("FUNCTION", function), *arguments)
            except BidiError as error:
                if error.code not in GONE or time.monotonic() > end:
                    raise
                continue
            if answer["type"] == "exception":
                raise AssertionError(answer["exceptionDetails"]["text"])
            result = json.loads(answer["result"]["value"])
            if "error" in result:
                raise AssertionError(result["error"])
            return result.get("value")

    def evaluate(self, expression, arg=None):
        """The value of an expression, or of the function that it gives."""
        return self.call(f"async (arg) => {{ const value = ({expression}\n); return typeof value === 'function' ? value(arg) : value }}", arg)

    def wait_for_function(self, expression, arg=None):
        """Waits until an expression, or the function that it gives, is true."""
        self.call(f"""async (arg, limit) => {{
          for (const end = performance.now() + limit; performance.now() < end;) {{
            const value = ({expression}\n);
            if (await (typeof value === 'function' ? value(arg) : value)) return;
            await new Promise((resolve) => {{ requestAnimationFrame(resolve); setTimeout(resolve, 100) }});
          }}
          throw new Error('waited in vain for ' + {json.dumps(expression)});
        }}""", arg, self.limit * 1000)

    def aria_snapshot(self):
        """The accessibility tree of Firefox's own service, which its window has, and BiDi does not tell."""
        window = self.bidi.send("browsingContext.getTree", root=self.id)["contexts"][0]["clientWindow"]
        around = self.bidi.send("browsingContext.getTree", **CHROME)["contexts"]
        [context] = [each["context"] for each in around if each["clientWindow"] == window]
        return chrome_call(self.bidi, context, TREE)

    # MARK: Elements

    def locator(self, css):
        return Locator(self, []).locator(css)

    def get_by_role(self, role, **options):
        return Locator(self, []).get_by_role(role, **options)

    def get_by_label(self, text, exact=False):
        return Locator(self, []).get_by_label(text, exact)

    def get_by_text(self, text, exact=False):
        return Locator(self, []).get_by_text(text, exact)

    # MARK: Input and output

    def perform(self, *sources):
        """Performs actions of WebDriver."""
        self.bidi.send("input.performActions", context=self.id, actions=list(sources))

    @contextlib.contextmanager
    def expect_response(self, pattern):
        found = []
        self.listen("network.responseCompleted", lambda event: fnmatch.fnmatch(event["request"]["url"], pattern) and found.append(event))
        yield
        self.bidi.until(lambda: found, pattern)

    @contextlib.contextmanager
    def expect_navigation(self):
        found = []
        self.listen("browsingContext.load", found.append)
        yield
        self.bidi.until(lambda: found, "another page")

    @contextlib.contextmanager
    def expect_download(self):
        begun, done, download = [], [], Download()
        self.listen("browsingContext.downloadWillBegin", begun.append)
        self.listen("browsingContext.downloadEnd", done.append)
        yield download
        self.bidi.until(lambda: done, "the download")
        if done[0]["status"] != "complete":
            raise AssertionError(f"the download was {done[0]['status']}")
        download.file = done[0]["filepath"]
        download.suggested_filename = begun[0]["suggestedFilename"]


class Locator:
    """Elements that steps lead to; see elements.js."""

    def __init__(self, page, steps):
        self.page, self.steps = page, steps

    def then(self, **step):
        return Locator(self.page, [*self.steps, step])

    def locator(self, css):
        return self.then(css=css)

    def get_by_role(self, role, name=None, exact=False, level=None):
        return self.then(role=role, name=name and text_step(name, exact), level=level)

    def get_by_label(self, text, exact=False):
        return self.then(label=text_step(text, exact))

    def get_by_text(self, text, exact=False):
        return self.then(text=text_step(text, exact))

    def filter(self, has_text):
        return self.then(hasText=has_text)

    def nth(self, number):
        return self.then(nth=number)

    @property
    def first(self):
        return self.nth(0)

    @property
    def last(self):
        return self.nth(-1)

    def do(self, action, value=None):
        return self.page.call(ELEMENTS, self.steps, action, value, self.page.limit * 1000)

    def wait_for(self, state="visible"):
        self.do(state)

    def count(self):
        return self.do("count")

    def bounding_box(self):
        return self.do("box")

    def is_visible(self):
        return self.do("isVisible")

    def get_attribute(self, name):
        return self.do("attribute", name)["value"]

    def evaluate(self, function, arg=None):
        """What a function of JavaScript returns for the element."""
        return self.page.call(
            f"async (steps, arg, limit) => ({function}\n)(await ({ELEMENTS}\n)(steps, 'element', undefined, limit), arg)",
            self.steps, arg, self.page.limit * 1000)

    def all_inner_texts(self):
        return self.do("texts")

    def inner_text(self):
        return self.do("text")

    def input_value(self):
        return self.do("value")

    def fill(self, text):
        self.do("fill", text)

    def focus(self):
        self.do("focus")

    def press(self, key):
        self.focus()
        self.page.keyboard.press(key)

    def select_option(self, value):
        self.do("select", value)

    def hover(self):
        self.page.mouse.move(*self.do("target").values())

    def click(self, click_count=1):
        self.page.mouse.click(*self.do("target").values(), click_count=click_count)

    def tap(self):
        fingers = Fingers(self.page)
        fingers.down(tuple(self.do("target").values()))
        fingers.up()

    def set_input_files(self, files):
        element = self.page.send_call(
            f"(given) => {{ const [steps, limit] = JSON.parse(given); return ({ELEMENTS}\n)(steps, 'element', undefined, limit) }}",
            self.steps, self.page.limit * 1000)["result"]
        self.page.bidi.send("input.setFiles", context=self.page.id, element={"sharedId": element["sharedId"]}, files=files)

    def check(self):
        if not self.do("checked"):
            self.click()


def text_step(text, exact=False):
    return {"pattern": text.pattern} if isinstance(text, re.Pattern) else {"wanted": text, "isExact": exact}


class Keyboard:
    def __init__(self, page):
        self.page, self.has_shift = page, False

    def act(self, *actions):
        self.page.perform({"type": "key", "id": "keyboard", "actions": [{"type": kind, "value": value} for kind, value in actions]})

    def value(self, key):
        if len(key) > 1:
            return KEYS[key]
        return SHIFTED.get(key, key.upper()) if self.has_shift else key

    def down(self, key):
        self.act(("keyDown", self.value(key)))
        self.has_shift = self.has_shift or key == "Shift"

    def up(self, key):
        self.act(("keyUp", self.value(key)))
        self.has_shift = self.has_shift and key != "Shift"

    def press(self, keys):
        """Presses a key, while others are held: `Control+Shift+z`."""
        *held, key = keys.split("+")
        for each in held:
            self.down(each)
        self.down(key)
        self.up(key)
        for each in reversed(held):
            self.up(each)

    def insert_text(self, text):
        """Writes at once, without keys, as the keyboard of a screen does."""
        self.page.call("(text) => document.execCommand('insertText', false, text)", text)

    def type(self, text):
        for letter in text:
            self.act(("keyDown", letter), ("keyUp", letter))


class Mouse:
    BUTTONS = {"left": 0, "middle": 1, "right": 2}

    def __init__(self, page):
        self.page, self.place = page, (0, 0)

    def act(self, *actions):
        self.page.perform({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)})

    def move(self, x, y):
        self.place = x, y
        self.act({"type": "pointerMove", "x": x, "y": y})

    def down(self, button="left"):
        self.act({"type": "pointerDown", "button": self.BUTTONS[button]})

    def up(self, button="left"):
        self.act({"type": "pointerUp", "button": self.BUTTONS[button]})

    def click(self, x, y, click_count=1):
        # A move ends the count of clicks: this one belongs to none before it.
        self.move(x - 1, y)
        self.move(x, y)
        self.act(*[{"type": kind, "button": 0} for _ in range(click_count) for kind in ["pointerDown", "pointerUp"]])

    def dblclick(self, x, y):
        # Firefox counts clicks by a clock of 640 ms, which a busy machine may exceed.
        self.page.evaluate("() => { window.doubled = false; addEventListener('dblclick', () => { doubled = true }, { capture: true, once: true }) }")
        while not self.page.evaluate("doubled"):
            self.click(x, y, click_count=2)

    def wheel(self, delta_x, delta_y):
        x, y = self.place
        self.page.perform({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": delta_x, "deltaY": delta_y}]})


class Fingers:
    """Fingers on a page. Each call has the places of all of them."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def act(self, lists):
        self.page.perform(*[
            {"type": "pointer", "id": f"finger {number}", "parameters": {"pointerType": "touch"}, "actions": actions}
            for number, actions in enumerate(lists)])

    def down(self, *points):
        # One after the other, as fingers come: of two in one event Firefox drops the second one if the page cancels the first.
        self.count = len(points)
        self.act([{"type": "pointerMove", "x": x, "y": y}, *number * [{"type": "pause"}], {"type": "pointerDown", "button": 0}]
                 for number, (x, y) in enumerate(points))

    def move(self, *points):
        self.act([{"type": "pointerMove", "x": x, "y": y}] for x, y in points)

    def up(self):
        self.act([{"type": "pointerUp", "button": 0}] for _ in range(self.count))


class Line:
    """A line of the console."""

    def __init__(self, entry):
        self.text, self.type = entry["text"] or "", entry["level"]


class Request:
    def __init__(self, found):
        self.url = found["request"]["url"]


class Route:
    """A request that waits for what is decided about it."""

    def __init__(self, page, found):
        self.page, self.request = page, Request(found)
        self.id = found["request"]["request"]

    def abort(self):
        self.page.bidi.send("network.failRequest", request=self.id)


def is_fault(entry):
    """Whether a line of the log is an exception that nothing caught. Firefox reports in its own name, as if it were one, that a server is away, and
    that nothing has come of a module that a page asked for and left: the digest is that of no bytes."""
    ends = re.match(r"Firefox can’t establish a connection|The connection to \S+ was interrupted|.* hash is “47DEQpj8HBSa\+/TImW\+5JCeuQeRkm5NMpJWZG3hSuFU=”", entry["text"])
    return entry["type"] == "javascript" and entry["level"] == "error" and not ends


def is_of(found, name):
    """Whether something is asked for: a socket, which alone has no purpose and no initiator, or else a file. A `data:` URL asks no server."""
    request = found["request"]
    is_socket = not request["destination"] and request["initiatorType"] is None and not found["navigation"]
    return not request["url"].startswith("data:") and (name == "websocket") == is_socket


class Dialog:
    """A question of the browser, such as whether to leave the page."""

    def __init__(self, page, prompt):
        self.page, self.message, self.type = page, prompt["message"], prompt["type"]

    def answer(self, accepts):
        self.page.bidi.send("browsingContext.handleUserPrompt", context=self.page.id, accept=accepts)

    def accept(self):
        self.answer(True)

    def dismiss(self):
        self.answer(False)


class Download:
    """What the `with` block of `expect_download` has downloaded, after it."""

    @property
    def value(self):
        return self

    def path(self):
        return self.file

    def save_as(self, path):
        shutil.copy(self.file, path)
