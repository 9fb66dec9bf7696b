"""Sync: bring the index to what the files say. One pure diff, then one application in batches.

This part finds out whether there is anything to do and stops where doing it would lose something; `apply`
does it. Reads the vault, writes the cache folder only.
"""

import sqlite3
import time
from array import array
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import ModuleType

from memdir.errors import BadData, MemdirError
from memdir.index import db, diff, generation
from memdir.index.values import FIRST, JUST_GONE, SCHEMA, Options, Progress, Report, Vault
from memdir.vault import files

__all__ = ["FIRST", "JUST_GONE", "SCHEMA", "Options", "Progress", "Report", "Vault", "sync"]

VERSIONS = 3  # first words of `Vault.schema`, which are versions
GUARD = 10  # so many files may always vanish at once


def sync(vault: Vault, options: Options) -> Report:
    """Bring the index up to date. Raises Locked, NotFound (no vault) and BadData (what looks like an
    unmounted vault, more than `most` files to read, a disk that refuses); then nothing was dropped."""
    try:
        try:
            return _sync(vault, options)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") in _REFUSED:
                raise
            return _anew(vault, options, str(error))
    except (sqlite3.Error, OSError) as error:
        raise BadData(f"{vault.place}: the index cannot be written: {error}") from error


# What SQLite says when the system or another process is in the way; anything else is said of its file.
_REFUSED = {f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "IOERR", "NOMEM", "PERM")}


def _anew(vault: Vault, options: Options, reason: str) -> Report:
    """Set aside a database that its seal vouched for but that cannot be used, and sync once more."""
    with generation.lock(vault.place, options.wait):
        if folder := generation.current(vault.place):
            generation.set_aside(vault.place, folder, reason)
    report = _sync(vault, options)
    report.rebuilt = f"{generation.DB}: {reason}"
    return report


def _sync(vault: Vault, options: Options) -> Report:
    with generation.lock(vault.place, options.wait):
        folder, reason = _usable(vault)
        started = time.time_ns()
        listing = vault.root.walk(vault.rules.skip)
        stamp, newest = _stamp(listing)
        if folder and options.quick and generation.listed(folder, stamp, newest + diff.RACY_NS):
            return Report(files=len(listing.entries))
        if options.dry_run:
            return _preview(vault, folder, listing)
        if folder and options.afresh and not options.accept_removals:
            known = _known(folder)
            if kept := _kept(known, listing):
                raise BadData(f"{min(kept)} is {kept[min(kept)]}: a rebuild would lose it, so the index stays as it is")
            _guard(vault, known, known.keys(), listing)
        report = Report(rebuilt="" if folder else reason)
        replacing = options.afresh or folder is None
        target = _apply().begin(vault, publish=folder is None) if replacing or folder is None else folder
        connection = db.open_writer(target / generation.DB)
        try:
            _run(vault, target, connection, listing, report, options)
        finally:
            connection.close()
        generation.set_listed(target, "" if report.kept or report.skipped else stamp, started)
        if replacing:
            report.rebuilt = report.rebuilt or "asked for"
            generation.publish(vault.place, target)
    return report


def _preview(vault: Vault, folder: Path | None, listing: files.Listing) -> Report:
    """What a sync would do, counted."""
    known = _known(folder) if folder else {}
    kept = _kept(known, listing)
    changes = diff.plan(known, listing.entries, lambda path: _digest(vault.root, path), keep=kept.__contains__)
    report = Report(files=len(listing.entries) + len(kept), kept=kept)
    report.added, report.modified = len(changes.added), len(changes.modified)
    report.moved, report.removed = len(changes.moved), len(changes.removed)
    return report


def _stamp(listing: files.Listing) -> tuple[str, int]:
    """One digest over names, sizes, times and inodes of a walk, and the newest of the times (ns).

    The digest is "" when the walk could not see everything. Column by column, because this is done for every recall.
    """
    if listing.unreadable or listing.placeholders or not listing.entries:
        return "", 0
    paths, *columns = zip(*listing.entries, strict=True)
    try:
        numbers = b"".join(array("q", column).tobytes() for column in columns)
    except OverflowError:  # an inode beyond 63 bits: look closer each time
        return "", 0
    text = "\0".join(paths).encode("utf-8", "surrogateescape")
    return files.digest(text + b"\0\0" + numbers), max(max(columns[1]), max(columns[2]))


def _usable(vault: Vault) -> tuple[Path | None, str]:
    """The generation in use, or None and why not; a damaged one is set aside."""
    folder = generation.current(vault.place)
    if folder is None:
        named = (vault.place / generation.CURRENT).exists()
        return None, f"{generation.CURRENT} names none" if named else FIRST
    unfinished = bool(generation.pending(folder))
    reason = generation.damage(folder, unfinished=unfinished) or _mismatch(folder, vault.schema)
    reason = reason or (_heal(folder) if unfinished else "")
    if reason:
        generation.set_aside(vault.place, folder, reason)
        return None, reason
    return folder, ""


def _mismatch(folder: Path, schema: str) -> str:
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
    return "" if made_by == schema else _other(made_by or "unknown", schema)


def _other(made_by: str, schema: str) -> str:
    """What has changed since an index was made: `Vault.schema` says what the words are."""
    was, now = made_by.split(), schema.split()
    if len(was) <= VERSIONS or was[:VERSIONS] != now[:VERSIONS]:
        return f"it was made by another version ({made_by})"
    if was[VERSIONS] != now[VERSIONS]:
        kinds = {"own": "one of memdir's own", "adopted": "an adopted folder, without a memdir.toml"}
        return f"the vault is {kinds[now[VERSIONS]]} now, and was {kinds.get(was[VERSIONS], was[VERSIONS])}"
    zones = [" ".join(one[VERSIONS + 1 :]) or "that of the system" for one in (was, now)]
    return f"the time zone was {zones[0]}, and is {zones[1]} now"


def _heal(folder: Path) -> str:
    """Finish with what a killed run left; why not, when that fails too."""
    connection = db.open_writer(folder / generation.DB)
    try:
        _apply().heal(folder, connection)
    except Exception as error:  # a damaged Whoosh file raises any of ten classes (measured: RELIABILITY 3.2)
        return f"a killed run left it in pieces ({type(error).__name__}: {error})"
    finally:
        connection.close()
    return ""


def _run(
    vault: Vault, folder: Path, connection: sqlite3.Connection, listing: files.Listing, report: Report, options: Options
) -> None:
    known = db.manifest(connection)
    report.kept = _kept(known, listing)
    report.skipped = {path: why for path, why in _away(listing).items() if path not in known}
    changes = diff.plan(known, listing.entries, lambda path: _digest(vault.root, path), keep=report.kept.__contains__)
    report.kept |= {row.path: "it cannot be read" for row in changes.unreadable}
    report.files = len(known)
    if options.believed is not None and (away := changes.away) - options.believed:
        report.kept |= dict.fromkeys(away, JUST_GONE)
        return
    if options.most is not None and changes.work > options.most:
        raise BadData(f"{changes.work} files wait to be indexed; run `memdir sync`")
    if not options.accept_removals:
        _guard(vault, known, {row.path for row in changes.removed} - options.meant, listing)
    if changes:
        _apply().Work(vault, folder, connection, report, {entry.path: entry for entry in listing.entries}).run(
            changes, options.progress
        )
    if not db.get_meta(connection, "complete"):
        with generation.unsealed(folder):
            db.set_meta(connection, "complete", "yes")
    report.files = connection.execute("SELECT count(*) FROM files").fetchone()[0]
    report.problems = db.problems(connection)


def _away(listing: files.Listing) -> dict[str, str]:
    """What a walk saw but could not look into, with the reason."""
    unreadable = dict.fromkeys((path for path in listing.unreadable if path.lower().endswith(".md")), "not readable")
    return dict.fromkeys(listing.placeholders, "not downloaded") | unreadable


def _kept(known: Mapping[str, db.Row], listing: files.Listing) -> dict[str, str]:
    """Known files that a walk did not show although nobody deleted them, with the reason."""
    away = _away(listing)
    folders = tuple(f"{path}/" for path in listing.unreadable)
    inside = {path: "in a folder that cannot be read" for path in known if path.startswith(folders)}
    return {path: away[path] for path in known.keys() & away.keys()} | inside


def _guard(vault: Vault, known: Mapping[str, db.Row], gone: AbstractSet[str], listing: files.Listing) -> None:
    """Stop when so much is gone at once that the vault is more likely unmounted than emptied.

    A file that is still there but no longer counts as a note is not gone.
    """
    emptied = bool(gone) and not listing.entries and not any(vault.root.path.iterdir())
    if not emptied and len(gone) <= GUARD:
        return
    lost = gone - {entry.path for entry in listing.entries}
    lost = {path for path in lost if vault.root.stat(path) is None}
    if emptied or (len(lost) > GUARD and len(lost) > vault.settings["sync.vanish_share"] * len(known)):
        raise BadData(
            f"{len(lost)} of {len(known)} notes are gone from {vault.root.path}: nothing was dropped from the index. "
            "If the folder is mounted and they were deleted on purpose, run `memdir sync --accept-removals`."
        )


def _known(folder: Path) -> dict[str, db.Row]:
    connection = db.open_reader(folder / generation.DB)
    try:
        return db.manifest(connection)
    finally:
        connection.close()


def _digest(root: files.Root, path: str) -> str | None:
    try:
        return root.read(path).digest
    except MemdirError:
        return None


def _apply() -> ModuleType:
    """The part that writes; deferred, because a run that finds nothing new must not pay for parsers and numpy."""
    from memdir.index import apply

    return apply
