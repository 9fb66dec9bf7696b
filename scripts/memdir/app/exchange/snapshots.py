"""Snapshots: a vault as one file, to keep, to check and to make a vault of again, byte for byte.

The file is written as it is read, so that a vault may be larger than memory. Restoring checks every digest before the
new folder has its name.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from memdir import __version__
from memdir.app.exchange import publishing
from memdir.errors import BadData, MemdirError
from memdir.ingest import snapshot
from memdir.vault import whole
from memdir.vault.files import Entry

if TYPE_CHECKING:
    from memdir.app.memory import Memory

Told = Callable[[int, int], None]  # bytes done, of so many
UNKEPT = (
    "earlier versions are not in a snapshot: `memdir history`, and `memdir undo` of what rewrote a file, need the vault"
)
MOST_NAMED = 20  # files that a notice names
_LARGE = 1 << 30  # bytes of a file from which a member needs long sizes
# What deflate makes no smaller.
_PACKED = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".pdf", ".mp3", ".m4a", ".mp4", ".mov", ".webm", ".zip", ".gz")


@dataclass(slots=True)
class Damaged:
    path: str
    why: str


@dataclass(slots=True)
class Snapshot:
    """What a snapshot holds. `folder`: where it was restored to; `left`: files of the vault that are not in it."""

    file: str
    files: int = 0
    bytes: int = 0
    created: str = ""
    folder: str = ""
    left: list[str] = field(default_factory=list)
    damaged: list[Damaged] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def create(memory: "Memory", path: Path, dry_run: bool, progress: Told | None = None) -> Snapshot:
    """Write the vault into one new file. Raises Conflict where one is, UsageError inside of the vault."""
    place = publishing.outside(publishing.free(path), memory.root.path, "a snapshot")
    made = Snapshot(str(place), created=_moment(memory.clock.now()))
    with whole.Whole(memory.root.path, memory.vault.rules) as vault:
        listing = vault.listing()
        made.left = [*listing.unreadable, *listing.placeholders]
        total = sum(one.size for one in listing.entries)
        if dry_run:
            made.files, made.bytes = len(listing.entries), total
        else:
            with publishing.file(place) as stream:
                _pack(memory, vault, listing.entries, stream, made, progress and _of(progress, total))
    if made.left:
        more = f" and {len(made.left) - MOST_NAMED} more" if len(made.left) > MOST_NAMED else ""
        made.notices.append(f"not in the snapshot, they cannot be read: {', '.join(made.left[:MOST_NAMED])}{more}")
    made.notices.append(UNKEPT)
    return made


def _of(progress: Told, total: int) -> Callable[[int], None]:
    return lambda done: progress(done, total)


def _pack(
    memory: "Memory",
    vault: whole.Whole,
    entries: Iterable[Entry],
    stream: IO[bytes],
    made: Snapshot,
    progress: Callable[[int], None] | None,
) -> None:
    kept: list[snapshot.Kept] = []
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in entries:
            try:
                with vault.open(one.path) as source:
                    kept.append(_member(archive, one, source, made))
            except MemdirError:
                made.left.append(one.path)
                continue
            made.bytes += kept[-1].size
            if progress:
                progress(made.bytes)
        made.files = len(kept)
        head = {"memdir": __version__, "snapshot": snapshot.VERSION, "vault_format": memory.settings["format"]}
        head |= {"vault": memory.root.path.name, "created": made.created, "files": made.files, "bytes": made.bytes}
        with archive.open(_info(snapshot.MANIFEST, memory.clock.now(), ""), "w", force_zip64=True) as target:
            for line in (head, *({key: getattr(one, key) for key in one.__slots__} for one in kept)):
                target.write(json.dumps(line).encode() + b"\n")


def _member(archive: zipfile.ZipFile, one: Entry, source: IO[bytes], made: Snapshot) -> snapshot.Kept:
    """Copy one file into the archive, piece by piece, and say what was copied."""
    before = os.fstat(source.fileno())
    told, size = hashlib.sha256(), 0
    info = _info(snapshot.PREFIX + one.path, _changed(before.st_mtime), one.path)
    with archive.open(info, "w", force_zip64=before.st_size >= _LARGE) as target:
        while piece := source.read(snapshot.CHUNK):
            told.update(piece)
            size += len(piece)
            target.write(piece)
    after = os.fstat(source.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        made.notices.append(f"{one.path} was written while it was read: it is kept as it was read")
    return snapshot.Kept(one.path, size, told.hexdigest(), before.st_mtime_ns)


def _changed(mtime: float) -> datetime:
    """When a file was changed, as far as an archive can say it; the manifest says it to the nanosecond."""
    try:
        return datetime.fromtimestamp(mtime)
    except (ValueError, OverflowError, OSError):
        return datetime(1980, 1, 1)


def _info(name: str, at: datetime, path: str) -> zipfile.ZipInfo:
    """A member of an archive, whose times begin in 1980 and end in 2107."""
    year = min(max(at.year, 1980), 2107)
    info = zipfile.ZipInfo(name, (year, at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = zipfile.ZIP_STORED if path.lower().endswith(_PACKED) else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def verify(path: Path, progress: Told | None = None) -> Snapshot:
    """Read a snapshot and say what of it is damaged. Raises NotFound, BadData for what is no snapshot at all."""
    archive, told = snapshot.opened(path.expanduser())
    found = _about(path, told)
    for one, done in _running(told):
        if why := snapshot.damage(archive, one):
            found.damaged.append(Damaged(one.path, why))
        if progress:
            progress(done, told.bytes)
    return found


def restore(path: Path, to: Path, dry_run: bool, progress: Told | None = None) -> Snapshot:
    """Make a folder of a snapshot: all of it, or nothing. Raises Conflict where the folder is not empty, BadData for
    what is damaged."""
    archive, told = snapshot.opened(path.expanduser())
    place = publishing.empty(to)
    if dry_run:
        found = verify(path, progress)
    else:
        found = _about(path, told)
        try:
            with publishing.folder(place) as making:
                for one, done in _running(told):
                    making.write(one.path, snapshot.pieces(archive, one), one.mtime_ns)
                    if progress:
                        progress(done, told.bytes)
        except BadData as error:
            raise BadData(
                f"{error}; nothing was restored, `memdir snapshot verify` names all that is damaged"
            ) from error
    found.folder = str(place)
    found.notices.append(UNKEPT)
    return found


def _running(told: snapshot.Manifest) -> Iterator[tuple[snapshot.Kept, int]]:
    """The files, and how many bytes there are up to each."""
    done = 0
    for one in told.files:
        done += one.size
        yield one, done


def _about(path: Path, told: snapshot.Manifest) -> Snapshot:
    return Snapshot(str(path), len(told.files), told.bytes, str(told.head.get("created", "")))


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
