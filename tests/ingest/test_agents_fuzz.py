"""Transcripts of agents with anything in the place of anything: told, passed over or taken, never a crash."""

import copy
import json
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdir.errors import BadData
from memdir.ingest import kinds, members
from memdir.ingest.records import Bad, Left, Said, Wanted

TOOL = {"type": "tool_use", "id": "t", "name": "ls", "input": {"a": 1}}
GIVEN = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "x"}]}
THOUGHT = {"type": "thinking", "thinking": "hm"}
TEXT = {"type": "text", "text": "hello"}
CLAUDE = {
    "type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-10-01T09:00:00Z", "isMeta": False,
    "origin": {"kind": "human"}, "forkedFrom": {"sessionId": "p", "messageUuid": "m"},
    "message": {"role": "user", "content": [TEXT, THOUGHT, TOOL]},
}  # fmt: skip
LINES = {
    "claude-code": [
        CLAUDE,
        CLAUDE | {"type": "assistant", "message": {"content": "hi"}},
        CLAUDE | {"toolUseResult": {}, "message": {"content": [GIVEN]}},
        {"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "prompt": [TEXT], "origin": {}}},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"id": "c", "timestamp": "2026-10-01T09:00:00Z", "source": {"a": 1}}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "id": "i", "content": [TEXT]}},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}]}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "k"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "output": {"content": 1}}},
    ],
    "openclaw": [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-06-01T09:00:00Z"},
        {"type": "message", "id": "e", "timestamp": 1780304401000, "message": {
            "role": "user", "content": [TEXT, THOUGHT, TOOL], "provenance": {"kind": "external_user"}, "timestamp": 1,
        }},
        {"type": "message", "id": "f", "message": {"role": "toolResult", "toolCallId": "t", "content": [TEXT]}},
    ],
}  # fmt: skip
INSIDE = {
    "input": '"input": {"a": 1}',
    "text": '"text": "hello"',
    "arguments": '"arguments": "{}"',
    "content": '"content": 1',
}
ODD = (
    None,
    True,
    0,
    -1.5,
    10**30,
    "",
    "\ud800",
    "x" * 300,
    "ä·\n",
    [],
    [[]],
    [None, 3],
    {},
    {"type": []},
    {"text": {}},
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value, as what holds it and the key there."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def spoiled(lines: list[Any]) -> list[Any]:
    """Lines with each odd value at each of their places, one at a time, and with each place taken out."""
    found: list[Any] = []
    for line in lines:
        for number in range(len(list(places(line)))):
            for odd in (*ODD, ...):
                one = copy.deepcopy(line)
                holder, key = list(places(one))[number]
                if odd is ...:
                    del holder[key]
                else:
                    holder[key] = odd
                found.append(one)
    return [*found, *ODD]


@pytest.mark.parametrize("depth", [100, 900, 20_000])
@pytest.mark.parametrize("kind", LINES)
def test_what_is_nested_deep_is_told_or_taken(kind: str, depth: int, tmp_path: Path) -> None:
    deep, path = "[" * depth + "]" * depth, tmp_path / "a.jsonl"
    shapes = [json.dumps(one) for one in LINES[kind]]
    filled = [one.replace(old, f'"{key}": {deep}') for one in shapes for key, old in INSIDE.items() if old in one]
    path.write_text("\n".join([*filled, *shapes]), "utf-8")
    found = list(kinds.kind(kind).read(members.opened(path), Wanted(True, True)))
    assert [one for one in found if isinstance(one, Said)]


@pytest.mark.parametrize("kind", LINES)
def test_anything_may_stand_anywhere(kind: str, tmp_path: Path) -> None:
    lines = spoiled(LINES[kind])
    random.Random(7).shuffle(lines)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    for wanted in (Wanted(), Wanted(tools=True, thoughts=True)):
        found = list(kinds.kind(kind).read(members.opened(path), wanted))
        assert {type(one) for one in found} == {Said, Bad, Left}
        for one in found:
            if isinstance(one, Said):
                assert one.session
                assert one.speaker in ("user", "assistant", "tool", "thought")
                assert one.text.strip()
    for one in kinds.MODULES:
        kinds.kind(one).suits(members.opened(path))


def test_anything_may_stand_in_a_database(tmp_path: Path) -> None:
    path = tmp_path / "openclaw-agent.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE transcript_events (session_id, seq, event_json)")
    rows = [("s", n, json.dumps(one)) for n, one in enumerate(spoiled(LINES["openclaw"]))]
    rows += [(None, None, None), (b"\xff", 1.5, b"\xff\xfe"), (7, "x", 9), ("", -1, "\u0000")]
    db.executemany("INSERT INTO transcript_events VALUES (?, ?, ?)", rows)
    db.execute("INSERT INTO transcript_events VALUES ('s', 1, CAST(x'ff7b' AS TEXT))")
    db.commit()
    db.close()
    found = list(kinds.kind("openclaw").read(members.opened(path), Wanted(True, True)))
    assert {type(one) for one in found} == {Said, Bad, Left}


@pytest.mark.parametrize("kind", LINES)
def test_one_file_may_have_any_name_and_a_folder_must_hold_a_session(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "said"
    path.write_text("".join(json.dumps(one) + "\n" for one in LINES[kind]), "utf-8")
    assert [one for one in kinds.kind(kind).read(members.opened(path), Wanted()) if isinstance(one, Said)]
    (tmp_path / "other").write_text("x", "utf-8")
    with pytest.raises(BadData, match="in it"):
        list(kinds.kind(kind).read(members.opened(tmp_path), Wanted()))
