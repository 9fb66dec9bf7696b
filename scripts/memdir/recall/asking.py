"""What a question asks for: the words that say it, its clauses, whether it asks of a thing, a request or not.

Words by which anybody asks anything ("long", "keep", "喜欢") say little of it, whether or not a passage holds them:
they are listed here, from common English and Chinese, with the `dev` questions of the own set in view.
Pure.
"""

import re
from functools import cache
from typing import NamedTuple

from memdir import text

SLIGHT = 0.2  # what a word counts by which anybody asks anything
_LIGHT = """
much many long often get got getting gotten take took taken make made use used using go going went gone come came let
tell know want need may might must shall whom whose now today tonight yesterday tomorrow currently nowadays exactly
still ever just also like please thing stuff everything anything something nothing everybody somebody anybody one two
three four five six seven eight nine ten first second third last next new old young big small large little good bad best
better worst nice great high low short early late fast slow full empty ready sure able certain real true own only even
quite very too kind sort person people man men woman women child children way place time day week month year hour
minute moment date morning afternoon evening night weekend ago soon before after until since during while between
among through without within along near behind above below across against begin start end stop finish complete
continue decide pick collect keep hold stand run happen set put give gave given bring brought send sent buy bought sell
sold pay paid cost charge spend spent ask answer say said call name mean look see saw seen watch hear heard find found
eat live stay work move leave left meet met show try help turn follow reach change become seem belong contain include
exist provide allow require lie sit open close fill write wrote read speak spoke talk think thought feel felt believe
remember forget choose chose visit join share offer receive mention describe explain recommend prefer love hate enjoy
hope wish plan previous current former recent original main general whole same other another each every any all both
few several most more less enough half part right wrong different similar various important up down out off over under
away back again never always sometimes usually ahead aside together apart instead else already yet once twice actually
really finally january february march april june july august september october november december monday tuesday
wednesday thursday friday saturday sunday spring summer autumn winter us them him myself compare according exact total
amount number count level size rate value result reason cause idea fact case point problem question detail information
example being having doing done build built grow grew cut break broke fall fell lose lost win won wait pass add remove
drop pull push carry throw catch hit draw drive drove ride walk sleep wake wear teach learn study play arrive return
enter order deliver store expect depend replace repair fix handle manage appear create produce accept agree cover
clean wash cook serve book reserve rent lend lent borrow owe save hire employ
"""
_LIGHT_ZH = """
放 开 关 走 做 买 卖 住 送 借 还 收 吃 喝 跑 按 订 出 进 花 离 找 拿 写 读 看 听 说 讲 问 答 坐 站 等 打 寄 付 交 换
种 养 教 学 玩 叫 算 选
定 装 修 洗 煮 炒 带 拍 画 唱 停 改 加 减 搬 租 赚 欠 存 取 穿 戴 睡 醒 骑 飞 晚 早 天 年 月 日 周 号 次 人 事 东西
时间 名字 地方 地点 问题
原因 结果 情况 部分 方面 喜欢 觉得 知道 认识 记得 忘记 最近 最后 最早 最初 最少 最多 最高 最低 最好 最大 最小 实际
准备 打算 计划 开始 结束
完成 发生 发现 决定 联系 介绍 安排 负责 使用 属于 包括 改成 变成 换成 当时 后来 原定 刚才 平时 一般 通常 总共 大概
大约 具体 主要 其他 另外 全部
所有 每个 先生 女士 朋友 同事 家 店 位 件 条 张 本 块 杯 台 间 层 元 欧 号码 多 少 大 小 新 旧 好 高 低 长 短 快 慢
"""
_SPACELESS = re.compile("[\u3005\u3040-\u30ff\u3400-\u9fff]+")
# Words that only ask, in simplified and traditional signs, longer ones first.
_ASKS = (
    "什么时候|为什么|什么|怎么样|怎么|怎样|如何|多少钱|多少|多久|多长|多大|几点|几号|几天|几次|几个|几只|几周|星期几|周几"
    "|哪一天|哪一|哪天|哪里|哪儿|哪位|哪个|哪家|哪间|哪本|哪台|哪种|哪些|请问"
    "|什麼時候|為什麼|什麼|怎麼樣|怎麼|怎樣|多少錢|多長|幾點|幾號|幾天|幾次|幾個|星期幾|哪裡|哪個|哪間|哪種|請問"
)
# What holds the words of a Chinese or Japanese sentence together, longer ones first.
_BETWEEN = (
    f"{_ASKS}|哪|谁|几|现在|目前|以前|之前|原来|今年|去年|明年"
    "|每天|每周|每月|分别|一共|我们|你们|他们|这些|那些|那个|这个|那家|那间|那位|那边|告诉|的时候|时候|需要|可以|应该|不能"
    "|[的了吗呢吧是在有和跟与给把被从到去来要会还又也都就得过我你他她它这那一个用只次里上下]"
    "|さん|ですか|ました|でした|できますか|ます|いつ|いくら|どこ|何|した|[のはがをにでとかもへ]"
)
_CLAUSE = re.compile(r"[,，;；、。?？]|\band\b")
_PARTING = (*",，;；、。?？", "and")
_VERBS = (
    "write|draft|make|create|find|explain|tell|answer|reply|respond|cover|sketch|plan|book|order|fix|add|remove|refactor"
    "|translate|summari[sz]e|review|prepare|schedule|set|remind|suggest|recommend|give|send|design|build|implement"
    "|rewrite|clean|warm|draw|describe|propose|pick|choose|cook|arrange|organi[sz]e|put|turn|convert|compare|buy|invite"
    "|look|have|check|test|run|start|open|close|move|rename|delete|update|change|edit|shorten|proofread|correct|improve"
    "|compose|outline|generate|produce|print|post|publish|announce|thank|apologi[sz]e|greet|congratulate|call|ring|email"
    "|message|invoice|calculate|compute|estimate|sort|group|merge|split|copy|paste|format|render|plot|chart|pack|deploy"
    "|install|configure|debug|investigate|analy[sz]e|research|search|get|fetch|download|upload|commit|push|release"
    "|document|comment|teach|quiz|play|sing|bake|help"
)
# At the beginning of what asks for something to be done; the rest anywhere in it.
_REQUEST = (
    r"(?:please |(?:can|could|would|will) you (?:please )?|let'?s |help me (?:to )?|kindly |now |then )*"
    rf"(?:{_VERBS})\b(?! (?:of|is|are|was|were|did|does)\b)|i(?:'d| would) like"
    r"|i (?:want|need) you to\b"
    r"|(?:请(?!问)|麻烦|把|将|帮|替|给我|放[点首]|写|做[一个]|翻译|推荐|整理|安排|列|起草|拟|改写|润色|总结"
    r"|检查|设计|准备|回复|发[一个条封])"
)
_REQUEST_WITHIN = (
    r"\bplease[.!]?$|帮[我忙]|替我|给我[写做想放讲列找]|我想[吃去买找听看做写学]|(?:して|ください|下さい)[。！]?$"
)
_WHETHER = r"(?:may|might|can|could|should|must|shall|do|does|did|is|are|was|were|will|would|have|has|am) "
# What is in a text that asks something of a thing: "phone number of Ann", and no mere words to look for.
_ASKING = (
    r"[?？]|\b(?:what|which|who|whom|whose|when|where|how|why|of|is|are|was|were|do|does|did)\b|'s\b"
    rf"|{_ASKS}|[哪谁几的吗呢何]|いつ|どこ"
)
_OPEN = (
    r"\bhow (?:do|can|should|could|would|to|shall)\b|\bwhy\b|\bwhat (?:could|should|can|shall|would|if|to do)\b"
    r"|怎么|如何|怎样|为什么|为何|[吗嘛][？?]?$|能不能|可不可以|可以|要不要|该不该|是不是|有没有"
    r"|どうやって|なぜ|どうして|ますか"
)


class Part(NamedTuple):
    """A word of a question, or what a run without spaces holds between its particles, as analysed terms."""

    terms: tuple[str, ...]
    weight: float


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _light() -> frozenset[str]:
    return frozenset(text.terms(_LIGHT)) | frozenset(_LIGHT_ZH.split())


def parts(question: str) -> list[Part]:
    """The words that a question is made of, without those that only hold it together."""
    mixed, found = is_spaceless(question), []
    apart = (
        _SPACELESS.sub(lambda run: f" {' '.join(_compiled(_BETWEEN).split(run[0]))} ", question) if mixed else question
    )
    for word in apart.split():
        terms = tuple(dict.fromkeys(text.terms(word)))
        if not terms:
            continue
        if mixed and _SPACELESS.search(word):
            slight = len(word) == 1 or word in _light()
            terms = tuple(term for term in terms if len(term) == 2) or terms
        else:
            slight = len(terms) == 1 and (terms[0] in _light() or terms[0].isdecimal())
        found.append(Part(terms, SLIGHT if slight else 1.0))
    return found


def slight(question: str) -> frozenset[str]:
    """The terms that come of the Chinese words that only ask, and of the signs across their ends, where more is said.

    Notes seldom ask, so that "怎么" counted as a rare word: any note with a question in it came before the answer."""
    if not is_spaceless(question):
        return frozenset()
    rest = frozenset(text.terms(_compiled(_ASKS).sub(" ", question)))
    return frozenset() if all(map(text.is_sign, rest)) else frozenset(text.terms(question)) - rest


def clauses(question: str) -> list[list[Part]]:
    """The parts by clause, of a question that is one clause together; clauses without a full word are left out."""
    return [*map(parts, pieces(question))]


def pieces(question: str) -> list[str]:
    """The clauses as they are said."""
    apart = _CLAUSE.split(question) if any(map(question.__contains__, _PARTING)) else [question]
    held = [one for one in apart if sum(part.weight for part in parts(one)) >= 1] if len(apart) > 1 else []
    return held if len(held) > 1 else [question]


def is_spaceless(said: str) -> bool:
    """Whether a text holds Chinese or Japanese."""
    return not said.isascii() and bool(_SPACELESS.search(said))


def is_request(question: str) -> bool:
    """Whether something is to be done: what answers is a standing instruction, which shares no word with it."""
    asked = question.strip()
    if _compiled(_REQUEST).match(asked):
        return True
    return (not asked.isascii() or "please" in asked.lower()) and bool(_compiled(_REQUEST_WITHIN).search(asked))


def asks(question: str) -> bool:
    """Whether something is asked of a thing; words side by side are only looked for."""
    return bool(_compiled(_ASKING).search(question))


def is_open(question: str) -> bool:
    """Whether it asks how, why or whether, and not for a value."""
    asked = question.strip()
    if _compiled(_WHETHER).match(asked):
        return True
    told = not asked.isascii() or any(map(asked.lower().__contains__, ("how ", "why", "what ")))
    return told and bool(_compiled(_OPEN).search(asked))
