"""The tokens of a server: made once, for their owner's eyes alone, outside the vault, never shown."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from memdir.app import tokens
from memdir.errors import BadData, UsageError

GOOD = {"name": "laptop", "token": "0123456789abcdef-laptop"}


def env(place: Path, **more: str) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": os.fspath(place), "HOME": os.fspath(place), **more}


def put(place: Path, *held: Any) -> Path:
    path = place / "memdir" / tokens.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"tokens": held}), "utf-8")
    path.chmod(0o600)
    return path


def test_the_first_start_makes_one_and_the_next_keeps_it(tmp_path: Path) -> None:
    vault, place = tmp_path / "vault", tmp_path / "config"
    made, shown = tokens.kept(vault, env(place))
    assert tokens.kept(vault, env(place))[0] == made
    assert (made[0].name, made[0].rights, made[0].scopes) == ("default", tokens.RIGHTS, ())
    assert len(made[0].secret) >= 40
    assert shown == os.fspath(place / "memdir" / tokens.FILE)
    assert os.name == "nt" or stat.S_IMODE(Path(shown).stat().st_mode) == 0o600
    assert made[0].secret not in repr(made) + str(made)


def test_the_variable_takes_its_place(tmp_path: Path) -> None:
    held, shown = tokens.kept(tmp_path, env(tmp_path / "c", MEMDIR_TOKEN="a-secret-of-the-environment"))
    assert (held[0].name, shown, held[0].secret) == ("env", "MEMDIR_TOKEN", "a-secret-of-the-environment")
    assert not (tmp_path / "c").exists()
    with pytest.raises(BadData, match="MEMDIR_TOKEN"):
        tokens.kept(tmp_path, env(tmp_path / "c", MEMDIR_TOKEN="short"))


def test_rights_and_scopes_of_each(tmp_path: Path) -> None:
    put(
        tmp_path,
        GOOD,
        {**GOOD, "name": "bot", "token": "x" * 20, "rights": ["read"], "scopes": ["a"], "external": True},
    )
    held, _ = tokens.kept(tmp_path / "vault", env(tmp_path))
    assert [(one.name, one.rights, one.scopes, one.external) for one in held] == [
        ("laptop", tokens.RIGHTS, (), False),
        ("bot", ("read",), ("a",), True),
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"name": "a"},
        {**GOOD, "token": "short"},
        {**GOOD, "token": "ünübertrefflich-lang-und-fein"},
        {**GOOD, "name": " "},
        {**GOOD, "rights": "read"},
        {**GOOD, "rights": ["root"]},
        {**GOOD, "scopes": [""]},
        {**GOOD, "scopes": [1]},
        {**GOOD, "external": "yes"},
        {**GOOD, "scope": ["a"]},
        "a",
    ],
    ids=str,
)
def test_what_is_not_understood_stops_the_server_and_shows_no_secret(bad: Any, tmp_path: Path) -> None:
    put(tmp_path, bad)
    with pytest.raises(BadData) as refused:
        tokens.kept(tmp_path / "vault", env(tmp_path))
    assert tokens.FILE in str(refused.value)
    assert GOOD["token"] not in str(refused.value)


def test_two_of_one_name_or_secret_are_refused(tmp_path: Path) -> None:
    for second in ({**GOOD, "name": "b"}, {**GOOD, "token": "another-secret-of-it"}):
        put(tmp_path, GOOD, second)
        with pytest.raises(BadData, match="two tokens"):
            tokens.kept(tmp_path / "vault", env(tmp_path))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tokens": []}', '{"tokens": 1}'])
def test_a_broken_file_is_told(text: str, tmp_path: Path) -> None:
    put(tmp_path).write_text(text, "utf-8")
    with pytest.raises(BadData, match="it holds"):
        tokens.kept(tmp_path / "vault", env(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="file modes as POSIX has them")
def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    put(tmp_path, GOOD).chmod(0o640)
    with pytest.raises(BadData, match="chmod 600"):
        tokens.kept(tmp_path / "vault", env(tmp_path))


def test_a_file_in_the_vault_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in the vault"):
        tokens.kept(tmp_path, env(tmp_path / "memory"))
    assert not (tmp_path / "memory").exists()
