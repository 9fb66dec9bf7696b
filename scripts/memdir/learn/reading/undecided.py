"""Entries that tell of something which nobody has decided: their lines say how it might be, not how it is.

What such an entry marks itself (`key:: value`, `[decision] …`, "Decided: …") stands. Pure functions; every pattern is
bounded.
"""

import re
from collections.abc import Sequence

_CASE = re.IGNORECASE
# A clause that is nothing but this is about the whole entry; "who pays is not decided yet" is about who pays.
_OPEN = re.compile(
    r"(?:(?:but|and|so|it|this|that|all|everything|which)(?:'s| is| was| has been| are)? ){0,2}(?:all )?"
    r"(?:(?:still )?(?:(?:not|nothing(?: is| was| has)?)(?: yet)?(?: been)? ?|un)(?:decided|settled|agreed|fixed)"
    r"|(?:has|have)(?:n't| not) (?:been )?decided|no decisions?|(?:still )?to be (?:decided|discussed|seen)|tbd"
    r"|decision (?:is |was )?(?:postponed|pending|open|put off|later)|(?:still|only|just) (?:an? )?(?:idea|proposal"
    r"|suggestion|thought|wish|plan|open)"
    r"|(?:we(?:'ll| will)?|let's|to) decide (?:later|another time|in|on|next|after|by|when)\b.{0,40})"
    r"(?: (?:on |about )?(?:it|this|that))?(?: (?:yet|so far|for now|at the moment|here|today|made|taken|either))*",
    _CASE,
)
_OPEN_ZH = re.compile(
    r"(?:但|不过|这事|这件事|此事|目前|暂时|现在|都|我们|大家|最后|也|还){0,4}(?:先不|还没有?|尚未|没有?|未|暂不|不急着)(?:做|作)?(?:最后|最终)?"
    r"(?:决定|定下来?|定|确定|商定|拍板|说定)(?:了|呢|下来)?"
    r"|(?:还)?(?:待定|未定|再议|再商量|再讨论)|(?:以后|下次|明年|改天|到时候?).{0,6}再(?:说|议|定|决定|商量|讨论)|(?:还)?只(?:是)?个?(?:想法|提议|建议|打算|设想|念头)(?:而已)?"
)
_CLAUSE = re.compile(r"[,;.!，、；。！]\s*|\s[-–—]\s|——")
_LABELLED = re.compile(rf"[:：]\s*|{_CLAUSE.pattern}")
# A title that says what somebody would like: what stands below it tells more of that.
_WISHED = re.compile(
    r"\b(?:(?:wants? to|would like to|hopes to)(?! (?:know|ask|hear|thank|tell|remind)\b)"
    r"|(?:is|are|'s) (?:thinking (?:of|about)|considering)|propos(?:es|ed)|suggest(?:s|ed))\b"
    r"|^(?:proposal|suggestion|idea)\b(?! (?:accepted|approved|rejected|declined))",
    _CASE,
)
_PROPOSED_ZH = re.compile(r"提议|建议(?!被|已)|打算|^(?:提案|设想|想法)[:：]")
_WISHED_ZH = re.compile(rf"(?<![理思梦联感遐幻构猜设])想(?![起到象法念必出通])|{_PROPOSED_ZH.pattern}")
# A proposal that was taken up is no mere one.
_TAKEN_UP_ZH = re.compile(
    r"(?:采纳|接受|同意|听从|按照?|根据).{0,12}(?:提议|建议)|(?:提议|建议).{0,12}(?:采纳|接受|同意|通过)"
)
_OWN = re.compile(r"^(?:the )?(?:user|i)\b|^(?:我|用户)", _CASE)  # their wishes are preferences


def why(title: str, lines: Sequence[str], *, decided: bool) -> str:
    """Why the lines of an entry state nothing, "" where they do. `decided`: one of them says a decision."""
    if any(_open(part) for part in _LABELLED.split(title)) or any(_open(_CLAUSE.split(line)[0]) for line in lines):
        return "of something that is not decided"
    wished = _WISHED.search(title) or (_WISHED_ZH.search(title) and not _TAKEN_UP_ZH.search(title))
    return "of something that is only wanted" if wished and not decided and not _OWN.search(title) else ""


def _open(clause: str) -> bool:
    bare = " ".join(clause.strip(" ()（）[]*_").replace("’", "'").split())
    return bool(_OPEN.fullmatch(bare) or _OPEN_ZH.fullmatch(bare))


def said(line: str) -> bool:
    """Whether a line itself says that it is only wanted, proposed, or not decided."""
    wished = _WISHED.search(line) or (_PROPOSED_ZH.search(line) and not _TAKEN_UP_ZH.search(line))
    return any(_open(part) for part in _LABELLED.split(line)) or bool(wished and not _OWN.search(line))
