"""The paid cache: what was paid for is there, whatever is damaged is not, and nothing that fails matters."""

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from memdir.llm.cache import Cache, Maker

TINY = Maker("endpoint", "tiny", 4, "text ")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vault" / "paid.db"


def test_a_value_is_found_by_what_made_it_and_its_text(path: Path) -> None:
    cache = Cache(path)
    assert cache.get(TINY, ["a"]) == {}
    assert not path.exists()
    cache.put(TINY, {"a": b"one", "b": b"two", "\udc80": b"odd"})
    assert Cache(path).get(TINY, ["b", "a", "c", "a", "\udc80"]) == {"a": b"one", "b": b"two", "\udc80": b"odd"}
    for other in (
        Maker("use", "tiny", 4, "text "),
        Maker("endpoint", "big", 4, "text "),
        Maker("endpoint", "tiny", 6, "text "),
    ):
        assert cache.get(other, ["a"]) == {}
    reply = Maker("reply", "tiny", 0, "teach 3")
    cache.put(reply, {"a": b"{}"})
    assert cache.get(reply, ["a"]) == {"a": b"{}"}
    assert cache.count() == 4


def test_a_value_that_changed_on_disk_is_none(path: Path) -> None:
    Cache(path).put(TINY, {"a": b"one", "b": b"two"})
    db = sqlite3.connect(path)
    ((held,),) = db.execute("SELECT value FROM kept WHERE substr(value, 5) = ?", (b"one",)).fetchall()
    with db:
        db.execute("UPDATE kept SET value = ? WHERE value = ?", (held[:-1] + b"f", held))
    db.close()
    assert Cache(path).get(TINY, ["a", "b"]) == {"b": b"two"}


@pytest.mark.parametrize("damage", ["not a database", "cut", "other tables"])
def test_a_damaged_file_is_set_aside(path: Path, damage: str) -> None:
    first = Cache(path)
    first.put(TINY, {str(n): os.urandom(200) for n in range(500)})
    first.close()
    data = path.read_bytes()
    if damage == "other tables":
        path.unlink()
        with sqlite3.connect(path) as db:
            db.execute("CREATE VIEW kept AS SELECT 1 AS maker, 2 AS digest")
        db.close()
    else:
        path.write_bytes(b"not a database at all " * 400 if damage == "not a database" else data[: len(data) // 2])
    cache = Cache(path)
    cache.get(TINY, list(map(str, range(500))))
    cache.put(TINY, {"a": b"one"})
    cache.put(TINY, {"a": b"one"})
    assert cache.get(TINY, ["a"]) == {"a": b"one"}
    assert (path.parent / "damaged-paid.db").exists()


def test_it_stays_within_its_bound_and_the_lately_used_stay(path: Path) -> None:
    day = [100.0 * 86_400]
    cache = Cache(path, largest=300_000, clock=lambda: day[0])
    cache.put(TINY, {f"old {n}": bytes(500) for n in range(300)})
    day[0] += 30 * 86_400
    used = [f"old {n}" for n in range(50)]
    assert len(cache.get(TINY, used)) == 50
    cache.put(TINY, {f"new {n}": bytes(500) for n in range(300)})
    assert path.stat().st_size < 300_000
    assert len(cache.get(TINY, used)) == 50
    assert len(cache.get(TINY, [f"new {n}" for n in range(300)])) == 300


def test_many_may_use_it_at_once(path: Path) -> None:
    def work(number: int) -> None:
        cache = Cache(path)
        for n in range(20):
            cache.put(TINY, {f"{number} {n}": f"{number} {n}".encode()})
            assert cache.get(TINY, [f"{number} {n}"])
        cache.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Cache(path).count() == 80


def test_a_cache_that_cannot_be_written_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "paid.db")
    cache.put(TINY, {"a": b"one"})
    assert cache.get(TINY, ["a"]) == {}
    assert cache.count() == 0
