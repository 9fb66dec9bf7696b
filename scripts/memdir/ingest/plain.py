"""The plain form of a conversation: JSON Lines of `{"session_id", "speaker", "text", "ts"}`.

A line may also have a `uuid`, a `caption` (what a picture shows) and a `scope`. Read line by line, so that a file may
be larger than memory; a line that cannot be read is said with its number and passed over. Writes nothing.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from memdir.vault import session

LONGEST = 32_000_000  # bytes of one line; a longer one is no turn of a conversation


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as a transcript tells it, ready for a session file but for its number."""

    session: str
    speaker: str
    text: str
    ts: str = ""
    uuid: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that is no turn, from 1, and why."""

    line: int
    why: str


def read(stream: IO[bytes]) -> Iterator[Said | Bad]:
    """The turns of a transcript in order. Blank lines count as lines only."""
    number = 0
    while line := stream.readline(LONGEST):
        number += 1
        if len(line) == LONGEST and not line.endswith(b"\n"):
            while (more := stream.readline(LONGEST)) and not more.endswith(b"\n"):
                pass
            yield Bad(number, f"longer than {LONGEST // 1_000_000} MB")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            said = turn(line)
            yield said if isinstance(said, Said) else Bad(number, said)


def turn(line: bytes) -> Said | str:
    """The turn of one line, or why it is none."""
    try:
        given: Any = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return f"no JSON: {str(error)[:80]}"
    if not isinstance(given, dict):
        return "no JSON object"
    id_, speaker, uuid = (_word(given.get(key)) for key in ("session_id", "speaker", "uuid"))
    if not session.id_of(id_):
        return "no session_id"
    if len(id_) > session.LONGEST_ID:
        return f"session_id is longer than {session.LONGEST_ID} characters"
    if not isinstance(given.get("speaker"), str):
        return "no speaker"
    if not isinstance(given.get("text"), str):
        return "no text"
    text = _whole(_with_caption(given["text"], given.get("caption")))
    if not text.strip():
        return "the text is empty"
    ts, scope = session.moment(given.get("ts")), session.id_of(_word(given.get("scope")))
    return Said(session.id_of(id_), session.speaker_of(speaker), text, ts, session.id_of(uuid), scope)


def _word(given: object) -> str:
    """Text, or a whole number as text."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return ""
    return str(given)


def _with_caption(text: str, caption: object) -> str:
    """The text, with what a picture shows in words behind it."""
    if not isinstance(caption, str) or not caption.strip():
        return text
    photo = f"[photo: {' '.join(caption.split())}]"
    return f"{text}\n{photo}" if text.strip() else photo


def _whole(text: str) -> str:
    """Text without halves of signs: a lone surrogate says nothing and would make the file no UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def messages(given: str) -> tuple[str, ...]:
    """What was said in some messages: the `text` of a JSON line, any other line as it stands; blank ones left out."""
    return tuple(said for line in given.splitlines() if (said := _message(line).strip()))


def _message(line: str) -> str:
    try:
        held: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return str(held.get("text") or "") if isinstance(held, dict) else line
