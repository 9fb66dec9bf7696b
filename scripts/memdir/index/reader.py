"""Reading the index: passages that hold the words of a question, within filters, best first.

Opens the sealed generation read-only and verifies it first. Raises Unusable when there is none that can be
trusted or whole; the caller then answers from the files. Writes nothing.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from memdir import text
from memdir.errors import Unusable
from memdir.index import db, generation, lexical, spell, turns
from memdir.index.filters import Filters, marks
from memdir.index.values import SCHEMA, Hit
from memdir.vault import names

__all__ = ["Hit", "Reader", "Words"]

# BM25F weight of a word that stands for one the index does not know, by edit distance.
NEAR = {1: 0.7, 2: 0.4}
MOST_NEAR = 8  # terms that one word may stand for
MOST_GUESSED = 8  # words of one question that are matched so, each a pass over the lexicon


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a question that may be found, as groups of alternatives, and which of them were guessed."""

    groups: list[Mapping[str, float]]
    guessed: dict[str, tuple[str, ...]]


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
        try:
            self.lexical = lexical.Reader(folder / generation.WHOOSH)
        except Exception as error:  # a damaged Whoosh file raises any of ten classes (measured: RELIABILITY 3.2)
            raise Unusable(f"the index cannot be opened ({error})") from error
        try:
            self._open(folder)
            if generation.shape(folder) != shape:
                raise Unusable("the index is being written")
        except BaseException:
            self.close()
            raise

    def _open(self, folder: Path) -> None:
        try:
            self.db = db.open_reader(folder / generation.DB)
            if not db.get_meta(self.db, "schema").startswith(f"{SCHEMA} ") or not db.get_meta(self.db, "complete"):
                raise Unusable("the index is not complete yet")
            self._archived = bool(db.select(self.db, "SELECT 1 FROM files WHERE archived LIMIT 1"))
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
        """Paths of the files that have this name or alias, in any spelling."""
        key = names.fold(name)
        rows = self.rows("SELECT path, name, aliases FROM files ORDER BY path")
        return [path for path, one, more in rows if key in map(names.fold, (one, *json.loads(more)))]

    def words(self, terms: Sequence[str]) -> Words:
        """Group the analysed words of a question; a word the index does not know is matched by edit distance."""
        groups: list[Mapping[str, float]] = []
        guessed: dict[str, tuple[str, ...]] = {}
        for term in terms:
            if term in self.lexical or self.in_turns(term):
                groups.append({term: text.worth(term)})
            elif len(guessed) < MOST_GUESSED and (close := self._close(term)):
                nearest = close[0][1]
                groups.append({word: NEAR[distance] for word, distance in close if distance == nearest})
                guessed[term] = tuple(groups[-1])
        return Words(groups, guessed)

    def _close(self, term: str) -> list[tuple[str, int]]:
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
        self, groups: Sequence[Mapping[str, float]], filters: Filters, weights: lexical.Weights, limit: int
    ) -> list[Hit]:
        """Passages by score; archived ones behind all others. Filters act before the cut."""
        parts, values = filters.sql()
        if not self._archived:
            return self._hits(groups, parts, values, weights, limit)
        hits = self._hits(groups, [*parts, "NOT f.archived"], values, weights, limit)
        left = limit - len(hits)
        return hits + (self._hits(groups, [*parts, "f.archived"], values, weights, left) if left > 0 else [])

    def _hits(
        self,
        groups: Sequence[Mapping[str, float]],
        parts: Sequence[str],
        values: Sequence[Any],
        weights: lexical.Weights,
        limit: int,
    ) -> list[Hit]:
        allowed = None
        if parts:
            where = " AND ".join(parts)
            allowed = [
                row[0]
                for row in self.rows(f"SELECT p.id FROM passages p JOIN files f ON f.id = p.file WHERE {where}", values)
            ]
        found = dict(self.lexical.search(groups, weights=weights, allowed=allowed, limit=limit))
        hits = [_hit(row, found[row[0]]) for row in self._describe(list(found))]
        return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.first))

    def hits(self, numbers: Sequence[int]) -> list[Hit]:
        """Passages and turns by `Hit.id`, without a score, in no order; those that are gone are left out."""
        found = [_hit(row, 0.0) for row in self._describe([number for number in numbers if number > 0])]
        return found + turns.numbered(self.rows, [-number for number in numbers if number < 0])

    def holding(self, terms: Sequence[str]) -> list[int]:
        """The passages of notes and logs whose text holds every one of some analysed terms, by number."""
        return self.lexical.holding(terms)

    def allowed(self, filters: Filters) -> list[int] | None:
        """The `Hit.id` of everything within filters; None where they leave nothing out."""
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

    def turns(self, terms: Sequence[str], filters: Filters, limit: int) -> list[Hit]:
        """Turns of sessions that hold any of the analysed terms of a question, best first; kind `turn`."""
        return turns.search(self.rows, terms, filters, limit)

    def in_turns(self, term: str) -> bool:
        """Whether any turn holds an analysed term."""
        return turns.knows(self.rows, term)

    def neighbours(self, hit: Hit, before: int, after: int) -> list[Hit]:
        """The turns round a turn in its conversation, in order, without itself."""
        return turns.neighbours(self.rows, hit, before, after)

    def facts(self, paths: Sequence[str]) -> list[tuple[str, str, int, int]]:
        """Path, key, line (from 0) and passage of every current fact of some files."""
        return self.rows(
            "SELECT f.path, x.name, x.line, p.id FROM files f JOIN facts x ON x.file = f.id AND x.until = ''"
            " JOIN passages p ON p.file = f.id AND p.first <= x.line AND x.line < p.last"
            f" WHERE f.path IN ({marks(paths)})",
            paths,
        )

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


def _hit(row: tuple[Any, ...], score: float) -> Hit:
    """A row of `_describe` and its score."""
    id, path, digest, first, last, heading, kind, name, type_, date, archived, aliases, tags = row
    told = tuple(sorted(tags.split("\n"))) if tags else ()
    more = tuple(json.loads(aliases)) if aliases != "[]" else ()
    held = bool(archived)
    return Hit(score, path, digest, first, last, heading, kind, name, type_, date, held, told, more, id=id)
