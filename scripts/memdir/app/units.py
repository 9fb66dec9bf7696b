"""What each scheduler reads: a systemd service and timer, a launchd agent, a Windows task, a cron line.

Pure functions from a `Job` to text and back to the command that a text names. Every word of the command is quoted
by the rules of its format. Touches no file and runs nothing.
"""

import hashlib
import plistlib
import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

EVERY = 30  # minutes
SPREAD = 5  # minutes that systemd may add
LONGEST = 30  # minutes that one run may take where the scheduler can end it
CRON_LINE = 990  # bytes; Vixie's cron takes commands below 1,000
_ENV = "/usr/bin/env"
_TASKS = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_HEAD = "# Made by `memdir schedule install`; `memdir schedule remove` takes it away."

# A Windows task knows neither an environment nor a place for output, and pythonw has no streams at all.
_START = (
    "import os,runpy,sys;os.makedirs(os.path.dirname({log!r}),exist_ok=True);"
    "sys.stdout=sys.stderr=open({log!r},'a',1,'utf-8','replace');os.environ.update({env!r});sys.path[:0]={paths!r};"
    "sys.argv[1:]={call!r};runpy.run_module('memdir',run_name='__main__',alter_sys=True)"
)


@dataclass(frozen=True, slots=True)
class Job:
    """One vault's heartbeat. `env`: what its environment must hold; `paths`: where memdir is found, mostly nowhere."""

    key: str
    vault: str
    python: str
    call: tuple[str, ...]
    log: Path
    env: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"memdir-{self.key}"

    @property
    def minute(self) -> int:
        """Of the half hour, from the key, so that several vaults do not start together."""
        return int(hashlib.sha256(self.key.encode()).hexdigest()[:8], 16) % EVERY

    @property
    def command(self) -> tuple[str, ...]:
        """`-P`: a job starts in the home folder, and no file there may stand in for a module."""
        return (self.python, "-P", "-m", "memdir", *self.call)

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """As `env`, with the path that memdir needs (a Windows task sets both itself)."""
        return (*self.env, *([("PYTHONPATH", ":".join(self.paths))] if self.paths else []))


# --- systemd -------------------------------------------------------------------------------------------------


def service(job: Job) -> str:
    """The unit that runs once.

    `:` turns variables off (systemd 244); it stands there only where a `$` does. systemd takes no program whose path
    holds a quote or a backslash, so such an interpreter is started by `env`.
    """
    plain = ":" if any("$" in word for word in job.command) else ""
    command = [*([_ENV] if set("\"'\\") & {*job.python} else []), *job.command]
    return "\n".join(
        [
            _HEAD,
            "[Unit]",
            f"Description=memdir heartbeat of {_no_specifier(job.vault)}",
            "",
            "[Service]",
            "Type=oneshot",
            *(f"Environment={_unit_word(f'{name}={value}')}" for name, value in job.environment),
            f"ExecStart={plain}{' '.join(map(_unit_word, command))}",
            f"TimeoutStartSec={LONGEST}min",
            "Nice=10",
            "CPUSchedulingPolicy=batch",
            "IOSchedulingClass=idle",
            "",
        ]
    )


def timer(job: Job) -> str:
    """The unit that starts it; Persistent makes up for a run that a sleeping machine missed."""
    return "\n".join(
        [
            _HEAD,
            "[Unit]",
            f"Description=memdir heartbeat of {_no_specifier(job.vault)}, every {EVERY} minutes",
            "",
            "[Timer]",
            f"OnCalendar=*:{job.minute:02}/{EVERY}",
            f"RandomizedDelaySec={SPREAD}min",
            "AccuracySec=1min",
            "Persistent=true",
            "",
            "[Install]",
            "WantedBy=timers.target",
            "",
        ]
    )


def _no_specifier(text: str) -> str:
    return text.replace("%", "%%")


def _unit_word(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_no_specifier(quoted)}"'


def service_command(text: str) -> tuple[str, ...]:
    """The command of a service's text, () where there is none."""
    found = re.search(r"^ExecStart=[-@:+!]*(.*)$", text, re.MULTILINE)
    words = _split(found[1].replace("%%", "%")) if found else ()
    return words[1:] if words[:1] == (_ENV,) else words


# --- launchd -------------------------------------------------------------------------------------------------


def label(job: Job) -> str:
    return f"memdir.heartbeat.{job.key}"


def agent(job: Job) -> str:
    """The property list of a launchd agent; a run missed in sleep is made up for at waking."""
    values = {
        "Label": label(job),
        "ProgramArguments": list(job.command),
        "StartInterval": EVERY * 60,
        "ProcessType": "Background",
        "Nice": 10,
        "LowPriorityIO": True,
        "LowPriorityBackgroundIO": True,
        "StandardOutPath": str(job.log),
        "StandardErrorPath": str(job.log),
    }
    if job.environment:
        values["EnvironmentVariables"] = dict(job.environment)
    return plistlib.dumps(values, sort_keys=False).decode()


def agent_command(text: str) -> tuple[str, ...]:
    """The command of an agent's text, () where there is none."""
    try:
        return tuple(map(str, plistlib.loads(text.encode())["ProgramArguments"]))
    except (ValueError, KeyError, TypeError, ExpatError):
        return ()


# --- Windows -------------------------------------------------------------------------------------------------


def task(job: Job) -> str:
    """The XML of a task. Its description ends in a digest of everything else, by which it is known again.

    No RandomDelay: Task Scheduler refuses it beside a repetition in some versions; the minute spreads vaults. It runs
    on batteries as well: a run costs less than a minute of use, and a laptop is seldom plugged in.
    """
    python = Path(job.python)
    quiet = python.with_name(f"{python.stem}w{python.suffix}")  # pythonw opens no window
    whole = ElementTree.Element("Task", {"version": "1.2", "xmlns": _TASKS})
    trigger = {
        "Repetition": {"Interval": f"PT{EVERY}M", "StopAtDurationEnd": "false"},
        "StartBoundary": f"2020-01-01T00:{job.minute:02}:00",
        "Enabled": "true",
    }
    settings = {
        "MultipleInstancesPolicy": "IgnoreNew",
        "DisallowStartIfOnBatteries": "false",
        "StopIfGoingOnBatteries": "false",
        "StartWhenAvailable": "true",
        "ExecutionTimeLimit": f"PT{LONGEST}M",
        "Priority": "8",
    }
    command = {
        "Command": str(quiet if quiet.exists() else python),
        "Arguments": subprocess.list2cmdline(["-P", "-c", start(job)]),
    }
    about = ElementTree.SubElement(ElementTree.SubElement(whole, "RegistrationInfo"), "Description")
    _fill(ElementTree.SubElement(whole, "Triggers"), {"TimeTrigger": trigger})
    principal = ElementTree.SubElement(ElementTree.SubElement(whole, "Principals"), "Principal", {"id": "Author"})
    _fill(principal, {"LogonType": "InteractiveToken", "RunLevel": "LeastPrivilege"})
    _fill(ElementTree.SubElement(whole, "Settings"), settings)
    _fill(ElementTree.SubElement(whole, "Actions", {"Context": "Author"}), {"Exec": command})
    about.text = f"memdir heartbeat of {job.vault}"
    about.text += f" [{hashlib.sha256(ElementTree.tostring(whole)).hexdigest()[:16]}]"
    ElementTree.indent(whole)
    return '<?xml version="1.0" encoding="UTF-16"?>\n' + ElementTree.tostring(whole, "unicode") + "\n"


def start(job: Job) -> str:
    """The Python line that a task runs. `%` and `$` are spelled out, as Task Scheduler puts variables in."""
    line = _START.format(log=str(job.log), env=dict(job.env), paths=list(job.paths), call=list(job.call))
    return line.replace("%", r"\x25").replace("$", r"\x24")


def task_digest(text: str) -> str:
    """The digest in a task's description, "" where there is none."""
    found = re.search(r"<Description>[^<]*\[([0-9a-f]{16})\]</Description>", text)
    return found[1] if found else ""


def task_command(text: str) -> tuple[str, ...]:
    """The program of a task's text and its arguments as they stand there, () where there is none."""
    try:
        whole = ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except ElementTree.ParseError:
        return ()
    found = whole.find(f".//{{{_TASKS}}}Exec")
    parts = [] if found is None else [found.findtext(f"{{{_TASKS}}}{name}", "") for name in ("Command", "Arguments")]
    return tuple(part for part in parts if part)


def _fill(parent: ElementTree.Element, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        child = ElementTree.SubElement(parent, name)
        if isinstance(value, Mapping):
            _fill(child, value)
        else:
            child.text = str(value)


# --- cron ----------------------------------------------------------------------------------------------------


def cron_line(job: Job) -> str:
    """The crontab's line, with its line end. The folder of the log is made each time: a cache may be cleared."""
    minutes = ",".join(str(minute) for minute in range(job.minute, 60, EVERY))
    given = [f"{name}={value}" for name, value in job.environment]
    words = ["nice", "-n", "10", *(["env", *given] if given else []), *job.command]
    folder, log = _cron_word(str(job.log.parent)), _cron_word(str(job.log))
    command = f"mkdir -p {folder}; {' '.join(map(_cron_word, words))} >>{log} 2>&1"
    return f"{minutes} * * * * {command}{_mark(job.key)}\n"


def _cron_word(text: str) -> str:
    r"""A word for cron's shell.

    `\%` stands outside quotes, as some crons take the backslash away and others leave that to the shell; no two
    backslashes touch, as some crons make one of them.
    """
    odd = {"%": r"\%", "\\": r"'\'", "'": r"\'"}
    return "".join(odd.get(part) or shlex.quote(part) for part in re.split(r"([%\\'])", text) if part)


def _mark(key: str) -> str:
    return f" # memdir {key}"


def marked(crontab: str, key: str) -> list[str]:
    """The lines of a crontab that carry the vault's mark, also one that somebody has turned into a comment."""
    return [line for line in crontab.split("\n") if line.rstrip().endswith(_mark(key))]


def with_line(crontab: str, key: str, line: str) -> str:
    """The crontab with `line` where the marked one stood, else at its end; "" takes it out. The rest byte for byte."""
    parts = re.findall(r"[^\n]*\n|[^\n]+", crontab)
    places = [n for n, part in enumerate(parts) if marked(part, key)]
    kept = [part for n, part in enumerate(parts) if n not in places]
    if not line:
        return "".join(kept)
    place = places[0] if places else len(kept)
    before = "".join(kept[:place])
    return before + ("\n" if before and not before.endswith("\n") else "") + line + "".join(kept[place:])


def cron_command(line: str) -> tuple[str, ...]:
    """The command that a marked line runs, () where it is not understood."""
    words = _split(line.rpartition(" # memdir ")[0])
    first = next((n for n, word in enumerate(words) if word == "-P"), 0)
    return tuple(word for word in words[first - 1 : -2] if word) if first else ()


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()
