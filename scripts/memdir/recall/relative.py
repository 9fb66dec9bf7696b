"""Time that English tells from today: "yesterday", "three days ago", "last week", "last Tuesday", "the past month".

"Last week" is a whole week, "the last week" and "past week" are the days up to today. A bare weekday is a day only
behind "since", or in a question about the past, then also at its end ("what happened Saturday?").
"""

import re
from datetime import datetime, timedelta

from memdir.recall import spans
from memdir.recall.dates import MONTH, MONTHS, RELATIVE, SEASON, SEASONS, month_number, step_of
from memdir.recall.phrases import BEFORE, Row, compiled
from memdir.recall.spans import Span

_NUMBERS = {
    "a": (1, 1), "an": (1, 1), "one": (1, 1), "two": (2, 2), "three": (3, 3), "four": (4, 4), "five": (5, 5),
    "six": (6, 6), "seven": (7, 7), "eight": (8, 8), "nine": (9, 9), "ten": (10, 10), "eleven": (11, 11),
    "twelve": (12, 12), "twenty": (20, 20), "thirty": (30, 30), "couple": (2, 2), "few": (2, 4), "several": (3, 7),
}  # fmt: skip
_HALVES = {"year": (6, "month"), "decade": (5, "year"), "hour": (30, "minute"), "month": (15, "day")}
NUMBER = r"(\d{1,3}|(?:a )?[a-z]{1,7}(?: (?:of|an?))?)"  # what is no number is told by `number`
UNIT = r"(second|minute|hour|day|week|fortnight|weekend|month|quarter|year|decade)s?"
WEEKDAY = r"(mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT = r"(mon|tues?|wednes|wed|thurs?|thu|fri|satur|sun)(?:day)?"
_WHOLE = r"(week|weekend|month|quarter|year|decade)"
# "The last weekend before 10 April" is told by the date: see `joints`.
_LONE = r"(?! (?:before|after) [\w ,]{0,16}\d)(?![\w\-])"
# What ends a clause, or makes a weekday a time of day: there it needs no "on".
_LAST = r"(?:'s|[?.!,;]|$| (?:morning|afternoon|evening|night)\b)"
_DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = ("second", "minute", "hour", "day", "week", "fortnight", "month", "quarter", "year", "decade")


def weekday_number(word: str) -> int:
    return _DAY_NAMES.index(word[:3].lower())


def number(word: str, unit: str) -> tuple[int, int, str]:
    """The least and the most that a number word means, and its unit: half a year is six months. Raises LookupError."""
    word, unit = word.lower().removeprefix("a ").removesuffix(" of"), unit.lower()
    if word in ("half", "half a", "half an"):
        count, unit = _HALVES.get(unit, (1, unit))
        return count, count, unit
    low, high = (int(word), int(word)) if word.isdigit() else _NUMBERS[word]
    return low, high, unit


def _named_day(match: re.Match[str], now: datetime) -> Span:
    said, today = match[0].lower(), now.date()
    if said == "last night":
        return Span(today - timedelta(1), today)
    steps = {"day before": -2, "day after": 2, "yesterday": -1, "tomorrow": 1}
    return spans.day(today + timedelta(next((days for word, days in steps.items() if word in said), 0)))


def _ago(match: re.Match[str], now: datetime) -> Span:
    return spans.ago(now, *number(match[1], match[2]))


def _rolling(match: re.Match[str], now: datetime) -> Span:
    _, high, unit = number(match[1], match[2])
    return spans.recent(now, high, unit)


def _unit(match: re.Match[str], now: datetime) -> Span:
    the, which, unit = (match[1] or "").lower(), match[2].lower(), match[3].lower()
    if unit != "weekend" and (which == "past" or (which == "last" and the)):
        return spans.recent(now, 1, unit)
    return spans.whole(spans.step(now.date(), step_of("last" if which == "past" else which), unit), unit)


def _before_last(match: re.Match[str], now: datetime) -> Span:
    return spans.whole(spans.step(now.date(), -2, match[1].lower()), match[1].lower())


def _month(match: re.Match[str], now: datetime) -> Span | None:
    """ "last March" is over, "next March" has not begun, "this March" is this year's; "this may" is no month."""
    if match[2] == "may":
        return None
    which, month = step_of(match[1]), month_number(match[2])
    return spans.months(now.year - (which < 0 and month >= now.month) + (which > 0 and month <= now.month), month)


def _season(match: re.Match[str], now: datetime) -> Span:
    which, today = step_of(match[1]), now.date()
    near = [spans.season(year, match[2].lower()) for year in range(now.year - 2, now.year + 3)]
    if which < 0:
        return [one for one in near if one.last < today][-1]
    return next(one for one in near if (one.first > today if which else one.last >= today))


def _weekday(match: re.Match[str], now: datetime) -> Span:
    """ "last Tuesday" lies before today, "next Tuesday" after it, "this Tuesday" in this week."""
    which, weekday, today = step_of(match[1]), weekday_number(match[2]), now.date()
    if which:
        return spans.day((spans.weekday_before if which < 0 else spans.weekday_after)(today, weekday))
    return spans.day(spans.week(today).first + timedelta(weekday))


def _weekday_of_week(match: re.Match[str], now: datetime) -> Span:
    name, which = (match[1], match[2]) if match[1] else (match[4], match[3])
    return spans.day(spans.week(now.date()).first + timedelta(7 * step_of(which) + weekday_number(name)))


def _bare_weekday(match: re.Match[str], now: datetime) -> Span | None:
    told = (match[1] or "").lower() == "since" or compiled(r"\b(?:did|didn't|was|were|had|happened)\b").search(
        match.string
    )
    return spans.day(spans.weekday_before(now.date(), weekday_number(match["at"]))) if told else None


ROWS = (
    Row(
        (("today", "yesterday", "tomorrow", "night", "this "),),
        rf"{BEFORE}(?:(?:the )?day (?:before yesterday|after tomorrow)|(?:earlier )?today|yesterday|tomorrow"
        rf"|tonight|last night|this (?:morning|afternoon|evening))(?![\w\-])",
        _named_day,
    ),
    Row((("ago", "back"), _UNITS), rf"{BEFORE}{NUMBER} {UNIT} (?:ago|back)(?![\w\-])", _ago),
    Row((("before last",),), rf"{BEFORE}(?:the )?(week|weekend|month|year) before last(?![\w\-])", _before_last),
    Row(
        (("last", "past", "previous"), _UNITS),
        rf"{BEFORE}(?:the |these |this )?(?:last|past|previous) {NUMBER} {UNIT}(?! of)(?![\w\-])",
        _rolling,
    ),
    Row(
        (RELATIVE, ("week",), _DAY_NAMES),
        rf"{BEFORE}(?:{WEEKDAY},? (?:of )?(last|this|next) week|(last|this|next) week,? (?:on )?{WEEKDAY})(?![\w\-])",
        _weekday_of_week,
    ),
    Row((RELATIVE, MONTHS), rf"{BEFORE}(last|this|next) {MONTH}(?![\w\-])", _month),
    Row((RELATIVE, SEASONS), rf"{BEFORE}(last|this|next) {SEASON}(?![\w\-])", _season),
    Row((RELATIVE, _DAY_NAMES), rf"{BEFORE}(last|this|next) {_SHORT}{_LONE}", _weekday),
    Row(
        (
            ("last", "past", "previous", "this", "current", "next", "coming"),
            ("week", "month", "quarter", "year", "dec"),
        ),
        rf"{BEFORE}(the |this |my )?(last|past|previous|this|current|next|coming) {_WHOLE}(?! of){_LONE}",
        _unit,
    ),
    Row(
        (_DAY_NAMES, ("day",)),
        rf"(?:\b(since|on|by|before|until|till|after) |(?<!every )(?<!each )\b(?={WEEKDAY}{_LAST}))"
        rf"(?P<at>{WEEKDAY})(?! (?:before|after)\b)(?![\w\-])",
        _bare_weekday,
    ),
)
