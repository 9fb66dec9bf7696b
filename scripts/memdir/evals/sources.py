"""Where a corpus to measure on comes from: copied, made by the shared generator, or made by memdir's own.

The shared generator is the one that other tools were measured with; it lies beside some checkouts of the project
and nowhere else. Writes the notes below one folder, and every question into one file.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from memdir.evals import corpus, cost, questions
from memdir.evals.questions import Query

SHARED = cost.PACKAGE.parents[1].parent / "shared" / "bench"
SHARED_FROM = 40  # notes; the shared generator cannot make questions of every kind for fewer
SHARED_SEED = 7  # of the questions that are kept beside it


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: made corpora of these sizes, or `corpus` with `queries`. `own`: leave the shared generator."""

    notes: tuple[int, ...] = (1_000, 10_000)
    corpus: Path | None = None
    queries: Path | None = None
    repeat: int = 3
    own: bool = False
    seed: int = 7


def prepare(plan: Plan, size: int, root: Path, file: Path) -> tuple[str, list[Query]]:
    """Fill `root` with notes and `file` with questions, phrases among them; returns their maker and the questions."""
    if plan.corpus and plan.queries:
        shutil.copytree(plan.corpus, root, ignore=shutil.ignore_patterns(".*"))
        made_by, queries = os.fspath(plan.corpus), questions.load(plan.queries, root)
    elif not plan.own and size >= SHARED_FROM and (SHARED / "gen_corpus.py").is_file():
        made_by, queries = f"shared generator, seed {plan.seed}", _shared(size, plan.seed, root, file)
    else:
        made_by, queries = f"own generator, seed {plan.seed}", corpus.write(root, size, plan.seed)
    if not any(query.kind == "phrase" for query in queries):
        queries = queries + questions.phrases(root, queries)
    questions.save(file, queries)
    return made_by, queries


def _shared(size: int, seed: int, root: Path, file: Path) -> list[Query]:
    """Run the shared generator; its questions are the ones kept beside it, where there are such."""
    kept = SHARED / f"queries{size}.jsonl"
    command = [sys.executable, os.fspath(SHARED / "gen_corpus.py"), os.fspath(root), str(size), "--seed", str(seed)]
    if not kept.is_file() or seed != SHARED_SEED:
        kept = file
        fewer = str(max(10, min(50, size // 4)))  # of 50 it makes 10 from CJK notes, more than a small corpus has
        command += ["--queries", os.fspath(file), "--nq", fewer]
    cost.measure(command, cost.environment(file.parent))
    return questions.load(kept, root)
