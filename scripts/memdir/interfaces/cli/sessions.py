"""Commands about conversations: ingest, sessions."""

from typing import IO

import click

from memdir.interfaces.cli import output


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--source", default="", metavar="NAME", help="What the transcript comes from. Default: jsonl.")
@click.option("--scope", default="", help="Scope of new conversations; else that of the lines.")
@output.dry_run
@output.as_json
@click.pass_context
def ingest(ctx: click.Context, file: IO[bytes], source: str, scope: str, dry_run: bool, as_json: bool) -> None:
    """Take the turns of FILE (`-`: standard input) into session files, each once.

    A line is `{"session_id", "speaker", "text", "ts", "uuid"?, "caption"?, "scope"?}`. A turn that is there already is
    passed over, so that a transcript that has grown may be taken in again; a bad line is counted, never fatal.
    """
    with output.memory(ctx) as opened:
        done = opened.ingest(file, source=source, scope=scope, dry_run=dry_run)
    if as_json:
        output.data(done)
        return
    if done.diff:
        output.show(done.diff)
    what = f"{output.count(done.turns, 'turn')} of {output.count(done.sessions, 'session')}"
    output.show(f"{'would add' if dry_run else 'added'} {what}; known: {done.known}; bad lines: {done.bad}")
    output.notices([f"line {one.line}: {one.why}" for one in done.problems] + done.notices)


@click.group()
def sessions() -> None:
    """List conversations, or show the turns of one."""


_limit = click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to show.")
_offset = click.option("--offset", type=click.IntRange(0), default=0, help="How many to pass over first.")


@sessions.command("list")
@_limit
@_offset
@output.as_json
@click.pass_context
def list_(ctx: click.Context, limit: int, offset: int, as_json: bool) -> None:
    """List conversations, newest first: id, source, when it began, turns, speakers."""
    with output.memory(ctx) as opened:
        found = opened.sessions(limit=limit, offset=offset)
    if as_json:
        output.data(found)
        return
    output.notices(found["notices"])
    keys = ("id", "source", "started", "turns")
    output.table([(*(str(one[key]) for key in keys), ", ".join(one["speakers"])) for one in found["sessions"]])
    if (left := found["total"] - offset - len(found["sessions"])) > 0:
        output.say(f"{left} more: --offset {offset + limit}")


@sessions.command()
@click.argument("id_", metavar="ID")
@_limit
@_offset
@output.as_json
@click.pass_context
def show(ctx: click.Context, id_: str, limit: int, offset: int, as_json: bool) -> None:
    """Show turns of the conversation ID: its id, the beginning of one, or a session file."""
    with output.memory(ctx) as opened:
        found = opened.session(id_, limit=limit, offset=offset)
    if as_json:
        output.data(found)
        return
    for turn in found["turns"]:
        output.show(
            f"{turn['speaker']} {turn['ts']} ^t{turn['number']} {turn['path']}:{turn['line']}\n{turn['text']}\n"
        )
    if found["left"]:
        output.say(f"{found['left']} more: --offset {offset + limit}")
