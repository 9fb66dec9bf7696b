"""Whether passages tell what is asked of a thing: an attribute (`attributes`) and the thing, in one line or near by.

That the attribute is told of something else, or the thing is there without it, is the surest sign that the answer is
not: see `untold`. Pure.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from memdir.recall import attributes
from memdir.recall.asking import Part
from memdir.recall.attributes import Attribute, Clause

READ = 3  # passages that are looked into
ALSO = 0.5  # what it counts that a further attribute of the question is told there too; the thing itself is 1
# What a pair of signs counts that stands nowhere while both of its signs do: most often it is the end of one word and
# the beginning of the next.
SEAM = 0.25


class Held(NamedTuple):
    """A passage that was found: the analysed words of the question that it holds, in its name and headings too, its
    lines, and who says it. `where`: word → lines; `around`: the words that stand in `label`, the name and headings."""

    terms: AbstractSet[str]
    lines: Sequence[str]
    speaker: str = ""
    where: Mapping[str, Sequence[int]] = {}
    around: AbstractSet[str] = frozenset()
    label: str = ""


class _Shares(NamedTuple):
    """What of the thing asked about a passage holds, and each of its lines, 0 to 1."""

    passage: float
    lines: Sequence[float]


def untold(asked: Clause, passages: Sequence[Held], unsure: Mapping[str, float]) -> tuple[float, float]:
    """Of the attribute that is told least: what the line that tells it holds too little of the thing, and how much more
    of the thing a passage holds than any that tells it. `unsure`: the words that the vault does not know wholly."""
    if not asked.attributes:
        return 0.0, 0.0
    line, passage = dict.fromkeys(asked.attributes, 0.0), dict.fromkeys(asked.attributes, 0.0)
    most = 0.0
    for one in passages[:READ]:
        held = _shares(asked.thing, one, unsure)
        most = max(most, held.passage)
        at = {attribute: _lines(attribute, one) for attribute in asked.attributes}
        for attribute, lines in at.items():
            others = [other for name, other in at.items() if name is not attribute]
            for n in lines:
                line[attribute] = max(line[attribute], _fit(held.lines[n], [n in other for other in others]))
            if lines:
                passage[attribute] = max(passage[attribute], _fit(held.passage, [bool(other) for other in others]))
    return 1 - min(line.values()), max(0.0, most - min(passage.values()))


def least_known(parts: Sequence[Part], unsure: Mapping[str, float]) -> float:
    """How well the vault knows the full word that it knows least, 0 to 1."""
    return min(
        (
            sum(weight * unsure.get(term, 1.0) for term, weight in _weights(part, unsure).items())
            for part in parts
            if part.weight == 1
        ),
        default=1.0,
    )


def _shares(thing: Sequence[Part], one: Held, unsure: Mapping[str, float]) -> _Shares:
    if not thing:
        return _Shares(1.0, [1.0] * len(one.lines))
    around, within, lines = 0.0, 0.0, [0.0] * len(one.lines)
    for part in thing:
        for term, weight in _weights(part, unsure).items():
            if term in one.around:
                around += weight
            elif term in one.terms:
                within += weight
                for n in one.where.get(term, ()):
                    lines[n] += weight
    return _Shares((around + within) / len(thing), [(around + held) / len(thing) for held in lines])


def _weights(part: Part, unsure: Mapping[str, float]) -> dict[str, float]:
    """Term → its share of a part."""
    plain = {term: SEAM if _is_seam(term, unsure) else 1.0 for term in part.terms}
    return {term: weight / sum(plain.values()) for term, weight in plain.items()}


def _is_seam(term: str, unsure: Mapping[str, float]) -> bool:
    return term in unsure and len(term) == 2 and not term.isascii() and unsure.keys().isdisjoint(term)


def _lines(attribute: Attribute, one: Held) -> AbstractSet[int]:
    """The lines of a passage that tell an attribute: all of them where its name or a heading does."""
    if next(attributes.tells(attribute, one.label), None) is not None:
        return set(range(len(one.lines)))
    body, found = "\n".join(one.lines), set[int]()
    line, at = 0, 0
    for place in attributes.tells(attribute, body):
        line, at = line + body.count("\n", at, place), place
        found.add(line)
    return found


def _fit(thing: float, others: Sequence[bool]) -> float:
    return (thing + ALSO * sum(others)) / (1 + ALSO * len(others))
