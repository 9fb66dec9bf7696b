"""The adapter by which rows run against other tools: R4, R5, R8, R10 and S1 through the verbs that each gives an agent.

`memdir-reliability --peers PYTHON` runs them on memdir and on basic-memory, which lies in an environment of its own
(PYTHON is its interpreter) and is spoken to by its tools over standard streams. What a tool refuses with an error is
not counted as lost: only what it said was done. Writes below the folder it is given.
"""

import json
import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Protocol

import memdir
from memdir.app import plans, vaults
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals import basic_memory
from memdir.evals.reliability import paths, strikes
from memdir.evals.reliability.damage import DAMAGE
from memdir.evals.reliability.hostile import hostile
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import child, waited
from memdir.evals.reliability.writers import seen
from memdir.evals.stdio import Server
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault.draft import NewNote

FOLDER = "memory/ref"
WRITERS = 4
GRACE = 20.0  # seconds that a store has to come to itself


class Session(Protocol):
    """An open store, as an agent has it. Each verb raises MemdirError where the tool refuses."""

    def write(self, folder: str, title: str, text: str) -> str:
        """Make a note; the path it says."""
        ...

    def append(self, path: str, text: str) -> None: ...

    def read(self, path: str) -> str: ...

    def move(self, path: str, to: str) -> None: ...

    def search(self, words: str) -> list[str]:
        """Paths of what is found, best first."""
        ...


class Store(Protocol):
    """A tool on a folder. `index`: its own files, outside of the notes."""

    name: str
    root: Path

    def open(self) -> AbstractContextManager[Session]: ...

    def index(self) -> list[Path]: ...


class Ours:
    """memdir, through the methods that its interfaces call."""

    name = f"memdir {memdir.__version__}"

    def __init__(self, place: Path) -> None:
        self.root, self._cache = place / "vault", place / "cache"
        self.root.mkdir(parents=True)
        vaults.init(self.root, adopt=False)

    @contextmanager
    def open(self) -> Iterator[Session]:
        with Memory(self.root, options={"index_dir": os.fspath(self._cache), "embedder.kind": "none"}) as memory:
            yield _Ours(memory)

    def index(self) -> list[Path]:
        return [path for path in self._cache.rglob("*") if path.is_file() and path.name != "lock"]


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

    def search(self, words: str) -> list[str]:
        return [one.path for one in self._memory.recall(Question(words, Filters(), 5)).evidence]


class BasicMemory:
    """basic-memory as a server of its own."""

    def __init__(self, place: Path, python: str) -> None:
        self.root, self._home, self._python = place / "vault", place / "home", python
        (self.root / FOLDER).mkdir(parents=True)
        self._home.mkdir()
        self._env = basic_memory.their_environment(self._home, self.root)
        told = subprocess.run([python, "-c", basic_memory._VERSION], capture_output=True, text=True, check=True)
        self.name = f"basic-memory {told.stdout.strip()}"

    @contextmanager
    def open(self) -> Iterator[Session]:
        with Server([self._python, *basic_memory.THEIR_MODULE, "mcp"], self._env) as server:
            yield _Theirs(server)

    def index(self) -> list[Path]:
        return [path for path in self._home.rglob("memory.db*") if path.is_file()]


class _Theirs:
    def __init__(self, server: Server) -> None:
        self._server = server

    def _call(self, tool: str, **given: object) -> str:
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

    def search(self, words: str) -> list[str]:
        said = self._call("search_notes", query=words, page_size=5, output_format="json")
        try:
            return [str(one["file_path"]) for one in json.loads(said)["results"]]
        except (ValueError, KeyError) as error:
            raise MemdirError(f"search_notes: {said[:200]}") from error


def appends(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R4: four agents append lines to one note at once; every line that was acknowledged is in it."""
    each = max(1, count // WRITERS)
    found = Outcome(tried=each * WRITERS)
    with store.open() as session:
        path = session.write(FOLDER, "Race", "start")
    pids = [child(lambda who=who: _appender(store, path, who, each, place)) for who in range(WRITERS)]  # type: ignore[misc]
    for pid in pids:
        found.held(waited(pid) == 0, "a writer ended with an error")
    told = [line for who in range(WRITERS) for line in _lines(place / f"told.{who}")]
    text = (store.root / path).read_text("utf-8").splitlines()
    lost = [line for line in told if f"- {line}" not in text]
    found.faults += [f"{line} was acknowledged and is lost" for line in lost]
    found.figures |= {"acknowledged": len(told), "refused": each * WRITERS - len(told), "lost": len(lost)}
    return found


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _appender(store: Store, path: str, who: int, count: int, place: Path) -> None:
    with store.open() as session, (place / f"told.{who}").open("w", encoding="utf-8") as told:
        for number in range(count):
            with suppress(MemdirError):
                session.append(path, f"- line-{who}-{number:04}\n")
                told.write(f"line-{who}-{number:04}\n")
                told.flush()


def saves(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R5: a person saves a note, in place and by renaming, while an agent appends to it; no saved line is lost."""
    found = Outcome()
    with store.open() as session:
        for in_place in (True, False):
            path = session.write(FOLDER, f"Shared {'in place' if in_place else 'renamed'}", "start")
            note, each, agents = store.root / path, max(1, count // 2), 0
            human = child(partial(_person, note, each, seed, in_place))
            while strikes.ended(human) is None:
                with suppress(MemdirError):
                    session.append(path, f"- agent {agents}\n")
                    agents += 1
            time.sleep(3.0)
            with suppress(MemdirError):
                session.append(path, "- the end\n")
            texts = [one.read_text("utf-8", "replace") for one in note.parent.iterdir() if one.is_file()]
            lost = [number for number in range(each) if not any(f"H{number:05}" in text for text in texts)]
            how = "in place" if in_place else "by rename"
            found.faults += [f"save {number} ({how}) is in no file" for number in lost]
            found.figures |= {f"lost, {how}": len(lost), f"edits of the agent, {how}": agents}
            found.tried += each
    return found


def _person(note: Path, count: int, seed: int, in_place: bool) -> None:
    rng = random.Random(seed)
    for number in range(count):
        time.sleep(rng.uniform(0.05, 0.7))
        text = seen(note) + b"H%05d\n" % number
        if in_place:
            fd = os.open(note, os.O_WRONLY | os.O_TRUNC)
            os.write(fd, text[: len(text) // 2])
            time.sleep(rng.choice([0, 0.001]))
            os.write(fd, text[len(text) // 2 :])
            os.close(fd)
        else:
            swap = note.with_suffix(".swp")
            swap.write_bytes(text)
            swap.replace(note)


def fronts(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R8: files with hostile front matter lie in the folder; an agent appends a line to each: every byte that was
    there is there still, or the edit is refused."""
    found, rng = Outcome(), random.Random(seed)
    texts = {f"{FOLDER}/hostile-{number:04}.md": hostile(rng) for number in range(count)}
    for path, data in texts.items():
        (store.root / path).write_bytes(data)
    with store.open() as session:
        for path, data in texts.items():
            try:
                session.append(path, "- one line more\n")
            except MemdirError:
                found.count("refused")
            else:
                found.count("edited")
            now = (store.root / path).read_bytes() if (store.root / path).exists() else b""
            there = set(_kept(now))
            left = [line for line in _kept(data) if line not in there]
            found.held(not left, f"{path} lost lines, the first {left[:1]}")
            found.count("line ends changed", int(now.count(b"\r\n") < data.count(b"\r\n")))
            found.tried += 1
    return found


def _kept(data: bytes) -> list[bytes]:
    """The lines that an edit has no business with: all but the day that memdir keeps and blank ones."""
    lines = (line.rstrip(b"\r") for line in data.split(b"\n") if line.strip())
    return [line for line in lines if not line.lstrip(b"\xef\xbb\xbf").startswith(b"updated")]


def damages(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R10: the index is damaged while nobody has it open; within 20 s of the next start a search finds what it did."""
    found, rng, kinds = Outcome(), random.Random(seed), list(DAMAGE.items())
    with store.open() as session:
        paths_ = [session.write(FOLDER, f"Note {word}", f"The {word} is here.") for word in WORDS]
        before = {word: session.search(word)[:1] for word in WORDS}
    found.held(all(path in before[word] for word, path in zip(WORDS, paths_, strict=True)), "not found when whole")
    saved = place / "saved"
    files = {path: path.read_bytes() for path in store.index()}
    for number in range(count):
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        how, damage = kinds[number % len(kinds)]
        for path in store.index():
            made = damage(path.read_bytes(), rng)
            path.unlink() if made is None else path.write_bytes(made)
        try:
            with store.open() as session:
                end = time.monotonic() + GRACE
                while wrong := [word for word in WORDS if session.search(word)[:1] != before[word]]:
                    if time.monotonic() > end:
                        break
                    time.sleep(1.0)
            found.held(not wrong, f"index {how}: wrong or no answers, and no word of it: {wrong}")
        except (MemdirError, ValueError, OSError) as error:
            found.count("said that it cannot")
            said = re.sub(r"\S*/", "", str(error))  # no path of this machine
            found.faults.append(f"index {how}: does not answer: {said[:150]}")
        found.tried += 1
    shutil.rmtree(saved, ignore_errors=True)
    return found


WORDS = ("zebrafish", "kestrel", "hydrangea", "carburettor")


def escapes(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """S1: payloads as folder, title, path and destination: nothing outside of the folder is read or written."""
    found = Outcome()
    for folder in ("out", "vault-evil"):
        (place / folder).mkdir(exist_ok=True)
        (place / folder / "secret.md").write_text(f"# Secret\n\n{paths.SECRET}\n", encoding="utf-8")
    os.symlink(place / "out", store.root / FOLDER / "up")
    before = _outside(place, store)
    with store.open() as session:
        own = session.write(FOLDER, "Own", "text")
        for said in paths.payloads(count, seed):
            for name, tool in _tools(session, own, said).items():
                try:
                    given = repr(tool())
                except (MemdirError, ValueError):
                    continue
                found.held(
                    paths.SECRET not in given and paths.PASSWORDS not in given, f"{name} {said[:60]!r}: reads it"
                )
            after = _outside(place, store)
            new = sorted(path for path in after.keys() | before.keys() if after.get(path) != before.get(path))
            found.held(not new, f"{said[:60]!r}: outside of the folder {new[:2]} changed")
            before = after
            found.tried += 1
    return found


def _tools(session: Session, own: str, said: str) -> dict[str, Callable[[], object]]:
    return {
        "write, folder": lambda: session.write(said, "Evil", "evil"),
        "write, title": lambda: session.write(FOLDER, said, "evil"),
        "read": lambda: session.read(said),
        "append": lambda: session.append(said, "evil\n"),
        "move": lambda: session.move(own, said),
    }


def _outside(place: Path, store: Store) -> dict[str, bytes]:
    held = [*place.glob("*"), *(place / "out").rglob("*"), *(place / "vault-evil").rglob("*"), *place.parent.glob("*")]
    return {os.fspath(path): path.read_bytes() for path in held if path.is_file()}


def stores(python: str) -> Mapping[str, Callable[[Path], Store]]:
    """Every store by a name, made in a folder. `python`: the interpreter of basic-memory's environment."""
    return {"memdir": Ours, "basic-memory": lambda place: BasicMemory(place, python)}


Row = Callable[[Store, int, int, Path], Outcome]
# Row → (function, full count, units): counts that a server of another tool gets through in minutes.
PEERS: Mapping[str, tuple[Row, int, str]] = {
    "R4": (appends, 100, "appends by four agents"),
    "R5": (saves, 160, "saves"),
    "R8": (fronts, 60, "files"),
    "R10": (damages, 8, "damages"),
    "S1": (escapes, 100, "payloads"),
}
