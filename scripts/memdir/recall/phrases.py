"""Finding phrases of time by a table: patterns in order of exactness, none compiled before a question needs it.

The tables stand in `dates` (English and digits) and `dates_zh`. Every pattern is bounded and expects single blanks.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from memdir.recall.spans import Span

MOST = 32  # phrases that are read of a question
DIGITS = "0123456789"
# A phrase of digits or of Latin letters stands neither within a word, number, path, id or price nor before more of one.
BEFORE, AFTER = r"(?:(?<![\w\-/.#$€£¥@+=])|(?<=\bmid-))", r"(?![\w\-/%]|[.:]\w|,\d)"
# What names or counts something by the number behind it.
_NAMING = (
    r"(?:\b(?:isbn(?:-1[03])?|ids?|orders?|ports?|phone|tel|nr|number|ticket|issue|pr|invoice|build|version|release|sku|account"
    r"|code|key|pin|room|model|serial|ref|reference|part|item|article|customer|case|call|v)|[单编型票账]号|订单|电话|手机"
    r"|端口|版本|号码|房间)[ .:#=是为]{0,3}$"
)

# Behind a number these make it an amount and no year or day.
_COUNTED = frozenset({
    "px", "kb", "mb", "gb", "ms", "kg", "km", "eur", "usd", "rmb", "dollar", "euro", "word", "line", "step", "piece",
    "row", "file", "note", "token", "user", "people", "item", "time", "page", "point", "request", "meter", "metre",
    "mile", "hour", "minute", "second", "day", "week", "month", "year", "percent", "unit", "call", "message", "entries",
    "record", "char", "character",
})  # fmt: skip


class Row(NamedTuple):
    """A pattern, what a question must hold for it (one of each group, in lower case) and how a match is read.

    A group called `at` is the phrase, else the whole match; a reader may raise what dates raise.
    """

    needs: tuple[Sequence[str], ...]
    pattern: str
    read: Callable[[re.Match[str], datetime], Span | None]


class Phrase(NamedTuple):
    """Where a time is named, and the days."""

    start: int
    end: int
    span: Span


class Table(NamedTuple):
    """Rows, and each group of words that some of them need with those rows as bits, the group of most rows first."""

    rows: Sequence[Row]
    needs: Sequence[tuple[Sequence[str], int]]

    def of(self, text: str) -> list[Row]:
        """The rows that a text in lower case may hold. A question that names no time is told by three groups."""
        left = (1 << len(self.rows)) - 1
        for words, rows in self.needs:
            if left & rows and not any(map(text.__contains__, words)):
                left &= ~rows
        return [row for n, row in enumerate(self.rows) if left >> n & 1] if left else []


def table(*rows: Row) -> Table:
    groups = dict.fromkeys(group for row in rows for group in row.needs)
    needs = [(group, sum(1 << n for n, row in enumerate(rows) if group in row.needs)) for group in groups]
    return Table(rows, sorted(needs, key=lambda one: -one[1].bit_count()))


def find(text: str, now: datetime, table: Table, most: int = MOST) -> list[Phrase]:
    """The phrases of a text by place, none within another; never raises."""
    taken, found = bytearray(len(text)), list[Phrase]()
    for row in table.of(text.lower()):
        for match in compiled(row.pattern).finditer(text):
            start, end = match.span("at") if "at" in match.re.groupindex else match.span()
            if len(found) >= most or any(taken[start:end]):
                continue
            try:
                span = row.read(match, now)
            except (ValueError, LookupError, OverflowError, OSError):
                continue
            if span:
                taken[start:end] = b"\1" * (end - start)
                found.append(Phrase(start, end, span))
    return sorted(found)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern without regard to case, whose words and digits are those of ASCII."""
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def names_something(match: re.Match[str]) -> bool:
    """Whether the word before a number makes it a port, an id, a version or the like."""
    return bool(compiled(_NAMING).search(match.string[max(0, match.start() - 24) : match.start()]))


def counts(match: re.Match[str]) -> bool:
    """Whether the word behind a number makes it an amount."""
    words = match.string[match.end() : match.end() + 16].lower().split(maxsplit=1)
    return bool(words) and (words[0] in _COUNTED or words[0].strip("s?.,!;:") in _COUNTED or words[0][0] in "%€$£¥")
