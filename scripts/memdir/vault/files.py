"""Every byte of truth goes through here: read, walk, write, append, remove, lock, recover below one vault root.

Writes `MEMORY.md`, `memory/**` and `.memdir/` (lock, journal, pending, history). A write states the digest it read;
it never replaces a text it has not seen, and what it replaces is kept. A person who saves at the same moment wins:
theirs stays the note, ours becomes a copy beside it. Knows nothing of markdown.
"""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType

from memdir.errors import BadData, Conflict, Locked, MemdirError, NotFound, Problem, Unsafe
from memdir.vault.disk import erasing, history, recovery, syscalls
from memdir.vault.disk.history import META, Intent, Journal, Version, append_fd, bytes_of, hash_of
from memdir.vault.disk.paths import check_path
from memdir.vault.disk.state import State
from memdir.vault.disk.syscalls import Folder, fsync_folder, sys_calls
from memdir.vault.disk.tree import Blob, Entry, Listing, Stat, Tree, digest, read_fd

__all__ = ["Blob", "Entry", "Listing", "Root", "Stat", "Version", "Written", "check_path", "digest"]

UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how such a text begins
_SHRINK_FLOOR = 1024  # bytes; a note larger than this does not lose more than half of itself by accident


@dataclass(frozen=True, slots=True)
class Written:
    """A write that happened. `digest` is that of the text now at `path`.

    `kept` is None, or names the copy that holds OUR text because a person saved at the same moment and theirs stayed.
    """

    path: str
    digest: str
    kept: str | None = None


class Root:
    """The files of one vault. May be used by several threads; close() when done.

    `settle`: seconds a file must have been left alone before it is replaced; `wait`: seconds that a write waits for a
    lock; `clock`: seconds since 1970, for names and history only. The attribute `by` is who writes, for the history;
    `state` holds memdir's own small files.
    """

    def __init__(
        self, path: Path, *, settle: float = 0.25, wait: float = 10.0, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self.by = "memdir"
        self._tree = Tree(path)
        self._clock, self._settle, self._patience = clock, settle, wait
        self._journal = Journal(self._tree, clock)
        self.state = State(self._tree, self.lock)
        self._mutex = threading.RLock()
        self._depth = 0
        self._strays: list[str] = []

    def close(self) -> None:
        """Release the vault folder."""
        self._tree.close()

    def read(self, rel: str) -> Blob:
        """Read a file. Raises NotFound; Unsafe for a path out of the vault or a link; BadData when unreadable."""
        return self._tree.read(rel)

    def stat(self, rel: str) -> Stat | None:
        """Return the status of a file, None when there is no such regular file."""
        return self._tree.stat(rel)

    def walk(self, skip: Callable[[str, bool], bool]) -> Listing:
        """List the regular files that are not hidden and not left out by `skip(path, is_folder)`, sorted by path."""
        listing = self._tree.walk(skip)
        self._strays = listing.strays
        return listing

    def history(self, rel: str, digest: str = "") -> list[Version]:
        """Return the kept earlier versions of a file, newest first; with `digest` those of that text alone."""
        return self._journal.versions(self._real(check_path(rel)), digest)

    def version(self, digest: str) -> bytes:
        """Return a kept version; raises NotFound when it was pruned or never kept."""
        data = self._journal.fetch(digest)
        if data is None:
            raise NotFound(f"version {digest[:12]}: not in the history (kept {history.KEEP_DAYS} days)")
        return data

    def write(self, rel: str, data: bytes, *, base: str | None, shrink_ok: bool = False) -> Written:
        """Put `data` at `rel`, durably, if the file still is what the caller read.

        `base` None: the file must not exist; else the digest that was read. Raises Conflict, with nothing written,
        when the file is another one, is being saved right now, or would lose more than half of over 1 KB without
        `shrink_ok`; Unsafe for links and hard links; Locked; BadData when the system refuses. Whatever is raised,
        the old text is in place."""
        rel = check_path(rel, create=base is None)
        with self.lock():
            try:
                if base is None:
                    return self._create(rel, data)
                return self._replace(rel, data, base, shrink_ok)
            except OSError as error:
                if base is not None and isinstance(error, FileNotFoundError):
                    raise Conflict(f"{rel}: is gone; somebody moved or deleted it", path=rel) from None
                raise self._tree.explain(error, rel, "write") from error

    def append(self, rel: str, data: bytes, *, header: bytes = b"", meta: bool = False, told: bool = True) -> Written:
        """Append to a file in one write, durably; a missing or empty file begins with `header`.

        Needs no vault lock: the file itself is locked. A torn last line is ended first, a short write taken back.
        The digest returned is that of the whole file, which is read for it; "" if not `told`. `meta`: in the
        folder of this name below `.memdir/` instead. Raises as write() does."""
        rel = self._real(check_path(rel, create=self.stat(rel) is None))
        *parents, name = rel.split("/")
        parents = [META, parents[-1]] if meta else parents
        try:
            with self._tree.folder(parents, create=True) as folder:
                return Written(rel, self._append(folder, name, rel, data, header, told=told))
        except OSError as error:
            raise self._tree.explain(error, rel, "append") from error

    def remove(self, rel: str, *, base: str) -> None:
        """Delete a file if it still is what the caller read; its text stays in the history. Raises as write()."""
        rel = self._real(check_path(rel))
        with self.lock():
            try:
                with self._tree.folder(rel.split("/")[:-1]) as folder:
                    self._remove(folder, rel, base)
            except FileNotFoundError:
                raise Conflict(f"{rel}: is gone already", path=rel) from None
            except OSError as error:
                raise self._tree.explain(error, rel, "remove") from error

    def erase(self, paths: Collection[str], holds: erasing.Holds) -> int:
        """Delete files, their kept versions, and all others that `holds` is true of; returns how many versions went.

        Nothing brings them back. Raises Locked, BadData; run again it goes on where it stopped."""
        with self.lock():
            try:
                return erasing.erase(self._tree, self._journal, [self._real(check_path(rel)) for rel in paths], holds)
            except OSError as error:
                raise self._tree.explain(error, next(iter(paths), META), "erase") from error

    def make_folder(self, rel: str, *, dry_run: bool = False) -> bool:
        """Make a folder and those it is in; return whether it was missing. `dry_run`: only look.

        Raises Unsafe for a link in the way, Conflict for a file, else as write() does.
        """
        rel = self._real(check_path(rel, create=True))
        parts = rel.split("/")
        try:
            with contextlib.suppress(FileNotFoundError), self._tree.folder(parts):
                return False
            if not dry_run:
                with self._tree.folder(parts, create=True):
                    pass
            return True
        except OSError as error:
            reason = self._tree.explain(error, rel, "make the folder")
            if isinstance(reason, Unsafe):
                raise Unsafe(f"{rel}: a symbolic link is in the way; put a folder in its place") from error
            if isinstance(reason, NotFound):
                raise Conflict(f"{rel}: a file stands where the folder should be", path=rel) from error
            raise reason from error

    @contextmanager
    def lock(self, timeout: float | EllipsisType | None = ...) -> Iterator[None]:
        """Hold the vault's write lock; reentrant. Waits `timeout` seconds (None: for ever), then raises Locked.

        Without `timeout` it waits as long as the Root was told. A kernel lock: it ends with its process, also after
        kill -9, and the file is never removed."""
        if isinstance(timeout, EllipsisType):
            timeout = self._patience
        if not self._mutex.acquire(timeout=-1 if timeout is None else timeout):
            raise Locked(f"{self.path}: another thread of this process is writing; try again")
        try:
            fd = -1 if self._depth else self._lock_file(timeout)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if fd >= 0:
                    syscalls.unlock(fd)
                    os.close(fd)
        finally:
            self._mutex.release()

    def recover(self) -> list[Problem]:
        """Work off what the last commands left: displaced files to hash again, temporary files, old history.

        Costs a stat and the listing of an empty folder when there is nothing to do. Returns what a person should know.
        When another process holds the lock, it is left to that one."""
        if self._journal.idle() and not self._strays:
            return []
        try:
            with self.lock(timeout=0):
                strays, self._strays = self._strays, []
                return recovery.recover(self._tree, self._journal, self._clock(), self._settle, strays)
        except Locked:
            return []
        except (BadData, OSError) as error:
            return [Problem(META, 1, f"what the last command left cannot be worked off: {error}")]

    def _real(self, rel: str) -> str:
        """Return a path in the spelling that is on disk."""
        if rel.isascii():
            return rel
        parts = rel.split("/")
        for depth in range(len(parts)):
            with contextlib.suppress(OSError), self._tree.folder(parts[:depth]) as folder:
                parts[depth] = self._tree.name_on_disk(folder, parts[depth])
        return "/".join(parts)

    def _create(self, rel: str, data: bytes) -> Written:
        rel = self._real(rel)
        with self._tree.folder(rel.split("/")[:-1], create=True) as folder:
            name = rel.rpartition("/")[2]
            if syscalls.lstat(folder, name) is not None:
                raise self._exists(folder, name, rel)
            intent = self._journal.begin(rel, None, digest(data), len(data), self.by)
            self._temp(folder, intent, data)
            try:
                sys_calls.rename_new(folder, intent.temp, folder, name)
                fsync_folder(folder)
            except FileExistsError:
                self._discard(folder, intent.temp)
                raise self._exists(folder, name, rel) from None
            except BaseException:
                recovery.take_back(folder, intent)
                raise
        return Written(rel, intent.new or "")

    def _exists(self, folder: Folder, name: str, rel: str) -> MemdirError:
        try:
            current = hash_of(folder, name)
        except OSError as error:
            return self._tree.explain(error, rel, "write")
        return Conflict(f"{rel}: exists already; read it and change it instead", path=rel, current=current)

    def _replace(self, rel: str, data: bytes, base: str, shrink_ok: bool) -> Written:
        rel = self._real(rel)
        with self._tree.folder(rel.split("/")[:-1]) as folder, self._unchanged(folder, rel, base) as (fd, size):
            if not shrink_ok and size > _SHRINK_FLOOR and len(data) * 2 < size:
                message = f"{rel}: would shrink from {size} to {len(data)} bytes; nothing written, allow it explicitly"
                raise Conflict(message, path=rel, current=base)
            new = digest(data)
            if new == base:
                return Written(rel, base)
            intent = self._journal.begin(rel, base, new, len(data), self.by)
            self._temp(folder, intent, data, like=fd)
            try:
                syscalls.exchange(folder, intent.temp, folder, intent.name)
                displaced = bytes_of(folder, intent.temp) or b""
                if digest(displaced) != base:
                    kept = recovery.yield_to_person(folder, intent, data, displaced, self._journal, self._clock())
                    return Written(rel, hash_of(folder, intent.name) or "", kept)
                fsync_folder(folder)
                self._journal.displace(folder, intent.temp, intent)
            except FileExistsError:
                recovery.put_back(folder, intent, self._journal)
                raise Conflict(f"{rel}: was saved at this moment; read it again", path=rel) from None
            except BaseException:
                recovery.put_back(folder, intent, self._journal)
                raise
        return Written(rel, new)

    @contextmanager
    def _unchanged(self, folder: Folder, rel: str, base: str) -> Iterator[tuple[int, int]]:
        """Yield (descriptor, size) of a settled file whose digest is `base`, appenders locked out; else Conflict."""
        name = rel.rpartition("/")[2]
        fd = syscalls.open_read(folder, name)
        try:
            self._plain(os.fstat(fd), rel)
            _legible(fd, rel)
            self._wait(lambda: syscalls.try_lock(fd, must=False), 2.0, f"{rel}: another program holds a lock on it")
            seen = self._settled(fd, rel)
            here = syscalls.lstat(folder, name)
            current = digest(seen)
            if here is None or here.st_ino != os.fstat(fd).st_ino:
                current = hash_of(folder, name) or ""
                raise Conflict(f"{rel}: was replaced a moment ago; read it again", path=rel, current=current or None)
            if current != base:
                raise Conflict(f"{rel}: has changed since it was read; read it again", path=rel, current=current)
            if syscalls.WINDOWS:  # where an open file cannot be renamed
                syscalls.unlock(fd)
                os.close(fd)
                fd = -1
            yield fd, len(seen)
        finally:
            if fd >= 0:
                syscalls.unlock(fd)
                os.close(fd)

    def _settled(self, fd: int, rel: str) -> bytes:
        """Return the bytes of a file that nobody has touched for `settle` seconds (by ctime), or that we made."""
        data, st = read_fd(fd)
        tries = 0
        while self._settle and (age := time.time() - st.st_ctime) < self._settle:
            if not tries and self._journal.wrote(rel, digest(data)):
                break
            if (tries := tries + 1) > 10:
                raise Conflict(f"{rel}: is being written by another program; try again", path=rel, current=digest(data))
            time.sleep(self._settle - age if age >= 0 else self._settle)
            os.lseek(fd, 0, os.SEEK_SET)
            before = st
            data, st = read_fd(fd)
            if (st.st_ctime_ns, st.st_size) == (before.st_ctime_ns, before.st_size):
                break
        return data

    def _temp(self, folder: Folder, intent: Intent, data: bytes, like: int = -1) -> None:
        """Write the temporary file of an intent, durably, with mode and attributes of `like`; clean on failure."""
        fd = sys_calls.open(folder, intent.temp, syscalls.NEW)
        try:
            try:
                syscalls.write_all(fd, data)
                if like >= 0:
                    sys_calls.copy_meta(like, fd)
                sys_calls.fsync(fd)
            finally:
                sys_calls.close(fd)
        except BaseException:
            self._discard(folder, intent.temp)
            raise

    @staticmethod
    def _discard(folder: Folder, temp: str) -> None:
        with contextlib.suppress(OSError):
            sys_calls.unlink(folder, temp)

    @staticmethod
    def _plain(st: os.stat_result, rel: str) -> None:
        """Refuse what must not be written: folders, devices, files with a second name."""
        if not stat.S_ISREG(st.st_mode):
            raise NotFound(f"{rel}: not a file")
        if st.st_nlink > 1:
            raise Unsafe(f"{rel}: the file has a second name (hard link), maybe outside the vault; copy it first")

    def _append(self, folder: Folder, name: str, rel: str, data: bytes, header: bytes, *, told: bool) -> str:
        """Append to the file that has the name now and still has it afterwards; return its digest, or ""."""
        for _ in range(20):
            fresh = syscalls.lstat(folder, name) is None
            fd = sys_calls.open(folder, name, syscalls.APPEND | os.O_CREAT)
            try:
                self._plain(os.fstat(fd), rel)
                _legible(fd, rel)
                self._wait(lambda: syscalls.try_lock(fd), self._patience, f"{rel}: another program holds a lock on it")  # noqa: B023
                if not self._is_at(fd, folder, name):
                    continue
                try:
                    if fresh:
                        fsync_folder(folder)
                    append_fd(fd, data, header)
                except OSError:
                    if fresh and os.fstat(fd).st_size == 0:
                        self._discard(folder, name)
                    raise
                # An editor may have taken the name meanwhile, with our line or without it.
                if self._is_at(fd, folder, name) or data.strip() in (bytes_of(folder, name) or b""):
                    os.lseek(fd, 0, os.SEEK_SET)
                    return digest(read_fd(fd)[0]) if told else ""
            finally:
                syscalls.unlock(fd)
                os.close(fd)
        raise Conflict(f"{rel}: is replaced again and again by another program; try again", path=rel)

    @staticmethod
    def _is_at(fd: int, folder: Folder, name: str) -> bool:
        here, mine = syscalls.lstat(folder, name), os.fstat(fd)
        return here is not None and (here.st_dev, here.st_ino) == (mine.st_dev, mine.st_ino)

    def _remove(self, folder: Folder, rel: str, base: str) -> None:
        with self._unchanged(folder, rel, base):
            intent = self._journal.begin(rel, base, None, 0, self.by)
            sys_calls.rename(folder, intent.name, folder, intent.temp)
            try:
                if hash_of(folder, intent.temp) != base:
                    raise Conflict(f"{rel}: was saved at this moment; read it again", path=rel)
                fsync_folder(folder)
                self._journal.displace(folder, intent.temp, intent)
            except BaseException:
                with contextlib.suppress(OSError):
                    sys_calls.rename_new(folder, intent.temp, folder, intent.name)
                raise

    def _lock_file(self, timeout: float | None) -> int:
        """Return the descriptor of the locked lock file."""
        try:
            with self._tree.folder([META], create=True) as folder:
                fd = self._lock_in(folder, timeout)
                try:
                    if syscalls.lstat(folder, ".gitignore") is None:
                        history.put(folder, ".gitignore", b"*\n")
                except BaseException:
                    os.close(fd)
                    raise
                return fd
        except OSError as error:
            raise BadData(f"{self.path}: cannot lock the vault for writing: {error.strerror or error}") from error

    def _lock_in(self, folder: Folder, timeout: float | None) -> int:
        message = f"{self.path}: another memdir is writing here; try again, or look for a running sync or watch"
        while True:
            fd = sys_calls.open(folder, "lock", syscalls.APPEND | os.O_CREAT)
            try:
                self._wait(lambda: syscalls.try_lock(fd), timeout, message)  # noqa: B023
                if self._is_at(fd, folder, "lock"):
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    @staticmethod
    def _wait(done: Callable[[], bool], timeout: float | None, message: str) -> None:
        """Ask until it is so, a little less often each time; raises Locked after `timeout` seconds."""
        end, pause = time.monotonic() + (timeout or 0.0), 0.001
        while not done():
            left = end - time.monotonic()
            if timeout is not None and left <= 0:
                raise Locked(message)
            time.sleep(pause if timeout is None else min(pause, left))
            pause = min(pause * 1.5, 0.05)


def _legible(fd: int, rel: str) -> None:
    """Raise BadData for a note in UTF-16, which an edit in UTF-8 would make unreadable."""
    os.lseek(fd, 0, os.SEEK_SET)
    if rel.endswith(".md") and os.read(fd, 2) in UTF_16:
        raise BadData(f"{rel}: is UTF-16; save it as UTF-8, then memdir can write to it")
    os.lseek(fd, 0, os.SEEK_SET)
