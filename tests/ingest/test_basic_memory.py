"""A basic-memory project: every note as it was written, found and linked by its title, its permalink and its path."""

from collections.abc import Callable
from pathlib import Path

import pytest

import imported
from driver import Run, Tree
from memdir.ingest import kinds, members
from memdir.ingest.knowledge import basic_memory
from memdir.ingest.records import Noted, Wanted

Made = Callable[..., Path]
COFFEE = """---
title: Coffee Brewing
type: note
tags:
- coffee
permalink: drinks/coffee-brewing
---

# Coffee Brewing

## Observations
- [method] Pour over keeps the flavour #brewing (own tests)
- [ ] Try the kestrel filter

## Relations
- requires [[Proper Grinding]]
- pairs_with [[drinks/water]]
"""
GRIND = "---\r\ntitle: Proper Grinding\r\ntype: Technique\r\npermalink: grinding\r\n---\r\nEven grains.  \r\n\r\n\r\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with notes in folders, one with Windows line ends, and an index of its own beside them."""
    place = tmp_path / "main"
    for name, text in {
        "drinks/Coffee Brewing.md": COFFEE,
        "Proper Grinding.md": GRIND,
        "drinks/Tap.md": "---\ntitle: Tap\ntype: note\npermalink: drinks/water\n---\nFrom the tap",
        ".basic-memory/memory.db": "x",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(text.encode())
    return place


def test_the_text_is_the_same_byte_for_byte(project: Path, vault: Made, tree: Tree) -> None:
    root, before = vault(), tree(project)
    done = imported.bring(root, "", project)
    assert (done.source, done.notes, done.bad, done.skipped) == ("basic-memory", 3, 0, {})
    held = imported.notes(root)
    for origin, one in held.items():
        _, _, text = (project.parent / origin.removeprefix(f"{project.parent.name}/")).read_bytes().partition(b"\n---")
        body = text.partition(b"\n")[2]
        data = (root / one.path).read_bytes()
        assert data.endswith(b"\n" + body)
        assert data.partition(b"\n---")[2].partition(b"\n")[2] == body
        assert one.type == "ref"
        assert one.text("trust") == "external"
        assert not one.problems
    again = imported.bring(root, "basic-memory", project)
    assert (again.notes, again.notes_known, again.files) == (0, 3, [])
    assert tree(project) == before


def test_the_line_ends_of_a_note_are_all_the_same(project: Path, vault: Made) -> None:
    root = vault()
    imported.bring(root, "basic-memory", project)
    data = (root / "memory/ref/proper-grinding.md").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")


def test_observations_and_relations_are_read_as_ours(project: Path, vault: Made, run: Run) -> None:
    root = vault()
    imported.bring(root, "basic-memory", project)
    coffee = next(one for one in imported.notes(root).values() if one.name == "Coffee Brewing")
    assert [(one.category, one.text) for one in coffee.body.observations] == [
        ("method", "Pour over keeps the flavour #brewing (own tests)")
    ]
    assert [(one.kind, one.target) for one in coffee.body.relations] == [
        ("requires", "Proper Grinding"),
        ("pairs_with", "drinks/water"),
    ]
    for name in ("drinks/water", "Proper Grinding", "grinding", "drinks/Coffee Brewing"):
        assert run("read", name, "--json", vault=root).code == 0, name


def test_what_stood_in_front(project: Path) -> None:
    found = [one for one in basic_memory.read(members.opened(project), Wanted()) if isinstance(one, Noted)]
    assert {one.title: (one.tags, dict(one.more)) for one in found} == {
        "Proper Grinding": ((), {"permalink": "grinding", "type": "Technique", "aliases": ["grinding"]}),
        "Coffee Brewing": (
            ("coffee",),
            {"permalink": "drinks/coffee-brewing", "aliases": ["drinks/coffee-brewing", "drinks/Coffee Brewing"]},
        ),
        "Tap": ((), {"permalink": "drinks/water", "aliases": ["drinks/water", "drinks/Tap"]}),
    }


def test_a_folder_of_other_markdown_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: A\n---\nx\n")
    assert kinds.told(members.opened(tmp_path)) == "markdown"
