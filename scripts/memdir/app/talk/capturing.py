"""Capture: what the person said in a conversation that is worth keeping, into notes and the log, or into the inbox.

A conversation is in its session files first; what was read of it before stands in the ledger, by the number of its last
turn, so one that grows is read on from there. Words of nobody known, and everything where `capture.policy` says so,
wait in the inbox. One run.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from memdir import config
from memdir.app import runs, writing
from memdir.app.keeping import inbox, learning
from memdir.app.talk import sessions, talks
from memdir.app.talk.heard import Asked, Captured, Taken
from memdir.app.talk.talks import Past, Talk
from memdir.errors import Conflict, Locked
from memdir.index import generation
from memdir.learn import patches
from memdir.learn.items import Dropped, Item
from memdir.learn.spoken import candidates, cues, words
from memdir.learn.spoken.candidates import Candidate
from memdir.vault import draft, facts, layout, ledger, log, names, session, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.llm.client import Client

REVIEW = "review"
LATE = 14  # days after which what was still to be done has been done, or forgotten
LINES = 60  # of one entry in the log
LOGGED = (cues.DECISION, cues.LOOP)  # kinds that the log keeps
NAMED = 5  # speakers that a notice names
NOTES = 1_000  # that one capture may change


def capture(memory: "Memory", target: "str | IO[bytes]", asked: Asked, dry_run: bool) -> Captured:
    """`target`: a transcript as a stream, or the path of one, or a conversation that is there: its id, the beginning of
    one, a session file. Raises NotFound, Conflict, UsageError, BadData."""
    done = Captured()
    if isinstance(target, str) and not talks.is_file(memory, target):
        found = [talks.talk_of(memory, *sessions.identity(memory, target))]
    else:
        with runs.running(memory, "ingest"):
            found, came = talks.brought(memory, target, asked, dry_run)
        done.notices, done.changed, done.diff = came.notices, came.files, came.diff
    said = any(talk.turns for talk in found)
    if others := list(dict.fromkeys(name for talk in found for name in talk.speakers if not said)):
        shown = f"{', '.join(others[:NAMED])}{' and others' if len(others) > NAMED else ''}"
        line = f"speakers = [{json.dumps(others[0], ensure_ascii=False)}]"
        done.notices.append(
            f"no turn in it is yours, the speakers are {shown}: put the name under which you speak into your settings,"
            f" {config.config_home() / 'config.toml'}, as `{line}` under `[capture]`"
        )
    with runs.running(memory, runs.CAPTURE):
        of(memory, found, asked, done, dry_run)
    if said and not done.sessions and not asked.again:
        done.notices.append("it was read before, or its capture was taken back; `--again` reads it once more")
    return done


def captured(memory: "Memory", files: Iterable[str], scope: str = "") -> Captured:
    """The same of the conversations that some session files hold, by rules; in the run under way, if there is one."""
    found: dict[tuple[str, str], None] = {}
    for path in files:
        if layout.kind_of(path) == "session" and memory.root.stat(path):
            held = session.parse(path, memory.root.read(path).data)
            found[held.source, held.id] = None
    with runs.running(memory, runs.CAPTURE):
        return of(memory, [talks.talk_of(memory, *key) for key in found], Asked(scope=scope), Captured(), False)


def of(memory: "Memory", given: Sequence[Talk], asked: Asked, done: Captured, dry_run: bool) -> Captured:
    """Read the turns that were not read before, and keep what is worth it."""
    with _alone(memory, dry_run):
        past = talks.past(memory)
        shelf = learning.shelf(memory)
        fresh = [talk for talk in given if talks.unread(talk, Past() if asked.again else past)]
        done.sessions = len(fresh)
        done.turns = sum(len(talk.turns) for talk in fresh)
        client = learning.client(memory, done.notices, "captured") if asked.model else None
        if asked.model and client is None and not done.notices:
            done.notices.append("no model is configured (llm.url, llm.model); captured by rules")
        for talk in fresh:
            talk.scope = asked.scope or talk.scope
            _hear(memory, talk, shelf, client, past, asked, done)
        if fresh:
            _keep(memory, fresh, shelf, done, dry_run)
        memory.redacted.clear()
    return done


@contextmanager
def _alone(memory: "Memory", dry_run: bool) -> Iterator[None]:
    """No other capture reads the ledger before this one has written what it read. Raises Locked."""
    with ExitStack() as lock:
        try:
            if not dry_run:
                lock.enter_context(generation.lock(memory.vault.place / "capture", memory.settings["sync.lock_wait"]))
        except Locked:
            raise Locked("another capture of this vault is at work; try again in a moment") from None
        yield


def _hear(
    memory: "Memory",
    talk: Talk,
    shelf: patches.Shelf,
    client: "Client | None",
    past: Past,
    asked: Asked,
    done: Captured,
) -> None:
    """The candidates of a conversation that count."""
    said = names.fold("\n".join(entry.raw for _, entry in talk.turns))
    known = [name for name in shelf.named if len(name) > 1 and name in said]
    read = candidates.read(talk.turns, known, shelf.keys, talk.scope)
    found = read.candidates
    if client:
        found = _asked(memory, talk, shelf, client, found, done)
    marks = set[str]() if asked.again else past.marks
    found = [one for one in found if one.item.mark not in marks and not _late(memory, one)]
    most = candidates.MOST - (0 if asked.again else past.taken[talk.key])
    talk.found, left = candidates.best(found, memory.settings["capture.confidence"], most)
    done.dropped += [*read.dropped, *left]


def _said(item: Item) -> str:
    return f"{item.about} · {item.key}: {item.value}" if item.kind == cues.FACT else item.text


def _late(memory: "Memory", one: Candidate) -> bool:
    """Whether something was to be done so long ago that it has been done, or forgotten."""
    return one.kind == cues.LOOP and one.item.at < memory.clock.now().timestamp() - LATE * 86_400


def _asked(
    memory: "Memory", talk: Talk, shelf: patches.Shelf, client: "Client", found: Sequence[Candidate], done: Captured
) -> list[Candidate]:
    """What the model makes of the person's own words; what is still to be done, and turns that it could not be asked
    about, by rules."""
    from memdir.learn import teacher

    told = {
        entry.digest: (number, replace(entry, lines=tuple((0, one) for one in words.own(entry.raw))))
        for number, entry in talk.turns
    }
    lesson = teacher.learn(client, [entry for _, entry in told.values()], partial(learning.offered, memory, shelf))
    done.calls += lesson.calls
    done.tokens = client.budget.used
    done.dropped += lesson.dropped
    done.notices += list(dict.fromkeys(f"{entry.source}: {why}; by rules" for entry, why in lesson.failed))
    failed = {entry.digest for entry, _ in lesson.failed}
    kept = [one for one in found if one.kind == cues.LOOP or one.item.entry in failed]
    scope = talk.scope
    asked = [
        Candidate(replace(one, scope=scope), candidates.BY_MODEL, told[one.entry][0])
        for one in lesson.items
        if candidates.states(one.text)
    ]
    return sorted([*kept, *asked], key=lambda one: one.turn)


def _keep(memory: "Memory", heard: Sequence[Talk], shelf: patches.Shelf, done: Captured, dry_run: bool) -> None:
    """Write what was taken, and into the ledger what was read."""
    review = memory.settings["capture.policy"] == REVIEW
    waiting = [(talk, one) for talk in heard for one in talk.found if review or talk.outside]
    direct = [(talk, one) for talk in heard for one in talk.found if not (review or talk.outside)]
    logged = [(talk, one) for talk, one in direct if memory.own and one.kind in LOGGED]
    noted = [one.item for _, one in direct if not (memory.own and one.kind in LOGGED)]
    cited = {entry.source: entry.raw for talk in heard for _, entry in talk.turns}
    shelf = replace(shelf, cited=cited, stated=learning.stated_since(memory))
    told = _write(memory, noted, shelf, done, dry_run)
    _propose(memory, waiting, done, dry_run)
    for_notes = _marks(noted)
    kept = [one for talk in heard for one in talk.found if one.item.mark not in for_notes or one.item.mark in told]
    waits = _marks(one.item for _, one in waiting)
    done.taken += [
        Taken(one.kind, _said(one.item), one.confidence, one.item.source, one.item.mark in waits) for one in kept
    ]
    said = _log_entry(memory, heard, logged, done)
    if dry_run:
        extra = writing.do(memory, [said] if said else [], True)
        done.diff = "\n".join(filter(None, (done.diff, extra.diff)))
        done.changed += extra.changed
        return
    _finish(memory, heard, said, done)


def _marks(items: Iterable[Item]) -> set[str]:
    """The marks of some items."""
    return {one.mark for one in items}


def _write(memory: "Memory", items: Sequence[Item], shelf: patches.Shelf, done: Captured, dry_run: bool) -> set[str]:
    """The lines of notes, planned anew for a note that somebody saved between the two; the marks of what they tell now
    and did not before."""
    told: set[str] = set()
    left = list(items)
    for _ in range(writing.TRIES):
        planned = patches.plan(left, shelf, memory.clock.today(), NOTES)
        left = []
        for patch in planned.patches:
            try:
                wrote = writing.do(memory, [patch.change], dry_run)
            except Conflict:
                left += patch.items
                continue
            told |= _marks(patch.items)
            done.notes.setdefault(patch.change.path, []).extend(patch.added)
            done.changed += wrote.changed
            done.notices += wrote.notices
            done.diff = "\n".join(filter(None, (done.diff, wrote.diff)))
        done.dropped += planned.dropped
        refused = {(one.text, one.source) for one in planned.dropped}
        same = [one for one in planned.settled if (one.text, one.source) not in refused]
        done.dropped += [Dropped(one.text, "the notes say it already", one.source) for one in same]
        if not left:
            break
    done.notices += [f"somebody was saving its note, so it was not kept: {one.text}" for one in left]
    return told


def _propose(memory: "Memory", waiting: Sequence[tuple[Talk, Candidate]], done: Captured, dry_run: bool) -> None:
    """A file of the inbox for each that waits for a person's word."""
    if not waiting:
        return
    seen = inbox.seen(memory.ledger.events())
    drafts = []
    for talk, one in waiting:
        key = f"{inbox.CAPTURED}{talk.source}/{talk.id}#{one.item.mark}"
        if key not in seen:
            drafts.append((key, _draft(talk, one, key)))
    wrote = inbox.propose(memory, drafts, dry_run)
    done.proposed += wrote.changed
    done.changed += wrote.changed
    done.notices += wrote.notices
    done.diff = "\n".join(filter(None, (done.diff, wrote.diff)))


def _draft(talk: Talk, one: Candidate, key: str) -> draft.NewNote:
    """A proposal: the line that a note would get, in words that a person can change before they accept it."""
    item = one.item
    if item.kind == cues.FACT:
        line = facts.line(item.key, item.value, item.day, "", item.source)
    else:
        line = f"- [{' ' if item.kind == cues.LOOP else item.kind}] {item.text}{facts.cite(item.source)}"
    kind = patches.type_of(item)
    more = {"source": item.source, "origin": key, "about": item.about, "day": item.day, "status": inbox.PROPOSED}
    if talk.outside:
        more["trust"] = "external"
    more = {name: value for name, value in more.items() if value}
    title = f"{item.about}: {item.key}" if item.kind == cues.FACT else f"{item.kind.capitalize()}: {item.text}"
    return draft.NewNote(title[:80], kind, line, scope=item.scope, more=more)


def _log_entry(
    memory: "Memory", heard: Sequence[Talk], logged: Sequence[tuple[Talk, Candidate]], done: Captured
) -> store.LogEntry | None:
    """What the log says of a capture: what was decided and is to be done in the person's words, the rest as counts."""
    if not memory.own or not (logged or done.notes or done.proposed):
        return None
    today = memory.clock.today()
    lines = []
    for _, one in logged[:LINES]:
        mark = " " if one.kind == cues.LOOP else one.kind
        day = "" if one.item.day == today else f"{one.item.day}: "
        lines.append(f"- [{mark}] {day}{one.item.text}{facts.cite(one.item.source)}")
    lines += [f"- {len(logged) - LINES} more stand in the conversations alone"] if len(logged) > LINES else []
    lines += [
        f"- [[{_stem(path)}]]: {'1 line' if len(added) == 1 else f'{len(added)} lines'}"
        for path, added in list(done.notes.items())[:LINES]
    ]
    lines += [f"- {len(done.proposed)} wait in the inbox"] if done.proposed else []
    scopes = {talk.scope for talk in heard if talk.found}
    lines += [
        *(f"- scope:: {scope}" for scope in scopes if scope and len(scopes) == 1),
        "- outcome:: success",
        *(f"- source:: [[{_stem(talk.path)}]]" for talk in heard[:5] if talk.found),
        log.OWN,
    ]
    count = sum(not one.waits for one in done.taken)
    verb, count = ("Captured", count) if count else ("Proposed", len(done.taken))
    what = "1 memory" if count == 1 else f"{count} memories"
    return writing.entry(
        memory, f"{verb} {what} from {'a conversation' if len(heard) == 1 else f'{len(heard)} conversations'}", lines
    )


def _finish(memory: "Memory", heard: Sequence[Talk], said: store.LogEntry | None, done: Captured) -> None:
    assert memory.run
    done.run = memory.run.id
    if said:
        done.changed += writing.do(memory, [said], False).changed
    events = [
        ledger.Event(
            "captured",
            path=talk.path,
            more={
                "session": talk.id,
                "source": talk.source,
                "upto": talk.upto,
                "digest": talk.digest,
                "items": [one.item.mark for one in talk.found],
            },
        )
        for talk in heard
    ]
    runs.note(memory, *events)
    written = writing.after(memory, writing.Done(path=done.run, changed=list(done.changed)), None, False)
    done.changed, done.notices = written.changed, [*done.notices, *written.notices]
    kinds_taken = Counter(one.kind for one in done.taken if not one.waits)
    why = Counter(one.why for one in done.dropped)
    runs.ended(
        memory,
        sessions=done.sessions,
        turns=done.turns,
        taken=dict(kinds_taken),
        proposed=len(done.proposed),
        decided=[one.text for one in done.taken if one.kind == cues.DECISION and not one.waits] if said else [],
        left_out=dict(why.most_common(20)),
        calls=done.calls,
        tokens=done.tokens,
    )


def told(memory: "Memory") -> dict[str, Any]:
    """What captures came to so far; of those that were taken back only how many."""
    found = [run for run in runs.listed(memory.ledger.events()) if "taken" in run.said and "turns" in run.said]
    standing = [run for run in found if not run.undone]
    taken, left = Counter[str](), Counter[str]()
    for run in standing:
        taken.update(_counts(run.said.get("taken")))
        left.update(_counts(run.said.get("left_out")))
    totals = {name: sum(_count(run.said.get(name)) for run in standing) for name in ("turns", "proposed", "tokens")}
    conversations = {talk for talk, upto in talks.past(memory).upto.items() if upto}
    return {
        "captures": len(standing),
        "taken_back": len(found) - len(standing),
        "conversations": len(conversations),
        **totals,
        "taken": dict(sorted(taken.items())),
        "left_out": dict(left.most_common()),
    }


def _counts(value: object) -> dict[str, int]:
    return {str(key): _count(one) for key, one in value.items()} if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")
