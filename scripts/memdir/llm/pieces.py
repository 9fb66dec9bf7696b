"""Text → numbers of pieces, as the embedded model was trained on them: normalised, cut where the pieces score best.

The same result as the model's own tokenizer: its table of normalisations (a double-array trie over UTF-8) and the
Viterbi path of a unigram model. Pieces are found by hash, all texts of a call at once. Pure; touches no file.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memdir.llm.use_tables import PIECES, Tables, hashes

UNKNOWN, BEGIN, END = 0, 1, 2
_SPACE = "\u2581"  # stands for a space in pieces
_BETWEEN = "\0"  # in no piece: keeps texts apart
TOGETHER = 4_096  # characters that are looked up at once: 1 KB of arrays each
_NEVER = -1e38
Matches = list[list[tuple[int, int, float]]]  # for each position: length, number and score of a piece that begins there


def _group(texts: Sequence[str], begin: int) -> Sequence[str]:
    """The texts from `begin` on that are looked up together: one at least."""
    end, size = begin + 1, len(texts[begin])
    while end < len(texts) and size + len(texts[end]) < TOGETHER:
        size += len(texts[end])
        end += 1
    return texts[begin:end]


class Pieces:
    """Cuts texts. For one thread."""

    def __init__(self, tables: Tables) -> None:
        self._slots, self._values, self._scores = tables["slots"], tables["values"], tables["scores"]
        self._longest, self._unknown = int(tables.numbers["longest"]), tables.numbers["unknown"]
        self._trie = memoryview(tables["trie"])
        self._replacements = bytes(tables["replacements"])

    def cut(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Numbers of the pieces of each text, between BEGIN and END. `most`: characters of a text that count."""
        plain = [self.normal(text[:most]) for text in texts]
        cut: list[list[int]] = []
        while len(cut) < len(plain):
            some = _group(plain, len(cut))
            found, at = self._matches(_BETWEEN.join(some)), 0
            for text in some:
                cut.append([BEGIN, *(self._best(found, at, len(text)) or [UNKNOWN]), END])
                at += len(text) + 1
        return cut

    def normal(self, text: str) -> str:
        """The text as pieces are made of it: normalised, runs of spaces one sign, one before the first word."""
        raw = text.encode("utf-8", "replace")
        words = self._replaced(raw).decode("utf-8", "replace").split(" ")
        held = _SPACE.join(word for word in words if word)
        return _SPACE + held if held else ""

    def _replaced(self, raw: bytes) -> bytes:
        """Every longest match of the trie by its replacement; other characters as they are."""
        out, at = bytearray(), 0
        while at < len(raw):
            length, value = self._longest_match(raw, at)
            if length:
                out += self._replacements[value : self._replacements.index(b"\0", value)]
            else:
                length = 1
                while at + length < len(raw) and raw[at + length] & 0xC0 == 0x80:
                    length += 1
                out += raw[at : at + length]
            at += length
        return bytes(out)

    def _longest_match(self, raw: bytes, at: int) -> tuple[int, int]:
        """Bytes matched from `at` (0: none) and where their replacement begins."""
        trie = self._trie
        unit, node, length, value = trie[0], 0, 0, 0
        for end in range(at, len(raw)):
            node ^= (unit >> 10) << ((unit & 0x200) >> 6)
            node ^= raw[end]
            unit = trie[node]
            if unit & 0x800000FF != raw[end]:
                break
            if unit & 0x100:
                length = end - at + 1
                value = trie[node ^ ((unit >> 10) << ((unit & 0x200) >> 6))] & 0x7FFFFFFF
        return length, value

    def _matches(self, text: str) -> Matches:
        """The pieces that begin at each position, shorter ones first."""
        found: Matches = [[] for _ in range(len(text))]
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64)
        runs = list(hashes(codes, self._longest))
        if not runs:
            return found
        # All lengths together: one after another NumPy's calls cost three times as much for a question.
        keys = np.concatenate(runs)
        number = np.full(len(keys), -1, np.int64)
        slot, open_ = (keys % np.uint64(PIECES)).astype(np.int64), np.arange(len(keys))
        while len(open_):
            value = self._values[slot]
            hit = (self._slots[slot] == keys[open_]) & (value >= 0)
            number[open_[hit]] = value[hit]
            on = (value >= 0) & ~hit
            open_, slot = open_[on], (slot[on] + 1) % PIECES
        first = 0
        for length, run in enumerate(runs, 1):
            held = number[first : first + len(run)]
            first += len(run)
            at = np.flatnonzero(held >= 0)
            pieces = held[at]
            for place, piece, score in zip(at.tolist(), pieces.tolist(), self._scores[pieces].tolist(), strict=True):
                found[place].append((length, piece, score))
        return found

    def _best(self, found: Matches, start: int, size: int) -> list[int]:
        """The pieces of text [start, start + size) whose scores add up to most; the earlier of equals."""
        best: list[Any] = [0.0, *[_NEVER] * size]
        begins, piece = [0] * (size + 1), [UNKNOWN] * (size + 1)
        for at in range(size):
            here, alone = best[at], False
            for length, number, score in found[start + at]:
                if here + score > best[at + length]:
                    best[at + length], begins[at + length], piece[at + length] = here + score, at, number
                alone = alone or length == 1
            if not alone and here + self._unknown > best[at + 1]:
                best[at + 1], begins[at + 1], piece[at + 1] = here + self._unknown, at, UNKNOWN
        numbers = []
        while size > 0:
            numbers.append(piece[size])
            size = begins[size]
        return numbers[::-1]
