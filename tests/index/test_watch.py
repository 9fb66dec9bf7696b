"""The watch: when hints lead to looks, which paths hint at all, and a folder that goes and comes back."""

import errno
import itertools
import logging
import math
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.app.memory import Memory
from memdir.index import sync, watch
from memdir.index.watch import FLOOR, MOST, QUIET, REST, SAFETY, Hints, Pace
from memdir.vault import layout
from watcher import until

# --- pace ------------------------------------------------------------------------------------------------


def looks_of(hints: list[float], *, length: float = 0.05, end: float = 60.0) -> list[float]:
    """Times of the looks that follow hints at these times, by a clock that costs nothing."""
    pace, looks, now = Pace(), [], 0.0
    waiting = sorted(hints)
    while now < end:
        if pace.due() <= now:
            looks.append(now)
            pace.looked(now, now + length)
            now += length
        until_next = waiting[0] if waiting else math.inf
        now = max(now, min(pace.due(), until_next, end))
        while waiting and waiting[0] <= now:
            pace.hint(waiting.pop(0))
    return looks


def test_the_first_look_is_due_at_once_and_the_next_without_a_hint_much_later() -> None:
    pace = Pace()
    assert pace.due() <= 0
    pace.looked(0.0, 1.0)
    assert pace.due() == 1.0 + SAFETY
    pace.looked(2.0, 3.0, again=0.5)
    assert pace.due() == 3.5


def test_one_hint_waits_for_quiet() -> None:
    assert looks_of([20.0]) == [0.0, pytest.approx(20 + QUIET)]


def test_a_save_of_many_steps_is_one_look() -> None:
    assert looks_of([20.0, 20.1, 20.3, 20.55]) == [0.0, pytest.approx(20.55 + QUIET)]


def test_hints_without_end_are_looked_at_all_the_same() -> None:
    looks = looks_of([20 + step * 0.1 for step in range(100)])
    assert looks[1] == pytest.approx(20 + MOST)
    assert len(looks) - 1 <= 10


@pytest.mark.parametrize("gap", [0.02, 0.1, 0.31, 0.5, 1.0])
def test_a_floor_between_looks(gap: float) -> None:
    looks = looks_of([20 + step * gap for step in range(int(10 / gap))])
    assert len(looks) - 1 <= 10
    assert all(after - before >= FLOOR for before, after in itertools.pairwise(looks))


@pytest.mark.parametrize(("length", "rest"), [(0.1, FLOOR), (1.0, 3.0), (60.0, REST)])
def test_a_long_look_is_followed_by_a_rest(length: float, rest: float) -> None:
    pace = Pace()
    pace.looked(0.0, length)
    pace.hint(length)
    assert pace.due() == length + FLOOR  # the first is no measure
    pace.looked(100.0, 100 + length)
    pace.hint(100 + length)
    assert pace.due() == 100 + length + rest


@given(st.lists(st.floats(1, 40), max_size=60))
def test_every_hint_is_followed_by_a_look_soon(hints: list[float]) -> None:
    looks = looks_of(hints)
    for hint in hints:
        assert any(hint < look <= hint + MOST + FLOOR + 0.1 for look in looks)


# --- paths -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "is_dir", "own", "wanted"),
    [
        ("memory/ref/a.md", False, True, True),
        ("MEMORY.md", False, True, True),
        ("memdir.toml", False, True, True),
        (".obsidian/templates.json", False, True, True),
        (".obsidian/workspace.json", False, True, False),
        (".memdir/lock", False, True, False),
        (".memdir", True, True, False),
        (".git/refs/heads/main.md", False, False, False),
        ("memory/ref/.a.md.swp", False, True, False),
        ("memory/ref/.memdir-x.memdir-tmp", False, True, False),
        ("memory/ref/a.md~", False, True, False),
        ("memory/ref/a.md.tmp.3", False, True, False),
        ("memory/archive/MEMORY-overflow.md", False, True, False),
        ("memory/ref/new", True, True, True),
        ("memory/inbox", True, True, False),
        ("memory/inbox", True, False, False),
        ("memory/inbox/a.md", False, False, False),
        ("memory/templates/t.md", False, True, False),
        ("src/readme.md", False, True, False),
        ("src", True, True, False),
        ("src/readme.md", False, False, True),
        ("src", True, False, True),
        ("node_modules/x/readme.md", False, False, False),
        ("picture.png", False, False, False),
    ],
)
def test_only_what_may_be_a_note_hints(path: str, is_dir: bool, own: bool, wanted: bool) -> None:
    assert watch.matters(layout.Rules(own=own), path, is_dir) is wanted


def test_settings_of_a_vault_say_what_may_be_a_note() -> None:
    rules = layout.Rules(own=False, exclude=("private/*",))
    assert not watch.matters(rules, "private/a.md", False)
    assert not watch.matters(rules, "private", True)
    assert watch.matters(layout.Rules(own=True, include=("doc/*",)), "doc/a.md", False)


# --- the folder ------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    (place / "sub").mkdir(parents=True)
    (place / ".git").mkdir()
    (place / "a.md").write_text("# A\n")
    return place


@pytest.fixture
def hints(root: Path) -> Iterator[Hints]:
    before = set(threading.enumerate())
    with Memory(root) as memory:
        found = Hints(memory.vault)
        assert found.renew() == []
        yield found
        found.close()
    assert set(threading.enumerate()) - before == set()


def heard(hints: Hints, act: Callable[[], object]) -> bool:
    """Whether an act gives a hint; the silence of one that gives none is told by the hint of a note behind it."""
    while hints.wait(0.05):
        pass
    act()
    return hints.wait(0.5)


def test_notes_hint_and_reads_and_other_files_do_not(hints: Hints, root: Path) -> None:
    assert heard(hints, lambda: (root / "b.md").write_text("# B\n"))
    assert not heard(hints, lambda: [(root / "b.md").read_text(), list(root.rglob("*")), (root / "x.txt").touch(),
                                     (root / ".git/x.md").touch(), (root / ".b.md.swp").touch()])  # fmt: skip
    assert heard(hints, lambda: os.replace(root / ".b.md.swp", root / "b.md"))
    assert heard(hints, (root / "b.md").unlink)


def test_a_new_folder_is_watched_and_a_link_is_not_followed(hints: Hints, root: Path, tmp_path: Path) -> None:
    assert heard(hints, lambda: (root / "deep/er").mkdir(parents=True))
    assert heard(hints, lambda: (root / "deep/er/c.md").touch())
    hints.check()
    assert hints.renew() is None
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    assert not heard(hints, lambda: (tmp_path / "outside/d.md").touch())


def test_a_vault_that_goes_is_waited_for(hints: Hints, root: Path, tmp_path: Path) -> None:
    root.rename(tmp_path / "away")
    said = hints.renew()
    assert said
    assert "is gone" in said[0]
    assert not hints.present
    assert hints.renew() is None
    (tmp_path / "away").rename(root)
    assert hints.renew() == []
    assert heard(hints, lambda: (root / "b.md").touch())


def test_a_vault_that_is_replaced_is_watched(hints: Hints, root: Path, tmp_path: Path) -> None:
    root.rename(tmp_path / "old")
    shutil.copytree(tmp_path / "old", root)
    assert hints.renew() == []
    assert heard(hints, lambda: (root / "a.md").write_text("new"))
    shutil.rmtree(root)
    root.mkdir()  # likely under the same inode: the end of watchdog's threads tells
    assert until(lambda: hints.renew() == [])
    assert heard(hints, lambda: (root / "a.md").write_text("again"))


@pytest.mark.parametrize("reason", ["instances", "folders"])
def test_where_the_system_gives_no_events_the_tree_is_polled(
    reason: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    if reason == "instances":
        monkeypatch.setattr(watch, "Observer", none_left)
    else:
        monkeypatch.setattr(watch, "_unwatched", lambda path: True)
    monkeypatch.setattr(watch, "POLL", 0.2)
    with Memory(root) as memory:
        hints = Hints(memory.vault)
        said = hints.renew()
        assert said
        assert "limit" in said[0]
        assert heard(hints, lambda: (root / "sub/b.md").write_text("# B\n"))
        assert not heard(hints, lambda: (root / ".git/b.md").write_text("# B\n"))
        assert hints.renew() is None
        hints.close()


def test_folders_without_a_watch_are_counted(hints: Hints, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not watch._unwatched(os.fspath(root))
    monkeypatch.setattr(watch, "_watches", lambda: 2)
    assert watch._unwatched(os.fspath(root)) is os.path.exists("/proc/self/fdinfo")
    monkeypatch.setattr(watch, "_watches", lambda: None)
    assert not watch._unwatched(os.fspath(root))


def test_what_watchdog_complains_of_is_a_hint(hints: Hints, capfd: pytest.CaptureFixture[str]) -> None:
    assert heard(hints, lambda: logging.getLogger("watchdog.observers").warning("events were lost"))
    assert capfd.readouterr().err == ""


# --- what the diff does not believe at once -----------------------------------------------------------------


def test_an_absence_is_believed_when_it_was_seen_before(root: Path) -> None:
    (root / "b.md").write_text("# B\n")
    with Memory(root) as memory:
        sync.sync(memory.vault, sync.Options())
        (root / "a.md").rename(root / "c.md")
        (root / "b.md").unlink()
        (root / "d.md").write_text("# D\n")
        report = sync.sync(memory.vault, sync.Options(quick=True, believed=frozenset({"a.md"})))
        assert report.kept == {"a.md": sync.JUST_GONE, "b.md": sync.JUST_GONE}
        assert (report.added, report.moved, report.removed, report.files) == (0, 0, 0, 2)
        report = sync.sync(memory.vault, sync.Options(quick=True, believed=frozenset({"a.md", "b.md"})))
        assert (report.added, report.moved, report.removed, report.files) == (1, 1, 1, 2)
