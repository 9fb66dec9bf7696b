"""JSON that is larger than memory: the lines of JSON Lines, the items of an array, one after another.

An export of 500 MB takes the memory of its largest item. What is no JSON is told with its place and passed over, an
item by its brackets. Writes nothing.
"""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from memdir.ingest.records import Bad

CHUNK = 1 << 18
LONGEST_LINE = 32_000_000  # bytes of one line; a longer one is no turn of a conversation
LONGEST = 256 << 20  # characters of one item; a longer one is no conversation
_BLANK = re.compile(r"[\s\ufeff]*")
_MARKS = re.compile(r'["\\{}\[\],]')
_DECODER = json.JSONDecoder()


class Item(NamedTuple):
    """A value and its place: a line from 1, an item of an array from 0."""

    number: int
    value: Any


def rows(stream: IO[bytes]) -> Iterator[Item | Bad]:
    """The values of JSON Lines, numbered from 1. Blank lines count as lines only."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (more := stream.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
            yield Bad(f"line {number}", f"longer than {LONGEST_LINE // 1_000_000} MB")
            continue
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if line.strip():
            yield _row(number, line)


def _row(number: int, line: bytes) -> Item | Bad:
    try:
        return Item(number, json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError) as error:
        return Bad(f"line {number}", f"no JSON: {str(error)[:80]}")


def items(stream: IO[bytes], keys: Sequence[str] = ()) -> Iterator[Item | Bad]:
    """The items of an array at the root, of the array under the first of `keys` that an object at the root has, or the
    object itself where it has none of them."""
    text = _Text(stream)
    text.skip()
    if text.peek() == "{":
        held = _enter(text, keys)
        if held is not None:
            yield held
            return
    elif text.peek() != "[":
        yield Bad("the beginning", "no JSON array")
        return
    text.at += 1
    number = 0
    while True:
        text.skip(",")
        if text.peek() in ("]", ""):
            if not text.peek():
                yield Bad(f"item {number}", "the file is cut short")
            return
        text.drop()
        yield text.item(number)
        number += 1


def _enter(text: "_Text", keys: Sequence[str]) -> Item | Bad | None:
    """Stop before the array under one of some keys, and give None; else the whole object."""
    begin = text.at
    text.at += 1
    while keys:
        text.skip(",")
        if text.peek() != '"':
            break
        key = text.item(0)
        text.skip(":")
        if isinstance(key, Item) and key.value in keys and text.peek() == "[":
            return None
        if isinstance(key, Bad) or isinstance(text.item(0), Bad):
            break
    text.at = begin
    return text.item(0)


class _Text:
    """Characters of a stream from `at` on."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.held, self.at, self._ended = "", 0, False

    def more(self, keep: int) -> bool:
        """Read on, as much again as is held from `keep`; False at the end."""
        if self._ended:
            return False
        data = self._stream.read(max(CHUNK, len(self.held) - keep))
        self._ended = not data
        self.held += self._decode(data, final=not data)
        return not self._ended

    def skip(self, sign: str = "") -> None:
        """Pass over blanks and one sign."""
        seen = False
        while True:
            self.at = _BLANK.match(self.held, self.at).end()  # type: ignore[union-attr]
            if self.at >= len(self.held):
                if not self.more(self.at):
                    return
            elif sign and not seen and self.held[self.at] == sign:
                self.at, seen = self.at + 1, True
            else:
                return

    def drop(self) -> None:
        """Forget what stands before `at`, where that is most of it: each time a copy is made of the rest."""
        if self.at > len(self.held) // 2:
            self.held, self.at = self.held[self.at :], 0

    def peek(self) -> str:
        return self.held[self.at : self.at + 1]

    def item(self, number: int) -> Item | Bad:
        """The value at `at`, and `at` behind it."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.held, self.at)
            except (ValueError, RecursionError) as error:
                end, why = self._end(), str(error)
                if end < 0 and len(self.held) - self.at < LONGEST and self.more(self.at):
                    continue
                self.at = end if end >= 0 else len(self.held)
                cut = " (the file is cut short)" if end < 0 else ""
                return Bad(f"item {number}", f"no JSON: {why[:80]}{cut}")
            if end < len(self.held) or self._ended or not self.more(self.at):
                self.at = end
                return Item(number, value)

    def _end(self) -> int:
        """Where the value at `at` ends by its brackets; -1 where that is not held yet."""
        depth, quoted, behind = 0, False, 0
        for match in _MARKS.finditer(self.held, self.at):
            sign, place = match[0], match.start()
            if place < behind:
                continue
            if sign == "\\":
                behind = place + 2
            elif sign == '"':
                quoted = not quoted
            elif quoted:
                continue
            elif sign in "{[":
                depth += 1
            elif sign in "}]":
                depth -= 1
                if depth <= 0:  # a bracket that closes nothing is passed over, or it would be the next value for ever
                    return place + (depth == 0 or place == self.at)
            elif not depth:
                return place
        return -1
