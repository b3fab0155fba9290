# SPDX-License-Identifier: Apache-2.0
"""Attacks on what several streams of one document answer."""

import json
import signal
import sqlite3

from . import Stream


def requests_of(random, count):
    """Requests with a tag each: additions, moves of what was added last, and an undo now and then."""
    for number in range(count):
        request = {"add": {"text": random.choice("🌸🐛🌲"), "x": number, "y": 1}}
        if number and random.random() < 0.2:
            request = {"move": {"ref": "🌸🐛🌲"[0], "by": [1, 1]}} if random.random() < 0.3 else {"undo": 1}
        yield {**request, "tag": f"t{number}"}


def tags_of(document):
    connection = sqlite3.connect(f"file:{document}?mode=ro", uri=True)
    found = [tag for (tags,) in connection.execute("SELECT tags FROM edit WHERE tags IS NOT NULL") for tag in json.loads(tags)]
    connection.close()
    return found


def attack_one_tag(random, folder):
    """Two streams of one session get each tagged request. One of them may hang, be killed, and leave a journal. Each request is made once."""
    document = folder.new("bees")
    session = "5e5510n00001" if random.random() < 0.9 else None
    autosave = random.choice(
        [["--autosave-delay", "60"], [], ["--autosave-changes", "1"], ["--autosave-delay", "0.01"]]
    )
    options = [*(["--session", session] if session else []), *autosave]
    first, second = Stream(folder, document, *options), Stream(folder, document, *options)
    count = random.randrange(3, 25)
    asked = list(requests_of(random, count)) if session else [{"add": {"text": "🌸"}, "tag": f"t{n}"} for n in range(count)]
    added = 0
    for request in asked:
        # The second stream gets it before the first one has answered.
        first.send(request)
        second.send(request)
        answers = [first.answer(), second.answer()]
        added += "add" in request and any("ok" in answer for answer in answers)
    end = random.choice(["both end", "the first one is killed", "both are killed"]) if session else "both end"
    for stream, killed in ((second, end == "both are killed"), (first, end != "both end")):
        if killed:
            stream.process.send_signal(signal.SIGSTOP)
            stream.kill()
        elif stream.close():
            return f"D19: a stream of two with one session ends with {stream.process.returncode}"
    folder.must("restore")
    if document_faults := folder.run("check", document).returncode:
        return f"D19: the document is damaged after one tag came to two streams ({document_faults})"
    made = folder.emoji(document)
    # The one that was there before.
    seen, words = len(made) - 1, f"{' '.join(autosave) or 'default autosave'}; {end}"
    tags = tags_of(document)
    if not session:
        # The control: without a session a tag is no key, and the attack sees each request twice.
        return None if seen == 2 * count else f"D19: without a session {count} requests to two streams made {seen} emoji"
    if len(tags) != len(set(tags)):
        return f"D19: {len(tags) - len(set(tags))} tags of {count} are in the log twice ({words})"
    if seen > added:
        return f"D19: {added} additions, each sent to two streams of a session, made {seen} emoji ({words})"
    if not any("undo" in request for request in asked) and seen < added:
        return f"D19: {added} additions, each sent to two streams of a session, left {seen} emoji ({words})"
