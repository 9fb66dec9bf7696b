"""What tests look at in an index beyond what `mirror` compares: its vectors, and how a sync goes in batches."""

import contextlib
from collections.abc import Iterator

from memdir import int8
from memdir.app.memory import Memory
from memdir.index import apply, drain, generation, vectors
from memdir.recall import evidence


def vector_rows(memory: Memory) -> dict[int, bytes]:
    """The vectors of the index in use by the numbers of what they are of; none where none were made."""
    folder = generation.current(memory.vault.place)
    assert folder
    if not (folder / vectors.DB).exists():
        return {}
    record = vectors.open_writer(folder)
    try:
        return dict(record.execute("SELECT passage, v FROM vectors").fetchall())
    finally:
        record.close()


def assert_vectors(memory: Memory, source: drain.Source) -> None:
    """Every row that belongs to a passage is that of the passage's text as it is now; the others answer nothing."""
    rows = vector_rows(memory)
    opened = memory.open_reader(verified=True)
    with vectors.opened(opened) as held:
        if held.made is None:
            return
        near = held.near(source.embed(["a"])[0])
        found = near.best(1_000) if near else {}
    texts = {}
    for hit in opened.hits([number for (number,) in opened.rows(vectors.NUMBERS)]):
        first = hit.first + (hit.kind == "turn")
        lines = evidence.lines_of(memory.root.read(hit.path).data, hit.kind)[first : hit.last]
        texts[hit.id] = drain.text_of(hit, lines, memory.settings["embedder.words"])
    assert found.keys() == rows.keys() & texts.keys()
    for number in rows.keys() & texts.keys():
        assert rows[number] == int8.pack(source.embed([texts[number]]))[0].tobytes(), texts[number]
    memory.drop_reader()


@contextlib.contextmanager
def batches_of(files: int) -> Iterator[None]:
    """Sync in batches so small that a few notes make several."""
    usual = apply.BATCH
    apply.BATCH = files
    try:
        yield
    finally:
        apply.BATCH = usual
