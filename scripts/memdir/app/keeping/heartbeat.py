"""The heartbeat: upkeep when it is due (sync, distillation, workspace scan), told by one small file.

`memory/heartbeat-state.json` says when each ran last; one that is missing, damaged or says nothing of it is made up
from the ledger. Keys of others in it are kept. An adopted folder that has no such file gets it in `.memdir/`, and
nothing is distilled into it unasked. Two heartbeats at once: the second one leaves.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memdir.app import runs
from memdir.config import Settings
from memdir.errors import Conflict, Locked, MemdirError, UsageError
from memdir.index import generation, sync
from memdir.vault import files, layout, ledger

if TYPE_CHECKING:
    from memdir.app.memory import Memory

STATE = layout.HEARTBEAT_FILE
_NAME = STATE.rpartition("/")[2]
SYNC, DISTILL, SCAN, COUNT = "lastMemorySync", "lastDistillation", "lastWorkspaceScan", "memorySyncCount"
ADOPTED = "adopted: run `memdir distill` when you want it"
EMBED_SECONDS = 60.0  # of a heartbeat, for vectors that are missing
_VERBS = {SYNC: "sync", DISTILL: "distill", SCAN: "scan"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TRIES = 3  # times the state is written anew because somebody saved it meanwhile
SLACK = timedelta(minutes=10)  # a time so far ahead is a clock that was wrong


@dataclass(slots=True)
class Beat:
    """What one heartbeat did: step → what came of it, steps that failed, and what is due next."""

    done: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)


def due(state: Mapping[str, Any], now: datetime, settings: Settings, *, night: bool = False) -> list[str]:
    """The steps that are due at `now` (in the vault's zone), in order; pure. `night`: as if it were between 2 and 3."""

    def older(key: str, hours: float) -> bool:
        age = now - moment(state.get(key))
        return age > timedelta(hours=hours) or age < -SLACK

    steps = []
    if older(SYNC, settings["heartbeat.sync_hours"]):
        steps.append("sync")
    first, last = settings["heartbeat.night_from"], settings["heartbeat.night_to"]
    hours = settings["heartbeat.distill_hours"]
    if (older(DISTILL, hours) and (night or first <= now.hour < last)) or older(DISTILL, hours * 2.5):
        steps.append("distill")
    third = (_count(state) + 1) % settings["heartbeat.scan_every"] == 0
    if "sync" in steps and third and older(SCAN, settings["heartbeat.scan_hours"]):
        steps.append("scan")
    return steps


def moment(value: object) -> datetime:
    """A time of the state; long ago for what is none."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else _EPOCH
    except ValueError:
        return _EPOCH
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _count(state: Mapping[str, Any]) -> int:
    value = state.get(COUNT)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def beat(memory: "Memory", *, force: bool, now: bool, dry_run: bool) -> Beat:
    """Do what is due. A step that fails does not keep the others from running."""
    found = Beat()
    try:
        with generation.lock(memory.vault.place / "heartbeat", 0.0):
            state, digest = _load(memory, found)
            steps = ["sync", "distill", "scan"] if force else due(state, memory.clock.now(), memory.settings, night=now)
            for step in steps:
                unasked = step == "distill" and not (memory.own or force)
                if dry_run:
                    found.done[step] = ADOPTED if unasked else "due"
                    continue
                try:
                    found.done[step] = ADOPTED if unasked else _STEPS[step](memory, found)
                except (MemdirError, OSError) as error:
                    found.failed[step] = str(error)
                    continue
                _mark(state, step, memory.clock.now())
                digest = _save(memory, state, digest, found)
            found.state = state
    except Locked:
        found.notices.append("another heartbeat is at work")
    return found


def _sync(memory: "Memory", found: Beat) -> str:
    from memdir.app import runs

    with runs.running(memory, "sync"):
        report, done = memory.sync(sync.Options(wait=memory.settings["sync.lock_wait"]))
        counts = {"added": report.added, "changed": report.modified, "moved": report.moved, "removed": report.removed}
        runs.ended(memory, files=report.files, **counts)
    drained = memory.top_up(EMBED_SECONDS)
    embedded = report.embedded + drained.embedded
    found.notices += [*done.notices, *([f"vectors: {drained.failed}"] if drained.failed else [])]
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing new"
    more = f"; wrote {', '.join(done.changed)}" if done.changed else ""
    if summed := memory.episodes().sessions:
        more += f"; {len(summed)} conversation{'' if len(summed) == 1 else 's'} summed up"
    more += f"; {embedded} vectors made, {drained.left} to come" if embedded or drained.left else ""
    return f"{report.files} files, {said}{more}"


def _distill(memory: "Memory", found: Beat) -> str:
    with runs.running(memory, "distill"):  # one run, so that one undo takes back the briefs too
        night = memory.distill()
        briefed = _briefed(memory, found)
    found.notices += night.notices
    kinds = (f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in sorted(night.learned.items()))
    said = ", ".join(kinds) or "nothing new"
    found.notices += night.failed[:3]
    more = f"; {night.waiting} wait" if night.waiting else ""
    more += f"; {len(night.failed)} could not be read by the model" if night.failed else ""
    more += f"; {night.calls} model calls, {night.tokens} tokens" if night.calls else ""
    read = "1 entry" if night.entries == 1 else f"{night.entries} entries"
    return f"{read}, {said}{more}{f' (run {night.run})' if night.changed else ''}{briefed}"


def _briefed(memory: "Memory", found: Beat) -> str:
    """The briefs, behind a distillation: what they are made from may be other notes now."""
    from memdir.app.ready import briefs

    try:
        made = briefs.renew(memory)
    except (MemdirError, OSError) as error:
        found.notices.append(f"the briefs stay as they are: {error}")
        return ""
    return f"; {len(made.scopes)} brief{'' if len(made.scopes) == 1 else 's'} anew" if made.scopes else ""


def _scan(memory: "Memory", found: Beat) -> str:
    try:
        scan = memory.scan()
    except UsageError as error:
        return str(error).partition(":")[0]  # no workspace set, no inbox: nothing that a heartbeat could mend
    found.notices += [*scan.notices, *(f"{look.workspace}: {look.problem}" for look in scan.looks if look.problem)]
    looked = f"{len(scan.looks)} workspace{'' if len(scan.looks) == 1 else 's'}"
    return f"{looked}, {len(scan.proposed)} proposed{f' (run {scan.run})' if scan.changed else ''}"


_STEPS: dict[str, Callable[["Memory", Beat], str]] = {"sync": _sync, "distill": _distill, "scan": _scan}


def _mark(state: dict[str, Any], step: str, now: datetime) -> None:
    key = next(key for key, verb in _VERBS.items() if verb == step)
    state[key] = now.isoformat(timespec="seconds")
    if step == "sync":
        state[COUNT] = _count(state) + 1


def _load(memory: "Memory", found: Beat) -> tuple[dict[str, Any], str | None]:
    """The state, and the digest of its file; what is missing from it comes from the ledger."""
    state, digest = _read(memory)
    if state is None and digest:
        found.notices.append(f"{STATE} could not be read; made anew from the ledger")
    if state is None or not any(key in state for key in _VERBS):
        state = {**(state or {}), **from_ledger(memory.ledger.events())}
    return state, digest


def _hidden(memory: "Memory") -> bool:
    """Whether the state lies in `.memdir/`: an adopted folder gets no file that it did not have."""
    return not memory.own and memory.root.stat(STATE) is None


def _read(memory: "Memory") -> tuple[dict[str, Any] | None, str | None]:
    """What the file says and its digest; None for what is not there or no state."""
    if _hidden(memory):
        data = next(iter(memory.root.state.texts("", _NAME, meta=True)), None)
    else:
        data = memory.root.read(STATE).data if memory.root.stat(STATE) else None
    if data is None:
        return None, None
    try:
        state = json.loads(data)
    except (ValueError, RecursionError):
        state = None
    return (state if isinstance(state, dict) else None), files.digest(data)


def from_ledger(events: list[ledger.Event]) -> dict[str, Any]:
    """The state that a ledger tells of."""
    state: dict[str, Any] = {}
    for event in events:
        if event.op == "run_ended":
            for key, verb in _VERBS.items():
                if event.more.get("verb") == verb:
                    state[key] = event.ts.replace("Z", "+00:00")
                    state[COUNT] = _count(state) + (verb == "sync")
    return state


def _save(memory: "Memory", state: dict[str, Any], digest: str | None, found: Beat) -> str | None:
    """Write the state, and into it what somebody else saved meanwhile; where that fails, the steps are done again."""
    try:
        for _ in range(TRIES):
            data = json.dumps(state, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n"
            if _hidden(memory):
                memory.root.state.put(_NAME, data)
                return files.digest(data)
            try:
                return memory.root.write(STATE, data, base=digest, shrink_ok=True).digest
            except Conflict:
                theirs, digest = _read(memory)
                ours = {key: state[key] for key in (*_VERBS, COUNT) if key in state}
                state.update((theirs or {}) | ours)
        found.notices.append(f"{STATE} is being changed by another program; not written")
    except (MemdirError, OSError) as error:
        found.notices.append(f"{STATE} could not be written: {error}")
    return digest
