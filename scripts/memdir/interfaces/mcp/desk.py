"""The desk of a server: every call of a `Memory` method runs in one of a few threads, each with the vault open.

Three threads answer and one writes, so that no question waits for a write. What goes wrong comes back as a ToolError
that says what to do.
"""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from memdir.app.serving import Looks, Served
from memdir.errors import Conflict, MemdirError
from memdir.interfaces.mcp.callers import CALLER, READ, Caller, Choices

T = TypeVar("T")
Work = Callable[[Served], T]
Jobs = SimpleQueue[tuple[Future[Any], Callable[[Served], Any]] | None]
READERS = 3
AGAIN = 2.0  # seconds between two times that the index is brought up to date in the background
# What a message says to do on the command line, for who has tools alone.
_COMMAND = re.compile(r"`memdir (recall|read|log|ingest|context|loops|forget)\b")


@dataclass
class Desk:
    """One vault, open in the threads of a server until `close`."""

    root: Path
    choices: Choices = field(default_factory=Choices)
    now: Callable[[], datetime] | None = None
    looks: Looks = field(default_factory=Looks)

    def __post_init__(self) -> None:
        self._questions: Jobs = SimpleQueue()
        self._changes: Jobs = SimpleQueue()
        self._stopped = threading.Event()
        self._busy, self._count = 0, threading.Lock()  # calls that write, under way or waiting
        with Served(self.root, self.looks, now=self.now) as first:  # what cannot be opened is told at once
            if first.indexed():
                self.looks.made.set()
        work = [(self._serve, self._questions)] * READERS + [(self._serve, self._changes)]
        self._threads = [threading.Thread(target=each, args=(jobs,), daemon=True) for each, jobs in work]
        self._threads.append(threading.Thread(target=self._follow, daemon=True))
        for thread in self._threads:
            thread.start()

    def _follow(self) -> None:
        """Make the first index, and read what has changed where that is more than an answer may wait for."""
        if not self.looks.made.is_set():
            self.looks.behind.set()
        while not self._stopped.is_set():
            self.looks.behind.wait()
            self.looks.behind.clear()
            if self._stopped.is_set():
                return
            try:
                with Served(self.root, self.looks, now=self.now) as memory:
                    memory.catch_up()
            except (MemdirError, OSError):
                self.looks.made.set()  # an answer says what is wrong
            self._stopped.wait(AGAIN)

    def _serve(self, jobs: Jobs) -> None:
        """A thread: one job after another, until there is an empty one; the vault is opened anew when its settings have
        changed."""
        memory: Served | None = None
        while job := jobs.get():
            future, work = job
            if future.set_running_or_notify_cancel():
                try:
                    if memory is not None and memory.outdated():
                        memory.close()
                        memory = None
                    memory = memory or _opened(self.root, self.looks, self.now)
                    future.set_result(work(memory))
                except BaseException as error:
                    future.set_exception(error)
            del future, work, job
        if memory is not None:
            memory.close()

    async def read(self, work: Work[T]) -> T:
        """What a `Memory` method answers; the caller must have the right to read."""
        return await asyncio.wrap_future(self._asked(self._questions, work, READ))

    async def write(self, work: Work[T], right: str) -> T:
        """What a `Memory` method did; one writes at a time, and goes on where the client no longer waits."""
        future = self._asked(self._changes, work, right, self._began)
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    def _asked(self, jobs: Jobs, work: Work[T], right: str, begin: Callable[[], None] = lambda: None) -> "Future[T]":
        """A call on its way to a thread. Raises ToolError where the caller has no right to it."""
        caller = CALLER.get()
        if right not in caller.rights:
            raise ToolError(f"{caller.name} has no right to {right}: use a token that has it")
        future: Future[T] = Future()
        here, asked = copy_context(), time.monotonic()
        begin()
        jobs.put((future, lambda memory: here.run(_as_told, work, caller.by, asked, memory)))
        return future

    def _began(self) -> None:
        with self._count:
            self._busy += 1

    def _ended(self, _: object) -> None:
        with self._count:
            self._busy -= 1

    def idle(self, seconds: float) -> bool:
        """Wait until nothing is being written, for some seconds at most; whether nothing is."""
        until = time.monotonic() + seconds
        while self._busy and time.monotonic() < until:
            time.sleep(0.01)
        return not self._busy

    def close(self, wait: float = 0) -> None:
        """Stop the threads, behind what was asked before; wait for each for some seconds at most."""
        self._stopped.set()
        self.looks.behind.set()
        for jobs in [self._questions] * READERS + [self._changes]:
            jobs.put(None)
        for thread in self._threads if wait else ():
            thread.join(wait)


def _opened(root: Path, looks: Looks, now: Callable[[], datetime] | None) -> Served:
    try:
        return Served(root, looks, now=now)
    except MemdirError as error:
        raise ToolError(told(error)) from error


def _as_told(work: Work[T], by: str, asked: float, memory: Served) -> T:
    """A call of a `Memory` method, what goes wrong as an error for the client."""
    try:
        memory.begin(by, asked)
        return work(memory)
    except MemdirError as error:
        raise ToolError(told(error)) from error
    except OSError as error:
        raise ToolError(f"the system refused: {error.strerror or type(error).__name__}") from error


def told(error: MemdirError) -> str:
    """What an error says to who has tools: of a conflict also the digest to go on from."""
    said = _COMMAND.sub(r"`memory_\1", str(error))
    if isinstance(error, Conflict) and error.current:
        said += f" (it is {error.current} now)"
    return said if not isinstance(error, Conflict) or not error.kept else f"{said}; your text is in {error.kept}"


def scope_of(caller: Caller, asked: str, default: str) -> str:
    """The scope of a call: what is asked for if the caller sees it, else the caller's own. Raises ToolError."""
    if not caller.scopes:
        return asked or default
    if asked and asked not in caller.scopes:
        raise ToolError(f"scope {asked!r} is not one of this token's: {', '.join(caller.scopes)}")
    return asked or caller.scopes[0]
