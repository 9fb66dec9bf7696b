"""`memdir bench-embedders`: what an embedder finds and what it costs, on 40 notes in English and Chinese.

Each note and each question stands in `bilingual.jsonl` in both languages, said in other words than the note's. A
question is asked of the notes of one language; found is what has the highest cosine. Writes nothing.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memdir.app.keeping import embedding

if TYPE_CHECKING:
    from memdir.config import Settings

SET = Path(__file__).with_name("bilingual.jsonl")
PAIRS = (("en", "en"), ("zh", "zh"), ("en", "zh"), ("zh", "en"))  # language of the question, of the note
LENGTHS = (12, 25, 50, 100, 200)  # words of the texts whose speed is measured
TEXTS = 40


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of the questions whose note stood first, or among five, and the mean reciprocal rank."""

    asked_in: str
    notes_in: str
    hit1: float
    hit5: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One embedder. `first_ms`: wall time until the first vector; `query_ms`: a question, median, wall;
    `texts_per_cpu_s`: by words of a text, of this process alone, so 0 says nothing of an endpoint."""

    kind: str
    name: str
    dimension: int
    first_ms: float
    query_ms: float
    texts_per_cpu_s: dict[int, int]
    found: list[Found]


def run(chosen: Sequence["Settings"], progress: Callable[[int, int], None] | None = None) -> list[Measured]:
    """Measure the embedders that some settings choose. Raises BadData, ModelError; UsageError for kind `none`."""
    measured = []
    for number, settings in enumerate(chosen, 1):
        measured.append(_measure(embedding.plain(settings)))
        if progress:
            progress(number, len(chosen))
    return measured


def notes() -> list[dict[str, str]]:
    """The set: `en`, `zh`, `ask_en`, `ask_zh` of each note."""
    return [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]


def _measure(embedder: Any) -> Measured:
    held = notes()
    began = time.perf_counter()
    dimension = embedder.embed([held[0]["en"]]).shape[1]
    first = time.perf_counter() - began
    rows = {language: embedder.embed([one[language] for one in held]) for language in ("en", "zh")}
    asked, walls = {}, []
    for language in ("en", "zh"):
        vectors = []
        for one in held:
            began = time.perf_counter()
            vectors.append(embedder.embed([one[f"ask_{language}"]], query=True)[0])
            walls.append(time.perf_counter() - began)
        asked[language] = np.array(vectors)
    found = [_found(question, note, asked[question] @ rows[note].T) for question, note in PAIRS]
    return Measured(
        embedder.kind,
        embedder.name,
        dimension,
        round(first * 1000, 1),
        round(float(np.median(walls)) * 1000, 1),
        {length: _speed(embedder, held, length) for length in LENGTHS},
        found,
    )


def _found(question: str, note: str, scores: Any) -> Found:
    """Of (n, n) cosines, row i asked for column i; equal scores count against the note."""
    own = np.diagonal(scores)[:, None]
    ranks = (scores >= own).sum(axis=1)
    shares = (ranks <= 1).mean(), (ranks <= 5).mean(), (1 / ranks).mean()
    return Found(question, note, *(round(float(share), 3) for share in shares))


def _speed(embedder: Any, held: Sequence[Mapping[str, str]], length: int) -> int:
    """Texts of a length embedded in a second of this process's CPU."""
    words = " ".join(one["en"] for one in held).split()
    texts = [" ".join((words[n:] + words)[:length]) for n in range(0, len(words), len(words) // TEXTS)][:TEXTS]
    began = time.process_time()
    embedder.embed(texts)
    return round(len(texts) / max(time.process_time() - began, 1e-6))
