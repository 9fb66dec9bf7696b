"""Rows R10 and S9: an index that is damaged in any way, and one that would run code if it were opened."""

# mypy: allow-untyped-calls
# (Whoosh is typed in part only.)

import os
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from whoosh.filedb.filestore import FileStorage
from whoosh.index import _DEF_INDEX_NAME, TOC

from memdir.app.memory import Memory
from memdir.evals.reliability import mirror
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import Kept, differs, question
from memdir.evals.reliability.strikes import child, waited
from memdir.index import generation, sync
from memdir.index.filters import Filters
from memdir.recall.evidence import Answer

NOTES = {
    "memory/user/shell.md": "---\nname: Shell preference\ntype: user\n---\nWorks in zsh on every machine.\n",
    "memory/project/pump.md": "---\nname: 水泵\ntype: project\n---\n厨房水泵的滤芯,型号是甲七。\n",
    "memory/ref/boiler.md": "# Boiler\n\nThe relief valve opens at 3 bar.\n",
    "memory/logs/2026/11/2026-11-28.md": "# 2026-11-28\n\n## 08:00 - Relief valve replaced\n- outcome:: success\n",
} | {f"memory/ref/other-{n}.md": f"# Other {n}\n\nNothing of interest, number {n}.\n" for n in range(8)}
QUESTIONS = ("zsh", "水泵的滤芯", "relief valve", "number 5")
ASKED = {"zsh": "memory/user/shell.md", "滤芯": "memory/project/pump.md", "opens at 3 bar": "memory/ref/boiler.md"}
UNSEALED = ("listed", "lock", "recalled.jsonl", "index.db-journal")  # what answers nothing by itself

Damage = Callable[[bytes, random.Random], bytes | None]


def _flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(max(1, len(data)))
    return data[:at] + bytes(byte ^ (1 << rng.randrange(8)) for byte in data[at : at + 1]) + data[at + 1 :]


def _zeroed(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(max(1, len(data)))
    return data[:at] + bytes(min(512, len(data) - at)) + data[at + 512 :]


def _moved(data: bytes, rng: random.Random) -> bytes:
    """Two pages in each other's place."""
    at, to = (rng.randrange(max(1, len(data) // 512)) * 512 for _ in range(2))
    one, other = data[at : at + 512], data[to : to + 512]
    made = bytearray(data)
    made[at : at + len(other)], made[to : to + len(one)] = other, one
    return bytes(made)


DAMAGE: Mapping[str, Damage] = {
    "emptied": lambda data, rng: b"",
    "cut": lambda data, rng: data[: rng.randrange(max(1, len(data)))],
    "deleted": lambda data, rng: None,
    "512 bytes zeroed": _zeroed,
    "a bit flipped": _flipped,
    "pages exchanged": _moved,
    "grown": lambda data, rng: data + rng.randbytes(rng.randrange(1, 600)),
    "garbage": lambda data, rng: rng.randbytes(max(1, len(data))),
}


class Held(Kept):
    """A vault and its index, made of two segments."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        for number, (path, text) in enumerate(NOTES.items()):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
            if number in (5, len(NOTES) - 1):
                with self.open() as memory:
                    memory.sync(mirror.ALL)
        with self.open() as memory:
            self.place = memory.vault.place
        self.keep()
        self.texts = self.files()

    def reset(self) -> None:
        super().reset()
        with self.open() as memory:  # the files' inodes are others now
            memory.sync(mirror.ALL)

    def files(self) -> dict[str, bytes]:
        return {os.fspath(path): path.read_bytes() for path in sorted((self.root / "memory").rglob("*.md"))}

    def asked(self) -> list[Answer]:
        with self.open() as memory:
            return [memory.recall(question(one)) for one in ASKED]


def damages(count: int, seed: int, place: Path) -> Outcome:
    """A file of the index is emptied, cut, deleted, zeroed, flipped, grown, or filled with garbage at a drawn place, or
    a sync is killed half way besides: the next recall gives no wrong answer and says that the index was damaged, the
    next sync has made it anew without being told, equal to a rebuild, and no note has changed.
    """
    found, rng, held = Outcome(), random.Random(seed), Held(place)
    for number in range(count):
        held.reset()
        half = rng.random() < 0.2
        if half:
            _half(held, rng)
        what, changed, sealed = _struck(held, rng)
        what = f"seed {seed}, damage {number}, {what}{', behind a killed sync' if half else ''}"
        try:
            answers = held.asked()
            wrong = [one.question for one, path in zip(answers, ASKED.values(), strict=True)
                     if not one.evidence or one.evidence[0].path != path]  # fmt: skip
            found.held(not wrong, f"{what}: wrong answers to {wrong}")
            noticed = any(one.notices or one.source != "index" for one in answers)
            found.count("noticed", int(noticed))
            found.held(noticed or not sealed or not changed or half, f"{what}: not noticed")
            with held.open() as memory:
                memory.sync(mirror.ALL)
                faults = differs(memory, held.work / "fresh", QUESTIONS)
            found.faults += [f"{what}: {fault}" for fault in faults]
        except Exception as error:  # whatever else is raised is the fault that is looked for
            found.faults.append(f"{what}: {type(error).__name__}: {str(error)[:300]}")
        found.held(held.files() == held.texts, f"{what}: a note has changed")
        found.tried += 1
    return found


def _half(held: Held, rng: random.Random) -> None:
    """Leave a sync that is killed at some durable step."""
    with held.open() as memory:
        afresh = rng.random() < 0.5
        options = sync.Options(accept_removals=True, afresh=afresh)
        late = held.root / "memory/ref/other-0.md"
        late.write_bytes(late.read_bytes())
        mirror.killed(lambda: sync.sync(memory.vault, options), rng.randrange(1, 30))


def _struck(held: Held, rng: random.Random) -> tuple[str, bool, bool]:
    """Damage one file: what was done, whether it changed anything, and whether an answer depends on the file."""
    folder = generation.current(held.place)
    files = [path for path in held.place.rglob("*") if path.is_file() and path.name != "lock"]
    files.sort(key=lambda path: (path.suffix, path.stat().st_size, path))  # Whoosh names its own at random
    file, (how, damage) = rng.choice(files), rng.choice(list(DAMAGE.items()))
    data = file.read_bytes()
    made = damage(data, rng)
    if made is None:
        file.unlink()
    else:
        file.write_bytes(made)
    sealed = folder is not None and folder in file.parents and file.name not in (*UNSEALED, generation.LISTED)
    sealed = sealed and not file.name.endswith(("WRITELOCK", ".tmp")) and file.name != generation.PENDING
    return f"{file.relative_to(held.place)} {how}", made != data, sealed


class Canary:
    """Unpickled, it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Path]]:
        return Path.touch, (self.path,)


def plant(folder: Path, number: int, canary: Path) -> None:
    """A table of contents that runs code when Whoosh reads it."""
    storage = FileStorage(os.fspath(folder / generation.WHOOSH))
    real = TOC.read(storage, _DEF_INDEX_NAME)
    wanted = number or real.generation
    (folder / generation.WHOOSH / TOC._filename(_DEF_INDEX_NAME, wanted)).unlink(missing_ok=True)
    TOC(real.schema, [Canary(canary)], wanted).write(storage, _DEF_INDEX_NAME)


VERBS: Mapping[str, Callable[[Memory], object]] = {
    "recall": lambda memory: memory.recall(question("zsh")),
    "sync": lambda memory: memory.sync(mirror.ALL),
    "rebuild": lambda memory: memory.sync(sync.Options(afresh=True)),
    "doctor": lambda memory: memory.doctor(),
    "stats": lambda memory: memory.stats(),
    "list": lambda memory: memory.notes(Filters()),
    "gate": lambda memory: memory.gate("which shell do I use?"),
    "start": lambda memory: memory.start(),
}
PLACES: Sequence[tuple[str, int]] = (("in the place of the real one", 0), ("newer than the real one", 99))


def planted(count: int, seed: int, place: Path) -> Outcome:
    """A table of contents of the index that runs code when it is unpickled, planted in the cache in the place of the
    real one or as a newer one, and in the vault itself: no verb opens it, and each answers as before.

    That the file does run code when Whoosh reads it is tried as well.
    """
    found, held, canary = Outcome(), Held(place), place / "canary"
    cases = [(verb, where) for where in (*PLACES, ("in the vault", -1)) for verb in VERBS]
    for verb, (where, number) in cases[: max(1, count)]:
        held.reset()
        folder = generation.current(held.place)
        assert folder
        if number < 0:
            shutil.copytree(folder, held.root / "memory/gen-1")
            shutil.copytree(folder, held.root / ".memdir/gen-1")
            plant(held.root / "memory/gen-1", 99, canary)
            plant(held.root / ".memdir/gen-1", 99, canary)
        else:
            plant(folder, number, canary)
        with held.open() as memory:
            VERBS[verb](memory)
        found.held(not canary.exists(), f"{verb}: what was planted {where} ran")
        canary.unlink(missing_ok=True)
        found.held(held.asked()[0].evidence[0].path == ASKED["zsh"], f"{verb}, {where}: a wrong answer")
        found.tried += 1
    found.held(_sings(held, canary), "the canary does not sing: the row shows nothing")
    return found


def _sings(held: Held, canary: Path) -> bool:
    """Whether the planted file runs where nothing is checked."""
    held.reset()
    folder = generation.current(held.place)
    assert folder
    plant(folder, 99, canary)
    waited(child(lambda: TOC.read(FileStorage(os.fspath(folder / generation.WHOOSH)), _DEF_INDEX_NAME).segments[0].x))
    return canary.exists()
