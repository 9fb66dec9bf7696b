"""Entries of the daily log as distillation reads them: one at a time, with a link that names each.

What stands before the first entry heading, or in a log without any, is one entry. What memdir wrote itself (echoes
of notes, reports, closings) is marked as its own and never learned from. Pure functions over bytes.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from memdir.vault import markdown, names
from memdir.vault import note as notes
from memdir.vault.note import Note

_HEAD = re.compile(r"^(\d\d:\d\d)(?: ([+\-]\d\d:\d\d))?(?: - | – | — |: | )?(.*)$")
_ECHO = re.compile(r"→ \[\[[^\[\]]+\]\]$")
_ITEM = re.compile(r"^(?:[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+){1,8}|^[ \t]+")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*$")
_SIGNS = re.compile(r"[#|^:%\[\]]+")  # what a link cannot carry; `vault.edits` passes over the same ones


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `lines`: (line from 1, text without its bullet) of prose, quotes and code left out; `raw`: all of it.

    `digest` tells one text of an entry from another; `at`: seconds since 1970;
    `about`: what `entity::` names; `own`: memdir wrote it.
    """

    path: str
    day: str
    line: int
    title: str
    lines: tuple[tuple[int, str], ...]
    raw: str
    source: str
    digest: str
    about: tuple[str, ...] = ()
    own: bool = False
    at: float = 0.0


def read(path: str, data: bytes, zone: tzinfo | None = None) -> list[Entry]:
    """The entries of one log; `zone`: that of headings without an offset."""
    log = notes.parse(path, data)
    heads = [h for h in log.body.headings if h.level == 2]
    ends = [*(h.line for h in heads), len(log.lines)]
    loose = _entry(log, zone, log.body_line, ends[0], "")
    found = [_entry(log, zone, h.line, end, h.text) for h, end in zip(heads, ends[1:], strict=True)]
    return [loose, *found] if loose.lines else found


def _entry(log: Note, zone: tzinfo | None, start: int, end: int, heading: str) -> Entry:
    raw = "\n".join(line.rstrip("\r") for line in log.lines[start:end]).strip()
    found = _HEAD.match(heading)
    reserved = [one for one in log.body.reserved if start <= one.line < end]
    about = tuple(_target(one.value) for one in reserved if one.key == "entity")
    title = (found[3] if found else heading).strip()
    by_memdir = any(one.key == "executor" and one.value == "memdir" for one in reserved)
    at = f" {found[1]}" if found else f"#{' '.join(_SIGNS.sub(' ', heading).split())}" if heading else ""
    return Entry(
        path=log.path,
        day=log.date,
        line=start + 1,
        title=title,
        lines=tuple(_lines(log, start + bool(heading), end)),
        raw=raw,
        source=f"[[{log.stem}]]{at}" if found or not heading else f"[[{log.stem}{at}]]",
        digest=hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest()[:16],
        about=about,
        own=by_memdir or bool(_ECHO.search(title)),
        at=_moment(log.date, found, zone),
    )


def _moment(day: str, heading: re.Match[str] | None, zone: tzinfo | None) -> float:
    """When an entry was written, in seconds since 1970; the end of its day where no time stands there."""
    time, offset = (heading[1], heading[2] or "") if heading else ("23:59", "")
    try:
        found = datetime.fromisoformat(f"{day}T{time}:00{offset}")
        return (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _lines(log: Note, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Prose without its bullets; `memdir log` makes an item of every line, also of those of a quote or of code."""
    fence = ""
    for number, shown in markdown.prose(log.lines[:end], start):
        line = log.lines[number].rstrip("\r")
        text = _ITEM.sub("", line[: markdown.MAX_LINE]).strip()
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
        elif opened := _FENCE.match(text):
            fence = opened[1]
        elif (shown.strip() or "`" in text) and text and not line.lstrip().startswith("#") and text[0] not in ">|":
            yield number + 1, text


def _target(value: str) -> str:
    found = re.match(r"^\[\[([^\[\]]{1,300})\]\]", value)
    return (markdown.wikilink(found[1]).target.rsplit("/", 1)[-1] if found else value).strip()


def key(name: str) -> str:
    """Two spellings of one name have one key."""
    return names.fold(" ".join(name.split()))
