"""The long work of a hook, in a process of its own: a transcript comes in, and what its reply used is recorded.

One process works for a session at a time; who finds it at work leaves word and goes. It is niced, ends by itself after
some minutes, and may be killed at any moment: what is missing then, the next one adds.
"""

import contextlib
import glob
import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memdir.app import capturing, episodes, hook_job, hook_state, importing, sessions
from memdir.app.hook_job import Job
from memdir.app.memory import Memory
from memdir.errors import Locked, MemdirError
from memdir.index import generation
from memdir.ingest import replies
from memdir.vault import session

LONGEST = 300.0  # seconds that one process may take
NICE = 10
ENDING = ".jsonl"


def run(data: bytes, root: Path, now: Callable[[], datetime] | None) -> None:
    """Do a job in this process, which is for nothing else."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    limit = threading.Timer(LONGEST, os._exit, (0,))
    limit.daemon = True
    limit.start()
    do(hook_job.read(data), root, now)
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
        _sum_up(memory, job)
        hook_state.prune(memory.vault.place)


def _sum_up(memory: Memory, job: Job) -> None:
    """Episodes of the session, where it has ended, and of those that fell idle."""
    if not memory.settings["capture.hooks"]:
        return
    try:
        if job.ended and (held := sessions.named(memory, job.session)):
            episodes.ended(memory, *held)
        episodes.idle(memory, job.session)
    except MemdirError as error:
        hook_state.complain(f"episode: {error}")


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
    done = memory.bring(job.client, path, importing.Asked(scope=job.scope))
    if done.files and memory.own and memory.settings["capture.hooks"]:
        try:
            capturing.captured(memory, done.files, job.scope)
        except MemdirError as error:
            hook_state.complain(f"capture: {error}")
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
