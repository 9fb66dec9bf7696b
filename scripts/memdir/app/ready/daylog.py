"""A day's log as a start shows it: what people and agents wrote, and of what memdir wrote for the record a count.

A decision that a capture kept stands nowhere else and is shown. Entries about one conversation become one: how it began
and what came last. Pure.
"""

import re
from collections.abc import Sequence

from memdir.recall import personal
from memdir.vault import log

_DECISION = "- [decision] "
_EPISODE = re.compile(r"- source:: \[\[([^\[\]#]+)#\^t\d+\]\] to \^t\d+$")
_TOLD = re.compile(r"- (?:asked|then|decided): (.*)")


def of_people(lines: Sequence[str]) -> list[str]:
    """The lines of a log that are worth showing, in their order."""
    shown, held, count = list[list[str]](), dict[str, list[str]](), 0
    for entry in _entries(lines):
        source = next((found[1] for line in entry if (found := _EPISODE.match(line))), "")
        if log.OWN not in entry:
            shown.append(entry)
        elif source:
            told = [line for line in entry[1:] if _TOLD.match(line)]
            if source in held:
                held[source][:] = _continued(held[source], told)
            elif not all(personal.only_asks(found[1]) for line in told if (found := _TOLD.match(line))):
                held[source] = [entry[0], *told]
                shown.append(held[source])
            else:
                count += 1
        elif decided := [line for line in entry if line.startswith(_DECISION)]:
            shown.append([entry[0], *decided])
        else:
            count += 1
    kept = [line for entry in shown for line in entry]
    entries = "entry" if count == 1 else "entries"
    return [*kept, f"- and {count} {entries} of memdir's own, for the record"] if count else kept


def _entries(lines: Sequence[str]) -> list[list[str]]:
    """What stands before the first entry, and each entry."""
    found = list[list[str]]()
    for line in lines:
        if line.startswith("## ") or not found:
            found.append([])
        found[-1].append(line)
    return found


def _continued(before: Sequence[str], told: Sequence[str]) -> list[str]:
    """An entry about a conversation with what a later one tells: the last thing said takes the place of the one before
    it."""
    last = next((line for line in reversed(told) if not line.startswith("- decided: ")), "")
    last = re.sub(r"^- asked: ", "- then: ", last)
    kept = [line for line in before if not (last and line.startswith("- then: "))]
    return [*kept, *([last] if last else []), *(line for line in told if line.startswith("- decided: "))]
