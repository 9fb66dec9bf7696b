"""The bench: what its corpus is made of, that the command measures and finds, and what it says of bad input.

No figure of time is judged here: that is what the bench is for.
"""

import json
import re
import sys
from pathlib import Path

import pytest

import driver
from memdir.errors import BadData, MemdirError
from memdir.evals import corpus, cost, fts5, questions, sources, targets
from memdir.evals.cost import Cost, Latency
from memdir.evals.questions import Query
from memdir.interfaces.cli import measure

COSTS = {
    "first_index", "no_change", "ten_edits", "cold_recall", "cold_hybrid", "hybrid_process", "version", "python",
    "libraries", "fts5_index", "fts5_cold",
}  # fmt: skip
CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Query]]:
    """A corpus of 400 notes and its questions, phrases among them."""
    root = tmp_path_factory.mktemp("corpus")
    queries = corpus.write(root, 400, 7)
    return root, queries + questions.phrases(root, queries)


def test_bench_measures_everything_and_finds_every_kind(
    run: driver.Run, home: Path, tree: driver.Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(home)
    result = run("bench", "--notes", "60", "--own", "--repeat", "1", "--json")
    assert result.code == 0, result.err
    report = result.json
    assert report["repeat"] == 1
    assert set(report["machine"]) == {"system", "cpus", "python", "load"}
    (one,) = report["runs"]
    assert (one["notes"], one["made_by"]) == (60, "own generator, seed 7")
    assert set(one["costs"]) - {"grep"} == COSTS
    assert all(held["cpu"] >= 0 and held["wall"] > 0 and held["peak_mb"] > 1 for held in one["costs"].values())
    assert set(one["warm"]) == set(measure._WARM)
    assert all(0 < held["p50"] <= held["p95"] for held in one["warm"].values())
    wanted = {f"{ours}/{base}" for ours, base in targets.AGAINST if base in one["costs"]}
    assert set(one["ratios"]) == wanted | {
        f"{ours}_{p}/{base}_{p}" for p in ("p50", "p95") for ours, base in targets.WARM
    }
    assert set(one["found"]) == set(targets.ANSWERS)
    assert all(kind["queries"] and kind["met"] for kind in one["found"].values()), one["found"]
    assert tree(home) == before, "the bench keeps to its own folders"
    measure.show(report)
    shown = capsys.readouterr().out
    assert f"60 notes, {one['megabytes']} MB, {one['queries']} questions; own generator, seed 7" in shown
    assert re.search(r"^first index( +[\d.]+){3} +30, 400 MB$", shown, re.MULTILINE)
    assert re.search(r"^FTS5, warm query( +[\d.]+){4}$", shown, re.MULTILINE)
    assert re.search(r"^phrase( +\d+){5} +3 of 3 in the top 1$", shown, re.MULTILINE)


def test_a_given_corpus_is_copied(tmp_path: Path, tree: driver.Tree) -> None:
    root, file, copy = tmp_path / "notes", tmp_path / "asked.jsonl", tmp_path / "copy"
    (root / ".hidden").mkdir(parents=True)
    (root / "pear.md").write_text("# Pear\n\nGreen and long.\n", "utf-8")
    asked = [Query("fruit", "green and long", "pear.md")]
    questions.save(file, asked)
    plan = sources.Plan(corpus=root, queries=file)
    assert sources.prepare(plan, 0, copy, tmp_path / "queries.jsonl") == (str(root), asked)
    assert list(tree(copy)) == ["pear.md"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--corpus", "{root}"], "--queries"),
        (["--corpus", "{root}", "--queries", "{file}", "--notes", "5"], "--notes"),
    ],
)
def test_bench_says_what_does_not_fit_together(run: driver.Run, tmp_path: Path, args: list[str], said: str) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("{}\n", "utf-8")
    result = run("bench", *(arg.format(root=tmp_path, file=file) for arg in args))
    assert result.code == 2
    assert said in result.err


@pytest.mark.parametrize("line", ["no json", "[1]", '{"kind": "a"}', '{"kind": "a", "q": "b", "path": "absent.md"}'])
def test_a_bad_question_is_named_by_line(run: driver.Run, tmp_path: Path, line: str) -> None:
    file = tmp_path / "asked.jsonl"
    (tmp_path / "a.md").write_text("A\n", "utf-8")
    file.write_text(f'{{"kind": "a", "q": "b", "path": "a.md"}}\n{line}\n', "utf-8")
    result = run("bench", "--corpus", tmp_path, "--queries", file)
    assert result.code == 5
    assert f"{file}:2: " in result.err


def test_a_file_without_questions_is_bad_data(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("\n", "utf-8")
    with pytest.raises(BadData, match="no question"):
        questions.load(file, tmp_path)


def test_the_corpus_is_the_same_for_the_same_seed(tmp_path: Path, tree: driver.Tree) -> None:
    first, again, other = (tmp_path / name for name in ("first", "again", "other"))
    assert corpus.write(first, 60, 7) == corpus.write(again, 60, 7) != corpus.write(other, 60, 8)
    assert tree(first) == tree(again) != tree(other)


def test_the_corpus_has_the_shape_that_was_promised(made: tuple[Path, list[Query]]) -> None:
    root, _ = made
    paths = questions.markdown(root)
    texts = {path: (root / path).read_text("utf-8") for path in paths}
    assert len(paths) == 400
    latin = [text for text in texts.values() if not CJK.search(text.split("\n")[1])]
    assert len(latin) == 380
    assert all(150 <= len(text.split()) <= 300 for text in latin), sorted(len(text.split()) for text in latin)
    assert all(re.match(r"---\nname: .+\ntype: \w+\ntags: \[.+\]\ncreated: ", text) for text in texts.values())
    assert sum("[[" in text for text in texts.values()) > 200
    names = {text.split("\n")[1].removeprefix("name: ") for text in texts.values()}
    assert len(names) == 400
    assert {link for text in texts.values() for link in re.findall(r"\[\[(.+?)\]\]", text)} <= names


def test_every_fact_stands_in_one_note_only(made: tuple[Path, list[Query]]) -> None:
    root, _ = made
    whole = "\n".join((root / path).read_text("utf-8") for path in questions.markdown(root))
    facts = [note.fact for note in corpus.notes(400, 7)]
    assert all(whole.count(fact) == 1 for fact in facts)
    assert len({note.code for note in corpus.notes(10_000, 7)}) == 10_000


def test_questions_of_every_kind_name_a_note_that_answers_alone(made: tuple[Path, list[Query]]) -> None:
    root, queries = made
    asked = {kind: [query for query in queries if query.kind == kind] for kind in targets.ANSWERS}
    assert {kind: len(held) for kind, held in asked.items()} == {**corpus.WANTED, "phrase": 10}
    for query in asked["exact"]:
        text = (root / query.path).read_text("utf-8")
        assert all(word in text for word in query.text.split())
    assert all(set(query.text.split()) - set((root / query.path).read_text("utf-8").split()) for query in asked["typo"])


def test_phrases_are_short_contiguous_and_stand_in_one_note(made: tuple[Path, list[Query]]) -> None:
    root, queries = made
    texts = {path: (root / path).read_text("utf-8") for path in questions.markdown(root)}
    facts = {note.path: note.fact for note in corpus.notes(400, 7)}
    lengths = set()
    for query in queries:
        if query.kind == "phrase":
            assert query.text in facts[query.path]
            assert [path for path, text in texts.items() if query.text in text] == [query.path]
            assert questions.SHORTEST <= len(query.text) <= questions.LONGEST
            lengths.add(len(query.text))
    assert len(lengths) > 3


def test_phrases_cut_no_latin_word(tmp_path: Path) -> None:
    line = "Fetife项目的支付网关改为4711，编号FETI-4711。"
    (tmp_path / "a.md").write_text(f"# 标题\n\n{line}\n", "utf-8")
    (tmp_path / "b.md").write_text("# 别的\n\n项目的支付网关改为九\n", "utf-8")
    (phrase,) = questions.phrases(tmp_path, [Query("cjk", "?", "a.md")])
    before, after = line.split(phrase.text)
    assert phrase.text not in (tmp_path / "b.md").read_text("utf-8")
    assert not re.search(r"[A-Za-z0-9]$", before) or not re.match(r"[A-Za-z0-9]", phrase.text)
    assert not re.match(r"[A-Za-z0-9]", after) or not re.search(r"[A-Za-z0-9]$", phrase.text)


def test_a_note_without_a_phrase_of_its_own_gives_none(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# 题\n\n完全一样的句子\n", "utf-8")
    assert questions.phrases(tmp_path, [Query("cjk", "?", "a.md")]) == []


def test_edits_touch_other_files_each_turn(tmp_path: Path, tree: driver.Tree) -> None:
    corpus.write(tmp_path, 60, 7)
    paths, before = questions.markdown(tmp_path), tree(tmp_path)
    first, second = corpus.edit(tmp_path, paths, 10, 1), corpus.edit(tmp_path, paths, 10, 2)
    assert len(first) == len(second) == 10
    assert first != second
    after = tree(tmp_path)
    assert {path for path in before if before[path] != after[path]} == {*first, *second}


def test_the_baseline_finds_what_stands_there(tmp_path: Path) -> None:
    corpus.write(tmp_path / "notes", 60, 7)
    database = str(tmp_path / "fts5.db")
    env = cost.environment(tmp_path)
    cost.measure([sys.executable, fts5.__file__, "index", database, str(tmp_path / "notes")], env)
    note = next(corpus.notes(60, 7))
    ran = cost.measure([sys.executable, fts5.__file__, "query", database, f'{note.slots["ident"]} "quoted'], env)
    assert ran.output.split("\n")[0] == note.path


def test_a_process_is_measured_by_itself(tmp_path: Path) -> None:
    env = cost.environment(tmp_path)
    large = cost.measure([sys.executable, "-c", "x = bytearray(80_000_000); print(len(x))"], env)
    small = cost.measure([sys.executable, "-c", "print('ü')"], env)
    assert (large.output, small.output) == ("80000000\n", "ü\n")
    assert large.cost.peak_mb > 80 > small.cost.peak_mb


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(MemdirError, match=r"ended with 3: because"):
        cost.measure([sys.executable, "-c", "import sys; print('because'); sys.exit(3)"], cost.environment(tmp_path))
    with pytest.raises(MemdirError, match=r"could not be started"):
        cost.measure([str(tmp_path / "absent")], cost.environment(tmp_path))


def test_median_and_percentiles() -> None:
    assert cost.median([Cost(1, 4, 7), Cost(3, 2, 9), Cost(2, 3, 8)]) == Cost(2, 3, 8)
    seconds = [n / 1_000 for n in range(1, 101)]
    assert cost.latency(seconds, [0.005]) == Latency(50.0, 95.0, 5.0, 5.0)
    assert cost.latency([], []) == Latency(0.0, 0.0, 0.0, 0.0)


def test_targets_tell_what_is_missed() -> None:
    queries = [Query("cjk", str(n), f"{n}.md") for n in range(10)] + [Query("typo", "x", "x.md")]
    ours = [[f"{n}.md"] if n < 8 else ["no.md"] for n in range(10)] + [["a.md", "x.md"]]
    answers = targets.found(queries, ours, [[]] * 11)
    assert answers["cjk"] == targets.Found(10, 8, 8, 0, 0, "8 of 10 in the top 1", True, ("8", "9"))
    assert answers["typo"] == targets.Found(1, 0, 1, 0, 0, "1 of 1 in the top 5", True, ())
    few = targets.found(queries, [[], *ours[1:]], [[]] * 11)
    costs = {name: Cost(0.01, 0.01, 1.0) for name in (*targets.CPU, "hybrid_process")}
    warm = dict.fromkeys({name for pair in targets.WARM for name in pair}, Latency(1, 1, 1, 1))
    warm |= dict.fromkeys(("recall", "recall_same"), Latency(2, 3, 2, 3))
    lines = targets.missed(10_000, 18_000, costs | {"first_index": Cost(31, 31, 500)}, warm, few)
    assert [line.split(":")[0] for line in lines] == [
        "found cjk",
        "recall_same p50",
        "recall p50",
        *["first_index"] * 2,
    ]
    slow = warm | {"hybrid": Latency(3.1, 4, 3.1, 4)}
    assert targets.missed(10_000, 18_000, costs | {"hybrid_process": Cost(1, 1, 301)}, slow, {})[2:] == [
        "hybrid p50: 3.1 ms, fts5 1 ms",
        "hybrid_process: 301 MB, wanted under 300",
    ]
    assert not any("hybrid p50" in line for line in targets.missed(1_000, 1_800, costs, slow, {}))
    quick = dict.fromkeys(warm, warm["recall"])
    assert targets.missed(20_000, 36_000, costs | {"first_index": Cost(31, 31, 500)}, quick, {}) == []


def test_the_bench_prints_one_document_with_stable_keys(run: driver.Run, tmp_path: Path) -> None:
    result = run("bench", "--corpus", tmp_path, "--json")
    assert (result.code, json.loads(result.out)["error"]["kind"]) == (2, "usage")


@pytest.mark.skipif(not (sources.SHARED / "gen_corpus.py").is_file(), reason="the peers' corpus lies beside a checkout")
def test_the_shared_generator_is_used_where_it_is_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    made_by, queries = sources.prepare(sources.Plan(), 60, tmp_path / "sixty", file)
    assert made_by == "shared generator, seed 7"
    assert {query.kind for query in queries} == set(targets.ANSWERS)
    assert questions.load(file, tmp_path / "sixty") == queries
    assert sources.prepare(sources.Plan(), 5, tmp_path / "five", file)[0] == "own generator, seed 7"


def test_turns_are_measured_and_every_question_is_answered(
    run: driver.Run, home: Path, tree: driver.Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(home)
    result = run("bench", "--turns", "300", "--repeat", "1", "--json")
    assert result.code == 0, result.err
    (one,) = result.json["runs"]
    assert one["turns"] == 300
    assert one["found"]["turn"]["top5"] == one["queries"] == 40
    assert set(one["costs"]) <= set(measure._COSTS)
    assert set(one["warm"]) <= set(measure._WARM)
    assert tree(home) == before
    measure.show(result.json)
    assert f"{one['speed']} turns a CPU second" in capsys.readouterr().out
