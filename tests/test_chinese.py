"""Real Chinese vaults: adopted, synced and asked twenty questions each, written from their text before recall was seen.

A question is found where one of the notes that answer it is among the first five. The vaults are no part of the
project; without them nothing is asked.
"""

import json
import os
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

import driver
from memdir.app.memory import Memory
from memdir.index.drain import Limits
from memdir.index.filters import Filters
from memdir.recall.question import Question

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[2] / "shared")
QUESTIONS = Path(__file__).parent / "data" / "chinese.jsonl"
ASKED = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
# Of twenty, at least: as it is set, and by words alone. Wanted are 18 as it is set; what was tried is in recall.md.
FLOORS = {
    "obsidian/blue-topaz-zh": (18, 18),
    "obsidian/knowledge-garden-zh": (18, 18),
    "obsidian/obsidian-help-zh": (18, 18),
    "openclaw/robertsong2019": (18, 18),
    "openclaw/kindomLee-template": (18, 17),  # by words alone no English guide is found
}


def missed(memory: Memory, vault: str) -> list[str]:
    """The questions about a vault whose answer is not among the first five."""
    return [
        one["query"]
        for one in ASKED
        if one["vault"] == vault
        and not {found.path for found in memory.recall(Question(one["query"], Filters(), 5)).evidence} & {*one["gold"]}
    ]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("vault", FLOORS)
def test_chinese_questions_find_their_note_among_the_first_five(vault: str, tmp_path: Path, run: driver.Run) -> None:
    source, root = SHARED / "samples" / vault, tmp_path / "vault"
    if not source.is_dir():
        pytest.skip("no such sample vault at ../shared; MEMDIR_SHARED may name it")
    shutil.copytree(source, root, symlinks=True)
    assert run("init", root, "--adopt").code == 0
    assert run("sync", vault=root).code == 0
    with Memory(root, options={"embedder.kind": "none"}) as memory:
        by_words = missed(memory, vault)
    with Memory(root) as memory:
        memory.drain(Limits())
        as_set = missed(memory, vault)
    assert 20 - len(as_set) >= FLOORS[vault][0], as_set
    assert 20 - len(by_words) >= FLOORS[vault][1], by_words


def test_every_vault_is_asked_twenty_questions_that_existing_notes_answer() -> None:
    asked = defaultdict(set)
    for one in ASKED:
        asked[one["vault"]].add(one["query"])
    assert {vault: len(of) for vault, of in asked.items()} == dict.fromkeys(FLOORS, 20)
    if (SHARED / "samples").is_dir():
        gone = [
            path for one in ASKED for path in one["gold"] if not (SHARED / "samples" / one["vault"] / path).is_file()
        ]
        assert gone == []
