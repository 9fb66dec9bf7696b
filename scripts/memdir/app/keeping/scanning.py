"""The workspace scan: files that are new or changed become proposals in the inbox, each once, as one run.

A file is known again by workspace, path and digest (`captured` and `blocked` in the ledger), so what was proposed,
accepted or refused is not proposed again, nor is what a run brought that was taken back. When a workspace was looked
at last stands in the `run_ended` of verb `scan`, for each device. Writes proposals only, nothing in a workspace.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memdir.app import runs, vaults, writing
from memdir.app.keeping import inbox
from memdir.errors import BadData, Locked, MemdirError, UsageError
from memdir.index import generation
from memdir.learn import items
from memdir.learn.workspace import artifacts, git, inert
from memdir.learn.workspace import look as workspace
from memdir.learn.workspace import scan as learn
from memdir.vault import draft, layout, ledger, names

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FILES = 200  # that one scan of a workspace reads at least; the others wait for the next
_ORDERS, _LINES = "reads like orders to an assistant", "lines that read like orders to an assistant"
_NO_WORKSPACE = "no workspace set (scan.workspaces): name one, or list them under that name in the user's configuration"
_NO_INBOX = f"no inbox: proposals would lie in {layout.INBOX}/ of this adopted folder; make that folder to have them"


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal of this scan. `path`: its file in the inbox; `source`: path in the workspace; `why`: new, changed."""

    path: str
    type: str
    title: str
    source: str
    why: str


@dataclass(slots=True)
class Look:
    """What one workspace gave. `since`: "" when everything was new; `skipped`: why something was left out, how often.

    `waiting`: files left for the next scan, which then looks from the same time on; `problem`: for a person to hear.
    """

    workspace: str
    since: str = ""
    looked: int = 0
    proposed: list[Proposed] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    waiting: int = 0
    problem: str = ""


@dataclass(slots=True)
class Scan:
    """What one scan did or, in a dry run, would do (`diff`). `run` takes the proposals away again."""

    run: str = ""
    looks: list[Look] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""

    @property
    def proposed(self) -> list[Proposed]:
        return [one for look in self.looks for one in look.proposed]


@dataclass(frozen=True, slots=True)
class _Past:
    """What was proposed before, by key, and when a workspace was looked at last from this device."""

    keys: set[str]
    times: Mapping[str, str]

    def known(self, name: str) -> set[tuple[str, str]]:
        """(path, digest) of what was proposed from workspaces of this name."""
        told = (key.removeprefix(f"{name}:").rpartition("@") for key in self.keys if key.startswith(f"{name}:"))
        return {(source, digest) for source, _, digest in told}

    def since(self, place: Path, now: datetime) -> datetime | None:
        """The time to look from; None for a workspace that was never looked at, or not before a clock was set back."""
        try:
            last = datetime.fromisoformat(self.times[str(place)])
        except (KeyError, ValueError):
            return None
        return last if last.tzinfo and last <= now else None


@dataclass(slots=True)
class _Found:
    """One look with what follows from it: notes to propose by key, keys not to be looked at again, the time reached."""

    look: Look
    drafts: list[tuple[str, draft.NewNote]] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    until: str = ""


@runs.verb
def scan(memory: "Memory", workspaces: Sequence[Path], since: str, most: int, dry_run: bool) -> Scan:
    """Propose at most `most` notes for each workspace, from a day on or from its last scan.

    Raises UsageError when there is no workspace or no place for proposals, NotFound when none could be opened.
    """
    places = chosen(memory, workspaces)
    day = _day(memory, since)
    with _alone(memory, dry_run):
        past, found, failed = _past(memory), list[_Found](), list[MemdirError]()
        for place in places:
            try:
                found.append(_looked(memory, place, day, past, most))
            except MemdirError as error:
                failed.append(error)
                found.append(_Found(Look(str(place), problem=str(error))))
        if len(failed) == len(places):
            raise failed[0]
        return _propose(memory, found, dry_run)


@runs.verb
def capture_workspace(memory: "Memory", workspaces: Sequence[Path], since: str, most: int, dry_run: bool) -> Scan:
    """Propose notes about what agents left behind in folders; `since`: how far back, one of `artifacts.SINCE`, "" for
    everything.

    Raises UsageError when there is no folder or no place for proposals, NotFound when none could be opened.
    """
    places = chosen(memory, workspaces)
    if since and since not in artifacts.SINCE:
        raise UsageError(f"--since takes one of {', '.join(artifacts.SINCE)}, not {since!r}")
    day = memory.clock.now() - artifacts.lately(since) if since else None
    with _alone(memory, dry_run):
        past = replace(_past(memory), times={})
        return _propose(memory, [_looked(memory, one, day, past, most, artifacts.ARTIFACTS) for one in places], dry_run)


def chosen(memory: "Memory", given: Sequence[Path]) -> list[Path]:
    """The workspaces to look at: those given, else those of the setting, else the vault's own. Raises UsageError."""
    places = list(given) or [Path(os.path.expanduser(one)) for one in memory.settings["scan.workspaces"]]
    if wrong := [place for place in places if not place.is_absolute()]:
        raise BadData(f"{str(wrong[0])!r} is not an absolute path, as a workspace of `scan.workspaces` must be")
    places = places or _own(memory)
    if not places:
        raise UsageError(_NO_WORKSPACE)
    if not _has_inbox(memory):
        raise UsageError(_NO_INBOX)
    return list(dict.fromkeys(place.resolve() for place in places))


def _own(memory: "Memory") -> list[Path]:
    """The workspace that a vault lies in or is; a work tree around the home folder is none: nobody means all of it."""
    root = memory.root.path.resolve()
    if not memory.own and vaults.kind_of(root) == "openclaw":
        return [root]
    top = git.top(root)
    if top and not Path(os.path.expanduser("~")).resolve().is_relative_to(top):
        return [top]
    return [] if memory.own else [root]


def _has_inbox(memory: "Memory") -> bool:
    """Whether proposals may lie in the vault: in an adopted one only where an agent keeps its memory there."""
    root = memory.root.path
    agent = (root / "memory").is_dir() and ((root / layout.INDEX_FILE).is_file() or vaults.kind_of(root) == "openclaw")
    return memory.own or agent or (root / layout.INBOX).is_dir()


def _day(memory: "Memory", since: str) -> datetime | None:
    if since and not names.is_day(since):
        raise UsageError(f"{since!r} is not a day like 2026-11-29")
    return datetime.fromisoformat(since).replace(tzinfo=memory.clock.now().tzinfo) if since else None


@contextmanager
def _alone(memory: "Memory", dry_run: bool) -> Iterator[None]:
    """No other scan reads the ledger before this one has written what it proposes. Raises Locked."""
    with ExitStack() as lock:
        try:
            if not dry_run:
                lock.enter_context(generation.lock(memory.vault.place / "scan", memory.settings["sync.lock_wait"]))
        except Locked:
            raise Locked("another scan of this vault is at work; try again in a moment") from None
        yield


def _past(memory: "Memory") -> _Past:
    events = memory.ledger.events()
    times: dict[str, str] = {}
    for event in events:
        said = event.more
        if event.op == "run_ended" and (said.get("verb"), said.get("device")) == ("scan", memory.ledger.device):
            told = said.get("workspaces")
            times |= {path: str(time) for path, time in told.items()} if isinstance(told, dict) else {}
    return _Past(inbox.seen(events) | {one.key for one in inbox.listed(memory)}, times)


def _looked(
    memory: "Memory",
    place: Path,
    day: datetime | None,
    past: _Past,
    most: int,
    pick: workspace.Pick = workspace.DOCUMENTS,
) -> _Found:
    """Look at one workspace. Raises NotFound when it cannot be opened."""
    now = memory.clock.now()
    last = past.since(place, now)
    since, name = day or last, _plain(memory, place.name)
    known = past.known(name)
    seen = workspace.changed(
        place,
        since,
        exclude=memory.root.path,
        most=max(FILES, most),
        known=known,
        is_note=_notes(memory, place),
        pick=pick,
    )
    offer = learn.proposals(seen, date.fromisoformat(memory.clock.today()), known=known, most=most)
    look = Look(str(place), f"{since:%Y-%m-%d %H:%M}" if since else "", seen.looked, problem=seen.problem)
    found = _Found(look)
    look.skipped = {**seen.skipped, "says nothing to quote": offer.empty}
    look.skipped["known"] = seen.skipped.get("known", 0) + offer.known
    look.waiting = offer.rest + look.skipped.pop("beyond the limit", 0)
    for one in offer.proposals:
        held, drafts = len(memory.redacted), len(found.drafts)
        _draft(memory, name, one, past, found)
        if len(found.drafts) == drafts:
            del memory.redacted[held:]  # secrets of what is not written are nothing to tell of
    look.skipped = {why: count for why, count in look.skipped.items() if count}
    # A day asked for that lies behind the last scan leaves a gap, which the next one still looks at.
    if not look.waiting and not (day and last and day > last):
        found.until = now.isoformat(timespec="seconds")
    return found


def _notes(memory: "Memory", place: Path) -> Callable[[str], bool] | None:
    """Says of a path of the workspace whether recall finds it as a note anyhow; None where none of them is."""
    root = memory.root.path.resolve()
    if not place.is_relative_to(root):
        return None
    below = place.relative_to(root)
    return lambda path: memory.vault.rules.takes((below / path).as_posix())


def _draft(memory: "Memory", name: str, one: learn.Proposal, past: _Past, found: _Found) -> None:
    """Add what becomes of one proposal: a note without secrets and without orders to an assistant, or none."""
    source = _plain(memory, one.source)
    key = f"{name}:{source}@{one.digest}"
    title = writing.clean(memory, one.title)
    body, dropped = _body(writing.clean(memory, one.body))
    skipped = found.look.skipped
    if key in past.keys:
        skipped["known"] += 1
    elif _orders(title) or _orders(source) or not body:
        skipped[_ORDERS] = skipped.get(_ORDERS, 0) + 1
        found.refused.append(key)
    else:
        skipped[_LINES] = skipped.get(_LINES, 0) + dropped
        more = {"source": source, "origin": key, "trust": "external", "status": inbox.PROPOSED}
        found.drafts.append((key, draft.NewNote(title, one.kind, body, more=more)))
        found.whys.append(one.reason)


def _body(body: str) -> tuple[str, int]:
    """A body without the lines that give orders, and how many these were; "" when nothing quoted is left."""
    kept: list[str] = []
    dropped = 0
    for line in body.split("\n"):
        if items.order(line if line.startswith(">") else line.replace("/", " ")):
            dropped += 1
        elif line != ">" or (kept and kept[-1] not in (">", "")):
            kept.append(line)
    joined = "\n".join(kept).replace("\n>\n\n", "\n\n").strip("\n")
    return (joined if any(line.strip("> ") for line in kept if line.startswith(">")) else ""), dropped


def _orders(said: str) -> bool:
    """Whether a title or a path gives orders; the slashes of a deep path are no packed text."""
    return items.order(said.replace("/", " "))


def _plain(memory: "Memory", path: str) -> str:
    """A stranger's path as text that nothing acts on, and without secrets."""
    return writing.clean(memory, inert.inline(path).replace("\\#", "#"))


def _propose(memory: "Memory", found: Sequence[_Found], dry_run: bool) -> Scan:
    """Write the proposals, and into the ledger what was refused and how far each workspace was looked at."""
    assert memory.run
    drafts = [pair for one in found for pair in one.drafts]
    if not drafts:
        memory.redacted.clear()
    written = inbox.propose(memory, drafts, dry_run)
    done = Scan(changed=written.changed, notices=written.notices, diff=written.diff)
    paths = iter(written.changed)
    for one in found:
        one.look.proposed = list(_shown(one, paths))
        done.looks.append(one.look)
    if dry_run:
        return done
    done.run = memory.run.id
    refused = [ledger.Event("blocked", why=_ORDERS, more={"key": key}) for one in found for key in one.refused]
    runs.note(memory, *refused)
    times = {one.look.workspace: one.until for one in found if one.until}
    runs.ended(memory, device=memory.ledger.device, workspaces=times, proposed=len(done.proposed))
    return done


def _shown(found: _Found, paths: Iterator[str]) -> Iterator[Proposed]:
    for (_, note), why in zip(found.drafts, found.whys, strict=True):
        yield Proposed(next(paths), note.type, note.title, str(note.more["source"]), why)
