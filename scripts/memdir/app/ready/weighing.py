"""What of the memories that were found an agent is shown, and in which order: what tells stands before what only asks,
and what memdir wrote for the record stays out. For questions about the user, what is known of them comes first."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from memdir.app import waiting
from memdir.index.filters import Filters, marks
from memdir.recall import evidence, fenced, personal
from memdir.recall.evidence import Evidence
from memdir.text import terms
from memdir.vault import log, names

if TYPE_CHECKING:
    from memdir.index.reader import Reader

OPEN = 12  # open loops, newest first
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
PRIMARY = "primary"
_KEPT = re.compile(r"- \[(?: |decision)\] ")  # a line of a capture that stands nowhere else
_TOLD = re.compile(r"- (?:asked|then|decided|open): (.*)")  # a line of an episode
_EPISODE = re.compile(r"- source:: \[\[([^\[\]#]+)#\^t\d+\]\] to \^t\d+$")


def weighed(
    opened: evidence.Files, found: Sequence[Evidence], message: str, is_over: Callable[[str, str], bool]
) -> list[Evidence]:
    """What is worth showing: the best feedback, then what tells, then what only asks or holds no more. `is_over`:
    whether that is so of a text said then."""
    told = {names.fold(one.path.rpartition("/")[2].removesuffix(".md")) for one in found if one.session}
    ways, first, behind = list[Evidence](), list[Evidence](), list[Evidence]()
    for one in found:
        if one.kind == "note" and one.type == "feedback":
            if kept := _in_force(one, is_over):
                (ways if one.grade == PRIMARY and kept.quote == one.quote else first).append(kept)
        elif one.kind == "log" and log.OWN in (entry := _entry(opened, one)):
            if any(map(_KEPT.match, entry)):
                first.append(one)
            elif _sums_up_more(entry, told, message):
                behind.append(one)
        elif not one.session:
            first.append(one)
        elif _says_more(one.quote, message):
            is_behind = personal.only_asks(one.quote) or is_over(one.quote, _said_at(one))
            (behind if is_behind else first).append(one)
    return [*ways, *first, *behind]


def _in_force(one: Evidence, is_over: Callable[[str, str], bool]) -> Evidence | None:
    """Feedback without the lines that hold no more; None where that is nothing."""
    lines = [line for line in one.quote.split("\n") if not is_over(line, "")]
    return one._replace(quote="\n".join(lines)) if any(map(str.strip, lines)) else None


def _said_at(one: Evidence) -> str:
    """When a turn was said: its heading ends with it."""
    when = one.heading.rpartition(" · ")[2]
    return when if _MOMENT.match(when) else one.date


def _entry(opened: evidence.Files, one: Evidence) -> list[str]:
    """The lines of the log entry that evidence is of."""
    blob = opened.read(one.path)
    lines = evidence.lines_of(blob.data, "log") if blob else []
    first = next((n for n in range(min(one.at, len(lines)) - 1, -1, -1) if lines[n].startswith("## ")), 0)
    last = next((n for n in range(first + 1, len(lines)) if lines[n].startswith("## ")), len(lines))
    return list(lines[first:last])


def _sums_up_more(entry: Sequence[str], told: set[str], message: str) -> bool:
    """Whether an entry sums up a conversation in which something was told, none of whose turns is there already."""
    sources = {names.fold(found[1]) for line in entry if (found := _EPISODE.match(line))}
    said = [found[1] for line in entry if (found := _TOLD.match(line))]
    return not sources & told and any(_says_more(one, message) and not personal.only_asks(one) for one in said)


def _says_more(said: str, message: str) -> bool:
    """Whether a word of it is not in the message: the same question, asked another day, is no memory."""
    return not set(terms(said)) <= set(terms(message))


def about_user(source: "Reader", message: str, narrow: Filters) -> list[fenced.Piece]:
    """Facts in force of the user's notes that answer a question about them."""
    wanted = [names.fold(key) for key in personal.keys(message)]
    if not wanted:
        return []
    parts, values = narrow.sql()
    rows = source.rows(
        "SELECT f.path, x.line + 1, f.name, x.name, x.value, max(x.since, f.date) FROM facts x"
        " JOIN files f ON f.id = x.file WHERE f.kind = 'note' AND f.type = 'user' AND f.archived = 0 AND x.until = ''"
        f" AND x.key IN ({marks(wanted)}){''.join(f' AND {part}' for part in parts)} ORDER BY 6 DESC, f.path, x.line",
        [*wanted, *values],
    )
    return [
        fenced.Piece(path, line, f"{name} · {when}", f"{key}: {value}") for path, line, name, key, value, when in rows
    ]


def still_to_do(source: "Reader", message: str, narrow: Filters) -> Iterator[fenced.Piece]:
    """The open loops, where they are asked for."""
    if personal.still_to_do(message):
        for one in waiting.listed(source, narrow)[: -OPEN - 1 : -1]:
            yield fenced.Piece(one.path, one.line, f"open · {one.said_on}", f"[ ] {one.bare}")
