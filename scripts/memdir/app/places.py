"""Which files a move means, where they go, and what may not be moved. Writes nothing.

NOTE is found as everywhere; NEW is a path, a folder that ends in `/`, or a new name in the same folder.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memdir.errors import BadData, Conflict, NotFound, UsageError
from memdir.vault import files, layout, names, relink, resolve

if TYPE_CHECKING:
    from memdir.app.memory import Memory

MACHINE = tuple(f"memory/{name}/" for name in ("ledger", "sessions", "briefs", "checkpoints", "personas", "inbox"))


def asked(memory: "Memory", target: str, new: str, listing: files.Listing) -> dict[str, str]:
    """Old path → new path of each file. Raises UsageError, NotFound, BadData and Conflict."""
    paths = [entry.path for entry in listing.entries]
    if target.endswith(("/", "\\")):
        to = _folder(target, new, paths, layout.FOLDERS if memory.own else ())
        stuck = [*listing.placeholders, *listing.unreadable, *listing.links]
        folder = files.check_path(target.rstrip("/\\"))
        if held := [path for path in stuck if path.startswith(f"{folder}/")]:
            raise BadData(f"{held[0]} is a link or cannot be read: the folder does not move without it")
    else:
        old = _source(memory, target, paths)
        to = {old: _place(memory, old, new)}
    for old, place in to.items():
        _may_go(memory, old)
        _may_come(memory, old, place)
    return to


def _folder(target: str, new: str, paths: Sequence[str], fixed: Sequence[str]) -> dict[str, str]:
    folder, place = files.check_path(target.rstrip("/\\")), new.rstrip("/\\")
    if any(f"{one}/".startswith(f"{folder}/") for one in fixed):
        raise BadData(f"{folder}/ belongs to the vault format: it stays where it is")
    if place == new:
        raise UsageError(f"a folder moves to a folder: {new}/")
    place = files.check_path(place, create=True)
    if f"{place}/".startswith(f"{folder}/"):
        raise UsageError(f"{folder}/ cannot move into itself")
    if any(path.startswith(f"{place}/") for path in paths):
        raise Conflict(f"{place}/ holds files already; move the notes one by one", path=place)
    found = {path: f"{place}/{path[len(folder) + 1 :]}" for path in paths if path.startswith(f"{folder}/")}
    if not found:
        raise NotFound(f"no files in {folder}/")
    return {path: files.check_path(at, create=True) for path, at in found.items()}


def _source(memory: "Memory", target: str, paths: Sequence[str]) -> str:
    """The file meant, in the spelling on disk: any file by its path, a note by whatever names it."""
    path = target if target.startswith("[[") else files.check_path(target)
    if path not in paths:
        if any(one.startswith(f"{path}/") for one in paths):
            raise UsageError(f"{path} is a folder; write {path}/ to move it")
        path = path if "[[" not in path and memory.root.stat(path) else memory.find(target)
    same = unicodedata.normalize("NFC", path)
    found = path if path in paths else next((p for p in paths if unicodedata.normalize("NFC", p) == same), "")
    if not found:
        raise NotFound(f"{path} is in a folder that memdir leaves alone")
    return found


def _place(memory: "Memory", old: str, new: str) -> str:
    """The new path of a file: `folder/`, a path, or a bare name in the same folder; the ending may be left out."""
    folder, name = resolve.parent(old), old.rpartition("/")[2]
    new = new.replace("\\", "/")
    if "/" not in new:
        place = f"{folder}/{new}".removeprefix("/")
    elif new.endswith("/") or not (_has_ending(old, new) or memory.root.make_folder(new, dry_run=True)):
        place = f"{new.rstrip('/')}/{name}" if new not in ("/", "./") else f"{new}{name}"
    else:
        place = new
    place = files.check_path(place if _has_ending(old, place) else place + old[old.rfind(".") :], create=True)
    if not relink.linkable(place if resolve.parent(place) != folder else place.rpartition("/")[2]):
        raise UsageError(f"{place}: no link can hold this path; leave out [ ] | # ^ and \\")
    return place


def _has_ending(old: str, new: str) -> bool:
    ending = old.rpartition("/")[2].rpartition(".")[2]
    return "." not in old.rpartition("/")[2] or new.lower().endswith(f".{ending.lower()}")


def _may_go(memory: "Memory", path: str) -> None:
    if path == layout.INDEX_FILE:
        raise BadData(f"{path} is what agents read first: it stays where it is")
    if memory.own and path.startswith("memory/inbox/"):
        raise BadData(f"{path} is a proposal: `memdir inbox accept` makes it a note")
    if memory.own and (path.startswith(MACHINE) or path == layout.OVERFLOW_FILE or path.endswith("-state.json")):
        raise BadData(f"{path} is kept by memdir: it stays where it is")
    if appended_only(memory, path):
        raise BadData(f"{path} is a daily log: it stays where its day is looked for")


def _may_come(memory: "Memory", old: str, new: str) -> None:
    rules = memory.vault.rules
    if not memory.own or not is_note(old):
        return
    if new == layout.INDEX_FILE or new.startswith(MACHINE) or (rules.counts(old) and not rules.counts(new)):
        raise UsageError(f"{new} would be no note; notes lie in {', '.join(layout.FOLDERS[:4])} or another of memory/")
    if layout.kind_of(new) == "log":
        raise UsageError(f"{new} would be a daily log: names that begin with a day belong in a topic folder")


def free(to: Mapping[str, str], paths: Iterable[str]) -> None:
    """Raise Conflict where a target is taken, also by a name that differs in case only, UsageError for no move."""
    if any(old == new for old, new in to.items()):
        raise UsageError("it is there already")
    taken = {names.fold(path): path for path in paths if path not in to}
    for place in to.values():
        if held := taken.get(names.fold(place)):
            raise Conflict(f"{held} exists already; nothing was moved", path=held)


def appended_only(memory: "Memory", path: str) -> bool:
    """Whether nobody rewrites this file: a session, or a daily log of a vault that memdir made."""
    kind = layout.kind_of(path)
    return kind == "session" or (
        memory.own and kind == "log" and path.endswith(".md") and memory.vault.rules.counts(path)
    )


def is_note(path: str) -> bool:
    return path.lower().endswith(".md")
