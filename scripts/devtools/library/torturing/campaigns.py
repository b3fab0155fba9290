# SPDX-License-Identifier: Apache-2.0
"""The campaigns of scripts/dev torture: what is run for each, how many cases make one whole, and what its lines must add up to."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Promise:
    """What the lines that match add up to, over all parts of a campaign: at least so many."""

    what: str
    pattern: str  # its group is a number
    least: int


@dataclasses.dataclass(frozen=True)
class Campaign:
    name: str
    what: str
    whole: int  # cases; a sweep ends earlier when it has come to its last place
    part: int  # cases of one run, which is lost when it is stopped
    tests: str = ""  # the filter of `swift test`
    program: tuple[str, ...] = ()  # or words of `scripts/dev`, with --seed, --count and, for torture, --program
    promises: tuple[Promise, ...] = ()
    is_sweep: bool = False
    is_alone: bool = False  # tries no program


def swept(name, what, tests, pattern, least, part=100, whole=2_000, outcomes=None):
    """A sweep, and the least of each outcome that its lines name. A part may be of one outcome only; the sum of all parts has each."""
    line = pattern[:pattern.index(":") + 1] if ":" in pattern else pattern[:pattern.index(" .*") + 1]
    promises = [Promise(what, pattern, least)]
    promises += [Promise(f"{what}: {outcome}", rf"{line}.*\b{outcome} (\d+)", number) for outcome, number in (outcomes or {}).items()]
    return Campaign(name, what, whole, part, tests, promises=tuple(promises), is_sweep=True)


def tried(name, what, whole, part, tests, pattern, *more, least=None):
    return Campaign(
        name, what, whole, part, tests, promises=(Promise(what, pattern, whole if least is None else least), *more)
    )


def studio(name, what, whole, part, words, *promises):
    return Campaign(
        name, what, whole, part, program=("torture", "studio", words), promises=promises)


RESTORES = {"not restored yet": 6, "restored": 6, "next one killed": 4}

CAMPAIGNS = (
    tried("listeners", "steps of listeners", 1_000_000, 50_000, "ListenerLawTests/law",
          r"^D17 law from .*: (\d+) steps .* 0 wrong"),
    tried("listeners-of-files", "steps of listeners of files", 20_000, 1_000, "FileListenerLawTests/law",
          r"^D17 law of files from .*: (\d+) steps.* 0 wrong",
          Promise("other processes killed", r"^D17 law of files .* (\d+) of them killed", 400)),
    tried("damage", "damaged files", 20_000, 1_000, "DamageTests", r"^F7 damage, .*: (\d+) files, .*wrong content shown 0"),
    tried("free-lists", "pages of earlier saves, free lists", 3_000, 500, "FreeListTests",
          r"^F8 free list, .*: (\d+) files, .* 0 accepted wrongly, 0 edits lost", least=1_000),
    tried("fuzz-page", "mutations of page 2", 500_000, 100_000, "FuzzTests/leafPage", r"^F7 page 2: (\d+) mutations.*none wrong"),
    tried("fuzz-rows", "mutations of rows", 500_000, 100_000, "FuzzTests/rows", r"^F7 rows: (\d+) mutations"),
    tried("fuzz-fonts", "mutations of fonts", 100_000, 20_000, "FontMutationTests/fonts", r"^V19 fonts: (\d+) mutations"),
    tried("fuzz-journals", "mutations of journals", 100_000, 20_000, "JournalReadingTests/fuzz", r"^K5 journals: (\d+) mutations"),
    tried("writers", "edits by eight programs at once", 2_000, 2_000, "ConcurrencyTests/eightWriters",
          r"^F19 concurrency: .* (\d+) in the document, 0 lost"),
    swept("kills-of-new", "kills of new", "SweepTests/killedNew", r"^F14 new: .*killed at (\d+) of", 150,
          outcomes={"nothing": 21, "whole": 2}),
    swept("kills-of-add", "kills of add", "SweepTests/killedEdit", r"^F14 add: .*killed at (\d+) of", 150,
          outcomes={"old": 21, "new": 2, "journal": 2}),
    swept("kills-of-move", "kills of move --all", "SweepTests/killedLargeEdit", r"^F14 move --all: .*killed at (\d+) of", 100,
          outcomes={"old": 21, "new": 2, "journal": 2}),
    swept("kills-of-a-version", "kills of version", "SweepTests/killedVersion", r"^F14 version kept: .*killed at (\d+) of", 100,
          outcomes={"old": 21, "new": 1}),
    swept("kills-of-a-removed-version", "kills of version --remove", "SweepTests/killedVersion",
          r"^F14 version removed: .*killed at (\d+) of", 100, outcomes={"old": 21, "new": 1}),
    swept("kills-of-a-recovery", "kills of a recovery", "SweepTests/killedRecovery", r"^F14 recovery: .*killed at (\d+) of", 200,
          outcomes={"old": 21, "new": 1}),
    swept("kills-of-a-repair", "kills of a repair", "SweepTests/killedRepair", r"^F14 repair: .*killed at (\d+) of", 150,
          outcomes={"old": 21, "mended": 1}),
    swept("failing-calls", "failing system calls", "SweepTests/failingCalls", r"^F17 failing calls: (\d+) tried", 300, 50,
          outcomes={"answered": 50, "refused": 100, "unknown": 10}),
    tried("power-cuts", "power cuts", 20_000, 4_000, "PowerCutTests/saves", r"^F15 power cut: (\d+) cuts.*: lost 0, torn 0;"),
    tried("power-cuts-of-a-recovery", "power cuts in a recovery", 4_000, 2_000, "PowerCutTests/recovery",
          r"^F15 power cut in a recovery: (\d+) cuts.* lost 0, torn 0"),
    tried("power-cuts-of-a-stream", "power cuts in a stream", 20_000, 4_000, "StreamPowerCutTests/stream",
          r"^F15 power cut in a stream: (\d+) cuts.* lost 0, torn 0;"),
    tried("power-cuts-of-a-restore", "power cuts in a restore", 4_000, 2_000, "StreamPowerCutTests/restoring",
          r"^F15 power cut in a restore: (\d+) cuts.* lost 0, torn 0"),
    tried("power-cuts-of-sqlite", "losses of SQLite with FULL", 20_000, 10_000, "PowerCutTests/control",
          r"^F15 control with FULL.*: lost (\d+) of.*with EXTRA: lost 0", least=1_000),
    tried("studio-power", "power cuts in the studio's server", 20_000, 4_000, "StudioPowerCutTests",
          r"^F15 power cut in the studio: (\d+) cuts.* lost 0, torn 0;"),
    tried("power-cuts-of-warnings", "power cuts of warnings", 2_000, 1_000, "WarningPowerCutTests",
          r"^B23 power cut in warnings .*: (\d+) cuts.* lost 0, torn 0"),
    tried("random-kills", "random kills of streams", 10_000, 500, "RandomKillTests", r"^K17 random kills: (\d+) streams.*lost 0",
          Promise("kills of restores", r"^K17 random kills: .* (\d+) recoveries killed", 250),
          Promise("edits lost without journals", r"^K17 control without journals: .*lost (\d+)", 1)),
    swept("kills-of-a-stream", "kills of a stream at its system calls", "StreamKillTests/killedStream",
          r"^T1 stream, .*: .*killed (\d+) times in .*lost 0 times", 350, 60, outcomes={"journal": 1, "lost without it": 1}),
    swept("kills-of-a-restore", "kills of a restore at its system calls", "StreamKillTests/killedRestore",
          r"^T1 restore .*killed at (\d+) of.*doubled 0 times", 280, outcomes=RESTORES),
    swept("kills-of-an-edit-that-restores", "kills of an edit that restores", "StreamKillTests/killedEditThatRestores",
          r"^T1 add .*killed at (\d+) of.*doubled 0 times", 400, outcomes=RESTORES),
    swept("kills-of-a-stream-that-restores", "kills of a stream that restores", "StreamKillTests/killedStreamThatRestores",
          r"^T1 edit .*killed at (\d+) of.*doubled 0 times", 350, outcomes=RESTORES),
    swept("faults-of-a-stream", "failing system calls of a stream", "StreamFaultTests",
          r"^T2 faults, .*: .*, (\d+) failures.*lost 0 times", 400, 25,
          outcomes={"told": 1, "refused": 3, "left in the journal": 6}),
    swept("moved-files", "moved files", "MovedFileTests/movedUnderStream", r"^T3 moved files: (\d+) cases", 55, 20),
    swept("moved-files-of-a-restore", "moved files, before a restore", "MovedFileTests/movedBeforeRestore",
          r"^T3 moved files: (\d+) cases", 10),
    Campaign("half-saves", "halves of saves met without their journal", 1, 1, "HalfSaveTests",
             promises=(Promise("halves of saves met without their journal", r"^F25 killed saves: .* (\d+) halves", 4),)),
    tried("backgrounds", "documents whose backgrounds change", 200, 50, "PictureWalkTests", r"^B17 backgrounds: (\d+) walks"),
    swept("kills-of-a-background", "kills while a background is set", "PictureKillTests/killedEdit",
          r"^B18 edit, .*: .*killed at (\d+) of", 100, 200, 20_000, {"old": 6, "new": 2, "journal": 1}),
    swept("kills-of-an-open-background", "kills while an open document's background is set", "PictureKillTests/killedStream",
          r"^B18 stream, .*: .*killed at (\d+) of", 100, 200, 20_000, {"old": 6, "new": 2, "journal": 1}),
    swept("kills-of-a-new-background", "kills of new with a background", "PictureKillTests/killedNew",
          r"^B18 new: .*killed at (\d+) of", 50, 200, 20_000, {"nothing": 6, "whole": 1}),
    tried("folders", "folders in which much happens", 200, 20, "FolderLifeTests/lives", r"^W6 lives: (\d+) folders"),
    tried("watched-folders", "the same, watched for real", 50, 5, "FolderLifeTests/real", r"^W6 watched lives: (\d+) folders"),
    tried("schedules", "random schedules of the debouncer", 10_000, 5_000, "DebouncerTests",
          r"^W1 debouncer: (\d+) random", Promise("stories of the debouncer", r"^W1 debouncer: (\d+) stories", 16)),
    tried("subfolders", "folders moved at random", 6, 2, "TreeWatchTests/random", r"^W11 subfolders: (\d+) random", least=360),
    swept("real-writers", "real writers", "WriterTests", r"^W6 writers: (\d+) tried", 56, 20),
    tried("stops-of-a-stream", "stops of a stream", 2_000, 500, "StopTests/stream", r"^D11 stops: (\d+) tried, 0 held"),
    tried("stops-of-a-watcher", "stops of a watcher", 2_000, 500, "StopTests/watcher", r"^D11 stops: (\d+) tried, 0 held"),
    tried("pictures", "mutations of pictures, decoded", 20_000, 2_000, "ArtDrawingTests.MutationTests",
          r"^B3 mutations: (\d+) tried.* 0 crashes"),
    tried("headers", "mutations of pictures' headers", 200_000, 50_000, "HeaderTests/mutations", r"^B3 headers: (\d+) mutations"),
    tried("exchange", "mutations of other programs' documents", 100_000, 10_000, "ForeignMutationTests",
          r"^X2 mutations, .*: (\d+) tried, .* 0 broken", least=600_000),
    Campaign("helpers", "helper programs in trouble, and more events than are read", 1, 1,
             "OverflowTests|HelperTroubleTests|HostileServerTests|CanaryTests",
             promises=(
                 Promise("events before an overflow is read", r"^W2 overflow: (\d+) events", 50_000),
                 Promise("helpers killed or stopped", r"^W3 helper: (\d+) killed", 4),
                 Promise("hostile answers of a server", r"^B5 hostile routes: (\d+), ", 100),
                 Promise("spellings of special addresses", r"^B9 canary: (\d+) spellings, 0 conn", 60),
                 Promise("redirects to special addresses", r"^B10 canary: (\d+) redirects, 0 conn", 50),
             )),
    Campaign("libfuzzer", "seconds of libFuzzer", 600, 300, program=("fuzz", "exchange"),
             promises=(Promise("inputs of libFuzzer", r"^X2 fuzz: (\d+) inputs in .*, 0 found", 1_200_000),)),
    Campaign("fuzz-frames", "seconds of libFuzzer for frames", 600, 300, program=("fuzz", "frames"),
             promises=(Promise("frames of libFuzzer", r"^H11 fuzz of frames: (\d+) inputs in .*, 0 found", 100_000),)),
    Campaign("outside-attacks", "rounds of each attack from outside", 40, 10,
             program=("torture", "attacks"),
             promises=(Promise("attacks from outside", r"^[CFK]\d+ [a-z ]+: (\d+) tried, 0 broken", 1_000),)),
    Campaign("similar-names", "edits under names that are nearly the same", 10_000, 1_000,
             program=("torture", "names"),
             promises=(Promise("edits under names that are nearly the same", r"^K12 names: (\d+) edits .* 0 elsewhere", 10_000),)),
    Campaign("stops-under-load", "programs stopped under load", 2_000, 500,
             program=("torture", "stops"),
             promises=(Promise("programs stopped under load", r"^D11 stops: (\d+) tried \(", 2_000),)),
    studio("studio-kills", "kills of the studio's server under its pages", 40, 10, "kills",
           Promise("kills of the studio's server", r"^H6 kills of the server: .* (\d+) kills, .* 0 broken", 200),
           Promise("edits that its pages sent twice", r"^H6 kills of the server: .* (\d+) repeated, .*0 broken", 100)),
    studio("studio-law", "pages, commands and a stream on one document", 60, 20, "law",
           Promise("edits of pages", r"^H8 law of the studio: .* (\d+) edits, .* 0 broken", 2_000),
           Promise("pages compared with the file", r"^H8 law of the studio: .* (\d+) compared, .* 0 broken", 120),
           Promise("kills of the server", r"^H8 law of the studio: .* (\d+) kills, .* 0 broken", 40)),
    Campaign("studio-resizes", "sizes of the page in the middle of gestures", 12, 4, program=("torture", "page-resizes"),
             promises=tuple(Promise(f"sizes in gestures in {name}", rf"^H8 resizes during gestures in {name}: .* (\d+) resizes, .* 0 broken", 200)
                            for name in ("chromium", "firefox"))),
    Campaign("studio-looks", "screens, designs and ways of reflow", 1, 1, program=("torture", "page-looks"),
             promises=(Promise("screenshots compared", r"^passed: screens in .*: (\d+) compared, 0 differ", 130),
                       Promise("trees compared", r"^passed: trees in .*: (\d+) compared", 60),
                       Promise("screens without a fault of axe", r"^passed: axe in .*: (\d+) screens", 250),
                       Promise("screens of reflow", r"^passed: reflows in .*: (\d+) screens of 9 ways", 110))),
    Campaign("studio-schedules", "schedules of two pages and a server", 20_000, 20_000, program=("torture", "page-schedules"), is_alone=True,
             promises=(Promise("schedules of two pages and a server", r"^H8 schedules of pages from \d+: (\d+) schedules, 0 broken", 20_000),)),
    Campaign("studio-folders", "pages between two folders and addresses", 24, 4, program=("torture", "page-folders"),
             promises=tuple(Promise(f"edits without a server in {name}", rf"^H20 folders and addresses in {name}: .* (\d+) edits without a server, .* 0 broken", 20)
                            for name in ("chromium", "firefox"))),
    studio("studio-tabs", "servers with 32 pages", 4, 1, "tabs",
           Promise("changes on 32 pages", r"^H8 many tabs: .* (\d+) changes, .* 0 broken", 50_000)),
    tried("merge-laws", "schedules of machines that merge", 2_500, 250, "MergeLawTests/laws",
          r"^M41 merging: (\d+) schedules.* 0 broken, 0 edits lost", Promise("laws of merging that held", r"^M41 merging: .* (\d+) laws held", 150_000)),
    tried("merge-short-logs", "schedules with logs that are cut", 400, 100, "MergeLawTests/shortLogs",
          r"^M41 merging short logs: (\d+) schedules.* 0 broken", Promise("pairs merged by value", r"^M43 merging by value: (\d+) pairs", 400)),
    tried("merge-fifty", "schedules of fifty machines", 5, 1, "MergeLawTests/fiftyMachines",
          r"^M41 merging fifty: (\d+) schedules.* 0 broken, 0 edits lost"),
    tried("merge-files", "triples of files that are merged", 10_000, 250, "MergeFileTests/laws", r"^F30 merging files: (\d+) triples, 0 laws broken"),
    tried("replaced-saves", "saves whose file is replaced", 1_000, 250, "MergeFileTests/replacedWhileSaving",
          r"^F16 replaced while saving: (\d+) saves, 0 broken"),
    tried("store-answers", "mutations of a store's answers", 500_000, 100_000, "StoreAnswerTests/mutations", r"^Y7 store answers: (\d+) mutations"),
    Campaign("mutants-of-the-merge", "mutants of the merge", 100, 4, program=("mutants",), is_sweep=True,
             promises=(Promise("mutants of the merge that tests find", r"^M41 mutants of the merge: (\d+) of .* found", 16),)),
    Campaign("controls-of-merge-kills", "faults that kills of merges must find", 1, 1,
             program=("torture", "merge-kills", "controls"),
             promises=(Promise("faults that kills of merges find", r"^Y9 controls of kills of merges: (\d+) of", 12),)),
    Campaign("random-kills-of-merges", "kills of merges at random moments", 1_000, 250, program=("torture", "merge-kills", "merge"),
             promises=(Promise("kills of merges at random moments", r"^Y9 .*: \d+ tried, (\d+) killed, .* 0 broken", 800),)),
    Campaign("kills-of-a-merge", "kills of merges at their system calls", 1, 1, program=("torture", "merge-kills", "merge-calls"),
             promises=(Promise("kills of merges at their system calls", r"^Y9 .*: \d+ tried, (\d+) killed, .* 0 broken", 900),
                       Promise("merges whose document is replaced before the exchange", r"^Y9 .*, (\d+) raced, .* 0 broken", 50))),
    Campaign("watch-kills", "kills of watchers that merge", 200, 50, program=("torture", "merge-kills", "watch"),
             promises=(Promise("kills of watchers that merge", r"^Y9 .*: \d+ tried, (\d+) killed, .* 0 broken", 200),)),
    Campaign("kills-of-a-watcher-that-merges", "kills of a watcher at its system calls", 1, 1,
             program=("torture", "merge-kills", "watch-calls"),
             promises=(Promise("kills of a watcher at its system calls", r"^Y9 .*: \d+ tried, (\d+) killed, .* 0 broken", 200),)),
    *(Campaign(f"syncthing-{name}", f"runs of Syncthing: {name}", runs, part, program=("torture", "sync", name),
               promises=(Promise(f"edits with Syncthing: {name}", rf"^Y1 {name} with the guard.*: \d+ runs.*, (\d+) edits answered, 0 lost", edits),))
      for name, runs, part, edits in (("cut", 20, 5, 1_600), ("three", 10, 2, 1_800), ("live", 5, 1, 1_000), ("kills", 10, 2, 1_500))),
    Campaign("syncthing-three-without-guard", "runs of Syncthing without the guard", 2, 1,
             program=("torture", "sync", "three", "--no-guard"),
             promises=(Promise("edits that are lost without the guard", r"^Y1 three without the guard, .*: .* (\d+) lost", 2),)),
    *(Campaign(f"bucket-{name}", f"{what} with one bucket", whole, whole, program=("torture", "bucket", name),
               promises=(Promise(f"{what} with one bucket", pattern, whole),))
      for name, what, whole, pattern in (
          ("writers", "edits of each writer", 500, r"^Y6 writers on .*: \d+ writers, (\d+) edits.* 0 lost, 0 doubled"),
          ("kills", "kills of a client", 100, r"^Y6 kills on .*: .*?(\d+) kills.* 0 lost, 0 doubled"),
          ("watch", "edits of each watcher", 60, r"^Y6 watch on .*: \d+ watches, (\d+) edits.* 0 lost, 0 doubled"))),
    *(Campaign(f"bucket-{name}", what, 1, 1, program=("torture", "bucket", *words),
               promises=(Promise(what, pattern, least),))
      for name, what, words, pattern, least in (
          ("control", "faults that writers with one bucket must find", ("writers", "--control", "--count", "40"),
           r"^Y6 control on .*: (\d+) of 2 faults found", 2),
          ("sweep", "faults of one bucket, at each request", ("sweep",), r"^Y6 sweep on .*: (\d+) faults .* 0 broken", 30),
          ("refusals", "stores, keys and objects that are refused", ("refusals",), r"^Y6 refusals on .*: (\d+) cases, 0 broken", 10))),
)

# Sub-commands and options of harnesses that are not campaigns, and why. A test compares them.
LEFT_OUT = {
    "attacks --only": "repeats some of what `outside-attacks` has all of",
    "stops --only": "repeats some of what `stops-under-load` has all of",
    "sync --kill": "`syncthing` is a part of the default; what `any` loses Syncthing loses itself: see docs/TORTURE.md",
    "sync --keep": "keeps the files of a run that is looked into",
    "bucket --keep": "keeps the files of a run that is looked into",
    "bucket --store": "radosgw is installed by hand",
    "bucket --spare-probe": "a part of the faults of the default",
    "studio record": "records what a test of power cuts replays: `studio-power`",
    "mutants --check": "looks whether the sources have what the mutants change, in scripts/test",
    "fuzz corpora": "tries the files of Fixtures/fuzz, in scripts/test",
    "fuzz keep": "chooses the files of Fixtures/fuzz",
    "page-resizes --browser": "one of the two browsers that `studio-resizes` has",
    "page-folders --browser": "one of the two browsers that `studio-folders` has",
}
