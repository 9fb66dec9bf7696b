"""The diff: every file and every row has its one place, and nothing is read that need not be."""

import string
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.index import diff
from memdir.index.db import Row
from memdir.vault import names
from memdir.vault.files import Entry

OLD, NOW = 10**18, 2 * 10**18


def row(number: int, path: str, digest: str, *, mtime: int = OLD, checked: int = NOW) -> Row:
    return Row(number, path, len(digest), mtime, mtime, number, digest, checked)


def entry(path: str, size: int = 1, mtime: int = OLD, ino: int = 1, ctime: int | None = None) -> Entry:
    return Entry(path, size, mtime, mtime if ctime is None else ctime, ino)


class Disk(dict[str, str]):
    """Path → digest of the files as they are; remembers which were read."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__(files)
        self.asked: list[str] = []

    def digest(self, path: str) -> str | None:
        self.asked.append(path)
        return self.get(path)


def test_nothing_changed_and_nothing_is_read() -> None:
    disk = Disk({"a.md": "A"})
    found = diff.plan({"a.md": row(1, "a.md", "A")}, [entry("a.md")], disk.digest)
    assert not found
    assert disk.asked == []


@pytest.mark.parametrize(
    "seen",
    [entry("a.md", size=2), entry("a.md", mtime=OLD + 1), entry("a.md", mtime=OLD - 1), entry("a.md", ino=9),
    entry("a.md", ctime=OLD + 1)],
    ids=["size", "newer", "older", "inode", "ctime"],
)  # fmt: skip
@pytest.mark.parametrize(("now", "kind"), [("A", "touched"), ("B", "modified")])
def test_a_file_that_looks_otherwise_is_read(seen: Entry, now: str, kind: str) -> None:
    held = row(1, "a.md", "A")
    found = diff.plan({"a.md": held}, [seen], Disk({"a.md": now}).digest)
    assert getattr(found, kind) == [held]
    assert found.work == (kind == "modified")


@pytest.mark.parametrize(("young", "read"), [(0, True), (diff.RACY_NS - 1, True), (diff.RACY_NS + 1, False)])
def test_a_file_as_young_as_the_index_is_read_again(young: int, read: bool) -> None:
    disk = Disk({"a.md": "B"})
    held = row(1, "a.md", "A", mtime=NOW - young)
    found = diff.plan({"a.md": held}, [entry("a.md", mtime=NOW - young)], disk.digest)
    assert found.modified == ([held] if read else [])
    assert bool(disk.asked) is read


def test_a_file_that_cannot_be_read_stays_as_it_was() -> None:
    found = diff.plan({"a.md": row(1, "a.md", "A")}, [entry("a.md", size=9)], lambda path: None)
    assert not found


def test_a_rename_is_a_move() -> None:
    held = row(1, "a.md", "A")
    found = diff.plan({"a.md": held}, [entry("b.md")], Disk({"b.md": "A"}).digest)
    assert found.moved == {"b.md": held}
    assert (found.added, found.removed, found.modified) == ([], [], [])


def test_a_rename_in_case_only_is_a_move_even_with_an_edit() -> None:
    for now in ("A", "B"):
        held = row(1, "Pump.md", "A")
        found = diff.plan({"Pump.md": held}, [entry("pump.md")], Disk({"pump.md": now}).digest)
        assert found.moved == {"pump.md": held}
        assert (found.added, found.removed) == ([], [])


def test_a_change_of_unicode_form_is_a_move() -> None:
    held = row(1, "e\u0301.md", "A")
    found = diff.plan({held.path: held}, [entry("é.md")], Disk({"é.md": "B"}).digest)
    assert found.moved == {"é.md": held}


def test_two_names_that_swap_are_two_moves() -> None:
    known = {"a.md": row(1, "a.md", "A"), "b.md": row(2, "b.md", "B")}
    seen = [entry("a.md", ino=2), entry("b.md", ino=1)]
    found = diff.plan(known, seen, Disk({"a.md": "B", "b.md": "A"}).digest)
    assert found.moved == {"a.md": known["b.md"], "b.md": known["a.md"]}
    assert (found.added, found.removed, found.modified) == ([], [], [])


def test_a_copy_is_an_addition() -> None:
    found = diff.plan(
        {"a.md": row(1, "a.md", "A")}, [entry("a.md"), entry("b.md")], Disk({"a.md": "A", "b.md": "A"}).digest
    )
    assert (found.added, found.moved) == (["b.md"], {})


def test_one_of_two_same_texts_moves_once() -> None:
    known = {"a.md": row(1, "a.md", "A"), "b.md": row(2, "b.md", "A")}
    found = diff.plan(
        known, [entry("c.md"), entry("d.md"), entry("e.md")], Disk(dict.fromkeys(("c.md", "d.md", "e.md"), "A")).digest
    )
    assert len(found.moved) == 2
    assert len(found.added) == 1
    assert found.removed == []


def test_what_is_kept_is_not_removed() -> None:
    known = {"a.md": row(1, "a.md", "A"), "b.md": row(2, "b.md", "B")}
    found = diff.plan(known, [], Disk({}).digest, keep=lambda path: path == "a.md")
    assert [one.path for one in found.removed] == ["b.md"]


PATHS = st.sampled_from([f"{folder}{name}.md" for folder in ("", "d/") for name in ("a", "A", "b", "é", "e\u0301")])
STATE = st.dictionaries(PATHS, st.sampled_from(string.ascii_uppercase[:5]), max_size=10)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(STATE, STATE, st.sets(PATHS))
def test_a_diff_applied_gives_the_files(before: dict[str, str], after: dict[str, str], unread: set[str]) -> None:
    """From any state to any other: the rows, moved and read as planned, hold the files' texts."""
    known = {path: row(number, path, text) for number, (path, text) in enumerate(sorted(before.items()), 1)}
    seen = [
        entry(path, len(text), OLD + (before.get(path) != text), known[path].id if path in known else 99)
        for path, text in sorted(after.items())
    ]
    disk = Disk({path: text for path, text in after.items() if path not in unread})
    found = diff.plan(known, seen, disk.digest)

    rows = [one.id for one in [*found.modified, *found.moved.values(), *found.removed]]
    assert len(rows) == len(set(rows)), "a row has one place"
    paths = [*found.added, *(one.path for one in found.modified), *found.moved]
    assert len(paths) == len(set(paths)), "a path has one place"
    assert set(found.added) | set(found.moved) <= set(after)
    for path, one in found.moved.items():
        assert one.digest == after[path] or names.fold(one.path) == names.fold(path)

    gone = {one.path for one in found.removed} | {one.path for one in found.moved.values()}
    held = {path: text for path, text in before.items() if path not in gone}
    read = {one.path for one in found.modified} | set(found.moved) | set(found.added)
    held |= {path: after[path] for path in read}
    stale = {path for path in unread if path in before and path in after and before[path] != after[path]}
    assert {path: text for path, text in held.items() if path not in stale} == {
        path: text for path, text in after.items() if path not in stale
    }
    assert set(held) == set(after)


def test_the_order_of_the_files_changes_no_plan() -> None:
    known = {path: row(number, path, "A") for number, path in enumerate(("a.md", "b.md", "\u00e9.md", "e\u0301.md"), 1)}
    other = dict(reversed(known.items()))
    seen = [entry("c.md", ino=9), entry("E\u0301.md", ino=8)]
    texts = Disk({"c.md": "A", "E\u0301.md": "B"})
    plans = [diff.plan(one, files, texts.digest) for one in (known, other) for files in (seen, seen[::-1])]
    assert {(tuple(sorted(one.moved.items())), frozenset(row.path for row in one.removed)) for one in plans} == {
        (
            (("E\u0301.md", known["e\u0301.md"]), ("c.md", known["a.md"])),
            frozenset({"b.md", "\u00e9.md"}),
        )
    }
