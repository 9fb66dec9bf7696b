"""What passages mention without a link: notes by name, and entities that others mention too.

The texts of the passages asked about are read, nothing is stored: a name that a new note brings is found in old texts
at once. Reads the index, and texts through the caller.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from memdir import text
from memdir.index import lexicon
from memdir.index.graph import PARTS, Edge, Graph, Part, place, sought
from memdir.recall import entities

FEW = 12  # an entity that more passages hold joins none of them
MANY = 24  # passages that name a note are not looked at from it where they are more
SHARED = frozenset({"name", "code", "ticket", "email", "url", "path", "env", "title", "quote"})

Texts = Callable[[Part], str]  # the lines of a passage as they are now; "" where they are gone


@dataclass(slots=True)
class Mentions:
    """Mentions from and of passages within one graph."""

    graph: Graph
    texts: Texts
    naming: dict[int, list[int]] = field(default_factory=dict)

    def edges(self, numbers: Collection[int], linked: Collection[Edge] = ()) -> list[Edge]:
        """From some passages to the notes they name, to what names their note, and to what shares an entity.

        Files that are `linked` already are left out: the text of a link holds the name.
        """
        parts = self.graph.take(numbers)
        bodies = {part: self.texts(part) for part in parts}
        named = self._named(bodies)
        self.graph.whole({file for _, file, *_ in named})
        found = []
        for part, file, line, term in named:
            strength = float(max(1, self.graph.source.lexical.df(term)))
            for far, share in self.graph.entered(file):
                found.append(Edge(part.id, far.id, share, strength, "name", part.path, line))
        for part in parts:
            found += self._back(part)
            found += self._shared(part, bodies[part])
        joined = {(edge.source, self.graph.parts[edge.target].file) for edge in linked}
        best: dict[tuple[int, int], Edge] = {}
        for edge in found:  # a name before an entity: the same words make both
            pair = edge.source, edge.target
            if (edge.source, self.graph.parts[edge.target].file) not in joined and edge.source != edge.target:
                best.setdefault(pair, edge)
        return [*best.values()]

    def _named(self, bodies: Mapping[Part, str]) -> list[tuple[Part, int, int, str]]:
        """Passage, the note it names, line of the first mention and the term by which the name is looked up."""
        known = self.graph.beginning(sorted(set().union(*map(lexicon.begins, bodies.values()))))
        keys: dict[str, int] = {}
        for file, called in sorted(known.items(), key=lambda one: one[1].path):
            for name in called.all:
                keys.setdefault(name, file)
        names = lexicon.Names(keys)
        found: dict[tuple[Part, int], tuple[int, str]] = {}
        for part, body in bodies.items():
            for one in names.find(body):
                if one.id != part.file:
                    told = body.count("\n", 0, one.start) + part.first, sought(one.key)
                    found.setdefault((part, one.id), told)
        return [(part, file, *told) for (part, file), told in found.items()]

    def _naming(self, file: int) -> list[int]:
        """The passages that hold every word of a name of a note, by number."""
        if file not in self.naming:
            self.naming[file] = []
            for called in self.graph.called([file]).values():
                if called.kind == "note":
                    words = [terms for name in called.all if (terms := text.terms(name)) and len(lexicon.key(name)) > 1]
                    holding = {number for terms in words for number in self.graph.source.holding(terms)}
                    self.naming[file] = sorted(holding)
        return self.naming[file]

    def _back(self, part: Part) -> list[Edge]:
        """From a passage to those that name its note."""
        naming = [far for far in self.graph.take(self._naming(part.file)) if far.file != part.file]
        if not 0 < len(naming) <= MANY:
            return []
        own = self.graph.of_file[part.file][:PARTS]
        if part not in own:
            return []
        (called,) = self.graph.called([part.file]).values()
        names = lexicon.Names(dict.fromkeys(called.all, part.file))
        found = []
        for far in naming:
            body = self.texts(far)
            if told := names.find(body):
                line = body.count("\n", 0, told[0].start) + far.first
                found.append(Edge(part.id, far.id, len(own) ** -0.5, 1.0, "named", far.path, line))
        return found

    def _shared(self, part: Part, body: str) -> list[Edge]:
        """From a passage to others that hold what has the shape of an entity in it."""
        found: dict[int, Edge] = {}
        for one in entities.shapes(body, dated=False):
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
