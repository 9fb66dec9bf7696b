"""Rows of chance for every passage of a vault, by which a scan costs what it costs with real ones.

To embed 50,000 passages takes a quarter of an hour; how long they take to be searched does not depend on what they
say. Writes the vectors of the index of the vault it is given, which the bench has made.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memdir.app import embedding
from memdir.app.memory import Memory

if TYPE_CHECKING:
    from memdir.int8 import Floats


class Noise:
    """Stands for the embedder that is chosen: its name and length, rows of chance in the order they are asked for."""

    def __init__(self, memory: Memory) -> None:
        chosen = embedding.plain(memory.settings)
        self.kind, self.name, self.dimension = chosen.kind, chosen.name, chosen.dimension
        self._chance = np.random.default_rng(7)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Floats":
        rows = self._chance.standard_normal((len(texts), self.dimension), np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def fill(root: Path) -> int:
    """Give every passage a row; returns how many there are."""
    with Memory(root) as memory:
        return embedding.fill(memory, Noise(memory))
