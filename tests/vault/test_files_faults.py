"""Kill and fail at every call that changes the disk: the note is the old text or the new one, and nothing is left."""

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.errors import MemdirError
from memdir.evals.reliability.strikes import Nth, Patches, fail_with, killed, leftovers
from memdir.vault.disk import syscalls
from memdir.vault.disk.syscalls import sys_calls
from memdir.vault.files import Root, digest

OLD = b"---\nname: old\n---\n" + b"old text\n" * 300
NEW = b"---\nname: new\n---\n" + b"new text\n" * 400
NOTE = "memory/user/note.md"
LOG = "memory/logs/2026/11/2026-11-29.md"
Act = Callable[[Root], object]


def rewrite(root: Root) -> None:
    root.write(NOTE, NEW, base=digest(OLD))


def create(root: Root) -> None:
    root.write("memory/project/fresh.md", NEW, base=None)


def append(root: Root) -> None:
    root.append(LOG, b"- a line\n", header=b"# 2026-11-29\n")


def remove(root: Root) -> None:
    root.remove(NOTE, base=digest(OLD))


def recover(root: Root) -> None:
    """Work off two rewrites, the displaced text of the second edited by a person after the fact."""
    root.recover()


def vault(path: Path) -> Path:
    (path / "memory/user").mkdir(parents=True)
    (path / NOTE).write_bytes(OLD)
    return path


def wait_out(path: Path) -> Root:
    """Return a root that lives ten seconds later: every journal entry is due."""
    return Root(path, settle=0, clock=lambda: time.time() + 10)


def kill_at(path: Path, act: Act, at: int, *, exchange: bool, noreplace: bool) -> bool:
    """Run in a child that is killed at step `at`; True when the work was done before that."""
    return not killed(
        lambda: act(wait_out(path) if act is recover else Root(path, settle=0)),
        at,
        exchange=exchange,
        noreplace=noreplace,
    )


def every_text(path: Path) -> list[bytes]:
    return [p.read_bytes() for p in path.rglob("*") if p.is_file()]


SYSTEMS = [(True, True), (False, False)]


@pytest.mark.parametrize(("exchange", "noreplace"), SYSTEMS, ids=["renameat2", "steps"])
@pytest.mark.parametrize("act", [rewrite, create, append, remove])
def test_killed_at_every_point(tmp_path: Path, act: Act, exchange: bool, noreplace: bool) -> None:
    at = 0
    while True:
        at += 1
        path = vault(tmp_path / str(at))
        done = kill_at(path, act, at, exchange=exchange, noreplace=noreplace)
        if not exchange:
            heal(path)
        check_texts(path, act)
        heal(path)
        check_texts(path, act)
        assert leftovers(path) == []
        assert all(p.stat().st_size == 0 for p in (path / ".memdir").glob("journal.jsonl"))
        assert not list((path / ".memdir").glob("pending/*"))
        assert OLD in every_text(path)
        if done:
            break
    assert at > 20


def heal(path: Path) -> None:
    root = wait_out(path)
    root.walk(lambda _path, _folder: False)
    root.recover()
    assert root.recover() == []
    root.close()


def check_texts(path: Path, act: Act) -> None:
    """Every file of the vault is a whole text; conflict copies come only from a person, and there was none."""
    for file in (path / "memory").rglob("*.md"):
        assert ".conflict-" not in file.name
        if file == path / LOG:
            check_log(file.read_bytes())
        else:
            assert file.read_bytes() in (OLD, NEW)
    if act is not remove:
        assert (path / NOTE).exists()


def check_log(text: bytes) -> None:
    whole = b"# 2026-11-29\n- a line\n"
    assert whole.startswith(text)


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize(("exchange", "noreplace"), SYSTEMS, ids=["renameat2", "steps"])
def test_killed_while_recovering(tmp_path: Path, edited: bool, exchange: bool, noreplace: bool) -> None:
    at = 0
    while True:
        at += 1
        path = vault(tmp_path / str(at))
        with open(path / NOTE, "ab") as editor:
            root = Root(path, settle=0)
            rewrite(root)
            root.close()
            if edited:
                editor.write(b"a person's line\n")
        done = kill_at(path, recover, at, exchange=exchange, noreplace=noreplace)
        heal(path)
        assert leftovers(path) == []
        texts = every_text(path)
        assert NEW in texts
        if edited:
            assert (path / NOTE).read_bytes() == OLD + b"a person's line\n"
        else:
            assert (path / NOTE).read_bytes() == NEW
            assert wait_out(path).version(digest(OLD)) == OLD
        if done:
            break
    assert at > 10


@pytest.mark.parametrize(("exchange", "noreplace"), SYSTEMS, ids=["renameat2", "steps"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("act", [rewrite, create, append, remove])
def test_failed_at_every_call(tmp_path: Path, act: Act, code: int, exchange: bool, noreplace: bool) -> None:
    at = 0
    while True:
        at += 1
        path = vault(tmp_path / str(at))
        open_before = len(os.listdir("/dev/fd"))
        root = Root(path, settle=0)
        fault = Nth(at, fail_with(code), partial=False)
        with Patches() as patch:
            fault.wrap(patch, exchange=exchange, noreplace=noreplace)
            message = outcome(act, root)
        failed = message is not None
        root.close()
        assert len(os.listdir("/dev/fd")) == open_before
        assert message is None or os.strerror(code) in message
        if failed:
            assert leftovers(path) == []
            assert (path / NOTE).read_bytes() == OLD
            assert not (path / "memory/project/fresh.md").exists()
            assert not (path / LOG).exists() or not (path / LOG).read_bytes()
        heal(path)
        assert OLD in every_text(path)
        if fault.steps < at:
            assert not failed
            break
    assert at > 8


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize(("exchange", "noreplace"), SYSTEMS, ids=["renameat2", "steps"])
def test_failed_while_recovering(tmp_path: Path, edited: bool, exchange: bool, noreplace: bool) -> None:
    """Recovery never raises; what it could not do now, it does the next time."""
    at = 0
    while True:
        at += 1
        path = vault(tmp_path / str(at))
        with open(path / NOTE, "ab") as editor:
            root = Root(path, settle=0)
            rewrite(root)
            root.close()
            if edited:
                editor.write(b"a person's line\n")
        fault, root = Nth(at, fail_with(errno.EIO), partial=False), wait_out(path)
        with Patches() as patch:
            fault.wrap(patch, exchange=exchange, noreplace=noreplace)
            problems = root.recover()
        root.close()
        assert problems or fault.steps < at or not edited
        heal(path)
        assert leftovers(path) == []
        assert NEW in every_text(path)
        assert (path / NOTE).read_bytes() == (OLD + b"a person's line\n" if edited else NEW)
        if fault.steps < at:
            break
    assert at > 5


def outcome(act: Act, root: Root) -> str | None:
    """Return what the refusal says, None when it went well."""
    try:
        act(root)
    except MemdirError as error:
        return str(error)
    return None


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="tells descriptors apart by /proc")
@pytest.mark.parametrize("act", [rewrite, create])
def test_bytes_are_durable_before_they_get_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Act
) -> None:
    """Flush the journal and the new bytes, publish, flush the folder: in this order."""
    root = Root(vault(tmp_path / "v"), settle=0)
    with root.lock():
        pass
    calls: list[str] = []
    for name in syscalls.Calls.MUTATING:
        monkeypatch.setattr(sys_calls, name, spy(calls, name, getattr(sys_calls, name)), raising=False)
    with root.lock():
        calls.clear()
        act(root)
    publish = "rename_exchange /note.md" if act is rewrite else "rename_new /fresh.md"
    folder = "memory/user" if act is rewrite else "memory/project"
    at = calls.index(publish)
    opened = [call for call in calls[:at] if call.startswith("open /.") and call.endswith(".memdir-tmp")]
    assert len(opened) == 1
    written = calls.index(opened[0])
    assert "write" in calls[written:at]
    assert calls[written:at].count("fsync file") == 1
    assert calls[written:at].index("fsync file") > calls[written:at].index("write")
    assert f"fsync {folder}" in calls[at:]
    if act is rewrite:
        assert "fsync file" in calls[:written]
        assert "fsync .memdir/pending" in calls[at:]


def spy(calls: list[str], name: str, real: Callable[..., object]) -> Callable[..., object]:
    """Note each call with the name it makes, and each fsync with what it flushes."""

    def call(*args: object) -> object:
        if name == "fsync":
            target = os.readlink(f"/proc/self/fd/{args[0]}")
            calls.append("fsync " + (target.partition("/v/")[2] if os.path.isdir(target) else "file"))
        else:
            texts = [a for a in args if isinstance(a, str)]
            calls.append(f"{name} /{texts[-1]}" if texts else name)
        return real(*args)

    return call


def test_a_short_append_is_taken_back(tmp_path: Path) -> None:
    path = vault(tmp_path / "v")
    root = Root(path)
    root.append(LOG, b"- first\n")
    before = (path / LOG).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys_calls, "write", lambda fd, data: os.write(fd, bytes(data)[:3]), raising=False)
        with pytest.raises(MemdirError, match="taken back"):
            root.append(LOG, b"- second\n")
    assert (path / LOG).read_bytes() == before


def test_short_writes_of_a_note_are_gone_on_with(tmp_path: Path) -> None:
    path = vault(tmp_path / "v")
    root = Root(path, settle=0)
    real = os.write
    with root.lock(), pytest.MonkeyPatch.context() as patch:
        calls: list[int] = []

        def short(fd: int, data: bytes) -> int:
            calls.append(fd)
            return real(fd, bytes(data)[:1000] if len(data) > 1000 else data)

        patch.setattr(sys_calls, "write", short, raising=False)
        rewrite(root)
    assert len(calls) > 3
    assert (path / NOTE).read_bytes() == NEW


def test_a_torn_journal_line_is_passed_over(tmp_path: Path) -> None:
    path = vault(tmp_path / "v")
    root = Root(path, settle=0)
    rewrite(root)
    with open(path / ".memdir/journal.jsonl", "ab") as journal:
        journal.write(b'{"id":"torn')
    again = root.write(NOTE, NEW + b"more\n", base=digest(NEW))
    assert [v.digest for v in root.history(NOTE)] == [digest(NEW), digest(OLD)]
    assert again.kept is None
    lines = (path / ".memdir/journal.jsonl").read_bytes().splitlines()
    assert json.loads(lines[-1])["new"] == again.digest
