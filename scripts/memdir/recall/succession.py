"""Notes that hold for a time (`valid_from`, `valid_to`) or that another one supersedes: how they rank, what is said.

As facts do inside a note: what was in force at the time that a question asks for comes before what was not, and an old
note before its replacement only where the question asks for the past. Reads the index.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from memdir import text
from memdir.index import reader
from memdir.index.values import ordered
from memdir.recall import temporal, times
from memdir.recall.evidence import Evidence
from memdir.recall.times import Asked

OUT = 3.0  # what a note loses that was not in force then
_BEFORE = 1e-6  # less than any difference of two scores


def ranked(hits: Sequence[reader.Hit], source: reader.Reader, time: Asked) -> list[reader.Hit]:
    """The hits, those of notes that were not in force lower, each old note below or above its replacement. A note that
    begins behind the cut is left out."""
    if not _is_told(source):
        return list(hits)
    paths = list(dict.fromkeys(hit.path for hit in hits if hit.kind == "note"))
    held = {path: temporal.bounds(since, until) for path, since, until in source.validity(paths)}
    pairs = [(old, new) for old, _, new in source.succession(paths) if new in paths and new != old]
    if not held and not pairs:
        return list(hits)
    scores = {hit.path: hit.score for hit in reversed(hits)}
    moved = dict[str, float]()
    for path, (first, after) in held.items():
        if not times.overlap(first, after, time) and not (time.past and not time.periods and not time.day):
            moved[path] = -OUT
    for old, new in pairs:
        lead, other = (old, new) if _led(held.get(old), held.get(new), time) else (new, old)
        above = scores[other] + moved.get(other, 0.0) + _BEFORE
        if scores[lead] + moved.get(lead, 0.0) < above:
            moved[lead] = above - scores[lead]
    early = {path for path, (first, _) in held.items() if time.cut and first > time.cut}
    found = [hit for hit in hits if hit.path not in early]
    if not moved:
        return found
    return ordered(hit._replace(score=round(hit.score + moved.get(hit.path, 0.0), 6)) for hit in found)


def _led(old: tuple[date, date] | None, new: tuple[date, date] | None, time: Asked) -> bool:
    """Whether the old note comes before the new one: its time is asked for."""
    if not time.then:
        return False
    if not time.day and not time.periods:
        return True
    first, after = old or (date.min, date.max)
    if after == date.max:
        after = new[0] if new else first  # nothing says how long it held
    return times.overlap(first, after, time) > 0


def marked(found: Sequence[Evidence], source: reader.Reader, cut: date | None = None) -> Iterable[Evidence]:
    """The evidence; that of a note which is over, or has been superseded, says so; not what came behind the cut."""
    if not _is_told(source):
        return found
    return _marked(found, source, cut)


def _is_told(source: reader.Reader) -> bool:
    """Whether any note says when it holds, or what it supersedes."""
    return source.has("validity") or source.has("succession")


def _marked(found: Sequence[Evidence], source: reader.Reader, cut: date | None) -> Iterable[Evidence]:
    paths = {one.path for one in found if one.kind == "note"}
    pairs = source.succession(paths)
    spans = {
        path: (temporal.bounds(since, until), until)
        for path, since, until in source.validity({*paths, *(new for _, _, new in pairs)})
    }
    after = dict[str, str]()
    for old, name, new in pairs:
        if not (cut and new in spans and spans[new][0][0] > cut):
            after[old] = f"{after[old]}, {name}" if old in after else name
    for one in found:
        (_, end), until = spans.get(one.path, ((date.min, date.max), ""))
        by = after.get(one.path, "")
        if cut and cut < end < date.max:
            until = by = ""
        if (until or by) and not one.valid_until:
            one = one._replace(valid_until=text.printable(until), superseded_by=text.printable(by))
        yield one
