"""The kinds of source that an import reads, each a module with `read` and `suits`; loaded when it is asked for."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Protocol, cast

from memdir.errors import UsageError
from memdir.ingest.members import Members
from memdir.ingest.records import Record, Wanted


class Kind(Protocol):
    """A module of this room that reads one kind of source."""

    def suits(self, members: Members) -> bool:
        """Whether a source looks like one of this kind, by its names and first bytes; cheap."""
        ...

    def read(self, members: Members, wanted: Wanted) -> Iterator[Record]:
        """Everything in a source, in order. Never raises for a bad record; BadData for a source that is none."""
        ...


# Name on the command line → module, in the order in which a source is tried when no name is given.
MODULES = {
    "chatgpt": "chats.chatgpt",
    "claude": "chats.claude",
    "gemini": "chats.gemini",
    "claude-code": "agents.claude_code",
    "codex": "agents.codex",
    "openclaw": "agents.openclaw",
    "memdir": "exported",
    "jsonl": "chats.plain",
    "messages": "chats.dialogue",
    "mcp-memory": "knowledge.mcp_memory",
    "mem0": "knowledge.mem0",
    "claude-memory": "knowledge.claude_memory",
    "basic-memory": "knowledge.basic_memory",
    "documents": "knowledge.documents",
    "markdown": "knowledge.markdown_folder",
}
TALKS = ("chatgpt", "claude", "gemini", "claude-code", "codex", "openclaw", "jsonl", "messages")  # kinds of talk alone
BROAD = ("jsonl", "documents", "markdown")
ALIASES = {"obsidian": "markdown"}  # further names; what came in under one is known under the other


def kind(name: str) -> Kind:
    """The reader of a kind by its first name. Raises UsageError."""
    if name not in MODULES:
        raise UsageError(f"{name!r} is no source; there are {', '.join([*MODULES, *ALIASES])}")
    module: Any = import_module(f"memdir.ingest.{MODULES[name]}")
    return cast("Kind", module)


def also(members: Members, chosen: str) -> list[str]:
    """The other kinds that a source looks like; not those that nearly every folder looks like."""
    return [name for name in MODULES if name not in (chosen, *BROAD) and kind(name).suits(members)]


def told(members: Members) -> str:
    """The kind that a source looks like. Raises UsageError when it looks like none."""
    for name in MODULES:
        if kind(name).suits(members):
            return name
    if not members.names:
        raise UsageError(f"{members.name}: there is no file in it")
    known = ", ".join((*MODULES, *ALIASES))
    raise UsageError(f"{members.name}: nothing that an import knows stands in it; if it does, name the source: {known}")
