"""What memdir wrote over, and what it still has to look at again: `.memdir/journal.jsonl`, `pending/`, `history/`.

A write displaces an inode that an editor may still hold open. It waits in `pending/`; the next command that comes
two seconds later hashes it again. Unchanged, it becomes a version in `history/` (named by its SHA-256, listed in
`index.jsonl`); changed, it is a person's text and goes back into the note, or beside it. The same pass cleans up
after a crash. Everything here runs under the vault lock; no byte is dropped whose content is not known elsewhere.
"""

import contextlib
import errno
import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeGuard

from memdir.errors import Unsafe
from memdir.vault.disk import syscalls
from memdir.vault.disk.paths import SEGMENT_BYTES, check_path
from memdir.vault.disk.syscalls import Folder, aside, fsync_folder, sys_calls
from memdir.vault.disk.tree import TEMP_SUFFIX, Tree, digest, read_fd

META = ".memdir"
# Where a file cannot have two names: the file system, the rights to a file of somebody else, too many of them already.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
JOURNAL, INDEX, HISTORY, PENDING, PRUNED = "journal.jsonl", "index.jsonl", "history", "pending", "pruned"
WAIT = 2.0  # seconds before a displaced file is hashed again
KEEP_DAYS, KEEP_BYTES = 90, 200_000_000  # DESIGN section 6
_DAY = 86_400.0
_END = 4e9  # seconds since 1970; no clock of ours says more
_HASH, _ID = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{16}")
_FRESH = ".new"  # in the name of a temporary file: no note had its text, and nobody but memdir
_TEMP = re.compile(rf"^(?:\.~)?\.(.*)\.[0-9a-f]{{16}}({re.escape(_FRESH)})?{re.escape(TEMP_SUFFIX)}$")


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier text of a file; `ts` is seconds since 1970 when it was written over, size in bytes."""

    ts: float
    path: str
    digest: str
    size: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Intent:
    """One line of the journal, written before anything changes: `base` becomes `new` at `path` by way of `temp`."""

    id: str
    ts: float
    path: str
    base: str | None
    new: str | None
    size: int
    by: str

    def sound(self) -> bool:
        """Tell whether a line is one that memdir writes: a journal may come with a stranger's vault."""
        hashes = [h for h in (self.base, self.new) if h is not None]
        return (
            _is_time(self.ts)
            and _is_size(self.size)
            and isinstance(self.by, str)
            and all(_HASH.fullmatch(h) for h in hashes)
            and _ID.fullmatch(self.id) is not None
            and check_path(self.path) == self.path
        )

    @property
    def temp(self) -> str:
        return temp_name(self.name, self.id if self.base else self.id + _FRESH)

    @property
    def parents(self) -> list[str]:
        return self.path.split("/")[:-1]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def temp_name(name: str, key: str) -> str:
    """Return the hidden name of the temporary file for `name`."""
    tail = f".{key}{TEMP_SUFFIX}"
    room = SEGMENT_BYTES - len(aside(tail)) - 1
    return "." + name.encode()[:room].decode(errors="ignore") + tail


def original_name(temp: str) -> str:
    """Return the name that a temporary file was made for (cut short if it was very long)."""
    return _TEMP.sub(r"\1", temp) or temp.lstrip(".")


def is_fresh(temp: str) -> bool:
    """Tell whether a temporary file was made for a note that did not exist: what it holds no person wrote."""
    found = _TEMP.match(temp)
    return found is not None and bool(found[2])


def bytes_of(folder: Folder, name: str) -> bytes | None:
    """Return the bytes of a regular file in an open folder, None when there is none; raises OSError."""
    try:
        fd = syscalls.open_read(folder, name)
    except FileNotFoundError:
        return None
    try:
        return read_fd(fd)[0] if stat.S_ISREG(os.fstat(fd).st_mode) else None
    finally:
        os.close(fd)


def hash_of(folder: Folder, name: str) -> str | None:
    """Return the digest of a regular file in an open folder, None when there is none; raises OSError."""
    data = bytes_of(folder, name)
    return None if data is None else digest(data)


def append_fd(fd: int, data: bytes, header: bytes = b"", *, durable: bool = True) -> None:
    """Append under a lock the caller holds: heal a torn header or line, one write, take a short write back, fsync."""
    size = os.fstat(fd).st_size
    if size < len(header) and _piece(fd, 0, size) == header[:size]:
        data = header[size:] + data
    elif size and _piece(fd, size - 1, 1) != b"\n":
        data = b"\n" + data
    written = 0
    try:
        written = sys_calls.write(fd, data)
        if written != len(data):
            raise OSError(errno.ENOSPC, "no space left; the line was taken back")
        if durable:
            sys_calls.fsync(fd)
    except OSError:
        end = os.fstat(fd).st_size
        if end == size + written:
            with contextlib.suppress(OSError):
                sys_calls.ftruncate(fd, size)
        raise


def _piece(fd: int, start: int, size: int) -> bytes:
    os.lseek(fd, start, os.SEEK_SET)
    return os.read(fd, size)


def put(folder: Folder, name: str, data: bytes) -> None:
    """Replace a file of memdir's own in one step, durably; under the vault lock, so one temporary name is enough."""
    temp = temp_name(name, "0" * 16)
    fd = sys_calls.open(folder, temp, (syscalls.NEW | os.O_TRUNC) & ~os.O_EXCL)
    try:
        try:
            syscalls.write_all(fd, data)
            sys_calls.fsync(fd)
        finally:
            sys_calls.close(fd)
        sys_calls.rename(folder, temp, folder, name)
    except BaseException:
        with contextlib.suppress(OSError):
            sys_calls.unlink(folder, temp)
        raise
    fsync_folder(folder)


def move(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Rename between folders; copy where they are on different devices (what an editor then adds is not seen)."""
    try:
        sys_calls.rename(folder, name, target, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        put(target, new, bytes_of(folder, name) or b"")
        sys_calls.unlink(folder, name)


def carry(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Move a file to another folder, whose names are flushed before it leaves the old: a disk that keeps the changes of
    one folder and loses those of the other has it under one name at least. Raises OSError, and then it is where it was.
    """
    try:
        sys_calls.link(folder, name, target, new)
    except FileExistsError:
        if not _is_same(folder, name, target, new):
            move(folder, name, target, new)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        move(folder, name, target, new)
    try:
        fsync_folder(target)
        if _is_same(folder, name, target, new):
            sys_calls.unlink(folder, name)
    except OSError:
        if syscalls.lstat(folder, name) is None:
            move(target, new, folder, name)
        else:
            sys_calls.unlink(target, new)
        raise


def _is_same(folder: Folder, name: str, target: Folder, new: str) -> bool:
    """Whether two names are of one file."""
    one, other = syscalls.lstat(folder, name), syscalls.lstat(target, new)
    return one is not None and other is not None and os.path.samestat(one, other)


class Journal:
    """The state under `.memdir/` of one vault. Methods that change it expect the caller to hold the vault lock."""

    def __init__(self, tree: Tree, clock: Callable[[], float]) -> None:
        self._tree, self._clock = tree, clock

    def begin(self, path: str, base: str | None, new: str | None, size: int, by: str) -> Intent:
        """Write down what is about to happen; raises OSError, and then nothing has happened.

        Durable when something is displaced. A creation's line serves only this boot: its temporary file says by its own
        name what it is.
        """
        intent = Intent(os.urandom(8).hex(), math.floor(self._clock() * 1000) / 1000, path, base, new, size, by)
        self._append([META], JOURNAL, asdict(intent), durable=base is not None)
        return intent

    def displace(self, folder: Folder, temp: str, intent: Intent) -> None:
        """Move a displaced file out of the vault's folders into pending/; raises OSError, and then it is where it was.

        The folder it leaves needs no fsync: should the old name come back, recover() knows it.
        """
        with self._tree.folder([META, PENDING], create=True) as pending:
            carry(folder, temp, pending, intent.id)

    def keep(self, folder: Folder, name: str, found: str, intent: Intent, by: str) -> None:
        """Make a file whose digest is `found` a version of the intent's path; the line first, then the bytes."""
        st = syscalls.lstat(folder, name)
        told = {"ts": iso(intent.ts), "path": intent.path, "digest": found, "size": st.st_size if st else 0, "by": by}
        self._append([META, HISTORY], INDEX, told)
        with self._tree.folder([META, HISTORY, found[:2]], create=True) as shelf:
            if hash_of(shelf, found) == found:
                sys_calls.unlink(folder, name)
            else:
                carry(folder, name, shelf, found)
        fsync_folder(folder)

    def observe(self, intent: Intent, data: bytes) -> None:
        """Make a person's text a version while it also is the note: an editor that saw ours for a moment may yet
        save over it."""
        found = digest(data)
        told = {"ts": iso(intent.ts), "path": intent.path, "digest": found, "size": len(data), "by": "person"}
        self._append([META, HISTORY], INDEX, told)
        with self._tree.folder([META, HISTORY, found[:2]], create=True) as shelf:
            put(shelf, found, data)

    def rewrite(self, left: list[Intent]) -> None:
        """Replace the journal by the entries that are still open."""
        with self._tree.folder([META]) as folder:
            if left:
                put(folder, JOURNAL, b"".join(line(asdict(intent)) for intent in left))
            elif syscalls.lstat(folder, JOURNAL) is not None:
                sys_calls.unlink(folder, JOURNAL)

    def prune(self, now: float) -> None:
        """Once a day drop versions older than KEEP_DAYS and the oldest ones above KEEP_BYTES; the list first."""
        try:
            with self._tree.folder([META, HISTORY]) as folder:
                mark = syscalls.lstat(folder, PRUNED)
                if mark is not None and 0 <= now - mark.st_mtime < _DAY:
                    return
                kept, lines, total = set[str](), [], 0
                for one in _newest_first(self.listed()):
                    total += 0 if one.digest in kept else one.size
                    if now - one.ts < KEEP_DAYS * _DAY and total <= KEEP_BYTES:
                        kept.add(one.digest)
                        lines.append(line({**asdict(one), "ts": iso(one.ts)}))
                put(folder, INDEX, b"".join(reversed(lines)))
                self._drop(folder, kept, now)
                put(folder, PRUNED, b"")
        except FileNotFoundError:
            return

    def _drop(self, folder: Folder, kept: set[str], now: float) -> None:
        """Remove the versions that are not in `kept`, and none that came in today."""
        for shelf_name in names(folder):
            if len(shelf_name) != 2:
                continue
            with syscalls.opened(folder, shelf_name) as shelf:
                for name in set(names(shelf)) - kept:
                    st = syscalls.lstat(shelf, name)
                    if st is not None and not 0 <= now - st.st_ctime < _DAY:
                        sys_calls.unlink(shelf, name)

    def _append(self, parts: list[str], name: str, record: dict[str, Any], *, durable: bool = True) -> None:
        with self._tree.folder(parts, create=True) as folder:
            fd = sys_calls.open(folder, name, syscalls.APPEND | os.O_CREAT)
            try:
                if os.fstat(fd).st_size == 0:
                    fsync_folder(folder)  # before any line is there: a later one that is flushed has a name then
                append_fd(fd, line(record), durable=durable)
            finally:
                sys_calls.close(fd)

    def intents(self, having: str = "") -> list[Intent]:
        """Return the open entries (whose line has a text), oldest first; a torn line is passed over."""
        found = []
        for record in self._lines([META], JOURNAL, having):
            with contextlib.suppress(TypeError, Unsafe):
                intent = Intent(**record)
                if intent.sound():
                    found.append(intent)
        return found

    def wrote(self, path: str, digest: str) -> bool:
        """Tell whether memdir itself made the text with this digest at `path` a moment ago."""
        return any(i.path == path and i.new == digest for i in self.intents(digest))

    def idle(self) -> bool:
        """Tell, by one stat and one listing, whether there is nothing to look at: no entry, nor a text without one."""
        try:
            with self._tree.folder([META]) as folder:
                found = syscalls.lstat(folder, JOURNAL)
                if found is not None and found.st_size:
                    return False
                with syscalls.opened(folder, PENDING) as pending:
                    return not file_names(pending)
        except OSError:
            return True

    def versions(self, path: str, digest: str = "") -> list[Version]:
        """Return the kept versions of a path, newest first; with `digest` no others than those of that text."""
        listed = {
            (iso(one.ts), one.digest): one
            for one in self.listed(digest)
            if one.path == path and digest in ("", one.digest)
        }
        for intent in self.intents(digest):
            key = (iso(intent.ts), intent.base or "")
            if intent.path != path or not intent.base or digest not in ("", intent.base) or key in listed:
                continue
            size = self._pending_size(intent.id)
            if size is not None:
                listed[key] = Version(intent.ts, path, intent.base, size, intent.by)
        return _newest_first(listed.values())

    def listed(self, having: str = "") -> Iterator[Version]:
        """Yield what the list of versions says (of lines with a text), oldest first; lines that memdir does not write
        are passed over."""
        for record in self._lines([META, HISTORY], INDEX, having):
            ts, size = seconds(record.get("ts")), record.get("size")
            texts = [record.get(key, "") for key in ("path", "digest", "by")]
            if _is_time(ts) and _is_size(size) and all(isinstance(text, str) for text in texts):
                path, found, by = texts
                if _HASH.fullmatch(found):
                    yield Version(ts, path, found, size, by)

    def fetch(self, wanted: str) -> bytes | None:
        """Return the version with this digest, checked, or None."""
        if not _HASH.fullmatch(wanted):
            return None
        places = [([META, HISTORY, wanted[:2]], wanted)]
        places += [([META, PENDING], i.id) for i in self.intents(wanted)]
        for parts, name in places:
            with contextlib.suppress(OSError), self._tree.folder(parts) as folder:
                data = bytes_of(folder, name)
                if data is not None and digest(data) == wanted:
                    return data
        return None

    def _pending_size(self, key: str) -> int | None:
        with contextlib.suppress(OSError), self._tree.folder([META, PENDING]) as folder:
            found = syscalls.lstat(folder, key)
            return found.st_size if found else None
        return None

    def _lines(self, parts: list[str], name: str, having: str = "") -> Iterator[dict[str, Any]]:
        try:
            with self._tree.folder(parts) as folder:
                data = bytes_of(folder, name) or b""
        except OSError:
            return
        wanted = having.encode()
        for line in data.splitlines():
            if wanted not in line:
                continue
            with contextlib.suppress(ValueError, RecursionError):
                record = json.loads(line)
                if isinstance(record, dict):
                    yield record


def iso(ts: float) -> str:
    """Return seconds since 1970 as the UTC text that stands in the files."""
    return datetime.fromtimestamp(ts, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(text: object) -> float:
    """Return the seconds of such a text; NaN when it is none."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError, OSError):
        return math.nan


def _is_time(ts: object) -> bool:
    """Tell whether a value is seconds since 1970, before the year 2096; NaN is not."""
    return isinstance(ts, float | int) and 0 <= ts < _END


def _is_size(size: object) -> TypeGuard[int]:
    return isinstance(size, int) and not isinstance(size, bool) and size >= 0


def line(record: dict[str, Any]) -> bytes:
    """Return a line of JSON; half a surrogate pair, which only a planted line holds, stays an escape."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _newest_first(found: Iterable[Version]) -> list[Version]:
    """Order by time; of one millisecond, what was kept later is the newer."""
    return sorted(found, key=lambda version: version.ts)[::-1]


def names(folder: Folder) -> list[str]:
    """Return the names in an open folder."""
    return os.listdir(folder.path if syscalls.WINDOWS else folder.fd)


def file_names(folder: Folder) -> list[str]:
    """Return the names of regular files in an open folder."""
    with os.scandir(folder.path if syscalls.WINDOWS else folder.fd) as found:
        return [one.name for one in found if one.is_file(follow_symlinks=False)]
