"""Entities of a text by their shape, without a model: names, quotes, code, paths, links, versions, quantities, dates.

`lexicon` finds the names that the vault knows; this finds what looks like one, for linking passages that share it and
for saying which names of a question nothing mentions. It reads scripts with capitals; of Chinese and Japanese only what
stands in quotes and book-title marks, and dates. Pure; patterns are compiled when first used.
"""

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache, lru_cache
from typing import NamedTuple

from memdir import text as analyser
from memdir.index import lexicon
from memdir.recall import capitals, dates, dates_zh, patterns, phrases

MOST_READ = 100_000  # characters of a text that are read
MOST = 2_000  # entities of a text
_LATIN_DATES, _DATES = phrases.table(*dates.ROWS), phrases.table(*dates_zh.ROWS, *dates.ROWS)
_FAR = datetime(9000, 1, 1)
_SMALL = re.compile(r"[a-z]+[?.!,;:]?")
_QUOTING = frozenset(sign for shape in patterns.QUOTES for sign in shape.needs)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Entity(NamedTuple):
    """`text[start:end]` as it stands; `key`: the folded form by which two spellings of one kind are one.

    Kinds: url, email, env, flag, path, version, quantity, ticket, hashtag, code, date, name; title and quote, which
    may hold others.
    """

    kind: str
    text: str
    key: str
    start: int
    end: int


def shapes(text: str, *, dated: bool = True) -> list[Entity]:
    """The entities of a text by place, the longest first where two begin together; the time is linear.

    Without `dated` no dates are looked for, a third of the time.
    """
    text = text[:MOST_READ]
    taken = bytearray(len(text))
    found = [*(_dates(text, taken) if dated else ()), *_shaped(text, taken), *_names(text, taken), *_quoted(text)]
    return sorted(found, key=lambda one: (one.start, -one.end, one.kind))[:MOST]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _shaped(text: str, taken: bytearray) -> Iterator[Entity]:
    for kind, needs, pattern in patterns.SHAPES:
        if needs and not any(sign in text for sign in needs):
            continue
        for match in _compiled(pattern).finditer(text):
            start, end = match.span()
            if kind in ("url", "path"):
                end = start + len(_trimmed(match[0]))
            if end - start < 2 or any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            if folded := fold(kind, text[start:end]):
                yield Entity(kind, text[start:end], folded, start, end)


def _trimmed(said: str) -> str:
    """An address without the full stop of its sentence, and without a bracket that it did not open."""
    while said and (
        said[-1] in ".,;:!?*_~" or (said[-1] in ")]" and said.count(said[-1]) > said.count("(["[said[-1] == "]"]))
    ):
        said = said[:-1]
    return said


def _dates(text: str, taken: bytearray) -> Iterator[Entity]:
    """Days, months, quarters and years whose year is said."""
    if "19" not in text and "20" not in text:
        return
    for start, end, span in phrases.find(text, _FAR, _LATIN_DATES if text.isascii() else _DATES, MOST):
        said = text[start:end]
        if span.loose or not _compiled(r"(?:19|20)\d\d").search(said):
            continue
        taken[start:end] = b"\1" * (end - start)
        folded = str(span.first) if span.first == span.last else f"{span.first}/{span.last}"
        yield Entity("date", said, folded, start, end)


def _names(text: str, taken: bytearray) -> Iterator[Entity]:
    for start, end in capitals.runs(text):
        if not any(taken[start:end]) and (folded := lexicon.key(text[start:end])):
            yield Entity("name", text[start:end], folded, start, end)


def _quoted(text: str) -> Iterator[Entity]:
    for kind, needs, pattern in patterns.QUOTES:
        if any(sign in text for sign in needs):
            for match in _compiled(pattern).finditer(text):
                said = next(group for group in match.groups() if group is not None)
                start = match.start() + 1
                if folded := lexicon.key(said):
                    yield Entity(kind, said, folded, start, start + len(said))


@lru_cache(1 << 12)
def fold(kind: str, said: str) -> str:
    """The key of an entity of a kind; "" where nothing of it is left."""
    low = said.casefold()
    if kind == "url":
        return re.sub(r"^(?:https?://(?:www\.)?)", "", low).rstrip("/")
    if kind == "env":
        return said.strip("${}%").upper()
    if kind == "flag":
        return low.replace("_", "-")
    if kind == "path":
        return low.replace("\\", "/").removeprefix("./").rstrip("/") or low
    if kind == "version":
        return low.removeprefix("v")
    if kind == "quantity":
        number = _compiled(r"\d[\d,]*(?:\.\d+)?").search(low)
        return (
            f"{number[0].replace(',', '')} {(low[: number.start()] + low[number.end() :]).strip()}" if number else low
        )
    if kind == "code":
        return lexicon.key(_CAMEL.sub(" ", said.strip("`").removesuffix("()")))
    return low if kind in ("email", "ticket") else lexicon.key(said)


# Before the first 的 of a Chinese question stands whom or what it is about.
_SUBJECT = (
    r"(?:^|[，。？！,?!\s])(?:请问|我想知道|告诉我|关于|在|把|和|跟|给)?([\u3400-\u9fff]{2,8}?)的(?=[\u3400-\u9fff])"
)
_TITLED = (
    r"(?:^|请问|[和跟给找问，。、的\s])([\u3400-\u9fff]{1,3}?)(?:先生|女士|老师|经理|教授|医生|同学|总监|博士|师傅)"
)
_COMMON_ZH = frozenset({
    "以前", "之前", "原来", "过去", "现在", "目前", "当前", "当时", "曾经", "以后", "默认", "所有", "其他", "主要",
    "相关", "重要", "公司", "项目", "项目组", "系统", "团队", "部门", "办公室", "客户", "同事", "家里", "早上", "晚上",
    "昨天", "今天", "明天", "前天", "去年", "今年", "明年", "上周", "本周", "下周", "上个月", "下个月",
})  # fmt: skip
_FUNCTION_ZH = frozenset("我你他她它们这那哪谁什么怎是在有和了吗呢吧不没就都也还要会能可") | frozenset(
    "被把给对从到的很最新旧多少几个大家自己"
)
_NAMED = frozenset({"name", "quote", "title", "ticket", "hashtag", "email"})


def may_name(question: str, terms: AbstractSet[str]) -> bool:
    """Whether a name of a question may hold one of some analysed terms. One that stands in no other words than those in
    small letters is of none, unless it is quoted: to tell that takes a fifth of the time of `missing`."""
    if any(map(question.__contains__, _QUOTING)):
        return True
    words = [word for word in question.split() if not _SMALL.fullmatch(word) or word in capitals.LINKS]
    return not terms.isdisjoint(analyser.terms(" ".join(words)))


def missing(question: str, known: Callable[[str], bool]) -> list[str]:
    """The names that a question holds and nothing in the vault mentions, as they are written, each once.

    Looked at: capitalised names, quoted strings and titles, tickets, hashtags, e-mail addresses; of Chinese the
    subject before the first 的 and what bears a title (王经理). `known` is asked for single words, of Chinese for pairs
    of signs. A name is missing when it knows fewer than half of its words: a surname nobody wrote down is no reason.
    """
    question = question[:MOST_READ]
    found: list[tuple[int, str]] = []
    behind = 0
    for one in shapes(question, dated=False):  # the same on 6,058 questions of the evaluation sets
        if one.kind not in _NAMED or one.start < behind or (one.kind == "quote" and _is_speech(one.text)):
            continue
        behind = one.end
        if not _is_known(one.text, known):
            found.append((one.start, one.text))
    for pattern in () if question.isascii() else (_SUBJECT, _TITLED):
        for match in list(_compiled(pattern).finditer(question))[:1]:
            said = match[1]
            is_name = said not in _COMMON_ZH and not _FUNCTION_ZH & set(said)
            if is_name and not _is_known(said, known):
                found.append((match.start(1), said))
    return list(dict.fromkeys(said for _, said in sorted(found)))


def _is_speech(said: str) -> bool:
    """Whether a quote is what somebody said and no name: it ends as a sentence does, or is long."""
    return said.rstrip()[-1:] in set(".!?,;。！？，…") or len(lexicon.parts(said)) > 8


def _is_known(said: str, known: Callable[[str], bool]) -> bool:
    parts = [part for part in lexicon.parts(said) if len(part) > 1 and part not in capitals.COMMON]
    if not parts:
        return True
    return sum(map(known, parts)) * 2 >= len(parts)
