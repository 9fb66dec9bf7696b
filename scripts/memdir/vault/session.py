"""A session: one conversation as a file, turn by turn, append-only. `parse` and `render` are each other's inverse.

Front matter, then for each turn a heading `### user · 2026-11-29T14:02:11Z · ^t12 · <uuid>` and its text as a
blockquote, so that nothing in the text needs escaping. Texts are opaque: no tags, links, facts or loops are read from
them. Pure functions over bytes; `conversation` says how a session grows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from memdir.errors import Problem
from memdir.vault import fence, fields

TYPE = "session"
LIMIT = 512 * 1024  # bytes of one file; the conversation goes on in another
LONGEST = 80  # characters of a speaker's name
LONGEST_ID = 200  # characters of an id
_HEADING = re.compile(r"### (?P<speaker>[^·]*?)(?: · (?P<ts>[^·]*?))? · \^t(?P<number>\d{1,9})(?: · (?P<uuid>.*))?")
_QUOTE = ">"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]+")
# A lone surrogate as three odd bytes, each of which `surrogateescape` has made a surrogate of its own.
_LONE = re.compile("\udced([\udca0-\udcbf])([\udc80-\udcbf])")
_SECONDS = 100_000_000_000  # a larger number of a time counts milliseconds


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said at once. `ts`: ISO 8601, "" where it is not known; `number` counts in the conversation
    from 1; lines [line, last) of the file, from 0, hold heading and text."""

    speaker: str
    text: str
    ts: str = ""
    uuid: str = ""
    number: int = 0
    line: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One session file. `type`: what its front matter says it is; `name`: what the conversation is called."""

    path: str
    id: str
    source: str
    started: str = ""
    scope: str = ""
    type: str = TYPE
    turns: tuple[Turn, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    name: str = ""


def header(one: Session) -> bytes:
    """The front matter of a session file; empty values are left out."""
    values = {
        "type": TYPE,
        "id": one.id,
        "name": one.name,
        "source": one.source,
        "started": one.started,
        "scope": one.scope,
    }
    lines = [line for key, value in values.items() if value for line in fields.render(key, value)]
    return _encode("\n".join(["---", *lines, "---", ""]))


def block(turn: Turn) -> bytes:
    """A turn as it is appended: a blank line, the heading, the text as a blockquote."""
    parts = [turn.speaker, turn.ts, f"^t{turn.number}", turn.uuid]
    head = " · ".join(part for n, part in enumerate(parts) if part or not n)
    return _encode(f"\n### {head}\n> " + turn.text.replace("\n", "\n> ") + "\n")


def render(one: Session) -> bytes:
    """A whole session file."""
    return header(one) + b"".join(map(block, one.turns))


def parse(path: str, data: bytes) -> Session:
    """Read a session file; never raises. What stands outside of turns is passed over, and a Problem."""
    text = _decode(data).removeprefix(fields.BOM)
    lines = text.split("\n")
    if lines[0].endswith("\r"):  # somebody's git or editor has changed the line ends of the whole file
        lines = [line.removesuffix("\r") for line in lines]
    front = fields.read("\n".join(lines[: fence.MAX_LINES + 2]))
    said = {key: value if isinstance(value, str) else str(value) for key, value in front.values.items() if value}
    turns, stray = _turns(lines, front.body_line)
    found = [front.problem] if front.problem else []
    if said.get("type") != TYPE:
        found.append((1, "no `type: session` in the front matter"))
    found += [(stray + 1, "this line is no part of a turn: it is kept and not searched")] if stray >= 0 else []
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    keys = {key: said.get(key, "") for key in ("source", "started", "scope", "type", "name")}
    return Session(path, said.get("id") or stem, **keys, turns=turns, problems=tuple(Problem(path, *p) for p in found))


def _turns(lines: Sequence[str], start: int) -> tuple[tuple[Turn, ...], int]:
    """The turns from a line on, and the first line that belongs to none (-1: there is no such line)."""
    turns: list[Turn] = []
    stray = -1
    number, end = start, len(lines)
    while number < end:
        line = lines[number]
        if line.startswith("### ") and (head := _HEADING.fullmatch(line)):
            last = number + 1
            while last < end and lines[last].startswith(_QUOTE):
                last += 1
            text = "\n".join([quoted[2:] if quoted[1:2] == " " else quoted[1:] for quoted in lines[number + 1 : last]])
            speaker, ts, uuid = head["speaker"], head["ts"] or "", head["uuid"] or ""
            turns.append(Turn(speaker, text, ts, uuid, int(head["number"]), number, last))
            number = last
            continue
        if stray < 0 and line.strip():
            stray = number
        number += 1
    return tuple(turns), stray


def speaker_of(name: str) -> str:
    """A speaker's name as a heading can hold it: one line without `·`."""
    clean = " ".join(_CONTROL.sub(" ", name.replace("·", " ")).split())
    return clean[:LONGEST].strip() or "unknown"


def id_of(given: str) -> str:
    """An id, of a turn or of a conversation, as a heading and front matter can hold it: one line of printable signs."""
    clean = given if given.isprintable() else "".join(sign if sign.isprintable() else " " for sign in given)
    return " ".join(clean.split())[:LONGEST_ID].strip()


def moment(given: object) -> str:
    """A time as ISO 8601, to the second, with the offset that it came with; "" for what is no time.

    Numbers are seconds (or milliseconds) since 1970. The clock time stays as it was given, because the day that a
    person remembers is the day of their clock.
    """
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _since_1970(given)
    text = given.strip() if isinstance(given, str) else ""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            datetime.fromisoformat(text)
            return text
        if re.fullmatch(r"\d{9,14}(?:\.\d+)?", text):
            return _since_1970(float(text))
        return datetime.fromisoformat(text).isoformat(timespec="seconds").replace("+00:00", "Z")
    except ValueError:
        return ""


def instant(ts: str) -> float:
    """A time as seconds since 1970, to sort by; one without offset is taken as UTC."""
    at = datetime.fromisoformat(ts)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def at_home(one: Session, zone: tzinfo | None) -> Session:
    """A session with the times that programs wrote in UTC as the clock of a zone showed them, None: of this machine, so
    that the day of a turn is the one on which it was said there. A time with an offset of its own stays."""
    turns = tuple(_moved(turn, zone) for turn in one.turns)
    return one if turns == one.turns else replace(one, turns=turns)


def _moved(turn: Turn, zone: tzinfo | None) -> Turn:
    if not turn.ts.endswith("Z") or not _ahead(turn.ts[:13], zone):
        return turn
    return replace(turn, ts=datetime.fromisoformat(turn.ts).astimezone(zone).isoformat(timespec="seconds"))


@lru_cache(4_096)
def _ahead(hour: str, zone: tzinfo | None) -> bool:
    """Whether a zone shows another time than UTC in an hour (`2026-11-29T14`)."""
    try:
        return bool(datetime.fromisoformat(f"{hour}:00+00:00").astimezone(zone).utcoffset())
    except (ValueError, OverflowError):
        return False


def _since_1970(seconds: float) -> str:
    try:
        at = datetime.fromtimestamp(seconds / 1000 if abs(seconds) >= _SECONDS else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    """Bytes as text; lone surrogates come back as they went, other odd bytes as `surrogateescape` has them."""
    text = data.decode("utf-8", "surrogateescape")
    if text.isascii() or "\udced" not in text:
        return text
    return _LONE.sub(lambda odd: chr(0xD000 | (ord(odd[1]) & 0x3F) << 6 | ord(odd[2]) & 0x3F), text)
