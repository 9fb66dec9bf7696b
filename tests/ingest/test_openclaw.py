"""Sessions of OpenClaw, as lines and as a database: what was said once, and no file left beside what is read."""

import json
import os
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree
from memdir.ingest import members
from memdir.ingest.agents import openclaw
from memdir.ingest.records import Bad, Left, Record, Said, Wanted

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared") / "samples"
SAMPLE = SHARED / "handmade/openclaw-state"
no_samples = pytest.mark.skipif(not SAMPLE.exists(), reason="no samples at ../shared; MEMDIR_SHARED may name them")


def message(id_: str, role: str, content: Any, **more: Any) -> dict[str, Any]:
    told = {"role": role, "content": content} | more
    return {"type": "message", "id": id_, "timestamp": "2026-06-01T09:00:01.000Z", "message": told}


def block(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def head(id_: str = "s1") -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": id_, "timestamp": "2026-06-01T09:00:00.000Z"}


EVENTS = [
    head(),
    {"type": "model_change", "id": "e1"},
    message("e2", "user", block("My dog is called Pixel.")),
    message("e3", "assistant", [
        {"type": "thinking", "thinking": "A dog."},
        {"type": "toolCall", "id": "t1", "name": "look", "arguments": {"q": 1}},
    ]),
    message("e4", "toolResult", block("nothing"), toolCallId="t1"),
    message("e5", "assistant", block("[[reply_to_current]] Pixel, noted.")),
    message("e6", "user", block("Read HEARTBEAT.md if it exists")),
    message("e7", "assistant", block("HEARTBEAT_OK")),
    message("e8", "user", "from another session", provenance={"kind": "inter_session"}),
    message("e9", "bashExecution", "ls"),
    {"type": "compaction", "id": "e10", "summary": "A dog."},
]  # fmt: skip
SAID = [("s1", "user", "My dog is called Pixel.", "e2"), ("s1", "assistant", "Pixel, noted.", "e5")]
LEFT = {
    "lines of type model_change": 1, "thoughts": 1, "tool calls": 1, "tool results": 1,
    "texts put in by the program": 2, "turns of the program": 1, "messages of bashExecution": 1,
    "summaries of what was said before": 1,
}  # fmt: skip


def log(path: Path, *events: Any, tail: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in events) + tail, "utf-8")
    return path


def database(path: Path, *events: Any, id_: str = "s1") -> sqlite3.Connection:
    """Events in the table of an agent; text goes in as it is, None as an event that is compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute(
        "CREATE TABLE IF NOT EXISTS transcript_events"
        " (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, PRIMARY KEY (session_id, seq))"
    )
    start = db.execute("SELECT count(*) FROM transcript_events").fetchone()[0]
    for seq, event in enumerate(events, start):
        told = event if event is None or isinstance(event, str) else json.dumps(event)
        db.execute("INSERT INTO transcript_events VALUES (?, ?, ?, 0)", (id_, seq, told))
    db.commit()
    return db


def read(path: Path, tools: bool = False, thoughts: bool = False) -> list[Record]:
    return list(openclaw.read(members.opened(path), Wanted(tools, thoughts)))


def turns(found: list[Record]) -> list[tuple[str, str, str, str]]:
    return [(one.session, one.speaker, one.text, one.uuid) for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return dict(counts)


def test_of_lines_and_of_a_database_the_same_turns_are_taken(tmp_path: Path) -> None:
    lines = log(tmp_path / "agents/main/sessions/s1.jsonl", *EVENTS)
    database(tmp_path / "db/openclaw-agent.sqlite", *EVENTS).close()
    for path in (tmp_path / "agents", lines, tmp_path / "db", tmp_path / "db/openclaw-agent.sqlite"):
        assert openclaw.suits(members.opened(path))
        found = read(path)
        assert turns(found) == SAID
        assert left(found) == LEFT
        assert {one.ts for one in found if isinstance(one, Said)} == {"2026-06-01T09:00:01Z"}


def test_tools_and_thoughts_are_turns_where_they_are_wanted(tmp_path: Path) -> None:
    found = read(log(tmp_path / "s1.jsonl", *EVENTS), tools=True, thoughts=True)
    assert [one for one in turns(found) if one[1] not in ("user", "assistant")] == [
        ("s1", "thought", "A dog.", "e3:thought"),
        ("s1", "tool", 'look {"q": 1}', "t1"),
        ("s1", "tool", "nothing", "t1:result"),
    ]


FACTS = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "1"}\n```\n\n'


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (FACTS + FACTS.replace("Conversation info", "Sender") + "Hello\nyou", "Hello\nyou"),
        ("[Telegram Ann id:12 +2m 2026-01-05T10:00Z] Hello\n[message_id: 45]", "Hello"),
        ("[Wed 2026-01-28 20:30 EST] Hello", "Hello"),
        ("System: [2026-03-20 17:32:32 GMT+7] Exec failed\n\n" + FACTS + "Hello", "Hello"),
        ("[2026-01-28 20:30] I wrote this date", "[2026-01-28 20:30] I wrote this date"),
        ("Hello\n" + FACTS.strip(), "Hello\n" + FACTS.strip()),
        (FACTS.replace("```\n\n", ""), FACTS.replace("```\n\n", "").strip()),
        ("Pre-compaction memory flush. Store durable memories only in", ""),
        ("[cron:7 morning] Say what is up", ""),
    ],
)
def test_what_the_gateway_puts_around_words_is_taken_off(given: str, kept: str, tmp_path: Path) -> None:
    found = turns(read(log(tmp_path / "s1.jsonl", head(), message("e1", "user", block(given)))))
    assert [one[2] for one in found] == ([kept] if kept else [])


def test_reset_sessions_are_read_and_other_leavings_told(tmp_path: Path) -> None:
    place = tmp_path / "agents/main/sessions"
    log(place / "s1.jsonl", head(), message("e1", "user", "now"))
    log(place / "s0.jsonl.reset.2026-05-01T09-00-00.000Z", message("e1", "user", "before"))
    log(place / "s2.jsonl.deleted.2026-05-01T09-00-00.000Z", head("s2"), message("e1", "user", "gone"))
    log(place / "s1.jsonl.bak-1", head(), message("e1", "user", "now"))
    (place / "s3.jsonl.reset.2026-05-01.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    log(tmp_path / "agents/main/cron/runs.jsonl", {"action": "finished"})
    (place / "sessions.json").write_text("{}", "utf-8")
    found = read(tmp_path)
    assert turns(found) == [("s0", "user", "before", "e1"), ("s1", "user", "now", "e1")]
    assert left(found) == {
        "sessions that were deleted": 1, "backups of sessions": 1,
        "sessions that are compressed, to be unpacked first": 1,
    }  # fmt: skip


def test_a_database_is_read_with_its_journal_and_left_as_it_is(tmp_path: Path, tree: Tree) -> None:
    """A database at rest gets no file beside it; one at work is read to its last turn, which only the journal holds."""
    path = tmp_path / "openclaw-agent.sqlite"
    database(path, head(), message("e1", "user", "at rest")).close()
    before = tree(tmp_path)
    assert list(before) == [path.name]
    assert [one[2] for one in turns(read(path))] == ["at rest"]
    assert tree(tmp_path) == before
    with closing(database(path, message("e2", "user", "at work"))):
        assert path.with_name(f"{path.name}-wal").stat().st_size > 0
        assert [one[2] for one in turns(read(path))] == ["at rest", "at work"]


def test_what_of_a_database_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a/openclaw-agent.sqlite"
    with closing(database(path, message("e1", "user", "one"), "{torn", None, "[1]")) as db:
        db.execute("CREATE TABLE session_transcript_cold_archives (session_id TEXT, event_count INTEGER)")
        db.execute("INSERT INTO session_transcript_cold_archives VALUES ('s9', 40), ('s8', 2)")
        db.commit()
    found = read(path.parent)
    assert [one[2] for one in turns(found)] == ["one"]
    assert left(found) == {"events that OpenClaw has compressed": 43}
    assert [one.where.partition(": ")[2] for one in found if isinstance(one, Bad)] == ["event 1 of s1", "event 3 of s1"]

    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, "agent/openclaw-agent.sqlite")
    assert [one.why for one in read(packed) if isinstance(one, Bad)] == [
        "a database inside an archive cannot be read; unpack the archive first"
    ]
    other = tmp_path / "b/openclaw-agent.sqlite"
    other.parent.mkdir()
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE notes (id)")
    assert "no table of events" in next(one.why for one in read(other) if isinstance(one, Bad))
    other.write_bytes(path.read_bytes()[:3000])
    assert "cannot be read" in next(one.why for one in read(other) if isinstance(one, Bad))


@pytest.mark.parametrize("count", ["9e999", "'many'", "NULL"])
def test_an_odd_count_stops_no_reading(tmp_path: Path, count: str) -> None:
    path = tmp_path / "openclaw-agent.sqlite"
    with closing(database(path, message("e1", "user", "one"))) as db:
        db.execute("CREATE TABLE session_transcript_cold_archives (session_id TEXT, event_count INTEGER)")
        db.execute(f"INSERT INTO session_transcript_cold_archives VALUES ('s9', {count})")
        db.commit()
    assert [one[2] for one in turns(read(tmp_path))] == ["one"]


def test_lines_that_cannot_be_read_are_told_with_their_place(tmp_path: Path) -> None:
    path = log(tmp_path / "s1.jsonl", head(), 4, {"type": "message"}, {"no": "type"}, tail='{"type":"mess')
    found = read(path)
    assert [one.where for one in found if isinstance(one, Bad)] == ["line 2", "line 3", "line 5"]
    assert left(found) == {"lines without a type": 1}


def test_it_comes_in_once_grows_moves_to_a_database_and_is_found(
    vault: Callable[..., Path], run: Run, tmp_path: Path
) -> None:
    root, state = vault(), tmp_path / "state"
    path = log(state / "agents/main/sessions/s1.jsonl", *EVENTS)
    done = run("import", state, "--json", vault=root).json
    assert (done["source"], done["sessions"], done["turns"], done["bad"]) == ("openclaw", 1, 2, 0)
    again = run("import", path, "--json", vault=root).json
    assert (again["turns"], again["known"], again["files"]) == (0, 2, [])
    log(path, *EVENTS, message("e11", "user", block("The boiler was serviced in May.")))
    grown = run("import", "openclaw", path, "--json", vault=root).json
    assert (grown["turns"], grown["known"]) == (1, 2)
    found = run("recall", "boiler serviced", "--json", vault=root)
    assert found.paths[0] == grown["files"][0]
    assert "serviced in May" in found.json["evidence"][0]["quote"]
    path.unlink()
    moved = state / "agents/main/agent/openclaw-agent.sqlite"
    more = [message("e11", "user", block("The boiler was serviced in May.")), message("e12", "user", "And in June.")]
    database(moved, *EVENTS, *more).close()
    last = run("import", state, "--json", vault=root).json
    assert (last["turns"], last["known"], last["new"]) == (1, 3, 0)


@no_samples
def test_the_sample_comes_in_as_counted(vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    path = next(SAMPLE.rglob("*.jsonl"))
    events = [json.loads(raw) for raw in path.read_text("utf-8").splitlines()]
    said = [
        (event["id"], part["text"])
        for event in events
        if event["type"] == "message" and event["message"]["role"] in ("user", "assistant")
        for part in event["message"]["content"]
        if part["type"] == "text" and part["text"] != "HEARTBEAT_OK"
    ]
    assert said
    done = run("import", SAMPLE, "--json", vault=root).json
    assert (done["source"], done["turns"], done["bad"]) == ("openclaw", len(said), 0)
    shown = run("sessions", "show", events[0]["id"], "--json", vault=root).json["turns"]
    assert [(turn["uuid"], turn["text"]) for turn in shown] == said
    assert run("import", SAMPLE, "--json", vault=root).json["turns"] == 0
    assert run("recall", said[0][1], "--json", vault=root).paths[0] == done["files"][0]
