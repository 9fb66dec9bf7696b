"""Corrections: what was said against the answer to a request like this one, in conversations and in `feedback` notes.

A turn of the user that is like the message, and whose answer the user's next turn corrects; notes of type `feedback`
that are like the message, or rest on such a turn. Reads the index and, of the few that are like it, the files.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memdir import text
from memdir.index.filters import Filters
from memdir.index.reader import Reader
from memdir.recall import correcting, evidence, fenced
from memdir.recall.outlived import Outlived
from memdir.vault import names

if TYPE_CHECKING:
    from memdir.index.vectors import Near

NEAREST = 200  # turns, of whoever said them, among which those that are like the message are looked for
REQUESTS = 12  # requests whose answers are looked at
ASKED, TOLD = 160, 320  # characters of a request or an answer, and of a correction
FRAMED = 0.15  # by which frames may hide that two requests are alike
USER = "user"  # who asks, in every conversation with an agent
_LONGEST = 400  # characters of a request without its frames
_FRAME = re.compile(
    r"^(?:(?:hey|hi|ok(?:ay)?|so|now|please|pls|kindly|and|then|also)\b[ ,]*"
    r"|(?:can|could|would|will) you(?: please)?(?: help me(?: to)?)?\b ?|i(?: would|'d)? (?:want|need|like) you to ?"
    r"|(?:i|we) need (?:an? )?|help me(?: to)? ?|let's |请你?|麻烦你?|帮我|帮忙|给我|你?能不能|可以|能)+"
    r"|(?:,? (?:please|for me|thanks|now))+(?=[.?!]*$)|(?:一下|好吗|可以吗|行吗|谢谢)+(?=[。?!？！]*$)|[.?!。？！]+$",
    re.IGNORECASE,
)
_FROM = "FROM turns t JOIN files f ON f.id = t.file JOIN sessions n ON n.file = t.file"
# Turns of the conversation that a turn is of.
_SAME = "(n.id, n.source) = (SELECT m.id, m.source FROM turns q JOIN sessions m ON m.file = q.file WHERE q.id = ?)"


class Bounds(NamedTuple):
    """How like the message a request must be, how sure that its answer was corrected, and how many come back at most.

    Likeness is the cosine of the embedder's vectors, as said or without words such as "can you … please"; without any
    vector that of the words. From 0.75 on, the embedded model takes 41 of 57 pairs that ask for the same (25 of 32
    English, 16 of 25 Chinese; as said alone 34) and 2 of 57 that do not, most of which share a subject or a verb; from
    0.7 on 46 and 7 (`tests/data/corrections.jsonl`).
    """

    similarity: float = 0.75
    detection: float = 0.7
    most: int = 5


class Correction(NamedTuple):
    """`likeness` of the message to what was `asked`; `ts`: when it was corrected; `since`: the line of its file where
    what it tells begins."""

    piece: fenced.Piece
    likeness: float
    ts: str
    asked: str = ""
    since: int = 0

    def tells(self, path: str, line: int) -> bool:
        """Whether it tells what stands there."""
        return path == self.piece.path and (self.since or self.piece.line) <= line <= self.piece.line


class Views(NamedTuple):
    """How near a message is to everything by its vector, and how like one text is to others; None without vectors."""

    near: "Near | None" = None
    alike: Callable[[str, Sequence[str]], list[float]] | None = None


class _Said(NamedTuple):
    """A turn: where it lies, and its words."""

    path: str
    line: int
    number: int
    ts: str
    text: str


def found(
    source: Reader, opened: evidence.Files, message: str, views: Views, narrow: Filters, bounds: Bounds
) -> list[Correction]:
    """The corrections for a message, the newest first."""
    if bounds.most < 1:
        return []
    held: dict[str, Correction] = {}
    if source.has_turns:
        wanted = _by_meaning(source, views.near, narrow, bounds) if views.near else None
        wanted = _by_words(source, opened, message, narrow, bounds) if wanted is None else wanted
        turned = [one for like in wanted[:REQUESTS] for one in _corrected(source, opened, *like, bounds)]
        for one in sorted(_alike(message, turned, views, bounds), key=lambda one: -one.likeness):
            held.setdefault(one.piece.id, one)
    for one in _notes(source, opened, views.near, narrow, bounds):
        held.setdefault(one.piece.id, one)
    best = sorted(held.values(), key=lambda one: one.likeness, reverse=True)[: bounds.most]
    return sorted(best, key=lambda one: one.ts, reverse=True)


def _alike(message: str, turned: Sequence[Correction], views: Views, bounds: Bounds) -> Iterator[Correction]:
    """The corrections whose requests are like a message; those that nearly are may be so without their frames."""
    unsure = [one for one in turned if one.likeness < bounds.similarity]
    yield from (one for one in turned if one.likeness >= bounds.similarity)
    if unsure and views.alike:
        for one, likeness in zip(unsure, views.alike(bare(message), [bare(one.asked) for one in unsure]), strict=True):
            if likeness >= bounds.similarity:
                yield one._replace(likeness=likeness)


def bare(request: str) -> str:
    """A request without the words in which it is wrapped, and without the sign at its end."""
    before, said = "", request.strip()[:_LONGEST]
    while said != before:
        before, said = said, _FRAME.sub("", said).strip()
    return said


def _by_meaning(source: Reader, near: "Near", narrow: Filters, bounds: Bounds) -> list[tuple[int, float]]:
    """Turns of the user, by number, whose vectors are near enough, or nearly, the nearest first."""
    least = bounds.similarity - FRAMED
    like = {-id: score for id, score in near.best(NEAREST).items() if id < 0 and score >= least}
    kept = _of_user(source, [*like], narrow)
    return [(number, score) for number, score in like.items() if number in kept]


def _by_words(
    source: Reader, opened: evidence.Files, message: str, narrow: Filters, bounds: Bounds
) -> list[tuple[int, float]]:
    """The same by the words that they share: for a vault without vectors."""
    wanted = set(text.terms(message))
    ids = [-id for id in source.turns(sorted(wanted), narrow, 4 * REQUESTS).best]
    like = []
    for number in sorted(_of_user(source, ids, narrow)):
        said = next(iter(_turns(source, opened, "t.id = ?", [number])), None)
        if said and (score := _shared(wanted, set(text.terms(said.text)))) >= bounds.similarity:
            like.append((number, score))
    return sorted(like, key=lambda one: -one[1])


def _shared(one: set[str], other: set[str]) -> float:
    """The cosine of two sets of terms, each term by its worth."""
    lengths = [math.sqrt(sum(text.worth(term) ** 2 for term in terms)) for terms in (one, other)]
    both = sum(text.worth(term) ** 2 for term in one & other)
    return both / (lengths[0] * lengths[1]) if both else 0.0


def _of_user(source: Reader, numbers: Sequence[int], narrow: Filters) -> set[int]:
    """Those of some turns that the user said, within filters."""
    parts, values = narrow.turns()
    where = "".join(f" AND {part}" for part in parts)
    rows = source.rows(
        f"SELECT t.id {_FROM} WHERE t.id IN ({', '.join('?' * len(numbers))}) AND t.voice = ?{where}",
        [*numbers, USER, *values],
    )
    return {row[0] for row in rows}


def _corrected(
    source: Reader, opened: evidence.Files, number: int, likeness: float, bounds: Bounds
) -> Iterator[Correction]:
    """What the user said to the answer that a request got, where that corrects it or a feedback note rests on it."""
    asked = next(iter(_turns(source, opened, "t.id = ?", [number])), None)
    if asked is None:
        return
    after = f"{_SAME} AND t.number > ? AND t.voice = ? ORDER BY t.number LIMIT 1"
    said = next(iter(_turns(source, opened, after, [number, asked.number, USER])), None)
    if said is None:
        return
    between = f"{_SAME} AND t.number > ? AND t.number < ? ORDER BY t.number DESC LIMIT 2"
    answer = _turns(source, opened, between, [number, asked.number, said.number])[::-1]
    if not answer:
        return
    notes = _resting(source, said)
    if (correcting.score(said.text) < bounds.detection and not notes) or Outlived(source)(said.text, said.ts):
        return
    told = [f"asked: {_cut(asked.text, ASKED)}", f"answered: {_cut(' '.join(one.text for one in answer), ASKED)}"]
    told += [f"corrected: {_cut(said.text, TOLD)}", *(f"kept in: {path}" for path in notes)]
    about = f"correction of an answer · {said.ts[:10]}"
    since = asked.line if asked.path == said.path else 0
    yield Correction(fenced.Piece(said.path, said.line, about, "\n".join(told)), likeness, said.ts, asked.text, since)


def _resting(source: Reader, said: _Said) -> list[str]:
    """Feedback notes that name a turn as what they rest on."""
    stem = said.path.rpartition("/")[2].removesuffix(".md")
    rows = source.rows(
        "SELECT DISTINCT f.path FROM links l JOIN files f ON f.id = l.file"
        " WHERE l.key = ? AND l.anchor = ? AND f.kind = 'note' AND f.type = 'feedback' ORDER BY f.path LIMIT 3",
        [names.fold(stem), f"^t{said.number}"],
    )
    return [row[0] for row in rows]


def _notes(
    source: Reader, opened: evidence.Files, near: "Near | None", narrow: Filters, bounds: Bounds
) -> Iterator[Correction]:
    """Feedback notes whose own words are like the message."""
    if near is None:
        return
    parts, values = narrow.sql()
    where = "".join(f" AND {part}" for part in parts)
    rows = source.rows(
        "SELECT p.id, f.path, f.name, f.date, p.first, p.last FROM passages p JOIN files f ON f.id = p.file"
        f" WHERE f.kind = 'note' AND f.type = 'feedback' AND f.archived = 0{where}",
        values,
    )
    like = near.of([row[0] for row in rows])
    for id, path, name, date, first, last in rows:
        if like.get(id, 0.0) >= bounds.similarity and (blob := opened.read(path)):
            body = "\n".join(evidence.lines_of(blob.data, "note")[first:last]).strip()
            if body := Outlived(source).kept(body).strip():
                piece = fenced.Piece(path, first + 1, f"{name} · {date}", _cut(body, TOLD))
                yield Correction(piece, like[id], date)


def _turns(source: Reader, opened: evidence.Files, where: str, values: list[Any]) -> list[_Said]:
    """Turns with their words, as their files have them now; those that are gone are left out."""
    held = []
    for path, first, last, number, ts in source.rows(
        f"SELECT f.path, t.first, t.last, t.number, t.ts {_FROM} WHERE {where}", values
    ):
        if blob := opened.read(path):
            said = evidence.analysed(blob.data, "turn", first + 1, last).lines
            held.append(_Said(path, first + 2, number, ts, "\n".join(said).strip()))
    return held


def _cut(words: str, most: int) -> str:
    return text.cut(" ".join(words.split()), most)
