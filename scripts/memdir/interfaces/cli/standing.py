"""Commands for what memdir keeps ready for a start: brief."""

from pathlib import Path

import click

from memdir.app.scopes import VARIABLE, of_folder
from memdir.interfaces.cli import output


@click.command()
@click.option(
    "--scope", default=None, envvar=VARIABLE, help=f"Only this scope and what it inherits; {VARIABLE} sets it."
)
@click.option("--scope-from-cwd", is_flag=True, help="Only the scope named as the git repository round here.")
@click.option("--write", is_flag=True, help="Write it anew first, where it would say something else.")
@output.dry_run
@output.as_json
@click.pass_context
def brief(
    ctx: click.Context, scope: str | None, scope_from_cwd: bool, write: bool, dry_run: bool, as_json: bool
) -> None:
    """Print the brief: what is known, open and lately decided, in one paragraph a scope. None: nothing is printed.

    It is made by rules from facts in force, open loops and the decisions of the last 30 days, each with its source;
    what is from outside never comes into it. `memdir heartbeat` renews it behind each distillation, `memdir undo`
    brings the one before back. Without a scope the briefs of all scopes are printed.
    """
    scope = (of_folder(Path.cwd()) if scope_from_cwd else "") or scope
    with output.memory(ctx) as opened:
        if write or dry_run:
            made = opened.make_briefs(scope, dry_run=dry_run)
            if dry_run or as_json:
                output.done(made, as_json, "wrote")
                return
            output.notices([*(f"wrote {path}" for path in made.changed), *made.notices])
        found = opened.briefs(scope)
    if as_json:
        output.data({"briefs": found})
    elif found:
        output.show("\n\n".join(one.text for one in found))
