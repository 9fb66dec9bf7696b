"""What narrows a search: the part of reading that costs nothing to import."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from memdir.vault import names


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be. `since`, `until`: days, both inclusive; `tags`: every one, parents match children.

    `as_of`: a day that no turn and no log entry is later than; of notes the facts are dated, not the file.
    `scope`: this one, and those that are `inherited`. `session`, `speaker`: only turns have them; `not_session`: a
    conversation whose turns are left out; `reviewed`: without notes from outside that nobody has reviewed.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scope: str | None = None
    since: str = ""
    until: str = ""
    path: str | None = None
    session: str | None = None
    not_session: str | None = None
    speaker: str | None = None
    as_of: str = ""
    inherited: tuple[str, ...] = ()
    reviewed: bool = False

    def turns(self) -> tuple[list[str], list[Any]]:
        """Conditions over turns: `turns t`, their `files f` and `sessions n`."""
        parts, values = self._of_files("substr(t.ts, 1, 10)")
        if self.as_of:
            parts.append("substr(t.ts, 1, 10) <= ?")
            values.append(self.as_of)
        for condition, value in (
            ("n.id = ?", self.session),
            ("n.id <> ?", self.not_session),
            ("t.voice = ?", None if self.speaker is None else names.fold(self.speaker)),
        ):
            if value is not None:
                parts.append(condition)
                values.append(value)
        return parts, values

    def sql(self) -> tuple[list[str], list[Any]]:
        """Conditions over `files f` and their values."""
        parts, values = self._of_files("f.date")
        if self.as_of:
            parts.append("(f.kind <> 'log' OR f.date <= ?)")
            values.append(self.as_of)
        return ([*parts, "0"], values) if self.session is not None or self.speaker is not None else (parts, values)

    def _of_files(self, day: str) -> tuple[list[str], list[Any]]:
        parts: list[str] = []
        values: list[Any] = []
        if self.types:
            parts.append(f"(f.type IN ({marks(self.types)}) AND f.kind = 'note' OR f.kind IN ({marks(self.types)}))")
            values += [*self.types, *self.types]
        for tag in self.tags:
            key = names.fold(tag.lstrip("#"))
            parts.append("EXISTS (SELECT 1 FROM tags t WHERE t.file = f.id AND (t.key = ? OR substr(t.key, 1, ?) = ?))")
            values += [key, len(key) + 1, key + "/"]
        if self.scope is not None:
            held = (self.scope, *self.inherited)
            parts.append(f"f.scope IN ({marks(held)})")
            values += held
        for condition, value in (
            (f"{day} >= ?", self.since or None),
            (f"{day} <= ? AND {day} <> ''", self.until or None),
        ):
            if value is not None:
                parts.append(condition)
                values.append(value)
        if self.reviewed:
            parts.append("f.outside = 0")
        if self.path:
            parts.append("(f.path = ? OR substr(f.path, 1, ?) = ?)")
            folder = self.path.rstrip("/") + "/"
            values += [self.path, len(folder), folder]
        return parts, values


def marks(items: Collection[object]) -> str:
    """SQL placeholders for a list of values."""
    return ", ".join("?" * len(items))
