"""Reading a note, or the part of it that a heading, a block id or a line names. Reads the vault only."""

from collections.abc import Sequence
from dataclasses import dataclass

from memdir.errors import NotFound
from memdir.vault import edits, fence, files, note


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines [first, last] (from 1) of a file; hand `digest` (the file's) or `part` (the lines') back with an edit."""

    path: str
    digest: str
    part: str
    first: int
    last: int
    total: int
    text: str


AROUND = 20  # lines shown on either side of a line that was asked for


def read(root: files.Root, path: str, anchor: str) -> Excerpt:
    """`anchor`: "" for everything, `heading`, `A#B`, `^block` or `:line`. Raises NotFound."""
    return excerpt(path, root.read(path).data, anchor)


def excerpt(path: str, data: bytes, anchor: str) -> Excerpt:
    """The part of a file's bytes that `anchor` names. Raises NotFound."""
    lines = fence.legible(fence.decode(data)).lstrip(fence.BOM).split("\n")
    total = len(lines) - (lines[-1] == "")
    start, stop = _span(path, data, lines, anchor, total)
    text = "\n".join(line.rstrip("\r") for line in lines[start:stop])
    part = files.digest(text.encode())
    return Excerpt(path, files.digest(data), part, min(start + 1, max(total, 1)), stop, total, text)


def _span(path: str, data: bytes, lines: Sequence[str], anchor: str, total: int) -> tuple[int, int]:
    if not anchor:
        return 0, total
    if anchor.startswith(":"):
        line = int(anchor[1:])
        if not 1 <= line <= max(total, 1):
            raise NotFound(f"{path} has {total} lines, not {line}")
        return max(0, line - 1 - AROUND), min(total, line + AROUND)
    if anchor.startswith("^"):
        blocks = note.parse(path, data).body.blocks
        if anchor[1:] not in blocks:
            raise NotFound(f"{path} has no block {anchor}; it has: {', '.join('^' + one for one in blocks) or 'none'}")
        return _block(lines, blocks[anchor[1:]])
    start, stop = edits.section_lines(path, lines, anchor)
    return start, min(stop, total)


def _block(lines: Sequence[str], at: int) -> tuple[int, int]:
    """The paragraph or list item that ends in a block id; the block above where the id stands alone."""
    first = at
    if lines[at].strip().startswith("^"):
        while first > 0 and not lines[first - 1].strip():
            first -= 1
    while first > 0 and lines[first - 1].strip() and not lines[first].lstrip().startswith(("- ", "* ", "+ ")):
        first -= 1
    return first, at + 1
