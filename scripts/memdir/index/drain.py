"""Drain: give a vector to every passage and turn that has none, newest first, in batches that are whole by themselves.

Files are read and texts embedded without any lock of the index: a sync never waits for this, and a passage that is
gone when its vector comes is left out. A run that is killed has lost the batch it was at. One drain at a time. Writes
`vectors.db` and `vectors.flat` of the generation in use.
"""

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memdir import int8, text
from memdir.errors import BadData, Locked, MemdirError, Unusable
from memdir.index import db, generation, vectors
from memdir.index.values import Progress, Vault
from memdir.vault import fence, files, memory_md

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOCK = "vectors"  # the folder beside the generations whose lock a drain holds
BATCH = 32  # texts of a model on this machine between two looks at the clock: 0.15 s
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_LINK = r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]|\[([^\[\]]*)\]\([^()\s]*\)"
_MARKUP = re.compile(rf"^\s*[-+]\s+(?:\[[ xX]\]\s+)?|{_LINK}|(?<!\w)\^[\w-]+\s*$|[#*_`>|=~]+", re.MULTILINE)
_WHEN = re.compile(r"^\d{1,2}:\d\d(?::\d\d)?\s*[-–—]?\s*")
# What SQLite says when the system or another process is in the way; anything else is said of the file.
_REFUSED = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_NOMEM")

_DESCRIBED = """
WITH w AS (SELECT value AS id FROM json_each(:wanted))
SELECT p.id, f.path, f.digest, f.kind, f.name, p.first, p.last, p.heading
FROM w JOIN passages p ON p.id = w.id JOIN files f ON f.id = p.file
UNION ALL SELECT -t.id, f.path, f.digest, 'turn', '', t.first + 1, t.last, ''
FROM w JOIN turns t ON t.id = -w.id JOIN files f ON f.id = t.file
"""


class Source(Protocol):
    """What makes vectors; `llm.embedders.Embedder` is one."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "NDArray[np.float32]": ...


@dataclass(slots=True)
class Drained:
    """What a drain did. `changed`: passages whose file is no longer what was indexed (a sync comes first); `left`:
    passages still without a vector; `anew`: why all were made again, "" when they were not; `failed`: why nothing was
    done by one that raises nothing."""

    embedded: int = 0
    changed: int = 0
    left: int = 0
    anew: str = ""
    failed: str = ""


@dataclass(slots=True)
class Limits:
    """When to stop: after so many passages, or seconds; `batch`: texts asked for at once; `anew`: make all again."""

    passages: int | None = None
    seconds: float | None = None
    batch: int = BATCH
    anew: bool = False
    clock: Callable[[], float] = field(default=time.monotonic)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A passage or a turn as the index knows it."""

    id: int
    path: str
    digest: str
    kind: str
    name: str
    first: int
    last: int
    heading: str


def drain(
    vault: Vault, source: Source, limits: Limits, *, prefix: str = "", progress: Progress | None = None
) -> Drained:
    """Embed what has no vector. Raises Locked when another drain runs, Unusable without an index, ModelError as the
    source does; whatever is raised, the vectors that were there are there. `prefix`: what the source puts before."""
    try:
        with generation.lock(vault.place / LOCK, 0):
            made = vectors.Made(source.kind, source.name, source.dimension, vault.settings["embedder.words"], prefix)
            return _Drain(vault, source, made, limits, progress).run()
    except Locked:
        raise Locked("another memdir is making vectors; try again in a moment") from None
    except (sqlite3.Error, OSError) as error:
        raise BadData(f"{vault.place}: vectors cannot be written: {error}") from error


def text_of(piece: Any, lines: Sequence[str], words: int) -> str:
    """What is embedded of a passage: name and headings, then the first words of its lines without their markup; of a
    turn only what was said, since who said it is asked for by name."""
    headings = [_WHEN.sub("", one) for one in piece.heading.split(" › ") if one]
    told = {"log": headings[-1:], "turn": []}.get(piece.kind, [piece.name, *headings])
    body = list(lines)
    while body and (_HEADING.match(body[0]) or not body[0].strip()):
        del body[0]
    said = _MARKUP.sub(lambda found: found[1] or found[2] or " ", "\n".join(body).replace("::", ":"))
    names = list({one.casefold(): one for one in told if one}.values())
    return ". ".join([*names, text.opening(" ".join(said.split()), words)]).rstrip(". ") or piece.name


class Pieces:
    """The texts of passages and turns, read from the files, each file once where they come together."""

    def __init__(self, root: files.Root, words: int) -> None:
        self._root, self._words = root, words
        self._file: tuple[str, str, list[str]] = "", "", []

    def of(self, index: sqlite3.Connection, numbers: list[int]) -> dict[int, str]:
        """What is embedded of those that are still there and whose file is what was indexed, by number."""
        pieces = {row[0]: _Piece(*row) for row in index.execute(_DESCRIBED, {"wanted": json.dumps(numbers)})}
        found = {}
        for number in numbers:
            if (piece := pieces.get(number)) and (lines := self._lines(piece)) is not None:
                found[number] = text_of(piece, lines[piece.first : piece.last], self._words)
        return found

    def _lines(self, piece: _Piece) -> list[str] | None:
        """The lines of a file; None when it is not what was indexed."""
        if self._file[:2] != (piece.path, piece.digest):
            try:
                blob = self._root.read(piece.path)
            except MemdirError:
                return None
            if blob.digest != piece.digest:
                return None
            lines = fence.legible(fence.decode(blob.data)).lstrip(fence.BOM).split("\n")
            self._file = piece.path, piece.digest, memory_md.hand_written(lines) if piece.kind == "index" else lines
        return self._file[2]


class _Drain:
    """One drain over the generation in use when it began."""

    def __init__(
        self, vault: Vault, source: Source, made: vectors.Made, limits: Limits, progress: Progress | None
    ) -> None:
        self.vault, self.source, self.made, self.limits, self.progress = vault, source, made, limits, progress
        self.until = None if limits.seconds is None else limits.clock() + limits.seconds
        self.done = Drained()
        self.pieces = Pieces(vault.root, made.words)

    def run(self) -> Drained:
        folder = generation.current(self.vault.place)
        if folder is None:
            raise Unusable("there is no index yet; run `memdir sync`")
        with self._index(folder) as index:
            record = self._record(folder)
            try:
                held = set() if record is None else {row[0] for row in record.execute("SELECT passage FROM vectors")}
                wanted = [number for number in _newest_first(index) if number not in held]
                record = self._batches(folder, index, record, wanted[: self.limits.passages])
                if record is not None:
                    _tidy(folder, index, record, changed=bool(self.done.embedded))
            finally:
                if record is not None:
                    record.close()
            self.done.left = len(wanted) - self.done.embedded
        return self.done

    @contextmanager
    def _index(self, folder: Path) -> Iterator[sqlite3.Connection]:
        try:
            index = db.open_reader(folder / generation.DB)
        except sqlite3.Error as error:
            raise Unusable(f"the index cannot be opened ({error})") from error
        try:
            yield index
        finally:
            index.close()

    def _record(self, folder: Path) -> sqlite3.Connection | None:
        """The vectors to go on with; None when all are to be made anew: then nothing is dropped before there are
        others."""
        if self.limits.anew:
            self.done.anew = "asked for"
            return None
        try:
            record = vectors.open_writer(folder)
            made = vectors.made_by(record)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorname", "").startswith(_REFUSED):
                raise
            self.done.anew = str(error) if (folder / vectors.DB).exists() else ""
            return None
        if made == self.made:
            return record
        record.close()
        self.done.anew = f"they were made by {_told(made)}" if made else "what made them is not known"
        return None

    def _batches(
        self, folder: Path, index: sqlite3.Connection, record: sqlite3.Connection | None, wanted: list[int]
    ) -> sqlite3.Connection | None:
        seen = 0
        for at in range(0, len(wanted), self.limits.batch):
            if self.until is not None and self.limits.clock() >= self.until:
                break
            part = wanted[at : at + self.limits.batch]
            texts = self.pieces.of(index, part)
            self.done.changed += len(part) - len(texts)
            rows = self._rows(list(texts.values()))
            if generation.current(self.vault.place) != folder:
                break  # a rebuild has taken its place; the paid cache keeps what was made
            if record is None:
                record = vectors.create(folder, self.made)
            self._put(index, record, dict(zip(texts, rows, strict=True)))
            seen += len(part)
            if self.progress:
                self.progress(seen, len(wanted))
        return record

    def _rows(self, texts: list[str]) -> Any:
        """(n, d) int8. Raises BadData when the source has changed since it was asked for its dimension."""
        if not texts:
            return []
        rows = int8.pack(self.source.embed(texts))
        if rows.shape[1] != self.made.dimension:
            raise BadData(f"{self.made.name} gives vectors of another length now; run `memdir embedder drain` again")
        return rows

    def _put(self, index: sqlite3.Connection, record: sqlite3.Connection, rows: dict[int, Any]) -> None:
        """One batch, of what is still a passage."""
        living = {row[0] for row in index.execute(_DESCRIBED, {"wanted": json.dumps(list(rows))})}
        self.done.changed += len(rows) - len(living)
        self.done.embedded += len(living)
        with db.transaction(record):
            values = [(number, row.tobytes()) for number, row in rows.items() if number in living]
            record.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", values)
            vectors.touch(record)


def purge(folder: Path, index: sqlite3.Connection) -> None:
    """Rewrite the vectors of a generation without those of what is gone; what cannot be read goes whole, and the next
    drain makes it again. By whoever holds the locks of the index and of the drain."""
    try:
        record = vectors.open_writer(folder)
    except sqlite3.Error:
        vectors.drop(folder)
        return
    try:
        _tidy(folder, index, record, changed=True)
        record.execute("VACUUM")
    finally:
        record.close()


def _tidy(folder: Path, index: sqlite3.Connection, record: sqlite3.Connection, *, changed: bool) -> None:
    """Drop the rows of passages that are gone, and make the flat copy. `changed`: even if none is."""
    state = index.execute(vectors.STATE).fetchone()
    living = {row[0] for row in index.execute(vectors.NUMBERS)}
    gone = [row for row in record.execute("SELECT passage FROM vectors") if row[0] not in living]
    if gone:
        with db.transaction(record):
            record.executemany("DELETE FROM vectors WHERE passage = ?", gone)
            vectors.touch(record)
    if len(living) == state[1] and index.execute(vectors.STATE).fetchone() == state:  # no sync came between
        vectors.settle(record, *state)
    if gone or changed or not (folder / vectors.FLAT).exists():
        vectors.keep(folder, record)


def _newest_first(index: sqlite3.Connection) -> list[int]:
    """Numbers of all passages, then of all turns, the newest first, those of a file together."""
    sql = "SELECT p.id FROM passages p JOIN files f ON f.id = p.file"
    order = "f.archived, f.date DESC, f.mtime_ns DESC, f.path, p.first"
    said = "SELECT -t.id FROM turns t JOIN files f ON f.id = t.file ORDER BY t.ts DESC, f.path, t.first"
    return [row[0] for one in (f"{sql} ORDER BY {order}", said) for row in index.execute(one)]


def _told(made: vectors.Made) -> str:
    return f"{made.kind} {made.name} of {made.dimension} numbers, the first {made.words} words of each"
