"""Fusion: what several views say of the same passages and turns, as one score each.

Scores are fused, not ranks: a view counts by how far its score stands above what it gives on average, in standard
deviations. Reciprocal rank fusion is the alternative. Pure.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

K = 60  # of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)
LEAST = 0.02  # deviation that a view is taken to have at least: in a vault of three notes chance would decide


class View(NamedTuple):
    """One view. `best`: `Hit.id` → score of what it found first, the best first; `of`: its scores of some numbers and
    perhaps of others, what it has none for left out and taken to have `absent`; `mean`, `deviation`: over everything
    there is; `alike`: how like one another some are, where the view can tell; `model`: whose vectors it looks at."""

    name: str
    best: Mapping[int, float]
    of: Callable[[Collection[int]], Mapping[int, float]]
    mean: float
    deviation: float
    absent: float
    weight: float
    alike: Callable[[Sequence[int]], Mapping[tuple[int, int], float]] | None = None
    model: str = ""

    def ranks(self) -> dict[int, int]:
        """Place in the view, from 1, of everything among the best, equals alike."""
        place: dict[float, int] = {}
        for at, score in enumerate(sorted(self.best.values(), reverse=True), 1):
            place.setdefault(score, at)
        return {number: place[score] for number, score in self.best.items()}

    def standard(self, numbers: Collection[int]) -> dict[int, float]:
        """How far above its mean it scores some numbers, in deviations."""
        held, mean, absent, deviation = self.of(numbers), self.mean, self.absent, max(self.deviation, LEAST)
        return {number: (held.get(number, absent) - mean) / deviation for number in numbers}


Fuse = Callable[[Sequence[View], Collection[int]], dict[int, float]]


def words(best: Mapping[int, float], total: float, squares: float, count: int, weight: float) -> View:
    """The view by words: what holds none has 0. `total`, `squares`: sums over all that hold any, of `count` in all."""
    mean = total / max(count, 1)
    deviation = max(squares / max(count, 1) - mean * mean, 0.0) ** 0.5
    return View(
        "words",
        best,
        lambda _: best,
        round(mean, 4),
        max(round(deviation, 4), LEAST),
        0.0,
        weight,
    )


def standardised(views: Sequence[View], numbers: Collection[int]) -> dict[int, float]:
    """Number → weighted sum of the standard scores of all views."""
    fused = dict.fromkeys(numbers, 0.0)
    for view in views:
        weight = view.weight
        for number, apart in view.standard(numbers).items():
            fused[number] += weight * apart
    return fused


def reciprocal(views: Sequence[View], numbers: Collection[int]) -> dict[int, float]:
    """Number → weighted sum of 1 / (K + rank) over the views that have it among their best."""
    fused = dict.fromkeys(numbers, 0.0)
    for view in views:
        ranks = view.ranks()
        for number in fused.keys() & ranks:
            fused[number] += view.weight / (K + ranks[number])
    return fused
