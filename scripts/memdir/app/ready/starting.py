"""What a session begins with: who the agent and its user are, the list of notes, persona and brief, two days of log,
what waits.

Reads files and the index; makes today's log at a start, where memdir keeps logs, and writes nothing else.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memdir.app import scopes, waiting
from memdir.app.ready import checkpoints, daylog, standing, token_counts
from memdir.app.ready.fitting import Fitting, Part
from memdir.errors import MemdirError, Unusable
from memdir.index import filters, lexicon
from memdir.index.filters import Filters
from memdir.recall import fenced
from memdir.recall.question import Question
from memdir.vault import fence, layout, log, names, note

if TYPE_CHECKING:
    from memdir.app.memory import Memory

RELATED, LOOPS = 8, 30  # notes of a working directory; open loops, newest first


@dataclass(frozen=True, slots=True)
class Asked:
    """What a start is made for. Without `fresh` no file is looked for and no index is made; `session`, `source`: the
    conversation that begins, and how; `exact`: tokens are counted by tiktoken if that can be."""

    cwd: Path | None = None
    budget: int = 2000
    scope: str = ""
    task: str = ""
    fresh: bool = True
    session: str = ""
    source: str = ""
    exact: bool = True


@dataclass(slots=True)
class Started:
    """`text`: between marks, as an agent may be shown it, "" where there is nothing; `left_out`: what did not fit or
    could not be read."""

    text: str = ""
    left_out: list[str] = field(default_factory=list)


def start(memory: "Memory", asked: Asked) -> Started:
    """As `Memory.start` promises."""
    left: list[str] = []
    try:
        _open_log(memory)
    except MemdirError as error:
        left.append(f"today's log: {error}")
    return _told(memory, asked, left)


def context(memory: "Memory", asked: Asked) -> Started:
    """As `Memory.context` promises."""
    return _told(memory, asked, [])


def _open_log(memory: "Memory") -> None:
    """Make today's log where it is missing: in a vault of memdir, elsewhere only where `log.path` says where."""
    path, header = log.place(memory.clock.log_path, memory.clock.now())
    if (memory.own or memory.settings.given("log.path")) and memory.root.stat(path) is None:
        memory.root.append(path, b"", header=header)


def _told(memory: "Memory", asked: Asked, left: list[str]) -> Started:
    narrow = scopes.with_inherited(Filters(scope=asked.scope or None, reviewed=True), memory.settings["scope.inherits"])
    parts = [*_checkpoint(memory, asked), *_files(memory, asked.scope, left), *_indexed(memory, asked, narrow, left)]
    parts += _waiting(memory)
    nonce = os.urandom(fenced.SHORTEST)
    count = token_counts.counter(exact=asked.exact)
    body = Fitting(count).fitted(parts, asked.budget - count(fenced.fence("", nonce)), left)
    return Started(fenced.fence(body, nonce) if body else "", left)


def _files(memory: "Memory", scope: str, left: list[str]) -> Iterator[Part]:
    """The files that are read whole, in the order in which they are shown."""
    now = memory.clock.now()
    today, yesterday = (log.place(memory.clock.log_path, one)[0] for one in (now, now - timedelta(days=1)))
    persona = standing.persona(memory, scope)
    for path, title, share, newest in (
        ("SOUL.md", "SOUL.md", 0.1, False),
        ("USER.md", "USER.md", 0.1, False),
        (layout.INDEX_FILE, layout.INDEX_FILE, 0.25, False),
        *([(persona, "persona", 0.1, False)] if persona else ()),
        *((path, "brief", 0.2, False) for path in standing.briefs(memory, scope or None)),
        (today, "today's log", 0.15, True),
        (yesterday, "yesterday's log", 0.1, True),
    ):
        if (lines := _lines_of(memory, path, left)) is None:
            left += [f"persona: there is no {path}"] if title == "persona" else []
        else:
            said = _divided(lines) if title == "brief" else daylog.of_people(lines) if newest else lines
            if any(not line.startswith("# ") for line in said):
                yield Part(title, said, share, newest, path)


def _lines_of(memory: "Memory", path: str, left: list[str]) -> list[str] | None:
    """The lines of a file that say something, without its front matter; None where there is none or it cannot be
    read."""
    try:
        if memory.root.stat(path) is None:
            return None
        text = fence.legible(fence.decode(memory.root.read(path).data)).lstrip(fence.BOM)
    except MemdirError as error:
        left.append(f"{path}: {error}")
        return []
    lines = text.split("\n")
    body = lines[(fence.closing_fence(lines) or -1) + 1 :]
    said = [line.rstrip() for line in body if line.strip() and line.strip() not in layout.MARKS]
    return _reviewed(said) if path == layout.INDEX_FILE else said


def _reviewed(lines: list[str]) -> list[str]:
    """The list of notes without those from outside, whose very names somebody else has chosen."""
    kept = [line for line in lines if not line.endswith(note.OUTSIDE)]
    count = len(lines) - len(kept)
    return [*kept, f"- {count} {'note' if count == 1 else 'notes'} {note.OUTSIDE}"] if count else kept


def _divided(lines: Sequence[str]) -> list[str]:
    """A paragraph as lines that may be cut: a new one behind each source."""
    return [part for line in lines for part in re.split(r"(?<=\);) |(?<=\)\.) |(?<=）；)|(?<=）。)(?=.)", line)]


def _checkpoint(memory: "Memory", asked: Asked) -> Iterator[Part]:
    """Behind a compaction what the conversation was about; else which checkpoint there is."""
    if found := checkpoints.offered(memory, asked.cwd, asked.scope, asked.session, asked.source):
        yield Part("checkpoint", found, 0.25)


def _indexed(memory: "Memory", asked: Asked, narrow: Filters, left: list[str]) -> Iterator[Part]:
    """What only the index knows: open loops, and notes about the task or of the working directory."""
    current = asked.fresh and memory.freshen()[0]
    try:
        source = memory.open_reader(verified=current)
        held = waiting.listed(source, narrow)[::-1]
    except Unusable as error:
        left.append(f"open loops, related notes: {error}")
        return
    if held:
        yield Part("open loops", [f"- {one.said_on} {one.bare} ({one.path}:{one.line})" for one in held[:LOOPS]], 0.15)
        left += [f"open loops: {len(held) - LOOPS} older ones"] if len(held) > LOOPS else []
    if asked.cwd is not None and (lines := _of_folder(memory, asked.cwd)):
        yield Part("notes of this folder", lines, 0.1)
    if asked.task:
        from memdir.app.ready import correcting  # deferred: a start has no task

        if firsts := correcting.found(memory, asked.task, Filters(scope=asked.scope or None), verified=current):
            yield Part("corrections", [line for one in firsts for line in _item(one.piece)], 0.2)
        answer = memory.recall(Question(asked.task, narrow, memory.settings["recall.limit"]), fresh=False)
        if answer.evidence and not answer.abstained:
            found = [fenced.Piece(one.path, one.at, one.name, one.quote) for one in answer.evidence]
            yield Part("about the task", [line for one in found for line in _item(one)], 0.2)


def _waiting(memory: "Memory") -> Iterator[Part]:
    """How many proposals wait; not what they say, which nobody has reviewed."""
    if count := sum(path.endswith(".md") for path in standing.below(memory, layout.INBOX)):
        said = "1 proposal waits" if count == 1 else f"{count} proposals wait"
        yield Part("inbox", [f"- {said} for review: `memdir inbox list`"], 0.02)


def _item(one: fenced.Piece) -> list[str]:
    """A memory as an item of a list."""
    return [f"- {one.id} {one.about}", *(f"  {line}" for line in fenced.lines(one.text))]


def _of_folder(memory: "Memory", cwd: Path) -> list[str]:
    """Notes whose scope, name, alias or tag is the name of the working directory or of its git repository."""
    called = [one for one in dict.fromkeys((cwd.name, scopes.of_folder(cwd))) if one]
    keys = [names.fold(one) for one in called]
    begins = [begin for one in called if (begin := lexicon.begin(one))]
    rows = memory.open_reader(verified=False).rows(
        f"SELECT f.path, f.name, f.hook, f.stem, f.aliases, f.scope IN ({filters.marks(called)}) OR t.file IS NOT NULL"
        " FROM files f"
        f" LEFT JOIN (SELECT DISTINCT file FROM tags WHERE key IN ({filters.marks(keys)})) t ON t.file = f.id"
        " WHERE f.kind = 'note' AND f.archived = 0 AND f.outside = 0"
        f" AND (f.scope IN ({filters.marks(called)}) OR t.file IS NOT NULL"
        f" OR f.id IN (SELECT file FROM names WHERE start IN ({filters.marks(begins)}))) ORDER BY f.date DESC, f.path",
        [*called, *keys, *called, *begins],
    )
    found = []
    for path, name, hook, stem, aliases, belongs in rows:
        if belongs or set(keys) & {names.fold(one) for one in (name, stem, *json.loads(aliases))}:
            found.append(f"- {name} ({path})" + (f" — {hook}" if hook else ""))
    return found[:RELATED]
