"""The writing verbs of memdir, each on the same small vault, for rows that strike at every call of each.

A `Stage` is that vault with its index; it is put back as it was before each try. Clock and random numbers are the
same each time, so that what a verb makes can be told beforehand. Writes below the folder it is given.
"""

import os
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import count
from pathlib import Path

from memdir.app import plans
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.evals.reliability import mirror
from memdir.evals.reliability.stage import HEAD, NOW, PUMP, Kept, talk
from memdir.evals.reliability.strikes import Patches
from memdir.vault.draft import NewNote
from memdir.vault.files import Root, digest

QUESTIONS = ("filter pump", "garden gate", "spare key", "relief valve")
OLD = "memory/project/old-boiler.md"
_TURNS = (("mara", "the relief valve opens at three bar"), ("assistant", "noted"), ("mara", "and the filter is K8"))

Act = Callable[[Memory, Path], object]


def _undone(memory: Memory, _: Path) -> object:
    return memory.undo(next(run.id for run in reversed(memory.runs()) if run.verb == "edit"))


ACTS: Mapping[str, Act] = {
    "new": lambda memory, _: memory.new(NewNote("Spare key", "user", "Ana has the spare key.\n", tags=["keys"])),
    "edit": lambda memory, _: memory.edit(PUMP, plans.Edited("append", "The garden gate sticks.\n")),
    "set": lambda memory, _: memory.set(PUMP, {"importance": "high"}),
    "fact": lambda memory, _: memory.fact_set(PUMP, "filter", "K9"),
    "resolve": lambda memory, _: memory.resolve(f"{PUMP}#^k1f9a"),
    "move": lambda memory, _: memory.move(PUMP, "memory/ref/pump.md"),
    "archive": lambda memory, _: memory.archive([OLD]),
    "log": lambda memory, _: memory.log("Relief valve replaced", ["- outcome:: success"]),
    "sync": lambda memory, _: memory.sync(mirror.ALL),
    "distill": lambda memory, _: memory.distill(model=False),
    "import": lambda memory, given: memory.bring("markdown", given / "notes", Asked()),
    "ingest": lambda memory, _: memory.ingest(talk("later", *_TURNS)),
    "undo": _undone,
    "merge": lambda memory, _: memory.merge_conflicts(),
    "heartbeat": lambda memory, _: memory.heartbeat(force=True),
}
_NOTES = {
    PUMP: f"{HEAD}Cellar, see [[garden]].\n\n- filter:: K6 (2026-01-10 →)\n- [ ] Order the filter ^k1f9a\n"
    + "The pump runs at night.\n" * 40,
    OLD: "---\nname: Old boiler\ntype: project\ntags: []\ncreated: 2024-02-01\nupdated: 2024-02-01\nimportance: low\n"
    "---\nThe relief valve leaked.\n",
    "memory/ref/garden.md": "---\nname: Garden\ntype: ref\ntags: []\ncreated: 2026-02-01\nupdated: 2026-02-01\n"
    "importance: medium\n---\nBehind [[pump-room]] and [[old-boiler|the boiler]].\n",
}
_FRESH, _COPY = "memory/ref/by-hand.md", "memory/ref/garden.sync-conflict-20261128-101010-ABCDEFG.md"
BY_HAND = (*_NOTES, _FRESH, _COPY)  # what a person made


class Stage(Kept):
    """The vault with the sources of imports beside it. `before`: its files, by path."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.given = self.work / "given"
        self._fill()
        self.keep()
        self.before = self.texts()

    def _fill(self) -> None:
        for path, text in _NOTES.items():
            self._lay(self.root / path, text)
        self._lay(self.given / "notes/Valve.md", "---\ntags: [water]\n---\nThe relief valve.\n")
        self._lay(self.given / "notes/deep/Tap.md", "No front matter.\n")
        with self.open(NOW - timedelta(days=1)) as memory:
            memory.sync(mirror.ALL)
            memory.log("Cellar", ["the filter of the pump room is K7", "the owner of the garden is Ines"])
            memory.ingest(talk("first", *_TURNS))
            memory.edit(PUMP, plans.Edited("append", "Ines has looked at it.\n"))
        self.mend()
        self._lay(self.root / _FRESH, "# By hand\n\nThe relief valve opens at 3 bar.\n")
        copy = (self.root / "memory/ref/garden.md").read_bytes() + b"The gate is green.\n"
        (self.root / _COPY).write_bytes(copy)

    @staticmethod
    def _lay(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        past = (NOW - timedelta(days=3)).timestamp()
        os.utime(path, (past, past))

    def do(self, name: str) -> None:
        """One verb, as a command would do it. Raises as it does."""
        with same_numbers(), self.open() as memory:
            memory.root.recover()
            ACTS[name](memory, self.given)

    def mend(self) -> list[str]:
        """What the next start does, ten seconds later, twice: the second time there is nothing left to do."""
        root = Root(self.root, settle=0, clock=lambda: time.time() + 10)
        root.walk(lambda _path, _folder: False)
        root.recover()
        left = [str(problem) for problem in root.recover()]
        root.close()
        return left

    def texts(self) -> dict[str, bytes]:
        """Path → bytes of every file of the vault but memdir's own."""
        found = [path for path in sorted(self.root.rglob("*")) if path.is_file()]
        held = {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}
        return {path: data for path, data in held.items() if not path.startswith(".memdir/")}

    def kept(self) -> set[str]:
        """Digests of every text that is left anywhere in the vault, its history among it."""
        return {digest(path.read_bytes()) for path in self.root.rglob("*") if path.is_file()}


def same_numbers() -> Patches:
    """`os.urandom` gives the same numbers in the same order, none twice."""
    numbers = count(1)
    patches = Patches()

    def urandom(size: int) -> bytes:
        return next(numbers).to_bytes(8, "big")[-size:].rjust(size, b"\x5a")

    patches.setattr(os, "urandom", urandom)
    return patches
