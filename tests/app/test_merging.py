"""Conflict copies of every tool go back into their notes; nothing is lost, an undo brings both back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.vault.disk import paths

BASE = "---\nname: Pump\nup: x\n---\n# Pump\n\nTwo bar.\n\nFilter A7.\n\nBuilt in 2019.\n\nStands in the cellar.\n"
NAMES = (
    "pump.sync-conflict-20261129-101112-ABCDEFG.md", "pump (Conflicted copy laptop 202611291011).md",
    "pump (Ana's conflicted copy 2026-11-29).md", "pump (conflicted copy 2026-11-29 101112).md",
    "pump.conflict-20261129-101112-0a1b2c.md", "pump 2.md", "pump (1).md", "pump-DESKTOP-ABC123.md",
    "pump-ANASPC.md",
)  # fmt: skip

GUESSED = NAMES[5:]  # named like a copy, which a title may be, too


@pytest.fixture
def adopted(tmp_path: Path, run: Run) -> Path:
    root = tmp_path / "adopted"
    (root / "d").mkdir(parents=True)
    (root / "d/pump.md").write_text(BASE, "utf-8")
    (root / "other.md").write_text("[[pump]]\n", "utf-8")
    run("init", "--adopt", root)
    return root


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def truth(tree: dict[str, str]) -> dict[str, str]:
    quiet = (".memdir", "memory/ledger/")
    return {path: mark for path, mark in tree.items() if not path.startswith(quiet) and mark != "folder"}


def write(root: Path, path: str, text: str) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    return place


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_every_tool_is_merged_and_an_undo_brings_both_back(
    adopted: Path, run: Run, tree: Tree, name: str
) -> None:
    copy = write(adopted, f"d/{name}", BASE + "\nNew seal.\n")
    before = truth(tree(adopted))
    problem = next(one for one in run("doctor", "--json", vault=adopted).json["problems"] if one["path"] == f"d/{name}")
    assert "memdir merge-conflicts" in problem["message"]
    guessed = [f"d/{name}"] if name in GUESSED else []
    assert (f"'d/{name}'" in problem["message"]) == bool(guessed)
    shown = run("merge-conflicts", *guessed, "--dry-run", vault=adopted)
    assert "+New seal." in shown.out
    assert truth(tree(adopted)) == before
    done = run("merge-conflicts", *guessed, "--json", vault=adopted)
    assert done.code == 0, done.out
    assert [one["how"] for one in done.json["copies"]] == ["merged"]
    assert done.json["conflicts"] == []
    assert not copy.exists()
    assert (adopted / "d/pump.md").read_text("utf-8") == BASE + "\nNew seal.\n"
    assert run("doctor", "--json", vault=adopted).json["problems"] == []
    assert run("undo", "last", vault=adopted).code == 0
    assert truth(tree(adopted)) == before


def test_the_names_that_memdir_gives_its_own_copies(adopted: Path, run: Run) -> None:
    write(adopted, paths.copy_name("d/pump.md", 1_800_000_000.0), BASE + "\nMore.\n")
    assert len(run("merge-conflicts", "--json", vault=adopted).json["copies"]) == 1


def test_several_copies_of_one_note_and_an_equal_one(adopted: Path, run: Run) -> None:
    write(adopted, f"d/{NAMES[0]}", BASE + "\nOne.\n")
    write(adopted, f"d/{NAMES[1]}", BASE)
    write(adopted, f"d/{NAMES[2]}", BASE.replace("Two bar.", "Two bar and a half."))
    write(adopted, f"d/{NAMES[5]}", BASE)
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert len(done["copies"]) == 4
    text = (adopted / "d/pump.md").read_text("utf-8")
    assert "One." in text
    assert "Two bar and a half." in text
    assert sorted(path.name for path in (adopted / "d").iterdir()) == ["pump.md"]


def test_an_equal_copy_is_only_removed(adopted: Path, run: Run) -> None:
    write(adopted, f"d/{NAMES[0]}", BASE)
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert [one["how"] for one in done["copies"]] == ["same"]
    assert (adopted / "d/pump.md").read_text("utf-8") == BASE


def test_what_both_changed_is_kept_twice_and_reported_with_its_line(adopted: Path, run: Run) -> None:
    write(adopted, "d/pump.md", BASE.replace("Filter A7.", "The filter is of the kind A8."))
    write(adopted, f"d/{NAMES[0]}", BASE.replace("Filter A7.", "The filter is of the kind A9."))
    done = run("merge-conflicts", "--json", vault=adopted).json
    lines = (adopted / "d/pump.md").read_text("utf-8").split("\n")
    assert [one["path"] for one in done["conflicts"]] == ["d/pump.md"]
    at = done["conflicts"][0]["line"] - 1
    assert lines[at].startswith("> [!warning] conflict")
    assert (lines[at - 2], lines[at + 1]) == ("The filter is of the kind A8.", "> The filter is of the kind A9.")


def test_with_a_version_of_the_history_an_edit_is_taken_cleanly(adopted: Path, run: Run) -> None:
    """memdir wrote on this device, a person on another: both come from the version that memdir kept."""
    run("edit", "pump", "--append", "--text", "Seal changed.", vault=adopted)
    write(adopted, f"d/{NAMES[0]}", BASE.replace("Filter A7.", "Filter A8.").replace("up: x", "up: y"))
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert done["conflicts"] == []
    assert done["copies"][0]["base"]
    text = BASE.replace("Filter A7.", "Filter A8.").replace("up: x", "up: y") + "Seal changed.\n"
    assert (adopted / "d/pump.md").read_text("utf-8") == text


def test_of_many_versions_the_one_that_the_copy_comes_from_is_the_base(adopted: Path, run: Run) -> None:
    with Memory(adopted) as memory:
        first = memory.root.read("d/pump.md").digest
    run("edit", "pump", "--append", "--text", "Seal changed.", vault=adopted)
    run("edit", "pump", "--append", "--text", "Oil changed.", vault=adopted)
    run("edit", "pump", "--append", "--text", "Painted.", vault=adopted)
    write(adopted, f"d/{NAMES[0]}", BASE.replace("Filter A7.", "Filter A8."))
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert done["copies"][0]["base"] == first
    assert (adopted / "d/pump.md").read_text("utf-8") == (
        BASE.replace("Filter A7.", "Filter A8.") + "Seal changed.\nOil changed.\nPainted.\n"
    )


def test_a_base_that_is_younger_than_the_copy_deletes_nothing(adopted: Path, run: Run) -> None:
    """The copy left from a text that no history holds: what was written by hand since is not taken for deleted."""
    write(adopted, "d/pump.md", BASE.replace("Two bar.", "Two bar.\n\nBy hand, a line that matters."))
    run("edit", "pump", "--append", "--text", "Seal changed.", vault=adopted)
    write(adopted, f"d/{NAMES[0]}", BASE + "\nFrom the phone.\n")
    run("merge-conflicts", vault=adopted)
    text = (adopted / "d/pump.md").read_text("utf-8")
    for line in ("By hand, a line that matters.", "Seal changed.", "From the phone.", "Two bar."):
        assert line in text


def test_a_stale_copy_brings_nothing_back(adopted: Path, run: Run) -> None:
    run("edit", "pump", "--append", "--text", "Seal changed.", vault=adopted)
    run("edit", "pump", "--section", "Pump", "--text", "Three bar.", "--base",
        run("show", "pump", "--json", vault=adopted).json["digest"], vault=adopted)  # fmt: skip
    now = (adopted / "d/pump.md").read_bytes()
    write(adopted, f"d/{NAMES[0]}", BASE)
    assert run("merge-conflicts", vault=adopted).code == 0
    assert (adopted / "d/pump.md").read_bytes() == now


def test_line_ends_marks_and_odd_bytes_stay(adopted: Path, run: Run, tree: Tree) -> None:
    ours = "\ufeff" + BASE.replace("\n", "\r\n") + "odd \udcff\r\n"
    write(adopted, "d/pump.md", ours)
    write(adopted, f"d/{NAMES[0]}", BASE + "odd \udcff\n\nNew \udcfe.\n")
    before = truth(tree(adopted))
    assert run("merge-conflicts", vault=adopted).code == 0
    assert (adopted / "d/pump.md").read_bytes() == (ours + "\r\nNew \udcfe.\r\n").encode("utf-8", "surrogateescape")
    run("undo", "last", vault=adopted)
    assert truth(tree(adopted)) == before


# --- what is no copy -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pump 2.md", "pump (1).md", "pump-ANASPC.md"])
def test_a_title_that_looks_like_a_copy_stays(adopted: Path, run: Run, tree: Tree, name: str) -> None:
    write(adopted, f"d/{name}", "# Another pump\n\nUpstairs.\n")
    write(adopted, f"{name}", BASE)
    before = truth(tree(adopted))
    assert "no conflict copies" in run("merge-conflicts", vault=adopted).err
    assert truth(tree(adopted)) == before


def test_two_ids_are_two_notes_and_a_link_makes_a_note(adopted: Path, run: Run, tree: Tree) -> None:
    long = BASE + "".join(f"Line {number}.\n" for number in range(30))
    write(adopted, "d/sprint.md", long.replace("up: x", "id: aaaaaaaaaaaa"))
    write(adopted, "d/sprint 2.md", long.replace("up: x", "id: bbbbbbbbbbbb"))
    write(adopted, "d/pump 2.md", BASE)
    write(adopted, "other.md", "[[pump]] and [the second](d/pump%202.md)\n")
    before = truth(tree(adopted))
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert [(one["how"], one["copy"]) for one in done["copies"]] == [("left", "d/pump 2.md")]
    assert "other.md links to it" in done["copies"][0]["why"]
    assert truth(tree(adopted)) == before


TRIP = "---\nstatus: planned\n---\n# {place}\n\n## Before\n- [ ] Passport\n- [ ] Adapter\n- [ ] Keys to Ana\n\n" \
    "## There\n- [ ] Hotel\n- [ ] Tickets\n\n## After\n- [ ] Receipts\n"  # fmt: skip


@pytest.mark.parametrize("name", ["Trip 2.md", "Trip (1).md", "Trip-PROD.md"])
def test_two_notes_of_one_template_stay_two_until_one_is_named(adopted: Path, run: Run, tree: Tree, name: str) -> None:
    write(adopted, "Trip.md", TRIP.format(place="Porto"))
    write(adopted, name, TRIP.format(place="Faro"))
    before = truth(tree(adopted))
    done = run("merge-conflicts", vault=adopted)
    assert done.out == f"left: {name} → Trip.md  (looks like a copy, merge it by naming it)\n"
    assert done.err == "nothing was merged\n"
    assert truth(tree(adopted)) == before
    assert run("merge-conflicts", name, "--json", vault=adopted).json["copies"][0]["how"] == "merged"
    assert "Faro" in (adopted / "Trip.md").read_text("utf-8")
    assert not (adopted / name).exists()


def test_an_id_in_common_or_a_version_in_the_history_makes_a_guess_sure(adopted: Path, run: Run) -> None:
    long = BASE.replace("up: x", "id: aaaaaaaaaaaa") + "".join(f"Line {number}.\n" for number in range(30))
    write(adopted, "d/sprint.md", long)
    write(adopted, "d/sprint 2.md", f"{long}From the phone.\n")
    run("edit", "pump", "--append", "--text", "Seal changed.", vault=adopted)
    write(adopted, "d/pump (1).md", BASE.replace("Filter A7.", "Filter A8."))
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert [(one["copy"], one["how"]) for one in done["copies"]] == [
        ("d/pump (1).md", "merged"),
        ("d/sprint 2.md", "merged"),
    ]


@pytest.mark.parametrize(("name", "code"), [("other", 2), ("gone 2.md", 3), ("d/lone 2.md", 3), ("../x.md", 2)])
def test_a_name_that_means_no_copy_is_refused(adopted: Path, run: Run, tree: Tree, name: str, code: int) -> None:
    write(adopted, "d/lone 2.md", BASE)
    before = truth(tree(adopted))
    done = run("merge-conflicts", name, vault=adopted)
    assert done.code in (code, 5), done.err
    assert truth(tree(adopted)) == before


# --- notes that are gone, logs, MEMORY.md --------------------------------------------------------


def test_a_copy_whose_note_is_gone_takes_its_place(adopted: Path, run: Run, tree: Tree) -> None:
    (adopted / "d/pump.md").unlink()
    write(adopted, f"d/{NAMES[0]}", BASE)
    write(adopted, f"d/{NAMES[1]}", BASE + "\nNew seal.\n")
    before = truth(tree(adopted))
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert "renamed" in [one["how"] for one in done["copies"]]
    assert (adopted / "d/pump.md").read_text("utf-8") == BASE + "\nNew seal.\n"
    assert len(list((adopted / "d").iterdir())) == 1
    run("undo", "last", vault=adopted)
    assert truth(tree(adopted)) == before


def test_a_copy_of_a_note_that_has_moved_goes_into_it(adopted: Path, run: Run) -> None:
    run("mv", "pump", "motors/motor", vault=adopted)
    write(adopted, f"d/{NAMES[0]}", BASE + "\nNew seal.\n")
    run("merge-conflicts", vault=adopted)
    assert (adopted / "motors/motor.md").read_text("utf-8") == BASE + "\nNew seal.\n"
    assert list((adopted / "d").iterdir()) == []


def test_a_log_gets_the_entries_it_lacks_behind_its_own(root: Path, run: Run, tree: Tree) -> None:
    path = "memory/logs/2026/01/2026-01-02.md"
    ours = "# 2026-01-02\n\n## 08:00 - A\n- one\n\n## 12:00 - C\n- three\n- and four\n"
    write(root, path, ours)
    theirs = "# 2026-01-02\nA line by hand.\n\n## 08:00 - A\n- one\n\n## 09:00 - B\n- two\n\n## 12:00 - C\n- three\n"
    write(root, path.replace(".md", ".sync-conflict-20260102-101112-ABCDEFG.md"), theirs)
    before = truth(tree(root))
    done = run("merge-conflicts", "--json", vault=root)
    assert [one["how"] for one in done.json["copies"]] == ["merged"]
    text = (root / path).read_text("utf-8")
    assert text == ours + "\nA line by hand.\n\n## 09:00 - B\n- two\n"
    assert run("merge-conflicts", "--json", vault=root).json["copies"] == []
    assert run("undo", "last", vault=root).code == 0
    after = {path: mark for path, mark in truth(tree(root)).items() if path in before}
    assert after == before


def test_todays_log_is_merged_and_the_run_can_still_be_taken_back(root: Path, run: Run) -> None:
    run("log", "One", vault=root)
    log = next((root / "memory/logs").rglob("*.md"))
    ours = log.read_bytes()
    copy = write(root, f"{log.relative_to(root)}"[:-3] + " (conflicted copy).md", "# x\n\n## 09:00 - Two\n- b\n")
    assert run("merge-conflicts", vault=root).code == 0
    assert log.read_bytes() == ours + b"\n# x\n\n## 09:00 - Two\n- b\n"
    assert run("undo", "last", vault=root).code == 0
    assert log.read_bytes() == ours
    assert copy.exists()


def test_memory_md_keeps_its_own_list(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    memory = root / "MEMORY.md"
    text = memory.read_text("utf-8")
    theirs = text.replace("# Memory\n", "# Memory\n\nBy hand there.\n").replace("[Shell]", "[Old]")
    run("new", "Editor", "--type", "user", vault=root)
    write(root, "MEMORY.sync-conflict-20260102-101112-ABCDEFG.md", theirs)
    assert run("merge-conflicts", vault=root).code == 0
    text = memory.read_text("utf-8")
    assert "By hand there." in text
    assert "[Shell]" in text
    assert "[Editor]" in text
    assert "[Old]" not in text
    assert run("doctor", vault=root).code == 0


def test_one_note_that_cannot_be_merged_does_not_keep_the_others_back(adopted: Path, run: Run) -> None:
    write(adopted, "bad?.sync-conflict-20261129-101112-ABCDEFG.md", "gone, and its name cannot be made")
    write(adopted, f"d/{NAMES[0]}", BASE + "\nNew seal.\n")
    done = run("merge-conflicts", "--json", vault=adopted).json
    assert sorted(one["how"] for one in done["copies"]) == ["left", "merged"]
