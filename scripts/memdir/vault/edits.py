"""Edits of a note's text: one key, one section, lines at the end. Every other byte is kept.

Each function takes the whole file as text and returns it anew, or raises; `store` writes the result
against the digest that the caller read. Pure functions; touches no file.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from memdir.errors import BadData, Conflict, NotFound
from memdir.vault import fields
from memdir.vault import note as notes
from memdir.vault.fields import Value

Edit = Callable[[str, str], str]  # (path, text) → text


def set_values(path: str, text: str, values: Mapping[str, Value], day: str) -> str:
    """Set front matter keys; `updated:` follows in a note that keeps memdir's schema. Raises BadData."""
    new = text
    held = fields.read(text).values
    try:
        for key, value in values.items():
            new = fields.set_value(new, key, _in_kind(held.get(key), value))
    except BadData as error:
        raise BadData(f"{path}: {error}") from error
    return touch(path, text, new, day) if "updated" not in values else new


def _in_kind(old: Value, value: Value) -> Value:
    """The value in the kind of the old one: a list stays a list (comma text or JSON), text stays text."""
    if isinstance(old, list) and isinstance(value, str):
        parts: list[Value] = [value] if value.lstrip().startswith('["') else [*value.split(",")]
        return [*notes.words(parts, tags=False)]
    if isinstance(old, list) and isinstance(value, int | bool):
        return [value]
    return str(value).lower() if isinstance(old, str) and isinstance(value, int | bool) else value


def touch(path: str, old: str, new: str, day: str) -> str:
    """`new` with `updated: day` where memdir keeps that key and something changed."""
    parsed = notes.parse(path, fields.encode(new))
    return fields.set_value(new, "updated", day) if new != old and parsed.ours and parsed.readable else new


def append(path: str, text: str, addition: str, day: str, heading: str = "") -> str:
    """Add lines at the end of the note, or of a section, which is made at the end of the note when missing.

    The end of a note is above a `## History` that comes last: what is added holds now.
    """
    end = fields.newline_of(text)
    added = addition.rstrip("\n").replace("\r\n", "\n").split("\n")
    gap = "" if not text or text.endswith("\n") else end
    if not heading:
        at = _history(path, text)
        if at is None:
            return touch(path, text, text + gap + end.join(added) + end, day)
        lines = text.split("\n")
        blank = [end[:-1]] if lines[at].strip() else []
        return touch(
            path, text, "\n".join([*lines[:at], *(line + end[:-1] for line in added), *blank, *lines[at:]]), day
        )
    lines = text.split("\n")
    try:
        start, stop = section_lines(path, lines, heading)
    except NotFound:
        return touch(path, text, text + gap + end.join(["", f"## {heading.strip('# ')}", *added]) + end, day)
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    new = [line + end[:-1] for line in added]
    if stop == len(lines):
        lines[-1] += end[:-1]
        new.append("")
    return touch(path, text, "\n".join([*lines[:stop], *new, *lines[stop:]]), day)


def _history(path: str, text: str) -> int | None:
    """The line behind what stands above a `## History` that is the last section; None where there is none."""
    upper = [head for head in notes.parse(path, fields.encode(text)).body.headings if head.level <= 2]
    if not upper or upper[-1].level != 2 or not _same(upper[-1].text, "History"):
        return None
    lines, at = text.split("\n"), upper[-1].line
    while at and not lines[at - 1].strip():
        at -= 1
    return upper[-1].line if at and lines[at - 1].startswith("#") else at


def section(path: str, text: str, heading: str, body: str, day: str) -> str:
    """Replace what stands under a heading, up to the next one of its level; raises NotFound."""
    lines = text.split("\n")
    start, stop = section_lines(path, lines, heading)
    end = fields.newline_of(text)
    new = [line + end[:-1] for line in body.strip("\n").replace("\r\n", "\n").split("\n")]
    gap = [end[:-1]] if stop < len(lines) else [""]
    return touch(path, text, "\n".join([*lines[: start + 1], *new, *gap, *lines[stop:]]), day)


def replace(path: str, text: str, body: str, day: str) -> str:
    """Replace the whole body, front matter kept."""
    front = fields.read(text)
    if front.problem and not front.present:
        raise BadData(f"{path}:{front.problem[0]}: {front.problem[1]}; not replaced")
    lines = text.split("\n")
    end = fields.newline_of(text)
    new = end.join(body.rstrip("\n").replace("\r\n", "\n").split("\n")) + end
    return touch(path, text, "\n".join([*lines[: front.body_line], new]), day)


def section_lines(path: str, lines: Sequence[str], heading: str) -> tuple[int, int]:
    """Line of a heading and the first line behind its section; `A#B` means B under A. Raises NotFound."""
    headings = notes.parse(path, fields.encode("\n".join(lines))).body.headings
    start, stop, level = -1, len(lines), 0
    for part in heading.lstrip("#").split("#"):
        among = [h for h in headings if start < h.line < stop and _same(h.text, part)]
        if len(among) > 1:
            raise Conflict(
                f"{path} has {len(among)} headings {part.strip()!r}, in lines "
                f"{', '.join(str(h.line + 1) for h in among)}; write `Parent#Heading`, or give one another name"
            )
        found = among[0] if among else None
        if found is None:
            raise NotFound(
                f"{path} has no heading {part.strip()!r}; it has: {', '.join(h.text for h in headings) or 'none'}"
            )
        start, level = found.line, found.level
        stop = next((h.line for h in headings if h.line > start and h.level <= level), stop)
    return start, stop


def _same(one: str, other: str) -> bool:
    """Whether a link's heading means this one."""
    return _heading_key(one) == _heading_key(other)


def _heading_key(text: str) -> str:
    """A heading without the signs that links cannot carry."""
    return " ".join(re.sub(r"[#|^:%\[\]]+", " ", text).split()).casefold()
