"""What a reader of another format gives, one after another: turns, notes, what is broken, what is left out. Values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memdir.vault import injected, session
from memdir.vault.fields import Value

# What stands beside the words of a conversation, as reports call it.
CALLS, RESULTS, THOUGHTS, ARTIFACTS = "tool calls", "tool results", "thoughts", "artifacts"
_TOOLS = frozenset({CALLS, RESULTS, ARTIFACTS})


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation, ready for a session file but for its number.

    `source`: what the conversation comes from, where that is not what is read: its turns are then in their order.
    `title`: what it is called, told by its first turn.
    """

    session: str
    speaker: str
    text: str
    ts: str = ""
    uuid: str = ""
    scope: str = ""
    source: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Filed:
    """A file of another vault, to be written as it is. `path`: where it was, not yet checked."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Noted:
    """Knowledge that becomes a note. `origin`: its id within its source, by which it is known again; `type`: a topic
    type, of which user and feedback wait in the inbox; `more`: further front matter. `files`: paths, with `.md`, by
    which other notes of the source link to it, its own first: links follow to its new name; `exact`: nothing else of
    the text is changed but secrets, and no loop gets an id; `trust`: what the note says of itself."""

    origin: str
    title: str
    text: str
    type: str = "ref"
    tags: tuple[str, ...] = ()
    description: str = ""
    created: str = ""
    more: Mapping[str, Value] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    exact: bool = False
    trust: str = "external"


@dataclass(frozen=True, slots=True)
class Bad:
    """What could not be read: its place in the source, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Left:
    """What is left out on purpose ("tool results"), and how many of it."""

    why: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader is to give beside what was said. `tools`: what tools were given and gave back; `thoughts`: what a
    model thought."""

    tools: bool = False
    thoughts: bool = False

    def speaker(self, what: str) -> str:
        """Who says a thing that stands beside the words; "" where it is not asked for."""
        if what == THOUGHTS:
            return "thought" if self.thoughts else ""
        return "tool" if self.tools and what in _TOOLS else ""


_MODELS = frozenset({"assistant", "model"})  # who ends a reply with the memories that it used
Record = Said | Noted | Filed | Bad | Left


def said(
    id_: str, speaker: str, text: str, ts: object = None, uuid: str = "", scope: str = "", source: str = ""
) -> list[Said]:  # fmt: skip
    """A turn as a session file can hold it, without what memdir put into it; [] where nothing is said. `ts`: ISO 8601,
    or seconds since 1970."""
    text = injected.strip(whole(text))
    if speaker in _MODELS:
        text = injected.unsigned(text)
    if not text.strip():
        return []
    id_, uuid, scope, source = map(session.id_of, (id_, uuid, scope, source))
    return [Said(id_, session.speaker_of(speaker), text, session.moment(ts), uuid, scope, source)]


def whole(text: str) -> str:
    """Text without halves of signs: a lone surrogate says nothing and would make the file no UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
