"""What was written is stated in the ledger first, shown by `runs` and `diff`, and taken back by `undo`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def truth(tree: dict[str, str]) -> dict[str, str]:
    """Notes and MEMORY.md: what an undo must give back byte for byte."""
    quiet = (".memdir", "memory/logs/", "memory/ledger/")
    return {path: digest for path, digest in tree.items() if not path.startswith(quiet)}


def last_run(run: Run, root: Path) -> str:
    found: str = run("runs", "--json", vault=root).json["runs"][0]["id"]
    return found


def test_every_writing_verb_is_taken_back_byte_for_byte(root: Path, run: Run, tree: Tree) -> None:
    run("new", "Shell", "--type", "user", "--body", "Works in zsh.\r\n", vault=root)
    for line in (
        ["new", "Ünïcode 水泵", "--type", "ref"],
        ["set", "shell", "importance=high", "tags=a,b"],
        ["edit", "shell", "--append", "--text", "more"],
    ):
        before = truth(tree(root))
        assert run(*line, vault=root).code == 0
        assert truth(tree(root)) != before
        done = run("undo", "last", vault=root)
        assert done.code == 0, done.err
        assert truth(tree(root)) == before


def test_an_undo_can_be_taken_back_and_only_once(root: Path, run: Run, tree: Tree) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    made, first = truth(tree(root)), last_run(run, root)
    run("undo", first, vault=root)
    assert run("undo", first, vault=root).code == 4
    back = run("undo", last_run(run, root), vault=root)
    assert back.code == 0, back.err
    assert truth(tree(root)) == made
    assert run("undo", first, vault=root).code == 0


def test_undo_refuses_where_a_person_edited_since(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    run("new", "Editor", "--type", "user", vault=root)
    note = root / "memory/user/editor.md"
    note.write_text(note.read_text("utf-8") + "by hand\n", "utf-8")
    refused = run("undo", "last", vault=root)
    assert refused.code == 4
    assert "edited by a person" in refused.err
    assert note.read_text("utf-8").endswith("by hand\n")
    assert "Editor" in (root / "MEMORY.md").read_text("utf-8")


def test_undo_names_the_later_run_that_is_in_the_way(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    first = last_run(run, root)
    run("edit", "shell", "--append", "--text", "more", vault=root)
    second = last_run(run, root)
    refused = run("undo", first, vault=root)
    assert refused.code == 4
    assert second in refused.err


def test_keep_changed_takes_back_the_rest_and_makes_the_list_anew(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    first = last_run(run, root)
    run("new", "Editor", "--type", "user", vault=root)
    done = run("undo", first, vault=root)
    assert done.code == 0, done.err
    memory = (root / "MEMORY.md").read_text("utf-8")
    assert "[Editor]" in memory
    assert "[Shell]" not in memory


def test_a_dry_run_of_undo_shows_the_diff_and_writes_nothing(root: Path, run: Run, tree: Tree) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    before = tree(root)
    shown = run("undo", "last", "--dry-run", vault=root)
    assert "-name: Shell" in shown.out
    assert tree(root) == before


def test_diff_and_history_show_what_was(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", "--body", "zsh", vault=root)
    run("edit", "shell", "--append", "--text", "fish", vault=root)
    assert "+fish" in run("diff", "last", vault=root).out
    versions = run("history", "shell", "--json", vault=root).json["versions"]
    assert len(versions) == 1
    shown = run("history", "shell", "--show", versions[0]["digest"][:8], vault=root)
    assert "zsh" in shown.out
    assert "fish" not in shown.out


def test_the_ledger_of_an_adopted_vault_lies_out_of_sight(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note.md").write_text("# Note\n", "utf-8")
    run("init", "--adopt", tmp_path / "a")
    run("edit", "note", "--append", "--text", "more", vault=tmp_path / "a")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [".memdir", "note.md"]
    assert run("undo", "last", vault=tmp_path / "a").code == 0
    assert (tmp_path / "a" / "note.md").read_text("utf-8") == "# Note\n"


def test_torn_and_foreign_lines_of_the_ledger_are_passed_over(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    file = next((root / "memory/ledger").iterdir())
    file.write_bytes(b'[1]\n{"op": 3}\n\xff\xfe\n' + file.read_bytes() + b'{"ts": "2026')
    run("edit", "shell", "--append", "--text", "more", vault=root)
    found = run("runs", "--json", vault=root).json["runs"]
    assert [one["verb"] for one in found] == ["edit", "new"]
    assert json.loads(file.read_bytes().splitlines()[-1])["op"] == "run_started"


def test_a_planted_ledger_cannot_reach_out_of_the_vault(root: Path, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("keep", "utf-8")
    run("log", "x", vault=root)
    file = next((root / "memory/ledger").iterdir())
    change = {"path": "../outside.txt", "before": None, "after": "0" * 64}
    line = {"ts": "2026-01-01T00:00:00Z", "op": "run_started", "run": "evil", "verb": "new", "changes": [change]}
    with file.open("a", encoding="utf-8") as held:
        held.write(json.dumps(line) + "\n")
    assert run("undo", "evil", vault=root).code == 5
    assert outside.read_text("utf-8") == "keep"


def test_a_report_passes_over_foreign_shapes(root: Path, run: Run) -> None:
    run("log", "x", vault=root)
    shapes = [
        {"learned": [1], "notes": {"a.md": 3}, "dropped": [1, ["a"], [1, 2, 3]], "failed": {}, "unread": "x"},
        {"learned": {"fact": []}, "notes": 1, "waiting": [], "calls": {}, "failed": [1], "undone": 5, "run": 7},
    ]
    with next((root / "memory/ledger").iterdir()).open("a", encoding="utf-8") as held:
        for n, said in enumerate(shapes):
            line = {"ts": "2026-01-01T00:00:00Z", "op": "run_ended", "run": f"r{n}", "verb": "distill", "entries": [1]}
            held.write(json.dumps(line | said) + "\n")
    shown = run("report", "--limit", 5, vault=root)
    assert shown.code == 0, shown.err
    assert "left out (2): 1 3" in shown.out
    assert run("report", "--json", vault=root).code == 0
