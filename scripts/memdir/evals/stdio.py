"""A server of the Model Context Protocol as a child process: one JSON object a line over its standard streams.

The client's half, with the four messages that calling a tool needs, and no client of the SDK. Writes nothing.
"""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from memdir.errors import MemdirError

VERSION = "2025-06-18"  # of the protocol
PATIENCE = 600.0  # seconds for one answer
_LEAVE = 30.0  # seconds in which the server is to end by itself


def message(id_: object, method: str, params: object) -> bytes:
    """One line that asks."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


class Server:
    """An open server. Use as a context manager. `lines`: what it says, line by line, as it says it; b"" at its end."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self.name, self.asked = os.fspath(command[0]), 0
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.child = subprocess.Popen(
            command, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ears = threading.Thread(target=self._listen, daemon=True)
        self._ears.start()

    def _listen(self) -> None:
        for line in self.child.stdout or ():
            self.lines.put(line)
        self.lines.put(b"")

    def __enter__(self) -> Self:
        client = {"name": "memdir.evals", "version": "1"}
        try:
            self._request("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
            self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the input, by which the server knows that it may leave; one that stays is killed."""
        with suppress(BrokenPipeError):  # closing flushes
            if self.child.stdin:
                self.child.stdin.close()
        try:
            self.child.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self._ears.join()
        if self.child.stdout:
            self.child.stdout.close()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool gives. Raises MemdirError when it fails."""
        given = self._request("tools/call", {"name": tool, "arguments": dict(arguments)})
        said = "".join(one.get("text", "") for one in given.get("content", ()))
        if given.get("isError"):
            raise MemdirError(f"{tool}: {said[:300]}")
        return said

    def _request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.asked += 1
        self.send(message(self.asked, method, params))
        while line := self.lines.get(timeout=PATIENCE):
            held = json.loads(line)
            if held.get("id") == self.asked and "method" not in held:
                if "error" in held:
                    raise MemdirError(f"{method}: {held['error']}")
                result: dict[str, Any] = held["result"]
                return result
        raise MemdirError(f"{self.name} ended before it answered {method}")

    def send(self, data: bytes) -> None:
        """Lines as they are."""
        if self.child.stdin is None:
            raise MemdirError(f"{self.name} takes no input")
        with suppress(BrokenPipeError):  # who waits for the answer tells that the server is gone
            self.child.stdin.write(data)
            self.child.stdin.flush()
