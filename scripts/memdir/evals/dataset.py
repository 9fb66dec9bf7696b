"""Labelled sets: corpora, each a store of its own, and questions whose evidence is known.

A set is a folder in the *neutral form* or a vault set (one file, see `vault_set`). The neutral form is two JSON Lines
files. `turns.jsonl`: corpus, session_id, turn_id, ts, speaker, text, caption (the last may be missing, ts null).
`queries.jsonl`: id, corpus, query, gold_turn_ids, category, abstain (anything but false: the store holds no answer),
and, where there are such, ts (the moment of asking), lang, near_turn_ids (of an unanswerable question: the turns that
tempt). Reads the files of a set only.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from memdir.errors import BadData, UsageError

TURNS, QUERIES = "turns.jsonl", "queries.jsonl"
# Set → corpora to tune on; its others are for the report.
DEV = {"locomo": ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")}
SPLITS = ("dev", "test", "all")


class Place(NamedTuple):
    """Where evidence stands: a turn by its id, or lines of a file (from 1, both included; 0: the whole file)."""

    name: str
    first: int = 0
    last: int = 0

    def meets(self, other: "Place") -> bool:
        """Whether two places share a turn or a line."""
        if self.name != other.name:
            return False
        return not (self.first and other.first) or (self.first <= other.last and other.first <= self.last)


Target = tuple[Place, ...]  # any of them will do


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `ts`: ISO 8601, "" where unknown."""

    id: str
    session: str
    ts: str
    speaker: str
    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """One file of a vault, whole. `mtime`: ISO 8601, "" for the moment of asking."""

    path: str
    text: str
    mtime: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one store holds: turns, or the notes of a vault with its settings."""

    name: str
    turns: tuple[Turn, ...] = ()
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def groups(self) -> dict[str, str]:
        """Turn → its session; a path is its own group and stands in no table."""
        return {turn.id: turn.session for turn in self.turns}


@dataclass(frozen=True, slots=True)
class Query:
    """A question: all targets of `gold` make the whole answer; `stale` ones answered once, `near` ones only tempt."""

    id: str
    corpus: str
    text: str
    gold: tuple[Target, ...]
    category: str
    lang: str = "en"
    abstain: bool = False
    moment: str = ""
    as_of: str = ""
    recent: tuple[str, ...] = ()
    stale: tuple[Target, ...] = ()
    near: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set. `form`: turns | vault; `split`: the part that was picked."""

    name: str
    form: str
    corpora: tuple[Corpus, ...]
    queries: tuple[Query, ...]
    split: str = "all"

    @property
    def levels(self) -> tuple[str, str]:
        """What is counted, the fine level first."""
        return ("turn", "session") if self.form == "turns" else ("passage", "file")

    def pick(self, split: str = "all", limit: int | None = None) -> "Dataset":
        """The part of a split, of it at most `limit` questions spread evenly. Raises UsageError."""
        queries = _spread([one for one in self.queries if split in ("all", self._split(one))], limit)
        if split != "all" and not queries:
            raise UsageError(f"{self.name} is not divided into dev and test")
        asked = {one.corpus for one in queries}
        corpora = tuple(one for one in self.corpora if one.name in asked)
        return replace(self, corpora=corpora, queries=queries, split=split)

    def _split(self, query: Query) -> str:
        """`dev` or `test`: by its store where these are divided, else by the beginning of its id."""
        if self.name in DEV:
            return "dev" if query.corpus in DEV[self.name] else "test"
        return query.id.partition("-")[0]


def _spread(queries: Sequence[Query], limit: int | None) -> tuple[Query, ...]:
    if limit is None or limit >= len(queries):
        return tuple(queries)
    return tuple(queries[number * len(queries) // limit] for number in range(limit))


def load(folder: Path) -> Dataset:
    """Read a folder in the neutral form. Raises BadData with file and line."""
    turns: dict[str, dict[str, Turn]] = {}
    for where, held in records(folder / TURNS):
        of_corpus = turns.setdefault(_text(where, held, "corpus"), {})
        turn = _turn(where, held)
        if turn.id in of_corpus:
            raise BadData(f"{where}: the turn {turn.id!r} stands twice in its corpus")
        of_corpus[turn.id] = turn
    queries: dict[str, Query] = {}
    for where, held in records(folder / QUERIES):
        query = _query(where, held, turns)
        if query.id in queries:
            raise BadData(f"{where}: the id {query.id!r} stands twice")
        queries[query.id] = query
    corpora = tuple(Corpus(name, tuple(held.values())) for name, held in turns.items())
    return Dataset(folder.name, "turns", corpora, tuple(queries.values()))


def records(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """`FILE:LINE` and the object of every line that is not blank. Raises BadData."""
    try:
        lines = file.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{file}: cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                held = json.loads(line)
            except ValueError as error:
                raise BadData(f"{file}:{number}: not JSON: {error}") from error
            if not isinstance(held, dict):
                raise BadData(f"{file}:{number}: not an object")
            yield f"{file}:{number}", held


def _turn(where: str, held: Mapping[str, Any]) -> Turn:
    id, session, speaker, said = (_text(where, held, key) for key in ("turn_id", "session_id", "speaker", "text"))
    return Turn(id, session, str(held.get("ts") or ""), speaker, said, str(held.get("caption") or ""))


def _query(where: str, held: Mapping[str, Any], turns: Mapping[str, Mapping[str, Turn]]) -> Query:
    corpus = _text(where, held, "corpus")
    if corpus not in turns:
        raise BadData(f"{where}: no turn of the corpus {corpus!r}")
    gold, near = (_targets(where, held.get(key) or [], turns[corpus]) for key in ("gold_turn_ids", "near_turn_ids"))
    abstain = bool(held.get("abstain"))
    if bool(gold) == abstain:
        raise BadData(f"{where}: an answerable question has gold turns, another one has none")
    return Query(
        id=_text(where, held, "id"),
        corpus=corpus,
        text=_text(where, held, "query"),
        gold=gold,
        category=_text(where, held, "category"),
        lang=str(held.get("lang") or "en"),
        abstain=abstain,
        moment=str(held.get("ts") or ""),
        near=near,
    )


def _targets(where: str, ids: Sequence[str], turns: Mapping[str, Turn]) -> tuple[Target, ...]:
    lost = [one for one in ids if one not in turns]
    if lost:
        raise BadData(f"{where}: the corpus has no turn {lost[0]!r}")
    return tuple((Place(one),) for one in ids)


def _text(where: str, held: Mapping[str, Any], key: str) -> str:
    value = held.get(key)
    if not isinstance(value, str) or not value:
        raise BadData(f"{where}: `{key}` is to be a text that is not empty")
    return value
