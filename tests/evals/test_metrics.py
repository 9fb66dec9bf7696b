"""Figures of rankings, each against a value worked out by hand, and against the scripts beside the shared sets."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memdir.evals import metrics, reports, sets
from memdir.evals.metrics import Ranks

BASELINES = sets.SHARED / "baselines"
TWO_OF_THREE: Ranks = (0, 6, None)  # first, seventh, and one that did not come back


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("any@1", 1),
        ("all@1", 0),
        ("R@1", 1 / 3),
        ("R@5", 1 / 3),
        ("R@10", 2 / 3),
        ("all@20", 0),
        ("MRR", 1),
        ("nDCG@1", 1),
        ("nDCG@5", 1 / (1 + 1 / math.log2(3) + 1 / 2)),
        ("nDCG@10", (1 + 1 / 3) / (1 + 1 / math.log2(3) + 1 / 2)),
    ],
)
def test_figures_of_one_question(name: str, value: float) -> None:
    assert metrics.MEASURES[name](TWO_OF_THREE) == pytest.approx(value)


def test_figures_are_averages_over_questions_not_over_targets() -> None:
    found = metrics.figures([TWO_OF_THREE, (None,), (4,)])
    assert found["R@5"] == pytest.approx((1 / 3 + 0 + 1) / 3)
    assert found["any@5"] == found["any@10"] == pytest.approx(2 / 3)
    assert found["all@5"] == pytest.approx(1 / 3)
    assert found["MRR"] == pytest.approx((1 + 0 + 1 / 5) / 3)
    assert set(found) == {f"{name}@{k}" for name in ("any", "all", "R", "nDCG") for k in (1, 5, 10, 20)} | {"MRR"}
    assert metrics.figures([]) == {}


def test_a_result_that_meets_two_targets_gains_once() -> None:
    assert metrics.ndcg_at((0, 0), 5) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert metrics.share_at((0, 0), 1) == 1


def test_curve_and_its_area_are_those_of_the_pairs() -> None:
    """Of six pairs of an answerable and an unanswerable question 4 are in order and one is even."""
    answerable = [(0.9, False), (0.5, False), (0.2, True)]
    found = metrics.curve(answerable, [(0.5, False), (0.1, True)])
    assert found
    assert found.area == pytest.approx((4 + 0.5) / 6)
    assert found.kept["0.1"] == pytest.approx(1 / 3), "above the first unanswerable one stands 0.9 alone"
    assert found.kept["0.5"] == 1, "at 0.2 one of two unanswerable ones is answered"
    assert found.false_at_95 == 0.5
    assert (found.false_now, found.kept_now) == (pytest.approx(1 / 2), pytest.approx(2 / 3))
    assert metrics.curve(answerable, []) is None


def test_bootstrap_is_paired_and_seeded() -> None:
    theirs = [float(n % 2) for n in range(200)]
    same = metrics.bootstrap(theirs, theirs)
    assert (same.mean, same.low, same.high, same.certain) == (0, 0, 0, False)
    better = [1.0 if n % 10 == 0 else value for n, value in enumerate(theirs)]  # 20 of 200 mended
    found = metrics.bootstrap(better, theirs)
    assert found == metrics.bootstrap(better, theirs)
    assert found.mean == pytest.approx(0.1)
    # Standard error sqrt(.1 × .9 / 200) = .0212: the interval is close to .1 ± .0416.
    assert (found.low, found.high) == (pytest.approx(0.058, abs=0.006), pytest.approx(0.142, abs=0.006))
    assert found.certain


def test_rankings_side_by_side() -> None:
    assert metrics.overlap("abcde", "abxyz", 5) == pytest.approx(2 / 5)
    assert metrics.overlap("ab", "ba", 5) == 1
    assert metrics.overlap("", "", 5) == 1
    assert metrics.spearman("abcd", "abcd") == 1
    assert metrics.spearman("abcd", "dcba") == -1
    assert metrics.spearman("abc", "acb") == pytest.approx(0.5)
    assert metrics.spearman("axbyc", "acb") == pytest.approx(0.5), "what one side lacks is left out"
    assert metrics.spearman("ab", "bc") is None


def test_percentiles_are_by_nearest_rank() -> None:
    assert [metrics.percentile([3, 1, 2, 4], share) for share in (0.5, 0.95, 0.25)] == [2, 4, 1]


def test_ranks_come_back_from_one_line() -> None:
    rows: list[Ranks] = [(0, None, 12), (None,), (3,)]
    assert reports.packed(rows) == "1,-,13;-;4"
    assert reports.unpacked(reports.packed(rows)) == rows
    assert reports.unpacked("") == []


SCRIPT = """
import json, sys
import numpy as np
import evallib
for corpus in evallib.load(sys.argv[1])[:2]:
    index = evallib.FTS5(evallib.texts(corpus, "cap+spk"))
    for query in corpus.queries[:150]:
        if not query["abstain"]:
            scores = index.scores(query["query"])
            order = [int(n) for n in np.argsort(-scores, kind="stable") if np.isfinite(scores[n])]
            ranks = [order.index(gold) if gold in order else None for gold in query["gold"]]
            print(json.dumps([ranks, evallib.metrics(scores, query["gold"])]))
answerable, unanswerable = [3.0, 1.0, 2.0, 2.0], [2.0, 0.5]
print(json.dumps(evallib.auc(np.array(answerable), np.array(unanswerable))))
"""


@pytest.mark.skipif(not BASELINES.is_dir(), reason="the shared sets lie beside some checkouts only")
@pytest.mark.parametrize("name", ["locomo", "madial_en"])
def test_the_shared_scripts_give_the_same_figures(name: str, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.fspath(BASELINES), "EVAL_CACHE": os.fspath(tmp_path), "PYTHONUTF8": "1"}
    env |= {"PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SCRIPT, name]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr[-500:]
    *lines, area = map(json.loads, ran.stdout.splitlines())
    assert len(lines) > 100
    for ranks, theirs in lines:
        ours = {key: metrics.MEASURES[key.replace("hit", "any")](tuple(ranks)) for key in theirs}
        assert ours == pytest.approx(theirs)
    answerable = [(value, False) for value in (3.0, 1.0, 2.0, 2.0)]
    found = metrics.curve(answerable, [(2.0, False), (0.5, False)])
    assert found
    assert found.area == pytest.approx(area)
