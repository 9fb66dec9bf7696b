"""Memories of mem0: a proposal for each person and category, each memory once, more of a category told anew."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import imported
from driver import Run
from memdir.errors import BadData
from memdir.ingest import members
from memdir.ingest.knowledge import mem0
from memdir.ingest.records import Bad, Noted, Wanted

Made = Callable[..., Path]


def memory(id_: str, text: object, day: str = "2024-07-01", **more: object) -> dict[str, object]:
    return {"id": id_, "memory": text, "user_id": "ann", "created_at": f"{day}T10:00:00-07:00", **more}


def export(path: Path, *held: object, key: str = "results") -> Path:
    path.write_text(json.dumps({"total": len(held), key: held} if key else held))
    return path


def records(path: Path) -> list[object]:
    return list(mem0.read(members.opened(path), Wanted()))


@pytest.mark.parametrize("key", ["results", "memories", ""])
def test_a_note_a_category_oldest_first(tmp_path: Path, key: str) -> None:
    source = export(
        tmp_path / "e.json",
        memory("1", "Likes  tea\nvery much", "2024-07-02", categories=["food", "drinks"]),
        memory("2", "Likes toast", categories="food"),
        memory("3", "Lives in Leeds", metadata={"category": "personal_details"}),
        memory("1", "Likes tea"),
        memory("4", "Plain", user_id="bob", categories=None, metadata=None),
        key=key,
    )
    assert mem0.suits(members.opened(source))
    found = [one for one in records(source) if isinstance(one, Noted)]
    assert {one.title: (one.text, one.tags, one.created) for one in found} == {
        "food (mem0, ann)": (
            "- Likes toast (2024-07-01)\n- Likes tea very much (2024-07-02)\n", ("food",), "2024-07-02",
        ),
        "personal details (mem0, ann)": ("- Lives in Leeds (2024-07-01)\n", ("personal-details",), "2024-07-01"),
        "memories (mem0, bob)": ("- Plain (2024-07-01)\n", (), "2024-07-01"),
    }  # fmt: skip
    assert {one.type for one in found} == {"user"}


def test_what_is_no_memory_is_told(tmp_path: Path) -> None:
    found = records(export(tmp_path / "e.json", memory("1", "a"), memory("2", None), 3, memory("4", " ")))
    assert [one.where for one in found if isinstance(one, Bad)] == ["item 1", "item 2", "item 3"]


def test_a_long_category_goes_on_and_more_changes_the_last_part_only(tmp_path: Path) -> None:
    held = [memory(f"{n:03}", f"m{n}", f"2024-01-{n % 28 + 1:02}") for n in range(mem0.MOST + 5)]
    first = [one for one in records(export(tmp_path / "e.json", *held)) if isinstance(one, Noted)]
    assert [one.text.count("\n") for one in first] == [mem0.MOST, 5]
    assert [one.title for one in first] == ["memories (mem0, ann)", "memories 2 (mem0, ann)"]
    more = records(export(tmp_path / "e.json", memory("new", "new", "2024-09-01"), *held))
    assert [one.origin == old.origin for one, old in zip(more, first, strict=True) if isinstance(one, Noted)] == [
        True,
        False,
    ]


def test_memories_wait_in_the_inbox_each_time_once(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    source = export(tmp_path / "e.json", memory("1", "Likes tea", user_id="ann@example.com", categories=["food"]),
                    memory("2", "Runs", user_id="ann@example.com", categories=["sport"]))  # fmt: skip
    done = imported.bring(root, "", source)
    assert (done.source, done.notes, done.proposed) == ("mem0", 0, 2)
    again = imported.bring(root, "mem0", source)
    assert (again.proposed, again.notes_known, again.files) == (0, 2, [])
    assert len(list((root / "memory/inbox").iterdir())) == 2


def test_a_later_export_takes_the_place_of_what_still_waits(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    food, later = (
        memory("1", "Likes tea", categories=["food"]),
        memory("2", "Likes rye", "2024-08-01", categories=["food"]),
    )
    imported.bring(root, "mem0", export(tmp_path / "e.json", food))
    assert imported.bring(root, "mem0", export(tmp_path / "e.json", food, later)).proposed == 1
    (path,) = (root / "memory/inbox").iterdir()
    assert path.read_text().endswith("- Likes tea (2024-07-01)\n- Likes rye (2024-08-01)\n")
    assert run("inbox", "accept", path.stem, vault=root).code == 0
    assert imported.bring(root, "mem0", tmp_path / "e.json").proposed == 0
    assert (root / "memory/user" / path.name).exists()


def test_another_json_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"title": "t"}]')
    assert not mem0.suits(members.opened(tmp_path / "x.json"))
    with pytest.raises(BadData, match="no memories of mem0"):
        records(tmp_path / "x.json")
