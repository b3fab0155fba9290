# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about the document browser: folders, thumbnails, whole documents, and where it is on which page."""
import io, json, os, re, signal, sqlite3, subprocess, time, zipfile
from studio import Pictures, drag, place, png, ready

FIXTURES = os.path.join(os.path.dirname(__file__), "../../Fixtures")


def folder(studio, names, **options):
    """A page that shows a folder with these documents, each with an emoji, and nothing open."""
    os.remove(studio.document)
    for name in names:
        make(studio, name)
    studio.served = f"{studio.folder}/art"
    page = studio.page(**options)
    page.get_by_role("grid", name="Documents").wait_for()
    return page


def make(studio, name, emoji="🐝"):
    path = f"{studio.folder}/art/{name}.emojiart"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    studio.run("new", path, "--canvas", "640x480")
    studio.run("add", path, emoji, "--at", "320,240", "--size", "200")
    return path


def cell(page, name):
    """The cell of a document; its name may end with its state."""
    return page.get_by_role("gridcell", name=re.compile(f"^{re.escape(name)}(,|$)"))


def names(page):
    return page.evaluate("[...document.querySelectorAll('#documents .cell')].map(e => [+e.parentElement.ariaRowIndex, +e.ariaColIndex, e.querySelector('bdi')?.textContent]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(e => e[2])")


def shows(page, wanted):
    page.wait_for_function("wanted => { const cells = [...document.querySelectorAll('#documents .cell bdi')].map(e => e.textContent); return cells.length === wanted.length && wanted.every(e => cells.includes(e)) }", arg=wanted)


def picture(page, name):
    """The address of a document's thumbnail, when it is there."""
    cell(page, name).locator("img").wait_for()
    return cell(page, name).locator("img").get_attribute("src")


def opened(page, name):
    page.wait_for_function("name => document.getElementById('name').textContent === name && document.getElementById('status').dataset.state === 'saved'", arg=name)


def search(page, words):
    """Types words into the search, and waits until the page shows what they find instead of what it showed before."""
    page.locator("#find").fill(words)
    page.locator("#found:not([aria-busy])").wait_for()


def tap(page, locator):
    """Taps once. A touch whose end waits for a slow page becomes a long press, after which no click comes: then a person taps again."""
    for _ in range(20):
        # The click of an earlier touch may come now: only what follows this touch counts. One that only comes late is waited for.
        page.evaluate("""() => {
          window.touched = new Promise((resolve) => {
            setTimeout(resolve, 60_000)
            addEventListener('pointerdown', () => {
              for (const kind of ['click', 'contextmenu']) addEventListener(kind, () => resolve(kind), { capture: true, once: true })
              setTimeout(resolve, 10_000)
            }, { capture: true, once: true })
          })
        }""")
        locator.tap()
        if page.evaluate("() => touched") == "click":
            return
    raise AssertionError("no tap became a click")


def menu(page, name, item):
    cell(page, name).get_by_role("button", name=re.compile("^What to do")).click()
    page.get_by_role("menuitem", name=item).click()


def dialog(page):
    return page.get_by_role("dialog")


def browses_and_opens(studio):
    """Documents in natural order; a click opens one; beside it others are opened, and each edit is of the one that is shown."""
    page = folder(studio, ["Sheet 10", "Sheet 9", "äpfel", "Zoo"])
    shows(page, ["äpfel", "Sheet 9", "Sheet 10", "Zoo"])
    assert names(page) == ["äpfel", "Sheet 9", "Sheet 10", "Zoo"], names(page)
    cell(page, "Zoo").click()
    opened(page, "Zoo")
    page.keyboard.press("Control+o")
    page.wait_for_function("() => document.body.dataset.documents === 'beside'")
    cell(page, "Sheet 9").click()
    opened(page, "Sheet 9")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    cell(page, "äpfel").click()
    opened(page, "äpfel")
    counts = {name: len(json.loads(studio.run("show", f"{studio.folder}/art/{name}.emojiart", "--json"))["emojis"]) for name in ["Zoo", "Sheet 9", "äpfel"]}
    assert counts == {"Zoo": 1, "Sheet 9": 0, "äpfel": 1}, counts
    page.reload()
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    opened(page, "äpfel")
    page.wait_for_function("() => document.body.dataset.documents === 'beside'")


def thumbnails_follow(studio):
    """Saves, new documents, renames and removals of others are seen; the focus stays with a renamed document."""
    page = folder(studio, ["ants", "bees"])
    before = picture(page, "bees")
    studio.run("add", f"{studio.folder}/art/bees.emojiart", "🌸", "--at", "100,100", "--size", "150")
    page.wait_for_function("before => [...document.querySelectorAll('#documents img')].every(e => e.src !== before)", arg=before)
    picture(page, "bees")
    make(studio, "cats")
    shows(page, ["ants", "bees", "cats"])
    cell(page, "bees").focus()
    os.rename(f"{studio.folder}/art/bees.emojiart", f"{studio.folder}/art/wasps.emojiart")
    shows(page, ["ants", "cats", "wasps"])
    page.wait_for_function("() => document.activeElement.dataset.name === 'wasps.emojiart'")
    os.remove(f"{studio.folder}/art/ants.emojiart")
    shows(page, ["cats", "wasps"])


def a_press_outlasts_changes(studio):
    """A press on a document, or on a folder, is a click, although what is shown of it changes before its end."""
    page = folder(studio, ["ants", "bees", "hive/wasps"])
    shows(page, ["ants", "bees"])
    before = picture(page, "bees")

    def pressed(locator, change):
        box = locator.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
        page.mouse.down()
        change()
        page.mouse.up()

    def edited():
        studio.run("add", f"{studio.folder}/art/bees.emojiart", "🌸", "--at", "100,100", "--size", "150")
        page.wait_for_function("before => document.querySelector('[data-name=\"bees.emojiart\"] img').src !== before", arg=before)

    def joined():
        make(studio, "nest/moths")
        page.get_by_role("button", name="nest", exact=True).wait_for()

    pressed(cell(page, "bees"), edited)
    opened(page, "bees")
    page.keyboard.press("Control+o")
    pressed(page.get_by_role("button", name="hive", exact=True), joined)
    shows(page, ["wasps"])


def a_press_outlasts_an_order(studio):
    """A press on a document is a click on it, although others come and go, and its place in the order changes, before its end."""
    page = folder(studio, ["ants", "bees", "cats"])
    page.get_by_role("button", name="Sort").click()
    page.get_by_role("menuitemcheckbox", name="Last change").click()
    studio.run("add", f"{studio.folder}/art/ants.emojiart", "🌸", "--at", "100,100")
    page.wait_for_function("() => document.querySelector('#documents [aria-colindex=\"1\"] bdi').textContent === 'ants'")
    placed = names(page)
    before = picture(page, placed[-1])
    box = cell(page, placed[-1]).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.down()
    os.remove(f"{studio.folder}/art/{placed[1]}.emojiart")
    make(studio, "moths")
    studio.run("add", f"{studio.folder}/art/{placed[-1]}.emojiart", "🌸", "--at", "100,100", "--size", "150")
    page.wait_for_function("([name, before]) => document.querySelector(`[data-name='${name}.emojiart'] img`).src !== before", arg=[placed[-1], before])
    page.mouse.up()
    opened(page, placed[-1])
    page.keyboard.press("Control+o")
    shows(page, [placed[-1], "moths", "ants"])
    assert names(page) == [placed[-1], "moths", "ants"], names(page)
    # Nothing is clicked: the order changes when the pointer is released elsewhere.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.down()
    studio.run("add", f"{studio.folder}/art/ants.emojiart", "🌼", "--at", "100,100")
    page.mouse.move(5, 5)
    page.mouse.up()
    page.wait_for_function("() => document.querySelector('#documents [aria-colindex=\"1\"] bdi').textContent === 'ants'")


def only_seen_is_drawn(studio):
    """Of 400 documents only those that are seen have elements and pictures, and what is passed quickly is not asked for."""
    os.remove(studio.document)
    first = make(studio, "Document 1")
    content = open(first, "rb").read()
    for number in range(2, 401):
        with open(f"{studio.folder}/art/Document {number}.emojiart", "wb") as copy:
            copy.write(content)
    studio.served = f"{studio.folder}/art"
    # Copies have one picture, so each gets an edit of its own when it is to be told apart: here every request counts by its document.
    for number in [1, 2, 3, 200, 399, 400]:
        studio.run("add", f"{studio.folder}/art/Document {number}.emojiart", "🌸", "--at", f"{number},100")
    page = studio.blank()
    asked = []
    page.on("request", lambda request: "/thumbnail" in request.url and asked.append(request.url))
    page.goto(studio.serve())
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    picture(page, "Document 3")
    seen = page.locator("#documents .cell").count()
    assert 10 < seen < 80, seen
    # Documents 1 to 3, and the state that all copies share.
    assert len(asked) == 4, asked
    page.evaluate("() => { const s = document.querySelector('.scroller'); for (let i = 1; i < 40; i++) s.scrollTop = s.scrollHeight * i / 40; s.scrollTop = s.scrollHeight }")
    picture(page, "Document 400")
    assert page.locator("#documents .cell").count() < 80
    assert len(asked) == 6 and not any("200." in url for url in asked), asked


def whole_documents(studio):
    """Rename, duplicate, delete and put back: by keys, by the menu, and several at once."""
    page = folder(studio, ["ants", "bees", "cats"])
    cell(page, "bees").focus()
    page.keyboard.press("F2")
    page.keyboard.type("wasps")
    page.keyboard.press("Enter")
    shows(page, ["ants", "wasps", "cats"])
    assert os.path.exists(f"{studio.folder}/art/wasps.emojiart")
    menu(page, "cats", "Duplicate")
    shows(page, ["ants", "wasps", "cats", "cats copy"])
    cell(page, "ants").focus()
    page.keyboard.press("F2")
    page.keyboard.type("cats")
    page.keyboard.press("Enter")
    page.get_by_text("exists already").first.wait_for()
    shows(page, ["ants", "wasps", "cats", "cats copy"])
    page.keyboard.press("Control+a")
    page.get_by_text("4 selected").wait_for()
    page.keyboard.press("Delete")
    shows(page, [])
    page.get_by_text("4 documents are in the trash").wait_for()
    page.get_by_role("button", name="Put back").click()
    shows(page, ["ants", "wasps", "cats", "cats copy"])
    menu(page, "wasps", "Delete")
    shows(page, ["ants", "cats", "cats copy"])
    page.get_by_role("button", name="Put back").click()
    shows(page, ["ants", "wasps", "cats", "cats copy"])
    assert len(json.loads(studio.run("show", f"{studio.folder}/art/wasps.emojiart", "--json"))["emojis"]) == 1


def deletes_the_open_one(studio):
    """The document that is open is deleted with all its edits, and put back with them."""
    page = folder(studio, ["ants", "bees"])
    cell(page, "bees").click()
    opened(page, "bees")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+d")
    page.keyboard.press("Control+o")
    menu(page, "bees", "Delete")
    shows(page, ["ants"])
    page.wait_for_function("() => document.body.dataset.documents === 'whole'")
    page.get_by_role("button", name="Put back").click()
    shows(page, ["ants", "bees"])
    cell(page, "bees").click()
    opened(page, "bees")
    assert len(json.loads(studio.run("show", f"{studio.folder}/art/bees.emojiart", "--json"))["emojis"]) == 2


def folders(studio):
    """Folders are made, entered and left, and documents are moved into them; hidden ones and links are not shown."""
    page = folder(studio, ["ants", "posters/bees"])
    os.makedirs(f"{studio.folder}/art/.hidden")
    os.symlink("/tmp", f"{studio.folder}/art/link")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="New folder…").click()
    dialog(page).get_by_role("textbox").fill("old")
    page.keyboard.press("Enter")
    page.get_by_text("No documents yet").wait_for()
    page.get_by_role("navigation", name="Folder").get_by_role("button", name="art").click()
    shows(page, ["ants"])
    assert page.get_by_role("list", name="Folders").get_by_role("button").all_inner_texts() == ["old", "posters"]
    menu(page, "ants", "Move to…")
    page.get_by_role("menuitem", name="posters").click()
    shows(page, [])
    page.get_by_role("button", name="posters").click()
    shows(page, ["ants", "bees"])
    cell(page, "ants").click()
    opened(page, "ants")
    assert os.path.exists(f"{studio.folder}/art/posters/ants.emojiart")


def searches_and_sorts(studio):
    page = folder(studio, ["Café", "Bees", "ants"])
    page.get_by_role("searchbox", name="Search").fill("cafe")
    shows(page, ["Café"])
    page.get_by_role("searchbox", name="Search").fill("nothing")
    page.get_by_text("Nothing fits").wait_for()
    page.keyboard.press("Escape")
    shows(page, ["ants", "Bees", "Café"])
    page.get_by_role("button", name="Sort").click()
    page.get_by_role("menuitemcheckbox", name="Last change").click()
    page.wait_for_function("() => document.querySelector('#documents .cell bdi').textContent === 'ants'")
    assert names(page) == ["ants", "Bees", "Café"], names(page)
    studio.run("add", f"{studio.folder}/art/Café.emojiart", "🌸")
    page.wait_for_function("() => document.querySelector('#documents [aria-colindex=\"1\"] bdi').textContent === 'Café'")


def new_documents(studio):
    """Of a size, and from a template, whose history does not come along."""
    page = folder(studio, ["ants", "templates/badge"])
    page.get_by_role("button", name="New", exact=True).click()
    dialog(page).get_by_role("textbox").fill("Story of bees")
    dialog(page).get_by_role("radio", name="Story").check()
    page.keyboard.press("Enter")
    opened(page, "Story of bees")
    assert json.loads(studio.run("show", f"{studio.folder}/art/Story of bees.emojiart", "--json"))["canvas"] == {"height": 1920, "width": 1080}
    page.keyboard.press("Alt+n")
    dialog(page).get_by_role("radio", name="badge").check()
    dialog(page).locator("img").wait_for()
    page.keyboard.press("Enter")
    opened(page, "Untitled")
    made = f"{studio.folder}/art/Untitled.emojiart"
    assert [e["text"] for e in json.loads(studio.run("show", made, "--json"))["emojis"]] == ["🐝"]
    assert "🐝" not in studio.run("history", made), studio.run("history", made)
    page.keyboard.press("Alt+n")
    page.wait_for_function("() => document.activeElement.closest('dialog[open]')")
    page.keyboard.press("Enter")
    opened(page, "Untitled 2")


def imports(studio):
    """Ours, an EmojiArt document with its report, a picture, and what is none of these."""
    page = folder(studio, ["ants"])
    work = f"{studio.folder}/given"
    os.makedirs(work)
    copy = open(f"{studio.folder}/art/ants.emojiart", "rb").read()
    for name, content in [("ants.emojiart", copy), ("broken.emojiart", copy[:3000]), ("notes.txt", b"nothing")]:
        open(f"{work}/{name}", "wb").write(content)
    chosen = [f"{work}/ants.emojiart", f"{FIXTURES}/exchange/2017-any-text.emojiart", f"{FIXTURES}/images/exif.jpg", f"{work}/broken.emojiart", f"{work}/notes.txt"]
    chosen = [path for path in chosen if os.path.exists(path)]
    page.locator("#documents input[type=file]").set_input_files(chosen)
    report = dialog(page)
    report.get_by_text("documents imported").wait_for()
    text = report.inner_text()
    assert "broken.emojiart was not imported" in text and "notes.txt was not imported" in text and "left out" in text, text
    page.keyboard.press("Escape")
    cell(page, "ants 2").wait_for()
    cell(page, "2017-any-text").wait_for()
    assert sorted(os.listdir(f"{studio.folder}/art")) == sorted(f"{name}.emojiart" for name in names(page)), "nothing is left beside them"


def exports_many(studio):
    """Several documents come in one archive, one as it is."""
    page = folder(studio, ["ants", "bees"])
    cell(page, "ants").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("toolbar", name="Selected documents").get_by_role("button", name="Export…").click()
    with page.expect_download() as download:
        dialog(page).get_by_role("button", name="Download").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None and sorted(archive.namelist()) == ["ants.png", "bees.png"], archive.namelist()
        assert archive.read("ants.png").startswith(b"\x89PNG")
    page.keyboard.press("Escape")
    menu(page, "bees", "Export…")
    dialog(page).get_by_role("combobox").first.select_option("document")
    with page.expect_download() as download:
        dialog(page).get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "bees.emojiart"
    assert len(json.loads(studio.run("show", str(download.value.path()), "--json"))["emojis"]) == 1


def damage(path):
    """Changes a row behind the document's back."""
    with sqlite3.connect(path) as file:
        file.execute("update emoji set sum = sum + 1")
    file.close()


def kill(studio, path):
    """A program is killed that has made an edit of the document, and not saved it."""
    killed = subprocess.run(
        [f"{studio.programs}/emojiart", "edit", path, "--json", "--autosave-delay", "3600", "--simulate-kill-after", "1"],
        env=studio.environment, input='{"add":{"text":"🌸"}}\n', capture_output=True, text=True)
    assert killed.returncode != 0, killed


def states(studio):
    """A damaged document is told when its picture cannot be drawn, and repaired; edits of a killed program are told, and restored."""
    os.remove(studio.document)
    damage(make(studio, "ants"))
    bees = make(studio, "bees")
    kill(studio, bees)
    studio.served = f"{studio.folder}/art"
    make(studio, "cats")
    page = studio.page()
    cell(page, "ants, Damaged").wait_for()
    cell(page, "bees, Unsaved edits").wait_for()
    # No event tells of it: whoever comes back to the page sees it.
    kill(studio, f"{studio.folder}/art/cats.emojiart")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    cell(page, "cats, Unsaved edits").wait_for()
    cell(page, "ants").click()
    dialog(page).get_by_role("button", name="Repair").click()
    page.get_by_text("ants is repaired").wait_for()
    page.get_by_role("gridcell", name="ants", exact=True).wait_for()
    cell(page, "bees").click()
    opened(page, "bees")
    page.get_by_text("that a program had not saved").wait_for()
    assert len(json.loads(studio.run("show", bees, "--json"))["emojis"]) == 2
    page.keyboard.press("Control+o")
    page.get_by_role("gridcell", name="bees", exact=True).wait_for()


def conflict_copies(studio):
    """A conflict copy is merged into its document by itself in a folder that Syncthing carries; one that has parted stays, as one, and is not edited."""
    os.remove(studio.document)
    bees, ants = make(studio, "bees"), make(studio, "ants")
    os.mkdir(f"{studio.folder}/art/.stfolder")
    mark = ".sync-conflict-20261122-131350-GT4PTP5"
    with open(bees, "rb") as file:
        base = file.read()
    studio.run("add", bees, "🌸")
    studio.served = f"{studio.folder}/art"
    page = studio.page()
    shows(page, ["ants", "bees"])
    # Another machine has edited the same state.
    other = f"{studio.folder}/other.emojiart"
    with open(other, "wb") as file:
        file.write(base)
    studio.run("add", other, "🐛")
    os.rename(other, f"{studio.folder}/art/bees{mark}.emojiart")
    cell(page, "bees").click()
    opened(page, "bees")
    studio.until("the other machine's edit", lambda emojis: len(emojis) == 3)
    # One that comes while the document is open is told.
    with open(other, "wb") as file:
        file.write(base)
    studio.run("add", other, "🐞")
    os.rename(other, f"{studio.folder}/art/bees{mark.replace('50-GT', '51-GT')}.emojiart")
    page.get_by_text("An edit of another copy was merged in", exact=True).wait_for()
    page.keyboard.press("Control+o")
    shows(page, ["ants", "bees"])
    # What another program has written is in no log.
    with open(ants, "rb") as file:
        base = file.read()
    connection = sqlite3.connect(ants)
    connection.execute("UPDATE emoji SET json = json_set(json, '$.x', 77)")
    connection.commit()
    connection.close()
    studio.run("check", ants, "--adopt", "--yes")
    with open(f"{studio.folder}/art/ants{mark}.emojiart", "wb") as file:
        file.write(base)
    copy = page.get_by_role("gridcell", name=re.compile("Conflict copy"))
    copy.wait_for()
    copy.click()
    page.get_by_text("is a conflict copy of").wait_for()


def asks_before_merging(studio):
    """Where no program is known to carry the folder, the page asks before it merges a copy that lies beside its document."""
    os.remove(studio.document)
    bees = make(studio, "bees")
    with open(bees, "rb") as file:
        base = file.read()
    studio.served = f"{studio.folder}/art"
    page = studio.page()
    shows(page, ["bees"])
    cell(page, "bees").click()
    opened(page, "bees")
    copy = f"{studio.folder}/art/bees (conflicted copy 2026-11-22 131350).emojiart"
    other = f"{studio.folder}/other.emojiart"
    with open(other, "wb") as file:
        file.write(base)
    studio.run("add", other, "🐛")
    os.rename(other, copy)
    page.get_by_text("A copy of this document with other edits lies beside it", exact=True).wait_for()
    studio.until("the document as it was", lambda emojis: len(emojis) == 1)
    page.get_by_role("button", name="Merge", exact=True).click()
    studio.until("the copy's edit", lambda emojis: len(emojis) == 2)
    studio.wait(lambda: not os.path.exists(copy), "the removal of the copy, which follows the save")


def nothing_is_lost_between(studio):
    """What is pending keeps the page at its document, until the server has it."""
    make(studio, "ants")
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    page.keyboard.press("Control+o")
    cell(page, "ants").wait_for()
    # Everything that the server sends from now on waits.
    page.evaluate("() => { line.holdsReceived = '{' }")
    x, y = place(page, {"x": 320, "y": 240})
    drag(page, (x, y), (x + 80, y), ["Control"])
    page.wait_for_function("() => studio.status.pending == 1")
    cell(page, "ants").click()
    page.wait_for_function("() => line.held.length > 0")
    assert page.locator("#name").inner_text() == "bees"
    page.evaluate("() => line.release()")
    opened(page, "ants")
    assert studio.shown()[0]["x"] > 330, "the drag is in the document that it was made in"
    cell(page, "bees").click()
    opened(page, "bees")


def fetches_for_a_left_document(studio):
    """A picture on its way to a document that is left is set when it has come. One that is refused is told with the document's name."""

    def fetch(address):
        page.keyboard.press("Shift+B")
        page.get_by_label("Address").fill(address)
        page.get_by_label("It is on this machine").check()
        page.keyboard.press("Enter")
        page.get_by_text(re.compile(r"Fetching the picture: \d+ kB")).wait_for()

    def leave():
        cell(page, "ants").click()
        opened(page, "ants")
        page.get_by_text("The picture of bees is still being fetched.").wait_for()
        page.get_by_text("Fetching the picture").wait_for(state="hidden")

    make(studio, "ants")
    page = studio.page()
    page.keyboard.press("Control+o")
    cell(page, "ants").wait_for()
    picture, text = Pictures(png(400), held=True), Pictures(b"no picture " * 9_000, held=True)
    again, last = Pictures(png(300), held=True), Pictures(png(200), held=True)
    try:
        fetch(f"{picture.url}/a.png")
        leave()
        assert studio.shown("background") is None
        picture.mayEnd.set()
        studio.until("the picture", lambda b: b and b["url"] == f"{picture.url}/a.png", "background")
        cell(page, "bees").click()
        opened(page, "bees")
        fetch(f"{text.url}/b.png")
        leave()
        text.mayEnd.set()
        page.get_by_text("The background of bees stays as it was.").wait_for()
        assert studio.shown("background")["url"] == f"{picture.url}/a.png"
        assert page.get_by_role("alertdialog").count() == 0, "the alert is for the document that is seen"
        # Somebody comes back before the picture, and then leaves for good.
        cell(page, "bees").click()
        opened(page, "bees")
        fetch(f"{again.url}/c.png")
        leave()
        cell(page, "bees").click()
        opened(page, "bees")
        again.mayEnd.set()
        studio.until("the picture", lambda b: b and b["url"] == f"{again.url}/c.png", "background")
        fetch(f"{last.url}/d.png")
        page.context.close()
        last.mayEnd.set()
        studio.until("the picture", lambda b: b and b["url"] == f"{last.url}/d.png", "background")
    finally:
        for pictures in [picture, text, again, last]:
            pictures.close()


def by_keys(studio):
    """From the folder to another document and back, without a pointer."""
    page = folder(studio, [f"Document {number}" for number in range(1, 13)])
    page.wait_for_function("() => document.activeElement.role === 'gridcell' || document.activeElement.getAttribute('role') === 'gridcell'")
    focused = lambda: page.evaluate("document.activeElement.dataset.name")
    assert focused() == "Document 1.emojiart", focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    columns = int(page.get_by_role("grid", name="Documents").get_attribute("aria-colcount"))
    assert focused() == f"Document {2 + columns}.emojiart", focused()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_text("2 selected").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    assert focused() == "Document 12.emojiart"
    page.keyboard.type("document 3")
    assert focused() == "Document 3.emojiart", focused()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Rename…").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.closest('[role=gridcell]')")
    cell(page, "Document 3").focus()
    page.keyboard.press("Enter")
    opened(page, "Document 3")
    page.keyboard.press("Control+o")
    page.wait_for_function("() => document.activeElement.closest('#documents')")


def deletes_in_a_subfolder(studio):
    """A page that began with a document stays in that document's folder when it is deleted: a document of the same name in the served folder is another one."""
    page = folder(studio, ["wasps", "posters/ants", "posters/wasps"])
    page.get_by_role("list", name="Folders").get_by_role("button", name="posters").click()
    shows(page, ["ants", "wasps"])
    cell(page, "ants").click()
    opened(page, "ants")
    page.reload()
    ready(page)
    opened(page, "ants")
    page.keyboard.press("Control+o")
    shows(page, ["ants", "wasps"])
    cell(page, "ants").focus()
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Put back").wait_for()
    page.wait_for_function("() => performance.getEntriesByType('resource').some(each => each.name.endsWith('/filing.js') && each.responseEnd)")
    shows(page, ["wasps"])
    assert page.locator("#documents .path h2").inner_text() == "posters"
    cell(page, "wasps").focus()
    page.keyboard.press("Delete")
    page.locator("#documents .empty:not([hidden])").wait_for()
    assert not os.path.exists(f"{studio.folder}/art/posters/wasps.emojiart") and os.path.exists(f"{studio.folder}/art/wasps.emojiart")


def renamed_while_it_is_renamed(studio):
    """Another program takes the document whose name is being edited: the grid goes on."""
    page = folder(studio, ["ants", "bees", "cats"])
    cell(page, "bees").focus()
    page.keyboard.press("F2")
    page.locator("#documents .name input").wait_for()
    os.rename(f"{studio.folder}/art/bees.emojiart", f"{studio.folder}/art/wasps.emojiart")
    shows(page, ["ants", "cats", "wasps"])
    cell(page, "ants").click()
    opened(page, "ants")
    assert not os.path.exists(f"{studio.folder}/art/bees.emojiart")


def gone_document(studio):
    """A link of a document that cannot be opened opens no other one; the documents are shown."""
    studio.serve()
    studio.run("new", f"{studio.folder}/art/ants")
    link = studio.run("serve", f"{studio.folder}/art/ants").strip()
    os.remove(f"{studio.folder}/art/ants.emojiart")
    page = studio.blank()
    page.goto(link)
    page.get_by_text("ants.emojiart cannot be opened").first.wait_for()
    assert page.locator("#status").inner_text() == "No document"
    cell(page, "bees").click()
    opened(page, "bees")


SIZES = [(320, 568), (390, 844), (599, 800), (600, 800), (640, 480), (844, 390), (568, 320), (768, 1024), (999, 700), (1000, 700), (1280, 800), (2560, 1440)]


def layouts(studio):
    """At each size the page is laid out as the rule says; the same document stays open, and nothing is beside the page."""
    make(studio, "ants")
    page = studio.page()
    page.keyboard.press("Control+o")
    page.wait_for_function("() => document.body.dataset.documents === 'beside'")
    page.evaluate("import('/layout.js').then(module => { window.layoutModule = module })")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("""([width, height]) => {
          const { browserPlace, layoutOf } = layoutModule;
          const layout = layoutOf(width, height);
          const style = name => getComputedStyle(document.querySelector(name));
          const palette = style('#emoji').position === 'fixed' ? (height < 480 ? 'side' : 'sheet') : 'panel';
          const tools = style('.tools').position === 'fixed' ? (style('.tools').flexDirection === 'column' ? 'side' : 'bottom') : 'bar';
          const place = browserPlace(layout, { isOpen: true, isWanted: true, isOnTop: false });
          return innerWidth === width && palette === layout.palette && tools === layout.tools && document.body.dataset.documents === place
            && document.documentElement.scrollWidth <= width && document.getElementById('name').textContent === 'bees';
        }""", arg=[width, height])
        outside = page.evaluate("""() => [...document.querySelectorAll('button, input')].filter(e => {
          const box = e.getBoundingClientRect();
          const isHidden = !box.width || getComputedStyle(e).visibility === 'hidden' || e.closest('[inert], #selection, #found, .tools, .scroller');
          return !isHidden && (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1);
        }).map(e => e.outerHTML.slice(0, 80))""")
        assert not outside, (width, height, outside)


def sheet_by_touch(studio):
    """The sheet has two heights, by a drag and by taps; what is placed is seen above it."""
    page = studio.page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    fingers = studio.browser.fingers(page)
    tap(page, page.get_by_role("button", name="Add emoji"))
    page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'half'")
    page.locator("#found button").first.wait_for()
    tap(page, page.locator("#found button").nth(2))
    placed = studio.until("an emoji", lambda e: len(e) == 1)[0]
    seen = page.evaluate("([x, y]) => { const c = studio.camera; return [c.top + c.y + y * c.zoom, document.getElementById('emoji').getBoundingClientRect().top] }", [placed["x"], placed["y"]])
    assert seen[0] < seen[1], seen
    box = page.locator(".grip").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers.down((x, y))
    for at in [y - 60, 200, 150]:
        fingers.move((x, at))
    fingers.up()
    page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'full'")
    # Chromium makes no click of a tap that comes within a moment of a drag.
    page.wait_for_function("() => !document.getElementById('emoji').getAnimations().length")
    tap(page, page.locator(".grip"))
    page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'half'")


def goes_back_in_time(studio):
    """The slider shows the art at each edit, nothing is edited meanwhile, and going back is one edit and one undo."""
    studio.run("add", studio.document, "🐝", "--at", "320,240", "--size", "100")
    studio.run("move", studio.document, "🐝", "--to", "100,100")
    studio.run("add", studio.document, "🌸", "--at", "500,400", "--size", "60")
    page = studio.page()
    page.keyboard.press("Control+Shift+h")
    slider = page.get_by_role("slider", name="Through time")
    page.wait_for_function("() => document.querySelector('#history input')?.max === '3'")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.get_by_text("As it was after: add 🐝").wait_for()
    page.locator(".past img").wait_for()
    # A key that would edit shows the present, and edits nothing.
    page.keyboard.press("Home")
    page.get_by_text("As it was after: Before the oldest edit that is known").wait_for()
    page.locator("#options").focus()
    page.keyboard.press("Control+a")
    page.locator(".past").wait_for(state="hidden")
    page.locator("#history .what").last.click()
    page.get_by_text("As it was after: add 🐝").wait_for()
    page.get_by_role("button", name="Back to here").click()
    studio.until("the first edit's art", lambda e: len(e) == 1 and e[0]["x"] == 320)
    page.wait_for_function("() => studio.shown() === 1 && studio.status.pending === 0")
    page.locator("#options").focus()
    page.keyboard.press("Control+z")
    studio.until("what was before", lambda e: len(e) == 2 and e[0]["x"] == 100)


DOCUMENT_CASES = [goes_back_in_time, 
    browses_and_opens, thumbnails_follow, a_press_outlasts_changes, a_press_outlasts_an_order, only_seen_is_drawn, whole_documents, deletes_the_open_one, folders, searches_and_sorts, new_documents, imports,
    exports_many, states, conflict_copies, asks_before_merging, nothing_is_lost_between, fetches_for_a_left_document, by_keys, deletes_in_a_subfolder, renamed_while_it_is_renamed, gone_document, layouts, sheet_by_touch]
