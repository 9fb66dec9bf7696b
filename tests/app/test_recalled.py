"""The log of recalls: what a line says, that it is bounded, that nothing depends on it."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app import recalled
from memdir.app.memory import Memory
from memdir.evals.reliability.secret_lines import corpus
from memdir.index.filters import Filters
from memdir.index.values import Options
from memdir.recall.question import Question
from memdir.vault import secret_words, secrets


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    root = vault()
    run("new", "Shell preference", "--type", "user", "--body", "Works in zsh on every machine.", vault=root)
    run("new", "Atlas", "--body", "The map service; its shell is zsh too.", vault=root)
    return root


def place(root: Path) -> Path:
    with Memory(root) as memory:
        return memory.vault.place


def lines(root: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (place(root) / recalled.FILE).read_text("utf-8").splitlines()]


def test_a_recall_is_one_line_in_the_cache_folder(root: Path, run: Run) -> None:
    found = run("recall", "which  shell", "--json", vault=root, MEMDIR_NOW="2026-11-29T10:00:00+01:00").json
    run("recall", "zeppelin", vault=root)
    first, second = lines(root)
    ids = [f"{one['path']}:{one['at']}" for one in found["evidence"]]
    assert first == {"ts": "2026-11-29T09:00:00.000Z", "query": "which shell", "mode": "auto", "ids": ids}
    assert len(ids) == 2
    assert second["ids"] == []
    assert os.name == "nt" or (place(root) / recalled.FILE).stat().st_mode & 0o777 == 0o600


def test_the_setting_turns_it_off(root: Path, run: Run) -> None:
    run("recall", "shell", vault=root, MEMDIR_RECALL_LOG="0")
    assert not (place(root) / recalled.FILE).exists()


def test_a_secret_of_the_question_is_not_written(root: Path, run: Run) -> None:
    run("recall", "is the password: hunter2!x still the one for zsh", vault=root)
    said = (place(root) / recalled.FILE).read_text("utf-8")
    assert "hunter2" not in said
    assert "⟦secret:password:" in said
    assert "for zsh" in said


def test_a_question_that_is_taken_as_plain_holds_no_secret() -> None:
    said = [line.text for line in corpus(7)]
    said += [part for text in said for part in (*text.split("\n"), " ".join(text.split()[:6]))]
    plain = [text for text in said if recalled.is_plain(text)]
    assert len(plain) > 100
    assert [text for text in plain if secrets.find(text)] == []
    for text in ("which shell does Mira's old machine run?", "port in 2025-03", "上周 atlas 用的是哪个 shell"):
        assert recalled.is_plain(text)


def test_every_word_that_redaction_knows_is_hinted_at() -> None:
    words = [stem for stems in secret_words._STEMS.values() for stem in stems]
    words += [name for name, _ in secret_words._COMMANDS]
    assert [word for word in words if recalled.is_plain(f"{word} 7")] == []
    assert recalled.is_plain("where is the password of the router, and who has the token?")
    assert not recalled.is_plain("the seed words are anchor bridge candle dune ember frost")


def test_the_log_is_bounded_and_one_old_file_is_kept(root: Path) -> None:
    with Memory(root, options={"recall.log": 0.002}) as memory:
        for number in range(60):
            memory.recall(Question(f"shell {number}", Filters(), 5), fresh=not number)
        held = [one.query for one in recalled.newest(memory.vault.place)]
        sizes = [(memory.vault.place / name).stat().st_size for name in (recalled.FILE, recalled.OLD)]
    assert max(sizes) < 2_400
    assert held == [f"shell {number}" for number in range(59, 59 - len(held), -1)]
    assert 15 < len(held) < 60


def test_an_open_log_that_is_put_aside_or_deleted_is_begun_anew(root: Path) -> None:
    with Memory(root, options={"recall.log": 0.002}) as memory:
        ask = lambda said: memory.recall(Question(said, Filters(), 5), fresh=False)  # noqa: E731
        memory.sync(Options())
        ask("shell one")
        log = place(root) / recalled.FILE
        with log.open("ab") as other:
            other.write(b"x" * 2_000 + b"\n")
        log.replace(place(root) / recalled.OLD)
        ask("shell two")
        assert [one["query"] for one in lines(root)] == ["shell two"]
        log.unlink()
        ask("shell three")
        assert [one["query"] for one in lines(root)] == ["shell three"]


def test_damaged_lines_are_passed_over(root: Path, run: Run) -> None:
    run("recall", "shell", vault=root)
    with (place(root) / recalled.FILE).open("ab") as file:
        file.write(
            b'{"torn\n[1]\n{"ids": 3}\n{"ids": [4]}\n{"ids": [], "query": 5}\n\xff\xfe\n' + b"[" * 100_000 + b"\n"
        )
    run("recall", "zsh", vault=root)
    assert [one.query for one in recalled.newest(place(root))] == ["zsh", "shell"]


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in the way is refused in other words")
def test_a_log_that_cannot_be_written_is_nobodys_concern(root: Path, run: Run) -> None:
    run("sync", vault=root)
    (place(root) / recalled.FILE).mkdir()
    found = run("recall", "shell", "--json", vault=root)
    assert found.code == 0
    assert not found.err
    assert run("used", found.paths[0], vault=root).code == 0
    assert run("eval", "replay", vault=root).code == 3


def test_two_hundred_recalls_change_no_file_and_no_answer(root: Path, run: Run, tree: Tree) -> None:
    words = ("shell", "zsh", "map service", "machine", "which shell does atlas have")
    run("sync", vault=root)
    before = tree(root)
    first = run("recall", words[-1], "--json", vault=root).out
    with Memory(root) as memory:
        for number in range(200):
            memory.recall(Question(words[number % len(words)], Filters(), 5), fresh=number % 20 == 0)
        assert memory.strength() == {}
    assert run("recall", words[-1], "--json", vault=root).out == first
    # What lies in `.memdir/` is worked off by whoever comes next (journal, history); it is neither note nor ledger.
    kept = {path: mark for path, mark in tree(root).items() if ".memdir" not in path}
    assert kept == {path: mark for path, mark in before.items() if ".memdir" not in path}
    assert len(lines(root)) == 202


def test_lines_of_a_file_are_found_in_a_recall() -> None:
    one = recalled.Recalled("", "", ids=("a.md:12", "b:c.md:3", "a.md:x"))
    assert one.has("a.md")
    assert one.has("a.md", 10, 12)
    assert one.has("b:c.md", 3, 3)
    assert not one.has("a.md", 13, 20)
    assert not one.has("b")
