"""The file of the MCP memory server, a graph of entities with observations and of relations: a note an entity.

The file is read twice, first for the names and the relations, then for the notes; of observations one entity's are held
at a time. JSON Lines, and the one object that the server's `read_graph` gives. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memdir.errors import BadData
from memdir.ingest import jsonstream, loose
from memdir.ingest.knowledge import pages
from memdir.ingest.members import JSON as ENDINGS
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.members import read as reading
from memdir.ingest.records import Bad, Noted, Record, Wanted, whole
from memdir.vault import names

_USER = {"user", "default_user"}  # what the server's own instructions call the person it talks with
_LINE = re.compile(rb'^\s*\{[^\n]{0,200}?"type"\s*:\s*"(?:entity|relation)"')
_GRAPH = re.compile(rb'^\s*\{\s*"(?:entities|relations)"\s*:\s*\[')
_UNFIT = re.compile(r"[\[\]|#^\\/:%\x00-\x1f]|^[.\s]|\s$|\.md$", re.IGNORECASE)  # in a name that a link may hold
_SHOWN = 80  # characters of a name that cannot stand in a link, behind the bar


@dataclass(slots=True)
class _Graph:
    """Names of entities with their numbers, and the relations that leave each."""

    numbers: dict[str, int] = field(default_factory=dict)
    out: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


def suits(members: Members) -> bool:
    """Whether a file of it begins with an entity or a relation."""
    return any(_files(members))


def _files(members: Members) -> Iterator[str]:
    return (name for name in members.names if name.lower().endswith(ENDINGS) and _looks(members, name))


def _looks(members: Members, name: str) -> bool:
    head = beginning(members, name)
    return bool(_LINE.match(head) or _GRAPH.match(head))


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The entities in order. Raises BadData for a source without any."""
    label = pages.label(members)
    files = [*_files(members)]
    if not files:
        raise BadData(f"{members.name}: no knowledge graph; the lines of one begin with an entity or a relation")
    for name in files:
        yield from _file(members, name, f"{label}/{name}")


def _file(members: Members, name: str, label: str) -> Iterator[Record]:
    graph, left = _Graph(), Counter[str]()
    for one in _things(members, name):
        if isinstance(one, dict) and one["type"] == "entity":
            graph.numbers.setdefault(one["name"], len(graph.numbers))
        elif isinstance(one, dict):
            graph.out.setdefault(one["from"], []).append((one["relationType"], one["to"]))
    left["relations of entities that are not there"] = sum(
        len(out) for start, out in graph.out.items() if start not in graph.numbers
    )
    seen = Counter[str]()
    for one in _things(members, name):
        if isinstance(one, Bad):
            yield one
        elif one["type"] == "entity":
            seen[one["name"]] += 1
            yield _noted(label, one, graph, seen[one["name"]], left)
    yield from loose.left(left)


def _things(members: Members, name: str) -> Iterator[dict[str, Any] | Bad]:
    """Entities and relations with all that they must have, each with its `type`."""
    graph = _GRAPH.match(beginning(members, name))
    with reading(members, name) as stream:
        for row in jsonstream.items(stream) if graph else jsonstream.rows(stream):
            if isinstance(row, Bad):
                yield row
            elif graph and isinstance(row.value, dict):
                for kind, key in (("entity", "entities"), ("relation", "relations")):
                    for number, one in enumerate(loose.listed(row.value.get(key))):
                        yield _thing({**one, "type": kind} if isinstance(one, dict) else one, f"{key} {number}")
            else:
                yield _thing(row.value, f"line {row.number}")


def _thing(given: Any, where: str) -> dict[str, Any] | Bad:
    if not isinstance(given, dict) or given.get("type") not in ("entity", "relation"):
        return Bad(where, "neither an entity nor a relation")
    for key in ("name",) if given["type"] == "entity" else ("from", "to", "relationType"):
        if not isinstance(given.get(key), str) or not given[key].strip():
            return Bad(where, f"no {key}")
    return {key: whole(value) if isinstance(value, str) else value for key, value in given.items()}


def _noted(label: str, entity: dict[str, Any], graph: _Graph, times: int, left: Counter[str]) -> Noted:
    name = entity["name"]
    lines = []
    for one in loose.listed(entity.get("observations")):
        if isinstance(one, str) and one.strip():
            lines.append("- " + "\n  ".join(line.strip() for line in whole(one).strip().splitlines() if line.strip()))
        else:
            left["observations that are no text"] += 1
    related = [f"- {_kind(kind)} {_link(to, graph)}" for kind, to in graph.out.get(name, [])] if times == 1 else []
    kind = loose.word(entity.get("entityType")).strip()
    return Noted(
        origin=f"{label}/{name}" if times == 1 else f"{label}/{name} ({times})",
        title=name,
        text="\n".join([*lines, *([""] if lines and related else []), *related, ""]),
        type="user" if {name.lower(), kind.lower()} & _USER else "ref",
        tags=(names.slug(kind),) if kind else (),
        files=(f"{_way(name, graph)}.md",) if times == 1 else (),
    )


def _way(name: str, graph: _Graph) -> str:
    """What a link to an entity says: its name, or where a link cannot hold that, a number of its own."""
    return name if len(name) <= 200 and not _UNFIT.search(name) else f"mcp-entity-{graph.numbers[name]}"


def _link(name: str, graph: _Graph) -> str:
    shown = " ".join(re.sub(r"[\[\]|\n\r]", " ", name).split())
    if name not in graph.numbers:
        return f"[[{name}]]" if len(name) <= 200 and not _UNFIT.search(name) else shown
    way = _way(name, graph)
    return f"[[{way}]]" if way == name else f"[[{way}|{shown[:_SHOWN] or way}]]"


def _kind(given: str) -> str:
    """A relation as the grammar of a note has it, `works_at` for `worksAt` or `works at`; else as it is."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]+", "_", given.strip()).lower()
    return words if re.fullmatch(r"[a-z_]{1,60}", words) else " ".join(given.split())
