# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about what people do by hand: the clipboard and drops with what other programs put into them, fields, the focus, keyboards of other
layouts, and a painter that fails."""
import base64, json, os, struct, subprocess, zlib
from document_cases import cell, dialog, folder, make, menu, opened
from studio import LIMIT, PROJECT, box, drag, loaded, place

OURS = "application/x-emojiart+json"
# A script's event has no data of its own in Firefox.
SEND = """const send = (type, data) => {
  const event = new ClipboardEvent(type, { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', { value: data });
  document.dispatchEvent(event);
};
const filled = ([texts, files]) => {
  const data = new DataTransfer();
  for (const [type, text] of Object.entries(texts)) data.setData(type, text);
  for (const [name, type, bytes] of files) data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name, { type }));
  return data;
};"""


def solid(width, height):
    """A picture of one colour."""
    part = lambda name, body: struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    rows = (b"\0" + b"\xc0\x40\x40" * width) * height
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def address(picture):
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def files_of(files):
    return [[name, kind, base64.b64encode(content).decode()] for name, kind, content in files]


def paste(page, texts, files=()):
    page.evaluate(f"(given) => {{ {SEND} send('paste', filled(given)); }}", [texts, files_of(files)])


def copy(page, kind="copy"):
    """What the page puts into the clipboard."""
    return page.evaluate(f"""(kind) => {{ {SEND} const data = new DataTransfer(); send(kind, data);
      return {{ 'text/plain': data.getData('text/plain'), '{OURS}': data.getData('{OURS}') }} }}""", kind)


def drop(page, files, x, y, texts={}):
    """Drops files, by events of a script."""
    page.evaluate(f"""([x, y, ...given]) => {{ {SEND} const data = filled(given);
      for (const kind of ['dragenter', 'dragover', 'drop']) {{
        document.elementFromPoint(x, y).dispatchEvent(new DragEvent(kind, {{ dataTransfer: data, clientX: x, clientY: y, bubbles: true, cancelable: true }}));
      }} }}""", [x, y, texts, files_of(files)])


def saved(page):
    page.wait_for_function("() => studio.status.net === 'open' && studio.status.pending === 0 && studio.status.saved === 'saved'")


def page_with_clipboard(studio, *more, **options):
    page = studio.page(*more, **options)
    # The clipboard's part of the page comes when there is time.
    loaded(page, "transfer")
    page.evaluate("import('/transfer.js').then(() => undefined)")
    return page


def edits(studio, *requests):
    subprocess.run([f"{studio.programs}/emojiart", "edit", studio.document, "--json"], env=studio.environment, check=True, capture_output=True,
                   input="\n".join(json.dumps(each) for each in requests), text=True)


# MARK: The clipboard

def cut_is_pasted_whole(studio):
    """What is cut is pasted whole, as one edit: thousands of emoji, and captions that another document has to measure."""
    edits(studio, *[{"add": {"text": "🐝", "x": n % 640, "y": n // 640 * 40, "size": 8}} for n in range(6000)],
          *[{"caption": {"text": f"Caption {n}", "x": 60 + n % 5 * 120, "y": 30 + n // 5 * 50, "size": 12}} for n in range(40)])
    ants = f"{studio.folder}/art/ants.emojiart"
    studio.run("new", ants, "--canvas", "640x480")
    page = page_with_clipboard(studio)
    saved(page)
    page.locator("#options").focus()
    page.keyboard.press("Control+a")
    data = copy(page, "cut")
    studio.until("the cut", lambda e: not e)
    paste(page, data)
    assert page.evaluate("studio.shown()") == 6040, "it is shown at once"
    studio.until("all that was cut", lambda e: len(e) == 6040)
    page.keyboard.press("Control+z")
    studio.until("one undo", lambda e: not e)
    other = page_with_clipboard(studio, studio.run("serve", ants, "--link").strip())
    opened(other, "ants")
    paste(other, data)
    saved(other)
    studio.document = ants
    shown = studio.until("all in the other document", lambda e: len(e) == 6040)
    assert sum(each.get("kind") == "caption" for each in shown) == 40
    other.keyboard.press("Control+z")
    studio.until("one undo there", lambda e: not e)


def pasted_again(studio):
    """Each paste lies beside the one before."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = page_with_clipboard(studio)
    page.mouse.click(*box(page, "🐝")[:2])
    data = copy(page)
    for _ in range(4):
        paste(page, data)
    studio.until("four copies", lambda e: sorted((i["x"], i["y"]) for i in e) == [(320 + 20 * n, 240 + 20 * n) for n in range(5)])
    for _ in range(2):
        paste(page, {"text/plain": "Hello"})
    studio.until("two captions beside each other", lambda e: len({(i["x"], i["y"]) for i in e if i["text"] == "Hello"}) == 2)


def pasted_messages(studio):
    """Chats and web pages draw emoji, icons and counters as pictures: their words and emoji are pasted, and the canvas stays as it is."""
    page = page_with_clipboard(studio)
    cake = address(solid(20, 20))
    paste(page, {"text/plain": "Party at 8! 🎂", "text/html": f'<p>Party at 8! <img data-stringify-type="emoji" alt="🎂" src="{cake}"></p>'})
    studio.until("the message", lambda e: [i["text"] for i in e] == ["Party at 8! 🎂"])
    paste(page, {"text/plain": "🎂", "text/html": f'<img class="emoji" alt="🎂" src="{address(solid(72, 72))}">'})
    paste(page, {"text/plain": "Hello", "text/html": '<span>Hello <img class="emoji" alt="🐝" src="https://abs.example.org/1f41d.png"></span>'})
    paste(page, {"text/plain": "Hello world", "text/html": f'<p>Hello world</p><img width=1 height=1 src="{address(solid(1, 1))}">'})
    paste(page, {"text/plain": "🐝\u200b🌸\u200e"})
    studio.until("all words and emoji", lambda e: [i["text"] for i in e] == ["Party at 8! 🎂", "🎂", "Hello 🐝", "Hello world", "🐝", "🌸"])
    saved(page)
    assert studio.shown("background") is None and studio.shown("canvas")["width"] == 640, studio.shown("canvas")
    # A link is no picture, and the address of a file no words.
    paste(page, {"text/plain": "https://example.org/page"})
    page.get_by_role("button", name="Use its picture as the background").wait_for()
    paste(page, {"text/plain": "file:///home/jane/My%20Photo.jpg"})
    page.get_by_text("address of a file on your machine").wait_for()
    studio.until("the link as words", lambda e: e[-1]["text"] == "https://example.org/page")


def pasted_long_texts(studio):
    """A text that is too long for a caption is cut between characters, and that is told; no half of a character is sent."""
    page = page_with_clipboard(studio)
    paste(page, {"text/plain": "x" * 996 + "👩‍🌾" + "y" * 500})
    page.get_by_text("the first 996 of").wait_for()
    studio.until("the whole characters", lambda e: [i["text"] for i in e] == ["x" * 996])
    page.evaluate(f"() => {{ {SEND} send('paste', filled([{{ 'text/plain': 'half ' + String.fromCharCode(0xd83d) }}, []])); }}")
    studio.until("the words without it", lambda e: [i["text"] for i in e][1:] == ["half"])


def pictures_keep_the_canvas(studio):
    """Art is never left beside a canvas that has taken the size of a picture: that is offered."""
    page = page_with_clipboard(studio)
    # A tiny picture never sets the size, not even of an empty canvas.
    paste(page, {"text/plain": address(solid(20, 20))})
    studio.until("the tiny picture", lambda b: b is not None and b["width"] == 20, "background")
    page.get_by_text("The picture has 20 × 20 pixels").wait_for()
    assert (studio.shown("canvas")["width"], studio.shown("canvas")["height"]) == (640, 480)
    paste(page, {"text/plain": address(solid(300, 150))})
    studio.until("the size of a picture", lambda c: (c["width"], c["height"]) == (300, 150), "canvas")
    studio.run("add", studio.document, "🐝", "--at", "150,75", "--size", "40")
    page.wait_for_function("() => studio.shown() === 1")
    stage = page.locator("#stage").bounding_box()
    place = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    for width, give in [(600, lambda: paste(page, {"text/html": f'<img src="{address(solid(600, 300))}">'})), (900, lambda: drop(page, [("photo", "", solid(900, 450))], *place))]:
        give()
        page.get_by_text(f"The picture has {width} × ").wait_for()
        page.get_by_text("Fetching the picture").wait_for(state="hidden")
        assert (studio.shown("canvas")["width"], studio.shown("canvas")["height"]) == (300, 150)
    page.get_by_role("button", name="Make the canvas as large").last.click()
    studio.until("the canvas as large as the picture", lambda c: (c["width"], c["height"]) == (900, 450), "canvas")
    assert [(each["x"], each["y"]) for each in studio.shown()] == [(450, 225)], "the art has grown with it"
    # The dialog asks: it keeps the size unless the user says otherwise.
    page.locator("#options").focus()
    page.keyboard.press("Shift+B")
    assert page.get_by_label("Keep the canvas").evaluate("box => box.checked")
    page.get_by_label("Address").fill(address(solid(450, 450)))
    page.keyboard.press("Enter")
    page.get_by_text("The picture has 450 × ").wait_for()
    page.keyboard.press("Shift+B")
    page.get_by_label("Keep the canvas").evaluate("box => box.click()")
    page.get_by_label("Address").fill(address(solid(500, 250)))
    page.keyboard.press("Enter")
    studio.until("the size that was asked for", lambda c: (c["width"], c["height"]) == (500, 250), "canvas")


def bytes_for_addresses(studio):
    """The bytes of a picture are taken where its address is private, or is refused; the placeholder of a late image loses against what is seen."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = page_with_clipboard(studio)
    for address_, width in [("https://intranet/photo?token=1", 400), ("https://[2001:db8::1]/photo", 410)]:
        paste(page, {"text/html": f'<img src="{address_}">'}, [("image.png", "image/png", solid(width, 300))])
        studio.until("the bytes", lambda b: b is not None and b["width"] == width, "background")
    page.get_by_text("Fetching the picture").wait_for(state="hidden")
    assert page.get_by_role("alertdialog").count() == 0, "what is replaced is no failure"
    # Without bytes it is one.
    paste(page, {"text/html": '<img src="https://[2001:db8::1]/other">'})
    page.get_by_text("Image transfer failed").wait_for()
    page.get_by_role("alertdialog").get_by_role("button").last.click()
    late = '<img width="100" src="data:image/gif;base64,R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw==">'
    stage = page.locator("#stage").bounding_box()
    studio.browser.drop(page, [("text/html", late), ("text/uri-list", "http://127.0.0.9/real.jpg")], stage["x"] + 200, stage["y"] + 200)
    page.get_by_text("Image transfer failed").wait_for()
    assert "127.0.0.9" in page.get_by_role("alertdialog").inner_text()
    assert studio.shown("background")["width"] == 410


def drops_files(studio):
    """Files are what their bytes are: pictures without a media type, documents, texts; what cannot be taken is told by its name."""
    make(studio, "Ants", "🐜")
    with open(f"{studio.folder}/art/Ants.emojiart", "rb") as file:
        ants = file.read()
    page = page_with_clipboard(studio)
    stage = page.locator("#stage").bounding_box()
    place = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    drop(page, [("photo", "", solid(320, 200))], *place)
    studio.until("the picture", lambda b: b is not None and b["width"] == 320, "background")
    drop(page, [("words.txt", "text/plain", "Hello".encode())], *place)
    studio.until("the words", lambda e: [i["text"] for i in e] == ["Hello"])
    drop(page, [("art.svg", "image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>')], *place)
    page.get_by_text("SVG pictures are not taken").wait_for()
    page.get_by_role("alertdialog").get_by_role("button").last.click()
    drop(page, [("model.bin", "", b"\0\1\2\3")], *place)
    page.get_by_text("Not taken: model.bin").wait_for()
    drop(page, [("Ants.emojiart", "", ants)], *place)
    page.get_by_text("1 document imported").wait_for()
    studio.wait(lambda: os.path.exists(f"{studio.folder}/art/Ants 2.emojiart"), "the copy of the document")
    assert studio.shown("canvas")["width"] == 320


# MARK: Wrong results

def searches_without_the_server(studio):
    """Enter chooses an emoji of the words that are typed, or none."""
    page = page_with_clipboard(studio)
    saved(page)
    page.locator("#find").fill("cherry blossom")
    page.locator('#found [data-emoji="🌸"][aria-label="cherry blossom"]').first.wait_for()
    page.locator("#find").fill("")
    studio.server.kill()
    studio.server.wait()
    page.wait_for_function("() => studio.status.net !== 'open'")
    # What was found before is here.
    for words, shown in [("quokka", 0), ("blossom", 1)]:
        page.locator("#find").fill(words)
        page.locator("#find").press("Enter")
        page.wait_for_function("n => studio.status.pending === n", arg=shown)
    studio.serve()
    studio.until("the blossom", lambda e: [i["text"] for i in e] == ["🌸"])


def choice_before_the_result(studio):
    """Enter chooses an emoji of the words that are typed, also when its result comes after the panel is closed; with another document it chooses none."""
    make(studio, "ants")
    page = studio.page()
    saved(page)
    page.keyboard.press("Control+o")
    cell(page, "ants").wait_for()
    page.keyboard.press("Escape")

    def choose(key, words):
        page.keyboard.press(key)
        page.evaluate("() => { line.holdsReceived = '\"found\"' }")
        page.keyboard.type(words)
        page.keyboard.press("Enter")
        page.wait_for_function("() => line.held.length > 0")

    choose("/", "mushroom")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.locator("#find").input_value() == ""
    page.evaluate("() => line.release()")
    studio.until("the mushroom", lambda e: [i["text"] for i in e] == ["🍄"])
    # The selected one is replaced, as it was when Enter was pressed.
    page.mouse.click(*box(page, "🍄")[:2])
    page.wait_for_function("() => studio.selected.length === 1")
    choose("r", "hedgehog")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.evaluate("() => line.release()")
    studio.until("the hedgehog", lambda e: [i["text"] for i in e] == ["🦔"])
    # Other words have a choice of their own.
    choose("/", "cactus")
    page.keyboard.press("Control+a")
    page.keyboard.type("tulip")
    page.keyboard.press("Enter")
    page.evaluate("() => line.release()")
    studio.until("the cactus and the tulip", lambda e: [i["text"] for i in e] == ["🦔", "🌵", "🌷"])
    tulip = studio.shown()[2]["id"]
    page.wait_for_function("id => studio.selected.length === 1 && studio.selected[0] === id", arg=tulip)
    choose("/", "maple leaf")
    page.keyboard.press("Control+o")
    cell(page, "ants").click()
    opened(page, "ants")
    page.evaluate("() => line.release()")
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type("jack")
    page.locator('#found [data-emoji="🎃"]').first.wait_for()
    page.keyboard.press("Enter")
    ants = f"{studio.folder}/art/ants.emojiart"
    studio.wait(lambda: [i["text"] for i in json.loads(studio.run("show", ants, "--json"))["emojis"]][1:] == ["🎃"], "the pumpkin, and no leaf")
    assert [i["text"] for i in studio.shown()] == ["🦔", "🌵", "🌷"]
    # Without words Enter chooses the first one that is shown, the last one that was used.
    page.locator("#find").fill("")
    page.locator('#found [data-emoji="🎃"]').first.wait_for()
    page.locator("#find").press("Enter")
    studio.wait(lambda: [i["text"] for i in json.loads(studio.run("show", ants, "--json"))["emojis"]][1:] == ["🎃", "🎃"], "another pumpkin")


def fields_after_keys(studio):
    """A field sets what is typed, and nothing else: moves by keys that are under way are kept. Numbers are read as people write them."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    page.mouse.click(*box(page, "🐝")[:2])
    page.keyboard.press("g")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    field = page.get_by_label("Place across")
    field.fill("100")
    field.press("Enter")
    studio.until("both", lambda e: (e[0]["x"], e[0]["y"]) == (100, 270))
    for typed, x in [("12,5", 12.5), ("−8", -8), ("1.000,5", 1000.5), ("1,000.5", 1000.5)]:
        field.fill(typed)
        field.press("Enter")
        studio.until(typed, lambda e: e[0]["x"] == x)
    field.fill("50%")
    field.press("Enter")
    page.get_by_text("50% is not a number").wait_for()
    page.wait_for_function("() => document.querySelector('[aria-label=\"Place across\"]').value === '1000.5'")
    # Keys change it by one, and the wheel does not.
    field.focus()
    field.press("ArrowUp")
    studio.until("one more", lambda e: e[0]["x"] == 1001.5)
    spot = field.bounding_box()
    page.mouse.move(round(spot["x"] + 10), round(spot["y"] + 10))
    page.mouse.wheel(0, 100)
    field.press("Shift+ArrowDown")
    studio.until("ten less", lambda e: e[0]["x"] == 991.5)
    page.locator("#options").focus()
    page.keyboard.press("Shift+C")
    width = page.get_by_label("Width")
    width.fill("1e3")
    page.get_by_role("button", name="Apply").click()
    dialog(page).wait_for()
    width.fill("1.000")
    width.fill("1 000")
    page.get_by_role("button", name="Apply").click()
    studio.until("the canvas", lambda c: c["width"] == 1000, "canvas")


def drag_within_the_sheet(studio):
    """An emoji that is dragged, and let go over the sheet, is not placed under it."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page(viewport={"width": 500, "height": 800})
    saved(page)
    page.locator(".sheetButton").click()
    page.locator("#found button").nth(3).wait_for()
    page.wait_for_function("() => document.getElementById('emoji').getAnimations().length === 0")
    found = page.locator("#found button").nth(3).bounding_box()
    x, y = found["x"] + found["width"] / 2, found["y"] + found["height"] / 2
    drag(page, (x, y), (x + 70, y + 4))
    # The control: the same drag to the canvas.
    drag(page, (x, y), (250, 150))
    studio.until("one emoji more", lambda e: len(e) == 2)
    saved(page)
    assert page.evaluate("studio.shown()") == 2


def captions_do_not_wait(studio):
    """Words are shown at once, and other labels keep their frames, while the server says nothing; nothing stays on another document."""
    studio.run("add", studio.document, "🐝", "--at", "100,100")
    ants = f"{studio.folder}/art/ants.emojiart"
    studio.run("new", ants, "--canvas", "640x480")
    page = studio.page()
    loaded(page, "library")
    page.keyboard.press("t")
    middle = place(page, {"x": 320, "y": 240})
    page.mouse.click(*middle)
    page.locator("#words").fill("Hello")
    page.evaluate("""() => { line.holdsSent = '"edit"' }""")
    page.keyboard.press("Enter")
    page.locator("#words").wait_for(state="detached")
    page.locator('#options [data-text="Hello"]').wait_for(state="attached")
    assert len(page.evaluate("studio.selected")) == 1
    page.evaluate("() => line.release()")
    studio.until("the caption", lambda e: any(i["text"] == "Hello" for i in e))
    saved(page)
    box = next(each["box"] for each in studio.shown() if each["text"] == "Hello")
    assert box[1] > 1, "the server has measured it"
    page.evaluate("""() => { line.holdsSent = 'setText' }""")
    page.mouse.dblclick(*middle)
    page.locator("#words").fill("Hello world")
    page.keyboard.press("Enter")
    page.locator("#words").wait_for(state="detached")
    page.locator('#options [data-text="Hello world"]').wait_for(state="attached")
    page.mouse.click(*place(page, {"x": 100, "y": 100}))
    page.wait_for_function("() => document.querySelector('#overlay .frame').getAttribute('d') && document.querySelector('#overlay .handle').getAttribute('d')")
    page.evaluate("() => line.release()")
    studio.until("the other words", lambda e: any(i["text"] == "Hello world" for i in e))
    # Refused words come back into their field.
    page.mouse.dblclick(*middle)
    page.locator("#words").fill("x" * 1200)
    page.keyboard.press("Enter")
    page.get_by_text("longer than").wait_for()
    page.locator("#words:not([readonly])").wait_for()
    assert page.locator("#words").input_value() == "x" * 1200
    page.locator("#words").fill("Hello again")
    page.keyboard.press("Enter")
    studio.until("shorter words", lambda e: any(i["text"] == "Hello again" for i in e))


def moves_to_a_new_folder(studio):
    """*Move to…*, *New folder…* makes the folder and moves the document into it."""
    page = folder(studio, ["Garden"])
    menu(page, "Garden", "Move to…")
    page.get_by_role("menuitem", name="New folder…").click()
    dialog(page).get_by_role("textbox").fill("Summer")
    page.keyboard.press("Enter")
    studio.wait(lambda: os.path.exists(f"{studio.folder}/art/Summer/Garden.emojiart"), "the document in the new folder")


def drags_draw_nothing(studio):
    """A move of the pointer draws no seed from the browser: only a brush has one."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    x, y, *_ = box(page, "🐝")
    page.evaluate("""() => {
      window.drawn = 0;
      const { getRandomValues } = crypto;
      crypto.getRandomValues = function (list) { drawn += list instanceof Uint32Array; return getRandomValues.call(this, list); };
    }""")
    drag(page, (x, y), (x + 80, y + 40))
    studio.until("the drag", lambda e: e[0]["x"] > 330)
    assert page.evaluate("drawn") == 0
    page.keyboard.press("s")
    page.get_by_role("searchbox").fill("honeybee")
    page.get_by_role("searchbox").press("Enter")
    page.locator("#found button[data-emoji='🐝'][aria-pressed=true]").wait_for()
    page.locator("#options").focus()
    page.keyboard.press("p")
    drag(page, (x - 150, y + 60), (x + 150, y + 60))
    studio.until("a stroke", lambda e: len(e) > 3)
    assert page.evaluate("drawn") > 0, "the count can fail"


def cut_beside_a_text(studio):
    """A text that is selected elsewhere, which the browser copies by its event, is not what is cut."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = page_with_clipboard(studio)
    saved(page)
    page.evaluate("""() => {
      const text = Object.assign(document.createElement('p'), { textContent: 'elsewhere', style: 'user-select: text; position: fixed' });
      document.body.append(text);
      const { execCommand } = Document.prototype;
      Document.prototype.execCommand = function (...given) {
        getSelection().selectAllChildren(text);
        return execCommand.apply(this, given);
      };
    }""")
    page.mouse.click(*box(page, "🐝")[:2])
    page.keyboard.press("Control+/")
    page.get_by_role("combobox").fill("cut")
    page.keyboard.press("Enter")
    page.get_by_text("does not let this page use the clipboard").wait_for()
    assert page.evaluate("studio.shown()") == 1


# MARK: The painter

# Each carpet that is asked for while `spoilt` is above 0 has a place that cannot be computed with.
SPOILS = """{
  window.spoilt = 0;
  window.workers = 0;
  window.delays = [];
  window.passed = 0;
  const { now } = performance;
  performance.now = () => now.call(performance) + passed;
  const { setTimeout: later } = window;
  // A restart is noted with its delay, and comes at once.
  window.setTimeout = (work, delay, ...rest) => {
    const isRestart = String(work).includes('#restart');
    if (isRestart) delays.push(delay);
    return later(work, isRestart ? 0 : delay, ...rest);
  };
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    const isSpoilt = message.carpet && spoilt > 0;
    if (isSpoilt) spoilt -= 1;
    return postMessage.call(this, isSpoilt ? { ...message, carpet: { ...message.carpet, x: 1n } } : message, ...rest);
  };
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      workers += 1;
    }
  };
}"""


def painter_is_started_again(studio):
    """A painter that has failed is replaced, with all that it was told."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    studio.run("background", studio.document, picture_file(studio))
    link = studio.serve()
    page = studio.blank()
    page.context.add_init_script(SPOILS)
    page.goto(link)
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    page.evaluate("studio.whenPainted(true)")
    for number in range(3):
        before = page.evaluate("workers")
        page.evaluate("() => { spoilt = 1 }")
        page.mouse.click(*box(page, "🐝")[:2])
        page.keyboard.press("Control+d")
        page.wait_for_function("n => workers === n + 1", arg=before)
        page.evaluate("studio.whenPainted(true)")
        page.keyboard.press("Control+z")
        studio.until("the undo", lambda e: len(e) == 1)
    # Painters that fail again and again are tried later each time, also those that paint in between, and the page goes on when one does not.
    before = page.evaluate("workers")
    page.evaluate("() => { spoilt = 3 }")
    page.keyboard.press("Control+=")
    page.wait_for_function("n => workers >= n + 3", arg=before)
    page.evaluate("studio.whenPainted(true)")
    assert page.evaluate("delays") == [1000 * number for number in range(6)], page.evaluate("delays")
    # After a calm minute a failure is the first one again.
    page.evaluate("() => { passed = 61_000; spoilt = 1 }")
    page.keyboard.press("Control+-")
    page.wait_for_function("n => workers === n + 4", arg=before)
    page.evaluate("studio.whenPainted(true)")
    assert page.evaluate("delays[6]") == 0


def picture_file(studio):
    path = f"{studio.folder}/picture.png"
    with open(path, "wb") as file:
        file.write(solid(640, 480))
    return path


def painter_asks_again(studio):
    """Glyphs that cannot be fetched are asked for again and again, and at once with another zoom."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    link = studio.serve()
    page = studio.blank()
    asked, isWell = [], []
    page.route("**/glyphs", lambda route: (asked.append(route.request.url), route.fallback() if isWell else route.abort()))
    page.goto(link)
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    page.locator("#options").focus()
    for number in range(12):
        before = len(asked)
        page.keyboard.press("Control+=" if number % 2 else "Control+-")
        with_wait(page, lambda: len(asked) > before, "another try")
    isWell.append(True)
    page.keyboard.press("Control+0")
    page.evaluate("studio.whenPainted(true)")


def with_wait(page, holds, what):
    """Waits while the page's requests are answered."""
    import time
    end = time.monotonic() + LIMIT
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        page.evaluate("() => new Promise((resolve) => requestAnimationFrame(resolve))")


def painter_forgets(studio):
    """The painter keeps no more pictures of glyphs than its limit beside those that are seen."""
    start = [0x1F400, 0x1F330]
    studio.run("canvas", studio.document, "4000x1000")
    edits(studio, *[{"add": {"text": chr(first + n), "x": 500 + 3000 * side, "y": 500, "size": 400}} for side, first in enumerate(start) for n in range(64 if side == 0 else 70) if chr(first + n) not in "🌡🌢🌣🌤🌥🌦🌧🌨🌩🌪🌫🌬🌶🍽"])
    page = studio.page()
    page.evaluate("studio.whenPainted(true)")
    page.locator("#options").focus()
    page.keyboard.press("Control+0")
    stage = page.locator("#stage").bounding_box()
    page.mouse.move(round(stage["x"] + 300), round(stage["y"] + 300))
    limit = 256 << 20
    seen = []
    for way in [-3000, 3000, -3000, 3000]:
        for _ in range(4):
            page.mouse.wheel(way / 2, 0)
        page.wait_for_function("way => { const c = studio.camera; return way < 0 ? c.x > -100 : -c.x / c.zoom > 2000 }", arg=way)
        # A picture with an edit is one of this place, too.
        count = page.evaluate("studio.shown()")
        studio.run("add", studio.document, "🐝", "--at", "2000,900", "--size", "10")
        page.wait_for_function("n => studio.shown() > n", arg=count)
        page.evaluate("studio.whenPainted(true)")
        seen.append(page.evaluate("studio.held"))
    assert seen[0] > 100 << 20, f"one side has many glyphs: {seen}"
    assert max(seen[2:]) > 200 << 20, f"what is not seen is kept as long as there is room: {seen}"
    assert max(seen) <= limit, f"more is kept than may be: {seen}"
    print(f"glyphs of two sides: {[each >> 20 for each in seen]} MB", flush=True)


def outlines_of_the_font(studio):
    """A large emoji of a font with outlines is drawn from that font: as sharp as in an exported picture, and in the same place."""
    fonts = f"{studio.folder}/fonts"
    os.makedirs(fonts)
    subprocess.run([f"{PROJECT}/Fixtures/fonts/make.py", fonts], check=True)
    # The first has outlines; the second has bitmaps, which are as soft as they were.
    for font, sharp in [(f"{fonts}/layers-0.ttf", True), ("noto", False)]:
        studio.environment["EMOJIART_FONT"] = font
        studio.run("new", f"{studio.folder}/art/{sharp}.emojiart", "--canvas", "4000x3000")
        # Its left edge is in the middle of the canvas.
        studio.run("add", f"{studio.folder}/art/{sharp}.emojiart", "😀", "--at", "3000,1500", "--size", "1900")
        if studio.server:
            studio.server.terminate()
            studio.server.wait()
        page = studio.page(studio.serve(f"{studio.folder}/art/{sharp}.emojiart"))
        page.locator("#options").focus()
        while page.evaluate("studio.camera.zoom") < 1:
            page.keyboard.press("Control+=")
        # A picture with an edit is one of this zoom, too.
        count = page.evaluate("studio.shown()")
        studio.run("add", f"{studio.folder}/art/{sharp}.emojiart", "😀", "--at", "100,100", "--size", "10")
        page.wait_for_function("n => studio.shown() > n", arg=count)
        page.evaluate("studio.whenPainted(true)")
        stage = page.locator("#stage").bounding_box()
        camera = page.evaluate("({ x: studio.camera.x, y: studio.camera.y, zoom: studio.camera.zoom })")
        row = round(stage["y"] + camera["y"] + 1500 * camera["zoom"])
        left = round(stage["x"] + stage["width"] / 2 - 150)
        page.screenshot(path=f"{studio.folder}/shot.png")
        shot = pixels(f"{studio.folder}/shot.png", "-crop", f"300x1+{left}+{row}")
        start, width = edge(shot)
        picture = f"{studio.folder}/{sharp}.png"
        first = (left - stage["x"] - camera["x"]) / camera["zoom"]
        studio.run("render", f"{studio.folder}/art/{sharp}.emojiart", "-o", picture, "--region", f"{first},1500,{300 / camera['zoom']}x{1 / camera['zoom']}", "--width", "300")
        exported, _ = edge(pixels(picture))
        print(f"edge of {width} pixels at {start}, exported {exported}", flush=True)
        assert (width <= 3) == sharp, f"an edge of {width} pixels"
        assert not sharp or abs(start - exported) <= 1, f"{start} on the page, {exported} in the picture"


def emoji_style(studio):
    """The design of emoji is chosen by its pictures, for all pages and drawings; one that is not installed cannot be."""
    fonts, made = f"{studio.folder}/data/fonts", f"{studio.folder}/made"
    for folder_of_fonts in [fonts, made]:
        os.makedirs(folder_of_fonts)
    subprocess.run([f"{PROJECT}/Fixtures/fonts/make.py", made], check=True)
    # Fonts by the names that the program looks for: OpenMoji is there, and in each user's folder.
    os.rename(f"{made}/layers-0.ttf", f"{fonts}/glyf_colr1.ttf")
    studio.run("add", studio.document, "😀", "--at", "320,240", "--size", "300")
    page = studio.page()
    page.evaluate("studio.whenPainted(true)")
    before = color_at(studio, page, 320, 150)
    choose(page)
    rows = page.evaluate("[...document.querySelectorAll('dialog .design')].map((row) => [row.querySelector('input').value, row.querySelector('input').checked, row.querySelector('input').disabled])")
    assert rows[:2] == [["noto", True, False], ["openmoji", False, False]], rows
    page.wait_for_function("() => [...document.querySelectorAll('dialog .design')].filter((row) => !row.querySelector('input').disabled).every((row) => row.querySelector('img').naturalWidth > 0)")
    page.locator("dialog input[value=openmoji]").check()
    page.locator("dialog button.main").click()
    page.wait_for_function("() => !document.querySelector('dialog')")
    studio.wait(lambda: "openmoji" in studio.run("config", "font"), "the choice")
    page.evaluate("studio.whenPainted(true)")
    studio.wait(lambda: color_at(studio, page, 320, 150) != before, "another design")
    # The other programs of the user have it, too.
    studio.run("render", studio.document, "-o", f"{studio.folder}/after.svg")
    with open(f"{studio.folder}/after.svg", encoding="utf-8") as file:
        assert "<path" in file.read(), "an export has outlines"
    choose(page)
    assert page.evaluate("document.querySelector('dialog input:checked').value") == "openmoji"
    page.keyboard.press("Escape")
    # Another program chooses another design. The page follows when it next asks for a glyph.
    studio.run("config", "font", "noto")
    studio.run("add", studio.document, "🐝", "--at", "40,40", "--size", "40")
    studio.wait(lambda: color_at(studio, page, 320, 150) == before, "the former design")


def choose(page):
    page.keyboard.press("Control+/")
    page.keyboard.type("emoji style")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('dialog .design')")


def color_at(studio, page, x, y):
    """The colour at a place of the document."""
    stage = page.locator("#stage").bounding_box()
    camera = page.evaluate("({ x: studio.camera.x, y: studio.camera.y, zoom: studio.camera.zoom })")
    page.screenshot(path=f"{studio.folder}/shot.png")
    left, top = round(stage["x"] + camera["x"] + x * camera["zoom"]), round(stage["y"] + camera["y"] + y * camera["zoom"])
    return pixels(f"{studio.folder}/shot.png", "-crop", f"1x1+{left}+{top}")[0]


def pixels(path, *words):
    row = subprocess.run(["convert", path, *words, "-background", "white", "-alpha", "remove", "-depth", "8", "rgb:-"], stdout=subprocess.PIPE, check=True).stdout
    return [row[at:at + 3] for at in range(0, len(row), 3)]


def edge(row):
    """Where the first colour ends, and how many pixels it takes until another one is there."""
    differs = lambda a, b: max(abs(one - other) for one, other in zip(a, b)) > 8
    start = next(at for at, each in enumerate(row) if differs(each, row[0]))
    return start, sum(differs(each, row[0]) and differs(each, row[start + 60]) for each in row[start:start + 60])


def other_screen(studio):
    """A window that comes to a screen with other pixels is painted with these."""
    studio.run("add", studio.document, "🐝", "--at", "320,240", "--size", "200")
    link = studio.serve()
    page = studio.blank()
    page.context.add_init_script("""{
      window.ratios = [];
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (message.carpet) ratios.push(message.carpet.scale / studio.camera.zoom);
        return postMessage.call(this, message, ...rest);
      };
    }""")
    page.goto(link)
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    page.evaluate("studio.whenPainted(true)")
    assert page.evaluate("Math.max(...ratios.slice(-1))") == 1
    page.context.scale = 2
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_function("() => devicePixelRatio === 2 && Math.abs(ratios.at(-1) - 2) < 0.001")


# MARK: Focus and keys

def focus_stays(studio):
    """What has the focus keeps it while lists change around it, and menus are walked by keys."""
    for number in range(4):
        studio.run("add", studio.document, "🐝", "--at", f"{100 + number * 60},240")
    page = studio.page()
    focused = lambda: page.evaluate("() => document.activeElement.getAttribute('aria-label') || document.activeElement.textContent || document.activeElement.tagName")
    page.keyboard.press("Control+Shift+h")
    back = page.locator("#history li .back")
    back.nth(2).wait_for()
    back.nth(2).focus()
    id = page.evaluate("document.activeElement.closest('li').dataset.id")
    studio.run("add", studio.document, "🌸", "--at", "50,50")
    page.locator("#history").get_by_text("add 🌸").wait_for()
    assert page.evaluate("document.activeElement.closest('li')?.dataset.id") == id
    # What was taken back has no button any more: its row keeps the focus.
    page.keyboard.press("Enter")
    page.locator("#history li.undone").first.wait_for()
    assert page.evaluate("document.activeElement.closest('li')?.dataset.id") == id
    page.keyboard.press("Control+Shift+h")
    tone = page.locator("#tones button").nth(2)
    tone.focus()
    page.keyboard.press("Enter")
    assert focused() == "medium-light" and page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true", focused()
    # A menu: Home, End, letters, and Tab leaves it.
    button = page.locator('button[data-action="menu"]')
    button.click()
    page.get_by_role("menu").wait_for()
    first = focused()
    page.keyboard.press("End")
    last = focused()
    page.keyboard.press("Home")
    assert focused() == first != last
    page.keyboard.press("k")
    assert focused().startswith("Keys and help"), focused()
    page.keyboard.press("Tab")
    page.get_by_role("menu").wait_for(state="detached")
    page.wait_for_function("() => document.activeElement?.dataset.action === 'menu'")


def notes_with_the_focus_stay(studio):
    """A note goes after a while, but not while it has the focus."""
    page = studio.blank()
    # Times of twelve seconds end when the case says so.
    page.context.add_init_script("""{
      const { setTimeout, clearTimeout } = window;
      window.ends = new Map();
      window.setTimeout = (work, time, ...more) => {
        if (![2500, 3000, 12_000].includes(time)) return setTimeout(work, time, ...more);
        const id = -1 - ends.size;
        ends.set(id, work);
        return id;
      };
      window.clearTimeout = (id) => { if (!ends.delete(id)) clearTimeout(id) };
      window.end = () => { for (const work of [...ends.values()]) work(); ends.clear(); };
    }""")
    page.goto(studio.serve())
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    loaded(page, "transfer")
    page.locator("#options").focus()
    for isFocused in [True, False]:
        paste(page, {"text/plain": "https://example.org/page"})
        take = page.get_by_role("button", name="Use its picture as the background")
        take.wait_for()
        if isFocused:
            take.focus()
        page.evaluate("end()")
        assert take.count() == isFocused
        if isFocused:
            page.locator("#notes").get_by_role("button", name="Close").last.press("Enter")
            take.wait_for(state="detached")
            assert page.evaluate("document.activeElement.id") == "options", "the focus is back"


def keyboards(studio):
    """A Latin letter counts where the layout has it; the place of a key counts where the layout has no Latin letter there."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    page.mouse.click(*box(page, "🐝")[:2])
    press = """([key, code, ...keys]) => document.getElementById('options').dispatchEvent(new KeyboardEvent('keydown',
      { key, code, ctrlKey: keys.includes('ctrl'), shiftKey: keys.includes('shift'), altKey: keys.includes('alt'), bubbles: true, cancelable: true }))"""
    pressed = lambda *keys: page.evaluate(press, list(keys))
    zoom = lambda: page.evaluate("studio.camera.zoom")
    count = lambda wanted: page.wait_for_function("n => studio.shown() === n", arg=wanted)
    pressed("d", "KeyH", "ctrl")
    count(2)
    # Dvorak: `;` is where a QWERTY keyboard has Z, and `w` where it has a comma.
    pressed(";", "KeyZ", "ctrl")
    pressed("w", "Comma", "ctrl", "shift")
    # AZERTY: A is where a QWERTY keyboard has Q, and W where it has Z.
    pressed("w", "KeyZ", "ctrl")
    pressed("a", "KeyQ", "ctrl")
    page.wait_for_function("() => studio.selected.length === 2")
    count(2)
    # A Russian layout, and its Z.
    pressed("я", "KeyZ", "ctrl")
    count(1)
    pressed("Я", "KeyZ", "ctrl", "shift")
    count(2)
    # Digits and symbols by their places.
    pressed("&", "Digit1")
    page.wait_for_function("""() => document.querySelector('[data-action="tool.select"]').getAttribute('aria-pressed') === 'true'""")
    before = zoom()
    pressed("+", "BracketRight", "ctrl")
    page.wait_for_function("z => studio.camera.zoom > z", arg=before)
    studio.until("the edits", lambda e: len(e) == 2 and {i["size"] for i in e} == {40})
    pressed(">", "KeyV", "ctrl", "shift")
    studio.until("larger", lambda e: any(i["size"] > 40 for i in e))


HAND_CASES = [cut_is_pasted_whole, cut_beside_a_text, pasted_again, pasted_messages, pasted_long_texts, pictures_keep_the_canvas, bytes_for_addresses, drops_files, searches_without_the_server,
              choice_before_the_result, fields_after_keys, drag_within_the_sheet, captions_do_not_wait, drags_draw_nothing, moves_to_a_new_folder, painter_is_started_again, painter_asks_again, painter_forgets, outlines_of_the_font, emoji_style, other_screen,
              focus_stays, notes_with_the_focus_stay, keyboards]
# What a browser cannot run, and why.
HAND_CHROMIUM_ONLY = {"painter_asks_again": "requests of workers are held back in Chromium only"}
HAND_FIREFOX_ONLY = {"cut_beside_a_text": "a script of Chromium writes the clipboard without an event", "other_screen": "the drivers' other pixel ratio makes no event in Chromium, as that of a real screen does"}
