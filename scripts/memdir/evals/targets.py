"""What the figures of a bench are held against: limits, ratios to the baselines, answers to be found. Pure values.

The limits are CPU seconds on a quiet machine for corpora of up to 10,000 notes; on a busy one a miss proves nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memdir.evals.cost import Cost, Latency
from memdir.evals.questions import Query

MOST_NOTES = 10_000
CPU = {
    "first_index": 30.0, "no_change": 1.0, "ten_edits": 1.5, "cold_recall": 0.35, "cold_hybrid": 0.6, "version": 0.12,
}  # fmt: skip
PEAK_MB = 400.0  # of a first index
# memdir's figure by the baseline's.
AGAINST = (("cold_recall", "grep"), ("cold_recall", "fts5_cold"), ("first_index", "fts5_index"), ("version", "python"))
# The same of recalls in an open process, each over the questions that the baseline answers. Without quotes FTS5 does
# less than a recall: it is shown, and no target.
BARE = "fts5_bare"
WARM = (("recall_same", "fts5"), ("recall_same", BARE), ("recall", "fts5_terms"), ("hybrid", "fts5"))
MOST_TIMES = {"hybrid": 3.0}  # what may be so many times slower than the baseline
HYBRID_FROM = 10_000  # passages from which that holds: below, a question's own vector takes longer than all of FTS5
HYBRID_MB = 300.0  # of a process that recalls by words, meaning and links
# Kind → (rank that counts, percent of the questions that must have their note there).
ANSWERS = {
    "exact": (5, 100),
    "natural": (5, 100),
    "ident": (5, 100),
    "typo": (5, 100),
    "cjk": (1, 80),
    "phrase": (1, 100),
}
OF_TURNS = {"turn": (5, 100)}


@dataclass(frozen=True, slots=True)
class Found:
    """Questions of one kind whose note came first, or among the first five; FTS5's beside it.

    `lost`: the questions whose note stands further down than the target allows, or nowhere.
    """

    queries: int
    top1: int
    top5: int
    fts5_top1: int
    fts5_top5: int
    target: str
    met: bool
    lost: tuple[str, ...]


def found(queries: Sequence[Query], ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> dict[str, Found]:
    """Kind → what was found; `ours` and `theirs` are the paths that each question gave, best first."""
    answered = list(zip(queries, ours, theirs, strict=True))
    kinds = dict.fromkeys(query.kind for query in queries)
    return {kind: _of_kind(kind, [one for one in answered if one[0].kind == kind]) for kind in kinds}


def _of_kind(kind: str, answered: Sequence[tuple[Query, Sequence[str], Sequence[str]]]) -> Found:
    rank, percent = (ANSWERS | OF_TURNS).get(kind, (5, 0))
    least = _least(percent, len(answered))
    lost = tuple(query.text for query, ours, _ in answered if query.path not in ours[:rank])
    return Found(
        queries=len(answered),
        top1=sum(query.path in ours[:1] for query, ours, _ in answered),
        top5=sum(query.path in ours[:5] for query, ours, _ in answered),
        fts5_top1=sum(query.path in theirs[:1] for query, _, theirs in answered),
        fts5_top5=sum(query.path in theirs[:5] for query, _, theirs in answered),
        target=f"{least} of {len(answered)} in the top {rank}" if percent else "",
        met=len(answered) - len(lost) >= least,
        lost=lost,
    )


def _least(percent: int, asked: int) -> int:
    return math.ceil(percent * asked / 100)


def ratios(costs: Mapping[str, Cost], warm: Mapping[str, Latency]) -> dict[str, float]:
    """`ours/baseline` → CPU of the one by CPU of the other, for the baselines that were measured."""
    made = {
        f"{ours}/{base}": round(costs[ours].cpu / max(costs[base].cpu, 1e-3), 2)
        for ours, base in AGAINST
        if base in costs
    }
    for ours, base in WARM:
        for name in ("p50", "p95"):
            least = max(getattr(warm[base], name), 0.01)
            made[f"{ours}_{name}/{base}_{name}"] = round(getattr(warm[ours], name) / least, 2)
    return made


def missed(
    notes: int, passages: int, costs: Mapping[str, Cost], warm: Mapping[str, Latency], answers: Mapping[str, Found]
) -> list[str]:
    """One line a target that was not reached."""
    lines = [
        f"found {kind}: {one.top1} first, {one.top5} in the top 5; wanted {one.target}"
        for kind, one in answers.items()
        if not one.met
    ]
    lines += [
        f"{ours} p50: {warm[ours].p50} ms, {base} {warm[base].p50} ms"
        for ours, base in WARM
        if base != BARE
        and (ours != "hybrid" or passages >= HYBRID_FROM)
        and warm[ours].p50 > MOST_TIMES.get(ours, 1.0) * warm[base].p50
    ]
    if (peak := costs["hybrid_process"].peak_mb) >= HYBRID_MB:
        lines.append(f"hybrid_process: {peak} MB, wanted under {HYBRID_MB:g}")
    if notes <= MOST_NOTES:
        lines += [
            f"{name}: {costs[name].cpu} CPU s, wanted under {most}"
            for name, most in CPU.items()
            if costs[name].cpu >= most
        ]
        if costs["first_index"].peak_mb >= PEAK_MB:
            lines.append(f"first_index: {costs['first_index'].peak_mb} MB, wanted under {PEAK_MB:g}")
    return lines
