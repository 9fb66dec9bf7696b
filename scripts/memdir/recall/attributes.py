"""What is asked of a thing, by class: its birthday, its price, who owns it; and what a line looks like that tells it.

A question seldom names an attribute in the words that a note has for it, and a note that says much of a thing need not
say this. So each class of `attribute_words` has the words that ask for it, and the words and kinds of value that tell
it. Of a question whose class is missing nothing is known, and nothing lost. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memdir.recall import asking, attribute_words
from memdir.recall.asking import Part

LONGEST = 4_000  # characters of a question that are read: what is longer was pasted
_APART = re.compile(r"[^a-z0-9]+")


class Attribute(NamedTuple):
    """A class. `asked`: beginnings of words in lower case, a blank before Latin ones and where a word ends; `told`: as
    in the table."""

    asked: tuple[str, ...]
    told: str


class Clause(NamedTuple):
    """What a clause of a question asks, and of what: the parts that are left without the words that ask for it."""

    attributes: Sequence[Attribute]
    thing: Sequence[Part]


def read(question: str) -> list[Clause]:
    """Clause by clause, up to LONGEST."""
    found = []
    for said in asking.pieces(question[:LONGEST]):
        attributes, looked = asked(said), _looked(said)
        words = [word for one in attributes for word in one.asked if word in looked]
        parts = asking.parts(_without(said, words))
        found.append(Clause(attributes, [part for part in parts if part.weight == 1] or parts))
    return found


def asked(said: str) -> list[Attribute]:
    """The classes that are asked for."""
    looked = _looked(said)
    return [one for one in _table() if any(map(looked.__contains__, one.asked))]


def _looked(said: str) -> str:
    """What the words that ask are looked for in: the Latin words between blanks, and all as it is."""
    folded = said.casefold()
    return f" {_APART.sub(' ', folded)} \n {folded}"  # no word reaches from one into the other


def tells(attribute: Attribute, body: str) -> Iterator[int]:
    """Where a text tells it."""
    return (found.start() for found in _telling(attribute.told).finditer(body))


def _without(said: str, words: Sequence[str]) -> str:
    for word in words:
        said = _asking(word).sub(" ", said)
    return said


@cache
def _table() -> tuple[Attribute, ...]:
    rows = (row.partition(" = ") for row in attribute_words.TABLE.replace("\n", " ").split(";"))
    return tuple(
        Attribute(
            tuple(f" {word}".replace(".", " ") if word.isascii() else word for word in asked.strip().split(", ")),
            told.strip(),
        )
        for asked, _, told in rows
    )


# Patterns are made when they are first asked for: all of them take 0.12 s.


@cache
def _asking(word: str) -> re.Pattern[str]:
    if not word.isascii():
        return re.compile(re.escape(word), re.IGNORECASE)
    end = "(?![a-z])" if word[-1] == " " else "[a-z]*"
    return re.compile(rf"(?<![a-z]){'[^a-z0-9]+'.join(word.split())}{end}", re.IGNORECASE)


@cache
def _telling(told: str) -> re.Pattern[str]:
    return re.compile("|".join(map(_told_word, told.split(", "))), re.IGNORECASE)


def _told_word(word: str) -> str:
    if word[0] == "<":
        return attribute_words.VALUES[word[1:-1]]
    if not word.isascii():
        return word
    return rf"\b{re.escape(word[:-1])}\b" if word[-1] == "." else rf"\b{re.escape(word)}"
