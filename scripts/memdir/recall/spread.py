"""Spreading activation: energy of the passages that the words found flows along the edges of the vault's graph.

Along an edge goes the energy of its near end, damped, divided by the square root of the strength of both ends, so
that hubs do not win (after Collins and Loftus, 1975; the division is that of the normalised Laplacian). Only events of
use strengthen a memory, or a way to it; recall writes nothing.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memdir.config import Settings
from memdir.index import strength
from memdir.index.graph import Edge, Graph
from memdir.index.reader import Reader
from memdir.recall.mentions import Mentions, Texts

DIGITS = 6
READ = 24  # passages of a hop whose text is read for names
LEAST = 1e-4  # of the strongest seed's energy: what carries less is not walked on from


@dataclass(frozen=True, slots=True)
class Shape:
    """How energy flows. A weight of 0 leaves a kind of edge out. `strength`: memory, or way to one, → what arrives is
    times it."""

    hops: int = 2
    damping: float = 0.5
    link: float = 1.0
    name: float = 1.0
    named: float = 0.5
    entity: float = 0.5
    next: float = 0.25
    co_captured: float = 0.5
    strength: Mapping[str, float] = field(default_factory=dict)

    def use(self, source: tuple[str, int], target: tuple[str, int]) -> float:
        """What use makes of the energy that goes from one place to another."""
        path, line = target[0], f"{target[0]}:{target[1] + 1}"
        held = self.strength.get(path, self.strength.get(line, 1.0))
        led = self.strength.get(strength.way(source[0], path), self.strength.get(strength.way(source[0], line), 1.0))
        return held * led

    def weight(self, kind: str) -> float:
        own = {"name": self.name, "named": self.named, "entity": self.entity, "next": self.next}
        return {**own, "co_captured": self.co_captured}.get(kind, self.link)


def shape(settings: Settings, used: Mapping[str, float] | None = None) -> Shape:
    return Shape(settings["graph.hops"], settings["graph.damping"], strength=used or {})


@dataclass(frozen=True, slots=True)
class Reached:
    """`energy`: what arrived at each passage, by number. `by`: the edge that brought most of it."""

    energy: dict[int, float]
    by: dict[int, Edge]


def spread(source: Reader, seeds: Mapping[int, float], form: Shape, texts: Texts) -> Reached:
    """Energy of the passages round some seeds (number → score above 0); the strongest seed begins with 1.

    Seeds have what arrives from others. The same for an index that grew and one made anew: six digits, sums in the
    order of paths and lines. Turns neither send nor take.
    """
    graph = Graph(source)
    mentions = Mentions(graph, texts)

    def leaving(numbers: Sequence[int]) -> list[Edge]:
        found = _to_anchors(graph.links(numbers), graph, texts) if form.link else []
        if form.name or form.named or form.entity:
            found += mentions.edges(numbers[:READ], found)
        found += graph.co_captured(numbers) if form.co_captured else []
        return found + (graph.next(numbers) if form.next else [])

    first = {part.id: seeds[part.id] for part in graph.take([one for one, score in seeds.items() if score > 0])}
    return flow(first, leaving, form, lambda number: (graph.parts[number].path, graph.parts[number].first))


def _to_anchors(edges: Sequence[Edge], graph: Graph, texts: Texts) -> list[Edge]:
    """The edges, those of a link to a block or a heading only where a line of the far passage carries it, if any."""
    carried = {
        edge: any(map(_carrier(edge.anchor).search, texts(graph.parts[edge.target]).split("\n")))
        for edge in edges
        if edge.anchor
    }
    met = {(edge.path, edge.line, edge.anchor) for edge, held in carried.items() if held}
    return [
        edge if not carried.get(edge) else edge._replace(weight=1.0)
        for edge in edges
        if not edge.anchor or carried[edge] or (edge.path, edge.line, edge.anchor) not in met
    ]


def _carrier(anchor: str) -> re.Pattern[str]:
    said = re.escape(anchor.rpartition("#")[2].strip())
    heading = rf"^#{{1,6}}\s+{said}\s*#*$"
    return re.compile(rf"(?:^|\s){said}\s*$" if anchor.startswith("^") else heading, re.IGNORECASE)


def flow(
    seeds: Mapping[int, float],
    leaving: Callable[[Sequence[int]], Collection[Edge]],
    form: Shape,
    place: Callable[[int], tuple[str, int]],
) -> Reached:
    """The arithmetic of `spread`. `leaving`: the edges that leave some nodes, the strongest node first."""
    top = max(seeds.values(), default=0.0)
    here = {number: score / top for number, score in seeds.items()}
    total: dict[int, float] = {}
    most: dict[int, tuple[float, Edge]] = {}
    for _ in range(form.hops):
        ordered = sorted(here, key=lambda number: (-round(here[number], DIGITS), place(number)))
        ordered = [number for number in ordered if here[number] >= LEAST]
        if not ordered:
            break
        weighed = [(edge, edge.weight * form.weight(edge.kind)) for edge in leaving(ordered)]
        weighed.sort(key=lambda one: (place(one[0].source), place(one[0].target), one[0][2:]))
        sent: dict[int, float] = {}
        for edge, weight in weighed:
            sent[edge.source] = sent.get(edge.source, 0.0) + weight
        arrived: dict[int, float] = {}
        for edge, weight in weighed:
            energy = here[edge.source] * form.damping * weight / (max(1.0, sent[edge.source]) * edge.strength) ** 0.5
            if form.strength:
                energy *= form.use(place(edge.source), place(edge.target))
            arrived[edge.target] = arrived.get(edge.target, 0.0) + energy
            if energy > most.get(edge.target, (0.0, edge))[0]:
                most[edge.target] = energy, edge
        for number, energy in arrived.items():
            total[number] = total.get(number, 0.0) + energy
        here = arrived
    kept = {number: value for number, energy in total.items() if (value := round(energy, DIGITS)) > 0}
    ordered = sorted(kept, key=lambda number: (-kept[number], place(number)))
    return Reached({number: kept[number] for number in ordered}, {number: most[number][1] for number in ordered})
