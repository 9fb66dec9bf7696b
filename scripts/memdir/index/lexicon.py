"""Names known to the vault, found in a text in any case and script by one pass.

A name is a row of words and of single signs of scripts without spaces: `shell-preference`, `Shell Preference` and
`shell_preference` are one name, as are `Café` and `cafe`, `atlas系统` and `Atlas 系统`. Words match whole, signs match
anywhere; katakana runs are words. Pure; touches no file. It costs a dict of names and one of their beginnings.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memdir import text as words

LONGEST = 64  # words and signs of a name that is looked for
MOST_READ = 1_000_000  # characters of a text that are read

# Han, kana, hangul, bopomofo; Thai, Lao, Tibetan, Myanmar, Khmer.
_SIGN = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff\u0e01-\u0e4e\u0e81-\u0ed7\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3"
)
# Marks that belong to the letter before them and are no `\w`.
_MARK = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
# Between two words these part a name; so do a full stop and a colon before a blank.
_PARTING = frozenset(',;!?|"“”，；！？。、：…\0')
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\u31f0-\u31ff\uff66-\uff9d]")


class Mention(NamedTuple):
    """`text[start:end]` names `id`; `key` is the folded form of the name."""

    key: str
    id: int
    start: int
    end: int


@cache
def _tokens(is_ascii: bool) -> re.Pattern[str]:
    """Words and signs; compiled when first asked for (9 ms, 0.2 for ASCII)."""
    if is_ascii:
        return re.compile(r"[A-Za-z0-9]+(?:\+\+|#(?!\w))?")
    return re.compile(rf"[{_SIGN}]|(?:[^\W_{_SIGN}]|[{_MARK}])+(?:\+\+|#(?!\w))?")


@lru_cache(1 << 16)
def _folded(token: str) -> str:
    return words.bare(token)


def key(name: str) -> str:
    """The folded form by which two spellings of a name are one: words a blank apart, signs together; "" for none."""
    return _joined([_folded(found[0]) for found in _tokens(name.isascii()).finditer(name[:1000])])


def begin(name: str) -> str:
    """Under what a name is looked up: its first two tokens as a key, or its only one; "" for none."""
    tokens = [_folded(found[0]) for found in _tokens(name.isascii()).finditer(name[:1000])]
    return _joined(tokens[:2])


def begins(text: str) -> set[str]:
    """What the names begin with that a text may mention: its tokens, and each with the next."""
    tokens = [_folded(found[0]) for found in _tokens(text.isascii()).finditer(text[:MOST_READ])]
    return {*tokens, *map(_joined, map(list, pairwise(tokens)))}


def parts(name: str) -> list[str]:
    """The folded words of a name; of a run without spaces its pairs of signs."""
    found: list[str] = []
    last, end = "", -1
    for match in _tokens(name.isascii()).finditer(name[:1000]):
        token = _folded(match[0])
        if token < "\u0e01":
            found.append(token)
        elif last and match.start() == end:
            found.append(last + token)
        last, end = (token, match.end()) if token >= "\u0e01" else ("", -1)
    return found or [name]


def _joined(tokens: list[str]) -> str:
    """Tokens as a key: a blank stands only between two words, which are below U+0E01."""
    whole, last = "", "\uffff"
    for token in tokens:
        whole += f" {token}" if last < "\u0e01" and token < "\u0e01" else token
        last = token
    return whole


class Names:
    """The names of a vault with the id of what each names; where two fold alike, the first stays.

    A name of one letter or sign is left out: it would be met by chance.
    """

    def __init__(self, keys: Mapping[str, int]) -> None:
        self._ids: dict[str, int] = {}
        # The first two tokens of longer names → how many tokens the longest has.
        self._begun: dict[str, int] = {}
        for name, number in keys.items():
            tokens = [_folded(found[0]) for found in _tokens(name.isascii()).finditer(name[:1000])][: LONGEST + 1]
            whole = _joined(tokens)
            if len(whole) < 2 or len(tokens) > LONGEST or whole in self._ids:
                continue
            self._ids[whole] = number
            if len(tokens) > 1:
                begun = _joined(tokens[:2])
                self._begun[begun] = max(self._begun.get(begun, 0), len(tokens))

    def __len__(self) -> int:
        return len(self._ids)

    def find(self, text: str) -> list[Mention]:
        """Every name in a text by place, the longest that begins there, none within another."""
        text = text[:MOST_READ]
        tokens = [(found.start(), found.end(), _folded(found[0])) for found in _tokens(text.isascii()).finditer(text)]
        found, number = [], 0
        while number < len(tokens):
            mention, count = self._at(text, tokens, number)
            if mention:
                found.append(mention)
            number += count
        return found

    def _at(self, text: str, tokens: list[tuple[int, int, str]], number: int) -> tuple[Mention | None, int]:
        """The longest name that begins with a token, and how many tokens are read by it."""
        best, count = None, 1
        for size, (whole, end) in enumerate(self._longer(text, tokens, number), 1):
            if (known := self._ids.get(whole)) is not None and not _cut(text, tokens[number][0], end):
                best, count = Mention(whole, known, tokens[number][0], end), size
        return best, count

    def _longer(self, text: str, tokens: list[tuple[int, int, str]], number: int) -> Iterator[tuple[str, int]]:
        """What begins with a token, token by token, as long as a name may be."""
        start, end, whole = tokens[number]
        yield whole, end
        reach, last = 2, whole
        for size, (start, stop, token) in enumerate(tokens[number + 1 : number + LONGEST], 2):
            if size > reach or not _joins(text, end, start):
                return
            whole += f" {token}" if last < "\u0e01" and token < "\u0e01" else token
            end, last = stop, token
            if size == 2:
                reach = self._begun.get(whole, 0)
                if not reach:
                    return
            yield whole, end


def _joins(text: str, end: int, start: int) -> bool:
    """Whether what stands between two tokens may stand inside a name: nothing, or up to three blanks and joints."""
    if end == start:
        return True
    if start - end > 3:
        return False
    between = text[end:start]
    if (
        between[0] in ".:"
        and len(between) > 1
        and between[1].isspace()
        and not (between[0] == "." and _is_title(text, end))
    ):
        return False
    return not _PARTING & set(between) and between.count("\n") < 2


def _is_title(text: str, end: int) -> bool:
    """Whether what ends here is so short that a full stop behind it ends no sentence: Mrs., Prof., an initial."""
    return not text[max(0, end - 5) : end].isalnum()


def _cut(text: str, start: int, end: int) -> bool:
    """Whether a match begins or ends inside a run of katakana."""
    if text.isascii():
        return False
    is_kana = _KATAKANA.match
    return bool(
        (start and is_kana(text[start]) and is_kana(text[start - 1]))
        or (end < len(text) and is_kana(text[end - 1]) and is_kana(text[end]))
    )
