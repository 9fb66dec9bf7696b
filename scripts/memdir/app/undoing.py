"""Undo: a run taken back, which is a run itself.

Files come back byte for byte from the history, each from the text on disk step by step, so that what somebody saved
while the run was at work stays. A log is never edited: an entry opens again the loops that the run closed there.
A ledger may come with a stranger's vault: what it states is done to notes only, with texts that the history holds of
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.errors import Conflict, MemdirError, NotFound, Unsafe
from memdir.index.filters import Filters
from memdir.vault import layout, ledger, log, loops, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory

WITHDRAWN = "withdrawn:"  # begins a line that takes back what a log says was decided
_ON = "an earlier run is taken back by its id, see `memdir runs`"
DERIVED = (layout.INDEX_FILE, layout.OVERFLOW_FILE)  # made anew from the notes where they cannot be put back


@dataclass(slots=True)
class Undone(writing.Done):
    """What an undo did: `of` and `verb` of the run, and the files and loops that it gave back."""

    of: str = ""
    verb: str = ""
    back: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """How a run is taken back: the Changes, derived files to be made anew, files that stay as they are and why,
    files that go back only to what somebody saved while the run was at work, and the lines of a log entry. `wrote`:
    what later runs made."""

    changes: list[store.Write | store.Remove] = field(default_factory=list)
    anew: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    partly: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    wrote: dict[tuple[str, str | None], runs.Run] = field(default_factory=dict)


def undo(memory: "Memory", name: str, keep_changed: bool, dry_run: bool) -> Undone:
    """A run taken back. Raises Conflict where a file was changed since and `keep_changed` is not given, or where
    nothing can be taken back; NotFound where a version is no longer kept. Nothing is written then."""
    held = runs.listed(memory.ledger.events())
    run = runs.find(memory, name, held)
    with runs.running(memory, "undo", of=run.id):
        plan = planned(memory, run, held, keep_changed=keep_changed)
        _refuse(run, plan)
        done = writing.do(memory, [*plan.changes, *_entry(memory, run, plan)], dry_run)
        made = Undone(run.id, changed=done.changed, notices=done.notices, diff=done.diff, run=done.run)
        made.of, made.verb = run.id, run.verb
        made.back = [
            *(one.path for one in plan.changes),
            *(line.partition(":: ")[2] for line in plan.lines if ":: " in line),
        ]
        made.back += run.used
        made.notices += [f"{path} stays: {why}" for path, why in plan.left.items()]
        made.notices += [f"{path} is as somebody saved it while the run was at work" for path in plan.partly]
        if not dry_run:
            runs.note(memory, ledger.Event("undone", more={"of": run.id}))
            _follow(memory, plan, made)
        return made


def _follow(memory: "Memory", plan: Plan, made: Undone) -> None:
    """The index, then MEMORY.md's list, behind what came back: the notes may be others than when it was written."""
    fresh, said = memory.freshen(meant={one.path for one in plan.changes if isinstance(one, store.Remove)})
    if not fresh:
        made.notices += said
        return
    try:
        made.changed += writing.keep_index(memory).changed
    except MemdirError as error:
        made.notices.append(f"it is taken back, but: {error}")


def take_back(memory: "Memory") -> None:
    """What the run under way has done so far, undone; files that somebody saved meanwhile stay as they are."""
    assert memory.run
    held = runs.listed(memory.ledger.events())
    run = next(run for run in held if run.id == memory.run.id)
    runs.apply(memory, planned(memory, run, held, keep_changed=True).changes)


def planned(memory: "Memory", run: runs.Run, held: Sequence[runs.Run], *, keep_changed: bool) -> Plan:
    """Plan to take a run back. Raises as `undo`, but for where nothing can be taken back."""
    if run.undone:
        raise Conflict(f"run {run.id} was taken back already, by run {run.undone}")
    plan, steps = Plan(wrote=_wrote(memory, held, run)), dict[str, list[runs.Touched]]()
    for one in run.files:
        steps.setdefault(one.path, []).append(one)
    for path in reversed(steps):
        _file(memory, path, run, held, steps[path], plan, keep_changed=keep_changed)
    if plan.left and not keep_changed:
        said = "; ".join(f"{path} {why}" for path, why in plan.left.items())
        rest = (
            ", --keep-changed takes back the rest"
            if plan.changes or run.logged
            else f" of run {run.id} ({run.verb}); {_ON}"
        )
        raise Conflict(f"{said}; nothing was taken back{rest}")
    if plan.left:  # what is made from the notes follows those that stay
        plan.anew += [one.path for one in plan.changes if one.path in DERIVED]
        plan.changes = [one for one in plan.changes if one.path not in DERIVED]
    plan.lines = [f"- {loops.OPENS}:: {one}" for one in run.resolves]
    plan.lines += [f"- {loops.CLOSES}:: {one}" for one in run.reopens]
    if run.verb == runs.CAPTURE:
        plan.lines += [f"- {loops.CLOSES}:: {link}" for link in _begun(memory, run)]
        decided = run.said.get("decided")
        plan.lines += [f"- {WITHDRAWN} {one}" for one in decided if isinstance(one, str)] if decided else []
    return plan


def _begun(memory: "Memory", run: runs.Run) -> list[str]:
    """Links to the loops that a run opened in the log and that are still open."""
    held = memory.loops(Filters()) if run.begins else []
    return [one.link for one in held if one.block in run.begins]


def _file(
    memory: "Memory",
    path: str,
    run: runs.Run,
    held: Sequence[runs.Run],
    steps: Sequence[runs.Touched],
    plan: Plan,
    *,
    keep_changed: bool,
) -> None:
    """Add to the plan what becomes of one file."""
    now = memory.root.read(path).digest if memory.root.stat(path) else None
    first, to = steps[0].before, _walked(steps, now)
    if now == first:
        return
    if path not in DERIVED and (path, now) in plan.wrote:
        plan.left[path] = _told(plan.wrote[path, now])
    elif path in DERIVED and to != first:
        plan.anew.append(path)
    elif to == now:
        plan.left[path] = _since(path, now, held, run)
    else:
        try:
            plan.changes.append(
                _back(memory, run, path, now, to, next((s.size for s in steps if s.before == to), None))
            )
        except (NotFound, Unsafe) as error:
            if path in DERIVED:
                plan.anew.append(path)
                return
            if not keep_changed:
                raise
            plan.left[path] = str(error).removeprefix(path).lstrip(": ")
        else:
            plan.partly += [path] if to != first else []


def _wrote(memory: "Memory", held: Sequence[runs.Run], run: runs.Run) -> dict[tuple[str, str | None], runs.Run]:
    """(path, digest) → the later run of this device that made it: one that was killed states files that it never
    wrote, and another may have."""
    own = runs.own(memory, held)
    later = own[own.index(run) + 1 :] if run in own else []
    return {(one.path, one.after): other for other in later for one in other.files}


def _told(other: runs.Run) -> str:
    return f"was changed by run {other.id} ({other.verb}) since: take that back first"


def _walked(steps: Sequence[runs.Touched], now: str | None) -> str | None:
    """The digest that a file had before a run, as far back as its steps lead from the text on disk.

    A step whose outcome is another text was never done, or somebody saved over it and a later step kept that.
    """
    for one in reversed(steps):
        now = one.before if one.after == now else now
    return now


def _back(
    memory: "Memory", run: runs.Run, path: str, now: str | None, to: str | None, size: int | None
) -> store.Write | store.Remove:
    """One file back from `now` to `to`, of which a run that only added states the `size`.

    Raises NotFound where that text is no longer kept, Unsafe for what is no note and not known to the history.
    """
    ours = path == layout.INDEX_FILE or path.startswith("memory/") if memory.own else path.lower().endswith(".md")
    if to is None:
        assert now
        if not ours and not _moved(memory, run, now):
            raise Unsafe(f"{path} is no note of this vault: run {run.id} cannot take it away")
        return store.Remove(path, now)
    if ours and size is not None:
        return store.Write(path, runs.before(memory, runs.Touched(path, to, now, size)), now, shrink_ok=True)
    if not _is_kept(memory, path, to):
        if not ours:
            raise Unsafe(f"{path} is no note of this vault: run {run.id} cannot write it")
        raise NotFound(f"{path}: its version {to[:12]} is not in the history any more")
    return store.Write(path, memory.root.version(to), now, shrink_ok=True)


def _is_kept(memory: "Memory", path: str, digest: str) -> bool:
    return any(one.digest == digest for one in memory.root.history(path, digest))


def _moved(memory: "Memory", run: runs.Run, digest: str) -> bool:
    """Whether a run moved a text that stands elsewhere now: it took it away there, or was about to."""
    for one in run.files:
        if one.before == digest and one.after is None:
            still = memory.root.stat(one.path) and memory.root.read(one.path).digest == digest
            return bool(still) or _is_kept(memory, one.path, digest)
    return False


def _since(path: str, now: str | None, held: Sequence[runs.Run], run: runs.Run) -> str:
    """Who changed a file after a run."""
    at = next(place for place, other in enumerate(held) if other.id == run.id)
    later = [other for other in held[at + 1 :] if any(one.path == path for one in other.files)]
    if later and any(one.path == path and one.after == now for one in later[-1].files):
        return _told(later[-1])
    return f"was {'edited' if now else 'moved or deleted'} by a person since"


def _refuse(run: runs.Run, plan: Plan) -> None:
    """Raise Conflict where nothing of a run can be taken back."""
    name = f"run {run.id} ({run.verb})"
    if run.verb == runs.CAPTURE and run.logged:
        return  # an entry says that it is taken back, and what was read is not captured again
    if run.used:
        return  # the mark of the undo is all there is to it: a use that was taken back counts no more
    if not run.changed and run.logged:
        raise Conflict(
            f"nothing could be taken back: {name} wrote to the log only, and an entry stays: write another with"
            " `memdir log`; a loop is opened again by `memdir resolve LOOP --reopen`"
        )
    if not run.changed:
        raise Conflict(f"nothing could be taken back: {name} changed nothing")
    if run.verb == runs.KEEPS:
        raise Conflict(f"nothing could be taken back: {name} only made the list in MEMORY.md what the notes say")
    if not plan.changes and not plan.lines and (plan.left or plan.anew):
        said = [f"{path} {why}" for path, why in plan.left.items()] or [f"{', '.join(plan.anew)} was changed since"]
        raise Conflict(f"nothing could be taken back of {name}: {'; '.join(said)}; {_ON}")


def _entry(memory: "Memory", run: runs.Run, plan: Plan) -> list[store.LogEntry]:
    """What the log says of an undo, when the run itself wrote there and something comes back."""
    if not run.logged or not (plan.changes or plan.lines or run.verb == runs.CAPTURE):
        return []
    return [writing.entry(memory, f"Took back run {run.id} ({run.verb})", [*plan.lines, log.OWN])]
