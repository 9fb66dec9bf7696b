"""Hints for git and Obsidian: only what is missing is added, nothing of the user's changes, never through a link."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree

IGNORED = [".memdir/", "*.memdir-tmp", "memory/archive/MEMORY-overflow.md", "memory/heartbeat-state.json"]
JOINED = ["memory/logs/** merge=union", "memory/sessions/** merge=union", "memory/ledger/*.jsonl merge=union"]


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("tool", ["git", "obsidian"])
def test_twice_is_once_and_a_dry_run_writes_nothing(root: Path, run: Run, tree: Tree, tool: str) -> None:
    before = tree(root)
    planned = run(tool, "setup", "--dry-run", "--json", vault=root).json
    assert {path: mark for path, mark in tree(root).items() if not path.startswith(".memdir")} == {
        path: mark for path, mark in before.items() if not path.startswith(".memdir")
    }
    done = run(tool, "setup", "--json", vault=root).json
    assert done["changed"] == planned["changed"] != []
    assert all(path in planned["diff"] for path in done["changed"])
    after = tree(root)
    assert run(tool, "setup", "--json", vault=root).json["changed"] == []
    assert tree(root) == after


def test_git_is_told_what_is_derived_and_what_is_joined(root: Path, run: Run) -> None:
    assert run("git", "setup", vault=root).code == 0
    assert lines(root / ".gitignore") == IGNORED
    assert lines(root / ".gitattributes") == JOINED


def test_lines_of_the_user_stay_and_count(root: Path, run: Run) -> None:
    (root / ".gitignore").write_bytes(b"# mine\r\n!/.memdir\r\n*.memdir-tmp")
    (root / ".gitattributes").write_bytes(b"memory/logs/** text merge=ours\nmemory/sessions/** text\n")
    os.chmod(root / ".gitignore", 0o640)
    assert run("git", "setup", vault=root).code == 0
    held = (root / ".gitignore").read_bytes()
    assert held.startswith(b"# mine\r\n!/.memdir\r\n*.memdir-tmp\r\n\r\n# memdir")
    assert lines(root / ".gitignore")[2:] == IGNORED[2:]
    assert held.count(b"\n") == held.count(b"\r\n")
    assert (root / ".gitignore").stat().st_mode & 0o777 == 0o640
    assert lines(root / ".gitattributes") == ["memory/logs/** text merge=ours", "memory/sessions/** text", *JOINED[1:]]


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("memory/{date}.md", "memory/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md merge=union"),
        ("{date}.md", "/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md merge=union"),
        ("My days/{date}.md", '"My days/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md" merge=union'),
    ],
)
def test_logs_are_joined_where_they_lie(vault: Callable[..., Path], run: Run, pattern: str, line: str) -> None:
    root = vault("NOTE-01")
    (root / "memdir.toml").write_text(f'[log]\npath = "{pattern}"\n', "utf-8")
    for _ in range(2):
        assert run("git", "setup", vault=root).code == 0
    assert lines(root / ".gitattributes") == [line, "memory/sessions/** merge=union"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git joins the logs")
def test_two_machines_append_and_git_joins(root: Path, run: Run) -> None:
    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout

    assert run("git", "setup", vault=root).code == 0
    git("init")
    run("log", "first", vault=root)
    git("add", ".")
    git("commit", "-m", "1")
    assert not [path for path in git("ls-files").split() if path.startswith(".memdir/")]
    git("checkout", "-b", "other")
    run("log", "second", vault=root)
    git("commit", "-am", "2")
    git("checkout", "main")
    run("log", "third", vault=root)
    git("commit", "-am", "3")
    git("merge", "other")
    text = next((root / "memory/logs").rglob("*.md")).read_text("utf-8")
    assert all(text.count(word) == 1 for word in ("first", "second", "third"))
    assert "<<<<" not in text


def test_obsidian_is_told_types_and_gets_tables(root: Path, run: Run) -> None:
    done = run("obsidian", "setup", "--json", vault=root).json
    assert done["changed"] == [
        ".obsidian/types.json",
        *(f"bases/{kind}.base" for kind in ("user", "feedback", "project", "ref")),
    ]
    types = json.loads((root / ".obsidian/types.json").read_bytes())["types"]
    assert (types["created"], types["confidence"], types["tags"]) == ("date", "number", "tags")
    assert 'file.inFolder("memory/user")' in (root / "bases/user.base").read_text("utf-8")


def test_types_that_are_chosen_stay(root: Path, run: Run) -> None:
    (root / ".obsidian").mkdir()
    held = '{\n  "types": {\n    "créé": "date",\n    "created": "datetime"\n  },\n  "other": [\n    1\n  ]\n}'
    (root / ".obsidian/types.json").write_text(held, "utf-8")
    assert run("obsidian", "setup", vault=root).code == 0
    new = (root / ".obsidian/types.json").read_text("utf-8")
    assert json.loads(new)["types"]["created"] == "datetime"
    assert json.loads(new)["types"]["updated"] == "date"
    added = [
        line for line in new.splitlines() if line.rstrip(",") not in {old.rstrip(",") for old in held.splitlines()}
    ]
    assert len(new.splitlines()) == len(held.splitlines()) + len(added)


@pytest.mark.parametrize(
    "held", ["{", "[]", '{"types": []}', '{"types":   {"a": "text"}}', '{"types": {}, "types": {}}']
)
def test_types_that_are_written_otherwise_are_left(root: Path, run: Run, held: str) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian/types.json").write_text(held, "utf-8")
    done = run("obsidian", "setup", "--json", vault=root).json
    assert (root / ".obsidian/types.json").read_text("utf-8") == held
    assert ".obsidian/types.json" in done["notices"][0]


def test_a_base_that_lies_elsewhere_is_not_made_again(root: Path, run: Run) -> None:
    (root / "views").mkdir()
    (root / "views/User.base").write_text("mine", "utf-8")
    assert "bases/user.base" not in run("obsidian", "setup", "--json", vault=root).json["changed"]


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".obsidian", ".obsidian/types.json", "bases"])
def test_nothing_is_written_through_a_link(root: Path, tmp_path: Path, run: Run, tree: Tree, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "types.json").write_text("{}", "utf-8")
    place = root / name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside / "types.json" if "." in name[1:] or "git" in name else outside)
    before = tree(root), tree(outside)
    done = run("git" if "git" in name else "obsidian", "setup", vault=root)
    assert (done.code, "link" in done.err) == (5, True)
    assert tree(outside) == before[1]
    assert {path for path in tree(root) if ".memdir" not in path} == {
        path for path in before[0] if ".memdir" not in path
    }


def test_one_format_so_far(root: Path, vault: Callable[..., Path], run: Run) -> None:
    assert run("migrate", "--json", vault=root).json == {"format": 1, "newest": 1, "changed": []}
    assert "take back" in run("migrate", "--rollback", vault=root).out
    assert "adopted" in run("migrate", "--dry-run", vault=vault("NOTE-01", name="other")).out
    (root / "memdir.toml").write_text("format = 2\n", "utf-8")
    assert run("migrate", vault=root).code == 5
