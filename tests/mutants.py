"""JSON that has gone wrong in places: what a reader must take without a word of Python.

`mutants(value, count)` gives copies of which a few places hold something else, always the same ones. `samples(path)`
names files of `../shared/samples`, none where there is no such folder.
"""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[2] / "shared")
HANDMADE = SHARED / "samples" / "handmade"
NO_SAMPLES = "no samples of exports at ../shared; MEMDIR_SHARED may name them"
JUNK: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, float("nan"), float("inf"), "", " ", "\ud800", "\x00·^t9\n### x", "x" * 300,
    [], [[]], {}, {"a": None}, ["text", 3, None, {"text": {}}], {"content_type": "text", "parts": [{"text": []}]},
]  # fmt: skip


def mutants(value: Any, count: int) -> Iterator[Any]:
    for seed in range(count):
        made = json.loads(json.dumps(value))
        dice = random.Random(seed)
        for _ in range(dice.randint(1, 6)):
            spots = list(_spots(made))
            holder, key = dice.choice(spots)
            holder[key] = copy.deepcopy(dice.choice(JUNK))
        yield made


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _spots(value[key])


def samples(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in (SHARED / "samples").glob(pattern))
