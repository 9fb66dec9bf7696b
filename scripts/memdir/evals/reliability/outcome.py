"""What one row of the table found: how often it tried, what went wrong, figures worth printing. Pure values."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 5  # faults that are told at length


@dataclass(slots=True)
class Outcome:
    """`tried`: how many of the row's units ran; `faults`: one line each, with what repeats it; `figures`: name →
    value."""

    tried: int = 0
    faults: list[str] = field(default_factory=list)
    figures: dict[str, str | int | float] = field(default_factory=dict)

    def held(self, good: object, fault: str) -> bool:
        """Count a fault unless `good`."""
        if not good:
            self.faults.append(fault)
        return bool(good)

    def count(self, name: str, more: int = 1) -> None:
        """Add to a figure."""
        self.figures[name] = int(self.figures.get(name, 0)) + more


Row = Callable[[int, int, Path], Outcome]  # how many, seed, an empty folder
