"""Body grammar: one pass over the lines of a note, blind to code, math and comments.

Yields headings, links, tags, facts, observations, relations, loops and block ids with their lines,
all of it markdown that Obsidian, Dataview or Tasks users already write. Every pattern is bounded, so
time grows with length only. Pure functions over text; touches no file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

RESERVED_KEYS = frozenset(
    {"outcome", "entity", "executor", "error", "duration", "procedure", "resolves", "reopens", "source"}
)
MAX_LINE = 4_000  # characters of one line that the grammar reads; the rest is text only

MAX_BLOCK = 1_000  # lines within which a `%%` or `$$` block must end; else its mark is text

_ENTRY = re.compile(r"^## \d\d:\d\d ")  # begins an entry of a log
_FENCE = re.compile(r"^ {0,3}([-*+] )?(?:> ?){0,8}(`{3,}|~{3,})(.*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_CODE_SPAN = re.compile(r"(?<!`)(`{1,8})(?!`)(.{1,1000}?)(?<!`)\1(?!`)")
_MATH_SPAN = re.compile(r"\$\$.{1,1000}?\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]{1,500}?(?<![\s\\])\$(?![\d$])")
_COMMENT_SPAN = re.compile(r"%%.{0,2000}?%%")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,300})\]\]")
_MDLINK = re.compile(r"(!?)\[[^\[\]\n]{0,300}\]\((<[^<>\n]{1,500}>|[^()\s<>]{1,500})(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_TAG = re.compile(
    r"(?:^|(?<=[\s(（,，;；、。]))#([\w/\-\u0300-\u036f\u0900-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]{1,100})"
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+(.*)$")
_FACT = re.compile(r"^((?:[^:\[\]`|\0]|:(?![: \t])){1,80}?)::[ \t]+(\S.{0,3900})$")
_OBSERVATION = re.compile(r"^\[([^\[\]^\n\0]{2,60})\][ \t]+(\S.{0,3900})$")
_RELATION = re.compile(r"^([a-z_]{1,60})[ \t]+\[\[([^\[\]\n]{1,300})\]\][ \t]*$")
_LOOP = re.compile(r"^\[([^\[\]\n])\][ \t]+(\S.{0,3900})$")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]{1,64})[ \t]*$")
_SOURCE = re.compile(r"[ \t]*\[source::[ \t]*((?:\[\[[^\[\]\n]{1,300}\]\][^\[\]\n]{0,20}){1,8})\][ \t]*$")
_VALIDITY = re.compile(r"[ \t]*\(([0-9][0-9T:+\-Z]{3,30})?[ \t]*→[ \t]*([0-9][0-9T:+\-Z]{3,30})?\)[ \t]*$")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written: `target` without heading, block, alias and `.md`; "" points into its own note."""

    line: int
    target: str
    anchor: str = ""
    alias: str = ""
    embed: bool = False
    wiki: bool = True


@dataclass(frozen=True, slots=True)
class Fact:
    """`source`: the links that it rests on, as written; so in the values below."""

    line: int
    key: str
    value: str
    since: str = ""
    until: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Reserved:
    """A line whose key says something of an entry and not of the world, such as `outcome` or `resolves`."""

    line: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Observation:
    line: int
    category: str
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    line: int
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Loop:
    line: int
    text: str
    done: bool
    block: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    line: int
    level: int
    text: str


@dataclass(slots=True)
class Body:
    """What the lines of a body say; every `line` is a 0-based index into the whole file."""

    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    reserved: list[Reserved] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    blocks: dict[str, int] = field(default_factory=dict)


def scan(lines: Sequence[str], start: int = 0) -> Body:
    """Read the body that begins at `lines[start]`; lines may end in a carriage return."""
    body = Body()
    seen: set[str] = set()
    for number, line in prose(lines, start):
        if line.lstrip(" ").startswith("#") and (found := _HEADING.match(line)):
            body.headings.append(Heading(number, len(found[1]), found[2]))
        if "[" in line:
            add_links(body, number, line)
        if "#" in line:
            for tag in _tags(line):
                if tag.casefold() not in seen:
                    seen.add(tag.casefold())
                    body.tags.append(tag)
        if "^" in line and (block := _BLOCK_ID.search(line)):
            body.blocks.setdefault(block[1], number)
        if "::" in line or "[" in line:
            masked, whole = _code_kept(line, lines[number]) if "`" in lines[number] else (line, line)
            if item := _ITEM.match(masked):
                _item(body, number, item[1].rstrip(), whole[item.start(1) :])
    return body


def _code_kept(line: str, raw: str) -> tuple[str, str]:
    """A blanked line with its inline code as NULs, and with it as written: a value may be code, a mark may not."""
    masked = whole = line
    for found in _CODE_SPAN.finditer(raw[: len(line)]):
        start, end = found.span()
        if not line[start:end].strip():
            masked = masked[:start] + "\0" * (end - start) + masked[end:]
            whole = whole[:start] + found[0] + whole[end:]
    return masked, whole


def prose(lines: Sequence[str], start: int = 0, width: int = MAX_LINE) -> Iterator[tuple[int, str]]:
    """Lines with code, math and comments blanked out (same columns); lines wholly inside are left out."""
    fence, block, code_may_start, code, pre = "", "", True, False, False
    for number in range(start, len(lines)):
        line = lines[number].removesuffix("\r")[:width]
        if fence:
            fence = "" if _closes(line, fence) else fence
            continue
        if block:
            block, line = ("", line) if _ENTRY.match(line) else _leave(block, line)
            if block:
                continue
        if pre or line.startswith("<pre"):  # fences in it are text: `</pre>` often stands behind the last one
            pre = "</pre" not in line and (pre or _closed(lines, number + 1, "</pre"))
        elif ("```" in line or "~~~" in line) and (opened := _opened(lines, number, line)):
            fence = opened
            continue
        if not line.strip():
            code_may_start = True
            continue
        indented = line.startswith(("    ", "\t"))
        if indented and (code or (code_may_start and not _in_list(lines, number, start))):
            code = True
            continue
        code_may_start = code = False
        if "`" in line or "$" in line or "%%" in line:
            line, block = _blank_spans(line)
            if block and not _closed(lines, number + 1, block):
                block = ""
        yield number, line


def _closed(lines: Sequence[str], start: int, block: str) -> bool:
    """Whether a block opened before `start` ends before the next log entry and within reach."""
    for line in lines[start : start + MAX_BLOCK]:
        if block in line:
            return True
        if _ENTRY.match(line):
            return False
    return False


def _opened(lines: Sequence[str], number: int, line: str) -> str:
    """The signs of a fence that a line opens, "" for none; one in a list item must end before the next log entry."""
    fence = _FENCE.match(line)
    if not fence or (fence[2][0] == "`" and "`" in fence[3]):
        return ""
    return fence[2] if not fence[1] or _closed_item(lines, number + 1, fence[2]) else ""


def _closed_item(lines: Sequence[str], start: int, fence: str) -> bool:
    """Whether a fence that begins in a list item ends before the next log entry; else it hides nothing."""
    for line in lines[start : start + MAX_BLOCK]:
        if _closes(line, fence):
            return True
        if _ENTRY.match(line):
            return False
    return False


def _closes(line: str, fence: str) -> bool:
    text = line.strip().removeprefix("- ").lstrip("> ").strip()
    return len(text) >= len(fence) and not text.strip(fence[0])


def _leave(block: str, line: str) -> tuple[str, str]:
    """Whether a `%%` or `$$` block goes on, and what of the line stands behind its end."""
    end = line.find(block)
    return (block, "") if end < 0 else ("", " " * (end + 2) + line[end + 2 :])


def _blank_spans(line: str) -> tuple[str, str]:
    """Blank inline code, comments and math; the second value is the block left open at the end."""
    for pattern in (_CODE_SPAN, _COMMENT_SPAN, _MATH_SPAN):
        line = pattern.sub(lambda found: " " * len(found.group()), line)
    for mark in ("%%", "$$"):
        at = line.find(mark)
        if at >= 0:
            return line[:at], mark
    return line, ""


def _in_list(lines: Sequence[str], number: int, start: int) -> bool:
    """Whether an indented line behind a blank one still belongs to a list item above it."""
    for above in range(number - 1, max(start, number - 50) - 1, -1):
        text = lines[above].rstrip("\r")
        if text.strip() and not text.startswith(("    ", "\t")):
            return bool(_ITEM.match(text)) or text.startswith(" ")
        if _ITEM.match(text):
            return True
    return False


def add_links(body: Body, number: int, line: str) -> None:
    """Add the links that stand in one line."""
    for found in _WIKILINK.finditer(line):
        body.links.append(wikilink(found[2], number, embed=bool(found[1])))
    if "](" in line:
        for found in _MDLINK.finditer(line):
            target = unquote(found[2].strip("<>"))
            path, _, anchor = target.partition("#")
            if not re.match(r"^[a-zA-Z][a-zA-Z0-9+.\-]*:|^//", target) and (path.lower().endswith(".md") or not path):
                body.links.append(Link(number, _stem(path), anchor, embed=bool(found[1]), wiki=False))


def wikilink(inner: str, line: int = 0, *, embed: bool = False) -> Link:
    """Parse what stands between `[[` and `]]`; in tables the bar is written `\\|`."""
    target, _, alias = inner.replace("\\|", "|").partition("|")
    path, _, anchor = target.partition("#")
    return Link(line, _stem(path.strip()), anchor.strip(), alias.strip(), embed)


def _stem(path: str) -> str:
    return path[:-3] if path.lower().endswith(".md") else path


def _tags(line: str) -> Iterator[str]:
    for found in _TAG.finditer(line):
        tag = found[1].strip("/")
        if tag and not tag.replace("/", "").isdigit():
            yield tag


def _item(body: Body, number: int, text: str, whole: str) -> None:
    """`text` says what it is, `whole` has the same columns and holds the values."""
    block = _BLOCK_ID.search(text)
    text = text[: block.start()].rstrip() if block else text
    cited = _SOURCE.search(text) if text.endswith("]") else None
    source = cited[1].strip(", ") if cited else ""
    text = text[: cited.start()].rstrip() if cited else text
    if loop := _LOOP.match(text):
        body.loops.append(
            Loop(number, whole[loop.start(2) : loop.end(2)], loop[1] in "xX", block[1] if block else "", source)
        )
    elif fact := _FACT.match(text):
        key = fact[1].strip()
        if key.lower() in RESERVED_KEYS:
            body.reserved.append(Reserved(number, key.lower(), whole[fact.start(2) : fact.end(2)].strip()))
        else:
            body.facts.append(_fact(number, key, fact[2], whole[fact.start(2) :], source))
    elif (seen := _OBSERVATION.match(text)) and not text[seen.end(1) + 1 :].startswith("("):
        said = whole[seen.start(2) : seen.end(2)]
        body.observations.append(Observation(number, seen[1].strip(), said, source))
    elif relation := _RELATION.match(text):
        body.relations.append(Relation(number, relation[1], wikilink(relation[2]).target))


def _fact(number: int, key: str, text: str, whole: str, source: str) -> Fact:
    held = _VALIDITY.search(text)
    value = whole[: held.start() if held else len(text)]
    since, until = (held[1] or "", held[2] or "") if held else ("", "")
    return Fact(number, key, value.rstrip(), since, until, source)
