"""memdir as processes of its own: a command, and a server asked over HTTP with no client of the SDK."""

import contextlib
import http.client
import json
import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memdir.errors import MemdirError
from memdir.evals.stdio import message

PATIENCE = 60.0  # seconds for one answer


def command(root: Path, *words: str) -> list[str]:
    """What runs memdir on a vault."""
    return [sys.executable, "-m", "memdir", "--vault", os.fspath(root), *words]


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
def web(root: Path, env: Mapping[str, str]) -> Iterator[tuple[int, str, int]]:
    """`memdir serve` on a free port, with its token and the number of the process; stopped at the end."""
    token = secrets.token_urlsafe(32)
    with subprocess.Popen(
        command(root, "serve", "--port", "0"),
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
