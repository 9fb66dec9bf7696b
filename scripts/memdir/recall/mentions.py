"""What passages mention without a link: notes by name, and entities that others mention too.

The texts of the passages asked about are read, nothing is stored: a name that a new note brings is found in old texts
at once. Reads the index, and texts through the caller.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from memdir import text
from memdir.index.graph import Edge, Graph, Part, place
from memdir.recall import entities, lexicon

FEW = 12  # an entity that more passages hold joins none of them
SHARED = frozenset({"name", "code", "ticket", "email", "url", "path", "env", "title", "quote"})

Texts = Callable[[Part], str]  # the lines of a passage as they are now; "" where they are gone


@dataclass(slots=True)
class Mentions:
    """Mentions from and of passages within one graph."""

    graph: Graph
    texts: Texts

    def edges(self, numbers: Collection[int]) -> list[Edge]:
        """From some passages to the notes they name, to what names their note, and to what shares an entity."""
        parts = self.graph.take(numbers)
        bodies = {part: self.texts(part) for part in parts}
        named = self._named(bodies)
        self.graph.whole({file for _, file, _ in named})
        found = []
        for part, file, line in named:
            strength = float(len(self._naming(file)) or 1)
            for far, share in self.graph.entered(file):
                found.append(Edge(part.id, far.id, share, strength, "name", part.path, line))
        for part in parts:
            found += self._back(part)
            found += self._shared(part, bodies[part], {line for one, _, line in named if one == part})
        return found

    def _named(self, bodies: Mapping[Part, str]) -> list[tuple[Part, int, int]]:
        """Passage, the note it names, the line of the first mention."""
        terms = sorted({term for body in bodies.values() for term in text.terms(body)})
        known = self.graph.sharing(terms)
        keys: dict[str, int] = {}
        for file, called in sorted(known.items(), key=lambda one: one[1].path):
            for name in called.all:
                keys.setdefault(name, file)
        names = lexicon.Names(keys)
        found = {}
        for part, body in bodies.items():
            for one in names.find(body):
                if one.id != part.file:
                    found.setdefault((part, one.id), body.count("\n", 0, one.start) + part.first)
        return [(part, file, line) for (part, file), line in found.items()]

    def _naming(self, file: int) -> dict[int, str]:
        """The passages elsewhere that hold every word of a name of a note, and that name."""
        found: dict[int, str] = {}
        for called in self.graph.called([file]).values():
            if called.kind != "note":
                continue
            for name in called.all:
                terms = text.terms(name)
                if terms and not (len(terms) == 1 and text.is_sign(terms[0])):
                    for number in self.graph.source.holding(terms):
                        found.setdefault(number, name)
        return found

    def _back(self, part: Part) -> list[Edge]:
        naming = self._naming(part.file)
        if not 0 < len(naming) <= FEW * 4:
            return []
        own = self.graph.of_file[part.file]
        share = 1 / len(own) ** 0.5
        return [
            Edge(part.id, far.id, share, 1.0, "name", far.path)
            for far in self.graph.take(naming)
            if far.file != part.file
        ]

    def _shared(self, part: Part, body: str, taken: set[int]) -> list[Edge]:
        """From a passage to others that hold what has the shape of an entity in it; `taken` lines are joined already."""
        found: dict[int, Edge] = {}
        for one in entities.shapes(body):
            terms = text.terms(one.text) if one.kind in SHARED else []
            if not terms:
                continue
            holding = self.graph.source.holding(terms)
            if not 1 < len(holding) <= FEW:
                continue
            line = body.count("\n", 0, one.start) + part.first
            for far in self.graph.take(holding):
                if far.file != part.file:
                    edge = Edge(part.id, far.id, 1.0, float(len(holding)), "entity", part.path, line)
                    if far.id not in found or found[far.id].strength > edge.strength:
                        found[far.id] = edge
        return sorted(found.values(), key=lambda edge: place(self.graph.parts[edge.target]))
