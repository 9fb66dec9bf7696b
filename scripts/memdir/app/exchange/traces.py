"""What tells of forgotten files elsewhere: lines that link to them, and their names in the ledger.

The name of a note repeats what the note says. So a tombstone keeps digests of names: by them a later `forget` still
finds what links to a file that has gone.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from memdir.errors import MemdirError
from memdir.vault import fields, layout, ledger, log, markdown, names

if TYPE_CHECKING:
    from memdir.app.memory import Memory

_LINK = re.compile(r"\[\[([^\[\]|#]+)(?=[#|\]])")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]")
_ACCEPTED = re.compile(rf"## \d\d:\d\d [+-]\d\d:\d\d - {log.ACCEPTED}")
Block = tuple[int, int]  # first line and the one behind the last


@cache
def digest(name: str) -> str:
    """A name as a tombstone keeps it: 16 hex digits of a digest."""
    return hashlib.sha256(fields.encode(names.fold(name))).hexdigest()[:16]


def stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


@dataclass(frozen=True, slots=True)
class Names:
    """Names of forgotten files that no living file bears, as digests; `origin`: where they came from, if that is what
    was forgotten."""

    digests: frozenset[str]
    origin: str = ""

    def has(self, path: str) -> bool:
        """Whether a path or the target of a link bears one of them."""
        return bool(self.digests) and digest(stem(path.strip())) in self.digests

    def cites(self, line: str) -> bool:
        return "[[" in line and any(self.has(found[1]) for found in _LINK.finditer(line))

    def blocks(self, path: str, data: bytes) -> list[Block]:
        """Where a text cites them: each item with what is indented below it, a log entry or section whose heading cites
        them whole."""
        if not self.digests or b"[[" not in data:
            return []
        lines = fields.decode(data).split("\n")
        found = [n for n, line in enumerate(lines) if self.cites(line)]
        return list(_joined(_extent(lines, n) for n in found)) if found else []

    def records(self, path: str, data: bytes) -> list[Block]:
        """Of `blocks` the log entries in which memdir says that such a note was accepted."""
        if layout.kind_of(path) != "log":
            return []
        lines = fields.decode(data).split("\n")
        return [one for one in self.blocks(path, data) if _ACCEPTED.match(lines[one[0]])]

    def hidden(self, value: Any) -> Any:
        """A value of the ledger without them: paths and links say `forgotten-` and the digest instead."""
        if isinstance(value, dict):
            return {key: self._under(key, one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.hidden(one) for one in value]
        if not isinstance(value, str):
            return value
        if value.endswith(".md") and self.has(value):
            return f"{value.removesuffix('.md').removesuffix(stem(value))}{_instead(value)}.md"
        return _LINK.sub(lambda found: f"[[{_instead(found[1])}" if self.has(found[1]) else found[0], value)

    def _under(self, key: str, value: Any) -> Any:
        """As `hidden`; an origin stays, because a tombstone must know it, but the key of a proposal need not."""
        if key in ("origin", "session", "source"):
            return value
        if key == "key" and isinstance(value, str):
            ours = self.origin and value.startswith(f"{self.origin}:")
            return f"{self.origin}:{_instead(value)}" if ours else value
        return self.hidden(value)


def without(data: bytes, blocks: Iterable[Block]) -> bytes:
    kept = fields.decode(data).split("\n")
    for first, end in sorted(blocks, reverse=True):
        del kept[first:end]
    return fields.encode("\n".join(kept))


def told(path: str, block: Block) -> str:
    """`path:line`, or `path:first-last`."""
    first, end = block
    return f"{path}:{first + 1}" if end == first + 1 else f"{path}:{first + 1}-{end}"


def scrub(memory: "Memory", gone: Names) -> None:
    """Take the names of forgotten files out of the ledgers of all devices; lines that hold none stay byte for byte."""
    if not gone.digests:
        return
    for path, data in memory.ledger.files().items():
        new = b"".join(_scrubbed(line, gone) for line in data.splitlines(keepends=True))
        if new != data:
            memory.ledger.rewrite(path, new)


def former(memory: "Memory", gone: Names) -> set[str]:
    """Paths that the ledger knows and that bear one of the names: where a forgotten file was before it was moved."""
    found: set[str] = set()
    for data in memory.ledger.files().values():
        for line in data.splitlines():
            if b".md" in line:
                found |= {value for value in _texts(_said(line)) if value.endswith(".md") and gone.has(value)}
    return {path for path in found if _is_away(memory, path)}


def _is_away(memory: "Memory", path: str) -> bool:
    """Whether there is no such file; what no path of a vault can be is not looked for."""
    try:
        return memory.root.stat(path) is None
    except MemdirError:
        return False


def _scrubbed(line: bytes, gone: Names) -> bytes:
    if not any(sign in line for sign in (b".md", b"[[", b'"key"')):
        return line
    said = _said(line)
    hidden = gone.hidden(said)
    return line if hidden == said else ledger.dumped(hidden)


def _said(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)


def _instead(path: str) -> str:
    return f"forgotten-{digest(stem(path.strip()))[:8]}"


def _extent(lines: list[str], at: int) -> Block:
    """A line with what belongs to it: the section of a heading (of `#` the line alone), the children of an item."""
    level = len(lines[at]) - len(lines[at].lstrip("#"))
    if level > 1 and lines[at][level : level + 1] == " ":
        heads = (n for n, line in markdown.prose(lines, at + 1) if re.match(rf"#{{1,{level}}} ", line))
        return at, next(heads, _filled(lines, len(lines)))
    if not _BULLET.match(lines[at]):
        return at, at + 1
    depth, end = _depth(lines[at]), at + 1
    while end < len(lines) and lines[end].strip() and _depth(lines[end]) > depth:
        end += 1
    return at, end


def _filled(lines: list[str], end: int) -> int:
    """`end` without the empty last line that an end of line makes."""
    return end - 1 if end and not lines[end - 1] else end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks in order, those inside others left out."""
    last = 0
    for first, end in sorted(blocks):
        if end > last:
            yield max(first, last), end
            last = end
