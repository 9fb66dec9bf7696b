"""What tools take and give: arguments that are forgiving in shape, results with bounds.

A list may come as JSON text or with commas, a number or a yes as text, nothing as null; what none of it can mean is
refused by its name. Plain values.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

CEILING = 100_000  # bytes of one reply at most: what is said once as text and once as structure
TEXT = 20_000  # characters of a reply's text at most
LONGEST = 20_000  # characters of a question
CELL = 200  # characters of a name or a heading in a list


def _text(value: Any) -> Any:
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _words(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip().startswith("[") else value.split(",")
        except ValueError:
            value = value.split(",")
    if isinstance(value, list):
        told = [one.strip() if isinstance(one, str) else one for one in map(_text, value)]
        return [one for one in told if one != ""]
    return [] if value is None else value


def _lines(value: Any) -> Any:
    """Lines, or one text of several; a comma does not part them."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip().startswith("[") else value.split("\n")
        except ValueError:
            value = value.split("\n")
    return [] if value is None else [_text(one) for one in value] if isinstance(value, list) else value


def _count(value: Any) -> Any:
    return 0 if value is None or value == "" else value


def _truth(value: Any) -> Any:
    if isinstance(value, str) and value.strip().lower() in ("true", "false", ""):
        return value.strip().lower() == "true"
    if value is None or isinstance(value, bool):
        return bool(value)
    raise ValueError("takes true or false")


def _object(value: Any) -> Any:
    if isinstance(value, str):
        return json.loads(value) if value.strip() else {}
    return {} if value is None else value


Text = Annotated[str, BeforeValidator(_text)]
Words = Annotated[Sequence[str], BeforeValidator(_words)]
Lines = Annotated[Sequence[str], BeforeValidator(_lines)]
Count = Annotated[int, BeforeValidator(_count), Field(ge=0)]
Truth = Annotated[bool, BeforeValidator(_truth)]
Object = Annotated[Mapping[str, Any], BeforeValidator(_object)]
Objects = Annotated[Sequence[dict[str, Any]], BeforeValidator(lambda value: [] if value is None else value)]


@dataclass
class Found:
    """One memory that was found. `id`: `path:line`, for memory_read; `over`: since when it no longer holds."""

    id: str
    name: str
    heading: str
    date: str
    type: str
    grade: str
    score: float
    over: str
    clipped: bool
    archived: bool
    why: list[str]


@dataclass
class Recalled:
    """`memory`: the quotes, numbered as `found` is, fenced as data; `next`: the offset that goes on, 0 for the end."""

    memory: str
    found: list[Found]
    abstained: bool
    missing: list[str]
    suggestions: dict[str, list[str]]
    offset: int
    next: int
    notices: list[str]


@dataclass
class Part:
    """A part of a note. `text`: fenced as data; `offset`, `next`: characters, `next` 0 for the end; `digest`: of the
    note, `part`: of what was named of it, for `base` of memory_write."""

    path: str
    digest: str
    part: str
    text: str
    first_line: int
    lines: int
    characters: int
    offset: int
    next: int
    notices: list[str]


@dataclass
class Shown:
    """`memory`: what there is, fenced as data; `left_out`: what did not fit."""

    memory: str
    left_out: list[str]


@dataclass
class OpenLoop:
    id: str
    block: str
    date: str
    done: bool


@dataclass
class Loops:
    """`memory`: the loops, numbered as `loops` is, fenced as data; `next`: the offset that goes on, 0 for the end."""

    memory: str
    loops: list[OpenLoop]
    total: int
    offset: int
    next: int
    notices: list[str]


@dataclass
class Status:
    """The vault and what this caller may do with it."""

    vault: str
    version: str
    adopted: bool
    index: str
    rights: list[str]
    scopes: list[str]
    scope: str
    read_only: bool
    counts: dict[str, int]
    notices: list[str]


@dataclass
class Wrote:
    """What was written or, with `dry_run`, would be (`diff`). `run`: takes it back with `memdir undo`."""

    path: str
    digest: str
    changed: list[str]
    run: str
    notices: list[str]
    diff: str


@dataclass
class Took:
    """What was taken in. `known`: turns that were there before; `bad`: those that could not be read."""

    turns: int
    known: int
    bad: int
    files: list[str]
    run: str
    notices: list[str]
    problems: list[str]


@dataclass
class Gone:
    """What is forgotten or, without `confirm`, would be (`done` false)."""

    what: str
    done: bool
    paths: list[str]
    turns: int
    cited: list[str]
    notices: list[str] = field(default_factory=list)


def cell(text: str) -> str:
    """A text for a list: one line, of a bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= CELL else f"{flat[: CELL - 1]}…"


def few(items: list[str], most: int = 20) -> list[str]:
    """The first of several texts, and how many more there are."""
    kept = [cell(one) for one in items[:most]]
    return [*kept, f"… and {len(items) - most} more"] if len(items) > most else kept


def bounded(text: str, most: int = TEXT) -> str:
    """A text of at most so many characters, which says what is left out."""
    return text if len(text) <= most else f"{text[:most]}\n[… {len(text) - most:,} more characters]"
