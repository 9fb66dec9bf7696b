"""memdir to the rows that run on other tools too, through the methods that its interfaces call."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import memdir
from memdir.app import plans, vaults
from memdir.app.memory import Memory
from memdir.evals.reliability.peers.store import FOLDER, Session
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault.draft import NewNote


class Ours:
    """memdir with an index of words."""

    name, free = f"memdir {memdir.__version__}", frozenset[str]()

    def __init__(self, place: Path) -> None:
        self.root, self.home = place / "vault", place / "cache"
        self.root.mkdir(parents=True)
        vaults.init(self.root, adopt=False)

    @contextmanager
    def open(self) -> Iterator[Session]:
        with Memory(self.root, options={"index_dir": os.fspath(self.home), "embedder.kind": "none"}) as memory:
            yield _Ours(memory)

    def files(self) -> list[Path]:
        return [path for path in self.home.rglob("*") if path.is_file() and path.name != "lock"]


class _Ours:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def write(self, folder: str, title: str, text: str) -> str:
        made = self._memory.new(NewNote(title, "ref", text)).path
        if folder != FOLDER:
            made = self._memory.move(made, f"{folder}/").path or made
        return made

    def append(self, path: str, text: str) -> None:
        self._memory.root.recover()
        self._memory.edit(path, plans.Edited("append", text))

    def read(self, path: str) -> str:
        return self._memory.read(path).text

    def move(self, path: str, to: str) -> None:
        self._memory.move(path, to)

    def index(self, path: str) -> bool:
        return False

    def search(self, words: str) -> list[str]:
        return [one.path for one in self._memory.recall(Question(words, Filters(), 5)).evidence]
