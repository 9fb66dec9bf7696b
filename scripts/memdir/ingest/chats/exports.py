"""Exports of chats: the JSON files in a file, a folder, an archive or a folder of archives, item by item.

An export may be larger than memory and hold a conversation twice; what is kept of the whole is an id and a time each.
Writes nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from memdir.errors import BadData, MemdirError
from memdir.ingest import jsonstream
from memdir.ingest.members import Members, Zip
from memdir.ingest.members import read as reading
from memdir.ingest.records import Bad, Left, Record, Said
from memdir.vault import session

OLDER = "older copies of a conversation"
SILENT = "conversations in which nothing is said"
BRANCHES = "turns of other branches"
GUESSED = "times that the export does not give; such a turn takes the time of the one before it"
_ASSET = re.compile(r"(?:^|/)file[-_][^/]*$")  # what the user once gave to ChatGPT, archives too
LOOKED_AT = 5  # items of a file that tell what it is
MOST_LOOKED_AT = 50  # files of a folder that tell what it is


def titled(title: str, records: Iterable[Record]) -> Iterator[Record]:
    """The records of a conversation, the first turn with its title."""
    name = session.id_of(title)
    for one in records:
        if name and isinstance(one, Said):
            one, name = replace(one, title=name), ""
        yield one


@dataclass(frozen=True, slots=True)
class Place:
    """A JSON file of an export. `label`: its name for messages."""

    members: Members
    name: str
    label: str


class One(NamedTuple):
    """An item: its number in the whole export, where it stands, its value."""

    number: int
    where: str
    value: Any


Stamp = Callable[[Any], tuple[str, float]]  # the id of an item and how new it is; "" for an item without id


def places(members: Members, files: re.Pattern[str]) -> Iterator[Place | Bad]:
    """The files whose names fit, also those in the archives of a folder; of a single file the name does not matter."""
    names = members.names
    alone = len(names) == 1 and not names[0].endswith((".zip", ".jsonl", ".ndjson"))
    plain = [name for name in names if alone or files.search(name)]
    yield from (Place(members, name, name) for name in plain)
    for name in names:
        if not name.endswith(".zip") or _ASSET.search(name) or (plain and isinstance(members, Zip)):
            continue
        try:
            inner = members.within(name)
            yield from (Place(inner, one, f"{name}/{one}") for one in inner.names if files.search(one))
        except MemdirError as error:
            yield Bad(name, str(error))


def items(found: Iterable[Place], keys: Sequence[str] = ()) -> Iterator[One | Bad]:
    """The items of every file, in order and with the same numbers each time."""
    number = 0
    for place in found:
        try:
            with reading(place.members, place.name) as stream:
                for one in jsonstream.items(stream, keys):
                    if isinstance(one, Bad):
                        yield Bad(f"{place.label}: {one.where}", one.why)
                    else:
                        yield One(number, f"{place.label}: item {one.number}", one.value)
                    number += 1
        except MemdirError as error:
            yield Bad(place.label, str(error))


def opened(members: Members, files: re.Pattern[str], what: str) -> tuple[list[Place], list[Bad]]:
    """The files whose names fit, and what of the source cannot be opened. Raises BadData without any file."""
    found = list(places(members, files))
    held = [one for one in found if isinstance(one, Place)]
    if not held:
        raise BadData(f"{members.name}: {what}")
    return held, [one for one in found if isinstance(one, Bad)]


def newest(found: Sequence[Place], keys: Sequence[str], stamp: Stamp) -> Iterator[One | Bad | Left]:
    """The items of every file, each in its newest copy; the others are left out. Reads twice."""
    passed = _older(found, keys, stamp)
    for one in items(found, keys):
        yield Left(OLDER) if isinstance(one, One) and one.number in passed else one


def _older(found: Sequence[Place], keys: Sequence[str], stamp: Stamp) -> set[int]:
    """The numbers of items of which a newer copy is there; of equally new ones the last stays."""
    newest: dict[str, tuple[float, int]] = {}
    passed: set[int] = set()
    for one in items(found, keys):
        if isinstance(one, Bad):
            continue
        id_, at = stamp(one.value)
        if not id_:
            continue
        before = newest.get(id_)
        if before and before[0] > at:
            passed.add(one.number)
            continue
        if before:
            passed.add(before[1])
        newest[id_] = (at, one.number)
    return passed


def holds(
    members: Members, files: re.Pattern[str], keys: Sequence[str], fits: Callable[[Any], bool]
) -> bool:  # fmt: skip
    """Whether one of the first items of a file is what a reader looks for."""
    for place in islice(places(members, files), MOST_LOOKED_AT):
        if isinstance(place, Bad):
            continue
        for number, one in enumerate(items([place], keys)):
            if isinstance(one, One) and fits(one.value):
                return True
            if number >= LOOKED_AT:
                break
    return False
