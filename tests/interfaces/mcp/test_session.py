"""`memdir mcp --script`: a client that makes the calls of a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

import driver
import mcp_client  # noqa: F401 - skips these tests where the SDK is not installed
from memdir.errors import UsageError
from memdir.interfaces.mcp import session

Vault = Callable[..., Path]


def test_lines_of_a_script() -> None:
    given = 'memory_status\n\n# a word\n  memory_recall {"query": "a b"}\n'
    assert list(session.calls(given)) == [("memory_status", "{}"), ("memory_recall", '{"query": "a b"}')]


@pytest.mark.parametrize("line", ["memory_recall x", "memory_recall [1]", 'memory_recall {"a": ', "memory_recall 1"])
def test_a_line_that_cannot_be_read_is_told(line: str) -> None:
    with pytest.raises(UsageError, match="line 2"):
        list(session.calls(f"memory_status\n{line}"))


def test_calls_are_made_in_one_session(vault: Vault, run: driver.Run) -> None:
    root = vault()
    assert run("new", "Pump", "--body", "- owner:: Ana", vault=root).code == 0
    script = (
        'memory_read {"target": "Pump"}\n'
        'memory_write {"kind": "fact", "note": "Pump", "key": "owner", "value": "Rui", "base": "$digest"}\n'
        'memory_read {"target": "nothing of that name"}\n'
        'memory_recall {"query": "who owns the pump"}\n'
    )
    done = run("mcp", "--script", "-", vault=root, stdin=script)
    assert done.code == 0, done.err
    assert [line for line in done.out.splitlines() if line.startswith("> ")] == [
        f"> {one}" for one in script.splitlines()
    ]
    assert "error: Error executing tool memory_read: no note" in done.out
    assert "- owner:: Rui" in (root / "memory/project/pump.md").read_text("utf-8").split("## History")[0]
    assert done.out.count("</memory nonce=") == 2


def test_a_read_only_session(vault: Vault, run: driver.Run) -> None:
    done = run("mcp", "--read-only", "--script", "-", vault=vault(), stdin='memory_log {"title": "x"}\nmemory_status')
    assert "error: Unknown tool: memory_log" in done.out
    assert "rights: read" in done.out
