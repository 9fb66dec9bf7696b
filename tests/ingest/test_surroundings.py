"""What a transcript tells beside its turns: files, the working directory, how full the window is."""

import json
from pathlib import Path
from typing import Any

from memdir.ingest import surroundings


def _transcript(tmp_path: Path, *lines: dict[str, Any], more: bytes = b"") -> Path:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in lines) + more)
    return path


def _tool(name: str, **given: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": name, "input": given}]}}


def _reply(text: str = "ok", **usage: int) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": text, "usage": usage}}


def test_files_that_were_changed_the_last_one_first(tmp_path: Path) -> None:
    patch = {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Update File: d.py\n@@"}
    shell = {"command": ["apply_patch", "*** Add File: e.py\n+x\n*** Delete File: f.py\n"]}
    path = _transcript(
        tmp_path,
        {"type": "user", "cwd": "/old", "message": {"content": "go"}},
        _tool("Edit", file_path="a.py"),
        _tool("Read", file_path="never.py"),
        _tool("NotebookEdit", notebook_path="b.ipynb"),
        _tool("Write", file_path="a.py"),
        {"type": "response_item", "cwd": "/work", "payload": patch},
        {"type": "response_item", "payload": {"type": "function_call", "arguments": json.dumps(shell)}},
        more=b'{"torn',
    )
    found = surroundings.read(path)
    assert found.files == ["f.py", "e.py", "d.py", "a.py", "b.ipynb"]
    assert found.cwd == "/work"


def test_tokens_are_those_that_the_service_counted_last(tmp_path: Path) -> None:
    side = _reply(input_tokens=9) | {"isSidechain": True}
    path = _transcript(
        tmp_path,
        _reply(input_tokens=5),
        _reply(input_tokens=100, cache_read_input_tokens=20_000, cache_creation_input_tokens=3_000, output_tokens=50),
        side,
        {"type": "user", "message": {"content": "and now?"}},
    )
    assert surroundings.filled(path) == (23_150, 0)
    info = {"last_token_usage": {"total_tokens": 90_000}, "model_context_window": 272_000}
    path = _transcript(tmp_path, {"type": "event_msg", "payload": {"type": "token_count", "info": info}})
    assert surroundings.filled(path) == (90_000, 272_000)


def test_behind_a_compaction_what_was_counted_before_does_not_count(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary"}
    said = {"type": "user", "message": {"role": "user", "content": "four" * 100}}
    assert surroundings.filled(_transcript(tmp_path, said, _reply(input_tokens=190_000), boundary, said)) == (100, 0)


def test_where_nobody_counted_it_is_estimated(tmp_path: Path) -> None:
    tool = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x" * 398}]}}
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "word" * 50}]}}
    assert surroundings.filled(_transcript(tmp_path, tool, said)) == (150, 0)
    assert surroundings.filled(_transcript(tmp_path)) == (0, 0)
