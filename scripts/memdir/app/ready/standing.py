"""What stands ready for a start: the briefs in force, and the persona. Reads files, and loads nothing heavy."""

import hashlib
import re
from typing import TYPE_CHECKING

from memdir.app import scopes
from memdir.vault import fence, layout, names

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.vault.disk.tree import Entry

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:-(\d{1,4}))?\.md")


def briefs(memory: "Memory", scope: str | None) -> list[str]:
    """Paths of the newest brief of each scope that a scope sees, its own first; None: of every one, that of no scope
    first."""
    newest: dict[str, tuple[tuple[str, int], str]] = {}
    for path in below(memory, layout.BRIEFS):
        place, _, name = path.rpartition("/")
        if named := _NAME.fullmatch(name):
            key = (named[1], int(named[2] or 1))
            newest[place] = max(newest.get(place, (key, path)), (key, path))
    wanted = sorted(newest) if scope is None else map(folder, _seen(memory, scope))
    return [newest[place][1] for place in wanted if place in newest]


def _seen(memory: "Memory", scope: str) -> tuple[str, ...]:
    return (scope, *scopes.inherited(scope, memory.settings["scope.inherits"]))


def below(memory: "Memory", place: str) -> list[str]:
    """The paths of the files below a folder of the vault."""
    return [entry.path for entry in entries(memory, place)]


def entries(memory: "Memory", place: str) -> "list[Entry]":
    """The files below a folder of the vault, by path; nothing beside it is walked."""
    parts = place.split("/")
    above = {"/".join(parts[: depth + 1]) for depth in range(len(parts))}
    listing = memory.root.walk(lambda path, _is_dir: path not in above and not path.startswith(f"{place}/"))
    return listing.entries


def folder(scope: str) -> str:
    """Where the briefs of a scope lie: under its name, with a mark where a file name cannot say it letter by letter."""
    if not scope:
        return layout.BRIEFS
    slug = names.slug(scope)
    mark = "" if slug == scope else f"-{hashlib.sha256(scope.encode('utf-8', 'replace')).hexdigest()[:6]}"
    return f"{layout.BRIEFS}/{slug}{mark}"


def persona(memory: "Memory", scope: str) -> str:
    """Path of the persona's file: the one that the setting `persona` names, else that of the scope, else `default.md`;
    "" where there is none."""
    given = str(memory.settings["persona"]).strip()
    wanted = (given,) if given else (scope, "default")
    paths = [f"{layout.PERSONAS}/{names.slug(name.removesuffix('.md'))}.md" for name in wanted if name]
    return next((path for path in paths if memory.root.stat(path) is not None), paths[0] if given else "")


def persona_text(memory: "Memory", scope: str) -> str:
    """What the persona's file says behind its front matter; "" where there is none."""
    path = persona(memory, scope)
    if not path or memory.root.stat(path) is None:
        return ""
    lines = fence.legible(fence.decode(memory.root.read(path).data)).lstrip(fence.BOM).split("\n")
    return "\n".join(lines[(fence.closing_fence(lines) or -1) + 1 :]).strip()
