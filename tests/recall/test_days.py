"""Entries of the day or period that a question names come first, whichever words say it, in English and Chinese."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import driver

NOW = "2026-11-30T10:00:00+00:00"  # a Monday
ENTRIES = {
    "2025-10-20": "Roof of the barn\n- Jonas and Tove laid slates until dark",
    "2026-05-09": "Choir trip to Ghent\n- the bus broke down; Tove sang solo",
    "2026-09-05": "Pump of the well\n- replaced the seal, 40 euros",
    "2026-09-19": "决定养蜂\n- 先买两箱，放在果园北边",
    "2026-10-03": "Bees arrived\n- two hives from Linde, the weekend market was full",
    "2026-10-14": "Decided against the tractor\n- decision: hire one for the harvest instead",
    "2026-10-18": "爸爸生日\n- 吃了长寿面，来了六个人",
    "2026-10-31": "Pumpkin evening\n- eleven children at the door",
    "2026-11-02": "Pump of the well again\n- a new motor, 310 euros",
    "2026-11-15": "Hives wrapped\n- straw and old blankets",
    "2026-11-17": "Tooth of Jonas\n- the dentist drew it",
    "2026-11-23": "买了新雨靴\n- 小雨三十二码，黄色",
    "2026-11-26": "Vet for the goat\n- hoof trimmed, comes again in January",
    "2026-11-28": "Fair in the village hall\n- sold forty jars of honey",
    "2026-11-29": "包饺子\n- 韭菜鸡蛋馅，一共八十个",
}
OWN = "## 00:15 - Distilled 3 entries into 1 note\n- [[bees]]: 1 line\n- executor:: memdir\n"
NOTES = {
    "bees": "The weekend is when the bees are looked at, in October with a veil.\n\n- hives:: 4\n",
    "pump": "The pump of the well runs on Saturday mornings. Yesterday and last week are no words for a manual.\n",
    "shed": "八月到十月，每周六打扫；上周末和昨天也是词。周末谁做了什么，发生了什么，写在这里。\n",
}

# What was looked at while this was built; the other half was written before it was asked.
SEEN = [
    ("what happened last weekend", "2026-11-28 2026-11-29"),
    ("what did we do on Saturday", "2026-11-28"),
    ("what happened yesterday", "2026-11-29"),
    ("what happened on 2026-11-26", "2026-11-26"),
    ("2026-11-17", "2026-11-17"),
    ("last week", "2026-11-23 2026-11-26 2026-11-28 2026-11-29"),
    ("what did we decide in October", "2026-10-14"),
    ("pump in September", "2026-09-05"),
    ("what did the pump cost in November", "2026-11-02"),
    ("bees in October", "2026-10-03"),
    ("what happened on the 17th?", "2026-11-17"),
    ("the end of October", "2026-10-31"),
    ("what happened in May", "2026-05-09"),
    ("上周末发生了什么", "2026-11-28 2026-11-29"),
    ("昨天做了什么", "2026-11-29"),
    ("前天发生了什么", "2026-11-28"),
    ("十月十八号吃了什么", "2026-10-18"),
    ("二十三号买了什么", "2026-11-23"),
    ("周六做了什么", "2026-11-28"),
    ("九月决定了什么", "2026-09-19"),
    ("10月份有什么决定", "2026-10-03 2026-10-14 2026-10-18 2026-10-31"),
    ("上周四发生了什么", "2026-11-26"),
]
HELD_APART = [
    ("what did we do the day before yesterday", "2026-11-28"),
    ("how was last Sunday", "2026-11-29"),
    ("what went on four days ago", "2026-11-26"),
    ("what was bought last Monday", "2026-11-23"),
    ("the well in september", "2026-09-05"),
    ("the well this November", "2026-11-02"),
    ("what did we do on 31 October", "2026-10-31"),
    ("what did Tove do in May", "2026-05-09"),
    ("Tove last year", "2025-10-20"),
    ("what did we do two weeks ago on Sunday", "2026-11-15"),
    ("mid-October decision", "2026-10-14"),
    ("was there a market in October", "2026-10-03"),
    ("first weekend of October", "2026-10-03"),
    ("昨天吃了什么", "2026-11-29"),
    ("上周日做了什么", "2026-11-29"),
    ("十一月十七日发生了什么", "2026-11-17"),
    ("大前天之前的一天，26号，发生了什么", "2026-11-26"),
    ("上个月谁过生日", "2026-10-18"),
    ("十月底发生了什么", "2026-10-31"),
    ("五月去了哪里", "2026-05-09"),
    ("星期天做了什么", "2026-11-29"),
    ("九月为什么决定养蜂", "2026-09-19"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with driver.shared(tmp_path_factory) as place:
        for stem, body in NOTES.items():
            path = place / f"memory/ref/{stem}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, "utf-8")
        for day, body in ENTRIES.items():
            path = place / f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {day}\n\n{OWN if day == '2026-11-26' else ''}## 09:00 - {body}\n", "utf-8")
        assert driver.run("sync", vault=place).code == 0
        yield place


def days(root: Path, question: str, *more: str) -> list[str]:
    """The days of what came for a question, the best first; what is no entry as its path."""
    done = driver.run("recall", question, *more, "--json", vault=root, MEMDIR_NOW=NOW)
    assert done.code in (0, 3), done.err
    found = list(done.json["evidence"])
    assert not any(one["kind"] == "log" and one["quote"].startswith("# ") for one in found), "a title says nothing"
    return [one["date"] if one["kind"] == "log" else one["path"] for one in found]


@pytest.mark.parametrize(("question", "day"), SEEN + HELD_APART)
def test_an_entry_of_the_time_that_is_asked_for_comes_first(root: Path, question: str, day: str) -> None:
    assert days(root, question)[0] in day.split()


def test_a_day_of_which_nothing_is_kept_is_said(root: Path) -> None:
    done = driver.run("recall", "what happened on 2026-11-21", vault=root, MEMDIR_NOW=NOW)
    assert "nothing that was found is of the time that is asked for" in done.err
    done = driver.run("recall", "what happened on 2026-11-28", vault=root, MEMDIR_NOW=NOW)
    assert "of the time that is asked for" not in done.err


def test_an_entry_that_memdir_wrote_for_the_record_is_not_added(root: Path) -> None:
    done = driver.run("recall", "what happened last Thursday", "--json", "--limit", "20", vault=root, MEMDIR_NOW=NOW)
    assert done.json["evidence"][0]["date"] == "2026-11-26"
    assert "hoof" in done.json["evidence"][0]["quote"]
    assert not any("Distilled" in one["quote"] for one in done.json["evidence"])


def test_filters_hold_for_what_only_its_day_finds(root: Path) -> None:
    assert days(root, "what happened last weekend", "--until", "2026-11-28")[0] == "2026-11-28"
    assert "2026-11-29" not in days(root, "what happened last weekend", "--until", "2026-11-28", "--limit", "20")
    assert "2026-11-28" not in days(root, "what happened last weekend", "--path", "memory/ref", "--limit", "20")
    assert days(root, "yesterday")[0] == "2026-11-29"
    done = driver.run("recall", "yesterday", "--json", vault=root, MEMDIR_NOW=NOW, MEMDIR_RECALL_PERIOD="0")
    assert "2026-11-29" not in [one["date"] for one in done.json["evidence"]]
