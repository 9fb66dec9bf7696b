"""Three days of Claude Code at work, its hooks as processes of their own, with the events and transcripts it writes.

The transcript grows line by line as Claude Code 2.1 writes it: the words of the person, what the hooks gave as
attachments, thoughts, tool calls with their results, a reply in several lines, the boundary of a compaction.
"""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import driver
from driver import Run
from memdir.app.memory import Memory
from memdir.vault import injected

FACT = "We decided that the heron deploy listens on port 7431, because 8080 is taken by the lamp service."
QUESTION = "Which port did we decide on for the heron deploy?"
SPACE = uuid.UUID(int=7)
ROUNDS = 4  # of two processes each; ten rounds in one process are in interfaces/test_hooks.py


@dataclass
class ClaudeCode:
    """A client in a repository. `given`: what hooks added, in order."""

    place: Path
    moment: datetime = datetime(2026, 11, 24, 9, tzinfo=UTC)
    session: str = ""
    last: str | None = None
    count: int = 0
    given: list[str] = field(default_factory=list)

    @property
    def projects(self) -> Path:
        return self.place / ".claude" / "projects" / "-home-me-shop"

    @property
    def transcript(self) -> Path:
        return self.projects / f"{self.session}.jsonl"

    def _call(self, name: str, wait: bool, more: dict[str, Any]) -> str:
        """A hook as Claude Code calls it: a process, the event on its input; returns what it adds to the context."""
        told = {
            "session_id": self.session, "transcript_path": os.fspath(self.transcript), "hook_event_name": name,
            "cwd": os.fspath(self.place / "shop" / "src"), "permission_mode": "default",
        }  # fmt: skip
        self.moment += timedelta(seconds=20)
        done = subprocess.run(
            [sys.executable, "-m", "memdir", "hook", name, *(["--wait"] if wait else [])],
            input=json.dumps(told | more).encode(), capture_output=True, timeout=60,
            env=driver.environment({"MEMDIR_NOW": self.moment.isoformat()}),
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        assert len(done.stdout.decode()) <= 10_000
        held = json.loads(done.stdout)
        assert held["hookSpecificOutput"]["hookEventName"] == name
        added = str(held["hookSpecificOutput"]["additionalContext"])
        self.given.append(added)
        self.line("attachment", attachment={"type": "hook_additional_context", "content": [added], "hookEvent": name})
        return added

    def line(self, kind: str, **more: Any) -> None:
        self.count += 1
        id_ = str(uuid.uuid5(SPACE, f"{self.session} {self.count}"))
        held = {
            "parentUuid": self.last,
            "isSidechain": False,
            "userType": "external",
            "version": "2.1.230",
            "uuid": id_,
        }
        held |= {"cwd": os.fspath(self.place / "shop"), "sessionId": self.session, "gitBranch": "main", "type": kind}
        held["timestamp"] = self.moment.isoformat().replace("+00:00", "Z")
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(held | more, ensure_ascii=False) + "\n")
        self.last = id_

    def begin(self, day: str, *, source: str = "startup") -> str:
        if source == "startup":
            self.session, self.last = str(uuid.uuid5(SPACE, day)), None
        self.moment = datetime.fromisoformat(f"{day}T09:00:00+00:00")
        return self._call("SessionStart", False, {"source": source})

    def ask(self, prompt: str, reply: str | Callable[[str], str]) -> str:
        """A prompt, a tool that shows what was injected, a reply, the stop; returns what the hook added."""
        added = self._call("UserPromptSubmit", False, {"prompt": prompt})
        self.line("user", message={"role": "user", "content": prompt}, origin={"kind": "human"})
        call = {"type": "tool_use", "id": f"t{self.count}", "name": "Bash", "input": {"command": "cat context"}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"1→{added}"}
        told = reply(added) if callable(reply) else reply
        message = {"id": f"msg_{self.count}", "type": "message", "role": "assistant", "model": "claude-x"}
        self.line(
            "assistant", message=message | {"content": [{"type": "thinking", "thinking": added, "signature": "s"}]}
        )
        self.line("assistant", message=message | {"content": [call]})
        self.line("user", message={"role": "user", "content": [result]}, toolUseResult=added)
        self.line("assistant", message=message | {"content": [{"type": "text", "text": told}]})
        self._call("Stop", True, {"stop_hook_active": False, "last_assistant_message": told})
        return added

    def compact(self) -> str:
        self._call("PreCompact", True, {"trigger": "auto", "custom_instructions": ""})
        self.line("system", subtype="compact_boundary", logicalParentUuid=self.last, content="Conversation compacted")
        self.line("user", isCompactSummary=True, message={"role": "user", "content": f"So far: {self.given[-1]}"})
        return self.begin(self.moment.date().isoformat(), source="compact")


@pytest.fixture
def claude(vault: Callable[..., Path], tmp_path: Path) -> ClaudeCode:
    vault()
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src").mkdir()
    return ClaudeCode(tmp_path)


def sessions(root: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(root.glob("memory/sessions/**/*.md")))


def events(root: Path, op: str) -> list[dict[str, Any]]:
    lines = [line for path in root.glob("memory/ledger/*.jsonl") for line in path.read_text("utf-8").splitlines()]
    return [one for line in lines if (one := json.loads(line))["op"] == op]


def quoting(added: str) -> str:
    """A reply that repeats what it was shown before it answers."""
    shown = "\n".join(f"> {line}" for line in added.split("\n"))
    return f"I was told:\n{shown}\nPort 7431 then.\n\nmemory used: 1"


def test_what_was_said_on_day_one_is_known_on_day_three_and_nothing_is_captured_twice(
    claude: ClaudeCode, run: Run, home: Path, tmp_path: Path
) -> None:
    root = tmp_path / "vault"
    # Day one: it is said; Claude notes something of its own; the conversation is compacted.
    claude.begin("2026-11-24")
    claude.ask(FACT, "Noted: the heron deploy is on 7431.")
    own = claude.projects / "memory"
    own.mkdir()
    (own / "MEMORY.md").write_text("- [Lamp](lamp.md) — where it runs\n", "utf-8")
    (own / "lamp.md").write_text(
        "---\nname: lamp\ndescription: where it runs\nmetadata: \n  node_type: memory\n  type: project\n---\n"
        "The lamp service runs on the small machine.\n",
        "utf-8",
    )
    claude.compact()
    # Day two: small talk needs nothing.
    claude.begin("2026-11-25")
    assert claude.ask("Thanks, good morning!", "Good morning.") == ""
    # Day three: the session is taken up again, the gate brings what was said, round after round.
    claude.begin("2026-11-26")
    claude.begin("2026-11-26", source="resume")
    for number in range(ROUNDS):
        told = claude.ask(f"{QUESTION} Round {number}.", quoting)
        assert "7431" in told
        assert "2026/11" in told
    assert "7431" in claude.ask(QUESTION, "I will look it up.\n\nmemory used: none")
    # What Claude had noted itself came in as text from outside: who asks gets it, nobody is told it unasked.
    lamp = run("recall", "Where does the lamp service run?", "--json", vault=root).json["evidence"][0]
    assert (lamp["path"], "small machine" in lamp["quote"]) == ("memory/project/lamp.md", True)
    assert all("small machine" not in added for added in claude.given)

    kept = sessions(root)
    assert kept.count(FACT) == 1
    assert kept.count("Port 7431 then.") == kept.count("> I was told:") == ROUNDS
    assert "> >" not in kept
    for added in claude.given:
        assert injected.nonce_of(added) not in kept
    for left in ("memory used", "hook additional context", "memory nonce", "From the notes", "So far"):
        assert left not in kept
    listed = run("sessions", "list", "--json", vault=root).json["sessions"]
    assert sorted(one["turns"] for one in listed) == [2, 2, 2 * ROUNDS + 2]

    uses = events(root, "used")
    assert len(uses) == ROUNDS
    assert all(one["kind"] in ("turn", "log") for one in uses)  # what was said, or what capture made of it
    with Memory(root) as memory:
        strong = memory.strength()
    assert strong[f"{uses[0]['path']}:{uses[0]['line']}"] > 1.4
    assert [one["passed"] for one in events(root, "gate")]
    assert not (home / "cache" / "memdir" / "hooks.log").exists()
