"""Open loops: what waits to be done, and how it is closed. Pure functions.

A loop is a check box in a topic note or a log of a vault that memdir made. In a note the box is ticked; a log is never
edited, so a later entry says `- resolves:: [[2026-11-29#^k3f]]`, or the day and the words of a loop without an id.
`- reopens::` takes one `resolves` back.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memdir.errors import Conflict, NotFound
from memdir.vault import fields, markdown, names, note

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read aloud
CLOSES, OPENS = "resolves", "reopens"  # reserved keys of log entries
BEGINS = "begins"  # in the ledger: the loops that an entry opened
_OPEN = re.compile(r"^[ \t]*[-*+] \[ \] \S")
_DATED = re.compile(r"(\d{4}-\d\d-\d\d): +")
_HAS_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]{1,64}$")
_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+\[)[^\[\]\n](\])")
_RESOLVES = re.compile(r"^\[\[([^\[\]]{1,300})\]\][ \t]*(.*)$")


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the vault; `line` counts from 1, `date`: the day of its log or note."""

    path: str
    line: int
    text: str
    block: str
    date: str
    done: bool

    @property
    def said_on(self) -> str:
        """The day on which it was said: that before its text, as a capture of an earlier day writes it, else `date`."""
        return found[1] if (found := _DATED.match(self.text)) else self.date

    @property
    def bare(self) -> str:
        """Its text without that day."""
        return _DATED.sub("", self.text, count=1)

    @property
    def stem(self) -> str:
        return _stem(self.path)

    @property
    def link(self) -> str:
        """How a `resolves` names it."""
        stem = self.path.rsplit("/", 1)[-1].removesuffix(".md")
        return f"[[{stem}#^{self.block}]]" if self.block else f"[[{stem}]] {self.text}"


def fresh_id() -> str:
    """A block id of five letters out of 32: of 1,000 loops of one file two share one with a chance of 1.5 %."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(5))


def with_ids(text: str) -> str:
    """A text that memdir is about to write, each open loop of it ending in a block id."""
    lines = text.split("\n")
    shown = dict(markdown.prose(lines))
    return "\n".join(_with_id(raw) if n in shown else raw for n, raw in enumerate(lines))


def _with_id(line: str) -> str:
    """The line with an id where it is an open loop without one. Matched without the spaces at its end, so that time
    grows with length only: 40,000 of them inside a line took 10 s."""
    bare = line.rstrip(" \t\r")
    if not _OPEN.match(bare) or _HAS_ID.search(bare):
        return line
    return f"{bare} ^{fresh_id()}{chr(13) if line.endswith(chr(13)) else ''}"


def named(lines: Sequence[str]) -> dict[str, list[str]]:
    """The loops that the lines of a log entry close and open again, by key, as written there."""
    body = markdown.scan([line if re.match(r" {0,8}[-*+] ", line) else f"- {line}" for line in lines])
    found = {key: [one.value for one in body.reserved if one.key == key] for key in (CLOSES, OPENS)}
    return {key: values for key, values in found.items() if values}


def begun(lines: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the loops that the lines of a log entry open for the first time, as `begins`."""
    found = [one.block for one in markdown.scan(list(lines)).loops if one.block and not one.done]
    return {BEGINS: found} if found else {}


def tally(closes: Iterable[str], opens: Iterable[str]) -> Counter[tuple[str, str]]:
    """How much more often each loop was closed than opened again, by the name of its file and its id or its words."""
    counts: Counter[tuple[str, str]] = Counter()
    for step, values in ((1, closes), (-1, opens)):
        for value in values:
            if found := _RESOLVES.match(value):
                link = markdown.wikilink(found[1])
                said = link.anchor if link.anchor.startswith("^") else _bare(found[2])
                counts[_stem(link.target), said] += step
    return counts


def closed(loop: Loop, counts: Mapping[tuple[str, str], int]) -> int:
    """How much more often a loop was closed by entries than opened again."""
    said = [_bare(loop.text), *([f"^{loop.block}"] if loop.block else [])]
    return sum(counts.get((loop.stem, one), 0) for one in said if one)


def settled(loops: Iterable[Loop], closes: Iterable[str], opens: Iterable[str] = ()) -> list[Loop]:
    """The loops, those that entries closed more often than they opened them again as done."""
    counts = tally(closes, opens)
    return [replace(loop, done=loop.done or closed(loop, counts) > 0) for loop in loops]


def _stem(path: str) -> str:
    return names.fold(path.rsplit("/", 1)[-1].removesuffix(".md"))


def _bare(text: str) -> str:
    """Words as they are compared: a full stop at their end does not count."""
    return names.fold(" ".join(text.split()).rstrip(". "))


def find(loops: Sequence[Loop], target: str) -> list[Loop]:
    """The loops that `^id`, `id`, `NOTE#^id`, `PATH:line`, the words of one, or else a part of them mean.
    Raises NotFound."""
    path, _, block = target.removeprefix("[[").removesuffix("]]").rpartition("^")
    stem, words = _stem(path.rstrip("#")), _bare(target)
    place, _, line = target.rpartition(":")
    found = []
    for loop in loops:
        by_block = "^" in target and loop.block == block and (not stem or stem == loop.stem)
        by_block = by_block or bool(loop.block and target == loop.block)
        by_line = line.isdigit() and int(line) == loop.line and names.fold(place) in (names.fold(loop.path), loop.stem)
        if by_block or by_line or words == _bare(loop.text):
            found.append(loop)
    found = found or [loop for loop in loops if words and words in _bare(loop.text)]
    if not found:
        raise NotFound(f"no loop {target!r}; `memdir loops` lists the open ones")
    return found


def ticked(text: str, loop: Loop, *, done: bool = True) -> str:
    """`text` with the box of a loop ticked, or with `done` False empty again: found by its id, else by its words,
    wherever the line is now. Raises Conflict when it is not there or may be several."""
    held = note.parse(loop.path, fields.encode(text)).body.loops
    found = [one for one in held if loop.block and one.block == loop.block]
    found = found or [one for one in held if _bare(one.text) == _bare(loop.text) and not (one.block and loop.block)]
    found = [one for one in found if one.line + 1 == loop.line] if len(found) > 1 else found
    if len(found) != 1:
        raise Conflict(f"{loop.path} was changed meanwhile, and {loop.text!r} is not found in it", path=loop.path)
    if found[0].done == done:
        return text
    lines = text.split("\n")
    lines[found[0].line] = _BOX.sub(rf"\g<1>{'x' if done else ' '}\g<2>", lines[found[0].line], count=1)
    return "\n".join(lines)
