"""The ledger: what memdir did, one JSON object a line, append-only, a file a month and device.

It lies in `memory/ledger/` of a vault that memdir made, in `.memdir/ledger/` of an adopted one, whose folders are
not memdir's to fill. Devices write files of their own, so that sync tools never meet two versions of one. A torn or
foreign line is passed over.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memdir.vault.disk.state import Mark
from memdir.vault.files import Root

FOLDER = "memory/ledger"
LONGEST = 4_000_000  # characters of one line; what is longer was not written by memdir
_KEYS = ("op", "run", "path", "by", "why")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")


@dataclass(frozen=True, slots=True)
class Event:
    """One line. `op` is one of the words of the vault format; `more`: what only this op says; `ts`: UTC, ISO 8601."""

    op: str
    run: str = ""
    path: str = ""
    by: str = ""
    why: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    ts: str = ""

    def line(self, ts: str) -> bytes:
        said = {"ts": ts, **{key: value for key in _KEYS if (value := getattr(self, key))}, **self.more}
        return dumped(said)


class _Read(NamedTuple):
    """What has been read for some ops: up to where each file, the events in it, and those of all files in order."""

    marks: Mapping[str, Mark]
    held: Mapping[str, Sequence[Event]]
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of one vault. `own`: memdir made the vault; `device`: what this machine's file is called."""

    root: Root
    own: bool
    device: str
    _read: dict[tuple[str, ...], _Read] = field(default_factory=dict, repr=False, compare=False)

    def append(self, events: Iterable[Event], now: datetime) -> None:
        """Write events in one piece, durably. Where the clock was set back over the end of a month they stand in the
        later file of this device, behind what was done before. Raises as `Root.append`."""
        ts = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines = b"".join(event.line(ts) for event in events)
        if lines:
            name = f"{ts[:7]}.{self.device}.jsonl"
            last = max([name, *self.root.state.names(FOLDER, f".{self.device}.jsonl", meta=not self.own)])
            self.root.append(f"{FOLDER}/{last}", lines, meta=not self.own, told=False)

    def events(self) -> list[Event]:
        """Every event of every device, oldest first; those of one file in its order, whatever the clock said."""
        found = [event for data in self._files(".jsonl") for event in _in_order(_parsed(data))]
        return sorted(found, key=lambda event: event.ts)

    def of(self, *ops: str) -> Sequence[Event]:
        """The events with one of these ops, ordered as `events`. Only lines that say one of them are taken apart, and
        what was asked for before is read on: the same object comes back where nothing was added."""
        old = self._read.get(ops, _Read({}, {}, ()))
        grown = self.root.state.grown(FOLDER, ".jsonl", old.marks, meta=not self.own)
        if grown.keys() == old.held.keys() and not any(one.data or one.anew for one in grown.values()):
            return old.events
        held, found = {}, []
        for name, one in grown.items():
            before = [] if one.anew else old.held[name]
            after = [*_in_order(_saying(one.data, ops), before[-1].ts if before else "")]
            torn = len([*_saying(one.data[one.data.rfind(b"\n") + 1 :], ops)])
            held[name] = [*before, *after[: len(after) - torn]]
            found += [*before, *after]
        events = sorted(found, key=lambda event: event.ts)
        self._read[ops] = _Read({name: one.mark for name, one in grown.items()}, held, events)
        return events

    def own_events(self) -> list[Event]:
        """The events that this device wrote, in the order of its files, with the times that they say."""
        return [event for data in self._files(f".{self.device}.jsonl") for event in _parsed(data)]

    def files(self) -> dict[str, bytes]:
        """The files of every device by name."""
        return self.root.state.named(FOLDER, ".jsonl", meta=not self.own)

    def rewrite(self, name: str, data: bytes) -> None:
        """Replace a file, for what is really to be forgotten; no version of it is kept. Raises as `Root.put`."""
        self.root.state.put(name, data, FOLDER if self.own else f".memdir/{FOLDER.rpartition('/')[2]}")

    def _files(self, suffix: str) -> list[bytes]:
        return self.root.state.texts(FOLDER, suffix, meta=not self.own)


def dumped(said: Mapping[str, Any]) -> bytes:
    """One line of a ledger."""
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _saying(data: bytes, ops: Sequence[str]) -> Iterator[Event]:
    lines = b"\n".join(_holding(data, [f'"{op}"'.encode() for op in ops]))
    return (event for event in _parsed(lines) if event.op in ops)


def _in_order(events: Iterable[Event], floor: str = "") -> Iterator[Event]:
    """Events of one file, none earlier than the one before it: lines are appended, clocks are set back."""
    for event in events:
        floor = max(floor, event.ts)
        yield event if event.ts == floor else replace(event, ts=floor)


def _holding(data: bytes, words: Sequence[bytes]) -> list[bytes]:
    """The lines that hold one of some words, in order. Looks for the words, not at the lines: 27 MB of 100,000 lines,
    1,000 of them found: 130 CPU ms; a look at each line took 380."""
    found: dict[int, int] = {}
    for word in words:
        at = data.find(word)
        while at >= 0:
            stop = data.find(b"\n", at)
            end = stop if stop >= 0 else len(data)
            found[data.rfind(b"\n", 0, at) + 1] = end
            at = data.find(word, end)
    return [data[start : found[start]] for start in sorted(found)]


def _parsed(data: bytes) -> Iterator[Event]:
    for line in data.decode("utf-8", "replace").split("\n"):
        if not line.startswith("{") or len(line) > LONGEST:
            continue
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict) and isinstance(said.get("op"), str) and _is_time(said.get("ts")):
            known = {key: value for key in _KEYS if isinstance(value := said.get(key, ""), str)}
            more = {key: value for key, value in said.items() if key not in known and key != "ts"}
            yield Event(**known, more=more, ts=said["ts"])


def _is_time(said: object) -> bool:
    return isinstance(said, str) and bool(_TIME.match(said))
