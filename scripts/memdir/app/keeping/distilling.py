"""Distillation: what the logs teach becomes lines of topic notes, once, with their source, as one run.

What an entry was learned from stands in the ledger by the digest of its text; an entry whose note was edited at that
moment, or that waits for another night, is read again for what is left of it. Logs are only ever appended to.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.app.keeping import inbox, learning
from memdir.errors import MemdirError
from memdir.learn import entries as logs
from memdir.learn import patches, stated
from memdir.learn.entries import Entry
from memdir.learn.items import Dropped, Item
from memdir.learn.reading import rules
from memdir.vault import layout, ledger, log, names, secrets, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.llm.client import Client

SHOWN = 20  # notes and left-out lines that a report names


@dataclass(slots=True)
class Night:
    """What one distillation did, or would do in a dry run (`diff`). `notes`: path → the lines that are new there;
    `unsure`: sentences with a name and a key that state nothing sure; `undone`: entries that are not read again because
    the run that learned from them was taken back."""

    run: str = ""
    entries: int = 0
    learned: dict[str, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unsure: int = 0
    undone: int = 0
    waiting: int = 0
    failed: list[str] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    changed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""


@runs.verb
def distill(memory: "Memory", since: str, again: bool, model: bool, dry_run: bool) -> Night:
    """Learn from the entries since a day (default: `distill.days` back) that were not learned from yet."""
    today = memory.clock.today()
    since = since or f"{date.fromisoformat(today) - timedelta(days=memory.settings['distill.days']):%Y-%m-%d}"
    night, shelf = Night(), learning.shelf(memory)
    done = set[str]() if again else read_before(memory)
    held = list(_entries(memory, since, night))
    fresh = [entry for entry in held if entry.digest not in done and entry.raw]
    cited: dict[str, str] = {}
    for entry in held:
        if not entry.own:
            cited[entry.source] = f"{cited.get(entry.source, '')}\n{entry.raw}"
    shelf = replace(shelf, cited=cited, stated=learning.stated_since(memory))
    night.entries = sum(not entry.own for entry in fresh)
    night.undone = len({entry.digest for entry in held if not entry.own} & _unwanted(memory)) if not again else 0
    client = learning.client(memory, night.notices, "distilled") if model else None
    items, unread = (
        _taught(memory, client, fresh, shelf, night) if client else (_learned(fresh, shelf, night), set[str]())
    )
    planned = patches.plan(
        (one for one in items if one.mark not in done), shelf, today, _most(memory, len(shelf.types))
    )
    night.dropped += planned.dropped
    night.waiting = len(planned.waiting)
    if dry_run:
        return _foreseen(memory, planned.patches, night)
    _accept(memory, night)
    left = _apply(memory, planned.patches, night)
    left += planned.waiting
    night.waiting = len(left)
    marks = {item.mark for item in left}
    partly = {item.entry for item in left}
    _finish(
        memory, fresh, unread | partly, [one for one in items if one.entry in partly and one.mark not in marks], night
    )
    return night


def _foreseen(memory: "Memory", planned: Sequence[patches.Patch], night: Night) -> Night:
    """What a run would change: the notes, its entry in the log, and MEMORY.md behind them."""
    _count(night, planned)
    writes = [patch.change for patch in planned]
    changes: list[store.Change] = [*writes]
    if said := _entry(memory, night, changed=bool(writes)):
        changes.append(said)
    try:
        changes += writing.index_behind(memory, writes)
    except MemdirError as error:
        night.notices.append(f"{layout.INDEX_FILE} would stay as it is: {error}")
    done = writing.do(memory, changes, True)
    night.diff, night.changed = done.diff, done.changed
    return night


def _entries(memory: "Memory", since: str, night: Night) -> Iterator[Entry]:
    """The entries since a day, oldest first; a log that cannot be read is told and left for another night."""
    rows = memory.current().rows("SELECT path FROM files WHERE kind = 'log' AND date >= ? ORDER BY date, path", [since])
    for (path,) in rows:
        try:
            found = logs.read(path, memory.root.read(path).data, memory.clock.now().tzinfo)
        except MemdirError as error:
            night.notices.append(f"{error}; left for another night")
            continue
        yield from (_bare(memory, entry) for entry in found if entry.day >= since)


def _bare(memory: "Memory", entry: Entry) -> Entry:
    """An entry without the secrets that somebody wrote into the log by hand: for notes, ledger and model."""
    raw, found = secrets.redact(entry.raw, memory.marker_key)
    if not found:
        return entry
    texts = "\n".join([entry.title, *(text for _, text in entry.lines)])
    title, *lines = secrets.redact(texts, memory.marker_key)[0].split("\n")
    numbers = [number for number, _ in entry.lines]
    return replace(entry, raw=raw, title=title, lines=tuple(zip(numbers, lines, strict=False)))


def read_before(memory: "Memory") -> set[str]:
    """Digests of the entries that were learned from, and marks of items of entries that were learned from in part;
    also by runs that were taken back: undone means not wanted."""
    held: set[str] = set()
    for event in memory.ledger.events():
        if event.op == "distilled":
            lists = [event.more.get(name) for name in ("entries", "items")]
            held.update(str(one) for digests in lists if isinstance(digests, list) for one in digests)
    return held


def _unwanted(memory: "Memory") -> set[str]:
    """Digests of the entries that only runs which were taken back have learned from."""
    events = memory.ledger.events()
    undone = {run.id for run in runs.listed(events) if run.undone}
    held: dict[bool, set[str]] = {True: set(), False: set()}
    for event in events if undone else ():
        digests = event.more.get("entries")
        if event.op == "distilled" and isinstance(digests, list):
            held[event.run in undone].update(map(str, digests))
    return held[True] - held[False]


def _learned(fresh: Sequence[Entry], shelf: patches.Shelf, night: Night) -> list[Item]:
    known = {*shelf.named, *(name for entry in fresh for name in entry.about)}
    items: list[Item] = []
    for entry in fresh:
        taught, dropped = rules.learn(entry, sorted(known), shelf.keys)
        items += taught
        known.update(names.fold(item.about) for item in taught if item.kind == "fact")
        night.unsure += sum(one.why == rules.UNSURE for one in dropped)
        night.dropped += [one for one in dropped if one.why != rules.UNSURE]
    return items


def _taught(
    memory: "Memory", client: "Client", fresh: Sequence[Entry], shelf: patches.Shelf, night: Night
) -> tuple[list[Item], set[str]]:
    """What the model makes of the entries, and the digests of those it could not be asked about."""
    from memdir.learn import teacher

    found = teacher.learn(client, fresh, partial(learning.offered, memory, shelf))
    night.dropped += found.dropped
    night.calls, night.tokens = found.calls, client.budget.used
    night.failed = list(dict.fromkeys(f"{entry.source}: {why}" for entry, why in found.failed))
    return found.items, {entry.digest for entry, _ in found.failed}


def _most(memory: "Memory", held: int) -> int:
    least, share = memory.settings["distill.least"], memory.settings["distill.share"]
    return max(int(least), int(share * held))


def _accept(memory: "Memory", night: Night) -> None:
    """Proposals that somebody accepted by hand become notes."""
    for path in inbox.by_hand(memory):
        try:
            done = inbox.take(memory, path)
        except MemdirError as error:
            night.notices.append(f"{path} is not accepted: {error}")
            continue
        night.made.append(done.changed[0])
        night.notes[done.changed[0]] = []
        night.changed += done.changed


def _apply(memory: "Memory", planned: Iterable[patches.Patch], night: Night) -> list[Item]:
    """Apply patches one by one; the items of those whose note somebody edited at that moment, or cannot be written."""
    left: list[Item] = []
    kept: list[patches.Patch] = []
    for patch in planned:
        try:
            done = writing.do(memory, [patch.change], False)
        except MemdirError as error:
            night.notices.append(f"{error}; tried again next time")
            left += patch.items
            continue
        night.changed += done.changed
        night.notices += done.notices
        kept.append(patch)
    _count(night, kept)
    return left


def _count(night: Night, kept: Iterable[patches.Patch]) -> None:
    counts: Counter[str] = Counter()
    for patch in kept:
        night.notes[patch.change.path] = patch.added
        night.made += [patch.change.path] if patch.change.base is None else []
        counts.update(item.kind for item in patch.items)
    night.learned = dict(counts)


def _finish(memory: "Memory", fresh: Sequence[Entry], again: Set[str], done: Sequence[Item], night: Night) -> None:
    """Say in the ledger what was read (all but `again`, and of those what is `done`), in the log what was learned;
    index and MEMORY.md follow."""
    assert memory.run
    night.run = memory.run.id
    by_log: dict[str, list[str]] = {}
    for entry in fresh:
        if entry.digest not in again:
            by_log.setdefault(entry.path, []).append(entry.digest)
    events = [ledger.Event("distilled", path=path, more={"entries": digests}) for path, digests in by_log.items()]
    if done:
        events.append(ledger.Event("distilled", more={"items": sorted({item.mark for item in done})}))
    if events:
        runs.note(memory, *events)
    written = writing.Done(path=night.run, changed=night.changed)
    if night.entries or night.changed:
        written = writing.after(memory, written, _entry(memory, night, changed=bool(night.changed)), False)
    night.changed, night.notices = written.changed, [*night.notices, *written.notices]
    _state(memory, night)
    runs.ended(memory, **said_of(night))


def _state(memory: "Memory", night: Night) -> None:
    """Note which facts by hand stand in the notes now, for the next night."""
    rows = memory.current().rows(
        "SELECT path, files.name, key, value FROM facts JOIN files ON files.id = file"
        " WHERE kind = 'note' AND source = '' AND until = ''"
    )
    standing = {mark for path, name, key, value in rows for mark in stated.marks((path, name), key, value)}
    before = learning.stated_since(memory)
    now = stated.renewed(before, standing, memory.clock.now().timestamp())
    try:
        if now != before:
            memory.root.state.put(stated.FILE, stated.write(now))
    except MemdirError as error:
        night.notices.append(f".memdir/{stated.FILE} could not be written: {error}")


def said_of(night: Night) -> dict[str, object]:
    """What the ledger keeps of a night, for `memdir report`."""
    return {
        "entries": night.entries,
        "learned": night.learned,
        "notes": {path: lines[:SHOWN] for path, lines in night.notes.items()},
        "made": night.made,
        "dropped": [[one.text, one.why, one.source] for one in night.dropped[:SHOWN]],
        "left_out": len(night.dropped),
        "unsure": night.unsure,
        "waiting": night.waiting,
        "failed": night.failed[:SHOWN],
        "unread": len(night.failed),
        "calls": night.calls,
        "tokens": night.tokens,
    }


def _entry(memory: "Memory", night: Night, *, changed: bool) -> store.LogEntry | None:
    """What the log says of a night; None where nothing was read or `changed`, or the vault is not ours."""
    if not memory.own or not (night.entries or changed):
        return None
    return writing.entry(memory, _title(night), [*_report(night), log.OWN])


def _title(night: Night) -> str:
    read = "1 entry" if night.entries == 1 else f"{night.entries} entries"
    return f"Distilled {read} into {len(night.notes)} note{'' if len(night.notes) == 1 else 's'}"


def _report(night: Night) -> list[str]:
    """The report as lines of a log entry: how much went where; what was left out is counted, never repeated."""
    lines = [
        f"- [[{_stem(path)}]]: {'accepted' if not added else '1 line' if len(added) == 1 else f'{len(added)} lines'}"
        for path, added in list(night.notes.items())[:SHOWN]
    ]
    lines += [f"- {len(night.notes) - SHOWN} more notes"] if len(night.notes) > SHOWN else []
    for count, what in (
        (len(night.dropped), "left out: `memdir report` says what and why"),
        (night.unsure, "sentences with no sure value: in the log only"),
        (night.waiting, "wait for the next night"),
        (len(night.failed), "could not be read by the model and wait"),
    ):
        lines += [f"- {count} {what}"] if count else []
    lines += [f"- {night.calls} model calls, {night.tokens} tokens"] if night.calls else []
    return lines


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")
