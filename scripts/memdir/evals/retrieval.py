"""Asking a store every question of a set: what came back, at which ranks the gold stands, what it cost.

A store is anything with `build`, `ask` and `close`; corpora go to processes of their own with folders of their own, so
that neither the user's settings nor the order of the work changes a figure. Writes in a temporary folder only.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from memdir.errors import UsageError
from memdir.evals.dataset import Corpus, Dataset, Place, Query, Target
from memdir.evals.metrics import Ranks

DEPTH = {"turns": 100, "vault": 20}  # results asked for: sessions need more turns than are counted
LIMIT = 5  # results of the answers whose time and tokens are told
SAMPLE = 100  # such answers a corpus


class Found(NamedTuple):
    """One result."""

    place: Place
    score: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What a store answers, best first. `declined`: it abstained; what it found may be there all the same."""

    found: tuple[Found, ...]
    declined: bool
    confidence: float
    tokens: int
    seconds: float


class Store(Protocol):
    """One corpus that can be asked. A result stands no lower for more results being asked for."""

    def build(self, corpus: Corpus) -> None: ...

    def ask(self, query: Query, k: int) -> Asked: ...

    def close(self) -> None: ...


Make = Callable[[Mapping[str, str]], Store]  # from settings by name; a class or a function of a module


@dataclass(frozen=True, slots=True)
class Row:
    """One question: ranks of its gold targets and of their groups, of stale and of near targets."""

    id: str
    category: str
    lang: str
    abstain: bool
    ranks: Ranks
    groups: Ranks
    confidence: float
    declined: bool
    stale: Ranks = ()
    near: Ranks = ()
    near_groups: Ranks = ()


@dataclass(slots=True)
class Ran:
    """Every question in the order of the set. `same`: share of the sample whose short answer began the long one."""

    rows: list[Row]
    build: float = 0.0
    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask and how. `depth` 0: as the form of the set has it."""

    dataset: Dataset
    make: Make
    config: Mapping[str, str] = field(default_factory=dict)
    depth: int = 0
    processes: int = 2


@dataclass(frozen=True, slots=True)
class _Job:
    corpus: Corpus
    queries: tuple[Query, ...]
    make: Make
    config: Mapping[str, str]
    depth: int


def run(plan: Plan, progress: Callable[[int, int], None] | None = None) -> Ran:
    """Ask everything, each store built once (a single corpus once a process). Raises what the stores raise."""
    jobs = list(_jobs(plan))
    done: dict[int, Ran] = {}
    with tempfile.TemporaryDirectory(prefix="memdir-eval-") as place, _pool(plan.processes, place) as pool:
        running = {pool.submit(work, job): number for number, job in enumerate(jobs)}
        for finished in as_completed(running):
            done[running[finished]] = finished.result()
            if progress:
                progress(len(done), len(jobs))
    whole = Ran([])
    for _, part in sorted(done.items()):
        whole.rows += part.rows
        whole.build += part.build
        whole.seconds += part.seconds
        whole.tokens += part.tokens
        whole.same += part.same
    order = {query.id: number for number, query in enumerate(plan.dataset.queries)}
    whole.rows.sort(key=lambda row: order[row.id])
    return whole


def _pool(processes: int, place: str) -> ProcessPoolExecutor:
    fresh = multiprocessing.get_context("spawn")  # a fork would inherit threads, and the parent's settings
    return ProcessPoolExecutor(processes, fresh, initializer=apart, initargs=(place,))


def apart(place: str) -> None:
    """Give this process cache, settings and temporary folders below `place`, and one thread for its numbers."""
    for name in [name for name in os.environ if name.startswith("MEMDIR_")]:
        del os.environ[name]
    os.environ |= {f"XDG_{kind}_HOME": os.path.join(place, kind.lower()) for kind in ("CACHE", "CONFIG")}
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    tempfile.tempdir = place


def _jobs(plan: Plan) -> Iterator[_Job]:
    depth = plan.depth or DEPTH[plan.dataset.form]
    by_corpus: dict[str, list[Query]] = {one.name: [] for one in plan.dataset.corpora}
    for query in plan.dataset.queries:
        by_corpus[query.corpus].append(query)
    parts = -(-plan.processes // max(1, len(by_corpus)))
    for corpus in plan.dataset.corpora:
        queries = by_corpus[corpus.name]
        for part in range(min(parts, len(queries))):
            yield _Job(corpus, tuple(queries[part::parts]), plan.make, plan.config, depth)


def work(job: _Job) -> Ran:
    """Build one store, ask its questions, then some again as a person would."""
    store = job.make(job.config)
    try:
        began = time.perf_counter()
        store.build(job.corpus)
        ran, groups = Ran([], time.perf_counter() - began), job.corpus.groups()
        sample = -(-len(job.queries) // SAMPLE)
        for number, query in enumerate(job.queries):
            deep = store.ask(query, job.depth)
            ran.rows.append(row(query, deep, groups))
            if number % sample == 0:
                short = store.ask(query, LIMIT)
                ran.seconds.append(short.seconds)
                ran.tokens.append(short.tokens)
                ran.same.append(_places(short) == _places(deep)[: len(short.found)])
        return ran
    finally:
        store.close()


def _places(asked: Asked) -> list[Place]:
    return [one.place for one in asked.found[:LIMIT]]


def row(query: Query, asked: Asked, groups: Mapping[str, str]) -> Row:
    """Where the targets of a question stand in what came back."""
    places = [one.place for one in asked.found]
    if len(set(places)) < len(places):
        raise UsageError(f"the store gave one result twice for {query.id}")
    met = list(dict.fromkeys(Place(groups.get(place.name, place.name)) for place in places))
    return Row(
        id=query.id,
        category=query.category,
        lang=query.lang,
        abstain=query.abstain,
        ranks=ranks(places, query.gold),
        groups=ranks(met, grouped(query.gold, groups)),
        confidence=asked.confidence,
        declined=asked.declined,
        stale=ranks(places, query.stale),
        near=ranks(places, query.near),
        near_groups=ranks(met, grouped(query.near, groups)),
    )


def ranks(places: Sequence[Place], targets: Sequence[Target]) -> Ranks:
    """Rank from 0 of the first place that meets each target."""
    return tuple(
        next((rank for rank, found in enumerate(places) if any(found.meets(one) for one in target)), None)
        for target in targets
    )


def grouped(targets: Sequence[Target], groups: Mapping[str, str]) -> tuple[Target, ...]:
    """The targets as sessions or files, none twice."""
    sides = ((Place(groups.get(one.name, one.name)) for one in target) for target in targets)
    return tuple(dict.fromkeys(tuple(sorted(set(side))) for side in sides))
