"""What an agent is shown at the right moment, as methods of `Memory`: each loads its module when it is called."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from memdir.app.gating import Gated
    from memdir.app.memory import Memory
    from memdir.app.starting import Started
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
        from memdir.app import gating

        return gating.gate(self._memory, message, gating.Where(scope, session, fresh), budget)

    def take_up(self, text: str = "", *, scope: str = "", budget: int = 1200, session: str = "") -> "Gated":
        """What was going on in the last days, newest first: facts, open loops, log entries, ends of conversations."""
        from memdir.app import gating

        return gating.take_up(self._memory, text, gating.Where(scope, session), budget)

    def start(self, *, cwd: Path | None = None, budget: int = 2000, scope: str = "", fresh: bool = True) -> "Started":
        """What a session begins with, in at most `budget` tokens; today's log is made where memdir keeps logs.
        `cwd`: the working directory, to whose name notes may belong; `fresh`: as `gate` takes it."""
        from memdir.app import starting

        return starting.start(self._memory, starting.Asked(cwd, budget, scope, fresh=fresh))

    def context(self, *, task: str = "", cwd: Path | None = None, budget: int = 2000, scope: str = "") -> "Started":
        """The same at any other moment: writes nothing. `task`: what is to be done, recalled for."""
        from memdir.app import starting

        return starting.context(self._memory, starting.Asked(cwd, budget, scope, task))

    def quoted(self, found: "Sequence[Evidence]", budget: int) -> tuple[str, list[str]]:
        """Evidence as an agent may be shown it: numbered and fenced, as much as `budget` tokens hold, and the ids
        (`path:line`) of that."""
        from memdir.app import gating

        return gating.quoted(found, budget)

    def fenced(self, text: str) -> str:
        """A text of the vault between marks that its author could not know, as an agent may be shown it."""
        from memdir.app import gating

        return gating.fenced_text(text)
