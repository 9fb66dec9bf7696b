"""Every tool that the rows run on, by its name."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from memdir.evals.reliability.peers.basic_memory import BasicMemory
from memdir.evals.reliability.peers.memsearch import Memsearch
from memdir.evals.reliability.peers.ours import Ours
from memdir.evals.reliability.peers.store import Store

OTHERS: Mapping[str, Callable[[Path, str], Store]] = {"basic-memory": BasicMemory, "memsearch": Memsearch}


def stores(pythons: Mapping[str, str]) -> Mapping[str, Callable[[Path], Store]]:
    """memdir and each tool that an interpreter is given of: what makes its store in a folder."""

    def other(name: str, place: Path) -> Store:
        return OTHERS[name](place, pythons[name])

    return {"memdir": Ours} | {name: partial(other, name) for name in pythons}
