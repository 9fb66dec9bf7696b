"""What `.gitignore` files leave out, where there is no git to ask. Pure.

Understood: comments, `!`, a slash at the end (folders only), at the beginning or within (from that folder on), `*`,
`?`, `[...]`, and `**` as a whole segment. A pattern with a backslash is left out. The pathspec library knows the rest,
but this is read only for folders that no git program opens, which is no reason for a dependency; and its patterns
become one backtracking expression, which a stranger's `*a*a*a*a*a*b` can keep busy for hours. Here a segment is
matched by `fnmatch`, whose stars do not backtrack, and a path by its segments.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

_MOST_PATTERNS, _LONGEST = 500, 200  # of one file; characters of a pattern


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a `.gitignore`; `folder` is where the file lies, "" for the root."""

    folder: str
    segments: tuple[str, ...]
    keeps: bool
    folders_only: bool


def read(text: str, folder: str) -> list[Pattern]:
    """The patterns of the `.gitignore` in a folder, in order."""
    found = (_pattern(line, folder) for line in text.splitlines()[: 4 * _MOST_PATTERNS])
    return [pattern for pattern in found if pattern][:_MOST_PATTERNS]


def ignored(patterns: Sequence[Pattern], path: str, is_folder: bool) -> bool:
    """Whether the last pattern that matches a path leaves it out; `patterns` from the root's file downwards."""
    for pattern in reversed(patterns):
        if (is_folder or not pattern.folders_only) and _matches(pattern, path):
            return not pattern.keeps
    return False


def _pattern(line: str, folder: str) -> Pattern | None:
    text = line.rstrip()
    keeps = text.startswith("!")
    text = text.removeprefix("!")
    if not text or text.startswith("#") or "\\" in text or len(text) > _LONGEST:
        return None
    body = text.rstrip("/")
    anchored = "/" in body
    segments = tuple(part for part in body.split("/") if part)
    if not segments or segments.count("**") > 2:
        return None
    return Pattern(folder, segments if anchored else ("**", *segments), keeps, text.endswith("/"))


def _matches(pattern: Pattern, path: str) -> bool:
    if pattern.folder and not path.startswith(pattern.folder + "/"):
        return False
    below = path[len(pattern.folder) + 1 :] if pattern.folder else path
    return _fits(pattern.segments, tuple(below.split("/")))


def _fits(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        if len(wanted) == 1:
            return bool(parts)
        return any(_fits(wanted[1:], parts[at:]) for at in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], wanted[0]) and _fits(wanted[1:], parts[1:])
