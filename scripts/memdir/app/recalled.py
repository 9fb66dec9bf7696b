"""What was merely recalled: one line a recall in `recalled.jsonl` beside the index, in the cache folder.

`{"ts", "query", "mode", "ids", "via"}`, ids as a recall prints them, `via` from which file some were reached. `memdir
used` and `memdir eval replay` read it, no recall does: it may be deleted at any time, and no answer depends on it.
Secrets of a question are redacted before it is written. Lines are appended without a lock and without waiting for the
disk, so that a crash may cost the last ones.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir.errors import MemdirError

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.recall.evidence import Answer

CONTINUE = "continue"  # the mode of what was told of work that was left: no question brought it
FILE, OLD = "recalled.jsonl", "recalled.old.jsonl"
LONGEST = 2_000  # characters of a question that are kept
# Whoever names a secret uses a word that holds one of these; the tests hold them against the rules of redaction.
_HINTS = (
    "pass", "pw", "psw", "phrase", "seed", "mnemonic", "kenn", "identified", "cred", "contrase", "senha", "hasło",
    "mot de", "wacht", "key", "pin", "otp", "code", "token", "secret", "auth", "bearer", "mysql", "mariadb", "redis",
    "docker", "curl", "lines:", "://", "助记", "密", "口令", "パス", "비밀", "парол", "验证", "驗證", "認証", "인증",
    "私", "令牌", "トークン", "토큰", "токен", "⟦",
)  # fmt: skip
_IN_WORDS = ("phrase", "seed", "mnemonic", "app")  # beside which a secret may be words; any other has digits or signs
_TOKEN = 16  # signs of the shortest token that is known by its look alone
_written = json.JSONEncoder(ensure_ascii=False).encode
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """One recall: when (UTC), what was asked, how it was answered, and the evidence, best first, as `path:line`; `via`:
    the file from which some of it was reached."""

    ts: str
    query: str
    mode: str = ""
    ids: tuple[str, ...] = ()
    via: Mapping[str, str] = field(default_factory=dict)

    def has(self, path: str, first: int = 0, last: int = 0) -> bool:
        """Whether it gave a line of a file, where lines are named one of [first, last]."""
        head = f"{path}:"
        lines = (int(one[len(head) :]) for one in self.ids if one.startswith(head) and one[len(head) :].isdecimal())
        return any(not last or first <= line <= last for line in lines)


def note(memory: "Memory", answer: "Answer", mode: str) -> None:
    """Write down a recall, in the folder of the index. What the system refuses is nobody's concern: a recall answers
    without it."""
    ids = [f"{one.path}:{one.at}" for one in answer.evidence]
    via = {f"{one.path}:{one.at}": one.via for one in answer.evidence if one.via}
    keep(memory, Recalled("", answer.question, mode, tuple(ids), via))


def keep(memory: "Memory", one: Recalled) -> None:
    """Write down what came, now; `query` as it was asked. As `note`."""
    most = memory.settings["recall.log"]
    if not most:
        return
    with contextlib.suppress(MemdirError, OSError):
        said: dict[str, object] = {
            "ts": memory.clock.now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "query": asked(memory, one.query),
            "mode": one.mode,
            "ids": list(one.ids),
        }
        if one.via:
            said["via"] = dict(one.via)
        line = _written(said).encode("utf-8", "backslashreplace") + b"\n"
        memory.recalls.add(line, int(most * 1_000_000))


def asked(memory: "Memory", question: str) -> str:
    """A question as it may be written: one line of at most LONGEST characters, without secrets."""
    if not is_plain(question):
        from memdir.vault import secrets  # deferred: 2 ms of a cold recall, 8 where a key word stands in the question

        if secrets.find(question):  # the key is a file of its own
            question = secrets.redact(question, memory.marker_key)[0]
    return " ".join(question.split())[:LONGEST]


def is_plain(question: str) -> bool:
    """Whether there is nothing in a question that a secret could be or stand beside: most are, and need no look."""
    low = question.lower()
    words = (low if low.isascii() else "".join(sign if sign < "\x7f" else " " for sign in low)).split()
    if any(len(word) >= _TOKEN for word in words):
        return False
    if not any(map(low.__contains__, _HINTS)):
        return True
    letters = all(word.strip(",.?!").replace("'", "").isalpha() for word in words)
    return low.isascii() and letters and not any(hint in low for hint in _IN_WORDS)


class Log:
    """The log beside one index, kept open from its first line on: to open it costs more than to write."""

    def __init__(self, place: Path) -> None:
        self._place, self._fd = place, -1

    def add(self, line: bytes, most: int) -> None:
        """Add a line in one write; a log of `most` bytes is put aside first, over the one before it.

        Two processes that find it full at once may lose the lines of the older log, no more.
        """
        try:
            if self._fd < 0 or self._is_over(most):
                self.close()
                self._open()
            if self._is_over(most):
                self.close()
                os.replace(self._place / FILE, self._place / OLD)
                self._open()
            os.write(self._fd, line)
        finally:
            if os.name == "nt":  # where an open file cannot be put aside by another process
                self.close()

    def _open(self) -> None:
        self._fd = os.open(self._place / FILE, _FLAGS, 0o600)

    def _is_over(self, most: int) -> bool:
        """Whether the file that is open is full, which one put aside by another process is too, or deleted."""
        seen = os.fstat(self._fd)
        return seen.st_size >= most or not seen.st_nlink

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def newest(place: Path) -> Iterator[Recalled]:
    """The recalls that are still known, newest first; torn and foreign lines are passed over."""
    for name in (FILE, OLD):
        with contextlib.suppress(OSError):
            for line in reversed((place / name).read_bytes().split(b"\n")):
                if found := _parsed(line):
                    yield found


def _parsed(line: bytes) -> Recalled | None:
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(ids := said.get("ids"), list):
        return None
    ts, query, mode = (said.get(key, "") for key in ("ts", "query", "mode"))
    if not all(isinstance(one, str) for one in (ts, query, mode, *ids)):
        return None
    via = said.get("via")
    led = {id_: one for id_, one in via.items() if isinstance(one, str)} if isinstance(via, dict) else {}
    return Recalled(ts, query, mode, tuple(ids), led)
