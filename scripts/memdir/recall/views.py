"""The views of a question over the index: by words (notes, logs and turns in one list) and by meaning.

Each gives its best passages and turns with a score, and what its scores are like on average, to be fused. Reads the
index, and the files where a run of Chinese, Japanese or Thai is looked for letter by letter.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memdir import text
from memdir.config import Settings
from memdir.index import lexical, reader
from memdir.index.filters import Filters
from memdir.recall import evidence, fusion, quantities

if TYPE_CHECKING:
    from memdir.recall.dense import Dense

Meaning = Callable[[str, Collection[int] | None], "Dense"]  # a text and the numbers that count → the view by meaning

# How much a passage gains that holds a Chinese, Japanese or Thai run as it was typed. `memdir bench`, phrases first
# of 10 at 1,000 notes: 9 without, 10 with 0.1 to 0.5.
LITERAL = 0.25


class Scope(NamedTuple):
    """Where is searched: the filters, the numbers that they leave (None: all), and how many candidates a view gives."""

    filters: Filters
    allowed: Sequence[int] | None
    candidates: int
    lifted: int


def weights(settings: Settings) -> lexical.Weights:
    return lexical.Weights(
        name=settings["recall.weight_name"],
        aliases=settings["recall.weight_aliases"],
        tags=settings["recall.weight_tags"],
        heading=settings["recall.weight_heading"],
        k1=settings["recall.k1"],
        b=settings["recall.b"],
    )


def by_words(
    settings: Settings,
    source: reader.Reader,
    opened: evidence.Files,
    question: str,
    words: reader.Words,
    scope: Scope,
    weight: float,
) -> fusion.View:
    """Passages by BM25F and turns by bm25; empty where only single signs of a sentence are known."""
    terms = words.terms
    best: dict[int, float] = {}
    total = squares = 0.0
    chance = not all(map(text.is_sign, terms)) and all(text.is_sign(term) for group in words.groups for term in group)
    if not chance:
        found = source.search(words.groups, weights(settings), scope.candidates, scope.allowed)
        glued = [form for forms in quantities.together(question).values() for form in forms]
        said = source.turns([*dict.fromkeys([*terms, *glued])], scope.filters, scope.candidates)
        lifted = _lifted(source, opened, question, found.best, scope.lifted)
        best = {**found.best, **said.best, **lifted} if said.best or lifted else found.best
        total, squares = found.total + said.total, found.squares + said.squares
    return fusion.words(best, total, squares, source.count, weight)


def by_meaning(dense: "Dense", scope: Scope, weight: float) -> fusion.View | None:
    """What lies near; None where there is nothing to compare."""
    near = dense.near
    if near is None:
        return None
    best = near.best(scope.candidates)
    return fusion.View("meaning", best, near.of, near.mean, near.deviation, near.mean, weight, near.alike, dense.model)


def first(scores: Mapping[int, float], limit: int) -> list[int]:
    """Numbers of the `limit` best, and of all that tie with the last of them."""
    if limit < 1 or not scores:
        return []
    last = sorted(scores.values(), reverse=True)[:limit][-1]
    return [number for number, score in scores.items() if score >= last]


def _lifted(
    source: reader.Reader, opened: evidence.Files, question: str, best: Mapping[int, float], limit: int
) -> dict[int, float]:
    """The first of some passages with what they gain by holding a run of the question letter by letter, not only its
    pairs apart."""
    runs = [] if question.isascii() else text.runs(question)
    if not runs:
        return {}
    total = sum(map(len, runs))
    lifted = {}
    for hit in source.hits(first(best, limit)):
        body = text.plain(evidence.passage_text(opened, hit))
        held = sum(len(run) for run in runs if run in body) / total
        lifted[hit.id] = round(best[hit.id] * (1 + LITERAL * held), 6)
    return lifted
