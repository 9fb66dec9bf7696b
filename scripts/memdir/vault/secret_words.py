"""Secrets that only the word beside them gives away: `password: …`, `密码是 …`, `--token …`, `Authorization: Bearer …`.

Pure functions over text; touches no file. A key word is found first; what joins it to a value (`:`, `=`, "is", 是,
a quote, an option) and the value are then read at that place with bounded patterns, so time grows with length
only. The value must look like a secret (`secret_values`): words, code, placeholders and dates stay.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memdir.vault import secret_values
from memdir.vault.secret_shapes import BLANK, Span
from memdir.vault.secret_values import Grade

# kind → the letters a key word begins with: what is looked for. The whole word is read where one of them stands.
_STEMS = {
    "passphrase": ("passphrase", "pass phrase", "pass-phrase", "seed phrase", "seed words", "recovery phrase",
                   "mnemonic",
                   "助记词"),
    "password": ("app password", "application password", "password", "passwort", "passwd", "passcode", "pass", "pwd",
                 "psw",
                 "pw", "kennwort", "requirepass", "identified by", "credential", "creds", "密码", "密碼", "口令",
                 "パスワード", "비밀번호",
                 "парол", "contraseña", "contrasena", "senha", "hasło", "mot de passe", "wachtwoord", "wifi key",
                 "wi-fi key", "wlan key",
                 "wpa key", "network key"),
    "code": ("pin", "otp", "验证码", "驗證碼", "verification code", "security code", "one-time code", "2fa code",
             "login code", "backup code", "recovery code", "認証コード", "인증번호"),
    "key": ("api key", "api-key", "api_key", "apikey", "access key", "access-key", "access_key", "accesskey",
            "private key",
            "private-key", "private_key", "privatekey", "secret key", "signing key", "signing_key", "signing-key",
            "signingkey",
            "encryption key", "encryption_key", "encryption-key", "encryptionkey", "master key", "master_key",
            "account key",
            "account_key", "accountkey", "service key", "service_key", "storage key", "storage_key", "shared key",
            "shared_key",
            "deploy key", "deploy_key", "license key", "license_key", "密钥", "密鑰", "私钥", "私鑰", "秘密鍵"),
    "token": ("token", "令牌", "トークン", "토큰", "токен"),
    "secret": ("secret",),
    "auth": ("auth", "authorization", "bearer"),
}  # fmt: skip
_SHORT = {"pass", "pwd", "psw", "pw", "pin", "otp", "auth", "creds", "bearer", "hasło", "senha"}
_ENDING = r"(?:codes?|码|s|ь|я|ю|е|ем|и)?"
_MAX_MISSES, _WINDOW = 6, 40  # so many key words in so many characters are a run without a secret
_MAX_QUOTED = 4_096
_MAX_JOINED = 3  # key words of one unbroken name or value that are read: `password1=password1=…`
_BREAK = r"[^A-Za-z0-9_=:./+-]"
_FOLLOWS = frozenset(" \t\n:=→-|\"'`])*(：＝>’—–»”」』\\[+")
_SIGNS = frozenset(":=→：＝")
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_NEXT = r"[ \t]{1,3}([a-z]{1,14})(?=\s|[.,;!?](?:\s|$)|$)"
_GOES_ON = "for to of on in at from is was are will has set ist lautet war es est era der des de del du hat code codes"
_JOINERS = frozenset(_GOES_ON.split())
_TAIL = r"[A-Za-z0-9_.-]{0,40}+"  # the rest of a name that holds the key word
_NO_VALUE = (  # what a name may end in that holds no secret: `token_url`, `passwordReset`; or goes on as: `author`
    r"(?:name|url|uri|path|file|kind|count|length|size|limit|budget|policy|field|label|hint|expir[a-z]{0,5}|version|status|reset"
    r"|class|prefix|format|regex|pattern|manager|store|provider|stdin|bucket|endpoint|method|header|issuer|audience|scope"
    r"|enabled|required|keyref|template|placeholder|index)s?$"
    r"|(?:^|[_.-])(?:id|dir|type|len|ttl|env|var|min|max|used|usage|date|time|at|by|form|input|ref|arn|rule|alg|num|total|per|cost"
    r"|rate|ring|mode)s?$|^(?:izers?|i[sz]ed?|i[sz]ation|i[sz]ing|ary|aries|ive|ion|ed|ing|less|protected)(?:$|[._-])"
)
_NAMED_ID = re.compile(r"secret[_-]?id$")  # the id of a Vault role is its secret
_CLOSE = r"(?:\\?[\"'`\])*_»”」』]{1,4}+)?(?:[ \t]{0,2}[(（][^()（）\n\0]{1,30}[)）][*_]{0,2})?"
_LINK = r"(?:[ \t]\[\[[^\[\]\n\0]{1,60}\]\])?"
_ASIDE = r"(?:[ \t](?:for|to|of|on|in|at|от|для|для|für|der|des|de|del|du|from)[ \t][^\n:=：\0\"`]{1,40}?)??"
_PAIRED = r"[\w.-]{1,40}[ \t]?[:=：]"
_SIGN = (
    r"[ \t]{0,4}:[ \t]{0,2}(?:str|string|String|&str)[ \t]{0,2}=[ \t]{0,2}"
    rf"|[ \t]{{0,8}}(?::=|::|=>|==|->|[:=→：＝]{{1,2}}|—|–)[ \t*_]{{0,8}}"
    rf"(?:(?<![=>→])(?:[|>][+-]?)?\r?\n[ \t>]{{0,12}}(?!{_PAIRED}))?"
    r"|[ \t]{0,4}\|[ \t]{0,8}(?:\n[ \t]{0,8})?"
)
_VERB = (
    r"(?:[ \t]{1,3}(?:is|was|are|will be|has been set to|set to|to|ist|lautet|war|es|est|era|é|è|to jest|это))"
    r"(?:[ \t](?:now|still|just|currently|probably|again))?[ \t]{0,2}(?::[ \t]{0,4}|[ \t])"
    r"|[\u4e00-\u9fff，、 ]{0,12}?(?:设置为|修改为|改成|改为|改為|设为|設為|换成|应该是|就是|还是|叫做|是|为|為)"
    r"(?:[\u4e00-\u9fff]{0,6}[ \t]|[：:，])?[ \t]{0,4}"
    r"|[ \t]{0,2}(?:は|が|는|은|가|이)[、 \t]{0,4}"
)
_OPEN = r"(?P<prefix>[rbfu]{0,2})(?P<quote>\\?[\"'`“„«「『‘])"
_CLOSING = {"“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "‘": "’"}
_STOP = r"\s\0\"'`<>“”„«»「」『』，。；！？、（）【】：⟦⟧\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_BARE = rf"(?:[^{_STOP},;|]|[,;](?![\s\"']|$|[\w .-]{{0,30}}[=:])|\|(?=[A-Za-z0-9])){{1,256}}+"
_MORE = rf"[^{_STOP},;&|]*+"
_SCHEME = r"[\"']?(?i:bearer|basic|token|apikey|api-key|digest)[ \t]{1,4}"
_PAIR = r"[\w.@-]{1,40}[ \t]{1,2}/[ \t]{1,2}"
_PHRASE = r"[a-z]{3,12}(?: [a-z]{3,12}){3,29}"
_COUNTED = (
    r"[ \t]{0,2}(?:位|个|個|年|月|日|次|天|元|分|秒|小时|条|字|文字|桁|자리"
    r"|символ|цифр|char|digit|bit|day|min|hour|sec|%)"
)
_ARGUMENTS = r"(?:[ \t]+[^\s|;&\0]{1,100}){0,8}?[ \t]+"
_GIVEN = r"[\"']?(?P<value>[^\s\"'|;&\0-][^\s\"'\0]{2,128})"
# What a command takes behind `-p`, `-a` or `-u user:`; `doubted` may be the name of a database.
_COMMANDS = (
    ("mysql", rf"(?:mysql|mariadb)\w{{0,12}}{_ARGUMENTS}-p{_GIVEN}"),
    ("mysql", rf"(?:mysql|mariadb)\w{{0,12}}{_ARGUMENTS}-p[ \t]{_GIVEN.replace('value', 'doubted')}"),
    ("sshpass", rf"sshpass[ \t]+-p[ \t]?{_GIVEN}"),
    ("redis-cli", rf"redis-cli{_ARGUMENTS}-a[ \t]{_GIVEN}"),
    ("docker", rf"docker[ \t]+login{_ARGUMENTS}-p[ \t]{_GIVEN}"),
    ("curl", rf"curl{_ARGUMENTS}(?:-u|--user)[ =]?[\"']?[^\s:\"'\0]{{1,80}}:{_GIVEN}"),
)


class Word(NamedTuple):
    """A key word in a text: the kind of its secrets, its small letters, its place."""

    kind: str
    text: str
    start: int
    end: int


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_NAME = _CLOSE + _LINK + _ASIDE
# What may stand between a key word and its value, strongest first; compiled as they are reached.
_JOINS = (
    ("sign", f"{_NAME}(?:{_SIGN})"),
    ("verb", f"{_NAME}(?:{_VERB})"),
    ("verb", r"['’]s[ \t]"),
    ("call", r"[ \t]?\([ \t]?(?=\\?[\"'`])|[*]{0,2}>(?=[^<>\s]{1,256}<)|[\"'][ \t]+value=(?=[\"'])"),
    ("space", r"[ \t]{1,4}(?=\S)|[ \t]{0,2}\n{1,2}(?=`)|(?=[「『“])|[：，\s]?(?<=[\u4e00-\u9fff])(?=[!-~])"),
)


def find(text: str, low: str) -> Iterator[Span]:
    """Every value that a key word gives away, in order; `low` is `text` in small letters, sign for sign."""
    done = before = joined = 0
    misses: deque[int] = deque(maxlen=_MAX_MISSES)
    for start, end, kind in _words(low):
        if end < done or (len(misses) == _MAX_MISSES and start - misses[0] < _WINDOW):
            continue
        joined = 0 if start - before > 60 or _compiled(_BREAK).search(text, before, start) else joined + 1
        before = end
        if joined > _MAX_JOINED:
            continue
        span = (
            _value_behind(text, low, Word(kind, low[start:end], start, end))
            if _is_word(text, low, start, end)
            else None
        )
        if span:
            done = span.end
            yield span
        else:
            misses.append(start)
    for name, pattern in _COMMANDS:
        if name in low:
            yield from _options(text, pattern)


def _words(low: str) -> list[tuple[int, int, str]]:
    """Places of key words, in order; where several begin at one place or inside another, the longest."""
    places: dict[int, tuple[int, str]] = {}
    for kind, stems in _STEMS.items():
        for stem in stems:
            at = low.find(stem)
            while at >= 0:
                end = at + len(stem)
                if at not in places or places[at][0] < end:
                    places[at] = (end, kind)
                at = low.find(stem, end)
    return [(at, end, kind) for at, (end, kind) in sorted(places.items())]


def _is_word(text: str, low: str, start: int, end: int) -> bool:
    """Whether a short key word is no part of another: `pass` in `compass`, but not in `dbPass` or `DB_PASS`."""
    if start == 0 or not text[start - 1].isalpha() or low[start:end] not in _SHORT:
        return True
    return text[start].isupper() and text[start - 1].islower()


def _value_behind(text: str, low: str, word: Word) -> Span | None:
    end = _name_end(text, low, word)
    if end < 0 or (text[end : end + 1].isascii() and text[end : end + 1] not in _FOLLOWS):
        return None
    if word.text[0] >= "\u3000" and not _compiled(r"[!-~]").search(text, end, end + 40):
        return None  # nothing but a sentence
    next_word = _compiled(_NEXT).match(low, end)
    if (
        next_word
        and next_word[1] not in _JOINERS
        and low[word.start - 1 : word.start] != "-"
        and not secret_values.is_cased(text[next_word.start(1) : next_word.end(1)])
    ):
        return None  # "password manager", "token budget": prose goes on
    option = low[max(0, word.start - 20) : word.start].rpartition(" ")[2].startswith("-")
    tried = set()
    for how, pattern in _JOINS[:1] if text[end : end + 1] in _SIGNS else _JOINS:
        joined = _compiled(pattern).match(text, end)
        if joined and joined.end() not in tried:
            tried.add(joined.end())
            machine = option or (how == "sign" and joined[0] == "=" and text[word.start].isupper())
            span = _value_at(text, joined.end(), "option" if machine and how in ("sign", "space") else how, word)
            if span:
                return span
    return None


def _name_end(text: str, low: str, word: Word) -> int:
    """Where the name that holds the key word ends; -1 where the name is not that of a secret."""
    if word.text.isascii() and text[word.end : word.end + 1] not in _IN_NAME and word.kind != "code":
        return word.end
    ending = _compiled(_ENDING if word.kind == "code" or not word.text.isascii() else r"").match(low, word.end)
    start = ending.end() if ending else word.end
    if word.kind == "code" and low[word.end : word.end + 5] in (" code", "-code"):
        start = word.end + 5
    tail = _compiled(_TAIL).match(text, start)
    end = tail.end() if tail else start
    rest = text[start:end]
    if rest and not _carries(word.text, rest, low[max(0, word.start - 20) : end]):
        return -1
    return end - 1 if rest.endswith((".", "-")) else end


def _carries(word: str, tail: str, name: str) -> bool:
    """Whether a longer name still names a secret: `password_prod`, `SECRET_KEY_BASE`, not `token_url` or `author`."""
    if word in _SHORT and tail[:1].islower() and word != "auth":
        return tail == "s"
    if word == "auth" and tail[:1].islower():
        return tail.startswith(("token", "key"))
    return bool(_NAMED_ID.search(name)) or not _compiled(_NO_VALUE).search(tail.lower().rstrip(".-"))


def _value_at(text: str, at: int, how: str, word: Word) -> Span | None:
    """The secret that begins at `at`, if one does: between quotes, a phrase, or as far as the value goes."""
    if word.kind == "auth":
        scheme = _compiled(_SCHEME).match(text, at)
        if scheme:
            at, how = scheme.end(), "header"
    opened = _compiled(_OPEN).match(text, at)
    if opened:
        return _quoted(text, opened, word.kind, how)
    return _phrase_at(text, at, how, word) or _bare(text, at, how, word)


def _bare(text: str, at: int, how: str, word: Word) -> Span | None:
    """A value without quotes; behind `name / ` where it is one of a pair."""
    found = _compiled(_BARE).match(text, at)
    if not found:
        return None
    plain = found[0].isalpha() and how != "option" and not secret_values.is_cased(found[0]) and len(found[0]) < 16
    if not plain:  # nearly all are words and end here
        query = text[max(0, word.start - 24) : word.start].rpartition(" ")[2]
        stop = _end_of_bare(text, at, found.end(), query.endswith("?") or "&" in query)
        span = _judged(text, at, stop, word.kind, how)
        if span:
            return span
    pair = _compiled(_PAIR).match(text, at) if word.kind == "password" and how in ("sign", "verb") else None
    other = _compiled(_BARE).match(text, pair.end()) if pair else None
    if not other:
        return None
    return _judged(text, other.start(), _end_of_bare(text, other.start(), other.end(), False), word.kind, how)


def _quoted(text: str, opened: re.Match[str], kind: str, how: str) -> Span | None:
    """The value between quotes; with spaces in it only a phrase counts."""
    sign = opened["quote"]
    start = opened.end()
    stop = text.find(_CLOSING.get(sign, sign), start, start + _MAX_QUOTED)
    value = text[start:stop]
    if stop < 0 or "\n" in value or BLANK in value:
        return None
    if " " in value:
        phrase = secret_values.is_passphrase(value) if kind == "passphrase" else _is_app_password(value.split())
        return Span(kind, start, stop) if phrase and kind in ("passphrase", "password") else None
    grade = secret_values.grade(value, quoted=True)
    return Span(kind, start, stop) if _enough(grade, value, kind, "space" if how == "space" else "quoted") else None


def _phrase_at(text: str, at: int, how: str, word: Word) -> Span | None:
    """Words that are to be remembered: a pass phrase, or the four groups of an app password."""
    if how not in ("sign", "verb") or (word.kind != "passphrase" and not word.text.startswith("app")):
        return None
    found = _compiled(_PHRASE).match(text, at)
    if found and word.kind == "passphrase" and secret_values.is_passphrase(found[0]):
        return Span(word.kind, *found.span())
    return Span(word.kind, at, at + 19) if found and _is_app_password(found[0].split()[:4]) else None


def _is_app_password(words: list[str]) -> bool:
    """Four groups of four letters, as Google writes them."""
    return len(words) == 4 and all(len(word) == 4 and word.isalpha() and word.islower() for word in words)


def _end_of_bare(text: str, start: int, stop: int, query: bool) -> int:
    """Where an unquoted value ends: before `&` in a query, before what closes a bracket or a sentence."""
    value = text[start:stop]
    value = _compiled(r"[&#]" if query else r"&[\w.-]{1,30}=").split(value, maxsplit=1)[0]
    value = re.sub(r"\\[nrt\"].*$", "", value) if "\\" in value else value
    value = value.rstrip(".,:;!?*_…/\\" if value[-1:] not in "*_" else ".,:;!?*_")
    for opening, closing in ("()", "[]", "{}") if not value.isalnum() else ():
        while value.count(closing) > value.count(opening):
            cut = value.rfind(closing)
            value = value[:cut] if cut >= 0 else value
    return start + len(value)


def _judged(text: str, start: int, stop: int, kind: str, how: str) -> Span | None:
    value = text[start:stop]
    if text[stop : stop + 1] == BLANK or not _enough(secret_values.grade(value), value, kind, how):
        return None  # what touches a marker was judged with it
    if value.isdigit() and _compiled(_COUNTED).match(text, stop):
        return None
    if stop - start >= 256:  # judged by its beginning, redacted to its end
        rest = _compiled(_MORE).match(text, stop)
        stop = rest.end() if rest else stop
    while text[stop : stop + 1] in ("!", "?"):
        stop += 1
    return Span(kind, start, stop)


def _enough(grade: Grade, value: str, kind: str, how: str) -> bool:
    """Whether a value of this grade is a secret for this key word and this way of joining."""
    if grade is Grade.DIGITS:
        if kind == "code":
            return 4 <= len(value) <= 8
        return kind in ("password", "passphrase") and 4 <= len(value) <= 64 and how != "call"
    if grade is Grade.CHOSEN and value.isalpha() and (kind == "code" or how == "space"):
        return kind != "code" and secret_values.is_unspoken(value)
    if kind == "code":
        return grade is Grade.RANDOM or (grade is Grade.CHOSEN and how in ("sign", "quoted") and len(value) >= 8)
    if kind in ("password", "passphrase"):
        return grade >= Grade.CHOSEN or (grade is Grade.WORD and how == "option")
    if grade is Grade.CHOSEN and how in ("quoted", "header") and len(value) >= 10:
        return any(sign.isdigit() for sign in value)
    return grade is Grade.RANDOM


def _options(text: str, pattern: str) -> Iterator[Span]:
    """Passwords that a command takes behind `-p`, `-a` or `-u user:`."""
    for found in _compiled(pattern).finditer(text):
        name = str(found.lastgroup)
        value = found[name]
        sure = name == "value" or secret_values.grade(value) >= Grade.CHOSEN
        if sure and not secret_values.is_placeholder(value):
            yield Span("password", *found.span(name))
