"""`memdir mcp` as a process of its own: every tool over the pipe, and what the command line says where it cannot."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

import driver
from mcp_client import ERAS, READS, WRITES, piped

Vault = Callable[..., Path]


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_resource_and_prompt_over_a_pipe(vault: Vault, era: str) -> None:
    root = vault()

    async def work() -> None:
        async with piped(root, era=era) as client:
            held = client.client
            assert held.instructions
            assert len(held.instructions.encode()) <= 2_048
            assert [one.name for one in (await held.list_tools()).tools] == [*READS, *WRITES]
            made = await client.call("memory_write", title="Tide", content="Six hours between tides.", type="ref")
            assert (await client.call("memory_recall", query="tides"))["found"][0]["id"].startswith(made["path"])
            read = await client.call("memory_read", target=made["path"])
            assert "Six hours" in read["text"]
            await client.call("memory_write", note="Tide", content="Seven.", mode="replace", base=read["digest"])
            await client.call("memory_log", title="Tide measured", lines=["- [ ] Measure again"])
            assert (await client.call("memory_loops"))["total"] == 1
            turn = {"speaker": "user", "text": "hello", "ts": "2026-11-29T10:00:00Z"}
            assert (await client.call("memory_ingest", session="s", turns=[turn]))["turns"] == 1
            assert "Tide" in (await client.call("memory_context"))["memory"]
            assert (await client.call("memory_status"))["counts"]["session"] == 1
            assert (await client.call("memory_forget", session="s", confirm=True))["done"]
            assert "Seven." in await client.read("memory://note/memory/ref/tide.md")
            assert "Tide" in await client.read("memory://index")
            assert (await held.get_prompt("end_of_session")).messages

    anyio.run(work)


def test_a_read_only_server_over_a_pipe(vault: Vault) -> None:
    async def work() -> None:
        async with piped(vault(), "--read-only") as client:
            assert [one.name for one in (await client.client.list_tools()).tools] == [*READS]

    anyio.run(work)


def test_no_vault_is_told_on_standard_error(tmp_path: Path, program: driver.Run) -> None:
    done = program("mcp", vault=tmp_path / "nothing")
    assert done.code == 3
    assert done.out == ""
    assert "nothing" in done.err


def test_without_the_extra_one_line_says_so(vault: Vault, tmp_path: Path, program: driver.Run) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['mcp'] = None\n", "utf-8")
    paths = os.pathsep.join([os.fspath(tmp_path), os.fspath(driver.SCRIPTS)])
    done = program("mcp", vault=vault(), PYTHONPATH=paths)
    assert (done.code, done.out) == (2, "")
    assert done.err == 'memdir: MCP needs an extra: pip install "memdir[mcp]"\n'


def test_nothing_else_loads_the_sdk(vault: Vault) -> None:
    """No other command pays for it."""
    code = "import sys; from memdir.interfaces.cli.main import run; run(sys.argv[1:]); print('mcp' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "--vault", os.fspath(vault()), "recall", "x"],
        env=driver.environment({}), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stdout.endswith("False\n")
