"""Text analysis: one analyser for every language, for notes and for questions alike.

Words become casefolded Snowball stems (Latin, Cyrillic); scripts written without spaces become
single characters and pairs; identifiers are kept whole and in parts, so that a question with either
meets a note with either. Also here: folded keys for names, an estimate of model tokens, and text
made safe for a terminal. Reads no file and imports nothing of memdir; PyStemmer is loaded at first use.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise

# Longer terms are cut on both sides of the index: a pasted blob costs one short term.
LONGEST = 64
_REMEMBERED = 1 << 17
# Names, headings and tags kept analysed, 1 KB each, and characters of the longest. A recall asks for thirty names.
_LABELS, _LABEL = 4_096, 256

# Han, kana, hangul, bopomofo: every character can be a word.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Thai, Lao, Tibetan, Myanmar, Khmer: no spaces either, and marks that belong to the letter before them.
_STACKED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u0f40-\u0fbc"
    "\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)
_STACKED_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u0f8d-\u0fbc"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b4-\u17d3"
)
# Marks that `\w` leaves out although they stand inside words: Latin, Cyrillic, Hebrew, Arabic, the Indic blocks.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0963"
    "\u0971-\u0df3\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f"
)
_WORD = rf"[^\W{_CJK}{_STACKED}]+(?:[{_MARKS}]+[^\W{_CJK}{_STACKED}]*)*"
_JOINT = r"(?:\+\+|[.\-/\\@:'’+#&‐]|(?<=\d),(?=\d\d\d(?!\d)))"
_CLUSTER = re.compile(rf".[{_STACKED_MARKS}]*", re.DOTALL)
_OUTER = re.compile(r"[/\\@:&]")
_INNER = re.compile(r"[\-_+#‐]|(?<!\d)\.|\.(?!\d)")
_PLUSPLUS = re.compile(r"[^\W\d_]+\+\+")

_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ\u0100-\u024f\u1e00-\u1eff"
_CUPPER, _CLOWER = "А-ЯЁІЇЄ", "а-я\u0450-\u052f"
# Where a word changes case, script, or from letters to digits.
_PIECE = re.compile(
    rf"\d+(?:[.,]\d+)*|[{_UPPER}]{{2,}}s\b|[{_UPPER}]+(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]+"
    rf"|[{_CUPPER}]+(?![{_CLOWER}])|[{_CUPPER}]?[{_CLOWER}]+"
    rf"|[\u0370-\u03ff\u1f00-\u1fff]+|(?:[^\W\d_{_UPPER}{_LOWER}{_CUPPER}{_CLOWER}\u0370-\u03ff]|[{_MARKS}])+"
)
_SHORTENED = re.compile(r"(.+)'(?:s|ll|ve|re|d|m)", re.IGNORECASE)
# Soft hyphen, joiners, variation selectors, byte order mark: invisible, and never part of a word.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]+")
# Accents of Latin and Greek letters, Arabic vowel signs and stretching, Hebrew points: people leave them out.
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]+")
_CYRILLIC = re.compile("[\u0400-\u052f]")

_STOP_WORDS = (
    "a about an and are as at be been but by can could did do does for from had has have he her his how i if in into "
    "is it its me my no not of on or our she should so such than that the their them then there these they this to "
    "was we were what when where which who why will with would you your"
)
_STOP = frozenset(_STOP_WORDS.split())


@cache
def _chunk(is_ascii: bool) -> re.Pattern[str]:
    """Words with their joints, and runs without spaces; compiled when first asked for (10 ms, 0.3 for ASCII)."""
    word, runs = (r"\w+", "") if is_ascii else (_WORD, rf"|[{_CJK}]+|[{_STACKED}]+")
    return re.compile(rf"{word}(?:{_JOINT}{word})*(?:\+\+|#)?{runs}")


def _chunks(text: str) -> list[str]:
    return _chunk(text.isascii()).findall(text)


class _Known(dict[str, tuple[str, ...]]):
    """What each word between blanks comes to, as it is written; forgets everything when it grows past a bound.

    Not kept: long words, and runs without spaces, which are long too and seldom met twice.
    """

    def __missing__(self, word: str) -> tuple[str, ...]:
        chunks = _chunks(_normal(word))
        # Everything below U+0E01 is written with spaces.
        runs = any(one >= "\u0e01" and _units(one) for one in chunks)
        if chunks == [word] and not runs:
            value = _expand(word)
        else:
            value = tuple(chain.from_iterable(self[one] if one < "\u0e01" else _run(one) for one in chunks))
        if len(word) <= LONGEST and not runs:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = value
        return value


_known = _Known()


def analysis() -> str:
    """Return what the terms depend on beside this module: the versions of Unicode's tables and of the stemmer."""
    import Stemmer

    return f"{unicodedata.unidata_version} {Stemmer.version()}"


def terms(text: str) -> list[str]:
    """Return the analysed terms of a text, in order, with repeats."""
    # No term reaches over a blank, whatever the normal form makes of it.
    return list(chain.from_iterable(map(_known.__getitem__, text.split())))


def label_terms(label: str) -> frozenset[str]:
    """Return the distinct terms of a short text that is met again and again: a name, a heading, a tag."""
    return (_label_terms if len(label) <= _LABEL else _label_terms.__wrapped__)(label)


@lru_cache(_LABELS)
def _label_terms(label: str) -> frozenset[str]:
    return frozenset(terms(label))


def query_terms(text: str, limit: int = 4096) -> tuple[list[str], int]:
    """Return the distinct terms of a question in order, at most `limit`, and how many were left out.

    The limit is high on purpose: a pasted log of 4,000 words must still find the note that shares
    its three rare ones.
    """
    distinct = list(dict.fromkeys(terms(text)))
    return distinct[:limit], max(0, len(distinct) - limit)


def runs(text: str) -> list[str]:
    """Return the runs of three characters or more that are written without spaces, as `plain` shows a text."""
    return [chunk for chunk in _chunks(plain(text)) if chunk >= "\u0e01" and len(_units(chunk)) >= 3]


def plain(text: str) -> str:
    """Return a text in the form in which two spellings of it are equal letter by letter."""
    return _casefolded(_normal(text))


def bare(text: str) -> str:
    """Return a text as words are compared: casefolded, without accents and apostrophes; not stemmed."""
    return _key(_normal(text))


def worth(term: str) -> float:
    """Return what a term of a question should count: 1 a word, 0.5 a pair, 0.2 a single CJK or Thai character.

    A sentence of n characters gives 2n - 1 terms but holds about n/2 words; counted in full it drowns the name beside
    it. Ten mixed questions on 10,000 notes found their note first 10 times with these weights, 4 times with ones.
    """
    units = len(_units(term)) if term >= "\u0e01" else 0
    return {1: 0.2, 2: 0.5}.get(units, 1.0)


def surface_words(text: str) -> list[str]:
    """Return the words as written, casefolded, not stemmed: the material of "did you mean"."""
    return [_casefolded(word) for chunk in _chunks(_normal(text)) if (word := chunk.strip("_"))]


def opening(text: str, words: int) -> str:
    """The beginning of a text with that many words; two signs of a script without spaces count as one."""
    for number, found in enumerate(_counted_word().finditer(text), 1):
        if number == words:
            return text[: found.end()]
    return text


def cut(text: str, most: int) -> str:
    """At most `most` characters of a text: of a longer one those before a word's end where there is one, and `…`."""
    if len(text) <= most:
        return text
    head, behind = text[: most - 1], text[most - 1]
    if not behind.isspace() and " " in head[most // 2 :]:
        head = head.rsplit(" ", 1)[0]
    elif behind.isascii() and behind.isalnum() and (part := re.search(r"[A-Za-z0-9_]+$", head[most // 2 :])):
        head = head[: most // 2 + part.start()] or head
    return head.rstrip(" ,;:.，。；：、") + "…"


@cache
def _counted_word() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}{_STACKED}]{{1,2}}|[^\s{_CJK}{_STACKED}]+")


def is_sign(term: str) -> bool:
    """Tell whether a term is a single character of a script without spaces: met by chance more often than not."""
    return worth(term) < 0.5


def spoken(text: str) -> dict[str, str]:
    """Return for the stems of a question the words that were typed, so that an answer can name them."""
    words = {word: _known[word] for word in surface_words(text)}
    return {found[0]: word for word, found in words.items() if len(found) == 1}


@cache
def _counted() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """CJK characters, and those of other scripts; compiled when first asked for (8 ms)."""
    return (
        re.compile(rf"[{_CJK}\u3000-\u303f\uff00-\uffef]"),
        re.compile(rf"[^\x00-\u024f\u2000-\u206f{_CJK}\u3000-\u303f\uff00-\uffef]"),
    )


def token_count(text: str) -> int:
    """Estimate how many model tokens a text costs, rounded up.

    Latin text about four characters a token, CJK 0.9 token a character, every other script (Cyrillic,
    Arabic, Thai, emoji) two characters a token. No tokenizer is loaded: budgets need an order of size.
    """
    if text.isascii():
        return -(-len(text) // 4)
    ideograms, others = (len(pattern.findall(text)) for pattern in _counted())
    # In twentieths of a token, to stay with whole numbers.
    return -(-(18 * ideograms + 10 * others + 5 * (len(text) - ideograms - others)) // 20)


_UNPRINTABLE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Return the text without what could steer a terminal or hide from a reader.

    Goes: escape sequences, control characters except newline and tab, bidi controls, Unicode tag
    characters, lone surrogates.
    """
    # Nothing of the kind is in a text that is printable but for its blanks; to ask costs a tenth of the pattern.
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _UNPRINTABLE.sub("", text)


def _normal(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _casefolded(word: str) -> str:
    return word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word.casefold())


def _key(word: str) -> str:
    """Return the form in which a word is compared: casefolded, without accents and apostrophes."""
    word = _casefolded(word).replace("'", "").replace("‐", "-")
    if word.isascii():
        return word
    if _CYRILLIC.search(word):
        return word.replace("ё", "е").replace("\u0301", "")
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFKC", bare)


def _units(chunk: str) -> list[str]:
    """Return the characters, with their marks, of a run without spaces; nothing for another word."""
    is_cjk, is_stacked = _spaceless()
    if is_stacked(chunk):
        return _CLUSTER.findall(chunk)
    return list(chunk) if is_cjk(chunk) else []


def _run(chunk: str) -> list[str] | tuple[str, ...]:
    """Return the characters of a run and then its pairs; another word as usual."""
    units = _units(chunk)
    return units + [a + b for a, b in pairwise(units)] if units else _known[chunk]


@cache
def _spaceless() -> tuple[Callable[[str], object], Callable[[str], object]]:
    """Whether text begins with a CJK character; with a stacked one. Compiled when first asked for (4 ms)."""
    return re.compile(rf"[{_CJK}]").match, re.compile(rf"[{_STACKED}]").match


def _expand(chunk: str) -> tuple[str, ...]:
    """Return the terms of one chunk: whole, pieces between `/ @ :`, words of those. None twice."""
    chunk = chunk.replace("’", "'").replace("ʼ", "'").strip("_")
    out: list[str] = []
    outer = _OUTER.split(chunk)
    if len(outer) > 1:
        out.append(_key(chunk))
    for piece in outer:
        inner = [part for part in _INNER.split(piece) if part]
        if inner and piece != inner[0]:
            out.append(_key(piece))
            out.extend(map(_key, _PLUSPLUS.findall(piece)))
        for part in inner:
            out.extend(_part(part))
    return tuple(dict.fromkeys(term[:LONGEST] for term in out if term))


def _part(part: str) -> Iterator[str]:
    """Yield the terms of a word without joints: itself, and its pieces when case, script or digits divide it."""
    if "'" in part:
        yield from _contracted(part)
        return
    pieces = _PIECE.findall(part)
    if len(pieces) == 1 and pieces[0][0].isdecimal():
        yield from _number(pieces[0])
        return
    yield from _word(_key(part))
    # More pieces than that a length: a hash or a formula, not words.
    if len(pieces) < 2 or (len(pieces) > 2 and len(part) < 2.5 * len(pieces)):
        return
    for piece in pieces:
        if piece[0].isdecimal():
            yield from (n for n in _number(piece) if len(n) > 1)
        elif len(piece) > 1:
            yield from _word(_key(piece))


def _contracted(part: str) -> Iterator[str]:
    """Yield `evan` for "Evan's", `dont` for "don't", `leau` and `eau` for "l'eau"."""
    if short := _SHORTENED.fullmatch(part):
        part = short[1]
    head, _, rest = part.partition("'")
    yield from _part(part.replace("'", ""))
    if len(head) <= 2 and len(rest) >= 2:
        yield from _part(rest.replace("'", ""))


def _number(number: str) -> Iterator[str]:
    """Yield a number without thousands commas, and the shorter versions of a version (1.10.3, 1.10)."""
    number = number.replace(",", "")
    yield number
    # Not for a longer chain of dots: its beginnings would cost the square of its length.
    parts = number.split(".") if number.count(".") < 5 else []
    for end in range(len(parts) - 1, 1, -1):
        yield ".".join(parts[:end])


def _word(word: str) -> Iterator[str]:
    """Yield the stem of a plain word; nothing for a stop word."""
    if word in _STOP or not word:
        return
    if word.isascii():
        yield _stem("english", word) if word.isalpha() else word
    else:
        yield _stem("russian", word) if _CYRILLIC.match(word) else word


def _stem(language: str, word: str) -> str:
    return _stemmer(language)(word[:LONGEST])


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    # Its own cache of 10,000 words is slower than the chunks remembered here.
    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem
