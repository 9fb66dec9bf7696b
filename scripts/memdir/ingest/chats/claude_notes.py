"""Projects of Claude.ai and what Claude remembers, as notes. Pure functions.

A project is a note with its instructions; each of its documents is one more. Memories are about their user and wait
in the inbox. A text that has changed by the next export is another note: the id of each holds a digest of its text.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import table, tables, word
from memdir.ingest.records import Noted


def project(given: dict[str, Any]) -> Iterator[Noted]:
    """A project that has instructions or a description, then its documents."""
    id_ = word(given.get("uuid")) or loose.digest(word(given.get("name")))
    name = " ".join(word(given.get("name")).split()) or "Project"
    made, about = loose.moment(given.get("created_at")), " ".join(word(given.get("description")).split())
    text = word(given.get("prompt_template")).strip()
    docs = tables(given.get("docs"))
    if text or about or docs:
        parts = [f"## Instructions\n\n{text}" if text else "", _listing(docs)]
        body = "\n\n".join(filter(None, parts))
        yield _noted("project", id_, name, body or about, "project", made, about[:300])
    for one in docs:
        text, file = word(one.get("content")).strip("\n"), word(one.get("filename"))
        if text.strip():
            title = file.rsplit("/", 1)[-1].removesuffix(".md") or loose.title(text)
            when = loose.moment(one.get("created_at")) or made
            yield _noted(
                "doc", word(one.get("uuid")) or f"{id_}/{file}", title, text, "ref", when, f"Document of {name}"
            )


def memories(given: dict[str, Any], names: Mapping[str, str]) -> Iterator[Noted]:
    """What Claude remembers of all conversations, of a project, and in files of its own. `names`: of projects by id."""
    text = word(given.get("conversations_memory")).strip()
    if text:
        yield _noted("memory", "conversations", "What Claude remembers about me", text, "user")
    for id_, said in table(given.get("project_memories")).items():
        if word(said).strip():
            title = f"What Claude remembers of {' '.join(names.get(id_, '').split()) or f'project {id_[:8]}'}"
            yield _noted("memory", f"project/{id_}", title, word(said).strip(), "user")
    for one in tables(given.get("memory_files")):
        path, text = word(one.get("path")), word(one.get("content")).strip("\n")
        if text.strip():
            title = path.strip("/").removesuffix(".md") or loose.title(text)
            yield _noted("memory", path, f"Claude's memory: {title}", text, "user", loose.moment(one.get("updated_at")))


def _listing(docs: list[dict[str, Any]]) -> str:
    names = [" ".join(word(one.get("filename")).split()) for one in docs]
    return "\n".join(["## Documents", "", *(f"- {name}" for name in names if name)]) if any(names) else ""


def _noted(kind: str, id_: str, title: str, text: str, type_: str, created: str = "", about: str = "") -> Noted:
    tags = ("claude-project",) if kind in ("project", "doc") else ()
    return Noted(f"{kind}:{id_}:{loose.digest(text)}", title, text, type_, tags, about, created)
