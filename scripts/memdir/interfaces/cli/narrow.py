"""The options that narrow a list or a recall, and the filters they make."""

from collections.abc import Mapping
from typing import Any

import click

from memdir.errors import UsageError
from memdir.index.filters import Filters
from memdir.vault import layout, names


def options(command: click.decorators.FC) -> click.decorators.FC:
    """The options that narrow a list or a recall."""
    for option in (
        click.option("--path", help="Only this file or folder."),
        click.option("--until", default="", metavar="DAY", help="Up to this day (YYYY-MM-DD)."),
        click.option("--since", default="", metavar="DAY", help="From this day on (YYYY-MM-DD)."),
        click.option("--scope", help="Only notes of this scope."),
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
        click.option("--exclude-session", "not_session", metavar="ID", help="Nothing that this conversation said."),
        click.option("--session", metavar="ID", help="Only what this conversation said."),
    ):
        command = option(command)
    return command


def filters(given: Mapping[str, Any]) -> Filters:
    """Filters from the options above; raises UsageError for a day that is none."""
    for day in (given["since"], given["until"]):
        if day and not names.is_day(day):
            raise UsageError(f"{day!r} is not a day like 2026-11-29")
    return Filters(**given)
