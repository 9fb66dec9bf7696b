"""A person, an appender or an attacker at work in the same instant: no saved text is lost, nothing leaks."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.errors import Conflict, Locked, MemdirError
from memdir.evals.reliability.strikes import child, ended
from memdir.vault.disk import syscalls
from memdir.vault.disk.syscalls import sys_calls
from memdir.vault.files import Root, digest


def strike(monkeypatch: pytest.MonkeyPatch, save: Callable[[], object]) -> None:
    """Let a person save between our last look and the exchange."""
    real = sys_calls.rename_exchange
    pending = [save]

    def exchange(*args: object) -> bool:
        if pending:
            pending.pop()()
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sys_calls, "rename_exchange", exchange, raising=False)


@pytest.mark.parametrize("atomic", [True, False], ids=["renameat2", "steps"])
@pytest.mark.parametrize("in_place", [True, False], ids=["in-place", "by-rename"])
def test_a_save_in_the_window_stays_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool, atomic: bool
) -> None:
    if not atomic:
        monkeypatch.setattr(syscalls, "_rename", lambda *_args: False)
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n")

    def save() -> None:
        target = note if in_place else tmp_path / "swap"
        target.write_bytes(b"base\nof a person\n")
        target.replace(note)

    strike(monkeypatch, save)
    root = Root(tmp_path, settle=0)
    written = root.write("note.md", b"ours\n", base=digest(b"base\n"))
    assert note.read_bytes() == b"base\nof a person\n"
    assert written.digest == digest(b"base\nof a person\n")
    assert written.kept is not None
    assert root.read(written.kept).data == b"ours\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([".memdir", "note.md", written.kept])


def test_two_saves_in_the_window_are_both_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n")
    real, count = sys_calls.rename_exchange, iter(range(9))

    def exchange(*args: object) -> bool:
        if (n := next(count)) < 2:
            (tmp_path / "swap").write_bytes(b"save %d\n" % n)
            (tmp_path / "swap").replace(note)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sys_calls, "rename_exchange", exchange, raising=False)
    written = Root(tmp_path, settle=0).write("note.md", b"ours\n", base=digest(b"base\n"))
    texts = {p.read_bytes() for p in tmp_path.glob("note*.md")}
    assert note.read_bytes() == b"save 1\n"
    assert texts == {b"save 0\n", b"save 1\n", b"ours\n"}
    assert written.kept is not None
    assert (tmp_path / written.kept).read_bytes() == b"ours\n"


def test_an_editor_that_still_had_it_open_wins_later(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n")
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    with open(note, "ab") as editor:
        first = root.write("note.md", b"base\nours\n", base=digest(b"base\n"))
        root.write("note.md", b"base\nours\nmore\n", base=first.digest)
        editor.write(b"typed late\n")
    assert root.recover() == []
    now[0] += 3
    (problem,) = root.recover()
    assert problem.path == "note.md"
    assert note.read_bytes() == b"base\ntyped late\n"
    (copy,) = tmp_path.glob("note.conflict-*.md")
    assert copy.name in problem.message
    assert copy.read_bytes() == b"base\nours\nmore\n"
    assert root.recover() == []


def test_a_late_save_does_not_displace_a_later_one(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n")
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    with open(note, "ab") as editor:
        root.write("note.md", b"ours\n", base=digest(b"base\n"))
        editor.write(b"typed late\n")
    note.write_bytes(b"typed by a second person\n")
    now[0] += 3
    root.recover()
    assert note.read_bytes() == b"typed by a second person\n"
    (copy,) = tmp_path.glob("note.conflict-*.md")
    assert copy.read_bytes() == b"base\ntyped late\n"


def test_an_edit_after_removal_brings_the_note_back(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n")
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    with open(note, "ab") as editor:
        root.remove("note.md", base=digest(b"base\n"))
        editor.write(b"typed late\n")
    now[0] += 3
    assert "is back" in root.recover()[0].message
    assert note.read_bytes() == b"base\ntyped late\n"


def test_a_file_that_is_being_saved_is_waited_for(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"base\n" * 10)
    root = Root(tmp_path, settle=0.05)

    def slow_save() -> None:
        fd = os.open(note, os.O_WRONLY | os.O_TRUNC)
        time.sleep(0.03)
        os.write(fd, b"base\n" * 10 + b"typed\n")
        os.close(fd)

    pid = child(slow_save)
    while note.stat().st_size:
        time.sleep(0)
    with pytest.raises(Conflict) as conflict:
        root.write("note.md", b"ours\n", base=digest(b""))
    os.waitpid(pid, 0)
    assert conflict.value.current == digest(b"base\n" * 10 + b"typed\n")
    assert note.read_bytes().endswith(b"typed\n")


def test_two_writers_with_one_base_one_wins(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"0\n")
    base = digest(b"0\n")

    def write(name: bytes) -> None:
        try:
            Root(tmp_path).write("n.md", name, base=base)
        except Conflict:
            os._exit(7)

    pids = [child(lambda n=n: write(b"writer %d\n" % n)) for n in range(4)]  # type: ignore[misc]
    codes = sorted(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
    assert codes == [0, 7, 7, 7]
    assert (tmp_path / "n.md").read_bytes().startswith(b"writer ")


def test_two_creators_of_one_name_one_wins(tmp_path: Path) -> None:
    def create(name: bytes) -> None:
        try:
            Root(tmp_path).write("memory/new.md", name, base=None)
        except Conflict:
            os._exit(7)

    pids = [child(lambda n=n: create(b"creator %d\n" % n)) for n in range(4)]  # type: ignore[misc]
    codes = sorted(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
    assert codes == [0, 7, 7, 7]


def appender(path: Path, who: int) -> None:
    root = Root(path)
    for i in range(100):
        root.append("memory/log.md", b"- %d.%03d %s\n" % (who, i, b"x" * 60), header=b"# log\n")


def test_four_appenders_lose_no_line(tmp_path: Path) -> None:
    for pid in [child(lambda who=who: appender(tmp_path, who)) for who in range(4)]:  # type: ignore[misc]
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    lines = (tmp_path / "memory/log.md").read_bytes().splitlines()
    assert lines[0] == b"# log"
    assert len(lines) == 401
    assert len(set(lines)) == 401
    for who in range(4):
        mine = [line for line in lines if line.startswith(b"- %d." % who)]
        assert mine == sorted(mine)


def test_appenders_that_are_killed_tear_no_line_of_others(tmp_path: Path) -> None:
    rnd, kills = random.Random(5), 0
    alive = {who: child(lambda who=who: appender(tmp_path, who)) for who in range(4)}  # type: ignore[misc]
    for who in (0, 1):
        time.sleep(rnd.uniform(0.005, 0.03))
        os.kill(alive[who], signal.SIGKILL)
        kills += os.WIFSIGNALED(os.waitpid(alive[who], 0)[1])
    for who in (2, 3):
        assert os.waitstatus_to_exitcode(os.waitpid(alive[who], 0)[1]) == 0
    lines = (tmp_path / "memory/log.md").read_bytes().splitlines()
    whole = [line for line in lines if len(line) == len(b"- 0.000 ") + 60]
    assert len([line for line in whole if line[2:3] in b"23"]) == 200
    assert len(lines) - len(whole) <= 1 + kills


def test_an_appender_follows_an_editor_that_replaces_the_file(tmp_path: Path) -> None:
    """An editor that renames over drops lines it never read, but no append fails or goes on in a dead file."""
    log = tmp_path / "log.md"
    log.write_bytes(b"# log\n")

    def editor() -> None:
        for i in range(60):
            swap = tmp_path / "swap"
            swap.write_bytes(b"# log\nsave %d\n" % i)
            swap.replace(log)
            time.sleep(0.001)

    pid, root = child(editor), Root(tmp_path)
    while ended(pid) is None:
        root.append("log.md", b"- line\n")
    assert log.read_bytes().startswith(b"# log\nsave 59\n")
    root.append("log.md", b"- last\n")
    assert log.read_bytes().endswith(b"- last\n")


def test_a_file_replaced_between_open_and_lock_is_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.md"
    log.write_bytes(b"old\n")
    (tmp_path / "swap").write_bytes(b"new\n")
    struck: list[Path] = []
    real = syscalls.try_lock

    def lock(fd: int) -> bool:
        if not struck:
            struck.append((tmp_path / "swap").replace(log))
        return real(fd)

    monkeypatch.setattr(syscalls, "try_lock", lock)
    Root(tmp_path).append("log.md", b"- line\n")
    assert log.read_bytes() == b"new\n- line\n"


def test_a_file_replaced_while_we_append_gets_the_line_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.md"
    log.write_bytes(b"old\n")
    (tmp_path / "swap").write_bytes(b"new\n")
    struck: list[Path] = []

    def fsync(fd: int) -> None:
        if not struck:
            struck.append((tmp_path / "swap").replace(log))

    monkeypatch.setattr(sys_calls, "fsync", fsync, raising=False)
    Root(tmp_path).append("log.md", b"- line\n")
    assert log.read_bytes() == b"new\n- line\n"


def test_a_folder_swapped_for_a_link_leaks_nothing(tmp_path: Path) -> None:
    vault, out = tmp_path / "vault", tmp_path / "out"
    for folder, text in ((vault / "real", b"ok\n"), (out, b"SECRET\n")):
        folder.mkdir(parents=True)
        (folder / "note.md").write_bytes(text)

    def swap() -> None:
        while True:
            for target in ("real", out):
                os.symlink(target, vault / "t")
                os.replace(vault / "t", vault / "r")
            os.unlink(vault / "r")
            os.rename(vault / "real", vault / "r")
            os.rename(vault / "r", vault / "real")

    pid, root, reads = child(swap), Root(vault, settle=0), 0
    end = time.monotonic() + 1.0
    try:
        while time.monotonic() < end:
            for attempt in (lambda: root.read("r/note.md").data, lambda: root.append("r/note.md", b"- line\n")):
                try:
                    assert attempt() != b"SECRET\n"
                    reads += 1
                except MemdirError:
                    pass
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert (out / "note.md").read_bytes() == b"SECRET\n"
    assert os.listdir(out) == ["note.md"]


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    ready, tell = os.pipe()

    def hold() -> None:
        with Root(tmp_path).lock():
            os.write(tell, b"x")
            time.sleep(60)

    pid = child(hold)
    os.read(ready, 1)
    root = Root(tmp_path)
    with pytest.raises(Locked, match="another memdir"), root.lock(timeout=0.02):
        pass
    assert root.recover() == []
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with root.lock(timeout=1), root.lock(timeout=0):
        pass


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    root = Root(tmp_path)
    with root.lock():
        pid = child(lambda: time.sleep(30))
    with Root(tmp_path).lock(timeout=0.5):
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_lock_file_deleted_at_the_wrong_moment_does_not_split_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = Root(tmp_path), Root(tmp_path)
    deleted: list[bool] = []
    real = syscalls.try_lock

    def lock(fd: int) -> bool:
        if not deleted:
            (tmp_path / ".memdir/lock").unlink()
            deleted.append(True)
        return real(fd)

    monkeypatch.setattr(syscalls, "try_lock", lock)
    with root.lock(), pytest.raises(Locked), other.lock(timeout=0):
        pass
