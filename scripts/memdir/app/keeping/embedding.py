"""The work of `memdir embedder`: which embedder is chosen, whether it answers, what is embedded, and the draining of
the rest.

Choosing writes the user's `config.toml`, by line, and the key that came on standard input; never a vault.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir import config, settings_table
from memdir.config import Settings
from memdir.errors import BadData, MemdirError, ModelError, Unusable, UsageError
from memdir.index import drain as drains
from memdir.index import generation, vectors
from memdir.index.drain import Drained, Limits
from memdir.index.reader import Reader
from memdir.index.values import Progress
from memdir.llm import cache, embedders
from memdir.recall import dense

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.int8 import Floats

# Missing vectors that a recall makes before it answers, and its seconds for that. An entry makes the whole log of its
# day miss them, and most come from what was kept: 60 are 0.07 CPU s, 300 that are all new 0.5.
FEW, PATIENCE = 100, 0.5
KINDS = embedders.KINDS
# A sentence, one that says the same, one that does not: English and Chinese, as a person can judge them.
TRIAL = (
    "The cat sleeps on the sofa.",
    "A cat is asleep on the couch.",
    "猫在沙发上睡觉。",
    "Interest rates rose again in March.",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is chosen and what is there. `made`: what the vectors of the index were made by, None without any."""

    kind: str
    name: str
    settings: dict[str, Any]
    made: vectors.Made | None
    passages: int
    missing: int
    kept: int
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tested:
    """What an embedder said to TRIAL: cosines of the first sentence to each of the others."""

    kind: str
    name: str
    dimension: int
    seconds: float
    same: float
    translated: float
    other: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a choice changed, or would. `diff`: of the user's settings; `tested`: None where it was not asked for."""

    path: str
    diff: str
    changed: bool
    tested: Tested | None = None


def opened(memory: "Memory", *, expected: int = 0, again: bool = False) -> embedders.Kept | None:
    """The embedder that the settings choose, with the vault's paid cache; None for kind `none`."""
    made = embedders.configured(memory.settings)
    if made is None:
        return None
    paid = cache.Cache(memory.paid)
    return embedders.Kept(made, paid, embedders.prefixes(memory.settings), expected=expected, again=again)


def plain(settings: Settings) -> embedders.Embedder:
    """The embedder that settings choose, without a cache, to be measured. Raises UsageError for kind `none`."""
    embedder = embedders.configured(settings)
    if embedder is None:
        raise UsageError("embedder.kind is none: nothing makes vectors")
    return embedder


def embed(memory: "Memory", texts: Sequence[str], query: bool) -> "Floats":
    """(n, d) float32 of length 1. Raises UsageError for kind `none`."""
    embedder = opened(memory)
    if embedder is None:
        raise UsageError("embedder.kind is none: nothing makes vectors")
    return embedder.embed(texts, query=query)


def source(memory: "Memory", reader: Reader) -> dense.Source | None:
    """The view by meaning over an open index; None for kind `none`. Raises BadData, ModelError."""
    held = vectors.Vectors(reader)
    try:
        embedder = opened(memory, expected=held.made.dimension if held.made else 0)
    except MemdirError:
        held.close()
        raise
    return dense.Source(memory.settings, held, embedder) if embedder else None


def drain(memory: "Memory", limits: Limits, progress: Progress | None, indexing: Progress | None = None) -> Drained:
    """As `Memory.drain` promises."""
    embedder = opened(memory, again=limits.anew)
    if embedder is None:
        return Drained()
    current, said = memory.freshen(most=None, progress=indexing)
    if not current and generation.current(memory.vault.place) is None:
        raise Unusable("; ".join(said))
    memory.drop_reader()
    limits.batch = memory.settings["embedder.batch"] if embedder.kind == "endpoint" else limits.batch
    prefix = embedders.prefixes(memory.settings)[False]
    return drains.drain(memory.vault, embedder, limits, prefix=prefix, progress=progress)


def fill(memory: "Memory", source: drains.Source) -> int:
    """Give every passage a vector by a source of its own, as if by the embedder that is chosen; returns how many."""
    return drains.drain(memory.vault, source, Limits(batch=512)).embedded


def top_up(
    memory: "Memory",
    limits: Limits,
    *,
    local: bool = False,
    most: int | None = None,
    progress: Progress | None = None,
) -> Drained:
    """Make vectors that are missing from an index that is current, within limits; whatever is in the way of it is left
    for another time. `local`: only by a model of this machine; `most`: nothing where more than so many are missing."""
    if memory.settings["embedder.kind"] in (("none", "endpoint") if local else ("none",)):
        return Drained()
    try:
        with vectors.opened(memory.open_reader(verified=True)) as held:
            if held.made and held.settled() == 0 and _fits(memory, held.made):
                return Drained()
            if most is not None and (left := held.lacking()) > most:
                return Drained(left=left)
        memory.drop_reader()
        embedder = opened(memory)
        assert embedder is not None
        limits.batch = memory.settings["embedder.batch"] if embedder.kind == "endpoint" else limits.batch
        prefix = embedders.prefixes(memory.settings)[False]
        return drains.drain(memory.vault, embedder, limits, prefix=prefix, progress=progress)
    except MemdirError as error:
        return Drained(failed=str(error))
    finally:
        memory.drop_reader()


def to_come(memory: "Memory") -> list[str]:
    """That vectors are still to be made, and by what; nothing of so few that the next recall makes them itself."""
    if memory.settings["embedder.kind"] == "none":
        return []
    try:
        with vectors.opened(memory.open_reader(verified=True)) as held:
            left = held.missing()
    except MemdirError:
        return []
    few = left <= FEW and memory.settings["embedder.kind"] != "endpoint"
    return [] if few else [f"{left} vectors to come, by words alone until then: run `memdir embedder drain`"]


def _fits(memory: "Memory", made: vectors.Made) -> bool:
    """Whether the vectors were made by what the settings choose."""
    embedder = embedders.configured(memory.settings)
    return embedder is not None and not dense.unfit(made, memory.settings, embedder)


def show(memory: "Memory") -> Shown:
    """Asks no model."""
    settings = {one.name: memory.settings[one.name] for one in settings_table.TABLE if one.name.startswith("embedder.")}
    source = memory.current()
    notices = list(memory.notices)
    try:
        embedder = embedders.configured(memory.settings)
    except (BadData, ModelError) as error:
        embedder = None
        notices.append(str(error))
    passages = int(source.rows(vectors.STATE)[0][1])
    with vectors.opened(source) as held:
        missing = held.missing() if held.made else passages
        made = held.made
    kept = cache.Cache(memory.paid).count()
    name = embedder.name if embedder else ""
    return Shown(settings["embedder.kind"], name, settings, made, passages, missing, kept, notices)


def tried(settings: Settings, key: str | None = None) -> Tested | None:
    """Let the chosen embedder embed TRIAL; None for kind `none`. Raises BadData, ModelError."""
    embedder = embedders.configured(settings, key=key)
    if embedder is None:
        return None
    began = time.perf_counter()
    rows = embedder.embed(TRIAL)
    seconds = time.perf_counter() - began
    same, translated, other = (round(float(rows[0] @ row), 3) for row in rows[1:])
    return Tested(embedder.kind, embedder.name, rows.shape[1], round(seconds, 3), same, translated, other)


def choose(
    values: Mapping[str, Any], *, key: str | None = None, untested: bool = False, dry_run: bool = False
) -> Chosen:
    """Set `embedder.*` for this user; tested first, and where the test fails nothing is written.

    `key`: kept in a file of its own that only the user can read. Raises BadData for what cannot be set, ModelError.
    """
    settings = config.load(None)
    for name, value in values.items():
        settings.put(name, value, "option")
    tested = None if untested else tried(settings, key)
    place = config.config_home() / "config.toml"
    held = config.small_file(place, follow=True)
    before = (held or b"").decode("utf-8-sig")
    after = config.edited(before, values, os.fspath(place))
    if not dry_run:
        config.config_home().mkdir(0o700, parents=True, exist_ok=True)
        if key is not None:
            generation.write(config.config_home() / embedders.KEY_FILE, key.encode())
        if after != before:
            generation.write(Path(os.path.realpath(place)), after.encode())
    return Chosen(os.fspath(place), _diff(before, after), after != before or key is not None, tested)


def _diff(before: str, after: str) -> str:
    import difflib

    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm=""))
