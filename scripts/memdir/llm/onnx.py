"""Vectors from an ONNX model in a folder of the user's: `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`.

Needs the extra `[onnx]`, which is imported when the first text comes. Texts are embedded one by one, as in `use`.
Reads that folder only; no network.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memdir.errors import ModelError
from memdir.int8 import Floats

MOST = 512  # pieces of a text that count
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Onnx:
    """Kind `onnx`. `prefixes`: what goes before a text and before a question."""

    kind = "onnx"

    def __init__(self, folder: Path, *, prefixes: tuple[str, str] = ("", "")) -> None:
        self._folder, self._prefixes = folder, prefixes
        places = [folder / "model.onnx", folder / "onnx" / "model.onnx"]
        self._model = next((place for place in places if place.is_file()), places[0])
        try:
            size = self._model.stat().st_size
        except OSError as error:
            raise ModelError(f"{self._model}: {error.strerror}; embedder.path names the model's folder") from error
        self.name = f"{folder.name}, {size} bytes"
        self._session: Any = None
        self._tokenizer: Any = None
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Numbers of a vector; embeds a word where none was seen yet."""
        if not self._dimension:
            self.embed(["memory"])
        return self._dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Embed. Raises ModelError when the extra is missing or the folder holds no such model."""
        if self._session is None:
            self._open()
        try:
            rows = [self._row(self._prefixes[query] + text.encode("utf-8", "replace").decode()) for text in texts]
        except Exception as error:  # onnxruntime raises classes of its own for each kind of bad model
            raise ModelError(f"{self._model}: {type(error).__name__}: {error}") from error
        if any(not np.isfinite(row).all() or not row.any() for row in rows):
            raise ModelError(f"{self._model} gives vectors with no direction; it is damaged or no text model")
        if rows:
            self._dimension = len(rows[0])
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(-1, self._dimension)

    def _open(self) -> None:
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise ModelError('embedder.kind is onnx, which needs its extra: pip install "memdir[onnx]"') from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            self._tokenizer.enable_truncation(MOST)
            self._session = onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ModelError(f"{self._folder}: no model that can be read: {error}") from error

    def _row(self, text: str) -> Any:
        """(d,) of one text: the model's own sentence vector, else the mean of its pieces, or the first of them."""
        cut = self._tokenizer.encode(text)
        held = dict(zip(_INPUTS, (cut.ids, cut.attention_mask, cut.type_ids), strict=True))
        wanted = {one.name for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        chosen = next((name for name in outputs if name == "sentence_embedding"), outputs[0])
        given = {name: np.array([numbers], np.int64) for name, numbers in held.items() if name in wanted}
        found = np.asarray(self._session.run([chosen], given)[0], np.float64)[0]
        if found.ndim == 1:
            return found
        mask = np.array(cut.attention_mask, np.float64)[:, None]
        return found[0] if self._first() else (found * mask).sum(axis=0) / mask.sum()

    def _first(self) -> bool:
        """Whether the model's folder says that the first piece speaks for the text."""
        try:
            return bool(json.loads((self._folder / "1_Pooling/config.json").read_bytes())["pooling_mode_cls_token"])
        except (OSError, ValueError, KeyError, TypeError):
            return False
