"""Front matter as hostile as it comes: reading never raises, an edit changes the lines of its key and nothing else."""

import random

import pytest

from memdir.errors import BadData
from memdir.evals.reliability.front import same
from memdir.evals.reliability.hostile import BOMBS, VALUES, hostile
from memdir.vault import fields, note


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("text", ["", "body\n", "---\nk: old\n---\n", "---\r\nk: 'old'  # why\r\n---\r\nbody",
    "---\nk:\n  - old\nz: 1\n---\n"])  # fmt: skip
def test_every_value_reads_back_as_it_was_set(text: str, value: fields.Value) -> None:
    new = fields.set_value(text, "k", value)
    assert same(fields.read(new).values["k"], value)
    assert fields.set_value(new, "k", value) == new


@pytest.mark.parametrize(("old", "new"), [("true", 1), ("1", True), ("false", 0), ("[1]", [True])])
def test_true_is_not_one(old: str, new: fields.Value) -> None:
    assert same(fields.read(fields.set_value(f"---\nk: {old}\n---\n", "k", new)).values["k"], new)


def test_setting_what_is_there_changes_nothing() -> None:
    for seed in range(400):
        text = fields.decode(hostile(random.Random(seed)))
        before = fields.read(text)
        for key, value in before.values.items():
            assert fields.set_value(text, key, value) == text


def test_no_bomb_goes_off() -> None:
    """All in one test: pytest's faulthandler_timeout would show where one hangs."""
    for name, block in BOMBS.items():
        text = f"---\n{block}\n---\n# Body\n"
        parsed = note.parse("memory/user/bomb.md", fields.encode(text), own=True)
        assert len(str(parsed.meta)) < 200_000, name
        assert [heading.text for heading in parsed.body.headings][-1:] == ["Body"], name
        assert all(
            1 <= problem.line <= len(parsed.lines) and len(problem.message) < 400 for problem in parsed.problems
        ), name
        try:
            edited = fields.set_value(text, "updated", "2026-11-29")
        except BadData:
            continue
        assert edited.endswith(f"{block}\n---\n# Body\n") or f"{block}\n" in edited, name
