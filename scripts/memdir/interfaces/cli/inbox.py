"""Commands about what waits for review: scan, inbox."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memdir.interfaces.cli import output
from memdir.vault import layout

if TYPE_CHECKING:
    from memdir.app.keeping.scanning import Look, Scan


@click.command()
@click.argument("workspaces", nargs=-1, type=click.Path(path_type=Path), metavar="[WORKSPACE]...")
@click.option(
    "--since", default="", metavar="DAY", help="Files changed from this day on; default: since the last scan."
)
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Proposals for each workspace.")
@output.dry_run
@output.as_json
@click.pass_context
def scan(ctx: click.Context, workspaces: tuple[Path, ...], since: str, most: int, dry_run: bool, as_json: bool) -> None:
    """Propose notes about what is new or changed in a workspace; `memdir inbox` shows them.

    Without WORKSPACE: those of the setting scan.workspaces, else the git work tree or the agent's workspace that the
    vault is or lies in.
    """
    places = [place.expanduser().absolute() for place in workspaces]
    with output.memory(ctx) as opened:
        found = opened.scan(places, since=since, most=most, dry_run=dry_run)
    if as_json:
        output.data(found)
    else:
        show_scan(found, dry_run)


def show_scan(found: "Scan", dry_run: bool) -> None:
    """Print what a look at workspaces proposed."""
    if found.diff:
        output.show(found.diff)
    for look in found.looks:
        _show_look(look)
    output.notices(found.notices)
    if dry_run:
        output.say("dry run: nothing was written")
    elif found.changed:
        output.say(f"run {found.run}; `memdir undo {found.run}` takes the proposals away")


def _show_look(look: "Look") -> None:
    since = f" since {look.since}" if look.since else ""
    output.show(
        f"{look.workspace}: {len(look.proposed)} proposed, {output.count(look.looked, 'file')} looked at{since}"
    )
    output.table([(f"  {one.path}", one.type, one.title, one.why) for one in look.proposed])
    if look.skipped:
        output.show(f"  left out: {', '.join(f'{count} {why}' for why, count in look.skipped.items())}")
    if look.waiting:
        output.show(f"  {look.waiting} files wait for the next scan")
    if look.problem:
        output.say(f"{look.workspace}: {look.problem}")


@click.group(invoke_without_command=True)
@output.as_json
@click.pass_context
def inbox(ctx: click.Context, as_json: bool) -> None:
    """Proposed notes that wait for your word; alone it lists them."""
    if ctx.invoked_subcommand is None:
        _list(ctx, as_json)


@inbox.command("list")
@output.as_json
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the proposals, oldest first: file, type, title, source."""
    _list(ctx, as_json)


def _list(ctx: click.Context, as_json: bool) -> None:
    with output.memory(ctx) as opened:
        found = opened.inbox()
    if as_json:
        output.data({"proposals": found})
    else:
        rows = [(one.path.rpartition("/")[2], one.type, one.name, one.source) for one in found]
        output.table(rows, empty="nothing waits for your word")


@inbox.command()
@click.argument("name")
@output.as_json
@click.pass_context
def show(ctx: click.Context, name: str, as_json: bool) -> None:
    """Print the proposal NAME (file or title)."""
    with output.memory(ctx) as opened:
        output.text_of(opened.proposal(name), as_json)


@inbox.command()
@click.argument("name")
@click.option("--type", "kind", default="", type=click.Choice(["", *layout.TYPES]), help="Another type than proposed.")
@output.dry_run
@output.as_json
@click.pass_context
def accept(ctx: click.Context, name: str, kind: str, dry_run: bool, as_json: bool) -> None:
    """Make the proposal NAME a topic note, as it stands now."""
    with output.memory(ctx) as opened:
        output.done(opened.accept(name, kind=kind, dry_run=dry_run), as_json, "wrote")


@inbox.command()
@click.argument("name")
@output.dry_run
@output.as_json
@click.pass_context
def reject(ctx: click.Context, name: str, dry_run: bool, as_json: bool) -> None:
    """Take the proposal NAME away; it is not made again. `memdir undo last` brings it back."""
    with output.memory(ctx) as opened:
        output.done(opened.reject(name, dry_run=dry_run), as_json, "rejected")
