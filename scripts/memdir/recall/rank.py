"""The second look at turns: the first of them, as the views have it, put in a better order by what is seen only now.

A linear score over thirteen signals: what neighbours and the session hold of the question, who speaks, whether a turn
asks, whether it says when. The weights are learnt from LoCoMo's dev conversations and no other set; `python -m
memdir.evals.training` prints them anew. Pure but for the index, which is read twice for all candidates together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from math import log
from operator import or_
from typing import NamedTuple

from memdir import text
from memdir.index import reader
from memdir.index.turns import Spoken
from memdir.recall import fusion
from memdir.recall.temporal import Period

FIRST = 60  # turns that change places: 97 % of LoCoMo's dev questions have one that answers among them
REACH = 2  # turns on either side whose words count
FULL = 15  # words from which a turn is no longer a short one
DIGITS = 6
BEHIND = 10**-DIGITS  # by which a turn is worse than the one that lifts it, where its signals say that it is better
# Words of a turn that say when, for a question that asks it.
_WHEN = ("when", "什么时候", "何时", "哪天", "几号")
_TIMES = (
    "yesterday today tomorrow tonight ago week weekend month year day night morning last next since recently monday"
    " tuesday wednesday thursday friday saturday sunday january february march april june july august september october"
    " november december summer winter spring fall 昨天 今天 明天 前天 后天 上周 下周 上月 下月 去年 今年 明年"
    " 星期 礼拜 周一 周二 周三 周四 周五 周六 周日 周末"
)


class Signals(NamedTuple):
    """What is known of a candidate. Standard scores are in deviations above a view's mean, shares are of the question's
    words, each by how rare it is."""

    score: float  # of the first look
    place: float  # -ln of the place there, from 2
    words: float  # standard score by words
    best: float  # the higher of those by words and by meaning
    beside: float  # sum of those by words of the turns beside
    session: float  # highest by meaning among the candidates of the session
    near: float  # share held by it and the turns beside
    told: float  # share held by the candidates of the session together
    answered: float  # 1: it asks, and there is a turn behind it
    other: float  # 1: beside it the one speaker whom the question names spoke first, and it is somebody else
    when: float  # 1: the question asks when, and it holds a word that says so
    full: float  # length in words, up to FULL, as a share of that
    period: float  # 1: it was said on a day that the question names


# Each of LoCoMo's dev conversations by weights learnt from the other four: R@5 69.8 → 76.0 %, any@10 84.9 → 90.0.
WEIGHTS = Signals(
    score=0.153,
    place=0.456,
    words=-0.238,  # the score holds it already, twice where neighbours hold it too
    best=0.224,
    beside=-0.071,
    session=0.227,
    near=2.752,
    told=1.405,
    answered=-0.525,
    other=-1.799,
    when=1.905,
    full=1.198,
    period=1.896,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as turns are compared with it. `words`: its terms, names of speakers left out; `speaker`: the only one
    whom it names, or ""; `periods`: first and last day of those that it names."""

    words: Sequence[str]
    speaker: str
    asks_when: bool
    periods: Sequence[tuple[str, str]]


def asked(question: str, voices: Sequence[str], periods: Sequence[Period]) -> Asked:
    """A question that names `voices`."""
    names = {term for voice in voices for term in text.terms(voice)}
    words = [term for term in text.query_terms(question)[0] if term not in names and not text.is_sign(term)]
    days = [(period.first.isoformat(), period.last.isoformat()) for period in periods if not period.told_later]
    when = "when" in text.surface_words(question) or any(word in question for word in _WHEN[1:])
    return Asked(words, voices[0] if len(voices) == 1 else "", when, days)


class Look(NamedTuple):
    """What the second look sees, by `Hit.id`. `lifted`: candidates that stand there only for the turns beside them,
    with these: they share no word with the question, are no nearer by meaning, and reply to nobody."""

    signals: Mapping[int, Signals]
    lifted: Mapping[int, Sequence[int]]


def reordered(scores: Mapping[int, float], look: Look) -> dict[int, float]:
    """The scores with those of the turns in `look` dealt out anew: the best by its signals has the highest, and what
    is as good has the same; what is lifted stays behind the best of the turns that lift it. So notes beside them, and
    what a score is worth, stay as they were."""
    ranked = {number: weighed(one) for number, one in look.signals.items()}
    for number, lifters in look.lifted.items():
        ranked[number] = min(ranked[number], max(ranked[one] for one in lifters) - BEHIND)
    values = sorted(ranked.values(), reverse=True)
    dealt = dict[float, float]()
    for value, score in zip(values, sorted((scores[number] for number in ranked), reverse=True), strict=True):
        dealt.setdefault(value, score)
    return {**scores, **{number: dealt[value] for number, value in ranked.items()}}


NOTHING = Look({}, {})


def weighed(one: Signals) -> float:
    return round(sum(weight * value for weight, value in zip(WEIGHTS, one, strict=True)), DIGITS)


def looked(
    source: reader.Reader,
    question: Asked,
    words: fusion.View,
    meaning: fusion.View | None,
    scores: Mapping[int, float],
    near: Sequence[Spoken],
) -> Look:
    """What is seen of the best turns. `scores`: of the first look; `near`: those turns, and others.

    None by words alone where most stand alone: what is learnt from conversations then misleads (R@5 of LongMemEval's
    turns pooled 75.7 % without, 74.3 with; of MADial 36.6 and 33.7; but of LoCoMo's dev conversations 69.3 and 73.6).
    """
    chosen = _best(scores)
    ahead = sorted(chosen.values(), reverse=True)
    seen = _Seen(source, question, words, meaning, [*chosen], near)
    if meaning is None and seen.alone:
        return NOTHING
    found = {number: seen.signals(number, score, ahead.index(score)) for number, score in chosen.items()}
    return Look(found, {number: lifters for number in chosen if (lifters := seen.lifters(number))})


def _best(scores: Mapping[int, float]) -> dict[int, float]:
    """The FIRST best, and all that tie with the last of them."""
    least = sorted(scores.values(), reverse=True)[:FIRST][-1]
    return {number: score for number, score in scores.items() if score >= least}


class _Seen:
    """The candidates and the turns beside them."""

    def __init__(
        self,
        source: reader.Reader,
        question: Asked,
        words: fusion.View,
        meaning: fusion.View | None,
        chosen: Sequence[int],
        near: Sequence[Spoken],
    ) -> None:
        self._question = question
        self._turns = {one.id: one for one in near}
        self._at = {(one.session, one.number): one.id for one in near}
        self._around = {number: self._beside(self._turns[number]) for number in chosen}
        self._words = words.standard({id for around in self._around.values() for id in around.values()})
        self._meaning = meaning.standard(chosen) if meaning else dict.fromkeys(chosen, 0.0)
        self._heard = source.heard(self._words)
        self._rarity = source.rarity(question.words)
        self._whole = sum(self._rarity.values())
        # Which words of the question a turn holds, as bits: sets of words took three times as long.
        self._bits = [(1 << n, f" {term} ") for n, term in enumerate(self._rarity)]
        self._shares: dict[int, float] = {}
        self._held = {number: self._holds(heard.frame + heard.said) for number, heard in self._heard.items()}
        self._told: dict[str, int] = {}
        self._near: dict[str, float] = {}
        for number in chosen:
            session = self._turns[number].session
            self._told[session] = self._told.get(session, 0) | self._held[number]
            self._near[session] = max(self._near.get(session, self._meaning[number]), self._meaning[number])

    @property
    def alone(self) -> bool:
        """Whether fewer than half of the candidates have a turn beside them."""
        return 2 * sum(len(around) > 1 for around in self._around.values()) < len(self._around)

    def _beside(self, one: Spoken) -> dict[int, int]:
        """Step → the turn there, itself at 0; those that are not known are left out."""
        places = ((step, self._at.get((one.session, one.number + step))) for step in range(-REACH, REACH + 1))
        return {step: id for step, id in places if id is not None}

    def signals(self, number: int, score: float, place: int) -> Signals:
        """Of a candidate that has a score and a place in the first look."""
        one, heard = self._turns[number], self._heard[number]
        around = self._around[number]
        before = self._turns[around[-1]] if -1 in around else None
        speaker, by_words = self._question.speaker, self._words[number]
        return Signals(
            score=score,
            place=-log(place + 2),
            words=by_words,
            best=max(by_words, self._meaning[number]),
            beside=sum(self._words[around[step]] for step in (-1, 1) if step in around),
            session=self._near[one.session],
            near=self._share(reduce(or_, (self._held[id] for id in around.values()))),
            told=self._share(self._told[one.session]),
            answered=float(one.asks and 1 in around),
            other=float(bool(speaker and before and before.speaker == speaker != one.speaker)),
            when=float(self._question.asks_when and bool(_times() & set(heard.said.split()))),
            full=min(heard.said.count(" ") - 1, FULL) / FULL,
            period=float(any(first <= heard.day <= last for first, last in self._question.periods)),
        )

    def lifters(self, number: int) -> list[int]:
        """The candidates beside one that hold words of the question and are as near by meaning, where it holds none;
        none of a turn that replies to what somebody else asks."""
        one, around = self._turns[number], self._around[number]
        before = self._turns[around[-1]] if -1 in around else None
        if self._held[number] or (before and before.asks and before.speaker != one.speaker):
            return []
        beside = (id for id in around.values() if id in self._meaning and self._held[id])
        return [id for id in beside if self._meaning[id] >= self._meaning[number]]

    def _holds(self, terms: str) -> int:
        return sum(bit for bit, term in self._bits if term in terms)

    def _share(self, held: int) -> float:
        if held not in self._shares:
            worth = sum(rare for (bit, _), rare in zip(self._bits, self._rarity.values(), strict=True) if held & bit)
            self._shares[held] = worth / self._whole if held else 0.0
        return self._shares[held]


@cache
def _times() -> frozenset[str]:
    """Analysed words of time; single signs of Chinese among them say nothing."""
    return frozenset(term for term in text.terms(_TIMES) if not text.is_sign(term))
