"""The cases about front matter and paths, brought in by an import: what holds for notes in place holds for these."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def brought(vault: Callable[..., Path], run: Run, tmp_path: Path, tree: Tree) -> Callable[[str], tuple[Path, Any]]:
    """Import the notes of a case; not a byte of them changes."""

    def bring(case: str) -> tuple[Path, Any]:
        root, source = vault(), tmp_path / "source"
        source.mkdir()
        for path in (CASES / case).glob("*.md"):
            (source / path.name).write_bytes(path.read_bytes())
        before = tree(source)
        done = run("import", "markdown", source, "--json", vault=root)
        assert done.code == 0, done.err
        assert tree(source) == before
        return root, done.json

    return bring


def _notes(root: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (root / "memory/ref").glob("*.md")}


def _shown(run: Run, root: Path, name: str) -> Any:
    return run("show", name, "--json", vault=root).json


def test_a_byte_order_mark_stays_behind(brought: Callable[[str], tuple[Path, Any]], run: Run) -> None:
    root, _ = brought("NOTE-01")
    held = _shown(run, root, "boiler-service")
    assert (held["name"], held["tags"]) == ("Boiler service", ["home"])
    assert not any("\ufeff" in data.decode() for data in _notes(root).values())


def test_line_ends_of_windows_are_no_part_of_a_title(brought: Callable[[str], tuple[Path, Any]], run: Run) -> None:
    root, _ = brought("NOTE-02")
    assert _shown(run, root, "gate-motor")["name"] == "Gate motor"


def test_rules_and_blocks_that_look_like_fences(brought: Callable[[str], tuple[Path, Any]], run: Run) -> None:
    root, done = brought("NOTE-03")
    assert done["notes"] == 6
    assert [one["where"] for one in done["problems"]] == ["dots_close.md:1"]
    assert "Solo" in _shown(run, root, "solo")["name"]
    assert run("recall", "afterrule", "--json", vault=root).paths == ["memory/ref/rules.md"]


def test_front_matter_that_cannot_be_read_is_kept_and_found(
    brought: Callable[[str], tuple[Path, Any]], run: Run
) -> None:
    root, done = brought("NOTE-04")
    assert done["notes"] == 7
    assert len(done["problems"]) == 6
    assert all(one["where"].startswith("bad_") and one["where"][-1].isdigit() for one in done["problems"])
    for number in range(1, 7):
        first = run("recall", f"badtoken{number}", "--mode", "keyword", "--json", vault=root).paths[0]
        assert f"badtoken{number}" in (root / first).read_text("utf-8")
    assert run("recall", "goodtoken", "--mode", "keyword", "--json", vault=root).paths == ["memory/ref/fine.md"]


def test_tags_in_every_form(brought: Callable[[str], tuple[Path, Any]], run: Run) -> None:
    root, _ = brought("NOTE-05")
    tags = {name: _shown(run, root, name)["tags"] for name in _notes(root)}
    assert tags == {
        "t-null": [], "t-str": ["garden"], "t-comma": ["garden", "pump"], "t-hash": ["garden"],
        "t-nest": ["garden", "pump"],
    }  # fmt: skip


def test_links_and_tags_in_code_are_none(brought: Callable[[str], tuple[Path, Any]], run: Run) -> None:
    root, _ = brought("NOTE-06")
    held = _shown(run, root, "code")
    assert held["tags"] == ["realtag"]
    assert held["links"] == ["Real Note"]


def test_no_id_or_title_inside_a_note_decides_a_path(
    brought: Callable[[str], tuple[Path, Any]], run: Run, tmp_path: Path
) -> None:
    outside = {path for path in tmp_path.rglob("*") if path.is_file()}
    root, _ = brought("SEC-02")
    assert set(_notes(root)) == {"x"}
    new = {path for path in tmp_path.rglob("*") if path.is_file()} - outside
    assert all(path.is_relative_to(root) or path.is_relative_to(tmp_path / "source") for path in new), new
