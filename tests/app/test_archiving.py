"""The archive through the command: what is due and why, links kept, back again, undone byte for byte."""

import os
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app.keeping import archiving
from memdir.vault import note

TODAY = date(2026, 11, 29)
NOW = {"MEMDIR_NOW": "2026-11-29T09:00:00+00:00"}


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def days_ago(days: int) -> str:
    return f"{TODAY - timedelta(days=days)}"


def write(
    root: Path, name: str, *more: str, days: int = 400, touched: int = 400, kind: str = "ref", **keys: str
) -> Path:
    """A note that was updated and whose file was changed so many days ago."""
    place = root / f"memory/{kind}/{name}.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    values = {
        "name": name.title(), "type": kind, "tags": "[]", "created": "2020-01-01", "updated": days_ago(days),
        "importance": "medium", **keys,
    }  # fmt: skip
    lines = ["---", *(f"{key}: {value}" for key, value in values.items()), "---", "Text.", *more, ""]
    place.write_text("\n".join(lines), "utf-8")
    when = (datetime(TODAY.year, TODAY.month, TODAY.day, 8, tzinfo=UTC) - timedelta(days=touched)).timestamp()
    os.utime(place, (when, when))
    return place


def truth(tree: dict[str, str]) -> dict[str, str]:
    quiet = (".memdir", "memory/logs/", "memory/ledger/")
    return {path: mark for path, mark in tree.items() if not path.startswith(quiet) and mark != "folder"}


# --- what is due ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "days", "touched", "why"),
    [
        ({}, 4000, 4000, ""), ({"valid_to": "2026-11-28"}, 10, 10, "expired"), ({"valid_to": "2026-11-29"}, 10, 10, ""),
        ({"valid_to": "2026-11-28T10:00"}, 10, 10, "expired"), ({"valid_to": "soon"}, 10, 10, ""),
        ({"valid_to": "2020-01-01", "importance": "high"}, 400, 400, ""),
        ({"decay": "session"}, 2, 400, ""), ({"decay": "session"}, 3, 400, "decay session"),
        ({"decay": "fast"}, 30, 400, ""), ({"decay": "fast"}, 31, 400, "decay fast"),
        ({"decay": "normal"}, 365, 400, ""), ({"decay": "Normal"}, 366, 400, "decay normal"),
        ({"decay": "slow"}, 4000, 4000, ""), ({"decay": "permanent"}, 4000, 4000, ""),
        ({"decay": "fast", "importance": "high"}, 400, 400, ""),
        ({"importance": "low"}, 180, 400, ""), ({"importance": "low"}, 181, 400, "low importance"),
        ({"importance": "low"}, 400, 100, ""), ({"decay": "odd"}, 4000, 4000, ""),
        ({"decay": "fast", "updated": "never", "created": ""}, 0, 31, "decay fast"),
        ({"decay": "fast", "updated": "2026-02-31", "created": ""}, 0, 31, ""),
    ],
)  # fmt: skip
def test_why_a_note_is_due(tmp_path: Path, keys: dict[str, str], days: int, touched: int, why: str) -> None:
    place = write(tmp_path, "n", days=days, **keys)
    held = note.parse("memory/ref/n.md", place.read_bytes())
    said = archiving.reason(held, TODAY - timedelta(days=touched), TODAY, 180, theirs=True)
    assert (said or ("", ""))[1].startswith(why)
    assert bool(said) == bool(why)


def test_the_due_ones_go_with_their_links_and_come_back_byte_for_byte(root: Path, run: Run, tree: Tree) -> None:
    write(root, "gone", "[house](../ref/house.md)", valid_to="2026-11-01")
    write(root, "old", importance="low", kind="user")
    write(root, "kept", importance="low", days=3, touched=3)
    write(root, "house", "[[gone]] [g](gone.md) [o](../user/old.md)")
    run("sync", vault=root, **NOW)
    before = truth(tree(root))
    shown = run("archive", "--dry-run", vault=root, **NOW)
    assert shown.out.splitlines() == [
        "memory/ref/gone.md → memory/archive/ref/gone.md  (expired: valid_to 2026-11-01)",
        f"memory/user/old.md → memory/archive/user/old.md  (low importance: unchanged since {days_ago(400)})",
    ]
    assert truth(tree(root)) == before
    done = run("archive", "--json", vault=root, **NOW)
    assert done.code == 0, done.out
    assert [one["why"].split(":")[0] for one in done.json["notes"]] == ["expired", "low importance"]
    house = (root / "memory/ref/house.md").read_text("utf-8")
    assert "[[gone]] [g](../archive/ref/gone.md) [o](../archive/user/old.md)" in house
    assert "[house](../../ref/house.md)" in (root / "memory/archive/ref/gone.md").read_text("utf-8")
    memory = (root / "MEMORY.md").read_text("utf-8")
    assert "[House]" in memory
    assert "[Gone]" not in memory
    assert run("recall", "gone", "--json", vault=root).paths[-1] == "memory/archive/ref/gone.md"
    ledger = "".join(path.read_text("utf-8") for path in (root / "memory/ledger").iterdir())
    assert '"op": "archived"' in ledger
    assert '"why": "expired: valid_to 2026-11-01"' in ledger
    assert run("undo", "last", vault=root, **NOW).code == 0
    assert truth(tree(root)) == before
    assert "nothing to archive" in run("archive", vault=root, **NOW).err  # undone means not wanted


def test_what_a_person_changed_this_week_stays_and_a_rewritten_link_is_no_such_change(root: Path, run: Run) -> None:
    write(root, "mine", valid_to="2026-11-01", touched=6)
    write(root, "links", "[[target]]", valid_to="2026-11-01")
    write(root, "target")
    now = f"{datetime.now(UTC).date()}T23:59:00+00:00"  # links are rewritten at the real time
    assert run("mv", "target", "aim", vault=root, MEMDIR_NOW=now).code == 0
    found = run("archive", "--dry-run", "--json", vault=root, MEMDIR_NOW=now).json["notes"]
    if datetime.now(UTC).date() - TODAY < timedelta(days=1):
        assert [one["path"] for one in found] == ["memory/ref/links.md"]
    else:
        assert "memory/ref/links.md" in [one["path"] for one in found]


def test_a_run_takes_ten_and_says_how_many_wait(root: Path, run: Run) -> None:
    for number in range(13):
        write(root, f"n{number}", valid_to=f"2026-10-{number + 1:02}")
    done = run("archive", "--json", vault=root, **NOW)
    assert [one["path"] for one in done.json["notes"]] == [f"memory/ref/n{number}.md" for number in range(10)]
    assert done.json["waiting"] == 3
    assert "3 more" not in run("archive", vault=root, **NOW).err
    assert sorted(path.name for path in (root / "memory/ref").iterdir()) == []


def test_low_days_is_a_setting(root: Path, run: Run) -> None:
    write(root, "n", importance="low", days=50, touched=50)
    assert run("archive", "--json", vault=root, **NOW).json["notes"] == []
    done = run("archive", "--json", vault=root, **NOW, MEMDIR_ARCHIVE_LOW_DAYS="40")
    assert len(done.json["notes"]) == 1


# --- by name, and back ---------------------------------------------------------------------------


def test_a_named_note_goes_and_comes_back(root: Path, run: Run, tree: Tree) -> None:
    write(root, "2026-11-01-choice", kind="project", importance="high", touched=0)
    write(root, "house", "[c](../project/2026-11-01-choice.md)")
    run("sync", vault=root)
    before = truth(tree(root))
    assert run("archive", "2026-11-01-choice", vault=root, **NOW).code == 0
    path = "memory/archive/project/2026-11-01-choice.md"
    shown = run("show", path, "--json", vault=root).json
    assert (shown["kind"], shown["type"]) == ("note", "project")
    assert run("archive", "2026-11-01-choice", vault=root).code == 4
    assert run("archive", "--restore", "house", vault=root).code == 2
    assert run("archive", "--restore", vault=root).code == 2
    done = run("archive", "--restore", "2026-11-01-choice", "--json", vault=root, **NOW)
    assert done.json["notes"][0]["to"] == "memory/project/2026-11-01-choice.md"
    after = truth(tree(root))
    assert after == before


def test_what_was_restored_goes_by_name_only(root: Path, run: Run) -> None:
    place = write(root, "gone", valid_to="2026-11-01")
    run("archive", vault=root, **NOW)
    run("archive", "--restore", "gone", vault=root, **NOW)
    os.utime(place, (0, 0))
    assert "nothing to archive" in run("archive", vault=root, **NOW).err
    assert run("archive", "gone", vault=root, **NOW).code == 0
    assert not place.exists()


def test_a_taken_place_is_numbered_in_the_archive_and_refused_on_the_way_back(root: Path, run: Run) -> None:
    write(root, "pump")
    run("archive", "pump", vault=root)
    write(root, "pump")
    done = run("archive", "memory/ref/pump.md", "--json", vault=root)
    assert done.json["notes"][0]["to"] == "memory/archive/ref/pump-2.md"
    write(root, "pump")
    assert run("archive", "--restore", "memory/archive/ref/pump.md", vault=root).code == 4


def test_only_topic_notes_go(root: Path, run: Run) -> None:
    run("log", "x", vault=root)
    for path in ("MEMORY.md", f"{date.today()}"):
        assert run("archive", path, vault=root).code in (3, 5), path


def test_in_an_adopted_vault_only_named_notes_and_only_where_there_is_an_archive(
    tmp_path: Path, run: Run, tree: Tree
) -> None:
    root = tmp_path / "adopted"
    (root / "deep").mkdir(parents=True)
    (root / "deep/Pump.md").write_text("---\nvalid_to: 2020-01-01\n---\n[[Index]]", "utf-8")
    (root / "Index.md").write_text("[p](deep/Pump.md)", "utf-8")
    run("init", "--adopt", root)
    before = truth(tree(root))
    refused = run("archive", "Pump", vault=root)
    assert refused.code == 2
    assert "memory/archive" in refused.err
    (root / "memory/archive").mkdir(parents=True)
    assert run("archive", vault=root).code == 2
    assert run("archive", "Pump", vault=root).code == 0
    assert (root / "Index.md").read_text("utf-8") == "[p](memory/archive/ref/Pump.md)"
    assert run("archive", "--restore", "Pump", vault=root).code == 0
    assert truth(tree(root)) == before
