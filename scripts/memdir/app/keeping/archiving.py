"""The archive: notes that had their time move to `memory/archive/`, where they are still found, ranked last.

Which notes are due is told by their front matter, the times of their files and the ledger: those that expired, that
are older than their `decay` allows, and those of low importance that nobody changed for long. A note that was brought
back goes again only when it is named.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.app.keeping import moving
from memdir.errors import BadData, Conflict, MemdirError, UsageError
from memdir.vault import layout, ledger, log, names, note

if TYPE_CHECKING:
    from memdir.app.memory import Memory

DECAY = {"session": 2, "fast": 30, "normal": 365}  # days without an update; slow, permanent and no key: never by age
REST = 7  # days in which what a person changed is left alone
SHARE, LEAST = 0.05, 10  # of the notes that go in one run, and how many may always go
ASKED, BACK = "asked for", "restored"
_WORDS = b"valid_to", b"decay", b"low"  # a note that says none of these is not due


@dataclass(frozen=True, slots=True)
class Due:
    """A note that goes, its place in the archive, and why."""

    path: str
    to: str
    why: str


@dataclass(slots=True)
class Archived(writing.Done):
    """What one run moved or would move. `waiting`: notes that are due too and go with the next runs."""

    notes: list[Due] = field(default_factory=list)
    waiting: int = 0


@runs.verb
def archive(memory: "Memory", targets: Sequence[str], dry_run: bool) -> Archived:
    """Notes moved to the archive, links kept; without names those that are due. Raises UsageError, BadData."""
    if not memory.own and memory.root.make_folder("memory/archive", dry_run=True):
        raise UsageError(
            "an adopted vault has an archive where it has a folder memory/archive; make it, or `memdir mv`"
        )
    waiting = 0
    if targets:
        why = dict.fromkeys((_asked(memory, target) for target in targets), ASKED)
    elif memory.own:
        found, held = due(memory)
        most = max(LEAST, int(SHARE * held))
        why, waiting = dict(found[:most]), max(0, len(found) - most)
    else:
        raise UsageError("name the notes: in an adopted vault memdir does not choose")
    to = _places(memory, why)
    done = _carried(memory, to, "archived", why, dry_run)
    done.waiting = waiting
    return _told(memory, done, "Archived", dry_run)


@runs.verb
def restore(memory: "Memory", targets: Sequence[str], dry_run: bool) -> Archived:
    """Notes moved from the archive to the folder of their type; in an adopted vault to where they were."""
    if not targets:
        raise UsageError("name the notes to restore; `memdir list --path memory/archive` shows them")
    to = {}
    for target in targets:
        path = memory.find(target)
        if not layout.is_archived(path):
            raise UsageError(f"{path} is not in the archive")
        to[path] = _home(memory, path)
    return _told(memory, _carried(memory, to, "moved", dict.fromkeys(to, BACK), dry_run), "Restored", dry_run)


def _carried(memory: "Memory", to: dict[str, str], op: str, why: dict[str, str], dry_run: bool) -> Archived:
    if not to:
        return Archived()
    plan, done = moving.carried_out(
        memory, lambda: moving.carry(memory, moving.everything(memory), to, {}), op, why, dry_run
    )
    same = {one.name: getattr(done, one.name) for one in fields(writing.Done)}
    made = Archived(**same, notes=[Due(old, new, why[old]) for old, new in to.items()])
    made.path = made.notes[0].to
    made.notices += moving.relinked(plan)
    return made


def _told(memory: "Memory", done: Archived, verb: str, dry_run: bool) -> Archived:
    """Index, MEMORY.md and log brought along."""
    count = len(done.notes)
    lines = [f"- [[{one.to.rpartition('/')[2].removesuffix('.md')}]]: {one.why}" for one in done.notes]
    said = writing.entry(memory, f"{verb} {count} note{'' if count == 1 else 's'}", [*lines, log.OWN])
    writing.after(memory, done, said, dry_run)
    return done


def _asked(memory: "Memory", target: str) -> str:
    path = memory.find(target)
    if layout.is_archived(path):
        raise Conflict(f"{path} is in the archive already", path=path)
    if layout.kind_of(path) != "note" or (memory.own and not layout.is_topic(path)):
        raise BadData(f"{path} is no topic note: only these are archived")
    return path


def _places(memory: "Memory", paths: Sequence[str] | dict[str, str]) -> dict[str, str]:
    """The place of each note in the archive; a taken name is numbered."""
    taken = {names.fold(entry.path) for entry in moving.everything(memory).entries if layout.is_archived(entry.path)}
    to = {}
    for path in paths:
        stem = path.rpartition("/")[2].removesuffix(".md")
        folder = layout.archive_folder(note.parse(path, memory.root.read(path).data).type)
        beside = {one.removeprefix(f"{folder}/").removesuffix(".md") for one in taken if one.startswith(f"{folder}/")}
        to[path] = f"{folder}/{names.numbered(stem, beside)}.md"
        taken.add(names.fold(to[path]))
    return to


def _home(memory: "Memory", path: str) -> str:
    """Where an archived note belongs."""
    if memory.own:
        kind = note.parse(path, memory.root.read(path).data).type
        return f"{layout.topic_folder(kind)}/{path.rpartition('/')[2]}"
    for event in reversed(memory.ledger.events()):
        old = event.more.get("from")
        if event.op == "archived" and event.path == path and isinstance(old, str):
            return old
    raise UsageError(f"{path} was not archived by memdir, so its place is not known; use `memdir mv`")


# --- what is due ---------------------------------------------------------------------------------


def due(memory: "Memory") -> tuple[list[tuple[str, str]], int]:
    """The topic notes that are due with the reason, expired ones first, then by age; and how many notes there are."""
    rows = memory.current().rows("SELECT path FROM files WHERE kind = 'note' AND NOT archived ORDER BY path")
    paths = [str(row[0]) for row in rows if layout.is_topic(str(row[0]))]
    events = memory.ledger.events()
    back, by_upkeep, now = _brought_back(events), _by_upkeep(events), memory.clock.now()
    found = []
    for path in paths:
        try:
            blob = memory.root.read(path)
        except MemdirError:
            continue
        if path in back or not any(word in blob.data for word in _WORDS):
            continue
        changed = datetime.fromtimestamp(blob.stat.mtime_ns / 1e9, now.tzinfo)
        theirs = blob.digest not in by_upkeep
        if theirs and (now - changed).days < REST:
            continue
        held = note.parse(path, blob.data)
        said = reason(held, changed.date(), now.date(), memory.settings["archive.low_days"], theirs=theirs)
        if said:
            found.append((not said[1].startswith("expired"), said[0], path, said[1]))
    return [(path, why) for _, _, path, why in sorted(found)], len(paths)


def reason(held: note.Note, changed: date, today: date, low_days: int, *, theirs: bool) -> tuple[str, str] | None:
    """Why a note is due, with the day since when it is that old; None when it is not. `changed`: when its file was;
    `theirs`: not by memdir's own upkeep."""
    importance, until, decay = (held.text(key).lower() for key in ("importance", "valid_to", "decay"))
    if importance == "high":
        return None
    if names.is_day(until[:10]) and until[:10] < f"{today}":
        return until[:10], f"expired: valid_to {until[:10]}"
    day = held.date or f"{changed}"
    if decay in DECAY and _age(day, today) > DECAY[decay]:
        return day, f"decay {decay}: not updated since {day}"
    last = max(day, f"{changed}") if theirs else day
    if importance == "low" and _age(last, today) > low_days:
        return last, f"low importance: unchanged since {last}"
    return None


def _age(day: str, today: date) -> int:
    try:
        return (today - date.fromisoformat(day)).days
    except ValueError:
        return 0


def _by_upkeep(events: Sequence[ledger.Event]) -> Set[str]:
    """Digests of texts that memdir rewrote by itself: links that followed a move, lines that a night learned."""
    verbs = ("move", "archive", "restore", "distill", "merge-conflicts")
    return {
        one.after for run in runs.listed(events) if run.verb in verbs for one in run.files if one.before and one.after
    }


def _brought_back(events: Sequence[ledger.Event]) -> Set[str]:
    """Paths of the notes that somebody took out of the archive: restored, or by an undo."""
    undone = {run.id for run in runs.listed(events) if run.undone}
    return {
        str(event.more.get("to" if event.op == "moved" else "from"))
        for event in events
        if (event.op == "moved" and event.why == BACK) or (event.op == "archived" and event.run in undone)
    }
