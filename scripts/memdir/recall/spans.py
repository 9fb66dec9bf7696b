"""Spans of days: weeks from Monday, months, quarters, seasons, years, and steps from one day to another.

Calendar arithmetic for what a question says about time. Pure functions over dates, so that neither daylight saving nor
the hour of the day changes an answer. They raise ValueError or OverflowError outside the years 1 to 9999.
"""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}


class Span(NamedTuple):
    """Days from `first` to `last`, both inclusive; `loose`: the year was not said."""

    first: date
    last: date
    loose: bool = False


def day(one: date, *, loose: bool = False) -> Span:
    return Span(one, one, loose)


def week(one: date) -> Span:
    """The week that holds a day, Monday to Sunday."""
    monday = one - timedelta(one.weekday())
    return Span(monday, monday + timedelta(6))


def weekend(one: date) -> Span:
    """Saturday and Sunday of the week that holds a day."""
    return Span(week(one).last - timedelta(1), week(one).last)


def months(year: int, month: int, count: int = 1) -> Span:
    """`count` whole months from one on; a month of 13 lies in the next year, one of 0 in the last."""
    first, after = year * 12 + month - 1, year * 12 + month - 1 + count
    begin = date(first // 12, first % 12 + 1, 1)
    return Span(begin, date((after - 1) // 12, (after - 1) % 12 + 1, 1) + timedelta(_length(after - 1) - 1))


def _length(month: int) -> int:
    """How many days a month has that is counted from the year 0."""
    year, number = divmod(month, 12)
    if number == 1:
        return 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28
    return 30 if number in (3, 5, 8, 10) else 31


def year(one: int) -> Span:
    return months(one, 1, 12)


def quarter(year: int, number: int) -> Span:
    """A quarter by its number; 0 is the last of the year before, 5 the first of the next."""
    return months(year, 3 * number - 2, 3)


def season(year: int, name: str) -> Span:
    """Three months as in the north; a winter ends in the year after the one it is named by."""
    return months(year, _SEASONS[name], 3)


def whole(one: date, unit: str) -> Span:
    """The day, week, weekend, month, quarter, year or decade that holds a day."""
    if unit == "month":
        return months(one.year, one.month)
    if unit == "quarter":
        return quarter(one.year, (one.month + 2) // 3)
    if unit == "year":
        return year(one.year)
    if unit == "decade":
        return months(one.year // 10 * 10, 1, 120)
    return {"week": week, "weekend": weekend}.get(unit, day)(one)


def step(one: date, count: int, unit: str) -> date:
    """The day `count` units later, earlier when it is negative; the end of a month stays within its month."""
    if unit in _DAYS:
        return one + timedelta(count * _DAYS[unit])
    month = one.year * 12 + one.month - 1 + count * _MONTHS[unit]
    return date(month // 12, month % 12 + 1, min(one.day, _length(month)))


def ago(now: datetime, low: int, high: int, unit: str) -> Span:
    """What lies `low` to `high` units back: a day for days, a week about it for weeks, whole months and years."""
    if unit in _SECONDS:
        low_, high_ = (_earlier(now, count * _SECONDS[unit]) for count in (low, high))
        return Span(high_, low_)
    first, last = step(now.date(), -high, unit), step(now.date(), -low, unit)
    if unit in ("week", "fortnight"):
        return Span(first - timedelta(3), last + timedelta(3))
    return Span(whole(first, unit).first, whole(last, unit).last)


def _earlier(now: datetime, seconds: int) -> date:
    """The day in the zone of `now` so many seconds before; the clock may have changed in between."""
    if now.tzinfo is None:
        return (now - timedelta(seconds=seconds)).date()
    return (now.astimezone(UTC) - timedelta(seconds=seconds)).astimezone(now.tzinfo).date()


def recent(now: datetime, count: int, unit: str) -> Span:
    """The last `count` units up to today: "the last two weeks"."""
    if unit in _SECONDS:
        return Span(_earlier(now, count * _SECONDS[unit]), now.date())
    return Span(step(now.date(), -count, unit), now.date())


def part(span: Span, which: str) -> Span:
    """`early`, `mid`, `late` thirds, `begin` and `end` (a quarter of a year), `half1` and `half2` of a span."""
    count = (span.last.year - span.first.year) * 12 + span.last.month - span.first.month + 1
    if count < 3:
        return _days(span, which)
    size = max(1, count // {"begin": 4, "end": 4, "half1": 2, "half2": 2}.get(which, 3))
    start = {"early": 0, "begin": 0, "half1": 0, "mid": size}.get(which, count - size)
    return months(span.first.year, span.first.month + start, size)


def _days(span: Span, which: str) -> Span:
    """The same of a span shorter than three months, in days: 1–10, 11–20 and the rest of a month."""
    count = (span.last - span.first).days + 1
    size = count // 2 if which.startswith("half") else max(1, count // 3)
    if which in ("early", "begin", "half1"):
        return Span(span.first, span.first + timedelta(size - 1))
    if which == "mid":
        return Span(span.first + timedelta(size), span.first + timedelta(max(size, 2 * size - 1)))
    skipped = size if which == "half2" else 2 * size
    return Span(min(span.first + timedelta(skipped), span.last), span.last)


def weekday_before(one: date, weekday: int) -> date:
    """The last day before `one` that is such a weekday, Monday 0."""
    return one - timedelta((one.weekday() - weekday - 1) % 7 + 1)


def weekday_after(one: date, weekday: int) -> date:
    """The first day after `one` that is such a weekday, Monday 0."""
    return one + timedelta((weekday - one.weekday() - 1) % 7 + 1)


def latest(today: date, month: int, number: int) -> date:
    """The last such day that is not after today; 29 February falls in a leap year."""
    for back in range(9):
        try:
            found = date(today.year - back, month, number)
        except ValueError:
            continue
        if found <= today:
            return found
    raise ValueError(f"there is no day {number} of month {month}")


def latest_month(today: date, month: int) -> Span:
    """The last such month that has begun."""
    return months(today.year - (month > today.month), month)._replace(loose=True)


def latest_number(today: date, number: int) -> date:
    """The last day of that number which is not after today."""
    for back in range(12):
        month = step(today.replace(day=1), -back, "month")
        if number <= _length(month.year * 12 + month.month - 1) and month.replace(day=number) <= today:
            return month.replace(day=number)
    raise ValueError(f"no month has a day {number}")
