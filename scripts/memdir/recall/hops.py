"""The second hop of a question: what the best answer leads to, where the question goes on.

"In which rack is the machine heron runs on": the words find heron, its link the machine, and of the question only
"rack" stands in the machine's note. Such a passage cannot win by its words, so places behind the first are kept for
it. Reads the index, and the vault through `Lines`; writes nothing.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from memdir import text
from memdir.config import Settings
from memdir.index import graph, lexical, reader
from memdir.recall import asking, evidence, spread
from memdir.vault import names

Group = Mapping[str, float]  # a word of the question: its alternatives and what each is worth


@dataclass(frozen=True, slots=True)
class Places:
    """`most` places behind the first `behind` files, for what is reached from the first `seeds` hits with `least`
    energy. A candidate counts energy * (1 + line * share of the question in the line that joins it) + words * score
    for what the seed does not hold of the question, the best first-pass score being 1.

    Measured on the own set's dev part: bridges all@5 91.3 % with one seed, 100 with two, 95.7 with three; the table
    stands in references/recall.md.
    """

    seeds: int = 2
    behind: int = 3
    most: int = 2
    least: float = 0.05
    line: float = 3.0
    words: float = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What the second hop must know. `allowed`: the passages within the filters, None for all."""

    parts: Sequence[asking.Part]
    groups: Sequence[Group]
    weights: lexical.Weights
    allowed: AbstractSet[int] | None = None


@dataclass(slots=True)
class Lines:
    """The lines of files as they are now, each decoded once; none of one that is gone."""

    opened: evidence.Files
    _held: dict[str, list[str]] = field(default_factory=dict)

    def text(self, path: str, first: int, last: int) -> str:
        if path not in self._held:
            blob = self.opened.read(path)
            self._held[path] = evidence.lines_of(blob.data, "") if blob else []
        return "\n".join(self._held[path][first:last])

    def part(self, part: graph.Part) -> str:
        return self.text(part.path, part.first, part.last)


def placed(
    opened: evidence.Files,
    source: reader.Reader,
    question: Question,
    hits: Sequence[reader.Hit],
    settings: Settings,
    strength: Mapping[str, float] | None = None,
) -> list[reader.Hit]:
    """The hits, best first, with places for passages that the graph reaches from the first of them.

    Those placed have the score of the hit that they stand before, `near` for the line that joins them, and `by`.
    """
    form = places(settings)
    seeds = [hit for hit in hits if hit.id > 0 and not hit.archived][: form.seeds]
    if not seeds or not form.most or not settings["graph.hops"]:
        return list(hits)
    lines = Lines(opened)
    if not _unsaid(question, seeds[0], lines):
        return list(hits)
    scores = {hit.id: max(hit.score, 0.0) for hit in seeds}
    reached = spread.spread(source, scores, spread.shape(settings, strength), lines.part)
    far = [one for one in reached.energy if question.allowed is None or one in question.allowed]
    found = {hit.id: hit for hit in source.hits(far) if not hit.archived and _says(lines, hit)}
    by = {one: reached.by[one] for one in found}
    energy = {
        one: reached.energy[one] * (1 + form.line * said) for one, said in _said(source, question, lines, by).items()
    }
    asked = _asked(source, question, lines, seeds, by)
    first = list(dict.fromkeys(map(place, hits)))[: form.behind]
    value = {
        one: round(energy[one] + form.words * asked.get(one, 0.0), 6)
        for one in found
        if reached.energy[one] >= form.least and place(found[one]) not in first
    }
    paths = {hit.id: hit.path for hit in [*found.values(), *source.hits([edge.source for edge in by.values()])]}
    chosen = best(value, found, form.most)
    return _inserted(hits, first, [_joined(found[one], by[one], paths) for one in chosen])


def _unsaid(question: Question, seed: reader.Hit, lines: Lines) -> bool:
    """Whether the best passage leaves a full word of the question unsaid: else there is nothing to go on for."""
    held = _held(seed, lines)
    return any(part.weight == 1 and not held.issuperset(part.terms) for part in question.parts)


def _held(seed: reader.Hit, lines: Lines) -> set[str]:
    """The terms of a passage, and of the names of its note."""
    told = lines.text(seed.path, seed.first, seed.last)
    return set(text.terms("\n".join([names.searched(seed.name, seed.path), *seed.aliases, told])))


def _says(lines: Lines, hit: reader.Hit) -> bool:
    """Whether a passage holds more than headings and what it embeds."""
    body = names.EMBED.sub("", lines.text(hit.path, hit.first, hit.last)).split("\n")
    return any(line.strip() and not line.startswith("#") for line in body)


def places(settings: Settings) -> Places:
    return Places(settings["graph.seeds"], settings["graph.behind"], settings["graph.places"])


def place(hit: reader.Hit) -> tuple[str, int]:
    """By which results are one: a note as a whole, every entry of a log by itself."""
    return hit.path, hit.first if hit.kind in ("log", "turn") else 0


def best(value: Mapping[int, float], found: Mapping[int, reader.Hit], most: int) -> list[int]:
    """The passages of most value, one a place; ties by path and line."""
    kept: dict[tuple[str, int], int] = {}
    for number in sorted(value, key=lambda one: (-value[one], found[one].path, found[one].first)):
        kept.setdefault(place(found[number]), number)
    return [*kept.values()][:most]


def _inserted(
    hits: Sequence[reader.Hit], first: Sequence[tuple[str, int]], more: Sequence[reader.Hit]
) -> list[reader.Hit]:
    """The hits with more of them behind the last of the first places."""
    at = next((number for number, hit in enumerate(hits) if place(hit) not in first), len(hits))
    score = hits[min(at, len(hits) - 1)].score
    numbers = {hit.id for hit in more}
    return [*hits[:at], *(hit._replace(score=score) for hit in more), *(x for x in hits[at:] if x.id not in numbers)]


def _joined(hit: reader.Hit, edge: graph.Edge, paths: Mapping[int, str]) -> reader.Hit:
    near = edge.line if edge.path == hit.path else -1
    return hit._replace(near=near, by=f"{edge.kind}: {paths[edge.source]}")


def _said(source: reader.Reader, question: Question, lines: Lines, by: Mapping[int, graph.Edge]) -> dict[int, float]:
    """Number → share of the question's words, by rarity, in the line that joins a passage."""
    total = source.lexical.doc_count
    rare = [
        (group, max(text.worth(term) * math.log1p(total / (1 + source.lexical.df(term))) for term in group))
        for group in question.groups
    ]
    whole = sum(worth for _, worth in rare) or 1.0
    said = {}
    for one, edge in by.items():
        terms = set(text.terms(lines.text(edge.path, edge.line, edge.line + 1))) if edge.line >= 0 else set()
        said[one] = sum(worth for group, worth in rare if terms & group.keys()) / whole
    return said


def _asked(
    source: reader.Reader,
    question: Question,
    lines: Lines,
    seeds: Sequence[reader.Hit],
    by: Mapping[int, graph.Edge],
) -> dict[int, float]:
    """Number → score of a passage for those words of the question that the seed before it does not hold."""
    found: dict[int, float] = {}
    for seed in seeds:
        near = [one for one, edge in by.items() if edge.source == seed.id]
        held = _held(seed, lines)
        rest = [group for group in question.groups if not held & group.keys()]
        if near and rest:
            whole = source.search(question.groups, question.weights, 1, [seeds[0].id]).best.get(seeds[0].id, 0.0)
            scores = source.search(rest, question.weights, len(near), near).best
            found |= {one: score / whole for one, score in scores.items()} if whole else {}
    return found
