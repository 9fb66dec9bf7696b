"""The plain form of a conversation: JSON Lines of `{"session_id", "speaker", "text", "ts"}`.

A line may also have a `uuid`, a `caption` (what a picture shows) and a `scope`. Read line by line, so that a file may
be larger than memory; a line that cannot be read is said with its number and passed over. Writes nothing.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from memdir.ingest import jsonstream
from memdir.ingest.loose import word
from memdir.ingest.members import Members
from memdir.ingest.members import read as reading
from memdir.ingest.records import Bad, Record, Said, Wanted, whole
from memdir.vault import session


def suits(members: Members) -> bool:
    """Whether its first file begins with a turn."""
    name = next((one for one in members.names if one.endswith((".jsonl", ".ndjson"))), "")
    if not name:
        return False
    with reading(members, name) as stream:
        return isinstance(next(lines(stream), None), Said)


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The turns of every `.jsonl` file, or of the one file that is given."""
    files = [name for name in members.names if name.endswith((".jsonl", ".ndjson"))] or members.names[:1]
    for name in files:
        with reading(members, name) as stream:
            for one in lines(stream):
                yield replace(one, where=f"{name}: {one.where}") if isinstance(one, Bad) and len(files) > 1 else one


def lines(stream: IO[bytes]) -> Iterator[Said | Bad]:
    """The turns of a transcript in order."""
    for one in jsonstream.rows(stream):
        if isinstance(one, Bad):
            yield one
            continue
        said = turn(one.value)
        yield Bad(f"line {one.number}", said) if isinstance(said, str) else said


def turn(given: Any) -> Said | str:
    """The turn of one line, or why it is none."""
    if not isinstance(given, dict):
        return "no JSON object"
    id_, speaker, uuid = (word(given.get(key)) for key in ("session_id", "speaker", "uuid"))
    if not session.id_of(id_):
        return "no session_id"
    if len(id_) > session.LONGEST_ID:
        return f"session_id is longer than {session.LONGEST_ID} characters"
    if not isinstance(given.get("speaker"), str):
        return "no speaker"
    if not isinstance(given.get("text"), str):
        return "no text"
    text = whole(_with_caption(given["text"], given.get("caption")))
    if not text.strip():
        return "the text is empty"
    ts, scope = session.moment(given.get("ts")), session.id_of(word(given.get("scope")))
    return Said(session.id_of(id_), session.speaker_of(speaker), text, ts, session.id_of(uuid), scope)


def _with_caption(text: str, caption: object) -> str:
    """The text, with what a picture shows in words behind it."""
    if not isinstance(caption, str) or not caption.strip():
        return text
    photo = f"[photo: {' '.join(caption.split())}]"
    return f"{text}\n{photo}" if text.strip() else photo
