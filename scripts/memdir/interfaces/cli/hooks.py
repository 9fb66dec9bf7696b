"""What agents call at their events, and what makes them call: hook, hooks install, status, remove."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from memdir.app import hook_entries, hook_state, hook_work
from memdir.app import hooks as events
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
        data = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(events.EVENT_BYTES + 1)
        root, now = events.served(ctx.find_root().obj), output.now()
        if event == hook_work.WORK:
            hook_work.run(data, root, now)
            return
        told = events.told(event, client, data)
        with _within(events.EVENTS[told.name][1]):
            text = events.answer(told, root, now, wait)
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


_client = click.option("--client", type=click.Choice([*events.CLIENTS]), required=True, help="Whose settings.")
_settings = click.option(
    "--settings", type=click.Path(path_type=Path), metavar="FILE", help="The file; else the client's for this user."
)


@click.group()
def hooks() -> None:
    """Let Claude Code or Codex call `memdir hook` at its events; only our entries of its settings change."""


@hooks.command()
@_client
@_settings
@output.dry_run
@output.as_json
@click.pass_context
def install(ctx: click.Context, client: str, settings: Path | None, dry_run: bool, as_json: bool) -> None:
    """Put our entries in, in place of those of before; what was there stays beside it as a .bak file.

    The entries serve the default of `memdir vaults` at the time of a call, or with --vault that vault, which must be
    registered.
    """
    vault = ctx.find_root().obj
    named = os.fspath(events.served(vault)) if vault else ""
    done = hook_entries.install(client, settings, named, _now(), dry_run=dry_run)
    _show(done, dry_run, as_json)


@hooks.command()
@_client
@_settings
@output.dry_run
@output.as_json
def remove(client: str, settings: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take our entries out; what was there stays beside it as a .bak file."""
    _show(hook_entries.remove(client, settings, _now(), dry_run=dry_run), dry_run, as_json)


@hooks.command()
@_client
@_settings
@output.as_json
@click.pass_context
def status(ctx: click.Context, client: str, settings: Path | None, as_json: bool) -> None:
    """Show at which events the client calls us, and whether it calls this memdir."""
    vault = ctx.find_root().obj
    found = hook_entries.status(client, settings, os.fspath(events.served(vault)) if vault else "")
    if as_json:
        output.data(found)
        return
    name = events.CLIENTS[client]
    if found.events:
        output.show(f"{name} calls memdir at {', '.join(found.events)} ({found.path})")
    else:
        output.show(f"{name} does not call memdir ({found.path})")
    if found.old:
        output.say(f"not as an install would do it now: {', '.join(found.old)}")


def _now() -> datetime:
    return (output.now() or datetime.now)()


def _show(done: hook_entries.Entries, dry_run: bool, as_json: bool) -> None:
    """Report a change of settings, or what it would be."""
    if as_json:
        output.data(done)
        return
    deeds = {"keep": "as it should be", "none": "nothing of ours", "install": "installed", "replace": "replaced"}
    deed = {**deeds, "remove": "removed"}[done.verb]
    if dry_run and done.verb in ("install", "replace", "remove"):
        output.show(done.text)
        output.say(f"dry run: would {done.verb} in {done.path}; nothing was written")
        return
    output.show(f"{done.path}: {deed}")
    output.notices([f"what was there before: {done.backup}"] if done.backup else [])
    output.notices(done.notices)
