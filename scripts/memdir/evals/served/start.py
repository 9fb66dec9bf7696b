"""How soon a server that a client starts gives its first answer, beside what it is made of."""

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memdir.evals.served.processes import command
from memdir.evals.stdio import Server


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds, medians: to load the SDK, of a cold recall, from the start to an answer, and this by their sum."""

    sdk: float
    recall: float
    answer: float
    ratio: float


def run(root: Path, env: Mapping[str, str], question: str, times: int) -> Start:
    """Measure in turn, so that a busy moment meets all three."""
    sdk, recall, answer = [], [], []
    _answer(root, env, question)  # compiles what is not compiled yet
    for _ in range(times):
        sdk.append(_ran(env, [sys.executable, "-c", "import mcp.server"]))
        recall.append(_ran(env, command(root, "recall", question)))
        answer.append(_answer(root, env, question))
    one, two, all_ = (round(statistics.median(each), 3) for each in (sdk, recall, answer))
    return Start(one, two, all_, round(all_ / (one + two), 2))


def _ran(env: Mapping[str, str], words: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=dict(env), capture_output=True, check=False)
    return time.perf_counter() - began


def _answer(root: Path, env: Mapping[str, str], question: str) -> float:
    began = time.perf_counter()
    with Server(command(root, "mcp"), env) as server:
        server.call("memory_recall", {"query": question})
        taken = time.perf_counter() - began
    return taken
