"""`memdir used`: what an ID may be, what the ledger then says, what an undo leaves of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory

NOTE = "memory/user/shell-preference.md"


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    root = vault()
    run("new", "Shell preference", "--type", "user", "--body", "Works in zsh on every machine. ^zsh", vault=root)
    run("new", "Atlas", "--body", "## Shell\nThe map service has zsh too.", vault=root)
    run("log", "Deploy of atlas failed", "--line", "Migration 0042 timed out", vault=root,
        MEMDIR_NOW="2026-11-29T14:20:00+00:00")  # fmt: skip
    run("log", "Deploy of atlas worked", "--line", "With a longer timeout", vault=root,
        MEMDIR_NOW="2026-11-29T15:20:00+00:00")  # fmt: skip
    turns = [("user", "Where is the spare key?"), ("assistant", "Under the blue flower pot.")]
    said = [{"session_id": "s1", "speaker": who, "text": text, "ts": "2026-11-29T10:00:00Z"} for who, text in turns]
    run("ingest", "-", vault=root, stdin="\n".join(map(json.dumps, said)))
    return root


def events(root: Path) -> list[dict[str, Any]]:
    found = [line for path in root.glob("**/ledger/*.jsonl") for line in path.read_text("utf-8").splitlines()]
    return [one for line in found if (one := json.loads(line))["op"] == "used"]


def session(root: Path) -> str:
    return next(root.glob("memory/sessions/*/*/*.md")).relative_to(root).as_posix()


def log(root: Path) -> str:
    return "memory/logs/2026/11/2026-11-29.md"


def test_a_use_is_a_line_in_the_ledger_and_nothing_else(root: Path, run: Run, tree: Tree) -> None:
    before = tree(root)
    found = run("used", NOTE, "--query", "which  shell", "--json", vault=root, MEMDIR_BY="agent:claude",
                MEMDIR_NOW="2026-11-30T10:00:00+00:00")  # fmt: skip
    assert found.code == 0
    assert found.json["used"][0]["path"] == NOTE
    changed = {path for path, mark in tree(root).items() if before.get(path) != mark}
    assert all(path.startswith("memory/ledger/") for path in changed)
    assert events(root) == [
        {"ts": "2026-11-30T10:00:00.000Z", "op": "used", "run": found.json["run"], "path": NOTE, "by": "agent:claude",
         "kind": "note", "query": "which shell"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "kind", "line"),
    [
        (NOTE, "note", 0),
        ("Shell preference", "note", 0),
        ("[[shell-preference]]", "note", 0),
        (f"{NOTE}:9", "note", 9),
        (f"{NOTE}#^zsh", "note", 10),
        ("atlas#Shell", "note", 10),
        ("LOG:4", "log", 3),
        ("LOG:7", "log", 6),
        ("LOG", "log", 0),
        ("SESSION#^t2", "turn", 11),
        ("SESSION:12", "turn", 11),
        ("SESSION", "session", 0),
        ("MEMORY.md", "index", 0),
    ],
)
def test_what_an_id_may_be(root: Path, run: Run, target: str, kind: str, line: int) -> None:
    target = target.replace("LOG", log(root)).replace("SESSION", session(root))
    found = run("used", target, "--json", vault=root)
    assert found.code == 0, found.err
    (one,) = found.json["used"]
    assert (one["kind"], one["line"]) == (kind, line), one


def test_ids_as_recall_prints_them(root: Path, run: Run) -> None:
    for question in ("spare key flower pot", "zsh", "migration timed out"):
        for one in run("recall", question, "--json", vault=root).json["evidence"]:
            found = run("used", f"{one['path']}:{one['at']}", "--json", vault=root).json["used"][0]
            assert found["path"] == one["path"]
            assert found["kind"] == one["kind"]


@pytest.mark.parametrize(
    ("targets", "code"),
    [
        (["zeppelin"], 3),
        ([NOTE, "zeppelin"], 3),
        ([f"{NOTE}:900"], 3),
        ([f"{NOTE}:0"], 3),
        ([f"{NOTE}#^nope"], 3),
        ([f"{NOTE}#Nope"], 3),
        (["SESSION:1"], 3),
        (["SESSION#^t99"], 3),
        ([" "], 2),
        ([], 2),
        (["../outside.md"], 5),
    ],
)
def test_what_is_nowhere_is_refused_and_nothing_recorded(root: Path, run: Run, targets: list[str], code: int) -> None:
    found = run("used", *(one.replace("SESSION", session(root)) for one in targets), vault=root)
    assert found.code == code, found.err
    assert events(root) == []


def test_a_name_of_two_notes_is_a_conflict(root: Path, run: Run) -> None:
    for folder in ("project", "ref"):
        (root / f"memory/{folder}/twin.md").write_text("# Twin\n", "utf-8")
    assert run("used", "twin", vault=root).code == 4


def test_a_memory_named_twice_is_recorded_once(root: Path, run: Run) -> None:
    run("used", NOTE, "Shell preference", f"{NOTE}:9", f"{log(root)}:3", f"{log(root)}:4", vault=root)
    assert len(events(root)) == 2


def test_a_dry_run_records_nothing(root: Path, run: Run, tree: Tree) -> None:
    before = tree(root)
    found = run("used", NOTE, "--dry-run", vault=root)
    assert found.out == f"would record note {NOTE}\n"
    assert run("used", NOTE, "--dry-run", "--json", vault=root).json["run"] == ""
    assert tree(root) == before


def test_the_question_comes_from_standard_input_and_without_secrets(root: Path, run: Run) -> None:
    found = run("used", NOTE, "--query", "-", vault=root, stdin="password: hunter2!x for zsh\n")
    assert "markers" in found.err
    (one,) = events(root)
    assert one["query"].startswith("password: ⟦secret:")
    assert "hunter2" not in json.dumps(one)


def test_an_adopted_vault_keeps_its_uses_out_of_its_folders(vault: Callable[..., Path], run: Run) -> None:
    root = vault("NOTE-01")
    path = next(root.rglob("*.md")).relative_to(root).as_posix()
    before = {one for one in root.rglob("*") if ".memdir" not in one.parts}
    assert run("used", path, vault=root).code == 0
    assert [one["path"] for one in events(root)] == [path]
    assert {one for one in root.rglob("*") if ".memdir" not in one.parts} == before


def test_what_a_recall_brought_besides_is_named(root: Path, run: Run) -> None:
    asked = run("recall", "zsh", "--mode", "keyword", "--json", vault=root, MEMDIR_NOW="2026-11-30T10:00:00+00:00")
    assert set(asked.paths) == {NOTE, "memory/project/atlas.md"}
    found = run("used", NOTE, "--json", vault=root).json
    assert found["passed"] == ["memory/project/atlas.md"]
    assert events(root)[0]["recalled"] == "2026-11-30T10:00:00.000Z"
    other = run("used", NOTE, "--query", "another question", "--json", vault=root).json
    assert other["passed"] == []


def test_use_strengthens_and_what_stays_in_vain_fades(root: Path, run: Run) -> None:
    for number in range(6):
        run("recall", "zsh", "--mode", "keyword", vault=root, MEMDIR_NOW=f"2026-11-30T10:0{number}:00+00:00")
        run("used", NOTE, "--query", "zsh", vault=root)
    with Memory(root) as memory:
        assert memory.strength() == {NOTE: 1.492188, "memory/project/atlas.md": 0.75}


def test_an_undo_takes_a_use_back_and_touches_no_file(root: Path, run: Run, tree: Tree) -> None:
    run("used", NOTE, vault=root)
    used = run("used", f"{log(root)}:4", "--json", vault=root).json["run"]
    before = tree(root)
    assert run("undo", "last", "--dry-run", "--json", vault=root).json["verb"] != "used"  # what changed a file
    assert used not in run("runs", vault=root).out
    listed = next(one for one in run("runs", "--all", "--json", vault=root).json["runs"] if one["id"] == used)
    assert (listed["verb"], listed["used"], listed["files"]) == ("used", [log(root)], [])
    found = run("undo", used, vault=root)
    assert found.out == f"took back {used} (used): {log(root)}\n"
    changed = {path for path, mark in tree(root).items() if before.get(path) != mark}
    assert all(path.startswith("memory/ledger/") for path in changed)
    with Memory(root) as memory:
        assert memory.strength() == {NOTE: 1.25}
        assert [one.path for one in memory.uses()] == [NOTE]
    assert run("undo", used, vault=root).code == 4


def test_a_use_follows_its_note_and_stays_when_it_is_gone(root: Path, run: Run) -> None:
    run("used", NOTE, vault=root)
    moved = run("mv", NOTE, "memory/user/terminal.md", "--json", vault=root).json
    (root / NOTE).write_text("# Another\n", "utf-8")
    run("used", NOTE, vault=root)
    with Memory(root) as memory:
        assert [(one.path, one.gone) for one in memory.uses()] == [("memory/user/terminal.md", False), (NOTE, False)]
    (root / NOTE).unlink()
    with Memory(root) as memory:
        assert [(one.path, one.gone) for one in memory.uses()] == [("memory/user/terminal.md", False), (NOTE, True)]
    run("undo", moved["run"], vault=root)
    with Memory(root) as memory:
        assert [one.path for one in memory.uses()] == [NOTE, NOTE]


def test_a_ledger_of_a_stranger_is_read_with_care(root: Path) -> None:
    folder = root / "memory" / "ledger"
    folder.mkdir(exist_ok=True)
    odd = [{"path": 7}, {"path": "../x.md", "kind": 3}, {"path": NOTE, "line": "x", "query": 4, "passed": {"a": 1}}, {}]
    lines = [json.dumps({"ts": "2026-11-30T10:00:00Z", "op": "used", **one}) for one in odd]
    (folder / "2026-11.other.jsonl").write_text("\n".join(lines), "utf-8")
    with Memory(root) as memory:
        assert [one.gone for one in memory.uses()] == [True, True, False, True]
        assert memory.strength()[NOTE] == 1.25
