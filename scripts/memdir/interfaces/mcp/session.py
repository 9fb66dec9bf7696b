"""A scripted session: a client that starts `memdir mcp`, makes the calls that a file lists, and prints the answers.

A line of the file is a tool and its arguments, `memory_recall {"query": "cache"}`; `$digest` in it stands for the last
digest that came back. For a look at what a client gets, and for documents.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import memdir
from memdir.errors import MemdirError, UsageError

_PACKAGE = os.path.dirname(os.path.abspath(memdir.__file__))
TEXTS = ("memory", "text", "diff")  # fields that are printed as they are


def calls(text: str) -> Iterator[tuple[str, str]]:
    """Tool and arguments of each line; blank lines and those that begin with `#` are passed over. Raises UsageError."""
    for number, line in enumerate(text.splitlines(), 1):
        tool, _, given = line.strip().partition(" ")
        if not tool or tool.startswith("#"):
            continue
        try:
            if not isinstance(json.loads(given or "{}"), dict):
                raise ValueError("no object")
        except ValueError as error:
            raise UsageError(
                f'line {number}: a line is a tool and its arguments, `{tool} {{"key": "value"}}`'
            ) from error
        yield tool, given or "{}"


def run(root: Path, options: Sequence[str], script: str, show: Callable[[str], None]) -> None:
    """Make the calls of a script, one after another, in one session. Raises UsageError, MemdirError."""
    wanted = list(calls(script))
    words = [_PACKAGE, "--vault", os.fspath(root), "mcp", *options]
    started = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))

    async def talk() -> None:
        digest = ""
        async with Client(stdio_client(started)) as client:
            for tool, given in wanted:
                show(f"> {tool} {given}")
                done = await client.call_tool(tool, json.loads(given.replace("$digest", digest)))
                held = done.structured_content
                if done.is_error or held is None:
                    show("".join(f"error: {getattr(one, 'text', '')}" for one in done.content))
                else:
                    digest = str(held.get("digest") or digest)
                    show("\n".join(_lines(held)))

    try:
        anyio.run(talk)
    except* (OSError, RuntimeError) as group:
        raise MemdirError(f"the session ended early: {group.exceptions[0]}") from group


def _lines(held: dict[str, Any]) -> Iterator[str]:
    """A result for a person: its text as it is, then what else it says and is not empty, a line a field."""
    yield from (held[key] for key in TEXTS if held.get(key))
    for key, value in held.items():
        if key in TEXTS or value in ("", [], {}, 0, False, None):
            continue
        for one in value if isinstance(value, list) else [value]:
            yield f"{key}: {one if isinstance(one, str) else json.dumps(_full(one), ensure_ascii=False)}"


def _full(one: Any) -> Any:
    return {key: value for key, value in one.items() if value not in ("", [], False)} if isinstance(one, dict) else one
