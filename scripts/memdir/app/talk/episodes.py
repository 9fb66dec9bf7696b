"""Episodes of conversations: one entry of the log for each that has ended or fallen idle, with what came of it.

A conversation that goes on gets another when it ends again. Which were summed up, and up to which turn, stands in the
ledger; an episode that was taken back is not made again.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memdir.app import runs, waiting, writing
from memdir.app.talk import sessions, talks
from memdir.index.filters import Filters
from memdir.learn.spoken import episode
from memdir.vault import ledger, log, names, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

OP, VERB = "noted", "episode"
DAYS = 3  # how far back a conversation that fell idle is looked for
MOST = 5  # of one look
LEAST = 2  # turns of the person, or it was a question and an answer


@dataclass(slots=True)
class Summed:
    """The conversations that were summed up, and the run that did it."""

    sessions: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    run: str = ""


def ended(memory: "Memory", source: str, id_: str) -> Summed:
    """Sum up a conversation that has ended."""
    return _sum_up(memory, [(source, id_)])


def idle(memory: "Memory", but: str = "") -> Summed:
    """Sum up those that have been silent for a while; `but`: the id of one that runs."""
    now = memory.clock.now().astimezone(UTC)
    until = now - timedelta(minutes=memory.settings["capture.idle"])
    since = now - timedelta(days=DAYS)
    rows = memory.current().rows(
        "SELECT n.source, n.id, max(t.ts) FROM sessions n JOIN turns t ON t.file = n.file WHERE n.id <> ? AND t.ts >= ?"
        " GROUP BY n.source, n.id ORDER BY 3",
        [but, f"{since - timedelta(days=1):%Y-%m-%d}"],
    )
    silent = [(source, id_) for source, id_, last in rows if since <= _at(last) <= until]
    return _sum_up(memory, silent)


def _at(ts: str) -> datetime:
    return datetime.fromtimestamp(session.instant(ts), UTC)


def _sum_up(memory: "Memory", keys: list[tuple[str, str]]) -> Summed:
    """Entries for those of the conversations that have grown since they were summed up."""
    done, before = Summed(), _before(memory)
    if not memory.own:
        return done
    for key in keys:
        if len(done.sessions) >= MOST:
            break
        parts = [session.parse(path, memory.root.read(path).data) for path in sessions.files_of(memory, *key)]
        turns = [turn for part in parts for turn in part.turns]
        last = max((turn.number for turn in turns), default=0)
        fresh = [turn for turn in turns if turn.number > before[key]]
        people = talks.people(memory)
        if sum(turn.speaker.casefold() in people for turn in fresh) < LEAST:
            continue
        with runs.running(memory, VERB) as run:
            _write(memory, parts[0], fresh, people, done)
            more = {"session": key[1], "source": key[0], "upto": last, "episode": True}
            runs.note(memory, ledger.Event(OP, path=parts[0].path, more=more))
            done.run = run.id
        done.sessions.append(key[1])
    if done.sessions:
        memory.freshen(wait=memory.settings["sync.lock_wait"])
    return done


def _write(
    memory: "Memory", first: session.Session, turns: list[session.Turn], people: frozenset[str], done: Summed
) -> None:
    found = episode.summed_up(turns, people, _open(memory, first))
    if found is None:
        return
    stem = first.path.rsplit("/", 1)[-1].removesuffix(".md")
    told = f"- source:: [[{stem}#^t{turns[0].number}]] to ^t{turns[-1].number}"
    scope = [f"- scope:: {first.scope}"] if first.scope else []
    lines = [*found.lines, *scope, f"- outcome:: {found.outcome}", told, log.OWN]
    done.changed += writing.do(memory, [writing.entry(memory, f"Conversation: {found.title}", lines)], False).changed


def _open(memory: "Memory", first: session.Session) -> list[str]:
    """What was promised in a conversation and is still to be done."""
    stem = first.path.rsplit("/", 1)[-1].removesuffix(".md")
    reader = memory.current()
    rows = reader.rows(
        "SELECT DISTINCT f.path, l.line + 1 FROM links l JOIN files f ON f.id = l.file WHERE l.key = ?",
        [names.fold(stem)],
    )
    places = set(rows)
    return [loop.text for loop in waiting.listed(reader, Filters()) if (loop.path, loop.line) in places]


def _before(memory: "Memory") -> Counter[tuple[str, str]]:
    """The number of the last turn that an episode tells of, by conversation."""
    found = Counter[tuple[str, str]]()
    for event in memory.ledger.of(OP):
        id_, source, upto = (event.more.get(key) for key in ("session", "source", "upto"))
        if event.more.get("episode") and isinstance(id_, str) and isinstance(upto, int):
            key = (str(source), id_)
            found[key] = max(found[key], upto)
    return found
