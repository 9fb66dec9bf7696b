"""How much may be asked: a token budget for a run, and a breaker that leaves a failing endpoint alone.

Both live in memory, as long as their client, and belong to one thread. Touches no file.
"""

from collections.abc import Callable

from memdir.errors import ModelError

FAILURES = 3  # in a row, before the breaker opens
PAUSE = 30.0  # seconds that it stays open


class BudgetSpent(ModelError):
    """The next ask could pass the token budget; nothing was sent."""


class Budget:
    """Tokens that may be spent, prompts and answers together; a `limit` of 0 is none."""

    def __init__(self, limit: int = 0) -> None:
        self.limit = limit
        self.used = 0

    @property
    def left(self) -> int | None:
        """Tokens that may still be spent; None where there is no limit."""
        return max(0, self.limit - self.used) if self.limit else None

    def expect(self, tokens: int) -> None:
        """Raise BudgetSpent when that many more would pass the limit."""
        if self.limit and self.used + tokens > self.limit:
            raise BudgetSpent(
                f"the token budget would be passed: {self.used} of {self.limit} are used and the next question may "
                f"cost {tokens}; run again to go on, raise llm.budget or lower llm.max_tokens"
            )

    def spend(self, tokens: int) -> None:
        self.used += max(0, tokens)


class Breaker:
    """Opens after `FAILURES` in a row for `PAUSE` seconds; then one ask may try, and its failure opens it again."""

    def __init__(self, where: str, clock: Callable[[], float]) -> None:
        self._where, self._clock = where, clock
        self._failures, self._until = 0, 0.0

    def check(self) -> None:
        """Raise ModelError while it is open."""
        left = self._until - self._clock()
        if self._failures >= FAILURES and left > 0:
            raise ModelError(
                f"{self._where} was not asked: it failed {self._failures} times in a row; "
                f"try again in {left:.0f} s, or see whether the server runs"
            )

    def failed(self, pause: float | None = None, why: str = "") -> None:
        """Count a failure. What a server asks for is kept by `resting.Rest` alone: a run waits for no pause."""
        self._failures += 1
        self._until = self._clock() + PAUSE

    def worked(self) -> None:
        self._failures = 0
