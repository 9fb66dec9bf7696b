"""The same files and the same question give the same bytes: in two processes, and before and after a rebuild."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run

SET = Path(__file__).parents[1] / "data" / "own.jsonl"
ASKED = 12


@pytest.fixture
def root(model: Path, vault: Callable[..., Path]) -> Path:
    """The notes of the labelled set."""
    root = vault()
    for held in _records():
        if "note" in held:
            path = root / held["note"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(held["text"], "utf-8")
    return root


def _records() -> list[dict[str, str]]:
    return [json.loads(line) for line in SET.read_text("utf-8").splitlines()]


def test_the_same_bytes_in_another_process_and_after_a_rebuild(root: Path, run: Run, program: Run) -> None:
    questions = [held["query"] for held in _records() if "query" in held][:: 380 // ASKED]
    assert run("embedder", "drain", vault=root).code == 0
    first = [run("recall", one, "--json", vault=root).out for one in questions]
    assert sum('"meaning: rank' in one for one in first) > ASKED // 2
    assert program("recall", questions[0], "--json", vault=root).out == first[0]
    grown = root / "memory/ref/passing.md"
    grown.write_text("---\nname: Passing\ntype: ref\n---\nSomething that will not stay.\n")
    assert run("sync", vault=root).code == 0
    grown.unlink()
    assert run("sync", vault=root).code == 0
    assert [run("recall", one, "--json", vault=root).out for one in questions] == first
    rebuilt = run("rebuild", "--json", vault=root).json["report"]
    assert rebuilt["without"] == 0
    assert [run("recall", one, "--json", vault=root).out for one in questions] == first
