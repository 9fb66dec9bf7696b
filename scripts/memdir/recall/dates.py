"""Dates as they are written in English or in digits: each phrase with the days that it means.

What looks like a version, a port, an id, a price or an ISBN is no date. A day without a year is the last such day, a
month without one the last that has begun: by its name alone, or behind "in" and the like where that is also a word or
a person (May, June). `relative` reads "last week", `dates_zh` Chinese, `temporal` what joins or moves dates.
"""

import re
from datetime import date, datetime

from memdir.recall import spans
from memdir.recall.phrases import AFTER, BEFORE, DIGITS, Row, compiled, counts, names_something
from memdir.recall.spans import Span

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
# A month alone: names that are nothing else, and those that are a word or a person as well.
CLEAR_MONTHS = ("january", "february", "july", "september", "october", "november", "december")
_OTHER_MONTHS = r"(?:march|april|may|june|august|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)"
_WITHIN = (
    r"(?:(?:in|during|early|mid|late|since|until|till"
    r"|(?:beginning|start|middle|end|first half|second half|month|back) (?:of|in))(?: the)?)"
)
_ALONE = r"(?!(?:[\w\-/]| (?:the )?\d))"
SEASONS = ("spring", "summer", "autumn", "fall", "winter")
RELATIVE = ("last", "this", "next")
_IN = ("in ", "during ", "early", "mid", "late", " of ", "since ", "until ", "till ")
_CENTURIES = ("19", "20")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}

# Any word, which `month_number` looks up: twelve names in each of ten patterns took 9 ms to compile.
MONTH = r"([a-z]{3,9})\.?"
SEASON = r"(spring|summer|autumn|fall|winter)"
_Y, _D = r"((?:19|20)\d\d)", r"(\d\d?)(?:st|nd|rd|th)?"
_OF_YEAR = rf",? (?:of )?(?:{_Y}|(last|this|next) year)"
_TO = r" ?(?:and|to|until|till|through|-|–|—) ?"
_YEAR_BEHIND = (
    r"(?:in|during|since|before|after|until|till|from|through|throughout|by|as of|around|about|year|early|mid|late"
    r"|(?:beginning|start|middle|end|half) of|year-end)"
)


def month_number(word: str) -> int:
    """The number of a month, its name in full or its first three letters (Sept has four); raises ValueError."""
    word = word.lower()
    number = MONTHS.index(word[:3])
    if word not in (MONTHS[number], _NAMES[number], "sept"):
        raise ValueError(f"{word} is no month")
    return number + 1


def step_of(word: str | None) -> int:
    """-1 for "last", 0 for "this", 1 for "next"."""
    return {"last": -1, "previous": -1, "next": 1, "coming": 1}.get((word or "").lower(), 0)


def _said_year(year: str | None, which: str | None, now: datetime) -> int:
    return int(year) if year else now.year + step_of(which)


def _iso(match: re.Match[str], now: datetime) -> Span | None:
    """A time with an offset is a day in the zone of `now`."""
    year, _, month, day, time, zone = match.groups()
    if names_something(match):
        return None
    if zone and now.tzinfo:
        written = f"{year}-{month:0>2}-{day:0>2}T{time}{'+00:00' if zone in 'Zz' else zone}"
        return spans.day(datetime.fromisoformat(written).astimezone(now.tzinfo).date())
    return spans.day(date(int(year), int(month), int(day)))


def _iso_week(match: re.Match[str], now: datetime) -> Span:
    return spans.week(date.fromisocalendar(int(match[1]), int(match[2]), 1))


def _iso_month(match: re.Match[str], now: datetime) -> Span | None:
    return None if names_something(match) else spans.months(int(match[1]), int(match[2]))


def _numeric(match: re.Match[str], now: datetime) -> Span | None:
    """`14.03.2025` is a day and a month; `3/14/2025` is read where only one order makes a date."""
    first, sign, second, year = int(match[1]), match[2], int(match[3]), int(match[4])
    if names_something(match) or (sign == "/" and first != second and max(first, second) <= 12):
        return None
    day, month = (second, first) if sign == "/" and second > 12 else (first, second)
    return spans.day(date(year, month, day))


def _unix(match: re.Match[str], now: datetime) -> Span | None:
    """Seconds or milliseconds since 1970, from September 2001 to the end of next year."""
    found = datetime.fromtimestamp(int(match[1][:10]), now.tzinfo).date()
    return None if names_something(match) or counts(match) or found.year > now.year + 1 else spans.day(found)


def _day_month(match: re.Match[str], now: datetime) -> Span | None:
    day, name, year = match.groups()
    return _days_of(match, name, day, day, year, now)


def _month_day(match: re.Match[str], now: datetime) -> Span | None:
    name, day, year = match.groups()
    return None if counts(match) else _days_of(match, name, day, day, year, now)


def _days_month(match: re.Match[str], now: datetime) -> Span | None:
    first, last, name, year = match.groups()
    return _days_of(match, name, first, last, year, now)


def _month_days(match: re.Match[str], now: datetime) -> Span | None:
    name, first, last, year = match.groups()
    return _days_of(match, name, first, last, year, now)


def _days_of(match: re.Match[str], name: str, first: str, last: str, year: str | None, now: datetime) -> Span | None:
    """Days of a month; without a year a name in lower case may be a word: "you may 5", "dec 10", "march 3"."""
    if not year and not name[0].isupper() and not compiled(r"\d(?:st|nd|rd|th)\b").search(match[0]):
        return None
    month, day = month_number(name), int(last)
    if int(first) > day:
        return None
    end = date(int(year), month, day) if year else spans.latest(now.date(), month, day)
    return Span(end.replace(day=int(first)), end, not year)


def _months_year(match: re.Match[str], now: datetime) -> Span:
    """ "November to February 2025" begins in the year before."""
    first, last, year = month_number(match[1]), month_number(match[2]), int(match[3])
    return Span(spans.months(year - (first > last), first).first, spans.months(year, last).last)


def _month_year(match: re.Match[str], now: datetime) -> Span:
    return spans.months(_said_year(match[2], match[3], now), month_number(match[1]))


def _month_alone(match: re.Match[str], now: datetime) -> Span | None:
    """The last such month that has begun; of what is to come the next one."""
    if counts(match) or names_something(match):
        return None
    month, found = month_number(match["at"].rstrip(".")), compiled(_AHEAD).search(match.string)
    if found:
        return spans.months(now.year + (month < now.month), month)._replace(loose=True)
    return spans.latest_month(now.date(), month)


def _day_alone(match: re.Match[str], now: datetime) -> Span:
    return spans.day(spans.latest_number(now.date(), int(match[2])), loose=True)


def _season_year(match: re.Match[str], now: datetime) -> Span:
    return spans.season(_said_year(match[2], match[3], now), match[1].lower())


def _quarter(match: re.Match[str], now: datetime) -> Span:
    sign, word, ordinal, *year = match.groups()
    number = int(sign or ordinal or 0) or _ORDINALS[word.lower()]
    return spans.quarter(_said_year(year[0], year[1], now), number)


def _year_quarter(match: re.Match[str], now: datetime) -> Span:
    return spans.quarter(int(match[1]), int(match[2]))


def _half(match: re.Match[str], now: datetime) -> Span:
    return spans.part(spans.year(int(match[2])), f"half{match[1]}")


def _years(match: re.Match[str], now: datetime) -> Span | None:
    first, last = int(match[2]), int(match[3])
    return None if counts(match) or first >= last else Span(spans.year(first).first, spans.year(last).last)


def _year(match: re.Match[str], now: datetime) -> Span | None:
    return None if counts(match) else spans.year(int(match["at"]))


def _decade(match: re.Match[str], now: datetime) -> Span:
    return spans.months(int(match[2]) * 10, 1, 120)


def _with_year(words: tuple[str, ...], pattern: str, read: object) -> tuple[Row, Row]:
    """A row for a year in digits and one for "last year"."""
    return Row((_CENTURIES, words), pattern, read), Row((RELATIVE, ("year",), words), pattern, read)  # type: ignore[arg-type]


# Of what is to come a month alone is the next one.
_AHEAD = r"\b(?:will|shall|going to|upcoming|planned|next time)\b"
_TIME = r"(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?"
ROWS = (
    Row((_CENTURIES, "-/"), rf"{BEFORE}{_Y}([-/])(\d\d?)\2(\d\d?){_TIME}{AFTER}", _iso),
    Row((_CENTURIES, "w"), rf"{BEFORE}{_Y}-?W(\d\d){AFTER}", _iso_week),
    *_with_year(
        ("q",),
        rf"{BEFORE}(?:the )?(?:Q([1-4])|(first|second|third|fourth|last) quarter|([1-4])(?:st|nd|rd|th) quarter)"
        rf"{_OF_YEAR}{AFTER}",
        _quarter,
    ),
    Row((_CENTURIES, ("q",)), rf"{BEFORE}{_Y}[ -]?Q([1-4]){AFTER}", _year_quarter),
    Row((_CENTURIES, "-"), rf"{BEFORE}{_Y}-(0[1-9]|1[0-2]){AFTER}", _iso_month),
    Row((_CENTURIES, "./"), rf"{BEFORE}(\d\d?)([./])(\d\d?)\2{_Y}{AFTER}", _numeric),
    Row((DIGITS,), rf"{BEFORE}([1-4]\d{{9}}(?:\d{{3}})?){AFTER}", _unix),
    Row((DIGITS, MONTHS), rf"{BEFORE}{_D}{_TO}{_D} (?:of )?{MONTH}(?:,? ?{_Y})?{AFTER}", _days_month),
    Row((DIGITS, MONTHS), rf"{BEFORE}{MONTH} {_D}{_TO}{_D}(?:,? ?{_Y})?{AFTER}", _month_days),
    Row((DIGITS, MONTHS), rf"{BEFORE}(?:the )?{_D} (?:of )?{MONTH}(?:,? ?{_Y})?{AFTER}", _day_month),
    Row((DIGITS, MONTHS), rf"{BEFORE}{MONTH} (?:the )?{_D}(?:,? ?{_Y})?{AFTER}", _month_day),
    Row((_CENTURIES, MONTHS), rf"{BEFORE}{MONTH}{_TO}{MONTH},? (?:of )?{_Y}{AFTER}", _months_year),
    *_with_year(MONTHS, rf"{BEFORE}{MONTH}{_OF_YEAR}{AFTER}", _month_year),
    *_with_year(SEASONS, rf"{BEFORE}(?:the )?{SEASON}{_OF_YEAR}{AFTER}", _season_year),
    Row((_CENTURIES, ("h1", "h2")), rf"{BEFORE}H([12])[ -]?{_Y}{AFTER}", _half),
    Row(
        (_CENTURIES, ("from", "between", "in ", "during")),
        rf"\b(?:from|between|in|during) (?P<at>{_Y}{_TO}{_Y}){AFTER}",
        _years,
    ),
    Row((CLEAR_MONTHS,), rf"{BEFORE}(?P<at>{'|'.join(CLEAR_MONTHS)}){_ALONE}", _month_alone),
    Row((_IN, MONTHS), rf"\b{_WITHIN}[ -](?P<at>{_OTHER_MONTHS}){_ALONE}", _month_alone),
    Row((_IN, MONTHS), rf"\b{_WITHIN} {MONTH} (?:and|or|to|until) (?P<at>{_OTHER_MONTHS}){_ALONE}", _month_alone),
    Row(
        (("on the ",),),
        r"\bon (?P<at>the (\d\d?)(?:st|nd|rd|th))(?=[?.!,;]|$| (?:did|was|were|had|we|i|you|he|she|they)\b)",
        _day_alone,
    ),
    Row((_CENTURIES,), rf"\b{_YEAR_BEHIND}[ -](?:the year )?(?P<at>(?:19|20)\d\d){AFTER}", _year),
    Row((_CENTURIES, ("0s",)), r"\b(?:the|early|mid|late) (?P<at>((?:19|20)\d)0s)\b", _decade),
)
