"""How the weights of confidence are learnt, and the questions that were written for it."""

import json
from pathlib import Path

import numpy as np

from memdir.evals import declining, vault_set
from memdir.evals.declining import Case
from memdir.recall.confidence import Signals

DATA = Path(__file__).parents[1] / "data"


def case(answerable: bool, name: str = "own", **signals: float) -> Case:
    return Case(name, answerable, answerable, False, np.array([*Signals(**signals)]))


def made(seed: int = 3) -> list[Case]:
    """Answered questions hold their words and tell the attribute; `cosine` says the opposite of what it means."""
    drawn = np.random.default_rng(seed)
    some = []
    for n in range(120):
        yes = bool(n % 3)
        joined, untold, cosine = drawn.normal(0.3 + 0.6 * yes, 0.3), drawn.normal(0.6 - 0.4 * yes, 0.3), -0.3 * yes
        some.append(case(yes, joined=joined, untold=untold, cosine=cosine + drawn.normal(0, 0.3)))
    return some


def test_weights_say_what_their_signals_mean_or_nothing() -> None:
    weights = dict(zip(("bias", *Signals._fields), declining.learnt(made()), strict=True))
    assert weights["joined"] > 0 > weights["untold"]
    assert weights["cosine"] == 0
    assert weights["told"] == 0, "it never varies"


def test_a_set_of_more_unanswerable_questions_counts_as_one_of_fewer() -> None:
    some = made()
    twice = some + [one for one in some if not one.answerable]
    assert np.allclose(declining.learnt(some), declining.learnt(twice), atol=0.15)
    counts = declining._counts(twice)
    yes = np.array([one.answerable for one in twice])
    assert np.isclose(counts[yes].sum(), counts[~yes].sum())


def test_the_report_tells_each_set_and_a_weight_a_signal() -> None:
    some = made() + [Case("declining", one.answerable, one.found, False, one.signals) for one in made(4)]
    lines = [*declining.report(some)]
    assert any(line.startswith("apart, own: all kept: area 0.9") for line in lines)
    assert [line.strip().split("=")[0] for line in lines if line.startswith("    ")] == list(declining.MEANS)
    assert tuple(declining.MEANS) == Signals._fields


def test_the_questions_for_learning_are_asked_of_the_notes_of_the_own_set_and_of_none_of_its_questions() -> None:
    learnt, own = (vault_set.load(DATA / name) for name in ("declining.jsonl", "own.jsonl"))
    assert learnt.corpora[0].notes == own.corpora[0].notes
    assert not {one.text for one in learnt.queries} & {one.text for one in own.queries}
    assert len({one.text for one in learnt.queries}) == len(learnt.queries)
    counts = {kind: sum(one.abstain is kind for one in learnt.queries) for kind in (True, False)}
    assert min(counts.values()) >= 150
    held = [json.loads(line) for line in (DATA / "declining.jsonl").read_text("utf-8").splitlines()]
    assert {one["lang"] for one in held[1:]} == {"en", "zh"}
