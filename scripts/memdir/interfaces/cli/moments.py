"""Commands for the moments of a conversation: start, context, gate, continue."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memdir.app.scopes import VARIABLE
from memdir.errors import MemdirError, UsageError
from memdir.interfaces.cli import output, scoped

if TYPE_CHECKING:
    from memdir.app.ready.gating import Gated
    from memdir.app.ready.starting import Started

T = TypeVar("T")
CODES = {"memory": 0, "continue": 0, "none": 2, "nothing": 3}  # of `gate`; an error of any kind is 1


class Gate(click.Command):
    """A command whose every error ends with 1: 2 and 3 are answers."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        return _as_one(lambda: super(Gate, self).make_context(*given, **named))

    def invoke(self, ctx: click.Context) -> Any:
        return _as_one(lambda: super(Gate, self).invoke(ctx))


def _as_one(work: Callable[[], T]) -> T:
    try:
        return work()
    except MemdirError as error:
        error.exit_code = 1
        raise
    except click.ClickException as error:
        said = UsageError(error.format_message())
        said.exit_code = 1
        raise said from error


def _placed(command: click.decorators.FC) -> click.decorators.FC:
    """Whose memory: the scope, by name or by the working directory."""
    for option in (
        click.option("--scope-from-cwd", is_flag=True, help="Only the scope named as the git repository round here."),
        click.option("--scope", default="", envvar=VARIABLE, help=f"Only this scope; {VARIABLE} sets it."),
    ):
        command = option(command)
    return command


_session = click.option(
    "--exclude-session",
    "session",
    default="",
    envvar="MEMDIR_SESSION_ID",
    metavar="ID",
    help="Nothing that this conversation said; MEMDIR_SESSION_ID sets it.",
)


def _budget(most: int) -> Callable[[click.decorators.FC], click.decorators.FC]:
    return click.option(
        "--budget", type=click.IntRange(1), default=most, show_default=True, help="Tokens at most, estimated."
    )


def _scope(asked: dict[str, Any]) -> str:
    return scoped.scope(asked["scope"], from_cwd=asked["scope_from_cwd"])


@click.command(cls=Gate)
@click.argument("message")
@_placed
@_session
@_budget(1200)
@output.as_json
@click.pass_context
def gate(ctx: click.Context, /, message: str, session: str, budget: int, as_json: bool, **asked: Any) -> int:
    """Say whether MESSAGE needs memory, and print it; `-` reads the message from standard input.

    What was said against the answer to a request like it comes first.

    Exit code 0: memory was found and is printed, 1: an error, 2: none is needed, 3: it is needed and there is none.
    """
    with output.memory(ctx) as opened:
        found = opened.gate(output.stdin_text(message), scope=_scope(asked), budget=budget, session=session)
    _show(found, as_json=as_json)
    return CODES[found.kind]


@click.command(name="continue")
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@_placed
@_session
@_budget(1200)
@output.as_json
@click.pass_context
def take_up(
    ctx: click.Context, /, words: tuple[str, ...], session: str, budget: int, as_json: bool, **asked: Any
) -> int:
    """Print what was going on in the last 14 days, newest first: facts, open loops, log entries, ends of conversations.

    What holds the words of TEXT comes first. Exit code 3: nothing was.
    """
    with output.memory(ctx) as opened:
        text = output.stdin_text(" ".join(words))
        found = opened.take_up(text, scope=_scope(asked), budget=budget, session=session)
    _show(found, as_json=as_json)
    return CODES[found.kind]


@click.command()
@_placed
@_budget(2000)
@output.as_json
@click.pass_context
def start(ctx: click.Context, /, budget: int, as_json: bool, **asked: Any) -> None:
    """Print what a session begins with, and make today's log where it is missing.

    SOUL.md and USER.md where there are any, MEMORY.md, the persona, the brief, the logs of today and yesterday, open
    loops, notes named as the working directory, and which checkpoint there is. What does not fit the budget is named.
    An adopted vault gets no log, unless `log.path` is set.
    """
    with output.memory(ctx) as opened:
        found = opened.start(cwd=Path.cwd(), budget=budget, scope=_scope(asked))
    _show_start(found, as_json=as_json)


@click.command()
@_placed
@click.option("--task", default="", metavar="TEXT", help="What is to be done; notes that answer to it are quoted.")
@_budget(2000)
@output.as_json
@click.pass_context
def context(ctx: click.Context, /, task: str, budget: int, as_json: bool, **asked: Any) -> None:
    """Print the same as `start` at any other moment; writes nothing."""
    with output.memory(ctx) as opened:
        task = output.stdin_text(task)
        found = opened.context(task=task, cwd=Path.cwd(), budget=budget, scope=_scope(asked))
    _show_start(found, as_json=as_json)


def _show(found: "Gated", *, as_json: bool) -> None:
    if as_json:
        output.data(found)
        return
    output.notices(found.notices)
    if found.text:
        output.show(found.text)
    else:
        output.say("no memory is needed" if found.kind == "none" else "nothing found")


def _show_start(found: "Started", *, as_json: bool) -> None:
    if as_json:
        output.data(found)
        return
    if found.text:
        output.show(found.text)
    for one in found.left_out:
        output.say(f"left out: {one}")
