"""Near words: which terms of a lexicon a mistyped word may have meant.

Distance is optimal string alignment (Damerau-Levenshtein without edits inside a transposition): an insertion,
deletion, substitution or a swap of neighbours counts one. Reads no file; two set filters leave the costly
comparison a few hundred of 60,000 terms.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

MOST = 2  # edits of a longer word
_STEM, _ENDING = 4, 7  # letters of the shortest stem, and of the longest ending, that are matched so


def near(word: str, lexicon: Iterable[str], *, limit: int = 8) -> list[tuple[str, int]]:
    """Return the nearest terms and their distance, nearest first, then same first letter, then by spelling.

    Words up to four letters may differ by one edit, longer ones by two. Digits are never edited: a mistyped
    `CHEH-7964` must not become another ticket. Words under three letters and bare numbers have no near terms.
    """
    digits = _digits(word)
    if len(word) < 3 or not any(map(str.isalpha, word)):
        return []
    most = 1 if len(word) <= 4 else MOST
    found = []
    for term in _plausible(word, lexicon, most):
        if _digits(term) == digits and (distance := _distance(word, term, most)) <= most:
            found.append((distance, term[:1] != word[0], term))
    return [(term, distance) for distance, _, term in sorted(found)[:limit]]


def stems(word: str, lexicon: Sequence[str]) -> list[tuple[str, int]]:
    """Return the stems that a word with a mistyped ending begins with, one edit allowed: `migratoin` → `migrat`.

    The stemmer cuts no ending that it does not know, so such a word is far from its own stem. Longest stems only;
    the distance is given as two.
    """
    found: dict[int, list[str]] = {}
    if word.isalpha() and word.isascii():
        for term in lexicon[bisect_left(lexicon, word[0]) : bisect_left(lexicon, chr(ord(word[0]) + 1))]:
            rest = len(word) - len(term)
            if len(term) >= _STEM and 0 < rest <= _ENDING and term.isalpha():
                starts = (word[: len(term) + shift] for shift in (0, 1, -1))
                if any(_distance(start, term, 1) <= 1 for start in starts):
                    found.setdefault(len(term), []).append(term)
    return [(term, 2) for term in sorted(found.get(max(found, default=0), []))]


def _plausible(word: str, lexicon: Iterable[str], most: int) -> Iterator[str]:
    """Yield the terms whose length and letters do not rule them out: an edit takes away one letter at most."""
    letters = set(word)
    missing = letters.difference
    lengths = range(max(1, len(word) - most), len(word) + most + 1)
    shortest, longest = lengths[0], lengths[-1]
    for term in lexicon:
        if shortest <= len(term) <= longest and len(missing(term)) <= most and len(set(term) - letters) <= most:
            yield term


def _digits(word: str) -> str:
    return "" if word.isalpha() else "".join(filter(str.isdigit, word))


def _distance(a: str, b: str, most: int) -> int:
    """Return the distance, or `most + 1` as soon as it must be larger. Only a diagonal band is computed."""
    far = most + 1
    if abs(len(a) - len(b)) > most:
        return far
    before: list[int] = []
    row = [j if j <= most else far for j in range(len(b) + 1)]
    for i, letter in enumerate(a, 1):
        first, last = max(1, i - most), min(len(b), i + most)
        new = [far] * (len(b) + 1)
        if i <= most:
            new[0] = i
        for j in range(first, last + 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (letter != b[j - 1]))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            new[j] = cost
        if min(new) > most:
            return far
        before, row = row, new
    return min(row[-1], far)
