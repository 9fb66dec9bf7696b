"""Plans of a person's own edits: from what was asked to Changes. Writes nothing.

Each function reads what it must through `files.Root` and returns Changes with the digest it read as base;
the log line that goes with a note is a Change of the same plan.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from memdir.errors import BadData, Conflict, UsageError
from memdir.recall import reading
from memdir.vault import edits, fields, files, layout, memory_md, names, store
from memdir.vault import note as notes
from memdir.vault.fields import Value


@dataclass(frozen=True, slots=True)
class Edited:
    """An edit asked for. `how`: append | section | replace; `base`: digest of the note (or section) as read.

    With a heading, `append` adds to that section, which is made at the end where there is none.
    """

    how: str
    text: str
    heading: str = ""
    base: str | None = None


def said_of(title: str, path: str) -> store.LogEntry:
    """The log line of a new note: `title → [[note]]`."""
    return store.LogEntry(f"{_one_line(title) or 'Untitled'} → [[{_stem(path)}]]")


def change(root: files.Root, path: str, base: str | None, edited: edits.Edit) -> list[store.Change]:
    """The Change that an edit of one note makes, none when it changes nothing.

    `base`: the digest that the caller read. Raises Conflict when the file is another now.
    """
    blob = root.read(path)
    if base is not None and blob.digest != base:
        raise _stale(path, blob.digest)
    old = fields.decode(blob.data)
    new_text = edited(path, old)
    return [] if new_text == old else [store.Write(path, fields.encode(new_text), blob.digest, shrink_ok=True)]


def as_read(path: str, old: str, asked: Edited) -> str:
    """`old`, when the base is the digest of the whole file or of the section as `read` gave it; else Conflict."""
    if asked.base is not None:
        data = fields.encode(old)
        if asked.base not in (files.digest(data), reading.excerpt(path, data, asked.heading).part):
            raise _stale(f"{path}#{asked.heading}", files.digest(data))
    return old


def _stale(path: str, current: str) -> Conflict:
    return Conflict(f"{path} has changed since you read it; read it again", path=path, current=current)


def refuse(path: str, values: Mapping[str, Value], *, own: bool, root: files.Root | None = None) -> None:
    """Raise BadData for an edit of a daily log, which is append only, UsageError for a value a note cannot have or
    that only a person's word gives it: what waits in the inbox is accepted there, and nothing from outside is vouched
    for by a `set`."""
    if word := next((key for key in ("status", "trust", "type") if key in values), ""):
        if names.fold(path).startswith(f"{layout.INBOX}/"):
            raise UsageError(f"{path} waits for review: its {word!r} is set by `memdir inbox accept`")
        if "trust" in values and root and notes.parse(path, root.read(path).data).text("trust") == "external":
            raise UsageError(f"{path} is from outside: its 'trust' is not set; a person changes it by hand")
    if layout.kind_of(path) == "session":
        raise BadData(f"{path} is a session: what was said is never rewritten; `memdir ingest` adds to it")
    if own and layout.kind_of(path) == "log":
        raise BadData(f"{path} is a daily log: it is never rewritten; add to it with `memdir log`")
    if own and path == layout.INDEX_FILE:
        raise BadData(f"{path} is made by memdir but for the text above its list; write there by hand")
    if own and layout.is_topic(path):
        for key, allowed in (("type", layout.TYPES), ("importance", layout.IMPORTANCE)):
            if key in values and values[key] not in allowed:
                raise UsageError(f"{key} is one of {', '.join(allowed)}, not {values[key]!r}")
        for key in ("created", "updated"):
            if key in values and not names.is_day(str(values[key])[:10]):
                raise UsageError(f"{key} is a day like 2026-11-29, not {values[key]!r}")


def said_by(values: Mapping[str, Value], path: str) -> store.LogEntry:
    """The log line of a `set`: `key: value → [[note]]`."""
    shown = ", ".join(f"{key}: {_one_line(_said(value))}".rstrip() for key, value in values.items())
    return store.LogEntry(f"{shown} → [[{_stem(path)}]]")


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _said(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:160]


def keeps_index(root: files.Root) -> bool:
    """Whether MEMORY.md holds a list that memdir keeps."""
    return root.stat(layout.INDEX_FILE) is not None and memory_md.fenced(
        fields.decode(root.read(layout.INDEX_FILE).data)
    )


def listed_but_away(root: files.Root, known: Set[str], away: tuple[str, ...]) -> list[memory_md.Entry]:
    """Entries of the list for notes that cannot be looked at now: files or folders (ending in `/`) in `away`."""
    held = memory_md.listed(_text_of(root, layout.OVERFLOW_FILE)) | memory_md.listed(_text_of(root, layout.INDEX_FILE))
    missing = {path: line for path, line in held.items() if path not in known and path.startswith(away)}
    return [memory_md.entry(path, kind, line) for path, (kind, line) in missing.items()]


def _text_of(root: files.Root, path: str) -> str:
    return fields.decode(root.read(path).data) if root.stat(path) else ""


def memory_index(
    root: files.Root, entries: Sequence[memory_md.Entry], caps: tuple[int, int], *, force: bool
) -> tuple[list[store.Change], memory_md.Plan | None]:
    """Changes that bring MEMORY.md up to date, none where its list is; `force` makes the list where there is none.

    Raises BadData when the marks are broken or hand-written text alone is over a cap.
    """
    text, overflow = _text_of(root, layout.INDEX_FILE) or "# Memory\n", _text_of(root, layout.OVERFLOW_FILE)
    if not force and not (memory_md.fenced(text) and memory_md.stale(text, overflow, entries)):
        memory_md.checked(text, *caps)
        return [], None
    plan = memory_md.plan(text, entries, max_lines=caps[0], max_bytes=caps[1])
    rest = plan.overflow or (memory_md.no_overflow() if memory_md.listed(overflow) else overflow)
    wanted = {layout.OVERFLOW_FILE: rest, layout.INDEX_FILE: plan.text}
    return [change for path, new in wanted.items() if (change := _write(root, path, new))], plan


def _write(root: files.Root, path: str, text: str) -> store.Write | None:
    """The Change that makes a file of ours this text, None when it is so or when there is nothing to make."""
    blob = root.read(path) if root.stat(path) else None
    data = fields.encode(text)
    if not data or (blob and blob.data == data):
        return None
    return store.Write(path, data, blob.digest if blob else None, shrink_ok=True)


def shown(root: files.Root, path: str, *, own: bool) -> dict[str, object]:
    """A note as plain values for `show`."""
    blob = root.read(path)
    parsed = notes.parse(path, blob.data, own=own)
    body = parsed.body
    return {
        "path": path,
        "digest": blob.digest,
        "name": parsed.name,
        "type": parsed.type,
        "kind": parsed.kind,
        "tags": list(parsed.tags),
        "aliases": list(parsed.aliases),
        "date": parsed.date,
        "meta": parsed.meta,
        "links": sorted({link.target for link in body.links if link.target}),
        "facts": [
            {"line": f.line + 1, "key": f.key, "value": f.value, "since": f.since, "until": f.until} for f in body.facts
        ],
        "observations": [{"line": o.line + 1, "category": o.category, "text": o.text} for o in body.observations],
        "relations": [{"line": r.line + 1, "kind": r.kind, "target": r.target} for r in body.relations],
        "loops": [{"line": loop.line + 1, "text": loop.text, "done": loop.done} for loop in body.loops],
        "problems": [{"path": p.path, "line": p.line, "message": p.message} for p in parsed.problems],
    }
