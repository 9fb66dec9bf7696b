"""What was going on: facts that began, open loops, log entries and ends of conversations of the last days, blended."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from memdir import text
from memdir.app import waiting
from memdir.errors import Unusable
from memdir.index.filters import Filters
from memdir.index.reader import Reader
from memdir.recall import asking, evidence, fenced
from memdir.vault import log, names

if TYPE_CHECKING:
    from memdir.app.memory import Memory

DAYS = 14
MOST = {"log": 12, "turn": 12, "loop": 12, "fact": 12}  # of each kind, newest first
_EPISODE = re.compile(r"^- source:: \[\[([^\[\]#]+)#\^t\d+\]\] to \^t(\d+)$", re.MULTILINE)
_TOLD = re.compile(r"- (?:\[(?: |decision)\] |asked: )")  # of an entry of memdir's own, what was said
TAIL = 2  # turns of the end of a conversation
LONGEST = 400  # characters of one memory


class Item(NamedTuple):
    """A memory with its moment, by which they are blended."""

    when: str
    piece: fenced.Piece
    told: tuple[str, int] = ("", 0)  # the conversation that an episode sums up, and up to which turn


def recent(memory: "Memory", said: str, narrow: Filters, *, fresh: bool) -> tuple[list[fenced.Piece], list[str]]:
    """The memories, those first that hold the words that the message says besides asking to go on, then by time; and
    notices."""
    told = memory.freshen()[1] if fresh else []
    try:
        source = memory.open_reader(verified=fresh)
    except Unusable as error:
        return [], [*told, str(error)]
    since = f"{memory.clock.now() - timedelta(days=DAYS):%Y-%m-%d}"
    opened = evidence.Files(memory.root)
    entries = [*_entries(source, opened, narrow, since)]
    summed = {one.told[0]: one.told[1] for one in reversed(entries) if one.told[0]}
    found = [*entries, *_tails(source, opened, narrow, since, summed)]
    found += [*_loops(source, narrow), *_facts(source, narrow, since)]
    wanted = _words(said)
    found.sort(key=lambda one: (one.when[:10], bool(one.told[0]), one.when), reverse=True)
    if wanted:
        found.sort(key=lambda one: -len(wanted & set(text.terms(f"{one.piece.about} {one.piece.text}"))))
    return [one.piece for one in found], told


def _words(said: str) -> set[str]:
    """The full words of a message: what it is about, where it says so."""
    bare = re.sub(_GOING_ON, " ", said, flags=re.IGNORECASE)
    return {term for part in asking.parts(bare) if part.weight >= 1 for term in part.terms}


_GOING_ON = (
    r"\b(?:continue|resume|carry|pick|left|leave|off|proceed|project|work(?:ing)?|task|session)\b"
    r"|继续|接着|上次|项目|任务|工作|进展|进度|未完成"
)


def _where(parts: list[str]) -> str:
    return "".join(f" AND {part}" for part in parts)


def _entries(source: Reader, opened: evidence.Files, narrow: Filters, since: str) -> Iterator[Item]:
    """The newest entries of logs; those that memdir wrote for the record only say nothing of what was going on."""
    left, known = MOST["log"], set[str]()
    parts, values = narrow.sql()
    rows = source.rows(
        "SELECT f.path, f.date, p.first, p.last FROM passages p JOIN files f ON f.id = p.file"
        f" WHERE f.kind = 'log' AND f.date >= ?{_where(parts)} ORDER BY f.date DESC, p.first DESC LIMIT ?",
        [since, *values, 4 * left],
    )
    for path, date, first, last in rows:
        if not left or (blob := opened.read(path)) is None:
            continue
        lines = evidence.lines_of(blob.data, "log")[first:last]
        if log.OWN in lines and not any(_TOLD.match(line) for line in lines):
            continue
        head = lines[0].lstrip("# ") if lines else ""
        body = "\n".join(lines[1:] if head else lines)[:LONGEST]
        if head.strip() and head.strip() != date:
            summed = _EPISODE.search("\n".join(lines))
            told = (names.fold(summed[1]), int(summed[2])) if summed else ("", 0)
            if told[0] in known:  # the conversation went on: what came last says where it stands
                continue
            known |= {told[0]} - {""}
            left -= 1
            yield Item(f"{date}T{head[:5]}", fenced.Piece(path, first + 1, f"{date} {head}", body), told)


def _tails(
    source: Reader, opened: evidence.Files, narrow: Filters, since: str, told: Mapping[str, int]
) -> Iterator[Item]:
    """The ends of conversations, but for those that an episode sums up to their end (`told`)."""
    parts, values = narrow.turns()
    rows = source.rows(
        "SELECT path, stem, number, first, last, speaker, ts FROM"
        " (SELECT f.path, f.stem, t.number, t.first, t.last, t.speaker, t.ts,"
        " row_number() OVER (PARTITION BY n.source, n.id ORDER BY f.path DESC, t.number DESC) AS back FROM turns t"
        " JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"
        f" WHERE t.ts >= ?{_where(parts)}) WHERE back <= ? ORDER BY ts DESC LIMIT ?",
        [since, *values, TAIL, MOST["turn"]],
    )
    for path, stem, number, first, last, speaker, ts in rows:
        if number > told.get(stem, 0) and (blob := opened.read(path)):
            said = "\n".join(evidence.analysed(blob.data, "turn", first + 1, last).lines)
            yield Item(ts[:16], fenced.Piece(path, first + 2, f"{speaker} · {ts[:16]}", said.strip()[:LONGEST]))


def _loops(source: Reader, narrow: Filters) -> Iterator[Item]:
    for one in waiting.listed(source, narrow)[: -MOST["loop"] - 1 : -1]:
        yield Item(one.date, fenced.Piece(one.path, one.line, f"open · {one.said_on}", f"[ ] {one.bare}"))


def _facts(source: Reader, narrow: Filters, since: str) -> Iterator[Item]:
    """Facts in force of notes that changed in the last days, or that began in them."""
    parts, values = narrow.sql()
    rows = source.rows(
        "SELECT f.path, x.line + 1, f.name, x.name, x.value, max(x.since, f.date) FROM facts x"
        " JOIN files f ON f.id = x.file WHERE x.until = '' AND f.kind = 'note' AND f.archived = 0"
        f" AND max(x.since, f.date) >= ?{_where(parts)} ORDER BY 6 DESC, f.path, x.line LIMIT ?",
        [since, *values, MOST["fact"]],
    )
    held: dict[str, Item] = {}  # path → its facts, as one memory
    for path, line, name, key, value, when in rows:
        old = held.get(path, Item(when, fenced.Piece(path, line, f"{name} · {when}", "")))
        said = "\n".join(filter(None, (old.piece.text, f"{key}: {value}")))[:LONGEST]
        held[path] = old._replace(piece=old.piece._replace(text=said, line=min(old.piece.line, line)))
    yield from held.values()
