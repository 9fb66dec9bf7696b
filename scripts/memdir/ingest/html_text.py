"""HTML as plain text: paragraphs, lists, code and tables keep their lines, everything else leaves its words.

As markdown text headings, tables and code keep their marks too, and no word passes for one. Scripts, styles and
comments say nothing. Nothing is fetched, no tag is kept. What the parser is given has bare tags only, because it takes
the square of the time over tags that never close. Pure functions.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from memdir.ingest.loose import fenced

LONGEST = 4_000_000  # characters of HTML; a longer text is no answer of a chat
DEEPEST = 20  # lists inside of lists that move to the right: text would grow by the square of what never closes
_APART = {
    "address", "article", "aside", "blockquote", "body", "caption", "details", "div", "dl", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section",
    "summary", "table", "ul",
}  # fmt: skip
_LINES = {"br", "dd", "dt", "li", "tr"}
_SILENT = {"script", "style", "template", "title"}
_CELLS = {"td", "th"}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})(?:[\s/][^<>]*)?>")
_STRAY = re.compile(r"<(?!/?[A-Za-z][A-Za-z0-9]*>)")
_DECLARED = re.compile(r"<[!?](?=[A-Za-z])[^<>]*>")  # a document type, an XML declaration
_HEADING = re.compile(r"h[1-6]")
_DEEPEST = 8  # tables within tables; what lies deeper is text of the last one
_LONG_CELL = 1_000  # characters; a longer cell lays out a page
_MARK = re.compile(r"^( {0,3}(?:[-*+] )?(?:> ?){0,8})(#{1,6}(?=[ \t`$]|$)|`{3,}|~{3,})", re.MULTILINE)
_HIDING = re.compile(r"%(?=%)|\$(?=\$)")


def plain(html: str) -> str:
    """The text of a piece of HTML."""
    return _read(_Reader(), html)


def marked(html: str) -> tuple[str, str]:
    """A document as markdown text, and the title that its head gives."""
    reader = _Marked()
    text = _read(reader, _DECLARED.sub("", html[:LONGEST]))
    return text, " ".join(reader.title.split())


def still(text: str) -> str:
    """Lines that are no markdown, so that none of them is a heading or a fence, and no `%%` or `$$` hides what comes
    behind it."""
    return _MARK.sub(r"\1\\\2", _HIDING.sub(r"\g<0>\\", text))


def _read(reader: "_Reader", html: str) -> str:
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


@dataclass(slots=True)
class _Table:
    """A table that is being read. `before`: the parts in front of it; `open`: whether a cell has begun; `plain`:
    whether its cells may be those of a markdown table."""

    before: list[str]
    rows: list[list[str]] = field(default_factory=list)
    open: bool = False
    plain: bool = True

    def take(self, text: str) -> None:
        """What stands behind the last cell's beginning; in front of the first one it is a caption."""
        if self.open:
            self.rows[-1].append(text)
            self.plain = self.plain and len(text) <= _LONG_CELL and "```" not in text
        elif text:
            self.before.append(f"{text}\n\n")

    def text(self) -> str:
        """As markdown; one that lays out a page is no table, its cells are paragraphs."""
        rows = [row for row in self.rows if any(row)]
        wide = max(map(len, rows), default=0)
        if not self.plain or wide < 2:
            return "\n\n".join(cell for row in rows for cell in row if cell)
        lines = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
        first, *others = [f"| {' | '.join(row + [''] * (wide - len(row)))} |" for row in lines]
        return "\n".join([first, "|" + " --- |" * wide, *others])


class _Marked(_Reader):
    """Collects markdown. `_headed`: a heading has begun that has no words yet; `_beyond`: tables that lie too deep;
    `_code`: where in the parts the text of a `pre` begins, -1 for none."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self._titled = self._headed = False
        self._tables: list[_Table] = []
        self._beyond, self._code = 0, -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._code >= 0 and tag not in _SILENT:
            self._add("\n" if tag == "br" else "")
            return
        if tag == "title":
            self._titled = not self.title
        if tag == "pre":
            self._break("\n\n")
            self._code = len(self.parts)
        elif tag == "table":
            self._opened()
        elif tag in _CELLS or tag == "tr":
            self._next(row=tag == "tr")
        else:
            super().handle_starttag(tag, attrs)
        if _HEADING.fullmatch(tag) and not self._silent:
            self._add("#" * int(tag[1]) + " ")
            self._headed = True

    def handle_endtag(self, tag: str) -> None:
        if self._code >= 0 and tag not in _SILENT:
            if tag == "pre":
                self._end_code()
            return
        if tag == "title":
            self._titled = False
        if _HEADING.fullmatch(tag):
            self._unhead()
        if tag == "table" and self._tables:
            self._closed()
        elif tag not in _CELLS and tag != "pre":
            super().handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._titled:
            self.title += data
        if self._silent:
            return
        if self._code >= 0:
            self._add(data)
            return
        text = re.sub(r"\s+", " ", data)
        if not self.parts or self.parts[-1].endswith(("\n", " ")):
            text = text.lstrip(" ")
        begins = not self.parts or self.parts[-1].endswith(("\n", "- "))
        self._headed = self._headed and not text
        self._add(still(text) if begins else _HIDING.sub(r"\g<0>\\", text))

    def close(self) -> None:
        super().close()
        if self._code >= 0:
            self._end_code()
        self._unhead()
        self._beyond = 0
        while self._tables:
            self._closed()

    def _break(self, sign: str) -> None:
        if not self._headed:
            super()._break(sign)

    def _end_code(self) -> None:
        text = "".join(self.parts[self._code :])
        del self.parts[self._code :]
        self._code = -1
        if text.strip():
            self._add(fenced(text))
            self._break("\n\n")

    def _unhead(self) -> None:
        """A heading that ends without a word is none."""
        if self._headed and self.parts and self.parts[-1].endswith("# "):
            self.parts.pop()
        self._headed = False

    def _opened(self) -> None:
        self._unhead()
        if len(self._tables) == _DEEPEST:
            self._beyond += 1
            self._break("\n\n")
            return
        if self._tables:
            self._tables[-1].plain = False
        self._tables.append(_Table(self.parts))
        self.parts = []

    def _next(self, *, row: bool) -> None:
        """A row or a cell begins, the cell before it ends."""
        self._unhead()
        if not self._tables or self._beyond:
            self._break("\n")
            return
        table = self._tables[-1]
        table.take("".join(self.parts).strip())
        self.parts = []
        if row or not table.rows:
            table.rows.append([])
        table.open = not row

    def _closed(self) -> None:
        if self._beyond:
            self._beyond -= 1
            return
        table = self._tables.pop()
        table.take("".join(self.parts).strip())
        self.parts = table.before
        self._break("\n\n")
        self._add(table.text())
        self._break("\n\n")
