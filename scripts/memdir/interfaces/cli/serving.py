"""Commands that serve a vault to other programs: mcp, serve. Need the extra `[mcp]`, imported when they are called."""

from pathlib import Path
from typing import IO, Any

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
@click.option(
    "--script", type=click.File("r", encoding="utf-8"), help="Be the client: make the calls of this file, `-`: stdin."
)
@click.pass_context
def mcp(ctx: click.Context, read_only: bool, scope: str, script: IO[str] | None) -> None:
    """Serve the vault to one MCP client over standard input and output, until the client goes.

    Clients start this command by themselves. Standard output carries the protocol and nothing else.

    With --script it starts such a server, calls its tools and prints their answers: a line of the file is a tool and
    its arguments, `memory_recall {"query": "cache"}`.
    """
    root, now = vaults.discover(ctx.find_root().obj, Path.cwd()), output.now()
    pipe = None if script else wire.Wire(*wire.taken())
    try:
        from memdir.interfaces.mcp import session, stdio
    except ModuleNotFoundError as error:
        raise UsageError(NEEDED) from error
    if pipe is None:
        session.run(
            root, ["--read-only"] * read_only + ["--scope", scope], script.read() if script else "", output.show
        )
    else:
        stdio.run(root, now, Choices(read_only, scope), pipe)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=48400, show_default=True, envvar="MEMDIR_PORT",
    help="Port; 0 takes any that is free. MEMDIR_PORT sets it.",
)  # fmt: skip
@click.option("--insecure-local", is_flag=True, help="Ask for no token; on 127.0.0.1 alone.")
@click.option("--behind-proxy", is_flag=True, help="Something before it speaks TLS; needed to listen elsewhere.")
@click.option("--tls-cert", "certificate", default="", metavar="FILE", help="Certificate, to speak TLS itself.")
@click.option("--tls-key", "key", default="", metavar="FILE", help="Its key.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="A further name that it is called by.")
@click.option("--allow-origin", "origins", multiple=True, metavar="URL", help="A web page that may ask.")
@click.option(
    "--rate", type=click.FloatRange(1), default=500.0, show_default=True, help="Requests a second of a token."
)
@_read_only
@_scope
@click.pass_context
def serve(ctx: click.Context, /, rate: float, read_only: bool, scope: str, **asked: Any) -> None:
    """Serve the vault to many MCP clients over HTTP, at /mcp, until it is told to stop.

    Clients send a token: `Authorization: Bearer TOKEN`. The tokens stand in `serve.json` in the user's configuration
    folder, made with one on the first start; MEMDIR_TOKEN takes its place. `/health` answers without one.
    """
    root, now = vaults.discover(ctx.find_root().obj, Path.cwd()), output.now()
    try:
        from memdir.interfaces.mcp import web
    except ModuleNotFoundError as error:
        raise UsageError(NEEDED) from error
    web.run(root, now, Choices(read_only, scope), web.Where(**asked), rate, output.say)
