"""Forgetting: a conversation, or everything that came from a source, really deleted. No undo, no version, no index.

A tombstone in the ledger says that it was here and keeps it from being brought in again; it holds ids and counts, no
text. What cites the forgotten elsewhere is named, and goes too where that is asked for. What is derived from it goes
alone: of the index what lives is copied, of the paid cache the vectors of living texts are kept. A file below
`.memdir/` says what is under way, so that the next command finishes what was killed.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memdir.app import plans, writing
from memdir.app.ready import standing
from memdir.app.talk import sessions
from memdir.errors import BadData, Locked, MemdirError, NotFound, Problem, UsageError
from memdir.index import generation, purging, sync
from memdir.llm import cache
from memdir.vault import checkpoint, fields, layout, ledger, note, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FORGOTTEN = "forgotten"
BEFORE = "forgotten before, by `memdir forget`"  # why an import leaves something out


@dataclass(slots=True)
class Forgotten:
    """What was or, without `done`, would be forgotten. `cited`: lines elsewhere that link to it, as `path:line`;
    `versions`: earlier texts that went with it."""

    what: str
    paths: list[str] = field(default_factory=list)
    turns: int = 0
    cited: list[str] = field(default_factory=list)
    versions: int = 0
    done: bool = False
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Target:
    """`session`: source and id of a conversation, or `origin`: where notes and conversations came from."""

    session: tuple[str, str] | None
    origin: str

    def holds(self, path: str, data: bytes) -> bool:
        """Whether a text is of what is to go."""
        if path.startswith(f"{layout.CHECKPOINTS}/"):
            kept = checkpoint.parse(data)
            return (kept.source, kept.session) == self.session or (bool(self.origin) and kept.source == self.origin)
        held = session.parse(path, data)  # whatever an editor did to its lines since memdir wrote it
        if held.type == session.TYPE or (_is_session(path) and not held.type):
            return (held.source, held.id) == self.session or (bool(self.origin) and held.source == self.origin)
        return bool(self.origin) and _is_from(note.parse(path, data).text("origin"), self.origin)

    def named(self) -> dict[str, Any]:
        return {"source": self.session[0], "session": self.session[1]} if self.session else {"origin": self.origin}

    def tombstone(self, one: Forgotten) -> ledger.Event:
        return ledger.Event(FORGOTTEN, more={**self.named(), "files": len(one.paths), "turns": one.turns})


@dataclass(frozen=True, slots=True)
class Tombs:
    """What was forgotten and is not to come in again."""

    sessions: frozenset[tuple[str, str]]
    origins: frozenset[str]

    def has(self, source: str, id_: str) -> bool:
        return source in self.origins or (source, id_) in self.sessions

    def came(self, origin: str) -> bool:
        return any(_is_from(origin, one) for one in self.origins)


def tombs(memory: "Memory") -> Tombs:
    told = [event.more for event in memory.ledger.of(FORGOTTEN)]
    return Tombs(
        frozenset((str(more.get("source", "")), str(more["session"])) for more in told if "session" in more),
        frozenset(str(more["origin"]) for more in told if "origin" in more),
    )


def forget(memory: "Memory", id_: str, origin: str, *, derived: bool, yes: bool) -> Forgotten:
    """Forget the conversation `id_`, or what came from `origin`; without `yes` only say what that is.

    `derived`: also the lines elsewhere that cite it. Raises UsageError, NotFound, Conflict, Locked, BadData.
    """
    if bool(id_) is bool(origin):
        raise UsageError("name what to forget: either --session or --origin")
    notices = [str(problem) for problem in resumed(memory)] if yes else []
    target, told = _target(memory, id_, origin)
    found = Forgotten(told, notices=notices)
    for path, data in _texts(memory, found.notices):
        if target.holds(path, data):
            found.paths.append(path)
            found.turns += len(session.parse(path, data).turns) if _is_session(path) else 0
    if not found.paths and not _is_tomb(memory, target):
        raise NotFound(f"nothing came from {origin!r}; `memdir sessions list` and `origin` in notes name the sources")
    citing = _all_citing(memory, found.paths)
    found.cited = [f"{path}:{line + 1}" for path, lines in citing.items() for line in lines]
    if yes:
        with generation.lock(memory.vault.place / "forget", memory.settings["sync.lock_wait"]):
            _begin(memory, target, found, derived=derived)
            _finish(memory, target, found, derived=derived)
        found.done = True
    return found


def resumed(memory: "Memory") -> list[Problem]:
    """Finish what was begun by a command that was killed; what a person should know of it. Costs a look into a folder
    where there is nothing."""
    if not is_under_way(memory):
        return []
    try:
        with generation.lock(memory.vault.place / "forget", 0):
            for target, derived, paths in _under_way(memory):
                found = Forgotten(
                    "", sorted({*paths, *(path for path, data in _texts(memory, []) if target.holds(path, data))})
                )
                _finish(memory, target, found, derived=derived)
    except Locked:
        return []  # whoever began it is still at it
    except MemdirError as error:
        return [
            Problem(f".memdir/{layout.UNDER_WAY}", 1, f"`memdir forget` was stopped and cannot be finished: {error}")
        ]
    return [Problem(f".memdir/{layout.UNDER_WAY}", 1, "`memdir forget` had been stopped; now it is finished")]


def is_under_way(memory: "Memory") -> bool:
    return any(memory.root.texts("", layout.UNDER_WAY, meta=True))


def _under_way(memory: "Memory") -> Iterator[tuple[_Target, bool, list[str]]]:
    """What was begun: the target, whether what cites it goes too, and the files that were found. Raises BadData."""
    for data in filter(None, memory.root.texts("", layout.UNDER_WAY, meta=True)):
        try:
            held: Any = json.loads(data)
            known = (str(held["source"]), str(held["session"])) if "session" in held else None
            target = _Target(known, str(held.get("origin", "")))
            yield target, bool(held["derived"]), [str(path) for path in held["paths"]]
        except (ValueError, KeyError, TypeError) as error:
            raise BadData(
                f".memdir/{layout.UNDER_WAY} cannot be read: {error}; run the same `memdir forget` again"
            ) from error


def _target(memory: "Memory", id_: str, origin: str) -> tuple[_Target, str]:
    if origin:
        return _Target(None, origin), f"what came from {origin}"
    try:
        source, whole = sessions.identity(memory, id_)
    except NotFound:
        held = [one for one in tombs(memory).sessions if one[1] == id_]
        if not held:
            raise
        source, whole = held[0]
    return _Target((source, whole), ""), f"the conversation {whole} ({source})"


def _is_tomb(memory: "Memory", target: _Target) -> bool:
    known = tombs(memory)
    return target.session in known.sessions if target.session else target.origin in known.origins


def _begin(memory: "Memory", target: _Target, found: Forgotten, *, derived: bool) -> None:
    """The tombstone, and what is under way: from here on it is finished, whatever kills it."""
    state = {**target.named(), "derived": derived, "paths": found.paths}
    memory.root.put(layout.UNDER_WAY, json.dumps(state).encode())
    memory.ledger.append([target.tombstone(found)], memory.clock.now())


def _finish(memory: "Memory", target: _Target, found: Forgotten, *, derived: bool) -> None:
    """Everything but the tombstone; done again it goes on where it stopped."""
    memory.drop_reader()
    link = _links_to(found.paths) if derived else None

    def holds(path: str, data: bytes) -> bool:
        listed = path in (layout.INDEX_FILE, layout.OVERFLOW_FILE)  # they repeat what notes say
        return listed or target.holds(path, data) or bool(_citing(data, link))

    citing = _all_citing(memory, found.paths) if derived else {}
    with memory.root.lock():
        for path, lines in citing.items():
            blob = memory.root.read(path)
            kept = fields.decode(blob.data).split("\n")
            for line in reversed(lines):
                del kept[line]
            memory.root.write(path, fields.encode("\n".join(kept)), base=blob.digest, shrink_ok=True)
        found.paths += _briefs(memory, found) if derived else []
        memory.root.erase(found.paths, lambda path, data: False)
    options = sync.Options(wait=memory.settings["sync.lock_wait"], meant=frozenset(found.paths))
    sync.sync(memory.vault, options)
    if plans.keeps_index(memory.root):
        found.notices += writing.write_index(memory, force=True, dry_run=False).notices
    found.versions = memory.root.erase(found.paths, holds)
    memory.drop_reader()
    sync.sync(memory.vault, options)
    purging.purge(memory.vault)
    _purge_paid(memory)
    memory.root.put(layout.UNDER_WAY, b"")


def _purge_paid(memory: "Memory") -> None:
    """Of what was paid for only the vectors of living texts are known to be of nothing else."""
    paid = cache.Cache(memory.vault.place / cache.FILE)
    try:
        paid.keep_only(purging.texts(memory.vault) if paid.count() else ())
    except OSError as error:
        raise BadData(f"{memory.vault.place / cache.FILE} cannot be rewritten: {error}") from error


def _all_citing(memory: "Memory", paths: Sequence[str]) -> dict[str, list[int]]:
    """Path → lines of the texts elsewhere that link to one of some files."""
    link = _links_to(paths)
    elsewhere = ((path, data) for path, data in _texts(memory, []) if path not in paths) if link else ()
    return {path: lines for path, data in elsewhere if (lines := _citing(data, link))}


def _briefs(memory: "Memory", found: Forgotten) -> list[str]:
    """The briefs, which repeat what notes and logs say, and go with lines of them."""
    held = standing.below(memory, layout.BRIEFS)
    found.notices += ["the briefs went too; `memdir brief --write` makes them anew"] if held else []
    return held


def _texts(memory: "Memory", notices: list[str]) -> Iterator[tuple[str, bytes]]:
    """All markdown by path, one text at a time; what cannot be read is a notice."""
    inside = memory.root.walk(lambda path, is_folder: not is_folder and not path.endswith(".md"))
    left = [*inside.unreadable, *inside.placeholders]
    for path in sorted(entry.path for entry in inside.entries):
        try:
            data = memory.root.read(path).data
        except MemdirError:
            left.append(path)
            continue
        yield path, data
    notices += [f"{path} cannot be read: whether it holds any of it is not known" for path in left]


def _is_session(path: str) -> bool:
    return layout.kind_of(path) == "session"


def _is_from(origin: str, asked: str) -> bool:
    """Whether an origin is the one asked for, or a thing within it: `chatgpt:bio-3` came from `chatgpt`."""
    return origin == asked or origin.startswith(f"{asked}:")


def _links_to(paths: Sequence[str]) -> re.Pattern[str] | None:
    """A link to one of some files, by name or path."""
    stems = {re.escape(path.rsplit("/", 1)[-1].removesuffix(".md")) for path in paths}
    named = "|".join(sorted(stems))
    return re.compile(rf"\[\[(?:[^\[\]|#]*/)?(?:{named})(?:\.md)?[#|\]]", re.IGNORECASE) if stems else None


def _citing(data: bytes, link: re.Pattern[str] | None) -> list[int]:
    text = fields.decode(data)
    return [n for n, line in enumerate(text.split("\n")) if link.search(line)] if link and link.search(text) else []
