"""What a tool is to the rows: a store on a folder, opened as an agent has it. Pure protocols."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from memdir.errors import MemdirError

FOLDER = "memory/ref"


class NoVerb(MemdirError):
    """The tool has no such verb."""


class NotTried(MemdirError):
    """The tool would do it, and to the machine that the rows run on."""


class Session(Protocol):
    """An open store, as an agent has it. Each verb raises MemdirError where the tool refuses."""

    def write(self, folder: str, title: str, text: str) -> str:
        """Make a note; the path it says."""
        ...

    def append(self, path: str, text: str) -> None: ...

    def read(self, path: str) -> str: ...

    def move(self, path: str, to: str) -> None: ...

    def index(self, path: str) -> bool:
        """Take in what lies at a path; False where the tool looks for what is new by itself."""
        ...

    def search(self, words: str) -> list[str]:
        """Paths of what is found, best first; those outside of the folder are absolute."""
        ...


class Store(Protocol):
    """A tool on the folder `root`; `home` holds what else is its own. `free`: the verbs of row S1 whose paths it takes
    as it is told them: it has no folder to stay in, so what leads out is a figure and no fault."""

    name: str
    root: Path
    home: Path
    free: frozenset[str]

    def open(self) -> AbstractContextManager[Session]: ...

    def files(self) -> list[Path]:
        """Those of its index."""
        ...
