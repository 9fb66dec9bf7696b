"""Changes: what a writing verb wants done, as values, and the one function that does it.

Every verb yields Changes first, so a dry run shows exactly what an application would do. Writes notes, logs
and sessions below the vault root through `files.Root`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memdir.errors import Conflict
from memdir.vault import fields, files, log, loops
from memdir.vault.files import Root, Written


@dataclass(frozen=True, slots=True)
class Write:
    """The whole new text of one file. `base`: digest of what it is made from; None: there is no such file yet."""

    path: str
    data: bytes
    base: str | None
    shrink_ok: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """A file goes; its text stays in the history. `base`: digest of the text that may go."""

    path: str
    base: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry for the daily log; the day is decided when it is applied."""

    title: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Append:
    """Text behind a file that only grows; a new file begins with `header`. `append` makes one.

    `base`: digest of the text it is planned behind, None: there is no such file yet; `size`: bytes of that text;
    `after`: digest of the whole then.
    """

    path: str
    data: bytes
    header: bytes
    base: str | None
    size: int
    after: str


def append(path: str, data: bytes, *, old: bytes | None, header: bytes = b"") -> Append:
    """The Change that adds `data` to a file that now holds `old`; None: it is new. A new or empty one begins with
    `header`."""
    if not old:
        base = None if old is None else files.digest(old)
        return Append(path, data, header, base, 0, files.digest(header + data))
    whole = old + (b"" if old.endswith(b"\n") else b"\n") + data
    return Append(path, data, header, files.digest(old), len(old), files.digest(whole))


Change = Write | Remove | LogEntry | Append


def record(change: Change) -> dict[str, Any]:
    """What the ledger says of a Change before it is applied: path and digests before and after, or the log's title
    and the loops that the entry begins, closes or opens again.

    Of an addition also the size before it: the text before is not kept, it is where the file begins.
    """
    if isinstance(change, LogEntry):
        return {"log": change.title} | loops.named(change.lines) | loops.begun(change.lines)
    if isinstance(change, Append):
        grown = {"size": change.size} if change.base else {}
        return {"path": change.path, "before": change.base, "after": change.after, **grown}
    after = files.digest(change.data) if isinstance(change, Write) else None
    return {"path": change.path, "before": change.base, "after": after}


def apply(root: Root, changes: Iterable[Change], clock: log.Clock) -> list[Written]:
    """Apply Changes in order. Raises Conflict at the first file that is not what its Change was made from."""
    return [_apply(root, change, clock) for change in changes]


def _apply(root: Root, change: Change, clock: log.Clock) -> Written:
    if isinstance(change, LogEntry):
        now = clock.now()
        path, header = log.place(clock.log_path, now)
        return root.append(path, log.entry(change.title, change.lines, now), header=header)
    if isinstance(change, Append):
        return _append(root, change)
    if isinstance(change, Remove):
        root.remove(change.path, base=change.base)
        return Written(change.path, "")
    return root.write(change.path, change.data, base=change.base, shrink_ok=change.shrink_ok)


def _append(root: Root, change: Append) -> Written:
    """The vault lock keeps other memdirs from appending between the look and the write."""
    with root.lock():
        now = root.read(change.path).digest if root.stat(change.path) else None
        if now != change.base:
            raise Conflict(
                f"{change.path}: has changed since it was read; read it again", path=change.path, current=now
            )
        return root.append(change.path, change.data, header=change.header)


def preview(root: Root, change: Change, clock: log.Clock) -> str:
    """A unified diff of one Change against the files as they are."""
    if isinstance(change, LogEntry):
        now = clock.now()
        path, header = log.place(clock.log_path, now)
        old = root.read(path).data if root.stat(path) else b""
        return diff(path, old, (old or header) + log.entry(change.title, change.lines, now))
    old = root.read(change.path).data if change.base else b""
    if isinstance(change, Append):
        return diff(change.path, old if change.base else None, (old or change.header) + change.data)
    return diff(change.path, old, change.data if isinstance(change, Write) else None)


def diff(path: str, old: bytes | None, new: bytes | None) -> str:
    """A unified diff of two texts of one file; None: no such file."""
    import difflib

    before, after = (_lines(data) for data in (old, new))
    ends = "/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}"
    return "\n".join(line.rstrip("\r") for line in difflib.unified_diff(before, after, *ends, lineterm=""))


def _lines(data: bytes | None) -> list[str]:
    return fields.decode(data).split("\n") if data else []
