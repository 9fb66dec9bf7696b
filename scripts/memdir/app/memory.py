"""One vault and everything that can be done with it; every interface calls these methods and nothing else.

Holds the open root, the settings and (once asked) an open reader of the index. What writes, and what only
some commands need, stands in `writing` and `doctor` and loads when it is called.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from memdir import config
from memdir.app import scopes
from memdir.app.upkeep import Upkeep
from memdir.errors import BadData, Locked, NotFound, Problem, Unusable, UsageError
from memdir.index import sync
from memdir.vault import files, layout, ledger, log, resolve

if TYPE_CHECKING:
    from memdir.app.exchange.forgetting import Forgotten
    from memdir.app.exchange.importing import Asked, Told
    from memdir.app.exchange.ingesting import Ingested
    from memdir.app.keeping.doctor import Health
    from memdir.app.keeping.embedding import Shown
    from memdir.app.keeping.watching import Seen
    from memdir.app.plans import Edited
    from memdir.app.runs import Run, Running
    from memdir.app.undoing import Undone
    from memdir.app.writing import Done
    from memdir.index.filters import Filters
    from memdir.index.reader import Reader
    from memdir.index.values import Progress
    from memdir.int8 import Floats
    from memdir.recall.context import Neighbour
    from memdir.recall.dense import Source
    from memdir.recall.evidence import Answer
    from memdir.recall.question import Question
    from memdir.recall.reading import Excerpt
    from memdir.recall.window import Window
    from memdir.vault.draft import NewNote
    from memdir.vault.fields import Value
    from memdir.vault.loops import Loop

INLINE = 2_000  # files that a recall indexes before it answers; with more it scans and says so (4 CPU s at most)


class Memory(Upkeep):
    """An open vault. Use as a context manager, or call `close`."""

    def __init__(
        self, root: Path, *, now: Callable[[], datetime] | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        self.settings = config.load(root)
        for name, value in (options or {}).items():
            self.settings.put(name, value, "option")
        if self.settings["format"] > config.FORMAT:
            raise BadData(f"{config.VAULT_FILE}:1: format {self.settings['format']} is newer than this memdir")
        zone = log.zone(self.settings["timezone"])
        clock = now or datetime.now
        self.clock = log.Clock(lambda: clock().astimezone(zone), self.settings["log.path"])
        files.check_path(self.clock.log_now(), create=True)
        self.root = files.Root(root, settle=self.settings["files.settle"], wait=self.settings["sync.lock_wait"])
        self.own = self.settings["format"] > 0
        include, exclude = self.settings["notes.include"], self.settings["notes.exclude"]
        rules = layout.rules(root, own=self.own, include=include, exclude=exclude)
        self.vault = sync.Vault(self.root, rules, self.settings)
        self._reader: Reader | None = None
        self.dense: Source | None = None
        self.run: Running | None = None  # what everything written now belongs to
        self.redacted: list[str] = []  # kinds of the secrets taken out of what is about to be written
        self.notices: list[str] = []  # of the last `notes`, `stats` or `index_text`

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.drop_reader()
        if "recalls" in vars(self):
            self.recalls.close()
        self.root.close()

    # --- reading -----------------------------------------------------------------------------------

    def recall(self, question: "Question", *, fresh: bool = True) -> "Answer":
        """Evidence for a question. `fresh`: look at the files first, so that the answer is never behind them.

        Writes a line into the log of recalls in the cache folder, and nothing else but the index.
        """
        from memdir.app import recalling

        return recalling.recall(self, question, fresh)

    def signals(self, question: "Question") -> "list[tuple[str, tuple[float, ...]]]":
        """Turn by turn what the second look of a recall sees, to learn its weights from: the id that the source gave
        the turn, and the signals. From the index as it is."""
        from memdir.app import recalling

        return recalling.signals(self, question)

    def around(self, answer: "Answer", n: int, budget: int = 0) -> "list[list[Neighbour]]":
        """For each piece of evidence the turns, entries or passages up to `n` away; none repeats a ranked one.

        What does not fit the tokens that the evidence leaves of `budget` is left out; `answer.notices` says so."""
        from memdir.recall import context

        near = context.around(self.root, answer.evidence, n)
        near, left = context.within(answer.evidence, near, budget)
        answer.notices += [f"{left} neighbours did not fit the budget"] if left else []
        return near

    def read(self, target: str, window: "Window | None" = None) -> "Excerpt":
        """A note or a part of it: `PATH`, `PATH#heading`, `PATH#^block`, `PATH:line`. Without a window 2,000 characters
        of it; `truncated` and `rest` say that there is more."""
        from memdir.recall import reading

        path, anchor = resolve.split_anchor(target)
        return reading.read(self.root, self.find(path), anchor, window)

    def show(self, target: str) -> dict[str, object]:
        """What memdir understands of a note, with the digest to hand back with an edit."""
        from memdir.app import plans

        return plans.shown(self.root, self.find(resolve.split_anchor(target)[0]), own=self.own)

    def notes(self, narrow: "Filters") -> list[dict[str, Any]]:
        """Files within filters, notes first, by type and name; sessions only where that type is asked for. Raises
        NotFound for a `path` that holds none."""
        narrow = scopes.inside(narrow, self.settings)
        source = self.current()
        parts, values = narrow.sql()
        parts += [] if "session" in narrow.types else ["f.kind <> 'session'"]
        keys = ("path", "name", "type", "kind", "date", "hook")
        where = " AND ".join(parts) or "1"
        sql = f"SELECT {', '.join(keys)} FROM files f WHERE {where} ORDER BY kind DESC, type, name, path"
        found = [dict(zip(keys, row, strict=True)) for row in source.rows(sql, values)]
        if narrow.path and not found:
            raise NotFound(f"nothing to list in {narrow.path}")
        return found

    def find(self, target: str, *, follow: bool = True) -> str:
        """The one path that a link, a path or a note's name means. Raises Unsafe, NotFound, Conflict; UsageError for
        nothing at all.

        `follow`: also by what it was called before it was moved; for a writer, to whom that may be another note,
        False: NotFound says where it is."""
        if not target.strip():
            raise UsageError("the name of a note is missing: give its path, its name or a [[link]]")
        path = files.check_path(resolve.split_anchor(target)[0] if target.startswith("[[") else target)
        if path.lower().endswith(".md") and self.root.stat(path) is not None:
            return path
        everything = layout.Rules(own=False)
        paths = [entry.path for entry in self.root.walk(everything.skip).entries]
        found = resolve.matches(path, paths) or self._named(path)
        if not found and (moved := self._moved(path)):
            if not follow:
                raise NotFound(f"no note {path!r}: it was moved to {', '.join(moved[:5])}; name that")
            found = moved
        return resolve.only(path, found, lambda: self._near(path))

    def _near(self, name: str) -> str:
        from memdir.app import absent

        return absent.near(self, name)

    def _named(self, name: str) -> list[str]:
        """Paths of the notes whose name or alias is `name`, by the index."""
        wait = self.settings["sync.lock_wait"]  # else it would be missed while another writes
        fresh, _ = self.freshen(wait=wait)
        try:
            return self.open_reader(verified=fresh, patience=wait).named(name)
        except Unusable:
            return []

    def _moved(self, name: str) -> list[str]:
        """Where the notes are that were moved away from this path or name."""
        from memdir.app.keeping import moving

        return moving.moved_to(self, name)

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of the vault and its index."""
        from memdir.app.keeping import doctor

        return doctor.statistics(self.current(), self.vault, own=self.own)

    def sessions(self, *, limit: int = 50, offset: int = 0) -> dict[str, Any]:
        """The conversations, newest first, with how many turns each has and who speaks."""
        from memdir.app.talk import sessions

        return sessions.listed(self, limit, offset)

    def session(self, target: str, *, limit: int = 20, offset: int = 0, outline: bool = False) -> dict[str, Any]:
        """Turns of a conversation, named by its id, the beginning of one, or a file; with `outline` also its windows
        and episodes. Raises NotFound, Conflict."""
        from memdir.app.talk import sessions

        return sessions.shown(self, target, limit, offset, outline=outline)

    # --- writing -----------------------------------------------------------------------------------

    def new(self, asked: "NewNote", *, dry_run: bool = False) -> "Done":
        """Make a note; a taken title is numbered, and said so."""
        from memdir.app import writing

        return writing.new(self, asked, dry_run)

    def set(
        self, target: str, values: Mapping[str, "Value"], *, base: str | None = None, dry_run: bool = False
    ) -> "Done":
        """Set front matter keys of a note by line; `base`: digest of the note as read."""
        from memdir.app import writing

        return writing.set_values(self, target, values, base, dry_run)

    def edit(self, target: str, asked: "Edited", *, dry_run: bool = False) -> "Done":
        """Change a note's text: append, or replace a section or the whole body."""
        from memdir.app import writing

        return writing.edit(self, target, asked, dry_run)

    def move(self, target: str, new: str, *, title: str = "", dry_run: bool = False) -> "Done":
        """Move a note, an attachment or (both ending in `/`) a folder; links follow, as Obsidian's do. `new`: a path,
        a folder ending in `/`, or a new name in the same folder; `title`: also what the note is called."""
        from memdir.app.keeping import moving

        return moving.move(self, target, new, title, dry_run)

    def log(self, title: str, lines: Sequence[str] = (), *, dry_run: bool = False) -> "Done":
        """Append an entry to the day's log; the day is decided at this moment in the vault's zone."""
        from memdir.app import lines as by_line

        return by_line.logged(self, title, lines, dry_run)

    def ingest(self, stream: IO[bytes], *, source: str = "", scope: str = "", dry_run: bool = False) -> "Ingested":
        """Write the turns of a transcript (JSON Lines) into session files, each once. `source`: what it comes from."""
        from memdir.app.exchange import ingesting

        return ingesting.ingest(self, stream, source, scope, dry_run)

    def bring(
        self, kind: str, path: Path, asked: "Asked", *, dry_run: bool = False, progress: "Told | None" = None
    ) -> "Ingested":
        """Import a source of another tool into sessions and notes. `kind`: its name, "" to tell it by itself."""
        from memdir.app.exchange import importing

        return importing.import_(self, kind, path, asked, dry_run, progress)

    def forget(self, id_: str = "", origin: str = "", *, derived: bool = False, yes: bool = False) -> "Forgotten":
        """Really delete a conversation, or what came from a source; without `yes` say what that would be."""
        from memdir.app.exchange import forgetting

        return forgetting.forget(self, id_, origin, derived=derived, yes=yes)

    def fact(self, target: str, key: str) -> dict[str, Any]:
        """The current and the past values of a key of a note, with lines, days and sources."""
        from memdir.app import lines

        return lines.known(self, target, key)

    def fact_set(
        self, target: str, key: str, value: str, *, source: str = "", base: str | None = None, dry_run: bool = False
    ) -> "Done":
        """Make a value the only current one of a key; the old ones move to the note's history with their days."""
        from memdir.app import lines

        return lines.fact_set(self, target, key, value, source, dry_run, base)

    def loops(self, narrow: "Filters", *, everything: bool = False) -> "list[Loop]":
        """Open loops, oldest first; closed ones too with `everything`."""
        from memdir.app import lines

        return lines.open_loops(self, scopes.inside(narrow, self.settings), everything=everything)

    def resolve(self, target: str, *, said: str = "", reopen: bool = False, dry_run: bool = False) -> "Done":
        """Close a loop, or with `reopen` open it again; named by `^id`, `NOTE#^id`, `PATH:line`, its words or some."""
        from memdir.app import lines

        return lines.reopen(self, target, said, dry_run) if reopen else lines.resolve(self, target, said, dry_run)

    def runs(self, *, everything: bool = True) -> "list[Run]":
        """What was written, oldest first, as the ledger tells it; without runs that wrote nothing, if not
        `everything`."""
        from memdir.app import runs

        found = runs.listed(self.ledger.events())
        return [run for run in found if everything or run.changed or run.logged]

    def history(self, target: str) -> list[files.Version]:
        """The kept earlier versions of a note, newest first; of one that is gone too, when its whole path is given."""
        from memdir.app.exchange import past

        return past.versions(self, target)

    def version(self, target: str, digest: str) -> bytes:
        """A kept version of a note by the beginning of its digest. Raises NotFound, Conflict."""
        from memdir.app.exchange import past

        return past.version(self, target, digest)

    def diff(self, run: str) -> str:
        """What a run changed, as a unified diff."""
        from memdir.app import runs

        return runs.diff(self, runs.find(self, run, self.runs()))

    def undo(self, run: str, *, keep_changed: bool = False, dry_run: bool = False) -> "Undone":
        """Take a run back: notes and MEMORY.md byte for byte, logs by an entry. Raises Conflict, NotFound."""
        from memdir.app import undoing

        return undoing.undo(self, run, keep_changed, dry_run)

    def sync(self, options: sync.Options, embedding: "Progress | None" = None) -> tuple[sync.Report, "Done"]:
        """Bring index and MEMORY.md to what the files say; `embedding` is told of the vectors made behind that."""
        from memdir.app import writing

        self.drop_reader()
        problems = [] if options.dry_run else self.recovered()
        report = sync.sync(self.vault, options)
        report.problems += problems
        if not options.dry_run and (most := self.settings["embedder.sync_most"]):
            drained = self.top_up(local=True, most=None if options.afresh else most, progress=embedding)
            report.embedded, report.without = drained.embedded, drained.left
        return report, writing.keep_index(self, dry_run=options.dry_run)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "Floats":
        """(n, d) float32 rows of length 1, kept or made now. Raises UsageError where there is no embedder."""
        from memdir.app.keeping import embedding

        return embedding.embed(self, texts, query)

    def embedder(self) -> "Shown":
        """Which embedder is chosen, what the vectors were made by, and how many are missing."""
        from memdir.app.keeping import embedding

        return embedding.show(self)

    def watch(self, tell: Callable[["Seen"], None], *, once: bool = False) -> bool:
        """Keep index and MEMORY.md current while files change; `tell` is called for the first look and for each one
        that found something. Runs until it is interrupted; its threads have ended before KeyboardInterrupt leaves it.

        Returns True when settings changed: open the vault anew and watch on. `once`: one look, then False; what
        stops it is raised, as `sync` raises it.
        """
        from memdir.app.keeping import watching

        return watching.watch(self, tell, once=once)

    def index_text(self) -> str:
        """MEMORY.md as it would be written now."""
        from memdir.app import writing

        return writing.index_text(self)

    def write_index(self, *, dry_run: bool = False) -> "Done":
        """Write the list of notes into MEMORY.md, which gets its marks where it has none."""
        from memdir.app import writing

        return writing.write_index(self, force=True, dry_run=dry_run)

    def doctor(self, *, fix: bool = False) -> "Health":
        """Everything wrong in the files and the index; `fix` mends what is derived, never a note."""
        from memdir.app import writing
        from memdir.app.keeping import doctor

        health = doctor.examine(self.vault, caps=self.caps, fix=fix)
        self.drop_reader()
        if fix:
            health.fixed += [f"{path} rewritten" for path in writing.keep_index(self).changed]
        elif writing.list_is_stale(self):
            health.problems.append(Problem(layout.INDEX_FILE, 1, "its list is behind the notes: run `memdir sync`"))
        return health

    # --- for the modules of this room ---------------------------------------------------------------

    @cached_property
    def ledger(self) -> ledger.Ledger:
        from memdir.app import identity

        return ledger.Ledger(self.root, self.own, identity.device())

    @cached_property
    def marker_key(self) -> bytes:
        """The key for markers of redacted secrets."""
        from memdir.app import identity

        return identity.key()

    @property
    def caps(self) -> tuple[int, int]:
        """Lines and bytes that MEMORY.md may have."""
        return self.settings["memory.max_lines"], self.settings["memory.max_bytes"]

    def freshen(
        self,
        *,
        wait: float | None = None,
        most: int | None = INLINE,
        meant: AbstractSet[str] = frozenset(),
        progress: "Progress | None" = None,
    ) -> tuple[bool, list[str]]:
        """Sync if that is quick: whether the index is now what the files say, and what its reader should know.
        `meant`: paths that the caller has just removed, however many."""
        self.drop_reader()
        said = [str(problem) for problem in self.recovered()]
        wait = self.settings["sync.read_wait"] if wait is None else wait
        options = sync.Options(wait=wait, most=most, quick=True, meant=meant, progress=progress)
        try:
            report = sync.sync(self.vault, options)
        except Locked:
            return False, [*said, "the index is being written by another memdir"]
        except (BadData, NotFound) as error:
            return False, [*said, str(error)]
        said += [f"{path} is kept in the index: {why}" for path, why in sorted(report.kept.items())][:5]
        said += [f"{path} is not in the index: {why}" for path, why in sorted(report.skipped.items())][:5]
        if report.rebuilt and report.rebuilt != sync.FIRST:
            said.append(f"the index was made anew: {report.rebuilt}")
        return True, said

    def current(self) -> "Reader":
        """A reader of the index after a sync, or of the index as it is: `fresh` and `notices` then say so. Waits for a
        memdir that is half way through a commit. Raises Unusable."""
        for wait in (self.settings["sync.read_wait"], self.settings["sync.lock_wait"]):
            self.fresh, said = self.freshen(wait=wait, most=None)
            self.notices = said if self.fresh else [f"answered from the index as it is: {'; '.join(said)}"]
            with suppress(Unusable):
                return self.open_reader(verified=self.fresh, patience=wait)
        raise Unusable("; ".join(said) or "the index cannot be used: run `memdir sync`")

    def open_reader(self, *, verified: bool, patience: float = 0.0) -> "Reader":
        """The reader of the index, opened once. `verified`: a sync has just checked every digest; `patience`: seconds
        to wait for a memdir that is half way through a commit."""
        from memdir.index import reader

        if self._reader is None:
            self._reader = reader.opened(self.vault.place, verified=verified, patience=patience)
        return self._reader

    def drop_reader(self) -> None:
        if self.dense is not None:
            self.dense.close()
            self.dense = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None
