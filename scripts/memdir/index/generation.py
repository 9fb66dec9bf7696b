"""Generations: folders `gen-N` of one vault's index under the cache folder, and the seal that makes them trustworthy.

`CURRENT` names the generation in use. `seal.json` holds the checksum of every file of a generation; nothing is
opened (Whoosh would unpickle it) before its checksum was checked, but for what a killed run wrote behind its last
seal. `pending.json` names files whose passages are on their way into Whoosh. A damaged generation is set aside.
"""

import contextlib
import json
import os
import shutil
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memdir import config
from memdir.config import Settings
from memdir.errors import BadData, Locked
from memdir.vault import names
from memdir.vault.disk import syscalls

CURRENT, SEAL, PENDING, LISTED, DB, WHOOSH = "CURRENT", "seal.json", "pending.json", "listed", "index.db", "whoosh"
BROKEN = -1  # stands for what `pending.json` said when it cannot be read
LOCK, PAID = "lock", ("paid.db", "paid.db-journal")  # the paid cache is the business of whoever fills it
KEEP_DAMAGED = 2


def home(root: Path, settings: Settings) -> Path:
    """Folder of this vault's generations (not made yet)."""
    base = Path(settings["index_dir"]).expanduser() if settings["index_dir"] else config.cache_home()
    return base / names.vault_key(os.path.realpath(root))


def current(place: Path) -> Path | None:
    """The generation in use, or None."""
    try:
        name = (place / CURRENT).read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    folder = place / name
    return folder if name.startswith("gen-") and name[4:].isdigit() and folder.is_dir() else None


def begin(place: Path) -> Path:
    """A new, empty generation folder; unfinished ones of earlier runs are removed."""
    use = current(place)
    numbers = [int(old.name[4:]) for old in place.glob("gen-*") if old.name[4:].isdigit()]
    for number in numbers:
        if place / f"gen-{number}" != use:
            shutil.rmtree(place / f"gen-{number}", ignore_errors=True)
    folder = place / f"gen-{max(numbers, default=0) + 1}"
    private(folder / WHOOSH)
    return folder


def clear(place: Path) -> None:
    """Remove what is kept for a vault but the generation in use, locks and the files in PAID: what was set aside, the
    log of recalls, what hooks keep."""
    use = current(place)
    for path in [*place.iterdir()]:
        if path.is_dir() and path != use and {one.name for one in path.iterdir()} != {LOCK}:
            _remove(path)
        elif path.is_file() and path.name not in (LOCK, CURRENT, *PAID):
            path.unlink()


def private(folder: Path) -> None:
    """Make a folder and what of those that it lies in is missing, all for their owner alone; `mkdir` gives only the
    last one its mode. Raises OSError."""
    for one in (*reversed(folder.parents), folder):
        if not one.is_dir():
            one.mkdir(0o700, exist_ok=True)


def _remove(folder: Path) -> None:
    """Remove a folder in which a hook may be writing at this moment. Raises OSError."""
    for left in (2, 1, 0):
        try:
            shutil.rmtree(folder)
        except OSError:
            if not left and folder.exists():
                raise
        if not folder.exists():
            return


def publish(place: Path, folder: Path) -> None:
    """Make a generation the one in use and remove the one it replaces."""
    old = current(place)
    write(place / CURRENT, folder.name.encode())
    if old is not None and old != folder:
        shutil.rmtree(old, ignore_errors=True)


def set_aside(place: Path, folder: Path, reason: str) -> Path:
    """Rename a damaged generation so that nothing opens it; the newest two are kept for a look."""
    target = place / f"damaged-{folder.name}-{time.time_ns()}"
    os.rename(folder, target)
    with contextlib.suppress(OSError):
        write(target / "reason.txt", reason.encode())
    for old in sorted(place.glob("damaged-*"), key=lambda path: path.name.rsplit("-", 1)[-1])[:-KEEP_DAMAGED]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def _parts(folder: Path) -> list[Path]:
    """The files that a seal covers: the database and Whoosh's, without its lock and temporary files."""
    found = sorted(path for path in (folder / WHOOSH).iterdir() if path.is_file())
    return [folder / DB, *(path for path in found if not path.name.endswith(("WRITELOCK", ".tmp")))]


def shape(folder: Path) -> tuple[object, ...]:
    """What differs before and after any commit: the tables of contents, and size and time of the database."""
    try:
        stat = (folder / DB).stat()
        return *sorted(path.name for path in (folder / WHOOSH).glob("*.toc")), stat.st_size, stat.st_mtime_ns
    except OSError:
        return ()


def seal(folder: Path) -> None:
    """Record the checksums of a generation's files; those known under the same size and time are not read again."""
    old = _read_seal(folder)
    sealed: dict[str, list[object]] = {}
    for path in _parts(folder):
        stat = path.stat()
        known = old.get(path.name)
        stamp = [stat.st_size, stat.st_mtime_ns]
        sealed[path.name] = known if known and known[:2] == stamp and path.name != DB else [*stamp, _checksum(path)]
    write(folder / SEAL, _stated(sealed))


def damage(folder: Path, *, unfinished: bool = False) -> str:
    """What is wrong with a generation, "" when it is whole. Reads every file (32 MB: 0.01 CPU s).

    `unfinished`: a run was killed between the commits and the seal, so files may have come and gone and
    the database may be a batch ahead; what the seal names and is still there must be as written.
    """
    try:
        return _damage(folder, unfinished)
    except FileNotFoundError as error:
        return f"{error.filename} went away: another memdir has replaced it"


def _damage(folder: Path, unfinished: bool) -> str:
    sealed = _read_seal(folder)
    if not sealed or not (folder / WHOOSH).is_dir():
        return "its seal cannot be read" if (folder / SEAL).exists() else "it has no seal"
    if pending(folder) == [BROKEN]:
        return f"{PENDING} cannot be read"
    present = {path.name: path for path in _parts(folder)}
    for name, (size, _, checksum) in sealed.items():
        path = present.pop(name, None)
        if unfinished and (path is None or name == DB):
            continue
        if path is None or not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != size or _checksum(path) != checksum:
            return f"{name} is not what was written"
    strange = [name for name in present if name.endswith(".toc")]
    return f"{strange[0]} does not belong to it" if strange and not unfinished else ""


def _read_seal(folder: Path) -> dict[str, list[object]]:
    """What a seal says of the files; {} when it is not to the byte what was written."""
    try:
        data = (folder / SEAL).read_bytes()
        sealed = json.loads(data)["files"]
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    listed = isinstance(sealed, dict) and all(isinstance(v, list) and len(v) == 3 for v in sealed.values())
    return sealed if listed and data == _stated(sealed) else {}


def _stated(sealed: Mapping[str, list[object]]) -> bytes:
    """A seal as it is written, with a checksum of its own: a bit that flips in a time is damage as well, though
    `damage` reads no times."""
    return json.dumps({"files": sealed, "checksum": zlib.crc32(json.dumps(sealed).encode())}).encode()


def _checksum(path: Path) -> int:
    """CRC-32 of a file, -1 when it cannot be read.

    It finds damage, as Lucene's does in each of its files; whoever could forge a file could forge a seal of digests
    as well. 32 MB, read already: 9 CPU ms, SHA-256 24 with the processor's help.
    """
    block = memoryview(bytearray(1 << 18))
    found = 0
    try:
        with path.open("rb", buffering=0) as file:
            while size := file.readinto(block):
                found = zlib.crc32(block[:size], found)
    except OSError:
        return -1
    return found


def set_listed(folder: Path, stamp: str, started: int) -> None:
    """Remember which walk the index stands for, and when it began (ns)."""
    if stamp and not listed(folder, stamp, started):
        write(folder / LISTED, f"{stamp} {started}".encode())


def listed(folder: Path, stamp: str, after: int) -> bool:
    """Whether the index stands for a walk with this stamp that began later than `after` (ns)."""
    try:
        held, started = (folder / LISTED).read_text("ascii").split()
        return bool(stamp) and held == stamp and int(started) > after
    except (OSError, ValueError):
        return False


def set_pending(folder: Path, ids: list[int]) -> None:
    """Name the files whose passages are about to enter Whoosh, before they do; [] when the manifest has them too."""
    if ids:
        (folder / LISTED).unlink(missing_ok=True)
        write(folder / PENDING, json.dumps(ids).encode())
    else:
        (folder / PENDING).unlink(missing_ok=True)


@contextmanager
def unsealed(folder: Path) -> Iterator[None]:
    """A change of the database alone: pending while it lasts, sealed behind it, so that a kill costs no index."""
    set_pending(folder, [0])  # no file has this id
    yield
    seal(folder)
    set_pending(folder, [])


def pending(folder: Path) -> list[int]:
    try:
        return [int(number) for number in json.loads((folder / PENDING).read_bytes())]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError):
        return [BROKEN]


def write(path: Path, data: bytes) -> None:
    """Replace a small file of the index durably."""
    temp = path.with_name(path.name + ".tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        syscalls.write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(temp, path)
    folder = syscalls.open_root(os.fspath(path.parent))
    try:
        syscalls.fsync_folder(folder)
    finally:
        folder.close()


@contextmanager
def lock(place: Path, wait: float) -> Iterator[None]:
    """The index lock of a vault: one writer. Kernel lock on a file that is never removed. Raises Locked."""
    try:
        private(place)
        fd = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise BadData(
            f"{place}: the index folder cannot be used: {error.strerror}; set index_dir or XDG_CACHE_HOME"
        ) from error
    try:
        until = time.monotonic() + wait
        while not syscalls.try_lock(fd):
            if time.monotonic() >= until:
                raise Locked("another memdir is writing the index; try again in a moment")
            time.sleep(0.02)
        try:
            yield
        finally:
            syscalls.unlock(fd)
    finally:
        os.close(fd)
