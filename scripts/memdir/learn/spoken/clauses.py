"""The clauses of a sentence that each say something by themselves: "I live in Lisbon and am allergic to nuts". Pure.

A clause begins where a new subject, or a verb of the same "I", follows an "and" or a comma; one that leaves its "I" out
gets it back. What only depends on another clause ("because …", "so …") stays with it.
"""

import re

MOST = 6  # clauses of one sentence
_VERBS = (
    r"(?:am|live|work|prefer|like|love|hate|speak|study|teach|use|have (?=an? |two |three |kids|children)|can['’]?t"
    r"|cannot|don['’]t|never|always|usually)"
)
_SUBJECT = r"(?:i|i['’](?:m|ve|d|ll)|my|we|we['’](?:re|ve|ll)|our)"
_SPLIT = re.compile(
    rf"\s*[,;]\s+(?:(?:and|but|also|plus)\s+)?(?:also\s+)?(?={_SUBJECT}\b)"
    rf"|\s*,?\s+(?:and|but|plus)\s+(?:also\s+)?(?={_SUBJECT}\b|{_VERBS}\b)"
    r"|[，；,]\s?(?:而且|并且|同时|另外|还有|也)?(?=我)"
    r"|[，；,]\s?(?=(?:现在)?(?:在.{1,12}(?:工作|上班|上学|读|做|当)|住在?|是一[名个位]|对.{1,8}过敏|不吃|不喝|会说|喜欢|讨厌|习惯))",
    re.IGNORECASE,
)
_OWN = re.compile(r"^(?:(?:and|but|ok(?:ay)?|well),? )?(?:i|i['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_BARE = re.compile(rf"^{_VERBS}\b", re.IGNORECASE)
_ZH_SUBJECT = re.compile(r"^(?:我|其实我|现在我)")
_HAN = re.compile("^[\u4e00-\u9fff]")


def split(sentence: str) -> list[str]:
    """The clauses, in order; the sentence alone where it is one."""
    parts = [part for part in _SPLIT.split(sentence, maxsplit=MOST - 1) if part and part.strip()]
    if len(parts) < 2:
        return [sentence]
    own, own_zh = bool(_OWN.match(parts[0])), bool(_ZH_SUBJECT.match(parts[0]))
    found: list[str] = []
    for part in parts:
        if _BARE.match(part):
            if not own:  # "the team and always …" is no clause of the person
                return [sentence]
            part = f"I {part}"
        elif _HAN.match(part) and not part.startswith("我") and found:
            if not own_zh:
                return [sentence]
            part = f"我{part}"
        found.append(part.strip())
    return found
