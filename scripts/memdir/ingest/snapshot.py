"""A snapshot: one zip archive with every file of a vault under `vault/`, and a manifest that knows their digests.

`manifest.jsonl` begins with a line about the vault; each further line is a file: path, size, SHA-256, time. What the
manifest does not name is no part of the snapshot. Streams; writes nothing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdir.errors import BadData, MemdirError, NotFound, Unsafe
from memdir.ingest import jsonstream, members
from memdir.ingest.members import Limits, Members
from memdir.ingest.records import Bad
from memdir.vault import files, whole

MANIFEST, PREFIX = "manifest.jsonl", "vault/"
VERSION = 1
CHUNK = 1 << 20
_MIB = 1 << 20
_DEFLATE = 1_100  # times that deflate makes a member smaller at most: 1,032
_LARGEST = 256 * _MIB  # bytes of a manifest: a million files
# Of an archive that was named as a snapshot; what its manifest says then holds for each member.
WIDE = Limits(member=1 << 44, total=1 << 46, count=1_000_000, ratio=_DEFLATE, directory=256 * _MIB)


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of a snapshot as the manifest tells it."""

    path: str
    size: int
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """`head`: about the vault; `files` by path."""

    head: dict[str, Any]
    files: tuple[Kept, ...]

    @property
    def bytes(self) -> int:
        return sum(one.size for one in self.files)


def opened(path: Path) -> tuple[Members, Manifest]:
    """The archive that was named as a snapshot. Raises NotFound, BadData where it is none."""
    first = members.opened(path, WIDE)
    told = manifest(first)
    most = max([first.size(MANIFEST), *(one.size for one in told.files)])
    limits = Limits(most, told.bytes + first.size(MANIFEST), len(told.files) + 1, _DEFLATE, WIDE.directory)
    extra = set(first.names) - {MANIFEST} - {PREFIX + one.path for one in told.files}
    if extra:
        raise BadData(f"{path.name}: {min(extra)!r} is in the archive and not in its manifest")
    return members.opened(path, limits), told


def is_one(given: Members) -> bool:
    return MANIFEST in given.names and given.path(MANIFEST) is None


def manifest(given: Members) -> Manifest:
    """Raises BadData for an archive that is no snapshot, or one of a newer memdir."""
    if not is_one(given):
        raise BadData(f"{given.name}: no snapshot: there is no {MANIFEST} in it")
    if given.size(MANIFEST) > _LARGEST:
        raise BadData(f"{given.name}: its manifest takes more than {_LARGEST // _MIB} MiB")
    found: dict[str, Kept] = {}
    head: dict[str, Any] | None = None
    with members.read(given, MANIFEST) as stream:
        for row in jsonstream.rows(stream):
            if isinstance(row, Bad):
                raise BadData(f"{given.name}: {MANIFEST}: {row.where}: {row.why}")
            if head is None:
                head = _head(given.name, row.value)
                continue
            one = _kept(given.name, row.number, row.value)
            if found.setdefault(one.path, one) is not one:
                raise BadData(f"{given.name}: {MANIFEST}: line {row.number}: {one.path} stands twice")
    if head is None or head.get("files") != len(found):
        raise BadData(f"{given.name}: its manifest is cut short")
    return Manifest(head, tuple(found.values()))


def _head(name: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or not isinstance(given.get("snapshot"), int) or "memdir" not in given:
        raise BadData(f"{name}: no snapshot: {MANIFEST} does not begin as one of memdir")
    if given["snapshot"] > VERSION:
        raise BadData(f"{name}: made by memdir {given['memdir']}, whose snapshots this one cannot read")
    return given


def _kept(name: str, line: int, given: Any) -> Kept:
    try:
        one = Kept(given["path"], given["size"], given["sha256"], given["mtime_ns"])
        texts, numbers = (one.path, one.sha256), (one.size, one.mtime_ns)
        typed = all(isinstance(text, str) for text in texts) and all(type(number) is int for number in numbers)
        if typed and one.size >= 0 and is_path(one.path):
            return one
    except (KeyError, TypeError):
        pass
    raise BadData(f"{name}: {MANIFEST}: line {line}: no file of a vault")


def is_path(path: str) -> bool:
    """Whether a file of a vault may have this path: a visible one, or a state of memdir's own."""
    if whole.STATE.fullmatch(path):
        return True
    try:
        return files.check_path(path) == path
    except Unsafe:
        return False


def pieces(archive: Members, one: Kept) -> Iterator[bytes]:
    """The bytes of a file. Raises BadData at the end where they are not those of the manifest."""
    told, size = hashlib.sha256(), 0
    try:
        with members.read(archive, PREFIX + one.path) as stream:
            while piece := stream.read(CHUNK):
                size += len(piece)
                told.update(piece)
                if size > one.size:
                    break
                yield piece
    except NotFound as error:
        raise BadData(f"{one.path}: is missing") from error
    if size != one.size or told.hexdigest() != one.sha256:
        raise BadData(f"{one.path}: is not what the manifest says: {size} bytes of {one.size}, SHA-256 differs")


def damage(archive: Members, one: Kept) -> str:
    """What is wrong with a file; "" where nothing is."""
    try:
        for _ in pieces(archive, one):
            pass
    except MemdirError as error:
        return str(error).removeprefix(f"{one.path}: ")
    return ""
