"""The messages of a running conversation as somebody hands them over: JSON Lines, or a message a line."""

import json
from typing import Any


def messages(given: str) -> tuple[str, ...]:
    """What was said in some messages: the `text` of a JSON line, any other line as it stands; blank ones left out."""
    return tuple(said for line in given.splitlines() if (said := _message(line).strip()))


def _message(line: str) -> str:
    try:
        held: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return str(held.get("text") or "") if isinstance(held, dict) else line
