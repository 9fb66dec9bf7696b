"""Open loops: what waits to be done, and how it is closed. Pure functions.

A loop is a check box in a topic note or a log of a vault that memdir made. In a note the box is ticked; a log is never
edited, so a later entry says `- resolves:: [[2026-11-29#^k3f]]`, or the day and the words of a loop without an id.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from memdir.errors import NotFound
from memdir.vault import markdown, names

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read aloud
_OPEN = re.compile(r"^([ \t]*[-*+] \[ \] \S.*?)[ \t]*$")
_HAS_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]{1,64}[ \t]*$")
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
    return "\n".join(
        _with_id(raw) if n in shown and not _HAS_ID.search(raw.rstrip("\r")) else raw for n, raw in enumerate(lines)
    )


def _with_id(line: str) -> str:
    found = _OPEN.match(line.rstrip("\r"))
    return f"{found[1]} ^{fresh_id()}{line[len(line.rstrip(chr(13))) :]}" if found else line


def settled(loops: Iterable[Loop], resolves: Iterable[str]) -> list[Loop]:
    """The loops, those that a `resolves` value names as done."""
    blocks, words = set(), set()
    for value in resolves:
        found = _RESOLVES.match(value)
        if found:
            link = markdown.wikilink(found[1])
            stem = names.fold(link.target.rsplit("/", 1)[-1])
            if link.anchor.startswith("^"):
                blocks.add((stem, link.anchor[1:]))
            elif found[2]:
                words.add((stem, _bare(found[2])))
    done = []
    for loop in loops:
        stem = names.fold(loop.path.rsplit("/", 1)[-1].removesuffix(".md"))
        closed = loop.done or (stem, loop.block) in blocks or (stem, _bare(loop.text)) in words
        done.append(Loop(loop.path, loop.line, loop.text, loop.block, loop.date, closed))
    return done


def _bare(text: str) -> str:
    return names.fold(" ".join(text.split()))


def find(loops: Iterable[Loop], target: str) -> list[Loop]:
    """The loops that `^id`, `NOTE#^id`, `PATH:line` or the words of one mean. Raises NotFound."""
    path, _, block = target.removeprefix("[[").removesuffix("]]").rpartition("^")
    stem = names.fold(path.rstrip("#").rsplit("/", 1)[-1].removesuffix(".md"))
    place, _, line = target.rpartition(":")
    found = []
    for loop in loops:
        own = names.fold(loop.path.rsplit("/", 1)[-1].removesuffix(".md"))
        by_block = "^" in target and loop.block == block and (not stem or stem == own)
        by_line = line.isdigit() and int(line) == loop.line and names.fold(place) in (names.fold(loop.path), own)
        if by_block or by_line or _bare(target) == _bare(loop.text):
            found.append(loop)
    if not found:
        raise NotFound(f"no loop {target!r}; `memdir loops` lists the open ones")
    return found


def ticked(text: str, line: int) -> str:
    """`text` with the box in a line (from 1) ticked."""
    lines = text.split("\n")
    lines[line - 1] = lines[line - 1].replace("[ ]", "[x]", 1)
    return "\n".join(lines)
