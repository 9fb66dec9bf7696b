"""Rollouts of Codex: what the person and the model said, each once, also where a rollout copies the one before it."""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run
from memdir.ingest import members
from memdir.ingest.agents import codex
from memdir.ingest.records import Bad, Left, Record, Said, Wanted
from memdir.vault import injected

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared") / "samples"
SAMPLES = sorted(path for place in ("codex", "handmade/codex") for path in (SHARED / place).rglob("*.jsonl"))
no_samples = pytest.mark.skipif(not SAMPLES, reason="no samples at ../shared; MEMDIR_SHARED may name them")
NAME = "rollout-2026-10-01T09-00-00-01999999-0000-7000-8000-00000000000"


def meta(id_: str = "c1", **more: Any) -> dict[str, Any]:
    return line("session_meta", id=id_, timestamp="2026-10-01T09:00:00Z", cwd="/p", **more)


def line(kind: str, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-10-01T09:00:01.000Z", "type": kind, "payload": payload}


def message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", type="message", role=role, content=content, **more)


def write(path: Path, *lines: Any, tail: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines) + tail, "utf-8")
    return path


def read(path: Path, tools: bool = False, thoughts: bool = False) -> list[Record]:
    return list(codex.read(members.opened(path), Wanted(tools, thoughts)))


def turns(found: list[Record]) -> list[tuple[str, str, str, str]]:
    return [(one.session, one.speaker, one.text, one.uuid) for one in found if isinstance(one, Said)]


def left(found: list[Record]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for one in found:
        if isinstance(one, Left):
            counts[one.why] += one.count
    return dict(counts)


ROLLOUT = [
    meta(),
    message("developer", "<permissions instructions> …"),
    message("user", "# AGENTS.md instructions for /p", "<environment_context><cwd>/p</cwd></environment_context>"),
    line("turn_context", model="m"),
    message("user", "Use tabs in Makefiles.", "<environment_context>again</environment_context>"),
    line("event_msg", type="user_message", message="Use tabs in Makefiles."),
    line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "They want tabs."}]),
    line("response_item", type="reasoning", summary=[], encrypted_content="zz"),
    line("response_item", type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id="k1"),
    line("response_item", type="function_call_output", call_id="k1", output="Makefile"),
    line("response_item", type="local_shell_call", action={"command": ["pwd"]}, call_id="k2"),
    message("assistant", "Understood.", id="msg_7"),
    line("response_item", type="ghost_snapshot"),
    line("compacted", message="They like tabs.", replacement_history=[]),
]


def test_only_what_was_said_is_taken_and_the_rest_is_counted(tmp_path: Path) -> None:
    found = read(write(tmp_path / "r.jsonl", *ROLLOUT))
    assert turns(found) == [
        ("c1", "user", "Use tabs in Makefiles.", "c1:5"), ("c1", "assistant", "Understood.", "msg_7"),
    ]  # fmt: skip
    assert left(found) == {
        "texts put in by the program": 2, "lines of type turn_context": 1, "lines of type event_msg": 1, "thoughts": 1,
        "tool calls": 2, "tool results": 1, "lines of type ghost_snapshot": 1, "lines of type compacted": 1,
    }  # fmt: skip


def test_tools_and_thoughts_are_turns_where_they_are_wanted(tmp_path: Path) -> None:
    found = read(write(tmp_path / "r.jsonl", *ROLLOUT), tools=True, thoughts=True)
    assert [one for one in turns(found) if one[1] not in ("user", "assistant")] == [
        ("c1", "thought", "They want tabs.", "c1:7"),
        ("c1", "tool", 'shell {"command": ["ls"]}', "k1"),
        ("c1", "tool", "Makefile", "k1:result"),
        ("c1", "tool", 'local_shell {"command": ["pwd"]}', "k2"),
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix it.\n", "Fix it."),
        ("# Context from my IDE setup:\n\n## Open tabs", ""),
        ("<user_instructions>be brief</user_instructions>", ""),
        ("What does <environment_context> mean?", "What does <environment_context> mean?"),
    ],
)
def test_what_the_program_puts_before_words_is_taken_off(given: str, kept: str, tmp_path: Path) -> None:
    found = turns(read(write(tmp_path / "r.jsonl", meta(), message("user", given))))
    assert [one[2] for one in found] == ([kept] if kept else [])


def test_the_oldest_rollouts_have_bare_lines(tmp_path: Path) -> None:
    """Without times of their own the turns have that of the beginning."""
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}
    begun = {"id": "old", "timestamp": "2025-05-01T08:00:00Z", "instructions": None}
    path = write(tmp_path / f"{NAME}1.jsonl", begun, said, {"record_type": "state"}, answer)
    assert codex.suits(members.opened(path))
    found = read(path)
    assert turns(found) == [("old", "user", "Hello.", "old:2"), ("old", "assistant", "Hi.", "old:4")]
    assert {one.ts for one in found if isinstance(one, Said)} == {"2025-05-01T08:00:00Z"}
    assert left(found) == {"lines of type state": 1}
    nameless = write(tmp_path / f"{NAME}2.jsonl", said)
    assert turns(read(nameless))[0][0] == "01999999-0000-7000-8000-000000000002"


def fork(*more: dict[str, Any], **named: Any) -> list[dict[str, Any]]:
    """A rollout that begins with a copy of `ROLLOUT`: its own head, the copy with its head, then what is new."""
    return [meta("c2", **named), *ROLLOUT, *more]


@pytest.mark.parametrize("named", [{"forked_from_id": "c1"}, {}])
def test_a_copy_of_the_rollout_before_is_passed_over(named: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / f"2026/10/01/{NAME}1.jsonl", *ROLLOUT)
    own = [message("user", "Use tabs in Makefiles."), message("user", "And in Go.")]
    write(tmp_path / f"2026/10/01/{NAME}2.jsonl", *fork(*own, **named))
    found = read(tmp_path)
    assert [one[:3] for one in turns(found)] == [
        ("c1", "user", "Use tabs in Makefiles."), ("c1", "assistant", "Understood."),
        ("c2", "user", "Use tabs in Makefiles."), ("c2", "user", "And in Go."),
    ]  # fmt: skip
    assert left(found)["turns of the rollout that it goes on from"] == 2


def test_a_copy_is_kept_where_the_rollout_before_is_not_there_or_says_something_else(tmp_path: Path) -> None:
    path = write(tmp_path / f"{NAME}2.jsonl", *fork(message("user", "And in Go.")))
    assert [one[2] for one in turns(read(path))] == ["Use tabs in Makefiles.", "Understood.", "And in Go."]
    write(tmp_path / f"{NAME}1.jsonl", meta(), message("user", "Another beginning."))
    assert [one[2] for one in turns(read(tmp_path)) if one[0] == "c2"] == [
        "Use tabs in Makefiles.", "Understood.", "And in Go.",
    ]  # fmt: skip


def test_where_a_copy_leaves_the_rollout_before_it_is_its_own(tmp_path: Path) -> None:
    """What is the same behind the first difference was said again."""
    write(tmp_path / f"{NAME}1.jsonl", meta(), *[message("user", text) for text in ("one", "two", "yes")])
    again = [message("user", text) for text in ("one", "2", "yes")]
    write(tmp_path / f"{NAME}2.jsonl", meta("c2", forked_from_id="c1"), *again)
    assert [one[2] for one in turns(read(tmp_path)) if one[0] == "c2"] == ["2", "yes"]


def test_a_copy_of_a_copy_is_known_by_its_whole_beginning(tmp_path: Path) -> None:
    write(tmp_path / f"{NAME}1.jsonl", *ROLLOUT)
    second = fork(message("user", "And in Go."), forked_from_id="c1")
    write(tmp_path / f"{NAME}2.jsonl", *second)
    third = [meta("c3", forked_from_id="c2"), *second, message("user", "Not in Python.")]
    write(tmp_path / f"{NAME}3.jsonl", *third)
    assert [one[:3] for one in turns(read(tmp_path))][2:] == [
        ("c2", "user", "And in Go."), ("c3", "user", "Not in Python."),
    ]  # fmt: skip


def test_subagents_and_compressed_rollouts_are_told_and_left(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "c1"}}}
    write(tmp_path / f"{NAME}1.jsonl", meta("c4", source=spawned), message("user", "Look."), message("assistant", "Ok"))
    (tmp_path / f"{NAME}2.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    assert codex.suits(members.opened(tmp_path))
    assert left(read(tmp_path)) == {
        "turns of subagents": 2, "rollouts compressed with zstd, to be unpacked first": 1,
    }  # fmt: skip


def test_lines_that_cannot_be_read_are_told_with_their_place(tmp_path: Path) -> None:
    path = write(tmp_path / f"{NAME}1.jsonl", meta(), "odd", message("user", "Hello."), tail='{"type":"respo')
    write(tmp_path / f"{NAME}2.jsonl", meta("c2"))
    found = read(path)
    assert len(turns(found)) == 1
    assert [one.where for one in found if isinstance(one, Bad)] == ["line 2", "line 4"]
    assert [one.where for one in read(tmp_path) if isinstance(one, Bad)] == [
        f"{path.name}: line 2", f"{path.name}: line 4",
    ]  # fmt: skip


def test_it_comes_in_once_grows_and_is_found(vault: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    root = vault()
    path = write(tmp_path / f"sessions/{NAME}1.jsonl", *ROLLOUT, tail='{"type":"respo')
    done = run("import", path, "--json", vault=root).json
    assert (done["source"], done["sessions"], done["turns"], done["bad"]) == ("codex", 1, 2, 1)
    again = run("import", path, "--json", vault=root).json
    assert (again["turns"], again["known"], again["files"]) == (0, 2, [])
    write(
        path, *ROLLOUT, message("user", "Use tabs in Makefiles."), message("assistant", "The linter insists on tabs.")
    )
    grown = run("import", "codex", path.parent, "--json", vault=root).json
    assert (grown["turns"], grown["known"], grown["bad"]) == (2, 2, 0)
    found = run("recall", "linter insists", "--json", vault=root)
    assert found.paths[0] == grown["files"][0]
    assert "insists on tabs" in found.json["evidence"][0]["quote"]
    more = run("import", path, "--tools", "--thoughts", "--json", vault=root).json
    assert (more["turns"], more["known"]) == (4, 4)


def told(path: Path) -> tuple[str, list[str]]:
    """The session and the words of its turns, counted without any reader."""
    lines = [json.loads(raw) for raw in path.read_text("utf-8").splitlines()]
    items = [one["payload"] for one in lines if one["type"] == "response_item" and one["payload"]["type"] == "message"]
    texts = ["\n\n".join(b["text"] for b in one["content"]) for one in items if one["role"] in ("user", "assistant")]
    return lines[0]["payload"]["id"], [text for text in texts if not text.startswith(("#", "<"))]


@no_samples
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_comes_in_as_counted(path: Path, vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    id_, texts = told(path)
    done = run("import", path, "--json", vault=root)
    assert done.code == 0, done.err
    assert (done.json["source"], done.json["sessions"], done.json["bad"]) == ("codex", bool(texts), 0)
    assert done.json["turns"] == len(texts)
    assert run("import", path, "--json", vault=root).json["turns"] == 0
    if texts:
        shown = run("sessions", "show", id_, "--json", vault=root).json["turns"]
        assert [turn["text"] for turn in shown] == texts
        assert all(turn["ts"].startswith("202") for turn in shown)
        found = run("recall", max(texts, key=len), "--json", vault=root)
        assert found.paths[0] == done.json["files"][0]


@no_samples
def test_the_samples_are_all_here() -> None:
    assert len(SAMPLES) == 7


def test_what_memdir_put_in_does_not_come_back(tmp_path: Path) -> None:
    fenced = injected.wrap("1. memory/user/shell.md:3 works in zsh", "0123456789abcdef")
    path = write(
        tmp_path / "rollout-1.jsonl",
        meta(),
        message("developer", fenced),
        message("user", fenced),
        message("user", f"{fenced}\n<environment_context>cwd</environment_context>"),
        message("user", f"{fenced}\nWhich shell?"),
        message("assistant", f"You have\n{fenced}\nthe good one.\n\nmemory used: 1"),
        line("response_item", type="function_call_output", call_id="t1", output=json.dumps(fenced)),
    )
    found = turns(read(path, tools=True))
    assert "zsh" not in json.dumps(found)
    assert [(speaker, text) for _, speaker, text, _ in found] == [
        ("user", "Which shell?"), ("assistant", "You have\n\nthe good one."), ("tool", '""')
    ]  # fmt: skip
