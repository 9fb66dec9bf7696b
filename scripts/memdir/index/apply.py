"""The application of a diff: files read, cut and analysed, into Whoosh and SQLite, batch by batch.

Each batch is whole by itself: pending ids, Whoosh commit, SQLite commit, seal. A run that is killed loses
no finished batch and repeats at most one. Reads the vault, writes one generation.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from memdir import text
from memdir.errors import MemdirError
from memdir.index import db, diff, generation, graph, lexical, turns
from memdir.index.values import Progress, Report, Vault
from memdir.vault import files, layout, log, names, note, passages, resolve, session

BATCH = 2_500  # files; a killed first index of 12,000 notes repeats a fifth at most
BYTES = 32_000_000  # of one batch: sessions are large, and SQLite holds a batch in memory


def begin(vault: Vault, *, publish: bool) -> Path:
    """An empty generation; published at once when there is no other, so that a killed first run goes on later."""
    folder = generation.begin(vault.place)
    lexical.create(folder / generation.WHOOSH)
    connection = db.create(folder / generation.DB)
    db.set_meta(connection, "schema", vault.schema)
    connection.close()
    generation.seal(folder)
    if publish:
        generation.publish(vault.place, folder)
    return folder


def heal(folder: Path, connection: sqlite3.Connection) -> None:
    """Take a batch that a killed run left half done out of Whoosh and have its files read again."""
    ids = generation.pending(folder)
    with lexical.Writer(folder / generation.WHOOSH) as writer:
        for number in ids:
            writer.delete(str(number))
    with db.transaction(connection):
        connection.executemany(
            "UPDATE files SET digest = '', checked_ns = 0 WHERE id = ?", [(number,) for number in ids]
        )
    generation.seal(folder)
    generation.set_pending(folder, [])


@dataclass(slots=True)
class Work:
    """The application of one Diff."""

    vault: Vault
    folder: Path
    connection: sqlite3.Connection
    report: Report
    entries: dict[str, files.Entry]

    def run(self, changes: diff.Diff, progress: Progress | None) -> None:
        jobs: list[tuple[str, db.Row | None]] = [(path, row) for path, row in sorted(changes.moved.items())]
        jobs += [(row.path, row) for row in changes.modified]
        jobs += [(path, None) for path in sorted(changes.added)]
        if changes.touched:
            with generation.unsealed(self.folder):
                self._touch(changes.touched)
        sizes = [self.entries[path].size for path, _ in jobs]
        batches = [jobs[start:end] for start, end in _batches(sizes, len(changes.moved))] or [[]]
        if not jobs and not changes.removed:
            return
        done = 0
        for batch in batches:
            self._batch(batch, changes.removed if not done else [], partial(_tell, progress, done, len(jobs)))
            done += len(batch)
        self.report.added, self.report.modified = len(changes.added), len(changes.modified)
        self.report.moved, self.report.removed = len(changes.moved), len(changes.removed)

    def _touch(self, rows: Sequence[db.Row]) -> None:
        """Same bytes, new times: note them, so that the next run need not read the file."""
        now = time.time_ns()
        values = [(*_times(self.entries[row.path]), now, row.id) for row in rows]
        with db.transaction(self.connection):
            self.connection.executemany(
                "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, ino = ?, checked_ns = ? WHERE id = ?", values
            )

    def _batch(
        self, jobs: Sequence[tuple[str, db.Row | None]], removed: Sequence[db.Row], tick: Callable[[int], None]
    ) -> None:
        """Files of one batch: into Whoosh, into SQLite, sealed. Unreadable ones become Problems."""
        with db.transaction(self.connection):
            turns.drop(self.connection, [row.id for row in removed])
            db.drop(self.connection, [row.id for row in removed])
            ids = self._rows(jobs)
            generation.set_pending(self.folder, [*ids, *(row.id for row in removed)])
            with lexical.Writer(self.folder / generation.WHOOSH) as writer:
                for gone in removed:
                    writer.delete(str(gone.id))
                for done, (file, (path, row)) in enumerate(zip(ids, jobs, strict=True), 1):
                    if row is not None:
                        writer.delete(str(file))
                    self._index(writer, file, path, row)
                    tick(done)
        generation.seal(self.folder)
        generation.set_pending(self.folder, [])

    def _rows(self, jobs: Sequence[tuple[str, db.Row | None]]) -> list[int]:
        """A manifest row for each job, so that its id is known; moved rows first let go of their old paths."""
        known = [row.id for _, row in jobs if row is not None]
        self.connection.executemany(
            "UPDATE files SET path = char(1) || id WHERE id = ?", [(number,) for number in known]
        )
        db.drop(self.connection, known, keep_file=True)
        ids = []
        for path, row in jobs:
            if row is None:
                cursor = self.connection.execute("INSERT INTO files (path) VALUES (?)", (path,))
                ids.append(int(cursor.lastrowid or 0))
            else:
                ids.append(row.id)
        return ids

    def _index(self, writer: lexical.Writer, file: int, path: str, row: db.Row | None) -> None:
        checked = time.time_ns()
        try:
            blob = self.vault.root.read(path)
        except MemdirError as error:
            self.report.skipped[path] = str(error)
            turns.drop(self.connection, [file])
            self.connection.execute("DELETE FROM files WHERE id = ?", (file,))
            return
        parsed = note.parse(path, blob.data, own=self.vault.rules.own)
        if parsed.kind == "session":
            self._talk(file, parsed, blob, checked, row)
            return
        if row is not None:
            turns.drop(self.connection, [file])  # it may have been a session before
        _store_file(self.connection, file, parsed, blob, checked)
        zones = {
            "name": text.terms(names.searched(parsed.name, parsed.path)),
            "aliases": text.terms(" ".join(parsed.aliases)),
            "tags": text.terms(" ".join(parsed.tags)),
        }
        for passage in passages.cut(parsed):
            values = (file, passage.start, passage.end, " › ".join(passage.over))
            cursor = self.connection.execute(_PASSAGE, [*map(_storable, values)])
            # A log entry's heading is its text; counted again, an echo of a note would stand above the note.
            headings = () if parsed.kind == "log" else (*passage.over, *passage.inside)
            own = {"heading": text.terms("\n".join(headings)), "body": text.terms(passage.text)}
            writer.add(str(file), int(cursor.lastrowid or 0), zones | own)

    def _talk(self, file: int, parsed: note.Note, blob: files.Blob, checked: int, row: db.Row | None) -> None:
        """A session: its turns, and of one that has only grown those that are new."""
        zone = log.zone(self.vault.settings["timezone"])
        held = session.at_home(session.parse(parsed.path, blob.data), zone)
        grown = row is not None and len(blob.data) > row.size and files.digest(blob.data[: row.size]) == row.digest
        turns.store(self.connection, file, held, grown=grown)
        _store_file(self.connection, file, replace(parsed, problems=held.problems), blob, checked)


_PASSAGE = "INSERT INTO passages (file, first, last, heading) VALUES (?, ?, ?, ?)"


def _times(entry: files.Entry) -> tuple[int, int, int, int]:
    return entry[1:]


def _store_file(connection: sqlite3.Connection, file: int, parsed: note.Note, blob: files.Blob, checked: int) -> None:
    stat = blob.stat
    row = {
        "id": file,
        "path": parsed.path,
        "stem": names.fold(parsed.stem),
        "size": stat.size,
        "mtime_ns": stat.mtime_ns,
        "ctime_ns": stat.ctime_ns,
        "ino": stat.ino,
        "digest": blob.digest,
        "checked_ns": checked,
        "kind": parsed.kind,
        "name": parsed.name,
        "type": parsed.type,
        "date": parsed.date,
        "scope": parsed.text("scope"),
        "importance": parsed.text("importance") or "medium",
        "hook": parsed.hook,
        "described": bool(parsed.text("description")),
        "archived": layout.is_archived(parsed.path),
        "outside": parsed.outside,
        "aliases": json.dumps(parsed.aliases, ensure_ascii=False),
        "problems": json.dumps([[p.line, p.message] for p in parsed.problems], ensure_ascii=False),
    }
    sql = f"INSERT OR REPLACE INTO files ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
    connection.execute(sql, [_storable(value) for value in row.values()])
    tags = {names.fold(tag): tag for tag in parsed.tags}
    connection.executemany(
        "INSERT OR IGNORE INTO tags VALUES (?, ?, ?)",
        [(file, _storable(key), _storable(tag)) for key, tag in tags.items()],
    )
    body = parsed.body
    _rows(connection, "links", graph.rows(file, parsed.path, body))
    _rows(connection, "names", [(start, file) for start in graph.name_begins(parsed)])
    _rows(
        connection,
        "facts",
        [(file, x.line, names.fold(x.key), x.key, x.value, x.since, x.until, x.source) for x in body.facts],
    )
    held = parsed.text("valid_from"), parsed.text("valid_to")
    _rows(connection, "validity", [(file, *held)] if any(held) else [])
    _rows(connection, "succession", [(file, names.fold(name), name, newer) for name, newer in _succession(parsed)])
    _rows(connection, "loops", [(file, x.line, x.text, x.done, x.block) for x in body.loops])
    _rows(connection, "reserved", [(file, x.line, x.key, x.value) for x in body.reserved])


def _succession(parsed: note.Note) -> list[tuple[str, bool]]:
    """The notes that front matter names as the newer (`superseded_by`) and as the older (`supersedes`)."""
    return [
        (name, newer)
        for key, newer in (("superseded_by", True), ("supersedes", False))
        for word in note.words(parsed.meta.get(key), tags=False)
        if (name := _stem(word))
    ]


def _stem(link: str) -> str:
    """What a link names: without brackets, alias, anchor, folder and `.md`."""
    target = resolve.split_anchor(link.strip(" []\"'").partition("|")[0])[0]
    return target.rpartition("/")[2].removesuffix(".md").strip()


def _rows(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Insert what the grammar found; most files have nothing for most tables."""
    if rows:
        values = [[*map(_storable, row)] for row in rows]
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", values)


def _storable(value: object) -> object:
    return db.storable(value) if isinstance(value, str) else value


def _tell(progress: Progress | None, before: int, total: int, done: int) -> None:
    if progress:
        progress(before + done, total)


def _batches(sizes: Sequence[int], moved: int) -> Iterator[tuple[int, int]]:
    """Jobs [start, end) of each batch; the moved ones, which come first, stay in one: they may take over each other's
    paths."""
    start, weight = 0, 0
    for at, size in enumerate(sizes):
        if at > start and at >= moved and (at - start >= BATCH or weight + size > BYTES):
            yield start, at
            start, weight = at, 0
        weight += size
    if start < len(sizes):
        yield start, len(sizes)
