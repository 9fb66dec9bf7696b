"""The long work of a hook, in a process of its own: a transcript comes in, and what its reply used is recorded.

One process works for a session at a time; who finds it at work leaves word and goes. It is niced, ends by itself after
some minutes, and may be killed at any moment: what is missing then, the next one adds.
"""

import contextlib
import glob
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import memdir
from memdir.app import hook_state, importing
from memdir.app.memory import Memory
from memdir.errors import Locked, MemdirError, UsageError
from memdir.index import generation
from memdir.ingest import replies
from memdir.vault import session

LONGEST = 300.0  # seconds that one process may take
NICE = 10
WORK = "work"  # the event by which a hook calls itself
ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done for a session. `nonce`: of the last text that was injected, "" where its use is not asked for;
    `numbers`: the memories of it that the reply used, None where the transcript must tell."""

    client: str
    session: str
    transcript: str
    scope: str = ""
    nonce: str = ""
    numbers: list[int] | None = None


def begin(job: Job, root: Path, place: Path) -> None:
    """Start a process that does it, and do not wait for it."""
    place.mkdir(0o700, parents=True, exist_ok=True)
    package = os.path.dirname(os.path.realpath(str(memdir.__file__)))
    apart: dict[str, int | bool] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    child = subprocess.Popen(
        [sys.executable, package, "--vault", os.fspath(root), "hook", WORK],
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


def run(data: bytes, root: Path, now: Callable[[], datetime] | None) -> None:
    """Do a job in this process, which is for nothing else."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    limit = threading.Timer(LONGEST, os._exit, (0,))
    limit.daemon = True
    limit.start()
    do(read(data), root, now)
    limit.cancel()


def do(job: Job, root: Path, now: Callable[[], datetime] | None) -> None:
    """Do a job, unless another process is at work for the session: that one does it again then."""
    with Memory(root, now=now) as memory:
        place = hook_state.folder(memory.vault.place, job.session)
        if job.nonce:
            _record(memory, job, place)
        hook_state.ask_again(place)
        while hook_state.is_asked(place):
            try:
                with generation.lock(place, 0.0):
                    hook_state.begin(place)
                    _bring(memory, job, place)
            except Locked:
                break
        hook_state.prune(memory.vault.place)


def _record(memory: Memory, job: Job, place: Path) -> None:
    """Note in the ledger which of the injected memories were used; once for each text and number."""
    shown = next((one for one in hook_state.shown(place) if one.nonce == job.nonce), None)
    if shown is None:
        return
    numbers = job.numbers
    if numbers is None and (path := transcript(job)) and (reply := replies.last(path)) and _after(reply.ts, shown.ts):
        numbers = reply.numbers
    numbers = [one for one in numbers or () if 0 < one <= len(shown.ids)]
    for number in hook_state.is_new(place, job.nonce, numbers):
        try:
            memory.used([shown.ids[number - 1]])
        except MemdirError as error:
            hook_state.complain(f"used: {error}")


def _after(reply: str, shown: str) -> bool:
    """Whether a reply may be one to what was shown before: a transcript lags behind what was said."""
    return bool(reply) and session.instant(session.moment(reply)) >= session.instant(session.moment(shown))


def _bring(memory: Memory, job: Job, place: Path) -> None:
    """The turns of the transcript that are not there yet."""
    path = transcript(job)
    if path is None:
        hook_state.complain(f"{job.client}: there is no transcript {job.transcript or 'named'}")
        return
    stamp = hook_state.stamp(path)
    if not hook_state.has_grown(place, path):
        return
    memory.bring(job.client, path, importing.Asked(scope=job.scope))
    hook_state.taken(place, stamp)


def transcript(job: Job) -> Path | None:
    """The transcript of a job; Codex may not name it, and keeps it under the session's id."""
    path = Path(job.transcript)
    if job.transcript and path.is_absolute() and path.suffix == ENDING and path.is_file():
        return path
    if job.client != "codex" or job.transcript:
        return None
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    name = f"rollout-*-{glob.escape(os.path.basename(job.session))}{ENDING}"
    with contextlib.suppress(OSError):
        return max((home / "sessions").glob(f"*/*/*/{name}"), default=None)
    return None
