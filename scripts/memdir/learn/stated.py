"""Since when each fact that a person wrote into a note has stood there, as far as distillation has seen.

A file's time says that a person saved the note, not which line was meant. A fact that stood there before an entry was
written, and still does, was not set over that entry: the entry's change counts. What is not known here counts as set
by the person's last save. Kept in `.memdir/stated.json`, which `app.keeping.distilling` reads and writes; losing it
costs nothing but that. Pure functions.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping

from memdir.vault import names

FILE = "stated.json"


def mark(home: str, key: str, value: str) -> str:
    """What tells a fact of one note from the others; `home`: the path or the name of the note."""
    said = "\n".join((names.fold(home), names.fold(key), names.fold(value)))
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:12]


def marks(homes: Iterable[str], key: str, value: str) -> set[str]:
    """The marks of a fact by each of its homes: a note that was renamed has its name still, one retitled its path."""
    return {mark(home, key, value) for home in homes}


def renewed(before: Mapping[str, float], standing: Iterable[str], now: float) -> dict[str, float]:
    """Mark → seconds since 1970, of the facts that stand now: as it was, or `now` for what is new."""
    return {one: before.get(one, now) for one in sorted(standing)}


def read(data: bytes) -> dict[str, float]:
    """What the file says; nothing where it is damaged."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return (
        {str(one): float(at) for one, at in said.items() if isinstance(at, int | float)}
        if isinstance(said, dict)
        else {}
    )


def write(held: Mapping[str, float]) -> bytes:
    """The file as it is written."""
    return json.dumps(held, separators=(",", ":")).encode("ascii") + b"\n"
