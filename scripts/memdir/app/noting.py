"""Knowledge of another tool as notes: each once, with where it comes from, and nothing promoted without review.

A note of type `project` or `ref` is written with `trust: external`; `user` and `feedback` wait in the inbox. What was
brought in before is known from the `origin` of the files, and from the ledger for what was rejected.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import IO, TYPE_CHECKING

from memdir.app import inbox, writing
from memdir.errors import MemdirError
from memdir.ingest.records import Noted
from memdir.vault import draft, layout, ledger, names, note, session, store

if TYPE_CHECKING:
    from memdir.app.ingesting import Ingested
    from memdir.app.memory import Memory

BATCH = 200  # notes that are planned and applied at once
REVIEWED = frozenset({"user", "feedback"})  # types that wait for a person's word
IN_MEMORY = 500_000  # bytes of notes before they go to disk


class Pile:
    """Notes of a source on their way, without secrets."""

    def __init__(self, held: ExitStack) -> None:
        spool = tempfile.SpooledTemporaryFile(IN_MEMORY, "w+b", prefix="memdir-")  # noqa: SIM115
        self._file: IO[bytes] = held.enter_context(spool)
        self._origins: set[str] = set()

    def add(self, memory: "Memory", source: str, one: Noted, scope: str) -> bool:
        """Whether it is new to the pile."""
        origin = session.id_of(f"{source}:{one.origin}")
        if origin in self._origins:
            return False
        self._origins.add(origin)
        fields = asdict(one) | {
            "origin": origin,
            "title": writing.clean(memory, one.title),
            "text": writing.prepared(memory, one.text),
            "description": writing.clean(memory, one.description),
        }
        self._file.write(json.dumps([fields, scope]).encode() + b"\n")
        return True

    def __iter__(self) -> Iterator[tuple[Noted, str]]:
        self._file.seek(0)
        for line in self._file:
            fields, scope = json.loads(line)
            yield Noted(**fields), scope


def write(memory: "Memory", pile: Pile, done: "Ingested", dry_run: bool) -> None:
    """The notes of a pile that the vault does not hold yet."""
    drafts = [(one, scope) for one, scope in pile]
    if not drafts:
        return
    known = _known(memory)
    waiting: list[tuple[str, draft.NewNote]] = []
    fresh: list[draft.NewNote] = []
    for one, scope in drafts:
        if one.origin in known:
            done.notes_known += 1
        elif one.type in REVIEWED:
            waiting.append((one.origin, _draft(one, scope, status=inbox.PROPOSED)))
        else:
            fresh.append(_draft(one, scope))
    paths = [entry.path for entry in memory.root.walk(memory.vault.rules.skip).entries]
    taken = {names.fold(path.rsplit("/", 1)[-1].removesuffix(".md")) for path in paths}
    for start in range(0, len(fresh), BATCH):
        changes: list[store.Change] = []
        for asked in fresh[start : start + BATCH]:
            change = draft.new(asked, (), memory.clock.today(), taken=taken)[0]
            taken.add(names.fold(change.path.rsplit("/", 1)[-1].removesuffix(".md")))
            changes.append(change)
        _tell(done, writing.do(memory, changes, dry_run))
    done.notes += len(fresh)
    if waiting:
        _tell(done, inbox.propose(memory, waiting, dry_run))
        done.proposed = len(waiting)


def _draft(one: Noted, scope: str, **more: str) -> draft.NewNote:
    keys = {"origin": one.origin, "trust": "external", **more, **one.more}
    keys |= {"date": one.created[:10]} if one.created and "date" not in keys else {}
    return draft.NewNote(one.title, one.type, one.text, one.tags, description=one.description, scope=scope, more=keys)


def _known(memory: "Memory") -> set[str]:
    """The origins of everything that is there, in the inbox or the archive too, and of what was rejected."""
    told = {str(event.more.get("key", "")) for event in memory.ledger.events() if event.op == "blocked"}
    inside = memory.root.walk(lambda path, is_folder: not is_folder and not path.endswith(".md"))
    for entry in inside.entries:
        if layout.kind_of(entry.path) == "session":
            continue
        try:
            told.add(note.parse(entry.path, memory.root.read(entry.path).data).text("origin"))
        except MemdirError:
            continue
    return told - {""}


def _tell(done: "Ingested", written: writing.Done) -> None:
    done.files += written.changed
    done.notices += written.notices
    done.diff += written.diff


def event(done: "Ingested") -> ledger.Event:
    """What an import did, for the ledger."""
    counts = ("source", "sessions", "new", "turns", "known", "bad")
    more = {key: getattr(done, key) for key in counts}
    kept = {
        key: value
        for key in ("notes", "proposed", "notes_known", "entries", "attachments")
        if (value := getattr(done, key))
    }
    return ledger.Event("imported", more=more | kept)
