"""An index as plain content, a rebuild to hold it against, and a process killed at a chosen point of a sync.

Ids differ between an index that grew and one made at once; paths, lines, words and scores may not.
"""

import dataclasses
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from memdir import text
from memdir.app.memory import Memory
from memdir.evals.reliability.strikes import Nth, Patches, child, kill, waited
from memdir.index import db, generation, lexical, sync
from memdir.index.filters import Filters
from memdir.index.reader import Hit, Reader
from memdir.recall.question import Question

FILES = "path, stem, size, digest, kind, name, type, date, scope, importance, hook, described, archived"
TABLES = {
    "files": f"SELECT {FILES}, aliases, problems FROM files",
    "passages": "SELECT f.path, p.first, p.last, p.heading FROM passages p LEFT JOIN files f ON f.id = p.file",
    "tags": "SELECT f.path, t.key, t.tag FROM tags t LEFT JOIN files f ON f.id = t.file",
    "sessions": "SELECT f.path, n.id, n.source, n.started FROM sessions n LEFT JOIN files f ON f.id = n.file",
    "turns": "SELECT f.path, t.first, t.last, t.number, t.speaker, t.voice, t.ts, t.uuid, t.asks, s.terms"
    " FROM spoken s LEFT JOIN turns t ON t.id = s.rowid LEFT JOIN files f ON f.id = t.file",
    "turns alone": "SELECT count(*) FROM turns",
    "vocabulary": "SELECT term, doc, cnt FROM vocabulary",
    "links": "SELECT f.path, l.line, l.target, l.key, l.wiki, l.anchor, l.kind"
    " FROM links l LEFT JOIN files f ON f.id = l.file",
    "names": "SELECT f.path, n.start FROM names n LEFT JOIN files f ON f.id = n.file",
}
Now = Callable[[], datetime] | None
ALL = sync.Options(accept_removals=True)


def content(place: Path) -> dict[str, list[Any]]:
    """What the index in use says, sorted. Whoosh adds its number of passages and its lexicon."""
    folder = generation.current(place)
    assert folder
    assert generation.damage(folder) == ""
    assert generation.pending(folder) == []
    connection = db.open_reader(folder / generation.DB)
    words = lexical.Reader(folder / generation.WHOOSH)
    try:
        held: dict[str, list[Any]] = {
            name: sorted(db.select(connection, sql), key=repr) for name, sql in TABLES.items()
        }
        return held | {"documents": [words.doc_count], "lexicon": list(words.lexicon())}
    finally:
        words.close()
        connection.close()


def answers(memory: Memory, questions: Sequence[str]) -> list[Any]:
    """The whole answers from the index as it is, and the turns found; no sync."""
    asked = [Question(one, Filters(), limit=6) for one in questions]
    found = [dataclasses.asdict(memory.recall(one, fresh=False)) for one in asked]
    reader = memory.open_reader(verified=False)
    return [found, [[hit._replace(id=0) for hit in said(reader, one, 6)] for one in questions]]


def said(reader: Reader, question: str, limit: int, filters: Filters = Filters()) -> list[Hit]:  # noqa: B008
    """The turns that hold words of a question, best first."""
    scores = reader.turns(text.query_terms(question)[0], filters, limit).best
    hits = [hit._replace(score=scores[hit.id]) for hit in reader.hits([*scores])]
    return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.first))[:limit]


def rebuilt(
    root: Path, place: Path, questions: Sequence[str], now: Now = None, options: Mapping[str, Any] | None = None
) -> tuple[dict[str, list[Any]], list[Any]]:
    """Content and answers of an index made at once in a folder of its own."""
    with Memory(root, now=now, options={**(options or {}), "index_dir": os.fspath(place)}) as memory:
        sync.sync(memory.vault, sync.Options(afresh=True))
        return content(memory.vault.place), answers(memory, questions)


def assert_mirrors(
    memory: Memory, place: Path, questions: Sequence[str], now: Now = None, options: Mapping[str, Any] | None = None
) -> None:
    """The index of `memory` equals a rebuild made in `place`. Raises AssertionError that tells the first difference."""
    wanted, said = rebuilt(memory.root.path, place, questions, now, options)
    held = content(memory.vault.place)
    for table in wanted:
        assert held[table] == wanted[table], f"{table}: {_apart(held[table], wanted[table])}"
    memory.drop_reader()
    answered = answers(memory, questions)
    memory.drop_reader()
    assert answered == said, f"answers: {_apart(answered, said)}"


def _apart(held: list[Any], wanted: list[Any]) -> str:
    """The first row of each side that the other does not have."""
    more, less = ([one for one in a if one not in b][:1] for a, b in ((held, wanted), (wanted, held)))
    return f"is {more!r:.300}, should be {less!r:.300}"


def killed(action: Callable[[], object], at: int) -> bool:
    """Run `action` in a child that kills itself before its `at`-th durable step; False when it ended before that.

    Steps: every fsync, rename and removal of a file, and every commit of SQLite.
    """
    nth, real = Nth(at, kill, partial=False), db.open_writer

    def open_writer(path: Path) -> sqlite3.Connection:
        connection = real(path)
        connection.set_trace_callback(lambda sql: nth.step(sql) if sql == "COMMIT" else None)
        return connection

    def run() -> None:
        with Patches() as patches:
            for name in ("fsync", "replace", "rename", "unlink", "remove"):
                patches.setattr(os, name, partial(nth.theirs, name, getattr(os, name)))
            patches.setattr(db, "open_writer", open_writer)
            action()

    return waited(child(run)) < 0
