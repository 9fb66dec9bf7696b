"""Reading below one root folder: open by components, read, stat, walk.

Every name is opened relative to the folder before it and never through a link, so nothing outside the root can be
reached, also while somebody swaps folders for links. Names are tolerant of Unicode form: when the exact name is
missing, the sibling with the same NFC is taken. Changes nothing on disk except `folder(create=True)`.
"""

import contextlib
import errno
import hashlib
import os
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from memdir.errors import BadData, NotFound, Unsafe
from memdir.vault.disk import syscalls
from memdir.vault.disk.paths import check_path, readable
from memdir.vault.disk.syscalls import Folder

TEMP_SUFFIX = ".memdir-tmp"
_CHUNK = 1 << 20
_DEPTH = 100  # folders within folders; each holds a descriptor during a walk
# Files whose bytes are in the cloud only: macOS SF_DATALESS; Windows OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS.
_CLOUD = {"darwin": ("st_flags", 0x40000000), "win32": ("st_file_attributes", 0x00441000)}.get(sys.platform)


class Stat(NamedTuple):
    """What tells one state of a file from another without reading it; times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    nlink: int


class Blob(NamedTuple):
    """The bytes of a file, their SHA-256 in hex, and the status before they were read."""

    data: bytes
    digest: str
    seen: os.stat_result

    @property
    def stat(self) -> Stat:
        return status(self.seen)


class Entry(NamedTuple):
    """A file found by a walk; `path` is relative, "/" between segments, spelt as on disk; the rest as in `Stat`."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int


@dataclass
class Listing:
    """What a walk found, sorted by path; everything that is not in `entries` must not be taken for deleted.

    `unreadable`: folders and files that could not be looked at, or whose names no path can spell;
    `placeholders`: files whose bytes are in the cloud only, under the name they will have;
    `links`: symbolic links, never followed; `strays`: temporary files of memdir left by a crash.
    """

    entries: list[Entry] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    placeholders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def status(st: os.stat_result) -> Stat:
    """Return the fields of a stat result that count."""
    return Stat(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino, st.st_nlink)


def read_fd(fd: int, before: os.stat_result | None = None) -> tuple[bytes, os.stat_result]:
    """Return bytes and status that belong together: read again (three times at most) while somebody writes.

    `before`: the status, where it has just been asked for."""
    before = before or os.fstat(fd)
    for _ in range(3):
        parts = [os.read(fd, before.st_size + 1)]
        while parts[-1] and not (len(parts) == 1 and len(parts[0]) == before.st_size):
            parts.append(os.read(fd, _CHUNK))
        after = os.fstat(fd)
        if (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns):
            break
        before = after
        os.lseek(fd, 0, os.SEEK_SET)
    return (parts[0] if len(parts) == 1 else b"".join(parts)), before


class Tree:
    """Files below one folder. Raises NotFound when it is missing, not a folder or unreadable."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.root = self._open_root()

    def close(self) -> None:
        """Release the root folder; the object is of no use afterwards."""
        self.root.close()

    def _open_root(self) -> Folder:
        try:
            return syscalls.open_root(os.fspath(self.path))
        except OSError as error:
            raise NotFound(
                f"{self.path}: cannot open the vault: {error.strerror}; check --vault and MEMDIR_VAULT"
            ) from error

    def refresh(self) -> None:
        """Look at the root path again: follow a vault that was replaced, raise NotFound when it is gone."""
        fresh = self._open_root()
        if not syscalls.WINDOWS and os.path.sameopenfile(fresh.fd, self.root.fd):
            fresh.close()
            return
        self.root.close()
        self.root = fresh

    @contextmanager
    def folder(self, parts: list[str], *, create: bool = False) -> Iterator[Folder]:
        """Open the folder at `parts` below the root, making what is missing (0700); raises OSError."""
        here = self.root
        try:
            for part in parts:
                try:
                    child = syscalls.open_folder(here, self.name_on_disk(here, part))
                except FileNotFoundError:
                    if not create:
                        raise
                    child = self._make(here, part)
                if here is not self.root:
                    here.close()
                here = child
            yield here
        finally:
            if here is not self.root:
                here.close()

    @staticmethod
    def _make(parent: Folder, name: str) -> Folder:
        with contextlib.suppress(FileExistsError):
            syscalls.sys_calls.mkdir(parent, name)
        syscalls.fsync_folder(parent)
        return syscalls.open_folder(parent, name)

    @staticmethod
    def name_on_disk(folder: Folder, name: str) -> str:
        """Return `name`, or the sibling that differs from it only in Unicode form."""
        if name.isascii() or syscalls.lstat(folder, name) is not None:
            return name
        wanted = unicodedata.normalize("NFC", name)
        with os.scandir(folder.path if syscalls.WINDOWS else folder.fd) as siblings:
            return next((s.name for s in siblings if unicodedata.normalize("NFC", s.name) == wanted), name)

    def _descend(self, rel: str) -> int:
        """Open a file by components; the exact name first. Raises OSError."""
        if syscalls.WINDOWS:
            with self.folder(rel.split("/")[:-1]) as folder:
                return syscalls.open_read(folder, rel.rpartition("/")[2])
        here = root = self.root.fd
        *parents, name = rel.split("/")
        try:
            for part in parents:
                child = os.open(part, syscalls.THROUGH, dir_fd=here)
                if here != root:
                    os.close(here)
                here = child
            return os.open(name, syscalls.READ, dir_fd=here)
        finally:
            if here != root:
                os.close(here)

    def _open(self, rel: str) -> int:
        try:
            return self._descend(rel)
        except FileNotFoundError:
            if rel.isascii():
                raise
        *parents, name = rel.split("/")
        with self.folder(parents) as folder:
            return syscalls.open_read(folder, self.name_on_disk(folder, name))

    def read(self, rel: str) -> Blob:
        """Read a file. Raises Unsafe for a path that leaves the vault or a link, NotFound, BadData when unreadable."""
        rel = check_path(rel)
        try:
            fd = self._open(rel)
            try:
                before = os.fstat(fd)
                if not stat.S_ISREG(before.st_mode):
                    raise NotFound(f"{rel}: not a file")
                data, st = read_fd(fd, before)
            finally:
                os.close(fd)
        except OSError as error:
            raise self.explain(error, rel, "read") from error
        return Blob(data, digest(data), st)

    def stat(self, rel: str) -> Stat | None:
        """Return the status of a file, or None when there is no such regular file; raises Unsafe, BadData."""
        *parents, name = check_path(rel).split("/")
        try:
            with self.folder(parents) as folder:
                found = syscalls.lstat(folder, self.name_on_disk(folder, name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self.explain(error, rel, "look at") from error
        return status(found) if found and stat.S_ISREG(found.st_mode) else None

    def explain(self, error: OSError, rel: str, verb: str) -> NotFound | BadData:
        """Return the memdir error for a failed call; the message never shows more than path and reason."""
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) and self._has_link(rel):
            return Unsafe(f"{rel}: a symbolic link; links are not followed, move the file into the vault")
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
            return NotFound(f"{rel}: no such file")
        return BadData(f"{rel}: cannot {verb}: {error.strerror or error}")

    def _has_link(self, rel: str) -> bool:
        parts = rel.split("/")
        for depth in range(len(parts)):
            with contextlib.suppress(OSError), self.folder(parts[:depth]) as folder:
                found = syscalls.lstat(folder, self.name_on_disk(folder, parts[depth]))
                if found and stat.S_ISLNK(found.st_mode):
                    return True
        return False

    def walk(self, skip: Callable[[str, bool], bool]) -> Listing:
        """List every regular file but hidden ones and those that `skip(path, is_folder)` leaves out.

        Links are never followed. A folder that cannot be read is collected, not raised; NotFound when the root is
        gone or unreadable.
        """
        self.refresh()
        found = Listing()
        try:
            self._walk(self.root, "", skip, found)
        except OSError as error:
            raise NotFound(f"{self.path}: cannot read the vault: {error.strerror}") from error
        for names in (found.unreadable, found.placeholders, found.links, found.strays):
            names.sort()
        found.entries.sort(key=itemgetter(0))
        return found

    def _walk(self, folder: Folder, prefix: str, skip: Callable[[str, bool], bool], found: Listing) -> None:
        with os.scandir(folder.path if syscalls.WINDOWS else folder.fd) as names:
            children = list(names)
        for child in children:
            name = child.name
            path = prefix + name
            if name[0] == ".":
                _hidden(name, prefix, found)
            elif child.is_dir(follow_symlinks=False):
                if skip(path, True):
                    continue
                if not readable(path, name) or path.count("/") >= _DEPTH:
                    found.unreadable.append(_spelt(path))
                else:
                    self._walk_child(folder, name, path, skip, found)
            elif skip(path, False):
                continue
            elif not readable(path, name):
                found.unreadable.append(_spelt(path))
            elif child.is_symlink():
                found.links.append(path)
            else:
                _note(child, path, found)

    def _walk_child(
        self, parent: Folder, name: str, path: str, skip: Callable[[str, bool], bool], found: Listing
    ) -> None:
        try:
            folder = syscalls.open_folder(parent, name)
            try:
                self._walk(folder, path + "/", skip, found)
            finally:
                folder.close()
        except OSError:
            found.unreadable.append(path)


def _spelt(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


_entry = partial(tuple.__new__, Entry)  # a third of the price of calling the class, for every file of every recall


def _note(child: "os.DirEntry[str]", path: str, found: Listing) -> None:
    """Add a file to a listing."""
    try:
        st = child.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    except OSError:
        found.unreadable.append(path)
        return
    if not child.is_file(follow_symlinks=False):
        return
    if _CLOUD and getattr(st, _CLOUD[0]) & _CLOUD[1]:
        found.placeholders.append(path)
    else:
        found.entries.append(_entry((path, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)))


def _hidden(name: str, prefix: str, found: Listing) -> None:
    """Look at a hidden name: iCloud's placeholder `.N.md.icloud` for N.md, or a temporary file of ours."""
    if name.endswith(".icloud") and len(name) > len("..icloud"):
        found.placeholders.append(prefix + name[1 : -len(".icloud")])
    elif name.endswith(TEMP_SUFFIX):
        found.strays.append(prefix + name)
