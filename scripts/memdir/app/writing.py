"""What writes: notes, the log, MEMORY.md. Each function plans Changes, applies them unless it is a dry run,
then brings the index and MEMORY.md along; neither of these may fail the writing of a note."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memdir.app import plans, runs
from memdir.errors import Conflict, MemdirError, Unusable
from memdir.vault import draft, edits, fields, layout, loops, memory_md, note, secrets, store
from memdir.vault.fields import Value

if TYPE_CHECKING:
    from memdir.app.memory import Memory

TRIES = 3  # times an edit without a stated base is planned anew because somebody saved meanwhile
COMMIT = 2.0  # seconds in which another memdir ends the commit that it is half way through


@dataclass(slots=True)
class Done:
    """What a writing method did or, in a dry run, would do (`diff`). `digest` is that of the note now."""

    path: str = ""
    digest: str = ""
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""
    run: str = ""  # takes it back: `memdir undo RUN`


@runs.verb
def new(memory: "Memory", asked: draft.NewNote, dry_run: bool) -> Done:
    asked = replace(
        asked,
        title=clean(memory, asked.title),
        description=clean(memory, asked.description),
        scope=clean(memory, asked.scope),
        tags=[clean(memory, tag) for tag in note.words(asked.tags if isinstance(asked.tags, str) else [*asked.tags])],
        body=prepared(memory, asked.body),
    )
    for left in range(TRIES - 1, -1, -1):
        paths = [entry.path for entry in memory.root.walk(memory.vault.rules.skip).entries]
        write, said = draft.new(asked, paths, memory.clock.today())
        try:
            done = do(memory, [write], dry_run)
            break
        except Conflict:
            if not left:
                raise
    done.path = write.path
    done.notices += [said] if said else []
    return after(memory, done, plans.said_of(asked.title, write.path), dry_run)


@runs.verb
def set_values(memory: "Memory", target: str, values: Mapping[str, Value], base: str | None, dry_run: bool) -> Done:
    path = memory.find(target, follow=False)
    plans.refuse(path, values, own=memory.own, root=memory.root)
    day = memory.clock.today()
    values = {clean(memory, key): cleaned(memory, key, value) for key, value in values.items()}
    done = edited(memory, path, base, lambda at, old: edits.set_values(at, old, values, day), dry_run)
    return after(memory, done, plans.said_by(values, path) if layout.kind_of(path) == "note" else None, dry_run)


@runs.verb
def edit(memory: "Memory", target: str, asked: plans.Edited, dry_run: bool) -> Done:
    path = memory.find(target, follow=False)
    plans.refuse(path, {}, own=memory.own)
    asked = replace(
        asked,
        heading=clean(memory, asked.heading),
        text=prepared(memory, asked.text, fields.decode(memory.root.read(path).data)),
    )
    base = asked.base if asked.how == "replace" else None
    done = edited(memory, path, base, _edit_of(asked, memory.clock.today()), dry_run)
    return after(memory, done, None, dry_run)


def clean(memory: "Memory", text: str, keep: str = "") -> str:
    """A text without secrets, for whatever is about to be written; what stands in `keep` already stays."""
    clean, found = secrets.redact(text, memory.marker_key, keep=keep)
    memory.redacted += found
    return clean


def clean_pair(memory: "Memory", key: str, value: str) -> tuple[str, str]:
    """A key and its value without secrets: what a value is may show in its key alone."""
    key = clean(memory, key)
    mark = f"{key}: "
    return key, clean(memory, mark + value).removeprefix(mark)


def cleaned(memory: "Memory", key: str, value: Value) -> Value:
    if isinstance(value, list):
        return [cleaned(memory, key, one) for one in value]
    return clean_pair(memory, key, value)[1] if isinstance(value, str) else value


def prepared(memory: "Memory", text: str, keep: str = "") -> str:
    """A text for a note or the log: without secrets, and in a vault of ours each open loop with an id."""
    text = clean(memory, text, keep)
    return loops.with_ids(text) if memory.own and "[ ]" in text else text


def entry(memory: "Memory", title: str, lines: Sequence[str]) -> store.LogEntry:
    """An entry for the log, ready to be written."""
    head, *rest = prepared(memory, "\n".join([" ".join(title.split()), *lines])).split("\n")
    return store.LogEntry(head, tuple(rest))


def _edit_of(asked: plans.Edited, day: str) -> edits.Edit:
    if asked.how == "append":
        return lambda path, old: edits.append(path, old, asked.text, day, asked.heading)
    if asked.how == "replace":
        return lambda path, old: edits.replace(path, old, asked.text, day)
    return lambda path, old: edits.section(path, plans.as_read(path, old, asked), asked.heading, asked.text, day)


@runs.verb
def log(memory: "Memory", title: str, lines: Sequence[str], dry_run: bool) -> Done:
    done = do(memory, [entry(memory, title, lines)], dry_run)
    done.path = next(iter(done.changed), "")
    done.notices += [str(problem) for problem in memory.root.recover()]
    return done


def index_text(memory: "Memory") -> str:
    memory.current()
    _, plan = plans.memory_index(memory.root, _entries(memory), memory.caps, force=True)
    assert plan
    return plan.text


@runs.verb
def keep_index(memory: "Memory", *, dry_run: bool = False) -> Done:
    """MEMORY.md brought up to date where memdir keeps it; a dry run goes by the index as it is."""
    if not plans.keeps_index(memory.root):
        return Done()
    try:
        return write_index(memory, force=False, dry_run=dry_run)
    except Unusable:
        if dry_run:
            return Done()
        raise


def list_is_stale(memory: "Memory") -> bool:
    """Whether the list that memdir keeps in MEMORY.md is not what the notes say."""
    try:
        return plans.keeps_index(memory.root) and bool(
            plans.memory_index(memory.root, _entries(memory), memory.caps, force=False)[0]
        )
    except MemdirError:
        return False  # a Problem of its own


@runs.verb
def write_index(memory: "Memory", *, force: bool, dry_run: bool) -> Done:
    changes, plan = plans.memory_index(memory.root, _entries(memory), memory.caps, force=force)
    done = do(memory, changes, dry_run)
    done.path = layout.INDEX_FILE if done.changed else ""
    if plan and plan.left_out and changes:
        done.notices.append(
            f"MEMORY.md is at its cap: it lists {plan.listed} notes, {plan.left_out} more are in {layout.OVERFLOW_FILE}"
        )
    if changes and not dry_run:
        memory.freshen()
    return done


def index_behind(memory: "Memory", written: Sequence[store.Write]) -> list[store.Change]:
    """What MEMORY.md would become behind Changes of notes; nothing where memdir does not keep it, or cannot."""
    if not plans.keeps_index(memory.root):
        return []
    entries = {entry.path: entry for entry in _entries(memory)}
    moment = int(memory.clock.now().timestamp() * 1e9)
    for write in written:
        told = note.parse(write.path, write.data)
        weight, described = told.text("importance") or "medium", bool(told.text("description"))
        entries[write.path] = memory_md.Entry(
            write.path, told.name, told.type, told.hook, described, weight, told.date, moment
        )
    return plans.memory_index(memory.root, [*entries.values()], memory.caps, force=False)[0]


def _entries(memory: "Memory") -> list[memory_md.Entry]:
    """Topic notes for MEMORY.md: every note that is neither a log nor archived, and those that are only away."""
    keys = "path, name, type, hook, described, importance, date, mtime_ns"
    source = memory.open_reader(verified=False, patience=COMMIT)
    rows = source.rows(f"SELECT {keys} FROM files WHERE kind = 'note' AND NOT archived")
    entries = [memory_md.Entry(*row) for row in rows]
    listing = memory.root.walk(memory.vault.rules.skip)
    if listing.placeholders or listing.unreadable:
        away = (*listing.placeholders, *(f"{path}/" for path in listing.unreadable))
        entries += plans.listed_but_away(memory.root, {entry.path for entry in entries}, away)
    return entries


def edited(memory: "Memory", path: str, base: str | None, change: edits.Edit, dry_run: bool) -> Done:
    """Plan and apply one edit; planned anew when somebody saved between the two and no base was stated."""
    for left in range(TRIES - 1, -1, -1):
        changes = plans.change(memory.root, path, base, change)
        try:
            done = do(memory, changes, dry_run)
            break
        except Conflict:
            if base is not None or not left:
                raise
    done.path = path
    done.digest = done.digest or memory.root.read(path).digest
    return done


def do(memory: "Memory", changes: Sequence[store.Change], dry_run: bool) -> Done:
    if dry_run:
        paths = [memory.clock.log_now() if isinstance(change, store.LogEntry) else change.path for change in changes]
        diff = "\n".join(store.preview(memory.root, change, memory.clock) for change in changes)
        return Done(changed=paths, diff=diff)
    applied = runs.apply(memory, changes)
    done = Done(changed=[one.path for one in applied], kept=[one.kept for one in applied if one.kept])
    done.run = memory.run.id if memory.run and applied else ""
    if memory.redacted:
        kinds = ", ".join(dict.fromkeys(memory.redacted))
        done.notices.append(f"secrets replaced by markers before anything was written: {kinds}")
        memory.redacted.clear()
    done.digest = applied[0].digest if applied else ""
    for one in applied:
        if one.kept:
            done.notices.append(f"somebody saved {one.path} at the same moment: theirs stays, yours is in {one.kept}")
    return done


def after(memory: "Memory", done: Done, said: store.LogEntry | None, dry_run: bool) -> Done:
    """The log line, then the index and MEMORY.md, behind a note that is written: what fails here is a notice."""
    if not done.changed:
        return done
    steps: list[Callable[[], Done]] = [] if dry_run else [lambda: _derived(memory)]
    if said and memory.own:
        steps.insert(0, lambda: do(memory, [said], dry_run))
    for step in steps:
        try:
            more = step()
        except (MemdirError, OSError) as error:
            done.notices.append(f"{done.path} is written, but: {error}")
            continue
        done.notices += more.notices
        done.changed += more.changed
        done.diff = "\n".join(filter(None, (done.diff, more.diff)))
    return done


def _derived(memory: "Memory") -> Done:
    """The index, then MEMORY.md from it, brought up to date. Raises Unusable when the index could not be."""
    fresh, said = memory.freshen(wait=memory.settings["sync.lock_wait"])
    if not fresh:
        raise Unusable("; ".join(said))
    kept = keep_index(memory)
    kept.notices = [*said, *kept.notices]
    return kept
