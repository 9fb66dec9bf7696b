"""Fences of front matter: where a block ends, and what its values may be. Pure."""

from collections.abc import Sequence

Value = str | int | bool | None | list["Value"] | dict[str, "Value"]

BOM = "\ufeff"
MAX_BYTES, MAX_LINES = 65_536, 500  # of a block; beyond it the file is taken as text


def closing_fence(lines: Sequence[str]) -> int | None:
    """Index of the line that closes the block opened by line 0; None when there is no block."""
    if not lines or lines[0].lstrip(BOM).rstrip(" \t\r") != "---" or lines[0].lstrip(BOM)[:1] != "-":
        return None
    size = 0
    for n, line in enumerate(lines[1 : MAX_LINES + 1], start=1):
        if line.rstrip(" \t\r") == "---":
            return n
        size += len(line)
        if size > MAX_BYTES:
            return None
    return None
