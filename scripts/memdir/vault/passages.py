"""Passages: a note cut into the pieces that recall finds and quotes.

A passage is a run of whole sections; short ones are packed together, long ones cut between paragraphs.
In a log every entry stands alone. What the front matter says in words is a passage too. Pure functions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memdir.vault import note as notes
from memdir.vault.note import Note

# Characters. `memdir bench` at 10,000 notes: 800 gives 1.9 passages a note; see references/architecture.md.
PACK, CUT = 800, 2_400


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines [start, end) of a file (from 0), the headings over the first of them and inside, and their text."""

    start: int
    end: int
    over: tuple[str, ...]
    inside: tuple[str, ...]
    text: str


def cut(note: Note) -> list[Passage]:
    """The passages of a note in order; a note without body text still gives one, so that its name is found."""
    lines = note.lines
    found: list[Passage] = []
    if spoken := notes.said(lines, note.body_line):
        text = "\n".join(line.rstrip("\r") for _, line in spoken)
        found.append(Passage(spoken[0][0], spoken[-1][0] + 1, (), (), text))
    for start, end in _spans(note, lines):
        text = "\n".join(line.rstrip("\r") for line in lines[start:end]).strip("\n")
        if text.strip():
            found.append(Passage(start, end, *_headings(note, start, end), text))
    return found or [Passage(note.body_line, len(lines), (), (), "")]


def _spans(note: Note, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Line ranges of the passages, each of PACK to CUT characters where the note allows it."""
    starts = [note.body_line, *(h.line for h in note.body.headings if note.kind != "log" or h.level <= 2), len(lines)]
    start, size = note.body_line, 0
    for here, there in pairwise(starts):
        length = sum(map(len, lines[here:there]))
        if size and (size >= PACK or size + length > CUT or note.kind == "log"):
            yield from _cut_long(lines, start, here)
            start, size = here, 0
        size += length
    yield from _cut_long(lines, start, len(lines))


def _cut_long(lines: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a long run at blank lines once it holds PACK characters, anywhere once it holds CUT."""
    at, size = start, 0
    total = sum(map(len, lines[start:end]))
    for n in range(start, end):
        full = size >= CUT or (size >= PACK and total > CUT and not lines[n].strip())
        if full:
            yield at, n
            total, at, size = total - size, n, 0
        size += len(lines[n])
    yield at, end


def _headings(note: Note, start: int, end: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Headings over the first line (its own among them), outermost first, and those further inside."""
    path: list[tuple[int, str]] = []
    inside: list[str] = []
    for heading in note.body.headings:
        if heading.line <= start:
            path = [(level, text) for level, text in path if level < heading.level] + [(heading.level, heading.text)]
        elif heading.line < end:
            inside.append(heading.text)
    return tuple(text for _, text in path), tuple(inside)
