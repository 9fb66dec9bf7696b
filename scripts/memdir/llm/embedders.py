"""What makes vectors of texts: the protocol, the kind that the settings choose, and one that remembers.

Loads no numpy by itself; the kinds load when they are chosen. Touches no file; the kinds and the cache do.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from memdir import config, int8
from memdir.config import Settings
from memdir.errors import BadData
from memdir.int8 import Floats
from memdir.llm.cache import Cache, Maker

KINDS = ("use", "endpoint", "onnx", "none")
KEY_FILE = "embedder.key"  # in the user's configuration folder: a key that was given on standard input


class Embedder(Protocol):
    """Makes vectors. `kind`, `name` and `dimension` say whether two vectors may be compared."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """(n, dimension) float32, rows of length 1; all or none. Raises ModelError."""


def configured(
    settings: Settings, environ: Mapping[str, str] | None = None, *, key: str | None = None
) -> Embedder | None:
    """The embedder that the settings choose, None for `none`. Raises BadData for settings that name none,
    ModelError for a key or a folder that is not there; nothing is loaded or asked yet. `key`: instead of the kept one.
    """
    kind = settings["embedder.kind"].strip()
    if kind not in KINDS:
        raise BadData(f"embedder.kind takes {', '.join(KINDS)}, not {kind!r}")
    if kind == "none":
        return None
    if kind == "use":
        from memdir.llm import use

        return use.Use()
    if kind == "onnx":
        from memdir.llm import onnx

        if not settings["embedder.path"]:
            raise BadData("embedder.kind is onnx, so embedder.path must name the model's folder")
        return onnx.Onnx(Path(settings["embedder.path"]).expanduser(), prefixes=prefixes(settings))
    from memdir.llm import embeddings, endpoint

    where = endpoint.embedding(settings, environ, key=kept_key(environ) if key is None else key)
    return embeddings.Embeddings(where, prefixes=prefixes(settings), batch=settings["embedder.batch"])


def prefixes(settings: Settings) -> tuple[str, str]:
    """What goes before a text and before a question; the embedded model wants nothing."""
    if settings["embedder.kind"] == "use":
        return "", ""
    return settings["embedder.document_prefix"], settings["embedder.query_prefix"]


def kept_key(environ: Mapping[str, str] | None = None) -> str:
    """The key that was given on standard input, "" for none."""
    held = config.small_file(config.config_home(environ) / KEY_FILE, follow=True) or b""
    return held.decode("utf-8", "replace").strip()


class Kept:
    """An embedder that asks once for each text: the paid cache has the rest.

    Every row comes back as its 8-bit numbers say, so that an answer is the same whether it was kept or not.
    `expected`: the dimension of the index, for questions to an endpoint whose own is not known yet; `again`: ask for
    every text, whatever is kept.
    """

    def __init__(
        self, made_by: Embedder, cache: Cache, prefixes: tuple[str, str], *, expected: int = 0, again: bool = False
    ) -> None:
        self._made_by, self._cache, self._prefixes = made_by, cache, prefixes
        self._expected, self._again = expected, again
        self.kind, self.name = made_by.kind, made_by.name

    @property
    def dimension(self) -> int:
        return self._made_by.dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """As `Embedder.embed`. A question to the embedded model is not kept: to look it up takes as long."""
        import numpy as np

        if not texts:
            return np.empty((0, self._expected), np.float32)
        dimension = self._expected if query and self._expected else self.dimension
        if query and self.kind == "use":
            return int8.unpack(int8.pack(self._made_by.embed(texts, query=True)))
        version = f"{'query' if query else 'text'} {self._prefixes[query]}"
        held = {} if self._again else self._cache.get(Maker(self.kind, self.name, dimension, version), texts)
        held = {text: row for text, row in held.items() if len(row) == dimension}
        new = [text for text in dict.fromkeys(texts) if text not in held]
        if new:
            rows = int8.pack(self._made_by.embed(new, query=query))
            made = {text: row.tobytes() for text, row in zip(new, rows, strict=True)}
            self._cache.put(Maker(self.kind, self.name, rows.shape[1], version), made)
            if rows.shape[1] != dimension and held:  # the server has changed its model meanwhile
                self._expected = rows.shape[1]
                return self.embed(texts, query=query)
            held |= made
        packed = np.array([np.frombuffer(held[text], np.int8) for text in texts], np.int8)
        return int8.unpack(packed.reshape(len(texts), -1))
