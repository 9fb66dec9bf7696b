"""Words that ask for the past or the present without naming a time, and a question without its words of time.

A cue only says how a question leans; "before" and "used to" have other uses, which are told apart by what stands
beside them. English and Chinese.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memdir.recall.phrases import compiled

# What is asked without them is the same question, so they are left out of `rest`; group 1 of `_PAST` and `_PRESENT`.
_PAST = (
    r"\b(previously|formerly|originally|historically|initially|in the past|back then|at (?:the|that) time|long ago"
    r"|ages ago|years ago|way back|earlier on|in former times)\b"
    r"|\b(?:previous|former|original|prior|earlier|historic(?:al)?|ex-\w{2,40}|ago|no longer|until (?:then|recently)"
    r"|(?:the|its|his|her|their|our|my|your|\w's|which|what) old)\b(?! enough)"
)
_WAS = r"\b(?:was|were|wasn't|weren't|had|hadn't)\b"
_USED_TO = (
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bwere )(?<!\bbeing )(?<!\bget )(?<!\bgets )(?<!\bgot )"
    r"\b(used to)\b"
)
_USE_TO = r"\bdid(?:n't)? [\w' -]{1,60} use to\b"
_BEFORE = r"\bbefore\b"
# With one of these a "before" inside a sentence orders what is done, it does not ask how things were.
_GENERAL = r"\b(?:is|are|am|do|does|should|must|can|will|need|needs|shall|may|has to|have to|how to)\b"
_PRESENT = (
    r"\b((?:right|just|by|as of|until) now|now|currently|at present|presently|at the moment|nowadays|these days)\b"
    r"|\b(?:current|still|any ?more|so far|to date|latest|up[ -]to[ -]date|today)\b"
)
_PAST_ZH = (
    r"(曾经|(?<!不)过去(?![了的]?[时年]间)|早先|当时|那时候?|从前|起初|最初|最早|原先|此前|原本|早前|往日|往年)"
    r"|原来的?|旧的|前任|上一[任个版次代]|历史上|曾(?=[在是用任有叫])|月份?时"
)
_BEFORE_ZH = r"(?<![之以])(?:以前|之前)|先前"
_GENERAL_ZH = r"要|应该?|必须|需要|得先|务必"
_PRESENT_ZH = r"(现在|目前|当前|如今|眼下|现今|现时)|最新|至今|仍然?|还在|今天"
# Words that lead to a time and mean nothing without it.
_LEADING = (
    r"(?:\b(?:back |early |later )?(?:in|on|at|during|over|within|for|from|of|around|about|by|throughout|between)"
    r"(?: the)?|\bthe|在|于|自|从) ?$"
)

_LOOSE = re.compile(r" +([?!.,;:？！。，；：])")

# What a text must hold, in lower case, before the pattern is compiled (1 ms for the first).
_PAST_NEEDS = (
    "previous", "former", "origin", "histor", "initial", "past", "then", "that time", "the time", "ago", "back",
    "earlier", "prior", "old", "ex-", "no longer", "recently",
)  # fmt: skip
_PRESENT_NEEDS = (
    "now", "current", "present", "moment", "these days", "still", "more", "so far", "latest", "date", "today",
)  # fmt: skip
# One of these stands in every English question that any of the patterns fits.
_NEEDS = (*_PAST_NEEDS, *_PRESENT_NEEDS, "use", "before", "was", "were", "had")


class Cues(NamedTuple):
    """`places`: where words stand that say nothing but the time."""

    past: bool
    present: bool
    places: list[tuple[int, int]]


def read(text: str, taken: Sequence[tuple[int, int]]) -> Cues:
    """The cues of a text with single blanks, outside the stretches that are read as times already."""
    places: list[tuple[int, int]] = []
    free = _blanked(text, taken)
    if text.isascii() and not any(map(text.lower().__contains__, _NEEDS)):
        return Cues(past=False, present=False, places=places)
    past = _seen(_PAST, free, places, _PAST_NEEDS)
    past |= _seen(_USED_TO, free, places, ("used to",)) | _seen(_USE_TO, free, places, (" use to",))
    past |= _before(free, places)
    past |= _seen(_WAS, free, places, ("was", "were", "had")) and not _seen(r"\bagain\b", free, [], ("again",))
    present = _seen(_PRESENT, free, places, _PRESENT_NEEDS) or _seen(r"\btoday\b", text, [], ("today",))
    if not text.isascii():
        past |= _seen(_PAST_ZH, free, places) | _before_zh(free, places)
        present |= _seen(_PRESENT_ZH, free, places) or "今天" in text
    return Cues(past, present, places)


def _blanked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    for start, end in taken:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def _seen(pattern: str, text: str, places: list[tuple[int, int]], needs: Sequence[str] = ("",)) -> bool:
    """Whether a pattern stands in a text; adds the places of its first group, if it has one."""
    low = text.lower()
    if not any(word in low for word in needs):
        return False
    found = list(compiled(pattern).finditer(text))
    places.extend(match.span(1) for match in found if match.re.groups and match[1])
    return bool(found)


def _before(text: str, places: list[tuple[int, int]]) -> bool:
    """A "before" that ends a clause asks for the past; so does one inside a sentence that speaks of no rule."""
    if "before" not in text.lower():
        return False
    asks = False
    general = compiled(_GENERAL).search(text) and not compiled(rf"{_WAS}|\bdid\b").search(text)
    for match in compiled(_BEFORE).finditer(text):
        if not text[match.end() :].lstrip(" ?.!,;:")[:1] or text[match.end() : match.end() + 1] in "?.!,;:":
            places.append(match.span())
            asks = True
        asks |= not general
    return asks


def _before_zh(text: str, places: list[tuple[int, int]]) -> bool:
    """以前 and 之前; behind a verb and with a "must" (部署之前要做什么) they order what is done."""
    asks = False
    general = compiled(_GENERAL_ZH).search(text)
    for match in compiled(_BEFORE_ZH).finditer(text):
        ahead = text[: match.start()].rstrip()[-1:]
        if not general or not ahead or not ahead.isalnum() or ahead in "的是在\0":
            places.append(match.span())
            asks = True
    return asks


def without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """A text without some of its stretches and what leads to them; the text itself when no word would be left."""
    kept, at = "", 0
    for start, end in sorted(places):
        if start < at:
            at = max(at, end)
            continue
        part = text[at:start]
        lead = compiled(_LEADING).search(part[-24:])
        kept += (part[: len(part) - len(lead[0])] if lead else part) + " "
        at = end + (2 if text.startswith(("'s", "’s"), end) else 0)
        at += text[at : at + 1] == "的" and not kept.strip()
    kept = " ".join((kept + text[at:]).split())
    if _LOOSE.search(kept):
        kept = _LOOSE.sub(r"\1", kept)
    kept = kept.strip(" ,;:，；：、")
    return kept if any(map(str.isalnum, kept)) else text
