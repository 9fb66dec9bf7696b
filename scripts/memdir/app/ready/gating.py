"""The gate: whether a message needs memory, and then the memory itself, numbered and fenced for an agent."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from memdir.app import recalled, scopes
from memdir.app.ready import weighing
from memdir.errors import MemdirError, Unusable
from memdir.index import generation, lexicon
from memdir.index.filters import Filters, marks
from memdir.recall import evidence, fenced, personal
from memdir.recall import gate as rules
from memdir.recall.evidence import Evidence
from memdir.recall.outlived import Outlived
from memdir.recall.question import Question
from memdir.text import token_count

if TYPE_CHECKING:
    from memdir.app.memory import Memory

NO_INDEX = "there is no index yet: run `memdir sync`"
CORRECTED = "a request like one whose answer was corrected"
LEAST = 160  # characters: what is not longer is not cut shorter
NONCE = bytes(fenced.SHORTEST)  # as long as any, to count with


@dataclass(frozen=True, slots=True)
class Where:
    """Where is looked: the scope, without the running conversation, and whether files are looked at first."""

    scope: str = ""
    session: str = ""
    fresh: bool = True

    @property
    def filters(self) -> Filters:
        return Filters(scope=self.scope or None, not_session=self.session or None, reviewed=True)


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


class _Look:
    """A look at the files, taken once, where it is wanted. `told`: what it had to say."""

    def __init__(self, memory: "Memory", wanted: bool) -> None:
        self._memory, self.wanted = memory, wanted
        self.current, self.told, self._taken = False, list[str](), False

    def take(self) -> None:
        if self.wanted and not self._taken:
            self._taken = True
            self.current, self.told = self._memory.freshen()

    def knows(self, said: str) -> bool:
        """Whether a text holds the name of a note."""
        self.take()
        return bool(_named(self._memory, said))


def gate(memory: "Memory", message: str, where: Where, budget: int) -> Gated:
    """As `Memory.gate` promises. Where nothing was going on lately, a message that goes on with it is recalled for."""
    look = _Look(memory, where.fresh)
    decided = rules.decide(message, look.knows)
    if decided.kind == "none" and where.session and rules.goes_on(message) and _begins(memory, where.session):
        decided = rules.Decision("continue", "work that was left")
    needed = decided.kind != "none"
    if decided.why in rules.IDLE or (not needed and generation.current(memory.vault.place) is None):
        return Gated("none", why=decided.why)
    look.take()
    if not where.fresh and not _indexed(memory):
        return Gated("nothing", why=decided.why, notices=[NO_INDEX]) if needed else Gated("none", why=decided.why)
    from memdir.app.ready import correcting  # deferred: thanks and greetings need none of it

    firsts = correcting.found(memory, message, where.filters, verified=look.current)
    found, told, kind = list[fenced.Piece](), list[str](), "memory"
    if decided.kind == "continue":
        found, told = _left(memory, message, replace(where, fresh=False))
        kind = "continue" if found else kind
        found = _first(_known(memory, message, where), found)
    if needed and kind == "memory":
        found, told = _recalled(memory, message, where, budget)
    text, ids = shown(correcting.led(firsts, found, budget // 2, partial(_cost, 1, nonce=NONCE)), budget)
    if not needed:
        return Gated("memory", text, ids, CORRECTED, look.told) if ids else Gated("none", why=decided.why)
    if kind == "continue":
        _log_left(memory, message, ids)
    return Gated(kind if ids else "nothing", text, ids, decided.why, [*look.told, *told])


def _recalled(memory: "Memory", message: str, where: Where, budget: int) -> tuple[list[fenced.Piece], list[str]]:
    """What a recall finds, with its notices; the best feedback before all else, nothing where it declines. The files
    have been looked at. Twice as much is recalled as is shown: what only asks makes room for what tells."""
    said, limit = rules.question(message), memory.settings["recall.limit"]
    answer = memory.recall(Question(said, where.filters, 2 * limit, 2 * budget), fresh=False)
    found = [] if answer.abstained else _weighed(memory, answer.evidence, message)[:limit]
    if personal.of_habits(said):
        found = _with_habits(memory, said, where, found)[:limit]
    return _first(_known(memory, message, where), pieces(found)), answer.notices


def _weighed(memory: "Memory", found: Sequence[Evidence], message: str) -> list[Evidence]:
    try:
        is_over = Outlived(memory.open_reader(verified=False))
    except MemdirError:  # a recall without an index reads the files
        return weighing.weighed(evidence.Files(memory.root), found, message, lambda said, when: False)
    return weighing.weighed(evidence.Files(memory.root), found, message, is_over)


def _first(known: list[fenced.Piece], found: list[fenced.Piece]) -> list[fenced.Piece]:
    """Both, each line once."""
    lines = {(one.path, one.line) for one in known}
    return [*known, *(one for one in found if (one.path, one.line) not in lines)]


def _with_habits(memory: "Memory", said: str, where: Where, found: list[Evidence]) -> list[Evidence]:
    """The same with the best of the user's own notes, behind a note that answers better."""
    answer = memory.recall(Question(said, replace(where.filters, types=("user",)), 1), fresh=False)
    own = [one for one in answer.evidence if not answer.abstained and one.grade == weighing.PRIMARY]
    leads = found[:1] if found and found[0].kind == "note" and found[0].grade == weighing.PRIMARY else []
    own = [one for one in own if (one.path, one.line) not in {(two.path, two.line) for two in leads}]
    rest = [one for one in found[len(leads) :] if (one.path, one.line) not in {(two.path, two.line) for two in own}]
    return [*leads, *own, *rest]


def _known(memory: "Memory", message: str, where: Where) -> list[fenced.Piece]:
    """Facts about the user and open loops, where the message asks for them."""
    narrow = scopes.with_inherited(where.filters, memory.settings["scope.inherits"])
    try:
        source = memory.open_reader(verified=False)
        return [*weighing.about_user(source, message, narrow), *weighing.still_to_do(source, message, narrow)]
    except MemdirError:
        return []


def take_up(memory: "Memory", text: str, where: Where, budget: int) -> Gated:
    """As `Memory.take_up` promises."""
    found, told = _left(memory, text, where)
    shown_, ids = shown(found, budget)
    _log_left(memory, text, ids)
    return Gated("continue" if ids else "nothing", shown_, ids, "work that was left", told)


def _left(memory: "Memory", text: str, where: Where) -> tuple[list[fenced.Piece], list[str]]:
    from memdir.app.ready import taking_up

    narrow = scopes.with_inherited(where.filters, memory.settings["scope.inherits"])
    return taking_up.recent(memory, text, narrow, fresh=where.fresh)


def _log_left(memory: "Memory", said: str, ids: Sequence[str]) -> None:
    """A line in the log of recalls, by which a use knows what came beside it."""
    if ids:
        recalled.keep(memory, recalled.Recalled("", said, recalled.CONTINUE, tuple(ids)))


def quoted(found: Sequence[Evidence], budget: int) -> tuple[str, list[str]]:
    """As `Memory.quoted` promises."""
    return shown(pieces(found), budget)


def fenced_text(text: str) -> str:
    """As `Memory.fenced` promises."""
    return fenced.fence(text, os.urandom(fenced.SHORTEST))


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


def _begins(memory: "Memory", session: str) -> bool:
    """Whether nothing of a conversation has come in yet."""
    try:
        return not memory.open_reader(verified=False).rows("SELECT 1 FROM sessions WHERE id = ? LIMIT 1", [session])
    except MemdirError:
        return False


def _indexed(memory: "Memory") -> bool:
    try:
        memory.open_reader(verified=False)
    except Unusable:
        return False
    return True
