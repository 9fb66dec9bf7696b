"""The work of `Memory.watch`: hints of the file system become looks, a look is one sync and, where it found something,
MEMORY.md.

Nothing that goes wrong in a look ends the watch: it is told once and tried again. Writes what `sync` writes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memdir import config, settings_table
from memdir.app import writing
from memdir.errors import Locked, MemdirError
from memdir.index import sync
from memdir.index.watch import SAFETY, Hints, Pace
from memdir.vault import layout

if TYPE_CHECKING:
    from memdir.app.memory import Memory

PULSE = 2.0  # seconds between two stats of the vault's folder: nothing else tells that it was mounted or replaced
SETTLE = 0.5  # seconds until an absence is looked at again; a save may take 0.3 between rename and create
DOUBTS = 5  # times in a row that files newly gone are waited for
LOCK_WAIT = 2.0  # seconds that a look waits for the lock of the index
LOCKED = 1.0  # seconds until the next look when another memdir held it
TROUBLE = 60.0  # seconds until the next look when something else stopped one


@dataclass(slots=True)
class Seen:
    """What one look found and did, or (`report` None) only has to say. `first`: the one that the watch begins with."""

    at: datetime
    report: sync.Report | None = None
    written: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    first: bool = False


Tell = Callable[[Seen], None]


def watch(memory: "Memory", tell: Tell, *, once: bool) -> bool:
    """As `Memory.watch` promises."""
    looks = _Looks(memory, tell)
    if once:
        while looks.once():
            time.sleep(SETTLE)
        return False
    hints = Hints(memory.vault)
    try:
        return _follow(looks, hints)
    finally:
        hints.close()


def _follow(looks: "_Looks", hints: Hints) -> bool:
    """Look whenever it is time; returns when settings changed."""
    pace, clock = Pace(), time.monotonic
    choices = _choices(looks.memory)
    while True:
        said = hints.renew()
        if said is not None:
            looks.say(said)
            pace.hint(clock())
        began = clock()
        if hints.present and pace.due() <= began:
            if looks.changed(choices):
                return True
            again = looks.look()
            pace.looked(began, clock(), again)
            hints.check()
        if hints.wait(min(pace.due() - clock(), PULSE) if hints.present else PULSE):
            pace.hint(clock())


@dataclass(slots=True)
class _Looks:
    """The looks of one watch and what they must remember of each other."""

    memory: "Memory"
    tell: Tell
    first: bool = True
    owed: bool = True  # MEMORY.md may be behind the index: at the start, and when writing it failed
    believed: set[str] = field(default_factory=set)  # paths whose absence the looks before this saw
    doubts: int = 0
    said: set[str] = field(default_factory=set)  # notices told already
    trouble: str = ""  # what stopped the last look

    def look(self) -> float:
        """One look; the seconds to the next one at the latest."""
        try:
            again = SETTLE if self.once() else SAFETY
        except (MemdirError, OSError) as error:
            if str(error) != self.trouble:
                self.say([str(error)])
            self.trouble = str(error)
            return LOCKED if isinstance(error, Locked) else TROUBLE
        self.trouble = ""
        return again

    def once(self) -> bool:
        """One look; whether files are missing that were there a moment ago, so that nothing was done yet."""
        memory = self.memory
        memory.drop_reader()
        notices = [str(problem) for problem in memory.root.recover()]
        believed = self.believed if self.doubts < DOUBTS else None
        report = sync.sync(memory.vault, sync.Options(wait=LOCK_WAIT, quick=True, believed=believed))
        gone = {path for path, why in report.kept.items() if why == sync.JUST_GONE}
        if gone:
            self.believed, self.doubts = self.believed | gone, self.doubts + 1
            return True
        self.believed, self.doubts = set(), 0
        self.owed |= _found(report)
        done = writing.Done()
        try:
            if self.owed:
                done = writing.keep_index(memory)
            self.owed = False
        finally:
            memory.drop_reader()
            self._report(report, done.changed, [*notices, *_notices(report), *done.notices])
        return False

    def _report(self, report: sync.Report, written: list[str], notices: list[str]) -> None:
        """Tell a look that is the first, found something or has something new to say."""
        fresh = [line for line in notices if line not in self.said]
        if self.first or _found(report) or written or fresh:
            self.said = set(notices)
            self.tell(Seen(self.memory.clock.now(), report, written, fresh, self.first))
        self.first = False

    def say(self, notices: list[str]) -> None:
        if notices:
            self.tell(Seen(self.memory.clock.now(), notices=notices))

    def changed(self, before: "_Choices") -> bool:
        """Whether settings differ from those the vault was opened with; broken ones are told and wait."""
        try:
            now = _choices(self.memory)
        except MemdirError as error:
            if str(error) not in self.said:
                self.say([f"{error}; watching goes on with the settings of before"])
            self.said.add(str(error))
            return False
        lost = before.own and not now.own  # a vault without its settings is unmounted rather than adopted
        return not lost and now != before


@dataclass(frozen=True, slots=True)
class _Choices:
    """What decides how a vault is read."""

    own: bool
    settings: tuple[object, ...]
    rules: layout.Rules


def _choices(memory: "Memory") -> _Choices:
    root = memory.root.path
    settings = config.load(root)
    own, include, exclude = settings["format"] > 0, settings["notes.include"], settings["notes.exclude"]
    rules = layout.rules(root, own=own, include=include, exclude=exclude)
    return _Choices(own, tuple(settings[one.name] for one in settings_table.TABLE), rules)


def _found(report: sync.Report) -> bool:
    return bool(report.added or report.modified or report.moved or report.removed or report.rebuilt)


def _notices(report: sync.Report) -> list[str]:
    """What a person should know of a look, five files of a kind at most."""
    said = [f"the index was made anew: {report.rebuilt}"] if report.rebuilt not in ("", sync.FIRST) else []
    said += [f"{path} is kept in the index: {why}" for path, why in sorted(report.kept.items())[:5]]
    said += [f"{path} is not in the index: {why}" for path, why in sorted(report.skipped.items())[:5]]
    return said
