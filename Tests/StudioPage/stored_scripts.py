# SPDX-License-Identifier: Apache-2.0
"""A document from a stranger, full of scripts, in the page: no script may run (H7).

Each script calls `X(number)`, which counts. The scripts are in texts, captions, names of edits, authors, addresses of backgrounds, names of
documents and folders, of files that are brought in, of other pages and of whoever removes an emoji. Where the commands refuse them they are
written into the file, with sums that fit, as a stranger could have done. Every panel, dialog and note that shows such a text is opened. A
control makes markup of the same texts, with and without the policy of the page, and must count.
"""
import ctypes, json, os, re, sqlite3, struct, subprocess, xml.etree.ElementTree

# What browsers run when it becomes markup, each with a number in place of N.
VECTORS = """
<script>X(N)</script>
"><script>X(N)</script>
'><script>X(N)</script>
</script><script>X(N)</script>
</title><script>X(N)</script>
</textarea><script>X(N)</script>
</style><script>X(N)</script>
--><script>X(N)</script>
]]><script>X(N)</script>
<script src=data:text/javascript,X(N)></script>
<script type=module>X(N)</script>
<img src=x onerror=X(N)>
"><img src=x onerror=X(N)>
'><img src=x onerror=X(N)>
<img/src=x/onerror=X(N)//
<IMG SRC=x OnError=X(N)>
<image src=x onerror=X(N)>
<img src=x onerror="&#88;(N)">
<svg onload=X(N)>
<svg/onload=X(N)>
<svg><script>X(N)</script></svg>
<svg><script href=data:,X(N) />
<svg><animate onbegin=X(N) attributeName=x dur=1s>
<svg><image href=x onerror=X(N)>
<math><mi><mglyph><style><img src=x onerror=X(N)>
<iframe srcdoc="<script>parent.X(N)</script>"></iframe>
<iframe onload=X(N)></iframe>
<iframe src=javascript:parent.X(N)></iframe>
<object data=javascript:X(N)></object>
<embed src=javascript:X(N)>
<video><source onerror=X(N)></video>
<video src=x onerror=X(N)></video>
<audio src=x onerror=X(N)>
<body onload=X(N)>
<input autofocus onfocus=X(N)>
<select autofocus onfocus=X(N)>
<a autofocus tabindex=1 onfocus=X(N)>
<details open ontoggle=X(N)>
<style>@keyframes x{}</style><b style=animation-name:x onanimationstart=X(N)>
<link rel=stylesheet href=data:, onload=X(N)>
<base href=javascript:X(N)//>
<form action=javascript:X(N)><button autofocus>
<a href=javascript:X(N)>x</a>
<b onmouseover=X(N) onclick=X(N)>x</b>
" onmouseover=X(N) onfocus=X(N) autofocus x="
' onmouseover=X(N) onfocus=X(N) autofocus x='
javascript:X(N)
data:text/html,<script>opener.X(N)</script>
${X(N)}
`${X(N)}`
{{constructor.constructor('X(N)')()}}
'-X(N)-'
";X(N);//
\\u003cimg src=x onerror=X(N)\\u003e
%3Cscript%3EX(N)%3C/script%3E
&lt;img src=x onerror=X(N)&gt;
""".strip().splitlines()

# What counts: in place before any script of the page.
WATCH = """
window.ran = []; window.violations = [];
window.X = (number) => { ran.push(number) };
addEventListener('securitypolicyviolation', (event) => { violations.push(event.violatedDirective) }, true);
"""


class Scripts:
    """The scripts by where they are."""

    def __init__(self):
        self.counts, self.number = {}, 0

    def next(self, place, vector):
        self.number += 1
        self.counts[place] = self.counts.get(place, 0) + 1
        return vector.replace("N", str(self.number))

    def total(self):
        return sum(self.counts.values())


# MARK: the document

XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
MASK = 2 ** 64 - 1
TABLES = ["emoji", "edit", "origin", "image", "aside", "archive", "version"]


def signed(number):
    return (number & MASK) - (1 << 64) if number & MASK >= 1 << 63 else number & MASK


def sum_of(table, columns):
    """The sum of a row, as docs/FORMAT.md defines it."""
    data = table.encode() + b"\0"
    for value in columns:
        if value is None:
            data += b"\0"
        elif isinstance(value, int):
            data += b"\1" + struct.pack("<q", value)
        else:
            kind, value = (b"\2", value.encode()) if isinstance(value, str) else (b"\3", value)
            data += kind + struct.pack("<Q", len(value)) + value
    return signed(XXHASH.XXH3_64bits(data, len(data)))


def put(file, table, key, column, values):
    """Writes values into the rows of a table, in the order of their keys, and the sums of these rows."""
    keys = [row[0] for row in file.execute(f"SELECT {key} FROM {table} ORDER BY {key}")]
    for row_key, value in zip(keys, values):
        file.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (value, row_key))
        *columns, _ = file.execute(f"SELECT * FROM {table} WHERE {key} = ?", (row_key,)).fetchone()
        file.execute(f"UPDATE {table} SET sum = ? WHERE {key} = ?", (sum_of(table, columns), row_key))
    return min(len(keys), len(values))


def write_scripts(path, scripts):
    """Puts scripts where no command puts them: into texts of emoji, names of edits, authors and the address that waits."""
    file = sqlite3.connect(path)
    emojis = [json.loads(row[0]) for row in file.execute("SELECT json FROM emoji ORDER BY id")]
    vectors = iter(VECTORS * 2)
    for emoji in emojis:
        if "box" not in emoji:
            emoji["text"] = scripts.next("texts", next(vectors))
    put(file, "emoji", "id", "json", [json.dumps(emoji, ensure_ascii=False) for emoji in emojis])
    edits = file.execute("SELECT count(*) FROM edit").fetchone()[0]
    put(file, "edit", "revision", "name", [scripts.next("names of edits", VECTORS[index % len(VECTORS)]) for index in range(edits)])
    short = [vector for vector in VECTORS if len(vector) < 60]
    put(file, "edit", "revision", "author", [scripts.next("authors", short[index % len(short)]) for index in range(edits)])
    pending = json.loads(file.execute("SELECT pending FROM art").fetchone()[0])
    pending["url"] = "https://evil.example/?" + scripts.next("addresses", VECTORS[1])
    digest = sum(row[0] for table in TABLES for row in file.execute(f"SELECT sum FROM {table}"))
    size = " + ".join(f"ifnull(length(CAST({column} AS BLOB)), 0)" for column in ["name", "tags", "changes", "inverse", "dropped"])
    log = file.execute(f"SELECT sum({size}) FROM edit").fetchone()[0]
    file.execute("UPDATE art SET pending = ?, log = ?, digest = ?", (json.dumps(pending), log, signed(digest)))
    *columns, _ = file.execute("SELECT * FROM art").fetchone()
    file.execute("UPDATE art SET sum = ?", (sum_of("art", columns),))
    file.commit()
    file.close()


def make(studio, scripts):
    """A document with scripts everywhere, whose name is one, too."""
    studio.document = f"{studio.folder}/art/" + scripts.next("names of documents", "<img src=x onerror=X(N)>") + ".emojiart"
    os.rename(f"{studio.folder}/art/bees.emojiart", studio.document)
    requests = []
    for index, vector in enumerate(VECTORS):
        x, y = 40 + index % 8 * 75, 30 + index // 8 * 60
        requests += [{"add": {"text": "🐝", "x": x, "y": y, "size": 20}},
                     {"caption": {"text": scripts.next("captions", vector), "x": x, "y": y + 25, "size": 4}}]
    requests.append({"background": {"url": "https://example.org/x.png", "later": True}})
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        [f"{studio.programs}/emojiart", "edit", "--json", studio.document], env=studio.environment, input=lines, capture_output=True, text=True)
    assert done.returncode == 0 and '"error"' not in done.stdout, done.stdout[-2000:] + done.stderr
    write_scripts(studio.document, scripts)
    studio.run("check", studio.document)


# MARK: the page

class Watched:
    """A page that counts what runs in it."""

    def __init__(self, studio, link, is_open=True, **options):
        context = studio.browser.new_context(**({"viewport": {"width": 1280, "height": 800}, "accept_downloads": True} | options))
        context.set_default_timeout(1000 * int(os.environ.get("STUDIO_LIMIT", "60")))
        context.add_init_script(WATCH)
        studio.contexts.append(context)
        self.page = context.new_page()
        self.dialogs, self.errors = [], []
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        self.page.goto(link)
        if is_open:
            self.page.wait_for_function("() => window.studio && studio.ready.then(() => true)")

    def wait_for_texts(self):
        """Waits until the texts of the canvas are options for readers of the screen."""
        self.page.wait_for_function(
            "count => document.querySelectorAll('[role=option][data-text*=\"X(\"]').length > count", arg=2 * len(VECTORS) - 8)

    def ran(self):
        return self.page.evaluate("ran")

    def violations(self):
        return self.page.evaluate("violations")


def hostile_program(studio, name, link, *messages):
    """A page without a browser, as another program with that name would be one."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Fixtures/bin/studio-page")
    program = subprocess.Popen([script, "--client", "0123456789zz", "--name", name, link], env=studio.environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for message in messages:
        program.stdin.write(json.dumps(message) + "\n")
    program.stdin.flush()
    return program


def show_everything(studio, watched, scripts, link):
    """Opens all that shows a text of somebody else."""
    page = watched.page
    watched.wait_for_texts()
    assert "onerror" in page.locator("#name").inner_text()
    page.get_by_text("Saved", exact=True).wait_for()

    # History, with all edits, and one of them taken back.
    page.keyboard.press("Control+Shift+H")
    page.wait_for_function("() => document.querySelectorAll('#history li').length > 99")
    more = page.get_by_role("button", name="Show older edits")
    if more.count():
        more.click()
        page.wait_for_function(f"() => document.querySelectorAll('#history .what').length > {2 * len(VECTORS) - 2}")
    page.locator("#history li:not(.undone) .back").first.click()
    page.wait_for_function("() => document.querySelectorAll('#history .undone').length > 0")

    # The selection, its bar, its words, and what undo and redo would do.
    page.locator("#stage").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    # Tab goes through a row of emoji, then through one of captions.
    for _ in range(20):
        page.keyboard.press("Tab")
        page.keyboard.press("F2")
        if page.locator("#words").count():
            break
    assert "X(" in page.locator("#words").input_value()
    for key in ["Escape", "Escape", "Control+z"]:
        page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('[data-action=redo]').disabled")
    page.keyboard.press("Control+Shift+z")
    page.wait_for_function("() => document.querySelector('[data-action=redo]').disabled")

    # Dialogs.
    page.keyboard.press("Control+/")
    page.get_by_role("combobox").fill(scripts.next("searches", VECTORS[11]))
    page.get_by_text("No action fits").wait_for()
    page.keyboard.press("Escape")
    for key in ["?", "Shift+C"]:
        page.keyboard.press(key)
        page.locator("dialog[open]").wait_for()
        page.keyboard.press("Escape")
    page.locator("[data-action=menu]").click()
    page.locator(".menu").wait_for()
    page.get_by_role("menuitem", name="Your name").click()
    page.locator("dialog input").fill(scripts.next("names of pages", "<svg onload=X(N)>"))
    page.keyboard.press("Enter")
    for vector in [VECTORS[1], VECTORS[46], VECTORS[47]]:
        typed = scripts.next("addresses", vector)
        page.keyboard.press("Shift+B")
        page.locator("dialog input").first.fill(typed if ":" in typed[:12] else f"http://127.0.0.1:1/{typed}")
        page.keyboard.press("Enter")
        page.locator("dialog.alert[open]").wait_for()
        page.locator("dialog.alert button").last.click()

    # The search for emoji, and what is pasted.
    page.locator("#find").fill(scripts.next("searches", VECTORS[0]))
    page.get_by_text("Nothing fits").wait_for()
    page.locator("#find").fill("")
    before = page.evaluate("studio.shown()")
    label = {"text": scripts.next("pastes", VECTORS[12]), "x": 5, "y": 5, "size": 20}
    page.evaluate("""([html, label]) => {
      const paste = (type, text) => {
        const data = new DataTransfer();
        data.setData(type, text);
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
        // A script's event has no data of its own in Firefox.
        Object.defineProperty(event, 'clipboardData', { value: data });
        document.body.dispatchEvent(event);
      };
      paste('text/plain', html);
      paste('text/html', html);
      paste('application/x-emojiart+json', JSON.stringify({ emojiart: 1, labels: [label, { ...label, kind: 'caption', box: [1, 1] }] }));
    }""", [scripts.next("pastes", VECTORS[11]), label])
    # No document can have the one that is an emoji, so it is left out; the words that came as text and the caption are there.
    page.get_by_text("1 pasted emoji was left out").wait_for()
    page.wait_for_function("before => studio.shown() === before + 2 && studio.status.pending === 0", arg=before)

    # Other pages, which select what this one shows, and remove what it drags.
    peers = []
    for vector in ["<img src=x onerror=X(N)>", '" onmouseover=X(N) x="']:
        name = scripts.next("names of pages", vector)
        document = os.path.basename(studio.document)
        peers.append(hostile_program(studio, name, studio.run("serve", f"{studio.folder}/art", "--link").strip(), {"open": document, "tag": "1"}))
        page.wait_for_function("name => [...document.querySelectorAll('.peer')].some((peer) => peer.title === name)", arg=name)
    page.locator(".peer").first.hover()
    remover = scripts.next("authors", "<img src=x onerror=X(N)>")
    bees = [emoji for emoji in studio.shown() if emoji["text"].startswith("<iframe onload")]
    page.locator("#stage").focus()
    page.keyboard.press("Control+a")
    page.keyboard.down("ArrowDown")
    page.wait_for_function("() => studio.selected.length > 0")
    studio.environment["EMOJIART_AUTHOR"] = remover
    studio.run("remove", studio.document, bees[0]["id"])
    del studio.environment["EMOJIART_AUTHOR"]
    page.get_by_text(f"{remover} removed").wait_for()
    page.keyboard.up("ArrowDown")
    page.keyboard.press("Escape")
    return peers


def rename(studio, watched, scripts):
    """The document gets another name while it is shown."""
    renamed = scripts.next("names of documents", "'><b onmouseover=X(N)>")
    os.rename(studio.document, f"{studio.folder}/art/{renamed}.emojiart")
    studio.document = f"{studio.folder}/art/{renamed}.emojiart"
    watched.page.get_by_text(f"The document is now called {renamed}").wait_for()


def browse(studio, watched, scripts):
    """Documents, damaged ones, folders, and files that are brought in: their names are scripts, and so is what a report quotes of them."""
    page, folder = watched.page, f"{studio.folder}/art"
    usable = [vector for vector in VECTORS if "/" not in vector and "\\" not in vector]
    for index, vector in enumerate(usable):
        path = f"{folder}/{scripts.next('names of documents', vector)}.emojiart"
        studio.run("new", path)
        if index % 4 == 0:
            with open(path, "r+b") as file:
                file.seek(100)
                file.write(b"<img src=x onerror=X(0)>" * 100)
    os.mkdir(f"{folder}/" + scripts.next("names of folders", "<img src=x onerror=X(N)>"))
    page.keyboard.press("Control+o")
    grid = page.get_by_role("grid", name="Documents")
    grid.wait_for()
    page.locator("#documents .folder").wait_for()
    page.locator("#documents .cell").first.focus()

    def walk():
        """The documents that the focus comes through: each cell is drawn, with its picture or why there is none."""
        seen = set()
        page.keyboard.press("Home")
        while (name := page.evaluate("document.activeElement.dataset.name")) not in seen:
            seen.add(name)
            page.keyboard.press("ArrowRight")
        return len(seen)

    # The server may have noticed the last of them a moment later.
    studio.wait(lambda: walk() == len(usable) + 1, "all documents")
    damaged = page.locator("#documents .cell:has(.badge[data-state=damaged])").first
    damaged.wait_for()
    damaged.click()
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    # The field of a name, a note with a way back, and what was not brought in.
    page.locator("#documents .cell").last.focus()
    page.keyboard.press("F2")
    page.locator("#documents .name input").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Put back").click()
    page.locator("#documents input[type=search]").fill(scripts.next("searches", VECTORS[11]))
    page.keyboard.press("Escape")
    given = f"{studio.folder}/given"
    os.makedirs(given)
    chosen = []
    for end, content in [("emojiart", b"<script>X(0)</script>"), ("png", b"<svg onload=X(0)>"), ("txt", b"")]:
        chosen.append(f"{given}/{scripts.next('names of files', '<img src=x onerror=X(N)>')}.{end}")
        with open(chosen[-1], "wb") as file:
            file.write(content)
    page.locator("#documents input[type=file]").set_input_files(chosen)
    report = page.locator("dialog[open]")
    report.get_by_text("was not imported").first.wait_for()
    assert report.inner_text().count("onerror") >= len(chosen), report.inner_text()
    page.keyboard.press("Escape")


def export(studio, watched, scripts):
    """The export that browsers could run: opened as a page of its own, without a policy."""
    page = watched.page
    page.keyboard.press("Control+Shift+E")
    page.locator("dialog select").first.select_option("svg")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    path = f"{studio.folder}/export.svg"
    download.value.save_as(path)
    for element in xml.etree.ElementTree.parse(path).iter():
        assert "script" not in element.tag.lower() and "foreignObject" not in element.tag, element.tag
        for name, value in element.attrib.items():
            # A label is read aloud, and leads nowhere.
            assert not re.match(r"(\{.*\})?on", name.lower()) and (name == "aria-label" or "javascript" not in value.lower()), (name, value)
    opened = Watched(studio, f"file://{path}", is_open=False)
    assert not opened.ran() and not opened.errors, (opened.ran(), opened.errors)


def control(studio, link):
    """Markup made of the same texts: it runs without the policy of the page, and not with it."""
    make_markup = """() => {
      const texts = [...document.querySelectorAll('[role=option]')].map((option) => option.getAttribute('aria-label'));
      let refused = 0;
      for (const text of texts) {
        const element = document.createElement('div');
        try { element.innerHTML = text } catch { refused += 1 }
        document.body.append(element);
      }
      return refused;
    }"""
    free = Watched(studio, link(), bypass_csp=True)
    free.wait_for_texts()
    assert free.page.evaluate(make_markup) == 0
    free.page.wait_for_function("() => new Set(ran).size >= 15")
    bound = Watched(studio, link())
    bound.wait_for_texts()
    refused = bound.page.evaluate(make_markup)
    bound.page.wait_for_function("() => violations.length > 0")
    assert refused > 2 * len(VECTORS) - 8 and not bound.ran(), (refused, bound.ran())
    return len(set(free.ran())), refused


def stored_scripts(studio):
    scripts = Scripts()
    make(studio, scripts)
    watched = Watched(studio, studio.serve())
    link = lambda: studio.run("serve", f"{studio.folder}/art", "--link").strip()
    peers = show_everything(studio, watched, scripts, link)
    export(studio, watched, scripts)
    ran, refused = control(studio, link)
    rename(studio, watched, scripts)
    browse(studio, watched, scripts)
    try:
        assert not watched.ran(), f"ran: {watched.ran()}"
        assert not watched.violations(), f"tried to run: {watched.violations()}"
        # Browsers tell of refused uploads and of pictures that cannot be drawn.
        errors = [text for text in watched.errors if not text.startswith("Failed to load resource: the server responded with")]
        assert not watched.dialogs and not errors, (watched.dialogs, errors)
        # The texts are there, as texts.
        markup = watched.page.evaluate("document.querySelectorAll('[onerror], [onload], [onclick], [onfocus], [onmouseover], iframe, object, embed, img[src=x]').length")
        assert markup == 0, markup
    finally:
        for peer in peers:
            peer.kill()
            peer.wait()
    places = ", ".join(f"{place} {count}" for place, count in scripts.counts.items())
    assert scripts.total() > 250, scripts.total()
    print(f"H7 stored scripts: {scripts.total()} tried ({places}), 0 ran; the control ran {ran} of them without the policy, and {refused} were refused with it")
