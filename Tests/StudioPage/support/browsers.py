# SPDX-License-Identifier: Apache-2.0
"""The browsers that the cases of browser.py run in, and what each of them does in its own way."""
import contextlib, os, sys
sys.path.insert(0, os.path.dirname(__file__))
from playwright.sync_api import sync_playwright
from firefox import Firefox

# Debian's browsers, by their names here.
PROGRAMS = {"chromium": "chromium", "firefox": "firefox-esr"}


class Chromium:
    """Debian's Chromium, by Playwright. Firefox has the same methods, by WebDriver BiDi."""
    name = "chromium"

    def __init__(self, browser):
        self.browser, self.version = browser, browser.version

    def new_context(self, **options):
        return self.browser.new_context(**options)

    def fingers(self, page):
        return Fingers(page)

    def drop(self, page, items, x, y):
        """Drops data of other programs: pairs of a type and a text."""
        session = page.context.new_cdp_session(page)
        data = {"items": [{"mimeType": kind, "data": text} for kind, text in items], "dragOperationsMask": 1}
        for kind in ["dragEnter", "dragOver", "drop"]:
            session.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})


class Fingers:
    """Fingers on a page. Each call has the places of all of them."""

    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)

    def send(self, kind, points):
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]})

    def down(self, *points):
        self.send("touchStart", points)

    def move(self, *points):
        self.send("touchMove", points)

    def up(self):
        self.send("touchEnd", [])


@contextlib.contextmanager
def opened(name, limit):
    """A browser by its name. `limit` is how long anything may take, in seconds."""
    if name == "firefox":
        browser = Firefox(limit)
        try:
            yield browser
        finally:
            browser.close()
        return
    with sync_playwright() as playwright:
        # Without a GPU, and as root where containers are.
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--enable-unsafe-swiftshader"])
        yield Chromium(browser)
        browser.close()
