"""Exports of ChatGPT: `conversations.json` or its shards, in a folder, an archive or a folder of archives.

A conversation is a tree; what is read is the branch that was last shown. What ChatGPT was told about its user and
what it kept in its memory become notes. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memdir.errors import MemdirError
from memdir.ingest import loose
from memdir.ingest.chats import canvas, exports
from memdir.ingest.chats.chatgpt_parts import Names, hidden, told
from memdir.ingest.chats.exports import One, Place
from memdir.ingest.chats.personal import Personal
from memdir.ingest.loose import table, word
from memdir.ingest.members import Members
from memdir.ingest.records import CALLS, RESULTS, Bad, Noted, Record, Wanted, said
from memdir.vault import session

FILES = re.compile(r"(?:^|/)conversations(?:-\d[\w-]*)?\.json$")
NAMES = re.compile(r"(?:^|/)conversation_asset_file_names\.json$")
KEYS = ("conversations",)
_SHAPE = {"mapping", "current_node"}


def suits(members: Members) -> bool:
    """Whether its first conversations have ChatGPT's keys."""
    return exports.holds(members, FILES, KEYS, lambda value: bool(_SHAPE & table(value).keys()))


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """Every conversation once, in its newest copy, then what ChatGPT knew about its user."""
    files, bad = exports.opened(members, FILES, "no conversations.json is in it")
    yield from bad
    names, personal = _names(members), Personal()
    for one in exports.newest(files, KEYS, _stamp):
        if not isinstance(one, One):
            yield one
        elif not isinstance(one.value, dict):
            yield Bad(one.where, "no conversation")
        else:
            found = _conversation(one.where, one.value, _Reading(wanted, names, personal))
            yield from exports.titled(word(one.value.get("title")), found)
    yield from personal.notes()


def _stamp(value: Any) -> tuple[str, float]:
    return _id(table(value)), loose.instant(loose.moment(table(value).get("update_time")))


def _id(chat: dict[str, Any]) -> str:
    return word(chat.get("id")) or word(chat.get("conversation_id"))


def _names(members: Members) -> Names:
    """The real names of pictures and files by their ids."""
    found: Names = {}
    try:
        held = [one for one in exports.places(members, NAMES) if isinstance(one, Place) and NAMES.search(one.name)]
        for one in exports.items(held):
            for key, name in table(getattr(one, "value", None)).items():
                if isinstance(name, str):
                    found[key.rsplit("/", 1)[-1].split(".", 1)[0]] = " ".join(name.split())[:200]
    except MemdirError:
        return {}
    return found


@dataclass(slots=True)
class _Reading:
    """A conversation while it is read. `time`: that of the message at hand."""

    wanted: Wanted
    names: Names
    personal: Personal
    id: str = ""
    time: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    drafts: canvas.Canvas = field(default_factory=canvas.Canvas)


def _conversation(where: str, chat: dict[str, Any], now: _Reading) -> Iterator[Record]:
    mapping = table(chat.get("mapping"))
    branch = _branch(mapping, word(chat.get("current_node")))
    now.id = _id(chat) or next((word(_message(mapping, id_).get("id")) for id_ in branch if _message(mapping, id_)), "")
    if len(now.id) > session.LONGEST_ID:
        yield Bad(where, f"its id is longer than {session.LONGEST_ID} characters")
        return
    if not session.id_of(now.id) and mapping:
        yield Bad(where, "a conversation without id")
        return
    begin = loose.moment(chat.get("create_time")) or loose.moment(chat.get("update_time"))
    times = loose.in_order([loose.moment(_message(mapping, id_).get("create_time")) for id_ in branch], begin)
    turns = 0
    for id_, now.time in zip(branch, times, strict=True):
        for one in _turn(id_, _message(mapping, id_), now):
            turns += not isinstance(one, Noted)
            yield one
    yield from now.drafts.notes(word(chat.get("title")), now.time or begin)
    now.counts[exports.BRANCHES] += _elsewhere(mapping, branch)
    if not turns:
        now.counts[exports.SILENT] += 1
    yield from loose.left(now.counts)


def _message(mapping: dict[str, Any], id_: str) -> dict[str, Any]:
    return table(table(mapping.get(id_)).get("message"))


def _branch(mapping: dict[str, Any], current: str) -> list[str]:
    """The nodes from the root to the one that is shown, or to the newest leaf. A circle ends where it closes."""
    seen: dict[str, None] = {}
    at = current if current in mapping else _newest_leaf(mapping)
    while at in mapping and at not in seen:
        seen[at] = None
        at = word(table(mapping[at]).get("parent"))
    return list(seen)[::-1]


def _newest_leaf(mapping: dict[str, Any]) -> str:
    """The newest node that is nobody's parent; of equally new ones the last in the file."""
    parents = {word(table(node).get("parent")) for node in mapping.values()}
    leaves = [id_ for id_ in mapping if id_ not in parents] or list(mapping)
    times = [loose.instant(loose.moment(_message(mapping, id_).get("create_time"))) for id_ in leaves]
    return max(zip(times, range(len(leaves)), leaves, strict=True), default=(0.0, 0, ""))[2]


def _elsewhere(mapping: dict[str, Any], branch: list[str]) -> int:
    """How many visible turns stand on other branches."""
    shown = set(branch)
    others = (_message(mapping, id_) for id_ in mapping if id_ not in shown)
    return sum(_role(one) in ("user", "assistant") and not hidden(one) and not _calls(one) for one in others)


def _role(message: dict[str, Any]) -> str:
    return word(table(message.get("author")).get("role"))


def _calls(message: dict[str, Any]) -> str:
    """The tool that a message goes to; "" where it goes to the user."""
    recipient = word(message.get("recipient"))
    return "" if recipient == "all" else recipient


def _turn(node: str, message: dict[str, Any], now: _Reading) -> Iterator[Record]:
    """What a message comes to: a turn, a note, or something to count."""
    if not message:
        return
    now.personal.instructed(message, now.time)
    if hidden(message):
        now.counts["hidden messages"] += 1
        return
    role, tool = _role(message), _calls(message)
    what = told(message, now.names, now.counts)
    if tool == "bio":
        yield from now.personal.remembered(what.text, now.time)
        return
    if tool.startswith("canmore."):
        now.drafts.take(tool, word(message.get("id")) or node, what.text, now.counts)
        return
    kind = what.kind or (CALLS if tool else RESULTS if role == "tool" else "")
    if not what.text.strip():
        return
    speaker = now.wanted.speaker(kind) if kind else role
    if kind and not speaker:
        now.counts[kind] += 1
        return
    text = loose.call(tool, what.text) if kind == CALLS else what.text
    for one in said(now.id, speaker, text, now.time, word(message.get("id")) or node):
        now.counts[exports.GUESSED] += bool(now.time) and not loose.moment(message.get("create_time"))
        yield one
