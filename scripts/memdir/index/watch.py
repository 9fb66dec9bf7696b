"""The watch over a vault's folder: hints that something may have changed, and the pace at which they lead to a look.

A hint says *look*, never *what*: the diff of `sync` says what. Events of the system come through watchdog; where it
gives none (its limits are reached) the tree is polled. Paths that hold no notes hint at nothing, nor does reading.
Touches no file.
"""

import contextlib
import logging
import math
import os
import queue
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserverVFS

from memdir import config
from memdir.index.values import Vault
from memdir.vault import layout, names

QUIET = 0.3  # seconds without a hint before a look; editors write, rename and touch within a tenth of that
MOST = 2.0  # seconds that hints may go on before a look all the same
FLOOR = 1.5  # seconds between two looks: 100 edits in 10 s make 6 or 7
SHARE, REST = 3, 10.0  # a look that took long is followed by a rest of thrice its length, seconds at most
SAFETY = 600.0  # seconds after which a look is due without a hint, for events that the system lost
POLL = 15.0  # seconds between two polls of the tree where there are no events
# Files beside the notes that decide what counts as a note.
SETTINGS = {config.VAULT_FILE, ".obsidian/templates.json"}
# What is asked of the system; without opening and closing after a read, reads cost not even a filter.
_KINDS: list[type[events.FileSystemEvent]] = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileClosedEvent,
    events.FileMovedEvent,
    events.FileDeletedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
    events.DirDeletedEvent,
    getattr(events, "FileAttribEvent", events.FileModifiedEvent),  # from watchdog 7: rights may make a file readable
]


@dataclass(slots=True)
class Pace:
    """When the next look is due, from hints and looks; times are seconds of one clock that the caller reads."""

    first: float = math.inf  # hint since the last look
    last: float = math.inf  # the newest of them
    rest: float = -math.inf  # not before, for a hint
    latest: float = -math.inf  # at this time without a hint; at the start: at once

    def hint(self, now: float) -> None:
        self.first, self.last = min(self.first, now), now

    def looked(self, began: float, ended: float, again: float = SAFETY) -> None:
        """A look is over, and the hints before it are used up; `again`: seconds to the next at the latest.

        The first, which may index a whole vault, asks for no longer rest than any.
        """
        length = ended - began if self.latest > -math.inf else 0.0
        self.first = self.last = math.inf
        self.rest = ended + max(FLOOR, min(REST, SHARE * length))
        self.latest = ended + again

    def due(self) -> float:
        """The time of the next look: after quiet or `MOST`, but not within the rest."""
        return min(max(min(self.last + QUIET, self.first + MOST), self.rest), self.latest)


def matters(rules: layout.Rules, path: str, is_dir: bool) -> bool:
    """Whether a change at this path, relative to the vault, may concern a note or what counts as one."""
    if path in SETTINGS:
        return True
    parts = path.split("/")
    if any(rules.skip("/".join(parts[:depth]), True) for depth in range(1, len(parts))):
        return False
    return not rules.skip(path, is_dir) and (not is_dir or bool(rules.include) or rules.counts(f"{path}/"))


class Hints(events.FileSystemEventHandler):
    """The watch over one vault's folder, which may go, be replaced and come back. Call `close` at the end."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.path = ""  # the folder that is watched, its real path: events name it
        self._heard: queue.SimpleQueue[bool] = queue.SimpleQueue()  # True: a folder came
        self._observer: BaseObserver | None = None
        self._here: tuple[int, int] | None = None  # device and inode of that folder
        self._polls = self._grown = False
        self._complaints = _Complaints(self._heard)

    @property
    def present(self) -> bool:
        """Whether there was a folder to watch when `renew` was last called."""
        return self._observer is not None

    def renew(self) -> list[str] | None:
        """Watch what stands at the vault's path now. None: the watch that is goes on; else it is a new one, or the
        folder has gone, and the list says what a person should know. Costs one stat when nothing is new."""
        path = os.path.realpath(self.vault.root.path)
        here, before = _identity(path), self._here
        if here == before and (here is None or self._alive()):
            return None
        self.close()
        self.path, self._here = path, here
        said = self._start() if here else []
        if self.present:
            return said
        self._here = None
        return [f"{self.vault.root.path} is gone; watching goes on when it is back"] if before else None

    def wait(self, seconds: float) -> bool:
        """Wait for a hint at most so long; whether there was one."""
        try:
            self._grown |= self._heard.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return False
        while not self._heard.empty():
            self._grown |= self._heard.get()
        return True

    def check(self) -> None:
        """Where folders came since: have `renew` begin anew when the system's limit has left one unwatched."""
        grown, self._grown = self._grown, False
        if grown and not self._polls and _unwatched(self.path):
            self._here = (-1, -1)

    def close(self) -> None:
        """End the watch; its threads have ended afterwards."""
        observer, self._observer = self._observer, None
        if observer is not None:
            _end(observer)
        logging.getLogger("watchdog").removeHandler(self._complaints)

    def dispatch(self, event: events.FileSystemEvent) -> None:
        """Called by watchdog, in a thread of its own."""
        gone = event.event_type == events.EVENT_TYPE_DELETED
        for path in filter(None, (os.fsdecode(event.src_path), os.fsdecode(event.dest_path))):
            # Windows does not say whether what was deleted was a folder.
            is_dir = event.is_directory or (gone and os.name == "nt" and not path.lower().endswith(".md"))
            if self._counts(path, is_dir):
                self._heard.put(is_dir and not gone)
                return

    def _counts(self, path: str, is_dir: bool) -> bool:
        inside = path.removeprefix(self.path).replace(os.sep, "/").lstrip("/")
        return not inside or matters(self.vault.rules, inside, is_dir)

    def _alive(self) -> bool:
        """Whether every thread of the watch runs; watchdog ends them when the folder is deleted."""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(one.is_alive() for one in observer.emitters)

    def _start(self) -> list[str]:
        log = logging.getLogger("watchdog")
        log.addHandler(self._complaints)
        log.propagate = False
        self._polls = False
        try:
            self._observer = self._observed(Observer())
            if not _unwatched(self.path):
                return []
            reason = "the limit of watched folders is reached"
            self.close()
        except OSError as error:
            reason = error.strerror or str(error)
        try:
            self._observer = self._observed(PollingObserverVFS(os.lstat, _listed, polling_interval=POLL))
        except OSError:  # gone again
            return []
        self._polls = True
        return [f"the system gives no events for {self.path} ({reason}): looking every {POLL:g} seconds instead"]

    def _observed(self, observer: BaseObserver) -> BaseObserver:
        try:
            observer.schedule(self, self.path, recursive=True, event_filter=_KINDS)
            observer.start()
        except BaseException:
            _end(observer)
            raise
        return observer


class _Complaints(logging.Handler):
    """What watchdog says of itself, such as that events were lost, is a reason to look; nobody else need hear it."""

    def __init__(self, heard: "queue.SimpleQueue[bool]") -> None:
        super().__init__(logging.WARNING)
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.put(False)


def _end(observer: BaseObserver) -> None:
    """Stop an observer, started or not, and wait for its threads."""
    observer.stop()
    if observer.is_alive():
        observer.join(1.0)


def _listed(folder: str | None) -> "Iterator[os.DirEntry[str]]":
    """What a poll sees of a folder: nothing of hidden folders and those of package tools."""
    with os.scandir(folder) as found:
        yield from (one for one in found if not names.is_ignored_folder(one.name))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _unwatched(path: str) -> bool:
    """Whether folders go without a watch: watchdog (7.1) is silent when the kernel's limit is reached below the root.

    Linux lists the watches of a process in /proc; elsewhere one watch holds the whole tree. Asked three times,
    because a folder may have come this moment.
    """
    if not sys.platform.startswith("linux"):
        return False
    for _ in range(3):
        held = _watches()
        if held is None or held >= sum(os.access(folder, os.R_OK) for folder, _, _ in os.walk(path)):
            return False
        time.sleep(0.2)
    return True


def _watches() -> int | None:
    """How many watches this process holds; None where the system does not say."""
    held = 0
    try:
        for info in Path("/proc/self/fdinfo").iterdir():
            with contextlib.suppress(FileNotFoundError):  # that of the listing itself
                held += info.read_text("ascii", "replace").count("inotify wd:")
    except OSError:
        return None
    return held
