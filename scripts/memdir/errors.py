"""What can go wrong: Problems are values found in a user's files, exceptions end a command.

A Problem never stops a run; `doctor` shows it. An exception carries its exit code
and a message that says what, where and what to try. Touches no file.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something wrong in a user's file; `line` counts from 1."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class MemdirError(Exception):
    """This command cannot go on."""

    exit_code = 1
    kind = "error"


class UsageError(MemdirError):
    """The command was called wrongly."""

    exit_code = 2
    kind = "usage"


class NotFound(MemdirError):
    """The note, heading, key, answer, run or vault asked for is not there."""

    exit_code = 3
    kind = "not-found"


class Conflict(MemdirError):
    """The file is not the one the caller read, or a run was taken back before; nothing was written.

    `path` is relative to the vault; `current` is the digest on disk now (None: no file);
    `kept` names the conflict copy that holds the caller's text, if one was made.
    """

    exit_code = 4
    kind = "conflict"

    def __init__(self, message: str, *, path: str = "", current: str | None = None, kept: str | None = None) -> None:
        super().__init__(message)
        self.path, self.current, self.kept = path, current, kept


class Locked(MemdirError):
    """Another process holds the lock."""

    exit_code = 4
    kind = "locked"


class Unusable(MemdirError):
    """There is no index that may be read now."""

    exit_code = 4
    kind = "no-index"


class BadData(MemdirError):
    """A file holds something memdir will not touch, or the system refuses to read or write it."""

    exit_code = 5
    kind = "bad-data"


class Unsafe(BadData):
    """A path would leave the vault, follow a link or name a hidden folder."""

    kind = "unsafe-path"


class ModelError(MemdirError):
    """The model or the network failed.

    The message names the endpoint and what to try; it never holds the key.
    """

    exit_code = 6
    kind = "model"
