"""Markdown files of other tools, read one at a time: what stands in front, the text, and what is wrong with it.

A file that is no UTF-8 or has a broken front matter is told, and comes in as text all the same. Writes nothing.
"""

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memdir.errors import BadData, MemdirError
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.records import Bad, whole
from memdir.vault import fields, layout, names, note
from memdir.vault.fields import Value

ENDINGS = (".md", ".markdown")
MOST = 16 << 20  # bytes of one file; a larger one is no note
_DAY = re.compile(r"(\d{4})[-/.](\d{2})[-/.](\d{2})(?!\d)")
_LINE = re.compile(r"^([ \t]*)([A-Za-z_][\w-]*):(?=[ \t]|$)(.*)$")
_BORN = ("created", "date", "date created", "created_at", "creation_date", "created at")  # keys of the day of a note
_WORDS = {*layout.TYPES, "reference", "references"}


@dataclass(frozen=True, slots=True)
class Page:
    """One file. `name`: its path in the source; `problem`: why it could not be read as it was meant, and where."""

    name: str
    body: str
    front: dict[str, Value] = field(default_factory=dict)
    problem: Bad | None = None

    @property
    def stem(self) -> str:
        return stem(self.name)

    def text(self, *keys: str) -> str:
        """The first of some values that is text or a number and not empty."""
        found = (self.front.get(key) for key in keys)
        return next((str(one).strip() for one in found if _says(one)), "")

    @property
    def day(self) -> str:
        """`YYYY-MM-DD` of its making by its front matter, else by its name; "" where neither tells."""
        told = [_DAY.search(str(self.front[key])) for key in _BORN if isinstance(self.front.get(key), str)]
        days = ["-".join(one.groups()) for one in (*told, _DAY.match(self.stem)) if one]
        return next((day for day in days if names.is_day(day)), "")


def _says(value: Value) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(str(value).strip())


def stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0]


def is_page(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def as_link(name: str) -> str:
    """The path of a file as links mean it, with `.md` whatever its ending."""
    return f"{name.rpartition('.')[0]}.md"


def label(members: Members) -> str:
    """What tells a source from others: the last two names of its folder, because many folders are called `memory`."""
    path = members.path("")
    if path is None:
        return members.name
    folder = os.path.abspath(path if path.is_dir() else path.parent)
    return "/".join(folder.split(os.sep)[-2:])


def each(members: Members, found: Iterable[str], *, lenient: bool = False) -> Iterator[Page | Bad]:
    """Some files in order, what is wrong with one before it."""
    for name in found:
        one = page(members, name, lenient=lenient)
        if isinstance(one, Page) and one.problem:
            yield one.problem
        yield one


def page(members: Members, name: str, *, lenient: bool = False) -> Page | Bad:
    """One file, or why there is nothing of it. `lenient`: a front matter that is no YAML, but plain lines of a key and
    a value, is read as such: a model writes `name: this: and that`."""
    try:
        data = beginning(members, name, MOST + 1)
    except MemdirError as error:
        return Bad(name, str(error))
    except OSError as error:
        return Bad(name, f"cannot be read: {error.strerror}")
    if len(data) > MOST:
        return Bad(name, f"larger than {MOST >> 20} MiB: left out")
    text, odd = _decoded(data)
    front = fields.read(text)
    problem = None
    if front.problem:
        line, why = front.problem
        problem = Bad(f"{name}:{line}", why)
    elif odd:
        problem = Bad(name, "it is no UTF-8; what could not be read is shown as \N{REPLACEMENT CHARACTER}")
    lines = text.split("\n")
    body = "\n".join(lines[front.body_line :])
    if not front.readable:
        block = [line.removesuffix("\r") for line in lines[1 : front.body_line - 1]]
        if lenient and (told := _by_line(block)):
            return Page(name, whole(body), told)
        body = "\n".join(["~~~~yaml", *block, "~~~~", body])  # nothing is lost, and no second block stands behind ours
        problem = Bad(f"{name}:{(front.problem or (1,))[0]}", f"{_why(front)}; it is kept as text")
    return Page(name, whole(body), front.values, problem)


def _by_line(block: Sequence[str]) -> dict[str, Value]:
    """The values of lines `key: value`, with one level of keys below a key; {} where any line is something else."""
    found: dict[str, Value] = {}
    inner: dict[str, Value] | None = None
    for line in block:
        match = _LINE.match(line)
        if line.strip() and (not match or (match[1] and inner is None)):
            return {}
        if match:
            value = match[3].strip().strip("\"'")
            if match[1] and inner is not None:
                inner[match[2]] = value
            else:
                inner = None if value else {}
                found[match[2]] = value if inner is None else inner
    return found


def _why(front: fields.Fields) -> str:
    return front.problem[1] if front.problem else "front matter cannot be read"


def _decoded(data: bytes) -> tuple[str, bool]:
    """The text without a byte-order mark, and whether there was anything that could not be read."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), False
    try:
        return data.decode().removeprefix(fields.BOM), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").removeprefix(fields.BOM), True


def head(members: Members, name: str) -> dict[str, Value]:
    """The front matter of a file by its first bytes; empty for none."""
    try:
        data = beginning(members, name)
    except (MemdirError, OSError):
        return {}
    return fields.read(data.decode("utf-8", "replace").removeprefix(fields.BOM)).values


def plain(front: Mapping[str, Value]) -> tuple[dict[str, Value], int]:
    """The values that a flat front matter can hold, and how many it cannot."""
    kept = {key: value for key, value in front.items() if _is_plain(value)}
    return {key: _clean(value) for key, value in kept.items()}, len(front) - len(kept)


def _is_plain(value: Value) -> bool:
    if isinstance(value, list):
        return all(not isinstance(item, list | dict) for item in value)
    return not isinstance(value, dict)


def _clean(value: Value) -> Value:
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return whole(value) if isinstance(value, str) else value


def type_of(value: Value) -> str:
    """The topic type that a word means; "" for a type of another tool."""
    told = isinstance(value, str) and value.strip().lower() in _WORDS
    return layout.type_of("", value) if told else ""


def tags(front: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(whole(word) for word in note.words(front.get("tags", front.get("tag"))))


def aliases(front: Mapping[str, Value], title: str, *ways: str) -> dict[str, Value]:
    """The names by which a note of that title is found too, `ways` among them, as front matter; {} for none."""
    told = note.words(front.get("aliases", front.get("alias")), tags=False)
    known = {"", names.fold(title), names.fold(names.slug(title))}
    # A name of a file may hold bytes that are no text; as they are, they would make the note one that nobody reads.
    ways = tuple(map(whole, (*told, *ways)))
    found: list[Value] = [*dict.fromkeys(way for way in ways if names.fold(way) not in known)]
    return {"aliases": found} if found else {}


def sorted_out(members: Members) -> tuple[list[str], Counter[str]]:
    """The notes of a folder of markdown, and what else there is, counted by what it is. Raises BadData without any."""
    found, left = [], Counter[str]()
    templates = _template_folders(members)
    for name in members.names:
        folders = name.split("/")[:-1]
        hidden = any(names.is_ignored_folder(one) for one in folders)
        if hidden or name.rpartition("/")[2].startswith("."):
            left["notes in hidden folders"] += is_page(name)
        elif not is_page(name):
            left["canvases" if name.lower().endswith(".canvas") else "attachments and other files"] += 1
        elif any(names.is_template_folder(one) for one in folders) or name.startswith(templates):
            left["templates"] += 1
        elif names.is_by_product(name):
            left["copies that sync tools and editors made"] += 1
        else:
            found.append(name)
    if not found:
        raise BadData(f"{members.name}: no markdown")
    return found, left


def _template_folders(members: Members) -> tuple[str, ...]:
    """The folders that Obsidian's core template plug-in is set to, each with a `/`."""
    found = []
    for name in members.names:
        if name == ".obsidian/templates.json" or name.endswith("/.obsidian/templates.json"):
            try:
                told = json.loads(beginning(members, name))
            except (MemdirError, OSError, ValueError, RecursionError):
                continue
            folder = told.get("folder") if isinstance(told, dict) else None
            if isinstance(folder, str) and names.relative(folder):
                found.append(f"{name.removesuffix('.obsidian/templates.json')}{names.relative(folder)}/")
    return tuple(found)
