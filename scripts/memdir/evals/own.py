"""A vault's own messages asked again: of the vault as it was when they were said, and of the vault as it is now.

`memdir.app.own` says which messages, and what a person or a model found of use in what came. For each, the files of
that moment are put together from files, ledger and history in a temporary folder that goes from one moment to the next,
so that an index is made once and then grows. What came is kept in the cache folder, to be judged one by one.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import memdir
from memdir.app.memory import Memory
from memdir.app.own import LEAST, Message, Sample
from memdir.errors import NotFound
from memdir.evals import metrics
from memdir.index.drain import Limits
from memdir.index.filters import Filters
from memdir.recall.question import Question

if TYPE_CHECKING:
    from memdir.app.then import Past
    from memdir.recall.evidence import Evidence

KS = (1, 5, 10)
SHOWN = (*(f"any@{k}" for k in KS), *(f"share@{k}" for k in KS), "MRR")
FOLDER = "own"  # in the cache folder of the vault
QUOTE = 400  # characters of a memory that a judge sees
DEFINITIONS = {
    "message": "a turn of the person that needs memory by the gate, drawn into a sample",
    "useful": "a memory that a person or a model found of use in what came when the message was judged",
    "then": "asked of the vault as it was when the message was said, without its own conversation",
    "now": "asked of the vault as it is; moved, archived and merged files are followed, what is gone counts as missed",
    "any@k": "share of the messages with something useful for which some of it is among the first k",
    "share@k": "mean share of the useful memories among the first k",
    "MRR": "mean of 1 / rank of the first useful memory, 0 where none came",
}
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Came:
    """A memory that came for a message: `path:line` as it was then, and what a judge sees of it."""

    id: str
    about: str
    quote: str


class Rewound:
    """A vault in a temporary folder that is brought to one moment after another."""

    def __init__(self, memory: Memory, place: Path) -> None:
        self.past: Past = memory.past()
        self.root = place / "vault"
        self.root.mkdir()
        self.moment = datetime.now().astimezone()
        self.held: dict[str, bytes] = {}
        self.unsure: set[str] = set()
        self.config = {"index_dir": os.fspath(place / "index"), "recall.log": "0"}
        self.memory: Memory | None = None

    def to(self, ts: str) -> Memory:
        """The vault as it was at a moment, its index made."""
        self.moment = datetime.fromisoformat(ts).astimezone()
        tree = self.past.at(self.moment.timestamp())
        self.unsure.update(tree.unsure)
        gone = self.held.keys() - tree.files.keys()
        for path in gone:
            (self.root / path).unlink()
        for path, data in tree.files.items():
            if self.held.get(path) != data:
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).write_bytes(data)
                os.utime(self.root / path, (self.moment.timestamp(),) * 2)
        self.held = tree.files
        if self.memory is None:
            self.memory = Memory(self.root, now=lambda: self.moment, options=self.config)
        self.memory.freshen(wait=None, most=None, meant=gone)
        if self.memory.settings["embedder.kind"] != "none":
            self.memory.drain(Limits())
        return self.memory

    def close(self) -> None:
        if self.memory:
            self.memory.close()


@contextmanager
def rewound(memory: Memory) -> Iterator[Rewound]:
    with tempfile.TemporaryDirectory(prefix="memdir-then-", ignore_cleanup_errors=True) as place:
        held = Rewound(memory, Path(place).resolve())
        try:
            yield held
        finally:
            held.close()


def came(memory: Memory, sample: Sample, progress: Progress | None = None) -> dict[str, list[Came]]:
    """Message → what came for it of the vault as it was then, best first; kept in the cache folder, because a judge
    asks for one message at a time."""
    path = memory.vault.place / FOLDER / f"{sample.day}.json"
    kept = _kept(path)
    if kept.keys() >= {one.id for one in sample.messages}:
        return kept
    with rewound(memory) as vault:
        for number, one in enumerate(sample.messages, 1):
            kept[one.id] = [_came(piece) for piece in _asked(vault.to(one.ts), one)]
            if progress:
                progress(number, len(sample.messages))
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    held = {id_: [asdict(piece) for piece in pieces] for id_, pieces in kept.items()}
    path.write_text(json.dumps({"memdir": memdir.__version__, "came": held}, ensure_ascii=False), encoding="utf-8")
    return kept


def _kept(path: Path) -> dict[str, list[Came]]:
    try:
        held = json.loads(path.read_text("utf-8"))
        if held["memdir"] != memdir.__version__:
            return {}
        return {id_: [Came(**piece) for piece in pieces] for id_, pieces in held["came"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _asked(memory: Memory, one: Message) -> "list[Evidence]":
    asked = Question(one.question, Filters(scope=one.scope or None, not_session=one.session), max(KS))
    answer = memory.recall(asked, fresh=False)
    return [] if answer.abstained else list(answer.evidence)


def _came(piece: "Evidence") -> Came:
    about = " · ".join(dict.fromkeys(part for part in (piece.name, piece.heading, piece.date) if part))
    return Came(f"{piece.path}:{piece.at}", about, piece.quote[:QUOTE])


# --- the report ------------------------------------------------------------------------------------------


def measure(memory: Memory, progress: Progress | None = None) -> dict[str, Any]:
    """A report as one document of plain values; draws a further sample first where one is due.

    Raises NotFound where there are too few messages for a first one.
    """
    drawn = memory.draw()
    held = memory.samples()
    if not held.held:
        raise NotFound(
            f"{len(held.waiting)} messages need memory so far; the first sample is drawn from {LEAST} on: hooks or "
            "`memdir import` bring conversations in"
        )
    judged = [(sample, one) for sample in held.held for one in sample.messages if one.id in sample.verdicts]
    wanted = [(sample, one) for sample, one in judged if sample.verdicts[one.id].useful]
    wanted.sort(key=lambda pair: datetime.fromisoformat(pair[1].ts).timestamp())
    then: list[metrics.Ranks] = []
    now: list[metrics.Ranks] = []
    with rewound(memory) as vault, unlogged(memory):
        for number, (sample, one) in enumerate(wanted, 1):
            useful = sample.verdicts[one.id].useful
            then.append(_ranks(useful, _asked(vault.to(one.ts), one)))
            now.append(_ranks([_now(vault.past, id_) for id_ in useful], _asked(memory, one)))
            if progress:
                progress(number, len(wanted))
        unsure = sorted(vault.unsure)
    return {
        "memdir": memdir.__version__,
        "samples": [_told(sample) for sample in held.held],
        "drawn": drawn.day if drawn else "",
        "due": held.due,
        "waiting": len(held.waiting),
        "judged": len(judged),
        "useful": len(wanted),
        "unsure": unsure,
        "definitions": DEFINITIONS,
        "figures": {"then": _figures(then), "now": _figures(now)},
        "rows": [
            {
                "message": one.id,
                "ts": one.ts,
                "useful": list(sample.verdicts[one.id].useful),
                "then": _shown(a),
                "now": _shown(b),
            }
            for (sample, one), a, b in zip(wanted, then, now, strict=True)
        ],
    }


@contextmanager
def unlogged(memory: Memory) -> Iterator[None]:
    """The recalls of a replay are nobody's."""
    before = memory.settings["recall.log"]
    memory.settings.put("recall.log", 0, "replay")
    try:
        yield
    finally:
        memory.settings.put("recall.log", before, "replay")


def _told(sample: Sample) -> dict[str, Any]:
    by = [verdict.by for verdict in sample.verdicts.values()]
    return {
        "day": sample.day,
        "messages": len(sample.messages),
        "gone": sample.gone,
        "judged": len(by),
        "by_model": sum(one == "model" for one in by),
        "open": len(sample.open),
    }


def _now(past: "Past", id_: str) -> str:
    path, _, line = id_.rpartition(":")
    return f"{past.follow(path)}:{line}"


def _ranks(useful: Sequence[str], found: "Sequence[Evidence]") -> metrics.Ranks:
    """The rank of each useful memory, from 0; None for one that did not come. A note is known by its file, an entry of
    a log and a turn by a line that is quoted."""
    return tuple(next((rank for rank, one in enumerate(found) if _is(id_, one)), None) for id_ in useful)


def _is(id_: str, one: "Evidence") -> bool:
    path, _, line = id_.rpartition(":")
    if path != one.path:
        return False
    return one.kind not in ("log", "turn") or one.line <= int(line) <= one.last


def _figures(rows: Sequence[metrics.Ranks]) -> dict[str, float]:
    if not rows:
        return {}
    said = {f"any@{k}": fmean(metrics.any_at(one, k) for one in rows) for k in KS}
    said |= {f"share@{k}": fmean(metrics.share_at(one, k) for one in rows) for k in KS}
    said["MRR"] = fmean(map(metrics.reciprocal, rows))
    return {name: round(value, 4) for name, value in said.items()}


def _shown(ranks: metrics.Ranks) -> list[int | None]:
    return [None if rank is None else rank + 1 for rank in ranks]
