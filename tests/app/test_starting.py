"""What a session begins with, what a message is given, and what work was left: in budgets, between marks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.app.memory import Memory

NOW = {"MEMDIR_NOW": "2026-11-29T14:20:00+00:00"}


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    root = vault()
    run("new", "Shell preference", "--type", "user", "--body", "Works in zsh on every machine.", vault=root, **NOW)
    run("new", "Atlas", "--body", "The map service.\n\n- port:: 8443\n- [ ] Port the aliases", vault=root, **NOW)
    run("log", "Deploy of atlas failed", "--line", "Migration 0042 timed out", vault=root, **NOW)
    return root


def test_a_message_about_oneself_is_given_numbered_memories(root: Path) -> None:
    with Memory(root) as opened:
        found = opened.gate("which shell do I use on my machine?")
    assert found.kind == "memory"
    assert found.ids[0].startswith("memory/user/shell-preference.md:")
    assert "\n1. memory/user/shell-preference.md:" in found.text
    assert found.text.startswith("<memory nonce=")


def test_thanks_need_nothing(root: Path) -> None:
    with Memory(root) as opened:
        assert (opened.gate("thanks!").kind, opened.gate("谢谢").text) == ("none", "")


def test_a_start_shows_list_log_and_loops(root: Path) -> None:
    with Memory(root) as opened:
        text = opened.start(cwd=Path("/somewhere/atlas")).text
    for held in ("## MEMORY.md", "Shell preference", "## Open loops", "Port the aliases", "## Notes of this folder"):
        assert held in text
