"""Codex: rollouts, the JSON Lines in which it keeps a session, one or a folder of them.

Messages of the person and of the model are turns. A turn is known by the id of its item, else by its session and its
line: a rollout only grows. What Codex tells the model (instructions, the surroundings, summaries) is left out, and so
are rollouts of subagents. A rollout that goes on from another begins with a copy of it: as far as both say the same and
the older one is in the source, the copy is passed over. Rollouts under zstd are told and not read. Writes nothing.
"""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from memdir.ingest import loose
from memdir.ingest.agents import blocks
from memdir.ingest.agents.blocks import Part, Place
from memdir.ingest.loose import word
from memdir.ingest.members import Members
from memdir.ingest.records import THOUGHTS, Bad, Left, Record, Said, Wanted
from memdir.vault import injected

_WRAPPED = frozenset({"session_meta", "response_item", "turn_context", "event_msg", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ITEMS = _CALLS | _RESULTS | {"message", "reasoning"}
_LOOKED_AT = 5  # files of a folder in which a rollout is looked for
_PACKED = "rollouts compressed with zstd, to be unpacked first"
_NAME = re.compile(r"rollout-.*\.jsonl")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
# What the program puts into the person's mouth begins so.
_PUT_IN = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<turn_aborted>",
    "<user_shell_command>", "<skill>", "<subagent_notification>", "<permissions instructions>", "<collaboration_mode>",
    "Another language model started to solve this problem",
)  # fmt: skip
_AROUND = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_REQUEST = "## My request for Codex:"  # behind what an editor puts before a message


@dataclass(slots=True)
class _Rollout:
    """One file on its way. `said`: hashes of its turns, 8 bytes each; `same`: how many of them its parent has too."""

    id: str = ""
    parent: str = ""
    ts: str = ""
    is_subagent: bool = False
    said: "array[int]" = field(default_factory=lambda: array("q"))
    same: int = 0

    def begins(self, meta: dict[str, Any], name: str) -> None:
        """Learn from a line that tells whose rollout it is; the second one is that of the parent, copied along."""
        id_ = blocks.id_of(meta.get("id"), "")
        if self.id:
            self.parent = self.parent or (id_ if id_ != self.id else "")
            return
        self.id = id_ or _id_of(name)
        self.parent = blocks.id_of(meta.get("forked_from_id"), "")
        self.ts = word(meta.get("timestamp"))
        source = meta.get("source")
        self.is_subagent = isinstance(source, dict) and "subagent" in source


def suits(members: Members) -> bool:
    """Whether one of its first files holds a line of a rollout."""
    files = _files(members)
    if any(one.endswith(".zst") for one in files):
        return True
    return any(_is_line(line) for name in files[:_LOOKED_AT] for line in blocks.head(members, name, 5))


def _is_line(line: dict[str, Any]) -> bool:
    if word(line.get("type")) in _WRAPPED:
        return isinstance(line.get("payload"), dict)
    return line.get("type") == "message" and "role" in line and isinstance(line.get("content"), list)


def _files(members: Members) -> list[str]:
    """The rollouts of a source by time, which their names begin with; else all JSON Lines."""
    names = sorted(members.names, key=lambda one: (PurePosixPath(one).name, one))
    named = [one for one in names if _NAME.match(PurePosixPath(one).name)]
    return named or [one for one in names if one.endswith(".jsonl")]


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The turns of every rollout. Raises BadData where there is none."""
    before: dict[str, array[int]] = {}
    names = blocks.chosen(members, _files(members), "rollout of Codex")
    for name in names:
        if name.endswith(".zst"):
            yield Left(_PACKED)
            continue
        rollout = _Rollout()
        lines = _lines(members, name, f"{name}: " if len(names) > 1 else "", rollout, wanted)
        for one in lines:
            yield Left("turns of the rollout that it goes on from") if _is_copied(one, rollout, before) else one
        before[rollout.id] = rollout.said


def _is_copied(one: Record, rollout: _Rollout, before: "dict[str, array[int]]") -> bool:
    """Whether a turn, like all before it, is that of the parent."""
    if not isinstance(one, Said):
        return False
    key, place = hash((one.speaker, one.text)), len(rollout.said)
    rollout.said.append(key)
    parent = before.get(rollout.parent, ())
    if rollout.same < place or place >= len(parent) or parent[place] != key:
        return False
    rollout.same += 1
    return True


def _lines(members: Members, name: str, where: str, rollout: _Rollout, wanted: Wanted) -> Iterator[Record]:
    for one in blocks.rows(members, name, where):
        if isinstance(one, Bad):
            yield one
        elif not isinstance(one.value, dict):
            yield Bad(f"{where}line {one.number}", "no JSON object")
        else:
            yield from _line(one.value, one.number, name, rollout, wanted)


def _line(line: dict[str, Any], number: int, name: str, rollout: _Rollout, wanted: Wanted) -> Iterator[Record]:
    kind, held = line.get("type"), line.get("payload")
    payload: dict[str, Any] = held if isinstance(held, dict) else {}
    if kind == "session_meta" or (kind is None and "id" in line):
        rollout.begins(payload or line, name)
        return
    item = payload if kind == "response_item" else line
    if word(item.get("type")) not in _ITEMS:
        what = item.get("type") or line.get("record_type")
        yield Left(blocks.line_of(what))
        return
    if not rollout.id:
        rollout.begins({}, name)
    rollout.ts = word(line.get("timestamp")) or word(item.get("timestamp")) or rollout.ts
    role = word(item.get("role")) or "assistant"
    found = _item(item, role, f"{rollout.id}:{number}")
    if rollout.is_subagent:
        found = (Part("turns of subagents") for _ in found)
    yield from blocks.records(found, Place(rollout.id, role, rollout.ts), wanted)


def _item(item: dict[str, Any], role: str, place: str) -> Iterator[Part]:
    """The pieces of an item. `place`: its id where it has none of its own."""
    kind = item["type"]
    uuid = word(item.get("id")) or place
    if kind in _CALLS:
        given = next((item[key] for key in ("arguments", "input", "action") if item.get(key) is not None), "")
        yield blocks.call(item.get("name") or kind.removesuffix("_call"), given, word(item.get("call_id")) or uuid)
    elif kind in _RESULTS:
        output = item.get("output")
        content = output.get("content") if isinstance(output, dict) else output
        yield blocks.result(content, word(item.get("call_id")) or uuid)
    elif kind == "reasoning":
        if text := loose.text_of(item.get("summary")) or loose.text_of(item.get("content")):
            yield Part(THOUGHTS, text, uuid)
    elif role not in ("user", "assistant"):
        yield Part(blocks.PUT_IN)
    else:
        yield from blocks.parts(item.get("content"), uuid, _typed if role == "user" else str.strip)


def _typed(text: str) -> str:
    """What a person typed, without what the program put in or before it."""
    text = injected.strip(text).strip()
    if text.startswith(_PUT_IN):
        return ""
    if text.startswith(_AROUND):
        return text.partition(_REQUEST)[2].strip()
    return text


def _id_of(name: str) -> str:
    """The id that the name of a rollout ends with, else the name."""
    named = blocks.stem(name)
    found = _UUID.search(named)
    return found[0] if found else named
