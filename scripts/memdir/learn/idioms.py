"""Sentences that give a value without naming its key: "Kessler gives us 30 days to pay", `账单服务部署在 otter11.lan`.

The construction and the shape of the value say what it is of; each is anchored at the beginning of a clause and takes
it up to its end or a mark of what is beside the point. What is quoted, told by others or still to come is passed
over. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memdir.learn.idioms_en import ENGLISH
from memdir.learn.idioms_zh import CHINESE
from memdir.learn.keys import WORDS, in_chinese
from memdir.learn.kinds import SHAPES
from memdir.learn.unsure import HAN
from memdir.learn.wording import PRONOUN
from memdir.vault import names

_FLAGS = re.IGNORECASE
_WORD = r"[\w\u3400-\u9fff][\w\u3400-\u9fff.&+\-]{0,30}"
_X = rf"(?:the |our )?(?P<x@>{_WORD}(?: {_WORD}){{0,4}}?)"
_X_ZH = r"(?P<x@>[\w\u3400-\u9fff][\w\u3400-\u9fff.&+\- ]{0,30}?)"
_ADVERB = r"(?:(?:now|currently|still|always|usually|only|officially|already|just|also|all|finally|permanently|as of today) ){0,2}"
_ADVERB_ZH = r"(?:现在|目前|已经?|如今|今天起|仍然?|还是|统一|固定|都|正式|全部|暂|今年|一直|也|又|改|会){0,3}\s{0,2}"
_BESIDE = r"(?: ?(?:instead of|rather than|and not|not|,? no longer) (?P<{name}>{shape})(?: any ?more| any longer)?)?"
# Behind the construction: nothing, or what is beside the point; what it was before is taken from it.
_TAIL = (
    r"(?: (?:now|again|today|already|these days|at last|by now|from now on|for now|any ?more|overnight|yesterday|last (?:night|week|month)|on \w+day))?"
    r"(?P<tail>$|[,;(（，；。。—].{{0,200}}|\s+(?:[—–-]|because|since|as|which|after|until|instead|rather|so|and|but|though|starting|effective"
    r"|per|thanks|this|for the time|every(?:body|one)|up from|down from|not|no longer|with|where|while)\b.{{0,200}})$"
)
_TAIL_ZH = r"\s{{0,2}}(?:了|的|呢|啦)?(?P<tail>$|[,;(（，；。—、].{{0,200}})$"
_BEFORE = (
    r"^[\s,;(（，；—–-]*(?:and |it |which |that |now )?(?:instead of|rather than|not|no longer|up from|down from|was|were|formerly|previously"
    r"|used to be|before(?: that)?(?: it was)?|it was|(?:之前|以前|原来|原先|此前|过去|老的)(?:是|为|用|在|从|找|给|叫)*|不再是?|不是|而不是)\s*{shape}"
)  # fmt: skip
# Words of a sentence that tells of something else than what is: told by others, still to come, quoted.
_ELSE = re.compile(
    r"[\"“”「」『』«»]|\b(?:said|told|mention\w*|writes|according|reportedly|seems?|looks like|soon|tomorrow|about to|scheduled to"
    r"|supposed to|meant to|needs? to|used to (?!be)|never|nobody|nothing|ought|ask(?:ed|s)? (?:if|for|whether|why|when)|why|how"
    r"|who|whoever|wrong|false|hope|wish\w*|promis\w+|offer\w*|quote[sd]?|negotiat\w*|tried|try|trying|almost|remember"
    r"|dream\w*|as if|wants us to|cannot|refus\w+|stopped|until (?:we|it|they|he|she)\b|when (?:we|i|it|they|he|she)\b)\b|n't\b",
    _FLAGS,
)
_ELSE_ZH = re.compile(
    r"说(?!明)|声称|传闻|提到|问(?!了)|谁|哪|怎么|为什么|多少|承诺|报价|明天|下周|下个?月|明年|将来|等.{1,10}再|一旦|除非|要不|别的?人|试过"
    r"|差一点|忘了|(?<!特)别|不(?!超过|能超过|再|用了|返回|是)|没(?!回应|响应)|未|拟|争取|力争|才能|的话(?!.{0,3}打)|时候|当时|那会儿"
)
_LEAD = re.compile(
    r"^(?:(?:from now on|as of (?:today|now|this week)|now|currently|since \w+|these days|meanwhile|by the way|also|so|and|then)[,:]? "
    r"|(?:[a-z]\w+|we|i)(?: just| have| has)? (?:confirmed|checked|noted|verified|found out|learn(?:ed|t))(?: today)?(?: that|:) "
    r"|(?:现在|目前|从?今天起|即日起|如今|另外|还有|对了|确认了?|记一下)[，,：:]?\s*)",
    _FLAGS,
)
_PLACE = re.compile(
    r"\b(?:house|office|depot|street|st|studio|flat|apartment|warehouse|factory|plant|building|room|hall|shop|store|garage|villa|tower"
    r"|yard|road|lane|avenue|square|quay|site|campus|lab|workshop|cabin|farm|hotel|hostel|centre|center|branch office)s?\b"
    r"|办公室|仓库|工厂|公寓|宿舍|门店|店面|车间|厂房?$|库$|楼|大厦|店$|馆|中心|园区?|机房|工作室|房|那边$|路|街",
    _FLAGS,
)
# A name that nobody knows yet: words with capitals, a Chinese noun, or one word of small letters where the value is
# of a kind that only machines have.
_SHAPED = re.compile(
    r"[A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*(?: [A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*){0,3}"
)
_SHAPED_ZH = re.compile(r"(?:[A-Za-z][\w.\-]{0,20} ?)?[\u3400-\u9fff]{2,8}(?<![上里中下])")
_PARTICLE = re.compile(
    r"[的了是在把被我你他她它这那哪谁就都也和跟与或但每从给让叫不没还将曾]|^(?:问|请|打|去|来|看|听|写|查|有|没|老|大家)"
)
_ONE_WORD = re.compile(r"[a-z][a-z0-9_.\-]{3,29}")
_MACHINES = frozenset("release host port queue version size seconds rate branch code span clock database".split())
_NO_NAME = frozenset(
    "when while after before if since because although where once until as whenever suppose yesterday today only even maybe"
    " perhaps both all no every each some most their our my his her its the this that these those new old it he she we they"
    " you i who what which everything everyone somebody someone anyone nothing nobody and but or so then there here"
    " monday tuesday wednesday thursday friday saturday sunday january february march april june july august september"
    " october november december good bad call dial ring for at in on with from to by of please note".split()
)
_COMMON = frozenset(
    "backup backups server servers database website service services system client clients user users team office printer"
    " staging production test tests testing laptop network router software hardware application code everything something"
    " build builds deploy release release releases customer customers supplier project report reports meeting docs mail email"
    " phone data cache parking coffee tea rent electricity water gas internet hosting shipping delivery postage insurance"
    " membership tickets entry admission gym school train bus tram ferry taxi flight hotel bread milk petrol fuel queue proxy worker workers container cluster node nodes table stuff thing things people company"
    " 服务 系统 项目 会议 数据 数据库 服务器 电脑 公司 办公室 仓库 工厂 快递 同事 客户 供应商 老板 大家 代码 程序 网站 平台 接口 文档 问题 有人"
    " 朋友 老师 医生 孩子 爸妈 邻居 房东 物业 超市 食堂 银行 学校 测试 线上 生产 环境".split()
)
_GENERIC = re.compile(
    r" (?:service|server|daemon|project|app|application|system|team|account|people|guys)$|(?:那边|那里|这边|那头|服务|项目|系统)$",
    _FLAGS,
)
_SINGULAR = {"logs": "log", "log files": "log", "ticket numbers": "ticket", "tickets": "ticket", "issues": "issue",
             "order numbers": "order", "wi-fi": "wifi", "wlan": "wifi", "licence": "license", "notebook": "laptop",
             "computer": "laptop", "apiece": "unit", "each": "unit", "piece": "unit", "item": "unit", "month": "monthly",
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


class _Construction(NamedTuple):
    """One compiled construction. `shape`: of its value; `han`: it is Chinese; `before`: an older value in the tail."""

    key: str
    pattern: re.Pattern[str]
    before: re.Pattern[str]
    shape: str
    han: bool
    place: bool


def plain(sentence: str) -> bool:
    """Whether a sentence tells of what is, not of what others say, promise or quote."""
    return not _ELSE.search(sentence) and not (HAN.search(sentence) and _ELSE_ZH.search(sentence))


def read(clause: str, known: Sequence[str]) -> Meant | None:
    """What a clause says by an idiom, None when it says nothing so. `known`: names, the longest first."""
    bare = _LEAD.sub("", clause.strip())
    folded = frozenset(known)
    here: dict[str, bool] = {}  # whether a value of a shape stands there at all: saves two thirds of the time
    for one in _constructions(bool(HAN.search(bare))):
        if one.shape not in here:
            here[one.shape] = bool(_seen(one.shape).search(bare))
        if here[one.shape] and (found := one.pattern.match(bare)) and (meant := _meant(one, found, folded)):
            return meant
    return None


@lru_cache(64)
def _seen(shape: str) -> re.Pattern[str]:
    return re.compile(SHAPES[shape], _FLAGS)


def _meant(one: _Construction, found: re.Match[str], known: frozenset[str]) -> Meant | None:
    groups = found.groupdict()
    name = _name(next(held for group, held in groups.items() if group[0] == "x" and held), known, one)
    if not name:
        return None
    tail = one.before.match(groups["tail"] or "")
    olds = [groups.get(group) for group in ("o0", "o1", "o2")] + [tail["old"] if tail else None]
    old = next((held for held in olds if held), "")
    return Meant(name, _key(one, groups), _bare(groups["v"]), _bare(old))


def _key(one: _Construction, groups: dict[str, str | None]) -> str:
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


def _name(text: str, known: frozenset[str], one: _Construction) -> str:
    """The name that a subject is; "" where it is none that a note could have."""
    text = text.strip(" ,;:的")
    for held in (text, f"the {text}", _GENERIC.sub("", text), re.sub(r"['’]s?$", "", text)):
        if names.fold(held) in known or held in known:
            return held if not one.place or _PLACE.search(held) else ""
    if one.place and not _PLACE.search(text):
        return ""
    first = text.split(" ")[0].lower()
    if (
        first in _NO_NAME
        or PRONOUN.match(text)
        or names.fold(text) in _COMMON
        or names.fold(text) in WORDS
        or text.isdigit()
    ):
        return ""
    if HAN.search(text):
        return text if _SHAPED_ZH.fullmatch(text) and not _PARTICLE.search(text) else ""
    if _SHAPED.fullmatch(text):
        return text
    return text if one.shape.split("_")[0] in _MACHINES and _ONE_WORD.fullmatch(text) else ""


@lru_cache(2)
def _constructions(han: bool) -> tuple[_Construction, ...]:
    """The constructions for a clause: the English ones, behind the Chinese ones where it has such characters."""
    english = tuple(_compiled(ENGLISH, han=False))
    return (*_compiled(CHINESE, han=True), *english) if han else english


def _compiled(text: str, *, han: bool) -> Iterator[_Construction]:
    for line in text.strip().splitlines():
        key, *forms = (part.strip() for part in line.split(" | "))
        for form in forms:
            yield _construction(key, form, han)


def _construction(key: str, form: str, han: bool) -> _Construction:
    """Compile one construction of the little language that `learn.idioms_en` describes."""
    count = iter(range(9))
    x = _X_ZH if han else _X
    shape, place = "", "{place}" in form

    def slot(found: re.Match[str]) -> str:
        nonlocal shape
        to, name = found[1], found[2]
        if name in ("x", "place"):
            return x.replace("@", str(next(count)))
        if name == "a":
            return _ADVERB_ZH if han else _ADVERB
        shape = name
        held = f"(?P<v>{SHAPES[name]})" + ("" if han else _BESIDE.format(name="o2", shape=SHAPES[name]))
        return rf"(?:from (?P<o1>{SHAPES[name]}) )?(?:to|onto|into|on) {held}" if to else held

    def owned(found: re.Match[str]) -> str:
        one, other = x.replace("@", str(next(count))), x.replace("@", str(next(count)))
        return (
            rf"(?:(?:the |our )?(?P<thing>{found[1]})(?: (?:of|for|at|to|from|in|with) ){one}"
            rf"|{other}(?:['’]s?)? (?P<thing2>{found[1]}))"
        )

    form = re.sub(r"_(?![^{}]*\})", r"\\s{0,2}", form) if han else form
    pattern = re.sub(r"(?<!\(\?)(?<!\?P)<([^<>=!]+)>", owned, form)
    pattern = re.sub(r"\{(to )?([a-z_]+)\}", slot, pattern)
    pattern = f"^{pattern}" + (_TAIL_ZH if han else _TAIL).format()
    before = _BEFORE.format(shape=f"(?P<old>{SHAPES[shape]})")
    return _Construction(key, re.compile(pattern, _FLAGS), re.compile(before, _FLAGS), shape, han, place)
