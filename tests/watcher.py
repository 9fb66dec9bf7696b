"""`memdir watch` as a process of its own, and what it says, line by line, as it says it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import driver
from memdir.app.memory import Memory
from memdir.errors import Unusable

PATIENCE = 20.0  # seconds until a test gives up waiting for what takes one


def until(holds: Callable[[], object], patience: float = PATIENCE) -> bool:
    """Wait until a condition holds; whether it does in time."""
    end = time.monotonic() + patience
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def ids_of(root: Path) -> dict[str, int]:
    """Path → number of every file in the index as it is; waits while that is being written."""
    found: dict[str, int] = {}

    def read() -> bool:
        with Memory(root) as opened, contextlib.suppress(Unusable):
            found.update(opened.open_reader(verified=False).rows("SELECT path, id FROM files"))
            return True
        return False

    assert until(read)
    return found


class Watcher:
    """A running `memdir watch --json`; leaving the block stops it and holds it to exit code 0 within 2 seconds."""

    def __init__(self, root: Path, *, stop: signal.Signals = signal.SIGTERM, **env: str) -> None:
        self.stop = stop
        self.lines: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "watch", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=driver.environment(env),
        )
        self._ears = threading.Thread(target=self._listen)
        self._ears.start()

    def _listen(self) -> None:
        assert self.process.stdout
        self.lines.extend(json.loads(line) for line in self.process.stdout)

    def __enter__(self) -> Self:
        if not until(lambda: self.lines or self.process.poll() is not None) or not self.lines:
            self.process.kill()
            raise AssertionError(self._rest())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        asked = time.monotonic()
        self.process.send_signal(self.stop)
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            said = self._rest()
        if kind is None:
            assert (code, said) == (0, "")
            assert time.monotonic() - asked < 2

    def _rest(self) -> str:
        assert self.process.stdout
        assert self.process.stderr
        with self.process.stderr as stream:
            said = stream.read().decode()
        self._ears.join(PATIENCE)
        self.process.stdout.close()
        return said

    @property
    def looks(self) -> list[dict[str, Any]]:
        """Reports of the looks behind the first."""
        return [line["report"] for line in self.lines if line["report"] and not line["first"]]

    @property
    def notices(self) -> list[str]:
        return [notice for line in self.lines for notice in line["notices"]]

    def count(self, *words: str) -> int:
        return sum(int(look[word]) for look in list(self.looks) for word in words)
