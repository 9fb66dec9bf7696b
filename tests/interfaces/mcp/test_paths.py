"""Five hundred ways to name what lies outside the vault, by every tool: nothing there is read or written."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import driver
from mcp_client import READS, WRITES, Talk, desk, talk

CASES = Path(__file__).parents[2] / "cases"
KEPT = 40  # payloads with which what takes long is really done; else it is a dry run
SECRETS = ("TOPSECRET", "SIBLING")


def payloads(base: Path) -> list[str]:
    """The paths of SEC-02, those of `base`, and both in other spellings."""
    given = json.loads((CASES / "SEC-02/paths.json").read_text("utf-8"))
    given += [os.fspath(base / "secret.md"), "vault/../secret.md", "memory/../../secret.md", "up/vault2/s.md", "up"]
    given += ["....//secret.md", "memory/project/../../../secret.md", "..;/secret.md", "../secret", "[[../secret]]"]
    ways = [
        lambda one: one,
        lambda one: f"./{one}",
        lambda one: f"memory/{one}",
        lambda one: f"{one}#x",
        lambda one: f"{one}:1",
        lambda one: f"[[{one}]]",
        lambda one: one.replace("/", "\\"),
        lambda one: one.replace("/", "//"),
        lambda one: one.replace("/", "\u2215"),
        lambda one: one.replace(".", "\uff0e"),
        lambda one: one.replace("..", ".\u200b."),
        lambda one: quote(one, safe=""),
        lambda one: quote(quote(one, safe=""), safe=""),
        lambda one: f" {one} ",
        lambda one: f"{one}\n",
        lambda one: f"{one}\x00.md",
        lambda one: f"file://{one}",
        lambda one: f"../{one}",
        lambda one: one.upper(),
        lambda one: f"{one}/.",
        lambda one: f"{one}.md",
        lambda one: f"memory/project/{one}",
        lambda one: f"{one}|alias",
        lambda one: f"~{one}",
    ]
    return list(dict.fromkeys(way(one) for one, way in itertools.product(given, ways)))


def within(root: Path, path: str) -> bool:
    return (root / path).resolve().is_relative_to(root.resolve())


def test_nothing_outside_the_vault_is_read_or_written(tmp_path: Path, run: driver.Run) -> None:
    base = tmp_path / "base"
    subprocess.run([sys.executable, CASES / "SEC-02/setup.py", base], check=True)
    root = base / "vault"
    assert run("init", root, vault=None).code == 0
    (root / "memory/project/inside.md").write_text("---\nname: Inside\n---\npump\n", "utf-8")
    outside = {path: digest for path, digest in driver.tree(base).items() if not path.startswith("vault/")}
    named = payloads(base)
    assert len(named) >= 500
    tried: dict[str, int] = {}

    async def work(client: Talk) -> None:
        for path in named:  # before there are notes of such names
            assert "Error" in await client.error("memory_read", target=path), path
        for number, path in enumerate(named):
            dry = number >= KEPT
            for tool, given in (
                ("memory_read", {"target": path}),
                ("memory_recall", {"query": "pump", "path": path}),
                ("memory_context", {"scope": path}),
                ("memory_loops", {"scope": path}),
                ("memory_status", {"path": path}),
                ("memory_write", {"note": path, "content": "x", "mode": "append"}),
                ("memory_write", {"title": path, "content": "x", "dry_run": dry}),
                ("memory_log", {"title": path, "dry_run": dry}),
                ("memory_ingest", {"session": path, "turns": [{"speaker": path, "text": path}], "dry_run": dry}),
                ("memory_forget", {"session": path}),
            ):
                done = await client.client.call_tool(tool, given)
                tried[tool] = tried.get(tool, 0) + 1
                said = done.model_dump_json()
                assert not any(secret in said for secret in SECRETS), (tool, path)
                held = done.structured_content or {}
                assert done.is_error or within(root, held.get("path", "")), (tool, path, held)
            try:
                said = await client.read(f"memory://note/{path}")
            except Exception as error:
                said = str(error)
            assert not any(secret in said for secret in SECRETS), path

    with desk(root) as made:
        talk(made, work)
    assert all(tried[tool] >= 500 for tool in (*READS, *WRITES))
    assert {path: digest for path, digest in driver.tree(base).items() if not path.startswith("vault/")} == outside
    assert all(not path.is_symlink() or path.name == "up" for path in root.rglob("*"))
