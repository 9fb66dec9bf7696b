"""The calls into the system that change files, behind one object, so that tests can fail or kill at any of them.

Names are always given as (folder, name): on POSIX the folder is an open descriptor and no path is ever walked twice.
Holds what Python lacks: rename that exchanges two names, rename that refuses to replace, durable fsync, kernel locks.
Windows has no folder descriptors: there a Folder is a path, and links are refused by looking before opening, which
leaves a window. That half is kept simple and has not been run. Knows nothing of memdir.
"""

import contextlib
import ctypes
import errno
import functools
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

WINDOWS = sys.platform == "win32"
if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _CLOEXEC | getattr(os, "O_BINARY", 0)
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC
THROUGH = FOLDER | getattr(os, "O_PATH", 0)  # a folder that is only passed: a quarter of the price less
NEW = (READ | os.O_RDWR | os.O_CREAT | os.O_EXCL) & ~getattr(os, "O_NONBLOCK", 0)
APPEND = READ | os.O_RDWR | os.O_APPEND

_NOREPLACE, _EXCHANGE = 1, 2  # linux/fs.h: RENAME_NOREPLACE, RENAME_EXCHANGE
_EXCL, _SWAP = 4, 2  # macOS stdio.h: RENAME_EXCL, RENAME_SWAP
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_LOCK_BYTE = 1 << 30  # Windows locks bytes, and a locked byte cannot be read: one that no file has
_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK}


@dataclass(slots=True)
class Folder:
    """An open folder: a descriptor on POSIX, only its path on Windows (fd is then -1)."""

    fd: int
    path: str

    def at(self, name: str) -> str:
        """Return what to hand to an os call together with dir_fd: the name, or the joined path on Windows."""
        return os.path.join(self.path, name) if WINDOWS else name

    @property
    def dir_fd(self) -> int | None:
        return None if WINDOWS else self.fd

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def open_root(path: str) -> Folder:
    """Open the vault root, the only folder that may be reached through a link; raises OSError."""
    if WINDOWS:
        os.listdir(path)
        return Folder(-1, path)
    return Folder(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), path)


def open_folder(parent: Folder, name: str) -> Folder:
    """Open a folder below `parent` without following a link; raises OSError."""
    path = os.path.join(parent.path, name)
    if not WINDOWS:
        return Folder(os.open(name, FOLDER, dir_fd=parent.fd), path)
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", path)
    return Folder(-1, path)


@contextlib.contextmanager
def opened(parent: Folder, name: str) -> Iterator[Folder]:
    """Open a folder below `parent` for the length of a block."""
    folder = open_folder(parent, name)
    try:
        yield folder
    finally:
        folder.close()


def open_read(parent: Folder, name: str) -> int:
    """Open a file below `parent` for reading without following a link; raises OSError."""
    if WINDOWS and stat.S_ISLNK(os.lstat(parent.at(name)).st_mode):
        raise OSError(errno.ELOOP, "a link", name)
    return os.open(parent.at(name), READ, dir_fd=parent.dir_fd)


def lstat(parent: Folder, name: str) -> os.stat_result | None:
    """Return the status of a name itself, or None when nothing has that name."""
    try:
        return os.stat(parent.at(name), dir_fd=parent.dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


class Calls:
    """Every call that changes the disk. Tests replace single methods on the one instance, `sys_calls`."""

    MUTATING = (
        "open", "write", "fsync", "close", "rename", "rename_new", "rename_exchange", "link", "unlink", "mkdir",
        "ftruncate", "copy_meta",
    )  # fmt: skip

    def open(self, folder: Folder, name: str, flags: int, mode: int = 0o600) -> int:
        return os.open(folder.at(name), flags, mode, dir_fd=folder.dir_fd)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def fsync(self, fd: int) -> None:
        """Flush one descriptor. An error is final: a second fsync may succeed although the bytes are gone."""
        os.fsync(fd)

    def close(self, fd: int) -> None:
        os.close(fd)

    def rename(self, folder: Folder, name: str, target: Folder, new: str) -> None:
        os.replace(folder.at(name), target.at(new), src_dir_fd=folder.dir_fd, dst_dir_fd=target.dir_fd)

    def rename_new(self, folder: Folder, name: str, target: Folder, new: str) -> None:
        """Rename unless `new` exists (FileExistsError); atomic where the system can."""
        if WINDOWS:
            os.rename(folder.at(name), target.at(new))
        elif not _rename(folder, name, target, new, _EXCL if sys.platform == "darwin" else _NOREPLACE):
            os.link(name, new, src_dir_fd=folder.fd, dst_dir_fd=target.fd, follow_symlinks=False)
            os.unlink(name, dir_fd=folder.fd)

    def rename_exchange(self, folder: Folder, name: str, target: Folder, new: str) -> bool:
        """Swap two existing names in one step; False where the system or file system cannot."""
        return not WINDOWS and _rename(folder, name, target, new, _SWAP if sys.platform == "darwin" else _EXCHANGE)

    def link(self, folder: Folder, name: str, target: Folder, new: str) -> None:
        """A second name for a file; raises FileExistsError where `new` exists, ENOSYS where no file has two names."""
        if WINDOWS:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
        os.link(name, new, src_dir_fd=folder.fd, dst_dir_fd=target.fd, follow_symlinks=False)

    def unlink(self, folder: Folder, name: str) -> None:
        os.unlink(folder.at(name), dir_fd=folder.dir_fd)

    def mkdir(self, folder: Folder, name: str) -> None:
        os.mkdir(folder.at(name), 0o700, dir_fd=folder.dir_fd)

    def ftruncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def copy_meta(self, source: int, target: int) -> None:
        """Give `target` the mode, owner (when root) and extended attributes of `source`; attributes best effort."""
        if WINDOWS:
            return
        old = os.fstat(source)
        if os.geteuid() == 0 and (old.st_uid, old.st_gid) != (0, 0):
            os.fchown(target, old.st_uid, old.st_gid)
        os.fchmod(target, stat.S_IMODE(old.st_mode))
        if hasattr(os, "listxattr"):
            for key in os.listxattr(source):
                with contextlib.suppress(OSError):
                    os.setxattr(target, key, os.getxattr(source, key))


sys_calls = Calls()


def aside(name: str) -> str:
    """Return the name that exchange() uses in between, where the system cannot exchange."""
    return f".~{name}"


def exchange(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Swap two existing names.

    Where that is impossible in one step: move the old file aside, publish without replacing, bring the old one under
    the other name. Nobody's bytes are lost then, but for an instant `new` does not exist; raises FileExistsError
    when somebody took the name in that instant (the old file is then at `aside(name)` in `folder`).
    """
    if sys_calls.rename_exchange(folder, name, target, new):
        return
    sys_calls.rename(target, new, folder, aside(name))
    sys_calls.rename_new(folder, name, target, new)
    sys_calls.rename(folder, aside(name), folder, name)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, going on after short writes; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[sys_calls.write(fd, view) :]


def fsync_folder(folder: Folder) -> None:
    """Make names in a folder durable. File systems that cannot (some FUSE, Windows) are left alone."""
    if WINDOWS:
        return
    try:
        sys_calls.fsync(folder.fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise


def try_lock(fd: int, *, must: bool = True) -> bool:
    """Take the exclusive kernel lock of an open file, without waiting; True also where it cannot be had and need not.

    NFS, for one, locks only what is open for writing.
    """
    try:
        if sys.platform == "win32":
            os.lseek(fd, _LOCK_BYTE, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        if must:
            raise
    return True


def unlock(fd: int) -> None:
    """Give the lock back, also where a forked child still holds the descriptor."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.lseek(fd, _LOCK_BYTE, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_UN)


@functools.cache
def _renamer() -> Callable[..., int] | None:
    """Return renameat2 (Linux) or renameatx_np (macOS): (fd, old, fd, new, flags) -> 0 or -1; None where missing."""
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return function


def _rename(folder: Folder, name: str, target: Folder, new: str, flags: int) -> bool:
    """Rename with flags; False when unsupported, OSError when refused."""
    function = _renamer()
    if function is None:
        return False
    if function(folder.fd, os.fsencode(name), target.fd, os.fsencode(new), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), name, None, new)
