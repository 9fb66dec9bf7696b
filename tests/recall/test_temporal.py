"""What a question says about time: phrases in English and Chinese, what is no date, validity, and no surprise."""

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driver
from memdir.recall import spans, temporal
from memdir.recall.temporal import Period, in_force, overlaps, parse

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 3, 18, 10, 0, tzinfo=LISBON)  # a Wednesday


def told(question: str, now: datetime = NOW) -> str:
    """The periods of a question, as `first..last`, the last left out where it is the first."""
    return " ".join(
        str(one.first) if one.first == one.last else f"{one.first}..{one.last}" for one in parse(question, now).periods
    )


@pytest.mark.parametrize(
    ("question", "days"),
    [
        # Days
        ("what did Dora say on 2025-03-14?", "2025-03-14"),
        ("the log of [[2025-03-14]]", "2025-03-14"),
        ("2025/03/14 的会议", "2025-03-14"),
        ("on March 14, 2025", "2025-03-14"),
        ("on March 14 2025 we met", "2025-03-14"),
        ("on December 1,2023", "2023-12-01"),
        ("March 14th, 2025", "2025-03-14"),
        ("14 March 2025", "2025-03-14"),
        ("the 14th of March 2025", "2025-03-14"),
        ("4th October, 2023", "2023-10-04"),
        ("1st September 2023", "2023-09-01"),
        ("Sept. 5, 2025", "2025-09-05"),
        ("in may 5, 2025", "2025-05-05"),
        ("May 5", "2025-05-05"),
        ("on 14 March", "2026-03-14"),
        ("on December 24 we ate", "2025-12-24"),
        ("march 15th issue", "2026-03-15"),
        ("14.03.2025", "2025-03-14"),
        ("3/14/2025", "2025-03-14"),
        ("14/3/2025", "2025-03-14"),
        ("2025-03-14T23:30:00Z", "2025-03-14"),
        ("at 2025-07-14T23:30:00Z", "2025-07-15"),
        ("at 2025-07-14T23:30+01:00", "2025-07-14"),
        ("today", "2026-03-18"),
        ("earlier today", "2026-03-18"),
        ("this morning", "2026-03-18"),
        ("yesterday's meeting", "2026-03-17"),
        ("tomorrow", "2026-03-19"),
        ("last night", "2026-03-17..2026-03-18"),
        ("the day before yesterday", "2026-03-16"),
        ("three days ago", "2026-03-15"),
        ("3 days ago", "2026-03-15"),
        ("a couple of days ago", "2026-03-16"),
        ("a few days ago", "2026-03-14..2026-03-16"),
        ("two hours ago", "2026-03-18"),
        ("12 hours ago", "2026-03-17"),
        ("last Tuesday", "2026-03-17"),
        ("last Wednesday", "2026-03-11"),
        ("last Fri", "2026-03-13"),
        ("next Friday", "2026-03-20"),
        ("this Monday", "2026-03-16"),
        ("Tuesday last week", "2026-03-10"),
        ("last week on Tuesday", "2026-03-10"),
        ("what did I say on Monday?", "2026-03-16"),
        ("on the Monday before July 24, 2023", "2023-07-17"),
        ("the Saturday after October 28, 2023", "2023-11-04"),
        ("the day before March 1, 2024", "2024-02-29"),
        ("two days after 30 December 2024", "2025-01-01"),
        # Unix times
        ("what happened at 1735689600?", "2025-01-01"),
        ("ts 1735689600123", "2025-01-01"),
        # Weeks
        ("last week", "2026-03-09..2026-03-15"),
        ("this week", "2026-03-16..2026-03-22"),
        ("next week", "2026-03-23..2026-03-29"),
        ("the week before last", "2026-03-02..2026-03-08"),
        ("two weeks ago", "2026-03-01..2026-03-07"),
        ("a week ago", "2026-03-08..2026-03-14"),
        ("last weekend", "2026-03-14..2026-03-15"),
        ("the past weekend", "2026-03-14..2026-03-15"),
        ("this weekend", "2026-03-21..2026-03-22"),
        ("the last two weeks", "2026-03-04..2026-03-18"),
        ("over the past week", "2026-03-11..2026-03-18"),
        ("since Monday", "2026-03-16..2026-03-18"),
        ("2025-W01", "2024-12-30..2025-01-05"),
        ("the week before August 3, 2023", "2023-07-27..2023-08-02"),
        ("two weeks before August 11, 2023", "2023-07-25..2023-07-31"),
        ("last weekend before April 10, 2023", "2023-04-08..2023-04-09"),
        ("the weekend before 4th October, 2023", "2023-09-30..2023-10-01"),
        ("the first weekend of August 2023", "2023-08-05..2023-08-06"),
        ("the last week of October 2023", "2023-10-25..2023-10-31"),
        # Months
        ("in March 2025", "2025-03-01..2025-03-31"),
        ("in 2025-03", "2025-03-01..2025-03-31"),
        ("Feb 2024", "2024-02-01..2024-02-29"),
        ("march of 2025", "2025-03-01..2025-03-31"),
        ("in may 2025", "2025-05-01..2025-05-31"),
        ("last month", "2026-02-01..2026-02-28"),
        ("in the last month", "2026-02-18..2026-03-18"),
        ("this month", "2026-03-01..2026-03-31"),
        ("next month", "2026-04-01..2026-04-30"),
        ("a month ago", "2026-02-01..2026-02-28"),
        ("half a year ago", "2025-09-01..2025-09-30"),
        ("last March", "2025-03-01..2025-03-31"),
        ("last February", "2026-02-01..2026-02-28"),
        ("next March", "2027-03-01..2027-03-31"),
        ("March last year", "2025-03-01..2025-03-31"),
        ("in March of this year", "2026-03-01..2026-03-31"),
        ("the past three months", "2025-12-18..2026-03-18"),
        ("mid-March 2025", "2025-03-11..2025-03-20"),
        ("the beginning of January 2023", "2023-01-01..2023-01-10"),
        ("late February 2024", "2024-02-19..2024-02-29"),
        ("the first half of September 2022", "2022-09-01..2022-09-15"),
        # Months without a year: the last that has begun, of what is to come the next
        ("in March", "2026-03-01..2026-03-31"),
        ("the trip in May", "2025-05-01..2025-05-31"),
        ("in march we met", "2026-03-01..2026-03-31"),
        ("in March and April", "2026-03-01..2026-03-31 2025-04-01..2025-04-30"),
        ("October's numbers", "2025-10-01..2025-10-31"),
        ("our september plan", "2025-09-01..2025-09-30"),
        ("in Oct.", "2025-10-01..2025-10-31"),
        ("early February", "2026-02-01..2026-02-09"),
        ("mid-October", "2025-10-11..2025-10-20"),
        ("the end of May", "2025-05-21..2025-05-31"),
        ("since January", "2026-01-01..2026-03-18"),
        ("from November to February", "2025-11-01..2026-02-28"),
        ("will it be done in October", "2026-10-01..2026-10-31"),
        ("what did we do on the 12th?", "2026-03-12"),
        ("what did we do on the 29th?", "2026-01-29"),
        ("what happened Saturday?", "2026-03-14"),
        ("how was Sunday's walk", "2026-03-15"),
        # Seasons, quarters, halves
        ("in the spring of 2025", "2025-03-01..2025-05-31"),
        ("summer 2021", "2021-06-01..2021-08-31"),
        ("winter 2024", "2024-12-01..2025-02-28"),
        ("last summer", "2025-06-01..2025-08-31"),
        ("last winter", "2025-12-01..2026-02-28"),
        ("this spring", "2026-03-01..2026-05-31"),
        ("fall of last year", "2025-09-01..2025-11-30"),
        ("Q3 2025", "2025-07-01..2025-09-30"),
        ("2025-Q3", "2025-07-01..2025-09-30"),
        ("the third quarter of 2025", "2025-07-01..2025-09-30"),
        ("Q4 last year", "2025-10-01..2025-12-31"),
        ("last quarter", "2025-10-01..2025-12-31"),
        ("H1 2025", "2025-01-01..2025-06-30"),
        ("the second half of 2025", "2025-07-01..2025-12-31"),
        # Years
        ("in 2024", "2024-01-01..2024-12-31"),
        ("how many weddings during 2024?", "2024-01-01..2024-12-31"),
        ("in the year 2024", "2024-01-01..2024-12-31"),
        ("last year", "2025-01-01..2025-12-31"),
        ("this year", "2026-01-01..2026-12-31"),
        ("two years ago", "2024-01-01..2024-12-31"),
        ("early 2025", "2025-01-01..2025-04-30"),
        ("in late 2024", "2024-09-01..2024-12-31"),
        ("at the end of 2024", "2024-10-01..2024-12-31"),
        ("in the 1990s", "1990-01-01..1999-12-31"),
        # From one to another
        ("between 1 and 5 March 2026", "2026-03-01..2026-03-05"),
        ("from 1 to 5 March", "2026-03-01..2026-03-05"),
        ("March 1-5, 2026", "2026-03-01..2026-03-05"),
        ("between August 11 and August 15 2023", "2023-08-11..2023-08-15"),
        ("between December 20 and January 5, 2025", "2024-12-20..2025-01-05"),
        ("from 2025-03-01 to 2025-03-09", "2025-03-01..2025-03-09"),
        ("from July to October 2023", "2023-07-01..2023-10-31"),
        ("in March and April 2025", "2025-03-01..2025-04-30"),
        ("from 2019 to 2021", "2019-01-01..2021-12-31"),
        ("in 2019-2021", "2019-01-01..2021-12-31"),
        ("since 2024", "2024-01-01..2026-03-18"),
        ("since March 2025", "2025-03-01..2026-03-18"),
        ("after March 2025", "2025-04-01..2026-03-18"),
        ("after 2030", "2031-01-01..9999-12-31"),
        ("what changed in 2024 and in March 2025?", "2024-01-01..2024-12-31 2025-03-01..2025-03-31"),
        # Chinese
        ("2025年3月14日的会议", "2025-03-14"),
        ("2025年3月14号", "2025-03-14"),
        ("3月14日", "2026-03-14"),
        ("12月24日", "2025-12-24"),
        ("三月十四日", "2026-03-14"),
        ("去年3月14日", "2025-03-14"),
        ("3月", "2026-03-01..2026-03-31"),
        ("三月的会议", "2026-03-01..2026-03-31"),
        ("10月份决定了什么", "2025-10-01..2025-10-31"),
        ("十月底", "2025-10-21..2025-10-31"),
        ("十月以来", "2025-10-01..2026-03-18"),
        ("十四号做了什么", "2026-03-14"),
        ("二十三号发生了什么", "2026-02-23"),
        ("31日的会", "2026-01-31"),
        ("周六做了什么", "2026-03-14"),
        ("星期一去了哪里", "2026-03-16"),
        ("3月1日到5日", "2026-03-01..2026-03-05"),
        ("从2025年3月1日到2025年3月9日", "2025-03-01..2025-03-09"),
        ("2025年3月的端口是多少", "2025-03-01..2025-03-31"),
        ("二〇二五年三月", "2025-03-01..2025-03-31"),
        ("去年3月", "2025-03-01..2025-03-31"),
        ("去年十一月份", "2025-11-01..2025-11-30"),
        ("2025年3月初", "2025-03-01..2025-03-10"),
        ("2024年", "2024-01-01..2024-12-31"),
        ("在2024年买的", "2024-01-01..2024-12-31"),
        ("2025年初", "2025-01-01..2025-03-31"),
        ("去年的预算", "2025-01-01..2025-12-31"),
        ("前年谁负责", "2024-01-01..2024-12-31"),
        ("今年的计划", "2026-01-01..2026-12-31"),
        ("去年夏天", "2025-06-01..2025-08-31"),
        ("去年年底", "2025-10-01..2025-12-31"),
        ("去年上半年", "2025-01-01..2025-06-30"),
        ("2025年第三季度", "2025-07-01..2025-09-30"),
        ("2025年Q3", "2025-07-01..2025-09-30"),
        ("上个季度", "2025-10-01..2025-12-31"),
        ("上个月的发票", "2026-02-01..2026-02-28"),
        ("上月", "2026-02-01..2026-02-28"),
        ("这个月", "2026-03-01..2026-03-31"),
        ("上个月14号", "2026-02-14"),
        ("上周做了什么", "2026-03-09..2026-03-15"),
        ("上上周", "2026-03-02..2026-03-08"),
        ("本周", "2026-03-16..2026-03-22"),
        ("下周的安排", "2026-03-23..2026-03-29"),
        ("上周三", "2026-03-11"),
        ("上星期天", "2026-03-15"),
        ("上周末", "2026-03-14..2026-03-15"),
        ("上周一起吃饭", "2026-03-09..2026-03-15"),
        ("周一以来", "2026-03-16..2026-03-18"),
        ("今天", "2026-03-18"),
        ("昨天说了什么", "2026-03-17"),
        ("昨晚", "2026-03-17"),
        ("前天", "2026-03-16"),
        ("大前天", "2026-03-15"),
        ("明天", "2026-03-19"),
        ("3天前的部署", "2026-03-15"),
        ("三天前", "2026-03-15"),
        ("十天之前", "2026-03-08"),
        ("两周前", "2026-03-01..2026-03-07"),
        ("两个月前", "2026-01-01..2026-01-31"),
        ("半年前", "2025-09-01..2025-09-30"),
        ("三年前", "2023-01-01..2023-12-31"),
        ("最近三天", "2026-03-15..2026-03-18"),
        ("过去两周", "2026-03-04..2026-03-18"),
        ("自2024年以来", "2024-01-01..2026-03-18"),
        ("2025年3月以后", "2025-04-01..2026-03-18"),
        ("2025年3月14日前一周", "2025-03-07..2025-03-13"),
        ("１４ ｏｆ　Ｍａｒｃｈ　２０２５", "2025-03-14"),
    ],
)
def test_periods(question: str, days: str) -> None:
    assert told(question) == days


@pytest.mark.parametrize(
    ("now", "question", "days"),
    [
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "yesterday", "2025-12-31"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "last month", "2025-12-01..2025-12-31"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "last week", "2025-12-22..2025-12-28"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "this week", "2025-12-29..2026-01-04"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "last quarter", "2025-10-01..2025-12-31"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "10 minutes ago", "2025-12-31"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "on 31 December", "2025-12-31"),
        (datetime(2026, 1, 1, 0, 5, tzinfo=LISBON), "上个月", "2025-12-01..2025-12-31"),
        (datetime(2025, 12, 31, 23, 59, tzinfo=LISBON), "next week", "2026-01-05..2026-01-11"),
        (datetime(2025, 12, 31, 23, 59, tzinfo=LISBON), "明天", "2026-01-01"),
        (datetime(2024, 2, 29, 12), "a year ago", "2023-01-01..2023-12-31"),
        (datetime(2024, 2, 29, 12), "on February 29", "2024-02-29"),
        (datetime(2026, 3, 1, 12), "on Feb 29", "2024-02-29"),
        (datetime(2024, 3, 31, 12), "the last month", "2024-02-29..2024-03-31"),
        (datetime(2024, 3, 31, 12), "last month", "2024-02-01..2024-02-29"),
        (datetime(2026, 3, 16, 8), "since Monday", "2026-03-09..2026-03-16"),
        (datetime(2026, 3, 16, 8), "last Monday", "2026-03-09"),
        (datetime(2026, 3, 22, 8), "last week", "2026-03-09..2026-03-15"),
        (datetime(2026, 3, 22, 8), "last weekend", "2026-03-14..2026-03-15"),
        (datetime(2026, 3, 22, 8), "上周日", "2026-03-15"),
        # The clock goes from 1:00 to 2:00 on 29 March and back on 25 October.
        (datetime(2026, 3, 29, 2, 30, tzinfo=LISBON), "2 hours ago", "2026-03-28"),
        (datetime(2026, 10, 25, 1, 30, fold=1, tzinfo=LISBON), "2 hours ago", "2026-10-25"),
        (datetime(2026, 3, 30, 0, 30, tzinfo=LISBON), "yesterday", "2026-03-29"),
        # One instant, several days.
        (datetime(2026, 3, 18, 10, tzinfo=timezone(timedelta(hours=14))), "at 1735689600", "2025-01-01"),
        (datetime(2026, 3, 18, 10, tzinfo=ZoneInfo("America/Denver")), "at 1735689600", "2024-12-31"),
        (datetime(2026, 3, 18, 10, tzinfo=ZoneInfo("America/Denver")), "2025-01-01T02:00:00Z", "2024-12-31"),
        (datetime(2026, 3, 18, 10, tzinfo=ZoneInfo("Asia/Shanghai")), "2025-01-01T20:00:00Z 的部署", "2025-01-02"),
    ],
)
def test_ends_of_years_leap_days_and_clocks(now: datetime, question: str, days: str) -> None:
    assert told(question, now) == days


@pytest.mark.parametrize(
    "question",
    [
        "march on", "what did June say", "a letter from April", "after May", "in mayhem", "August Macke", "Q3",
        "Monday", "on Monday", "周三", "每周六做了什么", "周六一般做了什么", "三月份额", "5月薪",
        "23号楼", "十号线", "第十五号", "十二日志",
        "Postgres 16", "port 2025", "the server on port 2025", "K-2024-11", "INV-2025-03-14", "CVE-2024-1234",
        "version 2024.3.1", "version 2025-03-14", "order 2025-03", "build 1735689600", "Ubuntu 20.04",
        "ISBN 1593279280", "ISBN 978-1-59327-928-8", "$2024", "2024 €", "in 2000 words", "since 2000 requests",
        "room 2024", "call 1735551234", "4000000000", "1735689600 tokens", "May Chen's phone", "you may 5 times",
        "may I", "it may 2 be", "dec 10", "march 3 miles", "April's address", "Cyberpunk 2077",
        "logs/2025/03/2025-03-14.md", "2025-03-14.md", "2025-13-01", "2025-02-30", "on February 30, 2025",
        "31.02.2025", "3/4/2025", "10.0.2025", "1.2.2025.4", "spring boot", "the fall of the house",
        "what was the last value", "see the next step", "this may be wrong", "back in town", "a second opinion",
        "目前天气", "以前天气", "以上周期", "说明日期", "文明天下", "第三天前", "3个月", "13月", "2月30日",
        "订单2025-03", "资本周转", "两周", "五天", "10月10", "2024", "2025.3.14",
    ],
)  # fmt: skip
def test_what_is_no_period(question: str) -> None:
    assert told(question) == ""


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("what was the port before March 2026?", "2026-02-28"),
        ("who led it before 2020", "2019-12-31"),
        ("until 14 March 2025", "2025-03-13"),
        ("prior to 2025-03", "2025-02-28"),
        ("before yesterday", "2026-03-16"),
        ("before last week", "2026-03-08"),
        ("which port did it have as of March 2025?", "2025-03-31"),
        ("as of 27 March, 2022", "2022-03-27"),
        ("how many by July 10, 2022", "2022-07-10"),
        ("2026年3月之前的端口", "2026-02-28"),
        ("去年以前", "2024-12-31"),
        ("2025年3月前", "2025-02-28"),
        ("截至2025年3月谁是负责人", "2025-03-31"),
        ("截止到2025年3月14日", "2025-03-14"),
    ],
)
def test_cuts(question: str, day: str) -> None:
    when = parse(question, NOW)
    assert (str(when.as_of), when.periods, when.past) == (day, (), True)


PAST, PRESENT, BOTH, NEITHER = (True, False), (False, True), (True, True), (False, False)


@pytest.mark.parametrize(
    ("question", "cues"),
    [
        ("which editor did Evan use before?", PAST),
        ("who owned atlas before Dora?", PAST),
        ("what did we use previously", PAST),
        ("what was the port?", PAST),
        ("what instrument did James used to play?", PAST),
        ("which shell did Evan use to run?", PAST),
        ("his former manager", PAST),
        ("the original plan", PAST),
        ("originally the port was 80", PAST),
        ("the old port", PAST),
        ("my previous company", PAST),
        ("in 2024", PAST),
        ("last week", PAST),
        ("three days ago", PAST),
        ("long ago", PAST),
        ("以前的端口是多少", PAST),
        ("之前用什么", PAST),
        ("原来的负责人", PAST),
        ("她曾经住在哪里", PAST),
        ("过去用什么编辑器", PAST),
        ("当时谁在", PAST),
        ("上一任经理", PAST),
        ("去年", PAST),
        ("what is the current port?", PRESENT),
        ("what is it now", PRESENT),
        ("what is the port today?", PRESENT),
        ("the latest price", PRESENT),
        ("现在的端口", PRESENT),
        ("目前谁负责", PRESENT),
        ("最新的价格", PRESENT),
        ("what was it before and what is it now?", BOTH),
        ("以前和现在的端口", BOTH),
        ("what is the port?", NEITHER),
        ("which key is used to sign releases?", NEITHER),
        ("what must be done before a deploy?", NEITHER),
        ("how to clean up before moving", NEITHER),
        ("what was the wifi password again?", NEITHER),
        ("how old is Dora", NEITHER),
        ("the 7 year old", NEITHER),
        ("this week", NEITHER),
        ("next week", NEITHER),
        ("since Monday", NEITHER),
        ("in 2030", NEITHER),
        ("部署之前要做什么", NEITHER),
        ("过去的时间", NEITHER),
        ("端口是多少", NEITHER),
        ("提前三天预订", NEITHER),
    ],
)
def test_past_and_present(question: str, cues: tuple[bool, bool]) -> None:
    when = parse(question, NOW)
    assert (when.past, when.present) == cues


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What was the port before March 2026?", "What was the port?"),
        ("what did I do last week", "what did I do"),
        ("on March 14, 2025 what did Dora say?", "what did Dora say?"),
        ("Which editor did Evan use before?", "Which editor did Evan use?"),
        ("who owned atlas before Dora?", "who owned atlas before Dora?"),
        ("What is Dora's port now", "What is Dora's port"),
        ("last month's invoice", "invoice"),
        ("What did John do the week before August 3, 2023 with his kids?", "What did John do with his kids?"),
        ("what changed between 1 and 5 March 2026?", "what changed?"),
        ("how many in the last month?", "how many?"),
        ("yesterday?", "yesterday?"),
        ("in early 2025", "in early 2025"),
        ("2026年3月之前的端口是多少", "端口是多少"),
        ("上周做了什么？", "做了什么?"),
        ("以前的端口", "端口"),
        ("Postgres 16 on port 2025", "Postgres 16 on port 2025"),
        ("  spaces \n and lines ", "spaces and lines"),
        ("", ""),
    ],
)
def test_the_rest_is_the_question_without_its_time(question: str, rest: str) -> None:
    assert parse(question, NOW).rest == rest


def test_the_words_of_a_period_are_kept() -> None:
    assert parse("what did we do two weeks before March 14, 2025?", NOW).periods == (
        Period(date(2025, 2, 25), date(2025, 3, 3), "two weeks before March 14, 2025"),
    )
    assert parse("2024年 and 2024年", NOW).periods == (Period(date(2024, 1, 1), date(2024, 12, 31), "2024年"),)


def test_a_question_behind_a_pasted_log_stays_whole_and_few_periods_are_read() -> None:
    when = parse("2025-03-14 line\n" * 2000 + "which port", NOW)
    assert len(when.periods) <= 32
    assert when.rest.endswith("which port")


PIECES = st.sampled_from(
    [
        "last", "week", "March", "may", "2025", "-03", "-14", " ", "before", "since", "between", "and", "from", "to",
        "14", "the", "of", "ago", "9999", "0000", "Q3", "year", "99", "a couple of", "T10:00", "Z", "+25:00", "999",
        "1735689600", "上", "周", "三", "天", "前", "年", "月", "日", "十", "之前", "以来", "2025年", "9999年", "9",
        "半", "几", "个", "decade", "\ud800", "İ", "ﬁ", "\n", "?", "'s", "before 1 January 0001", "999 decades ago",
        "9999-12-31", "after", "next",
    ]
)  # fmt: skip
NOWS = st.datetimes(timezones=st.sampled_from([None, UTC, LISBON, ZoneInfo("Pacific/Kiritimati")]))


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES).map("".join)), NOWS
)
def test_any_question_at_any_time_is_read(question: str, now: datetime) -> None:
    when = parse(question, now)
    assert all(one.first <= one.last and one.text for one in when.periods)
    assert parse(question, now) == when
    assert when.rest or not question.strip()


@pytest.mark.parametrize(
    "piece", ["last week in 2024 ", "March ", "1", "三", "between 1 and ", "2025-", "a couple of ", "年月日"]
)
def test_a_longer_question_is_no_more_work(piece: str) -> None:
    short, long = (partial(parse, (piece * size)[:size], NOW) for size in (5_000, 40_000))
    short()  # what is compiled at first
    assert driver.calls(long) <= driver.calls(short)


def test_importing_compiles_nothing() -> None:
    script = (
        "import sys, memdir.recall.temporal\n"
        "assert not {'memdir.recall.dates', 'memdir.recall.dates_zh', 'memdir.recall.cues'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": str(_scripts())})


def _scripts() -> str:
    return temporal.__file__.rsplit("/memdir/", 1)[0]


@pytest.mark.parametrize(
    ("since", "until", "day", "held"),
    [
        ("2019-04-01", "2026-03-12", "2019-03-31", False),
        ("2019-04-01", "2026-03-12", "2019-04-01", True),
        ("2019-04-01", "2026-03-12", "2026-03-11", True),
        ("2019-04-01", "2026-03-12", "2026-03-12", False),  # the next value begins on that day
        ("2026-03-12", "", "2026-03-12", True),
        ("2026-03-12", "", "9999-12-31", True),
        ("2026-03-12", "", "2026-03-11", False),
        ("", "2026-03-12", "0001-01-01", True),
        ("", "2026-03-12", "2027-01-01", False),
        ("", "", "2026-03-18", True),
        ("2019-04", "2021-06", "2019-04-01", True),
        ("2019-04", "2021-06", "2019-03-31", False),
        ("2019-04", "2021-06", "2021-06-30", True),
        ("2019-04", "2021-06", "2021-07-01", False),
        ("2019", "2021", "2019-01-01", True),
        ("2019", "2021", "2021-12-31", True),
        ("2019", "2021", "2022-01-01", False),
        ("2019", "2021-12", "2021-12-31", True),
        ("2026-03-12T10:30:00+01:00", "2026-03-14T08:00Z", "2026-03-12", True),
        ("2026-03-12T10:30:00+01:00", "2026-03-14T08:00Z", "2026-03-14", False),
        (" 2026-3-1 ", "2026/3/9", "2026-03-01", True),
        ("spring", "later", "2026-03-18", True),
        ("2026-13-01", "2026-02-30", "2026-03-18", True),
        ("0000", "9999", "2026-03-18", True),
        ("2026-03-12", "2019-04-01", "2020-01-01", False),
    ],
)
def test_in_force(since: str, until: str, day: str, held: bool) -> None:
    assert in_force(since, until, date.fromisoformat(day)) is held


@given(st.text(max_size=12), st.text(max_size=12), st.dates())
def test_any_validity_is_read(since: str, until: str, day: date) -> None:
    assert in_force(since, until, day) in (True, False)


@given(st.dates(), st.dates(), st.dates(), st.dates())
def test_a_period_is_overlapped_when_one_of_its_days_is(since: date, until: date, one: date, other: date) -> None:
    first, last = min(one, other), max(one, other)
    found = overlaps(str(since), str(until), Period(first, last, ""))
    assert found == (since < until and since <= last and first < until)


@given(st.dates(date(10, 1, 1), date(9998, 1, 1)))
def test_spans_hold_their_day(day: date) -> None:
    for unit in ("day", "week", "month", "quarter", "year", "decade"):
        span = spans.whole(day, unit)
        assert span.first <= day <= span.last
    assert spans.week(day).first.weekday() == 0
    assert spans.week(day).last == spans.week(day).first + timedelta(6)
    assert 0 < (day - spans.weekday_before(day, 3)).days <= 7
