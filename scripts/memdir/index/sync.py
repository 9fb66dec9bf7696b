"""Sync: bring the index to what the files say. One pure diff, then one application in batches.

Each batch is whole by itself: pending ids, Whoosh commit, SQLite commit, seal. A run that is killed loses
no finished batch and repeats at most one. Reads the vault, writes the cache folder only.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memdir import text
from memdir.config import Settings
from memdir.errors import BadData, MemdirError, Problem
from memdir.index import db, diff, generation, lexical
from memdir.vault import files, layout, names, note, passages

SCHEMA = "1"  # raised whenever rows, passages, analysis or the layout of postings change: the index is then made anew
BATCH = 2_500  # files; a killed first index of 12,000 notes repeats a fifth at most
GUARD = 10  # so many files may always vanish at once

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Report:
    """What one sync did. `kept`: files not there now but not taken for deleted, with the reason."""

    added: int = 0
    modified: int = 0
    moved: int = 0
    removed: int = 0
    files: int = 0
    rebuilt: str = ""
    kept: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return bool(self.added or self.modified or self.moved or self.removed)


@dataclass(slots=True)
class Vault:
    """What sync must know of a vault to read it."""

    root: files.Root
    rules: layout.Rules
    settings: Settings

    @property
    def place(self) -> Path:
        return generation.home(self.root.path, self.settings)


@dataclass(frozen=True, slots=True)
class Options:
    """How to sync. `wait`: seconds for the lock; `afresh`: build a new index beside the old one and switch
    when it is done; `most`: refuse when more files than that would have to be read."""

    wait: float = 10.0
    progress: Progress | None = None
    accept_removals: bool = False
    afresh: bool = False
    most: int | None = None


def sync(vault: Vault, options: Options) -> Report:
    """Bring the index up to date. Raises Locked, NotFound (no vault) and BadData (what looks like an
    unmounted vault, or more than `most` files to read); then nothing was dropped."""
    with generation.lock(vault.place, options.wait):
        folder, reason = _usable(vault.place)
        report = Report(rebuilt="" if folder else reason)
        replacing = options.afresh or folder is None
        target = _new(vault.place, publish=folder is None) if replacing or folder is None else folder
        connection = db.open_writer(target / generation.DB)
        try:
            _run(vault, target, connection, report, options)
        finally:
            connection.close()
        if replacing:
            report.rebuilt = report.rebuilt or "asked for"
            generation.publish(vault.place, target)
    return report


def _usable(place: Path) -> tuple[Path | None, str]:
    """The generation in use, or None and why not; a damaged one is set aside."""
    folder = generation.current(place)
    if folder is None:
        return None, "there was none"
    reason = generation.damage(folder, unfinished=bool(generation.pending(folder))) or _mismatch(folder)
    if reason:
        generation.set_aside(place, folder, reason)
        return None, reason
    return folder, ""


def _mismatch(folder: Path) -> str:
    """Why a generation cannot be used although its files are what was written."""
    try:
        connection = db.open_writer(folder / generation.DB)
        try:
            made_by = db.get_meta(connection, "schema")
            check = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if generation.pending(folder) else "ok"
        finally:
            connection.close()
    except sqlite3.Error as error:
        return f"{generation.DB}: {error}"
    if check != "ok":
        return f"{generation.DB}: {check}"
    return "" if made_by == SCHEMA else f"it was made by another version ({made_by or 'unknown'})"


def _new(place: Path, *, publish: bool) -> Path:
    """An empty generation; published at once when there is no other, so that a killed first run goes on later."""
    folder = generation.begin(place)
    lexical.create(folder / generation.WHOOSH)
    connection = db.create(folder / generation.DB)
    db.set_meta(connection, "schema", SCHEMA)
    connection.close()
    generation.seal(folder)
    if publish:
        generation.publish(place, folder)
    return folder


def _run(vault: Vault, folder: Path, connection: sqlite3.Connection, report: Report, options: Options) -> None:
    _heal(folder, connection)
    listing = vault.root.walk(vault.rules.skip)
    known = db.manifest(connection)
    report.kept = _kept(known, listing)
    changes = diff.plan(known, listing.entries, lambda path: _digest(vault.root, path), keep=report.kept.__contains__)
    if options.most is not None and changes.work > options.most:
        raise BadData(f"{changes.work} files wait to be indexed; run `memdir sync`")
    if not options.accept_removals:
        _guard(vault, known, changes, listing)
    Work(vault, folder, connection, report, {entry.path: entry for entry in listing.entries}).apply(
        changes, options.progress
    )
    if not db.get_meta(connection, "complete"):
        db.set_meta(connection, "complete", "yes")
        generation.seal(folder)
    report.files = connection.execute("SELECT count(*) FROM files").fetchone()[0]
    report.problems = db.problems(connection)


def _heal(folder: Path, connection: sqlite3.Connection) -> None:
    """Take a batch that a killed run left half done out of Whoosh and have its files read again."""
    ids = generation.pending(folder)
    if not ids:
        return
    with lexical.Writer(folder / generation.WHOOSH) as writer:
        for number in ids:
            writer.delete(str(number))
    with db.transaction(connection):
        connection.executemany(
            "UPDATE files SET digest = '', checked_ns = 0 WHERE id = ?", [(number,) for number in ids]
        )
    generation.seal(folder)
    generation.set_pending(folder, [])


def _kept(known: dict[str, db.Row], listing: files.Listing) -> dict[str, str]:
    """Known files that a walk did not show although nobody deleted them, with the reason."""
    away = dict.fromkeys(listing.placeholders, "not downloaded")
    folders = tuple(f"{path}/" for path in listing.unreadable if path)
    kept = {path: away[path] for path in known if path in away}
    return kept | {
        path: "its folder cannot be read" for path in known if path.startswith(folders) or path in listing.unreadable
    }


def _guard(vault: Vault, known: dict[str, db.Row], changes: diff.Diff, listing: files.Listing) -> None:
    """Stop when so much is gone at once that the vault is more likely unmounted than emptied."""
    gone = len(changes.removed)
    emptied = bool(known) and not listing.entries and gone > 0 and not any(vault.root.path.iterdir())
    if emptied or (gone > GUARD and gone > vault.settings["sync.vanish_share"] * len(known)):
        raise BadData(
            f"{gone} of {len(known)} notes are gone from {vault.root.path}: nothing was dropped from the index. "
            "If the folder is mounted and they were deleted on purpose, run `memdir sync --accept-removals`."
        )


def _digest(root: files.Root, path: str) -> str | None:
    try:
        return root.read(path).digest
    except MemdirError:
        return None


@dataclass(slots=True)
class Work:
    """The application of one Diff."""

    vault: Vault
    folder: Path
    connection: sqlite3.Connection
    report: Report
    entries: dict[str, files.Entry]

    def apply(self, changes: diff.Diff, progress: Progress | None) -> None:
        if not changes:
            return
        jobs: list[tuple[str, db.Row | None]] = [(path, row) for path, row in sorted(changes.moved.items())]
        jobs += [(row.path, row) for row in changes.modified]
        jobs += [(path, None) for path in sorted(changes.added)]
        if changes.touched:
            self._touch(changes.touched)
        total, done = len(jobs), 0
        batches = list(_batches(jobs)) or [[]]
        if not jobs and not changes.removed:
            generation.seal(self.folder)
            return
        for number, batch in enumerate(batches):
            self._batch(batch, changes.removed if number == 0 else [])
            done += len(batch)
            if progress:
                progress(done, total)
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

    def _batch(self, jobs: Sequence[tuple[str, db.Row | None]], removed: Sequence[db.Row]) -> None:
        """Files of one batch: into Whoosh, into SQLite, sealed. Unreadable ones become Problems."""
        with db.transaction(self.connection):
            db.drop(self.connection, [row.id for row in removed])
            ids = self._rows(jobs)
            generation.set_pending(self.folder, [*ids, *(row.id for row in removed)])
            with lexical.Writer(self.folder / generation.WHOOSH) as writer:
                for gone in removed:
                    writer.delete(str(gone.id))
                for file, (path, row) in zip(ids, jobs, strict=True):
                    if row is not None:
                        writer.delete(str(file))
                    self._index(writer, file, path)
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
                cursor = self.connection.execute(_INSERT, (None, path, *_EMPTY))
                ids.append(int(cursor.lastrowid or 0))
            else:
                ids.append(row.id)
        return ids

    def _index(self, writer: lexical.Writer, file: int, path: str) -> None:
        checked = time.time_ns()
        try:
            blob = self.vault.root.read(path)
        except MemdirError as error:
            self.report.kept[path] = str(error)
            self.connection.execute("DELETE FROM files WHERE id = ?", (file,))
            return
        parsed = note.parse(path, blob.data, own=self.vault.rules.own)
        _store_file(self.connection, file, parsed, blob, checked)
        zones = {
            "name": text.terms(parsed.name if parsed.name == parsed.stem else f"{parsed.name} {parsed.stem}"),
            "aliases": text.terms(" ".join(parsed.aliases)),
            "tags": text.terms(" ".join(parsed.tags)),
        }
        for number, passage in enumerate(passages.cut(parsed)):
            heading = " › ".join(passage.headings)
            cursor = self.connection.execute(
                "INSERT INTO passages VALUES (NULL, ?, ?, ?, ?, ?)", (file, number, passage.start, passage.end, heading)
            )
            writer.add(
                str(file),
                int(cursor.lastrowid or 0),
                zones | {"heading": text.terms(heading), "body": text.terms(passage.text)},
            )


_INSERT = f"INSERT INTO files VALUES ({', '.join('?' * 22)})"
_EMPTY = ("", "", 0, 0, 0, 0, "", 0, "", "", "", "", "", "", "", 0, 0, "", "[]", "[]")


def _times(entry: files.Entry) -> tuple[int, int, int, int]:
    return entry.stat.size, entry.stat.mtime_ns, entry.stat.ctime_ns, entry.stat.ino


def _store_file(connection: sqlite3.Connection, file: int, parsed: note.Note, blob: files.Blob, checked: int) -> None:
    stat = blob.stat
    values = (
        file, parsed.path, names.fold(parsed.path), names.fold(parsed.stem),
        stat.size, stat.mtime_ns, stat.ctime_ns, stat.ino, blob.digest, checked,
        parsed.kind, parsed.name, parsed.type, parsed.date, parsed.text("scope"),
        parsed.text("importance") or "medium", parsed.hook, bool(parsed.text("description")), layout.is_archived(parsed.path),
        parsed.text("id"), json.dumps(parsed.aliases, ensure_ascii=False), json.dumps([[p.line, p.message] for p in parsed.problems], ensure_ascii=False),
    )  # fmt: skip
    connection.execute("INSERT OR REPLACE" + _INSERT[len("INSERT") :], [_storable(value) for value in values])
    tags = {names.fold(tag): tag for tag in parsed.tags}
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?, ?)", [(file, _storable(key), _storable(tag)) for key, tag in tags.items()]
    )
    links = [
        (file, link.line, link.target, names.fold(link.target), link.anchor, link.embed, link.wiki)
        for link in parsed.body.links
    ]
    connection.executemany(
        "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", [[_storable(v) for v in row] for row in links]
    )


def _storable(value: object) -> object:
    """Text that SQLite can hold: bytes that are no UTF-8 show as replacement signs."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value


def _batches(jobs: Sequence[tuple[str, db.Row | None]]) -> Iterator[Sequence[tuple[str, db.Row | None]]]:
    for start in range(0, len(jobs), BATCH):
        yield jobs[start : start + BATCH]
