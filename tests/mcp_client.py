"""Clients of memdir's MCP server: in this process, or over the pipe of a process of its own. Modules that import this
are skipped where the SDK is not installed."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

import driver

pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from memdir.interfaces.mcp import server, texts
from memdir.interfaces.mcp.callers import Choices
from memdir.interfaces.mcp.desk import Desk

T = TypeVar("T")
ERAS = ("auto", "legacy")  # the newest protocol, and the one of 2025 with a handshake
READS = ("memory_recall", "memory_read", "memory_context", "memory_loops", "memory_status")
WRITES = ("memory_write", "memory_log", "memory_ingest", "memory_forget")


class Talk:
    """A client that is connected; results as plain values."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **given: Any) -> dict[str, Any]:
        """The structured result. Fails when it is an error."""
        done = await self.client.call_tool(tool, given)
        assert not done.is_error, done.content
        assert done.structured_content is not None
        return done.structured_content

    async def error(self, tool: str, /, **given: Any) -> str:
        """What an error says. Fails when there is none."""
        done = await self.client.call_tool(tool, given)
        assert done.is_error, done.structured_content
        return "".join(getattr(one, "text", "") for one in done.content)

    async def read(self, uri: str) -> str:
        return "".join(getattr(one, "text", "") for one in (await self.client.read_resource(uri)).contents)


@contextlib.contextmanager
def desk(root: Path, now: Callable[[], datetime] | None = None, **choices: Any) -> Iterator[Desk]:
    """A vault served in this process, its first index made."""
    made = Desk(root, Choices(**choices), now)
    try:
        assert made.looks.made.wait(60)
        yield made
    finally:
        made.close(wait=10)


def talk(made: Desk, work: Callable[[Talk], Awaitable[T]], era: str = "auto", told: str = texts.HOW) -> T:
    """What a client in this process comes to."""

    async def run() -> T:
        async with Client(server.make(made, told), mode=era) as client:
            return await work(Talk(client))

    return anyio.run(run)


@contextlib.asynccontextmanager
async def piped(root: Path, *options: str, era: str = "auto", **env: str) -> AsyncIterator[Talk]:
    """A client of `memdir mcp` as a process of its own."""
    words = ["-m", "memdir", "--vault", os.fspath(root), "mcp", *options]
    with open(os.devnull, "w") as quiet:
        started = stdio_client(
            StdioServerParameters(command=sys.executable, args=words, env=driver.environment(env)), errlog=quiet
        )
        async with Client(started, mode=era) as client:
            yield Talk(client)


@contextlib.contextmanager
def web_server(root: Path, *options: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`memdir serve` on a free port: its address, and the process, which is stopped at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "serve", "--port", "0", *options],
        env=driver.environment(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as one:  # fmt: skip
        assert one.stderr
        said = one.stderr.readline()
        try:
            found = re.search(r"at (http://\S+)/mcp; (.*)", said)
            assert found, said + one.stderr.read()
            yield found[1], one
        finally:
            one.terminate()
            assert one.wait(10) == 0


@contextlib.asynccontextmanager
async def connected(url: str, secret: str, era: str) -> AsyncIterator[Talk]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {secret}"}, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=era) as client,
    ):
        yield Talk(client)
