"""Front matter: find the fences, read the block through a restricted loader, edit it by line.

Reading never raises for a user's file: what cannot be understood is a Problem and the block is left
alone. Writing changes the lines of one key and keeps every other byte (order, comments, quoting, line
ends, BOM). Works on text and bytes only; touches no file.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memdir.errors import BadData
from memdir.vault.fence import BOM, MAX_LINES, Value, closing_fence, decode, encode, legible

__all__ = [
    "BOM", "Fields", "Value", "closing_fence", "decode", "encode", "flow", "legible", "needs_quotes", "newline_of",
    "read", "render", "scalar", "set_value", "typed",
]  # fmt: skip

_KEY = re.compile(r"""^(?:"([^"\\]*)"|'([^']*)'|([^\s"'#\-\[\]{}&*!|>%@`,?:][^#]*?))[ \t]*:(?=\s|$)""")
_LOOKS_LIKE_KEY = re.compile(r"^[^\s:#\-][^:]{0,80}:(\s|$)")
QUOTES = "'\""
_INDICATORS = "#&*!|>%@`\"'[]{},?:-~"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_COMMENT = re.compile(r"(?:^|\s)(#.*)$")
_AMBIGUOUS = re.compile(
    r"^(?:~|=|<<|null|true|false|yes|no|on|off|y|n|[-+]?0[0-9_]+|0[xob][0-9a-f_]+|[-+]?\d+(?::[0-5]?\d)+|\.(?:inf|nan)|[-+.]?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?)$",
    re.IGNORECASE,
)
_FLOAT = re.compile(r"^-?(?:0|[1-9]\d{0,14})\.\d*[1-9]$")  # prints as it stands: may stay without quotes
_TYPED = re.compile(r"^-?(?:0|[1-9]\d{0,17})$")


@dataclass(frozen=True, slots=True)
class Fields:
    """The front matter of one file.

    `values` is empty when there is none or it could not be read; `readable` tells the two apart.
    `body_line` is the 0-based index of the first body line in `text.split("\\n")`.
    """

    values: dict[str, Value] = field(default_factory=dict)
    body_line: int = 0
    readable: bool = True
    problem: tuple[int, str] | None = None  # line from 1, message

    @property
    def present(self) -> bool:
        return self.body_line > 0


def read(text: str) -> Fields:
    """Parse the front matter of a whole file; never raises for what stands in it."""
    lines = text.split("\n")
    close = closing_fence(lines)
    if close is None:
        return Fields(problem=_unclosed(lines))
    block = "\n".join(line.removesuffix("\r") for line in lines[: close + 1]).lstrip(BOM)
    from memdir.vault import loader  # deferred: reading a plain file must not pay for YAML (0.05 CPU s)

    try:
        values = loader.load(block + "\n")
    except loader.Refused as error:
        return Fields(
            body_line=close + 1,
            readable=False,
            problem=(min(error.line, close + 1), f"front matter cannot be read: {error}"),
        )
    if not values and any(line.strip() and not line.lstrip().startswith("#") for line in lines[1:close]):
        return Fields(problem=(2, "front matter is not `key: value` lines; the whole file is taken as text"))
    return Fields(values=values, body_line=close + 1, problem=_second_block(lines, close + 1))


def _unclosed(lines: Sequence[str]) -> tuple[int, str] | None:
    opened = lines[0].lstrip(BOM).rstrip(" \t\r") == "---" and len(lines) > 1 and _LOOKS_LIKE_KEY.match(lines[1])
    return (
        (1, "front matter is opened but not closed by a `---` line; the whole file is taken as text")
        if opened
        else None
    )


def _second_block(lines: Sequence[str], start: int) -> tuple[int, str] | None:
    """A further block of keys right behind the first: another tool has put its own in front."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    rest = lines[start : start + MAX_LINES]
    close = closing_fence(rest)
    if close is None or close < 2 or not all(_LOOKS_LIKE_KEY.match(line) for line in rest[1:close] if line[:1].strip()):
        return None
    return (start + 1, "a second front matter block stands behind the first; its keys are hidden")


# --- writing -------------------------------------------------------------------------------------


def newline_of(text: str) -> str:
    """The line end of a file: what its first line ends in."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def set_value(text: str, key: str, value: Value) -> str:
    """`text` with one front matter key set, every other byte kept; adds a block where there is none.

    Raises BadData when the block cannot be read, or when the edit would change anything else.
    """
    before = read(text)
    if not before.readable:
        raise BadData(f"line {before.problem[0] if before.problem else 1}: front matter cannot be read; not edited")
    if before.present and key in before.values and _same(before.values[key], value):
        return text
    after_text = _replace_key(text, before, key, value)
    after = read(after_text)
    if not after.readable or not _same({**after.values, key: value}, {**before.values, key: value}):
        raise BadData(f"key {key!r} cannot be set without touching other lines; not edited")
    if key not in after.values or not _same(after.values[key], value):
        raise BadData(f"key {key!r} cannot be set without touching other lines; not edited")
    return after_text


def _same(one: Value, other: Value) -> bool:
    """Equality that tells `true` from `1`; the order of a map's keys does not count."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return repr(one) == repr(other)


def _replace_key(text: str, fields: Fields, key: str, value: Value) -> str:
    end = newline_of(text)
    cr = end[:-1]
    if not fields.present:
        bom = BOM if text.startswith(BOM) else ""
        return bom + f"---{end}" + end.join(render(key, value)) + f"{end}---{end}" + text.removeprefix(BOM)
    lines = text.split("\n")
    span = _span(lines, fields.body_line - 1, key)
    if span is None:
        at = fields.body_line - 1
        lines[at:at] = [line + cr for line in render(key, value)]
    else:
        start, stop = span
        lines[start:stop] = [line + cr for line in _restyle(lines[start:stop], key, value)]
    return "\n".join(lines)


def _span(lines: Sequence[str], close: int, key: str) -> tuple[int, int] | None:
    """Lines [start, stop) of a top-level key; blank lines and comments behind it are not its own."""
    for start in range(1, close):
        if _key_of(lines[start]) == key:
            stop = start + 1
            while stop < close and (not lines[stop].strip() or lines[stop][0] in " \t-#]}"):
                stop += 1
            while stop > start + 1 and (not lines[stop - 1].strip() or lines[stop - 1].startswith("#")):
                stop -= 1
            return start, stop
    return None


def _key_of(line: str) -> str | None:
    found = _KEY.match(line)
    return next((group.strip() for group in found.groups() if group is not None), None) if found else None


def _restyle(old: Sequence[str], key: str, value: Value) -> list[str]:
    """New lines for a key in the manner of the old ones: spelling of the key, quotes, list form, comment."""
    first = old[0].removesuffix("\r")
    match = _KEY.match(first)
    head = first[: match.end()] if match else f"{key}:"
    tail = first[len(head) :]
    comment = _COMMENT.search(_unquoted(tail))
    behind = tail[len(tail[: comment.start(1)].rstrip()) :].rstrip() if comment else ""
    if isinstance(value, list):
        items = [line for line in old[1:] if line.lstrip().startswith("- ")]
        if items and value:
            return [first, *_items(old[1:], items[0], value)]
        return [f"{head} {flow(value)}{behind}"]
    quote = tail.strip()[:1]
    return [f"{head} {scalar(value, quote if quote in QUOTES else '')}{behind}".rstrip()]


def _items(old: Sequence[str], first: str, value: Sequence[Value]) -> list[str]:
    """Lines of a block list: comments and items that stay are kept as they stand, new items follow."""
    indent = first[: len(first) - len(first.lstrip())]
    left = [scalar(item) for item in value]
    kept: list[str] = []
    for line in old:
        item = line.strip().removeprefix("- ").strip()
        if not item or item.startswith("#"):
            kept.append(line.removesuffix("\r"))
        elif left and _unquote(item) == _unquote(left[0]):
            kept.append(line.removesuffix("\r"))
            left.pop(0)
    return kept + [f"{indent}- {text}" for text in left]


def _unquote(item: str) -> str:
    """An item without its comment and quotes; enough to see that two spell one value."""
    found = _COMMENT.search(_unquoted(item))
    return (item[: found.start(1)] if found else item).strip().strip(QUOTES)


def _unquoted(tail: str) -> str:
    """`tail` with quoted runs blanked, so that a `#` inside quotes is no comment."""
    return re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'', lambda m: "x" * len(m.group()), tail)


def render(key: str, value: Value) -> list[str]:
    """Lines for a new key: flat values on one line, lists in flow form."""
    name = key if _KEY.match(f"{key}:") and not _AMBIGUOUS.match(key) else json.dumps(key, ensure_ascii=False)
    return [f"{name}: {flow(value) if isinstance(value, list) else scalar(value)}".rstrip()]


def flow(items: Sequence[Value]) -> str:
    return "[" + ", ".join("null" if item is None else scalar(item, in_flow=True) for item in items) + "]"


def scalar(value: Value, quote: str = "", *, in_flow: bool = False) -> str:
    """One value as YAML text; quoted where YAML 1.1 readers would take it for something else."""
    if value is None:
        return ""
    if isinstance(value, bool | int):
        return str(value).lower()
    if not isinstance(value, str):
        raise BadData("only text, numbers and lists of them can be written to front matter")
    if quote == "'" and not _CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    if quote != '"' and not needs_quotes(value, in_flow):
        return value
    return _CONTROL.sub(lambda sign: f"\\u{ord(sign.group()):04x}", json.dumps(value, ensure_ascii=False))


def needs_quotes(text: str, in_flow: bool = False) -> bool:
    """Whether plain YAML would lose or change this text."""
    if not text or text != text.strip() or text[0] in _INDICATORS or _CONTROL.search(text):
        return True
    if ": " in text or " #" in text or text.endswith(":") or (in_flow and re.search(r"[\[\]{},]", text)):
        return True
    return bool(_AMBIGUOUS.match(text)) and not _FLOAT.match(text)


def typed(text: str) -> Value:
    """What a person means by a value typed on the command line: a whole number, true, false or text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _TYPED.match(text) and text != "-0" else text
