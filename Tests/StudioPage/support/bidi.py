# SPDX-License-Identifier: Apache-2.0
"""A client of WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which Firefox serves itself: commands, and events.

Everything happens on one thread: the handlers of events run while an answer, or an event, is awaited.
"""
import collections, json, os, re, shutil, subprocess, tempfile, threading, time
from websockets.sync.client import connect

# What automation needs Firefox sets itself when it serves BiDi; see RecommendedPreferences.sys.mjs in its source.
PREFERENCES = {
    # Touches make events on machines without a touch screen, too.
    "dom.w3c_touch_events.enabled": 1,
    # Mouse and wheel go the way of real input: by the window to the page's process.
    "remote.events.async.mouse.enabled": True,
    "remote.events.async.wheel.enabled": True,
    # A PDF that was downloaded is not opened in a tab over the page.
    "pdfjs.disabled": True,
    # A download opens no panel over the page, which would take the next click.
    "browser.download.alwaysOpenPanel": False,
    # A new window is empty.
    "browser.newtabpage.enabled": False,
    "browser.startup.homepage": "about:blank",
    # Nothing is asked from other machines.
    "app.normandy.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "services.settings.server": "data:,",
}


class BidiError(Exception):
    """A command that failed. `code` is that of the specification, such as `no such frame`."""

    def __init__(self, method, code, message):
        super().__init__(f"{method}: {code}: {message}")
        self.code = code


def context_of(parameters):
    """The browsing context of an event; a line of the console has it in its source."""
    return parameters.get("context") or parameters.get("source", {}).get("context")


class Bidi:
    """A headless Firefox with a fresh profile, and its session. Answers may take `limit` seconds, and somewhat more, since scripts of the page have
    that limit, too."""

    def __init__(self, program="firefox-esr", limit=60, preferences={}):
        self.limit, self.handlers, self.answers, self.count = limit, [], {}, 0
        self.profile = tempfile.mkdtemp(prefix="emojiart-firefox.")
        with open(f"{self.profile}/user.js", "w") as file:
            for name, value in (PREFERENCES | preferences).items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            # The accessibility tree is not of the page, but of the window around it.
            [program, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port=0", "--remote-allow-system-access", "about:blank"],
            env=os.environ | {"MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_HEADLESS_WIDTH": "1400", "MOZ_HEADLESS_HEIGHT": "1000"},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.socket = connect(f"{self.address()}/session", max_size=None, max_queue=None, ping_interval=None, proxy=None)
            answer = self.send("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}})
            self.version = answer["capabilities"]["browserVersion"]
        except BaseException:
            self.close()
            raise

    def address(self):
        """The address that Firefox prints."""
        said = []
        for line in self.process.stderr:
            if found := re.match(r"WebDriver BiDi listening on (ws://\S+)", line):
                # What it says afterwards is of no use, but must be read.
                threading.Thread(target=lambda: collections.deque(self.process.stderr, maxlen=0), daemon=True).start()
                return found[1]
            said.append(line)
        raise RuntimeError(f"Firefox serves no WebDriver BiDi:\n{''.join(said)}")

    def send(self, method, **parameters):
        """Performs a command, and returns its result."""
        return self.answer(self.post(method, **parameters), method)

    def post(self, method, **parameters):
        """Sends a command, and returns the number of its answer."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        return self.count

    def answer(self, number, method):
        self.until(lambda: number in self.answers, method)
        answer = self.answers.pop(number)
        if answer["type"] == "error":
            raise BidiError(method, answer["error"], answer["message"])
        return answer["result"]

    def on(self, event, context, handler):
        """Calls the handler with the parameters of each event of this name in a browsing context."""
        self.send("session.subscribe", events=[event], contexts=[context])
        self.handlers.append((event, context, handler))

    def forget(self, contexts):
        """Ends the handlers of browsing contexts that go."""
        self.handlers = [each for each in self.handlers if each[1] not in contexts]

    def until(self, holds, what):
        """Takes messages until something holds."""
        end = time.monotonic() + self.limit + 10
        while not holds():
            try:
                message = json.loads(self.socket.recv(timeout=max(0, end - time.monotonic())))
            except TimeoutError:
                raise TimeoutError(f"waited in vain for {what}") from None
            if "id" in message:
                self.answers[message["id"]] = message
            for event, context, handler in list(self.handlers):
                if message.get("method") == event and context == context_of(message["params"]):
                    handler(message["params"])

    def close(self):
        # Its profile is not needed any more, so it need not end well.
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
