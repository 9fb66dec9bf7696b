"""Commands about conversations and what other tools hold: ingest, import, sessions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memdir.app.exchange.importing import KINDS, Asked
from memdir.app.exchange.ingesting import Ingested
from memdir.app.scopes import VARIABLE
from memdir.errors import BadData, UsageError
from memdir.interfaces.cli import capture as captures
from memdir.interfaces.cli import output, scoped

if TYPE_CHECKING:
    from memdir.app.talk.heard import Captured

FIRST = 3  # files of a kind that a dry run names
_verbose = click.option("--verbose", is_flag=True, help="Of a dry run, the text of every file.")


@click.command()
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option("--source", default="", metavar="NAME", help="What the transcript comes from. Default: jsonl.")
@click.option("--scope", default="", envvar=VARIABLE, help="Scope of new conversations; else that of the lines.")
@output.dry_run
@_verbose
@output.as_json
@click.pass_context
def ingest(
    ctx: click.Context, file: Path, source: str, scope: str, dry_run: bool, verbose: bool, as_json: bool
) -> None:
    """Take the turns of FILE (a folder: of its `.jsonl` files; `-`: standard input) into session files, each once.

    A line is `{"session_id", "speaker", "text", "ts", "uuid"?, "caption"?, "scope"?}`. A turn that is there already is
    passed over, so that a transcript that has grown may be taken in again; a bad line is counted, never fatal.
    """
    with output.memory(ctx) as opened:
        if file.is_dir():
            done = opened.bring("jsonl", file, Asked(scope=scope, source=source), dry_run=dry_run)
        else:
            with click.open_file(str(file), "rb") as stream:
                done = opened.ingest(stream, source=source, scope=scope, dry_run=dry_run)
    _show(done, dry_run=dry_run, verbose=verbose, as_json=as_json)


@click.command("import", epilog=f"SOURCE is one of {', '.join(KINDS)}.")
@click.argument("source", metavar="[SOURCE]", required=False, default="")
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path), required=False)
@click.option("--since", default="", metavar="DAY", help="Leave out what is dated before it.")
@click.option("--limit", type=click.IntRange(0), default=0, help="Conversations and notes at most; 0: all.")
@click.option("--scope", default="", envvar=VARIABLE, help="Scope of what comes in.")
@click.option("--scope-from-cwd", is_flag=True, help="The scope named as the git repository round here.")
@click.option("--resume", is_flag=True, expose_value=False, help="Go on where an import stopped; every import does.")
@click.option("--tools", is_flag=True, help="Also what tools were given and gave back.")
@click.option("--thoughts", is_flag=True, help="Also what a model thought.")
@click.option(
    "--capture",
    type=click.Choice(["none", "rules"]),
    default="none",
    show_default=True,
    help="Also keep what you said in the conversations that come in.",
)
@output.dry_run
@_verbose
@output.as_json
@click.pass_context
def import_(
    ctx: click.Context,
    source: str,
    path: Path | None,
    since: str,
    limit: int,
    scope: str,
    scope_from_cwd: bool,
    tools: bool,
    thoughts: bool,
    capture: str,
    dry_run: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Bring PATH in: a file, a folder or a zip archive of another tool, or documents. SOURCE names what it is and may
    be left out.

    An export or a snapshot of memdir, which must be named (`memdir`), comes in as it was and without review: what is
    there already and differs is left, logs grow by the entries that they lack.

    Conversations become session files, knowledge becomes notes marked `trust: external`; what is about you or how you
    want things waits in the inbox. Everything comes in once: a second import, or one after a kill, adds what is
    missing.

    Documents are .txt, .html, .pdf and .docx files, a note each, of a PDF with a heading for each page; for PDF and
    Word install the extra `[documents]`.
    """
    if not source:
        raise UsageError("name what to bring in: `memdir import PATH`")
    if path is None:
        source, path = "", Path(source)
    scope = scoped.scope(scope, from_cwd=scope_from_cwd)
    asked = Asked(since=since, limit=limit, scope=scope, tools=tools, thoughts=thoughts)
    with output.memory(ctx) as opened, output.progress("import") as bar:
        told = (lambda count: bar(count, 0)) if bar else None
        done = opened.bring(source, path, asked, dry_run=dry_run, progress=told)
        kept = opened.capture_from(done.files, scope) if capture == "rules" and not dry_run else None
    _show(done, dry_run=dry_run, verbose=verbose, as_json=as_json, kept=kept)


@click.command()
@click.option(
    "--session", "id_", default="", metavar="ID", help="A conversation: its id, the beginning of one, a file."
)
@click.option("--origin", default="", metavar="NAME", help="Everything from a source (`chatgpt`), or one thing of it.")
@click.option("--derived", is_flag=True, help="Also the lines of notes and logs that link to it.")
@click.option("--yes", is_flag=True, help="Do it; without, what would go is shown and nothing is deleted.")
@output.as_json
@click.pass_context
def forget(ctx: click.Context, id_: str, origin: str, derived: bool, yes: bool, as_json: bool) -> None:
    """Really delete a conversation, or all that came from a source: no undo, no earlier version, no index.

    A line in the ledger keeps it from being imported again. Every other deletion can be taken back; this cannot.
    """
    with output.memory(ctx) as opened:
        found = opened.forget(id_, origin, derived=derived, yes=yes)
    if as_json:
        output.data(found)
        return
    for path in found.paths:
        output.show(path)
    what = f"{found.what}: {output.count(len(found.paths), 'file')}, {output.count(found.turns, 'turn')}"
    kept = f"{output.count(found.versions, 'earlier version')} of them and of files that named them"
    output.show(f"forgotten: {what}, {kept}" if yes else what)
    if found.cited:
        deed = "deleted too" if yes and derived else "would go too" if derived else "stay; --derived takes them out"
        output.show(f"lines that link to it ({deed}): {', '.join(found.cited)}")
    output.notices(found.notices)
    if not yes:
        output.say("nothing was deleted; run again with --yes. There is no undo")


def _show(done: Ingested, *, dry_run: bool, verbose: bool, as_json: bool, kept: "Captured | None" = None) -> None:
    """What came in, and what was captured of it."""
    if as_json:
        output.data({**asdict(done), "captured": kept} if kept else done)
        return
    _say(done, dry_run, verbose=verbose)
    if kept:
        captures.show(kept, dry_run)
    known = done.known + done.notes_known
    if done.bad and not (known or done.turns or done.notes or done.proposed):
        raise BadData(f"nothing of {done.source} could be read")


def _say(done: Ingested, dry_run: bool, *, verbose: bool) -> None:
    if verbose and done.diff:
        output.show(done.diff)
    elif dry_run:
        _planned(done.files)
    parts = []
    if done.turns or done.known or not any((done.notes, done.proposed, done.notes_known, done.entries)):
        parts.append(f"{output.count(done.turns, 'turn')} of {output.count(done.sessions, 'session')}")
    if done.notes or done.notes_known:
        parts.append(output.count(done.notes, "note"))
    parts += [output.count(done.others, "other text")] if done.others else []
    parts += [output.count(done.entries, "log entry")] if done.entries else []
    parts += [output.count(done.attachments, "attachment")] if done.attachments else []
    if done.proposed:
        parts.append(f"{output.count(done.proposed, 'proposal')} for the inbox")
    known = done.known + done.notes_known
    deed = "would add" if dry_run else "added"
    output.show(f"{done.source}: {deed} {', '.join(parts)}; known: {known}; bad: {done.bad}")
    output.notices([f"left out: {why}: {count}" for why, count in sorted(done.skipped.items())])
    output.notices([f"{one.where}: {one.why}" for one in done.problems] + done.notices)
    if done.proposed and not dry_run:
        output.say("`memdir inbox list` shows what waits for your word")


def _planned(files: Sequence[str]) -> None:
    """What a dry run would write, by folder of kind, the first few files of each by name."""
    kinds: dict[str, list[str]] = {}
    for path in files:
        kinds.setdefault("/".join(path.split("/")[:2]) if path.count("/") > 1 else "", []).append(path)
    for kind, paths in sorted(kinds.items()):
        first = [path.removeprefix(f"{kind}/") for path in paths[:FIRST]]
        more = [f"{len(paths) - FIRST} more"] if len(paths) > FIRST else []
        output.show(f"{kind or '.'}: {output.count(len(paths), 'file')}: {', '.join([*first, *more])}")


@click.group()
def sessions() -> None:
    """List conversations, or show the turns of one."""


_limit = click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to show.")
_offset = click.option("--offset", type=click.IntRange(0), default=0, help="How many to pass over first.")


@sessions.command("list")
@_limit
@_offset
@output.as_json
@click.pass_context
def list_(ctx: click.Context, limit: int, offset: int, as_json: bool) -> None:
    """List conversations, newest first: id, source, when it began, turns, speakers, title."""
    with output.memory(ctx) as opened:
        found = opened.sessions(limit=limit, offset=offset)
    if as_json:
        output.data(found)
        return
    output.notices(found["notices"])
    keys = ("id", "source", "started", "turns")
    rows = [(*(str(one[key]) for key in keys), ", ".join(one["speakers"]), one["name"]) for one in found["sessions"]]
    none = (
        "there are no more conversations" if offset else "there is no conversation yet; `memdir import` brings some in"
    )
    output.table(rows, heads=(*keys, "speakers", "title"), empty=none)
    if (left := found["total"] - offset - len(found["sessions"])) > 0:
        output.say(f"{left} more: --offset {offset + limit}")


@sessions.command()
@click.argument("id_", metavar="ID")
@_limit
@_offset
@click.option("--outline", is_flag=True, help="Show when talk paused and what each part of it was about instead.")
@output.as_json
@click.pass_context
def show(ctx: click.Context, id_: str, limit: int, offset: int, outline: bool, as_json: bool) -> None:
    """Show turns of the conversation ID: its id, the beginning of one, or a session file."""
    with output.memory(ctx) as opened:
        found = opened.session(id_, limit=limit, offset=offset, outline=outline)
    if as_json:
        output.data(found)
        return
    if outline:
        _outline(found)
        return
    for turn in found["turns"]:
        output.show(
            f"{turn['speaker']} {turn['ts']} ^t{turn['number']} {turn['path']}:{turn['line']}\n{turn['text']}\n"
        )
    if found["left"]:
        output.say(f"{found['left']} more: --offset {offset + limit}")


def _outline(found: Mapping[str, Any]) -> None:
    output.show(f"{found['id']} ({found['source']}): {output.count(found['total'], 'turn')}")
    for window in found["windows"]:
        output.show(f"\n{window['start'] or 'no time'} to {window['end'] or 'no time'}")
        for one in window["episodes"]:
            names = f" · {', '.join(one['names'])}" if one["names"] else ""
            output.show(f"  ^t{one['first']} to ^t{one['last']}{names}\n    {one['opening']} …")
    output.say(f"`memdir sessions show {found['id']} --offset N` shows turns")
