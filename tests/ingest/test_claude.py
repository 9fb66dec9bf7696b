"""Claude.ai's exports, old and of 2026: the newest chain of each conversation, projects and memories as notes."""

import json
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.errors import BadData
from memdir.ingest import kinds, members
from memdir.ingest.chats import claude, exports
from memdir.ingest.records import Bad, Left, Noted, Record, Said, Wanted
from mutants import NO_SAMPLES, mutants, samples

PLAIN = Wanted()
ALL = Wanted(tools=True, thoughts=True)
SAMPLES = samples(
    "handmade/claude-old", "handmade/claude-new", "claude-export/polylogue-fixtures/**/claude-ai-export.json"
)
BLOCKS = [
    {"type": "thinking", "thinking": "hm"},
    {"type": "tool_use", "name": "artifacts", "input": {"title": "Plan", "type": "text/markdown", "content": "# Plan"}},
    {"type": "tool_use", "name": "web_search", "input": {"query": "rye"}},
    {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "a page"}]},
    {"type": "text", "text": "Done."},
    {"type": "brand new", "x": 1},
]


def message(id_: str, text: str, parent: str = "", day: int = 1, sender: str = "human", **more: Any) -> dict[str, Any]:
    asked = {"parent_message_uuid": parent} if parent else {}
    return {"uuid": id_, "sender": sender, "text": text, "created_at": f"2026-09-{day:02d}T10:00:00Z", **asked, **more}


def chat(*messages: dict[str, Any], id_: str = "k1", **more: Any) -> dict[str, Any]:
    return {"uuid": id_, "name": "", "created_at": "2026-09-01T09:00:00Z", "chat_messages": list(messages), **more}


def write(folder: Path, **files: Any) -> Path:
    folder.mkdir(exist_ok=True)
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder


def records(path: Path, wanted: Wanted = PLAIN) -> list[Record]:
    source = members.opened(path)
    assert kinds.told(source) == "claude"
    return list(claude.read(source, wanted))


def said(found: list[Record]) -> list[str]:
    return [one.text for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return counts


def test_the_chain_of_the_newest_message_is_read(tmp_path: Path) -> None:
    root = claude.ROOT
    export = [
        chat(
            message("a", "first try", root, 1), message("b", "old answer", "a", 2, "assistant"),
            message("c", "second try", root, 3), message("d", "new answer", "c", 4, "assistant"),
        ),
        chat(message("e", "one"), message("f", "two", "not there"), message("g", "three"), id_="k2"),
        chat(message("h", "x", "i"), message("i", "y", "h"), id_="circle"),
    ]  # fmt: skip
    found = records(write(tmp_path / "e", conversations=export))
    assert said(found) == ["second try", "new answer", "one", "two", "three", "x", "y"]
    assert left(found) == {exports.BRANCHES: 2}


def test_blocks_go_before_text_and_the_rest_is_counted(tmp_path: Path) -> None:
    attached = [{"file_name": "todo.txt", "extracted_content": "buy flour"}, {"file_name": "", "extracted_content": ""}]
    files = [{"file_name": "todo.txt"}, {"file_name": "pic.png"}]
    export = chat(
        message("a", "ignored", content=[{"type": "text", "text": "Plan"}], attachments=attached, files=files),
        message("b", "This block is not supported", sender="assistant", content=BLOCKS),
        message("c", "not supported either", sender="assistant", content=BLOCKS[:1]),
        message("d", "old form", content=[]),
    )
    folder = write(tmp_path / "e", conversations=[export])
    found = records(folder)
    assert said(found) == ["Plan\n\n[attachment: todo.txt]\nbuy flour\n\n[file: pic.png]", "Done.", "old form"]
    assert [one.speaker for one in found if isinstance(one, Said)] == ["user", "assistant", "user"]
    assert left(found) == {
        "thoughts": 2, "artifacts": 1, "tool calls": 1, "tool results": 1, "content of type unknown": 1,
    }  # fmt: skip
    everything = [one for one in records(folder, ALL) if isinstance(one, Said)]
    assert [(one.speaker, one.text) for one in everything[1:5]] == [
        ("thought", "hm"), ("tool", "[artifact: Plan]\n# Plan"), ("tool", 'web_search {"query": "rye"}'),
        ("tool", "a page"),
    ]  # fmt: skip
    assert [one.uuid for one in everything] == ["a", "b/0", "b/1", "b/2", "b/3", "b", "c/0", "d"]


def test_tools_come_in_later_where_they_were_left_out_at_first(tmp_path: Path, vault: Callable[..., Path]) -> None:
    folder = write(tmp_path / "e", conversations=[chat(message("b", "", sender="assistant", content=BLOCKS))])
    with Memory(vault()) as memory:
        assert memory.bring("claude", folder, Asked()).turns == 1
        later = memory.bring("claude", folder, Asked(tools=True, thoughts=True))
        assert (later.turns, later.known) == (4, 1)


def test_the_newest_copy_of_a_conversation_counts(tmp_path: Path) -> None:
    old = chat(message("a", "before"), updated_at="2026-09-01T10:00:00Z")
    new = chat(message("a", "after"), updated_at="2026-09-02T10:00:00Z")
    found = records(write(tmp_path / "e", conversations=[new, old]))
    assert said(found) == ["after"]
    assert left(found) == {exports.OLDER: 1}


def test_projects_and_memories_become_notes(tmp_path: Path) -> None:
    given = {
        "uuid": "p1", "name": "Bakery", "prompt_template": "Bake.", "created_at": "2026-01-01T00:00:00Z",
        "docs": [{"uuid": "d1", "filename": "notes/rye.md", "content": "# Rye"}, {"filename": "empty", "content": ""}],
    }  # fmt: skip
    memory = {
        "conversations_memory": "Bakes.", "project_memories": {"p1": "Rye.", "p2": "Oven."},
        "memory_files": [{"path": "/areas/health.md", "content": "Runs.", "updated_at": "2026-09-01T00:00:00Z"}],
    }  # fmt: skip
    bare = {"uuid": "p3", "name": "Nothing in it", "docs": []}
    found = records(write(tmp_path / "e", projects=[given, bare], memories=[memory | {"project_memories": []}, memory]))
    notes = {one.title: (one.type, one.text) for one in found if isinstance(one, Noted)}
    assert notes == {
        "Bakery": ("project", "## Instructions\n\nBake.\n\n## Documents\n\n- notes/rye.md\n- empty"),
        "rye": ("ref", "# Rye"),
        "What Claude remembers about me": ("user", "Bakes."),
        "What Claude remembers of Bakery": ("user", "Rye."),
        "What Claude remembers of project p2": ("user", "Oven."),
        "Claude's memory: areas/health": ("user", "Runs."),
    }
    assert {one.created[:10] for one in found if isinstance(one, Noted) and one.type != "user"} == {"2026-01-01"}


def test_an_archive_that_the_manifest_names_is_missed(tmp_path: Path) -> None:
    folder = tmp_path / "e"
    folder.mkdir()
    with zipfile.ZipFile(folder / "conversations-000.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([chat(message("a", "here"))]))
    (folder / "conversations-002.zip").write_bytes(b"PK\x03\x04torn")
    listed = [{"category": "conversations", "part": n, "filename": f"conversations-00{n}.zip"} for n in range(3)]
    (folder / "manifest-u-1.json").write_text(json.dumps({"version": "1", "data_files": listed}), "utf-8")
    found = records(folder)
    assert said(found) == ["here"]
    assert {one.where: one.why for one in found if isinstance(one, Bad)} == {
        "conversations-002.zip": "conversations-002.zip: the archive is cut short or damaged: it has no directory",
        "manifest-u-1.json": "'conversations-001.zip' belongs to the export and is not here",
    }
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(folder / "conversations-000.zip", "conversations-000.zip")
    with pytest.raises(BadData, match="no conversations"):
        list(claude.read(members.opened(tmp_path / "all.zip"), PLAIN))


def test_nothing_odd_stops_the_reading(tmp_path: Path) -> None:
    given = [
        chat(
            message("a", "q", claude.ROOT, attachments=[{"file_name": "n", "extracted_content": "c"}]),
            message("b", "", "a", content=BLOCKS, files=[{"file_name": "n"}]),
        ),
        {"uuid": "p", "name": "n", "prompt_template": "t", "docs": [{"uuid": "d", "filename": "f", "content": "c"}]},
        {"conversations_memory": "m", "project_memories": {"p": "x"}, "memory_files": [{"path": "p", "content": "c"}]},
    ]
    good = chat(message("g", "whole"), id_="good")
    for broken in mutants(given, 400):
        path = write(tmp_path / "e", conversations=[good, *broken] if isinstance(broken, list) else [good, broken])
        assert "whole" in said(list(claude.read(members.opened(path), ALL)))


# --- samples -----------------------------------------------------------------------------------------


def held(path: Path) -> list[Any]:
    """Every object of a sample, read in another way."""
    if path.is_file():
        return [json.loads(path.read_bytes())]
    texts = [one.read_bytes() for one in path.glob("*s.json")]
    for one in path.glob("*.zip"):
        with zipfile.ZipFile(one) as archive:
            texts += [archive.read(name) for name in archive.namelist()]
    found = [json.loads(text) for text in texts]
    return [value for one in found for value in (one if isinstance(one, list) else [one])]


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_comes_in_whole_and_once(path: Path, vault: Callable[..., Path], tree: Tree, run: Run) -> None:
    chats = {one["uuid"]: len(one["chat_messages"]) for one in held(path) if one.get("chat_messages")}
    notes = sum(1 + len(one["docs"]) for one in held(path) if "docs" in one)
    proposals = sum(
        bool(one["conversations_memory"]) + len(one["project_memories"]) + len(one["memory_files"])
        for one in held(path)
        if "conversations_memory" in one
    )
    root = vault()
    with Memory(root) as memory:
        done = memory.bring("", path, Asked())
    assert (done.source, done.bad, done.problems) == ("claude", 0, [])
    listed = run("sessions", "list", "--json", vault=root).json["sessions"]
    assert {one["id"]: one["turns"] for one in listed} == chats
    assert (done.turns, done.notes, done.proposed) == (sum(chats.values()), notes, proposals)
    before = tree(root / "memory")
    with Memory(root) as memory:
        again = memory.bring("", path, Asked())
    assert (again.turns, again.notes, again.proposed, again.run) == (0, 0, 0, "")
    assert (again.known, again.notes_known) == (done.turns, done.notes + done.proposed)
    assert tree(root / "memory") == before


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
def test_the_samples_are_all_here() -> None:
    assert len(SAMPLES) == 3
