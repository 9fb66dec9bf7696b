"""Turns in the sidecar: what was said in sessions, its words in FTS5, and how it is found again.

The words are those of `text.terms`, with speaker and day among them; FTS5 keeps them as its content, because a delete
must name the very words that went in. Written by `apply` alone, inside its transaction; read through a reader's rows.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memdir import text
from memdir.index import db
from memdir.index.filters import Filters, marks
from memdir.index.values import Hit, Scores
from memdir.vault import names

if TYPE_CHECKING:
    from memdir.vault.session import Session, Turn  # what a recall need not load

Rows = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]

MOST = 64  # words of a long question that are looked for, the rarest; 1,000 common ones took 2.5 s over 60,000 turns
MOST_VOICES = 1_000  # speakers that a question is searched for
_fold = lru_cache(4_096)(names.fold)  # few speakers say many turns
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_COLUMNS = (
    "f.path, f.digest, t.first, t.last, f.kind, f.name, f.type, t.ts, f.archived, t.speaker, n.id, t.number, t.uuid,"
    " t.asks, t.id"
    " FROM {} JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"
)


def store(connection: sqlite3.Connection, file: int, held: "Session", *, grown: bool) -> int:
    """Put the turns of a session file in; returns how many. `grown`: what the index holds of it is a beginning of it,
    so that only what comes behind is put in; the last turn is read again, because text may have joined it."""
    kept = _keep(connection, file, held) if grown else drop(connection, [file])
    connection.execute(
        "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)",
        [file, *(db.storable(value) for value in (held.id, held.source, held.started))],
    )
    start = connection.execute(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'turns'), 0) + 1"
    ).fetchone()[0]
    fresh = held.turns[kept:]
    connection.executemany(
        "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (number, file, turn.line, turn.last, turn.number, *_said_of(turn))
            for number, turn in enumerate(fresh, start)
        ),
    )
    connection.executemany(
        "INSERT INTO spoken (rowid, terms) VALUES (?, ?)",
        ((number, " ".join(words(turn))) for number, turn in enumerate(fresh, start)),
    )
    return len(fresh)


def _said_of(turn: "Turn") -> tuple[str, str, str, str, bool]:
    speaker, ts, uuid = map(db.storable, (turn.speaker, turn.ts, turn.uuid))
    return speaker, _fold(speaker), ts, uuid, "?" in turn.text or "？" in turn.text


def words(turn: "Turn") -> list[str]:
    """The terms by which a turn is found: who spoke, on which day in words, and the text."""
    return [*_frame(turn.speaker, turn.ts[:10]), *text.terms(db.storable(turn.text))]


@lru_cache(4_096)
def _frame(speaker: str, day: str) -> list[str]:
    """Terms of a speaker and of a day (`8 May 2023 2023-05-08`), the same for many turns. On LoCoMo's dev conversations
    recall@5 is 53.2 % without the day, 55.9 with its words, 56.5 with both."""
    if names.is_day(day):
        day = f"{int(day[8:])} {_MONTHS[int(day[5:7]) - 1]} {day[:4]} {day}"
    return text.terms(db.storable(f"{speaker} {day}"))


def drop(connection: sqlite3.Connection, files: Iterable[int]) -> int:
    """Take the turns of files out, with their words; returns 0, the number that is left of them."""
    for file in files:
        connection.execute("DELETE FROM spoken WHERE rowid IN (SELECT id FROM turns WHERE file = ?)", (file,))
        connection.execute("DELETE FROM turns WHERE file = ?", (file,))
        connection.execute("DELETE FROM sessions WHERE file = ?", (file,))
    return 0


def rewrite(connection: sqlite3.Connection) -> None:
    """Join what FTS5 keeps into one piece that holds the words of living turns alone."""
    connection.execute("INSERT INTO spoken (spoken) VALUES ('optimize')")


def _keep(connection: sqlite3.Connection, file: int, held: "Session") -> int:
    """Take the last turn of a file out, or all where the others are not where they were; returns how many are left."""
    rows = connection.execute("SELECT first, last, id FROM turns WHERE file = ? ORDER BY first", (file,)).fetchall()
    kept = [row[:2] for row in rows[:-1]]
    if not rows or kept != [(turn.line, turn.last) for turn in held.turns[: len(kept)]]:
        return drop(connection, [file])
    connection.execute("DELETE FROM spoken WHERE rowid = ?", rows[-1][2:])
    connection.execute("DELETE FROM turns WHERE id = ?", rows[-1][2:])
    return len(kept)


def search(rows: Rows, terms: Sequence[str], filters: Filters, limit: int) -> Scores:
    """Turns that hold any of the analysed terms, by bm25; filters act before the cut.

    Of scripts without spaces pairs are looked for, single signs only where there is nothing else: FTS5 cannot give them
    less weight.
    """
    wanted = _rarest(rows, [term for term in terms if not text.is_sign(term)] or list(terms))
    if not wanted or limit < 1:
        return Scores({})
    parts, values = filters.turns()
    joined = " JOIN turns t ON t.id = spoken.rowid JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"
    where = " AND ".join(["spoken MATCH ?", *parts])
    found = rows(
        "WITH m AS MATERIALIZED (SELECT spoken.rowid AS id, round(-bm25(spoken), 6) AS score"
        f" FROM spoken{joined if parts else ''} WHERE {where})"
        " SELECT -id, score, (SELECT total(score) FROM m), (SELECT total(score * score) FROM m) FROM m"
        " WHERE score >= coalesce((SELECT score FROM m ORDER BY score DESC LIMIT 1 OFFSET ?), -1) ORDER BY score DESC",
        [_any(wanted), *values, limit - 1],
    )
    return Scores({row[0]: row[1] for row in found}, *(found[0][2:] if found else ()))


def _rarest(rows: Rows, terms: Sequence[str]) -> Sequence[str]:
    """The terms, in their order; of more than MOST those that the fewest turns hold."""
    if len(terms) <= MOST:
        return terms
    counted = [rows("SELECT doc FROM vocabulary WHERE term = ?", [_plain(term)]) for term in terms]
    held = sorted((count[0][0], n) for n, count in enumerate(counted) if count)
    return [terms[n] for n in sorted(n for _, n in held[:MOST])]


def knows(rows: Rows, term: str) -> bool:
    """Whether any turn holds an analysed term."""
    return bool(rows("SELECT 1 FROM spoken WHERE spoken MATCH ? LIMIT 1", [_any([term])]))


class Spoken(NamedTuple):
    """A turn as its neighbours see it: `Hit.id`, its conversation and place in it, who spoke, whether it asks."""

    id: int
    session: str
    number: int
    speaker: str
    asks: bool


class Heard(NamedTuple):
    """The terms of a turn as the index keeps them, one blank on either side of each: `frame` says who spoke and when
    (`day`), `said` what."""

    day: str
    frame: str
    said: str


def heard(rows: Rows, numbers: Collection[int]) -> dict[int, Heard]:
    """The terms of turns by `Hit.id`; no file is read for them."""
    found = rows(
        "SELECT -t.id, t.speaker, substr(t.ts, 1, 10), s.terms FROM json_each(?) j JOIN turns t ON t.id = -j.value"
        " JOIN spoken s ON s.rowid = t.id",
        [json.dumps(list(numbers))],
    )
    return {id: _parted(speaker, day, terms) for id, speaker, day, terms in found}


def _parted(speaker: str, day: str, terms: str) -> Heard:
    frame = " ".join(_frame(speaker, day))
    return Heard(day, f" {frame} ", f"{terms[len(frame) :]} " if frame else f" {terms} ")


def holders(rows: Rows, terms: Sequence[str]) -> dict[str, int]:
    """How many turns hold each of the analysed terms; those that none holds are left out."""
    plain = {_plain(term): term for term in terms}
    found = rows(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks(terms)})", list(plain))
    return {plain[term]: count for term, count in found}


def beside(rows: Rows, numbers: Sequence[int], reach: int) -> list[Spoken]:
    """Turns by `Hit.id`, with those up to `reach` before and behind them in their conversations, in other files too."""
    found = rows(
        "WITH w AS (SELECT t.number AS at, n.id, n.source FROM json_each(?) j"
        " JOIN turns t ON t.id = -j.value JOIN sessions n ON n.file = t.file)"
        " SELECT DISTINCT -t.id, n.id || char(10) || n.source, t.number, t.speaker, t.asks"
        " FROM w JOIN sessions n ON n.id = w.id AND n.source = w.source"
        " JOIN turns t ON t.file = n.file AND t.number BETWEEN w.at - ? AND w.at + ?",
        [json.dumps(list(numbers)), reach, reach],
    )
    return [Spoken(id, session, number, speaker, bool(asks)) for id, session, number, speaker, asks in found]


def voices(rows: Rows) -> list[str]:
    """Who speaks, as written once, found by steps over the index of voices: distinct values cost a look each."""
    found = rows(
        "WITH RECURSIVE next(voice) AS (SELECT min(voice) FROM turns UNION ALL"
        " SELECT (SELECT min(t.voice) FROM turns t WHERE t.voice > next.voice) FROM next"
        " WHERE next.voice IS NOT NULL LIMIT ?)"
        " SELECT (SELECT t.speaker FROM turns t WHERE t.voice = next.voice LIMIT 1) FROM next"
        " WHERE next.voice IS NOT NULL ORDER BY voice",
        [MOST_VOICES],
    )
    return [row[0] for row in found]


def numbered(rows: Rows, numbers: Sequence[int]) -> list[Hit]:
    """Turns by number, without a score, in no order."""
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(numbers), 500):
        part = numbers[start : start + 500]
        found += rows(f"SELECT 0.0, {_COLUMNS.format('turns t')} WHERE t.id IN ({marks(part)})", part)
    return [_hit(row) for row in found]


def _any(terms: Sequence[str]) -> str:
    """An FTS5 query for any of the terms, each a string: nothing in it is read as syntax."""
    return " OR ".join('"' + _plain(term).replace('"', '""') + '"' for term in terms)


def _plain(term: str) -> str:
    """A term that SQLite can take as a value."""
    return db.storable(term.replace("\0", " "))


def _hit(row: tuple[Any, ...]) -> Hit:
    score, path, digest, first, last, _, name, type_, ts, archived, speaker, session, number, uuid, asks, id = row
    heading = " · ".join(filter(None, (speaker, ts)))
    return Hit(
        *(score, path, digest, first, last, heading, "turn", name, type_, ts[:10], bool(archived), (), ()),
        speaker=speaker,
        ts=ts,
        session=session,
        number=number,
        uuid=uuid,
        asks=bool(asks),
        id=-id,
    )
