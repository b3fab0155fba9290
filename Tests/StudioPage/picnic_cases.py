# SPDX-License-Identifier: Apache-2.0
"""A case of browser.py that makes the picnic of the guide by hand in the page: the meadow is dropped as a file, each emoji is found by its name and
dragged from the palette, its size is typed. Meanwhile a command moves a bee. `scripts/dev record pictures` writes the pictures of the studio in the guide."""
import json, os
from document_cases import FIXTURES, search
from studio import PICTURES, RECORDED, place, recorded

NAMES = {"🎈": "balloon", "🏡": "house with garden", "🌳": "deciduous tree", "🐄": "cow", "🐑": "ewe", "🐿️": "chipmunk", "👩‍🌾": "woman farmer",
         "🐕": "dog", "🌻": "sunflower", "🌷": "tulip", "🧺": "basket", "🍉": "watermelon", "🥪": "sandwich", "🍒": "cherries",
         "🐞": "lady beetle", "🦋": "butterfly", "🐝": "honeybee", "🐦": "bird", "🦔": "hedgehog"}


def drop_file(page, path):
    x, y = place(page, {"x": 400, "y": 300})
    page.evaluate("import('/transfer.js').then(() => undefined)")
    cdp = page.context.new_cdp_session(page)
    for kind in ["dragEnter", "dragOver", "drop"]:
        cdp.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": {"items": [], "files": [path], "dragOperationsMask": 1}})


def put(page, text, x, y, size):
    search(page, NAMES[text])
    button = page.locator(f'#found [data-emoji="{text}"]').first
    box = button.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.move(*place(page, {"x": x, "y": y}))
    page.mouse.up()
    field = page.locator("#selection").get_by_label("Size", exact=True)
    field.fill(str(size))
    field.press("Enter")


# Documents beside the picnic: their canvases and fills, and the texts, places and sizes of their emoji; a text in words is a caption.
OTHERS = {
    "Aquarium": ("800x600", "#cfe8fa", [("🐠", 250, 210, 120), ("🐡", 560, 300, 150), ("🐙", 300, 440, 130), ("🪸", 660, 520, 140), ("🫧", 480, 120, 80)]),
    "Autumn": ("800x800", "#fdf1dc", [("🎃", 400, 430, 420), ("🍁", 140, 160, 150), ("🍁", 660, 150, 130), ("🍄", 170, 660, 190), ("🦔", 640, 680, 170)]),
    "Get well": ("600x800", "#ffffff", [("🌻", 300, 480, 480), ("🐝", 130, 250, 80), ("🐝", 470, 230, 80), ("Get well soon!", 300, 90, 70)]),
    "Night": ("800x600", "#1b2440", [("🌙", 620, 130, 130), ("⭐", 180, 120, 50), ("⭐", 400, 80, 40), ("🦉", 300, 350, 190), ("🌲", 600, 440, 260), ("🌲", 90, 460, 220)]),
    "Party": ("800x600", "#fff4f8", [("🎂", 400, 360, 260), ("🎁", 180, 420, 120), ("🎈", 120, 140, 90), ("🎈", 680, 150, 110), ("🎉", 640, 420, 120), ("Happy birthday", 400, 545, 60)]),
}


def make_others(studio):
    for name, (canvas, fill, labels) in OTHERS.items():
        path = f"{studio.folder}/art/{name}.emojiart"
        studio.run("new", path, "--canvas", canvas)
        studio.run("canvas", path, "--fill", fill)
        for text, x, y, size in labels:
            studio.run("caption" if text.isascii() else "add", path, text, "--at", f"{x},{y}", "--size", str(size))
    for name in ["Old ones", "Worksheets"]:
        os.mkdir(f"{studio.folder}/art/{name}")


def picnic(studio):
    """What is made by hand is Fixtures/picnic.jsonl."""
    with open(f"{FIXTURES}/picnic.jsonl", encoding="utf-8") as file:
        wanted = [json.loads(line)["add"] for line in file]
    studio.environment["EMOJIART_AUTHOR"] = "Ada"
    os.remove(studio.document)
    studio.document = f"{studio.folder}/art/picnic.emojiart"
    studio.run("new", studio.document, "--canvas", "800x600")
    page = studio.page()
    drop_file(page, os.path.abspath(f"{FIXTURES}/images/meadow.png"))
    studio.until("the meadow", lambda background: background is not None, "background")
    for count, emoji in enumerate(wanted, 1):
        put(page, emoji["text"], emoji["x"], emoji["y"], emoji["size"])
        studio.until(emoji["text"], lambda made: len(made) == count and made[-1]["size"] == emoji["size"])
    made = studio.shown()
    far = [(a["text"], b["text"]) for a, b in zip(made, wanted)
           if a["text"] != b["text"] or a["size"] != b["size"] or abs(a["x"] - b["x"]) > 1 or abs(a["y"] - b["y"]) > 1]
    assert len(made) == len(wanted) and not far, f"elsewhere than in the script: {far}"
    print(f"{len(made)} emoji put by hand")
    bee, dog, beetle = (next(emoji for emoji in made if emoji["text"] == text) for text in ["🐝", "🐕", "🐞"])
    page.locator("#find").fill("")
    page.keyboard.press("Escape")
    page.mouse.click(*place(page, dog))
    page.keyboard.down("Shift")
    page.mouse.click(*place(page, beetle))
    page.keyboard.up("Shift")
    page.get_by_role("button", name="History").click()
    # Another shell, meanwhile.
    studio.run("move", studio.document, bee["id"], "--by", "60,-30")
    page.get_by_role("complementary", name="History").get_by_text("move 🐝").wait_for()
    page.wait_for_function("() => studio.status.saved === 'saved'")
    pictures = PICTURES if "pictures" in RECORDED else studio.folder
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme)
        page.evaluate("studio.whenPainted()")
        page.screenshot(path=f"{pictures}/studio-{scheme}.png")
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="History").click()
    make_others(studio)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+o")
    page.wait_for_function("count => document.querySelectorAll('#documents .cell img').length === count", arg=len(OTHERS) + 1)
    page.mouse.move(640, 700)
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished)).then(() => studio.whenPainted())")
    page.screenshot(path=f"{pictures}/studio-documents.png")
    if "pictures" in RECORDED:
        recorded(f"{PICTURES}/studio-*.png")


PICNIC_CASES = [picnic]
PICNIC_CHROMIUM_ONLY = {"picnic": "a file of the desk is dropped by Chromium's own interface only"}
