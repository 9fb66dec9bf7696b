"""Conversations that are there: which, and what was said in one. Counts come from the index, turns from the files."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memdir.errors import Conflict, NotFound
from memdir.vault import names, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.index.turns import Rows


def listed(memory: "Memory", limit: int, offset: int) -> dict[str, Any]:
    """The conversations, newest first: id, source, when each began, turns, speakers, files; `total`: how many."""
    rows = memory.current().rows
    found = rows(
        "SELECT n.id, n.source, min(n.started), count(t.id), json_group_array(DISTINCT t.speaker),"
        " count(DISTINCT n.file), min(CASE WHEN f.name <> n.id THEN f.name END)"
        " FROM sessions n JOIN files f ON f.id = n.file LEFT JOIN turns t ON t.file = n.file GROUP BY n.id, n.source"
        " ORDER BY min(n.started) DESC, n.id, n.source LIMIT ? OFFSET ?",
        [limit, offset],
    )
    keys = ("id", "source", "started", "turns", "speakers", "files", "name")
    held = [dict(zip(keys, row, strict=True)) for row in found]
    for one in held:
        one["name"] = one["name"] or ""
        one["speakers"] = sorted(name for name in json.loads(one["speakers"]) if name)
    total = rows("SELECT count(*) FROM (SELECT DISTINCT id, source FROM sessions)")[0][0]
    return {"sessions": held, "total": total, "notices": memory.notices}


def shown(memory: "Memory", target: str, limit: int, offset: int, *, outline: bool) -> dict[str, Any]:
    """A conversation from its files: what it is, and `limit` turns behind the first `offset`; with `outline` its
    windows. Raises NotFound, Conflict."""
    paths, parts = _parts(memory, target)
    turns = sorted(
        ((turn.number, part.path, turn) for part in parts for turn in part.turns),
        key=lambda one: (one[:2], one[2].line),
    )
    told = [
        {
            **{key: getattr(turn, key) for key in ("number", "speaker", "ts", "uuid", "text")},
            "path": path,
            "line": turn.line + 1,
        }
        for _, path, turn in turns[offset : offset + limit]
    ]
    about = {key: getattr(parts[0], key) for key in ("id", "source", "started", "scope", "name")}
    left = max(0, len(turns) - offset - limit)
    if outline:
        from memdir.recall import outline as outlines  # deferred: it loads the tables of entities

        about["windows"] = [asdict(one) for one in outlines.outline([turn for *_, turn in turns])]
    return {**about, "files": paths, "total": len(turns), "offset": offset, "left": left, "turns": told}


def whole(memory: "Memory", target: str) -> tuple[session.Session, list[session.Turn]]:
    """A conversation, as its first file tells of it, and all its turns in order. Raises NotFound, Conflict."""
    _, parts = _parts(memory, target)
    return parts[0], sorted((turn for part in parts for turn in part.turns), key=lambda turn: turn.number)


def _parts(memory: "Memory", target: str) -> tuple[list[str], list[session.Session]]:
    """The files that hold a conversation, and what they say."""
    paths = files_of(memory, *identity(memory, target))
    return paths, [session.parse(path, memory.root.read(path).data) for path in paths]


def identity(memory: "Memory", target: str) -> tuple[str, str]:
    """Source and id of the one conversation that an id, the beginning of one, or a file's path or name means. Raises
    NotFound, Conflict."""
    rows = memory.current().rows
    select = "SELECT DISTINCT n.id, n.source FROM sessions n JOIN files f ON f.id = n.file WHERE"
    found = (
        rows(f"{select} n.id = ? OR f.path = ?", [target, target])
        or rows(f"{select} f.stem = ?", [names.fold(target)])
        or rows(f"{select} substr(n.id, 1, ?) = ? LIMIT 6", [len(target), target])
    )
    if not found or not target:
        raise NotFound(f"no session {target!r}; `memdir sessions list` shows them")
    if len(found) > 1:
        raise Conflict(f"{target!r} may mean {_some([f'{id_} ({source})' for id_, source in found])}")
    ((id_, source),) = found
    return source, id_


def begun(rows: "Rows", target: str) -> str:
    """The id of a conversation that is meant by an id or the only one that begins so; what begins none stays as it is.
    Raises Conflict."""
    found = rows(
        "SELECT DISTINCT id FROM sessions WHERE substr(id, 1, ?) = ? ORDER BY id <> ?, id LIMIT 6",
        [len(target), target, target],
    )
    ids = [row[0] for row in found]
    if len(ids) > 1 and ids[0] != target:
        raise Conflict(f"{target!r} may mean {_some(ids)}")
    return ids[0] if ids else target


def _some(found: Sequence[str]) -> str:
    """The first of some candidates, and whether there are more."""
    return f"{', '.join(found[:5])}{' and others; give more of it' if len(found) > 5 else ''}"


def named(memory: "Memory", id_: str) -> tuple[str, str] | None:
    """Source and id of the one conversation with exactly this id, None for none or several."""
    found = memory.current().rows("SELECT DISTINCT source, id FROM sessions WHERE id = ?", [id_])
    return (found[0][0], found[0][1]) if len(found) == 1 else None


def files_of(memory: "Memory", source: str, id_: str) -> list[str]:
    """Paths of the files that hold a conversation."""
    where = (
        "SELECT f.path FROM sessions n JOIN files f ON f.id = n.file WHERE n.id = ? AND n.source = ? ORDER BY f.path"
    )
    return [path for (path,) in memory.current().rows(where, [id_, source])]
