"""The answer while the index is missing, damaged or being built: an index for one question, made and thrown away.

The files that hold beginnings of the question's words are indexed in a temporary folder by the ordinary sync and
read by the ordinary reader. Slower, never behind; rarity is counted among these files only.
"""

import glob
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from memdir import text
from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import reader, sync

_NONE = "/"  # a pattern that no path matches: without any, every file would count
MOST = 200  # files that are indexed for a question, those that hold most of its words first


@contextmanager
def throwaway(vault: sync.Vault, question: str) -> Iterator[reader.Reader]:
    """A reader over the files that may answer a question, as they are now."""
    with tempfile.TemporaryDirectory(prefix="memdir-") as folder:
        settings = Settings({"index_dir": folder})
        rules = replace(vault.rules, include=(*map(glob.escape, _candidates(vault, question)), _NONE))
        narrow = sync.Vault(vault.root, rules, settings)
        sync.sync(narrow, sync.Options())
        opened = reader.Reader(narrow.place, verified=True)
        try:
            yield opened
        finally:
            opened.close()


def _candidates(vault: sync.Vault, question: str) -> Sequence[str]:
    """Paths of the files that hold beginnings of the question's words; all of them in a small vault."""
    paths = [entry.path for entry in vault.root.walk(vault.rules.skip).entries]
    if len(paths) <= MOST:
        return paths
    keys = [term[: max(3, len(term) - 2)] for term in text.query_terms(question)[0]]
    found: list[tuple[int, str]] = []
    for path in paths:
        try:
            content = text.bare(f"{vault.root.read(path).data.decode('utf-8', 'replace')} {path}")
        except MemdirError:
            continue
        if matches := sum(key in content for key in keys):
            found.append((-matches, path))
    return [path for _, path in sorted(found)[:MOST]]
