"""A damaged index: the answer stays right and says so, the next sync builds a new one, no note is touched."""

# mypy: allow-untyped-calls
# (Whoosh is typed in part only.)

import os
import pickle
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whoosh.filedb.filestore import FileStorage
from whoosh.index import _DEF_INDEX_NAME, TOC

import driver
from memdir.app import memory as app
from memdir.app.memory import Memory
from memdir.errors import Unusable
from memdir.evals.reliability import mirror
from memdir.evals.reliability.damage import ASKED, NOTES, QUESTIONS, Canary, plant
from memdir.evals.reliability.strikes import child, waited
from memdir.index import generation, reader, sync
from memdir.index.filters import Filters
from memdir.recall import pipeline
from memdir.recall.evidence import Answer
from memdir.recall.question import Question
from memdir.vault.disk import history

Damage = Callable[[bytes], bytes | None]


def _flipped(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes(byte ^ 0x10 for byte in data[at : at + 1]) + data[at + 1 :]


def _zeroed(data: bytes) -> bytes:
    """512 bytes from a third on, beginning where they are not zero already."""
    at = next((n for n in range(len(data) // 3, len(data)) if data[n]), 0)
    return data[:at] + bytes(512) + data[at + 512 :]


DAMAGE: dict[str, Damage] = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "deleted": lambda data: None,
    "512 bytes zeroed": _zeroed,
    "a bit flipped": _flipped,
    "garbage": lambda data: b"not a database" * 50,
}
KINDS = {
    "table of contents": "gen-*/whoosh/*.toc",
    "segments": "gen-*/whoosh/*.seg",
    "database": "gen-*/index.db",
    "seal": "gen-*/seal.json",
    "CURRENT": "CURRENT",
    "last walk": "gen-*/listed",
    "everything": "**/*",
}
# Nothing is said of what is not missed, nor where no index is left to be damaged.
SILENT = {("CURRENT", "deleted"), ("everything", "deleted"), *(("last walk", how) for how in DAMAGE)}


@pytest.fixture
def indexed(vault: Callable[..., Path]) -> Path:
    """A vault whose index is whole and made of two segments."""
    root = vault()
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with Memory(root) as memory, pytest.MonkeyPatch.context() as patch:
        memory.sync(mirror.ALL)
        patch.setattr(history, "WAIT", 0.0)
        memory.root.recover()  # or a slow test finds something due in the journal
    return root


def place_of(root: Path) -> Path:
    with Memory(root) as memory:
        return memory.vault.place


def strike(place: Path, pattern: str, damage: Damage) -> None:
    """Damage every file of the index folder that matches, but its lock."""
    struck = [path for path in place.glob(pattern) if path.is_file() and path.name != "lock"]
    assert struck
    for path in struck:
        data = damage(path.read_bytes())
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)


def ask(root: Path, *questions: str) -> list[Answer]:
    with Memory(root) as memory:
        return [memory.recall(Question(question, Filters(), limit=5)) for question in questions]


def assert_right(answers: list[Answer]) -> None:
    assert [answer.evidence[0].path for answer in answers] == list(ASKED.values())


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_index_is_noticed_and_made_anew(
    indexed: Path, run: driver.Run, tree: driver.Tree, tmp_path: Path, kind: str, how: str
) -> None:
    place, before = place_of(indexed), held(tree(indexed))
    strike(place, KINDS[kind], DAMAGE[how])

    result = run("recall", "zsh", "--json", vault=indexed)
    assert result.code == 0, result.err
    assert result.paths[0] == ASKED["zsh"]
    assert "Traceback" not in result.err
    if (kind, how) not in SILENT:
        assert result.json["notices"], "the answer does not say that the index was damaged"
    assert_right(ask(indexed, *ASKED))

    with Memory(indexed) as memory:
        memory.sync(mirror.ALL)
        mirror.assert_mirrors(memory, tmp_path / "fresh", QUESTIONS)
    assert held(tree(indexed)) == before


def held(tree: dict[str, str]) -> dict[str, str]:
    """Without `.memdir/`, where what was written over moves on after two seconds."""
    return {path: digest for path, digest in tree.items() if not path.startswith(".memdir")}


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("table of contents", "emptied"),
        ("segments", "deleted"),
        ("segments", "cut in half"),
        ("database", "garbage"),
        ("database", "deleted"),
        ("everything", "deleted"),
    ],
)
def test_store_02_rebuild_comes_through_every_damage(
    indexed: Path, run: driver.Run, tmp_path: Path, kind: str, how: str
) -> None:
    before = held(driver.tree(indexed))
    strike(place_of(indexed), KINDS[kind], DAMAGE[how])
    result = run("rebuild", "--json", vault=indexed)
    assert result.code == 0, result.err
    assert result.json["report"]["files"] == len(NOTES) + 1
    with Memory(indexed) as memory:
        mirror.assert_mirrors(memory, tmp_path / "fresh", QUESTIONS)
    assert held(driver.tree(indexed)) == before


@pytest.mark.parametrize("how", ["emptied", "deleted", "512 bytes zeroed", "a bit flipped"])
@pytest.mark.parametrize("kind", ["table of contents", "segments", "database", "seal"])
def test_while_the_index_is_locked_the_files_answer(indexed: Path, tree: driver.Tree, kind: str, how: str) -> None:
    place, before = place_of(indexed), held(tree(indexed))
    strike(place, KINDS[kind], DAMAGE[how])
    with generation.lock(place, 0):
        answers = ask(indexed, *ASKED)
    assert_right(answers)
    assert [answer.source for answer in answers] == ["scan"] * len(ASKED)
    assert all("scan" in " ".join(answer.notices) for answer in answers)
    assert held(tree(indexed)) == before


def test_a_large_vault_is_scanned_until_somebody_syncs(indexed: Path) -> None:
    for number in range(app.INLINE):
        (indexed / f"memory/ref/many-{number}.md").write_text(f"{number}\n")
    with Memory(indexed) as memory:
        sync.sync(memory.vault, mirror.ALL)
    place = place_of(indexed)
    strike(place, KINDS["database"], DAMAGE["garbage"])
    for _ in range(2):
        (answer,) = ask(indexed, "zsh")
        assert answer.source == "scan"
        assert answer.evidence[0].path == ASKED["zsh"]
        assert "memdir sync" in " ".join(answer.notices)
    with Memory(indexed) as memory:
        memory.sync(mirror.ALL)
    assert ask(indexed, "zsh")[0].source == "index"


@pytest.fixture(scope="module")
def step() -> list[int]:
    """The step at which a killed sync was found between its commits; there the next one is looked for first."""
    return [1]


@pytest.mark.parametrize("how", ["emptied", "deleted", "garbage"])
@pytest.mark.parametrize("kind", ["table of contents", "segments", "database", "seal"])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed sync needs fork")
def test_damage_behind_a_killed_sync_is_mended_too(
    indexed: Path, tmp_path: Path, step: list[int], kind: str, how: str
) -> None:
    """Between the commits and the seal less can be verified; whatever is found there, the sync comes through."""
    place = place_of(indexed)
    (indexed / "memory/ref/late.md").write_text("# Late\n\nA relief valve more, number 5.\n")
    with Memory(indexed) as memory:
        kill_between_commits(memory, tmp_path / "saved", step)
        strike(place, KINDS[kind], DAMAGE[how])
        sync.sync(memory.vault, mirror.ALL)
        mirror.assert_mirrors(memory, tmp_path / "fresh", QUESTIONS)


def kill_between_commits(memory: Memory, saved: Path, step: list[int]) -> None:
    """Leave the index as a sync does that is killed when Whoosh has committed and the seal is not written."""
    place = memory.vault.place
    tables = sorted(path.name for path in place.glob("gen-*/whoosh/*.toc"))
    shutil.copytree(place, saved)
    for at in range(step[0], 99):
        assert mirror.killed(lambda: sync.sync(memory.vault, mirror.ALL), at)
        folder = generation.current(place)
        assert folder
        if generation.pending(folder) and tables != sorted(path.name for path in place.glob("gen-*/whoosh/*.toc")):
            step[0] = at
            return
        shutil.rmtree(place)
        shutil.copytree(saved, place)
    raise AssertionError("no step lies between the commits")


@pytest.mark.parametrize("pending", [b"", b"{", b"[1, \"x\"]", b"\0" * 512, b"[999999]", b"null"])  # fmt: skip
def test_a_strange_list_of_pending_files_does_no_harm(indexed: Path, tmp_path: Path, pending: bytes) -> None:
    folder = generation.current(place_of(indexed))
    assert folder
    (folder / generation.PENDING).write_bytes(pending)
    assert_right(ask(indexed, *ASKED))
    with Memory(indexed) as memory:
        memory.sync(mirror.ALL)
        mirror.assert_mirrors(memory, tmp_path / "fresh", QUESTIONS)


@pytest.mark.parametrize(
    "name", [b"", b"gen-999", b"../../etc", b"gen-1/../..", b"\xff\xfe", b"gen-1\0", b"gen-\xc2\xb2"]
)
def test_current_names_nothing_usable(indexed: Path, name: bytes) -> None:
    (place_of(indexed) / generation.CURRENT).write_bytes(name)
    assert_right(ask(indexed, *ASKED))


@pytest.mark.parametrize("number", [0, 99], ids=["in the place of the real one", "newer than the real one"])
@pytest.mark.parametrize("command", [["recall", "zsh"], ["sync"], ["rebuild"], ["doctor"], ["stats"], ["list"]])
def test_a_planted_table_of_contents_is_never_unpickled(
    indexed: Path, run: driver.Run, tmp_path: Path, command: list[str], number: int
) -> None:
    folder, canary = generation.current(place_of(indexed)), tmp_path / "canary"
    assert folder
    plant(folder, number, canary)
    result = run(*command, "--json", vault=indexed)
    assert result.code in (0, 5), result.err
    assert not canary.exists()
    with generation.lock(folder.parent, 0):
        assert run("recall", "zsh", "--json", vault=indexed).paths[0] == ASKED["zsh"]
    assert not canary.exists()


def test_the_canary_sings(indexed: Path, tmp_path: Path) -> None:
    """Without the check the planted file would run: the tests above can fail."""
    folder = generation.current(place_of(indexed))
    assert folder
    plant(folder, 99, tmp_path / "canary")
    with pytest.raises(Exception):  # noqa: B017 - whatever Whoosh makes of it
        assert TOC.read(FileStorage(os.fspath(folder / generation.WHOOSH)), _DEF_INDEX_NAME).segments[0].doc_count()
    assert (tmp_path / "canary").exists()
    assert pickle.loads(pickle.dumps(Canary(tmp_path / "again"))) is None


def test_damaged_indexes_do_not_pile_up(indexed: Path) -> None:
    place = place_of(indexed)
    for _ in range(5):
        strike(place, KINDS["database"], DAMAGE["emptied"])
        with Memory(indexed) as memory:
            sync.sync(memory.vault, mirror.ALL)
    assert len(list(place.glob("damaged-*"))) == generation.KEEP_DAMAGED
    assert len(list(place.glob("gen-*"))) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the other memdir is forked")
def test_what_needs_the_index_waits_for_a_commit_under_way(indexed: Path) -> None:
    """Half way through one nothing can be verified; that is no reason for a distillation to fail."""
    place = place_of(indexed)
    seal = next(place.glob("gen-*/seal.json"))
    whole, ready = seal.read_bytes(), os.pipe()

    def other() -> None:
        with generation.lock(place, 0):
            seal.write_bytes(b"{}")
            os.write(ready[1], b"x")
            time.sleep(0.8)
            seal.write_bytes(whole)

    pid = child(other)
    os.read(ready[0], 1)
    with Memory(indexed) as memory:
        assert memory.distill(model=False).failed == []
        assert memory.notes(Filters())
    assert waited(pid) == 0


def test_a_name_is_found_although_another_commits_while_the_index_is_opened(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (indexed / "memory/ref/key.md").write_text("---\nname: Spare key\n---\nUnder the pot.\n")
    real, refused = reader.Reader, [Unusable("another commits")]

    def once(place: Path, *, verified: bool = False) -> reader.Reader:
        if refused:
            raise refused.pop()
        return real(place, verified=verified)

    monkeypatch.setattr(reader, "Reader", once)
    with Memory(indexed) as memory:
        assert memory.find("Spare key") == "memory/ref/key.md"


def test_an_index_that_is_written_during_a_recall_is_opened_anew(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found by its words would be looked up among the passages of a later commit, and be gone."""
    real, note = pipeline.recall, indexed / ASKED["zsh"]
    pending = [b"once"]

    def recall(*args: Any, **named: Any) -> Answer:
        if pending:
            with Memory(indexed) as other:
                note.write_bytes(note.read_bytes() + b"\nAnd fish never.\n")
                other.sync(mirror.ALL)
            pending.pop()
        return real(*args, **named)

    monkeypatch.setattr(pipeline, "recall", recall)
    (answer,) = ask(indexed, "zsh")
    assert (answer.evidence[0].path, answer.source) == (ASKED["zsh"], "index")
