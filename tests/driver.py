"""Drives memdir as its users do: the command line, in this process or as one of its own, on real files.

`conftest.py` hands these out as fixtures. Writes below the test's own folders only.
"""

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
# KB that a process held at most, asked within it on Linux; `ru_maxrss` would begin with those of its parent.
PEAK = "next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM'))"


@dataclass(frozen=True, slots=True)
class Result:
    """What one command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output; fails when there is anything else."""
        return json.loads(self.out)

    @property
    def paths(self) -> list[str]:
        """Paths of the evidence of `recall --json`, best first, or of the notes of `list --json`."""
        found = self.json
        return [one["path"] for one in (found["evidence"] if "evidence" in found else found["notes"])]


Run = Callable[..., Result]
Tree = Callable[[Path], dict[str, str]]


def run(*args: object, vault: Path | None = None, stdin: str | None = None, **env: str) -> Result:
    """One command in this process. `stdin` None: standard input is empty; `env`: variables of this call."""
    from memdir.interfaces.cli.main import run as command

    out, err = _stream(), _stream()
    with _call(stdin or "", env), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command(_line(vault, args))
    return Result(code, _text(out), _text(err))


def program(*args: object, vault: Path | None = None, stdin: str | None = None, **env: str) -> Result:
    """One command as a process of its own; what it prints is read as UTF-8, odd bytes replaced."""
    done = subprocess.run(
        [sys.executable, "-m", "memdir", *_line(vault, args)],
        input=(stdin or "").encode(),
        capture_output=True,
        env=environment(env),
        timeout=60,
    )
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Environment of a process that runs memdir from this checkout."""
    return {**os.environ, "PYTHONPATH": os.fspath(SCRIPTS), **more}


def calls(work: Callable[[], object]) -> int:
    """How many functions some work calls, Python's own among them: the same number on a busy machine and an idle one.
    What happens within one call, a search by a pattern for one, is not seen."""
    seen = 0

    def see(_frame: object, event: str, _given: object) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return seen


@contextlib.contextmanager
def shared(factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty vault without vectors, and a home of its own, for the tests of a module that only read it."""
    with pytest.MonkeyPatch.context() as patch:
        home = factory.mktemp("home")
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(home))
        patch.setenv("MEMDIR_EMBEDDER_KIND", "none")
        patch.setenv("MEMDIR_TIMEZONE", "UTC")
        place = factory.mktemp("vaults") / "vault"
        place.mkdir()
        assert run("init", place).code == 0
        yield place


def unbounded(pattern: str) -> list[bool]:
    """Of each part of a pattern, whether a run without a bound stands in it: two of them, or one before what must
    follow, are read again from every place of a text."""

    def runs_on(part: object) -> bool:
        parts = isinstance(part, (tuple, list, _parser.SubPattern))
        return any(map(runs_on, part)) if parts else part is _parser.MAXREPEAT  # type: ignore[arg-type]

    return [*map(runs_on, _parser.parse(pattern))]


def tree(root: Path) -> dict[str, str]:
    """Path → digest of every file below a folder, hidden ones too; links by what they say, folders by a mark."""
    paths = [Path(place, name) for place, folders, names in os.walk(root) for name in [*folders, *names]]
    return {path.relative_to(root).as_posix(): _mark(path) for path in sorted(paths)}


def _mark(path: Path) -> str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()


@contextlib.contextmanager
def _call(stdin: str, env: Mapping[str, str]) -> Iterator[None]:
    """Environment and standard input of one call, put back afterwards."""
    before, given = os.environ.copy(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    os.environ.update(env)
    try:
        yield
    finally:
        sys.stdin = given
        os.environ.clear()
        os.environ.update(before)


def _line(vault: Path | None, args: tuple[object, ...]) -> list[str]:
    chosen = [] if vault is None else ["--vault", os.fspath(vault)]
    return [*chosen, *(os.fspath(arg) if isinstance(arg, Path) else str(arg) for arg in args)]


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", newline="", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode()
