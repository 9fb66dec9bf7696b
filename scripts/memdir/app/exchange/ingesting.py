"""Ingesting: the turns of a transcript into session files, each once. One run.

A transcript may be larger than memory and hold its conversations in any order: its turns first go, redacted, into
temporary spools, each of which holds whole conversations, then spool by spool into the files. What was ingested
before is known from the files alone.
"""

import json
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from memdir.app import runs, writing
from memdir.app.exchange import filing, forgetting, noting
from memdir.errors import BadData, Conflict, MemdirError
from memdir.ingest.chats import plain
from memdir.ingest.records import Bad, Left, Noted, Record, Said
from memdir.vault import conversation, layout, names, session, store
from memdir.vault.conversation import Heard, Part
from memdir.vault.session import Session, Turn

if TYPE_CHECKING:
    from memdir.app.memory import Memory

SOURCE = "jsonl"  # what a transcript comes from where nothing is said
SPOOLS = 64  # a transcript of 500 MB makes spools of 8 MB
REPEATED = "turns that stand more than once in the source"
SCOPED = "the scope asked for: a conversation that is here keeps its own"
IN_MEMORY = 500_000  # bytes of a spool before it goes to disk
BATCH = 16_000_000  # characters of text that are planned and applied at once
MOST_BAD = 20  # bad lines that are named
MOST_PLACES = 5  # that are named of a kind of secret
MOST_KINDS, OTHER = 100, "things of other kinds"  # of what is left out, because the source names them
MOST_SHOWN = 200_000  # characters of the diff of a dry run

Batch = dict[str, list[Said]]  # turns by conversation: its own source, if it says one, and its id


@dataclass(slots=True)
class Ingested:
    """What an ingest did or, in a dry run, would do. `known`: turns that were there before; `bad`: records that cannot
    be read, the first of them in `problems`; `skipped`: why something was left out, and how often; `files`: files
    written, `new`: how many of the conversations were; `notes` written, `proposed` to the inbox, known before;
    of another vault also `others` (proposals, briefs), `entries` of logs and `attachments`."""

    source: str
    sessions: int = 0
    new: int = 0
    turns: int = 0
    known: int = 0
    undated: int = 0
    notes: int = 0
    proposed: int = 0
    notes_known: int = 0
    others: int = 0
    entries: int = 0
    attachments: int = 0
    bad: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    problems: list[Bad] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""
    run: str = ""  # takes it back: `memdir undo RUN`


@dataclass(slots=True)
class Shelf:
    """Where conversations lie. `by_name`: session files by name; `taken`: folded names that no new file may have;
    `empty`: session files of a kill before their first byte, which are written as if they were not there."""

    by_name: dict[str, list[str]]
    taken: set[str]
    empty: set[str]


@dataclass(slots=True)
class Plan:
    """What a batch comes to. `scoped`: known conversations that are asked for in another scope; `new`:
    conversations that no file held; `left`: why some cannot grow now."""

    changes: list[store.Append] = field(default_factory=list)
    turns: int = 0
    known: int = 0
    forgotten: int = 0
    scoped: int = 0
    repeated: int = 0
    new: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)


@runs.verb
def ingest(memory: "Memory", stream: IO[bytes], source: str, scope: str, dry_run: bool) -> Ingested:
    """The turns of a transcript in the plain form that no session file holds yet, written. Raises what
    `Root.append` raises; what was written before that stays, and another ingest adds the rest."""
    return taken(memory, plain.lines(stream), Ingested(session.id_of(source) or SOURCE), scope, dry_run)


def taken(memory: "Memory", records: Iterable[Record], done: Ingested, scope: str, dry_run: bool) -> Ingested:
    """The records of a source, written, in the run under way; `done.source` names it."""
    with ExitStack() as open_ones:
        spools = [
            open_ones.enter_context(tempfile.SpooledTemporaryFile(IN_MEMORY, "w+b", prefix="memdir-"))
            for _ in range(SPOOLS)
        ]
        pile = noting.Pile(open_ones)
        secrets = _spool(memory, filing.put(memory, iter(records), done, dry_run), spools, pile, scope, done)
        _pour(memory, spools, done, dry_run)
        noting.write(memory, pile, done, dry_run)
    if secrets and done.files:
        done.notices.append(f"secrets replaced by markers before anything was written: {_where(secrets)}")
    if done.undated:
        done.notices.append(f"turns without a time that can be read: {done.undated}")
    return done if dry_run else _ended(memory, done)


def _ended(memory: "Memory", done: Ingested) -> Ingested:
    """The counts in the ledger, the new turns and notes in the index."""
    assert memory.run
    if not done.files:
        return done
    done.run = memory.run.id
    runs.note(memory, noting.event(done))
    fresh, said = memory.freshen(wait=memory.settings["sync.lock_wait"], most=None)
    done.notices += said if fresh else [f"everything is written, but: {'; '.join(said)}"]
    if fresh and done.notes:
        done.notices += writing.keep_index(memory).notices
    return done


def _spool(
    memory: "Memory",
    records: Iterable[Record],
    spools: Sequence[IO[bytes]],
    pile: noting.Pile,
    scope: str,
    done: Ingested,
) -> dict[str, list[str]]:
    """Share the turns out, each conversation whole in one spool, and put the notes on a pile; returns the kinds of
    secrets taken out of them, and of what."""
    kinds: dict[str, list[str]] = {}
    for one in records:
        if isinstance(one, Bad):
            done.bad += 1
            done.problems += [one] if len(done.problems) < MOST_BAD else []
        elif isinstance(one, Left):
            why = one.why if one.why in done.skipped or len(done.skipped) < MOST_KINDS else OTHER
            done.skipped[why] = done.skipped.get(why, 0) + one.count
        elif isinstance(one, Noted):
            done.notes_known += not pile.add(memory, done.source, one, scope)
        elif isinstance(one, Said):
            done.undated += not one.ts
            fields = [one.session, one.speaker, writing.clean(memory, one.text), one.ts, one.uuid]
            fields += [scope or one.scope, one.source, writing.clean(memory, one.title)]
            spool = spools[zlib.crc32(one.session.encode()) % len(spools)]
            spool.write(json.dumps(fields).encode() + b"\n")
        if memory.redacted:
            for kind in dict.fromkeys(memory.redacted):
                kinds.setdefault(kind, []).append(writing.clean(memory, _place(one)))
            memory.redacted.clear()
    return kinds


def _place(one: Record) -> str:
    """Where a record stands in its source, for a person."""
    if isinstance(one, Said):
        return " ".join(filter(None, ("session", one.session, one.ts[:16])))
    return one.origin if isinstance(one, Noted) else ""


def _where(secrets: Mapping[str, Sequence[str]]) -> str:
    """The kinds of secrets, each with the first places that held one."""
    told = []
    for kind, places in secrets.items():
        shown = list(dict.fromkeys(places))
        more = [f"{len(shown) - MOST_PLACES} more"] if len(shown) > MOST_PLACES else []
        told.append(f"{kind} ({', '.join([*shown[:MOST_PLACES], *more])})")
    return "; ".join(told)


def _pour(memory: "Memory", spools: Sequence[IO[bytes]], done: Ingested, dry_run: bool) -> None:
    """The conversations of the spools into their files, batch by batch."""
    heard: dict[str, Heard] = {}
    for batch, whole in _batches(spools):
        plan, told = _written(memory, batch, heard, done, dry_run)
        done.sessions += len(batch.keys() - heard.keys())
        done.new += len(plan.new - heard.keys())
        done.turns, done.known = done.turns + plan.turns, done.known + plan.known
        done.notices += plan.left
        for why, count in ((forgetting.BEFORE, plan.forgotten), (SCOPED, plan.scoped), (REPEATED, plan.repeated)):
            if count:
                done.skipped[why] = done.skipped.get(why, 0) + count
        done.files = list(dict.fromkeys([*done.files, *(change.path for change in plan.changes)]))
        heard = {} if whole else heard | told


def _written(
    memory: "Memory", batch: Batch, heard: dict[str, Heard], done: Ingested, dry_run: bool
) -> tuple[Plan, dict[str, Heard]]:
    """A batch planned and applied while no other memdir writes; planned anew when somebody saved between the two."""
    for left in range(writing.TRIES - 1, -1, -1):
        told = {id_: heard[id_].copy() if id_ in heard else Heard() for id_ in batch}
        try:
            with memory.root.lock():
                plan = _planned(memory, done.source, batch, told)
                if dry_run:
                    _show(memory, plan.changes, done)
                else:
                    runs.apply(memory, plan.changes)
            return plan, told
        except Conflict:
            if not left:
                raise
    raise AssertionError


def _show(memory: "Memory", changes: Sequence[store.Append], done: Ingested) -> None:
    """The beginning of what a dry run would write."""
    for change in changes:
        if len(done.diff) < MOST_SHOWN:
            done.diff += store.preview(memory.root, change, memory.clock)[:MOST_SHOWN] + "\n"


def _batches(spools: Sequence[IO[bytes]]) -> Iterator[tuple[Batch, bool]]:
    """Turns by conversation, so many at once as memory may hold, and whether all of their conversations end there."""
    batch: Batch = {}
    size = 0
    for spool in spools:
        spool.seek(0)
        for line in spool:
            said = Said(*json.loads(line))
            batch.setdefault(f"{said.source}\0{said.session}", []).append(said)
            size += len(said.text)
            if size >= BATCH:
                yield batch, False
                batch, size = {}, 0
        if size >= BATCH // 2:
            yield batch, True
            batch, size = {}, 0
    if batch:
        yield batch, True


def _planned(memory: "Memory", source: str, batch: Batch, heard: dict[str, Heard]) -> Plan:
    """What the conversations of a batch grow by."""
    shelf = _shelf(memory)
    month = f"{memory.clock.now():%Y-%m}"
    plan = Plan()
    tombs = forgetting.tombs(memory)
    for key, told in batch.items():
        id_, from_ = told[0].session, told[0].source or source
        if tombs.has(from_, id_):
            plan.forgotten += len(told)
            continue
        try:
            parts = _parts(memory, shelf, from_, id_)
        except MemdirError as error:
            plan.left.append(f"{id_} is left as it is: {error}")
            continue
        turns = conversation.unknown(parts, _in_order(told), heard[key])
        plan.scoped += bool(parts and told[0].scope not in ("", parts[0].held.scope))
        plan.turns += len(turns)
        plan.known += len(told) - len(turns) if parts else 0
        plan.repeated += 0 if parts else len(told) - len(turns)
        if turns:
            about = parts[0].held if parts else _about(id_, from_, turns, told)
            grown = conversation.grow(about, parts, turns, shelf.taken, month)
            plan.changes += [_over_empty(change) if change.path in shelf.empty else change for change in grown]
            plan.new |= set() if parts else {key}
    return plan


def _over_empty(change: store.Append) -> store.Append:
    return store.append(change.path, change.data, old=b"", header=change.header)


def _about(id_: str, source: str, turns: Sequence[Turn], told: Sequence[Said]) -> Session:
    scope = next((said.scope for said in told if said.scope), "")
    name = next((said.title for said in told if said.title), "")
    return Session("", id_, source, turns[0].ts, scope, name=name)


def _in_order(told: Sequence[Said]) -> list[Turn]:
    """Turns by time where all have one, else as they were told; those of another vault too, whose numbers are cited."""
    turns = [Turn(said.speaker, said.text, said.ts, said.uuid) for said in told]
    timed = all(turn.ts for turn in turns) and not told[0].source
    return sorted(turns, key=lambda turn: session.instant(turn.ts)) if timed else turns


def _shelf(memory: "Memory") -> Shelf:
    """Files that cannot be read count: what they hold is not known, so their conversations are left alone."""
    listing = memory.root.walk(layout.Rules(own=False).skip)
    if away := [path for path in listing.unreadable if f"{path}/".startswith(f"{layout.SESSIONS}/")]:
        raise BadData(f"{away[0]} cannot be read: what was ingested before is not known; nothing was written")
    empty = {one.path for one in listing.entries if not one.size and layout.kind_of(one.path) == "session"}
    paths = [*(one.path for one in listing.entries if one.path not in empty), *listing.placeholders, *listing.links]
    talks = [path for path in paths if layout.kind_of(path) == "session"]
    taken = {names.fold(path.rsplit("/", 1)[-1].removesuffix(".md")) for path in paths}
    return Shelf(conversation.by_name(talks), taken, empty)


def _parts(memory: "Memory", shelf: Shelf, source: str, id_: str) -> list[Part]:
    """The files that hold a conversation, in order."""
    found = []
    for path in shelf.by_name.get(conversation.name_of(id_), ()):
        data = memory.root.read(path).data
        held = session.parse(path, data)
        if (held.type, held.id, held.source) == (session.TYPE, id_, source):
            found.append(Part(held, data))
    return sorted(found, key=lambda part: (part.held.turns[0].number if part.held.turns else 0, part.held.path))
