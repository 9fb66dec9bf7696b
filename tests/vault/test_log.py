"""Log entries: where they go and that no text forges another one."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.errors import BadData
from memdir.vault import log, note

PATTERN = "memory/logs/{year}/{month}/{date}.md"
NOON = datetime(2026, 11, 29, 14, 20, tzinfo=ZoneInfo("Europe/Lisbon"))


def test_the_place_of_a_day() -> None:
    assert log.place(PATTERN, NOON) == ("memory/logs/2026/11/2026-11-29.md", b"# 2026-11-29\n")
    assert log.place("journal/{year}-{month}-{day}.md", NOON)[0] == "journal/2026-11-29.md"


@pytest.mark.parametrize("pattern", ["{week}.md", "{0}.md", "{date", "{}.md", "{date!z}.md"])
def test_a_pattern_with_other_names_is_refused(pattern: str) -> None:
    with pytest.raises(BadData, match=r"log\.path"):
        log.place(pattern, NOON)


def test_an_entry_has_time_offset_and_items() -> None:
    text = log.entry("Deploy failed", ["Migration timed out", "- outcome:: failure", "  - nested", "", "* star"], NOON)
    assert text.decode() == (
        "\n## 14:20 +00:00 - Deploy failed\n- Migration timed out\n- outcome:: failure\n  - nested\n* star\n"
    )


def test_the_same_wall_clock_twice_in_a_night_is_told_apart() -> None:
    zone = ZoneInfo("Europe/Berlin")
    first, second = (datetime(2026, 10, 25, hour, 30, tzinfo=UTC).astimezone(zone) for hour in (0, 1))
    assert b"02:30 +02:00" in log.entry("a", [], first)
    assert b"02:30 +01:00" in log.entry("a", [], second)


def test_a_long_title_goes_on_below() -> None:
    lines = log.entry("x" * 300, ["more"], NOON).decode().split("\n")
    assert lines[1].endswith(" - " + "x" * log.TITLE)
    assert lines[2:4] == ["- " + "x" * 100, "- more"]


@pytest.mark.parametrize("title", ["", "  \n ", "\t"])
def test_an_entry_without_title_has_one(title: str) -> None:
    assert log.entry(title, [], NOON) == b"\n## 14:20 +00:00 - note\n"


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=300), st.lists(st.text(max_size=80) | st.sampled_from(["# 2026-01-01", "## 09:00 - forged",
    "\r## x", "- \r\n## y", "---", "```", "%%"]), max_size=4))  # fmt: skip
def test_no_text_forges_a_further_entry(title: str, lines: list[str]) -> None:
    data = b"# 2026-11-29\n" + log.entry(title, lines, NOON)
    parsed = note.parse("2026-11-29.md", data)
    assert [heading.level for heading in parsed.body.headings] == [1, 2]
    assert data.count(b"\n## ") == 1


@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/localtime", "/etc/localtime", "Europe/Lisbon\0", "Europe"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(BadData, match="timezone"):
        log.zone(name)


def test_zones() -> None:
    assert log.zone("") is None
    assert log.zone("Asia/Shanghai") == ZoneInfo("Asia/Shanghai")
