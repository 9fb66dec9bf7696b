"""What a move must rewrite so that every link that led to a file still leads to it, as Obsidian does on a rename.

Only the paths inside links change; every other byte is kept. Functions from texts to texts: no file is read or
written here, and whether the move itself may be done is decided elsewhere.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from memdir.vault import links
from memdir.vault.links import Target
from memdir.vault.resolve import Tree, key, parent

Texts = Mapping[str, str] | Callable[[str], str | None]

MANY = 64  # names in a move beyond which every line with a markdown link is read in full
# What may be the path of a link, more than less: a wikilink's path, or the rest of the line behind `](` or `]:`.
_MAYBE = re.compile(r"\[\[([^\[\]\n|#]*)|\](?:\(|:)[ \t]*([^\n#]*)")
_SHOWN = re.compile(r"[ \t]*((?:#[^\[\]\n|]*)?)(?=\]\])")  # behind the path of a wikilink that says no other name


@dataclass(frozen=True, slots=True)
class Move:
    """A move of one file or of many: the vault before and after, and `to`, path → path."""

    to: Mapping[str, str]
    before: Tree
    after: Tree
    names: frozenset[str]  # keys of the file names that come or go, with and without `.md`


def carried(texts: Texts, paths: Sequence[str], move: Move) -> dict[str, str]:
    """The files whose text a move changes: path after the move → new text.

    `paths` are all files of the vault before the move, attachments too. `texts` gives the text of a note or a
    canvas, as decoded by `fence.decode`; a callable may return None for a file that is to be left alone.
    """
    changed: dict[str, str] = {}
    for path, text in _touched(texts, paths, move):
        rewritten = rewrite(path, text, move)
        if rewritten != text:
            changed[move.to.get(path, path)] = rewritten
    return changed


def together(paths: Sequence[str], to: Mapping[str, str]) -> Move:
    """The move of many files at once, each to a place of its own."""
    names = {key(path).rpartition("/")[2] for path in (*to, *to.values())}
    names |= {name.removesuffix(".md") for name in names}
    return Move(to, Tree(paths), Tree(to.get(path, path) for path in paths), frozenset(names))


def _touched(texts: Texts, paths: Sequence[str], move: Move) -> Iterator[tuple[str, str]]:
    """The notes and canvases that may change, one at a time; 10,000 notes need not be in memory."""
    for path in paths:
        if path.lower().endswith((".md", ".canvas")):
            text = texts(path) if callable(texts) else texts.get(path)
            if text is not None and (path in move.to or _may_change(path, text, move)):
                yield path, text


def rewrite(path: str, text: str, move: Move) -> str:
    """The text of one file after the move; `path` is its own before the move."""
    parts, at = [], 0
    for target in links.targets(path, text):
        spelled = _respelled(target, path, move)
        if spelled is not None:
            parts += [text[at : target.start], spelled]
            at = target.stop
    return "".join([*parts, text[at:]]) if parts else text


def adopted(path: str, text: str, move: Move) -> str:
    """The text of a file that came in from elsewhere under a new name, as `rewrite` makes it, but a link that leads
    there as it stands is left, and a wikilink is the bare name where that is clear and shows what it showed before."""
    own, parts, at = move.to.get(path, path), [], 0
    for target in links.targets(path, text):
        found = move.before.meant(target.path, path)[:1]
        if not found or move.after.meant(target.path, own) == [move.to[found[0]]]:
            continue
        bare = move.to[found[0]].rpartition("/")[2].removesuffix(".md")
        clear = target.kind == "wiki" and move.after.meant(bare, own) == [move.to[found[0]]]
        spelled = target.write(bare) if clear else _respelled(target, path, move)
        if spelled is not None:
            parts += [text[at : target.start], spelled]
            at = target.stop
            shown = _SHOWN.match(text, at) if target.kind == "wiki" else None
            if shown and text[: target.start].rstrip(" ")[-3:] != "![[":
                line = text.rfind("\n", 0, at) + 1
                bar = "\\|" if text[line:at].lstrip().startswith("|") else "|"
                parts += [shown[1], bar, text[target.start : target.stop], shown[1]]
                at = shown.end(1)
    return "".join([*parts, text[at:]]) if parts else text


def linkable(path: str) -> bool:
    """Whether a wikilink can hold this path; a move to one that it cannot leaves links that lead nowhere."""
    return not re.search(r"[\[\]|#^\\\n\r]", path)


def _may_change(path: str, text: str, move: Move) -> bool:
    """Whether a link may name a file that comes or goes: cheap, and true too often rather than too seldom.

    Only these can change their meaning, because a link is looked up by file name first (10,000 notes, 14 MB: 0.3 s).
    """
    if path.lower().endswith(".canvas"):
        return True
    for wiki, rest in _MAYBE.findall(text):
        if rest:
            line = key(unquote(rest) if "%" in rest else rest)
            if len(move.names) > MANY or "\\" in line or any(name in line for name in move.names):
                return True
        elif wiki:
            name = wiki.rpartition("/")[2].strip().rstrip("\\")
            if "\\" in name or "''" in name or key(name) in move.names:
                return True
    return False


def _respelled(target: Target, source: str, move: Move) -> str | None:
    """The new spelling of a link in `source`; None where the old one still does, or led nowhere before."""
    if target.kind == "file":
        found = [path for path in move.before.meant(f"/{target.path}", "") if key(path) == key(target.path)]
        return target.write(move.to[found[0]]) if found and found[0] in move.to else None
    found = move.before.meant(target.path, source)
    if not found:
        return None
    wanted, own = move.to.get(found[0], found[0]), move.to.get(source, source)
    beside = target.kind == "markdown" and _reads(target.path, source, found[0])
    if _still_good(target, found, move.after.meant(target.path, own), wanted) and (
        not beside or _reads(target.path, own, wanted)
    ):
        return None
    for spelling in _spellings(target, found[0], wanted, own, beside):
        if move.after.meant(spelling, own) == [wanted]:
            return target.write(spelling)
    return None


def _still_good(target: Target, found: Sequence[str], now: Sequence[str], wanted: str) -> bool:
    """Whether the old spelling leads to the wanted file, no less clearly than before, under the name it has now."""
    if now[:1] != [wanted] or (len(now) > 1 and len(found) == 1):
        return False
    name, written = found[0].rpartition("/")[2], target.path.rpartition("/")[2]
    return wanted.rpartition("/")[2] == name or written not in (name, name.removesuffix(".md"))


def _reads(link: str, source: str, wanted: str) -> bool:
    """Whether a reader that knows only folders, such as a code host, finds the file by this markdown link."""
    place = key(posixpath.normpath(posixpath.join(parent(source), link)))
    return not link.startswith("/") and key(wanted) in (place, place + ".md")


def _spellings(target: Target, old: str, wanted: str, own: str, beside: bool) -> Iterator[str]:
    """Spellings of the wanted path, the one in the manner of the old link first; the first that is clear is taken."""
    written = target.path
    whole = written.lower().endswith(".md") or not wanted.lower().endswith(".md")
    path = wanted if whole else wanted[:-3]
    if written.startswith(("./", "../")) or beside:
        near = posixpath.relpath(f"/{path}", f"/{parent(own)}")
        dotted = near if near.startswith("../") else f"./{near}"
        yield from (dotted,) if written.startswith("./") or not beside else (near, dotted)
    elif written.startswith("/"):
        yield f"/{path}"
    elif "/" not in written:
        yield path.rpartition("/")[2]
    elif key(written) not in (key(old), key(old).removesuffix(".md")):
        yield "/".join(path.split("/")[-written.count("/") - 1 :])
    yield from (path, wanted, f"/{wanted}")
