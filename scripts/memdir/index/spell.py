"""Near words: which terms of a lexicon a mistyped word may have meant.

Distance is optimal string alignment (Damerau-Levenshtein without edits inside a transposition): an insertion,
deletion, substitution or a swap of neighbours counts one. Reads no file; `Letters` and two set filters leave the
costly comparison a few hundred of 60,000 terms.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

import numpy as np

_STEM, _ENDING = 5, 7  # letters of the shortest stem, and of the longest ending, that are matched so


class Letters:
    """The letters of every term as bits, so that the terms that may be near a word are found in one pass.

    Terms may not be empty. Letters whose code points are equal modulo 64 share a bit: the filter lets more
    through then, never less.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        self._terms = terms
        self._lengths = np.fromiter(map(len, terms), np.int64, len(terms))
        codes = np.frombuffer("".join(terms).encode("utf-32-le", "surrogatepass"), np.uint32)
        bits = np.uint64(1) << (codes & 63).astype(np.uint64)
        starts = np.concatenate([[0], np.cumsum(self._lengths)[:-1]])
        self._masks = np.bitwise_or.reduceat(bits, starts) if len(terms) else np.empty(0, np.uint64)

    def like(self, word: str) -> list[str]:
        """Return the terms whose letters and length do not keep them from being near a word, in their order."""
        most = edits(word)
        mask = np.uint64(reduce(or_, (1 << (ord(letter) & 63) for letter in word), 0))
        close = np.abs(self._lengths - len(word)) <= most
        close &= np.bitwise_count(self._masks & ~mask) <= most
        close &= np.bitwise_count(mask & ~self._masks) <= most
        return [self._terms[at] for at in np.flatnonzero(close).tolist()]


def edits(word: str) -> int:
    """Return by how many edits a term may be near a word: none without letters or under three, two from eight on.

    Words up to four letters are near to far too many others: only a swap of neighbours counts there.
    """
    if len(word) < 3 or not any(map(str.isalpha, word)):
        return 0
    return 2 if len(word) >= 8 else 1


def near(word: str, lexicon: Iterable[str], *, limit: int | None = None) -> list[tuple[str, int]]:
    """Return the nearest terms and their distance, nearest first, then same first letter, then by spelling.

    Digits are never edited: a mistyped `CHEH-7964` must not become another ticket.
    """
    digits = _digits(word)
    most = edits(word)
    if not most:
        return []
    found = []
    for term in _plausible(word, lexicon, most):
        if _digits(term) == digits and (distance := _distance(word, term, most)) <= most and _close(word, term):
            found.append((distance, term[:1] != word[0], term))
    return [(term, distance) for distance, _, term in sorted(found)[:limit]]


def stems(word: str, lexicon: Iterable[str]) -> list[tuple[str, int]]:
    """Return the stems that a word with a mistyped ending begins with, one edit allowed: `migratoin` → `migrat`.

    The stemmer cuts no ending that it does not know, so such a word is far from its own stem. Longest first; the
    distance is given as two.
    """
    if len(word) <= _STEM or not (word.isalpha() and word.isascii()):
        return []
    found = []
    for term in lexicon:
        rest = len(word) - len(term)
        if 0 < rest <= _ENDING and term[:1] == word[0] and len(term) >= _STEM and term.isalpha():
            starts = (word[: len(term) + shift] for shift in (0, 1, -1))
            if any(_distance(start, term, 1) <= 1 for start in starts):
                found.append(term)
    return [(term, 2) for term in sorted(found, key=lambda term: (-len(term), term))]


def _close(word: str, term: str) -> bool:
    """Whether a short word is the term with two neighbours swapped; longer words are judged by distance alone."""
    return len(word) > 4 or sorted(word) == sorted(term)


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
