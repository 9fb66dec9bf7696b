"""Sentences that give a value of something else, or of another time: a test environment's, next week's.

What such a sentence says without these words decides: a value that would be taken is left out with the reason, so that
the report tells it; anything else is read as it stands. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memdir.learn.reading import future
from memdir.vault import names

_CASE = re.IGNORECASE
_OTHER = (
    r"(?:tests?|testing|staging|stage|dev|development|qa|uat|demo|sandbox|pre-?prod(?:uction)?|preview|ci"
    r"|canary|trial)"
)
_PLACE = (
    r"(?: (?:environments?|env|systems?|servers?|cluster|stage|instance|setup|machines?|box|vm|bench"
    r"|deployment|site|run))?"
)
_ELSEWHERE = re.compile(
    rf"(?:^|(?<=\s)|(?<=\())(?:(?:in|on|at|under|for) (?P<what>(?:the |our |my |a )?{_OTHER}{_PLACE})"
    r"|on (?P<own>(?:my|his|her|their|somebody['’]s) (?:own )?(?:laptop|machine|notebook|computer|pc|desktop))"
    r"|(?P<local>locally))\b,?(?:\s+|\)|$)",
    _CASE,
)
_ELSEWHERE_ZH = re.compile(
    r"(?:在|于)?(?P<what>(?:我的?|本机的?)?(?:测试|预发布?|预生产|预览|开发|演示|沙箱|沙盒|灰度|联调|仿真|本地|模拟)"
    r"(?:环境|服务器|服|集群|机器|机|阶段|平台))(?:里面?|中|上|下|内|那边)?[，,]?\s?"
)


class Aside(NamedTuple):
    """`why` a value of the sentence is left out, "" where it holds already; `rest`: the sentence without these words;
    `place`: it is of another environment."""

    why: str
    rest: str
    place: bool = False


def found(sentence: str, day: str, known: Sequence[str] = ()) -> Aside | None:
    """What of a sentence is aside, None for nothing. `day`: of the log; `known`: names, which no place hides."""
    bare = sentence.strip().rstrip(".。!！")
    for told in (pattern.search(bare) for pattern in (_ELSEWHERE, _ELSEWHERE_ZH)):
        what = next((one for one in told.groups() if one), "") if told else ""
        if told and names.fold(what.removeprefix("the ")) not in {names.fold(name) for name in known}:
            rest = f"{bare[: told.start()]}{bare[told.end() :]}".strip(" ,，")
            return Aside(f"of something else: {what}", rest, place=True)
    last, rest = future.ends(bare, day) if day else ("", "")
    if last:
        return Aside(f"only until {last if last != 'later' else 'some day'}", rest)
    first, rest = future.starts(bare, day) if day else ("", "")
    if not first:
        return None
    if first == "later":
        return Aside("only from some later day on", rest)
    return Aside(f"only from {first} on" if first > day else "", rest)
