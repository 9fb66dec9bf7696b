"""What a note about a file of the workspace should say: proposals, for a person or an agent to accept.

Nothing is invented: a body is the file's own first words, headings, items and names, cleaned and quoted, and where
it came from. Which of them reach `memory/inbox/`, and without which secrets, is decided by the caller. Pure.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from memdir import text
from memdir.learn.workspace import manifest, prose
from memdir.learn.workspace.inert import inline, plain
from memdir.learn.workspace.look import File, Seen
from memdir.text import cut

MOST = 20  # proposals of one scan
LONGEST = 1_500  # characters of a body
_TITLE = 90
_PARAGRAPHS = 650  # characters
_ITEMS = 8
_SAYS = 5  # tokens of a paragraph at least: 20 Latin letters, five or six Chinese characters
_ALL_ALIKE = 3  # a rank lost by every further file of the same form, so that thirty decisions leave room for the rest
_FACTS = ("manifest", "service", "build")  # forms read by `manifest`, not as documents
_MOST_OF = {"build": 3, "service": 5, "manifest": 5, "journal": 5}  # files of a form that tell little beside each other
# Fewer tokens than that say nothing worth a note; a README says at least what it is.
_LEAST = {"prose": 24, "journal": 24, "docs": 12, "howto": 12}
_STATUS = re.compile(r"^\W*(?:status|状态)\W+(.{1,80})$", re.IGNORECASE)
_DECIDED = re.compile(r"decision\b(?! drivers| record)|decision outcome|结论|决定|决策", re.IGNORECASE)
_VERSION = re.compile(r"\d+\.\d+|\d{4}-\d\d|unreleased|next|未发布|upcoming", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A note worth writing. `source`: path in the workspace ("." for what changed in its program text).

    `digest`: SHA-256 of that file; (source, digest) is what the caller keeps to hear of it once only.
    `title` and `body` are harmless markdown, but a stranger's words: instructions in them are not judged here.
    """

    kind: Literal["project", "ref"]
    title: str
    body: str
    source: str
    digest: str
    reason: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Proposals, best first. `rest`: files that would have made further ones; `empty`: said nothing to quote."""

    proposals: tuple[Proposal, ...]
    rest: int = 0
    known: int = 0
    empty: int = 0


def proposals(seen: Seen, today: date, *, known: Collection[tuple[str, str]] = frozenset(), most: int = MOST) -> Offer:
    """What to remember of what was seen; nothing whose (source, digest) is known. The same input, the same offer."""
    told = set(known)
    before = {source for source, _ in told}
    fresh = [file for file in seen.files if (file.path, file.digest) not in told]
    made: list[Proposal] = []
    count: Counter[str] = Counter()
    empty = rest = 0
    for file in _ranked(fresh):
        if len(made) >= most or count[file.worth.form] >= _MOST_OF.get(file.worth.form, most):
            rest += 1
        elif one := _proposal(seen.name, file, today):
            count[file.worth.form] += 1
            # A file without commits may be young or old: what was never proposed is new to the reader.
            told_of = "changed" if file.path in before else file.reason if file.commits else "new"
            made.append(replace(one, reason=told_of))
        else:
            empty += 1
    group = _sources(seen, today)
    if group and (group.source, group.digest) not in told:
        made.insert(min(len(made), 3), group)
    offered = tuple(_distinct(made[:most]))
    return Offer(offered, rest + len(made) - len(offered), len(seen.files) - len(fresh), empty)


def _ranked(files: Sequence[File]) -> list[File]:
    """By rank, the newest first where git knows the day; every further file of one form ranks lower."""
    groups: dict[str, list[File]] = defaultdict(list)
    for file in sorted(files, key=lambda file: file.path):
        groups[file.worth.form].append(file)
    found: list[tuple[int, File]] = []
    for alike in groups.values():
        alike.sort(key=lambda file: file.commits[0].day if file.commits else "", reverse=True)
        alike.sort(key=lambda file: file.worth.rank)
        found += [(file.worth.rank + _ALL_ALIKE * place, file) for place, file in enumerate(alike)]
    return [file for _, file in sorted(found, key=lambda one: (one[0], one[1].path))]


def _proposal(name: str, file: File, today: date) -> Proposal | None:
    """The proposal about one file; None when there is nothing in it to quote."""
    if file.worth.form in _FACTS:
        title, said = file.path, _facts(file)
    else:
        document = prose.read(file.text, file.path)
        title, said = document.title, _document(file, document)
    if not said:
        return None
    kind: Literal["project", "ref"] = "project" if file.worth.kind == "project" else "ref"
    return Proposal(kind, _title(name, file, title), _body(file, said, today), file.path, file.digest, file.reason)


def _title(name: str, file: File, said: str) -> str:
    """The workspace and what the file calls itself; its name where that says no more than the workspace's."""
    stem = file.path.rsplit("/", 1)[-1].rpartition(".")[0] or file.path
    said = said.strip("*_`: ")
    if file.worth.form == "readme" and "/" not in file.path:
        said = "" if _folded(said) == _folded(name) else said
        said = said or "README"
    if file.worth.form == "readme" and "/" in file.path:
        said = f"{said or 'README'} ({file.path.rpartition('/')[0]})"
    return cut(plain(f"{name}: {said or stem}").replace("\\#", ""), _TITLE)


def _folded(title: str) -> str:
    return re.sub(r"[\W_]+", "", title.casefold())


def _distinct(offered: Sequence[Proposal]) -> Iterator[Proposal]:
    """The same proposals; a title that another one has, too, is followed by the path."""
    count = Counter(one.title.casefold() for one in offered)
    for one in offered:
        if count[one.title.casefold()] == 1:
            yield one
        else:
            head = cut(one.title, max(30, _TITLE - len(one.source) - 3))
            yield replace(one, title=f"{head} ({_path(one.source)})")


def _body(file: File, said: list[str], today: date) -> str:
    """The quoted text of a file, and where it came from."""
    if file.reason == "changed" and file.commits:
        said.append(_row("Commits", [commit.subject for commit in file.commits[:4]], 250))
    first = file.commits[0] if file.commits else None
    told = f", commit {first.hash} of {first.day}" if first and first.hash.isalnum() else f", of {file.day}"
    origin = f"From `{_path(file.path)}`{told}; read {today:%Y-%m-%d}, sha256 {file.digest[:12]}."
    return _quoted(said, LONGEST - len(origin) - 2) + "\n\n" + origin


def _quoted(lines: Iterable[str], most: int) -> str:
    """Lines as one blockquote of at most `most` characters; paragraphs stay apart from lists and rows."""
    out: list[str] = []
    size = 0
    for line in filter(None, lines):
        if out and not (line.startswith("- ") and out[-1].startswith("> - ")):
            out.append(">")
        if size + len(line) + 6 > most:
            break
        out.append(f"> {line}")
        size += len(line) + 6
    while out and out[-1] == ">":
        out.pop()
    return "\n".join(out)


def _path(path: str) -> str:
    """A path as it may stand in a code span."""
    return inline(path).replace("`", "'").replace("\\#", "#")


def _row(label: str, values: Iterable[str], most: int) -> str:
    """`label: a; b; c` in at most `most` characters, whole values only."""
    kept, size = "", 0
    for value in dict.fromkeys(filter(None, (cut(plain(value), 120) for value in values))):
        if size + len(value) + 2 > most:
            kept += "; …"
            break
        kept, size = f"{kept}; {value}" if kept else value, size + len(value) + 2
    return f"{label}: {kept}" if kept else ""


def _facts(file: File) -> list[str]:
    return [f"- {said}" for line in manifest.facts(file.path, file.text) if (said := cut(plain(line), 420))]


def _document(file: File, document: prose.Document) -> list[str]:
    """First words, then what its form is read for, then headings and addresses; [] for what says too little."""
    match file.worth.form:
        case "changelog":
            said = _latest(document)
        case "plan":
            said = [*_first(document, 300), *_open(document)]
        case "decision":
            said = _decided(document)
        case _:
            said = _first(document, _PARAGRAPHS) or _bullets(document.sections)
    if text.token_count(" ".join(said)) < _LEAST.get(file.worth.form, 4):
        return []
    if file.worth.form not in ("changelog", "decision"):
        said.append(_row("Sections", _parts(document), 330))
    if file.worth.form != "changelog":
        said.append(_row("Links", document.links, 240))
    return said


def _first(document: prose.Document, most: int) -> list[str]:
    """The first paragraph, and those after it while it is short."""
    out: list[str] = []
    size = 0
    for section in document.sections:
        for paragraph in section.paragraphs:
            if paragraph.endswith((":", "：")) or paragraph in (*out, document.title):
                continue  # announces a list or code that is not quoted, or says it again
            if size >= 160 or size + min(len(paragraph), 200) > most:
                return out
            out.append(cut(paragraph, most - size))
            size += len(out[-1])
        if out and size >= 60:
            break
    return out if text.token_count(" ".join(out)) >= _SAYS else []


def _parts(document: prose.Document) -> list[str]:
    """The headings below the title, of the upper levels only when those are enough to tell the parts."""
    named = [section for section in document.sections if section.title and section.title != document.title]
    for level in sorted({section.level for section in named}):
        above = [section.title for section in named if section.level <= level]
        if len(above) >= 4:
            return above
    return [section.title for section in named]


def _bullets(sections: Iterable[prose.Section]) -> list[str]:
    """The first items, for a document that is a list."""
    items = [plain(item) for section in sections for _, item in section.items]
    return [f"- {cut(item, 200)}" for item in items if item][:_ITEMS]


def _open(document: prose.Document) -> list[str]:
    """What is not done: items with an empty box, or all where nothing has a box."""
    every = [(mark, plain(item)) for section in document.sections for mark, item in section.items]
    boxed = any(mark for mark, _ in every)
    left = [item for mark, item in every if item and (mark not in ("x", "X", "-", "") if boxed else True)]
    rest = [f"- … and {len(left) - _ITEMS} more"] if len(left) > _ITEMS else []
    return [f"- {cut(item, 160)}" for item in left[:_ITEMS]] + rest


def _latest(document: prose.Document) -> list[str]:
    """The newest section of a changelog that says something, with those below it."""
    sections = document.sections
    for place, section in enumerate(sections):
        if not _VERSION.search(section.title):
            continue
        below = [section]
        for other in sections[place + 1 :]:
            if other.level <= section.level:
                break
            below.append(other)
        said = [cut(one, 300) for part in below for one in part.paragraphs][:2] + _bullets(below)
        if said:
            return [f"**{section.title}**", *said]
    return _first(document, _PARAGRAPHS) or _bullets(sections)


def _decided(document: prose.Document) -> list[str]:
    """Status, the question, the decision."""
    lines = [line for one in document.sections for line in (*one.paragraphs, *(item for _, item in one.items))]
    status = next((found[1] for line in lines if (found := _STATUS.match(plain(line)))), "")
    for section in document.sections:
        if re.fullmatch(r"status|状态", section.title.casefold()) and section.paragraphs:
            status = section.paragraphs[0]
    chosen = next((one for one in document.sections if one.level > 1 and _DECIDED.search(one.title)), None)
    said = _first(document, 350)
    if chosen:
        said += [f"{chosen.title}: {cut(one, 450)}" for one in chosen.paragraphs[:1]] or _bullets([chosen])
    return ([f"Status: {cut(plain(status), 80)}"] if status and said else []) + said


def _sources(seen: Seen, today: date) -> Proposal | None:
    """What happened to the program text, by its commits; None on a first scan, which has no before."""
    if seen.first or not seen.sources:
        return None
    commits = sorted({commit for every in seen.sources.values() for commit in every}, key=lambda commit: commit.place)
    folders = Counter("/".join(path.split("/")[:-1][:2]) or "." for path in seen.sources)
    shown = ", ".join(f"`{_path(folder)}` {count}" for folder, count in sorted(folders.items(), key=_most)[:6])
    subjects = [f"- {commit.day} {cut(plain(commit.subject), 110)}" for commit in commits]
    rest = [f"- … and {len(subjects) - 10} more"] if len(subjects) > 10 else []
    files, times = _counted(len(seen.sources), "source file"), _counted(len(commits), "commit")
    origin = f"{files} changed in {times} up to {commits[0].hash}: {shown}; read {today:%Y-%m-%d}."
    lines = [f"{path} {commit.hash}" for path in sorted(seen.sources) for commit in seen.sources[path]]
    digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    body = _quoted([*subjects[:10], *rest], LONGEST - len(origin) - 2) + "\n\n" + origin
    title = cut(plain(f"{seen.name}: {files} changed, {commits[-1].day} to {commits[0].day}"), _TITLE)
    return Proposal("project", title, body, ".", digest, "changed")


def _most(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
