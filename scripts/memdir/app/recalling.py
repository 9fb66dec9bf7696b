"""One recall: look at the files, open the index and the view by meaning, answer; by a scan where there is no index."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memdir.app import absent, recalled, scopes
from memdir.errors import MemdirError, NotFound, Unusable
from memdir.index import scan
from memdir.index.reader import Reader
from memdir.ingest import recent
from memdir.recall import pipeline, query_help, rank, ranking, rerank, times
from memdir.recall.evidence import Answer
from memdir.recall.question import LINKED, Also, Question
from memdir.recall.views import Meaning

if TYPE_CHECKING:
    from memdir.app.memory import Memory

# Weights beside the question of a likely answer (by meaning alone) and of another wording, both from a model.
HYDE, WORDING = 0.5, 0.3
SIGNALS = rank.Signals._fields  # names of what `signals` gives
TRIES = 3  # times that an index is opened anew because another memdir has written it meanwhile


def recall(memory: "Memory", question: Question, fresh: bool) -> Answer:
    """As `Memory.recall` promises."""
    now = question.now or memory.clock.now()
    filters = scopes.inside(question.filters, memory.settings)
    question = question._replace(filters=filters, now=now, as_of=times.day(question.as_of, now))
    help = query_help.begun(
        memory.settings,
        question.text,
        marker_key=lambda: memory.marker_key,
        paid=memory.paid,
        hyde=question.hyde,
    )

    def also() -> list[Also]:
        weight = memory.settings["recall.recent_weight"]
        newest = recent.messages(question.recent)[::-1][: memory.settings["recall.recent"]]
        return [
            *(Also(said, weight) for said in newest),
            *(Also(passage, HYDE, words=False) for passage in help.passages()),
            *(Also(wording, WORDING) for wording in help.queries()),
        ]

    beside = also if question.recent or help else None
    current, said = memory.freshen() if fresh else (True, [])
    try:
        answer = _from_index(memory, question, beside, verified=fresh and current)
        told = said if current else [f"answered from the index as it is: {'; '.join(said)}"]
    except Unusable as error:
        with scan.throwaway(memory.vault, question.text) as source:
            answer = pipeline.recall(memory.vault, source, _within_one(source, question), None, beside)
        answer.source = "scan"
        told = [f"answered by a direct scan of the files: {'; '.join(said) or error}"]
    answer.notices[:0] = told
    if not answer.evidence:
        answer.notices += absent.why(memory, question.filters)
    answer.notices += help.notices()
    answer.evidence, said = rerank.reranked(
        memory.settings,
        question.text,
        answer.evidence,
        marker_key=lambda: memory.marker_key,
        paid=memory.paid,
    )
    answer.notices += said
    recalled.note(memory, answer, question.mode)
    return answer


def _within_one(source: Reader, question: Question, *, whole: bool = False) -> Question:
    """The question with the whole id of the conversation that it is asked within. `whole`: the index holds all of them.
    Raises Conflict, NotFound."""
    begun = question.filters.session
    if not begun:
        return question
    from memdir.app.talk import sessions

    id_ = sessions.begun(source.rows, begun)
    if whole and not source.rows("SELECT 1 FROM sessions WHERE id = ? LIMIT 1", [id_]):
        raise NotFound(f"no session {begun!r}; `memdir sessions list` shows them")
    filters = replace(question.filters, session=id_)
    return question._replace(filters=filters)


def _from_index(
    memory: "Memory", question: Question, beside: Callable[[], Sequence[Also]] | None, *, verified: bool
) -> Answer:
    """The answer of an open index. One that another memdir has written meanwhile is opened anew: what was found by its
    words would be looked up among other passages. Raises Unusable."""
    strength = memory.strength() if question.mode in LINKED else None
    for _ in range(TRIES):
        near = None if question.mode == "keyword" else meaning(memory, verified=verified)
        source = memory.open_reader(verified=verified)
        answer = pipeline.recall(
            memory.vault, source, _within_one(source, question, whole=verified), near, beside, strength
        )
        if not source.moved():
            return answer
        memory.drop_reader()
        verified = False
    raise Unusable("the index is being written by another memdir")


def signals(memory: "Memory", question: Question) -> list[tuple[str, tuple[float, ...]]]:
    """As `Memory.signals` promises."""
    near = meaning(memory, verified=False)
    found = ranking.signals(memory.vault, memory.open_reader(verified=False), question, near)
    return [(turn, tuple(one)) for turn, one in found]


def meaning(memory: "Memory", *, verified: bool) -> Meaning | None:
    """The view by meaning, opened once for an open index; None where the settings want none."""
    if memory.dense is None and memory.settings["embedder.kind"] != "none":
        from memdir.app.keeping import embedding
        from memdir.recall import dense

        try:
            memory.dense = embedding.source(memory, memory.open_reader(verified=verified))
            if memory.dense and verified and 0 < memory.dense.missing <= embedding.FEW:
                memory.top_up(embedding.PATIENCE, local=True)
                # Where vectors were made the index was opened anew; where there was nothing to do it is as it was.
                memory.dense = memory.dense or embedding.source(memory, memory.open_reader(verified=verified))
        except Unusable:
            raise
        except MemdirError as error:
            said = f"{dense.OFF}: {error}"
            return lambda _question, _allowed: dense.Dense(notices=[said])
    return memory.dense
