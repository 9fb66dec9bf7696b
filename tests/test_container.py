"""The files that set a container up: who it runs as, where it listens, and the health check against a real server."""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import driver

PROJECT = Path(__file__).parents[1]
DOCKER = (PROJECT / "Dockerfile").read_text("utf-8")


def instruction(name: str) -> list[str]:
    """What stands behind an instruction, lines joined."""
    whole = re.sub(r"\\\n", " ", DOCKER)
    return re.findall(rf"^{name} (.*)$", whole, re.MULTILINE)


def given() -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S+)", instruction("ENV")[0]))


def compose() -> Any:
    return yaml.safe_load((PROJECT / "compose.yaml").read_text("utf-8"))["services"]["memdir"]


def test_it_runs_as_nobody_and_keeps_nothing_but_vault_and_state() -> None:
    assert instruction("USER") == ["10001"]
    assert DOCKER.index("\nUSER ") < DOCKER.index("\nENTRYPOINT ")
    assert json.loads(instruction("VOLUME")[0]) == ["/vault", "/var/lib/memdir"]
    env = given()
    assert env["MEMDIR_VAULT"] == "/vault"
    assert all(env[name].startswith("/var/lib/memdir") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"))
    assert instruction("EXPOSE") == [env["MEMDIR_PORT"]]


def test_compose_shows_it_to_this_machine_alone_and_needs_a_token() -> None:
    service = compose()
    assert service["ports"] == [f"127.0.0.1:{given()['MEMDIR_PORT']}:{given()['MEMDIR_PORT']}"]
    assert "MEMDIR_TOKEN:?" in service["environment"]["MEMDIR_TOKEN"]
    assert [one.rpartition(":")[2] for one in service["volumes"]] == ["/vault", "/var/lib/memdir"]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert not service["user"].startswith(("0", "root"))


def test_everything_that_is_copied_is_there_and_let_through() -> None:
    ignored = (PROJECT / ".dockerignore").read_text("utf-8").splitlines()
    for line in instruction("COPY"):
        for source in line.split()[:-1]:
            assert (PROJECT / source).exists(), source
            assert f"!{source}" in ignored, source


def test_what_a_wheel_is_made_of_is_copied() -> None:
    """The image installs what is copied, so that nothing of it may be missing."""
    build = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    wanted = {*build["wheel"]["force-include"], *build["wheel"]["packages"], *build["sdist"]["only-include"]}
    copied = {source for line in instruction("COPY") for source in line.split()[:-1]}
    assert wanted <= copied


def test_the_health_check_tells_a_server_that_answers(
    tmp_path: Path, vault: Callable[..., Path], run: driver.Run
) -> None:
    """The command of the image, with the port of a free one."""
    pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")
    root = vault()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = driver.environment({"MEMDIR_PORT": port, "MEMDIR_VAULT": os.fspath(root), "MEMDIR_TOKEN": "x" * 20})
    check = json.loads(instruction("HEALTHCHECK")[0].partition("CMD ")[2])
    assert check[0] == "python"
    command = json.loads(instruction("CMD")[0])
    with subprocess.Popen(
        [sys.executable, "-m", "memdir", *command], env=env, stderr=subprocess.PIPE, encoding="utf-8"
    ) as one:
        assert one.stderr
        assert f"0.0.0.0:{port}/mcp" in one.stderr.readline()
        assert subprocess.run([sys.executable, *check[1:]], env=env, check=False).returncode == 0
        one.terminate()
        assert one.wait(10) == 0
    gone = subprocess.run([sys.executable, *check[1:]], env=env, check=False, stderr=subprocess.DEVNULL)
    assert gone.returncode != 0
