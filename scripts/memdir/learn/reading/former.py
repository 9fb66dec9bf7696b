"""What was before, said in a sentence of its own beside the new value: "Used to be K-2", `旧的 K-2 作废`.

Such a sentence names neither what it is about nor the attribute: it counts only behind one that does, and only where
the two values look alike. Pure functions; every pattern is bounded.
"""

import re

_OLD = r"(?P<old>\S.{0,60}?)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:it |this |that |which )?(?:used to be|was|were|formerly|previously|before(?: that)?(?:,? it was)?"
        r"|until now(?:,? it was)?)"
        rf":? {_OLD}(?: until [\w ]{{1,20}}| before| so far| up to now)?$",
        r"^(?:it |this |that )?(?:(?:has )?(?:changed|moved|switched|went|came|comes)(?: away| over| up| down)? from"
        r"|replaces|supersedes"
        rf"|takes the place of|instead of|in place of|no longer|not) {_OLD}(?: any ?more| any longer| after .{{1,40}}"
        rf"| since .{{1,40}})?$",
        rf"^(?:the |our )?(?:(?:old|former|previous) )?(?:value |one |number )?{_OLD} (?:is|was|has)(?: now)? (?:out"
        rf"|gone|history|dead|over|void|retired"
        r"|obsolete|dropped|outdated|no more|switched off|expired|no longer (?:valid|used|in use)|not (?:valid|used"
        r"|in use) any ?more|had its day)$",
        rf"^(?:之前|以前|原来|原先|此前|过去|早先|老的|旧的)(?:的|值|那个)?(?:是|为|用的是|用"
        rf"|叫)? ?{_OLD} ?(?:(?:已经?)?(?:不用|作废|停用|失效|废弃|取消)了?)?$",
        rf"^(?:是)?(?:从|由) ?{_OLD} ?(?:换|改|调整|切换|切|变|升级?|迁移?|搬)(?:过来|而来|来|过去)(?:的)?$",
        rf"^(?:不再是|不再用|不再使用|替换了?|取代了?|代替了?|顶替了?) ?{_OLD}$",
        rf"^{_OLD} ?(?:已经?|就|从此)?(?:停用|作废|不用|失效|废弃|下线|取消)了?$",
    )
)
_END = " \t.。,，;；!！()（）\"'“”"


def before(sentence: str, value: str) -> str:
    """The value that a sentence says was there before `value`, "" when it says none."""
    bare = sentence.strip(_END)
    for pattern in _PATTERNS:
        if (found := pattern.match(bare)) and alike(old := found["old"].strip(_END), value):
            return old
    return ""


def alike(one: str, other: str) -> bool:
    """Whether two texts could be values of one attribute: both with digits and of a like length, or both without."""
    if one == other or abs(len(one.split()) - len(other.split())) > 1:
        return False
    if any(map(str.isdigit, one)) != any(map(str.isdigit, other)):
        return False
    return len(one) <= 2 * len(other) + 4 and _begins(one) == _begins(other)


def _begins(text: str) -> str:
    """The kind of the first letter: a name does not follow a verb."""
    first = text[:1]
    return "digit" if first.isdigit() else "small" if first.islower() else "capital" if first.isascii() else "other"
