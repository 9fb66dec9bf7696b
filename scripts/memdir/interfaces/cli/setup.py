"""Commands that fit a vault to other tools and other versions: git, obsidian, migrate."""

import click

from memdir.app.exchange.tools import SetUp
from memdir.interfaces.cli import output


@click.group()
def git() -> None:
    """Fit the vault to git."""


@git.command("setup")
@output.dry_run
@output.as_json
@click.pass_context
def git_setup(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Add to .gitignore what is derived, to .gitattributes that logs, sessions and the ledger are joined.

    Only lines that are missing are added. Two machines that both appended then merge without a conflict.
    """
    with output.memory(ctx) as opened:
        done = opened.set_up("git", dry_run=dry_run)
    _show(done, dry_run, as_json)


@click.group()
def obsidian() -> None:
    """Fit the vault to Obsidian."""


@obsidian.command("setup")
@output.dry_run
@output.as_json
@click.pass_context
def obsidian_setup(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Tell Obsidian the types of memdir's properties, and make a table for each type of note in bases/.

    Only what is missing is added: a property whose type is chosen and a base that is there stay as they are.
    """
    with output.memory(ctx) as opened:
        done = opened.set_up("obsidian", dry_run=dry_run)
    _show(done, dry_run, as_json)


def _show(done: SetUp, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.data(done)
        return
    if dry_run and done.diff:
        output.show(done.diff.rstrip("\n"))
        output.say("dry run: nothing was written")
    for path in done.changed if not dry_run else ():
        output.show(f"wrote {path}")
    if not done.changed:
        output.say("nothing to add")
    output.notices(done.notices)


@click.command()
@click.option("--rollback", is_flag=True, help="Take the last migration back.")
@output.dry_run
@output.as_json
@click.pass_context
def migrate(ctx: click.Context, rollback: bool, dry_run: bool, as_json: bool) -> None:
    """Bring the vault to the format that this memdir writes. There is one so far, so nothing changes.

    A vault of a newer format is refused by every command, with exit code 5.
    """
    with output.memory(ctx) as opened:
        found = opened.format()
    if as_json:
        output.data(found | {"changed": []})
        return
    said = f"format {found['format']}" if found["format"] else "adopted: it has no format of memdir's"
    output.show(f"{said}; the newest is {found['newest']}: nothing to {'take back' if rollback else 'migrate'}")
