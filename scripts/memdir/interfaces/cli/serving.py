"""Commands that serve a vault to other programs: mcp. Needs the extra `[mcp]`, imported when it is called."""

from pathlib import Path

import click

from memdir.app import vaults
from memdir.app.scopes import VARIABLE
from memdir.errors import UsageError
from memdir.interfaces.cli import output
from memdir.interfaces.mcp import wire
from memdir.interfaces.mcp.callers import Choices

NEEDED = 'MCP needs an extra: pip install "memdir[mcp]"'

_read_only = click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
_scope = click.option(
    "--scope", default="", envvar=VARIABLE, help=f"Scope of calls that name none; {VARIABLE} sets it."
)


@click.command()
@_read_only
@_scope
@click.pass_context
def mcp(ctx: click.Context, read_only: bool, scope: str) -> None:
    """Serve the vault to one MCP client over standard input and output, until the client goes.

    Clients start this command by themselves. Standard output carries the protocol and nothing else.
    """
    root, now = vaults.discover(ctx.find_root().obj, Path.cwd()), output.now()
    pipe = wire.Wire(*wire.taken())
    try:
        from memdir.interfaces.mcp import stdio
    except ModuleNotFoundError as error:
        raise UsageError(NEEDED) from error
    stdio.run(root, now, Choices(read_only, scope), pipe)
