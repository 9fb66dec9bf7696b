"""The gate: which messages need memory, on a labelled set in two languages, and what no rule may be fooled by."""

import json
from pathlib import Path

import pytest

from memdir.recall import gate

SET = Path(__file__).parents[1] / "data" / "gate.jsonl"
ROWS = [json.loads(line) for line in SET.read_text("utf-8").splitlines()]


def rows(split: str, lang: str) -> list[dict[str, object]]:
    return [row for row in ROWS if (row["split"], row["lang"]) == (split, lang)]


def test_the_set_is_large_and_none_stands_in_it_twice() -> None:
    assert min(len(rows(split, lang)) for split in ("dev", "test") for lang in ("en", "zh")) >= 60
    assert len({str(row["message"]) for row in ROWS}) == len(ROWS) >= 200
    assert all(row["needs"] in (True, False, "continue") for row in ROWS)


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_needs_memory_is_let_through_and_little_else(split: str, lang: str) -> None:
    told = [(bool(row["needs"]), gate.decide(str(row["message"])).kind != "none") for row in rows(split, lang)]
    hits = told.count((True, True))
    assert hits / (hits + told.count((True, False))) >= 0.9
    assert hits / (hits + told.count((False, True))) >= 0.85


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_most_continuations_are_told_from_questions(lang: str) -> None:
    kinds = [(row["needs"] == "continue", gate.decide(str(row["message"])).kind == "continue") for row in ROWS
             if row["lang"] == lang]  # fmt: skip
    assert kinds.count((True, True)) >= 0.9 * sum(wanted for wanted, _ in kinds)
    assert kinds.count((False, True)) <= 2


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("where did we leave off?", "continue"),
        ("continue with the last project", "continue"),
        ("继续上次那个项目", "continue"),
        ("continue", "none"),
        ("thanks", "none"),
        ("", "none"),
        ("???", "none"),
        ("what is the capital of France", "none"),
        ("explain TCP", "none"),
        ("translate to French: my cat remembers our last trip", "none"),
        ("translate to French in our usual style: the cat sleeps", "memory"),
        ("what did we decide", "memory"),
        ("我的护照号", "memory"),
    ],
)
def test_messages(message: str, kind: str) -> None:
    assert gate.decide(message).kind == kind


TRACE = """Traceback (most recent call last):
  File "/home/me/shop/src/heron.py", line 12, in main
    return load(port)
KeyError: 'port'
"""


@pytest.mark.parametrize(
    ("message", "kind", "asked"),
    [
        (TRACE, "none", "KeyError: 'port'"),
        (f"why does this fail?\n{TRACE}", "none", "why does this fail? KeyError: 'port'"),
        (f"how did we fix this in March?\n{TRACE}", "memory", "how did we fix this in March? KeyError: 'port'"),
        (f"{TRACE * 60}\nwho looked at it last time?", "memory", "who looked at it last time? KeyError: 'port'"),
        ("```\nwhich port did we decide on\n```", "none", ""),
        ("const port = 3000\nwhich port do we use in staging?", "memory", "which port do we use in staging?"),
        ("which port\ndid we decide on?", "memory", "which port did we decide on?"),
        ("这个报错上次怎么解决的？\nValueError: bad", "memory", "这个报错上次怎么解决的？ ValueError: bad"),
    ],
)  # fmt: skip
def test_what_is_pasted_asks_nothing_and_only_its_errors_are_looked_for(message: str, kind: str, asked: str) -> None:
    assert gate.decide(message).kind == kind
    assert gate.question(message) == asked


def test_a_name_of_the_vault_outweighs_general_knowledge() -> None:
    message = "what is a kestrel"
    assert gate.decide(message).kind == "none"
    assert gate.decide(message, lambda said: "kestrel" in said) == ("memory", "a name of the vault")


def test_the_vault_is_not_asked_about_thanks() -> None:
    asked: list[str] = []
    assert gate.decide("thanks!", lambda said: bool(asked.append(said))).kind == "none"
    assert asked == []


@pytest.mark.parametrize(
    "message",
    ["嗯" * 5_000 + "x", "k" * 5_000, "ha" * 3_000 + "!x", "please " * 1_000, "what is " * 800, "：" * 5_000,
     '"' * 5_000,
     "{" * 5_000, "K" * 3_000 + ";", "at " * 2_000 + "\n(", "a: b\n" * 2_000, "x = " * 2_000, "a.b " * 1_500 + "Error",
     "- x:\n  " * 900, "why " + "a-" * 3_000, "1+" * 3_000 + "x", "写" * 5_000, "good morning " * 500 + "x",
     "的" * 5_000],
)  # fmt: skip
def test_odd_messages_are_decided_too(message: str) -> None:
    assert gate.decide(message).kind in ("memory", "none", "continue")
