"""The little language of `idioms_en` and `idioms_zh`, made into patterns.

Each construction is anchored at the beginning of a clause and takes it up to its end or a mark of what is beside the
point; the pattern of its value is one of `kinds`. Each is compiled when a clause first has a value of its shape:
all 206 cost 0.6 CPU s. Pure functions.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memdir.learn.reading.idioms_en import ENGLISH
from memdir.learn.reading.idioms_zh import CHINESE
from memdir.learn.reading.kinds import SHAPES

_FLAGS = re.IGNORECASE
_WORD = r"\w[\w.&+\-]{0,30}"
_X = rf"(?:the |our )?(?P<x@>{_WORD}(?: {_WORD}){{0,4}}?)"
_X_ZH = r"(?P<x@>\w[\w.&+\- ]{0,30}?)"
_ADVERB = (
    r"(?:(?:now|currently|still|always|usually|only|officially|already|just|also|all|finally|permanently"
    r"|as of today) ){0,2}"
)
_ADVERB_ZH = r"(?:现在|目前|已经?|如今|今天起|仍然?|还是|统一|固定|都|正式|全部|暂|今年|一直|也|又|改|会){0,3}\s{0,2}"
_BESIDE = r"(?: ?(?:instead of|rather than|and not|not|,? no longer) (?P<{name}>{shape})(?: any ?more| any longer)?)?"
# Behind the construction: nothing, or what is beside the point; what it was before is taken from it.
_TAIL = (
    r"(?: (?:now|again|today|already|these days|at last|by now|from now on|for now|any ?more|overnight|yesterday"
    r"|last (?:night|week|month)|on \w+day))?"
    r"(?P<tail>$|\s?[,;(（，；。—].{{0,200}}|\s+(?:[—–-]|because|since|as|which|after|until|instead|rather|so|and|but"
    r"|though|starting|effective"
    r"|per|thanks|this|for the time|every(?:body|one)|up from|down from|not|no longer|with|where|while)\b.{{0,200}})$"
)
_TAIL_ZH = r"\s{{0,2}}(?:去了|来了|了|的|呢|啦)?(?P<tail>$|\s?[,;(（，；。—、].{{0,200}})$"
_BEFORE = (
    r"^[\s,;(（，；—–-]*(?:and |it |which |that |now )?(?:instead of|rather than|not|no longer|up from|down from|was"
    r"|were|formerly|previously"
    r"|used to be|before(?: that)?(?: it was)?|it was|(?:之前|以前|原来|原先|此前|过去|老的)(?:是|为|用|在|从|找|给"
    r"|叫)*|不再是?|不是|而不是)\s*{shape}"
)  # fmt: skip


class Construction(NamedTuple):
    """One construction. `source`: its pattern; `shape`: of its value; `tail`: the pattern of an older value that
    follows; `han`: it is Chinese; `place`: it is of places alone."""

    key: str
    source: str
    tail: str
    shape: str
    han: bool
    place: bool

    def match(self, clause: str) -> re.Match[str] | None:
        return compiled(self.source).match(clause)

    def before(self, rest: str) -> str:
        """The older value that the rest of a clause gives, "" for none."""
        found = compiled(self.tail).match(rest)
        return found["old"] if found else ""


@lru_cache(1024)
def compiled(source: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed."""
    return re.compile(source, _FLAGS)


def constructions(*, han: bool) -> tuple[Construction, ...]:
    """The constructions for a clause: the English ones, behind the Chinese ones where it has such characters."""
    return (*_of("zh"), *_of("en")) if han else _of("en")


@lru_cache(2)
def _of(language: str) -> tuple[Construction, ...]:
    found = []
    for line in {"en": ENGLISH, "zh": CHINESE}[language].strip().splitlines():
        key, *forms = (part.strip() for part in line.split(" | "))
        found += [_construction(key, form, language == "zh") for form in forms]
    return tuple(found)


def _construction(key: str, form: str, han: bool) -> Construction:
    """One construction of the little language that `learn.reading.idioms_en` describes."""
    count = iter(range(9))
    x = _X_ZH if han else _X
    shape, place = "", "{place}" in form

    def slot(found: re.Match[str]) -> str:
        nonlocal shape
        to, name = found[1], found[2]
        if name in ("x", "place"):
            return x.replace("@", str(next(count)))
        if name == "a":
            return _ADVERB_ZH if han else _ADVERB
        shape = name
        held = f"(?P<v>{SHAPES[name]})" + ("" if han else _BESIDE.format(name="o2", shape=SHAPES[name]))
        return rf"(?:from (?P<o1>{SHAPES[name]}) )?(?:to|onto|into|on) {held}" if to else held

    def owned(found: re.Match[str]) -> str:
        one, other = x.replace("@", str(next(count))), x.replace("@", str(next(count)))
        return (
            rf"(?:(?:the |our )?(?P<thing>{found[1]})(?: (?:of|for|at|to|from|in|with) ){one}"
            rf"|{other}(?:['’]s?)? (?P<thing2>{found[1]}))"
        )

    form = re.sub(r"_(?![^{}]*\})", r"\\s{0,2}", form) if han else form
    pattern = re.sub(r"(?<!\(\?)(?<!\?P)<([^<>=!]+)>", owned, form)
    pattern = re.sub(r"\{(to )?([a-z_]+)\}", slot, pattern)
    pattern = f"^{pattern}" + (_TAIL_ZH if han else _TAIL).format()
    before = _BEFORE.format(shape=f"(?P<old>{SHAPES[shape]})")
    return Construction(key, pattern, before, shape, han, place)
