"""A model made of a script: a real HTTP server on this machine that speaks `/v1/chat/completions` and
`/v1/embeddings`.

    with scripted(["first", Status(503), lambda request: "third"]) as server:
        client = Client(Endpoint(server.url, "tiny"))
        ...
        assert server.requests[0]["model"] == "tiny"

A list is answered in turn, and past its end with 418; anything else is what every request gets. An entry is

- a `str`: the content of a chat completion,
- `Embedded`: vectors; `numbers(4)` is a callable that gives some of four numbers, the same for the same text,
- a callable: takes the request's JSON, returns any of these,
- `Said`: content with a finish reason and a usage of one's own (`usage=None`: none is reported),
- `Status`: a code, headers and a body,
- `Raw`: bytes written as they are, with a pause after each; `Raw()` drops the connection without a word,
- `Late`: seconds to wait, then any of these.
"""

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Said:
    content: Any
    finish: str | None = "stop"
    usage: Any = field(default_factory=lambda: dict(USAGE))


@dataclass(frozen=True)
class Status:
    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = ""  # str or bytes as they are, else JSON


@dataclass(frozen=True)
class Raw:
    data: bytes = b""
    pause: float = 0.0  # seconds after each byte


@dataclass(frozen=True)
class Embedded:
    rows: Sequence[Any]
    order: Sequence[int] | None = None  # the index that each row is given, None: as they stand


def numbers(dimension: int) -> Callable[[Any], Embedded]:
    """Vectors for the texts of a request, made of their digests."""
    return lambda body: Embedded([vector(text, dimension) for text in body["input"]])


def vector(text: str, dimension: int) -> list[float]:
    digest = hashlib.shake_256(text.encode()).digest(dimension)
    return [byte - 127.5 for byte in digest]


@dataclass(frozen=True)
class Late:
    seconds: float
    then: Any = "late"


@dataclass(frozen=True)
class Asked:
    """One request that came in; `asked["model"]` is a key of its JSON."""

    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Any

    def __getitem__(self, name: str) -> Any:
        return self.body[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.body.get(name, default)

    @property
    def text(self) -> str:
        """The contents of all messages, a blank line between."""
        return "\n\n".join(message["content"] for message in self.body["messages"])


class Server(ThreadingHTTPServer):
    """`requests`: what came in, refused ones too; `refused`: how many were answered with 400 for their format."""

    daemon_threads = True

    def __init__(self, script: Any, refuses: Collection[str], usage: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Asker)
        self.script, self.refuses, self.usage = script, refuses, usage
        self.requests: list[Asked] = []
        self.refused = self._at = 0
        self.over = threading.Event()
        self._turn = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def left(self) -> int:
        """How many entries of the list were not asked for."""
        return len(self.script) - self._at

    def entry(self, asked: Asked) -> Any:
        """What this request gets."""
        with self._turn:
            self.requests.append(asked)
            kind = (asked.get("response_format") or {}).get("type")
            if kind in self.refuses:
                self.refused += 1
                return Status(400, body={"error": {"message": f"response_format {kind} is not supported"}})
            if not isinstance(self.script, list):
                return self.script
            self._at += 1
            return self.script[self._at - 1] if self._at <= len(self.script) else Status(418, body="end of the script")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


class _Asker(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        if self.path not in ("/v1/chat/completions", "/v1/embeddings"):
            self.server.requests.append(asked)
            self._status(Status(404, body="404 page not found"))
        else:
            self._give(self.server.entry(asked), body)

    def do_GET(self) -> None:
        self._status(Status(405))

    def _give(self, entry: Any, body: Any) -> None:
        if callable(entry):
            self._give(entry(body), body)
        elif isinstance(entry, Late):
            if not self.server.over.wait(entry.seconds):
                self._give(entry.then, body)
        elif isinstance(entry, Status):
            self._status(entry)
        elif isinstance(entry, Raw):
            self._raw(entry)
        elif isinstance(entry, Embedded):
            self._status(Status(200, body=_vectors(entry, body["model"])))
        else:
            said = entry if isinstance(entry, Said) else Said(entry)
            self._status(Status(200, body=_completion(said, body["model"], self.server.usage)))

    def _status(self, given: Status) -> None:
        raw = given.body if isinstance(given.body, str | bytes) else json.dumps(given.body)
        data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
        self.send_response_only(given.code)  # without a Date of its own
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **given.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _raw(self, raw: Raw) -> None:
        for n in range(len(raw.data)) if raw.pause else ():
            self.wfile.write(raw.data[n : n + 1])
            if self.server.over.wait(raw.pause):
                return
        if not raw.pause:
            self.wfile.write(raw.data)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the tests read `requests`."""


def _vectors(given: Embedded, model: str) -> dict[str, Any]:
    order = given.order or range(len(given.rows))
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in zip(order, given.rows, strict=True)]
    return {"object": "list", "model": model, "data": data, "usage": {"prompt_tokens": 5, "total_tokens": 5}}


def _completion(said: Said, model: str, usage: bool) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.content}
    made: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish}],
    }
    return made | ({"usage": said.usage} if usage and said.usage is not None else {})


@contextlib.contextmanager
def scripted(
    replies: str | Sequence[Any] | Callable[[Any], Any] | Any, *, refuses: Collection[str] = (), usage: bool = True
) -> Iterator[Server]:
    """Serve a script. `refuses`: kinds of `response_format` that get 400 and take no turn; `usage` False: none."""
    script = list(replies) if isinstance(replies, list | tuple) else replies
    server = Server(script, refuses, usage)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
