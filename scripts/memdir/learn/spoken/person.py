"""What a sentence in the first person says of its speaker under a key that has one value at a time.

A later sentence with another value takes its place: name, home, employer, role, time zone. What else somebody says of
themselves is kept in their words. English and Chinese; pure, every pattern is bounded.
"""

import re
from collections.abc import Set

_CASE = re.IGNORECASE
_NAME = r"(?-i:[A-Z\u00c0-\u00de][\w'’\-]{1,30}(?: (?:de|van|von|da|di|of|the|[A-Z\u00c0-\u00de][\w'’\-]{0,30})){0,3})"
_END = r"(?=$|[.,;!]| (?:and|but|so|now|at|in|for|with|since|as|near|because)\b)"
_ROLE = (
    r"(?:engineer|developer|designer|scientist|analyst|student|teacher|doctor|nurse|lawyer|researcher|manager|founder"
    r"|writer|journalist|architect|consultant|accountant|professor|programmer|administrator|physicist|translator)"
)
_SAYS = (
    ("name", re.compile(rf"\b(?:my name is|my name's|i(?:'m| am) called) ({_NAME}){_END}", _CASE)),
    ("home", re.compile(rf"\bi (?:now )?(?:live in|(?:have )?moved to)(?: the)? ({_NAME}){_END}", _CASE)),
    ("home", re.compile(rf"\bi(?:'m| am)(?: now)? based in(?: the)? ({_NAME}){_END}", _CASE)),
    ("employer", re.compile(rf"\bi (?:now )?work (?:at|for) ({_NAME}){_END}", _CASE)),
    ("role", re.compile(rf"\bi(?:'m| am) (?:now )?an? ((?:[\w-]+ ){{0,3}}{_ROLE})\b", _CASE)),
    ("role", re.compile(rf"\bi (?:now )?work as an? ((?:[\w-]+ ){{0,3}}{_ROLE})\b", _CASE)),
    ("time zone", re.compile(r"\bmy time ?zone is ([\w/+:\-]{2,40})", _CASE)),
    ("birthday", re.compile(r"\bmy birthday is (?:on )?(?:the )?([\w ]{3,30})" + _END, _CASE)),
)
_ROLE_ZH = "(?:工程师|设计师|程序员|老师|医生|护士|律师|研究员|分析师)"
_STOP = r"(?=[，,。；;！!]|$)"
_SAYS_ZH = (
    ("姓名", re.compile(r"(?:^|[，,。；])(?:我叫|我的名字(?:是|叫))([\u4e00-\u9fff]{2,4}|[A-Z][a-z]{1,20})" + _STOP)),
    ("住址", re.compile(r"(?:^|[，,。；])我(?:现在)?(?:住在|搬到了?)([\u4e00-\u9fffA-Za-z]{2,15}?)(?:了)?" + _STOP)),
    ("公司", re.compile(r"(?:^|[，,。；])我(?:现在)?在([\u4e00-\u9fffA-Za-z]{2,15})(?:工作|上班)" + _STOP)),
    (
        "职业",
        re.compile(
            r"(?:^|[，,。；])我(?:现在)?(?:是|做)([\u4e00-\u9fff]{0,8}(?:工程师|设计师|程序员|老师|医生|护士|律师|研究员|分析师))"
            + _STOP
        ),
    ),
    ("职业", re.compile(r"(?:^|[，,。；])我(?:现在)?是(?:一[名个位])([\u4e00-\u9fffA-Za-z]{2,12})" + _STOP)),
    ("时区", re.compile(r"(?:^|[，,。；])我的时区是([\u4e00-\u9fff\w/+:\-]{2,20})" + _STOP)),
    ("生日", re.compile(r"(?:^|[，,。；])我的?生日是([\w\u4e00-\u9fff ]{2,15})" + _STOP)),
)


# A key in one language and in the other: a person has one home, in whichever they speak.
_TWINS = {"name": "姓名", "home": "住址", "employer": "公司", "role": "职业", "time zone": "时区", "birthday": "生日"}
_TWINS |= {zh: en for en, zh in _TWINS.items()}


def one_key(key: str, held: Set[str]) -> str:
    """The key that a value goes under: its twin in the other language where only that one is held."""
    twin = _TWINS.get(key, key)
    return twin if twin in held and key not in held else key


def facts(sentence: str) -> list[tuple[str, str]]:
    """Key and value of each; [] where the sentence gives none."""
    found: dict[str, str] = {}
    for key, pattern in (*_SAYS, *_SAYS_ZH):
        if said := pattern.search(sentence):
            found.setdefault(key, " ".join(said[1].split()))
    return list(found.items())
