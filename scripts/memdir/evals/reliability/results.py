"""Results of rows that ran: kept as JSON, a row each, and written as a page with a table.

Rows run at different times, so each result has its own date, seed and versions. Writes the two files it is told.
"""

import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import memdir
from memdir.evals import sets
from memdir.evals.reliability.outcome import SHOWN, Outcome

PAGE, KEPT = "reliability.md", "reliability.json"
LIBRARIES = ("whoosh3", "PyYAML", "python-frontmatter", "numpy")


@dataclass(slots=True)
class Result:
    """One row as it ran."""

    row: str
    title: str
    shows: str
    units: str
    full: int
    seed: int
    date: str
    cpu: float
    wall: float
    tried: int = 0
    faults: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    skipped: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    def take(self, found: Outcome) -> None:
        self.tried, self.figures, self.skipped = found.tried, found.figures, found.skipped
        self.faults = found.faults

    @property
    def state(self) -> str:
        if self.faults:
            return f"{len(self.faults)} faults"
        if not self.tried:
            return "not run"
        return "holds" if self.tried >= self.full else f"holds, {self.tried / self.full:.0%} of the full count"


def versions() -> dict[str, str]:
    """What the rows ran on."""
    held = {"memdir": memdir.__version__, "commit": commit(), "python": platform.python_version()}
    held |= {"sqlite": sqlite3.sqlite_version, "system": f"{platform.system()} {platform.release().split('-')[0]}"}
    return held | {name: version(name) for name in LIBRARIES}


def commit() -> str:
    """The commit of this checkout; "" where there is none."""
    try:
        ran = subprocess.run(
            ["git", "-C", os.fspath(sets.PROJECT), "rev-parse", "--short=10", "HEAD"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return ran.stdout.strip()


def read(folder: Path) -> dict[str, Result]:
    """The results kept in a folder, by row."""
    file = folder / KEPT
    held = json.loads(file.read_text("utf-8")) if file.is_file() else []
    return {one["row"]: Result(**one) for one in held}


def write(folder: Path, new: Mapping[str, Result], order: list[str]) -> None:
    """Put results beside those that are kept already, and write the page of all."""
    held = read(folder) | dict(new)
    ordered = [held[row] for row in order if row in held]
    text = json.dumps([asdict(one) | {"faults": one.faults[:SHOWN]} for one in ordered], ensure_ascii=False, indent=1)
    (folder / KEPT).write_text(text + "\n", encoding="utf-8")
    (folder / PAGE).write_text("\n".join(page(ordered)) + "\n", encoding="utf-8")


HEAD = """# Nothing is lost: the proof

What memdir promises of a person's files, as runs that anybody can repeat. Each row names what it strikes with, how
often, and what may not happen; a fault of any kind is counted and told. `memdir-reliability` (or `python -m
memdir.evals.reliability`) runs them: `--rows R1,R4` some, `--scale 0.01` at a hundredth of the count, `--seed 7` with
another seed, `--json` as one document, `--write references` onto this page. `tests/evals/test_reliability.py` runs
all of them at small counts with every change.

This page is generated from the runs in `reliability.json` beside it, each with its own date and versions."""


def page(results: list[Result]) -> Iterator[str]:
    yield HEAD
    yield from ("", "| row | what | tried | faults | seed | date | CPU s |", "|---|---|---|---|---|---|---|")
    for one in results:
        tried = f"{one.tried:,} {one.units}" + ("" if one.tried >= one.full else f" of {one.full:,}")
        faults = (one.skipped and not one.tried and "not run") or f"{len(one.faults)}"
        yield f"| {one.row} | {one.title} | {tried} | {faults} | {one.seed} | {one.date} | {one.cpu:,.0f} |"
    yield from ("", "## What each row shows", "")
    for one in results:
        yield f"**{one.row}, {one.title}.** {one.shows}"
        told = "; ".join(f"{name}: {value}" for name, value in one.figures.items())
        if told:
            yield f"Here: {told}."
        if one.skipped:
            yield f"Left out: {one.skipped}."
        yield from (f"- {fault}" for fault in one.faults[:SHOWN])
        yield ""
    yield from ("## Versions", "")
    for said in dict.fromkeys(", ".join(f"{k} {v}" for k, v in one.versions.items()) for one in results):
        rows = [one.row for one in results if ", ".join(f"{k} {v}" for k, v in one.versions.items()) == said]
        yield f"- {', '.join(rows)}: {said}."


def told(results: list[Result]) -> Iterator[str]:
    """The table for a terminal."""
    for one in results:
        tried = f"{one.tried:,} of {one.full:,} {one.units}"
        yield f"{one.row:4} {one.title:28} {tried:34} {one.state:30} {one.cpu:8.1f} CPU s  seed {one.seed}"
        yield from (f"     {fault[:300]}" for fault in one.faults[:SHOWN])
        if one.skipped:
            yield f"     left out: {one.skipped}"


def today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d}"
