"""What an agent is shown at the right moment, as methods of `Memory`: each loads its module when it is called."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.app.own import Sample, Samples, Verdict
    from memdir.app.ready.briefs import Made, Shown
    from memdir.app.ready.checkpoints import Asked, Kept, Restored
    from memdir.app.ready.gating import Gated
    from memdir.app.ready.starting import Started
    from memdir.app.then import Past
    from memdir.app.writing import Done
    from memdir.recall.evidence import Evidence


class Moments:
    """The moments of a conversation at which memory comes in; of no use by itself."""

    @property
    def _memory(self) -> "Memory":
        return cast("Memory", self)

    def gate(
        self, message: str, *, scope: str = "", budget: int = 1200, session: str = "", fresh: bool = True
    ) -> "Gated":
        """Whether a message needs memory, and what there is: numbered and fenced, in at most `budget` tokens.

        `session`: the running conversation, which is not quoted back. Without `fresh` no file is looked for and no
        index is made: the answer comes from the index as it is.
        """
        from memdir.app.ready import gating

        return gating.gate(self._memory, message, gating.Where(scope, session, fresh), budget)

    def take_up(self, text: str = "", *, scope: str = "", budget: int = 1200, session: str = "") -> "Gated":
        """What was going on in the last days, newest first: facts, open loops, log entries, ends of conversations."""
        from memdir.app.ready import gating

        return gating.take_up(self._memory, text, gating.Where(scope, session), budget)

    def start(
        self,
        *,
        cwd: Path | None = None,
        budget: int = 2000,
        scope: str = "",
        fresh: bool = True,
        session: str = "",
        source: str = "",
        exact: bool = True,
    ) -> "Started":
        """What a session begins with, in at most `budget` tokens; today's log is made where memdir keeps logs.
        `cwd`: the working directory, to whose name notes may belong; `fresh`: as `gate` takes it; `session`, `source`:
        the conversation and how it begins (startup, resume, compact), for its checkpoint; `exact`: tokens are counted
        by tiktoken if that can be, else they are estimated."""
        from memdir.app.ready import starting

        asked = starting.Asked(cwd, budget, scope, fresh=fresh, session=session, source=source, exact=exact)
        return starting.start(self._memory, asked)

    def context(self, *, task: str = "", cwd: Path | None = None, budget: int = 2000, scope: str = "") -> "Started":
        """The same at any other moment: writes nothing. `task`: what is to be done, recalled for."""
        from memdir.app.ready import starting

        return starting.context(self._memory, starting.Asked(cwd, budget, scope, task))

    def past(self) -> "Past":
        """The files of the vault at any moment before, as far as ledger and history tell."""
        from memdir.app import then

        return then.Past(self._memory)

    def samples(self) -> "Samples":
        """The samples of real messages and what was judged of them."""
        from memdir.app import own

        return own.samples(self._memory)

    def draw(self, *, dry_run: bool = False) -> "Sample | None":
        """A further sample of real messages, where one is due."""
        from memdir.app import own

        return own.draw(self._memory, dry_run)

    def judge(self, message: str, useful: Sequence[str], shown: Sequence[str], by: str) -> "Verdict":
        """Record which of the memories that came were of use to a message of a sample."""
        from memdir.app import own

        return own.judge(self._memory, message, useful, shown, by)

    def judged_by_model(self, message: str, found: Sequence[str]) -> list[int]:
        """The places, from 0, of the memories that a model finds of use to a message. Raises ModelError."""
        from memdir.app import judging

        return judging.judged(self._memory, message, found)

    def briefs(self, scope: str | None = None) -> "list[Shown]":
        """The briefs in force that a scope sees, its own first; None: every one, that of no scope first."""
        from memdir.app.ready import briefs

        return briefs.shown(self._memory, scope)

    def persona(self, scope: str = "") -> str:
        """Who the agent is to be in a scope, as a person wrote it; "" where nobody did."""
        from memdir.app.ready import standing

        return standing.persona_text(self._memory, scope)

    def make_briefs(self, scope: str | None = None, *, dry_run: bool = False) -> "Made":
        """Write the brief of a scope, or of every one (None), anew, where it would say something else."""
        from memdir.app.ready import briefs

        return briefs.make(self._memory, scope, dry_run)

    def checkpoint(self, asked: "Asked", *, dry_run: bool = False) -> "Done":
        """Save what a conversation is about; the one before of the same conversation is written over."""
        from memdir.app.ready import checkpointing

        return checkpointing.checkpoint(self._memory, asked, dry_run)

    def checkpoints(self, limit: int = 20) -> "list[Kept]":
        """The checkpoints that are there, newest first."""
        from memdir.app.ready import checkpoints

        return checkpoints.listed(self._memory, limit)

    def restore(self, name: str = "last") -> "Restored":
        """A checkpoint for an agent: by the id of its conversation or the beginning of it, by its file, or the newest.
        Raises NotFound, Conflict."""
        from memdir.app.ready import checkpoints

        return checkpoints.restored(self._memory, name)

    def quoted(self, found: "Sequence[Evidence]", budget: int) -> tuple[str, list[str]]:
        """Evidence as an agent may be shown it: numbered and fenced, as much as `budget` tokens hold, and the ids
        (`path:line`) of that."""
        from memdir.app.ready import gating

        return gating.quoted(found, budget)

    def fenced(self, text: str) -> str:
        """A text of the vault between marks that its author could not know, as an agent may be shown it."""
        from memdir.app.ready import gating

        return gating.fenced_text(text)
