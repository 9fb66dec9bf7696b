"""HTML as plain text: paragraphs, lists, code and tables keep their lines, everything else leaves its words.

Scripts, styles and comments say nothing. Nothing is fetched, no tag is kept. What the parser is given has bare tags
only, because it takes the square of the time over tags that never close. Pure functions.
"""

import re
from html.parser import HTMLParser

LONGEST = 4_000_000  # characters of HTML; a longer text is no answer of a chat
DEEPEST = 20  # lists inside of lists that move to the right: text would grow by the square of what never closes
_APART = {
    "address", "article", "blockquote", "dl", "div", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p",
    "pre", "section", "table", "ul",
}  # fmt: skip
_LINES = {"br", "dd", "dt", "li", "tr"}
_SILENT = {"script", "style", "template", "title"}
_CELLS = {"td", "th"}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})(?:[\s/][^<>]*)?>")
_STRAY = re.compile(r"<(?!/?[A-Za-z][A-Za-z0-9]*>)")


def plain(html: str) -> str:
    """The text of a piece of HTML."""
    reader = _Reader()
    reader.feed(_STRAY.sub("&lt;", _TAG.sub(r"<\1\2>", _uncommented(html[:LONGEST]))))
    reader.close()
    text = "".join(reader.parts)
    text = re.sub(r"[ \t]+(?=\n)", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _uncommented(html: str) -> str:
    first, *others = html.split("<!--")
    return first + "".join(one.partition("-->")[2] for one in others)


class _Reader(HTMLParser):
    """Collects the words; `_silent` and `_kept` count the open tags whose text is left out or keeps its blanks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = self._kept = self._depth = 0
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag in _CELLS:
            self._add(" | " if self._cell else "")
            self._cell = True
        elif tag in _APART or tag in _LINES:
            nested = tag in ("ol", "ul") and self._depth
            self._break("\n\n" if tag in _APART and not nested else "\n")
            self._cell = False
        self._depth += tag in ("ol", "ul")
        self._kept += tag == "pre"
        if tag == "li":
            self._add("  " * min(self._depth - 1, DEEPEST) + "- ")
        elif tag == "pre":
            self._add("```\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag == "pre" and self._kept:
            self._kept -= 1
            self._add("" if self.parts and self.parts[-1].endswith("\n") else "\n")
            self._add("```")
        if tag in ("ol", "ul"):
            self._depth = max(0, self._depth - 1)
        if tag in _APART and not (tag in ("ol", "ul") and self._depth):
            self._break("\n\n")

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._kept:
            self._add(data)
            return
        text = re.sub(r"\s+", " ", data)
        if not self.parts or self.parts[-1].endswith(("\n", " ")):
            text = text.lstrip(" ")
        self._add(text)

    def _break(self, sign: str) -> None:
        """A line's end, unless the text before has one; no line before the text of a list's entry."""
        if self.parts and not self.parts[-1].endswith((sign, "- ")):
            self._add(sign)

    def _add(self, text: str) -> None:
        if text:
            self.parts.append(text)
