"""memdir itself as a store: a vault made in a temporary folder, asked through `Memory`."""

import io
import json
import os
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memdir import text
from memdir.app import vaults
from memdir.app.memory import Memory
from memdir.errors import MemdirError, UsageError
from memdir.evals.baseline import Baseline
from memdir.evals.dataset import Corpus, Place, Query, Turn
from memdir.evals.retrieval import Asked, Found, Make
from memdir.index.drain import Limits
from memdir.index.filters import Filters
from memdir.index.sync import Options
from memdir.recall.evidence import Answer, Evidence
from memdir.recall.question import Question


class Vault:
    """A corpus of notes. `config`: settings of memdir by name, over those of the set."""

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config = config
        self.place = tempfile.TemporaryDirectory(prefix="vault-")
        self.moment = ""  # of the question that is asked
        self.memory: Memory | None = None

    def build(self, corpus: Corpus) -> None:
        root = Path(self.place.name).resolve()
        vaults.init(root, adopt=False)
        self.memory = Memory(root, now=self._now, options={**corpus.settings, **self.config})
        self.fill(self.memory, root, corpus)
        self.memory.sync(Options())
        self.memory.drain(Limits())

    def fill(self, memory: Memory, root: Path, corpus: Corpus) -> None:
        """Write the files as they stand in the set."""
        for note in corpus.notes:
            path = root / note.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(note.text.encode())
            if note.mtime:
                seconds = datetime.fromisoformat(note.mtime).timestamp()
                os.utime(path, (seconds, seconds))

    def ask(self, query: Query, k: int) -> Asked:
        return self._asked(_question(query, k), query.moment)[0]

    def told(self, query: Query, k: int) -> tuple[Asked, dict[str, float]]:
        """As `ask`, and by which signals it is judged whether the question is answered."""
        asked, answer = self._asked(_question(query, k)._replace(trace=True), query.moment)
        return asked, answer.trace["confidence"]

    def _asked(self, question: Question, moment: str) -> tuple[Asked, Answer]:
        if self.memory is None:
            raise UsageError("the store was not built")
        self.moment = moment
        began = time.perf_counter()
        answer = self.memory.recall(question, fresh=False)
        seconds = time.perf_counter() - began
        if answer.source != "index":
            raise MemdirError(f"recall answered without the index: {'; '.join(answer.notices)}")
        found = tuple(Found(self.where(one), one.score) for one in answer.evidence)
        asked = Asked(found, _declined(answer), _confidence(answer), sum(map(_tokens, answer.evidence)), seconds)
        return asked, answer

    def where(self, one: Evidence) -> Place:
        """The place that a piece of evidence quotes."""
        return Place(one.path, one.line, one.last)

    def close(self) -> None:
        if self.memory:
            self.memory.close()
        self.place.cleanup()

    def _now(self) -> datetime:
        return datetime.fromisoformat(self.moment).astimezone() if self.moment else datetime.now().astimezone()


class Conversations(Vault):
    """A corpus of turns, as sessions of a vault."""

    def fill(self, memory: Memory, root: Path, corpus: Corpus) -> None:
        """Ingest the turns; each is known by its id."""
        lines = [json.dumps(_line(turn), ensure_ascii=False) for turn in corpus.turns]
        memory.ingest(io.BytesIO("\n".join(lines).encode()), source="eval")

    def where(self, one: Evidence) -> Place:
        return Place(one.turn)

    def signals(self, query: Query, k: int) -> list[tuple[str, tuple[float, ...]]]:
        """Turn by turn what the second look of a recall sees."""
        if self.memory is None:
            raise UsageError("the store was not built")
        return self.memory.signals(_question(query, k))


def _line(turn: Turn) -> dict[str, str]:
    shown = f"{turn.text} [photo: {turn.caption}]" if turn.caption else turn.text
    return {
        "session_id": turn.session, "speaker": turn.speaker, "text": shown, "ts": turn.ts, "uuid": turn.id,
    }  # fmt: skip


# What recall takes and gives; the only lines that know its form.


def _question(query: Query, k: int) -> Question:
    return Question(query.text, Filters(), k, as_of=query.as_of, whole=True)


def _declined(answer: Answer) -> bool:
    return answer.abstained


def _confidence(answer: Answer) -> float:
    return answer.confidence


def _tokens(one: Evidence) -> int:
    return text.token_count(f"{one.path}:{one.at} {one.heading} {one.quote}")


# Name → form of a set → how a store for it is made; the first that has the form is the default.
STORES: dict[str, dict[str, Make]] = {
    "memdir": {"turns": Conversations, "vault": Vault},
    "fts5": {"turns": Baseline, "vault": Baseline},
}


def choose(form: str, name: str = "") -> tuple[str, Make]:
    """The store of a name, or the default, for a form of set. Raises UsageError."""
    fitting = {one: makes[form] for one, makes in STORES.items() if form in makes}
    if name and name not in fitting:
        raise UsageError(f"no store {name!r} for a set of this form: {', '.join(fitting)}")
    chosen = name or next(iter(fitting))
    return chosen, fitting[chosen]
