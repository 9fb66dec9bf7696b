"""Sets: the neutral form and the vault set, what makes them invalid, splits, and published files brought in."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import driver
from memdir.errors import BadData, NotFound, UsageError
from memdir.evals import dataset, originals, sets, vault_set
from memdir.evals.dataset import Place

TURN = {"corpus": "c", "session_id": "s1", "turn_id": "D1:1", "ts": "2023-05-08T13:56", "speaker": "Ann", "text": "Hi."}
QUERY = {"id": "q0", "corpus": "c", "query": "Who?", "gold_turn_ids": ["D1:1"], "category": "x", "abstain": False}
NOTE = """---
name: Atlas
---
# Atlas
Intro.
## Facts
- port:: 8443 ^now
```
## Facts
```
### Old
- port:: 80 ^old
## History
- port:: 8080 (2024-01-01 → 2025-03-01)
"""


def lines(file: Path, records: Sequence[Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    shown = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records)
    file.write_text("\n".join(shown) + "\n", encoding="utf-8")
    return file


def neutral(folder: Path, turns: Sequence[Any], queries: Sequence[Any]) -> Path:
    lines(folder / "turns.jsonl", turns)
    lines(folder / "queries.jsonl", queries)
    return folder


def vault_file(tmp_path: Path, *records: Any) -> Path:
    return lines(tmp_path / "own.jsonl", [{"note": "memory/project/atlas.md", "text": NOTE}, *records])


def test_neutral_form_keeps_corpora_apart(tmp_path: Path) -> None:
    other = {**TURN, "corpus": "d", "ts": None, "caption": "a dog"}
    tempting = {**QUERY, "id": "q1", "gold_turn_ids": [], "near_turn_ids": ["D1:1"], "abstain": "adversarial"}
    held = dataset.load(neutral(tmp_path / "tiny", [TURN, other], [QUERY, {**tempting, "corpus": "d"}]))
    assert (held.name, held.form, held.levels) == ("tiny", "turns", ("turn", "session"))
    assert [(one.name, one.turns[0].ts, one.turns[0].caption) for one in held.corpora] == [
        ("c", "2023-05-08T13:56", ""),
        ("d", "", "a dog"),
    ]
    first, second = held.queries
    assert (first.gold, first.abstain, first.lang) == (((Place("D1:1"),),), False, "en")
    assert (second.gold, second.abstain, second.near) == ((), True, ((Place("D1:1"),),))


@pytest.mark.parametrize(
    ("turns", "queries", "message"),
    [
        ([TURN, TURN], [QUERY], r"turns\.jsonl:2: the turn 'D1:1' stands twice"),
        ([TURN], [QUERY, QUERY], r"queries\.jsonl:2: the id 'q0' stands twice"),
        ([TURN], ["", {**QUERY, "gold_turn_ids": ["D1:2"]}], r"queries\.jsonl:2: the corpus has no turn 'D1:2'"),
        ([TURN], [{**QUERY, "gold_turn_ids": []}], "an answerable question has gold"),
        ([TURN], [{**QUERY, "abstain": True}], "an answerable question has gold"),
        ([TURN], [{**QUERY, "corpus": "e"}], "no turn of the corpus 'e'"),
        ([{**TURN, "text": ""}], [QUERY], "`text` is to be a text"),
        (["{"], [QUERY], r"turns\.jsonl:1: not JSON"),
        (["[]"], [QUERY], r"turns\.jsonl:1: not an object"),
    ],
)
def test_a_faulty_set_is_refused(tmp_path: Path, turns: list[Any], queries: list[Any], message: str) -> None:
    with pytest.raises(BadData, match=message):
        dataset.load(neutral(tmp_path / "set", turns, queries))


def test_splits_divide_corpora_and_a_limit_spreads(tmp_path: Path) -> None:
    names = ["conv-26", "conv-44"]
    turns = [{**TURN, "corpus": name} for name in names]
    queries = [{**QUERY, "id": f"{name}/q{n}", "corpus": name} for name in names for n in range(10)]
    whole = dataset.load(neutral(tmp_path / "locomo", turns, queries))
    assert [one.name for one in whole.pick("dev").corpora] == ["conv-26"]
    assert {one.corpus for one in whole.pick("test").queries} == {"conv-44"}
    assert [one.id for one in whole.pick(limit=4).queries] == ["conv-26/q0", "conv-26/q5", "conv-44/q0", "conv-44/q5"]
    assert whole.pick(limit=0).queries == ()
    with pytest.raises(UsageError, match="tiny is not divided"):
        dataset.load(neutral(tmp_path / "tiny", [TURN], [QUERY])).pick("dev")


@pytest.mark.parametrize(
    ("target", "span"),
    [
        ("", (0, 0)),
        ("#Atlas", (4, 15)),
        ("#Facts", (6, 12)),
        ("#Old", (11, 12)),
        ("#^now", (7, 7)),
        (":5", (5, 5)),
        (":5-7", (5, 7)),
    ],
)
def test_targets_name_lines(tmp_path: Path, target: str, span: tuple[int, int]) -> None:
    path = "memory/project/atlas.md"
    query = {"query": "port?", "gold": [f"{path}{target}"], "category": "current", "lang": "en"}
    (one,) = vault_set.load(vault_file(tmp_path, query)).queries
    assert one.gold == ((Place(path, *span),),)


def test_a_block_below_a_turn_heading_is_its_turn() -> None:
    text = "# S\n### user · 2026-01-01T10:00:00Z · ^t1 · u1\n> Hi.\n### user · 2026-01-01T10:01:00Z · ^t2 · u2\n> Ho.\n"
    assert vault_set.place("x:1", "s.md#^t1", {"s.md": text.split("\n")}) == Place("s.md", 2, 3)


def test_vault_set_carries_moment_settings_and_alternatives(tmp_path: Path) -> None:
    path = "memory/project/atlas.md"
    records = [
        {"set": "mine", "now": "2025-09-15T10:00:00+08:00", "settings": {"timezone": "Asia/Shanghai"}},
        {"note": path, "text": NOTE},
        {
            "query": "阿特拉斯",
            "gold": [[f"{path}#^now", f"{path}:14"]],
            "category": "x",
            "lang": "zh",
            "as_of": "2025-01-01",
        },
        {"query": "none", "gold": [], "category": "unanswerable", "lang": "en", "abstain": True, "id": "n"},
        {"query": "old", "gold": [path], "stale": [f"{path}#^old"], "category": "x", "recent": ["a", "b"]},
    ]
    held = vault_set.load(lines(tmp_path / "own.jsonl", records))
    (corpus,) = held.corpora
    assert (held.name, held.form, corpus.settings) == ("mine", "vault", {"timezone": "Asia/Shanghai"})
    assert corpus.notes[0].mtime == "2025-09-15T10:00:00+08:00", "a file without a time of its own has that of asking"
    first, second, third = held.queries
    assert (first.id, second.id, third.id) == ("q1", "n", "q3")
    assert first.gold == ((Place(path, 7, 7), Place(path, 14, 14)),)
    assert (first.as_of, first.moment, first.corpus) == ("2025-01-01", "2025-09-15T10:00:00+08:00", "mine")
    assert (third.recent, third.stale) == (("a", "b"), ((Place(path, 12, 12),),))


GOOD = {"query": "port?", "gold": ["memory/project/atlas.md"], "category": "x", "lang": "en"}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**GOOD, "gold": ["memory/project/atlas.md#Nothing"]}, r"own\.jsonl:2: .* is met 0 times"),
        ({**GOOD, "gold": ["memory/project/atlas.md:99"]}, "is nowhere in the set"),
        ({**GOOD, "gold": ["memory/other.md"]}, "is nowhere in the set"),
        ({**GOOD, "gold": "memory/project/atlas.md"}, "targets are a list"),
        ({**GOOD, "gold": []}, "an answerable question has `gold`"),
        ({**GOOD, "abstain": True}, "an answerable question has `gold`"),
        ({**GOOD, "catgory": "x"}, "a query takes no catgory"),
        ({**GOOD, "lang": "de"}, "`lang` is one of"),
        ({**GOOD, "as_of": "March"}, "is no day"),
        ({"note": "memory/project/atlas.md", "text": "x"}, "stands twice"),
        ({"note": "../atlas.md", "text": "x"}, "is no path of a note"),
        ({"note": "memory/a.md", "text": "x", "mtime": "2025-01-01T00:00:00"}, "no ISO 8601 time with offset"),
        ({"set": "late"}, "`set` is to be the first record"),
        ({"gold": []}, "neither `set` nor `note` nor `query`"),
    ],
)
def test_a_faulty_vault_set_is_refused(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(BadData, match=message):
        vault_set.load(vault_file(tmp_path, record))


def test_a_heading_that_stands_twice_is_no_target(tmp_path: Path) -> None:
    twice = {"note": "memory/b.md", "text": "# A\n## B\n## B\n"}
    with pytest.raises(BadData, match="is met 2 times"):
        vault_set.load(vault_file(tmp_path, twice, {**GOOD, "gold": ["memory/b.md#B"]}))


def test_names_are_looked_up_beside_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    neutral(tmp_path / "shared" / "tiny", [TURN], [QUERY])
    vault_file(tmp_path, GOOD)
    monkeypatch.setattr(sets, "SHARED", tmp_path / "shared")
    monkeypatch.setattr(sets, "OWN", tmp_path)
    assert sets.known() == ["own", "tiny"]
    assert sets.load("tiny").form == "turns"
    assert sets.load("own").form == "vault"
    assert sets.load(str(tmp_path / "own.jsonl")).form == "vault"
    with pytest.raises(NotFound, match=r"no set 'other'.*own, tiny"):
        sets.load("other")


@pytest.mark.skipif(not sets.SHARED.is_dir(), reason="the shared sets lie beside some checkouts only")
@pytest.mark.parametrize(
    ("name", "stores", "turns", "queries", "unanswerable"),
    [("locomo", 10, 5_882, 1_982, 446), ("longmemeval_pool", 1, 870, 500, 30), ("madial_en", 1, 160, 160, 0)],
)
def test_the_shared_sets_are_whole(name: str, stores: int, turns: int, queries: int, unanswerable: int) -> None:
    held = sets.load(name)
    assert (len(held.corpora), sum(len(one.turns) for one in held.corpora)) == (stores, turns)
    assert (len(held.queries), sum(one.abstain for one in held.queries)) == (queries, unanswerable)


LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a dog"},
            ],
            "session_10_date_time": "12:05 am on 9 June, 2023",
            "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Bye."}],
            "session_11_date_time": "1:00 pm on 1 July, 2023",
        },
        "qa": [
            {"question": "When?", "answer": 2022, "evidence": ["D1:1; D10:01"], "category": 2},
            {"question": "What?", "adversarial_answer": "x", "evidence": ["D1:2"], "category": 5},
            {"question": "Lost?", "answer": "y", "evidence": ["D"], "category": 4},
        ],
    }
]
LONGMEMEVAL = [
    {
        "question_id": "a1",
        "question_type": "single-session-user",
        "question": "Which car?",
        "answer": "red",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s", "s"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "It is red.", "has_answer": True}, {"role": "assistant", "content": " "}],
            [{"role": "user", "content": "Hello."}],
        ],
    },
]


def test_locomo_as_published_becomes_a_set(tmp_path: Path, run: driver.Run) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps(LOCOMO), encoding="utf-8")
    result = run("eval", "import", "locomo", file, "--out", tmp_path / "made", "--json")
    assert result.code == 0, result.err
    assert result.json == {"folder": str(tmp_path / "made"), "turns": 3, "queries": 2, "dropped": ["conv-1/q2"]}
    held = dataset.load(tmp_path / "made")
    (corpus,) = held.corpora
    assert [(one.id, one.session, one.ts, one.caption) for one in corpus.turns] == [
        ("D1:1", "s1", "2023-05-08T13:56", ""),
        ("D1:2", "s1", "2023-05-08T13:56", "a dog"),
        ("D10:1", "s10", "2023-06-09T00:05", ""),
    ]
    first, second = held.queries
    assert first.gold == ((Place("D1:1"),), (Place("D10:1"),))
    assert (first.category, first.moment) == ("temporal", "2023-06-09T00:05")
    assert (second.abstain, second.near) == (True, ((Place("D1:2"),),))
    again = run("eval", "import", "locomo", file, "--out", tmp_path / "made")
    assert (again.code, "holds a set already" in again.err) == (2, True)


def test_longmemeval_as_published_becomes_a_store_a_question(tmp_path: Path) -> None:
    (asked,) = LONGMEMEVAL
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps([asked, {**asked, "question_id": "b2_abs"}]), encoding="utf-8")
    originals.convert("longmemeval", file, tmp_path / "made")
    held = dataset.load(tmp_path / "made")
    assert [one.name for one in held.corpora] == ["a1", "b2_abs"]
    assert [(one.id, one.session, one.ts) for one in held.corpora[0].turns] == [
        ("s:t0", "s", "2023-05-20T02:21"),
        ("s#2:t0", "s#2", "2023-05-21T02:21"),
    ]
    first, second = held.queries
    assert (first.gold, first.category) == (((Place("s:t0"),),), "ss_user")
    assert (second.abstain, second.category, second.near) == (True, "abstention", ((Place("s:t0"),),))


@pytest.mark.parametrize("data", [{"a": 1}, [{"sample_id": "x"}], "no"])
def test_another_file_is_not_brought_in(tmp_path: Path, data: Any) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BadData, match="not the published form of locomo"):
        originals.convert("locomo", file, tmp_path / "made")
    assert not (tmp_path / "made").exists()
