"""Commands on notes and the log: new, set, edit, show, list, log."""

from typing import Any

import click

from memdir.app import plans
from memdir.errors import UsageError
from memdir.interfaces.cli import narrow, output
from memdir.vault import draft, fields, layout, note


@click.command()
@click.argument("title")
@click.option(
    "--type",
    "kind",
    type=click.Choice(layout.TYPES),
    default="project",
    show_default=True,
    help="What the note is about.",
)
@click.option("--body", metavar="TEXT", help="Text of the note; `-` reads standard input.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given again.")
@click.option("--importance", type=click.Choice(layout.IMPORTANCE), default="medium", show_default=True)
@click.option("--description", default="", help="One line for MEMORY.md.")
@click.option("--scope", default="", help="Project or area that the note belongs to.")
@output.dry_run
@output.as_json
@click.pass_context
def new(
    ctx: click.Context,
    title: str,
    kind: str,
    body: str | None,
    tags: tuple[str, ...],
    importance: str,
    description: str,
    scope: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write a new note called TITLE. A taken title is numbered, and said so."""
    if not title:
        raise UsageError("the title is empty")
    asked = draft.NewNote(title, kind, output.stdin_text(body), tags, importance, description, scope)
    with output.memory(ctx) as opened:
        output.done(opened.new(asked, dry_run=dry_run), as_json, "wrote")


@click.command("set")
@click.argument("name")
@click.argument("values", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--base", help="Digest of the note as you read it; refused when it has changed since.")
@output.dry_run
@output.as_json
@click.pass_context
def set_(
    ctx: click.Context, name: str, values: tuple[str, ...], base: str | None, dry_run: bool, as_json: bool
) -> None:
    """Set front matter keys of the note NAME; every other byte stays. `tags` and `aliases` take comma lists."""
    asked = dict(_pair(item) for item in values)
    with output.memory(ctx) as opened:
        output.done(opened.set(name, asked, base=base, dry_run=dry_run), as_json, "set")


def _pair(item: str) -> tuple[str, fields.Value]:
    key, mark, value = item.partition("=")
    if not mark or not key.strip() or "\n" in key:
        raise UsageError(f"{item!r} is not KEY=VALUE")
    if key.strip() in ("tags", "aliases"):
        parts: list[fields.Value] = [*value.split(",")]
        return key.strip(), [*note.words(parts, tags=key.strip() == "tags")]
    return key.strip(), fields.typed(value.strip()) if value.strip() else None


@click.command()
@click.argument("name")
@click.option(
    "--append", "how", flag_value="append", help="Add the text at the end, or to a --section, made if missing."
)
@click.option("--section", metavar="HEADING", help="Replace what stands under a heading; needs --base.")
@click.option("--replace", "how", flag_value="replace", help="Replace the whole body; needs --base.")
@click.option("--text", default="-", show_default=True, help="The text; `-` reads standard input.")
@click.option("--base", help="Digest of the note (or section) as you read it; --append takes none.")
@output.dry_run
@output.as_json
@click.pass_context
def edit(
    ctx: click.Context,
    name: str,
    how: str | None,
    section: str | None,
    text: str,
    base: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Change the text of the note NAME: --append, --section HEADING or --replace. --base keeps others' edits safe."""
    if (how is None and section is None) or (how == "replace" and section is not None):
        raise UsageError("say one of --append, --section HEADING, --replace; --append may go with --section")
    if how == "append" and base is not None:
        raise UsageError("--append takes no --base: it overwrites nothing")
    if how != "append" and base is None:
        raise UsageError("replacing text needs --base DIGEST: `memdir read NAME --json` gives it")
    said = output.stdin_text(text)
    if how == "append" and not said.strip():
        raise UsageError("there is nothing to append: the text is empty")
    with output.memory(ctx) as opened:
        asked = plans.Edited(how or "section", said, section or "", base)
        result = opened.edit(name, asked, dry_run=dry_run)
        output.done(result, as_json, "edited")


@click.command()
@click.argument("name")
@output.as_json
@click.pass_context
def show(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show what memdir understands of the note NAME: fields, links, facts, loops, Problems."""
    with output.memory(ctx) as opened:
        found = opened.show(name)
    if as_json:
        output.data(found)
        return
    for key, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            output.show(f"{key}:")
            for item in value:
                output.show("  " + "  ".join(f"{k}={v}" for k, v in item.items() if v not in ("", None)))
        elif isinstance(value, dict):
            for name, one in value.items():
                output.show(f"{key}.{name}: {'' if one is None else one}")
        elif value not in ([], ""):
            output.show(f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}")


@click.command("list")
@narrow.options
@output.as_json
@click.pass_context
def list_(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """List notes: path, name, day."""
    with output.memory(ctx) as opened:
        found = opened.notes(narrow.filters(given))
    if as_json:
        output.data({"notes": found, "notices": opened.notices})
    else:
        output.notices(opened.notices)
        none = "no note is like that" if any(given.values()) else "there is no note yet; `memdir new` writes one"
        output.table([(row["path"], row["name"], row["date"]) for row in found], empty=none)


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--line",
    "lines",
    multiple=True,
    help="A further line of the entry, such as `outcome:: failure`; may be given again.",
)
@output.dry_run
@output.as_json
@click.pass_context
def log(ctx: click.Context, words: tuple[str, ...], lines: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Append an entry to today's log. TEXT `-` reads standard input: its first line is the title."""
    title, *rest = output.stdin_text(" ".join(words)).strip().split("\n")
    if not title:
        raise UsageError("the entry is empty")
    with output.memory(ctx) as opened:
        output.done(opened.log(title, [*rest, *lines], dry_run=dry_run), as_json, "logged in")
