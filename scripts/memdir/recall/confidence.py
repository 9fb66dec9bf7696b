"""How sure it is that a question is answered by what was found, and what each piece of evidence is worth, 0 to 1.

A small logistic model over what the best passages hold of the question. Its constants were trained (`evals.declining`)
on questions marked `dev` of the project's own set and of LoCoMo, where adversarial ones count as unanswerable, and on
those of `declining`, which were written for it. Pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import mul
from typing import NamedTuple

from memdir import text
from memdir.recall import asking, telling
from memdir.recall.asking import Part
from memdir.recall.attributes import Clause
from memdir.recall.telling import Held

LOOKED = 5  # passages that are looked into: few enough to be there whatever `limit` was asked for
GUESSED = 0.7  # how well a word is known that stands nowhere but for one that is spelled nearly alike
DECLINE = 0.5  # confidence below which an answer is declined
MISSING = 0.3  # share of the confidence that is lost where every name of the question is missing
PRIMARY, SUPPORTING = 0.7, 0.35
LEFT = 2  # pieces of evidence that a declined answer keeps
# Share of the best fused score at which evidence is worth no more than SUPPORTING, and is dropped below it.
# Of the figures at ranks to 20 this costs nothing on any set (0.15 costs 0.8 of R@20 on the own set, 0.2 of LoCoMo's).
DROPPED = 0.1
SHORT = 4  # letters of a word up to which another spelling is another word
REQUEST = 0.75  # confidence of a request at least: what it needs shares no word with it


class Usual(NamedTuple):
    """Cosines of a model: from where a text is near at all, and what the nearest passage of a vault usually has."""

    least: float
    nearest: float


# Of 16 questions on other matters asked of 8 passages, one had a passage as near as 0.19, the others 0.14 at most; of 8
# that a passage answers, most without a shared word, it stood at 0.14 for one, at 0.17 or more for the others.
USUAL = {"use-multilingual-v3": Usual(0.15, 0.33)}
MANY, APART = 50, 2.0  # passages from which on their mean means something, and how many deviations above it is near


class Signals(NamedTuple):
    """What tells an answered question from one that is not; each is 0 where it has nothing to say.

    `joined`: of the passage that holds the full words of the question best, what it holds of the one it holds least.
    `unknown`: of the full word least known to the vault, without those that ask for an attribute, how much is not.
    `fact`: a current fact answers. `cosine`: of the nearest passage, above what is usual. `foreign`: that passage is in
    another script. `chat`: the best is a turn of a chat. `told`: where it names one speaker, how much more of its words
    their turns hold than others do.

    Only where the best is no such turn: `open`: it asks how, why or whether. `untold`: where it asks for an
    attribute, what the line that tells one holds too little of the thing; `apart`: how much more of the thing a passage
    holds than any that tells it.
    """

    joined: float = 0.0
    unknown: float = 0.0
    fact: float = 0.0
    open: float = 0.0
    untold: float = 0.0
    apart: float = 0.0
    cosine: float = 0.0
    foreign: float = 0.0
    chat: float = 0.0
    told: float = 0.0


# Logistic regression by `evals.declining`, which makes them again. The bias is the one at which 96 % of the answerable
# `dev` questions are kept at DECLINE, the weight of `chat` the one at which 98.5 % of LoCoMo's are; measured:
# references/recall.md.
BIAS = 2.10
WEIGHTS = Signals(
    joined=0.82,
    unknown=-0.71,
    fact=0.83,
    open=2.75,
    untold=-1.81,
    apart=-2.43,
    cosine=6.62,
    foreign=0.97,
    chat=-1.35,
    told=2.09,
)


def signals(
    question: str,
    clauses: Sequence[Sequence[Part]],
    asked: Sequence[Clause],
    passages: Sequence[Held],
    unsure: Mapping[str, float],
    *,
    voice: str = "",
) -> Signals:
    """What the words tell. `clauses`: of the question; `asked`: what each asks; `passages`: the best, best first;
    `unsure`: term → how well the vault knows it, of those that it does not know wholly; `voice`: the one speaker whom
    the question names."""
    looked, free = passages[:LOOKED], asking.is_open(question)
    chat = any(one.speaker for one in looked[:1])
    joined = _mean(_joined(_full(parts), looked) for parts in clauses)
    found = Signals(joined=joined, open=float(free and not chat), chat=float(chat))
    if unsure:
        found = found._replace(unknown=_mean(1 - telling.least_known(one.thing, unsure) for one in asked))
    if not (free or chat) and any(one.attributes for one in asked) and asking.asks(question):
        pairs = [telling.untold(one, passages, unsure) for one in asked]
        found = found._replace(untold=_mean(one for one, _ in pairs), apart=_mean(one for _, one in pairs))
    return found._replace(told=_told(clauses, looked, voice)) if voice and looked else found


def _told(clauses: Sequence[Sequence[Part]], looked: Sequence[Held], voice: str) -> float:
    name = set(text.terms(voice))
    parts = [part for clause in clauses for part in clause if not name & set(part.terms)]
    shares = [(one.speaker == voice, _share(parts, one.terms)) for one in looked]
    theirs, others = (max((share for own, share in shares if own is side), default=0.0) for side in (True, False))
    return theirs - others


def _full(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts that say what is asked, all where none does."""
    return [part for part in parts if part.weight == 1] or parts


def _cover(part: Part, held: AbstractSet[str]) -> float:
    return sum(map(held.__contains__, part.terms)) / len(part.terms)


def _joined(parts: Sequence[Part], looked: Sequence[Held]) -> float:
    best = 0.0
    for one in looked:
        best = max(best, _least(parts, one.terms))
        if best == 1:
            break
    return best


def _least(parts: Sequence[Part], held: AbstractSet[str]) -> float:
    return min([_cover(part, held) for part in parts], default=0.0)


def _share(parts: Sequence[Part], held: AbstractSet[str]) -> float:
    total = sum(part.weight for part in parts)
    return sum(part.weight * _cover(part, held) for part in parts) / total if total else 0.0


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return sum(held) / len(held) if held else 0.0


def least(model: str, mean: float, deviation: float, count: int) -> float:
    """The cosine from which a passage is near. `mean`, `deviation`: of all `count` vectors, which tell it for a model
    that is not known here where there are many of them."""
    if model in USUAL:
        return USUAL[model].least
    return mean + APART * deviation if count >= MANY else -1.0


def above_usual(model: str, cosine: float) -> float:
    """The cosine of the nearest passage above what is usual; 0 for a model that is not known here."""
    return cosine - USUAL[model].nearest if model in USUAL else 0.0


def answered(found: Signals, missing: float = 0.0) -> float:
    """The confidence that a question is answered. `missing`: share of its names that nothing mentions."""
    weighed = BIAS + sum(map(mul, WEIGHTS, found))
    return round((1 - MISSING * missing) / (1 + math.exp(-weighed)), 4)


def grade(score: float) -> str:
    """The word for a score of evidence: primary or supporting."""
    return "primary" if score >= PRIMARY else "supporting"


def graded(scores: Sequence[float], confidence: float, count: int, *, declined: bool) -> list[float]:
    """What each piece of evidence is worth, never more than the one before; below SUPPORTING: to be dropped.

    `scores`: fused, in the order of the ranking; `count`: passages and turns in all, of few of which none is dropped,
    because scores are told by their deviation. The best is PRIMARY or more, of a declined answer less.
    """
    best = 0.5 * (PRIMARY + SUPPORTING) + 0.1 * confidence if declined else PRIMARY + (1 - PRIMARY) * confidence
    top = max(scores, default=0.0)
    found, last = [], best
    for score in scores:
        share = score / top if top > 0 else 1.0
        share = share if count >= MANY else max(share, DROPPED)
        last = min(last, SUPPORTING + (best - SUPPORTING) * (share - DROPPED) / (1 - DROPPED))
        found.append(round(last, 4))
    return found
