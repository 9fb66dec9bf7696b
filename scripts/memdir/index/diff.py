"""What changed: the files as walked against the manifest, as plain data. Pure but for the digests it asks for.

A file is taken as unchanged when size, times and inode are what they were and it was not as young as
the index when last read (git's racy rule); else its digest decides.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from memdir.index.db import Row
from memdir.vault import files, names

# Nanoseconds. FAT and some network mounts round times to 2 s.
RACY_NS = 2_000_000_000


@dataclass(slots=True)
class Diff:
    """Paths by what happened to them. `moved` maps a new path to the row it came from; `touched`: same
    bytes under new times. Apart from `touched`
    and `unreadable`, every path stands in one of the lists only."""

    added: list[str] = field(default_factory=list)
    modified: list[Row] = field(default_factory=list)
    moved: dict[str, Row] = field(default_factory=dict)
    removed: list[Row] = field(default_factory=list)
    touched: list[Row] = field(default_factory=list)
    unreadable: list[Row] = field(default_factory=list)  # changed, but they cannot be read now

    @property
    def work(self) -> int:
        """How many files must be read and indexed."""
        return len(self.added) + len(self.modified) + len(self.moved)

    @property
    def away(self) -> set[str]:
        """Paths that a file has left, deleted or moved."""
        return {row.path for row in (*self.removed, *self.moved.values())}

    def __bool__(self) -> bool:
        return bool(self.work or self.removed or self.touched)


class Digest(Protocol):
    def __call__(self, path: str) -> str | None:
        """SHA-256 of the file now; None when it cannot be read."""


def plan(
    known: Mapping[str, Row],
    seen: Iterable[files.Entry],
    digest: Digest,
    *,
    keep: Callable[[str], bool] = lambda path: False,
) -> Diff:
    """Compare. `keep` names paths whose absence means nothing (placeholders, unreadable folders)."""
    diff = Diff()
    entries = {entry.path: entry for entry in seen}
    changed: dict[str, str] = {}
    for path, row in known.items():
        entry = entries.get(path)
        if entry is None:
            if not keep(path):
                diff.removed.append(row)
        elif _suspect(row, entry):
            now = digest(path)
            if now == row.digest:
                diff.touched.append(row)
            elif now is not None:
                changed[path] = now
            else:
                diff.unreadable.append(row)
    added = [path for path in entries if path not in known]
    _find_moves(diff, known, added, changed, digest)
    _settle_rows(diff, known, added, changed)
    return diff


def _suspect(row: Row, entry: files.Entry) -> bool:
    same = entry[1:] == (row.size, row.mtime_ns, row.ctime_ns, row.ino)
    return not same or max(entry.mtime_ns, entry.ctime_ns) > row.checked_ns - RACY_NS


def _find_moves(
    diff: Diff, known: Mapping[str, Row], added: list[str], changed: dict[str, str], digest: Digest
) -> None:
    """Match new texts to the rows that held them: by digest, then (for a case-only rename) by folded path. Where
    several fit, the first by path: in whatever order the files are listed, the plan is the same."""
    left = {row.path: row for row in diff.removed} | {path: known[path] for path in changed}
    if not left:
        return
    by_digest: dict[str, list[Row]] = {}
    for _, row in sorted(left.items()):
        by_digest.setdefault(row.digest, []).append(row)
    arrivals = {path: digest(path) for path in added} | changed if diff.removed or len(changed) > 1 else changed
    for path in sorted(arrivals):
        rows = [row for row in by_digest.get(arrivals[path] or "", []) if row.path != path and row.path in left]
        if rows:
            diff.moved[path] = left.pop(rows[0].path)
    removed = sorted(diff.removed, key=lambda row: row.path, reverse=True)
    folded = {names.fold(row.path): row for row in removed if row.path in left}
    for path in sorted(added):
        if path not in diff.moved and names.fold(path) in folded:
            diff.moved[path] = folded.pop(names.fold(path))


def _settle_rows(diff: Diff, known: Mapping[str, Row], added: list[str], changed: Mapping[str, str]) -> None:
    """Give every path and every row its one place, now that it is known which rows went elsewhere."""
    claimed = {row.path for row in diff.moved.values()}
    diff.removed = [row for row in diff.removed if row.path not in claimed]
    diff.added = [path for path in added if path not in diff.moved]
    for path in changed:
        if path in diff.moved:
            diff.removed += [] if path in claimed else [known[path]]
        elif path in claimed:
            diff.added.append(path)
        else:
            diff.modified.append(known[path])
