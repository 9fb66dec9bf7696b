"""The view over conversations: turns that hold the words of a question, with what stands beside them.

An answer often stands in the turn before or after the one that shares the words: score flows between turns that belong
together (DESIGN section 5). Reads the index.
"""

from collections.abc import Iterable, Mapping, Sequence

from memdir import text
from memdir.index import reader
from memdir.index.filters import Filters

# What a turn gives the next but so many. Measured on LoCoMo's dev conversations, recall@5 and @10 of the turns alone:
# see references/recall.md.
SHARES = {1: 0.35, 2: 0.15}
REPLY = 0.5  # of a question's score, to the turn behind it
SPEAKER = 1.15  # for the turns of the one speaker whom the question names
FIRST = 30  # turns whose neighbours are looked at


def turns(source: reader.Reader, question: str, terms: Sequence[str], filters: Filters, limit: int) -> list[reader.Hit]:
    """Turns for the analysed words of a question, best first; filters act on every one."""
    found = source.turns(terms, filters, max(limit, FIRST))
    if not found:
        return []
    own = {_place(hit): hit for hit in found}
    reach = max(SHARES)
    for hit in found[:FIRST]:
        for near in source.neighbours(hit, reach, reach):
            own.setdefault(_place(near), near)
    speaker = _named(question, own.values())
    moved = [
        hit._replace(score=round(_moved(place, own) * (SPEAKER if hit.speaker == speaker else 1), 6))
        for place, hit in own.items()
    ]
    moved = [hit for hit in moved if _within(hit, filters)]
    return sorted(moved, key=lambda hit: (-hit.score, hit.path, hit.first))[:limit]


def _named(question: str, hits: Iterable[reader.Hit]) -> str:
    """The only speaker whom a question names; "" for none or several."""
    words = set(text.surface_words(question))
    said = {hit.speaker for hit in hits if set(text.surface_words(hit.speaker)) & words}
    return said.pop() if len(said) == 1 else ""


def _place(hit: reader.Hit) -> tuple[str, int]:
    return hit.session, hit.number


def _moved(place: tuple[str, int], own: Mapping[tuple[str, int], reader.Hit]) -> float:
    """The score of a turn with what its neighbours give it."""
    session, number = place
    score = own[place].score
    for far, share in SHARES.items():
        for step in (-far, far):
            if near := own.get((session, number + step)):
                score += share * near.score
    before = own.get((session, number - 1))
    if before and before.asks and before.speaker != own[place].speaker:
        score += REPLY * before.score
    return score


def _within(hit: reader.Hit, filters: Filters) -> bool:
    """Whether a neighbour is within the filters that the index applied to the turn it stands beside."""
    day = hit.ts[:10]
    return not (
        (filters.since and day < filters.since)
        or (filters.until and not (day and day <= filters.until))
        or (filters.speaker is not None and hit.speaker.casefold() != filters.speaker.casefold())
    )
