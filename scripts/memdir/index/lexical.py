"""The lexical index of notes: Whoosh segments that hold one lean field, scored as BM25F with numpy.

One Whoosh document a passage. A posting is eight bytes: the document number and one 32-bit value that packs
how often the term stands in each zone, so weights are chosen at query time and no positions, weights or
stored fields are written. Touches the Whoosh folder it is given and nothing else; knows no notes and parses
no query syntax. Scores depend on the live passages only, so an edited index answers like a rebuilt one.
"""

# mypy: allow-untyped-calls
# (Whoosh is typed in part only.)

import math
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import neg
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from whoosh.filedb.filestore import FileStorage
from whoosh.index import _DEF_INDEX_NAME, TOC, EmptyIndexError, FileIndex, LockError

from memdir.index.segments import (
    FILE,
    HALF,
    LENGTH,
    PID,
    TERMS,
    LeanWriter,
    Postings,
    Segment,
    encoded,
    merge,
    schema,
    without_dead,
)
from memdir.index.values import Scores

ZONES = ("name", "aliases", "tags", "heading", "body")
# Bits and position of each zone's count in a posting value; counts saturate.
BITS = {"name": 5, "aliases": 4, "tags": 4, "heading": 5, "body": 14}
SHIFT = {"name": 27, "aliases": 23, "tags": 19, "heading": 14, "body": 0}
CAP = {zone: (1 << bits) - 1 for zone, bits in BITS.items()}
# Postings kept decoded and scored, twenty bytes each, and how many of them a term costs beside its own. A question asks
# for its terms twice, 30 µs each, and words come again: 60 questions about 10,000 notes hold 419, 170,000 postings.
_DECODED, _EACH = 1 << 20, 64
_TOGETHER = 32  # terms scored in one pass
_ROUNDED = 1e-6  # how far two scores may lie apart that are equal when rounded
_EDGES = tuple(zone for zone in ZONES if zone != "body")
_SHIFTS, _CAPS = (np.array([table[zone] for zone in _EDGES], np.uint32) for table in (SHIFT, CAP))


class Weights(NamedTuple):
    """What a term counts in each zone, and the two constants of BM25."""

    name: float
    aliases: float
    tags: float
    heading: float
    body: float = 1.0
    k1: float = 1.2
    b: float = 0.75


def pack(zones: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the posting value of every term of a passage."""
    packed: dict[str, int] = Counter(zones.get("body", ()))
    if len(zones.get("body", ())) > CAP["body"]:
        packed = {term: min(count, CAP["body"]) for term, count in packed.items()}
    for zone in _EDGES:
        if words := zones.get(zone):
            for term, count in Counter(words).items():
                packed[term] = packed.get(term, 0) | min(count, CAP[zone]) << SHIFT[zone]
    return packed


def unpack(values: NDArray[np.uint32], zone: str) -> NDArray[np.uint32]:
    """Return one zone's counts out of an array of posting values; same shape."""
    return (values >> np.uint32(SHIFT[zone])) & np.uint32(CAP[zone])


class SyncStorage(FileStorage):
    """A folder whose finished files are on the disk before a table of contents names them, for their owner alone.

    Parts that go into a segment file are not synced: the segment file is, and they are deleted.
    """

    def create_file(self, name: str, excl: bool = False, mode: str = "wb", **options: Any) -> Any:
        file = super().create_file(name, excl, mode, **options)
        if os.name == "posix":
            os.fchmod(file.file.fileno(), 0o600)
        if name.endswith(".seg") or ".toc" in name:
            done = file.onclose

            def close(closing: Any) -> None:
                try:
                    closing.file.flush()
                    os.fsync(closing.file.fileno())
                except BaseException:
                    closing.file.close()
                    raise
                if done:
                    done(closing)

            file.onclose = close
        return file

    def lock(self, name: str) -> Any:
        os.close(os.open(self._fpath(name), os.O_RDONLY | os.O_CREAT, 0o600))  # Whoosh would let others write it
        return super().lock(name)

    def rename_file(self, oldname: str, newname: str, safe: bool = False) -> None:
        super().rename_file(oldname, newname, safe)
        if os.name == "posix":
            folder = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def create(folder: Path) -> None:
    """Make an empty index in a folder, and the folder."""
    SyncStorage(os.fspath(folder)).create().create_index(schema())


def rewrite(folder: Path) -> None:
    """Copy the living passages of every segment that holds deleted ones, with their terms, and delete the segment."""
    LeanWriter(FileIndex(SyncStorage(os.fspath(folder)))).commit(mergetype=without_dead)


class Writer:
    """Changes to an index, all or none: committed when the block ends, cancelled when it raises.

    Raises TimeoutError when another writer holds the folder for ten seconds, FileNotFoundError when there is
    no index.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._writer = LeanWriter(FileIndex(SyncStorage(os.fspath(folder))))
        except EmptyIndexError as error:
            raise FileNotFoundError(f"no Whoosh index in {folder}") from error
        except LockError as error:
            raise TimeoutError(f"another process is writing to {folder}") from error
        self._open: list[Segment] | None = None
        self._fresh: dict[str, list[int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for segment in self._open or ():
            segment.close()
        try:
            if kind is None:
                self._writer.commit(mergetype=merge)
            else:
                self._writer.cancel()
        finally:
            self._writer.release()

    def delete(self, file: str) -> None:
        """Delete all passages of a file, also those this writer has added."""
        if self._open is None:
            self._open = [Segment(self._writer.storage, segment) for segment in self._writer.segments]
        for segment, target in zip(self._open, self._writer.segments, strict=True):
            for docnum in (segment.terms.packed(FILE, encoded(file)) >> HALF).tolist():
                target.delete_document(docnum)
        for docnum in self._fresh.pop(file, ()):
            self._writer.newsegment.delete_document(docnum)

    def add(self, file: str, pid: int, zones: Mapping[str, Sequence[str]]) -> None:
        """Add a passage: its number (unique among living ones, 64 bits) and its analysed terms by zone."""
        docnum = self._writer.put(pid, len(zones.get("body", ())))
        self._writer.postings.add(docnum, file, pack(zones))
        self._fresh.setdefault(file, []).append(docnum)


class Reader:
    """The index as it was committed last; later commits do not change what it answers. For one thread at a time.

    Raises FileNotFoundError when the folder holds no index.
    """

    def __init__(self, folder: Path) -> None:
        self._segments = _open(folder)
        self._bases = np.cumsum([0, *(s.size for s in self._segments)]).tolist()
        none = np.empty(0, np.uint64)
        self._pids: Postings = np.concatenate([none, *(s.column(PID) for s in self._segments)])
        self._lengths = np.concatenate([none, *(s.column(LENGTH) for s in self._segments)]).astype(np.float64)
        self._alive: NDArray[np.bool_] = np.concatenate([none, *(s.alive for s in self._segments)]).astype(np.bool_)
        self.doc_count = int(self._alive.sum())
        self._lexicon: list[str] | None = None
        self._decoded: dict[str, tuple[NDArray[np.int64], NDArray[np.uint32]]] = {}
        self._room = _DECODED
        self._scored: dict[str, NDArray[np.float64]] = {}  # of decoded terms, under the weights asked for last
        self._weights: Weights | None = None
        self._norms: tuple[float, NDArray[np.float64]] | None = None

    def __contains__(self, term: str) -> bool:
        return self.df(term) > 0

    def df(self, term: str) -> int:
        """Return how many living passages hold a term in any zone."""
        return len(self._postings(term)[0])

    def lexicon(self) -> list[str]:
        """Return every term of the living passages, sorted; the list is kept, do not change it."""
        if self._lexicon is None:
            self._lexicon = sorted(set().union(*(segment.lexicon(living=True) for segment in self._segments)))
        return self._lexicon

    def vocabulary(self) -> list[str]:
        """Return every term once, unsorted, also those of deleted passages: where near words are looked for."""
        lists = [segment.lexicon(living=False) for segment in self._segments]
        return lists[0] if len(lists) == 1 else list(set().union(*lists))

    def search(
        self,
        groups: Sequence[Mapping[str, float]],
        *,
        weights: Weights,
        allowed: Iterable[int] | None = None,
        limit: int = 10,
    ) -> Scores:
        """Return passages with their BM25F score (six digits).

        A group holds the alternatives of one query word and what each is worth (at most 1); it counts
        with its best alternative. Passages outside `allowed` are left out before the cut.

        Weighted counts are summed over the zones before saturation, with the body's divided by its length
        norm (Zaragoza et al., TREC 2004); idf is ln(1 + (N - df + 0.5) / (df + 0.5)), never negative.
        """
        total = np.zeros(len(self._pids))
        for alone, some in groupby(filter(None, groups), key=lambda group: len(group) == 1):
            if alone:
                terms = [pair for group in some for pair in group.items()]
                for start in range(0, len(terms), _TOGETHER):
                    np.add.at(total, *self._scores(terms[start : start + _TOGETHER], weights))
                continue
            for group in some:
                best = np.zeros(len(total))
                np.maximum.at(best, *self._scores([*group.items()], weights))
                total += best
        if allowed is not None:
            total[~np.isin(self._pids, np.fromiter(allowed, np.uint64))] = 0
        return self._best(total, limit)

    def holding(self, terms: Iterable[str]) -> list[int]:
        """Return the numbers of the passages whose body holds every one of some terms, ascending."""
        kept: NDArray[np.int64] | None = None
        for term in terms:
            docs, values = self._postings(term)
            docs = docs[unpack(values, "body") > 0]
            kept = docs if kept is None else np.intersect1d(kept, docs, assume_unique=True)
            if not kept.size:
                return []
        return [] if kept is None else sorted(self._pids[kept].tolist())

    def close(self) -> None:
        for segment in self._segments:
            segment.close()

    def _postings(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return document numbers over all segments and the packed counts, of living passages."""
        if term not in self._decoded:
            found = self._decode(term)
            size = len(found[0]) + _EACH
            if size > self._room:
                self._decoded.clear()
                self._scored.clear()
                self._room = _DECODED
            self._room -= size
            self._decoded[term] = found
        return self._decoded[term]

    def _decode(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        text = encoded(term)
        found = [segment.terms.packed(TERMS, text) for segment in self._segments]
        ids = [(p >> HALF).astype(np.int64) + base for p, base in zip(found, self._bases, strict=False) if p.size]
        if not ids:
            return np.empty(0, np.int64), np.empty(0, np.uint32)
        docs = np.concatenate(ids)
        values = np.concatenate(found).astype(np.uint32)
        if self.doc_count == len(self._alive):
            return docs, values
        live = self._alive[docs]
        return docs[live], values[live]

    def _scores(
        self, terms: Sequence[tuple[str, float]], weights: Weights
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return document numbers and scores for the postings of terms, each by its worth, one term after another."""
        found = {term: self._postings(term) for term, _ in terms}
        if weights != self._weights:
            self._scored.clear()
            self._weights = weights
        if fresh := [term for term in found if term not in self._scored]:
            self._scored.update(zip(fresh, self._score([found[term] for term in fresh], weights), strict=True))
        scores = [self._scored[term] if worth == 1 else worth * self._scored[term] for term, worth in terms]
        return np.concatenate([found[term][0] for term, _ in terms]), np.concatenate(scores)

    def _score(
        self, found: Sequence[tuple[NDArray[np.int64], NDArray[np.uint32]]], weights: Weights
    ) -> list[NDArray[np.float64]]:
        """Return the scores of the postings of each term.

        In one pass: of a question of six words over 2,000 passages, NumPy's calls cost far more than its sums.
        """
        sizes = [len(docs) for docs, _ in found]
        docs, values = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        counts = weights.body * unpack(values, "body") / self._norm(weights.b)[docs]
        edges = np.flatnonzero(values > CAP["body"])
        if edges.size:
            held = (values[edges, None] >> _SHIFTS) & _CAPS
            counts[edges] += (held * [getattr(weights, zone) for zone in _EDGES]).sum(axis=1)
        idf = (math.log1p((self.doc_count - size + 0.5) / (size + 0.5)) for size in sizes)
        most = np.repeat([one * (weights.k1 + 1) for one in idf], sizes)
        return np.split(most * counts / (counts + weights.k1), np.cumsum(sizes[:-1]))

    def _norm(self, b: float) -> NDArray[np.float64]:
        """Return 1 - b + b * length / mean length for every document; kept for the last `b`."""
        if self._norms is None or self._norms[0] != b:
            mean = self._lengths[self._alive].sum() / max(self.doc_count, 1) or 1.0
            # A passage without a body has no body counts either: any divisor but 0 will do.
            self._norms = b, np.maximum(1 - b + b * self._lengths / mean, 1e-9)
        return self._norms[1]

    def _best(self, total: NDArray[np.float64], limit: int) -> Scores:
        (hits,) = (total > 0).nonzero()
        if limit < 1 or not hits.size:
            return Scores({})
        scores = total[hits]
        sums = float(scores.sum()), float((scores * scores).sum())
        if scores.size > limit:
            # Most are left out before the others are rounded: 0.15 ms of 0.3 where 9,000 passages hold a word.
            kept = scores >= np.partition(scores, -limit)[-limit] - _ROUNDED
            hits, scores = hits[kept], scores[kept]
        scores, pids = scores.round(6), self._pids[hits]
        order = np.lexsort((pids, -scores))
        found = scores[order].tolist()
        last = bisect_right(found, -found[limit - 1], limit, key=neg) if len(found) > limit else len(found)
        return Scores(dict(zip(pids[order[:last]].tolist(), found[:last], strict=True)), *sums)


def _open(folder: Path) -> list[Segment]:
    """Open the segments of the latest commit; look again when a commit replaced them meanwhile."""
    storage = FileStorage(os.fspath(folder))
    for _ in range(5):
        opened: list[Segment] = []
        try:
            toc = TOC.read(storage, _DEF_INDEX_NAME)
            opened.extend(Segment(storage, segment) for segment in toc.segments)
            return opened
        except EmptyIndexError as error:
            raise FileNotFoundError(f"no Whoosh index in {folder}") from error
        except FileNotFoundError as error:
            gone = error
            for segment in opened:
                segment.close()
    raise gone


def files(folder: Path) -> list[str]:
    """Return the names of the files the latest commit consists of: its table of contents and its segments."""
    storage = FileStorage(os.fspath(folder))
    try:
        toc = TOC.read(storage, _DEF_INDEX_NAME)
    except EmptyIndexError as error:
        raise FileNotFoundError(f"no Whoosh index in {folder}") from error
    segments = (segment.make_filename(segment.COMPOUND_EXT) for segment in toc.segments)
    return sorted([TOC._filename(_DEF_INDEX_NAME, toc.generation), *segments])
