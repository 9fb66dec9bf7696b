"""What only a terminal is shown: bars for the steps of what takes long, heads over columns. Elsewhere there is none."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import driver

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


def on_terminal(*args: object, vault: Path) -> str:
    """What a person at a terminal of 100 columns sees of a command, without colours."""
    ours, its = os.openpty()
    line = [sys.executable, "-m", "memdir", "--vault", os.fspath(vault), *map(str, args)]
    env = driver.environment({"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"})
    with subprocess.Popen(line, stdin=its, stdout=its, stderr=its, env=env) as process:
        os.close(its)
        seen = b""
        while piece := _read(ours):
            seen += piece
    os.close(ours)
    assert process.returncode == 0, seen
    return seen.decode()


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65_536)
    except OSError:  # the other end is closed
        return b""


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    root = vault()
    for n in range(60):
        path = root / f"memory/ref/note-{n}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Note {n}\n\nThe lark of number {n} sings.\n", "utf-8")
    return root


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("command", [("rebuild",), ("sync",), ("embedder", "drain")])
def test_bars_tell_of_files_and_then_of_vectors(root: Path, command: tuple[str, ...]) -> None:
    seen = on_terminal(*command, vault=root)
    assert seen.index("indexing") < seen.index("embedding")
    assert "100%" in seen


def test_columns_have_heads(root: Path) -> None:
    line = '{"session_id": "morning", "speaker": "Mel", "text": "the lark", "ts": "2026-01-05T10:00:00Z"}'
    assert driver.run("ingest", "-", vault=root, stdin=line).code == 0
    heads, row = on_terminal("sessions", "list", vault=root).splitlines()[-2:]
    assert heads.split() == ["id", "source", "started", "turns", "speakers", "title"]
    assert row.index("Mel") == heads.index("speakers")
    assert len(driver.run("sessions", "list", vault=root).out.splitlines()) == 1


def test_no_bar_stands_for_a_step_that_does_nothing(root: Path) -> None:
    seen = on_terminal("rebuild", vault=root)
    assert "indexing" in seen
    assert "embedding" not in seen
    assert driver.run("rebuild", vault=root).err.count("indexing") == 0
