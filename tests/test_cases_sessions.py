"""The cases of logs and days where conversations come in by hooks: LOG-01, LOG-02, TIME-01, TIME-02.

What `test_cases_files` and `_model` hold of `memdir log` must hold of what an agent says, too.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from driver import Run, Tree, environment
from memdir.app.memory import Memory

CASES = Path(__file__).parent / "cases"
DAY = "2026-05-09"


class Talk:
    """A conversation of Claude Code that grows by one exchange at a time and calls the hook after each."""

    def __init__(self, run: Run, place: Path, id_: str = "talk") -> None:
        self.run, self.place, self.id, self.count = run, place, id_, 0

    def say(self, text: str, at: str, *, call: bool = True, **env: str) -> None:
        for kind, said in (("user", text), ("assistant", "Noted.")):
            self.count += 1
            line = {"type": kind, "uuid": f"{self.id}-{self.count}", "sessionId": self.id, "timestamp": at}
            self._write(line | {"message": {"role": kind, "content": said}})
        if call:
            assert self.event("Stop", at, last_assistant_message="Noted.", **env) == ""

    def _write(self, line: dict[str, Any]) -> None:
        with (self.place / f"{self.id}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def told(self, name: str) -> dict[str, str]:
        path = os.fspath(self.place / f"{self.id}.jsonl")
        return {"session_id": self.id, "transcript_path": path, "cwd": os.fspath(self.place), "hook_event_name": name}

    def event(self, name: str, at: str, **more: str) -> str:
        env = {key: value for key, value in more.items() if key.isupper()}
        told = self.told(name) | {key: value for key, value in more.items() if not key.isupper()}
        wait = ["--wait"] if name != "SessionStart" else []
        done = self.run("hook", name, *wait, stdin=json.dumps(told), MEMDIR_NOW=at, **env)
        assert (done.code, done.err) == (0, "")
        return done.out


def sessions(root: Path) -> list[Path]:
    return sorted((root / "memory" / "sessions").rglob("*.md"))


def test_log_01_a_conversation_only_grows(run: Run, vault: Callable[..., Path], tree: Tree, tmp_path: Path) -> None:
    root = vault()
    log = root / f"memory/logs/2026/05/{DAY}.md"
    log.parent.mkdir(parents=True)
    log.write_bytes((CASES / "LOG-01" / f"{DAY}.md").read_bytes())
    run("sync", vault=root)
    talk = Talk(run, tmp_path)
    talk.say("The pump filter was fitted.", f"{DAY}T12:00:00Z")
    (path,) = sessions(root)
    held, logged = path.read_bytes(), log.read_bytes()
    for text in ("The receipt is in the folder.", "Ana has the key."):
        talk.say(text, f"{DAY}T12:05:00Z")
        assert path.read_bytes().startswith(held)  # LOG-01 (1)
        assert log.read_bytes().startswith(logged)
        held, logged = path.read_bytes(), log.read_bytes()
    name = path.relative_to(root).as_posix()
    base = run("read", name, "--json", vault=root).json["digest"]
    for command in (
        ["edit", name, "--replace", "--text", "all new", "--base", base],
        ["edit", name, "--append", "--text", "more"],
        ["set", name, "status=done"],
    ):
        refused = run(*command, vault=root)
        assert (refused.code, path.read_bytes()) == (5, held), command
        assert "never rewritten" in refused.err  # LOG-01 (2)
    before = {one: mark for one, mark in tree(root / "memory").items() if one.startswith(("sessions/", "logs/"))}
    assert run("distill", "--no-model", vault=root, MEMDIR_NOW="2026-05-10T02:15:00Z").code == 0
    after = tree(root / "memory")
    assert {one: after.get(one) for one in before} == before  # LOG-01 (3)


def test_log_02_two_hooks_at_once_lose_no_turn(run: Run, vault: Callable[..., Path], tmp_path: Path) -> None:
    """Two conversations, each taken in by processes of its own while the other's are at work."""
    root = vault()
    talks = [Talk(run, tmp_path, f"talk-{agent}") for agent in "AB"]
    for _ in range(3):
        for talk in talks:
            for _ in range(20):
                talk.say(f"MARK-{talk.id[-1]}-{talk.count // 2:03}", f"{DAY}T12:00:00Z", call=False)
        at_work = [
            subprocess.Popen(
                [sys.executable, "-m", "memdir", "hook", "stop", "--wait"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment({"MEMDIR_NOW": f"{DAY}T12:10:00Z"}),
            )
            for _ in talks
        ]  # fmt: skip
        for talk, one in zip(talks, at_work, strict=True):
            assert one.stdin
            one.stdin.write(json.dumps(talk.told("Stop")).encode())
            one.stdin.close()
        for one in at_work:
            assert one.stdout
            assert one.stderr
            assert (one.wait(60), one.stdout.read(), one.stderr.read()) == (0, b"", b"")
            one.stdout.close()
            one.stderr.close()
    lines = [line for path in sessions(root) for line in path.read_text("utf-8").split("\n") if "MARK" in line]
    expected = [f"> MARK-{agent}-{n:03}" for agent in "AB" for n in range(60)]
    assert sorted(lines) == expected  # LOG-02 (1)
    listed = run("sessions", "list", "--json", vault=root).json["sessions"]
    assert [one["turns"] for one in listed] == [120, 120]  # LOG-02 (2)
    assert not (Path(os.environ["XDG_CACHE_HOME"]) / "memdir" / "hooks.log").exists()


def _rows() -> list[dict[str, str]]:
    with (CASES / "TIME-01/cases.csv").open(encoding="utf-8", newline="") as held:
        return list(csv.DictReader(held))


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["tz"])
def test_time_01_the_day_of_a_session_is_that_of_the_zone(
    row: dict[str, str], run: Run, vault: Callable[..., Path], tmp_path: Path
) -> None:
    root = vault()
    zone, day = {"MEMDIR_TIMEZONE": row["tz"]}, row["expect_date"]
    talk = Talk(run, tmp_path)
    talk.event("SessionStart", row["utc"], source="startup", **zone)
    log = f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"
    assert [path.relative_to(root).as_posix() for path in root.glob("memory/logs/**/*.md")] == [log]  # TIME-01 (1)
    talk.say("The valve of the boiler was opened.", row["utc"], **zone)
    assert run("log", "Valve opened", vault=root, MEMDIR_NOW=row["utc"], **zone).code == 0
    assert f"## {row['expect_local']} " in (root / log).read_text("utf-8")  # TIME-01 (2)
    clock = {"MEMDIR_NOW": row["utc"], **zone}
    kinds = {
        one["kind"] for one in run("recall", "valve", "--since", day, "--json", vault=root, **clock).json["evidence"]
    }
    assert kinds == {"log", "turn"}  # TIME-01 (3)
    later = f"{datetime.fromisoformat(day) + timedelta(days=1):%Y-%m-%d}"
    assert run("recall", "valve", "--since", later, vault=root, **clock).code == 3


def test_time_02_a_conversation_goes_on_past_midnight(vault: Callable[..., Path]) -> None:
    """One `Memory` that stays open: the start of a session makes the log of the day it is, a conversation stays one."""
    root = vault()
    zone = ZoneInfo("Asia/Seoul")
    now = datetime(2026, 3, 2, 23, 58, tzinfo=zone)

    def turns(*said: tuple[str, datetime]) -> io.BytesIO:
        lines = [{"session_id": "s", "speaker": "user", "text": text, "ts": at.isoformat()} for text, at in said]
        return io.BytesIO("\n".join(map(json.dumps, lines)).encode())

    with Memory(root, now=lambda: now, options={"timezone": "Asia/Seoul"}) as opened:
        opened.start()
        a = ("a", now)
        opened.ingest(turns(a), source="chat")
        opened.log("a")
        planned = ("c", datetime(2026, 3, 2, 23, 59, tzinfo=zone))
        now = datetime(2026, 3, 3, 0, 1, tzinfo=zone)
        opened.ingest(turns(a, planned), source="chat")
        opened.log("c")
        now += timedelta(minutes=2)
        opened.start()
        opened.ingest(turns(a, planned, ("b", now)), source="chat")
        opened.log("b")
    first, second = ((root / f"memory/logs/2026/03/2026-03-{day:02}.md").read_text("utf-8") for day in (2, 3))
    titles = [re.findall(r"^## \d\d:\d\d \+09:00 - (.)$", text, re.MULTILINE) for text in (first, second)]
    assert titles == [["a"], ["c", "b"]]  # TIME-02 (1)
    assert (first.count("# 2026-03-02\n"), second.count("# 2026-03-03\n")) == (1, 1)  # TIME-02 (2)
    (path,) = sessions(root)
    assert re.findall(r"^> (.)$", path.read_text("utf-8"), re.MULTILINE) == ["a", "c", "b"]
