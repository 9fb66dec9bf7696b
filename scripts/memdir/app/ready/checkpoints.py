"""Checkpoints that are there: listed, printed for an agent, offered at a start. Reads files, and runs nothing.

What stands in one was said in a conversation: it is data, and is shown between marks.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir.app.ready import standing
from memdir.errors import Conflict, MemdirError, NotFound
from memdir.recall import fenced
from memdir.text import cut
from memdir.vault import checkpoint, fence, layout
from memdir.vault.checkpoint import Checkpoint

if TYPE_CHECKING:
    from memdir.app.memory import Memory

DAYS = 7  # that a checkpoint of another conversation is offered
LOOKED_AT = 20  # files that a start reads, those that changed last
HEAD = 120  # characters of a first request in a list


@dataclass(frozen=True, slots=True)
class Asked:
    """Which conversation (its id, or the beginning of one; "" for none), what to write down besides, and where it is
    held. `transcript`: of the client, for the files that were changed, and to be taken in first with `take`; `why`:
    asked, compact or window."""

    session: str = ""
    said: str = ""
    cwd: str = ""
    scope: str = ""
    transcript: Path | None = None
    why: str = "asked"
    tokens: int = 0
    take: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint as it is listed."""

    path: str
    session: str
    source: str
    scope: str
    cwd: str
    saved: str
    why: str
    turns: int
    first: str

    @property
    def id(self) -> str:
        """By which it is named: that of its conversation, else the name of its file."""
        return self.session or self.path.rpartition("/")[2].removesuffix(".md")


@dataclass(frozen=True, slots=True)
class Restored:
    """`text`: the checkpoint between marks, as an agent may be shown it."""

    path: str
    session: str
    cwd: str
    text: str
    files: list[str] = field(default_factory=list)


def listed(memory: "Memory", limit: int) -> list[Kept]:
    """The checkpoints, newest first."""
    return [_kept(path, one) for path, one in _newest(memory)][:limit]


def restored(memory: "Memory", name: str) -> Restored:
    """The checkpoint that a conversation's id, the beginning of one, a file's name or `last` means. Raises NotFound,
    Conflict."""
    held = [(path, one) for path, one in _newest(memory)]
    by_name = [(_kept(path, one).id, path, one) for path, one in held]
    found = by_name[:1] if name == "last" else [one for one in by_name if name in (one[0], one[1])]
    found = found or [one for one in by_name if name and one[0].startswith(name)]
    if not held:
        raise NotFound("there is no checkpoint yet; `memdir checkpoint save` makes one")
    if not found:
        raise NotFound(f"no checkpoint {name!r}; `memdir checkpoint list` shows them")
    if len(found) > 1:
        raise Conflict(f"{name!r} may mean {', '.join(id_ for id_, *_ in found[:5])}; give more of it")
    ((_, path, one),) = found
    body = f"checkpoint {path}\n" + "\n".join(lines(one))
    return Restored(path, one.session, one.cwd, fenced.fence(body, os.urandom(fenced.SHORTEST)), list(one.files))


def offered(memory: "Memory", cwd: Path | None, scope: str, session: str, source: str) -> list[str]:
    """What a start says of checkpoints. `session`, `source`: the conversation that begins and how, as its client tells
    it: behind a compaction its own checkpoint is shown whole, else the newest that fits is named."""
    if source not in ("", "startup", "resume", "compact"):
        return []
    held = _newest(memory, LOOKED_AT)
    if session and source in ("resume", "compact"):
        for _, one in held:
            if one.session == session:
                return lines(one) if source == "compact" else [_offer(one)]
        return []
    oldest = (memory.clock.now() - timedelta(days=DAYS)).timestamp()
    for path, one in held:
        here = bool(cwd and one.cwd and Path(one.cwd) == cwd) or bool(scope and one.scope == scope)
        if here and one.session != session and _moment(one.saved) >= oldest:
            return [_offer(one, _kept(path, one).id)]
    return []


def lines(one: Checkpoint) -> list[str]:
    """A checkpoint as it is shown."""
    about = [f"{key}: {value}" for key in ("session", "cwd", "saved", "turns") if (value := getattr(one, key))]
    body = checkpoint.render(one).split("\n")
    return [*about, *(line for line in body[(fence.closing_fence(body) or 0) + 1 :] if line.strip(" >"))]


def _offer(one: Checkpoint, name: str = "") -> str:
    return f"{one.saved[:16]}: {_head(one)} (`memdir checkpoint restore {name or one.session}` prints it)"


def _head(one: Checkpoint) -> str:
    return cut(" ".join((one.first or one.said).split()), HEAD)


def _kept(path: str, one: Checkpoint) -> Kept:
    told: dict[str, Any] = {
        key: getattr(one, key) for key in ("session", "source", "scope", "cwd", "saved", "why", "turns")
    }
    return Kept(path, **told, first=_head(one))


def _newest(memory: "Memory", most: int = 0) -> list[tuple[str, Checkpoint]]:
    """Checkpoints by the moment when they were saved, newest first; of `most` files, those changed last."""
    return sorted(_read(memory, most), key=lambda found: (_moment(found[1].saved), found[0]), reverse=True)


def _read(memory: "Memory", most: int) -> Iterator[tuple[str, Checkpoint]]:
    entries = sorted(standing.entries(memory, layout.CHECKPOINTS), key=lambda one: one.mtime_ns, reverse=True)
    for entry in entries[: most or None]:
        try:
            if entry.path.endswith(".md"):
                yield entry.path, checkpoint.parse(memory.root.read(entry.path).data)
        except MemdirError:
            continue


def _moment(saved: str) -> float:
    try:
        return datetime.fromisoformat(saved).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
