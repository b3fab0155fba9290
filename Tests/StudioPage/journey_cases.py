# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py that make a poster from an empty folder: by touch on a small page, by keys with the accessibility tree as the only output, and
by two pages and a command at once. `scripts/dev record pictures` writes the three pictures of the guide."""
import json, os, re, struct, subprocess, threading
from document_cases import cell, dialog, opened, search, tap
from studio import PICTURES, RECORDED, recorded


def empty(studio):
    os.remove(studio.document)
    studio.served = f"{studio.folder}/art"


def keep(studio, path, name):
    if "pictures" in RECORDED and studio.browser.name == "chromium":
        subprocess.run(["convert", path, "-resize", "25%", "-colors", "256", "-strip", "-define", "png:exclude-chunks=date,time", f"png8:{PICTURES}/{name}.png"], check=True)
        recorded(f"{PICTURES}/{name}.png")


def art(studio, name):
    return json.loads(studio.run("show", f"{studio.folder}/art/{name}.emojiart", "--json"))


def size_of(path):
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:24])


class Touch:
    """A person with fingers. The keyboard is the one on the screen."""

    def __init__(self, studio, page):
        self.studio, self.page, self.steps = studio, page, []
        self.fingers = studio.browser.fingers(page)

    def note(self, text):
        self.steps.append(text)

    def tap(self, locator, what):
        tap(self.page, locator)
        self.note(f"tap {what}")

    def tap_at(self, point, what):
        self.fingers.down(point)
        self.fingers.up()
        self.note(f"tap {what}")

    def write(self, text):
        self.page.keyboard.insert_text(text)
        self.note(f"write “{text}”")

    def drag(self, start, end, what):
        self.fingers.down(start)
        for part in range(1, 13):
            self.fingers.move(tuple(a + (b - a) * part / 12 for a, b in zip(start, end)))
        self.fingers.up()
        self.note(f"drag {what}")

    def pinch(self, center, before, after, what):
        x, y = center
        self.fingers.down((x - before, y), (x + before, y))
        for part in range(1, 13):
            reach = before + (after - before) * part / 12
            self.fingers.move((x - reach, y), (x + reach, y))
        self.fingers.up()
        self.note(f"pinch {what}")

    def at(self, x, y):
        """The point of the window of a point of the canvas."""
        return tuple(self.page.evaluate("([x, y]) => { const c = studio.camera; return [c.left + c.x + x * c.zoom, c.top + c.y + y * c.zoom] }", [x, y]))


def poster_by_touch(studio):
    """A story of a sunflower and bees, on a telephone, with fingers only."""
    empty(studio)
    page = studio.page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    hand = Touch(studio, page)
    page.get_by_text("No documents yet").wait_for()
    hand.tap(page.get_by_role("button", name="New", exact=True), "New")
    hand.tap(dialog(page).get_by_role("radio", name="Story"), "Story")
    hand.tap(dialog(page).get_by_role("button", name="Create"), "Create")
    opened(page, "Untitled")

    def sheet(words):
        """Opens the sheet, which leaves the canvas free above it, and finds an emoji."""
        hand.tap(page.get_by_role("button", name="Add emoji"), "the button of emoji")
        page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'half'")
        hand.tap(page.locator("#find"), "the search")
        hand.write(words)
        page.wait_for_function("words => document.querySelector('#found button')?.title.includes(words)", arg=words)

    def close():
        page.locator("#find").evaluate("input => { input.value = ''; input.dispatchEvent(new Event('input')); input.blur() }")
        box = page.locator(".grip").bounding_box()
        hand.drag((box["x"] + 40, box["y"] + 10), (box["x"] + 40, 835), "the sheet down")
        page.wait_for_function("() => document.getElementById('emoji').dataset.sheet === 'closed'")

    def count(number):
        studio.wait(lambda: len(art(studio, "Untitled")["emojis"]) == number, f"{number} emoji")

    def moves(text, index, x, y):
        found = [each for each in art(studio, "Untitled")["emojis"] if each["text"] == text][index]
        hand.drag(hand.at(found["x"], found["y"]), hand.at(x, y), f"{text} to its place")
        studio.wait(lambda: abs(next(each for each in art(studio, "Untitled")["emojis"] if each["id"] == found["id"])["x"] - x) < 30, f"{text} at {x},{y}")

    first = page.locator("#found button").first
    sheet("sunflower")
    hand.tap(first, "the sunflower")
    count(1)
    close()
    moves("🌻", 0, 540, 1010)
    middle = hand.at(540, 1010)
    hand.pinch(middle, 8, 60, "the sunflower larger")
    studio.wait(lambda: art(studio, "Untitled")["emojis"][0]["size"] > 400, "a large sunflower")
    sheet("honeybee")
    for index, place in enumerate([(180, 520), (880, 620), (250, 1480), (850, 1420)]):
        hand.tap(first, "the honeybee")
        count(2 + index)
        moves("🐝", index, *place)
    close()
    hand.tap(page.get_by_role("button", name="Caption"), "the caption tool")
    hand.tap_at(hand.at(540, 260), "the canvas")
    page.wait_for_function("() => document.activeElement?.id === 'words'")
    hand.write("Get well soon!")
    page.wait_for_function("() => { const { value, textContent } = document.getElementById('words'); return (value ?? textContent) === 'Get well soon!' }")
    hand.tap_at(hand.at(540, 1760), "beside the words")
    studio.wait(lambda: len(art(studio, "Untitled")["emojis"]) == 6, "the caption")
    hand.tap(page.get_by_role("button", name="Export"), "Export")
    with page.expect_download() as download:
        hand.tap(dialog(page).get_by_role("button", name="Download"), "Download")
    assert size_of(download.value.path()) == (2160, 3840), size_of(download.value.path())
    print(f"poster by touch: {len(hand.steps)} steps", flush=True)
    keep(studio, download.value.path(), "poster-touch")


class Reader:
    """A person with a keyboard and a screen reader: what the page shows is known by its accessibility tree only."""

    def __init__(self, studio, page):
        self.studio, self.page, self.keys = studio, page, 0

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def write(self, text):
        self.page.keyboard.type(text)
        self.keys += len(text)

    def hears(self, pattern):
        """Waits until the tree has a text."""
        heard = [""]

        def hears():
            heard[0] = self.page.aria_snapshot()
            return re.search(pattern, heard[0])
        try:
            self.studio.wait(hears, pattern)
        except AssertionError as error:
            raise AssertionError(f"{error} in\n{heard[0][:2000]}") from None


def poster_by_keys(studio):
    """A square of a pumpkin, leaves and a mushroom, with the keyboard only; what is there is read from the accessibility tree."""
    empty(studio)
    page = studio.page()
    reader = Reader(studio, page)
    reader.hears("No documents yet")
    reader.press("Alt+n")
    reader.hears(r'dialog "New document"')
    reader.write("Autumn")
    reader.press("Tab")
    reader.hears(r'radio "Plain[^\n]*\[checked\]|radio "Plain[^\n]*\[active\]')
    reader.press("ArrowRight")
    reader.hears(r'radio "Square[^\n]*\[checked\]')
    reader.press("Enter")
    reader.hears(r'heading "Autumn"')
    reader.hears("status: Saved")

    def add(words):
        reader.press("/")
        reader.press("Control+a")
        reader.write(words)
        reader.hears(f'button "{words}')
        reader.press("Enter")
        reader.press("Escape", "Escape")

    def fields(size, turn, x, y):
        reader.press("F6")
        reader.press("Control+a")
        reader.write(str(size))
        reader.press("Tab", "Control+a")
        reader.write(str(turn))
        reader.press("Tab", "Control+a")
        reader.write(str(x))
        reader.press("Tab", "Control+a")
        reader.write(str(y))
        reader.press("Enter")

    wanted = [("jack-o-lantern", 430, 0, 540, 560), ("maple leaf", 210, -25, 200, 250), ("maple leaf", 180, 40, 880, 270), ("mushroom", 230, 0, 250, 830), ("hedgehog", 220, 0, 800, 860)]
    for index, (words, *values) in enumerate(wanted):
        add(words)
        reader.hears(rf'(option [\s\S]*?){{{index + 1}}}')
        reader.hears(rf'option "{words}[^\n]*\[selected\]')
        fields(*values)
        reader.hears(f"{values[2]}")
    # The last one is taken up, and put down elsewhere, by what is said.
    reader.press("g")
    reader.hears("Taken up")
    reader.press("ArrowRight", "ArrowRight")
    reader.hears("820 across, 860 down")
    reader.press("Enter")
    reader.hears("Put down at 820 across, 860 down")
    reader.press("t")
    reader.press("Control+/")
    reader.hears('combobox "Find an action"')
    reader.press("Escape", "v")
    reader.press("Control+Shift+E")
    reader.hears('dialog "Export"')
    with page.expect_download() as download:
        reader.press("Enter")
    assert size_of(download.value.path()) == (2160, 2160), size_of(download.value.path())
    page.wait_for_function("() => studio.status.saved === 'saved'")
    found = art(studio, "Autumn")["emojis"]
    assert [(each["text"], each["size"], each["x"], each["y"]) for each in found] == [
        ("🎃", 430, 540, 560), ("🍁", 210, 200, 250), ("🍁", 180, 880, 270), ("🍄", 230, 250, 830), ("🦔", 220, 820, 860)], found
    print(f"poster by keys: {reader.keys} keys", flush=True)
    keep(studio, download.value.path(), "poster-keys")


def poster_together(studio):
    """A party, by Ada who stamps, Bob who drags, and a command that writes, at the same time: nothing of anybody's is lost."""
    empty(studio)
    path = f"{studio.folder}/art/Party.emojiart"
    studio.run("new", path, "--canvas", "1200x900")
    studio.run("add", path, "🎂", "--at", "600,560", "--size", "320")
    studio.run("add", path, "🎁", "--at", "600,200", "--size", "130")
    ada, bob = studio.page(), studio.page()
    for page in [ada, bob]:
        cell(page, "Party").click()
        opened(page, "Party")
    balloons = ["🎈", "🎉", "⭐"]

    def command():
        for number in range(12):
            studio.run("add", path, balloons[number % 3], "--at", f"{90 + 93 * number},{90 + 40 * (number % 2)}", "--size", "70")
        studio.run("caption", path, "Happy birthday", "--at", "600,830", "--size", "90")

    search(ada, "cupcake")
    ada.keyboard.press("s")
    ada.locator('button[data-action="tool.stamp"]').click()
    ada.locator("#found button").first.click()
    other = threading.Thread(target=command)
    other.start()
    gift = bob.evaluate("() => { const c = studio.camera; return [c.left + c.x + 600 * c.zoom, c.top + c.y + 200 * c.zoom, c.zoom] }")
    x, y, zoom = gift
    bob.mouse.move(x, y)
    bob.mouse.down()
    for step in range(1, 21):
        bob.mouse.move(x - 14 * step * zoom, y + 21 * step * zoom)
        # Ada stamps while Bob drags and the command adds.
        if step % 5 == 0:
            place = ada.evaluate("n => { const c = studio.camera; return [c.left + c.x + (180 + 210 * n) * c.zoom, c.top + c.y + 330 * c.zoom] }", step // 5)
            ada.mouse.click(*place)
    bob.mouse.up()
    other.join()
    found = None

    def all_there():
        nonlocal found
        found = art(studio, "Party")["emojis"]
        gift = next(each for each in found if each["text"] == "🎁")
        return len(found) == 2 + 12 + 1 + 4 and abs(gift["x"] - 320) < 12 and abs(gift["y"] - 620) < 12
    studio.wait(all_there, "everybody's emoji, and the gift where it was dragged to")
    for page in [ada, bob]:
        page.wait_for_function("count => studio.shown() === count && studio.status.saved === 'saved'", arg=len(found))
    ada.keyboard.press("Control+Shift+E")
    with ada.expect_download() as download:
        dialog(ada).get_by_role("button", name="Download").click()
    keep(studio, download.value.path(), "poster-together")


JOURNEY_CASES = [poster_by_touch, poster_by_keys, poster_together]
