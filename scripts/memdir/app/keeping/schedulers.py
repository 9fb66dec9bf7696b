"""The four schedulers: whether each can be used, what sets a job up or takes it away, and what is set up now.

They read files and ask programs; nothing here changes anything. A scheduler that is not there has no jobs.
"""

import csv
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memdir.app import units
from memdir.app.machine import Call, File, Folder, Gone, Line, Step, System, first_line
from memdir.app.units import Job
from memdir.errors import MemdirError, UsageError

AGENT = "let your agent run `memdir heartbeat`"


@dataclass(frozen=True, slots=True)
class Status:
    """A job that is set up. `active`: None where the system does not say; times as ISO 8601 or as the system says."""

    kind: str
    place: str
    command: tuple[str, ...]
    interpreter_exists: bool
    active: bool | None = None
    last: str | None = None
    next: str | None = None
    exit_code: int | None = None


class Scheduler(Protocol):
    """One way to let a job run by itself."""

    about: str

    def unusable(self, system: System) -> str:
        """Why it cannot be used here, and what to try; "" when it can."""

    def install(self, job: Job, system: System) -> list[Step]:
        """Steps that set the job up in place of an older one, [] when it stands as it should."""

    def remove(self, job: Job, system: System) -> list[Step]:
        """Steps that take the job away; a program that no longer knows of it does not stop them."""

    def status(self, job: Job, system: System) -> Status | None:
        """The job as it is set up now, or None."""


class Systemd:
    """A service and a timer of the user's own systemd."""

    about = "a systemd user timer"

    def unusable(self, system: System) -> str:
        if system.run("systemctl", "--user", "show", "--property=Version")[0] == 0:
            return ""
        return f"no user systemd here; use --kind cron, or {AGENT}"

    def install(self, job: Job, system: System) -> list[Step]:
        texts, timer = self._texts(job, system), f"{job.name}.timer"
        shown = self._shown(timer, ("ActiveState", "UnitFileState"), system)
        on = shown.get("ActiveState") == "active" and shown.get("UnitFileState") == "enabled"
        if on and all(_text(path) == text for path, text in texts.items()):
            return []
        return [
            *(File(path, text) for path, text in texts.items()),
            Call(("systemctl", "--user", "daemon-reload")),
            Call(("systemctl", "--user", "enable", timer)),
            Call(("systemctl", "--user", "restart", timer)),  # `enable --now` leaves an old timer as it runs
        ]

    def remove(self, job: Job, system: System) -> list[Step]:
        stop = Call(("systemctl", "--user", "disable", "--now", f"{job.name}.timer"), must=False)
        reload = Call(("systemctl", "--user", "daemon-reload"), must=False)
        service, timer = self._texts(job, system)
        wanted = timer.parent / "timers.target.wants" / timer.name  # stays where `disable` reached no systemd
        return [stop, Gone(wanted), Gone(timer), Gone(service), reload]

    def status(self, job: Job, system: System) -> Status | None:
        service, timer = self._texts(job, system)
        if not (service.exists() or timer.exists()):
            return None
        shown = self._shown(timer.name, ("ActiveState", "LastTriggerUSec", "NextElapseUSecRealtime"), system)
        code = self._shown(service.name, ("ExecMainStatus",), system).get("ExecMainStatus", "")
        last, command = _moment(shown.get("LastTriggerUSec", "")), units.service_command(_text(service))
        return Status(
            kind="systemd",
            place=str(timer),
            command=command,
            interpreter_exists=_exists(command),
            active=shown["ActiveState"] == "active" if "ActiveState" in shown else None,
            last=last,
            next=_moment(shown.get("NextElapseUSecRealtime", "")),
            exit_code=int(code) if last and code.isdigit() else None,
        )

    def _texts(self, job: Job, system: System) -> dict[Path, str]:
        folder = system.config_home / "systemd" / "user"
        return {folder / f"{job.name}.service": units.service(job), folder / f"{job.name}.timer": units.timer(job)}

    def _shown(self, unit: str, wanted: tuple[str, ...], system: System) -> dict[str, str]:
        code, said, _ = system.run("systemctl", "--user", "show", unit, f"--property={','.join(wanted)}")
        return {line.partition("=")[0]: line.partition("=")[2] for line in said.splitlines()} if code == 0 else {}


class Launchd:
    """An agent in the user's LaunchAgents."""

    about = "a launchd agent"

    def unusable(self, system: System) -> str:
        return (
            "" if system.which("launchctl") else f"no launchctl here: launchd is on macOS; use --kind cron, or {AGENT}"
        )

    def install(self, job: Job, system: System) -> list[Step]:
        path, text, domain = self._path(job, system), units.agent(job), f"gui/{system.uid}"
        loaded = self._print(job, system)[0] == 0
        if loaded and _text(path) == text:
            return []
        out = [Call(("launchctl", "bootout", f"{domain}/{units.label(job)}"), must=False)] if loaded else []
        return [Folder(job.log.parent), File(path, text), *out, Call(("launchctl", "bootstrap", domain, str(path)))]

    def remove(self, job: Job, system: System) -> list[Step]:
        stop = Call(("launchctl", "bootout", f"gui/{system.uid}/{units.label(job)}"), must=False)
        return [stop, Gone(self._path(job, system))]

    def status(self, job: Job, system: System) -> Status | None:
        path = self._path(job, system)
        if not path.exists():
            return None
        code, said, _ = self._print(job, system)
        exited, command = re.search(r"last exit code = (\d+)", said), units.agent_command(_text(path))
        return Status(
            kind="launchd",
            place=str(path),
            command=command,
            interpreter_exists=_exists(command),
            active=code == 0,
            exit_code=int(exited[1]) if exited else None,
        )

    def _path(self, job: Job, system: System) -> Path:
        return system.home / "Library" / "LaunchAgents" / f"{units.label(job)}.plist"

    def _print(self, job: Job, system: System) -> tuple[int, str, str]:
        return system.run("launchctl", "print", f"gui/{system.uid}/{units.label(job)}")


class Windows:
    """A task of the Task Scheduler, made from an XML file that lies in the cache folder meanwhile."""

    about = "a task of the Task Scheduler"

    def unusable(self, system: System) -> str:
        return "" if system.which("schtasks") else f"no schtasks here: the Task Scheduler is on Windows; {AGENT}"

    def install(self, job: Job, system: System) -> list[Step]:
        text, path, held = units.task(job), system.cache / f"{job.name}.xml", self._held(job, system)
        if units.task_digest(held) == units.task_digest(text) and not _off(held):
            return []
        make = Call(("schtasks", "/Create", "/TN", job.name, "/XML", str(path), "/F"))
        return [File(path, text, "utf-16"), make, Gone(path)]

    def remove(self, job: Job, system: System) -> list[Step]:
        return [Call(("schtasks", "/Delete", "/TN", job.name, "/F"))]

    def status(self, job: Job, system: System) -> Status | None:
        held = self._held(job, system)
        if not held:
            return None
        said = system.run("schtasks", "/Query", "/TN", job.name, "/V", "/FO", "CSV", "/NH")[1]
        row = next(csv.reader(said.splitlines()), [])  # headings are translated, their order is not
        ahead, last, result = (row[n].strip() if len(row) > n else "" for n in (2, 5, 6))
        ran, command = result != "267011", units.task_command(held)  # SCHED_S_TASK_HAS_NOT_RUN
        return Status(
            kind="windows",
            place=job.name,
            command=command,
            interpreter_exists=_exists(command),
            active=not _off(held),
            last=last if ran and re.search(r"\d", last) else None,
            next=ahead if re.search(r"\d", ahead) else None,
            exit_code=int(result) if ran and re.fullmatch(r"-?\d+", result) else None,
        )

    def _held(self, job: Job, system: System) -> str:
        """The XML of the task as it is held, "" where there is none."""
        code, said, _ = system.run("schtasks", "/Query", "/TN", job.name, "/XML")
        return said if code == 0 else ""


def _off(task: str) -> bool:
    """Whether a task is switched off (its trigger, which stands outside `Settings`, is not looked at)."""
    return re.search(r"<Settings>.*<Enabled>false</Enabled>.*</Settings>", task, re.DOTALL) is not None


class Cron:
    """One marked line of the user's crontab."""

    about = "a line of your crontab"

    def unusable(self, system: System) -> str:
        return "" if system.which("crontab") else f"no crontab program here; install cron, or {AGENT}"

    def install(self, job: Job, system: System) -> list[Step]:
        line, text = units.cron_line(job), crontab(system)
        if len(line.encode()) > units.CRON_LINE:
            raise UsageError(f"cron takes no line of {len(line.encode())} bytes; give the vault a shorter path")
        held = units.marked(text, job.key)
        return [] if held == [line.rstrip("\n")] else [Line(job.key, line, digest(text))]

    def remove(self, job: Job, system: System) -> list[Step]:
        return [Line(job.key, "", digest(crontab(system)))]

    def status(self, job: Job, system: System) -> Status | None:
        try:
            lines = units.marked(crontab(system), job.key)
        except MemdirError:  # whoever may not use cron has no line there
            return None
        if not lines:
            return None
        command, off = units.cron_command(lines[0]), lines[0].lstrip().startswith("#")
        return Status(
            kind="cron",
            place="crontab",
            command=command,
            interpreter_exists=_exists(command),
            active=False if off else self.runs(system),
        )

    def runs(self, system: System) -> bool | None:
        """Whether a cron daemon runs, None where that cannot be told (macOS starts one when a crontab is there)."""
        if system.platform == "darwin" or system.which("pgrep") is None:
            return None
        return system.run("pgrep", "-x", "cron|crond|fcron")[0] == 0


def crontab(system: System) -> str:
    """The user's crontab, "" where there is none. Raises MemdirError when it cannot be read."""
    if system.which("crontab") is None:
        return ""
    code, said, wrong = system.run("crontab", "-l")
    if code != 0 and not re.search(r"no crontab|No such file", wrong):
        raise MemdirError(f"`crontab -l` failed: {first_line(wrong) or f'exit code {code}'}; {AGENT}")
    return said if code == 0 else ""


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


ALL: Mapping[str, Scheduler] = {"systemd": Systemd(), "launchd": Launchd(), "windows": Windows(), "cron": Cron()}


def _exists(command: tuple[str, ...]) -> bool:
    return bool(command) and Path(command[0]).exists()


def _moment(text: str) -> str | None:
    """`Sat 2026-11-28 14:07:00 UTC` as ISO 8601, None for `n/a`."""
    found = re.search(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)", text)
    return f"{found[1]}T{found[2]}Z" if found else None


def _text(path: Path) -> str:
    """What a file holds, "" where it cannot be read."""
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError):
        return ""
