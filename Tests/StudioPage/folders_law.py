#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The law of the page with two folders and addresses that change: folders_law.py PROGRAMS [CASES [SEED]] [--browser chromium|firefox]

A case draws steps: edits with and without a server, servers of either folder at its own address, their links in the address bar or in the
dialog, reloads, hidden pages, other documents, tabs that end without a word. In half of the cases the sockets of a server are kept for the next one,
so a folder has one address. In the other half each server has another name, at one port. There an edit waits at the address where it was made, and goes
on when the tab follows a new link by the dialog, or is found when that address is loaded again while a server of its folder has the port.
At the end each server is there once, and a new tab opens its link, or each former address. Then each document
has the edits that were made while the page showed it, each once, and no other one. `scripts/dev torture` runs many cases; see docs/TORTURE.md.
"""
import argparse, collections, json, os, random as randomness, shutil, sys
from outbox_cases import BLIND, FOLDERS, SAVED, Desk, free_port
import resizing
from studio import LIMIT, Studio, loaded, place, ready

DOCUMENTS = {("art", "bees"): "🐝", ("art", "ants"): "🐜", ("other", "bees"): "🐘", ("other", "ants"): "🐈"}
STEPS = ["edit"] * 6 + ["stop", "serve"] * 3 + ["reload", "hide", "go", "tab"]
STEPS_A_CASE = 14
# Those of a case with a fault, which has to meet what it does wrong.
STEPS_OF_CONTROLS = ["edit", "stop", "edit", "reload", "serve", "stop", "edit", "serve"] * 2
# What a page may do wrong, by a script that runs before it.
CONTROLS = {
    "a page that knows folders by the names of their documents": BLIND,
    "a page that keeps nothing": "IDBObjectStore.prototype.put = function () { return this.count() };",
}
# How many requests a page has that are not answered: those that it can read, and those that it cannot read yet.
WAITING = "(whole.net.outbox.all.length + whole.net.outbox.closedCount)"
# How many of them nobody answers now.
UNANSWERED = f"whole.net.state === 'open' ? whole.net.outbox.all.filter(kept => kept.folderID !== whole.net.welcome.folderID).length : {WAITING}"


class Broken(Exception):
    """The law does not hold."""


def accept(dialog):
    """Leaves the page, as a user who is asked."""
    try:
        dialog.accept()
    except Exception as error:
        # The next navigation may have ended the question.
        if "No dialog is showing" not in str(error) and "Not attached to an active page" not in str(error):
            raise


class Law(Desk):
    def __init__(self, studio, random, count, spoils, isKept):
        self.studio, self.random, self.count, self.spoils = studio, random, count, spoils
        # The port of servers whose sockets are not kept: each has another name there.
        self.port = None if isKept else free_port()
        # The addresses that servers have had, with their folders and with how many requests a page has left there.
        self.addresses = {}
        # A page that knows names only is found where both folders have the document.
        self.kind = "copy" if spoils else random.choice(["fresh", "copy"])
        self.folders = {name: f"{studio.folder}/{name}" for name in FOLDERS}
        shutil.rmtree(self.folders["art"])
        self.wanted = dict.fromkeys(DOCUMENTS, 1)
        for (folder, name), emoji in DOCUMENTS.items():
            path = self.path(folder, name)
            os.makedirs(self.folders[folder], exist_ok=True)
            if folder == "other" and self.kind == "copy":
                shutil.copy(self.path("art", name), path)
                studio.run("replace", path, DOCUMENTS["art", name], "--with", emoji)
            else:
                studio.run("new", path, "--canvas", "640x480")
                studio.run("add", path, emoji, "--at", "320,240", "--size", "200")
        self.served = self.connected = None
        self.context = studio.blank().context
        if spoils:
            self.context.add_init_script(CONTROLS[spoils])
        self.page = None
        # Whether the tab shows the page, and whether that is one of a former address, which shows no document.
        self.isThere = self.isFormer = False

    def path(self, folder, name):
        return f"{self.folders[folder]}/{name}.emojiart"

    def begin(self, folder, name):
        """Starts a server, and gives the link to a document."""
        self.served = folder
        link = self.serve(folder, self.port)
        self.origin = link.split("/#")[0]
        self.addresses.setdefault(self.origin, [folder, 0])
        return f"{link.split('&')[0]}&d={name}.emojiart"

    def new_tab(self, link):
        self.another_tab()
        self.arrive(link)

    def another_tab(self):
        if self.page:
            self.page.close()
        self.page = self.context.new_page()
        self.page.on("dialog", accept)

    def arrive(self, link):
        """Goes to a link in a tab that shows no page of the studio."""
        # A reload without a server may still be under way, and ends the next navigation.
        for tries in range(10):
            try:
                self.page.goto("about:blank")
                break
            except Exception:
                if tries == 9:
                    raise
        self.page.goto(link)
        ready(self.page)
        self.opened(link)

    def opened(self, link):
        """The document of a link is open, what is pending of it is answered, and the next link can be asked for."""
        name = link.split("&d=")[1].split(".")[0]
        self.page.wait_for_function("name => document.getElementById('name').textContent === name", arg=name)
        self.page.wait_for_function(SAVED)
        self.page.evaluate(resizing.PROBE)
        loaded(self.page, "dialogs")
        self.isThere, self.isFormer, self.connected = True, False, self.served

    @property
    def shown(self):
        """The folder and the document that the page shows."""
        folder, name = self.page.evaluate("[whole.net.welcome.folder, whole.name]")
        folder = next((key for key, path in self.folders.items() if path == folder), self.connected)
        return folder, name.split(".")[0]

    # MARK: steps

    def do_edit(self):
        if not self.isThere or self.isFormer:
            return False
        before = self.page.evaluate("studio.shown()")
        what = self.shown
        self.page.evaluate("() => document.querySelectorAll('#notes .icon').forEach(button => button.click())")
        self.page.mouse.click(*place(self.page, {"x": 320, "y": 240}))
        self.page.keyboard.press("Control+d")
        self.page.wait_for_function("count => studio.shown() === count", arg=before + 1)
        self.wanted[what] += 1
        self.count["edits"] += 1
        self.count["edits without a server"] += not self.served or not self.isHome()
        return True

    def do_stop(self):
        if not self.served:
            return False
        self.stop()
        self.served = None
        if self.isThere:
            self.away()
        self.count["stops"] += 1
        return True

    def do_serve(self):
        folder, name = self.random.choice(list(FOLDERS)), self.random.choice(["bees", "ants"])
        link = self.begin(folder, name)
        if not self.page:
            self.new_tab(link)
        elif not self.isThere:
            self.arrive(link)
        elif self.port and self.random.random() < 0.4:
            # The tab stays where it is.
            self.away()
        elif self.isHome():
            # It goes on by itself, and asks for no link.
            self.address(link)
            self.opened(link)
        else:
            self.count["other addresses"] += 1
            self.follow(link)
            self.opened(link)
        self.count["links"] += 1
        return True

    def isHome(self):
        """Whether the page is at the address of the server."""
        return self.page.evaluate("location.origin") == self.origin

    def do_reload(self):
        if not self.isThere:
            return False
        self.leave()
        former = self.page.evaluate("location.origin")
        if self.served and not self.isHome() and self.addresses[former][0] == self.served:
            self.page.reload()
            self.found(former)
            self.count["reloads at a former address"] += 1
        elif self.served and self.isHome():
            self.page.reload()
            ready(self.page)
            self.page.wait_for_function("() => studio.status.net === 'open' || studio.status.net === 'refused'")
            if self.page.evaluate("studio.status.net") == "refused":
                self.page.evaluate(resizing.PROBE)
                self.isThere = False
            else:
                self.page.wait_for_function(SAVED)
                self.page.evaluate(resizing.PROBE)
                loaded(self.page, "dialogs")
        elif not self.port:
            # The kept sockets take a connection, and nobody answers before the next server: the user gives up.
            self.page.goto("about:blank")
            self.isThere = False
        else:
            # The browser shows a page of its own.
            try:
                self.page.reload()
            except Exception:
                pass
            self.isThere = False
        self.count["reloads"] += 1
        return True

    def do_hide(self):
        if not self.isThere:
            return False
        self.hide_and_show()
        self.count["hidden"] += 1
        return True

    def do_go(self):
        if not self.isThere or not self.served or not self.isHome():
            return False
        name = self.random.choice(["bees", "ants"])
        self.page.evaluate("name => whole.goTo(name)", f"{name}.emojiart")
        self.page.wait_for_function(SAVED)
        self.count["other documents"] += 1
        return True

    def do_tab(self):
        """The tab ends without a word, and another one has the address of the server."""
        if not self.isThere:
            return False
        self.leave()
        link = self.begin(self.random.choice(list(FOLDERS)), self.random.choice(["bees", "ants"]))
        self.new_tab(link)
        self.count["tabs"] += 1
        return True

    def leave(self):
        """What waits is kept: what is typed in the moment of a crash is lost in any program."""
        if self.spoils:
            return
        self.page.wait_for_function("""() => new Promise(resolve => { const opening = indexedDB.open('emojiart'); opening.onsuccess = () => {
          const all = opening.result.transaction('requests').objectStore('requests').getAllKeys();
          all.onsuccess = () => { opening.result.close(); resolve(%s <= all.result.length) } } })""" % WAITING)
        address = self.addresses[self.page.evaluate("location.origin")]
        address[1] = max(address[1], self.page.evaluate(UNANSWERED))

    def found(self, address):
        """The page of a former address has been loaded: it has what was left there, and shows no document."""
        ready(self.page)
        self.page.wait_for_function("() => studio.status.net === 'refused'")
        self.page.evaluate(resizing.PROBE)
        self.isThere = self.isFormer = True
        found, (_, least) = self.page.evaluate(WAITING), self.addresses[address]
        if found < least and not self.spoils:
            raise Broken(f"{found} of {least} requests are found at a former address")
        loaded(self.page, "dialogs")
        return found

    def end(self):
        """Everything that waits is sent: each folder's server is there once, or each former address is loaded again."""
        if self.isThere:
            self.leave()
        if not self.port:
            for folder in FOLDERS:
                self.new_tab(self.begin(folder, "bees"))
                self.sent()
            return
        for address, (folder, _) in list(self.addresses.items()):
            link = self.begin(folder, "bees")
            self.another_tab()
            self.page.goto(f"{address}/")
            # What is for the other folder goes on to its server.
            for other in [folder, *(each for each in FOLDERS if each != folder)] if self.found(address) else []:
                if other != folder:
                    link = self.begin(other, "bees")
                    self.leave()
                self.follow(link)
                self.opened(link)
                for name in ["ants", "bees"]:
                    self.page.evaluate("name => whole.goTo(name)", f"{name}.emojiart")
                    self.page.wait_for_function(SAVED)
                self.sent()
                self.count["former addresses"] += other == folder

    def sent(self):
        """Waits until nothing is kept for the folder that the page is connected to."""
        if not self.spoils:
            self.page.wait_for_function("() => !whole.net.outbox.all.some(kept => kept.folder === whole.net.welcome.folder)")

    def check(self):
        for (folder, name), emoji in DOCUMENTS.items():
            found = [one["text"] for one in json.loads(self.studio.run("show", self.path(folder, name), "--json"))["emojis"]]
            if set(found) != {emoji}:
                raise Broken(f"{folder}/{name} has emoji of another document: {collections.Counter(found)}")
            if len(found) != self.wanted[folder, name]:
                raise Broken(f"{folder}/{name} has {len(found)} emoji instead of {self.wanted[folder, name]}")
        self.count["compared"] += len(DOCUMENTS)


def attempt(programs, browser, seed, count, isKept, spoils=None):
    """Runs a case, with kept sockets or without. The sentence that says what is broken, empty if nothing is."""
    studio = Studio(programs, browser)
    random = randomness.Random(f"folders:{seed}")
    log = []
    try:
        law = Law(studio, random, count, spoils, isKept)
        count["with kept sockets" if isKept else "with new names"] += 1
        law.do_serve()
        while len(log) < STEPS_A_CASE:
            step = STEPS_OF_CONTROLS[len(log)] if spoils else random.choice(STEPS)
            log.append(step)
            if not getattr(law, f"do_{step}")() and not spoils:
                log.pop()
        law.end()
        law.check()
        if studio.faults:
            raise Broken(str(studio.faults))
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:700]} after {' '.join(log)} {studio.states()[-1:]}"
    finally:
        studio.close()


def main():
    from support.browsers import opened
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("cases", nargs="?", type=int, default=1)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--browser", choices=["chromium", "firefox"])
    given = parser.parse_intermixed_args()
    programs, failed = os.path.abspath(given.programs), False
    for name in [given.browser] if given.browser else ["chromium", "firefox"]:
        with opened(name, LIMIT) as browser:
            count, broken = collections.Counter(), 0
            for spoils, isKept in [(spoils, isKept) for spoils in CONTROLS for isKept in [True, False]]:
                found = next((seed for seed in range(1, 9) if attempt(programs, browser, seed, collections.Counter(), isKept, spoils).startswith("Broken")), 0)
                failed |= not found
                print(f"H20 control in {name}, {spoils}, {'kept sockets' if isKept else 'new names'}: {f'found in case {found}' if found else 'NOT found'}", flush=True)
            for seed in range(given.seed, given.seed + given.cases):
                if sentence := attempt(programs, browser, seed, count, seed % 2 == 0):
                    broken += 1
                    print(f"  broken: {sentence} (seed {seed}, {name})", flush=True)
            tally = ", ".join(f"{count[key]} {key}" for key in sorted(count))
            print(f"H20 folders and addresses in {name}: {given.cases} cases, {tally}, {broken} broken", flush=True)
            failed |= broken > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
