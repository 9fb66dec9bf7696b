"""Recall in an open process: what each question finds, and how long it takes when everything is loaded.

Runs in a child that `bench` starts, so that its imports and memory are not the parent's. Reads the vault and its
index; `fresh` recalls look at the files first and may bring the index up to date.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir.app import recalling
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals import questions

if TYPE_CHECKING:
    from memdir.recall.evidence import Answer
    from memdir.recall.question import Question

FRESH = 20  # questions asked with `fresh`, spread over all kinds: each walks the whole vault


def measure(root: Path, file: Path, repeat: int, ask: "Callable[[str], Question]") -> dict[str, Any]:
    """Paths found by question, and the seconds of each recall: when it is `first` asked, then `repeat` times more."""
    asked = [ask(query.text) for query in questions.load(file, root)]
    with Memory(root) as opened:
        answers, first = _passes(opened, asked, fresh=False)
        found = [[one.path for one in answer.evidence] for answer in answers]
        if not all(answer.source == "index" for answer in answers):
            raise MemdirError("recall answered without the index")
        _, plain = _passes(opened, asked * repeat, fresh=False)
        few = asked[:: max(1, -(-len(asked) // FRESH))]
        opened.recall(few[0], fresh=True)
        _, looked = _passes(opened, few, fresh=True)
        return {"found": found, "first": first, "plain": plain, "fresh": looked, "scan": _scan(opened, asked * repeat)}


def _scan(opened: Memory, asked: "list[Question]") -> dict[str, list[float]]:
    """Seconds of the view by meaning alone, the question already a vector: every row scored, the best chosen."""
    dense = recalling.meaning(opened, verified=False) if asked[0].mode != "keyword" else None
    cpu, wall = [], []
    for question in asked if dense else ():
        near = dense(question.text, None).near if dense else None
        began, used = time.perf_counter(), time.process_time()
        if near:
            near.again().best(100)
        cpu.append(time.process_time() - used)
        wall.append(time.perf_counter() - began)
    return {"cpu": cpu, "wall": wall}


def _passes(
    opened: Memory, asked: "list[Question]", *, fresh: bool
) -> "tuple[list[Answer], dict[str, list[float]]]":  # fmt: skip
    answers, cpu, wall = [], [], []
    for question in asked:
        began, used = time.perf_counter(), time.process_time()
        answers.append(opened.recall(question, fresh=fresh))
        cpu.append(time.process_time() - used)
        wall.append(time.perf_counter() - began)
    return answers, {"cpu": cpu, "wall": wall}
