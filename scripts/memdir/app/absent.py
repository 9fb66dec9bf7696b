"""Why a recall found nothing where no text was at fault: an empty vault, or a filter that nothing meets. And which
names are near one that no note has."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdir.errors import MemdirError
from memdir.index.filters import Filters
from memdir.vault import names

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.index.reader import Reader

EMPTY = "there is no note, log or conversation in this vault yet"
NEAR, MOST = 0.7, 3  # how like a name must be, and how many are named
_TURNS = "turns t JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One filter by itself, and how it is called."""

    said: str
    filters: Filters
    turns: bool = False


def why(memory: "Memory", filters: Filters) -> list[str]:
    """What stands in the way of any answer, by the index that is open; [] where nothing does."""
    try:
        source = memory.open_reader(verified=False)
        if not source.rows("SELECT 1 FROM files WHERE kind <> 'index' LIMIT 1"):
            return [EMPTY]
        return [f"nothing here {one.said}" for one in _each(filters) if not _meets(source, one)]
    except MemdirError:
        return []


def _each(filters: Filters) -> list[_Asked]:
    found = [_Asked(f"has the tag {tag!r}", Filters(tags=(tag,))) for tag in filters.tags]
    found += [_Asked(f"lies in {filters.path!r}", Filters(path=filters.path))] if filters.path else []
    found += [_Asked(f"is of the type {kind!r}", Filters(types=(kind,))) for kind in filters.types]
    if filters.speaker:
        found.append(_Asked(f"was said by {filters.speaker!r}", Filters(speaker=filters.speaker), turns=True))
    return found


def _meets(source: "Reader", one: _Asked) -> bool:
    parts, values = one.filters.turns() if one.turns else one.filters.sql()
    table = _TURNS if one.turns else "files f"
    return bool(source.rows(f"SELECT 1 FROM {table} WHERE {' AND '.join(parts)} LIMIT 1", values))


def near(memory: "Memory", name: str) -> str:
    """A question for the names that are near one that no note has; "" for none."""
    import difflib

    try:
        rows = memory.open_reader(verified=False).rows("SELECT name, stem FROM files WHERE kind = 'note'")
    except MemdirError:
        return ""
    held = {names.fold(one): row[0] for row in rows for one in row if one}
    found = difflib.get_close_matches(names.fold(name.rpartition("/")[2].removesuffix(".md")), held, MOST, NEAR)
    close = list(dict.fromkeys(held[one] for one in found))
    return f"did you mean {' or '.join(close)}? " if close else ""
