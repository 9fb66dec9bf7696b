"""The commands about vectors: chosen by line, tested first, made in pieces, the key seen by nobody."""

import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from driver import Run, Tree
from memdir import config
from memdir.app.memory import Memory
from memdir.errors import BadData, UsageError
from memdir.evals.scripted import Status, numbers, scripted
from memdir.index.drain import Limits


def settings_file() -> Path:
    return config.config_home() / "config.toml"


def notes(root: Path, count: int = 12) -> None:
    for n in range(count):
        (root / f"memory/ref/n{n}.md").write_text(f"# Note {n}\n\nWhat number {n} says.\n")


def test_vectors_are_made_by_the_embedded_model(run: Run, vault: Callable[..., Path], model: Path) -> None:
    root = vault()
    notes(root)
    told = run("embedder", "show", "--json", vault=root).json
    total = told["passages"]
    assert (told["kind"], told["made"], told["missing"]) == ("use", None, total)
    assert run("embedder", "drain", "--limit", "5", "--json", vault=root).json["embedded"] == 5
    assert run("embedder", "drain", vault=root).out == f"{total - 5} passages embedded, 0 left\n"
    told = run("embedder", "show", "--json", vault=root).json
    assert told["made"] == {"kind": "use", "name": "use-multilingual-v3", "dimension": 512, "words": 60, "prefix": ""}
    assert (told["missing"], told["kept"]) == (0, total)
    assert "0 without a vector" in run("embedder", "show", vault=root).out
    done = run("embedder", "reembed", "--json", vault=root).json
    assert (done["embedded"], done["left"], done["anew"]) == (total, 0, "asked for")


def test_kind_none_embeds_nothing(run: Run, vault: Callable[..., Path], tree: Tree) -> None:
    root = vault()
    notes(root)
    off = {"MEMDIR_EMBEDDER_KIND": "none"}
    assert run("embedder", "drain", "--json", vault=root, **off).json["embedded"] == 0
    assert run("embedder", "test", **off).code == 3
    assert run("embedder", "show", vault=root, **off).out.startswith("embedder: none\nvectors: none\n")
    with Memory(root, options={"embedder.kind": "none"}) as memory, pytest.raises(UsageError, match="kind is none"):
        memory.embed(["a"])


def test_embed_gives_rows_of_length_1(vault: Callable[..., Path], model: Path) -> None:
    with Memory(vault()) as memory:
        rows = memory.embed(["水泵", "a pump"])
        assert rows.shape == (2, 512)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1)
        assert np.array_equal(memory.embed(["a pump"], query=True)[0], rows[1])


def test_the_test_tells_meaning_from_meaning(run: Run, model: Path) -> None:
    told = run("embedder", "test", "--json").json
    assert told["same"] > 0.8
    assert told["translated"] > 0.7
    assert told["other"] < 0.3
    assert "cosines to a sentence that says the same" in run("embedder", "test").out


def test_a_choice_is_tested_and_then_written(run: Run) -> None:
    with scripted(numbers(4)) as server:
        shown = run("embedder", "set", "endpoint", "--url", server.url, "--model", "tiny", "--dry-run")
        assert '+kind = "endpoint"' in shown.out
        assert not settings_file().exists()
        chosen = run("embedder", "set", "endpoint", "--url", server.url, "--model", "tiny", "--json").json
        assert (chosen["changed"], chosen["tested"]["dimension"]) == (True, 4)
        held = tomllib.loads(settings_file().read_text())
        assert held == {"embedder": {"kind": "endpoint", "url": server.url, "model": "tiny"}}
        assert run("embedder", "set", "endpoint", "--untested").err == "nothing to change\n"
        before = settings_file().read_bytes()
        server.script = Status(404)
        refused = run("embedder", "set", "endpoint", "--model", "big")
        assert refused.code == 6
        assert "embedder.model" in refused.err
        assert settings_file().read_bytes() == before
        assert run("embedder", "set", "endpoint", "--model", "big", "--untested").code == 0
        assert b'model = "big"' in settings_file().read_bytes()


def test_the_key_comes_on_standard_input_and_is_shown_to_nobody(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMDIR_EMBEDDER_KIND")
    secret = "sk-hunter2hunter2"
    with scripted(numbers(4)) as server:
        asked = ("embedder", "set", "endpoint", "--url", server.url, "--model", "tiny", "--key", "-")
        for more in (["--dry-run"], ["--json"], []):
            done = run(*asked, *more, stdin=f"{secret}\n")
            assert done.code == 0, done.err
            assert secret not in done.out + done.err
        assert run("embedder", "test").code == 0
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {secret}"}
    kept = config.config_home() / "embedder.key"
    assert kept.read_text() == secret
    if os.name == "posix":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert secret not in settings_file().read_text()
    assert run("embedder", "set", "endpoint", "--key", secret).code == 2


TOML = """# my settings
by = "agent:me"  # who

[embedder] # vectors
kind='use' # for now
words = 40

[llm]
model = "x # y"
"""


def test_only_what_is_set_changes() -> None:
    after = config.edited(TOML, {"embedder.kind": "none", "embedder.url": 'http://a/"b"', "llm.model": "z"}, "f")
    wanted = TOML.replace("kind='use'", "kind='use'".replace("'use'", '"none"')).replace('"x # y"', '"z"')
    assert after == wanted.replace("# vectors\n", '# vectors\nurl = "http://a/\\"b\\""\n')
    assert config.edited("", {"embedder.kind": "none"}, "f") == '[embedder]\nkind = "none"\n'
    assert config.edited("a = 1\n", {"embedder.words": 30}, "f") == "a = 1\n\n[embedder]\nwords = 30\n"
    assert config.edited('embedder.kind = "use"\n', {"embedder.kind": "none"}, "f") == 'embedder.kind = "none"\n'


@pytest.mark.parametrize(
    "text", ['embedder.url = "a"\n', 'embedder = {url = "a"}\n', '[embedder]\nkind = """\nuse"""\n']
)
def test_what_cannot_be_changed_by_line_is_said_and_left(text: str) -> None:
    with pytest.raises(BadData, match=r'f cannot be changed by line; set by hand: embedder\.kind = "none"'):
        config.edited(text, {"embedder.kind": "none"}, "f")


def test_a_linked_settings_file_stays_a_link(run: Run, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().symlink_to(real)
    assert run("embedder", "set", "none").code == 0
    assert settings_file().is_symlink()
    assert real.read_text() == '# mine\n\n[embedder]\nkind = "none"\n'


def test_a_rebuild_buys_nothing_twice(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    notes(root)
    with scripted(numbers(4)) as server:
        where = {
            "MEMDIR_EMBEDDER_KIND": "endpoint",
            "MEMDIR_EMBEDDER_URL": server.url,
            "MEMDIR_EMBEDDER_MODEL": "tiny",
        }
        first = run("embedder", "drain", "--json", vault=root, **where).json["embedded"]
        assert len(server.requests) == 2  # one for the dimension, one for all
        assert run("rebuild", vault=root, **where).code == 0
        assert run("embedder", "drain", "--json", vault=root, **where).json["embedded"] == first
        assert [request["input"] for request in server.requests][2:] == [["tiny"]]


def test_limits_reach_the_drain(vault: Callable[..., Path], model: Path) -> None:
    root = vault()
    notes(root, 40)
    with Memory(root) as memory:
        seen: list[tuple[int, int]] = []
        done = memory.drain(Limits(batch=8), lambda n, total: seen.append((n, total)))
        assert done.left == 0
        assert seen[0] == (8, done.embedded)
        assert seen[-1] == (done.embedded, done.embedded)
        assert json.loads(json.dumps(memory.embedder().made.dimension if memory.embedder().made else 0)) == 512


def test_a_log_that_grew_is_searched_by_meaning_at_once(
    vault: Callable[..., Path], run: Run, model: Path, home: Path
) -> None:
    """An entry makes the whole log of its day lack vectors."""
    root = vault()
    with Memory(root) as memory:
        for n in range(30):
            memory.log(f"Entry {n}", ["The sails of the boat were mended in the harbour"])
        memory.drain(Limits())
        memory.log("Another", ["The ropes are new"])
    answer = run("recall", "what became of the sails", "--json", vault=root).json
    assert not [one for one in answer["notices"] if "vector" in one]
    assert run("embedder", "show", "--json", vault=root).json["missing"] == 0
