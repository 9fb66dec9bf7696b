"""The outline of a conversation: windows between which nothing was said for long, episodes in which talk stays on the
same things. Derived from the turns each time, nothing is stored. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memdir import text
from memdir.recall import entities
from memdir.vault import session
from memdir.vault.session import Turn

SILENCE = 45.0  # minutes without a word that end a window
BESIDE = 6  # turns on either side of a cut that are compared, and the fewest of an episode
# Share of the smaller side's things that both sides name, up to which the talk has moved on. Of 60 pairs of LoCoMo's
# sessions put behind one another without a silence the seam was found, within 3 turns, 35 times with 6 and 0.3, beside
# 2.3 cuts inside the two; 32 and 2.6 with 4 and 0.1, 30 and 2.0 with 6 and 0.2, 22 and 1.5 with 8 and 0.3.
APART = 0.3
NAMED = 5  # things that an episode is told by
OPENING = 12  # words of its first turn


@dataclass(frozen=True, slots=True)
class Episode:
    """Turns [first, last] by number, what they name most, and how they begin."""

    first: int
    last: int
    names: tuple[str, ...]
    opening: str


@dataclass(frozen=True, slots=True)
class Window:
    """Turns [first, last] by number; `start`, `end`: times of the first and the last, "" where they have none."""

    first: int
    last: int
    start: str
    end: str
    episodes: tuple[Episode, ...]


def outline(turns: Sequence[Turn]) -> list[Window]:
    """Windows and episodes of the turns of one conversation, in order."""
    found = []
    for part in _windows(turns):
        episodes = tuple(_told(one) for one in _episodes(part))
        found.append(Window(part[0].number, part[-1].number, part[0].ts, part[-1].ts, episodes))
    return found


def _windows(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    begin = 0
    for at in range(1, len(turns)):
        before, after = turns[at - 1].ts, turns[at].ts
        if before and after and session.instant(after) - session.instant(before) > SILENCE * 60:
            yield turns[begin:at]
            begin = at
    if turns:
        yield turns[begin:]


def _episodes(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Cut where the turns on both sides name things, hardly one in common, and no place close by is better."""
    things = [_things(turn.text) for turn in turns]
    likeness = {at: _alike(things, at) for at in range(BESIDE, len(turns) - BESIDE + 1)}
    begin = 0
    for at, alike in likeness.items():
        near = [likeness[other] for other in range(at - BESIDE, at + BESIDE + 1) if other in likeness]
        if at - begin >= BESIDE and alike <= APART and alike == min(near):
            yield turns[begin:at]
            begin = at
    yield turns[begin:]


def _things(said: str) -> Counter[str]:
    """What a turn names: entities by their keys, else its rarer words, which are the longer ones."""
    found = Counter(one.key for one in entities.shapes(said, dated=False) if one.kind != "quantity")
    return found + Counter(term for term in set(text.terms(said)) if len(term) >= 6 or term >= "\u0e01")


def _alike(things: Sequence[Counter[str]], at: int) -> float:
    before, after = (set().union(*side) for side in (things[at - BESIDE : at], things[at : at + BESIDE]))
    return len(before & after) / min(len(before), len(after)) if before and after else 1.0


def _told(turns: Sequence[Turn]) -> Episode:
    names: Counter[str] = Counter()
    for turn in turns:
        shapes = entities.shapes(turn.text, dated=False)
        names.update({one.text for one in shapes if one.kind in ("name", "code", "ticket", "title", "path", "url")})
    most = tuple(name for name, _ in sorted(names.items(), key=lambda one: (-one[1], one[0]))[:NAMED])
    opening = text.printable(text.opening(" ".join(turns[0].text.split()), OPENING))
    return Episode(turns[0].number, turns[-1].number, most, opening)
