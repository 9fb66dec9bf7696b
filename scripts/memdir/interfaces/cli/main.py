"""`memdir`: the group of commands. Imports nothing heavy: each command's module loads when it is called."""

import atexit
import gc
import importlib
import os
import sys
from itertools import pairwise
from typing import Any, NoReturn

import click

from memdir import __version__
from memdir.errors import MemdirError
from memdir.interfaces.cli import output

# command → (module, one line of help), in the order that --help shows.
COMMANDS = {
    "init": ("vaults", "Make a vault, or adopt a folder of notes as it is."),
    "vaults": ("vaults", "List, add, remove vaults, or choose the default."),
    "new": ("notes", "Write a new note."),
    "set": ("notes", "Set front matter keys of a note, by line."),
    "edit": ("notes", "Append to a note, or replace a section or its body."),
    "mv": ("moving", "Move or rename a note or a folder; links follow."),
    "archive": ("moving", "Move notes that had their time to the archive, or back."),
    "show": ("notes", "Show what memdir understands of a note."),
    "list": ("notes", "List notes."),
    "log": ("notes", "Append an entry to today's log."),
    "fact": ("lines", "Set, get or trace one fact of a note."),
    "loops": ("lines", "List what waits to be done."),
    "resolve": ("lines", "Close an open loop."),
    "import": ("sessions", "Bring in chats and notes of another tool."),
    "forget": ("sessions", "Really delete a conversation, or what came from a source."),
    "ingest": ("sessions", "Take the turns of a transcript in, each once."),
    "capture": ("capture", "Keep what you said in a conversation that is worth it."),
    "sessions": ("sessions", "List conversations, or show the turns of one."),
    "recall": ("find", "Answer a question with quotes from the notes."),
    "read": ("find", "Read a note, a section, a block or the lines around one."),
    "gate": ("moments", "Say whether a message needs memory, and print it."),
    "start": ("moments", "Print what a session begins with."),
    "context": ("moments", "Print the same at any moment, for a task."),
    "continue": ("moments", "Print what was going on in the last days."),
    "brief": ("standing", "Print the standing paragraph of a scope, or write it anew."),
    "checkpoint": ("standing", "Save, list or print what a conversation was about."),
    "used": ("using", "Record which recalled memories were used."),
    "scan": ("inbox", "Propose notes about what is new or changed in a workspace."),
    "inbox": ("inbox", "Proposed notes that wait for your word."),
    "heartbeat": ("upkeep", "Do the upkeep that is due: sync, distil, scan."),
    "report": ("upkeep", "Say what the last distillations learned and left out."),
    "distill": ("upkeep", "Learn from the log: lines of topic notes, each with its source."),
    "runs": ("runs", "List what was written, newest first."),
    "diff": ("runs", "Show what a run changed."),
    "undo": ("runs", "Take a run back."),
    "history": ("runs", "List the kept earlier versions of a note, or print one."),
    "snapshot": ("snapshots", "Keep a vault in one file, check it, restore it."),
    "export": ("snapshots", "Write the vault for other tools: JSON, markdown, Basic Memory."),
    "git": ("setup", "Tell git what to leave out and what to join."),
    "obsidian": ("setup", "Tell Obsidian what memdir's properties are."),
    "migrate": ("setup", "Bring the vault to the newest format."),
    "index": ("keep", "Print MEMORY.md as it should be; --write writes it."),
    "sync": ("keep", "Bring index and MEMORY.md to what the files say."),
    "watch": ("watch", "Keep index and MEMORY.md current while files change."),
    "rebuild": ("keep", "Build the index anew."),
    "doctor": ("keep", "Report what is wrong, with path and line."),
    "merge-conflicts": ("moving", "Merge the copies that sync tools left into their notes."),
    "stats": ("keep", "Count notes, passages, links; show sizes."),
    "embedder": ("embedder", "Choose and test what makes vectors; make those that are missing."),
    "schedule": ("schedule", "Let `memdir heartbeat` run by itself."),
    "connect": ("connect", "Put memdir into the configuration of an agent."),
    "hook": ("hook", "Answer an event of Claude Code or Codex."),
    "hooks": ("hooks", "Let Claude Code or Codex call `memdir hook` by themselves."),
    "mcp": ("serving", "Serve the vault to an MCP client over standard input and output."),
    "serve": ("serving", "Serve the vault to MCP clients over HTTP."),
    "bench": ("measure", "Measure speed and found answers on a generated vault."),
    "eval": ("evaluate", "Measure what recall finds on a labelled set."),
    "bench-embedders": ("measure", "Compare embedders on recall and speed, in English and Chinese."),
    "completion": ("vaults", "Print the completion script for a shell."),
}


# What other tools call a command.
_CALLED = {
    "search": ("recall",), "find": ("recall",), "query": ("recall",), "ask": ("recall",), "grep": ("recall",),
    "remember": ("log", "new"), "add": ("log", "new"), "note": ("new", "log"), "save": ("log", "new"),
    "write": ("log", "new"), "create": ("new", "init"), "open": ("read",), "cat": ("read",), "get": ("read",),
    "ls": ("list",), "delete": ("archive", "forget"), "rm": ("archive", "forget"), "remove": ("archive", "forget"),
    "rename": ("mv",), "move": ("mv",), "status": ("doctor", "stats"), "check": ("doctor",), "todo": ("loops",),
    "todos": ("loops",), "tasks": ("loops",), "backup": ("snapshot",), "restore": ("snapshot", "undo"),
    "tag": ("set",), "revert": ("undo",), "close": ("resolve",),
}  # fmt: skip
_VAULT = "Vault to use; else MEMDIR_VAULT, the nearest one above, the default."


def _choose(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """`--vault` may stand before or behind the command."""
    if value:
        ctx.find_root().obj = value


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"memdir.interfaces.cli.{COMMANDS[cmd_name][0]}")
        found = next(one for one in vars(module).values() if isinstance(one, click.Command) and one.name == cmd_name)
        for one in (found, *(found.commands.values() if isinstance(found, click.Group) else ())):
            if not any("--vault" in param.opts for param in one.params):
                one.params.append(
                    click.Option(["--vault"], metavar="PATH", expose_value=False, callback=_choose, help=_VAULT)
                )
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does; a command that there is not is told with those that may be meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = _CALLED.get(args[0].lower()) or difflib.get_close_matches(args[0].lower(), COMMANDS, 2)
            if not close:
                raise
            raise click.UsageError(f"{error.message} Did you mean {' or '.join(close)}?", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="memdir %(version)s")
@click.option("--vault", metavar="PATH", help=_VAULT)
@click.pass_context
def cli(ctx: click.Context, vault: str | None) -> None:
    """memdir: agent memory as a folder of plain markdown."""
    ctx.obj = vault
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: list[str] | None = None) -> NoReturn:
    """Run one command and exit with its code; errors go to standard error, or as JSON to standard output."""
    _utf8()
    gc.set_threshold(200_000, 50, 50)  # a command is short: 10,000 walked files set off no collection (5 % of a recall)
    _end(run(sys.argv[1:] if argv is None else argv))


def _end(code: int) -> NoReturn:
    """Leave without taking the interpreter apart, which after a recall over 10,000 notes costs 20 ms."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        output.fail(error, 1, "system", False)
        code = 1
    if "MEMDIR_DEBUG" in os.environ:
        sys.exit(code)
    sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def run(args: list[str]) -> int:
    """One command; returns the exit code."""
    as_json = (
        "--json" in args or "--format=json" in args or (("--format", "json") in pairwise(args) and "export" not in args)
    )
    try:
        result: Any = cli.main(args, prog_name="memdir", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except MemdirError as error:
        output.fail(error, error.exit_code, error.kind, as_json)
        return error.exit_code
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as error:
        if as_json:
            output.fail(error, 2, "usage", True)
        else:
            error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        output.fail(error, 1, "system", as_json)
        return 1
    except Exception as error:
        output.fail(MemdirError(f"a bug in memdir: {type(error).__name__}: {error}"), 1, "bug", as_json)
        if "MEMDIR_DEBUG" in os.environ:
            raise
        return 1


def _utf8() -> None:
    """Names and text are UTF-8 whatever the locale says; a console that cannot show a sign shows another."""
    if sys.getfilesystemencoding().lower() != "utf-8" and "MEMDIR_UTF8" not in os.environ:
        os.execve(
            sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "PYTHONUTF8": "1", "MEMDIR_UTF8": "1"}
        )
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    main()
