"""Asking stores: ranks of turns, sessions and lines; memdir and the baseline for real; the command, its history."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import driver
from memdir.errors import UsageError
from memdir.evals import baseline, dataset, history, reports, retrieval, sets, stores, vault_set
from memdir.evals.dataset import Corpus, Dataset, Place, Query, Turn
from memdir.evals.retrieval import Asked, Found, Plan

SAID = (
    ("s1", "Ann", "My new bicycle is green."),
    ("s1", "Bob", "Where do you keep it?"),
    ("s2", "Ann", "In the cellar, behind the boiler."),
    ("s2", "Bob", "Our cat Miso sleeps there."),
)


def turns(corpus: str) -> list[dict[str, str]]:
    return [
        {
            "corpus": corpus,
            "session_id": session,
            "turn_id": f"t{n}",
            "ts": f"2023-05-0{n + 1}",
            "speaker": who,
            "text": said,
        }
        for n, (session, who, said) in enumerate(SAID)
    ]


def asked(corpus: str) -> list[dict[str, Any]]:
    rows = [
        ("green bicycle", ["t0"], "plain"),
        ("Miso and the boiler", ["t3", "t2"], "multi"),
        ("what happened on 2 May", ["t1"], "plain"),
        ("zeppelin", [], "unanswerable"),
    ]
    return [
        {
            "id": f"{corpus}/{n}",
            "corpus": corpus,
            "query": text,
            "gold_turn_ids": gold,
            "category": category,
            "abstain": not gold,
        }
        for n, (text, gold, category) in enumerate(rows)
    ]


def lines(file: Path, records: Sequence[Any]) -> Path:
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in records) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Two corpora of four turns in the neutral form."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    lines(folder / "turns.jsonl", [*turns("c"), *turns("d")])
    lines(folder / "queries.jsonl", [*asked("c"), *asked("d")])
    return folder


def note(path: str, body: str) -> dict[str, str]:
    name = Path(path).stem
    days = "created: 2025-01-01\nupdated: 2025-01-01"
    head = f"---\nname: {name}\ntype: project\ntags: []\n{days}\nimportance: medium\n---\n"
    return {"note": path, "text": f"{head}{body}"}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A vault set of three notes and a log."""
    return lines(
        tmp_path / "own.jsonl",
        [
            {"set": "small", "now": "2025-09-15T10:00:00+08:00", "settings": {"timezone": "Asia/Shanghai"}},
            note("memory/project/atlas.md", "# Atlas\n## Ports\n- port:: 8443\n## Owner\nThe team of Miriam.\n"),
            note("memory/project/borealis.md", "# Borealis\nRuns beside Atlas on 9000, with a zucchini cache.\n"),
            note("memory/ref/tea.md", "# 茶\n龙井茶放在厨房左边的柜子里。\n"),
            {
                "note": "memory/logs/2025/03/2025-03-02.md",
                "text": "# 2025-03-02\n\n## 09:00 - Kitchen painted\n- yellow\n",
            },
            {"query": "zucchini cache", "gold": ["memory/project/borealis.md"], "category": "plain", "lang": "en"},
            {"query": "龙井茶在哪里", "gold": ["memory/ref/tea.md#茶"], "category": "plain", "lang": "zh"},
            {
                "query": "kitchen painted",
                "gold": ["memory/logs/2025/03/2025-03-02.md:3-4"],
                "category": "history",
                "lang": "en",
            },
            {"query": "xylophone", "gold": [], "category": "unanswerable", "lang": "en", "abstain": True},
            {
                "query": "the team of Miriam and its orchard",  # the last word stands nowhere: links are followed
                "gold": ["memory/project/atlas.md#Owner"],
                "stale": ["memory/project/borealis.md"],
                "category": "current",
                "lang": "en",
            },
        ],
    )


class Fixed:
    """Answers every question with the turns of its corpus in order; the mean one looks at `limit`."""

    def __init__(self, config: Any) -> None:
        self.config = dict(config)
        self.held: list[Place] = []

    def build(self, corpus: Corpus) -> None:
        self.held = [Place(turn.id) for turn in corpus.turns]

    def ask(self, query: Query, k: int) -> Asked:
        order = self.held[::-1] if "mean" in self.config and k <= retrieval.LIMIT else self.held
        order = [*order, *order] if "twice" in self.config else order
        return Asked(tuple(Found(place, 1 / n) for n, place in enumerate(order[:k], 1)), False, 0.5, 10 * k, 0.001 * k)

    def close(self) -> None:
        self.held = []


def job(config: Any) -> retrieval._Job:
    corpus = Corpus("c", tuple(Turn(f"t{n}", f"s{n // 2}", "", "Ann", "x") for n in range(6)))
    query = Query("q", "c", "?", ((Place("t5"),), (Place("t4"),), (Place("t1"),)), "x", near=((Place("t3"),),))
    return retrieval._Job(corpus, (query,), Fixed, config, 5)


def test_sessions_rank_by_their_best_turn() -> None:
    (row,) = retrieval.work(job({})).rows
    assert row.ranks == (None, 4, 1), "the sixth turn is not among the five asked for"
    assert row.groups == (2, 0), "two gold turns of one session are one gold session"
    assert (row.near, row.near_groups) == ((3,), (1,))


def test_a_store_that_shows_another_order_for_fewer_is_told_apart() -> None:
    assert retrieval.work(job({})).same == [True]
    assert retrieval.work(job({"mean": "1"})).same == [True], "five are all that this one gives"
    wide = retrieval._Job(job({}).corpus, job({}).queries, Fixed, {"mean": "1"}, 6)
    assert retrieval.work(wide).same == [False]
    with pytest.raises(UsageError, match="gave one result twice"):
        retrieval.work(retrieval._Job(job({}).corpus, job({}).queries, Fixed, {"twice": "1"}, 20))


def test_places_meet_in_one_line() -> None:
    section = Place("a.md", 5, 9)
    assert section.meets(Place("a.md", 9, 12))
    assert section.meets(Place("a.md"))
    assert Place("a.md").meets(section)
    assert not section.meets(Place("a.md", 10, 12))
    assert not section.meets(Place("b.md", 5, 9))
    found = [Place("b.md", 1, 3), Place("a.md", 9, 9)]
    assert retrieval.ranks(found, [(section,), (Place("c.md"), Place("b.md")), (Place("c.md"),)]) == (1, 0, None)


def test_baseline_finds_speaker_day_and_picture() -> None:
    store = baseline.Baseline({})
    held = (
        Turn("t0", "s", "2023-05-08T13:56", "Ann", "Hi.", "a dog on a beach"),
        Turn("t1", "s", "", "Bob", "Hi, Ann."),
    )
    store.build(Corpus("c", held))

    def found(text: str) -> list[str]:
        return [one.place.name for one in store.ask(Query("q", "c", text, (), "x"), 5).found]

    assert found("What happened on 8 May?") == ["t0"]
    assert found("the dog") == ["t0"]
    assert found("Bob") == ["t1"]
    assert found("the of and") == []
    nothing = store.ask(Query("q", "c", 'a "zeppelin" OR', (), "x"), 5)
    assert (nothing.found, nothing.declined, nothing.confidence) == ((), True, 0.0)
    store.close()
    with pytest.raises(UsageError, match="no settings"):
        baseline.Baseline({"recall.k1": "1"})


def test_the_work_is_the_same_in_one_process_and_in_two(tiny: Path) -> None:
    held = dataset.load(tiny)
    one, two = (retrieval.run(Plan(held, baseline.Baseline, processes=count)) for count in (1, 2))
    assert one.rows == two.rows
    assert [row.id for row in one.rows] == [query.id for query in held.queries]
    assert [row.ranks for row in one.rows if row.id.startswith("c/")] == [(0,), (1, 0), (0,), ()]
    few = retrieval.run(Plan(held.pick(limit=1), baseline.Baseline))
    assert [row.id for row in few.rows] == ["c/0"]


def test_memdir_is_asked_through_its_vault(own: Path) -> None:
    held = vault_set.load(own)
    ran = retrieval.work(next(iter(retrieval._jobs(Plan(held, stores.Vault, processes=1)))))
    by_id = {row.id: row for row in ran.rows}
    assert [by_id[f"q{n}"].ranks for n in (1, 2, 3, 5)] == [(0,), (0,), (0,), (0,)]
    assert by_id["q5"].stale == (1,)  # behind the current value
    assert (by_id["q4"].declined, by_id["q4"].confidence) == (True, 0.0)
    assert all(tokens > 0 for tokens in ran.tokens[:3])
    assert all(ran.same)


def test_settings_reach_the_vault(own: Path) -> None:
    held = vault_set.load(own)
    with pytest.raises(Exception, match=r"recall\.k1"):
        retrieval.work(next(iter(retrieval._jobs(Plan(held, stores.Vault, {"recall.k1": "99"}, processes=1)))))


def test_eval_prints_definitions_figures_and_goals(own: Path, run: driver.Run, home: Path, tree: driver.Tree) -> None:
    before = tree(home)
    result = run("eval", own, "--processes", "1", "--json")
    assert result.code == 0, result.err
    report = result.json
    assert (report["set"], report["store"], report["queries"], report["answerable"]) == ("small", "memdir", 5, 4)
    assert set(report["levels"]) == {"passage", "file"}
    assert set(report["levels"]["passage"]) == {"all", "plain", "history", "current", "lang en", "lang zh"}
    assert report["levels"]["passage"]["all"]["any@1"] == 1
    assert report["abstention"]["false_now"] == 0
    assert report["abstention"]["found"]["n"] == 4
    assert [(one["id"], one["ranks"]) for one in report["rows"][3:]] == [("q4", ""), ("q5", "1")]
    assert report["stale_first"] == {"n": 1, "share": 0}
    assert {(one["figure"], one["rows"]) for one in report["goals"]} == {
        ("any@5", "history"),
        ("false recall", "all"),
        ("kept recall", "all"),
    }
    assert all(one["ahead"] >= 0 for one in report["goals"])
    assert tree(home) == before, "an evaluation keeps to its own folders"
    shown = run("eval", "run", own, "--processes", "1", "--store", "fts5").out
    assert "any@k: share of answerable questions with some gold target among the first k" in shown
    assert "store fts5" in shown
    assert "as it is set: false recall 0.0 %" in shown


def test_what_was_not_found_counts_for_nothing_in_the_second_curve_of_abstention() -> None:
    """An answer at rank 6, of which the store is less sure than of what nothing answers."""
    asked = [("a", False, (0,), 0.9), ("b", False, (5,), 0.1), ("c", True, (), 0.5)]
    rows = [retrieval.Row(id, "", "en", abstain, ranks, ranks, sure, False) for id, abstain, ranks, sure in asked]
    held = reports._abstention(rows)
    assert held
    assert (held["area"], held["false_at_95"]) == (0.5, 1)
    assert (held["found"]["n"], held["found"]["area"], held["found"]["false_at_95"]) == (1, 1, 0)


def test_eval_compares_with_a_file_and_with_a_named_run(
    tiny: Path, run: driver.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "FILE", tmp_path / "references" / "history.jsonl")
    refused = run("eval", tiny, "--store", "fts5", "--save", "first")
    assert (refused.code, "only a checkout" in refused.err) == (2, True)
    (tmp_path / "references").mkdir()
    saved = run("eval", tiny, "--store", "fts5", "--save", "first", "--json", MEMDIR_NOW="2025-09-15T10:00:00+00:00")
    assert saved.code == 0, saved.err
    (line,) = history.FILE.read_text("utf-8").splitlines()
    held = json.loads(line)
    assert (held["run"], held["date"], held["set"], held["store"]) == ("first", "2025-09-15", "tiny", "fts5")
    assert held["answers"]["turn"] == saved.json["answers"]["turn"]
    (tmp_path / "report.json").write_text(saved.out, encoding="utf-8")
    for name in ("first", tmp_path / "report.json"):
        result = run("eval", tiny, "--store", "fts5", "--compare", name, "--json")
        assert result.code == 0, result.err
        compared = result.json["compared"]
        assert {one["level"] for one in compared} == {"turn", "session"}
        assert all((one["mean"], one["low"], one["high"], one["certain"]) == (0, 0, 0, False) for one in compared)
    assert "may be chance" in run("eval", tiny, "--store", "fts5", "--compare", "first").out
    other = run("eval", tiny, "--store", "fts5", "--limit", "2", "--compare", tmp_path / "report.json")
    assert (other.code, "did not ask the same questions" in other.err) == (2, True)
    missing = run("eval", tiny, "--store", "fts5", "--compare", "second")
    assert (missing.code, "there are: first" in missing.err) == (3, True)


def test_a_difference_of_two_runs_is_found() -> None:
    theirs = ";".join(["-"] * 50)
    ours = ";".join(["1"] * 50)
    head = {"ids": "x", "set": "s", "split": "all", "answerable": 50}
    found = reports.compared({**head, "answers": {"turn": ours}}, {**head, "answers": {"turn": theirs}})
    assert {one["figure"] for one in found} == set(reports.COMPARED)
    assert all((one["mean"], one["certain"]) == (1, True) for one in found)


def test_eval_refuses_what_it_does_not_know(tiny: Path, run: driver.Run) -> None:
    for given, code, message in (
        (["nowhere"], 3, "no set 'nowhere'"),
        ([tiny, "--split", "dev"], 2, "tiny is not divided"),
        ([tiny, "--config", "recall.k1"], 2, "NAME=VALUE"),
    ):
        result = run("eval", *given)
        assert (result.code, message in result.err) == (code, True), result.err
    checked = run("eval", tiny, "--limit", "0", "--json")
    assert (checked.code, checked.json["queries"]) == (0, 0), checked.err
    assert run("eval", tiny, "--limit", "0").code == 0
    assert "compare-ranking" in run("eval", "--help").out


def test_rankings_are_compared(tmp_path: Path, run: driver.Run) -> None:
    file = lines(tmp_path / "r.jsonl", [{"a": ["x", "y", "z"], "b": ["x", "z", "y"]}, {"a": ["p"], "b": ["q"]}])
    found = run("eval", "compare-ranking", file, "--json").json
    assert (found["questions"], found["overlap@1"], found["overlap@5"]) == (2, 0.5, 0.5)
    assert (found["spearman"], found["spearman_questions"]) == (0.5, 1)
    shown = run("eval", "compare-ranking", file).out
    assert "Spearman    0.500 over 1" in shown
    bad = run("eval", "compare-ranking", lines(tmp_path / "bad.jsonl", [{"a": ["x", "x"], "b": []}]))
    assert (bad.code, "bad.jsonl:1" in bad.err) == (5, True)


@pytest.mark.skipif(not sets.SHARED.is_dir(), reason="the shared sets lie beside some checkouts only")
def test_a_slice_of_every_shared_set_is_found_about_as_often_as_ever() -> None:
    """The baseline at R@5, all questions: LoCoMo 55.0, pool 75.8, MADial 37.2."""
    for name, limit, least, most in (
        ("locomo", 120, 0.4, 0.7),
        ("longmemeval_pool", 60, 0.6, 0.9),
        ("madial_en", 60, 0.2, 0.6),
    ):
        held: Dataset = sets.load(name).pick(limit=limit)
        plan = Plan(held, baseline.Baseline)
        report = reports.report(plan, retrieval.run(plan), "fts5")
        assert least < report["levels"]["turn"]["all"]["R@5"] < most, name
