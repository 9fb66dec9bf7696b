"""`memdir bench-embedders`: the set is whole, and the embedded model finds what it found when it was chosen."""

from pathlib import Path

from driver import Run
from memdir.evals import embedders
from memdir.evals.scripted import numbers, scripted


def test_every_note_and_question_stands_in_both_languages() -> None:
    held = embedders.notes()
    assert len(held) == 40
    for key in ("id", "en", "zh", "ask_en", "ask_zh"):
        assert len({one[key] for one in held}) == 40
    for one in held:
        assert one["en"].isascii()
        assert one["ask_en"].isascii()
        assert not one["zh"].isascii()
        assert not one["ask_zh"].isascii()


def test_the_embedded_model_keeps_its_floors(run: Run, model: Path) -> None:
    report = run("bench-embedders", "--kind", "use", "--json").json
    (measured,) = report["embedders"]
    assert (report["notes"], measured["name"], measured["dimension"]) == (40, "use-multilingual-v3", 512)
    assert [f"{one['asked_in']} {one['notes_in']}" for one in measured["found"]] == ["en en", "zh zh", "en zh", "zh en"]
    assert min(one["hit1"] for one in measured["found"]) >= 0.65
    assert min(one["hit5"] for one in measured["found"]) >= 0.9
    assert list(measured["texts_per_cpu_s"]) == ["12", "25", "50", "100", "200"]


def test_an_endpoint_is_measured_beside_it(run: Run, model: Path) -> None:
    with scripted(numbers(16)) as server:
        where = {"MEMDIR_EMBEDDER_URL": server.url, "MEMDIR_EMBEDDER_MODEL": "tiny"}
        shown = run("bench-embedders", "--kind", "endpoint", "--kind", "use", **where)
    assert shown.code == 0, shown.err
    assert "endpoint tiny: 16 numbers" in shown.out
    assert shown.out.count("hit@5") == 2
    assert run("bench-embedders", MEMDIR_EMBEDDER_KIND="none").code == 2
