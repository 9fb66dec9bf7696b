"""Conflict copies: what sync tools (and memdir) left beside a note goes back into it, and the copy goes.

Three-way by block where the history holds a version that both come from, else the union of both; what both changed
stays twice, the other version in a callout. A log gets the entries it lacks at its end. What is only named like a copy
may be a note from the same template: it needs an ancestor or an `id` in common, or to be named. One run; the copies'
texts stay in the history.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from memdir.app import places, runs, writing
from memdir.app.keeping import moving
from memdir.errors import MemdirError, NotFound, Problem, UsageError
from memdir.learn import entries
from memdir.vault import fields, files, layout, log, memory_md, merge, names, note, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory

ALIKE = 0.8  # share of lines that a file named like a copy has in common with the original
ANCESTOR = 0.3  # share of three-sign runs that an ancestor has in common with each of both at least
VERSIONS = 20  # of the history that are looked at, newest first
SHOWN = 20  # notes that the log names


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy and the note it belongs to, "" where its name does not tell; `marked`: no title looks like its name."""

    path: str
    original: str
    marked: bool = True

    @property
    def about(self) -> str:
        if not self.original:
            return "a conflict copy, but its name does not tell of which note: merge it by hand"
        if self.marked:
            return f"a conflict copy of {self.original}: `memdir merge-conflicts` merges it"
        return (
            f"looks like a sync copy of {self.original}: `memdir merge-conflicts '{self.path}'` merges it if it is one"
        )


@dataclass(frozen=True, slots=True)
class Joined:
    """What became of one copy. `how`: merged | same | renamed | left; `base`: digest of the ancestor, "" for none."""

    path: str
    copy: str
    how: str
    why: str = ""
    base: str = ""


@dataclass(slots=True)
class Merged(writing.Done):
    """What one run merged or would merge, and where a person must choose."""

    copies: list[Joined] = field(default_factory=list)
    conflicts: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _Text:
    """The note as it becomes, copy by copy. `base`: digest of the file, None: there is none."""

    text: str
    base: str | None
    old: str


# --- finding -------------------------------------------------------------------------------------


def copies(root: files.Root, paths: Iterable[str]) -> list[Copy]:
    """The copies among markdown files: those marked as such, and those named like one that hold nearly the same."""
    held = set(paths)
    found = []
    for path in sorted(held):
        original = names.original_of(path)
        if names.is_conflict_copy(path):
            found.append(Copy(path, original))
        elif original in held and _alike(root, path, original):
            found.append(Copy(path, original, marked=False))
    return found


def _alike(root: files.Root, one: str, other: str) -> bool:
    """Whether two files hold nearly the same lines; ids of their own tell two notes apart."""
    try:
        data = [root.read(path).data for path in (one, other)]
    except MemdirError:
        return False
    a, b = (set(each.split(b"\n")) for each in data)
    if len(a & b) < ALIKE * max(len(a), len(b)):
        return False
    ids = {note.parse(path, each).text("id") for path, each in zip((one, other), data, strict=True)}
    return len(ids - {""}) < 2


# --- merging -------------------------------------------------------------------------------------


@runs.verb
def merge_conflicts(memory: "Memory", named: Sequence[str], dry_run: bool) -> Merged:
    """Every copy, or those named, merged into its note and removed; what somebody saves meanwhile is left for the next
    time. Raises UsageError and NotFound for a name that means no copy."""
    found: dict[str, list[Copy]] = {}
    for copy in [_named(memory, name) for name in dict.fromkeys(named)] or _every(memory):
        found.setdefault(copy.original, []).append(copy)
    made = Merged()
    for original, group in found.items():
        try:
            _join(memory, original, group, made, dry_run)
        except MemdirError as error:
            told = {one.copy for one in made.copies}
            made.copies += [Joined(original, one.path, "left", str(error)) for one in group if one.path not in told]
    return _told(memory, made, dry_run)


def _every(memory: "Memory") -> list[Copy]:
    listing = moving.everything(memory)
    return copies(memory.root, (entry.path for entry in listing.entries if entry.path.endswith(".md")))


def _named(memory: "Memory", name: str) -> Copy:
    """The copy that somebody named, whatever it looks like inside."""
    path = memory.find(name)
    original = names.original_of(path)
    if not original:
        raise UsageError(f"{path} is not named like a copy of a note")
    if not names.is_conflict_copy(path) and memory.root.stat(original) is None:
        raise NotFound(f"{path} is no copy: there is no {original}")
    return Copy(path, original)


def _join(memory: "Memory", original: str, group: Sequence[Copy], made: Merged, dry_run: bool) -> None:
    """The copies of one note. Raises as `store.apply`; then those that are not done are as they were."""
    if not original:
        made.copies += [Joined("", one.path, "left", "its name does not tell of which note it is") for one in group]
        return
    if memory.own and original.startswith(places.MACHINE[:2]):
        made.copies += [Joined(original, one.path, "left", "a record that nobody rewrites") for one in group]
        return
    original, now = _start(memory, original, group)
    joined, removed = [], list[store.Change]()
    for copy in group:
        blob = memory.root.read(copy.path)
        if not copy.marked and (why := _doubt(memory, original, copy.path, fields.decode(blob.data), now.old)):
            made.copies.append(Joined(original, copy.path, "left", why))
            continue
        joined.append(_one(memory, original, copy.path, fields.decode(blob.data), now))
        removed.append(store.Remove(copy.path, blob.digest))
    if original == layout.INDEX_FILE:
        memory_md.checked(now.text, *memory.caps)
    if not removed:
        return
    changes: list[store.Change] = []
    if now.base is None or now.text != now.old:
        changes.append(store.Write(original, fields.encode(now.text), now.base))
    done = writing.do(memory, [*changes, *removed], dry_run)
    made.copies += joined
    made.conflicts += _conflicts(original, now.old, now.text)
    made.changed += done.changed
    made.notices += done.notices
    made.kept += done.kept
    made.run = done.run
    made.diff = "\n".join(filter(None, (made.diff, done.diff)))


def _doubt(memory: "Memory", original: str, path: str, theirs: str, ours: str) -> str:
    """Why a file that is only named like a copy may be a note of its own; "" where it is a copy.

    Two notes of one template are alike, too. A copy is the same text, or has an `id` in common, or is nearer to a
    version in the history than to the note as it is now.
    """
    if who := _linked(memory, path):
        return f"{who} links to it, so it may be a note"
    ids = [note.parse(path, fields.encode(text)).text("id") for text in (ours, theirs)]
    if ours == theirs or (ids[0] and ids[0] == ids[1]):
        return ""
    base, _ = _ancestor(memory, original, ours, theirs)
    if base is not None and _share(_grams(base), _grams(theirs)) > _share(_grams(ours), _grams(theirs)):
        return ""
    return "looks like a copy, merge it by naming it"


def _linked(memory: "Memory", path: str) -> str:
    """A file with a link to a name, by the index; "" for none."""
    stem = names.fold(path.rpartition("/")[2].removesuffix(".md"))
    rows = memory.current().rows(
        "SELECT f.path FROM links l JOIN files f ON f.id = l.file"
        " WHERE f.path <> ? AND (l.key IN (?, ?) OR l.key LIKE ? OR l.key LIKE ?) LIMIT 1",
        (path, stem, f"{stem}.md", f"%/{stem}", f"%/{stem}.md"),
    )
    return str(rows[0][0]) if rows else ""


def _start(memory: "Memory", original: str, group: Sequence[Copy]) -> tuple[str, _Text]:
    """The note to merge into, also where it has moved since; where it is gone, the newest copy in its place."""
    if memory.root.stat(original) is None and (moved := moving.moved_to(memory, original)):
        original = moved[0]
    if memory.root.stat(original) is not None:
        blob = memory.root.read(original)
        text = fields.decode(blob.data)
        return original, _Text(text, blob.digest, text)
    newest = max((memory.root.read(copy.path).stat.mtime_ns, copy.path) for copy in group)[1]
    text = fields.decode(memory.root.read(newest).data)
    return original, _Text(text, None, text)


def _one(memory: "Memory", original: str, path: str, theirs: str, now: _Text) -> Joined:
    """One copy taken into the text."""
    if theirs == now.text:
        return Joined(original, path, "same" if now.base else "renamed")
    if original == layout.OVERFLOW_FILE and memory.own:
        return Joined(original, path, "same", "made anew from the notes")
    if memory.own and layout.kind_of(original) == "log":
        now.text = _with_entries(original, now.text, theirs)
        return Joined(original, path, "merged")
    if original == layout.INDEX_FILE:
        theirs = memory_md.with_list_of(theirs, now.text)
    base, digest = _ancestor(memory, original, now.text, theirs)
    now.text = merge.merge(base, now.text, theirs, sure=False)
    return Joined(original, path, "merged", base=digest)


def _ancestor(memory: "Memory", path: str, ours: str, theirs: str) -> tuple[str | None, str]:
    """The kept version that is most like the other text, the newest of equals, and its digest; None where none is
    plausible. One that was updated later than the other text cannot be where it comes from."""
    best: tuple[float, str | None, str] = (0.0, None, "")
    grams, day = [_grams(text) for text in (ours, theirs)], _updated(path, theirs)
    for digest in list(dict.fromkeys(one.digest for one in memory.root.history(path)))[:VERSIONS]:
        try:
            text = fields.decode(memory.root.version(digest))
        except MemdirError:
            continue
        mine, other = (_share(_grams(text), one) for one in grams)
        if min(mine, other) >= ANCESTOR and other > best[0] and not _updated(path, text) > day:
            best = other, text, digest
    return best[1], best[2]


def _grams(text: str) -> frozenset[str]:
    text = text.replace("\r\n", "\n")
    return frozenset(text[at : at + 3] for at in range(max(1, len(text) - 2)))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _updated(path: str, text: str) -> str:
    day = note.parse(path, fields.encode(text)).text("updated")[:10]
    return day if names.is_day(day) else ""


def _with_entries(path: str, ours: str, theirs: str) -> str:
    """A log with what only the copy has behind its own text, which stays as it is."""
    end = fields.newline_of(ours)
    held, read = (
        [one for one in entries.read(path, fields.encode(text)) if one.raw.startswith("## ")] for text in (ours, theirs)
    )
    lines = {line.rstrip("\r") for line in ours.lstrip(fields.BOM).split("\n")}
    head = [line.rstrip("\r") for line in theirs.lstrip(fields.BOM).split("\n")]
    head = head[: read[0].line - 1] if read else head
    loose = "\n".join(line for line in head if line.strip() and line not in lines)
    missing = [one.raw for one in read if not any(f"{had.raw}\n".startswith(f"{one.raw}\n") for had in held)]
    gap = end if ours and not ours.endswith("\n") else ""
    added = [end + one.replace("\n", end) + end for one in (loose, *missing) if one.strip()]
    return ours + gap + "".join(added) if added else ours


# --- saying --------------------------------------------------------------------------------------


def _conflicts(path: str, old: str, new: str) -> Iterator[Problem]:
    """The places where both versions stand since the merge."""
    before = old.split("\n")
    known = set(pairwise([*before, ""]))
    lines = [*new.split("\n"), ""]
    for number, pair in enumerate(pairwise(lines), 1):
        if pair[0].startswith(merge.CALLOUT) and pair not in known:
            yield Problem(path, number, f"both versions are kept: {pair[0][len(merge.CALLOUT) :].strip()}")


def _told(memory: "Memory", made: Merged, dry_run: bool) -> Merged:
    """Index, MEMORY.md and log brought along; a log that was merged itself gets no line, so that an undo can be."""
    done = [one for one in made.copies if one.how != "left"]
    made.path = done[0].path if done else ""
    said = writing.entry(
        memory,
        f"Merged {len(done)} conflict cop{'y' if len(done) == 1 else 'ies'}",
        [*dict.fromkeys(f"- [[{one.path.rpartition('/')[2].removesuffix('.md')}]]" for one in done[:SHOWN]), log.OWN],
    )
    quiet = memory.clock.log_now() in {one.path for one in done}
    writing.after(memory, made, None if quiet else said, dry_run)
    return made
