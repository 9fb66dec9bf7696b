"""What a ranking is worth. Pure: ranks in, figures between 0 and 1 out; the macro average is over questions.

A question is known by the ranks of its gold targets, from 0, None for one that is not among what was asked for.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

KS = (1, 5, 10, 20)
FALSE = (0.05, 0.10, 0.20, 0.30, 0.50)  # false recall at which the curve is told
RESAMPLES = 2_000
Ranks = tuple[int | None, ...]

DEFINITIONS = {
    "any@k": "share of answerable questions with some gold target among the first k (hit@k)",
    "all@k": "share with every gold target among the first k",
    "R@k": "mean share of gold targets among the first k",
    "MRR": "mean of 1 / rank of the first gold target, 0 where none came back",
    "nDCG@k": "binary gain 1 / log2(rank + 1) over that of the best order",
    "levels": "a session (file) ranks by its best turn (passage); gold sessions are those of the gold turns",
    "all and near": "with the unanswerable questions, where what tempts in them counts as gold (LoCoMo categories 1-5)",
    "abstention": "false recall: unanswerable questions that were answered; kept recall: answerable ones not declined; "
    "the curve declines below each confidence in turn, its area is the chance that an answerable question "
    "is the more confident one; `found`: the same where of the answerable ones only those count that have an answer "
    "among the first five, since declining what was not found costs nothing",
}


def any_at(ranks: Ranks, k: int) -> float:
    return float(any(rank is not None and rank < k for rank in ranks))


def all_at(ranks: Ranks, k: int) -> float:
    return float(all(rank is not None and rank < k for rank in ranks))


def share_at(ranks: Ranks, k: int) -> float:
    return sum(rank is not None and rank < k for rank in ranks) / len(ranks)


def reciprocal(ranks: Ranks) -> float:
    return max((1 / (rank + 1) for rank in ranks if rank is not None), default=0.0)


def ndcg_at(ranks: Ranks, k: int) -> float:
    """A result that meets two targets gains once."""
    met = {rank for rank in ranks if rank is not None and rank < k}
    ideal = sum(_gain(rank) for rank in range(min(k, len(ranks))))
    return sum(map(_gain, met)) / ideal


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _measures() -> dict[str, Callable[[Ranks], float]]:
    found: dict[str, Callable[[Ranks], float]] = {}
    for name, measure in (("any", any_at), ("all", all_at), ("R", share_at), ("nDCG", ndcg_at)):
        for k in KS:
            found[f"{name}@{k}"] = lambda ranks, measure=measure, k=k: measure(ranks, k)  # type: ignore[misc]
    return found | {"MRR": reciprocal}


MEASURES = _measures()


def figures(rows: Sequence[Ranks]) -> dict[str, float]:
    """Figure → macro average; nothing for no question. Each question has a target at least."""
    return {name: sum(map(measure, rows)) / len(rows) for name, measure in MEASURES.items()} if rows else {}


@dataclass(frozen=True, slots=True)
class Curve:
    """`kept`: false recall allowed → most kept recall with no more of it; `area`: under kept over false recall.

    `false_at_95`: least false recall at which 95 % are kept; `false_now`, `kept_now`: with what the store itself
    declined.
    """

    area: float
    kept: dict[str, float]
    false_at_95: float
    false_now: float
    kept_now: float


def curve(answerable: Sequence[tuple[float, bool]], unanswerable: Sequence[tuple[float, bool]]) -> Curve | None:
    """From (confidence, declined) of each question; None unless there are both kinds."""
    if not answerable or not unanswerable:
        return None
    yes, no = ([confidence for confidence, _ in one] for one in (answerable, unanswerable))
    points = [(0.0, 0.0)]  # (false, kept), from the strictest threshold down
    points += [(_at_least(no, level), _at_least(yes, level)) for level in sorted({*yes, *no}, reverse=True)]
    area = sum((f1 - f0) * (k0 + k1) / 2 for (f0, k0), (f1, k1) in pairwise(points))
    kept = {f"{limit:g}": max(k for f, k in points if f <= limit) for limit in FALSE}
    false = min(f for f, k in points if k >= 0.95)
    now = (sum(not declined for _, declined in one) / len(one) for one in (unanswerable, answerable))
    return Curve(area, kept, false, *now)


def is_found(ranks: Ranks) -> bool:
    """Whether an answer stands where a reader looks, among the first five."""
    return any_at(ranks, 5) > 0


def _at_least(values: Sequence[float], level: float) -> float:
    return sum(value >= level for value in values) / len(values)


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of ours less theirs over the same questions, and the middle 95 % of its bootstrap distribution."""

    mean: float
    low: float
    high: float

    @property
    def certain(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def bootstrap(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 7) -> Difference:
    """Paired: questions are drawn with repeats, each with both of its values. The same seed gives the same interval."""
    import numpy as np

    apart = np.asarray(ours, float) - np.asarray(theirs, float)
    drawn = np.random.default_rng(seed).integers(0, len(apart), (RESAMPLES, len(apart)))
    low, high = np.percentile(apart[drawn].mean(axis=1), (2.5, 97.5))
    return Difference(float(apart.mean()), float(low), float(high))


def percentile(values: Sequence[float], share: float) -> float:
    """By nearest rank."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def overlap(ours: Sequence[str], theirs: Sequence[str], k: int) -> float:
    """Share of the first k of one ranking that stand among the first k of the other."""
    depth = min(k, max(len(ours), len(theirs)))
    return len(set(ours[:k]) & set(theirs[:k])) / depth if depth else 1.0


def spearman(ours: Sequence[str], theirs: Sequence[str]) -> float | None:
    """Rank correlation of what both hold, by its order among itself; None for fewer than two."""
    shared = set(ours) & set(theirs)
    if len(shared) < 2:
        return None
    mine, other = ({one: n for n, one in enumerate(x for x in side if x in shared)} for side in (ours, theirs))
    apart = sum((mine[one] - other[one]) ** 2 for one in shared)
    return 1 - 6 * apart / (len(shared) * (len(shared) ** 2 - 1))
