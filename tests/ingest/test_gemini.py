"""Gemini: activities of Takeout by day, sessions of the CLI and prompts of AI Studio as they are."""

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
from memdir.ingest import kinds, loose, members
from memdir.ingest.chats import gemini
from memdir.ingest.records import Bad, Left, Record, Said, Wanted
from mutants import NO_SAMPLES, mutants, samples

PLAIN = Wanted()
ALL = Wanted(tools=True, thoughts=True)
SAMPLES = samples(
    "handmade/gemini", "gemini/polylogue-fixtures/tests/data/**/*.json",
    "gemini/polylogue-fixtures/tests/fixtures/**/*.json",
)  # fmt: skip
SESSION = {
    "sessionId": "s1",
    "messages": [
        {"id": "u", "timestamp": "2026-08-01T10:00:01Z", "type": "user", "content": ["list ", {"text": "it"}]},
        {"id": "i", "timestamp": "2026-08-01T10:00:02Z", "type": "info", "content": "update available"},
        {
            "id": "g", "timestamp": "2026-08-01T10:00:03Z", "type": "gemini", "content": "Two files.",
            "thoughts": [{"subject": "Look", "description": "Look first"}],
            "toolCalls": [{"name": "ls", "args": {"path": "."}, "resultDisplay": "a b"}],
        },
    ],
}  # fmt: skip


def activity(title: str, time: str = "2026-05-01T08:00:00.123Z", html: str = "", header: str = "Gemini Apps") -> Any:
    answer = {"safeHtmlItem": [{"html": html}]} if html else {}
    return {"header": header, "title": title, "time": time, "products": [header], **answer}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def records(path: Path, wanted: Wanted = PLAIN) -> list[Record]:
    source = members.opened(path)
    assert kinds.told(source) == "gemini"
    return list(gemini.read(source, wanted))


def said(found: list[Record]) -> list[tuple[str, str, str]]:
    return [(one.session, one.speaker, one.text) for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return counts


def test_the_activities_of_a_day_are_a_conversation(tmp_path: Path, vault: Callable[..., Path]) -> None:
    """In a folder of another language; files of other products lie beside it."""
    export = [
        activity("Prompted\xa0and rye?", "2026-05-01T09:00:00Z", "<ul><li>longer</li></ul>"),
        activity("Prompted how to proof bread", html="<p>90 <b>min</b></p>"),
        activity("Prompted never answered", "2026-05-02T00:00:00Z"),
        activity("Verwendete eine Funktion"),
        activity("Prompted what is on", header="YouTube"),
        activity("Prompted without a time", "", "<p>yes</p>"),
    ]
    path = write(tmp_path / "Takeout/Meine Aktivitäten/Gemini-Apps/MeineAktivitäten.json", export)
    write(tmp_path / "Takeout/Meine Aktivitäten/Suche/MyActivity.json", [activity("Searched", header="Search")])
    found = records(tmp_path / "Takeout")
    assert sorted(said(found)) == sorted(said(records(path)))
    assert left(found) == {gemini.NO_PROMPT: 1, gemini.OTHERS: 2}
    with Memory(vault()) as memory:
        assert memory.bring("", tmp_path / "Takeout", Asked()).turns == 7
        day = [(one["speaker"], one["text"]) for one in memory.session("gemini-2026-05-01")["turns"]]
        assert day == [
            ("user", "how to proof bread"), ("assistant", "90 min"), ("user", "and rye?"), ("assistant", "- longer"),
        ]  # fmt: skip
        assert len(memory.session("gemini-undated")["turns"]) == 2


def test_the_same_activity_in_two_archives_comes_once(tmp_path: Path, vault: Callable[..., Path]) -> None:
    for name in ("takeout-1.zip", "takeout-2.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            export = [activity("Prompted hello", html="<p>hi</p>")] * 2
            archive.writestr("Takeout/My Activity/Gemini Apps/MyActivity.json", json.dumps(export))
    with Memory(vault()) as memory:
        assert memory.bring("", tmp_path, Asked()).turns == 2


def test_a_session_of_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path / "chats/session-2026-08-01.json", SESSION)
    found = records(path)
    assert said(found) == [("s1", "user", "list \nit"), ("s1", "assistant", "Two files.")]
    assert left(found) == {"thoughts": 1, "tool calls": 1, "tool results": 1, "messages of the program": 1}
    assert [(one[1], one[2]) for one in said(records(tmp_path / "chats", ALL))[1:]] == [
        ("thought", "Look\nLook first"), ("tool", 'ls {"path": "."}'), ("tool", "a b"), ("assistant", "Two files."),
    ]  # fmt: skip


@pytest.mark.parametrize("id_", ["", " ", None, {"a": 1}])
def test_a_session_without_id_is_told(tmp_path: Path, id_: object) -> None:
    source = write(tmp_path / "a.json", [SESSION | {"sessionId": id_}, SESSION])
    found = records(source)
    assert [one.why for one in found if isinstance(one, Bad)] == ["a session without id"]
    assert len(said(found)) == 2


def test_what_a_tool_was_given_may_be_nested_too_deep_to_be_shown() -> None:
    given: list[Any] = []
    for _ in range(100_000):
        given = [given]
    assert loose.call("ls", given) == "ls (nested too deep to be shown)"


def test_what_is_not_of_gemini_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "My Activity/Search/MyActivity.json", {"a": 1})
    with pytest.raises(BadData, match="nothing of Gemini"):
        list(gemini.read(members.opened(tmp_path), PLAIN))


def test_nothing_odd_stops_the_reading(tmp_path: Path) -> None:
    chunks = [{"role": "model", "text": "t", "executableCode": {"code": "c"}, "codeExecutionResult": {"output": "o"}}]
    given = [
        activity("Prompted q", html="<p>a</p>"), SESSION,
        {"id": "p", "createTime": "2026-05-01T08:00:00Z", "chunkedPrompt": {"chunks": chunks}},
    ]  # fmt: skip
    good = activity("Prompted whole")
    for broken in mutants(given, 400):
        path = write(tmp_path / "x.json", [good, *broken] if isinstance(broken, list) else [good, broken])
        assert "whole" in [text for _, _, text in said(list(gemini.read(members.opened(path), ALL)))]


# --- samples -----------------------------------------------------------------------------------------


def turns(value: Any) -> int:
    """Turns of a sample, counted from the JSON in another way."""
    if isinstance(value, list):
        return sum(2 for one in value if "safeHtmlItem" in one)
    if "messages" in value:
        return len(value["messages"])
    spoken = [one for one in value["chunkedPrompt"]["chunks"] if not one.get("isThought")]
    shows = ("parts", "driveDocument", "inlineFile", "youtubeVideo")
    return sum(bool(one.get("text")) or any(key in one for key in shows) for one in spoken)


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_comes_in_whole_and_once(path: Path, vault: Callable[..., Path], tree: Tree, run: Run) -> None:
    files = [path] if path.is_file() else sorted(path.rglob("*.json"))
    expected = sum(turns(json.loads(one.read_bytes())) for one in files)
    root = vault()
    with Memory(root) as memory:
        done = memory.bring("", path, Asked())
    assert (done.source, done.bad, done.turns) == ("gemini", 0, expected)
    assert sum(one["turns"] for one in run("sessions", "list", "--json", vault=root).json["sessions"]) == expected > 0
    before = tree(root / "memory")
    with Memory(root) as memory:
        again = memory.bring("gemini", path, Asked())
    assert (again.turns, again.known, again.run) == (0, expected, "")
    assert tree(root / "memory") == before


@pytest.mark.skipif(not SAMPLES, reason=NO_SAMPLES)
def test_the_samples_are_all_here() -> None:
    assert len(SAMPLES) == 9
