"""One table of a TOML file put in or taken out by line; everything else, comments and order, stays byte for byte.

What cannot be done that way, because the table is written in a line of its own or by dotted names, is refused. Touches
no file.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from memdir.errors import BadData

_HEAD = re.compile(r"\s*\[")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def load(text: str) -> dict[str, Any]:
    """Raises BadData."""
    try:
        return tomllib.loads(text.lstrip("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BadData(f"it cannot be read as TOML: {error}; nothing was changed") from None


def put(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """The text with these keys in the table at `path`, made at the end where it is missing; other keys of that table
    stay. Raises BadData."""
    wanted = load(text)
    held: Any = wanted
    for key in path:
        held = held.setdefault(key, {})
        if not isinstance(held, dict):
            raise BadData(f"{key!r} is no table; nothing was changed")
    if held | values == held:
        return text
    held.update(values)
    line = "\r\n" if "\r\n" in text else "\n"
    ours = [f"{key} = {json.dumps(value, ensure_ascii=False)}{line}" for key, value in values.items()]
    lines = text.splitlines(keepends=True)
    spans = _tables(lines, path)
    if (own := next((one for one in spans if one[0] == tuple(path)), None)) is not None:
        _, first, last = own
        kept = _without(lines[first + 1 : last], values)
        head = lines[first] if lines[first].endswith("\n") else lines[first] + line
        lines[first:last] = [head, *ours, *kept]
    else:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += line
        lines += [*([line] if lines and lines[-1].strip() else []), f"[{_name(path)}]{line}", *ours]
    return _checked("".join(lines), wanted)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and those below it. Raises BadData."""
    wanted = load(text)
    trail = [wanted]
    for key in path:
        if not isinstance(trail[-1], dict) or key not in trail[-1]:
            return text
        trail.append(trail[-1][key])
    del trail[-2][path[-1]]
    lines = text.splitlines(keepends=True)
    for _, first, last in reversed(_tables(lines, path)):
        while last > first and not lines[last - 1].strip():
            last -= 1
        if first and not lines[first - 1].strip():
            first -= 1  # the blank line that `put` has made
        del lines[first:last]
    if len(path) == 2 and not trail[-2] and path[0] not in load("".join(lines)):
        del wanted[path[0]]  # was there by this table alone
    return _checked("".join(lines), wanted)


def _checked(text: str, wanted: Mapping[str, Any]) -> str:
    if load(text) != wanted:
        raise BadData("it could not be changed without touching the rest; nothing was changed")
    return text


def _tables(lines: Sequence[str], path: Sequence[str]) -> list[tuple[tuple[str, ...], int, int]]:
    """The tables at and below a path: name, its line, the line behind it without what belongs to the next one."""
    heads = [(found, at) for at in range(len(lines)) if (found := _head(lines, at))]
    tables = list[tuple[tuple[str, ...], int, int]]()
    for number, (name, at) in enumerate(heads):
        last = heads[number + 1][1] if number + 1 < len(heads) else len(lines)
        while number + 1 < len(heads) and last > at + 1 and _is_aside(lines[last - 1]):
            last -= 1  # comments above a table are that table's
        if name[: len(path)] == tuple(path):
            tables.append((name, at, last))
    return tables


def _is_aside(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _head(lines: Sequence[str], at: int) -> tuple[str, ...]:
    """The name of the table that a line begins, () for any other line, be it one within a text of several."""
    if not _HEAD.match(lines[at]):
        return ()
    try:
        held: Any = tomllib.loads(lines[at].lstrip("\ufeff"))
        tomllib.loads("".join(lines[:at]).lstrip("\ufeff"))
    except tomllib.TOMLDecodeError:
        return ()
    name: list[str] = []
    while isinstance(held, dict) and held:
        key, held = next(iter(held.items()))
        name.append(key)
    return tuple(name)


def _without(lines: Sequence[str], keys: Mapping[str, Any]) -> list[str]:
    """The lines of a table without those of some keys; a value may take several."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and not _is_whole("".join(lines[at:end])):
            end += 1
        part = "".join(lines[at:end])
        if not (_is_whole(part) and tomllib.loads(part).keys() & keys.keys()):
            kept += lines[at:end]
        at = end
    return kept


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _name(path: Sequence[str]) -> str:
    return ".".join(one if _BARE.fullmatch(one) else json.dumps(one, ensure_ascii=False) for one in path)
