"""The kinds of source that an import reads, each a module with `read` and `suits`; loaded when it is asked for."""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol, cast

from memdir.errors import MemdirError, UsageError
from memdir.ingest.members import JSON, File, Members
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
MOST_LOOKED_AT, MOST_SHOWN = 50, 10  # files of a folder that are looked at one by one, and that are named
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


def singly(members: Members, chosen: str) -> dict[str, str]:
    """Of the first JSON files of a folder: name → the kind that each looks like by itself, where that is not the one
    chosen for the whole, or none is."""
    found: dict[str, str] = {}
    for name in [one for one in members.names if one.lower().endswith(JSON)][:MOST_LOOKED_AT]:
        path = members.path(name)
        if path is None or len(members.names) == 1:
            return {}
        alone = File(path)
        with suppress(MemdirError):
            like = next((one for one in MODULES if one not in BROAD and kind(one).suits(alone)), chosen)
            found |= {name: like} if like != chosen else {}
    return found


def told(members: Members) -> str:
    """The kind that a source looks like. Raises UsageError when it looks like none."""
    for name in MODULES:
        if kind(name).suits(members):
            return name
    if not members.names:
        raise UsageError(f"{members.name}: there is no file in it")
    if all(not members.size(name) for name in members.names):
        raise UsageError(f"{members.name}: {'the file is' if len(members.names) == 1 else 'all files in it are'} empty")
    known = ", ".join((*MODULES, *ALIASES))
    if by_itself := singly(members, ""):
        shown = ", ".join(f"{name} ({one})" for name, one in [*by_itself.items()][:MOST_SHOWN])
        raise UsageError(f"{members.name}: no source as a whole, but files in it are: import each by itself: {shown}")
    raise UsageError(f"{members.name}: nothing that an import knows stands in it; if it does, name the source: {known}")
