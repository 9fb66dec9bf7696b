"""The memory that Claude Code keeps by itself: folders with a MEMORY.md and a file for each subject.

Of MEMORY.md the lines that list the files are left out, what else stands there becomes a note. A folder of a project,
one of a subagent, or any folder above them may be given; only folders that hold a MEMORY.md are read, since beside
them lie commands and plans. One file is held at a time. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from memdir.errors import BadData
from memdir.ingest import loose
from memdir.ingest.knowledge import pages
from memdir.ingest.knowledge.pages import Page
from memdir.ingest.members import Members
from memdir.ingest.records import Bad, Noted, Record, Wanted, whole
from memdir.vault import fields, names

INDEX = "MEMORY.md"
LOOKED_AT = 50  # files whose first lines are read to tell what a folder is
_ENTRY = re.compile(
    r"^[ \t]*[-*+][ \t]+\[[^\[\]\n]{1,300}\]\(<?([^()<>\n]{1,500}\.md)>?\)[ \t]*(?:[—–:-]+[ \t]*(.*))?$"
)
_HEADING = re.compile(r"^(#{1,6})[ \t]")
_OWN = (
    "node_type",
    "modified",
    "last_updated",
    "name",
    "title",
    "description",
    "type",
    "tags",
    "tag",
    "aliases",
    "alias",
)


@dataclass(slots=True)
class _Folder:
    """A memory folder: its path in the source, whose it is, and what its index says of its files."""

    path: str
    owner: str
    hooks: dict[str, str] = field(default_factory=dict)


def suits(members: Members) -> bool:
    """Whether there is a MEMORY.md of a subagent, or one beside files that bear Claude's marks."""
    found = members.names
    if any(name.endswith(f"/{INDEX}") and "agent-memory/" in f"/{name}" for name in found):
        return True
    if not (inside := _memory_folders(found, bare=False)):
        return False
    files = [name for name in found if _at(name) in inside and pages.is_page(name) and not _is_index(name)]
    return any(_marked(pages.head(members, name)) for name in files[:LOOKED_AT])


def _marked(front: dict[str, fields.Value]) -> bool:
    return "originSessionId" in _flat(front) or loose.table(front.get("metadata")).get("node_type") == "memory"


def _flat(front: dict[str, fields.Value]) -> dict[str, fields.Value]:
    """Front matter with what stands under `metadata` beside the rest."""
    return front | loose.table(front.get("metadata"))


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The files of each folder, its MEMORY.md first. Raises BadData for a source without any."""
    label = pages.label(members)
    found = [name for name in members.names if pages.is_page(name) and not name.rpartition("/")[2].startswith(".")]
    if not found:
        raise BadData(f"{members.name}: no markdown")
    left, inside = Counter[str](), {path: list[str]() for path in _memory_folders(found, bare=True)}
    for name in found:
        if (held := _held(name, inside)) is None:
            left["markdown outside of memory folders"] += 1
        else:
            inside[held].append(name)
    left["other files"] = sum(_held(name, inside) is not None and not pages.is_page(name) for name in members.names)
    for path, files in inside.items():
        folder = _Folder(path, _owner(f"{label}/{path}" if path else label))
        first = sorted(files, key=lambda one: (not _is_index(one), one))
        for one in pages.each(members, first, lenient=True):
            if isinstance(one, Bad):
                yield one
            elif _is_index(one.name):
                yield from _index(label, folder, one, frozenset(files), left)
            else:
                yield _topic(label, folder, one)
    yield from loose.left(left)


def _memory_folders(found: Sequence[str], *, bare: bool) -> list[str]:
    """The folders that hold a MEMORY.md; the whole source where none does and `bare` folders count."""
    return sorted({_at(name) for name in found if _is_index(name)}) or ([""] if bare else [])


def _held(name: str, inside: Collection[str]) -> str | None:
    """The nearest of some folders that a file lies in."""
    folder = _at(name)
    while folder and folder not in inside:
        folder = _at(folder)
    return folder if folder in inside else None


def _at(name: str) -> str:
    return name.rpartition("/")[0]


def _is_index(name: str) -> bool:
    return name.rpartition("/")[2] == INDEX


def _owner(path: str) -> str:
    """Whose memory a folder holds: the agent or the project it is named after."""
    parts = [part for part in path.split("/") if part]
    while len(parts) > 1 and parts[-1] in ("memory", "agent-memory", ".claude"):
        parts.pop()
    return parts[-1].strip("-") or "Claude"


def _index(label: str, folder: _Folder, page: Page, files: Collection[str], left: Counter[str]) -> Iterator[Record]:
    """What MEMORY.md says besides listing the files that are there."""
    kept = []
    for line in page.body.replace("\r\n", "\n").split("\n"):
        entry = _ENTRY.match(line)
        name = f"{folder.path}/{entry[1].removeprefix('./')}".removeprefix("/") if entry else ""
        if entry and name in files:
            folder.hooks[name] = (entry[2] or "").strip()
            left[f"lines of {INDEX} that list its files"] += 1
        else:
            kept.append(line)
    text = "\n".join(_with_content(kept)).strip("\n")
    if text.strip():
        title = page.text("name", "title") or f"{folder.owner} memory"
        yield _noted(label, page, title, f"{text}\n", "project", ())


def _with_content(lines: Sequence[str]) -> list[str]:
    """Lines without the headings under which nothing stands any more."""
    kept: list[str] = []
    said = 0  # the highest level of a heading that has what stands below the line at hand; 0: nothing does
    for line in reversed(lines):
        heading = _HEADING.match(line)
        level = len(heading[1]) if heading else 0
        if not level:
            said = 6 if line.strip() else said
        elif said >= level:
            said = level - 1
        else:
            continue
        kept.append(line)
    return kept[::-1]


def _topic(label: str, folder: _Folder, page: Page) -> Noted:
    title = page.text("name", "title") or page.stem
    linked = f"{folder.path}/{title}.md".removeprefix("/")
    kind = pages.type_of(_flat(page.front).get("type")) or pages.type_of(page.stem.partition("_")[0]) or "ref"
    text = page.body.replace("\r\n", "\n")
    return _noted(
        label, page, title, text, kind, (linked,) if "/" not in title else (), folder.hooks.get(page.name, "")
    )


def _noted(
    label: str, page: Page, title: str, text: str, kind: str, linked: tuple[str, ...], hook: str = ""
) -> Noted:  # fmt: skip
    front = _flat(page.front)
    more = pages.plain({key: value for key, value in front.items() if key not in _OWN})[0]
    more |= {} if _is_index(page.name) else pages.aliases(front, title, page.stem)
    born = next((str(front[key]) for key in ("modified", "last_updated") if isinstance(front.get(key), str)), "")
    return Noted(
        origin=f"{label}/{page.name}",
        title=whole(title),
        text=text,
        type=kind,
        tags=pages.tags(front),
        description=page.text("description") or hook,
        created=born[:10] if names.is_day(born[:10]) else page.day,
        more=more,
        files=(pages.as_link(page.name), *linked),
    )
