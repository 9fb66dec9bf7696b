"""What notes say line by line, and how it is changed: facts and open loops. Each change is a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memdir.app import plans, runs, waiting, writing
from memdir.errors import Conflict, MemdirError, NotFound, UsageError
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
def fact_set(
    memory: "Memory", target: str, key: str, value: str, source: str, dry_run: bool, base: str | None = None
) -> writing.Done:
    """A value made the only current one of a key; the old ones move to the history of the note."""
    path = memory.find(target, follow=False)
    plans.refuse(path, {}, own=memory.own)
    day = memory.clock.today()
    key, value = writing.clean_pair(memory, key, value)
    source = writing.clean(memory, source)
    change: edits.Edit = lambda at, old: facts.put(at, old, key, value, day, source)  # noqa: E731
    done = writing.edited(memory, path, base, change, dry_run)
    return writing.after(memory, done, plans.said_by({key: value}, path), dry_run)


def open_loops(memory: "Memory", narrow: Filters, *, everything: bool) -> list[loops.Loop]:
    """The loops within filters that wait, oldest first; `everything`: closed ones too."""
    return waiting.listed(memory.current(), narrow, everything=everything)


def _said(memory: "Memory") -> tuple[list[str], list[str]]:
    """What log entries close and open again, by an index that is current."""
    return waiting.said(memory.open_reader(verified=False))


def logged(memory: "Memory", title: str, given: Sequence[str], dry_run: bool) -> writing.Done:
    """An entry of the log; a loop that it closes by its words is named by its id, and what closes none is said."""
    said: list[str] = []
    if any(f"{loops.CLOSES}::" in line for line in given):
        try:
            held = open_loops(memory, Filters(), everything=True)
            given = [_closing(held, line, said) for line in given]
        except MemdirError as error:
            said.append(f"not looked up which loop it closes: {error}")
    done = writing.log(memory, title, given, dry_run)
    done.notices += said
    return done


def _closing(held: Sequence[loops.Loop], line: str, said: list[str]) -> str:
    """A line of an entry; where it closes a loop by its words, the link to that one stands before them."""
    for value in loops.named([line]).get(loops.CLOSES, ()):
        if any(loops.closed(loop, loops.tally([value], ())) for loop in held):
            continue
        try:
            found = [] if value.startswith("[[") else [loop for loop in loops.find(held, value) if not loop.done]
        except NotFound:
            found = []
        if len(found) == 1:
            link = f"{found[0].link} {value}" if found[0].block else found[0].link
            key, mark, rest = line.partition("::")
            line = f"{key}{mark}{rest.replace(value, link, 1)}"
            said.append(f"closes {found[0].path}:{found[0].line} {found[0].text}")
        else:
            why = f"may mean {len(found)} open loops" if found else "means no open loop"
            said.append(
                f"`{loops.CLOSES}:: {value}` {why} and closes none: `memdir loops` lists them, `memdir resolve ^id`"
                f" closes one, and so does an entry with `{loops.CLOSES}:: [[DAY#^id]]`"
            )
    return line


@runs.verb
def resolve(memory: "Memory", target: str, said: str, dry_run: bool) -> writing.Done:
    """A loop closed: its box ticked in a note, a `resolves` entry for one in a log. Raises NotFound, also for one that
    was closed already, Conflict, UsageError."""
    loop = _meant(memory, target, done=False)
    if layout.kind_of(loop.path) != "log":
        return _named(loop, _tick(memory, loop, dry_run, done=True))
    count = 1 - loops.closed(loop, loops.tally(*_said(memory)))
    lines = [f"- {loops.CLOSES}:: {loop.link}"] * count
    return _named(loop, _entry(memory, said or f"Done: {loop.text}", lines, dry_run))


@runs.verb
def reopen(memory: "Memory", target: str, said: str, dry_run: bool) -> writing.Done:
    """A closed loop opened again: its box emptied in a note, a `reopens` entry for one in a log."""
    loop = _meant(memory, target, done=True)
    if layout.kind_of(loop.path) != "log":
        return _named(loop, _tick(memory, loop, dry_run, done=False))
    count = loops.closed(loop, loops.tally(*_said(memory)))
    if count < 1:
        raise Conflict(f"{loop.path}:{loop.line} is ticked in the log itself: empty its box there", path=loop.path)
    lines = [f"- {loops.OPENS}:: {loop.link}"] * count
    return _named(loop, _entry(memory, said or f"Open again: {loop.text}", lines, dry_run))


def _named(loop: loops.Loop, done: writing.Done) -> writing.Done:
    """With a word on which loop it was."""
    done.notices += [f"the loop of {loop.path}:{loop.line}: {loop.text}"] if done.changed else []
    return done


def _meant(memory: "Memory", target: str, *, done: bool) -> loops.Loop:
    """The one loop in a state, closed or open, that a target means. Raises as `resolve`."""
    if not memory.own:
        raise UsageError("check boxes of an adopted vault are not loops; tick it in the note")
    named = loops.find(open_loops(memory, Filters(), everything=True), target)
    found = [loop for loop in named if loop.done == done]
    if not found:
        state = "open" if done else "closed"
        raise NotFound(f"{named[0].path}:{named[0].line} is {state} already: {named[0].text}")
    if len(found) > 1:
        shown = "; ".join(f"{one.path}:{one.line} {one.text}" for one in found[:5])
        raise Conflict(f"{target!r} may mean {shown}; give its id, its place or more of its words")
    return found[0]


def _tick(memory: "Memory", loop: loops.Loop, dry_run: bool, *, done: bool) -> writing.Done:
    """A box of a note ticked or emptied; somebody else may have done it since the index was made."""
    day = memory.clock.today()
    change: edits.Edit = lambda at, old: edits.touch(at, old, loops.ticked(old, loop, done=done), day)  # noqa: E731
    made = writing.edited(memory, loop.path, None, change, dry_run)
    if not made.changed:
        made.notices.append(f"{loop.path}: {loop.text} is {'closed' if done else 'open'} already")
    return writing.after(memory, made, None, dry_run)


def _entry(memory: "Memory", title: str, lines: list[str], dry_run: bool) -> writing.Done:
    """A log entry about a loop; one line for each time that it was closed more often than opened, or the reverse."""
    done = writing.do(memory, [writing.entry(memory, title, [*lines, log.OWN])], dry_run)
    done.path = next(iter(done.changed), "")
    return done
