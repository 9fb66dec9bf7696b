"""What narrows a recall acts inside each view: few matches among many others that hold the words more often."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import driver
from driver import Run
from memdir import text
from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.recall import views

FEW, MANY = 20, 500
NOTES: list[dict[str, Any]] = [
    {"tags": ("rare",)}, {"types": ("user",)}, {"scope": "boat"}, {"since": "2026-06-01"},
    {"path": "memory/user"}, {"tags": ("rare",), "until": "2026-06-30", "types": ("user",)},
]  # fmt: skip
TURNS: list[dict[str, Any]] = [
    {"session": "few"}, {"not_session": "many"}, {"speaker": "caro"}, {"since": "2026-06-01"},
    {"types": ("session",), "session": "few"}, {"speaker": "Caro", "until": "2026-06-30"},
]  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A vault with FEW notes and turns of one kind among MANY that hold the words more often and are shorter."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(home))
        place = tmp_path_factory.mktemp("vaults") / "vault"
        place.mkdir()
        assert driver.run("init", place).code == 0
        for n in range(MANY):
            note(place / f"memory/ref/other-{n}.md", "ref", "common", "2026-01-05", "kiln kiln kiln\n")
        for n in range(FEW):
            body = f"Long ago somebody said, far from here, that number {n} of them was a kiln of sorts.\n"
            note(place / f"memory/user/few-{n}.md", "user", "rare", "2026-06-05", body, "scope: boat\n")
        with Memory(place, options={"files.settle": 0.0}) as memory:
            memory.ingest(io.BytesIO("\n".join(map(json.dumps, talk())).encode()))
        yield place


def note(path: Path, kind: str, tag: str, day: str, body: str, more: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"name: {path.stem}\ntype: {kind}\ntags: [{tag}]\ncreated: {day}\nupdated: {day}\nimportance: low\n{more}"
    path.write_text(f"---\n{head}---\n{body}", "utf-8")


def talk() -> Iterator[dict[str, str]]:
    for n in range(MANY):
        yield {"session_id": "many", "speaker": "Mel", "text": f"kiln kiln {n}", "ts": "2026-01-05T10:00:00Z"}
    for n in range(FEW):
        words = f"it was said, if memory serves, that number {n} is a kiln"
        yield {"session_id": "few", "speaker": "Caro", "text": words, "ts": "2026-06-05T10:00:00Z"}


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with Memory(root) as opened:
        yield opened


@pytest.mark.parametrize("narrow", NOTES, ids=str)
def test_inside_the_words_of_notes(memory: Memory, narrow: dict[str, Any]) -> None:
    reader = memory.current()
    groups = [{term: 1.0} for term in text.query_terms("kiln")[0]]
    found = reader.search(groups, views.weights(memory.settings), FEW, reader.allowed(Filters(**narrow)))
    assert {hit.path for hit in reader.hits([*found.best])} == {f"memory/user/few-{n}.md" for n in range(FEW)}


@pytest.mark.parametrize("narrow", TURNS, ids=str)
def test_inside_the_words_of_turns(memory: Memory, narrow: dict[str, Any]) -> None:
    reader = memory.current()
    found = reader.turns(text.query_terms("kiln")[0], Filters(**narrow), FEW)
    assert [hit.session for hit in reader.hits([*found.best])] == ["few"] * FEW


def test_what_a_dense_view_may_look_at(memory: Memory) -> None:
    reader = memory.current()
    for narrow in NOTES:
        only = {hit.path for hit in reader.hits(reader.allowed(Filters(**narrow)) or []) if hit.kind != "turn"}
        assert {path for path in only if "/few-" in path} == {f"memory/user/few-{n}.md" for n in range(FEW)}
        assert not any("other" in path for path in only)
    for narrow in TURNS:
        turns = [hit for hit in reader.hits(reader.allowed(Filters(**narrow)) or []) if hit.kind == "turn"]
        assert [hit.session for hit in turns] == ["few"] * FEW


@pytest.mark.parametrize(
    "options",
    [
        ["--session", "few"],
        ["--type", "session", "--exclude-session", "many"],
        ["--speaker", "CARO"],
        ["--type", "session", "--since", "2026-06-01"],
    ],
)
def test_on_the_command_line(run: Run, root: Path, options: list[str]) -> None:
    found = run("recall", "kiln", "--limit", str(FEW), *options, "--json", vault=root).json["evidence"]
    assert [(one["kind"], one["session"]) for one in found] == [("turn", "few")] * FEW


def test_a_conversation_left_out_leaves_the_notes(run: Run, root: Path) -> None:
    options = ("--exclude-session", "few", "--exclude-session", "many", "--tag", "rare")
    found = run("recall", "kiln", "--limit", "5", *options, "--json", vault=root).json["evidence"]
    assert {one["kind"] for one in found} == {"note"}
    assert run("recall", "kiln", "--session", "nobody", vault=root).code == 3
    assert run("recall", "kiln", "--speaker", "nobody", vault=root).code == 3
