"""Strength: how much energy a memory takes up when it spreads, by what was used and what was brought in vain.

A pure function of `used` and `gate` events of the ledger, so that it may be thrown away and made again. What was merely
recalled does not come into it, however often: an answer is the same after two hundred recalls. A memory fades only
where it stood beside what was used, or where an agent that names what it uses named nothing, and was never used itself.
The ways by which memories are reached, from the file with the link to the memory, grow and fade as memories do.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from memdir.vault import ledger

MOST, LEAST = 1.5, 0.5  # what use comes to in the end, and what being in vain does
SPARED = 3  # recalls in which a memory may stand in vain before it fades; each further SPARED halve what is left


def strength(events: Iterable[ledger.Event]) -> dict[str, float]:
    """Memory → factor, of those that are not 1: 1.25 for one use, 1.375 for two, towards MOST; 0.75 for six times in
    vain, towards LEAST. Events of other ops, and those that an undo took back, are the caller's to leave out.

    A memory is known by its `key`. No half-life: none was measured to help.
    """
    used: Counter[str] = Counter()
    vain: dict[str, set[str]] = {}
    for event in events:
        if event.op == "used":
            line = event.more.get("line")
            used[key(str(event.more.get("kind", "note")), event.path, line if isinstance(line, int) else 0)] += 1
            used.update(_ways(event, "led"))
        if event.op in ("used", "gate"):
            for one in (*_listed(event, "passed"), *_ways(event, "misled")):
                vain.setdefault(str(one), set()).add(str(event.more.get("recalled", event.ts)))
    found = {one: 1 + (MOST - 1) * (1 - 2.0**-times) for one, times in used.items()}
    for one, recalls in vain.items():
        if one not in used and (over := len(recalls) - SPARED) > 0:
            found[one] = LEAST + (1 - LEAST) * 2 ** (-over / SPARED)
    return {one: round(factor, 6) for one, factor in found.items()}


def _listed(event: ledger.Event, name: str) -> list[Any]:
    held = event.more.get(name)
    return held if isinstance(held, list) else []


def _ways(event: ledger.Event, name: str) -> list[str]:
    pairs = (one for one in _listed(event, name) if isinstance(one, list) and len(one) == 2)
    return [way(str(from_), str(to)) for from_, to in pairs]


def way(source: str, target: str) -> str:
    """How the way from one file to a memory is known."""
    return f"{source}\t{target}"


def key(kind: str, path: str, line: int) -> str:
    """How a memory is known: a note by its path, an entry of a log and a turn also by the line (from 1) where it
    begins. Of a `Hit` that line is `first + 1`."""
    return f"{path}:{line}" if line and kind in ("log", "turn") else path
