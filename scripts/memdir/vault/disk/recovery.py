"""Putting right what a crash, or a person saving at the same moment, left behind; runs under the vault lock.

Reads the journal of `.memdir/` and decides for each entry, from what is on disk now, how far it got. The rule: a
text whose digest is known to be kept elsewhere may go, every other one becomes the note, a copy beside it, or a
version in the history. Never deletes bytes it does not know.
"""

import contextlib
import time
from dataclasses import dataclass

from memdir.errors import Problem
from memdir.vault.disk import history, syscalls
from memdir.vault.disk.history import META, PENDING, Intent, Journal, bytes_of, file_names, hash_of, put
from memdir.vault.disk.paths import copy_name
from memdir.vault.disk.syscalls import Folder, aside, fsync_folder, sys_calls
from memdir.vault.disk.tree import Tree, digest

_UNFINISHED = "unfinished"  # who "wrote" a version that never became the note


def keep_beside(folder: Folder, name: str, source: Folder, temp: str, now: float) -> str:
    """Give a file in `source` a copy name beside `name`; return that name. Raises OSError."""
    copy = copy_name(name, now)
    sys_calls.rename_new(source, temp, folder, copy)
    fsync_folder(folder)
    return copy


def yield_to_person(folder: Folder, intent: Intent, data: bytes, theirs: bytes, journal: Journal, now: float) -> str:
    """Undo an exchange that displaced a person's fresh text; return the path of the copy with ours. Raises OSError."""
    syscalls.exchange(folder, intent.temp, folder, intent.name)
    with contextlib.suppress(OSError):
        journal.observe(intent, theirs)
    if hash_of(folder, intent.temp) == intent.new:
        copy = keep_beside(folder, intent.name, folder, intent.temp, now)
    else:
        # Saved twice within the same moment: the later text is displaced now. It goes back, the earlier beside it.
        syscalls.exchange(folder, intent.temp, folder, intent.name)
        keep_beside(folder, intent.name, folder, intent.temp, now)
        put(folder, copy := copy_name(intent.name, now), data)
    return "/".join([*intent.parents, copy])


def put_back(folder: Folder, intent: Intent, journal: Journal) -> None:
    """After a failed write whose temporary file was complete: the old text is the note again, ours is gone.

    Where even that fails the journal stays as it is and recover() does it later; nothing is raised by the system.
    """
    with contextlib.suppress(OSError):
        _unaside(folder, intent.temp, folder, intent.name)
        displaced = hash_of(folder, intent.temp)
        if displaced not in (None, intent.new) and hash_of(folder, intent.name) == intent.new:
            syscalls.exchange(folder, intent.temp, folder, intent.name)
            displaced = hash_of(folder, intent.temp)
        if displaced == intent.new:
            sys_calls.unlink(folder, intent.temp)
        elif displaced is not None:
            journal.displace(folder, intent.temp, intent)
        if syscalls.lstat(folder, aside(intent.temp)) is not None:
            journal.displace(folder, aside(intent.temp), intent)


def take_back(folder: Folder, intent: Intent) -> None:
    """After a creation that failed: remove what was published, unless somebody else has written it since."""
    with contextlib.suppress(OSError):
        if syscalls.lstat(folder, intent.temp) is None:
            sys_calls.rename(folder, intent.name, folder, intent.temp)
        if hash_of(folder, intent.temp) == intent.new:
            sys_calls.unlink(folder, intent.temp)
        else:
            sys_calls.rename_new(folder, intent.temp, folder, intent.name)


def recover(tree: Tree, journal: Journal, now: float, settle: float, strays: list[str]) -> list[Problem]:
    """Work off every journal entry that is due and every stray temporary file; say what a person should know."""
    work = _Work(tree, journal, now, settle, [], {})
    intents = journal.intents()
    for intent in intents:
        if intent.new:
            work.ours.setdefault(intent.path, set()).add(intent.new)
    left = []
    for intent in intents:
        try:
            if not work.finish(intent):
                left.append(intent)
        except OSError as error:
            left.append(intent)
            work.say(intent.path, f"a write could not be put right yet: {error.strerror or error}")
    work.orphans({intent.id for intent in intents})
    temps = {"/".join([*intent.parents, intent.temp]) for intent in left}
    for rel in strays:
        try:
            if rel not in temps:
                work.adopt(rel)
        except OSError as error:
            work.say(rel, f"a temporary file of memdir could not be put right: {error.strerror or error}")
    try:
        if len(left) < len(intents) or not left:
            journal.rewrite(left)
        journal.prune(now)
    except OSError as error:
        work.say(f"{META}/{history.JOURNAL}", f"cannot be written: {error.strerror or error}")
    return work.problems


def _unaside(holder: Folder, temp: str, folder: Folder, name: str) -> None:
    """Undo or finish an exchange in steps that stopped between two of them."""
    if syscalls.lstat(holder, aside(temp)) is None:
        return
    if syscalls.lstat(folder, name) is None:
        sys_calls.rename_new(holder, aside(temp), folder, name)
    elif syscalls.lstat(holder, temp) is None:
        sys_calls.rename(holder, aside(temp), holder, temp)


@dataclass(slots=True)
class _Work:
    """One pass of recovery. `ours`: the digests memdir wrote of late, by path."""

    tree: Tree
    journal: Journal
    now: float
    settle: float
    problems: list[Problem]
    ours: dict[str, set[str]]

    def say(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, 1, message))

    def finish(self, intent: Intent) -> bool:
        """Bring one entry to its end; False when it is too early. Raises OSError."""
        try:
            with self.tree.folder(intent.parents) as folder:
                _unaside(folder, intent.temp, folder, intent.name)
                found = hash_of(folder, intent.temp)
                if found is not None:
                    self._temp(folder, intent, found)
                spare = hash_of(folder, aside(intent.temp))
                if spare is not None:
                    self.journal.keep(folder, aside(intent.temp), spare, intent, intent.by)
        except (FileNotFoundError, NotADirectoryError):
            pass  # the folder was moved or removed by a person; what waits in pending/ is still looked at
        if 0 <= self.now - intent.ts < history.WAIT:
            return False
        try:
            with self.tree.folder([META, PENDING]) as pending:
                return self._pending(pending, intent)
        except FileNotFoundError:
            return True

    def _temp(self, folder: Folder, intent: Intent, found: str) -> None:
        """Decide about a temporary file that outlived its writer; `found` is its digest."""
        there = hash_of(folder, intent.name)
        # Another memdir may have written since, before anybody recovered.
        unpublished = there in (intent.base, None) or (found == intent.new and self._is_ours(there, intent))
        if found == there:
            sys_calls.unlink(folder, intent.temp)
        elif found == intent.base and there is not None:
            self.journal.displace(folder, intent.temp, intent)
        elif intent.new is None and there is None:
            sys_calls.rename_new(folder, intent.temp, folder, intent.name)
        elif intent.new is not None and unpublished:
            self._undone(folder, intent.temp, found, intent)
        else:
            if there == intent.new:
                syscalls.exchange(folder, intent.temp, folder, intent.name)
            copy = keep_beside(folder, intent.name, folder, intent.temp, self.now)
            self.say(intent.path, f"was saved while memdir wrote it; the other text is in {copy}")
        fsync_folder(folder)

    def _is_ours(self, found: str | None, intent: Intent) -> bool:
        return found in self.ours.get(intent.path, ())

    def _undone(self, folder: Folder, temp: str, found: str, intent: Intent) -> None:
        """Make a version of a text that never became the note."""
        self.journal.keep(folder, temp, found, intent, _UNFINISHED)
        self.say(intent.path, f"a write was cut short and undone; what it had written is version {found}")

    def _pending(self, pending: Folder, intent: Intent) -> bool:
        """Hash a displaced file again: unchanged it is a version, changed it is what a person saved."""
        with contextlib.suppress(FileNotFoundError), self.tree.folder(intent.parents) as folder:
            _unaside(pending, intent.id, folder, intent.name)
        found = hash_of(pending, intent.id)
        if found is None:
            return True
        if found == intent.base:
            self.journal.keep(pending, intent.id, found, intent, intent.by)
            return True
        st = syscalls.lstat(pending, intent.id)
        if st is not None and 0 <= time.time() - st.st_ctime < self.settle:
            return False
        if st is not None and st.st_size == 0:
            sys_calls.unlink(pending, intent.id)
            return True
        with self.tree.folder(intent.parents, create=True) as folder:
            self._restore(pending, folder, intent)
        return True

    def _restore(self, pending: Folder, folder: Folder, intent: Intent) -> None:
        """Bring a person's text back from pending/: as the note if the note is still ours, else beside it."""
        there = hash_of(folder, intent.name)
        if there is None:
            sys_calls.rename_new(pending, intent.id, folder, intent.name)
            fsync_folder(folder)
            self.say(intent.path, "was edited after memdir removed it; it is back")
            return
        restored = self._is_ours(there, intent)
        if restored:
            syscalls.exchange(pending, intent.id, folder, intent.name)
            displaced = bytes_of(pending, intent.id) or b""
            if not self._is_ours(digest(displaced), intent):
                syscalls.exchange(pending, intent.id, folder, intent.name)
                self.journal.observe(intent, displaced)
                restored = False
        copy = keep_beside(folder, intent.name, pending, intent.id, self.now)
        what = "your text is the note, memdir's is" if restored else "the earlier save is"
        self.say(intent.path, f"was saved while memdir wrote it; {what} in {copy}")

    def orphans(self, known: set[str]) -> None:
        """Make versions of what waits in pending/ though the journal, which somebody has removed, does not say why."""
        with contextlib.suppress(OSError), self.tree.folder([META, PENDING]) as pending:
            for name in set(file_names(pending)) - known - {aside(key) for key in known}:
                try:
                    self._orphan(pending, name)
                except OSError as error:
                    self.say(f"{META}/{PENDING}", f"what waits here could not be kept yet: {error.strerror or error}")

    def _orphan(self, pending: Folder, name: str) -> None:
        found = hash_of(pending, name)
        if found is not None:
            self.journal.keep(pending, name, found, Intent(name, self.now, "", None, None, 0, ""), _UNFINISHED)
            where = f"{META}/{history.HISTORY}/{found[:2]}/{found}"
            self.say(f"{META}/{PENDING}", f"a text that was written over, of which note is not known: now {where}")

    def adopt(self, rel: str) -> None:
        """Deal with a temporary file no journal entry speaks of: drop it when its text is kept, else show it.

        A creation's entry may go with the power; its text is a version then, as if the entry were there."""
        *parents, temp = rel.split("/")
        with self.tree.folder(parents) as folder:
            st, found = syscalls.lstat(folder, temp), hash_of(folder, temp)
            if st is None or found is None:
                return
            name = history.original_name(temp)
            if st.st_size == 0 or found == hash_of(folder, name) or self.journal.fetch(found) is not None:
                sys_calls.unlink(folder, temp)
                return
            if history.is_fresh(temp):
                path = "/".join([*parents, name])
                self._undone(folder, temp, found, Intent("", self.now, path, None, found, st.st_size, ""))
                return
            copy = keep_beside(folder, name, folder, temp, self.now)
        self.say("/".join([*parents, name]), f"memdir was cut short here; the text it left is in {copy}")
