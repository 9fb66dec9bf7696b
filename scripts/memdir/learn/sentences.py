"""Sentences that say what something's attribute is now: (name, key, value), in English and Chinese, by rules.

A sentence is cut at the word that says "is" or "changed to". Before it stand the name and, without the name and the
small words, the key; behind it the value. What is asked, supposed, planned, denied or reported as a rumour says
nothing. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


def said(sentence: str, known: Sequence[str] = ()) -> Said | None:
    """What a sentence says, None when it says nothing that can be told for sure. `known`: names, the longest first."""
    bare = sentence.strip().strip("\"'“”‘’*_").rstrip(".。!！")
    if len(bare) > LONGEST or bare.endswith(("?", "？")):
        return None
    for clause, before in _clauses(bare):
        if found := _said(clause, mentioned(before, known), known):
            return found
    return None


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """The sentence, then what stands behind each comma or colon of it, with what stands before."""
    yield w.LEAD.sub("", text), ""
    for found in list(w.JOINT.finditer(text))[:4]:
        yield w.LEAD.sub("", text[found.end() :]), text[: found.start()]


def _said(clause: str, before: str, known: Sequence[str]) -> Said | None:
    """What one clause says. `before`: the name that stands in what leads up to it."""
    bare, was = _without_past(clause)
    for subject, value, old, verb in _cuts(bare):
        name, key = _parted(subject, known)
        held, turned = clean(value), False
        if not name and not verb:  # "7431 is the port of Atlas"
            name, key = _parted(value, known)
            held, turned = clean(subject), bool(name)
        if not name and before and not turned:
            name, key = before, _key(subject)
        if name and not key and verb and not turned:
            key = verb
        if name and key and held and not w.PRONOUN.match(held) and not w.PRONOUN.match(name):
            return Said(name, key, held, clean(old) or was)
    return None


def _without_past(clause: str) -> tuple[str, str]:
    """A clause without the words that say what was before, and that value."""
    for pattern in (w.PAST, w.PAST_ZH):
        if found := pattern.search(clause):
            return clause[: found.start()].rstrip(" ,，（("), clean(found["old"])
    return clause, ""


def _cuts(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Ways to cut a clause: (subject, value, old value, verb), the surest first."""
    han = bool(_HAN.search(text))
    for pattern in (w.NO_LONGER, *([w.NO_LONGER_ZH] if han else [])):
        if found := pattern.search(text):
            yield text[: found.start()], found["value"], found["old"], ""
    if not sure(text):
        return
    if found := w.ARROW.match(text):
        yield found["subject"], found["value"], found["old"], ""
    if han and (found := next((one for one in w.IS_ZH.finditer(text) if one.start() >= 2), None)):
        yield text[: found.start()], found["value"], found["old"] or "", ""
    if han and (found := w.VERBS_ZH.search(text)):
        yield text[: found.start()], found["value"], "", found["verb"]
    if found := w.REPLACED.match(text):
        yield found["subject"], found["value"], found["old"], ""
    if found := w.VERBS.search(text):
        verb = found["verb"].lower()
        yield text[: found.start()], found["value"], "", w.VERB_KEYS.get(verb, verb.removeprefix("is "))
    if found := w.IS.search(text):
        yield text[: found.start()], found["changed"] or found["value"], found["old1"] or "", ""
    if found := w.ACTIVE.match(text):
        yield found["subject"], found["value"], found["old2"] or "", ""
    if found := w.AS.match(text):
        yield found["subject"], found["value"], "", ""
    if found := w.COLON.match(text):
        yield found["subject"] or found["s2"], found["value"] or found["v2"], "", ""


def _parted(subject: str, known: Sequence[str]) -> tuple[str, str]:
    """Name and key of a subject; "" where there is none."""
    subject = w.EDGE_ZH.sub("", subject.strip(" ,;:-"))
    folded = names.fold(subject)
    whole = subject if len(folded) == len(subject) else folded
    for name in known:
        if at := _word_at(name).search(folded):
            return name, _key(f"{w.OF_END.sub('', whole[: at.start()])} {whole[at.end() :]}")
    if _HAN.search(subject) and "的" in subject:
        name, _, key = subject.partition("的")
        name = w.EDGE_ZH.sub("", w.LEAD.sub("", name))
        plain = 1 < len(name) <= 10 and not re.search(r"[，,：:。？?（(「]", name)
        return (name, _key(key)) if plain else ("", "")
    if found := _OWNER.match(subject):
        return found[1], _key(found[2])
    if found := _OF.match(subject):
        return found[2], _key(found[1])
    return "", ""


@lru_cache(4096)
def _word_at(name: str) -> re.Pattern[str]:
    """A name as a whole word, with the s of a genitive; beside Chinese characters there are no word ends."""
    left = r"(?<![a-z0-9_])" if name[:1].isascii() else ""
    right = r"(?![a-z0-9_])" if name[-1:].isascii() else ""
    return re.compile(rf"{left}{re.escape(names.fold(name))}{right}(?:['’]s?(?![a-z0-9_]))?")


def _key(text: str) -> str:
    """What is left of a subject without the name: the key, "" when it is no few plain words."""
    words = re.sub(r"[（）()\[\]「」\"“”,，:：]", " ", w.EDGE_ZH.sub("", text.strip())).split()
    while words and (w.SMALL.match(words[0]) or not any(map(str.isalnum, words[0]))):
        words.pop(0)
    while words and (w.SMALL.match(words[-1]) or not any(map(str.isalnum, words[-1]))):
        words.pop()
    key = " ".join(w.EDGE_ZH.sub("", word) for word in words)
    plain = bool(re.fullmatch(r"[\w\u3400-\u9fff][\w\u3400-\u9fff \-/&+.#:]{0,40}", key))
    return key if plain and len(words) <= 4 and not w.PRONOUN.match(key) and not w.VERBAL.search(key) else ""


def clean(value: str | None) -> str:
    """A value without what follows it in the sentence; "" when it is no short phrase."""
    if not value:
        return ""
    cut = (w.CUT_ZH if _HAN.search(value) else w.CUT).split(value.strip(), maxsplit=1)[0]
    cut = w.VALUE_LEAD.sub("", cut.strip())
    cut = cut.strip(" \t.。,，;；:：!！\"'“”‘’*_`「」『』")
    return cut if 0 < len(cut) <= LONGEST_VALUE and not cut.endswith(("?", "？")) else ""
