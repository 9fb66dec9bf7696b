"""Distillation without a model: what an entry of the log teaches, by rules, in English and Chinese.

The grammar of the vault first (`key:: value` under `entity::`, `[preference] …`), then sentences. Precision before
recall: what is missed stays searchable in the log. Pure functions.
"""

import re
from collections.abc import Iterator, Sequence, Set

from memdir.learn import sentences
from memdir.learn.entries import Entry
from memdir.learn.items import Dropped, Item, one_line, order, refused, tidy
from memdir.learn.wording import KEYS
from memdir.vault import markdown

_CATEGORIES = {
    **dict.fromkeys(("preference", "prefers", "pref", "偏好", "喜好", "习惯"), "preference"),
    **dict.fromkeys(("correction", "feedback", "纠正", "更正", "反馈"), "correction"),
    **dict.fromkeys(("decision", "decided", "决定", "决策", "结论"), "decision"),
    **dict.fromkeys(("context", "project", "goal", "milestone", "背景", "项目", "目标", "里程碑"), "context"),
    **dict.fromkeys(("ref", "reference", "link", "system", "参考", "链接", "外部系统", "资料"), "reference"),
    **dict.fromkeys(("fact", "事实"), "fact"),
}
_URL = re.compile(
    r"https?://[^\s<>()]+|\b(?:[a-z0-9-]+\.){1,4}(?:com|org|net|io|dev|app|cn|de|eu|internal|intern|example|local|corp|lan|intra)\b(?:[:/]\S*)?",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:correction|corrected me|told me (?:off|not to|to stop)|pointed out|reminded me|scolded|complained"
    r"|got it wrong|my mistake|told you"
    r"|again|stop \w+ing|never again|from now on|next time|asked me (?:not to|to stop|to always|to never)"
    r"|feedback|should have"
    r"|shouldn't have|no more|please (?:don't|do not|stop|never)|don't|do not|instead of)\b|\bnot \w+[!,;]"
    r"|纠正|更正|不要|别(?=每|再|用|写|把|总|老)|批评|提醒我|说我|别再|不要再|以后.{0,12}(?:不要|别|请|要|都|先)|下次|不对|弄错|搞错|应该先|改正|不许|反馈|指出|请不要|不要用|别用|别写",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefers?|preferred|(?:would|i'd|he'd|she'd) rather|likes?|loves?|hates?|dislikes?|can't stand|favou?rite"
    r"|(?:i|user|he|she) (?:wants?|needs?|uses?|takes?|drinks?|reads?|works?|eats?|always|never|only)"
    r"|always (?:uses?|wants?|writes?|reads?)|never (?:uses?|wants?|reads?|before|after)|enjoys?|allergic to"
    r"|as a rule|by default"
    r"|at (?:his|her|their|my) best|please|i don't (?:eat|drink|like|read|take|want))\b"
    r"|喜欢|偏好|更愿意|宁愿|宁可|讨厌|不爱|爱用|爱喝|习惯|倾向于|最怕|受不了|总是|从不|过敏|一律|默认|我不"
    r"|我(?:要|用|只|都|一般|平时)|用户(?:要|用|只|不|平时|一般|通常)|^always |^never ",
    re.IGNORECASE,
)
_DECIDED = re.compile(r"^(?:decisions?|decided|agreed|决定|决议|结论|商定)\b|^(?:决定|决议|结论|商定)", re.IGNORECASE)
_LIKES = re.compile(r"\b(?:prefers?|preferred|preferences?|favou?rite)\b|喜欢|偏好|更愿意|倾向于", re.IGNORECASE)
_DECISION = re.compile(
    r"\b(?:decid(?:ed|es)|decision|agreed|we(?:'ll| will| shall| go with| went with) ?\w*|chose|settled on"
    r"|picked|opted for|signed off|approved|going with|drops?"
    r"|postponed|cancelled|canceled|resolved to|ruled out|committed to|the plan is|must|has to"
    r"|only .{1,40} stays?|keeps? only|gives? up)\b"
    r"|决定|定了|定下|选定|选择了|决议|商定|敲定|拍板|同意|批准|达成|确定|不做|先不|推迟|取消|放弃|必须|只保留|统一用|一律用|不再支持|砍掉",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"\b(?:deadline|milestones?|launch(?:es)?|go[- ]live|goal|scope|budget|blocked (?:by|on)|depends on"
    r"|roadmap|phase|kick[- ]?off|customers?"
    r"|contract|requirement|stakeholders?|pilot|beta|sprint|quarter|freeze|because|hence|paid by|funded"
    r"|sponsor\w*|in order to)\b"
    r"|截止|上线|里程碑|目标|范围|预算|受阻|依赖|路线图|阶段|启动|客户|合同|需求|试点|冻结|排期|因为|为了|由于",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^(?:the )?user(?: said| says| asked| told me)?[:,]?\s+|^用户(?:说|表示|要求)?[：:，,]?\s*", re.IGNORECASE
)
_LOOP = re.compile(r"^\[.\] ")


def learn(entry: Entry, known: Sequence[str], keys: Set[str] = frozenset()) -> tuple[list[Item], list[Dropped]]:
    """What an entry teaches and what of it was left out. `known`: names of notes, aliases included."""
    taught, dropped = list[Item](), list[Dropped]()
    if entry.own:
        return taught, dropped
    ordered = sorted({*known, *entry.about}, key=lambda name: (-len(name), name))
    lines = [entry.title, *(line for _, line in entry.lines)]
    for number, line in enumerate(lines):
        if order(line):  # what follows it may come from the same hand
            why = "reads like an order to an assistant, or follows one"
            dropped += [Dropped(rest[:200], why, entry.source) for rest in lines[number:]]
            break
        for item in map(tidy, _of_line(entry, line, ordered, keys)):
            if why := refused(item):
                dropped.append(Dropped(item.text[:200], why, entry.source))
            else:
                taught.append(item)
    return list(dict.fromkeys(taught)), dropped


def _of_line(entry: Entry, line: str, known: Sequence[str], keys: Set[str]) -> Iterator[Item]:
    if not line.strip() or _LOOP.match(line):
        return
    body = markdown.scan([f"- {line}"])
    if body.reserved:
        return
    for fact in body.facts:
        if entry.about:
            yield _item(
                entry, "fact", f"{entry.about[0]} {fact.key}: {fact.value}", entry.about[0], fact.key, fact.value
            )
        return
    for seen in body.observations:
        kind = _CATEGORIES.get(seen.category.casefold())
        if kind and kind != "fact":
            yield _item(entry, kind, seen.text, _about(entry, seen.text, known))
            return
        line = seen.text
    yield from _of_text(entry, line, known, keys)


def _of_text(entry: Entry, line: str, known: Sequence[str], keys: Set[str]) -> Iterator[Item]:
    """Facts sentence by sentence; else the whole line as what its words make it."""
    found = False
    if _DECIDED.match(line):
        yield _item(entry, "decision", line, _about(entry, line, known))
        return
    for sentence in sentences.split(line):
        if said := sentences.said(sentence, known, keys | KEYS):
            found = True
            yield _item(entry, "fact", sentence, said.name, said.key, said.value, said.old)
    kind = "" if line.rstrip().endswith(("?", "？")) else _kind(line, entry.title, found)
    if kind:
        yield _item(entry, kind, _SAYS.sub("", line) if kind == "preference" else line, _about(entry, line, known))


def _kind(line: str, title: str, fact: bool) -> str:
    """What a line is besides a fact; "" for nothing worth a note. A title may say what the lines under it are."""
    if fact or len(line) < 8:
        return ""
    if _URL.search(line):
        return "reference"
    if _LIKES.search(line):
        return "preference"
    if _CORRECTION.search(line):
        return "correction"
    if _PREFERENCE.search(line):
        return "preference"
    if _DECISION.search(line):
        return "decision"
    return "context" if _CONTEXT.search(line) and sentences.sure(line) else ""


def _about(entry: Entry, text: str, known: Sequence[str]) -> str:
    """The name that a line is about: what the entry says, else the longest known name in it."""
    return entry.about[0] if entry.about else sentences.mentioned(text, known)


def _item(entry: Entry, kind: str, text: str, about: str, key: str = "", value: str = "", old: str = "") -> Item:
    return Item(kind, one_line(text), entry.day, entry.source, entry.digest, about, key, value, old)
