"""The daily log: where an entry goes and how it is written. Append only; nothing here edits the past.

The day is decided by `place`, which `store.apply` calls at the moment of writing, in the vault's zone.
Pure functions over text and times; `store` appends.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memdir.errors import BadData

OWN = "- executor:: memdir"  # marks an entry that memdir wrote for the record: nothing is learned from it
ACCEPTED = "Accepted from the inbox → "  # begins an entry that says no more than the name of a note
TITLE = 200  # characters of an entry's title; longer text goes on in the lines under it


@dataclass(frozen=True, slots=True)
class Clock:
    """The time in the vault's zone and the pattern of log paths; `now` is asked at every application."""

    now: Callable[[], datetime]
    log_path: str

    def log_now(self) -> str:
        """Path of the log that an entry would go to now."""
        return place(self.log_path, self.now())[0]

    def today(self) -> str:
        return f"{self.now():%Y-%m-%d}"


def zone(name: str) -> tzinfo | None:
    """The zone of a vault; None stands for the system's. Raises BadData for an unknown name."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadData(f"timezone {name!r} is not known; use a name like Europe/Lisbon") from error


def place(pattern: str, now: datetime) -> tuple[str, bytes]:
    """Path of the log for `now` (already in the vault's zone) and the header of a new file."""
    date = f"{now:%Y-%m-%d}"
    try:
        path = pattern.format(year=f"{now:%Y}", month=f"{now:%m}", day=f"{now:%d}", date=date)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise BadData(f"log.path {pattern!r} may use {{date}}, {{year}}, {{month}} and {{day}} only") from error
    return path, f"# {date}\n".encode()


def entry(title: str, lines: Sequence[str], now: datetime) -> bytes:
    """One entry. No line of it can begin a heading, so no text forges a further entry."""
    text = " ".join(title.split()) or "note"
    rest = [text[TITLE:]] if len(text) > TITLE else []
    items = [_item(part) for line in [*rest, *lines] for part in line.splitlines() if part.strip()]
    head = f"## {now:%H:%M} {_offset(now)} - {text[:TITLE]}"
    return ("\n".join(["", head, *items]) + "\n").encode("utf-8", "surrogateescape")


def _item(line: str) -> str:
    """A line of text as a list item; items (indented ones too) stay as they are."""
    text = line.rstrip().replace("\r", "")
    return text if re.match(r"^ {0,8}[-*+] ", text) else f"- {text.strip()}"


def _offset(now: datetime) -> str:
    raw = f"{now:%z}"[:5]
    return f"{raw[:3]}:{raw[3:5]}"
