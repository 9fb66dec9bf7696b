"""Names by their capitals: runs of capitalised words, without the word that only begins a sentence.

A run holds up to six words, with `of`, `de`, `von` and the like between two of them. A single word at the beginning of
a sentence counts only when it has more capitals or digits (API, McKay, GPT4), or stands capitalised within a sentence
as well. Months, weekdays and the words that questions begin with are no names.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

LONGEST = 6
LINKS = frozenset("of de del della la van von der den di da dos al bin ibn the".split())  # noqa: SIM905
# Capitalised for other reasons than being a name.
COMMON = frozenset(
    """
    a about after again all also although am an and any are as at be because been before being but by can could did do
    does during each either else even every few first for from had has have he hence her here hers him his how however i
    if in instead into is it its just last let like many may maybe me might more most much must my neither never next no
    nor not note now of off often ok okay old on once one only or other our ours out over own per perhaps please put
    quite rather really same see shall she should since so some soon still such tell than thanks that the their theirs
    them then there these they this those though thus to today tomorrow too under unless until up upon us use very was
    we well were what when where whether which while who whom whose why will with within without would yes yesterday yet
    you your yours
    january february march april june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    add answer ask buy call change check compare delete describe explain find get give go help list make name open
    recall remember remind remove return run say search set show start stop summarise summarize take think try
    todo fixme turn update want write
    dr mr mrs ms prof st jr sr inc ltd mom dad mum
    """.split()  # noqa: SIM905
)


class Run(NamedTuple):
    start: int
    end: int


class _Word(NamedTuple):
    start: int
    end: int
    text: str
    begins: bool  # a sentence
    follows: bool  # the word before it with a blank or hyphen between


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W_][\w\u0300-\u036f]{0,60}(?:['’.&\-][^\W_][\w\u0300-\u036f]{0,60}){0,6}")


@cache
def _new() -> re.Pattern[str]:
    """What stands before a word that begins a sentence, an item or a quote."""
    return re.compile(r"[.!?:;\n。！？：；…•|>]|^ ?[\-*–—(\[]+ ?$")


@cache
def _possessive() -> re.Pattern[str]:
    return re.compile(r"(.{1,60})['’](?:s|ll|ve|re|d|m|S)")


def runs(text: str) -> Iterator[Run]:
    """The capitalised runs of a text, by place."""
    found = list(_split(text))
    inside = {word.text for word in found if not word.begins and _is_capital(word)}
    number = 0
    while number < len(found):
        length = _length(found, number)
        run = found[number : number + length]
        number += max(1, length)
        # What begins a sentence with a capital and is an everyday word says nothing.
        while run and (_is_common(run[0]) or (len(run) > 1 and run[0].text in LINKS)):
            run = run[1:]
        while run and (_is_common(run[-1]) or run[-1].text in LINKS):
            run = run[:-1]
        if run and not (len(run) == 1 and run[0].begins and not _is_marked(run[0].text) and run[0].text not in inside):
            yield Run(run[0].start, run[-1].end)


def _split(text: str) -> Iterator[_Word]:
    end, begins = 0, True
    for match in _words().finditer(text):
        between = text[end : match.start()]
        begins = end == 0 or (between != " " and _new().search(between) is not None)
        word = match[0]
        if ("'" in word or "’" in word) and (short := _possessive().fullmatch(word)):
            word = short[1]
        # Behind a possessive a new name begins.
        follows = between in (" ", "  ", "\u00a0") and text[max(0, end - 2) : end] not in ("'s", "’s")
        yield _Word(match.start(), match.start() + len(word), word, begins, follows)
        end = match.end()


def _length(found: list[_Word], number: int) -> int:
    """How many words from here on make a run; 0 when the first has no capital."""
    if not _is_capital(found[number]):
        return 0
    length = ahead = 1
    while number + ahead < len(found) and ahead < LONGEST:
        word = found[number + ahead]
        if not word.follows or word.begins:
            break
        if _is_capital(word):
            length = ahead + 1
        elif word.text not in LINKS or ahead > length:
            break
        ahead += 1
    return length


def _is_capital(word: _Word) -> bool:
    return word.text[0].isupper() or (word.text[0].isdecimal() and word.text[-1].isupper() and len(word.text) < 6)


def _is_marked(word: str) -> bool:
    """More than one capital, or a digit: API, McKay, GPT4."""
    return len(word) > 1 and any(sign.isupper() or sign.isdecimal() for sign in word[1:])


def _is_common(word: _Word) -> bool:
    return word.text.partition("'")[0].partition("’")[0].casefold() in COMMON
