"""Snapshots: a vault in one file and back, byte for byte; what is damaged is said, nothing half is published."""

import errno
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import PEAK, Run, Tree, environment
from memdir.ingest import snapshot
from memdir.vault.disk import syscalls


def filled(root: Path, run: Run) -> Path:
    assert run("new", "Shell preference", "--type", "user", "--body", "- shell:: zsh", vault=root).code == 0
    assert run("log", "Deploy of atlas", "--line", "outcome:: failure", vault=root).code == 0
    (root / "memory/ref/水泵.md").write_bytes(
        "\ufeff---\r\nname: 水泵\r\n---\r\nbytes \xff".encode("latin-1", "replace")
    )
    (root / "memory/ref/photo.png").write_bytes(os.urandom(5_000))
    (root / "memory/ref/empty.md").touch()
    (root / "memory/ref/old.md").write_text("old", "utf-8")
    os.utime(root / "memory/ref/old.md", ns=(1_000_000_007, 1_000_000_007))
    (root / ".memdir/stated.json").write_text("{}", "utf-8")
    return root


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    return filled(vault(), run)


@pytest.fixture
def kept(root: Path, tmp_path: Path, run: Run) -> Path:
    file = tmp_path / "kept.zip"
    done = run("snapshot", "create", file, vault=root)
    assert done.code == 0, done.err
    return file


def test_that_earlier_versions_are_not_in_it_is_said(root: Path, kept: Path, tmp_path: Path, run: Run) -> None:
    again = run("snapshot", "create", tmp_path / "again.zip", vault=root)
    restored = run("snapshot", "restore", kept, tmp_path / "restored")
    assert "earlier versions are not in" in again.err
    assert "earlier versions are not in" in restored.err


def memory_of(root: Path, tree: Tree) -> dict[str, str]:
    """The files of a vault without what a snapshot leaves out, and without folders."""
    found = {path: mark for path, mark in tree(root).items() if mark != "folder"}
    return {path: mark for path, mark in found.items() if not path.startswith(".") or path == ".memdir/stated.json"}


def damage(file: Path, member: str, at: int = 0) -> None:
    """Change one byte of the packed bytes of a member."""
    with zipfile.ZipFile(file) as archive:
        info = archive.getinfo(member)
    data = bytearray(file.read_bytes())
    begin = info.header_offset + 30 + len(info.filename.encode()) + at
    data[begin + at] ^= 0xFF
    file.write_bytes(bytes(data))


def rewritten(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The archive made anew, with other members."""
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    change(held)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)


def test_a_snapshot_is_restored_byte_for_byte(root: Path, kept: Path, tmp_path: Path, run: Run, tree: Tree) -> None:
    checked = run("snapshot", "verify", kept, "--json").json
    assert checked["damaged"] == []
    assert checked["files"] == len(memory_of(root, tree))
    made = run("snapshot", "restore", kept, tmp_path / "new", "--json").json
    assert made["folder"] == str(tmp_path / "new")
    assert {path: mark for path, mark in tree(tmp_path / "new").items() if mark != "folder"} == memory_of(root, tree)
    assert (tmp_path / "new/memory/ref/old.md").stat().st_mtime_ns == 1_000_000_007
    assert run("recall", "zsh", "--json", vault=tmp_path / "new").paths == ["memory/user/shell-preference.md"]


def test_what_is_not_memory_stays_out(root: Path, tmp_path: Path, run: Run) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret", "utf-8")
    (root / "memory/ref/link.md").symlink_to(outside)
    (root / "memory/linked").symlink_to(tmp_path)
    for name in (".git/config", "memory/.hidden/x.md", "memory/node_modules/x.md", "src/main.py", "memory/x.md~"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", "utf-8")
    (root / "memory/ref/a (conflicted copy 2026-11-29 101010).md").write_text("x", "utf-8")
    run("set", "shell-preference", "importance=high", vault=root)
    assert run("snapshot", "create", tmp_path / "s.zip", vault=root).code == 0
    with zipfile.ZipFile(tmp_path / "s.zip") as archive:
        held = {name.removeprefix("vault/") for name in archive.namelist()}
    ledger = next(path.name for path in (root / "memory/ledger").glob("*.jsonl"))
    log = next((root / "memory/logs").rglob("*.md")).relative_to(root).as_posix()
    assert held == {
        "manifest.jsonl", "MEMORY.md", "memdir.toml", ".memdir/stated.json", "memory/user/shell-preference.md", log,
        f"memory/ledger/{ledger}", "memory/ref/水泵.md", "memory/ref/photo.png", "memory/ref/empty.md",
        "memory/ref/old.md", "memory/ref/a (conflicted copy 2026-11-29 101010).md",
    }  # fmt: skip


def test_an_adopted_vault_keeps_its_ledger(tmp_path: Path, run: Run, tree: Tree, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-01")
    (root / "picture.png").write_bytes(b"png")
    assert run("log", "Something", vault=root).code == 0
    assert run("snapshot", "create", tmp_path / "s.zip", vault=root).code == 0
    assert run("snapshot", "restore", tmp_path / "s.zip", tmp_path / "new").code == 0
    restored = set(tree(tmp_path / "new"))
    assert {"picture.png", *(path for path in tree(root) if path.startswith(".memdir/ledger/"))} <= restored


@pytest.mark.parametrize("at", [0, 20])
def test_damage_is_named_and_nothing_is_restored(kept: Path, tmp_path: Path, run: Run, at: int) -> None:
    damage(kept, "vault/MEMORY.md", at)
    found = run("snapshot", "verify", kept, "--json")
    assert found.code == 5
    assert [one["path"] for one in found.json["damaged"]] == ["MEMORY.md"]
    done = run("snapshot", "restore", kept, tmp_path / "new")
    assert done.code == 5
    assert "MEMORY.md" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.zip", "vault"]


def test_another_text_is_damage_though_the_archive_is_whole(kept: Path, run: Run) -> None:
    rewritten(kept, lambda held: held.update({"vault/memory/ref/old.md": b"new"}))
    found = run("snapshot", "verify", kept, "--json").json["damaged"]
    assert [one["path"] for one in found] == ["memory/ref/old.md"]
    assert "SHA-256" in found[0]["why"]


def test_a_missing_file_is_damage(kept: Path, run: Run) -> None:
    rewritten(kept, lambda held: held.pop("vault/memory/ref/old.md") and None)
    found = run("snapshot", "verify", kept, "--json").json["damaged"]
    assert found == [{"path": "memory/ref/old.md", "why": "is missing"}]


def test_what_the_manifest_does_not_name_is_refused(kept: Path, run: Run) -> None:
    rewritten(kept, lambda held: held.update({"vault/memory/ref/more.md": b"x"}))
    done = run("snapshot", "verify", kept)
    assert (done.code, "more.md" in done.err) == (5, True)


@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/out", "a/../../out.md", ".git/hooks/x", ".memdir/history/x", "C:/x"]
)
def test_no_path_leads_out_of_the_folder(kept: Path, tmp_path: Path, run: Run, path: str) -> None:
    def change(held: dict[str, bytes]) -> None:
        held[snapshot.MANIFEST] = held[snapshot.MANIFEST].replace(b'"memory/ref/old.md"', json.dumps(path).encode())
        held[f"vault/{path}"] = held.pop("vault/memory/ref/old.md")

    rewritten(kept, change)
    before = sorted(tmp_path.rglob("*"))
    assert run("snapshot", "restore", kept, tmp_path / "new").code == 5
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("size", [0, 10, 400])
def test_a_file_cut_short_is_no_snapshot(kept: Path, run: Run, size: int) -> None:
    kept.write_bytes(kept.read_bytes()[:-size] if size else b"")
    assert run("snapshot", "verify", kept).code == 5


def test_places_that_are_taken_are_left_alone(root: Path, kept: Path, tmp_path: Path, run: Run) -> None:
    assert run("snapshot", "create", kept, vault=root).code == 4
    assert run("snapshot", "create", root / "s.zip", vault=root).code == 2
    assert run("snapshot", "create", tmp_path / "none/s.zip", vault=root).code == 3
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    (tmp_path / "empty").mkdir()
    assert [run("snapshot", "restore", kept, tmp_path / name).code for name in ("full", "link", "kept.zip")] == [
        4,
        4,
        4,
    ]
    assert run("snapshot", "restore", kept, tmp_path / "empty").code == 0
    assert (tmp_path / "empty/MEMORY.md").is_file()


def test_a_stick_that_knows_no_links_takes_a_snapshot(
    root: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(syscalls.sys_calls, "rename_new", refused)
    name = "水" * 80 + ".zip"
    assert run("snapshot", "create", tmp_path / name, vault=root).code == 0
    assert run("snapshot", "restore", tmp_path / name, tmp_path / "new").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "vault", name]


def test_a_time_that_cannot_be_is_passed_over(root: Path, kept: Path, tmp_path: Path, run: Run) -> None:
    def change(held: dict[str, bytes]) -> None:
        held[snapshot.MANIFEST] = held[snapshot.MANIFEST].replace(b"1000000007", b"9" * 40)

    rewritten(kept, change)
    assert run("snapshot", "restore", kept, tmp_path / "new").code == 0
    assert (tmp_path / "new/memory/ref/old.md").read_bytes() == b"old"


def test_a_dry_run_writes_nothing(root: Path, kept: Path, tmp_path: Path, run: Run) -> None:
    planned = run("snapshot", "create", tmp_path / "other.zip", "--dry-run", "--json", vault=root).json
    assert planned["files"] == run("snapshot", "verify", kept, "--json").json["files"]
    assert run("snapshot", "restore", kept, tmp_path / "new", "--dry-run").code == 0
    damage(kept, "vault/MEMORY.md")
    assert run("snapshot", "restore", kept, tmp_path / "new", "--dry-run").code == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.zip", "vault"]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the peak")
def test_memory_does_not_grow_with_a_file(root: Path, tmp_path: Path) -> None:
    """Zeros pack a thousand times smaller, which an archive of a stranger may not."""
    with (root / "memory/ref/large.txt").open("wb") as stream:
        stream.truncate(150 << 20)
    file, new = tmp_path / "s.zip", tmp_path / "new"
    for line in (["--vault", root, "snapshot", "create", file], ["snapshot", "restore", file, new]):
        asked = [os.fspath(word) for word in line]
        code = f"from memdir.interfaces.cli.main import run; print(run({asked!r}), {PEAK})"
        done = subprocess.run([sys.executable, "-c", code], env=environment({}), capture_output=True, check=True)
        exit_code, most = map(int, done.stdout.split()[-2:])
        assert exit_code == 0
        assert most < 120_000  # KB
    assert (new / "memory/ref/large.txt").stat().st_size == 150 << 20
