"""What a server stands, in small: the trials of `memdir.evals.served`, which run at length by a command."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import driver
from memdir.evals.served import crowd, load, noise

pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")

Vault = Callable[..., Path]


def test_messages_are_the_same_for_the_same_seed() -> None:
    assert list(noise.messages(1, 50)) == list(noise.messages(1, 50))
    assert list(noise.messages(1, 50)) != list(noise.messages(2, 50))
    assert all(line.count(b"\n") == 1 for line in noise.messages(1, 500))


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_is_answered_by_the_protocol_alone(seed: int, vault: Vault) -> None:
    root = vault()
    (root / "memory/ref/pump.md").write_text("# Pump\n\npump valve\n", "utf-8")
    outside = driver.tree(root.parent)
    done = noise.run(root, driver.environment({}), seed, 300)
    assert done.wrong == []
    assert done.sent == 300
    assert done.lines > 150
    after = driver.tree(root.parent)
    assert {path for path in after if not path.startswith("vault")} == {
        path for path in outside if not path.startswith("vault")
    }


def test_a_server_that_ends_is_told(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    once = """input(); print('{"jsonrpc": "2.0", "id": 1, "result": {}}', flush=True)"""
    monkeypatch.setattr(noise, "command", lambda *_: [sys.executable, "-c", once])
    assert noise.run(vault(), driver.environment({}), 1, 20).wrong == ["no answer at the end: b''"]


def test_two_servers_a_command_line_and_a_watcher_lose_nothing(vault: Vault) -> None:
    done = crowd.run(vault(), driver.environment({}), 8)
    assert done.wrong == []
    assert len(done.wrote) > 1
    assert done.recalls + sum(done.wrote.values()) > 4


def test_a_crowd_that_loses_a_write_is_told(vault: Vault) -> None:
    """The judge itself: a mark that is nowhere, and one that stands there twice."""
    root = vault()
    assert driver.run("new", crowd.SHARED, "--body", "marktwice\nmarktwice\n", vault=root).code == 0
    marks = {"marktwice": "a", "markgone": "b"}
    done = crowd.Crowd()
    crowd.judge(root, driver.environment({}), marks, done)
    assert sorted(done.wrong) == ["markgone of b stands there 0 times", "marktwice of a stands there 2 times"]


def test_load_counts_every_answer(vault: Vault) -> None:
    root = vault()
    (root / "memory/ref/pump.md").write_text("# Pump\n\npump valve\n", "utf-8")
    assert driver.run("sync", vault=root).code == 0
    done = load.run(root, driver.environment({}), ["pump", "valve"], 3, 1.5)
    assert done.errors == []
    assert done.requests >= 3
    assert 0 < done.p50 <= done.p95 <= done.p99
