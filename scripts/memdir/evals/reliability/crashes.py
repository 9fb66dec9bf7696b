"""Rows R1 and R9: every writing verb killed, or failed, at each of its calls into the system.

The judgement is one: each file is its old text or the new one, grown files hold no half line of another's, every text
of before is still somewhere, nothing is left lying about, and the next start puts the rest right by itself.
"""

import errno
import gc
import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals.reliability import mirror
from memdir.evals.reliability.acts import ACTS, QUESTIONS, Stage
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import differs
from memdir.evals.reliability.strikes import Nth, Patches, fail_with, killed, leftovers, steps
from memdir.vault import layout
from memdir.vault.disk.syscalls import sys_calls
from memdir.vault.files import digest

GROWS = ("memory/logs/", "memory/ledger/")
STATE = "memory/heartbeat-state.json"
BEGIN = layout.MARKS[0].encode()
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE, errno.EXDEV)
EVERY = 8  # of so many kill points one is held against an index made anew
Point = tuple[str, int]  # a verb, and which of its steps


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a verb makes when nothing happens: the files behind it, and the digests of every text that it wrote."""

    texts: dict[str, bytes]
    wrote: set[str]


def kills(count: int, seed: int, place: Path) -> Outcome:
    """kill -9 before, inside and after every call that changes the disk, of every writing verb: no text is lost, no
    file is torn, the next start heals the vault and its index, and the verb can be done again.

    Points are drawn from all there are when fewer are asked for. From `killed` of `strikes` (fork, SIGKILL).
    """
    found, stage = Outcome(), Stage(place)
    after, points = _foreseen(stage, found)
    for number, (name, at) in enumerate(_drawn(points, count, seed)):
        stage.reset()
        done = not killed(partial(stage.do, name), at, everywhere=True)
        faults = [*_texts(stage, after[name], "after the kill"), *_healed(stage, after[name], number)]
        found.tried += 1
        found.faults += [f"{name}, step {at}{' (done)' if done else ''}: {fault}" for fault in faults]
    found.figures |= {"verbs": len(ACTS), "points there are": len(points)}
    return found


def _foreseen(stage: Stage, found: Outcome) -> tuple[dict[str, Foreseen], list[Point]]:
    """What each verb makes of the vault when nothing happens, and how many steps it has."""
    after: dict[str, Foreseen] = {}
    points: list[Point] = []
    for name in ACTS:
        stage.reset()
        total = steps(partial(stage.do, name), everywhere=True)
        made = stage.texts()
        stage.mend()
        after[name] = Foreseen(made, stage.kept())
        points += [(name, at) for at in range(1, total + 1)]
        stage.reset()
        stage.do(name)
        found.held(stage.texts() == made, f"{name} makes something else each time: the row cannot judge it")
    return after, points


def _drawn(points: Sequence[Point], count: int, seed: int) -> Sequence[Point]:
    """`count` of the points: each verb in turn, spread over its steps; all of them, and again, where more are asked."""
    rng = random.Random(seed)
    drawn: list[Point] = []
    while len(drawn) < count:
        rest = count - len(drawn)
        drawn += points if rest >= len(points) else sorted(rng.sample(list(points), rest))
    return drawn


def _texts(stage: Stage, after: Foreseen, when: str) -> Iterator[str]:
    """Every file is its old text or its new one; those that only grow begin with the old one."""
    for path, data in stage.texts().items():
        if path.endswith(".memdir-tmp"):
            continue
        old = stage.before.get(path)
        if path.startswith(GROWS):
            if not data.startswith(old or b"") or (path.endswith(".jsonl") and _torn(data) > 1):
                yield f"{when} {path} is torn: {data[-80:]!r}"
        elif path == layout.INDEX_FILE:
            if data.partition(BEGIN)[0] != (old or b"").partition(BEGIN)[0]:
                yield f"{when} {path} has lost what a person wrote: {data[:80]!r}"
        elif path == STATE:
            json.loads(data)  # written after each step of a heartbeat, as far as it came
        elif data != old and digest(data) not in after.wrote:
            yield f"{when} {path} is neither the old text nor the new one: {data[:80]!r}"
    for path in stage.before:
        if path in after.texts and not (stage.root / path).exists():
            yield f"{when} {path} is gone"


def _torn(data: bytes) -> int:
    """How many lines of a ledger are no event: one may be, the end of what was killed."""
    torn = 0
    for line in data.splitlines():
        try:
            json.loads(line)
        except ValueError:
            torn += 1
    return torn


def _healed(stage: Stage, after: Foreseen, number: int) -> Iterator[str]:
    """The next start: nothing lies about, no text is lost, the index is that of the files, the vault can be used."""
    if left := stage.mend():
        yield f"the second recovery still has to say: {left}"
    with stage.open() as memory:
        try:
            memory.sync(mirror.ALL)
        except MemdirError as error:
            yield f"the next sync: {error}"
            return
        if number % EVERY == 0:
            yield from differs(memory, stage.work / "fresh", QUESTIONS)
    stage.mend()
    yield from _texts(stage, after, "after the next start")
    yield from (f"left over: {path}" for path in leftovers(stage.root))
    journal = stage.root / ".memdir/journal.jsonl"
    if journal.exists() and journal.stat().st_size:
        yield f"the journal is not worked off: {journal.read_bytes()[:200]!r}"
    if any((stage.root / ".memdir/pending").glob("*")):
        yield "something still waits in .memdir/pending"
    kept = stage.kept()
    gone = [path for path, data in stage.before.items() if path not in stage.texts() or path.startswith("memory/")]
    for path in gone:
        data = stage.before[path]
        grown = path.startswith(GROWS) and (stage.root / path).exists()
        if not grown and digest(data) not in kept:
            yield f"the text that {path} had is lost"
    copies = [path for path in stage.texts() if ".conflict-" in path]
    if copies:
        yield f"a copy in conflict, and nobody else wrote: {copies}"


def faults(count: int, seed: int, place: Path) -> Outcome:
    """Every call that changes the disk refused once with ENOSPC, EIO, EACCES, EROFS, EMFILE, EXDEV, or a write cut
    short, in every writing verb: old bytes intact, no temporary file left, and if the verb fails it is with a clear
    error of memdir's own that names the system's reason.

    From the fault loop of SQLite's tests: fail on the nth call, for every n.
    """
    found, stage = Outcome(), Stage(place)
    after, points = _foreseen(stage, found)
    rng = random.Random(seed)
    every = [(name, at, code) for name, at in _calls(stage, points) for code in (*ERRORS, 0)]
    drawn = every if count >= len(every) else rng.sample(every, count)
    for name, at, code in drawn:
        stage.reset()
        told = _struck(stage, name, at, code, found)
        found.tried += 1
        what = f"{name}, call {at}, {os.strerror(code) if code else 'short write'}"
        found.faults += [f"{what}: {fault}" for fault in (*told, *_after_failure(stage, after[name]))]
    found.figures |= {"verbs": len(ACTS), "cases there are": len(every)}
    return found


def _calls(stage: Stage, points: Sequence[Point]) -> Iterator[Point]:
    """Verb and number of each call, without the steps behind one and within a write."""
    for name in dict.fromkeys(one for one, _ in points):
        stage.reset()
        with Patches() as patches:
            counted = Nth(0, fail_with(0), partial=False)
            counted.wrap(patches, everywhere=True)
            stage.do(name)
        yield from ((name, at) for at in range(1, counted.steps + 1))


def _struck(stage: Stage, name: str, at: int, code: int, found: Outcome) -> Iterator[str]:
    before = len(os.listdir("/dev/fd"))
    with Patches() as patches:
        nth = Nth(at, fail_with(code) if code else lambda _name: None, partial=False)
        nth.wrap(patches, everywhere=True)
        if not code:
            patches.setattr(sys_calls, "write", _short(sys_calls.write, nth))
        try:
            stage.do(name)
        except MemdirError as error:
            found.count("refused")
            if code and os.strerror(code) not in str(error) and nth.struck:
                yield f"the error does not say why: {error}"
        except Exception as error:  # whatever else is a fault of memdir
            yield f"{type(error).__name__} and no error of memdir's own: {error}"
        else:
            found.count("done all the same")
    gc.collect()  # what Whoosh had open
    if len(os.listdir("/dev/fd")) != before:
        yield "a descriptor stays open"


def _short(real: Callable[[int, bytes], int], nth: Nth) -> Callable[[int, bytes], int]:
    """A write that takes the first half only, at the step at which it would fail."""

    def write(fd: int, data: bytes) -> int:
        return real(fd, bytes(data)[: max(1, len(data) // 2)] if nth.steps + 1 == nth.at else data)

    return write


def _after_failure(stage: Stage, after: Foreseen) -> Iterator[str]:
    yield from (f"left over: {path}" for path in leftovers(stage.root))
    yield from _texts(stage, after, "after the failure")
    yield from _healed(stage, after, 1)
