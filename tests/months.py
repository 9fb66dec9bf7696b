"""Plays a made-up month through memdir: logs by day, a person's edits in the evening, a heartbeat at night.

Drives `Memory` with a clock of its own on real files; `test_month.py` holds what must come of it.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import driver
from memdir.app.memory import Memory
from memdir.evals.month_values import Day, Entry, HumanEdit, Month
from memdir.vault import draft, fields, names, note

TOPICS = ("user", "feedback", "project", "ref")


@dataclass
class Played:
    """A month as it went: the vault, and what each night did. `missed`: edits whose note was not there."""

    root: Path
    month: Month
    nights: list[Any] = field(default_factory=list)
    missed: list[HumanEdit] = field(default_factory=list)
    most_bytes: int = 0
    most_lines: int = 0

    def notes(self) -> dict[str, str]:
        """Path → text of every topic note."""
        found = [path for kind in TOPICS for path in sorted((self.root / "memory" / kind).rglob("*.md"))]
        return {path.relative_to(self.root).as_posix(): path.read_text("utf-8") for path in found}

    def note_of(self, name: str) -> tuple[str, note.Note] | None:
        """The topic note that is called `name`."""
        for path, text in self.notes().items():
            parsed = note.parse(path, text.encode())
            if names.fold(name) in map(names.fold, (parsed.name, *parsed.aliases)):
                return path, parsed
        return None


class Player:
    """One month in one vault. `options`: settings; `after`: called behind every night with the player."""

    def __init__(
        self, root: Path, month: Month, options: Mapping[str, Any] | None = None, zone: str | None = None
    ) -> None:
        self.zone = ZoneInfo(zone or month.zone)
        self.now = datetime.combine(month.days[0].day, time(7), self.zone)
        assert driver.run("init", root, "--timezone", self.zone.key).code == 0
        self.played = Played(root, month)
        self.options = dict(options or {})
        for one in month.notes:
            self._write_note(one)
        self.memory = Memory(root, now=lambda: self.now, options=self.options)

    def _write_note(self, one: Any) -> None:
        more = {"aliases": list(one.aliases)} if one.aliases else {}
        asked = draft.NewNote(one.title, one.type, one.body, one.tags, more=more)
        write, _ = draft.new(asked, [], f"{self.now:%Y-%m-%d}")
        place = self.played.root / write.path
        place.write_bytes(write.data)
        self._stamp(place)

    def _stamp(self, path: Path) -> None:
        """A file that a person saved has the time of the month, not of the test."""
        os.utime(path, (self.now.timestamp(), self.now.timestamp()))

    def play(self, nights: Callable[["Player", int], None] | None = None) -> Played:
        for number, day in enumerate(self.played.month.days):
            self.day(day)
            self.night(day.day)
            if nights:
                nights(self, number)
        self.memory.close()
        return self.played

    def day(self, day: Day) -> None:
        for entry in day.entries:
            self.now = entry.at
            self.memory.log(entry.title, [*entry.lines, *self._closings(entry)])
        self.now = datetime.combine(day.day, time(21), self.zone)
        for edit in day.edits:
            self.edit(edit)

    def _closings(self, entry: Entry) -> list[str]:
        lines = []
        for closing in entry.closings:
            loop = self.played.month.loops[closing.loop]
            log = next(self.played.root.glob(f"memory/logs/*/*/{loop.day}.md")).read_text("utf-8")
            found = re.search(rf"^- \[ \] {re.escape(loop.text)} \^(\w+)$", log, re.MULTILINE)
            assert found, loop.text
            lines.append(f"- resolves:: [[{loop.day}#^{found[1]}]]")
        return lines

    def night(self, day: date) -> None:
        self.now = datetime.combine(day + timedelta(1), time(2, 15), self.zone)
        beat = self.memory.heartbeat()
        assert not beat.failed, beat.failed
        self.played.nights.append(beat)
        memory = (self.played.root / "MEMORY.md").read_bytes()
        self.played.most_bytes = max(self.played.most_bytes, len(memory))
        self.played.most_lines = max(self.played.most_lines, memory.count(b"\n"))

    def edit(self, edit: HumanEdit) -> None:
        """What a person does in an editor: read, change, save."""
        if edit.kind == "new note":
            made = self.played.root / "memory/project" / f"{names.slug(edit.target)}.md"
            made.write_text(edit.text, "utf-8")
            self._stamp(made)
            return
        found = self.played.note_of(edit.target)
        if found is None:
            self.played.missed.append(edit)
            return
        path = self.played.root / found[0]
        if edit.kind == "rename file":
            path.rename(path.with_name(f"{edit.text}.md"))
            return
        data = path.read_bytes()
        end = "\r\n" if b"\r\n" in data else "\n"
        lines = data.decode("utf-8").replace("\r\n", "\n").split("\n")
        lines = _EDITS[edit.kind](lines, edit)
        if edit.kind == "CRLF save":
            end = "\r\n"
        path.write_bytes(end.join(lines).encode())
        self._stamp(path)


def _append(lines: list[str], edit: HumanEdit) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    return [*lines, edit.text, ""]


def _change_value(lines: list[str], edit: HumanEdit) -> list[str]:
    """The line of the fact keeps what stands behind its value."""
    out, done = [], False
    for line in lines:
        if not done and re.match(rf"^- {re.escape(edit.key)}:: ", line) and "→ 2" not in line:
            rest = line.split(":: ", 1)[1]
            old = re.split(r" \((?=[\d→])| \[source::", rest)[0]
            line, done = f"- {edit.key}:: {edit.text}{rest[len(old) :]}", True
        out.append(line)
    return out if done else [*out[:-1], f"- {edit.key}:: {edit.text}", ""]


def _front(lines: list[str], edit: HumanEdit) -> list[str]:
    at = lines.index("---", 1)
    return [*lines[:at], *edit.text.split("\n"), *lines[at:]]


def _retitle(lines: list[str], edit: HumanEdit) -> list[str]:
    text = "\n".join(lines)
    held = note.parse("x.md", text.encode())
    text = fields.set_value(text, "name", edit.text)
    return fields.set_value(text, "aliases", [*held.aliases, held.name]).split("\n")


_EDITS: Mapping[str, Callable[[list[str], HumanEdit], list[str]]] = {
    "append": _append,
    "CRLF save": _append,
    "change value": _change_value,
    "reword": lambda lines, edit: "\n".join(lines).replace(edit.old, edit.text, 1).split("\n"),
    "retitle": _retitle,
    "delete line": lambda lines, edit: [line for line in lines if edit.old not in line],
    "front matter by hand": _front,
}
