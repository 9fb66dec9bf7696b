"""The rows of the proof at small counts, and that each of them can fail: a row that finds nothing shows nothing."""

import contextlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import driver
from memdir.app.exchange import snapshots
from memdir.app.memory import Memory
from memdir.evals.reliability import __main__ as command
from memdir.evals.reliability import (
    front,
    hostile,
    leaks,
    linear,
    people,
    power,
    processes,
    results,
    secret_lines,
    strikes,
    table,
    words,
    writers,
)
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.results import Result
from memdir.evals.reliability.strikes import Patches
from memdir.index import diff, sync
from memdir.recall import fenced
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


@pytest.fixture
def untimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows' limits of time, lifted: how much work it is is counted below."""
    for module, name in ((front, "SECONDS"), (leaks, "SECONDS"), (linear, "A_MEGABYTE"), (linear, "LEARNING")):
        monkeypatch.setattr(module, name, math.inf)
    monkeypatch.setattr(processes, "SOON", 60.0)
    monkeypatch.setattr(writers, "PACE", 10.0)


@pytest.mark.parametrize("row", SHORT)
@pytest.mark.usefixtures("untimed")
def test_the_row_holds(row: str, tmp_path: Path) -> None:
    place = tmp_path / "row"
    place.mkdir()
    found = table.ROWS[row].run(SHORT[row], SEED, place)
    assert found.faults == []
    assert found.tried >= 1


@pytest.mark.parametrize("reader", linear.READERS)
def test_a_reader_makes_no_more_calls_than_the_text_is_longer(reader: str) -> None:
    for unit in linear.UNITS:
        assert _linear(linear.READERS[reader], unit), unit


def test_a_reader_that_looks_at_each_sign_for_each_is_seen() -> None:
    assert not _linear(lambda said: [[ord(sign) for sign in said] for _ in said], "a")


def _linear(reader: Callable[[str], object], unit: str) -> bool:
    """Whether eight times the text is not much more than eight times the calls."""
    short, long = (unit * (size // len(unit.encode())) for size in (256, 2_048))
    _calls(reader, short)  # what is compiled or loaded at first
    return _calls(reader, long) < 9 * _calls(reader, short) + 2_048


def _calls(reader: Callable[[str], object], said: str) -> int:
    def read() -> None:
        with contextlib.suppress(Exception):  # what a reader refuses it has read
            reader(said)

    return driver.calls(read)


@pytest.mark.parametrize("name", hostile.BOMBS)
def test_a_bomb_is_read_in_few_calls(name: str) -> None:
    assert _calls(fields.read, f"---\n{hostile.BOMBS[name]}\n---\n# Body\n") < 12_000


def _nothing(*_args: object, **_named: object) -> None:
    """A call that does not do what it should."""


def _raises(*_args: object, **_named: object) -> None:
    raise ValueError("broken")


def _as_read(text: str, key: str, value: fields.Value) -> str:
    return text.replace("\r\n", "\n") + "\n"


def _blind(self: files.Root, rel: str, data: bytes, *, base: str | None, shrink_ok: bool = False) -> files.Written:
    (self.path / rel).write_bytes(data)
    return files.Written(rel, files.digest(data))


def _forgetful(*args: Any, plan: Callable[..., diff.Diff] = diff.plan) -> diff.Diff:
    made = plan(*args)
    made.removed = []
    return made


def _half(self: files.Root, rel: str, data: bytes, append: Callable[..., Any] = files.Root.append, **how: Any) -> Any:
    return append(self, rel, data[:-2] + b"\n", **how)


def _accepting(vault: sync.Vault, options: sync.Options, real: Callable[..., Any] = sync.sync) -> Any:
    return real(vault, replace(options, accept_removals=True))


def _for_all(folder: Any, name: str, flags: int, _mode: int = 0, real: Callable[..., int] = sys_calls.open) -> int:
    return real(folder, name, flags, 0o666)


def _other(kept: Path, to: Path, over: bool, restore: Callable[..., Any] = snapshots.restore) -> None:
    restore(kept, to, over)
    (to / "memory/new.md").write_bytes(b"new\n")


# Row, what is broken in memdir, and what stands in its place.
BROKEN: list[tuple[str, object, str, Callable[..., object]]] = [
    ("R3", sys_calls, "fsync", _nothing),
    ("R4", files.Root, "append", _half),
    ("R5", files.Root, "write", _blind),
    ("R7", merge, "merge", lambda base, ours, theirs: ours),
    ("R7", diff, "plan", _forgetful),
    ("R8", fields, "set_value", _as_read),
    ("R16", sync, "sync", _accepting),
    ("R17", snapshots, "restore", _other),
    ("S1", Memory, "read", _raises),
    ("S2", fields, "read", _raises),
    ("S4", Memory, "bring", _raises),
    ("S6", fenced, "fence", lambda text, *_, **__: text),
    ("S7", secrets, "find", lambda text: []),
    ("S8", sys_calls, "open", _for_all),
]


@pytest.mark.parametrize(("row", "target", "name", "broken"), BROKEN, ids=[f"{one[0]} {one[2]}" for one in BROKEN])
def test_the_row_can_fail(
    row: str, target: object, name: str, broken: Callable[..., object], tmp_path: Path, untimed: None
) -> None:
    place = tmp_path / "row"
    place.mkdir()
    with Patches() as patches:
        patches.setattr(target, name, broken)
        if row == "R3":
            patches.setattr(power.Disk, "_fsync", _nothing)
        found = table.ROWS[row].run(min(SHORT[row], 40), SEED, place)
    assert found.faults


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
    assert one.state == "holds, 10 % of the full count"
    one.take(Outcome(100, ["a fault"]))
    assert one.state == "1 faults"


@pytest.mark.parametrize(("tried", "said"), [(5, "0.05 %"), (50, "0.5 %"), (999, "9 %"), (9_999, "99 %")])
def test_a_part_is_never_none_and_never_all(tried: int, said: str) -> None:
    one = Result("R1", "kill -9", "shows", "points", 10_000, 1, "2026-11-30", 1.0, 1.0, tried)
    assert one.state == f"holds, {said} of the full count"


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
def test_a_scale_that_is_no_part_is_refused(scale: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--rows", "R7", "--scale", scale])
    assert f"--scale {scale} is no part" in capsys.readouterr().err


def test_a_result_of_fewer_is_not_written_unless_it_is_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def held(*more: str) -> int:
        assert command.main(["--rows", "R7", "--write", str(tmp_path), *more]) == 0
        return results.read(tmp_path)["R7"].tried

    assert held("--scale", "0.002") == 40
    assert held("--scale", "0.001") == 40
    assert "R7, plans of what changed: not written, 20 triples where 40 are kept" in capsys.readouterr().err
    assert held("--scale", "0.001", "--force") == 20
    assert held("--scale", "0.002") == 40
    assert capsys.readouterr().err == ""


def test_the_figures_and_both_times_are_told() -> None:
    one = Result("R1", "kill -9", "shows", "kill points", 1_000, 1, "2026-11-30", 106.0, 411.7)
    one.take(Outcome(1_000, [], {"points there are": 4_523, "verbs": 15}))
    first, second = results.told([one])
    assert "412 s, 106 s of CPU" in first
    assert second.strip() == "1,000 of 4,523 points, drawn by seed; verbs: 15"
    assert f"Figures: {second.strip()}." in "\n".join(results.page([one], []))


def test_texts_of_kept_results_are_renewed_and_nothing_else(tmp_path: Path) -> None:
    old = [Result(row, "old", "old", "units", 9, 1, "2026-11-30", 1.0, 2.0, 9, ["a fault"]) for row in ("R7", "R8")]
    results.write(tmp_path, old, ["R7", "R8"])
    assert command.main(["--renew", str(tmp_path), "--rows", "R7,R9"]) == 0
    line = table.ROWS["R7"]
    assert results.read(tmp_path) == {"R7": replace(old[0], title=line.title, shows=line.shows), "R8": old[1]}


def test_the_words_are_of_rows_that_there_are() -> None:
    assert words.TRIES.keys() == table.ROWS.keys()
    for row, one in results.read(REFERENCES).items():
        assert words.FIGURES.get(row, {}).keys() <= one.figures.keys(), row
    assert f"{len(leaks.WAYS)} ways" in words.FIGURES["S7"]["lines through every way in"]


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
