"""Changes: what a writing verb wants done, as values, and the one function that does it.

Every verb yields Changes first, so a dry run shows exactly what an application would do. Writes notes
and logs below the vault root through `files.Root`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memdir.vault import fields, log
from memdir.vault.files import Root, Written


@dataclass(frozen=True, slots=True)
class Write:
    """The whole new text of one file. `base`: digest of what it is made from; None: there is no such file yet."""

    path: str
    data: bytes
    base: str | None
    shrink_ok: bool = False


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry for the daily log; the day is decided when it is applied."""

    title: str
    lines: tuple[str, ...] = ()


Change = Write | LogEntry


def apply(root: Root, changes: Iterable[Change], clock: log.Clock) -> list[Written]:
    """Apply Changes in order. Raises Conflict at the first file that is not what its Change was made from."""
    return [_apply(root, change, clock) for change in changes]


def _apply(root: Root, change: Change, clock: log.Clock) -> Written:
    if isinstance(change, LogEntry):
        now = clock.now()
        path, header = log.place(clock.log_path, now)
        return root.append(path, log.entry(change.title, change.lines, now), header=header)
    return root.write(change.path, change.data, base=change.base, shrink_ok=change.shrink_ok)


def preview(root: Root, change: Change, clock: log.Clock) -> str:
    """A unified diff of one Change against the files as they are."""
    if isinstance(change, LogEntry):
        now = clock.now()
        path, header = log.place(clock.log_path, now)
        old = root.read(path).data if root.stat(path) else b""
        return _diff(path, old, (old or header) + log.entry(change.title, change.lines, now))
    return _diff(change.path, root.read(change.path).data if change.base else b"", change.data)


def _diff(path: str, old: bytes, new: bytes) -> str:
    import difflib

    lines = difflib.unified_diff(
        fields.decode(old).split("\n"), fields.decode(new).split("\n"), f"a/{path}", f"b/{path}", lineterm=""
    )
    return "\n".join(line.rstrip("\r") for line in lines)
