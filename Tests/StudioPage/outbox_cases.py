# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about what outlives a connection: edits that the server does not have yet, and what happens to their tab meanwhile. Servers of
other folders at the port, other ports, links, reloads, tabs that end, browsers without room, and strangers at the port or with links of their own. An edit
adds an emoji of its folder, so one that is lost, doubled, or in another folder's document is counted in the files."""
import http.server, json, os, shutil, socket, subprocess, threading
from break_cases import control
from studio import box, drag, loaded, one, place, ready

FOLDERS = {"art": "🐝", "other": "🐘"}
SAVED = "() => studio.status.net === 'open' && studio.status.pending === 0 && document.getElementById('status').dataset.state === 'saved'"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def whole(page):
    """Waits until the page has loaded what it loads when there is time: a server of another name does not give it."""
    for module in ["dialogs", "library"]:
        loaded(page, module)
    page.wait_for_function("() => performance.getEntriesByType('resource').some(e => e.name.endsWith('/library.css') && e.responseEnd)")


class Desk:
    """Two folders with a document of one name, one server at a time, and a page. `kind` says what the second folder's document is: a `fresh` one, a
    `copy` of the first one's, or `none`."""

    def __init__(self, studio, kind="fresh"):
        self.studio, self.kind = studio, kind
        self.port = studio.kept[0].getsockname()[1]
        self.folders = {name: f"{studio.folder}/{name}-{kind}" for name in FOLDERS}
        self.wanted = dict.fromkeys(FOLDERS, 1)
        for name, emoji in FOLDERS.items():
            os.makedirs(self.folders[name], exist_ok=True)
            if name == "other" and kind == "copy":
                shutil.copy(self.document("art"), self.document(name))
                # So each emoji says whose edit it is.
                studio.run("replace", self.document(name), FOLDERS["art"], "--with", emoji)
            elif name == "art" or kind == "fresh":
                studio.run("new", self.document(name), "--canvas", "640x480")
                studio.run("add", self.document(name), emoji, "--at", "320,240", "--size", "200")
        if kind == "none":
            self.wanted["other"] = 0
        self.page = None

    def document(self, name):
        return f"{self.folders[name]}/bees.emojiart"

    def serve(self, name, port=None):
        """Starts the server of a folder in place of the running one, at the kept sockets or at another port, and returns its link."""
        self.stop()
        kept = self.studio.kept
        if port:
            self.studio.kept = []
        try:
            link = self.studio.serve(self.folders[name], *(["--port", str(port)] if port else []))
        finally:
            self.studio.kept = kept
        return f"{link}&d=bees.emojiart" if os.path.exists(self.document(name)) else link

    def link(self, name):
        return self.studio.run("serve", self.folders[name], "--link").strip() + "&d=bees.emojiart"

    def stop(self):
        if self.studio.server:
            self.studio.server.kill()
            self.studio.server.wait()
            self.studio.server = None

    def open(self, link, page=None):
        self.page = page or self.studio.blank()
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.goto(link)
        ready(self.page)
        return self.page

    def away(self):
        self.page.wait_for_function("() => studio.status.net !== 'open'")

    def saved(self):
        self.page.wait_for_function(SAVED)

    def edit(self, name="art", count=1):
        """Makes edits of the open document, which is that of a folder."""
        for _ in range(count):
            self.page.evaluate("() => document.querySelectorAll('#notes .icon').forEach(button => button.click())")
            self.page.mouse.click(*place(self.page, {"x": 320, "y": 240}))
            self.page.keyboard.press("Control+d")
            self.wanted[name] += 1

    def pending(self, count):
        self.page.wait_for_function("count => studio.status.pending === count", arg=count)

    def left_with(self, count=1):
        """The server of the first folder ends, and edits of its document wait."""
        self.open(self.serve("art"))
        self.saved()
        self.leaves(count)

    def leaves(self, count=1):
        """The server ends while a page shows a document of the first folder, and edits of it wait."""
        whole(self.page)
        self.stop()
        self.away()
        self.edit(count=count)
        self.pending(count)

    def paste(self, link):
        """Opens a link in the tab by the dialog, as after a break."""
        self.page.keyboard.press("Control+/")
        self.page.get_by_role("combobox").fill("new link")
        self.page.keyboard.press("Enter")
        self.page.get_by_label("Link", exact=True).fill(link)
        self.page.keyboard.press("Enter")

    def follow(self, link):
        """Opens a link by the dialog, which leads to another address, and waits for the page there."""
        self.paste(link)
        self.arrived(link)
        ready(self.page)

    def address(self, link):
        """Puts a link into the address bar of the tab."""
        self.page.evaluate("link => { location.href = link }", link)
        self.arrived(link)

    def arrived(self, link):
        """Waits until the tab is at the address of a link."""
        self.page.wait_for_function("origin => location.origin === origin", arg=link.split("/#")[0])

    def hide_and_show(self):
        self.page.evaluate("""() => {
          for (const isHidden of [true, false]) {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
            document.dispatchEvent(new Event('visibilitychange'));
          }
        }""")

    def arts(self):
        found = {}
        for name in FOLDERS:
            found[name] = [one["text"] for one in json.loads(self.studio.run("show", self.document(name), "--json"))["emojis"]] if os.path.exists(self.document(name)) else []
        return found

    def check(self):
        """Each folder has its own emoji, as many as were made."""
        found = self.arts()
        for name, emoji in FOLDERS.items():
            assert set(found[name]) <= {emoji}, f"{self.kind}: {name} has emoji of another folder: {found}"
            assert len(found[name]) == self.wanted[name], f"{self.kind}: {name} has {len(found[name])} emoji instead of {self.wanted[name]}: {found}"

    def told(self):
        """The page names the folder and the document whose edits wait."""
        self.page.get_by_text(f"of bees.emojiart in {self.folders['art']}").first.wait_for()

    def comes_home(self, port=None):
        """The first folder's server is there again, and its link is opened in the tab."""
        link = self.serve("art", port)
        if port:
            self.follow(link)
        else:
            self.address(link)
        ready(self.page)
        self.page.wait_for_function("() => studio.shown() > 0")
        self.saved()
        self.check()


# MARK: another folder

def same_port(desk):
    """The link of the other folder's server, which has the port by now, is opened in the tab."""
    desk.follow(desk.serve("other"))


def other_port(desk):
    """The other folder's server has another port."""
    desk.follow(desk.serve("other", free_port()))
    loaded(desk.page, "dialogs")


WAYS = [same_port, other_port]
KINDS = ["fresh", "copy", "none"]


def edits_stay_in_their_folder(studio):
    """The table: ways to another folder's server, and what its document of the same name is."""
    studio.server = None
    for way in WAYS:
        for kind in KINDS:
            shutil.rmtree(f"{studio.folder}/art-{kind}", ignore_errors=True)
            shutil.rmtree(f"{studio.folder}/other-{kind}", ignore_errors=True)
            desk = Desk(studio, kind)
            desk.left_with(2)
            way(desk)
            desk.page.wait_for_function("() => studio.status.net === 'open'")
            desk.told()
            desk.hide_and_show()
            if kind == "none":
                desk.page.get_by_text("No documents yet").wait_for()
            else:
                desk.saved()
                assert desk.page.evaluate("studio.shown()") == 1, "the page shows the other folder's document"
                desk.edit("other")
                desk.saved()
            desk.wanted["art"] -= 2
            desk.check()
            desk.wanted["art"] += 2
            desk.comes_home(free_port() if way is other_port else None)
            desk.page.context.close()
            print(f"{way.__name__}, {kind}: 2 edits waited for their folder", flush=True)


# A page that takes the other folder for its own, as it would be if only names of documents counted.
BLIND = """{ const { parse } = JSON;
  JSON.parse = (text, ...more) => {
    const value = parse(text, ...more);
    if (value?.welcome) Object.assign(value.welcome, { folderID: 'one', folder: '/one' });
    return value;
  };
}"""


def edits_stay_in_their_folder_control(studio):
    """A page that knows folders by their documents' names only is found by the check of that table."""
    studio.server = None
    desk = Desk(studio, "copy")
    page = studio.blank()
    page.context.add_init_script(BLIND)
    desk.open(desk.serve("art"), page)
    desk.saved()
    desk.leaves()
    desk.wanted["art"] -= 1
    desk.follow(desk.serve("other"))
    page.wait_for_function("() => studio.status.net === 'open'")
    desk.saved()
    control(desk.check, "an edit that goes to the other folder's document")


def servers_that_start_again(studio):
    """A server that is started again has another name, and serves the page at its former address: what waits there goes on by the new link, also after a
    reload, when the page cannot read it itself."""
    studio.keep_no_socket()
    page, _ = one(studio)
    page.on("dialog", lambda dialog: dialog.accept())
    before = 320
    for reloads, isSamePort in [(False, False), (True, False), (True, True)]:
        loaded(page, "dialogs")
        origin = page.evaluate("location.origin")
        studio.server.kill()
        studio.server.wait()
        page.wait_for_function("() => studio.status.net !== 'open'")
        x, y, *_ = box(page, "🐝")
        drag(page, (x, y), (x + 60, y), ["Control"])
        page.wait_for_function("() => studio.status.pending === 1")
        link = studio.serve(None, *(["--port", origin.rpartition(":")[2]] if isSamePort else []))
        assert not link.startswith(f"{origin}/"), link
        if reloads:
            page.reload()
            ready(page)
            page.get_by_text("An edit that is not saved is kept here").wait_for()
            assert studio.shown()[0]["x"] == before
            loaded(page, "dialogs")
        page.get_by_text("does not know this page").wait_for()
        page.get_by_role("button", name="Connect by a new link").last.click()
        page.get_by_label("Link", exact=True).fill(link)
        page.keyboard.press("Enter")
        page.wait_for_function("origin => location.origin !== origin", arg=origin)
        ready(page)
        page.wait_for_function(SAVED)
        before = studio.until("the drag", lambda e: e[0]["x"] > before + 10)[0]["x"]
    assert studio.run("history", studio.document).count("move 🐝") == 3
    page.locator("#options").focus()
    for _ in range(3):
        page.keyboard.press("Control+z")
    studio.until("all undos by the same hand", lambda e: e[0]["x"] == 320)


def leaving_asks_while_edits_wait(studio):
    """The browser asks before a page is left at whose address edits wait: the next server has another one, and nothing there tells of them."""
    studio.server = None
    desk = Desk(studio)
    studio.keep_no_socket()
    asked, stays = [], [True]

    def ask(dialog):
        asked.append(dialog.type)
        dialog.dismiss() if stays[0] else dialog.accept()

    def asks(why):
        page.evaluate("() => { window.isBefore = true; setTimeout(() => location.reload()) }")
        studio.wait(lambda: page.evaluate("window.isBefore") and asked, f"the question of the browser: {why}")
        assert asked == ["beforeunload"], asked
        asked.clear()

    def reloads():
        page.reload()
        ready(page)
    page = studio.blank()
    page.on("dialog", ask)
    page.goto(desk.serve("art", desk.port))
    ready(page)
    desk.page = page
    desk.saved()
    desk.leaves()
    asks("an edit waits for the server")
    link = desk.serve("art", desk.port)
    stays[0] = False
    reloads()
    stays[0] = True
    asked.clear()
    page.get_by_text("An edit that is not saved is kept here").wait_for()
    loaded(page, "dialogs")
    # Browsers ask only about pages that were used.
    page.mouse.click(640, 400)
    asks("an edit waits at a former address")
    # By the new link it goes along.
    desk.follow(link)
    desk.saved()
    whole(page)
    desk.check()
    reloads()
    desk.saved()
    desk.leaves()
    desk.follow(desk.serve("other", desk.port))
    desk.saved()
    desk.told()
    loaded(page, "dialogs")
    page.mouse.click(640, 400)
    assert asked == [], asked
    asks("an edit waits for another folder")
    desk.follow(desk.serve("art", desk.port))
    desk.saved()
    desk.check()
    reloads()
    desk.saved()
    assert asked == [], asked


# MARK: reloads and tabs

def edits_outlive_their_tab(studio):
    """Tabs end without a word, one of them after a reload; another tab sends what they have left, once, and leaves what tabs send that are there."""
    studio.server = None
    desk = Desk(studio)
    first = desk.open(desk.serve("art"))
    context = first.context
    tabs = [first]
    for _ in range(2):
        tab = context.new_page()
        tab.on("dialog", lambda dialog: dialog.accept())
        desk.open(desk.link("art"), tab)
        tabs.append(tab)
    for tab in tabs:
        desk.page = tab
        desk.saved()
    desk.stop()
    for tab in tabs:
        desk.page = tab
        desk.away()
        desk.edit(count=2)
        desk.pending(2)
    # Kept means that it is in the database.
    tabs[2].wait_for_function("""() => new Promise(resolve => { const opening = indexedDB.open('emojiart'); opening.onsuccess = () => {
      const all = opening.result.transaction('requests').objectStore('requests').getAll();
      all.onsuccess = () => { opening.result.close(); resolve(all.result.length === 6) } } })""")
    tabs[0].close()
    tabs[1].close()
    desk.page = context.new_page()
    link = desk.serve("art")
    desk.page.goto(link)
    ready(desk.page)
    # The tab that is there sends its own: by itself, or by a link.
    tabs[2].evaluate("link => { location.href = link }", desk.link("art"))
    tabs[2].wait_for_function(SAVED)
    desk.saved()
    studio.wait(lambda: len(desk.arts()["art"]) == desk.wanted["art"], "the edits of the tabs that ended")
    desk.page.reload()
    ready(desk.page)
    desk.saved()
    desk.check()
    assert desk.page.evaluate("studio.shown()") == desk.wanted["art"]


def many_edits_outlive_a_reload(studio):
    """More than the 5 million characters that a browser keeps in storage of texts."""
    count = 22_000
    lines = "\n".join(json.dumps({"add": {"text": "🐝", "x": n % 640, "y": n // 640 % 480, "size": 4}}) for n in range(count))
    subprocess.run([f"{studio.programs}/emojiart", "edit", studio.document, "--json"], env=studio.environment, input=lines, text=True, capture_output=True, check=True)
    page = studio.blank()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(studio.serve())
    ready(page)
    page.wait_for_function(SAVED)
    page.evaluate("""() => { line.holdsSent = '"edit"' }""")
    page.locator("#options").focus()
    page.keyboard.press("Control+a")
    for part in range(1, 4):
        page.keyboard.press("Control+d")
        page.wait_for_function("count => studio.shown() === count", arg=count * (part + 1))
    page.reload()
    ready(page)
    page.wait_for_function(SAVED)
    assert page.evaluate("studio.shown()") == 4 * count and len(studio.shown()) == 4 * count


def edits_that_cannot_be_kept(studio):
    """A browser without room says so before it is too late: in the status, in a note, and when the page is left."""
    studio.server = None
    desk = Desk(studio)
    page = studio.blank()
    # The room is full from the first request that waits.
    page.context.add_init_script("""window.isFull = false; window.refused = 0; { const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...given) { if (isFull && this.name === 'requests') { refused += 1; throw new DOMException('full', 'QuotaExceededError') } return put.apply(this, given) } }""")
    asked = []

    def ask(dialog):
        asked.append(dialog.type)
        dialog.dismiss()
    page.goto(desk.serve("art"))
    page.on("dialog", ask)
    desk.page = page
    ready(page)
    desk.saved()
    loaded(page, "dialogs")
    desk.stop()
    desk.away()
    page.evaluate("isFull = true")
    desk.edit()
    desk.pending(1)
    page.locator('#status[data-state="notKept"]').wait_for()
    page.get_by_text("a reload would lose it").wait_for()
    def stays(count, why):
        studio.wait(lambda: page.evaluate("1") == 1 and asked == ["beforeunload"] * count, f"the question of the browser: {why}")

    # The user stays.
    page.evaluate("() => { setTimeout(() => location.reload()) }")
    stays(1, "a reload")
    # The way to another address is free, since the edits go along. It leads nowhere, and an edit that is made then is here only.
    nowhere = Nowhere()
    desk.paste(f"http://{'0' * 20}.emojiart.localhost:{nowhere.port}/#c=0")
    studio.wait(lambda: page.evaluate("1") == 1 and nowhere.asked, "the other address")
    nowhere.close()
    desk.edit()
    desk.pending(2)
    assert len(asked) == 1, asked
    page.evaluate("() => { setTimeout(() => location.reload()) }")
    stays(2, "a reload after an address that led nowhere")
    desk.address(desk.serve("art"))
    desk.saved()
    page.get_by_text("a reload would lose it").wait_for(state="hidden")
    # A reload by the page itself, for another language, asks, too.
    before = page.evaluate("() => { line.holdsSent = '\"edit\"'; return refused }")
    desk.edit()
    page.wait_for_function("before => refused > before && studio.status.pending === 1", arg=before)
    page.keyboard.press("Control+/")
    page.get_by_role("combobox").fill("sprache")
    page.keyboard.press("Enter")
    page.locator("dialog[open] select").select_option("de")
    page.locator("dialog[open] button.main").click()
    stays(3, "another language")
    page.evaluate("() => line.release()")
    desk.saved()
    desk.check()


# MARK: strangers

class Nowhere:
    """A server whose answer keeps the browser where it is."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words): pass

            def do_GET(self):
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Stranger:
    """A program at the server's port whose page runs in the origin of the studio."""
    PAGE = b"""<!doctype html><title>stranger</title><script>
const open = () => new Promise((resolve, reject) => { const opening = indexedDB.open('emojiart'); opening.onsuccess = () => resolve(opening.result); opening.onerror = reject; });
const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
const forged = (tag) => ({ edit: { changes: [['add', 'ffffffff', '\u{1F608}', 100, 100, 40, 1048576]], name: 'add' }, since: null, tag });
window.work = (async () => {
  const database = await open();
  const records = await done(database.transaction('requests').objectStore('requests').getAll());
  const sessions = await done(database.transaction('sessions').objectStore('sessions').getAll());
  const raw = await Promise.all(sessions.map(({ key }) => crypto.subtle.exportKey('raw', key).then(() => 'read', () => 'not readable')));
  const kept = records.map((record) => JSON.stringify(record) + new TextDecoder().decode(record.sealed)).join(' ');
  const texts = JSON.stringify([{ ...sessionStorage }, { ...localStorage }]);
  // Made up: in the form that is kept, in one that is not sealed, under a known client, and one that was moved to another tag.
  const [first] = records;
  const own = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
  const sealed = async (tag, form) => {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify({ client: first.client, folderID: 'x', folder: '/x', document: 'x', path: 'bees.emojiart', name: 'add', request: forged(tag) }));
    return new Uint8Array([...iv, ...new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(form) }, own, text))]);
  };
  const plain = new TextEncoder().encode(JSON.stringify({ ...first, request: forged('f2') }));
  const all = [{ client: first.client, tag: 'f1', order: 90, sealed: await sealed('f1', `emojiart outbox 1\n${first.client}\nf1`) }, { client: first.client, tag: 'f2', order: 91, sealed: plain }, { ...first, tag: 'f3', order: 92 }];
  for (const record of all) await done(database.transaction('requests', 'readwrite').objectStore('requests').put(record));
  sessionStorage.setItem('pending', JSON.stringify([{ client: first.client, folder: '/', document: 'bees.emojiart', pending: [{ name: 'add', request: forged('f4') }] }]));
  sessionStorage.setItem('offered', sessionStorage.getItem('pending'));
  database.close();
  return { kept, texts, raw, count: records.length };
})();
</script>"""

    def __init__(self, port):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words): pass

            def do_GET(self):
                self.send_response(200 if self.path == "/" else 404)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(Stranger.PAGE if self.path == "/" else b"")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def strangers_in_the_origin(studio):
    """Another program has the port, and the user loads the page again: its script reads nothing of what waits, and what it plants is not sent. The
    next server is at another address, also at that port, so nothing that the script leaves there can meet it."""
    studio.server = None
    desk = Desk(studio)
    desk.left_with(2)
    origin = desk.page.evaluate("location.origin")
    studio.keep_no_socket()
    stranger = Stranger(desk.port)
    try:
        desk.page.reload()
        desk.page.wait_for_function("() => window.work && work.then(() => true)")
        found = desk.page.evaluate("() => work")
    finally:
        stranger.close()
    assert found["count"] == 2, found
    assert set(found["raw"]) == {"not readable"}, found
    for secret in ["bees", "🐝", desk.folders["art"], "changes"]:
        assert secret not in found["kept"], (secret, found["kept"][:2000])
    # The name of the open document is there for a reload, and nothing that was done to it.
    assert "bees" in found["texts"] and "🐝" not in found["texts"] and "token" not in found["texts"], found["texts"]
    link = desk.serve("art", desk.port)
    assert not link.startswith(f"{origin}/"), link
    # What waits is at the former address, and goes on by the new link.
    desk.page.goto("about:blank")
    desk.page.goto(f"{origin}/")
    ready(desk.page)
    loaded(desk.page, "dialogs")
    # What was planted cannot be told from it there.
    desk.page.get_by_text("5 edits that are not saved are kept here").wait_for()
    desk.follow(link)
    desk.page.get_by_text("3 edits that the link has brought were not made by this user").wait_for()
    desk.saved()
    desk.check()
    assert "😈" not in desk.arts()["art"]


def links_of_strangers(studio):
    """A link with edits of its own plants nothing, neither at once nor with the next valid link."""
    studio.server = None
    desk = Desk(studio)
    origin = desk.serve("art").split("/#")[0]
    plain = json.dumps({"client": "0123456789ab", "folder": desk.folders["art"], "document": "bees.emojiart", "pending": [
        {"name": "add", "request": {"tag": "s1", "since": None, "edit": {"changes": [["add", "ffffffff", "😈", 100, 100, 40, 1048576]], "name": "add"}}}]})
    sealed = json.dumps([{"client": "0123456789ab", "tag": "s1", "order": 1, "sealed": "A" * 400}])
    for kept in [plain, sealed, "[{}]", "nonsense"]:
        page = studio.blank()
        page.goto(f"{origin}/#kept={kept.replace('%', '%25').replace('&', '%26')}")
        ready(page)
        page.locator('#status[data-state="refused"]').wait_for()
        page.evaluate("link => { location.href = link }", desk.link("art"))
        page.wait_for_function(SAVED)
        page.reload()
        ready(page)
        page.wait_for_function(SAVED)
        desk.page = page
        desk.check()
        stored = page.evaluate("""() => new Promise(resolve => { const opening = indexedDB.open('emojiart'); opening.onsuccess = () => {
          const all = opening.result.transaction('requests').objectStore('requests').getAll(); all.onsuccess = () => resolve(all.result.length) } })""")
        assert stored == 0, kept
        page.context.close()


# MARK: links in a connected tab

def links_open_their_document(studio):
    """A link to another document, in a tab that is connected or about to be, opens it, and what is pending is sent first."""
    studio.server = None
    desk = Desk(studio)
    studio.run("new", f"{desk.folders['art']}/ants.emojiart", "--canvas", "640x480")
    page = desk.open(desk.serve("art"))
    desk.saved()
    page.evaluate("""() => { line.holdsSent = '"edit"' }""")
    desk.edit()
    desk.pending(1)
    page.evaluate("() => { line.holdsSent = null; line.held = [] }")
    page.evaluate("link => { location.href = link }", desk.link("art").replace("bees", "ants"))
    page.wait_for_function("() => document.getElementById('name').textContent === 'ants'")
    page.wait_for_function(SAVED)
    assert page.evaluate("studio.shown()") == 0
    desk.check()
    # It comes while the page connects again by itself, and opens its own document.
    page.evaluate("""() => { line.holdsReceived = '"document":{' }""")
    link = desk.serve("art")
    page.wait_for_function("() => line.held.length > 0")
    page.evaluate("() => { line.holdsReceived = null; line.held = [] }")
    page.evaluate("link => { location.href = link }", link)
    page.wait_for_function("() => document.getElementById('name').textContent === 'bees'")
    desk.saved()
    desk.check()


def another_document_of_the_name(studio):
    """The document is replaced by another one of its name while the server is away: edits wait, and are told."""
    studio.server = None
    desk = Desk(studio)
    desk.left_with(1)
    # What is being typed is of the document that is open until then.
    begin_words(desk.page, "Hello")
    away = f"{desk.folders['art']}/away.emojiart"
    os.rename(desk.document("art"), away)
    studio.run("new", desk.document("art"), "--canvas", "640x480")
    desk.address(desk.serve("art"))
    desk.page.get_by_text("2 edits of bees.emojiart that are not saved are kept here").wait_for()
    desk.saved()
    assert desk.page.evaluate("studio.shown()") == 0 and not desk.arts()["art"]
    # It is sent when its document is opened, whatever its name is now.
    desk.address(desk.link("art").replace("bees", "away"))
    desk.page.wait_for_function("() => document.getElementById('name').textContent === 'away' && studio.shown() === 3")
    desk.saved()
    assert texts_of(studio, away) == ["Hello", "🐝", "🐝"] and not desk.arts()["art"]


def begin_words(page, text):
    """Types words of a new caption, and does not end them."""
    stage = page.locator("#stage").bounding_box()
    page.locator("#options").focus()
    page.keyboard.press("t")
    page.mouse.click(stage["x"] + 90, stage["y"] + 90)
    page.locator("#words").wait_for()
    page.keyboard.type(text)


def texts_of(studio, document):
    return sorted(one["text"] for one in json.loads(studio.run("show", document, "--json"))["emojis"])


def typed_while_documents_change(studio):
    """What is typed while a document waits for its last answers is that document's. What is typed while the next one comes is in no document: it is
    shown, to be copied."""
    from document_cases import cell
    studio.server = None
    desk = Desk(studio)
    ants = f"{desk.folders['art']}/ants.emojiart"
    studio.run("new", ants, "--canvas", "640x480")
    studio.run("caption", ants, "Hi", "--at", "320,240", "--size", "80")
    page = desk.open(desk.serve("art"))
    desk.saved()
    page.keyboard.press("Control+o")
    cell(page, "ants").wait_for()
    page.evaluate("""() => { line.holdsSent = '"edit"' }""")
    desk.edit()
    desk.pending(1)
    page.wait_for_function("() => line.held.length > 0")
    cell(page, "ants").click()
    begin_words(page, "Hello")
    page.evaluate("() => line.release()")
    page.wait_for_function("() => document.getElementById('name').textContent === 'ants'")
    desk.saved()
    assert texts_of(studio, desk.document("art")) == ["Hello", "🐝", "🐝"]
    assert page.locator("#words").count() == 0 and texts_of(studio, ants) == ["Hi"]
    # The answer with the next document is on its way.
    page.evaluate("""() => { line.holdsReceived = '"document":{' }""")
    cell(page, "bees").click()
    page.wait_for_function("() => line.held.length > 0")
    page.evaluate("""([x, y]) => document.getElementById('stage').dispatchEvent(new MouseEvent('dblclick', { clientX: x, clientY: y, bubbles: true }))""",
                  place(page, {"x": 320, "y": 240}))
    page.locator("#words").wait_for()
    page.keyboard.type("Of nobody")
    page.keyboard.press("Enter")
    page.get_by_text("Copy it from here: Of nobody").wait_for()
    page.evaluate("() => line.release()")
    page.wait_for_function("() => document.getElementById('name').textContent === 'bees'")
    desk.saved()
    page.get_by_text("Copy it from here: Of nobody").wait_for()
    assert texts_of(studio, ants) == ["Hi"] and texts_of(studio, desk.document("art")) == ["Hello", "🐝", "🐝"]


def folder_that_is_moved(studio):
    """The folder is renamed while edits of it wait: it is the same folder, and gets them."""
    studio.server = None
    desk = Desk(studio)
    desk.left_with(2)
    moved = f"{desk.folders['art']}-moved"
    os.rename(desk.folders["art"], moved)
    desk.folders["art"] = moved
    desk.comes_home()


def choices_at_another_address(studio):
    """What the user has chosen is there at another address, of which the browser knows nothing, and what is kept may be anybody's."""
    studio.server = None
    desk = Desk(studio)
    page = desk.open(desk.serve("art"))
    desk.saved()
    loaded(page, "dialogs")

    def act(words):
        page.keyboard.press("Control+/")
        page.get_by_role("combobox").fill(words)
        page.keyboard.press("Enter")
    act("your name")
    page.locator("dialog[open] input").fill("Ada")
    page.keyboard.press("Enter")
    act("sprache")
    page.locator("dialog[open] select").select_option("de")
    page.locator("dialog[open] button.main").click()
    page.get_by_text("Gespeichert", exact=True).wait_for()
    # What a page loads later is loaded while its server is there.
    loaded(page, "emoji")
    link = desk.serve("art", free_port())
    other = studio.blank()
    desk.open(link, other)
    other.get_by_text("Gespeichert", exact=True).wait_for()
    kept = other.evaluate("() => ['language', 'name'].map(name => localStorage.getItem(name))")
    assert kept == ["de", "Ada"], kept
    loaded(other, "emoji")
    # Nothing of it breaks the page.
    file = f"{studio.environment['EMOJIART_STATE']}/studio-preferences"
    odd = {"language": "__proto__", "name": "\ud83d\udc1d" * 60, "tone": "<b>", "size": "1x1x1", "export": "{]", "exportMany": "exe", "snapping": "?", "documents": "?", "other": "x"}
    with open(file, "w") as output:
        json.dump(odd, output)
    third = studio.blank()
    desk.open(desk.serve("art", free_port()), third)
    desk.saved()
    assert third.evaluate("() => localStorage.getItem('export')") == "{]" and third.evaluate("() => localStorage.getItem('other')") is None
    loaded(third, "dialogs")
    third.keyboard.press("Control+/")
    third.get_by_role("combobox").fill("export")
    third.keyboard.press("Enter")
    third.locator("dialog[open] select").first.wait_for()
    assert third.locator("dialog[open] select").first.input_value() == "png"


def former_client_is_free(studio):
    """A page that takes the client of a link holds its former one no longer, so another page can send what that one has left."""
    studio.server = None
    desk = Desk(studio)
    origin = desk.serve("art").split("/#")[0]
    page = studio.blank()
    page.goto(f"{origin}/")
    ready(page)
    page.locator('#status[data-state="refused"]').wait_for()
    held = "async () => (await navigator.locks.query()).held.map(({ name }) => name)"
    assert len(page.evaluate(held)) == 1
    kept = json.dumps([{"client": "0123456789zz", "tag": "s1", "order": 1, "sealed": "A" * 400}])
    page.evaluate("([link, kept]) => { location.href = `${link}&kept=${encodeURIComponent(kept)}` }", [desk.link("art"), kept])
    page.wait_for_function(SAVED)
    assert page.evaluate(held) == ["emojiart 0123456789zz"], page.evaluate(held)


def what_waits_ends_with_its_document(studio):
    """A caption that waits for its answer does not stay on another document, and who is here is not known without a connection."""
    studio.server = None
    desk = Desk(studio)
    page = desk.open(desk.serve("art"))
    desk.saved()
    other = studio.blank()
    other.goto(desk.link("art"))
    page.locator("#peers .peer").wait_for()
    page.evaluate("""() => { line.holdsSent = '"caption"' }""")
    stage = page.locator("#stage").bounding_box()
    page.keyboard.press("t")
    page.mouse.click(stage["x"] + 90, stage["y"] + 90)
    page.keyboard.type("Hello")
    page.keyboard.press("Enter")
    desk.pending(1)
    other.context.close()
    whole(page)
    desk.stop()
    desk.away()
    page.locator("#peers").wait_for(state="hidden")
    desk.follow(desk.serve("other"))
    desk.told()
    page.locator("#words").wait_for(state="detached")
    desk.saved()
    desk.check()


def edits_between_documents_are_told(studio):
    """What is done while another document is being opened is not done, and that is said."""
    studio.server = None
    desk = Desk(studio)
    studio.run("new", f"{desk.folders['art']}/ants.emojiart", "--canvas", "640x480")
    page = desk.open(desk.serve("art"))
    desk.saved()
    desk.edit()
    desk.saved()
    page.keyboard.press("Control+o")
    from document_cases import cell
    cell(page, "ants").wait_for()
    page.evaluate("""() => { line.holdsReceived = '"document":{' }""")
    cell(page, "ants").click()
    page.wait_for_function("() => line.held.length > 0")
    page.locator('button[data-action="undo"]').click()
    page.get_by_text("Another document is being opened").wait_for()
    page.evaluate("() => line.release()")
    page.wait_for_function("() => document.getElementById('name').textContent === 'ants'")
    desk.check()


OUTBOX_CASES = [edits_stay_in_their_folder, edits_stay_in_their_folder_control, servers_that_start_again, leaving_asks_while_edits_wait, edits_outlive_their_tab, many_edits_outlive_a_reload, edits_that_cannot_be_kept, strangers_in_the_origin,
                links_of_strangers, links_open_their_document, another_document_of_the_name, what_waits_ends_with_its_document, edits_between_documents_are_told, typed_while_documents_change, folder_that_is_moved,
                choices_at_another_address, former_client_is_free]
