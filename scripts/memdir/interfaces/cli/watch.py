"""The command that stays: `watch`. Prints a line for each look that found something, until it is told to stop."""

import contextlib
import dataclasses
import json
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memdir.interfaces.cli import output

if TYPE_CHECKING:
    from types import FrameType

    from memdir.app.keeping.watching import Seen


@click.command()
@click.option("--once", is_flag=True, help="Look once and end.")
@click.option("--quiet", is_flag=True, help="Print only what goes wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document a line for each look.")
@click.pass_context
def watch(ctx: click.Context, once: bool, quiet: bool, as_json: bool) -> None:
    """Keep index and MEMORY.md current while files change. Ends with exit code 0 when it is interrupted."""

    def tell(seen: "Seen") -> None:
        if not quiet or seen.notices:
            _as_json(seen) if as_json else _as_text(seen, quiet, once)

    with _interruptible():
        again = True
        while again:
            with output.memory(ctx) as opened:
                again = opened.watch(tell, once=once)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM stops as Ctrl-C does, both with exit code 0; a second one does not disturb the first."""
    numbers = (signal.SIGINT, signal.SIGTERM)

    def stop(number: int, frame: "FrameType | None") -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _as_text(seen: "Seen", quiet: bool, once: bool) -> None:
    if seen.report and not quiet:
        if seen.first and not once:
            output.show(f"watching {seen.report.files} files")
        if did := _did(seen):
            output.show(f"{seen.at:%H:%M:%S} {did}")
    output.notices(seen.notices)


def _did(seen: "Seen") -> str:
    """`3 files: 1 added, 2 changed; wrote MEMORY.md`, "" when nothing was done."""
    words: dict[str, int] = {}
    if report := seen.report:
        words = {"added": report.added, "changed": report.modified, "moved": report.moved, "removed": report.removed}
    total = sum(words.values())
    counts = ", ".join(f"{count} {word}" for word, count in words.items() if count)
    files = f"{total} {'file' if total == 1 else 'files'}: {counts}" if total else ""
    return "; ".join(filter(None, (files, f"wrote {', '.join(seen.written)}" if seen.written else "")))


def _as_json(seen: "Seen") -> None:
    """One line; the same keys for every look, `report` null where there is only something to say."""
    report = dataclasses.asdict(seen.report) if seen.report else None
    if report:
        report["problems"] = len(report["problems"])
    line = {"at": seen.at.isoformat(), "first": seen.first, "report": report}
    output.show(json.dumps(line | {"written": seen.written, "notices": seen.notices}, ensure_ascii=False))
