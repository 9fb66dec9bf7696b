"""Drafts: notes that do not exist yet, and the text and path they get. Writes nothing."""

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from memdir.errors import UsageError
from memdir.vault import fields, layout, names, store
from memdir.vault import note as notes
from memdir.vault.fields import Value


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note to be made. `more`: further front matter keys, in order, such as `source` and `trust`; `file`: its name
    without `.md`, else made from the title; `exact`: the body is written as it is, to the last line end."""

    title: str
    type: str
    body: str = ""
    tags: Sequence[str] = ()
    importance: str = "medium"
    description: str = ""
    scope: str = ""
    more: Mapping[str, Value] = field(default_factory=dict)
    file: str = ""
    exact: bool = False


def new(
    asked: NewNote, paths: Iterable[str], day: str, *, folder: str = "", taken: Set[str] = frozenset()
) -> tuple[store.Write, str]:
    """The Change for a new note, and a word to the writer when the title was taken. Raises UsageError.

    `paths`: the notes there are, or `taken`: their folded names; `folder`: where it goes, else that of its type.
    """
    if asked.type not in layout.TYPES:
        raise UsageError(f"type {asked.type!r} is not one of {', '.join(layout.TYPES)}")
    if asked.importance not in layout.IMPORTANCE:
        raise UsageError(f"importance {asked.importance!r} is not one of {', '.join(layout.IMPORTANCE)}")
    title = " ".join(asked.title.split()) or "Untitled"
    base = asked.file or names.slug(title)
    held = taken or {names.fold(path.rsplit("/", 1)[-1].removesuffix(".md")) for path in paths}
    name = names.numbered(base, held)
    path = f"{folder or layout.topic_folder(asked.type)}/{name}.md"
    said = "" if name == base else f"a note named {base} exists already; this one is {name}"
    return store.Write(path, text(asked, title, day).encode("utf-8", "surrogateescape"), None), said


def text(asked: NewNote, title: str, day: str) -> str:
    """The whole text of a new note."""
    values: dict[str, Value] = {
        "name": title,
        "type": asked.type,
        "tags": [*notes.words(asked.tags if isinstance(asked.tags, str) else list(asked.tags))],
        "created": day,
        "updated": day,
        "importance": asked.importance,
    }
    values |= {key: said for key, said in (("description", asked.description), ("scope", asked.scope)) if said}
    values |= asked.more
    values["id"] = os.urandom(6).hex()
    front = [line for key, value in values.items() for line in fields.render(key, value)]
    head = "\n".join(["---", *front, "---", ""])
    if asked.exact:
        return head.replace("\n", fields.newline_of(asked.body)) + asked.body
    body = asked.body.rstrip("\n")
    return f"{head}{body}\n" if body else head
