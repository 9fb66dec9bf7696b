"""Rows R6, R7 and R13: a night of learning between people and agents, plans of what changed, clocks that jump."""

import json
import os
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memdir.app.plans import Edited
from memdir.errors import MemdirError
from memdir.evals.reliability import mirror
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import HEAD, NOW, PUMP, asked, differs, laid, opened, question, talk
from memdir.evals.scripted import scripted
from memdir.index import diff
from memdir.index.db import Row
from memdir.vault import merge
from memdir.vault.files import Entry

STEPS = ("person", "log", "capture", "distill", "heartbeat", "person", "log", "person, while the model thinks")


def nights(count: int, seed: int, place: Path) -> Outcome:
    """A person, an agent that logs, conversations that come in, distillations with a model, and heartbeats, in drawn
    orders; now and then the person saves while the model thinks. Every line that the person saved is in the note or in
    a copy beside it, logs only grow, no entry is learned twice and no report of a night is learned at all.

    What a model read minutes ago is never written as a file.
    """
    found, rng = Outcome(), random.Random(seed)
    for number in range(count):
        steps = [rng.choice(STEPS) for _ in range(8)] + ["distill", "distill"]
        faults = list(_night(place / f"{number}", steps, found))
        found.faults += [f"seed {seed}, order {number}, {', '.join(steps)}: {fault}" for fault in faults]
        found.tried += 1
    return found


def _night(place: Path, steps: list[str], found: Outcome) -> Iterator[str]:
    root = laid(place / "vault", {PUMP: f"{HEAD}- filter:: K6\n"})
    now, saved, logged = NOW, list[str](), b""
    during: list[str] = []

    def answer(request: Any) -> str:
        while during:
            _save(root, during.pop())
        return _taught(request)

    with scripted(answer) as server:
        for number, step in enumerate(steps):
            now += timedelta(minutes=7)
            with opened(root, place / "index", now, server) as memory:
                if step.startswith("person"):
                    saved.append(f"Hand {number} was here.")
                    during += [saved[-1]] if "while" in step else []
                    if during:
                        memory.log(f"Entry {number}", [f"the filter of the pump room is K{number + 10}"])
                        memory.distill()
                    for left in during or ([saved[-1]] if "while" not in step else []):
                        _save(root, left)
                    during.clear()
                elif step == "log":
                    memory.log(f"Entry {number}", [f"the filter of the pump room is K{number + 10}"])
                elif step == "capture":
                    memory.ingest(talk(f"s{number}", ("mara", f"turn {number}")))
                elif step == "heartbeat":
                    memory.heartbeat(force=True)
                else:
                    night = memory.distill()
                    found.count("nights")
                    if steps[number - 1] == "distill" and night.entries:
                        yield f"{night.entries} entries were learned again"
            before, logs = logged, sorted((root / "memory/logs").rglob("*.md"))
            logged = b"".join(path.read_bytes() for path in logs)
            if not logged.startswith(before):
                yield f"after {step} a log is not what it was and more"
    texts = [path.read_text("utf-8") for path in (root / "memory").rglob("*.md")]
    yield from (f"{line!r} is lost" for line in saved if not any(line in text for text in texts))
    own = [text for text in texts if "model calls" in text and "type: " in text]
    yield from (f"a report was learned: {text[:80]!r}" for text in own)


def _save(root: Path, line: str) -> None:
    """As an editor does that saves what it has: the whole note with a line more."""
    note = root / PUMP
    note.write_bytes(note.read_bytes() + line.encode() + b"\n")


def _taught(request: Any) -> str:
    """A model that takes each filter of the entries as a fact of the pump room."""
    facts = []
    for source, text in asked(request):
        for quote, value in re.findall(r"(filter of the pump room is (\w+))", text):
            fact = {"kind": "fact", "about": "Pump room", "id": "0", "key": "filter", "value": value, "text": quote}
            facts.append(fact | {"source": source, "quote": quote})
    return json.dumps({"facts": facts})


PATHS = [f"{folder}{name}.md" for folder in ("", "d/", "e/") for name in ("a", "A", "b", "é", "e\u0301", "水泵")]
OLD, CHECKED = 10**18, 2 * 10**18


def plans(count: int, seed: int, place: Path) -> Outcome:
    """Random triples (files on disk, index, last state) through the planner, and random triples of a note (ancestor,
    ours, theirs) through the merge: it ends, carrying the plan out gives the files, a second plan is empty, the order
    in which files are listed changes nothing; merging again changes nothing, an edit beats a deletion, no line that
    either side added is lost.

    After Dropbox's CanopyCheck: the planner is a pure function, so every triple can be tried.
    """
    found, rng = Outcome(), random.Random(seed)
    for number in range(count):
        fault = _planned(rng) if number % 2 else _merged(rng)
        found.held(not fault, f"seed {seed}, triple {number}: {fault}")
        found.tried += 1
    return found


def _planned(rng: random.Random) -> str:
    before, after = (_files(rng) for _ in range(2))
    if rng.random() < 0.5:
        after = {path: rng.choice([text, text, text + "x"]) for path, text in before.items() if rng.random() < 0.8} | {
            path: text for path, text in after.items() if rng.random() < 0.2
        }
    rows = {path: _row(number, path, text) for number, (path, text) in enumerate(sorted(before.items()), 1)}
    seen = [_entry(rng, rows.get(path), path, text) for path, text in sorted(after.items())]
    plan = diff.plan(rows, seen, lambda path: after.get(path))
    mixed = list(seen)
    rng.shuffle(mixed)
    again = diff.plan(dict(rng.sample(list(rows.items()), len(rows))), mixed, lambda path: after.get(path))
    if _told(plan) != _told(again):
        return f"another order, another plan: {_told(plan)} and {_told(again)}"
    held = _carried_out(rows, plan, after)
    if {path: row.digest for path, row in held.items()} != after:
        return f"{before} to {after}: {_told(plan)} gives {held}"
    fresh = [Entry(path, row.size, row.mtime_ns, row.ctime_ns, row.ino) for path, row in held.items()]
    left = diff.plan(held, fresh, lambda path: after.get(path))
    return f"a second plan is not empty: {_told(left)}" if left else ""


def _files(rng: random.Random) -> dict[str, str]:
    return {path: rng.choice("ABCDE") for path in rng.sample(PATHS, rng.randint(0, 8))}


def _row(number: int, path: str, text: str) -> Row:
    return Row(number, path, len(text), OLD, OLD, number, text, CHECKED)


def _entry(rng: random.Random, row: Row | None, path: str, text: str) -> Entry:
    """As the file system shows it: another text under another time, now and then the same text too."""
    if row is not None and row.digest == text and rng.random() < 0.8:
        return Entry(path, row.size, row.mtime_ns, row.ctime_ns, row.ino)
    return Entry(path, len(text), OLD + rng.randint(1, 9), OLD + rng.randint(1, 9), rng.randint(50, 99))


def _told(plan: diff.Diff) -> tuple[object, ...]:
    moved = sorted((new, row.path) for new, row in plan.moved.items())
    return (sorted(plan.added), sorted(one.path for one in plan.modified), moved,
            sorted(one.path for one in plan.removed), sorted(one.path for one in plan.touched))  # fmt: skip


def _carried_out(rows: dict[str, Row], plan: diff.Diff, after: dict[str, str]) -> dict[str, Row]:
    """The rows as they are behind the plan."""
    held = {path: row for path, row in rows.items() if path not in plan.away}
    changed = [*plan.added, *(one.path for one in plan.modified), *plan.moved, *(one.path for one in plan.touched)]
    for number, path in enumerate(changed, 100):
        held[path] = _row(number, path, after[path])
    return held


LINES = (
    "- shell:: zsh", "- port:: 8443", "Two bar.", "Filter A7.", "Built in 2019.", "- [ ] Order it",
    "See [[pump]].", "水泵。")  # fmt: skip


def _merged(rng: random.Random) -> str:
    base = rng.sample(LINES, rng.randint(1, 6))
    ours, theirs = (_edited(rng, base, side) for side in ("ours", "theirs"))
    texts = ["\n\n".join(lines) + "\n" for lines in (base, ours, theirs)]
    made = merge.merge(texts[0], texts[1], texts[2])
    there = set(made.replace("> ", "").split("\n"))
    for side, lines in (("ours", ours), ("theirs", theirs)):
        if lost := [line for line in lines if line not in base and line not in there]:
            return f"{texts}: what {side} added is lost: {lost}"
    if merge.merge(made, made, made) != made or merge.merge(texts[0], texts[1], texts[1]) != texts[1]:
        return f"{texts}: merging again changes it"
    return "" if merge.merge(texts[0], made, texts[0]) == made else f"{texts}: against the ancestor it changes"


def _edited(rng: random.Random, base: list[str], side: str) -> list[str]:
    lines = [f"{line} ({side})" if rng.random() < 0.2 else line for line in base if rng.random() < 0.8]
    for number in range(rng.randint(0, 2)):
        lines.insert(rng.randint(0, len(lines)), f"New of {side} {number}.")
    return lines


def clocks(count: int, seed: int, place: Path) -> Outcome:
    """The clock stands a year ahead or behind, goes over midnight, into and out of summer time, or back while memdir
    runs; times of files are equal, restored or in the future: each entry is in the log of the day that the vault's zone
    says, in the order of writing, a run can be taken back, and no edit of a file is missed.

    Times are hints, digests decide.
    """
    found, rng = Outcome(), random.Random(seed)
    zone = ZoneInfo("Europe/Berlin")
    starts = [NOW, NOW + timedelta(365), NOW - timedelta(365), datetime(2026, 3, 29, 0, 58, tzinfo=UTC),
              datetime(2026, 10, 25, 0, 58, tzinfo=UTC), datetime(2026, 12, 31, 22, 58, tzinfo=UTC)]  # fmt: skip
    for number in range(count):
        start = starts[number % len(starts)]
        fault = "; ".join(_clock(place / f"{number}", start, rng, zone))
        found.held(not fault, f"seed {seed}, clock {number}, from {start}: {fault}")
        found.tried += 1
    return found


def _clock(place: Path, start: datetime, rng: random.Random, zone: ZoneInfo) -> Iterator[str]:
    root = laid(place / "vault", timezone="Europe/Berlin")
    note, now, ours = root / "memory/ref/note.md", start, list[tuple[str, str]]()
    for number in range(6):
        now += rng.choice([timedelta(minutes=1), timedelta(hours=1), timedelta(hours=-2), timedelta(seconds=30)])
        with opened(root, place / "index", now) as memory:
            memory.log(f"Entry {number}", ["text"])
            ours.append((f"{now.astimezone(zone):%Y-%m-%d}", f"Entry {number}"))
            before = note.stat() if note.exists() else None
            note.write_text(f"# Note\n\nword{number:02}x stands here.\n", encoding="utf-8")
            if before and rng.random() < 0.7:
                os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
            answer = memory.recall(question(f"word{number:02}x", 3))
            if not any(f"word{number:02}x" in one.quote for one in answer.evidence):
                yield f"edit {number} was missed"
    for day, title in ours:
        log = root / f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"
        if not log.exists() or title not in log.read_text("utf-8"):
            yield f"{title} is not in the log of {day}"
    for log in (root / "memory/logs").rglob("*.md"):
        written = [title for day, title in ours if day == log.stem]
        text = log.read_text("utf-8")
        if [text.index(title) for title in written] != sorted(text.index(title) for title in written):
            yield f"{log.name} is out of order"
    with opened(root, place / "index", now) as memory:
        memory.edit("memory/ref/note.md", Edited("append", "one line more\n"))
        try:
            memory.undo(next(run.id for run in reversed(memory.runs()) if run.verb == "edit"))
        except (MemdirError, StopIteration) as error:
            yield f"the edit cannot be taken back: {error}"
        memory.sync(mirror.ALL)
        yield from differs(memory, place / "fresh", ("word05x",))
