"""ChatGPT's exports: the branch that was shown, each conversation once, what was said about its user to the inbox."""

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
from memdir.ingest.chats import chatgpt, exports
from memdir.ingest.chats.chatgpt_parts import uncited
from memdir.ingest.records import Bad, Left, Noted, Record, Said, Wanted
from mutants import HANDMADE, NO_SAMPLES, mutants, samples

PLAIN = Wanted()
ALL = Wanted(tools=True, thoughts=True)
SAMPLES = samples(
    "handmade/chatgpt-classic", "handmade/chatgpt-shards", "handmade/chatgpt-shards.zip", "chatgpt/FSM_ChatGPT",
    "chatgpt/polylogue-fixtures/**/chatgpt-export.json", "chatgpt/polylogue-fixtures/**/native-conversation-v1.json",
)  # fmt: skip

# Instructions about the user, instructions how to answer, memories.
PROPOSED = {"chatgpt-classic": 3, "chatgpt-shards": 3, "chatgpt-shards.zip": 3, "FSM_ChatGPT": 2}
PROPOSED |= {"chatgpt-export.json": 0, "native-conversation-v1.json": 2}


def message(role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}, **more}


def chat(*messages: dict[str, Any], id_: str = "c1", **more: Any) -> dict[str, Any]:
    """A conversation whose messages follow each other, m0, m1 and so on."""
    mapping = {
        f"m{n}": {"id": f"m{n}", "parent": f"m{n - 1}" if n else None, "message": one} for n, one in enumerate(messages)
    }
    return {"id": id_, "create_time": 1770000000.0, "current_node": f"m{len(messages) - 1}", "mapping": mapping, **more}


def write(folder: Path, **files: Any) -> Path:
    """A folder of JSON files; `_` in a name stands for `-`."""
    folder.mkdir(exist_ok=True)
    for name, value in files.items():
        (folder / f"{name.replace('_', '-')}.json").write_text(json.dumps(value), "utf-8")
    return folder


def records(path: Path, wanted: Wanted = PLAIN) -> list[Record]:
    source = members.opened(path)
    assert kinds.told(source) == "chatgpt"
    return list(chatgpt.read(source, wanted))


def said(found: list[Record]) -> list[str]:
    return [one.text for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return counts


def test_a_conversation_in_two_shards_is_read_in_its_newest_copy(tmp_path: Path) -> None:
    old = chat(message("user", "old words"), update_time=1770000001.0)
    new = chat(message("user", "new words"), update_time=1770000009.0)
    other = chat(message("user", "other words"), id_="c2")
    for shards in ([[old, other], [new]], [[new], [old, other]]):
        found = records(write(tmp_path / "e", conversations_000=shards[0], conversations_001=shards[1]))
        assert sorted(said(found)) == ["new words", "other words"]
        assert left(found)[exports.OLDER] == 1


def test_a_root_object_a_folder_of_archives_and_one_file_are_the_same(tmp_path: Path) -> None:
    held = {"conversations": [chat(message("user", "hello"))]}
    plain = write(tmp_path / "a", conversations=held)
    (tmp_path / "b").mkdir()
    with zipfile.ZipFile(tmp_path / "b" / "x.zip", "w") as archive:
        archive.writestr("Export/conversations-000.json", json.dumps(held))
        archive.writestr("__MACOSX/Export/._conversations-000.json", b"\0")
    (tmp_path / "b" / "y.zip").write_bytes(b"PK\x03\x04 and no more")
    single = tmp_path / "chats from 2026.json"
    single.write_text(json.dumps(held), "utf-8")
    for path in (plain, single, tmp_path / "b" / "x.zip"):
        assert said(records(path)) == ["hello"]
    found = records(tmp_path / "b")
    assert said(found) == ["hello"]
    assert [one.where for one in found if isinstance(one, Bad)] == ["y.zip"]
    with zipfile.ZipFile(tmp_path / "nest.zip", "w") as archive:
        archive.write(tmp_path / "b" / "x.zip", "x.zip")
    with pytest.raises(BadData, match=r"no conversations\.json"):
        list(chatgpt.read(members.opened(tmp_path / "nest.zip"), PLAIN))
    with zipfile.ZipFile(tmp_path / "nest.zip", "a") as archive:
        archive.write(plain / "conversations.json", "conversations.json")
    assert [type(one) for one in records(tmp_path / "nest.zip") if isinstance(one, Bad | Said)] == [Said]
    (plain / "file-abc-upload.zip").write_bytes((tmp_path / "b" / "x.zip").read_bytes())
    assert said(records(plain)) == ["hello"]


def test_instructions_are_taken_in_their_newest_form_and_memories_once(tmp_path: Path) -> None:
    def told(profile: str, style: str, at: float) -> dict[str, Any]:
        content = {"content_type": "user_editable_context", "user_profile": f"The user said:\n```{profile}```"}
        return {"author": {"role": "user"}, "content": content | {"user_instructions": style}, "create_time": at}

    listed = {"content_type": "model_editable_context", "model_set_context": "1. [2025-05-02]. Has a dog.\n2. Rows."}
    export = [
        chat(told("I weld.", "Be brief.", 1770000100.0), message("user", "a"), id_="a"),
        chat(
            told("I paint.", "Be brief.", 1770000900.0), {"author": {"role": "system"}, "content": listed},
            message("assistant", "Has a  dog.", recipient="bio"), message("assistant", "Likes tea.", recipient="bio"),
            message("user", "b"), id_="b",
        ),
        chat(message("assistant", "Likes tea.", recipient="bio"), message("user", "c"), id_="c"),
    ]  # fmt: skip
    found = records(write(tmp_path / "e", conversations=export))
    notes = {one.text: one for one in found if isinstance(one, Noted)}
    assert {text: one.type for text, one in notes.items()} == {
        "I paint.": "user", "Be brief.": "feedback", "Has a  dog.": "user", "Likes tea.": "user", "Rows.": "user",
    }  # fmt: skip
    assert notes["Likes tea."].title == "Likes tea"
    assert said(found) == ["a", "b", "c"]
    again = [one.origin for one in records(tmp_path / "e") if isinstance(one, Noted)]
    assert again == [one.origin for one in found if isinstance(one, Noted)]


def test_a_canvas_becomes_a_note_as_it_was_last(tmp_path: Path) -> None:
    made = {"name": "rye_bread", "type": "code/python", "content": "first"}
    change = {"updates": [{"pattern": ".*", "multiple": False, "replacement": "print(2)"}]}
    inside = {"updates": [{"pattern": "(a+)+$", "replacement": "x"}]}
    export = chat(
        message("user", "write it"),
        message("assistant", json.dumps(made), recipient="canmore.create_textdoc"),
        message("assistant", json.dumps(change), recipient="canmore.update_textdoc"),
        message("assistant", json.dumps(inside), recipient="canmore.update_textdoc"),
        message("assistant", "{no json", recipient="canmore.create_textdoc"),
        title="Bread",
    )
    found = records(write(tmp_path / "e", conversations=[export]))
    (note,) = [one for one in found if isinstance(one, Noted)]
    assert (note.type, note.title, note.text) == ("ref", "rye bread", "```python\nprint(2)\n```")
    assert note.description == "Canvas of the ChatGPT conversation Bread"
    assert {why for why in left(found) if "canvas" in why} == {
        "changes inside of a canvas document, whose earlier text is kept", "canvas documents that cannot be read",
    }  # fmt: skip


def test_tools_and_thoughts_come_only_when_they_are_asked_for(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Plan it"}]}
    export = chat(
        message("user", "question"),
        message("assistant") | {"content": thoughts},
        message("assistant", "2+2", recipient="python"),
        message("tool", "4") | {"author": {"role": "tool", "name": "python"}},
        message("assistant", "four"),
        message("assistant", "never shown", weight=0.0),
    )
    folder = write(tmp_path / "e", conversations=[export])
    found = records(folder)
    assert said(found) == ["question", "four"]
    assert left(found) == {
        "thoughts": 1, "tool calls": 1, "tool results": 1, "hidden messages": 1, exports.GUESSED: 2,
    }  # fmt: skip
    everything = records(folder, ALL)
    assert [one.speaker for one in everything if isinstance(one, Said)] == [
        "user", "thought", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert said(everything) == [
        "question", "Plan\nPlan it", "python 2+2", "4", "four",
    ]  # fmt: skip


def test_times_fall_back_and_are_never_that_of_1970(tmp_path: Path) -> None:
    def times(*given: Any, **more: Any) -> list[str]:
        turns = [message("user", str(n), create_time=at) for n, at in enumerate(given)]
        return [
            one.ts
            for one in records(write(tmp_path / "e", conversations=[chat(*turns, **more)]))
            if isinstance(one, Said)
        ]

    known, later = "2026-02-02T02:40:00Z", "2026-02-02T02:40:05Z"
    assert times(None, 1770000005, None) == [known, later, later]
    assert times(0, 0.0, -1, create_time=0) == ["", "", ""]
    assert times("1770000005", float("nan"), create_time=None) == [later, later]
    assert times(None, create_time=None, update_time=1770000005.4) == [later]


def test_the_order_of_the_branch_is_kept_whatever_the_times_say(tmp_path: Path, vault: Callable[..., Path]) -> None:
    """A copy of a conversation is younger than its turns; a clock may be late."""
    given = [None, 1770000009, 1770000007, None, 1770000020]
    turns = [message("user", f"turn {n}", create_time=at) for n, at in enumerate(given)]
    folder = write(tmp_path / "e", conversations=[chat(*turns, create_time=1780000000)])
    with Memory(vault()) as memory:
        memory.bring("", folder, Asked())
        assert [one["text"] for one in memory.session("c1")["turns"]] == [f"turn {n}" for n in range(5)]
        assert memory.session("c1")["turns"][0]["ts"] == "2026-02-02T02:40:09Z"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Sure \ue200cite\ue202turn0search0\ue201.", "Sure."),
        ("See 【1†source】 and 【not a mark】", "See and 【not a mark】"),
        ('in \ue200entity\ue202["city","Bern","capital"]\ue201 now', "in Bern now"),
        ("\ue200entity\ue202[broken\ue201x", "x"),
        ("\ue200never closed", "\ue200never closed"),
    ],
)
def test_citations_are_taken_out(given: str, shown: str) -> None:
    assert uncited(given) == shown


def test_pictures_and_files_stand_by_their_names(tmp_path: Path) -> None:
    parts = [{"content_type": "image_asset_pointer", "asset_pointer": f"sediment://file_{one}"} for one in "ab"]
    attached = [{"id": "file_a", "name": "loaf.png"}, {"id": "file_c", "name": "notes.pdf"}]
    export = chat(message("user", *parts, "look", metadata={"attachments": attached}))
    folder = write(tmp_path / "e", conversations=[export])
    (folder / "conversation_asset_file_names.json").write_text('{"file_b.dat": "oven.jpg"}', "utf-8")
    assert said(records(folder)) == ["[image: loaf.png]\n[image: oven.jpg]\nlook\n[file: notes.pdf]"]


def test_nothing_odd_stops_the_reading(tmp_path: Path) -> None:
    """Places of a whole export hold something else; the conversation beside it comes in each time."""
    given = [
        chat(
            {"author": {"role": "user"}, "content": {"content_type": "user_editable_context", "user_profile": "p"}},
            message("user", {"content_type": "image_asset_pointer", "asset_pointer": "sediment://x"}, "q"),
            message("assistant", "remember", recipient="bio"),
            message("assistant", json.dumps({"name": "n", "content": "c"}), recipient="canmore.create_textdoc"),
            message("assistant", "a", metadata={"attachments": [{"id": "i", "name": "n"}]}),
        )
    ]  # fmt: skip
    good = chat(message("user", "whole"), id_="good")
    for broken in mutants(given, 400):
        export = [good, *broken] if isinstance(broken, list) else [good, broken]
        path = write(tmp_path / "e", conversations=export)
        assert "whole" in said(list(chatgpt.read(members.opened(path), ALL)))


# --- samples -----------------------------------------------------------------------------------------


def shown(path: Path) -> dict[str, int]:
    """Turns by conversation, counted from the JSON in another way."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(name) for name in archive.namelist() if name.startswith("conversations")]
    else:
        texts = [one.read_bytes() for one in ([path] if path.is_file() else sorted(path.glob("conversations*.json")))]
    chats: dict[str, Any] = {}
    for text in texts:
        found = json.loads(text)
        chats |= {one["id"]: one for one in (found if isinstance(found, list) else [found])}
    counts = {}
    for id_, one in chats.items():
        nodes = one.get("mapping", {})
        at, branch = one.get("current_node") or next(reversed(nodes), None), {}
        while at in nodes and at not in branch:
            branch[at] = nodes[at].get("message") or {}
            at = nodes[at]["parent"]
        plain = [
            m for m in branch.values() if m and m["author"]["role"] in ("user", "assistant")
            and m.get("recipient", "all") == "all" and m.get("weight") != 0
            and m["content"]["content_type"] not in ("thoughts", "reasoning_recap", "user_editable_context")
        ]  # fmt: skip
        if plain:
            counts[id_] = len(plain)
    return counts


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_comes_in_whole_and_once(path: Path, vault: Callable[..., Path], tree: Tree, run: Run) -> None:
    root = vault()
    with Memory(root) as memory:
        done = memory.bring("", path, Asked())
    assert (done.source, done.bad, done.problems) == ("chatgpt", 0, [])
    assert {one["id"]: one["turns"] for one in run("sessions", "list", "--json", vault=root).json["sessions"]} == shown(
        path
    )
    assert done.turns == sum(shown(path).values()) > 0
    assert done.proposed == PROPOSED[path.name]
    before = tree(root / "memory")
    with Memory(root) as memory:
        again = memory.bring("chatgpt", path, Asked())
    assert (again.turns, again.proposed, again.notes, again.run) == (0, 0, 0, "")
    assert (again.known, again.notes_known) == (done.turns, done.proposed + done.notes)
    assert tree(root / "memory") == before


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
def test_the_archive_that_leads_out_is_refused(
    run: Run, vault: Callable[..., Path], tree: Tree, tmp_path: Path
) -> None:
    root = vault()
    before = tree(tmp_path)
    done = run("import", "chatgpt", HANDMADE / "zip-slip.zip", vault=root)
    assert done.code == 5
    assert "'../evil.md' leads out of the archive; nothing was read" in done.err
    assert {path for path in tree(tmp_path) if "evil" in path} == set()
    assert tree(tmp_path) == before


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
def test_the_samples_are_all_here() -> None:
    assert len(SAMPLES) == 6
