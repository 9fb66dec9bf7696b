"""Samples of real messages, and what was judged of the memories that they brought: `feedback` events in the ledger.

A message is a turn of the person in a session file that, by the gate, needs memory. From 40 fresh ones on, 14 days
after the last, a sample of 50 is drawn, spread evenly over time. The ledger names turns and memories, never their
words: what is forgotten is forgotten here too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memdir.app import runs
from memdir.errors import NotFound, UsageError
from memdir.recall import gate
from memdir.vault import layout, ledger, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

OP = "feedback"
LEAST, MOST = 40, 50  # messages of a sample
DAYS = 14  # between two samples
SPEAKERS = ("user", "human")


@dataclass(frozen=True, slots=True)
class Message:
    """A turn that was sampled. `id`: `SOURCE:CONVERSATION^t12`; `text` as the file has it; `ts`: ISO 8601."""

    id: str
    session: str
    ts: str
    text: str
    scope: str = ""

    @property
    def question(self) -> str:
        return gate.question(self.text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was judged of a message: the memories that were of use, `path:line` of that time, of those `shown`; `by` a
    person or a model."""

    message: str
    useful: tuple[str, ...]
    shown: tuple[str, ...]
    by: str
    ts: str = ""


@dataclass(slots=True)
class Sample:
    """`day`: when it was drawn; `gone`: messages that are not there any more."""

    day: str
    messages: list[Message] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    gone: int = 0

    @property
    def open(self) -> list[Message]:
        """The messages that nobody has judged yet."""
        return [one for one in self.messages if one.id not in self.verdicts]


@dataclass(slots=True)
class Samples:
    """Every sample, oldest first. `waiting`: messages that no sample holds; `due`: the day from which on a further one
    may be drawn, "" for the first."""

    held: list[Sample] = field(default_factory=list)
    waiting: list[Message] = field(default_factory=list)
    due: str = ""


def samples(memory: "Memory") -> Samples:
    """What was drawn and judged so far, and what waits."""
    every = {one.id: one for one in _messages(memory)}
    found = Samples()
    taken: set[str] = set()
    for event in _standing(memory):
        ids = event.more.get("messages")
        if isinstance(ids, list):
            day = str(event.more.get("sample", event.ts[:10]))
            kept = [every[one] for one in ids if one in every]
            found.held.append(Sample(day, kept, gone=len(ids) - len(kept)))
            taken.update(map(str, ids))
        elif isinstance(message := event.more.get("message"), str):
            verdict = Verdict(message, _ids(event, "useful"), _ids(event, "shown"), event.by, event.ts)
            for sample in found.held:
                if any(one.id == message for one in sample.messages):
                    sample.verdicts[message] = verdict
    found.waiting = [one for one in every.values() if one.id not in taken]
    if found.held:
        found.due = f"{datetime.fromisoformat(found.held[-1].day) + timedelta(days=DAYS):%Y-%m-%d}"
    return found


def _standing(memory: "Memory") -> Iterable[ledger.Event]:
    """The events that no undo took back."""
    events = memory.ledger.of(OP, "undone")
    back = runs.taken_back({one.run: str(one.more.get("of", "")) for one in events if one.op == "undone"})
    return [one for one in events if one.op == OP and one.run not in back]


def _ids(event: ledger.Event, name: str) -> tuple[str, ...]:
    held = event.more.get(name)
    return tuple(map(str, held)) if isinstance(held, list) else ()


def _messages(memory: "Memory") -> Iterable[Message]:
    """The messages of the person that need memory, by time; what is said twice in a conversation once."""
    found: list[Message] = []
    listing = memory.root.walk(layout.Rules(own=False).skip)
    for entry in listing.entries:
        if layout.kind_of(entry.path) != "session":
            continue
        held = session.parse(entry.path, memory.root.read(entry.path).data)
        said: set[str] = set()
        for turn in held.turns:
            if turn.speaker.lower() not in SPEAKERS or not turn.ts or turn.text in said:
                continue
            said.add(turn.text)
            if gate.decide(turn.text).kind == "memory":
                found.append(
                    Message(f"{held.source}:{held.id}^t{turn.number}", held.id, turn.ts, turn.text, held.scope)
                )
    return sorted(found, key=lambda one: (session.instant(one.ts), one.id))


@runs.verb
def draw(memory: "Memory", dry_run: bool) -> Sample | None:
    """A further sample, where there are messages enough and the last is old enough; else None."""
    now = f"{memory.clock.now():%Y-%m-%d}"
    held = samples(memory)
    if len(held.waiting) < LEAST or now < held.due:
        return None
    count = min(MOST, len(held.waiting))
    step = len(held.waiting) / count
    picked = [held.waiting[int(number * step)] for number in range(count)]
    if not dry_run and memory.run:
        runs.note(memory, ledger.Event(OP, more={"sample": now, "messages": [one.id for one in picked]}))
    return Sample(now, picked)


@runs.verb
def judge(memory: "Memory", message: str, useful: Sequence[str], shown: Sequence[str], by: str) -> Verdict:
    """Record what of `shown` was of use to a message. A later word on the same message replaces this one.
    Raises NotFound, UsageError."""
    if not any(one.id == message for sample in samples(memory).held for one in sample.messages):
        raise NotFound(f"no message {message!r} in a sample")
    if odd := [one for one in useful if one not in shown]:
        raise UsageError(f"{odd[0]} is none of those that came")
    more: dict[str, Any] = {"message": message, "useful": list(useful), "shown": list(shown)}
    if memory.run:
        runs.note(memory, ledger.Event(OP, by=by, more=more))
    return Verdict(message, tuple(useful), tuple(shown), by, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
