"""Forgetting: no byte of it is left in vault or cache, nothing else changes, and it does not come in again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.errors import Locked
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
