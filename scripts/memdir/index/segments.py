"""Whoosh segments as memdir writes them: one lean field, posting lists that need no decoding.

A posting is eight bytes, `docnum << 32 | value`; the 32-bit value belongs to the caller. Whoosh gives the lock,
the generations, the table of contents, the term table and the columns; the posting pool, the posting files,
the merge policy and the copy between segments are here. Whoosh's own writer makes a tuple of every posting and
pickles blocks of them: 5,000 notes took it 9.5 CPU s at any block size and compression, this 0.6; six words
1.8 to 2.5 ms there, 0.3 here; on disk 9 MB against 4.6 (zlib) to 8.8 (none).
"""

# mypy: allow-untyped-calls
# (Whoosh is typed in part only.)

import heapq
import marshal
import os
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh import columns, fields, formats
from whoosh.codec import whoosh3
from whoosh.filedb.compound import CompoundStorage
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex
from whoosh.matching.mcore import ListMatcher
from whoosh.system import pack_ushort
from whoosh.writing import SegmentWriter

FILE, TERMS, PID, LENGTH = "file", "terms", "pid", "length"
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_LEXICON_EXT = ".lex"
_EXTENT = struct.Struct("!qi")  # where a term's postings lie and how long they are, behind what Whoosh tells of it
_WAIT = 10.0  # seconds to wait for another writer; memdir's own lock already keeps them apart
_POOL_BYTES = 96 << 20  # postings held in memory before a run goes to disk; 10,000 notes need 20 MB
_TERM_BYTES = 260  # what a term costs in the pool beside its postings: key, array, dict slot
# Segments up to this many passages are rewritten with the next commit, larger ones when the newer ones have grown
# as large or when more than a third of their passages are deleted. Sixty commits of 10 edits on 10,000 notes: mean
# 0.07 CPU s, at most 0.33, 3 to 6 segments (0: 0.06, 0.60, 3 to 7; 512: 0.11, 0.28, 2 to 4; Whoosh's own policy
# leaves 3 to 11, at most 0.53). Query times do not differ.
_SMALL = 128
_DEAD = 1 / 3

Postings = NDArray[np.uint64]


class Bag(fields.FieldType):
    """A field whose postings the writer makes itself: no analysis, no positions, no lengths, weight always 1."""

    column_type = vector = None
    stored = unique = scorable = False
    indexed = True
    multitoken_query = "or"

    def __init__(self) -> None:
        self.format = formats.Frequency()
        self.analyzer = None


def schema() -> fields.Schema:
    return fields.Schema(
        **{
            TERMS: Bag(),
            FILE: Bag(),
            PID: fields.COLUMN(columns.NumericColumn("Q")),
            LENGTH: fields.COLUMN(columns.NumericColumn("Q")),
        }
    )


def encoded(term: str) -> bytes:
    # File names may carry undecodable bytes as lone surrogates; the order of code points is kept.
    return term.encode("utf-8", "surrogatepass")


class LeanTerms(whoosh3.W3TermsReader):
    """The term table of a segment."""

    def packed(self, field: str, text: bytes) -> Postings:
        """Return the postings of a term, ascending; empty when there is none."""
        try:
            info = self._tindex[self._keycoder(field, text)]
        except KeyError:
            return np.empty(0, np.uint64)
        return self.slice(*_EXTENT.unpack_from(info, whoosh3.W3TermInfo._struct.size))

    def all(self) -> Iterator[tuple[str, bytes, Postings]]:
        """Yield field, term and postings of the whole segment, in order."""
        for (field, text), info in self.items():
            yield field, text, self.slice(info.extent()[0], info.doc_frequency() * 8)

    def slice(self, offset: int, length: int) -> Postings:
        """Return the postings in some bytes of the posting file."""
        return np.frombuffer(self._postfile.get(offset, length), np.uint64)


class LeanFields(whoosh3.W3FieldWriter):
    """Writes each posting list as it lies in memory, and the list of terms beside them."""

    def add_postings(self, schema: Any, lengths: Any, items: Iterable[tuple[str, str, bytes]]) -> None:
        words: list[bytes] = []
        counts = array("Q")
        first = 0
        for field, term, postings in items:
            text, count, offset = encoded(term), len(postings) // 8, self._postfile.tell()
            number = self._fieldmap.setdefault(field, len(self._fieldmap))
            self._postfile.write(postings)
            info = whoosh3.W3TermInfo(weight=count, df=count, maxweight=1.0)
            info.set_extent(offset, len(postings))
            self._tindex.add(pack_ushort(number) + text, info.to_bytes())
            if field == TERMS:
                first = offset if not words else first
                words.append(text)
                counts.append(count)
        lexicon = self._create_file(_LEXICON_EXT)
        lexicon.write(marshal.dumps((first, counts.tobytes(), b"\0".join(words))))
        lexicon.close()


class LeanCodec(whoosh3.W3Codec):
    """Whoosh's own segment with postings that need no decoding: 8 bytes each instead of pickled blocks."""

    length_stats = False

    def field_writer(self, storage: Any, segment: Any) -> LeanFields:
        return LeanFields(self, storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> LeanTerms:
        name = segment.make_filename(self.TERMS_EXT)
        postings = segment.open_file(storage, self.POSTS_EXT)
        return LeanTerms(self, storage.open_file(name), storage.file_length(name), postings)

    def postings_reader(self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None) -> Any:
        """Return a matcher, so that Whoosh's own queries read these postings too."""
        postings = np.frombuffer(dbfile.get(terminfo.extent()[0], terminfo.doc_frequency() * 8), np.uint64)
        ids = (postings >> HALF).tolist()
        values = [struct.pack(">I", value) for value in (postings & LOW).tolist()]
        return ListMatcher(ids, [1.0] * len(ids), values, format_, scorer=scorer, term=term, terminfo=terminfo)


class Stretch:
    """A file inside a file, read where asked. (Whoosh's own copies the whole of it into memory when it is opened.)"""

    def __init__(self, path: str, start: int, length: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115
        self._start = start

    def get(self, position: int, length: int) -> bytes:
        self._file.seek(self._start + position)
        return self._file.read(length)

    def close(self) -> None:
        self._file.close()


class Segment:
    """One open segment: its term table, columns, and which of its documents live."""

    def __init__(self, storage: FileStorage, segment: Any) -> None:
        self._segment = segment
        self._files = _compound(storage, segment)
        name = segment.make_filename(LeanCodec.TERMS_EXT)
        path = os.path.join(storage.folder, segment.make_filename(segment.COMPOUND_EXT))
        postings = Stretch(path, *self._files.range(segment.make_filename(LeanCodec.POSTS_EXT)))
        codec, length = segment.codec(), self._files.file_length(name)
        try:
            self.terms = LeanTerms(codec, self._files.open_file(name), length, postings)
        except BaseException:
            postings.close()
            raise
        self.size: int = segment.doc_count_all()
        self.whole: bool = not segment.has_deletions()
        self.alive: NDArray[np.bool_] = np.ones(self.size, np.bool_)
        self.alive[list(segment.deleted_docs())] = False

    def column(self, name: str) -> Postings:
        """Return a column; documents at its end that hold the default are not in the file."""
        out = np.zeros(self.size, np.uint64)
        filename = whoosh3.W3Codec.column_filename(self._segment, name)
        if self._files.file_exists(filename):
            data = self._files.open_file(filename).get(0, self._files.file_length(filename))
            out[: len(data) // 8] = np.frombuffer(data, ">u8")
        return out

    def lexicon(self, *, living: bool) -> list[str]:
        """Return the terms; with `living` (which costs a pass over all postings) those of living passages only."""
        name = self._segment.make_filename(_LEXICON_EXT)
        data = self._files.open_file(name).get(0, self._files.file_length(name))
        first, packed, joined = marshal.loads(data)
        counts = np.frombuffer(packed, np.uint64).astype(np.int64)
        if not counts.size:
            return []
        words: list[str] = joined.decode("utf-8", "surrogatepass").split("\0")
        if self.whole or not living:
            return words
        postings = self.terms.slice(first, int(counts.sum()) * 8)
        dead = np.flatnonzero(~self.alive[postings >> HALF])
        owners = np.searchsorted(np.cumsum(counts), dead, side="right")
        live = counts - np.bincount(owners, minlength=counts.size)
        return [words[i] for i in np.flatnonzero(live).tolist()]

    def close(self) -> None:
        self.terms.close()
        self._files.close()


def _compound(storage: FileStorage, segment: Any) -> CompoundStorage:
    """Open the file of a segment. (Whoosh's own way leaves it open when its directory is damaged.)"""
    file = storage.open_file(segment.make_filename(segment.COMPOUND_EXT))
    try:
        return CompoundStorage(file, use_mmap=storage.supports_mmap)
    except BaseException:
        if not file.is_closed:
            file.close()
        raise


class Pool:
    """Postings by field and term, in memory up to a bound, then in sorted runs on disk."""

    def __init__(self, storage: FileStorage) -> None:
        self._storage = storage
        self._runs: list[str] = []
        self._count = 0
        self.lists: dict[str, dict[str, array[int]]] = {FILE: {}, TERMS: {}}

    def add(self, docnum: int, file: str, packed: Mapping[str, int]) -> None:
        """Add a document; numbers must ascend."""
        base = docnum << 32
        lists = self.lists[TERMS]
        for term, value in packed.items():
            try:
                lists[term].append(base | value)
            except KeyError:
                lists[term] = array("Q", (base | value,))
        self.lists[FILE].setdefault(file, array("Q")).append(base)
        self._grown(len(packed) + 1)

    def extend(self, field: str, term: str, postings: Postings) -> None:
        """Append the postings of a term; their numbers must lie above those it has."""
        self.lists[field].setdefault(term, array("Q")).frombytes(postings.tobytes())
        self._grown(len(postings))

    def _grown(self, postings: int) -> None:
        self._count += postings
        if self._count * 8 + len(self.lists[TERMS]) * _TERM_BYTES > _POOL_BYTES:
            name = f"{len(self._runs)}.run"
            with self._storage.create_file(name) as run:
                for item in self._sorted():
                    marshal.dump(item, run.raw_file())
            self._runs.append(name)
            self._count = 0
            for lists in self.lists.values():
                lists.clear()

    def _sorted(self) -> Iterator[tuple[str, str, bytes]]:
        for field in (FILE, TERMS):
            lists = self.lists[field]
            for term in sorted(lists):
                yield field, term, lists[term].tobytes()

    def _run(self, name: str) -> Iterator[tuple[str, str, bytes]]:
        with open(os.path.join(self._storage.folder, name), "rb") as file:
            while True:
                try:
                    yield marshal.load(file)
                except EOFError:
                    return

    def iter_postings(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield field, term and postings in order. Runs are older than memory, so pieces join in order."""
        if not self._runs:
            yield from self._sorted()
            return
        pieces = heapq.merge(*map(self._run, self._runs), self._sorted(), key=lambda item: item[:2])
        for (field, term), same in groupby(pieces, key=lambda item: item[:2]):
            yield field, term, b"".join(postings for _, _, postings in same)

    def cleanup(self) -> None:
        """Do nothing: Whoosh deletes the temporary folder with the runs."""


class LeanWriter(SegmentWriter):
    """Whoosh's segment writer (lock, generations, table of contents) with the pool above."""

    def __init__(self, index: FileIndex) -> None:
        try:
            super().__init__(index, timeout=_WAIT, codec=LeanCodec())
        except BaseException:
            self.release()
            raise
        self.postings = Pool(self._tempstorage)
        self.pool: Any = self.postings

    def release(self) -> None:
        """Let go of the lock if it is still held: Whoosh leaves that to the garbage collector where the system refuses
        a call, and until then no writer of this process would get it."""
        lock = getattr(self, "writelock", None)
        if lock is not None and lock.fd is not None:
            lock.release()

    def put(self, pid: int, length: int) -> int:
        """Start and finish a document with its columns; return its number in the new segment."""
        docnum: int = self.docnum
        out = self.perdocwriter
        out.start_doc(docnum)
        out.add_column_value(PID, self.schema[PID].column_type, pid)
        out.add_column_value(LENGTH, self.schema[LENGTH].column_type, length)
        out.finish_doc()
        self.docnum += 1
        self._added = True
        return docnum

    def absorb(self, segment: Any) -> None:
        """Copy the living documents of an older segment into the new one."""
        old = Segment(self.storage, segment)
        target = np.full(old.size, -1, np.int64)
        live = np.flatnonzero(old.alive)
        target[live] = np.arange(self.docnum, self.docnum + live.size)
        for pid, length in zip(old.column(PID)[live].tolist(), old.column(LENGTH)[live].tolist(), strict=True):
            self.put(pid, length)
        for field, text, postings in old.terms.all():
            moved = target[postings >> HALF]
            kept = moved >= 0
            if kept.any():
                moved = moved[kept].astype(np.uint64) << HALF
                self.postings.extend(field, text.decode("utf-8", "surrogatepass"), moved | (postings[kept] & LOW))
        old.close()

    def cancel(self, **kwargs: Any) -> None:
        """Give up, and delete the files of the segment that was begun."""
        super().cancel(**kwargs)
        for name in self.newsegment.list_files(self.storage):
            self.storage.delete_file(name)


def merge(writer: LeanWriter, segments: list[Any]) -> list[Any]:
    """Absorb the segments that are small, no larger than what is new, or largely deleted; keep the others."""
    kept = []
    for segment in sorted(segments, key=lambda s: (s.doc_count(), s.segment_id())):
        live = segment.doc_count()
        if live <= max(writer.docnum, _SMALL) or segment.deleted_count() > segment.doc_count_all() * _DEAD:
            if live:
                writer.absorb(segment)
        else:
            kept.append(segment)
    return kept


def without_dead(writer: LeanWriter, segments: list[Any]) -> list[Any]:
    """Absorb every segment with deleted passages."""
    for segment in segments:
        if segment.has_deletions() and segment.doc_count():
            writer.absorb(segment)
    return [segment for segment in segments if not segment.has_deletions()]
