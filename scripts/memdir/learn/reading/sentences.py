"""Sentences that say what something's attribute is now: (name, key, value), in English and Chinese, by rules.

A sentence is cut at the word that says "is" or "changed to". Before it stand the name and, without the name and the
small words, the key; behind it the value. What is asked, supposed, planned, denied or reported as a rumour says
nothing. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from memdir.learn.reading import former, idioms, roles, subjects, unsure
from memdir.learn.reading import wording as w
from memdir.learn.reading.keys import alike
from memdir.vault import names

LONGEST_VALUE = 80
LONGEST = 300  # characters of a sentence that is looked into
_SPLIT = re.compile(r"(?<=[.!?;])(?<!\s[A-Z]\.)\s+(?=[\w\"'“‘(\[\u4e00-\u9fff])|(?<=[。！？；])|\s+[—–]\s+")
_HAN = unsure.HAN
_MERELY = ":"  # stands for the verb of a cut at a colon, which does not turn round
# Key and name the other way round: `车位（上海办公室）：P4-372`.
_IN_BRACKETS = re.compile(r"^(?P<key>[^（(：:]{2,30}?)\s?[（(](?P<name>[^）)]{2,40})[）)]\s?[:：]\s?(?P<value>\S.*)$")
_NEXT = re.compile(
    r"[,;]\s+(?:and\s+)?its\s+|\s+and\s+its\s+|[，；]\s?(?:而且|并且|另外|同时)?(?:它的)?(?=\S{2,8}(?:是|为|改))"
)
_CHECKED = re.compile(r"[，,]\s?(?:已|都|刚)?(?:核对|确认|核实)")


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: the value of a key of what is called `name`; `old`: the value it names as the last."""

    name: str
    key: str
    value: str
    old: str = ""


def split(text: str) -> list[str]:
    """The sentences of a line."""
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def said(sentence: str, known: Sequence[str] = (), keys: Set[str] = frozenset()) -> Said | None:
    """What a sentence says, None when it says nothing that can be told for sure.

    `known`: names, the longest first; `keys`: folded keys of facts that the vault has, which cut where no verb does.
    """
    bare = sentence.strip().strip("\"'“”‘’*_").rstrip(".。!！")
    if len(bare) > LONGEST or bare.endswith(("?", "？")):
        return None
    texts = dict.fromkeys((roles.without(bare, known), bare))
    return next((found for text in texts if (found := _of_sentence(text, known, keys))), None)


def more(sentence: str, told: Said, keys: Set[str]) -> Iterator[Said]:
    """What the clauses behind say of the same thing: "…, its host is otter2.lan", `…，付款方式是月结60天`."""
    for clause in _NEXT.split(sentence.strip().rstrip(".。!！"))[1:]:
        if not unsure.sure(clause) or told.value in clause:
            continue
        for subject, value, old, _ in _cuts(clause, colon=False):
            key, held = subjects.key(subject), clean(value)
            if (
                names.fold(key) in keys
                and names.fold(key) != names.fold(told.key)
                and _telling(held)
                and not w.VAGUE.match(held)
            ):
                yield Said(told.name, key, held, clean(old))
                break


def moved(sentence: str, known: Sequence[str]) -> Said | None:
    """A change of something that is known from one value to another, without a word for what of it (no key)."""
    bare = sentence.strip().rstrip(".。!！")
    if not unsure.sure(bare) or not idioms.plain(bare):
        return None
    found = w.MOVED.match(bare) or (w.MOVED_ZH.match(bare) if _HAN.search(bare) else None)
    subject = names.fold(re.sub(r"^(?:the|our) ", "", found["subject"], flags=re.IGNORECASE)) if found else ""
    name = next((one for one in known if names.fold(one) == subject), "")
    old, value = (clean(found["old"]), clean(found["value"])) if found and name else ("", "")
    return Said(name, "", value, old) if old and value and former.alike(old, value) else None


def looks(sentence: str, known: Sequence[str], keys: Set[str]) -> bool:
    """Whether a sentence that states nothing sure names something known and an attribute; questions do not count."""
    bare = sentence.strip().rstrip(".。!！")
    if len(bare) > LONGEST or "?" in bare or "？" in bare or (unsure.sure(bare) and idioms.plain(bare)):
        return False
    words = re.sub(r"\W+", " ", f" {names.fold(bare)} ")
    named = any((f" {key} " in words) if key.isascii() else (len(key) > 1 and key in words) for key in keys)
    return named and bool(subjects.mentioned(bare, known))


def _of_sentence(bare: str, known: Sequence[str], keys: Set[str]) -> Said | None:
    common: Said | None = None  # of "the panel", which may be a part of something that is named elsewhere
    clauses = [(clause, before, *_without_past(clause)) for clause, before in _clauses(bare)]
    if unsure.sure(_without_past(bare)[0]) and idioms.plain(bare):
        for clause, _, _, was in clauses:
            if meant := idioms.read(clause, known):
                idiom = Said(meant.name, meant.key, meant.value, meant.old or was)
                if not _is_common(meant.name, clause) or meant.name in known:
                    return idiom
                common = common or idiom
    # A clause that has the name itself goes before one that leans on what leads up to it.
    for borrowed in (False, True):
        for _, before, now, was in clauses:
            if found := _said(now, before if borrowed else "", known, keys, colon=borrowed):
                return found if found.old else replace(found, old=was)
    return common or next((found for _, _, now, _ in clauses if (found := _run_on(now, known, keys))), None)


def _is_common(name: str, clause: str) -> bool:
    """Whether a clause speaks of "the panel", which names nothing by itself."""
    return name.islower() and clause.lower().startswith((f"the {name} ", f"our {name} "))


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """The sentence, then what stands behind each comma or colon of it, with what stands before."""
    yield w.LEAD.sub("", text), ""
    for found in list(w.JOINT.finditer(text))[:4]:
        if not unsure.sure(text[: found.start()]):
            return
        yield w.LEAD.sub("", text[found.end() :]), text[: found.start()]


def _said(clause: str, before: str, known: Sequence[str], keys: Set[str], *, colon: bool) -> Said | None:
    """What one clause says. `before`: what leads up to it, where the name may stand, or the key ("owner change: …")."""
    for subject, value, old, verb in _cuts(clause, colon=colon):
        found = _told(subject, value, verb, before, known, keys)
        if (
            found.name
            and found.key
            and found.value
            and not w.VAGUE.match(found.value)
            and not w.PRONOUN.match(found.name)
            and (names.fold(found.key) not in alike("supplier") or subjects.is_name(found.value))
        ):
            return replace(found, old=clean(old))
    cut = _by_key(clause, keys) if before and unsure.sure(clause) else None  # "Pinewood: launch date 2026-05-03"
    if cut and _telling(held := clean(cut[1].lstrip(" :：-"))):
        name = subjects.led(before, known) or subjects.about(before, held)
        return Said(name, cut[0], held) if name and not w.VAGUE.match(held) else None
    return None


def _told(subject: str, value: str, verb: str, before: str, known: Sequence[str], keys: Set[str]) -> Said:
    """Name, key and value of a clause that was cut; "" for what cannot be told."""
    name, key = subjects.parted(subject, known, keys)
    if not name and not verb and (turned := subjects.parted(value, known, keys, owner=False))[0]:
        return Said(*turned, clean(subject))  # "7431 is the port of Atlas"
    held, bare = clean(value), subjects.key(subject)
    if not name and (named := subjects.led(before, known)):
        return Said(named, bare, held)
    if not name and names.fold(bare) in keys:
        return Said(subjects.about(before, held), bare, held)
    led = subjects.key(before)
    if not name and names.fold(led) in keys and subjects.is_name(subject.strip()):
        return Said(subject.strip(), led, held)  # `内存上限变更：账单服务改用 8348 MB`
    owned = verb in (w.OWNER, w.OWNER_ZH)
    if owned and not name and not key:
        name, key = subjects.parted(f"owner of {subject}", known, keys)
    if owned and (w.PRONOUN.match(held) or (not key and w.PART.search(subject))):
        return Said("", "", "")
    if name and not key:
        key = led if verb in ("", _MERELY) else verb
        if not key and (cut := _by_key(value, keys)):
            return Said(name, cut[0], clean(cut[1]))
    return Said(name, _owned(key) if owned else key, held)


def _owned(key: str) -> str:
    """The key of who has what `key` is: `database owner`, `数据库负责人`."""
    if names.fold(key) in alike(w.OWNER):
        return key
    return f"{key}{w.OWNER_ZH}" if _HAN.search(key) else f"{key} {w.OWNER}"


def _by_key(text: str, keys: Set[str]) -> tuple[str, str] | None:
    """`key value` cut behind the longest known key that it begins with."""
    folded = names.fold(text)
    if not folded.startswith(tuple(keys)):
        return None
    found = max((key for key in keys if folded.startswith(key)), key=len, default="")
    rest = text[len(found) :]
    joined = bool(found) and found[-1].isascii() and rest[:1].isalnum()  # "portable 80" has no port
    return (
        (text[: len(found)], rest) if found and not joined and rest.strip(" :：") and len(folded) == len(text) else None
    )


def _telling(value: str) -> bool:
    """Whether a value behind a bare key is one: a lower-case word alone is a verb."""
    return bool(re.search(r"[\dA-Z\u00c0-\u00de/@]|[^\x00-\x7f]", value))


def _run_on(text: str, known: Sequence[str], keys: Set[str]) -> Said | None:
    """Name, known key and value one behind the other, without a verb: `苏州工厂管理员徐梦琪`."""
    folded = names.fold(text)
    if len(folded) != len(text) or not unsure.sure(text):
        return None
    for name in known:
        if at := subjects.word_at(name).match(folded):
            found = _by_key(text[at.end() :].lstrip(" :：-的"), keys)
            held = clean(found[1].lstrip(" :：-")) if found else ""
            return Said(name, found[0], held) if found and _telling(held) and not w.VAGUE.match(held) else None
    return _checked(text, keys) if _HAN.search(text) else None


def _checked(text: str, keys: Set[str]) -> Said | None:
    """The same of a name that nobody knows yet, where somebody has checked it: `浦东仓库管理员马丽娜，已核对`."""
    found = _CHECKED.search(text)
    if not found:
        return None
    told = text[: found.start()]
    for key in sorted(keys, key=len, reverse=True):
        at = names.fold(told).find(key, 2)
        if at > 0 and subjects.is_name(name := told[:at].strip()) and (held := clean(told[at + len(key) :])):
            return Said(name, told[at : at + len(key)], held) if _telling(held) else None
    return None


def _without_past(clause: str) -> tuple[str, str]:
    """A clause without the words that say what was before, and that value."""
    for pattern in (w.PAST, w.PAST_ZH):
        if found := pattern.search(clause):
            return clause[: found.start()].rstrip(" ,，（("), clean(found["old"])
    return clause, ""


def _cuts(text: str, *, colon: bool) -> Iterator[tuple[str, str, str, str]]:
    """Ways to cut a clause: (subject, value, old value, verb), the surest first; at a mere colon last."""
    han = bool(_HAN.search(text))
    for pattern in (*([w.HANDED_ZH] if han else []), w.NO_LONGER, *([w.NO_LONGER_ZH, w.SWAPPED_ZH] if han else [])):
        if (found := pattern.search(text)) and unsure.sure(f"{text[: found.start()]} {found['value']}"):
            handed = pattern is w.HANDED_ZH
            yield text[: found.start()], found["value"], found["old"], w.OWNER_ZH if handed else ""
    if not unsure.sure(text):
        return
    if found := _IN_BRACKETS.match(text):
        yield f"{found['key']} of {found['name']}", found["value"], "", ""
    if found := w.ARROW.match(text):
        yield found["subject"], found["value"], found["old"], ""
    if han and (found := next((one for one in w.IS_ZH.finditer(text) if one.start() >= 2), None)):
        yield text[: found.start()], found["value"], found["old"] or "", ""
    if han and (found := w.VERBS_ZH.search(text)):
        yield text[: found.start()], found["value"], "", w.VERB_KEYS.get(found["verb"], found["verb"])
    if found := w.REPLACED.match(text):
        yield found["subject"], found["value"], found["old"], ""
    if found := w.HAS.match(text):
        yield found["subject"], found["value"], found["old"] or "", found["key"]
    if found := w.SUPPLIES.match(text):
        yield f"supplier of {found['subject'] or found['subject2']}", found["value"] or found["value2"], "", ""
    if found := w.OWNS.match(text):
        yield found["subject"], found["value"], found["old"] or "", w.OWNER
    if han and (found := w.OWNS_ZH.match(text)):
        yield found["subject"], found["value"], "", w.OWNER
    if found := w.VERBS.search(text):
        verb = re.sub(r"^is (?:now|currently|still) ", "is ", found["verb"].lower())
        yield text[: found.start()], found["value"], "", w.VERB_KEYS.get(verb, verb.removeprefix("is "))
    if found := w.IS.search(text):
        yield text[: found.start()], found["changed"] or found["value"], found["old1"] or "", ""
    if found := w.ACTIVE.match(text):
        yield found["subject"], found["value"], found["old2"] or "", ""
    if found := w.AS.match(text):
        yield found["subject"], found["value"], "", ""
    if colon and (found := w.COLON.match(text)):
        yield found["subject"] or found["s2"], found["value"] or found["v2"], "", _MERELY


def clean(value: str | None) -> str:
    """A value without what follows it in the sentence; "" when it is no short phrase."""
    if not value:
        return ""
    cut = (w.CUT_ZH if _HAN.search(value) else w.CUT).split(value.strip(), maxsplit=1)[0]
    cut = w.VALUE_TAIL.sub("", w.VALUE_LEAD.sub("", cut.strip()))
    cut = cut.strip(" \t.。,，;；:：!！\"'“”‘’*_`「」『』")
    return cut if 0 < len(cut) <= LONGEST_VALUE and not cut.endswith(("?", "？")) else ""
