"""Open loops within filters, by an open index: what waits, and what log entries closed or opened again."""

from memdir.index.filters import Filters
from memdir.index.reader import Reader
from memdir.vault import loops


def listed(source: Reader, narrow: Filters, *, everything: bool = False) -> list[loops.Loop]:
    """The loops that wait, oldest first; `everything`: closed ones too."""
    parts, values = narrow.sql()
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    rows = source.rows(
        "SELECT f.path, l.line + 1, l.text, l.block, f.date, l.done FROM loops l JOIN files f ON f.id = l.file"
        f"{where} ORDER BY f.date, f.path, l.line",
        values,
    )
    held = [loops.Loop(path, line, text, block, date, bool(done)) for path, line, text, block, date, done in rows]
    return [loop for loop in loops.settled(held, *said(source)) if everything or not loop.done]


def said(source: Reader) -> tuple[list[str], list[str]]:
    """What log entries close and open again."""
    rows = source.rows("SELECT key, value FROM reserved WHERE key IN (?, ?)", (loops.CLOSES, loops.OPENS))
    closes, opens = ([value for key, value in rows if key == wanted] for wanted in (loops.CLOSES, loops.OPENS))
    return closes, opens
