"""What was said once and does not hold any more: it names a value that a later fact has replaced.

A correction is kept in the words in which it was said, and a fact may change again. Reads the index.
"""

import re

from memdir.index.reader import Reader
from memdir.text import terms
from memdir.vault import names, session

_LINK = re.compile(r"\[\[([^\[\]#|]+)#\^t(\d+)\]\]")
_SOURCE = re.compile(r"\s*\[source::.*$", re.MULTILINE)
_TELLING = re.compile(r"^.{0,25}?(?:\b(?:is|are|was|were|now)\b|[=:：]|是|为|改成)", re.IGNORECASE)
_SIGN = "[^\\W\u3400-\u9fff]"  # of a word that is not Chinese
MOST = 50  # facts that are looked at for one text
_LEAST = 3  # signs of a value that says by itself what is meant, a digit among them


class Outlived:
    """Tells what is outlived by the facts of an index."""

    def __init__(self, source: Reader) -> None:
        self._source = source

    def __call__(self, said: str, when: str = "") -> bool:
        """Whether a later fact says otherwise. `when`: the day or moment of it, else that of the turn that its source
        names; what has neither is taken to hold."""
        when = when or self.moment(said)
        words = names.fold(_SOURCE.sub("", said))
        if not when or not words:
            return False
        return any(
            not _holds(value, words) and _is_meant(words, key, old) and not _before(self.moment(source) or since, when)
            for key, old, value, since, source in self._facts(words)
        )

    def kept(self, text: str) -> str:
        """A text without its lines that are outlived."""
        return "\n".join(line for line in text.split("\n") if not self(line))

    def _facts(self, words: str) -> list[tuple[str, str, str, str, str]]:
        """Key, past value ("" where the note is named), value in force, since when and its source."""
        now = "JOIN facts n ON n.file = f.id AND n.until = ''"
        columns = "n.value, n.since, n.source"
        past = self._source.rows(
            f"SELECT o.name, o.value, {columns} FROM facts o JOIN files f ON f.id = o.file {now}"
            " AND n.key = o.key WHERE o.until <> '' AND f.kind = 'note' AND f.archived = 0"
            " AND instr(?, lower(o.value)) LIMIT ?",
            [words, MOST],
        )
        named = self._source.rows(
            f"SELECT n.name, '', {columns} FROM files f {now}"
            " WHERE f.kind = 'note' AND f.archived = 0 AND length(f.name) > 2 AND instr(?, lower(f.name)) LIMIT ?",
            [words, MOST],
        )
        return [(str(a), str(b), str(c), str(d), str(e)) for a, b, c, d, e in [*past, *named]]

    def moment(self, source: str) -> str:
        """When the turn that a source names was said."""
        link = _LINK.search(source)
        if link is None:
            return ""
        rows = self._source.rows(
            "SELECT t.ts FROM turns t JOIN files f ON f.id = t.file WHERE f.stem = ? AND t.number = ? LIMIT 1",
            [names.fold(link[1]), int(link[2])],
        )
        return str(rows[0][0]) if rows else ""


def _is_meant(words: str, key: str, old: str) -> bool:
    """Whether a text speaks of a fact: by its past value with its key, by a past value that nothing else has, or by
    the name of its note and what is told of its key."""
    if old:
        distinct = len(old) >= _LEAST and any(map(str.isdigit, old))
        return _holds(old, words) and (distinct or _names(words, key))
    at = words.rfind(names.fold(key))
    return _names(words, key) and at >= 0 and bool(_TELLING.match(words[at + len(key) :]))


def _names(words: str, key: str) -> bool:
    return set(terms(key)) <= set(terms(words))


def _holds(value: str, words: str) -> bool:
    """Whether a value stands in a text, not as a part of another word."""
    wanted = names.fold(value)
    before = rf"(?<!{_SIGN})" if wanted[:1].isascii() else ""
    behind = rf"(?!{_SIGN})" if wanted[-1:].isascii() else ""
    return bool(wanted) and bool(re.search(before + re.escape(wanted) + behind, words))


def _before(one: str, other: str) -> bool:
    """Whether a moment lies before another; of the same day it does not, where one of them has no time."""
    if "T" in one and "T" in other:
        return session.instant(one) < session.instant(other)
    return one[:10] < other[:10]
