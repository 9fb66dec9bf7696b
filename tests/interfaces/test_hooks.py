"""The life of Claude Code through `memdir hook`: real events, a transcript as it writes it, three days."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import driver
from driver import Result, Run
from memdir.app.agents import hooks as events
from memdir.app.memory import Memory
from memdir.interfaces.cli.main import COMMANDS
from memdir.vault import injected

PROJECT = Path(__file__).parents[2]
ADDED = "additionalContext"


@dataclass
class Life:
    """A client at work in a repository: it calls the hooks, and writes what they give into its transcript."""

    run: Run
    root: Path
    place: Path
    session: str = "s1"
    now: str = "2026-11-27T09:00:00+00:00"
    client: str = "claude-code"
    given: list[str] = field(default_factory=list)
    count: int = 0

    @property
    def transcript(self) -> Path:
        return self.place / f"{self.session}.jsonl"

    def event(self, name: str, **more: Any) -> Result:
        told = {
            "session_id": self.session,
            "transcript_path": os.fspath(self.transcript),
            "cwd": os.fspath(self.place / "shop" / "src"),
            "hook_event_name": name,
        }
        wait = ["--wait"] if name in ("Stop", "PreCompact", "SessionEnd") else []
        result = self.run("hook", name, *wait, stdin=json.dumps(told | more), MEMDIR_NOW=self.now)
        assert (result.code, result.err) == (0, "")
        return result

    def told(self, name: str, **more: Any) -> str:
        """What a hook adds; checks the form of the whole answer."""
        result = self.event(name, **more)
        if not result.out:
            return ""
        held = result.json["hookSpecificOutput"]
        assert (set(result.json), set(held)) == ({"hookSpecificOutput"}, {"hookEventName", ADDED})
        assert held["hookEventName"] == name
        assert len(result.out) <= events.MOST
        self.given.append(held[ADDED])
        return str(held[ADDED])

    def write(self, kind: str, content: Any, **more: Any) -> None:
        self.count += 1
        line = {"type": kind, "uuid": f"{self.session}-{self.count}", "sessionId": self.session, "timestamp": self.now}
        if kind in ("user", "assistant"):
            line["message"] = {"role": kind, "content": content}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | more) + "\n")

    def start(self, source: str = "startup") -> str:
        told = self.told("SessionStart", source=source)
        if told:
            held = {"type": "hook_additional_context", "content": [told], "hookEvent": "SessionStart"}
            self.write("attachment", None, attachment=held)
        return told

    def say(self, prompt: str, reply: str) -> str:
        """A prompt and its reply; returns what the hook added to the prompt."""
        told = self.told("UserPromptSubmit", prompt=prompt)
        reminder = f"<system-reminder>\nUserPromptSubmit hook additional context: {told}\n</system-reminder>\n"
        self.write("user", f"{reminder if told else ''}{prompt}")
        if told:
            held = {"type": "hook_additional_context", "content": [told], "hookEvent": "UserPromptSubmit"}
            self.write("attachment", None, attachment=held)
            result = [{"type": "tool_result", "tool_use_id": "t", "content": f"cat: {told}"}]
            self.write("user", result, toolUseResult="x")
            reply = "I was told:\n" + "\n".join(f"> {line}" for line in told.split("\n")) + f"\n{reply}"
        self.write("assistant", [{"type": "text", "text": reply}])
        assert self.event("Stop", stop_hook_active=False, last_assistant_message=reply).out == ""
        return told


@pytest.fixture
def life(vault: Callable[..., Path], run: Run, tmp_path: Path) -> Life:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src").mkdir()
    return Life(run, vault(), tmp_path)


def _sessions(life: Life) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(life.root.glob("memory/sessions/**/*.md")))


def _log(home: Path) -> str:
    path = home / "cache" / "memdir" / "hooks.log"
    return path.read_text("utf-8") if path.exists() else ""


# --- the life --------------------------------------------------------------------------------------------


def test_what_is_said_is_captured_as_it_is_said_and_summed_up_at_the_end(life: Life) -> None:
    life.say("I prefer tabs over spaces in Go files.", "Noted. I prefer spaces myself.")
    preferences = life.root / "memory/user/preferences.md"
    assert preferences.read_text("utf-8").count("- [preference]") == 1
    life.say("From now on ask me before you install a package.", "I will. You prefer tabs over spaces.")
    life.say("Which indentation do I prefer in Go?", "Tabs.\n\nmemory used: 1")
    assert life.event("PreCompact", trigger="auto").out == ""
    assert preferences.read_text("utf-8").count("- [preference]") == 1
    corrections = (life.root / "memory/feedback/corrections.md").read_text("utf-8")
    assert "- [correction] From now on ask me before you install a package. [source:: [[s1#^t" in corrections
    said = life.run("capture", "stats", "--json", vault=life.root).json
    assert (said["turns"], said["taken"]) == (3, {"correction": 1, "preference": 1})
    logs = "".join(path.read_text("utf-8") for path in life.root.glob("memory/logs/**/*.md"))
    assert "Conversation:" not in logs
    assert life.event("SessionEnd", reason="other").out == ""
    logs = "".join(path.read_text("utf-8") for path in life.root.glob("memory/logs/**/*.md"))
    assert "Conversation: I prefer tabs over spaces in Go files." in logs


def test_hooks_capture_nothing_where_the_setting_says_so(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDIR_CAPTURE_HOOKS", "false")
    life.say("I prefer tabs over spaces in Go files.", "Noted.")
    assert not (life.root / "memory/user/preferences.md").exists()
    assert "I prefer tabs" in _sessions(life)


def test_what_was_said_on_day_one_is_there_on_day_three(life: Life, home: Path) -> None:
    life.start()
    life.say("We decided that the heron deploy listens on port 7431.", "Noted, the heron deploy is on 7431.")
    assert life.event("PreCompact", trigger="auto").out == ""
    assert life.event("SessionEnd", reason="other").out == ""
    life.session, life.now = "s2", "2026-11-28T09:00:00+00:00"
    assert "<memory" in life.start()
    life.say("Thanks, good morning!", "Good morning.")
    life.session, life.now = "s3", "2026-11-29T09:00:00+00:00"
    life.start("resume")
    told = life.say("Which port did we decide on for the heron deploy?", "Port 7431.\n\nmemory used: 1")
    assert "7431" in told
    assert "memory/sessions/2026/11/s1.md" in told
    listed = life.run("sessions", "list", "--json", vault=life.root).json["sessions"]
    assert {one["id"]: one["turns"] for one in listed} == {"s1": 2, "s2": 2, "s3": 2}
    assert "scope: shop" in _sessions(life)
    assert _log(home) == ""


def test_after_ten_rounds_nothing_injected_was_captured_and_use_is_recorded(life: Life, home: Path) -> None:
    life.run(
        "new", "Heron deploy", "--body", "The heron deploy listens on port 7431.", "--scope", "shop", vault=life.root
    )
    for number in range(10):
        life.say(f"Which port did we decide on for the heron deploy, round {number}?", "That one.\n\nmemory used: 1")
    assert len(life.given) == 10
    kept = _sessions(life)
    assert kept.count("That one.") == 10
    for told in life.given:
        assert injected.nonce_of(told) not in kept
    assert "7431" not in kept  # said by the memory alone
    assert "memory used" not in kept
    assert "hook additional context" not in kept
    uses = [
        json.loads(line)
        for path in life.root.glob("memory/ledger/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
        if '"used"' in line
    ]
    assert len(uses) == 10
    with Memory(life.root) as memory:
        assert max(memory.strength().values()) > 1
    assert _log(home) == ""


def test_a_number_is_recorded_once_for_each_text_and_odd_ones_never(life: Life) -> None:
    life.run(
        "new", "Heron deploy", "--body", "The heron deploy listens on port 7431.", "--scope", "shop", vault=life.root
    )
    life.say("Which port did we decide on for the heron deploy?", "That one.\n\nmemory used: 1, 99")
    life.event("Stop", last_assistant_message="Again.\n\nmemory used: 1")
    ledger = "".join(path.read_text("utf-8") for path in life.root.glob("memory/ledger/*.jsonl"))
    assert ledger.count('"used"') == 1


def test_without_the_reply_in_the_event_the_transcript_tells(life: Life) -> None:
    life.run(
        "new", "Heron deploy", "--body", "The heron deploy listens on port 7431.", "--scope", "shop", vault=life.root
    )
    assert life.told("UserPromptSubmit", prompt="Which port did we decide on for the heron deploy?")
    life.write("user", "Which port did we decide on for the heron deploy?")
    life.event("Stop")  # the transcript lags behind
    life.now = "2026-11-27T09:01:00+00:00"
    life.write("assistant", [{"type": "text", "text": "That one.\n\nmemory used: 1"}])
    life.event("Stop")
    ledger = "".join(path.read_text("utf-8") for path in life.root.glob("memory/ledger/*.jsonl"))
    assert ledger.count('"used"') == 1


def test_a_rollout_of_codex_comes_in_though_the_event_does_not_name_it(
    life: Life, home: Path, run: Run, tmp_path: Path
) -> None:
    id_ = "0199aaaa-0000-7000-8000-000000000001"
    rollout = home / ".codex" / "sessions" / "2026" / "11" / "27" / f"rollout-2026-11-27T09-00-00-{id_}.jsonl"
    rollout.parent.mkdir(parents=True)
    lines = [
        {"type": "session_meta", "timestamp": "2026-11-27T09:00:00Z", "payload": {"id": id_}},
        {"type": "response_item", "timestamp": "2026-11-27T09:00:01Z", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "heron on 7431"}]}},
    ]  # fmt: skip
    rollout.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    told = json.dumps({"session_id": id_, "transcript_path": None, "cwd": os.fspath(tmp_path)})
    assert run("hook", "stop", "--client", "codex", "--wait", stdin=told) == Result(0, "", "")
    assert "heron on 7431" in _sessions(life)


def test_stop_hands_over_to_a_process_of_its_own_and_does_not_wait(life: Life, home: Path) -> None:
    life.write("user", "The heron deploy listens on port 7431.")
    told = {"session_id": "s1", "transcript_path": os.fspath(life.transcript), "cwd": os.fspath(life.place)}
    assert driver.program("hook", "stop", stdin=json.dumps(told)) == Result(0, "", "")
    until = time.monotonic() + 60
    while not _sessions(life) and time.monotonic() < until:
        time.sleep(0.1)
    assert "heron deploy" in _sessions(life)
    assert _log(home) == ""


def test_a_stop_that_a_hook_has_put_off_is_left_to_the_next_event(life: Life) -> None:
    life.write("user", "The heron deploy listens on port 7431.")
    life.event("Stop", stop_hook_active=True, last_assistant_message="So it is.")
    assert _sessions(life) == ""
    life.event("SessionEnd", reason="other")
    assert "heron deploy" in _sessions(life)


def test_who_finds_another_at_work_leaves_word(life: Life) -> None:
    """Two at once: each turn comes in once, whoever writes it."""
    life.write("user", "The heron deploy listens on port 7431.")
    told = {"session_id": "s1", "transcript_path": os.fspath(life.transcript), "cwd": os.fspath(life.place)}
    command = [sys.executable, "-m", "memdir", "hook", "stop", "--wait"]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, env=driver.environment({})) for _ in range(2)]
    for one in both:
        one.communicate(json.dumps(told).encode(), timeout=60)
    assert [one.returncode for one in both] == [0, 0]
    assert _sessions(life).count("heron deploy") == 1


def test_a_repository_sees_what_has_no_scope_and_nothing_of_another_one(life: Life) -> None:
    for scope, word in (("", "grebe"), ("shop", "heron"), ("other", "egret")):
        run = ["new", f"Port of {word}", "--body", f"The {word} deploy listens on port 7431.", "--scope", scope]
        assert life.run(*run, vault=life.root).code == 0
    told = life.told("UserPromptSubmit", prompt="Which port did we decide on for the deploy?")
    assert "The grebe deploy" in told
    assert "The heron deploy" in told
    assert "The egret deploy" not in told
    with (life.root / "memdir.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[scope]\ninherits = ['shop < other']\n")
    told = life.told("UserPromptSubmit", prompt="Which port did we decide on for the deploy?")
    assert "The grebe deploy" not in told
    assert "The egret deploy" in told


# --- what must not disturb a client ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (("stop",), "{"),
        (("stop",), ""),
        (("stop",), "[]"),
        (("stop",), '{"session_id": 3}'),
        (("stop", "--wait"), '{"session_id": "s", "transcript_path": "/nowhere/x.jsonl"}'),
        (("stop", "--wait"), '{"session_id": "s", "transcript_path": "/etc/passwd"}'),
        (("no-such-event",), "{}"),
        ((), "{}"),
        (("stop", "--no-such-option"), "{}"),
        (("stop", "more"), "{}"),
        (("stop", "--client", "other"), '{"session_id": "s"}'),
        (("session-start",), '{"cwd": 7}'),
        (("user-prompt-submit",), '{"prompt": ["x"]}'),
        (("user-prompt-submit",), '{"prompt": "", "cwd": "/no/such/folder"}'),
        (("user-prompt-submit", "--vault", "nowhere"), '{"prompt": "which port did we decide on?"}'),
        (("work",), "{}"),
    ],
)
def test_what_goes_wrong_says_nothing_and_ends_well(
    args: tuple[str, ...], stdin: str, vault: Callable[..., Path], run: Run
) -> None:
    vault()
    result = run("hook", *args, stdin=stdin)
    assert (result.code, result.err) == (0, "")
    if result.out:
        assert set(result.json) == {"hookSpecificOutput"}


def test_what_went_wrong_stands_in_the_log(vault: Callable[..., Path], run: Run, home: Path) -> None:
    vault()
    run("hook", "stop", stdin="{")
    run("hook", "nonsense", stdin="{}")
    said = _log(home).splitlines()
    assert "no JSON" in said[0]
    assert "nonsense" in said[1]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there the client ends a hook that is late")
def test_a_hook_that_takes_too_long_says_nothing(
    vault: Callable[..., Path], run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> str:
        try:
            time.sleep(60)
        except Exception:
            return "swallowed"
        return "late"

    vault()
    monkeypatch.setattr(events, "answer", slow)
    monkeypatch.setitem(events.EVENTS, "stop", ("Stop", 0.05))
    assert run("hook", "stop", stdin='{"session_id": "s"}') == Result(0, "", "")
    assert "not done within 0.05 s" in _log(home)


def test_who_waits_for_the_work_has_no_limit(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(events.EVENTS, "stop", ("Stop", 0.001))
    life.write("user", "The heron deploy listens on port 7431.")
    life.event("Stop")
    assert "heron deploy" in _sessions(life)


def test_only_registered_vaults_are_served(vault: Callable[..., Path], run: Run, home: Path) -> None:
    root = vault()
    run("new", "Heron deploy", "--body", "The heron deploy listens on port 7431.", vault=root)
    told = json.dumps({"session_id": "s", "prompt": "Which port did we decide on for the heron deploy?"})
    assert "7431" in run("hook", "user-prompt-submit", stdin=told).out
    assert "7431" in run("hook", "user-prompt-submit", "--vault", root, stdin=told).out
    assert run("vaults", "remove", root).code == 0
    assert run("hook", "user-prompt-submit", stdin=told).out == ""
    assert run("hook", "user-prompt-submit", "--vault", root, stdin=told).out == ""
    assert run("hook", "user-prompt-submit", stdin=told, MEMDIR_VAULT=os.fspath(root)).out == ""
    assert _log(home).count("NotFound") == 3


def test_a_hook_builds_no_index(vault: Callable[..., Path], run: Run, home: Path) -> None:
    root = vault()
    (root / "memory" / "project" / "heron.md").write_text("The heron deploy listens on port 7431.\n", "utf-8")
    told = json.dumps({"session_id": "s", "prompt": "Which port did we decide on for the heron deploy?"})
    assert run("hook", "user-prompt-submit", stdin=told).out == ""
    assert run("hook", "session-start", stdin=told).code == 0
    assert not [*(home / "cache").glob("memdir/*/gen-*")]
    assert run("sync", vault=root).code == 0
    assert "7431" in run("hook", "user-prompt-submit", stdin=told).out


def test_many_changed_files_are_not_waited_for(vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    run("new", "Heron deploy", "--body", "The heron deploy listens on port 7431.", vault=root)
    for number in range(events.QUICK + 5):
        (root / "memory" / "ref" / f"n{number}.md").write_text(f"The egret deploy has number {number}.\n", "utf-8")
    told = json.dumps({"session_id": "s", "prompt": "Which port did we decide on for the heron deploy?"})
    assert "7431" in run("hook", "user-prompt-submit", stdin=told).out
    assert "egret" not in run("hook", "user-prompt-submit", stdin=told.replace("heron", "egret")).out


@pytest.mark.parametrize("sign", ["heron deploy port ", "苍鹭部署端口", "\\u0000\U0001f426\ud83d"])
def test_an_enormous_prompt_is_answered_or_not_but_well(sign: str, life: Life) -> None:
    life.run("new", "Heron deploy", "--body", "The heron deploy listens on port 7431. 苍鹭部署", vault=life.root)
    life.told("UserPromptSubmit", prompt="Which port did we decide on for the heron deploy? " + sign * 200_000)


def test_what_is_too_long_is_cut_inside_its_marks() -> None:
    told = events.told("session-start", "claude-code", b"{}")
    for text in ('"quoted"\n' * 3_000, "苍鹭" * 9_000, "\U0001f426" * 9_000):
        shown = events.document(told, f"{injected.wrap(text, 'ab' * 8)}\n{injected.ASK}")
        assert len(shown.encode("utf-16-le")) // 2 <= events.MOST
        held = json.loads(shown)["hookSpecificOutput"][ADDED]
        assert "characters were left out" in held
        assert injected.strip(f"a{held}b") == "a\nb"
    assert len(shown.encode("utf-16-le")) // 2 > events.MOST - 200


def test_text_without_marks_gets_them() -> None:
    told = events.told("SessionStart", "codex", b"{}")
    held = json.loads(events.document(told, "plain"))["hookSpecificOutput"][ADDED]
    assert injected.strip(held) == ""
    assert events.document(told, " \n") == ""


def test_marks_are_those_that_what_is_shown_has() -> None:
    from memdir.recall import fenced

    nonce = os.urandom(fenced.SHORTEST)
    assert injected.marks(nonce.hex()) == fenced.marks(nonce)


# --- the plugin ------------------------------------------------------------------------------------------


def _plugin_commands() -> list[tuple[str, dict[str, Any]]]:
    held = json.loads((PROJECT / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    return [(name, run) for name, entries in held.items() for one in entries for run in one["hooks"]]


def test_the_plugin_names_every_event_and_the_script_that_is_there() -> None:
    plugin = json.loads((PROJECT / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    assert (plugin["name"], plugin["version"]) == ("memdir", driver.run("--version").out.split()[1])
    (server,) = plugin["mcpServers"].values()
    place, command = server["args"]
    assert (Path(place.replace("${CLAUDE_PLUGIN_ROOT}", os.fspath(PROJECT))) / "__main__.py").is_file()
    assert command in COMMANDS
    (listed,) = json.loads((PROJECT / ".claude-plugin" / "marketplace.json").read_text("utf-8"))["plugins"]
    assert (listed["name"], (PROJECT / listed["source"]).resolve()) == ("memdir", PROJECT)
    found = dict(_plugin_commands())
    assert {*found} == {name for name, _ in events.EVENTS.values()}
    for name, run in found.items():
        script, event = run["args"]
        assert events.EVENTS[event][0] == name
        assert Path(script.replace("${CLAUDE_PLUGIN_ROOT}", os.fspath(PROJECT))).is_file()


@pytest.mark.parametrize("extra", [[], ["-S"]], ids=["whole", "without libraries"])
def test_the_script_of_the_plugin_ends_well(extra: list[str], vault: Callable[..., Path], tmp_path: Path) -> None:
    vault()
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    script = PROJECT / "scripts" / "hook.py"
    assert 8 <= script.read_text("utf-8").count("\n") <= 15
    done = subprocess.run(
        [sys.executable, *extra, script, "session-start"],
        input=b'{"session_id": "s", "cwd": "/"}', cwd=tmp_path, env=env, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    if extra:
        assert done.stdout == b""
        assert b"memdir needs" in done.stderr
    else:
        assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
