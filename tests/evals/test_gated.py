"""What the gate saves over a run of tasks: figures that can be counted by hand, and the run of the checkout."""

import json
from pathlib import Path

import pytest

from driver import Run
from memdir.evals import gated, sets
from memdir.recall import gate

NOTES = [
    {"set": "small", "now": "2026-11-29T10:00:00+00:00"},
    {
        "note": "memory/ref/heron.md",
        "text": "---\nname: Heron\ntype: ref\n---\nThe heron deploy listens on port 7431.\n",
    },
    {
        "note": "memory/ref/otter.md",
        "text": "---\nname: Otter\ntype: ref\n---\nOtter stands in rack 4, thanks to Bram.\n",
    },
]
TASKS = [
    {"task": "deploy", "agent": "ops", "lang": "en", "prompts": [
        {"say": "which port does our heron deploy listen on", "needs": True, "gold": "memory/ref/heron.md"},
        {"say": "thanks", "needs": False},
        {"say": "explain what a port is: heron", "needs": False},
        {"say": "which rack is our otter in", "needs": True, "gold": "memory/ref/heron.md"},
    ]},
]  # fmt: skip


def _file(place: Path, rows: list[dict[str, object]]) -> Path:
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return place


def test_a_run_is_counted_with_the_gate_and_without(run: Run, tmp_path: Path) -> None:
    tasks, notes = _file(tmp_path / "run.jsonl", TASKS), _file(tmp_path / "small.jsonl", NOTES)
    report = run("eval", "gate", tasks, "--set", notes, "--json").json
    with_gate, without = (report["ways"][way] for way in gated.WAYS)
    assert (report["tasks"], report["agents"], report["prompts"], report["notes"]) == (1, 1, 4, 2)
    assert (with_gate["injected"], with_gate["needed"], with_gate["in vain"]) == (0.5, 1, 0)
    assert (with_gate["answered"], without["answered"]) == (0.5, 0.5)
    assert without["injected"] == 1
    assert with_gate["tokens in all"] < without["tokens in all"]
    assert with_gate["context"] == report["by_task"][0]["with the gate"]
    assert with_gate["context"] == pytest.approx(with_gate["tokens in all"] / gated.CONTEXT, abs=1e-4)
    shown = run("eval", "gate", tasks, "--set", notes).out
    assert "with the gate" in shown
    assert "50.0 %" in shown


def test_what_is_no_run_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("eval", "gate", _file(tmp_path / "a.jsonl", [{"task": "x"}])).code == 5
    assert run("eval", "gate", _file(tmp_path / "b.jsonl", [])).code == 5


def test_the_run_of_the_checkout_is_of_eleven_tasks_and_names_files_that_are_there() -> None:
    tasks = gated.load(sets.find("run"))
    there = {note.path for corpus in sets.load("own").corpora for note in corpus.notes}
    prompts = [prompt for task in tasks for prompt in task.prompts]
    assert len(tasks) == 11
    assert all(len(task.prompts) == 10 for task in tasks)
    assert {task.lang for task in tasks} == {"en", "zh"}
    assert {prompt.gold for prompt in prompts if prompt.gold} <= there
    assert 0.4 < sum(prompt.needs for prompt in prompts) / len(prompts) < 0.6
    let = [gate.decide(prompt.say).kind != "none" for prompt in prompts]
    assert sum(map(bool, let)) / len(let) < 0.65
