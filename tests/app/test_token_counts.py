"""Tokens are counted by tiktoken where it has a table on this machine, else estimated; nothing is fetched."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdir.app.memory import Memory
from memdir.app.ready import token_counts
from memdir.text import token_count

# tiktoken as far as memdir knows it: a table that is not in its cache is fetched; here a token is a character.
LOAD = "import pathlib\n\ndef read_file(place):\n    pathlib.Path({fetched!r}).touch()\n    return b''\n"
INIT = """
import os, pathlib
from tiktoken import load

class Encoding:
    def encode(self, text, disallowed_special=()):
        assert disallowed_special == ()
        return [*text]

def get_encoding(name):
    if not pathlib.Path({cache!r}, name).exists():
        load.read_file("https://example.org/" + name)
    return Encoding()
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache of a tiktoken that is installed for this test."""
    package, cache = tmp_path / "lib" / "tiktoken", tmp_path / "cache"
    package.mkdir(parents=True)
    cache.mkdir()
    (package / "load.py").write_text(LOAD.format(fetched=str(tmp_path / "fetched")), "utf-8")
    (package / "__init__.py").write_text(INIT.format(cache=str(cache)), "utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    for name in ("tiktoken", "tiktoken.load"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield cache
    for name in ("tiktoken", "tiktoken.load"):
        sys.modules.pop(name, None)
    assert not (tmp_path / "fetched").exists()


def test_without_tiktoken_it_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert token_counts.counter() is token_count


@pytest.mark.parametrize("name", token_counts.TABLES)
def test_a_table_that_is_there_is_used(cache: Path, name: str) -> None:
    (cache / name).touch()
    assert token_counts.counter()("<|endoftext|> 记忆") == len("<|endoftext|> 记忆")
    assert token_counts.counter(exact=False) is token_count


def test_a_table_that_is_not_there_is_not_fetched(cache: Path) -> None:
    assert token_counts.counter() is token_count
    from tiktoken import load

    assert load.read_file.__module__ == "tiktoken.load"  # whoever else uses tiktoken may fetch


def test_a_start_is_as_long_as_what_counts_says(vault: Callable[..., Path], cache: Path) -> None:
    root = vault()
    (root / "USER.md").write_text("Lives in Lisbon.\n" * 40, "utf-8")
    with Memory(root) as memory:
        estimated = memory.start(budget=700).text
        (cache / token_counts.TABLES[0]).touch()
        counted = memory.start(budget=700).text
        hooked = memory.start(budget=700, exact=False).text
    assert len(counted) <= 700 < len(estimated)
    assert token_count(estimated) <= 700
    assert len(hooked) == len(estimated)
