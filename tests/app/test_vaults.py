"""Making, adopting and registering vaults: nothing outside is touched, nothing is lost, everything is said."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import driver
from memdir import config
from memdir.app import vaults
from memdir.errors import BadData, Conflict, Locked, NotFound, Unsafe, UsageError
from memdir.index import generation

MADE = ("MEMORY.md", "memdir.toml", "memory/user/", "memory/feedback/", "memory/project/", "memory/ref/")


def registered() -> list[str]:
    return list(vaults.registry().paths)


# --- init ------------------------------------------------------------------------------------------------


def test_a_dry_run_says_what_the_run_then_makes(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "new" / "vault"
    said = vaults.init(root, adopt=False, timezone="Europe/Lisbon", dry_run=True)
    assert not root.parent.exists()
    assert not config.config_home().exists()
    made = vaults.init(root, adopt=False, timezone="Europe/Lisbon")
    assert made == said
    assert made.created[: len(MADE)] == MADE
    assert made.registered
    assert all((root / path).exists() for path in made.created)
    assert (root / "memdir.toml").read_text("utf-8").splitlines() == [
        "# Settings of this vault: `memdir` README, references/settings.md.",
        "format = 1",
        'timezone = "Europe/Lisbon"',
    ]
    again = vaults.init(root, adopt=False)
    assert (again.created, again.registered) == ((), False)


def test_init_makes_only_what_is_missing(tmp_path: Path, tree: driver.Tree) -> None:
    vaults.init(tmp_path / "v", adopt=False)
    before = tree(tmp_path / "v")
    (tmp_path / "v/memory/logs").rmdir()
    (tmp_path / "v/memdir.toml").unlink()
    (tmp_path / "v/MEMORY.md").unlink()
    made = vaults.init(tmp_path / "v", adopt=False)
    assert made.created == ("MEMORY.md", "memdir.toml", "memory/logs/")
    after = tree(tmp_path / "v")
    assert {path: mark for path, mark in before.items() if not path.startswith(".memdir/")}.items() <= after.items()


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("link", ["memory", "memory/user", "memory/archive", "MEMORY.md", "memdir.toml"])
@pytest.mark.parametrize("target", ["out", "out/file", "nowhere"])
def test_a_link_in_the_way_stops_before_anything_is_written(
    tmp_path: Path, tree: driver.Tree, dry_run: bool, link: str, target: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/file").write_text("theirs", "utf-8")
    place = tmp_path / "v" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / target)
    before = tree(tmp_path)
    with pytest.raises(Unsafe, match="link"):
        vaults.init(tmp_path / "v", adopt=False, dry_run=dry_run)
    assert tree(tmp_path) == before
    assert registered() == []


def test_a_file_where_a_folder_should_be_is_a_conflict(tmp_path: Path, tree: driver.Tree) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v/memory").write_text("a file", "utf-8")
    before = tree(tmp_path)
    with pytest.raises(Conflict, match="memory/user: a file stands"):
        vaults.init(tmp_path / "v", adopt=False)
    assert tree(tmp_path) == before


def test_the_vault_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "v").symlink_to("real")
    assert vaults.init(tmp_path / "v", adopt=False).created
    assert (tmp_path / "real/memory/logs").is_dir()


def test_a_zone_that_init_would_not_write_is_refused_with_the_line_to_add(tmp_path: Path, tree: driver.Tree) -> None:
    root = tmp_path / "v"
    root.mkdir()
    (root / "note.md").write_text("text\n", "utf-8")
    before = tree(root)
    for dry_run in (False, True):
        with pytest.raises(UsageError, match=r'`timezone = "Asia/Tokyo"` to .*memdir\.toml'):
            vaults.init(root, adopt=True, timezone="Asia/Tokyo", dry_run=dry_run)
    assert tree(root) == before
    (root / "memdir.toml").write_text('timezone = "Asia/Tokyo"\n', "utf-8")
    assert vaults.init(root, adopt=True, timezone="Asia/Tokyo").kind == "folder"
    with pytest.raises(UsageError, match="Europe/Lisbon"):
        vaults.init(root, adopt=False, timezone="Europe/Lisbon")
    with pytest.raises(BadData, match="Nowhere"):
        vaults.init(tmp_path / "other", adopt=False, timezone="Nowhere/City")
    assert not (tmp_path / "other").exists()


def test_what_stands_in_template_folders_is_said(tmp_path: Path, run: driver.Run, tree: driver.Tree) -> None:
    root = tmp_path / "v"
    texts = ["a.md", "templates/x.md", "templates/deep/y.md", "templates/pic.png", "Work/模板/z.md"]
    texts += [
        "Forms/f.md",
        "Forms/templates/g.md",
        "node_modules/templates/n.md",
        ".obsidian/app.md",
        "empty/Template/.md",
    ]
    for path in texts:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, "utf-8")
    (root / ".obsidian/templates.json").write_text('{"folder": "/Forms/"}', "utf-8")
    before = tree(root)
    made = vaults.init(root, adopt=True, dry_run=True)
    assert (made.kind, made.files) == ("obsidian", 1)
    assert [(one.folder, one.files) for one in made.skipped] == [("Forms/", 2), ("Work/模板/", 1), ("templates/", 2)]
    said = run("init", root, "--adopt")
    assert said.out == f"adopted {root} (obsidian, 1 file)\n"
    assert "skipped templates/: templates (2 markdown)" in said.err
    skipped = run("init", root, "--adopt", "--json").json["skipped"]
    assert skipped[-1] == {"folder": "templates/", "files": 2}
    assert tree(root) == before


@pytest.mark.parametrize(
    "settings", ["[", "[]", '{"folder": 1}', "[" * 20_000, "{" + " " * 70_000 + "}", '{"folder": "T"}']
)
def test_odd_template_settings_are_ignored(tmp_path: Path, settings: str) -> None:
    place = tmp_path / "v/.obsidian/templates.json"
    place.parent.mkdir(parents=True)
    (tmp_path / "v/T").mkdir()
    (tmp_path / "v/T/a.md").touch()
    place.write_text(settings, "utf-8")
    assert vaults.init(tmp_path / "v", adopt=True, dry_run=True).files == (0 if "T" in settings else 1)
    place.rename(tmp_path / "elsewhere.json")
    place.symlink_to(tmp_path / "elsewhere.json")
    assert vaults.init(tmp_path / "v", adopt=True, dry_run=True).files == 1


@pytest.mark.parametrize("mark", ["AGENTS.md", "SOUL.md", "HEARTBEAT.md"])
def test_a_workspace_is_known_by_its_files(tmp_path: Path, mark: str) -> None:
    (tmp_path / mark).touch()
    assert vaults.init(tmp_path, adopt=True, dry_run=True).kind == "openclaw"


# --- registry --------------------------------------------------------------------------------------------


def test_vaults_come_and_go(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert vaults.register(one) == vaults.Listed(os.fspath(one), True)
    assert vaults.register(one) == vaults.Listed(os.fspath(one), False)
    assert vaults.register(two).changed
    assert vaults.registry() == vaults.Registry((os.fspath(one), os.fspath(two)), os.fspath(one))
    with pytest.raises(NotFound, match="two is missing"):
        vaults.make_default("two")
    two.mkdir()
    assert vaults.make_default("two").changed
    assert not vaults.make_default("two").changed
    assert vaults.unregister(os.fspath(two)) == vaults.Listed(os.fspath(two), True)
    assert vaults.registry() == vaults.Registry((os.fspath(one),), os.fspath(one))
    for act in (vaults.unregister, vaults.make_default):
        with pytest.raises(NotFound, match="one"):
            act("two")


def test_no_vault_is_lost_between_two_that_register(tmp_path: Path) -> None:
    def register(first: int) -> None:
        for n in range(first, first + 8):
            vaults.register(tmp_path / str(n))

    threads = [threading.Thread(target=register, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(registered()) == len(set(registered())) == 32


def test_a_registry_that_another_holds_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vaults, "_WAIT", 0.0)
    vaults.register(tmp_path / "one")
    acts: list[Callable[[], vaults.Listed]] = [
        lambda: vaults.register(tmp_path / "two"),
        lambda: vaults.unregister("one"),
        lambda: vaults.make_default("one"),
    ]
    with generation.lock(config.config_home(), 0):
        for act in acts:
            with pytest.raises(Locked, match=r"vaults\.json"):
                act()
        assert not vaults.register(tmp_path / "one").changed
        assert vaults.register(tmp_path / "two", dry_run=True).changed
    assert registered() == [os.fspath(tmp_path / "one")]


def test_a_registry_that_cannot_be_written_or_read_is_named(tmp_path: Path, home: Path) -> None:
    config.config_home().parent.mkdir(parents=True)
    config.config_home().write_text("a file", "utf-8")
    with pytest.raises(BadData, match="list of vaults"):
        vaults.register(tmp_path)
    config.config_home().unlink()
    config.config_home().mkdir()
    (config.config_home() / vaults.REGISTRY).write_text("[1", "utf-8")
    for act in (vaults.registry, lambda: vaults.register(tmp_path), lambda: vaults.unregister("x")):
        with pytest.raises(BadData, match=r"vaults\.json:1: "):
            act()


# --- commands --------------------------------------------------------------------------------------------


def test_the_commands_speak_json_and_can_be_tried(tmp_path: Path, run: driver.Run) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        root.mkdir()
    assert run("vaults", "add", one, "--dry-run", "--json").json == {"path": os.fspath(one), "changed": True}
    assert registered() == []
    assert run("vaults", "add", one).out == f"registered: {one}\n"
    assert "no markdown in it" in run("vaults", "add", one).err
    (one / "a.md").write_text("A note\n", "utf-8")
    again = run("vaults", "add", one)
    assert (again.out, again.err) == (f"was registered before: {one}\n", "")
    assert run("vaults", "add", two, "--json").json["changed"]
    tried = run("vaults", "default", "two", "--dry-run")
    assert (tried.out, tried.err) == (f"default: {two}\n", "dry run: nothing was written\n")
    assert run("vaults", "--json").json == {"vaults": [os.fspath(one), os.fspath(two)], "default": os.fspath(one)}
    assert run("vaults", "default", "two", "--json").json == {"path": os.fspath(two), "changed": True}
    assert run("vaults", "remove", "two", "--dry-run", "--json").json == {"path": os.fspath(two), "changed": True}
    assert registered() == [os.fspath(one), os.fspath(two)]
    assert run("vaults", "remove", "two").out == f"no longer registered: {two}\n"
    assert json.loads((config.config_home() / vaults.REGISTRY).read_bytes()) == {
        "default": os.fspath(one),
        "vaults": [os.fspath(one)],
    }
    assert run("vaults", "remove", "two", "--json").json["error"]["exit_code"] == 3
    assert "memdir knows" in run("vaults", "--help").out
    assert "hooks" not in run("vaults", "--help").out


def test_one_line_tells_of_a_zone_that_init_does_not_write(tmp_path: Path, run: driver.Run) -> None:
    assert run("init", tmp_path / "v").code == 0
    refused = run("init", tmp_path / "v", "--timezone", "Europe/Lisbon", "--json")
    assert refused.code == 2
    assert 'timezone = "Europe/Lisbon"' in refused.json["error"]["message"]
