"""What is left of deleted text in an index: rewritten, so that no byte of it is behind the rows that are there.

A deletion marks passages in their Whoosh segment, leaves rows in free pages of SQLite and terms in FTS5, until one day
something is written over them. Where a text is to be forgotten that day is now. Costs a copy of what lives, not a new
index. Writes the generation in use.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memdir.errors import BadData
from memdir.index import db, drain, generation, lexical, turns, vectors
from memdir.index.values import Vault


def purge(vault: Vault) -> None:
    """Rewrite the index as it is, and remove what else lies beside it but the paid cache: what was set aside, the log
    of recalls, what hooks keep. Raises Locked, BadData; run again it does the same again."""
    wait = vault.settings["sync.lock_wait"]
    try:
        with generation.lock(vault.place, wait), generation.lock(vault.place / drain.LOCK, wait):
            folder = generation.current(vault.place)
            if folder is not None:
                _rewritten(folder)
            generation.clear(vault.place)
    except (sqlite3.Error, OSError) as error:
        raise BadData(f"{vault.place}: the index cannot be rewritten: {error}") from error


def _rewritten(folder: Path) -> None:
    with generation.unsealed(folder):
        lexical.rewrite(folder / generation.WHOOSH)
        connection = db.open_writer(folder / generation.DB)
        try:
            turns.rewrite(connection)
            connection.execute("VACUUM")
            drain.purge(folder, connection)
        finally:
            connection.close()


def texts(vault: Vault) -> Iterator[str]:
    """What is embedded of every passage and turn of the index, as long as its file is what was indexed."""
    folder = generation.current(vault.place)
    if folder is None:
        return
    connection = db.open_reader(folder / generation.DB)
    try:
        numbers = [row[0] for row in connection.execute(vectors.NUMBERS)]
        pieces = drain.Pieces(vault.root, vault.settings["embedder.words"])
        for at in range(0, len(numbers), _AT_ONCE):
            yield from pieces.of(connection, sorted(numbers[at : at + _AT_ONCE])).values()
    finally:
        connection.close()


_AT_ONCE = 500
