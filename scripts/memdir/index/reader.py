"""Reading the index: passages that hold the words of a question, within filters, best first.

Opens the sealed generation read-only and verifies it first. Raises Unusable when there is none that can be
trusted or whole; the caller then answers from the files. Writes nothing.
"""

import json
import os
import sqlite3
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import log1p
from pathlib import Path
from typing import Any, NamedTuple

from memdir import text
from memdir.errors import Unusable
from memdir.index import db, generation, lexical, spell, turns
from memdir.index.filters import Filters, marks
from memdir.index.turns import Heard, Spoken
from memdir.index.values import SCHEMA, Hit, Scores
from memdir.vault import names

__all__ = ["Hit", "Reader", "Words"]

# BM25F weight of a word that stands for one the index does not know, by edit distance.
NEAR = {1: 0.7, 2: 0.4}
MOST_NEAR = 8  # terms that one word may stand for
# Passages kept as hits, 1 KB each. To look thirty up takes 0.3 ms, a fifth of a recall over 1,000 notes.
KEPT = 4_096
NEAR_KEPT = 512  # unknown words whose near ones are kept; to look for them costs 0.5 ms at 10,000 notes
MOST_GUESSED = 8  # words of one question that are matched so, each a pass over the lexicon

ARCHIVED = (
    "SELECT p.id FROM files f JOIN passages p ON p.file = f.id WHERE f.archived"
    " UNION ALL SELECT -t.id FROM files f JOIN turns t ON t.file = f.id WHERE f.archived"
)
FACTS = (
    "SELECT f.path, x.key, x.name, x.value, x.line, p.id, x.since, x.until, x.source FROM facts x"
    " JOIN files f ON f.id = x.file JOIN passages p ON p.file = x.file AND p.first <= x.line AND x.line < p.last"
)


class Words(NamedTuple):
    """The analysed words of a question; those that may be found, in groups of alternatives; which were guessed."""

    terms: Sequence[str]
    groups: list[Mapping[str, float]]
    guessed: dict[str, tuple[str, ...]]


def opened(place: Path, *, verified: bool, patience: float = 0.0) -> "Reader":
    """A reader; for so many seconds it waits for another memdir that is half way through a commit. Raises Unusable."""
    end = time.monotonic() + patience
    while True:
        try:
            return Reader(place, verified=verified)
        except Unusable:
            if time.monotonic() >= end or generation.current(place) is None:
                raise
        verified = False
        time.sleep(0.02)


def _stamp(folder: Path) -> tuple[int, int] | None:
    """Size and time of the database, which every commit changes; None where it is gone."""
    try:
        stat = os.stat(folder / generation.DB)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


class Reader:
    """One verified generation, open for reading until `close`."""

    def __init__(self, place: Path, *, verified: bool = False) -> None:
        """`verified`: the caller has just synced, which checks every file."""
        folder = generation.current(place)
        if folder is None:
            raise Unusable("there is no index yet")
        self.folder = folder
        shape = generation.shape(folder)
        reason = "" if verified else generation.damage(folder)
        if reason:
            raise Unusable(f"the index is being written or damaged ({reason})")
        self.db: sqlite3.Connection | None = None
        self._kept: dict[int, Hit] = {}
        self._present: dict[str, bool] = {}
        self._version: list[tuple[Any, ...]] = []
        self._near: dict[str, list[tuple[str, int]]] = {}
        try:
            self.lexical = lexical.Reader(folder / generation.WHOOSH)
        except Exception as error:  # a damaged Whoosh file raises any of ten classes (measured: RELIABILITY 3.2)
            raise Unusable(f"the index cannot be opened ({error})") from error
        try:
            self._open(folder)
            if generation.shape(folder) != shape:
                raise Unusable("the index is being written")
            self._stamp = _stamp(folder)
        except BaseException:
            self.close()
            raise

    def moved(self) -> bool:
        """Whether another memdir has written the index since it was opened: then postings and passages are of two
        commits. An index that was replaced is whole as it is."""
        return _stamp(self.folder) not in (self._stamp, None)

    def _open(self, folder: Path) -> None:
        try:
            self.db = db.open_reader(folder / generation.DB)
            if not db.get_meta(self.db, "schema").startswith(f"{SCHEMA} ") or not db.get_meta(self.db, "complete"):
                raise Unusable("the index is not complete yet")
        except sqlite3.Error as error:
            raise Unusable(f"the index cannot be opened ({error})") from error

    def close(self) -> None:
        self.lexical.close()
        if self.db:
            self.db.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        assert self.db
        try:
            return db.select(self.db, sql, values)
        except sqlite3.Error as error:
            raise Unusable(f"the index cannot be read ({error})") from error

    def named(self, name: str) -> list[str]:
        """Paths of the files that have this name or alias, in any spelling; of conversations, whose titles others gave,
        only where no other file has it."""
        key = names.fold(name)
        rows = self.rows("SELECT path, name, aliases, kind = 'session' FROM files ORDER BY path")
        found = [(path, talk) for path, one, more, talk in rows if key in map(names.fold, (one, *json.loads(more)))]
        return [path for path, talk in found if not talk] or [path for path, _ in found]

    def words(
        self,
        terms: Sequence[str],
        share: Mapping[str, float] | None = None,
        also: Mapping[str, Sequence[str]] | None = None,
    ) -> Words:
        """Group the analysed words of a question; a word the index does not know is matched by edit distance.

        `share`: term → what it counts of its worth, where that is not all; `also`: term → words that stand for it."""
        share, also = share or {}, also or {}
        groups: list[Mapping[str, float]] = []
        guessed: dict[str, tuple[str, ...]] = {}
        for term in terms:
            known = [one for one in (term, *also.get(term, ())) if one in self.lexical or self.in_turns(one)]
            if known:
                groups.append({one: text.worth(one) * share.get(term, 1.0) for one in known})
            elif len(guessed) < MOST_GUESSED and (close := self._close(term)):
                nearest = close[0][1]
                groups.append({word: NEAR[distance] for word, distance in close if distance == nearest})
                guessed[term] = tuple(groups[-1])
        return Words(terms, groups, guessed)

    def _close(self, term: str) -> list[tuple[str, int]]:
        """The terms of the index near one that it lacks; kept, because a question's common words come again."""
        if term not in self._near:
            if len(self._near) >= NEAR_KEPT:
                self._near.clear()
            self._near[term] = self._look_near(term)
        return self._near[term]

    def _look_near(self, term: str) -> list[tuple[str, int]]:
        if not spell.edits(term):
            return []
        near = self._living(spell.near(term, self._letters.like(term)))
        if near:
            return near[:MOST_NEAR]
        stems = self._living(spell.stems(term, self._vocabulary))
        return [one for one in stems if len(one[0]) == len(stems[0][0])][:MOST_NEAR]

    def _living(self, found: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
        return [one for one in found if one[0] in self.lexical]

    @cached_property
    def _vocabulary(self) -> list[str]:
        """Made when a word is first not among the terms of the index."""
        return self.lexical.vocabulary()

    @cached_property
    def _letters(self) -> spell.Letters:
        return spell.Letters(self._vocabulary)

    def search(
        self,
        groups: Sequence[Mapping[str, float]],
        weights: lexical.Weights,
        limit: int,
        allowed: Sequence[int] | None = None,
    ) -> Scores:
        """Passages by BM25F. `allowed`: the numbers that count; None: all."""
        narrow = None if allowed is None else [number for number in allowed if number > 0]
        return self.lexical.search(groups, weights=weights, allowed=narrow, limit=limit)

    def hits(self, numbers: Sequence[int]) -> list[Hit]:
        """Passages and turns by `Hit.id`, without a score, in no order; those that are gone are left out."""
        if not numbers or min(numbers) > 0:
            return self._passages(numbers)
        found = self._passages([number for number in numbers if number > 0])
        return found + turns.numbered(self.rows, [-number for number in numbers if number < 0])

    def holding(self, terms: Sequence[str]) -> list[int]:
        """The passages of notes and logs whose text holds every one of some analysed terms, by number."""
        return self.lexical.holding(terms)

    def allowed(self, filters: Filters) -> list[int] | None:
        """The `Hit.id` of everything within filters; None where they leave nothing out."""
        if filters.reviewed and not self.has_outside:
            filters = replace(filters, reviewed=False)
        parts, values = filters.sql()
        said, more = filters.turns()
        if not parts and not said:
            return None
        found = self.rows(
            f"SELECT p.id FROM passages p JOIN files f ON f.id = p.file WHERE {' AND '.join(parts) or '1'}", values
        )
        found += self.rows(
            "SELECT -t.id FROM turns t JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"
            f" WHERE {' AND '.join(said) or '1'}",
            more,
        )
        return [row[0] for row in found]

    def turns(self, terms: Sequence[str], filters: Filters, limit: int) -> Scores:
        """Turns of sessions that hold any of the analysed terms of a question, by bm25."""
        if filters.reviewed and not self.has_outside:
            filters = replace(filters, reviewed=False)
        return turns.search(self.rows, terms, filters, limit) if self.has_turns else Scores({})

    @cached_property
    def has_outside(self) -> bool:
        """Whether there is any note from outside that nobody has reviewed."""
        return bool(self.rows("SELECT 1 FROM files WHERE outside LIMIT 1"))

    def in_turns(self, term: str) -> bool:
        """Whether any turn holds an analysed term."""
        return self.has_turns and turns.knows(self.rows, term)

    def beside(self, numbers: Sequence[int], reach: int) -> list[Spoken]:
        """Turns with those up to `reach` before and behind them in their conversations, each once."""
        return turns.beside(self.rows, numbers, reach)

    def heard(self, numbers: Collection[int]) -> dict[int, Heard]:
        """The terms of turns by `Hit.id`, those of who spoke and when apart."""
        return turns.heard(self.rows, numbers)

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Analysed terms → how rare they are among the turns, as bm25 counts it."""
        held = turns.holders(self.rows, terms[: turns.MOST])
        return {term: log1p((self.said - held.get(term, 0) + 0.5) / (held.get(term, 0) + 0.5)) for term in terms}

    @cached_property
    def said(self) -> int:
        """How many turns there are."""
        return int(self.rows("SELECT count(*) FROM turns")[0][0])

    @cached_property
    def voices(self) -> list[str]:
        """Everybody who speaks in a session, as written, sorted; of very many the first."""
        return turns.voices(self.rows) if self.has_turns else []

    @cached_property
    def archived(self) -> frozenset[int]:
        """The `Hit.id` of everything that is archived."""
        return frozenset(row[0] for row in self.rows(ARCHIVED))

    @cached_property
    def has_turns(self) -> bool:
        return bool(self.rows("SELECT 1 FROM turns LIMIT 1"))

    @cached_property
    def count(self) -> int:
        """How many passages and turns there are."""
        return int(self.rows("SELECT (SELECT count(*) FROM passages) + (SELECT count(*) FROM turns)")[0][0])

    def facts(self, paths: Sequence[str]) -> list[tuple[str, str, int, int]]:
        """Path, key, line (from 0) and passage of every current fact of some files."""
        if not self.has("facts"):
            return []
        return self.rows(
            "SELECT f.path, x.name, x.line, p.id FROM files f JOIN facts x ON x.file = f.id AND x.until = ''"
            " JOIN passages p ON p.file = f.id AND p.first <= x.line AND x.line < p.last"
            f" WHERE f.path IN ({marks(paths)})",
            paths,
        )

    def timeline(self, paths: Sequence[str]) -> list[tuple[Any, ...]]:
        """Path, folded key, key, value, line (from 0), passage, since, until and source of every fact of some files."""
        return self.rows(f"{FACTS} WHERE f.path IN ({marks(paths)})", paths) if self.has("facts") else []

    def ended(self, days: Collection[str]) -> list[tuple[Any, ...]]:
        """As `timeline`, the facts that held until one of some days."""
        sql = f"{FACTS} WHERE x.until <> '' AND x.until IN ({marks(days)})"
        return self.rows(sql, sorted(days)) if days and self.has("facts") else []

    def entries(self, spans: Sequence[tuple[str, str]]) -> list[int]:
        """The passages of logs of some spans of days, both ends inclusive, the latest day first."""
        if not spans:
            return []
        found = self.rows(
            "SELECT p.id FROM files f JOIN passages p ON p.file = f.id WHERE f.kind = 'log' AND NOT f.archived AND"
            f" ({' OR '.join(['f.date BETWEEN ? AND ?'] * len(spans))}) ORDER BY f.date DESC, p.first",
            [day for span in spans for day in span],
        )
        return [number for (number,) in found]

    def validity(self, paths: Collection[str]) -> list[tuple[str, str, str]]:
        """Path, start and end, as its front matter says them, of each of some notes that says any."""
        if not self.has("validity"):
            return []
        return self.rows(
            "SELECT f.path, v.since, v.until FROM files f JOIN validity v ON v.file = f.id"
            f" WHERE f.path IN ({marks(paths)})",
            [*paths],
        )

    def succession(self, paths: Collection[str]) -> list[tuple[str, str, str]]:
        """Path and name of a note and path of the one that supersedes it, where either says so of the other and some
        paths hold the older; a newer one that is nowhere has the path ""."""
        if not self.has("succession"):
            return []
        own = f"(SELECT id FROM files WHERE path IN ({marks(paths)}))"
        return self.rows(
            "SELECT o.path, coalesce(n.name, s.name), coalesce(n.path, '') FROM succession s"
            " JOIN files o ON o.id = s.file LEFT JOIN files n ON n.stem = s.key"
            f" WHERE s.newer AND s.file IN {own}"
            " UNION SELECT o.path, n.name, n.path FROM files o JOIN succession s ON s.key = o.stem"
            f" JOIN files n ON n.id = s.file WHERE NOT s.newer AND o.id IN {own}",
            [*paths, *paths],
        )

    def has(self, table: str) -> bool:
        """Whether a table has any row: most questions to it are then not asked (0.05 ms each)."""
        if table not in self._present:
            self._present[table] = bool(self.rows(f"SELECT 1 FROM {table} LIMIT 1"))
        return self._present[table]

    def _passages(self, pids: Sequence[int]) -> list[Hit]:
        """Passages by number, without a score, in no order. Those met lately are kept while nobody writes."""
        version = self.rows("PRAGMA data_version")
        if version != self._version or len(self._kept) > KEPT:
            self._kept.clear()
            self._present.clear()
            self._version = version
        kept = self._kept
        if fresh := [pid for pid in pids if pid not in kept]:
            kept.update((row[0], _hit(row)) for row in self._describe(fresh))
            return [kept[pid] for pid in pids if pid in kept]
        return [kept[pid] for pid in pids]

    def _describe(self, pids: Sequence[int]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for start in range(0, len(pids), 500):
            chunk = pids[start : start + 500]
            rows += self.rows(
                "SELECT p.id, f.path, f.digest, p.first, p.last, p.heading,"
                " f.kind, f.name, f.type, f.date, f.archived, f.aliases,"
                " (SELECT group_concat(tag, char(10)) FROM tags t WHERE t.file = f.id)"
                f" FROM passages p JOIN files f ON f.id = p.file WHERE p.id IN ({marks(chunk)})",
                chunk,
            )
        return rows


def _hit(row: tuple[Any, ...]) -> Hit:
    """The passage of a row of `_describe`."""
    id, path, digest, first, last, heading, kind, name, type_, date, archived, aliases, tags = row
    told = tuple(sorted(tags.split("\n"))) if tags else ()
    more = tuple(json.loads(aliases)) if aliases != "[]" else ()
    held = bool(archived)
    return Hit(0.0, path, digest, first, last, heading, kind, name, type_, date, held, told, more, id=id)
