"""Other markups as markdown: underlined titles, reStructuredText, AsciiDoc, HTML comments. Pure, line by line."""

import re
from collections.abc import Iterator, Sequence

_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+:.<>_])\1{2,}[ \t]*$")
_RST_ROLE = re.compile(r":[a-z:+-]{1,40}:`([^`<]{1,300}?)(?:\s*<[^`]{0,300}>)?`")
_RST_LINK = re.compile(r"`([^`<]{1,300}?)\s*<([^`>]{1,500})>`__?")
_ADOC_LINK = re.compile(r"(?:link:|xref:|(?=https?://))([^\s\[\]]{1,500})\[([^\[\]]{0,300})\]")


def uncommented(lines: Sequence[str]) -> Iterator[str]:
    """The lines without HTML comments; what is in a fence stays for the grammar to leave out."""
    closing, inside = "", False
    for line in lines:
        mark = re.match(r"^ {0,3}(`{3,}|~{3,})", line)
        if closing:
            closing = "" if mark and mark[1].startswith(closing) else closing
            yield line
            continue
        if mark and not inside:
            closing = mark[1]
            yield line
            continue
        kept, rest = "", line
        while rest:
            if inside:
                _, end, rest = rest.partition("-->")
                inside = not end
            else:
                before, begin, rest = rest.partition("<!--")
                kept, inside = kept + before, bool(begin)
        yield kept


def headed(lines: list[str]) -> list[str]:
    """Underlined titles as `#` headings, levels in the order in which the signs first appear (`=` and `-` first)."""
    levels = {"=": 1, "-": 2}
    for number in range(1, len(lines)):
        mark = _UNDERLINE.match(lines[number])
        title = lines[number - 1].strip()
        if not mark or not title or len(title) > 150 or _UNDERLINE.match(title) or title[0] in "#>|-*+`":
            continue
        above = lines[number - 2].strip() if number > 1 else ""
        if (above and not _UNDERLINE.match(above)) or len(lines[number].strip()) * 2 < len(title):
            continue
        lines[number - 1] = f"{'#' * levels.setdefault(mark[1], min(6, len(levels) + 1))} {title}"
        lines[number] = ""
        if above:
            lines[number - 2] = ""
    return lines


def from_rst(lines: Sequence[str]) -> Iterator[str]:
    """Without directives, literal blocks and roles."""
    hidden = -1  # the column beyond which a block is left out
    for line in lines:
        column = len(line) - len(line.lstrip())
        if hidden >= 0 and (not line.strip() or column > hidden):
            yield ""
            continue
        hidden = -1
        if line.lstrip().startswith((".. ", "..\t")) or line.strip() == ".." or re.match(r"^:[\w -]{1,40}:( |$)", line):
            hidden = column
            yield ""
            continue
        if line.rstrip().endswith("::"):
            hidden, line = column, line.rstrip()[:-1]
        line = _RST_LINK.sub(r"[\1](\2)", _RST_ROLE.sub(r"\1", line))
        yield re.sub(r"`([^`]{1,200})`__?", r"\1", line.replace("``", "`")).replace("|", " ")


def from_adoc(lines: Sequence[str]) -> Iterator[str]:
    """Headings and links as markdown; without attributes, blocks and includes."""
    block = ""
    for line in lines:
        mark = re.match(r"^(-{4,}|\.{4,}|={4,}|/{4,}|\|={3,}|\+{4,})\s*$", line)
        if block or mark:
            block = "" if mark and mark[1] == block else block or (mark[1] if mark else "")
            yield ""
        elif heading := re.match(r"^(={1,6}) (.*)$", line):
            yield f"{'#' * len(heading[1])} {heading[2]}"
        elif re.match(r"^(:[\w!-]+:|//|\[[^\]]*\]\s*$|include::|image::|ifdef::|ifndef::|endif::|toc::)", line):
            yield ""
        else:
            yield _ADOC_LINK.sub(r"[\2](\1)", re.sub(r"^(\*+) ", "- ", line))
