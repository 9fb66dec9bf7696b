"""Small files of memdir's own, in `.memdir/` or the ledger's folder: read by suffix, read on, replaced whole."""

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, TypeVar

from memdir.vault.disk import history, syscalls
from memdir.vault.disk.history import META, bytes_of
from memdir.vault.disk.paths import check_path
from memdir.vault.disk.syscalls import Folder
from memdir.vault.disk.tree import Tree

T = TypeVar("T")
_CHUNK = 1 << 20
_END = 256  # bytes before a mark that must be as they were; each line of a ledger holds its time to the millisecond


class Mark(NamedTuple):
    """Up to where a file has been read, always the end of a line, and what stood before that."""

    inode: int
    at: int
    end: bytes


class Grown(NamedTuple):
    """What a file holds beyond a mark. `anew`: there was no mark, or it is another file by now or was rewritten: `data`
    is all of it. `mark`: after its last whole line."""

    data: bytes
    mark: Mark
    anew: bool


class State:
    """Files that nobody writes but memdir. `lock`: the vault's, for what is replaced."""

    def __init__(self, tree: Tree, lock: Callable[[], AbstractContextManager[object]]) -> None:
        self._tree, self._lock = tree, lock

    def names(self, folder: str, suffix: str, *, meta: bool = False) -> list[str]:
        """The names of the files of `named`."""
        return list(self._each(folder, suffix, meta, lambda _, name: name))

    def texts(self, folder: str, suffix: str, *, meta: bool = False) -> list[bytes]:
        """The bytes of `named`, in the order of the names."""
        return list(self.named(folder, suffix, meta=meta).values())

    def named(self, folder: str, suffix: str, *, meta: bool = False) -> dict[str, bytes]:
        """The bytes of the files of a folder whose names end in `suffix`, by name and in its order; `meta`: of the
        folder of this name below `.memdir/`. Raises BadData."""
        return self._each(folder, suffix, meta, bytes_of)

    def grown(self, folder: str, suffix: str, marks: Mapping[str, Mark], *, meta: bool = False) -> dict[str, Grown]:
        """What those files hold beyond the mark of each. Raises BadData."""
        return self._each(folder, suffix, meta, lambda here, name: _beyond(here, name, marks.get(name)))

    def put(self, name: str, data: bytes, place: str = META) -> None:
        """Write a file into `.memdir/` or another folder, whole; `texts("", name, meta=True)` reads it. No version of
        it is kept. Raises Locked, BadData."""
        with self._lock():
            try:
                with self._tree.folder(place.split("/"), create=True) as folder:
                    history.put(folder, name, data)
            except OSError as error:
                raise self._tree.explain(error, f"{place}/{name}", "write") from error

    def _each(self, folder: str, suffix: str, meta: bool, read: Callable[[Folder, str], T | None]) -> dict[str, T]:
        parts = [META, *filter(None, [folder.rpartition("/")[2]])] if meta else check_path(folder).split("/")
        try:
            with self._tree.folder(parts) as here:
                found = sorted(name for name in history.names(here) if name.endswith(suffix))
                return {name: one for name in found if (one := read(here, name)) is not None}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise self._tree.explain(error, folder, "read") from error


def _beyond(folder: Folder, name: str, mark: Mark | None) -> Grown | None:
    """None where there is no such regular file; raises OSError."""
    try:
        fd = syscalls.open_read(folder, name)
    except FileNotFoundError:
        return None
    try:
        now = os.fstat(fd)
        if not stat.S_ISREG(now.st_mode):
            return None
        before = len(mark.end) if mark else 0
        data = _from(fd, mark.at - before if mark else 0)
        if mark and not (mark.inode == now.st_ino and data.startswith(mark.end)):
            mark, before, data = None, 0, _from(fd, 0)
        whole = data.rfind(b"\n") + 1
        at = whole + (mark.at - before if mark else 0)
        return Grown(data[before:], Mark(now.st_ino, at, data[max(0, whole - _END) : whole]), mark is None)
    finally:
        os.close(fd)


def _from(fd: int, start: int) -> bytes:
    """What stands from there to the end of the file."""
    os.lseek(fd, start, os.SEEK_SET)
    return b"".join(iter(lambda: os.read(fd, _CHUNK), b""))
