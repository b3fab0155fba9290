# SPDX-License-Identifier: Apache-2.0
"""What the machine tells: processor time, memory, the frames that the display draws. And how results are written."""
import asyncio, os, statistics, time


# MARK: Results

def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def spread(values, digits=0):
    """The median, and the least and the greatest value."""
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    median, least, most = (f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return median if least == most else f"{median} ({least} – {most})"


def table(head, rows):
    print()
    for row in [head, ["---"] * len(head), *rows]:
        print(f"| {' | '.join(row)} |")


# MARK: Processor time and memory

def stat(process):
    """The fields of /proc/PID/stat from the state on; none if the process has ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def descendants(root):
    """A process and all that it has started, as far as they run."""
    parents = {int(name): int(fields[1]) for name in os.listdir("/proc") if name.isdigit() and (fields := stat(name))}
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def pss(process):
    """The proportional set size, in MB."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024 / 1e6


def main_thread(processes):
    """Milliseconds of processor time that the main threads of processes have used. It hardly depends on what else runs."""
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/task/{process}/schedstat") as file:
                total += int(file.read().split()[0]) / 1e6
        except OSError:
            pass
    return total


class Others:
    """How many cores other programs than this one, and those it has started, use between two points in time."""
    seen = []

    def __enter__(self):
        self.begin = self.now()
        return self

    def __exit__(self, *_):
        busy, seconds = (after - before for before, after in zip(self.begin, self.now()))
        Others.seen.append(max(0, busy / os.sysconf("SC_CLK_TCK") / seconds))

    @staticmethod
    def now():
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        own = sum(int(fields[11]) + int(fields[12]) for process in descendants(os.getpid()) if (fields := stat(process)))
        # Without the time in which nothing ran, or a disk was waited for.
        return sum(ticks) - ticks[3] - ticks[4] - own, time.monotonic()

    @staticmethod
    def told():
        """Tells how many there were, and forgets it."""
        print(f"\nOther programs used {spread(Others.seen, 2)} cores meanwhile.")
        Others.seen = []


async def rest(spent, limit=20):
    """Waits until programs have nothing to do any more: `spent`, milliseconds of processor time, grows by less than 50 in half a second."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        before = spent()
        await asyncio.sleep(0.5)
        if spent() - before < 50:
            return


# MARK: The browser

async def renderers(session):
    return [each["id"] for each in (await session.send("SystemInfo.getProcessInfo"))["processInfo"] if each["type"] == "renderer"]


class Trace:
    """The times at which the display has drawn, and the marks of the page, in seconds of time.monotonic()."""

    def __init__(self, session):
        self.session, self.events, self.done = session, [], asyncio.Event()

    async def __aenter__(self):
        self.take, self.end = lambda data: self.events.extend(data["value"]), lambda _: self.done.set()
        self.session.on("Tracing.dataCollected", self.take)
        self.session.on("Tracing.tracingComplete", self.end)
        await self.session.send("Tracing.start", {
            "traceConfig": {"includedCategories": ["viz", "blink.user_timing"], "excludedCategories": ["*"]}, "transferMode": "ReportEvents"})
        return self

    async def __aexit__(self, *_):
        await self.session.send("Tracing.end")
        await self.done.wait()
        self.session.remove_listener("Tracing.dataCollected", self.take)
        self.session.remove_listener("Tracing.tracingComplete", self.end)
        # Chromium's clock and Python's are both CLOCK_MONOTONIC.
        self.drawn = sorted((each["ts"] + each.get("dur", 0)) / 1e6 for each in self.events
                            if each["name"] == "Display::DrawAndSwap" and each["ph"] in "XB")
        self.marks = {each["name"]: each["ts"] / 1e6 for each in self.events if "blink.user_timing" in each.get("cat", "")}
