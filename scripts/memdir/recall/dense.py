"""The dense view: passages and turns whose vectors lie near the question's. Never an error: what it cannot do, it says.

Given the vectors of the index and the embedder that is configured. Writes nothing but the paid cache.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index.vectors import DIGITS, Made, Near, Vectors
from memdir.llm.embedders import Embedder

OFF = "semantic part off"
DRAIN = "`memdir embedder drain`"


@dataclass(slots=True)
class Dense:
    """How near everything is to a question, None where this view has no say, and what whoever asked should know."""

    near: Near | None = None
    notices: list[str] = field(default_factory=list)
    model: str = ""  # that made the vectors
    missing: int = 0  # passages and turns without a vector, which this view cannot find


class Source:
    """The vectors of an open index and what makes those of questions. Close it with the index."""

    def __init__(self, settings: Settings, held: Vectors, embedder: Embedder) -> None:
        self._settings, self._held, self._embedder = settings, held, embedder

    def close(self) -> None:
        self._held.close()

    def __call__(self, question: str, allowed: Collection[int] | None = None) -> Dense:
        """The view for a question. `allowed`: the numbers that count; None: all."""
        held, embedder = self._held, self._embedder
        try:
            if held.made is None:
                return _without(Dense(missing=held.missing()))
            if why := unfit(held.made, self._settings, embedder):
                return Dense(notices=[f"{OFF}: {why}; run {DRAIN}"])
            row = embedder.embed([question], query=True)[0]
            if len(row) != held.made.dimension:
                why = f"{embedder.name} answers with {len(row)} numbers, the vectors have {held.made.dimension}"
                return Dense(notices=[f"{OFF}: {why}; run {DRAIN}"])
            found = Dense(held.near(row, allowed), model=embedder.name, missing=held.missing())
        except MemdirError as error:
            return Dense(notices=[f"{OFF}: {error}"])
        return _without(found)

    def alike(self, one: str, others: Sequence[str]) -> list[float]:
        """Cosines of a text with others, none of which need be in the index; 0 where that would ask another machine."""
        if self._embedder.kind == "endpoint":
            return [0.0] * len(others)
        rows = self._embedder.embed([one, *others], query=True)
        return [round(float(rows[0] @ row), DIGITS) for row in rows[1:]]

    @property
    def missing(self) -> int:
        """Passages and turns without a vector."""
        return self._held.missing()


def _without(found: Dense) -> Dense:
    if found.missing:
        few = "1 passage or turn has" if found.missing == 1 else f"{found.missing} passages and turns have"
        found.notices.append(f"{few} no vector yet, searched by words only: run {DRAIN}")
    return found


def unfit(made: Made, settings: Settings, embedder: Embedder) -> str:
    """Why the vectors of the index cannot answer, "" when they can. Asks no model."""
    if (made.kind, made.name) != (embedder.kind, embedder.name):
        return f"the vectors were made by {made.kind} {made.name}, not by {embedder.kind} {embedder.name}"
    prefix = "" if made.kind == "use" else settings["embedder.document_prefix"]
    if (made.words, made.prefix) != (settings["embedder.words"], prefix):
        return "the vectors were made under other settings"
    return ""
