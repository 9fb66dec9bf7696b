"""Distillation without a model: what an entry of the log teaches, by rules, in English and Chinese.

The grammar of the vault first (`key:: value` under `entity::`, `[preference] …`), then sentences. Precision before
recall: what is missed stays searchable in the log. Pure functions.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from memdir import text as texts
from memdir.learn.entries import Entry
from memdir.learn.items import Dropped, Item, one_line, order, refused, tidy
from memdir.learn.reading import aside, former, planted, sentences, subjects, titles, undecided, unsure
from memdir.learn.reading.keys import KEYS
from memdir.vault import markdown, names

_CATEGORIES = {
    **dict.fromkeys(("preference", "prefers", "pref", "偏好", "喜好", "习惯"), "preference"),
    **dict.fromkeys(("correction", "feedback", "纠正", "更正", "反馈"), "correction"),
    **dict.fromkeys(("decision", "decided", "决定", "决策", "结论"), "decision"),
    **dict.fromkeys(("context", "project", "goal", "milestone", "背景", "项目", "目标", "里程碑"), "context"),
    **dict.fromkeys(("ref", "reference", "link", "system", "参考", "链接", "外部系统", "资料"), "reference"),
    **dict.fromkeys(("fact", "事实"), "fact"),
}
_URL = re.compile(
    r"https?://[^\s<>()]+|\b(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|cn|de|eu|internal|intern|example"
    r"|local|corp|lan|intra)\b(?:[:/]\S*)?",
    re.IGNORECASE,
)
# How a wish begins; "in future we may move" is none.
_DO = (
    r"(?:please |always |only )?(?:put|use|write|keep|always|never|don't|do not|send|add|ask|leave|give|answer"
    r"|format|start"
    r"|begin|end|sign|name|call|check|make|do|show|no|only|stick|avoid|include|skip|mark|round|sort|quote|cite"
    r"|list|say|tell"
    r"|let|run|test|commit|push|wait|be|stop)"
)
# What asks for things to be done differently; orders of the day ("don't forget the milk") are none.
_CORRECTION = re.compile(
    r"\b(?:correction|corrected me|told me (?:off|not to|to stop)|told you|pointed out|scolded|complained|got it wrong"
    r"|my mistake|stop \w+ing|never again|next time|asked me (?:not to|to stop|to always|to never)|should have"
    r"|shouldn't have|no more|please (?:don't|do not|stop|never)|don't .{2,60} again|instead of)\b"
    r"|^(?:no[,.!]|don't|do not|from now on,? (?!\w+ takes)|not \w+[!,;])|\bnot \w+!"
    rf"|^(?:in (?:the )?future|going forward|from here on),? {_DO}\b"
    r"|纠正|更正|(?<!要)不要(?=擅自|再|用|写|把|每|自动|在|给|对|发|乱|随便|直接|总|老|加|放|改|删|动)|别(?=每"
    r"|再|用|写|把|总|老)|批评|说我|我说过"
    r"|(?:以后|今后).{0,12}(?:不要|别|请|要|都|先|把)|下次(?=请|要|别|先|记得)|不对|弄错|搞错|应该先|改正|不许|指出",
    re.IGNORECASE,
)
_ERRAND = re.compile(
    r"\b(?:forget|remember) to\b|\bnever mind\b|^(?:don't|do not) (?:worry|mind|forget|need)|别忘|记得", re.IGNORECASE
)
# Whose: the user's, or somebody's of that name.
_LIKES = (
    r"(?:prefers?|preferred|(?:would|'d) rather|likes?|loves?|hates?|dislikes?|can't stand|enjoys?"
    r"|don't (?:like|eat|drink|want)"
    r"|doesn't (?:like|eat|drink|want)|(?:is|am|are) allergic)"
)
_PREFERENCE = re.compile(
    rf"(?:^|\b(?:the )?(?:user|i)(?: |'d))(?: ?\w+)? ?{_LIKES}\b|^(?:{_LIKES})\b"
    r"|\b(?:i|user) (?:wants?|needs?|uses?|takes?|drinks?|reads?|works?|eats?|always|never|only)\b"
    r"|\bmy favou?rite|\bas a rule\b|\bby default\b|\bat my best\b|\bplease, no\b"
    r"|\bplease (?:no|use|keep|always|write|answer|reply|give|call me|format|stick)\b|, please\b| please,"
    r"|^(?:always|never) (?!happy|good|nice|mind|again|the)|^no .{3,40} please"
    r"|喜欢|偏好|更愿意|宁愿|宁可|讨厌|不爱|爱用|爱喝|习惯|倾向于|最怕|受不了|过敏|一律|我不(?!知道|确定|记得|在)"
    r"|我(?:要|用|只|都|一般|平时)|用户(?:要|用|只|不|平时|一般|通常)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    rf"^(?P<who>[A-Z\u00c0-\u00de][\w.\-]+(?: [A-Z\u00c0-\u00de][\w.\-]+)?|[Ss]he|[Hh]e|[Tt]hey) {_LIKES}\b"
)
_DECIDED = re.compile(
    r"^(?:decisions?(?! log)|decided|agreed)\b|\bwe (?:have |'ve )?(?:decided|agreed|chose)\b|^(?:决定|决议"
    r"|结论|商定)|我们决定",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid(?:ed|es)|agreed|we(?:'ll| will| shall| go with| went with)|chose|settled on|picked"
    r"|opted for|signed off|approved"
    r"|going with|drops?|cancelled|canceled|resolved to|ruled out|committed to|the plan is|must|has to"
    r"|only .{1,40} stays?"
    r"|keeps? only|gives? up)\b"
    r"|决定|定了|定下|选定|选择了|决议|商定|敲定|拍板|同意|批准|达成|不做|先不|取消|放弃|必须|只保留|统一用"
    r"|一律用|不再支持|砍掉",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|apparently|supposedly|allegedly|rumou?r|heard that|could"
    r"|(?:i|we|they) (?:think|thought|guess|suppose|believe|assume|hope|wonder)|thinking (?:of|about)|(?:am|are"
    r"|is) considering"
    r"|would like to|tempted to|leaning towards?|according to (?!the|our|its|this)|not sure|unsure|what if)\b"
    r"|也许|或许|说不定|大概|没准|(?<!不)考虑(?!到)|听说|据说|好像|似乎|我觉得|我猜|估计|倾向于?(?=放弃|取消|选"
    r"|用)|想不想",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:not|nothing|n't|yet to be|to be|un|might|may|whether|if|postponed|pending|open"
    r"|still) ?(?:been )?(?:decid\w*|agreed)?\b(?<!to)"
    r"|不决定|没决定|没有决定|未决|待定|还没|暂时不|推迟|再议|要不要|是否|可能",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"\b(?:deadline|milestones?|launch(?:es)?|go[- ]live|goal|scope|budget|blocked (?:by|on)|depends on"
    r"|roadmap|phase|kick[- ]?off|customers?|contract|requirement|stakeholders?|pilot|beta|sprint|quarter"
    r"|freeze|because|hence"
    r"|paid by|funded|sponsor\w*|in order to)\b"
    r"|截止|上线|里程碑|目标|范围|预算|受阻|依赖|路线图|阶段|启动|客户|合同|需求|试点|冻结|排期|因为|为了|由于",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^(?:the )?user(?: said| says| asked| told me)?[:,]?\s+|^用户(?:说|表示|要求)?[：:，,]?\s*", re.IGNORECASE
)
# What the category in front of a line says already.
_LABEL = re.compile(
    r"^(?:correction|decision|decided|preference|feedback|note|reminder|纠正|更正|决定|决议|偏好|反馈)s?\s*[:：]\s*",
    re.IGNORECASE,
)
_LOOP = re.compile(r"^\[.\] ")
UNSURE = "states nothing sure"  # of sentences that a report counts and does not show
SHOWN = 200  # characters that are kept of what was left out


def learn(entry: Entry, known: Sequence[str], keys: Set[str] = frozenset()) -> tuple[list[Item], list[Dropped]]:
    """What an entry teaches and what of it was left out. `known`: names of notes, aliases included."""
    taught, dropped = list[Item](), list[Dropped]()
    if entry.own:
        return taught, dropped
    ordered = sorted({*known, *entry.about}, key=lambda name: (-len(name), name))
    lines, every = [entry.title, *(line for _, line in entry.lines)], keys | KEYS
    last: Item | None = None  # the fact of the line before, where that names no older value
    settled = any(_kind(line) == "decision" for line in lines[1:])
    unsettled = undecided.why(entry.title, lines[1:], decided=settled)
    for number, line in enumerate(lines):
        ends = "reads like an order to an assistant, or follows one" if order(line) else planted.ends(line)
        if ends:  # what follows it may come from the same hand
            dropped += [Dropped(texts.cut(rest, SHOWN), ends, entry.source) for rest in lines[number:]]
            break
        if why := planted.why(line):
            dropped.append(Dropped(texts.cut(line, SHOWN), why, entry.source))
            last = None
            continue
        read = [*_of_line(entry, line, ordered, every, unsettled)]
        dropped += [one for one in read if isinstance(one, Dropped)]
        found = [tidy(one) for one in read if isinstance(one, Item)]
        if last and not any(item.kind == "fact" for item in found) and (old := former.before(line, last.value)):
            taught[taught.index(last)] = replace(last, old=old)
        for item in found:
            if why := refused(item):
                dropped.append(Dropped(texts.cut(item.text, SHOWN), why, entry.source))
            else:
                taught.append(item)
        last = (
            taught[-1] if taught and taught[-1] in found and taught[-1].kind == "fact" and not taught[-1].old else None
        )
    return list(dict.fromkeys(_told_once(taught, entry.title))), dropped


def _told_once(taught: Sequence[Item], title: str) -> list[Item]:
    """Without what the title says of something that a line below it says too, and more of."""
    bare = set(texts.terms(_DECIDED.sub("", title)))
    fuller = {one.kind for one in taught if one.text != one_line(title) and bare and bare <= {*texts.terms(one.text)}}
    return [one for one in taught if one.text != one_line(title) or one.kind == "fact" or one.kind not in fuller]


def _of_line(entry: Entry, line: str, known: Sequence[str], keys: Set[str], unsettled: str) -> Iterator[Item | Dropped]:
    """What a line teaches; where the entry is `unsettled`, only what it marks itself."""
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
    told = _of_text(entry, line, known, keys)
    if not unsettled or _kind(line) == "decision":
        yield from told
    elif any(isinstance(one, Item) for one in told):
        yield Dropped(texts.cut(line, SHOWN), unsettled, entry.source)


def _of_text(entry: Entry, line: str, known: Sequence[str], keys: Set[str]) -> Iterator[Item | Dropped]:
    """Facts sentence by sentence; else the whole line as what its words make it."""
    found, doubtful = False, list[Dropped]()
    if not _DECIDED.search(line):
        parts = sentences.split(line)
        for sentence, behind in zip(parts, [*parts[1:], ""], strict=True):
            said, why = _said(sentence, entry.day, known, keys)
            found = found or bool(said)
            if said and why:
                yield Dropped(texts.cut(sentence, SHOWN), why, entry.source)
            elif said:
                old = said.old or former.before(behind, said.value)
                yield _item(entry, "fact", sentence, said.name, said.key, said.value, old)
                for one in sentences.more(sentence, said, keys):
                    yield _item(entry, "fact", sentence, one.name, one.key, one.value, one.old)
            elif moved := sentences.moved(sentence, known):  # the note knows what of it
                found = True
                yield _item(entry, "fact", sentence, moved.name, "", moved.value, moved.old)
            elif sentences.looks(sentence, known, keys):
                doubtful.append(Dropped(texts.cut(sentence, SHOWN), UNSURE, entry.source))
    kind = "" if found or len(line) < 8 or line.rstrip().endswith(("?", "？")) else _kind(line)
    # A title is a label as often as not: where the entry has more to say, it must be a sentence.
    if kind and line == entry.title and any(text != line for _, text in entry.lines):
        kind = titles.kind(line, kind, about=bool(subjects.mentioned(line, known)))
    if kind:
        about = _about(entry, line, known)
        other = _OTHERS.match(line) if kind == "preference" else None
        if other and not about:
            return  # somebody's, of whom there is no note
        said_so = _LABEL.sub("", _SAYS.sub("", line) if kind == "preference" else line)
        yield _item(entry, "context" if other else kind, said_so, about)
    else:
        yield from doubtful


def is_context(text: str) -> bool:
    """Whether a text has words of a project's state: a deadline, a customer, what depends on what."""
    return bool(_CONTEXT.search(text))


def _said(sentence: str, day: str, known: Sequence[str], keys: Set[str]) -> tuple[sentences.Said | None, str]:
    """What a sentence says, and why that is left out, "" where it is not."""
    beside, told = aside.found(sentence, day, known), sentences.said(sentence, known, keys)
    bare = sentences.said(beside.rest, known, keys) if beside else None
    if not beside or not bare:
        return told, ""
    own = beside.place and told and told.key != bare.key and names.fold(told.key) in keys  # `staging port`
    return (told, "") if own else (bare, beside.why)


def _kind(line: str) -> str:
    """What a line is that states no fact; "" for nothing worth a note."""
    hedged = bool(_HEDGED.search(line))
    if _DECIDED.search(line):
        return "" if hedged or _UNDECIDED.search(_DECIDED.sub("", line)) else "decision"
    if _URL.search(line):
        return "reference"
    if _ERRAND.search(line):
        return ""
    if _PREFERENCE.search(line) or _OTHERS.match(line):
        return "preference"
    if _CORRECTION.search(line):
        return "" if undecided.said(line) else "correction"
    if _DECISION.search(line):
        return "" if hedged or _UNDECIDED.search(line) else "decision"
    return "context" if _CONTEXT.search(line) and unsure.sure(line) else ""


def _about(entry: Entry, text: str, known: Sequence[str]) -> str:
    """The name that a line is about: what the entry says, else the longest known name in it."""
    return entry.about[0] if entry.about else subjects.mentioned(text, known)


def _item(entry: Entry, kind: str, text: str, about: str, key: str = "", value: str = "", old: str = "") -> Item:
    return Item(kind, one_line(text), entry.day, entry.source, entry.digest, about, key, value, old, at=entry.at)
