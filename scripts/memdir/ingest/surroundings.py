"""What a transcript of Claude Code or Codex tells beside its turns: the working directory, files that were changed, and
how full its window is. Read from its end; writes nothing."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memdir.ingest.loose import table, tables, text_of, word
from memdir.text import token_count

TAIL = 1 << 18  # bytes from the end in which the last count of tokens is looked for: several replies
LONG = 1 << 23  # bytes from the end that are read for files, and for an estimate where nobody has counted
_CHANGING = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_PATCHED = re.compile(r"(?:^|(?<=[\"']))\*\*\* (?:Update|Add|Delete) File: (.{1,500})$", re.MULTILINE)
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


@dataclass(slots=True)
class Surroundings:
    """`files`: those that were changed, the last one first."""

    cwd: str = ""
    files: list[str] = field(default_factory=list)


def read(path: Path) -> Surroundings:
    """The working directory and the files. Raises OSError."""
    found = Surroundings()
    files = dict[str, None]()
    for line in _lines(path, LONG):
        payload = table(line.get("payload"))
        found.cwd = word(line.get("cwd")) or word(payload.get("cwd")) or found.cwd
        for name in _changed(line, payload):
            files.pop(name, None)
            files[name] = None
    found.files = [*files][::-1]
    return found


def _changed(line: dict[str, Any], payload: dict[str, Any]) -> Iterator[str]:
    """The files that a line changes: by a tool of Claude Code, or a patch that Codex applies."""
    for block in tables(table(line.get("message")).get("content")):
        if block.get("type") == "tool_use" and block.get("name") in _CHANGING:
            where = table(block.get("input"))
            yield from filter(None, [word(where.get("file_path")) or word(where.get("notebook_path"))])
    if payload.get("type") in ("function_call", "custom_tool_call"):
        given = word(payload.get("input")) or word(payload.get("arguments"))
        yield from (found[1].strip() for found in _PATCHED.finditer(given.replace("\\n", "\n")))


def filled(path: Path) -> tuple[int, int]:
    """Tokens in the window after the last reply, and how many the window holds where the transcript says that (else 0).

    By the count of the service where there is one, else by an estimate of what was said since the last compaction.
    Raises OSError.
    """
    for line in reversed([*_lines(path, TAIL)]):
        if line.get("subtype") == "compact_boundary" or line.get("type") == "compacted":
            break
        told = table(table(line.get("payload")).get("info"))
        if counted := table(told.get("last_token_usage")).get("total_tokens"):
            return _whole(counted), _whole(told.get("model_context_window"))
        usage = table(table(line.get("message")).get("usage"))
        if usage and not line.get("isSidechain") and (sum_ := sum(_whole(usage.get(key)) for key in _COUNTED)):
            return sum_, 0
    return _estimated(path), 0


def _estimated(path: Path) -> int:
    count = 0
    for line in _lines(path, LONG):
        if line.get("subtype") == "compact_boundary" or line.get("type") == "compacted":
            count = 0
        elif not line.get("isSidechain") and line.get("type") in ("user", "assistant", "response_item"):
            item = table(line.get("payload")) or table(line.get("message"))
            count += token_count(text_of(item.get("content"))) + sum(map(_tool_tokens, tables(item.get("content"))))
    return count


def _tool_tokens(block: dict[str, Any]) -> int:
    given = block.get("input") or block.get("content")
    return 0 if block.get("type") not in ("tool_use", "tool_result") or not given else token_count(json.dumps(given))


def _whole(given: object) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else 0


def _lines(path: Path, most: int) -> Iterator[dict[str, Any]]:
    """The JSON objects of the last `most` bytes; the piece of a line at their beginning is passed over."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - most))
        for data in file.read(most).split(b"\n"):
            try:
                line = json.loads(data)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict):
                yield line
