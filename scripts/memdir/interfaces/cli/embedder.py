"""Commands about vectors: embedder show, test, set, drain, reembed."""

import click

from memdir.app.keeping import embedding
from memdir.config import load
from memdir.errors import NotFound, UsageError
from memdir.index.drain import Limits
from memdir.interfaces.cli import output

_KINDS = click.Choice(embedding.KINDS)
_seconds = click.option("--seconds", type=click.FloatRange(0), help="Stop after so long; run again to go on.")
_limit = click.option("--limit", type=click.IntRange(1), help="Stop after so many passages.")


@click.group()
def embedder() -> None:
    """What makes vectors of passages, so that recall finds what says the same in other words or languages."""


@embedder.command()
@output.as_json
@click.pass_context
def show(ctx: click.Context, as_json: bool) -> None:
    """Show which embedder is chosen, what the vectors were made by, and how many are missing."""
    with output.memory(ctx) as opened:
        shown = opened.embedder()
    if as_json:
        output.data(shown)
        return
    output.show(f"embedder: {shown.kind} {shown.name}".rstrip())
    made = shown.made
    output.show(f"vectors: {made.kind} {made.name}, {made.dimension} numbers" if made else "vectors: none")
    output.show(f"passages: {shown.passages}, {shown.missing} without a vector; {shown.kept} kept in the paid cache")
    output.notices(shown.notices)


@embedder.command()
@output.as_json
def test(as_json: bool) -> None:
    """Let the chosen embedder embed four sentences; needs no vault."""
    tested = embedding.tried(load(None))
    if tested is None:
        raise NotFound("embedder.kind is none: there is nothing to test")
    if as_json:
        output.data(tested)
    else:
        _tested(tested)


def _tested(tested: embedding.Tested) -> None:
    output.show(f"{tested.kind} {tested.name}: {tested.dimension} numbers, 4 texts in {tested.seconds:.2f} s")
    alike = f"the same {tested.same:.2f}, the same in Chinese {tested.translated:.2f}, another {tested.other:.2f}"
    output.show(f"cosines to a sentence that says {alike}")


@embedder.command("set")
@click.argument("kind", type=_KINDS)
@click.option("--url", help="Where an OpenAI-compatible endpoint embeds, such as http://localhost:11434/v1.")
@click.option("--model", help="Name of the endpoint's model.")
@click.option("--key-env", help="NAME of the variable that holds the key.")
@click.option("--key", help="`-`: read the key from standard input and keep it in a file that only you can read.")
@click.option("--path", help="Folder of an ONNX model.")
@click.option("--query-prefix", help="What the model wants before a question.")
@click.option("--document-prefix", help="What the model wants before a text.")
@click.option("--untested", is_flag=True, help="Do not let it embed a sentence first.")
@output.dry_run
@output.as_json
def set_(kind: str, key: str | None, untested: bool, dry_run: bool, as_json: bool, **given: str | None) -> None:
    """Choose the embedder, for all vaults of this user; tested first, and nothing is written when it fails."""
    if key not in (None, "-"):
        raise UsageError("--key takes `-` and reads the key from standard input: on a command line others can see it")
    values = {f"embedder.{name}": value for name, value in {"kind": kind, **given}.items() if value is not None}
    secret = output.stdin_text(key).strip() if key else None
    chosen = embedding.choose(values, key=secret, untested=untested, dry_run=dry_run)
    if as_json:
        output.data(chosen)
        return
    if chosen.tested:
        _tested(chosen.tested)
    if chosen.diff:
        output.show(chosen.diff)
    output.say(
        "dry run: nothing was written"
        if dry_run
        else f"written: {chosen.path}; `memdir embedder drain` makes the vectors"
        if chosen.changed
        else "nothing to change"
    )


@embedder.command()
@_seconds
@_limit
@output.as_json
@click.pass_context
def drain(ctx: click.Context, as_json: bool, seconds: float | None, limit: int | None) -> None:
    """Make the vectors that are missing, newest first; may be stopped at any time and goes on where it was."""
    _drain(ctx, as_json, Limits(seconds=seconds, passages=limit))


@embedder.command()
@_seconds
@_limit
@output.as_json
@click.pass_context
def reembed(ctx: click.Context, as_json: bool, seconds: float | None, limit: int | None) -> None:
    """Make all vectors again, asking for every text; nothing is dropped before the first new ones are there."""
    _drain(ctx, as_json, Limits(seconds=seconds, passages=limit, anew=True))


def _drain(ctx: click.Context, as_json: bool, limits: Limits) -> None:
    with output.memory(ctx) as opened, output.steps("indexing", "embedding") as (indexing, embedding):
        done = opened.drain(limits, embedding, indexing)
    if as_json:
        output.data(done)
        return
    output.show(f"{output.count(done.embedded, 'passage')} embedded, {done.left} left")
    if done.anew:
        output.say(f"all vectors are being made again: {done.anew}")
    if done.changed:
        output.say(f"{output.count(done.changed, 'passage')} changed meanwhile: run `memdir sync`")
