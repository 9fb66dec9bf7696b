"""Rows of chance for every passage of a vault, by which a scan costs what it costs with real ones.

To embed 50,000 passages takes a quarter of an hour; how long they take to be searched does not depend on what they
say. Writes the vectors of the index of the vault it is given, which the bench has made.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memdir.app.keeping import embedding
from memdir.app.memory import Memory

if TYPE_CHECKING:
    from memdir.int8 import Floats


EMBEDDED, READ = 200, 500  # notes that the speed of embedding is measured on, and characters of each


class Noise:
    """Stands for the embedder that is chosen: its name and length, rows of chance in the order they are asked for."""

    def __init__(self, memory: Memory) -> None:
        chosen = embedding.plain(memory.settings)
        self.kind, self.name, self.dimension = chosen.kind, chosen.name, chosen.dimension
        self._chance = np.random.default_rng(7)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Floats":
        rows = self._chance.standard_normal((len(texts), self.dimension), np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def fill(root: Path) -> dict[str, int]:
    """Give every passage a row; returns how many there are, and how many notes the chosen embedder makes rows of in a
    CPU second. In a process of its own: the model's tables would count as memory of a recall."""
    with Memory(root) as memory:
        passages = embedding.fill(memory, Noise(memory))
        said = [path.read_text("utf-8", "replace")[:READ] for path in sorted(root.rglob("*.md"))[:EMBEDDED]]
        embedder = embedding.plain(memory.settings)
        embedder.embed(said[:1])
        used = time.process_time()
        embedder.embed(said)
    return {"passages": passages, "embedded": round(len(said) / max(time.process_time() - used, 1e-6))}
