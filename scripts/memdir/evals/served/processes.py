"""Servers as processes of their own, asked over a pipe or over HTTP, with no client of the SDK."""

import contextlib
import http.client
import json
import os
import queue
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memdir.errors import MemdirError

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "memdir-evals", "version": "0"}}
PATIENCE = 60.0  # seconds for one answer


def message(id_: object, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


class Piped:
    """`memdir mcp`: what it says, line by line, as it says it."""

    def __init__(self, root: Path, env: Mapping[str, str], *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "mcp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(env),
        )  # fmt: skip
        self.lines: queue.Queue[bytes] = queue.Queue()
        self._ears = threading.Thread(target=self._listen, daemon=True)
        self._ears.start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer(self, id_: object) -> dict[str, Any]:
        """The answer to a request; what comes before it is passed over. Raises MemdirError when there is none."""
        while line := self.lines.get(timeout=PATIENCE):
            held = json.loads(line)
            if held.get("id") == id_:
                return dict(held)
        raise MemdirError("the server ended before it answered")

    def begin(self) -> None:
        self.send(message("hello", "initialize", HELLO))
        self.answer("hello")
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def close(self) -> int:
        assert self.process.stdin
        assert self.process.stdout
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        code = self.process.wait(10)
        self._ears.join()
        self.process.stdout.close()
        return code


class Web:
    """One client of `memdir serve`, over one connection that is kept."""

    def __init__(self, port: int, token: str) -> None:
        self._held = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """The result of a tool, an error too. Raises MemdirError for any other answer."""
        asked = message(1, "tools/call", {"name": tool, "arguments": given})
        self._held.request("POST", "/mcp", asked, self._headers)
        answer = self._held.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise MemdirError(f"{tool}: {answer.status} {data[:200]!r}")
        return dict(json.loads(data)["result"])

    def close(self) -> None:
        self._held.close()


@contextlib.contextmanager
def web(root: Path, env: Mapping[str, str], *options: str) -> Iterator[tuple[int, str, int]]:
    """`memdir serve` on a free port, with its token and the number of the process; stopped at the end."""
    token = secrets.token_urlsafe(32)
    with subprocess.Popen(
        [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "serve", "--port", "0", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", env={**env, "MEMDIR_TOKEN": token},
    ) as process:  # fmt: skip
        assert process.stderr
        said = process.stderr.readline()
        found = re.search(r":(\d+)/mcp", said)
        if not found:
            raise MemdirError(f"the server did not start: {said}{process.stderr.read()}")
        ears = threading.Thread(target=process.stderr.read, daemon=True)
        ears.start()
        try:
            yield int(found[1]), token, process.pid
        finally:
            process.terminate()
            process.wait(10)
            ears.join()


def resident(pid: int) -> float:
    """Megabytes that a process holds now, 0 where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1000
    return 0.0
