"""What a model answered, item by item, held against what it was shown.

An item counts when its kind, note and entry are ones it was offered, its quote stands in that entry, and so do the
name and the value of a fact and every address. Everything else is dropped with a reason. Pure functions.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memdir.learn.entries import Entry, key
from memdir.learn.items import KINDS, LONGEST, Dropped, Item, order, refused, tidy
from memdir.learn.reading import planted
from memdir.llm import replies

BATCH = 6_000  # characters of entries in one ask, and of one entry at most: 200 entries of a busy day are 10 asks
ITEMS = 200  # items of one reply; no 20 entries hold more
SHORTEST = 4  # bytes of a quote: less stands everywhere
_FIELDS = {
    "text": replies.Field(str, most=LONGEST),
    "kind": replies.Field(str, required=False, allowed=KINDS),
    "event": replies.Field(str, required=False, most=20),
    "id": replies.Field(str, required=False, most=20),
    "about": replies.Field(str, required=False, most=120),
    "key": replies.Field(str, required=False, most=80),
    "value": replies.Field(str, required=False, most=LONGEST),
    "source": replies.Field(str, required=False, most=20),
    "quote": replies.Field(str, required=False, most=2 * LONGEST),
}
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>\"'()，。；]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offered:
    """A note that items may go to. `facts`: what it holds now, `key: value` each."""

    path: str
    name: str
    facts: tuple[str, ...] = ()


def shown(entry: Entry) -> str:
    """What the model sees of an entry: title and prose up to a line that gives orders; no quotes, no code, nothing
    that asks to be remembered."""
    lines = [entry.title]
    for _, line in entry.lines:
        if order(line) or planted.ends(line):
            break
        lines += [] if planted.why(line) else [line]
    return "" if order(entry.title) or planted.why(entry.title) else "\n".join(lines)[:BATCH]


def take(answer: Sequence[Any], batch: Sequence[Entry], notes: Sequence[Offered]) -> tuple[list[Item], list[Dropped]]:
    """The items of one answer in the order of their entries, and what of it counts for nothing."""
    taken: dict[tuple[str, ...], Item] = {}
    dropped: list[Dropped] = []
    if len(answer) > ITEMS:
        dropped.append(Dropped(f"{len(answer) - ITEMS} more", f"more than {ITEMS} items in one reply"))
    for raw in answer[:ITEMS]:
        try:
            item = _item({"text": raw} if isinstance(raw, str) else raw, batch, notes)
        except ValueError as reason:
            dropped.append(Dropped(_short(raw), str(reason)))
            continue
        same = (item.entry, item.kind, key(item.about), key(item.key), key(item.value or item.text))
        if same in taken:
            dropped.append(Dropped(item.text, "said twice in one reply", item.source))
        else:
            taken[same] = item
    at = {entry.digest: n for n, entry in enumerate(batch)}  # a model may answer in any order; the last word counts
    return sorted(taken.values(), key=lambda item: at[item.entry]), dropped


def _item(raw: Any, batch: Sequence[Entry], notes: Sequence[Offered]) -> Item:
    """One checked item. Raises ValueError with the reason why it is dropped."""
    if isinstance(raw, dict):
        raw = {name: value for name, value in raw.items() if value not in (None, "")}
    held = replies.check(raw, _FIELDS)
    if isinstance(held, str):
        raise ValueError(held)
    event = held.get("event", "ADD").upper()
    if event not in ("ADD", "UPDATE"):
        raise ValueError(f"{event} is nothing that a model may do")
    if event == "UPDATE" and "id" not in held:
        raise ValueError("an update without the id of a note")
    note = _note(held.get("id", ""), notes)
    entry = _entry(held, batch)
    kind = held.get("kind") or ("fact" if held.get("key") and held.get("value") else "context")
    about = _about(held.get("about", ""), note, notes, entry)
    if kind == "fact":
        _check_fact(held, about, entry)
    _check_addresses(held["text"], entry)
    values = {name: held.get(name, "") if kind == "fact" else "" for name in ("key", "value")}
    path = note.path if note else ""
    item = tidy(
        Item(kind, held["text"], entry.day, entry.source, entry.digest, about, **values, note=path, at=entry.at)
    )
    if why := refused(item):
        raise ValueError(why)
    return item


def _note(name: str, notes: Sequence[Offered]) -> Offered | None:
    if not name:
        return None
    if not (name.isascii() and name.isdigit()) or int(name) >= len(notes):
        raise ValueError("names a note that was not offered")
    return notes[int(name)]


def _entry(held: Mapping[str, str], batch: Sequence[Entry]) -> Entry:
    """The entry that an item rests on: its quote, or its text, stands there."""
    quote = _bare(held.get("quote") or held["text"])
    if len(quote.encode("utf-8", "replace")) < SHORTEST:
        raise ValueError("its quote is too short to stand for anything")
    named = held.get("source", "")
    among = [entry for n, entry in enumerate(batch, 1) if named in ("", f"e{n}")]
    if not among:
        raise ValueError("names an entry that was not offered")
    found = next((entry for entry in among if quote in _bare(shown(entry))), None)
    if found is None:
        raise ValueError("its quote does not stand in the entry")
    return found


def _about(name: str, note: Offered | None, notes: Sequence[Offered], entry: Entry) -> str:
    """The name that an item is about: its note's, that of an offered one, or one that stands in the entry; else ""."""
    same = next((one for one in notes if key(one.name) == key(name)), None)
    if note:
        if same and same.path != note.path:
            raise ValueError("its note and its name are two")
        return name or note.name
    said = [*map(key, entry.about), _bare(shown(entry))]
    return name if same or (_bare(name) and (key(name) in said or _stands(name, said[-1]))) else ""


def _check_fact(held: Mapping[str, str], about: str, entry: Entry) -> None:
    if not held.get("key") or not held.get("value") or not (held.get("about") or held.get("id")):
        raise ValueError("a fact without name, key or value")
    if not about:
        raise ValueError("its name does not stand in the entry")
    if not _stands(held["value"], _bare(shown(entry))):
        raise ValueError("its value does not stand in the entry")


def _check_addresses(text: str, entry: Entry) -> None:
    """An address is what a made-up sentence does most harm with."""
    said = _bare(shown(entry))
    if any(not _stands(found, said) for found in _ADDRESS.findall(text)):
        raise ValueError("an address in it does not stand in the entry")


def _stands(value: str, said: str) -> bool:
    """Whether a value stands in bare text as a whole: `K7` does not in `K70`, nor `12` in `12.5`."""
    bare = _bare(value)
    edges = (
        ("(?<![a-z0-9])(?<![0-9][.,])" if bare[:1].isascii() and bare[:1].isalnum() else ""),
        ("(?![a-z0-9]|[.,][0-9])" if bare[-1:].isascii() and bare[-1:].isalnum() else ""),
    )
    return bool(bare and re.search(edges[0] + re.escape(bare) + edges[1], said))


def _bare(text: str) -> str:
    return key(text).strip(" .。!！\"'“”")


def _short(raw: Any) -> str:
    return json.dumps(raw, ensure_ascii=True, default=str)[:200]
