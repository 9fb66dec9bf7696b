"""The SQLite sidecar: the manifest of files, their passages, tags and links, the turns of sessions and their words.

One file, `index.db`, in a generation of the cache folder; written by `sync` alone under the index lock
and read by everyone else read-only. Rows can always be made again from the vault.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from memdir.errors import Problem

# The number of a passage or a turn is never given again in one database: `vectors` lie in another file under these
# numbers, those of turns below zero.
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stem TEXT NOT NULL DEFAULT '',
  size INTEGER NOT NULL DEFAULT 0, mtime_ns INTEGER NOT NULL DEFAULT 0,
  ctime_ns INTEGER NOT NULL DEFAULT 0, ino INTEGER NOT NULL DEFAULT 0,
  digest TEXT NOT NULL DEFAULT '', checked_ns INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', type TEXT NOT NULL DEFAULT '',
  date TEXT NOT NULL DEFAULT '', scope TEXT NOT NULL DEFAULT '', importance TEXT NOT NULL DEFAULT '',
  hook TEXT NOT NULL DEFAULT '', described INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0,
  outside INTEGER NOT NULL DEFAULT 0, aliases TEXT NOT NULL DEFAULT '[]',
  problems TEXT NOT NULL DEFAULT '[]');
CREATE INDEX files_stem ON files(stem);
CREATE INDEX files_archived ON files(archived) WHERE archived;
CREATE INDEX files_outside ON files(outside) WHERE outside;
CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  heading TEXT NOT NULL);
CREATE INDEX passages_file ON passages(file);
CREATE TABLE tags (file INTEGER NOT NULL, key TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (key, file)) WITHOUT ROWID;
CREATE INDEX tags_file ON tags(file);
CREATE TABLE links (
  file INTEGER NOT NULL, line INTEGER NOT NULL, target TEXT NOT NULL, key TEXT NOT NULL, wiki INTEGER NOT NULL,
  anchor TEXT NOT NULL, kind TEXT NOT NULL);
CREATE INDEX links_file ON links(file);
CREATE INDEX links_key ON links(key);
CREATE TABLE names (start TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (start, file)) WITHOUT ROWID;
CREATE INDEX names_file ON names(file);
CREATE TABLE facts (
  file INTEGER NOT NULL, line INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  since TEXT NOT NULL, until TEXT NOT NULL, source TEXT NOT NULL);
CREATE INDEX facts_file ON facts(file);
CREATE INDEX facts_until ON facts(until) WHERE until <> '';
CREATE TABLE validity (file INTEGER PRIMARY KEY, since TEXT NOT NULL, until TEXT NOT NULL);
CREATE TABLE succession (file INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, newer INTEGER NOT NULL);
CREATE INDEX succession_file ON succession(file);
CREATE INDEX succession_key ON succession(key);
CREATE TABLE loops (
  file INTEGER NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL, done INTEGER NOT NULL, block TEXT NOT NULL);
CREATE INDEX loops_file ON loops(file);
CREATE TABLE reserved (file INTEGER NOT NULL, line INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX reserved_file ON reserved(file);
CREATE TABLE sessions (file INTEGER PRIMARY KEY, id TEXT NOT NULL, source TEXT NOT NULL, started TEXT NOT NULL);
CREATE INDEX sessions_id ON sessions(id);
CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  number INTEGER NOT NULL, speaker TEXT NOT NULL, voice TEXT NOT NULL, ts TEXT NOT NULL, uuid TEXT NOT NULL,
  asks INTEGER NOT NULL);
CREATE INDEX turns_file ON turns(file, number);
CREATE INDEX turns_voice ON turns(voice);
CREATE VIRTUAL TABLE spoken USING fts5(terms, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M* P* S*'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(spoken, row);
"""
BUSY_MS = 5_000


class Row(NamedTuple):
    """A file as the manifest knows it (a tuple: 10,000 are made for every recall)."""

    id: int
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    digest: str
    checked_ns: int


def create(path: Path) -> sqlite3.Connection:
    """A new, empty sidecar. Rollback journal, not WAL: SQLite before 3.51.3 may corrupt a database at a WAL
    reset, and one file without companions can be sealed by its digest."""
    path.touch(0o600)  # SQLite would let others read it
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.executescript(SCHEMA)
    return _tuned(connection)


def open_writer(path: Path) -> sqlite3.Connection:
    """For `sync`, which holds the index lock. The file must exist."""
    return _tuned(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None))


def _tuned(connection: sqlite3.Connection) -> sqlite3.Connection:
    for pragma in (
        "journal_mode = TRUNCATE",
        f"busy_timeout = {BUSY_MS}",
        "synchronous = FULL",
        "cache_spill = OFF",
        "trusted_schema = OFF",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def get_meta(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def set_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def manifest(connection: sqlite3.Connection) -> dict[str, Row]:
    rows = connection.execute("SELECT id, path, size, mtime_ns, ctime_ns, ino, digest, checked_ns FROM files")
    return {row.path: row for row in map(Row._make, rows)}


def drop(connection: sqlite3.Connection, ids: Iterable[int], *, keep_file: bool = False) -> None:
    """Remove what was derived from files; with `keep_file` the manifest row stays for its id."""
    keys = [(number,) for number in ids]
    for table in ("passages", "tags", "links", "names", "facts", "validity", "succession", "loops", "reserved"):
        connection.executemany(f"DELETE FROM {table} WHERE file = ?", keys)
    if not keep_file:
        connection.executemany("DELETE FROM files WHERE id = ?", keys)


def storable(text: str) -> str:
    """Text that SQLite can hold: bytes that are no UTF-8 show as question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def problems(connection: sqlite3.Connection) -> list[Problem]:
    """Problems found when the files were last read, by path and line."""
    found = []
    for path, text in connection.execute("SELECT path, problems FROM files WHERE problems <> '[]' ORDER BY path"):
        found += [Problem(path, line, message) for line, message in json.loads(text)]
    return sorted(found)


def select(connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Rows. A value that is no text of Unicode, such as an argument of other bytes, is looked for as it is stored."""
    try:
        return connection.execute(sql, values).fetchall()
    except UnicodeEncodeError:
        held = [storable(value) if isinstance(value, str) else value for value in values]
        return connection.execute(sql, held).fetchall()
