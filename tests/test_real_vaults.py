"""Every real vault at hand: adopted, synced, examined and asked, with no crash and not one byte of it changed."""

import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import driver

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[2] / "shared")
VAULTS = sorted(path for kind in ("obsidian", "openclaw") for path in (SHARED / "samples" / kind).glob("*/"))
WORD = re.compile(r"[^\W\d_]{5,}|[\u4e00-\u9fff]{2,6}")


def questions(root: Path) -> list[str]:
    """Ten questions in words of the vault's own notes: rare pairs, the middle of sentences, names of files."""
    notes = sorted(path for path in root.rglob("*.md") if ".obsidian" not in path.parts)
    texts = [path.read_bytes().decode("utf-8", "replace") for path in notes]
    words = [WORD.findall(text) for text in texts]
    spread = Counter(word for found in words for word in set(found))
    asked = []
    for number in range(0, len(notes), max(1, len(notes) // 8)):
        rare = sorted(set(words[number]), key=lambda word: (spread[word], word))
        asked.append(" ".join(rare[:2]) or notes[number].stem)
    middle = words[len(words) // 2]
    asked += [notes[0].stem, " ".join(middle[len(middle) // 2 :][:6]) or notes[-1].stem]
    return asked[-10:]


@pytest.mark.skipif(not VAULTS, reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("source", VAULTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_real_vault_is_used_and_left_as_it_is(source: Path, tmp_path: Path, run: driver.Run) -> None:
    root = tmp_path / "vault"
    shutil.copytree(source, root, symlinks=True)
    before = driver.tree(root)

    assert run("init", root, "--adopt", "--json").code == 0
    synced = run("sync", "--json", vault=root)
    assert synced.code == 0, synced.err
    assert synced.json["report"]["files"] > 0
    assert synced.json["written"] == []

    found = run("doctor", "--json", vault=root)
    assert found.code in (0, 5), found.err
    for problem in found.json["problems"]:
        path = root / problem["path"]
        assert path.exists(), problem
        assert 1 <= problem["line"] <= max(1, path.read_bytes().count(b"\n") + 1 if path.is_file() else 1), problem

    asked = questions(root)
    assert len(asked) == 10
    answered = 0
    for question in asked:
        result = run("recall", question, "--json", vault=root)
        assert result.code in (0, 3), result.err
        answered += result.code == 0
        for one in result.json["evidence"] if result.code == 0 else []:
            assert 1 <= one["line"] <= (root / one["path"]).read_bytes().count(b"\n") + 1
    assert answered >= 9, asked

    for command in ("list", "stats", "index"):
        assert run(command, "--json", vault=root).code in (0, 5)  # 5: MEMORY.md is over its cap by hand
    paths = run("list", "--json", vault=root).paths
    for path in paths[:: max(1, len(paths) // 12)]:
        for command in ("show", "read"):
            assert run(command, path, "--json", vault=root).code == 0, path

    assert run("sync", "--json", vault=root).json["report"]["added"] == 0
    assert driver.tree(root) == before


@pytest.mark.skipif(not VAULTS, reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
def test_the_sample_vaults_are_all_here() -> None:
    assert len(VAULTS) == 9
