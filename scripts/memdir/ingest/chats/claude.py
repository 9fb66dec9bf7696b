"""Exports of Claude.ai: one archive or folder as it was, or the manifest of 2026 with an archive for each part.

A conversation may branch where a question was put again; what is read is the chain of the newest message. Projects,
their documents and what Claude remembers become notes. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memdir.ingest import loose
from memdir.ingest.chats import exports
from memdir.ingest.chats.claude_notes import memories, project
from memdir.ingest.chats.claude_parts import turns
from memdir.ingest.chats.exports import One, Place
from memdir.ingest.loose import table, tables, word
from memdir.ingest.members import Members
from memdir.ingest.records import Bad, Record, Wanted
from memdir.vault import session

FILES = re.compile(r"(?:^|/)(?:conversations|projects|memories)(?:-\d[\w-]*)?(?:/[^/]+)?\.json$")
MANIFEST = re.compile(r"(?:^|/)manifest[\w.-]*\.json$")
KEYS = ("conversations",)
ROOT = "00000000-0000-4000-8000-000000000000"
_MEMORIES = {"conversations_memory", "project_memories", "memory_files"}
_PROJECT = {"prompt_template", "docs"}


def suits(members: Members) -> bool:
    """Whether one of its first items is a conversation, a project or a memory of Claude's."""
    return exports.holds(members, FILES, KEYS, lambda value: bool(_kind(value)))


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """Every conversation once, in its newest copy, with projects and memories where they stand."""
    files, bad = exports.opened(members, FILES, "no conversations, projects or memories of Claude are in it")
    yield from bad
    yield from _missing(members)
    names: dict[str, str] = {}  # of projects, of which memories know the ids only
    remembered = []
    for one in exports.newest(files, KEYS, _stamp):
        kind = _kind(one.value) if isinstance(one, One) else ""
        if not isinstance(one, One):
            yield one
        elif kind == "conversation":
            yield from exports.titled(word(one.value.get("name")), _conversation(one.where, one.value, wanted))
        elif kind == "project":
            names[word(one.value.get("uuid"))] = word(one.value.get("name"))
            yield from project(one.value)
        elif kind == "memories":
            remembered.append(one.value)
        else:
            yield Bad(one.where, "no conversation, project or memory")
    for value in remembered:
        yield from memories(value, names)


def _kind(value: Any) -> str:
    keys = table(value).keys()
    if "chat_messages" in keys:
        return "conversation"
    return "memories" if _MEMORIES & keys else "project" if _PROJECT & keys else ""


def _stamp(value: Any) -> tuple[str, float]:
    if _kind(value) != "conversation":
        return "", 0.0
    return word(value.get("uuid")), loose.instant(loose.moment(value.get("updated_at")))


def _missing(members: Members) -> Iterator[Bad]:
    """Archives that the manifest names and that are not there."""
    held = {name.rsplit("/", 1)[-1] for name in members.names}
    lists = [Place(members, name, name) for name in members.names if MANIFEST.search(name)]
    for one in exports.items(lists):
        if isinstance(one, Bad):
            yield one
            continue
        for part in tables(table(one.value).get("data_files")):
            name = word(part.get("filename"))
            if name and name not in held:
                yield Bad(one.where.partition(": ")[0], f"{name[:100]!r} belongs to the export and is not here")


def _conversation(where: str, chat: dict[str, Any], wanted: Wanted) -> Iterator[Record]:
    id_ = word(chat.get("uuid"))
    if not session.id_of(id_) or len(id_) > session.LONGEST_ID:
        yield Bad(where, "a conversation without id" if not session.id_of(id_) else "its id is too long")
        return
    messages = tables(chat.get("chat_messages"))
    chain = _chain(messages)
    counts: Counter[str] = Counter({exports.BRANCHES: len(messages) - len(chain)})
    given = [loose.moment(messages[number].get("created_at")) for number in chain]
    times, said = loose.in_order(given, loose.moment(chat.get("created_at"))), 0
    for number, at, time in zip(chain, given, times, strict=True):
        for one in turns(id_, messages[number], time, wanted, counts):
            counts[exports.GUESSED] += bool(time and not at)
            said += 1
            yield one
    counts[exports.SILENT] += not said
    yield from loose.left(counts)


def _chain(messages: list[dict[str, Any]]) -> list[int]:
    """Places of the messages from the first to the newest one. Where no parent is known, it is the one before."""
    places = {word(one.get("uuid")): number for number, one in enumerate(messages) if word(one.get("uuid"))}
    parents = []
    for number, one in enumerate(messages):
        parent = word(one.get("parent_message_uuid"))
        parents.append(-1 if parent == ROOT else places.get(parent, number - 1))
    leaves = set(range(len(messages))) - set(parents) or set(range(len(messages)))
    times = {number: loose.instant(loose.moment(messages[number].get("created_at"))) for number in leaves}
    at = max(leaves, key=lambda number: (times[number], number), default=-1)
    seen: dict[int, None] = {}
    while at >= 0 and at not in seen:
        seen[at] = None
        at = parents[at]
    return list(seen)[::-1]
