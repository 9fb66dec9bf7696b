"""By which words a sentence of a person's says that it is to be remembered, and as what; and which say nothing.

A cue has a confidence: how sure it is by itself that the sentence will matter in another conversation. A wish about
the task at hand ("please use the new client here") has the words of a preference and none of its weight. English and
Chinese; pure functions, every pattern is bounded.
"""

import re
from typing import NamedTuple

from memdir.learn.spoken import moment
from memdir.learn.spoken import patterns as p

PREFERENCE, CORRECTION, CONTEXT, REFERENCE = "preference", "correction", "context", "reference"
DECISION, LOOP, PERSONAL, FACT = "decision", "loop", "personal", "fact"
TOLD = 140  # characters of a sentence that says where something is; a longer one says something else


class Cue(NamedTuple):
    """A kind and how sure it is."""

    kind: str
    confidence: float


def lead(sentence: str) -> str:
    """A sentence without the words that only lead up to it; the first letter stays as it was."""
    bare = p.LEAD.sub("", sentence.strip()).strip()
    return bare or sentence.strip()


def silent(sentence: str) -> str:
    """Why a sentence is no statement of the person's own, "" where it is one."""
    if p.ASKS.search(sentence):
        return "asks"
    if p.SUPPOSES.search(sentence):
        return "supposes"
    if p.LEAVES.search(sentence):
        return "gives leave to act unasked"
    return "tells what others say" if p.TELLS.search(sentence) or p.NAMES_ONLY.search(sentence) else ""


def task(sentence: str) -> bool:
    """Whether a sentence only says what is to be done now."""
    return bool(p.TASK.search(sentence)) and not (p.GENERAL.search(sentence) or p.STYLE.search(sentence))


def correction(sentence: str) -> Cue | None:
    """What was wrong; nothing where it is over with the turn."""
    return None if moment.alone(sentence) else _first(CORRECTION, p.CORRECTIONS, sentence)


def decision(sentence: str) -> Cue | None:
    """What was decided and holds for longer than the moment."""
    return None if moment.alone(sentence) else _first(DECISION, p.DECISIONS, sentence)


def loop(sentence: str) -> Cue | None:
    """What is still to be done, and what was promised; an intention counts where it says when."""
    found = _first(LOOP, p.LOOPS, sentence)
    if (found is None or found.confidence < 0.6) and p.OWED_SOON.search(sentence) and p.SOON.search(sentence):
        return Cue(LOOP, 0.7)
    return found


def preference(sentence: str) -> Cue | None:
    """A taste or a habit; a wish counts for more where it is meant in general."""
    if moment.alone(sentence):
        return None
    found = _first(PREFERENCE, p.PREFERENCES, sentence)
    return Cue(PREFERENCE, 0.75) if found and found.confidence < 0.6 and p.GENERAL.search(sentence) else found


def personal(sentence: str) -> Cue | None:
    return _first(PERSONAL, p.PERSONAL, sentence)


def reference(sentence: str) -> Cue | None:
    """Where an external system is: its address, or its name and what it is for."""
    if url := p.URL.search(sentence):
        around = sentence[: url.start()] + sentence[url.end() :]
        said = p.LIES.search(around) and 3 <= len(around.strip(" .。:：")) <= TOLD and "](" not in sentence
        return Cue(REFERENCE, 0.8 if said else 0.5)
    named = len(sentence) <= TOLD and p.SYSTEM.search(sentence) and p.LIES.search(sentence)
    return Cue(REFERENCE, 0.7) if named else None


def context(sentence: str) -> Cue | None:
    """What a project is, has, uses and is bound to; not how it happens to stand."""
    return None if p.PASSING.search(sentence) else _first(CONTEXT, p.CONTEXTS, sentence)


def _first(kind: str, cues: tuple[tuple[float, re.Pattern[str]], ...], sentence: str) -> Cue | None:
    """The surest of the cues that a sentence has."""
    return next((Cue(kind, sure) for sure, pattern in cues if pattern.search(sentence)), None)
