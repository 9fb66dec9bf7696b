"""Whether passages tell an attribute of the thing that is asked about, or of another one."""

import pytest

from memdir import text
from memdir.recall import attributes, telling
from memdir.recall.telling import Held


def held(label: str, *lines: str) -> Held:
    where: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        for term in set(text.terms(line)):
            where.setdefault(term, []).append(number)
    around = set(text.terms(label))
    return Held(where.keys() | around, lines, where=where, around=around, label=label)


def untold(question: str, *passages: Held, unsure: dict[str, float] | None = None) -> tuple[float, float]:
    (clause,) = attributes.read(question)
    return telling.untold(clause, passages, unsure or {})


IDA = held("Ida", "Plays the cello.", "Works at the harbour.")
OTTO = held("Otto", "- birthday:: 4 May 1980", "Lives with Ida.")


def test_what_is_told_of_the_thing_is_told() -> None:
    assert untold("When is the birthday of Otto?", IDA, OTTO) == (0, 0)


def test_what_is_told_of_another_thing_is_not() -> None:
    line, apart = untold("birthday of Ida", IDA, OTTO)
    assert line == 1, "the line with the birthday does not hold Ida"
    assert apart == 0, "but the passage does"
    assert untold("birthday of Ida", IDA) == (1, 1)
    assert untold("birthday of Ida") == (1, 0)


def test_a_question_without_an_attribute_says_nothing() -> None:
    assert untold("Tell me of Ida", OTTO) == (0, 0)


def test_two_attributes_are_wanted_together() -> None:
    both = held("Ida", "- phone:: 010-555 12 34, ida@example.org")
    one = held("Ida", "- phone:: 010-555 12 34")
    assert untold("email or phone number of Ida", both) == (0, 0)
    assert untold("email or phone number of Ida", one) == (1, 1)


def test_a_pair_of_signs_over_the_seam_of_two_words_counts_less() -> None:
    note = held("阿明", "每月六十欧")
    seam = {"明收": 0.0}
    assert untold("阿明收多少钱？", note, unsure=seam)[0] < untold("阿明收多少钱？", note)[0]
    strange = seam | {"收": 0.0}
    assert untold("阿明收多少钱？", note, unsure=strange) == untold("阿明收多少钱？", note)


def test_the_word_that_is_known_least() -> None:
    (clause,) = attributes.read("How heavy is the brass anchor?")
    assert telling.least_known(clause.thing, {}) == 1
    assert telling.least_known(clause.thing, {"anchor": 0.7}) == pytest.approx(0.7)
    assert telling.least_known(clause.thing, {"anchor": 0.7, "brass": 0.0}) == 0


def test_the_lines_that_tell_it_are_found_in_order() -> None:
    note = held("The pier", "It is long.", "10 euros", "5 euros, 6 euros", "free", "no more")
    (clause,) = attributes.read("How much is the pier?")
    assert telling._lines(clause.attributes[0], note) == {1, 2, 3}
