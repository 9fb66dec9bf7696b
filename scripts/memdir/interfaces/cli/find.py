"""Commands that answer: recall, read."""

import dataclasses
from typing import Any

import click

from memdir.errors import UsageError
from memdir.interfaces.cli import narrow, output
from memdir.recall.evidence import Answer
from memdir.recall.pipeline import Question


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION...")
@narrow.options
@click.option("--limit", type=click.IntRange(1, 100), help="Results at most (recall.limit).")
@click.option("--budget", type=click.IntRange(0), help="Tokens that the quotes may use, estimated (recall.budget).")
@output.as_json
@click.pass_context
def recall(
    ctx: click.Context, /, words: tuple[str, ...], limit: int | None, budget: int | None, as_json: bool, **given: Any
) -> int:
    """Answer a QUESTION with quotes from the notes; `-` reads it from standard input. Exit code 3: nothing found."""
    question = output.stdin_text(" ".join(words))
    if not question.strip():
        raise UsageError("the question is empty")
    with output.memory(ctx) as opened:
        limit = opened.settings["recall.limit"] if limit is None else limit
        budget = opened.settings["recall.budget"] if budget is None else budget
        answer = opened.recall(Question(question, narrow.filters(given), limit, budget))
    if as_json:
        output.data(dataclasses.asdict(answer))
    else:
        _print(answer)
    return 0 if answer.evidence else 3


def _print(answer: Answer) -> None:
    for notice in answer.notices:
        output.say(notice)
    for number, one in enumerate(answer.evidence, 1):
        head = " · ".join(
            part
            for part in (
                one.name,
                one.heading,
                one.date,
                one.type if one.kind == "note" else one.kind,
                "archived" if one.archived else "",
            )
            if part
        )
        output.show(f"{number}. {one.path}:{one.at}  {head}")
        for line in one.quote.split("\n"):
            output.show(f"   > {line}".rstrip())
        more = (
            f"; {one.more} more of its passages match"
            if one.more > 1
            else "; one more of its passages matches"
            if one.more
            else ""
        )
        rest = f"; more: memdir read '{one.path}'" if one.clipped else ""
        output.show(f"   score {one.score:.2f}; {'; '.join(one.why)}{more}{rest}")
    for word, close in answer.suggestions.items():
        if close:
            taken = "searched for" if answer.evidence else "did you mean"
            output.say(f"{word!r} stands nowhere; {taken} {' or '.join(close[:3])}{'' if answer.evidence else '?'}")
    if not answer.evidence:
        output.say("nothing found")


@click.command()
@click.argument("target")
@output.as_json
@click.pass_context
def read(ctx: click.Context, target: str, as_json: bool) -> None:
    """Read TARGET: a path, name or [[link]], with #heading, #^block or :line behind it."""
    with output.memory(ctx) as opened:
        found = opened.read(target)
    if as_json:
        output.data(found)
    else:
        output.show(found.text)
        if (found.first, found.last) != (1, found.total):
            output.say(f"{found.path}: lines {found.first}-{found.last} of {found.total}")
