"""What makes agents call `memdir hook`: hooks install, status, remove."""

import os
from datetime import datetime
from pathlib import Path

import click

from memdir.app.agents import connecting, hook_entries
from memdir.app.agents import hooks as events
from memdir.errors import UsageError
from memdir.interfaces.cli import connect, output

# OpenClaw has no commands as hooks: what it reads at every session and every half hour tells it to call us.
_TEXTS = {"openclaw": ("instructions", "heartbeat")}
_client = click.option("--client", type=click.Choice([*events.CLIENTS, *_TEXTS]), required=True, help="Whose settings.")
_settings = click.option(
    "--settings", type=click.Path(path_type=Path), metavar="FILE", help="The file; else the client's for this user."
)


@click.group()
def hooks() -> None:
    """Let Claude Code or Codex call `memdir hook` at its events; only our entries of its settings change.

    OpenClaw calls no commands at events: lines in the AGENTS.md and HEARTBEAT.md of its workspace tell it what to run.
    """


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
    if client in _TEXTS:
        told = connecting.connect(client, _asked(client, vault, settings), _now(), dry_run=dry_run)
        connect.show(told, dry_run=dry_run, as_json=as_json)
        return
    named = os.fspath(events.served(vault)) if vault else ""
    done = hook_entries.install(client, settings, named, _now(), dry_run=dry_run)
    _show(done, dry_run, as_json)


@hooks.command()
@_client
@_settings
@output.dry_run
@output.as_json
@click.pass_context
def remove(ctx: click.Context, client: str, settings: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take our entries out; what was there stays beside it as a .bak file."""
    if client in _TEXTS:
        told = connecting.remove(client, _asked(client, ctx.find_root().obj, settings), _now(), dry_run=dry_run)
        connect.show(told, dry_run=dry_run, as_json=as_json)
        return
    _show(hook_entries.remove(client, settings, _now(), dry_run=dry_run), dry_run, as_json)


@hooks.command()
@click.option(
    "--client",
    type=click.Choice([*events.CLIENTS, *_TEXTS]),
    help="Whose settings; else those of Claude Code and Codex.",
)
@_settings
@output.as_json
@click.pass_context
def status(ctx: click.Context, client: str | None, settings: Path | None, as_json: bool) -> None:
    """Show at which events the client calls us, and whether it calls this memdir."""
    vault = ctx.find_root().obj
    if client in _TEXTS:
        connect.show(connecting.status(client, _asked(client, vault, settings)), as_json=as_json)
        return
    if settings is not None and client is None:
        raise UsageError("--settings needs --client: whose file it is")
    named = os.fspath(events.served(vault)) if vault else ""
    found = [hook_entries.status(one, settings, named) for one in ([client] if client else events.CLIENTS)]
    if as_json:
        output.data(found[0] if client else found)
        return
    for one in found:
        _tell(one)


def _tell(found: hook_entries.Entries) -> None:
    """Say at which events a client calls us."""
    name = events.CLIENTS[found.client]
    if found.events:
        output.show(f"{name} calls memdir at {', '.join(found.events)} ({found.path})")
    else:
        output.show(f"{name} does not call memdir ({found.path})")
    if found.old:
        output.say(f"not as an install would do it now: {', '.join(found.old)}")


def _asked(client: str, vault: str | None, settings: Path | None) -> connecting.Asked:
    if settings is not None:
        raise UsageError(
            f"{client} keeps no hooks in a file of settings; its workspace is that of OPENCLAW_WORKSPACE_DIR"
        )
    return connecting.Asked(os.fspath(events.served(vault)), only=_TEXTS[client])


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
