"""A vault as a server opens it: many questions share one look at the files, none is answered by an older one."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.app import serving
from memdir.app.memory import Memory
from memdir.app.serving import Looks, Served
from memdir.errors import NotFound
from memdir.index import diff, sync
from memdir.index.filters import Filters
from memdir.recall.question import Question

Vault = Callable[..., Path]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When the files were looked at."""
    times: list[float] = []
    real = sync.sync

    def counted(vault: sync.Vault, options: sync.Options) -> sync.Report:
        times.append(time.monotonic())
        return real(vault, options)

    monkeypatch.setattr(sync, "sync", counted)
    return times


def whole() -> Looks:
    """Of a server whose first index is made."""
    looks = Looks()
    looks.made.set()
    return looks


def ask(memory: Served, words: str = "pump") -> list[str]:
    return [one.path for one in memory.recall(Question(words, Filters(), 5)).evidence]


def write(root: Path, name: str, text: str) -> None:
    (root / "memory/ref" / name).write_text(text, "utf-8")


def test_a_question_is_answered_by_a_look_that_began_after_it(vault: Vault, looked: list[float]) -> None:
    root = vault()
    with Served(root, whole()) as memory:
        memory.begin("", time.monotonic())
        assert ask(memory) == []
        first = len(looked)
        assert ask(memory) == []  # the same call looks once
        assert len(looked) == first
        write(root, "a.md", "# A\n\npump\n")
        memory.begin("", time.monotonic())
        assert ask(memory) == ["memory/ref/a.md"]
        assert len(looked) > first


def test_threads_share_a_look(vault: Vault, looked: list[float]) -> None:
    root, looks = vault(), whole()
    write(root, "a.md", "# A\n\npump\n")
    found: list[list[str]] = []
    asked = time.monotonic()

    def work() -> None:
        with Served(root, looks) as memory:
            memory.begin("", asked)
            found.append(ask(memory))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["memory/ref/a.md"]] * 6
    assert len(looked) == 1


def test_an_open_reader_is_kept_until_the_index_is_another(vault: Vault) -> None:
    root, looks = vault(), whole()
    write(root, "a.md", "# A\n\npump\n")
    time.sleep(diff.RACY_NS / 1e9 + 0.1)  # a file as young as the index is read again at each look
    with Served(root, looks) as one, Served(root, looks) as other:
        for memory in (one, other):
            memory.begin("", time.monotonic())
            assert ask(memory) == ["memory/ref/a.md"]
        held = one.open_reader(verified=True)
        one.begin("", time.monotonic())
        assert ask(one) == ["memory/ref/a.md"]
        assert one.open_reader(verified=True) is held
        write(root, "b.md", "# B\n\npump\n")
        other.begin("", time.monotonic())
        assert len(ask(other)) == 2
        one.asked = looks.began  # a question that came before that look
        assert len(ask(one)) == 2
        assert one.open_reader(verified=True) is not held


def test_a_reader_is_not_kept_over_what_others_indexed(vault: Vault) -> None:
    """The index is brought up to date by somebody else, so that the own look finds nothing to do."""
    root, looks = vault(), whole()
    write(root, "a.md", "# A\n\npump\n")
    with Served(root, looks) as one, Memory(root) as other:
        one.begin("", time.monotonic())
        assert len(ask(one)) == 1
        write(root, "b.md", "# B\n\npump\n")
        assert other.freshen()[0]
        one.begin("", time.monotonic())
        assert len(ask(one)) == 2


def test_while_the_first_index_is_made_the_files_are_searched(vault: Vault) -> None:
    root, looks = vault(), Looks(since=0)
    write(root, "a.md", "# A\n\npump\n")
    with Served(root, looks) as memory:
        memory.begin("", time.monotonic())
        answer = memory.recall(Question("pump", Filters(), 5))
        assert [one.path for one in answer.evidence] == ["memory/ref/a.md"]
        assert any(serving.INCOMPLETE in notice for notice in answer.notices)
        memory.catch_up()
        assert looks.made.is_set()
        memory.begin("", time.monotonic())
        assert memory.recall(Question("pump", Filters(), 5)).notices == []


def test_catching_up_writes_no_file_of_the_vault(vault: Vault, tree: Callable[[Path], dict[str, str]]) -> None:
    root = vault()
    write(root, "a.md", "# A\n\npump\n")
    before = tree(root)
    with Served(root, whole()) as memory:
        memory.catch_up()
    assert tree(root) == before


def test_more_than_a_recall_reads_is_left_to_the_background(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    root, looks = vault(), whole()
    with Served(root, looks) as memory:
        memory.begin("", time.monotonic())
        assert ask(memory) == []
        for number in range(3):
            write(root, f"n{number}.md", "# N\n\npump\n")
        memory.begin("", time.monotonic())
        assert not memory.freshen(most=2)[0]
        assert looks.behind.is_set()


def test_a_caller_of_a_scope_names_what_is_of_it_alone(vault: Vault) -> None:
    root = vault()
    write(root, "a.md", "---\nscope: atlas\n---\n# A\n")
    write(root, "b.md", "# B\n")
    with Served(root, whole()) as memory:
        assert memory.seen("memory/ref/a.md", ["atlas"]) == "memory/ref/a.md"
        assert memory.seen("memory/ref/b.md", []) == "memory/ref/b.md"
        said = []
        for target in ("memory/ref/b.md", "memory/ref/c.md", "../x.md", "MEMORY.md"):
            with pytest.raises(NotFound) as refused:
                memory.seen(target, ["atlas"])
            said.append(str(refused.value).replace(repr(target), "it"))
        assert len(set(said)) == 1
