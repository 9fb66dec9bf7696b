"""Memories that mem0 gives out: sentences about a person, gathered into a note for each person and category.

A file of one sentence would be no note, and nobody reviews hundreds of proposals: what is of one category is one
proposal for the inbox, and what exceeds MOST lines goes on in another, oldest first, so that a later export
changes the last one only. An export that says more of a category makes a proposal anew, in the place of the one that
still waits. The sentences are held in memory, 50 MB for 100,000. Writes nothing.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memdir.errors import BadData
from memdir.ingest import jsonstream, loose
from memdir.ingest.members import JSON as ENDINGS
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.members import read as reading
from memdir.ingest.records import Bad, Noted, Record, Wanted, whole
from memdir.vault import fence, names, note, session

MOST = 100  # memories in one note
KEYS = ("results", "memories", "data")  # of the array, in an export that is an object
NONE = "memories"  # what those are called that have no category
_HEAD = re.compile(rb'"memory"\s*:\s*"')
_WHO = ("user_id", "agent_id", "app_id", "run_id")


@dataclass(slots=True)
class _Group:
    """The memories of one person and category: when, id, line."""

    who: str
    category: str
    held: list[tuple[str, str, str]] = field(default_factory=list)


def suits(members: Members) -> bool:
    """Whether the first of the memories in a file has the marks of mem0."""
    return any(_files(members))


def _files(members: Members) -> Iterator[str]:
    return (name for name in members.names if name.lower().endswith(ENDINGS) and _looks(members, name))


def _looks(members: Members, name: str) -> bool:
    head = beginning(members, name)
    return bool(_HEAD.search(head)) and b'"id"' in head


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """A note for each person and category. Raises BadData for a source without any."""
    files = [*_files(members)]
    if not files:
        raise BadData(f"{members.name}: no memories of mem0; each would have an `id` and a `memory`")
    groups: dict[tuple[str, str], _Group] = {}
    known: set[str] = set()
    for name in files:
        with reading(members, name) as stream:
            lines = not name.lower().endswith(".json")
            for one in jsonstream.rows(stream) if lines else jsonstream.items(stream, KEYS):
                told = one if isinstance(one, Bad) else _taken(one.value, one.number, groups, known)
                if told:
                    yield told if len(files) == 1 else Bad(f"{name}: {told.where}", told.why)
    for _, group in sorted(groups.items()):
        yield from _notes(group)


def _taken(given: Any, number: int, groups: dict[tuple[str, str], _Group], known: set[str]) -> Bad | None:
    """Put a memory with its group, unless it is there already."""
    text = given.get("memory") if isinstance(given, dict) else None
    if not isinstance(text, str) or not text.strip():
        return Bad(f"item {number}", "no memory")
    line = " ".join(whole(text).split())
    id_ = str(given.get("id") or _digest(line))
    if id_ in known:
        return None
    known.add(id_)
    who = next((str(given[key]) for key in _WHO if isinstance(given.get(key), str | int) and given[key] != ""), "")
    category = _category(given)
    ts = session.moment(given.get("created_at"))
    group = groups.setdefault((who, names.fold(category)), _Group(whole(who), category))
    group.held.append((ts, id_, f"- {line} ({ts[:10]})" if ts else f"- {line}"))
    return None


def _category(given: dict[str, Any]) -> str:
    """The first category of a memory, of its own or in its metadata."""
    for held in (given, loose.table(given.get("metadata"))):
        for key in ("categories", "category"):
            found = note.words(held.get(key))
            if found:
                return whole(" ".join(found[0].replace("_", " ").split()))
    return NONE


def _digest(text: str) -> str:
    return hashlib.sha256(fence.encode(text)).hexdigest()


def _notes(group: _Group) -> Iterator[Noted]:
    """The notes of a group, oldest first. The digest in an origin tells a proposal that says more from the same one."""
    group.held.sort()
    by = f"mem0, {group.who}" if group.who else "mem0"
    for start in range(0, len(group.held), MOST):
        held = group.held[start : start + MOST]
        part = f" {start // MOST + 1}" if start else ""
        text = "\n".join([*(line for _, _, line in held), ""])
        about = _digest(f"{group.who}\n{names.fold(group.category)}")[:16]
        yield Noted(
            origin=f"{names.slug(group.category)[:60]}{part} {about}@{_digest(text)}",
            title=f"{group.category}{part} ({by})",
            text=text,
            type="user",
            tags=() if group.category == NONE else (names.slug(group.category),),
            created=held[-1][0][:10],
        )
