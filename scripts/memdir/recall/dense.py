"""The dense view: passages whose vectors lie near the question's. Never an error: what it cannot do, it says.

Given a reader of the index and the embedder that is configured. Writes nothing but the paid cache.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import vectors
from memdir.index.reader import Reader
from memdir.llm.embedders import Embedder

OFF = "semantic part off"
DRAIN = "`memdir embedder drain`"


@dataclass(slots=True)
class Dense:
    """Passages by cosine, best first, and what whoever asked should know."""

    hits: list[tuple[int, float]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    missing: int = 0  # passages without a vector, which this view cannot find


def view(
    settings: Settings,
    source: Reader,
    embedder: Embedder | None,
    question: str,
    limit: int,
    allowed: Collection[int] | None = None,
) -> Dense:
    """The `limit` passages nearest to a question. `allowed`: the passages that count; None: all."""
    if embedder is None:
        return Dense()
    try:
        with vectors.opened(source) as held:
            if why := _unfit(held.made, settings, embedder):
                return Dense(notices=[f"{OFF}: {why}; run {DRAIN}"])
            row = embedder.embed([question], query=True)[0]
            assert held.made is not None
            if len(row) != held.made.dimension:
                why = f"{embedder.name} answers with {len(row)} numbers, the vectors have {held.made.dimension}"
                return Dense(notices=[f"{OFF}: {why}; run {DRAIN}"])
            found = Dense(held.scan(row, limit, allowed), missing=held.missing())
    except MemdirError as error:
        return Dense(notices=[f"{OFF}: {error}"])
    if found.missing:
        found.notices.append(
            f"{found.missing} passages and turns have no vector yet and were searched by words only: run {DRAIN}"
        )
    return found


def _unfit(made: vectors.Made | None, settings: Settings, embedder: Embedder) -> str:
    """Why the vectors of the index cannot answer, "" when they can. Asks no model."""
    if made is None:
        return "there are no vectors yet"
    if (made.kind, made.name) != (embedder.kind, embedder.name):
        return f"the vectors were made by {made.kind} {made.name}, not by {embedder.kind} {embedder.name}"
    prefix = "" if made.kind == "use" else settings["embedder.document_prefix"]
    if (made.words, made.prefix) != (settings["embedder.words"], prefix):
        return "the vectors were made under other settings"
    return ""
