"""basic-memory to the rows: its server in an environment of its own, by its tools over standard streams."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals import basic_memory
from memdir.evals.reliability.peers.store import FOLDER, Session
from memdir.evals.stdio import Server


class BasicMemory:
    """basic-memory as a server of its own. `python`: the interpreter of its environment."""

    free = frozenset[str]()

    def __init__(self, place: Path, python: str) -> None:
        self.root, self.home, self._python = place / "vault", place / "home", python
        (self.root / FOLDER).mkdir(parents=True)
        self.home.mkdir()
        self._env = basic_memory.their_environment(self.home, self.root)
        told = subprocess.run([python, "-c", basic_memory._VERSION], capture_output=True, text=True, check=True)
        self.name = f"basic-memory {told.stdout.strip()}"

    @contextmanager
    def open(self) -> Iterator[Session]:
        with Server([self._python, *basic_memory.THEIR_MODULE, "mcp"], self._env) as server:
            yield _BasicMemory(server)

    def files(self) -> list[Path]:
        return [path for path in self.home.rglob("memory.db*") if path.is_file()]


class _BasicMemory:
    def __init__(self, server: Server) -> None:
        self._server = server

    def _call(self, tool: str, **given: object) -> str:
        if not all(_is_text(str(value)) for value in given.values()):
            raise MemdirError(f"{tool}: no text; the server would never answer")
        said = self._server.call(tool, given)
        if said.lstrip("# ").lower().startswith(("error", "edit failed", "note not found", "move failed", "cannot")):
            raise MemdirError(f"{tool}: {said[:200]}")
        return said

    def write(self, folder: str, title: str, text: str) -> str:
        said = self._call("write_note", title=title, directory=folder, content=text)
        path = next((line.partition(": ")[2] for line in said.splitlines() if line.startswith("file_path:")), "")
        if not path:
            raise MemdirError(f"write_note: {said[:200]}")
        return path

    def append(self, path: str, text: str) -> None:
        said = self._call("edit_note", identifier=path.removesuffix(".md"), operation="append", content=text)
        if "# Edited note" not in said:
            raise MemdirError(f"edit_note: {said[:200]}")

    def read(self, path: str) -> str:
        return self._call("read_content", path=path)

    def move(self, path: str, to: str) -> None:
        self._call("move_note", identifier=path.removesuffix(".md"), destination_path=to)

    def index(self, path: str) -> bool:
        return False

    def search(self, words: str) -> list[str]:
        said = self._call("search_notes", query=words, page_size=5, output_format="json")
        try:
            return [str(one["file_path"]) for one in json.loads(said)["results"]]
        except (ValueError, KeyError) as error:
            raise MemdirError(f"search_notes: {said[:200]}") from error


def _is_text(value: str) -> bool:
    """Whether it can be sent; half of a surrogate pair cannot."""
    return value.encode("utf-8", "replace").decode() == value
