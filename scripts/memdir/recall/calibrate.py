"""From a ranking to an answer that says how sure it is: what is near enough, graded evidence, or a declined answer.

A passage that shares no word with the question is shown only where its vector lies near enough. Reads the index, and
the best passages from their files.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memdir import text
from memdir.index import reader
from memdir.recall import asking, attributes, confidence, entities, evidence, fusion, telling
from memdir.recall.evidence import Answer

SHOWN = 200  # characters of a passage that tell its script


@dataclass(frozen=True, slots=True)
class Found:
    """What the answer to a question is made from. `hits`: the ranking; `fact`: whether a current fact answers; `count`:
    passages and turns in all."""

    words: reader.Words
    looks: Sequence[fusion.View]
    hits: Sequence[reader.Hit]
    voices: Sequence[str]
    fact: bool
    count: int


def near(hits: Sequence[reader.Hit], looks: Sequence[fusion.View], count: int) -> list[reader.Hit]:
    """The hits without what is far by every view: a passage for itself, turns where none of them is near, because a
    turn may stand there for the one beside it. `count`: passages and turns in all."""
    numbers = [hit.id for hit in hits]
    close: set[int] = set()
    for view in looks:
        if view.name == "words":
            close.update(view.best.keys() & numbers)
        else:
            least = confidence.least(view.model, view.mean, view.deviation, count)
            close.update(number for number, cosine in view.of(numbers).items() if cosine >= least)
    if len(close) == len(hits):
        return list(hits)
    spoken = any(hit.id in close for hit in hits if hit.kind == "turn")
    return [hit for hit in hits if hit.id in close or (hit.kind == "turn" and spoken)]


def judge(opened: evidence.Files, found: Found, answer: Answer, *, whole: bool = False) -> None:
    """Grade the evidence of an answer, or decline it: then its closest two pieces stay, as supporting; `whole`: all."""
    clauses = asking.clauses(answer.question)
    unsure = _unsure(found.words)
    unknown = {term for term, worth in unsure.items() if not worth}
    missing = []
    if unknown and entities.may_name(answer.question, unknown):
        missing = entities.missing(answer.question, lambda part: _mentions(part, unknown))
    named = len(entities.missing(answer.question, lambda _: False)) if missing else 1
    voice = found.voices[0] if len(found.voices) == 1 else ""
    asked = attributes.read(answer.question)
    terms = {term for parts in (*clauses, *(one.thing for one in asked)) for part in parts for term in part.terms}
    signals = confidence.signals(answer.question, clauses, asked, _held(opened, found, terms), unsure, voice=voice)
    nearest = _nearest(opened, found, answer.question)
    if found.fact or nearest:
        signals = signals._replace(fact=float(found.fact), **nearest)
    sure, request = confidence.answered(signals, len(missing) / max(named, 1)), asking.is_request(answer.question)
    if request:
        sure = max(sure, confidence.REQUEST)
    if answer.trace:
        told = {name: round(value, 4) for name, value in signals._asdict().items()}
        answer.trace["confidence"] = {**told, "request": float(request)}
    answer.confidence = sure if answer.evidence else 0.0
    answer.abstained, answer.missing = answer.confidence < confidence.DECLINE, missing
    scores = confidence.graded([one.score for one in answer.evidence], sure, found.count, declined=answer.abstained)
    kept = [
        one.graded(score, confidence.grade(score))
        for one, score in zip(answer.evidence, scores, strict=True)
        if score >= confidence.SUPPORTING
    ]
    answer.evidence = kept[: confidence.LEFT] if answer.abstained and not whole else kept


def _held(opened: evidence.Files, found: Found, asked: set[str]) -> list[telling.Held]:
    """What the best passages hold of the words asked for, as they stand in their files; what is gone is left out."""
    held, wanted = [], asked.union(*found.words.guessed.values())
    for hit in found.hits[: confidence.LOOKED]:
        passage = evidence.passage(opened, hit)
        if passage is None:
            continue
        around = evidence.labels(hit).every & wanted
        terms = (passage.where.keys() & wanted) | around
        alike = {word for word, close in found.words.guessed.items() if not terms.isdisjoint(close)}
        label = "\n".join((hit.name, hit.heading, *hit.aliases, *hit.tags, hit.date if hit.kind == "log" else ""))
        held.append(telling.Held(terms | alike, passage.lines, hit.speaker, passage.where, around | alike, label))
    return held


def _nearest(opened: evidence.Files, found: Found, question: str) -> dict[str, float]:
    """What the nearest passage by meaning tells; a turn tells nothing: all turns of a chat are near any question."""
    view = next((view for view in found.looks if view.name != "words" and view.best), None)
    best = next(iter(view.best)) if view else 0
    hit = next((hit for hit in found.hits if hit.id == best), None)
    if view is None or hit is None or hit.kind == "turn":
        return {}
    passage = evidence.passage(opened, hit)
    if passage is None:
        return {}
    return {
        "cosine": confidence.above_usual(view.model, view.best[best]),
        "foreign": float(asking.is_spaceless("\n".join(passage.lines)[:SHOWN]) != asking.is_spaceless(question)),
    }


def _unsure(words: reader.Words) -> dict[str, float]:
    """The terms of a question that the index does not know, with how well it does, 0 to 1. A term beyond those that
    were searched for counts as known."""
    unknown = set(words.terms).difference(*words.groups)
    guessed = {word for word in words.guessed if len(word) > confidence.SHORT}
    return {term: confidence.GUESSED if term in guessed else 0.0 for term in unknown}


def _mentions(part: str, unknown: set[str]) -> bool:
    """Whether anything mentions a part of a name, if only in another spelling."""
    terms = text.terms(part)
    return not terms or not unknown.issuperset(terms)
