"""The long work of a hook, in a process of its own: a transcript comes in, what its reply used is recorded, what
Claude Code itself has noted beside it is imported, and before its window is full a checkpoint is saved.

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

from memdir.app.agents import hook_job, hook_state
from memdir.app.agents.hook_job import Job
from memdir.app.exchange import importing
from memdir.app.memory import Memory
from memdir.app.ready import checkpoints
from memdir.app.talk import capturing, episodes, sessions
from memdir.errors import Locked, MemdirError, NotFound
from memdir.index import generation
from memdir.ingest import surroundings
from memdir.ingest.agents import replies
from memdir.vault import session

LONGEST = 300.0  # seconds that one process may take
NICE = 10
ENDING = ".jsonl"
OWN = "memory"  # the folder beside its transcripts in which Claude Code keeps what it wants to remember
NONE = 0  # in place of the number of a memory: none was used


def run(data: bytes, root: Path, now: Callable[[], datetime] | None) -> None:
    """Do a job in this process, which is for nothing else. Raises UsageError for what is none."""
    job = hook_job.read(data)
    if hasattr(os, "nice"):
        os.nice(NICE)
    limit = threading.Timer(LONGEST, os._exit, (0,))
    limit.daemon = True
    limit.start()
    try:
        do(job, root, now)
    finally:
        limit.cancel()


def do(job: Job, root: Path, now: Callable[[], datetime] | None) -> None:
    """Do a job, unless another process is at work for the session: that one does it again then."""
    with Memory(root, now=now) as memory:
        place = hook_state.folder(memory.vault.place, job.session)
        if job.nonce:
            _record(memory, job, place)
        if job.checkpoint:
            hook_state.want(place)
        hook_state.ask_again(place)
        while hook_state.is_asked(place):
            try:
                with generation.lock(place, 0.0):
                    hook_state.begin(place)
                    _bring(memory, job, place)
                    _checkpoint(memory, job, place)
            except Locked:
                break
        try:
            _bring_own(memory, job)
        except (MemdirError, OSError) as error:
            hook_state.complain(f"claude-memory: {error}")
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
    """Note in the ledger which of the injected memories were used; once for each text and number. That none was is
    noted where the reply says so, or says nothing and the agent has named numbers before in this session."""
    shown = next((one for one in hook_state.shown(place) if one.nonce == job.nonce), None)
    if shown is None:
        return
    numbers, replied = job.numbers, job.replied
    if not replied and (path := transcript(job)) and (reply := replies.last(path)) and _after(reply.ts, shown.ts):
        numbers, replied = reply.numbers, True
    named = [one for one in numbers or () if 0 < one <= len(shown.ids)]
    if numbers == [] or (numbers is None and replied and hook_state.has_named(place)):
        if hook_state.is_new(place, job.nonce, [NONE]):
            memory.passed_over(shown.ids)
        return
    for number in hook_state.is_new(place, job.nonce, named):
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


def _bring_own(memory: Memory, job: Job) -> None:
    """What Claude Code has written into its own memory of the project, beside the transcript."""
    path = transcript(job)
    folder = path.parent / OWN if path and job.client == "claude-code" else None
    if not folder or not (folder / "MEMORY.md").is_file():
        return
    place, stamp = hook_state.folder(memory.vault.place, os.fspath(folder)), hook_state.stamp(folder)
    if hook_state.has_grown(place, folder):
        memory.bring("claude-memory", folder, importing.Asked(scope=job.scope, trust="agent"))
        hook_state.taken(place, stamp)


def _checkpoint(memory: Memory, job: Job, place: Path) -> None:
    """Save what the conversation is about before it is compacted: when the client says so, and when its window is
    nearly full, once for each twentieth of it."""
    path = transcript(job)
    if path is None:
        return
    tokens, window = surroundings.filled(path)
    window = window or memory.settings["checkpoint.window"]
    last = hook_state.saved(place)
    grown = not last or tokens < last or tokens >= last + window / 20
    wanted = hook_state.is_wanted(place)
    if not wanted and (tokens < window * memory.settings["checkpoint.share"] or not grown):
        return
    why = "compact" if wanted else "window"
    try:
        memory.checkpoint(checkpoints.Asked(job.session, "", job.cwd, job.scope, path, why, tokens))
    except NotFound:
        return  # nothing of it came in: there is nothing to say of it either
    hook_state.save(place, tokens)


def transcript(job: Job) -> Path | None:
    """The transcript of a job; Codex may not name it, and keeps it under the session's id."""
    path = Path(job.transcript)
    if job.transcript and path.is_absolute() and path.suffix == ENDING and os.path.isfile(path):
        return path
    if job.client != "codex" or job.transcript:
        return None
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    name = f"rollout-*-{glob.escape(os.path.basename(job.session))}{ENDING}"
    with contextlib.suppress(OSError):
        return max((home / "sessions").glob(f"*/*/*/{name}"), default=None)
    return None
