"""Two rankings of the same questions side by side: how much they share, and in what order.

A file of rankings is JSON Lines, `{"a": [id…], "b": [id…]}` a question, best first. Reads that file.
"""

from pathlib import Path
from statistics import fmean
from typing import Any

from memdir.errors import BadData
from memdir.evals import dataset, metrics

DEFINITIONS = {
    "overlap@k": "mean share of the first k of one ranking that stand among the first k of the other",
    "Spearman": "mean rank correlation of what both rankings hold, over the questions where that is two or more",
}


def compare(file: Path) -> dict[str, Any]:
    """Macro averages over the questions of a file. Raises BadData with file and line."""
    pairs = [_pair(where, held) for where, held in dataset.records(file)]
    if not pairs:
        raise BadData(f"{file}:1: no ranking in it")
    ordered = [value for ours, theirs in pairs if (value := metrics.spearman(ours, theirs)) is not None]
    overlaps = {f"overlap@{k}": fmean(metrics.overlap(*pair, k) for pair in pairs) for k in metrics.KS}
    return {
        "questions": len(pairs),
        "definitions": DEFINITIONS,
        **{name: round(value, 4) for name, value in overlaps.items()},
        "spearman": round(fmean(ordered), 4) if ordered else None,
        "spearman_questions": len(ordered),
    }


def _pair(where: str, held: dict[str, Any]) -> tuple[list[str], list[str]]:
    sides = [held.get(side) for side in ("a", "b")]
    for side in sides:
        if not isinstance(side, list) or len(set(map(str, side))) < len(side):
            raise BadData(f"{where}: `a` and `b` are to be lists of ids, none twice")
    ours, theirs = ([str(one) for one in side or ()] for side in sides)
    return ours, theirs
