"""Sessions of Claude Code: what the person typed and the model answered, once, and nothing that a program put in."""

import json
import os
from collections import Counter
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from driver import Run
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.ingest import members
from memdir.ingest.agents import claude_code
from memdir.ingest.records import Bad, Left, Record, Said, Wanted
from memdir.vault import injected

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared") / "samples"
SAMPLES = sorted(
    path
    for place in ("claude-code", "handmade/claude-code")
    for path in (SHARED / place).rglob("*.json*")
    if "schema" not in path.name
)
no_samples = pytest.mark.skipif(not SAMPLES, reason="no samples at ../shared; MEMDIR_SHARED may name them")


def line(kind: str, content: Any, uuid: str, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    return {
        "type": kind, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-10-01T09:00:00.000Z", "message": message
    } | more  # fmt: skip


def block(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def write(path: Path, *lines: Any, tail: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines) + tail, "utf-8")
    return path


def read(path: Path, tools: bool = False, thoughts: bool = False) -> list[Record]:
    return list(claude_code.read(members.opened(path), Wanted(tools, thoughts)))


def turns(found: list[Record]) -> list[tuple[str, str, str, str]]:
    return [(one.session, one.speaker, one.text, one.uuid) for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return dict(counts)


SESSION = [
    {"type": "file-history-snapshot", "messageId": "m"},
    line("user", "I like my tea <system-reminder>not mine</system-reminder>strong.", "u1", origin={"kind": "human"}),
    line("assistant", [{"type": "thinking", "thinking": "They like tea."}], "a1"),
    line("assistant", block("Strong tea, noted."), "a2"),
    line("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}], "a3"),
    line(
        "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}], "u2", toolUseResult={"stdout": ""}
    ),
    line("user", [{"type": "tool_result", "tool_use_id": "t2", "content": block("b.txt")}, *block("more")], "u3"),
    line("user", "caveat", "u4", isMeta=True),
    line("user", "a task is done", "u5", origin={"kind": "task-notification"}),
    line("user", "This session is being continued", "u6", isCompactSummary=True),
    line("user", "Context limit reached", "u11", isVisibleInTranscriptOnly=True),
    line("user", "look at the parser", "u7", isSidechain=True),
    line("assistant", "API Error: 529", "a4", isApiErrorMessage=True),
    line("user", "<command-name>/clear</command-name>\n<command-args></command-args>", "u8"),
    line("user", "<local-command-stdout>done</local-command-stdout>[Request interrupted by user for tool use]", "u9"),
    line("user", [*block("See the picture."), {"type": "image", "source": {}}, {"type": "hologram"}], "u10"),
    line("assistant", "Plain text is an answer too.", "a5"),
    {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": "a5"},
    {"no": "type"},
]


def test_only_what_was_said_is_taken_and_the_rest_is_counted(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.jsonl", *SESSION))
    assert turns(found) == [
        ("s1", "user", "I like my tea strong.", "u1"),
        ("s1", "assistant", "Strong tea, noted.", "a2"),
        ("s1", "user", "See the picture.", "u10"),
        ("s1", "assistant", "Plain text is an answer too.", "a5"),
    ]
    assert {one.ts for one in found if isinstance(one, Said)} == {"2026-10-01T09:00:00Z"}
    assert left(found) == {
        "lines of type file-history-snapshot": 1, "thoughts": 1, "tool calls": 1, "tool results": 2,
        "turns of the program": 2, "summaries of what was said before": 2, "turns of subagents": 1,
        "errors of the model": 1, "texts put in by the program": 2, "images": 1, "blocks of type hologram": 1,
        "lines of type system": 1, "lines without a type": 1,
    }  # fmt: skip
    assert not [one for one in found if isinstance(one, Bad)]


def test_tools_and_thoughts_are_turns_where_they_are_wanted(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.jsonl", *SESSION), tools=True, thoughts=True)
    assert [one for one in turns(found) if one[1] not in ("user", "assistant")] == [
        ("s1", "thought", "They like tea.", "a1:thought"),
        ("s1", "tool", 'Bash {"command": "ls"}', "t1"),
        ("s1", "tool", "a.txt", "t1:result"),
        ("s1", "tool", "b.txt", "t2:result"),
    ]
    assert not {"thoughts", "tool calls", "tool results"} & left(found).keys()


@pytest.mark.parametrize("odd", ["\ud800", "a\nleft out: tools: 9", "\x1b[2J", "x" * 90])
def test_a_report_says_no_signs_of_the_source_s(tmp_path: Path, odd: str) -> None:
    found = read(write(tmp_path / "a.jsonl", *SESSION[:2], {"type": odd}, line("user", [{"type": odd}], "u99")))
    assert {"lines of type unknown", "blocks of type unknown"} <= left(found).keys()


def test_a_report_has_an_end(vault: Callable[..., Path], tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", *SESSION, *({"type": f"kind{n}"} for n in range(500)))
    with Memory(vault()) as memory:
        skipped = memory.bring("claude-code", source, Asked()).skipped
    assert len(skipped) == 101
    assert sum(skipped.values()) > 500


def queued(prompt: Any, uuid: str, **more: Any) -> dict[str, Any]:
    held = {"type": "queued_command", "prompt": prompt} | more
    return {key: value for key, value in line("user", "", uuid).items() if key != "message"} | {
        "type": "attachment", "attachment": held,
    }  # fmt: skip


def test_what_was_typed_while_the_model_was_at_work_is_a_turn(tmp_path: Path) -> None:
    lines = [
        queued("Use oat milk.", "q1", commandMode="prompt", origin={"kind": "human"}),
        queued(block("And no sugar.<system-reminder>x</system-reminder>"), "q2", source_uuid="u1"),
        queued("<task-notification>done</task-notification>", "q3", commandMode="task-notification"),
        queued("a task is done", "q4", commandMode="prompt", origin={"kind": "task-notification"}),
        queued("in a subagent", "q5") | {"isSidechain": True},
        {"type": "attachment", "attachment": {"type": "todo_reminder"}},
        line("user", "And no sugar.", "u1"),
    ]
    path = write(tmp_path / "a.jsonl", *lines)
    found = read(path)
    assert turns(found) == [
        ("s1", "user", "Use oat milk.", "q1"),
        ("s1", "user", "And no sugar.", "u1"),
        ("s1", "user", "And no sugar.", "u1"),
    ]  # fmt: skip
    assert left(found) == {"lines of type attachment": 2, "turns of the program": 1, "turns of subagents": 1}


def test_lines_that_cannot_be_read_are_told_with_their_place(tmp_path: Path) -> None:
    good = line("user", "hello", "u1")
    path = write(tmp_path / "a.jsonl", good, 42, {"type": "user", "message": "error"}, tail='{"type":"user","uui')
    found = read(path)
    assert len(turns(found)) == 1
    assert [one.where for one in found if isinstance(one, Bad)] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("<system-reminder>a</system-reminder>b<system-reminder>c</system-reminder>", "b"),
        (
            "<system-reminder>never closed, so it is the person's",
            "<system-reminder>never closed, so it is the person's",
        ),
        ("<system-reminder><command-name>x</command-name></system-reminder>y", "y"),
        ("<ide_opened_file>a.py</ide_opened_file>\nWhat is this?", "What is this?"),
        ("<b>bold</b> and a < b", "<b>bold</b> and a < b"),
        ("stop\n[Request interrupted by user]", "stop"),
        ("Caveat: The messages below were generated by the user while running local commands. DO NOT", ""),
    ],
)
def test_what_the_program_puts_around_words_is_taken_off(given: str, kept: str, tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.jsonl", line("user", given, "u1")))
    assert [one[2] for one in turns(found)] == ([kept] if kept else [])


def test_many_open_tags_stay_as_they_were_typed(tmp_path: Path) -> None:
    """The ends are looked for once; looked for where each tag or each name stands, 200,000 would take minutes."""
    names = ("".join(name) for name in product("abcdefghijklmnopqrstuvwxyz", repeat=4))
    given = "<system-reminder>" * 200_000 + "".join(f"<ide_{name}>" for name in islice(names, 200_000))
    assert [one[2] for one in turns(read(write(tmp_path / "a.jsonl", line("user", given, "u1"))))] == [given]


def test_a_web_session_is_known_by_its_file(tmp_path: Path) -> None:
    lines = [
        {
            "type": "user",
            "timestamp": "2025-12-24T10:00:00Z",
            "message": {"role": "user", "content": "Add two numbers"},
        },
        {"type": "assistant", "message": {"role": "assistant", "content": block("Done.")}},
    ]
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"title": "x", "loglines": lines}), "utf-8")
    assert turns(read(path)) == [("web", "user", "Add two numbers", ""), ("web", "assistant", "Done.", "")]
    assert claude_code.suits(members.opened(path))
    path.write_text(path.read_text("utf-8")[:-10], "utf-8")
    found = read(path)
    assert len(turns(found)) == 1
    assert [one.where for one in found if isinstance(one, Bad)][:1] == ["item 1"]


def test_of_a_folder_each_turn_comes_in_once(tmp_path: Path) -> None:
    """The session that goes on from another holds a copy of it; subagents lie in a folder of their own."""
    early = {"timestamp": "2026-09-30T09:00:00Z"}
    write(tmp_path / "-home-p/z.jsonl", line("user", "zero", "u0", **early), line("user", "one", "u1"))
    copied = line("user", "one", "u1", sessionId="s2")
    write(tmp_path / "-home-p/a.jsonl", {"type": "summary"}, copied, line("user", "three", "u2", sessionId="s2"))
    branched = line("user", "one", "u9", sessionId="s3", forkedFrom={"sessionId": "s1", "messageUuid": "u1"})
    write(tmp_path / "-home-p/b.jsonl", branched, line("user", "four", "u3", sessionId="s3"))
    write(tmp_path / "-home-p/z/subagents/agent-1.jsonl", line("user", "look at it", "u4"))
    (tmp_path / "-home-p/settings.json").write_text("{}", "utf-8")
    found = read(tmp_path)
    assert turns(found) == [
        ("s1", "user", "zero", "u0"), ("s1", "user", "one", "u1"), ("s2", "user", "three", "u2"),
        ("s3", "user", "four", "u3"),
    ]  # fmt: skip
    assert left(found) == {"lines of type summary": 1, "turns that another session holds": 2, "turns of subagents": 1}


def test_a_branch_alone_brings_its_beginning_under_the_session_that_said_it(tmp_path: Path) -> None:
    branched = line("user", "one", "u9", sessionId="s3", forkedFrom={"sessionId": "s1", "messageUuid": "u1"})
    found = read(write(tmp_path / "b.jsonl", branched, line("user", "four", "u3", sessionId="s3")))
    assert turns(found) == [("s1", "user", "one", "u1"), ("s3", "user", "four", "u3")]


def test_other_lines_are_no_session_of_claude_code(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.jsonl", {"session_id": "s", "speaker": "u", "text": "x"})
    assert not claude_code.suits(members.opened(plain))
    assert not claude_code.suits(members.opened(write(tmp_path / "odd.json", {"a": 1})))
    assert claude_code.suits(members.opened(write(tmp_path / "s.jsonl", {"type": "summary"}, line("user", "x", "u"))))


def test_it_comes_in_once_grows_and_is_found(vault: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    root = vault()
    path = write(tmp_path / "a.jsonl", *SESSION, SESSION[1])
    done = run("import", path, "--json", vault=root).json
    assert (done["source"], done["sessions"], done["turns"], done["known"], done["bad"]) == ("claude-code", 1, 4, 0, 0)
    assert done["skipped"]["turns that stand more than once in the source"] == 1
    again = run("import", path, "--json", vault=root).json
    assert (again["turns"], again["known"], again["files"]) == (0, 5, [])
    write(path, *SESSION, line("assistant", block("Kettle descaled on Monday."), "a6"))
    grown = run("import", "claude-code", path, "--json", vault=root).json
    assert (grown["turns"], grown["known"]) == (1, 4)
    found = run("recall", "kettle descaled", "--json", vault=root)
    assert found.paths[0] == grown["files"][0]
    assert "descaled on Monday" in found.json["evidence"][0]["quote"]
    more = run("import", path, "--tools", "--thoughts", "--json", vault=root).json
    assert (more["turns"], more["known"]) == (4, 5)


def told(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Conversation → its turns as ids and words, counted without any reader."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        lines = json.loads(text)["loglines"]
    else:
        lines = [one for raw in text.splitlines() if (one := _value(raw)) is not None]
    found: dict[str, list[tuple[str, str]]] = {}
    for one in lines:
        if not isinstance(one, dict) or one.get("type") not in ("user", "assistant"):
            continue
        message = one["message"]
        if not isinstance(message, dict) or {"isMeta", "isCompactSummary", "toolUseResult"} & one.keys():
            continue
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        said = [
            b["text"] for b in blocks if b["type"] == "text" and not b["text"].startswith(("<c", "<l", "[R", "Cav"))
        ]
        if one.get("isSidechain") or not said or any(b["type"] == "tool_result" for b in blocks):
            continue
        turns = found.setdefault(one.get("sessionId", path.stem), [])
        uuid = one.get("uuid", "")
        if not uuid or uuid not in {id_ for id_, _ in turns}:
            turns.append((uuid, "\n\n".join(said)))
    return found


def _value(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


@no_samples
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_comes_in_as_counted(path: Path, vault: Callable[..., Path], run: Run) -> None:
    root, expected = vault(), told(path)
    done = run("import", path, "--json", vault=root)
    assert done.code == 0, done.err
    assert (done.json["source"], done.json["sessions"]) == ("claude-code", len(expected))
    assert done.json["turns"] == sum(map(len, expected.values()))
    assert done.json["bad"] == {"session.jsonl": 1, "edge_cases.jsonl": 4}.get(path.name, 0)
    assert run("import", path, "--json", vault=root).json["turns"] == 0
    for id_, turns in expected.items():
        shown = run("sessions", "show", id_, "--limit", 500, "--json", vault=root).json["turns"]
        assert [turn["uuid"] for turn in shown] == [uuid for uuid, _ in turns]
        words = max((text for _, text in turns), key=len).split("<")[0].split()[:8]
        found = run("recall", " ".join(words), "--json", vault=root)
        assert found.code == 0, words
        assert set(found.paths) & set(done.json["files"])


@no_samples
def test_the_samples_are_all_here() -> None:
    assert len(SAMPLES) == 12


INJECTED = injected.wrap("1. memory/user/shell.md:3 works in zsh </system-reminder> so far", "0123456789abcdef")


def test_what_memdir_put_in_does_not_come_back(tmp_path: Path) -> None:
    """As an attachment of a hook, as a reminder before the words, quoted by the model, in what a tool gave back."""
    attachment = {"type": "hook_additional_context", "content": [INJECTED], "hookEvent": "UserPromptSubmit"}
    reminder = f"<system-reminder>\nUserPromptSubmit hook additional context: {INJECTED}\n</system-reminder>\n"
    quoted = "\n".join(f"> {one}" for one in INJECTED.split("\n"))
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": json.dumps({"said": INJECTED})}]
    path = write(
        tmp_path / "s1.jsonl",
        {"type": "attachment", "attachment": attachment, "uuid": "u0", "sessionId": "s1"},
        line("user", f"{reminder}Which shell?", "u1"),
        line("user", f"UserPromptSubmit hook additional context: {INJECTED}", "u2"),
        line("assistant", block(f"I was told:\n{quoted}\nSo the shell you like.\n\nmemory used: 1"), "u3"),
        line("user", result, "u4", toolUseResult="x"),
    )
    found = turns(read(path, tools=True))
    assert "zsh" not in json.dumps(found)
    assert [(speaker, text.split()) for _, speaker, text, _ in found] == [
        ("user", ["Which", "shell?"]),
        ("assistant", ["I", "was", "told:", "So", "the", "shell", "you", "like."]),
        ("tool", ['{"said":', '""}']),
    ]
