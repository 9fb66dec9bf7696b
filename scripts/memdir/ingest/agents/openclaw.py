"""OpenClaw: the sessions of its agents, as JSON Lines below `agents/<id>/sessions/` or in `openclaw-agent.sqlite`.

Both hold the same events; a session that went from the one to the other is known by the ids of its events. Messages are
turns, also of branches that were given up: they were said. What the gateway puts around a message, heartbeats, silent
answers and summaries are left out. Sessions that were reset are read, deleted ones, backups and compressed ones are
told. A database is opened to read only, and where no journal lies beside it as one that nobody changes, so that no
file appears in the folder of another program. Writes nothing.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any

from memdir.ingest import jsonstream
from memdir.ingest.agents.blocks import Place, chosen, head, id_of, line_of, parts, records, result, rows, stem
from memdir.ingest.loose import kind_of, word
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.records import Bad, Left, Record, Wanted
from memdir.vault import session

_DATABASE, _MAGIC = "openclaw-agent.sqlite", b"SQLite format 3\0"
_LOG = re.compile(r"[^/]+?\.jsonl(?P<more>\.[^/]+)?")
_LOOKED_AT = 5  # files of a folder in which a session is looked for
_PACKED = "sessions that are compressed, to be unpacked first"
_PACKED_EVENTS = "events that OpenClaw has compressed"
_SUMMARIES = ("compaction", "branch_summary")
_SILENT = frozenset({"HEARTBEAT_OK", "NO_REPLY"})
_TO_WHOM = re.compile(r"\[\[ ?(?:reply_to_current|reply_to:[^\[\]\n]{1,80}|audio_as_voice) ?\]\]\s*")
# What stands before the words of a person: facts about the message as JSON, lines of the system, channel and time.
_BEFORE = re.compile(
    r"[A-Z][^\n:()]{0,80}\(untrusted[^\n()]{0,60}\):\n```json\n.*?\n```\s*"
    r"|System(?: \(untrusted\))?: \[[^\[\]\n]{0,80}\][^\n]*\s*"
    r"|\[[^\[\]\n]{1,120} \d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\[\]\n]{0,40}\]\s*",
    re.DOTALL,
)
_BEHIND = re.compile(r"\n\[message_id: [^\[\]\n]{1,120}\]\s*\Z")
# Messages in the person's name that a program has written begin so.
_PUT_IN = ("Read HEARTBEAT.md", "Pre-compaction memory flush", "A new session was started via /new or /reset", "[cron:")


def suits(members: Members) -> bool:
    """Whether one of its first files holds a session, or it has the database of an agent."""
    names = members.names
    if any(_is_database(members, one) for one in names if PurePosixPath(one).name == _DATABASE):
        return True
    files = [one for one in _logs(names) if one.endswith(".jsonl")]
    return any(_is_event(line) for name in files[:_LOOKED_AT] for line in head(members, name, 5))


def _is_event(line: dict[str, Any]) -> bool:
    if line.get("type") == "session":
        return "id" in line and "version" in line
    message = line.get("message")
    return line.get("type") == "message" and isinstance(message, dict) and "role" in message


def _is_database(members: Members, name: str) -> bool:
    return beginning(members, name, len(_MAGIC)) == _MAGIC


def _logs(names: list[str]) -> list[str]:
    """The files of sessions, also reset, deleted and compressed ones: those below `sessions`, else all at the top."""
    logs = [one for one in names if _LOG.fullmatch(PurePosixPath(one).name)]
    within = [one for one in logs if PurePosixPath(one).parent.name == "sessions"]
    return within or [one for one in logs if "/" not in one]


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The turns of every session. Raises BadData where there is none."""
    names = members.names
    databases = [one for one in names if PurePosixPath(one).name == _DATABASE]
    if len(names) == 1 and not databases and _is_database(members, names[0]):
        databases = names
    logs = _logs(names)
    if not databases:
        logs = chosen(members, logs, "session of OpenClaw")
    several = len(databases) + len(logs) > 1
    for name in logs:
        if why := _left(name):
            yield Left(why)
            continue
        where = f"{name}: " if several else ""
        id_ = stem(name)
        for one in rows(members, name, where):
            if isinstance(one, Bad):
                yield one
                continue
            if isinstance(one.value, dict) and one.value.get("type") == "session":
                id_ = id_of(one.value.get("id"), id_)
            yield from _event(one.value, id_, f"{where}line {one.number}", wanted)
    for name in databases:
        yield from _database(members, name, wanted)


def _left(name: str) -> str:
    """Why a file of a session is not read, "" where it is."""
    found = _LOG.fullmatch(PurePosixPath(name).name)
    more = (found["more"] if found else "") or ""
    if not more:
        return ""
    if more.startswith(".deleted"):
        return "sessions that were deleted"
    if more.endswith(".zst"):
        return _PACKED
    return "" if more.startswith(".reset") else "backups of sessions"


def _database(members: Members, name: str, wanted: Wanted) -> Iterator[Record]:
    """The turns of a database, session by session."""
    path = members.path(name)
    if path is None:
        yield Bad(name, "a database inside an archive cannot be read; unpack the archive first")
        return
    try:
        with closing(_opened(path)) as db:
            kept = {table for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "transcript_events" not in kept:
                yield Bad(name, "no table of events: this is no database of an agent of OpenClaw")
                return
            for id_, seq, event in db.execute(
                "SELECT session_id, seq, event_json FROM transcript_events ORDER BY session_id, seq"
            ):
                told = id_of(str(id_), "unnamed")
                yield from _row(event, told, f"{name}: event {seq} of {told}", wanted)
            if "session_transcript_cold_archives" in kept:
                counted = "SELECT CAST(sum(event_count) AS INTEGER) FROM session_transcript_cold_archives"
                if packed := db.execute(counted).fetchone()[0]:
                    yield Left(_PACKED_EVENTS, packed)
    except sqlite3.Error as error:
        yield Bad(name, f"the database cannot be read: {error}")


def _opened(path: Path) -> sqlite3.Connection:
    """The database, of which the last turns may still lie in the journal beside it."""
    journal = path.with_name(f"{path.name}-wal")
    fixed = "" if journal.exists() and journal.stat().st_size else "&immutable=1"
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{fixed}", uri=True)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, jsonstream.LONGEST_LINE)
    return db


def _row(event: object, id_: str, where: str, wanted: Wanted) -> Iterator[Record]:
    if not isinstance(event, str):
        yield Left(_PACKED_EVENTS)
        return
    try:
        given = json.loads(event)
    except (ValueError, RecursionError) as error:
        yield Bad(where, f"no JSON: {str(error)[:80]}")
        return
    yield from _event(given, id_, where, wanted)


def _event(event: object, id_: str, where: str, wanted: Wanted) -> Iterator[Record]:
    """What one event comes to."""
    if not isinstance(event, dict):
        yield Bad(where, "no JSON object")
        return
    kind, message = event.get("type"), event.get("message")
    if kind == "session":
        return
    if kind in _SUMMARIES:
        yield Left("summaries of what was said before")
    elif kind != "message":
        yield Left(line_of(kind))
    elif not isinstance(message, dict):
        yield Bad(where, "no message")
    else:
        yield from _message(event, message, id_, wanted)


def _message(event: dict[str, Any], message: dict[str, Any], id_: str, wanted: Wanted) -> Iterator[Record]:
    role, uuid = word(message.get("role")), word(event.get("id"))
    place = Place(id_, role, session.moment(event.get("timestamp")) or session.moment(message.get("timestamp")))
    sent = message.get("provenance")
    if role == "toolResult":
        yield from records([result(message.get("content"), message.get("toolCallId"))], place, wanted)
    elif role not in ("user", "assistant"):
        yield Left(f"messages of {kind_of(role)}" if role else "messages of nobody")
    elif isinstance(sent, dict) and sent.get("kind") not in (None, "external_user"):
        yield Left("turns of the program")
    else:
        yield from records(parts(message.get("content"), uuid, _typed if role == "user" else _answered), place, wanted)


def _typed(text: str) -> str:
    """What a person wrote, without what the gateway puts around it."""
    at = 0
    text = text.strip()
    while found := _BEFORE.match(text, at):
        at = found.end()
    kept = _BEHIND.sub("", text[at:]).strip()
    return "" if kept.startswith(_PUT_IN) else kept


def _answered(text: str) -> str:
    """What was answered, without signs for the gateway."""
    kept = _TO_WHOM.sub("", text).strip()
    return "" if kept in _SILENT else kept
