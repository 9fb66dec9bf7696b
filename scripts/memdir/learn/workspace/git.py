"""What git knows of a checkout: the files it does not ignore, and the commits that touched them.

Runs the user's `git` and nothing else. A checkout may come from a stranger and its `.git/config` names programs, so
only `ls-files` and `log --name-status` are asked: neither compares contents with the work tree, which is what runs
clean filters (`status`, `diff-files`, `ls-files -m` do). What those two could still start is switched off by
options, which win over every configuration file: the fsmonitor hook, hooks, gpg, textconv, external diff, the pager
and the fetch of missing objects in a partial clone. Whose checkouts git reads (`safe.directory`) stays git's decision.
"""

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from shutil import which

TIMEOUT = 20.0  # seconds a call; what it printed until then is used
_MOST_BYTES = 32 << 20  # of output; a listing of 300,000 paths
# In a checkout of 5,300 files and 3,000 commits this many cost 0.25 CPU s; files with older ones only lack a subject.
MOST_COMMITS = 2_000
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "log.showSignature=false",
    "log.showRoot=true",
    f"diff.orderFile={os.devnull}",
    "gpg.program=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",  # a folder laid out like a repository brings no configuration of its own
)
_OPTIONS = ("--no-pager", "--no-replace-objects", "--literal-pathspecs")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # git writes no index either
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # wins over `protocol.<name>.allow` of the checkout, which `protocol.allow` does not
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit as git tells it; `subject` is a stranger's text. `day`: author date, "" when it is none.

    `place`: in the log, 0 the newest.
    """

    hash: str
    day: str
    subject: str
    place: int = 0


@dataclass(slots=True)
class History:
    """The commits that touched a file, newest first; `born`: the oldest of them added it."""

    commits: list[Commit] = field(default_factory=list)
    born: bool = False


@dataclass(frozen=True, slots=True)
class Printed:
    """What git printed; `whole` is false when it failed or was stopped (time, size)."""

    data: bytes
    whole: bool


def files(workspace: Path) -> dict[str, bool] | None:
    """Path → whether it is tracked, of all that is not ignored; None where git reads no work tree.

    Paths are relative to the workspace, which may be a folder within a work tree; a nested checkout ends in "/".
    """
    printed = _run(workspace, "ls-files", "-c", "-o", "-t", "-z", "--exclude-standard")
    if printed is None or not (printed.whole or printed.data):
        return None
    entries = printed.data.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return {entry[2:]: entry[0] != "?" for entry in entries if len(entry) > 2}


def history(workspace: Path, since: datetime | None) -> dict[str, History]:
    """Path → its commits since a time (of commit, as `git log --since`), within the last MOST_COMMITS."""
    options = [f"--since={since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"] if since else []
    printed = _run(
        workspace, "log", "-z", "--relative", "--name-status", "--no-renames", "--no-merges", "--no-show-signature",
        "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", f"--max-count={MOST_COMMITS}",
        "--encoding=UTF-8", "--format=tformat:commit%x00%H%x00%aI%x00%s", *options, "--", ".",
    )  # fmt: skip
    known: dict[str, History] = {}
    for commit, status, path in _touched(printed.data if printed else b""):
        found = known.setdefault(path, History())
        found.commits.append(commit)
        found.born = status == "A"
    return known


def is_checkout(workspace: Path) -> bool:
    """Whether the folder or one above it looks like a work tree."""
    return top(workspace) is not None


def top(folder: Path) -> Path | None:
    """The folder or the nearest one above it that looks like the top of a work tree."""
    return next((place for place in (folder, *folder.parents) if os.path.exists(place / ".git")), None)


def _touched(data: bytes) -> Iterator[tuple[Commit, str, str]]:
    """(commit, status letter, path); a path stands only where a path is due, so no name or subject forges a commit."""
    tokens = iter(data.decode("utf-8", "replace").split("\0")[:-1])
    commit = Commit("", "", "", -1)
    for token in tokens:
        status = token.lstrip("\n")
        if status == "commit":
            commit = Commit(next(tokens, "")[:10], _day(next(tokens, "")), next(tokens, ""), commit.place + 1)
        elif status and (path := next(tokens, "")):
            yield commit, status[0], path


def _day(written: str) -> str:
    try:
        return f"{datetime.fromisoformat(written):%Y-%m-%d}"
    except ValueError:
        return ""


def _run(workspace: Path, *args: str) -> Printed | None:
    """Run git in the workspace; None when there is no git, or when the only one is a file of the workspace."""
    program = which("git")
    if program is None or Path(program).resolve().is_relative_to(workspace.resolve()):
        return None
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    command = [program, "-C", os.fspath(workspace.absolute()), *_OPTIONS, *settings, *args]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
    except OSError:
        return None
    return _collect(process)


def _collect(process: subprocess.Popen[bytes]) -> Printed:
    """Read what a process prints, up to the bounds; it has ended when this returns."""
    timer = threading.Timer(TIMEOUT, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        data = process.stdout.read(_MOST_BYTES)
        if len(data) == _MOST_BYTES:
            process.kill()
        process.stdout.close()
        code = process.wait()
    finally:
        timer.cancel()
        with contextlib.suppress(OSError):
            process.kill()
    return Printed(data, code == 0)
