"""Moves: a note, an attachment or a folder gets another path, and every link that led to it still does.

One run: the new files first, then the links, the old files last, so that a kill half way leaves a copy and never a
loss; what fails half way is taken back. The logs of a vault that memdir made are append only: they keep the old name,
by which `moved_to` finds the note. Folders that a move leaves empty stay.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.errors import BadData, Conflict, MemdirError, NotFound, UsageError
from memdir.vault import edits, fence, files, layout, ledger, log, names, note, relink, resolve, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.vault.fields import Value

MOST_BYTES = 100_000_000  # that one move may carry: the history, by which it is taken back, holds 200 MB
SHOWN = 60  # characters of an old name in the log
MACHINE = tuple(f"memory/{name}/" for name in ("ledger", "sessions", "briefs", "personas", "inbox"))

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
        to = _asked(memory, target, new, [entry.path for entry in listing.entries])
        if title and (len(to) > 1 or not _is_note(next(iter(to)))):
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
    _free(to, paths)
    if sum(entry.size for entry in listing.entries if entry.path in to) > MOST_BYTES:
        raise BadData(f"a move of over {MOST_BYTES // 1_000_000} MB could not be taken back; nothing was moved")
    held = {path: memory.root.read(path) for path in to}
    plan, digests, unread = Plan(to), dict[str, str](), [*listing.placeholders, *listing.unreadable]
    away = {*unread, *listing.links}

    def text(path: str) -> str | None:
        if path in away:
            return None
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
    frozen = [path for path in changed if _appended_only(memory, path)]
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
                runs.take_back(memory)
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
    """Where the file is now that had this path or name before it was moved, by the ledger; none or one."""
    wanted = names.fold(target.removesuffix(".md"))
    now = ""
    for event in memory.ledger.events():
        old, new = event.more.get("from"), event.more.get("to")
        if event.op in ("moved", "archived") and isinstance(old, str) and isinstance(new, str):
            folded = names.fold(old.removesuffix(".md"))
            if old == now or folded == wanted or folded.endswith(f"/{wanted}"):
                now = new
    try:
        return [now] if now and memory.root.stat(now) is not None else []
    except MemdirError:
        return []


# --- what is asked for ---------------------------------------------------------------------------


def _asked(memory: "Memory", target: str, new: str, paths: Sequence[str]) -> dict[str, str]:
    """Old path → new path of each file. Raises UsageError, NotFound, BadData and Conflict."""
    if target.endswith(("/", "\\")):
        to = _folder(target, new, paths, layout.FOLDERS if memory.own else ())
    else:
        old = _source(memory, target, paths)
        to = {old: _place(memory, old, new)}
    for old, place in to.items():
        _may_go(memory, old)
        _may_come(memory, old, place)
    return to


def _folder(target: str, new: str, paths: Sequence[str], fixed: Sequence[str]) -> dict[str, str]:
    folder, place = files.check_path(target.rstrip("/\\")), new.rstrip("/\\")
    if any(f"{one}/".startswith(f"{folder}/") for one in fixed):
        raise BadData(f"{folder}/ belongs to the vault format: it stays where it is")
    if place == new:
        raise UsageError(f"a folder moves to a folder: {new}/")
    place = files.check_path(place, create=True)
    if f"{place}/".startswith(f"{folder}/"):
        raise UsageError(f"{folder}/ cannot move into itself")
    if any(path.startswith(f"{place}/") for path in paths):
        raise Conflict(f"{place}/ holds files already; move the notes one by one", path=place)
    found = {path: f"{place}/{path[len(folder) + 1 :]}" for path in paths if path.startswith(f"{folder}/")}
    if not found:
        raise NotFound(f"no files in {folder}/")
    return {path: files.check_path(at, create=True) for path, at in found.items()}


def _source(memory: "Memory", target: str, paths: Sequence[str]) -> str:
    """The file meant, in the spelling on disk: any file by its path, a note by whatever names it."""
    path = target if target.startswith("[[") else files.check_path(target)
    if path not in paths:
        if any(one.startswith(f"{path}/") for one in paths):
            raise UsageError(f"{path} is a folder; write {path}/ to move it")
        path = path if "[[" not in path and memory.root.stat(path) else memory.find(target)
    same = unicodedata.normalize("NFC", path)
    found = path if path in paths else next((p for p in paths if unicodedata.normalize("NFC", p) == same), "")
    if not found:
        raise NotFound(f"{path} is in a folder that memdir leaves alone")
    return found


def _place(memory: "Memory", old: str, new: str) -> str:
    """The new path of a file: `folder/`, a path, or a bare name in the same folder; the ending may be left out."""
    folder, name = resolve.parent(old), old.rpartition("/")[2]
    new = new.replace("\\", "/")
    if "/" not in new:
        place = f"{folder}/{new}".removeprefix("/")
    elif new.endswith("/") or not (_has_ending(old, new) or memory.root.make_folder(new, dry_run=True)):
        place = f"{new.rstrip('/')}/{name}" if new not in ("/", "./") else f"{new}{name}"
    else:
        place = new
    place = files.check_path(place if _has_ending(old, place) else place + old[old.rfind(".") :], create=True)
    if not relink.linkable(place if resolve.parent(place) != folder else place.rpartition("/")[2]):
        raise UsageError(f"{place}: no link can hold this path; leave out [ ] | # ^ and \\")
    return place


def _has_ending(old: str, new: str) -> bool:
    ending = old.rpartition("/")[2].rpartition(".")[2]
    return "." not in old.rpartition("/")[2] or new.lower().endswith(f".{ending.lower()}")


def _may_go(memory: "Memory", path: str) -> None:
    if path == layout.INDEX_FILE:
        raise BadData(f"{path} is what agents read first: it stays where it is")
    if memory.own and path.startswith("memory/inbox/"):
        raise BadData(f"{path} is a proposal: `memdir inbox accept` makes it a note")
    if memory.own and (path.startswith(MACHINE) or path == layout.OVERFLOW_FILE or path.endswith("-state.json")):
        raise BadData(f"{path} is kept by memdir: it stays where it is")
    if _appended_only(memory, path):
        raise BadData(f"{path} is a daily log: it stays where its day is looked for")


def _may_come(memory: "Memory", old: str, new: str) -> None:
    rules = memory.vault.rules
    if not memory.own or not _is_note(old):
        return
    if new == layout.INDEX_FILE or new.startswith(MACHINE) or (rules.counts(old) and not rules.counts(new)):
        raise UsageError(f"{new} would be no note; notes lie in {', '.join(layout.FOLDERS[:4])} or another of memory/")
    if layout.kind_of(new) == "log":
        raise UsageError(f"{new} would be a daily log: names that begin with a day belong in a topic folder")


def _free(to: Mapping[str, str], paths: Iterable[str]) -> None:
    """Raise Conflict where a target is taken, also by a name that differs in case only, UsageError for no move."""
    if any(old == new for old, new in to.items()):
        raise UsageError("it is there already")
    taken = {names.fold(path): path for path in paths if path not in to}
    for place in to.values():
        if held := taken.get(names.fold(place)):
            raise Conflict(f"{held} exists already; nothing was moved", path=held)


def _appended_only(memory: "Memory", path: str) -> bool:
    """Whether nobody rewrites this file: a daily log or a session of a vault that memdir made."""
    if not memory.own:
        return False
    return path.startswith("memory/sessions/") or (
        layout.kind_of(path) == "log" and path.endswith(".md") and memory.vault.rules.counts(path)
    )


def _is_note(path: str) -> bool:
    return path.lower().endswith(".md")


# --- what is said --------------------------------------------------------------------------------


def _edit(memory: "Memory", old: str, new: str, title: str) -> Edit:
    """Front matter that follows a move: the type of another topic folder, and a title when one is given."""
    day, title = memory.clock.today(), " ".join(writing.clean(memory, title).split())

    def change(text: str) -> str:
        held = note.parse(new, fence.encode(text))
        values: dict[str, Value] = {}
        if memory.own and _type_follows(held, old, new):
            values["type"] = new.split("/")[1]
        if title and title != held.name:
            values["name" if "name" in held.meta or (memory.own and "title" not in held.meta) else "title"] = title
            known = "alias" if "alias" in held.meta and "aliases" not in held.meta else "aliases"
            values[known] = [*dict.fromkeys((*held.aliases, held.name))]
        return edits.set_values(new, text, values, day) if values else text

    return change if _is_note(old) else str


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
        if memory.own and layout.is_topic(new) and _is_note(old) and old.split("/")[:2] != new.split("/")[:2]:
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
