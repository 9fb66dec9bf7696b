"""Commands on single lines of the notes: fact, loops, resolve."""

from typing import Any

import click

from memdir.errors import UsageError
from memdir.interfaces.cli import narrow, output


@click.group()
def fact() -> None:
    """Set, get or trace one fact (note, key, value)."""


@fact.command("set")
@click.argument("name")
@click.argument("key")
@click.argument("value")
@click.option("--source", default="", metavar="LINK", help="What it rests on, such as [[2026-11-29]].")
@output.dry_run
@output.as_json
@click.pass_context
def set_(ctx: click.Context, name: str, key: str, value: str, source: str, dry_run: bool, as_json: bool) -> None:
    """Make VALUE what the note NAME says of KEY from today; old values move to its History with their days."""
    if not key.strip() or not value.strip():
        raise UsageError(f"the {'key' if not key.strip() else 'value'} of the fact is empty")
    with output.memory(ctx) as opened:
        output.done(opened.fact_set(name, key, value, source=source, dry_run=dry_run), as_json, "set in")


@fact.command()
@click.argument("name")
@click.argument("key")
@output.as_json
@click.pass_context
def get(ctx: click.Context, name: str, key: str, as_json: bool) -> int:
    """Print what the note NAME says of KEY now. Exit code 3 when it says nothing any more."""
    with output.memory(ctx) as opened:
        found = opened.fact(name, key)
    if as_json:
        output.data(found)
    else:
        output.show("\n".join(one["value"] for one in found["current"]) or f"nothing now; `memdir fact history {name}`")
    return 0 if found["current"] else 3


@fact.command()
@click.argument("name")
@click.argument("key")
@output.as_json
@click.pass_context
def history(ctx: click.Context, name: str, key: str, as_json: bool) -> None:
    """Print what the note NAME says and said of KEY, newest first, with days and sources."""
    with output.memory(ctx) as opened:
        found = opened.fact(name, key)
    if as_json:
        output.data(found)
        return
    rows = [*found["current"], *reversed(found["past"])]
    output.table([(one["value"], f"{one['since']} → {one['until']}".strip(), one["source"]) for one in rows])


@click.command()
@click.option("--all", "everything", is_flag=True, help="Closed ones too.")
@narrow.options
@output.as_json
@click.pass_context
def loops(ctx: click.Context, /, everything: bool, as_json: bool, **given: Any) -> None:
    """List what waits to be done, oldest first: place, text, id."""
    with output.memory(ctx) as opened:
        found = opened.loops(narrow.filters(given), everything=everything)
        notices = opened.notices
    if as_json:
        output.data({"loops": found, "notices": notices})
        return
    output.notices(notices)
    output.table(
        [
            (f"{one.path}:{one.line}", f"^{one.block}" if one.block else "", "x" if one.done else " ", one.text)
            for one in found
        ],
        empty="no loop within these" if any(given.values()) else "nothing is open",
    )


@click.command()
@click.argument("loop")
@click.option("--say", default="", metavar="TEXT", help="Title of the log entry that closes it.")
@click.option("--reopen", is_flag=True, help="Open it again.")
@output.dry_run
@output.as_json
@click.pass_context
def resolve(ctx: click.Context, loop: str, say: str, reopen: bool, dry_run: bool, as_json: bool) -> None:
    """Close LOOP: `^id`, `id`, NOTE#^id, PATH:line or words of it. In a note the box is ticked; a log gets an entry."""
    with output.memory(ctx) as opened:
        done = opened.resolve(loop, said=say, reopen=reopen, dry_run=dry_run)
    output.done(done, as_json, "opened again in" if reopen else "closed in")
