"""A note: one markdown file as a value, read without ever raising for what stands in it.

Everything a file says is here (front matter, body grammar, Problems); how it is edited is in `edits`,
how it is cut for recall in `passages`. Pure functions over bytes; touches no file.
"""

import json
import re
import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from memdir.errors import Problem
from memdir.vault import fields, layout, markdown, memory_md, names
from memdir.vault.fields import Value
from memdir.vault.markdown import Body

REQUIRED = ("name", "type", "tags", "created", "updated", "importance")
OUTSIDE = "from outside, not reviewed"  # what a list says of a note in place of its own words
MAX_PARSED = 1_048_576  # bytes of one note that are read for grammar; the rest is text only (RELIABILITY 4.1)
_DATE = re.compile(r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
# Keys that sort, date or steer: their values are no text to search.
_QUIET = {
    *("name", "title", "type", "tags", "tag", "aliases", "alias", "created", "updated", "importance", "id", "scope"),
    *("decay", "valid_from", "valid_to", "confidence", "trust", "cssclasses", "cssclass", "publish", "position"),
    *("permalink", "slug"),  # the title again, as an address
}
# Keys that say where a note comes from or what became of it: no text to search either, but what they link to counts.
_TOLD = {"source", "origin", "origin_digest", "status", "superseded_by", "supersedes"}
_LINK = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]|\[([^\[\]\n]{1,300})\]\([^()\n]{1,500}\)")
_ODD = re.compile("[\udc80-\udcff]")
_TAG_JUNK = " \t#\"'[]"


@dataclass(frozen=True, slots=True)
class Note:
    """One file of the vault; `lines` are the whole file, `body_line` the index of its first body line."""

    path: str
    kind: str  # note | log | index | session
    name: str
    type: str
    lines: list[str]
    body_line: int = 0
    meta: dict[str, Value] = field(default_factory=dict)
    body: Body = field(default_factory=Body)
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    readable: bool = True

    @property
    def stem(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".md")

    @property
    def date(self) -> str:
        """`YYYY-MM-DD` it speaks for: a log's or a session's day, else updated or created; "" where none is written."""
        if self.kind == "log" and (day := names.DATE_NAME.match(self.stem)):
            return day[1]
        keys = ("started",) if self.kind == "session" else ("updated", "created")
        return next((day[0] for key in keys if (day := _DATE.match(self.text(key)))), "")

    @property
    def hook(self) -> str:
        """What the index says behind the name: the description, else the first prose; never words from outside."""
        if self.kind == "session":
            return ""
        if self.outside:
            return OUTSIDE
        return self.text("description") or next(self._prose(), "")

    @property
    def outside(self) -> bool:
        """Whether it came from outside, or is proposed, and nobody has reviewed it: no agent is shown it unasked."""
        return self.text("trust") not in ("", "reviewed", "agent") or self.text("status") == "proposed"

    @property
    def ours(self) -> bool:
        """Whether the note keeps memdir's schema, so that edits maintain its `updated:`."""
        return all(key in self.meta for key in ("name", "type", "updated"))

    def text(self, key: str) -> str:
        """A front matter value as text; "" where it is missing or not flat."""
        value = self.meta.get(key)
        return (
            str(value).lower()
            if isinstance(value, bool)
            else str(value).strip()
            if isinstance(value, str | int)
            else ""
        )

    def _prose(self) -> Iterator[str]:
        past = self._history
        for number, line in markdown.prose(self.lines, self.body_line):
            text = re.sub(r"^(?:[\s>]+|[*+\-] +|\d+[.)] +)+|\s+\^[\w-]+\s*$", "", self.lines[number]).strip()
            if number in past or "::" in text or text.startswith(("#", "|", "[ ]", "[x]", "[!", "```")):
                continue
            if line.strip() and (text := _LINK.sub(_shown, names.EMBED.sub("", text)).strip()):
                yield text

    @property
    def _history(self) -> range:
        """The lines of the section that tells what was."""
        heads = self.body.headings
        own = next((head for head in heads if names.fold(head.text) == "history"), None)
        if own is None:
            return range(0)
        behind = (head.line for head in heads if head.line > own.line and head.level <= own.level)
        return range(own.line, next(behind, len(self.lines)))


def _shown(link: re.Match[str]) -> str:
    """What a reader sees of a link."""
    if link[2]:
        return link[2]
    found = markdown.wikilink(link[1])
    return found.alias or found.target.rpartition("/")[2] or found.anchor


def parse(path: str, data: bytes, *, own: bool = False) -> Note:
    """Read one file. `own`: the vault keeps memdir's schema, so what is missing from it is a Problem."""
    text = fields.decode(data).lstrip(fields.BOM)
    front = fields.read(text)
    kind = layout.kind_of(path)
    if kind == "session" and not own and front.values.get("type") != kind:
        kind = "note"  # somebody's own folder of that name
    lines = memory_md.hand_written(text.split("\n")) if kind == "index" else text.split("\n")
    scanned = lines if len(data) <= MAX_PARSED else _head(lines)
    body = Body() if kind == "session" else markdown.scan(scanned, front.body_line)  # what was said is opaque
    for number, line in said(lines, front.body_line, _QUIET):
        markdown.add_links(body, number, line)
    note = Note(
        path=path,
        kind=kind,
        name=_name(path, kind, front.values),
        type=kind if kind == "session" else layout.type_of(path, front.values.get("type")),
        lines=lines,
        body_line=front.body_line,
        meta=front.values,
        body=body,
        tags=_merge(words(front.values.get("tags", front.values.get("tag"))), body.tags),
        aliases=tuple(words(front.values.get("aliases", front.values.get("alias")), tags=False)),
        readable=front.readable,
        problems=tuple(Problem(path, *found) for found in (front.problem, _odd_bytes(lines)) if found),
    )
    return note if not own or note.problems or not layout.is_topic(path) else _checked(note)


def said(lines: Sequence[str], body_line: int, hushed: Set[str] = _QUIET | _TOLD) -> list[tuple[int, str]]:
    """Lines of the front matter that say something in words: all but those of the `hushed` keys, which sort, date or
    tell where a note comes from."""
    found, quiet = [], False
    for number in range(1, body_line - 1):
        line = lines[number]
        if line[:1].strip() and not line.startswith(("-", "#")):
            quiet = line.partition(":")[0].strip().lower() in hushed
        if not quiet and line.strip():
            found.append((number, line))
    return found


def _odd_bytes(lines: Sequence[str]) -> tuple[int, str] | None:
    if lines[0][:2] in ("\udcff\udcfe", "\udcfe\udcff"):
        return 1, "UTF-16: it is not searched and not written to; save it as UTF-8"
    for number, line in enumerate(lines, 1):
        if not line.isascii() and _ODD.search(line):
            return number, "bytes that are no UTF-8: they are kept, shown as \N{REPLACEMENT CHARACTER} and not searched"
    return None


def words(value: Value, *, tags: bool = True) -> list[str]:
    """A list of names written in any of the ways people do: list, one string, comma text, JSON text, null."""
    if isinstance(value, list):
        return [word for item in value for word in words(item, tags=tags)]
    if value is None or isinstance(value, dict):
        return []
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text.lstrip().startswith("[") and text.rstrip().endswith("]"):
        try:
            return words(json.loads(text), tags=tags)
        except (ValueError, RecursionError):
            pass
    if not tags:
        return [text.strip()] if text.strip() else []
    parts = re.split(r"[,，]|\s+(?=#)", text)
    return [word for part in parts if (word := part.strip(_TAG_JUNK))]


def _head(lines: list[str]) -> list[str]:
    size = 0
    for n, line in enumerate(lines):
        size += len(line) + 1
        if size > MAX_PARSED:
            return lines[:n]
    return lines


def _name(path: str, kind: str, meta: dict[str, Value]) -> str:
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    if kind == "log":
        return stem
    for key in ("name", "id") if kind == "session" else ("name", "title"):
        value = meta.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return stem


def _merge(*lists: list[str]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for items in lists:
        for item in items:
            seen.setdefault(names.fold(item), item)
    return tuple(seen.values())


def _checked(note: Note) -> Note:
    """The note with a Problem for each breach of the schema, each with the line of its key."""
    found = [missing] if (missing := _missing(note)) else []
    checks = {
        "type": str(note.meta.get("type")) in layout.TYPES,
        "importance": str(note.meta.get("importance")) in layout.IMPORTANCE,
        "created": bool(_DATE.match(note.text("created"))),
        "updated": bool(_DATE.match(note.text("updated"))),
    }
    found += [
        f"{key}: {note.meta[key]!r} is not a value it can have"
        for key, good in checks.items()
        if key in note.meta and not good
    ]
    problems = tuple(Problem(note.path, _line_of(note, message), message) for message in found)
    return Note(**{name: getattr(note, name) for name in note.__dataclass_fields__} | {"problems": problems})


def _missing(note: Note) -> str:
    """Which keys a note lacks, and the command that adds them; "" where it has all."""
    missing = [key for key in REQUIRED if key not in note.meta]
    if not missing:
        return ""
    day = note.date or "DAY"
    given = {"name": note.name, "type": note.type, "tags": "", "importance": "medium", "created": day, "updated": day}
    pairs = shlex.join(f"{key}={given[key]}" for key in missing)
    said = f"key {missing[0]} is" if len(missing) == 1 else f"keys {', '.join(missing)} are"
    adds = f"`memdir set {shlex.quote(note.path)} {pairs}` adds {'it' if len(missing) == 1 else 'them'}"
    return f"{said} missing; {adds}{', with a day such as 2026-11-29 for DAY' if '=DAY' in pairs else ''}"


def _line_of(note: Note, message: str) -> int:
    key = message.split(":")[0]
    return next((n for n, line in enumerate(note.lines[: note.body_line], 1) if line.startswith(f"{key}:")), 1)
