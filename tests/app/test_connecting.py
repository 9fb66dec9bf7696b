"""memdir in the configuration of its clients: put in, told, taken out; nothing else of a file changes."""

import json
import os
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import skills_ref
from hypothesis import given
from hypothesis import strategies as st

from driver import Result, Run, Tree
from memdir.app.agents import clients, hooks, jsonc, tomlines
from memdir.errors import BadData

JSON = {
    "empty object": "{}\n",
    "comments": '// mine\n{\n  // a theme\n  "theme": "dark", // very\n  "list": [1.0, 2e3,], /* end */\n}\n',
    "comment last": '{\n  "theme": "dark" // very\n}\n',
    "another server": '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"} // theirs\n\t},\n\t"z": null\n}',
    "one line": '{"a": 1, "mcpServers": {"other": {}}}',
    "crlf": '{\r\n    "theme": "暗",\r\n    "mcpServers": {\r\n        "other": {}\r\n    }\r\n}\r\n',
    "json5": "{\n  theme: 'it\\'s \"dark\"', n: +.5, m: Infinity,\n}\n",
    "bom": '\ufeff{\n  "theme": "dark"\n}\n',
}
TOML = {
    "empty": "",
    "comments": '# mine\nmodel = "o5" # big\n\n[mcp_servers.other]\ncommand = "x"\n\n# of tools\n[tools]\n',
    "no end of line": 'model = "o5"',
    "a text with a head in it": 'note = """\n[mcp_servers.memdir]\n"""\n[[profiles]]\nname = "a"\n',
    "crlf": 'model = "o5"\r\n\r\n[tools]\r\nweb = [\r\n  "a",\r\n  ["b"],\r\n]\r\n',
}
FILES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "openclaw": ".openclaw/openclaw.json",
}


@pytest.fixture
def place(home: Path, vault: Callable[..., Path]) -> Path:
    """The home of a user who has a vault."""
    vault()
    return home


def connect(run: Run, *more: object) -> Result:
    return run("connect", *more)


def verbs(result: Result) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in result.json["parts"]:
        found.setdefault(one["what"], set()).add(one["verb"])
    return found


def server(held: Any, *path: str) -> list[str]:
    for key in path:
        held = held[key]
    return [held["command"], *held["args"]]


@pytest.mark.parametrize("client", clients.known({}))
def test_a_client_is_connected_told_and_disconnected(
    client: str, place: Path, run: Run, tree: Tree, tmp_path: Path
) -> None:
    before = tree(place)
    shown = connect(run, client, "--dry-run")
    assert (shown.code, tree(place)) == (0, before)
    first = connect(run, client, "--json")
    assert first.code == 0
    assert set.union(*verbs(first).values()) == {"install"}
    whole = tree(place)
    assert set.union(*verbs(connect(run, client, "--json")).values()) == {"keep"}
    assert tree(place) == whole
    told = next(one for one in connect(run, "--json").json["clients"] if one["client"] == client)
    assert {one["verb"] for one in told["parts"]} == {"connected"}
    assert set.union(*verbs(connect(run, client, "--remove", "--json")).values()) == {"remove"}
    left = [path for path in place.rglob("*") if path.is_file() and not path.name.endswith(".bak")]
    left = [path for path in left if not path.is_relative_to(place / "cache") and "memdir" not in path.parts]
    assert {path.read_text("utf-8").strip() for path in left} <= {"", "{}"}
    assert {one["verb"] for one in connect(run, client, "--remove", "--json").json["parts"]} == {"none"}


def test_what_is_called_names_the_vault_and_runs(place: Path, run: Run, tmp_path: Path) -> None:
    connect(run, "claude-code")
    connect(run, "codex")
    ours = server(json.loads((place / ".claude.json").read_text("utf-8")), "mcpServers", "memdir")
    assert ours == server(tomllib.loads((place / ".codex" / "config.toml").read_text("utf-8")), "mcp_servers", "memdir")
    assert ours[-1] == "mcp"
    assert ours[2:4] == ["--vault", os.fspath(tmp_path / "vault")]
    done = subprocess.run([*ours[:-1], "list", "--json"], cwd=place, capture_output=True)
    assert [one["path"] for one in json.loads(done.stdout)["notes"]] == ["MEMORY.md"]
    assert "UserPromptSubmit" in (place / ".claude" / "settings.json").read_text("utf-8")
    assert "UserPromptSubmit" in (place / ".codex" / "hooks.json").read_text("utf-8")


@pytest.mark.parametrize("text", JSON.values(), ids=JSON)
def test_the_rest_of_a_json_file_stays_byte_for_byte(text: str, place: Path, run: Run) -> None:
    path = place / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    assert connect(run, "gemini").code == 0
    whole = path.read_bytes().decode()
    held = jsonc.load(whole)
    assert server(held, "mcpServers", "memdir")[-1] == "mcp"
    assert [*held] == [*dict.fromkeys([*jsonc.load(text), "mcpServers"])]
    assert ("\r\n" in whole) == ("\r\n" in text)
    assert whole.replace("\r\n", "").count("\n") == (0 if "\r\n" in text else whole.count("\n"))
    assert connect(run, "gemini", "--remove").code == 0
    assert path.read_bytes().decode() == text or text == "{}\n"


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_the_rest_of_a_toml_file_stays_byte_for_byte(text: str, place: Path, run: Run) -> None:
    path = place / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    assert connect(run, "codex").code == 0
    whole = path.read_bytes().decode()
    assert whole.startswith(text)
    assert server(tomllib.loads(whole), "mcp_servers", "memdir")[-1] == "mcp"
    assert connect(run, "codex", "--remove").code == 0
    assert path.read_bytes().decode().rstrip("\r\n") == text.rstrip("\r\n")


def test_what_the_user_added_to_our_entry_stays_when_it_is_put_in_anew(place: Path, run: Run) -> None:
    toml, settings = place / ".codex" / "config.toml", place / ".cursor" / "mcp.json"
    toml.parent.mkdir()
    settings.parent.mkdir()
    old = 'command = "/old/python"\nargs = [\n  "/old/memdir",\n  "mcp",\n]\n'
    toml.write_text(f'[mcp_servers.memdir]\n# slow\nstartup_timeout_sec = 40\n{old}[mcp_servers.memdir.env]\nA = "b"\n')
    settings.write_text(
        '{"mcpServers": {"memdir": {"command": "/old", "args": ["mcp"], /* mine */ "env": {"A": "b"}}}}'
    )
    for client in ("codex", "cursor"):
        assert verbs(connect(run, client, "--json"))["mcp"] == {"replace"}
    held = tomllib.loads(toml.read_text("utf-8"))["mcp_servers"]["memdir"]
    assert (held["startup_timeout_sec"], held["env"], held["args"][-1]) == (40, {"A": "b"}, "mcp")
    assert "# slow" in toml.read_text("utf-8")
    assert "/old" not in toml.read_text("utf-8") + settings.read_text("utf-8")
    assert '/* mine */ "env": {"A": "b"}' in settings.read_text("utf-8")
    connect(run, "codex", "--remove")
    assert "mcp_servers" not in toml.read_text("utf-8")


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("gemini", '{"a": 1'),
        ("gemini", "[]"),
        ("gemini", '{"a": 1, "a": 2}'),
        ("gemini", '{"mcpServers": []}'),
        ("gemini", '{"mcpServers": {"memdir": 3}}'),
        ("gemini", "{" * 5_000),
        ("openclaw", '{"mcp": "$include"}'),
        ("codex", "model = "),
        ("codex", "mcp_servers = 3"),
        ("codex", 'mcp_servers = { memdir = { command = "x", args = [] } }'),
    ],
)
def test_what_cannot_be_edited_is_left_alone_and_the_rest_is_done(
    client: str, text: str, place: Path, run: Run
) -> None:
    path = place / FILES[client]
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    done = connect(run, client, "--json")
    assert done.code == 5
    held = {one["what"]: one for one in done.json["parts"]}
    assert os.fspath(path) in held["mcp"]["problem"]
    assert held["instructions"]["verb"] == "install"
    assert path.read_text("utf-8") == text
    said = connect(run, client)
    assert (said.code, "nothing was changed" in said.err) == (5, True)
    assert connect(run).code == 0
    assert [*path.parent.glob("*.bak")] == []


def test_a_link_is_not_written_through(place: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}", "utf-8")
    (place / ".cursor").mkdir()
    (place / ".cursor" / "mcp.json").symlink_to(tmp_path / "real.json")
    assert connect(run, "cursor").code == 5
    assert connect(run, "cursor", "--settings", tmp_path / "real.json").code == 0
    assert "memdir" in (tmp_path / "real.json").read_text("utf-8")


def test_a_file_of_a_project_may_be_named(place: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    assert verbs(connect(run, "claude-code", "--settings", path, "--json")) == {"mcp": {"install"}}
    assert server(json.loads(path.read_text("utf-8")), "mcpServers", "memdir")[-1] == "mcp"
    assert not (place / ".claude.json").exists()
    connect(run, "claude-code", "--settings", path, "--remove")
    assert jsonc.load(path.read_text("utf-8")) == {}


def test_print_shows_what_to_paste_and_touches_nothing(place: Path, run: Run, tree: Tree) -> None:
    before = tree(place)
    shown = connect(run, "codex", "--print")
    assert "[mcp_servers.memdir]" in shown.out
    assert clients.OPENED in shown.out
    parts = {one["what"]: one["paste"] for one in connect(run, "claude-code", "--print", "--json").json["parts"]}
    assert server(json.loads(parts["mcp"]), "mcpServers", "memdir")[-1] == "mcp"
    assert {*json.loads(parts["hooks"])["hooks"]} == {name for name, _ in hooks.EVENTS.values()}
    assert tree(place) == before


def test_the_skill_is_a_valid_one_and_says_how_memdir_is_called(place: Path, run: Run) -> None:
    connect(run, "cursor")
    folder = place / ".cursor" / "skills" / "memdir"
    assert skills_ref.validate(folder) == []
    page = (folder / "SKILL.md").read_text("utf-8")
    assert clients.MARK in page
    assert "SKILL/scripts" not in page
    called = page.partition("run `")[2].partition("`")[0]
    assert subprocess.run([*shlex.split(called), "--version"], capture_output=True).returncode == 0
    (folder / "references" / "mine.md").write_text("mine", "utf-8")
    assert connect(run, "cursor", "--remove").code == 0
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["mine.md"]


def test_a_skill_of_somebody_else_is_left_alone(place: Path, run: Run) -> None:
    folder = place / ".cursor" / "skills" / "memdir"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: memdir\n---\nMine.\n", "utf-8")
    assert connect(run, "cursor").code == 5
    assert connect(run, "cursor", "--remove").code == 5
    assert [path.name for path in folder.rglob("*")] == ["SKILL.md"]


def test_a_checkout_among_the_skills_brings_its_own_hooks(place: Path, run: Run) -> None:
    (place / ".claude" / "skills" / "memdir" / ".claude-plugin").mkdir(parents=True)
    (place / ".claude" / "skills" / "memdir" / ".claude-plugin" / "plugin.json").write_text("{}", "utf-8")
    assert verbs(connect(run, "claude-code", "--json")) == {"skill": {"plugin"}}
    assert not (place / ".claude" / "settings.json").exists()
    assert not (place / ".claude.json").exists()


def test_claudes_own_memory_is_never_pointed_at_the_vault(place: Path, run: Run, tmp_path: Path) -> None:
    connect(run, "claude-code")
    settings = place / ".claude" / "settings.json"
    assert "autoMemory" not in settings.read_text("utf-8")
    held = json.loads(settings.read_text("utf-8"))
    for where, told in ((tmp_path / "vault" / "memory", True), (place / "elsewhere", False)):
        settings.write_text(json.dumps(held | {"autoMemoryDirectory": os.fspath(where)}), "utf-8")
        said = connect(run, "claude-code")
        assert said.code == 0
        assert ("points into the vault" in said.err) is told


def test_lines_of_instructions_stand_between_marks_and_leave_the_page_as_it_was(place: Path, run: Run) -> None:
    page = place / ".gemini" / "GEMINI.md"
    page.parent.mkdir()
    for text in ("# Mine\n\nShort answers.\n", "no end", "", "a\r\nb\r\n"):
        page.write_bytes(text.encode())
        connect(run, "gemini")
        whole = page.read_bytes().decode()
        assert whole.startswith(text)
        page.write_bytes(whole.replace("session begins", "day ends").encode())
        assert verbs(connect(run, "gemini", "--json"))["instructions"] == {"replace"}
        assert page.read_bytes().decode() == whole
        connect(run, "gemini", "--remove")
        assert page.read_bytes().decode().rstrip("\n") == text.rstrip("\n")


def test_the_hooks_of_openclaw_are_lines_of_its_workspace(place: Path, run: Run) -> None:
    done = run("hooks", "install", "--client", "openclaw")
    assert done.code == 0
    space = place / ".openclaw" / "workspace"
    assert "memdir gate" in (space / "AGENTS.md").read_text("utf-8")
    assert "memdir heartbeat" in (space / "HEARTBEAT.md").read_text("utf-8")
    assert not (place / ".openclaw" / "openclaw.json").exists()
    told = run("hooks", "status", "--client", "openclaw")
    assert told.out.count(": connected") == 2
    assert run("hooks", "install", "--client", "openclaw", "--settings", "x.json").code == 2
    assert run("hooks", "remove", "--client", "openclaw").code == 0
    assert (space / "AGENTS.md").read_text("utf-8") == ""


def test_without_a_vault_there_is_nothing_to_connect(home: Path, run: Run) -> None:
    assert connect(run, "cursor").code == 3
    assert connect(run).code == 0
    assert not (home / ".cursor").exists()


_names = st.text(st.characters(blacklist_categories=["Cs"]), max_size=6)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(_names, _json, max_size=4), st.sampled_from([None, 2, "\t"]), st.booleans())
def test_any_json_comes_back_byte_for_byte(held: dict[str, Any], indent: int | str | None, is_ascii: bool) -> None:
    text = json.dumps(held, indent=indent, ensure_ascii=is_ascii)
    there = isinstance(held.get("s"), dict)
    if "s" in held and not there:
        with pytest.raises(BadData):
            jsonc.put(text, ("s", "memdir"), {"command": "x"})
        return
    whole = jsonc.put(text, ("s", "memdir"), {"command": "x", "args": ["a"]})
    assert json.loads(whole) == held | {"s": {**held.get("s", {}), "memdir": {"command": "x", "args": ["a"]}}}
    assert jsonc.put(whole, ("s", "memdir"), {"args": ["a"]}) == whole
    if held.get("s", {"x": 1}) and "memdir" not in held.get("s", {}) and held:
        assert jsonc.drop(whole, ("s", "memdir")) == text


@given(st.text(max_size=40))
def test_whatever_a_file_holds_it_is_edited_well_or_refused(text: str) -> None:
    for edit, path in ((jsonc, ("s", "memdir")), (tomlines, ("s", "memdir"))):
        try:
            whole = edit.put(text, path, {"command": "x"})
        except BadData:
            continue
        assert edit.load(whole)["s"]["memdir"]["command"] == "x"
        assert "memdir" not in edit.load(edit.drop(whole, path)).get("s", {})
