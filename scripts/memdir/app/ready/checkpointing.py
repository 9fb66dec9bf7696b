"""The saving of a checkpoint: what a conversation was about, from its session in the vault and from its transcript.

One run, one file in `memory/checkpoints/`, written over by the next checkpoint of the same conversation.
"""

from typing import TYPE_CHECKING

from memdir.app import runs, writing
from memdir.app.exchange import importing
from memdir.app.ready.checkpoints import Asked
from memdir.app.talk import sessions
from memdir.errors import MemdirError, NotFound, UsageError
from memdir.ingest import surroundings
from memdir.learn import checkpointing
from memdir.text import cut
from memdir.vault import checkpoint as checkpoints
from memdir.vault import session, store
from memdir.vault.checkpoint import Checkpoint
from memdir.vault.session import Turn

if TYPE_CHECKING:
    from memdir.app.memory import Memory

FILES, SAID = 20, 2_000  # files that are named; characters of what the agent writes down itself


def checkpoint(memory: "Memory", asked: Asked, dry_run: bool) -> writing.Done:
    """Save one. Raises NotFound for a conversation that is not in the vault, UsageError where nothing is asked for."""
    if asked.take and asked.transcript and not dry_run:
        memory.bring("", asked.transcript, importing.Asked(scope=asked.scope))
    with runs.running(memory, "checkpoint"):
        return _saved(memory, asked, dry_run)


def _saved(memory: "Memory", asked: Asked, dry_run: bool) -> writing.Done:
    if not asked.session and not asked.said.strip():
        raise UsageError("name a conversation (`memdir sessions list`), or say with --text what matters")
    about, turns = _conversation(memory, asked)
    beside = _beside(asked)
    told = checkpointing.summary(turns)
    made = Checkpoint(
        session=about.id,
        source=about.source,
        scope=asked.scope or about.scope,
        cwd=asked.cwd or beside.cwd,
        saved=memory.clock.now().isoformat(timespec="seconds"),
        why=asked.why,
        turns=len(turns),
        tokens=asked.tokens,
        first=told.first,
        said=cut(asked.said.strip(), SAID),
        last=tuple(told.last),
        loops=tuple(told.loops),
        decisions=tuple(told.decisions),
        files=tuple(beside.files[:FILES]),
    )
    path = checkpoints.path_of(made.session, made.saved)
    data = writing.clean(memory, checkpoints.render(made)).encode("utf-8", "replace")
    base = memory.root.read(path).digest if memory.root.stat(path) else None
    done = writing.do(memory, [store.Write(path, data, base, shrink_ok=True)], dry_run)
    done.path = path
    return done


def _conversation(memory: "Memory", asked: Asked) -> tuple[session.Session, list[Turn]]:
    """The session that is meant, and its turns; where only something is said, the vault need not have it."""
    nothing = session.Session("", session.id_of(asked.session), "")
    if not asked.session:
        return nothing, []
    try:
        return sessions.whole(memory, session.id_of(asked.session))
    except NotFound:
        if not asked.said.strip():
            raise
        return nothing, []


def _beside(asked: Asked) -> surroundings.Surroundings:
    """What the transcript tells besides; a file that cannot be read tells nothing."""
    try:
        return surroundings.read(asked.transcript) if asked.transcript else surroundings.Surroundings()
    except (MemdirError, OSError):
        return surroundings.Surroundings()
