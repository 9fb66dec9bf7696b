"""Neighbours of what a recall found: the turns, entries or passages before and after each piece of evidence.

They take no place of an answer, and none repeats one. Quoted from the files as they are now. Reads the vault only.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memdir import text
from memdir.errors import MemdirError
from memdir.recall import evidence, units
from memdir.recall.evidence import Evidence
from memdir.recall.units import Units
from memdir.recall.window import Window
from memdir.vault import files, layout

Place = tuple[str, int]  # a unit: the file and which of its units
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A unit beside a piece of evidence: lines [line, last] (from 1) of a file are quoted.

    `where`: before | after; `unit`: turn | entry | passage; `heading`: of a turn speaker and time; `rest`: the call
    that reads all of it, "" where the quote does.
    """

    path: str
    line: int
    last: int
    where: str
    unit: str
    heading: str
    quote: str
    rest: str = ""


def around(root: files.Root, found: Sequence[Evidence], n: int) -> list[list[Neighbour]]:
    """For each piece of evidence, best first, its neighbours up to `n` units away on either side, as they stand.

    None is part of any evidence, each stands once, beside the best. A conversation goes on in its next file.
    """
    held = _Files(root)
    places = [held.of(one) for one in found]
    taken = {place for run in places for place in run}
    beside: list[list[Neighbour]] = []
    for run in places:
        near: list[Neighbour] = []
        for where, ends, step in (("before", run[:1], -1), ("after", run[-1:], 1)):
            chain = [place for end in ends for place in held.along(end, step, n) if place not in taken]
            taken.update(chain)
            quoted = [one for place in chain if (one := held.quote(place, where))]
            near += reversed(quoted) if step < 0 else quoted
        beside.append(near)
    return beside


def within(
    found: Sequence[Evidence], beside: Sequence[Sequence[Neighbour]], budget: int
) -> tuple[list[list[Neighbour]], int]:
    """The neighbours that fit what the evidence leaves of `budget` tokens, and how many do not; those of the best go
    first. A budget of 0 is none."""
    left = budget - sum(map(evidence.cost, found))
    kept: list[list[Neighbour]] = []
    for near in beside:
        kept.append([])
        for one in near:
            price = text.token_count(f"{one.path}:{one.line} {one.heading} {one.quote}")
            if not budget or price <= left:
                kept[-1].append(one)
                left -= price
    return kept, sum(map(len, beside)) - sum(map(len, kept))


class _Files:
    """The files that a recall found something in, each read and cut once."""

    def __init__(self, root: files.Root) -> None:
        self._root = root
        self._cut: dict[str, tuple[list[str], Units] | None] = {}

    def cut(self, path: str) -> tuple[list[str], Units] | None:
        """Lines and units of a file; None where there is none that can be read."""
        if path not in self._cut:
            try:
                data = self._root.read(path).data
                kind = "index" if path == layout.INDEX_FILE else ""
                self._cut[path] = evidence.lines_of(data, kind), units.cut(path, data)
            except MemdirError:
                self._cut[path] = None
        return self._cut[path]

    def of(self, one: Evidence) -> list[Place]:
        """The units that a piece of evidence lies in; none where its file is gone."""
        cut = self.cut(one.path)
        if not cut:
            return []
        low, high = cut[1].at(one.line - 1), cut[1].at(one.last - 1)
        return [(one.path, number) for number in range(low, high + 1)]

    def along(self, place: Place, step: int, n: int) -> list[Place]:
        """The `n` units before (`step` -1) or after (1) one, the nearest first."""
        path, number = place
        found: list[Place] = []
        while len(found) < n:
            cut = self.cut(path)
            assert cut
            number += step
            if 0 <= number < len(cut[1]):
                found.append((path, number))
            elif path := self._further(path, step):
                number = -1 if step > 0 else len(self._units(path))
            else:
                break
        return found

    def _units(self, path: str) -> Units:
        cut = self.cut(path)
        assert cut
        return cut[1]

    def _further(self, path: str, step: int) -> str:
        """The file in which the conversation of a session file goes on, or came from; "" where there is none."""
        own = self._units(path).held
        for other in units.parts(path)[step > 0]:
            there = (cut[1].held if (cut := self.cut(other)) else None) if self._root.stat(other) else None
            if own and there and (there.id, there.source) == (own.id, own.source):
                return other
        return ""

    def quote(self, place: Place, where: str) -> Neighbour | None:
        """The beginning of a unit, as much as is quoted of evidence; None where nothing stands in it."""
        cut = self.cut(place[0])
        assert cut
        every, held = cut
        first, last = held.span(place[1])
        lines = text.printable("\n".join(every[first:last])).split("\n")
        if held.held:
            turn = held.held.turns[place[1]]
            first, lines = turn.line + 1, lines[1 : turn.last - turn.line]
            lines = [line.removeprefix(">").removeprefix(" ") for line in lines]
        elif all(not line.strip() or _HEADING.match(line) for line in lines):
            return None
        blank = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
        lines = lines[blank : units.trimmed(lines, blank, len(lines))]
        if not lines:
            return None
        shown, whole = _head(lines)
        call = "" if whole else Window(context=0).call(place[0], f":{first + blank + 1}", "").rstrip()
        ends = first + blank + len(shown)
        heading = text.printable(held.heads[place[1]])
        return Neighbour(place[0], first + blank + 1, ends, where, held.kind, heading, "\n".join(shown), call)


def _head(lines: Sequence[str]) -> tuple[list[str], bool]:
    """As many whole lines as evidence.QUOTE bytes hold, of a longer line its beginning; and whether that is all."""
    end, size = 0, 0
    while end < len(lines) and (size := size + len(lines[end].encode()) + 1) <= evidence.QUOTE + 1:
        end += 1
    if end:
        return list(lines[:end]), end == len(lines)
    return [lines[0].encode()[: evidence.QUOTE].decode("utf-8", "ignore") + "…"], False
