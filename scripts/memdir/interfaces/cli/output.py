"""Printing: data on standard output, talk on standard error, one JSON document where it is asked for."""

import contextlib
import dataclasses
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdir import text
from memdir.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from memdir.app.memory import Memory
    from memdir.app.writing import Done

MOST = 12  # further files that a person is told of

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
dry_run = click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")

SHOWN, WIDTH = 20, 100  # left-out sentences on a terminal, and characters of one


def data(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else str(value)


def say(message: str) -> None:
    """Talk: to standard error."""
    click.echo(text.printable(message), err=True)


def notices(lines: Sequence[str]) -> None:
    for line in lines:
        say(line)


def left_out(sentences: Sequence[Any]) -> None:
    """The first sentences that were not kept (`why`, `text`), and how many more there are."""
    for one in sentences[:SHOWN]:
        say(f"left out ({one.why}): {text.cut(one.text, WIDTH)}")
    if len(sentences) > SHOWN:
        say(f"left out: {len(sentences) - SHOWN} more; --json names them")


def ended(done: Any, *, dry_run: bool) -> None:
    """How a run that learns ended: what a model cost it, notices, and how to take it back."""
    if done.calls:
        say(f"{done.calls} model calls, {done.tokens} tokens")
    notices(done.notices)
    if dry_run:
        say("dry run: nothing was written")
    elif done.run and done.changed:
        say(f"run {done.run}; `memdir undo {done.run}` takes it back")


def show(lines: str) -> None:
    """Data for a person: to standard output, without signs that steer a terminal."""
    click.echo(text.printable(lines))


def count(number: int, word: str) -> str:
    """`1 entry`, `2 entries`."""
    return f"{number} {word if number == 1 else f'{word[:-1]}ies' if word.endswith('y') else f'{word}s'}"


def moment(seconds: float) -> str:
    """Seconds since 1970 as local time."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M:%S}"


def text_of(content: bytes, json_wanted: bool) -> None:
    """Print a version of a file."""
    shown = content.decode("utf-8", "replace")
    if json_wanted:
        data({"text": shown})
    else:
        show(shown.rstrip("\n"))


def fail(error: Exception, code: int, kind: str, json_wanted: bool) -> None:
    """Report an error; as JSON it keeps the same keys for every kind."""
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    if json_wanted:
        extra = {key: value for key in ("path", "current", "kept") if (value := getattr(error, key, None))}
        data({"error": {"kind": kind, "message": text.printable(message), "exit_code": code, **extra}})
    else:
        say(f"memdir: {message}")


@contextlib.contextmanager
def memory(ctx: click.Context) -> "Iterator[Memory]":
    """The vault that the command means, open."""
    from memdir.app import vaults
    from memdir.app.memory import Memory

    with Memory(vaults.discover(ctx.find_root().obj, Path.cwd()), now=now()) as opened:
        yield opened


def now() -> Callable[[], datetime] | None:
    """The clock that `MEMDIR_NOW` (ISO 8601 with offset) sets, else None for the system's."""
    given = os.environ.get("MEMDIR_NOW", "")
    if not given:
        return None
    try:
        fixed = datetime.fromisoformat(given)
    except ValueError as error:
        raise UsageError(f"MEMDIR_NOW={given!r} is not an ISO 8601 time") from error
    if not 1970 <= fixed.year <= 9998:
        raise UsageError(f"MEMDIR_NOW={given!r} is a year that no log has: 1970 to 9998")
    return lambda: fixed.astimezone()


def done(result: "Done", json_wanted: bool, verb: str) -> None:
    """Report what a writing command did."""
    if json_wanted:
        data(result)
        return
    if result.diff:
        show(result.diff)
        say("dry run: nothing was written")
    elif not result.changed:
        say("nothing to change")
    else:
        show(f"{verb} {result.path or result.changed[0]}")
        others = [path for path in dict.fromkeys(result.changed) if path != (result.path or result.changed[0])]
        if others:
            more = f" and {len(others) - MOST} more" if len(others) > MOST else ""
            say(f"also written: {', '.join(others[:MOST])}{more}")
    for notice in result.notices:
        say(notice)


def stdin_text(given: str | None) -> str:
    """Text from an option, or from standard input when the option is `-`, as UTF-8."""
    if given is None:
        return ""
    if given != "-":
        return given
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`-` reads standard input, but there is none; pipe the text in")
    return sys.stdin.buffer.read().decode("utf-8", "replace").lstrip("\ufeff")


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on a terminal, nothing elsewhere."""
    with steps(what) as (bar,):
        if bar:
            bar(0, 0)
        yield bar


@contextlib.contextmanager
def steps(*names: str) -> Iterator[list[Callable[[int, int], None] | None]]:
    """A progress bar for each step, shown when the step begins to tell of itself; on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield [None] * len(names)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks = [bar.add_task(name, total=None, visible=False) for name in names]

        def told(task: "TaskID", n: int, total: int) -> None:
            bar.update(task, completed=n, total=total or None, visible=True)

        yield [partial(told, task) for task in tasks]


def table(rows: Sequence[Sequence[str]], heads: Sequence[str] = (), *, empty: str = "") -> None:
    """Columns of plain text, the last one unpadded; wide signs take two places. A cell that is wider than the terminal
    (else 80 columns) runs on, and does not push the others away. `heads`: over the columns, on a terminal; `empty`:
    what is said where there are no rows."""
    if empty and not rows:
        say(empty)
    rows = [heads, *rows] if heads and rows and sys.stdout.isatty() else rows
    most = _columns()
    wide = [[sum(unicodedata.east_asian_width(sign) in "WF" for sign in cell) for cell in row] for row in rows]
    widths = (
        [min(most, max(len(row[n]) + wide[i][n] for i, row in enumerate(rows))) for n in range(len(rows[0]) - 1)]
        if rows
        else []
    )
    for row, extra in zip(rows, wide, strict=True):
        cells = [cell.ljust(width - more) for cell, width, more in zip(row, widths, extra, strict=False)]
        show("  ".join([*cells, row[-1]]).rstrip())


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
