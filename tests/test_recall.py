"""Recall end to end: what is quoted, within which budget, what is left out, and what is never guessed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.index import generation

Vault = Callable[..., Path]


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def root(vault: Vault) -> Path:
    return vault(name="own")


def test_a_budget_never_hides_the_best_answer(run: Run, root: Path) -> None:
    filler = "\n".join(f"Paragraph {n} says nothing that matters here at all." for n in range(40))
    write(root, "memory/ref/long.md", f"# Long\n{filler}\nThe giraffe hint is behind the blue door.\n{filler}\n")
    write(root, "memory/ref/other.md", "The giraffe has a long neck, which is well known.\n")
    for budget in ("1", "12", "40"):
        found = run("recall", "giraffe hint", "--budget", budget, "--json", vault=root)
        assert found.code == 0
        best = found.json["evidence"][0]
        assert best["path"] == "memory/ref/long.md"
        assert "giraffe hint" in best["quote"]
        assert best["line"] <= best["at"] <= best["last"]
        assert best["clipped"]
    small = run("recall", "giraffe hint", "--budget", "40", "--json", vault=root)
    assert any("did not fit the budget" in notice for notice in small.json["notices"])
    whole = run("recall", "giraffe hint", "--json", vault=root)
    assert len(whole.paths) == 2


@pytest.mark.parametrize("word", ["ford", "import", "scott", "crash", "rating"])
def test_words_that_are_only_a_little_alike_are_not_guessed(word: str, run: Run, root: Path) -> None:
    write(root, "memory/ref/tart.md", "Fold the food, force it in, improve, cost, short, class, cache, date, hated.\n")
    assert run("recall", word, vault=root).code == 3


def test_a_single_chinese_sign_is_no_answer_to_a_sentence(run: Run, root: Path) -> None:
    write(root, "memory/ref/蛋糕.md", "生日蛋糕请提前三天预订。\n")
    assert run("recall", "提交信息用什么语言", vault=root).code == 3
    assert run("recall", "提前", "--json", vault=root).paths == ["memory/ref/蛋糕.md"]
    assert run("recall", "提", "--json", vault=root).paths == ["memory/ref/蛋糕.md"]


@pytest.mark.parametrize(("question", "asks"), [("大门怎么锁", "怎么"), ("大門怎麼鎖", "怎麼")])
def test_a_note_full_of_questions_is_no_answer_to_one(question: str, asks: str, run: Run, root: Path) -> None:
    write(root, "memory/ref/问答.md", f"{asks}办？{asks}走？{asks}说？{asks}写？\n")
    write(root, "memory/ref/出行.md", "大门或大門要反锁，出去的时候把钥匙交给隔壁的邻居，每个人都请记得。\n")
    assert run("recall", question, "--json", vault=root).paths[0] == "memory/ref/出行.md"
    assert run("recall", asks, "--json", vault=root).paths == ["memory/ref/问答.md"]


def test_what_stands_in_properties_is_found_and_quoted(run: Run, root: Path) -> None:
    write(root, "memory/ref/film.md", '---\ndirector:\n  - "[[Ridley Scott]]"\nyear: 1982\ntags: [film]\n---\n')
    found = run("recall", "Ridley Scott", "--json", vault=root).json["evidence"][0]
    assert (found["path"], found["at"]) == ("memory/ref/film.md", 3)
    assert run("show", "film", "--json", vault=root).json["links"] == ["Ridley Scott"]
    assert run("recall", "updated", vault=root).code == 3


def test_a_note_found_by_its_name_is_quoted_by_its_body(run: Run, root: Path) -> None:
    front = "---\nurl: https://minimal.example\norigin: vault/Minimal.md\nrating: five stars\n---\n"
    write(root, "memory/ref/minimal-theme.md", f"{front}\n## To do\n\n- Color schemes\n")
    found = run("recall", "minimal theme", "--json", vault=root).json["evidence"]
    assert [(one["quote"], one["line"]) for one in found] == [("## To do\n\n- Color schemes", 7)]
    # Its own fields answer what asks for them, without the lines that say where the note comes from.
    found = run("recall", "minimal theme stars", "--json", vault=root).json["evidence"]
    assert [(one["quote"], one["line"]) for one in found] == [("rating: five stars", 4)]
    write(root, "memory/ref/empty.md", "---\nrating: one empty glass\norigin: x\n---\n\n")
    assert run("recall", "empty", "--json", vault=root).json["evidence"][0]["quote"] == "rating: one empty glass"


def test_what_only_embeds_is_no_evidence_by_meaning_or_link(run: Run, root: Path, model: Path) -> None:
    write(root, "memory/ref/Goods.md", "---\nicon: box\n---\n![[Goods.base]]\n")
    write(root, "memory/ref/Shop.md", "The store keeps merchandise, see [[Goods]].\n")
    write(root, "memory/ref/Dog.md", "Rex.\n")
    run("embedder", "drain", vault=root)
    for question in ("which products does the store sell", "what articles are for sale"):
        assert "memory/ref/Goods.md" not in run("recall", question, "--limit", "9", "--json", vault=root).paths
    assert run("recall", "goods", "--json", vault=root).paths[0] == "memory/ref/Goods.md"
    # Two words may be all that there is to say.
    assert "memory/ref/Dog.md" in run("recall", "the puppy", "--json", vault=root).paths


def test_the_log_line_of_a_note_gives_way_to_the_note(run: Run, root: Path) -> None:
    run("new", "Coffee habits", "--type", "user", "--body", "Black, before nine.", vault=root)
    run("log", "Coffee machine broke", vault=root)
    found = run("recall", "coffee habits", "--json", vault=root)
    assert found.paths[0] == "memory/user/coffee-habits.md"
    assert [one["quote"] for one in found.json["evidence"] if "→" in one["quote"]] == []
    assert any("machine broke" in one["quote"] for one in found.json["evidence"])


def test_the_list_in_memory_md_is_no_evidence(run: Run, root: Path) -> None:
    run("new", "Coffee habits", "--type", "user", "--body", "Black, before nine.", vault=root)
    text = (root / "MEMORY.md").read_text("utf-8").replace("# Memory\n", "# Memory\n\nTea is for guests.\n")
    (root / "MEMORY.md").write_text(text, "utf-8")
    assert "MEMORY.md" not in run("recall", "coffee habits", "--json", vault=root).paths
    found = run("recall", "tea guests", "--json", vault=root).json["evidence"][0]
    assert (found["path"], found["at"]) == ("MEMORY.md", 3)
    assert "coffee-habits" not in found["quote"]


def test_a_run_found_letter_by_letter_comes_first(run: Run, root: Path) -> None:
    write(root, "memory/ref/a.md", "湖水温度器，温度器因为，因为里面，里面湿。因为里，度器因\n" * 2)
    write(root, "memory/ref/b.md", "温度器因为里面潮湿而停机，需要更换传感器，并记录每一次更换的日期。\n")
    assert run("recall", "度器因为里面潮", "--json", vault=root).paths[0] == "memory/ref/b.md"


def test_words_are_named_as_they_were_typed(run: Run, root: Path) -> None:
    write(root, "memory/ref/a.md", "Releases happen on Tuesdays.\n")
    found = run("recall", "when is the relaese", "--json", vault=root)
    assert list(found.json["suggestions"]) == ["relaese"]
    assert run("recall", "releasing", "--json", vault=root).json["evidence"][0]["why"] == ["text: releasing"]


def test_bytes_of_another_encoding_are_shown_as_such_and_reported(run: Run, root: Path) -> None:
    path = root / "memory/ref/latin.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"one\ncaf\xe9 zanzibar\n")
    assert run("recall", "zanzibar", "--json", vault=root).json["evidence"][0]["quote"] == "one\ncaf\ufffd zanzibar"
    assert "caf\ufffd" in run("read", "latin", "--json", vault=root).json["text"]
    problems = run("doctor", "--json", vault=root).json["problems"]
    assert any(one["line"] == 2 and "UTF-8" in one["message"] for one in problems)


def test_a_dry_sync_counts_and_changes_nothing(
    run: Run, tree: Callable[[Path], object], root: Path, home: Path
) -> None:
    write(root, "memory/ref/a.md", "one\n")
    before = tree(root)
    assert run("sync", "--dry-run", "--json", vault=root).json["report"]["added"] == 2
    assert not list(home.glob("cache/memdir/*/gen-*"))
    run("sync", vault=root)
    (root / "memory/ref/a.md").unlink()
    kept, index = tree(root), tree(home / "cache")
    assert run("sync", "--dry-run", "--json", vault=root).json["report"]["removed"] == 1
    assert (tree(root), tree(home / "cache")) == (kept, index)
    assert before != kept


def test_what_the_name_does_not_say_decides_the_quoted_line(run: Run, root: Path) -> None:
    filler = "\n".join(f"The tide cache is described in paragraph {n} of this page." for n in range(20))
    write(root, "memory/ref/tide-cache.md", f"# Tide cache\n{filler}\n- lifetime:: 8 hours\n{filler}\n")
    found = run("recall", "tide cache lifetime", "--budget", "30", "--json", vault=root).json["evidence"][0]
    assert "lifetime:: 8 hours" in found["quote"]


def test_a_list_says_when_it_may_be_behind(run: Run, root: Path, home: Path) -> None:
    run("new", "One", "--type", "ref", vault=root)
    place = next(home.glob("cache/memdir/*"))
    write(root, "memory/ref/two.md", "two\n")
    with generation.lock(place, 0):
        listed = run("list", "--json", vault=root)
        assert "memory/ref/two.md" not in [one["path"] for one in listed.json["notes"]]
        assert "as it is" in listed.json["notices"][0]
        assert "as it is" in run("stats", vault=root).err
    assert run("list", "--json", vault=root).json["notices"] == []


@pytest.mark.parametrize("part", [0.07, 0.33, 0.52, 0.97])
def test_an_index_with_a_forged_seal_never_stops_a_rebuild(run: Run, root: Path, home: Path, part: float) -> None:
    run("new", "Zebra crossing", "--type", "ref", vault=root)
    folder = next(home.glob("cache/memdir/*/gen-*"))
    for path in [folder / "index.db", *(folder / "whoosh").glob("*.seg")]:
        data = bytearray(path.read_bytes())
        start = int((len(data) - 900) * part)
        data[start : start + 900] = b"\xff" * 900
        path.write_bytes(data)
    generation.seal(folder)
    assert run("recall", "zebra crossing", vault=root).code in (0, 3)
    assert run("rebuild", vault=root).code == 0
    found = run("recall", "zebra crossing", "--json", vault=root)
    assert found.paths == ["memory/ref/zebra-crossing.md"]
    assert run("doctor", vault=root).code == 0


def test_a_value_keeps_its_kind(run: Run, root: Path) -> None:
    write(root, "memory/ref/trip.md", '---\nloc:\n  - "[[Kyoto]]"\nepisode: "145"\ntopics: []\n---\ntext\n')
    run("set", "trip", "loc=[[Kyoto]],[[Osaka]]", "episode=146", "topics=rail", vault=root)
    assert (root / "memory/ref/trip.md").read_text("utf-8") == (
        '---\nloc:\n  - "[[Kyoto]]"\n  - "[[Osaka]]"\nepisode: "146"\ntopics: [rail]\n---\ntext\n'
    )


def test_nothing_is_no_log_entry(run: Run, root: Path) -> None:
    assert run("log", "  ", vault=root).code == 2
    assert not list(root.glob("memory/logs/*/*"))


def test_a_budget_holds_for_a_file_changed_since_it_was_indexed(run: Run, root: Path, home: Path) -> None:
    filler = "\n".join(f"Paragraph {n} says nothing that matters here at all." for n in range(40))
    write(root, "memory/ref/long.md", "The giraffe hint is here.\n")
    run("sync", vault=root)
    write(root, "memory/ref/long.md", f"{filler}\n\n# Moved\n\nThe giraffe hint is behind the blue door. {filler}\n")
    with generation.lock(next(home.glob("cache/memdir/*")), 0):
        found = run("recall", "giraffe hint", "--budget", "12", "--json", vault=root)
    assert "giraffe hint" in found.json["evidence"][0]["quote"]


def test_a_log_that_cannot_be_written_leaves_the_note_found_and_listed(run: Run, root: Path) -> None:
    shutil.rmtree(root / "memory/logs")
    write(root, "memory/logs", "in the way\n")
    made = run("new", "Zebra crossing", "--type", "ref", "--json", vault=root)
    assert made.code == 0
    assert any("is written, but" in notice for notice in made.json["notices"])
    assert "zebra-crossing" in (root / "MEMORY.md").read_text("utf-8")


def test_a_trace_tells_what_every_stage_made_of_a_question(run: Run, root: Path, model: Path) -> None:
    write(root, "memory/ref/boiler.md", "---\nname: Boiler\ntype: ref\n---\nThe heating runs at 45 degrees.\n")
    write(root, "memory/ref/bread.md", "---\nname: Bread\ntype: ref\n---\nRye, baked on Saturday.\n")
    told = run("recall", "heating of the boiler", "--trace", "--json", vault=root).json["trace"]
    assert told["question"]["mode"] == "auto"
    assert [view["view"] for view in told["views"]] == ["words", "meaning"]
    assert {view["first"][0][0].rpartition(":")[0] for view in told["views"]} == {"memory/ref/boiler.md"}
    assert told["ranking"][0][0].startswith("memory/ref/boiler.md")
    assert told["confidence"]["joined"] == 1
    shown = run("recall", "heating of the boiler", "--trace", vault=root).out
    assert "--- views" in shown
    assert "view meaning" in shown
    assert run("recall", "heating of the boiler", "--json", vault=root).json["trace"] == {}


@pytest.mark.parametrize(("mode", "views"), [("keyword", ["words"]), ("semantic", ["meaning"]), ("hybrid", 2)])
def test_a_mode_chooses_the_views(run: Run, root: Path, model: Path, mode: str, views: object) -> None:
    write(root, "memory/ref/boiler.md", "---\nname: Boiler\ntype: ref\n---\nThe heating runs at 45 degrees.\n")
    told = run("recall", "heating", "--mode", mode, "--trace", "--json", vault=root).json["trace"]["views"]
    names = [view["view"] for view in told]
    assert views in (names, len(names))


def test_recent_messages_are_searched_for_too(run: Run, root: Path) -> None:
    write(root, "memory/ref/boiler.md", "---\nname: Boiler\ntype: ref\n---\nThe heating was repaired: a new valve.\n")
    write(root, "memory/ref/bread.md", "---\nname: Bread\ntype: ref\n---\nIt went well: rye, baked on Saturday.\n")
    asked = ("recall", "and did it go well?", "--json")
    assert run(*asked, vault=root).paths[:1] == ["memory/ref/bread.md"]
    talk = '{"speaker": "Evan", "text": "Somebody came for the heating, for the valve"}\nSo the boiler is repaired?\n'
    assert run(*asked, "--recent", "-", vault=root, stdin=talk).paths[:1] == ["memory/ref/boiler.md"]
