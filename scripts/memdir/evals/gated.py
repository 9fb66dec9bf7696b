"""What a run of several agents costs with the gate and without: the share of prompts that get memories, the share of
a context of 8,192 tokens that these take.

A run is a file of JSON Lines, a task each: `{"task", "agent", "lang", "prompts": [{"say", "needs", "gold"?}]}`; `gold`:
the file that answers. Each task is a conversation of its own, over the notes of a vault set. Reads both files only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import memdir
from memdir.app.memory import Memory
from memdir.app.ready import gating
from memdir.errors import BadData, UsageError
from memdir.evals.dataset import Dataset, records
from memdir.evals.stores import Vault
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.text import token_count

CONTEXT = 8_192  # tokens
BUDGET = 1_200  # tokens of one injection, as hooks ask for
WAYS = ("with the gate", "without")
DEFINITIONS = {
    "injected": "share of the prompts that get memories",
    "needed": "of those that need memory: share that get some",
    "in vain": "of those that need none: share that get some all the same",
    "answered": "of those whose answer is known: share that get the file with it",
    "tokens": "of one injection, in the mean",
    "context": f"tokens that the injections of a task have taken at its end, of {CONTEXT}: mean and worst of the tasks",
}


@dataclass(frozen=True, slots=True)
class Prompt:
    say: str
    needs: bool
    gold: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    agent: str
    lang: str
    prompts: tuple[Prompt, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What one prompt got: how many tokens, and whether the file with the answer is among them."""

    prompt: Prompt
    tokens: int
    is_met: bool


def load(file: Path) -> list[Task]:
    """The tasks of a run. Raises BadData with file and line."""
    found = []
    for where, held in records(file):
        try:
            prompts = tuple(Prompt(one["say"], bool(one["needs"]), one.get("gold", "")) for one in held["prompts"])
            found.append(Task(held["task"], held["agent"], held["lang"], prompts))
        except (KeyError, TypeError, AttributeError) as error:
            raise BadData(f"{where}: no task of a run: {error}") from None
    if not found:
        raise BadData(f"{file}: no task stands in it")
    return found


def measure(
    run: Sequence[Task],
    notes: Dataset,
    config: Mapping[str, str],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """A report as one document of plain values. Raises UsageError for a set without notes."""
    corpora = [one for one in notes.corpora if one.notes]
    if not corpora:
        raise UsageError(f"{notes.name} is no vault set: it holds no notes")
    store = Vault(config)
    try:
        store.moment = next((one.moment for one in notes.queries if one.moment), "")
        store.build(corpora[0])
        assert store.memory
        rows: dict[str, list[tuple[Task, list[Given]]]] = {way: [] for way in WAYS}
        for number, task in enumerate(run):
            for way, ask in zip(WAYS, (_gated, _always), strict=True):
                rows[way].append((task, [_given(store.memory, prompt, ask) for prompt in task.prompts]))
            if progress:
                progress(number + 1, len(run))
    finally:
        store.close()
    return {
        "memdir": memdir.__version__,
        "set": notes.name,
        "notes": len(corpora[0].notes),
        "tasks": len(run),
        "agents": len({task.agent for task in run}),
        "prompts": sum(len(task.prompts) for task in run),
        "definitions": DEFINITIONS,
        "ways": {way: _figures(held) for way, held in rows.items()},
        "by_task": [
            {"task": task.name, **{way: _share(rows[way][number][1]) for way in WAYS}}
            for number, task in enumerate(run)
        ],
    }


def _gated(memory: Memory, say: str) -> tuple[str, list[str]]:
    found = memory.gate(say, budget=BUDGET, fresh=False)
    return found.text, found.ids


def _always(memory: Memory, say: str) -> tuple[str, list[str]]:
    """Every prompt recalled for and shown, sure or not: what stands nearest."""
    asked = Question(" ".join(say.split()), Filters(), memory.settings["recall.limit"], BUDGET)
    return gating.shown(gating.pieces(memory.recall(asked, fresh=False).evidence), BUDGET)


def _given(memory: Memory, prompt: Prompt, ask: Callable[[Memory, str], tuple[str, list[str]]]) -> Given:
    text, ids = ask(memory, prompt.say)
    return Given(prompt, token_count(text), any(one.rpartition(":")[0] == prompt.gold for one in ids))


def _figures(rows: Sequence[tuple[Task, Sequence[Given]]]) -> dict[str, float]:
    every = [one for _, given in rows for one in given]
    shown = [one.tokens for one in every if one.tokens]
    shares = [_share(given) for _, given in rows]
    return {
        "injected": _mean([bool(one.tokens) for one in every]),
        "needed": _mean([bool(one.tokens) for one in every if one.prompt.needs]),
        "in vain": _mean([bool(one.tokens) for one in every if not one.prompt.needs]),
        "answered": _mean([one.is_met for one in every if one.prompt.gold]),
        "tokens": round(_mean(shown), 1),
        "context": _mean(shares),
        "context, worst": max(shares),
        "tokens in all": sum(shown),
    }


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 4) if values else 0.0


def _share(given: Sequence[Given]) -> float:
    return round(sum(one.tokens for one in given) / CONTEXT, 4)
