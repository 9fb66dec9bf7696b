"""The store that every figure is held against: bare SQLite FTS5 over memdir's own terms, in memory.

A turn is indexed with its speaker, its day in words and what its picture shows; of a note each section is a document.
Words of a question are joined with OR. Writes nothing.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from datetime import date

from memdir import text
from memdir.errors import UsageError
from memdir.evals import fts5_terms
from memdir.evals.dataset import Corpus, Note, Place, Query, Turn
from memdir.evals.retrieval import Asked, Found

_SELECT = "SELECT rowid, -rank FROM documents WHERE documents MATCH ? ORDER BY rank, rowid LIMIT ?"


class Baseline:
    """FTS5 with its own bm25; declines only what shares no word with anything."""

    def __init__(self, config: Mapping[str, str]) -> None:
        if config:
            raise UsageError("the baseline has no settings; --config goes with --store memdir")
        self.db = sqlite3.connect(":memory:")
        self.places: list[Place] = []
        self.shown: list[str] = []

    def build(self, corpus: Corpus) -> None:
        tokenize = fts5_terms.TOKENIZE
        self.db.execute(f'CREATE VIRTUAL TABLE documents USING fts5(terms, content="", tokenize="{tokenize}")')
        for place, shown in documents(corpus):
            self.places.append(place)
            self.shown.append(shown)
            row = len(self.places), fts5_terms.analysed(shown)
            self.db.execute("INSERT INTO documents (rowid, terms) VALUES (?, ?)", row)

    def ask(self, query: Query, k: int) -> Asked:
        began = time.perf_counter()
        terms, _ = text.query_terms(query.text)
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        rows = self.db.execute(_SELECT, (match, k)).fetchall() if terms else []
        found = tuple(Found(self.places[row - 1], score) for row, score in rows)
        seconds = time.perf_counter() - began
        tokens = sum(text.token_count(self.shown[row - 1]) for row, _ in rows)
        return Asked(found, not found, found[0].score if found else 0.0, tokens, seconds)

    def close(self) -> None:
        self.db.close()


def documents(corpus: Corpus) -> Iterator[tuple[Place, str]]:
    for turn in corpus.turns:
        yield Place(turn.id), spoken(turn)
    for note in corpus.notes:
        yield from _sections(note)


def spoken(turn: Turn) -> str:
    """A turn as it is indexed: `(8 May 2023) Ann: hello [photo: a dog]`."""
    day = f"({words_of(turn.ts)}) " if turn.ts else ""
    picture = f" [photo: {turn.caption}]" if turn.caption else ""
    return f"{day}{turn.speaker}: {turn.text}{picture}"


def words_of(ts: str) -> str:
    """The day of a time in words: 8 May 2023."""
    day = date.fromisoformat(ts[:10])
    return f"{day.day} {day:%B} {day.year}"


def _sections(note: Note) -> Iterator[tuple[Place, str]]:
    """The sections of a note, each with the path before it; a `#` inside code divides too."""
    lines = note.text.split("\n")
    starts = sorted({1, *(number for number, line in enumerate(lines, 1) if line.startswith("#"))})
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        yield Place(note.path, start, end - 1), "\n".join([note.path, *lines[start - 1 : end - 1]])
