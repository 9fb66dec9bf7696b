"""Moves: a note, an attachment or a folder gets another path, and every link that led to it still does.

One run: the new files first, then the links, the old files last, so that a kill half way leaves a copy and never a
loss; what fails half way is taken back. The logs of a vault that memdir made are append only: they keep the old name,
by which `moved_to` finds the note. Folders that a move leaves empty stay.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdir.app import places, runs, undoing, writing
from memdir.errors import BadData, Conflict, MemdirError, UsageError
from memdir.vault import edits, fence, files, layout, ledger, log, names, note, relink, resolve, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.vault.fields import Value

MOST_BYTES = 100_000_000  # that one move may carry: the history, by which it is taken back, holds 200 MB
SHOWN = 60  # characters of an old name in the log

Edit = Callable[[str], str]


@dataclass(slots=True)
class Plan:
    """A move planned: `to`, path → path, and the Changes in order. `relinked`: other files whose links change."""

    to: Mapping[str, str]
    changes: list[store.Write | store.Remove] = field(default_factory=list)
    relinked: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


@runs.verb
def move(memory: "Memory", target: str, new: str, title: str, dry_run: bool) -> writing.Done:
    """A file or (both ending in `/`) a folder moved. `title`: also what the note is called from now on."""

    def planned() -> Plan:
        listing = everything(memory)
        to = places.asked(memory, target, new, listing)
        if title and (len(to) > 1 or not places.is_note(next(iter(to)))):
            raise UsageError("--title names one note")
        return carry(memory, listing, to, {old: _edit(memory, old, place, title) for old, place in to.items()})

    plan, done = carried_out(memory, planned, "moved", {}, dry_run)
    to = plan.to
    done.path = next(iter(to.values())) if target[-1:] not in ("/", "\\") else f"{names.relative(new)}/"
    done.notices += _said(memory, plan)
    first = next(iter(to.items()))
    return writing.after(memory, done, _entry(memory, *first) if len(to) == 1 else _many(memory, target, new), dry_run)


def everything(memory: "Memory") -> files.Listing:
    """Every file a link may lead to: attachments and templates too, hidden folders and those of package tools not."""
    return memory.root.walk(lambda path, is_dir: is_dir and names.is_ignored_folder(path.rpartition("/")[2]))


def carry(memory: "Memory", listing: files.Listing, to: Mapping[str, str], edited: Mapping[str, Edit]) -> Plan:
    """Plan to move files, each rewritten by its edit behind its links. Raises BadData where they cannot be taken back,
    Conflict where a target exists."""
    paths = [*(entry.path for entry in listing.entries), *listing.placeholders, *listing.links]
    places.free(to, paths)
    if sum(entry.size for entry in listing.entries if entry.path in to) > MOST_BYTES:
        raise BadData(f"a move of over {MOST_BYTES // 1_000_000} MB could not be taken back; nothing was moved")
    held = {path: memory.root.read(path) for path in to}
    plan, digests, unread = Plan(to), dict[str, str](), [*listing.placeholders, *listing.unreadable]
    away = {*unread, *listing.links}

    def text(path: str) -> str | None:
        if path in away or (layout.kind_of(path) == "session" and path not in to):
            return None  # links in a session are what somebody said
        try:
            blob = held.get(path) or memory.root.read(path)
        except MemdirError:
            unread.append(path)
            return None
        digests[path] = blob.digest
        return fence.decode(blob.data)

    changed = relink.carried(text, paths, relink.together(paths, to))
    for old, new in to.items():
        data = fence.encode(edited.get(old, str)(changed.pop(new, fence.decode(held[old].data))))
        plan.changes.append(store.Write(new, data, None))
    frozen = [path for path in changed if places.appended_only(memory, path)]
    plan.relinked = [path for path in sorted(changed) if path not in frozen]
    links = [store.Write(path, fence.encode(changed[path]), digests[path], shrink_ok=True) for path in plan.relinked]
    plan.changes += [*links, *(store.Remove(old, blob.digest) for old, blob in held.items())]
    if frozen:
        plan.notices.append(f"logs are never rewritten: {_files(frozen)} keep the old name, by which it is still found")
    if unread:
        plan.notices.append(f"{_files(unread)} could not be read: links there stay as they are")
    return plan


def carried_out(
    memory: "Memory", planned: Callable[[], Plan], op: str, why: Mapping[str, str], dry_run: bool
) -> tuple[Plan, writing.Done]:
    """A plan applied whole, or taken back when it fails; made anew when somebody saved between the two. One ledger
    event a file, `why` by its old path."""
    for left in range(writing.TRIES - 1, -1, -1):
        plan = planned()
        if dry_run:
            return plan, writing.Done(changed=[one.path for one in plan.changes], diff="\n".join(_shown(memory, plan)))
        try:
            done = writing.do(memory, plan.changes, False)
            break
        except (MemdirError, OSError) as error:
            if memory.run and memory.run.touched:
                undoing.take_back(memory)
            if not left or not isinstance(error, Conflict):
                raise
    pairs = plan.to.items()
    events = [ledger.Event(op, path=new, why=why.get(old, ""), more={"from": old, "to": new}) for old, new in pairs]
    runs.note(memory, *events)
    return plan, done


def relinked(plan: Plan) -> list[str]:
    """What became of the links, for a person."""
    return [*([f"links rewritten in {_files(plan.relinked)}"] if plan.relinked else []), *plan.notices]


def moved_to(memory: "Memory", target: str) -> list[str]:
    """Where the file is now that last had this path before it was moved, by the ledger; else where those are that had
    this name. Only files that are there."""
    pairs, wanted = list(_moves(memory)), names.fold(target.removesuffix(".md"))
    found = _followed(pairs, lambda old: old == wanted)[-1:]
    found = found or _followed(pairs, lambda old: old.endswith(f"/{wanted}"))
    return [path for path in found if _is_there(memory, path)]


def _moves(memory: "Memory") -> Iterator[tuple[str, str]]:
    """Old and new path of each file that was moved and not moved back by an undo, oldest first."""
    events = memory.ledger.events()
    undone = {run.id for run in runs.listed(events) if run.undone}
    for event in events:
        old, new = event.more.get("from"), event.more.get("to")
        if event.op in ("moved", "archived") and event.run not in undone and isinstance(old, str):
            yield from [(old, new)] if isinstance(new, str) else []


def _followed(pairs: Sequence[tuple[str, str]], meant: Callable[[str], bool]) -> list[str]:
    """The last paths of the files of which an old path, folded and without `.md`, is meant; the latest at the end."""
    now: dict[str, None] = {}
    for old, new in pairs:
        if old in now or meant(names.fold(old.removesuffix(".md"))):
            now.pop(old, None)
            now.pop(new, None)
            now[new] = None
    return list(now)


def _is_there(memory: "Memory", path: str) -> bool:
    try:
        return memory.root.stat(path) is not None
    except MemdirError:
        return False


# --- what is said --------------------------------------------------------------------------------


def _edit(memory: "Memory", old: str, new: str, title: str) -> Edit:
    """Front matter that follows a move: the type of another topic folder, and a title when one is given."""
    day, title = memory.clock.today(), " ".join(writing.clean(memory, title).split())

    def change(text: str) -> str:
        held = note.parse(old, fence.encode(text))
        values: dict[str, Value] = {}
        if memory.own and _type_follows(held, old, new):
            values["type"] = new.split("/")[1]
        if title and title != held.name:
            values["name" if "name" in held.meta or (memory.own and "title" not in held.meta) else "title"] = title
            known = "alias" if "alias" in held.meta and "aliases" not in held.meta else "aliases"
            values[known] = [*dict.fromkeys((*held.aliases, held.name))]
        return edits.set_values(new, text, values, day) if values else text

    return change if places.is_note(old) else str


def _type_follows(held: note.Note, old: str, new: str) -> bool:
    """Whether a note went to another topic folder and says a type that is not that folder's."""
    if not layout.is_topic(new) or resolve.parent(old).split("/")[:2] == new.split("/")[:2]:
        return False
    if not held.readable:
        raise BadData(f"{old}: its front matter cannot be read, so `type` cannot follow; nothing was moved")
    return "type" in held.meta and held.meta["type"] != new.split("/")[1]


def _said(memory: "Memory", plan: Plan) -> list[str]:
    """What a person should know of a move."""
    said = []
    for old, new in plan.to.items():
        new_folder = layout.is_topic(new) and not layout.is_archived(old)
        if memory.own and new_folder and places.is_note(old) and old.split("/")[:2] != new.split("/")[:2]:
            said.append(f"{new} is of type {new.split('/')[1]} now, as its folder")
    return [*said, *relinked(plan)]


def _entry(memory: "Memory", old: str, new: str) -> store.LogEntry:
    """The log line of a move, which ends as those of `new` and `set` do, so that nothing is learned from it."""
    was, now = (path.rpartition("/")[2].removesuffix(".md") for path in (old, new))
    title = f"{(was if was != now else old)[:SHOWN]} → [[{now}]]"
    return writing.entry(memory, title, [log.OWN] if len(title) > log.TITLE else [])


def _many(memory: "Memory", target: str, new: str) -> store.LogEntry:
    return writing.entry(memory, f"Moved {target[:SHOWN]} to {new[:SHOWN]}", [log.OWN])


def _shown(memory: "Memory", plan: Plan) -> Iterator[str]:
    """What a dry run prints: each move as such, with what changes in the text."""
    old = {new: old for old, new in plan.to.items()}
    for one in plan.changes:
        if isinstance(one, store.Write) and one.base is None:
            yield f"rename from {old[one.path]}\nrename to {one.path}"
            yield from filter(None, [store.diff(one.path, memory.root.read(old[one.path]).data, one.data)])
        elif isinstance(one, store.Write):
            yield store.preview(memory.root, one, memory.clock)


def _files(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    return f"{len(paths)} file{'' if len(paths) == 1 else 's'} ({shown})"
