"""What is handed about in this room: the vault to index, how to sync, what a sync did. Plain values."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from memdir import text
from memdir.config import Settings
from memdir.errors import Problem
from memdir.index import generation
from memdir.vault import files, layout

SCHEMA = "15"  # raised whenever rows, passages, terms or postings change: the index is then made anew
FIRST = "there was none"  # why a first index is made
JUST_GONE = "gone a moment ago"  # why a file is kept by a run that does not believe it yet

Progress = Callable[[int, int], None]


class Hit(NamedTuple):
    """A passage found: lines [first, last) of a file as it was when indexed, with its score, higher is better.

    `id`: the number of a passage, of a turn its own below zero; vectors lie under it, and links of the graph.
    `at`: the line that answers, where that is known; -1 where it is for the words to say, `fallback` where they say
    none; `near`: the line that joins it to another answer, better than others that hold as many words. `apart`: it is
    evidence beside the best passage of its note; `hidden`: lines that are not to be quoted; `by`: how the graph reached
    it. `kind` is `turn` for what was said in a session; `speaker`, `ts`, `session` (its id), `number` (in the session),
    `uuid` and `asks` (it holds a question) are a turn's alone. `meaning`: its rank from 1 by vectors, 0 without one.
    A tuple: thirty are made for every recall, 0.7 µs each, 4.6 as a frozen dataclass.
    """

    score: float
    path: str
    digest: str
    first: int
    last: int
    heading: str
    kind: str
    name: str
    type: str
    date: str
    archived: bool
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    at: int = -1
    speaker: str = ""
    ts: str = ""
    session: str = ""
    number: int = 0
    uuid: str = ""
    asks: bool = False
    id: int = 0
    meaning: int = 0
    fallback: int = -1
    apart: bool = False
    hidden: tuple[int, ...] = ()
    near: int = -1
    by: str = ""


_DIGITS = 1e6
_hit = partial(tuple.__new__, Hit)  # two thirds of the price of `Hit._make`


def scored(hits: Iterable[Hit], scores: Mapping[int, float]) -> list[Hit]:
    """The same hits with their scores, six digits: 0.3 µs each, with `_replace` and `round(score, 6)` 2.5."""
    return [_hit((round(scores[hit.id] * _DIGITS) / _DIGITS,) + hit[1:]) for hit in hits]  # noqa: RUF005 (half the time)


def ordered(hits: Iterable[Hit]) -> list[Hit]:
    """Hits by score, archived ones behind all others, equal ones by path and line."""
    return sorted(hits, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))


class Scores(NamedTuple):
    """What one view finds: `Hit.id` → score of the best and of all that tie with the last of them, best first; over
    everything it found, however low, the sum of the scores and of their squares."""

    best: dict[int, float]
    total: float = 0.0
    squares: float = 0.0


@dataclass(slots=True)
class Report:
    """What one sync did. `kept`: files not there now but not taken for deleted; `skipped`: files that are there
    but could not be indexed; both with the reason. `embedded`: vectors made; `without`: passages and turns without one.
    """

    added: int = 0
    modified: int = 0
    moved: int = 0
    removed: int = 0
    files: int = 0
    embedded: int = 0
    without: int = 0
    rebuilt: str = ""
    kept: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class Vault:
    """What sync must know of a vault to read it."""

    root: files.Root
    rules: layout.Rules
    settings: Settings
    place: Path = field(init=False)  # of the generations of its index

    def __post_init__(self) -> None:
        self.place = generation.home(self.root.path, self.settings)

    @property
    def schema(self) -> str:
        """What the index must have been made by: rows, analysis, whether the vault keeps memdir's schema, its zone."""
        zone = self.settings["timezone"]  # by which the day of a turn is told
        return " ".join(filter(None, (SCHEMA, text.analysis(), "own" if self.rules.own else "adopted", zone)))


@dataclass(frozen=True, slots=True)
class Options:
    """How to sync. `wait`: seconds for the lock; `afresh`: build a new index beside the old one and switch
    when it is done; `most`: refuse when more files than that would have to be read; `quick`: when no name, size
    or time differs from the last run, look no further (the report then lists no Problems); `dry_run`: count only.

    `believed`: None, or the paths whose absence is believed: when any other has left its place, nothing is done and
    `kept` names all that have (JUST_GONE). For a watcher, whose look may fall into the middle of an editor's save.
    `meant`: paths that the caller itself has just removed, however many.
    """

    wait: float = 10.0
    progress: Progress | None = None
    accept_removals: bool = False
    afresh: bool = False
    most: int | None = None
    quick: bool = False
    dry_run: bool = False
    believed: AbstractSet[str] | None = None
    meant: AbstractSet[str] = frozenset()
