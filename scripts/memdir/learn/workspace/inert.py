"""Strangers' text made harmless: what a vault, a terminal, a reader or Obsidian would act on is taken out. Pure.

Works line by line. What instructs a reader in plain words stays: it is quoted where it is shown, and judged elsewhere.
"""

import html
import re
from collections.abc import Sequence

from memdir import text

_MARKER = re.compile(
    r"^(?:[>\s]|#{1,6}(?=\s)|[-*+•](?=\s)|\d{1,4}[.)](?=\s+(?:[-*+•>#\[]|\d{1,4}[.)]))|\[[^\[\]\n]\](?=\s|$))+"
)
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])|!\[\[[^\[\]]{0,300}\]\]")
_LINK = re.compile(r"\[([^\[\]]{0,500})\](?:\([^()]{0,1000}(?:\([^()]{0,200}\))?[^()]{0,200}\)|\[[^\[\]]{0,300}\])")
_WIKILINK = re.compile(r"\[\[([^\[\]]{1,300})\]\]")
_ELEMENT = re.compile(r"</?[a-zA-Z!?%][^<>]{0,1000}>")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,500})>")
_TEMPLATE = re.compile(r"\{[{%][^{}]{0,500}[}%]\}")
_TAG = re.compile(r"(?:(?<=\s)|(?<=[(（\[,，;；、。])|^)#(?=[^\s#])")
_BLOCK_ID = re.compile(r"\^[A-Za-z0-9-]{1,64}")


def inline(line: str) -> str:
    """One line of a stranger's text as plain text: no markup that a vault, a reader or Obsidian would act on.

    Gone: control, bidi and tag characters, images, link targets, HTML, templates, comments, wikilinks, block ids,
    `%%`, `$$`, fences, inline queries (`= …`, `$= …`), inline fields (`key:: `); a tag's `#` is escaped.
    """
    line = text.printable(html.unescape(line)) if "&" in line else text.printable(line)
    line = " ".join(line.split())
    line = _AUTOLINK.sub(r"\1", line)
    for _ in range(3):  # a badge is an image within a link within an element
        line = _LINK.sub(r"\1", _ELEMENT.sub("", _IMAGE.sub("", line)))
    line = _TEMPLATE.sub("", _WIKILINK.sub(lambda found: found[1].rpartition("|")[2], line))
    line = re.sub(r"`(?=\s*\$?=)", "'", re.sub(r"`{3,}|~{3,}", "", line))
    line = _until_stable(line, ("<!--", "-->", "[[", "]]", "%%", "$$", "{{", "}}", "<%", "%>"))
    line = re.sub(r":{2,}(?=\s|$|\]|\))", ":", line)
    line = _TAG.sub(r"\\#", " ".join(line.split()))
    return _without_ids(line)


def _without_ids(line: str) -> str:
    """Words parted by one space, without the block ids at their end; a line may be nothing but ids."""
    words = line.split(" ")
    while words and _BLOCK_ID.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)


def plain(line: str) -> str:
    """`inline`, and nothing at its beginning that makes a heading, an item, a check box or a quote."""
    return inline(_MARKER.sub("", _MARKER.sub("", inline(line))))


def _until_stable(line: str, marks: Sequence[str]) -> str:
    """Shorten every mark to its last character (`[[` → `[`) until none is left; a comment's mark goes whole."""
    before = ""
    while before != line:
        before = line
        for mark in marks:
            line = line.replace(mark, "" if len(mark) > 2 or mark in ("<%", "%>") else mark[1:])
    return line
