"""How sure a recall is: graded evidence, declined answers, and questions that nothing in the vault is near to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir import text
from memdir.recall import asking, attributes, confidence
from memdir.recall.confidence import Signals
from memdir.recall.telling import Held

KITCHEN = {
    "pancakes": "Two eggs, flour and milk. The batter rests for an hour.",
    "knives": "The knives are whetted every month and never see the dishwasher.",
    "咖啡豆": "咖啡豆放在橱柜最上层，每周三磨一次。",
}
NAMES = ("auk", "bittern", "curlew", "dunlin", "egret", "fulmar", "gannet", "heron", "ibis", "jackdaw")
TOWNS = ("苏州", "杭州", "南京", "成都", "重庆", "昆明", "厦门", "青岛", "大连", "西安")


def write(root: Path, name: str, body: str) -> None:
    head = (
        f"---\nname: {name}\ntype: ref\ntags: []\ncreated: 2026-01-01\nupdated: 2026-01-01\nimportance: medium\n---\n"
    )
    path = root / "memory" / "ref" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + body + "\n", "utf-8")


@pytest.fixture
def small(vault: Callable[..., Path]) -> Path:
    """Three notes."""
    root = vault()
    for name, body in KITCHEN.items():
        write(root, name, body)
    return root


@pytest.fixture
def large(vault: Callable[..., Path]) -> Path:
    """Three hundred notes: servers in English, shops in Chinese, and the kitchen."""
    root = vault()
    for name, body in KITCHEN.items():
        write(root, name, body)
    for n in range(150):
        name = f"{NAMES[n % 10]}-{n // 10}"
        write(root, name, f"The server {name} stands in rack {n}.\n\n- memory:: {n + 8} GB\n- owner:: Person{n}")
    for n in range(147):
        town = TOWNS[n % 10]
        write(root, f"{town}茶铺{n}", f"{town}第{n}号茶铺，周一休息，掌柜姓陈。")
    return root


FAR = ("quantum chromodynamics", "zeppelin", "medieval falconry laws", "量子色动力学", "蒙古首都")


@pytest.mark.parametrize("question", FAR)
@pytest.mark.usefixtures("model")
def test_a_question_that_nothing_is_near_to_finds_nothing_in_a_vault_of_three_notes(
    run: Run, small: Path, question: str
) -> None:
    found = run("recall", question, "--json", vault=small)
    assert (found.code, found.paths, found.json["abstained"], found.json["confidence"]) == (3, [], True, 0.0)
    shown = run("recall", question, vault=small)
    assert (shown.code, shown.out) == (3, "")
    assert "nothing found" in shown.err


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How sharp should the blades be?", "knives"),
        ("what do I need for crepes", "pancakes"),
        ("On which day is the coffee ground?", "咖啡豆"),
    ],
)
@pytest.mark.usefixtures("model")
def test_what_is_near_without_a_shared_word_is_shown_in_a_vault_of_three_notes(
    run: Run, small: Path, question: str, name: str
) -> None:
    assert run("recall", question, "--json", vault=small).paths[0] == f"memory/ref/{name}.md"


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize(
    "question", ["how long does the batter rest", "knives dishwasher", "咖啡豆放在哪里？", "咖啡豆 橱柜"]
)
@pytest.mark.usefixtures("model")
def test_an_answered_question_is_answered_first_and_primary(
    run: Run, request: pytest.FixtureRequest, size: str, question: str
) -> None:
    found = run("recall", question, "--json", vault=request.getfixturevalue(size))
    first = found.json["evidence"][0]
    assert (found.code, found.json["abstained"], first["grade"]) == (0, False, "primary")
    assert first["name"] in KITCHEN
    scores = [one["score"] for one in found.json["evidence"]]
    assert scores == sorted(scores, reverse=True)
    assert 1 >= scores[0] >= confidence.PRIMARY
    assert scores[-1] >= confidence.SUPPORTING
    assert {one["grade"] for one in found.json["evidence"]} <= {"primary", "supporting"}


DECLINED = (
    ("What is the email address of Wilhelmina Ostertag?", ["Wilhelmina Ostertag"]),
    ("Which phone number does the zeppelin hangar have?", []),
    ("龚老师的护照号是多少钱办的？", ["龚老师"]),
)


@pytest.mark.parametrize(("question", "missing"), DECLINED)
@pytest.mark.usefixtures("model")
def test_a_declined_answer_keeps_the_closest_two_and_says_what_is_missing(
    run: Run, large: Path, question: str, missing: list[str]
) -> None:
    found = run("recall", question, "--json", vault=large)
    assert (found.code, found.json["abstained"]) == (3, True)
    assert found.json["confidence"] < confidence.DECLINE
    assert set(missing) <= set(found.json["missing"])
    assert len(found.json["evidence"]) <= confidence.LEFT
    assert {one["grade"] for one in found.json["evidence"]} <= {"supporting"}
    shown = run("recall", question, vault=large)
    assert shown.code == 3
    if found.json["evidence"]:
        assert shown.out.startswith("[abstained] ")
        assert all(name in shown.out.split("\n")[0] for name in missing)


@pytest.mark.usefixtures("model")
def test_an_attribute_that_is_told_of_something_else_alone_is_declined(run: Run, small: Path) -> None:
    for name, body in (
        ("Ida", "Plays the cello in the second row. Works at the harbour."),
        ("Otto", "- birthday:: 4 May 1980\n- phone:: 010-555 12 34\n\nLives on the quay."),
    ):
        write(small, name, body)
    for question, declined in (
        ("When is the birthday of Otto?", False),
        ("What is the phone number of Otto?", False),
        ("When is the birthday of Ida?", True),
        ("What is the phone number of Ida?", True),
        ("Ida 的生日是哪天？", True),
        ("Otto 的生日是哪天？", False),
    ):
        assert run("recall", question, "--json", vault=small).json["abstained"] is declined, question


@pytest.mark.usefixtures("model")
def test_the_limit_changes_nothing_of_how_sure_a_recall_is(run: Run, large: Path) -> None:
    for question in ("memory of egret-3", "egret-3 的护照号是多少", "周一休息的茶铺"):
        told = [run("recall", question, "--limit", str(n), "--json", vault=large).json for n in (1, 5, 20)]
        assert len({(one["confidence"], one["abstained"]) for one in told}) == 1, question


@pytest.mark.usefixtures("model")
def test_a_request_is_never_declined(run: Run, small: Path) -> None:
    for request in ("write a menu for Saturday with eggs", "帮我想个周六的菜单，要有咖啡豆"):
        found = run("recall", request, "--json", vault=small)
        assert (found.code, found.json["abstained"]) == (0, False), request


def test_without_vectors_words_alone_decide(run: Run, small: Path) -> None:
    assert run("recall", "batter", vault=small).code == 0
    assert run("recall", "chromodynamics", vault=small).code == 3


def test_clauses_and_full_words() -> None:
    first, second = asking.clauses("How long does the batter rest, and who whets the knives?")
    assert [part.terms[0] for part in first if part.weight == 1] == ["batter", "rest"]
    assert [part.terms[0] for part in second if part.weight == 1] == ["whet", "knive"]
    assert [part.terms for part in asking.parts("咖啡豆放在哪里？") if part.weight == 1] == [("咖啡", "啡豆", "豆放")]
    assert asking.clauses("") == [[]]


def test_words_that_only_ask() -> None:
    assert asking.slight("咖啡豆放在哪里？") == {"哪", "里", "在哪", "哪里"}
    assert asking.slight("什麼豆") == frozenset()  # beside a single sign they are all there is to look for
    assert asking.slight("怎么办？") == frozenset()
    assert asking.slight("where are the beans") == frozenset()


@pytest.mark.parametrize(
    ("said", "request_", "open_"),
    [
        ("Draft a reply to the plumber", True, False),
        ("could you please translate this", True, True),
        ("把这张照片裁成方的", True, False),
        ("List of the ferries", False, False),
        ("What did the ferry cost?", False, False),
        ("How can I descale the kettle?", False, True),
        ("Why was the ferry late?", False, True),
        ("请问渡船几点开？", False, False),
        ("水壶怎么除垢？", False, True),
    ],
)
def test_requests_and_open_questions(said: str, request_: bool, open_: bool) -> None:
    assert (asking.is_request(said), asking.is_open(said)) == (request_, open_)


@pytest.mark.parametrize("said", ["phone number of Ann", "Ann's phone", "安的电话", "几号开船"])
def test_an_attribute_is_asked_of_a_thing(said: str) -> None:
    assert asking.asks(said)


@pytest.mark.parametrize("said", ["hotel ferry", "餐厅 渡船", "Restaurants Places"])
def test_words_side_by_side_ask_nothing_of_a_thing(said: str) -> None:
    assert not asking.asks(said)
    assert signals(said, Held(set(), ["nothing"])).untold == 0
    assert signals(f"{said}?", Held(set(), ["nothing"])).untold == 1


def signals(question: str, *passages: Held, known: float = 1.0, voice: str = "") -> Signals:
    unsure = {} if known == 1 else dict.fromkeys(text.terms(question), known)
    clauses, asked = asking.clauses(question), attributes.read(question)
    return confidence.signals(question, clauses, asked, passages, unsure, voice=voice)


def test_words_that_stand_together_and_a_speaker_make_an_answer_surer() -> None:
    together = Held({"kettl", "rust"}, ["the kettle rusts"])
    apart = (Held({"kettl"}, ["a kettle"]), Held({"rust"}, ["rust"]))
    assert signals("kettle rust", together).joined == 1
    assert signals("kettle rust", *apart).joined == 0
    assert signals("kettle rust", together, known=0.0).unknown == 1
    hers, his = Held({"kettl"}, ["a kettle"], "Ann"), Held({"kettl"}, ["a kettle"], "Bob")
    ann, bob = (signals("Which kettle does Ann own?", one, voice="Ann") for one in (hers, his))
    assert ann.told == -bob.told > 0
    assert confidence.answered(ann) > confidence.answered(bob)
    assert confidence.answered(ann, 1.0) == pytest.approx(0.7 * confidence.answered(ann), abs=1e-3)


def test_grades_never_rise_and_fade_with_the_fused_score() -> None:
    found = confidence.graded([10.0, 8.0, 9.0, 1.5, 0.5, -1.0], 0.8, 1000, declined=False)
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(0.94)
    assert [score >= confidence.SUPPORTING for score in found] == [True, True, True, True, False, False]
    assert min(confidence.graded([10.0, 0.5, -1.0], 0.8, 3, declined=False)) >= confidence.SUPPORTING
    assert max(confidence.graded([10.0, 9.0], 0.4, 1000, declined=True)) < confidence.PRIMARY
    assert confidence.graded([-0.5, -0.7], 0.8, 1000, declined=False) == [0.94, 0.94]
    assert confidence.graded([], 0.0, 10, declined=True) == []


def test_what_counts_as_near_is_told_by_the_model_or_by_many_vectors() -> None:
    assert confidence.least("use-multilingual-v3", 0.5, 0.1, 3) == 0.15
    assert confidence.least("another", 0.5, 0.1, 1000) == pytest.approx(0.7)
    assert confidence.least("another", 0.5, 0.1, 3) == -1
    assert confidence.above_usual("another", 0.9) == 0
