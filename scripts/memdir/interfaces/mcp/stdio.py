"""`memdir mcp`: one client over standard input and output.

The process ends when the input does, at SIGTERM, and when its parent is gone; what is being written then is waited for,
for a moment.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from memdir.app.serving import Served
from memdir.interfaces.mcp import server, texts
from memdir.interfaces.mcp.callers import Choices
from memdir.interfaces.mcp.desk import Desk
from memdir.interfaces.mcp.wire import Wire

ENDS = 1.0  # seconds that writes under way are waited for at the end
PARENT = 1.0  # seconds between two looks whether the parent is still there


def run(root: Path, now: Callable[[], datetime] | None, choices: Choices, wire: Wire) -> None:
    """Serve one client until it goes. Never returns: threads that wait for a disk are not waited for."""
    desk = Desk(root, choices, now)
    with Served(root, desk.looks, now=now) as memory:
        told = texts.instructions(memory, choices.scope)
    anyio.run(_serve, desk, server.make(desk, told), wire)
    end(desk)


def end(desk: Desk) -> None:
    """Leave the process, with what is being written on disk if that is a matter of a moment."""
    desk.close()
    desk.idle(ENDS)
    sys.stderr.flush()
    os._exit(0)


async def _serve(desk: Desk, served: Any, wire: Wire) -> None:
    pipe: Any = wire  # it does what the transport does with files
    async with anyio.create_task_group() as group:
        group.start_soon(until_signal, desk)
        group.start_soon(_until_orphaned, desk)
        with contextlib.suppress(BrokenPipeError, ConnectionError):
            async with stdio_server(pipe, pipe) as (incoming, outgoing):
                low = served._lowlevel_server
                await low.run(incoming, outgoing, low.create_initialization_options())
        group.cancel_scope.cancel()


async def until_signal(desk: Desk, wait: float = 0, *, task_status: Any = anyio.TASK_STATUS_IGNORED) -> None:
    """End at SIGTERM or Ctrl-C, `wait` seconds later where something else ends by itself. Windows has neither."""
    if sys.platform == "win32":
        task_status.started()
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            await anyio.sleep(wait)
            end(desk)


async def _until_orphaned(desk: Desk) -> None:
    """A client that is killed while a child of its own holds the pipe leaves it open: the parent tells of it."""
    parent = os.getppid()
    while sys.platform != "win32" and os.getppid() == parent:
        await anyio.sleep(PARENT)
    if os.getppid() != parent:
        end(desk)
