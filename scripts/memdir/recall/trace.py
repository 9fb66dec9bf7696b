"""What every stage of a recall made of a question, as plain values: for `memdir recall --trace`. Reads the index."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memdir.index.reader import Hit, Reader
from memdir.recall import fusion

FIRST = 10  # results of a stage that are told


def profile(mode: str, words: Sequence[Mapping[str, float]], guessed: Iterable[str], voices: Iterable[str]) -> Any:
    """How the question was read: its analysed words with what each is worth, the guessed ones, speakers it names."""
    held = {term: round(worth, 2) for group in words for term, worth in group.items()}
    return {"mode": mode, "words": held, "guessed": sorted(guessed), "speakers": sorted(voices)}


def views(source: Reader, looks: Sequence[fusion.View]) -> list[dict[str, Any]]:
    """Each view with its constants and what it found first."""
    told = []
    for look in looks:
        best = sorted(look.best.items(), key=lambda one: -one[1])[:FIRST]
        where = {hit.id: place(hit) for hit in source.hits([number for number, _ in best])}
        first = [[where.get(number, "?"), round(score, 3)] for number, score in best]
        told.append(
            {
                "view": look.name,
                "weight": look.weight,
                "mean": look.mean,
                "deviation": round(look.deviation, 4),
                "found": len(look.best),
                "first": first,
            }
        )
    return told


def ranking(hits: Iterable[Hit]) -> list[list[Any]]:
    """The head of a ranking, with scores."""
    return [[place(hit), round(hit.score, 3)] for hit, _ in zip(hits, range(FIRST), strict=False)]


def place(hit: Hit) -> str:
    return f"{hit.path}:{max(hit.at, hit.first) + 1}"
