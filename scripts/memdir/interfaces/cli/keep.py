"""Commands that keep a vault in order: index, sync, rebuild, doctor, stats."""

from typing import Any

import click

from memdir.app.keeping import doctor as health
from memdir.index import sync as syncing
from memdir.interfaces.cli import output

SHOWN = 50  # Problems printed without --all


@click.command()
@click.option("--write", is_flag=True, help="Write the list into MEMORY.md; text outside its marks is kept.")
@output.dry_run
@output.as_json
@click.pass_context
def index(ctx: click.Context, write: bool, dry_run: bool, as_json: bool) -> None:
    """Print MEMORY.md as it should be now."""
    with output.memory(ctx) as opened:
        text = opened.index_text()
        if write:
            output.done(opened.write_index(dry_run=dry_run), as_json, "wrote")
        elif as_json:
            output.data({"path": "MEMORY.md", "text": text})
        else:
            output.show(text.rstrip("\n"))


@click.command()
@click.option("--accept-removals", is_flag=True, help="Many notes were deleted on purpose: drop them from the index.")
@output.dry_run
@output.as_json
@click.pass_context
def sync(ctx: click.Context, accept_removals: bool, dry_run: bool, as_json: bool) -> None:
    """Bring index and MEMORY.md to what the files say. Resumes where a stopped run ended."""
    _sync(ctx, as_json, accept_removals=accept_removals, dry_run=dry_run)


@click.command()
@output.as_json
@click.pass_context
def rebuild(ctx: click.Context, as_json: bool) -> None:
    """Build the index anew from the files; the old one answers until it is done."""
    _sync(ctx, as_json, afresh=True)


def _sync(ctx: click.Context, as_json: bool, **how: Any) -> None:
    with output.memory(ctx) as opened, output.steps("indexing", "embedding") as (indexing, embedding):
        options = syncing.Options(wait=opened.settings["sync.lock_wait"], progress=indexing, **how)
        report, done = opened.sync(options, embedding)
    if as_json:
        output.data({"report": report, "written": done.changed, "notices": done.notices})
        return
    if report.rebuilt:
        output.say(f"made a new index: {report.rebuilt}")
    counts = [
        f"{count} {word}"
        for word, count in (
            ("added", report.added),
            ("changed", report.modified),
            ("moved", report.moved),
            ("removed", report.removed),
        )
        if count
    ]
    would = "would be " if how.get("dry_run") else ""
    output.show(f"{output.count(report.files, 'file')} {would}indexed; {', '.join(counts) or 'nothing new'}")
    for path in done.changed:
        output.show(f"{'would write' if would else 'wrote'} {path}")
    if report.without:
        output.say(f"{report.embedded} vectors made, {report.without} to come: run `memdir embedder drain`")
    for path, why in sorted(report.kept.items()):
        output.say(f"{path} is kept in the index: {why}")
    for path, why in sorted(report.skipped.items()):
        output.say(f"{path} is not in the index: {why}")
    _problems(report.problems, SHOWN)
    for notice in done.notices:
        output.say(notice)


def _problems(problems: Any, most: int) -> None:
    first, more = health.shown(problems, most)
    for problem in first:
        output.say(str(problem))
    if more:
        output.say(f"and {more} more; `memdir doctor --all` shows them")


@click.command()
@click.option(
    "--fix", is_flag=True, help="Mend what is derived: leftovers of crashes, the index, the list in MEMORY.md."
)
@click.option("--all", "everything", is_flag=True, help=f"Print every Problem, not the first {SHOWN}.")
@output.as_json
@click.pass_context
def doctor(ctx: click.Context, fix: bool, everything: bool, as_json: bool) -> int:
    """Report what is wrong in the files and the index. Exit code 5 when there are Problems."""
    with output.memory(ctx) as opened:
        found = opened.doctor(fix=fix)
    if as_json:
        output.data(found)
    else:
        first, more = health.shown(found.problems, len(found.problems) if everything else SHOWN)
        for problem in first:
            output.show(str(problem))
        if more:
            output.show(f"and {more} more; --all shows them")
        for line in ([f"the index was made anew: {found.rebuilt}"] if found.rebuilt else []) + found.fixed:
            output.say(line)
        output.say(f"{output.count(found.files, 'file')}, {output.count(len(found.problems), 'problem')}")
    return 5 if found.problems else 0


@click.command()
@output.as_json
@click.pass_context
def stats(ctx: click.Context, as_json: bool) -> None:
    """Count notes, passages, tags and links; show where the index lies and how big things are."""
    with output.memory(ctx) as opened:
        found = opened.stats()
    if as_json:
        output.data(found | {"notices": opened.notices})
        return
    output.notices(opened.notices)
    for key, value in found.items():
        output.show(f"{key}: {', '.join(f'{k} {v}' for k, v in value.items()) if isinstance(value, dict) else value}")
