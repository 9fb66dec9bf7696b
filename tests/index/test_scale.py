"""A vault of 12,000 notes (SCALE-02): a first index that is killed goes on, what has not changed is not written, and a
server answers while the first index is made."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import driver
from memdir.index import apply

NOTES = 12_000
CLIENT = {"name": "test", "version": "0"}
WORDS = "pump valve roof seed lamp gate hose tank fuse wire".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("vault")
    chance = random.Random(1)
    for number in range(NOTES):
        path = made / f"d{number % 120:03}" / f"n{number:05}.md"
        path.parent.mkdir(exist_ok=True)
        said = " ".join(chance.choices(WORDS, k=150))
        path.write_text(f"---\ntitle: Note {number}\ntags: [t{number % 50}]\n---\nuniq{number} {said}\n", "utf-8")
    return made


def _indexed(cache: Path) -> int:
    """How many files the index under way has finished."""
    for file in cache.rglob("index.db"):
        try:
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
                return int(db.execute("SELECT count(*) FROM files").fetchone()[0])
        except sqlite3.Error:
            continue
    return 0


def _tree(place: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}


@pytest.mark.skipif(sys.platform == "win32", reason="nothing kills a process there as SIGKILL does")
def test_a_killed_first_index_goes_on(root: Path, tmp_path: Path, run: driver.Run) -> None:
    place = tmp_path / "cache"
    env = {"XDG_CACHE_HOME": str(place), "MEMDIR_EMBEDDER_KIND": "none"}
    assert run("init", "--adopt", root, **env).code == 0
    command = [sys.executable, "-m", "memdir", "--vault", str(root), "sync"]
    with subprocess.Popen(
        command, env=driver.environment(env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as one:
        while one.poll() is None and _indexed(place) < NOTES // 2:
            time.sleep(0.02)
        os.kill(one.pid, signal.SIGKILL)
    done = _indexed(place)
    again = run("sync", "--json", vault=root, **env).json["report"]
    # SCALE-02 (1)
    assert again["added"] + again["modified"] <= min(0.6 * NOTES, NOTES - done + apply.BATCH)
    vault = _tree(root)
    still = run("sync", "--json", vault=root, **env).json["report"]
    assert (still["added"], still["modified"], still["removed"]) == (0, 0, 0)
    assert _tree(root) == vault
    changed = root / "d000" / "n00000.md"
    changed.write_text(changed.read_text("utf-8") + "zebrafish\n", "utf-8")
    assert run("sync", "--json", vault=root, **env).json["report"]["modified"] == 1  # SCALE-02 (2)
    assert run("recall", "zebrafish", "--json", vault=root, **env).paths[0] == "d000/n00000.md"
    assert run("recall", "uniq11999", "--json", vault=root, **env).paths[0] == "d119/n11999.md"  # SCALE-02 (4)


def test_a_server_answers_while_the_first_index_is_made(root: Path, tmp_path: Path, run: driver.Run) -> None:
    pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")
    place = tmp_path / "cache"
    env = {"XDG_CACHE_HOME": str(place), "MEMDIR_EMBEDDER_KIND": "none"}
    assert run("init", "--adopt", root, **env).code == 0
    command = [sys.executable, "-m", "memdir", "--vault", str(root), "mcp"]
    asked = [
        {"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}},
        {"method": "tools/call", "params": {"name": "memory_recall", "arguments": {"query": "uniq11999"}}},
    ]
    with subprocess.Popen(
        command, env=driver.environment(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as one:
        assert one.stdin
        assert one.stdout
        answers = []
        for number, request in enumerate(asked):
            one.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, **request}).encode() + b"\n")
            one.stdin.flush()
            answers.append(json.loads(one.stdout.readline()))
        done = _indexed(place)
        one.stdin.close()
        assert one.wait(10) == 0
    assert done < NOTES, "the index was made before anything was asked"
    assert answers[0]["result"]["serverInfo"]["name"] == "memdir"
    found = answers[1]["result"]["structuredContent"]
    assert "index incomplete" in " ".join(found["notices"])  # SCALE-02 (3)
    assert found["found"][0]["id"].startswith("d119/n11999.md:")
