"""Our entries in the settings of a client: put in, recognised, taken out; nothing else of the file changes."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver import Result, Run
from memdir.app.agents import hook_entries, hooks

OTHER = {"type": "command", "command": "say hook stop"}
FILES = {
    "empty": "",
    "object": "{}\n",
    "no hooks": '{\n  "model": "opus",\n  "list": [1.0,   2e3], "deep": {"a": {"b": []}}\n}',
    "tabs": '{\n\t"env": {"A": "苍鹭"},\n\t"z": null\n}\n',
    "crlf": '{\r\n    "model": "opus"\r\n}\r\n',
    "bom": '\ufeff{\n  "model": "opus"\n}\n',
    "one line": '{"a": 1, "b": "\\u00e9 \\" }"}',
    "other hooks": json.dumps({"a": 1, "hooks": {"Stop": [{"hooks": [OTHER]}], "PreToolUse": []}, "z": 2}, indent=4),
}


def call(run: Run, verb: str, path: Path, *more: str) -> Result:
    return run("hooks", verb, "--client", "claude-code", "--settings", path, *more)


def commands(held: dict[str, Any]) -> list[list[str]]:
    found = [run for entries in held["hooks"].values() for one in entries for run in one["hooks"]]
    return [[one["command"], *one["args"]] if "args" in one else shlex.split(one["command"]) for one in found]


@pytest.mark.parametrize("name", FILES)
def test_what_is_not_ours_stays_and_comes_back(name: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(FILES[name].encode())
    assert call(run, "install", path).code == 0
    whole = path.read_bytes()
    held = json.loads(whole.decode("utf-8-sig"))
    before = json.loads(FILES[name].lstrip("\ufeff") or "{}")
    assert {**held, "hooks": None} == {**before, "hooks": None}
    assert [key for key in held if key != "hooks"] == [key for key in before if key != "hooks"]
    assert {name for name, _ in hooks.EVENTS.values()} <= {*held["hooks"]}
    assert (b"\r\n" in whole) == ("\r\n" in FILES[name])
    assert call(run, "install", path).code == 0
    assert path.read_bytes() == whole
    assert call(run, "remove", path).code == 0
    left = path.read_bytes().decode()
    if name == "other hooks" or not FILES[name]:
        assert json.loads(left) == before
    elif name == "object":
        assert json.loads(left) == {}
    else:
        assert left == FILES[name]


def test_entries_of_others_below_the_same_event_stay(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(FILES["other hooks"], "utf-8")
    call(run, "install", path)
    held = json.loads(path.read_text("utf-8"))
    assert held["hooks"]["Stop"][0] == {"hooks": [OTHER]}
    assert len(held["hooks"]["Stop"]) == 2
    held["hooks"]["Stop"][1]["hooks"].append(OTHER)  # somebody has put theirs beside ours
    path.write_text(json.dumps(held), "utf-8")
    call(run, "remove", path)
    assert json.loads(path.read_text("utf-8"))["hooks"] == {
        "Stop": [{"hooks": [OTHER]}, {"hooks": [OTHER]}],
        "PreToolUse": [],
    }


def test_what_was_there_is_kept_beside_with_its_mode(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(FILES["no hooks"], "utf-8")
    path.chmod(0o640)
    done = call(run, "install", path, "--json").json
    assert Path(done["backup"]).read_text("utf-8") == FILES["no hooks"]
    assert Path(done["backup"]).parent == tmp_path
    assert path.stat().st_mode & 0o777 == 0o640
    assert call(run, "remove", path, "--json").json["backup"] != done["backup"]


def test_a_dry_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    shown = call(run, "install", path, "--dry-run")
    assert json.loads(shown.out)["hooks"].keys() == {name for name, _ in hooks.EVENTS.values()}
    assert [*tmp_path.iterdir()] == []
    call(run, "install", path)
    before = path.read_bytes()
    call(run, "remove", path, "--dry-run")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "// a comment\n{}",
        '{"a": 1, "a": 2}',
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"a": NaN}',
        "{}x",
    ],
)
def test_what_cannot_be_understood_is_refused(text: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, "utf-8")
    for verb in ("install", "remove", "status"):
        assert call(run, verb, path).code == 5, verb
    assert path.read_text("utf-8") == text
    assert [*tmp_path.iterdir()] == [path]


def test_a_link_is_not_followed(run: Run, tmp_path: Path, home: Path) -> None:
    target = tmp_path / "target.json"
    target.write_text("{}", "utf-8")
    path = tmp_path / "settings.json"
    path.symlink_to(target)
    assert call(run, "install", path).code == 5
    (tmp_path / "elsewhere").mkdir()
    (home / ".claude").symlink_to(tmp_path / "elsewhere")
    assert run("hooks", "install", "--client", "claude-code").code == 5
    assert target.read_text("utf-8") == "{}"
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_each_client_has_a_file_of_its_own(run: Run, home: Path, tmp_path: Path) -> None:
    assert run("hooks", "install", "--client", "claude-code").code == 0
    done = run("hooks", "install", "--client", "codex")
    assert "/hooks" in done.err
    assert (home / ".claude" / "settings.json").is_file()
    assert (home / ".codex" / "hooks.json").is_file()
    assert run("hooks", "install", "--client", "codex", CODEX_HOME=os.fspath(tmp_path)).code == 0
    assert (tmp_path / "hooks.json").is_file()
    assert "does not call" in run("hooks", "status", "--client", "codex", CODEX_HOME="/nowhere").out
    both = run("hooks", "status", CODEX_HOME="/nowhere", CLAUDE_CONFIG_DIR="/nowhere")
    assert both.out.count("does not call memdir") == 2
    assert run("hooks", "status", "--settings", "x.json").code != 0


def test_what_is_called_are_whole_paths_and_it_runs(vault: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    """Also where a path holds a space; Codex hands the line to a shell."""
    root = vault(name="my vault")
    for client in hooks.CLIENTS:
        path = tmp_path / f"{client}.json"
        run("hooks", "install", "--client", client, "--settings", path, vault=root)
        assert run("hooks", "status", "--client", client, "--settings", path, "--json").json["old"] == []
        held = json.loads(path.read_text("utf-8"))
        for words in commands(held):
            assert os.path.isabs(words[0])
            assert os.path.isabs(words[1])
            assert words[2:4] == ["--vault", os.fspath(root)]
        one = held["hooks"]["SessionStart"][0]["hooks"][0]
        shell = "args" not in one
        called = one["command"] if shell else [one["command"], *one["args"]]
        done = subprocess.run(called, shell=shell, input=b'{"session_id": "s"}', capture_output=True, cwd=tmp_path)
        assert done.returncode == 0
        assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_a_vault_that_is_not_registered_is_not_installed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    assert run("hooks", "install", "--client", "codex", "--settings", path, vault=tmp_path).code == 3
    assert not path.exists()


def test_status_tells_entries_of_another_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    call(run, "install", path)
    assert call(run, "status", path, "--json").json["old"] == []
    path.write_text(path.read_text("utf-8").replace('"timeout": 15', '"timeout": 16'), "utf-8")
    assert sorted(call(run, "status", path, "--json").json["old"]) == ["PreCompact", "Stop"]
    assert call(run, "install", path, "--json").json["verb"] == "replace"
    assert call(run, "status", path, "--json").json["old"] == []


@pytest.mark.parametrize(
    ("command", "args", "ours"),
    [
        ("/usr/bin/python3", ["/x/site-packages/memdir", "hook", "stop", "--client", "codex"], True),
        ("/home/a/.local/bin/memdir hook stop", None, True),
        ("'/home/a b/bin/memdir' --vault '/v w' hook session-end", None, True),
        ("python3 -m memdir hook stop", None, True),
        ("python3", ["/x/memdir/scripts/hook.py", "stop"], True),
        ("python3 /x/other/hook.py stop", None, False),
        ("memdir hook no-such-event", None, False),
        ("memdir recall hook stop", None, False),
        ("mymemdir hook stop", None, False),
        ("broken 'quote memdir hook stop", None, False),
    ],
)
def test_ours_are_told_from_those_of_others(command: str, args: list[str] | None, ours: bool) -> None:
    assert hook_entries.is_ours({"command": command} | ({"args": args} if args else {})) is ours


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text().filter(lambda key: key != "hooks"), _json, max_size=4), st.sampled_from([None, 2, "\t"])
)
def test_any_other_settings_come_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, held: dict[str, Any], indent: int | str | None
) -> None:
    place = tmp_path_factory.mktemp("any")
    path = place / "settings.json"
    before = json.dumps(held, indent=indent).encode()
    path.write_bytes(before)
    now = datetime(2026, 11, 27)
    hook_entries.install("claude-code", path, "", now)
    assert {key: one for key, one in json.loads(path.read_bytes()).items() if key != "hooks"} == held
    hook_entries.remove("claude-code", path, now)
    assert path.read_bytes() == before or not held
    shutil.rmtree(place)
