"""Which files of a workspace are new or changed, and worth remembering: a checkout, or a folder of documents.

A file is a candidate when git knows a commit since then, or its times are younger: a pull brings commits that are
older than the last scan, and a copy keeps the time of its original but not the time of its inode. That errs to the
side of too much; the caller's set of digests already proposed takes the rest out. Opens only files whose names are
worth it (`worth`), each folder by folder and never through a link, so nothing outside the workspace is read. Reads
the workspace only, writes nothing.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memdir import text
from memdir.errors import NotFound
from memdir.learn.workspace import git, ignore
from memdir.learn.workspace.worth import Worth, is_source, refused, refused_folder, worth
from memdir.vault.disk import syscalls, tree

LARGEST = 256 * 1024  # bytes of a file
MOST_ENTRIES = 200_000  # of a walk
_DEPTH = 40
_IGNORE_BYTES = 64 * 1024
_LONG_LINE = 20_000  # characters: nobody wrote it
_GENERATED = re.compile(
    r"(?im)@generated\b|\bdo not edit\b|^\W*(?:this (?:file|page|document) (?:is|was|has been) )?"
    r"(?:auto(?:matically)?[- ]?)?generated (?:by|from|with)\b|^\W*code generated\b|(?:自动生成|请勿编辑|请勿手动修改)"
)


@dataclass(frozen=True, slots=True)
class File:
    """One file to remember. `reason`: new or changed; `day`: of its last commit, else its own time (UTC).

    `text` is a stranger's: whole, decoded, not cleaned. `commits`: newest first, since the last scan.
    """

    path: str
    reason: str
    worth: Worth
    text: str
    digest: str
    day: str
    commits: tuple[git.Commit, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a workspace gave, best first. `sources`: program files with their commits, from git only.

    `skipped`: why files (or, without git, whole folders) were left out, and how many: binary, large, secret, hidden,
    dependencies, generated, test data, link, vault, "a note", unchanged, known, "not worth it", "beyond the limit", ….
    `problem`: what a person should hear, such as a checkout that git refuses.
    """

    name: str
    files: tuple[File, ...]
    sources: Mapping[str, tuple[git.Commit, ...]]
    skipped: Mapping[str, int]
    looked: int
    git: bool = False
    first: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """Which files of a workspace count. `worth` by path; `refused`, `refused_folder`: why something is not opened;
    `text`: what is read of a content, by path; `least`, `most`: bytes; `git`: whether git is asked what is new."""

    worth: Callable[[str], Worth | None]
    refused: Callable[[str], str]
    refused_folder: Callable[[str], str]
    text: Callable[[str, str], str] = lambda path, content: content
    least: int = 0
    most: int = LARGEST
    git: bool = True


DOCUMENTS = Pick(worth, refused, refused_folder)


class _Vault:
    """Says which paths belong to the vault: all below it, but of one that holds the workspace its own files only."""

    def __init__(self, workspace: Path, vault: Path | None) -> None:
        self.workspace, self.root = workspace, vault.resolve() if vault else None
        around = self.root is not None and workspace.is_relative_to(self.root)
        self.own = around and self.root is not None and (self.root / "memory").is_dir()

    def holds(self, path: str) -> bool:
        whole = self.workspace / path
        if self.root is None or not whole.is_relative_to(self.root):
            return False
        parts = whole.relative_to(self.root).parts
        return not self.own or parts[:1] in (("memory",), ("MEMORY.md",), ("memdir.toml",), (".memdir",))


class _Refused(Exception):
    """A file that is not read; the reason is the message."""


def changed(
    workspace: Path,
    since: datetime | None,
    *,
    exclude: Path | None = None,
    most: int = 200,
    known: Collection[tuple[str, str]] = frozenset(),
    is_note: Callable[[str], bool] | None = None,
    pick: Pick = DOCUMENTS,
) -> Seen:
    """Look at a workspace; at most `most` files are returned, those in `known` (path, digest) not among them.

    `since` None: everything is new. `exclude`: the vault, which may lie in the workspace, be it, or hold it.
    `is_note`: whether a path is that of a note, which needs no other one. The same files give the same answer. Raises
    NotFound when the workspace is no folder that can be read.
    """
    try:
        root = syscalls.open_root(os.fspath(workspace))
    except OSError as error:
        raise NotFound(f"{workspace}: cannot open the workspace: {error.strerror}") from error
    try:
        return _Look(root, workspace.resolve(), since, exclude, is_note, pick).seen(most, known)
    finally:
        root.close()


class _Look:
    """One look at one workspace."""

    def __init__(
        self,
        root: syscalls.Folder,
        workspace: Path,
        since: datetime | None,
        vault: Path | None,
        is_note: Callable[[str], bool] | None,
        pick: Pick,
    ) -> None:
        self.pick = pick
        self.root, self.workspace, self.since = root, workspace, since
        self.vault = _Vault(workspace, vault)
        self.is_note = is_note or (lambda path: False)
        self.skipped: Counter[str] = Counter()
        self.looked = 0

    def seen(self, most: int, known: Collection[tuple[str, str]]) -> Seen:
        listed = git.files(self.workspace) if self.pick.git else None
        problem = ""
        if self.pick.git and not listed and git.is_checkout(self.workspace):
            # Also a folder that the checkout around it ignores.
            problem = "" if listed is not None else "git does not read this checkout; taken as a plain folder"
        histories = git.history(self.workspace, self.since) if listed else {}
        paths = sorted(path for path in (listed or self._walk()) if self._considered(path))
        sources = {path: tuple(histories[path].commits) for path in paths if path in histories and is_source(path)}
        candidates = _candidates(paths, self.pick.worth)
        self.skipped["not worth it"] += len(paths) - len(candidates) - len(sources)
        files = tuple(self._files(candidates, histories, most, known))
        counts = {reason: count for reason, count in sorted(self.skipped.items()) if count}
        return Seen(self.workspace.name, files, sources, counts, self.looked, bool(listed), self.since is None, problem)

    def _considered(self, path: str) -> bool:
        self.looked += 1
        reason = "vault" if self.vault.holds(path) else _unfit(path) or self.pick.refused(path)
        reason = reason or ("a note" if self.is_note(path) else "")
        self.skipped[reason] += bool(reason)
        return not reason

    def _files(
        self,
        candidates: list[tuple[int, str, Worth]],
        histories: Mapping[str, git.History],
        most: int,
        known: Collection[tuple[str, str]],
    ) -> Iterator[File]:
        """Read the candidates, best first."""
        found = 0
        for _, path, what in candidates:
            if found >= most:
                self.skipped["beyond the limit"] += 1
                continue
            try:
                file = self._file(path, what, histories.get(path))
                if (path, file.digest) in known:
                    raise _Refused("known")
            except _Refused as refusal:
                self.skipped[str(refusal)] += 1
                continue
            found += 1
            yield file

    def _file(self, path: str, what: Worth, history: git.History | None) -> File:
        """Read one file; raises _Refused with the reason."""
        data, status = self._read(path, history is not None)
        if b"\0" in data:
            raise _Refused("binary")
        try:
            content = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise _Refused("binary") from None
        if _GENERATED.search(content[:400]) or any(len(line) > _LONG_LINE for line in content.splitlines()):
            raise _Refused("generated")
        content = self.pick.text(path, content)
        commits = tuple(history.commits) if history else ()
        born = self.since is None or (history is not None and history.born)
        written = f"{datetime.fromtimestamp(status.st_mtime, UTC):%Y-%m-%d}"
        day = (commits[0].day if commits else "") or written
        return File(path, "new" if born else "changed", what, content, tree.digest(data), day, commits)

    def _read(self, path: str, committed: bool) -> tuple[bytes, os.stat_result]:
        """The bytes of a regular file that changed; raises _Refused."""
        fd = self._open(path)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _Refused("not a file")
            if not committed and self.since and max(status.st_mtime, status.st_ctime) <= self.since.timestamp():
                raise _Refused("unchanged")
            if status.st_size > self.pick.most:
                raise _Refused("large")
            if status.st_size < self.pick.least:
                raise _Refused("small")
            # Bounded also when the file grows while it is read.
            with open(fd, "rb", closefd=False) as file:
                return file.read(self.pick.most), status
        except OSError:
            raise _Refused("unreadable") from None
        finally:
            os.close(fd)

    def _open(self, path: str) -> int:
        """Open a file without following a link on the way; raises _Refused."""
        *folders, name = path.split("/")
        here = self.root
        try:
            for folder in folders:
                child = syscalls.open_folder(here, folder)
                if here is not self.root:
                    here.close()
                here = child
            if stat.S_ISLNK(os.stat(here.at(name), dir_fd=here.dir_fd, follow_symlinks=False).st_mode):
                raise _Refused("link")
            return syscalls.open_read(here, name)
        except NotADirectoryError:
            raise _Refused("link") from None
        except FileNotFoundError:
            raise _Refused("gone") from None
        except OSError:
            raise _Refused("unreadable") from None
        finally:
            if here is not self.root:
                here.close()

    def _walk(self, folder: str = "", patterns: tuple[ignore.Pattern, ...] = (), depth: int = 0) -> Iterator[str]:
        """Paths below a folder that no `.gitignore` leaves out, where there is no git to ask."""
        patterns += self._patterns(folder)
        try:
            with os.scandir(self.workspace / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            self.skipped["unreadable"] += 1
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            reason = self._passed_over(entry, path, patterns, depth)
            if reason:
                self.skipped[reason] += 1
            elif entry.is_dir(follow_symlinks=False):
                yield from self._walk(path, patterns, depth + 1)
            else:
                yield path

    def _passed_over(self, entry: os.DirEntry[str], path: str, patterns: tuple[ignore.Pattern, ...], depth: int) -> str:
        """Why a walk leaves an entry out, or "". A secret file is told as one even where it is ignored."""
        if entry.is_symlink():
            return "link"
        is_folder = entry.is_dir(follow_symlinks=False)
        if self.looked >= MOST_ENTRIES or depth >= _DEPTH:
            return "beyond the limit"
        if is_folder and self.vault.holds(path):
            return "vault"
        if is_folder and (reason := self.pick.refused_folder(entry.name)):
            return reason
        return "ignored" if ignore.ignored(patterns, path, is_folder) else ""

    def _patterns(self, folder: str) -> tuple[ignore.Pattern, ...]:
        try:
            fd = self._open(f"{folder}/.gitignore" if folder else ".gitignore")
        except _Refused:
            return ()
        try:
            data = os.read(fd, _IGNORE_BYTES) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
        finally:
            os.close(fd)
        return tuple(ignore.read(data.decode("utf-8", "replace"), folder))


def _candidates(paths: Sequence[str], worth: Callable[[str], Worth | None]) -> list[tuple[int, str, Worth]]:
    """What is worth a note, best first: (rank, path, what it is); a translated README only where there is no other."""
    found = sorted((what.rank, path, what) for path in paths if (what := worth(path)))
    original = {path.rpartition("/")[0] for _, path, what in found if what.form == "readme"}
    return [one for one in found if one[2].form != "translation" or one[1].rpartition("/")[0] not in original]


def _unfit(path: str) -> str:
    """Why a path cannot be named in a note, or is no file."""
    if path.endswith("/"):
        return "nested checkout"
    odd = not path.isprintable() or text.printable(path) != path or len(path) > 500 or "\\" in path
    return "odd name" if odd or any(part in ("", ".", "..") for part in path.split("/")) else ""
