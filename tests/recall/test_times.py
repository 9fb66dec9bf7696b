"""The time that a question asks for, and when facts held. Pure."""

from datetime import date, datetime

import pytest

from memdir.errors import UsageError
from memdir.recall import times
from memdir.recall.times import Line

NOW = datetime.fromisoformat("2026-11-30T10:00:00+00:00")  # a Monday


def held(question: str, since: date, after: date, as_of: str = "") -> int:
    return times.overlap(since, after, times.asked(question, NOW, as_of))


def row(line: int, value: str, since: str = "", until: str = "", key: str = "port") -> tuple[object, ...]:
    return "a.md", key, key, value, line, 1, since, until, ""


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("", ""),
        ("2025-12-15", "2025-12-15"),
        ("2025-12", "2025-12-31"),
        ("14 March 2025", "2025-03-14"),
        ("yesterday", "2026-11-29"),
        ("today", "2026-11-30"),
        ("last month", "2026-10-31"),
        ("last year", "2025-12-31"),
        ("in 2024", "2024-12-31"),
        ("before March 2026", "2026-02-28"),
        ("since 2024", "2026-11-30"),
        ("去年", "2025-12-31"),
        ("去年年底", "2025-12-31"),
        ("上周", "2026-11-29"),
        ("3天前", "2026-11-27"),
        ("1741910400", "2025-03-14"),
        ("1741910400000", "2025-03-14"),
    ],
)
def test_a_day_may_be_given_in_words(words: str, day: str) -> None:
    assert times.day(words, NOW) == day


@pytest.mark.parametrize("words", ["soon", "March", "3个月", "2026-13-40", "the day", "\0"])
def test_words_that_name_no_day_are_refused(words: str) -> None:
    with pytest.raises(UsageError, match="names no day"):
        times.day(words, NOW)


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Which port on 14 March 2025?", 1),
        ("Which port did it have in 2024?", 366),
        ("Which port was it last year?", 90),
        ("Which port last month?", 0),
        ("Which port is it today?", 0),
        ("去年是哪个端口？", 90),
        ("上周是哪个端口？", 0),
        ("3天前是哪个端口？", 0),
        ("Which port at 1741910400?", 1),
        ("Which port did it have before April 2025?", 1),
        ("Which port was it before?", 1),
        ("Which port did it use to have?", 1),
        ("以前是哪个端口？", 1),
        ("Which port may it have?", 0),
        ("Which port is it in march?", 0),
    ],
)
def test_days_on_which_something_held(question: str, days: int) -> None:
    assert held(question, date(2024, 1, 1), date(2025, 4, 1)) == days


def test_a_question_about_now_asks_for_what_holds_today() -> None:
    assert held("Which port?", date(2025, 4, 1), date.max) == 1
    assert held("Which port?", date(2027, 1, 1), date.max) == 0


def test_the_day_given_counts_more_than_the_words() -> None:
    assert held("Which port was it last year?", date(2026, 2, 1), date.max, as_of="2026-03-01") == 1
    assert times.asked("Which port?", NOW, "2026-03-01").then
    assert not times.asked("Which port?", NOW).then


def test_the_last_day_belongs_to_the_next_value() -> None:
    assert held("", date(2024, 1, 1), date(2025, 4, 1), as_of="2025-04-01") == 0
    assert held("", date(2025, 4, 1), date.max, as_of="2025-04-01") == 1


def test_a_value_without_a_start_follows_the_last_that_ended() -> None:
    lines = times.timeline([row(9, "3"), row(11, "1", "", "2024-01-01"), row(12, "2", "", "2025-01-01")])
    assert [(line.value, line.first, line.after) for line in lines] == [
        ("1", date.min, date(2024, 1, 1)),
        ("2", date(2024, 1, 1), date(2025, 1, 1)),
        ("3", date(2025, 1, 1), date.max),
    ]


def test_newer_follows_older_inside_one_key_only() -> None:
    rows = [row(1, "b", "2025-01-01"), row(2, "a", "2024-01-01", "2025-01-01"), row(3, "x", "2025-01-01", key="host")]
    lines = times.timeline(rows)
    old = next(line for line in lines if line.value == "a")
    assert [line.value for line in times.follower(old, lines)] == ["b"]
    assert times.follower(next(line for line in lines if line.value == "x"), lines) == []


def test_several_values_may_follow_one() -> None:
    lines = times.timeline([row(1, "b", "2025-01-01"), row(2, "c", "2025-01-01"), row(3, "a", "", "2025-01-01")])
    old = next(line for line in lines if line.value == "a")
    assert [line.value for line in times.follower(old, lines)] == ["b", "c"]


def test_dates_that_are_none_are_open() -> None:
    lines: list[Line] = times.timeline([row(1, "a", "long ago", "the war")])
    assert (lines[0].first, lines[0].after) == (date.min, date.max)
