"""How a conversation went, by rules: what was asked first, what was decided, how it ended, what is still open.

The words of the assistant are quoted for how it ended and nothing else: they decide nothing and teach nothing. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memdir import text as texts
from memdir.learn.items import one_line, order
from memdir.learn.reading import planted
from memdir.learn.spoken import candidates, cues, words
from memdir.vault.session import Turn

LINE, TITLE = 200, 80  # characters of a line, and of the title
MOST = 4  # decisions and open points that are named
SUCCESS, FAILURE, UNKNOWN = "success", "failure", "unknown"
_CASE = re.IGNORECASE
_WENT_WELL = re.compile(
    r"\b(?:(?:it|that|this|everything|all|now)(?:'s| is)? (?:works?|fixed|good|perfect|great|done|passes|pass|green)"
    r"|works (?:now|great|perfectly|fine)|looks good|lgtm|perfect|great,? thanks?|thanks?(?: you)?,? (?:that|this|it)"
    r"|thank you|thanks|merged|shipped|nice(?:ly)?|well done|all (?:tests )?(?:pass|green))\b"
    r"|谢谢|好了|搞定|可以了|没问题了?|通过了|完美|解决了|成功|不错",
    _CASE,
)
_WENT_BADLY = re.compile(
    r"\b(?:still (?:fails?|failing|broken|crash\w*|wrong|not|doesn't|the same)|doesn't work|does not work|not working"
    r"|give up|gave up|forget it|never mind|no luck|same error|worse|revert (?:it|that|everything)|not what i)\b"
    r"|还是(?:不行|报错|失败|一样|错)|不行|算了|放弃|没用|失败了",
    _CASE,
)


@dataclass(frozen=True, slots=True)
class Episode:
    """`title`: what it was about; `lines`: of a log entry; `outcome`: success, failure or unknown."""

    title: str
    lines: tuple[str, ...]
    outcome: str


def summed_up(turns: Sequence[Turn], people: frozenset[str], open_points: Sequence[str] = ()) -> Episode | None:
    """The episode of a conversation; None where the person said nothing that can be quoted."""
    mine = [(turn, said) for turn in turns if turn.speaker.casefold() in people and (said := _said(turn.text))]
    if not mine:
        return None
    asked = _line(mine[0][1])
    decided = [one for _, said in mine for one in said if not cues.silent(one) and cues.decision(one)][-MOST:]
    last_own, last = mine[-1][1], turns[-1]
    others = [turn for turn in turns if turn.speaker.casefold() not in people]
    ended = _line(_said(others[-1].text)[:1]) if others else ""
    lines = [f"- asked: {asked}"]
    lines += [f"- then: {_line(mine[-1][1])}"] if len(mine) > 1 and _line(mine[-1][1]) != asked else []
    lines += [f"- decided: {_line([one])}" for one in decided]
    lines += [f"- ended: “{ended}” ({last.speaker})"] if ended and others and last is others[-1] else []
    lines += [f"- open: {one}" for one in open_points[:MOST]]
    lines += [f"- {len(turns)} turns"]
    return Episode(texts.cut(asked, TITLE), tuple(lines), _outcome(" ".join(last_own)))


def _outcome(said: str) -> str:
    if _WENT_BADLY.search(said):
        return FAILURE
    return SUCCESS if _WENT_WELL.search(said) else UNKNOWN


def _said(text: str) -> list[str]:
    """The sentences of a turn that may be quoted."""
    found, before = list[str](), ""
    for sentence in words.own(text):
        hidden, before = candidates.secret(sentence, before), sentence
        if order(sentence) or planted.ends(sentence):
            break
        if not hidden and not planted.why(sentence):
            found.append(sentence)
    return found


def _line(sentences: Sequence[str]) -> str:
    """The first sentences, as many as fit a line."""
    kept = ""
    for one in sentences:
        whole = f"{kept} {one_line(one)}".strip()
        if kept and len(whole) > LINE:
            break
        kept = whole
    return texts.cut(kept, LINE)
