"""What was in force at the time that a question asks for is what a recall answers with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import driver
from memdir.recall import evidence, validity

NOW = "2026-11-30T10:00:00+00:00"
HEAD = "---\nname: {}\ntype: ref\ntags: [t]\ncreated: 2024-01-02\nupdated: 2026-11-01\nimportance: low\n{}---\n"
OFFICE = """Two rooms and a kitchen, the heating is loud.

- address:: Keizersgracht 12 (2025-02-01 →)
- landlord:: Mees Vastgoed
- rent:: 2,400 euros

## History
- address:: Haarlemmerweg 7 (2023-05-01 → 2025-02-01)
- address:: a garage in Amstelveen (2021-01-10 → 2023-05-01)
- rent:: 1,900 euros (2023-05-01 → 2025-02-01)
"""
GYM = """周三和周六去。

- 教练:: 王磊 (2026-11-20 →)
- 月费:: 45 欧
- 柜子:: 88 号 (2026-11-29 →)

## History
- 教练:: 李娜 (2025-03-01 → 2026-11-20)
- 月费:: 39 欧 (2024-01-01 → 2026-01-01)
- 柜子:: 12 号 (2025-01-01 → 2026-11-29)
"""
QUEUE = """Jobs wait here until a worker takes them.

- broker:: Redis Streams (2026-10-20 →)
- workers:: 6

## History
- broker:: Beanstalkd 1.12 (2025-03-10 → 2026-10-20)
- broker:: Gearman (2023-02-01 → 2025-03-10)
- workers:: 2 (2023-02-01 → 2024-06-30)
"""
KITCHEN = """- tea:: Assam, two boxes a month (2026-11-02 →)
- lock code:: 4471 (2026-06-01 →)
- tap:: green mark

## History
- tea:: Sencha, one tin of it (→ 2026-11-02)
- lock code:: 9035 (→ 2026-06-01)
"""
FERRY = """- tickets are bought at the pier [source:: [[2026-02-01]] 09:00]
- tickets are bought online only [source:: [[2026-04-01]] 09:00]
"""
WORKSHOP = """The lathe stands by the window.

## Kiln

```
# cold start
kilnctl restart controller
```
"""
LOGS = {
    "2026-11-05": "## 09:00 - Standup\n- the lift squeaked\n",
    "2026-11-27": "## 09:00 - Standup\n- the lift was repaired\n",
    "2026-10-06": "## 09:00 - Standup\n- the lift got a new rope\n",
    "2026-11-30": "## 08:00 - Standup\n- the lift is fine\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with driver.shared(tmp_path_factory) as place:
        note(place, "office", "Office", OFFICE)
        note(place, "gym", "健身房", GYM)
        note(place, "queue", "Queue", QUEUE)
        note(place, "desks", "Desks", "Eight desks stand in the office, two of them broken. Rent a van to move them.\n")
        note(place, "kitchen", "Kitchen", KITCHEN)
        note(place, "cellar", "Cellar", "- key box:: code by the door, the lock of it is stiff\n")
        note(place, "stew", "Stew", "Pour the wine in before the stock, then the version with beans; change the lid.\n")
        note(place, "ferry", "Ferry", FERRY)
        note(place, "workshop", "Workshop", WORKSHOP)
        note(place, "rota-2025", "Rota 2025", "The rota: Ada, then Bo.\n", "valid_to: 2026-01-01\n")
        note(place, "rota-2026", "Rota 2026", "The rota: Cy, then Di.\n", "valid_from: 2026-01-01\n")
        note(place, "parking-old", "Parking", "Cars stand behind the mill.\n", "superseded_by: '[[parking-new]]'\n")
        note(place, "parking-new", "Parking now", "Cars of the staff and of all guests stand below the bridge.\n")
        for day, body in LOGS.items():
            path = place / f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {day}\n\n{body}", "utf-8")
        assert driver.run("sync", vault=place).code == 0
        yield place


def note(root: Path, stem: str, name: str, body: str, more: str = "") -> None:
    path = root / f"memory/ref/{stem}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD.format(name, more) + body, "utf-8")


def ask(root: Path, question: str, *more: str) -> list[dict[str, Any]]:
    done = driver.run("recall", question, *more, "--json", vault=root, MEMDIR_NOW=NOW)
    assert done.code in (0, 3), done.err
    return list(done.json["evidence"])


def line(root: Path, one: dict[str, Any]) -> str:
    return (root / one["path"]).read_text("utf-8").split("\n")[one["at"] - 1]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the address of the office?", "Keizersgracht"),
        ("What was the address of the office before?", "Haarlemmerweg"),
        ("Which address did the office have previously?", "Haarlemmerweg"),
        ("What was formerly the office address", "Haarlemmerweg"),
        ("Where did the office use to be?", "Haarlemmerweg"),
        ("Where was the office before Keizersgracht?", "Haarlemmerweg"),
        ("What was the address of the office before Haarlemmerweg 7?", "Amstelveen"),
        ("What was the office's address originally?", "Amstelveen"),
        ("What was the first address of the office?", "Amstelveen"),
        ("What was the office address on 14 March 2022?", "Amstelveen"),
        ("What was the office address in 2024?", "Haarlemmerweg"),
        ("Which address did the office have in January 2025?", "Haarlemmerweg"),
        ("Which address did the office have last year?", "Keizersgracht"),
        ("Which address did the office have at 1672531200?", "Amstelveen"),
        ("Which address does the office have today?", "Keizersgracht"),
        ("What was the rent of the office in 2024?", "1,900"),
        ("What is the rent of the office?", "2,400"),
        ("Which broker did the queue run on last month?", "Beanstalkd"),
        ("Which broker does the queue run on now?", "Redis"),
        ("What broker did the queue have before Redis Streams?", "Beanstalkd"),
        ("Which broker did the queue have before March 2025?", "Gearman"),
        ("How many workers did the queue have in May 2024?", "2 ("),
        ("How many workers did the queue have in July 2024?", "6"),
        # Without the name of the note
        ("Which broker did we have in March 2024?", "Gearman"),
        ("which Beanstalk version did we run in June 2025", "Beanstalkd 1.12"),
        ("Beanstalk version in May 2025", "Beanstalkd 1.12"),
        ("what did we drink before Assam", "Sencha"),
        ("Assam之前喝什么", "Sencha"),
        ("which tea before", "Sencha"),
        ("what did she pour in the mornings before that, which tea", "Sencha"),
        ("when did the lock code change", "4471 (2026-06-01"),
        ("健身房的教练是谁？", "王磊"),
        ("健身房的教练以前是谁？", "李娜"),
        ("王磊之前健身房的教练是谁", "李娜"),
        ("去年健身房的教练是谁？", "李娜"),
        ("上周健身房的教练是谁？", "王磊"),
        ("健身房 3天前 的柜子是几号？", "12 号"),
        ("健身房今天的柜子是几号？", "88 号"),
        ("2025年6月健身房的月费是多少？", "39"),
        ("2026年6月健身房的月费是多少？", "45"),
        ("健身房的月费原来是多少？", "39"),
    ],
)
def test_the_value_of_the_time_that_is_asked_for_comes_first(root: Path, question: str, answer: str) -> None:
    first = ask(root, question)[0]
    assert answer in line(root, first)
    assert line(root, first) in first["quote"]


@pytest.mark.parametrize(
    ("as_of", "answer"),
    [
        ("2022-06-01", "Amstelveen"),
        ("2025-01-31", "Haarlemmerweg"),
        ("2025-02-01", "Keizersgracht"),
        ("in 2024", "Haarlemmerweg"),
        ("14 March 2025", "Keizersgracht"),
        ("1672531200", "Amstelveen"),
    ],
)
def test_as_of_a_day_nothing_later_is_quoted(root: Path, as_of: str, answer: str) -> None:
    found = ask(root, "Which address has the office?", "--as-of", as_of, "--limit", "20")
    assert answer in line(root, found[0])
    if answer != "Keizersgracht":
        assert not any("Keizersgracht" in one["quote"] for one in found)


def test_as_of_a_day_a_value_that_was_in_force_is_current(root: Path) -> None:
    first = ask(root, "Which address has the office?", "--as-of", "2024-06-01")[0]
    assert "Haarlemmerweg" in line(root, first)
    assert (first["superseded_by"], first["valid_until"]) == ("", "")
    found = {one["path"]: one for one in ask(root, "cars behind the mill and the rota", "--as-of", "2025-06-01")}
    assert found["memory/ref/parking-old.md"]["superseded_by"] == "Parking now", "nothing says when that began"
    assert found["memory/ref/rota-2025.md"]["valid_until"] == ""


@pytest.mark.parametrize(
    "question", ["office", "the loud heating of the office", "tags t", "Which broker has the queue?"]
)
def test_as_of_a_day_no_passage_shows_what_came_later_and_it_is_said(root: Path, question: str) -> None:
    done = driver.run(
        "recall", question, "--as-of", "2024-06-01", "--json", "--limit", "20", vault=root, MEMDIR_NOW=NOW
    )
    told = str(done.json["evidence"])
    assert "Keizersgracht" not in told
    assert "Redis" not in told
    assert "lines that tell of what came after 2024-06-01 are left out" in done.json["notices"]
    assert not driver.run("recall", question, "--json", vault=root, MEMDIR_NOW=NOW).json["notices"]


def test_as_of_a_day_lines_learned_later_are_left_out(root: Path) -> None:
    found = ask(root, "ferry tickets", "--as-of", "2026-03-01")
    assert "bought at the pier" in found[0]["quote"]
    assert "online" not in found[0]["quote"]
    assert "online" in ask(root, "ferry tickets")[0]["quote"]


def test_a_quote_begins_in_the_section_of_the_line_that_answers(root: Path) -> None:
    first = ask(root, "What was the address of the office before?")[0]
    assert first["quote"].startswith("## History\n- address:: Haarlemmerweg")
    code = ask(root, "restart the kiln controller")[0]
    assert code["quote"].startswith("## Kiln"), "a comment in code is no heading"


def test_a_heading_is_read_without_the_marks_that_end_it() -> None:
    said = {"# A": "A", " ## A ##": "A", "# A#b ##  ": "A#b ##", "# A #b": "A #b", "# ##": "", "#no": ""}
    for line, heading in said.items():
        assert evidence._headings([line]) == [heading], line
    long = f"# {'#' * 1_000_000}x"  # tried at each mark anew it takes most of an hour
    assert evidence._headings([long]) == [long[2:]]


def test_as_of_leaves_out_entries_of_later_days(root: Path) -> None:
    days = [one["date"] for one in ask(root, "the lift", "--as-of", "2026-11-05") if one["kind"] == "log"]
    assert sorted(days) == ["2026-10-06", "2026-11-05"]


@pytest.mark.parametrize(
    ("question", "value", "asked"),
    [
        ("what did we use before Go", "Go", True),
        ("what did we use before Gopher", "Go", False),
        ("we had Tidal: what was there before Tidal?", "Tidal", True),
        ("what was there prior to the C++ one", "C++", True),
        ("王磊之前健身房的教练是谁", "王磊", True),
        ("before 王磊来", "王磊", True),
        ("王磊健身房", "王磊", False),
        ("what was before", "", False),
    ],
)
def test_what_was_before_a_value_is_asked_by_the_whole_value(question: str, value: str, asked: bool) -> None:
    assert validity._stands_behind_before(question, value) is asked


def test_a_period_alone_makes_no_value_of_what_is_told(root: Path) -> None:
    """ "What happened with the broker" asks for what was done, and a key is no name where more is said."""
    assert ask(root, "what happened with the lift in October")[0]["date"] == "2026-10-06"
    assert ask(root, "where is the stiff lock of the key box")[0]["path"] == "memory/ref/cellar.md"
    assert ask(root, "the lid and the lock code of beans")[0]["path"] == "memory/ref/stew.md"


def test_a_day_that_is_none_is_refused(root: Path) -> None:
    done = driver.run("recall", "the lift", "--as-of", "whenever", vault=root, MEMDIR_NOW=NOW)
    assert done.code == 2
    assert "'whenever' names no day" in done.err


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What about the lift last month?", "2026-10-06"),
        ("How was the lift 3 days ago?", "2026-11-27"),
        ("the lift today", "2026-11-30"),
    ],
)
def test_a_period_is_a_preference(root: Path, question: str, day: str) -> None:
    found = [one["date"] for one in ask(root, question) if one["kind"] == "log"]
    assert found[0] == day
    assert len(found) == len(LOGS)


def test_a_month_that_is_a_word_as_well_is_a_period_behind_a_preposition(root: Path) -> None:
    assert "Keizersgracht" in line(root, ask(root, "address of the office in march")[0])
    assert driver.run("recall", "the office", "--as-of", "march", vault=root, MEMDIR_NOW=NOW).code == 2
    found = ask(root, "Which address has the office?", "--as-of", "in march", "--limit", "20")
    assert "Keizersgracht" in line(root, found[0])


def test_a_past_value_says_what_came_after_it(root: Path) -> None:
    first = ask(root, "What was the first address of the office?")[0]
    assert (first["superseded_by"], first["valid_until"]) == ("Haarlemmerweg 7", "2023-05-01")
    shown = driver.run("recall", "What was the first address of the office?", vault=root, MEMDIR_NOW=NOW).out
    assert "superseded by Haarlemmerweg 7 on 2023-05-01" in shown
    now = ask(root, "What is the address of the office?")[0]
    assert (now["superseded_by"], now["valid_until"]) == ("", "")


def test_an_old_value_that_is_asked_for_by_its_words_is_found_and_marked(root: Path) -> None:
    first = ask(root, "Beanstalkd")[0]
    assert "Beanstalkd" in line(root, first)
    assert first["superseded_by"] == "Redis Streams"


def test_history_stands_for_no_note_when_the_question_is_about_now(root: Path) -> None:
    first = next(one for one in ask(root, "queue broker workers") if one["path"].endswith("queue.md"))
    assert not line(root, first).endswith("2026-10-20)")
    assert not first["valid_until"]


@pytest.mark.parametrize(
    ("question", "stem"),
    [
        ("Who is on the rota?", "rota-2026"),
        ("Who was on the rota last year?", "rota-2025"),
        ("the rota in June 2026", "rota-2026"),
        ("Where do cars stand?", "parking-new"),
        ("Where did cars stand before?", "parking-old"),
    ],
)
def test_notes_rank_by_the_time_they_hold(root: Path, question: str, stem: str) -> None:
    assert ask(root, question)[0]["path"] == f"memory/ref/{stem}.md"


def test_a_superseded_note_says_so(root: Path) -> None:
    found = {one["path"].rsplit("/", 1)[1]: one for one in ask(root, "Where do cars stand?")}
    assert found["parking-old.md"]["superseded_by"] == "Parking now"
    assert found["parking-new.md"]["superseded_by"] == ""
    ended = next(one for one in ask(root, "the rota") if one["path"].endswith("rota-2025.md"))
    assert (ended["superseded_by"], ended["valid_until"]) == ("", "2026-01-01")


def test_as_of_leaves_out_a_note_that_begins_later(root: Path) -> None:
    paths = [one["path"] for one in ask(root, "the rota", "--as-of", "2025-06-01")]
    assert "memory/ref/rota-2025.md" in paths
    assert "memory/ref/rota-2026.md" not in paths


def test_all_of_it_is_off_by_a_setting(root: Path) -> None:
    found = driver.run(
        "recall", "What was the first address of the office?", "--json", vault=root, MEMDIR_NOW=NOW,
        MEMDIR_RECALL_TIME="false",
    ).json["evidence"]  # fmt: skip
    assert "Amstelveen" not in line(root, found[0])
