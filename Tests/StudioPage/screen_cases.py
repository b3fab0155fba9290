# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py about what is seen. Screenshots of thirteen states of the page, at five widths, light and dark, are compared with those of
Fixtures/studio/screens.

A screenshot is reduced to the means of blocks of 8 by 8 pixels, and these are compared. A block differs if a channel of its mean differs by more
than TOLERANCE of 255; a screenshot differs if more than ROOM of its blocks do. So the edge of a letter may be drawn in another way, and an icon
may not move by four pixels, be missing, or have another colour: each run tries both.

All are compared where the case is whole, as in the campaign studio-looks; else a phone in the dark and a desk in the light are.
`scripts/dev record screens` writes the committed pictures. With STUDIO_PICTURES=DIR the screenshots are left there. Those that differ are left in a folder
in any case, each with a picture that has the committed blocks, the new ones, and those that differ in red."""
import os, re, subprocess, tempfile
from document_cases import FIXTURES, cell, damage, dialog, make, opened, search
from studio import RECORDED, recorded

SCREENS = f"{FIXTURES}/studio/screens"
BLOCK, TOLERANCE, ROOM = 8, 9, 2
STATES = ["documents", "selected", "damaged", "empty", "canvas", "selection", "emoji", "menu", "export", "help", "past", "beside", "offline"]
FINGERS = {"has_touch": True}
# The widths of the pages, and their heights.
PAGES = {
    320: {"viewport": {"width": 320, "height": 568}, "is_mobile": True, **FINGERS}, 390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True, **FINGERS},
    768: {"viewport": {"width": 768, "height": 1024}, **FINGERS}, 1280: {"viewport": {"width": 1280, "height": 800}}, 2560: {"viewport": {"width": 2560, "height": 1440}}}
SCHEMES = ["light", "dark"]
WRITES = "screens" in RECORDED
# What each run compares.
SHOWN = {320: ["dark"], 1280: ["light"]}
# The first of 2026, and some days later.
CHANGED, NOW = 1_767_225_600, 1_767_600_000
# Notes stay, and that of a server that is away comes at once when `hurries` is set: nothing that is seen depends on how long a run takes.
NOTES_STAY = """{
  const { setTimeout } = window;
  window.setTimeout = (call, time, ...rest) => setTimeout(call, time === 10_000 && window.hurries ? 0 : [2_500, 12_000].includes(time) ? 2 ** 30 : time, ...rest);
}"""


# MARK: What is shown

def gallery(studio):
    """A folder of documents: one is damaged, one has unsaved edits, and a folder in it is empty."""
    os.remove(studio.document)
    studio.environment["EMOJIART_AUTHOR"] = "Ada"
    for name, emoji in [("Picnic", "🧺"), ("Reading list", "📚"), ("Worksheet 2", "🐢"), ("Worksheet 10", "🦊"), ("Garden of somebody with a name that is longer than the room", "🦋")]:
        make(studio, name, emoji)
    path = make(studio, "Garden", "🌻")
    for emoji, place, size in [("🐝", "120,110", "70"), ("🐝", "520,130", "90"), ("🍄", "150,400", "80"), ("🐌", "500,420", "60")]:
        studio.run("add", path, emoji, "--at", place, "--size", size)
    studio.run("caption", path, "In the garden", "--at", "320,60", "--size", "40")
    damage(make(studio, "Autumn"))
    unsaved = make(studio, "Bees")
    subprocess.run(
        [f"{studio.programs}/emojiart", "edit", unsaved, "--json", "--autosave-delay", "3600", "--simulate-kill-after", "1"],
        env=studio.environment, input='{"add":{"text":"🌸"}}\n', capture_output=True, text=True)
    os.makedirs(f"{studio.folder}/art/Posters")
    # The edits that are not saved belong to the file as it was left, and a document with a state shows no time.
    for name in sorted({*os.listdir(f"{studio.folder}/art")} - {"Bees.emojiart"}):
        os.utime(f"{studio.folder}/art/{name}", (CHANGED, CHANGED))
    studio.served = f"{studio.folder}/art"


def page_of(studio, width, scheme="light", **options):
    page = studio.blank(color_scheme=scheme, reduced_motion="reduce", timezone_id="UTC", **({"locale": "en-GB"} | PAGES[width] | options))
    # Edits are of later times than this, and so they are all of now.
    page.clock.set_fixed_time(NOW)
    page.add_init_script(NOTES_STAY)
    page.goto(studio.run("serve", studio.served, "--link").strip() if studio.server else studio.serve())
    page.wait_for_function("() => window.studio && studio.ready.then(() => true)")
    page.evaluate("() => import('/language.js').then(language => { window.percent = language.percent })")
    return page


def go(page, name):
    """Goes to a document by keys, since only those that are in view are elements. The documents are shown."""
    page.locator("#documents [role=gridcell][tabindex='0']").focus()
    page.keyboard.press("Home")
    for each in ["Autumn", "Bees", "Garden"]:
        page.wait_for_function("name => document.activeElement.dataset.name === name", arg=f"{each}.emojiart")
        if each == name:
            return
        page.keyboard.press("ArrowLeft" if page.evaluate("document.documentElement.dir") == "rtl" else "ArrowRight")


def states(studio, page):
    """Shows one state after the other, and yields the name of each."""
    documents = page.locator("#documents")
    cell(page, "Autumn, Damaged").wait_for()
    cell(page, "Bees, Unsaved edits").wait_for()
    go(page, "Autumn")
    yield "documents"
    go(page, "Garden")
    page.keyboard.press("Space")
    page.get_by_text("1 selected").wait_for()
    yield "selected"
    page.keyboard.press("Escape")
    page.get_by_text("1 selected").wait_for(state="hidden")
    go(page, "Autumn")
    page.keyboard.press("Enter")
    dialog(page).get_by_role("button", name="Repair").wait_for()
    yield "damaged"
    page.keyboard.press("Escape")
    dialog(page).wait_for(state="detached")
    documents.get_by_role("button", name="Posters").evaluate("button => button.click()")
    page.get_by_text("No documents yet").wait_for()
    yield "empty"
    page.get_by_role("navigation", name="Folder").get_by_role("button", name="art").evaluate("button => button.click()")
    cell(page, "Autumn, Damaged").wait_for()
    go(page, "Garden")
    page.keyboard.press("Enter")
    opened(page, "Garden")
    page.get_by_role("option", name="In the garden").wait_for(state="attached")
    yield "canvas"
    page.locator("#options").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.querySelector('#options [aria-selected=true]')?.dataset.text === '🐝'")
    page.locator("#selection").wait_for()
    yield "selection"
    page.keyboard.press("Escape")
    page.locator("#selection").wait_for(state="hidden")
    if page.locator(".sheetButton").is_visible():
        page.locator(".sheetButton").evaluate("button => button.click()")
        page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'half'")
    search(page, "flower")
    page.locator('#found [data-emoji="🌸"]').wait_for()
    yield "emoji"
    page.locator("#find").fill("")
    page.locator("#found h2").first.wait_for(state="attached")
    page.locator("#find").evaluate("field => field.blur()")
    if page.locator(".sheetButton").is_visible():
        page.locator(".sheetButton").evaluate("button => button.click()")
        page.locator("#emoji").wait_for(state="hidden")
    page.locator('button[data-action="menu"]').click()
    page.get_by_role("menu").wait_for()
    yield "menu"
    page.keyboard.press("Escape")
    page.get_by_role("menu").wait_for(state="detached")
    page.locator("#options").focus()
    page.keyboard.press("Control+Shift+E")
    dialog(page).get_by_role("button", name="Download").wait_for()
    yield "export"
    page.keyboard.press("Escape")
    dialog(page).wait_for(state="detached")
    page.locator("#options").focus()
    page.keyboard.press("?")
    dialog(page).get_by_role("heading", level=2).wait_for()
    yield "help"
    page.keyboard.press("Escape")
    dialog(page).wait_for(state="detached")
    page.locator("#options").focus()
    page.keyboard.press("Control+Shift+h")
    page.locator("#history .what").nth(3).wait_for()
    page.locator("#history .what").nth(3).evaluate("button => button.click()")
    page.get_by_text("As it was after: add 🐝").wait_for()
    page.locator(".past img").wait_for()
    yield "past"
    page.locator("#history").get_by_role("button", name="Close").evaluate("button => button.click()")
    page.locator("#history").wait_for(state="hidden")
    page.locator("#options").focus()
    page.keyboard.press("Control+o")
    cell(page, "Garden").wait_for()
    page.wait_for_function("() => document.activeElement.dataset.name === 'Garden.emojiart'")
    yield "beside"
    page.keyboard.press("Control+o")
    page.locator("#documents").wait_for(state="hidden")
    page.evaluate("() => { window.hurries = true }")
    studio.server.kill()
    studio.server.wait()
    studio.server = None
    page.wait_for_function("() => document.getElementById('status').dataset.state === 'reconnecting' && document.querySelector('.note button')")
    yield "offline"


def settle(page):
    """Waits until all that is seen is there."""
    page.wait_for_function("""() => [...document.querySelectorAll('#documents .cell')].every(cell => cell.closest('[hidden]') || cell.querySelector('.badge[data-state=damaged], img'))
      && [...document.images].every(image => image.complete) && document.getElementById('peers').hidden""")
    page.evaluate("() => studio.whenPainted().then(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))")
    page.wait_for_function("() => document.body.dataset.documents === 'whole' || document.getElementById('percent').textContent === percent(studio.camera.zoom)")


def still(page, scheme):
    """The screenshot of a page at which nothing changes any more."""
    page.emulate_media(color_scheme=scheme)
    settle(page)
    last = None
    for _ in range(100):
        shot = page.screenshot(animations="disabled")
        if shot == last:
            return shot
        last = shot
    raise AssertionError("the page does not come to rest: 100 screenshots, each unlike the one before")


# MARK: Comparing

def convert(*words, given=None):
    return subprocess.run(["convert", *words], input=given, stdout=subprocess.PIPE, check=True).stdout


def blocks_of(size):
    return -(-size["width"] // BLOCK), -(-size["height"] // BLOCK)


class Blocks:
    """The means of the blocks of a picture: three bytes each."""

    def __init__(self, columns, rows, bytes):
        self.columns, self.rows, self.bytes = columns, rows, bytes
        assert len(bytes) == 3 * columns * rows, (columns, rows, len(bytes))

    @staticmethod
    def of(shot, size):
        columns, rows = blocks_of(size)
        return Blocks(columns, rows, convert(
            "png:-", "-alpha", "off", "-background", "black", "-extent", f"{columns * BLOCK}x{rows * BLOCK}", "-scale", f"{columns}x{rows}!", "-depth", "8", "rgb:-", given=shot))

    def row(self, number):
        return self.bytes[3 * self.columns * number:3 * self.columns * (number + 1)]

    def part(self, left, size):
        columns, rows = blocks_of(size)
        return Blocks(columns, rows, b"".join(self.row(row)[3 * left:3 * (left + columns)] for row in range(rows)))

    def differing(self, other):
        """The numbers of the blocks that differ."""
        if self.bytes == other.bytes:
            return []
        return [at // 3 for at in range(0, len(self.bytes), 3) if any(abs(self.bytes[at + each] - other.bytes[at + each]) > TOLERANCE for each in range(3))]

    def write(self, path, scale=1):
        convert("-size", f"{self.columns}x{self.rows}", "-depth", "8", "rgb:-", "-scale", f"{scale}00%", "-strip", "-define", "png:exclude-chunks=date,time", "-define", "png:compression-level=9", f"png:{path}", given=self.bytes)


class Committed:
    """The pictures of Fixtures/studio/screens: one of each state and scheme, with all widths side by side."""
    lefts = {width: sum(blocks_of(PAGES[other]["viewport"])[0] for other in PAGES if other < width) for width in PAGES}
    size = {"width": BLOCK * sum(blocks_of(page["viewport"])[0] for page in PAGES.values()), "height": max(page["viewport"]["height"] for page in PAGES.values())}

    def __init__(self):
        self.read = {}

    def at(self, state, scheme, width):
        path = f"{SCREENS}/{state}-{scheme}.png"
        if path not in self.read:
            self.read[path] = Blocks(*blocks_of(self.size), convert(path, "-depth", "8", "rgb:-"))
        return self.read[path].part(self.lefts[width], PAGES[width]["viewport"])

    @classmethod
    def write(cls, found):
        """Writes them. `found` has the blocks by state, scheme and width."""
        os.makedirs(SCREENS, exist_ok=True)
        columns, rows = blocks_of(cls.size)
        for state in STATES:
            for scheme in SCHEMES:
                parts = [found[state, scheme, width] for width in PAGES]
                joined = b"".join(b"".join(part.row(row) if row < part.rows else bytes(3 * part.columns) for part in parts) for row in range(rows))
                Blocks(columns, rows, joined).write(f"{SCREENS}/{state}-{scheme}.png")


# What a comparison must see, and what it must not.
CHANGES = {
    "an icon that is moved by four pixels": 'button[data-action="menu"] svg { translate: 4px }',
    "a button that is missing": 'button[data-action="menu"] { visibility: hidden }',
    "a button of another colour": ".bar .main, .sheetButton { background: #c03535 !important }",
    "text of another colour": "#name { color: #c03535 }",
    "a panel that is four pixels lower": ".bar { padding-block-end: 10px !important }",
}
SAME = {
    "text that is moved by a quarter of a pixel": "#name, #found, button > svg { translate: .25px .25px }",
}


def control(page, scheme, wanted, width):
    """Changes the page in ways that must be seen, and in ways that must not; returns how many were tried."""
    for changes, isSeen in [(CHANGES, True), (SAME, False)]:
        for what, style in changes.items():
            handle = page.evaluate_handle("text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets.push(sheet); return sheet }", style)
            count = len(wanted.differing(Blocks.of(still(page, scheme), PAGES[width]["viewport"])))
            assert (count > ROOM) == isSeen, f"{what}, at {width}, {scheme}: {count} blocks differ"
            page.evaluate("sheet => { document.adoptedStyleSheets = document.adoptedStyleSheets.filter(each => each !== sheet) }", handle)
    return len(CHANGES) + len(SAME)


def screens(studio):
    """The page looks as it is committed."""
    assert {*os.listdir(SCREENS)} == {f"{state}-{scheme}.png" for state in STATES for scheme in SCHEMES}, "each committed picture is of a state"
    gallery(studio)
    committed, found, faults, compared, tried = Committed(), {}, [], 0, 0
    pictures = os.environ.get("STUDIO_PICTURES")
    for width, schemes in (dict.fromkeys(PAGES, SCHEMES) if WRITES or studio.is_whole else SHOWN).items():
        page, size = page_of(studio, width, schemes[0]), PAGES[width]["viewport"]
        seen = []
        for state in states(studio, page):
            seen.append(state)
            for scheme in schemes:
                shot = still(page, scheme)
                blocks = found[state, scheme, width] = Blocks.of(shot, size)
                name = f"{state}-{scheme}-{width}"
                differing = []
                if not WRITES:
                    wanted = committed.at(state, scheme, width)
                    differing = blocks.differing(wanted)
                    compared += 1
                if state == "canvas":
                    tried += control(page, scheme, blocks, width)
                if len(differing) > ROOM:
                    pictures = pictures or tempfile.mkdtemp(prefix="emojiart-screens.")
                    marked = bytearray(blocks.bytes)
                    for at in differing:
                        marked[3 * at:3 * at + 3] = b"\xff\0\0"
                    for kind, each in [("committed", wanted), ("new", blocks), ("differing", Blocks(blocks.columns, blocks.rows, bytes(marked)))]:
                        each.write(f"{pictures}/{name}-{kind}.png", 4)
                    faults.append(f"{name}: {len(differing)} blocks of {blocks.columns * blocks.rows} differ, the first at {differing[0] % blocks.columns * BLOCK},{differing[0] // blocks.columns * BLOCK}")
                if pictures and (os.environ.get("STUDIO_PICTURES") or len(differing) > ROOM):
                    with open(f"{pictures}/{name}.png", "wb") as file:
                        file.write(shot)
        assert seen == STATES, seen
        page.context.close()
    if WRITES:
        committed.write(found)
        recorded(SCREENS)
    print(f"screens: {compared} compared, {len(faults)} differ, {tried} controls", flush=True)
    assert not faults, "\n".join([f"see {pictures}; `scripts/dev record screens` writes what is seen now", *faults])


# MARK: Print

# Squares for the corners of the art, each with the channels that are high in it and those that are low.
CORNERS = [("🟥", (0, 0), (1, 0, 0)), ("🟦", (1, 0), (0, None, 1)), ("🟩", (0, 1), (0, 1, 0)), ("🟨", (1, 1), (1, 1, 0))]
ART_SIZES = [(640, 480), (480, 900), (2000, 300)]
# Pixels of an inch of what is printed.
DOTS = 50


def side_of(size):
    """The side of a square, and its middle's distance from two edges of the art."""
    return min(size) // 5


def squares_of(path):
    """The middles of the four squares in a document of one page with the counts of their pixels, and how many other pixels have a colour."""
    information = subprocess.run(["pdfinfo", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^Pages:\s+1$", information, re.M), information
    width, height = (round(float(each) / 72 * DOTS) for each in re.search(r"Page size:\s+([0-9.]+) x ([0-9.]+)", information).groups())
    pixels = subprocess.run(["pdftoppm", "-r", str(DOTS), "-scale-to-x", str(width), "-scale-to-y", str(height), path], stdout=subprocess.PIPE, check=True).stdout[-3 * width * height:]
    found, others = [[] for _ in CORNERS], 0
    for at in range(width * height):
        color = pixels[3 * at:3 * at + 3]
        if min(color) > 230:
            continue
        for number, (_, _, channels) in enumerate(CORNERS):
            if all(wanted is None or (part > 140 if wanted else part < 125) for part, wanted in zip(color, channels)):
                found[number].append((at % width, at // width))
                break
        else:
            others += 1
    # Some pixels at the edge of a square have the colour of another one.
    middle = lambda numbers: sorted(numbers)[len(numbers) // 2] if numbers else None
    return [(middle([x for x, _ in each]), middle([y for _, y in each]), len(each)) for each in found], others


def prints(studio):
    """A print is the art alone, whole, on one page: of wide and of tall art, light and dark, by the action and by the browser's own menu."""
    printed = 0
    for size in ART_SIZES:
        studio.run("new", f"{studio.folder}/art/{size[0]}.emojiart", "--canvas", f"{size[0]}x{size[1]}")
        side = side_of(size)
        for emoji, (right, below), _ in CORNERS:
            studio.run("add", f"{studio.folder}/art/{size[0]}.emojiart", emoji, "--at", f"{right * (size[0] - 2 * side) + side},{below * (size[1] - 2 * side) + side}", "--size", str(side))
    os.remove(studio.document)
    studio.served = f"{studio.folder}/art"
    for scheme in SCHEMES:
        for size in ART_SIZES if scheme == "light" or studio.is_whole else ART_SIZES[:1]:
            page = page_of(studio, 1280, scheme)
            page.evaluate("() => { window.print = () => { window.printed = true } }")
            cell(page, str(size[0])).click()
            opened(page, str(size[0]))
            page.locator("#options [role=option]").nth(3).wait_for(state="attached")
            settle(page)
            for way in ["the browser's menu", "the action"]:
                if way == "the action":
                    page.locator("#options").focus()
                    page.keyboard.press("Control+p")
                    page.wait_for_function("() => window.printed")
                path = f"{studio.folder}/print.pdf"
                page.pdf(path=path, format="A4")
                squares, others = squares_of(path)
                about = (scheme, size, way, squares, others)
                if os.environ.get("STUDIO_PICTURES"):
                    subprocess.run(["pdftoppm", "-r", str(DOTS), "-png", path, f"{os.environ['STUDIO_PICTURES']}/print-{scheme}-{size[0]}-{way[-6:]}"], check=True)
                red, blue, green, yellow = squares
                counts = [count for *_, count in squares]
                assert min(counts) > 0.7 * max(counts) > 20, about
                # They stand as in the art, which is as large as the sheet has room, and there is nothing else.
                across, down = blue[0] - red[0], green[1] - red[1]
                assert abs(red[1] - blue[1]) <= 5 and abs(green[1] - yellow[1]) <= 5 and abs(red[0] - green[0]) <= 5 and abs(blue[0] - yellow[0]) <= 5, about
                assert abs(across / (size[0] - 2 * side_of(size)) - down / (size[1] - 2 * side_of(size))) < .02, about
                assert others < 8 * sum(count ** .5 for count in counts), about
                printed += 1
            page.context.close()
    print(f"prints: {printed}", flush=True)


# MARK: Widths, directions, and spacing

# What WCAG 1.4.12 has people set.
SPACING = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-block-end: 2em !important }"
# Each way with the width of a page in PAGES, what is other than there, and a style.
WAYS = {
    "right to left, desk": (1280, {}, None), "right to left, phone": (390, {}, None), "right to left, low": (390, {"viewport": {"width": 844, "height": 390}}, None),
    "text spacing, desk": (1280, {}, SPACING), "text spacing, phone": (320, {}, SPACING),
    "zoomed to 200 %": (1280, {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}, None), "low": (390, {"viewport": {"width": 844, "height": 390}}, None), "tablet": (768, {}, None), "forced colours": (1280, {"forced_colors": "active"}, None)}
# The controls, fields and texts that can be seen, or scrolled to, and are not wholly in the page.
OUTSIDE = """() => { const { clientWidth } = document.documentElement; return [...document.querySelectorAll('button, input, select, h1, h2, p, label')].filter(element => {
  const box = element.getBoundingClientRect();
  const isScrolled = element.closest('#found, .scroller, .edits, .menu, dialog, .commands');
  if (!box.width || element.closest('[inert], .hiddenText') || element.type === 'file' || getComputedStyle(element).visibility === 'hidden') return false;
  return box.left < -1 || box.right > clientWidth + 1 || (!isScrolled && (box.top < -1 || box.bottom > innerHeight + 1));
}).map(element => element.outerHTML.slice(0, 90)).concat(document.documentElement.scrollWidth > clientWidth || innerWidth > clientWidth ? ['the page scrolls across'] : []) }"""
# The texts that are cut without a sign for it. What ends with an ellipsis is a title, too.
CUT = """() => [...document.querySelectorAll('button, p, label, small, kbd, dialog h2, .menu span, .notice')].filter(element => {
  const style = getComputedStyle(element);
  if (!element.getBoundingClientRect().width || element.closest('[inert], .hiddenText') || style.visibility === 'hidden' || (style.textOverflow === 'ellipsis' && element.title)) return false;
  return element.scrollWidth > element.clientWidth + 2 && style.display !== 'inline';
}).map(element => element.outerHTML.slice(0, 90))"""
# What each run looks at.
SOME_WAYS = ["right to left, phone", "text spacing, phone", "zoomed to 200 %"]


def reflows(studio):
    """In each state no control and no text is outside the page or cut: right to left, with wide spacing, zoomed, and on low pages."""
    gallery(studio)
    looked, ways = 0, list(WAYS) if studio.is_whole else SOME_WAYS
    for way in ways:
        width, options, style = WAYS[way]
        page = page_of(studio, width, **options)
        if way.startswith("right"):
            page.evaluate("() => { document.documentElement.dir = 'rtl'; dispatchEvent(new Event('resize')) }")
        if style:
            page.evaluate("text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets.push(sheet) }", style)
        for state in states(studio, page):
            settle(page)
            # A sheet that comes is outside until it is there.
            page.wait_for_function("() => document.getAnimations().every(each => each.playState !== 'running' || each.effect.getComputedTiming().endTime === Infinity)")
            outside, cut = page.evaluate(OUTSIDE), page.evaluate(CUT)
            if os.environ.get("STUDIO_PICTURES"):
                page.screenshot(path=f"{os.environ['STUDIO_PICTURES']}/{way.replace(' ', '-')}-{state}.png")
            assert not outside and not cut, (way, state, outside, cut)
            looked += 1
        # A control: what is put beside the page, and what does not fit, is found.
        for style, script in [(".bar { translate: 400px }", OUTSIDE), (".note button { inline-size: 20px; min-inline-size: 0 }", CUT)]:
            page.evaluate("text => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); document.adoptedStyleSheets.push(sheet) }", style)
            assert page.evaluate(script), f"{way}: the control is found: {style}"
        page.context.close()
    print(f"reflow: {looked} screens of {len(ways)} ways", flush=True)


SCREEN_CASES = [screens, prints, reflows]
# Why Firefox leaves them out.
CHROMIUM_ONLY = {
    "screens": "browsers draw letters and fields in their own ways, and the committed pictures are of one",
    "prints": "Firefox prints to a file by its dialog only", "reflows": "forced colours, a fixed clock and reduced motion are emulated in Chromium only"}
