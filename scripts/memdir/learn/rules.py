"""Distillation without a model: what an entry of the log teaches, by rules, in English and Chinese.

The grammar of the vault first (`key:: value` under `entity::`, `[preference] …`), then sentences. Precision before
recall: what is missed stays searchable in the log. Pure functions.
"""

import re
from collections.abc import Iterator, Sequence

from memdir.learn import sentences
from memdir.learn.entries import Entry
from memdir.learn.items import Dropped, Item, one_line, order, refused, tidy
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
    r"https?://[^\s<>()]+|\b(?:[a-z0-9-]+\.){1,4}(?:com|org|net|io|dev|app|cn|de|eu|internal|local|corp|lan|intra)\b(?:[:/]\S*)?",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"\b(?:dashboard|wiki|docs?|documentation|runbook|tracker|board|repo(?:sitory)?|api|portal|bucket|console|grafana|jira|confluence|sentry|status page"
    r"|mirror|registry|gateway|admin|intranet|calendar|ticket(?:s|ing)?|form|share|drive|server|endpoint)\b"
    r"|文档|看板|仓库|后台|接口|面板|网盘|频道|知识库|监控|工单|门户|镜像|网关|地址|链接|控制台|系统",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:correction|corrected me|told me (?:off|not to|to stop)|pointed out|reminded me (?:not|to|that)|scolded|complained|was (?:wrong|annoyed)"
    r"|that(?:'s| is| was) wrong|got it wrong|my mistake|don't .{3,60} again|do not .{3,60} again|stop \w+ing|never again|from now on|next time"
    r"|instead of .{3,40}(?:please|use)|asked me (?:not to|to stop|to always|to never)|feedback(?: from)?|should have|shouldn't have|no more)\b"
    r"|纠正|更正|批评|提醒我|说我|别再|不要再|以后(?:不要|别|请|要|都|先)|下次|不对|弄错|搞错|应该先|改正|不许|反馈|指出",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefers?|preferred|would rather|likes?|loves?|hates?|dislikes?|can't stand|favou?rite|wants? (?:\w+ )?(?:to be |in |as |no |short|his|her|their|every|all|the)"
    r"|always (?:uses?|wants?|writes?|reads?|drinks?|orders?|works?|starts?|takes?)|never (?:uses?|wants?|reads?|drinks?|works?|takes?|before|after)"
    r"|enjoys?|is (?:happiest|allergic)|allergic to|as a rule|by default|at (?:his|her|their) best|usually)\b"
    r"|喜欢|偏好|更愿意|宁愿|宁可|讨厌|不喜欢|不爱|爱用|爱喝|习惯|倾向于|希望(?!能早)|最怕|受不了|总是|从不|过敏|一律|默认",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid(?:ed|es)|decision|agreed|we(?:'ll| will| shall) (?:go with|use|keep|drop|stay|move|build|buy|start|stop|freeze)|chose|settled on|picked|opted for|signed off"
    r"|approved|going with|will not|won't|postponed|cancelled|canceled|resolved to|ruled out|committed to|the plan is)\b"
    r"|决定|定了|定下|选定|选择了|决议|商定|敲定|拍板|同意|批准|达成|确定|不做|先不|推迟|取消",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"\b(?:deadline|milestones?|launch(?:es)?|go[- ]live|goal|scope|budget|blocked (?:by|on)|depends on|roadmap|phase|kick[- ]?off|customers?|contract|requirement"
    r"|stakeholders?|pilot|beta|sprint|quarter|freeze)\b|截止|上线|里程碑|目标|范围|预算|受阻|依赖|路线图|阶段|启动|客户|合同|需求|试点|冻结|排期",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^(?:the )?user(?: said| says| asked| told me)?[:,]?\s+|^用户(?:说|表示|要求)?[：:，,]?\s*", re.IGNORECASE
)
_LOOP = re.compile(r"^\[.\] ")


def learn(entry: Entry, known: Sequence[str]) -> tuple[list[Item], list[Dropped]]:
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
        for item in map(tidy, _of_line(entry, line, ordered)):
            if why := refused(item):
                dropped.append(Dropped(item.text[:200], why, entry.source))
            else:
                taught.append(item)
    return list(dict.fromkeys(taught)), dropped


def _of_line(entry: Entry, line: str, known: Sequence[str]) -> Iterator[Item]:
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
    yield from _of_text(entry, line, known)


def _of_text(entry: Entry, line: str, known: Sequence[str]) -> Iterator[Item]:
    """Facts sentence by sentence; else the whole line as what its words make it."""
    found = False
    for sentence in sentences.split(line):
        if said := sentences.said(sentence, known):
            found = True
            yield _item(entry, "fact", sentence, said.name, said.key, said.value, said.old)
    kind = "" if line.rstrip().endswith(("?", "？")) else _kind(line, found)
    if kind:
        yield _item(entry, kind, _SAYS.sub("", line) if kind == "preference" else line, _about(entry, line, known))


def _kind(line: str, fact: bool) -> str:
    """What a line is besides a fact; "" for nothing worth a note."""
    if _URL.search(line) and _SYSTEM.search(line):
        return "reference"
    if fact:
        return ""
    for kind, pattern in (
        ("correction", _CORRECTION),
        ("preference", _PREFERENCE),
        ("decision", _DECISION),
        ("context", _CONTEXT),
    ):
        if pattern.search(line):
            return kind if kind in ("correction", "decision") or sentences.sure(line) else ""
    return ""


def _about(entry: Entry, text: str, known: Sequence[str]) -> str:
    """The name that a line is about: what the entry says, else the longest known name in it."""
    return entry.about[0] if entry.about else sentences.mentioned(text, known)


def _item(entry: Entry, kind: str, text: str, about: str, key: str = "", value: str = "", old: str = "") -> Item:
    return Item(kind, one_line(text), entry.day, entry.source, entry.digest, about, key, value, old)
