"""Log entries and turns of the days that a question names come before others; a period is a preference, not a cut.

An entry seldom says its day in the words of a question ("last weekend"), and a question of nothing but time shares no
word with what it asks for. So the entries of a few days are looked at whether or not the words found them. Reads the
index.
"""

from collections.abc import Collection, Iterable, Sequence

from memdir import text
from memdir.config import Settings
from memdir.index import reader
from memdir.index.values import ordered
from memdir.recall import asking, temporal
from memdir.recall.times import Asked
from memdir.vault import log

FEW = 3  # days that are so exact that another one is no answer
SOME = 11  # days of which every entry is looked at, whatever else the question says
MONTH = 31  # days, of more of which an entry gains what is set and no more
AS_GOOD = 0.5  # how much of the best score an entry gains of some days, up to a month
MOST = 60  # entries that are looked at beside those which words or meaning found
BY = "day"  # what is told of an entry that only its day found


def slight(time: Asked, question: str) -> frozenset[str]:
    """The terms that only say the time: another entry may hold "October", or "weekend", and be of another day. Dates
    with their year are left, for so a conversation may hold them. A "before" that asks for the past says no more."""
    before = frozenset({"before"}) if time.past and "before" in question.lower() else frozenset[str]()
    if not all(map(_is_unsaid, time.periods)) or not time.periods or not says_more(time):
        return before
    return before | frozenset(text.terms(question)) - frozenset(text.terms(time.rest))


def says_more(time: Asked) -> bool:
    """Whether a question says anything beside its times, be it words by which anybody asks."""
    return not any(period.text in time.rest for period in time.periods)


def is_all(time: Asked) -> bool:
    """Whether a question asks for nothing but what was on some days: "what happened last weekend"."""
    return bool(time.periods) and (not says_more(time) or all(part.weight < 1 for part in asking.parts(time.rest)))


def preferred(
    hits: Sequence[reader.Hit],
    source: reader.Reader,
    time: Asked,
    settings: Settings,
    allowed: Collection[int] | None,
) -> list[reader.Hit]:
    """The hits, log entries and turns of the days that are named first; turns not where a year is named, for they hold
    the words of their day already, nor for a month, of which people talk later. `allowed`: numbers that filters leave;
    None: all."""
    gain = settings["recall.period"] if time.periods else 0.0
    if not gain:
        return list(hits)
    told = _spans(time.periods)
    within = {"log": told, "turn": _spans(one for one in time.periods if _is_unsaid(one) and not one.told_later)}
    found = [*_without_titles(hits), *_unfound(hits, source, time, told, allowed)]
    gains = {"log": max(gain, _lift(found, time, told)), "turn": gain}
    return ordered(
        hit._replace(score=round(hit.score + gains[hit.kind], 6))
        if _is_within(hit, within.get(hit.kind, ())) and not _is_title(hit)
        else hit
        for hit in found
    )


def _lift(hits: Sequence[reader.Hit], time: Asked, told: Sequence[tuple[str, str]]) -> float:
    """What puts the entries of the days before what fits the words as well, of a few days before what fits better, and
    where nothing else is asked for before all."""
    top = max((hit.score for hit in hits if not hit.archived), default=0.0)
    if is_all(time):
        least = min((hit.score for hit in hits if hit.kind == "log" and _is_within(hit, told)), default=top)
        return top - least + 1.0
    shortest = min(map(_length, time.periods))
    return top * (1.0 if shortest <= FEW else AS_GOOD if shortest <= MONTH else 0.0)


def is_bare(hits: Sequence[reader.Hit], time: Asked) -> bool:
    """Whether a question asks for what was on some days, and nothing that was found is of them."""
    told = _spans(time.periods)
    return is_all(time) and bool(hits) and not any(_is_within(hit, told) for hit in hits)


def _length(period: temporal.Period) -> int:
    """How many days a period has."""
    return (period.last - period.first).days + 1


def _is_unsaid(period: temporal.Period) -> bool:
    return str(period.first.year) not in period.text


def _spans(periods: Iterable[temporal.Period]) -> list[tuple[str, str]]:
    return [(period.first.isoformat(), period.last.isoformat()) for period in periods]


def _is_title(hit: reader.Hit) -> bool:
    """Whether it is the title of a log, or what stands before its first entry."""
    return hit.kind == "log" and hit.heading in ("", hit.date)


def _without_titles(hits: Sequence[reader.Hit]) -> list[reader.Hit]:
    """The hits without the titles of logs, which say nothing but a day."""
    return [hit for hit in hits if not (_is_title(hit) and hit.last - hit.first <= 2 and hit.heading)]


def _unfound(
    hits: Sequence[reader.Hit],
    source: reader.Reader,
    time: Asked,
    told: Sequence[tuple[str, str]],
    allowed: Collection[int] | None,
) -> list[reader.Hit]:
    """The entries of the days that neither words nor meaning found, the latest first, without those that memdir wrote:
    where a question asks for nothing but its time, and of some days. They count as an average one does, and below
    those of the days."""
    if not is_all(time):
        told = _spans(period for period in time.periods if _length(period) <= SOME)
    entries = source.entries(told)
    if not entries:
        return []
    skipped = {hit.id for hit in hits}.union(source.holding(text.terms(log.OWN)))
    held = set(entries if allowed is None else allowed)
    numbers = [one for one in entries if one in held and one not in skipped]
    found = [hit for hit in source.hits(numbers[:MOST]) if not _is_title(hit)]
    least = min((hit.score for hit in hits if hit.kind == "log" and _is_within(hit, told)), default=0.0)
    return [hit._replace(score=min(least, 0.0), by=BY) for hit in found]


def _is_within(hit: reader.Hit, told: Sequence[tuple[str, str]]) -> bool:
    return any(first <= hit.date[:10] <= last for first, last in told)
