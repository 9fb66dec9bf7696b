"""Passwords that are plain words, where a sentence says so: "my password is swordfish", `密码是swordfish。`.

Pure functions over text; touches no file. A word is no secret by its look, so it counts only where the sentence, or the
part of it, ends behind it and it is no word that tells how a password is: "required", "too weak", "in the vault".
`tells` is for what is to be learned from a sentence: it doubts more, for there nothing is lost but the sentence.
"""

import re
from collections.abc import Iterator
from functools import cache

from memdir.vault import secret_values
from memdir.vault.secret_shapes import Span

_LABEL = r"(?:pass ?(?:word|phrase|code)s?|passwd|pwd|passwort|kennwort)"
_ASIDE = r"(?: (?:for|of|to|on|at|in) (?:[\w.'’-]{1,30} ?){1,4}?)?"
_OWNED = r"(?:my|our|his|her|their|your|the|an?|wi-?fi|wlan|guest|admin|root|login|router|new|old)"
_IS = r"(?:['’]s|\s{1,3}(?:is|was|will be|are|ist|lautet|has been (?:changed|set) to|(?:changed|set) to))"
_NOW = r"(?: (?:now|still|just|currently|again|simply|actually|always))?"
_VALUE = r"(?P<value>[A-Za-z\u00c0-\u024f][\w@#$%&*+\u00c0-\u024f-]{2,40}[\w!@#$%&*])"
_END = (
    r"(?=[.!,;)]{0,3}(?:[ \t]{0,3}(?:$|\n)"
    r"|[ \t]{1,3}(?:and|but|so|by the way|btw|for now|please|don['’]t)\b)|[.!,;][ \t]{1,3}[A-Za-z]|[ \t]?[，。；！、])"
)
_QUOTE = r"[\"'`“‘「]?"
_OTHER = r"\b(?! (?:manager|store|vault|safe|app|tool|hash|field))"  # "as my password manager"
_AS = rf"as (?:{_OWNED} )?(?:[\w-]{{1,20}} ){{0,2}}{_LABEL}{_OTHER}"
_BECOMES = "是|为|為|叫做?|改成|设成|设为|换成"
_SENTENCES = (
    rf"\b{_LABEL}{_ASIDE}{_IS}{_NOW}(?: ?:)? {{1,3}}{_VALUE}{_END}",
    rf"\b{_OWNED} (?:[\w-]{{1,20}} )?{_LABEL}{_ASIDE} ?[:=] {{0,3}}{_VALUE}{_END}",
    rf"(?:密码|密碼|口令)[^\n，。；!-~]{{0,8}}?(?:{_BECOMES})(?:了|：|:)? ?{_VALUE}{_END}",
    rf"\b(?:use|used|using|have|set|took|take) {_VALUE} {_AS}{_END}",
)
_PHRASE = (
    rf"\b(?:my|our) (?:[\w-]{{1,20}} )?{_LABEL}{_ASIDE}(?:{_IS}{_NOW}:?|:) "
    rf"(?P<value>[a-z]{{3,12}}(?: [a-z]{{3,12}}){{3,7}}?){_END}"
)
_STATES_TEXT = """
always never still too very not quite so rather pretty really only just now also already often probably either neither
the a an my your our his her its their this that these those what how who where when which whatever
in on at by for from with without within under behind inside as like to of per via until since if because or than
stored kept saved held managed handled rotated required changed reset expired hashed salted encrypted protected shared
set sent given shown hidden known unknown checked tested used unused needed asked entered typed written printed logged
generated created chosen made lost forgotten leaked stolen broken blocked locked revoked wrong right correct incorrect
invalid valid weak strong long short old new same different secure insecure safe unsafe fine good bad ok okay okey
optional mandatory missing empty blank null none here there below above elsewhere everywhere secret private public easy
hard simple complex complicated difficult impossible possible stale fresh ready done gone unclear unsafe temporary
permanent random unique fixed case-sensitive read-only important available unavailable visible invisible up out
about due one-time write-only two-factor plaintext
clear-text base64-encoded url-encoded auto-generated user-defined self-chosen
you we they it he she i something anything nothing everything someone nobody yours mine ours hers theirs enough
accepted
rejected refused denied supported enforced supplied provided passed read loaded derived injected masked
redacted
"""
_STATES = frozenset(_STATES_TEXT.split())
_STATE = r"(?:ed|ing|able|ible|less|ful|ous|ly|ive|lich|bar)$"
_CODES = (
    r"(?:pins?|(?:door|gate|alarm|safe|lock|entry|access|security|unlock|backup|recovery|garage)[ -]?"
    r"(?:code|combination)|credentials?|creds|secret|token|api[ -]?key|secret key|private key|login)"
)
_TOLD = (
    rf"\b(?:{_LABEL}|{_CODES})\b[^.!?\n]{{0,60}}?(?:{_IS}{_NOW}:?|\s?[:=])\s{{0,3}}{_QUOTE}"
    r"(?P<value>[^\s\"'`“”‘’「」]{2,80})(?P<next>\s\w+)?",
    rf"\b(?:use|used|using|have|set|took|take) {_QUOTE}(?P<value>\S{{3,40}}) {_AS}",
    rf"\b(?:with|use|uses|using|enter|type) (?:the |my |our )?{_LABEL} {_QUOTE}(?P<value>[\w@#$%&*+!-]{{4,40}})"
    r"(?=[.!,;\"'”]|$)",
    rf"(?:密码|密碼|口令|暗号|验证码|密钥|私钥|令牌)[^，。；\n]{{0,12}}?(?:{_BECOMES}|用的?|[:：=])\s?"
    r"(?P<value>[^\s，。；！]{2,40})",
    r"(?:用|拿)\s?(?P<value>[^\s，。；！]{2,30}?)\s?(?:作为?|做|当作?)[^，。；]{0,8}?(?:密码|密碼|口令|暗号)",
)
_STATES_ZH = (
    r"(?:必填|用|加密|存|保存|放|由|在|什么|空|错|过期|一样|同|旧|新的|对的|弱|强|太|很|不|没|被|随机|自动|统一"
    r"|管理|见|可选|多少|几|为了|哈希)"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def find(text: str, low: str) -> Iterator[Span]:
    """Every plain word that a sentence calls a password; `low` is `text` in small letters, sign for sign."""
    if not any(one in low for one in ("pass", "pwd", "kennwort", "密码", "密碼", "口令")):
        return
    for pattern in _SENTENCES:
        for found in _compiled(pattern).finditer(text):
            if _is_word(found["value"]):
                yield Span("password", *found.span("value"))
    for found in _compiled(_PHRASE).finditer(text):
        if secret_values.is_passphrase(found["value"].lower()) and _is_word("-".join(found["value"].split()[1:])):
            yield Span("password", *found.span("value"))


def tells(sentence: str) -> bool:
    """Whether a sentence seems to name a password, a PIN or the like, be it a plain word."""
    for pattern in _TOLD:
        for found in _compiled(pattern).finditer(sentence):
            value = found["value"].strip(".,;:!?)(")
            state = value.lower() in _STATES or bool(_compiled(_STATES_ZH).match(value))
            after = (found.groupdict().get("next") or "").strip().lower()
            told = state and after and after not in _STATES and value.lower() in ("correct", "right", "wrong", "secret")
            if value and (not state or told):
                return True
    return False


def _is_word(value: str) -> bool:
    """Whether a word, or words and numbers with hyphens, may be somebody's password."""
    low = value.lower().rstrip("!")
    if low in _STATES or secret_values.is_placeholder(value) or secret_values.is_described(low):
        return False
    return not any(part in _STATES or re.search(_STATE, part) for part in low.split("-"))
