"""What recalled memories were used for: `used` events in the ledger; no note is changed.

A memory is a note, an entry of a log, or a turn of a conversation. An event also names the memories that the same
recall brought and that were not used, which is how those can fade; which recall that was, the log of recalls says.
So does the event of an injected text of which an agent that names what it uses named nothing. Of a memory that a link
led to both say from where. An undo marks a use as taken back: it counts no more.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from memdir.app import recalled, runs
from memdir.errors import MemdirError, NotFound
from memdir.index import strength
from memdir.recall import reading
from memdir.vault import layout, ledger, note, passages, resolve, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

BACK = 1_000  # recalls back that a use looks for its own: 9 ms; the whole log of 5 MB would be 160
SHOWN = 10  # results of a recall that count as brought in vain: further down nobody may have looked


@dataclass(frozen=True, slots=True)
class Use:
    """A memory that was used. `kind`: note, log, turn, session (all of a conversation) or index; lines [line, last]
    (from 1) are the entry or the turn, 0: the whole file. `query`: what it answered, where that is known."""

    path: str
    kind: str
    line: int = 0
    last: int = 0
    query: str = ""
    ts: str = ""
    gone: bool = False  # the file, or that line of it, is not there any more

    @property
    def id(self) -> str:
        return strength.key(self.kind, self.path, self.line)

    def holds(self, path: str, line: int) -> bool:
        """Whether a line of a file belongs to it."""
        return path == self.path and (not self.last or self.line <= line <= self.last)


@dataclass(slots=True)
class Used:
    """What `used` recorded or, in a dry run, would: the memories, the question, and the ids of those that the same
    recall brought in vain."""

    used: list[Use] = field(default_factory=list)
    query: str = ""
    passed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    run: str = ""  # takes it back: `memdir undo RUN`


@runs.verb
def used(memory: "Memory", targets: Sequence[str], query: str, dry_run: bool) -> Used:
    """Record that memories were used. Raises NotFound, Conflict, UsageError; then nothing is recorded."""
    found = {one.id: one for one in (placed(memory, target) for target in targets)}
    clean = recalled.asked(memory, query)  # not `writing.clean`, whose notice is that of a file
    done = Used([replace(one, query=clean) for one in found.values()], clean)
    if clean != " ".join(query.split())[: recalled.LONGEST]:
        done.notices.append("secrets of the question are replaced by markers")
    more = _beside(memory, done)
    events = [_event(one, more) for one in done.used]
    if not dry_run and memory.run:
        runs.note(memory, *events)
        done.run = memory.run.id
    return done


def _event(one: Use, more: dict[str, object]) -> ledger.Event:
    said = {"kind": one.kind, "line": one.line, "query": one.query}
    return ledger.Event("used", path=one.path, more={key: value for key, value in (said | more).items() if value})


def _beside(memory: "Memory", done: Used) -> dict[str, object]:
    """The last recall that brought any of these memories, for this question where one is given, and what it brought
    besides."""
    wanted = done.query.casefold()
    for one in islice(recalled.newest(memory.vault.place), BACK):
        if wanted and one.query.casefold() != wanted:
            continue
        if any(one.has(use.path, use.line, use.last) for use in done.used):
            held = {use.id for use in done.used}
            brought = _brought(memory, one)
            done.passed = [other for other in brought if other not in held]
            ways = {id_: [from_, id_] for id_, from_ in brought.items() if from_}
            return {
                "recalled": one.ts,
                "passed": done.passed,
                "led": [way for id_, way in ways.items() if id_ in held],
                "misled": [way for id_, way in ways.items() if id_ not in held],
            }
    return {}


def _brought(memory: "Memory", one: recalled.Recalled) -> dict[str, str]:
    """The first that a recall brought, as memories, and from where each was reached; without what has gone since."""
    found: dict[str, str] = {}
    for target in one.ids[:SHOWN]:
        with contextlib.suppress(MemdirError):
            found.setdefault(placed(memory, target).id, one.via.get(target, ""))
    return found


@runs.verb
def passed_over(memory: "Memory", targets: Sequence[str]) -> None:
    """Record that of an injected text nothing was used: its memories, as `path:line`, were brought in vain."""
    wanted = list(targets)
    near = islice(recalled.newest(memory.vault.place), BACK)
    one = next((one for one in near if one.ids and set(wanted) <= {*one.ids}), None)
    brought = _brought(memory, one or recalled.Recalled("", "", ids=tuple(wanted)))
    ids = [id_ for id_ in dict.fromkeys(_ids(memory, wanted)) if id_ in brought]
    if not (ids and memory.run):
        return
    said: dict[str, object] = {"passed": ids, "misled": [[brought[id_], id_] for id_ in ids if brought[id_]]}
    said |= {"recalled": one.ts, "query": one.query} if one else {}
    runs.note(memory, ledger.Event("gate", more={key: value for key, value in said.items() if value}))


def _ids(memory: "Memory", targets: Sequence[str]) -> Iterator[str]:
    for target in targets:
        with contextlib.suppress(MemdirError):
            yield placed(memory, target).id


def placed(memory: "Memory", target: str) -> Use:
    """The memory that `PATH`, `PATH:line`, `PATH#^block`, `PATH#heading` or a note's name means. Raises as `find`."""
    path, anchor = resolve.split_anchor(target)
    return _at(memory, memory.find(path), anchor)


def _at(memory: "Memory", path: str, anchor: str) -> Use:
    """The memory at an anchor of a file. Raises NotFound."""
    data = memory.root.read(path).data
    kind = layout.kind_of(path)
    if kind == "session":
        return _turn(path, data, anchor)
    if not anchor:
        return Use(path, kind)
    found = reading.excerpt(path, data, anchor)
    line = int(anchor[1:]) if anchor[0] == ":" else found.last if anchor[0] == "^" else found.first
    return _entry(path, data, line, own=memory.own) if kind == "log" else Use(path, kind, line)


def _turn(path: str, data: bytes, anchor: str) -> Use:
    """The turn of a session that a line or `^t12` names. Raises NotFound."""
    if not anchor:
        return Use(path, "session")
    for turn in session.parse(path, data).turns:
        if f"^t{turn.number}" == anchor or (anchor[0] == ":" and turn.line < int(anchor[1:]) <= turn.last):
            return Use(path, "turn", turn.line + 1, turn.last)
    raise NotFound(f"{path} has no turn {anchor}; `memdir sessions show` lists its turns")


def _entry(path: str, data: bytes, line: int, *, own: bool) -> Use:
    """The entry of a log, or the part of a long one, that holds a line."""
    for one in passages.cut(note.parse(path, data, own=own)):
        if one.start < line <= one.end:
            return Use(path, "log", one.start + 1, one.end)
    return Use(path, "log", line, line)


def told(memory: "Memory") -> Sequence[ledger.Event]:
    """What the ledger says of use: the same object until it says more."""
    return memory.ledger.of("used", "gate", "undone", "moved", "archived")


def standing(events: Sequence[ledger.Event], *, vain: bool = False) -> list[ledger.Event]:
    """Events of use (and `vain` ones too) that no undo took back, oldest first, `used` ones under the path that their
    file has now."""
    marks = {event.run: str(event.more.get("of", "")) for event in events if event.op == "undone"}
    back = runs.taken_back(marks)
    found: list[ledger.Event] = []
    at: dict[str, list[int]] = {}  # path → places in `found`
    for event in events:
        old, new = event.more.get("from"), event.more.get("to")
        if event.run in back or event.op == "undone":
            continue
        if event.op == "used":
            at.setdefault(event.path, []).append(len(found))
            found.append(event)
        elif event.op == "gate":
            found += [event] * vain
        elif isinstance(old, str) and isinstance(new, str) and (moved := at.pop(old, [])):
            for place in moved:
                found[place] = replace(found[place], path=new)
            at.setdefault(new, []).extend(moved)
    return found


def strengths(events: Sequence[ledger.Event]) -> dict[str, float]:
    return strength.strength(standing(events, vain=True))


def uses(memory: "Memory") -> list[Use]:
    """Every use that stands, oldest first; `query`: as it was recorded, else that of the last recall before the use
    that had brought the memory, as far as the log of recalls goes."""
    log = [*recalled.newest(memory.vault.place)]
    found = [_use(memory, event) for event in standing(told(memory))]
    return [one if one.query else replace(one, query=_asked(one, log)) for one in found]


def _use(memory: "Memory", event: ledger.Event) -> Use:
    """A use as its event tells it, with the lines that its file has now."""
    kind, line, query = (event.more.get(key) for key in ("kind", "line", "query"))
    kind = kind if isinstance(kind, str) else layout.kind_of(event.path)
    line = line if isinstance(line, int) else 0
    anchor = f":{line}" if line and kind in ("log", "turn") else ""
    try:
        one = replace(_at(memory, event.path, anchor), line=line)
    except MemdirError:
        one = Use(event.path, kind, line, gone=True)
    return replace(one, query=query if isinstance(query, str) else "", ts=event.ts)


def _asked(one: Use, log: Sequence[recalled.Recalled]) -> str:
    """`log`: newest first."""
    asked = (old for old in log if old.mode != recalled.CONTINUE and old.ts <= one.ts)
    had = (old.query for old in asked if old.has(one.path, one.line, one.last))
    return next(had, "")
