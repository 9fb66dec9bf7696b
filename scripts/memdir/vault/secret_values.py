"""Whether a value looks like a secret, or like words, code, a placeholder, a path or a date. Pure.

Used only for what stands beside a key word or behind a service's prefix: no value is judged alone.
"""

import re
from enum import IntEnum
from functools import cache


class Grade(IntEnum):
    """How much a value looks like a secret."""

    NOTHING = 0
    WORD = 1  # letters alone: a secret only where a program reads it
    DIGITS = 2
    CHOSEN = 3  # letters with digits or signs, as people choose passwords
    RANDOM = 4  # as programs make tokens


_JUDGED = 96  # characters of a value that are looked at: a key, a UUID, the beginning of a long token
_CHUNK = r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+"
_PLACEHOLDER = (
    r"[xX*.•·●_#?…-]{3,}$|<|\$[({]|\{\{|\{%|%\(|%[A-Za-z_]+%|\$[A-Z_]+(?:\W|$)|\$[A-Za-z_]+$|\$[a-z_]+(?:\[|->)|@[A-Z_]+@"
    r"|\[\[|\[[^\]\n]{1,80}\]\(|\{[A-Za-z_.]{1,40}\}|:?params\b|!(?:vault|secret|env|ref)\b|ENC\[|#\{"
    r"|(?i:your|my|the|enter|insert|some|dummy|sample|changeme|change_me|redacted|hidden|placeholder|removed|masked)"
    r"(?:[-_ ]|$)|(?i:todo|fixme|tbd|n/a)\b"
)
_HOLDS_PLACE = r"\.\.\.|…|x{6,}|X{6,}|\*{4,}|•{3,}|\$\{|\{\{|<[A-Za-z_ -]{2,40}>"
_CODE = (
    r".{0,60}(?:\(\?[:=!<]|\[\^|\{_)|[A-Za-z_]\w{0,60}(?:\.\w{1,60}){1,6}\(|[A-Za-z_$.:>-]{1,80}[\[(]|[A-Za-z_$]\w{0,80}(?:(?:\.|->|::|\?\.)[A-Za-z_$][A-Za-z_$]{0,80}\d{0,2}){1,8}[;,()!?]{0,3}$"
    r"|(?:\.{0,2}|~)/[\w.]|[A-Za-z]:\\|(?:[a-z][a-z0-9+.-]{1,20}):(?://|secret/|[a-z]+:[a-z]+)|\\[A-Za-z]|&[a-z]+;"
)
_PATH = r"(?:[A-Za-z][\w.-]{0,60}/){1,10}[\w.-]{0,60}$"
_PLAIN = (
    r"[(\[]?v?\d{1,6}(?:[.:/-]\d{1,6}){1,6}(?:[TZ ][\d:.+Z-]{0,20})?[)\]]?$|\d{4}-\d\d-\d\d"
    r"|[<>=~^]{0,2}\d{1,6}[-+]?(?i:st|nd|rd|th|x|d|h|m|s|y|k|kb|mb|gb|b|ms|min|mins|minutes?|hours?|days?|weeks?|months?|years?"
    r"|chars?|characters?|bits?|bytes?|digits?|letters?|words?|times?|fa|%|\+)?(?:-[a-z]{1,12})?$"
    r"|(?i:sha|md|utf|rsa|aes|base|oauth|argon|bcrypt|scrypt|pbkdf|hmac|ed|ecdsa|p|hs|rs|es|x|ipv|ctrl|http|level|step|win|w"
    r"|chapter|line|page|section|figure|table|item|part|day|week|year|q|f|s|ec|k|tls|ssl|blake|crc|rc|des|rfc|iso|saml)"
    r"-?\d{1,5}(?:\.\d{1,3})?(?:id|k|p|s|b|-[a-z]{1,8}|[-_][A-Za-z0-9]{2,8})?$|1[Pp]ass(?:word)?\b|[Kk]ee[Pp]ass|[Bb]it[Ww]arden"
    r"|[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,12}$"
)
_RUN = (
    r"(?=[A-Za-z]{0,40}\d{1,40}[A-Za-z]|\d{1,40}[A-Za-z]{1,40}\d)[A-Za-z0-9]{16}"  # letters and digits without a break
)
_SEPARATOR = r"[-_./:+|=,]"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"
_WORDS_TEXT = """
required optional string number text boolean none null true false undefined expired missing invalid empty wrong
password passwd secret token apikey credentials hidden include omit inherit enabled disabled default defaults
basic bearer digest session cookie oauth saml ldap input object array type value plain unknown changed updated
reset rotated stored shared never always should cannot please username account manager policy export import
private public unset prompt stdin environ forgot forgotten incorrect correct unchanged generated revoked needed
mandatory encrypted hashed protected visible denied failed success request response changeme nullable varchar
kennwort passwort contraseña senha vault keychain keyring keepass redacted masked placeholder return self option
options flag flags argument arguments parameter
"""  # no secret, whatever stands before it
_WORDS = frozenset(_WORDS_TEXT.split())
_PROSE_TEXT = """
the a an is are was for and with you your not that which has must this see ask use from when where will can one
of name password token secret key vault prod test database user account policy file db new old to in on be by
"""  # in a phrase they make it a sentence
_PROSE = frozenset(_PROSE_TEXT.split())
_CODED_TEXT = """
field property provider service controller config configuration validator encoder decoder handler helper model view
form button box label dialog screen page entity builder factory store storage client server request response error
exception hash hasher salt generator checker strength rules str int char buffer bytes ref props state context event
callback func function method class interface enum auth authenticator login user last pass kee bit warden one dash
lane nord proton google microsoft apple team shared company see wiki readme setup reminder
"""  # words that the names of classes, programs and pages are made of
_CODED = frozenset(_CODED_TEXT.split())
_CASED = 12  # letters of both cases that are no word


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_placeholder(value: str) -> bool:
    """Whether a value only holds the place of one: `<your key>`, `${VAR}`, `xxxx`, `sk-...`."""
    return bool(_compiled(_PLACEHOLDER).match(value) or _compiled(_HOLDS_PLACE).search(value[:_JUDGED]))


def is_described(word: str) -> bool:
    """Whether a word in small letters says what kind of value is meant, or is part of a name in code: `string`."""
    return word in _WORDS or word in _CODED or bool(_compiled(_PLAIN).match(word))


def is_url_example(value: str) -> bool:
    """Whether the password of a URL is an example's or a port."""
    return value.lower() in ("password", "passwd", "pass", "pwd", "pw") or bool(
        re.fullmatch(r"\d{1,5}|[:{$%].*", value)
    )


def is_random(value: str) -> bool:
    """Whether letters, digits and cases change so often that no person wrote it; words in kebab case do not."""
    value = value[:_JUDGED]
    if not _compiled(r"\d").search(value) or not _compiled(r"[^\W\d_]").search(value):
        return _changes_case(value)
    if _is_slug(value):
        return False
    return is_dense(value) or (len(value) >= 16 and bool(_compiled(_RUN).search(value)))


def is_dense(value: str) -> bool:
    """Whether a value changes between letters, cases, digits and signs every third time or more often."""
    return len(value) < 3.1 * len(_compiled(_CHUNK).findall(value))


def _changes_case(value: str) -> bool:
    """Whether letters alone are random: `wJalrXUtnFEMI`, not `getUserToken`."""
    if len(value) < 16 or not value.isalnum() or value.islower() or value.isupper() or value.isdigit():
        return False
    return len(value) / len(_compiled(_CHUNK).findall(value)) < 2.6


def is_cased(value: str) -> bool:
    """Whether letters alone are a password for their cases: `KfjwPqmzLtrb` and `HorseBatteryStaple`, not `Geburtstag`,
    `PasswordField` or `KeePassVault`."""
    if len(value) < _CASED or not value.isascii() or value[1:].islower() or value.isupper() or value.islower():
        return False
    words = {one.lower() for one in _compiled(_CHUNK).findall(value) if len(one) > 2}
    return is_unspoken(value) or not words & (_CODED | _WORDS | _PROSE)


def is_unspoken(value: str) -> bool:
    """Whether letters alone are no words: their case changes too often, or a part of them has no vowel."""
    return is_dense(value) or bool(_compiled(r"[A-Z]?[b-df-hj-np-tv-xz]{3,}(?![a-z])").search(value))


def _is_slug(value: str) -> bool:
    """Whether a value is words and short numbers joined by signs: `prod-db-credentials-v2`."""
    short = count = 0
    for part in _compiled(_SEPARATOR).split(value):
        if part and not _is_plain(part):
            return False
        count += 1
        short += 0 < len(part) <= 4 and not part.isalpha() and not part.isdigit()
    return short < 2 or count > 4 * short


def _is_plain(part: str) -> bool:
    """Whether a part is a word, a number, a word with a number behind it or at most four signs."""
    if part.isdigit() or (len(part) <= 4 and part.isalnum()):
        return len(part) <= 10
    word = part.rstrip("0123456789")
    if not word.isalpha() or len(part) - len(word) > 2:
        return False
    return len(word) / len(_compiled(_CHUNK).findall(word) or [word]) >= 3


def grade(value: str, *, quoted: bool = False) -> Grade:
    """How much `value` looks like a secret; surrounding punctuation must be off."""
    value = value[:_JUDGED]
    if len(value) < 4 or is_placeholder(value):
        return Grade.NOTHING
    if value.isdigit():
        return Grade.DIGITS
    if value.isalpha():
        return _grade_letters(value)
    if _compiled(_PLAIN).match(value) or (not quoted and _compiled(_CODE).match(value)):
        return Grade.NOTHING
    if quoted and _compiled(
        r".{0,60}(?:\(\?[:=!<]|\[\^|\{_)|(?:\.{0,2}|~)/[\w.]+(?:/|$)|[a-z][a-z0-9+-]{1,20}://"
    ).match(value):
        return Grade.NOTHING
    return _grade_mixed(value)


def _grade_letters(value: str) -> Grade:
    if _changes_case(value):
        return Grade.RANDOM
    if is_cased(value):
        return Grade.CHOSEN
    return Grade.WORD if len(value) >= 6 and value.lower() not in _WORDS else Grade.NOTHING


def _grade_mixed(value: str) -> Grade:
    if not _compiled(r"[^\W\d_]").search(value):
        digits = len(_compiled(r"\d").findall(value))
        return Grade.CHOSEN if digits >= 4 and len(value) - digits >= 2 and len(value) >= 8 else Grade.NOTHING
    if not _compiled(r"\d").search(value):
        return _grade_signs(value)
    if _compiled(_UUID).match(value) or _compiled(r"(?:0x)?[0-9a-fA-F]{16,}$").match(value):
        return Grade.RANDOM
    if _is_slug(value) and _compiled(_SEPARATOR).search(value.strip("-_./:+|=,")):
        cased = any(sign.isupper() for sign in value) and any(sign.islower() for sign in value)
        return Grade.CHOSEN if cased and len(value) >= 8 and not _compiled(_PATH).match(value) else Grade.NOTHING
    changes = len(_compiled(_CHUNK).findall(value)) / len(value)
    if (len(value) >= 10 and is_random(value)) or (len(value) >= 8 and changes > 0.6 and value.isalnum()):
        return Grade.RANDOM
    return Grade.CHOSEN if len(value) >= 6 else Grade.NOTHING


def _grade_signs(value: str) -> Grade:
    """Letters with signs between them: `p@$$word` and `castle-violin-orange-meadow`, but not `must_not` or `C#`."""
    parts = _compiled(r"[-_. ]").split(value)
    if (
        len(parts) >= 4
        and "_" not in value
        and not value.isupper()
        and all(part.isalpha() and len(part) >= 3 for part in parts)
    ):
        return Grade.NOTHING if {part.lower() for part in parts} & (_PROSE | _WORDS) else Grade.CHOSEN
    inner = value[1:-1]
    signs = sum(1 for sign in inner if sign in "@$!#%^*&~=+?")
    if len(value) >= 6 and signs and not _compiled(r"[\w.+-]+[=|:&]\w|[^=]*[a-z]=").match(value):
        return Grade.CHOSEN if value.isascii() or signs > 1 else Grade.NOTHING
    return Grade.RANDOM if len(value) >= 20 and _changes_case(re.sub(r"[+/=_-]", "", value)) else Grade.NOTHING


def is_passphrase(value: str) -> bool:
    """Whether several plain words are a phrase to be remembered rather than a sentence."""
    words = value.split()
    return 4 <= len(words) <= 30 and not (set(words) & _PROSE)
