"""A breaker that outlives the process: an endpoint that fails or asks for a pause is left alone by later commands too.

One small file an endpoint in the user's cache folder, only while it fails. Its name is a digest of address, model and
key, so that a change of settings lifts a pause.
"""

import contextlib
import hashlib
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

from memdir import config
from memdir.errors import ModelError
from memdir.llm.answers import Answer, Lost, retry_after, words
from memdir.llm.endpoint import Endpoint
from memdir.llm.limits import FAILURES, PAUSE

QUOTA = 3600.0  # seconds without a request after "the quota is used up"; no pause is longer
_SPENT = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota")


class Rest:
    """As `limits.Breaker`: `check`, `failed`, `worked`; a failure may ask for a pause at once."""

    def __init__(self, endpoint: Endpoint, folder: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._where, self._clock = endpoint.where, clock
        self._memory: tuple[int, float, str] = 0, 0.0, ""  # where the file cannot be written
        mark = hashlib.sha256("\0".join((endpoint.url, endpoint.model, endpoint.key)).encode("utf-8", "replace"))
        self._path = (folder or config.cache_home() / "models") / f"rest-{mark.hexdigest()[:16]}.json"

    def check(self) -> None:
        """Raise ModelError while the endpoint is left alone."""
        failures, until, why = self._held()
        left = until - self._clock()
        if 0 < left <= QUOTA:
            why = why or f"it failed {failures} times in a row"
            raise ModelError(f"{self._where} was not asked: {why}; it is left alone for another {left:.0f} s")

    def failed(self, pause: float | None = None, why: str = "") -> None:
        """Count a failure; the third in a row, or a `pause` in seconds, begins a pause."""
        failures = self._held()[0] + 1
        seconds = PAUSE if pause is None and failures >= FAILURES else pause or 0.0
        held = self._memory = failures, self._clock() + min(seconds, QUOTA), why if pause else ""
        temp = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):  # without a cache folder the breaker is this process's own
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
            temp.write_text(json.dumps(held), "utf-8")
            os.replace(temp, self._path)

    def worked(self) -> None:
        self._memory = 0, 0.0, ""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _held(self) -> tuple[int, float, str]:
        try:
            failures, until, why = json.loads(self._path.read_bytes())
            return int(failures), float(until) if math.isfinite(until) else 0.0, str(why)
        except (OSError, ValueError, TypeError):
            return self._memory


def spent(answer: Answer | Lost) -> bool:
    """Whether the quota is used up: no wait of seconds helps."""
    said = answer.body[:10_000].decode("utf-8", "replace") if isinstance(answer, Answer) and not answer.fine else ""
    return any(mark in said or mark in words(said.encode()) for mark in _SPENT)


def pause_asked(answer: Answer | Lost) -> tuple[float | None, str]:
    """Seconds for which the server is to be left alone, and why; None: it did not say."""
    if spent(answer):
        return QUOTA, "its quota is used up"
    asked = retry_after(answer.headers) if isinstance(answer, Answer) else None
    return asked, "it asked for a pause" if asked else ""
