"""Scopes: what one sees of others, from options, variables, the repository round here and the settings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.app import scopes
from memdir.app.scopes import of_folder


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    made = vault()
    with (made / "memdir.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[scope]\ninherits = ['shop < company', 'company <']\n")
    return made


def _filled(root: Path, run: Run) -> None:
    for name in ("shop", "company", "other"):
        run("new", f"Rule of {name}", "--body", f"heron {name}", "--scope", name, vault=root)
    run("new", "Rule of all", "--body", "heron all", vault=root)


def _found(run: Run, root: Path, *args: str, **env: str) -> set[str]:
    result = run("recall", "heron", "--json", *args, vault=root, **env)
    return {path.rpartition("-")[2].removesuffix(".md") for path in result.paths}


def test_a_scope_sees_itself_and_what_it_inherits(root: Path, run: Run) -> None:
    _filled(root, run)
    assert _found(run, root) == {"shop", "company", "other", "all"}
    assert _found(run, root, "--scope", "shop") == {"shop", "company", "all"}
    assert _found(run, root, "--scope", "company") == {"company", "all"}
    assert _found(run, root, "--scope", "other") == {"other"}


def test_a_variable_sets_it_and_an_empty_one_steps_out(root: Path, run: Run) -> None:
    _filled(root, run)
    assert _found(run, root, MEMDIR_SCOPE="other") == {"other"}
    assert _found(run, root, "--scope", "company", MEMDIR_SCOPE="other") == {"company", "all"}
    assert _found(run, root, "--scope", "", MEMDIR_SCOPE="other") == {"shop", "company", "other", "all"}


def test_the_repository_round_here_names_it(
    root: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _filled(root, run)
    inside = tmp_path / "other" / "src"
    inside.mkdir(parents=True)
    (tmp_path / "other" / ".git").mkdir()
    monkeypatch.chdir(inside)
    assert _found(run, root, "--scope-from-cwd") == {"other"}
    monkeypatch.chdir(tmp_path)
    assert scopes.of_folder(inside) == "other"


def test_the_running_conversation_is_left_out(root: Path, run: Run) -> None:
    line = '{"session_id": "%s", "speaker": "u", "text": "the wren sings", "ts": "2026-11-29T10:00:00Z"}\n'
    run("ingest", "-", vault=root, stdin=line % "now" + line % "then")
    asked = ("recall", "wren", "--json")
    assert len(run(*asked, vault=root).paths) == 2
    assert run(*asked, vault=root, MEMDIR_SESSION_ID="now").paths == ["memory/sessions/2026/11/then.md"]
    assert run(*asked, "--session", "now", vault=root, MEMDIR_SESSION_ID="now").paths == [
        "memory/sessions/2026/11/now.md"
    ]


@pytest.mark.parametrize(
    ("scope", "seen"), [("shop", ("company", "")), ("company", ("",)), ("loop", ("loop2",)), ("none", ())]
)
def test_parents_of_parents_are_seen_once(scope: str, seen: tuple[str, ...]) -> None:
    rules = ["shop < company", "company <", "loop < loop2", "loop2 < loop", "no rule"]
    assert scopes.inherited(scope, rules) == seen


@pytest.mark.parametrize("name", ["a" * 300, "a\0b"], ids=["too long", "NUL"])
def test_a_folder_that_cannot_be_is_in_no_repository(tmp_path: Path, name: str) -> None:
    """An agent tells its working directory; what it tells may be anything."""
    assert of_folder(tmp_path / name) == ""
