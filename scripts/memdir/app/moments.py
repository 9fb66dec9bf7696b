"""What an agent is shown at the right moment, as methods of `Memory`: each loads its module when it is called."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from memdir.app.briefs import Made, Shown
    from memdir.app.checkpoints import Asked, Kept, Restored
    from memdir.app.gating import Gated
    from memdir.app.memory import Memory
    from memdir.app.starting import Started
    from memdir.app.writing import Done


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
        from memdir.app import gating

        return gating.gate(self._memory, message, gating.Where(scope, session, fresh), budget)

    def take_up(self, text: str = "", *, scope: str = "", budget: int = 1200, session: str = "") -> "Gated":
        """What was going on in the last days, newest first: facts, open loops, log entries, ends of conversations."""
        from memdir.app import gating

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
        from memdir.app import starting

        asked = starting.Asked(cwd, budget, scope, fresh=fresh, session=session, source=source, exact=exact)
        return starting.start(self._memory, asked)

    def context(self, *, task: str = "", cwd: Path | None = None, budget: int = 2000, scope: str = "") -> "Started":
        """The same at any other moment: writes nothing. `task`: what is to be done, recalled for."""
        from memdir.app import starting

        return starting.context(self._memory, starting.Asked(cwd, budget, scope, task))

    def briefs(self, scope: str | None = None) -> "list[Shown]":
        """The briefs in force that a scope sees, its own first; None: every one, that of no scope first."""
        from memdir.app import briefs

        return briefs.shown(self._memory, scope)

    def make_briefs(self, scope: str | None = None, *, dry_run: bool = False) -> "Made":
        """Write the brief of a scope, or of every one (None), anew, where it would say something else."""
        from memdir.app import briefs

        return briefs.make(self._memory, scope, dry_run)

    def checkpoint(self, asked: "Asked", *, dry_run: bool = False) -> "Done":
        """Save what a conversation is about; the one before of the same conversation is written over."""
        from memdir.app import checkpointing

        return checkpointing.checkpoint(self._memory, asked, dry_run)

    def checkpoints(self, limit: int = 20) -> "list[Kept]":
        """The checkpoints that are there, newest first."""
        from memdir.app import checkpoints

        return checkpoints.listed(self._memory, limit)

    def restore(self, name: str = "last") -> "Restored":
        """A checkpoint for an agent: by the id of its conversation or the beginning of it, by its file, or the newest.
        Raises NotFound, Conflict."""
        from memdir.app import checkpoints

        return checkpoints.restored(self._memory, name)
