"""Sentences that say what something's attribute is now: (name, key, value), in English and Chinese, by rules.

A sentence is cut at the word that says "is" or "changed to". Before it stand the name and, without the name and the
small words, the key; behind it the value. What is asked, supposed, planned, denied or reported as a rumour says
nothing. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from memdir.learn import wording as w
from memdir.vault import names

LONGEST_VALUE = 80
LONGEST = 300  # characters of a sentence that is looked into
_SPLIT = re.compile(r"(?<=[.!?;])\s+(?=[\w\"'“‘(\[\u4e00-\u9fff])|(?<=[。！？；])|\s+[—–]\s+")
_HAN = re.compile("[\u3400-\u9fff]")
_SHAPED = r"(?:[A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*)"
_NAME = re.compile(rf"{_SHAPED}(?: {_SHAPED})*")
_OWNER = re.compile(rf"^(?:the |our )?({_NAME.pattern})['’]s? (\S.*)$")
_OF = re.compile(rf"^(?:the |our |The |Our )?(\S.*?) (?:of|for|on|at|in) (?:the )?({_NAME.pattern})$")
_GOES_ON = re.compile(rf" {_SHAPED}['’]")  # "Lantern Paper's" is not about Lantern
_MERELY = ":"  # stands for the verb of a cut at a colon, which does not turn round
_PLAIN_OWNER = re.compile(r"^(?:the |our )?([\w.\-]{3,30})['’]s (\S.*)$")
_PLAIN_OF = re.compile(r"^(?:the |our |The |Our )?(\S.*?) (?:of|for|on|at|in) ([\w.\-]{3,30})$")


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


def sure(sentence: str) -> bool:
    """Whether a sentence states something: it is not asked, supposed, planned, denied or hearsay."""
    return not (w.UNSURE_ZH if _HAN.search(sentence) else w.UNSURE).search(sentence)


def mentioned(text: str, known: Sequence[str]) -> str:
    """The longest known name that stands in a text, "" for none."""
    folded = names.fold(text)
    return next((name for name in known if _word_at(name).search(folded)), "")


def said(sentence: str, known: Sequence[str] = (), keys: Set[str] = frozenset()) -> Said | None:
    """What a sentence says, None when it says nothing that can be told for sure.

    `known`: names, the longest first; `keys`: folded keys of facts that the vault has, which cut where no verb does.
    """
    bare = sentence.strip().strip("\"'“”‘’*_").rstrip(".。!！")
    if len(bare) > LONGEST or bare.endswith(("?", "？")):
        return None
    clauses = [(clause, before, *_without_past(clause)) for clause, before in _clauses(bare)]
    for borrowed in (
        False,
        True,
    ):  # a clause that has the name itself goes before one that leans on what leads up to it
        for _, before, now, was in clauses:
            if found := _said(now, before if borrowed else "", known, keys, colon=borrowed):
                return found if found.old else replace(found, old=was)
    return next((found for _, _, now, _ in clauses if (found := _run_on(now, known, keys))), None)


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """The sentence, then what stands behind each comma or colon of it, with what stands before."""
    yield w.LEAD.sub("", text), ""
    for found in list(w.JOINT.finditer(text))[:4]:
        if not sure(text[: found.start()]):
            return
        yield w.LEAD.sub("", text[found.end() :]), text[: found.start()]


def _said(clause: str, before: str, known: Sequence[str], keys: Set[str], *, colon: bool) -> Said | None:
    """What one clause says. `before`: what leads up to it, where the name may stand, or the key ("owner change: …")."""
    named = mentioned(before, known)
    shaped = before.strip() if _NAME.fullmatch(before.strip()) and len(before) < 30 else ""
    for subject, value, old, verb in _cuts(clause, colon=colon):
        name, key, held = *_parted(subject, known, keys), clean(value)
        if (
            not name and not verb and (turned := _parted(value, known, keys, owner=False))[0]
        ):  # "7431 is the port of Atlas"
            name, key, held = *turned, clean(subject)
        elif not name and named:
            name, key = named, _key(subject)
        elif not name and shaped and names.fold(_key(subject)) in keys:
            name, key = shaped, _key(subject)
        elif name and not key:
            key = _key(before) if verb in ("", _MERELY) else verb
            if not key and (cut := _by_key(value, keys)):
                key, held = cut[0], clean(cut[1])
        if name and key and held and not w.VAGUE.match(held) and not w.PRONOUN.match(name):
            return Said(name, key, held, clean(old))
    return None


def _by_key(text: str, keys: Set[str]) -> tuple[str, str] | None:
    """`key value` cut behind the longest known key that it begins with."""
    folded = names.fold(text)
    found = max((key for key in keys if folded.startswith(key)), key=len, default="")
    rest = text[len(found) :]
    return (text[: len(found)], rest) if found and rest.strip(" :：") and len(folded) == len(text) else None


def _run_on(text: str, known: Sequence[str], keys: Set[str]) -> Said | None:
    """Name, known key and value one behind the other, without a verb: `苏州工厂管理员徐梦琪`."""
    folded = names.fold(text)
    if len(folded) != len(text) or not sure(text):
        return None
    for name in known:
        if at := _word_at(name).match(folded):
            found = _by_key(text[at.end() :].lstrip(" :：-的"), keys)
            held = clean(found[1].lstrip(" :：-")) if found else ""
            telling = bool(re.search(r"[\dA-Z\u00c0-\u00de/@]|[^\x00-\x7f]", held))  # a lower-case word alone is a verb
            return Said(name, found[0], held) if found and telling and not w.VAGUE.match(held) else None
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
    for pattern in (w.NO_LONGER, *([w.NO_LONGER_ZH, w.SWAPPED_ZH] if han else [])):
        if found := pattern.search(text):
            yield text[: found.start()], found["value"], found["old"], ""
    if not sure(text):
        return
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
    if found := w.OWNS.match(text):
        yield found["subject"], found["value"], "", "owner"
    if found := w.VERBS.search(text):
        verb = found["verb"].lower()
        yield text[: found.start()], found["value"], "", w.VERB_KEYS.get(verb, verb.removeprefix("is "))
    if found := w.IS.search(text):
        yield text[: found.start()], found["changed"] or found["value"], found["old1"] or "", ""
    if found := w.ACTIVE.match(text):
        yield found["subject"], found["value"], found["old2"] or "", ""
    if found := w.AS.match(text):
        yield found["subject"], found["value"], "", ""
    if colon and (found := w.COLON.match(text)):
        yield found["subject"] or found["s2"], found["value"] or found["v2"], "", _MERELY


def _parted(subject: str, known: Sequence[str], keys: Set[str] = frozenset(), *, owner: bool = True) -> tuple[str, str]:
    """Name and key of a subject; "" where there is none. A name that nobody knows yet must look like one, or stand
    beside a key that is known."""
    subject = w.EDGE_ZH.sub("", subject.strip(" ,;:-"))
    folded = names.fold(subject)
    whole = subject if len(folded) == len(subject) else folded
    for name in known:
        at = _word_at(name).search(folded)
        if at and not _GOES_ON.match(whole, at.end()):
            left = w.JOINT.split(whole[: at.start()])[-1].strip()
            left = "" if w.ASIDE.search(left) and whole[at.end() :].strip() else left
            return name, _key(f"{w.OF_END.sub('', f' {left} ')} {whole[at.end() :]}")
    bare = w.LEAD.sub("", w.DONE.sub("", subject))
    if _HAN.search(bare) and "的" in bare:
        name, _, key = bare.partition("的")
        name = w.EDGE_ZH.sub("", name)
        plain = 1 < len(name) <= 10 and not re.search(r"[，,：:。？?（(「]", name)
        return (name, _key(key)) if plain else ("", "")
    for pattern, order in ((_OWNER, (1, 2)), (_OF, (2, 1)), (_PLAIN_OWNER, (1, 2)), (_PLAIN_OF, (2, 1))):
        if (found := pattern.match(bare)) and (owner or order == (2, 1)):
            name, key = (found[n] for n in order)
            key = _key(key)
            if pattern in (_OWNER, _OF) or names.fold(key) in keys:
                return name, key
    return "", ""


@lru_cache(4096)
def _word_at(name: str) -> re.Pattern[str]:
    """A name as a whole word, with the s of a genitive; beside Chinese characters there are no word ends."""
    left = r"(?<![a-z0-9_])" if name[:1].isascii() else ""
    right = r"(?![a-z0-9_])" if name[-1:].isascii() else ""
    return re.compile(rf"{left}{re.escape(names.fold(name))}{right}(?:['’]s?(?![a-z0-9_]))?")


def _key(text: str) -> str:
    """What is left of a subject without the name: the key, "" when it is no few plain words."""
    words = re.sub(r"[（）()\[\]「」\"“”]", " ", w.EDGE_ZH.sub("", text.strip(" ,，:："))).split()
    while words and (w.SMALL.match(words[0]) or not any(map(str.isalnum, words[0]))):
        words.pop(0)
    while words and (w.SMALL.match(words[-1]) or not any(map(str.isalnum, words[-1]))):
        words.pop()
    key = " ".join(w.EDGE_ZH.sub("", word) for word in words)
    key = found[1].strip() if (found := w.CHANGE_OF.match(key)) else key
    key = key[1:] if key[:1] == "新" and key[1:] in w.KEYS else key
    plain = bool(re.fullmatch(r"[\w\u3400-\u9fff](?:[\w\u3400-\u9fff \-/&+.#]|:(?=\d)){0,40}", key))
    return key if plain and len(words) <= 4 and not w.PRONOUN.match(key) and not w.VERBAL.search(key) else ""


def clean(value: str | None) -> str:
    """A value without what follows it in the sentence; "" when it is no short phrase."""
    if not value:
        return ""
    cut = (w.CUT_ZH if _HAN.search(value) else w.CUT).split(value.strip(), maxsplit=1)[0]
    cut = w.VALUE_TAIL.sub("", w.VALUE_LEAD.sub("", cut.strip()))
    cut = cut.strip(" \t.。,，;；:：!！\"'“”‘’*_`「」『』")
    return cut if 0 < len(cut) <= LONGEST_VALUE and not cut.endswith(("?", "？")) else ""
