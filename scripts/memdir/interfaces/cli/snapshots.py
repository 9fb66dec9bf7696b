"""Commands that take a vault out of its folder: snapshot, export."""

import sys
from pathlib import Path

import click

from memdir.app.exchange import snapshots
from memdir.app.exchange.exporting import FORMATS, JSON, Exported, Wanted
from memdir.app.exchange.snapshots import Snapshot
from memdir.errors import UsageError
from memdir.interfaces.cli import output
from memdir.vault.layout import TYPES

_FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def snapshot() -> None:
    """Keep a vault in one file, check it, make a vault of it again."""


@snapshot.command()
@_FILE
@output.dry_run
@output.as_json
@click.pass_context
def create(ctx: click.Context, file: Path, dry_run: bool, as_json: bool) -> None:
    """Write the vault into the new zip archive FILE, with a manifest of sizes and SHA-256.

    In it is what is memory or a setting of it: notes, logs, conversations, MEMORY.md, ledger, memdir.toml, inbox,
    archive, attachments. Hidden folders of other tools, caches and earlier versions are not.
    """
    with output.memory(ctx) as opened, output.progress("snapshot") as bar:
        made = opened.snapshot(file, dry_run=dry_run, progress=bar)
    _show(made, "would keep" if dry_run else "kept", as_json)


@snapshot.command()
@_FILE
@output.as_json
def verify(file: Path, as_json: bool) -> int:
    """Read all of the snapshot FILE and name what is damaged; exit code 5 if anything is."""
    with output.progress("verify") as bar:
        found = snapshots.verify(file, bar)
    _show(found, "damaged" if found.damaged else "whole", as_json)
    return 5 if found.damaged else 0


@snapshot.command()
@_FILE
@click.argument("folder", type=click.Path(path_type=Path))
@output.dry_run
@output.as_json
def restore(file: Path, folder: Path, dry_run: bool, as_json: bool) -> int:
    """Make FOLDER, new or empty, of the snapshot FILE, byte for byte: all of it, or nothing."""
    with output.progress("restore") as bar:
        made = snapshots.restore(file, folder, dry_run, bar)
    _show(made, "would restore" if dry_run else "restored", as_json)
    return 5 if made.damaged else 0


def _show(found: Snapshot, word: str, as_json: bool) -> None:
    if as_json:
        output.data(found)
        return
    to = f" to {found.folder}" if found.folder else ""
    made = f", made {found.created}" if found.created else ""
    output.show(f"{word}: {output.count(found.files, 'file')}, {found.bytes:,} bytes, {found.file}{to}{made}")
    for one in found.damaged:
        output.show(f"{one.path}: {one.why}")
    output.notices(found.notices)
    if found.folder and word == "restored":
        output.say(f"`memdir vaults add {found.folder}` makes it one of your vaults")


@click.command()
@click.argument("to", metavar="FILE|FOLDER", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--format", "form", type=click.Choice(FORMATS), default=JSON, show_default=True, help="What it is for.")
@click.option("--scope", default="", help="Only this scope.")
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice([*TYPES, "log", "index", "session"]),
    help="Only this type; may be given again.",
)
@output.as_json
@click.pass_context
def export(ctx: click.Context, to: Path, form: str, scope: str, types: tuple[str, ...], as_json: bool) -> None:
    """Write the vault for other tools: a new file of JSON Lines (`-`: standard output), or a new folder.

    json: every note and log with path, text and digest, facts and links beside it, conversations turn by turn;
    `memdir import memdir` reads it. markdown: the files as they are, with the attachments that they link to.
    basic-memory: front matter with title, type, permalink and tags; bodies unchanged.
    """
    wanted, streamed = Wanted(form, scope, types), str(to) == "-"
    if streamed and (as_json or form != JSON):
        raise UsageError("`-` is for the export in JSON alone; name a file or a folder, or leave --json out")
    with output.memory(ctx) as opened:
        done = opened.export(sys.stdout.buffer if streamed else to, wanted)
    if as_json:
        output.data(done)
    else:
        said = _exported(done)
        output.say(said) if streamed else output.show(said)
        output.notices(done.notices)


def _exported(done: Exported) -> str:
    parts = [output.count(done.notes, "note"), output.count(done.logs, "log")]
    parts += [output.count(done.others, "other text")] if done.others else []
    parts += [f"{output.count(done.turns, 'turn')} of {output.count(done.sessions, 'session')}"]
    parts += [output.count(done.attachments, "attachment")] if done.attachments else []
    return f"exported {', '.join(parts)} to {'standard output' if done.to == '-' else done.to}"
