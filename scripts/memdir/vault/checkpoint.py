"""A checkpoint: what a conversation was about at one moment, as a file. `parse` reads what `render` wrote.

One file a conversation, written over by the next checkpoint of it. Front matter, then sections whose texts stand as
blockquotes, so that nothing in them needs escaping; they are opaque, as those of a session are. Pure functions; loads
nothing heavy, as a hook reads them.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memdir.text import printable
from memdir.vault import fence, layout, names

TYPE = "checkpoint"
_KEYS = ("session", "source", "scope", "cwd", "saved", "why", "turns", "tokens")
# Section → the field that it holds.
_SECTIONS = {
    "First request": "first",
    "Said by the agent": "said",
    "Last messages": "last",
    "Open": "loops",
    "Decided": "decisions",
    "Files touched": "files",
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`session`: id of the conversation, `source`: what it is of; `saved`: ISO 8601; `why`: asked, compact or window;
    `said`: what the agent wrote down itself; `last`: the last messages, `speaker: text` each."""

    session: str = ""
    source: str = ""
    scope: str = ""
    cwd: str = ""
    saved: str = ""
    why: str = ""
    turns: int = 0
    tokens: int = 0
    first: str = ""
    said: str = ""
    last: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def path_of(session: str, saved: str) -> str:
    """Where the checkpoint of a conversation lies; of none under the moment."""
    name = session or saved[:16].replace("T", "-").replace(":", "")
    slug = names.slug(name)
    mark = "" if slug == name else f"-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return f"{layout.CHECKPOINTS}/{slug}{mark}.md"


def render(one: Checkpoint) -> str:
    keys = {key: value for key in _KEYS if (value := getattr(one, key))}
    lines = ["---", f"type: {TYPE}", *(f"{key}: {_scalar(value)}" for key, value in keys.items()), "---"]
    for title, name in _SECTIONS.items():
        value = getattr(one, name)
        texts = [value] if isinstance(value, str) else value
        if any(text.strip() for text in texts):
            lines += [f"## {title}", *_quoted(texts), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _scalar(value: str | int) -> str:
    """A value as YAML and JSON read it alike."""
    return str(value) if isinstance(value, int) else json.dumps(printable(" ".join(value.split())), ensure_ascii=False)


def _quoted(texts: Sequence[str]) -> Iterator[str]:
    """Texts as blockquotes, a line without sign between two."""
    for number, text in enumerate(texts):
        yield from [""] if number else []
        yield from (f"> {line}".rstrip() for line in printable(text).strip().split("\n"))


def parse(data: bytes) -> Checkpoint:
    """Read a file; never raises. What is not understood is left out."""
    lines = fence.legible(fence.decode(data)).lstrip(fence.BOM).replace("\r\n", "\n").split("\n")
    close = fence.closing_fence(lines) or 0
    given = dict(_values(lines[1:close]))
    told: dict[str, str | int | tuple[str, ...]] = {}
    for key in _KEYS:
        if key in ("turns", "tokens"):
            told[key] = int(given[key]) if given.get(key, "").isdecimal() else 0
        else:
            told[key] = given.get(key, "")
    for name, texts in _sections(lines[close + 1 :] if close else lines):
        told[name] = tuple(texts) if isinstance(getattr(Checkpoint(), name), tuple) else "\n\n".join(texts)
    return Checkpoint(**told)  # type: ignore[arg-type]


def _values(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, colon, value = line.partition(": ")
        value = value.strip()
        if value.startswith('"'):
            try:
                value = json.loads(value)
            except ValueError:
                continue
        if colon:
            yield key, value


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Fields and the texts of their sections."""
    name, texts = "", list[list[str]]()
    for line in [*lines, "## "]:
        if line.startswith("## "):
            if name:
                yield name, ["\n".join(text) for text in texts if text]
            name, texts = _SECTIONS.get(line[3:].strip(), ""), [[]]
        elif line.startswith(">"):
            texts[-1].append(line[2:] if line[1:2] == " " else line[1:])
        else:
            texts.append([])
