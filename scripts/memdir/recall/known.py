"""The facts view: a question that names a note and one of its keys, or says a key of several words, is answered by the
current fact first.

Newer wins only inside one key (DESIGN section 5): a log that tells of an older value holds the same words and is
shorter, so BM25 alone puts it first. A question about the past is left to the words. Reads the index.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from memdir import text
from memdir.index import reader
from memdir.recall import asking

# A fact counts when its key shares this much of its words with the question. Of 120 questions about a simulated month
# (seed 1) the right value came first 89 times without this view; see references/learning.md.
SHARE = 0.35
# Words of a question → what a key that answers it may be called.
_ASKED = {
    "who": "owner manager contact lead", "own": "owner", "report": "manager", "boss": "manager", "talk": "contact",
    "reach": "contact phone hotline", "extens": "desk phone",
    "call": "phone hotline", "pay": "payment", "cost": "price", "charg": "price",
    "where": "location address host room", "live": "host location", "run": "platform host version",
    "piec": "unit price", "apiec": "unit price", "park": "bay", "停": "车位", "车停": "车位", "停车": "车位",
    "when": "date time window", "long": "term retention", "谁": "负责人 上级 联系人", "汇报": "上级",
    "哪里": "地址 位置 主机", "哪天": "日期", "何时": "时间 日期", "时候": "时间 日期 窗口",
    "多少钱": "单价 价格 租金 预算", "收费": "单价", "联系": "联系人",
}  # fmt: skip
LOOKED = 30  # hits whose notes are looked at for facts: what a recall of five results has
NEAR = 0.5  # what such a word counts, and one that begins as a word of the question does ("owns", "owner")


class Fact(NamedTuple):
    """A current fact that answers, and the passage it stands in; `line` counts from 0."""

    passage: int
    line: int


def facts(source: reader.Reader, question: str, hits: Sequence[reader.Hit]) -> list[Fact]:
    """The current facts that a question names, by note and key, the best first."""
    asked = set(text.terms(question))
    notes = list(dict.fromkeys(hit.path for hit in hits[:LOOKED] if hit.kind == "note"))
    name = {hit.path: told for hit in hits if hit.kind == "note" and (told := named(hit, asked))}
    words = close(asked, question)
    found = []
    rows = source.facts([*dict.fromkeys([*name, *notes])])
    whole = _whole(rows, question)
    for path, key, line, passage in rows:
        # What the name and the key share ("Atlas", "atlas version") says nothing of the key.
        told = name.get(path, frozenset())
        fit = share(text.label_terms(key) - told, asked - told, words) if path in name else 0.0
        if fit >= SHARE or key in whole:
            found.append((-fit, -worth(told), path, line, passage))
    return [Fact(passage, line) for *_, line, passage in sorted(found)]


def _whole(rows: Iterable[tuple[str, str, int, int]], question: str) -> set[str]:
    """The keys of several words that stand in a question which says no other full word, and that only one of these
    notes has: they name what is asked for as a note does ("when did the staging host change")."""
    said, held = f" {' '.join(text.surface_words(question))} ".casefold(), dict[str, set[str]]()
    full = {term for part in asking.parts(question) if part.weight >= 1 for term in part.terms}
    for path, key, _, _ in rows:
        if " " in key and f" {key.casefold()} " in said and full <= text.label_terms(key):
            held.setdefault(key, set()).add(path)
    return {key for key, paths in held.items() if len(paths) == 1}


def close(asked: AbstractSet[str], question: str) -> set[str]:
    """The words that a key may have for words of a question."""
    return {word for term in asked | set(question.casefold().split()) for word in text.terms(_ASKED.get(term, ""))}


def share(words: AbstractSet[str], asked: AbstractSet[str], close: set[str]) -> float:
    """How much of the words of a key a question says, 0 to 1."""
    return sum(text.worth(word) * _met(word, asked, close) for word in words) / (worth(words) or 1.0)


def _met(word: str, asked: AbstractSet[str], close: set[str]) -> float:
    """How far a word of a key is met by a question: 1, NEAR or 0."""
    if word in asked:
        return 1.0
    begins = any(len(term) > 2 and (word.startswith(term) or term.startswith(word)) for term in asked if len(word) > 2)
    return NEAR if begins or word in close else 0.0


def named(hit: reader.Hit, asked: set[str]) -> AbstractSet[str]:
    """The words of the name (or an alias) of a note that a question says whole; empty where it does not."""
    for name in (hit.name, *hit.aliases):
        words = text.label_terms(name)
        if words and words <= asked:
            return words
    return frozenset()


def worth(words: Iterable[str]) -> float:
    return sum(map(text.worth, words))


def first(hits: Sequence[reader.Hit], source: reader.Reader, found: Sequence[Fact]) -> list[reader.Hit]:
    """The hits with the passage of the best fact at their head."""
    if not found:
        return list(hits)
    (best,) = source.hits([found[0].passage])
    top = max((hit.score for hit in hits if not hit.archived), default=0.0)
    rest = [hit for hit in hits if (hit.path, hit.first) != (best.path, best.first)]
    return [best._replace(score=top, at=found[0].line), *rest]
