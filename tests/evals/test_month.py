"""The made-up month: what it promises of counts, of values that answer one question only, and of order."""

import json
import re
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import driver
from memdir.evals import month as months
from memdir.evals import month_life, month_traps, month_words
from memdir.evals.month_values import Entry, Fact, Mark, Month

EVALS = Path(months.__file__).parent
CJK = re.compile("[\u3400-\u9fff]")
SEEDS = range(1, 7)


@pytest.fixture(scope="module", params=SEEDS)
def made(request: pytest.FixtureRequest) -> Month:
    return months.month(request.param)


def _entry(made: Month, mark: Mark) -> Entry:
    (day,) = (one for one in made.days if one.day == mark.day)
    return day.entries[mark.entry]


def _log(made: Month) -> str:
    return "\n".join(entry.text for day in made.days for entry in day.entries)


def _every_value(fact: Fact) -> set[str]:
    return {state.value for state in fact.states}


def test_the_counts_are_as_promised(made: Month) -> None:
    assert len(made.days) == 30
    sizes = [len(day.entries) for day in made.days]
    assert min(sizes) >= 8, sizes
    assert max(sizes) <= 13, sizes
    assert 10 <= sum(sizes) / 30 <= 12, sizes
    assert (len(made.facts), len(made.questions), len(made.notes)) == (120, 120, 10)
    assert Counter(fact.wording for fact in made.facts) == {"grammar": 40, "prose": 40, "title": 40}
    kinds = Counter(fact.kind for fact in made.facts)
    assert kinds == {"changed": 40, "contradicted": 15, "overtaken": 8, "stable": 57}
    assert Counter(len(fact.states) for fact in made.facts if fact.kind == "changed") == {2: 30, 3: 10}
    assert sum(state.how == "restated" for fact in made.facts for state in fact.states) == 10
    assert len({fact.entity for fact in made.facts}) == 25
    assert Counter(one.expected for one in made.planted) == {"user": 10, "feedback": 10, "project": 15, "ref": 8}
    assert (len(made.loops), sum(one.closed is not None for one in made.loops)) == (60, 40)
    assert (len(made.decoys), len(made.injections), len(made.secrets)) == (45, 20, 12)
    edits = Counter(edit.kind for day in made.days for edit in day.edits)
    assert edits == {
        "append": 5, "change value": 4, "reword": 3, "retitle": 2, "delete line": 3, "new note": 3, "rename file": 2,
        "front matter by hand": 2, "CRLF save": 1,
    }  # fmt: skip
    assert sum(bool(note.aliases) for note in made.notes) == 5


def test_two_languages_share_the_month(made: Month) -> None:
    entries = [entry for day in made.days for entry in day.entries]
    share = sum(bool(CJK.search(entry.text)) for entry in entries) / len(entries)
    assert 0.3 < share < 0.55, share
    assert 0.3 < sum(fact.language == "zh" for fact in made.facts) / len(made.facts) < 0.5


def test_every_wording_has_eight_phrasings_in_each_language() -> None:
    said = [month_words.SAY, month_words.CHANGE, month_words.TITLE, month_words.TITLE_CHANGE]
    said += [month_words.WAS, month_words.GRAMMAR_TITLES, month_life.DONE]
    for table in said:
        assert all(len(set(table[language])) >= 8 for language in ("en", "zh")), table
    for decoys in month_traps.DECOYS.values():
        assert all(len(set(phrases)) >= 8 for phrases in decoys.values())


def test_the_same_seed_gives_the_same_month_and_another_gives_another() -> None:
    texts = [months.month(seed).as_json() for seed in (3, 3, 4)]
    assert texts[0] == texts[1] != texts[2]
    held = json.loads(texts[0])
    assert held["days"][0]["day"] == "2026-03-02"
    assert held["days"][0]["entries"][0]["at"].startswith("2026-03-02T")


def test_a_process_with_other_hashes_gives_the_same_month(tmp_path: Path) -> None:
    texts = [
        subprocess.run(
            [sys.executable, "-m", "memdir.evals.month", "--seed", "2", "--days", "12"],
            env=driver.environment({"PYTHONHASHSEED": number, "PYTHONUTF8": "1"}),
            capture_output=True,
            check=True,
            cwd=tmp_path,
        ).stdout
        for number in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert texts[0].decode().rstrip("\n") == months.month(2, 12).as_json()


def test_what_is_planted_stands_in_its_entry(made: Month) -> None:
    for fact in made.facts:
        assert (fact.day, fact.entry) != (date.min, -1)
        for state in fact.states:
            if state.how == "note":
                (note,) = (one for one in made.notes if one.title == fact.entity)
                assert f"- {fact.key}:: {state.value}" in note.body.split("\n")
                continue
            text = _entry(made, state).text
            assert state.value in text
            assert state.said in text
            if state.wording == "grammar":
                assert f"- entity:: [[{fact.entity}]]" in _entry(made, state).lines
            elif state.wording == "title":
                assert state.said == _entry(made, state).title
    for one in made.planted:
        assert all(word in one.text for word in one.words)
        assert one.text in _entry(made, one).text
    for loop in made.loops:
        assert f"- [ ] {loop.text}" in _entry(made, loop).lines
    for decoy in made.decoys:
        assert decoy.value in decoy.text
        assert decoy.text in _entry(made, decoy).text


def test_values_answer_one_question_only(made: Month) -> None:
    owners: dict[str, Fact] = {}
    for fact in made.facts:
        assert fact.value == fact.states[-1].value
        for value in _every_value(fact):
            assert value not in owners
            owners[value] = fact
    for value, owner in owners.items():
        holding = [other for other in owners if value in other and owners[other] is not owner]
        assert not holding, (value, holding)
    every = {value: {(one.day, one.entry) for one in fact.states} for value, fact in owners.items()}
    for day in made.days:
        for index, entry in enumerate(day.entries):
            for value, places in every.items():
                assert value not in entry.text or (day.day, index) in places, (value, entry)


def test_no_decoy_is_a_value(made: Month) -> None:
    values = {value for fact in made.facts for value in _every_value(fact)}
    for decoy in made.decoys:
        assert not any(decoy.value in value or value in decoy.value for value in values)


def test_statements_of_a_fact_stand_on_different_days_in_order(made: Month) -> None:
    for fact in made.facts:
        days = [state.day for state in fact.states if state.how != "note"]
        assert days == sorted(set(days))
    for fact in (one for one in made.facts if one.kind == "contradicted"):
        assert [state.how for state in fact.states] == ["first", "contradicted"]
        assert fact.states[0].value not in fact.states[1].said


def test_questions_say_what_held_and_when(made: Month) -> None:
    for fact, question in zip(made.facts, made.questions, strict=True):
        assert question.answer == fact.value
        assert fact.entity in question.text
        assert question.answer not in question.text
        assert bool(CJK.search(question.text)) >= (fact.language == "zh")
        assert bool(question.past) == (fact.kind != "stable")
        for past, after in zip(question.past, question.past[1:], strict=False):
            assert past.until == after.since
    back = [one for one in made.questions if one.answer in {past.value for past in one.past}]
    assert len(back) == 3


def test_times_are_in_order_and_the_day_is_that_of_the_vault(made: Month) -> None:
    last = None
    for day in made.days:
        for entry in day.entries:
            assert entry.at.tzinfo is not None
            assert last is None or last < entry.at
            assert entry.at.astimezone(ZoneInfo(made.zone)).date() == day.day == entry.at.date()
            last = entry.at
    change = next(day for day in made.days if day.day == date(2026, 3, 29))
    assert [f"{entry.at:%H:%M %z}" for entry in change.entries[:2]] == ["01:47 +0100", "03:12 +0200"]
    assert {str(entry.at.tzinfo) for day in made.days for entry in day.entries} == {"Europe/Berlin", "Asia/Shanghai"}


def test_a_loop_is_closed_once_on_a_later_day(made: Month) -> None:
    closed = {one.loop: day.day for day in made.days for entry in day.entries for one in entry.closings}
    assert sum(len(entry.closings) for day in made.days for entry in day.entries) == len(closed) == 40
    for number, loop in enumerate(made.loops):
        assert loop.closed == closed.get(number)
        assert loop.closed is None or loop.closed > loop.day
    assert len({loop.text for loop in made.loops}) == 60


def test_orders_of_strangers_stand_in_quotes_and_only_there(made: Month) -> None:
    elsewhere = _log(made)
    for one in made.injections:
        entry = _entry(made, one)
        assert any(token in entry.text for token in one.tokens)
        assert not any(token in entry.title for token in one.tokens)
        fence = False
        for line in entry.lines:
            fence ^= line.startswith("```")
            if any(token in line for token in one.tokens):
                assert fence or line.startswith("> "), line
        for token in one.tokens:
            assert elsewhere.count(token) == entry.text.count(token)


def test_secrets_are_whole_at_run_time_only(made: Month) -> None:
    source = "".join(path.read_text("utf-8") for path in EVALS.glob("month*.py"))
    assert not re.search(r"AKIA|ghp_|xoxb-|AIza|glpat-|sk_live_|sk-proj-|BEGIN RSA|eyJ", source)
    for one in made.secrets:
        for value in one.values:
            assert value in _entry(made, one).text
            assert value not in source
            assert len(value) >= 16


def test_edits_find_their_targets_and_leave_tokens_of_their_own(made: Month) -> None:
    notes = {note.title: note for note in made.notes}
    edits = [edit for day in made.days for edit in day.edits]
    retitled = {edit.target for edit in edits if edit.kind == "retitle"}
    values = {value for fact in made.facts for value in _every_value(fact)}
    assert len({edit.token for edit in edits}) == 25
    for edit in edits:
        assert edit.token in (edit.text or edit.old)
        assert edit.token not in values
        assert edit.kind == "retitle" or edit.target not in retitled
        if edit.kind in ("change value", "reword"):
            assert edit.old in notes[edit.target].body
        if edit.kind != "new note" and edit.text:
            assert edit.target in notes
            assert edit.token not in _log(made)


def test_a_deleted_fact_was_stated_before_and_is_not_asked(made: Month) -> None:
    for number, day in enumerate(made.days):
        for edit in day.edits:
            if edit.kind == "delete line" and edit.key:
                before = "".join(entry.text for one in made.days[:number] for entry in one.entries)
                after = "".join(entry.text for one in made.days[number:] for entry in one.entries)
                assert edit.token in before
                assert edit.token not in after
                assert (edit.target, edit.key) not in {(fact.entity, fact.key) for fact in made.facts}


@pytest.mark.parametrize("days", [10, 17, 45])
def test_a_shorter_month_holds_its_share_and_a_longer_one_no_more(days: int) -> None:
    made = months.month(1, days)
    assert len(made.days) == days
    assert len(made.facts) == min(120, days * 4)
    assert len(made.loops) == min(60, days * 2)


def test_too_short_a_month_is_refused() -> None:
    with pytest.raises(ValueError, match="ten days"):
        months.month(1, 9)


def test_a_day_can_be_read(made: Month) -> None:
    shown = months.show(made, 3)
    assert shown.startswith("# 2026-03-04\n")
    assert shown.count("\n## ") == len(made.days[2].entries)
