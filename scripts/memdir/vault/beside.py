"""Files of other tools in the folder of a vault: `.gitignore`, `.gitattributes`, `.obsidian/types.json`, bases.

They are no memory, and mostly hidden, so `Root` neither reads nor writes them. A file is made where there is none, or
replaced whole if it still is what was read; never through a link. Who writes holds the vault's lock.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Self

from memdir.errors import BadData, Conflict, NotFound, Unsafe
from memdir.vault.disk import syscalls
from memdir.vault.disk.history import temp_name
from memdir.vault.disk.syscalls import Folder, fsync_folder, sys_calls
from memdir.vault.disk.tree import Tree, read_fd

LARGEST = 4_000_000  # bytes; nothing of this kind is larger


class Beside:
    """The folder of one vault. Use as a context manager."""

    def __init__(self, root: Path) -> None:
        self._tree = Tree(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tree.close()

    def read(self, rel: str) -> bytes | None:
        """The bytes of a file, None where there is none. Raises Unsafe for a link on the way or at its place."""
        *parents, name = rel.split("/")
        try:
            with self._tree.folder(parents) as folder:
                return self._bytes(folder, name, rel)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refused(error, rel, "read") from error

    def write(self, rel: str, data: bytes, *, base: bytes | None) -> None:
        """Put `data` there, durably, if the file still is `base`. Raises Conflict, Unsafe, BadData."""
        *parents, name = rel.split("/")
        try:
            with self._tree.folder(parents, create=True) as folder:
                self._put(folder, name, rel, data, base)
        except FileExistsError:
            raise Conflict(f"{rel}: was made at this moment by another program; try again", path=rel) from None
        except OSError as error:
            raise self._refused(error, rel, "write") from error

    def _put(self, folder: Folder, name: str, rel: str, data: bytes, base: bytes | None) -> None:
        temp = temp_name(name, os.urandom(8).hex())
        fd = sys_calls.open(folder, temp, syscalls.NEW)
        try:
            try:
                syscalls.write_all(fd, data)
                if base is not None and (held := syscalls.lstat(folder, name)) and not syscalls.WINDOWS:
                    os.fchmod(fd, stat.S_IMODE(held.st_mode))
                sys_calls.fsync(fd)
            finally:
                sys_calls.close(fd)
            if base is None:
                sys_calls.rename_new(folder, temp, folder, name)
            else:
                if self._bytes(folder, name, rel) != base:
                    raise Conflict(f"{rel}: was saved at this moment by another program; try again", path=rel)
                sys_calls.rename(folder, temp, folder, name)
            fsync_folder(folder)
        except BaseException:
            with contextlib.suppress(OSError):
                sys_calls.unlink(folder, temp)
            raise

    @staticmethod
    def _bytes(folder: Folder, name: str, rel: str) -> bytes | None:
        if (held := syscalls.lstat(folder, name)) is None:
            return None
        if stat.S_ISLNK(held.st_mode):
            raise _link(rel)
        if not stat.S_ISREG(held.st_mode) or held.st_size > LARGEST:
            raise BadData(f"{rel}: no file that memdir would change")
        fd = syscalls.open_read(folder, name)
        try:
            return read_fd(fd)[0]
        finally:
            os.close(fd)

    def _refused(self, error: OSError, rel: str, verb: str) -> BadData:
        reason = self._tree.explain(error, rel, verb)
        if isinstance(reason, Unsafe):
            return _link(rel)
        return BadData(f"{rel}: a file is in the way") if isinstance(reason, NotFound) else reason


def _link(rel: str) -> Unsafe:
    return Unsafe(f"{rel}: a symbolic link is in the way; nothing is written through it")
