"""The embedded model: Universal Sentence Encoder, multilingual, version 3. No network, no download, sixteen languages.

512 numbers a text from n-gram convolutions over its pieces and a feed-forward network on their mean, in numpy. Texts
are embedded one by one: in batches a row differs by 2e-7 from what the same text gives alone, which may turn one of
its 8-bit numbers, and the same text must give the same row. Costs 5 ms of CPU at 12 words.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memdir.int8 import Floats
from memdir.llm import use_tables
from memdir.llm.pieces import Pieces

DIMENSION = 512
MOST = 4_000  # characters of a text that count; 0.1 s
_ORDERS = ((2, 0), (3, 1), (5, 2))  # words of an n-gram, and how many of them stand before the one it is for
_WIDE = 256


class Use:
    """Kind `use`. Its tables are mapped when the first text comes."""

    kind, name, dimension = "use", "use-multilingual-v3", DIMENSION

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or use_tables.place()
        self._tables: use_tables.Tables | None = None
        self._pieces: Pieces | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Embed; a question and a text are the same to this model. Raises ModelError when it is not installed."""
        if self._tables is None or self._pieces is None:
            self._open(use_tables.load(self._path))
        try:
            return self._embedded(texts)
        except use_tables.Damaged:
            self._open(use_tables.rebuild(self._path))
            return self._embedded(texts)

    def _open(self, tables: use_tables.Tables) -> None:
        self._tables, self._pieces = tables, Pieces(tables)

    def _embedded(self, texts: Sequence[str]) -> Floats:
        assert self._pieces is not None
        assert self._tables is not None
        rows = np.empty((len(texts), DIMENSION), np.float32)
        for n, numbers in enumerate(self._pieces.cut(texts, MOST)):
            rows[n] = _forward(self._tables, np.array(numbers))
        return rows


def _forward(w: use_tables.Tables, ids: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Floats:
    """(n,) pieces → (512,) of length 1."""
    chunk, eps, n = ids % use_tables.CHUNKS, w.numbers["eps"], len(ids)
    values = np.empty((n, DIMENSION + len(_ORDERS) * _WIDE), np.float32)
    own = values[:, :DIMENSION]
    own[:] = w.embedded(ids)
    own *= w["scale"][chunk, None]
    own += w["lo"][chunk, None]
    projected = _normed(own @ w["proj"] + w["proj_b"], w["x_g"], w["x_b"], eps)
    for k, (order, before) in enumerate(_ORDERS):
        x = projected[:, k * _WIDE : (k + 1) * _WIDE]
        x = x + np.maximum(_windows(x, order, before) @ w[f"w1_{order}"] + w[f"b1_{order}"], 0)
        x = x + np.maximum(_windows(x, order, before) @ w[f"w2_{order}"] + w[f"b2_{order}"], 0)
        values[:, DIMENSION + k * _WIDE : DIMENSION + (k + 1) * _WIDE] = x
    mean = _normed(values, w["ln_g"], w["ln_b"], eps).sum(axis=0) @ w["cnn_W"]
    mean = (mean + np.float32(n) * w["cnn_b"]) / np.sqrt(np.float32(n))
    y0 = np.maximum(mean @ w["d0"], 0)
    y1 = np.maximum(mean @ w["p1"] + y0 @ w["d1"], 0)
    y2 = np.maximum(y1 @ w["d2"], 0)
    z = np.tanh(y1 @ w["p3"] + y2 @ w["d3"])
    return np.asarray(z / np.linalg.norm(z), np.float32)


def _windows(x: Floats, order: int, before: int) -> Floats:
    """(n, d) → (n, order * d): each row with its neighbours, zeros beyond both ends."""
    padded = np.zeros((len(x) + order - 1, x.shape[1]), np.float32)
    padded[before : before + len(x)] = x
    return np.concatenate([padded[k : k + len(x)] for k in range(order)], axis=1)


def _normed(x: Floats, gain: Floats, bias: Floats, eps: float) -> Floats:
    """Layer normalisation over each row."""
    x = x - x.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / x.shape[-1]
    return np.asarray(x * (1 / np.sqrt(variance + eps))[:, None] * gain + bias, np.float32)
