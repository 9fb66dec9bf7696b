"""One recall: look at the files, open the index and the view by meaning, answer; by a scan where there is no index."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from memdir.app import recalled
from memdir.errors import MemdirError, Unusable
from memdir.index import scan
from memdir.recall import pipeline
from memdir.recall.evidence import Answer
from memdir.recall.pipeline import Question

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.recall.dense import Dense

FEW = 16  # passages that a recall gives a vector before it answers (10 ms each)


def recall(memory: "Memory", question: Question, fresh: bool) -> Answer:
    """As `Memory.recall` promises."""
    current, said = memory.freshen() if fresh else (True, [])
    try:
        dense = meaning(memory, verified=fresh and current) if question.mode in pipeline.SEMANTIC else None
        source = memory.open_reader(verified=fresh and current)
        answer = pipeline.recall(memory.vault, source, question, dense)
        told = said if current else [f"answered from the index as it is: {'; '.join(said)}"]
    except Unusable as error:
        with scan.throwaway(memory.vault, question.text) as source:
            answer = pipeline.recall(memory.vault, source, question)
        answer.source = "scan"
        told = [f"answered by a direct scan of the files: {'; '.join(said) or error}"]
    answer.notices[:0] = told
    recalled.note(memory, answer, question.mode)
    return answer


def meaning(memory: "Memory", *, verified: bool) -> "Callable[[str, Collection[int] | None], Dense] | None":
    """The view by meaning, opened once for an open index; None where the settings want none."""
    if memory.dense is None and memory.settings["embedder.kind"] != "none":
        from memdir.app import embedding
        from memdir.recall import dense

        try:
            memory.dense = embedding.source(memory, memory.open_reader(verified=verified))
            if memory.dense and verified and 0 < memory.dense.missing <= FEW:
                memory.top_up(FEW, local=True)
                memory.dense = embedding.source(memory, memory.open_reader(verified=verified))
        except Unusable:
            raise
        except MemdirError as error:
            said = f"{dense.OFF}: {error}"
            return lambda _question, _allowed: dense.Dense(notices=[said])
    return memory.dense
