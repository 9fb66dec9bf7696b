"""What a capture is asked for and what it gives, as values."""

from dataclasses import dataclass, field

from memdir.learn.items import Dropped


@dataclass(frozen=True, slots=True)
class Asked:
    """What to capture. `source`: what the transcript comes from; `scope`: of new conversations; `model`: ask the one
    that is configured; `again`: also turns that were read before."""

    source: str = ""
    scope: str = ""
    model: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """One memory, in the words of the person, or a fact as its note has it. `waits`: in the inbox, for a word."""

    kind: str
    text: str
    confidence: float
    source: str
    waits: bool = False


@dataclass(slots=True)
class Captured:
    """What a capture did or, in a dry run, would do (`diff`). `turns`: of the person that were read for the first time;
    `notes`: path → lines that are new there; `proposed`: files of the inbox; `dropped`: what was left out, and why."""

    run: str = ""
    sessions: int = 0
    turns: int = 0
    taken: list[Taken] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)
    proposed: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    changed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""
