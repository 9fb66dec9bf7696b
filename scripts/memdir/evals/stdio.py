"""A server of the Model Context Protocol as a child process: one JSON object a line over its standard streams.

The client's half of a measurement, with the four messages that calling a tool needs. Writes nothing.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from memdir.errors import MemdirError

VERSION = "2025-06-18"  # of the protocol
_LEAVE = 30.0  # seconds in which the server is to end by itself


class Server:
    """An open server. Use as a context manager."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self.name, self.asked = os.fspath(command[0]), 0
        self.child = subprocess.Popen(
            command, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Self:
        client = {"name": "memdir.evals", "version": "1"}
        try:
            self._request("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
            self._send({"method": "notifications/initialized"})
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the input, by which the server knows that it may leave; one that stays is killed."""
        for stream in (self.child.stdin, self.child.stdout):
            with suppress(BrokenPipeError):  # closing flushes
                if stream:
                    stream.close()
        try:
            self.child.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool gives. Raises MemdirError when it fails."""
        given = self._request("tools/call", {"name": tool, "arguments": dict(arguments)})
        said = "".join(one.get("text", "") for one in given.get("content", ()))
        if given.get("isError"):
            raise MemdirError(f"{tool}: {said[:300]}")
        return said

    def _request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": params})
        for line in self.child.stdout or ():
            held = json.loads(line)
            if held.get("id") == self.asked and "method" not in held:
                if "error" in held:
                    raise MemdirError(f"{method}: {held['error']}")
                result: dict[str, Any] = held["result"]
                return result
        raise MemdirError(f"{self.name} ended before it answered {method}")

    def _send(self, message: Mapping[str, Any]) -> None:
        if self.child.stdin is None:
            raise MemdirError(f"{self.name} takes no input")
        with suppress(BrokenPipeError):  # who waits for the answer tells that the server is gone
            self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.child.stdin.flush()
