"""The text of a note: bytes to text and back, the fences of front matter, what its values may be. Pure."""

from collections.abc import Sequence

Value = str | int | bool | None | list["Value"] | dict[str, "Value"]

BOM = "\ufeff"
MAX_BYTES, MAX_LINES = 65_536, 500  # of a block; beyond it the file is taken as text


def decode(data: bytes) -> str:
    """Bytes of a note as text; odd bytes survive a round trip through `encode`."""
    return data.decode("utf-8", "surrogateescape")


def legible(text: str) -> str:
    """Decoded text with replacement characters where bytes were no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


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
