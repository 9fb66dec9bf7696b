"""Notes of other tools: known again whatever their folder is called, a change seen, the day of the source kept."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run

TEXT = "The quokka sleeps in the harbour and eats at six."


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def _folder(place: Path, text: str = TEXT, name: str = "n.md") -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(f"---\ndate: 2026-03-31\n---\n{text}\n", "utf-8")
    return place


def test_the_same_notes_under_another_name_are_known(root: Path, run: Run, tmp_path: Path) -> None:
    first = _folder(tmp_path / "one" / "docs")
    assert run("import", "markdown", first, "--json", vault=root).json["notes"] == 1
    moved = tmp_path / "elsewhere" / "renamed"
    shutil.copytree(first, moved)
    again = run("import", "markdown", moved, "--json", vault=root).json
    assert (again["notes"], again["notes_known"], again["skipped"]) == (0, 1, {})


def test_what_changed_in_the_source_is_told(root: Path, run: Run, tmp_path: Path) -> None:
    source = _folder(tmp_path / "docs")
    run("import", "markdown", source, vault=root)
    _folder(source, TEXT + " And at nine.")
    again = run("import", "markdown", source, vault=root)
    assert "changed in the source since" in again.err
    assert "docs/n.md (memory/ref/n.md)" in again.err
    assert "nine" not in (root / "memory/ref/n.md").read_text("utf-8")


def test_another_folder_of_the_same_name_is_not_passed_over_in_silence(root: Path, run: Run, tmp_path: Path) -> None:
    run("import", "markdown", _folder(tmp_path / "a" / "docs" / "vault"), vault=root)
    other = run("import", "markdown", _folder(tmp_path / "b" / "docs" / "vault", "The wombat digs."), vault=root)
    assert "another of the same name" in other.err


def test_a_note_is_of_the_day_that_its_source_gives(root: Path, run: Run, tmp_path: Path) -> None:
    run("import", "markdown", _folder(tmp_path / "docs"), vault=root)
    assert (
        run("recall", "quokka", "--until", "2026-04-01", "--json", vault=root).json["evidence"][0]["date"]
        == "2026-03-31"
    )


def test_a_folder_of_two_kinds_names_the_other(root: Path, run: Run, tmp_path: Path) -> None:
    place = tmp_path / "mix"
    (place / "claude").mkdir(parents=True)
    turn = {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-10-01T09:00:00Z"}
    turn |= {"message": {"role": "user", "content": "hello quokka"}}
    (place / "claude" / "s1.jsonl").write_text(json.dumps(turn) + "\n", "utf-8")
    (place / "memory.json").write_text(
        '{"type": "entity", "name": "A", "entityType": "x", "observations": ["b"]}\n', "utf-8"
    )
    done = run("import", place, vault=root)
    assert done.out.startswith("claude-code: added 1 turn")
    assert "it looks like mcp-memory as well" in done.err


def test_nothing_but_bad_records_is_a_failure(root: Path, run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no\nno\n", "utf-8")
    assert run("ingest", broken, vault=root).code == 5


def test_a_proposal_tells_its_source(root: Path, run: Run, tmp_path: Path) -> None:
    held = tmp_path / "mem0.json"
    held.write_text('[{"id": "m1", "memory": "Likes tea in the morning", "user_id": "u"}]', "utf-8")
    run("import", "mem0", held, vault=root)
    (one,) = run("inbox", "list", "--json", vault=root).json["proposals"]
    assert one["source"].startswith("mem0:")


def test_what_only_the_cloud_has_is_named(root: Path, run: Run, tmp_path: Path) -> None:
    source = _folder(tmp_path / "docs")
    (source / ".far.md.icloud").write_bytes(b"bplist00")
    assert "not read, because only the cloud has them: far.md" in run("import", source, vault=root).err


def test_since_says_what_has_no_date(root: Path, run: Run, tmp_path: Path) -> None:
    source = _folder(tmp_path / "docs")
    (source / "m.md").write_text("The quoll has no date.\n", "utf-8")
    done = run("import", source, "--since", "2026-04-01", vault=root)
    assert "added 1 note" in done.out
    assert "without a date, so that --since does not leave them out: 1" in done.err


def test_a_secret_is_told_with_its_place_once(root: Path, run: Run, tmp_path: Path) -> None:
    source = _folder(tmp_path / "docs", "my password is hunter2!")
    for more in (["--dry-run"], []):
        assert "docs/n.md)" in run("import", source, *more, vault=root).err
    assert "secrets" not in run("import", source, vault=root).err


def test_a_scope_is_named_once(root: Path, run: Run, tmp_path: Path) -> None:
    source = _folder(tmp_path / "docs")
    done = run("import", source, "--scope", "a", "--scope-from-cwd", vault=root)
    assert (done.code, "either --scope or --scope-from-cwd" in done.err) == (2, True)
    assert run("recall", "quokka", "--scope", "a", "--scope-from-cwd", vault=root).code == 2


def test_files_of_a_folder_that_are_sources_by_themselves_are_named(root: Path, run: Run, tmp_path: Path) -> None:
    place = tmp_path / "mixed"
    place.mkdir()
    said = {"uuid": "m1", "sender": "human", "text": "the lark sings", "created_at": "2026-11-29T10:00:00Z"}
    (place / "mine.json").write_text(json.dumps([{"uuid": "c1", "name": "A", "chat_messages": [said]}]), "utf-8")
    (place / "other.json").write_text("[1, 2]", "utf-8")
    refused = run("import", place, vault=root)
    assert (refused.code, "mine.json (claude)" in refused.err) == (2, True)
    _folder(place)
    assert "mine.json (claude)" in run("import", place, vault=root).err
