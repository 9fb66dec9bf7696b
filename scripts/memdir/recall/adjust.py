"""Options that reorder a ranking after fusion: decay, freshness and diversity. All off: `memdir eval` shows no gain.

Each is a row of the ablation (references/recall.md). Pure.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from memdir.index.values import Hit, ordered

LAMBDA = 0.7  # what relevance counts beside novelty in maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)
FRESH_DAYS = 30.0  # half-life of freshness


def decayed(hits: Sequence[Hit], today: date, half_life: float) -> list[Hit]:
    """Scores above the lowest, halved for every `half_life` days of age; what bears no date keeps its own."""
    if not hits:
        return []
    least = min(hit.score for hit in hits)
    return ordered(
        hit._replace(score=round(least + (hit.score - least) * _share(hit, today, half_life, 1.0), 6)) for hit in hits
    )


def fresher(hits: Sequence[Hit], today: date, weight: float) -> list[Hit]:
    """Scores with what freshness adds: `weight` times the span of the scores, halved for every FRESH_DAYS of age."""
    if not hits:
        return []
    span = max(hit.score for hit in hits) - min(hit.score for hit in hits)
    return ordered(
        hit._replace(score=round(hit.score + weight * span * _share(hit, today, FRESH_DAYS, 0.0), 6)) for hit in hits
    )


def diverse(hits: Sequence[Hit], alike: Mapping[tuple[int, int], float], limit: int) -> list[Hit]:
    """The first `limit` chosen one by one: LAMBDA times relevance (0 to 1 over the hits) less the rest times the
    likeness to the nearest of those already chosen. Archived hits stay behind."""
    living = [hit for hit in hits if not hit.archived]
    if not living:
        return list(hits)
    low, high = min(hit.score for hit in living), max(hit.score for hit in living)
    relevance = {hit.id: (hit.score - low) / ((high - low) or 1.0) for hit in living}
    chosen: list[Hit] = []
    while living and len(chosen) < limit:
        best = max(
            living,
            key=lambda hit: (
                LAMBDA * relevance[hit.id]
                - (1 - LAMBDA) * max((alike.get((hit.id, one.id), 0.0) for one in chosen), default=0.0)
            ),
        )
        living.remove(best)
        chosen.append(best)
    return [*chosen, *living, *(hit for hit in hits if hit.archived)]


def _share(hit: Hit, today: date, half_life: float, undated: float) -> float:
    try:
        age = (today - date.fromisoformat(hit.date[:10])).days
    except ValueError:
        return undated
    return float(0.5 ** (max(age, 0) / half_life))
