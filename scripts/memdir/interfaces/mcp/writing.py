"""The tools that write: memory_write, memory_log, memory_ingest, memory_forget.

What exists is changed with the digest of what the caller read alone; to add takes none.
"""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BeforeValidator

from memdir.app import plans
from memdir.app.places import MACHINE
from memdir.app.serving import Served
from memdir.app.writing import Done
from memdir.errors import NotFound
from memdir.interfaces.mcp import shapes
from memdir.interfaces.mcp.callers import CALLER, CAPTURE, WRITE
from memdir.interfaces.mcp.desk import Desk, scope_of
from memdir.interfaces.mcp.shapes import Gone, Lines, Object, Objects, Text, Took, Truth, Words, Wrote
from memdir.vault.draft import NewNote
from memdir.vault.fields import Value
from memdir.vault.note import words

DIFF = 8_000  # characters of the diff of a dry run
TURNS = 2_000  # of one call
# Keys that memdir writes, or by which it tells what may be trusted.
RESERVED = {"id", "created", "updated", "trust", "origin", "origin_digest", "status", "source", "scope"}
OWN = {"name", "title", "type", "tags", "importance", "description"}  # have arguments of their own

Kind = Annotated[Literal["note", "fact", "observation"], BeforeValidator(lambda value: value or "note")]
Mode = Annotated[Literal["", "append", "section", "replace"], BeforeValidator(lambda value: value or "")]


class Writing:
    """The tools, bound to a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def memory_write(
        self,
        kind: Kind = "note",
        title: Text = "",
        content: Text = "",
        note: Text = "",
        mode: Mode = "",
        heading: Text = "",
        base: Text = "",
        key: Text = "",
        value: Text = "",
        category: Text = "",
        type: Text = "",
        tags: Words = (),
        importance: Text = "",
        description: Text = "",
        scope: Text = "",
        source: Text = "",
        metadata: Object = {},  # noqa: B006 - never changed
        dry_run: Truth = False,
    ) -> Wrote:
        """Save what will matter later. memory_recall first: a second note about one thing is worse than a line more.

        New note: `title`, `content` (markdown), `type`: user (who they are), feedback (how they want things), project
        (default), ref (facts of the world); `tags`, `importance` (low, medium, high), `description` (one line),
        `scope`, `metadata`.
        More in a note that exists: `note` (path or name), `mode` append, `content`, perhaps `heading` for a section.
        Change it: `note`, `base` and either `content` with mode section (and `heading`) or replace, or any of `tags`,
        `importance`, `description`, `metadata`.
        kind fact: `note`, `key`, `value`, perhaps `source`; it takes the place of the value before it, which stays in
        the history. Where the key has a value already, `base` is needed.
        kind observation: `note`, `content` (one sentence), `category` (such as decision, preference), `tags`.

        `base` is `digest` (or, for a section, `part`) of memory_read: if somebody saved since, nothing is written and
        the error gives the digest to read again. No secrets; they are replaced by markers. `dry_run` shows a diff.
        The reply's `run` takes it back: `memdir undo RUN`."""
        held = _front(tags, importance, description, metadata, new=not note)
        if kind == "note" and not note:
            return await self._new(title, content, type, scope, held, dry_run)
        if not note.strip():
            raise ToolError(f"note is missing: name the note that the {kind} belongs to, or write one with a title")
        if title or type or scope:
            raise ToolError("title, type and scope are for a new note: leave them out, or leave out `note`")
        work: Callable[[Served], Done]
        if kind == "fact":
            _need(key=key, value=value)
            work = lambda memory: _fact(memory, note, key, value, source, base, dry_run)  # noqa: E731
        elif kind == "observation":
            _need(content=content)
            line = " ".join(
                [f"- [{category.strip() or 'note'}]", *content.split(), *(f"#{one}" for one in held["tags"])]
            )
            work = lambda memory: memory.edit(note, plans.Edited("append", line, heading), dry_run=dry_run)  # noqa: E731
        else:
            work = lambda memory: _change(memory, note, mode, heading, content, base, held, dry_run)  # noqa: E731
        return _wrote(await self._desk.write(lambda memory: work(_mine(memory, note)), WRITE))

    async def _new(
        self, title: str, content: str, type: str, scope: str, held: Mapping[str, Any], dry_run: bool
    ) -> Wrote:
        _need(title=title, content=content)
        caller = CALLER.get()
        more = dict(held["metadata"])
        if caller.external:
            if type in ("user", "feedback"):
                raise ToolError("this token writes no user and feedback notes: write a project or ref note")
            more["trust"] = "external"
        asked = NewNote(
            title, type or "project", content, held["tags"], held["importance"] or "medium", held["description"],
            scope_of(caller, scope, self._desk.choices.scope if caller.scopes else ""), more,
        )  # fmt: skip
        return _wrote(await self._desk.write(lambda memory: memory.new(asked, dry_run=dry_run), WRITE))

    async def memory_log(self, title: Text, lines: Lines = (), dry_run: Truth = False) -> Wrote:
        """Append an entry to today's log: what happened, with its outcome. Never edits or deletes an entry.

        `title`: one line. `lines`: further lines, such as `- Migration 0042 timed out`, `- outcome:: failure`,
        `- entity:: [[atlas]]`, `- [ ] Raise the timeout` (an open loop), `- resolves:: [[2026-11-29#^k3f2x]]` (closes
        one)."""
        _need(title=title)
        if CALLER.get().external:
            raise ToolError("this token does not write into the log: hand turns to memory_ingest")
        return _wrote(await self._desk.write(lambda memory: memory.log(title, list(lines), dry_run=dry_run), CAPTURE))

    async def memory_ingest(self, session: Text, turns: Objects, scope: Text = "", dry_run: Truth = False) -> Took:
        """Keep the turns of a conversation, word by word, so that they can be recalled. Each turn once: hand over the
        whole conversation again as it grows.

        `session`: the id of the conversation, the same each time. `turns`: objects `{"speaker": "user", "text": "…",
        "ts": "2026-11-29T14:02:11Z", "uuid": "…"}`, in order; `ts` and `uuid` may be missing, `role` and `content` are
        taken for `speaker` and `text`. At most 2,000 turns a call."""
        _need(session=session)
        if not turns:
            raise ToolError("turns is empty: hand over at least one {speaker, text}")
        if len(turns) > TURNS:
            raise ToolError(f"turns are {len(turns):,}: hand over at most {TURNS:,} a call, oldest first")
        said = b"".join(_line(session, number, turn) for number, turn in enumerate(turns))
        caller = CALLER.get()
        scope = scope_of(caller, scope, self._desk.choices.scope)
        done = await self._desk.write(
            lambda memory: memory.ingest(io.BytesIO(said), source=caller.name, scope=scope, dry_run=dry_run), CAPTURE
        )
        told = [f"{one.where}: {one.why}" for one in done.problems]
        left = [f"left out: {why}: {count}" for why, count in sorted(done.skipped.items())]
        return Took(
            done.turns, done.known, done.bad, shapes.few(done.files), done.run, shapes.few([*left, *done.notices]),
            shapes.few(told),
        )  # fmt: skip

    async def memory_forget(
        self, session: Text = "", origin: Text = "", derived: Truth = False, confirm: Truth = False
    ) -> Gone:
        """Really delete a conversation (`session`: its id), or everything that came from a source (`origin`, such as
        `chatgpt`): no undo, no earlier version. Only when the user asks for it.

        Without `confirm: true` nothing is deleted and the reply says what would be. `derived`: also the lines of notes
        and logs that link to it."""
        if bool(session.strip()) == bool(origin.strip()):
            raise ToolError("name what to forget: either session or origin")
        if CALLER.get().scopes:
            raise ToolError("a token of some scopes cannot forget: use one that sees everything")
        found = await self._desk.write(
            lambda memory: memory.forget(session, origin, derived=derived, yes=confirm), WRITE
        )
        said = [] if found.done else ["nothing was deleted: call again with confirm true. There is no undo"]
        return Gone(
            found.what, found.done, shapes.few(found.paths, 50), found.turns, shapes.few(found.cited, 50),
            [*said, *shapes.few(found.notices)],
        )  # fmt: skip


def _need(**given: str) -> None:
    """Refuse what is empty, by name."""
    for name, text in given.items():
        if not text.strip():
            raise ToolError(f"{name} is missing or empty")


def _front(
    tags: Sequence[str], importance: str, description: str, metadata: Mapping[str, Any], *, new: bool
) -> dict[str, Any]:
    """What goes into the front matter, checked."""
    for key, value in metadata.items():
        if key.strip().lower() in RESERVED:
            raise ToolError(f"metadata.{key} is set by memdir, not by a call")
        if new and key.strip().lower() in OWN:
            raise ToolError(f"metadata.{key} has an argument of its own")
        items = value if isinstance(value, list) else [value]
        if any(not isinstance(one, str | int | float | bool | None) for one in items) or not key.strip():
            raise ToolError(f"metadata.{key} takes a text, a number or a list of them")
    kept = [*words(cast(list[Value], list(tags)), tags=True)]
    return {"tags": kept, "importance": importance, "description": description, "metadata": dict(metadata)}


def _mine(memory: Served, target: str) -> Served:
    """The vault, where this caller may change a note. Raises NotFound, ToolError."""
    caller = CALLER.get()
    path = memory.find(memory.seen(target, caller.scopes), follow=False)
    if path.startswith(MACHINE):
        raise ToolError(f"{path} is written by memdir or by a person, not by a call")
    if caller.external and memory.meta(target).get("trust") != "external":
        raise ToolError("this token changes only notes that are marked trust: external")
    return memory


def _fact(memory: Served, note: str, key: str, value: str, source: str, base: str, dry_run: bool) -> Done:
    """A fact set; over one that is there only with the digest of the note as it was read."""
    if not base:
        try:
            current = [one["value"] for one in memory.fact(note, key)["current"]]
        except NotFound:
            current = []
            memory.show(note)  # the note may be what was not found
        if current and current != [value]:
            raise ToolError(
                f"{key} is {', '.join(current)!r} already: read the note with memory_read and hand its digest back as"
                " base to replace it"
            )
    return memory.fact_set(note, key, value, source=source, base=base or None, dry_run=dry_run)


def _change(
    memory: Served, note: str, mode: str, heading: str, content: str, base: str, held: Mapping[str, Any], dry_run: bool
) -> Done:
    """The text or the front matter of a note changed."""
    values: dict[str, Value] = dict(held["metadata"])
    values |= {key: held[key] for key in ("tags", "importance", "description") if held[key]}
    if bool(values) == bool(content.strip()):
        raise ToolError("change either content, or tags, importance, description and metadata, in one call")
    if not base and mode != "append":
        raise ToolError("base is missing: read the note with memory_read and hand its digest back; append needs none")
    if values:
        return memory.set(note, values, base=base, dry_run=dry_run)
    if mode == "append":
        return memory.edit(note, plans.Edited("append", content, heading), dry_run=dry_run)
    how = mode or ("section" if heading else "replace")
    if (how == "section") != bool(heading):
        raise ToolError("a section is named by its heading: give heading with mode section, none with mode replace")
    return memory.edit(note, plans.Edited(how, content, heading, base), dry_run=dry_run)


def _line(session: str, number: int, turn: Mapping[str, Any]) -> bytes:
    """A turn in the plain form of a transcript."""
    told: dict[str, Any] = {"session_id": session}
    for name, also in (("speaker", "role"), ("text", "content")):
        said = turn.get(name, turn.get(also))
        if not isinstance(said, str) or not said.strip():
            raise ToolError(f"turns[{number}].{name} is missing or no text")
        told[name] = said
    told |= {key: turn[key] for key in ("ts", "uuid") if isinstance(turn.get(key), str)}
    return json.dumps(told).encode() + b"\n"


def _wrote(done: Done) -> Wrote:
    return Wrote(
        done.path, done.digest, shapes.few(done.changed), done.run, shapes.few(done.notices),
        shapes.bounded(done.diff, DIFF),
    )  # fmt: skip
