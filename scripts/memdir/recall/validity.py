"""Validity: which value of a fact was in force at the time that a question asks for, and how it then ranks.

A question about the past, a period or a day is answered by what held then, from the note's `## History` where it stands
there; one about now by the current value. Newer wins only inside one key of one note (DESIGN section 5). A period is a
preference, a day given as `as_of` a cut. Reads the index; no file, no clock.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from memdir import text
from memdir.errors import UsageError
from memdir.index import reader
from memdir.index.filters import Filters
from memdir.recall import known, temporal
from memdir.recall.evidence import Evidence
from memdir.vault import names

LOOKED = 30  # hits whose notes are looked at for facts: what a recall of five results has
INSIDE = 1.0  # what a turn or a log entry gains whose day lies in a period that is named
FIT = 3.0  # what a fact gains whose key is asked for whole
NAMED = 1.0  # what the history of a note gains whose name is said, where no key of it is asked for
VALUE = 0.5  # what a question that says a value ("before NATS") counts for the key of that value
_FIRST = ("first", "original", "initial", "最初", "最早", "起初", "原定", "原本")


class Asked(NamedTuple):
    """The time that a question asks for: what held on `day`, else in one of `periods`, else, where `past`, what holds
    no longer; `earliest`: of several the oldest. Nothing of all that: what holds now. `cut`: what is dated later is
    left out. `rest`: the question without its words of time."""

    periods: tuple[temporal.Period, ...]
    past: bool
    earliest: bool
    day: date | None
    cut: date | None
    rest: str

    @property
    def then(self) -> bool:
        return self.past or self.cut is not None


class Line(NamedTuple):
    """A fact where it stands, and when it held: from the day `first`, on the day `after` no more."""

    path: str
    key: str
    name: str
    value: str
    line: int
    passage: int
    since: str
    until: str
    first: date
    after: date


def asked(question: str, now: datetime, as_of: str = "") -> Asked:
    """The time that a question asks for, seen from `now`; `as_of`: an ISO day that nothing may be later than."""
    when = temporal.parse(question, now)
    cut = date.fromisoformat(as_of) if as_of else None
    low = question.casefold()
    return Asked(when.periods, when.past, any(word in low for word in _FIRST), cut or when.as_of, cut, when.rest)


def day(words: str, now: datetime) -> str:
    """The day that words name ("2025-12-15", "last week", "去年年底"), of several the last, in ISO form; "" for "".

    Raises UsageError where they name none.
    """
    if not words or names.is_day(words):
        return words
    when = temporal.parse(words, now)
    ends = [when.as_of] if when.as_of else [period.last for period in when.periods]
    if not ends:
        raise UsageError(f"{words!r} names no day, such as 2026-11-29 or `last month`")
    last = max(ends)
    return (now.date() if last == date.max else last).isoformat()


def within(filters: Filters, time: Asked) -> Filters:
    return replace(filters, as_of=time.cut.isoformat()) if time.cut else filters


def timeline(rows: Iterable[tuple[str, str, str, str, int, int, str, str]]) -> list[Line]:
    """Facts with the days they held, by path and key, the oldest first. A value that does not say its start follows
    the last one of its key that has ended."""
    found = []
    for _, group in groupby(sorted(rows, key=lambda row: row[:2]), key=lambda row: row[:2]):
        dated = [Line(*row, *temporal.bounds(row[6], row[7])) for row in group]
        ends = [line.after for line in dated if line.until]
        for line in dated:
            if line.first == date.min:
                before = [end for end in ends if end < line.after]
                line = line._replace(first=max(before, default=date.min))
            found.append(line)
    return sorted(found, key=lambda line: (line.path, line.key, line.first, line.after, line.line))


def overlap(line: Line, time: Asked) -> int:
    """On how many of the days that are asked for a fact held; 0 where on none."""
    if time.day:
        return int(line.first <= time.day < line.after)
    if time.periods:
        return sum(_common(line, period) for period in time.periods)
    return int(bool(line.until) is time.past)


def _common(line: Line, period: temporal.Period) -> int:
    last = min(period.last, line.after - timedelta(line.after != date.max))
    return max(0, (last - max(line.first, period.first)).days + 1)


def ranked(hits: Sequence[reader.Hit], source: reader.Reader, question: str, time: Asked) -> list[reader.Hit]:
    """The hits as the time that a question asks for puts them."""
    hits = _dated(hits, time)
    paths = list(dict.fromkeys(hit.path for hit in hits[:LOOKED] if hit.kind == "note"))
    lines = timeline(source.timeline(paths)) if paths else []
    if time.then:
        return _order(_cut(_then(hits, source, lines, time), lines, time.cut))
    hits = _now(hits, source, lines, time)
    return known.first(hits, source, known.facts(source, question, hits))


def _order(hits: Iterable[reader.Hit]) -> list[reader.Hit]:
    return sorted(hits, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))


def _dated(hits: Sequence[reader.Hit], time: Asked) -> list[reader.Hit]:
    """Turns and log entries of a period that is named gain."""
    if not time.periods:
        return list(hits)
    spans = [(period.first.isoformat(), period.last.isoformat()) for period in time.periods]
    return _order(
        replace(hit, score=round(hit.score + INSIDE, 6))
        if hit.kind in ("log", "turn") and any(first <= hit.date[:10] <= last for first, last in spans)
        else hit
        for hit in hits
    )


def _then(
    hits: Sequence[reader.Hit], source: reader.Reader, lines: Sequence[Line], time: Asked
) -> list[reader.Hit]:
    """With the facts that held then, each before what its note says else. Where no key is asked for, the sections of
    what held then and is over follow their note."""
    asked_for = set(text.terms(time.rest))
    best = dict[str, reader.Hit]()
    for hit in hits:
        best.setdefault(hit.path, hit)
    top = max((hit.score for hit in hits if not hit.archived), default=0.0)
    placed = dict[int, tuple[float, int, int]]()
    for path, group in groupby(lines, key=lambda line: line.path):
        held, note = list(group), best[path]
        name = known.named(note, asked_for)
        fit, line = max(_chosen(held, asked_for, name, time), default=(0.0, None), key=_fit)
        if line:
            score = max(top, note.score) + fit if name else note.score + FIT * fit
            placed[line.passage] = score, line.line, -1
            continue
        for past in held:
            if past.until and overlap(past, time):
                placed.setdefault(past.passage, (note.score + (NAMED if name else -1e-6), -1, past.line))
    numbers = {hit.id for hit in hits}
    found = [*hits, *source.hits([number for number in placed if number not in numbers])]
    return [_placed(hit, *placed[hit.id]) if hit.id in placed else hit for hit in found]


def _fit(one: tuple[float, Line | None]) -> float:
    return one[0]


def _placed(hit: reader.Hit, score: float, at: int, fallback: int) -> reader.Hit:
    return replace(hit, score=round(max(score, hit.score), 6), at=at, fallback=fallback, apart=True)


def _chosen(
    lines: Sequence[Line], asked_for: set[str], name: set[str], time: Asked
) -> Iterator[tuple[float, Line]]:
    """For each key of a note that is asked for how well it fits, and its value then."""
    close = known.close(asked_for, time.rest)
    for _, group in groupby(lines, key=lambda line: line.key):
        values = list(group)
        fit = known.share(set(text.terms(values[0].name)) - name, asked_for - name, close)
        said = [line for line in values if _said(line, asked_for - name)]
        fit = max(fit if fit >= known.SHARE else 0.0, VALUE if said else 0.0)
        held = [line for line in values if overlap(line, time)]
        if not fit or not held:
            continue
        before = [line for line in held if said and line.after <= said[-1].first]
        if time.day or time.periods:
            yield fit, max(held, key=lambda line: (overlap(line, time), line.first))
        else:
            yield fit, held[0] if time.earliest else (before or held)[-1]


def _said(line: Line, asked_for: set[str]) -> bool:
    """Whether a question says a value, or most of it."""
    words = set(text.terms(line.value))
    return known.worth(words & asked_for) >= 0.5 * known.worth(words) > 0


def _now(
    hits: Sequence[reader.Hit], source: reader.Reader, lines: Sequence[Line], time: Asked
) -> list[reader.Hit]:
    """A passage of nothing but what is over gives way to another of its note, unless the question says a value of it.
    Where a key is asked for, to the one with its current value."""
    asked_for = set(text.terms(time.rest))
    best = dict[str, reader.Hit]()
    for hit in hits:
        best.setdefault(hit.path, hit)
    placed = dict[int, tuple[float, int]]()
    for path, group in groupby(lines, key=lambda line: line.path):
        held, over = list(group), best[path]
        own = [line for line in held if line.passage == over.id]
        if not own or not all(line.until for line in own) or _says_old(own, held, asked_for):
            continue
        fit, line = max(_chosen(held, asked_for, set(text.terms(over.name)), time), default=(0.0, None), key=_fit)
        others = [hit.id for hit in hits if hit.path == path and hit.id != over.id]
        others += [line.passage for line in held if line.passage != over.id]
        if line or others:
            placed[line.passage if line else others[0]] = over.score, line.line if line else -1
            placed[over.id] = over.score - 1e-6, -1
    if not placed:
        return list(hits)
    numbers = {hit.id for hit in hits}
    found = [*hits, *source.hits([number for number in placed if number not in numbers])]
    return _order(
        replace(hit, score=round(placed[hit.id][0], 6), at=placed[hit.id][1]) if hit.id in placed else hit
        for hit in found
    )


def _says_old(over: Sequence[Line], held: Sequence[Line], asked_for: set[str]) -> bool:
    """Whether a question says a word of an old value that stands in no current one and in no key."""
    now = [word for line in held for word in text.terms(line.name if line.until else f"{line.name} {line.value}")]
    old = {word for line in over for word in text.terms(line.value) if not text.is_sign(word)}
    return not asked_for.isdisjoint(old - set(now))


def _cut(hits: Iterable[reader.Hit], lines: Sequence[Line], last: date | None) -> Iterator[reader.Hit]:
    """Each hit with the lines of it that tell what began after a day."""
    later = {(line.path, line.line) for line in lines if last and line.first > last}
    for hit in hits:
        own = tuple(n for path, n in sorted(later) if path == hit.path and hit.first <= n < hit.last)
        yield replace(hit, hidden=own) if own else hit


def marked(found: Sequence[Evidence], source: reader.Reader) -> list[Evidence]:
    """The evidence, with what became of each past fact that is quoted as the line that answers."""
    paths = list(dict.fromkeys(one.path for one in found if one.kind == "note"))
    lines = timeline(source.timeline(paths)) if paths else []
    past = {(line.path, line.line + 1): line for line in lines if line.until}
    marked = []
    for one in found:
        line = past.get((one.path, one.at))
        # A file changed since it was indexed may hold something else there now.
        if line and text.printable(line.value) in one.quote:
            after = [x for x in lines if (x.path, x.key) == line[:2] and x is not line and x.first >= line.after]
            next_ = [x.value for x in after if x.first == after[0].first]
            one = replace(one, valid_until=line.until, superseded_by=text.printable(", ".join(next_)))
        marked.append(one)
    return marked
