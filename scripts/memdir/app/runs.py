"""Runs: what one command changed, written into the ledger before it is done, and how it is taken back.

A run has an id. Before a batch of Changes is applied, one `run_started` line states every path with the digests
before and after, so that a run that was killed half way can be taken back as well; what then could not be done is
stated by a `run_failed` line. `undoing` takes runs back.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from memdir.errors import Conflict, MemdirError, NotFound, UsageError
from memdir.vault import files, ledger, loops, store
from memdir.vault.files import Written

if TYPE_CHECKING:
    from memdir.app.memory import Memory

P = ParamSpec("P")
T = TypeVar("T")
MOST = 500  # Changes that one line of the ledger states
CAPTURE = "capture"  # the verb of runs whose log entries are taken back by an entry, loops and all
KEEPS = "keep-index"  # the verb of runs that only make the list in MEMORY.md what the notes say
AHEAD = timedelta(days=1)  # a run that says a later time than this from now was not the last one


# Events that are all there is to their run, and its verb.
_NOTED = {"gate": "passed-over", "feedback": "judge"}


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
    """A run as the ledger tells it. `resolves`, `reopens`: loops that its log entries name, `begins`: ids of
    those that they opened; `used`: files of which
    memories were used, which changes nothing; `undone`: the run that took it back; `of`: the run that it took back."""

    id: str
    verb: str = ""
    by: str = ""
    ts: str = ""
    files: list[Touched] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    resolves: list[str] = field(default_factory=list)
    reopens: list[str] = field(default_factory=list)
    begins: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)
    undone: str = ""
    of: str = ""

    @property
    def paths(self) -> list[str]:
        return list(dict.fromkeys(one.path for one in self.files))

    @property
    def changed(self) -> bool:
        """Whether it did anything that can be taken back."""
        return bool(net(self) or self.resolves or self.reopens or (self.begins and self.verb == CAPTURE))


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
        with running(memory, work.__name__.strip("_").replace("_", "-")):
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
        written += _applied(memory, batch)
    return written


def _applied(memory: "Memory", batch: Sequence[store.Change]) -> list[Written]:
    """The Changes applied; the ledger hears of those that failed, or met somebody's save, which stays."""
    written: list[Written] = []
    try:
        for change in batch:
            written += store.apply(memory.root, [change], memory.clock)
    except (MemdirError, OSError):
        with contextlib.suppress(MemdirError, OSError):
            _failed(memory, [*_kept(batch, written), *batch[len(written) :]])
        raise
    _failed(memory, _kept(batch, written))
    return written


def _kept(batch: Sequence[store.Change], written: Sequence[Written]) -> list[store.Change]:
    return [change for change, one in zip(batch, written, strict=False) if one.kept]


def _failed(memory: "Memory", changes: Sequence[store.Change]) -> None:
    if changes:
        note(memory, ledger.Event("run_failed", more={"changes": [store.record(change) for change in changes]}))


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
    """The runs that a ledger tells of, oldest first, without what was stated and not done."""
    found: dict[str, Run] = {}
    undoes: dict[str, str] = {}  # run → the run that it took back
    for event in events:
        if event.op in ("run_started", "run_ended", "run_failed"):
            run = found.setdefault(event.run, Run(event.run, ts=event.ts, by=event.by))
            _tell(run, event)
        elif event.op == "used" and event.run:
            found.setdefault(event.run, Run(event.run, "used", event.by, event.ts)).used.append(event.path)
        elif event.op in _NOTED and event.run:
            found.setdefault(event.run, Run(event.run, _NOTED[event.op], event.by, event.ts)).used.append("")
        elif event.op == "undone" and isinstance(of := event.more.get("of"), str):
            undoes[event.run] = of
    for of, by in taken_back(undoes).items():
        if of in found:
            found[of].undone = by
    return list(found.values())


def _tell(run: Run, event: ledger.Event) -> None:
    """Add to a run what one line says of it."""
    if event.op == "run_ended":
        run.verb = run.verb or str(event.more.get("verb", ""))
        run.said |= {key: value for key, value in event.more.items() if key != "verb"}
        return
    if event.op == "run_started":
        run.verb, run.of = str(event.more.get("verb", "")), str(event.more.get("of", ""))
    put = list.append if event.op == "run_started" else _take_out
    for name, value in _changes(event.more):
        put(getattr(run, name), value)


def _take_out(held: list[Any], value: object) -> None:
    """Take the last one of a value out of a list."""
    for place in range(len(held) - 1, -1, -1):
        if held[place] == value:
            del held[place]
            return


def _changes(more: Mapping[str, Any]) -> Iterator[tuple[str, Touched | str]]:
    """Lists of a Run and what stated Changes add to them."""
    changes = more.get("changes")
    for one in changes if isinstance(changes, list) else ():
        if isinstance(one, dict) and isinstance(one.get("log"), str):
            yield "logged", one["log"]
            for key in (loops.CLOSES, loops.OPENS, loops.BEGINS):
                named = one.get(key)
                yield from ((key, value) for value in (named if isinstance(named, list) else ()) if _is_line(value))
        elif isinstance(one, dict) and isinstance(path := one.get("path"), str):
            before, after = one.get("before"), one.get("after")
            size = one.get("size")
            if all(digest is None or isinstance(digest, str) for digest in (before, after)):
                yield "files", Touched(path, before, after, size if isinstance(size, int) and size >= 0 else None)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value.splitlines()) == 1


def taken_back(undoes: Mapping[str, str]) -> dict[str, str]:
    """The runs that are taken back, by which run: one that was not taken back itself. The order in which the marks
    were made does not matter, so a clock set back loses none."""
    by: dict[str, list[str]] = {}
    for run, of in undoes.items():
        by.setdefault(of, []).append(run)
    order = [of for of in by if of not in undoes]
    for one in order:  # grows: first a run, then those that took it back
        order += by.get(one, ())
    taken: dict[str, str] = {}
    for one in reversed(order):
        if standing := [run for run in by.get(one, ()) if run not in taken]:
            taken[one] = standing[-1]
    return taken


def net(run: Run) -> list[Touched]:
    """What a run did to each file in all, in the order of the files' first changes; in several parts where somebody
    saved the file in between."""
    parts: dict[str, list[Touched]] = {}
    for one in run.files:
        held = parts.setdefault(one.path, [])
        if held and held[-1].after == one.before:
            held[-1] = Touched(one.path, held[-1].before, one.after, held[-1].size)
        else:
            held.append(one)
    return [one for held in parts.values() for one in held if one.before != one.after]


def find(memory: "Memory", name: str, held: Sequence[Run]) -> Run:
    """The run with this id, the beginning of one, or `last`: the newest of this device that changed something, not only
    the list in MEMORY.md, and is not taken back. Raises UsageError, NotFound, Conflict."""
    if not name.strip():
        raise UsageError("name a run, or `last`; `memdir runs` lists them")
    if name == "last":
        return _last(memory, held)
    found = [run for run in held if run.id == name] or [run for run in held if run.id.startswith(name)]
    found = [run for run in found if run.changed] or found
    if not found:
        raise NotFound(f"no run {name!r}; `memdir runs` lists them")
    if len(found) > 1:
        raise Conflict(f"{name!r} may mean {', '.join(run.id for run in found[:5])}; give more of it")
    return found[0]


def _last(memory: "Memory", held: Sequence[Run]) -> Run:
    found = [run for run in own(memory, held) if run.verb != KEEPS]
    if not found:
        raise NotFound("nothing left to take back; `memdir runs` lists what was done")
    return found[-1]


def own(memory: "Memory", held: Sequence[Run]) -> list[Run]:
    """The runs of this device that changed something and stand, by the order of its own lines: their times are those of
    a clock that may have been wrong."""
    runs = {run.id: run for run in held if run.changed and not run.undone and run.verb != "undo"}
    said: dict[str, str] = {}
    for event in memory.ledger.own_events():
        if event.op == "run_started" and event.run in runs:
            said.setdefault(event.run, event.ts)
    latest = (memory.clock.now().astimezone(UTC) + AHEAD).isoformat()
    return [runs[run] for run in [run for run, ts in said.items() if ts <= latest] or list(said)]


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
