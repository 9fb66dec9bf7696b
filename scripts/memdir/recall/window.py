"""How much of a file is read at once, and the command that reads the rest. Costs nothing to import; touches no file."""

from dataclasses import dataclass

MOST = 2_000  # characters shown where nobody said how many: about 500 tokens
LEAST, UTMOST = 100, 20_000  # what may be asked for


@dataclass(frozen=True, slots=True)
class Window:
    """What is asked of a reading; None: nothing. `before`, `after`: units on either side (turns of a session, entries
    of a log, passages of a note), `context`: both; `limit`, `offset`: lines of the part, turns of a session;
    `detail`: also what memdir understands of the file."""

    context: int | None = None
    before: int | None = None
    after: int | None = None
    limit: int | None = None
    offset: int | None = None
    max_chars: int | None = None
    detail: bool = False

    @property
    def reach(self) -> tuple[int, int] | None:
        """Units before and after; None where no neighbours were asked for."""
        before = self.context if self.before is None else self.before
        after = self.context if self.after is None else self.after
        return None if before is None and after is None else (before or 0, after or 0)

    @property
    def room(self) -> int | None:
        """Characters that may be shown; None: all. Who says how much in units is never clipped."""
        if self.max_chars is not None:
            return self.max_chars
        counted = (self.context, self.before, self.after, self.limit, self.offset)
        return MOST if all(one is None for one in counted) else None

    def call(self, path: str, anchor: str, paging: str) -> str:
        """The command that reads this part with other `paging` (`--offset 40`), and clips nothing."""
        kept = [
            f"--{name} {value} "
            for name in ("context", "before", "after")
            if (value := getattr(self, name)) is not None
        ]
        target = quoted(f"{path}{anchor if anchor.startswith(':') else anchor and '#' + anchor}")
        if path.startswith("-"):
            return f"memdir read {''.join(kept)}{paging} -- {target}"
        return f"memdir read {target} {''.join(kept)}{paging}"


def quoted(word: str) -> str:
    """A word as a shell takes it, whatever stands in it."""
    return "'" + word.replace("'", "'\"'\"'") + "'"
