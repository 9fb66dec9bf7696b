"""One vault and everything that can be done with it; every interface calls these methods and nothing else.

Holds the open root, the settings and (once asked) an open reader of the index. Writing methods yield
Changes, apply them unless `dry_run`, then bring the index and MEMORY.md along.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from memdir import config
from memdir.app import doctor, plans
from memdir.errors import BadData, Conflict, Locked
from memdir.index import reader, sync
from memdir.recall import evidence, pipeline, reading
from memdir.vault import edits, fields, files, layout, log, memory_md, note, resolve, store
from memdir.vault.fields import Value

INLINE = 2_000  # files that a recall indexes before it answers; with more it scans and says so (4 CPU s at most)
TRIES = 3  # times an edit without a stated base is planned anew because somebody saved meanwhile


@dataclass(slots=True)
class Done:
    """What a writing method did or, in a dry run, would do (`diff`)."""

    path: str = ""
    digest: str = ""
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""


class Memory:
    """An open vault. Use as a context manager, or call `close`."""

    def __init__(
        self, root: Path, *, now: Callable[[], datetime] | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        self.settings = config.load(root)
        for name, value in (options or {}).items():
            self.settings.put(name, value, "option")
        if self.settings["format"] > config.FORMAT:
            raise BadData(
                f"{config.VAULT_FILE}: format {self.settings['format']} is newer than this memdir; update memdir"
            )
        zone = log.zone(self.settings["timezone"])
        clock = now or (lambda: datetime.now().astimezone())
        self.clock = store.Clock(lambda: clock().astimezone(zone), self.settings["log.path"])
        self.root = files.Root(root, settle=self.settings["files.settle"])
        self.own = self.settings["format"] > 0
        include, exclude = self.settings["notes.include"], self.settings["notes.exclude"]
        self.vault = sync.Vault(
            self.root, layout.rules(root, own=self.own, include=include, exclude=exclude), self.settings
        )
        self._reader: reader.Reader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._drop_reader()
        self.root.close()

    # --- reading -----------------------------------------------------------------------------------

    def recall(self, question: pipeline.Question, *, fresh: bool = True) -> evidence.Answer:
        """Evidence for a question. `fresh`: look at the files first, so that the answer is never behind them."""
        notices = self._freshen() if fresh else []
        try:
            source: reader.Reader | None = self._open_reader(verified=fresh and not notices)
        except reader.Unusable as error:
            source = None
            notices.append(f"answered by a direct scan of the files: {error}")
        answer = pipeline.recall(self.vault, source, question)
        answer.notices[:0] = notices
        return answer

    def read(self, target: str) -> reading.Excerpt:
        """A note or a part of it: `PATH`, `PATH#heading`, `PATH#^block`, `PATH:line`."""
        path, anchor = resolve.split_anchor(target)
        return reading.read(self.root, self.find(path), anchor)

    def show(self, target: str) -> dict[str, object]:
        """What memdir understands of a note, with the digest to hand back with an edit."""
        path = self.find(resolve.split_anchor(target)[0])
        blob = self.root.read(path)
        return plans.shown(note.parse(path, blob.data, own=self.own)) | {"digest": blob.digest}

    def notes(self, filters: reader.Filters) -> list[dict[str, Any]]:
        """Notes within filters, by type and name."""
        self._freshen(wait=self.settings["sync.lock_wait"], most=None)
        parts, values = filters.sql()
        where = f"WHERE {' AND '.join(parts)}" if parts else ""
        sql = f"SELECT path, name, type, kind, date, hook FROM files f {where} ORDER BY kind DESC, type, name, path"
        keys = ("path", "name", "type", "kind", "date", "hook")
        return [dict(zip(keys, row, strict=True)) for row in self._open_reader(verified=True).rows(sql, values)]

    def find(self, target: str) -> str:
        """The one path that a name means. Raises Unsafe, NotFound, Conflict."""
        path = files.check_path(target)
        if path.lower().endswith(".md") and self.root.stat(path) is not None:
            return path
        everything = layout.Rules(own=False)
        return resolve.one(path, (entry.path for entry in self.root.walk(everything.skip).entries))

    # --- writing -----------------------------------------------------------------------------------

    def new(self, asked: plans.NewNote, *, dry_run: bool = False) -> Done:
        """Make a note; a taken title is numbered, and said so."""
        paths = [entry.path for entry in self.root.walk(self.vault.rules.skip).entries]
        changes, path, said = plans.new(asked, paths, self.clock.today())
        done = self._do(changes if self.own else changes[:1], dry_run)
        done.path = path
        done.notices += [said] if said else []
        return self._after(done, dry_run)

    def set(self, target: str, values: Mapping[str, Value], *, base: str | None = None, dry_run: bool = False) -> Done:
        """Set front matter keys of a note by line."""
        path = self.find(target)
        done = self._edit(
            path, base, "set", lambda at, old: edits.set_values(at, old, values, self.clock.today()), dry_run
        )
        if self.own and done.changed and layout.kind_of(path) == "note":
            logged = self._do([plans.said_by(values, path)], dry_run)
            done.changed += logged.changed
            done.diff += logged.diff
        return self._after(done, dry_run)

    def edit(
        self, target: str, how: str, text: str, *, heading: str = "", base: str | None = None, dry_run: bool = False
    ) -> Done:
        """Change a note's text. `how`: append | section | replace.

        `base`: digest of the file as read (for a section, that of the section will do); appending needs none.
        """
        path = self.find(target)
        plans.refuse_log(path, own=self.own)
        day = self.clock.today()
        ways: dict[str, edits.Edit] = {
            "append": lambda at, old: edits.append(at, old, text, day),
            "section": lambda at, old: edits.section(at, _as_read(at, old, heading, base), heading, text, day),
            "replace": lambda at, old: edits.replace(at, old, text, day),
        }
        return self._after(self._edit(path, base if how == "replace" else None, how, ways[how], dry_run), dry_run)

    def log(self, title: str, lines: Sequence[str] = (), *, dry_run: bool = False) -> Done:
        """Append an entry to the day's log; the day is decided at this moment in the vault's zone."""
        done = self._do([store.LogEntry(title, tuple(lines))], dry_run)
        done.path = done.changed[0] if done.changed else ""
        return done

    def sync(self, options: sync.Options) -> tuple[sync.Report, Done]:
        """Bring index and MEMORY.md to what the files say."""
        self._drop_reader()
        report = sync.sync(self.vault, options)
        report.problems += self.root.recover()
        done = self.write_index(force=False) if memory_md.fenced(self._memory_text()) else Done()
        return report, done

    def index_text(self) -> str:
        """MEMORY.md as it would be written now."""
        self._freshen(wait=self.settings["sync.lock_wait"], most=None)
        _, plan = plans.memory_index(self.root, self._entries(), self._caps(), force=True)
        assert plan
        return plan.text

    def write_index(self, *, force: bool = True, dry_run: bool = False) -> Done:
        """Write the list of notes in MEMORY.md; without `force` only where it has one that is out of date."""
        changes, plan = plans.memory_index(self.root, self._entries(), self._caps(), force=force)
        done = self._do(changes, dry_run)
        if plan and plan.left_out and changes:
            done.notices.append(
                f"MEMORY.md is at its cap: {plan.listed} notes listed, {plan.left_out} in {layout.OVERFLOW_FILE}"
            )
        if changes and not dry_run:
            self._freshen()
        return done

    def doctor(self, *, fix: bool = False) -> doctor.Health:
        """Everything wrong in the files and the index; `fix` mends what is derived, never a note."""
        health = doctor.examine(self.vault, own=self.own, caps=self._caps(), fix=fix)
        self._drop_reader()
        if fix and not health.stuck:
            health.fixed += [f"{path} rewritten" for path in self.write_index(force=False).changed]
        return health

    def stats(self) -> dict[str, Any]:
        """Counts and sizes of the vault and its index."""
        self._freshen(wait=self.settings["sync.lock_wait"], most=None)
        return doctor.statistics(self._open_reader(verified=True), self.vault, own=self.own)

    # --- how ---------------------------------------------------------------------------------------

    def _edit(self, path: str, base: str | None, how: str, edited: edits.Edit, dry_run: bool) -> Done:
        """Plan and apply one edit; planned anew when somebody saved between the two and no base was stated."""
        for left in range(TRIES - 1, -1, -1):
            changes = plans.change(self.root, path, base, how, edited)
            try:
                done = self._do(changes, dry_run)
                break
            except Conflict:
                if base is not None or not left:
                    raise
        done.path = path
        done.digest = done.digest or self.root.read(path).digest
        return done

    def _do(self, changes: Sequence[store.Change], dry_run: bool) -> Done:
        if dry_run:
            return Done(
                changed=[c.path for c in changes if isinstance(c, store.Write)],
                diff="\n".join(store.preview(self.root, c, self.clock) for c in changes),
            )
        applied = store.apply(self.root, changes, self.clock)
        done = Done(changed=[one.path for one in applied], kept=[one.kept for one in applied if one.kept])
        done.digest = applied[0].digest if applied else ""
        done.notices += [
            f"somebody saved {one.path} at the same moment: theirs stays, yours is in {one.kept}"
            for one in applied
            if one.kept
        ]
        return done

    def _after(self, done: Done, dry_run: bool) -> Done:
        """Bring index and MEMORY.md along after a note was written; neither may fail the writing of it."""
        if dry_run or not done.changed:
            return done
        done.notices += [str(problem) for problem in self.root.recover()]
        notices = self._freshen(wait=self.settings["sync.lock_wait"], most=INLINE)
        done.notices += notices
        if not notices and memory_md.fenced(self._memory_text()):
            try:
                listed = self.write_index(force=False)
                done.notices += listed.notices
                done.changed += listed.changed
            except (BadData, Conflict, reader.Unusable) as error:
                done.notices.append(str(error))
        return done

    def _freshen(self, *, wait: float | None = None, most: int | None = INLINE) -> list[str]:
        """Sync if that is quick; else say why the index is answered from as it is."""
        self._drop_reader()
        options = sync.Options(wait=self.settings["sync.read_wait"] if wait is None else wait, most=most)
        try:
            report = sync.sync(self.vault, options)
        except Locked:
            return ["the index is being written by another memdir: this answer may be behind the files"]
        except BadData as error:
            return [str(error)]
        return [f"{path} is kept: {why}" for path, why in sorted(report.kept.items())][:5]

    def _open_reader(self, *, verified: bool) -> reader.Reader:
        if self._reader is None:
            self._reader = reader.Reader(self.vault.place, verified=verified)
        return self._reader

    def _drop_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _entries(self) -> Sequence[memory_md.Entry]:
        return self._open_reader(verified=False).entries()

    def _caps(self) -> tuple[int, int]:
        return self.settings["memory.max_lines"], self.settings["memory.max_bytes"]

    def _memory_text(self) -> str:
        return (
            self.root.read(layout.INDEX_FILE).data.decode("utf-8", "replace")
            if self.root.stat(layout.INDEX_FILE)
            else ""
        )


def _as_read(path: str, old: str, heading: str, base: str | None) -> str:
    """`old`, when `base` is the digest of the whole file or of this section as `read` gave it; else Conflict."""
    if base is not None:
        data = fields.encode(old)
        now = files.digest(data)
        if base not in (now, reading.excerpt(path, data, heading).part):
            raise Conflict(f"{path}#{heading} is not what you read; read it again", path=path, current=now)
    return old
