"""What the figures of a known set are held against: floors that recall may not fall below, goals it is to reach.

Goals lie beyond every published figure without a model call. Pure values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FALSE, KEPT = "false recall", "kept recall"


@dataclass(frozen=True, slots=True)
class Goal:
    """`least` is a share; of false recall it is the most. `rows`: `all`, or a category."""

    kind: str  # floor | goal
    level: str
    figure: str
    least: float
    rows: str = "all"


def _floor(level: str, figure: str, least: float, rows: str = "all") -> Goal:
    return Goal("floor", level, figure, least, rows)


def _goal(level: str, figure: str, least: float) -> Goal:
    return Goal("goal", level, figure, least)


# Name of a set, or the form of any other set → its goals. Sets to tune on have them for the whole and for `test`.
GOALS: dict[str, tuple[Goal, ...]] = {
    "locomo": (
        _floor("turn", "R@5", 0.65),
        _floor("turn", "any@5", 0.72),
        _floor("turn", "any@10", 0.81),
        _floor("session", "any@5", 0.93),
        _goal("turn", "any@5", 0.79),
        _goal("turn", "any@10", 0.88),
        _goal("session", "any@10", 0.98),
    ),
    "longmemeval_pool": (
        _floor("turn", "R@5", 0.76),
        _floor("turn", "R@10", 0.84),
        _goal("turn", "R@5", 0.80),
    ),
    "madial_en": (_floor("turn", "R@5", 0.43), _goal("turn", "R@5", 0.55)),
    "vault": (
        _floor("passage", "any@5", 0.95, "history"),
        _floor("passage", "any@5", 0.95, "as_of"),
        _floor("passage", "all@5", 0.85, "bridge"),
        _floor("abstention", FALSE, 0.10),
        _floor("abstention", KEPT, 0.95),
    ),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A goal and how far it is; `ahead` is below zero where it was missed."""

    goal: Goal
    value: float
    ahead: float

    @property
    def met(self) -> bool:
        return self.ahead >= 0


def judged(name: str, form: str, report: Mapping[str, Any]) -> Iterator[Judged]:
    """The goals of a set for which the report has a figure."""
    for goal in GOALS.get(name) or GOALS.get(form, ()):
        if goal.level == "abstention":
            held = report["abstention"] or {}
            value = held.get("false_now" if goal.figure == FALSE else "kept_now")
        else:
            value = report["levels"][goal.level].get(goal.rows, {}).get(goal.figure)
        if value is not None:
            apart = goal.least - value if goal.figure == FALSE else value - goal.least
            yield Judged(goal, value, round(apart, 6))
