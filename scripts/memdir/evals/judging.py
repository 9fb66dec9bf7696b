"""The word of a person or a model on what came for the messages of a sample, one message at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memdir.app.memory import Memory
from memdir.app.own import LEAST, Message, Sample
from memdir.errors import ModelError, NotFound, UsageError
from memdir.evals import own
from memdir.evals.own import Came, Progress

PERSON, MODEL = "person", "model"


@dataclass(slots=True)
class Next:
    """What is to be judged next: a message and what came for it, best first. `message` None: nothing is open."""

    message: Message | None = None
    came: list[Came] = field(default_factory=list)
    judged: int = 0
    left: int = 0
    notices: list[str] = field(default_factory=list)


def by_person(memory: Memory, message: str, word: str, progress: Progress | None = None) -> Next:
    """Take a word on a message, where there is one, and show the next. Raises NotFound, UsageError."""
    sample = _sample(memory, message)
    came = own.came(memory, sample, progress)
    if word:
        shown = [one.id for one in came[message]]
        memory.judge(message, [shown[place] for place in _meant(word, len(shown))], shown, PERSON)
        sample = _sample(memory, "")
        came = own.came(memory, sample, progress)
    left = sample.open
    one = next((one for one in sample.messages if one.id == message), None) if message and not word else None
    one = one or (left[0] if left else None)
    return Next(one, came[one.id] if one else [], len(sample.verdicts), len(left))


def by_model(memory: Memory, progress: Progress | None = None) -> Next:
    """Let the model judge all that is open; what it does not answer stays open. Raises NotFound."""
    sample = _sample(memory, "")
    came = own.came(memory, sample, progress)
    notices: list[str] = []
    for one in sample.open:
        shown = came[one.id]
        try:
            places = (
                memory.judged_by_model(one.text, [f"{piece.about}\n{piece.quote}" for piece in shown]) if shown else []
            )
        except ModelError as error:
            notices.append(str(error))
            break
        memory.judge(one.id, [shown[place].id for place in places], [piece.id for piece in shown], MODEL)
    sample = _sample(memory, "")
    left = sample.open
    return Next(left[0] if left else None, came[left[0].id] if left else [], len(sample.verdicts), len(left), notices)


def _sample(memory: Memory, message: str) -> Sample:
    """The sample that holds a message; without one the first with something open, else the last. Raises NotFound."""
    memory.draw()
    held = memory.samples()
    if not held.held:
        raise NotFound(f"{len(held.waiting)} messages need memory so far; the first sample is drawn from {LEAST} on")
    if message:
        found = next((one for one in held.held if any(each.id == message for each in one.messages)), None)
        if found is None:
            raise NotFound(f"no message {message!r} in a sample")
        return found
    return next((one for one in held.held if one.open), held.held[-1])


def _meant(word: str, count: int) -> Sequence[int]:
    """The places, from 0, that a word means. Raises UsageError."""
    low = word.strip().lower()
    if low in ("n", "no", "none", "0"):
        return []
    if low in ("y", "yes") and count:
        return [0]
    numbers = [int(one) for one in re.findall(r"\d+", low)] if re.fullmatch(r"\d+(?:[ ,]+\d+)*", low) else []
    if not numbers or not all(0 < one <= count for one in numbers):
        raise UsageError(f"{word!r}: say y, n, or numbers from 1 to {count}, as in 1,3")
    return list(dict.fromkeys(one - 1 for one in numbers))
