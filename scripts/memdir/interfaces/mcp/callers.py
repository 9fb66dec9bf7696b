"""Who calls, what they may do and what they see. It comes from the transport, never from an argument. Plain values."""

from contextvars import ContextVar
from dataclasses import dataclass

READ, CAPTURE, WRITE = RIGHTS = ("read", "capture", "write")


@dataclass(frozen=True, slots=True)
class Caller:
    """`scopes`: the memory scopes that are seen and written, none for all; `external`: what it writes is not vouched
    for."""

    name: str = "mcp"
    rights: frozenset[str] = frozenset(RIGHTS)
    scopes: tuple[str, ...] = ()
    external: bool = False

    @property
    def by(self) -> str:
        """How ledger and history name it; "" for who started the server."""
        return "" if self is LOCAL else f"mcp:{self.name}"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a server was told when it was started."""

    read_only: bool = False
    scope: str = ""


LOCAL = Caller()
CALLER: ContextVar[Caller] = ContextVar("caller", default=LOCAL)
