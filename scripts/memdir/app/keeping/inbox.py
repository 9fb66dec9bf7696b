"""The inbox: proposed notes that wait for a person's word, as files that can be read and edited meanwhile.

Accepted, a proposal becomes a topic note (also when somebody wrote `status: accepted` into it by hand and the next
distillation comes by); rejected, it goes and is not proposed again. Both are runs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.errors import Conflict, MemdirError, NotFound, UsageError
from memdir.vault import draft, edits, fields, files, layout, ledger, log, names, note, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FOLDER = layout.INBOX
PROPOSED, ACCEPTED = "proposed", "accepted"
CAPTURED = "capture:"  # how the `origin` of what a capture proposes begins
_ORIGIN = re.compile(r".+@[0-9a-f]{64}")  # what a scan writes there; a person's own `origin` says other things


@dataclass(frozen=True, slots=True)
class Proposal:
    """One file of the inbox. `key`: what it was made from (source and digest), by which it is known again."""

    path: str
    name: str
    type: str
    created: str
    source: str
    status: str
    key: str


def listed(memory: "Memory") -> list[Proposal]:
    """The proposals, oldest first; a file that cannot be read is left out (`doctor` names it)."""
    found = []
    for path in _paths(memory):
        try:
            found.append(_read(memory, path)[0])
        except MemdirError:
            continue
    return sorted(found, key=lambda one: (one.created, one.path))


def _paths(memory: "Memory") -> list[str]:
    inside = memory.root.walk(lambda path, is_dir: not _on_the_way(path) if is_dir else not path.endswith(".md"))
    return [entry.path for entry in inside.entries if entry.path.startswith(f"{FOLDER}/")]


def _on_the_way(folder: str) -> bool:
    return folder == "memory" or f"{folder}/".startswith(f"{FOLDER}/")


def _read(memory: "Memory", path: str) -> tuple[Proposal, str, str]:
    """A proposal with its text and digest."""
    blob = memory.root.read(path)
    held = note.parse(path, blob.data)
    keys = {key: held.text(key) for key in ("created", "source", "status", "origin")}
    source = keys["source"] or keys["origin"]
    one = Proposal(path, held.name, held.type, keys["created"], source, keys["status"], keys["origin"])
    return one, fields.decode(blob.data), blob.digest


def find(memory: "Memory", name: str) -> str:
    """Path of the proposal that a path, a file name or a title means. Raises NotFound, Conflict."""
    wanted = names.fold(name.removesuffix(".md").rpartition("/")[2])
    found = [
        one.path
        for one in listed(memory)
        if wanted in (names.fold(one.name), names.fold(one.path.rpartition("/")[2].removesuffix(".md")))
    ]
    if not found:
        raise NotFound(f"no proposal {name!r}; `memdir inbox list` shows them")
    if len(found) > 1:
        raise Conflict(f"{name!r} may mean {', '.join(found)}")
    return found[0]


def seen(events: Iterable[ledger.Event]) -> set[str]:
    """Keys of what was proposed before, whatever became of it."""
    return {str(event.more.get("key", "")) for event in events if event.op in ("captured", "blocked")} - {""}


def propose(memory: "Memory", drafts: Sequence[tuple[str, draft.NewNote]], dry_run: bool) -> writing.Done:
    """Proposals written to the inbox, (key, note) each; the keys are remembered in the ledger.

    One about a file that has changed takes the place of the one that waits, when nobody edited that.
    """
    day = memory.clock.today()
    taken, waiting = _paths(memory), _waiting(memory)
    changes: list[store.Change] = []
    events = []
    for key, asked in drafts:
        write, _ = draft.new(asked, taken, day, folder=FOLDER)
        old = waiting.pop(_source(key), None)
        if old and old.key != key:
            write = replace(write, path=old.path, base=_digest(memory, old.path), shrink_ok=True)
        taken.append(write.path)
        changes.append(write)
        events.append(ledger.Event("captured", path=write.path, more={"key": key, "digest": files.digest(write.data)}))
    done = writing.do(memory, changes, dry_run)
    if events and not dry_run:
        runs.note(memory, *events)
    return done


def _source(key: str) -> str:
    """Workspace and file that a key is of; "" where it is the program text as a whole, which tells news every time, and
    for a key without a digest."""
    source = key.rpartition("@")[0] if _ORIGIN.fullmatch(key) else ""
    return "" if source.endswith(":.") else source


def _waiting(memory: "Memory") -> dict[str, Proposal]:
    """The proposals that lie as they were written, by what they are about."""
    told = [event for event in memory.ledger.events() if event.op == "captured"]
    written = {(event.path, event.more.get("digest")) for event in told}
    return {
        _source(one.key): one
        for one in listed(memory)
        if _source(one.key) and (one.path, _digest(memory, one.path)) in written
    }


@runs.verb
def accept(memory: "Memory", name: str, kind: str, dry_run: bool) -> writing.Done:
    """A proposal made a topic note, as it stands now. `kind`: another type than it proposes."""
    path = find(memory, name)
    if dry_run:
        writes, remove = _accepted(memory, path, kind)
        done = writing.do(memory, [*writes, remove], True)
    else:
        done = take(memory, path, kind)
    done.path = done.changed[0]
    said = writing.entry(memory, f"{log.ACCEPTED}[[{_stem(done.path)}]]", [log.OWN])
    return writing.after(memory, done, said, dry_run)


def take(memory: "Memory", path: str, kind: str = "") -> writing.Done:
    """Make a proposal a topic note, in the run under way: the note is there and the proposal gone, or neither.

    Which text was accepted is remembered. Raises UsageError for a type that is none, and as `store.apply`.
    """
    writes, remove = _accepted(memory, path, kind)
    done = writing.do(memory, writes, False)
    try:
        done.changed += writing.do(memory, [remove], False).changed
    except (MemdirError, OSError):
        # Only what was made here is taken back: a night that accepts several is one run.
        made = [one for one in writes if one.base is None]
        runs.apply(memory, [store.Remove(one.path, files.digest(one.data)) for one in made])
        raise
    runs.note(memory, ledger.Event(ACCEPTED, path=done.changed[0], more={"digest": remove.base}))
    return done


def _accepted(memory: "Memory", path: str, kind: str) -> tuple[list[store.Write], store.Remove]:
    one, text, digest = _read(memory, path)
    if one.key.startswith(CAPTURED) and not kind:
        from memdir.app.talk import accepting  # deferred: it loads the rules that read sentences

        return accepting.writes(memory, path, fields.encode(text)), store.Remove(path, digest)
    kind = kind or one.type
    if kind not in layout.TYPES:
        raise UsageError(f"type {kind!r} is not one of {', '.join(layout.TYPES)}")
    day = memory.clock.today()
    values = {"type": kind, "status": ACCEPTED, "trust": "reviewed", "updated": day}
    new = edits.set_values(path, text, values, day)
    notes = [entry.path for entry in memory.root.walk(memory.vault.rules.skip).entries]
    taken = {names.fold(_stem(held)) for held in notes}
    target = f"{layout.topic_folder(kind)}/{names.numbered(_stem(path), taken)}.md"
    return [store.Write(target, fields.encode(new), None)], store.Remove(path, digest)


@runs.verb
def reject(memory: "Memory", name: str, dry_run: bool) -> writing.Done:
    """A proposal taken away, not to be made again."""
    path = find(memory, name)
    one, _, digest = _read(memory, path)
    done = writing.do(memory, [store.Remove(path, digest)], dry_run)
    done.path = path
    if not dry_run and one.key:
        runs.note(memory, ledger.Event("blocked", path=path, more={"key": one.key}))
    return done


def by_hand(memory: "Memory") -> list[str]:
    """The proposals that somebody marked `status: accepted` by hand, oldest first.

    Not a text that was accepted before, whose acceptance was taken back, then; in an adopted vault only files that a
    scan made: others keep a `status` of their own there.
    """
    marked = [
        one.path
        for one in listed(memory)
        if one.status.casefold() == ACCEPTED
        and (memory.own or _ORIGIN.fullmatch(one.key) or one.key.startswith(CAPTURED))
    ]
    if not marked:
        return []
    before = {str(event.more.get("digest", "")) for event in memory.ledger.events() if event.op == ACCEPTED}
    return [path for path in marked if _digest(memory, path) not in before]


def _digest(memory: "Memory", path: str) -> str:
    try:
        return memory.root.read(path).digest
    except MemdirError:
        return ""  # gone a moment ago, which whoever takes it will be told


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")
