"""What memdir itself wrote for another vault: an export in JSON Lines, or a snapshot.

Notes, logs and attachments come as files, byte for byte and checked against their digests; conversations turn by turn,
with the source that they had. Settings, the ledger and what is derived are left out. Writes nothing.
"""

import codecs
import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from memdir import config
from memdir.errors import BadData, MemdirError
from memdir.ingest import jsonstream, loose, members, records, snapshot
from memdir.ingest.members import Limits, Members
from memdir.ingest.records import Bad, Filed, Left, Record, Wanted
from memdir.vault import conversation, files, layout, ledger, session

NAME = "memdir"
VERSION = 1
LARGEST = 256 << 20  # bytes of one file: it is held in memory while it is written
_HEAD = 100_000  # bytes in which the first line of an export ends
_STATE = (".memdir/", layout.HEARTBEAT_FILE, f"{ledger.FOLDER}/")


def opened(path: Path, limits: Limits) -> Members:
    """The source that was named as one of memdir; a snapshot may be as large as its manifest says."""
    source = members.opened(path, snapshot.WIDE)
    return snapshot.opened(path)[0] if snapshot.is_one(source) else members.opened(path, limits)


def suits(given: Members) -> bool:
    """Whether it is a snapshot, or begins as an export does."""
    if snapshot.is_one(given):
        return True
    if len(given.names) != 1:
        return False
    with members.read(given, given.names[0]) as stream:
        return bool(_head(stream.readline(_HEAD)))


def read(given: Members, wanted: Wanted) -> Iterator[Record]:
    """Everything in it: files first, then the turns. Raises BadData for what is neither."""
    if snapshot.is_one(given):
        yield from _kept(given)
        return
    if len(given.names) != 1:
        raise BadData(
            f"{given.name}: neither an export in JSON Lines nor a snapshot of memdir, which come back whole; an "
            "export in markdown or for basic-memory comes in as a folder of notes and conversations: name no source"
        )
    with members.read(given, given.names[0]) as stream:
        if not _head(stream.readline(_HEAD)):
            raise BadData(f"{given.name}: no export of memdir: its first line does not say so")
    with members.read(given, given.names[0]) as stream:
        rows = jsonstream.rows(stream)
        next(rows)
        yield from _lines(rows)


def _head(line: bytes) -> bool:
    """Whether a line begins an export. Raises BadData for one of a newer memdir."""
    try:
        held = json.loads(line.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError):
        return False
    if not isinstance(held, dict) or not isinstance(held.get("export"), int) or "memdir" not in held:
        return False
    if held["export"] > VERSION:
        raise BadData(f"written by memdir {held['memdir']}, whose exports this one cannot read")
    return True


def _lines(rows: "Iterator[jsonstream.Item | Bad]") -> Iterator[Record]:
    ended = False
    for row in rows:
        if isinstance(row, Bad):
            yield row
            continue
        value, where = row.value, f"line {row.number}"
        if not isinstance(value, dict):
            yield Bad(where, "no JSON object")
        elif "end" in value:
            ended = True
        elif "turn" in value:
            turns: list[Record] = [*_turn(value)]
            yield from turns or [Bad(where, "no turn: session, speaker or text is missing")]
        elif "note" in value or "log" in value:
            yield _file(value, where)
        elif "session" not in value:
            yield Bad(where, "neither a file nor a turn")
    if not ended:
        yield Bad("the end", "the export is cut short: what is missing is not known")


def _turn(value: dict[str, Any]) -> list[records.Said]:
    id_, speaker, text = (value.get(key) for key in ("session", "speaker", "text"))
    if not (isinstance(id_, str) and isinstance(speaker, str) and isinstance(text, str) and session.id_of(id_)):
        return []
    uuid, scope, source = (loose.word(value.get(key)) for key in ("uuid", "scope", "source"))
    said = records.said(id_, speaker, text, value.get("ts"), uuid, scope, source)
    return [replace(one, title=session.id_of(loose.word(value.get("title")))) for one in said]


def _file(value: dict[str, Any], where: str) -> Record:
    path, text, packed = value.get("note", value.get("log")), value.get("text"), value.get("base64")
    if not isinstance(path, str) or not path:
        return Bad(where, "a file without path")
    if not isinstance(packed, str) and not isinstance(text, str):
        return Bad(where, f"{path}: no text")
    try:
        data = b64decode(packed, validate=True) if isinstance(packed, str) else str(text).encode()
    except ValueError as error:
        return Bad(where, f"{path}: {str(error)[:80]}")
    if value.get("digest") != files.digest(data):
        return Bad(where, f"{path}: the text is not the one whose digest is given")
    return Filed(path, data)


def _kept(given: Members) -> Iterator[Record]:
    """The files of a snapshot, then its conversations."""
    told = {one.path: one for one in snapshot.manifest(given).files}
    talks = {path for path in told if layout.kind_of(path) == "session" and path.endswith(".md")}
    for path in [path for path in told if path not in talks] + conversation.in_order(talks):
        if why := _left(path, told[path].size):
            yield Left(why)
            continue
        try:
            data = b"".join(snapshot.pieces(given, told[path]))
        except MemdirError as error:
            yield Bad(path, str(error).removeprefix(f"{path}: "))
            continue
        held = session.parse(path, data) if path in talks else None
        if held and held.type == session.TYPE:
            yield from _said(held)
        else:
            yield Filed(path, data)


def _left(path: str, size: int) -> str:
    """Why a file of a snapshot is no memory for another vault; "" where it is."""
    if path == config.VAULT_FILE:
        return "settings of the other vault"
    if path.startswith(_STATE):
        return "ledger and state of the other vault"
    if path == layout.OVERFLOW_FILE:
        return "lists that memdir makes itself"
    return f"files of more than {LARGEST >> 20} MiB" if size > LARGEST else ""


def _said(held: session.Session) -> Iterator[Record]:
    for turn in held.turns:
        said = records.said(held.id, turn.speaker, turn.text, turn.ts, turn.uuid, held.scope, held.source)
        yield from (replace(one, title=held.name) for one in said)
