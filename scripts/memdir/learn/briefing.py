"""A brief: what is known, open and decided in one paragraph of bounded length, each piece with its source. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from memdir.learn.entries import Entry
from memdir.learn.reading import planted
from memdir.text import cut, printable

LONGEST = 1_500  # characters of the paragraph, day and sources among them
ITEM = 160  # characters of one piece, without its source
# Of the room, which part each has by right; what one leaves the next gets.
SHARES = {"facts": 0.5, "loops": 0.6, "decisions": 1.0}
LABELS = {
    False: {"facts": "Known", "loops": "Open", "decisions": "Decided"},
    True: {"facts": "已知", "loops": "待办", "decisions": "近期决定"},
}
_CHINESE = re.compile("[\u3400-\u9fff]")
_WORD = re.compile("[^\\W\\d_\u3400-\u9fff]+")
_MARKED = re.compile(r"^\[(?:decision|decided|决定|决策)\]\s+|^(?:decision|decided|决定|决策)::\s+", re.IGNORECASE)
_LABEL = re.compile(r"^(?:decision|decided|agreed|决定|决策|结论)\s?[:：]\s*", re.IGNORECASE)
_DECIDED = re.compile(
    r"^(?:(?:so|then|today|finally),? )?(?:(?:we|i)(?: have|'ve)? )?(?:finally )?(?:decided|agreed|chose|settled) "
    r"|^(?:今天|最后|最终|后来)?(?:我们?|咱们|大家)?(?:今天|最后|最终|已经|已)?(?:决定了?|商定|敲定|定下)",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(r"[?？]\s*$|\b(?:not|nothing|never) (?:yet )?(?:been )?decided\b|(?:还没|尚未|没有|未)决定")
_OUTSIDE = re.compile(r"\btrust::\s*(?!reviewed)\w", re.IGNORECASE)
_TAIL = re.compile(r"(?:\s*\[\w+::[^\[\]]*(?:\[\[[^\[\]]*\]\][^\[\]]*)*\]|\s+\^[A-Za-z0-9-]{1,64})+\s*$")
_DATED = re.compile(r"(\d{4}-\d\d-\d\d): +")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")


class Piece(NamedTuple):
    """One thing that a brief may say. `source`: the link to where it stands; `at`: that place as `path:line`."""

    text: str
    source: str
    at: str


@dataclass(slots=True)
class Material:
    """What a brief is made of, of each kind the weightiest first."""

    facts: list[Piece] = field(default_factory=list)
    loops: list[Piece] = field(default_factory=list)
    decisions: list[Piece] = field(default_factory=list)


class Brief(NamedTuple):
    """The paragraph, without its day, and the `path:line` of what it says, in order."""

    text: str
    sources: list[str]


def composed(given: Material, room: int) -> Brief:
    """A paragraph of at most `room` characters; "" where there is nothing to say."""
    kinds = {kind: pieces for kind in SHARES if (pieces := [one for one in getattr(given, kind) if may(one.text)])}
    chinese = _is_chinese(one.text for pieces in kinds.values() for one in pieces)
    said, sources, used = list[str](), list[str](), 0
    for number, (kind, pieces) in enumerate(kinds.items(), 1):
        share = 1.0 if number == len(kinds) else SHARES[kind]
        label, stop = LABELS[chinese][kind] + ("：" if chinese else ": "), "。" if chinese else "."
        kept = _fitting(pieces, int((room - used) * share) - len(label) - len(stop) - 1, chinese)
        if kept:
            said.append(label + _joined(kept, chinese) + stop)
            sources += [one.at for one in kept]
            used += len(said[-1]) + 1
    return Brief(("" if chinese else " ").join(said), sources)


def _fitting(pieces: Sequence[Piece], room: int, chinese: bool) -> list[Piece]:
    """The pieces that fit, in order, each once; one that is too long makes room for those behind it."""
    kept = dict[str, Piece]()
    for one in pieces:
        if one.text not in kept and len(_joined([*kept.values(), one], chinese)) <= room:
            kept[one.text] = one
    return [*kept.values()]


def _joined(pieces: Iterable[Piece], chinese: bool) -> str:
    """Pieces one after another, a source once behind all that come from it."""
    stop = "；" if chinese else "; "
    groups = [(source, stop.join(one.text for one in held)) for source, held in groupby(pieces, lambda one: one.source)]
    return stop.join(f"{text}（{source}）" if chinese else f"{text} ({source})" for source, text in groups)


def _is_chinese(texts: Iterable[str]) -> bool:
    """Whether there is more Chinese than there are words of other scripts; two signs are a word."""
    whole = " ".join(texts)
    return len(_CHINESE.findall(whole)) > 2 * len(_WORD.findall(whole))


def plain(text: str) -> str:
    """A line as a brief says it: without marks at its end and signs of links, on one line, bounded."""
    bare = _LINK.sub(lambda found: found[1].rpartition("|")[2].rpartition("/")[2], _TAIL.sub("", text))
    return cut(" ".join(printable(bare).split()).rstrip(" .。;；"), ITEM)


def may(text: str) -> bool:
    """Whether a line may come into a brief: it is not from outside, and orders nothing."""
    return bool(text) and not _OUTSIDE.search(text) and not planted.why(text)


def decided(said: str, *, marked_only: bool = False) -> str:
    """What a line says was decided, "" where it says nothing of the kind. `marked_only`: a mark alone counts."""
    label = _MARKED.match(said)
    if not label and (marked_only or _UNDECIDED.search(said)):
        return ""
    label = label or _LABEL.match(said)
    return plain(said[label.end() :]) if label else plain(said) if _DECIDED.match(said) else ""


def decisions(entry: Entry) -> Iterator[Piece]:
    """What a log entry says was decided. Of what memdir wrote itself only what is marked so."""
    if _OUTSIDE.search(entry.raw):
        return
    for line, said in ((entry.line, entry.title), *entry.lines):
        if text := decided(said, marked_only=entry.own):
            dated = _DATED.match(text)  # of an earlier day, as a capture writes it
            day, text = (dated[1], text[dated.end() :]) if dated else (entry.day, text)
            yield Piece(f"{day} {text}", entry.source, f"{entry.path}:{line}")
