"""What is asked of a thing: the table of attributes, and what is left of a question without the words that ask."""

import pytest

from driver import unbounded
from memdir.recall import attribute_words, attributes

TABLE = attributes._table()


def told(question: str, body: str) -> list[bool]:
    return [any(True for _ in attributes.tells(one, body)) for one in attributes.asked(question)]


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.asked[0].strip())
def test_every_class_is_found_by_each_of_its_words_and_its_pattern_says_something(one: attributes.Attribute) -> None:
    for word in one.asked:
        assert word.strip(), one
        assert one in attributes.asked(f"and {word.strip()}?"), word
    assert not any(True for _ in attributes.tells(one, "")), "it would be told everywhere"


def test_no_word_asks_twice_in_a_class() -> None:
    for one in TABLE:
        assert len(set(one.asked)) == len(one.asked), one.asked


@pytest.mark.parametrize(
    ("question", "tells", "not_"),
    [
        ("What did the ferry cost?", "It was 12 euros.", "It left at 10:30."),
        ("What is the phone number of the ferry office?", "office: 010-555 12 34", "phone in the hall"),
        ("Which e-mail has the skipper?", "skipper@example.org", "by mail only"),
        ("渡船几点开？", "每天八点开", "很准"),
        ("渡船的票价格是多少", "三十欧", "不贵"),
        ("船长的生日是哪天", "1980 年出生", "很老"),
        ("What is the licence plate of the van?", "车牌 12-AB-34", "a white van"),
        ("Who owns the ferry?", "belongs to Otto", "Otto steers it"),
        ("How heavy is the anchor?", "十二公斤", "rather heavy for one"),
        ("Which version runs on the plotter?", "since 2.4.1", "the newest"),
        ("What colour is the funnel?", "RAL 3000", "it is tall"),
    ],
)
def test_an_attribute_is_told_by_another_word_or_by_a_value_of_its_kind(question: str, tells: str, not_: str) -> None:
    assert attributes.asked(question)
    assert any(told(question, tells))
    assert not all(told(question, not_))


def test_a_word_inside_another_one_asks_nothing() -> None:
    assert attributes.asked("Which agenda did the manager open?") == attributes.asked("Which list did he open?")
    assert not attributes.asked("Who tells stories?")
    assert not attributes.asked("")


def test_a_question_falls_into_what_is_asked_and_the_thing_it_is_asked_of() -> None:
    (clause,) = attributes.read("What is the phone number of Jan Visser?")
    assert [part.terms for part in clause.thing] == [("jan",), ("visser",)]
    assert len(clause.attributes) == 1
    (clause,) = attributes.read("阿明的女儿叫什么名字？")
    assert [part.terms for part in clause.thing if part.weight == 1] == [("阿明",)]
    first, second = attributes.read("How long is the pier, and who owns the crane?")
    assert [part.terms for part in first.thing] == [("pier",)]
    assert [part.terms for part in second.thing] == [("crane",)]
    (clause,) = attributes.read("Tell me everything about the crane")
    assert not clause.attributes


def test_of_a_pasted_text_only_the_beginning_is_read() -> None:
    pasted = "who owns the boat, " * 1_000
    assert 200 < len(attributes.read(pasted)) < 220


def test_the_last_word_and_the_first_are_not_read_together() -> None:
    """ "on which" asks for a day."""
    assert len(attributes.asked("which port does our heron listen on")) == 1


@pytest.mark.parametrize("kind", attribute_words.VALUES)
def test_no_run_of_a_kind_of_value_is_without_a_bound(kind: str) -> None:
    """Two of them side by side made one line of 1,000 digits and 1,000 blanks take 33 s."""
    assert not any(unbounded(attribute_words.VALUES[kind]))
    assert any(unbounded(f"(?:{attribute_words.VALUES[kind]})+"))
