"""The rows of the proof at small counts, and that each of them can fail: a row that finds nothing shows nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.evals.reliability import __main__ as command
from memdir.evals.reliability import (
    front,
    leaks,
    people,
    power,
    results,
    secret_lines,
    strikes,
    table,
    writers,
)
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.results import Result
from memdir.evals.reliability.strikes import Patches
from memdir.index import diff
from memdir.vault import fields, files, merge, secrets
from memdir.vault.disk.syscalls import sys_calls

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the rows fork and kill")
# Row → how many of its units a test runs: together under a minute of CPU.
SHORT = {
    "R1": 100, "R2": 3, "R3": 6, "R4": 60, "R5": 80, "R6": 3, "R7": 1_000, "R8": 1_000, "R9": 30, "R10": 16, "R11": 2,
    "R12": 10, "R13": 6, "R14": 200, "R16": 3, "R17": 3, "S1": 8, "S2": 60, "S3": 4, "S4": 9, "S6": 25, "S7": 40,
    "S8": 2, "S9": 10,
}  # fmt: skip
SEED = 7
REFERENCES = Path(__file__).parents[2] / "references"


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", os.fspath(tmp_path / kind.lower()))


def test_every_row_has_a_short_form() -> None:
    assert SHORT.keys() == table.ROWS.keys()
    assert all(line.shows and line.full >= SHORT[row] for row, line in table.ROWS.items())


@pytest.mark.parametrize("row", SHORT)
def test_the_row_holds(row: str, tmp_path: Path) -> None:
    place = tmp_path / "row"
    place.mkdir()
    found = table.ROWS[row].run(SHORT[row], SEED, place)
    assert found.faults == []
    assert found.tried >= 1


def _nothing(*_args: object, **_named: object) -> None:
    """A call that does not do what it should."""


def _as_read(text: str, key: str, value: fields.Value) -> str:
    return text.replace("\r\n", "\n") + "\n"


def _blind(self: files.Root, rel: str, data: bytes, *, base: str | None, shrink_ok: bool = False) -> files.Written:
    (self.path / rel).write_bytes(data)
    return files.Written(rel, files.digest(data))


BROKEN: dict[str, tuple[object, str, Callable[..., object]]] = {
    "R3": (sys_calls, "fsync", _nothing),
    "R5": (files.Root, "write", _blind),
    "R7": (merge, "merge", lambda base, ours, theirs: ours),
    "R8": (fields, "set_value", _as_read),
    "S7": (secrets, "find", lambda text: []),
}


@pytest.mark.parametrize("row", BROKEN)
def test_the_row_can_fail(row: str, tmp_path: Path) -> None:
    place = tmp_path / "row"
    place.mkdir()
    target, name, broken = BROKEN[row]
    with Patches() as patches:
        patches.setattr(target, name, broken)
        if row == "R3":
            patches.setattr(power.Disk, "_fsync", lambda self, real: real)
        found = table.ROWS[row].run(min(SHORT[row], 40), SEED, place)
    assert found.faults


def test_a_plan_that_forgets_a_removal_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = diff.plan

    def forgetful(*args: object, **named: object) -> diff.Diff:
        made = real(*args, **named)  # type: ignore[arg-type]
        made.removed = []
        return made

    monkeypatch.setattr(diff, "plan", forgetful)
    assert people.plans(100, SEED, tmp_path).faults


def test_a_bomb_that_raises_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(text: str) -> fields.Fields:
        raise ValueError(text[:9])

    monkeypatch.setattr(fields, "read", raises)
    assert len(front.bombs(3, SEED, tmp_path).faults) == 3


def test_a_kill_that_is_none_is_told(tmp_path: Path) -> None:
    steps = strikes.steps(lambda: files.Root(tmp_path, settle=0).write("a.md", b"text\n", base=None))
    assert steps > 20
    assert strikes.killed(lambda: files.Root(tmp_path, settle=0).write("b.md", b"text\n", base=None), 5)
    assert not strikes.killed(lambda: files.Root(tmp_path, settle=0).write("c.md", b"text\n", base=None), 999)
    assert (tmp_path / "c.md").read_bytes() == b"text\n"


def test_what_was_patched_is_back(tmp_path: Path) -> None:
    before = os.fsync, sys_calls.fsync
    with Patches() as patches:
        patches.setattr(os, "fsync", _nothing)
        patches.setattr(sys_calls, "fsync", _nothing)
    assert (os.fsync, sys_calls.fsync) == before
    assert "fsync" not in vars(sys_calls)


@pytest.mark.parametrize("text", ["password: >-\n  Kq82jfn2x\n", "password |\n  Kq82jfn2x"])
def test_a_secret_below_its_key_is_found_in_a_title_too(tmp_path: Path, text: str) -> None:
    found = Outcome()
    leaks._through([secret_lines.Line(text, ("Kq82jfn2x",))], tmp_path, found)
    assert found.faults == []


# --- the command and its page ----------------------------------------------------------------------------


def test_the_command_runs_rows_and_keeps_what_they_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        asked = ["--rows", "R7,s2", "--scale", "0.002", "--seed", str(seed), "--json", "--write", str(tmp_path)]
        assert command.main(asked) == 0
    told = json.loads(capsys.readouterr().out.split("]\n[")[-1].join(["[", ""]))
    assert [(one["row"], one["seed"], one["faults"]) for one in told] == [("R7", 2, []), ("S2", 2, [])]
    held = results.read(tmp_path)
    assert {row: one.tried for row, one in held.items()} == {"R7": 40, "S2": 1}
    page = (tmp_path / results.PAGE).read_text("utf-8")
    assert "| R7 | plans of what changed | 40 triples of 20,000 | 0 | 2 |" in page
    assert " ".join((people.plans.__doc__ or "").split()) in page


def test_a_fault_is_an_exit_code_and_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def row(count: int, seed: int, place: Path) -> Outcome:
        """Shows a fault."""
        return Outcome(count, [f"seed {seed}: it is so"])

    monkeypatch.setitem(table.ROWS, "R7", table.Line("plans", 4, "plans", row))
    assert command.main(["--rows", "R7", "--write", str(tmp_path)]) == 1
    assert "1 faults" in capsys.readouterr().out
    assert "it is so" in (tmp_path / results.PAGE).read_text("utf-8")


def test_an_unknown_row_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--rows", "R99"])
    assert "no row R99" in capsys.readouterr().err
    assert command.main(["--list"]) == 0
    assert "R1 " in capsys.readouterr().out


def test_a_result_says_how_much_of_it_ran() -> None:
    one = Result("R1", "kill -9", "shows", "points", 100, 1, "2026-11-30", 1.0, 1.0)
    assert one.state == "not run"
    one.take(Outcome(10))
    assert one.state == "holds, 10% of the full count"
    one.take(Outcome(100, ["a fault"]))
    assert one.state == "1 faults"


def test_the_saves_of_a_person_are_told_when_they_are_hidden() -> None:
    assert writers._missing([b"H00000\nH00002\n", b"H00003"], 4) == [1]


def test_the_page_of_the_project_is_that_of_its_results(tmp_path: Path) -> None:
    for name in (results.KEPT, results.PEERS):
        (tmp_path / name).write_bytes((REFERENCES / name).read_bytes())
    results.render(tmp_path)
    page = (tmp_path / results.PAGE).read_text("utf-8")
    assert (REFERENCES / results.PAGE).read_text("utf-8") == page
    held = results.read(REFERENCES)
    assert held.keys() == table.ROWS.keys()
    assert {row: one.shows for row, one in held.items()} == {row: one.shows for row, one in table.ROWS.items()}
