"""The ledger: what memdir did, one JSON object a line, append-only, a file a month and device.

It lies in `memory/ledger/` of a vault that memdir made, in `.memdir/ledger/` of an adopted one, whose folders are
not memdir's to fill. Devices write files of their own, so that sync tools never meet two versions of one. A torn or
foreign line is passed over.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memdir.vault.files import Root

FOLDER = "memory/ledger"
LONGEST = 4_000_000  # characters of one line; what is longer was not written by memdir
_KEYS = ("op", "run", "path", "by", "why")


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
        return json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of one vault. `own`: memdir made the vault; `device`: what this machine's file is called."""

    root: Root
    own: bool
    device: str

    def append(self, events: Iterable[Event], now: datetime) -> None:
        """Write events in one piece, durably. Raises as `Root.append`."""
        ts = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines = b"".join(event.line(ts) for event in events)
        if lines:
            self.root.append(f"{FOLDER}/{ts[:7]}.{self.device}.jsonl", lines, meta=not self.own)

    def events(self) -> list[Event]:
        """Every event of every device, oldest first; those of one moment in the order of their file."""
        found = [event for data in self.root.texts(FOLDER, ".jsonl", meta=not self.own) for event in _parsed(data)]
        return sorted(found, key=lambda event: event.ts)


def _parsed(data: bytes) -> Iterator[Event]:
    for line in data.decode("utf-8", "replace").split("\n"):
        if not line.startswith("{") or len(line) > LONGEST:
            continue
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict) and isinstance(said.get("op"), str) and isinstance(said.get("ts"), str):
            known = {key: value for key in _KEYS if isinstance(value := said.get(key, ""), str)}
            more = {key: value for key, value in said.items() if key not in known and key != "ts"}
            yield Event(**known, more=more, ts=said["ts"])
