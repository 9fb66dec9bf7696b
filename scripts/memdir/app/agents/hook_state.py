"""What hooks keep between two events of a session, in the cache folder: nothing here is memory, all may be deleted.

`<vault>/hooks/<session>/` holds which memories were injected under which nonce, which of their numbers were recorded
as used, how far a transcript has come in, how full its window was at the last checkpoint, and the lock of the one
process that works for the session. `hooks.log` beside the vaults says what went wrong. Written without waiting for the
disk.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memdir import config

WORK = "work"  # the event by which a hook hands itself what is long
FOLDER, LOG = "hooks", "hooks.log"
SHOWN, USED, SEEN, AGAIN = "shown.json", "used.json", "seen.json", "again"
SAVED, WANTED = "saved.json", "checkpoint"
KEPT = 20  # injected texts of a session whose numbers are still known
DAYS = 30  # after which a session that is silent is forgotten
LOG_BYTES = 200_000
_LOG_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Shown:
    """One injected text: its nonce, when (UTC), and `path:line` of its memories in the order of their numbers."""

    nonce: str
    ts: str
    ids: list[str]


def folder(place: Path, session: str) -> Path:
    """The folder of a session; `place`: that of the vault's index."""
    return place / FOLDER / hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24]


def note(place: Path, one: Shown) -> None:
    """Keep what was injected."""
    _write(place / SHOWN, [asdict(old) for old in [*shown(place), one][-KEPT:]])


def shown(place: Path) -> list[Shown]:
    """What was injected into a session, oldest first."""
    held = _read(place / SHOWN)
    found = []
    for one in held if isinstance(held, list) else []:
        with contextlib.suppress(TypeError, KeyError, ValueError):
            found.append(Shown(str(one["nonce"]), str(one["ts"]), [str(id_) for id_ in one["ids"]]))
    return found


def is_new(place: Path, nonce: str, numbers: list[int]) -> list[int]:
    """The numbers of an injected text that were not recorded yet; from now on they are."""
    held = _read(place / USED)
    known: dict[str, list[int]] = held if isinstance(held, dict) else {}
    fresh = [one for one in numbers if one not in known.get(nonce, [])]
    if fresh:
        known[nonce] = [*known.pop(nonce, []), *fresh]
        _write(place / USED, dict(list(known.items())[-KEPT:]))
    return fresh


def has_named(place: Path) -> bool:
    """Whether the session has named a memory that it used."""
    held = _read(place / USED)
    return isinstance(held, dict) and any(any(numbers) for numbers in held.values() if isinstance(numbers, list))


def has_grown(place: Path, path: Path) -> bool:
    """Whether a transcript or a folder is another one than that which `taken` was told of."""
    return bool(_read(place / SEEN) != stamp(path))


def taken(place: Path, whole: list[Any]) -> None:
    """A transcript or a folder has come in as it was under this stamp."""
    _write(place / SEEN, whole)


def stamp(path: Path) -> list[Any]:
    """What differs when a transcript has grown, or something in a folder has changed. Raises OSError."""
    stat = path.stat()
    if path.is_dir():
        return [os.fspath(path), *(stamp(one) for one in sorted(path.glob("*.md")))]
    return [os.fspath(path), stat.st_size, stat.st_mtime_ns]


def saved(place: Path) -> int:
    """Tokens that were in the window at the last checkpoint, 0 before the first one."""
    held = _read(place / SAVED)
    return held if isinstance(held, int) else 0


def save(place: Path, tokens: int) -> None:
    """A checkpoint was saved with so many tokens in the window."""
    _write(place / SAVED, tokens)


def want(place: Path) -> None:
    """A checkpoint is wanted, from whichever process works for the session."""
    _write(place / WANTED, 1)


def is_wanted(place: Path) -> bool:
    """Whether somebody wanted one since this was last asked."""
    held = (place / WANTED).exists()
    (place / WANTED).unlink(missing_ok=True)
    return held


def ask_again(place: Path) -> None:
    """Tell the process that works for the session that there is more to do."""
    _write(place / AGAIN, 1)


def is_asked(place: Path) -> bool:
    """Whether somebody has asked since the last time this was taken back."""
    return (place / AGAIN).exists()


def begin(place: Path) -> None:
    (place / AGAIN).unlink(missing_ok=True)


def prune(place: Path) -> None:
    """Forget sessions that have been silent for DAYS."""
    oldest = time.time() - DAYS * 86_400
    with contextlib.suppress(OSError):
        for one in (place / FOLDER).iterdir():
            if one.stat().st_mtime < oldest:
                shutil.rmtree(one, ignore_errors=True)


def complain(what: str) -> None:
    """A line in the log of hooks. What the system refuses is nobody's concern."""
    with contextlib.suppress(OSError):
        place = config.cache_home()
        place.mkdir(0o700, parents=True, exist_ok=True)
        path = place / LOG
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > LOG_BYTES:
                os.replace(path, path.with_suffix(".old.log"))
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {' '.join(what.split())[:500]}\n"
        fd = os.open(path, _LOG_FLAGS, 0o600)
        try:
            os.write(fd, line.encode("utf-8", "replace"))
        finally:
            os.close(fd)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    temp = path.with_name(f"{path.name}.{os.getpid()}")
    temp.write_bytes(json.dumps(value).encode())
    os.replace(temp, path)
