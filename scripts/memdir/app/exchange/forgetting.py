"""Forgetting: a conversation, or everything that came from a source, really deleted. No undo, no version, no index.

A tombstone in the ledger says that it was here and keeps it from being brought in again; it holds ids, counts and
digests of names, no text. What cites the forgotten elsewhere is named, and goes too where that is asked for. What is
derived from it goes alone: of the index what lives is copied, of the paid cache the vectors of living texts are kept. A
file below `.memdir/` says what is under way, so that the next command finishes what was killed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memdir.app import plans, writing
from memdir.app.exchange import traces
from memdir.app.ready import standing
from memdir.app.talk import sessions
from memdir.errors import BadData, Conflict, Locked, MemdirError, NotFound, Problem, UsageError
from memdir.index import generation, purging, sync
from memdir.llm import cache
from memdir.vault import checkpoint, layout, ledger, names, note, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FORGOTTEN = "forgotten"
BEFORE = "forgotten before, by `memdir forget`"  # why an import leaves something out


@dataclass(slots=True)
class Forgotten:
    """What was or, without `done`, would be forgotten. `cited`: where a text elsewhere links to it, as `path:line` or,
    with what belongs to that line, `path:first-last`; `versions`: earlier texts that went with it."""

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
        held = sorted({traces.digest(traces.stem(path)) for path in one.paths})
        return ledger.Event(
            FORGOTTEN, more={**self.named(), "files": len(one.paths), "turns": one.turns, "names": held}
        )

    def covers(self, more: Mapping[str, Any]) -> bool:
        """Whether a tombstone is of this, or of a part of it."""
        if self.session:
            return (more.get("source"), more.get("session")) == self.session
        return _is_from(str(more.get("origin") or more.get("source", "")), self.origin)


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
    citing = _all_citing(memory, found.paths, _names(memory, target, found.paths))
    found.cited = [traces.told(path, block) for path, blocks in citing.items() for block in blocks]
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
    return any(memory.root.state.texts("", layout.UNDER_WAY, meta=True))


def _under_way(memory: "Memory") -> Iterator[tuple[_Target, bool, list[str]]]:
    """What was begun: the target, whether what cites it goes too, and the files that were found. Raises BadData."""
    for data in filter(None, memory.root.state.texts("", layout.UNDER_WAY, meta=True)):
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
        source, whole = _buried(memory, id_)
    return _Target((source, whole), ""), f"the conversation {whole} ({source})"


def _buried(memory: "Memory", id_: str) -> tuple[str, str]:
    """Source and id of the one forgotten conversation that an id or the beginning of one means. Raises NotFound,
    Conflict."""
    known = tombs(memory).sessions
    found = [one for one in known if one[1] == id_] or [one for one in known if id_ and one[1].startswith(id_)]
    if not found:
        raise NotFound(f"no session {id_!r}; `memdir sessions list` shows them")
    if len(found) > 1:
        raise Conflict(f"{id_!r} may mean {', '.join(f'{whole} ({source})' for source, whole in sorted(found)[:5])}")
    return found[0]


def _is_tomb(memory: "Memory", target: _Target) -> bool:
    return any(target.covers(event.more) for event in memory.ledger.of(FORGOTTEN))


def _names(memory: "Memory", target: _Target, paths: Sequence[str]) -> traces.Names:
    """The names of what is forgotten, now or before, but for those that living files bear."""
    told = {traces.digest(traces.stem(path)) for path in paths}
    for more in (event.more for event in memory.ledger.of(FORGOTTEN) if target.covers(event.more)):
        held = more.get("names")
        told |= {str(one) for one in held} if isinstance(held, list) else set()
        told |= {traces.digest(names.slug(str(more["session"])))} if "session" in more else set()
    inside = memory.root.walk(lambda path, is_folder: not is_folder and not path.endswith(".md"))
    living = {traces.digest(traces.stem(one.path)) for one in inside.entries if one.path not in paths}
    return traces.Names(frozenset(told - living), target.origin)


def _begin(memory: "Memory", target: _Target, found: Forgotten, *, derived: bool) -> None:
    """The tombstone, and what is under way: from here on it is finished, whatever kills it."""
    state = {**target.named(), "derived": derived, "paths": found.paths}
    memory.root.state.put(layout.UNDER_WAY, json.dumps(state).encode())
    memory.ledger.append([target.tombstone(found)], memory.clock.now())


def _finish(memory: "Memory", target: _Target, found: Forgotten, *, derived: bool) -> None:
    """Everything but the tombstone; done again it goes on where it stopped."""
    memory.drop_reader()
    gone = _names(memory, target, found.paths)
    former = traces.former(memory, gone)

    def holds(path: str, data: bytes) -> bool:
        listed = path in (layout.INDEX_FILE, layout.OVERFLOW_FILE)  # they repeat what notes say
        cites = gone.blocks if derived else gone.records
        return listed or target.holds(path, data) or bool(cites(path, data))

    with memory.root.lock():
        for path, blocks in _all_citing(memory, found.paths, gone, own=not derived).items():
            blob = memory.root.read(path)
            memory.root.write(path, traces.without(blob.data, blocks), base=blob.digest, shrink_ok=True)
        found.paths += _briefs(memory, found) if derived else []
        memory.root.erase({*found.paths, *former}, lambda path, data: False)
        traces.scrub(memory, gone)
    options = sync.Options(wait=memory.settings["sync.lock_wait"], meant=frozenset(found.paths))
    sync.sync(memory.vault, options)
    if plans.keeps_index(memory.root):
        found.notices += writing.write_index(memory, force=True, dry_run=False).notices
    found.versions = memory.root.erase({*found.paths, *former}, holds)
    memory.drop_reader()
    sync.sync(memory.vault, options)
    purging.purge(memory.vault)
    _purge_paid(memory)
    memory.root.state.put(layout.UNDER_WAY, b"")


def _purge_paid(memory: "Memory") -> None:
    """Of what was paid for only the vectors of living texts are known to be of nothing else."""
    paid = cache.Cache(memory.vault.place / cache.FILE)
    try:
        paid.keep_only(purging.texts(memory.vault) if paid.count() else ())
    except OSError as error:
        raise BadData(f"{memory.vault.place / cache.FILE} cannot be rewritten: {error}") from error


def _all_citing(
    memory: "Memory", paths: Sequence[str], gone: traces.Names, *, own: bool = False
) -> dict[str, list[traces.Block]]:
    """Path → where the texts elsewhere link to what is forgotten; `own`: only what memdir wrote for the record."""
    cites = gone.records if own else gone.blocks
    elsewhere = ((path, data) for path, data in _texts(memory, []) if path not in paths) if gone.digests else ()
    return {path: blocks for path, data in elsewhere if (blocks := cites(path, data))}


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
