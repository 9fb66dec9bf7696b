"""A note cut into the pieces that are merged: front matter key by key, a body block by block; and put together again.

A block is a heading, a list item, a fenced code block, or lines up to the next blank one. join ∘ split is the
identity. Pure functions over text; touches no file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from memdir.vault.fence import BOM, closing_fence

Key = tuple[str, int]  # a front matter key and how often it stood before

_KEY = re.compile(r"""^("[^"\\]*"|'[^']*'|[^\s"'#\-\[\]{}&*!|>%@`,?:][^#]*?)[ \t]*:(?=\s|$)""")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|\r?$)")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\r?$)")
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_MARKS = frozenset("#-*+`~0123456789")  # what a heading, an item or a fence begins with


class _Block(NamedTuple):
    lines: tuple[str, ...]
    gap: tuple[str, ...] = ()
    kind: str = "text"  # start | text | heading | item | fence; `start` has no lines and comes first


class Block(_Block):
    """Lines as written (a carriage return included) and the blank lines behind them."""

    @property
    def key(self) -> tuple[str, ...]:
        """By which blocks are compared: line ends and blank lines do not count."""
        lines = self.lines
        for line in lines:
            if line.endswith("\r"):
                return tuple(line.removesuffix("\r") for line in lines)
        return lines

    @cached_property
    def grams(self) -> frozenset[str]:
        """Runs of three signs: what two versions of one block share, in any script."""
        text = "\n".join(self.key)[:20_000]
        return frozenset(text[at : at + 3] for at in range(max(1, len(text) - 2)))


@dataclass(slots=True)
class Parts:
    """One note in pieces; `fences` are the two lines around the front matter, none where there is none."""

    bom: bool = False
    crlf: bool = False
    ended: bool = True
    bare: bool = False  # the last line has no line end, yet is held with a carriage return as the others are
    fences: tuple[str, ...] = ()
    keys: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    body: list[Block] = field(default_factory=list)


def split(text: str) -> Parts:
    lines = text.removeprefix(BOM).split("\n")
    crlf = lines[0].endswith("\r") and len(lines) > 1
    ended, bare = not lines[-1], False
    if ended:
        lines.pop()
    elif bare := crlf and not lines[-1].endswith("\r"):
        lines[-1] += "\r"
    close = closing_fence(lines)
    parts = Parts(text.startswith(BOM), crlf, ended, bare)
    if close is not None:
        parts.fences = lines[0], lines[close]
        parts.keys = _keys(lines[1:close])
    parts.body = _blocks(lines[close + 1 if close is not None else 0 :])
    return parts


def join(parts: Parts) -> str:
    """The text of a note; blocks that would run into one another are parted by a blank line."""
    lines: list[str] = []
    if parts.fences:
        lines += [parts.fences[0], *(line for span in parts.keys.values() for line in span), parts.fences[1]]
    before = Block((), (), "start")
    for block in parts.body:
        if block.kind == "text" and before.kind in ("text", "item") and not before.gap:
            lines.append("\r" if parts.crlf else "")
        lines += [*block.lines, *block.gap]
        before = block
    text = "\n".join(lines) + ("\n" if parts.ended and lines else "")
    if parts.bare:
        text = text.removesuffix("\r")
    return (BOM if parts.bom else "") + text


def _keys(lines: Sequence[str]) -> dict[Key, tuple[str, ...]]:
    """Lines of each key; comments above one are its own, those behind the last stand under an empty key."""
    found: dict[Key, list[str]] = {}
    pending: list[str] = []
    held: list[str] = pending
    for line in lines:
        if match := _KEY.match(line):
            name = match[1].strip("\"'")
            held = found.setdefault((name, sum(name == key for key, _ in found)), [*pending, line])
            pending = []
        elif not line.strip() or line.startswith("#"):
            pending.append(line)
        else:
            held += [*pending, line] if held is not pending else [line]
            pending = [] if held is not pending else pending
    if pending:
        found["", 0] = pending
    return {key: tuple(span) for key, span in found.items()}


def _blocks(lines: Sequence[str]) -> list[Block]:
    held: list[tuple[str, list[str], list[str]]] = [("start", [], [])]
    for kind, block in _runs(lines):
        if kind == "blank":
            held[-1][2].extend(block)
        else:
            held.append((kind, block, []))
    return [Block(tuple(block), tuple(gap), kind) for kind, block, gap in held]


def _runs(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Blocks and blank lines in their order."""
    kind, held, fence = "", [], ""
    for line in lines:
        marked = line.lstrip(" \t>")[:1] in _MARKS
        mark = _FENCE.match(line) if marked else None
        if fence:
            held.append(line)
            if mark and mark[1].startswith(fence) and not line.strip(" \t\r>" + fence[0]):
                fence = ""
                if kind == "fence":
                    yield kind, held
                    kind, held = "", []
            continue
        begins = _begins(line, kind, marked=marked, opens=bool(mark))
        if begins and held:
            yield kind, held
            held = []
        if begins:
            kind = begins
        held.append(line)
        if mark:
            fence = mark[1]
        elif kind in ("blank", "heading"):
            yield kind, held
            kind, held = "", []
    if held:
        yield kind, held


def _begins(line: str, kind: str, *, marked: bool, opens: bool) -> str:
    """The kind of block that begins with this line; "" where it belongs to the one before."""
    if not line.strip():
        return "blank"
    if marked and _HEADING.match(line):
        return "heading"
    if marked and _ITEM.match(line):
        return "item"
    if opens and not (kind == "item" and line[:1] in " \t"):
        return "fence"
    return "" if kind in ("text", "item") else "text"
