"""The command `capture`: what a person said in a conversation, kept where it is worth it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memdir import text
from memdir.app.scopes import VARIABLE
from memdir.app.talk.heard import Asked
from memdir.errors import UsageError
from memdir.interfaces.cli import inbox, output

if TYPE_CHECKING:
    from memdir.app.memory import Memory
    from memdir.app.talk.heard import Captured

STATS = "stats"
SINCE = ("1h", "24h", "7d", "1w", "1m")


@click.command()
@click.argument("target", metavar="SESSION|FILE|-|stats", required=False, default="")
@click.option("--source", default="", metavar="NAME", help="What the transcript comes from, such as claude-code.")
@click.option(
    "--scope", default="", envvar=VARIABLE, help="Scope of a new conversation, and of what holds there alone."
)
@click.option("--model", is_flag=True, help="Ask the model that is configured; what is still to do, rules find.")
@click.option("--again", is_flag=True, help="Also turns that were read before, or whose capture was taken back.")
@click.option("--workspace", is_flag=True, help="Propose notes about what agents left in the folder TARGET instead.")
@click.option(
    "--since", type=click.Choice(SINCE), default="24h", show_default=True, help="With --workspace: how far back."
)
@click.option("--all", "everything", is_flag=True, help="With --workspace: whatever its age.")
@click.option("--list", "listed", is_flag=True, help="With --workspace: only name the files.")
@click.option("--stats", is_flag=True, help="With --workspace: only count what is there and what is left out.")
@output.dry_run
@output.as_json
@click.pass_context
def capture(
    ctx: click.Context,
    target: str,
    source: str,
    scope: str,
    model: bool,
    again: bool,
    workspace: bool,
    since: str,
    everything: bool,
    listed: bool,
    stats: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Keep what you said in a conversation: preferences, corrections, facts, decisions, what is still to do.

    SESSION is a conversation that is there (its id, the beginning of one, a file); FILE, or `-`, a transcript, which
    comes in first. Only your own turns are read, each once. `stats` says what was taken and left out so far.

    With --workspace, TARGET is a folder where agents leave what they made (default: as for `memdir scan`): its `.md`,
    `.txt` and `.json` files of 200 bytes to 500 KB become proposals in the inbox, each version once.
    """
    if not target and not workspace:
        raise UsageError("name a conversation, a transcript, `-` for standard input, or `stats`; or --workspace")
    with output.memory(ctx) as opened:
        if workspace:
            only = "stats" if stats else "list" if listed else ""
            return _scan(opened, target, "" if everything else since, only, dry_run=dry_run, as_json=as_json)
        if target == STATS:
            return _stats(opened, as_json)
        stream = click.open_file("-", "rb") if target == "-" else None
        done = opened.capture(stream or target, Asked(source, scope, model, again), dry_run=dry_run)
    return output.data(done) if as_json else show(done, dry_run)


def show(done: "Captured", dry_run: bool) -> None:
    """Print what a capture did."""
    if done.diff:
        output.show(done.diff)
    read = f"{output.count(done.turns, 'turn')} of {output.count(done.sessions, 'conversation')}"
    output.show(f"{read}: {output.count(len(done.taken), 'memory')}")
    for one in done.taken:
        output.show(f"  {one.kind} {one.confidence:.2f}  {text.cut(one.text, output.WIDTH)}  {one.source}")
    for path, lines in done.notes.items():
        output.show(f"  {path}: {output.count(len(lines), 'line')}")
    for path in done.proposed:
        output.show(f"  {path}: waits for your word")
    output.left_out(done.dropped)
    output.ended(done, dry_run=dry_run)


def _stats(opened: "Memory", as_json: bool) -> None:
    found = opened.captures()
    if as_json:
        output.data(found)
        return
    counted = f"{output.count(found['captures'], 'capture')}, {found['taken_back']} more taken back"
    read = output.count(found["conversations"], "conversation")
    output.show(f"{counted}: {output.count(found['turns'], 'turn')} of {read}")
    taken = ", ".join(f"{count} {kind}" for kind, count in found["taken"].items())
    output.show(f"taken: {taken or 'nothing'}; proposed: {found['proposed']}")
    for why, count in found["left_out"].items():
        output.show(f"left out ({why}): {count}")


def _scan(opened: "Memory", folder: str, since: str, only: str, *, dry_run: bool, as_json: bool) -> None:
    """Look at a folder of agents. `only`: name the files (`list`) or count them (`stats`)."""
    places = [Path(folder).expanduser().absolute()] if folder else []
    found = opened.capture_workspace(places, since=since, dry_run=dry_run or bool(only))
    if as_json:
        output.data(found)
        return
    if not only:
        inbox.show_scan(found, dry_run)
        return
    for look in found.looks:
        output.show(f"{look.workspace}: {output.count(len(look.proposed), 'file')} of {look.looked}")
        if only == "list":
            output.table([(f"  {one.source}", one.title) for one in look.proposed])
        elif look.skipped:
            output.show("\n".join(f"  left out ({why}): {count}" for why, count in look.skipped.items()))
