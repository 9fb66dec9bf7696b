"""The edges of the vault's graph, read from the sidecar for the passages that are asked about.

Rows of links and names are made when a file is indexed; edges are told on demand, since a recall looks at some
dozens of passages. What a text mentions without a link is for `recall.mentions` to find. Writes nothing.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memdir import text
from memdir.index import lexicon
from memdir.index.filters import marks
from memdir.index.reader import Reader
from memdir.vault import markdown, names, note, resolve

MOST = 500  # values in one question to SQLite
PARTS = 8  # first passages of a long file that a link to the whole of it reaches
_TURN = re.compile(r"\^t\d{1,9}")
MANY = 64  # what links to a note is not walked back from a note with more: each would get an eighth of nothing


class Edge(NamedTuple):
    """From one passage to another. `strength`: of the far end, the summed weight of its edges of this kind.

    `kind`: the relation or the key of the fact that makes a link, `link` for one without; `name` (it names the far
    note), `named` (the far passage names its note), `entity`, `next`,
    `co_captured` (both rest on one conversation). `path`, `line` (from 0): where it is written, -1
    for nowhere. `anchor`: the heading or block that a link names.
    """

    source: int
    target: int
    weight: float
    strength: float
    kind: str
    path: str = ""
    line: int = -1
    anchor: str = ""


class Part(NamedTuple):
    """A passage, lines [first, last) of a file."""

    id: int
    file: int
    path: str
    first: int
    last: int
    heading: str


@dataclass(frozen=True, slots=True)
class Called:
    """The names that a file goes by."""

    path: str
    stem: str
    name: str
    aliases: tuple[str, ...]
    kind: str

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.name, *self.aliases, self.path.rpartition("/")[2].removesuffix(".md"))))


def rows(file: int, path: str, body: markdown.Body) -> list[tuple[object, ...]]:
    """Rows of `links`: `kind` is the relation or the key of the fact on the line."""
    if not body.links:
        return []
    kinds = {fact.line: names.fold(fact.key) for fact in body.facts}
    kinds |= {relation.line: relation.kind for relation in body.relations}
    return [(file, x.line, x.target, _key(x.target, path), x.wiki, x.anchor, kinds.get(x.line, "")) for x in body.links]


def _key(target: str, path: str) -> str:
    """Under which a link is found from what it leads to: a path or its end; `./` and `../` are seen from the file."""
    if target.startswith(("./", "../")):
        target = resolve.joined(resolve.parent(path), target)
    return names.fold(target.removeprefix("/"))


def _keys(called: "Called") -> list[str]:
    """The keys of links that may lead to a file by its path."""
    parts = names.fold(called.path.removesuffix(".md")).split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def name_begins(parsed: note.Note) -> list[str]:
    """By what a file is looked up in a text that may mention it, none twice."""
    return sorted(set(filter(None, map(lexicon.begin, (parsed.name, *parsed.aliases, parsed.stem)))))


def sought(name: str) -> str:
    """The longest of the analysed terms of a name, whole words before those with joints; "" for none."""
    return max(text.terms(name), key=lambda term: (term.isalnum(), len(term)), default="")


def _stem(key: str) -> str:
    return key.rpartition("/")[2]


def _chunks(values: Collection[Any]) -> Iterator[list[Any]]:
    held = list(values)
    for start in range(0, len(held), MOST):
        yield held[start : start + MOST]


@dataclass(slots=True)
class Graph:
    """What one recall has read of the graph so far."""

    source: Reader
    parts: dict[int, Part] = field(default_factory=dict)
    of_file: dict[int, list[Part]] = field(default_factory=dict)
    _called: dict[int, Called] = field(default_factory=dict)
    _files: dict[str, int] = field(default_factory=dict)
    _strong: dict[int, float] = field(default_factory=dict)

    def take(self, numbers: Collection[int]) -> list[Part]:
        """The passages of some numbers by path and line; their files are read whole. Turns are left out."""
        for chunk in _chunks([one for one in numbers if one > 0 and one not in self.parts]):
            self._add(f"p.file IN (SELECT file FROM passages WHERE id IN ({marks(chunk)}))", chunk)
        return sorted((self.parts[one] for one in numbers if one in self.parts), key=place)

    def whole(self, files: Collection[int]) -> None:
        """Read the passages of some files."""
        for chunk in _chunks([file for file in files if file not in self.of_file]):
            self._add(f"p.file IN ({marks(chunk)})", chunk)

    def _add(self, where: str, values: list[int]) -> None:
        sql = "SELECT p.id, p.file, f.path, p.first, p.last, p.heading FROM passages p JOIN files f ON f.id = p.file"
        for row in self.source.rows(f"{sql} WHERE {where} ORDER BY f.path, p.first", values):
            part = Part(*row)
            if part.id not in self.parts:
                self.parts[part.id] = part
                self.of_file.setdefault(part.file, []).append(part)

    def holding(self, file: int, line: int) -> Part | None:
        """The passage with a line of a file; the first for a line that is in none, as some of front matter."""
        parts = self.of_file.get(file, [])
        return next((part for part in parts if part.first <= line < part.last), parts[0] if parts else None)

    def entered(self, file: int, anchor: str = "") -> list[tuple[Part, float]]:
        """The passages that a link to a file leads to, and the share of each: of one that names a heading those under
        it, of one that names a block any, else the first PARTS. The squares of the shares make 1."""
        parts = self.of_file.get(file, [])
        if anchor and not anchor.startswith("^"):
            wanted = names.fold(anchor.rpartition("#")[2].strip())
            parts = [part for part in parts if wanted in names.fold(part.heading).split(" › ")] or parts[:PARTS]
        elif not anchor:
            parts = parts[:PARTS]
        share = 1 / math.sqrt(len(parts)) if parts else 0.0
        return [(part, share) for part in parts]

    def called(self, files: Collection[int]) -> dict[int, Called]:
        """The names of some files."""
        for chunk in _chunks([file for file in files if file not in self._called]):
            sql = f"SELECT id, path, stem, name, aliases, kind FROM files WHERE id IN ({marks(chunk)})"
            self._know(self.source.rows(sql, chunk))
        return {file: self._called[file] for file in files if file in self._called}

    def beginning(self, begins: Collection[str]) -> dict[int, Called]:
        """The notes with a name that has one of some beginnings, as `lexicon.begin` gives them."""
        found: set[int] = set()
        for chunk in _chunks(begins):
            sql = f"SELECT file FROM names WHERE start IN ({marks(chunk)})"
            found |= {row[0] for row in self.source.rows(sql, chunk)}
        return {file: called for file, called in self.called(found).items() if called.kind == "note"}

    def _know(self, found: list[tuple[Any, ...]]) -> None:
        for id, path, stem, name, aliases, kind in found:
            self._called[id] = Called(path, stem, name, tuple(json.loads(aliases)), kind)
            self._files[path] = id

    def links(self, numbers: Collection[int]) -> list[Edge]:
        """Every link that leaves some passages or leads to them, from their side."""
        parts = self.take(numbers)
        wanted = {part.id for part in parts}
        files = {part.file: part.path for part in parts}
        out = [
            (file, files[file], *row)
            for chunk in _chunks(files)
            for file, *row in self.source.rows(
                f"SELECT file, line, target, anchor, kind FROM links WHERE file IN ({marks(chunk)}) AND target <> ''"
                " ORDER BY line, target",
                chunk,
            )
        ]
        back = self._back(files)
        meant = self._meant({(target, path) for _, path, _, target, *_ in [*out, *back]})
        self.whole({*meant.values(), *(row[0] for row in back)})
        self._weigh({*meant.values(), *(row[0] for row in back)})
        found: list[Edge] = []
        for file, path, line, target, anchor, kind in out:
            near, far = self.holding(file, line), meant.get((target, path), file)
            if near and near.id in wanted and far != file:
                for part, share in self.entered(far, anchor):
                    found.append(Edge(near.id, part.id, share, self._strong[far], kind or "link", path, line, anchor))
        for file, path, line, target, anchor, kind in back:
            far, near = meant.get((target, path), file), self.holding(file, line)
            if near and far in files and far != file:
                for part, share in self.entered(far, anchor):
                    if part.id in wanted:
                        found.append(Edge(part.id, near.id, share, self._strong[file], kind or "link", path, line))
        return found

    def _back(self, files: Mapping[int, str]) -> list[tuple[Any, ...]]:
        """Links that may lead to some files, of those with at most MANY: file, path, line, target, anchor, kind."""
        keys = {names.fold(one) for called in self.called(files).values() for one in called.all}
        keys.update(key for called in self.called(files).values() for key in _keys(called))
        found: list[tuple[Any, ...]] = []
        for chunk in _chunks(sorted(keys)):
            few = f"SELECT key FROM links WHERE key IN ({marks(chunk)}) GROUP BY key HAVING count(*) <= {MANY}"
            found += self.source.rows(
                "SELECT l.file, f.path, l.line, l.target, l.anchor, l.kind FROM links l JOIN files f ON f.id = l.file"
                f" WHERE l.key IN ({few}) ORDER BY f.path, l.line, l.target",
                chunk,
            )
        return found

    def _meant(self, asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """(target, path of the file with the link) → the file it opens: as Obsidian does, else the one so named."""
        stems = sorted({_stem(names.fold(target)) for target, _ in asked})
        for chunk in _chunks(stems):
            sql = f"SELECT id, path, stem, name, aliases, kind FROM files WHERE stem IN ({marks(chunk)})"
            self._know(self.source.rows(sql, chunk))
        tree = resolve.Tree(sorted(self._files))
        found, rest = {}, []
        for target, path in sorted(asked):
            if opened := tree.meant(target, path)[:1]:
                found[target, path] = self._files[opened[0]]
            else:
                rest.append((target, path))
        if rest:
            named: dict[str, int] = {}
            shared = self.beginning({lexicon.begin(target) for target, _ in rest})
            for file, called in sorted(shared.items(), key=lambda one: one[1].path):
                for one in called.all:
                    named.setdefault(names.fold(one), file)
            found |= {(target, path): named[names.fold(target)] for target, path in rest if names.fold(target) in named}
        return found

    def _weigh(self, files: Collection[int]) -> None:
        """How many links leave or reach each of some files by its path, at least one."""
        fresh = [file for file in files if file not in self._strong]
        keys = {file: _keys(called) for file, called in self.called(fresh).items()}
        into: dict[str, int] = {}
        for chunk in _chunks(sorted({key for row in keys.values() for key in row})):
            sql = f"SELECT key, count(*) FROM links WHERE key IN ({marks(chunk)}) GROUP BY key"
            into |= dict(self.source.rows(sql, chunk))
        out: dict[int, int] = {}
        for held in _chunks(fresh):
            sql = f"SELECT file, count(*) FROM links WHERE file IN ({marks(held)}) GROUP BY file"
            out |= dict(self.source.rows(sql, held))
        for file in fresh:
            reach = sum(into.get(key, 0) for key in keys.get(file, []))
            self._strong[file] = float(max(1, out.get(file, 0) + reach))

    def co_captured(self, numbers: Collection[int]) -> list[Edge]:
        """From some passages to those with lines of the same conversations, where their lines name it as their source.
        A conversation of which more than MANY lines tell joins none of them."""
        parts = self.take(numbers)
        wanted = {part.id for part in parts}
        told = self._cited("file", {part.file for part in parts})
        held = self._cited("key", self._talks({key for _, _, key in told}))
        lines: dict[str, list[tuple[int, int]]] = {}
        for file, line, key in held:
            lines.setdefault(key, []).append((file, line))
        self.whole({file for file, _, _ in held})
        found = []
        for places in lines.values():
            ends = {part.id: part for at in places if (part := self.holding(*at))} if len(places) <= MANY else {}
            near = sorted(ends.keys() & wanted)
            found += [
                Edge(one, far.id, 1.0, float(len(ends)), "co_captured", far.path, far.first)
                for one in near
                for far in sorted(ends.values(), key=place)
                if far.file != ends[one].file
            ]
        return found

    def _cited(self, column: str, values: Collection[Any]) -> list[tuple[int, int, str]]:
        """File, line and key of the links to turns."""
        found: list[tuple[int, int, str]] = []
        for chunk in _chunks(values):
            sql = f"SELECT file, line, key, anchor FROM links WHERE {column} IN ({marks(chunk)}) AND anchor LIKE '^t%'"
            rows = self.source.rows(f"{sql} ORDER BY file, line", chunk)
            found += [(file, line, key) for file, line, key, anchor in rows if _TURN.fullmatch(anchor)]
        return found

    def _talks(self, keys: Collection[str]) -> list[str]:
        """Those of some keys that are names of session files."""
        found: list[str] = []
        for chunk in _chunks(sorted(keys)):
            sql = f"SELECT DISTINCT stem FROM files WHERE kind = 'session' AND stem IN ({marks(chunk)})"
            found += [stem for (stem,) in self.source.rows(sql, chunk)]
        return sorted(found)

    def next(self, numbers: Collection[int]) -> list[Edge]:
        """From some passages to the one before and the one behind in their files."""
        found = []
        for part in self.take(numbers):
            row = self.of_file[part.file]
            at = row.index(part)
            beside = [row[number] for number in (at - 1, at + 1) if 0 <= number < len(row)]
            found += [Edge(part.id, one.id, 1.0, 2.0, "next", one.path) for one in beside]
        return found


def place(part: Part) -> tuple[str, int]:
    return part.path, part.first
