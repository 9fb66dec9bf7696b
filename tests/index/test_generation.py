"""Generations: the pointer, the seal, what is set aside, and the lock."""

import os
import stat
from pathlib import Path

import pytest

from memdir import config
from memdir.errors import BadData, Locked
from memdir.index import db, generation, lexical


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "index"


def make(place: Path) -> Path:
    """A sealed generation with stand-ins for its files: what is in them is not this module's business."""
    folder = generation.begin(place)
    (folder / generation.DB).write_bytes(b"database " * 100)
    (folder / generation.WHOOSH / "_MAIN_1.toc").write_bytes(b"table")
    (folder / generation.WHOOSH / "a.seg").write_bytes(b"segment " * 100)
    (folder / generation.WHOOSH / "MAIN_WRITELOCK").write_bytes(b"")
    generation.seal(folder)
    return folder


def test_no_generation_until_one_is_published(place: Path) -> None:
    assert generation.current(place) is None
    folder = make(place)
    assert generation.current(place) is None
    generation.publish(place, folder)
    assert generation.current(place) == folder
    assert folder.name == "gen-1"


def test_a_new_one_replaces_the_old_and_unfinished_ones_go(place: Path) -> None:
    first = make(place)
    generation.publish(place, first)
    unfinished = make(place)
    second = make(place)
    assert not unfinished.exists()
    assert generation.current(place) == first
    generation.publish(place, second)
    assert generation.current(place) == second
    assert not first.exists()
    assert second.name == "gen-3"


@pytest.mark.parametrize("name", ["", "gen-", "gen-9", "gen-1x", "../gen-1", "gen-1/..", "gen-²", "lock", "\0"])
def test_current_may_name_a_generation_only(place: Path, name: str) -> None:
    generation.publish(place, make(place))
    (place / generation.CURRENT).write_text(name)
    assert generation.current(place) is None


def test_a_whole_one_has_no_damage(place: Path) -> None:
    folder = make(place)
    assert generation.damage(folder) == ""
    (folder / generation.WHOOSH / "MAIN_WRITELOCK").write_bytes(b"x")
    (folder / generation.LISTED).write_bytes(b"x")
    os.utime(folder / generation.DB)
    assert generation.damage(folder) == ""


@pytest.mark.parametrize("name", [generation.DB, "whoosh/_MAIN_1.toc", "whoosh/a.seg"])
@pytest.mark.parametrize("how", ["missing", "shorter", "other", "folder"])
def test_damage_names_the_file(place: Path, name: str, how: str) -> None:
    folder = make(place)
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "missing":
        path.write_bytes(data[:-1] if how == "shorter" else data[:-1] + b"?")
    assert path.name in generation.damage(folder)


@pytest.mark.parametrize(
    "seal",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"files": 1}',
        b'{"files": {"index.db": [1]}}',
        b'{"files": {}}',
        b"\xff",
        b"\0" * 600,
    ],
)
def test_without_a_seal_nothing_is_trusted(place: Path, seal: bytes) -> None:
    folder = make(place)
    (folder / generation.SEAL).write_bytes(seal)
    assert "seal" in generation.damage(folder)
    (folder / generation.SEAL).unlink()
    assert "seal" in generation.damage(folder)


def test_a_bit_that_flips_anywhere_in_the_seal_is_damage(place: Path) -> None:
    file = make(place) / generation.SEAL
    seal = file.read_bytes()
    for at in range(len(seal)):
        file.write_bytes(seal[:at] + bytes([seal[at] ^ 1 << at % 8]) + seal[at + 1 :])
        assert "seal" in generation.damage(file.parent), at
    file.write_bytes(seal)
    assert generation.damage(file.parent) == ""


def test_a_strange_table_of_contents_is_damage_a_strange_segment_is_not(place: Path) -> None:
    folder = make(place)
    (folder / generation.WHOOSH / "left.seg").write_bytes(b"of a killed commit")
    assert generation.damage(folder) == ""
    (folder / generation.WHOOSH / "_MAIN_2.toc").write_bytes(b"planted")
    assert "_MAIN_2.toc" in generation.damage(folder)


def test_what_is_set_aside_is_kept_twice(place: Path) -> None:
    for number in range(4):
        folder = make(place)
        aside = generation.set_aside(place, folder, f"reason {number}")
        assert not folder.exists()
        assert (aside / "reason.txt").read_text() == f"reason {number}"
    reasons = sorted((path / "reason.txt").read_text() for path in place.glob("damaged-*"))
    assert reasons == ["reason 2", "reason 3"]


def test_pending_files_are_remembered(place: Path) -> None:
    folder = make(place)
    assert generation.pending(folder) == []
    generation.set_pending(folder, [3, 1])
    assert generation.pending(folder) == [3, 1]
    generation.set_pending(folder, [])
    generation.set_pending(folder, [])
    assert generation.pending(folder) == []


@pytest.mark.parametrize("data", [b"", b"{", b"null", b'["x"]', b"7", b"\xff"])
def test_a_list_of_pending_files_that_cannot_be_read_is_not_an_empty_one(place: Path, data: bytes) -> None:
    folder = make(place)
    (folder / generation.PENDING).write_bytes(data)
    assert generation.pending(folder)


def test_the_last_walk(place: Path) -> None:
    folder = make(place)
    assert not generation.listed(folder, "stamp", 0)
    generation.set_listed(folder, "stamp", 100)
    assert generation.listed(folder, "stamp", 99)
    assert not generation.listed(folder, "stamp", 100)
    assert not generation.listed(folder, "other", 0)
    generation.set_listed(folder, "", 200)
    assert generation.listed(folder, "stamp", 99)
    (folder / generation.LISTED).write_bytes(b"\xff")
    assert not generation.listed(folder, "stamp", 0)


def test_one_writer_at_a_time(place: Path) -> None:
    with generation.lock(place, 0), pytest.raises(Locked), generation.lock(place, 0):
        pass
    with generation.lock(place, 0):
        pass


def test_an_index_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadData, match="index_dir"), generation.lock(tmp_path / "file" / "index", 0):
        pass


def test_small_files_are_replaced_whole(place: Path) -> None:
    place.mkdir()
    generation.write(place / "a", b"one")
    generation.write(place / "a", b"two")
    assert (place / "a").read_bytes() == b"two"
    assert [path.name for path in place.iterdir()] == ["a"]


def test_each_vault_has_a_home_of_its_own_under_every_name_it_has(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    settings = config.Settings({"index_dir": os.fspath(tmp_path / "index")})
    homes = {name: generation.home(tmp_path / name, settings) for name in ("a", "b", "link")}
    assert homes["a"] == homes["link"] != homes["b"]
    assert homes["a"].parent == tmp_path / "index"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_what_lies_in_the_cache_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Under a umask that hides nothing; `mkdir` with parents gives only the last folder its mode."""
    before = os.umask(0)
    try:
        with generation.lock(tmp_path / "cache/memdir/vault", 0):
            folder = generation.begin(tmp_path / "cache/memdir/vault")
            lexical.create(folder / generation.WHOOSH)
            with lexical.Writer(folder / generation.WHOOSH) as writer:
                writer.add("a", 1, {"body": ["fish"]})
            db.create(folder / generation.DB).close()
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "cache").rglob("*")}
    assert len(modes) >= 8
    assert {path: mode for path, mode in modes.items() if mode & 0o077} == {}
