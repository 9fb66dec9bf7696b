"""The two values of a change: "from 45 to 30 days", "from port 8123 to 8200", `从 45 天改为 30`.

A unit or a noun that stands with one of them is meant with both, and with the value that a note has already. Pure
functions; every pattern is bounded.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memdir.learn.items import Item
from memdir.learn.reading import keys
from memdir.vault import names
from memdir.vault.markdown import Fact

_NUMBER = (
    r"(?:\d[\d.,:]{0,15}(?<![.,:])|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen"
    r"|twenty|thirty|forty|sixty|ninety|half an?|[一二三四五六七八九十百两半]{1,4}(?=\s?个?[天日周月年元块秒分小]|$))"
)
# Words beside a number that are neither its unit nor what it counts.
_LOOSE = (
    r"(?:about|over|under|nearly|around|roughly|almost|only|up|at|on|in|from|to|for|of|and|or|by|with|per|the|a|an|not"
    r"|beta|alpha|rc|lts|final|preview|am|pm|now|again|instead)\b"
)
_UNIT = (
    rf"(?!{_LOOSE})(?:[a-z]{{1,15}}(?: (?!{_LOOSE})[a-z]{{1,15}})?"
    r"|(?-i:[KMGT]i?B|[kKM]|[A-Z]{3}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}))"
    r"|[%％€$£¥]|[\u3400-\u9fff]{1,4}"
)
_PARTS = re.compile(
    rf"(?P<noun>(?:(?!{_LOOSE})[a-z]{{2,15}} |[€$£¥] ?|[\u3400-\u9fff]{{1,4}}\s?)?)(?P<number>{_NUMBER})"
    rf"(?P<unit>(?:\s?(?:{_UNIT}))?)",
    re.IGNORECASE,
)


class _Parts(NamedTuple):
    """A value as what stands before its number, the number, and what stands behind."""

    noun: str
    number: str
    unit: str

    @property
    def bare(self) -> bool:
        return not self.noun and not self.unit


def _parts(value: str) -> _Parts | None:
    found = _PARTS.fullmatch(value.strip())
    return _Parts(found["noun"], found["number"], found["unit"]) if found else None


def paired(item: Item, held: Sequence[Fact]) -> Item:
    """A change with the unit or noun of one value at the other; where a note holds the old value (`held`: the facts
    of the key) both are written as it writes that."""
    old, new = _parts(item.old), _parts(item.value)
    if old is None or new is None:
        return item
    old, new = _without_key(old, item.key), _without_key(new, item.key)
    shape = next((one for one in (new, old) if not one.bare), new)
    for fact in held:
        if not fact.until and same(fact.value, item.old) and (parts := _parts(fact.value)):
            shape = parts
    old, new = (shape._replace(number=one.number) if one.bare or _fits(one, shape) else one for one in (old, new))
    return replace(item, old="".join(old), value="".join(new))


def _without_key(parts: _Parts, key: str) -> _Parts:
    """`port 8123` of a port is 8123."""
    meant = keys.alike(key) | keys.alike(key.split(" ")[-1])
    noun = "" if names.fold(parts.noun.strip()) in meant else parts.noun
    unit = "" if names.fold(parts.unit.strip()) in meant else parts.unit
    return parts._replace(noun=noun, unit=unit)


def _fits(one: _Parts, shape: _Parts) -> bool:
    """Whether a value may be written in that shape: nothing that it says itself would be lost but a common noun."""
    if shape.bare:
        return not one.unit and one.noun.islower()
    return one.noun == shape.noun and _letters(one.unit) == _letters(shape.unit)


def same(one: str, other: str) -> bool:
    """Whether two values are one: as told apart by their numbers, where at most one of them has a unit, or a noun."""
    if _letters(one) == _letters(other):
        return True
    left, right = _parts(one), _parts(other)
    if left is None or right is None or _letters(left.number) != _letters(right.number):
        return False
    return all(
        not a or not b or _letters(a) == _letters(b) for a, b in ((left.noun, right.noun), (left.unit, right.unit))
    )


def kept(key: str, item: Item, held: Sequence[Fact]) -> str:
    """The key that a change is of: `key`, or the only other one that says it in more words, ends in the same noun or in
    that of the old value, and holds this: "the panel moved from port 8123" where the note has `admin panel:: 8123`."""
    if not item.old or any(names.fold(fact.key) == names.fold(key) for fact in held):
        return key
    old = _parts(item.old)
    words = (key.split(" ")[-1], old.noun, old.unit) if old else (key.split(" ")[-1],)
    heads = {names.fold(word.strip()) for word in words if word.strip()}
    short = set(names.fold(key).split())
    found = {
        fact.key: None
        for fact in held
        if not fact.until
        and same(fact.value, item.old)
        and (short < set((longer := names.fold(fact.key)).split()) or any(_ends(longer, head) for head in heads))
    }
    return next(iter(found)) if len(found) == 1 else key


def _ends(key: str, head: str) -> bool:
    if head.isascii():
        return key.split(" ")[-1] == head
    return len(head) > 1 and (key.endswith(head) or (len(key) > 1 and head.endswith(key)))


def _letters(text: str) -> str:
    return names.fold("".join(text.split()).rstrip(".。"))
