"""A model in a folder: `tests/data/onnx` holds one of ten words, whose vectors are the means of its words'."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from memdir.errors import ModelError
from memdir.llm.onnx import Onnx

FOLDER = Path(__file__).parents[1] / "data" / "onnx"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    model = Onnx(FOLDER)
    assert (model.kind, model.name) == ("onnx", f"onnx, {(FOLDER / 'model.onnx').stat().st_size} bytes")
    with pytest.raises(ModelError, match=r'pip install "memdir\[onnx\]"'):
        model.embed(["a"])


@pytest.fixture
def installed() -> None:
    for name in ("onnxruntime", "tokenizers"):
        pytest.importorskip(name, reason="the extra [onnx] is not installed")


@pytest.mark.usefixtures("installed")
def test_rows_are_means_of_length_1_the_same_in_any_company() -> None:
    model = Onnx(FOLDER)
    rows = model.embed(["pump", "filter", "Pump filter", "zsh cat sofa"])
    assert (rows.shape, rows.dtype, model.dimension) == ((4, 8), np.float32, 8)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.array_equal(Onnx(FOLDER).embed(["zsh cat sofa"], query=True)[0], rows[3])
    assert rows[2] @ rows[0] > rows[3] @ rows[0]
    assert model.embed([]).shape == (0, 8)


@pytest.mark.usefixtures("installed")
def test_prefixes_and_the_first_piece(tmp_path: Path) -> None:
    plain, other = Onnx(FOLDER), Onnx(FOLDER, prefixes=("passage: ", "query: "))
    assert np.array_equal(other.embed(["cat"])[0], plain.embed(["passage: cat"])[0])
    assert np.array_equal(other.embed(["cat"], query=True)[0], plain.embed(["query: cat"])[0])
    folder = tmp_path / "model"
    shutil.copytree(FOLDER, folder)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert np.allclose(Onnx(folder).embed(["cat sofa zsh"]), plain.embed(["cat"]))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_folder_is_said(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(FOLDER, folder)
    (folder / name).write_bytes(b"not this")
    with pytest.raises(ModelError, match="no model that can be read"):
        Onnx(folder).embed(["a"])
