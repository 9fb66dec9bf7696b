"""Log entries whose value a note has outlived: the note's current fact comes before them.

A log keeps what was said, and says it in the words of the question more often than a key does: "Kessler gives us 45
days" comes up for "how many days does Kessler give us", where the note has a payment term of 30 days since. The
`[source:: …]` of a past fact names the entry that it rests on. Works on what was read from the index.
"""

import re
from collections.abc import Mapping, Sequence

from memdir import text
from memdir.index import reader
from memdir.recall import known
from memdir.recall.times import Line

_SOURCE = re.compile(r"\[\[(\d{4}-\d\d-\d\d)\]\] (\d\d:\d\d)")
_TIME = re.compile(r"(?:^|› )(\d\d:\d\d)")
_ALONE = 2  # lines of an entry that is nothing but its title, and the empty one behind it

_Entry = tuple[str, str]  # day and time


def lines(hits: Sequence[reader.Hit], facts: Sequence[Line], question: str) -> Mapping[int, Line]:
    """Number of a hit → the current fact, behind it, that stands for what its entry told. `hits`: best first; `facts`:
    of the notes among them.

    An entry that a current fact rests on as well tells what holds. In one of several lines each may be what is asked
    for: it counts only for a question that says a word of the fact.
    """
    days = {hit.date for hit in hits if hit.kind == "log" and not hit.archived}
    over = dict[_Entry, list[Line]]()
    for line in facts:
        day = line.source[2:12]
        if line.until and day in days and line.since[:10] == day and (said := _SOURCE.fullmatch(line.source)):
            over.setdefault((said[1], said[2]), []).append(line)
    if not over:
        return {}
    for line in facts:
        if not line.until and (said := _SOURCE.fullmatch(line.source)):
            over.pop((said[1], said[2]), None)
    found, seen = dict[int, Line](), set[int]()
    for hit in hits:
        seen.add(hit.id)
        time = _TIME.search(hit.heading) if hit.date in days and hit.kind == "log" and not hit.archived else None
        if time is None:
            continue
        alone = hit.last - hit.first <= _ALONE
        for line in over.get((hit.date, time[1]), ()):
            now = next((one for one in facts if one[:2] == line[:2] and not one.until), None)
            if now is None or now.passage in seen:
                continue
            if _says(hit.heading[time.end() :], line.value) if alone else _asks(question, line):
                found.setdefault(hit.id, now)
    return found


def _says(heading: str, value: str) -> bool:
    """Whether the title of an entry says a value, or a word of it: of two entries of one minute only one may."""
    return not set(text.terms(value)).isdisjoint(text.terms(heading))


def _asks(question: str, line: Line) -> bool:
    """Whether a question says a word of a fact, or one that may stand for its key."""
    key, asked = set(text.terms(line.name)), set(text.terms(question))
    return not asked.isdisjoint(key | set(text.terms(line.value))) or not key.isdisjoint(known.close(asked, question))
