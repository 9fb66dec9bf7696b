"""The server: every tool, resource and prompt with what a client is told of it."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.types import ToolAnnotations

from memdir import __version__
from memdir.interfaces.mcp import texts
from memdir.interfaces.mcp.callers import CALLER, CAPTURE, READ, WRITE
from memdir.interfaces.mcp.desk import Desk
from memdir.interfaces.mcp.reading import Reading
from memdir.interfaces.mcp.texts import Texts
from memdir.interfaces.mcp.writing import Writing

# Tool → the right that it needs.
RIGHTS = {
    "memory_recall": READ,
    "memory_read": READ,
    "memory_context": READ,
    "memory_loops": READ,
    "memory_status": READ,
    "memory_write": WRITE,
    "memory_log": CAPTURE,
    "memory_ingest": CAPTURE,
    "memory_forget": WRITE,
}


def make(desk: Desk, instructions: str) -> MCPServer[Any]:
    """A server of a desk. Without writers where it is read only."""
    server: MCPServer[Any] = MCPServer(
        "memdir",
        title="memdir: long-term memory",
        version=__version__,
        instructions=instructions,
        log_level="WARNING",
        subscriptions=False,
        middleware=[_only_what_is_allowed],
    )
    reading, writing, held = Reading(desk), Writing(desk), Texts(desk)
    for tool in (
        reading.memory_recall, reading.memory_read, reading.memory_context, reading.memory_loops, reading.memory_status
    ):  # fmt: skip
        _add(server, tool, ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False))
    if not desk.choices.read_only:
        adds = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
        _add(server, writing.memory_write, adds)
        _add(server, writing.memory_log, adds)
        _add(server, writing.memory_ingest, adds.model_copy(update={"idempotent_hint": True}))
        _add(
            server,
            writing.memory_forget,
            ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False),
        )
    server.resource("memory://note/{+path}", title="A note", mime_type="text/markdown")(held.note)
    server.resource("memory://brief/{scope}", title="The brief of a scope", mime_type="text/plain")(held.brief)
    server.resource("memory://index", title="MEMORY.md", mime_type="text/markdown")(held.index)
    for prompt in (texts.recall_first, texts.end_of_session):
        server.add_prompt(Prompt.from_function(prompt, description=inspect.getdoc(prompt)))
    return server


def _add(server: MCPServer[Any], tool: Callable[..., Awaitable[Any]], annotations: ToolAnnotations) -> None:
    name = tool.__name__
    title = f"{name.removeprefix('memory_').capitalize()} memory"
    server.add_tool(tool, name=name, title=title, description=inspect.getdoc(tool), annotations=annotations)


async def _only_what_is_allowed(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Leave tools for which the caller has no right out of the list of tools."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        rights = CALLER.get().rights
        result["tools"] = [one for one in result["tools"] if RIGHTS[one["name"]] in rights]
    return result
