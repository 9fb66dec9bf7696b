"""What a document says, in short: title, paragraphs, headings, items, links.

Reads markdown, and reStructuredText and AsciiDoc as far as headings, paragraphs and items go. Pure functions over
text. Code, tables, comments and front matter are left out. Every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memdir import text
from memdir.learn.workspace import inert, markup
from memdir.vault import fence, markdown

_LINES = 4_000  # of a document; 60,000 items in 180 KB took 3 s, and a note quotes the beginning
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]+(.*)$")
_BOX = re.compile(r"^\[([^\[\]\n])\](?:[ \t]+|$)")
_RULE = re.compile(r"^[ \t]*(?:[-*_=~][ \t]*){3,}$")
_URL = re.compile(r"https?://[^\s<>()\[\]\"'`|\\^{}（），。；、！？【】」』》]{4,300}")
_LINKED = re.compile(r"\[[^\[\]]{0,200}\]\([^()]{0,500}\)")
_BADGE = re.compile(
    r"shields\.io|badge|codecov|coveralls|travis-ci|circleci\.com|opensource\.org|creativecommons|gnu\.org/licenses"
    r"|star-history|contrib\.rocks|\.(?:png|svg|gif|jpe?g|webp|ico)\b|example\.(?:com|org|net)|keepachangelog|semver\.org"
)


@dataclass(slots=True)
class Section:
    """What stands under one heading, cleaned. `items`: (mark, text), the mark "" without a check box."""

    level: int
    title: str
    paragraphs: list[str] = field(default_factory=list)
    items: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """The sections of a document; the first may have no title (level 0)."""

    sections: list[Section] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The first heading, when no other is of its level or above, and no text before it unless it is a `#`."""
        named = [section for section in self.sections if section.title]
        if not named or (named[0] is not self.sections[0] and named[0].level > 1):
            return ""
        return named[0].title if all(one.level > named[0].level for one in named[1:]) else ""


def read(content: str, path: str) -> Document:
    """Take a document apart; `path` says by its ending which markup it is in."""
    lines = [line[: markdown.MAX_LINE] for line in content.replace("\r\n", "\n").split("\n", _LINES)[:_LINES]]
    close = fence.closing_fence(lines)
    lines = lines[close + 1 :] if close is not None else lines
    ending = path.casefold().rpartition(".")[2]
    if ending == "rst":
        lines = list(markup.from_rst(lines))
    elif ending in ("adoc", "asciidoc"):
        lines = list(markup.from_adoc(lines))
    lines = markup.headed(list(markup.uncommented(lines)))
    document = Document(links=_links(lines))
    for section in _sections(lines):
        document.sections.append(section)
    return document


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    """Sections in order, with their paragraphs and items."""
    section, last, open_item = Section(0, ""), -1, False
    paragraph: list[str] = []
    for number, blanked in markdown.prose(lines):
        line = blanked if "%%" in lines[number] or "$$" in lines[number] else lines[number]
        quoted = re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line)
        heading, item = _HEADING.match(quoted), _ITEM.match(quoted)
        fresh = number != last + 1
        last = number
        if heading or item or fresh or not quoted.strip():
            _add(section, paragraph)
            paragraph = []
        if heading:
            if section.title or section.paragraphs or section.items:
                yield section
            section, open_item = Section(len(heading[1]), inert.plain(heading[2])), False
        elif _RULE.match(quoted) or quoted.lstrip().startswith("|") or _callout(quoted):
            open_item = False
        elif item:
            box = _BOX.match(item[1])
            section.items.append((box[1] if box else "", item[1]))
            open_item = True
        elif open_item and not (fresh and not line.startswith((" ", "\t"))):
            mark, said = section.items[-1]
            section.items[-1] = (mark, said if fresh else f"{said} {quoted}"[: markdown.MAX_LINE])
        else:
            open_item = False
            paragraph.append(quoted)
    _add(section, paragraph)
    yield section


def _callout(line: str) -> bool:
    return bool(re.match(r"^\[!\w{1,20}\]|^\[[^\[\]]{1,200}\]:|^\[toc\]$", line.strip(), re.IGNORECASE))


def _add(section: Section, paragraph: list[str]) -> None:
    joined = " ".join(paragraph)[: markdown.MAX_LINE]
    if "](" in joined and sum(letter.isalnum() for letter in _LINKED.sub("", joined)) < 24:
        return  # a row of links: languages, badges, a table of contents
    said = inert.plain(joined)
    if any(letter.isalnum() for letter in re.sub(r"`[^`]*`", "", said)):
        section.paragraphs.append(said)


def _links(lines: Sequence[str]) -> list[str]:
    """Addresses outside the project, in order, without badges, users and queries."""
    found: dict[str, None] = {}
    for _, line in markdown.prose(lines):
        for url in _URL.findall(line):
            address = re.sub(r"(?<=//)[^/@]*@", "", re.split(r"[?#]", text.printable(url))[0]).rstrip(".,;:!*_/")
            if not _BADGE.search(address) and "%%" not in address and "$$" not in address:
                found[address] = None
    return list(found)
