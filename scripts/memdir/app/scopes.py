"""Scopes: the project or area that notes and conversations belong to, and what each sees of others.

A scope sees itself, and what the setting `scope.inherits` names for it: lines `child < parent`. `child <` with nothing
behind it sees what has no scope. Nothing else is seen; reading a note by its name knows no scopes.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from memdir import config
from memdir.index.filters import Filters
from memdir.vault import files

VARIABLE = "MEMDIR_SCOPE"


def inherited(scope: str, rules: Iterable[str]) -> tuple[str, ...]:
    """The scopes that one sees beside itself, its parents' parents too, each once."""
    parents: dict[str, list[str]] = {}
    for rule in rules:
        child, sign, parent = rule.partition("<")
        if sign:
            parents.setdefault(child.strip(), []).append(parent.strip())
    found: dict[str, None] = {}
    ahead = [scope]
    while ahead:
        for parent in parents.get(ahead.pop(), ()):
            if parent not in found and parent != scope:
                found[parent] = None
                ahead.append(parent)
    return tuple(found)


def with_inherited(narrow: Filters, rules: Iterable[str]) -> Filters:
    """The filters with what their scope sees beside itself."""
    return replace(narrow, inherited=inherited(narrow.scope, rules)) if narrow.scope else narrow


def inside(narrow: Filters, settings: config.Settings) -> Filters:
    """The filters with a checked path and what their scope inherits. Raises Unsafe for a path out of the vault."""
    narrow = with_inherited(narrow, settings["scope.inherits"])
    return narrow if narrow.path is None else replace(narrow, path=files.check_path(narrow.path.rstrip("/\\")))


def of_folder(folder: Path) -> str:
    """The scope of a working directory: the name of the git repository that it lies in, "" outside of one."""
    # os.path: a folder that may not be looked into, or a name that can be none, is no error
    return next((one.name for one in (folder, *folder.parents) if os.path.exists(one / ".git")), "")
