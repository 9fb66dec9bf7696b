"""Commands about what was written: runs, diff, undo, history."""

import click

from memdir.interfaces.cli import output


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Runs to show, newest first.")
@click.option("--all", "everything", is_flag=True, help="Also runs that wrote nothing.")
@output.as_json
@click.pass_context
def runs(ctx: click.Context, limit: int, everything: bool, as_json: bool) -> None:
    """List what was written, newest first: run, verb, who, files."""
    with output.memory(ctx) as opened:
        found = opened.runs(everything=everything)[: -limit - 1 : -1]
    if as_json:
        output.data({"runs": found})
        return
    rows = [(run.id, run.verb, run.by, _summary(run.paths or run.used, run.logged, run.undone)) for run in found]
    output.table(rows, empty="nothing was written yet")


def _summary(paths: list[str], logged: list[str], undone: str) -> str:
    what = _some(paths)
    what += [f"{len(logged)} in the log"] if logged else []
    return f"{', '.join(what) or 'nothing'}{f'  (taken back by {undone})' if undone else ''}"


def _some(named: list[str]) -> list[str]:
    return [*named[:3], *([f"{len(named) - 3} more"] if len(named) > 3 else [])]


@click.command()
@click.argument("run")
@output.as_json
@click.pass_context
def diff(ctx: click.Context, run: str, as_json: bool) -> None:
    """Show what the run RUN (an id, the beginning of one, or `last`) changed, as a unified diff."""
    with output.memory(ctx) as opened:
        text = opened.diff(run)
    if as_json:
        output.data({"run": run, "diff": text})
    else:
        output.show(text)


@click.command()
@click.argument("run")
@click.option("--keep-changed", is_flag=True, help="Leave the files that somebody changed since; take back the rest.")
@output.dry_run
@output.as_json
@click.pass_context
def undo(ctx: click.Context, run: str, keep_changed: bool, dry_run: bool, as_json: bool) -> None:
    """Take back the run RUN (an id, the beginning of one, or `last`): files byte for byte, the log by an entry."""
    with output.memory(ctx) as opened:
        done = opened.undo(run, keep_changed=keep_changed, dry_run=dry_run)
    if as_json or done.diff:
        output.done(done, as_json, "took back")
        return
    what = ", ".join(_some(done.back)) or "nothing of it is there any more"
    output.show(f"{'would take' if dry_run else 'took'} back {done.of} ({done.verb}): {what}")
    output.notices(done.notices)


@click.command()
@click.argument("name")
@click.option("--show", metavar="VERSION", help="Print this version (its digest or the beginning of it).")
@output.as_json
@click.pass_context
def history(ctx: click.Context, name: str, show: str | None, as_json: bool) -> None:
    """List the kept earlier versions of the note NAME, newest first."""
    with output.memory(ctx) as opened:
        if show:
            output.text_of(opened.version(name, show), as_json)
            return
        found = opened.history(name)
    if as_json:
        output.data({"versions": found})
    else:
        rows = [(one.digest[:12], output.moment(one.ts), f"{one.size} bytes", one.by) for one in found]
        output.table(rows, empty="no earlier version is kept")
