"""Many clients at once, each asking as fast as it is answered."""

import itertools
import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals.cost import resident
from memdir.evals.served.processes import Web, web

EVERY = 1.0  # seconds between two looks at the memory


@dataclass(slots=True)
class Load:
    """Milliseconds of a recall; megabytes of the server ten times over, the last at the end."""

    clients: int
    seconds: float
    requests: int = 0
    errors: list[str] = field(default_factory=list)
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    ratio: float = 0.0
    megabytes: list[float] = field(default_factory=list)


def run(root: Path, env: Mapping[str, str], questions: Sequence[str], clients: int, seconds: float) -> Load:
    """Load a server of an indexed vault. Errors are counted, never raised."""
    done = Load(clients, seconds)
    taken: list[float] = []
    with web(root, env) as (port, token, pid):
        first = Web(port, token)
        first.call("memory_recall", query=questions[0])  # what loads at first is not measured
        first.close()
        until = time.monotonic() + seconds

        def ask(number: int) -> None:
            held = Web(port, token)
            for question in itertools.islice(itertools.cycle(questions), number, None):
                began = time.monotonic()
                if began >= until:
                    break
                try:
                    result = held.call("memory_recall", query=question)
                    if result["isError"]:
                        done.errors.append(str(result["content"]))
                except (MemdirError, OSError) as error:
                    done.errors.append(f"{type(error).__name__}: {error}")
                taken.append(time.monotonic() - began)
            held.close()

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        sizes = []
        while time.monotonic() < until:
            time.sleep(min(EVERY, seconds / 10))
            sizes.append(resident(pid))
        for thread in threads:
            thread.join()
    done.requests = len(taken)
    ordered = sorted(taken) or [0.0]
    done.p50, done.p95, done.p99 = (
        round(ordered[math.ceil(share * len(ordered)) - 1] * 1e3, 1) for share in (0.5, 0.95, 0.99)
    )
    done.ratio = round(done.p99 / done.p50, 2) if done.p50 else 0.0
    done.megabytes = [round(sizes[len(sizes) * part // 10 - 1], 1) for part in range(1, 11)]
    return done
