"""Sentences that give a value without naming its key: "Kessler gives us 30 days to pay", `账单服务部署在 otter11.lan`.

The construction and the shape of the value say what it is of; each is anchored at the beginning of a clause and takes
it up to its end or a mark of what is beside the point. What is quoted, told by others or still to come is passed
over. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from memdir.learn.reading.constructions import Construction, compiled, constructions
from memdir.learn.reading.keys import in_chinese
from memdir.learn.reading.kinds import SHAPES
from memdir.learn.reading.naming import name_of
from memdir.learn.reading.unsure import HAN

_FLAGS = re.IGNORECASE
# Words of a sentence that tells of something else than what is: told by others, still to come, quoted.
_ELSE = re.compile(
    r"[\"“”「」『』«»]|\b(?:said|told|mention\w*|writes (?:that|about|of)|according|reportedly|seems?|looks like|soon"
    r"|tomorrow|about to"
    r"|scheduled to"
    r"|supposed to|meant to|needs? to|used to (?!be)|never|nobody|nothing|ought|ask(?:ed|s)? (?:if|for|whether|why"
    r"|when)|why|how"
    r"|who|whoever|wrong|false|hope|wish\w*|promis\w+|offer\w*|quote[sd]?|negotiat\w*|tried|try|trying|almost|remember"
    r"|dream\w*|as if|wants us to|cannot|refus\w+|stopped|until (?:we|it|they|he|she)\b|when (?:we|i|it|they|he"
    r"|she)\b)\b|n't\b",
    _FLAGS,
)
_ELSE_ZH = re.compile(
    r"说(?!明)|声称|传闻|提到|问(?!了)|谁|哪|怎么|为什么|多少|承诺|报价|明天|下周|下个?月|明年|将来|等.{1,10}再|一旦"
    r"|除非|要不|别的?人|试过"
    r"|差一点|忘了|(?<!特)别|不(?!超过|能超过|再|用了|返回|是)|没(?!回应|响应)|未|拟|争取|力争|才能|的话(?!.{0,3}打)"
    r"|时候|当时|那会儿"
)
_LEAD = re.compile(
    r"^(?:(?:from now on|as of (?:today|now|this week)|now|currently|since \w+|these days|meanwhile|by the way|also"
    r"|so|and|then)[,:]? "
    r"|(?:[a-z]\w+|we|i)(?: just| have| has)? (?:confirmed|checked|noted|verified|found out|learn(?:ed"
    r"|t))(?: today)?(?: that|:) "
    r"|(?:现在|目前|从?今天起|即日起|如今|另外|还有|对了|确认了?|记一下)[，,：:]?\s*)",
    _FLAGS,
)
_SINGULAR = {"logs": "log", "log files": "log", "ticket numbers": "ticket", "tickets": "ticket", "issues": "issue",
             "order numbers": "order", "wi-fi": "wifi", "wlan": "wifi", "licence": "license", "notebook": "laptop",
             "computer": "laptop", "apiece": "unit", "each": "unit", "piece": "unit", "item": "unit",
             "month": "monthly",
             "year": "yearly", "hour": "hourly", "testing": "test",
             "日志": "log", "备份": "backup", "工单": "ticket", "发票": "invoice", "电脑": "laptop", "笔记本": "laptop",
             "工牌": "badge", "胸牌": "badge", "电表": "meter", "单": "order", "单子": "order", "订单": "order",
             "上线": "launch", "发布": "release", "开业": "opening", "开张": "opening", "租": "lease", "租约": "lease",
             "合同": "contract", "测试": "staging", "生产": "production", "线上": "production"}  # fmt: skip
_RENAMED = {"hourly price": "hourly rate", "day price": "daily rate", "phone tag": "phone number"}
_ZH_KEYS = {
    "retention": "保留期",
    "number": "号",
    "tag": "编号",
    "prefix": "前缀",
    "end": "到期日",
    "date": "日期",
    "port": "端口",
}


class Meant(NamedTuple):
    """What an idiom says: the value of a key of what is called `name`; `old`: the value it names as the last."""

    name: str
    key: str
    value: str
    old: str


def plain(sentence: str) -> bool:
    """Whether a sentence tells of what is, not of what others say, promise or quote."""
    return not _ELSE.search(sentence) and not (HAN.search(sentence) and _ELSE_ZH.search(sentence))


def read(clause: str, known: Sequence[str]) -> Meant | None:
    """What a clause says by an idiom, None when it says nothing so. `known`: names, the longest first."""
    bare = _LEAD.sub("", clause.strip())
    folded = frozenset(known)
    here: dict[str, bool] = {}  # whether a value of a shape stands there at all: saves two thirds of the time
    for one in constructions(han=bool(HAN.search(bare))):
        if one.shape not in here:
            here[one.shape] = bool(compiled(SHAPES[one.shape]).search(bare))
        if here[one.shape] and (found := one.match(bare)) and (meant := _meant(one, found, folded)):
            return meant
    return None


def _meant(one: Construction, found: re.Match[str], known: frozenset[str]) -> Meant | None:
    groups = found.groupdict()
    subject = next(held for group, held in groups.items() if group[0] == "x" and held)
    name = name_of(subject, known, one.shape, place=one.place)
    if not name:
        return None
    olds = [*(groups.get(group) for group in ("o0", "o1", "o2")), one.before(groups["tail"] or "")]
    old = next((held for held in olds if held), "")
    return Meant(name, _key(one, groups), _bare(groups["v"]), _bare(old))


def _key(one: Construction, groups: dict[str, str | None]) -> str:
    """The key in the language of the construction."""
    key = one.key
    for part in ("thing", "thing2", "env", "unit"):
        if held := groups.get(part):
            word = _SINGULAR.get(held.lower(), held if one.han else held.lower().removesuffix("s"))
            key = key.replace("{" + part.rstrip("2") + "}", word)
    key = _RENAMED.get(key, key)
    if not one.han:
        return key
    word, _, last = key.rpartition(" ")
    return f"{word}{_ZH_KEYS[last]}" if HAN.search(word) and last in _ZH_KEYS else in_chinese(key)


def _bare(value: str | None) -> str:
    return (value or "").strip(" \"'.,，。")
