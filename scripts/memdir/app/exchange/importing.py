"""An import: a source of another tool, streamed by its reader, into sessions and notes. One run.

What was imported is known from the files: a second import, or one after a kill, adds what is missing and nothing else.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memdir.app import runs
from memdir.app.exchange import ingesting
from memdir.errors import UsageError
from memdir.ingest import exported, kinds, members
from memdir.ingest.records import Filed, Left, Noted, Record, Said, Wanted
from memdir.vault import names, session

if TYPE_CHECKING:
    from memdir.app.memory import Memory

Told = Callable[[int], None]  # how many records came
KINDS = (*kinds.MODULES, *kinds.ALIASES)
_MIB = 1 << 20
_CLOUD = re.compile(r"(.*/)?\.([^/]+)\.icloud")
MOST_NAMED = 20  # files that are named


@dataclass(frozen=True, slots=True)
class Asked:
    """What to take. `since`: an ISO day, what is dated before it is left out; `limit`: conversations and notes at most,
    0 for all; `source`: what it is said to come from, else the kind; `tools`: also what tools were given and gave back;
    `thoughts`: also what a model thought; `trust`: of the notes, "agent" for what the user's own agent wrote."""

    since: str = ""
    limit: int = 0
    scope: str = ""
    source: str = ""
    tools: bool = False
    thoughts: bool = False
    trust: str = "external"


@runs.verb
def import_(
    memory: "Memory",
    kind: str,
    path: Path,
    asked: Asked,
    dry_run: bool,
    progress: Told | None = None,
) -> ingesting.Ingested:
    """`kind`: a name of `kinds.MODULES` or `ALIASES`, "" to tell it by the source.
    Raises UsageError, NotFound, BadData."""
    if asked.since and not names.is_day(asked.since):
        raise UsageError(f"--since takes a day such as 2026-11-29, not {asked.since!r}")
    path = path.expanduser()
    source = exported.opened(path, _most(memory)) if kind == exported.NAME else opened(memory, path)
    name = kinds.ALIASES.get(kind, kind) or kinds.told(source)
    if name == exported.NAME and not kind:
        raise UsageError(
            f"{source.name} is of memdir: its notes come in as they are, without review; if it is yours, say so: "
            f"memdir import {name} {path}"
        )
    done = ingesting.Ingested(asked.source or name)
    if not kind and (others := kinds.also(source, name)):
        done.notices.append(f"it looks like {', '.join(others)} as well: name that to bring it in, too")
    if not kind and (apart := kinds.singly(source, name)):
        shown = ", ".join(f"{one} ({of})" for one, of in [*apart.items()][:MOST_NAMED])
        done.notices.append(f"not read as {name}; import each by itself: {shown}")
    done.notices += _away(source.names)
    records = _within(kinds.kind(name).read(source, Wanted(asked.tools, asked.thoughts)), asked, done)
    done = ingesting.taken(memory, _counted(records, progress), done, asked.scope, dry_run)
    if done.files and not dry_run:
        from memdir.app.keeping import embedding

        done.notices += embedding.to_come(memory)
    return done


def opened(memory: "Memory", path: Path) -> members.Members:
    """A source that lies elsewhere, opened within the limits of the settings. Raises UsageError, NotFound, BadData."""
    return members.opened(_outside(memory, path), _most(memory), memory.root.path)


def _most(memory: "Memory") -> members.Limits:
    return members.Limits(
        member=int(memory.settings["import.member_mb"]) * _MIB, total=int(memory.settings["import.archive_mb"]) * _MIB
    )


def _outside(memory: "Memory", path: Path) -> Path:
    """A path that is not in the vault's own memory, or each import would find what the last one wrote."""
    own = memory.root.path.resolve()
    place = path.resolve()
    if place == own or (own / "memory") in (place, *place.parents):
        raise UsageError(f"{path} belongs to this vault; an import takes what lies elsewhere")
    return path


def _away(found: Sequence[str]) -> list[str]:
    """A word on the files that a cloud client shows and has not brought here: `.N.md.icloud` for `N.md`."""
    away = [f"{match[1] or ''}{match[2]}" for one in found if (match := _CLOUD.fullmatch(one))]
    more = [f"{len(away) - MOST_NAMED} more"] if len(away) > MOST_NAMED else []
    return [f"not read, because only the cloud has them: {', '.join([*away[:MOST_NAMED], *more])}"] if away else []


def _within(records: Iterator[Record], asked: Asked, done: ingesting.Ingested) -> Iterator[Record]:
    """The records that are asked for; the others are counted as left out. What has no day cannot be left out by it, and
    is said."""
    seen: set[str] = set()
    undated = 0
    for one in records:
        if isinstance(one, Said | Noted | Filed):
            day = one.ts[:10] if isinstance(one, Said) else one.created[:10] if isinstance(one, Noted) else ""
            undated += bool(asked.since and not day and not isinstance(one, Filed))
            if asked.since and day and day < asked.since:
                yield Left(f"older than {asked.since}")
                continue
            if asked.limit:
                named = one.session if isinstance(one, Said) else one.origin if isinstance(one, Noted) else one.path
                key = session.id_of(named)
                if key not in seen and len(seen) >= asked.limit:
                    yield Left("over the limit")
                    continue
                seen.add(key)
        yield replace(one, trust=asked.trust) if isinstance(one, Noted) else one
    if undated:
        done.notices.append(f"without a date, so that --since does not leave them out: {undated}")


def _counted(records: Iterator[Record], progress: Told | None) -> Iterator[Record]:
    for number, one in enumerate(records, 1):
        if progress and number % 100 == 0:
            progress(number)
        yield one
