"""Rows R16 and R17: folders that are away for a while, and snapshots that are brought back."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from memdir.app.exchange import snapshots
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals.reliability.hostile import hostile
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import differs, laid, opened, question
from memdir.index import sync

NOTES = 40
Back = Callable[[], None]


def _made(root: Path, rng: random.Random, notes: int) -> Path:
    laid(root)
    for number in range(notes):
        folder = root / "memory" / rng.choice(["ref", "project", "user", "ref/deep"])
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: Note {number}\ntype: ref\n---\nThe valve number{number}x.\n".encode()
        (folder / f"note-{number}.md").write_bytes(text if rng.random() < 0.8 else text + hostile(rng))
    return root


def away(count: int, seed: int, place: Path) -> Outcome:
    """The folder of notes is not mounted, most of it is gone at once, or a cloud client has left placeholders, while
    memdir syncs, answers, examines itself and is told to rebuild: no note leaves the index, no file is touched, and
    when the files are back everything is as it was.
    """
    found, rng = Outcome(), random.Random(seed)
    ways = {"not mounted": _unmounted, "mostly gone": _mostly, "placeholders": _placeholders}
    for number in range(count):
        name, way = list(ways.items())[number % len(ways)]
        here = place / f"{number}"
        root = _made(here / "vault", rng, NOTES)
        with opened(root, here / "index") as memory:
            memory.sync(sync.Options())
            before = _indexed(memory)
        whole = {path: path.read_bytes() for path in root.rglob("*.md")}
        back = way(root, here, rng)
        for options in (sync.Options(), sync.Options(afresh=True)):
            try:
                with opened(root, here / "index") as memory:
                    memory.sync(options)
            except (MemdirError, OSError):
                found.count("refused with a reason")
        with opened(root, here / "index") as memory:
            lost = before - _indexed(memory)
        found.held(not lost, f"seed {seed}, {name}: {len(lost)} notes left the index")
        back()
        changed = [path.name for path, data in whole.items() if not path.exists() or path.read_bytes() != data]
        found.held(not changed, f"seed {seed}, {name}: {changed[:3]} changed")
        with opened(root, here / "index") as memory:
            memory.sync(sync.Options())
            faults = differs(memory, here / "fresh", ("number3x",))
        found.faults += [f"seed {seed}, {name}: afterwards {fault}" for fault in faults]
        found.tried += 1
        shutil.rmtree(here)
    return found


def _indexed(memory: Memory) -> set[str]:
    """The paths in the index as it is."""
    return {row[0] for row in memory.open_reader(verified=False).rows("SELECT path FROM files WHERE kind = 'note'")}


def _unmounted(root: Path, place: Path, rng: random.Random) -> Back:
    os.rename(root / "memory", place / "elsewhere")
    (root / "memory").mkdir()

    def back() -> None:
        shutil.rmtree(root / "memory")
        os.rename(place / "elsewhere", root / "memory")

    return back


def _mostly(root: Path, place: Path, rng: random.Random) -> Back:
    gone = [path for path in sorted(root.rglob("note-*.md")) if rng.random() < 0.7]
    (place / "elsewhere").mkdir()
    for path in gone:
        os.rename(path, place / "elsewhere" / path.name)

    def back() -> None:
        for path in gone:
            os.rename(place / "elsewhere" / path.name, path)

    return back


def _placeholders(root: Path, place: Path, rng: random.Random) -> Back:
    gone = rng.sample(sorted(root.rglob("note-*.md")), rng.randint(1, 9))
    for path in gone:
        os.rename(path, path.with_name(f".{path.name}.icloud"))

    def back() -> None:
        for path in gone:
            os.rename(path.with_name(f".{path.name}.icloud"), path)

    return back


def drills(count: int, seed: int, place: Path) -> Outcome:
    """A vault is kept in one file, the file is checked, a vault is made of it again elsewhere: every file is the same
    to the byte, both answer alike; of a file in which one byte was changed nothing comes back that is not as it was.

    After Litestream's restore of every night.
    """
    found, rng = Outcome(), random.Random(seed)
    for number in range(count):
        here = place / f"{number}"
        root = _made(here / "vault", rng, rng.randint(1, NOTES))
        (root / "memory/ref/photo.png").parent.mkdir(exist_ok=True)
        (root / "memory/ref/photo.png").write_bytes(rng.randbytes(rng.randint(0, 90_000)))
        kept, restored = here / "kept.zip", here / "restored"
        with opened(root, here / "index") as memory:
            memory.sync(sync.Options())
            memory.snapshot(kept)
        whole = _bytes(root)
        found.held(not snapshots.verify(kept).damaged, f"seed {seed}, vault {number}: whole, yet damage is told")
        snapshots.restore(kept, restored, False)
        found.held(_bytes(restored) == whole, f"seed {seed}, vault {number}: not the same bytes")
        answers = []
        for one in (root, restored):
            with opened(one, here / one.name) as memory:
                told = memory.recall(question("valve number0x"))
                answers.append([(hit.path, hit.at, hit.score) for hit in told.evidence])
        found.held(answers[0] == answers[1], f"seed {seed}, vault {number}: answers differ: {answers}")
        _damaged(kept, here / "again", whole, rng, found, f"seed {seed}, vault {number}")
        found.tried += 1
        shutil.rmtree(here)
    return found


def _damaged(kept: Path, to: Path, whole: dict[str, bytes], rng: random.Random, found: Outcome, what: str) -> None:
    data = bytearray(kept.read_bytes())
    at = rng.randrange(len(data))
    data[at] ^= 1 << rng.randrange(8)
    kept.write_bytes(bytes(data))
    try:
        snapshots.restore(kept, to, False)
    except MemdirError:
        found.count("refused when damaged")
        found.held(not to.exists(), f"{what}, byte {at}: refused, and a folder is there")
    else:
        back = _bytes(to)
        wrong = [path for path in back.keys() | whole.keys() if back.get(path) != whole.get(path)]
        found.held(not wrong, f"{what}, byte {at} changed: {wrong[:2]} came back otherwise, or not at all")


def _bytes(root: Path) -> dict[str, bytes]:
    paths = [path for path in root.rglob("*") if path.is_file() and ".memdir" not in path.parts]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
