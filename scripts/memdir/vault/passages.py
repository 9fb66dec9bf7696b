"""Passages: a note cut into the pieces that recall finds and quotes.

A passage is a run of whole sections; short ones are packed together, long ones cut between paragraphs.
In a log every entry stands alone. What the front matter says in words is a passage too. Pure functions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from memdir.vault import note as notes
from memdir.vault.note import Note

# Characters. `memdir bench` at 10,000 notes: 800 gives 1.9 passages a note; see references/architecture.md.
PACK, CUT = 800, 2_400
Headed = tuple[int, int, tuple[str, ...], tuple[str, ...]]  # a range, the headings over it and inside


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
    for start, end, over, inside in _headed(note, _spans(note, lines)):
        text = "\n".join(line.rstrip("\r") for line in lines[start:end]).strip("\n")
        if text.strip():
            found.append(Passage(start, end, over, inside, text))
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


def _headed(note: Note, spans: Iterable[tuple[int, int]]) -> Iterator[Headed]:
    """Each range with the headings over its first line (its own among them), outermost first, and those further inside.

    The headings are walked once: a note may have 80,000.
    """
    path: list[tuple[int, str]] = []
    heads, at = note.body.headings, 0
    for start, end in spans:
        while at < len(heads) and heads[at].line <= start:
            path = [one for one in path if one[0] < heads[at].level] + [(heads[at].level, heads[at].text)]
            at += 1
        last = at
        while last < len(heads) and heads[last].line < end:
            last += 1
        yield start, end, tuple(text for _, text in path), tuple(heading.text for heading in heads[at:last])
