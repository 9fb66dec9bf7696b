"""The command that puts memdir into a client's configuration: connect."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from memdir.app.agents import clients, connecting, hooks
from memdir.errors import BadData, NotFound
from memdir.interfaces.cli import output

_DEEDS = {
    "install": "put in", "replace": "put in anew", "remove": "taken out", "keep": "as it should be",
    "connected": "connected", "differs": "connected, not as it would be now", "none": "nothing of ours",
    "plugin": "this checkout, as a plugin",
}  # fmt: skip


@click.command()
@click.argument("client", required=False, type=click.Choice([*clients.known()]), metavar="[CLIENT]")
@click.option("--print", "is_print", is_flag=True, help="Print what to paste, and where; read and write nothing.")
@click.option("--remove", "is_remove", is_flag=True, help="Take memdir out.")
@click.option(
    "--settings", type=click.Path(path_type=Path), metavar="FILE", help="Only this file of MCP servers (.mcp.json)."
)
@output.dry_run
@output.as_json
@click.pass_context
def connect(
    ctx: click.Context, /, client: str | None, is_print: bool, is_remove: bool, as_json: bool, **given: Any
) -> None:
    """Put memdir into CLIENT: claude-code, claude-desktop, codex, cursor, gemini, openclaw. Without CLIENT: say what is
    connected.

    What a client has a place for: the MCP server, the skill, hooks, some lines in AGENTS.md or GEMINI.md. The rest of
    each file stays byte for byte, what was there before stays beside it as a .bak file. A file that cannot be read is
    left alone and named; the others are done, and the exit code is 5. It serves the default vault, or the one that
    --vault names, which must be registered.
    """
    if client is None:
        _all(ctx, as_json)
        return
    asked = connecting.Asked(os.fspath(hooks.served(ctx.find_root().obj)), given["settings"])
    if is_print:
        _paste(connecting.pastes(client, asked), as_json)
        return
    work = connecting.remove if is_remove else connecting.connect
    show(work(client, asked, _now(), dry_run=given["dry_run"]), dry_run=given["dry_run"], as_json=as_json)


def _now() -> datetime:
    return (output.now() or datetime.now)()


def show(done: connecting.Connected, *, dry_run: bool = False, as_json: bool) -> None:
    """Report what was done to the files of a client. Raises BadData where one was left alone."""
    if as_json:
        output.data(done)
    else:
        for one in connecting.folded(done.parts):
            output.show(_line(one, dry_run))
            if dry_run and one.verb in ("install", "replace", "remove") and one.what != "skill":
                output.show(one.text.rstrip("\n"))
        output.notices([f"what was there before: {one.backup}" for one in done.parts if one.backup])
        output.notices(done.notices)
    if done.has_problems:
        said = "; ".join(dict.fromkeys(one.problem for one in done.parts if one.problem))
        if not as_json:
            raise BadData(said)
        click.get_current_context().exit(BadData.exit_code)


def _line(one: connecting.State, dry_run: bool) -> str:
    deed = "left alone" if one.problem else _DEEDS[one.verb]
    if dry_run and one.verb in ("install", "replace", "remove"):
        deed = f"would {one.verb}"
    return f"{one.what}: {deed} ({one.path})"


def _all(ctx: click.Context, as_json: bool) -> None:
    """What every client has of memdir."""
    try:
        vault = os.fspath(hooks.served(ctx.find_root().obj))
    except NotFound:
        vault = ""
    found = [connecting.status(name, connecting.Asked(vault)) for name in clients.known()]
    if as_json:
        output.data({"clients": found})
        return
    for done in found:
        output.show(f"{done.title}:")
        for one in connecting.folded(done.parts):
            output.show(f"  {_line(one, False)}")
        output.notices([one.problem for one in done.parts if one.problem] + done.notices)


def _paste(done: connecting.Connected, as_json: bool) -> None:
    if as_json:
        output.data(done)
        return
    for one in done.parts:
        if one.what == "skill":
            output.show(
                f"# skill: the folder {os.path.dirname(one.path)} with SKILL.md and references/; `memdir connect"
            )
            output.show(f"# {done.client}` copies it\n")
        else:
            output.show(f"# {one.what}: {one.path}\n{one.paste}")
