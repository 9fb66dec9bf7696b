"""A simulated month, night by night, with rules only: what memory must have made of it, and what never.

One run of seed 1 for all tests (12 CPU s). Other seeds: `references/learning.md` has their figures.
"""

import datetime
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import driver
import months
from memdir.app.memory import Memory
from memdir.evals.month import month
from memdir.evals.month_values import Fact, Question
from memdir.index.filters import Filters
from memdir.recall import question as asking
from memdir.vault import facts, names, note

UNDONE = (0, 4, 9, 16, 27, 29)  # nights that are taken back on a copy


@dataclass
class Told:
    """The month as played, and what was seen on the way. `held`: values that a topic note gave for a key some night."""

    played: months.Played
    answers: dict[str, str] = field(default_factory=dict)  # question → the first quote
    held: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    undone: dict[int, list[str]] = field(default_factory=dict)  # night → files that did not come back


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, unpacked: Path) -> Iterator[Told]:
    place = tmp_path_factory.mktemp("month")
    models = place / "cache" / "memdir" / "models"
    models.mkdir(parents=True)
    os.link(unpacked, models / unpacked.name)
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in (("HOME", "home"), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config")):
            patch.setenv(name, os.fspath(place / folder))
        found: Told | None = None
        before: dict[str, str] = {}

        def night(player: months.Player, number: int) -> None:
            nonlocal found, before
            found = found or Told(player.played)
            _remember(found)
            if number in UNDONE:
                found.undone[number] = _taken_back(player, place / f"copy-{number}", before)

        player = months.Player(place / "vault", month(1))
        distill = player.memory.distill

        def watched(**how: object) -> object:
            before.clear()
            before.update(_truth(player.played.root))
            return distill(**how)  # type: ignore[arg-type]

        player.memory.distill = watched  # type: ignore[method-assign,assignment]
        player.play(night)
        assert found
        with Memory(player.played.root, now=lambda: player.now) as memory:
            for question in player.played.month.questions:
                answer = memory.recall(asking.Question(question.text, Filters(), 5))
                found.answers[question.text] = answer.evidence[0].quote if answer.evidence else ""
        yield found


def _remember(told: Told) -> None:
    for path, text in told.played.notes().items():
        for fact in note.parse(path, text.encode()).body.facts:
            if not fact.until:
                told.held.setdefault((_id(text) or path, names.fold(fact.key)), set()).add(fact.value)


def _id(text: str) -> str:
    return next((line for line in text.split("\n") if line.startswith("id: ")), "")


def _truth(root: Path) -> dict[str, str]:
    """Notes and MEMORY.md: what an undo gives back byte for byte."""
    quiet = (".memdir", "memory/logs/", "memory/ledger/", "memory/heartbeat-state.json")
    held = driver.tree(root).items()
    return {path: digest for path, digest in held if digest != "folder" and not path.startswith(quiet)}


def _taken_back(player: months.Player, copy: Path, before: dict[str, str]) -> list[str]:
    """Undo the last distillation on a copy of the vault; the files that are not what they were before it."""
    shutil.copytree(player.played.root, copy)
    with Memory(copy, now=lambda: player.now) as memory:
        run = [one for one in memory.runs() if one.verb == "distill"][-1]
        memory.undo(run.id)
    after = _truth(copy)
    shutil.rmtree(copy)
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _fact(told: Told, question: Question) -> Fact:
    return next(f for f in told.played.month.facts if (f.entity, f.key) == (question.entity, question.key))


def test_current_facts_are_recalled_first(told: Told) -> None:
    questions = told.played.month.questions
    missed = [(one.text, one.answer) for one in questions if one.answer not in told.answers[one.text]]
    assert len(missed) <= 0.05 * len(questions), f"{len(missed)} of {len(questions)}: {missed}"


def test_nearly_all_facts_stand_in_the_note_of_their_entity(told: Told) -> None:
    wanting = []
    for fact in told.played.month.facts:
        found = told.played.note_of(fact.entity)
        held = [one.value for one in facts.current(found[1].body, fact.key)] if found else []
        if not any(facts.same(fact.value, value) for value in held):
            wanting.append((fact.entity, fact.key, fact.value, held))
    assert len(wanting) <= 0.06 * len(told.played.month.facts), wanting


def test_whatever_was_current_is_current_or_in_the_history_with_dates(told: Told) -> None:
    """But for what a person changed or deleted by hand."""
    by_hand = {edit.old for day in told.played.month.days for edit in day.edits if edit.old}
    lost = []
    for path, text in told.played.notes().items():
        body = note.parse(path, text.encode()).body
        for (place, key), values in told.held.items():
            if place == (_id(text) or path):
                now = facts.current(body, key)
                past = [one for one in facts.past(body, key) if one.until]
                for value in values - by_hand:
                    if not any(facts.same(one.value, value) for one in (*now, *past)):
                        lost.append((path, key, value))
    assert not lost
    undated = [
        (path, one.key, one.value)
        for path, text in told.played.notes().items()
        for one in note.parse(path, text.encode()).body.facts
        if one.until and not one.until.startswith("2026-")
    ]
    assert not undated


def test_every_old_value_stands_in_the_history_with_its_days(told: Told) -> None:
    """Its last day always, its first day where a log said it."""
    asked = [(question, past) for question in told.played.month.questions for past in question.past]
    missed = []
    for question, past in asked:
        found = told.played.note_of(question.entity)
        held = facts.past(found[1].body, question.key) if found else []
        days = (past.since.isoformat() if past.since else None, past.until.isoformat())
        if not any(facts.same(one.value, past.value) and (one.since or None, one.until) == days for one in held):
            missed.append((question.entity, question.key, past, _fact(told, question).states[0].said))
    assert len(asked) >= 60
    assert not missed, f"{len(missed)} of {len(asked)}: {missed}"


def test_every_line_that_a_night_wrote_has_its_source(told: Told) -> None:
    """A value that a person wrote moves to the history as it stood, without one."""
    month = told.played.month
    by_hand = {value for one in month.notes for _, value in one.facts}
    by_hand |= {edit.text for day in month.days for edit in day.edits if edit.kind == "change value"}
    bare = [
        (path, line)
        for path, text in told.played.notes().items()
        for line in text.splitlines()
        if line.startswith(("- [preference]", "- [correction]", "- [decision]", "- [context]", "- [reference]"))
        or (line.startswith("- ") and "::" in line and "→" in line)
        if "[source:: [[2026-" not in line
    ]
    moved = re.compile(r"^- [^:]+:: (.+) \((?:[\d-]+ )?→ 2026-\d\d-\d\d\)$")
    assert not [(path, line) for path, line in bare if not ((old := moved.match(line)) and old[1] in by_hand)]
    assert bare


def test_nothing_hostile_or_secret_got_in(told: Told) -> None:
    played = told.played
    kept = "\n".join([*played.notes().values(), (played.root / "MEMORY.md").read_text("utf-8")])
    assert not [token for one in played.month.injections for token in one.tokens if token in kept]
    files = [path for path in played.root.rglob("*") if path.is_file()]
    everything = "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)
    assert not [value for one in played.month.secrets for value in one.values if value in everything]


def test_decoys_are_not_taken_for_facts(told: Told) -> None:
    taken = []
    for decoy in told.played.month.decoys:
        found = told.played.note_of(decoy.entity)
        now = facts.current(found[1].body, decoy.key) if found else []
        taken += [(decoy.text, one.value) for one in now if facts.same(one.value, decoy.value)]
    assert not taken


def test_preferences_corrections_decisions_and_systems_are_in_notes_of_their_type(told: Told) -> None:
    missed = []
    for planted in told.played.month.planted:
        texts = [names.fold(text) for path, text in told.played.notes().items() if f"/{planted.expected}/" in path]
        if not any(all(names.fold(word) in text for word in planted.words) for text in texts):
            missed.append((planted.kind, planted.text))
    assert len(missed) <= 0.05 * len(told.played.month.planted), missed


def test_no_human_edit_is_lost_and_nothing_deleted_comes_back(told: Told) -> None:
    assert not told.played.missed
    kept = "\n".join([*told.played.notes(), *told.played.notes().values()])
    edits = [edit for day in told.played.month.days for edit in day.edits]
    assert not [(e.kind, e.target) for e in edits if (e.kind == "delete line") == (e.token in kept)]
    crlf = [edit for edit in edits if edit.kind == "CRLF save"]
    for edit in crlf:
        found = told.played.note_of(edit.target)
        assert found
        data = (told.played.root / found[0]).read_bytes()
        assert b"\n" not in data.replace(b"\r\n", b"")


def test_memory_md_keeps_its_cap_every_day(told: Told) -> None:
    assert told.played.most_lines <= 200
    assert told.played.most_bytes <= 25_000


def test_a_night_is_taken_back_byte_for_byte(told: Told) -> None:
    assert told.undone == {night: [] for night in UNDONE}


def test_closed_loops_are_closed_and_open_ones_open(told: Told) -> None:
    with Memory(told.played.root) as memory:
        held = {(loop.text, loop.done) for loop in memory.loops(Filters(), everything=True)}
    wanted = {(loop.text, loop.closed is not None) for loop in told.played.month.loops}
    assert wanted <= held


def test_logs_only_grew(told: Told) -> None:
    """Every entry of the month stands in the log of its day, in order."""
    for day in told.played.month.days:
        log = next(told.played.root.glob(f"memory/logs/*/*/{day.day}.md")).read_text("utf-8")
        at = 0
        for entry in day.entries:
            at = log.index(f"## {entry.at.astimezone(_zone(told)):%H:%M}", at) + 1


def _zone(told: Told) -> datetime.tzinfo:
    return months.ZoneInfo(told.played.month.zone)
