"""Row R3: the power goes. A model of a disk that keeps only what was flushed, and every state that it may leave.

The calls of a verb are noted while it runs on a real folder. A model of the disk is led along: a file holds what was
flushed last and what was written since, a folder the names that were flushed and the changes since, in order. At a cut
every file has lost its unflushed bytes or kept them, every folder any number of its last changes. Writes below the
folder it is given.
"""

import contextlib
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from memdir.evals.reliability.acts import Stage
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import Patches
from memdir.evals.reliability.verdict import Foreseen, foreseen, healed, texts
from memdir.vault.disk.syscalls import Folder, sys_calls

VERBS = ("new", "edit", "set", "log", "fact", "move", "archive", "ingest", "import", "merge", "distill", "undo")
METHODS = ("open", "write", "fsync", "rename", "rename_new", "rename_exchange", "link", "unlink", "mkdir", "ftruncate")
STATES = 4  # that are looked at for each cut: all lost, all kept, and drawn ones
Names = dict[str, int]
Change = Callable[[Names], object]


@dataclass(slots=True)
class Held:
    """A file: the bytes that are on the disk, and those that a reader sees."""

    flushed: bytes = b""
    seen: bytes = b""


@dataclass(slots=True)
class Called:
    """A folder: name → file on the disk, and what was changed since, in order."""

    flushed: Names = field(default_factory=dict)
    later: list[Change] = field(default_factory=list)


class Disk:
    """The model, led along by `watch`. Folders are known by their path, files by a number."""

    def __init__(self, root: Path) -> None:
        self.files, self.folders = dict[int, Held](), dict[str, Called]()
        self._at: dict[int, int] = {}  # inode → file
        self._made: dict[str, bool] = {}  # folders that are new → whether their name is on the disk
        for place, _, names in os.walk(root):
            held = self.folders[place] = Called()
            for name in names:
                path = Path(place, name)
                number = held.flushed[name] = self._number(path)
                self.files[number] = Held(path.read_bytes(), path.read_bytes())

    def _number(self, at: int | str | Path) -> int:
        """Of the file at a path or a descriptor."""
        inode = os.stat(at).st_ino
        if inode not in self._at:
            self._at[inode] = len(self.files) + 1
            self.files[self._at[inode]] = Held()
        return self._at[inode]

    def _held(self, fd: int) -> Held:
        return self.files[self._number(fd)]

    def change(self, folder: str, change: Change) -> None:
        self.folders.setdefault(folder, Called()).later.append(change)

    def states(self, rng: random.Random) -> Iterator[tuple[str, dict[str, bytes]]]:
        """What may be on the disk if the power goes now: path → bytes."""
        yield "nothing unflushed is kept", self._state(lambda most: 0, lambda: False)
        yield "all is kept", self._state(lambda most: most, lambda: True)
        for number in range(STATES - 2):
            keeps = rng.random()
            kept = [rng.random() < keeps for _ in range(1_000)]
            yield f"drawn {number}", self._state(lambda most: rng.randint(0, most), iter(kept).__next__)

    def _state(self, prefix: Callable[[int], int], kept: Callable[[], bool]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for place, held in self.folders.items():
            names = dict(held.flushed)
            for change in held.later[: prefix(len(held.later))]:
                change(names)
            for name, number in names.items():
                if number:
                    one = self.files[number]
                    found[os.path.join(place, name)] = one.seen if kept() else one.flushed
        reached = self._reached()
        return {path: data for path, data in found.items() if os.path.dirname(path) in reached}

    def _reached(self) -> set[str]:
        """Folders whose own names are on the disk, or were there from the beginning."""
        return {place for place, held in self.folders.items() if place not in self._made or self._made[place]}

    def watch(self, patches: Patches) -> None:
        """Follow every call that changes the disk."""
        for name in METHODS:
            patches.setattr(sys_calls, name, partial(getattr(self, f"_{name}"), getattr(sys_calls, name)))

    def _open(self, real: Callable[..., int], folder: Folder, name: str, flags: int, mode: int = 0o600) -> int:
        there = os.path.lexists(os.path.join(folder.path, name))
        fd = real(folder, name, flags, mode)
        if not there:
            self._at.pop(os.fstat(fd).st_ino, None)
            number = self._number(fd)
            self.change(folder.path, lambda names: names.__setitem__(name, number))
        elif flags & os.O_TRUNC:
            self._held(fd).seen = b""
        return fd

    def _write(self, real: Callable[..., int], fd: int, data: bytes) -> int:
        done = real(fd, data)
        self._held(fd).seen += bytes(data[:done])
        return done

    def _ftruncate(self, real: Callable[..., None], fd: int, size: int) -> None:
        real(fd, size)
        held = self._held(fd)
        held.seen = held.seen[:size]

    def _fsync(self, real: Callable[..., None], fd: int) -> None:
        real(fd)
        place = os.readlink(f"/proc/self/fd/{fd}")
        if os.path.isdir(place):
            held = self.folders.setdefault(place, Called())
            for change in held.later:
                change(held.flushed)
            held.later.clear()
            for path in self._made:
                if os.path.dirname(path) == place:
                    self._made[path] = True
        else:
            one = self._held(fd)
            one.flushed = one.seen

    def _mkdir(self, real: Callable[..., None], folder: Folder, name: str) -> None:
        real(folder, name)
        path = os.path.join(folder.path, name)
        self.folders[path] = Called()
        self._made[path] = False

    def _link(self, real: Callable[..., None], folder: Folder, name: str, target: Folder, new: str) -> None:
        number = self._number(os.path.join(folder.path, name))
        real(folder, name, target, new)
        self.change(target.path, lambda names: names.__setitem__(new, number))

    def _unlink(self, real: Callable[..., None], folder: Folder, name: str) -> None:
        real(folder, name)
        self.change(folder.path, lambda names: names.pop(name, None))

    def _rename(self, real: Callable[..., None], folder: Folder, name: str, target: Folder, new: str) -> None:
        number = self._number(os.path.join(folder.path, name))
        real(folder, name, target, new)
        self._moved(folder.path, name, target.path, new, number)

    _rename_new = _rename

    def _moved(self, place: str, name: str, target: str, new: str, number: int) -> None:
        """A name moves: in one folder in one step, else it is in the new one before it leaves the old."""

        def both(names: Names) -> None:
            names.pop(name, None)
            names[new] = number

        if place == target:
            self.change(place, both)
        else:
            self.change(target, lambda names: names.__setitem__(new, number))
            self.change(place, lambda names: names.pop(name, None))

    def _rename_exchange(self, real: Callable[..., bool], folder: Folder, name: str, target: Folder, new: str) -> bool:
        one, other = (self._number(os.path.join(*at)) for at in ((folder.path, name), (target.path, new)))
        done = real(folder, name, target, new)
        if done and folder.path == target.path:
            self.change(folder.path, lambda names: names.update({name: other, new: one}))
        elif done:
            self.change(target.path, lambda names: names.__setitem__(new, one))
            self.change(folder.path, lambda names: names.__setitem__(name, other))
        return done


def cuts(count: int, seed: int, place: Path) -> Outcome:
    """The power goes at any call of a writing verb, and a disk that keeps only what was flushed is left in one of the
    states that it may be in: every note is its old text or the new one, a line of a log is whole or missing, once the
    verb has returned nothing of what it wrote is lost, and the next start heals the vault.

    A model in Python: files may lose what was not flushed, folders the last of their changes.
    """
    found, rng, stage = Outcome(), random.Random(seed), Stage(place)
    known: dict[str, tuple[Foreseen, int]] = {}
    for number in range(count):
        name = VERBS[number % len(VERBS)]
        if name not in known:
            known[name] = foreseen(stage, name), _run(stage, name, 0)[1]
        after, total = known[name]
        at = total + 1 if number % 5 == 0 else rng.randint(1, total)
        disk, _ = _run(stage, name, at)
        for what, state in disk.states(rng):
            _lay(stage, state)
            told = [
                *texts(stage, after, "after the cut"),
                *(_lost(stage, after) if at > total else ()),
                *healed(stage, after),
            ]
            found.faults += [f"seed {seed}, {name}, cut at call {at} of {total}, {what}: {one}" for one in told]
            found.count("states")
        found.tried += 1
    return found


class _Cut(BaseException):
    """The power is gone."""


def _run(stage: Stage, name: str, at: int) -> tuple[Disk, int]:
    """A verb up to its nth call (0, or beyond its end: all of it), with the model beside it; how many calls it made."""
    stage.reset()
    disk, calls = Disk(stage.root), [0]
    with Patches() as patches:
        disk.watch(patches)
        for method in METHODS:
            patches.setattr(sys_calls, method, partial(_counted, getattr(sys_calls, method), calls, at))
        with contextlib.suppress(_Cut):
            stage.do(name)
    return disk, calls[0]


def _counted(real: Callable[..., Any], calls: list[int], at: int, *args: Any, **kwargs: Any) -> Any:
    calls[0] += 1
    if at and calls[0] >= at:
        raise _Cut
    return real(*args, **kwargs)


def _lay(stage: Stage, state: dict[str, bytes]) -> None:
    """The vault as the disk has it; the index is as it was before."""
    shutil.rmtree(stage.root)
    stage.root.mkdir(0o700)
    for path, data in state.items():
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        Path(path).write_bytes(data)


def _lost(stage: Stage, after: Foreseen) -> Iterator[str]:
    """What the verb wrote before it returned, and is not there."""
    held = stage.texts()
    for path, new in after.texts.items():
        if path.startswith("memory/") and held.get(path) != new:
            yield f"the verb had returned, and {path} is not what it wrote: {held.get(path, b'gone')[:60]!r}"
