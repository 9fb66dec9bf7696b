"""The second look at turns: what it sees of them, and what their scores are afterwards."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.index.sync import Options
from memdir.recall import rank
from memdir.recall.question import Question

NOTHING = rank.Signals(*(0.0 for _ in rank.Signals._fields))
SAID = [
    ("Caro", "Did you ever fire the blue kiln at the old pottery?"),
    ("Mel", "Yes, yesterday, and the glaze came out well."),
    ("Caro", "My brother would have loved the pottery."),
    ("Mel", "What is for dinner?"),
]
ALIKE = [("Mel", "the kiln is hot"), ("Caro", "Dinner!")] * 40


@pytest.fixture
def memory(vault: Callable[..., Path]) -> Iterator[Memory]:
    with Memory(vault(), options={"files.settle": 0.0}) as opened:
        yield opened


def feed(memory: Memory, session: str, said: list[tuple[str, str]]) -> None:
    lines = [
        json.dumps({"session_id": session, "speaker": who, "text": what, "ts": "2025-05-08T10:00:00Z", "uuid": f"t{n}"})
        for n, (who, what) in enumerate(said)
    ]
    memory.ingest(io.BytesIO("\n".join(lines).encode()))


def seen(memory: Memory, question: str, limit: int = 5) -> dict[str, rank.Signals]:
    return {turn: rank.Signals(*one) for turn, one in memory.signals(Question(question, Filters(), limit))}


def weighing(**signals: float) -> rank.Signals:
    return NOTHING._replace(**signals)


def test_what_is_seen_of_a_turn(memory: Memory) -> None:
    feed(memory, "one", SAID)
    found = seen(memory, "When did Caro fire the blue kiln, on 8 May 2025?")
    assert [found[f"t{n}"].answered for n in range(4)] == [1, 0, 0, 0]
    assert [found[f"t{n}"].other for n in range(4)] == [0, 1, 0, 1]
    assert [found[f"t{n}"].when for n in range(4)] == [0, 1, 0, 0]
    assert {one.period for one in found.values()} == {1}
    # Two turns away counts, three does not; the day was said in every turn's frame.
    assert found["t0"].near == found["t2"].near > found["t3"].near > 0
    assert len({one.told for one in found.values()}) == 1
    assert found["t0"].best == found["t0"].words > found["t1"].words
    assert found["t1"].beside == pytest.approx(found["t0"].words + found["t2"].words)


def test_a_day_is_told_in_chinese_too(memory: Memory) -> None:
    feed(memory, "one", [("user", "我们把发布日改到星期四。"), ("user", "发布日是周五。"), ("user", "发布顺利。")])
    found = seen(memory, "发布日改到哪天")
    assert [found[f"t{n}"].when for n in range(3)] == [1, 1, 0]


def test_a_question_that_asks_nothing_of_it(memory: Memory) -> None:
    feed(memory, "one", SAID)
    found = seen(memory, "blue kiln")
    assert not any(one.other or one.when or one.period for one in found.values())
    assert seen(memory, "zebra") == {}


def test_scores_are_dealt_out_anew() -> None:
    scores = {-1: 3.0, -2: 2.0, -3: 1.0, -4: 0.5}
    found: Mapping[int, rank.Signals] = {
        -1: weighing(other=1.0), -2: weighing(), -3: weighing(when=1.0),
    }  # fmt: skip
    assert rank.reordered(scores, rank.Look(found, {})) == {-3: 3.0, -2: 2.0, -1: 1.0, -4: 0.5}
    assert rank.reordered(scores, rank.NOTHING) == scores
    equal = {number: weighing(near=0.5) for number in scores}
    assert rank.reordered(scores, rank.Look(equal, {})) == dict.fromkeys(scores, 3.0)


def test_what_is_lifted_stays_behind_the_best_that_lifts_it() -> None:
    scores = {-1: 3.0, -2: 2.0, -3: 1.0}
    found = {-1: weighing(full=0.5), -2: weighing(full=0.2), -3: weighing(when=1.0)}
    assert rank.reordered(scores, rank.Look(found, {-3: [-1, -2]})) == {-1: 3.0, -3: 2.0, -2: 1.0}
    assert rank.reordered(scores, rank.Look(found, {-3: [-2]})) == {-1: 3.0, -2: 2.0, -3: 1.0}


@pytest.mark.parametrize(
    ("question", "said", "first"),
    [
        (
            "发布日改到哪天",
            [("user", "Remember: deploys happen on Tuesdays."), ("user", "我们把发布日改到星期四。")],
            "t1",
        ),
        (
            "what about the launch",
            [("user", "Standup is at nine in the small room upstairs, with coffee."), ("user", "Launch slips.")],
            "t1",
        ),
        # A reply may hold no word of what it answers.
        (
            "When was the kiln fired?",
            [("Caro", "Kiln fired?"), ("Mel", "Yes, all of it, yesterday at the shop.")],
            "t1",
        ),
    ],
)
def test_a_turn_beside_the_answer(memory: Memory, question: str, said: list[tuple[str, str]], first: str) -> None:
    """It stays behind the answer where it shares no word with the question and replies to nobody."""
    feed(memory, "one", said)
    for mode in ("auto", "keyword"):
        found = memory.recall(Question(question, Filters(), 5, mode=mode)).evidence
        assert [one.turn for one in found] == [first, "t0" if first == "t1" else "t1"], mode


def test_it_can_be_left_out(memory: Memory) -> None:
    between = [("Caro", "Soup it is!"), ("Mel", "And bread.")] * 3
    feed(
        memory,
        "one",
        [("Mel", "The kiln was hot."), *between, ("Mel", "The kiln was hot, yesterday, I guess."), *between],
    )
    question = Question("When was the kiln hot?", Filters(), 4)

    def turns(options: dict[str, object]) -> list[tuple[str, float]]:
        with Memory(memory.vault.root.path, options={"files.settle": 0.0, **options}) as opened:
            return [(one.turn, one.score) for one in opened.recall(question).evidence]

    without, after = turns({"recall.ranker": False}), turns({})
    assert sorted(score for _, score in without) == sorted(score for _, score in after)
    assert [turn for turn, _ in without][:2] == ["t0", "t7"]
    assert [turn for turn, _ in after][:2] == ["t7", "t0"]


def test_turns_that_stand_alone_keep_their_order_by_words(memory: Memory) -> None:
    for n, one in enumerate(SAID):
        feed(memory, f"s{n}", [one])
    assert seen(memory, "When was the pottery kiln fired?") == {}


def test_the_same_after_a_rebuild(memory: Memory) -> None:
    """Turns that are alike have one score, whatever numbers the index gave them."""
    feed(memory, "b", ALIKE)
    feed(memory, "a", ALIKE)
    question = Question("Is the kiln of Mel hot?", Filters(), 50)
    before = memory.recall(question).evidence
    memory.sync(Options(afresh=True))
    assert memory.recall(question).evidence == before
