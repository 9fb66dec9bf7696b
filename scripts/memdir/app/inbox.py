"""The inbox: proposed notes that wait for a person's word, as files that can be read and edited meanwhile.

Accepted, a proposal becomes a topic note (also when somebody wrote `status: accepted` into it by hand and the next
distillation comes by); rejected, it goes and is not proposed again. Both are runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.errors import BadData, Conflict, MemdirError, NotFound, UsageError
from memdir.vault import draft, edits, fields, layout, ledger, names, note, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FOLDER = layout.INBOX
PROPOSED, ACCEPTED = "proposed", "accepted"


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
    one = Proposal(path, held.name, held.type, keys["created"], keys["source"], keys["status"], keys["origin"])
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
    """Proposals written to the inbox, (key, note) each; the keys are remembered in the ledger."""
    day = memory.clock.today()
    taken = _paths(memory)
    changes: list[store.Change] = []
    events = []
    for key, asked in drafts:
        write, _ = draft.new(asked, taken, day, folder=FOLDER)
        taken.append(write.path)
        changes.append(write)
        events.append(ledger.Event("captured", path=write.path, more={"key": key}))
    done = writing.do(memory, changes, dry_run)
    if events and not dry_run:
        runs.note(memory, *events)
    return done


@runs.verb
def accept(memory: "Memory", name: str, kind: str, dry_run: bool) -> writing.Done:
    """A proposal made a topic note, as it stands now. `kind`: another type than it proposes."""
    path = find(memory, name)
    changes = accepted(memory, path, kind)
    done = writing.do(memory, changes, dry_run)
    done.path = done.changed[0]
    said = writing.entry(memory, f"Accepted from the inbox → [[{_stem(done.path)}]]", [])
    return writing.after(memory, done, said, dry_run)


def accepted(memory: "Memory", path: str, kind: str = "") -> list[store.Change]:
    """The Changes that make a proposal a topic note. Raises UsageError for a type that is none."""
    one, text, digest = _read(memory, path)
    kind = kind or one.type
    if kind not in layout.TYPES:
        raise UsageError(f"type {kind!r} is not one of {', '.join(layout.TYPES)}")
    day = memory.clock.today()
    values = {"type": kind, "status": ACCEPTED, "trust": "reviewed", "updated": day}
    new = edits.set_values(path, text, values, day)
    notes = [entry.path for entry in memory.root.walk(memory.vault.rules.skip).entries]
    taken = {names.fold(_stem(held)) for held in notes}
    target = f"{layout.topic_folder(kind)}/{names.numbered(_stem(path), taken)}.md"
    return [store.Write(target, fields.encode(new), None), store.Remove(path, digest)]


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


def by_hand(memory: "Memory") -> list[list[store.Change]]:
    """Changes for the proposals that somebody marked `status: accepted` by hand, each a list of its own."""
    ready = []
    for one in listed(memory):
        if one.status.casefold() == ACCEPTED:
            try:
                ready.append(accepted(memory, one.path))
            except (UsageError, BadData):
                continue
    return ready


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")
