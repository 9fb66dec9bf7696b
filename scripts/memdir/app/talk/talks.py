"""Conversations as capture reads them: the turns of the person that were not read before, each as an entry.

A conversation is in its session files first. What was read of it stands in the ledger by the number of its last turn,
so one that grows is read on from there. Reads; what comes in is written by `ingesting`.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from memdir.app import writing
from memdir.app.exchange import importing, ingesting
from memdir.app.talk import sessions
from memdir.app.talk.heard import Asked
from memdir.ingest import kinds
from memdir.ingest.chats import dialogue
from memdir.ingest.records import Record, Said, Wanted
from memdir.learn.entries import Entry
from memdir.learn.spoken.candidates import Candidate
from memdir.vault import layout, names, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

PEOPLE = frozenset({"user", "human", "me", "我", "用户"})  # who the person is in a conversation with an assistant


@dataclass(slots=True)
class Talk:
    """A conversation with the turns that are read now; `upto`: the number of its last turn; `digest`: of what is read.

    `outside`: whose words these are is not known; `speakers`: which other people speak.
    """

    source: str
    id: str
    path: str
    scope: str = ""
    upto: int = 0
    turns: list[tuple[int, Entry]] = field(default_factory=list)
    digest: str = ""
    outside: bool = False
    speakers: tuple[str, ...] = ()
    found: list[Candidate] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.id


@dataclass(slots=True)
class Past:
    """What was captured before. `upto`: number of the last turn that was read, by conversation; `taken`: how many
    memories were."""

    upto: dict[tuple[str, str], int] = field(default_factory=dict)
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    digests: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)


def is_file(memory: "Memory", target: str) -> bool:
    path = Path(target).expanduser()
    return path.exists() and not path.resolve().is_relative_to(memory.root.path.resolve())


def brought(
    memory: "Memory", target: "str | IO[bytes]", asked: Asked, dry_run: bool
) -> tuple[list[Talk], ingesting.Ingested]:
    """The conversations of a transcript, which come into session files first."""
    heard: list[Said] = []

    def tee(records: Iterable[Record]) -> Iterator[Record]:
        for one in records:
            if isinstance(one, Said):
                heard.append(one if dry_run else replace(one, text=""))
            yield one

    if isinstance(target, str):
        path = Path(target).expanduser()
        name, records = _records(memory, path, asked)
    else:
        name, records = "messages", dialogue.records(target.read(dialogue.MOST))
    came = ingesting.Ingested(session.id_of(asked.source) or name)
    ingesting.taken(memory, tee(records), came, asked.scope, dry_run)
    keys = dict.fromkeys((one.source or came.source, one.session) for one in heard)
    if dry_run:
        return [_imagined(memory, key, heard, asked) for key in keys], came
    return [talk_of(memory, *key) for key in keys if sessions.files_of(memory, *key)], came  # not those forgotten


def _records(memory: "Memory", path: Path, asked: Asked) -> tuple[str, Iterator[Record]]:
    """The name of what a file is, and its records: of a kind that `asked.source` names or that it looks like, else of a
    conversation in text."""
    source = importing.opened(memory, path)
    named = kinds.ALIASES.get(asked.source, asked.source)
    if named not in kinds.MODULES:
        named = next((one for one in kinds.TALKS if kinds.kind(one).suits(source)), "messages")
    return named, kinds.kind(named).read(source, Wanted())


def talk_of(memory: "Memory", source: str, id_: str) -> Talk:
    parts = [session.parse(path, memory.root.read(path).data) for path in sessions.files_of(memory, source, id_)]
    turns = [(turn, part.path) for part in parts for turn in part.turns]
    first = parts[0]
    return _told(memory, Talk(source, id_, first.path, first.scope), turns, first.started)


def _imagined(memory: "Memory", key: tuple[str, str], heard: Sequence[Said], asked: Asked) -> Talk:
    """A conversation as a dry run sees it, which writes no file."""
    source, id_ = key
    path = f"{layout.SESSIONS}/{names.slug(id_)}.md"
    own = [one for one in heard if one.session == id_]
    turns = [(session.Turn(one.speaker, one.text, one.ts, number=n), path) for n, one in enumerate(own, 1)]
    return _told(memory, Talk(source, id_, path, asked.scope or own[0].scope), turns, own[0].ts)


def people(memory: "Memory") -> frozenset[str]:
    """Under which names the person speaks, in small letters."""
    return PEOPLE | {name.casefold() for name in memory.settings["capture.speakers"]}


def _told(memory: "Memory", talk: Talk, turns: Sequence[tuple[session.Turn, str]], started: str) -> Talk:
    own = people(memory)
    mine = [(turn, path) for turn, path in turns if turn.speaker.casefold() in own]
    if not mine:
        mine = [(turn, path) for turn, path in turns if turn.speaker == dialogue.UNKNOWN]
        talk.outside = bool(mine)
    known = own | dialogue.PROGRAMS
    talk.speakers = tuple(dict.fromkeys(turn.speaker for turn, _ in turns if turn.speaker.casefold() not in known))
    talk.upto = max((turn.number for turn, _ in turns), default=0)
    talk.turns = [(turn.number, _entry_of(memory, talk, turn, path, started)) for turn, path in mine]
    return talk


def _entry_of(memory: "Memory", talk: Talk, turn: session.Turn, path: str, started: str) -> Entry:
    """A turn as an entry, which the rules of distillation read."""
    now = memory.clock.now()
    ts = turn.ts or started
    try:
        at = datetime.fromtimestamp(session.instant(ts), UTC).astimezone(now.tzinfo) if ts else now
    except (ValueError, OverflowError, OSError):
        at = now
    at = min(at, now)
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    digest = hashlib.sha256(f"{turn.speaker}\n{turn.text}".encode("utf-8", "replace")).hexdigest()[:16]
    return Entry(
        path=path,
        day=f"{at:%Y-%m-%d}",
        line=turn.line + 1,
        title="",
        lines=(),
        raw=writing.clean(memory, turn.text),
        source=f"[[{stem}#^t{turn.number}]] {at:%H:%M}",
        digest=digest,
        at=at.timestamp(),
    )


def past(memory: "Memory") -> Past:
    """What earlier captures read and took, also those that were taken back: undone means not wanted."""
    past = Past()
    for event in memory.ledger.of("captured"):
        upto, id_, source = (event.more.get(key) for key in ("upto", "session", "source"))
        if not isinstance(upto, int) or not isinstance(id_, str):
            continue  # of an inbox
        key = str(source), id_
        past.upto[key] = max(upto, past.upto.get(key, 0))
        marks = event.more.get("items")
        held = [str(one) for one in marks] if isinstance(marks, list) else []
        past.marks.update(held)
        past.taken[key] += len(held)
        past.digests.add(str(event.more.get("digest")))
    return past


def unread(talk: Talk, past: Past) -> bool:
    """Leave a conversation the turns that were not read before; whether there are any."""
    before = past.upto.get(talk.key, 0)
    talk.turns = [(number, entry) for number, entry in talk.turns if number > before]
    said = "\n".join(entry.digest for _, entry in talk.turns)
    talk.digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    return bool(talk.turns) and talk.digest not in past.digests
