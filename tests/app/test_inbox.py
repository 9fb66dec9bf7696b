"""What waits for a word: listed, shown, accepted (by command or by hand), refused for good, all of it taken back."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app import runs
from memdir.app.keeping import inbox
from memdir.app.memory import Memory
from memdir.errors import BadData, Conflict
from memdir.vault import files as disk
from memdir.vault import note
from memdir.vault.draft import NewNote

MORE = {"source": "README.md", "trust": "external", "status": "proposed"}
INBOX = "memory/inbox"


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


@pytest.fixture
def propose(root: Path) -> Callable[..., str]:
    """`propose("Title")`: path of a proposal made from a file of its own."""

    def make(title: str, kind: str = "project", body: str = "> Plans tours of the harbour.", day: str = "") -> str:
        with Memory(root) as memory, runs.running(memory, "scan"):
            key = f"atlas:{title}@0"
            done = inbox.propose(memory, [(key, NewNote(title, kind, body, more={**MORE, "origin": key}))], False)
        if day:
            replaced = (
                (root / done.changed[0]).read_text("utf-8").replace(f"created: {_today(root)}", f"created: {day}")
            )
            (root / done.changed[0]).write_text(replaced, "utf-8")
        return done.changed[0]

    return make


def _today(root: Path) -> str:
    with Memory(root) as memory:
        return memory.clock.today()


def read(root: Path, path: str) -> note.Note:
    return note.parse(path, (root / path).read_bytes(), own=True)


def files(root: Path, folder: str) -> list[str]:
    return sorted(path.name for path in (root / folder).iterdir())


def truth(tree: dict[str, str]) -> dict[str, str]:
    """Notes, proposals and MEMORY.md: what an undo gives back byte for byte."""
    quiet = (".memdir", "memory/logs/", "memory/ledger/")
    return {path: digest for path, digest in tree.items() if not path.startswith(quiet)}


def test_proposals_are_listed_oldest_first_and_shown(root: Path, run: Run, propose: Callable[..., str]) -> None:
    propose("Ferries", day="2026-03-02")
    propose("Atlas tours", day="2026-03-01")
    listed = run("inbox", vault=root)
    assert [line.split()[0] for line in listed.out.splitlines()] == ["atlas-tours.md", "ferries.md"]
    assert run("inbox", "list", vault=root).out == listed.out
    first = run("inbox", "--json", vault=root).json["proposals"][0]
    wanted = {"path": f"{INBOX}/atlas-tours.md", "name": "Atlas tours", "type": "project", "created": "2026-03-01"}
    assert first == {**wanted, "source": "README.md", "status": "proposed", "key": "atlas:Atlas tours@0"}
    for name in ("atlas-tours", "atlas-tours.md", "ATLAS TOURS", f"{INBOX}/atlas-tours.md"):
        assert "> Plans tours of the harbour." in run("inbox", "show", name, vault=root).out
    missing = run("inbox", "show", "nothing", vault=root)
    assert (missing.code, "memdir inbox list" in missing.err) == (3, True)


def test_two_of_one_title_are_told_apart_by_their_files(root: Path, run: Run, propose: Callable[..., str]) -> None:
    assert [propose("Atlas"), propose("Atlas")] == [f"{INBOX}/atlas.md", f"{INBOX}/atlas-2.md"]
    both = run("inbox", "show", "Atlas", vault=root)
    assert both.code == 4
    assert "atlas-2.md" in both.err
    assert run("inbox", "accept", "atlas-2", vault=root).code == 0
    assert files(root, INBOX) == ["atlas.md"]


def test_a_proposal_is_no_note_until_it_is_accepted(root: Path, run: Run, propose: Callable[..., str]) -> None:
    propose("Atlas tours")
    assert run("list", "--json", vault=root).paths == ["MEMORY.md"]
    assert run("recall", "tours harbour", vault=root).code == 3
    assert "Atlas" not in (root / "MEMORY.md").read_text("utf-8")
    done = run("inbox", "accept", "atlas-tours", vault=root)
    assert (done.code, done.out) == (0, "wrote memory/project/atlas-tours.md\n")
    assert files(root, INBOX) == []
    assert run("recall", "tours harbour", "--json", vault=root).paths[0] == "memory/project/atlas-tours.md"
    assert "[Atlas tours](memory/project/atlas-tours.md)" in (root / "MEMORY.md").read_text("utf-8")


def test_what_is_accepted_is_reviewed_and_keeps_where_it_came_from(
    root: Path, run: Run, propose: Callable[..., str]
) -> None:
    propose("Atlas tours")
    assert run("inbox", "accept", "atlas-tours", vault=root).code == 0
    made = read(root, "memory/project/atlas-tours.md")
    assert {key: made.text(key) for key in ("trust", "status", "source", "origin", "type")} == {
        "trust": "reviewed",
        "status": "accepted",
        "source": "README.md",
        "origin": "atlas:Atlas tours@0",
        "type": "project",
    }
    assert not made.problems
    log = next((root / "memory/logs").rglob("*.md")).read_text("utf-8")
    assert "Accepted from the inbox → [[atlas-tours]]" in log


@pytest.mark.parametrize("kind", ["user", "feedback", "project", "ref"])
def test_another_type_may_be_given(root: Path, run: Run, propose: Callable[..., str], kind: str) -> None:
    propose("Atlas tours", "ref")
    assert run("inbox", "accept", "atlas-tours", "--type", kind, vault=root).code == 0
    assert read(root, f"memory/{kind}/atlas-tours.md").type == kind


def test_a_type_that_is_none_is_refused(root: Path, run: Run, tree: Tree, propose: Callable[..., str]) -> None:
    place = root / propose("Atlas tours")
    place.write_text(place.read_text("utf-8").replace("type: project", "type: poem"), "utf-8")
    assert run("inbox", "accept", "atlas-tours", "--type", "poem", vault=root).code == 2
    before = tree(root)
    # What memdir does not know as a type is a reference by its words, like in every note.
    assert run("inbox", "accept", "atlas-tours", "--dry-run", vault=root).code == 0
    assert tree(root) == before


def test_a_taken_name_is_numbered(root: Path, run: Run, propose: Callable[..., str]) -> None:
    run("new", "Atlas tours", "--type", "user", "--body", "Mine.", vault=root)
    propose("Atlas tours")
    assert run("inbox", "accept", "Atlas tours", vault=root).out == "wrote memory/project/atlas-tours-2.md\n"
    assert "Mine." in (root / "memory/user/atlas-tours.md").read_text("utf-8")


def test_an_edit_of_a_proposal_stays_with_it(root: Path, run: Run, propose: Callable[..., str]) -> None:
    place = root / propose("Atlas tours")
    edited = place.read_text("utf-8").replace("tags: []", "tags: [sea]  # mine").replace("> Plans", "Plans in May")
    place.write_bytes(edited.replace("\n", "\r\n").encode() + b"\r\n## Mine\r\nBy hand.\r\n")
    assert run("inbox", "accept", "atlas-tours", vault=root).code == 0
    made = (root / "memory/project/atlas-tours.md").read_bytes().decode()
    for line in ("tags: [sea]  # mine", "Plans in May tours of the harbour.", "## Mine", "By hand.", "trust: reviewed"):
        assert f"{line}\r\n" in made


def test_accepted_by_hand_is_a_note_after_the_next_distillation(
    root: Path, run: Run, tree: Tree, propose: Callable[..., str]
) -> None:
    place = root / propose("Atlas tours")
    propose("Ferries")
    place.write_text(place.read_text("utf-8").replace("status: proposed", "status: Accepted  # Ana"), "utf-8")
    before = truth(tree(root))
    night = run("distill", "--json", vault=root).json
    assert night["made"] == ["memory/project/atlas-tours.md"]
    assert files(root, INBOX) == ["ferries.md"]
    assert read(root, "memory/project/atlas-tours.md").text("trust") == "reviewed"
    assert "Atlas tours" in (root / "MEMORY.md").read_text("utf-8")
    assert run("undo", night["run"], vault=root).code == 0
    assert truth(tree(root)) == before


def mark(root: Path, path: str) -> None:
    """A person's `status: accepted` in the file."""
    (root / path).write_text((root / path).read_text("utf-8").replace("status: proposed", "status: accepted"), "utf-8")


def test_an_accepted_proposal_is_said_to_be_so(root: Path, run: Run, propose: Callable[..., str]) -> None:
    mark(root, propose("Atlas tours"))
    assert "  new  memory/project/atlas-tours.md: accepted\n" in run("distill", vault=root).out


@pytest.mark.parametrize("error", [Conflict("saved at this moment"), BadData("the disk is full")])
def test_half_an_acceptance_is_taken_back_and_the_others_are_made(
    root: Path, run: Run, propose: Callable[..., str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The note is written, then its proposal cannot go: one of the two would be too many."""
    stuck, good = propose("Atlas tours"), propose("Ferries")
    mark(root, stuck)
    mark(root, good)
    real = disk.Root.remove

    def remove(self: disk.Root, rel: str, *, base: str) -> None:
        if rel == stuck:
            raise error
        real(self, rel, base=base)

    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(disk.Root, "remove", remove)
            night = run("distill", "--json", vault=root)
            assert night.code == 0, night.out
            assert any(str(error) in notice for notice in night.json["notices"])
            assert run("inbox", "accept", "atlas-tours", vault=root).code == getattr(error, "exit_code", 0)
        assert files(root, "memory/project") == ["ferries.md"]
        assert files(root, INBOX) == ["atlas-tours.md"]
    assert run("distill", "--json", vault=root).json["made"] == ["memory/project/atlas-tours.md"]


def test_a_proposal_that_goes_meanwhile_does_not_end_the_night(
    root: Path, run: Run, propose: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = propose("Atlas tours")
    mark(root, gone)
    real = inbox.by_hand

    def late(memory: Memory) -> list[str]:
        found = real(memory)
        (root / gone).unlink(missing_ok=True)
        return found

    monkeypatch.setattr(inbox, "by_hand", late)
    night = run("distill", "--json", vault=root)
    assert night.code == 0, night.out
    assert any(gone in notice for notice in night.json["notices"])


@pytest.mark.parametrize("word", ["distill", "inbox accept atlas-tours"])
def test_an_acceptance_that_was_taken_back_is_not_made_again(
    root: Path, run: Run, propose: Callable[..., str], word: str
) -> None:
    path = propose("Atlas tours")
    mark(root, path)
    assert run(*word.split(), vault=root).code == 0
    assert files(root, INBOX) == []
    assert run("undo", "last", vault=root).code == 0
    assert run("distill", "--json", vault=root).json["made"] == []
    assert files(root, INBOX) == ["atlas-tours.md"]
    (root / path).write_text((root / path).read_text("utf-8") + "\nYes, this one.\n", "utf-8")
    assert run("distill", "--json", vault=root).json["made"] == ["memory/project/atlas-tours.md"]


def test_the_word_of_a_person_is_not_set_by_command(
    root: Path, run: Run, tree: Tree, propose: Callable[..., str]
) -> None:
    path = propose("Atlas tours")
    run("new", "From outside", "--type", "ref", vault=root)
    outside = root / "memory/ref/from-outside.md"
    outside.write_text(outside.read_text("utf-8").replace("importance:", "trust: external\nimportance:"), "utf-8")
    before = truth(tree(root))
    for values in ("status=accepted", "trust=reviewed", "type=user"):
        done = run("set", path, values, vault=root)
        assert (done.code, "memdir inbox accept" in done.err) == (2, True)
    assert run("set", "From outside", "trust=reviewed", vault=root).code == 2
    assert truth(tree(root)) == before
    assert run("set", path, "importance=low", vault=root).code == 0
    assert run("set", "From outside", "importance=low", vault=root).code == 0


def test_rejected_it_goes_and_its_key_is_remembered(root: Path, run: Run, propose: Callable[..., str]) -> None:
    propose("Atlas tours")
    assert run("inbox", "reject", "atlas-tours", vault=root).out == f"rejected {INBOX}/atlas-tours.md\n"
    assert files(root, INBOX) == []
    with Memory(root) as memory:
        assert inbox.seen(memory.ledger.events()) == {"atlas:Atlas tours@0"}


@pytest.mark.parametrize("words", ["accept", "accept --type user", "reject"])
def test_the_word_is_taken_back_byte_for_byte(
    root: Path, run: Run, tree: Tree, propose: Callable[..., str], words: str
) -> None:
    propose("Atlas tours")
    before = tree(root)
    line = ["inbox", *words.split(), "atlas-tours"]
    assert run(*line, "--dry-run", vault=root).code == 0
    assert tree(root) == before
    assert run(*line, vault=root).code == 0
    assert truth(tree(root)) != truth(before)
    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert truth(tree(root)) == truth(before)
    assert run("inbox", "--json", vault=root).json["proposals"][0]["status"] == "proposed"


def test_names_in_chinese(root: Path, run: Run, propose: Callable[..., str]) -> None:
    assert propose("水泵：维护计划", body="> 每周一检查水泵。") == f"{INBOX}/水泵-维护计划.md"
    propose("渡轮")
    assert "每周一检查水泵" in run("inbox", "show", "水泵：维护计划", vault=root).out
    assert run("inbox", "accept", "水泵-维护计划", vault=root).out == "wrote memory/project/水泵-维护计划.md\n"
    assert run("inbox", "reject", "渡轮", vault=root).code == 0
    assert files(root, INBOX) == []
    assert run("recall", "水泵什么时候检查", "--json", vault=root).paths[0] == "memory/project/水泵-维护计划.md"


def test_files_that_cannot_be_read_do_not_hide_the_others(root: Path, run: Run, propose: Callable[..., str]) -> None:
    propose("Atlas tours")
    (root / INBOX / "bad.md").write_bytes(b"---\nname: [\n---\n\xff\n")
    (root / INBOX / "notes.txt").write_text("no proposal")
    if os.name == "posix":
        (root / INBOX / "link.md").symlink_to("/etc/hostname")
    names = [one["path"].rpartition("/")[2] for one in run("inbox", "--json", vault=root).json["proposals"]]
    assert "atlas-tours.md" in names
    assert set(names) <= {"atlas-tours.md", "bad.md"}
    bad = run("inbox", "accept", "bad", vault=root)
    assert bad.code in (3, 5), bad.err
    assert propose("Bad") == f"{INBOX}/bad-2.md"


@pytest.mark.parametrize("word", ["accept", "reject"])
def test_in_an_adopted_folder_proposals_are_no_notes(tmp_path: Path, run: Run, word: str) -> None:
    place = tmp_path / "claw"
    (place / INBOX).mkdir(parents=True)
    (place / "SOUL.md").write_text("# Soul\n\nKind.\n")
    run("init", place, "--adopt")
    with Memory(place) as memory, runs.running(memory, "scan"):
        inbox.propose(memory, [("k", NewNote("Atlas tours", "ref", "> Plans tours.", more=MORE))], False)
    assert run("list", "--json", vault=place).paths == ["SOUL.md"]
    assert run("recall", "plans tours", vault=place).code == 3
    assert run("read", "atlas-tours", vault=place).code == 3
    assert run("read", f"{INBOX}/atlas-tours.md", vault=place).code == 0
    assert run("stats", "--json", vault=place).code == 0
    assert run("inbox", word, "atlas-tours", vault=place).code == 0
    wanted = ["SOUL.md", "memory/ref/atlas-tours.md"] if word == "accept" else ["SOUL.md"]
    assert sorted(run("list", "--json", vault=place).paths) == wanted
    assert run("undo", "last", vault=place).code == 0
    assert run("list", "--json", vault=place).paths == ["SOUL.md"]
    assert (place / INBOX / "atlas-tours.md").is_file()
