"""Values of JSON that nobody promised: each of the kind that is asked for, or its empty form.

No vendor says what its export looks like, so a reader asks for a table, a list, a word or a time and gets one. Beside
them the few forms that all readers write. Pure functions.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from memdir.ingest.records import Left
from memdir.vault import session

EARLIEST = 946_684_800.0  # 1 January 2000: a time before it is a 0 that somebody wrote for "not known"
LONGEST_TITLE = 60


def table(given: object) -> dict[str, Any]:
    """An object; {} for anything else."""
    return given if isinstance(given, dict) else {}


def tables(given: object) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [one for one in listed(given) if isinstance(one, dict)]


def listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else []


def word(given: object) -> str:
    """Text, or a whole number as text."""
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return given if isinstance(given, str) else ""


def text_of(content: object, between: str = "\n\n") -> str:
    """The text of a string, of a block or of a list of them."""
    if isinstance(content, list):
        return between.join(filter(None, (text_of(one) for one in content if not isinstance(one, list))))
    if isinstance(content, dict):
        content = content.get("text")
    return content if isinstance(content, str) else ""


def moment(given: object) -> str:
    """A time as ISO 8601; "" for what is none, or a 0."""
    told = session.moment(given)
    return told if instant(told) >= EARLIEST else ""


def instant(ts: str) -> float:
    """A time that `moment` gave as seconds, to compare; 0 for none."""
    try:
        return session.instant(ts) if ts else 0.0
    except (ValueError, OverflowError):
        return 0.0


def in_order(times: Sequence[str], begin: str) -> list[str]:
    """Times of turns that follow each other, none before the one of the turn before it; an unknown one is the same.
    `begin`: when the conversation began, unless its first turn is older, as in a copy of another."""
    known = [time for time in [begin, next(filter(None, times), "")] if time]
    last, found = min(known, key=instant, default=""), []
    for time in times:
        last = time if time and instant(time) >= instant(last) else last
        found.append(last)
    return found


def kind_of(given: object) -> str:
    """A type's name as a report may say it."""
    found = re.fullmatch(r"[\w.:/-]{1,40}", word(given))
    return found[0] if found else "unknown"


def title(text: str) -> str:
    """The first words of a text, as the title of a note."""
    line = " ".join((text.strip() + "\n").split("\n", 1)[0][:400].strip("#*-> \t").split())
    if len(line) <= LONGEST_TITLE:
        return line.rstrip(".")
    cut = line[:LONGEST_TITLE]
    return f"{cut.rpartition(' ')[0] or cut} …"


def digest(text: str) -> str:
    """What a text is known by, whatever its blanks and capitals."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode("utf-8", "replace")).hexdigest()[:16]


def fenced(text: str, language: str = "") -> str:
    """A block of code, in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if language.isalnum() else ''}\n{text.strip(chr(10))}\n{fence}"


def call(name: str, given: object) -> str:
    """What a tool was given, as a turn of `tool` tells it: its name, and what it got as JSON or as it stands."""
    try:
        told = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    except RecursionError:
        told = "(nested too deep to be shown)"
    return f"{name}{chr(10) if chr(10) in told else ' '}{told}"


def left(counts: Counter[str]) -> Iterator[Left]:
    """What was left out of a source, or of a conversation in it."""
    return (Left(why, count) for why, count in sorted(counts.items()) if count)
