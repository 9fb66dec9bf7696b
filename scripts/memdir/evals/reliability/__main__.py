"""`memdir-reliability`: runs rows and says what they found; the exit code is 1 when there was a fault.

Everything happens below a temporary folder, with settings and cache of its own.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from memdir.evals import retrieval
from memdir.evals.reliability import results
from memdir.evals.reliability.peers.rows import PEERS
from memdir.evals.reliability.peers.stores import OTHERS, stores
from memdir.evals.reliability.results import Result
from memdir.evals.reliability.table import ROWS


def run(row: str, scale: float, seed: int, place: Path) -> Result:
    """One row at a part of its full count, at least 1, in an empty folder of its own."""
    line = ROWS[row]
    made = Result(row, line.title, line.shows, line.units, line.full, seed, results.today(), 0.0, 0.0)
    made.versions = results.versions()
    folder = place / row.lower()
    folder.mkdir()
    began, used = time.perf_counter(), _cpu()
    made.take(line.run(max(1, round(line.full * scale)), seed, folder))
    made.cpu, made.wall = round(_cpu() - used, 1), round(time.perf_counter() - began, 1)
    return made


def compare(pythons: Mapping[str, str], rows: Sequence[str], scale: float, seed: int, place: Path) -> Iterator[Result]:
    """The rows that run on other tools too, on memdir and on each that is named, in folders of their own."""
    for row in rows:
        for name, make in stores(pythons).items() if row in PEERS else ():
            work, full, units = PEERS[row]
            folder = place / f"{row}-{name}"
            folder.mkdir()
            store = make(folder)
            shows = " ".join((work.__doc__ or "").split())
            made = Result(row, store.name, shows, units, full, seed, results.today(), 0.0, 0.0)
            began = time.perf_counter()
            made.take(work(store, max(4, round(full * scale)), seed, folder))
            made.wall = round(time.perf_counter() - began, 1)
            yield made


def _cpu() -> float:
    """CPU seconds of this process and the children that have ended."""
    return sum(os.times()[:4])


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="memdir-reliability", description=__doc__)
    parser.add_argument("--rows", default=",".join(ROWS), help="names of rows, with commas between; else all")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the full counts")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="keep the results and the page there")
    parser.add_argument("--force", action="store_true", help="write results of fewer than are kept there too")
    parser.add_argument("--renew", type=Path, metavar="FOLDER", help="give the results kept there today's titles and"
                        " texts of the rows, run nothing")  # fmt: skip
    parser.add_argument("--peers", nargs="+", metavar="NAME=PYTHON", default=[], help=f"run {', '.join(PEERS)} on"
                        f" memdir and on {', '.join(OTHERS)}, which that interpreter has")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="say what each row shows, run nothing")
    asked = parser.parse_args(arguments)
    asked.rows = [row.strip().upper() for row in asked.rows.split(",") if row.strip()]
    if unknown := [row for row in asked.rows if row not in ROWS]:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    if not 0 < asked.scale < math.inf:
        parser.error(f"--scale {asked.scale:g} is no part of a count; it is above 0, and 1 is all")
    asked.peers = {name: os.path.abspath(python) for name, _, python in (one.partition("=") for one in asked.peers)}
    if unknown := [name for name in asked.peers if name not in OTHERS]:
        parser.error(f"no tool {', '.join(unknown)}; there are {', '.join(OTHERS)}, each as NAME=PYTHON")
    return asked


@contextmanager
def _apart() -> Iterator[Path]:
    """A temporary folder that holds everything, settings, cache and temporary folders too, as long as it lasts."""
    before, usual = os.environ.copy(), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="memdir-reliability-") as folder:
        place = Path(folder).resolve()
        retrieval.apart(os.fspath(place))
        try:
            yield place
        finally:
            tempfile.tempdir = usual
            os.environ.clear()
            os.environ.update(before)


def main(arguments: Sequence[str]) -> int:
    asked = _asked(arguments)
    if asked.list:
        sys.stdout.writelines(f"{row:4} {one.full:>7,} {one.units}: {one.shows}\n" for row, one in ROWS.items())
        return 0
    if asked.renew:
        changed = results.renew(asked.renew, {row: (ROWS[row].title, ROWS[row].shows) for row in asked.rows})
        sys.stdout.write(f"renewed: {', '.join(changed) or 'nothing'}\n")
        return 0
    if not hasattr(os, "fork"):
        sys.stderr.write("memdir-reliability needs fork and kill: Linux, macOS or another Unix\n")
        return 2
    done: dict[str, Result] = {}
    with _apart() as place:
        if asked.peers:
            return _peers(asked, place)
        for row in asked.rows:
            done[row] = run(row, asked.scale, asked.seed, place)
            if asked.write:
                _say(results.write(asked.write, [done[row]], list(ROWS), force=asked.force))
            if not asked.json:
                sys.stdout.writelines(f"{line}\n" for line in results.told([done[row]]))
                sys.stdout.flush()
    if asked.json:
        sys.stdout.write(json.dumps([asdict(one) for one in done.values()], ensure_ascii=False, indent=1) + "\n")
    return int(any(one.faults for one in done.values()))


def _say(lines: list[str]) -> None:
    sys.stderr.writelines(f"{line}\n" for line in lines)


def _peers(asked: argparse.Namespace, place: Path) -> int:
    done: list[Result] = []
    for one in compare(asked.peers, asked.rows, asked.scale, asked.seed, place):
        done.append(one)
        if asked.write:
            _say(results.write_peers(asked.write, [one], list(ROWS), force=asked.force))
        sys.stdout.writelines(f"{line}\n" for line in results.told([one]))
        sys.stdout.flush()
    return int(any(one.faults for one in done if one.title.startswith("memdir")))


def entry() -> None:
    """The console command."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    entry()
