"""Energy over links, names and entities: where it goes, that hubs do not win, and that asking changes nothing."""

import json
from collections import Counter
from pathlib import Path

import pytest

from memdir.app import vaults
from memdir.app.memory import Memory
from memdir.evals.reliability.mirror import content
from memdir.index import strength, sync
from memdir.index.filters import Filters
from memdir.index.graph import Edge
from memdir.recall import evidence, hops, spread
from memdir.recall.question import Question

NOTES = {
    "heron": "Takes what the sensors send.\n\n- runs_on [[otter]]\n- see [[manual#Replay]]\n- Ruud Hoekstra wrote it",
    "otter": "The machine under the desk.\n\n- rack:: 4",
    "ruud": "Left in May for the sea.",
    "manual": "## Install\n\n" + "Unpack and wait. " * 60 + "\n\n## Replay\n\n" + "Turn the tape back. " * 60,
    "quay": "The lamp at ZQ-774 is out.",
    "lamps": "Spare bulbs fit ZQ-774 and no other.",
}
NAMES = {"ruud": "Ruud Hoekstra"}


def _write(root: Path, name: str, body: str) -> None:
    path = root / "memory" / "ref" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {NAMES.get(name, name)}\ntype: ref\n---\n{body}\n", "utf-8")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    root = tmp_path / "vault"
    vaults.init(root, adopt=False)
    for name, body in NOTES.items():
        _write(root, name, body)
    with Memory(root, options={"index_dir": str(tmp_path / "index")}) as opened:
        opened.sync(sync.Options())
        yield opened


def _reached(memory: Memory, *names: str, form: spread.Shape | None = None) -> dict[str, float]:
    """Note and heading → energy from the first passages of some notes."""
    source = memory.open_reader(verified=False)
    paths = [f"memory/ref/{name}.md" for name in names]
    numbers = {
        path: number
        for number, path in source.rows(
            "SELECT p.id, f.path FROM passages p JOIN files f ON f.id = p.file ORDER BY p.first DESC"
        )
    }
    seeds = {numbers[path]: 2.0 for path in paths}
    found = spread.spread(source, seeds, form or spread.Shape(hops=1), hops.Lines(evidence.Files(memory.root)).part)
    said = {
        hit.id: f"{hit.path.rsplit('/', 1)[-1][:-3]} {hit.heading}".strip() for hit in source.hits(list(found.energy))
    }
    memory.drop_reader()
    return {said[number]: energy for number, energy in found.energy.items()}


def test_energy_goes_over_links_names_and_entities(memory: Memory) -> None:
    found = _reached(memory, "heron")
    assert {"otter", "ruud", "manual Replay"} <= found.keys()
    assert "manual Install" not in found
    assert {"heron"} <= _reached(memory, "otter").keys()
    assert {"heron"} <= _reached(memory, "ruud").keys()
    assert "lamps" in _reached(memory, "quay")
    assert "manual Replay" in _reached(memory, "manual")
    assert "otter" not in _reached(memory, "heron", form=spread.Shape(hops=1, link=0, name=0))


def test_what_rests_on_one_conversation_is_joined_at_half_weight(memory: Memory) -> None:
    told = "[source:: [[s1#^t{}]] 09:00]"
    _write(memory.root.path, "kite", f"- colour:: red {told.format(1)}")
    _write(memory.root.path, "bowl", f"- [context] Holds the fruit. {told.format(7)}")
    _write(memory.root.path, "oar", "- [context] Steers. [source:: [[s2#^t1]] 09:00]")
    talks = memory.root.path / "memory/sessions/2026/11"
    talks.mkdir(parents=True)
    for id_ in ("s1", "s2"):
        head = f"---\ntype: session\nid: {id_}\nsource: jsonl\n---\n"
        (talks / f"{id_}.md").write_text(f"{head}\n### user · 2026-11-29T14:02:11Z · ^t1\n> Hello.\n", "utf-8")
    memory.sync(sync.Options())
    bare = spread.Shape(hops=1, link=0, name=0, named=0, entity=0, next=0)
    found = _reached(memory, "kite", form=bare)
    assert found == {"bowl": pytest.approx(0.5 * 0.5 / 2**0.5, abs=1e-6)}
    assert _reached(memory, "kite", form=spread.Shape(hops=1, co_captured=0)).keys().isdisjoint({"bowl"})
    (talks / "s1.md").unlink()
    memory.sync(sync.Options())
    assert _reached(memory, "kite", form=bare) == {}


def test_it_is_the_same_after_a_rebuild(memory: Memory, tmp_path: Path) -> None:
    _write(memory.root.path, "aaa", "A late one about [[otter]] and heron.")
    _write(memory.root.path, "heron", NOTES["heron"] + "\n- again [[aaa]]")
    memory.sync(sync.Options())
    grown = _reached(memory, "heron", "otter", form=spread.Shape(hops=2))
    memory.sync(sync.Options(afresh=True))
    assert list(_reached(memory, "heron", "otter", form=spread.Shape(hops=2)).items()) == list(grown.items())


def test_use_strengthens_what_arrives(memory: Memory) -> None:
    plain = _reached(memory, "heron")
    used = _reached(memory, "heron", form=spread.Shape(hops=1, strength={"memory/ref/otter.md": 1.5}))
    assert used["otter"] == pytest.approx(1.5 * plain["otter"], abs=2e-6)
    assert used["ruud"] == plain["ruud"]


def test_use_strengthens_the_way_and_an_entry_of_a_log_by_its_line(memory: Memory) -> None:
    plain = _reached(memory, "heron")
    way = strength.way("memory/ref/heron.md", "memory/ref/otter.md")
    led = _reached(memory, "heron", form=spread.Shape(hops=1, strength={way: 0.5}))
    assert led["otter"] == pytest.approx(0.5 * plain["otter"], abs=2e-6)
    assert led["ruud"] == plain["ruud"]
    edges = [Edge(1, 2, 1.0, 1.0, "link"), Edge(1, 3, 1.0, 1.0, "link")]
    form = spread.Shape(hops=1, strength={"log.md:21": 1.5})
    found = spread.flow({1: 7.0}, lambda _: edges, form, lambda number: ("log.md", number * 10))
    assert found.energy[2] == pytest.approx(1.5 * found.energy[3], abs=2e-6)


def test_a_hub_gets_less_than_a_quiet_note() -> None:
    edges = [Edge(1, 2, 1.0, 100.0, "link"), Edge(1, 3, 1.0, 1.0, "link")]
    found = spread.flow({1: 7.0}, lambda _: edges, spread.Shape(hops=1), lambda number: (f"{number}.md", 0))
    assert found.energy == {3: pytest.approx(0.353553), 2: pytest.approx(0.035355)}
    assert spread.flow({}, lambda _: edges, spread.Shape(), lambda number: ("", number)).energy == {}


def test_the_question_goes_on_in_a_linked_note(memory: Memory) -> None:
    answer = memory.recall(Question("what did the author of heron do in May", Filters(), 5), fresh=False)
    assert "memory/ref/ruud.md" in [one.path for one in answer.evidence]
    machine = memory.recall(Question("from which shelf do the heron sensors send", Filters(), 5), fresh=False)
    (otter,) = [one for one in machine.evidence if one.path.endswith("otter.md")]
    assert "runs_on: memory/ref/heron.md" in otter.why


def test_no_link_is_followed_where_the_best_passage_says_every_word(memory: Memory) -> None:
    answer = memory.recall(Question("what do the heron sensors send", Filters(), 5), fresh=False)
    assert answer.evidence[0].path.endswith("heron.md")
    assert not [one for one in answer.evidence if any(said.startswith("runs_on") for said in one.why)]


def test_asking_strengthens_nothing(tmp_path: Path) -> None:
    """200 questions of the own set, asked twice: the same answers, the same index, no share of a hub has grown."""
    own = Path(__file__).parents[1] / "data" / "own.jsonl"
    records = [json.loads(line) for line in own.read_text("utf-8").splitlines()]
    root = tmp_path / "vault"
    vaults.init(root, adopt=False)
    for one in records:
        if "note" in one:
            path = root / one["note"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one["text"], "utf-8")
    asked = [one["query"] for one in records if "query" in one][:200]
    with Memory(root, options={"index_dir": str(tmp_path / "index")}) as memory:
        memory.sync(sync.Options())
        before = content(memory.vault.place)
        shares = []
        for _ in range(2):
            answers = [memory.recall(Question(one, Filters(), 5), fresh=False).evidence for one in asked]
            shares.append(Counter(one.path for answer in answers for one in answer))
        memory.drop_reader()
        assert shares[0] == shares[1]
        assert content(memory.vault.place) == before
    assert shares[0].most_common(1)[0][1] < len(asked) / 4
