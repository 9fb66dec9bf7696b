"""A reader that stays open: what it keeps in memory never shows what is no longer so."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdir.app.memory import Memory
from memdir.index import db, reader
from memdir.index.filters import Filters
from memdir.index.sync import Options
from memdir.recall.evidence import Evidence
from memdir.recall.question import Question


@pytest.fixture
def memory(vault: Callable[..., Path]) -> Iterator[Memory]:
    root = vault()
    for name, said in (("giraffe", "It eats from tall trees."), ("otter", "It swims in a cold river.")):
        (root / f"memory/ref/{name}.md").write_text(f"# {name.title()}\n\n{said}\n", encoding="utf-8")
    with Memory(root) as opened:
        opened.sync(Options())
        yield opened


def ask(memory: Memory, question: str) -> list[Evidence]:
    return memory.recall(Question(question, Filters(), 5), fresh=False).evidence


def test_a_quote_is_what_the_file_says_now_whatever_its_size_and_time_say(memory: Memory) -> None:
    path = memory.root.path / "memory/ref/otter.md"
    was = path.stat()
    assert "cold river" in ask(memory, "otter")[0].quote
    path.write_text(path.read_text("utf-8").replace("cold", "warm"), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_size == was.st_size
    assert "warm river" in ask(memory, "otter")[0].quote


def test_what_is_kept_is_bounded_and_answers_stay_the_same(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = ["giraffe trees", "otter river", "girafe", "rivr", "tall cold"]
    before = [ask(memory, question) for question in questions]
    monkeypatch.setattr(reader, "KEPT", 1)
    monkeypatch.setattr(reader, "NEAR_KEPT", 1)
    memory.drop_reader()
    assert [ask(memory, question) for question in questions * 2] == before * 2
    opened = memory.open_reader(verified=False)
    assert len(opened._near) <= 1
    assert len(opened._kept) <= 3


def test_passages_that_another_process_took_out_are_gone(memory: Memory) -> None:
    opened = memory.open_reader(verified=True)
    numbers = {number for (number,) in opened.rows("SELECT id FROM passages")}
    (otter,) = (hit for hit in opened.hits([*numbers]) if hit.name == "otter")
    (memory.root.path / otter.path).write_text("# Otter\n\nIt sleeps.\n", encoding="utf-8")
    with Memory(memory.root.path) as other:
        assert other.sync(Options())[0].modified == 1
    assert {hit.id for hit in opened.hits([*numbers])} == numbers - {otter.id}


def test_a_value_of_other_bytes_is_no_error(tmp_path: Path) -> None:
    """A shell hands over any bytes; Python holds those that are no UTF-8 as lone surrogates."""
    connection = db.create(tmp_path / "index.db")
    assert db.select(connection, "SELECT ?, ?", ["a\udcff", 7]) == [(db.storable("a\udcff"), 7)]
    connection.close()
