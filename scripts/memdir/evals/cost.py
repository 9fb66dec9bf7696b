"""What a process costs: CPU seconds, wall seconds and peak memory of a child, each measurement a child of its own.

The kernel reports the exact figures of one process to the one that started it, which is `child`: it is smaller than
anything measured. Touches no file but temporary ones for the output.
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import memdir
from memdir.errors import MemdirError, UsageError

PACKAGE = Path(memdir.__file__).resolve().parent
_CHILD = os.fspath(Path(__file__).with_name("child.py"))


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU (user and system) and wall in seconds, peak resident memory in megabytes (10^6 bytes)."""

    cpu: float
    wall: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished child and what it printed."""

    cost: Cost
    output: str


def resident(pid: int) -> float:
    """Megabytes (10^6 bytes) that a process holds now, 0 where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def require() -> None:
    """Raise UsageError where the system cannot say what one process cost."""
    if not all(hasattr(os, name) for name in ("wait4", "posix_spawn", "getloadavg")):
        raise UsageError("bench needs a system that says what one process cost: Linux, macOS or another Unix")


def measure(command: Sequence[str], env: Mapping[str, str], *, codes: Sequence[int] = (0,)) -> Ran:
    """Run a command, named by its whole path, to its end. Raises MemdirError when its exit code is none of `codes`."""
    with tempfile.TemporaryDirectory(prefix="memdir-cost-") as place:
        out, err = Path(place, "out"), Path(place, "err")
        whole = [sys.executable, "-I", "-S", _CHILD, os.fspath(out), os.fspath(err), *command]
        ran = subprocess.run(whole, env=dict(env), capture_output=True, text=True, check=False)
        if ran.returncode:
            raise MemdirError(f"`{command[0]}` could not be started: {ran.stderr.strip()[-200:]}")
        figures = json.loads(ran.stdout)
        if figures["code"] not in codes:
            said = err.read_text("utf-8", "replace").strip() or out.read_text("utf-8", "replace").strip()
            raise MemdirError(f"measuring `{' '.join(command[:6])}` ended with {figures['code']}: {said[-300:]}")
        cost = Cost(figures["cpu"], figures["wall"], figures["peak"] / 1e6)
        return Ran(cost, out.read_text("utf-8", "replace"))


def environment(place: Path, cache: str = "cache") -> dict[str, str]:
    """Folders below `place` for a process, memdir importable from a checkout, no setting of the user's."""
    dropped = ("MEMDIR_", "PYTHONDONTWRITEBYTECODE")  # an installed memdir is compiled once
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return kept | {
        "XDG_CACHE_HOME": os.fspath(place / cache),
        "XDG_CONFIG_HOME": os.fspath(place / "config"),
        "PYTHONPATH": os.pathsep.join(filter(None, [os.fspath(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])),
        "PYTHONPYCACHEPREFIX": os.fspath(place / "compiled"),
        "PYTHONSAFEPATH": "1",  # nothing in the working directory is imported
        "LC_ALL": "C.UTF-8",
    }


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure, rounded to milliseconds and tenths of a megabyte."""
    return Cost(
        round(statistics.median(one.cpu for one in costs), 3),
        round(statistics.median(one.wall for one in costs), 3),
        round(statistics.median(one.peak_mb for one in costs), 1),
    )


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of one question within an open process: CPU, then wall."""

    p50: float
    p95: float
    wall_p50: float
    wall_p95: float


def latency(cpu: Sequence[float], wall: Sequence[float]) -> Latency:
    """From seconds of each question, 0 for none; percentiles by nearest rank."""
    return Latency(_rank(cpu, 0.5), _rank(cpu, 0.95), _rank(wall, 0.5), _rank(wall, 0.95))


def _rank(seconds: Sequence[float], share: float) -> float:
    ordered = sorted(seconds) or [0.0]
    return round(ordered[math.ceil(share * len(ordered)) - 1] * 1e3, 2)
