"""Whether a message corrects what was answered, and which requests are alike, on messages that are labelled."""

import json
from pathlib import Path
from typing import Any

import pytest

from memdir.recall import correcting, corrections
from memdir.recall.corrections import Bounds

DATA = Path(__file__).parents[1] / "data" / "corrections.jsonl"
SURE = Bounds().detection


def _labelled(kind: str, **wanted: object) -> list[dict[str, Any]]:
    held = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    return [one for one in held if one["kind"] == kind and all(one[key] == value for key, value in wanted.items())]


@pytest.mark.parametrize(
    ("split", "lang", "least", "wrong"),
    [("dev", "en", 0.97, 0), ("dev", "zh", 0.95, 0), ("held", "en", 0.65, 1), ("held", "zh", 0.8, 0)],
)
def test_corrections_are_told_from_other_messages(split: str, lang: str, least: float, wrong: int) -> None:
    told = _labelled("turn", split=split, lang=lang)
    right = [one for one in told if one["corrects"]]
    assert len(right) * 2 <= len(told) + 5
    assert sum(correcting.score(one["text"]) >= SURE for one in right) >= least * len(right)
    others = [one["text"] for one in told if not one["corrects"] and correcting.score(one["text"]) >= SURE]
    assert len(others) <= wrong, others


@pytest.mark.parametrize("message", ["", "?", "no", "不", "no " * 100_000, "不对" * 100_000, "\ud800", '"' * 5_000])
def test_a_score_is_a_score_whatever_the_message(message: str) -> None:
    assert 0.0 <= correcting.score(message) <= 1.0


def test_what_is_quoted_corrects_nothing() -> None:
    assert correcting.score('Translate: "No, I meant the other one."') < SURE
    assert correcting.score("> That's wrong.\nWho wrote this?") < SURE


@pytest.mark.parametrize(
    ("request_", "bare"),
    [
        ("Can you please write the report?", "write the report"),
        ("please could you help me to write the report, thanks!", "write the report"),
        ("帮我写一下周报好吗？", "写一下周报"),
        ("Please.", ""),
        ("Cancel the table.", "Cancel the table"),
    ],
)
def test_a_request_without_its_frame(request_: str, bare: str) -> None:
    assert corrections.bare(request_) == bare


def test_the_embedded_model_tells_requests_that_ask_for_the_same(model: Path) -> None:
    from memdir.llm.use import Use

    use, pairs = Use(), _labelled("pair")
    rows = [use.embed([form(one[key]) for one in pairs for key in ("a", "b")]) for form in (str, corrections.bare)]
    like = [max(float(row[2 * n] @ row[2 * n + 1]) for row in rows) for n in range(len(pairs))]
    found = [one for one, likeness in zip(pairs, like, strict=True) if likeness >= Bounds().similarity]
    assert sum(one["same"] for one in found if one["lang"] != "en-zh") >= 41
    assert sum(not one["same"] for one in found) <= 2
