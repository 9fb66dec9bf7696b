"""Forgetting: no byte of it is left in vault or cache, nothing else changes, and it does not come in again."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree
from memdir.app import writing
from memdir.app.agents import hook_state
from memdir.app.memory import Memory
from memdir.errors import Locked
from memdir.index import generation, purging, sync, vectors
from memdir.index.drain import Limits
from memdir.index.filters import Filters
from memdir.index.reader import Reader
from memdir.llm.cache import Cache
from memdir.recall.question import Question
from memdir.vault.disk import syscalls

PHRASE = "the zebrafish password is under the lighthouse"
BODY = f"- [[gone#^t1]] says {PHRASE}\n- the lark is not a fish"


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def _lines(*ids: str, text: str = PHRASE) -> str:
    turns = [
        {"session_id": id_, "speaker": "user", "text": f"{text} {n}", "ts": f"2026-11-2{n}", "uuid": f"{id_}{n}"}
        for id_ in ids
        for n in range(3)
    ]  # fmt: skip
    return "".join(json.dumps(turn) + "\n" for turn in turns)


def _holding(place: Path, said: bytes) -> list[str]:
    return [str(path) for path in place.rglob("*") if path.is_file() and said in path.read_bytes()]


def _filled(root: Path, run: Run) -> None:
    run("ingest", "-", "--source", "chat", vault=root, stdin=_lines("gone"))
    run("ingest", "-", "--source", "chat", vault=root, stdin=_lines("kept", text="the lark sings"))
    run("new", "Fish", "--type", "ref", "--body", BODY, vault=root)
    run("log", "Heard about fish", "--line", "from [[gone]]", vault=root)


def test_without_yes_nothing_changes(root: Path, run: Run, tree: Tree) -> None:
    _filled(root, run)
    before = tree(root)
    done = run("forget", "--session", "gone", vault=root)
    assert "3 turns" in done.out
    assert "nothing was deleted" in done.err
    assert "fish.md:" in done.out
    assert tree(root) == before


def test_a_conversation_goes_whole(root: Path, run: Run, tmp_path: Path) -> None:
    _filled(root, run)
    # An earlier version of the file, and one of a note that quotes it.
    run("edit", "fish", "--append", "more", vault=root)
    with Memory(root) as memory:
        path = memory.session("gone")["files"][0]
        memory.root.append(path, b"\n### user \xc2\xb7 ^t9\n> and the zebrafish again\n")
        cache = memory.vault.place
    run("recall", "zebrafish", vault=root)
    done = run("forget", "--session", "gone", "--derived", "--yes", "--json", vault=root).json
    assert done["done"]
    assert done["paths"] == [path]
    assert done["turns"] == 4
    assert _holding(root, b"zebrafish") == []
    assert _holding(cache, b"zebrafish") == []
    assert "lark is not a fish" in (root / "memory/ref/fish.md").read_text("utf-8")
    assert "gone" not in (root / "memory/ref/fish.md").read_text("utf-8")
    assert run("recall", "lark sings", vault=root).code == 0
    again = run("ingest", "-", "--source", "chat", "--json", vault=root, stdin=_lines("gone")).json
    assert again["turns"] == 0
    assert list(again["skipped"].values()) == [3]
    assert _holding(root, b"zebrafish") == []
    other = run("ingest", "-", "--source", "other", "--json", vault=root, stdin=_lines("gone")).json
    assert other["turns"] == 3


def test_what_cites_it_stays_unless_it_is_asked_for(root: Path, run: Run) -> None:
    _filled(root, run)
    done = run("forget", "--session", "gone", "--yes", "--json", vault=root).json
    assert len(done["cited"]) == 2
    assert "zebrafish" in (root / "memory/ref/fish.md").read_text("utf-8")


def test_everything_from_a_source_goes(root: Path, run: Run, tree: Tree) -> None:
    _filled(root, run)
    with Memory(root) as memory:
        memory.root.write(
            "memory/ref/bio.md", b"---\nname: Bio\ntype: ref\norigin: chat:bio-1\n---\nthe zebrafish\n", base=None
        )
        memory.root.write(
            "memory/ref/other.md", b"---\nname: Other\ntype: ref\norigin: chatty:1\n---\nstays\n", base=None
        )
    before = tree(root)
    done = run("forget", "--origin", "chat", "--yes", "--json", vault=root).json
    assert "memory/ref/bio.md" in done["paths"]
    assert len(done["paths"]) == 3
    after = tree(root)
    assert "memory/ref/other.md" in after
    assert all(after[path] == text for path, text in before.items() if path in after and "notes" in path)
    again = run("ingest", "-", "--source", "chat", "--json", vault=root, stdin=_lines("new")).json
    assert again["turns"] == 0


@pytest.mark.parametrize("edit", [(b"\n", b"\r\n"), (b"type: session\nid: gone\n", b"id: gone\ntype: session\n")])
def test_a_conversation_that_an_editor_saved_anew_goes_too(root: Path, run: Run, edit: tuple[bytes, bytes]) -> None:
    _filled(root, run)
    path = root / "memory/sessions/2026/11/gone.md"
    path.write_bytes(path.read_bytes().replace(*edit))
    done = run("forget", "--session", "gone", "--yes", "--json", vault=root).json
    assert (done["paths"], done["turns"]) == (["memory/sessions/2026/11/gone.md"], 3)
    assert not path.exists()


def test_what_cannot_be_read_is_said(root: Path, run: Run) -> None:
    _filled(root, run)
    (root / "memory/ref/.far.md.icloud").write_bytes(b"bplist00")
    done = run("forget", "--session", "gone", "--yes", "--json", vault=root).json
    assert [one for one in done["notices"] if "far.md" in one]


@pytest.mark.parametrize("args", [(), ("--session", "a", "--origin", "b")])
def test_one_target_is_named(root: Path, run: Run, args: tuple[str, ...]) -> None:
    assert run("forget", *args, "--yes", vault=root).code == 2


def test_what_is_not_there_is_not_forgotten(root: Path, run: Run) -> None:
    assert run("forget", "--session", "nowhere", "--yes", vault=root).code == 3
    assert run("forget", "--origin", "nowhere", "--yes", vault=root).code == 3


# Words that only the forgotten text holds, as it is written and as the index keeps them.
OWN = (b"zebrafish", b"lighthous", b"quetzalcoatl", b"under the lighthouse")


def _with_everything(root: Path, run: Run) -> Path:
    """A vault in which a conversation and a note of one source have come wherever a text can come; its cache folder."""
    _filled(root, run)
    with Memory(root) as memory:
        place = memory.vault.place
        note = b"---\nname: Quetzalcoatl\ntype: ref\norigin: chat:bio-1\n---\nthe zebrafish of the lighthouse\n"
        first = memory.root.write("memory/ref/bio.md", note, base=None)
        memory.sync(sync.Options())
        memory.root.write("memory/ref/bio.md", note + b"and more\n", base=first.digest)
        for path in (root / "memory/sessions").rglob("gone.md"):  # a text that was in the index once
            kept = path.read_bytes()
            path.write_bytes(kept.replace(b"password", b"quetzalcoatl"))
            memory.sync(sync.Options())
            path.write_bytes(kept)
        for n in range(200):
            memory.root.write(f"memory/ref/other-{n}.md", b"---\nname: Other\ntype: ref\n---\nthe lark\n", base=None)
        memory.sync(sync.Options())
        memory.drain(Limits())
        path = "memory/ref/bio.md"
        memory.root.write(path, note, base=memory.root.read(path).digest)  # waits in the journal to be hashed again
    assert run("recall", "zebrafish", vault=root).code == 0
    shutil.copytree(place / "gen-1", place / "damaged-gen-1-1")
    hook_state.note(hook_state.folder(place, "running"), hook_state.Shown("n", "t", ["memory/ref/zebrafish.md:1"]))
    return place


def _counts(place: Path) -> tuple[int, int, int]:
    """Pieces in the index, rows of vectors, values in the paid cache."""
    with contextlib.closing(Reader(place, verified=False)) as index:
        pieces = index.rows(vectors.STATE)[0][1]
        with contextlib.closing(sqlite3.connect(index.folder / vectors.DB)) as record:
            rows = record.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return pieces, rows, Cache(place / "paid.db").count()


@pytest.mark.usefixtures("model")
def test_no_byte_is_left_and_what_lives_is_kept(root: Path, run: Run) -> None:
    place = _with_everything(root, run)
    in_use = (place / "CURRENT").read_text()
    assert _holding(place, b"zebrafish")
    assert _holding(root / ".memdir", b"zebrafish")
    before = _counts(place)
    assert run("forget", "--origin", "chat", "--derived", "--yes", vault=root).code == 0
    for word in OWN:
        assert [one for where in (root, place) for one in _holding(where, word)] == []
    assert (place / "CURRENT").read_text() == in_use  # nothing was made anew
    pieces, rows, paid = _counts(place)
    assert before[0] > pieces > rows > before[1] - 20
    assert before[2] > paid > 0
    with Memory(root) as memory:
        assert memory.drain(Limits()).embedded == pieces - rows  # of texts that lost a line
        assert memory.recall(Question("lark", Filters(), 3)).evidence
        assert generation.damage(place / in_use) == ""


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("where", ["write", "erase", "sync", "write_index", "again", "purge", "paid", "put"])
def test_what_was_killed_is_finished_by_the_next_command(
    root: Path, run: Run, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = _with_everything(root, run)
    calls: list[int] = []

    def stop(*args: object, **more: object) -> None:
        calls.append(1)
        if where not in ("again", "put") or len(calls) > 1:
            raise KeyboardInterrupt
        real(*args, **more)

    with Memory(root) as memory:
        target: tuple[Any, str] = {
            "write": (memory.root, "write"), "erase": (memory.root, "erase"), "sync": (sync, "sync"),
            "write_index": (writing, "write_index"), "again": (sync, "sync"), "purge": (purging, "purge"),
            "paid": (Cache, "keep_only"), "put": (memory.root.state, "put"),
        }[where]  # fmt: skip
        real = getattr(*target)
        monkeypatch.setattr(*target, stop)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(origin="chat", derived=True, yes=True)
        monkeypatch.setattr(*target, real)
    assert run("list", vault=root).code == 0
    for word in OWN:
        assert [one for at in (root, place) for one in _holding(at, word)] == []
    with Memory(root) as memory:
        assert memory.recovered() == []
        assert [event.more["origin"] for event in memory.ledger.of("forgotten")] == ["chat"]


def test_what_is_under_way_and_cannot_be_read_is_said(root: Path, run: Run) -> None:
    _filled(root, run)
    with Memory(root) as memory:
        memory.root.state.put("forgetting.json", b"{")
        assert ["cannot be read" in one.message for one in memory.recovered()] == [True]
    assert run("forget", "--session", "gone", "--yes", vault=root).code == 0
    with Memory(root) as memory:
        assert memory.recovered() == []


def test_a_run_that_was_stopped_is_taken_up_again(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped between the file and its versions: the same command finishes it."""
    _filled(root, run)
    with Memory(root) as memory:
        path = memory.session("gone")["files"][0]
        blob = memory.root.read(path)
        memory.root.write(path, blob.data + b"\n", base=blob.digest)
        real, calls = syscalls.sys_calls.unlink, []

        def stop(*args: object) -> None:
            if calls:
                raise OSError(5, "stopped")
            calls.append(args)
            real(*args)

        monkeypatch.setattr(syscalls.sys_calls, "unlink", stop)
        with pytest.raises(Exception, match="stopped"):
            memory.forget("gone", yes=True)
        monkeypatch.undo()
    assert run("forget", "--session", "gone", "--yes", vault=root).code == 0
    left = _holding(root, b"zebrafish")
    assert left
    assert {Path(one).name for one in left} <= {"fish.md", "MEMORY.md"} | {
        Path(one).name for one in left if "/logs/" in one
    }


def test_it_waits_for_the_lock(root: Path, run: Run) -> None:
    _filled(root, run)
    with Memory(root) as holder, holder.root.lock(), Memory(root, options={"sync.lock_wait": 0.1}) as memory:
        with pytest.raises(Locked):
            memory.forget("gone", yes=True)
        assert memory.session("gone")["total"] == 3


def test_a_checkpoint_goes_with_its_conversation_and_briefs_with_what_they_repeat(root: Path, run: Run) -> None:
    _filled(root, run)
    run("new", "Fishing", "--body", f"- rule:: {PHRASE} [source:: [[gone#^t1]]]", vault=root)
    for id_ in ("gone", "kept"):
        run("checkpoint", "save", id_, vault=root)
        run("checkpoint", "save", id_, "--text", "again", vault=root)
    run("brief", "--write", vault=root)
    assert _holding(root / "memory" / "briefs", PHRASE.encode())
    assert "memory/checkpoints/gone.md" in run("forget", "--session", "gone", vault=root).out
    done = run("forget", "--session", "gone", "--derived", "--yes", vault=root)
    assert "the briefs went too" in done.err
    assert _holding(root, b"zebrafish") == []
    assert [path.name for path in root.glob("memory/checkpoints/*")] == ["kept.md"]


def test_what_cites_it_goes_also_when_it_is_asked_for_later(root: Path, run: Run) -> None:
    _filled(root, run)
    run("forget", "--session", "gone", "--yes", vault=root)
    assert _holding(root, b"zebrafish")
    done = run("forget", "--session", "go", "--derived", "--yes", "--json", vault=root).json
    assert len(done["cited"]) == 2
    assert _holding(root, b"zebrafish") == []
    assert "lark is not a fish" in (root / "memory/ref/fish.md").read_text("utf-8")


def test_what_cites_a_conversation_goes_with_its_source_later(root: Path, run: Run) -> None:
    _filled(root, run)
    run("forget", "--session", "gone", "--yes", vault=root)
    assert run("forget", "--origin", "chat", "--derived", "--yes", vault=root).code == 0
    assert _holding(root, b"zebrafish") == []


def test_an_entry_whose_heading_cites_it_goes_whole(root: Path, run: Run) -> None:
    _filled(root, run)
    run("log", "Before", "--line", "- stays above", vault=root)
    run("log", "Talked in [[gone]]", "--line", "- The vet is Dr. Hund", "--line", "- [ ] buy food", vault=root)
    run("log", "After", "--line", "- stays below", vault=root)
    run("new", "Parts", "--type", "ref", "--body", "- of [[gone]]\n  - a child\n- a sibling", vault=root)
    shown = run("forget", "--session", "gone", "--derived", "--json", vault=root).json["cited"]
    assert [one for one in shown if "/logs/" in one and "-" in one.rpartition(":")[2]]
    run("forget", "--session", "gone", "--derived", "--yes", vault=root)
    assert [word for word in (b"Hund", b"buy food", b"a child") if _holding(root / "memory", word)] == []
    assert [word for word in (b"stays above", b"stays below", b"a sibling") if not _holding(root, word)] == []


def test_no_name_of_what_is_forgotten_is_left(root: Path, run: Run, tmp_path: Path) -> None:
    """A name repeats what a note says: not in the ledger, in the journal or in what memdir wrote for the record."""
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "Bakes at 1600 m.md").write_text("---\ntype: user\n---\nhe does\n", "utf-8")
    run("import", "markdown", str(folder), vault=root)
    (waiting,) = (root / "memory/inbox").glob("*.md")
    run("inbox", "accept", waiting.name, vault=root)
    name = waiting.stem.encode()
    assert _holding(root, name)
    assert run("forget", "--origin", "markdown", "--yes", vault=root).code == 0
    assert _holding(root, name) == []
    assert _holding(root, b"1600") == []
    assert run("import", "markdown", str(folder), "--json", vault=root).json["proposed"] == 0
    assert not [*(root / "memory/inbox").glob("*.md")]
    assert run("runs", vault=root).code == 0


def test_an_undo_of_another_run_rebuilds_the_list_whose_version_went(root: Path, run: Run) -> None:
    _filled(root, run)
    run("new", "Bread", "--type", "ref", "--body", "- rye", vault=root)
    of = run("runs", "--json", vault=root).json
    run("forget", "--session", "gone", "--yes", vault=root)
    last = next(one["id"] for one in of["runs"] if one["verb"] == "new" and "bread" in json.dumps(one))
    assert run("undo", last, "--dry-run", vault=root).code == 0
    assert run("undo", last, vault=root).code == 0
    assert not (root / "memory/ref/bread.md").exists()
    assert "bread" not in (root / "MEMORY.md").read_text("utf-8").lower()
