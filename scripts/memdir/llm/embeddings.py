"""Vectors from an OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM or a hosted one.

A call gives a vector for every text or none at all. Nothing that the server sends is trusted: not the count, not the
order, not the length, not the numbers. Touches the network inside `embed` only, and a note of a pause in the cache.
"""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memdir.errors import ModelError
from memdir.int8 import Floats
from memdir.llm.answers import Answer, explain, pause
from memdir.llm.endpoint import Endpoint
from memdir.llm.resting import Rest, pause_asked, spent

QUESTION = 2.0  # seconds that a question waits at most: its answer by words is ready long before
_EMPTY = "-"  # servers refuse a text without a sign


class Embeddings:
    """Kind `endpoint`. For one thread; `prefixes`: what goes before a text and before a question."""

    kind = "endpoint"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        prefixes: tuple[str, str] = ("", ""),
        batch: int = 256,
        rest: Rest | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint, self.name = endpoint, endpoint.model
        self._prefixes, self._batch = prefixes, batch
        self._rest, self._clock, self._sleep = rest or Rest(endpoint), clock, sleep
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Numbers of a vector; asks for one where none was seen yet. Raises ModelError."""
        if not self._dimension:
            self.embed([self.name])
        return self._dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Embed in requests of `batch` texts. Raises ModelError; after three failures in a row, in any process, 30 s
        of ModelError without a request, an hour where the quota is used up, and as long as the server asks for."""
        if not texts:
            return np.empty((0, self._dimension), np.float32)
        ready = [self._prefixes[query] + (text.encode("utf-8", "replace").decode() or _EMPTY) for text in texts]
        parts = [self._asked(ready[at : at + self._batch], query) for at in range(0, len(ready), self._batch)]
        if len({part.shape[1] for part in parts}) > 1:
            raise ModelError(f"{self.endpoint.where} answered with vectors of different lengths; see the server's log")
        self._dimension = parts[0].shape[1]
        return np.concatenate(parts)

    def _asked(self, texts: list[str], query: bool) -> Floats:
        self._rest.check()
        from memdir.llm import wire  # before the clock runs: loading the library is not the server's time

        seconds = min(QUESTION, self.endpoint.timeout) if query else self.endpoint.timeout
        tries, deadline = 1, self._clock() + seconds
        body = {"model": self.endpoint.model, "input": texts, "encoding_format": "float"}
        while True:
            answer = wire.post(self.endpoint, body, deadline - self._clock(), "embeddings")
            if isinstance(answer, Answer) and answer.fine and (found := _vectors(answer.body, len(texts))) is not None:
                self._rest.worked()
                return found
            again = answer.again and not spent(answer) and tries <= self.endpoint.retries and not query
            wait = pause(answer, tries) if again else None
            if wait is None or self._clock() + wait >= deadline:
                self._rest.failed(*pause_asked(answer))
                raise ModelError(explain(answer, self.endpoint))
            self._sleep(wait)
            tries += 1


def _vectors(body: bytes, count: int) -> Floats | None:
    """(count, d) rows of length 1 in the order of the texts; None for anything but that."""
    try:
        items = json.loads(body)["data"]
        if not isinstance(items, list) or len(items) != count:
            return None
        order = [item.get("index", n) for n, item in enumerate(items)]
        rows: list[Any] = [None] * count
        for place, item in zip(order, items, strict=True):
            rows[place] = [float(one) if not isinstance(one, str | bool) else float("nan") for one in item["embedding"]]
        found = np.array(rows, np.float64)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError):
        return None
    if found.ndim != 2 or not found.shape[1] or sorted(order) != list(range(count)) or not np.isfinite(found).all():
        return None
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return (found / length).astype(np.float32) if (length > 0).all() and np.isfinite(length).all() else None
