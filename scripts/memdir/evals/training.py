"""The weights of the second look at turns (`recall.rank`), learnt: `python -m memdir.evals.training` prints them.

A list of candidates a question, those that answer among them: the weights under which a draw by the softmax of the
scores takes an answer most often, kept small by a square penalty (listwise logistic regression; a convex problem, so
there is one solution). Learns from LoCoMo's dev conversations alone and tells how well each conversation is served by
weights learnt from the other four. Writes in a temporary folder only.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memdir.app import recalling
from memdir.evals import retrieval, sets, stores
from memdir.evals.dataset import Corpus, Dataset, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PENALTY = 20.0  # measured in standard deviations of the signals; 5 to 50 give R@5 within 0.5 points of each other
STEPS = 30  # of Newton's method; it stands still after 8


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of one question. `signals`: (n, d); `answers`: (n,) 0 or 1; `gold`: answers that there are."""

    corpus: str
    signals: "Floats"
    answers: "Floats"
    gold: int


def choices(dataset: Dataset) -> Iterator[Choice]:
    """Every answerable question of a set of turns. Raises what the store raises."""
    for corpus in dataset.corpora:
        store = stores.Conversations({})
        try:
            store.build(corpus)
            asked = [one for one in dataset.queries if one.corpus == corpus.name and one.gold and not one.abstain]
            yield from (choice for one in asked if (choice := _choice(store, corpus, one)))
        finally:
            store.close()


def _choice(store: stores.Conversations, corpus: Corpus, query: Query) -> Choice | None:
    found = store.signals(query, retrieval.DEPTH["turns"])
    gold = {place.name for target in query.gold for place in target}
    answers = np.array([float(turn in gold) for turn, _ in found])
    return Choice(corpus.name, np.array([one for _, one in found]), answers, len(query.gold)) if found else None


def learnt(lists: Sequence[Choice]) -> "Floats":
    """The weights (d,) for signals as they are. Lists without an answer say nothing."""
    lists = [one for one in lists if one.answers.any()]
    spread = np.concatenate([one.signals for one in lists]).std(axis=0)
    spread[spread < 1e-9] = 1.0
    weights = np.zeros(len(spread))
    told = [(one.signals / spread, one.answers / one.answers.sum()) for one in lists]
    for _ in range(STEPS):
        loss, slope, bend = _at(told, weights)
        step, size = np.linalg.solve(bend, slope), 1.0
        while size > 1e-6 and _at(told, weights - size * step)[0] > loss:
            size /= 2
        weights = weights - size * step
    return np.asarray(weights / spread, np.float64)


def _at(told: "Sequence[tuple[Floats, Floats]]", weights: "Floats") -> "tuple[float, Floats, Floats]":
    """The loss, its slope (d,) and its curvature (d, d) at some weights."""
    loss, slope, bend = PENALTY * float(weights @ weights) / 2, PENALTY * weights, PENALTY * np.eye(len(weights))
    for signals, wanted in told:
        scores = signals @ weights
        odds = np.exp(scores - scores.max())
        drawn = odds / odds.sum()
        loss -= float(wanted @ np.log(np.maximum(drawn, 1e-300)))
        apart = signals - drawn @ signals
        slope = slope + (drawn - wanted) @ signals
        bend = bend + (apart * drawn[:, None]).T @ apart
    return loss, slope, bend


def share(lists: Sequence[Choice], weights: "Floats", k: int) -> tuple[float, float]:
    """R@k and any@k of some lists under weights, in percent."""
    found = np.array([one.answers[np.argsort(-(one.signals @ weights), kind="stable")[:k]].sum() for one in lists])
    gold = np.array([one.gold for one in lists])
    return float(100 * (found / gold).mean()), float(100 * (found > 0).mean())


def report(lists: Sequence[Choice], names: Sequence[str]) -> Iterator[str]:
    """Lines that tell the weights, and how well they serve what they were not learnt from."""
    corpora = sorted({one.corpus for one in lists})
    apart: dict[int, list[Any]] = {5: [], 10: []}
    for corpus in corpora:
        kept = [one for one in lists if one.corpus == corpus]
        weights = learnt([one for one in lists if one.corpus != corpus])
        for k, row in apart.items():
            row += [(*share(kept, weights, k), len(kept))]
    for k, row in apart.items():
        recall, met = (sum(one[n] * one[2] for one in row) / sum(one[2] for one in row) for n in (0, 1))
        yield f"each conversation by the others: R@{k} {recall:.1f} any@{k} {met:.1f}"
    weights = learnt(lists)
    for k in apart:
        yield "all by all: R@{0} {1:.1f} any@{0} {2:.1f}".format(k, *share(lists, weights, k))
    yield from (f"    {name}={weight:.3f}," for name, weight in zip(names, weights, strict=True))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="memdir-eval-") as place:
        retrieval.apart(place)
        for line in report([*choices(sets.load("locomo").pick("dev"))], recalling.SIGNALS):
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
