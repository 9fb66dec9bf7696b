"""Where links stand in a text: the part of each that names a file, and how another name is written there.

For notes (wikilinks, markdown links, reference definitions, wikilinks in front matter) and for canvases (their
`file` values and the markdown of their text cards). Code, math and comments hold no links. Pure functions.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import quote, unquote

from memdir.vault import fence, markdown

Write = Callable[[str], str | None]  # a path → its spelling in this place; None where it cannot be written

MAX_LINE = 100_000  # of a line that is read for links: a rename must reach further than a search
_WIKILINK = re.compile(r"(?<!\\)\[\[([^\[\]\n|#]{1,500})(?=[^\[\]\n]{0,1000}\]\])")
_PLACE = r"(?:<([^<>\n]{1,1000})>|((?:[^()\s<>\\]|\\.|\((?:[^()\s\\]|\\.){0,200}\)){1,1000}))"
_TITLE = r"""(?:[ \t]+(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'|\([^()\n]{0,500}\)))?[ \t]*"""
_MDLINK = re.compile(rf"\]\([ \t]*{_PLACE}{_TITLE}\)")
_DEFINITION = re.compile(rf"^ {{0,3}}(?:> ?){{0,8}}\[(?!\^)[^\[\]\n]{{1,300}}\]:[ \t]*{_PLACE}{_TITLE}\r?$")
_SCHEME = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.\-]*:|//)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_YAML_QUOTED = re.compile(r"(?<![^\s\[{,])(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')")
_CANVAS_VALUE = re.compile(r'"(file|text)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_JSON_SIGN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+", re.S
)
_NOT_ASCII = re.compile(r"\\u(?!00[0-7])")


@dataclass(frozen=True, slots=True)
class Target:
    """The path in one link: `text[start:stop]` as written, `path` as meant; without heading, block and alias."""

    start: int
    stop: int
    path: str
    kind: str  # wiki | markdown | file; a `file` of a canvas is a path from the root of the vault
    write: Write


def targets(path: str, text: str) -> list[Target]:
    """Every link of a file that names another, in the order of the text."""
    if path.lower().endswith(".canvas"):
        return list(_canvas(text))
    lines = text.split("\n")
    close = fence.closing_fence(lines)
    start = close + 1 if close else 0
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    found = [
        one for number in range(1, start) if "[[" in lines[number] for one in _front(lines[number], offsets[number])
    ]
    return found + _body(lines, start, offsets)


def _body(lines: list[str], start: int, offsets: list[int]) -> list[Target]:
    found: list[Target] = []
    for number, line in markdown.prose(lines, start, MAX_LINE):
        if "]" in line:
            found += sorted(_line(line, offsets[number]), key=lambda one: one.start)
    return found


def _line(line: str, offset: int) -> Iterator[Target]:
    """Links in one line of markdown, by kind."""
    if "[[" in line:
        for match in _WIKILINK.finditer(line):
            yield from _wiki(match, offset, str, _as_wiki)
    if "](" in line:
        for match in _MDLINK.finditer(line):
            if _opened(line, match.start()):
                yield from _place(match, offset)
    if "]:" in line and (found := _DEFINITION.match(line)):
        yield from _place(found, offset)


def _opened(line: str, close: int) -> bool:
    """Whether the `]` at `close` ends the text of a link."""
    depth = 0
    for at in range(close, max(-1, close - 2000), -1):
        if line[at] in "[]" and (at == 0 or line[at - 1] != "\\"):
            depth += 1 if line[at] == "]" else -1
            if depth == 0:
                return True
    return False


def _wiki(match: re.Match[str], offset: int, read: Callable[[str], str], write: Write) -> Iterator[Target]:
    raw = match[1]
    if raw.endswith("\\") and match.string[match.end() : match.end() + 1] == "|":
        raw = raw[:-1]  # in tables the bar is written `\|`
    start = offset + match.start(1) + len(raw) - len(raw.lstrip())
    if raw.strip():
        yield Target(start, start + len(raw.strip()), read(raw.strip()), "wiki", write)


def _place(match: re.Match[str], offset: int) -> Iterator[Target]:
    """The path in the parentheses of a markdown link or behind a definition; no URL."""
    group = 1 if match[1] is not None else 2
    raw = match[group].partition("#")[0]
    if raw.strip() and not _SCHEME.match(raw):
        start = offset + match.start(group)
        path = unquote(_ESCAPED.sub(r"\1", raw))
        yield Target(start, start + len(raw), path, "markdown", _as_place(raw, pointed=group == 1))


def _as_wiki(path: str) -> str | None:
    return None if re.search(r"[\[\]|#\n\r]|\\$", path) else path


def _as_place(raw: str, *, pointed: bool) -> Write:
    """Spell a path in the manner of `raw`: in `<>` or not, other scripts percent-encoded or not."""
    encoded = re.search("%[0-9a-fA-F]{2}", raw)
    ascii_only = bool(re.search("%[89a-fA-F][0-9a-fA-F]", raw))
    parens = "()" if "(" in raw or pointed else ""

    def write(path: str) -> str | None:
        if pointed and not encoded:
            return None if re.search(r"[<>#\n\r]", path) else re.sub("%(?=[0-9a-fA-F]{2})", "%25", path)
        safe = "/!$&'*+,;=:@?" + (parens if _balanced(path) else "")
        return "".join(
            sign if sign > "\x7f" and not ascii_only else quote(sign, safe, errors="surrogateescape") for sign in path
        )

    return write


def _balanced(path: str) -> bool:
    """Whether parentheses are paired and at most one deep, as a link can hold them."""
    return not re.search(r"[()]", re.sub(r"\([^()]*\)", "", path))


# --- front matter --------------------------------------------------------------------------------


def _front(line: str, offset: int) -> Iterator[Target]:
    """Wikilinks in a line of front matter; the quotes around them decide how they are read and written."""
    if line.lstrip().startswith("#"):
        return
    quoted = [(found.start(), found.end(), line[found.start()]) for found in _YAML_QUOTED.finditer(line)]
    for match in _WIKILINK.finditer(line):
        mark = next((mark for start, stop, mark in quoted if start < match.start() < stop), "")
        yield from _wiki(match, offset, _READ[mark], _WRITE[mark])


def _unescaped(raw: str) -> str:
    try:
        return str(json.loads(f'"{raw}"', strict=False)) if "\\" in raw else raw
    except ValueError:
        return raw


def _in_double(path: str) -> str | None:
    spelled = _as_wiki(path)
    return spelled and spelled.replace("\\", "\\\\").replace('"', '\\"')


def _in_single(path: str) -> str | None:
    spelled = _as_wiki(path)
    return spelled and spelled.replace("'", "''")


def _in_plain(path: str) -> str | None:
    return None if ": " in path or path.endswith(":") else _as_wiki(path)


_READ: dict[str, Callable[[str], str]] = {"": str, "'": lambda raw: raw.replace("''", "'"), '"': _unescaped}
_WRITE: dict[str, Write] = {"": _in_plain, "'": _in_single, '"': _in_double}


# --- canvas --------------------------------------------------------------------------------------


def _canvas(text: str) -> Iterator[Target]:
    """Links of a canvas, found as JSON strings; nothing where the text is no JSON."""
    try:
        if not isinstance(json.loads(text.removeprefix(fence.BOM)), dict):
            return
    except (ValueError, RecursionError):
        return
    for value in _CANVAS_VALUE.finditer(text):
        raw, offset = value[2], value.start(2)
        spell = _as_json(raw, text)
        if value[1] == "file":
            yield Target(offset, offset + len(raw), _decoded(raw)[0], "file", spell)
        elif "]" in raw:
            yield from _card(raw, offset, spell)


def _card(raw: str, offset: int, spell: Callable[[str], str]) -> Iterator[Target]:
    """Links in the markdown of a text card, with their places in the JSON string."""
    text, places = _decoded(raw)
    lines = text.split("\n")
    for one in _body(lines, 0, [0, *accumulate(len(line) + 1 for line in lines)]):

        def write(path: str, inner: Write = one.write) -> str | None:
            spelled = inner(path)
            return None if spelled is None else spell(spelled)

        yield Target(offset + places[one.start], offset + places[one.stop], one.path, one.kind, write)


def _decoded(raw: str) -> tuple[str, list[int]]:
    """A JSON string without its quotes as text, and where each sign of it (and its end) stands in `raw`."""
    parts: list[str] = []
    places: list[int] = []
    for found in _JSON_SIGN.finditer(raw):
        if found[0].startswith("\\"):
            parts.append(str(json.loads(f'"{found[0]}"')))
            places.append(found.start())
        else:
            parts.append(found[0])
            places.extend(range(found.start(), found.end()))
    return "".join(parts), [*places, len(raw)]


def _as_json(raw: str, text: str) -> Callable[[str], str]:
    """Spell text in a JSON string in the manner of `raw`, or where that shows none, of the whole canvas."""
    sample = text if raw.isascii() and not _NOT_ASCII.search(raw) else raw
    escaped = sample.isascii() and bool(_NOT_ASCII.search(sample))
    slashed = "\\/" in raw or ("/" not in raw and "\\/" in text)

    def spell(plain: str) -> str:
        spelled = json.dumps(plain, ensure_ascii=escaped)[1:-1]
        return spelled.replace("/", "\\/") if slashed else spelled

    return spell
