"""Times of a question, and what stands beside a date and changes it.

Dates are joined ("between A and B"), narrowed ("early 2025"), moved ("two weeks before A"), open to today ("since A")
or a cut ("before A", "as of A"). English and Chinese.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from memdir.recall import dates, dates_zh, phrases, relative, spans
from memdir.recall.phrases import Phrase, compiled
from memdir.recall.spans import Span

_BESIDE = 48  # characters before a date, and 12 behind it, in which such words stand
_PARTS = {
    "early": "early", "mid": "mid", "middle": "mid", "late": "late", "beginning": "begin", "start": "begin",
    "end": "end", "first half": "half1", "second half": "half2",
}  # fmt: skip
_PART = (
    r"\b(?:the )?(?:(?:(early|mid|late)(?: in| of)?|(beginning|start|middle|end|first half|second half) of)"
    r"|(first|last) (week|weekend|day|month|quarter) of)(?: the)?[ -]?$"
)
_MOVED = (
    rf"\b(?:the )?(?:last )?(?:{relative.NUMBER} {relative.UNIT}|(day|week|weekend|month|year)|{relative.WEEKDAY})"
    r" (before|prior to|after|following)(?: the)? $"
)
_MOVED_ZH = r"的?(前|后)一(天|周|个月|月|年)"
# (pattern, whether it stands before the date, what it means); those after the first five are Chinese.
_LATIN = 5
_BOUNDS = (
    (r"\b(?:before|prior to|until|till|up until|ahead of|earlier than|older than)(?: the)? $", True, "before"),
    (r"\b(?:as of|as at|up to|through|by)(?: the)? $", True, "as of"),
    (r"\b(?:ever )?since(?: about| around)?(?: the)? $", True, "since"),
    (r"\b(?:after|later than)(?: the)? $", True, "after"),
    (r" on(?:wards?)?\b(?! \w)", False, "since"),
    (r"(?:截至|截止到?)$", True, "as of"),
    (r"自从?$", True, "since"),
    (r"以来|起|开始|至今|到现在|往后", False, "since"),
    (r"(?:之后|以后|后(?![来天面端台缀年]))", False, "after"),
    (r"的?(?:之前|以前|前(?![面端天后往台缀任一年]))", False, "before"),
    (r"为止", False, "as of"),
)
_LATIN_TABLE = phrases.table(*dates.ROWS, *relative.ROWS)
_TABLE = phrases.table(*dates_zh.ROWS, *dates.ROWS, *relative.ROWS)
_CLOSED = r"以来|起|开始|至今|到现在|为止|之前|以前"  # behind a date what stands before it has said


class Told(NamedTuple):
    """A stretch of the question, and what it says: a span, or a cut after the day `as_of`."""

    start: int
    end: int
    span: Span | None
    as_of: date | None = None


def read(text: str, now: datetime) -> list[Told]:
    """What a text with single blanks says of times, by place; never raises."""
    found = phrases.find(text, now, _LATIN_TABLE if text.isascii() else _TABLE)
    return list(_told(text, found, now.date()))


def _told(text: str, found: Sequence[Phrase], today: date) -> Iterator[Told]:
    """What the phrases say together with the words beside them."""
    number, behind = 0, 0
    while number < len(found):
        one, *others = found[number : number + 2]
        number += 1
        try:
            if others and (both := _joined(text, behind, one, others[0])):
                one = both
                number += 1
            said = _bounded(text, behind, _narrowed(text, behind, one), today)
        except (ValueError, LookupError, OverflowError):
            said = Told(one.start, one.end, one.span)
        behind = said.end
        yield said


def _left(text: str, behind: int, start: int) -> str:
    return text[max(behind, start - _BESIDE, 0) : start]


def _joined(text: str, behind: int, one: Phrase, other: Phrase) -> Phrase | None:
    """One phrase from the first day of A to the last of B; "and" joins only behind "between"."""
    between = text[one.end : other.start]
    if len(between) > 12:
        return None
    lead = compiled(r"\b(?:between|from)(?: the)? $|[从自在]$").search(_left(text, behind, one.start))
    if not compiled(r" ?(?:to|until|till|through|up to|-|–|—|~|到|至|直到) ?(?:the )?").fullmatch(between):
        ranged = lead and lead[0].lower().startswith(("between", "在", "从"))
        if not ranged or not compiled(r" and (?:the )?| ?[和与及] ?").fullmatch(between):
            return None
    first, last = one.span.first, other.span.last
    if one.span.loose and not other.span.loose:
        first = first.replace(year=last.year)
    if first > last and one.span.loose:
        first = first.replace(year=first.year - 1)
    if first > last:
        return None
    return Phrase(one.start - (len(lead[0]) if lead else 0), other.end, Span(first, last, other.span.loose))


def _narrowed(text: str, behind: int, one: Phrase) -> Phrase:
    span = one.span
    which = compiled(_PART).search(_left(text, behind, one.start))
    if not which or (span.last - span.first).days < 6:
        return one
    if part := which[1] or which[2]:
        span = spans.part(span, _PARTS[part.lower()])
    else:
        span = _edge(span, which[3].lower() == "first", which[4].lower())
    return Phrase(one.start - len(which[0]), one.end, span._replace(loose=one.span.loose))


def _edge(span: Span, is_first: bool, unit: str) -> Span:
    """The first or the last day, seven days, weekend, month or quarter of a span."""
    if unit in ("day", "week"):
        days = timedelta(0 if unit == "day" else 6)
        return Span(span.first, span.first + days) if is_first else Span(span.last - days, span.last)
    if unit == "weekend":
        day = spans.weekday_after(span.first - timedelta(1), 5) if is_first else spans.weekday_before(span.last, 5)
        return spans.weekend(day)
    return spans.whole(span.first if is_first else span.last, unit)


def _bounded(text: str, behind: int, one: Phrase, today: date) -> Told:
    left, right = _left(text, behind, one.start), text[one.end : one.end + 12]
    if moved := compiled(_MOVED).search(left):
        return Told(one.start - len(moved[0]), one.end, _moved(one.span, moved))
    is_latin = text.isascii()
    if not is_latin and (moved := compiled(_MOVED_ZH).match(right)):
        near = _beside(one.span, dates_zh.unit(moved[2]), moved[1] == "前")
        return Told(one.start, one.end + len(moved[0]), near)
    for pattern, ahead, meaning in _BOUNDS[:_LATIN] if is_latin else _BOUNDS:
        found = compiled(pattern).search(left) if ahead else compiled(pattern).match(right)
        if found:
            start, end = one.start - (len(found[0]) if ahead else 0), one.end + (0 if ahead else len(found[0]))
            if ahead and (closed := compiled(_CLOSED).match(right)):
                end += len(closed[0])
            return _open(start, end, one.span, meaning, today)
    return Told(one.start, one.end, one.span)


def _open(start: int, end: int, span: Span, meaning: str, today: date) -> Told:
    """A cut, or the days from a date to today; those from a date in the future have no end."""
    if meaning == "before":
        return Told(start, end, None, span.first - timedelta(1))
    if meaning == "as of":
        return Told(start, end, None, span.last)
    first = span.first if meaning == "since" else span.last + timedelta(1)
    return Told(start, end, Span(first, today if first <= today else date.max))


def _moved(span: Span, moved: re.Match[str]) -> Span:
    word, unit, one, weekday, how = moved.groups()
    is_before = how.lower() in ("before", "prior to")
    if weekday:
        nearest = spans.weekday_before if is_before else spans.weekday_after
        return spans.day(nearest(span.first if is_before else span.last, relative.weekday_number(weekday)))
    if one:
        return _beside(span, one.lower(), is_before)
    low, high, unit = relative.number(word, unit)
    near, far = (-low, -high) if is_before else (low, high)
    start = span.first if is_before else span.last
    first, last = sorted((spans.step(start, near, unit), spans.step(start, far, unit)))
    slack = timedelta(3 if unit in ("week", "fortnight") else 0)
    return Span(spans.whole(first, _broad(unit)).first - slack, spans.whole(last, _broad(unit)).last + slack)


def _broad(unit: str) -> str:
    return unit if unit in ("month", "quarter", "year", "decade") else "day"


def _beside(span: Span, unit: str, is_before: bool) -> Span:
    """The day, week, weekend, month or year that ends before a span or begins behind it."""
    if unit == "weekend":
        return spans.weekend(spans.weekday_before(span.first, 5) if is_before else spans.weekday_after(span.last, 5))
    if is_before:
        return Span(spans.step(span.first, -1, unit), span.first - timedelta(1))
    return Span(span.last + timedelta(1), spans.step(span.last, 1, unit))
