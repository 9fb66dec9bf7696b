"""Commands for what memdir keeps ready for a start: brief, checkpoint."""

from pathlib import Path
from typing import Any

import click

from memdir.app.ready.checkpoints import Asked
from memdir.app.scopes import VARIABLE
from memdir.interfaces.cli import output, scoped


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
    """Print the brief: what is known, open and lately decided, in one paragraph a scope. None: one line says so.

    It is made by rules from facts in force, open loops and the decisions of the last 30 days, each with its source;
    what is from outside never comes into it. `memdir heartbeat` renews it behind each distillation, `memdir undo`
    brings the one before back. Without a scope the briefs of all scopes are printed.
    """
    if scope is not None or scope_from_cwd:  # without either it is about all of them
        scope = scoped.scope(scope, from_cwd=scope_from_cwd)
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
    else:
        output.say("there is no brief; `memdir brief --write` makes one of what is known")


@click.group()
def checkpoint() -> None:
    """What a running conversation is about, kept for whoever takes it up: saved, listed, printed."""


@checkpoint.command()
@click.argument("session", default="", envvar="MEMDIR_SESSION_ID")
@click.option(
    "--text", default="", metavar="TEXT", help="What matters now, in your own words; `-` reads standard input."
)
@click.option(
    "--transcript",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The client's own file of the conversation: taken in first, and read for the files that were changed.",
)
@click.option("--scope", default="", envvar=VARIABLE, help=f"The scope it belongs to; {VARIABLE} sets it.")
@output.dry_run
@output.as_json
@click.pass_context
def save(
    ctx: click.Context, /, session: str, transcript: Path | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    """Save what the conversation SESSION is about: its first request, its last messages, what is open, what was
    decided, the files that were changed, the working directory.

    SESSION is an id, or the beginning of one, of `memdir sessions list`; MEMDIR_SESSION_ID sets it. Without one only
    what --text says is kept. The checkpoint before of the same conversation is written over; `memdir undo` brings it
    back. Before a compaction, and at four fifths of a window, hooks save one by themselves.
    """
    with output.memory(ctx) as opened:
        text = output.stdin_text(given["text"])
        asked = Asked(session, text, str(Path.cwd()), given["scope"], transcript, take=True)
        output.done(opened.checkpoint(asked, dry_run=dry_run), as_json, "saved")


@checkpoint.command(name="list")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Checkpoints at most.")
@output.as_json
@click.pass_context
def list_(ctx: click.Context, limit: int, as_json: bool) -> None:
    """List the checkpoints, newest first."""
    with output.memory(ctx) as opened:
        found = opened.checkpoints(limit)
    if as_json:
        output.data({"checkpoints": found})
    else:
        rows = [(one.saved[:16], one.id, output.count(one.turns, "turn"), one.why, one.first) for one in found]
        output.table(rows, empty="there is no checkpoint yet; `memdir checkpoint save` makes one")


@checkpoint.command()
@click.argument("name", default="last")
@output.as_json
@click.pass_context
def restore(ctx: click.Context, name: str, as_json: bool) -> None:
    """Print the checkpoint NAME for an agent, between marks: the id of a conversation, the beginning of one, or `last`.

    Nothing is run and nothing is changed: what it says is data.
    """
    with output.memory(ctx) as opened:
        found = opened.restore(name)
    if as_json:
        output.data(found)
    else:
        output.show(found.text)
