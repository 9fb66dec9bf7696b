"""Files of other programs, which we edit in place: settings, lists of instructions, our own skill among their skills.

A file that is a link is refused, one that was written meanwhile is left alone, and what was there before is kept
beside it. Nothing here knows what stands in a file.
"""

import os
import stat
from datetime import datetime
from pathlib import Path

from memdir.errors import BadData, Conflict, NotFound, Unsafe
from memdir.index import generation

MOST = 16_000_000  # bytes; Claude Code keeps what it knows of every project in one file
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def place(path: Path, *, is_named: bool) -> Path:
    """The file as a whole path; `is_named`: the user has said which, else its folder must not be a link either.
    Raises Unsafe."""
    path = Path(os.path.abspath(path.expanduser()))
    for one in (path,) if is_named else (path, path.parent):
        if one.is_symlink():
            raise Unsafe(f"{one} is a link to {os.readlink(one)}; name the file itself with --settings if you mean it")
    return path


def read(path: Path) -> bytes | None:
    """What stands in a file, None where there is none. Raises BadData."""
    try:
        with open(os.open(path, _READ | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadData(f"{path}: not a regular file")
            data = file.read(MOST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadData(f"{path}: {error.strerror}") from error
    if len(data) > MOST:
        raise BadData(f"{path}: larger than {MOST // 1_000_000} MB")
    return data


def text(path: Path) -> tuple[bytes | None, str]:
    """A file and its text, "" where there is none; line ends and a byte order mark stay. Raises BadData."""
    data = read(path)
    try:
        return data, (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadData(f"{path}: it is no UTF-8 ({error}); nothing was changed") from None


def save(path: Path, before: bytes | None, text: str, now: datetime) -> str:
    """Write a file, unless somebody has written it meanwhile; returns where what was there before is kept."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadData(f"{path}: it holds half a sign, which UTF-8 cannot; nothing was changed") from None
    if read(path) != before:
        raise Conflict(f"{path} has changed meanwhile; nothing was written, run the command again")
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        if before is None:
            generation.write(path, data)
            return ""
        mode = path.stat().st_mode & 0o777
        backup = _beside(path, now)
        generation.write(Path(backup), before)
        generation.write(path, data)
        path.chmod(mode)
        return backup
    except OSError as error:
        raise NotFound(f"{error.filename}: {error.strerror}; nothing was changed") from error


def put(path: Path, text: str) -> None:
    """Write a file that is ours alone. Raises NotFound."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        generation.write(path, text.encode("utf-8"))
    except OSError as error:
        raise NotFound(f"{error.filename}: {error.strerror}; nothing was changed") from error


def drop(path: Path) -> None:
    """Remove a file that is ours alone, and its folder where nothing else is in it."""
    path.unlink(missing_ok=True)
    if not any(path.parent.iterdir()):
        path.parent.rmdir()


def _beside(path: Path, now: datetime) -> str:
    """A name beside a file that is not taken."""
    name = f"{path.name}.{now:%Y%m%dT%H%M%S}"
    taken = (path.with_name(f"{name}{more}.bak") for more in ("", *(f"-{number}" for number in range(2, 1_000))))
    return os.fspath(next(one for one in taken if not os.path.lexists(one)))
