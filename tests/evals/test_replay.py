"""The vault's own uses asked again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app import recalled
from memdir.app.memory import Memory
from memdir.evals import replay

ZSH, ATLAS, PORT = "memory/user/shell-preference.md", "memory/project/atlas.md", "memory/ref/port.md"


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    root = vault()
    run("new", "Shell preference", "--type", "user", "--body", "Works in zsh on every machine.", vault=root)
    run("new", "Atlas", "--type", "project", "--body", "The map service, zsh.", vault=root)
    run("new", "Port", "--type", "ref", "--body", "The old one listens on 7431.", vault=root)
    run("log", "Deploy failed", "--line", "The migration timed out", vault=root, MEMDIR_NOW="2026-11-29T14:20:00+00:00")
    return root


def test_no_use_is_nothing_to_replay(root: Path, run: Run) -> None:
    run("recall", "zsh", vault=root)
    found = run("eval", "replay", vault=root)
    assert found.code == 3
    assert "memdir used" in found.err


def test_shares_of_what_was_used_come_back(root: Path, run: Run, tree: Tree) -> None:
    run("used", ZSH, "--query", "zsh machine", vault=root)
    run("used", PORT, "--query", "ZSH  machine", vault=root)  # the same question; nothing in it finds the port
    run("used", "memory/logs/2026/11/2026-11-29.md:4", "--query", "why did the migration fail", vault=root)
    before = tree(root)
    found = run("eval", "replay", "--json", vault=root).json
    assert found["kinds"]["all"] == {
        "questions": 2, "memories": 3, "share@1": 0.6667, "share@5": 0.6667, "share@10": 0.6667,
        "any@1": 1.0, "any@5": 1.0, "any@10": 1.0, "MRR": 1.0,
    }  # fmt: skip
    assert found["kinds"]["log"]["share@1"] == 1.0
    assert found["kinds"]["note"]["share@10"] == 0.5
    ranks = {(row["query"], one["id"]): one["rank"] for row in found["rows"] for one in row["used"]}
    assert ranks == {
        ("ZSH machine", ZSH): 1, ("ZSH machine", PORT): None,
        ("why did the migration fail", "memory/logs/2026/11/2026-11-29.md:3"): 1,
    }  # fmt: skip
    assert set(found["definitions"]) == {"memory", "question", "share@k", "any@k", "MRR"}
    assert tree(root) == before
    with Memory(root) as memory:
        assert [*recalled.newest(memory.vault.place)] == []


def test_the_question_of_a_use_is_that_of_the_recall_before_it(root: Path, run: Run) -> None:
    at = "2026-11-30T10:0{}:00+00:00"
    run("recall", "which machine", vault=root, MEMDIR_NOW=at.format(0))
    run("recall", "map service", vault=root, MEMDIR_NOW=at.format(1))
    run("used", ZSH, vault=root, MEMDIR_NOW=at.format(2))
    run("recall", "zsh", vault=root, MEMDIR_NOW=at.format(3))
    run("used", PORT, vault=root, MEMDIR_NOW=at.format(4))
    found = run("eval", "replay", "--json", vault=root).json
    assert [row["query"] for row in found["rows"]] == ["which machine"]
    assert (found["uses"], found["unasked"], found["gone"]) == (2, 1, 0)


def test_what_is_gone_is_left_out_and_counted(root: Path, run: Run) -> None:
    run("used", ZSH, ATLAS, "--query", "zsh", vault=root)
    (root / ZSH).unlink()
    found = run("eval", "replay", "--json", vault=root).json
    assert (found["gone"], found["kinds"]["all"]["memories"], found["kinds"]["all"]["share@1"]) == (1, 1, 1.0)


def test_the_newest_questions_and_what_is_printed(root: Path, run: Run) -> None:
    run("used", ZSH, "--query", "zsh", vault=root)
    run("used", PORT, "--query", "7431", vault=root)
    with Memory(root) as memory:
        assert [row["query"] for row in replay.replay(memory, 1)["rows"]] == ["7431"]
        assert memory.settings["recall.log"] == 5.0
    shown = run("eval", "replay", vault=root).out
    assert shown.startswith("2 uses recorded; 2 questions asked again for 2 memories; left out: 0")
    for name, meaning in replay.DEFINITIONS.items():
        assert f"  {name}: {meaning}" in shown
    assert "note" in shown.splitlines()[-1]
