"""What agents call at their events: hook."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

import click

from memdir.app.agents import hook_state, hooks
from memdir.interfaces.cli import output


class _Late(BaseException):
    """The time of a hook is over; no handler of errors takes it for one."""


class _Calm(click.Command):
    """A command that never ends with an exit code for its arguments: to a client 2 means "erase this prompt"."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            hook_state.complain(f"hook: {error.format_message()}")
            ctx.exit(0)


@click.command(cls=_Calm)
@click.argument("event", default="")
@click.option(
    "--client", default="claude-code", show_default=True, metavar="NAME", help="Who calls: claude-code, codex."
)
@click.option("--wait", is_flag=True, help="Take the transcript in before it ends, not in a process of its own.")
@click.pass_context
def hook(ctx: click.Context, event: str, client: str, wait: bool) -> None:
    """Answer an EVENT of an agent: session-start, user-prompt-submit, stop, pre-compact, session-end.

    Reads the event as JSON from standard input. Prints the JSON that the client takes, or nothing; the exit code is
    always 0, and what went wrong stands in hooks.log in the cache folder. Serves registered vaults only.
    """
    try:
        data = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(hooks.EVENT_BYTES + 1)
        root, now = hooks.served(ctx.find_root().obj), output.now()
        if event == hook_state.WORK:
            from memdir.app.agents import hook_work  # deferred: a prompt has no use for it

            hook_work.run(data, root, now)
            return
        told = hooks.told(event, client, data)
        with contextlib.nullcontext() if wait else _within(hooks.EVENTS[told.name][1]):
            text = hooks.answer(told, root, now, wait)
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except (Exception, KeyboardInterrupt, _Late) as error:
        hook_state.complain(f"{event or 'hook'}: {type(error).__name__}: {error}")


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise _Late in what takes longer, where the system can; elsewhere the client ends it."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Late(f"not done within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
