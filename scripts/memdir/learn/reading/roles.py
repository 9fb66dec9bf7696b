"""What somebody is, said beside the name: "our supplier Hofmann", "Hofmann, our supplier," `供应商霍夫曼`.

It is no part of the name. Pure functions; every pattern is bounded.
"""

import re
from collections.abc import Sequence

from memdir.learn.reading.keys import WORDS
from memdir.learn.reading.unsure import HAN
from memdir.vault import names

_SELLERS = (
    "supplier|vendor|dealer|distributor|manufacturer|wholesaler|trader|merchant|carrier|courier|forwarder|contractor"
    "|subcontractor|provider"
)
_OTHERS = (
    "partner|agency|lessor|customer|client|landlord|landlady|tenant|bank|insurer|broker|registrar|accountant|lawyer"
    "|consultant|freelancer|colleague|neighbou?r|dentist|doctor|intern|firm|company|startup|project|product|service"
    "|server|daemon|app|tool|website|library|backend|frontend|cluster"
)
_SELLERS_ZH = "供应商|供货商|厂商|厂家|经销商|代理商|批发商|承包商|物流商|服务商|供货方|卖家"
_OTHERS_ZH = "合作方|合作伙伴|房东|客户|租户|会计|律师|同事|项目|服务"
_ROLE, _ROLE_ZH = f"(?:{_SELLERS}|{_OTHERS})", f"(?:{_SELLERS_ZH}|{_OTHERS_ZH})"
_SMALL = r"(?:(?!(?:of|for|from|at|with|in|on|by|to|and|or|is|the|our|my|a|an|that)\b)[a-z][a-z\-]{1,20} ){0,2}"
_NAME = r"[A-Z\u00c0-\u00de\u0400-\u042f\u3400-\u9fff]"
_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:[Oo]ur|[Tt]he|[Mm]y|[Aa]n?) {_SMALL}|(?<!\w)){_ROLE}(?: called| named)? (?={_NAME})"
    rf"|^(?i:{_SELLERS}|customer|client|landlord) (?={_NAME})"
)
_BEHIND = re.compile(
    rf"(?<=\w)(?:, (?:our|the|my|an?) {_SMALL}{_ROLE}(?: (?:for|of|in) [\w ]{{1,20}})?,"
    rf"| \((?:(?:our|the|my|an?) )?{_SMALL}{_ROLE}\)) (?=[a-z])"
)
_APART = re.compile(rf"(?:[Oo]ur|[Tt]he|[Mm]y) {_SMALL}{_ROLE}, (?P<name>{_NAME}[^,]{{1,40}}), (?=[a-z])")
_IS = re.compile(rf"(?<=\w) is (?:our|the|my|an?) {_SMALL}{_ROLE} and (?=[a-z])")
_BEFORE_ZH = re.compile(
    rf"(?:^|(?<=[，。；：,\s]))(?:(?:我们|咱们|公司|我)的?{_ROLE_ZH}|(?:那家|这家|一家)?(?:{_SELLERS_ZH}))\s?"
    r"(?=[\u3400-\u9fffA-Z])"
)
_BEHIND_ZH = re.compile(
    rf"(?<=\w)(?:[（(](?:我们的?|咱们的?)?{_ROLE_ZH}[）)]|是(?:我们|咱们)的?{_ROLE_ZH}[，,](?=给|的|在|由|每))"
)
_NO_NAME = re.compile(r"[的给在是有说要把用从由和跟都也已现目还叫改换的号编名价]")
_ANY = re.compile(rf"\b{_ROLE}\b|{_ROLE_ZH}", re.IGNORECASE)


def without(text: str, known: Sequence[str] = ()) -> str:
    """A text without the roles that stand beside names in it. `known`: names, of which a role may be a part."""
    if not _ANY.search(text):
        return text
    folded = names.fold(text)
    if any(_ANY.search(name) and names.fold(name) in folded for name in known):
        return text
    bare = _IS.sub(" ", _BEHIND.sub(" ", _BEFORE.sub("", _APART.sub(r"\g<name> ", text))))
    if HAN.search(bare):
        bare = _BEHIND_ZH.sub("", bare)
        found = _BEFORE_ZH.search(bare)
        rest = bare[found.end() :] if found else ""
        if found and not _NO_NAME.match(rest) and not any(names.fold(rest).startswith(key) for key in WORDS):
            bare = bare[: found.start()] + rest
    return bare
