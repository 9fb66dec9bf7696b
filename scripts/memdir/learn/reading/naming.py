"""What an idiom may be about: a name that is known, or a text that looks like one.

A sentence that names no key must name something beyond doubt: "Lunch costs 12 euros a day" is about nothing that a
note is kept of. Pure functions; every pattern is bounded.
"""

import re

from memdir.learn.reading.keys import WORDS
from memdir.learn.reading.unsure import HAN
from memdir.learn.reading.wording import PRONOUN
from memdir.vault import names

_FLAGS = re.IGNORECASE
_PLACE = re.compile(
    r"\b(?:\w{0,12}house|office|depot|street|st|studio|flat|apartment|warehouse|factory|plant|building|room|hall|shop|store"
    r"|garage|villa|tower"
    r"|yard|road|lane|avenue|square|quay|site|campus|lab|workshop|cabin|farm|hotel|hostel|centre|center"
    r"|branch office)s?\b"
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
    r"[的了是在把被我你他她它这那哪谁就都也和跟与或但每从给让叫不没还将曾想要再]|(?<!自)由|答应|愿意|准备|^(?:问|请|打|去|来|看|听|写|查|有|没|老"
    r"|大家)"
)
_ONE_WORD = re.compile(r"[a-z][a-z0-9_.\-]{3,29}")
_MACHINE_SHAPES = "release host port queue version size seconds rate branch code span clock database"
_MACHINES = frozenset(_MACHINE_SHAPES.split())
# Words that begin a sentence with a capital, and nouns that are the name of nothing.
_BEGINNINGS = """
when while after before if since because although where once until as whenever suppose yesterday today only even
maybe perhaps both all no every each some most their our my his her its the this that these those new old it he
she we they you i who what which everything everyone somebody someone anyone nothing nobody and but or so then
there here monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december good bad call dial ring for at in on with from to by of please note
"""
_NOUNS = """
backup backups server servers database website service services system client clients user users team office
printer staging production test tests testing laptop network router software hardware application code
everything something build builds deploy release release releases customer customers supplier project report
reports meeting docs mail email phone data cache parking coffee tea rent electricity water gas internet hosting
shipping delivery postage insurance membership tickets entry admission gym school train bus tram ferry taxi
flight hotel bread milk petrol fuel queue proxy worker workers container cluster node nodes table stuff thing
things people company 服务 系统 项目 会议 数据 数据库 服务器 电脑 公司 办公室 仓库 工厂 快递 同事 客户 供应商
老板 大家 代码 程序 网站 平台 接口 文档 问题 有人 朋友 老师 医生 孩子 爸妈 邻居 房东 物业 超市 食堂 银行 学校
测试 线上 生产 环境
"""
_NO_NAME, _COMMON = frozenset(_BEGINNINGS.split()), frozenset(_NOUNS.split())
_GENERIC = re.compile(
    r" (?:service|server|daemon|project|app|application|system|team|account|people|guys)$|(?:那边|那里|这边|那头|服务"
    r"|项目|系统)$",
    _FLAGS,
)


def name_of(text: str, known: frozenset[str], shape: str, *, place: bool) -> str:
    """The name that a subject is, "" where it is none that a note could have.

    `shape`: of the value; `place`: only the name of a house, a room, a street.
    """
    text = text.strip(" ,;:的")
    for held in (text, f"the {text}", _GENERIC.sub("", text), re.sub(r"['’]s?$", "", text)):
        if names.fold(held) in known or held in known:
            return held if not place or _PLACE.search(held) else ""
    if place and not _PLACE.search(text):
        return ""
    first, folded = text.split(" ")[0].lower(), names.fold(text)
    if first in _NO_NAME or PRONOUN.match(text) or folded in _COMMON or folded in WORDS or text.isdigit():
        return ""
    if HAN.search(text):
        return text if _SHAPED_ZH.fullmatch(text) and not _PARTICLE.search(text) else ""
    if _SHAPED.fullmatch(text):
        return text
    return text if shape.split("_")[0] in _MACHINES and _ONE_WORD.fullmatch(text) else ""
