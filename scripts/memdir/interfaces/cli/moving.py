"""Commands that move whole notes: mv, archive, merge-conflicts."""

import click

from memdir.errors import UsageError
from memdir.interfaces.cli import output


@click.command()
@click.argument("note")
@click.argument("new")
@click.option("--title", default="", metavar="TEXT", help="What it is called from now on; the old name is an alias.")
@output.dry_run
@output.as_json
@click.pass_context
def mv(ctx: click.Context, note: str, new: str, title: str, dry_run: bool, as_json: bool) -> None:
    """Move NOTE to NEW and rewrite every link to it as Obsidian does, in notes, front matter and canvases.

    NEW is a path, a folder that ends in `/`, or a new file name in the same folder; `.md` may be left out. Only the
    file is renamed: what front matter calls the note stays, unless --title says otherwise. In another topic folder its
    `type` follows. NOTE may be an attachment, or a folder when both end in `/`. Daily logs, sessions and MEMORY.md
    stay; logs of a vault that memdir made keep the old name, by which the note is still found.
    """
    with output.memory(ctx) as opened:
        output.done(opened.move(note, new, title=title, dry_run=dry_run), as_json, "moved to")


@click.command()
@click.argument("names", nargs=-1, metavar="[NOTE]...")
@click.option("--restore", is_flag=True, help="Move the notes back to the folder of their type.")
@output.dry_run
@output.as_json
@click.pass_context
def archive(ctx: click.Context, names: tuple[str, ...], restore: bool, dry_run: bool, as_json: bool) -> None:
    """Move notes to memory/archive/TYPE/, links kept; they are still found, ranked last.

    Without names those go that are due: past their `valid_to`; without an update for 2, 30 or 365 days where `decay` is
    session, fast or normal; of low importance and unchanged for archive.low_days. Never those of high importance, those
    that a person changed in the last 7 days or brought back; in one run 10, or 5 % of the notes where that is more.
    """
    if restore and not names:
        raise UsageError("--restore needs the names of notes; `memdir list --path memory/archive` shows them")
    with output.memory(ctx) as opened:
        found = opened.archive(names, restore=restore, dry_run=dry_run)
    if as_json:
        output.data(found)
        return
    for one in found.notes:
        output.show(f"{one.path} → {one.to}  ({one.why})")
    output.notices([*found.notices, *([f"{found.waiting} more are due: run it again"] if found.waiting else [])])
    output.say(_end(len(found.notes), "nothing to archive", found.run, dry_run))


@click.command("merge-conflicts")
@click.argument("copies", nargs=-1, metavar="[COPY]...")
@output.dry_run
@output.as_json
@click.pass_context
def merge_conflicts(ctx: click.Context, copies: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Merge the conflict copies that `doctor` reports, or each COPY, into their notes, block by block; remove them.

    What both changed stays twice, the other version in a callout, reported with path and line. A log gets the entries
    that it lacks at its end. A copy whose note is gone takes its place. A file that no tool marked as a copy, such as
    `Trip 2.md`, is merged when the history or its `id` shows that it is one; else name it.
    """
    with output.memory(ctx) as opened:
        found = opened.merge_conflicts(copies, dry_run=dry_run)
    if as_json:
        output.data(found)
        return
    if found.diff:
        output.show(found.diff)
    for one in found.copies:
        output.show(f"{one.how}: {one.copy} → {one.path or '?'}{f'  ({one.why})' if one.why else ''}")
    for problem in found.conflicts:
        output.show(str(problem))
    output.notices(found.notices)
    done = sum(one.how != "left" for one in found.copies)
    output.say(_end(done, "nothing was merged" if found.copies else "no conflict copies", found.run, dry_run))


def _end(count: int, nothing: str, run: str, dry_run: bool) -> str:
    if not count:
        return nothing
    return "dry run: nothing was written" if dry_run else f"`memdir undo {run}` takes it back" if run else "done"
