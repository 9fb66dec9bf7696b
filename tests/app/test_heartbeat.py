"""When upkeep is due, and that a heartbeat does it once, whatever its file says, fails or runs beside it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import driver
from driver import Run, Tree
from memdir.app.keeping import heartbeat
from memdir.app.keeping.heartbeat import COUNT, DISTILL, SCAN, STATE, SYNC, due
from memdir.app.memory import Memory
from memdir.config import Settings
from memdir.errors import NotFound
from memdir.index import generation

SETTINGS = Settings()
NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
NIGHT = datetime(2026, 3, 10, 2, 30, tzinfo=UTC)
CLOCK = "2026-03-10T12:00:00+00:00"


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def state(now: datetime, count: int = 0, **hours: float) -> dict[str, Any]:
    """A state in which each step ran so many hours before `now`; COUNT syncs so far."""
    keys = {"sync": SYNC, "distill": DISTILL, "scan": SCAN}
    told: dict[str, Any] = {keys[step]: (now - timedelta(hours=ago)).isoformat() for step, ago in hours.items()}
    return told | {COUNT: count}


def held(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / STATE).read_text("utf-8"))
    return found


def verbs(root: Path) -> list[str]:
    """Verbs of the runs that ended, oldest first."""
    lines = [
        line for file in sorted((root / "memory/ledger").iterdir()) for line in file.read_text("utf-8").split("\n")
    ]
    events = [json.loads(line) for line in lines if line]
    return [event["verb"] for event in events if event["op"] == "run_ended"]


# --- what is due -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "told", "steps"),
    [
        (NOON, state(NOON, sync=3.9, distill=5, scan=1), []),
        (NOON, state(NOON, sync=4, distill=5, scan=1), []),
        (NOON, state(NOON, sync=4.1, distill=5, scan=1), ["sync"]),
        # By night after 12 h, at any hour after 30.
        (NOON, state(NOON, sync=1, distill=29.9, scan=1), []),
        (NOON, state(NOON, sync=1, distill=30.1, scan=1), ["distill"]),
        (NIGHT, state(NIGHT, sync=1, distill=11.9, scan=1), []),
        (NIGHT, state(NIGHT, sync=1, distill=12.1, scan=1), ["distill"]),
        (NIGHT.replace(hour=1, minute=59), state(NIGHT, sync=1, distill=14, scan=1), []),
        (NIGHT.replace(hour=2, minute=0), state(NIGHT, sync=1, distill=14, scan=1), ["distill"]),
        (NIGHT.replace(hour=3, minute=0), state(NIGHT, sync=1, distill=14, scan=1), []),
        # With every third sync, but not within 8 h, and never without a sync.
        (NOON, state(NOON, 0, sync=5, distill=1, scan=9), ["sync"]),
        (NOON, state(NOON, 1, sync=5, distill=1, scan=9), ["sync"]),
        (NOON, state(NOON, 2, sync=5, distill=1, scan=9), ["sync", "scan"]),
        (NOON, state(NOON, 2, sync=5, distill=1, scan=7.9), ["sync"]),
        (NOON, state(NOON, 2, sync=1, distill=1, scan=99), []),
        (NOON, state(NOON, 5, sync=5, distill=31, scan=9), ["sync", "distill", "scan"]),
        # Never run.
        (NOON, {}, ["sync", "distill"]),
        (NOON, {COUNT: 2}, ["sync", "distill", "scan"]),
        # A clock that was set back: a time ahead is a wrong one, but for some minutes.
        (NOON, state(NOON, 2, sync=-9, distill=-9, scan=-9), ["sync", "distill", "scan"]),
        (NOON, state(NOON, 2, sync=-0.1, distill=-0.1, scan=-0.1), []),
        # What is no time, or no number.
        (NOON, {SYNC: 12, DISTILL: "yesterday", COUNT: "2"}, ["sync", "distill"]),
        (NOON, {SYNC: None, DISTILL: ["x"], COUNT: -1}, ["sync", "distill"]),
        (NOON, {SYNC: "0001-01-01T00:00:00+14:00", DISTILL: "9999-12-31T23:59:59-12:00"}, ["sync", "distill"]),
        (NOON, state(NOON, sync=5, distill=1) | {COUNT: True}, ["sync"]),
        (NOON, {SYNC: "2026-03-10T11:00:00", DISTILL: "2026-03-10T11:00:00Z", COUNT: 2}, []),  # without a zone: UTC
    ],
)  # fmt: skip
def test_what_is_due(now: datetime, told: dict[str, Any], steps: list[str]) -> None:
    assert due(told, now, SETTINGS) == steps


def test_now_is_as_if_it_were_night() -> None:
    assert due(state(NOON, sync=1, distill=13), NOON, SETTINGS, night=True) == ["distill"]
    assert due(state(NOON, sync=1, distill=11), NOON, SETTINGS, night=True) == []


def test_settings_move_the_limits() -> None:
    own = Settings({"heartbeat.sync_hours": 1.0, "heartbeat.scan_every": 1, "heartbeat.scan_hours": 0.0})
    assert due(state(NOON, sync=1.5, distill=1, scan=0.5), NOON, own) == ["sync", "scan"]
    late = Settings({"heartbeat.night_from": 12, "heartbeat.night_to": 13, "heartbeat.distill_hours": 2.0})
    assert due(state(NOON, sync=1, distill=2.5), NOON, late) == ["distill"]


def test_a_night_without_its_hour_distils_by_age_and_one_with_two_distils_once() -> None:
    """Berlin: 02:00 is 03:00 on 29 March 2026, and comes twice on 25 October."""
    berlin = ZoneInfo("Europe/Berlin")

    def distilled(first: datetime, hours: int) -> list[str]:
        told = state(first, sync=0, distill=0)
        found = []
        for quarter in range(1, hours * 4):
            now = (first + timedelta(minutes=15 * quarter)).astimezone(berlin)
            told[SYNC] = now.isoformat()
            if due(told, now, SETTINGS):
                told[DISTILL] = now.isoformat()
                found.append(f"{now:%d %H:%M %z}")
        return found

    spring = datetime(2026, 3, 28, 2, 15, tzinfo=berlin).astimezone(UTC)
    assert distilled(spring, 49) == ["29 09:30 +0200", "30 02:00 +0200"]
    autumn = datetime(2026, 10, 24, 2, 15, tzinfo=berlin).astimezone(UTC)
    assert distilled(autumn, 49) == ["25 02:00 +0200", "26 02:00 +0100"]


# --- the state file --------------------------------------------------------------------------------------


def test_the_first_heartbeat_writes_the_state_and_the_next_has_nothing_to_do(root: Path, run: Run) -> None:
    first = run("heartbeat", vault=root, MEMDIR_NOW=CLOCK)
    assert first.code == 0, first.err
    assert [line.split(":")[0] for line in first.out.splitlines()] == ["sync", "distill"]
    assert held(root) == {SYNC: CLOCK, COUNT: 1, DISTILL: CLOCK}
    again = run("heartbeat", vault=root, MEMDIR_NOW="2026-03-10T13:00:00+00:00")
    assert (again.code, again.out) == (0, "nothing is due\n")
    later = run("heartbeat", "--json", vault=root, MEMDIR_NOW="2026-03-10T16:30:00+00:00").json
    assert list(later["done"]) == ["sync"]
    assert later["state"][COUNT] == held(root)[COUNT] == 2


def test_keys_of_others_stay_in_their_order(root: Path, run: Run) -> None:
    foreign = {"lastChecks": {"邮件": 1703275200, "weather": None}, SYNC: CLOCK, "note": "ü"}
    (root / STATE).write_text(json.dumps(foreign), "utf-8")
    assert run("heartbeat", vault=root, MEMDIR_NOW="2026-03-11T12:00:00+00:00").code == 0
    assert list(held(root)) == ["lastChecks", SYNC, "note", COUNT, DISTILL]
    assert held(root)["lastChecks"] == foreign["lastChecks"]


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[1, 2]", b"null", b"\xff\xfe{}", b'{"lastMemorySync": "2026', b"[" * 100_000],
    ids=["empty", "cut", "list", "null", "no text", "torn", "deep"],
)
def test_a_damaged_state_is_made_anew_from_the_ledger(root: Path, run: Run, data: bytes) -> None:
    run("heartbeat", vault=root, MEMDIR_NOW=CLOCK)
    (root / STATE).write_bytes(data)
    later = run("heartbeat", "--json", vault=root, MEMDIR_NOW="2026-03-10T13:00:00+00:00").json
    assert (later["done"], later["failed"]) == ({}, {})
    assert later["notices"] == [f"{STATE} could not be read; made anew from the ledger"]
    assert later["state"][COUNT] == 1
    assert datetime.fromisoformat(later["state"][DISTILL]) == datetime.fromisoformat(CLOCK)
    assert run("heartbeat", "--now", vault=root, MEMDIR_NOW="2026-03-11T13:00:00+00:00").code == 0
    assert held(root)[COUNT] == 2


def test_a_missing_state_and_one_of_others_only_come_from_the_ledger(root: Path, run: Run) -> None:
    run("heartbeat", vault=root, MEMDIR_NOW=CLOCK)
    (root / STATE).unlink()
    assert run("heartbeat", vault=root, MEMDIR_NOW="2026-03-10T13:00:00+00:00").out == "nothing is due\n"
    (root / STATE).write_text('{"lastChecks": {}}', "utf-8")
    later = run("heartbeat", "--json", vault=root, MEMDIR_NOW="2026-03-10T13:00:00+00:00").json
    assert later["done"] == {}
    assert list(later["state"]) == ["lastChecks", SYNC, COUNT, DISTILL]


def test_what_somebody_saves_while_it_works_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / STATE).write_text('{"a": 1}', "utf-8")
    monkeypatch.setitem(heartbeat._STEPS, "sync", lambda *_: str((root / STATE).write_text('{"a": 2, "b": 3}')))
    with Memory(root, now=lambda: NOON) as memory:
        beat = memory.heartbeat()
    assert (beat.failed, beat.notices) == ({}, [])
    assert held(root) == {"a": 2, "b": 3, SYNC: NOON.isoformat(), COUNT: 1, DISTILL: NOON.isoformat()}


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_state_that_may_not_be_written_is_said_and_the_steps_are_done(root: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text("{}")
    (root / STATE).symlink_to(tmp_path / "elsewhere.json")
    done = run("heartbeat", "--json", vault=root).json
    assert list(done["done"]) == ["sync", "distill"]
    assert done["notices"]
    assert (tmp_path / "elsewhere.json").read_text() == "{}"


# --- steps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [NotFound("gone"), OSError("the disk is full")])
def test_a_failing_step_does_not_stop_the_others(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> str:
        raise error

    monkeypatch.setitem(heartbeat._STEPS, "distill", fail)
    done = run("heartbeat", "--force", "--json", vault=root, MEMDIR_NOW=CLOCK)
    assert done.code == 1
    assert list(done.json["done"]) == ["sync", "scan"]
    assert done.json["failed"] == {"distill": str(error)}
    assert list(held(root)) == [SYNC, COUNT, SCAN]  # so that it is tried again
    assert "distill failed" in run("heartbeat", vault=root, MEMDIR_NOW=CLOCK).err


def test_force_does_all_of_it_and_a_dry_run_nothing(root: Path, run: Run, tree: Tree) -> None:
    run("heartbeat", vault=root, MEMDIR_NOW=CLOCK)
    before = tree(root)
    dry = run("heartbeat", "--force", "--dry-run", "--json", vault=root, MEMDIR_NOW=CLOCK).json
    assert dry["done"] == {"sync": "due", "distill": "due", "scan": "due"}
    assert run("heartbeat", "--dry-run", vault=root, MEMDIR_NOW=CLOCK).out == "nothing is due\n"
    assert tree(root) == before
    done = run("heartbeat", "--force", vault=root, MEMDIR_NOW=CLOCK)
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["sync", "distill", "scan"]
    assert "scan: no workspace set (scan.workspaces)\n" in done.out
    assert verbs(root) == ["sync", "distill", "sync", "distill"]


def test_now_distils_by_day_and_quiet_is_quiet(root: Path, run: Run) -> None:
    run("heartbeat", vault=root, MEMDIR_NOW=CLOCK)
    evening = "2026-03-11T09:00:00+00:00"
    assert run("heartbeat", vault=root, MEMDIR_NOW=evening).out.startswith("sync: ")
    assert run("heartbeat", "--quiet", vault=root, MEMDIR_NOW=evening) == driver.Result(0, "", "")
    assert run("heartbeat", "--quiet", "--now", vault=root, MEMDIR_NOW=evening).out.startswith("distill: 0 entries")


def test_it_learns_what_the_log_says_and_scans_with_the_third_sync(root: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "atlas").mkdir()
    (tmp_path / "atlas/README.md").write_text("# Tours\n\nPlans tours of the harbour for people who come by train.\n")
    work = {"MEMDIR_SCAN_WORKSPACES": os.fspath(tmp_path / "atlas")}
    said = [
        run("heartbeat", vault=root, MEMDIR_NOW=f"2026-03-10T{hour:02}:00:00+00:00", **work).out for hour in (1, 6, 11)
    ]
    assert ["scan: " in out for out in said] == [False, False, True]
    assert "scan: 1 workspace, 1 proposed (run " in said[2]
    assert [path.name for path in (root / "memory/inbox").iterdir()] == ["atlas-tours.md"]


def test_a_workspace_that_is_gone_is_a_failure_and_one_of_two_a_notice(root: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "atlas").mkdir()
    gone = run("heartbeat", "--force", vault=root, MEMDIR_SCAN_WORKSPACES=os.fspath(tmp_path / "gone"))
    assert gone.code == 1
    assert "scan failed: " in gone.err
    both = f"{tmp_path / 'gone'},{tmp_path / 'atlas'}"
    half = run("heartbeat", "--force", vault=root, MEMDIR_SCAN_WORKSPACES=both)
    assert half.code == 0
    assert "scan: 2 workspaces, 0 proposed" in half.out
    assert f"{tmp_path / 'gone'}: " in half.err


# --- beside others ---------------------------------------------------------------------------------------


def test_a_heartbeat_beside_another_leaves(root: Path, run: Run, tree: Tree) -> None:
    with Memory(root) as memory:
        place = memory.vault.place
    before = tree(root)
    with generation.lock(place / "heartbeat", 0.0):
        done = run("heartbeat", "--force", vault=root)
    assert done.code == 0
    assert "another heartbeat is at work" in done.err
    assert tree(root) == before


def test_two_heartbeats_at_once_do_everything_once(root: Path, run: Run, tmp_path: Path) -> None:
    for number in range(5):
        said = run("log", f"Work {number}", "--line", f"We decided to use crane {number} for the harbour.", vault=root)
        assert said.code == 0, said.err
    (tmp_path / "atlas").mkdir()
    (tmp_path / "atlas/README.md").write_text("# Tours\n\nPlans tours of the harbour for people who come by train.\n")
    (root / STATE).write_text(json.dumps({COUNT: 2}))
    env = driver.environment({"MEMDIR_SCAN_WORKSPACES": os.fspath(tmp_path / "atlas")})
    line = [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "heartbeat", "--json"]
    both = [subprocess.Popen(line, env=env, stdout=subprocess.PIPE) for _ in range(2)]
    told = [json.loads(one.communicate(timeout=60)[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sorted(len(one["done"]) for one in told) == [0, 3]
    assert sorted(verbs(root)) == ["distill", "scan", "sync"]
    assert len(list((root / "memory/inbox").iterdir())) == 1
    assert sum("distill" in one["done"] and one["done"]["distill"].startswith("5 entries, 5 ") for one in told) == 1
    assert held(root)[COUNT] == 3


def test_a_heartbeat_with_nothing_due_loads_nothing_that_learns(root: Path, run: Run) -> None:
    run("heartbeat", vault=root)
    code = (
        "import sys; from memdir.interfaces.cli import main; main.run(['heartbeat', '--quiet']);"
        "print([n for n in sys.modules if n.startswith(('memdir.learn', 'memdir.llm')) or n in ('yaml', 'openai',"
        " 'whoosh', 'numpy', 'memdir.app.keeping.scanning', 'memdir.app.keeping.distilling', 'memdir.app.writing')])"
    )
    env = driver.environment({"MEMDIR_VAULT": os.fspath(root)})
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, encoding="utf-8", timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.fixture
def adopted(tmp_path: Path, run: Run) -> Path:
    place = tmp_path / "notes"
    place.mkdir()
    (place / "a.md").write_text("# A\n")
    run("init", place, "--adopt")
    return place


def test_an_adopted_folder_gets_nothing_and_keeps_its_state_aside(adopted: Path, run: Run) -> None:
    assert run("heartbeat", "--force", vault=adopted, MEMDIR_NOW=CLOCK).code == 0
    assert run("heartbeat", vault=adopted, MEMDIR_NOW=CLOCK).out == "nothing is due\n"
    aside = adopted / ".memdir/heartbeat-state.json"
    assert json.loads(aside.read_text("utf-8"))[DISTILL] == CLOCK
    aside.write_text("{")
    assert "made anew" in run("heartbeat", vault=adopted, MEMDIR_NOW=CLOCK).err
    shutil.rmtree(adopted / ".memdir")
    assert [path.relative_to(adopted).as_posix() for path in adopted.rglob("*")] == ["a.md"]


def test_an_adopted_workspace_that_has_a_state_keeps_it_where_it_is(adopted: Path, run: Run) -> None:
    (adopted / "memory").mkdir()
    (adopted / STATE).write_text('{"lastChecks": {"email": 1703275200}}')
    assert run("heartbeat", vault=adopted, MEMDIR_NOW=CLOCK).code == 0
    assert list(held(adopted)) == ["lastChecks", SYNC, COUNT, DISTILL]
    assert not (adopted / ".memdir/heartbeat-state.json").exists()


def test_an_adopted_folder_is_distilled_when_it_is_asked_for(adopted: Path, run: Run, tree: Tree) -> None:
    for path, text in {
        "memory/inbox/task.md": "---\nstatus: accepted\norigin: a call\n---\n# Task\n",
        "2026-03-09.md": "# Day\n\n- I prefer tea over coffee in the morning.\n",
        "Preferences.md": "# Preferences\n",
    }.items():
        (adopted / path).parent.mkdir(parents=True, exist_ok=True)
        (adopted / path).write_text(text)

    def notes() -> dict[str, str]:
        return {path: mark for path, mark in tree(adopted).items() if not path.startswith(".memdir")}

    before = notes()
    done = run("heartbeat", "--now", vault=adopted, MEMDIR_NOW=CLOCK)
    assert "distill: adopted: run `memdir distill` when you want it\n" in done.out
    assert run("heartbeat", "--now", "--dry-run", vault=adopted, MEMDIR_NOW="2026-03-12T12:00:00Z").code == 0
    assert notes() == before
    assert run("heartbeat", "--force", vault=adopted, MEMDIR_NOW=CLOCK).code == 0
    assert notes()["memory/inbox/task.md"] == before["memory/inbox/task.md"]
