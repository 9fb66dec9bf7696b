"""Rows R4 and R5: many writers of one log, and a person who saves the note that an agent is changing."""

import contextlib
import os
import random
import signal
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals.reliability import strikes
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import Patches, child, waited
from memdir.vault import ledger
from memdir.vault.disk import syscalls
from memdir.vault.files import Root

WRITERS = 8
LOG, NOTE = "memory/logs/2026/11/2026-11-29.md", "memory/n.md"
NOW = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
PACE = 1.0  # how many times slower the person, the agent and its waits are: a busy machine needs more
WAITS = (0.002, 0.004)  # seconds that a note must have been left alone; by default memdir waits 0.25
KILLED = 20  # of so many writers that are killed besides


def appends(count: int, seed: int, place: Path) -> Outcome:
    """Eight processes append to one day's log and one ledger at once, `count` lines each to both; then others that are
    killed at any moment. No line is lost, doubled or merged with another, those of one writer keep their order, and a
    kill leaves at most one torn line behind it.

    Each line carries its own checksum.
    """
    found, root = Outcome(), place / "vault"
    root.mkdir()
    for pid in [child(_append, root, who, count) for who in range(WRITERS)]:
        found.held(waited(pid) == 0, "a writer failed")
    _judge(root, range(WRITERS), count, found, most_torn=0)
    killed, done = _kill(root, random.Random(seed), max(1, count // 100), found)
    _judge(root, range(WRITERS + killed, WRITERS + killed + done), max(1, count // 100), found, most_torn=2 * killed)
    found.tried = count
    found.figures |= {"writers": WRITERS, "lines in each file": WRITERS * count, "writers killed": killed}
    return found


def _append(root: Path, who: int, count: int) -> None:
    held = Root(root, wait=600)
    book = ledger.Ledger(held, True, "here")
    for number in range(count):
        held.append(LOG, _line(who, number), header=b"# 2026-11-29\n", told=False)
        book.append([ledger.Event("used", run=f"{who}", more={"n": number})], NOW)


def _line(who: int, number: int) -> bytes:
    said = b"%d.%06d " % (who, number) + b"x" * (number % 90)
    return b"- %s %08x\n" % (said, zlib.crc32(said))


def _kill(root: Path, rng: random.Random, count: int, found: Outcome) -> tuple[int, int]:
    """Writers that are killed at some moment, each beside one that may end: how many of each kind."""
    killed, first = 0, WRITERS + KILLED
    alive = [child(_append, root, who, count) for who in range(first, first + 4)]
    for who in range(WRITERS, first):
        pid = child(_append, root, who, 100_000)
        time.sleep(rng.uniform(0.002, 0.03))
        os.kill(pid, signal.SIGKILL)
        killed += waited(pid) == -signal.SIGKILL
    for pid in alive:
        found.held(waited(pid) == 0, "a writer beside killed ones failed")
    return killed, len(alive)


def _judge(root: Path, writers: Sequence[int], count: int, found: Outcome, *, most_torn: int) -> None:
    """The lines of these writers: each once, whole, in order; of all lines at most so many torn."""
    said = Counter((root / LOG).read_bytes().splitlines()[1:])
    order = {line: at for at, line in enumerate((root / LOG).read_bytes().splitlines())}
    for who in writers:
        lines = [_line(who, number).rstrip() for number in range(count)]
        lost = [line for line in lines if said[line] != 1]
        found.held(not lost, f"log, writer {who}: {len(lost)} lines lost or doubled, first {lost[:1]}")
        places = [order.get(line, 0) for line in lines]
        found.held(places == sorted(places), f"log, writer {who}: out of order")
    torn = [line for line in said if not _whole(line)]
    held = ledger.Ledger(Root(root), True, "here").events()
    counted = Counter((event.run, event.more.get("n")) for event in held)
    for who in writers:
        gone = sum(counted[str(who), number] != 1 for number in range(count))
        found.held(not gone, f"ledger, writer {who}: {gone} events lost or doubled")
    found.held(len(torn) <= most_torn, f"{len(torn)} torn lines where {most_torn} may be: {torn[:2]}")
    found.count("torn lines", len(torn))


def _whole(line: bytes) -> bool:
    said, _, checksum = line.removeprefix(b"- ").rpartition(b" ")
    return checksum == b"%08x" % zlib.crc32(said)


def saves(count: int, seed: int, place: Path) -> Outcome:
    """A person saves a note every few milliseconds, in place or by renaming, each time with one line more than was just
    read, while an agent reads it, thinks and writes it. Every line that the person saved is in the note or in a copy
    beside it afterwards, whether the system can exchange two names in one step or not; where nobody else writes there
    is no copy. An agent that does not wait until the note is left alone takes half-written saves for the text: how many
    are lost then is told as a figure.
    """
    found = Outcome()
    kinds = [(place_, exact, settle) for place_ in (True, False) for exact in (True, False) for settle in WAITS]
    each = max(1, count // len(kinds))
    for number, (in_place, exact, settle) in enumerate(kinds):
        root = place / f"{number}"
        with Patches() as patches:
            if not exact:
                patches.setattr(syscalls, "_rename", lambda *_args: False)
            _race(root, each, seed + number, settle, found, in_place=in_place)
        found.tried += each
    control = Outcome()
    _race(place / "control", each, seed, 0.0, control, in_place=True)
    lost = sum(int(fault.partition(": ")[2].split()[0]) for fault in control.faults)
    found.figures["lost or hidden without the wait"] = f"{lost} of {each}"
    _idle(place / "idle", found)
    return found


def _race(root: Path, count: int, seed: int, settle: float, found: Outcome, *, in_place: bool) -> None:
    note = root / NOTE
    note.parent.mkdir(parents=True)
    note.write_bytes(b"start\n")
    human = child(person, note, count, in_place=in_place, seed=seed)
    written, refused = agent(Root(root, settle=PACE * settle), seed + 1, human)
    later = Root(root, settle=0, clock=lambda: time.time() + 10)
    later.walk(lambda _path, _folder: False)
    later.recover()
    seen = [path.read_bytes() for path in note.parent.iterdir()]
    kept = [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    what = f"{'in place' if in_place else 'by rename'}, settle {settle}, seed {seed}"
    lost, hidden = (_missing(texts, count) for texts in (kept, seen))
    found.held(not lost, f"{what}: {len(lost)} saves lost everywhere, first {lost[:3]}")
    found.held(not hidden, f"{what}: {len(hidden)} saves neither in the note nor in a copy, first {hidden[:3]}")
    found.held(not strikes.leftovers(root), f"{what}: temporary files are left")
    found.count("writes of the agent", written)
    found.count("refused", refused)
    found.count("copies in conflict", len(seen) - 1)


def _missing(texts: Sequence[bytes], count: int) -> list[int]:
    lines = {line for text in texts for line in text.split(b"\n")}
    return [number for number in range(count) if b"H%05d" % number not in lines]


def _idle(root: Path, found: Outcome) -> None:
    """An agent alone: nothing that looks like a conflict."""
    (root / "memory").mkdir(parents=True)
    (root / NOTE).write_bytes(b"start\n")
    held = Root(root, settle=0)
    for number in range(50):
        blob = held.read(NOTE)
        held.write(NOTE, blob.data + b"A%05d\n" % number, base=blob.digest)
    held.recover()
    found.held(not list((root / "memory").glob("*.conflict-*")), "a copy in conflict where nobody else wrote")


def person(path: Path, count: int, *, in_place: bool, seed: int) -> None:
    """Save the note, each time with one line more than what was just read."""
    rng = random.Random(seed)
    for number in range(count):
        time.sleep(PACE * rng.uniform(0.001, 0.006))
        text = seen(path) + b"H%05d\n" % number
        if in_place:
            fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
            os.write(fd, text[: len(text) // 2])
            time.sleep(rng.choice([0, 0, 0.001]))
            os.write(fd, text[len(text) // 2 :])
            os.close(fd)
        else:
            swap = path.with_suffix(".swp")
            swap.write_bytes(text)
            swap.replace(path)


def seen(path: Path) -> bytes:
    """Read what is there, as soon as something is."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            return path.read_bytes()


def agent(root: Root, seed: int, human: int) -> tuple[int, int]:
    """Read, think, write until the person has gone home; return how often it went well and how often not."""
    rng, written, refused = random.Random(seed), 0, 0
    while (code := strikes.ended(human)) is None:
        try:
            held = root.read(NOTE)
            time.sleep(PACE * rng.uniform(0, 0.002))
            root.write(NOTE, held.data + b"A%05d\n" % written, base=held.digest, shrink_ok=True)
            written += 1
        except MemdirError:
            refused += 1
    assert code == 0
    return written, refused
