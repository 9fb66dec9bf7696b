"""Values of another time or of another thing: left out with the reason, and the sentences that only look so."""

import pytest

from memdir.learn import entries
from memdir.learn.reading import aside, future, rules

KNOWN = ["Atlas", "ledgerd", "Quay Studio", "灯塔", "青松", "Brightline"]
DAY = "2026-12-02"  # a Wednesday


def taught(line: str) -> tuple[list[str], list[str]]:
    """The values that a line teaches, and why others are left out."""
    data = f"# {DAY}\n\n## 10:00 +01:00 - Notes\n- {line}\n".encode()
    (entry,) = entries.read(f"memory/logs/2026/12/{DAY}.md", data)
    items, dropped = rules.learn(entry, KNOWN)
    return [item.value for item in items if item.kind == "fact"], [one.why for one in dropped]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("From Monday on the port of Atlas is 9000", "2026-12-07"),
        ("Starting Friday, Atlas's port is 9000", "2026-12-04"),
        ("As of 2026-12-10 ledgerd's host is otter2.lan", "2026-12-10"),
        ("Atlas's port is 9000 as of tomorrow", "2026-12-03"),
        ("From next Thursday on Atlas's port is 9000", "2026-12-03"),
        ("Effective 1 January the rent of Quay Studio is 900 euros", "2027-01-01"),
        ("From January on the rent of Quay Studio is 900 euros", "2027-01-01"),
        ("Next month Atlas's port changes to 9000", "2027-01-01"),
        ("Atlas's port changes to 9000 on Monday", "2026-12-07"),
        ("On 2026-12-10 Atlas's port changes to 9000", "2026-12-10"),
        ("In two weeks Atlas's port is 9000", "2026-12-16"),
        ("Atlas's port from 10 December on is 9000", "2026-12-10"),
        ("从下周一起，灯塔的端口是 9000", "2026-12-07"),
        ("灯塔的负责人下个月改成王芳", "2027-01-01"),
        ("明天起灯塔的端口是 9000", "2026-12-03"),
        ("12月10日起，灯塔的端口是 9000", "2026-12-10"),
        ("灯塔的端口是 9000，12月10日起生效", "2026-12-10"),
        ("从周四开始，灯塔的端口是 9000", "2026-12-03"),
        ("自2027年1月15日起，青松的负责人是王芳", "2027-01-15"),
        ("灯塔的端口后天改为 9000", "2026-12-04"),
        ("Atlas's port changes on Monday to 9000", "2026-12-07"),
        ("On Monday Atlas's port changes to 9000", "2026-12-07"),
        ("By Friday Atlas's port is 9000", "2026-12-04"),
        ("灯塔的端口周五改为 9000", "2026-12-04"),
    ],
)
def test_values_of_a_later_day(line: str, first: str) -> None:
    assert taught(line) == ([], [f"only from {first} on"])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Once the migration is done, Atlas's port is 9000", "only from some later day on"),
        ("After Christmas Atlas's port is 9000", "only from some later day on"),
        ("春节后灯塔的端口是 9000", "only from some later day on"),
        ("等迁移完成，灯塔的端口是 9000", "only from some later day on"),
        ("Atlas's port is 9000 until Friday", "only until 2026-12-04"),
        ("Until 10 December Atlas's port is 9000", "only until 2026-12-10"),
        ("到周五为止，灯塔的端口是 9000", "only until 2026-12-04"),
    ],
)
def test_values_of_a_time_that_is_bounded(line: str, why: str) -> None:
    assert taught(line) == ([], [why])


@pytest.mark.parametrize(
    "line", ["灯塔的端口将改为 9000", "Atlas's port will be 9000 from Monday", "上线后灯塔的端口是 9000"]
)
def test_values_that_are_to_come_are_not_taken(line: str) -> None:
    assert taught(line)[0] == []


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("As of 20 November Atlas's port is 9000", "9000"),
        ("As of today Atlas's port is 9000", "9000"),
        ("From this week on Atlas's port is 9000", "9000"),
        ("Since Monday Atlas's port is 9000", "9000"),
        ("Atlas's port moved to 9000 on Monday", "9000"),
        ("We moved the deploy window of Atlas from Monday to Thursday 22:00", "Thursday 22:00"),
        ("Atlas's launch date moved from 10 December to 20 December", "20 December"),
        ("On Monday Atlas's port changed to 9000", "9000"),
        ("After some back and forth Atlas's port is 9000", "9000"),
        ("The lease of Quay Studio runs until 2027-12-31", "2027-12-31"),
        ("灯塔的端口周一改为 9000 了", "9000"),
        ("Atlas goes live on 2026-12-10", "2026-12-10"),
        ("今天起灯塔的端口是 9000", "9000"),
        ("11月20日起灯塔的端口是 9000", "9000"),
        ("王芳从 2026-12-10 起上班", "2026-12-10"),
        ("灯塔的上线日期从12月10日改到12月20日", "12月20日"),
    ],
)
def test_values_of_today(line: str, value: str) -> None:
    assert taught(line) == ([value], [])


@pytest.mark.parametrize(
    "line",
    [
        "In the test environment Atlas's port is 9000",
        "In staging the port of Atlas is 9000",
        "On the dev server ledgerd's memory limit is 512 MB",
        "Atlas's port is 9000 in the sandbox",
        "On my laptop Atlas's port is 9000",
        "Locally Atlas's port is 9000",
        "For the demo, Atlas's port is 9000",
        "测试环境里灯塔的端口是 9000",
        "在预发环境，灯塔的端口是 9000",
        "灯塔在测试环境的端口是 9000",
        "灯塔的端口在演示环境是 9000",
    ],
)
def test_values_of_another_environment(line: str) -> None:
    values, why = taught(line)
    assert (values, len(why)) == ([], 1)
    assert why[0].startswith("of something else: ")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("On staging Atlas listens on port 7431", "7431"),
        ("The staging port of Atlas is 7431", "7431"),
        ("灯塔在测试环境监听 7431 端口", "7431"),
        ("测试环境的负责人是王芳", "王芳"),
        ("The port of Atlas is 7431 on all machines", "7431 on all machines"),
    ],
)
def test_what_has_a_key_of_its_own_is_taken(line: str, value: str) -> None:
    assert taught(line)[0] == [value]


def test_a_place_that_has_a_note_is_no_other_environment() -> None:
    assert aside.found("On staging the port of Atlas is 9000", DAY, ["Staging"]) is None


@pytest.mark.parametrize(
    "line",
    [
        "According to Dora, Atlas's host is otter2.lan",
        "Atlas's host is otter2.lan, according to Dora",
        "Seems Atlas's host is otter2.lan",
        "It looks like Atlas's host is otter2.lan",
        "As far as I know the port of Atlas is 9000",
        "据小李说，灯塔的端口是 9000",
        "按王芳的说法，灯塔的端口是 9000",
    ],
)
def test_hearsay_states_nothing(line: str) -> None:
    assert taught(line)[0] == []


def test_what_is_written_down_is_no_hearsay() -> None:
    assert taught("According to the contract, Brightline's payment term is 30 days")[0] == ["30 days"]
    assert taught("根据合同，青松的账期是 30 天")[0] == ["30 天"]
    assert taught("灯塔的数据库说明已更新，灯塔的端口是 9000")[0] == ["9000"]


@pytest.mark.parametrize(
    "text", ["from ", "from may ", "下", "on 10 ", ", from 1 may on", "as of monday ", "in the test "]
)
def test_long_sentences_are_read_as_well(text: str) -> None:
    assert future.starts(text * 500, DAY)[0] in ("", "later") or aside.found(text * 500, DAY)


@pytest.mark.parametrize("said", ["2026-13-40", "31.02.2026", "the 31st", "31 February"])
def test_a_day_that_there_is_not_is_some_later_day(said: str) -> None:
    assert future.starts(f"From {said} on Atlas's port is 9000", DAY)[0] in ("later", "2026-12-31")
