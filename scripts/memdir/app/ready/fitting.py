"""Parts of a text in a budget of tokens: each has its share, and what others leave. Pure, given what counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Count = Callable[[str], int]
TAIL = 60  # tokens kept for the line that says what was left out


class Part(NamedTuple):
    """Lines under a title. `share`: of the budget that it has by right; what others leave it gets besides.

    `newest`: cut from the front, because the last lines say most.
    """

    title: str
    lines: Sequence[str]
    share: float
    newest: bool = False
    path: str = ""

    @property
    def head(self) -> str:
        return f"## {self.title}" + (f" ({self.path})" if self.path not in ("", self.title) else "")


@dataclass(frozen=True, slots=True)
class Fitting:
    """`count`: the tokens of a text."""

    count: Count

    def fitted(self, parts: Sequence[Part], room: int, left: list[str]) -> str:
        """What of the parts `room` tokens hold, and the line that says what they do not; "" where that is nothing.
        `left`: learns what was left out."""
        body = list(self._fitting(parts, room - TAIL, left))
        return "\n".join([*body, self._said(left)] if left else body) if body else ""

    def _fitting(self, parts: Sequence[Part], room: int, left: list[str]) -> Iterator[str]:
        """The lines of the parts: each part has its share, and what others leave in their order."""
        whole = max(1.0, sum(one.share for one in parts))
        costs = [sum(map(self._cost, (one.head, *one.lines))) for one in parts]
        rooms = [min(cost, int(room * one.share / whole)) for one, cost in zip(parts, costs, strict=True)]
        spare = room - sum(rooms)
        for number, one in enumerate(parts):
            more = min(costs[number] - rooms[number], max(0, spare))
            rooms[number] += more
            spare -= more
            kept = self._cut(one, rooms[number])
            if kept:
                yield one.head
                yield from kept
            spare += rooms[number] - (self._cost(one.head) + sum(map(self._cost, kept)) if kept else 0)
            if len(kept) < len(one.lines):
                left.append(f"{one.title}: {len(one.lines) - len(kept)} of {len(one.lines)} lines")

    def _cut(self, part: Part, room: int) -> list[str]:
        """The lines that fit, from the end of a log, there whole entries if one fits, else from the beginning."""
        room -= self._cost(part.head)
        kept: list[str] = []
        for line in reversed(part.lines) if part.newest else part.lines:
            room -= self._cost(line)
            if room < 0:
                break
            kept.append(line)
        if not part.newest or len(kept) == len(part.lines):
            return kept[::-1] if part.newest else kept
        whole = [n for n, line in enumerate(kept, 1) if line.startswith("## ")]
        return kept[: whole[-1]][::-1] if whole else kept[::-1]

    def _said(self, left: Sequence[str]) -> str:
        """What was left out, in one line of at most TAIL tokens."""
        for count in range(len(left), 0, -1):
            more = f"; and {len(left) - count} more" if count < len(left) else ""
            line = f"Left out: {'; '.join(left[:count])}{more}"
            if self._cost(line) <= TAIL:
                return line
        return f"Left out: parts of {len(left)} sections"

    def _cost(self, line: str) -> int:
        return self.count(f"{line}\n")
