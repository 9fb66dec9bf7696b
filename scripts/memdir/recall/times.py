"""The time that a question asks for, and the days on which facts held.

A question asks for now, for a day, for periods or for what is over; a fact held from one day to another, which its
line or the other values of its key say. Plain values and pure functions; no file, no index, no clock.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from memdir.errors import UsageError
from memdir.index.filters import Filters
from memdir.recall import temporal
from memdir.vault import names

# Words that ask for the oldest of several values that are over.
_FIRST = ("first", "original", "initial", "最初", "最早", "起初", "原定", "原本")


class Asked(NamedTuple):
    """The time that a question asks for: `day`, else `periods`, else, where `past`, any that is over, else now.

    `earliest`: of several values the oldest is meant; `cut`: what is dated later is left out; `today`: the day of
    asking; `rest`: the question without its words of time.
    """

    periods: tuple[temporal.Period, ...]
    past: bool
    earliest: bool
    day: date | None
    cut: date | None
    today: date
    rest: str

    @property
    def then(self) -> bool:
        """Whether it is another time than now."""
        return self.past or self.cut is not None


class Line(NamedTuple):
    """A fact where it stands (`line` from 0), and when it held: from the day `first`, on the day `after` no more."""

    path: str
    key: str  # folded
    name: str  # the key as written
    value: str
    line: int
    passage: int
    since: str
    until: str
    source: str
    first: date = date.min
    after: date = date.max


def asked(question: str, now: datetime, as_of: str = "") -> Asked:
    """The time that a question asks for, seen from `now`; `as_of`: an ISO day that nothing may be later than."""
    when = temporal.parse(question, now)
    cut = date.fromisoformat(as_of) if as_of else None
    low = question.casefold()
    is_first = any(map(low.__contains__, _FIRST))
    return Asked(when.periods, when.past, is_first, cut or when.as_of, cut, now.date(), when.rest)


def day(words: str, now: datetime) -> str:
    """The day that words name ("2025-12-15", "last month", 去年年底), of several the last, in ISO form; "" for "".

    Raises UsageError where they name none.
    """
    if not words or names.is_day(words):
        return words
    when = temporal.parse(words, now)
    ends = [when.as_of] if when.as_of else [period.last for period in when.periods]
    if not ends:
        raise UsageError(f"{words!r} names no day, as 2026-11-29 or `last month` do")
    last = max(ends)
    return (now.date() if last == date.max else last).isoformat()


def within(filters: Filters, time: Asked) -> Filters:
    """The filters that leave out what is dated behind the cut."""
    return replace(filters, as_of=time.cut.isoformat()) if time.cut else filters


def timeline(rows: Iterable[tuple[Any, ...]]) -> list[Line]:
    """Facts with the days on which they held, by path and key, the oldest first. A value that does not say its start
    follows the last one of its key that ended before it. `rows`: the fields of `Line` but the last two."""
    found = []
    for _, group in groupby(sorted(rows, key=lambda row: row[:2]), key=lambda row: row[:2]):
        dated = [Line(*(*row, *temporal.bounds(row[6], row[7]))) for row in group]
        ends = [line.after for line in dated if line.until]
        for line in dated:
            before = [end for end in ends if end < line.after] if line.first == date.min else []
            found.append(line._replace(first=max(before, default=line.first)))
    return sorted(found, key=lambda line: (line.path, line.key, line.first, line.after, line.line))


def overlap(first: date, after: date, time: Asked) -> int:
    """On how many of the days that are asked for something held; 0 where on none. Of a time that is only said to be
    over, 1 for what has ended."""
    if time.day:
        return int(first <= time.day and (time.day < after or after == date.max))
    if time.periods:
        return sum(_common(first, after, period) for period in time.periods)
    return int(after <= time.today) if time.past else int(first <= time.today < after)


def _common(first: date, after: date, period: temporal.Period) -> int:
    last = after if after == date.max else after - timedelta(1)
    return max(0, (min(period.last, last) - max(period.first, first)).days + 1)


def follower(line: Line, lines: Iterable[Line]) -> list[Line]:
    """The values of a key that came after one that is over: all that began first of those."""
    after = [one for one in lines if one[:2] == line[:2] and one != line and one.first >= line.after]
    began = min((one.first for one in after), default=None)
    return [one for one in after if one.first == began]
