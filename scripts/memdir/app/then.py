"""The files of a vault as they were at a moment, as far as ledger and history tell; reads, and writes nothing.

Logs and sessions only grow: they are cut at the moment. Of other files the ledger states what each run made of them,
and the history holds the texts. A file that no run ever touched was there from the day on that its front matter or its
time says; what a person saved in between is not known, and such files are named.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from memdir.errors import MemdirError
from memdir.vault import layout, ledger, names, note, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

_ENTRY = re.compile(rb"^## ([01]\d|2[0-3]):([0-5]\d)(?: ([+-]\d\d:\d\d))? - ", re.MULTILINE)
_MERGES = "merge-conflicts"  # the run in which the copies that sync tools left go into their notes


class Change(NamedTuple):
    """What a run stated of a file: when (seconds since 1970), and its digests before and after, None: no file."""

    at: float
    before: str | None
    after: str | None


@dataclass(slots=True)
class Tree:
    """The files of a moment. `unsure`: those whose text then is not known; they are as they were next, or are now."""

    files: dict[str, bytes] = field(default_factory=dict)
    unsure: list[str] = field(default_factory=list)


class Past:
    """The past of one vault: ledger and walk are read once, texts when they are asked for."""

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._events = memory.ledger.events()
        self._changes = _changes(self._events)
        self._now = {one.path: one for one in memory.root.walk(lambda path, is_dir: is_dir and _hidden(path)).entries}
        self._by_digest: dict[str, bytes] = {}

    def at(self, moment: float) -> Tree:
        """Every file that a recall of that moment could read, its settings and its ledger."""
        tree = Tree()
        for path in sorted({*self._now, *self._changes}):
            if path.startswith(f"{ledger.FOLDER}/") or not path.endswith((".md", ".toml")):
                continue
            data = self._grown(path, moment) if layout.kind_of(path) in ("log", "session") else None
            data = self._text(path, moment, tree) if data is None else data
            if data:
                tree.files[path] = data
        lines = [one.line(one.ts) for one in self._events if one.ts and session.instant(one.ts) <= moment]
        if lines:
            tree.files[f"{ledger.FOLDER}/then.jsonl"] = b"".join(lines)
        return tree

    def follow(self, path: str) -> str:
        """Where a file of before is now: moves, the archive, and merges of copies are followed."""
        for event in self._events:
            old, new = event.more.get("from"), event.more.get("to")
            if event.op in ("moved", "archived") and old == path and isinstance(new, str):
                path = new
            elif event.op == "run_started" and event.more.get("verb") == _MERGES:
                gone = [one["path"] for one in _stated(event) if one.get("after") is None]
                original = names.original_of(path) if path in gone else ""
                path = original or path
        return path

    def _grown(self, path: str, moment: float) -> bytes | None:
        """A log or a session cut at the moment, b"" where it had not begun; None where it is not there now."""
        if path not in self._now:
            return None
        data = self._memory.root.read(path).data
        return (
            _cut_session(path, data, moment) if layout.kind_of(path) == "session" else self._cut_log(path, data, moment)
        )

    def _cut_log(self, path: str, data: bytes, moment: float) -> bytes:
        found = names.DATE_NAME.match(path.rpartition("/")[2])
        zone = self._memory.clock.now().tzinfo
        day = datetime.fromisoformat(found[0][:10]) if found else datetime.min
        for entry in _ENTRY.finditer(data):
            at = day + timedelta(hours=int(entry[1]), minutes=int(entry[2]))
            told = f"{at:%Y-%m-%dT%H:%M}{entry[3].decode()}" if entry[3] else at.replace(tzinfo=zone).isoformat()
            if session.instant(told) > moment:
                head = data[: entry.start()]
                return head.rstrip(b"\n") + b"\n" if b"\n## " in head else b""
        begun = day.replace(tzinfo=zone).timestamp() if found else 0.0
        return data if begun <= moment else b""

    def _text(self, path: str, moment: float, tree: Tree) -> bytes | None:
        changes = self._changes.get(path, [])
        later = [one for one in changes if one.at > moment]
        if not later and changes and path not in self._now and changes[-1].after:
            tree.unsure.append(path)  # a person has taken it away, nobody knows when
            return self._fetch(path, changes[-1].after)
        if not later:
            return self._untouched(path, moment, bool(changes), tree)
        if later[0].before is None:
            return None
        for number, one in enumerate(later):
            wanted = one.before if not number else one.after
            data = self._fetch(path, wanted) if wanted else None
            if data is not None:
                if later[0] is changes[0] and (created := _created(path, data)):  # nobody knows when it came
                    return data if session.instant(created) <= moment else None
                tree.unsure += [path] if number or later[0] is changes[0] else []
                return data
        tree.unsure.append(path)
        return None

    def _untouched(self, path: str, moment: float, is_known: bool, tree: Tree) -> bytes | None:
        """A file that no run changed since: as it is now, if it was there."""
        if path not in self._now:
            return None
        data = self._memory.root.read(path).data
        saved = self._now[path].mtime_ns / 1e9
        if is_known or saved <= moment or path.endswith(".toml"):
            return data
        created = _created(path, data)
        if not created or session.instant(created) > moment:
            return None
        tree.unsure.append(path)
        return data

    def _fetch(self, path: str, digest: str) -> bytes | None:
        """A text by its digest: that of now, or an earlier one from the history."""
        if digest not in self._by_digest:
            try:
                now = self._memory.root.read(path) if path in self._now else None
                same = now is not None and now.digest == digest
                self._by_digest[digest] = now.data if now and same else self._memory.root.version(digest)
            except MemdirError:
                return None
        return self._by_digest[digest]


def _created(path: str, data: bytes) -> str:
    """The day that the front matter says a file is from, "" where it says none."""
    day = note.parse(path, data).text("created")[:10]
    return day if names.is_day(day) else ""


def _hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")


def _changes(events: list[ledger.Event]) -> dict[str, list[Change]]:
    """Path → what runs made of it, in order, without what was stated and not done."""
    failed = {
        (event.run, str(one.get("path")), one.get("after"))
        for event in events
        if event.op == "run_failed"
        for one in _stated(event)
    }
    found: dict[str, list[Change]] = {}
    for event in events:
        if event.op != "run_started" or not event.ts:
            continue
        at = session.instant(event.ts)
        for one in _stated(event):
            if (event.run, str(one["path"]), one.get("after")) not in failed:
                found.setdefault(str(one["path"]), []).append(Change(at, one.get("before"), one.get("after")))
    return found


def _stated(event: ledger.Event) -> Iterator[Mapping[str, Any]]:
    changes = event.more.get("changes")
    for one in changes if isinstance(changes, list) else ():
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            yield one


def _cut_session(path: str, data: bytes, moment: float) -> bytes:
    """A session without what was said later; b"" where nothing had been."""
    turns = session.parse(path, data).turns
    first = next((turn for turn in turns if turn.ts and session.instant(turn.ts) > moment), None)
    if first is None:
        return data
    if first is turns[0]:
        return b""
    lines = data.split(b"\n")[: first.line]
    return b"\n".join(lines).rstrip(b"\n") + b"\n"
