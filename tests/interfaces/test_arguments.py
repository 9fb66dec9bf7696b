"""What is typed wrongly is refused with a word about it, and nothing is written; lists fit a terminal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["new", ""], "the title is empty"), (["log", ""], "the entry is empty"),
        (["edit", "atlas", "--append", "--text", ""], "nothing to append"),
        (["edit", "atlas", "--append", "--text", "\n"], "nothing to append"),
        (["edit", "", "--append", "--text", "x"], "name of a note is missing"),
        (["read", ""], "name of a note is missing"), (["read", "#head"], "name of a note is missing"),
        (["history", ""], "name of a note is missing"), (["show", ""], "name of a note is missing"),
        (["set", "", "a=b"], "name of a note is missing"),
        (["fact", "set", "atlas", "port", ""], "the value of the fact is empty"),
        (["fact", "set", "atlas", " ", "1"], "the key of the fact is empty"),
        (["list", "--since", "2026-02-30"], "not a day"), (["recall", "x", "--until", "2026-13-01"], "not a day"),
        (["distill", "--since", "2026-02-30"], "not a day"), (["scan", ".", "--since", "2026-02-30"], "not a day"),
        (["scan", "."  , "--since", "2026-2-3"], "not a day"),
        (["merge-conflicts", ""], "name of a note is missing"),
    ],
)  # fmt: skip
def test_wrong_arguments(vault: Callable[..., Path], run: Run, tree: Tree, line: list[str], said: str) -> None:
    root = vault()
    run("new", "Atlas", "--body", "- port:: 8080", vault=root)
    before = {path: mark for path, mark in tree(root).items() if not path.startswith(".memdir")}
    done = run(*line, vault=root)
    assert (done.code, said in done.err) == (2, True), done.err
    assert {path: mark for path, mark in tree(root).items() if not path.startswith(".memdir")} == before


def test_a_long_path_does_not_push_the_other_columns_away(vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    run("new", "A " * 90, vault=root)
    run("new", "Pump", vault=root)
    short = next(line for line in run("list", vault=root).out.split("\n") if "pump.md" in line)
    assert short.startswith("memory/project/pump.md ")
    assert short.index(" Pump ") == 81


@pytest.mark.parametrize("given", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "soon"])
def test_a_clock_that_no_log_can_show_is_refused(vault: Callable[..., Path], run: Run, given: str) -> None:
    done = run("log", "Something", vault=vault(), MEMDIR_NOW=given)
    assert done.code == 2
    assert f"MEMDIR_NOW={given!r}" in done.err
