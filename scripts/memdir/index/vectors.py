"""The vectors of a generation: 8-bit rows by passage or turn, and the exact scan over all of them.

`vectors.db` (SQLite) is the record, `vectors.flat` a copy of it that is memory-mapped; both lie in the generation,
outside its seal: `index.db` is read whole at each opening, and a drain that wrote there every second would make
readers find it changed under their hands. The number of a passage is never given again, so a row is right or belongs
to no passage. Written by `drain` alone, but for the flat copy, which whoever finds it behind makes anew.
"""

import contextlib
import json
import mmap
import os
import sqlite3
import struct
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir.errors import Unusable
from memdir.index import db
from memdir.index.reader import Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DB, FLAT = "vectors.db", "vectors.flat"
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, v BLOB NOT NULL);
"""
# Of `index.db`: what can have a vector, passages and turns (below zero); then how many numbers were given to both, and
# how many are left.
NUMBERS = "SELECT id FROM passages UNION ALL SELECT -id FROM turns"
STATE = (
    "SELECT (SELECT coalesce(sum(seq), 0) FROM sqlite_sequence WHERE name IN ('passages', 'turns')),"
    " (SELECT count(*) FROM passages) + (SELECT count(*) FROM turns)"
)
DIGITS = 6  # of a cosine: scores are the same in every process and after a rebuild
_CHUNK = 256  # rows made floats at once: they stay in the processor's cache (50,000 x 512: 8 ms; 2,048 rows: 12)
_SLACK = 1e-4  # by which the first pass of a scan may be wrong
_MAGIC = b"memdirv1"
_HEAD = struct.Struct("<8sQQII")  # magic, version, rows, dimension, checksum of what follows


@dataclass(frozen=True, slots=True)
class Made:
    """What the vectors were made by and of. `words`: first words of a passage; `prefix`: what went before them."""

    kind: str
    name: str
    dimension: int
    words: int
    prefix: str = ""


def create(folder: Path, made: Made) -> sqlite3.Connection:
    """An empty record in place of any other."""
    drop(folder)
    (folder / DB).touch(0o600)
    connection = sqlite3.connect(folder / DB, isolation_level=None)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    with db.transaction(connection):
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        db.set_meta(connection, "made", json.dumps(asdict(made)))
        db.set_meta(connection, "version", "1")
    return connection


def drop(folder: Path) -> None:
    """Remove the record and its copy."""
    for name in (DB, f"{DB}-journal", FLAT):
        (folder / name).unlink(missing_ok=True)


def open_writer(folder: Path) -> sqlite3.Connection:
    """The record for writing. Raises sqlite3.Error when there is none."""
    connection = db.open_writer(folder / DB)
    connection.execute("SELECT 1 FROM vectors LIMIT 1")
    return connection


def made_by(connection: sqlite3.Connection) -> Made | None:
    try:
        return Made(**json.loads(db.get_meta(connection, "made")))
    except (ValueError, TypeError):
        return None


def touch(connection: sqlite3.Connection) -> None:
    """Inside a transaction: say that the rows are others now."""
    db.set_meta(connection, "version", str(int(db.get_meta(connection, "version")) + 1))


def settle(connection: sqlite3.Connection, given: int, pieces: int) -> None:
    """Note how many passages and turns have no row, when every row is of one. Numbers are never given again, so this
    holds as long as neither how many were given nor how many are left has changed."""
    with db.transaction(connection):
        rows = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        state = f"{db.get_meta(connection, 'version')} {given} {pieces} {pieces - rows}"
        db.set_meta(connection, "state", state)


class Vectors:
    """The vectors of an open index, for reading. `made` None: there are none. Close it with its reader."""

    def __init__(self, source: Reader) -> None:
        self._source, self._folder = source, source.folder
        self.made: Made | None = None
        self._db: sqlite3.Connection | None = None
        self._flat: _Flat | None = None
        try:
            self._db = db.open_reader(self._folder / DB)
            self.made = made_by(self._db)
        except sqlite3.Error:  # none yet, or damaged: the next drain makes it anew
            self.close()

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def missing(self) -> int:
        """How many passages and turns have no vector: as the last drain left it, else counted (25 ms at 42,000)."""
        settled = self.settled()
        return len(self._pieces()) - int(self._living().sum()) if settled is None else settled

    def near(self, query: "NDArray[np.float32]", allowed: Collection[int] | None = None) -> "Near | None":
        """The cosines of `query` (d,) of length 1 with every vector; None for a query of another length or where there
        is no vector. `allowed`: the numbers that count; None: all."""
        import numpy as np

        flat = self._rows()
        if not len(flat.ids) or query.shape != (flat.rows.shape[1],):
            return None
        living = None if self.settled() is not None else self._living()
        return Near(flat, np.ascontiguousarray(query, np.float32), living, allowed)

    def settled(self) -> int | None:
        """How many pieces have no row, as the last drain left it: then every row is of one; None since a sync that
        changed any. Costs nothing."""
        given, count = self._source.rows(STATE)[0]
        told = db.get_meta(self._db, "state").split(" ") if self._db is not None else []
        if self._db is not None and told[:3] == [db.get_meta(self._db, "version"), str(given), str(count)]:
            return int(told[3])
        return None

    def lacking(self) -> int:
        """At least how many passages and turns have no vector, by two counts; costs nothing."""
        rows = self._db.execute("SELECT count(*) FROM vectors").fetchone()[0] if self._db is not None else 0
        return max(int(self._source.rows(STATE)[0][1]) - int(rows), 0)

    def _pieces(self) -> "NDArray[np.int64]":
        import numpy as np

        return np.array([row[0] for row in self._source.rows(NUMBERS)], np.int64)

    def _living(self) -> "NDArray[np.bool_]":
        """Which rows are of something that is still there."""
        import numpy as np

        return np.isin(self._rows().ids, self._pieces())

    def _rows(self) -> "_Flat":
        """The flat copy as it should be; made anew, and kept if that can be done, when it is behind."""
        if self._flat is None:
            self._flat = _NOTHING()
            if self._db is not None and self.made is not None:
                try:
                    version = int(db.get_meta(self._db, "version"))
                    self._flat = _mapped(self._folder / FLAT, version) or keep(self._folder, self._db)
                except (sqlite3.Error, ValueError) as error:
                    raise Unusable(f"the vectors cannot be read ({error}); run `memdir embedder drain`") from error
        return self._flat


def keep(folder: Path, connection: sqlite3.Connection) -> "_Flat":
    """Write the flat copy of the record as it is now, and return it; a disk that refuses costs the next reader time."""
    connection.execute("BEGIN")
    try:
        made, version = made_by(connection), int(db.get_meta(connection, "version"))
        dimension = made.dimension if made else 0
        rows = connection.execute(
            "SELECT passage, v FROM vectors WHERE length(v) = ? ORDER BY passage", (dimension,)
        ).fetchall()
    finally:
        connection.execute("COMMIT")
    flat = _Flat.of([row[0] for row in rows], b"".join(row[1] for row in rows), dimension)
    with contextlib.suppress(OSError):
        flat.write(folder / FLAT, version)
    return flat


class _Flat:
    """(n,) numbers of passages in order, (n, d) int8 rows and (n,) lengths of the rows."""

    def __init__(self, ids: Any, lengths: Any, rows: Any) -> None:
        self.ids, self.lengths, self.rows = ids, lengths, rows

    @classmethod
    def of(cls, numbers: list[int], data: bytes, dimension: int) -> "_Flat":
        import numpy as np

        rows = np.frombuffer(data, np.int8).reshape(len(numbers), dimension)
        lengths = np.empty(len(numbers), np.float64)
        for at in range(0, len(numbers), _CHUNK):
            part = rows[at : at + _CHUNK].astype(np.float64)
            lengths[at : at + _CHUNK] = np.sqrt((part * part).sum(axis=1))
        return cls(np.array(numbers, np.int64), np.maximum(lengths, 1e-9), rows)

    def near(self, query: Any) -> Any:
        """Cosines of all rows, nearly: sums of float32."""
        import numpy as np

        scores, block = np.empty(len(self.rows), np.float32), np.empty((_CHUNK, self.rows.shape[1]), np.float32)
        for at in range(0, len(self.rows), _CHUNK):
            part = self.rows[at : at + _CHUNK]
            wide = block[: len(part)]
            wide[...] = part
            np.dot(wide, query, out=scores[at : at + _CHUNK])
        return scores / self.lengths.astype(np.float32)

    def exact(self, query: Any, places: Any) -> Any:
        """Cosines of a few rows, the same wherever a row stands."""
        import numpy as np

        wide = self.rows[places].astype(np.float64) * query.astype(np.float64)
        return np.clip(wide.sum(axis=1) / self.lengths[places], -1.0, 1.0)

    def write(self, path: Path, version: int) -> None:
        body = [self.ids.tobytes(), self.lengths.tobytes(), self.rows.tobytes()]
        checksum = 0
        for part in body:
            checksum = zlib.crc32(part, checksum)
        temp = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with temp.open("wb") as file:
                file.write(_HEAD.pack(_MAGIC, version, len(self.ids), self.rows.shape[1], checksum))
                file.writelines(body)
            os.replace(temp, path)
        except OSError:
            temp.unlink(missing_ok=True)
            raise


def _NOTHING() -> _Flat:
    return _Flat.of([], b"", 0)


def _mapped(path: Path, version: int) -> _Flat | None:
    """The flat copy, None when it is behind, cut short or not what was written (26 MB: 9 ms)."""
    import numpy as np

    try:
        with path.open("rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    if len(whole) < _HEAD.size:
        return None
    magic, held, count, dimension, checksum = _HEAD.unpack(whole[: _HEAD.size])
    body = whole[_HEAD.size :]
    if (magic, held) != (_MAGIC, version) or len(body) != count * (16 + dimension) or zlib.crc32(body) != checksum:
        return None
    ids = np.frombuffer(body[: 8 * count], np.int64)
    lengths = np.frombuffer(body[8 * count : 16 * count], np.float64)
    return _Flat(ids, lengths, np.frombuffer(body[16 * count :], np.int8).reshape(count, dimension))


class Near:
    """How near every vector is to one question. `mean`, `deviation`: of the cosines of all that is living, to three
    digits, so that neither the order of the rows nor their place in a block shows."""

    def __init__(self, flat: _Flat, query: Any, living: Any, allowed: Collection[int] | None) -> None:
        import numpy as np

        self._flat, self._query, self._living, self._allowed = flat, query, living, allowed
        self._near = flat.near(query)
        held = self._near if living is None else self._near[living]
        self.mean = round(float(held.mean(dtype=np.float64)), 3) if len(held) else 0.0
        self.deviation = round(float(held.std(dtype=np.float64)), 3) if len(held) else 0.0
        counts = np.ones(len(flat.ids), bool) if living is None else living
        if allowed is not None:
            counts = counts & np.isin(flat.ids, np.fromiter(allowed, np.int64, len(allowed)))
        self._places = np.flatnonzero(counts)
        self._told: dict[int, float] = {}

    def again(self) -> "Near":
        """The same, scored anew: for who measures it."""
        return Near(self._flat, self._query, self._living, self._allowed)

    def best(self, limit: int) -> dict[int, float]:
        """The `limit` nearest and all that tie with the last of them, with their cosines, the nearest first."""
        import numpy as np

        near, wanted = self._near[self._places], min(limit, len(self._places))
        if wanted < 1:
            return {}
        least = np.partition(near, len(near) - wanted)[len(near) - wanted]
        found = self.of(self._flat.ids[self._places[near >= least - _SLACK]].tolist())
        last = sorted(found.values(), reverse=True)[wanted - 1]
        kept = [(number, score) for number, score in found.items() if score >= last]
        return dict(sorted(kept, key=lambda one: (-one[1], one[0])))

    def alike(self, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
        """The cosines of some numbers with one another, to three digits."""
        import numpy as np

        wanted = np.array(sorted(numbers), np.int64)
        places = np.minimum(np.searchsorted(self._flat.ids, wanted), len(self._flat.ids) - 1)
        places = places[self._flat.ids[places] == wanted]
        rows = self._flat.rows[places].astype(np.float64) / self._flat.lengths[places][:, None]
        held = self._flat.ids[places].tolist()
        return {
            (one, other): round(float(value), 3)
            for one, line in zip(held, rows @ rows.T, strict=True)
            for other, value in zip(held, line, strict=True)
        }

    def of(self, numbers: Collection[int]) -> dict[int, float]:
        """The exact cosines of some numbers, to DIGITS digits; those without a vector are left out."""
        fresh = [number for number in numbers if number not in self._told]
        self._told |= self._exact(fresh) if fresh else {}
        return {number: self._told[number] for number in numbers if number in self._told}

    def _exact(self, numbers: Sequence[int]) -> dict[int, float]:
        import numpy as np

        wanted = np.array(numbers, np.int64)
        places = np.minimum(np.searchsorted(self._flat.ids, wanted), len(self._flat.ids) - 1)
        places = places[self._flat.ids[places] == wanted]
        found = zip(self._flat.ids[places].tolist(), self._flat.exact(self._query, places).tolist(), strict=True)
        return {number: round(score, DIGITS) + 0.0 for number, score in found}


@contextlib.contextmanager
def opened(source: Reader) -> Iterator[Vectors]:
    """The vectors of an open index, closed behind it."""
    held = Vectors(source)
    try:
        yield held
    finally:
        held.close()
