"""The ledger as it is read: what was asked for before is read on, and is what a new reader finds."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.vault import ledger
from memdir.vault.disk import state
from memdir.vault.files import Root

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAME = "2026-11.here.jsonl"
OPS = ("used", "gate")


def _book(place: Path, device: str = "here") -> ledger.Ledger:
    return ledger.Ledger(Root(place), True, device)


def _append(place: Path, data: bytes) -> None:
    with (place / ledger.FOLDER / NAME).open("ab") as file:
        file.write(data)


_STEPS = st.lists(
    st.sampled_from(["used", "gate", "other", "clock", "torn", "ended", "foreign", "device", "forget", "in place"]),
    max_size=12,
)


@settings(max_examples=60)
@given(steps=_STEPS)
def test_reading_on_finds_what_a_new_reader_finds(steps: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("vault")
    held, other, now = _book(place), _book(place, "there"), NOON
    held.append([ledger.Event("used", path="first")], now)
    for number, step in enumerate(steps):
        event = ledger.Event(step, path=f"{number} used")
        said = event.line("2026-11-30T10:00:00Z").replace(step.encode(), b"gate")
        if step in ("used", "gate", "other"):
            held.append([event], now)
        elif step == "clock":
            now -= timedelta(hours=3)
        elif step == "torn":
            _append(place, said[: len(said) // 2])
        elif step == "ended":
            _append(place, said[:-1])
        elif step == "foreign":
            _append(place, b"no line of ours\n")
        elif step == "device":
            other.append([ledger.Event("used", path=f"{number}")], now)
        elif step == "forget":
            held.rewrite(NAME, b"".join((place / ledger.FOLDER / NAME).read_bytes().splitlines(keepends=True)[1:]))
        else:
            file = place / ledger.FOLDER / NAME
            file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))
        assert list(held.of(*OPS)) == list(_book(place).of(*OPS)), step
    held.root.close()
    other.root.close()


def test_what_was_read_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = _book(tmp_path)
    held.append([ledger.Event("used", path=f"{number}") for number in range(2_000)], NOON)
    first, read = held.of(*OPS), []
    real = os.read
    monkeypatch.setattr(state.os, "read", lambda fd, size: read.append(data := real(fd, size)) or data)
    assert held.of(*OPS) is first, "nothing was added"
    held.append([ledger.Event("gate", path="late")], NOON)
    assert [event.path for event in held.of(*OPS)[-2:]] == ["1999", "late"]
    assert sum(map(len, read)) < 1_500, "of 150 KB, the end that is compared and what came"


def test_each_question_is_answered_of_its_own_ops(tmp_path: Path) -> None:
    held = _book(tmp_path)
    for op in ("used", "gate", "moved", "used"):
        held.append([ledger.Event(op)], NOON)
    assert [event.op for event in held.of("used")] == ["used", "used"]
    assert [event.op for event in held.of("moved", "gate")] == ["gate", "moved"]
    held.append([ledger.Event("moved")], NOON)
    assert [event.op for event in held.of("moved", "gate")] == ["gate", "moved", "moved"]
    assert json.loads((tmp_path / ledger.FOLDER / NAME).read_bytes().splitlines()[-1])["op"] == "moved"


def test_what_is_done_after_the_clock_was_set_back_over_a_month_stands_behind_what_was_done_before(
    tmp_path: Path,
) -> None:
    held, now = _book(tmp_path), datetime(2026, 12, 1, 0, 0, 20, tzinfo=UTC)
    held.append([ledger.Event("used", path="before")], NOON)
    held.append([ledger.Event("used", path="first")], now)
    held.append([ledger.Event("used", path="second")], now - timedelta(seconds=40))
    held.append([ledger.Event("used", path="third")], now + timedelta(seconds=40))
    _book(tmp_path, "there").append([ledger.Event("used", path="elsewhere")], NOON)
    told = [event.path for event in held.events()]
    assert sorted(told[:2]) == ["before", "elsewhere"]
    assert told[2:] == ["first", "second", "third"]
    assert [event.path for event in held.own_events()] == ["before", "first", "second", "third"]
