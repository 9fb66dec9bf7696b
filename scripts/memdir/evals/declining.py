"""The weights of confidence (`recall.confidence`), learnt: `python -m memdir.evals.declining` prints them.

A logistic regression on whether a question is answered, kept small by a square penalty; no weight may say the opposite
of what its signal means. Learns from the `dev` questions of the own set, from those of `declining`, which were written
for this alone, and from LoCoMo's dev conversations, whose adversarial questions count as unanswerable. Tells how each
set fares under weights that did not see it asked. Writes in a temporary folder only.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memdir.evals import metrics, retrieval, sets, stores
from memdir.evals.dataset import Dataset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PENALTY = 20.0  # measured in standard deviations of the signals; 5 to 40 give areas within 0.003 of each other
FOLDS, STEPS = 10, 60
# Share of the answerable questions that is to be kept, of notes and of chats: the bias and the weight of `chat` are set
# by it once all is learnt. What a chat leaves out of a declined answer costs more: its turns are short.
KEPT = {"own": 0.96, "locomo": 0.985}
# Set → what a question of it counts. Chats have the most questions, and of another kind.
SETS = {"own": 1.0, "declining": 1.0, "locomo": 0.3}
# Signal → the sign that its weight may have; 0: either.
MEANS = {
    "joined": 1, "unknown": -1, "fact": 1, "open": 1, "untold": -1, "apart": -1, "cosine": 1, "foreign": 0, "chat": 0,
    "told": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A question. `signals`: (d,); `found`: an answer stands among the first five; `request`: is never declined."""

    set: str
    answerable: bool
    found: bool
    request: bool
    signals: "Floats"


def cases(dataset: Dataset) -> Iterator[Case]:
    """Every question of a set. Raises what the store raises."""
    for corpus in dataset.corpora:
        store = (stores.Conversations if dataset.form == "turns" else stores.Vault)({})
        try:
            store.build(corpus)
            for query in (one for one in dataset.queries if one.corpus == corpus.name):
                asked, told = store.told(query, retrieval.DEPTH[dataset.form])
                ranks = retrieval.row(query, asked, corpus.groups()).ranks
                signals = np.array([told[name] for name in MEANS])
                yield Case(dataset.name, not query.abstain, metrics.is_found(ranks), bool(told["request"]), signals)
        finally:
            store.close()


def learnt(some: Sequence[Case]) -> "Floats":
    """The bias and the weights (1 + d,), by Newton's method with the weights that would change their meaning at 0."""
    told = np.array([one.signals for one in some])
    spread = np.where(told.std(axis=0) < 1e-9, 1.0, told.std(axis=0))
    rows = np.c_[np.ones(len(told)), (told - told.mean(axis=0)) / spread]
    wanted, counts = np.array([float(one.answerable) for one in some]), _counts(some)
    means, penalty = np.array([0, *MEANS.values()]), PENALTY * np.array([0.0, *[1.0] * told.shape[1]])
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (odds - wanted)) + penalty * weights
        bend = (rows * np.maximum(counts * odds * (1 - odds), 1e-6)[:, None]).T @ rows + np.diag(penalty)
        free = np.flatnonzero((means == 0) | (weights * means > 0) | (slope * means < 0))
        weights[free] -= np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        weights[weights * means < 0] = 0.0
    plain = weights[1:] / spread
    return np.array([weights[0] - plain @ told.mean(axis=0), *plain])


def _counts(some: Sequence[Case]) -> "Floats":
    """What each question counts: in a set the unanswerable ones as much as the others together."""
    kinds = [(one.set, one.answerable) for one in some]
    size = {kind: kinds.count(kind) for kind in set(kinds)}
    return np.array([SETS[name] * (1.0 if yes else size[name, True] / size[name, False]) for name, yes in kinds])


def scores(some: Sequence[Case], weights: "Floats") -> "Floats":
    """What the weights make of each question; of a request that it is answered."""
    made = np.array([weights[0] + one.signals @ weights[1:] for one in some])
    return np.where([one.request for one in some], np.inf, made)


def apart(some: Sequence[Case]) -> "Floats":
    """As `scores`, each question under weights that were learnt without its tenth of all."""
    fold = np.random.default_rng(7).permutation(len(some)) % FOLDS
    made = np.empty(len(some))
    for number in range(FOLDS):
        weights = learnt([one for one, its in zip(some, fold, strict=True) if its != number])
        made[fold == number] = scores([one for one, its in zip(some, fold, strict=True) if its == number], weights)
    return made


def report(some: Sequence[Case]) -> Iterator[str]:
    """Lines that tell how the sets fare, and the weights with the bias under which KEPT is kept."""
    weights = learnt(some)
    made = scores(some, weights)
    for how, told in (("apart", apart(some)), ("all by all", made)):
        for name in SETS:
            yield f"{how}, {name}: {_line([one for one in zip(some, told, strict=True) if one[0].set == name])}"
    least = {
        name: _least([one for one in zip(some, made, strict=True) if one[0].set == name], KEPT[name]) for name in KEPT
    }
    named = dict(zip(MEANS, weights[1:], strict=True))
    named["chat"] += least["own"] - least["locomo"]
    yield f"BIAS = {weights[0] - least['own']:.2f}"
    yield from (f"    {name}={weight:.2f}," for name, weight in named.items())


def _least(told: Sequence[tuple[Case, float]], kept: float) -> float:
    """The score from which on so much of the answerable is."""
    found = sorted(score for one, score in told if one.answerable)
    return found[int((1 - kept) * len(found))] if found else 0.0


def _line(told: Sequence[tuple[Case, float]]) -> str:
    no = [(score, False) for one, score in told if not one.answerable]
    sides = {
        "all": [(score, False) for one, score in told if one.answerable],
        "found": [(score, False) for one, score in told if one.answerable and one.found],
    }
    curves = {name: curve for name, side in sides.items() if (curve := metrics.curve(side, no))}
    return "; ".join(
        f"{name} kept: area {one.area:.3f}, false recall with 95 % {100 * one.false_at_95:.0f} %"
        for name, one in curves.items()
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="memdir-eval-") as place:
        retrieval.apart(place)
        asked = [one for name in SETS for one in cases(_part(sets.load(name)))]
        for line in report(asked):
            sys.stdout.write(f"{line}\n")


def _part(dataset: Dataset) -> Dataset:
    return dataset.pick("all" if dataset.name == "declining" else "dev")


if __name__ == "__main__":
    main()
