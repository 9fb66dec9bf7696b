"""The options that narrow a list or a recall, and the filters they make."""

from collections.abc import Mapping
from typing import Any

import click

from memdir.app.scopes import VARIABLE
from memdir.errors import UsageError
from memdir.index.filters import Filters
from memdir.interfaces.cli import scoped
from memdir.vault import layout, names


def options(command: click.decorators.FC) -> click.decorators.FC:
    """The options that narrow a list or a recall."""
    for option in (
        click.option("--path", help="Only this file or folder."),
        click.option("--until", default="", metavar="DAY", help="Up to this day (YYYY-MM-DD)."),
        click.option("--since", default="", metavar="DAY", help="From this day on (YYYY-MM-DD)."),
        click.option("--scope-from-cwd", is_flag=True, help="Only the scope named as the git repository round here."),
        click.option("--scope", envvar=VARIABLE, help=f'Only this scope; {VARIABLE} sets it, "" steps out of it.'),
        click.option(
            "--tag", "tags", multiple=True, help="Only notes with this tag or one under it; may be given again."
        ),
        click.option(
            "--type",
            "types",
            multiple=True,
            type=click.Choice([*layout.TYPES, "log", "index", "session"]),
            help="Only this type; may be given again.",
        ),
    ):
        command = option(command)
    return command


def turns(command: click.decorators.FC) -> click.decorators.FC:
    """The options that narrow a recall to what was said in conversations."""
    for option in (
        click.option("--speaker", metavar="NAME", help="Only what this speaker said in a conversation."),
        click.option(
            "--exclude-session",
            "not_session",
            envvar="MEMDIR_SESSION_ID",
            metavar="ID",
            help="Nothing that this conversation said; MEMDIR_SESSION_ID sets it.",
        ),
        click.option("--session", metavar="ID", help="Only what a conversation said: its id, or the beginning of it."),
    ):
        command = option(command)
    return command


def filters(asked: Mapping[str, Any]) -> Filters:
    """Filters from the options above; raises UsageError for a day that is none."""
    given = dict(asked)
    for day in (given["since"], given["until"]):
        if day and not names.is_day(day):
            raise UsageError(f"{day!r} is not a day like 2026-11-29")
    if given.get("session"):
        given["not_session"] = None
    scope = scoped.scope(given["scope"], from_cwd=given.pop("scope_from_cwd"))
    return Filters(**{**given, "scope": scope or None})
