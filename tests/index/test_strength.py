"""What use and being in vain come to."""

import pytest

from memdir.index.strength import LEAST, MOST, key, strength, way
from memdir.vault.ledger import Event

NOTE = "memory/project/atlas.md"


def used(path: str = NOTE, **more: object) -> Event:
    return Event("used", path=path, more=more)


@pytest.mark.parametrize(("times", "factor"), [(1, 1.25), (2, 1.375), (3, 1.4375), (40, MOST)])
def test_use_strengthens_less_each_time(times: int, factor: float) -> None:
    assert strength([used()] * times) == {NOTE: pytest.approx(factor, abs=1e-6)}


@pytest.mark.parametrize(("recalls", "factor"), [(3, None), (4, 0.896850), (6, 0.75), (9, 0.625), (90, LEAST)])
def test_what_is_brought_in_vain_fades_once_it_was_spared(recalls: int, factor: float | None) -> None:
    found = strength(used(recalled=str(n), passed=["memory/ref/hub.md"]) for n in range(recalls))
    assert found.get("memory/ref/hub.md") == (factor and pytest.approx(factor, abs=1e-6))


def test_a_recall_counts_once_and_what_was_ever_used_does_not_fade() -> None:
    again = [used(recalled="1", passed=["memory/ref/hub.md"])] * 50
    assert "memory/ref/hub.md" not in strength(again)
    many = [used(recalled=str(n), passed=["memory/ref/hub.md"]) for n in range(50)]
    assert strength([*many, used("memory/ref/hub.md")])["memory/ref/hub.md"] == 1.25


def test_entries_and_turns_are_known_by_their_line() -> None:
    found = strength([used("memory/logs/2026/11/2026-11-29.md", kind="log", line=3), used(kind="note", line=12)])
    assert set(found) == {"memory/logs/2026/11/2026-11-29.md:3", NOTE}
    assert key("turn", "memory/sessions/a.md", 0) == key("session", "memory/sessions/a.md", 7) == "memory/sessions/a.md"


def test_the_ways_to_what_was_used_grow_and_those_to_what_was_not_fade() -> None:
    hub, far = "memory/project/hub.md", "memory/ref/far.md"
    led = [used(led=[[hub, NOTE]], misled=[[hub, far]], recalled=str(n)) for n in range(6)]
    found = strength(led)
    assert found[way(hub, NOTE)] > 1 > found[way(hub, far)] > LEAST
    assert way(NOTE, hub) not in found


def test_what_an_agent_used_nothing_of_fades_too() -> None:
    vain = [Event("gate", more={"passed": [NOTE], "misled": [["a.md", NOTE]], "recalled": str(n)}) for n in range(6)]
    assert strength(vain) == {NOTE: 0.75, way("a.md", NOTE): 0.75}


def test_other_events_and_odd_ones_do_not_matter() -> None:
    odd = [Event("run_started", path=NOTE), used(line="x", kind=7, passed="no list", led=[3, [1]], recalled=3)]
    assert strength(odd) == {NOTE: 1.25}
    assert strength([]) == {}
