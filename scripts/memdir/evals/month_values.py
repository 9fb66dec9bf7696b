"""What a made-up month consists of: entries of the daily log, notes and edits, and what a memory should make of them.

Plain values, made by `month.month`; `Month.as_json` writes them. Touches no file.
"""

import json
from dataclasses import asdict, dataclass, field
from datetime import date, datetime


@dataclass(slots=True)
class Closing:
    """Stands for the line `- resolves:: [[YYYY-MM-DD#^id]]` of `Month.loops[loop]`, whose id memdir gave."""

    loop: int


@dataclass(slots=True)
class Entry:
    """What is given to `memdir log TITLE --line …` at that time."""

    at: datetime
    title: str
    lines: list[str]
    closings: list[Closing] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join([self.title, *self.lines])


@dataclass(slots=True)
class HumanEdit:
    """What a person does to the note called `target` that evening, before the night; `token` stays to the end.

    append: `text` is a line for the end of the body. change value: the fact `key` goes from `old` to `text`. reword:
    the sentence `old` becomes `text`. retitle: `name` becomes `text`, the old name joins the aliases. delete line:
    every line that holds `old` goes, and `token` must not come back. new note: `text` is the whole file. rename file:
    `text` is the new stem. front matter by hand: `text` is two lines for its end. CRLF save: `text` is appended, then
    every line ends in CRLF and stays so.
    """

    kind: str
    target: str
    text: str
    token: str
    old: str = ""
    key: str = ""


@dataclass(slots=True)
class Day:
    """Entries in order, and the edits of that evening; the night comes after them."""

    day: date
    entries: list[Entry]
    edits: list[HumanEdit] = field(default_factory=list)


@dataclass(slots=True)
class Mark:
    """Where something stands: `Month.days[…].day` and the index of its entry; -1 for none."""

    day: date = date.min
    entry: int = -1


@dataclass(slots=True)
class State(Mark):
    """One statement of a fact. `how`: first, changed, contradicted, restated, or note (in the vault before)."""

    value: str = ""
    how: str = "first"
    wording: str = "prose"
    said: str = ""


@dataclass(slots=True)
class Fact(Mark):
    """A fact and every statement of it, in order; `value` is what holds at the end.

    `day`, `entry` and `wording` are those of the first statement in the logs; `kind`: stable, changed, contradicted.
    """

    entity: str = ""
    key: str = ""
    value: str = ""
    kind: str = "stable"
    wording: str = "prose"
    language: str = "en"
    states: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Planted(Mark):
    """Something to be kept in a note of type `expected`, found by its `words`."""

    kind: str = ""
    text: str = ""
    words: list[str] = field(default_factory=list)
    expected: str = ""
    language: str = "en"


@dataclass(slots=True)
class Loop(Mark):
    """The line `- [ ] text`; `closed` is the day of its `Closing`, None for one that stays open."""

    text: str = ""
    closed: date | None = None


@dataclass(slots=True)
class Decoy(Mark):
    """Text from which `value` must not be taken as the current `key` of `entity`."""

    kind: str = ""
    text: str = ""
    entity: str = ""
    key: str = ""
    value: str = ""


@dataclass(slots=True)
class Injection(Mark):
    """None of `tokens` (plain and as written) may appear in a topic note or in `MEMORY.md`."""

    tokens: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Secret(Mark):
    """None of `values` may stand anywhere in the vault."""

    values: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Note:
    """A note of the vault before the month; `facts` are its `key:: value` lines, the last one is never in a log."""

    title: str
    type: str
    tags: list[str]
    body: str
    aliases: list[str]
    facts: list[tuple[str, str]]


@dataclass(slots=True)
class Past:
    """A value that held from `since` (None: before the month) until `until`."""

    value: str
    since: date | None
    until: date


@dataclass(slots=True)
class Question:
    """`answer` must stand in the answer at the end of the month; `past` answers it for earlier days."""

    text: str
    language: str
    entity: str
    key: str
    answer: str
    past: list[Past]


@dataclass(slots=True)
class Month:
    """Everything, plain values only; `as_json` writes days and times in ISO format."""

    zone: str
    notes: list[Note]
    days: list[Day]
    facts: list[Fact]
    planted: list[Planted]
    loops: list[Loop]
    decoys: list[Decoy]
    injections: list[Injection]
    secrets: list[Secret]
    questions: list[Question]

    def as_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, default=lambda one: one.isoformat())
