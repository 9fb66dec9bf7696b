"""Whether a message needs memory before it is answered: rules over its words, English and Chinese, no model.

A message that hands over its own material ("translate: ...") is judged by what stands before it. What nobody can tell
without the vault (whose, which, as before, the usual) needs memory; greetings, thanks and what any book says do not.
Pure; patterns are compiled when first used.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from memdir.recall import asking, pasted
from memdir.recall import gate_words as words

LONGEST = 4_000  # characters of a message that are read: what is pasted stands further down
TALK = 80  # characters of small talk at most; of Chinese a third
SHORT = 5  # words, or stretches between Chinese particles, of what is looked up rather than told
Kind = Literal["memory", "none", "continue"]

_MATERIAL = r"[:：]\s*(?=\S.{2})|[\"`]{1,3}(?=[^\"`]{3})|[“「『](?=[^”」』])"


_BARE = (
    r"^(?:(?:please|ok(?:ay)?|now|so|let'?s|hi|hello)\b[ ,!]*)*(?:continue|go on|carry on|resume|keep going|proceed)"
    r"(?:,? please)?[.! ]*$|^(?:你好|好的?|那|请|我们)*[，, ]*(?:继续|接着(?:来|做|干)|往下(?:做|走))吧?[。.！! ]*$"
)
IDLE = ("no words", "greeting, thanks or assent")  # for which not even a correction is looked for


class Decision(NamedTuple):
    """`memory`: look before answering; `none`: no need; `continue`: work that was left is taken up. `why`: the rule."""

    kind: Kind
    why: str


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _holds(pattern: str, said: str) -> bool:
    return bool(_compiled(pattern).search(said))


def _either(latin: str, signs: str, said: str) -> bool:
    """Whether one of two patterns holds; one for Chinese is not compiled for a message without any (2 to 4 ms)."""
    return _holds(latin, said) or (not said.isascii() and _holds(signs, said))


def decide(message: str, known: Callable[[str], bool] | None = None) -> Decision:
    """What a message needs. `known`: whether a text holds a name of the vault; asked only where words leave it open."""
    said = " ".join(message[:LONGEST].replace("’", "'").split())
    if not any(map(str.isalnum, said)):
        return Decision("none", IDLE[0])
    if len(said) <= TALK and (
        _holds(words.SMALL, said) or (len(said) <= TALK // 3 and not said.isascii() and _holds(words.SMALL_ZH, said))
    ):
        return Decision("none", IDLE[1])
    parts = pasted.apart(message.replace("’", "'"), LONGEST)
    if parts.is_pasted:
        return _of_pasted(" ".join(parts.words.split()), known)
    head, given = _apart(message[:LONGEST].replace("’", "'"))
    if given and (_either(words.TRANSFORM, words.TRANSFORM_ZH, head)):
        return _of_given(head, known)
    if _either(words.CONTINUE, words.CONTINUE_ZH, head):
        return Decision("continue", "work that was left")
    return _of_words(head, known)


def goes_on(message: str) -> bool:
    """Whether it only says to go on: with what, the conversation has told, or where it begins with that, an earlier
    one."""
    return len(message) <= TALK and _holds(_BARE, message.strip())


def _apart(message: str) -> tuple[str, bool]:
    """What is asked, and whether the message brings its own material: behind a colon, in quotes, on further lines."""
    first, mark, rest = message.strip().partition("\n")
    found = _compiled(_MATERIAL).search(first)
    if found and not _compiled(r"\d:$").search(first[: found.end()]):
        head, given = first[: found.start()], True
        tail = first[found.end() :]
        closed = _compiled(r"[\"”」』`]").search(tail) if first[found.start()] not in ":：" else None
        head += " " + tail[closed.end() :] if closed else ""
    else:
        head, given = first, bool(mark and rest.strip())
    return " ".join(head.split()) or " ".join(first.split()), given


def question(message: str) -> str:
    """What a message that needs memory is to be recalled for: its words, and of what is pasted the errors."""
    return pasted.apart(message, LONGEST).question[:LONGEST]


def _of_pasted(said: str, known: Callable[[str], bool] | None) -> Decision:
    """Code or output alone asks nothing; words beside it are about it, unless they speak of the past, of somebody, or
    of a thing that it is not."""
    if not any(map(str.isalnum, said)):
        return Decision("none", "code or output alone")
    if _either(words.CONTINUE, words.CONTINUE_ZH, said):
        return Decision("continue", "work that was left")
    if _either(words.PAST, words.PAST_ZH, said) or _either(
        words.OURS, words.OURS_ZH, _compiled(words.OWN_WORDS).sub(" ", said)
    ):
        return Decision("memory", "the past, or first or second person")
    if known and known(said):
        return Decision("memory", "a name of the vault")
    if _either(words.DEFINITE, words.DEFINITE_ZH, _compiled(words.AT_HAND).sub(" ", said)):
        return Decision("memory", "something definite")
    return Decision("none", "brings its own material")


def _of_given(head: str, known: Callable[[str], bool] | None) -> Decision:
    """A text to be worked on comes with the request: memory only where the request says whose way or name."""
    bare = _compiled(words.OWN_WORDS).sub(" ", head)
    if _either(words.PAST, words.PAST_ZH, bare) or _holds(
        r"\b(?:my|our|we|usual)\b|我们|我的|我喜欢|我(?:平时|平常|一贯|一向|惯用|习惯)", bare
    ):
        return Decision("memory", "a text to be worked on in a way of one's own")
    if known and known(head):
        return Decision("memory", "a name of the vault")
    return Decision("none", "brings its own material")


def _of_words(said: str, known: Callable[[str], bool] | None) -> Decision:
    """By whose it is, then by what any book says, then by names, standing instructions and the definite article."""
    if _either(words.PAST, words.PAST_ZH, said):
        return Decision("memory", "the past, or remembering")
    if _either(words.OURS, words.OURS_ZH, said):
        return Decision("memory", "first or second person")
    if known and known(said):
        return Decision("memory", "a name of the vault")
    if _either(words.AT_WORK, words.AT_WORK_ZH, said):
        return Decision("none", "about what is at hand")
    if _either(words.ALONE, words.ALONE_ZH, said):
        return Decision("none", "says all that is needed")
    if _holds(words.GENERAL, said) or (
        not said.isascii() and _holds(words.GENERAL_ZH, said) and not _holds(words.DEFINITE_ZH, said)
    ):
        return Decision("none", "general knowledge")
    asks = _holds(words.QUESTION, said)
    short = (
        len(asking.parts(said)) <= SHORT and not _holds(r"[.!。！]$", said) and (asks or not _holds(words.REMARK, said))
    )
    if short and not asks and _holds(words.COURTESY, said):
        return Decision("none", IDLE[1])
    asks = asks or short
    if asks and not _holds(words.EXACT, said) and _either(words.WORLD, words.WORLD_ZH, said):
        return Decision("none", "general knowledge")
    if _either(words.CUSTOM, words.CUSTOM_ZH, said):
        return Decision("memory", "a kind of work for which there may be instructions")
    if _either(words.DEFINITE, words.DEFINITE_ZH, said):
        return Decision("memory", "something definite")
    if _holds(words.GIVEN, said):
        return Decision("none", "about what is at hand")
    if _holds(words.QUESTION, said) or asking.is_request(said):
        return Decision("memory", "a question or a request of no known kind")
    if short:
        return Decision("memory", "a few words, as one looks something up")
    return Decision("none", "a remark")
