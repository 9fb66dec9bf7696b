"""A move from basic-memory: one folder opened by both, the same questions put to both, every byte looked at.

`python -m memdir.evals.basic_memory PYTHON SET` prints the tables of `references/basic-memory.md`. PYTHON is that of
an environment with basic-memory in it, SET a vault set (`tests/data/basic-memory.jsonl`). basic-memory is asked by its
tool `search_notes` as agents ask it, over standard streams, and by its command line; its own settings are taken from
`BASIC_MEMORY_…` in the environment. Everything is written below a temporary folder.
"""

import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import memdir
from memdir.app.memory import Memory
from memdir.errors import MemdirError, UsageError
from memdir.evals import cost, retrieval, vault_set
from memdir.evals.dataset import Dataset, Query
from memdir.evals.stdio import Server
from memdir.index.filters import Filters
from memdir.recall.question import Question

LIMIT = 5  # results asked for
COLD = 5  # questions that whole processes are asked
THEIR_MODULE = ("-m", "basic_memory.cli.main")
_VERSION = "from importlib.metadata import version; print(version('basic-memory'))"

Digests = dict[str, str]
Found = list[tuple[str, ...]]  # of each question the paths of its results, best first


@dataclass(frozen=True, slots=True)
class Side:
    """What one of the two did, in seconds. `changed`: paths whose bytes it changed, added or removed, of `total`."""

    name: str
    found: Found
    index: float
    cold: float
    warm: tuple[float, ...]
    changed: tuple[str, ...]
    total: int


def digests(root: Path) -> Digests:
    """Path → SHA-256 of every file below `root`."""
    held = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in held}


def changed(before: Digests, after: Digests) -> tuple[str, ...]:
    """Paths that are new, gone or different."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def lay(dataset: Dataset, root: Path) -> None:
    """Write the notes of a set as they stand in it."""
    for note in dataset.corpora[0].notes:
        path = root / note.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(note.text.encode())


def rank(query: Query, found: Sequence[str]) -> int | None:
    """From 1, the first result that holds the answer."""
    gold = {place.name for target in query.gold for place in target}
    return next((number for number, path in enumerate(found, 1) if path in gold), None)


def hits(queries: Sequence[Query], found: Found, k: int) -> int:
    """How many questions have their answer among the first k results."""
    ranks = (rank(query, paths) for query, paths in zip(queries, found, strict=True))
    return sum(one is not None and one <= k for one in ranks)


def ask(root: Path, queries: Sequence[Query], mode: str = "auto") -> tuple[Found, tuple[float, ...]]:
    """What an open memdir finds, and the seconds of each question, asked a second time and with a look at the files."""
    moment = datetime.fromisoformat(queries[0].moment) if queries[0].moment else datetime.now().astimezone()
    asked = [Question(query.text, Filters(), LIMIT, mode=mode) for query in queries]
    with Memory(root, now=lambda: moment) as memory:
        found = [tuple(one.path for one in memory.recall(question).evidence) for question in asked]
        seconds = []
        for question in asked:
            began = time.perf_counter()
            memory.recall(question)
            seconds.append(time.perf_counter() - began)
    return found, tuple(seconds)


def ours(root: Path, queries: Sequence[Query], env: Mapping[str, str]) -> list[Side]:
    """memdir with words and meaning, then by words alone; the folder adopted once."""
    before, place = digests(root), os.fspath(root)
    program, sides = [sys.executable, "-m", "memdir"], []
    setting_up = (["init", "--adopt", place], ["sync", "--vault", place])
    index = sum(cost.measure([*program, *one], env).cost.wall for one in setting_up)
    for name, mode in (("memdir", "auto"), ("memdir, words alone", "keyword")):
        found, warm = ask(root, queries, mode)
        cold = _cold([*program, "recall", "--vault", place, "--mode", mode, "--json", "--"], queries, env)
        sides.append(Side(name, found, index, cold, warm, (), len(before)))
    after = changed(before, digests(root))
    return [replace(side, changed=after) for side in sides]


def their_environment(place: Path, root: Path) -> dict[str, str]:
    """A home of its own with the folder as its one project; nothing is looked up on the network for an update."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MEMDIR_", "XDG_"))}
    home = {"HOME": os.fspath(place), "BASIC_MEMORY_HOME": os.fspath(root), "BASIC_MEMORY_AUTO_UPDATE": "false"}
    return kept | home | {"LC_ALL": "C.UTF-8"}


def theirs(python: str, root: Path, queries: Sequence[Query], env: Mapping[str, str]) -> Side:
    """basic-memory: the folder indexed, every question put to its open server twice, some to its command line."""
    before = digests(root)
    program = [python, *THEIR_MODULE]
    index = cost.measure([*program, "reindex"], env).cost.wall
    version = cost.measure([python, "-c", _VERSION], env).output.strip()
    with Server([*program, "mcp"], env) as server:
        found, warm = [_search(server, query)[0] for query in queries], []
        for query in queries:
            warm.append(_search(server, query)[1])
    cold = _cold([*program, "tool", "search-notes", "--json", "--page-size", str(LIMIT), "--"], queries, env)
    after = changed(before, digests(root))
    return Side(f"basic-memory {version}", found, index, cold, tuple(warm), after, len(before))


def _search(server: Server, query: Query) -> tuple[tuple[str, ...], float]:
    began = time.perf_counter()
    said = server.call("search_notes", {"query": query.text, "page_size": LIMIT, "output_format": "json"})
    seconds = time.perf_counter() - began
    try:
        held = json.loads(said)
    except ValueError:
        raise MemdirError(f"search_notes answered {query.text!r} with {said[:300]}") from None
    return tuple(str(one["file_path"]) for one in held["results"]), seconds


def _cold(command: Sequence[str], queries: Sequence[Query], env: Mapping[str, str]) -> float:
    """Median seconds of a whole process with one question, spread over the set."""
    some = queries[:: max(1, len(queries) // COLD)][:COLD]
    runs = [cost.measure([*command, query.text], env, codes=(0, 3)).cost for query in some]
    return cost.median(runs).wall


def compare(python: str, dataset: Dataset, place: Path) -> tuple[list[Side], bool]:
    """Both over one folder, basic-memory first; and whether basic-memory finds the same when it comes back to it."""
    root, queries = place / "vault", dataset.queries
    lay(dataset, root)
    (place / "home").mkdir()
    env = their_environment(place / "home", root)
    first = theirs(python, root, queries, env)
    retrieval.apart(os.fspath(place))
    mine = cost.environment(place) | {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
    sides = [first, *ours(root, queries, mine)]
    with Server([python, *THEIR_MODULE, "mcp"], env) as server:
        again = [_search(server, query)[0] for query in queries]
    return sides, again == first.found


def told(dataset: Dataset, sides: Sequence[Side], same: bool) -> Iterator[str]:
    """The page's tables, line by line."""
    queries = dataset.queries
    yield f"memdir {memdir.__version__}, {len(dataset.corpora[0].notes)} notes, {len(queries)} questions, no network."
    yield ""
    yield "| | hit@1 | hit@5 | first index s | cold query s | warm query ms, median / most | files changed |"
    yield "|---|---|---|---|---|---|---|"
    for side in sides:
        warm = f"{statistics.median(side.warm) * 1e3:.0f} / {max(side.warm) * 1e3:.0f}"
        first, five = (hits(queries, side.found, k) for k in (1, LIMIT))
        yield (
            f"| {side.name} | {first} | {five} | {side.index:.1f} | {side.cold:.2f} | {warm} "
            f"| {len(side.changed)} of {side.total} |"
        )
    yield ""
    yield f"Hits by kind of question, hit@1 / hit@{LIMIT}:"
    yield ""
    yield f"| kind | questions | {' | '.join(side.name for side in sides)} |"
    yield "|---|---|" + "---|" * len(sides)
    for kind in dict.fromkeys(query.category for query in queries):
        yield f"| {kind} | {' | '.join(_row(queries, sides, kind))} |"
    yield ""
    yield from _misses(queries, sides)
    yield from (f"{side.name} changed: {', '.join(side.changed)}." for side in sides if side.changed)
    yield f"basic-memory answers {'the same' if same else 'otherwise'} after memdir was there."


def _row(queries: Sequence[Query], sides: Sequence[Side], kind: str) -> Iterator[str]:
    at = [number for number, query in enumerate(queries) if query.category == kind]
    yield str(len(at))
    for side in sides:
        asked, found = [queries[one] for one in at], [side.found[one] for one in at]
        yield f"{hits(asked, found, 1)} / {hits(asked, found, LIMIT)}"


def _misses(queries: Sequence[Query], sides: Sequence[Side]) -> Iterator[str]:
    """Every question that one of them does not answer first, with the ranks of all."""
    yield f"| question | {' | '.join(side.name for side in sides)} |"
    yield "|---|" + "---|" * len(sides)
    for number, query in enumerate(queries):
        ranks = [rank(query, side.found[number]) for side in sides]
        if any(one != 1 for one in ranks):
            yield f"| {query.text} | {' | '.join(str(one or '-') for one in ranks)} |"
    yield ""


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 2:
        raise UsageError("python -m memdir.evals.basic_memory PYTHON SET")
    python, file = arguments
    dataset = vault_set.load(Path(file))
    cost.require()
    with tempfile.TemporaryDirectory(prefix="memdir-basic-memory-") as place:
        sides, same = compare(os.path.abspath(python), dataset, Path(place).resolve())
    sys.stdout.write("\n".join([*told(dataset, sides, same), ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
