"""The facts view: a question that names a note and one of its keys is answered by the current fact first.

Newer wins only inside one key (DESIGN section 5): a log that tells of an older value holds the same words and is
shorter, so BM25 alone puts it first. A question about the past is left to the words. Reads the index.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from memdir import text
from memdir.index import reader
from memdir.recall import temporal

# A fact counts when its key shares this much of its words with the question. Of 120 questions about a simulated month
# (seed 1) the right value came first 89 times without this view; see references/learning.md.
SHARE = 0.35
# Words of a question → what a key that answers it may be called.
_ASKED = {
    "who": "owner manager contact lead", "own": "owner", "report": "manager", "boss": "manager", "talk": "contact",
    "reach": "contact phone hotline", "call": "phone hotline", "pay": "payment", "cost": "price", "charg": "price",
    "where": "location address host room", "live": "host location", "run": "platform host version",
    "when": "date time window", "long": "term retention", "谁": "负责人 上级 联系人", "汇报": "上级",
    "哪里": "地址 位置 主机", "哪天": "日期", "何时": "时间 日期", "时候": "时间 日期 窗口",
    "多少钱": "单价 价格 租金 预算", "收费": "单价", "联系": "联系人",
}  # fmt: skip
NEAR = 0.5  # what such a word counts, and one that begins as a word of the question does ("owns", "owner")
# Seen from here every time that a question names is over, so that one who does not say `now` asks for the past by it.
FAR = datetime(9000, 1, 1)


class Fact(NamedTuple):
    """A current fact that answers, and the passage it stands in; `line` counts from 0."""

    passage: int
    line: int


def asks_for_past(question: str, now: datetime = FAR) -> bool:
    """Whether a question is about how things were: by a word, or by a time that is over at `now`."""
    return temporal.parse(question, now).past


def facts(source: reader.Reader, question: str, hits: Sequence[reader.Hit]) -> list[Fact]:
    """The current facts that a question names, by note and key, the best first."""
    asked = set(text.terms(question))
    close = {word for term in asked | set(question.casefold().split()) for word in text.terms(_ASKED.get(term, ""))}
    named = {hit.path: told for hit in hits if hit.kind == "note" and (told := _named(hit, asked))}
    if not named:
        return []
    found = []
    for path, key, line, passage in source.facts([*named]):
        words = set(text.terms(key))
        # What the name and the key share ("Atlas", "atlas version") says nothing of the key.
        words -= named[path]
        held = sum(text.worth(word) * _met(word, asked - named[path], close) for word in words)
        share = held / (_worth(words) or 1.0)
        if share >= SHARE:
            found.append((-share, -_worth(named[path]), path, line, passage))
    return [Fact(passage, line) for *_, line, passage in sorted(found)]


def _met(word: str, asked: set[str], close: set[str]) -> float:
    """How far a word of a key is met by a question: 1, NEAR or 0."""
    if word in asked:
        return 1.0
    begins = any(len(term) > 2 and (word.startswith(term) or term.startswith(word)) for term in asked if len(word) > 2)
    return NEAR if begins or word in close else 0.0


def _named(hit: reader.Hit, asked: set[str]) -> set[str]:
    """The words of the name (or an alias) of a note that a question says whole; empty where it does not."""
    for name in (hit.name, *hit.aliases):
        words = set(text.terms(name))
        if words and words <= asked:
            return words
    return set()


def _worth(words: Iterable[str]) -> float:
    return sum(map(text.worth, words))


def first(hits: Sequence[reader.Hit], source: reader.Reader, found: Sequence[Fact]) -> list[reader.Hit]:
    """The hits with the passage of the best fact at their head."""
    if not found:
        return list(hits)
    (best,) = source.hits([found[0].passage])
    top = max((hit.score for hit in hits if not hit.archived), default=0.0)
    rest = [hit for hit in hits if (hit.path, hit.first) != (best.path, best.first)]
    return [replace(best, score=top, at=found[0].line), *rest]
