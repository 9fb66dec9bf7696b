"""memsearch to the rows: its command line in an environment of its own, a process a verb as its agents run it.

Its agents write notes with their own file tools, so of its verbs only `compact` writes: it appends what a model says of
the index to `memory/DATE.md` below a folder. The model is a script that says what a row wants appended, and embeds
words by their digests. What is read by a path is read with the tool that its maintenance gives a model.
"""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from memdir.errors import MemdirError
from memdir.evals import scripted
from memdir.evals.reliability.peers.store import FOLDER, NotTried, NoVerb, Session
from memdir.evals.reliability.strikes import child, stopping

SAY = "\n\nSay: "  # what follows it in a prompt is what the model says
EMBEDDER = "vectors of hashed words"
DIMENSION = 64
LIMIT = 120  # seconds of one command
_VERSION = "from importlib.metadata import version; print(version('memsearch'))"
# Reads as a model of the maintenance does: arguments are the folder and a command.
_READ = """import sys, pathlib
from memsearch import maintenance
root = pathlib.Path(sys.argv[1])
task = maintenance.TaskContext("claude-code", "project_review", None, root, root, root, root / "PROJECT.md", "")
print(maintenance.run_memory_command(sys.argv[2], task))
"""


def reply(body: Any) -> Any:
    """The model: vectors for texts, or what a prompt tells it to say."""
    if "messages" in body:
        return body["messages"][-1]["content"].rpartition(SAY)[2]
    return scripted.Embedded([_vector(text) for text in body["input"]])


def _vector(text: str) -> list[float]:
    """The sum of the vectors of its words."""
    rows = [scripted.vector(word, DIMENSION) for word in re.findall(r"\w+", text.lower()) or [text]]
    return [sum(column) for column in zip(*rows, strict=True)]


class Memsearch:
    """memsearch with Milvus Lite. `python`: the interpreter of its environment."""

    free = frozenset(("write, folder", "write, title", "index"))

    def __init__(self, place: Path, python: str) -> None:
        self.place, self.python = place, python
        self.root, self.home = place / "vault", place / "home"
        (self.root / FOLDER).mkdir(parents=True)
        self.home.mkdir()
        self.seed = self.root / "seed.md"  # compact needs something to say something of
        self.seed.write_text("# Seed\n\nA sentence to begin with.\n", encoding="utf-8")
        told = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=True)
        self.name = f"memsearch {told.stdout.strip()}, {EMBEDDER}"

    @contextmanager
    def open(self) -> Iterator[Session]:
        """Beside a model; the folder is indexed first, as its plugin does at the start of a session."""
        server = scripted.Server(reply, (), usage=True)
        pid = child(server.serve_forever)
        server.server_close()
        with stopping(pid):
            session = _Memsearch(self, server.url)
            with suppress(MemdirError):
                session.index(".")
            yield session

    def files(self) -> list[Path]:
        return [path for path in (self.home / "milvus.db").rglob("*") if path.is_file() and path.name != "LOCK"]


class _Memsearch:
    def __init__(self, store: Memsearch, url: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MEM", "XDG_"))}
        self._env = kept | {"HOME": os.fspath(store.home), "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url}
        self._store = store

    def _ran(self, *words: str) -> tuple[str, str]:
        """What a command of its environment says, and what it warns of."""
        command = [self._store.python, *words]
        ran = subprocess.run(
            command, cwd=self._store.root, env=self._env, capture_output=True, timeout=LIMIT, check=False
        )
        said, warned = (data.decode("utf-8", "replace") for data in (ran.stdout, ran.stderr))
        if ran.returncode:
            raise MemdirError(f"memsearch: {(warned.strip() or said.strip()).splitlines()[-1:]}")
        return said, warned

    def _told(self, verb: str, *words: str) -> tuple[str, str]:
        index = os.fspath(self._store.home / "milvus.db")
        return self._ran("-m", "memsearch", verb, "--provider=openai", "--model=words", f"--milvus-uri={index}", *words)

    def write(self, folder: str, title: str, text: str) -> str:
        below = f"{folder}/{title}"
        if not self._within(below):
            raise NotTried(f"compact: {below[:60]!r} is outside of the row's own folder")
        said, _ = self._told(
            "compact", f"--output-dir={below}", f"--source={self._store.seed}", f"--prompt={{chunks}}{SAY}{text}"
        )
        if not said.startswith("Compact complete"):
            raise MemdirError(f"compact: {said[:200]}")
        return f"{below}/{_day()}"

    def _within(self, path: str) -> bool:
        try:
            return self._store.place in (self._store.root / path).resolve().parents
        except (OSError, ValueError):
            return True  # no name of a file

    def append(self, path: str, text: str) -> None:
        if not path.endswith(f"/{_day()}"):
            raise NoVerb("memsearch appends to the day's file alone")
        folder, title = os.path.split(path.removesuffix(f"/{_day()}"))
        self.write(folder, title, text)

    def read(self, path: str) -> str:
        said, _ = self._ran("-c", _READ, os.fspath(self._store.root), f"grep -h '' {shlex.quote(path)}")
        if said.startswith(("Error: ", "grep: ")):
            raise MemdirError(f"maintenance: {said[:200]}")
        return said

    def move(self, path: str, to: str) -> None:
        raise NoVerb("memsearch moves no file")

    def index(self, path: str) -> bool:
        _, warned = self._told("index", "--", path)
        if "Failed to index" in warned:
            raise MemdirError(f"index: {warned.splitlines()[-1][:200]}")
        return True

    def search(self, words: str) -> list[str]:
        said, _ = self._told("search", "--json-output", "--top-k=5", "--", words)
        try:
            found = [Path(one["source"]) for one in json.loads(said)]
        except (ValueError, KeyError) as error:
            raise MemdirError(f"search: {said[:200]}") from error
        root = self._store.root
        return [os.fspath(path.relative_to(root) if path.is_relative_to(root) else path) for path in found]


def _day() -> str:
    return f"memory/{datetime.now():%Y-%m-%d}.md"
