"""Briefs: one standing paragraph a scope in `memory/briefs/`, made by rules from facts in force, open loops and recent
decisions.

Each is a file of its own, named by its day; the newest is in force, the older ones stay, and an undo brings the last
one back. What has no scope lies in the folder itself, a scope in a folder of its name. Never an answer to a recall.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memdir.app import runs, undoing, waiting, writing
from memdir.app.ready import standing
from memdir.errors import MemdirError, Unusable
from memdir.index.filters import Filters
from memdir.learn import briefing
from memdir.learn import entries as logs
from memdir.learn.briefing import Material, Piece
from memdir.recall.outlived import Outlived
from memdir.vault import fields, layout, ledger, names, note, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.index.reader import Reader

DAYS = 30  # that a decision is recent
NOTES, FACTS, LOOPS, DECISIONS = 60, 4, 20, 20  # at most: pieces of notes, facts of a note, loops, decisions
FURTHER = 40  # things observed of one note, which have what room the first of all notes leave
OF_NOTE = 2  # decisions of one note
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DECISION = ("decision", "decided", "决定", "决策")  # categories of observations
# High importance first, then who the user is and how they want it, then what is newest.
_ORDER = (
    "ORDER BY CASE importance WHEN 'high' THEN 0 WHEN 'low' THEN 2 ELSE 1 END,"
    " CASE type WHEN 'user' THEN 0 WHEN 'feedback' THEN 0 WHEN 'project' THEN 1 ELSE 2 END, date DESC, path"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A brief in force. `text`: the paragraph; `sources`: `path:line` of what it says."""

    scope: str
    path: str
    date: str
    text: str
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Made(writing.Done):
    """What a making of briefs did. `scopes`: those whose brief is another now."""

    scopes: list[str] = field(default_factory=list)


# --- reading ---------------------------------------------------------------------------------------------


def shown(memory: "Memory", scope: str | None) -> list[Shown]:
    """The briefs in force that a scope sees, its own first; None: every one, that of no scope first."""
    return [one for one in _in_force(memory, scope) if one.text]


def _in_force(memory: "Memory", scope: str | None = None) -> Iterator[Shown]:
    """The newest brief of each scope; what cannot be read is passed over."""
    for path in standing.briefs(memory, scope):
        try:
            one = _read(path, memory.root.read(path).data)
        except MemdirError:
            continue
        if path.rpartition("/")[0] == standing.folder(one.scope):
            yield one


def _read(path: str, data: bytes) -> Shown:
    held = note.parse(path, data)
    listed = held.meta.get("sources")
    sources = [str(one) for one in listed] if isinstance(listed, list) else []
    text = "\n".join(held.lines[held.body_line :]).strip()
    return Shown(held.text("scope"), path, path.rpartition("/")[2][:10], text, sources)


# --- making ----------------------------------------------------------------------------------------------


def make(memory: "Memory", scope: str | None, dry_run: bool) -> Made:
    """Write the brief of a scope anew, or of every one (None), where it would say something else."""
    return _made(memory, [scope] if scope is not None else None, dry_run, unasked=False)


def renew(memory: "Memory") -> Made:
    """As `make` for every scope, by nobody's word: what was taken back is not made again, and a vault that memdir did
    not make gets none. Raises Unusable where the index is behind the files: what is new would be missing."""
    return _made(memory, None, False, unasked=True) if memory.own else Made()


def _made(memory: "Memory", wanted: Sequence[str] | None, dry_run: bool, *, unasked: bool) -> Made:
    with runs.running(memory, "brief"):
        source = memory.current()
        if unasked and not memory.fresh:
            raise Unusable("; ".join(memory.notices))
        held = {one.scope: one for one in _in_force(memory)}
        wanted = wanted if wanted is not None else sorted({*_scopes(source), *held})
        before = _made_from(memory) if unasked else {}
        changes, events, made = list[store.Change](), list[ledger.Event](), list[str]()
        taken = standing.below(memory, layout.BRIEFS)
        for scope in wanted:
            brief = _composed(memory, source, scope)
            mark = hashlib.sha256(brief.text.encode()).hexdigest()[:16]
            old = _bare(held[scope]) if scope in held else ""
            if brief.text != old and before.get(scope) != mark:
                change = _change(memory, scope, brief, taken)
                changes.append(change)
                events.append(ledger.Event("briefed", path=change.path, more={"scope": scope, "made_from": mark}))
                made.append(scope)
        done = writing.do(memory, changes, dry_run)
        if events and not dry_run:
            runs.note(memory, *events)
        return Made(done.changed[0] if done.changed else "", done.digest, done.changed, done.kept,
                    [*memory.notices, *done.notices], done.diff, done.run, made)  # fmt: skip


def _scopes(source: "Reader") -> list[str]:
    """The scopes that notes have and that entries of logs name; conversations alone make no brief."""
    rows = source.rows(
        "SELECT scope FROM files WHERE kind IN ('note', 'log')"
        " UNION SELECT x.value FROM facts x JOIN files f ON f.id = x.file WHERE x.key = 'scope' AND f.kind = 'log'"
    )
    return [row[0] for row in rows]


def _made_from(memory: "Memory") -> dict[str, str]:
    """Scope → what its last brief was made from, whether it stands or was taken back."""
    found: dict[str, str] = {}
    for event in memory.ledger.of("briefed"):
        scope, mark = (event.more.get(key) for key in ("scope", "made_from"))
        if isinstance(scope, str) and isinstance(mark, str):
            found[scope] = mark
    return found


def _bare(one: Shown) -> str:
    """The paragraph of a brief without its day."""
    return re.sub(r"^\d{4}-\d\d-\d\d(?:\. |。)", "", one.text)


def _composed(memory: "Memory", source: "Reader", scope: str) -> briefing.Brief:
    return briefing.composed(_material(memory, source, scope), briefing.LONGEST - len("2026-11-30. "))


def _change(memory: "Memory", scope: str, brief: briefing.Brief, taken: list[str]) -> store.Write:
    """A new file under the first name of the day that nobody has."""
    today, folder = memory.clock.today(), standing.folder(scope)
    stop = "。" if brief.text.endswith("。") else ". "
    text = f"{today}{stop}{brief.text}" if brief.text else ""
    values: dict[str, Any] = {"type": "brief", "scope": scope, "date": today, "sources": brief.sources}
    lines = [line for key, value in values.items() if value for line in fields.render(key, value)]
    keys = {names.fold(path.rpartition("/")[2].removesuffix(".md")) for path in taken if path.startswith(f"{folder}/")}
    path = f"{folder}/{names.numbered(today, keys)}.md"
    taken.append(path)
    data = writing.clean(memory, "\n".join(["---", *lines, "---", text]).rstrip() + "\n")
    return store.Write(path, data.encode("utf-8", "replace"), None)


# --- what a brief is made from ---------------------------------------------------------------------------


class _Notes:
    """The notes of a vault as a brief may use them, each read once: None for what is from outside, waits for review,
    is over, or cannot be read."""

    def __init__(self, memory: "Memory") -> None:
        self._memory, self._today = memory, memory.clock.today()
        self._held: dict[str, note.Note | None] = {}

    def __getitem__(self, path: str) -> note.Note | None:
        if path not in self._held:
            self._held[path] = self._read(path)
        return self._held[path]

    def _read(self, path: str) -> note.Note | None:
        try:
            held = note.parse(path, self._memory.root.read(path).data)
        except MemdirError:
            return None
        trusted = held.text("trust") in ("", "reviewed") and held.text("status") in ("", "accepted")
        since, until = held.text("valid_from")[:10], held.text("valid_to")[:10]
        over = bool(until and until < self._today) or since > self._today or bool(held.meta.get("superseded_by"))
        return held if trusted and held.readable and not over else None


def _material(memory: "Memory", source: "Reader", scope: str) -> Material:
    held, found, is_over, further = _Notes(memory), Material(), Outlived(source), list[Piece]()
    narrow = Filters(scope=scope)
    rows = source.rows(f"SELECT path FROM files WHERE kind = 'note' AND NOT archived AND scope = ? {_ORDER}", [scope])
    for (path,) in rows:
        if memory.own and not layout.is_topic(path):
            continue
        if one := held[path]:
            said = _facts(one, memory.clock.today(), is_over)
            found.facts += said[: FACTS + 1]
            further += said[FACTS + 1 :]
            found.decisions += _observed(one, is_over)
        if len(found.facts) >= NOTES:
            break
    found.facts += further
    for loop in waiting.listed(source, narrow)[::-1]:
        known = layout.kind_of(loop.path) == "log" or held[loop.path]
        if len(found.loops) < LOOPS and known and briefing.may(loop.text):
            anchor = f"#^{loop.block}" if loop.block else ""
            found.loops.append(Piece(briefing.plain(loop.text), _link(loop.path, anchor), f"{loop.path}:{loop.line}"))
    found.decisions = _newest([*_logged(memory, source, scope), *found.decisions])
    return found


def _newest(decisions: Sequence[Piece]) -> list[Piece]:
    """The latest decisions, each once: a note may say what a log says, behind its own name."""
    kept = list[Piece]()
    for one in decisions:
        if not any(names.fold(one.text).endswith(names.fold(known.text[11:])) for known in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.text[:10], reverse=True)[:DECISIONS]


def _facts(one: note.Note, today: str, is_over: Outlived) -> list[Piece]:
    """What a note says that holds: its facts as one piece; what it observes of the user and of how things are wanted,
    the last first, without what a later fact contradicts; where it has neither, what it says first, but not of a
    reference."""
    facts = [fact for fact in one.body.facts if not fact.until and fact.since[:10] <= today]
    facts = [fact for fact in facts if briefing.may(f"{fact.key}: {fact.value}")][:FACTS]
    said = [(", ".join(f"{fact.key} {fact.value}" for fact in facts), facts[0].line)] if facts else []
    if one.type in ("user", "feedback"):
        observed = [held for held in one.body.observations if names.fold(held.category) not in _DECISION]
        observed = [held for held in observed if not is_over(f"{held.text} [source:: {held.source}]")]
        said += [(held.text, held.line) for held in observed[::-1][:FURTHER] if briefing.may(held.text)]
    if not said and one.type != "ref" and briefing.may(one.hook):
        said = [(one.hook, one.body_line)]
    texts = [briefing.plain(text if number else f"{one.name}: {text}") for number, (text, _) in enumerate(said)]
    return [Piece(text, _link(one.path), f"{one.path}:{at + 1}") for text, (_, at) in zip(texts, said, strict=True)]


def _observed(one: note.Note, is_over: Outlived) -> list[Piece]:
    """What a note says was decided, last things first: on the day of the log or the turn that it has it from, else of
    the note."""
    found = []
    for held in reversed(one.body.observations):
        day = _DAY.search(held.source)
        when = day[0] if day else is_over.moment(held.source)[:10] or one.date
        if names.fold(held.category) in _DECISION and when and briefing.may(held.text):
            text = briefing.plain(f"{when} {one.name}: {held.text}")
            found.append(Piece(text, _link(one.path), f"{one.path}:{held.line + 1}"))
    return found[:OF_NOTE]


def _logged(memory: "Memory", source: "Reader", scope: str) -> Iterator[Piece]:
    """The decisions of the last days' logs: of a scope those that name it, of none those that name no other."""
    since = f"{date.fromisoformat(memory.clock.today()) - timedelta(days=DAYS):%Y-%m-%d}"
    rows = source.rows(
        "SELECT path, scope FROM files WHERE kind = 'log' AND date >= ? ORDER BY date DESC, path", [since]
    )
    about, withdrawn = _scope_of(source), set[str]()
    for path, own in rows:
        try:
            held = logs.read(path, memory.root.read(path).data, memory.clock.now().tzinfo)
        except MemdirError:
            continue
        withdrawn |= {_words(text) for entry in held for text in _withdrawn(entry)}
        for entry in held:
            named = _named_scope(entry) or next((about[key] for key in map(logs.key, entry.about) if key in about), own)
            if named == scope:
                said = briefing.decisions(entry)
                yield from (one for one in said if not any(_words(one.text).endswith(text) for text in withdrawn))


def _words(text: str) -> str:
    return names.fold(" ".join(text.split()).rstrip(".。 "))


def _withdrawn(entry: logs.Entry) -> list[str]:
    """The decisions that an undo took back, as its entry names them."""
    lines = (text for _, text in entry.lines if entry.own and text.startswith(undoing.WITHDRAWN))
    return [said for text in lines if (said := text.removeprefix(undoing.WITHDRAWN).strip())]


def _named_scope(entry: logs.Entry) -> str:
    """The scope that a log entry says it is of."""
    return next((text.partition("::")[2].strip() for _, text in entry.lines if text.startswith("scope::")), "")


def _scope_of(source: "Reader") -> dict[str, str]:
    """What an entry may be about → its scope: scopes and the notes that have one."""
    rows = source.rows("SELECT name, stem, scope FROM files WHERE kind = 'note' AND scope <> ''")
    return {
        logs.key(name): scope for row in rows for name, scope in ((row[0], row[2]), (row[1], row[2]), (row[2], row[2]))
    }


def _link(path: str, anchor: str = "") -> str:
    return f"[[{path.rpartition('/')[2].removesuffix('.md')}{anchor}]]"
