"""The scope that a command is asked for: by name, or as that of the working folder."""

from pathlib import Path

import click
from click.core import ParameterSource

from memdir.app.scopes import of_folder
from memdir.errors import UsageError


def scope(given: str | None, *, from_cwd: bool) -> str:
    """ "" for none. Raises UsageError where the command line says both; the environment is overruled by the folder."""
    if not from_cwd:
        return given or ""
    told = click.get_current_context().get_parameter_source("scope")
    if given and told == ParameterSource.COMMANDLINE:
        raise UsageError("give either --scope or --scope-from-cwd")
    return of_folder(Path.cwd()) or given or ""
