"""A conversation without ids: messages with a role (JSON Lines or one list), or text whose lines name who speaks.

Its id is made from how it begins, so that the same conversation is known again when it has grown. What tools gave and
what a system told is no turn. Text that names nobody is one turn of `UNKNOWN`: whose words these are is not known.
Writes nothing.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memdir.ingest.chats import plain
from memdir.ingest.loose import word
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.members import read as reading
from memdir.ingest.records import RESULTS, Bad, Left, Record, Said, Wanted, said

UNKNOWN = "unknown"
MOST = 32_000_000  # bytes that are read
_LOOKED_AT = 1 << 16
_USER, _ASSISTANT = "user", "assistant"
_ROLES = {
    **dict.fromkeys(("user", "human", "me", "i", "you", "用户", "我", "人"), _USER),
    **dict.fromkeys(
        ("assistant", "ai", "model", "bot", "claude", "chatgpt", "gpt", "gemini", "助手", "模型"), _ASSISTANT
    ),
    **dict.fromkeys(("system", "developer", "系统"), "system"),
    **dict.fromkeys(("tool", "function", "tool_result", "工具"), "tool"),
}
PROGRAMS = frozenset(name for name, role in _ROLES.items() if role != _USER)  # who is no person
_SPEAKER = re.compile(r"^(?:\*\*)?([A-Za-z]{1,12}|[\u4e00-\u9fff]{1,3})(?:\*\*)?\s?[:：](?:\*\*)?\s?(.*)$")


def suits(members: Members) -> bool:
    """Whether its first file is a list, or lines, of messages with a role and without the id of a conversation."""
    name = next((one for one in members.names if one.endswith((".jsonl", ".json", ".ndjson"))), "")
    if not name:
        return False
    start = beginning(members, name, _LOOKED_AT).decode("utf-8", "replace").lstrip()
    first = start.partition("\n")[0] if start.startswith("{") else ""
    if not first:
        return bool(re.match(r'\[\s*\{\s*"role"\s*:\s*"(?:system|developer|user|assistant|tool)"', start))
    try:
        return _is_message(json.loads(first))
    except ValueError:
        return False


def _is_message(given: Any) -> bool:
    return (
        isinstance(given, dict)
        and isinstance(given.get("role"), str)
        and "content" in given
        and "session_id" not in given
    )


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The turns of its files, each a conversation."""
    for name in members.names:
        with reading(members, name) as stream:
            yield from records(stream.read(MOST), wanted)


def records(data: bytes, wanted: Wanted | None = None) -> Iterator[Record]:
    """The turns of a transcript in any of the forms, the plain one of `plain` among them."""
    text = data.decode("utf-8-sig", "replace")
    if (found := _messages(text)) is None:
        yield from _spoken(text)
        return
    if any(isinstance(one, dict) and "session_id" in one for one in found):
        for number, one in enumerate(found, 1):
            turn = plain.turn(one)
            yield Bad(f"line {number}", turn) if isinstance(turn, str) else turn
        return
    yield from _told(found, wanted or Wanted())


def _messages(text: str) -> list[Any] | None:
    """The objects of JSON Lines or of a list; None for what is neither. A torn line stays as it is."""
    bare = text.strip()
    if bare.startswith("["):
        try:
            held = json.loads(bare)
        except (ValueError, RecursionError):
            return None
        return held if isinstance(held, list) and any(_is_message(one) for one in held) else None
    if not bare.startswith("{"):
        return None
    found: list[Any] = []
    for line in bare.splitlines():
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            found.append(line)
    return found if any(isinstance(one, dict) for one in found) else None


def _told(found: Sequence[Any], wanted: Wanted) -> Iterator[Record]:
    id_ = _id(next((_words(one.get("content")) for one in found if isinstance(one, dict) and _role(one) == _USER), ""))
    for number, one in enumerate(found, 1):
        if not isinstance(one, dict) or not isinstance(one.get("role"), str):
            yield Bad(f"line {number}", "no message with a role")
            continue
        role = _role(one)
        if role == "tool":
            role = wanted.speaker(RESULTS)
        if role in ("", "system"):
            yield Left(RESULTS if not role else "what a system told")
            continue
        ts = one.get("timestamp") or one.get("created_at") or one.get("ts")
        yield from said(id_, role, _words(one.get("content")), ts, f"{id_}-{number}")


def _role(message: dict[str, Any]) -> str:
    name = word(message.get("role"))
    return _ROLES.get(name.casefold(), name)


def _words(content: Any) -> str:
    """The text of a message: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        word(one.get("text")) for one in parts if isinstance(one, dict) and one.get("type") in ("text", None)
    )


def _spoken(text: str) -> Iterator[Said]:
    """The turns of a text whose lines begin with who speaks; one of nobody known where no line does."""
    turns: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        found = _SPEAKER.match(line)
        if found and (role := _ROLES.get(found[1].casefold())):
            turns.append((role, [found[2]]))
        elif turns:
            turns[-1][1].append(line)
        elif line.strip():
            turns.append((UNKNOWN, [line]))
    if not any(role == _USER for role, _ in turns):
        turns = [(UNKNOWN, text.splitlines())] if text.strip() else []
    id_ = _id("\n".join(turns[0][1])) if turns else ""
    for number, (role, lines) in enumerate(turns, 1):
        if role not in ("system", "tool"):
            yield from said(id_, role, "\n".join(lines).strip(), None, f"{id_}-{number}")


def _id(beginning: str) -> str:
    return f"talk-{hashlib.sha256(' '.join(beginning.split()).encode('utf-8', 'replace')).hexdigest()[:12]}"
