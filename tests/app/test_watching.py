"""What may happen while a vault is watched: it goes, another memdir works on it, settings change, files blink."""

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import driver
from driver import Run
from memdir.app.keeping import watching
from memdir.app.keeping.watching import Seen
from memdir.app.memory import Memory
from memdir.errors import BadData
from memdir.index import generation
from watcher import Watcher, ids_of, until

Looking = Callable[[Memory], tuple[watching._Looks, list[Any]]]


@pytest.fixture
def root(tmp_path: Path, run: Run) -> Path:
    """An adopted folder of 20 notes, indexed."""
    place = tmp_path / "notes"
    place.mkdir()
    for number in range(20):
        (place / f"n{number}.md").write_text(f"# N {number}\n\nnumber {number}\n")
    assert run("init", place, "--adopt").code == 0
    assert run("sync", vault=place).code == 0
    return place


@pytest.fixture
def looks(root: Path, monkeypatch: pytest.MonkeyPatch) -> Looking:
    """`looks(memory)`: the looks of a watch without the watch, and what they tell."""
    monkeypatch.setattr(watching, "LOCK_WAIT", 0.05)

    def make(memory: Memory) -> tuple[watching._Looks, list[Seen]]:
        told: list[Any] = []
        return watching._Looks(memory, told.append), told

    return make


def test_a_file_that_is_gone_for_a_moment_keeps_its_number(root: Path, looks: Looking) -> None:
    before = ids_of(root)
    with Memory(root) as memory:
        look, told = looks(memory)
        (root / "n1.md").rename(root / "n1.md~")
        assert look.look() == watching.SETTLE
        (root / "n1.md").write_text("# N 1\n\nsaved\n")
        (root / "n2.md").rename(root / "n2.md~")  # the next save has begun
        assert look.look() == watching.SETTLE
        (root / "n2.md~").rename(root / "n2.md")
        assert look.look() == watching.SAFETY
        assert [(one.report.modified, one.report.removed) for one in told] == [(1, 0)]
    assert ids_of(root) == before


def test_a_file_that_stays_away_is_dropped_with_the_second_look(root: Path, looks: Looking) -> None:
    with Memory(root) as memory:
        look, told = looks(memory)
        (root / "n1.md").unlink()
        assert look.look() == watching.SETTLE
        assert told == []
        assert look.look() == watching.SAFETY
        assert told[0].report.removed == 1
        for number in range(2, 2 + watching.DOUBTS):  # deletions without end are believed in the end
            (root / f"n{number}.md").unlink()
            assert look.look() == watching.SETTLE
        (root / "n9.md").unlink()
        assert look.look() == watching.SAFETY
        assert told[1].report.removed == watching.DOUBTS + 1


def test_another_memdir_at_work_is_waited_for(root: Path, looks: Looking) -> None:
    with Memory(root) as memory:
        look, told = looks(memory)
        (root / "new.md").write_text("# New\n")
        with generation.lock(memory.vault.place, 1):
            assert look.look() == look.look() == watching.LOCKED
        assert [one.notices for one in told] == [["another memdir is writing the index; try again in a moment"]]
        assert look.look() == watching.SAFETY
        assert told[1].report.added == 1


def test_an_emptied_vault_is_told_once_and_nothing_is_dropped(root: Path, looks: Looking) -> None:
    before = ids_of(root)
    with Memory(root) as memory:
        look, told = looks(memory)
        kept = root.with_name("kept")
        shutil.copytree(root, kept)
        for path in root.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert [look.look() for _ in range(3)] == [watching.SETTLE, watching.TROUBLE, watching.TROUBLE]
        assert len(told) == 1
        assert "20 of 20 notes are gone" in told[0].notices[0]
        shutil.copytree(kept, root, dirs_exist_ok=True)
        assert look.look() == watching.SAFETY
    assert ids_of(root) == before


def test_one_look_raises_what_stops_it(root: Path) -> None:
    with Memory(root) as memory:
        told: list[Seen] = []
        assert memory.watch(told.append, once=True) is False
        assert [one.first for one in told] == [True]
        for path in root.glob("*.md"):
            path.unlink()
        with pytest.raises(BadData):
            memory.watch(told.append, once=True)


def test_once_prints_what_it_did(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDIR_TIMEZONE", "UTC")  # the day of a turn is of the zone: another one makes the index anew
    run("sync", vault=root)
    assert run("watch", "--once", vault=root).out == ""
    for number in range(3):
        (root / f"m{number}.md").write_text("# M\n")
    (root / "n1.md").write_text("# N 1\n\nchanged\n")
    done = run("watch", "--once", vault=root, MEMDIR_NOW="2026-05-01T14:20:05+00:00")
    assert (done.code, done.out, done.err) == (0, "14:20:05 4 files: 3 added, 1 changed\n", "")
    (root / "n1.md").unlink()
    assert run("watch", "--once", "--quiet", vault=root).out == ""
    looked = run("watch", "--once", "--json", vault=root).json
    assert set(looked) == {"at", "first", "report", "written", "notices"}
    assert looked["report"]["files"] == 22


def test_a_list_that_could_not_be_written_is_owed(root: Path, looks: Looking, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(memory: Memory) -> None:
        raise BadData("no room")

    with Memory(root) as memory:
        look, told = looks(memory)
        (root / "new.md").write_text("# New\n")
        with monkeypatch.context() as patched:
            patched.setattr(watching.writing, "keep_index", refuse)
            assert look.look() == watching.TROUBLE
        assert (told[0].report.added, told[1].notices, look.owed) == (1, ["no room"], True)
        assert look.look() == watching.SAFETY
        assert not look.owed


def test_the_watch_goes_on_through_a_vault_that_goes_and_comes(root: Path) -> None:
    before = ids_of(root)
    with Watcher(root, stop=signal.SIGINT) as watcher:
        root.rename(root.with_name("away"))
        assert until(lambda: any("is gone" in one for one in watcher.notices))
        (root.with_name("away") / "new.md").write_text("# New\n")
        root.with_name("away").rename(root)
        assert until(lambda: watcher.count("added") == 1)
        (root / "n1.md").write_text("# N 1\n\nchanged\n")
        assert until(lambda: watcher.count("modified") == 1)
    assert ids_of(root).items() >= before.items()


def test_changed_settings_are_taken_up(root: Path) -> None:
    with Watcher(root) as watcher:
        (root / "memdir.toml").write_text('[notes]\nexclude = ["n1*"]\n')
        assert until(lambda: ids_of(root).keys() == {"n0.md", *(f"n{n}.md" for n in range(2, 10))})
        (root / "n1.md").write_text("# N 1\n\nprivate\n")
        (root / "n2.md").write_text("# N 2\n\nchanged\n")
        assert until(lambda: watcher.count("modified") == 1)
        assert "n1.md" not in ids_of(root)


def test_broken_settings_are_told_once_and_wait(root: Path, looks: Looking) -> None:
    with Memory(root) as memory:
        look, told = looks(memory)
        before = watching._choices(memory)
        (root / "memdir.toml").write_text("[notes\n")
        assert not look.changed(before)
        assert not look.changed(before)
        assert len(told) == 1
        assert told[0].notices[0].startswith("memdir.toml:1: ")
        (root / "memdir.toml").write_text("format = 1\n")
        assert look.changed(before)


def test_a_vault_without_its_settings_is_unmounted_rather_than_adopted(
    vault: Callable[..., Path], looks: Looking
) -> None:
    root = vault()
    with Memory(root) as memory:
        look, _ = looks(memory)
        before = watching._choices(memory)
        (root / "memdir.toml").unlink()
        assert not look.changed(before)


def test_threads_have_ended_when_the_watch_is_left(root: Path) -> None:
    class Enough(Exception):
        pass

    def tell(seen: Seen) -> None:
        raise Enough

    before = set(threading.enumerate())
    with Memory(root) as memory, pytest.raises(Enough):
        memory.watch(tell)
    assert set(threading.enumerate()) == before


def test_a_stop_in_the_middle_of_a_first_look_is_prompt_and_loses_nothing(tmp_path: Path, run: Run) -> None:
    place = tmp_path / "many"
    place.mkdir()
    for number in range(1_000):
        (place / f"n{number}.md").write_text(f"# N {number}\n\nnumber {number}\n")
    with Memory(place) as memory:
        index = memory.vault.place
    watcher = Watcher(place)
    assert until(lambda: next(index.glob("gen-*/pending.json"), None))
    watcher.__exit__(None, None, None)
    assert not watcher.lines
    assert run("sync", vault=place).code == 0
    assert len(ids_of(place)) == 1_000


def test_no_other_command_pays_for_watchdog(root: Path) -> None:
    code = "import sys; from memdir.interfaces.cli.main import run; run(['--vault', sys.argv[1], 'sync']); "
    code += "sys.exit('watchdog' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, root], env=driver.environment({}), stdout=subprocess.DEVNULL)
    assert done.returncode == 0
