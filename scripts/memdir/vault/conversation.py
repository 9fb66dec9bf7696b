"""A conversation: the session files that hold one, what of it is known already, and the Changes by which it grows.

What was ingested is known from the files alone. A turn is known again by its uuid, else by speaker, text, time and
how many equal ones stood before it in the same transcript; never by text alone: what is said twice stands twice.
Pure over parsed files; writes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memdir.vault import layout, names, session, store
from memdir.vault.session import Session, Turn

# The marker of a secret is another on another machine; the turn is the same.
_MARKER = re.compile("(⟦secret:[a-z0-9-]{1,20}:)[0-9a-f]{4}⟧")


@dataclass(frozen=True, slots=True)
class Part:
    """A session file and its bytes."""

    held: Session
    data: bytes


class Heard:
    """What one transcript has said so far; the same value goes with all pieces of one transcript."""

    def __init__(self) -> None:
        self.uuids: set[str] = set()
        self.equal: Counter[int] = Counter()

    def copy(self) -> "Heard":
        other = Heard()
        other.uuids, other.equal = set(self.uuids), Counter(self.equal)
        return other


def unknown(parts: Sequence[Part], turns: Iterable[Turn], heard: Heard) -> list[Turn]:
    """The turns of a transcript that no part holds yet, in order. `heard` learns them."""
    held = [turn for part in parts for turn in part.held.turns]
    uuids = {turn.uuid for turn in held if turn.uuid}
    everything = Counter(map(_key, held))
    without = Counter(_key(turn) for turn in held if not turn.uuid)
    new = []
    for turn in turns:
        if turn.uuid and turn.uuid in heard.uuids:
            continue
        if turn.uuid:
            heard.uuids.add(turn.uuid)
        key = _key(turn)
        heard.equal[key] += 1
        # A file that was ingested without uuids first: its turns are known although the uuid is not.
        known = turn.uuid in uuids or heard.equal[key] <= (without if turn.uuid else everything)[key]
        if not known:
            new.append(turn)
    return new


def _key(turn: Turn) -> int:
    """What makes two turns without uuid one; a number, because a transcript may have a million turns."""
    text = _MARKER.sub(r"\1⟧", turn.text) if "⟦" in turn.text else turn.text
    return hash((turn.speaker, turn.ts, text))


def grow(
    about: Session, parts: Sequence[Part], turns: Sequence[Turn], taken: set[str], month: str
) -> list[store.Append]:
    """Changes that add turns to a conversation, in new files where there is none or the last one is full.

    `about`: id, source, started and scope of a new file; `taken`: folded names that no file may have, the new ones are
    added; `month`: YYYY-MM of a conversation whose first turn has no time.
    """
    number = max((turn.number for part in parts for turn in part.held.turns), default=0)
    numbered = [replace(turn, number=number + n) for n, turn in enumerate(turns, 1)]
    last = max(parts, key=_newest, default=None)
    header = session.header(about)
    room = session.LIMIT - len(last.data) if last else 0
    first, *others = _shared_out([*map(session.block, numbered)], room, session.LIMIT - len(header))
    changes = [store.append(last.held.path, b"".join(first), old=last.data)] if last and first else []
    folder = last.held.path.rpartition("/")[0] if last else _folder(about, month)
    for blocks in others:
        name = names.numbered(names.slug(about.id), taken)
        taken.add(names.fold(name))
        changes.append(store.append(f"{folder}/{name}.md", b"".join(blocks), old=None, header=header))
    return changes


def _newest(part: Part) -> tuple[int, str]:
    return max((turn.number for turn in part.held.turns), default=0), part.held.path


def _shared_out(blocks: Sequence[bytes], room: int, rooms: int) -> list[list[bytes]]:
    """Blocks for the last file, which has `room` bytes left, then for each new one; a block is never divided."""
    groups: list[list[bytes]] = [[]]
    for block in blocks:
        if len(block) > room and (groups[-1] or len(groups) == 1):
            groups.append([])
            room = rooms
        groups[-1].append(block)
        room -= len(block)
    return groups


def _folder(about: Session, month: str) -> str:
    dated = about.started[:7] if re.match(r"\d{4}-\d\d-", about.started) else month
    return f"{layout.SESSIONS}/{dated.replace('-', '/')}"


def by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """Session files by the names of the conversations that they may hold; what they do hold, their front matter says.

    A file that a person has renamed is not found: reading every session for each ingest would cost too much.
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        stem = names.fold(path.rsplit("/", 1)[-1].removesuffix(".md"))
        for name in {stem, re.sub(r"-\d+$", "", stem)}:
            found.setdefault(name, []).append(path)
    return found


def name_of(id_: str) -> str:
    """The name under which `by_name` lists the files of a conversation."""
    return names.fold(names.slug(id_))


def in_order(paths: Iterable[str]) -> list[str]:
    """Session files, the parts of a conversation (`a.md`, `a-2.md`, `a-10.md`) one after another."""
    return sorted(paths, key=_part)


def _part(path: str) -> tuple[str, int]:
    stem = path.removesuffix(".md")
    found = re.fullmatch(r"(.+)-(\d{1,6})", stem)
    return (found[1], int(found[2])) if found else (stem, 1)
