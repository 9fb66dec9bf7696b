"""A vault as a server opens it, once for each of its threads.

Many questions at once share one look at the files: an answer needs no look younger than its question. A first index
that takes longer than a moment is not waited for: answers come from a scan and say so.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir import config
from memdir.app import scopes
from memdir.app.memory import INLINE, Memory
from memdir.errors import MemdirError, NotFound, Unusable
from memdir.index import generation, vectors

if TYPE_CHECKING:
    from memdir.index.values import Progress

INCOMPLETE = "index incomplete: it is being made, so that the files were searched directly"
EARLY = 1.5  # seconds from the start in which a question waits for a first index: most are made in that time
WAIT = 2.0  # seconds for the lock of the index: a server need not answer as fast as a command


@dataclass(slots=True)
class Looks:
    """What the threads of a server know of the index together."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    began: float = -1.0  # when the last look that found everything began
    said: list[str] = field(default_factory=list)
    made: threading.Event = field(default_factory=threading.Event)  # there is a first index
    since: float = field(default_factory=time.monotonic)
    behind: threading.Event = field(default_factory=threading.Event)  # more is to be read than a recall reads


class Served(Memory):
    """A vault of a server. Used by the thread that opened it alone."""

    def __init__(
        self,
        root: Path,
        looks: Looks,
        *,
        now: Callable[[], datetime] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(root, now=now, options=options)
        self._by = self.settings["by"] if self.settings.given("by") else "mcp"
        self._settings = _stamp(root / config.VAULT_FILE)
        self.looks = looks
        self.asked = time.monotonic()  # when the question under way came
        self._seen: tuple[object, ...] = ()  # the index that an open reader reads, or an older one

    def begin(self, by: str, asked: float) -> None:
        """Begin with a call: who makes it, "" for who started the server, and when it came (`time.monotonic`)."""
        self.settings.put("by", by or self._by, "token")
        self.asked = asked
        self.notices = []
        self.redacted.clear()

    def outdated(self) -> bool:
        """Whether the settings of the vault have changed since it was opened."""
        return _stamp(self.root.path / config.VAULT_FILE) != self._settings

    def freshen(
        self,
        *,
        wait: float | None = None,
        most: int | None = INLINE,
        meant: AbstractSet[str] = frozenset(),
        progress: "Progress | None" = None,
    ) -> tuple[bool, list[str]]:
        if not self.looks.made.wait(max(0.0, self.looks.since + EARLY - time.monotonic())):
            self.drop_reader()
            return False, [INCOMPLETE]
        if meant or wait is not None:
            return super().freshen(wait=wait, most=most, meant=meant, progress=progress)
        fresh, said = True, self.looks.said
        if self.looks.began < self.asked:
            with self.looks.lock:
                fresh, said = self._shared(most)
        if (shape := self._shape()) != self._seen or not fresh:
            self.drop_reader()
        self._seen = shape
        return fresh, list(said)

    def _shared(self, most: int | None) -> tuple[bool, list[str]]:
        """What a look says that began after the question came: another's, else one's own."""
        if self.looks.began >= self.asked:
            return True, self.looks.said
        began = time.monotonic()
        fresh, said = self._look(most)
        if fresh:
            self.looks.said, self.looks.began = said, began
        elif "wait to be indexed" in "".join(said):
            self.looks.behind.set()
        return fresh, said

    def _look(self, most: int | None) -> tuple[bool, list[str]]:
        """One look at the files, which leaves an open reader open."""
        held, dense = self._reader, self.dense
        self._reader = self.dense = None
        try:
            return super().freshen(wait=max(WAIT, self.settings["sync.read_wait"]), most=most)
        finally:
            self._reader, self.dense = held, dense

    def _shape(self) -> tuple[object, ...]:
        """What differs where an open reader would be behind."""
        folder = generation.current(self.vault.place)
        if folder is None:
            return ()
        return folder, generation.shape(folder), _stamp(folder / vectors.DB)

    def seen(self, target: str, within: Sequence[str]) -> str:
        """A target that a caller of some memory scopes may name: itself. Raises NotFound alike for what is not there
        and for what is of another scope; without scopes everything is seen."""
        if within:
            rules = self.settings["scope.inherits"]
            known = {name for one in within for name in (one, *scopes.inherited(one, rules))}
            try:
                scope = str(self.meta(target).get("scope") or "")
            except MemdirError:
                scope = ""
            if scope not in known:
                raise NotFound(f"there is no {target!r} in the scopes of this token")
        return target

    def meta(self, target: str) -> Mapping[str, Any]:
        """The front matter of a note as understood."""
        held = self.show(target)["meta"]
        return held if isinstance(held, Mapping) else {}

    def indexed(self) -> bool:
        """Whether there is a whole index."""
        try:
            self.open_reader(verified=False)
        except Unusable:
            return False
        return True

    def catch_up(self) -> None:
        """Make the index, or bring it to what the files say however many have changed. Writes nothing but the index."""
        try:
            super().freshen(wait=self.settings["sync.lock_wait"], most=None)
            self.top_up(local=True, most=self.settings["embedder.sync_most"])
        finally:
            if self.looks.made.is_set() or self.indexed():
                self.looks.made.set()
            else:  # another memdir is making it
                self.looks.behind.set()
            self.drop_reader()


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, zeros for none."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns
