"""A quick question to the model, beside other work: one request, bounded in time, its reply kept in the paid cache.

The model is a luxury here: whoever asks goes on without it. So nothing is tried twice, an endpoint that fails is left
alone by later processes too (see `resting`), and what went wrong is a reason to show, never an exception. Touches the
network, the paid cache and the note of a pause.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from memdir.config import Settings
from memdir.errors import MemdirError, ModelError
from memdir.llm import fenced, replies
from memdir.llm.cache import Cache, Maker
from memdir.llm.client import Client, Refused
from memdir.llm.endpoint import Endpoint, endpoint
from memdir.llm.limits import Budget
from memdir.llm.resting import Rest

MOST = 1024  # tokens of a reply: five wordings are 150, twenty ids 120; the rest is for a model that thinks aloud
LOADING = 5.0  # seconds on top: the library loads in 0.7, with two processes a core in 2
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prompt(Generic[T]):
    """What is asked. `version`: changes with its words, so that no reply to others is taken for one to these.

    `read`: the reply's JSON as a value. Raises Unreadable for what cannot be used.
    """

    name: str
    version: str
    system: str
    schema: Mapping[str, Any]
    read: Callable[[Any], T]


def place(settings: Settings, bound: str) -> Endpoint:
    """Where to ask once, within the seconds that the setting `bound` holds. Raises ModelError, BadData."""
    found = endpoint(settings)
    if found is None:
        raise ModelError("no model is configured; set llm.url and llm.model")
    seconds = float(settings[bound])
    return replace(
        found,
        timeout=seconds,
        connect=min(found.connect, seconds),
        retries=0,
        max_tokens=min(found.max_tokens, MOST),
        bound=bound,
    )


def ask(
    where: Endpoint,
    prompt: Prompt[T],
    data: Mapping[str, Any],
    *,
    budget: int = 0,
    paid: Path | None = None,
    nonce: Callable[[int], bytes] = os.urandom,
) -> T:
    """What the model makes of `data`, title → what is quoted under it; from the cache `paid` where it is kept there.

    A reply that cannot be read is not kept. Raises ModelError.
    """
    told = json.dumps(data, ensure_ascii=False)
    maker = Maker("reply", where.model, 0, f"{prompt.name} {prompt.version}")
    cache = contextlib.closing(Cache(paid)) if paid else contextlib.nullcontext()
    with cache as kept:
        if kept and (held := kept.get(maker, [told]).get(told)):
            with contextlib.suppress(replies.Unreadable):
                return prompt.read(replies.parse(held.decode("utf-8", "replace")))
        text = _asked(where, prompt, _messages(prompt.system, data, nonce(16)), budget)
        value = prompt.read(replies.parse(text))
        if kept:
            kept.put(maker, {told: text.encode("utf-8", "replace")})
    return value


def _asked(where: Endpoint, prompt: Prompt[T], messages: Sequence[Mapping[str, str]], budget: int) -> str:
    rest = Rest(where)
    try:
        reply = Client(where, budget=Budget(budget), breaker=rest).ask(messages, schema=prompt.schema)
    except Refused:
        rest.failed()  # the next question is much like this one
        raise
    if reply.finish == "length":
        raise replies.Unreadable("it was cut at its token limit")
    return reply.text


def _messages(system: str, data: Mapping[str, Any], nonce: bytes) -> list[dict[str, str]]:
    parts: list[str] = []
    for title, value in data.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        parts += [f"{title}:", fenced.quote(shown, nonce)]
    parts.append("Answer with the JSON object alone.")
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(parts)}]


class Started(Generic[T]):
    """Work that has begun in a thread of its own. `why`: what went wrong, "" while nothing did."""

    def __init__(self, work: Callable[[], T], seconds: float, late: str) -> None:
        """`seconds`: that the work takes at most by itself; `late`: why there is no result when it takes longer."""
        self.why = ""
        self._late, self._until = late, time.monotonic() + seconds + LOADING
        self._done, self._value, self._failed = threading.Event(), list[T](), ""
        threading.Thread(target=self._run, args=(work,), name="memdir-quick", daemon=True).start()

    def result(self) -> T | None:
        """The result, waited for until the time is over; None, and `why`, where there is none. Never raises."""
        if not self._done.wait(max(0.0, self._until - time.monotonic())):
            self.why = self._late
            return None
        self.why = self._failed
        return self._value[0] if self._value else None

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._value.append(work())
        except MemdirError as error:
            self._failed = str(error)
        except Exception as error:  # a recall answers whatever the library does
            self._failed = f"{type(error).__name__} while the model was asked"
        finally:
            self._done.set()


class Failed:
    """As `Started`, where there is nothing to begin."""

    def __init__(self, why: str) -> None:
        self.why = why

    def result(self) -> None:
        return None


def begin(
    settings: Settings, bound: str, prompt: Prompt[T], data: Mapping[str, Any], paid: Path | None
) -> Started[T] | Failed:
    """Ask in a thread of its own; never raises. `bound`: the setting that holds the seconds it may take."""
    try:
        where = place(settings, bound)
    except MemdirError as error:
        return Failed(str(error))
    budget = int(settings["llm.budget"])
    late = f"{where.where} was not asked and read within {where.timeout + LOADING:g} s"
    return Started(lambda: ask(where, prompt, data, budget=budget, paid=paid), where.timeout, late)
