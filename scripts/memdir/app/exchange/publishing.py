"""What memdir makes outside of every vault: a file or a folder that has its name only when it is whole.

Both are made under a temporary name beside the place where they will be, then renamed; nothing that is there is ever
replaced. What breaks off leaves nothing behind; what is killed, until the next of the same name begins: a kernel lock
tells what is still being made.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from memdir.errors import BadData, Conflict, NotFound, UsageError
from memdir.vault.disk import syscalls

_ENDING = ".memdir-tmp"
_LOOK = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Making:
    """A folder that is being made."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, rel: str, pieces: Iterable[bytes], mtime_ns: int | None = None) -> None:
        """One file; `rel` is a path that was checked. Raises BadData when the system refuses."""
        path = self._root / rel
        try:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, _NEW, 0o600), "wb") as stream:
                for piece in pieces:
                    stream.write(piece)
            if mtime_ns is not None:
                with contextlib.suppress(OSError, OverflowError):  # a time that this file system cannot keep
                    os.utime(path, ns=(mtime_ns, mtime_ns))
        except OSError as error:
            raise BadData(f"{rel}: cannot be written: {error.strerror or error}") from error


def free(path: Path) -> Path:
    """The place for a new file, absolute. Raises Conflict where something is, NotFound without its folder."""
    place = Path(os.path.abspath(path.expanduser()))
    if os.path.lexists(place):
        raise Conflict(f"{place}: is there already; name another file, or move that one away")
    if not place.parent.is_dir():
        raise NotFound(f"{place.parent}: no such folder")
    return place


def outside(place: Path, vault: Path, what: str) -> Path:
    """The place, if it is not in the vault. Raises UsageError."""
    inside = vault.resolve()
    if inside in (place.parent.resolve(), *place.parent.resolve().parents):
        raise UsageError(f"{place} lies in the vault: {what} would be part of it; name a place outside")
    return place


def empty(path: Path) -> Path:
    """The place for a new folder, absolute: where nothing is, or an empty folder. Raises Conflict, NotFound."""
    place = Path(os.path.abspath(path.expanduser()))
    if not os.path.lexists(place):
        return free(place)
    if place.is_symlink() or not place.is_dir():
        raise Conflict(f"{place}: is no folder; name a new or an empty one")
    if any(place.iterdir()):
        raise Conflict(f"{place}: is not empty; name a new or an empty folder")
    return place


@contextmanager
def file(path: Path) -> Iterator[IO[bytes]]:
    """A new file, there when the block ends well. Raises as `free`."""
    place = free(path)
    _swept(place)
    temp = _beside(place)
    try:
        fd = os.open(temp, _NEW, 0o600)
        with _held(temp):
            with os.fdopen(fd, "w+b") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            _rename(temp, place)
    finally:
        temp.unlink(missing_ok=True)


@contextmanager
def folder(path: Path) -> Iterator[Making]:
    """A new folder, there when the block ends well. Raises as `empty`."""
    place = empty(path)
    _swept(place)
    temp = _beside(place)
    temp.mkdir(0o700)
    try:
        with _held(temp):
            yield Making(temp)
            if hasattr(os, "sync"):
                os.sync()
            if place.is_dir():
                _vacate(place)
            _rename(temp, place)
    finally:
        shutil.rmtree(temp, ignore_errors=True)


def _beside(place: Path) -> Path:
    return place.with_name(f"{_begins(place)}{os.urandom(4).hex()}{_ENDING}")


def _begins(place: Path) -> str:
    name = place.name.encode("utf-8", "surrogateescape")[:150].decode("utf-8", "ignore")
    return f".{name}."


@contextmanager
def _held(temp: Path) -> Iterator[None]:
    """Whoever looks sees that this is being made. Windows renames nothing that is open: there nobody looks."""
    if os.name != "posix":
        yield
        return
    fd = os.open(temp, _LOOK)
    try:
        syscalls.try_lock(fd, must=False)
        yield
    finally:
        os.close(fd)


def _swept(place: Path) -> None:
    """Remove what killed runs left of the same file or folder; what the system refuses stays."""
    if os.name != "posix":
        return
    left = re.compile(re.escape(_begins(place)) + "[0-9a-f]{8}" + re.escape(_ENDING))
    for temp in [one for one in place.parent.iterdir() if left.fullmatch(one.name)]:
        with contextlib.suppress(OSError):
            fd = os.open(temp, _LOOK)
            try:
                if not syscalls.try_lock(fd):
                    continue
                if temp.is_dir():
                    shutil.rmtree(temp)
                else:
                    temp.unlink()
            finally:
                os.close(fd)


def _vacate(place: Path) -> None:
    try:
        place.rmdir()
    except OSError as error:
        raise Conflict(f"{place}: is not empty any more; nothing was written") from error


def _rename(temp: Path, place: Path) -> None:
    parent = syscalls.open_root(os.fspath(place.parent))
    try:
        syscalls.sys_calls.rename_new(parent, temp.name, parent, place.name)
        syscalls.fsync_folder(parent)
    except FileExistsError:
        raise Conflict(f"{place}: was made at this moment by somebody else; nothing was written") from None
    except OSError:  # a file system that knows neither hard links nor a rename that refuses, such as that of a stick
        if os.path.lexists(place):
            raise
        os.rename(temp, place)
    finally:
        parent.close()
