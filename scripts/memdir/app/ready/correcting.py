"""The corrections that a message brings back, by the index as it is open; and what of them has room."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memdir.app import recalling, scopes
from memdir.errors import MemdirError
from memdir.index.filters import Filters
from memdir.recall import corrections, evidence, fenced

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.recall.corrections import Correction


def found(memory: "Memory", message: str, narrow: Filters, *, verified: bool) -> "list[Correction]":
    """What was said against the answers to requests like a message; nothing where the index cannot tell. `verified`: it
    has just been looked at."""
    names = ("similarity", "detection", "most")
    bounds = corrections.Bounds(*(memory.settings[f"corrections.{name}"] for name in names))
    narrow = scopes.with_inherited(narrow, memory.settings["scope.inherits"])
    try:
        meaning = recalling.meaning(memory, verified=verified)
        near = meaning(message, None).near if meaning else None
        views = corrections.Views(near, memory.dense.alike if memory.dense else None)
        source = memory.open_reader(verified=verified)
        return corrections.found(source, evidence.Files(memory.root), message, views, narrow, bounds)
    except MemdirError:
        return []


def led(
    firsts: "Sequence[Correction]", found: Sequence[fenced.Piece], room: int, cost: Callable[[fenced.Piece], int]
) -> list[fenced.Piece]:
    """Memories behind corrections, which have `room`: the first of them in any case. What a correction tells does not
    come twice."""
    kept: list[Correction] = []
    for one in firsts:
        room -= cost(one.piece)
        if room >= 0 or not kept:
            kept.append(one)
    rest = [one for one in found if not any(first.tells(one.path, one.line) for first in kept)]
    return [*(one.piece for one in kept), *rest]
