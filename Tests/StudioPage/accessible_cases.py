# SPDX-License-Identifier: Apache-2.0
"""Cases of browser.py for people who do not see, or do not use a pointer: axe-core on every screen, the accessibility tree as it is committed,
keys, spoken words, and the sizes of what is tapped."""
import difflib, importlib.resources, json, os, re, subprocess
from document_cases import FIXTURES, cell, dialog, folder, make, opened, tap
from studio import RECORDED, act, recorded

AXE = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
TREES = f"{FIXTURES}/studio/trees"
NAMES = ["Garden", "Picnic", "Reading list", "Worksheet 1", "Worksheet 2", "Worksheet 10"]
SCREENS = {
    "help": "Keys and help", "export": "Export", "background": "Background picture", "canvas": "Canvas: size", "name": "Your name", "new": "New document…",
    "language": "Language", "font": "Emoji style", "rename": "Rename the document"}
# One page for each design: a desk, half a desk, a phone, and a phone on its side.
PAGES = {
    "desk": {"viewport": {"width": 1280, "height": 800}}, "half": {"viewport": {"width": 640, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "low": {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}}


def screens(page, isSmall):
    """Shows one screen after the other, and yields the name of each."""
    yield "documents"
    cell(page, "Garden").focus()
    page.keyboard.press("Space")
    page.get_by_text("1 selected").wait_for()
    yield "documents selected"
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menu").wait_for()
    yield "document menu"
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    opened(page, "Garden")
    for name in ["cherry blossom", "honeybee"]:
        page.get_by_role("option", name=name).wait_for(state="attached")
    yield "document"
    page.locator("#options").focus()
    page.keyboard.press("Tab")
    page.wait_for_function("() => studio.selected.length === 1")
    page.locator("#selection").wait_for()
    page.wait_for_function("() => document.querySelector('#options [aria-selected=true]')")
    yield "selection"
    if isSmall:
        tap(page, page.get_by_role("button", name="Add emoji"))
        page.locator("#found button").first.wait_for()
        yield "sheet"
        page.get_by_role("button", name="Add emoji").evaluate("button => button.click()")
        page.locator("#found button").first.wait_for(state="hidden")
        page.locator("#options").focus()
    page.locator('button[data-action="menu"]').click()
    page.get_by_role("menu").wait_for()
    yield "menu"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+/")
    page.get_by_role("combobox").wait_for()
    yield "commands"
    page.keyboard.press("Escape")
    page.get_by_role("combobox").wait_for(state="detached")
    for name, words in SCREENS.items():
        act(page, words)
        dialog(page).get_by_role("heading", level=2).wait_for()
        yield name
        page.keyboard.press("Escape")
        dialog(page).wait_for(state="detached")
    act(page, "History")
    page.locator("#history li").first.wait_for()
    yield "history"


def faults_of(page):
    """What axe-core finds on the page, a line each."""
    page.evaluate(f"() => {{ {AXE}\n}}")
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [f"{fault['id']}: {node['target']} {node['failureSummary']}" for fault in found["violations"] for node in fault["nodes"]], len(found["passes"])


# The schemes and designs that each run looks at.
AXE_PAGES = [("light", "desk"), ("dark", "phone")]


def axe(studio):
    """axe-core finds nothing, on any screen of any design, light and dark; and it does find what is put in."""
    tried = passes = 0
    garden(studio)
    for scheme, design in [(scheme, design) for scheme in ["light", "dark"] for design in PAGES] if studio.is_whole else AXE_PAGES:
        page = studio.page(color_scheme=scheme, **PAGES[design])
        for screen in screens(page, design in ["phone", "low"]):
            faults, passed = faults_of(page)
            assert not faults, (scheme, design, screen, faults)
            tried, passes = tried + 1, passes + passed
        page.evaluate("document.querySelector('.bar').append(document.createElement('button'))")
        assert any("button-name" in fault for fault in faults_of(page)[0]), "the control is found"
        page.context.close()
    print(f"axe-core: {tried} screens, {passes} rules passed", flush=True)


def garden(studio):
    os.remove(studio.document)
    for name in NAMES:
        path = make(studio, name)
        os.utime(path, (1_767_225_600, 1_767_225_600))
    studio.run("add", f"{studio.folder}/art/Garden.emojiart", "🌸", "--at", "100,100")
    os.utime(f"{studio.folder}/art/Garden.emojiart", (1_767_225_600, 1_767_225_600))
    studio.served = f"{studio.folder}/art"


def told(tree):
    """What has a name in a tree, with its states. What a modal dialog covers is left out, since the tree of Firefox's service has no such thing."""
    parts = []
    for line in tree[tree.rfind("\n- dialog") + 1:].splitlines():
        if found := re.match(r"""\s*- '?([a-z]+) ("(?:[^"\\]|\\.)*")((?: \[[^]]*\])*)""", line):
            role, name, states = found.groups()
            # HTML gives a field of a colour no role.
            role = "button" if name == '"Colour"' else role
            parts.append(" ".join([role, name.replace("''", "'"), *re.findall(r"checked|disabled|expanded|pressed|selected", states)]))
    return parts


def trees(studio):
    """The accessibility tree of each screen is the committed one. Firefox's service makes it by rules of its own for what has no name."""
    garden(studio)
    tried = 0
    lines = told if studio.browser.name == "firefox" else str.splitlines
    for design in ["desk", "phone"]:
        page = studio.page(**PAGES[design])
        for screen in screens(page, design == "phone"):
            if screen in ["history", "font"]:
                # Times are those of this run, and fonts those of this machine.
                continue
            path = f"{TREES}/{design}-{screen.replace(' ', '-')}.yml"
            if "trees" in RECORDED and studio.browser.name == "chromium":
                with open(path, "w") as file:
                    file.write(page.aria_snapshot() + "\n")
            with open(path) as file:
                wanted = lines(file.read())
            try:
                studio.wait(lambda: lines(page.aria_snapshot()) == wanted, path)
            except AssertionError:
                now = lines(page.aria_snapshot())
                raise AssertionError("\n".join(list(difflib.unified_diff(wanted, now, path, "now", n=1, lineterm=""))[:40])) from None
            tried += 1
        page.context.close()
    if "trees" in RECORDED:
        recorded(TREES)
    assert tried == len(os.listdir(TREES)), "each committed tree is of a screen"
    print(f"accessibility trees: {tried} compared", flush=True)


def reads_by_position(studio):
    """Tab goes through emoji as they are read, Ctrl and an arrow to the nearest one; each is an option with its place among all."""
    for emoji, place in [("🐝", "500,100"), ("🌸", "100,110"), ("🍄", "300,90"), ("🐢", "300,400"), ("🦊", "100,380")]:
        studio.run("add", studio.document, emoji, "--at", place)
    page = studio.page()
    page.locator("#options").focus()
    for position, name in enumerate(["cherry blossom, 100 across, 110 down", "mushroom, 300 across, 90 down", "honeybee, 500 across, 100 down", "fox, 100 across, 380 down", "turtle, 300 across, 400 down"], 1):
        page.keyboard.press("Tab")
        page.wait_for_function("""([name, position]) => {
          const option = document.getElementById(document.getElementById('options').getAttribute('aria-activedescendant'));
          return option?.ariaPosInSet === position && option.ariaSetSize === '5' && option.getAttribute('aria-label').startsWith(name);
        }""", arg=[name, str(position)])
    page.keyboard.press("Control+ArrowUp")
    page.wait_for_function("() => { const o = document.getElementById(document.getElementById('options').getAttribute('aria-activedescendant')); return o?.ariaPosInSet === '2' }")
    page.keyboard.press("Control+ArrowUp")
    page.get_by_text("Nothing is there").wait_for(state="attached")


def takes_up_by_keys(studio):
    """An emoji is taken up, moved in steps that are said, put down as one edit, or put back."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    page.locator("#options").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("g")
    page.get_by_text("Taken up: 1 emoji").wait_for(state="attached")
    page.keyboard.press("ArrowRight")
    page.get_by_text("330 across, 240 down").wait_for(state="attached")
    page.keyboard.press("Shift+ArrowDown")
    page.get_by_text("330 across, 340 down").wait_for(state="attached")
    page.keyboard.press("Enter")
    page.get_by_text("Put down at 330 across, 340 down").wait_for(state="attached")
    studio.until("the move", lambda e: (e[0]["x"], e[0]["y"]) == (330, 340))
    assert studio.run("history", studio.document).count("move 🐝") == 1
    page.keyboard.press("g")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    page.get_by_text("Put back").wait_for(state="attached")
    page.keyboard.press("Control+d")
    studio.until("the copy of what is where it was", lambda e: len(e) == 2 and e[0]["x"] == 330)


def ten_thousand_by_position(studio):
    """Of 10,000 emoji at most 500 are elements, and the keys reach the first, the last and those around each."""
    lines = [json.dumps({"add": {"text": "🐝", "x": 10 + 20 * (index % 100), "y": 10 + 20 * (index // 100), "size": 16}}) for index in range(10_000)]
    done = subprocess.run([f"{studio.programs}/emojiart", "edit", studio.document, "--json", "--atomic"], env=studio.environment, input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = studio.page()
    page.locator("#options").focus()
    at = "position => document.getElementById(document.getElementById('options').getAttribute('aria-activedescendant'))?.ariaPosInSet === position"
    page.keyboard.press("Tab")
    page.wait_for_function(at, arg="1")
    page.keyboard.press("Control+ArrowDown")
    page.wait_for_function(at, arg="101")
    page.keyboard.press("Control+ArrowRight")
    page.wait_for_function(at, arg="102")
    page.keyboard.press("Shift+Tab")
    page.wait_for_function(at, arg="101")
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    page.wait_for_function(at, arg="98")
    count = page.evaluate("document.querySelectorAll('#options [role=option]').length")
    assert 20 < count <= 500, count
    around = page.evaluate("[...document.querySelectorAll('#options [role=option]')].map(o => +o.ariaPosInSet)")
    assert around == sorted(around) and {97, 98, 99} <= set(around), "elements are in the order of reading"


def says_what_others_do(studio):
    """Others' edits are said, gathered; states are said when they go wrong, and when they are well again."""
    studio.run("add", studio.document, "🐝", "--at", "320,240")
    page = studio.page()
    studio.environment["EMOJIART_AUTHOR"] = "Ada"
    studio.run("move", studio.document, "🐝", "--by", "10,0")
    page.wait_for_function("() => document.getElementById('speech').textContent.startsWith('Ada: move 🐝')")
    studio.server.kill()
    studio.server.wait()
    page.wait_for_function("() => document.getElementById('speech').textContent.startsWith('Reconnecting')")
    studio.serve()
    page.wait_for_function("() => document.getElementById('speech').textContent.startsWith('Saved')")


def focus_is_kept(studio):
    """A dialog and a menu give the focus back to where it was."""
    page = folder(studio, ["ants", "bees"])
    cell(page, "bees").focus()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Export…").focus()
    page.keyboard.press("Enter")
    dialog(page).wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.closest('#documents')")
    cell(page, "bees").focus()
    page.keyboard.press("Enter")
    opened(page, "bees")
    button = page.get_by_role("button", name="Background picture…").first
    button.focus()
    page.keyboard.press("Enter")
    dialog(page).wait_for()
    # Tab stays in the dialog.
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("Boolean(document.activeElement.closest('dialog')) || document.activeElement === document.body")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.dataset.action === 'background'")


def targets(studio):
    """What is clicked has 24 pixels at least, and 44 where fingers tap."""
    garden(studio)
    tried = 0
    for design in PAGES if studio.is_whole else ["desk", "phone"]:
        options = PAGES[design]
        least = 44 if "has_touch" in options else 24
        page = studio.page(**options)
        for screen in screens(page, "has_touch" in options):
            small = page.evaluate("""least => {
              const all = [...document.querySelectorAll('button, select, input:not([type=checkbox], [type=radio]), [role=gridcell], label:has([type=checkbox], [type=radio])')];
              const seen = all.filter(e => e.offsetParent !== null && getComputedStyle(e).visibility !== 'hidden' && getComputedStyle(e).opacity !== '0' && !e.closest('[inert]'));
              return [seen.length, seen.flatMap(e => { const b = e.getBoundingClientRect(); return b.width + .5 < least || b.height + .5 < least ? [`${e.outerHTML.slice(0, 90)} ${b.width}x${b.height}`] : [] })];
            }""", least)
            assert not small[1], (design, screen, small[1][:6])
            tried += small[0]
        page.context.close()
    print(f"targets: {tried} measured", flush=True)


ACCESSIBLE_CASES = [axe, trees, reads_by_position, takes_up_by_keys, ten_thousand_by_position, says_what_others_do, focus_is_kept, targets]
