"""Sentences that say what something's attribute is now: (name, key, value), in English and Chinese, by rules.

A sentence is cut at the word that says "is" or "changed to". Before it stand the name and, without the name and the
small words, the key; behind it the value. What is asked, supposed, planned, denied or reported as a rumour says
nothing. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memdir.vault import names

LONGEST_VALUE = 80
_SPLIT = re.compile(r"(?<=[.!?;])\s+(?=[\w\"'“‘(\[\u4e00-\u9fff])|(?<=[。！？；])|\s+[—–]\s+")
_HAN = re.compile("[\u3400-\u9fff]")
# Not stated as so: questions, suppositions, wishes, plans, denials, hearsay, the past.
_UNSURE = re.compile(
    r"\?|\b(?:may|might|maybe|perhaps|possibly|probably|could|would|should|shall|if|unless|whether|suppose|supposing|imagine"
    r"|hypothetical(?:ly)?|what about|how about|let's say|assuming|propos\w+|suggest\w+|consider\w*|think\w*|thought|guess\w*"
    r"|believe[sd]?|wonder\w*|wish\w*|hop(?:e[sd]?|ing)|plan(?:s|ned|ning)? to|want(?:s|ed)? to|going to|not sure|unsure|unclear|rumou?rs?"
    r"|apparently|supposedly|allegedly|heard|claims?|reckons?|pretend|example|e\.g\.|used to be|was once|almost|nearly|joke[sd]?|joking|draft"
    r"|candidate|option|idea|asked|asks|tempted|someday|eventually|in case|instead of asking|had been|in theory|nobody decided|undecided"
    r"|not decided|never (?:was|were|became)|isn't|aren't|wasn't|weren't|is not|are not|was not|not yet|didn't|did not|don't|do not"
    r"|won't|will not|can't|cannot|rejected|declined|dropped the idea|false alarm|mistaken|wrongly|typo)\b",
    re.IGNORECASE,
)
_UNSURE_ZH = re.compile(
    r"[？?]|吗|呢$|可能|也许|或许|大概|如果|要是|假如|假设|若是|万一|是否|是不是|要不要|会不会|能不能|应该是|应该改|最好|建议|提议|打算|考虑|想把|想要|希望"
    r"|计划|听说|据说|好像|似乎|猜|觉得|以为|不确定|未定|没定|还没|尚未|没有改|不会|并非|并不是|不是(?!.{0,20}(?:而是|是|改))|曾经|原来是|本来|差点|比如|例如|开玩笑|说不定|暂时没"
    r"|否决|拒绝|讨论"
)
_NO_LONGER = re.compile(
    r"\b(?:is|are|isn't|aren't|was)\s+(?:no longer|not|n't)\s+(?P<old>.{1,60}?)(?:\s+any ?more)?[,;]?\s+"
    r"(?:but|it(?:'s| is)(?: now)?|now it(?:'s| is)|instead it(?:'s| is)|and is now|now)\s+(?P<value>\S.*)$",
    re.IGNORECASE,
)
_NO_LONGER_ZH = re.compile(
    r"(?:不再是|已不是|不是|不再用|不再走)(?P<old>.{1,40}?)[，,、]?(?:而是|改为|改成|换成|现在是|现在用|现在走|已经是|是)(?P<value>.+)$"
)
_ADVERBS = r"(?:now|currently|still|officially|permanently|finally|today|meanwhile|as of today|since today|from today|again|just|already)"
_CHANGED = (
    r"(?:changed?|moved?|switched|updated?|renamed|bumped|raised|lowered|reduced|increased|cut|shifted|migrated|upgraded|downgraded|set|reset"
    r"|transferred|handed|reassigned|relocated|went|goes|passed|dropped|grew|rolled|pushed|extended|converted|replaced|swapped|put|fixed|corrected"
    r"|brought|adjusted|turned)"
)
_OLD = r"(?:[,]? ?(?:away |over |up |down |back |on )?(?:from|off) (?P<old{n}>.{{1,60}}?))?"
_IS = re.compile(
    rf"\s(?:has |have |had |was |were |is |are |been |being |got |gets |{_ADVERBS} )*{_CHANGED}(?: over| on)?{_OLD.format(n=1)}"
    r" (?:to|with|by|into|onto|as)(?: be)? (?P<changed>\S.*)$"
    rf"|\s(?:{_ADVERBS} )?(?:is|are|was|were|became|becomes|has become|remains|stays|will be|equals|stands at|sits at|reads|points to|=|→|->)"
    rf"(?: {_ADVERBS}| set to| fixed at| at)* (?P<value>\S.*)$",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    rf"^(?:\w+(?: have| has|'ve)?(?: {_ADVERBS})? )?{_CHANGED}(?: over)? (?P<subject>.{{3,80}}?){_OLD.format(n=2)} (?:to|with|by|onto|into) (?P<value>\S.*)$",
    re.IGNORECASE,
)
_COLON = re.compile(r"^(?P<subject>[^:：]{3,60})[:：]\s*(?P<value>\S.*)$")
_IS_ZH = re.compile(
    r"(?:已经?|现在|目前|今天起?|正式|最终|重新|又|统一|全部|临时|从今天起|即日起|，|,)*"
    r"(?:(?:由|从)(?P<old>.{1,30}?))?(?:已经?|现在|正式)?"
    r"(?:改为|改成|改到|改用|改由|换为|换成|换到|变成|变为|更新为|更新到|调整为|调整到|调到|设为|设成|设置为|定为|定在|定成|升级到|升级为|升到|降到|降为|提高到|增加到|减到"
    r"|迁到|迁移到|迁至|搬到|搬去了|搬至|挪到|移到|转给|转到|交给|移交给|推迟到|提前到|延到|缩短到|延长到|切到|切换到|改名为|等于|就是|定的是|位于|是|为|=|→)(?:了)?\s*(?P<value>.+)$"
)
# A verb that is itself the key where nothing else is left of the subject.
_VERBS = re.compile(
    r"\s(?:now |currently |still )?(?P<verb>runs on|runs in|runs at|uses|listens on(?: port)?|is (?:owned|run|led|maintained|handled|managed) by|is hosted (?:on|at|in|by)"
    r"|lives in|lives at|is based in|is located in|reports to|works for|works at|depends on|costs|belongs to|sits (?:in|on)|answers to"
    r"|speaks|ships (?:on|with)|stores (?:\w+ )?in|deploys (?:to|with|from)|talks to|relies on|starts at|opens at|closes at|backs up to|is stored in) (?P<value>\S.*)$",
    re.IGNORECASE,
)
_VERBS_ZH = re.compile(
    r"(?:现在|目前|已经|改)?(?P<verb>使用|采用|运行在|跑在|部署在|住在|归|属于|依赖|监听|由)(?P<value>.+?)(?:负责|管理|维护|了)?$"
)
_VERB_KEYS = {"runs on": "platform", "is owned by": "owner", "is run by": "owner", "is led by": "owner"}
_LEAD = re.compile(
    r"^(?:fyi|note|update|ps|also|so|and|but|today|yesterday|this morning|heads[- ]up|reminder|for the record|confirmed|correction|good news"
    r"|ok|okay|done|turns out|it turns out(?: that)?|as of \w+|since \w+|from \w+ on|effective \w+|注意|更新|另外|今天|更正|确认|备忘|顺便说一下|提醒)\s*[,:，：\-]\s*",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"^(?:the|our|my|your|their|a|an|new|of|for|on|at|in|to|that|and|now|current|currently|please|is|was|has|have|been|with|by)$",
    re.IGNORECASE,
)
_EDGE_ZH = re.compile(
    r"^(?:[的之，,、：:\s]|把|将|关于|对于|在|目前|现在|今天|已经)+|(?:[的之，,、：:\s]|已经|现在|目前|今天|已|现|也|都|就)+$"
)
_CUT = re.compile(
    r"(?:[,;]\s+(?=[a-z])|\s+[—–-]\s+|\s+\(|\s+(?:because|since|as of|so|which|after|until|instead of|rather than|starting|effective|due to|per|according to"
    r"|says|said|for now|from now on|as agreed|as discussed|going forward|not \w|while|and not|but|thanks to|following|now that|where)\b)",
    re.IGNORECASE,
)
_CUT_ZH = re.compile(
    r"[，,；;（(。！!]|因为|由于|了(?=$|[，。])|而不是|不再|从(?:今天|明天|下周|这周)起|(?:今天|明天|下周.?)起"
)
_PRONOUN = re.compile(
    r"^(?:it|this|that|these|those|there|here|he|she|we|they|i|you|who|what|which|everything|nothing|something|one|all|another|everyone|nobody"
    r"|today|tomorrow|yesterday|the|a|an|and|but|so|if|when|then|status|update|note|meeting|lunch|weather|dinner|breakfast|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|我|我们|你|他|她|它|他们|这|那|这个|那个|这里|今天|明天|昨天|大家|自己|什么|谁|早上|晚上|中午|下午|天气)$",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:[A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*)(?:\s+(?:[A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*))*"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: the value of a key of what is called `name`; `old`: the value it names as the one before."""

    name: str
    key: str
    value: str
    old: str = ""


def split(text: str) -> list[str]:
    """The sentences of a line."""
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def sure(sentence: str) -> bool:
    """Whether a sentence states something: it is not asked, supposed, planned, denied or hearsay."""
    doubt = _UNSURE_ZH if _HAN.search(sentence) else _UNSURE
    return not doubt.search(sentence)


def said(sentence: str, known: Sequence[str] = ()) -> Said | None:
    """What a sentence says, None when it says nothing that can be told for sure. `known`: names, the longest first."""
    bare = _LEAD.sub("", sentence.strip().strip("\"'“”‘’*_").rstrip(".。!！"))
    if len(bare) > 300:
        return None
    for cut in _cuts(bare):
        subject, value, old, verb = cut
        name, key = _parted(subject, known)
        if name and not key and verb:
            key = verb
        if name and key and (held := clean(value)) and not _PRONOUN.match(held):
            return Said(name, key, held, clean(old))
    return None


def mentioned(text: str, known: Sequence[str]) -> str:
    """The longest known name that stands in a text, "" for none."""
    folded = names.fold(text)
    return next((name for name in known if _word_at(name).search(folded)), "")


def _cuts(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Ways to cut a sentence: (subject, value, old value, verb), the surest first."""
    han = bool(_HAN.search(text))
    for pattern in (_NO_LONGER, *([_NO_LONGER_ZH] if han else [])):
        if found := pattern.search(text):
            yield text[: found.start()], found["value"], found["old"], ""
    if not sure(text):
        return
    if han and (found := _first(_IS_ZH, text)):
        yield text[: found.start()], found["value"], found["old"] or "", ""
    if han and (found := _VERBS_ZH.search(text)):
        yield text[: found.start()], found["value"], "", found["verb"]
    if found := _VERBS.search(text):
        verb = found["verb"].lower()
        yield (
            text[: found.start()],
            found["value"],
            "",
            _VERB_KEYS.get(verb, verb.removeprefix("is ").removesuffix(" port")),
        )
    if found := _IS.search(text):
        yield text[: found.start()], found["changed"] or found["value"], found["old1"] or "", ""
    if found := _ACTIVE.match(text):
        yield found["subject"], found["value"], found["old2"] or "", ""
    if found := _COLON.match(text):
        yield found["subject"], found["value"], "", ""


def _first(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match that leaves a subject of two characters at least."""
    return next((found for found in pattern.finditer(text) if found.start() >= 2), None)


def _parted(subject: str, known: Sequence[str]) -> tuple[str, str]:
    """Name and key of a subject; "" where there is none."""
    subject = _EDGE_ZH.sub("", subject.strip(" ,;:-"))
    folded = names.fold(subject)
    for name in known:
        if at := _word_at(name).search(folded):
            if len(folded) != len(subject):
                return name, _key(f"{folded[: at.start()]} {folded[at.end() :]}")
            return name, _key(f"{subject[: at.start()]} {subject[at.end() :]}")
    if _HAN.search(subject) and "的" in subject:
        name, _, key = subject.partition("的")
        name = _EDGE_ZH.sub("", name)
        return ("", "") if _PRONOUN.match(name) or len(name) > 16 or not name else (name, _key(key))
    return _unknown(subject)


@lru_cache(4096)
def _word_at(name: str) -> re.Pattern[str]:
    """A name as a whole word; beside Chinese characters there are no word ends."""
    folded = re.escape(names.fold(name))
    left, right = (
        (r"(?<![a-z0-9_])" if name[:1].isascii() else ""),
        (r"(?:['’]s?)?(?![a-z0-9_])" if name[-1:].isascii() else ""),
    )
    return re.compile(left + folded + right)


def _unknown(subject: str) -> tuple[str, str]:
    """A name that the vault does not know yet, by its shape: `X's key`, `the key of X`."""
    if found := re.match(rf"^(?:the |our )?({_NAME.pattern})['’]s? (\S.*)$", subject):
        name, key = found[1], found[2]
    elif found := re.match(
        rf"^(?:the |our )?(\S.*?) (?:of|for|on|at|in) (?:the )?({_NAME.pattern})$", subject, re.IGNORECASE
    ):
        name, key = found[2], found[1]
        if not _NAME.fullmatch(name):
            return "", ""
    else:
        return "", ""
    return ("", "") if _PRONOUN.match(name) else (name, _key(key))


def _key(text: str) -> str:
    """What is left of a subject without the name: the key, "" when it is no few plain words."""
    text = re.sub(r"['’]s\b", " ", text)
    words = [word for word in _EDGE_ZH.sub("", text.strip()).replace(",", " ").split()]
    while words and _SMALL.match(words[0]):
        words.pop(0)
    while words and _SMALL.match(words[-1]):
        words.pop()
    key = " ".join(_EDGE_ZH.sub("", word) for word in words)
    plain = bool(re.fullmatch(r"[\w\u3400-\u9fff][\w\u3400-\u9fff \-/&+.#]{0,40}", key))
    return key if plain and len(words) <= 5 and not _PRONOUN.match(key) else ""


def clean(value: str | None) -> str:
    """A value without what follows it in the sentence; "" when it is no short phrase."""
    if not value:
        return ""
    cut = (_CUT_ZH if _HAN.search(value) else _CUT).split(value.strip(), maxsplit=1)[0]
    cut = re.sub(r"^(?:now|currently|called|the same|about|roughly) ", "", cut.strip(), flags=re.IGNORECASE)
    cut = cut.strip(" \t.。,，;；:：!！\"'“”‘’*_`「」『』")
    return cut if 0 < len(cut) <= LONGEST_VALUE else ""
