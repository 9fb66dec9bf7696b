"""Commands by which a vault keeps itself: heartbeat, distill, report."""

from typing import TYPE_CHECKING, Any, TypeVar

import click

from memdir import text
from memdir.errors import UsageError
from memdir.interfaces.cli import output
from memdir.vault import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memdir.app.keeping.distilling import Night

T = TypeVar("T")


@click.command()
@click.option("--since", default="", metavar="DAY", help="From this day on; default: distill.days back.")
@click.option("--again", is_flag=True, help="Also entries that were learned from before, or whose run was taken back.")
@click.option("--no-model", is_flag=True, help="By rules, also where a model is configured.")
@output.dry_run
@output.as_json
@click.pass_context
def distill(ctx: click.Context, since: str, again: bool, no_model: bool, dry_run: bool, as_json: bool) -> None:
    """Learn from log entries that were not learned from yet: lines of topic notes, each with its source."""
    if since and not names.is_day(since):
        raise UsageError(f"{since!r} is not a day like 2026-11-29")
    with output.memory(ctx) as opened:
        night = opened.distill(since=since, again=again, model=not no_model, dry_run=dry_run)
    if as_json:
        output.data(night)
    else:
        _show(night, dry_run)


def _show(night: "Night", dry_run: bool) -> None:
    if night.diff:
        output.show(night.diff)
    counts = ", ".join(output.count(count, kind) for kind, count in sorted(night.learned.items())) or "nothing new"
    output.show(f"{output.count(night.entries, 'entry')}: {counts}")
    for path, lines in night.notes.items():
        said = output.count(len(lines), "line") if lines else "accepted"
        output.show(f"  {'new  ' if path in night.made else ''}{path}: {said}")
    output.left_out(night.dropped)
    if night.unsure:
        output.say(f"{output.count(night.unsure, 'sentence')} with no sure value: in the log only")
    if night.waiting:
        output.say(f"{night.waiting} wait for the next night")
    for failed in night.failed[: output.SHOWN]:
        output.say(f"waits for the next time: {failed}")
    if len(night.failed) > output.SHOWN:
        output.say(f"waits for the next time: {len(night.failed) - output.SHOWN} more")
    if night.undone and not night.entries:
        what = output.count(night.undone, "entry")
        output.say(
            f"left unread since a run was taken back: {what}; `memdir distill --again` reads what was read before"
        )
    output.ended(night, dry_run=dry_run)


@click.command()
@click.option("--force", is_flag=True, help="Do all of it, whatever is due.")
@click.option("--now", is_flag=True, help="Distil when it is due by age, whatever the hour.")
@click.option("--quiet", is_flag=True, help="Print nothing when nothing was due.")
@output.dry_run
@output.as_json
@click.pass_context
def heartbeat(ctx: click.Context, force: bool, now: bool, quiet: bool, dry_run: bool, as_json: bool) -> int:
    """Do the upkeep that is due: sync after 4 h, distil at night after 12 h (by day after 30), scan after 8 h."""
    with output.memory(ctx) as opened:
        beat = opened.heartbeat(force=force, now=now, dry_run=dry_run)
    if as_json:
        output.data(beat)
    else:
        for step, said in beat.done.items():
            output.show(f"{step}: {said}")
        for step, said in beat.failed.items():
            output.say(f"{step} failed: {said}")
        output.notices(beat.notices)
        if not (beat.done or beat.failed or quiet):
            output.show("nothing is due")
    return 1 if beat.failed else 0


@click.command()
@click.option("--limit", type=click.IntRange(1), default=1, show_default=True, help="Distillations, newest first.")
@output.as_json
@click.pass_context
def report(ctx: click.Context, limit: int, as_json: bool) -> None:
    """Say what the last distillations learned, where it went, and what they left out and why."""
    with output.memory(ctx) as opened:
        found = opened.reports(limit)
    if as_json:
        output.data({"reports": [{**run.said, "run": run.id, "ts": run.ts, "undone": run.undone} for run in found]})
        return
    for run in found:
        output.show(f"{run.id}{f'  taken back by {run.undone}' if run.undone else ''}")
        output.show("\n".join(_told(run.said)))
    if not found:
        output.show("nothing was distilled yet")


def _told(said: "Mapping[str, Any]") -> "Iterator[str]":
    """What a distillation said of itself; a shape that memdir does not write, from a stranger's ledger, is left out."""
    learned = ", ".join(output.count(count, kind) for kind, count in sorted(_held(said, "learned", dict).items()))
    yield f"  {output.count(_held(said, 'entries', int), 'entry')}: {learned or 'nothing new'}"
    for path, lines in _held(said, "notes", dict).items():
        yield from (f"  {path}", *(f"    {line}" for line in (lines if isinstance(lines, list) else ())))
    for one in _held(said, "dropped", list):
        if isinstance(one, list) and len(one) == 3:
            said_so, why, source = map(str, one)
            yield f"  left out ({why}): {text.cut(said_so, output.WIDTH)} {source}"
    if unsure := _held(said, "unsure", int):
        yield f"  {output.count(unsure, 'sentence')} with no sure value: in the log only"
    failed = _held(said, "failed", list)
    yield from (f"  waits for the next time: {one}" for one in failed)
    if (more := _held(said, "unread", int) - len(failed)) > 0:
        yield f"  waits for the next time: {more} more"
    if waiting := _held(said, "waiting", int):
        yield f"  {waiting} wait for the next night"
    if calls := _held(said, "calls", int):
        yield f"  {calls} model calls, {_held(said, 'tokens', int)} tokens"


def _held(said: "Mapping[str, Any]", key: str, kind: type[T]) -> T:
    """A value of this kind, else an empty one."""
    value = said.get(key)
    return value if isinstance(value, kind) else kind()
