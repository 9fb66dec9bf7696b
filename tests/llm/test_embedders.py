"""Which embedder the settings choose, and the one that asks once for each text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memdir import config, int8, settings_table
from memdir.config import Settings
from memdir.errors import BadData, ModelError
from memdir.evals.scripted import Server, numbers, scripted
from memdir.llm import embedders
from memdir.llm.cache import Cache
from memdir.llm.embedders import Embedder, Kept, configured


def settings(**given: Any) -> Settings:
    return Settings({f"embedder.{name}": value for name, value in given.items()})


def test_the_embedded_one_is_the_default_and_none_is_none() -> None:
    made = configured(settings())
    assert made is not None
    assert (made.kind, made.name, made.dimension) == ("use", "use-multilingual-v3", 512)
    assert configured(settings(kind="none")) is None
    assert embedders.prefixes(settings(document_prefix="passage: ")) == ("", "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "word2vec"}, "embedder.kind takes use, endpoint, onnx, none"),
        ({"kind": "endpoint"}, "embedder.url and embedder.model"),
        ({"kind": "endpoint", "url": "ftp://a", "model": "b"}, "embedder.url takes http"),
        ({"kind": "onnx"}, "embedder.path"),
    ],
)
def test_settings_that_choose_none_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(BadData, match=said):
        configured(settings(**given))


def test_a_missing_key_or_folder_is_said(tmp_path: Path) -> None:
    where = {"kind": "endpoint", "url": "http://localhost:1/v1", "model": "tiny", "key_env": "NOT_SET"}
    with pytest.raises(ModelError, match=r"^embedder\.key_env names an environment variable that is empty"):
        configured(settings(**where), {})
    with pytest.raises(ModelError, match=r"embedder\.path names"):
        configured(settings(kind="onnx", path=str(tmp_path / "nowhere")))


def test_a_kept_key_is_used_where_no_variable_is_named(home: Path) -> None:
    config.config_home().mkdir(parents=True)
    (config.config_home() / embedders.KEY_FILE).write_text("of-the-file\n")
    with scripted(numbers(4)) as server:
        where = {"kind": "endpoint", "url": f"{server.url}/embeddings", "model": "tiny"}
        for given in (where, {**where, "key_env": "MY_KEY"}):
            made = configured(settings(**given), {"MY_KEY": "of-the-variable", "XDG_CONFIG_HOME": str(home / "config")})
            assert made is not None
            made.embed(["a"])
    assert [one.headers["authorization"] for one in server.requests] == ["Bearer of-the-file", "Bearer of-the-variable"]


@pytest.mark.parametrize("name", [one.name for one in settings_table.TABLE if one.name.startswith("embedder.")])
def test_a_vault_may_not_set_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "memdir.toml").write_text(f"[embedder]\n{name.removeprefix('embedder.')} = 1\n")
    with pytest.raises(BadData, match="may be set in the user's configuration only"):
        config.load(tmp_path)


def endpoint(server: Server) -> Embedder:
    made = configured(settings(kind="endpoint", url=server.url, model="tiny"))
    assert made is not None
    return made


def test_a_text_is_asked_for_once_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with scripted(numbers(4)) as server:
        first = Kept(endpoint(server), Cache(tmp_path / "paid.db"), ("", ""))
        rows = first.embed(["a", "b", "a"])
        assert np.array_equal(rows[0], rows[2])
        asked = [request["input"] for request in server.requests]
        assert asked == [["tiny"], ["a", "b"]]  # the first asks for the dimension
        second = Kept(endpoint(server), Cache(tmp_path / "paid.db"), ("", ""))
        assert np.array_equal(second.embed(["b", "c", "a"])[[2, 0]], rows[:2])
        assert [request["input"] for request in server.requests][2:] == [["tiny"], ["c"]]
        assert np.array_equal(int8.unpack(int8.pack(rows)), rows)


def test_a_question_is_kept_apart_and_needs_no_dimension_where_the_index_has_one(tmp_path: Path) -> None:
    with scripted(numbers(4)) as server:
        cache = Cache(tmp_path / "paid.db")
        for _ in range(2):
            Kept(endpoint(server), cache, ("", "query: "), expected=4).embed(["a"], query=True)
        assert len(server.requests) == 1
        Kept(endpoint(server), cache, ("", "other: "), expected=4).embed(["a"], query=True)
        assert len(server.requests) == 2


def test_asked_again_nothing_that_is_kept_counts(tmp_path: Path) -> None:
    with scripted(numbers(4)) as server:
        for again in (False, True):
            Kept(endpoint(server), Cache(tmp_path / "paid.db"), ("", ""), again=again).embed(["a"])
        assert [request["input"] for request in server.requests] == [["tiny"], ["a"]] * 2


def test_rows_of_another_length_never_mix(tmp_path: Path) -> None:
    with scripted(numbers(4)) as server:
        made = endpoint(server)
        kept = Kept(made, Cache(tmp_path / "paid.db"), ("", ""))
        kept.embed(["a", "b"])
        server.script = numbers(6)
        assert kept.embed(["a", "b", "c"]).shape == (3, 6)
        assert Kept(endpoint(server), Cache(tmp_path / "paid.db"), ("", "")).embed(["a", "c"]).shape == (2, 6)


def test_no_text_costs_nothing(tmp_path: Path) -> None:
    with scripted(numbers(4)) as server:
        kept = Kept(endpoint(server), Cache(tmp_path / "paid.db"), ("", ""), expected=4)
        assert len(kept.embed([], query=True)) == 0
        assert not server.requests
