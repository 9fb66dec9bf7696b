"""Setting `memdir heartbeat` up to run by itself: a systemd timer, a launchd agent, a Windows task or a cron line.

`install` and `remove` return a `Plan` of plain steps; `apply` carries one out. Writes below `systemd/user/` of the
configuration folder, below `~/Library/LaunchAgents/` and, for a moment, one file in the cache folder; changes one
line of the user's crontab. Programs run by fixed lists of words, never through a shell.
"""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import memdir
from memdir import settings_table
from memdir.app import machine, units
from memdir.app.keeping import schedulers
from memdir.app.machine import Call, File, Folder, Gone, Line, Step, System
from memdir.errors import BadData, Conflict, MemdirError, NotFound, UsageError
from memdir.index import generation
from memdir.vault import names

KINDS = tuple(schedulers.ALL)
EVERY = units.EVERY
CALL = ("heartbeat", "--quiet")
_KEPT = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")  # where settings and index lie; a scheduler knows nothing of a shell's
_IMPORT = "import memdir.interfaces.cli.main; print(memdir.__file__)"
_UNFIT = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"


@dataclass(frozen=True, slots=True)
class Plan:
    """What an install or a remove comes to.

    `verb`: install | replace | remove; without steps: keep (it stands as it should) | none (there is nothing).
    """

    vault: str
    verb: str
    kind: str
    steps: tuple[Step, ...]
    notices: tuple[str, ...] = ()


def about(kind: str) -> str:
    """What a kind is, for a sentence."""
    return schedulers.ALL[kind].about if kind in schedulers.ALL else kind


def kind_here(system: System) -> str:
    """The scheduler to use on this machine."""
    if system.platform in ("darwin", "win32"):
        return {"darwin": "launchd", "win32": "windows"}[system.platform]
    return "cron" if schedulers.ALL["systemd"].unusable(system) else "systemd"


def install(root: Path, system: System, kind: str = "") -> Plan:
    """What sets the heartbeat of a vault up, in place of whatever did so before. Changes nothing.

    Raises NotFound; UsageError for a path that no scheduler can name.
    """
    if not root.is_dir():
        raise NotFound(f"{root} is not a folder")
    if not system.python:
        raise MemdirError("Python does not say where its interpreter is; run memdir by `python3 -m memdir`")
    job, chosen = replace(_job(root, system), paths=_paths(system)), kind or kind_here(system)
    found = [one.kind for one in _found(job, system)]
    steps = schedulers.ALL[chosen].install(job, system)
    for other in found:
        if other != chosen:
            steps += schedulers.ALL[other].remove(job, system)
    verb = ("replace" if found else "install") if steps else "keep"
    return Plan(job.vault, verb, chosen, tuple(steps), _notices(chosen, system))


def remove(root: Path, system: System, kind: str = "") -> Plan:
    """What takes the heartbeat of a vault away, of every kind or of one. The vault may be gone. Changes nothing."""
    job = _job(root, system)
    kinds = [one.kind for one in _found(job, system) if kind in ("", one.kind)]
    steps = [step for one in kinds for step in schedulers.ALL[one].remove(job, system)]
    if steps and job.log.exists():
        steps.append(Gone(job.log))
    return Plan(job.vault, "remove" if steps else "none", ", ".join(kinds) or kind, tuple(steps))


def status(root: Path, system: System) -> list[schedulers.Status]:
    """What is set up for a vault, of every kind that this machine has; mostly one."""
    return _found(_job(root, system), system)


def apply(plan: Plan, system: System) -> None:
    """Carry a plan out. Raises MemdirError, before the first step where the scheduler cannot be used."""
    if plan.verb in ("install", "replace") and (reason := schedulers.ALL[plan.kind].unusable(system)):
        raise MemdirError(reason)
    for step in plan.steps:
        try:
            _take(step, system)
        except OSError as error:
            raise BadData(f"{error.filename}: {error.strerror}; see that you may write there") from error


def _take(step: Step, system: System) -> None:
    match step:
        case Folder(path):
            path.mkdir(0o700, parents=True, exist_ok=True)
        case File(path, text, encoding):
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            generation.write(path, text.encode(encoding))
        case Gone(path):
            path.unlink(missing_ok=True)
        case Call(words, must):
            code, said, wrong = system.run(*words)
            if code != 0 and must:
                raise MemdirError(_failed(" ".join(words), code, wrong or said))
        case Line():
            _put(step, system)


def _put(wanted: Line, system: System) -> None:
    """Write the crontab that was read, with one line changed. Raises Conflict when it is another now."""
    text = schedulers.crontab(system)
    if schedulers.digest(text) != wanted.digest:
        raise Conflict("the crontab has changed meanwhile; nothing was written, run the command again")
    code, said, wrong = system.run("crontab", "-", given=units.with_line(text, wanted.key, wanted.line))
    if code != 0:
        raise MemdirError(_failed("crontab -", code, wrong or said))


def _failed(what: str, code: int, said: str) -> str:
    reason = machine.first_line(said) or f"exit code {code}"
    return f"`{what}` failed: {reason}; mend that and run the command again, use another --kind, or {schedulers.AGENT}"


def _job(root: Path, system: System) -> units.Job:
    """The heartbeat of a vault. Two names of one folder are one job."""
    vault = os.path.realpath(root)
    env = tuple((name, system.env[name]) for name in _KEPT if os.path.isabs(system.env.get(name, "")))
    for text in (vault, system.python, *(value for _, value in env)):
        if re.search(_UNFIT, text):
            raise UsageError(f"{text!r}: control characters, or bytes that are not UTF-8; no scheduler can name it")
    key = names.vault_key(vault)
    # launchd opens the log before the job starts and makes no folder for it, and a cache may be cleared.
    log = system.home / "Library" / "Logs" if system.platform == "darwin" else system.cache / "logs"
    return units.Job(key, vault, system.python, ("--vault", vault, *CALL), log / f"memdir-{key}.log", env)


def _paths(system: System) -> tuple[str, ...]:
    """What PYTHONPATH must hold so that this memdir is imported: nothing where it is installed."""
    code, said, _ = system.run(system.python, "-P", "-c", _IMPORT)
    own = os.path.realpath(str(memdir.__file__))
    if code == 0 and os.path.realpath(said.strip()) == own:
        return ()
    given = [path for path in system.env.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]
    return tuple(dict.fromkeys([os.path.dirname(os.path.dirname(own)), *given]))


def _found(job: units.Job, system: System) -> list[schedulers.Status]:
    return [held for one in schedulers.ALL.values() if (held := one.status(job, system)) is not None]


def _notices(kind: str, system: System) -> tuple[str, ...]:
    """What the user should know before it is done."""
    said = [reason] if (reason := schedulers.ALL[kind].unusable(system)) else []
    if kind == "systemd":
        said.append("it runs while you are logged in; `loginctl enable-linger` lets it run always")
    if kind == "cron" and not said and schedulers.Cron().runs(system) is False:
        said.append("no cron daemon is running: the line waits for one")
    left = sorted({setting.variable for setting in settings_table.TABLE} & {*system.env})
    if left:
        said.append(f"{', '.join(left)}: set in this shell only; what the job should use belongs into config.toml")
    return tuple(said)
