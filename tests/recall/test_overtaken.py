"""What a note knows better than a log entry comes before that entry."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import driver

NOW = "2026-11-30T10:00:00+00:00"
HEAD = "---\nname: {}\ntype: ref\ntags: [t]\ncreated: 2024-01-02\nupdated: 2026-11-01\nimportance: low\n---\n"
KESSLER = """Steel, by the tonne.

- payment term:: 30 days (2026-11-12 →) [source:: [[2026-11-12]] 15:20]
- contact:: Ilse (2026-11-10 →) [source:: [[2026-11-10]] 10:00]
- delivery day:: Friday (2026-11-20 →)

## History
- payment term:: 45 days (2026-11-09 → 2026-11-12) [source:: [[2026-11-09]] 08:05]
- delivery day:: Tuesday (2026-11-11 → 2026-11-20) [source:: [[2026-11-11]] 11:00]
- contact:: Otto (→ 2026-11-10) [source:: [[2026-11-10]] 10:00]
"""
WOOD = """木材。

- 账期:: 60 天 (2026-11-20 →)

## History
- 账期:: 20 天 (2026-11-13 → 2026-11-20) [source:: [[2026-11-13]] 10:30]
"""
LOGS = {
    "2026-11-09": "## 08:05 - Kessler gives us 45 days to settle\n\n## 08:05 - Kessler gives us sweets to take home\n",
    "2026-11-10": "## 10:00 - We speak to Ilse at Kessler, no longer to Otto\n",
    "2026-11-11": "## 11:00 - Call with Kessler\n- lorries come on a Tuesday\n- their crane is broken\n- all polite\n",
    "2026-11-12": "## 15:20 - Kessler went down to 30\n",
    "2026-11-13": "## 09:00 - 晨会\n- 电梯没动\n\n## 10:30 - 松木行给我们 20 天\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with driver.shared(tmp_path_factory) as place:
        for stem, name, body in (("kessler", "Kessler", KESSLER), ("wood", "松木行", WOOD)):
            (place / f"memory/ref/{stem}.md").write_text(HEAD.format(name) + body, "utf-8")
        for day, body in LOGS.items():
            path = place / f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {day}\n\n{body}", "utf-8")
        assert driver.run("sync", vault=place).code == 0
        yield place


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many days does Kessler give us?", "30 days", "gives us 45 days"),
        ("What does Kessler give us to settle?", "30 days", "gives us 45 days"),
        ("松木行给我们多少天", "60 天", "松木行给我们 20 天"),
        # of an entry with several lines the one that is over must be asked for
        ("Do lorries of Kessler come on a Tuesday?", "Friday", "lorries"),
        ("Is the crane of Kessler broken?", "crane", "Friday"),
        # a value that still holds stands in the entry too, or another entry of that minute has the old one
        ("To whom do we speak at Kessler?", "We speak to Ilse", "- contact:: Ilse"),
        ("Does Kessler give us sweets to take home?", "sweets", "30 days"),
        # the past
        ("What did Kessler give us to settle on 10 November 2026?", "45 days", "sweets"),
    ],
)
def test_the_fact_comes_before_the_entry_that_tells_what_it_was(
    root: Path, question: str, first: str, second: str
) -> None:
    done = driver.run("recall", question, "--json", vault=root, MEMDIR_NOW=NOW)
    quotes = [one["quote"] for one in done.json["evidence"]]
    places = [next(n for n, quote in enumerate(quotes) if text in quote) for text in (first, second)]
    assert places[0] < places[1], quotes


def test_it_is_off_by_a_setting(root: Path) -> None:
    done = driver.run(
        "recall", "How many days does Kessler give us?", "--json", vault=root, MEMDIR_NOW=NOW,
        MEMDIR_RECALL_FACTS="false",
    )  # fmt: skip
    assert "45 days" in done.json["evidence"][0]["quote"].split("\n")[0]
