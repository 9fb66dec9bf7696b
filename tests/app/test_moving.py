"""Moves through the command: files, links, refusals, one run that an undo takes back byte for byte."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import pytest

import driver
from driver import Run, Tree
from memdir.app import runs
from memdir.app.keeping import moving
from memdir.app.memory import Memory
from memdir.errors import BadData
from memdir.vault import files
from obsidian import VAULTS, Reader, links, texts, visible

NOTE = "---\nname: Pump\ntype: project\ntags: []\ncreated: 2026-01-02\nupdated: 2026-01-02\nimportance: medium\n---\n"


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


@pytest.fixture
def adopted(tmp_path: Path, run: Run) -> Path:
    """A small vault of a person's own, in every kind of line end and with odd bytes."""
    place = tmp_path / "adopted"
    for path, data in {
        "Pump.md": b'\xef\xbb\xbf---\r\nup: "[[Index]]"\r\n---\r\nSelf: [[Pump#x]] \xff\r\n',
        "Index.md": b"# Index\n[[Pump]] [p](Pump.md) [[Pump|the pump]] \xfe\r\n`[[Pump]]`\n",
        "deep/Far.md": b"[[Pump]] [p](../Pump.md) ![](../img/p.png)",
        "img/p.png": b"\x89PNG\r\n\x00\xff",
        "2026-01-02.md": b"[[Pump]]\n",
        "Templates/T.md": b"[[Pump]]\n",
        "board.canvas": json.dumps({"nodes": [{"type": "file", "file": "Pump.md", "text": "[[Pump]]"}]}).encode(),
        ".obsidian/x.md": b"[[Pump]]\n",
        ".trash/old.md": b"[[Pump]]\n",
    }.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    assert run("init", "--adopt", place).code == 0
    return place


def truth(tree: dict[str, str]) -> dict[str, str]:
    """Files that an undo must give back; folders may stay, logs are only appended to."""
    quiet = (".memdir", "memory/logs/", "memory/ledger/")
    return {path: mark for path, mark in tree.items() if not path.startswith(quiet) and mark != "folder"}


def write(root: Path, path: str, text: str) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    return place


# --- what a move does ----------------------------------------------------------------------------


def test_every_link_follows_and_every_byte_comes_back(adopted: Path, run: Run, tree: Tree) -> None:
    before = truth(tree(adopted))
    done = run("mv", "Pump", "machines/Water pump.md", "--json", vault=adopted)
    assert done.code == 0, done.err
    assert done.json["path"] == "machines/Water pump.md"
    assert not (adopted / "Pump.md").exists()
    assert (adopted / "machines/Water pump.md").read_bytes() == (
        b'\xef\xbb\xbf---\r\nup: "[[Index]]"\r\n---\r\nSelf: [[Water pump#x]] \xff\r\n'
    )
    assert (adopted / "Index.md").read_bytes() == (
        b"# Index\n[[Water pump]] [p](machines/Water%20pump.md) [[Water pump|the pump]] \xfe\r\n`[[Pump]]`\n"
    )
    assert b"[p](../machines/Water%20pump.md)" in (adopted / "deep/Far.md").read_bytes()
    assert (adopted / "2026-01-02.md").read_bytes() == (adopted / "Templates/T.md").read_bytes() == b"[[Water pump]]\n"
    node = json.loads((adopted / "board.canvas").read_text("utf-8"))["nodes"][0]
    assert (node["file"], node["text"]) == ("machines/Water pump.md", "[[Water pump]]")
    assert (adopted / ".obsidian/x.md").read_bytes() == (adopted / ".trash/old.md").read_bytes() == b"[[Pump]]\n"
    assert run("undo", "last", vault=adopted).code == 0
    assert truth(tree(adopted)) == before


@pytest.mark.parametrize(
    ("note", "new", "path"),
    [
        ("Pump", "Motor", "Pump.md → Motor.md"), ("Pump.md", "Motor.md", "Pump.md → Motor.md"),
        ("[[Pump]]", "deep/", "Pump.md → deep/Pump.md"), ("Pump", "deep", "Pump.md → deep.md"),
        ("Pump", "./deep", "Pump.md → deep/Pump.md"), ("Pump", "new/place/", "Pump.md → new/place/Pump.md"),
        ("Pump", "deep\\Motor", "Pump.md → deep/Motor.md"), ("Pump", "v1.2", "Pump.md → v1.2.md"),
        ("deep/Far", "./", "deep/Far.md → Far.md"), ("deep/Far", "./Near.md", "deep/Far.md → Near.md"),
        ("Far", "水泵", "deep/Far.md → deep/水泵.md"), ("Pump", "pump", "Pump.md → pump.md"),
        ("img/p.png", "assets/", "img/p.png → assets/p.png"), ("img/p.png", "q", "img/p.png → img/q.png"),
        ("board.canvas", "deep/b", "board.canvas → deep/b.canvas"),
    ],
)  # fmt: skip
def test_ways_to_name_the_place(adopted: Path, run: Run, note: str, new: str, path: str) -> None:
    data = (adopted / path.split(" → ")[0]).read_bytes()
    done = run("mv", note, new, "--json", vault=adopted)
    assert done.code == 0, done.err
    old, place = path.split(" → ")
    assert done.json["path"] == place
    assert not (adopted / old).exists() or old.lower() == place.lower()
    assert len((adopted / place).read_bytes()) > len(data) / 2


def test_a_folder_moves_with_all_that_is_in_it(adopted: Path, run: Run, tree: Tree) -> None:
    before = truth(tree(adopted))
    done = run("mv", "img/", "deep/pictures/", vault=adopted)
    assert done.code == 0, done.err
    assert (adopted / "deep/pictures/p.png").read_bytes() == b"\x89PNG\r\n\x00\xff"
    assert b"![](pictures/p.png)" in (adopted / "deep/Far.md").read_bytes()
    assert run("mv", "deep/", "deep/er/", vault=adopted).code == 2
    assert run("mv", "deep/", "Templates/", vault=adopted).code == 4
    assert run("mv", "deep/", "Templates", vault=adopted).code == 2
    assert run("mv", "deep", "Far/", vault=adopted).code == 2
    assert run("undo", "last", vault=adopted).code == 0
    assert truth(tree(adopted)) == before


def test_a_dry_run_shows_the_move_and_writes_nothing(adopted: Path, run: Run, tree: Tree) -> None:
    before = tree(adopted)
    shown = run("mv", "Pump", "Motor", "--dry-run", vault=adopted)
    assert "rename from Pump.md\nrename to Motor.md" in shown.out
    assert "+# Index" not in shown.out
    assert "+[[Motor]] [p](Motor.md) [[Motor|the pump]]" in shown.out
    assert "nothing was written" in shown.err
    assert tree(adopted) == before


def test_in_a_vault_of_memdir_list_log_and_ledger_follow(root: Path, run: Run, tree: Tree) -> None:
    run("new", "Pump", "--type", "project", "--body", "Two bar.", vault=root)
    run("new", "House", "--type", "project", "--body", "See [[pump]].", vault=root)
    note = (root / "memory/project/pump.md").read_bytes()
    logs = {path: path.read_bytes() for path in (root / "memory/logs").rglob("*.md")}
    before = truth(tree(root))
    done = run("mv", "pump", "water-pump", vault=root)
    assert done.code == 0, done.err
    assert (root / "memory/project/water-pump.md").read_bytes() == note
    assert "See [[water-pump]]." in (root / "memory/project/house.md").read_text("utf-8")
    assert "[Pump](memory/project/water-pump.md)" in (root / "MEMORY.md").read_text("utf-8")
    assert run("recall", "two bar", "--json", vault=root).paths[0] == "memory/project/water-pump.md"
    for path, data in logs.items():
        assert path.read_bytes().startswith(data)
        assert path.read_text("utf-8").endswith("pump → [[water-pump]]\n")
    assert "logs are never rewritten" in done.err
    lines = next((root / "memory/ledger").iterdir()).read_text("utf-8").splitlines()
    event = next(event for event in map(json.loads, lines) if event["op"] == "moved")
    assert (event["from"], event["to"]) == ("memory/project/pump.md", "memory/project/water-pump.md")
    assert run("undo", "last", vault=root).code == 0
    assert truth(tree(root)) == before


def test_nothing_is_learned_from_the_line_in_the_log(root: Path, run: Run) -> None:
    run("new", "Pump", "--type", "project", vault=root)
    run("mv", "pump", "x" * 180, vault=root)
    assert run("distill", "--no-model", "--json", vault=root).json["entries"] == 0


def test_a_note_is_found_by_the_names_that_it_had(root: Path, run: Run) -> None:
    run("new", "Pump", "--type", "project", "--body", "Two bar.", vault=root)
    run("mv", "pump", "motor", "--title", "Motor", vault=root)
    run("set", "motor", "aliases=", vault=root)
    run("mv", "motor", "memory/ref/engine.md", vault=root)
    for name in ("memory/project/pump.md", "pump", "[[pump]]", "memory/project/motor.md"):
        assert run("show", name, "--json", vault=root).json["path"] == "memory/ref/engine.md", name
    assert run("show", "ump", vault=root).code == 3
    run("new", "Pump", "--type", "project", vault=root)
    assert run("show", "pump", "--json", vault=root).json["path"] == "memory/project/pump.md"


def test_a_name_that_several_notes_had_is_a_conflict(root: Path, run: Run) -> None:
    for kind in ("project", "ref"):
        run("new", "Pump", "--type", kind, vault=root)
        run("mv", f"memory/{kind}/pump.md", f"memory/{kind}/motor-{kind}.md", vault=root)
        run("set", f"motor-{kind}", f"name=Motor {kind}", "aliases=", vault=root)
    several = run("show", "pump", vault=root)
    assert several.code == 4
    assert "memory/project/motor-project.md, memory/ref/motor-ref.md" in several.err
    assert run("show", "memory/ref/pump.md", "--json", vault=root).json["path"] == "memory/ref/motor-ref.md"


def test_only_moves_lead_on(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    line = {"ts": "2026-01-01T00:00:00Z", "op": "noted", "from": "memory/ref/x.md", "to": "memory/user/shell.md"}
    with next((root / "memory/ledger").iterdir()).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert run("show", "memory/ref/x.md", vault=root).code == 3


def test_the_type_follows_another_topic_folder(root: Path, run: Run, tree: Tree) -> None:
    write(root, "memory/project/pump.md", NOTE.replace("\n", "\r\n") + "[[pump]]\r\n")
    before = truth(tree(root))
    done = run("mv", "pump", "memory/ref/", vault=root)
    assert "is of type ref now" in done.err
    text = (root / "memory/ref/pump.md").read_bytes().decode()
    assert "type: ref\r\n" in text
    assert text.count("\r\n") == text.count("\n")
    assert "## Reference" in (root / "MEMORY.md").read_text("utf-8")
    assert run("doctor", vault=root).code == 0
    run("undo", "last", vault=root)
    assert truth(tree(root)) | {"MEMORY.md": ""} == before | {"MEMORY.md": ""}


def test_a_title_is_set_and_the_old_name_stays_an_alias(root: Path, run: Run) -> None:
    write(root, "memory/project/pump.md", NOTE + "Text.\n")
    assert run("mv", "pump", "motor", "--title", "The  motor", vault=root).code == 0
    shown = run("show", "motor", "--json", vault=root).json
    assert (shown["name"], shown["aliases"]) == ("The motor", ["Pump"])
    assert "[The motor]" in (root / "MEMORY.md").read_text("utf-8")


def test_a_title_in_an_adopted_vault(adopted: Path, run: Run) -> None:
    assert run("mv", "Index", "Start", "--title", "Start here", vault=adopted).code == 0
    assert (
        (adopted / "Start.md")
        .read_text("utf-8", "surrogateescape")
        .startswith("---\ntitle: Start here\naliases: [Index]\n---\n# Index\n")
    )
    assert run("mv", "img/p.png", "q", "--title", "x", vault=adopted).code == 2


# --- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("note", "new", "code"),
    [
        ("MEMORY.md", "x.md", 5), ("memory/logs/2026/01/2026-01-02.md", "memory/ref/x.md", 5),
        ("memory/ledger/x.jsonl", "memory/ref/x.md", 5), ("memory/sessions/s.md", "memory/ref/x.md", 5),
        ("memory/inbox/p.md", "memory/ref/p.md", 5), ("pump", "house", 4), ("pump", "House.MD", 4), ("pump", "pump", 2),
        ("pump", "a#b", 2), ("pump", "a[b", 2), ("pump", "a|b", 5), ("pump", "../x.md", 5), ("pump", "/x.md", 5),
        ("pump", ".hidden", 5), ("pump", "con.md", 5), ("pump", "README.md/", 2), ("pump", "./notes/x.md", 2),
        ("pump", "memory/ledger/", 2), ("pump", "memory/inbox/x.md", 2), ("pump", "memory/logs/2026-01-03.md", 2),
        ("nothing", "x", 3), ("memory/user/", "memory/people/", 5), ("memory/", "m/", 5), ("memory/none/", "x/", 3),
        ("bad", "memory/ref/", 5),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_everything(root: Path, run: Run, tree: Tree, note: str, new: str, code: int) -> None:
    write(root, "memory/project/pump.md", NOTE)
    write(root, "memory/project/house.md", NOTE)
    write(root, "memory/project/bad.md", "---\ntype: [\n---\n")
    write(root, "memory/logs/2026/01/2026-01-02.md", "# 2026-01-02\n")
    write(root, "memory/sessions/s.md", "x\n")
    write(root, "memory/inbox/p.md", NOTE)
    write(root, "memory/ledger/x.jsonl", "")
    write(root, "memory/user/u.md", NOTE)
    run("sync", vault=root)
    before = truth(tree(root))
    refused = run("mv", note, new, "--json", vault=root)
    assert refused.code == code, refused.out
    assert truth(tree(root)) == before


def test_a_link_is_not_followed_out_of_the_vault(adopted: Path, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (adopted / "way").symlink_to(outside, target_is_directory=True)
    assert run("mv", "Pump", "way/Pump.md", vault=adopted).code == 5
    assert list(outside.iterdir()) == []
    assert (adopted / "Pump.md").exists()


def test_a_folder_with_a_link_in_it_stays(adopted: Path, run: Run, tree: Tree) -> None:
    (adopted / "img/alias.png").symlink_to(adopted / "img/p.png")
    before = truth(tree(adopted))
    assert run("mv", "img/", "pictures/", vault=adopted).code == 5
    assert truth(tree(adopted)) == before


def test_a_move_taken_back_is_forgotten(adopted: Path, run: Run) -> None:
    run("mv", "Pump", "Motor", vault=adopted)
    run("undo", "last", vault=adopted)
    (adopted / "Pump.md").rename(adopted / "Motor.md")
    assert run("show", "Pump", vault=adopted).code == 3


def test_what_fails_half_way_is_taken_back(adopted: Path, run: Run, tree: Tree) -> None:
    """A file with a second name is never written: all that was done before it comes back."""
    os.link(adopted / "deep/Far.md", adopted / "second.md")
    before = truth(tree(adopted))
    refused = run("mv", "Pump", "Motor", vault=adopted)
    assert refused.code == 5
    assert "second name" in refused.err
    assert truth(tree(adopted)) == before


def test_a_save_in_the_middle_is_waited_for(adopted: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody saves a note between plan and write: nothing of theirs is lost and the move is made anew."""
    real, saved = runs.apply, []

    def apply(memory: Memory, changes: object) -> object:
        if not saved:
            saved.append(1)
            with (adopted / "Index.md").open("ab") as file:
                file.write(b"by hand [[Pump]]\n")
        return real(memory, changes)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "apply", apply)
    with Memory(adopted) as memory:
        done = memory.move("Pump", "Motor")
    assert done.path == "Motor.md"
    assert (adopted / "Index.md").read_bytes().endswith(b"by hand [[Motor]]\n")
    assert not (adopted / "Pump.md").exists()


@pytest.mark.parametrize("step", range(1, 8))
def test_a_kill_at_any_change_leaves_no_note_lost(
    adopted: Path, run: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Stopped before change number `step` with no chance to take back: an undo still gives back every byte."""
    before = truth(tree(adopted))
    count = 0

    class Killed(BaseException):
        pass

    def stop(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            nonlocal count
            count += 1
            if count == step:
                raise Killed
            return real(*given, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(files.Root, "write", stop(files.Root.write))
        patch.setattr(files.Root, "remove", stop(files.Root.remove))
        with Memory(adopted) as memory, pytest.raises(Killed):
            memory.move("Pump", "Motor")
    notes = {path: (adopted / path).read_bytes() for path in ("Pump.md", "Motor.md") if (adopted / path).exists()}
    assert any(b"Self: [[" in data for data in notes.values())
    undone = run("undo", "last", vault=adopted)
    assert undone.code == 0, undone.err
    assert truth(tree(adopted)) == before


def test_too_much_to_take_back_is_refused(adopted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "MOST_BYTES", 4)
    with Memory(adopted) as memory, pytest.raises(BadData, match="taken back"):
        memory.move("img/", "pictures/")


# --- real vaults ---------------------------------------------------------------------------------


def moves(paths: list[str], led: dict[str, list[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """The note most linked to gets a new name, another one a new folder, a third the name of a fourth."""
    linked = Counter(target for found in led.values() for _, target in found if target.endswith(".md"))
    notes = [path for path, _ in linked.most_common(2)] + [path for path in led if path.endswith(".md") and led[path]]
    away = str(PurePosixPath(paths[len(paths) // 2]).parent)
    yield notes[0], "Renamed 泵"
    yield notes[1], f"new place/{PurePosixPath(notes[1]).name}"
    yield notes[-1], f"{away}/sub/{PurePosixPath(notes[0]).name}"


@pytest.mark.skipif(not VAULTS, reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("source", VAULTS, ids=lambda path: path.name)
def test_links_of_a_real_vault_lead_where_they_led(source: Path, tmp_path: Path, run: Run, tree: Tree) -> None:
    root = tmp_path / "vault"
    shutil.copytree(source, root, symlinks=True)
    assert run("init", "--adopt", root).code == 0
    whole, paths, held = truth(tree(root)), visible(root), texts(root)
    before = Reader(paths)
    led = {
        path: [(link, before.follow(link, path) if link else "") for link in links(path, text)]
        for path, text in held.items()
    }
    checked = 0
    for note, new in moves(paths, led):
        done = run("mv", note, new, "--json", vault=root)
        assert done.code == 0, (note, new, done.out)
        place, now = done.json["path"], texts(root)
        assert visible(root) == sorted(place if path == note else path for path in paths)
        after = Reader(visible(root))
        for path, found in led.items():
            own = place if path == note else path
            new_links = links(own, now[own])
            assert len(new_links) == len(found), (note, new, path)
            for (link, target), link_now in zip(found, new_links, strict=True):
                wanted = place if target == note else target
                assert not target or after.follow(link_now, own) == wanted, (note, new, path, link, link_now)
                checked += bool(target)
        assert run("undo", "last", vault=root).code == 0
        assert truth(driver.tree(root)) == whole, (note, new)
    assert checked > 100
