"""Drain: newest first, goes on where it was, loses nothing that is there, and is in nobody's way."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import inside
from hashed import Hashed
from memdir.app.memory import Memory
from memdir.errors import BadData, Locked, ModelError, Unusable
from memdir.evals.reliability import mirror
from memdir.index import generation, sync, vectors
from memdir.index.drain import Drained, Limits, drain, text_of
from memdir.index.reader import Hit

LOCKED_OUT = sync.Options(wait=0, accept_removals=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "notes"
    root.mkdir()
    for n in range(40):
        (root / f"n{n:02}.md").write_text(
            f"---\nname: N {n}\nupdated: 2026-01-{n % 28 + 1:02}\n---\nwords of number {n}\n"
        )
    with Memory(root) as opened:
        sync.sync(opened.vault, LOCKED_OUT)
        yield opened


def test_all_are_embedded_newest_first_and_once(memory: Memory) -> None:
    source = Hashed()
    assert drain(memory.vault, source, Limits()) == Drained(embedded=40)
    assert source.texts[0] == "N 27. words of number 27"
    assert source.texts[-1] in ("N 0. words of number 0", "N 28. words of number 28")
    assert len(inside.vector_rows(memory)) == len(set(source.texts)) == 40
    assert drain(memory.vault, Hashed(before=lambda texts: pytest.fail("asked")), Limits()) == Drained()


def test_it_stops_at_a_limit_and_goes_on(memory: Memory) -> None:
    assert drain(memory.vault, Hashed(), Limits(passages=15, batch=10)) == Drained(embedded=15, left=25)
    clock = iter(range(100)).__next__
    assert drain(memory.vault, Hashed(), Limits(seconds=3, batch=10, clock=clock)) == Drained(embedded=20, left=5)
    assert drain(memory.vault, Hashed(), Limits(seconds=0)) == Drained(left=5)
    assert drain(memory.vault, Hashed(), Limits()) == Drained(embedded=5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a killed drain needs fork")
def test_a_killed_drain_loses_a_batch_at_most(memory: Memory) -> None:
    for at in range(1, 12):
        mirror.killed(lambda: drain(memory.vault, Hashed(), Limits(batch=5)), at)
    assert drain(memory.vault, Hashed(), Limits(batch=5)).left == 0
    assert len(inside.vector_rows(memory)) == 40
    folder = generation.current(memory.vault.place)
    assert folder
    assert generation.damage(folder) == ""


def test_a_sync_does_not_wait_for_it_and_what_changed_meanwhile_is_left_out(memory: Memory, tmp_path: Path) -> None:
    def change(texts: Sequence[str]) -> None:
        note = tmp_path / "notes/n27.md"
        if "number 27" in texts[0]:
            note.write_text(note.read_text().replace("words", "other words"))
            sync.sync(memory.vault, LOCKED_OUT)

    assert drain(memory.vault, Hashed(before=change), Limits(batch=10)) == Drained(embedded=39, changed=1, left=1)
    source = Hashed()
    assert drain(memory.vault, source, Limits()) == Drained(embedded=1)
    assert source.texts[-1] == "N 27. other words of number 27"


def test_a_file_edited_since_the_last_sync_is_left_out(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "notes/n05.md").write_text("quite new\n")
    assert drain(memory.vault, Hashed(), Limits()) == Drained(embedded=39, changed=1, left=1)
    sync.sync(memory.vault, LOCKED_OUT)
    assert drain(memory.vault, Hashed(), Limits()) == Drained(embedded=1)


def test_what_is_missing_is_known_without_counting_and_counted_after_a_sync(memory: Memory, tmp_path: Path) -> None:
    def missing() -> int:
        memory.drop_reader()
        with vectors.opened(memory.open_reader(verified=False)) as rows:
            return rows.missing()

    assert missing() == 40
    drain(memory.vault, Hashed(), Limits(passages=30))
    assert missing() == 10
    drain(memory.vault, Hashed(), Limits())
    assert missing() == 0
    (tmp_path / "notes/n05.md").write_text("edited: one passage goes, one comes\n")
    sync.sync(memory.vault, LOCKED_OUT)
    assert missing() == 1
    (tmp_path / "notes/n05.md").unlink()
    sync.sync(memory.vault, LOCKED_OUT)
    assert missing() == 0


def test_rows_of_passages_that_are_gone_go(memory: Memory, tmp_path: Path) -> None:
    drain(memory.vault, Hashed(), Limits())
    for n in range(10):
        (tmp_path / f"notes/n{n:02}.md").unlink()
    sync.sync(memory.vault, LOCKED_OUT)
    assert len(inside.vector_rows(memory)) == 40
    drain(memory.vault, Hashed(), Limits())
    assert len(inside.vector_rows(memory)) == 30


def test_another_embedder_makes_all_again_and_the_old_rows_stay_until_it_has(memory: Memory) -> None:
    drain(memory.vault, Hashed(), Limits())
    before = inside.vector_rows(memory)

    def down(texts: Sequence[str]) -> None:
        raise ModelError("down")

    for other in (Hashed(24, before=down), Hashed(name="others", before=down)):
        with pytest.raises(ModelError, match="down"):
            drain(memory.vault, other, Limits())
    with pytest.raises(ModelError, match="down"):
        drain(memory.vault, Hashed(before=down), Limits(anew=True))
    assert inside.vector_rows(memory) == before
    done = drain(memory.vault, Hashed(24), Limits(passages=3, batch=3))
    assert done.anew == "they were made by hashed digests of 16 numbers, the first 60 words of each"
    assert {len(row) for row in inside.vector_rows(memory).values()} == {24}
    assert drain(memory.vault, Hashed(24), Limits()) == Drained(embedded=37)
    assert drain(memory.vault, Hashed(24), Limits(anew=True)).embedded == 40
    assert drain(memory.vault, Hashed(24), Limits(), prefix="passage: ").embedded == 40


def test_a_source_that_changes_its_length_half_way_is_stopped(memory: Memory) -> None:
    class Changing(Hashed):
        def embed(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
            return super().embed(texts)[:, : 16 if len(self.texts) < 20 else 12]

    with pytest.raises(BadData, match="vectors of another length now"):
        drain(memory.vault, Changing(), Limits(batch=10))
    assert {len(row) for row in inside.vector_rows(memory).values()} == {16}


def test_one_at_a_time(memory: Memory) -> None:
    def second(texts: Sequence[str]) -> None:
        with pytest.raises(Locked, match="another memdir is making vectors"):
            drain(memory.vault, Hashed(), Limits())

    assert drain(memory.vault, Hashed(before=second), Limits()).embedded == 40


def test_without_an_index_there_is_nothing_to_embed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with Memory(tmp_path / "empty") as memory, pytest.raises(Unusable, match="no index yet"):
        drain(memory.vault, Hashed(), Limits())


def test_a_rebuild_meanwhile_ends_it(memory: Memory) -> None:
    def rebuild(texts: Sequence[str]) -> None:
        if "number 27" in texts[0]:
            sync.sync(memory.vault, sync.Options(afresh=True))

    assert drain(memory.vault, Hashed(before=rebuild), Limits(batch=10)).embedded == 0
    assert drain(memory.vault, Hashed(), Limits()).embedded == 40


def test_a_busy_record_is_not_taken_for_a_damaged_one(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from memdir.index import db

    drain(memory.vault, Hashed(), Limits())
    folder = generation.current(memory.vault.place)
    assert folder
    monkeypatch.setattr(db, "BUSY_MS", 50)
    other = sqlite3.connect(folder / vectors.DB, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BadData, match="vectors cannot be written"):
        drain(memory.vault, Hashed(24), Limits())
    other.execute("ROLLBACK")
    other.close()
    assert len(inside.vector_rows(memory)) == 40


def piece(**given: str) -> Hit:
    values = {"kind": "note", "name": "Pump", "heading": "", **given}
    return Hit(0.0, "p.md", "", 0, 9, values["heading"], values["kind"], values["name"], "ref", "", False, (), ())


@pytest.mark.parametrize(
    ("lines", "given", "wanted"),
    [
        (["# Pump", "", "Set to **38** degrees."], {"heading": "Pump"}, "Pump. Set to 38 degrees"),
        (["- filter:: yearly", "- [ ] see [[note|the note]] ^k1"], {}, "Pump. filter: yearly see the note"),
        (["a [link](x.md) and `code`"], {"heading": "Care › Oil"}, "Pump. Care. Oil. a link and code"),
        (["## 14:20 - Failed", "- outcome:: failure"], {"kind": "log", "heading": "2026-11-29 › 14:20 - Failed"},
         "Failed. outcome: failure"),
        ([], {}, "Pump"),
        (["一二三四五六七八九十" * 3], {}, "Pump. 一二三四五六七八九十一二三四五六七八九十"),
        (["1 2 3 4 5 6 7 8 9 10 11 12"], {}, "Pump. 1 2 3 4 5 6 7 8 9 10"),
    ],
)  # fmt: skip
def test_what_is_embedded_of_a_passage(lines: list[str], given: dict[str, str], wanted: str) -> None:
    assert text_of(piece(**given), lines, 10) == wanted
