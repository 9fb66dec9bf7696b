"""Commands that answer: recall, read."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from memdir.errors import UsageError
from memdir.interfaces.cli import narrow, output
from memdir.recall.evidence import Answer
from memdir.recall.question import MODES, Question
from memdir.recall.window import LEAST, MOST, UTMOST, Window

if TYPE_CHECKING:
    from memdir.recall.context import Neighbour
    from memdir.recall.reading import Excerpt


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION...")
@narrow.options
@narrow.turns
@click.option("--limit", type=click.IntRange(1, 100), help="Results at most (recall.limit).")
@click.option("--budget", type=click.IntRange(0), help="Tokens that the quotes may use, estimated (recall.budget).")
@click.option(
    "--context",
    "beside",
    type=click.IntRange(0, 20),
    default=0,
    help="Also this many turns, entries or passages before and after each result; they take no place of one.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="auto",
    help="Search by words (keyword), by meaning (semantic), or by both and over links (hybrid; auto is the same).",
)
@click.option(
    "--recent",
    type=click.File("r", encoding="utf-8", errors="replace"),
    help="Last messages of the running conversation, searched for too: JSON Lines, or one a line; `-`: standard input.",
)
@click.option("--trace", is_flag=True, help="Also show what every stage made of the question.")
@click.option("--hyde/--no-hyde", default=None, help="Let the model imagine an answer to search by (recall.hyde).")
@click.option(
    "--as-of",
    default="",
    metavar="DATE",
    help="What held on this day, and nothing dated later: 2026-03-01, `last month`, 去年年底.",
)
@output.as_json
@click.pass_context
def recall(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    beside: int,
    mode: str,
    recent: IO[str] | None,
    trace: bool,
    hyde: bool | None,
    as_of: str,
    as_json: bool,
    **given: Any,
) -> int:
    """Answer a QUESTION with quotes from the notes; `-` reads it from standard input. Exit code 3: nothing answers."""
    question = output.stdin_text(" ".join(words))
    if not question.strip():
        raise UsageError("the question is empty")
    with output.memory(ctx) as opened:
        limit = opened.settings["recall.limit"] if limit is None else limit
        budget = opened.settings["recall.budget"] if budget is None else budget
        asked = Question(
            question,
            narrow.filters(given),
            limit,
            budget,
            mode=mode,
            recent=recent.read() if recent else "",
            hyde=hyde,
            trace=trace,
            as_of=as_of,
        )
        answer = opened.recall(asked)
        near = opened.around(answer, beside, budget) if beside else [[] for _ in answer.evidence]
    _show(answer, near, as_json=as_json)
    return 3 if answer.abstained else 0


def _show(answer: Answer, near: "Sequence[Sequence[Neighbour]]", *, as_json: bool) -> None:
    if not as_json:
        _print(answer, near)
        return
    found = dataclasses.asdict(answer)
    found["evidence"] = [
        {**one._asdict(), "context": [dataclasses.asdict(neighbour) for neighbour in held]}
        for one, held in zip(answer.evidence, near, strict=True)
    ]
    output.data(found)


def _print(answer: Answer, near: "Sequence[Sequence[Neighbour]]") -> None:
    for notice in answer.notices:
        output.say(notice)
    if answer.abstained and answer.evidence:
        missing = f"nothing mentions {', '.join(answer.missing)}; " if answer.missing else ""
        output.show(f"[abstained] nothing found that answers this; {missing}the closest there is:")
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
        call = Window(context=0).call(one.path, f":{one.at}", "").rstrip()  # the whole passage, entry or turn
        rest = f"; more: {call}" if one.clipped else ""
        over = f"superseded by {one.superseded_by} on " if one.superseded_by else "held until "
        told = "; ".join([*([f"{over}{one.valid_until}"] if one.valid_until else []), *one.why])
        output.show(f"   {one.grade} {one.score:.2f}; {told}{more}{rest}")
        _print_beside(near[number - 1])
    for word, close in answer.suggestions.items():
        if close:
            taken = "searched for" if answer.evidence else "did you mean"
            output.say(f"{word!r} stands nowhere; {taken} {' or '.join(close[:3])}{'' if answer.evidence else '?'}")
    if not answer.evidence:
        output.say("nothing found")
    for stage, told in answer.trace.items():
        _print_stage(stage, told)


def _print_stage(stage: str, told: Any) -> None:
    output.show(f"--- {stage}")
    if isinstance(told, dict):
        for key, value in told.items():
            output.show(f"    {key}: {value}")
        return
    for one in told:
        if isinstance(one, dict):
            output.show(f"    {'; '.join(f'{key} {value}' for key, value in one.items() if key != 'first')}")
        for place, score in one["first"] if isinstance(one, dict) else [one]:
            output.show(f"    {score:8.3f}  {place}")


def _print_beside(near: "Sequence[Neighbour]") -> None:
    for one in near:
        output.show(f"   {one.where} {one.path}:{one.line}  {one.heading}".rstrip())
        for line in one.quote.split("\n"):
            output.show(f"     | {line}".rstrip())
        if one.rest:
            output.show(f"     more: {one.rest}")


_units = "turns of a session, entries of a log, else passages"


@click.command()
@click.argument("target")
@click.option("--context", type=click.IntRange(0), metavar="N", help=f"Also N units before and after: {_units}.")
@click.option("--before", type=click.IntRange(0), metavar="N", help="Also N units before.")
@click.option("--after", type=click.IntRange(0), metavar="N", help="Also N units after.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N lines of the part, of a session N turns.")
@click.option(
    "--offset", type=click.IntRange(0), metavar="N", help="Pass over the first N lines, of a session N turns."
)
@click.option(
    "--max-chars",
    type=click.IntRange(LEAST, UTMOST),
    help=f"Cut after so many characters. Default: {MOST:,}, with any option above no cut.",
)
@click.option("--detail", is_flag=True, help="Also front matter as understood, links, digest, who spoke and when.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="`json` is `--json`.")
@output.as_json
@click.pass_context
def read(ctx: click.Context, /, target: str, form: str, as_json: bool, **asked: Any) -> None:
    """Read TARGET: a path, name or [[link]], with #heading, #^block, #^t12 (a turn) or :line behind it.

    What is cut off is said in the last line, with the call that reads it.
    """
    with output.memory(ctx) as opened:
        found = opened.read(target, Window(**asked))
    if as_json or form == "json":
        output.data(found)
    else:
        _print_part(found)


def _print_part(found: "Excerpt") -> None:
    """A part as text, with marks where something was cut off."""
    if found.detail is not None:
        output.show("\n".join(_told({"path": found.path, "digest": found.digest, **found.detail})) + "\n")
    if found.above:
        output.show(f"[… {output.count(found.offset, found.unit)} above: {found.above}]")
    output.show(found.text)
    left = found.total - found.offset - found.shown
    parts = [f"the rest of this {found.unit}"] * found.split + [output.count(left, f"more {found.unit}")] * (left > 0)
    if found.rest:
        output.show(f"[… {' and '.join(parts)}: {found.rest}]")
    if (found.first, found.last) != (1, found.lines):
        output.say(f"{found.path}: lines {found.first}-{found.last} of {found.lines}")


def _told(values: Mapping[str, Any], under: str = "") -> Iterator[str]:
    """`key: value` for everything that is not empty, `- ` before each of several."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _told(value, f"{under}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield from (f"{under}{key}: {', '.join(f'{k} {v}' for k, v in one.items() if v)}" for one in value)
        elif value not in ("", [], None):
            said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f"{under}{key}: {said}"
