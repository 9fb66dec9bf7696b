"""A vault's own uses, asked again: the share of the memories that were used that come back.

Drives `Memory`; the recalls of a replay are not written into the log of recalls.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import memdir
from memdir.errors import NotFound
from memdir.evals import metrics
from memdir.evals.metrics import Ranks
from memdir.index.filters import Filters
from memdir.recall.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memdir.app.memory import Memory
    from memdir.app.using import Use

KS = (1, 5, 10)
SHOWN = (*(f"share@{k}" for k in KS), *(f"any@{k}" for k in KS), "MRR")
DEFINITIONS = {
    "memory": "a note, an entry of a log, a turn or a whole conversation that `memdir used` named, once a question",
    "question": "the one that the use names, else that of the last recall before it that had brought the memory; asked "
    "again as it was, without filters, of the vault as it is now",
    "share@k": "share of the used memories that come back among the first k, each question's memories counted alike",
    "any@k": "share of the questions of which some used memory comes back among the first k",
    "MRR": "mean over questions of 1 / rank of the first used memory, 0 where none came back",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what was used for it, and where each came back: a rank from 0, None for one that did not."""

    query: str
    uses: "tuple[Use, ...]"
    ranks: Ranks

    def of(self, kind: str) -> Ranks:
        """The ranks of the memories of one kind; "": of all."""
        return tuple(rank for use, rank in zip(self.uses, self.ranks, strict=True) if kind in ("", use.kind))


def replay(
    memory: "Memory", limit: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """A report as one document of plain values. `limit`: questions at most, the newest.

    Raises NotFound where no use is recorded of which the question is known and the memory is still there.
    """
    uses = memory.uses()
    known = _questions([one for one in uses if one.query and not one.gone])
    if not known:
        raise NotFound("no use to replay: `memdir used ID... --query TEXT` records what a recall was good for")
    picked = list(known.items())[-limit if limit else 0 :]
    rows = []
    with _unlogged(memory):
        for number, (query, held) in enumerate(picked):
            rows.append(_ask(memory, query, held, first=not number))
            if progress:
                progress(number + 1, len(picked))
    kinds = dict.fromkeys(use.kind for row in rows for use in row.uses)
    return {
        "memdir": memdir.__version__,
        "uses": len(uses),
        "gone": sum(one.gone for one in uses),
        "unasked": sum(not one.query and not one.gone for one in uses),
        "definitions": DEFINITIONS,
        "kinds": {"all": _figures(rows, ""), **{kind: _figures(rows, kind) for kind in sorted(kinds)}},
        "rows": [_row(row) for row in rows],
    }


def _questions(uses: "Sequence[Use]") -> "dict[str, dict[str, Use]]":
    """Question → the memories that were used for it by id; that of the latest use last, spelled as it was then."""
    found: dict[str, dict[str, Use]] = {}
    spelled: dict[str, str] = {}
    for one in uses:
        same = " ".join(one.query.casefold().split())
        found[same] = {**found.pop(same, {}), one.id: one}
        spelled[same] = one.query
    return {spelled[same]: held for same, held in found.items()}


@contextmanager
def _unlogged(memory: "Memory") -> "Iterator[None]":
    before = memory.settings["recall.log"]
    memory.settings.put("recall.log", 0, "replay")
    try:
        yield
    finally:
        memory.settings.put("recall.log", before, "replay")


def _ask(memory: "Memory", query: str, held: "Mapping[str, Use]", *, first: bool) -> Asked:
    answer = memory.recall(Question(query, Filters(), max(KS)), fresh=first)
    ranks = tuple(
        next((rank for rank, one in enumerate(answer.evidence) if use.holds(one.path, one.at)), None)
        for use in held.values()
    )
    return Asked(query, tuple(held.values()), ranks)


def _figures(rows: Sequence[Asked], kind: str) -> dict[str, float]:
    ranks = [found for row in rows if (found := row.of(kind))]
    each = [rank for found in ranks for rank in found]
    said: dict[str, float] = {"questions": len(ranks), "memories": len(each)}
    said |= {f"share@{k}": round(metrics.share_at(tuple(each), k), 4) for k in KS}
    said |= {f"any@{k}": round(sum(metrics.any_at(found, k) for found in ranks) / len(ranks), 4) for k in KS}
    return said | {"MRR": round(sum(map(metrics.reciprocal, ranks)) / len(ranks), 4)}


def _row(row: Asked) -> dict[str, Any]:
    """A question and its memories; ranks from 1, None for one that did not come back."""
    used = [
        {"id": use.id, "kind": use.kind, "rank": None if rank is None else rank + 1}
        for use, rank in zip(row.uses, row.ranks, strict=True)
    ]
    return {"query": row.query, "used": used}
