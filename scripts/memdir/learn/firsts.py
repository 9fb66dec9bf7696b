"""When a value was first said: the earliest log entry that gives it beside the name of what it is of.

A change that names the value before ("moved from A to B") dates the end of A. Its beginning stands in the log, also
where the sentence there was one that no rule reads. Pure functions.
"""

import re
from collections.abc import Iterable, Mapping

from memdir.learn.reading import unsure
from memdir.vault import names

_SOURCE = re.compile(r"^\[\[(\d{4}-\d\d-\d\d)\]\]")
_FENCE = re.compile(r"^\s*(?:[-*+] )?(?:```|~~~)")
_QUOTE = re.compile(r"^\s*(?:[-*+] )?[>|]")
_LEAST = 3  # letters of a value; a shorter one stands in many lines


def said(cited: Mapping[str, str], about: Iterable[str], value: str, day: str) -> tuple[str, str]:
    """Day and source of the first entry before `day` that gives a value of something called one of `about`; "" twice
    where there is none. `cited`: source → text of an entry, the oldest first."""
    called = [names.fold(name) for name in about if name]
    if len(value) < _LEAST:
        return "", ""
    for source, text in cited.items():
        found = _SOURCE.match(source)
        folded = names.fold(text)
        if not found or found[1] >= day or not any(name in folded for name in called):
            continue
        if any(_gives(line, value) for line in _lines(text)):
            return found[1], source
    return "", ""


def _gives(line: str, value: str) -> bool:
    return bool(_whole(value).search(names.fold(line))) and unsure.sure(line)


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9.,\-]){re.escape(names.fold(value))}(?![a-z0-9\-]|[.,]\d)")


def _lines(text: str) -> Iterable[str]:
    """The lines of an entry without quotes and code."""
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and not _QUOTE.match(line):
            yield line
