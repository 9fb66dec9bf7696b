"""A vault as a whole: every file that is memory or a setting of it, listed, and read piece by piece.

Of a vault that memdir made this is what the vault format names and `notes.include` adds; of an adopted one every file
that is not hidden. Of `.memdir/` only what is truth counts: the ledger and the states. Never `.git` and other hidden
folders, what package tools install, versions, locks, temporary files, links. Writes nothing.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from memdir import config
from memdir.errors import NotFound
from memdir.vault import layout, names
from memdir.vault.disk import syscalls
from memdir.vault.disk.history import META
from memdir.vault.disk.history import names as names_in
from memdir.vault.disk.tree import Entry, Listing, Tree

MEMORY = "memory"
STATE = re.compile(rf"{re.escape(META)}/(?:ledger/[A-Za-z0-9][\w.-]{{0,200}}\.jsonl|[a-z][a-z-]{{0,60}}\.json)")


class Whole:
    """The files of one vault. Use as a context manager. Raises NotFound for a vault that is not there."""

    def __init__(self, root: Path, rules: layout.Rules) -> None:
        self._tree, self._rules = Tree(root), rules

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tree.close()

    def listing(self) -> Listing:
        """Everything that belongs to it, by path; what cannot be read is in `unreadable` and `placeholders`."""
        found = self._tree.walk(self._skip)
        found.entries = [*self._state(""), *self._state("ledger"), *found.entries]
        return found

    def _skip(self, path: str, is_dir: bool) -> bool:
        own = self._rules.own
        if is_dir:
            inside = f"{path}/".startswith(f"{MEMORY}/") or not own or bool(self._rules.include)
            return names.is_ignored_folder(path.rsplit("/", 1)[-1]) or not inside
        if names.is_by_product(path) and not names.is_conflict_copy(path):
            return True
        named = path.startswith(f"{MEMORY}/") or path in (layout.INDEX_FILE, config.VAULT_FILE)
        return own and not named and not self._rules.counts(path)

    def _state(self, folder: str) -> Iterator[Entry]:
        """The files of memdir's own that are truth."""
        parts = [META, folder] if folder else [META]
        with contextlib.suppress(OSError), self._tree.folder(parts) as here:
            for name in sorted(names_in(here)):
                path = "/".join([*parts, name])
                st = syscalls.lstat(here, name)
                if STATE.fullmatch(path) and st and stat.S_ISREG(st.st_mode):
                    yield Entry(path, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        """The bytes of a file of the listing, as they come. Raises NotFound, Unsafe for a link, BadData."""
        try:
            with self._tree.folder(path.split("/")[:-1]) as folder:
                fd = syscalls.open_read(folder, path.rpartition("/")[2])
        except OSError as error:
            raise self._tree.explain(error, path, "read") from error
        with os.fdopen(fd, "rb") as stream:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise NotFound(f"{path}: not a file")
            yield stream
