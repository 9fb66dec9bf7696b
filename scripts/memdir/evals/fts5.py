"""The baseline: bare SQLite FTS5 over the same files, as one would write it in an afternoon.

Run as a script of its own so that it pays for nothing of memdir: `fts5.py index DB ROOT`, `fts5.py turns DB FILE`,
`fts5.py query DB TEXT`, `fts5.py warm DB QUERIES REPEAT`. Tokeniser unicode61, words joined with OR, the five best by
bm25, each quoted by FTS5's own `snippet`, as a recall quotes too; `warm` measures the same without quotes beside it.
"""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable

BEST = 5
_QUOTED, _BARE = "snippet(notes, 1, '', '', '…', 64)", "''"
_SELECT = "SELECT path, {} FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT ?"

Analyse = Callable[[str], str]


def index(db: sqlite3.Connection, root: str, tokenize: str = "unicode61", analyse: Analyse = str) -> None:
    """Index every .md file below `root`, folders with a leading dot left out."""
    db.execute(f'CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, text, tokenize="{tokenize}")')
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(".md"):
                path = os.path.join(place, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    db.execute("INSERT INTO notes VALUES (?, ?)", (os.path.relpath(path, root), analyse(file.read())))
    db.commit()


def index_turns(db: sqlite3.Connection, file: str) -> None:
    """Index every line of a file of turns, one row a turn."""
    db.execute('CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, text, tokenize="unicode61")')
    with open(file, encoding="utf-8") as lines:
        held = map(json.loads, lines)
        db.executemany("INSERT INTO notes VALUES (?, ?)", ((turn["path"], turn["text"]) for turn in held))
    db.commit()


def search(db: sqlite3.Connection, question: str, quote: str = _QUOTED) -> list[str]:
    """Paths of the best notes; their quotes are made and dropped."""
    words = " OR ".join('"' + word.replace('"', '""') + '"' for word in question.split())
    return [path for path, _ in db.execute(_SELECT.format(quote), (words, BEST))]


def warm(db: sqlite3.Connection, queries: str, repeat: int, analyse: Analyse = str) -> dict[str, object]:
    """What each question finds, and the seconds of those that find something, after a pass that is not counted: with
    quotes, and `bare` without."""
    with open(queries, encoding="utf-8") as file:
        asked = [analyse(json.loads(line)["q"]) for line in file if line.strip()]
    found = [search(db, question) for question in asked]
    answered = [question for question, paths in zip(asked, found, strict=True) if paths]
    return {"found": found, **_timed(db, answered * repeat, _QUOTED), "bare": _timed(db, answered * repeat, _BARE)}


def _timed(db: sqlite3.Connection, asked: list[str], quote: str) -> dict[str, list[float]]:
    cpu, wall = [], []
    for question in asked:
        began, used = time.perf_counter(), time.process_time()
        search(db, question, quote)
        cpu.append(time.process_time() - used)
        wall.append(time.perf_counter() - began)
    return {"cpu": cpu, "wall": wall}


def main(verb: str, place: str, *rest: str) -> None:
    db = sqlite3.connect(place)
    if verb == "index":
        index(db, rest[0])
    elif verb == "turns":
        index_turns(db, rest[0])
    elif verb == "query":
        print("\n".join(search(db, rest[0])))
    else:
        print(json.dumps(warm(db, rest[0], int(rest[1]))))
    db.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
