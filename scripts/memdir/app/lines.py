"""What notes say line by line, and how it is changed: facts and open loops. Each change is a run."""

from typing import TYPE_CHECKING, Any

from memdir.app import plans, runs, writing
from memdir.errors import NotFound, UsageError
from memdir.index.filters import Filters
from memdir.vault import edits, facts, layout, log, loops, note

if TYPE_CHECKING:
    from memdir.app.memory import Memory


def known(memory: "Memory", target: str, key: str) -> dict[str, Any]:
    """The current and the past values of a key of a note. Raises NotFound where it never had one."""
    path = memory.find(target)
    body = note.parse(path, memory.root.read(path).data).body
    current, past = facts.current(body, key), facts.past(body, key)
    if not current and not past:
        held = ", ".join(dict.fromkeys(fact.key for fact in body.facts)) or "none"
        raise NotFound(f"{path} says nothing of {key!r}; its keys: {held}")
    return {
        "path": path,
        "key": key,
        "current": [_shown(one) for one in current],
        "past": [_shown(one) for one in past],
    }


def _shown(fact: Any) -> dict[str, Any]:
    keys = ("value", "since", "until", "source")
    return {"line": fact.line + 1} | {key: getattr(fact, key) for key in keys}


@runs.verb
def fact_set(memory: "Memory", target: str, key: str, value: str, source: str, dry_run: bool) -> writing.Done:
    """A value made the only current one of a key; the old ones move to the history of the note."""
    path = memory.find(target)
    plans.refuse(path, {}, own=memory.own)
    day = memory.clock.today()
    key, value = writing.clean_pair(memory, key, value)
    source = writing.clean(memory, source)
    change: edits.Edit = lambda at, old: facts.put(at, old, key, value, day, source)  # noqa: E731
    done = writing.edited(memory, path, None, change, dry_run)
    return writing.after(memory, done, plans.said_by({key: value}, path), dry_run)


def open_loops(memory: "Memory", narrow: Filters, *, everything: bool) -> list[loops.Loop]:
    """The loops within filters that wait, oldest first; `everything`: closed ones too."""
    source = memory.current()
    parts, values = narrow.sql()
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    rows = source.rows(
        "SELECT f.path, l.line + 1, l.text, l.block, f.date, l.done FROM loops l JOIN files f ON f.id = l.file"
        f"{where} ORDER BY f.date, f.path, l.line",
        values,
    )
    held = [loops.Loop(path, line, text, block, date, bool(done)) for path, line, text, block, date, done in rows]
    closing = [row[0] for row in source.rows("SELECT value FROM reserved WHERE key = 'resolves'")]
    return [loop for loop in loops.settled(held, closing) if everything or not loop.done]


@runs.verb
def resolve(memory: "Memory", target: str, said: str, dry_run: bool) -> writing.Done:
    """A loop closed: its box ticked in a note, a `resolves` entry for one in a log. Raises NotFound, UsageError."""
    if not memory.own:
        raise UsageError("check boxes of an adopted vault are not loops; tick it in the note")
    found = loops.find(open_loops(memory, Filters(), everything=False), target)
    if len(found) > 1:
        raise UsageError(f"{target!r} may mean {', '.join(f'{one.path}:{one.line}' for one in found[:5])}")
    loop = found[0]
    if layout.kind_of(loop.path) != "log":
        done = writing.edited(memory, loop.path, None, lambda _, old: loops.ticked(old, loop.line), dry_run)
        return writing.after(memory, done, None, dry_run)
    entry = writing.entry(memory, said or f"Done: {loop.text}", [f"- resolves:: {loop.link}", log.OWN])
    done = writing.do(memory, [entry], dry_run)
    done.path = next(iter(done.changed), "")
    return done
