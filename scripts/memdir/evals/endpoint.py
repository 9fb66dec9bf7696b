"""A model's endpoint on this machine that answers by a script, for real clients to talk to.

Speaks as much of Anthropic's Messages and of OpenAI's Responses as Claude Code and Codex ask for, both streamed, and
keeps every request. No model, no network.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Body = Mapping[str, Any]


class Endpoint:
    """An open endpoint. Use as a context manager. `reply`: what is answered to the messages of a request."""

    def __init__(self, reply: Callable[[str], str]) -> None:
        self.requests: list[str] = []  # the messages of each, as JSON text with every sign as it is
        self.reply = reply
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _exchange(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: Body) -> tuple[str, bytes]:
        """Content type and bytes for a request."""
        if not path.endswith(("/messages", "/responses")):
            return _whole({"input_tokens": 1})
        said = json.dumps(body.get("messages") or body.get("input"), ensure_ascii=False)
        self.requests.append(said)
        text = self.reply(said)
        if path.endswith("/responses"):
            return _streamed(_response(text))
        return _streamed(_message(text)) if body.get("stream") else _whole(_told(text))


def _exchange(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Exchange(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what matters is kept."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            kind, data = endpoint.answer(self.path.partition("?")[0], body)
            self._send(kind, data)

        def do_GET(self) -> None:
            self._send(*_whole({}))

        do_HEAD = do_GET

        def _send(self, kind: str, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Exchange


def _whole(body: Body) -> tuple[str, bytes]:
    return "application/json", json.dumps(body).encode()


def _streamed(events: Iterator[Body]) -> tuple[str, bytes]:
    told = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
    return "text/event-stream", "".join(told).encode()


def _told(text: str) -> dict[str, Any]:
    """A message of Anthropic's."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    content = [{"type": "text", "text": text}]
    told = {"id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": content}
    return told | {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def _message(text: str) -> Iterator[Body]:
    """The same, piece by piece."""
    yield {"type": "message_start", "message": _told(text) | {"content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _response(text: str) -> Iterator[Body]:
    """A response of OpenAI's, piece by piece."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "item", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    whole = {"id": "response", "object": "response", "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}
