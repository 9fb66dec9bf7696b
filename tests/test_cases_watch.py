"""Public bug reports as tests: editors that save by renaming, and a watcher that its own work must not wake.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`. The watcher is a process of its
own; its idle minute is cut to 4 seconds, its 100 edits in 10 seconds to 40 in 4.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.recall.question import Question
from watcher import Watcher, ids_of, until

CASES = Path(__file__).parent / "cases"
STYLES = ("tmp", "backup", "trunc", "swap")


def found(root: Path, word: str) -> list[str]:
    """Paths that the index as it is finds by this very word: `edit1token` also answers to `edit`, a part of it.

    No look at the files, so that the watcher alone is held to what is found.
    """
    with Memory(root) as opened:
        question = Question(word, Filters(), limit=20)
        answer = opened.recall(question, fresh=False)
        while answer.source != "index":  # the watcher is writing it
            time.sleep(0.02)
            opened.drop_reader()
            answer = opened.recall(question, fresh=False)
    return [one.path for one in answer.evidence if word in " ".join(one.why).split()]


def state(*roots: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of every file below folders."""
    found = {file: file.lstat() for root in roots for file in root.rglob("*")}
    return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in found.items()}


def lasts(seconds: float, *roots: Path) -> bool:
    """Whether nothing is written below folders for so long."""
    before = state(*roots)
    time.sleep(seconds)
    return state(*roots) == before


def test_watch_01_four_ways_to_save(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    assert run("init", root, "--adopt").code == 0
    with Watcher(root) as watcher:
        script = (CASES / "WATCH-01/saves.py").read_text(encoding="utf-8").replace("time.sleep(3)", "time.sleep(1)")
        saves = subprocess.Popen([sys.executable, "-c", script, root])
        assert until(lambda: watcher.count("added") == 4)
        ids = ids_of(root)
        assert saves.wait(60) == 0
        assert until(lambda: all(found(root, f"{one}round5") == [f"{one}.md"] for one in STYLES), 5)  # WATCH-01 (1)
        assert [found(root, f"{one}round{n}") for one in STYLES for n in range(1, 5)] == [[]] * 16
        assert sorted(ids_of(root)) == sorted(f"{one}.md" for one in STYLES)  # WATCH-01 (2)
        assert ids_of(root) == ids  # WATCH-01 (3)
        assert (watcher.count("added"), watcher.count("removed", "moved")) == (4, 0)
    assert watcher.notices == []


def test_watch_02_its_own_work_wakes_nobody(run: Run, vault: Callable[..., Path], home: Path, tree: Tree) -> None:
    root = vault()
    for number in range(300):
        path = root / f"memory/ref/n{number}.md"
        path.write_text(f"---\nname: N {number}\ntype: ref\n---\nabout number {number}\n", encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    cache = home / "cache"
    with Watcher(root) as watcher:
        assert watcher.lines[0]["report"]["added"] == 301  # with MEMORY.md
        assert "MEMORY.md" in watcher.lines[0]["written"]
        time.sleep(2.5)  # the one more look after MEMORY.md
        spent, digests = cpu(watcher), tree(root)
        assert lasts(4, root, cache) or lasts(4, root, cache)  # WATCH-02 (1)
        assert tree(root / "memory") == {k[7:]: v for k, v in digests.items() if k.startswith("memory/")}
        assert cpu(watcher) - spent <= 0.02 * 4
        assert len(watcher.lines) == 1

        append(root, 7, "solitary")
        assert until(lambda: found(root, "solitary") == ["memory/ref/n7.md"])
        time.sleep(2)
        assert len(watcher.looks) <= 2  # WATCH-02 (2)

        before_edits = len(watcher.looks)
        for number in range(40):
            append(root, number, f"edit{number}token")
            time.sleep(0.1)
        assert until(lambda: watcher.count("modified") >= 41)
        assert all(found(root, f"edit{n}token") == [f"memory/ref/n{n}.md"] for n in range(40))
        assert len(watcher.looks) - before_edits <= 4  # WATCH-02 (3)


def append(root: Path, number: int, text: str) -> None:
    with (root / f"memory/ref/n{number}.md").open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def cpu(watcher: Watcher) -> float:
    """Seconds of processor time that the watcher has used; 0 where /proc does not tell."""
    if not os.path.exists("/proc/self/stat"):
        return 0.0
    fields = Path(f"/proc/{watcher.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
