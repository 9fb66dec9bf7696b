"""Commands about vaults as a whole: init, vaults, completion."""

import os
from pathlib import Path

import click

from memdir.app import vaults as registry
from memdir.interfaces.cli import output


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "--adopt", is_flag=True, help="Take over a workspace, an Obsidian vault or any folder of notes; rewrites nothing."
)
@click.option("--timezone", default="", help="Zone that decides the day of a log entry, such as Europe/Lisbon.")
@output.dry_run
@output.as_json
def init(path: Path, adopt: bool, timezone: str, dry_run: bool, as_json: bool) -> None:
    """Make a vault at PATH (default: here); safe to repeat."""
    made = registry.init(Path(os.path.abspath(path.expanduser())), adopt=adopt, timezone=timezone, dry_run=dry_run)
    if as_json:
        output.data(made)
        return
    word = "adopted" if adopt else "vault"
    output.show(f"{word} {made.root} ({made.kind}, {output.count(made.files, 'file')})")
    if outer := registry.around(made.root):
        output.say(f"  it lies in the vault {outer}, which may take its notes for its own; a folder beside it is safer")
    for one in made.skipped:
        output.say(f"  skipped {one.folder}: templates ({one.files} markdown); rename the folder to take them in")
    for name in made.created:
        output.show(f"  {'would create' if dry_run else 'created'} {name}")
    if made.registered:
        output.say("would be registered" if dry_run else "registered; `memdir vaults` shows all of them")
    elif not made.created:
        output.say("nothing to do: it was made and registered before")


@click.group(invoke_without_command=True)
@output.as_json
@click.pass_context
def vaults(ctx: click.Context, as_json: bool) -> None:
    """The vaults that memdir knows; alone it lists them."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@vaults.command("list")
@output.as_json
def list_(as_json: bool) -> None:
    """List the registered vaults; a star marks the default."""
    _list(as_json)


def _list(as_json: bool) -> None:
    held = registry.registry()
    if as_json:
        output.data({"vaults": list(held.paths), "default": held.default})
        return
    for path in held.paths:
        output.show(f"{'*' if path == held.default else ' '} {path}{'' if Path(path).is_dir() else '  (missing)'}")
    if not held.paths:
        output.say("no vault is registered; make one with `memdir init PATH`")


@vaults.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, file_okay=False))
@output.dry_run
@output.as_json
def add(path: Path, dry_run: bool, as_json: bool) -> None:
    """Register the vault at PATH."""
    root = Path(os.path.abspath(path))
    listed = registry.register(root, dry_run=dry_run)
    _done(listed, "registered" if listed.changed else "was registered before", dry_run, as_json)
    if not as_json and registry.is_bare(root):
        output.say(
            f"there is no markdown in it: `memdir init {root}` makes a vault there, `memdir import` reads other files"
        )


@vaults.command()
@click.argument("name")
@output.dry_run
@output.as_json
def remove(name: str, dry_run: bool, as_json: bool) -> None:
    """Take a vault (path or last part of it) off the list; nothing in it is touched."""
    _done(registry.unregister(name, dry_run=dry_run), "no longer registered", dry_run, as_json)


@vaults.command()
@click.argument("name")
@output.dry_run
@output.as_json
def default(name: str, dry_run: bool, as_json: bool) -> None:
    """Make a registered vault the default."""
    _done(registry.make_default(name, dry_run=dry_run), "default", dry_run, as_json)


def _done(listed: registry.Listed, what: str, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.data(listed)
        return
    output.show(f"{what}: {listed.path}")
    if dry_run:
        output.say("dry run: nothing was written")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL; `eval "$(memdir completion bash)"` turns it on."""
    from click.shell_completion import get_completion_class

    from memdir.interfaces.cli.main import cli

    kind = get_completion_class(shell)
    assert kind
    click.echo(kind(cli, {}, "memdir", "_MEMDIR_COMPLETE").source())
