"""Sync: its guards, its lock, and that it may be killed at any moment and goes on where it was."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import driver
import inside
from memdir.app.memory import Memory
from memdir.errors import BadData, Locked, NotFound
from memdir.evals.reliability import mirror
from memdir.index import apply, generation, sync, values
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault import files

QUESTIONS = ("pump", "number 3", "zsh", "shared words")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a killed sync needs fork")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An adopted folder of 60 notes."""
    place = tmp_path / "notes"
    for number in range(60):
        write(place / ("deep" if number % 3 else "flat") / f"n{number}.md", f"# N {number}\n\nnumber {number}\n")
    return place


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(root: Path, **how: object) -> sync.Report:
    with Memory(root) as memory:
        return sync.sync(memory.vault, sync.Options(**how))  # type: ignore[arg-type]


def indexed(root: Path) -> set[str]:
    with Memory(root) as memory:
        return {row[0] for row in mirror.content(memory.vault.place)["files"]}


def place_of(root: Path) -> Path:
    with Memory(root) as memory:
        return memory.vault.place


# --- what looks like a loss ----------------------------------------------------------------------------


def test_a_missing_root_stops(root: Path) -> None:
    run(root)
    with Memory(root) as memory:
        place = memory.vault.place
        before = mirror.content(place)
        root.rename(root.with_name("elsewhere"))
        with pytest.raises(NotFound, match="notes"):
            sync.sync(memory.vault, sync.Options())
        assert mirror.content(place) == before


@pytest.mark.parametrize("count", [60, 1])
def test_an_emptied_root_stops_even_with_few_notes(root: Path, count: int) -> None:
    if count == 1:
        shutil.rmtree(root)
        write(root / "only.md", "zsh\n")
    run(root)
    before = indexed(root)
    shutil.rmtree(root)
    root.mkdir()
    with pytest.raises(BadData, match="accept-removals"):
        run(root)
    assert indexed(root) == before
    assert run(root, accept_removals=True).removed == count


@pytest.mark.parametrize(("gone", "stops"), [(10, False), (12, False), (13, True), (59, True)])
def test_a_fifth_and_more_than_ten_may_not_vanish_at_once(root: Path, gone: int, stops: bool) -> None:
    run(root)
    before = indexed(root)
    for path in sorted(root.rglob("*.md"))[:gone]:
        path.unlink()
    if not stops:
        assert run(root).removed == gone
        return
    with pytest.raises(BadData, match=f"{gone} of 60") as stop:
        run(root)
    assert stop.value.exit_code == 5
    assert indexed(root) == before
    assert run(root, accept_removals=True).removed == gone


def test_a_recall_in_a_vault_that_lost_much_says_so_and_drops_nothing(root: Path) -> None:
    run(root)
    before = indexed(root)
    for path in sorted(root.rglob("*.md"))[:20]:
        path.unlink()
    left = sorted(root.rglob("*.md"))[0]
    with Memory(root) as memory:
        answer = memory.recall(Question(f"number {left.stem[1:]}", Filters(), limit=3))
    assert "accept-removals" in " ".join(answer.notices)
    assert answer.evidence[0].path == left.relative_to(root).as_posix()
    assert indexed(root) == before


def test_a_folder_that_moves_is_no_loss(root: Path) -> None:
    run(root)
    (root / "deep").rename(root / "moved")
    report = run(root)
    assert (report.moved, report.added, report.removed, report.modified) == (40, 0, 0, 0)


class Unreadable(files.Root):
    """A root in which one folder cannot be read (tests run as root, who may read everything)."""

    folder = "deep"

    def walk(self, skip: Callable[[str, bool], bool]) -> files.Listing:
        found = super().walk(skip)
        found.entries = [entry for entry in found.entries if not entry.path.startswith(f"{self.folder}/")]
        found.unreadable.append(self.folder)
        return found


def test_an_unreadable_folder_drops_nothing_and_is_named(root: Path) -> None:
    run(root)
    before = indexed(root)
    write(root / "flat/new.md", "zsh\n")
    with Memory(root) as memory:
        vault = sync.Vault(Unreadable(root), memory.vault.rules, memory.settings)
        report = sync.sync(vault, sync.Options())
        vault.root.close()
    assert set(report.kept) == {path for path in before if path.startswith("deep/")}
    assert report.added == 1
    assert indexed(root) == before | {"flat/new.md"}
    assert run(root).kept == {}


def test_a_cloud_placeholder_keeps_its_note(root: Path) -> None:
    run(root)
    before = indexed(root)
    note = root / "flat/n3.md"
    placeholder = note.with_name(".n3.md.icloud")
    note.rename(placeholder)
    report = run(root)
    assert report.kept == {"flat/n3.md": "not downloaded"}
    assert indexed(root) == before
    with Memory(root) as memory:
        assert "not downloaded" in " ".join(memory.recall(Question("zsh", Filters(), limit=3)).notices)
    placeholder.rename(note)
    again = run(root)
    assert (again.added, again.modified, again.moved, again.removed) == (0, 0, 0, 0)


def test_a_note_with_bytes_of_another_encoding_does_not_stop_the_others(root: Path) -> None:
    (root / "latin.md").write_bytes(
        b'---\ntags: \'["\\ud800x", "\\ud801x"]\'\n---\n# Caf\xe9 \xff\n\n[[b\xe9]] #caf\xe9 zsh\n'
    )
    assert run(root).files == 61
    with Memory(root) as memory:
        mirror.assert_mirrors(memory, root.parent / "fresh", QUESTIONS)


# --- the lock ------------------------------------------------------------------------------------------


def test_a_second_sync_waits_or_says_that_it_is_locked(root: Path) -> None:
    place, reports = place_of(root), list[sync.Report]()
    waiting = threading.Thread(target=lambda: reports.append(run(root, wait=60.0)))
    with generation.lock(place, 0):
        with pytest.raises(Locked) as stop:
            run(root, wait=0.0)
        assert stop.value.exit_code == 4
        waiting.start()
        assert not (place / generation.CURRENT).exists()
    waiting.join(60)
    assert [report.files for report in reports] == [60]


def test_syncs_of_two_processes_at_once_do_the_work_once(root: Path) -> None:
    command = [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "sync", "--json"]
    both = [
        subprocess.Popen(command, env=driver.environment({}), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=60)[0] for one in both]
    assert [one.returncode for one in both] == [0, 0]
    added = [driver.Result(0, text.decode(), "").json["report"]["added"] for text in said]
    assert sorted(added) == [0, 60]
    with Memory(root) as memory:
        mirror.assert_mirrors(memory, root.parent / "fresh", QUESTIONS)


@forks
def test_a_recall_while_another_process_rebuilds_answers(root: Path) -> None:
    run(root)
    child = os.fork()
    if child == 0:
        try:
            for _ in range(12):
                run(root, afresh=True, wait=30.0)
        finally:
            os._exit(0)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        with Memory(root) as memory:
            for fresh in (True, False):
                answer = memory.recall(Question("number 7", Filters(), limit=3), fresh=fresh)
                assert answer.evidence[0].path == "deep/n7.md"
                memory.drop_reader()


# --- killed --------------------------------------------------------------------------------------------


def edit(root: Path) -> None:
    write(root / "late.md", "zsh, late\n")
    write(root / "flat/n3.md", "# Pump\n\npump\n")
    (root / "flat/n6.md").unlink()


def touch(root: Path) -> None:
    for path in root.rglob("*.md"):
        os.utime(path)


def swap(root: Path) -> None:
    """Three names change hands, so that every new path is still taken when it is written."""
    one, two, three = (root / f"flat/n{number}.md" for number in (0, 3, 6))
    one.rename(root / "aside")
    two.rename(one)
    three.rename(two)
    (root / "aside").rename(three)


def remove(root: Path) -> None:
    for number in (0, 3, 6):
        (root / f"flat/n{number}.md").unlink()


@forks
@pytest.mark.parametrize(
    ("change", "size"),
    [(edit, 1), (swap, 1), (touch, 100), (remove, 100)],
    ids=["edits, a file a batch", "a swap of names, a file a batch", "touched", "removed"],
)
def test_no_moment_to_die_makes_the_next_run_start_over(
    root: Path, tmp_path: Path, change: Callable[[Path], None], size: int
) -> None:
    shutil.rmtree(root)
    for number in (0, 3, 6):
        write(root / f"flat/n{number}.md", f"# N {number}\n\nshared words, number {number}\n")
    run(root)
    place = place_of(root)
    change(root)
    wanted, said = mirror.rebuilt(root, tmp_path / "fresh", QUESTIONS)
    shutil.copytree(place, tmp_path / "saved")
    anew, wrong = [], []
    with inside.batches_of(size), Memory(root) as memory:
        for at in range(1, 200):
            shutil.rmtree(place)
            shutil.copytree(tmp_path / "saved", place)
            if not mirror.killed(lambda: sync.sync(memory.vault, mirror.ALL), at):
                break
            report = sync.sync(memory.vault, mirror.ALL)
            anew += [(at, report.rebuilt)] if report.rebuilt else []
            wrong += [at] if mirror.content(place) != wanted or mirror.answers(memory, QUESTIONS) != said else []
            memory.drop_reader()
    assert at > 3
    assert wrong == []
    assert anew == []


@forks
def test_what_a_killed_sync_left_is_not_read_when_the_note_is_gone_again(root: Path, tmp_path: Path) -> None:
    """The walk looks like that of the last whole run, but Whoosh holds a note that nobody has."""
    run(root)
    with Memory(root) as memory:
        place = memory.vault.place
        _age(root, place)
        write(root / "late.md", "shared words pump\n" * 40)
        at = next(at for at in range(1, 99) if _dies_between_commits(memory, tmp_path / f"saved-{at}", at))
        (root / "late.md").unlink()
        assert generation.pending(generation.current(place) or place), at
        memory.freshen()
        mirror.assert_mirrors(memory, tmp_path / "fresh", QUESTIONS)


def _age(root: Path, place: Path) -> None:
    """Let the last run look so late that no file is younger than it."""
    folder = generation.current(place)
    assert folder
    stamp, started = (folder / generation.LISTED).read_text().split()
    (folder / generation.LISTED).write_text(f"{stamp} {int(started) + 10**12}")


def _dies_between_commits(memory: Memory, saved: Path, at: int) -> bool:
    place = memory.vault.place
    tables = sorted(path.name for path in place.glob("gen-*/whoosh/*.toc"))
    shutil.copytree(place, saved)
    assert mirror.killed(lambda: sync.sync(memory.vault, mirror.ALL), at)
    folder = generation.current(place)
    if folder and generation.pending(folder) and tables != sorted(p.name for p in place.glob("gen-*/whoosh/*.toc")):
        return True
    shutil.rmtree(place)
    saved.rename(place)
    return False


@forks
@pytest.mark.parametrize("more", [1, 250], ids=["behind a batch", "inside a batch"])
def test_a_killed_first_index_goes_on_where_it_was(tmp_path: Path, more: int) -> None:
    root, count, size = tmp_path / "many", 6_000 if more == 1 else 2_000, 500
    for number in range(count):
        write(root / f"{number % 50}/{number}.md", f"note {number}\n")
    child = os.fork()
    if child == 0:
        apply.BATCH = size
        stop = count // 2 + more
        run(root, progress=lambda done, _: os.kill(os.getpid(), signal.SIGKILL) if done >= stop else None)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    steps: list[tuple[int, int]] = []
    with inside.batches_of(size):
        report = run(root, progress=lambda done, total: steps.append((done, total)))
    assert (report.added, report.files, report.rebuilt) == (count // 2, count, "")
    assert steps[-1] == (count // 2, count // 2)
    with Memory(root) as memory:
        held = mirror.content(memory.vault.place)
    assert len(held["files"]) == len(held["passages"]) == held["documents"][0] == count


@forks
def test_killed_syncs_leave_no_growing_heap_of_files(root: Path) -> None:
    run(root)
    place = place_of(root)
    with Memory(root) as memory:
        for at in range(1, 30):
            write(root / "late.md", f"late {at}\n")
            mirror.killed(lambda: sync.sync(memory.vault, mirror.ALL), at)
        sync.sync(memory.vault, sync.Options(afresh=True))
        run(root)
    left = [path.name for path in place.rglob("*") if path.is_file()]
    assert len([name for name in left if name.endswith(".seg")]) <= 2, left
    assert len(list(place.glob("gen-*"))) == 1
    assert len(list(place.glob("damaged-*"))) <= generation.KEEP_DAMAGED


# --- quick looks ---------------------------------------------------------------------------------------


def test_a_quick_sync_sees_an_edit_of_the_same_size_and_time(root: Path) -> None:
    run(root)
    run(root, quick=True)
    path = root / "flat/n3.md"
    before = path.stat()
    path.write_text(path.read_text().replace("number", "nomber"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(root, quick=True).modified == 1


def test_more_files_than_allowed_are_refused_and_nothing_is_read(root: Path) -> None:
    with pytest.raises(BadData, match="memdir sync"):
        run(root, most=59)
    assert run(root, most=60).added == 60


def test_the_schema_decides_whether_an_index_may_be_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(root)
    monkeypatch.setattr(values, "SCHEMA", "none such")
    report = run(root)
    assert "another version" in report.rebuilt
    assert report.added == 60


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("15 14 3 adopted", "the vault is an adopted folder, without a memdir.toml now, and was own"),
        ("15 14 3 own Asia/Tokyo", "the time zone was that of the system, and is Asia/Tokyo now"),
        ("16 14 3 own", "it was made by another version (15 14 3 own)"),
    ],
)
def test_what_made_an_index_of_no_use_is_said(now: str, said: str) -> None:
    assert sync._other("15 14 3 own", now) == said.replace("was own", "was one of memdir's own")
    assert "another version" in sync._other("unknown", now)
