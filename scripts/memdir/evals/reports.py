"""What a run says: figures by level, category and language, abstention, cost, goals; and two runs side by side.

A report is one document of plain values. `answers` holds the ranks of every answerable question in the order of the
set, from 1: `1,3;-;2` is three questions, the second unanswered; with them two runs are compared pair by pair.
"""

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import memdir
from memdir.errors import UsageError
from memdir.evals import goals, metrics
from memdir.evals.metrics import Ranks
from memdir.evals.retrieval import LIMIT, Plan, Ran, Row

COMPARED = ("any@1", "any@5", "any@10", "all@5", "R@5", "R@10", "R@20", "MRR", "nDCG@10")


def report(plan: Plan, ran: Ran, store: str) -> dict[str, Any]:
    """Everything that is known of a run."""
    dataset, rows = plan.dataset, ran.rows
    fine, coarse = dataset.levels
    answerable = [row for row in rows if not row.abstain]
    made: dict[str, Any] = {
        "memdir": memdir.__version__,
        "set": dataset.name,
        "split": dataset.split,
        "store": store,
        "config": dict(plan.config),
        "queries": len(rows),
        "answerable": len(answerable),
        "definitions": metrics.DEFINITIONS,
        "levels": {fine: _level(rows, coarse=False), coarse: _level(rows, coarse=True)},
        "abstention": _abstention(rows),
        "stale_first": _stale_first(answerable),
        "cost": _cost(ran, plan.processes),
        "ids": digest([row.id for row in answerable]),
        "answers": {
            fine: packed([row.ranks for row in answerable]),
            coarse: packed([row.groups for row in answerable]),
        },
    }
    made["rows"] = [
        {"id": row.id, "ranks": packed([row.ranks]), "confidence": round(row.confidence, 4), "declined": row.declined}
        for row in rows
    ]
    judged = goals.judged(dataset.name, dataset.form, made)
    made["goals"] = [{**dataclasses.asdict(one.goal), "value": one.value, "ahead": one.ahead} for one in judged]
    return made


def _level(rows: Sequence[Row], *, coarse: bool) -> dict[str, dict[str, float]]:
    """Name of a part → its figures and `n`."""
    return {
        name: {"n": len(part), **{key: round(value, 4) for key, value in metrics.figures(part).items()}}
        for name, part in _parts(rows, coarse)
        if part
    }


def _parts(rows: Sequence[Row], coarse: bool) -> Iterator[tuple[str, list[Ranks]]]:
    """All, each category, each language where there are several; with near turns as gold where there are such."""
    answerable = [row for row in rows if not row.abstain]

    def of(some: Sequence[Row]) -> list[Ranks]:
        return [row.groups if coarse else row.ranks for row in some]

    yield "all", of(answerable)
    for category in dict.fromkeys(row.category for row in answerable):
        yield category, of([row for row in answerable if row.category == category])
    languages = dict.fromkeys(row.lang for row in answerable)
    for lang in languages if len(languages) > 1 else ():
        yield f"lang {lang}", of([row for row in answerable if row.lang == lang])
    tempting = [row.near_groups if coarse else row.near for row in rows if row.near]
    if tempting:
        yield "all and near", of(answerable) + tempting


def _abstention(rows: Sequence[Row]) -> dict[str, Any] | None:
    no = [_told(row) for row in rows if row.abstain]
    answerable = [row for row in rows if not row.abstain]
    whole = metrics.curve([*map(_told, answerable)], no)
    found = [_told(row) for row in answerable if metrics.is_found(row.ranks)]
    part = metrics.curve(found, no)
    if not whole:
        return None
    made = dataclasses.asdict(whole)
    if part:
        made["found"] = {"n": len(found), **dataclasses.asdict(part)}
    return _rounded(made)  # type: ignore[no-any-return]


def _told(row: Row) -> tuple[float, bool]:
    return row.confidence, row.declined


def _stale_first(rows: Sequence[Row]) -> dict[str, float] | None:
    """Of the questions with stale targets, the share in which one of them stands before the first gold one."""
    held = [row for row in rows if row.stale]
    if not held:
        return None
    before = sum(metrics.reciprocal(row.stale) > metrics.reciprocal(row.ranks) for row in held)
    return {"n": len(held), "share": round(before / len(held), 4)}


def _cost(ran: Ran, processes: int) -> dict[str, Any]:
    """Wall milliseconds and estimated tokens of answers of `limit` results, seconds of all building."""
    found: dict[str, Any] = {"limit": LIMIT, "processes": processes, "build_s": round(ran.build, 1)}
    if ran.seconds:
        found |= {f"p{n}_ms": round(metrics.percentile(ran.seconds, n / 100) * 1e3, 2) for n in (50, 95)}
        found |= {"tokens": round(sum(ran.tokens) / len(ran.tokens), 1)}
        found |= {"same": round(sum(ran.same) / len(ran.same), 4)}
    return found


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4)


def digest(ids: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]


def packed(rows: Sequence[Ranks]) -> str:
    """Ranks of many questions as one line."""
    return ";".join(",".join("-" if rank is None else str(rank + 1) for rank in row) for row in rows)


def unpacked(line: str) -> list[Ranks]:
    """What `packed` made a line of."""
    return [tuple(None if rank == "-" else int(rank) - 1 for rank in row.split(",")) for row in line.split(";") if row]


def compared(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Figure by figure, ours less theirs with its interval. Raises UsageError unless both asked the same."""
    if ours["ids"] != theirs["ids"]:
        raise UsageError(
            f"the runs did not ask the same questions: {ours['set']} {ours['split']}, {ours['answerable']} of them; "
            f"{theirs['set']} {theirs['split']}, {theirs['answerable']}"
        )
    found = []
    for level, line in ours["answers"].items():
        mine, other = unpacked(line), unpacked(theirs["answers"][level])
        for name in COMPARED if mine else ():
            measure = metrics.MEASURES[name]
            values = list(map(measure, mine)), list(map(measure, other))
            apart = metrics.bootstrap(*values)
            sides = {"ours": sum(values[0]) / len(mine), "theirs": sum(values[1]) / len(mine)}
            told = _rounded(sides | dataclasses.asdict(apart))
            found.append({"level": level, "figure": name, **told, "certain": apart.certain})
    return found
