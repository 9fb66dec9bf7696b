"""Files and folders outside of the vault: what a killed run left goes with the next of the same name."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, environment
from memdir.app.exchange import publishing
from memdir.errors import Conflict

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nothing is looked for on Windows")

# Command → what kills itself in the middle of it.
HALF = """
import os, signal, sys
from memdir.app.exchange import exporting, publishing, snapshots
from memdir.interfaces.cli.main import main

def kill(*args, **more):
    os.kill(os.getpid(), signal.SIGKILL)

if "snapshot" in sys.argv:
    snapshots._pack = kill
elif "json" in sys.argv:
    exporting._lines = kill
else:
    real = publishing.Making.write
    def write(self, *args):
        real(self, *args)
        kill()
    publishing.Making.write = write
main()
"""


def temporary(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.name.endswith(".memdir-tmp"))


@pytest.mark.parametrize(
    "command", [("snapshot", "create"), ("export", "--format", "json"), ("export", "--format", "markdown")]
)
def test_the_next_run_removes_what_a_killed_one_left(
    vault: Callable[..., Path], run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    root, place = vault(), tmp_path / "out.d"
    assert run("new", "Shell", "--type", "ref", "--body", "zsh", vault=root).code == 0
    other = tmp_path / ".out.d.mine.memdir-tmp"
    other.write_text("of somebody else", "utf-8")
    line = [sys.executable, "-c", HALF, "--vault", os.fspath(root), *command, os.fspath(place)]
    for _ in range(2):
        killed = subprocess.run(line, capture_output=True, env=environment({}))
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert len(temporary(tmp_path)) == 2  # one of the last run, and what is none
        assert not place.exists()
    assert run(*command, place, vault=root).code == 0
    assert place.exists()
    assert temporary(tmp_path) == [other.name]


def test_what_is_still_being_made_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with contextlib.ExitStack() as outer:
        outer.enter_context(publishing.file(place))
        first = temporary(tmp_path)
        with publishing.folder(place) as making:
            assert set(first) < set(temporary(tmp_path))
            making.write("a", [b"a"])
        assert temporary(tmp_path) == first
        with pytest.raises(Conflict):
            outer.close()
    assert (place / "a").read_bytes() == b"a"
    assert temporary(tmp_path) == []


def test_a_folder_that_is_still_being_made_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with contextlib.ExitStack() as outer:
        outer.enter_context(publishing.folder(place)).write("b", [b"b"])
        first = temporary(tmp_path)
        with publishing.file(place) as stream:
            stream.write(b"a")
        assert temporary(tmp_path) == first
        with pytest.raises(Conflict):
            outer.close()
    assert place.read_bytes() == b"a"
    assert temporary(tmp_path) == []
