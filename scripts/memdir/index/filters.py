"""What narrows a search: the part of reading that costs nothing to import."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memdir.vault import names


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be. `since`, `until`: days, both inclusive; `tags`: every one, parents match children."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scope: str | None = None
    since: str = ""
    until: str = ""
    path: str | None = None

    def sql(self) -> tuple[list[str], list[Any]]:
        """Conditions over `files f` and their values."""
        parts: list[str] = []
        values: list[Any] = []
        if self.types:
            parts.append(f"(f.type IN ({marks(self.types)}) AND f.kind = 'note' OR f.kind IN ({marks(self.types)}))")
            values += [*self.types, *self.types]
        for tag in self.tags:
            key = names.fold(tag.lstrip("#"))
            parts.append("EXISTS (SELECT 1 FROM tags t WHERE t.file = f.id AND (t.key = ? OR substr(t.key, 1, ?) = ?))")
            values += [key, len(key) + 1, key + "/"]
        for condition, value in (
            ("f.scope = ?", self.scope),
            ("f.date >= ?", self.since or None),
            ("f.date <= ? AND f.date <> ''", self.until or None),
        ):
            if value is not None:
                parts.append(condition)
                values.append(value)
        if self.path:
            parts.append("(f.path = ? OR substr(f.path, 1, ?) = ?)")
            folder = self.path.rstrip("/") + "/"
            values += [self.path, len(folder), folder]
        return parts, values


def marks(items: Sequence[object]) -> str:
    """SQL placeholders for a list of values."""
    return ", ".join("?" * len(items))
