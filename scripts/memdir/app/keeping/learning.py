"""What learning needs of a vault: the topic notes by every name they have, what is known of their facts, the model."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memdir.app import runs
from memdir.errors import MemdirError
from memdir.learn import patches, stated
from memdir.learn.entries import Entry
from memdir.vault import layout, names, note, secrets

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.learn.checks import Offered
    from memdir.llm.client import Client


def shelf(memory: "Memory") -> patches.Shelf:
    """The topic notes by every name they have."""
    rows = memory.current().rows(
        "SELECT path, name, type, stem, aliases FROM files WHERE kind = 'note' AND NOT archived ORDER BY path"
    )
    named: dict[str, str] = {}
    types: dict[str, str] = {}
    for path, name, kind, stem, aliases in rows:
        if memory.own and not layout.is_topic(path):
            continue
        types[path] = kind
        for one in (name, stem, *json.loads(aliases)):
            named.setdefault(names.fold(" ".join(str(one).split())), path)
    keys = {row[0] for row in memory.open_reader(verified=True).rows("SELECT DISTINCT key FROM facts")}
    return patches.Shelf(memory.root, named, types, frozenset(keys), _made(memory))


def _made(memory: "Memory") -> dict[str, str]:
    """The digest that the last distillation or capture, or the undo of one, left each note with."""
    told = [
        one
        for run in runs.listed(memory.ledger.events())
        if run.verb in ("distill", "capture", "undo")
        for one in run.files
    ]
    return {one.path: one.after for one in told if one.after}


def stated_since(memory: "Memory") -> dict[str, float]:
    """Since when each fact by hand has stood in its note, as the last distillation saw it."""
    return stated.read(next(iter(memory.root.state.texts("", stated.FILE, meta=True)), b""))


def client(memory: "Memory", notices: list[str], done: str) -> "Client | None":
    """The model that is configured; None, and a notice where it cannot be used, for rules. `done`: what is done."""
    if not memory.settings["llm.model"]:
        return None
    from memdir.llm import client as clients
    from memdir.llm import endpoint, limits

    try:
        place = endpoint.endpoint(memory.settings)
    except MemdirError as error:
        notices.append(f"{error}; {done} by rules")
        return None
    return clients.Client(place, budget=limits.Budget(memory.settings["llm.budget"])) if place else None


def offered(memory: "Memory", shelf: patches.Shelf, batch: Sequence[Entry]) -> "list[Offered]":
    """The notes that entries speak of, with the facts they hold."""
    from memdir.learn import checks

    text = names.fold("\n".join(entry.raw for entry in batch))
    paths = dict.fromkeys(path for name, path in shelf.named.items() if len(name) > 1 and name in text)
    offered = []
    for path in paths:
        try:
            held = note.parse(path, shelf.root.read(path).data)
        except MemdirError:
            continue  # it went a moment ago, or cannot be read: nothing is written to it either
        told = [f"{fact.key}: {fact.value}" for fact in held.body.facts if not fact.until]
        current = tuple(secrets.redact(one, memory.marker_key)[0] for one in told)
        offered.append(checks.Offered(path, held.name, current[:20]))
    return offered
