"""Validity: what was in force at the time that a question asks for comes before what was not.

A question about the past, a period or a day is answered by the value that a fact had then, from the note's `## History`
where it stands there; one about now by the current value. Newer wins only inside one key of one note (DESIGN section
5). A period is a preference, `as_of` a cut. Reads the index.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from itertools import groupby
from typing import NamedTuple

from memdir import text
from memdir.config import Settings
from memdir.index import reader
from memdir.index.values import ordered
from memdir.recall import known, overtaken, succession, times
from memdir.recall.evidence import Evidence
from memdir.recall.times import Asked, Line

FIT = 3.0  # what a fact gains whose key is asked for whole
NAMED = 1.0  # what the history of a note gains whose name is said, where no key of it is asked for
VALUE = 0.5  # how well a key fits a question that says one of its values ("before NATS")
_TAIL = re.compile(r"[,;(，；、（]")
_FOR_VALUE = re.compile(
    r"\b(?:which|who|where|what(?! (?:happened|went|did|do|does|have|has|had|about)\b)|how (?:many|much|long|often))\b"
    r"|\b(?:version|price|rent|address|size|number)\b|哪|谁|多少|几|什么(?!时候)|版本",
    re.IGNORECASE,
)
_BEFORE, _BEFORE_ZH = r"\b(?:before|prior to) (?:the )?", "(?:之前|以前)"
_BEHIND = 1e-6  # less than any difference of two scores


class _Place(NamedTuple):
    """Where a passage is put: its score, the line that answers, and the one that does where the words say none."""

    score: float
    at: int = -1
    fallback: int = -1


def ranked(
    hits: Sequence[reader.Hit], source: reader.Reader, question: str, time: Asked, settings: Settings
) -> list[reader.Hit]:
    """The hits as the time that a question asks for puts them."""
    gain = settings["recall.period"] if time.periods else 0.0
    found = list(hits)
    if settings["recall.time"] or time.cut:
        found = succession.ranked(found, source, time)
    if not source.has("facts"):
        return found
    if settings["recall.time"] or time.cut:
        paths = list(dict.fromkeys(hit.path for hit in found[: known.LOOKED] if hit.kind == "note"))
        lines = times.timeline(source.timeline(paths))
        if settings["recall.time"]:
            found = _then(found, source, lines, question, time, gain) if time.then else _now(found, source, lines, time)
        if settings["recall.facts"] and not time.then:
            found = _over_entries(found, source, overtaken.lines(found[: known.LOOKED], lines, question))
    if settings["recall.facts"] and not time.then:
        found = known.first(found, source, known.facts(source, question, found))
    return found


def _best(hits: Sequence[reader.Hit]) -> dict[str, reader.Hit]:
    """The best hit of each file."""
    best = dict[str, reader.Hit]()
    for hit in hits:
        best.setdefault(hit.path, hit)
    return best


def _placed(
    hits: Sequence[reader.Hit], source: reader.Reader, places: Mapping[int, _Place], *, apart: bool
) -> list[reader.Hit]:
    """The hits, and those of the passages named, where they are put. `apart`: beside the best of their notes."""
    if not places:
        return list(hits)
    found = [*hits, *source.hits(list(places.keys() - {hit.id for hit in hits}))]
    return ordered(
        hit._replace(score=round(place.score, 6), at=place.at, fallback=place.fallback, apart=apart)
        if (place := places.get(hit.id))
        else hit
        for hit in found
    )


def _then(
    hits: Sequence[reader.Hit],
    source: reader.Reader,
    lines: Sequence[Line],
    question: str,
    time: Asked,
    gain: float,
) -> list[reader.Hit]:
    """Of each note the value that a key which is asked for had then, before what else the note says. Where no key is
    asked for, what held then and is over follows its note, or leads it when the question names it. `gain`: what a
    value gains for having held then, as entries do for their day."""
    asked_for = set(text.terms(time.rest))
    best = _best(hits)
    top = max((hit.score for hit in hits if not hit.archived), default=0.0)
    places = dict[int, _Place]()
    for path, group in groupby(lines, key=lambda line: line.path):
        held, note = list(group), best[path]
        name = known.named(note, asked_for)
        fit, line = _chosen(held, asked_for, name, time)
        if line:
            leads = name or _leads(fit, line, held, question, time)
            score = max(top, note.score) + fit if leads else note.score + FIT * fit + gain
            places[line.passage] = _Place(score, line.line)
            continue
        for past in held:
            if past.until and times.overlap(past.first, past.after, time):
                score = note.score + (NAMED if name else -_BEHIND)
                places.setdefault(past.passage, _Place(score, -1, past.line))
    places = _told(hits, source, time) | places
    score_of = {hit.id: hit.score for hit in hits}
    places = {n: place._replace(score=max(place.score, score_of.get(n, place.score))) for n, place in places.items()}
    return _placed(hits, source, places, apart=True)


def _told(hits: Sequence[reader.Hit], source: reader.Reader, time: Asked) -> dict[int, _Place]:
    """What a log entry tells the end of: the value of a key in its heading that held until its day, behind it."""
    entries = [hit for hit in hits[: known.LOOKED] if hit.kind == "log"]
    places = dict[int, _Place]()
    for line in times.timeline(source.ended({hit.date for hit in entries})):
        if not times.overlap(line.first, line.after, time):
            continue
        key = set(text.terms(line.name))
        for hit in entries:
            if hit.date == line.until and known.share(key, set(text.terms(hit.heading)), set()) >= known.SHARE:
                places.setdefault(line.passage, _Place(hit.score - _BEHIND, line.line))
    return places


def _chosen(
    lines: Sequence[Line], asked_for: AbstractSet[str], name: AbstractSet[str], time: Asked
) -> tuple[float, Line | None]:
    """The key of a note that is asked for, by itself or by one of its values: how well it fits, and its value then."""
    close, asked_for = known.close(asked_for, time.rest), asked_for - name
    best: tuple[float, Line | None] = 0.0, None
    for _, group in groupby(lines, key=lambda line: line.key):
        values = list(group)
        fit = known.share(set(text.terms(values[0].name)) - name, asked_for, close)
        said = [line for line in values if _says(asked_for, line)]
        fit = max(fit if fit >= known.SHARE else 0.0, VALUE if said else 0.0)
        held = [line for line in values if times.overlap(line.first, line.after, time)]
        if fit > best[0] and held:
            best = fit, _value(held, said, time)
    return best


def _value(held: Sequence[Line], said: Sequence[Line], time: Asked) -> Line:
    """Of the values of a key that held then: the one that did longest; of a time that is only said to be over the one
    before a value that the question says, else the oldest or the last."""
    if time.day or time.periods or not time.past:
        return max(held, key=lambda line: (times.overlap(line.first, line.after, time), line.first))
    before = [line for line in held if said and line.after <= said[-1].first]
    return held[0] if time.earliest else (before or held)[-1]


def _says(asked_for: AbstractSet[str], line: Line) -> bool:
    """Whether a question says a value, or half of it, or of what stands before its first comma; of a longer word its
    beginning will do ("Postgres")."""
    return any(
        known.worth(word for word in words if word in asked_for or _begins(word, asked_for))
        >= 0.5 * known.worth(words)
        > 0
        for words in (set(text.terms(line.value)), set(text.terms(_head(line.value))))
    )


def _begins(word: str, asked_for: AbstractSet[str]) -> bool:
    return any(len(term) > 4 and word.startswith(term) for term in asked_for)


def _head(value: str) -> str:
    """What stands before the first comma or bracket of a value: its name."""
    return _TAIL.split(value, maxsplit=1)[0]


def _leads(fit: float, line: Line, values: Sequence[Line], question: str, time: Asked) -> bool:
    """Whether a value answers before all else though its note is not named: a question for one in a period of which its
    line says that it held, for what was before a value ("before Tidal"), or in the past by its key ("which editor")."""
    if fit < VALUE:
        return False
    if time.periods and (line.first > date.min or line.after < date.max):
        return bool(_FOR_VALUE.search(question))
    if not time.past or line.after == date.max:
        return False
    later = [one for one in values if one.key == line.key and one.first >= line.after]
    asks = rf"\b(?:which|what) (?:\w+ )?{re.escape(line.name)}\b|(?:哪[个种家位]?|什么){re.escape(line.name)}"
    return bool(re.search(asks, question, re.IGNORECASE)) or any(
        _stands_behind_before(question, _head(one.value)) for one in later
    )


def _stands_behind_before(question: str, value: str) -> bool:
    """Whether a question asks for what was before a value, wherever it says it: "before Tidal", 王磊之前."""
    said, low = re.escape(value.casefold().strip()), question.casefold()
    end = "" if value.strip()[-1:] > "\x7f" else r"(?!\w)"
    return bool(said) and bool(re.search(rf"{_BEFORE}{said}{end}|{said}{_BEFORE_ZH}", low))


def _now(hits: Sequence[reader.Hit], source: reader.Reader, lines: Sequence[Line], time: Asked) -> list[reader.Hit]:
    """A passage of nothing but what is over gives way to another of its note, unless the question says a value of it;
    to the one with the current value where a key is asked for."""
    asked_for = set(text.terms(time.rest))
    best = _best(hits)
    places = dict[int, _Place]()
    for path, group in groupby(lines, key=lambda line: line.path):
        held, over = list(group), best[path]
        own = [line for line in held if line.passage == over.id]
        if not own or not all(line.until for line in own) or _says_old(own, held, asked_for):
            continue
        line = _chosen(held, asked_for, set(text.terms(over.name)), time)[1]
        others = [hit.id for hit in hits if hit.path == path and hit.id != over.id]
        others += [line.passage for line in held if line.passage != over.id]
        if others:
            other = line.passage if line and line.passage != over.id else others[0]
            places[other] = _Place(over.score, line.line if line and line.passage == other else -1)
            places[over.id] = _Place(over.score - _BEHIND)
    return _placed(hits, source, places, apart=False)


def _over_entries(hits: Sequence[reader.Hit], source: reader.Reader, lines: Mapping[int, Line]) -> list[reader.Hit]:
    """The hits with the current fact before each log entry that tells what it was before. `lines`: by hit."""
    places = dict[int, _Place]()
    for hit in hits:
        if line := lines.get(hit.id):
            places.setdefault(line.passage, _Place(hit.score + _BEHIND, -1, line.line))
    return _placed(hits, source, places, apart=False)


def _says_old(over: Sequence[Line], held: Sequence[Line], asked_for: AbstractSet[str]) -> bool:
    """Whether a question says a word of an old value that stands in no current one and in no key."""
    now = {word for line in held for word in text.terms(line.name if line.until else f"{line.name} {line.value}")}
    old = {word for line in over for word in text.terms(line.value) if not text.is_sign(word)}
    return not asked_for.isdisjoint(old - now)


def cut(hits: Sequence[reader.Hit], source: reader.Reader, time: Asked) -> list[reader.Hit]:
    """The hits, each with the lines of its file that tell what began after the day that nothing may be later than."""
    if not time.cut or not source.has("facts"):
        return list(hits)
    later = dict[str, list[int]]()
    for line in times.timeline(source.timeline(_notes(hits))):
        if line.first > time.cut:
            later.setdefault(line.path, []).append(line.line)
    return [
        hit._replace(hidden=tuple(sorted(later[hit.path]))) if hit.kind == "note" and hit.path in later else hit
        for hit in hits
    ]


def _notes(found: Iterable[reader.Hit | Evidence]) -> list[str]:
    return list(dict.fromkeys(one.path for one in found if one.kind == "note"))


def marked(found: Sequence[Evidence], source: reader.Reader, time: Asked) -> list[Evidence]:
    """The evidence, with what became of each past fact that is quoted as the line that answers, and of each note; of
    what became of it behind the cut nothing."""
    if source.has("facts"):
        lines = times.timeline(source.timeline(_notes(found)))
        past = {(line.path, line.line + 1): line for line in lines if line.until and not _is_later(line.after, time)}
        found = [_over(one, line, lines, time) if (line := past.get((one.path, one.at))) else one for one in found]
    return list(succession.marked(found, source, time.cut))


def _is_later(day: date, time: Asked) -> bool:
    """Whether a day lies behind the cut, where there is one."""
    return time.cut is not None and day > time.cut


def _over(one: Evidence, line: Line, lines: Sequence[Line], time: Asked) -> Evidence:
    # A file changed since it was indexed may hold something else there now.
    if text.printable(line.value) not in one.quote:
        return one
    known_then = [one for one in lines if not _is_later(one.first, time)]
    after = text.printable(", ".join(next_.value for next_ in times.follower(line, known_then)))
    return one._replace(valid_until=line.until, superseded_by=after)
