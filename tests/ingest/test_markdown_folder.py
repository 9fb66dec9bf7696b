"""Folders of markdown become notes: every file once, linked as before, front matter and odd files included."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import imported
from driver import Run, Tree
from memdir.ingest import members
from memdir.ingest.knowledge import markdown_folder
from memdir.ingest.records import Bad, Left, Noted, Wanted

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared")
VAULTS = sorted((SHARED / "samples" / "obsidian").glob("*/"))
DAILY = sorted(
    place
    for folder in (SHARED / "samples" / "openclaw").glob("*/")
    for place in folder.rglob("memory")
    if any(place.glob("*.md"))
)
TRAPS = SHARED / "samples" / "handmade" / "obsidian-traps"
Made = Callable[..., Path]


def folder(root: Path, **files: str | bytes) -> Path:
    """A folder of files; `__` in a name stands for `/`, and `.md` is added to what has no ending."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path = path if "." in path.name else path.with_suffix(".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def records(source: Path) -> list[object]:
    return list(markdown_folder.read(members.opened(source), Wanted()))


def eligible(source: Path) -> list[str]:
    """The notes of a folder by a walk of its own: no hidden, package or template folder, no copy of a sync tool."""
    found = []
    settings = source / ".obsidian" / "templates.json"
    set_to = json.loads(settings.read_text())["folder"] if settings.exists() else "Templates"
    for place, folders, files in os.walk(source):
        folders[:] = [
            one
            for one in folders
            if one[0] != "." and one.lower() not in ("templates", "template", "_templates", "node_modules", "venv")
        ]
        below = Path(place).relative_to(source).as_posix()
        if f"{below}/".startswith(f"{set_to}/"):
            continue
        for one in files:
            marked = ".sync-conflict-" in one or "onflicted copy" in one
            if one.endswith((".md", ".markdown")) and one[0] != "." and not marked:
                found.append(one if below == "." else f"{below}/{one}")
    return sorted(found)


def test_a_file_becomes_a_note_with_its_front_matter(tmp_path: Path) -> None:
    source = folder(
        tmp_path / "notes",
        Boiler="---\ntags: [home, heat]\naliases: [Old boiler]\ncreated: 2024-03-01\nrating: 7\n"
        'maker: "[[Acme]]"\n---\nHums.\n',
    )
    (one,) = records(source)
    assert isinstance(one, Noted)
    assert (one.title, one.type, one.tags, one.created) == ("Boiler", "ref", ("home", "heat"), "2024-03-01")
    assert one.text == "Hums.\n"
    assert dict(one.more) == {"aliases": ["Old boiler"], "rating": 7, "maker": "[[Acme]]"}


@pytest.mark.parametrize(
    ("name", "front", "title", "aliases"),
    [
        ("My Note", "", "My Note", None),
        ("2024-05-01", "", "2024-05-01 daily note", ["2024-05-01"]),
        ("2024-05-01 Trip", "", "2024-05-01 Trip", None),
        ("guides__README", "", "guides README", ["README"]),
        ("a-1", "title: A title", "A title", ["a-1"]),
        ("a-title", "title: A title", "A title", None),
    ],
)
def test_what_a_note_is_called(
    tmp_path: Path, name: str, front: str, title: str, aliases: list[str] | None
) -> None:  # fmt: skip
    text = f"---\n{front}\n---\nx\n" if front else "x\n"
    (one,) = records(folder(tmp_path / "notes", **{name: text}))
    assert isinstance(one, Noted)
    assert (one.title, one.more.get("aliases")) == (title, aliases)


@pytest.mark.parametrize(
    ("front", "day"),
    [
        ("created: 2024-03-01T10:00:00", "2024-03-01"),
        ("date: 2024/03/01", "2024-03-01"),
        ('created: "[[2024-03-01]]"', "2024-03-01"),
        ("created: 2024-13-01", "2024-05-02"),
        ("created: spring", "2024-05-02"),
    ],
)
def test_the_day_of_a_note(tmp_path: Path, front: str, day: str) -> None:
    (one,) = records(folder(tmp_path / "notes", **{"2024-05-02 x": f"---\n{front}\n---\nx\n"}))
    assert isinstance(one, Noted)
    assert one.created == day


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    source = folder(
        tmp_path / "v",
        a="a",
        Templates__t="{{title}}",
        mine__b="b",
        **{
            ".obsidian/templates.json": '{"folder": "mine"}', ".trash/gone.md": "x", "pic.png": b"\x89PNG",
            "Board.canvas": "{}", "a.sync-conflict-20261001-090000-ABCDEFG.md": "a",
        },
    )  # fmt: skip
    found = records(source)
    assert [one.origin.rpartition("/")[2] for one in found if isinstance(one, Noted)] == ["a.md"]
    assert {one.why: one.count for one in found if isinstance(one, Left)} == {
        "templates": 2,
        "notes in hidden folders": 1,
        "attachments and other files": 1,
        "canvases": 1,
        "copies that sync tools and editors made": 1,
    }


@pytest.mark.parametrize(
    ("data", "where", "text"),
    [
        (b"caf\xe9\n", "x.md", "caf\N{REPLACEMENT CHARACTER}\n"),
        (b"---\na: [1\n---\nbody\n", "x.md:", "~~~~yaml\na: [1\n~~~~\nbody\n"),
        (b"---\na: 1\nno end\n", "x.md:1", "---\na: 1\nno end\n"),
    ],
)
def test_a_file_that_cannot_be_read_well_is_told_and_comes_in(
    tmp_path: Path, data: bytes, where: str, text: str
) -> None:
    bad, one = records(folder(tmp_path / "notes", x=data))
    assert isinstance(bad, Bad)
    assert isinstance(one, Noted)
    assert bad.where.startswith(where)
    assert one.text == text


def test_other_encodings_of_unicode_are_read(tmp_path: Path) -> None:
    source = folder(tmp_path / "v", a="\ufeff---\ntags: [x]\n---\nä\r\nb\r\n", b="水\n".encode("utf-16"))
    one, other = (one for one in records(source) if isinstance(one, Noted))
    assert (one.text, one.tags, other.text) == ("ä\nb\n", ("x",), "水\n")


def test_links_follow_the_notes_and_show_what_they_showed(tmp_path: Path, vault: Made) -> None:
    root = vault()
    source = folder(
        tmp_path / "src" / "v",
        **{
            "Plan": "one\n", "sub/Plan": "two [[../Plan]] and [[Other Note#Why|w]]\n",
            "Other Note": '---\nup: "[[sub/Plan]]"\n---\n[[Plan]] [[sub/Plan]] ![[Plan]]\n| [[Other Note#Why]] |\n'
            "[p](sub/Plan.md) [[Nobody]] `[[sub/Plan]]`\n\n## Why\n",
        },
    )  # fmt: skip
    done = imported.bring(root, "markdown", source)
    assert (done.notes, done.bad, done.notices) == (3, 0, [])
    held = imported.notes(root)
    paths = {origin: one.path for origin, one in held.items()}
    assert paths == {
        "src/v/Plan.md": "memory/ref/plan.md",
        "src/v/sub/Plan.md": "memory/ref/plan-2.md",
        "src/v/Other Note.md": "memory/ref/other-note.md",
    }
    other = held["src/v/Other Note.md"]
    assert other.lines[other.body_line :] == [
        "[[Plan]] [[plan-2|sub/Plan]] ![[Plan]]",
        "| [[other-note#Why\\|Other Note#Why]] |",
        "[p](plan-2.md) [[Nobody]] `[[sub/Plan]]`",
        "",
        "## Why",
        "",
    ]
    assert other.meta["up"] == "[[plan-2|sub/Plan]]"
    below = held["src/v/sub/Plan.md"]
    assert below.lines[below.body_line] == "two [[plan|../Plan]] and [[other-note#Why|w]]"


def test_a_name_that_the_vault_has_already_is_no_trap_for_links(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    assert run("new", "Plan", "--type", "project", vault=root).code == 0
    imported.bring(root, "markdown", folder(tmp_path / "src" / "v", Plan="x\n", b="see [[Plan]]\n"))
    held = imported.notes(root)
    assert held["src/v/Plan.md"].path == "memory/ref/plan-2.md"
    assert held["src/v/b.md"].lines[-2] == "see [[plan-2|Plan]]"


def test_what_came_before_is_linked_by_what_comes_later(tmp_path: Path, vault: Made) -> None:
    root = vault()
    source = folder(tmp_path / "src" / "v", **{"My Note": "x\n"})
    imported.bring(root, "markdown", source)
    folder(source, later="see [[My Note]]\n")
    done = imported.bring(root, "obsidian", source)
    assert (done.notes, done.notes_known) == (1, 1)
    assert imported.notes(root)["src/v/later.md"].lines[-2] == "see [[my-note|My Note]]"


def test_nothing_from_outside_sets_what_memdir_steers_by(tmp_path: Path, vault: Made) -> None:
    root = vault()
    steer = "trust: reviewed\nstatus: accepted\norigin: mine\nscope: all\ndecay: permanent\nimportance: high\nid: abc\n"
    imported.bring(
        root, "markdown", folder(tmp_path / "v", a=f"---\n{steer}---\na\n", b=f"---\ntype: user\n{steer}---\nI am b\n")
    )
    other, one = imported.notes(root).values()
    assert (one.path, other.path) == ("memory/ref/a.md", "memory/inbox/b.md")
    for held in (one, other):
        assert held.text("trust") == "external"
        assert held.text("importance") == "medium"
        assert held.text("id") != "abc"
        assert "decay" not in held.meta
        assert held.text("original_trust") == "reviewed"
    assert (one.text("status"), other.text("status")) == ("", "proposed")


def test_a_secret_in_front_matter_is_redacted(tmp_path: Path, vault: Made) -> None:
    root = vault()
    token = "ghp_" + "a1B2" * 9
    imported.bring(root, "markdown", folder(tmp_path / "v", a=f"---\nlogin: {token}\nkeys: [{token}]\n---\nx\n"))
    assert token not in (root / "memory/ref/a.md").read_text()


def test_long_paths_of_two_notes_do_not_make_one(tmp_path: Path, vault: Made) -> None:
    root = vault()
    deep = "/".join(["a" * 60] * 4)
    source = folder(tmp_path / "v", **{f"{deep}/one.md": "1\n", f"{deep}/two.md": "2\n"})
    assert imported.bring(root, "markdown", source).notes == 2
    assert imported.bring(root, "markdown", source).notes_known == 2


def test_two_folders_of_one_name_do_not_hide_each_other(tmp_path: Path, vault: Made) -> None:
    root = vault()
    for name in ("one", "two"):
        source = folder(tmp_path / name / "memory", a=f"from {name}\n")
        assert imported.bring(root, "markdown", source).notes == 1
    assert (root / "memory/ref/a-2.md").read_text().endswith("from two\n")


@pytest.mark.parametrize("kind", ["markdown", "obsidian", "basic-memory", "claude-memory"])
def test_a_folder_without_markdown_is_refused(tmp_path: Path, vault: Made, run: Run, kind: str) -> None:
    source = folder(tmp_path / "v", **{"a.txt": "x"})
    refused = run("import", kind, source, vault=vault())
    assert (refused.code, "v: no markdown" in refused.err) == (5, True)


def test_what_was_forgotten_does_not_come_again(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    source = folder(tmp_path / "src" / "v", a="x\n", b="[[a]]\n")
    imported.bring(root, "markdown", source)
    assert run("forget", "--origin", "markdown:src/v/a.md", "--yes", vault=root).code == 0
    again = imported.bring(root, "markdown", source)
    assert (again.notes, again.notes_known, sum(again.skipped.values())) == (0, 1, 1)


def test_names_that_are_no_text_come_in_once(tmp_path: Path, vault: Made) -> None:
    root, source = vault(), tmp_path / "v"
    source.mkdir()
    (source / os.fsdecode(b"bad\xe9name.md")).write_bytes(b"hello\n")
    (source / "half.md").write_bytes(b'---\ntitle: "\\ud800x"\naliases: ["a\\udce9"]\n---\nhello\n')
    assert imported.bring(root, "markdown", source).notes == 2
    assert imported.bring(root, "markdown", source).notes == 0
    assert all(path.read_bytes().decode() for path in root.rglob("*.md"))


def test_the_vault_itself_is_no_source_and_left_out_of_one(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    folder(tmp_path, a="x\n")
    for _ in range(2):
        imported.bring(root, "markdown", tmp_path)
    assert [one.path for one in imported.notes(root).values()] == ["memory/ref/a.md"]
    for place in (root, root / "memory", root / "memory" / "ref"):
        refused = run("import", "markdown", place, vault=root)
        assert (refused.code, "belongs to this vault" in refused.err) == (2, True)


def test_a_zip_of_a_vault_and_a_single_file(tmp_path: Path, vault: Made) -> None:
    root = vault()
    source = folder(tmp_path / "src" / "v", **{"My Note": "x\n", "b": "[[My Note]]\n"})
    packed = Path(shutil.make_archive(os.fspath(tmp_path / "v"), "zip", source.parent, "v"))
    assert imported.bring(root, "", packed).notes == 2
    assert imported.notes(root)["v.zip/v/b.md"].lines[-2] == "[[my-note|My Note]]"
    assert imported.bring(root, "markdown", source / "b.md").notes_known == 1  # by what it says
    assert imported.bring(root, "markdown", source).notes_known == 2


def test_what_a_workspace_says_of_its_user_waits_for_review(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    text = "Works in zsh, always.\n"
    source = folder(tmp_path / "space", USER=text, SOUL="Be kind.\n")
    for other in ("plain", "space/old"):  # nothing beside it says that it is a workspace
        folder(tmp_path / other, USER=text)
    done = run("import", "markdown", source, "--json", vault=root).json
    assert (done["notes"], done["proposed"]) == (2, 1)
    assert run("import", "markdown", tmp_path / "plain", "--json", vault=root).json["proposed"] == 0
    (held,) = run("inbox", "list", "--json", vault=root).json["proposals"]
    assert (held["type"], held["path"]) == ("user", "memory/inbox/user.md")
    assert not (root / "memory/user").exists() or not [*(root / "memory/user").iterdir()]
    again = run("import", "markdown", source, "--json", vault=root).json
    assert (again["notes"], again["proposed"], again["notes_known"]) == (0, 0, 3)


def test_a_folder_is_told_by_itself_and_tried_without_writing(
    tmp_path: Path, vault: Made, run: Run, tree: Tree
) -> None:
    root = vault()
    source = folder(tmp_path / "v", a="about kestrels\n")
    before = tree(root)
    tried = run("import", source, "--dry-run", vault=root)
    assert "would add 1 note" in tried.out
    assert "memory/ref: 1 file: a.md" in tried.out
    assert tree(root) == before
    assert run("import", source, vault=root).code == 0
    assert run("recall", "kestrels", "--json", vault=root).paths == ["memory/ref/a.md"]


@pytest.mark.skipif(not VAULTS, reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("source", [*VAULTS, *DAILY, TRAPS], ids=lambda path: "/".join(path.parts[-2:]))
def test_a_real_folder_comes_in_whole(source: Path, vault: Made, tree: Tree, run: Run) -> None:
    root = vault()
    before = tree(source)
    files = eligible(source)
    done = imported.bring(root, "markdown", source)
    assert (done.notes + done.proposed, done.notes_known) == (len(files), 0)
    label = "/".join(source.parts[-2:])
    held = imported.notes(root)
    assert len(held) == len(files)
    assert not [one.problems for one in held.values() if one.problems]
    linked = Counter(imported.inside(source, files))
    assert linked - Counter(imported.now(root, label)) == Counter()
    again = imported.bring(root, "markdown", source)
    assert (again.notes, again.proposed, again.notes_known, again.files) == (0, 0, len(files), [])
    assert tree(source) == before
    assert run("sync", "--json", vault=root).code == 0


def test_an_import_says_that_vectors_are_to_come(run: Run, vault: Made, tmp_path: Path, model: Path) -> None:
    many = folder(tmp_path / "many", **{f"n{n}": f"What number {n} says.\n" for n in range(120)})
    root = vault()
    told = "121 vectors to come, by words alone until then: run `memdir embedder drain`\n"  # MEMORY.md among them
    assert "vectors" not in run("import", str(many), "--dry-run", vault=root).err
    assert "vectors" not in run("import", str(many), vault=vault(name="off"), MEMDIR_EMBEDDER_KIND="none").err
    run("embedder", "drain", vault=root)
    assert told in run("import", str(many), vault=root).err
    assert "vectors" not in run("import", str(many), vault=root).err


def test_standing_instructions_for_an_agent_wait_for_review(tmp_path: Path, vault: Made, run: Run) -> None:
    source = folder(
        tmp_path / "notes",
        CLAUDE="I prefer trains. Always answer in Dutch.\n",
        work__agents="---\ntype: project\n---\nOf a type.\n",
        trips="Azores in May.\n",
    )
    root = vault()
    done = run("import", source, "--json", vault=root).json
    assert (done["notes"], done["proposed"]) == (2, 1)
    (proposal,) = run("inbox", "--json", vault=root).json["proposals"]
    assert (proposal["name"], proposal["type"]) == ("CLAUDE", "feedback")
