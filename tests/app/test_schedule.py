"""Scheduling the heartbeat: every format says the same command, a plan is shown before it is done, nothing else moves.

Programs of other systems are played by a plain recording object; crontab is a script that runs as a process.
"""

import json
import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import driver
from memdir.app import machine, units
from memdir.app.keeping import schedule, schedulers
from memdir.errors import BadData, Conflict, MemdirError, NotFound, UsageError

ODD = [
    "plain",
    "with space",
    "it's",
    'a "quoted" name',
    "100%",
    "%h%%T%TEMP%",
    "$HOME and ${x} $$",
    "back\\slash\\\\twice\\",
    "\\%\\'",
    "笔记 – заметки",
    "a;b&c|d#e`f`(g)*?!~",
    " # memdir x",
    "-dash",
]
UNIX = pytest.mark.skipif(os.name == "nt", reason="a shell script stands for a program")
OTHERS = "MAILTO=me\n# mine\n\n17 5 * * 1 echo 'a  b' \\% \t\n@daily x"


@dataclass
class Machine:
    """Plays the programs of a system, remembers what was asked of them, and knows what they would."""

    programs: Sequence[str]
    calls: list[tuple[str, ...]] = field(default_factory=list)
    on: bool = False
    task: str = ""
    crontab: str = ""
    wrong: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

    def which(self, name: str) -> str | None:
        return f"/bin/{name}" if name in self.programs else None

    def run(self, words: Sequence[str], given: str | None) -> tuple[int, str, str]:
        self.calls.append(tuple(words))
        line = " ".join(words)
        for part, answer in self.wrong.items():
            if part in line:
                return answer
        if words[0] not in self.programs:
            return 127, "", "none"
        if words[0] == "schtasks":
            return self._tasks(words)
        if words[0] == "crontab":
            self.crontab = self.crontab if words[1] == "-l" else given or ""
            return 0, self.crontab, ""
        if {"restart", "bootstrap"} & {*words}:
            self.on = True
        if {"disable", "bootout"} & {*words}:
            self.on = False
        if "print" in words:
            return 0 if self.on else 113, self.said.get("print", ""), ""
        state = f"ActiveState={'active' if self.on else 'inactive'}\nUnitFileState={'enabled' if self.on else ''}\n"
        return 0, state + self.said.get("show", ""), ""

    def _tasks(self, words: Sequence[str]) -> tuple[int, str, str]:
        if "/Create" in words:
            self.task = Path(words[words.index("/XML") + 1]).read_text("utf-16")
        elif "/Delete" in words:
            self.task = ""
        elif not self.task:
            return 1, "", "ERROR: The system cannot find the file specified."
        return 0, self.said.get("csv", "") if "CSV" in words else self.task, ""


@pytest.fixture
def system(tmp_path: Path) -> Callable[..., machine.System]:
    """`system("linux", played)`: a machine whose programs are played and whose folders lie in the test's own."""

    def make(platform: str, played: Machine, **env: str) -> machine.System:
        home = tmp_path / "user"
        folders = (home, home / "config", home / "cache" / "memdir")
        return machine.System(platform, *folders, 501, sys.executable, env, played.which, played.run)

    return make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def job(vault: str = "/n/notes", python: str = "/usr/bin/python3") -> units.Job:
    call = ("--vault", vault, "heartbeat")
    return units.Job("notes-0123456789abcdef", vault, python, call, Path("/l g/100%/x.log"))


PLAYED = {
    "systemd": ("linux", ["systemctl"]),
    "launchd": ("darwin", ["launchctl"]),
    "windows": ("win32", ["schtasks"]),
    "cron": ("linux", ["crontab"]),
}


# --- what the formats say --------------------------------------------------------------------------------


@pytest.mark.parametrize("odd", ODD)
def test_every_format_names_the_command_word_by_word(odd: str) -> None:
    one = job(f"/n/{odd}", f"/p/{odd}/python3")
    assert units.service_command(units.service(one)) == one.command
    assert units.agent_command(units.agent(one)) == one.command
    assert units.cron_command(units.cron_line(one)) == one.command
    assert units.task_command(units.task(one))[0] == one.python


def test_a_text_that_is_none_of_ours_has_no_command() -> None:
    assert units.service_command("[Service]\n") == units.service_command('ExecStart="a') == ()
    assert units.agent_command("<plist") == units.agent_command(plistlib.dumps({}).decode()) == ()
    assert units.task_command("<Task") == units.task_command("<Task/>") == ()
    assert units.cron_command("1 * * * * echo # memdir x") == ()


def test_the_minute_comes_from_the_vault() -> None:
    minutes = {replace(job(), key=f"notes-{n}").minute for n in range(200)}
    assert minutes == set(range(30))
    one = job()
    assert f"OnCalendar=*:{one.minute:02}/30\n" in units.timer(one)
    assert units.cron_line(one).startswith(f"{one.minute},{one.minute + 30} * * * * ")
    assert f"T00:{one.minute:02}:00<" in units.task(one)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_systemd_takes_the_units(odd: str, tmp_path: Path) -> None:
    """`verify` looks for the interpreter, so an odd path that is not quoted right is an error."""
    python = _recorder(tmp_path / odd / "python3")
    one = replace(job(f"/n/{odd}", str(python)), env=(("A", odd),), paths=(f"/x/{odd}",))
    (tmp_path / "memdir-x.service").write_text(units.service(one), "utf-8")
    (tmp_path / "memdir-x.timer").write_text(units.timer(one), "utf-8")
    (tmp_path / "run").mkdir(0o700)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *tmp_path.glob("memdir-x.*")],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")},
    )
    assert (done.returncode, done.stderr) == (0, "")


def _recorder(path: Path) -> Path:
    """A program that writes its arguments and the variable `A` as JSON to where `OUT` says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = "import json,os,sys;json.dump([sys.argv[1:],os.environ.get('A')],open(os.environ['OUT'],'w'))"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n', "utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("takes", [True, False], ids=["cron unescapes", "cron leaves it"])
@UNIX
def test_cron_runs_the_command_word_by_word(odd: str, takes: bool, tmp_path: Path) -> None:
    """Run by a real shell, as by a cron that takes the backslash before `%` (and one of two) away, and by another."""
    log = tmp_path / "logs" / odd / "x.log"
    one = job(f"/n/{odd}", str(_recorder(tmp_path / odd / "python3")))
    one = replace(one, env=(("A", odd), ("OUT", str(tmp_path / "out"))), log=log)
    command = units.cron_line(one).split(" ", 5)[5]
    assert "%" not in command.replace("\\%", "")
    if takes:
        command = command.replace("\\\\", "\\").replace("\\%", "%")
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    assert json.loads((tmp_path / "out").read_text()) == [list(one.command[1:]), odd]
    assert log.read_text() == ""


@pytest.mark.parametrize("odd", ["plain", "%TEMP% $(Arg0) 笔's"])
def test_a_windows_task_starts_memdir_without_streams(odd: str, tmp_path: Path, home: Path) -> None:
    log = tmp_path / odd / "logs" / "x.log"
    one = replace(job(), call=("show", odd, "--vault", str(tmp_path)), log=log, paths=(str(driver.SCRIPTS),))
    one = replace(one, env=(("XDG_CACHE_HOME", str(home / odd)),))
    line = units.start(one)
    assert not set("%$\n") & {*line}
    done = subprocess.run([sys.executable, "-P", "-c", line], capture_output=True, cwd=home, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")
    assert odd in log.read_text("utf-8")


def test_the_task_starts_when_it_can_and_on_batteries(tmp_path: Path) -> None:
    (tmp_path / "python.exe").touch()
    (tmp_path / "pythonw.exe").touch()
    whole = ElementTree.fromstring(units.task(job("/n/<&>", str(tmp_path / "python.exe"))).partition("\n")[2])
    found = {part.tag.rpartition("}")[2]: part.text for part in whole.iter()}
    assert found["Command"] == str(tmp_path / "pythonw.exe")
    assert (found["StartWhenAvailable"], found["DisallowStartIfOnBatteries"]) == ("true", "false")
    assert (found["Interval"], found["MultipleInstancesPolicy"]) == ("PT30M", "IgnoreNew")
    assert str(found["Description"]).startswith("memdir heartbeat of /n/<&> [")


def test_the_agent_is_a_property_list_of_a_modest_job() -> None:
    one = replace(job(), env=(("XDG_CACHE_HOME", "/c"),), paths=("/a", "/b"))
    held = plistlib.loads(units.agent(one).encode())
    assert held["Label"] == "memdir.heartbeat.notes-0123456789abcdef"
    assert (held["StartInterval"], held["ProcessType"], held["Nice"]) == (1800, "Background", 10)
    assert held["EnvironmentVariables"] == {"XDG_CACHE_HOME": "/c", "PYTHONPATH": "/a:/b"}


# --- the crontab -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", "\n", OTHERS, OTHERS + "\n", "a\r\n\x0cb\u2028c\r\n", "caf\udce9 x\n"])
def test_other_lines_stay_byte_for_byte(before: str) -> None:
    once = units.with_line(before, "k", "1 line # memdir k\n")
    ended = before + ("\n" if before and not before.endswith("\n") else "")
    assert once == ended + "1 line # memdir k\n"
    assert units.with_line(once, "k", "2 line # memdir k\n") == ended + "2 line # memdir k\n"
    assert units.with_line(once + "after", "k", "2 # memdir k\n") == ended + "2 # memdir k\nafter"
    assert units.with_line(once + "after", "k", "") == ended + "after"
    assert units.with_line(once, "other", "") == once


def test_a_line_twice_becomes_one() -> None:
    text = "a\n1 # memdir k\nb\n#2 # memdir k\nc # memdir kk\n"
    assert units.with_line(text, "k", "3 # memdir k\n") == "a\n3 # memdir k\nb\nc # memdir kk\n"


def test_a_crontab_that_changed_meanwhile_is_left_alone(root: Path, system: Callable[..., machine.System]) -> None:
    played = Machine(["crontab"], crontab=OTHERS)
    here = system("linux", played)
    plan = schedule.install(root, here, "cron")
    played.crontab += "\nnew\n"
    with pytest.raises(Conflict, match="changed"):
        schedule.apply(plan, here)
    assert played.crontab == OTHERS + "\nnew\n"


def test_cron_that_refuses_says_so(root: Path, system: Callable[..., machine.System]) -> None:
    played = Machine(["crontab"], wrong={"crontab": (1, "", "you (x) are not allowed to use this program\n")})
    with pytest.raises(MemdirError, match=r"not allowed.*memdir heartbeat"):
        schedule.install(root, system("linux", played), "cron")
    played.wrong = {"crontab -l": (1, "", "no crontab for x\n"), "crontab -": (1, "", "errors in crontab file\n")}
    here = system("linux", played)
    with pytest.raises(MemdirError, match="errors in crontab file"):
        schedule.apply(schedule.install(root, here, "cron"), here)
    long = root / "/".join(["d" * 200] * 5)
    long.mkdir(parents=True)
    with pytest.raises(UsageError, match="shorter path"):
        schedule.install(long, here, "cron")


# --- install, status, remove -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", schedule.KINDS)
def test_a_job_comes_stays_changes_and_goes(
    kind: str, root: Path, tmp_path: Path, system: Callable[..., machine.System], tree: driver.Tree
) -> None:
    platform, programs = PLAYED[kind]
    played = Machine(programs, crontab=OTHERS + "\n")
    here = system(platform, played)
    before = tree(tmp_path)
    plan = schedule.install(root, here)
    assert (plan.verb, plan.kind) == ("install", kind)
    assert schedule.status(root, here) == []
    assert tree(tmp_path) == before
    assert played.crontab == OTHERS + "\n"

    schedule.apply(plan, here)
    [found] = schedule.status(root, here)
    assert (found.kind, found.interpreter_exists, found.command[0]) == (kind, True, sys.executable)
    assert found.active in (True, None)
    assert tree(root) == {}
    again = schedule.install(root, here)
    assert (again.verb, again.steps) == ("keep", ())

    moved = replace(here, python=str(tmp_path / "gone"))
    other = schedule.install(root, moved)
    assert other.verb == "replace"
    schedule.apply(other, moved)
    [found] = schedule.status(root, here)
    assert (found.command[0], found.interpreter_exists) == (moved.python, False)

    gone = schedule.remove(root, here)
    assert gone.verb == "remove"
    schedule.apply(gone, here)
    assert schedule.status(root, here) == []
    assert (schedule.remove(root, here).verb, schedule.remove(root, here).steps) == ("none", ())
    assert played.crontab == OTHERS + "\n"
    assert [path for path, mark in tree(tmp_path).items() if mark != "folder"] == []


@pytest.mark.parametrize("kind", schedule.KINDS)
def test_a_job_that_was_switched_off_is_installed_again(
    kind: str, root: Path, system: Callable[..., machine.System]
) -> None:
    platform, programs = PLAYED[kind]
    played = Machine(programs)
    here = system(platform, played)
    schedule.apply(schedule.install(root, here), here)
    played.on = False
    played.task = played.task.replace("<Settings>", "<Settings><Enabled>false</Enabled>")
    played.crontab = "# " + played.crontab
    assert schedule.status(root, here)[0].active is False
    plan = schedule.install(root, here)
    assert plan.verb == "replace"
    schedule.apply(plan, here)
    assert schedule.install(root, here).verb == "keep"


def test_two_vaults_have_a_job_each_and_two_names_of_one_have_one(
    root: Path, tmp_path: Path, system: Callable[..., machine.System]
) -> None:
    played = Machine(["systemctl"])
    here = system("linux", played)
    (tmp_path / "other" / "notes").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    for one in (root, tmp_path / "other" / "notes"):
        schedule.apply(schedule.install(one, here), here)
    assert len(list((here.config_home / "systemd/user").iterdir())) == 4
    assert schedule.install(tmp_path / "link", here).verb == "keep"
    schedule.apply(schedule.remove(root, here), here)
    assert len(list((here.config_home / "systemd/user").iterdir())) == 2


def test_another_kind_takes_the_place_of_the_first(root: Path, system: Callable[..., machine.System]) -> None:
    played = Machine(["systemctl", "crontab"], crontab=OTHERS)
    here = system("linux", played)
    schedule.apply(schedule.install(root, here, "cron"), here)
    plan = schedule.install(root, here)
    assert (plan.verb, plan.kind) == ("replace", "systemd")
    schedule.apply(plan, here)
    assert [one.kind for one in schedule.status(root, here)] == ["systemd"]
    assert played.crontab == OTHERS + "\n"


def test_a_vault_that_is_gone_can_be_unscheduled(root: Path, system: Callable[..., machine.System]) -> None:
    here = system("linux", Machine(["systemctl"]))
    schedule.apply(schedule.install(root, here), here)
    root.rmdir()
    with pytest.raises(NotFound):
        schedule.install(root, here)
    schedule.apply(schedule.remove(root, here), here)
    assert schedule.status(root, here) == []


def test_the_calls_are_what_each_scheduler_needs(root: Path, system: Callable[..., machine.System]) -> None:
    for kind, words in (
        ("systemd", ["daemon-reload", "enable", "restart"]),
        ("launchd", ["bootstrap"]),
        ("windows", ["/Create"]),
    ):
        platform, programs = PLAYED[kind]
        here = system(platform, Machine(programs))
        plan = schedule.install(root, here)
        calls = [step.words for step in plan.steps if isinstance(step, machine.Call)]
        assert all(word in call for word, call in zip(words, calls, strict=True))


def test_what_the_systems_say_of_runs(root: Path, system: Callable[..., machine.System]) -> None:
    times = "LastTriggerUSec=Sat 2026-11-28 14:07:00 UTC\nNextElapseUSecRealtime=n/a\nExecMainStatus=4\n"
    csv = '"PC","\\\\memdir","11/28/2026 3:07:00 PM","Ready","Interactive only","11/28/2026 2:07:00 PM","0"\r\n'
    wanted = {
        "systemd": ({"show": times}, ("2026-11-28T14:07:00Z", None, 4)),
        "launchd": ({"print": "state = waiting\n\tlast exit code = 3\n"}, (None, None, 3)),
        "windows": ({"csv": csv}, ("11/28/2026 2:07:00 PM", "11/28/2026 3:07:00 PM", 0)),
    }
    for kind, (said, (last, ahead, code)) in wanted.items():
        platform, programs = PLAYED[kind]
        here = system(platform, Machine(programs, said=said))
        schedule.apply(schedule.install(root, here), here)
        found = next(one for one in schedule.status(root, here) if one.kind == kind)
        assert (found.last, found.next, found.exit_code) == (last, ahead, code)
        schedule.apply(schedule.remove(root, here), here)


# --- what cannot be done ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", schedule.KINDS)
def test_a_scheduler_that_is_not_there_is_planned_for_and_refused(
    kind: str, root: Path, tmp_path: Path, system: Callable[..., machine.System], tree: driver.Tree
) -> None:
    here = system("linux", Machine([]))
    before = tree(tmp_path)
    plan = schedule.install(root, here, kind)
    assert plan.steps
    assert any("memdir heartbeat" in notice for notice in plan.notices)
    with pytest.raises(MemdirError, match="let your agent run `memdir heartbeat`"):
        schedule.apply(plan, here)
    assert tree(tmp_path) == before


def test_a_program_that_fails_is_named_with_its_reason(root: Path, system: Callable[..., machine.System]) -> None:
    here = system("linux", Machine(["systemctl"], wrong={"enable": (1, "", "\nFailed to enable: masked\nmore")}))
    with pytest.raises(
        MemdirError, match=r"systemctl --user enable memdir-notes-\S+` failed: Failed to enable: masked;"
    ):
        schedule.apply(schedule.install(root, here), here)


@pytest.mark.parametrize("name", ["new\nline", "tab\there", "esc\x1b", "\u2028"])
@UNIX
def test_a_path_with_control_characters_is_refused(
    name: str, tmp_path: Path, system: Callable[..., machine.System]
) -> None:
    (tmp_path / name).mkdir()
    for act in (schedule.install, schedule.remove):
        with pytest.raises(UsageError, match="control characters"):
            act(tmp_path / name, system("linux", Machine(["systemctl"])))


@UNIX
def test_a_place_that_cannot_be_written_is_named(root: Path, system: Callable[..., machine.System]) -> None:
    here = system("linux", Machine(["systemctl"]))
    here.home.mkdir()
    here.config_home.write_text("a file", "utf-8")
    with pytest.raises(BadData, match="config"):
        schedule.apply(schedule.install(root, here), here)


def test_what_only_this_shell_knows_is_carried_or_said(root: Path, system: Callable[..., machine.System]) -> None:
    env = {"XDG_CACHE_HOME": "/c d", "XDG_CONFIG_HOME": "not/absolute", "MEMDIR_INDEX_DIR": "/i"}
    plan = schedule.install(root, system("linux", Machine(["systemctl"]), **env))
    service = next(step.text for step in plan.steps if isinstance(step, machine.File))
    assert 'Environment="XDG_CACHE_HOME=/c d"\n' in service
    assert "XDG_CONFIG_HOME" not in service
    assert any("MEMDIR_INDEX_DIR" in notice for notice in plan.notices)


def test_pythonpath_is_named_only_where_memdir_is_not_installed(
    root: Path, system: Callable[..., machine.System]
) -> None:
    own = str(Path(str(schedule.memdir.__file__)))
    for said, path in (((0, f"{own}\n", ""), False), ((1, "", "no module"), True), ((0, "/else/memdir\n", ""), True)):
        played = Machine(["systemctl"], wrong={sys.executable: said})
        plan = schedule.install(root, system("linux", played, PYTHONPATH=f"rel{os.pathsep}/libs"))
        service = next(step.text for step in plan.steps if isinstance(step, machine.File))
        assert (f"PYTHONPATH={driver.SCRIPTS}:/libs" in service) == path


def test_cron_without_a_daemon_is_said(root: Path, system: Callable[..., machine.System]) -> None:
    here = system("linux", Machine(["crontab", "pgrep"], wrong={"pgrep": (1, "", "")}))
    plan = schedule.install(root, here)
    assert plan.kind == "cron"
    assert "no cron daemon is running: the line waits for one" in plan.notices
    schedule.apply(plan, here)
    assert schedule.status(root, here)[0].active is False
    assert schedulers.Cron().runs(system("darwin", Machine(["pgrep"]))) is None


# --- programs of this machine ----------------------------------------------------------------------------


@UNIX
def test_a_program_runs_without_a_shell_and_in_a_language_that_can_be_read(tmp_path: Path, home: Path) -> None:
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "tool"
    tool.write_text('#!/bin/sh\nprintf "%s|" "$@" "$LC_ALL" "$TZ" "$PYTHONPATH"; cat\nexit 7\n', "utf-8")
    tool.chmod(0o755)
    done = machine.run([str(tool), "$HOME; x"], "caf\udce9\r\n")
    assert done == (7, "$HOME; x|C|UTC||caf\udce9\r\n", "")
    assert machine.run(["no-such-program-here"])[0] == 127
    tool.write_text("#!/nowhere\n", "utf-8")
    assert machine.run([str(tool)])[0] == 126


FAKE_CRONTAB = """#!/bin/sh
# As crontab does: -l prints the table or fails, - takes a new one.
case "$1" in
  -l) [ -f "{table}" ] || {{ echo "no crontab for me" >&2; exit 1; }}; cat "{table}";;
  -) cat >"{table}";;
  *) exit 2;;
esac
"""


@UNIX
def test_the_commands_with_a_crontab_that_runs(
    tmp_path: Path, vault: Callable[..., Path], program: driver.Run, tree: driver.Tree
) -> None:
    root, table = vault(name="my 100% 笔记"), tmp_path / "table"
    tool = tmp_path / "bin" / "crontab"
    tool.parent.mkdir()
    tool.write_text(FAKE_CRONTAB.format(table=table), "utf-8")
    tool.chmod(0o755)
    env = {"PATH": f"{tool.parent}:{os.environ['PATH']}"}
    before = tree(root)

    bare = program("schedule", "install", "--kind", "cron", vault=root, PATH=str(root))
    assert (bare.code, "no crontab program here" in bare.err) == (0, True)
    assert "--yes" not in bare.err
    shown = program("schedule", "install", "--kind", "cron", vault=root, **env)
    assert shown.code == 0
    assert "run again with --yes" in shown.err
    assert "# memdir my-100-" in shown.out
    assert program("schedule", "install", "--kind", "cron", "--yes", "--dry-run", vault=root, **env).code == 0
    assert not table.exists()

    table.write_bytes(OTHERS.encode() + b"\xff\r\n")
    done = program("schedule", "install", "--kind", "cron", "--yes", "--json", vault=root, **env)
    assert (done.code, done.json["done"], done.json["plan"]["verb"]) == (0, True, "install")
    assert "MAILTO" not in done.out
    text = table.read_bytes()
    assert text.startswith(OTHERS.encode() + b"\xff\r\n")
    assert text.count(b"\n") == OTHERS.count("\n") + 2
    again = program("schedule", "install", "--kind", "cron", "--yes", vault=root, **env)
    assert "already installed" in again.out
    assert table.read_bytes() == text

    state = program("schedule", "status", "--json", "--vault", root, **env).json
    assert [one["kind"] for one in state["installed"]] == ["cron"]
    assert state["installed"][0]["interpreter_exists"] is True
    assert "cron: a line of your crontab" in program("schedule", "status", vault=root, **env).out
    assert "would remove" in program("schedule", "remove", vault=root, **env).out
    assert program("schedule", "remove", "--yes", vault=root, **env).code == 0
    assert table.read_bytes() == OTHERS.encode() + b"\xff\r\n"
    assert "not installed" in program("schedule", "status", vault=root, **env).out
    assert tree(root) == before


def test_every_kind_can_be_shown_here(vault: Callable[..., Path], run: driver.Run, home: Path) -> None:
    root = vault()
    for kind in schedule.KINDS:
        shown = run("schedule", "install", "--kind", kind, vault=root)
        assert shown.code == 0
        assert str(root) in shown.out
        held = run("schedule", "install", "--kind", kind, "--json", vault=root).json
        assert (held["done"], held["plan"]["kind"], held["plan"]["verb"]) == (False, kind, "install")
        assert all(step["do"] for step in held["plan"]["steps"])
    assert not (home / "config" / "systemd").exists()


def test_what_cannot_be_done_is_an_error_in_json_too(vault: Callable[..., Path], run: driver.Run) -> None:
    failed = run("schedule", "install", "--kind", "windows", "--yes", "--json", vault=vault(), PATH="/nowhere")
    assert failed.code == 1
    assert "memdir heartbeat" in failed.json["error"]["message"]
