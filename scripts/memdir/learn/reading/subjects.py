"""The subject of a sentence taken apart: what it is about, and which attribute of that.

"the staging port of Atlas" and `灯塔的端口` are name and key. A name that nobody knows yet must look like one, or stand
beside a key that is known. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from memdir.learn.reading import wording as w
from memdir.learn.reading.keys import KEYS, WORDS
from memdir.learn.reading.kinds import SHAPES
from memdir.learn.reading.unsure import HAN
from memdir.vault import names

# A word of a name: it begins with a capital or a digit, or is Chinese in an English sentence.
_SHAPED = r"(?:[A-Z0-9\u00c0-\u00de\u0400-\u042f][\w.&+\-]*|[\u3400-\u9fff]{2,10})"
_NAME = re.compile(rf"{_SHAPED}(?: {_SHAPED})*")
_OWNER = re.compile(rf"^(?:the |our )?({_NAME.pattern})['’]s? (\S.*)$")
_OF = re.compile(rf"^(?:the |our |The |Our )?(\S.*?) (?:of|for|on|at|in|with) (?:the )?({_NAME.pattern})$")
# A thing without a name of its own: "the supplier of coffee beans", "the owner of the billing service".
_OF_THING = re.compile(
    r"^(?:the |our |The |Our )?(\S.*?) (?:of|for) (?:(?:the|our) )?"
    r"((?!the |our |my |an? )(?:[a-z][\w\-]{1,20} ){1,2}(?:service|server"
    r"|system|app|application"
    r"|website|shop|portal|gateway|pipeline|api|cluster|database|dashboard)"
    r"|(?<=supplier of )[a-z][a-z\-]{2,20}(?: [a-z\-]{2,20}){0,2})$"
)
_ANY_OWNER = re.compile(rf"(?<!\w)({_NAME.pattern}|[a-z][\w.\-]{{3,29}})['’]s? ")
_PLAIN_OWNER = re.compile(r"^(?:the |our )?([\w.\-]{3,30})['’]s (\S.*)$")
_PLAIN_OF = re.compile(r"^(?:the |our |The |Our )?(\S.*?) (?:of|for|on|at|in) ([\w.\-]{3,30})$")
# "Lantern Paper's rent", `Lantern Paper 的租金` and "the rent of Lantern Paper" are not about Lantern.
_GOES_ON = re.compile(rf"(?: {_SHAPED}){{1,3}}(?:['’]|\s?的)")
_ENDS_ON = re.compile(rf"(?: {_SHAPED}){{1,3}}(?=\s?[:：]|\s[-–—]\s|$)")
# What a sentence says that it is about before it says what: "Note on X", "Asked Dora about X", "With X it's simple".
_ABOUT = re.compile(
    rf"(?:\b(?:about|on|for|regarding|concerning|re)|^with|^at) (?:the )?({_NAME.pattern}|[a-z][\w.\-]{{2,29}})"
    r"(?: (?:it's|it is|it|things|that|all|everything)\b.{0,40})?$",
    re.IGNORECASE,
)
# "the Atlas service" is Atlas.
_ITSELF = re.compile(
    r"^ (?:service|server|daemon|project|app|application|system|repo|repository|tool|website)(?:['’]s)?(?=\s|$)"
)
_ONE_WORD = re.compile(r"[a-z][\w.\-]{3,29}")
_OF_A_MACHINE = re.compile(
    "|".join(
        SHAPES[kind] for kind in ("host", "version", "size", "rate", "seconds", "span", "clock", "database", "code")
    )
    + r"|\d{4,5}",
    re.IGNORECASE,
)
_PLAIN_HAN = re.compile(r"(?:[A-Za-z][\w.\-]{1,20} ?)?[\u3400-\u9fff]{2,8}")
_NO_KEY = re.compile(r"不(?!动产)|没|别(?!名)|等(?!级|待)|要(?!求|点)|想|请(?!求|假)|再|把|将")
_SPOKEN = re.compile(r"[我你他她它这那哪谁说问找拿查看]|有人|没人|关于")
_PARTICLE = re.compile(
    r"[的了是在把被我你他她它这那哪谁就都也和跟与或但每从给让叫请不没还将曾想要再]|答应|愿意|准备"
    r"|^(?:[问打去来看听写查有没老新换改修]|检查|确认|备份|更新|讨论|测试)"
)


def mentioned(text: str, known: Sequence[str]) -> str:
    """The longest known name that stands in a text, "" for none."""
    folded = names.fold(text)
    return next((name for name in known if word_at(name).search(folded)), "")


@lru_cache(4096)
def word_at(name: str) -> re.Pattern[str]:
    """A name as a whole word, with the s of a genitive; beside Chinese characters there are no word ends."""
    left = r"(?<![a-z0-9_])" if name[:1].isascii() else ""
    right = r"(?![a-z0-9_])" if name[-1:].isascii() else ""
    return re.compile(rf"{left}{re.escape(names.fold(name))}{right}(?:['’]s?(?![a-z0-9_]))?")


def parted(subject: str, known: Sequence[str], keys: Set[str] = frozenset(), *, owner: bool = True) -> tuple[str, str]:
    """Name and key of a subject; "" where there is none. `owner`: also "X's key", not only "key of X"."""
    subject = w.DONE.sub("", w.EDGE_ZH.sub("", subject.strip(" ,;:-")))
    folded = names.fold(subject)
    whole = subject if len(folded) == len(subject) else folded
    for name in known:
        at = word_at(name).search(folded)
        if at and not _longer(whole, at, keys):
            left = w.JOINT.split(whole[: at.start()])[-1].strip()
            left = "" if w.ASIDE.search(left) and whole[at.end() :].strip() else left
            bare, rest, owns = w.OF_END.sub("", f" {left} "), whole[at.end() :], at[0][-2:] in ("'s", "’s")
            if not owns and (itself := _ITSELF.match(rest)):
                rest, owns = rest[itself.end() :], itself[0][-2:] in ("'s", "’s")
            linked = bare != f" {left} "
            if linked and rest.strip():  # "the owner of Atlas's database", "the host of the Atlas database"
                return name, key(f"{rest} {key(bare)}")
            if (owns or rest.lstrip().startswith("的")) and not linked and rest.strip():
                # Words in front of "Atlas's port" that nobody knows may say anything.
                small = all(w.SMALL.match(word) or w.PRONOUN.match(word) for word in left.split())
                return (name, key(rest)) if small else ("", "")
            return name, key(f"{bare} {rest}")
    return _unknown(w.LEAD.sub("", subject), keys, owner=owner)


def _longer(whole: str, at: re.Match[str], keys: Set[str]) -> bool:
    """Whether a name found in a subject is only the beginning of another, or of what came before."""
    rest = whole[at.end() :]
    alone = not at.start() and names.fold(key(rest)) not in keys
    behind = (alone or bool(w.OF_END.search(whole[: at.start()]))) and bool(_ENDS_ON.match(rest))
    return behind or bool(_GOES_ON.match(rest)) or rest.lstrip()[:1] in ("，", "、")


def _unknown(bare: str, keys: Set[str], *, owner: bool) -> tuple[str, str]:
    """Name and key where nobody knows the name yet."""
    if HAN.search(bare) and "的" in bare:
        name, _, rest = bare.partition("的")
        name = w.EDGE_ZH.sub("", name)
        plain = 1 < len(name) <= 10 and not _SPOKEN.match(name) and not re.search(r"[，,：:。？?（(「]", name)
        return (name, key(rest)) if plain or is_name(name) else ("", "")
    for pattern, order in (
        (_OWNER, (1, 2)),
        (_OF, (2, 1)),
        (_PLAIN_OWNER, (1, 2)),
        (_PLAIN_OF, (2, 1)),
        (_OF_THING, (2, 1)),
    ):
        if (found := pattern.match(bare)) and (owner or order == (2, 1)):
            name, left = found[order[0]], key(found[order[1]])
            if names.fold(left) in keys or (left and pattern in (_OWNER, _OF)):
                return name, left
    for found in [*_ANY_OWNER.finditer(bare)][-1:]:  # "After some back and forth Atlas's budget"
        left = key(bare[found.end() :])
        if names.fold(left) in keys:
            return found[1], left
    return joined(bare, keys) if HAN.search(bare) else ("", "")


def joined(text: str, keys: Set[str]) -> tuple[str, str]:
    """A Chinese name with a known key right behind it: `账单服务请求超时`."""
    folded = names.fold(text)
    if len(folded) != len(text):
        return "", ""
    found = max((one for one in keys if len(one) > 1 and HAN.search(one) and folded.endswith(one)), key=len, default="")
    name = text[: len(text) - len(found)].strip() if found else ""
    return (name, text[len(text) - len(found) :]) if is_name(name) else ("", "")


def is_name(text: str) -> bool:
    """Whether a text could be the name of something that nobody knows yet."""
    if w.PRONOUN.match(text) or names.fold(text) in WORDS:
        return False
    return (
        bool(_NAME.fullmatch(text))
        if not HAN.search(text)
        else bool(_PLAIN_HAN.fullmatch(text) and not _PARTICLE.search(text))
    )


def led(before: str, known: Sequence[str]) -> str:
    """The known name that a sentence says it is about before it says what: behind a preposition ("Asked Dora about
    Atlas"), else the longest in it."""
    found = _ABOUT.search(before.strip(" ,，:：-–—"))
    behind = mentioned(found[1], known) if found else ""
    if found and not behind and is_name(found[1]):
        return ""
    return behind or mentioned(before, known)


def about(before: str, value: str) -> str:
    """What a sentence says that it is about before it says what, "" for nothing that looks like a name.

    A name in small letters must have a value that machines have.
    """
    text = w.LEAD.sub("", before).strip(" ,，:：-–—")
    found = _ABOUT.search(text)
    name = found[1] if found else text
    if w.PRONOUN.match(name) or names.fold(name) in WORDS or len(name) > 40:
        return ""
    if is_name(name):
        return name
    return name if _ONE_WORD.fullmatch(name) and _OF_A_MACHINE.fullmatch(value) else ""


def key(text: str) -> str:
    """What is left of a subject without the name: the key, "" when it is no few plain words."""
    words = re.sub(r"[（）()\[\]「」\"“”]", " ", w.EDGE_ZH.sub("", text.strip(" ,，:："))).split()
    while words and (w.SMALL.match(words[0]) or not any(map(str.isalnum, words[0]))):
        words.pop(0)
    while words and (w.SMALL.match(words[-1]) or not any(map(str.isalnum, words[-1]))):
        words.pop()
    left = " ".join(w.EDGE_ZH.sub("", word) for word in words)
    left = found[1].strip() if (found := w.CHANGE_OF.match(left)) else left
    left = f"{found[2]} {found[1]}" if (found := w.OF_PART.match(left)) else left
    left = left[1:] if left[:1] == "新" and left[1:] in KEYS else left
    plain = bool(re.fullmatch(r"\w(?:[\w \-/&+.#]|:(?=\d)){0,40}", left))
    if _NO_KEY.match(left):
        return ""
    return left if plain and len(words) <= 4 and not w.PRONOUN.match(left) and not w.VERBAL.search(left) else ""
