"""A vault that basic-memory wrote is taken over as it is, and memdir answers at least as well as basic-memory did.

The set is `tests/data/basic-memory.jsonl`; what basic-memory found in it was measured with basic-memory installed
(`references/basic-memory.md`). Here nothing of it is needed: the harness is tried on a program that speaks as it does.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import driver
from memdir.errors import MemdirError
from memdir.evals import basic_memory, vault_set
from memdir.evals.dataset import Dataset
from memdir.evals.stdio import Server

FILE = Path(__file__).parents[1] / "data" / "basic-memory.jsonl"
PAGE = Path(__file__).parents[2] / "references" / "basic-memory.md"
THEIRS = {1: 15, 5: 20}  # hits of basic-memory 0.24.1 by words
THEIRS_BY_MEANING = {1: 21, 5: 27}  # the same with vectors of a multilingual model

# Speaks as basic-memory does: `reindex` stamps the notes that lack front matter, a search finds `b.md`, then `a.md`.
PRETENDER = f"""#!{sys.executable}
import json, os, pathlib, sys
found = {{"results": [{{"file_path": "b.md"}}, {{"file_path": "a.md"}}]}}
if sys.argv[1] == "-c":
    print("0.0.1")
elif sys.argv[3] == "reindex":
    for note in pathlib.Path(os.environ["BASIC_MEMORY_HOME"]).glob("*.md"):
        if not note.read_text().startswith("---"):
            note.write_text("---\\ntitle: t\\n---\\n" + note.read_text())
elif sys.argv[3] == "tool":
    print(json.dumps(found))
else:
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "tools/call":
            said = json.dumps(found) if "query" in asked["params"]["arguments"] else "what?"
            result = {{"content": [{{"type": "text", "text": said}}], "isError": said == "what?"}}
        else:
            result = {{}}
        if "id" in asked:
            print(json.dumps({{"method": "notifications/message"}}))
            print(json.dumps({{"id": asked["id"], "result": result}}), flush=True)
"""


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return vault_set.load(FILE)


@pytest.fixture
def pretender(tmp_path: Path) -> Path:
    path = tmp_path / "python"
    path.write_text(PRETENDER)
    path.chmod(0o700)
    return path


def _taken_over(dataset: Dataset, root: Path) -> None:
    basic_memory.lay(dataset, root)
    for command in (("init", "--adopt", root), ("sync", "--vault", root)):
        assert driver.run(*command).code == 0


def test_the_set_is_of_several_languages_and_kinds(dataset: Dataset) -> None:
    notes, queries = dataset.corpora[0].notes, dataset.queries
    assert 40 <= len(notes) <= 60
    assert len(queries) == 30
    assert {one.lang for one in queries} == {"en", "zh"}
    assert Counter(one.category for one in queries)["relation"] == 3
    stamped = [one for one in notes if "\npermalink: main/" in one.text]
    assert len(stamped) == len(notes) - 2, "two are by hand, as basic-memory has not seen them yet"
    assert all("## Observations\n- [" in one.text for one in stamped)


def test_by_words_more_is_found_than_basic_memory_found_and_no_byte_is_changed(
    dataset: Dataset, tmp_path: Path
) -> None:
    root = tmp_path / "vault"
    _taken_over(dataset, root)
    found, _ = basic_memory.ask(root, dataset.queries)
    hits = {k: basic_memory.hits(dataset.queries, found, k) for k in THEIRS}
    assert all(hits[k] >= THEIRS[k] for k in THEIRS), hits
    wanted = {note.path: note.text.encode() for note in dataset.corpora[0].notes}
    assert {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")} == wanted
    assert basic_memory.digests(root).keys() == wanted.keys(), "memdir put a file into the folder"


@pytest.mark.usefixtures("model")
def test_by_meaning_too_as_much_is_found_as_basic_memory_found_with_vectors(dataset: Dataset, tmp_path: Path) -> None:
    root = tmp_path / "vault"
    _taken_over(dataset, root)
    found, _ = basic_memory.ask(root, dataset.queries)
    hits = {k: basic_memory.hits(dataset.queries, found, k) for k in THEIRS}
    best = {k: max(THEIRS[k], THEIRS_BY_MEANING[k]) for k in THEIRS}
    assert all(hits[k] >= best[k] for k in best), hits


def test_the_page_says_what_the_tests_hold() -> None:
    page = PAGE.read_text("utf-8")
    for theirs in (THEIRS, THEIRS_BY_MEANING):
        assert f"| {theirs[1]} | {theirs[5]} |" in page


def test_the_harness_tells_who_found_what_and_who_changed_a_file(pretender: Path, tmp_path: Path) -> None:
    records = [
        {"note": "a.md", "text": "---\ntitle: Tea\n---\nThe tea is in the blue tin.\n"},
        {"note": "b.md", "text": "The spare key hangs behind the door.\n"},
        {"query": "where is the tea", "gold": ["a.md"], "category": "sentence", "lang": "en"},
    ]
    file = tmp_path / "set.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    command = [sys.executable, "-m", "memdir.evals.basic_memory", str(pretender), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=driver.SCRIPTS)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    (theirs,) = (line for line in told if line.startswith("| basic-memory 0.0.1 |"))
    assert theirs.startswith("| basic-memory 0.0.1 | 0 | 1 |")
    assert theirs.endswith("| 1 of 2 |")
    (ours,) = (line for line in told if line.startswith("| memdir |"))
    assert ours.startswith("| memdir | 1 | 1 |")
    assert ours.endswith("| 0 of 2 |")
    assert "| sentence | 1 | 0 / 1 | 1 / 1 | 1 / 1 |" in told
    assert "| where is the tea | 2 | 1 | 1 |" in told
    assert "basic-memory 0.0.1 changed: b.md." in told
    assert told[-1] == "basic-memory answers the same after memdir was there."


def test_a_file_that_is_new_gone_or_different_is_a_change(tmp_path: Path) -> None:
    for name in ("same", "gone", "other"):
        (tmp_path / name).write_text("1")
    before = basic_memory.digests(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "other").write_text("2")
    (tmp_path / "new").write_text("1")
    assert basic_memory.changed(before, basic_memory.digests(tmp_path)) == ("gone", "new", "other")


def test_a_tool_that_fails_or_a_server_that_ends_is_an_error(pretender: Path) -> None:
    with (
        Server([str(pretender), "-m", "x", "mcp"], {}) as server,
        pytest.raises(MemdirError, match="search_notes: what"),
    ):
        server.call("search_notes", {})
    with (
        pytest.raises(MemdirError, match="ended before it answered initialize"),
        Server([sys.executable, "-c", ""], {}),
    ):
        pass
