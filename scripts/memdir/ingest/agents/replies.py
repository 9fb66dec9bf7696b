"""The last reply of a transcript of Claude Code or Codex, read from its end. Writes nothing."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from memdir.ingest.loose import text_of, word
from memdir.vault import injected

TAIL = 1 << 18  # bytes from the end in which the reply is looked for


class Reply(NamedTuple):
    """What was said last, when, and the memories that it says it used, None where it says nothing of them."""

    text: str
    ts: str
    numbers: list[int] | None


def last(path: Path) -> Reply | None:
    """The last text of the model behind which the person has said nothing, None where there is none."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - TAIL))
        lines = file.read().split(b"\n")
    for data in reversed(lines):
        try:
            line: Any = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if not isinstance(line, dict) or line.get("isSidechain"):
            continue
        payload = line.get("payload")
        item = payload if isinstance(payload, dict) else line.get("message")
        if not isinstance(item, dict):
            continue
        text, role = text_of(item.get("content")), item.get("role")
        if role == "assistant" and text.strip():
            return Reply(text, word(line.get("timestamp")), injected.used(text))
        if role == "user" and text.strip() and not line.get("isMeta"):
            return None
    return None
