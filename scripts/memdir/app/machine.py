"""The machine as a schedule needs it: its folders, how programs are found and run, and the steps that change it.

A `System` and its programs are values, so that a plan for another system can be made and tried on this one. Steps
are plain values; `schedule.apply` alone carries them out.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which as on_path

from memdir import config

TIMEOUT = 30  # seconds for one program

# Words and input → exit code, output, errors.
Program = Callable[[Sequence[str], str | None], tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class System:
    """Folders of the user, the interpreter, the environment, and how a program is found and run."""

    platform: str
    home: Path
    config_home: Path
    cache: Path
    uid: int
    python: str
    env: Mapping[str, str]
    which: Callable[[str], str | None]
    program: Program

    def run(self, *words: str, given: str | None = None) -> tuple[int, str, str]:
        """Exit code, output and errors of a program; 127 where there is none."""
        return self.program(words, given)


def here() -> System:
    """The machine that memdir runs on."""
    return System(
        platform=sys.platform,
        home=Path.home(),
        config_home=config.config_home().parent,
        cache=config.cache_home(),
        uid=getattr(os, "getuid", lambda: 0)(),
        python=sys.executable or "",
        env=dict(os.environ),
        which=which,
        program=run,
    )


def which(name: str) -> str | None:
    """Path of a program. On Windows the system's folder alone: a search would begin in the current one."""
    if sys.platform != "win32":
        return on_path(name)
    path = Path(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", f"{name}.exe")
    return str(path) if path.is_file() else None


def run(words: Sequence[str], given: str | None = None) -> tuple[int, str, str]:
    """Run a program in the C locale and UTC, so that its times can be read, and without PYTHONPATH."""
    program = words[0] if os.path.isabs(words[0]) else which(words[0])
    if program is None:
        return 127, "", f"there is no program {words[0]}"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"LC_ALL": "C", "TZ": "UTC"}
    code = "oem" if os.name == "nt" else "utf-8"
    try:
        done = subprocess.run(
            [program, *words[1:]],
            input=(given or "").encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=TIMEOUT,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, "", f"no answer within {TIMEOUT} s"
    except OSError as error:
        return 126, "", str(error.strerror)
    return done.returncode, done.stdout.decode(code, "surrogateescape"), done.stderr.decode(code, "replace")


def first_line(text: str) -> str:
    """What a program says first."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


@dataclass(frozen=True, slots=True)
class Folder:
    """Make a folder, if there is none."""

    path: Path
    do: str = field(default="make folder", init=False)


@dataclass(frozen=True, slots=True)
class File:
    """Let a file hold this text."""

    path: Path
    text: str
    encoding: str = "utf-8"
    do: str = field(default="write", init=False)


@dataclass(frozen=True, slots=True)
class Gone:
    """Delete a file, if there is one."""

    path: Path
    do: str = field(default="delete", init=False)


@dataclass(frozen=True, slots=True)
class Call:
    """Run a program. `must`: the plan stops when it fails."""

    words: tuple[str, ...]
    must: bool = True
    do: str = field(default="run", init=False)


@dataclass(frozen=True, slots=True)
class Line:
    """Let the crontab hold this line with the vault's mark, or none (""). `digest`: of the crontab as it was read."""

    key: str
    line: str
    digest: str
    do: str = field(default="crontab line", init=False)


Step = Folder | File | Gone | Call | Line


def shown(step: Step) -> str:
    """A step as a person reads it: one line, and the text of a file behind it."""
    match step:
        case File(path, text):
            return "\n".join([f"write {path}", *(f"    {line}" for line in text.splitlines())])
        case Call(words):
            return f"run {shlex.join(words)}"
        case Line(key, line):
            return f"crontab line: {line.rstrip()}" if line else f"take the line `# memdir {key}` out of the crontab"
        case Folder(path) | Gone(path):
            return f"{step.do} {path}"
