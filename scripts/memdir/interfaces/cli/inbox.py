"""Commands about what waits for review: scan, inbox."""

import click

from memdir.interfaces.cli import output
from memdir.vault import layout


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
        output.table([(one.path.rpartition("/")[2], one.type, one.name, one.source) for one in found])


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
