"""Which file a name means, as Obsidian resolves links: a path, or the shortest suffix that is unique.

Pure function over the paths of a vault.
"""

from collections.abc import Iterable, Sequence

from memdir.errors import Conflict, NotFound
from memdir.vault import names


def split_anchor(target: str) -> tuple[str, str]:
    """`PATH#heading`, `PATH#^block`, `PATH:line` or a wikilink as (path, anchor); a line comes back as `:12`."""
    if target.startswith("[[") and target.endswith("]]"):
        target = target[2:-2].partition("|")[0]
    path, mark, anchor = target.partition("#")
    if mark:
        return path, anchor
    head, colon, tail = target.rpartition(":")
    return (head, f":{tail}") if colon and tail.isdigit() and head else (target, "")


def matches(target: str, paths: Iterable[str]) -> list[str]:
    """Paths that a link target may mean, best first: the exact path alone, else every path that ends in it."""
    key = names.fold(names.relative(target))
    wanted = (key, key + ".md")
    found = []
    for path in paths:
        folded = names.fold(path)
        if path in (target, target + ".md"):
            return [path]
        if folded in wanted or folded.endswith(("/" + wanted[0], "/" + wanted[1])):
            found.append((folded not in wanted, path.count("/"), path))
    exact = [path for far, _, path in found if not far]
    return sorted(exact) if exact else [path for _, _, path in sorted(found)]


def only(target: str, found: Sequence[str]) -> str:
    """The one path found for `target`. Raises NotFound, or Conflict when it may mean several."""
    if not found:
        raise NotFound(f"no note {target!r}; `memdir list` shows what there is, `memdir recall` searches")
    if len(found) > 1:
        raise Conflict(f"{target!r} may mean {', '.join(found[:5])}; give more of the path")
    return found[0]
