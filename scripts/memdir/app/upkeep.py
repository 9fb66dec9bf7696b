"""The verbs by which a vault keeps itself, as methods of `Memory`: each loads its module when it is called."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from memdir import config
from memdir.app.moments import Moments
from memdir.errors import Problem
from memdir.vault.layout import UNDER_WAY

if TYPE_CHECKING:
    from memdir.app.exchange.exporting import Exported
    from memdir.app.exchange.exporting import Wanted as Part
    from memdir.app.exchange.snapshots import Snapshot
    from memdir.app.exchange.snapshots import Told as Bytes
    from memdir.app.exchange.tools import SetUp
    from memdir.app.keeping.archiving import Archived
    from memdir.app.keeping.distilling import Night
    from memdir.app.keeping.heartbeat import Beat
    from memdir.app.keeping.inbox import Proposal
    from memdir.app.keeping.merging import Merged
    from memdir.app.keeping.scanning import Scan
    from memdir.app.recalled import Log
    from memdir.app.runs import Run
    from memdir.app.talk.episodes import Summed
    from memdir.app.talk.heard import Asked as Heard
    from memdir.app.talk.heard import Captured
    from memdir.app.using import Use, Used
    from memdir.app.writing import Done
    from memdir.index.drain import Drained, Limits
    from memdir.index.values import Progress
    from memdir.vault.ledger import Event


class Upkeep(Moments):
    """What `Memory` can do besides reading and writing notes; of no use by itself."""

    _strength: "tuple[Sequence[Event], dict[str, float]] | None" = None

    def recovered(self) -> list[Problem]:
        """Work off what killed commands left, a forgetting too; what a person should know of it."""
        found = self._memory.root.recover()
        if self._memory.root.state.texts("", UNDER_WAY, meta=True):
            from memdir.app.exchange import forgetting

            found += forgetting.resumed(self._memory)
        return found

    @cached_property
    def recalls(self) -> "Log":
        """The log of recalls."""
        from memdir.app import recalled

        return recalled.Log(self._memory.vault.place)

    @cached_property
    def paid(self) -> Path:
        """The file of vectors and replies that were paid for."""
        from memdir.llm import cache

        return self._memory.vault.place / cache.FILE

    def used(self, targets: Sequence[str], *, query: str = "", dry_run: bool = False) -> "Used":
        """Record that memories were used: a note by its path or name, an entry or a turn by `PATH:line` or
        `PATH#^block`. `query`: what they answered."""
        from memdir.app import using

        return using.used(self._memory, targets, query, dry_run)

    def passed_over(self, targets: Sequence[str]) -> None:
        """Record that memories which an agent was shown, `path:line`, were of no use to it."""
        from memdir.app import using

        using.passed_over(self._memory, targets)

    def uses(self) -> "list[Use]":
        """Every use that was recorded and not taken back, oldest first."""
        from memdir.app import using

        return using.uses(self._memory)

    def strength(self) -> dict[str, float]:
        """Memory → how its energy grows or shrinks by use, of those for which that is not 1; `index.strength` says
        how. 10,000 lines of ledger, 1,000 of them uses: 0.03 CPU s; a tenth as many uses: 0.015 s; again: nothing."""
        from memdir.app import using

        events = using.told(self._memory)
        if self._strength is None or self._strength[0] is not events:
            self._strength = events, using.strengths(events)
        return self._strength[1]

    def archive(self, targets: Sequence[str] = (), *, restore: bool = False, dry_run: bool = False) -> "Archived":
        """Move notes to the archive, or back; without names those that are due."""
        from memdir.app.keeping import archiving

        return (
            archiving.restore(self._memory, targets, dry_run)
            if restore
            else archiving.archive(self._memory, targets, dry_run)
        )

    def merge_conflicts(self, copies: Sequence[str] = (), *, dry_run: bool = False) -> "Merged":
        """Merge the copies that sync tools left, or those named, into their notes, and remove them."""
        from memdir.app.keeping import merging

        return merging.merge_conflicts(self._memory, copies, dry_run)

    def distill(self, *, since: str = "", again: bool = False, model: bool = True, dry_run: bool = False) -> "Night":
        """Learn from log entries: lines of topic notes, with their source. `again`: from those of before too;
        `model`: ask the one that is configured, if any."""
        from memdir.app.keeping import distilling

        return distilling.distill(self._memory, since, again, model, dry_run)

    def capture(self, target: "str | IO[bytes]", asked: "Heard | None" = None, *, dry_run: bool = False) -> "Captured":
        """Keep what the person said that is worth it: of a conversation that is there, or of a transcript, as a path or
        a stream, which comes in first. Turns that were read before are not read again."""
        from memdir.app.talk import capturing
        from memdir.app.talk.heard import Asked

        return capturing.capture(self._memory, target, asked or Asked(), dry_run)

    def capture_from(self, files: Sequence[str], scope: str = "") -> "Captured":
        """The same of the conversations that some session files hold, by rules."""
        from memdir.app.talk import capturing

        return capturing.captured(self._memory, files, scope)

    def episodes(self) -> "Summed":
        """Sum up the conversations that fell idle, an entry of the log each."""
        from memdir.app.talk import episodes

        return episodes.idle(self._memory)

    def captures(self) -> dict[str, Any]:
        """What captures read, took and left out so far."""
        from memdir.app.talk import capturing

        return capturing.told(self._memory)

    def inbox(self) -> "list[Proposal]":
        """The notes that wait for review, oldest first."""
        from memdir.app.keeping import inbox

        return inbox.listed(self._memory)

    def proposal(self, name: str) -> bytes:
        """The text of a proposal."""
        from memdir.app.keeping import inbox

        return self._memory.root.read(inbox.find(self._memory, name)).data

    def accept(self, name: str, *, kind: str = "", dry_run: bool = False) -> "Done":
        """Make a proposal a topic note."""
        from memdir.app.keeping import inbox

        return inbox.accept(self._memory, name, kind, dry_run)

    def reject(self, name: str, *, dry_run: bool = False) -> "Done":
        """Take a proposal away, not to be made again."""
        from memdir.app.keeping import inbox

        return inbox.reject(self._memory, name, dry_run)

    def scan(
        self, workspaces: Sequence[Path] = (), *, since: str = "", most: int = 20, dry_run: bool = False
    ) -> "Scan":
        """Propose notes about what is new or changed in workspaces, each version of a file once. `most`: for each."""
        from memdir.app.keeping import scanning

        return scanning.scan(self._memory, workspaces, since, most, dry_run)

    def capture_workspace(
        self, folders: Sequence[Path] = (), *, since: str = "24h", most: int = 20, dry_run: bool = False
    ) -> "Scan":
        """Propose notes about what agents left behind in folders; `since`: how far back, as `24h`, "" for all."""
        from memdir.app.keeping import scanning

        return scanning.capture_workspace(self._memory, folders, since, most, dry_run)

    def drain(
        self, limits: "Limits", progress: "Progress | None" = None, indexing: "Progress | None" = None
    ) -> "Drained":
        """Make the vectors that are missing, newest first, until done or at a limit; nothing for kind `none`.

        Syncs first, of which `indexing` is told. Raises Locked while another drain runs, ModelError; what was made
        before stays.
        """
        from memdir.app.keeping import embedding

        return embedding.drain(self._memory, limits, progress, indexing)

    def top_up(
        self,
        seconds: float | None = None,
        *,
        local: bool = False,
        most: int | None = None,
        progress: "Progress | None" = None,
    ) -> "Drained":
        """Make missing vectors, for some seconds, if nothing is in the way. `local`: only by a model of this machine;
        `most`: nothing where more than so many are missing."""
        from memdir.app.keeping import embedding
        from memdir.index.drain import Limits

        return embedding.top_up(self._memory, Limits(seconds=seconds), local=local, most=most, progress=progress)

    def heartbeat(self, *, force: bool = False, now: bool = False, dry_run: bool = False) -> "Beat":
        """Do the upkeep that is due. `force`: all of it; `now`: what is due, as if it were night."""
        from memdir.app.keeping import heartbeat

        return heartbeat.beat(self._memory, force=force, now=now, dry_run=dry_run)

    def reports(self, limit: int) -> "list[Run]":
        """The last distillations, newest first, with what each said of itself."""
        return [run for run in reversed(self._memory.runs()) if run.verb == "distill" and run.said.get("entries")][
            :limit
        ]

    def snapshot(self, path: Path, *, dry_run: bool = False, progress: "Bytes | None" = None) -> "Snapshot":
        """Write the vault into one new file."""
        from memdir.app.exchange import snapshots

        return snapshots.create(self._memory, path, dry_run, progress)

    def export(self, to: "Path | IO[bytes]", wanted: "Part") -> "Exported":
        """Write the vault, or a part of it, for other tools: to a new file or folder, or a stream."""
        from memdir.app.exchange import exporting

        return exporting.export(self._memory, to, wanted)

    def set_up(self, tool: Literal["git", "obsidian"], *, dry_run: bool = False) -> "SetUp":
        """Add what a tool should know of the vault, and is not told yet."""
        from memdir.app.exchange import tools

        return {"git": tools.git, "obsidian": tools.obsidian}[tool](self._memory, dry_run)

    def format(self) -> dict[str, int]:
        """The version of the vault's format, 0 for an adopted vault, and the newest; a newer vault is not opened."""
        return {"format": self._memory.settings["format"], "newest": config.FORMAT}
