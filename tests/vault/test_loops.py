"""Open loops as text: ids, and how often one was closed."""

import re
import time

import pytest

from memdir.errors import Conflict
from memdir.vault import loops, store

LOOP = loops.Loop("memory/logs/2026/03/2026-03-02.md", 4, "Ring the plumber", "k3f", "2026-03-02", False)
BY_ID, BY_WORDS = "[[2026-03-02#^k3f]]", "[[2026-03-02]] ring the  plumber."


@pytest.mark.parametrize("end", ["", "\r"])
def test_an_id_stands_behind_the_words(end: str) -> None:
    assert re.fullmatch(rf"- \[ \] a \^[a-z0-9]{{5}}{end}", loops.with_ids(f"- [ ] a  \t{end}"))
    assert loops.with_ids(f"- [ ] a ^k3f {end}") == f"- [ ] a ^k3f {end}"
    assert loops.with_ids(f"- [x] a{end}") == f"- [x] a{end}"


def test_time_grows_with_length_only() -> None:
    """Spaces inside a line: 10 s before it was matched without a search for their end."""
    start = time.perf_counter()
    loops.with_ids("- [ ] a" + " " * 40_000 + "b")
    loops.with_ids("- [ ] a" + " " * 40_000)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("closes", "opens", "done"),
    [
        ([BY_ID], [], True),
        ([BY_WORDS], [], True),
        ([BY_ID], [BY_ID], False),
        ([BY_ID, BY_WORDS], [BY_ID], True),
        ([], [BY_ID], False),
        (["[[2026-03-03#^k3f]]", "[[2026-03-02]]", "k3f"], [], False),
    ],
)
def test_closed_more_often_than_opened(closes: list[str], opens: list[str], done: bool) -> None:
    assert loops.settled([LOOP], closes, opens)[0].done is done


def test_the_ledger_says_which_loops_an_entry_names() -> None:
    entry = store.LogEntry("Done", (f"resolves:: {BY_ID}", f"- reopens:: {BY_WORDS}", "x:: y"))
    assert store.record(entry) == {"log": "Done", "resolves": [BY_ID], "reopens": [BY_WORDS]}
    assert store.record(store.LogEntry("Plain", ("a line",))) == {"log": "Plain"}


def test_the_line_is_found_by_id_then_by_words() -> None:
    text = "- [ ] other\n1. [/] Ring the plumber ^k3f\n- [ ] Ring the plumber\n"
    assert loops.ticked(text, LOOP) == text.replace("[/]", "[x]")
    with pytest.raises(Conflict):
        loops.ticked("- [ ] Ring a plumber\n", LOOP)
    twice = "- [ ] Ring the plumber\n" * 2
    with pytest.raises(Conflict):
        loops.ticked(twice, LOOP)
