"""Ask a model at an OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM or a hosted one.

One ask is bounded in time, tokens and tries. What a server does not accept (a schema, a temperature, the name of
a limit) is left out and remembered. The text comes back as the model wrote it. Touches no file; the network
only inside `ask`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memdir.errors import ModelError
from memdir.llm.answers import Answer, Lost, Reply, explain, pause, reply, words
from memdir.llm.endpoint import Endpoint
from memdir.llm.limits import Breaker, Budget
from memdir.llm.resting import Rest, pause_asked
from memdir.text import token_count

_AROUND = 4  # tokens that a chat template puts around a message, about
Message = Mapping[str, str]


class Refused(ModelError):
    """The endpoint found fault with this one request (400, 413, 422); the same again would fare no better."""


@dataclass(frozen=True, slots=True)
class _Manners:
    """What the server accepts: how replies are kept to a schema, a temperature, the name of the token limit."""

    formats: tuple[str, ...] = ("json_schema", "json_object", "")
    temperature: bool = True
    limit: str = "max_tokens"

    def options(self, schema: Mapping[str, Any] | None, most: int) -> dict[str, Any]:
        options: dict[str, Any] = {self.limit: most}
        if self.temperature:
            options["temperature"] = 0
        if schema is not None and self.formats[0]:
            options["response_format"] = {"type": self.formats[0]}
            if self.formats[0] == "json_schema":
                options["response_format"]["json_schema"] = {"name": "reply", "strict": True, "schema": dict(schema)}
        return options

    def milder(self, said: str, *, schema: bool) -> "_Manners | None":
        """Return what to try after a refusal: without what it names, else with less of a format; None: nothing left."""
        if self.limit == "max_tokens" and "max_completion_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if schema and len(self.formats) > 1:
            return replace(self, formats=self.formats[1:])
        return None


class Client:
    """Asks one endpoint. For one thread; `clock` gives seconds that only grow, `sleep` waits. `breaker`: None is one
    of the client's own; a `Rest` outlives it."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget | None = None,
        breaker: Breaker | Rest | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget or Budget()
        self._clock, self._sleep = clock, sleep
        self._breaker = breaker or Breaker(endpoint.where, clock)
        self._manners = _Manners()

    def ask(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None, max_tokens: int | None = None
    ) -> Reply:
        """Return the model's reply within the endpoint's timeout.

        `schema`: a JSON schema for the reply; a server that enforces none may answer anything, so the prompt must
        ask for JSON too and the reply must be checked. Raises BudgetSpent before anything is sent, Refused when the
        request itself is at fault, ModelError otherwise. After three failures in a row, 30 s of ModelError
        without a request.
        """
        self._breaker.check()
        found = self._ask(_Request(messages, schema, max_tokens or self.endpoint.max_tokens))
        self._breaker.worked()
        self.budget.spend(found.prompt_tokens + found.completion_tokens)
        return found

    def _ask(self, request: "_Request") -> Reply:
        """Try until there is a reply, no try or no time is left."""
        from memdir.llm import wire  # before the clock runs: loading the library is not the server's time

        manners, tries, deadline = self._manners, 1, self._clock() + self.endpoint.timeout
        while True:
            self.budget.expect(request.cost + request.most)
            body = request.body(self.endpoint.model) | manners.options(request.schema, request.most)
            answer = wire.post(self.endpoint, body, deadline - self._clock())
            if isinstance(answer, Lost) and answer.sent:
                self.budget.spend(request.cost)  # the model may have worked on it
            if isinstance(answer, Answer) and answer.fine and (found := reply(answer, request.cost)):
                self._manners = manners  # only now: a refusal may have had another reason
                return found
            if isinstance(answer, Answer) and answer.status in (400, 422):
                milder = manners.milder(words(answer.body).lower(), schema=request.schema is not None)
                if milder and self._clock() < deadline:
                    manners = milder
                    continue
            wait = pause(answer, tries) if answer.again and tries <= self.endpoint.retries else None
            if wait is None or self._clock() + wait >= deadline:
                said = explain(answer, self.endpoint)
                if isinstance(answer, Answer) and answer.fault:
                    raise Refused(said)
                self._breaker.failed(*pause_asked(answer))
                raise ModelError(said)
            self._sleep(wait)
            tries += 1


class _Request:
    """What is asked: messages that UTF-8 can hold, and their tokens as estimated."""

    def __init__(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, most: int) -> None:
        self.messages = [{key: _sound(value) for key, value in message.items()} for message in messages]
        self.schema, self.most = schema, most
        self.cost = sum(token_count(message.get("content", "")) + _AROUND for message in self.messages)

    def body(self, model: str) -> dict[str, Any]:
        return {"model": model, "messages": self.messages}


def _sound(text: str) -> str:
    """The text without lone surrogates, which files with odd bytes bring along."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
