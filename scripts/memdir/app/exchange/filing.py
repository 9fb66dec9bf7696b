"""Files of another vault, put into this one: byte for byte where nothing is, and never over what is there.

A log grows by the entries that it lacks, in their order. Everything else that is there and differs is left, and said.
What lies outside `memory/` goes to `memory/imported/` in a vault that memdir made, where nothing else would be memory.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memdir import config
from memdir.app import runs, vaults
from memdir.errors import MemdirError, Unsafe
from memdir.ingest.records import Filed, Record
from memdir.vault import fields, files, layout, ledger, memory_md, names, note, store
from memdir.vault.markdown import Heading

if TYPE_CHECKING:
    from memdir.app.exchange.ingesting import Ingested
    from memdir.app.memory import Memory

ELSEWHERE = "memory/imported"
# Written by memdir for a reader of its own: no notes, and yet words of somebody.
BESIDE = tuple(f"{one}/" for one in (layout.INBOX, layout.BRIEFS, layout.CHECKPOINTS, layout.PERSONAS))
BATCH, BYTES = 200, 16_000_000  # files, and bytes of them, that are applied at once
MOST_SHOWN = 200_000  # characters of the diff of a dry run
MOST_NAMED = 20  # files that are left, by name
# Folded, because a file system may not tell capitals apart.
_NEVER = (*map(names.fold, (f"{ledger.FOLDER}/", layout.HEARTBEAT_FILE, layout.OVERFLOW_FILE, config.VAULT_FILE)),)


def put(memory: "Memory", records: Iterator[Record], done: "Ingested", dry_run: bool) -> Iterator[Record]:
    """Write the files among some records; the others are handed on."""
    desk = _Desk(memory, done, dry_run)
    for one in records:
        if isinstance(one, Filed):
            desk.take(one)
        else:
            yield one
    desk.end()


def is_beside(path: str) -> bool:
    """Whether a text is counted apart from the notes: a proposal, a brief, `MEMORY.md`."""
    return path.startswith(BESIDE) or path == layout.INDEX_FILE


class _Desk:
    """Files on their way into a vault."""

    def __init__(self, memory: "Memory", done: "Ingested", dry_run: bool) -> None:
        self._memory, self._done, self._dry_run = memory, done, dry_run
        self._taken: dict[str, str] | None = None  # folded path → path
        self._waiting: dict[str, store.Change] = {}
        self._size = self._left = 0

    def take(self, one: Filed) -> None:
        try:
            path = self._place(one.path)
            there = self._there(path)
            if there in self._waiting:
                self._apply()
            self._decide(path, there, one.data)
        except MemdirError as error:
            self._leave(str(error))

    def end(self) -> None:
        self._apply()
        if self._left > MOST_NAMED:
            self._done.notices.append(f"{self._left - MOST_NAMED} more files are left")

    def _place(self, given: str) -> str:
        path = files.check_path(given)
        if self._memory.own and path != layout.INDEX_FILE and not path.startswith("memory/"):
            path = f"{ELSEWHERE}/{path}"
        if names.fold(path).startswith(_NEVER):
            raise Unsafe(f"{path} is memdir's own: it is not taken over")
        if any(map(names.is_ignored_folder, path.split("/")[:-1])):
            raise Unsafe(f"{path} lies in a folder that never holds notes")
        return path

    def _there(self, path: str) -> str:
        """The file of the vault that has this path, whatever its case; "" where the path is free."""
        if self._taken is None:
            listing = self._memory.root.walk(
                lambda one, is_dir: is_dir and names.is_ignored_folder(one.rpartition("/")[2])
            )
            found = [*(one.path for one in listing.entries), *listing.placeholders, *listing.links, *listing.unreadable]
            self._taken = {names.fold(one): one for one in found}
        folded = names.fold(path)
        above = folded.split("/")[:-1]
        for depth in range(1, len(above) + 1):
            if held := self._taken.get("/".join(above[:depth])):
                raise Unsafe(f"{path} is left: {held} is no folder")
        return self._taken.get(folded, "")

    def _decide(self, path: str, there: str, data: bytes) -> None:
        if not there:
            path = files.check_path(path, create=True)
            assert self._taken is not None
            self._taken[names.fold(path)] = path
            self._plan(store.Write(path, data, None), len(data))
            return
        old = self._memory.root.read(there).data
        kind = layout.kind_of(there)
        if old == data:
            self._done.notes_known += 1
        elif kind == "index":
            self._index(there, old, data)
        elif kind == "log":
            self._grow(there, old, data)
        else:
            self._leave(f"{there} is there already, with another text: it is left")

    def _index(self, path: str, old: bytes, data: bytes) -> None:
        """MEMORY.md: what people wrote in it counts, its list is made anew anyway."""
        ours, theirs = _written(old), _written(data)
        if ours == theirs:
            self._done.notes_known += 1
        elif ours == _written(vaults.HEAD.encode()):  # as `init` made it
            self._plan(store.Write(path, data, files.digest(old), shrink_ok=True), len(data))
        else:
            self._leave(f"{path} is there already, with another text around its list: it is left")

    def _grow(self, path: str, old: bytes, data: bytes) -> None:
        entries, more = missing(path, old, data)
        if more:
            self._leave(f"{path} differs outside of its entries: that part is left")
        if entries:
            added = fields.encode("".join(f"\n{entry}\n" for entry in entries))
            self._plan(store.append(path, added, old=old), len(added), len(entries))
        elif not more:
            self._done.notes_known += 1

    def _plan(self, change: store.Write | store.Append, size: int, entries: int = 0) -> None:
        self._waiting[change.path] = change
        self._size += size
        self._done.entries += entries
        if not entries:
            text, beside = change.path.lower().endswith(".md"), is_beside(change.path)
            self._done.notes += text and not beside
            self._done.others += text and beside
            self._done.attachments += not text
        if self._dry_run and len(self._done.diff) < MOST_SHOWN:
            self._done.diff += _shown(self._memory, change)
        if len(self._waiting) >= BATCH or self._size >= BYTES:
            self._apply()

    def _apply(self) -> None:
        changes = list(self._waiting.values())
        self._done.files += [change.path for change in changes if not isinstance(change, store.LogEntry)]
        if not self._dry_run:
            runs.apply(self._memory, changes)
        self._waiting, self._size = {}, 0

    def _leave(self, why: str) -> None:
        self._left += 1
        if self._left <= MOST_NAMED:
            self._done.notices.append(why)


def _shown(memory: "Memory", change: store.Write | store.Append) -> str:
    if not change.path.lower().endswith(".md"):
        return f"# a new file: {change.path}\n"
    return store.preview(memory.root, change, memory.clock)[:MOST_SHOWN] + "\n"


def _written(data: bytes) -> list[str]:
    """What people wrote into a MEMORY.md, line by line."""
    lines = memory_md.hand_written(fields.decode(data).split("\n"))
    return [line.strip() for line in lines if line.strip() and line.strip() not in layout.MARKS]


def missing(path: str, old: bytes, new: bytes) -> tuple[list[str], bool]:
    """Entries of another log of the same day that the one here lacks, in order; and whether anything else in it
    is not here either."""
    ours, theirs = _parts(path, old), _parts(path, new)
    held = Counter(entry for entry, _ in ours)
    lacking: list[str] = []
    more = False
    for entry, timed in theirs:
        if held[entry]:
            held[entry] -= 1
        elif timed:
            lacking.append(entry)
        else:
            known = {line.strip() for line in fields.decode(old).split("\n")}
            more |= any(line.strip() not in known for line in entry.split("\n"))
    return lacking, more


def _parts(path: str, data: bytes) -> list[tuple[str, bool]]:
    """The parts of a log that begin with a heading of the second level, with what stands before; whether each begins
    with a time of day, as an entry does."""
    held = note.parse(path, data)
    heads: Sequence[Heading] = [head for head in held.body.headings if head.level == 2]
    starts = [0, *(head.line for head in heads)]
    timed = [False, *(head.text[:5].replace(":", "").isdigit() and head.text[2:3] == ":" for head in heads)]
    ends = [*starts[1:], len(held.lines)]
    texts = [
        "\n".join(line.rstrip() for line in held.lines[start:end]).strip()
        for start, end in zip(starts, ends, strict=True)
    ]
    return [(text, whether) for text, whether in zip(texts, timed, strict=True) if text]
