"""Claude Code's own memory: topic files become notes by their type, the index is read and left out, links go along."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import imported
from driver import Run, Tree
from memdir.ingest import kinds, members
from memdir.ingest.knowledge import claude_memory
from memdir.ingest.records import Left, Noted, Wanted

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared")
SAMPLES = sorted((SHARED / "samples" / "claude-memory").glob("*/"))
Made = Callable[..., Path]

INDEX = """# Memory index

- [Deploy day](deploy_day.md) — Tuesdays only
- [Release list](release_list.md): what is done before

## Gone

- [No such file](gone.md) — deleted since

## Notes

The staging host is kestrel.
"""
DEPLOY = """---
name: deploy-day
description: Deploys happen on Tuesdays
metadata: 
  node_type: memory
  type: feedback
  originSessionId: 5d0c77aa
  modified: 2026-08-06T16:42:40.669Z
---
Deploys happen on Tuesdays. See [[release-checklist]].
"""
RELEASE = """---
name: release-checklist
type: project
originSessionId: 1111
---
After [[deploy-day]] and [the index](MEMORY.md), tag it.
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A project's memory as Claude Code writes it."""
    place = tmp_path / "-home-me-atlas" / "memory"
    place.mkdir(parents=True)
    for name, text in {"MEMORY.md": INDEX, "deploy_day.md": DEPLOY, "release_list.md": RELEASE}.items():
        (place / name).write_text(text)
    return place


def records(source: Path) -> list[object]:
    return list(claude_memory.read(members.opened(source), Wanted()))


def test_topics_and_the_rest_of_the_index(source: Path) -> None:
    index, deploy, release = (one for one in records(source) if isinstance(one, Noted))
    assert (index.title, index.type) == ("home-me-atlas memory", "project")
    assert index.text.startswith("# Memory index\n")
    assert index.text.endswith("The staging host is kestrel.\n")
    assert "deleted since" in index.text
    assert "Tuesdays" not in index.text
    assert (deploy.title, deploy.type, deploy.created) == ("deploy-day", "feedback", "2026-08-06")
    assert deploy.description == "Deploys happen on Tuesdays"
    assert dict(deploy.more) == {"originSessionId": "5d0c77aa", "aliases": ["deploy_day"]}
    assert (release.type, release.description) == ("project", "what is done before")
    assert [one for one in records(source) if isinstance(one, Left)] == [
        Left("lines of MEMORY.md that list its files", 2)
    ]


def test_an_index_that_only_lists_makes_no_note(source: Path) -> None:
    (source / "MEMORY.md").write_text(
        "# Memory\n\n## Topics\n- [Deploy day](deploy_day.md)\n* [R](./release_list.md)\n"
    )
    assert [one.title for one in records(source) if isinstance(one, Noted)] == ["deploy-day", "release-checklist"]


def test_headings_under_which_nothing_is_left_go(source: Path) -> None:
    (source / "MEMORY.md").write_text("# M\n\n## Topics\n- [D](deploy_day.md)\n\n### Old\n\n## Kept\n\n### Deep\nx\n")
    assert next(one.text for one in records(source) if isinstance(one, Noted)) == "# M\n\n\n\n## Kept\n\n### Deep\nx\n"


def test_an_index_of_many_lines_is_read_once(source: Path) -> None:
    """Each line looked ahead from, 200,000 of them would take minutes."""
    (source / "MEMORY.md").write_text("# M\n\n## Empty\n\n" + "x\n" * 200_000)
    text = next(one.text for one in records(source) if isinstance(one, Noted))
    assert text.count("\n") == 200_004


def test_headings_end_what_stands_above_them(source: Path) -> None:
    (source / "MEMORY.md").write_text("### A\n## B\nx\n# C\n## D\n### E\n## F\n# G\n### H\ny\n### I\n")
    assert next(one.text for one in records(source) if isinstance(one, Noted)) == "## B\nx\n# G\n### H\ny\n"


def test_links_lead_to_the_new_names_and_feedback_waits(source: Path, vault: Made, run: Run) -> None:
    root = vault()
    done = imported.bring(root, "", source)
    assert (done.source, done.notes, done.proposed) == ("claude-memory", 2, 1)
    held = imported.notes(root)
    deploy, release = (held[f"-home-me-atlas/memory/{name}"] for name in ("deploy_day.md", "release_list.md"))
    assert (deploy.path, release.path) == ("memory/inbox/deploy-day.md", "memory/project/release-checklist.md")
    assert "See [[release-checklist]]." in deploy.lines[-2]
    assert release.lines[-2] == "After [[deploy-day]] and [the index](home-me-atlas-memory.md), tag it."
    assert run("inbox", "accept", "deploy-day", vault=root).code == 0
    again = imported.bring(root, "claude-memory", source)
    assert (again.notes, again.proposed, again.notes_known) == (0, 0, 3)


def test_what_was_rejected_does_not_come_again(source: Path, vault: Made, run: Run) -> None:
    root = vault()
    imported.bring(root, "claude-memory", source)
    assert run("inbox", "reject", "deploy-day", vault=root).code == 0
    assert imported.bring(root, "claude-memory", source).proposed == 0


def test_a_name_with_a_colon_is_read_although_it_is_no_yaml(source: Path) -> None:
    (source / "deploy_day.md").write_text(DEPLOY.replace("name: deploy-day", "name: deploy: the day"))
    found = records(source)
    assert [type(one) for one in found] == [Noted, Noted, Noted, Left]
    assert isinstance(found[1], Noted)
    assert (found[1].title, found[1].type) == ("deploy: the day", "feedback")


def test_a_file_without_a_type_has_that_of_its_name(source: Path) -> None:
    (source / "feedback_tests.md").write_text("Run them first.\n")
    assert [one.type for one in records(source) if isinstance(one, Noted) and one.title == "feedback_tests"] == [
        "feedback"
    ]


def test_only_memory_folders_are_read(tmp_path: Path) -> None:
    for name, text in {
        "agents/qa.md": "You are a tester.", "agent-memory/qa/MEMORY.md": "# QA\nKestrel fails.",
        "agent-memory/qa/cases.md": "c", "projects/-p/memory/MEMORY.md": "- likes zsh", "plans/a.md": "plan",
    }.items():  # fmt: skip
        (tmp_path / ".claude" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".claude" / name).write_text(text)
    found = records(tmp_path / ".claude")
    assert [one.title for one in found if isinstance(one, Noted)] == ["qa memory", "cases", "p memory"]
    assert [one for one in found if isinstance(one, Left)] == [Left("markdown outside of memory folders", 2)]
    assert kinds.told(members.opened(tmp_path / ".claude")) == "claude-memory"


def test_other_folders_with_a_memory_md_are_not_taken_for_it(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    assert run("new", "Shell", "--type", "user", vault=root).code == 0
    assert not claude_memory.suits(members.opened(root))
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "MEMORY.md").write_text("# Active memory\n")
    assert not claude_memory.suits(members.opened(tmp_path / "w"))


@pytest.mark.skipif(not SAMPLES, reason="no samples at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("source", SAMPLES, ids=lambda path: path.name)
def test_a_real_memory_comes_in_whole(source: Path, vault: Made, tree: Tree) -> None:
    root = vault()
    before = tree(source)
    files = sorted(path for path in source.rglob("*.md"))
    done = imported.bring(root, "", source)
    assert done.source == "claude-memory"
    assert (done.notes + done.proposed, done.bad) == (len(files), 0)
    held = imported.notes(root)
    assert len(held) == len(files)
    assert not [one.problems for one in held.values() if one.problems]
    again = imported.bring(root, "", source)
    assert (again.notes, again.proposed, again.notes_known, again.files) == (0, 0, len(files), [])
    assert tree(source) == before
