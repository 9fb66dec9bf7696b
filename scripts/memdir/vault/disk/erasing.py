"""Erasing: the only deletion that keeps nothing. A file goes with its versions, its journal and what waits there."""

import contextlib
from collections.abc import Callable, Collection
from dataclasses import asdict

from memdir.vault.disk import history, syscalls
from memdir.vault.disk.history import HISTORY, INDEX, META, PENDING, Journal, bytes_of
from memdir.vault.disk.syscalls import fsync_folder, sys_calls
from memdir.vault.disk.tree import Tree

Holds = Callable[[str, bytes], bool]  # whether an earlier text of a path is to go too


def erase(tree: Tree, journal: Journal, paths: Collection[str], holds: Holds) -> int:
    """Unlink files, drop every kept version of them and all that `holds` is true of; returns how many versions went.
    Under the vault lock. Raises OSError; run again it goes on where it stopped."""
    for path in sorted(paths):
        *parents, name = path.split("/")
        with contextlib.suppress(FileNotFoundError), tree.folder(parents) as folder:
            sys_calls.unlink(folder, name)
            fsync_folder(folder)
    return _pending(tree, journal, paths, holds) + _versions(tree, journal, paths, holds)


def _pending(tree: Tree, journal: Journal, paths: Collection[str], holds: Holds) -> int:
    """What waits to be looked at again, and its lines in the journal."""
    left, gone = [], 0
    for intent in journal.intents():
        with contextlib.suppress(FileNotFoundError), tree.folder([META, PENDING]) as folder:
            data = bytes_of(folder, intent.id)
            if intent.path in paths or (data is not None and holds(intent.path, data)):
                gone += 1
                if data is not None:
                    sys_calls.unlink(folder, intent.id)
                continue
        if intent.path not in paths:
            left.append(intent)
    journal.rewrite(left)
    return gone


def _versions(tree: Tree, journal: Journal, paths: Collection[str], holds: Holds) -> int:
    """Kept versions: the texts first, so that no list names what is gone only in part."""
    kept, doomed = [], set[str]()
    for one in journal.listed():
        data = None if one.path in paths or one.digest in doomed else journal.fetch(one.digest)
        if one.path in paths or one.digest in doomed or (data is not None and holds(one.path, data)):
            doomed.add(one.digest)
        else:
            kept.append(one)
    for digest in sorted(doomed):
        with contextlib.suppress(FileNotFoundError), tree.folder([META, HISTORY, digest[:2]]) as shelf:
            if syscalls.lstat(shelf, digest) is not None:
                sys_calls.unlink(shelf, digest)
                fsync_folder(shelf)
    if doomed:
        lines = [history.line({**asdict(one), "ts": history.iso(one.ts)}) for one in kept if one.digest not in doomed]
        with tree.folder([META, HISTORY]) as folder:
            history.put(folder, INDEX, b"".join(lines))
    return len(doomed)
