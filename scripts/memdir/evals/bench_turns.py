"""`memdir bench --turns`: conversations from a file of turns to a recall, beside plain FTS5 on the same rows.

As `bench` does for notes: a temporary folder, processes of their own, medians.
"""

import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import memdir
from memdir.errors import MemdirError
from memdir.evals import bench, cost, fts5, questions, talk, targets
from memdir.evals.cost import Cost, Latency
from memdir.evals.targets import Found

LEAST = 3_000  # turns a CPU second, from the file into session files and index, without vectors
SEED = 7
STEPS = 6  # for the progress bar


@dataclass(frozen=True, slots=True)
class Measured:
    """One corpus of turns; figures as in `bench.Measured`. `speed`: turns ingested a CPU second."""

    made_by: str
    turns: int
    megabytes: float
    queries: int
    speed: int
    costs: dict[str, Cost]
    warm: dict[str, Latency]
    ratios: dict[str, float]
    found: dict[str, Found]
    missed: list[str]


def run(turns: int, repeat: int, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Measure; returns one document of plain values."""
    cost.require()
    before = os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="memdir-bench-") as place:
        measured = _measure(Path(place).resolve(), turns, repeat, progress or (lambda _done, _of: None))
    return {
        "memdir": memdir.__version__,
        "machine": bench.machine(before),
        "repeat": repeat,
        "runs": [dataclasses.asdict(measured)],
    }


def _measure(place: Path, turns: int, repeat: int, progress: Callable[[int, int], None]) -> Measured:
    env = cost.environment(place) | bench.BY_WORDS
    file, asked, root, db = place / "turns.jsonl", place / "queries.jsonl", place / "vault", place / "fts5.db"
    queries = talk.write(file, turns, SEED)
    questions.save(asked, queries)
    root.mkdir()

    def ours(*args: object) -> cost.Ran:
        command = [sys.executable, "-m", "memdir", "--vault", str(root), *map(str, args)]
        return cost.measure(command, env, codes=(0, 3))

    def theirs(*args: object) -> cost.Ran:
        return cost.measure([sys.executable, fts5.__file__, *map(str, args)], env)

    ours("init", root)
    progress(1, STEPS)
    taken = ours("ingest", file, "--json")
    if json.loads(taken.output)["turns"] != turns:
        raise MemdirError(f"{turns} turns were to come in: {taken.output[:200]}")
    progress(2, STEPS)
    costs = {"ingest": taken.cost, "ingest_again": ours("ingest", file, "--json").cost}
    some = [one.text for one in queries[: max(5, repeat)]]
    costs["cold_turns"] = cost.median([ours("recall", "--json", "--mode", "keyword", "--", one).cost for one in some])
    progress(3, STEPS)
    opened = ours("bench", "--warm", asked, "--mode", "keyword", "--repeat", repeat)
    found = json.loads(opened.output)
    costs["turns_process"] = opened.cost
    progress(4, STEPS)
    costs["fts5_turns"] = theirs("turns", db, file).cost
    costs["fts5_cold"] = cost.median([theirs("query", db, one).cost for one in some])
    plain = json.loads(theirs("warm", db, asked, repeat).output)
    progress(5, STEPS)
    warm, answers = _warm(found, plain, repeat), targets.found(queries, found["found"], plain["found"])
    speed = round(turns / max(taken.cost.cpu, 1e-3))
    return Measured(
        made_by=f"own generator, seed {SEED}",
        turns=turns,
        megabytes=round(file.stat().st_size / 1e6, 1),
        queries=len(queries),
        speed=speed,
        costs=costs,
        warm=warm,
        ratios={f"recall_same_{one}/fts5_{one}": _times(warm, one) for one in ("p50", "p95")},
        found=answers,
        missed=_missed(speed, answers),
    )


def _warm(ours: Mapping[str, Any], theirs: Mapping[str, Any], repeat: int) -> dict[str, Latency]:
    """Latencies in an open process, memdir's and FTS5's."""
    answered = [bool(paths) for paths in theirs["found"]] * repeat
    return {
        "recall": cost.latency(**ours["plain"]),
        "recall_same": cost.latency(*([*compress(ours["plain"][key], answered)] for key in ("cpu", "wall"))),
        "recall_first": cost.latency(**ours["first"]),
        "fts5": cost.latency(theirs["cpu"], theirs["wall"]),
        "fts5_bare": cost.latency(**theirs["bare"]),
    }


def _times(warm: Mapping[str, Latency], which: str) -> float:
    ours, theirs = (float(getattr(warm[one], which)) for one in ("recall_same", "fts5"))
    return round(ours / max(theirs, 0.01), 2)


def _missed(speed: int, answers: Mapping[str, Found]) -> list[str]:
    lines = [] if speed >= LEAST else [f"ingest: {speed} turns a CPU second, wanted {LEAST}"]
    wanted = ((kind, one) for kind, one in answers.items() if not one.met)
    return lines + [f"found {kind}: {one.top5} in the top 5; wanted {one.target}" for kind, one in wanted]
