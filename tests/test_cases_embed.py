"""Public bug reports as tests: vectors of another length, and an endpoint that is down, slow, limited or out of quota.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`. The endpoint is a scripted server;
SEARCH is `memdir recall`, whose notices and reasons say what the vectors did; SYNC is `memdir sync` and `memdir
embedder drain`.
"""

import json
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import inside
from driver import Result, Run
from memdir.app.memory import Memory
from memdir.evals.scripted import Embedded, Late, Server, Status, numbers, scripted
from memdir.index.filters import Filters
from memdir.recall import evidence
from memdir.recall.evidence import Answer
from memdir.recall.question import Question

MODES = json.loads((Path(__file__).parent / "cases/EMBED-02/modes.json").read_bytes())
NOTES = 20


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    """20 notes, each of one passage."""
    root = vault()
    for n in range(NOTES):
        (root / f"memory/ref/n{n:02}.md").write_text(
            f"---\nname: Pump {n}\n---\nThe filter of number {n} is changed.\n"
        )
    return root


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`chosen(url)`: the settings name an endpoint there."""

    def put(url: str) -> None:
        for name, value in (("KIND", "endpoint"), ("URL", url), ("MODEL", "tiny"), ("TIMEOUT", "1.5")):
            monkeypatch.setenv(f"MEMDIR_EMBEDDER_{name}", value)

    return put


def search(root: Path, question: str = "filter of the pump") -> tuple[Answer, bool, float]:
    """What a recall answers, whether the vectors had a say in it, seconds."""
    began = time.monotonic()
    with Memory(root) as memory:
        answer = memory.recall(Question(question, Filters(), limit=5))
    near = any(why.startswith(evidence.MEANING) for one in answer.evidence for why in one.why)
    return answer, near, time.monotonic() - began


def synced(run: Run, root: Path) -> Result:
    assert run("sync", vault=root).code == 0
    return run("embedder", "drain", "--json", vault=root)


def lengths(root: Path) -> dict[int, int]:
    """Length of a row → how many rows have it."""
    with Memory(root) as memory:
        return dict(Counter(map(len, inside.vector_rows(memory).values())))


def test_embed_01_vectors_of_another_length(run: Run, root: Path, chosen: Callable[[str], None]) -> None:
    with scripted(numbers(4)) as server:
        chosen(server.url)
        assert synced(run, root).code == 0
        (total,) = lengths(root).values()
        assert lengths(root) == {4: total}
        assert search(root)[1]
        for now, before in ((6, 4), (4, 6)):
            server.script = numbers(now)
            answer, near, _ = search(root, f"the filter of pump {now}")
            assert len(answer.evidence) == 5  # EMBED-01 (1)
            assert not near
            assert f"tiny answers with {now} numbers, the vectors have {before}; run `memdir" in answer.notices[0]
            server.script = Status(500)
            assert synced(run, root).code == 6
            assert lengths(root) == {before: total}  # EMBED-01 (3)
            server.script = numbers(now)
            assert synced(run, root).code == 0
            assert lengths(root) == {now: total}  # EMBED-01 (2)
            answer, near, _ = search(root)
            assert (len(answer.evidence), near, answer.notices) == (5, True, [])


@contextmanager
def stub(mode: str) -> Iterator[tuple[str, Server | None]]:
    """The URL of an endpoint in one of the modes of the case."""
    given = MODES[mode]
    script: Any = {
        "timeout": Late(60),
        "e500": Status(500),
        "limit": [Status(429, {"Retry-After": "2"}), *[numbers(4)] * 50],
        "quota": Status(429, body=given["body"]) if mode == "quota" else None,
        "html": Status(200, {"Content-Type": "text/html"}, given["body"]) if mode == "html" else None,
        "nan": lambda body: Embedded([["NaN"] for _ in body["input"]]),
        "short_list": lambda body: Embedded([[1.0, 2.0]] * (len(body["input"]) - 1)),
    }.get(mode)
    if mode == "refused":
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            port = held.getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1", None
        return
    with scripted(script) as server:
        yield server.url, server


@pytest.mark.parametrize("mode", MODES)
def test_embed_02_an_endpoint_that_fails(run: Run, root: Path, chosen: Callable[[str], None], mode: str) -> None:
    with scripted(numbers(4)) as sound:
        chosen(sound.url)
        assert synced(run, root).code == 0
        (total,) = lengths(root).values()
    (root / "memory/ref/new.md").write_text("---\nname: New pump\n---\nThe filter of the newest is changed.\n")
    with stub(mode) as (url, server):
        chosen(url)
        answer, near, seconds = search(root)
        assert len(answer.evidence) == 5
        assert seconds < 3  # EMBED-02 (1)
        assert not near
        assert answer.notices[0].startswith("semantic part off: ")
        calls = len(server.requests) if server else 0
        assert calls <= 1
        assert synced(run, root).code == 6
        assert len(server.requests) - calls <= 3 if server else True  # EMBED-02 (3)
        assert run("list", "--json", vault=root).code == 0
        assert "memory/ref/new.md" in run("recall", "newest filter", "--json", vault=root).paths  # EMBED-02 (2)
        assert lengths(root) == {4: total}
        if mode == "quota" and server:
            asked = len(server.requests)
            for _ in range(5):
                assert synced(run, root).code == 6
            assert len(server.requests) == asked == 1
        if mode == "limit" and server:
            asked = len(server.requests)
            assert asked == 1
            time.sleep(2.1)
            assert synced(run, root).code == 0
            assert lengths(root) == {4: total + 1}
