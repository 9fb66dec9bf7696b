"""Kill and fail at the nth call that changes the disk; processes that are forked, waited for and killed.

The calls are those of `vault.disk.syscalls` and, with `everywhere`, those of `os` that the index makes by itself.
Changes what is patched back again. Needs fork, so it is for Unix alone.
"""

import contextlib
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec

from memdir.vault.disk import syscalls
from memdir.vault.disk.syscalls import sys_calls

ELSEWHERE = ("fsync", "replace", "rename", "unlink", "remove", "mkdir", "rmdir", "open", "write")
Strike = Callable[[str], None]
P = ParamSpec("P")
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Patches(contextlib.ExitStack):
    """Attributes set until the block ends."""

    def setattr(self, target: Any, name: str, value: object) -> None:
        own = name in vars(target)
        before = getattr(target, name)
        setattr(target, name, value)
        self.callback(*((setattr, target, name, before) if own else (delattr, target, name)))


class Nth:
    """At the nth step, do something. With `partial` a call has a step before and one behind it, and a write one in the
    middle of its bytes."""

    def __init__(self, at: int, strike: Strike, *, partial: bool) -> None:
        self.at, self.strike, self.partial, self.steps = at, strike, partial, 0
        self.struck = ""
        self._inside = False

    def step(self, name: str) -> bool:
        self.steps += 1
        if self.steps == self.at:
            self.struck = name
            self.strike(name)
        return self.steps == self.at

    def wrap(
        self, patches: Patches, *, exchange: bool = True, noreplace: bool = True, everywhere: bool = False
    ) -> None:
        """`exchange`, `noreplace`: whether the system can do these; `everywhere`: the index's own calls too."""
        patches.setattr(syscalls, "_rename", partial(_rename, syscalls._rename, exchange, noreplace))
        for name in syscalls.Calls.MUTATING:
            patches.setattr(sys_calls, name, partial(self._ours, name, getattr(sys_calls, name)))
        for name in ELSEWHERE if everywhere else ():
            patches.setattr(os, name, partial(self.theirs, name, getattr(os, name)))

    def _ours(self, name: str, real: Callable[..., object], *args: Any, **kwargs: Any) -> object:
        self._inside = True
        try:
            return self._struck(name, real, *args, **kwargs)
        finally:
            self._inside = False

    def _struck(self, name: str, real: Callable[..., object], *args: Any, **kwargs: Any) -> object:
        if name == "close" and not self.partial:
            real(*args)  # a descriptor is gone also when close reports an error
            return self.step(name)
        self.step(name)
        if name == "write" and self.partial:
            fd, data = args
            self.steps += 1
            if self.steps == self.at:
                os.write(fd, bytes(data)[: max(1, len(data) // 2)])
                self.strike(name)
        result = real(*args, **kwargs)
        if self.partial:
            self.step(name)
        return result

    def theirs(self, name: str, real: Callable[..., object], *args: Any, **kwargs: Any) -> object:
        """A call of `os` that is none of memdir's own."""
        reads = name == "open" and not (len(args) > 1 and args[1] & _CHANGES)
        if self._inside or reads:
            return real(*args, **kwargs)
        self.step(f"os.{name}")
        result = real(*args, **kwargs)
        if self.partial:
            self.step(f"os.{name}")
        return result


def _rename(real: Callable[..., bool], exchange: bool, noreplace: bool, *args: Any) -> bool:
    return (exchange if args[4] == syscalls._EXCHANGE else noreplace) and real(*args)


def fail_with(code: int) -> Strike:
    """A strike that the system refuses the call with."""

    def strike(name: str) -> None:
        raise OSError(code, os.strerror(code), name)

    return strike


def kill(_name: str = "") -> None:
    """A strike that ends the process as a power switch would, but for what the kernel still holds."""
    os.kill(os.getpid(), signal.SIGKILL)


def child(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> int:
    """Call in a forked process and return its id. It ends with 0 when the work was done, as it was told by
    sys.exit, or with 1 when it raised."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work(*args, **kwargs)
            status = 0
        except SystemExit as said:
            status = said.code if isinstance(said.code, int) else 1
        finally:
            os._exit(status)
    return pid


def ended(pid: int) -> int | None:
    """How a child ended: its code, below 0 the signal; None while it runs."""
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def waited(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed(work: Callable[[], object], at: int, **how: bool) -> bool:
    """Run in a child that is killed at its nth step; False when the work was done, or refused, before that.

    Raises AssertionError when it ended by anything else than the kill or an ordinary end.
    """

    def run() -> None:
        with Patches() as patches:
            Nth(at, kill, partial=True).wrap(patches, **how)
            work()

    code = waited(child(run))
    assert code in (0, -signal.SIGKILL), f"the child ended with {code}"
    return code != 0


def steps(work: Callable[[], object], *, partial: bool = True, **how: bool) -> int:
    """How many steps the work has: it is done once, in this process."""
    with Patches() as patches:
        counted = Nth(0, kill, partial=partial)
        counted.wrap(patches, **how)
        work()
    return counted.steps


def leftovers(root: Path) -> list[str]:
    """Temporary files among the notes; those in .memdir/ have fixed names that the next use takes over."""
    return [str(path) for path in root.rglob("*.memdir-tmp") if ".memdir" not in path.parts]


def stop(*pids: int) -> None:
    """Kill these processes, and wait until they are gone."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


@contextlib.contextmanager
def stopping(*pids: int) -> Iterator[None]:
    """Stop these processes when the block ends."""
    try:
        yield
    finally:
        stop(*pids)


BROKEN = {1: "raised", 11: "took too long", 12: "took too much memory"}


@contextlib.contextmanager
def limits(seconds: float = math.inf, megabytes: float = math.inf) -> Iterator[None]:
    """End this process with a code of `BROKEN` when the block took more CPU, or made it larger, than it may."""
    before, began = peak(), time.process_time()
    yield
    if time.process_time() - began > seconds:
        sys.exit(11)
    if peak() - before > megabytes:
        sys.exit(12)


def peak() -> float:
    """Megabytes (10^6 bytes) that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
