#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the studio beside other editors and prints tables in Markdown; scripts/dev bench studio starts it."""
import argparse, asyncio, itertools, os, sys
from playwright.async_api import async_playwright
from documents import browse
import firefox_frames
from editors import Excalidraw, Scene, Studio, Tldraw
from frames import LIMIT, visit
from live import commands, latencies, memory, starts
from machine import Others, quantile, spread, table

GESTURES = ["drag one", "drag all", "pan", "zoom"]


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("programs", "sizes", "editors", "only", "peers", "tldraw"):
        parser.add_argument(f"--{name}")
    for name in ("runs", "documents"):
        parser.add_argument(f"--{name}", type=int)
    return parser.parse_args()


def note(text):
    print(text, file=sys.stderr, flush=True)


def editors(options):
    wanted, found = options.editors.split(","), [Studio(options.programs)]
    if options.tldraw:
        found.append(Tldraw(options.tldraw))
    if options.peers and os.path.isfile(f"{options.peers}/excalidraw/index.html"):
        found.append(Excalidraw(f"{options.peers}/excalidraw"))
    return [each for each in found if each.name.split()[0].lower() in wanted]


def gestures(editor, size):
    """What is measured: dragging 10,000 would take a peer minutes."""
    return [each for each in GESTURES if isinstance(editor, Studio) or size <= 1000 or each != "drag all"]


async def sessions(playwright, editor, size, options):
    """Opens an editor again and again. Gives what it was like each time, or what went wrong."""
    results = []
    for run in range(options.runs):
        note(f"{editor.name}, {size} emoji, {run + 1} of {options.runs}")
        result = {}
        try:
            async with visit(playwright, editor, Scene(min(size, editor.most))) as opened:
                if "opening" in options.only:
                    result |= await opened.opening()
                if "frames" in options.only:
                    for name in gestures(editor, size):
                        result[name] = await asyncio.wait_for(opened.gesture(name), LIMIT)
        except Exception as error:
            # What was measured before stays.
            note(f"failed: {type(error).__name__} {error}")
        results.append(result)
    return results


def column(results, name, digits=0, part=None):
    return spread([each[name] if part is None else each[name][part] for each in results if each.get(name) is not None], digits)


def tell_frames(measured):
    for size in sorted({size for _, size in measured}):
        rows = []
        for (editor, each), results in measured.items():
            if each == size:
                name = editor.name if size <= editor.most else f"{editor.name}, {editor.most:,} emoji"
                rows.append([name] + [f"{column(results, gesture, 0, 0)}, {column(results, gesture, 1, 1)} ms"
                                      if any(gesture in result for result in results) else "–" for gesture in GESTURES])
        table([f"{size:,} emoji", *GESTURES], rows)
    print("\nFrames that the display drew a second, and processor time of the page's main thread for each. The median of the runs, least and most. "
          "Trusted input of the mouse, 120 events a second for 2 s. All of the scene is seen; before panning, each editor is zoomed in by 1.5 "
          "about the middle, since at fit our canvas does not move. Zooming is by 2.2, in and out, twice.")


def tell_opening(measured):
    columns = [("first paint, ms", "fcp", 0), ("painted, ms", "painted", 0), ("sharp, ms", "sharp", 0), ("program, KB", "program", 0),
               ("content, KB", "content", 0), ("requests", "requests", 0), ("heap, MB", "heap", 1)]
    table(["opening", "emoji", *(head for head, *_ in columns)], [
        [editor.name, f"{min(size, editor.most):,}", *(column(results, name, digits) for _, name, digits in columns)]
        for (editor, size), results in measured.items()])
    print("\nMilliseconds from the navigation. Painted: each emoji; sharp: ours with the program's own glyphs. KB: bodies and heads as they are sent, "
          "with gzip; content: our document and the pictures of its glyphs, while peers have the scene already. Requests: those that began before "
          "the scene was painted, without the pictures of glyphs. Heap: of JavaScript, workers too, after two collections.")


async def main():
    options = arguments()
    sizes = [int(size) for size in options.sizes.split(",")]
    if "opening" in options.only or "frames" in options.only:
        measured = {}
        async with async_playwright() as playwright:
            for editor in editors(options):
                for size in sizes:
                    if isinstance(editor, Studio) or size <= 10000:
                        measured[editor, size] = await sessions(playwright, editor, size, options)
        if "frames" in options.only:
            tell_frames(measured)
        if "opening" in options.only:
            tell_opening(measured)
        Others.told()
    if "firefox" in options.only:
        firefox_frames.tell_frames(options.programs, [Scene(size) for size in sizes], options.runs, note)
    if "latency" in options.only:
        note("edits")
        async with async_playwright() as playwright:
            found = await latencies(playwright, options.programs, max(100, 34 * options.runs), max(50, 17 * options.runs))
        table(["an edit among 1,000 emoji", "median ms", "99 of 100", "edits"], [
            [name, f"{quantile(times, 0.5):.0f}", f"{quantile(times, 0.99):.0f}", str(len(times))] for name, times in zip([
                "`emojiart move`, from its start to the pixel", "from its end to the pixel", "a drag in the page, from the release to the file"], found)])
        print("\nA probe looks at the page's picture in each frame; the pixel is there when the display has drawn the frame after it was found.")
        Others.told()
    if "documents" in options.only:
        note(f"{options.documents} documents")
        async with async_playwright() as playwright:
            found = await browse(playwright, options.programs, options.documents, options.runs + 1, 10)
        table([f"{options.documents:,} documents", ""], [[name, f"{spread(found[key], digits)} {unit}"] for name, key, digits, unit in [
            ("`emojiart serve` until its link is printed", "link", 0, "ms"), ("first thumbnail, drawn anew", "first cold", 0, "ms"), ("all that are seen, drawn anew", "all cold", 0, "ms"),
            ("first thumbnail, from the cache", "first warm", 0, "ms"), ("all that are seen, from the cache", "all warm", 0, "ms"), ("requests for thumbnails until then", "asked", 0, ""),
            ("frames a second while scrolling", "frames", 0, ""), ("main thread for each", "busy", 1, "ms"), ("requests after scrolling past thousands", "scrolled", 0, ""),
            ("drawing processes at once, at most", "workers", 0, ""), ("PSS of the server before any page", "idle", 1, "MB"), ("PSS of the server afterwards", "memory", 1, "MB"),
            ("PSS of its helpers", "helpers", 1, "MB")]] + [["a save to its new picture, from the end of the command",
             f"{quantile(found['saves'], 0.5):.0f} ms; 9 of 10 within {quantile(found['saves'], 0.9):.0f} ms; {len(found['saves'])} saves"]])
        Others.told()
    if "server" in options.only:
        note("server")
        with Others():
            linked, connected = starts(options.programs, 20)
            version, add = commands(options.programs, 100)
        async with async_playwright() as playwright:
            memories = list(zip(*[await memory(playwright, options.programs) for _ in range(options.runs)]))
        sizes = [os.stat(f"{options.programs}/{name}").st_size / 1e6 for name in ["emojiart-studio", "emojiart"]]
        table(["the server and the command", "", ""], [
            ["`emojiart serve` until its link is printed", spread(linked, 1), "ms"], ["until a connection succeeds", spread(connected, 1), "ms"],
            *([f"PSS of {of} {when}", spread(megabytes, 1), "MB"] for (when, of), megabytes in zip(
                itertools.product(["before any page", "with one page of 1,000 emoji", "when that has gone"], ["the server", "its helpers"]), memories)),
            ["`emojiart-studio`, stripped", f"{sizes[0]:.1f}", "MB"], ["`emojiart`, stripped", f"{sizes[1]:.1f}", "MB"],
            ["`emojiart --version`", spread(version, 1), "ms"], ["`emojiart add` to 1,000 emoji", spread(add, 1), "ms"]])
        Others.told()


asyncio.run(main())
