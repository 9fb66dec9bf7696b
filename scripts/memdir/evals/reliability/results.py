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

PAGE, KEPT, PEERS = "reliability.md", "reliability.json", "reliability-peers.json"
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
    versions: dict[str, str] = field(default_factory=dict)

    def take(self, found: Outcome) -> None:
        self.tried, self.figures, self.faults = found.tried, found.figures, found.faults

    @property
    def count(self) -> int:
        """How many faults there were."""
        if self.faults and self.faults[-1].startswith("… and "):
            return len(self.faults) - 1 + int(self.faults[-1].split()[2])
        return len(self.faults)

    @property
    def state(self) -> str:
        if self.faults:
            return f"{self.count} faults"
        if not self.tried:
            return "not run"
        return "holds" if self.tried >= self.full else f"holds, {self.tried / self.full:.0%} of the full count"


def versions() -> dict[str, str]:
    """What the rows ran on."""
    held = {"memdir": memdir.__version__, "python": platform.python_version()}
    held |= {"commit": said} if (said := commit()) else {}
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


def read_peers(folder: Path) -> list[Result]:
    """What the rows found on other tools, and on memdir by the same verbs."""
    file = folder / PEERS
    return [Result(**one) for one in json.loads(file.read_text("utf-8"))] if file.is_file() else []


def write(folder: Path, new: Mapping[str, Result], order: list[str]) -> None:
    """Put results beside those that are kept already, and write the page of all."""
    held = read(folder) | dict(new)
    _keep(folder / KEPT, [held[row] for row in dict.fromkeys([*order, *held]) if row in held])
    render(folder)


def write_peers(folder: Path, new: list[Result], order: list[str]) -> None:
    """The same for what was found on other tools."""
    fresh = {(one.row, one.title) for one in new}
    held = [one for one in read_peers(folder) if (one.row, one.title) not in fresh] + new
    _keep(folder / PEERS, sorted(held, key=lambda one: (order.index(one.row), one.title)))
    render(folder)


def _keep(file: Path, ordered: list[Result]) -> None:
    """A result that is kept tells the number of its faults, and the first of them at length."""
    rows = []
    for one in ordered:
        if len(one.faults) > SHOWN and not one.faults[-1].startswith("… "):
            one.faults = [*one.faults[:SHOWN], f"… and {len(one.faults) - SHOWN} more"]
        rows.append(asdict(one))
    file.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def render(folder: Path) -> None:
    """Write the page from what is kept."""
    text = "\n".join(page(list(read(folder).values()), read_peers(folder)))
    (folder / PAGE).write_text(text + "\n", encoding="utf-8")


HEAD = """# Nothing is lost: the proof

What memdir promises of a person's files, as runs that anybody can repeat. Each row names what it strikes with, how
often, and what may not happen; a fault of any kind is counted and told. `memdir-reliability` (or `python -m
memdir.evals.reliability`) runs them: `--rows R1,R4` some, `--scale 0.01` at a hundredth of the count, `--seed 7` with
another seed, `--json` as one document, `--write references` onto this page. `tests/evals/test_reliability.py` runs
all of them at small counts with every change.

This page is generated from the runs in `reliability.json` beside it, each with its own date and versions."""
FOUND = """## What the runs have found

Each was mended at its root, and its smallest input is a test.

- R9: where the system refused a call while the index was begun or committed, Whoosh kept its lock until the next
  garbage collection, and no writer of that process got it.
- R4: each append to the ledger read the whole ledger.
- R7: of several files with one text, which was taken as moved hung on the order in which they were listed.
- R11: a distillation, a list or a doctor failed where another memdir was half way through a commit; a recall could miss
  a note that another memdir had just written, because postings and passages were of two commits.
- S1: a working folder whose name is too long, or that may not be looked into, and names of bytes that are no UTF-8,
  ended in errors that were not memdir's own.
- S3: blank lines, headings and items by the ten thousand took quadratic time in merges and in the cutting of notes;
  orders to remember were looked for in ten times the time of anything else; a long word with hyphens took quadratic
  time where addresses are looked for (40 s a megabyte of a log; 4 since).
- R14: each fenced text left a pattern in the cache of patterns; each recall read the whole ledger. What else grew
  slowly was numpy's cache of small arrays (3.6 MB when full; the row fills it first) and one day's log that took all
  writes of the row, whose clock stood still.
- S6: start, gate and continuation showed notes from outside that nobody had reviewed, and their names.
- S7: a secret on the line below its key was not seen where both stood in the title of a log entry.
- S8: under an open umask files of the index could be read by others who could reach them.
- R10: a flipped digit of a time in the seal of an index was not noticed.
- R3: a text that was displaced was renamed into another folder, and a disk that kept the change of the folder it left
  and not of the other had it under no name. It has both names now until the new one is flushed.
- R3: where a creation had made the journal, the name of the journal was never flushed. A cut could take it and the
  lines of later writes, though these were flushed: an old text then waited in `pending/`, of which no list told, and a
  temporary file became a copy in conflict. The name is on the disk now before the first line is, and what waits without
  a line becomes a version at the next start.
- R3: the line of a creation is not flushed, and without it what the creation had written became a copy in conflict. The
  name of its temporary file says now that no note had that text; it becomes a version, as after a kill. So does a write
  that was cut short where another memdir wrote before anybody had recovered.

Known: an agent with `files.settle` 0 may take a save that is half written for the text (R5 waits 2 and 4 ms; memdir
waits 250 by default).

Not here: load, authentication and fuzzing of servers (R15, S5, S10), supply chain (S11), and the loop-mounted form
of R3, which needs root.
"""
BESIDE = """The same strikes through an adapter (`evals/reliability/peers/`), at counts that a server of another tool
gets through in minutes. `memdir-reliability --peers basic-memory=PYTHON memsearch=PYTHON` runs them on memdir and on
what is named, where PYTHON is the interpreter of an environment with that tool. What a tool refuses with an error is
not counted as lost: only what it said was done. A verb that it does not have is told, and no fault."""

STRUCK = """A run of R4 before this one, of 48 appends, lost a line that basic-memory had acknowledged.

memsearch was run by its command line with Milvus Lite, a process a verb. No model's weights can be had where this ran:
its vectors are sums of hashed words, from a scripted endpoint by its provider for OpenAI, beside its own ranking by
words. Its agents write notes with tools of their own, so R4 and R5 strike at `compact`, which appends what a model says
to the day's file, R8 and R10 at `index` and `search`, S1 at the paths of these and of the command that its maintenance
gives a model. Its plugins need their hosts and were not run.

Found: nobody's line was lost, as it only appends, and no file was changed by indexing. One process at a time has the
index, and the others are refused. Of a damaged index it says so and gives no wrong answer; `index`, `search` and
`reset` then fail alike until its folder is removed by hand, and `index` makes it anew. It has no folder to stay in:
`index` and `compact` take any path, which is told as a figure; the command of its maintenance has one to stay in, and a
link led out of it. Tried by hand besides: a link to a file outside is followed when the folder is indexed, and its
maintenance, off by default, writes `PROJECT.md` whole over what a person saved while the model was at it."""


def page(results: list[Result], peers: list[Result]) -> Iterator[str]:
    yield HEAD
    yield from ("", "| row | what | tried | faults | seed | date | CPU s |", "|---|---|---|---|---|---|---|")
    for one in results:
        tried = f"{one.tried:,} {one.units}" + ("" if one.tried >= one.full else f" of {one.full:,}")
        faults = f"{one.count}" if one.tried else "not run"
        yield f"| {one.row} | {one.title} | {tried} | {faults} | {one.seed} | {one.date} | {one.cpu:,.0f} |"
    yield from ("", "## What each row shows", "")
    for one in results:
        yield f"**{one.row}, {one.title}.** {one.shows}"
        told = "; ".join(f"{name}: {value}" for name, value in one.figures.items())
        if told:
            yield f"Here: {told}."
        yield from (f"- {_plain(fault)}" for fault in one.faults)
        yield ""
    yield FOUND
    if peers:
        yield from _beside(peers)
    yield from ("## Versions", "")
    ran: dict[str, list[str]] = {}
    for one in results:
        ran.setdefault(", ".join(f"{name} {value}" for name, value in one.versions.items()), []).append(one.row)
    yield from (f"- {', '.join(rows)}: {said}." for said, rows in ran.items())


def _beside(peers: list[Result]) -> Iterator[str]:
    """The same strikes on other tools, through the verbs that each gives an agent."""
    names = list(dict.fromkeys(one.title for one in peers))
    yield from ("## Other tools", "", BESIDE, "")
    yield f"| row | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for row in dict.fromkeys(one.row for one in peers):
        held = {one.title: one for one in peers if one.row == row}
        yield f"| {row} | {' | '.join(_cell(held.get(name)) for name in names)} |"
    yield ""
    shows = dict.fromkeys((one.row, one.shows) for one in peers)
    yield from (f"- {said}" for _, said in shows)
    yield ""
    for one in peers:
        if one.faults:
            yield f"{one.title}, {one.row}: {_plain('; '.join(one.faults[:3]))}."
            yield ""
    if any(name.startswith("memsearch ") for name in names):
        yield from (STRUCK, "")


def _cell(one: Result | None) -> str:
    if one is None:
        return "not run"
    told = "; ".join(f"{name}: {value}" for name, value in one.figures.items())
    return f"{one.count} faults in {one.tried:,} {one.units}, {one.date}" + (f" ({told})" if told else "")


def _plain(text: str) -> str:
    """Text of a fault as one line of the page."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown[:300].replace("|", "\\|")


def told(results: list[Result]) -> Iterator[str]:
    """The table for a terminal."""
    for one in results:
        tried = f"{one.tried:,} of {one.full:,} {one.units}"
        yield f"{one.row:4} {one.title:28} {tried:34} {one.state:30} {one.cpu:8.1f} CPU s  seed {one.seed}"
        yield from (f"     {fault[:300]}" for fault in one.faults[:SHOWN])


def today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d}"
