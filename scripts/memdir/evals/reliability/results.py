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
from memdir.evals.reliability.words import FIGURES, TRIES

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
        return "holds" if self.tried >= self.full else f"holds, {self._share()} of the full count"

    def _share(self) -> str:
        """How much of the full count ran; never 100 % while some is missing, nor 0 % when some ran."""
        share = 100 * self.tried / self.full
        return f"{share:.2g} %" if share < 9.5 else f"{int(share)} %"

    @property
    def told(self) -> str:
        """The figures in words."""
        words, tried = FIGURES.get(self.row, {}), _number(self.tried)
        shown = ((words.get(name, f"{name}: {{0}}"), _number(value)) for name, value in self.figures.items())
        return "; ".join(form.format(value, tried=tried) for form, value in shown)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"


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


def write(folder: Path, new: list[Result], order: list[str], *, force: bool = False) -> list[str]:
    """Put results beside those that are kept already, and write the page of all. One that tried less than the kept one
    is left out unless `force`; what is left out is said, a line each."""
    held = read(folder)
    less = _put(held, {one.row: one for one in new}, force)
    _keep(folder / KEPT, [held[row] for row in dict.fromkeys([*order, *held]) if row in held])
    render(folder)
    return less


def write_peers(folder: Path, new: list[Result], order: list[str], *, force: bool = False) -> list[str]:
    """The same for what was found on other tools."""
    held = {(one.row, one.title): one for one in read_peers(folder)}
    less = _put(held, {(one.row, one.title): one for one in new}, force)
    _keep(folder / PEERS, sorted(held.values(), key=lambda one: (order.index(one.row), one.title)))
    render(folder)
    return less


def _put(held: dict[Any, Result], new: Mapping[Any, Result], force: bool) -> list[str]:
    """Replace what is held by what is new, but for results that tried less; say which these are."""
    less = []
    for key, one in new.items():
        if force or key not in held or one.tried >= held[key].tried:
            held[key] = one
        else:
            few, many = _number(one.tried), _number(held[key].tried)
            less.append(
                f"{one.row}, {one.title}: not written, {few} {one.units} where {many} are kept (--force writes)"
            )
    return less


def renew(folder: Path, texts: Mapping[str, tuple[str, str]]) -> list[str]:
    """Give kept results today's title and text of their rows, leave what they found, and say which have changed."""
    held = read(folder)
    changed = [row for row, said in texts.items() if row in held and said != (held[row].title, held[row].shows)]
    for row in changed:
        held[row].title, held[row].shows = texts[row]
    _keep(folder / KEPT, list(held.values()))
    render(folder)
    return changed


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
often, and what may not happen. Where a row has faults, the table counts them and they are listed below the row.

From a clone: `PYTHONPATH=scripts python3 -m memdir.evals.reliability`; installed: `memdir-reliability`. `--rows
R1,R4` runs some, `--scale 0.01` a hundredth of the count, `--seed 7` another seed; `--json` prints one document,
`--write references` puts results of no fewer tries than before onto this page. The seed repeats the inputs; rows with
several processes (R2, R4, R5, R11) differ in timing and figures. `tests/evals/test_reliability.py` runs all rows at
small counts, with limits of time lifted.

This page is generated from the runs in `reliability.json` beside it, each with its own date and versions. "The study"
is one of how tools like this fail, made before the design; it and the scripts it names are not in this repository."""
BELOW = "`Tried` says what is counted as one. Figures of this run are no faults unless listed below them."
FOUND = """## What the runs have found

Each was mended at its root, and its smallest input is a test.

- R9: where a call was refused while the index was begun or committed, Whoosh kept its lock until a garbage collection.
- R4: each append to the ledger read the whole ledger.
- R7: of several files with one text, which was taken as moved hung on the order in which they were listed.
- R11: a distillation, a list or a doctor failed where another memdir was half way through a commit, and a recall could
  miss a note just written, because postings and passages were of two commits.
- S1: a working folder with too long a name, or a closed one, and names that are no UTF-8 ended in raw errors.
- S3: blank lines, headings and items by the ten thousand took quadratic time in merges and in the cutting of notes, and
  a long word with hyphens where addresses are looked for; orders to remember took ten times the time of anything else.
- R14: each fenced text left a pattern in the cache of patterns; each recall read the whole ledger. What else grew was
  numpy's cache of small arrays (3.6 MB; the row fills it first) and one day's log, as the clock of the row stood still.
- S6: start, gate and continuation showed notes from outside that nobody had reviewed, and their names.
- S7: a secret on the line below its key was not seen where both stood in the title of a log entry.
- S8: under an open umask files of the index could be read by others who could reach them.
- R10: a flipped digit of a time in the seal of an index was not noticed.
- R3: a displaced text was renamed into another folder, and a disk that kept only half of that had it under no name. It
  has both names now until the new one is flushed. The name of a new journal was never flushed, so that a cut could take
  lines that were: it is on the disk before the first line now, and what waits without a line becomes a version. What a
  cut creation, or a write cut short, left as a temporary file became a copy in conflict; it becomes a version too.

Known: an agent with `files.settle` 0 may take a save that is half written for the text (R5 waits 2 and 4 ms; memdir
waits 250 by default).

Not here: load, authentication and fuzzing of servers (R15, S5, S10), supply chain (S11), and the loop-mounted form
of R3, which needs root.
"""
BESIDE = """The same strikes through an adapter (`evals/reliability/peers/`), at counts that a tool does in minutes;
they differ per tool, as its verbs and its pace do. `memdir-reliability --peers basic-memory=PYTHON
memsearch=PYTHON` runs them on memdir and on what is named, where PYTHON is the interpreter of an environment with that
tool. What a tool refuses with an error is not counted as lost: only what it said was done. A verb that it does not have
is told, and no fault."""

STRUCK = """A run of R4 before this one, of 48 appends, lost a line that basic-memory had acknowledged.

memsearch was run by its command line with Milvus Lite, a process a verb. Its vectors are sums of hashed words from a
scripted endpoint, beside its own ranking by words, as no model's weights could be had here. Its agents write notes
with tools of their own, so R4 and R5 strike at `compact`, which appends what a model says to the day's file, R8 and R10
at `index` and `search`, S1 at the paths of these and of the command that its maintenance gives a model. Its plugins
need their hosts and were not run.

Found: no line was lost, as it only appends, and indexing changed no file. One process at a time has the index; others
are refused. Of a damaged index it says so and gives no wrong answer; `index`, `search` and `reset` fail until its
folder is removed by hand. `index` and `compact` have no folder to stay in, which is told as a figure; the command of
its maintenance has one, and a link led out of it. By hand besides: a link to a file outside is followed when the folder
is indexed, and its maintenance, off by default, writes `PROJECT.md` over what a person saved meanwhile."""


def page(results: list[Result], peers: list[Result]) -> Iterator[str]:
    yield HEAD
    yield from ("", "| row | what | tried | faults | seed | date | s | CPU s |", "|---|---|---|---|---|---|---|---|")
    for one in results:
        tried = f"{one.tried:,} {one.units}" + ("" if one.tried >= one.full else f" of {one.full:,}")
        faults = f"{one.count}" if one.tried else "not run"
        times = f"{one.wall:,.0f} | {one.cpu:,.0f}"
        yield f"| {one.row} | {one.title} | {tried} | {faults} | {one.seed} | {one.date} | {times} |"
    yield from ("", "## What each row shows", "", BELOW, "")
    for one in results:
        yield f"**{one.row}, {one.title}.** {one.shows}"
        yield f"{' Figures: '.join(filter(None, (_try(one), one.told and f'{one.told}.')))}"
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
            yield f"{one.title}, {one.row}: {_plain('; '.join(one.faults[:2]))}."
            yield ""
    if any(name.startswith("memsearch ") for name in names):
        yield from (STRUCK, "")


def _cell(one: Result | None) -> str:
    if one is None:
        return "not run"
    return f"{one.count} faults in {one.tried:,} {one.units}, {one.date}" + (f" ({one.told})" if one.told else "")


def _try(one: Result) -> str:
    return f"Tried: {TRIES[one.row]}." if one.row in TRIES else ""


def _plain(text: str) -> str:
    """Text of a fault as one line of the page."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown[:300].replace("|", "\\|")


def told(results: list[Result]) -> Iterator[str]:
    """The table for a terminal."""
    for one in results:
        tried = f"{one.tried:,} of {one.full:,} {one.units}"
        times = _seconds(one.wall) + (f", {_seconds(one.cpu)} of CPU" if one.cpu else "")  # of others it is not known
        yield f"{one.row:4} {one.title:28} {tried:34} {one.state:30} {times:22} seed {one.seed}"
        if one.told:
            yield f"     {one.told}"
        yield from (f"     {fault[:300]}" for fault in one.faults[:SHOWN])


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 9.95 else f"{value:,.0f} s"


def today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d}"
