"""A quantity in a question is found as notes and turns write it: one word, "6s"."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.index.sync import Options
from memdir.recall.quantities import together
from memdir.recall.question import Question

NOTE = "---\nname: {0}\ntype: ref\ntags: []\ncreated: 2026-01-05\nupdated: 2026-01-05\nimportance: low\n---\n{1}\n"
# The same length and the same words; the wrong ones hold the number apart from the unit.
NOTES = {
    "second": "Simulated delay became a setting: 134s→6s, in the evening",
    "first": "Simulated delay became a setting: room 6, in the evening",
    "third": "Simulated delay became a setting: page 6, in the evening",
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("跑测试降到 6 秒是怎么做到的", {"6": ("6s", "6sec")}),
        ("降到6秒钟", {"6": ("6s", "6sec")}),
        ("from 6 Seconds to 12 minutes", {"6": ("6s", "6sec"), "12": ("12m", "12min")}),
        ("3 GB or 3 kg", {"3": ("3gb", "3kg")}),
        ("room 6 seconded the motion", {}),
        ("in 2.5 hours, 1,200 m", {}),
        ("version 6", {}),
    ],
)
def test_the_number_before_a_unit_has_the_forms_of_both_as_one_word(
    question: str, found: dict[str, tuple[str, ...]]
) -> None:
    assert together(question) == found


@pytest.mark.parametrize("question", ["delay 6 seconds", "delay 6 秒", "delay 6 s"])
def test_a_quantity_finds_the_note_and_the_turn_that_write_it_as_one_word(
    question: str, vault: Callable[..., Path]
) -> None:
    root = vault()
    for name, body in NOTES.items():
        path = root / f"memory/ref/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTE.format(name, body), "utf-8")
    said = [
        {"session_id": "talk", "speaker": "Mel", "text": f"the delay is {amount} now", "ts": "2026-01-05T10:00:00Z"}
        for amount in ("room 6", "6s of", "page 6")
    ]
    with Memory(root, options={"embedder.kind": "none"}) as memory:
        memory.ingest(io.BytesIO("\n".join(map(json.dumps, said)).encode()))
        memory.sync(Options())
        notes = memory.recall(Question(question, Filters(types=("ref",)), 3)).evidence
        turns = memory.recall(Question(question, Filters(types=("session",)), 3)).evidence
    assert (notes[0].path, turns[0].at) == ("memory/ref/second.md", sorted(one.at for one in turns)[1])
