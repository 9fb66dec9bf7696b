"""The scan is exact, the same in every process and after a rebuild, whatever happened to its files."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from hashed import Hashed
from memdir import int8
from memdir.app.memory import Memory
from memdir.index import generation, sync, vectors
from memdir.index.drain import Limits, drain
from memdir.index.reader import Reader

SOURCE = Hashed(64)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """300 notes, three of which say the same, with vectors."""
    root = tmp_path / "notes"
    root.mkdir()
    for n in range(300):
        text = "the same words" if n in (7, 150, 299) else f"words of number {n}"
        (root / f"n{n:03}.md").write_text(f"---\nname: {'twin' if n in (7, 150, 299) else n}\n---\n{text}\n")
    with Memory(root) as opened:
        fill(opened)
        yield opened


def fill(memory: Memory) -> None:
    sync.sync(memory.vault, sync.Options(accept_removals=True))
    drain(memory.vault, SOURCE, Limits())


def reader(memory: Memory) -> Reader:
    memory.drop_reader()
    return memory.open_reader(verified=True)


def best(held: vectors.Vectors, text: str, limit: int, allowed: Collection[int] | None = None) -> dict[int, float]:
    near = held.near(SOURCE.embed([text])[0], allowed)
    return near.best(limit) if near else {}


def scan(memory: Memory, text: str, limit: int) -> list[tuple[str, float]]:
    """Paths and cosines of the best and of what ties with the last, in order."""
    source = reader(memory)
    known = dict(source.rows("SELECT p.id, f.path FROM passages p JOIN files f ON f.id = p.file"))
    with vectors.opened(source) as held:
        found = [(known[number], score) for number, score in best(held, text, limit).items()]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def test_it_finds_what_a_scan_by_hand_finds(memory: Memory) -> None:
    source = reader(memory)
    query = SOURCE.embed(["some question"])[0]
    with vectors.opened(source) as held:
        found = best(held, "some question", 20)
        record = vectors.open_writer(source.folder)
        rows = record.execute("SELECT passage, v FROM vectors").fetchall()
        record.close()
    packed = np.array([np.frombuffer(row, np.int8) for _, row in rows]).astype(np.float64)
    cosines = packed @ query / np.linalg.norm(packed, axis=1)
    numbers = [number for number, _ in rows]
    wanted = sorted(zip(np.round(cosines, 6).tolist(), numbers, strict=True), reverse=True)
    assert [*found.values()] == [score for score, _ in wanted[:20]]
    assert found.keys() == {number for _, number in wanted[:20]}


def test_equals_stay_together(memory: Memory) -> None:
    for limit in (1, 2, 3):
        found = scan(memory, "twin. the same words", limit)
        assert found == [(path, pytest.approx(1, abs=1e-3)) for path in ("n007.md", "n150.md", "n299.md")]


def test_the_same_bytes_after_a_rebuild_and_after_growing(memory: Memory, tmp_path: Path) -> None:
    asked = [f"question {n}" for n in range(20)] + ["twin. the same words"]
    first = [scan(memory, text, 10) for text in asked]
    notes = tmp_path / "notes"
    saved = {path: path.read_text() for path in sorted(notes.iterdir())[:100]}
    for path in saved:
        path.unlink()
    fill(memory)
    for path, text in reversed(saved.items()):
        path.write_text(text)
    fill(memory)
    assert [scan(memory, text, 10) for text in asked] == first
    memory.drop_reader()
    sync.sync(memory.vault, sync.Options(afresh=True))
    assert scan(memory, asked[0], 10) == []
    drain(memory.vault, SOURCE, Limits())
    assert [scan(memory, text, 10) for text in asked] == first


def test_only_what_is_allowed_counts(memory: Memory) -> None:
    with vectors.opened(reader(memory)) as held:
        everything = list(best(held, "some question", 300).items())
        allowed = {number for number, _ in everything[100:120]}
        assert list(best(held, "some question", 5, allowed).items()) == everything[100:105]
        assert list(best(held, "some question", 50, allowed).items()) == everything[100:120]
        assert best(held, "some question", 50, [10**12]) == best(held, "some question", 50, []) == {}
        assert best(held, "some question", 0) == {}
        assert len(everything) == 300


def test_mean_and_deviation_are_of_all_that_is_living_whatever_is_allowed(memory: Memory, tmp_path: Path) -> None:
    query = SOURCE.embed(["some question"])[0]
    with vectors.opened(reader(memory)) as held:
        near, narrow = held.near(query), held.near(query, [1])
        assert near
        assert narrow
        cosines = list(near.best(300).values())
        assert (near.mean, near.deviation) == (round(float(np.mean(cosines)), 3), round(float(np.std(cosines)), 3))
        assert (narrow.mean, narrow.deviation) == (near.mean, near.deviation)
    for path in sorted((tmp_path / "notes").iterdir())[:250]:
        path.unlink()
    sync.sync(memory.vault, sync.Options(accept_removals=True))
    with vectors.opened(reader(memory)) as held:
        near = held.near(query)
        assert near
        cosines = list(near.best(300).values())
        assert len(cosines) == 50
        assert (near.mean, near.deviation) == (round(float(np.mean(cosines)), 3), round(float(np.std(cosines)), 3))


def test_a_question_of_another_length_finds_nothing(memory: Memory) -> None:
    with vectors.opened(reader(memory)) as held:
        assert held.near(Hashed(63).embed(["a"])[0]) is None


def test_passages_that_are_gone_take_no_place(memory: Memory, tmp_path: Path) -> None:
    gone = [path for path, _ in scan(memory, "some question", 290)][:50]
    for path in gone:
        (tmp_path / "notes" / path).unlink()
    sync.sync(memory.vault, sync.Options(accept_removals=True))
    found = scan(memory, "some question", 40)
    assert len(found) == 40
    assert not {path for path, _ in found} & set(gone)


def test_the_number_of_a_passage_is_never_given_again(memory: Memory, tmp_path: Path) -> None:
    used = {row[0] for row in reader(memory).rows("SELECT id FROM passages")}
    for path in (tmp_path / "notes").iterdir():
        path.write_text(path.read_text().replace("words", "others"))
    sync.sync(memory.vault, sync.Options(accept_removals=True))
    assert not used & {row[0] for row in reader(memory).rows("SELECT id FROM passages")}
    with vectors.opened(reader(memory)) as held:
        assert held.missing() == 300
        assert best(held, "a", 5) == {}


@pytest.mark.parametrize("damage", ["gone", "empty", "cut short", "a bit", "of another state"])
def test_the_flat_copy_is_made_anew_from_the_record(memory: Memory, damage: str) -> None:
    wanted = scan(memory, "some question", 10)
    folder = generation.current(memory.vault.place)
    assert folder
    flat = folder / vectors.FLAT
    whole = flat.read_bytes()
    if damage == "gone":
        flat.unlink()
    elif damage == "of another state":
        record = vectors.open_writer(folder)
        record.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
        record.close()
    else:
        bit = whole[:5_000] + bytes([whole[5_000] ^ 1]) + whole[5_001:]
        flat.write_bytes({"empty": b"", "cut short": whole[:-1], "a bit": bit}[damage])
    assert scan(memory, "some question", 10) == wanted
    assert len(flat.read_bytes()) == len(whole)
    assert [path.name for path in folder.iterdir() if "flat" in path.name] == [vectors.FLAT]


@pytest.mark.parametrize("damage", [b"", b"no database" * 1_000])
def test_a_damaged_record_is_none_and_the_next_drain_makes_it(memory: Memory, damage: bytes) -> None:
    wanted = scan(memory, "some question", 10)
    folder = generation.current(memory.vault.place)
    assert folder
    (folder / vectors.DB).write_bytes(damage)
    with vectors.opened(reader(memory)) as held:
        assert held.made is None
        assert held.missing() == 300
    assert drain(memory.vault, SOURCE, Limits()).embedded == 300
    assert scan(memory, "some question", 10) == wanted


def test_the_seal_and_the_words_are_not_touched(memory: Memory) -> None:
    folder = generation.current(memory.vault.place)
    assert folder
    before = {path: path.read_bytes() for path in (folder / generation.SEAL, folder / generation.DB)}
    drain(memory.vault, SOURCE, Limits(anew=True))
    assert {path: path.read_bytes() for path in before} == before
    assert generation.damage(folder) == ""


def test_rows_are_those_of_their_texts(memory: Memory) -> None:
    source = reader(memory)
    record = vectors.open_writer(source.folder)
    held = dict(record.execute("SELECT passage, v FROM vectors").fetchall())
    record.close()
    wanted = int8.pack(SOURCE.embed(["twin. the same words"]))[0].tobytes()
    numbers = source.rows("SELECT p.id FROM passages p JOIN files f ON f.id = p.file WHERE f.name = 'twin'")
    assert [held[number] for (number,) in numbers] == [wanted] * 3
    assert os.path.getsize(source.folder / vectors.FLAT) == 32 + 300 * (16 + 64)
