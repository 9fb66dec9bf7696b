"""The documents say what the program does: commands, settings, exit codes, links, the skill, the README's tour."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
import skills_ref

import driver
from memdir import __version__, config, errors, settings_table
from memdir.interfaces import reference
from memdir.interfaces.cli.main import COMMANDS, cli
from memdir.vault import fields, note

PROJECT = Path(__file__).resolve().parents[1]
REFERENCES = PROJECT / "references"
DOCUMENTS = [PROJECT / name for name in ("README.md", "SKILL.md", "CHANGELOG.md", "MEMORY.md")] + sorted(
    [*REFERENCES.glob("*.md"), *PROJECT.glob("memory/**/*.md")]
)
WRAPPERS = {
    "init_memory.py": "init",
    "memory_sync.py": "sync",
    "distill.py": "distill",
    "scan_workspace.py": "scan",
    "heartbeat.py": "heartbeat",
    "archive.py": "archive",
}
# What each prints at least.
SAYS = {"init": "vault", "sync": '"report"', "distill": '"learned"', "scan": '"looks"', "heartbeat": '"done"'}
SAYS["archive"] = '"notes"'
UNIX = pytest.mark.skipif(shutil.which("bash") is None, reason="the tour is typed into bash")


def text(name: str) -> str:
    return (PROJECT / name).read_text("utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, groups and what is in them."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in command.commands.items())


def codes() -> set[int]:
    return {errors.MemdirError.exit_code} | {kind.exit_code for kind in reference.exceptions()}


# --- generated pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["cli", "settings"])
def test_generated_page_is_up_to_date(page: str) -> None:
    made = {"cli": reference.cli_markdown, "settings": reference.settings_markdown}[page]()
    assert text(f"references/{page}.md") == made, "run `python -m memdir.interfaces.reference`"


def test_every_command_and_option_is_documented() -> None:
    page = text("references/cli.md")
    readme = text("README.md")
    for name, command in commands():
        assert f"# memdir {name}\n" in page, name
        assert command.help, name
        assert f"`{name.split()[0]}`" in readme, name
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.name == "vault" or f"`{option.opts[0]}" in page, (name, option.name)


def test_every_command_stands_in_the_changelog() -> None:
    said = set(re.findall(r"`(?:memdir )?([a-z-]+)\b[^`]*`", text("CHANGELOG.md")))
    assert set(COMMANDS) <= said


def test_every_setting_is_documented() -> None:
    page = text("references/settings.md")
    for setting in settings_table.TABLE:
        assert f"| `{setting.name}` |" in page
        assert setting.about.endswith("."), setting.name
    assert page.count("| name |") == page.count("\n|---") == 1
    user_only = {one.name for one in settings_table.TABLE if not one.vault}
    assert set(re.findall(r"^\| `([^`]+)` .*\| user only \|", page, re.MULTILINE)) == user_only


def test_every_exit_code_is_documented() -> None:
    for name in ("README.md", "references/cli.md"):
        table = {int(code) for code in re.findall(r"^\| (\d+) \| \S", text(name), re.MULTILINE)}
        assert table == codes() | {0, 130}, name


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_settings_that_a_document_shows_are_read(page: Path, tmp_path: Path) -> None:
    for block in re.findall(r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        (tmp_path / config.VAULT_FILE).write_text(block, "utf-8")
        assert tomllib.loads(block)
        config.load(tmp_path, {"XDG_CONFIG_HOME": os.fspath(tmp_path)})


# --- text ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_relative_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^()\s]+)\)", prose):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = unquote(target).partition("#")
            place = page.parent / path if path else page
            assert place.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in _anchors(place), f"{page.name}: {target}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_text_is_plain_utf8_with_line_feeds(page: Path) -> None:
    data = page.read_bytes()
    assert data.decode("utf-8")
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"\n")


def test_every_reference_is_linked() -> None:
    """No page that nobody finds: each is named in README, SKILL or another reference."""
    said = "".join(page.read_text("utf-8") for page in DOCUMENTS)
    for page in REFERENCES.glob("*.md"):
        assert re.search(rf"\]\((?:references/)?{re.escape(page.name)}\)", said), page.name


# --- the skill -------------------------------------------------------------------------------------------


def test_skill_is_valid(tmp_path: Path) -> None:
    link = tmp_path / "memdir"
    link.symlink_to(PROJECT, target_is_directory=True)
    assert skills_ref.validate(link) == []
    read = skills_ref.read_properties(link)
    assert read.name == "memdir"
    assert len(read.description) <= 1024
    assert not set("<>") & set(read.description)
    assert set(read.metadata) == {"version"}


def test_skill_carries_the_version_of_the_package() -> None:
    assert f'version: "{__version__}"' in text("SKILL.md")


def test_skill_is_short_and_names_the_start_order() -> None:
    skill = text("SKILL.md")
    assert skill.count("\n") < 200
    places = [
        skill.index(f"{number}. {word}") for number, word in enumerate(["`SOUL.md`", "`USER.md`", "`MEMORY.md`"], 1)
    ]
    places += [
        skill.index(word) for word in ("4. Today's log", "5. Yesterday's log", "6. `memory/heartbeat-state.json`")
    ]
    assert places == sorted(places)
    assert skill.index("## Recall before you answer") > places[-1]
    assert "TOOLS.md" in skill
    assert "!`" not in skill  # some clients would execute it


def test_commands_of_the_skill_exist() -> None:
    known = dict(commands())
    for line in re.findall(r"(?:^|`|\| )memdir ([a-z][^`\n]*)", text("SKILL.md"), re.MULTILINE):
        name = next((two for two in [" ".join(line.split()[:2])] if two in known), line.split()[0])
        assert name in known, line
        options = {spelling for option in known[name].params for spelling in option.opts} | {"--vault", "--help"}
        assert set(re.findall(r"(?<= )--[a-z-]+", line.split("#")[0])) <= options, line


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrapper_is_short_and_does_what_the_command_does(name: str, tmp_path: Path, home: Path) -> None:
    script = PROJECT / "scripts" / name
    assert 8 <= script.read_text("utf-8").count("\n") <= 15
    root = tmp_path / "notes"
    assert driver.program("init", os.fspath(root)).code == 0
    argument = {"init": [os.fspath(root)], "scan": [os.fspath(tmp_path), "--json"]}.get(WRAPPERS[name], ["--json"])
    done = _script(script, *argument, cwd=home, MEMDIR_VAULT=os.fspath(root))
    assert done.returncode == 0, done.stderr
    assert SAYS[WRAPPERS[name]] in done.stdout


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrapper_says_in_one_line_how_to_install(name: str, tmp_path: Path) -> None:
    """`-S` leaves out site-packages, so that what memdir needs is missing."""
    done = _script("-S", PROJECT / "scripts" / name, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"memdir needs \w+; install it with: .+ -m pip install .+\n", done.stderr), done.stderr


def _script(*words: str | Path, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | extra
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False
    )


# --- the tour --------------------------------------------------------------------------------------------


@UNIX
def test_readme_tour_runs_and_prints_what_it_says(unpacked: Path) -> None:
    shown = list(_shown(reference.tour(text("README.md"))))
    assert len(shown) > 10
    results = list(reference.run_tour([command for command, _ in shown], unpacked))
    for (command, printed), (code, output) in zip(shown, results, strict=True):
        expected = re.search(r"# exit code (\d+)$", command)
        assert code == (int(expected[1]) if expected else 0), f"{command}\n{output}"
        assert _masked(output) == _masked(printed), f"{command}: run `python -m memdir.interfaces.reference --tour`"


@UNIX
def test_readme_session_runs_and_prints_what_it_says(unpacked: Path) -> None:
    pytest.importorskip("mcp", reason="MCP is an extra: pip install 'memdir[mcp]'")
    shown = list(_shown(reference.tour(text("README.md"), "session")))
    results = list(reference.run_tour([command for command, _ in shown], unpacked))
    assert [code for code, _ in results] == [0] * len(shown)
    for (command, printed), (_, output) in zip(shown, results, strict=True):
        lines = [[_masked(line) for line in said.strip().split("\n")] for said in (output, printed)]
        assert lines[0] == lines[1], f"{command}: run `python -m memdir.interfaces.reference --session`"


def _shown(blocks: list[str]) -> Iterator[tuple[str, str]]:
    """Command lines of the tour with what the README prints under them."""
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def _masked(output: str) -> str:
    """The first line, without days, digests, scores, block ids and the random end of runs."""
    first = output.split("\n")[0]
    return re.sub(
        r"\d{4}-\d\d-\d\d|\d\d:\d\d|\b[0-9a-f]{12,64}\b|\d+\.\d+|\^\w{5}\b|\b\d{8}-\d{6}-[0-9a-f]{4}\b", "…", first
    )


# --- the project's own vault and the demo's --------------------------------------------------------------


@pytest.mark.parametrize("source", [".", "scripts/demo_notes"])
def test_vault_of_the_project_is_in_order(source: str, tmp_path: Path) -> None:
    """On a copy: no Problems, and MEMORY.md is what `memdir index` would write."""
    root = tmp_path / "copy"
    shutil.copytree(PROJECT / source / "memory", root / "memory")
    for name in ("MEMORY.md", "memdir.toml"):
        shutil.copy(PROJECT / source / name, root / name)
    assert driver.run("doctor", vault=root).code == 0
    assert driver.run("index", vault=root).out == (root / "MEMORY.md").read_text("utf-8")


def test_decisions_are_dated_notes() -> None:
    decisions = sorted((PROJECT / "memory/project").glob("*.md"))
    assert len(decisions) >= 10
    for path in decisions:
        read = note.parse(f"memory/project/{path.name}", path.read_bytes(), own=True)
        assert not read.problems
        assert {*note.REQUIRED, "description", "id"} <= read.meta.keys(), path.name
        assert any(seen.category == "decision" for seen in read.body.observations), path.name


def test_demo_notes_are_in_two_languages() -> None:
    notes = sorted((PROJECT / "scripts/demo_notes/memory").glob("*/*.md"))
    chinese = [path for path in notes if not path.stem.isascii()]
    assert len(chinese) == len(notes) - len(chinese) == 12
    for path in notes:
        read = note.parse(f"memory/{path.parent.name}/{path.name}", path.read_bytes(), own=True)
        assert read.type == path.parent.name
        assert read.body.links or read.body.facts, path.name
        assert fields.read(path.read_text("utf-8")).readable


# --- what sets the project up ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scripts/check", "scripts/demo", ".ci/run"])
def test_script_may_be_run(name: str) -> None:
    script = PROJECT / name
    assert script.read_text("utf-8").startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(script, os.X_OK)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    section = text("README.md").split("## Development")[1]
    command = re.search(r"```sh\n(.+)\n```", section)
    assert command
    assert re.search(rf"^{re.escape(command[1])}\b", text(".ci/run"), re.MULTILINE)
