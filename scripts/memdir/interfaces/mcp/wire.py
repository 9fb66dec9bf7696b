"""The pipe to a client: descriptors that nothing else knows, and the lines that go over them.

Imports nothing of the protocol, so that it can be taken before anything is imported that might print.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from typing import BinaryIO

ENDS = 1.0  # seconds that answers under way are waited for when the input ends
LONGEST = 16_000_000  # bytes of one message


def taken() -> tuple[BinaryIO, BinaryIO]:
    """Both ends of the pipe on descriptors of their own; what reads from then on finds nothing, and what prints goes to
    standard error."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


class Wire:
    """The two ends of the pipe as text, and the requests that wait for their answer."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._waiting: set[str] = set()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._lines()

    async def _lines(self) -> AsyncIterator[str]:
        """The messages of the client. A thread of no importance waits for them: it never keeps the process alive."""
        lines: asyncio.Queue[bytes] = asyncio.Queue(64)
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(RuntimeError, OSError, ValueError):
                while True:
                    line = self._source.readline(LONGEST)
                    asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
                    if not line:
                        return

        threading.Thread(target=read, name="memdir-stdin", daemon=True).start()
        while line := await lines.get():
            if line.strip():
                self._note(line, asked=True)
                yield line.decode("utf-8", "replace")
        until = time.monotonic() + ENDS
        while self._waiting and time.monotonic() < until:
            await asyncio.sleep(0.01)

    async def write(self, text: str) -> None:
        self._sink.write(text.encode("utf-8", "replace"))
        self._sink.flush()
        self._note(text.encode("utf-8", "replace"), asked=False)

    async def flush(self) -> None:
        """Everything is flushed as it is written."""

    def _note(self, line: bytes, *, asked: bool) -> None:
        """Remember a request, forget it when its answer goes out."""
        with contextlib.suppress(ValueError, RecursionError):
            held = json.loads(line)
            if isinstance(held, dict) and held.get("id") is not None and ("method" in held) == asked:
                (self._waiting.add if asked else self._waiting.discard)(repr(held["id"]))
