"""What came back from an endpoint: an `Answer` or `Lost`; read into a `Reply` or into words for a person.

Nothing that a server sends is trusted: not its types, not its counts, not its text, which may echo the key.
Pure; touches no file and no network.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from memdir.llm.endpoint import Endpoint
from memdir.text import printable, token_count

WAIT = 30.0  # seconds; a server that asks for a longer pause is not waited for
_SHOWN = 200  # characters of a server's own words in a message
_AGAIN = (408, 409, 429)  # and every 5xx
_FAULTS = (400, 413, 422)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, and what it cost. `finish` "length": the text is cut. The text may be ""."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server sent back; names of headers are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def fine(self) -> bool:
        return 200 <= self.status < 300

    @property
    def again(self) -> bool:
        """Whether the same request may fare better a moment later."""
        return self.status in _AGAIN or self.status >= 500

    @property
    def fault(self) -> bool:
        """Whether the server found fault with this one request."""
        return self.status in _FAULTS


@dataclass(frozen=True, slots=True)
class Lost:
    """No usable answer. `sent`: the request may have reached the model; `again`: another try may fare better."""

    reason: str
    sent: bool = True
    again: bool = True
    late: bool = False


def reply(answer: Answer, prompt: int) -> Reply | None:
    """Return the reply in a chat completion, None where there is none. `prompt`: its tokens as estimated.

    A server that reports no usage, or zero for what cannot be zero, is not believed: the estimate counts.
    """
    data = _json(answer.body)
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    text = message.get("content")
    if not isinstance(text, str | None):
        return None
    usage = data.get("usage") if isinstance(data, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    finish = choice.get("finish_reason")
    return Reply(
        text or "",
        _count(counts.get("prompt_tokens"), prompt),
        _count(counts.get("completion_tokens"), token_count(text or "")),
        finish if isinstance(finish, str) else "",
    )


def pause(answer: Answer | Lost, tries: int) -> float | None:
    """Seconds to wait before try number `tries` + 1 (from 1), as the server asks or 0.5, 1, 2; None: too long."""
    asked = retry_after(answer.headers) if isinstance(answer, Answer) else None
    if asked is None:
        return float(min(0.5 * 2 ** (tries - 1), WAIT))
    return asked if asked <= WAIT else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait; a date is measured from the server's own `Date`. None: not said."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])).total_seconds()
        except (KeyError, TypeError, ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def words(body: bytes) -> str:
    """Return the error that a server describes, as it says it: its message, else the body."""
    data = _json(body)
    error = data.get("error", data) if isinstance(data, dict) else data
    message = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    if isinstance(message, str) and message:
        return message
    return body[:10_000].decode("utf-8", "replace")


def explain(answer: Answer | Lost, endpoint: Endpoint) -> str:
    """Return what went wrong, where, and what to try; without the key, bounded, safe for a terminal."""
    if isinstance(answer, Lost):
        if answer.late:
            what = f"did not answer within {endpoint.timeout:g} s"
            hint = f"raise {endpoint.bound or f'{endpoint.section}.timeout'} or take a faster model"
        else:
            what = f"gave no answer ({_clean(answer.reason, endpoint)})"
            hint = f"see that it runs and {endpoint.section}.url is right"
        return f"{endpoint.where} {what}; {hint}"
    what, hint = _meaning(answer, endpoint)
    # A server's own words on a key are left out: some repeat a part of it.
    said = "" if answer.status in (401, 403) else _clean(words(answer.body), endpoint)
    return f"{endpoint.where} {what} ({answer.status}){': ' * bool(said)}{said}; {hint}"


def _meaning(answer: Answer, endpoint: Endpoint) -> tuple[str, str]:
    """Return what the server did and what to try."""
    status, section = answer.status, endpoint.section
    if answer.fine:
        wanted = "a chat completion" if section == "llm" else "the vectors asked for"
        return f"answered without {wanted}", f"see that {section}.url ends where the API begins, such as /v1"
    if status in (401, 403):
        given = "refused the key" if endpoint.key else "wants a key"
        return given, f"{section}.key_env names the variable that holds it"
    if status == 404:
        model = _clean(endpoint.model, endpoint)
        return f"has no model {model!r}, or is no API", f"see {section}.model, and that {section}.url ends in /v1"
    if 300 <= status < 400:
        return "sends elsewhere, which is not followed", f"set {section}.url to the final address"
    if answer.fault:
        lower = "max_tokens" if section == "llm" else "batch or embedder.words"
        return "refused the request", f"if it is too long, lower {section}.{lower} or take a model that holds more"
    wait = retry_after(answer.headers)
    later = f"in {wait:.0f} s" if wait is not None and wait < math.inf else "later"
    return "failed", f"try again {later}, or see the server's log"


def _clean(text: str, endpoint: Endpoint) -> str:
    """One short line. The key goes after what is invisible: that could stand in the middle of it."""
    line = " ".join(endpoint.hidden(printable(text)).split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def _count(reported: object, estimate: int) -> int:
    """A number that a server reports, the estimate where it is none or not above zero."""
    if isinstance(reported, int) and not isinstance(reported, bool) and reported > 0:
        return reported
    return estimate


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
