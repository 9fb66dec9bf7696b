"""Turns in the index: found by words, speaker and day within filters, and kept current turn by turn."""

import io
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memdir.app.memory import Memory
from memdir.evals.reliability import mirror
from memdir.index import db, generation, sync
from memdir.index.filters import Filters
from memdir.index.values import Hit

EVAL = Path(os.environ.get("MEMDIR_EVAL", "/nowhere"))
DEV = {"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}
TALK = [
    ("s1", "Mel", "I bought a new kiln for the pottery studio.", "2026-03-08T10:00:00Z"),
    ("s1", "Caro", "How hot does the kiln get?", "2026-03-08T10:01:00Z"),
    ("s1", "Mel", "1,200 degrees. I fired c++ shaped mugs on claude-3.5!", "2026-03-08T10:02:00Z"),
    ("s2", "Caro", "我们去年在厨房换了水泵。", "2026-11-29T09:00:00Z"),
    ("s2", "Mel", "The pump of the kitchen is loud", ""),
    ("s3", "Ötzi", "The kiln cracked", "2026-12-01T09:00:00+08:00"),
]


@pytest.fixture
def memory(vault: Callable[..., Path]) -> Iterator[Memory]:
    with Memory(vault(), options={"files.settle": 0.0, "timezone": "UTC"}) as opened:
        feed(opened, TALK)
        yield opened


def feed(memory: Memory, talk: list[tuple[str, str, str, str]], scope: str = "") -> None:
    lines = [json.dumps({"session_id": s, "speaker": w, "text": t, "ts": ts}) for s, w, t, ts in talk]
    memory.ingest(io.BytesIO("\n".join(lines).encode()), scope=scope)


def find(memory: Memory, question: str, limit: int = 10, **filters: Any) -> list[Hit]:
    return mirror.said(memory.current(), question, limit, Filters(**filters))


def told(hits: list[Hit]) -> list[str]:
    return [f"{hit.session}#{hit.number}" for hit in hits]


def test_a_hit_says_where_and_who(memory: Memory) -> None:
    (hit,) = find(memory, "studio")
    assert (hit.kind, hit.path, hit.session, hit.number) == ("turn", "memory/sessions/2026/03/s1.md", "s1", 1)
    assert (hit.speaker, hit.ts, hit.date, hit.type) == ("Mel", "2026-03-08T10:00:00Z", "2026-03-08", "session")
    assert hit.score > 0
    lines = (memory.root.path / hit.path).read_text("utf-8").split("\n")[hit.first : hit.last]
    assert lines == ["### Mel · 2026-03-08T10:00:00Z · ^t1", "> I bought a new kiln for the pottery studio."]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("c++", "s1#3"), ("claude-3.5", "s1#3"), ("水泵", "s2#1"), ("what did Ötzi say", "s3#1"),
        ("29 November 2026", "s2#1"), ("2026-11-29", "s2#1"), ("kitchens", "s2#2"),
    ],
)  # fmt: skip
def test_words_speakers_and_days_find_turns(memory: Memory, question: str, found: str) -> None:
    assert told(find(memory, question))[0] == found


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {"s1#1", "s1#2", "s3#1"}),
        ({"session": "s1"}, {"s1#1", "s1#2"}),
        ({"not_session": "s1"}, {"s3#1"}),
        ({"speaker": "mel"}, {"s1#1"}),
        ({"speaker": "ÖTZI"}, {"s3#1"}),
        ({"since": "2026-11-01"}, {"s3#1"}),
        ({"until": "2026-03-08"}, {"s1#1", "s1#2"}),
        ({"scope": "work"}, set()),
        ({"types": ("session",)}, {"s1#1", "s1#2", "s3#1"}),
        ({"types": ("user",)}, set()),
        ({"tags": ("x",)}, set()),
        ({"path": "memory/sessions/2026/12"}, {"s3#1"}),
    ],
)
def test_filters(memory: Memory, filters: dict[str, Any], found: set[str]) -> None:
    assert set(told(find(memory, "kiln", **filters))) == found


def test_a_filter_acts_before_the_cut(memory: Memory) -> None:
    feed(memory, [("many", "Bob", f"kiln kiln kiln {n}", "2026-01-01T00:00:00Z") for n in range(300)], scope="noise")
    assert told(find(memory, "kiln", 2, speaker="Ötzi")) == ["s3#1"]
    assert len(find(memory, "kiln", 7)) == 7


def test_turns_are_no_passages_and_notes_have_no_speaker(memory: Memory) -> None:
    reader = memory.current()
    assert reader.rows("SELECT count(*) FROM passages p JOIN files f ON f.id = p.file WHERE f.kind = 'session'") == [
        (0,)
    ]
    assert memory.notes(Filters(speaker="Mel")) == []


@pytest.mark.parametrize("term", ['"', 'a" OR "kiln', "NEAR(", "*", "terms:kiln", "kiln*", "^kiln", "", "\0", "\ud800"])
def test_nothing_asked_is_read_as_syntax(memory: Memory, term: str) -> None:
    assert memory.current().turns([term], Filters(), 5).best == {}


def test_a_long_question_is_asked_by_its_rarest_words(memory: Memory) -> None:
    words = [f"w{n}" for n in range(3_000)]
    feed(memory, [("long", "Bob", " ".join(words[:200]), "")] * 3)
    reader = memory.current()
    assert "s1#1" in told(reader.hits([*reader.turns([*words, "studio"], Filters(), 10).best]))
    assert memory.current().in_turns("studio")
    assert not memory.current().in_turns("w2999")


def test_neighbours_stay_in_their_conversation(memory: Memory) -> None:
    (hit,) = find(memory, "hot")
    near = memory.current().beside([hit.id], 1)
    assert sorted(one.number for one in near) == [1, 2, 3]
    assert len({one.session for one in near}) == 1
    assert {one.speaker for one in memory.current().beside([hit.id], 0)} == {hit.speaker}


def test_every_voice_is_known_once(memory: Memory) -> None:
    feed(memory, [("v", name, "hello", "") for name in ("Zoë", "zoë", "Ann", "Ann")])
    assert {"Ann", "Mel"} < set(memory.current().voices)
    assert len(memory.current().voices) == len({name.casefold() for name in memory.current().voices})


def test_ties_are_broken_by_path_and_line(memory: Memory) -> None:
    feed(memory, [(name, "Bob", "gamma ray", "2026-01-01T00:00:00Z") for name in ("z", "a", "m", "b") for _ in "12"])
    assert told(find(memory, "gamma", 3)) == ["a#1", "a#2", "b#1"]


# --- growth ------------------------------------------------------------------------------------------


def ids(memory: Memory) -> dict[str, int]:
    rows = memory.current().rows("SELECT n.id || '#' || t.number, t.id FROM turns t JOIN sessions n ON n.file = t.file")
    return {str(name): int(number) for name, number in rows}


def test_an_append_indexes_only_what_is_new(memory: Memory, tmp_path: Path) -> None:
    before = ids(memory)
    feed(memory, [*TALK, ("s1", "Mel", "And the glaze?", "2026-03-08T11:00:00Z")])
    after = ids(memory)
    kept = {name: number for name, number in after.items() if before.get(name) == number}
    assert {"s1#1", "s1#2", "s2#1"} <= kept.keys()  # the last turn of a file is read again
    mirror.assert_mirrors(memory, tmp_path / "fresh", ("kiln", "glaze"))


@pytest.mark.parametrize(
    "more",
    [b"> and more\n", b"\n### Mel \xc2\xb7 ^t9\n> new\n", b"odd line\n", b"---\n", b"> \xff\xed\xa0\x80\n", b"\r\n"],
)
def test_whatever_is_added_by_hand_the_index_equals_a_rebuild(memory: Memory, tmp_path: Path, more: bytes) -> None:
    for path in sorted((memory.root.path / "memory/sessions").rglob("*.md")):
        with path.open("ab") as file:
            file.write(more)
    memory.sync(mirror.ALL)
    mirror.assert_mirrors(memory, tmp_path / "fresh", ("kiln", "new", "more"))


def test_an_unclosed_head_that_is_closed_later(memory: Memory, tmp_path: Path) -> None:
    path = memory.root.path / "memory/sessions/2026/11/odd.md"
    path.write_bytes(
        b"---\nid: x\n\n### a \xc2\xb7 ^t1\n> one\n\n### a \xc2\xb7 ^t2\n> two\n\n### a \xc2\xb7 ^t3\n> three\n"
    )
    memory.sync(mirror.ALL)
    with path.open("ab") as file:
        file.write(b"---\n\n### a \xc2\xb7 ^t4\n> four\n")
    memory.sync(mirror.ALL)
    mirror.assert_mirrors(memory, tmp_path / "fresh", ("one", "four"))


def test_deletes_leave_no_words_behind(memory: Memory, tmp_path: Path) -> None:
    (memory.root.path / "memory/sessions/2026/03/s1.md").unlink()
    path = memory.root.path / "memory/sessions/2026/12/s3.md"
    path.replace(memory.root.path / "memory/ref/kiln.md")
    memory.sync(mirror.ALL)
    assert find(memory, "kiln pottery") == []
    mirror.assert_mirrors(memory, tmp_path / "fresh", ("kiln", "pump"))
    memory.drop_reader()
    folder = generation.current(memory.vault.place)
    assert folder
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.open_reader(folder / generation.DB).execute("INSERT INTO spoken(spoken) VALUES ('integrity-check')")
    connection = db.open_writer(folder / generation.DB)
    connection.execute("INSERT INTO spoken(spoken, rank) VALUES ('integrity-check', 1)")
    connection.close()


def test_batches_are_bounded_by_bytes(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdir.index.apply.BYTES", 300)
    sync.sync(memory.vault, sync.Options(afresh=True))
    memory.drop_reader()
    monkeypatch.undo()
    assert len(find(memory, "kiln")) == 3
