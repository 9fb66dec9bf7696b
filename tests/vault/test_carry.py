"""A file that moves between folders: under one name at least, whatever a disk keeps of the two folders."""

import errno
import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from memdir.evals.reliability.power import METHODS, Disk
from memdir.evals.reliability.strikes import Patches
from memdir.vault.disk import history, syscalls
from memdir.vault.disk.syscalls import Folder, sys_calls

TEXT = b"what a person wrote\n"


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[tuple[Folder, Folder]]:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    (tmp_path / "old/a").write_bytes(TEXT)
    with ExitStack() as stack:
        root = syscalls.open_root(os.fspath(tmp_path))
        stack.callback(os.close, root.fd)
        yield stack.enter_context(syscalls.opened(root, "old")), stack.enter_context(syscalls.opened(root, "new"))


def refused(code: int) -> Callable[..., None]:
    def call(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    return call


def test_no_power_cut_leaves_it_under_no_name(folders: tuple[Folder, Folder], tmp_path: Path) -> None:
    seen = 0
    disk = Disk(tmp_path)

    def looked(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            nonlocal seen
            done = real(*given)
            for number in range(20):
                for what, state in disk.states(random.Random(number)):
                    assert TEXT in state.values(), what
            seen += 1
            return done

        return call

    with Patches() as patches:
        disk.watch(patches)
        for name in METHODS:
            patches.setattr(sys_calls, name, looked(getattr(sys_calls, name)))
        history.carry(folders[0], "a", folders[1], "b")
    assert seen == 3  # a second name, the flush, the first name gone
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["b"]


def test_where_no_file_has_two_names_it_is_renamed(
    folders: tuple[Folder, Folder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys_calls, "link", refused(errno.EPERM))
    history.carry(folders[0], "a", folders[1], "b")
    assert (tmp_path / "new/b").read_bytes() == TEXT
    assert not (tmp_path / "old/a").exists()


def test_a_move_that_was_killed_between_its_names_is_finished(folders: tuple[Folder, Folder], tmp_path: Path) -> None:
    os.link(tmp_path / "old/a", tmp_path / "new/b")
    history.carry(folders[0], "a", folders[1], "b")
    assert (tmp_path / "new/b").read_bytes() == TEXT
    assert not (tmp_path / "old/a").exists()


@pytest.mark.parametrize("call", ["link", "fsync", "unlink"])
def test_a_call_that_is_refused_leaves_it_where_it_was(
    call: str, folders: tuple[Folder, Folder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, told = getattr(sys_calls, call), list[str]()

    def once(*given: object) -> object:
        told.append(call)
        return refused(errno.EIO)() if len(told) == 1 else real(*given)

    monkeypatch.setattr(sys_calls, call, once)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        history.carry(folders[0], "a", folders[1], "b")
    assert (tmp_path / "old/a").read_bytes() == TEXT
    assert not (tmp_path / "new/b").exists()
