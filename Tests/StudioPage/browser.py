#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the studio in real browsers, with the real server: browser.py PROGRAMS [--browser chromium|firefox] [--whole] [--jobs N] [NAME...]

PROGRAMS is the folder with emojiart and its helpers. Each case has a document of its own, does what a user does, by mouse, by keys or by
touch, and then reads the document with the command. The cases run in both browsers, or in one of them, several at a time (JOBS, or --jobs): each
with a folder, a server and a window of its own, in a browser that no other case uses meanwhile. With --whole the cases of golden files compare all of
them. A line tells of each case; at the end stand those that failed, with their logs. `scripts/dev test` counts those that cannot be tried here.
"""
import collections, contextlib, io, multiprocessing, multiprocessing.connection, os, shutil, signal, sys, tempfile, time, traceback
from accessible_cases import ACCESSIBLE_CASES
from break_cases import BREAK_CASES
from document_cases import DOCUMENT_CASES
from gesture_cases import GESTURE_CASES
from hand_cases import HAND_CASES, HAND_CHROMIUM_ONLY, HAND_FIREFOX_ONLY
from journey_cases import JOURNEY_CASES
from outbox_cases import OUTBOX_CASES
from picnic_cases import PICNIC_CASES, PICNIC_CHROMIUM_ONLY
from screen_cases import CHROMIUM_ONLY, SCREEN_CASES
from start_cases import START_CASES
from stored_scripts import stored_scripts
from studio import LIMIT, Studio
from support.browsers import PROGRAMS, opened
from tool import TOOLS, Parser

# The cases that take longest come first, so that no processor is idle at the end.
LONGEST = ["axe", "stored_scripts", "poster_by_keys", "edits_stay_in_their_folder", "sizes_change_in_gestures", "another_server_at_the_port", "picnic", "trees",
           "many_edits_outlive_a_reload", "breaks_while_switching", "overlapping_switches", "reflows", "cut_is_pasted_whole", "screens", "poster_together"]
CASES = {case.__name__: case for case in [stored_scripts, *GESTURE_CASES, *DOCUMENT_CASES, *ACCESSIBLE_CASES, *JOURNEY_CASES, *BREAK_CASES, *SCREEN_CASES, *HAND_CASES,
                                          *OUTBOX_CASES, *START_CASES, *PICNIC_CASES]}
# The cases that one browser cannot run, and why: the other one runs them.
LEFT_OUT = {"chromium": HAND_FIREFOX_ONLY, "firefox": CHROMIUM_ONLY | HAND_CHROMIUM_ONLY | PICNIC_CHROMIUM_ONLY}
# A case waits for its server, and for the browser, about as long as it keeps a processor busy.
JOBS = min(2 * len(os.sched_getaffinity(0)), 12)

Result = collections.namedtuple("Result", "outcome seconds said log")


def perform(browser, programs, case, is_whole):
    """Runs a case: how it ended, how long that took, what it said, and why it failed."""
    said, log, began = io.StringIO(), "", time.monotonic()
    studio = Studio(programs, browser, is_whole)
    try:
        with contextlib.redirect_stdout(said):
            case(studio)
        assert not studio.faults, studio.faults
        outcome = "passed"
    except Exception:
        outcome, log = "failed", f"{traceback.format_exc()}{studio.faults}{studio.states(case.__name__)}"
    finally:
        studio.close()
    return Result(outcome, time.monotonic() - began, said.getvalue().splitlines(), log)


def work(pipe, programs, is_whole):
    """A process that runs the cases that it is told, in the browser that each of them names. After a failure the browser is a new one."""
    # The keys of a terminal end the tests, and these end their processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    browser = None
    with contextlib.ExitStack() as ends, tempfile.TemporaryFile() as errors:
        # What programs report belongs to the case.
        os.dup2(errors.fileno(), 2)
        while task := pipe.recv():
            name, case = task
            errors.seek(0)
            errors.truncate()
            try:
                if not browser or browser.name != name:
                    ends.close()
                    browser = ends.enter_context(opened(name, LIMIT))
                result = perform(browser, programs, CASES[case], is_whole)
            except Exception:
                result = Result("failed", 0, [], traceback.format_exc())
            if result.outcome == "failed":
                errors.seek(0)
                result = result._replace(log=f"{result.log}\n{errors.read().decode(errors='replace')}")
                browser = None
            pipe.send(result)


class Worker:
    """A process with one browser at a time. It takes the cases of its browser, and others when there are none."""

    def __init__(self, name, programs, is_whole):
        self.name, self.given, self.task = name, (programs, is_whole), None
        self.start()

    def start(self):
        # It inherits nothing, so that it ends when this program does.
        processes = multiprocessing.get_context("spawn")
        self.pipe, other = processes.Pipe()
        self.process = processes.Process(target=work, args=(other, *self.given))
        self.process.start()
        other.close()

    def take(self, tasks):
        """Starts the next case. Without one the process ends."""
        self.task = next((task for task in tasks if task[0] == self.name), tasks[0] if tasks else None)
        if self.task:
            tasks.remove(self.task)
            self.name = self.task[0]
        self.pipe.send(self.task)
        return self.task is not None

    def result(self):
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join()
            status = self.process.exitcode
            self.start()
            return Result("failed", 0, [], f"its process ended with {status}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = Parser(TOOLS / "test")
    parser.add_argument("programs")
    parser.add_argument("--browser", choices=list(PROGRAMS))
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    if unknown := set(given.names) - set(CASES):
        parser.error(f"no case is called {', '.join(sorted(unknown))}")
    if given.jobs < 1:
        parser.error("--jobs is at least 1")
    assert set(LONGEST) <= set(CASES), "the longest cases are cases"
    names = sorted(given.names or CASES, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
    browsers = [given.browser] if given.browser else list(PROGRAMS)
    programs = os.path.abspath(given.programs)
    tasks, counts, failures, began = [], collections.Counter(), [], time.monotonic()

    for name in browsers:
        if not shutil.which(PROGRAMS[name]):
            print(f"not tried: no {PROGRAMS[name]}: {len(names)} cases in {name}", flush=True)
            counts["not tried"] += 1
            continue
        for case in names:
            if reason := LEFT_OUT[name].get(case):
                print(f"left out: {case} in {name}: {reason}", flush=True)
                counts["left out"] += 1
            else:
                tasks.append((name, case))
    workers = [Worker(browsers[number % len(browsers)], programs, given.whole) for number in range(min(given.jobs, len(tasks)))]
    try:
        busy = {worker.pipe: worker for worker in workers if worker.take(tasks)}
        while busy:
            for pipe in multiprocessing.connection.wait(list(busy)):
                worker = busy.pop(pipe)
                (name, case), result = worker.task, worker.result()
                counts[result.outcome] += 1
                print(": ".join([f"{result.outcome}: {case} in {name}, {result.seconds:.0f} s", *result.said]), flush=True)
                if result.outcome == "failed":
                    failures.append(f"failed: {case} in {name}\n{result.log}")
                if worker.take(tasks):
                    busy[worker.pipe] = worker
    except BaseException:
        for worker in workers:
            worker.process.terminate()
        # What is known by now is not lost.
        print("\n".join(failures), flush=True)
        raise
    print("\n".join(["== failed", *failures] if failures else []))
    print(", ".join(f"{counts[each]} {each}" for each in ["passed", "failed", "left out", "not tried"]) + f", in {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failures or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
