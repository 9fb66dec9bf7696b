"""The units of a file in which its neighbourhood is counted: turns of a session, entries of a log, passages of a note.

Cut from the bytes as they are now. Pure functions.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from memdir.vault import fence, layout, note, passages, session
from memdir.vault.session import Session


@dataclass(frozen=True, slots=True)
class Units:
    """The units of one file, without a gap: unit n holds lines [starts[n], starts[n + 1]), from 0, the last one all up
    to `end`. What stands above the first (front matter) is in none.

    `kind`: turn | entry | passage; `heads`: the heading over each, of a turn speaker and time; `held`: the session,
    where it is one.
    """

    kind: str
    starts: tuple[int, ...]
    heads: tuple[str, ...]
    end: int
    held: Session | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, line: int) -> int:
        """The unit that holds a line; -1: the line stands above all of them."""
        return bisect_right(self.starts, line) - 1

    def span(self, number: int) -> tuple[int, int]:
        """Lines [first, last) of a unit; those of -1 stand above the first."""
        first = self.starts[number] if number >= 0 else 0
        return first, self.starts[number + 1] if number + 1 < len(self.starts) else self.end

    def grown(self, start: int, stop: int, before: int, after: int) -> tuple[int, int]:
        """Lines of the whole units that [start, stop) lies in, with as many units before and after."""
        low, high = self.at(start), self.at(max(start, stop - 1))
        first = low if low < 0 else max(0, low - before)
        return self.span(first)[0], self.span(min(len(self) - 1, high + after))[1]


def cut(path: str, data: bytes) -> Units:
    """The units of a file. A log without entries, as other programs write them, is cut as a note is."""
    total = len(lines_of(data))
    if layout.kind_of(path) == "session" and (held := session.parse(path, data)).turns:
        heads = tuple(" · ".join(filter(None, (turn.speaker, turn.ts))) for turn in held.turns)
        return Units("turn", tuple(turn.line for turn in held.turns), heads, total, held)
    parsed = note.parse(path, data)
    body = parsed.body_line
    entries = [head.line for head in parsed.body.headings if head.level <= 2]
    is_log = parsed.kind == "log" and bool(entries)
    starts = entries if is_log else [one.start for one in passages.cut(parsed)]
    every = tuple(sorted({start for start in (body, *starts) if body <= start < total}))
    lines = [head.line for head in parsed.body.headings]
    over = [bisect_right(lines, start) - 1 for start in every]
    heads = tuple(parsed.body.headings[n].text if n >= 0 else "" for n in over)
    return Units("entry" if is_log else "passage", every, heads, total)


def lines_of(data: bytes) -> list[str]:
    """The lines of a file as they are read, without ends of lines; text that ends in one has no empty line behind."""
    lines = [line.rstrip("\r") for line in fence.legible(fence.decode(data)).lstrip(fence.BOM).split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def trimmed(lines: Sequence[str], start: int, stop: int) -> int:
    """`stop` without the blank lines in front of it."""
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    return stop


def parts(path: str) -> tuple[list[str], list[str]]:
    """Where the turns before and after those of a session file may stand, by its name; what they hold, they say."""
    stem = path.removesuffix(".md")
    found = re.fullmatch(r"(.+)-(\d+)", stem)
    if not found or int(found[2]) < 2:
        return [], [f"{stem}-2.md"]
    base, number = found[1], int(found[2])
    return [f"{base}-{number - 1}.md" if number > 2 else f"{base}.md"], [f"{base}-{number + 1}.md", f"{stem}-2.md"]
