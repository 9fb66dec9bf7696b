"""The command that records use: used."""

import click

from memdir.interfaces.cli import output


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--query", default="", metavar="TEXT", help="The question that they answered; `-`: standard input.")
@output.dry_run
@output.as_json
@click.pass_context
def used(ctx: click.Context, ids: tuple[str, ...], query: str, dry_run: bool, as_json: bool) -> None:
    """Record that memories were used. An ID is what `recall` prints (PATH:LINE), a PATH, PATH#^block or a name.

    Changes no note: it is a line in the ledger, by which links that are of use grow stronger. Exit code 3, and nothing
    recorded, when an ID is nowhere.
    """
    with output.memory(ctx) as opened:
        done = opened.used(ids, query=output.stdin_text(query), dry_run=dry_run)
    if as_json:
        output.data(done)
        return
    for one in done.used:
        output.show(f"{'would record' if dry_run else 'recorded'} {one.kind} {one.id}")
    output.notices(done.notices)
