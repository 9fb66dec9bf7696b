"""Fixtures that every test may use: folders of its own and vaults of its own, never the user's.

`run` and `program` drive the command line (see `driver`), `tree` takes the digest of every file below a folder.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import driver

# As memdir sets it, before any test imports numpy: with threads one text takes 8 times as long on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
CASES = Path(__file__).parent / "cases"
NOT_INPUT = ("*.py", "*.tsv", "*.csv", "*.json", "*.txt")
IN_MEMORY = "/dev/shm"
ROOM = 2**30  # bytes; the folders of all tests that run hold 0.7 GB at most


def _has_room(place: str) -> bool:
    """Whether tests can work there: write, run programs, hold what they make."""
    if not os.access(place, os.W_OK) or os.statvfs(place).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(place).free > ROOM


# Half of the time of all tests is waiting for a disk, because what memdir writes is flushed. Memory is not waited for.
if "TMPDIR" not in os.environ and _has_room(IN_MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = IN_MEMORY


def pytest_collection_finish() -> None:
    """What was collected lives to the end; to look at it again took half of the time of collecting garbage."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """`-n 2` alone is `--dist loadfile`: what a module makes once for its tests is not made by every worker."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user of its own for each test: home, cache and settings in a folder apart, no memdir variable set."""
    place = Path(tempfile.mkdtemp(prefix="home-", dir=tmp_path_factory.getbasetemp()))  # mktemp lists all others
    for name in [name for name in os.environ if name.startswith("MEMDIR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", os.fspath(place))
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(place / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(place / "config"))
    monkeypatch.setenv("MEMDIR_EMBEDDER_KIND", "none")  # to unpack the model takes 2 s; `model` turns it on
    monkeypatch.chdir(place)
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded model's tables, unpacked once for all tests."""
    from memdir.llm import use_tables

    path = tmp_path_factory.mktemp("model") / use_tables.FILE
    use_tables.load(path)
    return path


@pytest.fixture
def model(home: Path, unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This test's user has the model; never write into the file, it is that of all tests."""
    monkeypatch.delenv("MEMDIR_EMBEDDER_KIND")
    place = home / "cache" / "memdir" / "models" / unpacked.name
    place.parent.mkdir(parents=True)
    os.link(unpacked, place)
    return place


@pytest.fixture
def run() -> driver.Run:
    """`run("recall", "zsh", "--json", vault=root)`: one command in this process."""
    return driver.run


@pytest.fixture
def program() -> driver.Run:
    """As `run`, as a process of its own."""
    return driver.program


@pytest.fixture
def tree() -> driver.Tree:
    """`tree(root)`: path → digest of every file, hidden ones too."""
    return driver.tree


@pytest.fixture
def vault(tmp_path: Path) -> Callable[..., Path]:
    """`vault()` makes a vault with `memdir init`; `vault("NOTE-01")` adopts a folder with the notes of that case."""

    def make(case: str = "", *, name: str = "vault", adopt: bool | None = None) -> Path:
        root = tmp_path / name
        if case:
            shutil.copytree(CASES / case, root, ignore=shutil.ignore_patterns(*NOT_INPUT))
        else:
            root.mkdir()
        adopted = bool(case) if adopt is None else adopt
        result = driver.run("init", root, *(["--adopt"] if adopted else []))
        assert result.code == 0, result.err
        return root

    return make
