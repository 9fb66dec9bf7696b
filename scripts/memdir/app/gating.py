"""The gate: whether a message needs memory, and then the memory itself, numbered and fenced for an agent."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdir.app import recalled, scopes
from memdir.errors import MemdirError, Unusable
from memdir.index import lexicon
from memdir.index.filters import Filters, marks
from memdir.recall import fenced
from memdir.recall import gate as rules
from memdir.recall.evidence import Evidence
from memdir.recall.question import Question
from memdir.text import terms, token_count

if TYPE_CHECKING:
    from memdir.app.memory import Memory

NO_INDEX = "there is no index yet: run `memdir sync`"
LEAST = 160  # characters: what is not longer is not cut shorter


@dataclass(frozen=True, slots=True)
class Where:
    """Where is looked: the scope, without the running conversation, and whether files are looked at first."""

    scope: str = ""
    session: str = ""
    fresh: bool = True

    @property
    def filters(self) -> Filters:
        return Filters(scope=self.scope or None, not_session=self.session or None)


@dataclass(slots=True)
class Gated:
    """What a message needs. `kind`: memory, continue (both with `text`), none, or nothing, where there is none.

    `text`: numbered and between marks, as an agent may be shown it; `ids`: `path:line` in the order of the numbers.
    """

    kind: str
    text: str = ""
    ids: list[str] = field(default_factory=list)
    why: str = ""
    notices: list[str] = field(default_factory=list)


def gate(memory: "Memory", message: str, where: Where, budget: int) -> Gated:
    """As `Memory.gate` promises. Where nothing was going on lately, a message that goes on with it is recalled for."""
    looked: list[list[str]] = []  # what a look at the files had to say, once there was one

    def known(said: str) -> bool:
        if where.fresh and not looked:
            looked.append(memory.freshen()[1])
        return bool(_named(memory, said))

    decided = rules.decide(message, known)
    if decided.kind == "none":
        return Gated("none", why=decided.why)
    if not where.fresh and not _indexed(memory):
        return Gated("nothing", why=decided.why, notices=[NO_INDEX])
    if decided.kind == "continue":
        left = take_up(memory, message, where, budget)
        if left.ids:
            return left
    asked = Question(
        rules.question(message),
        where.filters,
        memory.settings["recall.limit"],
        budget,
    )
    answer = memory.recall(asked, fresh=where.fresh and not looked)
    told = [*(looked[0] if looked else ()), *answer.notices]
    found = [] if answer.abstained else [one for one in answer.evidence if _says_more(one, message)]
    text, ids = shown(pieces(found), budget)
    return Gated("memory" if ids else "nothing", text, ids, decided.why, told)


def take_up(memory: "Memory", text: str, where: Where, budget: int) -> Gated:
    """As `Memory.take_up` promises."""
    from memdir.app import taking_up

    narrow = scopes.with_inherited(where.filters, memory.settings["scope.inherits"])
    found, told = taking_up.recent(memory, text, narrow, fresh=where.fresh)
    shown_, ids = shown(found, budget)
    if ids:
        recalled.keep(memory, recalled.Recalled("", text, recalled.CONTINUE, tuple(ids)), memory.vault.place)
    return Gated("continue" if ids else "nothing", shown_, ids, "work that was left", told)


def _says_more(one: Evidence, message: str) -> bool:
    """Whether a turn says a word that the message does not: the same question, asked another day, is no memory."""
    return not one.session or not set(terms(one.quote)) <= set(terms(message))


def pieces(found: Iterable[Evidence]) -> list[fenced.Piece]:
    return [fenced.Piece(one.path, one.at, _about(one), one.quote) for one in found]


def _about(one: Evidence) -> str:
    over = ""
    if one.valid_until:
        over = f"superseded by {one.superseded_by}" if one.superseded_by else f"held until {one.valid_until}"
    return " · ".join(dict.fromkeys(part for part in (one.name, one.heading, one.date, over) if part))


def shown(found: Sequence[fenced.Piece], budget: int) -> tuple[str, list[str]]:
    """Memories between their marks in at most `budget` tokens, with their ids; the first that does not fit is cut."""
    nonce = os.urandom(fenced.SHORTEST)
    left = budget - token_count(fenced.fence("", nonce))
    kept: list[fenced.Piece] = []
    for one in found:
        cost = _cost(len(kept) + 1, one, nonce)
        while cost > left and len(one.text) > LEAST:
            one = one._replace(text=one.text[: len(one.text) * 2 // 3].rstrip() + "…")
            cost = _cost(len(kept) + 1, one, nonce)
        if cost > left:
            break
        kept.append(one)
        left -= cost
    if not kept:
        return "", []
    return fenced.fence(fenced.numbered(kept), nonce), [one.id for one in kept]


def _cost(number: int, one: fenced.Piece, nonce: bytes) -> int:
    return token_count(fenced.safe(fenced.shown(number, one), nonce) + "\n")


def _named(memory: "Memory", said: str) -> list[str]:
    """Names of notes that stand in a text; none where there is no index."""
    begins = sorted(lexicon.begins(said))
    try:
        source = memory.open_reader(verified=False)
        rows = source.rows(
            "SELECT DISTINCT f.name, f.stem FROM names n JOIN files f ON f.id = n.file"
            f" WHERE n.start IN ({marks(begins)}) AND f.kind = 'note'",
            begins,
        )
    except MemdirError:
        return []
    names = lexicon.Names({name: number for number, row in enumerate(rows) for name in row if name})
    return [one.key for one in names.find(said)]


def _indexed(memory: "Memory") -> bool:
    try:
        memory.open_reader(verified=False)
    except Unusable:
        return False
    return True
