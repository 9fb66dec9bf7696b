"""Public bug reports as tests: several processes on one index, an index that is damaged, a writer that is killed.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`. The minute of STORE-01 is as long as
its notes take to be written, its 100 notes are 20; STORE-03 has 8 rounds in place of 30, over 12 notes in place of 50.
"""

import errno
import os
import random
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import driver
from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.evals import stdio
from memdir.vault.disk.syscalls import sys_calls

CASES = Path(__file__).parent / "cases"
NOTES = 20
MODES = ("toc0", "segdel", "seghalf", "dbjunk", "dbdel", "all")
WAITED = 0.5  # seconds that a search may ask to sleep, for whatever another process holds
ROUNDS, REWRITTEN = 8, 12
AGAIN = """
import itertools, sys
from pathlib import Path
from memdir.app.memory import Memory
from memdir.app.plans import Edited
with Memory(Path(sys.argv[1]), options={"files.settle": 0.0, "embedder.kind": "none"}) as memory:
    for turn in itertools.count(1):
        for number in range(int(sys.argv[2])):
            text = f"turn {turn} " + "pump valve " * 400 + "END\\n"
            path = f"memory/project/note-{number}.md"
            memory.edit(path, Edited("replace", text, base=memory.show(path)["digest"]))
        print(turn, flush=True)
"""


@pytest.fixture
def syncing(vault: Callable[..., Path]) -> Iterator[Path]:
    """A vault that another process syncs all the time."""
    root = vault()
    loop = f"while true; do '{sys.executable}' -m memdir --vault '{root}' sync 2>&1; done"
    said = root.parent / "syncs.txt"
    with said.open("wb") as out:
        one = subprocess.Popen(["bash", "-c", loop], env=driver.environment({}), stdout=out, start_new_session=True)
        try:
            yield root
        finally:
            os.killpg(one.pid, signal.SIGTERM)
            one.wait()
    assert not any(word in said.read_text("utf-8") for word in ("locked", "LockError", "Traceback"))  # STORE-01 (1)


def test_store_01_two_clients_and_a_search_while_it_syncs(
    syncing: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")
    command = [sys.executable, "-m", "memdir", "--vault", os.fspath(syncing), "mcp"]
    said, waits, sleep = list[str](), list[float](), time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: (waits.append(seconds), sleep(seconds)))
    with stdio.Server(command, driver.environment({})) as server:
        for number in range(NOTES):
            body = {"title": f"Meter {number}", "content": f"reads uniq{number}", "type": "ref"}
            said.append(server.call("memory_write", body))
            if number % 4 == 0:
                waits.clear()
                found = run("recall", f"uniq{number}", vault=syncing)
                assert sum(waits) < WAITED  # STORE-01 (3): what it waits for; how long it works is the machine's
                said.append(found.out + found.err)
                assert found.code == 0
    assert not [one for one in said if "locked" in one or "LockError" in one]
    assert run("sync", vault=syncing).code == 0
    for number in range(NOTES):
        assert f"uniq{number}" in (syncing / f"memory/ref/meter-{number}.md").read_text("utf-8")
        assert run("recall", f"uniq{number}", "--json", vault=syncing).paths[0] == f"memory/ref/meter-{number}.md"
        # STORE-01 (2)


@pytest.mark.parametrize("mode", MODES)
def test_store_02_a_damaged_index_is_made_anew(
    mode: str, vault: Callable[..., Path], run: Run, home: Path, tree: Tree
) -> None:
    root = vault()
    for number in range(6):
        run("new", f"Pump {number}", "--body", f"The relief valve of pump {number} opens at {number} bar.", vault=root)
    run("sync", vault=root)
    asked = ("recall", "relief valve of pump 3", "--json")
    fresh, before = run(*asked, vault=root).paths, tree(root / "memory")
    (place,) = home.glob("cache/memdir/*-*/gen-*")
    sys_argv, sys.argv = sys.argv, ["damage.py", os.fspath(place), mode]
    try:
        runpy.run_path(os.fspath(CASES / "STORE-02/damage.py"))
    finally:
        sys.argv = sys_argv
    found = run(*asked[:2], vault=root)
    assert found.code == 0
    assert "pump-3.md" in found.out
    assert "Traceback" not in found.out + found.err  # STORE-02 (1)
    assert run("rebuild", vault=root).code == 0
    assert run(*asked, vault=root).paths == fresh  # STORE-02 (2)
    assert {path: mark for path, mark in tree(root / "memory").items() if "ledger" not in path} == {
        path: mark for path, mark in before.items() if "ledger" not in path
    }  # STORE-02 (3)


def test_store_03_killed_in_the_middle_of_a_save(vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    for number in range(REWRITTEN):
        run("new", f"Note {number}", "--body", "turn 0 END", vault=root)
    chance = random.Random(3)
    for _ in range(ROUNDS):
        command = [sys.executable, "-c", AGAIN, os.fspath(root), str(REWRITTEN)]
        with subprocess.Popen(command, env=driver.environment({}), stdout=subprocess.PIPE) as one:
            assert one.stdout
            assert one.stdout.readline()  # it is at work
            time.sleep(chance.uniform(0.05, 0.5))
            one.kill()
        for number in range(REWRITTEN):
            said = (root / f"memory/project/note-{number}.md").read_text("utf-8").split()
            assert said[-1] == "END"
            assert said.count("turn") == 1  # STORE-03 (1)
        listed = run("list", "--json", vault=root)
        assert listed.code == 0
        assert sorted(one["path"] for one in listed.json["notes"] if "/project/" in one["path"]) == sorted(
            f"memory/project/note-{number}.md" for number in range(REWRITTEN)
        )
    assert run("sync", vault=root).code == 0
    names = {file.name for file in (root / "memory/project").iterdir()}
    assert names == {f"note-{number}.md" for number in range(REWRITTEN)}  # STORE-03 (2)


def test_store_03_a_disk_that_is_full(
    vault: Callable[..., Path], run: Run, monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    root = vault()
    run("new", "Note", "--body", "old text END", vault=root)
    before = (root / "memory/project/note.md").read_bytes()
    with Memory(root) as memory:
        base = str(memory.show("Note")["digest"])

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(sys_calls, "write", full)
        refused = run("edit", "Note", "--replace", "--base", base, stdin="new text END", vault=root)
    assert refused.code != 0
    assert os.strerror(errno.ENOSPC) in refused.err
    assert (root / "memory/project/note.md").read_bytes() == before  # STORE-03 (3)
    assert list(tree(root / "memory/project")) == ["note.md"]
