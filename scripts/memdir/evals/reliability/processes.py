"""Rows R2, R11, R12 and R14: processes that are killed, that share a vault, that die with locks, that go on and on."""

import gc
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from memdir.app import plans
from memdir.app.memory import Memory
from memdir.errors import Conflict, Locked, NotFound
from memdir.evals.cost import resident
from memdir.evals.reliability import mirror
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import NOW, OPTIONS, differs, laid, question
from memdir.evals.reliability.strikes import child, ended, peak, stop, stopping, waited
from memdir.vault.draft import NewNote
from memdir.vault.files import Root

WRITERS = 8
SOON = 1.0  # seconds until the next writer has the lock
MEGABYTE = 1.0  # that memory may grow by in 10,000 operations


def _vault(place: Path) -> Path:
    texts = {f"memory/ref/note-{n}.md": f"---\nname: Note {n}\ntype: ref\n---\nThe valve number{n}x of the pump.\n"
             for n in range(5)}  # fmt: skip
    return laid(place / "vault", texts)


def _open(root: Path, place: Path, now: Callable[[], datetime] | None = None) -> Memory:
    return Memory(root, now=now, options=OPTIONS | {"index_dir": os.fspath(place / "index"), "sync.lock_wait": 60.0})


def watchers(count: int, seed: int, place: Path) -> Outcome:
    """Eight writers log and make notes while a watcher keeps the index; the watcher, and now and then a writer, is
    killed with SIGKILL at a random moment and started again. Nothing that a writer was told was done is missing, no
    line is torn, and the index is that of the files at the end.
    """
    found, rng, root = Outcome(), random.Random(seed), _vault(place)
    with _open(root, place) as memory:
        memory.sync(mirror.ALL)
    writers = {who: _writer(root, place, who, 0) for who in range(WRITERS)}
    lives = dict.fromkeys(writers, 0)
    watcher = child(_watch, root, place)
    try:
        for _ in range(count):
            time.sleep(rng.uniform(0.05, 0.5))
            found.count("killed while at work", int(ended(watcher) is None))
            stop(watcher)
            watcher = child(_watch, root, place)
            if rng.random() < 0.2:
                who = rng.randrange(WRITERS)
                stop(writers[who])
                lives[who] += 1
                writers[who] = _writer(root, place, who, lives[who])
                found.count("writers killed")
            found.tried += 1
    finally:
        (place / "stop").touch()
        for pid in writers.values():
            waited(pid)
        stop(watcher)
    _acknowledged(root, place, found)
    with _open(root, place) as memory:
        memory.sync(mirror.ALL)
        found.faults += differs(memory, place / "fresh", ("valve", "number3x"))
    return found


def _watch(root: Path, place: Path) -> None:
    with _open(root, place) as memory:
        memory.watch(lambda seen: None)


def _writer(root: Path, place: Path, who: int, life: int) -> int:
    return child(_write, root, place / f"told.{who}.{life}", f"w{who}l{life}", place / "stop")


def _write(root: Path, told: Path, name: str, over: Path) -> None:
    """Log, and every fifth time make a note, until told to stop; what returned is noted."""
    place, number = told.parent, 0
    with told.open("a", encoding="utf-8") as said:
        while not over.exists():
            number += 1
            with suppress(Conflict, Locked), _open(root, place) as memory:
                token = f"{name}n{number:04}x"
                if number % 5:
                    memory.log(f"Entry {token}", ["- outcome:: success"])
                else:
                    memory.new(NewNote(f"Note {token}", "ref", "The valve.\n"))
                said.write(f"{token}\n")
                said.flush()
            time.sleep(0.05)


def _acknowledged(root: Path, place: Path, found: Outcome) -> None:
    logs = "\n".join(path.read_text("utf-8") for path in sorted((root / "memory/logs").rglob("*.md")))
    names = {path.stem for path in (root / "memory/ref").glob("*.md")}
    told = [line for file in sorted(place.glob("told.*")) for line in file.read_text("utf-8").split("\n")[:-1]]
    lost = [one for one in told if f"Entry {one}\n" not in logs and f"note-{one}" not in names]
    found.held(not lost, f"{len(lost)} acknowledged writes are lost, first {lost[:3]}")
    doubled = [one for one in told if logs.count(f"Entry {one}\n") > 1]
    found.held(not doubled, f"{len(doubled)} entries stand twice, first {doubled[:3]}")
    found.figures["acknowledged writes"] = len(told)


def together(count: int, seed: int, place: Path) -> Outcome:
    """Four processes on one vault for so many seconds: one syncs and rebuilds, one asks, one writes, one distils and
    examines. Nobody sees an error but a conflict that says so, no answer is wrong, and the index is whole at the end.
    """
    found, root = Outcome(), _vault(place)
    with _open(root, place) as memory:
        memory.sync(mirror.ALL)
    parts: Sequence[Callable[[Memory, int], object]] = (
        lambda memory, number: memory.sync(mirror.ALL),
        lambda memory, number: _asks(memory, number % 5),
        lambda memory, number: (
            memory.log(f"Entry {seed} {number}", ["text"]),
            memory.edit(f"memory/ref/note-{number % 5}.md", plans.Edited("append", f"line {number}\n")),
        ),
        lambda memory, number: (memory.distill(model=False), memory.doctor()),
    )
    end = time.monotonic() + count
    files = [place / f"errors.{number}" for number in range(len(parts))]
    pids = [child(_go_on, root, place, part, end, file) for part, file in zip(parts, files, strict=True)]
    for pid in pids:
        found.held(waited(pid) == 0, "a process ended with an error")
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        found.faults += [f"{file.name}: {line}" for line in lines[1:4]]
        found.count("operations", int(lines[0]) if lines else 0)
    with _open(root, place) as memory:
        memory.sync(mirror.ALL)
        found.faults += differs(memory, place / "fresh", ("valve", "number3x"))
    found.tried = count
    return found


def _asks(memory: Memory, number: int) -> None:
    answer = memory.recall(question(f"number{number}x", 3))
    assert answer.evidence, f"nothing found for number{number}x"
    found = [f"{one.path}:{one.at} {one.score}" for one in answer.evidence]
    assert found[0].startswith(f"memory/ref/note-{number}.md"), f"{found}, by {answer.source}, {answer.notices}"


def _go_on(root: Path, place: Path, part: Callable[[Memory, int], object], end: float, file: Path) -> None:
    errors, number = [], 0
    while time.monotonic() < end:
        number += 1
        try:
            with _open(root, place) as memory:
                part(memory, number)
        except Conflict:
            pass
        except Exception as error:  # whatever it is, it is what the row looks for
            errors.append(f"{type(error).__name__}: {str(error)[:200]}".replace("\n", " "))
    file.write_text("\n".join([str(number), *errors]), encoding="utf-8")


def locks(count: int, seed: int, place: Path) -> Outcome:
    """A holder of the lock is killed, forks and dies, leaves an empty lock file, one with a number in it, or somebody
    deletes the file while it is held: the next writer has the lock within a second, and never two at once.

    The lock is the kernel's, so it ends with its process.
    """
    found, rng = Outcome(), random.Random(seed)
    ways = {"killed": _killed_holder, "a child lives on": _forked, "empty file": _empty, "a number in it": _numbered,
            "deleted while held": _deleted}  # fmt: skip
    for number in range(count):
        name, way = list(ways.items())[number % len(ways)]
        root = place / f"{number}"
        root.mkdir()
        with_child = way(root, rng)
        began = time.monotonic()
        with stopping(*with_child):
            try:
                with Root(root).lock(timeout=SOON):
                    found.held(time.monotonic() - began < SOON, f"{name}: the lock came late")
            except Locked:
                found.faults.append(f"{name}: the lock is never free")
        found.tried += 1
    return found


def _holding(root: Path, then: Callable[[], object]) -> int:
    """A child that holds the lock; back when it does."""
    ready, tell = os.pipe()

    def hold() -> None:
        with Root(root).lock():
            os.write(tell, b"x")
            then()

    pid = child(hold)
    os.read(ready, 1)
    os.close(ready)
    os.close(tell)
    return pid


def _killed_holder(root: Path, rng: random.Random) -> list[int]:
    pid = _holding(root, lambda: time.sleep(60))
    time.sleep(rng.uniform(0, 0.01))
    stop(pid)
    return []


def _forked(root: Path, rng: random.Random) -> list[int]:
    held = Root(root)
    with held.lock():
        pid = child(time.sleep, 60)
    return [pid]


def _empty(root: Path, rng: random.Random) -> list[int]:
    (root / ".memdir").mkdir()
    (root / ".memdir/lock").touch()
    return []


def _numbered(root: Path, rng: random.Random) -> list[int]:
    (root / ".memdir").mkdir()
    (root / ".memdir/lock").write_text(f"{os.getpid()}\n", encoding="utf-8")
    return []


def _deleted(root: Path, rng: random.Random) -> list[int]:
    pid = _holding(root, lambda: time.sleep(0.2))
    (root / ".memdir/lock").unlink()
    return [pid]


def soak(count: int, seed: int, place: Path) -> Outcome:
    """So many operations in one process (recalls, edits, logs, reads, syncs, gates, starts), one a minute by a clock of
    its own, so that days and months begin: memory grows by less than 1 MB in 10,000 (told from 20,000 on, when caches
    are full), descriptors, threads and children stay as many as they were.

    From the process and memory leaks of other tools (section 4.1 of the study).
    """
    found, rng, root = Outcome(), random.Random(seed), _vault(place)
    samples: list[tuple[int, float]] = []
    _fill()
    number = 0
    with _open(root, place, lambda: NOW + timedelta(minutes=number)) as memory:
        memory.sync(mirror.ALL)
        for number in range(count + 200):
            with suppress(Conflict, NotFound):
                _one(memory, rng, number)
            if number == 200:
                before = _held(memory)
            if number >= 200 and number % max(1, count // 50) == 0:
                gc.collect()
                samples.append((number, resident(os.getpid()) or peak()))
        after = _held(memory)
        found.held(after == before, f"descriptors and threads: {before} before, {after} after")
    slope = _slope(samples[len(samples) // 4 :]) * 10_000
    found.figures |= {"MB in 10,000": round(slope, 2), "MB at the end": round(samples[-1][1], 1)}
    found.held(slope < MEGABYTE or count < 20_000, f"memory grows by {slope:.2f} MB in 10,000 operations")
    with suppress(ChildProcessError):
        found.held(os.waitpid(-1, os.WNOHANG) == (0, 0), "a child is left")
    found.tried = count
    return found


def _fill() -> None:
    """Fill numpy's cache at once: it keeps seven freed arrays of each size up to 1 KB, 3.6 MB in all, and would fill so
    slowly that it looks like a leak."""
    for size in range(1, 1_025):
        [np.empty(size, np.uint8) for _ in range(8)]


def _one(memory: Memory, rng: random.Random, number: int) -> None:
    which = rng.random()
    if which < 0.5:
        memory.recall(question(f"valve number{number % 5}x"), fresh=which < 0.1)
    elif which < 0.7:
        memory.read("memory/ref/note-1.md")
    elif which < 0.8:
        memory.gate(f"Which valve is number{number % 5}x?", fresh=False)
    elif which < 0.85:
        memory.start(fresh=False)
    elif which < 0.9:
        memory.set("memory/ref/note-2.md", {"importance": rng.choice(["low", "medium", "high"])})
    elif which < 0.95:
        memory.show("memory/ref/note-4.md")
    else:
        memory.root.recover()


def _held(memory: Memory) -> tuple[int, int]:
    """Descriptors and threads while no index is open, which has a file for each of its parts."""
    memory.drop_reader()
    gc.collect()
    return len(os.listdir("/dev/fd")), threading.active_count()


def _slope(samples: Sequence[tuple[int, float]]) -> float:
    """Of the straight line through the samples, least squares."""
    if len(samples) < 2:
        return 0.0
    middle = sum(x for x, _ in samples) / len(samples), sum(y for _, y in samples) / len(samples)
    over = sum((x - middle[0]) * (y - middle[1]) for x, y in samples)
    return over / (sum((x - middle[0]) ** 2 for x, _ in samples) or 1.0)
