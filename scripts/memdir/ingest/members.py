"""What an import reads: a file, a folder or a zip archive, as named members that are streamed.

Nothing is ever extracted: a name is a label, never a path to write to. Of an archive every member runs through
counters, because its directory may lie about sizes. Links are not followed. Writes nothing.
"""

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

from memdir.errors import BadData, NotFound

JSON = (".json", ".jsonl", ".ndjson")  # endings
HEAD = 4_096  # bytes that tell what a file is
_MIB = 1 << 20
_END, _FIRST, _ZIP64 = b"PK\x05\x06", b"PK\x03\x04", b"PK\x06\x06"
_TAIL = 22 + 65_535  # bytes in which the end record of an archive stands


@dataclass(frozen=True, slots=True)
class Limits:
    """Of an archive: bytes of a member and of all, members, how many times its packed size one may be, and bytes of its
    directory (4 MiB: 90,000 entries at least, 45 MB as Python holds them)."""

    member: int = 32 * _MIB
    total: int = 256 * _MIB
    count: int = 5_000
    ratio: int = 200
    directory: int = 4 * _MIB


class Members(Protocol):
    """`name`: of the whole, for messages; `names`: of the members, with `/`, sorted. A file is one member."""

    name: str

    @property
    def names(self) -> list[str]: ...

    def open(self, name: str) -> IO[bytes]:
        """The bytes of a member, as they come. Raises BadData, NotFound."""
        ...

    def size(self, name: str) -> int:
        """Bytes of a member as its directory tells them, for a progress bar."""
        ...

    def path(self, name: str) -> Path | None:
        """Where a member lies as a file of its own, for what must be opened by name; None inside an archive."""
        ...

    def within(self, name: str) -> "Members":
        """The members of an archive that is a member. Raises BadData inside of an archive, and for a broken one."""
        ...


class File:
    """One file."""

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        self.name, self._path, self._limits = path.name, path, limits

    @property
    def names(self) -> list[str]:
        return [self._path.name]

    def open(self, name: str) -> IO[bytes]:
        return _opened(self._path)

    def size(self, name: str) -> int:
        return self._path.stat().st_size

    def path(self, name: str) -> Path | None:
        return self._path

    def within(self, name: str) -> Members:
        return Zip(self._path, self._limits or Limits())


class Folder:
    """The regular files below a folder; not those of a folder `without` below it."""

    def __init__(self, root: Path, limits: Limits | None = None, without: Path | None = None) -> None:
        self.name, self._root, self._limits, self._without = root.name, root, limits, without

    @cached_property
    def names(self) -> list[str]:
        found = []
        for folder, folders, files in os.walk(self._root):
            folders[:] = sorted(one for one in folders if self._enters(Path(folder) / one))
            below = Path(folder).relative_to(self._root)
            found += [(below / one).as_posix() for one in files if _is_file(Path(folder) / one)]
        return sorted(found)

    def _enters(self, folder: Path) -> bool:
        same = self._without and folder.name == self._without.name and os.path.samefile(folder, self._without)
        return not same and not folder.is_symlink()

    def open(self, name: str) -> IO[bytes]:
        return _opened(self._root / name)

    def size(self, name: str) -> int:
        return (self._root / name).stat().st_size

    def path(self, name: str) -> Path | None:
        return self._root / name

    def within(self, name: str) -> Members:
        return Zip(self._root / name, self._limits or Limits())


class Zip:
    """The files of an archive. Raises BadData for one that is refused: broken, too large, too many, names that lead out
    of it, links, names that stand twice, members under a password."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.name, self._limits, self._read = path.name, limits, 0
        self._most: dict[str, int] = {}  # bytes that came out of each member; a second reading is no second size
        _look_at_end(path, limits)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise BadData(f"{path.name}: the archive cannot be read: {error}") from error
        entries = [one for one in self._zip.infolist() if not one.is_dir()]
        for one in entries:
            if why := _refused(one, limits):
                raise BadData(f"{self.name}: {why}; nothing was read")
        self._entries = {one.filename: one for one in entries}
        if len(self._entries) < len(entries):
            raise BadData(f"{self.name}: a name stands twice; nothing was read")

    @property
    def names(self) -> list[str]:
        return sorted(self._entries)

    def open(self, name: str) -> IO[bytes]:
        if name not in self._entries:
            raise NotFound(f"{self.name}: {name!r} is not in it")
        if (size := self._entries[name].file_size) > self._limits.member:
            raise BadData(_too_large(self.name, repr(name), size, self._limits.member, "import.member_mb"))
        try:
            return io.BufferedReader(_Counted(self, name, self._zip.open(self._entries[name])), 1 << 16)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
            raise BadData(f"{self.name}: {name!r} cannot be read: {error}") from error

    def size(self, name: str) -> int:
        return self._entries[name].file_size

    def path(self, name: str) -> Path | None:
        return None

    def within(self, name: str) -> Members:
        raise BadData(f"{self.name}: {name!r} is an archive inside an archive, which is not opened; unpack it first")

    def count(self, name: str, held: int) -> None:
        """Bytes that came out of a member. Raises BadData over a limit, whatever the directory said."""
        self._read += max(0, held - self._most.get(name, 0))
        self._most[name] = max(held, self._most.get(name, 0))
        packed = max(self._entries[name].compress_size, 1)
        if held > self._limits.member:
            raise BadData(_too_large(self.name, repr(name), held, self._limits.member, "import.member_mb"))
        if self._read > self._limits.total:
            raise BadData(_too_large(self.name, "unpacked", self._read, self._limits.total, "import.archive_mb"))
        if held > _MIB and held > packed * self._limits.ratio:
            raise BadData(f"{self.name}: {name!r} unpacks to more than {self._limits.ratio} times its size")


class _Counted(io.RawIOBase):
    """A member whose bytes are counted as they come."""

    def __init__(self, archive: Zip, name: str, stream: IO[bytes]) -> None:
        self._archive, self._name, self._stream, self._held = archive, name, stream, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
            raise BadData(f"{self._archive.name}: {self._name!r} is damaged: {error}") from error
        self._held += len(data)
        self._archive.count(self._name, self._held)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def opened(path: Path, limits: Limits | None = None, without: Path | None = None) -> Members:
    """The members of a file, of a folder (but not of `without` below it) or of an archive. Raises NotFound, BadData."""
    if path.is_dir():
        return Folder(path, limits, without)
    if not path.is_file():
        raise NotFound(f"{path}: no such file or folder")
    with _opened(path) as stream:
        head = stream.read(4)
    packed = head in (_FIRST, _END) and not path.name.lower().endswith(".docx")  # a document, whatever it is made of
    return Zip(path, limits or Limits()) if packed else File(path, limits)


@contextmanager
def read(members: Members, name: str) -> Iterator[IO[bytes]]:
    """One member, closed behind it."""
    stream = members.open(name)
    try:
        yield stream
    finally:
        stream.close()


def head(members: Members, name: str, most: int = HEAD) -> bytes:
    """The first bytes of a member, by which it is told what it is."""
    with read(members, name) as stream:
        return stream.read(most)


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise NotFound(f"{path}: no such file") from error
    except OSError as error:
        raise BadData(f"{path}: cannot be read: {error.strerror}") from error


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _look_at_end(path: Path, limits: Limits) -> None:
    """Refuse by the end record what would cost memory to open. Raises BadData."""
    size = path.stat().st_size
    with _opened(path) as stream:
        stream.seek(max(0, size - _TAIL - 100))
        tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise BadData(f"{path.name}: the archive is cut short or damaged: it has no directory")
    count, length = struct.unpack("<HL", tail[at + 10 : at + 16])
    if (far := tail.rfind(_ZIP64, 0, at)) >= 0 and len(tail) - far >= 56:
        count, length = struct.unpack("<QQ", tail[far + 32 : far + 48])
    if count > limits.count or length > limits.directory:
        raise BadData(f"{path.name}: the archive has {count:,} members, {limits.count:,} may be; nothing was read")


def _refused(one: zipfile.ZipInfo, limits: Limits) -> str:
    """Why a member makes the archive one to refuse; "" where it does not."""
    name, mode = one.filename, one.external_attr >> 16
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]:
        return f"{name!r} leads out of the archive"
    if stat.S_ISLNK(mode) or (mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
        return f"{name!r} is a link or no regular file"
    if one.flag_bits & 1:
        return f"{name!r} is under a password"
    if one.file_size > _MIB and one.file_size > max(one.compress_size, 1) * limits.ratio:
        return f"{name!r} unpacks to more than {limits.ratio} times its size"
    return ""


def _too_large(archive: str, what: str, size: int, most: int, setting: str) -> str:
    return f"{archive}: {what} takes {size // _MIB} MiB or more, {most // _MIB} may be; the setting {setting} raises it"
