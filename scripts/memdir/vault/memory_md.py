"""MEMORY.md: the list of topic notes between two marks, and everything around it kept as it is.

The list is cut before the file nears its caps: what is weakest leaves for the overflow file and one line
says so. Pure functions over text; `store` writes what they return.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, unquote

from memdir.errors import BadData, Problem
from memdir.vault import layout, names

OPEN, CLOSE = layout.MARKS
SHARE = 0.9  # of the caps, from DESIGN section 2
HOOK = 120  # characters of a name or a hook
_ENTRY = re.compile(r"^- \[((?:[^\[\]\\]|\\.)*)\]\(([^()\s]+)\)(?: — (.*))?$")
_TITLES = {"user": "User", "feedback": "Feedback", "project": "Project", "ref": "Reference"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One topic note as the index shows it. `described`: the hook is the note's own description."""

    path: str
    name: str
    type: str
    hook: str = ""
    described: bool = False
    importance: str = "medium"
    updated: str = ""
    touched: int = 0  # ns, when the file was last written: settles what days leave equal

    @property
    def line(self) -> str:
        name = re.sub(r"([\[\]\\])", r"\\\1", _clip(_flat(self.name)))
        hook = _clip(_flat(self.hook))
        return f"- [{name}]({_target(self.path)})" + (f" — {hook}" if hook else "")

    @property
    def strength(self) -> tuple[int, str, int, str]:
        """Order in which entries stay: importance, then the day and the moment of the last change."""
        rank = layout.IMPORTANCE.index(self.importance) if self.importance in layout.IMPORTANCE else 1
        return rank, self.updated, self.touched, self.path


@dataclass(frozen=True, slots=True)
class Plan:
    """New texts of MEMORY.md and of the overflow file (None: no such file), and what was left out."""

    text: str
    overflow: str | None
    listed: int
    left_out: int


def hand_written(lines: Sequence[str]) -> list[str]:
    """The lines with the generated part blanked, so that line numbers stay."""
    marks = _marks(lines)
    if isinstance(marks, Problem) or marks is None:
        return list(lines)
    return [line if not marks[0] <= n <= marks[1] else "" for n, line in enumerate(lines)]


def _marks(lines: Sequence[str]) -> tuple[int, int] | Problem | None:
    """Lines of the two marks; None: no list yet; a Problem: broken marks."""
    opens = [n for n, line in enumerate(lines) if line.strip() == OPEN]
    closes = [n for n, line in enumerate(lines) if line.strip() == CLOSE]
    if not opens and not closes:
        return None
    if len(opens) == len(closes) == 1 and opens[0] < closes[0]:
        return opens[0], closes[0]
    where = (opens + closes)[0] + 1
    return Problem(
        layout.INDEX_FILE,
        where,
        f"the marks {OPEN} and {CLOSE} must stand once each, in this order; nothing was written",
    )


def fenced(text: str) -> bool:
    """Whether the list has its marks, that is, whether memdir keeps this file."""
    return _marks(text.split("\n")) is not None


def check(text: str, max_lines: int, max_bytes: int) -> Problem | None:
    """What keeps memdir from writing this MEMORY.md: broken marks, or hand-written text alone over a cap."""
    lines = text.split("\n")
    marks = _marks(lines)
    if isinstance(marks, Problem):
        return marks
    kept = lines if marks is None else lines[: marks[0] + 1] + lines[marks[1] :]
    hand = "\n".join(kept)
    if _count(hand) > max_lines or len(hand.encode("utf-8", "surrogateescape")) > max_bytes:
        return Problem(
            layout.INDEX_FILE,
            1,
            f"hand-written text alone is over {max_lines} lines or {max_bytes} bytes; nothing was written",
        )
    return None


def plan(text: str, entries: Iterable[Entry], *, max_lines: int, max_bytes: int) -> Plan:
    """The file with its list made anew; raises BadData where `check` finds a Problem."""
    problem = check(text, max_lines, max_bytes)
    if problem:
        raise BadData(str(problem))
    by_strength = sorted(entries, key=lambda e: e.strength, reverse=True)
    newest = max(by_strength, key=lambda e: (e.updated, e.touched, e.path), default=None)
    if newest is not None:
        by_strength.remove(newest)
        by_strength.insert(0, newest)

    def fits(share: float, kept: int) -> bool:
        whole = _with_list(text, by_strength[:kept], len(by_strength) - kept)
        return _fits(whole, max_lines * share, max_bytes * share)

    for share in (SHARE, 1.0):  # hand-written text may leave room for a list only behind the first mark
        kept = _most(partial(fits, share), len(by_strength))
        if kept > 0 or kept == len(by_strength):
            break
    if kept < 0:
        raise BadData(f"{layout.INDEX_FILE}:1: hand-written text leaves no room for the list; nothing was written")
    left = by_strength[kept:]
    overflow = _overflow(left) if left else None
    return Plan(_with_list(text, by_strength[:kept], len(left)), overflow, kept, len(left))


def _most(fits: Callable[[int], bool], high: int) -> int:
    """The largest count up to `high` that fits; -1 when not even none does."""
    if fits(high):
        return high
    low, above = -1, high
    while low < above - 1:
        middle = (low + above) // 2
        low, above = (middle, above) if fits(middle) else (low, middle)
    return low


def _fits(text: str, max_lines: float, max_bytes: float) -> bool:
    return _count(text) <= max_lines and len(text.encode("utf-8", "surrogateescape")) <= max_bytes


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def stale(text: str, overflow: str, entries: Sequence[Entry]) -> bool:
    """Whether notes came, went, or changed name, type or description since the list was made."""
    held = listed(overflow) | listed(text)
    if held.keys() != {entry.path for entry in entries}:
        return True
    for entry in entries:
        kind, line = held[entry.path]
        old, new = _ENTRY.match(line), _ENTRY.match(entry.line)
        assert old
        assert new
        if kind != entry.type or old[1] != new[1] or (entry.described and (old[3] or "") != (new[3] or "")):
            return True
    return False


def checked(text: str, max_lines: int, max_bytes: int) -> None:
    """Raise BadData where `check` finds a Problem in a file that memdir keeps."""
    problem = check(text, max_lines, max_bytes) if fenced(text) else None
    if problem:
        raise BadData(str(problem))


def entry(path: str, kind: str, line: str) -> Entry:
    """An entry from its line in the list."""
    found = _ENTRY.match(line)
    name, hook = (found[1], found[3] or "") if found else (path, "")
    return Entry(path, re.sub(r"\\(.)", r"\1", name), kind, hook, described=True)


def with_list_of(text: str, other: str) -> str:
    """`text` with the list that stands in `other`; as it is where one of them has no list."""
    lines, held = text.split("\n"), other.split("\n")
    marks, wanted = _marks(lines), _marks(held)
    if not isinstance(marks, tuple) or not isinstance(wanted, tuple):
        return text
    return "\n".join([*lines[: marks[0]], *held[wanted[0] : wanted[1] + 1], *lines[marks[1] + 1 :]])


def listed(text: str) -> dict[str, tuple[str, str]]:
    """Path → (type, line) for the entries between the marks (the whole text where there are none)."""
    lines: Sequence[str] = text.split("\n")
    marks = _marks(lines)
    if isinstance(marks, tuple):
        lines = lines[marks[0] + 1 : marks[1]]
    kinds = {title: kind for kind, title in _TITLES.items()}
    kind, found = "ref", {}
    for raw in lines:
        line = raw.rstrip("\r")
        if line.startswith("## "):
            kind = kinds.get(line[3:], kind)
        elif entry := _ENTRY.match(line):
            found[unquote(entry[2])] = (kind, line)
    return found


def _with_list(text: str, entries: Sequence[Entry], left_out: int) -> str:
    lines = text.split("\n")
    end = "\r" if lines[0].endswith("\r") else ""
    block = [line + end for line in _list(entries, left_out)]
    marks = _marks(lines)
    if isinstance(marks, tuple):
        return "\n".join([*lines[: marks[0] + 1], *block, *lines[marks[1] :]])
    head = lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + end]
    gap = [end] if head and head[-1].strip() else []
    return "\n".join([*head, *gap, OPEN + end, *block, CLOSE + end, ""])


def _list(entries: Sequence[Entry], left_out: int = 0) -> list[str]:
    lines: list[str] = []
    for kind in layout.TYPES:
        chosen = sorted((e for e in entries if e.type == kind), key=lambda e: (names.fold(e.name), e.path))
        if chosen:
            lines += [f"## {_TITLES[kind]}", *(entry.line for entry in chosen)]
    if left_out:
        lines.append(
            f"{left_out} more notes are in [{layout.OVERFLOW_FILE}]({layout.OVERFLOW_FILE});"
            " `memdir recall` finds all of them."
        )
    return lines


def _overflow(entries: Sequence[Entry]) -> str:
    return "\n".join([*_OVERFLOW_HEAD, *_list(entries), ""])


def no_overflow() -> str:
    """The overflow file when every note is listed again."""
    return "\n".join([*_OVERFLOW_HEAD, "None: MEMORY.md holds them all.", ""])


_OVERFLOW_HEAD = (
    "# Notes that left MEMORY.md",
    "",
    "Made anew by memdir each time; the notes themselves stay where they are.",
    "",
)


def _target(path: str) -> str:
    """A link target: only what would end or change the link is escaped, letters of every script stay."""
    return re.sub(r"[\s()<>\[\]%]", lambda sign: quote(sign.group()), path)


def _flat(text: str) -> str:
    """One line that cannot close the list or hide behind control signs."""
    clean = "".join(" " if ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u2029" else c for c in text)
    return " ".join(clean.replace("<!--", "< !--").replace("-->", "-- >").encode("utf-8", "replace").decode().split())


def _clip(text: str) -> str:
    return text if len(text) <= HOOK else text[: HOOK - 1].rstrip() + "…"
