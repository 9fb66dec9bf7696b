"""Commands that take a vault out of its folder: snapshot, export."""

from pathlib import Path

import click

from memdir.app import snapshots
from memdir.app.snapshots import Snapshot
from memdir.interfaces.cli import output

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
