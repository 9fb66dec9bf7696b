"""What a command says where there is nothing to show, and where it was called for something that is none."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("inbox", "nothing waits for your word"), ("loops", "nothing is open"), ("loops --tag none", "no loop within"),
        ("runs", "nothing was written yet"), ("brief", "there is no brief"),
        ("list --tag nosuch", "no note is like that"), ("sessions list", "there is no conversation yet"),
        ("checkpoint list", "there is no checkpoint yet"),
    ],
)  # fmt: skip
def test_nothing_to_show_is_said_beside_the_data(root: Path, run: Run, asked: str, said: str) -> None:
    done = run(*asked.split(), vault=root)
    assert (done.code, done.out) == (0, "")
    assert said in done.err
    bare = run(*asked.split(), "--json", vault=root)
    assert bare.err == ""
    assert bare.json


def test_no_checkpoint_at_all_is_told_from_none_of_that_name(root: Path, run: Run) -> None:
    assert "there is no checkpoint yet" in run("checkpoint", "restore", vault=root).err
    run("checkpoint", "save", "--text", "The pump", vault=root)
    assert "no checkpoint 'other'" in run("checkpoint", "restore", "other", vault=root).err


def test_a_file_is_no_place_for_a_vault(tmp_path: Path, run: Run) -> None:
    (tmp_path / "notes").write_text("x", "utf-8")
    done = run("init", tmp_path / "notes")
    assert (done.code, "is a file; name a folder" in done.err) == (2, True)


def test_a_vault_within_a_vault_is_said(root: Path, tmp_path: Path, run: Run) -> None:
    assert f"lies in the vault {root}" in run("init", root / "memory/inner").err
    assert "lies in" not in run("init", tmp_path / "other").err


def test_an_import_of_nothing_says_so(root: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert run("import", tmp_path / "empty.jsonl", vault=root).err == "memdir: empty.jsonl: the file is empty\n"
    assert "name what to bring in" in run("import", vault=root).err


def test_a_wrong_vault_names_what_may_name_it(tmp_path: Path, run: Run) -> None:
    assert "MEMDIR_VAULT" in run("list", MEMDIR_VAULT=str(tmp_path / "none")).err


def test_a_loop_is_closed_by_its_bare_id_and_named(root: Path, run: Run) -> None:
    run("log", "Calls", "--line", "- [ ] Call Ana", vault=root)
    (loop,) = run("loops", "--json", vault=root).json["loops"]
    assert "Call Ana" in run("resolve", loop["block"], vault=root).err
    assert run("loops", "--json", vault=root).json["loops"] == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--tag", "nosuch"), "nothing here has the tag 'nosuch'"),
        (("--path", "memory/x"), "nothing here lies in 'memory/x'"),
        (("--speaker", "Bo"), "nothing here was said by 'Bo'"),
        (("--type", "ref"), "nothing here is of the type 'ref'"),
    ],
)  # fmt: skip
def test_a_filter_that_nothing_meets_is_named(root: Path, run: Run, asked: tuple[str, ...], said: str) -> None:
    run("new", "Boat", "--type", "project", "--tag", "sea", "--body", "The port is Ghent.", vault=root)
    done = run("recall", "port", *asked, vault=root)
    assert (done.code, done.err) == (3, f"{said}\nnothing found\n")
    assert "nothing here" not in run("recall", "zebra", "--tag", "sea", vault=root).err


def test_an_empty_vault_is_said(root: Path, run: Run) -> None:
    for asked in ("recall", "gate"):
        done = run(asked, "what is the port of the boat?", vault=root)
        assert done.code == 3
        assert "there is no note, log or conversation in this vault yet" in done.err


@pytest.mark.parametrize(
    ("given", "meant"), [("recal", "recall"), ("search", "recall"), ("remember", "log or new"), ("Lits", "list")]
)
def test_a_command_that_there_is_not_names_those_that_may_be_meant(run: Run, given: str, meant: str) -> None:
    done = run(given, "x")
    assert done.code == 2
    assert f"Did you mean {meant}" in done.err
    assert "Did you mean" not in run("zzzzz").err
    assert "Did you mean" not in run("config").err, "settings have a file and no command"


def test_a_note_that_there_is_not_names_those_that_are_near(root: Path, run: Run) -> None:
    run("new", "Ella", "--type", "user", "--body", "Our daughter.", vault=root)
    done = run("read", "Ela", vault=root)
    assert (done.code, "did you mean Ella?" in done.err) == (3, True)
    assert "did you mean" not in run("read", "harbour", vault=root).err
