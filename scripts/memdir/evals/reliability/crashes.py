"""Rows R1 and R9: every writing verb killed, or failed, at each of its calls into the system."""

import errno
import gc
import os
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals.reliability.acts import ACTS, Stage
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import Nth, Patches, fail_with, killed, leftovers, steps
from memdir.evals.reliability.verdict import Foreseen, foreseen, healed, texts
from memdir.vault.disk.syscalls import sys_calls

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE, errno.EXDEV)
EVERY = 8  # of so many kill points one is held against an index made anew
Point = tuple[str, int]  # a verb, and which of its steps


def kills(count: int, seed: int, place: Path) -> Outcome:
    """kill -9 before, inside and after every call that changes the disk, of every writing verb: no text is lost, no
    file is torn, the next start heals the vault and its index, and the verb can be done again.
    """
    found, stage = Outcome(), Stage(place)
    after, points = _foreseen(stage, found)
    for number, (name, at) in enumerate(_drawn(points, count, seed)):
        stage.reset()
        done = not killed(partial(stage.do, name), at, everywhere=True)
        faults = [
            *texts(stage, after[name], "after the kill"),
            *healed(stage, after[name], mirrored=number % EVERY == 0),
        ]
        found.tried += 1
        found.faults += [f"{name}, step {at}{' (done)' if done else ''}: {fault}" for fault in faults]
    found.figures |= {"verbs": len(ACTS), "points there are": len(points)}
    return found


def _foreseen(stage: Stage, found: Outcome) -> tuple[dict[str, Foreseen], list[Point]]:
    """What each verb makes of the vault when nothing happens, and how many steps it has."""
    after: dict[str, Foreseen] = {}
    points: list[Point] = []
    for name in ACTS:
        after[name] = foreseen(stage, name)
        stage.reset()
        total = steps(partial(stage.do, name), everywhere=True)
        points += [(name, at) for at in range(1, total + 1)]
        same = stage.texts() == after[name].texts
        found.held(same, f"{name} makes something else each time: the row cannot judge it")
    return after, points


def _drawn(points: Sequence[Point], count: int, seed: int) -> Sequence[Point]:
    """`count` of the points: each verb in turn, spread over its steps; all of them, and again, where more are asked."""
    rng = random.Random(seed)
    drawn: list[Point] = []
    while len(drawn) < count:
        rest = count - len(drawn)
        drawn += points if rest >= len(points) else sorted(rng.sample(list(points), rest))
    return drawn


def faults(count: int, seed: int, place: Path) -> Outcome:
    """Every call that changes the disk refused once with ENOSPC, EIO, EACCES, EROFS, EMFILE, EXDEV, or a write cut
    short, in every writing verb: old bytes intact, no temporary file left, and if the verb fails it is with a clear
    error of memdir's own that names the system's reason.

    From the fault loop of SQLite's tests: fail on the nth call, for every n.
    """
    found, stage = Outcome(), Stage(place)
    after, _ = _foreseen(stage, found)
    rng = random.Random(seed)
    every = [(name, at, code) for name, at in _calls(stage) for code in (*ERRORS, 0)]
    drawn = every if count >= len(every) else rng.sample(every, count)
    for name, at, code in drawn:
        stage.reset()
        told = _struck(stage, name, at, code, found)
        found.tried += 1
        what = f"{name}, call {at}, {os.strerror(code) if code else 'short write'}"
        found.faults += [f"{what}: {fault}" for fault in (*told, *_after_failure(stage, after[name]))]
    found.figures |= {"verbs": len(ACTS), "cases there are": len(every)}
    return found


def _calls(stage: Stage) -> Iterator[Point]:
    """Verb and number of each call, without the steps behind one and within a write."""
    for name in ACTS:
        stage.reset()
        total = steps(partial(stage.do, name), partial=False, everywhere=True)
        yield from ((name, at) for at in range(1, total + 1))


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
    yield from texts(stage, after, "after the failure")
    yield from healed(stage, after)
