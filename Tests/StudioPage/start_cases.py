# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about the start of the page in browsers that keep nothing, lack something, or do not get all of it: it works, or says in a
sentence what is missing and what to do. It never goes on waiting."""
import json
from studio import box, drag, ready, trade

# What the browser refuses, by a script that runs first, and what the user is told; None where the page works all the same.
BLOCKED = "throw new DOMException('blocked', 'SecurityError')"
FULL = "throw new DOMException('full', 'QuotaExceededError')"
getter = lambda name, body: f"Object.defineProperty(window, '{name}', {{ configurable: true, get() {{ {body} }} }});"
STARTS = {
    "site data is blocked": ("".join(getter(name, BLOCKED) for name in ["localStorage", "sessionStorage", "indexedDB"]), None),
    "only IndexedDB is blocked": (getter("indexedDB", BLOCKED), None),
    "IndexedDB opens nothing": ("indexedDB.open = () => ({}); { const later = setTimeout; window.setTimeout = (work, time, ...more) => later(work, time === 5000 ? 0 : time, ...more) }", None),
    "the browser has no room": (f"Storage.prototype.setItem = () => {{ {FULL} }}; IDBObjectStore.prototype.put = () => {{ {FULL} }};", None),
    "there are no locks": ("Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });", None),
    "there is no Worker": ("window.Worker = undefined;", "lacks what the studio needs: Worker"),
    "there is no WebSocket": ("window.WebSocket = undefined;", "lacks what the studio needs: WebSocket"),
    "there is no Intl.Segmenter": ("Intl.Segmenter = undefined;", "lacks what the studio needs: Intl.Segmenter"),
    "there is no crypto.subtle": ("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });", "lacks what the studio needs: crypto.subtle"),
    "a service worker of another program": ("Object.defineProperty(ServiceWorkerContainer.prototype, 'controller', { get: () => ({}) });", "Another program has left a script"),
    "a worker cannot be made": ("window.Worker = function () { throw new Error('no workers here') };", "The page cannot start: no workers here"),
    "an error in a part of the page": ("Object.defineProperty(Element.prototype, 'append', { value() { throw new TypeError('no appending here') } });", "The page cannot start: no appending here"),
}
# Names of modules that do not arrive.
LOST = ["main.js", "store.js", "outbox.js", "panels.js", "emoji.js"]


def waits(page):
    return page.evaluate("() => document.getElementById('status').dataset.state") == "connecting"


def starts(studio):
    """The table of starts."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    studio.served = f"{studio.folder}/art"
    studio.serve()
    x = 320
    for name, (script, sentence) in STARTS.items():
        page = studio.blank()
        page.context.add_init_script(script)
        link = studio.run("serve", studio.document, "--link").strip()
        page.goto(link)
        if sentence is None:
            ready(page)
            page.locator('#status[data-state="saved"]').wait_for()
            bx, by, *_ = box(page, "🐝")
            drag(page, (bx, by), (bx + 40, by), ["Control"])
            x = studio.until(f"the drag where {name}", lambda e: e[0]["x"] > x + 10)[0]["x"]
        else:
            page.get_by_text(sentence).wait_for()
            assert page.locator("#trouble").is_visible() and not waits(page), name
            # The link is not used up where another browser can open it.
            if "lacks" in sentence or "program" in sentence:
                assert trade(link) == 200, name
        studio.faults.clear()
        page.context.close()


def modules_that_do_not_arrive(studio):
    """The server ends, or a module is refused, while the page loads."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    studio.serve()
    for name in LOST:
        page = studio.blank()
        page.route(f"**/{name}", lambda route: route.abort())
        page.goto(studio.run("serve", studio.document, "--link").strip())
        page.locator("#trouble:not([hidden])").wait_for()
        assert "emojiart serve --link" in page.locator("#trouble").inner_text(), name
        studio.faults.clear()
        page.context.close()
    # The control: a page that gets all has nothing to say.
    page = studio.blank()
    page.goto(studio.run("serve", studio.document, "--link").strip())
    ready(page)
    assert not page.locator("#trouble").is_visible()


def spent_links(studio):
    """A link that was used says how to get another one, for as long as that is needed, and the page goes on with it."""
    link = studio.serve()
    page = studio.blank()
    page.goto(link)
    ready(page)
    other = studio.blank()
    # The time of notes ends at once.
    other.context.add_init_script("{ const later = setTimeout; window.setTimeout = (work, time, ...more) => later(work, time === 12_000 ? 0 : time, ...more) }")
    other.goto(link)
    other.get_by_text("This link was used already").wait_for()
    assert "emojiart serve --link" in other.locator("#notes").inner_text()
    assert other.locator("#status").inner_text() == "Not connected"
    other.evaluate("() => new Promise(resolve => setTimeout(resolve, 12_000))")
    other.get_by_role("button", name="Connect by a new link").click()
    other.get_by_label("Link", exact=True).fill(studio.run("serve", f"{studio.folder}/art", "--link").strip())
    other.keyboard.press("Enter")
    other.locator('#status[data-state="saved"]').wait_for()
    other.get_by_text("This link was used already").wait_for(state="hidden")


def hints_can_be_read(studio):
    """What an empty canvas says can be read on each colour of it."""
    page = studio.page()
    hint = page.locator(".hint b")
    for fill, color in [("#101020", "rgb(255, 255, 255)"), ("#ffee88", "rgb(28, 31, 43)"), ("#00000020", "rgb(28, 31, 43)")]:
        studio.run("canvas", studio.document, "--fill", fill)
        page.wait_for_function("color => getComputedStyle(document.querySelector('.hint b')).color === color", arg=color)
    hint.wait_for()


START_CASES = [starts, modules_that_do_not_arrive, spent_links, hints_can_be_read]
