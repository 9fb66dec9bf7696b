"""The paid cache: vectors and replies by what made them and the digest of the text. A rebuild buys nothing twice.

One SQLite file, `paid.db`, beside the generations of a vault's index; deleting it costs what it held. Each value
carries a checksum. A damaged file is set aside and a new one begun; a cache that cannot be used is empty and says
nothing, for it is never needed.
"""

import contextlib
import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = "paid.db"
LARGEST = 512 * 1024 * 1024  # bytes; above, the least lately used third leaves
_SCHEMA = """
CREATE TABLE IF NOT EXISTS makers (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, dimension INTEGER NOT NULL, version TEXT NOT NULL,
  UNIQUE (kind, name, dimension, version));
CREATE TABLE IF NOT EXISTS kept (
  maker INTEGER NOT NULL, digest BLOB NOT NULL, value BLOB NOT NULL, used INTEGER NOT NULL,
  PRIMARY KEY (maker, digest)) WITHOUT ROWID;
"""
# What SQLite says when the system or another process is in the way; anything else is said of its file.
_REFUSED = tuple(
    f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "IOERR", "NOMEM", "PERM")
)
_DAY = 86_400
_LATELY = 7  # days that `used` may be behind: reading writes once a week


@dataclass(frozen=True, slots=True)
class Maker:
    """What made a value. `version`: of the prompt, or what was put before the text; `dimension`: 0 for a reply."""

    kind: str
    name: str
    dimension: int
    version: str = ""


class Cache:
    """Opened when it is first asked; for one thread."""

    def __init__(self, path: Path, *, largest: int = LARGEST, clock: Callable[[], float] = time.time) -> None:
        self._path, self._largest, self._clock = path, largest, clock
        self._db: sqlite3.Connection | None = None

    def get(self, maker: Maker, texts: Sequence[str]) -> dict[str, bytes]:
        """The values kept for some of the texts."""
        found: dict[str, bytes] = {}
        with self._sound() as db:
            if not self._path.exists() or (number := self._number(db(), maker)) is None:
                return {}
            today = self._today()
            old: list[tuple[int, int, bytes]] = []
            for text in dict.fromkeys(texts):
                digest = _digest(text)
                sql = "SELECT value, used FROM kept WHERE maker = ? AND digest = ?"
                row = db().execute(sql, (number, digest)).fetchone()
                if row and (value := _whole(row[0])) is not None:
                    found[text] = value
                    old += [(today, number, digest)] if row[1] < today - _LATELY else []
            if old:
                db().executemany("UPDATE kept SET used = ? WHERE maker = ? AND digest = ?", old)
        return found

    def put(self, maker: Maker, values: Mapping[str, bytes]) -> None:
        """Keep values by their texts, all or none."""
        if not values:
            return
        with self._sound() as db:
            db().execute("BEGIN IMMEDIATE")
            try:
                db().execute(
                    "INSERT OR IGNORE INTO makers (kind, name, dimension, version) VALUES (?, ?, ?, ?)", _row(maker)
                )
                number, today = self._number(db(), maker), self._today()
                rows = [(number, _digest(text), _sealed(value), today) for text, value in values.items()]
                db().executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)
            except BaseException:
                db().execute("ROLLBACK")
                raise
            db().execute("COMMIT")
            self._bound(db())

    def keep_only(self, texts: Iterable[str]) -> None:
        """Let everything go but the values of some texts, and leave no trace of it in the file; a file that cannot be
        rewritten goes whole. Raises OSError."""
        done = not self._path.exists()
        if not done:
            with self._sound() as db:
                db().execute("PRAGMA temp_store = MEMORY")
                db().execute("CREATE TEMP TABLE living (digest BLOB PRIMARY KEY) WITHOUT ROWID")
                db().executemany("INSERT OR IGNORE INTO living VALUES (?)", ((_digest(text),) for text in texts))
                db().execute("DELETE FROM kept WHERE digest NOT IN (SELECT digest FROM living)")
                db().execute("VACUUM")
                done = True
        self.close()
        for path in () if done else (self._path, self._path.with_name(f"{self._path.name}-journal")):
            path.unlink(missing_ok=True)

    def count(self) -> int:
        """Values kept."""
        with self._sound() as db:
            return int(db().execute("SELECT count(*) FROM kept").fetchone()[0]) if self._path.exists() else 0
        return 0

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    @contextlib.contextmanager
    def _sound(self) -> Iterator[Callable[[], sqlite3.Connection]]:
        """Work on the database; what it cannot do is not done. Damage sets the file aside."""
        try:
            yield self._open
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith(_REFUSED):
                self.close()
            else:
                self._set_aside()
        except OSError:
            self.close()

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
            self._path.touch(0o600)
            db = sqlite3.connect(self._path, isolation_level=None)
            self._db = db
            for pragma in ("busy_timeout = 2000", "journal_mode = TRUNCATE", "synchronous = NORMAL"):
                db.execute(f"PRAGMA {pragma}")
            db.execute("PRAGMA trusted_schema = OFF")
            db.executescript(_SCHEMA)
        return self._db

    def _set_aside(self) -> None:
        """Move a damaged file away; one is kept for a look."""
        self.close()
        with contextlib.suppress(OSError):
            os.replace(self._path, self._path.with_name(f"damaged-{self._path.name}"))

    def _bound(self, db: sqlite3.Connection) -> None:
        """Let the least lately used third go when the file is too large."""
        if self._path.stat().st_size <= self._largest:
            return
        third = db.execute("SELECT count(*) FROM kept").fetchone()[0] // 3
        db.execute(
            "DELETE FROM kept WHERE (maker, digest) IN (SELECT maker, digest FROM kept ORDER BY used, digest LIMIT ?)",
            (third,),
        )
        db.execute("VACUUM")

    @staticmethod
    def _number(db: sqlite3.Connection, maker: Maker) -> int | None:
        sql = "SELECT id FROM makers WHERE kind = ? AND name = ? AND dimension = ? AND version = ?"
        row = db.execute(sql, _row(maker)).fetchone()
        return int(row[0]) if row else None

    def _today(self) -> int:
        return int(self._clock() // _DAY)


def _row(maker: Maker) -> tuple[str, str, int, str]:
    return maker.kind, maker.name, maker.dimension, maker.version


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _sealed(value: bytes) -> bytes:
    return zlib.crc32(value).to_bytes(4, "little") + value


def _whole(held: bytes) -> bytes | None:
    return held[4:] if len(held) >= 4 and zlib.crc32(held[4:]).to_bytes(4, "little") == held[:4] else None
