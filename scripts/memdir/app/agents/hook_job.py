"""What a hook leaves to a process of its own, and how that is started; apart from the work, so that a hook is light."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import memdir
from memdir.app.agents import hook_state
from memdir.errors import UsageError


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done for a session. `nonce`: of the last text that was injected, "" where its use is not asked for;
    `numbers`: the memories of it that the reply says it used, None where it says nothing; `replied`: whether there is
    a reply, else the transcript must tell; `checkpoint`: one is wanted, however full the window is; `ended`: the
    session is over."""

    client: str
    session: str
    transcript: str
    scope: str = ""
    nonce: str = ""
    numbers: list[int] | None = None
    replied: bool = False
    cwd: str = ""
    checkpoint: bool = False
    ended: bool = False


def begin(job: Job, root: Path, place: Path) -> None:
    """Start a process that does it, and do not wait for it."""
    place.mkdir(0o700, parents=True, exist_ok=True)
    package = os.path.dirname(os.path.realpath(str(memdir.__file__)))
    apart: dict[str, int | bool] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    child = subprocess.Popen(
        [sys.executable, package, "--vault", os.fspath(root), "hook", hook_state.WORK],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=place,
        **apart,  # type: ignore[call-overload]
    )
    assert child.stdin
    with child.stdin as pipe:
        pipe.write(json.dumps(asdict(job)).encode())  # a few hundred bytes: no pipe is so small
    child.returncode = 0  # it is nobody's to wait for


def read(data: bytes) -> Job:
    """The job that a hook hands over. Raises UsageError."""
    try:
        return Job(**json.loads(data))
    except (ValueError, TypeError) as error:
        raise UsageError(f"no job of a hook: {error}") from None
