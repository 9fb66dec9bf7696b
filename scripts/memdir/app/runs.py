"""Runs: what one command changed, written into the ledger before it is done, and how it is taken back.

A run has an id. Before a batch of Changes is applied, one `run_started` line states every path with the digests
before and after, so that a run that was killed half way can be taken back as well. `undo` is a run itself.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from memdir.errors import Conflict, NotFound
from memdir.vault import files, layout, ledger, store
from memdir.vault.files import Written

if TYPE_CHECKING:
    from memdir.app.memory import Memory

P = ParamSpec("P")
T = TypeVar("T")
MOST = 500  # Changes that one line of the ledger states
DERIVED = (layout.INDEX_FILE, layout.OVERFLOW_FILE)  # made anew from the notes where they cannot be put back


@dataclass(frozen=True, slots=True)
class Touched:
    """One file in one run: digests before and after, None where there was or is no such file.

    `size`: bytes that a file had to which the run only added; they are still its beginning.
    """

    path: str
    before: str | None
    after: str | None
    size: int | None = None


@dataclass(slots=True)
class Run:
    """A run as the ledger tells it. `undone`: the run that took it back; `of`: the run that it took back itself."""

    id: str
    verb: str = ""
    by: str = ""
    ts: str = ""
    files: list[Touched] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)
    undone: str = ""
    of: str = ""

    @property
    def paths(self) -> list[str]:
        return list(dict.fromkeys(one.path for one in self.files))


@dataclass(slots=True)
class Running:
    """A run under way. `touched`: whether anything was stated yet."""

    id: str
    verb: str
    more: dict[str, Any] = field(default_factory=dict)
    touched: bool = False


@contextmanager
def running(memory: "Memory", verb: str, **more: Any) -> Iterator[Running]:
    """The run that everything applied inside belongs to; inside another one it is that other one."""
    if memory.run is not None:
        yield memory.run
        return
    now = memory.clock.now()
    memory.run = Running(f"{now:%Y%m%d-%H%M%S}-{os.urandom(2).hex()}", verb, more)
    memory.root.by = f"{memory.settings['by']} {memory.run.id}"
    try:
        yield memory.run
    finally:
        memory.run = None


def verb(work: "Callable[Concatenate[Memory, P], T]") -> "Callable[Concatenate[Memory, P], T]":
    """Make everything that a function applies one run, named after the function."""

    @wraps(work)
    def whole(memory: "Memory", /, *given: P.args, **named: P.kwargs) -> T:
        with running(memory, work.__name__.replace("_", "-")):
            return work(memory, *given, **named)

    return whole


def apply(memory: "Memory", changes: Sequence[store.Change]) -> list[Written]:
    """State Changes in the ledger, then apply them, in the run under way. Raises as `store.apply`."""
    assert memory.run
    written: list[Written] = []
    for start in range(0, len(changes), MOST):
        batch = changes[start : start + MOST]
        stated = {"verb": memory.run.verb, **memory.run.more, "changes": [store.record(change) for change in batch]}
        note(memory, ledger.Event("run_started", more=stated))
        memory.run.touched = True
        written += store.apply(memory.root, batch, memory.clock)
    return written


def take_back(memory: "Memory") -> None:
    """What the run under way has done so far, undone; files that somebody saved meanwhile stay as they are."""
    assert memory.run
    events = memory.ledger.events()
    plan = undo(memory, find(events, memory.run.id), events, keep_changed=True)
    apply(memory, plan.changes)


def note(memory: "Memory", *events: ledger.Event) -> None:
    """Write events of the run under way into the ledger."""
    assert memory.run
    by = memory.settings["by"]
    marked = [ledger.Event(one.op, memory.run.id, one.path, one.by or by, one.why, one.more) for one in events]
    memory.ledger.append(marked, memory.clock.now())


def ended(memory: "Memory", **counts: Any) -> None:
    """Say in the ledger what the run under way came to."""
    assert memory.run
    note(memory, ledger.Event("run_ended", more={"verb": memory.run.verb, **counts}))


def listed(events: Sequence[ledger.Event]) -> list[Run]:
    """The runs that a ledger tells of, oldest first."""
    found: dict[str, Run] = {}
    for event in events:
        if event.op == "run_started":
            run = found.setdefault(event.run, Run(event.run, ts=event.ts, by=event.by))
            run.verb, run.of = str(event.more.get("verb", "")), str(event.more.get("of", ""))
            for change in _changes(event.more):
                if isinstance(change, Touched):
                    run.files.append(change)
                else:
                    run.logged.append(change)
        elif event.op == "run_ended":
            run = found.setdefault(event.run, Run(event.run, ts=event.ts, by=event.by))
            run.verb = run.verb or str(event.more.get("verb", ""))
            run.said |= {key: value for key, value in event.more.items() if key != "verb"}
        elif event.op == "undone" and (of := found.get(str(event.more.get("of", "")))):
            of.undone = event.run
            if of.of in found:
                found[of.of].undone = ""
    return list(found.values())


def _changes(more: Mapping[str, Any]) -> Iterator[Touched | str]:
    changes = more.get("changes")
    for one in changes if isinstance(changes, list) else ():
        if isinstance(one, dict) and isinstance(one.get("log"), str):
            yield one["log"]
        elif isinstance(one, dict) and isinstance(path := one.get("path"), str):
            before, after = one.get("before"), one.get("after")
            size = one.get("size")
            if all(digest is None or isinstance(digest, str) for digest in (before, after)):
                yield Touched(path, before, after, size if isinstance(size, int) and size >= 0 else None)


def net(run: Run) -> list[Touched]:
    """What a run did to each file in all, in the order of the files' first changes."""
    first, last = dict[str, Touched](), dict[str, Touched]()
    for one in run.files:
        first.setdefault(one.path, one)
        last[one.path] = one
    whole = [Touched(path, one.before, last[path].after, one.size) for path, one in first.items()]
    return [one for one in whole if one.before != one.after]


def find(events: Sequence[ledger.Event], name: str) -> Run:
    """The run with this id, the beginning of one, or `last`: the newest not taken back. Raises NotFound, Conflict."""
    held = listed(events)
    if name == "last":
        held = [run for run in held if not run.undone and run.verb != "undo" and (run.files or run.logged)][-1:]
    else:
        held = [run for run in held if run.id == name] or [run for run in held if run.id.startswith(name)]
    if not held:
        raise NotFound(f"no run {name!r}; `memdir runs` lists them")
    if len(held) > 1:
        raise Conflict(f"{name!r} may mean {', '.join(run.id for run in held[:5])}; give more of it")
    return held[0]


def diff(memory: "Memory", run: Run) -> str:
    """What a run changed, as a unified diff made from the history; a version no longer kept is said so."""
    shown = []
    for one in net(run):
        try:
            new = None if one.after is None else text(memory, one.path, one.after)
            old = None if one.before is None else before(memory, one)
            shown.append(store.diff(one.path, old, new))
        except NotFound as error:
            shown.append(f"# {one.path}: {error}")
    return "\n".join([*shown, *(f"# an entry in the log: {title}" for title in run.logged)])


def text(memory: "Memory", path: str, digest: str) -> bytes:
    """The bytes that a file had under a digest: as it is now, or from the history. Raises NotFound."""
    if memory.root.stat(path) and (blob := memory.root.read(path)).digest == digest:
        return blob.data
    return memory.root.version(digest)


def before(memory: "Memory", one: Touched) -> bytes:
    """The bytes that a file had before a run: from the history, or, where the run only added, its beginning as it is.

    Raises NotFound where neither is them.
    """
    assert one.before
    if one.size is not None and memory.root.stat(one.path):
        data = memory.root.read(one.path).data[: one.size]
        if files.digest(data) == one.before:
            return data
    return text(memory, one.path, one.before)


@dataclass(frozen=True, slots=True)
class Undo:
    """How a run is taken back: the Changes, derived files to be made anew, and files left as a person has them."""

    changes: list[store.Change]
    anew: list[str]
    left: list[str]


def undo(memory: "Memory", run: Run, events: Sequence[ledger.Event], *, keep_changed: bool) -> Undo:
    """Plan to take a run back. Raises Conflict where a file was changed since and `keep_changed` is not given,
    NotFound where a version is no longer kept; then nothing is planned."""
    if run.undone:
        raise Conflict(f"run {run.id} was taken back already, by run {run.undone}")
    plan, conflicts = Undo([], [], []), []
    for one in reversed(net(run)):
        now = memory.root.read(one.path).digest if memory.root.stat(one.path) else None
        if now == one.before:
            continue
        if now == one.after:
            plan.changes.append(_back(memory, one))
        elif one.path in DERIVED:
            plan.anew.append(one.path)
        else:
            plan.left.append(one.path)
            conflicts.append(_since(one, now, listed(events), run))
    if conflicts and not keep_changed:
        raise Conflict(f"{'; '.join(conflicts)}; nothing was taken back, --keep-changed takes back the rest")
    return plan


def _back(memory: "Memory", one: Touched) -> store.Change:
    if one.before is None:
        assert one.after
        return store.Remove(one.path, one.after)
    return store.Write(one.path, before(memory, one), one.after, shrink_ok=True)


def _since(one: Touched, now: str | None, held: Sequence[Run], run: Run) -> str:
    """Who changed a file after a run."""
    later = [other for other in held if other.ts > run.ts and any(t.path == one.path for t in other.files)]
    if later and any(t.path == one.path and t.after == now for t in later[-1].files):
        return f"{one.path} was changed by run {later[-1].id} ({later[-1].verb}) since: take that back first"
    return f"{one.path} was {'edited' if now else 'moved or deleted'} by a person since"
