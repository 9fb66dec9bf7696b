"""`memdir bench`: what memdir costs and what it finds, beside `grep` and plain FTS5 in the same run.

Everything happens in a temporary folder with caches and settings of its own: a corpus is made, or a given one
copied, and each figure is the median of separate processes. The processes are run here, the figures judged in
`targets`.
"""

import dataclasses
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import memdir
from memdir.errors import MemdirError, UsageError
from memdir.evals import corpus, cost, fts5, fts5_terms, questions, sources, targets
from memdir.evals.cost import Cost, Latency
from memdir.evals.questions import Query
from memdir.evals.sources import Plan
from memdir.evals.targets import Found

EDITS = 10
BY_WORDS = {"MEMDIR_EMBEDDER_KIND": "none"}
# What any cold recall must import; it tells how fast the machine is today.
LIBRARIES = "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import click, numpy, sqlite3, whoosh.index"
STEPS = 10  # of one corpus, for the progress bar


@dataclass(frozen=True, slots=True)
class Measured:
    """One corpus. `costs` are of whole processes; `ratios` are memdir's CPU by the baseline's; `embedded`: notes that
    get a vector in a CPU second."""

    made_by: str
    notes: int
    passages: int
    megabytes: float
    queries: int
    embedded: int
    costs: dict[str, Cost]
    warm: dict[str, Latency]
    ratios: dict[str, float]
    found: dict[str, Found]
    missed: list[str]


def run(plan: Plan, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Measure every corpus of the plan; returns one document of plain values. Raises UsageError, BadData."""
    if (plan.corpus is None) != (plan.queries is None):
        raise UsageError("--corpus and --queries belong together: a corpus, and the questions that it answers")
    sizes = plan.notes if plan.corpus is None else (0,)
    cost.require()
    before, runs = os.getloadavg(), []
    for number, size in enumerate(sizes):
        with tempfile.TemporaryDirectory(prefix="memdir-bench-") as place:
            step = _steps(progress, number, len(sizes))
            runs.append(_Bench(Path(place).resolve(), plan, size, step).measure())
    return {
        "memdir": memdir.__version__,
        "machine": machine(before),
        "repeat": plan.repeat,
        "runs": [dataclasses.asdict(one) for one in runs],
    }


def _steps(progress: Callable[[int, int], None] | None, number: int, corpora: int) -> Callable[[], None]:
    done = number * STEPS

    def step() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, corpora * STEPS)

    return step


def machine(before: tuple[float, float, float]) -> dict[str, Any]:
    """The machine and how busy it was: load averages of one minute, before and after."""
    return {
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "load": [round(before[0], 2), round(os.getloadavg()[0], 2)],
    }


class _Bench:
    """One corpus in one temporary folder."""

    def __init__(self, place: Path, plan: Plan, size: int, step: Callable[[], None]) -> None:
        self.place, self.plan, self.size, self.step = place, plan, size, step
        self.root = place / "vault"
        self.file = place / "queries.jsonl"
        self.env = cost.environment(place) | BY_WORDS
        self.costs: dict[str, Cost] = {}
        self.passages = self.embedded = 0

    def measure(self) -> Measured:
        made_by, queries = sources.prepare(self.plan, self.size, self.root, self.file)
        self.step()
        paths = questions.markdown(self.root)
        megabytes = sum((self.root / path).stat().st_size for path in paths) / 1e6
        self._warm_up()
        self._first_index()
        self._sync("no_change", added=0, modified=0)
        warm, found = self._warm(queries)
        self._cold(queries)
        self._baselines(queries)
        warm |= self._hybrid(queries)
        self._edits(paths)
        ratios = targets.ratios(self.costs, warm)
        missed = targets.missed(len(paths), self.passages, self.costs, warm, found)
        return Measured(
            made_by,
            len(paths),
            self.passages,
            round(megabytes, 1),
            len(queries),
            self.embedded,
            self.costs,
            warm,
            ratios,
            found,
            missed,
        )

    def _warm_up(self) -> None:
        """Let Python compile what it will load: a vault of one note is indexed and asked."""
        small = self.place / "small"
        small.mkdir()
        (small / "note.md").write_text("# Note\n\nA word.\n", encoding="utf-8")
        self._memdir("init", "--adopt", os.fspath(small))
        self._memdir("--vault", os.fspath(small), "sync")
        self._memdir("--vault", os.fspath(small), "recall", "word")

    def _memdir(self, *args: str, codes: Sequence[int] = (0,)) -> cost.Ran:
        return cost.measure([sys.executable, "-m", "memdir", *args], self.env, codes=codes)

    def _on_vault(self, *args: str, codes: Sequence[int] = (0,)) -> cost.Ran:
        return self._memdir("--vault", os.fspath(self.root), *args, codes=codes)

    def _first_index(self) -> None:
        """Index with nothing there; the last index is kept for what follows."""
        self._memdir("init", "--adopt", os.fspath(self.root))
        costs, notes = [], len(questions.markdown(self.root))
        for number in range(self.plan.repeat):
            self.env = cost.environment(self.place, f"cache-{number}") | BY_WORDS
            costs.append(self._checked_sync(added=notes))
        self.costs["first_index"] = cost.median(costs)
        self.step()

    def _sync(self, name: str, **wanted: int) -> None:
        self.costs[name] = cost.median([self._checked_sync(**wanted) for _ in range(self.plan.repeat)])
        self.step()

    def _checked_sync(self, **wanted: int) -> Cost:
        """One `memdir sync`; raises MemdirError when it did not see what there was to see in a made corpus."""
        ran = self._on_vault("sync", "--json")
        report = json.loads(ran.output)["report"]
        seen = {key: report[key] for key in wanted}
        if seen != wanted and self.plan.corpus is None:
            raise MemdirError(f"sync saw {seen} where there was {wanted}")
        return ran.cost

    def _edits(self, paths: Sequence[str]) -> None:
        costs = []
        for turn in range(1, self.plan.repeat + 1):
            edited = corpus.edit(self.root, paths, EDITS, turn)
            costs.append(self._checked_sync(added=0, modified=len(edited)))
        self.costs["ten_edits"] = cost.median(costs)
        self.step()

    def _warm(self, queries: Sequence[Query]) -> tuple[dict[str, Latency], dict[str, Found]]:
        """Questions in an open process, memdir's and FTS5's, and what either finds."""
        repeat, file = str(self.plan.repeat), os.fspath(self.file)
        asked = ("bench", "--warm", file, "--mode", "keyword", "--repeat", repeat)
        ours = json.loads(self._on_vault(*asked).output)
        self.step()
        db = os.fspath(self.place / "fts5.db")
        costs = []
        for _ in range(self.plan.repeat):
            Path(db).unlink(missing_ok=True)
            costs.append(self._fts5("index", db, os.fspath(self.root)).cost)
        self.costs["fts5_index"] = cost.median(costs)
        theirs = json.loads(self._fts5("warm", db, file, repeat).output)
        root = os.fspath(self.root)
        fair = cost.measure([sys.executable, fts5_terms.__file__, root, file, repeat], self.env)
        terms = json.loads(fair.output)
        self.step()
        answered = [bool(paths) for paths in theirs["found"]] * self.plan.repeat
        warm = {
            "recall": cost.latency(**ours["plain"]),
            "recall_same": cost.latency(*([*compress(ours["plain"][key], answered)] for key in ("cpu", "wall"))),
            "recall_first": cost.latency(**ours["first"]),
            "recall_fresh": cost.latency(**ours["fresh"]),
            "fts5": cost.latency(theirs["cpu"], theirs["wall"]),
            "fts5_bare": cost.latency(**theirs["bare"]),
            "fts5_terms": cost.latency(terms["cpu"], terms["wall"]),
        }
        return warm, targets.found(queries, ours["found"], theirs["found"])

    def _hybrid(self, queries: Sequence[Query]) -> dict[str, Latency]:
        """The same questions with words, meaning and links: in an open process, and cold."""
        self.env.pop("MEMDIR_EMBEDDER_KIND")
        self.env["MEMDIR_EMBEDDER_SYNC_MOST"] = "0"
        filled = json.loads(self._on_vault("bench", "--noise").output)
        self.passages, self.embedded = filled["passages"], filled["embedded"]
        ran = self._on_vault("bench", "--warm", os.fspath(self.file), "--repeat", str(self.plan.repeat))
        ours = json.loads(ran.output)
        self.costs["hybrid_process"] = ran.cost
        asked = [query.text for query in _one_a_kind(queries)] * self.plan.repeat
        self.costs["cold_hybrid"] = cost.median([self._recall(one) for one in asked])
        self.env |= BY_WORDS
        self.step()
        return {"hybrid": cost.latency(**ours["plain"]), "scan": cost.latency(**ours["scan"])}

    def _fts5(self, *args: str) -> cost.Ran:
        return cost.measure([sys.executable, fts5.__file__, *args], self.env)

    def _cold(self, queries: Sequence[Query]) -> None:
        """Whole processes, each asked one question of every kind; and what starting alone costs."""
        asked = [query.text for query in _one_a_kind(queries)] * self.plan.repeat
        self.costs["cold_recall"] = cost.median([self._recall(one) for one in asked])
        self.step()
        self.costs["version"] = cost.median([self._memdir("--version").cost for _ in asked])
        for name, code in (("python", ""), ("libraries", LIBRARIES)):
            self.costs[name] = cost.median([cost.measure([sys.executable, "-c", code], self.env).cost for _ in asked])
        self.step()

    def _recall(self, question: str) -> Cost:
        """One `memdir recall`; raises MemdirError when it was not the index that answered."""
        mode = "keyword" if "MEMDIR_EMBEDDER_KIND" in self.env else "auto"
        ran = self._on_vault("recall", "--json", "--mode", mode, "--", question, codes=(0, 3))
        if (source := json.loads(ran.output)["source"]) != "index":
            raise MemdirError(f"recall answered by {source}, not from the index")
        return ran.cost

    def _baselines(self, queries: Sequence[Query]) -> None:
        """The same questions cold: FTS5 with all words, `grep -ri` with the longest one."""
        asked = [query.text for query in _one_a_kind(queries)] * self.plan.repeat
        db = os.fspath(self.place / "fts5.db")
        self.costs["fts5_cold"] = cost.median([self._fts5("query", db, one).cost for one in asked])
        if grep := shutil.which("grep"):
            words = [max(one.split(), key=len) for one in asked]
            commands = [[grep, "-ri", "-F", "-e", word, os.fspath(self.root)] for word in words]
            self.costs["grep"] = cost.median([cost.measure(one, self.env, codes=(0, 1)).cost for one in commands])
        self.step()


def _one_a_kind(queries: Sequence[Query]) -> list[Query]:
    return list({query.kind: query for query in reversed(queries)}.values())
