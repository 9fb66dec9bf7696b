"""Which file a name means: `matches` for what a person types, `Tree` for a link, as Obsidian follows it.

Pure functions over the paths of a vault.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence

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


def only(target: str, found: Sequence[str], near: Callable[[], str] = str) -> str:
    """The one path found for `target`. Raises NotFound, with what is `near` to it, or Conflict where several are."""
    if not found:
        raise NotFound(f"no note {target!r}; {near()}`memdir list` shows what there is, `memdir recall` searches")
    if len(found) > 1:
        raise Conflict(f"{target!r} may mean {', '.join(found[:5])}; give more of the path")
    return found[0]


def key(text: str) -> str:
    """Under which a link and a path are compared: lower case, NFC, a no-break space as a space."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()).replace("\u00a0", " ")


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def joined(folder: str, path: str) -> str:
    """A path that begins with `./` or `../`, seen from a folder; what would leave the vault stays at its root."""
    path = path[2:] if path.startswith("./../") else path
    while path.startswith("../"):
        path, folder = path[3:], parent(folder)
    return f"{folder}/{path.removeprefix('./')}".removeprefix("/")


class Tree:
    """The files of a vault by name, so that a link costs no more than the files that share its name."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._named: dict[str, list[tuple[str, str]]] = {}
        for path in paths:
            folded = key(path)
            self._named.setdefault(folded.rpartition("/")[2], []).append((folded, path))

    def meant(self, link: str, source: str) -> list[str]:
        """Files that a link (without its `#`) in `source` may mean, the one that opens first.

        A name with an extension, else with `.md`; a bare name that one file has; `./` and `../` from the
        folder of the source; the exact path, which alone counts behind `/`; else every path that ends in it:
        those of the source's folder first, then short before long. As Obsidian does, both ends are compared
        by letters, not by segments; it leaves ties to chance, here the path decides.
        """
        if not link:
            return [source]
        wanted, found = self._found(key(link))
        if len(found) == 1 and "/" not in wanted:
            return [found[0][1]]
        folder = key(parent(source))
        if wanted.startswith(("./", "../")):
            wanted = joined(folder, wanted)
        absolute, wanted = wanted.startswith("/"), wanted.removeprefix("/")
        exact = [path for folded, path in found if folded == wanted]
        if exact or absolute:
            return sorted(exact, key=lambda path: (_stem(path) != _stem(link), path))[:1]
        near = [
            (not folded.startswith(folder), _units(path), path) for folded, path in found if folded.endswith(wanted)
        ]
        return [path for _, _, path in sorted(near)]

    def _found(self, wanted: str) -> tuple[str, list[tuple[str, str]]]:
        name = wanted.rpartition("/")[2]
        if "." in name and name in self._named:
            return wanted, self._named[name]
        return wanted + ".md", self._named.get(name + ".md", [])


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _units(path: str) -> int:
    """Length as Obsidian counts it: a sign beyond the basic plane is two."""
    return len(path) + sum(sign > "\uffff" for sign in path)
