"""One request over the wire: bounded in time and bytes, deaf to the environment.

Loads openai (0.5 s and more), so it is imported inside functions only. The SDK builds the request; what really
leaves is decided in `_Plain`: five headers, our key, no proxy, no redirect, nothing that an `OPENAI_*` variable
put there. Writes nothing and logs nothing.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2
import openai

from memdir.llm.answers import Answer, Lost
from memdir.llm.endpoint import Endpoint

LARGEST = 8 * 1024 * 1024  # bytes of an answer; 8,000 tokens of text are some 40 KB
_NO_URL = (httpx2.InvalidURL, UnicodeError)  # what the SDK and `idna` say of an impossible host
Api = Literal["chat", "embeddings"]
_HEADERS = ("host", "accept", "content-type", "content-length", "connection")


def post(endpoint: Endpoint, request: dict[str, Any], seconds: float, api: Api = "chat") -> Answer | Lost:
    """Return what the endpoint answers to one request within `seconds`; never raises for what it does.

    The exchange has a thread of its own: neither a name that does not resolve nor a server that sends one byte
    at a time can hold the caller longer. A thread that is too late is left; it ends at its next byte or timeout.
    """
    box: queue.SimpleQueue[Answer | Lost | BaseException] = queue.SimpleQueue()
    deadline = time.monotonic() + seconds

    def work() -> None:
        try:
            box.put(_exchange(endpoint, request, deadline, api))
        except BaseException as error:
            box.put(error)

    threading.Thread(target=work, name="memdir-llm", daemon=True).start()
    try:
        found = box.get(timeout=max(0.0, seconds))
    except queue.Empty:
        return Lost("no answer in time", again=False, late=True)
    if isinstance(found, BaseException):
        raise found
    return found


class _Stop(Exception):
    """The answer is too large, or compressed though it was asked not to be."""


class _Late(Exception):
    """The deadline passed while the answer was read."""


class _Bounded(httpx2.SyncByteStream):
    """The body of an answer, read up to a deadline and `LARGEST` bytes."""

    def __init__(self, body: httpx2.SyncByteStream, deadline: float) -> None:
        self._body, self._deadline = body, deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._body:
            size += len(chunk)
            if size > LARGEST:
                raise _Stop(f"an answer of more than {LARGEST // 1024 // 1024} MB")
            if time.monotonic() > self._deadline:
                raise _Late
            yield chunk

    def close(self) -> None:
        self._body.close()


class _Plain(httpx2.HTTPTransport):
    """Sends a request with our headers alone."""

    def __init__(self, endpoint: Endpoint, deadline: float) -> None:
        # Loading certificates takes 65 ms; a plain http address needs none.
        super().__init__(verify=urlsplit(endpoint.url).scheme.lower() == "https", trust_env=False)
        self._key, self._deadline = endpoint.key or "none", deadline

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
        headers |= {"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity", "User-Agent": "memdir"}
        response = super().handle_request(
            httpx2.Request(
                request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
            )
        )
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            response.close()
            raise _Stop("a compressed answer")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, self._deadline)
        return response


def _exchange(endpoint: Endpoint, request: dict[str, Any], deadline: float, api: Api) -> Answer | Lost:
    """Send and read. A connection lives as long as one request: an ask takes seconds, a handshake 0.1."""
    left = max(0.01, deadline - time.monotonic())
    try:
        with _client(endpoint, left, deadline) as client:
            raw = (client.chat.completions if api == "chat" else client.embeddings).with_raw_response
            create: Callable[..., Any] = raw.create
            response = create(**request).http_response
    except openai.APIStatusError as error:
        response = error.response
    except openai.APIConnectionError as error:
        return _lost(error.__cause__ or error, deadline)
    except (_Stop, _Late, *_NO_URL) as error:  # older versions of the SDK wrap these as well
        return _lost(error, deadline)
    return Answer(
        response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.content
    )


def _lost(error: BaseException, deadline: float) -> Lost:
    if isinstance(error, (_Stop, *_NO_URL)):
        return Lost(str(error), sent=isinstance(error, _Stop), again=False)
    connecting = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
    if isinstance(error, _Late | httpx2.TimeoutException):
        # A connection that is not made in its own time may be made a moment later.
        again = connecting and time.monotonic() < deadline
        return Lost("no connection in time" if again else "no answer in time", not connecting, again, late=not again)
    return Lost(str(error), sent=not connecting)


def _client(endpoint: Endpoint, left: float, deadline: float) -> openai.OpenAI:
    timeout = httpx2.Timeout(left, connect=min(left, endpoint.connect))
    return openai.OpenAI(
        api_key=endpoint.key or "none",
        admin_api_key="none",
        organization="",
        project="",
        webhook_secret="",
        base_url=endpoint.url,
        timeout=timeout,
        max_retries=0,
        http_client=httpx2.Client(
            transport=_Plain(endpoint, deadline), timeout=timeout, trust_env=False, follow_redirects=False
        ),
    )
