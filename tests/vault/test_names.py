"""File names from titles, keys from spellings, and whose files are nobody's notes."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.vault import names
from memdir.vault.files import check_path

SUITE = settings(max_examples=300, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Shell preference", "shell-preference"), ("  Weird -- title!! ", "weird-title"), ("水泵的滤芯", "水泵的滤芯"),
        ("厨房 水泵", "厨房-水泵"), ("Über Café", "über-café"),
        ("e\u0301tude", "étude"), ("C++", "c"), ("AC/DC", "ac-dc"), ("../../etc/passwd", "etc-passwd"),
        ("CON", "note-con"), ("com1", "note-com1"), ("nul.txt", "nul-txt"),
        ("...", "note"), ("", "untitled"), ("   ", "untitled"), ("\U0001F600", "\U0001F600"),
        ("a:b|c?d*e", "a-b-c-d-e"), (".hidden", "hidden"), ("2026-11-29", "2026-11-29"), ("ไส้กรอง", "ไส้กรอง"),
        ("مرشح المضخة", "مرشح-المضخة"), ("tab\tand\nline", "tab-and-line"), ("a\u202eb\u200bc", "a-b-c"),
        ("%2e%2e", "2e-2e"),
    ],
)  # fmt: skip
def test_slugs(title: str, slug: str) -> None:
    assert names.slug(title) == slug


@SUITE
@given(st.text(max_size=400))
def test_every_title_gives_a_name_that_may_be_created(title: str) -> None:
    name = names.slug(title)
    path = f"memory/ref/{name}.md"
    assert check_path(path, create=True) == path
    assert unicodedata.normalize("NFC", name) == name
    assert len(f"{name}-999.md".encode()) <= names.MAX_NAME_BYTES
    assert not names.is_by_product(path)
    assert names.slug(name) in (name, f"note-{name}")


@SUITE
@given(st.text(min_size=60, max_size=400).filter(str.strip))
def test_long_titles_are_cut_between_characters(title: str) -> None:
    names.slug(title).encode("utf-8")


@SUITE
@given(st.text(max_size=60))
def test_a_folded_name_is_the_same_in_every_spelling(name: str) -> None:
    key = names.fold(name)
    assert names.fold(unicodedata.normalize("NFD", name)) == key
    assert names.fold(key) == key
    assert names.fold(name.casefold()) == key


@pytest.mark.parametrize(
    ("taken", "name"),
    [(set(), "pump"), ({"pump"}, "pump-2"), ({"pump", "pump-2", "pump-4"}, "pump-3"), ({"Pump"}, "pump"),
    ({"水泵"}, "pump")],
)  # fmt: skip
def test_a_taken_name_is_numbered(taken: set[str], name: str) -> None:
    assert names.numbered("pump", taken) == name
    last: dict[str, int] = {}
    assert names.numbered("pump", taken, last) == name
    assert names.numbered("pump", taken | {name}, last) == names.numbered("pump", taken | {name})


def test_many_of_one_name_are_numbered_one_by_one() -> None:
    """Each counted from 1, 50,000 of them would take a quarter of an hour."""
    taken, last = set[str](), dict[str, int]()
    for _ in range(50_000):
        taken.add(names.numbered("pump", taken, last))
    assert len(taken) == 50_000
    assert "pump-50000" in taken


def test_never_two_titles_to_one_file() -> None:
    taken: set[str] = set()
    for title in ["Pump", "pump", "PUMP!", "e\u0301", "é", "É", "水泵", "水泵。", "", "?", "note"]:
        name = names.numbered(names.slug(title), taken)
        assert names.fold(name) not in taken
        taken.add(names.fold(name))
    assert len(taken) == 11


@pytest.mark.parametrize(
    "path",
    ["a.sync-conflict-20261129-101112-ABCDEFG.md", "d/a (Evan's conflicted copy 2026-11-29).md",
    "a (conflicted copy).md", "a (Ana’s conflicted copy 2026-11-29 2).md", "a.conflict-20261129-101112-0a1b2c.md"],
)  # fmt: skip
def test_conflict_copies(path: str) -> None:
    assert names.is_conflict_copy(path)
    assert names.is_by_product(path)


@pytest.mark.parametrize("path", [".hidden.md", "d/.a.md.swp", "~$a.md", "a.md~", "#a.md#", "d/~syncthing~a.md.tmp"])
def test_by_products(path: str) -> None:
    assert names.is_by_product(path)


@pytest.mark.parametrize("path", ["a.md", "conflict.md", "conflicted copy.md", "a (copy).md", "sync-conflict.md",
    "a#b.md", "d.x/a.md", "a 2.md", "水泵.md"])  # fmt: skip
def test_notes_are_no_by_products(path: str) -> None:
    assert not names.is_by_product(path)


@pytest.mark.parametrize(("path", "original"),
    [("a 2.md", "a.md"), ("d/a (1).md", "d/a.md"), ("a 12.md", ""), ("a.md", ""), ("2.md", ""),
    ("a2.md", ""), ("a b.sync-conflict-20260101-120000-ABCDEFG.md", "a b.md"), ("a 2", ""), ("d.x/a", ""),
    ("d/a.sync-conflict-20260101-120000-ABCDEFG.sync-conflict-20260102-120000-HIJKLMN.md", "d/a.md"),
    ("b.sync-conflict-20260101-120000-ABCDEFG.canvas", "b.canvas"), ("a 2.png", ""),
    ("a (Conflicted copy device 202601011200).md", "a.md"),
    ("a (Conflicted copy Ana's Mac (2) 202601011200).md", "a.md"),
    ("d/a (Ana's conflicted copy 2026-01-01).md", "d/a.md"), ("a (Ana’s conflicted copy 2026-01-01 (1)).md", "a.md"),
    ("a (conflicted copy).md", "a.md"), ("a (conflicted copy 2026-01-01 120000).md", "a.md"),
    ("a (b) (conflicted copy).md", "a (b).md"), ("my-a-DESKTOP-ABC123.md", "my-a.md"),
    ("a-DESKTOP-ABC123-2.md", "a.md"),
    ("a-LAPTOP-9XYZ.md", "a.md"), ("my-a-ANASPC.md", "my-a.md"), ("my-note.md", ""), ("2026-11-29.md", ""),
    ("水泵.conflict-20261129-101112-0a1b2c.md", "水泵.md"), ("(conflicted copy).md", "")])  # fmt: skip
def test_originals_of_copies(path: str, original: str) -> None:
    assert names.original_of(path) == original


@pytest.mark.parametrize("name", [".obsidian", ".git", "node_modules", "__pycache__", "site-packages", "venv"])
def test_folders_that_hold_no_notes(name: str) -> None:
    assert names.is_ignored_folder(name)


@pytest.mark.parametrize("name", ["Templates", "template", "_templates", "模板"])
def test_template_folders(name: str) -> None:
    assert names.is_template_folder(name)


@pytest.mark.parametrize(("text", "day"), [("2026-11-29", True), ("2026-13-01", False), ("2026-11-32", False),
    ("2026-02-30", False), ("2024-02-29", True), ("0000-01-01", False),
    ("2026-11-29x", False), ("29.11.2026", False), ("", False)])  # fmt: skip
def test_days(text: str, day: bool) -> None:
    assert names.is_day(text) is day


@pytest.mark.parametrize(("path", "written"), [("a\\b\\c.md", "a/b/c.md"), ("./a//b.md", "a/b.md"),
    ("../a.md", "../a.md"), ("/a.md", "a.md"), ("", "")])  # fmt: skip
def test_relative(path: str, written: str) -> None:
    assert names.relative(path) == written


def test_vault_keys() -> None:
    assert names.vault_key("/home/a/Notes").startswith("notes-")
    assert names.vault_key("/home/a/notes") != names.vault_key("/home/b/notes")
    assert names.vault_key("C:\\Users\\A\\Notes") == names.vault_key("c:/users/a/notes")
    assert names.vault_key("/home/A") != names.vault_key("/home/a")
    assert names.vault_key("/笔记").startswith("vault-")
