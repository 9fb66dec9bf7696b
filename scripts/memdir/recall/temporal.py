"""What a question says about time: the periods it names, whether it asks for past or present, and what it asks else.

Reads English and Chinese by bounded patterns, compiled when a question needs them; no file, no clock. Which words it
knows is said in `dates`, `relative`, `dates_zh`, `joints` and `cues`. Periods are preferences, only `as_of` is a cut.
Also here: whether a fact or a note was in force on a day.
"""

import re
import unicodedata
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

# What a question holds that names a day or a period, in lower case; without it nothing more is loaded.
_NAMED = (
    "day", "week", "month", "quarter", "year", "decade", "night", "morning", "noon", "evening", "tomorrow", "spring",
    "summer", "autumn", "fall", "winter", "january", "february", "july", "september", "october", "november", "december",
    "last ", "this ", "next ", "past ", " ago", " back", "during ", "early ", "late ", "mid-", "since ", "until ",
    "till ", "on the ", "in jan", "in feb", "in mar", "in apr", "in may", "in ju", "in aug", "in sep", "in oct",
    "in nov", "in dec", " of mar", " of apr", " of may", " of ju", " of aug", "天", "日", "号", "周", "月", "年", "季",
    "星期", "礼拜", "前", "昨", "今", "明",
)  # fmt: skip
# With digits beside it one of these may make a date or a period, and so may ten digits in a row, which are seconds.
_DATING = (
    "19", "20", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "previous",
)  # fmt: skip
_DIGIT, _SECONDS = re.compile(r"\d"), re.compile(r"\d{10}")
_DATE = r"\s*(\d{4})(?:[-/.](\d\d?)(?:[-/.](\d\d?)(?:[T ].{0,30})?)?)?\s*"
LONGEST = 4_000  # characters of a question that are read for time; what follows stays in `rest`


class Period(NamedTuple):
    """Days from `first` to `last`, both inclusive, in the zone of the `now` they were told from; `text`: its words;
    `loose`: its year was not said."""

    first: date
    last: date
    text: str
    loose: bool = False

    @property
    def told_later(self) -> bool:
        """Whether it is a month without its year: people talk of it when it is over, a log is written in it."""
        return self.loose and self.last > self.first


class When(NamedTuple):
    """What a question says about time.

    `past`: it asks how something was, by a word or by a time that is over; `present`: how it is now, by a word. Both
    may hold. `as_of`: the last day that counts ("before March 2026": 28 February). `rest`: the question without the
    words of time; the question itself where nothing else is said.
    """

    periods: tuple[Period, ...]
    past: bool
    present: bool
    as_of: date | None
    rest: str


def parse(question: str, now: datetime) -> When:
    """Read what a question says about time, seen from `now`, whose zone decides what a day is. Never raises."""
    from memdir.recall import cues  # 4 ms with the tables, which importing this module must not cost

    text = " ".join(unicodedata.normalize("NFKC", question[:LONGEST]).split())
    today, told = now.date(), []
    if _may_tell(text.lower()):
        from memdir.recall import joints

        told = joints.read(text, now)
    taken = [(one.start, one.end) for one in told]
    said = cues.read(text, taken)
    periods = [
        Period(one.span.first, one.span.last, text[one.start : one.end], one.span.loose) for one in told if one.span
    ]
    as_of = min((one.as_of for one in told if one.as_of), default=None)
    is_over = any(period.last < today for period in periods) or (as_of is not None and as_of < today)
    rest = cues.without(text, [*taken, *said.places])
    tail = " ".join(question[LONGEST:].split())
    return When(tuple(dict.fromkeys(periods)), said.past or is_over, said.present, as_of, f"{rest} {tail}".rstrip())


def _may_tell(low: str) -> bool:
    """Whether a text in lower case holds what a time may be told by: most identifiers do not."""
    if any(map(low.__contains__, _NAMED)):
        return True
    if not _DIGIT.search(low):
        return False
    return not low.isascii() or any(map(low.__contains__, _DATING)) or bool(_SECONDS.search(low))


def in_force(since: str, until: str, day: date) -> bool:
    """Whether what held from `since` until `until`, as written in a fact or in `valid_from`/`valid_to`, held on a day.

    A whole day as the end is the day of the change, on which the next value holds already; a month or a year as the
    end is lived through to its last day. "" and what is no date are open.
    """
    first, after = bounds(since, until)
    return first <= day < after or (after == date.max == day)


def overlaps(since: str, until: str, period: Period) -> bool:
    """Whether it held on some day of a period."""
    first, after = bounds(since, until)
    return first < after and first <= period.last and (period.first < after or after == date.max)


def bounds(since: str, until: str) -> tuple[date, date]:
    """The first day on which something held and the first on which it did not, open ends as date.min and date.max."""
    start, end = _written(since), _written(until)
    after = date.max
    if end:
        after = end[0] if end[0] == end[1] else min(end[1], date.max - timedelta(1)) + timedelta(1)
    return (start[0] if start else date.min), after


@lru_cache(4_096)
def _written(value: str) -> tuple[date, date] | None:
    """First and last day of a year, a month, a day or a time as it is written; None for anything else."""
    found = re.fullmatch(_DATE, value[:64], re.ASCII)
    if not found:
        return None
    year, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        if day:
            return date(year, month, day), date(year, month, day)
        if month:
            return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
        return date(year, 1, 1), date(year, 12, 31)
    except ValueError:
        return None
