"""The power goes between any two calls of a write: the next start makes a vault of whatever the disk has kept."""

import errno
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdir.evals.reliability.power import METHODS, Disk
from memdir.evals.reliability.strikes import Patches, child, kill, leftovers, waited
from memdir.vault.disk import recovery
from memdir.vault.disk.syscalls import Folder, sys_calls
from memdir.vault.files import Root, digest

OLD, NEW, FRESH = b"old text\n", b"new text\n", b"a fresh note\n"
NOTE, OTHER = "memory/user/note.md", "memory/user/fresh.md"
State = dict[str, bytes]
Act = Callable[[Root], object]


def create(root: Root) -> None:
    root.write(OTHER, FRESH, base=None)


def rewrite(root: Root) -> None:
    root.write(NOTE, NEW, base=digest(OLD))


def remove(root: Root) -> None:
    root.remove(NOTE, base=digest(OLD))


def vault(path: Path) -> Path:
    (path / "memory/user").mkdir(parents=True)
    (path / NOTE).write_bytes(OLD)
    return path


def kept(path: Path, acts: tuple[Act, ...]) -> list[State]:
    """What the disk may have kept, path → bytes, if the power goes behind any call of these; each once."""
    disk, found = Disk(path), list[State]()

    def looked(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            done = real(*given)
            for number in range(6):
                found.extend(state for _, state in disk.states(random.Random(number)) if state not in found)
            return done

        return call

    with Patches() as patches:
        disk.watch(patches)
        for name in METHODS:
            patches.setattr(sys_calls, name, looked(getattr(sys_calls, name)))
        root = Root(path, settle=0)
        for act in acts:
            act(root)
        root.close()
    return found


def started(path: Path, state: State) -> list[str]:
    """The next start on a disk that has kept this, ten seconds later: what it says."""
    shutil.rmtree(path)
    vault(path)
    (path / NOTE).unlink()
    for name, data in state.items():
        os.makedirs(os.path.dirname(name), exist_ok=True)
        Path(name).write_bytes(data)
    return recovered(path)


def recovered(path: Path) -> list[str]:
    root = Root(path, settle=0, clock=lambda: time.time() + 10)
    root.walk(lambda _path, _folder: False)
    told = [str(problem) for problem in root.recover()]
    assert root.recover() == []
    root.close()
    return told


def texts(path: Path) -> dict[str, bytes]:
    """Every file among the notes, hidden ones too."""
    files = (one for one in (path / "memory").rglob("*") if one.is_file())
    return {one.relative_to(path).as_posix(): one.read_bytes() for one in files}


def versions(path: Path, rel: str) -> Iterator[bytes]:
    root = Root(path)
    yield from (root.version(one.digest) for one in root.history(rel))
    root.close()


@pytest.mark.parametrize("acts", [(rewrite,), (create, rewrite), (create, remove)], ids=["one", "two", "removal"])
def test_every_text_is_the_note_or_a_version_of_it(tmp_path: Path, acts: tuple[Act, ...]) -> None:
    """The line of a creation in the journal is not flushed; the name of the journal is, for the lines behind it."""
    path = vault(tmp_path / "v")
    states = kept(path, acts)
    for state in states:
        started(path, state)
        held = texts(path)
        assert set(held) <= {NOTE, OTHER}
        assert held.get(NOTE) in (OLD, NEW, None)
        assert held.get(NOTE) == OLD or OLD in versions(path, NOTE)
        assert not os.path.isdir(path / ".memdir/pending") or not os.listdir(path / ".memdir/pending")
    assert len(states) > 5


def test_what_waits_without_a_journal_is_kept_at_the_next_start(tmp_path: Path) -> None:
    path = vault(tmp_path / "v")
    pending = path / ".memdir/pending"
    pending.mkdir(parents=True)
    (pending / "0123456789abcdef").write_bytes(OLD)
    (pending / "folder").mkdir()
    (pending / "link").symlink_to("../../memory/user/note.md")
    (told,) = recovered(path)
    (version,) = (path / ".memdir/history").glob("*/*")
    assert version.read_bytes() == OLD
    assert version.relative_to(path).as_posix() in told
    assert sorted(os.listdir(pending)) == ["folder", "link"]
    assert texts(path) == {NOTE: OLD}


def test_nothing_is_locked_where_nothing_waits(tmp_path: Path) -> None:
    path = vault(tmp_path / "v")
    root = Root(path, settle=0)
    rewrite(root)
    root.close()
    recovered(path)
    (path / ".memdir/lock").unlink()
    recovered(path)
    assert not (path / ".memdir/lock").exists()
    assert (path / ".memdir/pending").is_dir()


def test_one_that_cannot_be_kept_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = vault(tmp_path / "v"), recovery.hash_of
    pending = path / ".memdir/pending"
    pending.mkdir(parents=True)
    for name in "abc":
        (pending / name).write_bytes(name.encode())

    def refused(folder: Folder, name: str) -> str | None:
        if name == "b":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return real(folder, name)

    monkeypatch.setattr(recovery, "hash_of", refused)
    root = Root(path, settle=0)
    told = [str(problem) for problem in root.recover()]
    root.close()
    assert len([one for one in told if os.strerror(errno.EACCES) in one]) == 1
    assert os.listdir(pending) == ["b"]


@pytest.mark.parametrize("act", [create, rewrite])
def test_a_write_that_was_cut_short_is_no_conflict_with_the_next_of_memdir(tmp_path: Path, act: Act) -> None:
    """Another memdir may write before anybody has recovered."""
    path = vault(tmp_path / "v")
    text, base = (FRESH, None) if act is create else (NEW, digest(OLD))
    rel = OTHER if act is create else NOTE

    def cut() -> None:
        with Patches() as patches:
            for name in ("rename_new", "rename_exchange"):
                patches.setattr(sys_calls, name, lambda *_: kill())
            act(Root(path, settle=0))

    assert waited(child(cut)) == -signal.SIGKILL
    (temp,) = leftovers(path)
    assert Path(temp).read_bytes() == text
    root = Root(path, settle=0)
    root.write(rel, b"a later text\n", base=base)
    root.close()
    (told,) = recovered(path)
    assert digest(text) in told
    assert texts(path) == {NOTE: OLD, rel: b"a later text\n"}
    assert text in versions(path, rel)
